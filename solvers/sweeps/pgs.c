#include "solvers/sweeps/pgs.h"

#include <math.h>
#include <string.h>

#include "solvers/problem/accept.h"
#include "solvers/problem/pgs_rows.h"

static const CairnField pgs_fields[] = {
    CAIRN_FIELD_INT(CairnPgsOptions, iterations, 1000, 1, 100000000, "most sweeps over all rows"),
    CAIRN_FIELD_DOUBLE(CairnPgsOptions, tolerance, 1e-9, 0, 1, 0, "m/s",
                       "stop when no row of a sweep moves its velocity by more"),
    CAIRN_FIELD_DOUBLE(CairnPgsOptions, omega, 1, 0, 2, CAIRN_FIELD_OPEN_MIN | CAIRN_FIELD_OPEN_MAX, "",
                       "relaxation: above 1 overshoots, below 1 damps"),
};

static const CairnFieldTable pgs_options = CAIRN_FIELD_TABLE("pgs", CairnPgsOptions, pgs_fields);

static void iterate(PgsSystem *system, const CairnPgsOptions *options, const CairnSolverContext *context,
                    double *lambda, CairnSolveReport *report) {
    report->outcome = CAIRN_OUTCOME_AT_LIMIT;
    while (report->iterations < options->iterations) {
        // Rounding gathers in u over many sweeps: now and then it is made afresh.
        if (report->iterations % 64 == 0) {
            cairn_pgs_gather(system, lambda);
        }
        PgsSweep sweep = cairn_pgs_sweep(system, lambda);
        report->iterations++;
        report->claimed = fmax(sweep.largest / options->omega, system->floor);
        if (context->trace) {
            context->trace(context->trace_user, (CairnTraceEntry){report->iterations, report->claimed});
        }
        if (report->claimed <= options->tolerance) {
            report->outcome = CAIRN_OUTCOME_CONVERGED;
            return;
        }
        if (!sweep.has_moved) {
            report->outcome = CAIRN_OUTCOME_STALLED;
            return;
        }
    }
}

static CairnStatus copy_start(const CairnProblem *problem, const CairnSolverContext *context, const double *lambda,
                              double *x) {
    CAIRN_TRY(cairn_solver_check(problem, context));
    CAIRN_TRY(cairn_ops_check_start("pgs", problem, lambda));
    memcpy(x, lambda, (size_t)problem->row_count * sizeof *x);
    return cairn_ok();
}

static CairnStatus solve_pgs(const CairnProblem *problem, const CairnParts *parts, const void *options,
                             CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    (void)parts;
    CairnPgsOptions chosen;
    CAIRN_TRY(cairn_solver_options(&pgs_options, options, &chosen));
    CAIRN_TRY(cairn_solver_refuse_cones("pgs", problem));
    double *x = CAIRN_PUSH(context->arena, double, problem->row_count + 1);
    if (!x) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "pgs: no memory for %d rows", problem->row_count);
    }
    CAIRN_TRY(copy_start(problem, context, lambda, x));
    PgsSystem system;
    CAIRN_TRY(cairn_pgs_pack(&system, "pgs", problem, chosen.omega, context->arena));
    // The first rows of the first sweep should not be computed from impulses outside of the bounds.
    cairn_pgs_clamp(&system, x);
    CairnSolveReport work = {0};
    iterate(&system, &chosen, context, x, &work);
    for (int i = 0; i < problem->row_count; i++) {
        if (!isfinite(x[i])) {
            return cairn_error(CAIRN_NUMERIC, "pgs: lambda[%d] = %g after %d sweeps is not finite", i, x[i],
                               work.iterations);
        }
    }
    for (int i = 0; i < problem->row_count; i++) {
        lambda[i] = x[i];
    }
    *report = work;
    return cairn_ok();
}

const CairnSolver cairn_solver_pgs = {
    .name = "pgs",
    .summary = "projected Gauss-Seidel, matrix-free, box friction, warm start",
    .traits = CAIRN_TAKES_BOUNDS | CAIRN_TAKES_BOX_CURRENT | CAIRN_TAKES_EXPLICIT | CAIRN_TAKES_UNSYMMETRIC,
    .options = &pgs_options,
    .solve = solve_pgs,
};
