// A solve that ends with NaN, with equations that are singular or at its limit is not the end: an answer exists (C > 0),
// and methods fail on different problems. Other ways follow in a fixed order, from the one that most often succeeds; the
// referee judges each, and where none arrives the best impulses that are numbers are the answer.
#include "solvers/ways.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "engine/base/log.h"
#include "solvers/exact/ipm.h"
#include "solvers/exact/ipm_cone.h"
#include "solvers/problem/accept.h"
#include "solvers/problem/problem_ops.h"
#include "solvers/referee/residual.h"
#include "solvers/sweeps/psor.h"

typedef struct Way {
    const char *name;
    const CairnSolver *solver;
    const void *options;
    int most_rows;    // beyond, it would take too long
    bool is_sweeping; // it starts from the best impulses so far; else from none
} Way;

static const CairnIpmOptions ipm[] = {
    {.formulation = CAIRN_FORMULATION_AUTO, .iterations = 100},
    {.formulation = CAIRN_FORMULATION_CONSTRAINT, .iterations = 100},
    {.formulation = CAIRN_FORMULATION_DENSE, .iterations = 100},
};
static const CairnIpmConeOptions cone[] = {
    {.formulation = CAIRN_FORMULATION_AUTO, .iterations = 120, .path = 700, .tolerance = 1e-10},
    {.formulation = CAIRN_FORMULATION_DENSE, .iterations = 120, .path = 700, .tolerance = 1e-10},
};
static const CairnPsorOptions sweeps = {.iterations = 1000, .omega = 1, .lambda = 1, .tolerance = 0, .momentum = true};

enum { MANY = 100000, MOST_CONSTRAINT = 2000, MOST_DENSE = 400 };

static const Way ways[] = {
    {"ipm from nothing", &cairn_solver_ipm, &ipm[0], MANY, false},
    {"ipm in constraint space", &cairn_solver_ipm, &ipm[1], MOST_CONSTRAINT, false},
    {"ipm, dense", &cairn_solver_ipm, &ipm[2], MOST_DENSE, false},
    {"ipm-cone from nothing", &cairn_solver_ipm_cone, &cone[0], MOST_CONSTRAINT, false},
    {"ipm-cone, dense", &cairn_solver_ipm_cone, &cone[1], MOST_DENSE, false},
    {"psor with momentum", &cairn_solver_psor, &sweeps, MANY, true},
};
enum { WAY_COUNT = sizeof ways / sizeof *ways };

// The best impulses so far.
typedef struct Best {
    const CairnProblem *problem;
    CairnArena *arena;
    double *lambda;
    double excess;    // the referee's; INFINITY: none are numbers
    const char *name; // of the way that they come from; NULL: the solver's own
} Best;

static CairnStatus judge(Best *best, const char *name, const double *lambda) {
    CairnResidual residual;
    CairnStatus status = cairn_residual_in(best->problem, lambda, best->arena, &residual);
    if (status.code == CAIRN_NUMERIC) {
        return cairn_ok(); // not numbers
    }
    CAIRN_TRY(status);
    if (residual.excess < best->excess) {
        best->excess = residual.excess;
        best->name = name;
        memcpy(best->lambda, lambda, (size_t)best->problem->row_count * sizeof *lambda);
    }
    return cairn_ok();
}

// Rows that contradict each other, such as a motor without a limit against a lock, push with 1 / C times what they
// disagree by. Where the rounding of such a push exceeds what is certified no way has an answer.
static CairnStatus is_beyond(const Best *best, const CairnSolverContext *context, bool *is_lost) {
    CairnOps ops;
    int rows = best->problem->row_count;
    double *D = CAIRN_PUSH(context->arena, double, rows + 1), largest = 0;
    CairnResidual residual;
    *is_lost = false;
    if (D == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "ways: no memory for %d rows", rows);
    }
    CAIRN_TRY(cairn_ops_init(&ops, best->problem, context->arena));
    CAIRN_TRY(cairn_residual_in(best->problem, best->lambda, best->arena, &residual));
    cairn_ops_diagonal(&ops, D);
    for (int i = 0; i < rows; i++) {
        largest = fmax(largest, fabs(D[i] * best->lambda[i]));
    }
    *is_lost = DBL_EPSILON * largest > 0.25 * residual.limit;
    return cairn_ok();
}

static CairnStatus try_way(const Way *way, const CairnSolverContext *context, Best *best, double *lambda,
                           CairnSolveReport *report) {
    int rows = best->problem->row_count, blocks = best->problem->block_count;
    CairnSolverContext alone = {.allocator = context->allocator,
                                .logger = context->logger,
                                .thread_count = context->thread_count,
                                .arena = context->arena,
                                .trace = context->trace,
                                .trace_user = context->trace_user,
                                .checked = best->problem};
    int *part = CAIRN_PUSH_ZERO(context->arena, int, blocks + 1);
    if (part == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "ways: no memory for the parts of %d blocks", blocks);
    }
    CairnParts parts = {blocks > 0, part};
    CairnSolveReport found = {0};
    for (int i = 0; i < rows; i++) {
        lambda[i] = way->is_sweeping && isfinite(best->excess) ? best->lambda[i] : 0;
    }
    CairnStatus status = way->solver->solve(best->problem, &parts, way->options, &alone, lambda, &found);
    if (status.code == CAIRN_NUMERIC) {
        return cairn_ok();
    }
    CAIRN_TRY(status);
    report->iterations += found.iterations;
    report->factorizations += found.factorizations;
    return judge(best, way->name, lambda);
}

static CairnStatus try_all(Best *best, const CairnSolverContext *context, CairnSolveReport *report) {
    double *lambda = CAIRN_PUSH(context->arena, double, best->problem->row_count + 1);
    if (lambda == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "ways: no memory for %d rows", best->problem->row_count);
    }
    for (int k = 0; k < WAY_COUNT && !(best->excess <= 1); k++) {
        bool is_taken = best->problem->row_count <= ways[k].most_rows &&
                        cairn_is_ok(cairn_solver_accepts(ways[k].solver, best->problem));
        CairnArenaMark mark = cairn_arena_mark(context->arena);
        if (is_taken) {
            CAIRN_TRY(try_way(&ways[k], context, best, lambda, report));
        }
        cairn_arena_release(context->arena, mark);
        if (isfinite(best->excess)) {
            CAIRN_TRY(is_beyond(best, context, &report->is_beyond_digits));
            cairn_arena_release(context->arena, mark);
        }
        if (report->is_beyond_digits) {
            break;
        }
    }
    return cairn_ok();
}

CairnStatus cairn_ways_finish(const CairnProblem *problem, CairnStatus failed, const CairnSolverContext *context,
                              double *lambda, CairnSolveReport *report) {
    size_t rows = (size_t)problem->row_count;
    Best best = {problem, context->arena, CAIRN_PUSH(context->arena, double, rows + 1), (double)INFINITY, NULL};
    if (best.lambda == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "ways: no memory for %zu rows", rows);
    }
    CAIRN_TRY(judge(&best, cairn_is_ok(failed) ? NULL : "the start", lambda));
    if (isfinite(best.excess) && !(best.excess <= 1) && !report->is_beyond_digits) {
        CAIRN_TRY(is_beyond(&best, context, &report->is_beyond_digits));
    }
    if (!report->is_beyond_digits) {
        CAIRN_TRY(try_all(&best, context, report));
    }
    if (!isfinite(best.excess)) {
        return cairn_is_ok(failed) ? cairn_error(CAIRN_NUMERIC, "solve: no impulses are finite") : failed;
    }
    memcpy(lambda, best.lambda, rows * sizeof *lambda);
    report->outcome = best.excess <= 1                                                     ? CAIRN_OUTCOME_CONVERGED
                      : !cairn_is_ok(failed) && report->outcome == CAIRN_OUTCOME_CONVERGED ? CAIRN_OUTCOME_STALLED
                                                                                           : report->outcome;
    report->leaves_rest = true;
    report->finisher = best.name != NULL ? best.name : report->finisher;
    report->fallback = best.name != NULL ? 1 : report->fallback;
    if (best.name != NULL) {
        cairn_log(context->logger, CAIRN_LOG_INFO, "solve: %s: finished by %s, at %.2g of the certificate",
                  cairn_is_ok(failed) ? cairn_outcome_name(report->outcome) : failed.message, best.name, best.excess);
    }
    return cairn_ok();
}
