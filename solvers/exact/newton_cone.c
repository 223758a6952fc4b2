#include "solvers/exact/newton_cone.h"

#include <math.h>

#include "solvers/problem/accept.h"

enum { STEPS = 60 };

static const CairnField newton_fields[] = {
    CAIRN_FIELD_INT(CairnNewtonConeOptions, iterations, STEPS, 0, 100000,
                    "most steps, one factor each; where they are fewer, no other way follows"),
    CAIRN_FIELD_INT(CairnNewtonConeOptions, path, 120, 0, 100000,
                    "then most steps along each of three paths by their length"),
    CAIRN_FIELD_DOUBLE(CairnNewtonConeOptions, tolerance, 1e-10, 1e-15, 1, 0, "",
                       "share of max|b| where it stops; 1e-8 is certified"),
};

static const CairnFieldTable newton_options = CAIRN_FIELD_TABLE("newton-cone", CairnNewtonConeOptions, newton_fields);

CairnStatus cairn_newton_cone_init(CairnNewtonCone *newton, const CairnProblem *problem, double tolerance,
                                   CairnSolverContext *context, const double *lambda, bool *takes) {
    CAIRN_TRY(cairn_cones_init(&newton->cones, problem, CAIRN_FORMULATION_BODY, true, context, lambda));
    CairnExact *exact = &newton->cones.exact;
    exact->name = "newton-cone";
    exact->target = fmin(tolerance * exact->scale, exact->limit);
    return cairn_smooth_make(&newton->cones, &newton->smooth, takes);
}

static CairnStatus solve_newton_cone(const CairnProblem *problem, const CairnParts *parts, const void *options,
                                     CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    (void)parts;
    CairnNewtonConeOptions chosen;
    CairnNewtonCone newton;
    bool takes;
    double measure;
    CAIRN_TRY(cairn_solver_options(&newton_options, options, &chosen));
    CAIRN_TRY(cairn_newton_cone_init(&newton, problem, chosen.tolerance, context, lambda, &takes));
    if (!takes) {
        return cairn_error(CAIRN_UNSUPPORTED, "newton-cone: the problem has no body space");
    }
    const CairnExact *exact = &newton.cones.exact;
    CAIRN_TRY(cairn_smooth_run(newton.smooth, chosen.iterations, &measure));
    bool is_budget = chosen.iterations > 0 && chosen.iterations < STEPS;
    if (measure > exact->limit && chosen.path > 0 && !is_budget && problem->form == CAIRN_FORM_DYNAMICS &&
        !exact->is_superseded) {
        CAIRN_TRY(cairn_smooth_follow(newton.smooth, chosen.path, &measure));
    }
    CairnOutcome outcome = measure <= exact->limit                  ? CAIRN_OUTCOME_CONVERGED
                           : exact->iterations >= chosen.iterations ? CAIRN_OUTCOME_AT_LIMIT
                                                                    : CAIRN_OUTCOME_STALLED;
    CAIRN_TRY(cairn_exact_report(exact, outcome, measure, lambda, report));
    report->leaves_rest = chosen.iterations >= STEPS;
    return cairn_ok();
}

const CairnSolver cairn_solver_newton_cone = {
    .name = "newton-cone",
    .summary = "Newton's method on Coulomb's law with rounded corners, exact, one unsymmetric factor an iteration",
    .traits = CAIRN_TAKES_BOUNDS | CAIRN_TAKES_BOX_CURRENT | CAIRN_TAKES_CONE | CAIRN_TAKES_COULOMB |
              CAIRN_TAKES_EXPLICIT | CAIRN_TAKES_UNSYMMETRIC,
    .options = &newton_options,
    .solve = solve_newton_cone,
    .forget = cairn_system_forget,
};
