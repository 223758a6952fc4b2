#include "solvers/sweeps/psor.h"

#include <math.h>
#include <string.h>

#include "engine/base/timer.h"
#include "solvers/problem/accept.h"
#include "solvers/problem/law.h"
#include "solvers/sweeps/sor.h"

enum { AFRESH = 1024 }; // sweeps after which u is made from lambda again: rounding gathers in it

#define FIELDS(omega_)                                                                                                 \
    CAIRN_FIELD_INT(CairnPsorOptions, iterations, 120, 1, 100000000, "most sweeps (S1: 50 and 120)"),                  \
        CAIRN_FIELD_DOUBLE(CairnPsorOptions, omega, (omega_), 0, 2, CAIRN_FIELD_OPEN_MIN | CAIRN_FIELD_OPEN_MAX, "",   \
                           "relaxation of a step"),                                                                    \
        CAIRN_FIELD_DOUBLE(CairnPsorOptions, lambda, 1, 0, 1, CAIRN_FIELD_OPEN_MIN, "",                                \
                           "share of the new impulses; the rest stays as it was"),                                     \
        CAIRN_FIELD_DOUBLE(CairnPsorOptions, tolerance, 1e-9, 0, 1, 0, "m/s",                                          \
                           "stop when no velocity of a sweep was farther from its law"),                               \
        CAIRN_FIELD_DOUBLE(CairnPsorOptions, budget_ms, 0, 0, 1e9, 0, "ms",                                            \
                           "stop after this time; 0: never. The answer then depends on the machine"),                  \
        CAIRN_FIELD_BOOL(CairnPsorOptions, momentum, 0,                                                                \
                         "Nesterov's between sweeps: far less is left of heaps and joints"),                           \
        CAIRN_FIELD_BOOL(CairnPsorOptions, faithful, 0, "S1's steps as they are: not held below 1.9/|g|")

static const CairnField sor_fields[] = {FIELDS(1)};
static const CairnField pj_fields[] = {FIELDS(0.3)};
static const CairnFieldTable psor_options = CAIRN_FIELD_TABLE("psor", CairnPsorOptions, sor_fields);
static const CairnFieldTable pssor_options = CAIRN_FIELD_TABLE("pssor", CairnPsorOptions, sor_fields);
static const CairnFieldTable pj_options = CAIRN_FIELD_TABLE("pj", CairnPsorOptions, pj_fields);

// Project the start onto the friction law. Impulses outside of it would be mixed into the first answer where
// lambda < 1, and would push bodies apart where there is one sweep only. The cone comes first, then the rows that the
// normal impulse bounds.
static void allow_rows(const CairnProblem *problem, int first, int count, const CairnFriction *friction, double *x) {
    bool is_cone = friction && (friction->kind == CAIRN_FRICTION_CONE || friction->kind == CAIRN_FRICTION_COULOMB);
    if (is_cone) {
        cairn_law_project(friction->mu, x + friction->normal);
    }
    for (int i = first; i < first + count; i++) {
        int k = friction && friction->kind != CAIRN_FRICTION_BOX ? i - friction->normal : -1;
        double lower = problem->lower[i], upper = problem->upper[i];
        if (is_cone && k >= 0 && k < 3) {
            continue;
        }
        if (k > 0 && k < 3 + friction->spin_rows) {
            upper = cairn_law_row_lever(friction, i) * cairn_max(0, x[friction->normal]);
            lower = -upper;
        }
        x[i] = cairn_clamp(x[i], lower, upper);
    }
}

static void allow_items(const SorSystem *system) {
    const CairnProblem *problem = system->problem;
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *constraint = &problem->constraints[c];
        if (problem->form == CAIRN_FORM_EXPLICIT || system->shape[c] == SOR_ITEM || system->shape[c] == SOR_JOINT) {
            allow_rows(problem, constraint->first_row, constraint->row_count,
                       constraint->friction >= 0 ? &problem->frictions[constraint->friction] : NULL, system->lambda);
        }
    }
    if (problem->constraint_count == 0) { // an explicit problem need not group its rows into constraints
        allow_rows(problem, 0, problem->row_count, NULL, system->lambda);
    }
}

static void allow_lanes(const SorSystem *system) {
    const CairnProblem *problem = system->problem;
    for (int c = 0; c < problem->constraint_count && problem->form == CAIRN_FORM_DYNAMICS; c++) {
        if (system->shape[c] == SOR_ROUND || system->shape[c] == SOR_GENERAL) {
            double *lane = cairn_sor_impulses(system, c), x[3] = {lane[0], lane[SOR_LANES], lane[2 * SOR_LANES]};
            cairn_law_project(problem->frictions[problem->constraints[c].friction].mu, x);
            for (int k = 0; k < 3; k++) {
                lane[k * SOR_LANES] = x[k];
            }
        }
    }
}

// The caller's impulses are not written before the answer is found: contacts in lanes have their copy, and all other
// rows get one here.
static CairnStatus start(SorSystem *system, CairnArena *arena) {
    const double *given = system->lambda;
    int rows = system->problem->row_count;
    if (system->item_count + system->joint_count > 0) {
        system->lambda = CAIRN_PUSH(arena, double, rows + 1);
        if (!system->lambda) {
            return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for %d rows", system->settings.name, rows);
        }
        memcpy(system->lambda, given, (size_t)rows * sizeof *given);
        system->lambda_read = system->lambda_read == given ? system->lambda : system->lambda_read;
        allow_items(system);
    }
    cairn_sor_load(system);
    allow_lanes(system);
    return cairn_ok();
}

static CairnStatus finish(SorSystem *system, int sweeps, double *lambda) {
    int rows = system->problem->row_count, bad = cairn_sor_find_bad(system);
    if (bad >= 0) {
        return cairn_error(CAIRN_NUMERIC, "%s: lambda[%d] is not finite after %d sweeps", system->settings.name, bad,
                           sweeps);
    }
    cairn_sor_unpack(system);
    if (system->lambda != lambda) {
        memcpy(lambda, system->lambda, (size_t)rows * sizeof *lambda);
    }
    return cairn_ok();
}

static void iterate(SorSystem *system, const CairnPsorOptions *options, const CairnSolverContext *context,
                    CairnSolveReport *report) {
    double start = cairn_timer_now();
    report->outcome = CAIRN_OUTCOME_AT_LIMIT;
    while (report->iterations < options->iterations) {
        if (report->iterations % AFRESH == 0) {
            cairn_sor_gather(system);
        }
        double moved = cairn_sor_sweep(system, !system->settings.is_symmetric || report->iterations % 2 == 0);
        report->iterations++;
        report->claimed = fmax(moved, system->floor);
        if (context->trace) {
            context->trace(context->trace_user, (CairnTraceEntry){report->iterations, report->claimed});
        }
        if (report->claimed <= options->tolerance) {
            report->outcome = CAIRN_OUTCOME_CONVERGED;
            return;
        }
        if (moved == 0) {
            report->outcome = CAIRN_OUTCOME_STALLED;
            return;
        }
        if (options->budget_ms > 0 && (cairn_timer_now() - start) * 1e3 >= options->budget_ms) {
            return;
        }
    }
}

static CairnStatus solve(const SorSettings *kind, const CairnFieldTable *table, const CairnProblem *problem,
                         const void *options, CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    CairnPsorOptions chosen;
    CAIRN_TRY(cairn_solver_options(table, options, &chosen));
    CAIRN_TRY(cairn_solver_check(problem, context));
    CAIRN_TRY(cairn_ops_check_start(kind->name, problem, lambda));
    SorSettings settings = *kind;
    settings.omega = chosen.omega;
    settings.lambda = chosen.lambda;
    settings.is_guarded = !chosen.faithful || chosen.momentum;
    settings.limit = 1.9;
    if (chosen.momentum) { // extrapolated impulses must not overshoot, and are projected after each sweep
        settings.limit = 1;
        settings.omega = fmin(chosen.omega, 1);
        settings.lambda = 1;
    }
    settings.threads = context->thread_count;
    SorSystem system;
    CAIRN_TRY(cairn_sor_pack(&system, problem, &settings, lambda, context->arena));
    if (chosen.momentum) {
        CAIRN_TRY(cairn_sor_momentum_init(&system, context->arena));
    }
    CairnSolveReport work = {0};
    CAIRN_TRY(start(&system, context->arena));
    iterate(&system, &chosen, context, &work);
    if (chosen.momentum && work.outcome != CAIRN_OUTCOME_CONVERGED) {
        cairn_sor_momentum_finish(&system);
    }
    CAIRN_TRY(finish(&system, work.iterations, lambda));
    *report = work;
    return cairn_ok();
}

static CairnStatus solve_psor(const CairnProblem *problem, const CairnParts *parts, const void *options,
                              CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    (void)parts;
    const SorSettings kind = {.name = "psor"};
    return solve(&kind, &psor_options, problem, options, context, lambda, report);
}

static CairnStatus solve_pssor(const CairnProblem *problem, const CairnParts *parts, const void *options,
                               CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    (void)parts;
    const SorSettings kind = {.name = "pssor", .is_symmetric = true};
    return solve(&kind, &pssor_options, problem, options, context, lambda, report);
}

static CairnStatus solve_pj(const CairnProblem *problem, const CairnParts *parts, const void *options,
                            CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    (void)parts;
    const SorSettings kind = {.name = "pj", .is_jacobi = true};
    return solve(&kind, &pj_options, problem, options, context, lambda, report);
}

enum {
    TRAITS =
        CAIRN_TAKES_BOUNDS | CAIRN_TAKES_BOX_CURRENT | CAIRN_TAKES_CONE | CAIRN_TAKES_COULOMB | CAIRN_TAKES_EXPLICIT
};

const CairnSolver cairn_solver_psor = {
    .name = "psor",
    .summary = "projected successive overrelaxation for friction cones, matrix-free, warm start",
    .traits = TRAITS,
    .options = &psor_options,
    .solve = solve_psor,
};

const CairnSolver cairn_solver_pssor = {
    .name = "pssor",
    .summary = "psor that sweeps forwards and backwards in turn",
    .traits = TRAITS,
    .options = &pssor_options,
    .solve = solve_pssor,
};

const CairnSolver cairn_solver_pj = {
    .name = "pj",
    .summary = "projected Jacobi for friction cones: all rows answer to the last sweep's velocities",
    .traits = TRAITS,
    .options = &pj_options,
    .solve = solve_pj,
};
