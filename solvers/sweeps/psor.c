#include "solvers/sweeps/psor.h"

#include <math.h>
#include <string.h>

#include "engine/base/timer.h"
#include "solvers/problem/accept.h"
#include "solvers/problem/law.h"
#include "solvers/sweeps/sor.h"

enum {
    AFRESH = 1024, // sweeps after which u is made from lambda again: rounding gathers in it
    FIRST_KEPT = 64
};

#define FIELDS(omega_)                                                                                                 \
    CAIRN_FIELD_INT(CairnPsorOptions, iterations, 120, 1, 100000000, "most sweeps (S1: 50 and 120)"),                  \
        CAIRN_FIELD_DOUBLE(CairnPsorOptions, omega, (omega_), 0, 2, CAIRN_FIELD_OPEN_MIN | CAIRN_FIELD_OPEN_MAX, "",   \
                           "relaxation of a step"),                                                                    \
        CAIRN_FIELD_DOUBLE(CairnPsorOptions, lambda, 1, 0, 1, CAIRN_FIELD_OPEN_MIN, "",                                \
                           "share of the new impulses; the rest stays as it was"),                                     \
        CAIRN_FIELD_DOUBLE(CairnPsorOptions, tolerance, 1e-9, 0, 1, 0, "m/s",                                          \
                           "stop when no velocity of a sweep was farther from its law"),                               \
        CAIRN_FIELD_DOUBLE(CairnPsorOptions, share, 0, 0, 1, 0, "",                                                    \
                           "stop when it was no farther than this share of max|b| and is certified; 0: never"),        \
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

// The state of the sweeps of one solve.
typedef struct SorRun {
    CairnSolveReport *report;
    int next_claim; // sweeps before which a claim that was refused is not made again
    bool is_fresh;  // u was made anew before this sweep because of a refused claim
    // The best impulses that were met, and their residual, m/s: looked for after FIRST_KEPT sweeps and each time that
    // these have become four times as many. At first the caller's, of which nothing is known.
    double *best, least;
    int next_kept;
} SorRun;

static void keep_best(const SorSystem *system, SorRun *run) {
    if (run->report->iterations < run->next_kept) {
        return;
    }
    run->next_kept *= 4;
    if (run->report->claimed < run->least && cairn_sor_find_bad(system) < 0) {
        cairn_sor_read(system, run->best);
        run->least = run->report->claimed;
    }
}

// The impulses that are left, or the best that were met where sweeps have gone astray since.
static void finish(const SorSystem *system, const SorRun *run, double *lambda) {
    static const double astray = 4;
    CairnSolveReport *report = run->report;
    bool is_bad = cairn_sor_find_bad(system) >= 0;
    if (!is_bad && !(report->claimed > astray * run->least)) {
        cairn_sor_read(system, lambda);
        return;
    }
    if (isfinite(run->least)) {
        memcpy(lambda, run->best, (size_t)system->problem->row_count * sizeof *lambda);
    }
    report->claimed = run->least;
    if (is_bad) { // others may find an answer
        report->outcome = CAIRN_OUTCOME_STALLED;
        report->leaves_rest = true;
    }
}

// u from the impulses, which ends what momentum has gathered.
static void refresh(SorSystem *system) {
    if (system->momentum && system->momentum->beta > 0 && system->problem->form == CAIRN_FORM_DYNAMICS) {
        cairn_sor_momentum_finish(system);
    }
    cairn_sor_gather(system);
}

// Whether the sweeps end here. What is met by a sweep alone is not claimed: v is made anew first, and what the referee
// would not certify is no answer. Where only the tolerance is met, and met again from a v made anew, the sweeps end
// without the claim. Under `faithful` the sweep's word counts, as in the paper.
static CairnStatus ends(SorSystem *system, const CairnPsorOptions *options, double enough, CairnArena *arena,
                        SorRun *run, bool *does) {
    CairnSolveReport *report = run->report;
    bool is_met = report->claimed <= enough, was_fresh = run->is_fresh;
    *does = false;
    run->is_fresh = false;
    if (!is_met || (report->iterations < run->next_claim && !was_fresh)) {
        return cairn_ok();
    }
    bool is_certified = true;
    if (!options->faithful || options->momentum) {
        CAIRN_TRY(cairn_sor_claim(system, arena, &is_certified));
    }
    if (is_certified) {
        report->outcome = CAIRN_OUTCOME_CONVERGED;
        *does = true;
    } else if (was_fresh && report->claimed <= options->tolerance) {
        *does = true;
    } else {
        refresh(system);
        run->is_fresh = true;
        run->next_claim = report->iterations + report->iterations / 4 + 1;
    }
    return cairn_ok();
}

static CairnStatus iterate(SorSystem *system, const CairnPsorOptions *options, const CairnSolverContext *context,
                           SorRun *run) {
    double start = cairn_timer_now(), scale = 0;
    CairnSolveReport *report = run->report;
    report->outcome = CAIRN_OUTCOME_AT_LIMIT;
    if (options->share > 0) {
        CAIRN_TRY(cairn_sor_scale(system, context->arena, &scale));
    }
    double enough = fmax(options->tolerance, options->share * scale);
    while (report->iterations < options->iterations) {
        if (report->iterations % AFRESH == 0) {
            refresh(system);
        }
        double moved = cairn_sor_sweep(system, !system->settings.is_symmetric || report->iterations % 2 == 0);
        bool does_end;
        report->iterations++;
        report->claimed = fmax(moved, system->floor);
        if (context->trace) {
            context->trace(context->trace_user, (CairnTraceEntry){report->iterations, report->claimed});
        }
        CAIRN_TRY(ends(system, options, enough, context->arena, run, &does_end));
        if (does_end) {
            break;
        }
        if (moved == 0 && !run->is_fresh) {
            report->outcome = CAIRN_OUTCOME_STALLED;
            break;
        }
        keep_best(system, run);
        if (options->budget_ms > 0 && (cairn_timer_now() - start) * 1e3 >= options->budget_ms) {
            break;
        }
    }
    return cairn_ok();
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
    SorRun run = {.report = &work, .least = (double)INFINITY, .next_kept = FIRST_KEPT};
    run.best = CAIRN_PUSH(context->arena, double, problem->row_count + 1);
    if (!run.best) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for %d rows", kind->name, problem->row_count);
    }
    CAIRN_TRY(start(&system, context->arena));
    CAIRN_TRY(iterate(&system, &chosen, context, &run));
    if (chosen.momentum && work.outcome != CAIRN_OUTCOME_CONVERGED) {
        cairn_sor_momentum_finish(&system);
    }
    finish(&system, &run, lambda);
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
    TRAITS = CAIRN_TAKES_BOUNDS | CAIRN_TAKES_BOX_CURRENT | CAIRN_TAKES_CONE | CAIRN_TAKES_COULOMB |
             CAIRN_TAKES_EXPLICIT | CAIRN_TAKES_UNSYMMETRIC
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
