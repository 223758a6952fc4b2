#include "solvers/exact/newton_cone.h"

#include <math.h>

#include "solvers/exact/smooth.h"
#include "solvers/problem/accept.h"

static const CairnField newton_fields[] = {
    CAIRN_FIELD_INT(CairnNewtonConeOptions, iterations, 60, 1, 100000, "most steps, one factor each"),
    CAIRN_FIELD_DOUBLE(CairnNewtonConeOptions, tolerance, 1e-10, 1e-15, 1, 0, "",
                       "share of max|b| where it stops; 1e-8 is certified"),
};

static const CairnFieldTable newton_options = CAIRN_FIELD_TABLE("newton-cone", CairnNewtonConeOptions, newton_fields);

static CairnStatus solve_newton_cone(const CairnProblem *problem, const CairnParts *parts, const void *options,
                                     CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    (void)parts;
    CairnNewtonConeOptions chosen;
    CairnCones cones;
    CairnSmooth *smooth;
    bool takes;
    double measure;
    CAIRN_TRY(cairn_solver_options(&newton_options, options, &chosen));
    CAIRN_TRY(cairn_cones_init(&cones, problem, CAIRN_FORMULATION_BODY, true, context, lambda));
    CairnExact *exact = &cones.exact;
    exact->name = "newton-cone";
    exact->target = fmin(chosen.tolerance * exact->scale, exact->limit);
    CAIRN_TRY(cairn_smooth_make(&cones, &smooth, &takes));
    if (!takes) {
        return cairn_error(CAIRN_UNSUPPORTED, "newton-cone: the problem has no body space");
    }
    CAIRN_TRY(cairn_smooth_run(smooth, chosen.iterations, &measure));
    CairnOutcome outcome = measure <= exact->limit                  ? CAIRN_OUTCOME_CONVERGED
                           : exact->iterations >= chosen.iterations ? CAIRN_OUTCOME_AT_LIMIT
                                                                    : CAIRN_OUTCOME_STALLED;
    CAIRN_TRY(cairn_exact_report(exact, outcome, measure, lambda, report));
    report->leaves_rest = true;
    return cairn_ok();
}

const CairnSolver cairn_solver_newton_cone = {
    .name = "newton-cone",
    .summary = "Newton's method on Coulomb's law with rounded corners, exact, one unsymmetric factor an iteration",
    .traits = CAIRN_TAKES_BOUNDS | CAIRN_TAKES_BOX_CURRENT | CAIRN_TAKES_CONE | CAIRN_TAKES_COULOMB,
    .options = &newton_options,
    .solve = solve_newton_cone,
    .forget = cairn_system_forget,
};
