#include "solvers/admm/subadmm.h"

#include <math.h>
#include <string.h>

#include "engine/base/log.h"
#include "solvers/admm/subadmm_kernels.h"
#include "solvers/admm/subadmm_lanes.h"
#include "solvers/problem/accept.h"
#include "solvers/system/system.h"

static const char *const division_names[] = {"groups", "bodies", "parts", NULL};
static const char *const weights_names[] = {"rows", "trace", NULL};
static const char *const inside_names[] = {"all", "none", NULL};

#define COMMON                                                                                                         \
    CAIRN_FIELD_CHOICE(CairnSubadmmOptions, inside, 0, inside_names,                                                   \
                       "rows without bounds within a subsystem: part of its dynamics, or rows (S2 remark 1)"),         \
        CAIRN_FIELD_CHOICE(CairnSubadmmOptions, weights, 0, weights_names, "beta: S2 eq. 23 a row, or as printed"),    \
        CAIRN_FIELD_INT(CairnSubadmmOptions, iterations, 60, 1, 100000000, "most iterations (S2: 30, 60 and 90)"),     \
        CAIRN_FIELD_DOUBLE(CairnSubadmmOptions, tolerance, 1e-12, 0, 1, 0, "N s",                                      \
                           "stop when sqrt(theta) of S2 eq. 22 is not larger"),                                        \
        CAIRN_FIELD_DOUBLE(CairnSubadmmOptions, beta, 1, 0, 1e12, CAIRN_FIELD_OPEN_MIN, "",                            \
                           "times the beta of weights"),                                                               \
        CAIRN_FIELD_DOUBLE(CairnSubadmmOptions, relaxation, 1, 0, 2, CAIRN_FIELD_OPEN_MIN | CAIRN_FIELD_OPEN_MAX, "",  \
                           "above 1: over-relaxed")

static const CairnField sub_fields[] = {
    CAIRN_FIELD_CHOICE(CairnSubadmmOptions, division, 0, division_names,
                       "subsystems: the scene's groups, every body, or the partitioner's parts"),
    COMMON,
};
static const CairnField full_fields[] = {COMMON};

static const CairnFieldTable sub_options = CAIRN_FIELD_TABLE("subadmm", CairnSubadmmOptions, sub_fields);
static const CairnFieldTable full_options = CAIRN_FIELD_TABLE("fadmm", CairnSubadmmOptions, full_fields);

// The residual of all subsystems, summed in their order. On a convex problem the change of y, weighted by 1/beta,
// never grows: where it has grown by a thousand, or is not finite, the iteration diverges.
typedef struct Watch {
    double theta, weighted, first;
    int iterations;
    CairnOutcome outcome;
    bool is_lost, is_over;
} Watch;

static void update_watch(const AdmmSystem *system, Watch *watch) {
    static const double grown = 1e6; // squared
    watch->theta = watch->weighted = 0;
    for (int i = 0; i < system->alone_count; i++) {
        watch->theta += system->subsystems[system->alone[i]].theta;
        watch->weighted += system->subsystems[system->alone[i]].weighted;
    }
    AdmmEight theta = {0}, weighted = {0};
    for (int b = 0; b < system->batch_count; b++) {
        theta += system->batches[b].theta;
        weighted += system->batches[b].weighted;
    }
    watch->theta += admm_sum_lanes(&theta);
    watch->weighted += admm_sum_lanes(&weighted);
    watch->iterations++;
    watch->first = watch->iterations == 1 ? watch->weighted : watch->first;
    watch->is_lost = !isfinite(watch->weighted) || !isfinite(watch->theta) || watch->weighted > grown * watch->first;
    double tolerance = system->options->tolerance;
    if (watch->theta <= tolerance * tolerance) {
        watch->outcome = CAIRN_OUTCOME_CONVERGED;
        watch->is_over = true;
    } else if (watch->is_lost) {
        watch->outcome = CAIRN_OUTCOME_DIVERGED;
        watch->is_over = true;
    } else if (watch->iterations >= system->options->iterations) {
        watch->is_over = true;
    }
}

static void trace(const AdmmSystem *system, const Watch *watch) {
    if (system->context->trace && !watch->is_lost) {
        system->context->trace(system->context->trace_user,
                               (CairnTraceEntry){watch->iterations, sqrt(watch->weighted)});
    }
}

enum { ITEMS = 32 }; // constraints that a thread takes at once

static void visit_from(AdmmSystem *system, int item) {
    cairn_admm_visit_items(system, item, item + ITEMS < system->item_count ? item + ITEMS : system->item_count);
}

// A team of one would wait for itself twice an iteration, by calls of the system.
static void iterate_alone(AdmmSystem *system, Watch *watch) {
    int units = cairn_admm_unit_count(system);
    while (!watch->is_over) {
        for (int i = 0; i < system->item_count; i += ITEMS) {
            visit_from(system, i);
        }
        for (int i = 0; i < units; i++) {
            cairn_admm_visit_unit(system, i);
        }
        update_watch(system, watch);
        trace(system, watch);
    }
}

static void iterate_together(AdmmSystem *system, Watch *found) {
    int units = cairn_admm_unit_count(system);
#pragma omp parallel num_threads(system->threads)
    {
        Watch watch = *found; // every thread computes the same one, which saves a barrier
        while (!watch.is_over) {
#pragma omp for schedule(static)
            for (int i = 0; i < system->item_count; i += ITEMS) {
                visit_from(system, i);
            }
#pragma omp for schedule(static)
            for (int i = 0; i < units; i++) {
                cairn_admm_visit_unit(system, i);
            }
            update_watch(system, &watch);
#pragma omp master
            trace(system, &watch);
        }
#pragma omp master
        *found = watch;
    }
}

// S2 algorithm 1, lines 6 to 15, begun at line 12: the warm start is a y, and lambda follows from y. So theta = 0
// means that y, and with it the whole state, does not change in an iteration (proposition 1).
static void iterate(AdmmSystem *system, CairnSolveReport *report) {
    Watch watch = {.outcome = CAIRN_OUTCOME_AT_LIMIT};
    if (system->threads > 1) {
        iterate_together(system, &watch);
    } else {
        iterate_alone(system, &watch);
    }
    report->iterations = watch.iterations;
    report->claimed = sqrt(watch.weighted);
    report->outcome = watch.outcome;
}

static void log_regularised(const AdmmSystem *system) {
    double most = 0;
    for (int s = 0; s < system->alone_count; s++) {
        const AdmmSubsystem *sub = &system->subsystems[system->alone[s]];
        most = fmax(most, sub->sparse ? cairn_admm_sparse_raised(sub) : sub->raised);
    }
    if (most > 0) {
        cairn_log(system->context->logger, CAIRN_LOG_WARNING,
                  "%s: rows within a subsystem depend on one another and C = 0; %g of their diagonal was added",
                  system->name, most);
    }
}

static CairnStatus run(AdmmSystem *system, const CairnParts *parts, bool is_whole, double *lambda,
                       CairnSolveReport *report) {
    const CairnProblem *problem = system->problem;
    CairnArena *arena = system->context->arena;
    CAIRN_TRY(cairn_solver_check(problem, system->context));
    CAIRN_TRY(cairn_ops_check_start(system->name, problem, lambda));
    double *answer = CAIRN_PUSH(arena, double, problem->row_count + 1);
    if (!answer) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for %d rows", system->name, problem->row_count);
    }
    memcpy(answer, lambda, (size_t)problem->row_count * sizeof *answer);
    CAIRN_TRY(cairn_admm_divide(system, parts, is_whole));
    CAIRN_TRY(cairn_admm_prepare(system, answer));
    CairnSolveReport work = {.factorizations = system->subsystem_count};
    iterate(system, &work);
    if (work.outcome != CAIRN_OUTCOME_DIVERGED) {
        CAIRN_TRY(cairn_admm_finish(system, answer));
        for (int i = 0; i < problem->row_count; i++) {
            work.outcome = isfinite(answer[i]) ? work.outcome : CAIRN_OUTCOME_DIVERGED;
        }
    }
    *report = work;
    if (work.outcome == CAIRN_OUTCOME_DIVERGED) {
        return cairn_error(CAIRN_NUMERIC, "%s: diverged: its residual is %g m/s after %d iterations", system->name,
                           work.claimed, work.iterations);
    }
    log_regularised(system);
    memcpy(lambda, answer, (size_t)problem->row_count * sizeof *lambda);
    return cairn_ok();
}

static CairnStatus solve(const char *name, const CairnFieldTable *table, bool is_whole, const CairnProblem *problem,
                         const CairnParts *parts, const void *options, CairnSolverContext *context, double *lambda,
                         CairnSolveReport *report) {
    CairnSubadmmOptions chosen;
    CAIRN_TRY(cairn_solver_options(table, options, &chosen));
    if (problem->form != CAIRN_FORM_DYNAMICS) {
        return cairn_error(CAIRN_UNSUPPORTED, "%s: the explicit form has no dynamics to divide: form %d", name,
                           (int)problem->form);
    }
    AdmmSystem system = {.name = name, .problem = problem, .options = &chosen, .context = context};
    return run(&system, parts, is_whole, lambda, report);
}

static CairnStatus solve_subadmm(const CairnProblem *problem, const CairnParts *parts, const void *options,
                                 CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    return solve("subadmm", &sub_options, false, problem, parts, options, context, lambda, report);
}

static CairnStatus solve_fadmm(const CairnProblem *problem, const CairnParts *parts, const void *options,
                               CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    (void)parts;
    return solve("fadmm", &full_options, true, problem, NULL, options, context, lambda, report);
}

enum { TRAITS = CAIRN_TAKES_BOUNDS | CAIRN_TAKES_BOX_CURRENT | CAIRN_TAKES_CONE | CAIRN_TAKES_COULOMB };

const CairnSolver cairn_solver_subadmm = {
    .name = "subadmm",
    .summary = "alternating directions over subsystems, factored once, all laws of friction",
    .traits = TRAITS | CAIRN_NEEDS_PARTITION,
    .options = &sub_options,
    .solve = solve_subadmm,
    .forget = cairn_system_forget,
};

const CairnSolver cairn_solver_fadmm = {
    .name = "fadmm",
    .summary = "the same over the whole system as one subsystem",
    .traits = TRAITS,
    .options = &full_options,
    .solve = solve_fadmm,
    .forget = cairn_system_forget,
};
