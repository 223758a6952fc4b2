#include <cairn/solve.h>
#include <math.h>

#include "engine/base/memory.h"
#include "engine/base/timer.h"
#include "solvers/partition.h"
#include "solvers/problem/accept.h"
#include "solvers/referee/residual.h"
#include "solvers/system/given.h"
#include "solvers/ways.h"

// The parts that the solver works on: the caller's, those that are made here, or none for a solver that never looks at
// them.
static CairnStatus find_parts(const CairnProblem *problem, const CairnSolver *solver, const CairnSolveRequest *request,
                              CairnArena *arena, CairnParts *parts, CairnPartsMeasure *measure) {
    int blocks = problem->block_count;
    *parts = (CairnParts){0, NULL};
    if (request->parts != NULL && request->parts->part == NULL && blocks > 0) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "solve: parts.part is NULL");
    }
    if (request->parts != NULL) {
        *parts = *request->parts;
        return cairn_ok();
    }
    int *part = CAIRN_PUSH_ZERO(arena, int, blocks + 1);
    if (part == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "no memory for the parts of %d blocks", blocks);
    }
    parts->part = part;
    if ((solver->traits & CAIRN_NEEDS_PARTITION) == 0) {
        parts->count = blocks > 0;
        return cairn_ok();
    }
    double seconds;
    for (int i = 0; i < blocks; i++) {
        part[i] = -1;
    }
    return cairn_problem_part_in(problem, &request->partition, arena, part, &parts->count, measure, &seconds);
}

// A solver of the caller's may end with impulses that are no numbers, and not say so.
static CairnStatus check_answer(const CairnSolver *solver, const CairnProblem *problem, const double *lambda) {
    for (int i = 0; i < problem->row_count; i++) {
        if (!isfinite(lambda[i])) {
            return cairn_error(CAIRN_NUMERIC, "%.60s: lambda[%d] = %g is not finite", solver->name, i, lambda[i]);
        }
    }
    return cairn_ok();
}

static CairnStatus solve(const CairnProblem *problem, const CairnSolver *solver, const CairnSolveRequest *request,
                         const CairnAllocator *allocator, CairnArena *arena, double *lambda, CairnSolveResult *result) {
    static const CairnLogger silent;
    const void *options;
    CairnParts parts;
    if (!request->is_checked) {
        CAIRN_TRY(cairn_problem_check(problem));
        CAIRN_TRY(cairn_given_check(problem, arena));
    }
    if (!request->is_checked && solver->options != NULL && request->options != NULL) {
        CAIRN_TRY(cairn_fields_check(solver->options, request->options));
    }
    CAIRN_TRY(cairn_solver_accepts(solver, problem));
    if (problem->row_count == 0) {
        return cairn_ok();
    }
    CAIRN_TRY(cairn_options_or_defaults(solver->options, request->options, arena, &options));
    CAIRN_TRY(find_parts(problem, solver, request, arena, &parts, &result->parts));
    CairnSolverContext context = {.allocator = allocator,
                                  .logger = request->logger != NULL ? request->logger : &silent,
                                  .thread_count = request->thread_count > 0 ? request->thread_count : 1,
                                  .arena = arena,
                                  .trace = request->trace,
                                  .trace_user = request->trace_user,
                                  .review = request->review,
                                  .review_user = request->review_user,
                                  .velocity = request->velocity,
                                  .checked = problem,
                                  .is_rough = request->is_rough,
                                  .part_seconds = request->part_seconds,
                                  .memory = request->memory};
    double began = cairn_timer_now();
    CairnStatus status = solver->solve(problem, &parts, options, &context, lambda, &result->report);
    if (cairn_is_ok(status) && !result->report.is_superseded) {
        status = check_answer(solver, problem, lambda);
    }
    if (cairn_ways_follow(status, &result->report)) {
        status = cairn_ways_finish(problem, status, &context, lambda, &result->report);
    }
    result->seconds = cairn_timer_now() - began;
    return status;
}

CairnStatus cairn_problem_solve(const CairnProblem *problem, const CairnSolveRequest *request, double *lambda,
                                CairnSolveResult *result) {
    if (problem == NULL || request == NULL || (lambda == NULL && problem->row_count > 0)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "solve: %s is NULL",
                           problem == NULL   ? "problem"
                           : request == NULL ? "request"
                                             : "lambda");
    }
    const CairnSolver *solver = request->solver != NULL ? request->solver : cairn_solver_at(0);
    if (solver->solve == NULL || solver->name == NULL) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "solve: the solver's name or solve function is NULL");
    }
    const CairnAllocator plain = cairn_memory_default();
    const CairnAllocator *allocator =
        request->allocator != NULL && request->allocator->allocate != NULL ? request->allocator : &plain;
    CairnSolveResult unused;
    CairnArena local_arena, *arena = request->arena != NULL ? request->arena : &local_arena;
    result = result != NULL ? result : &unused;
    *result = (CairnSolveResult){.report = {.outcome = CAIRN_OUTCOME_CONVERGED}};
    cairn_arena_init(&local_arena, allocator);
    CairnArenaMark mark = cairn_arena_mark(arena);
    CairnStatus status = solve(problem, solver, request, allocator, arena, lambda, result);
    cairn_arena_release(arena, mark);
    if (cairn_is_ok(status) && request->judge) {
        status = cairn_residual_by(problem, lambda, request->thread_count, arena, &result->residual);
    }
    cairn_arena_free(&local_arena);
    return status;
}

void *cairn_solver_scratch(CairnSolverContext *context, size_t bytes) {
    return context != NULL && context->arena != NULL ? cairn_arena_push_zero(context->arena, 1, bytes > 0 ? bytes : 1)
                                                     : NULL;
}
