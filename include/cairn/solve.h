// Solve: the one door to a solver. It checks the problem, holds the solver's traits against it, divides the bodies into parts where the
// solver needs them, calls the solver, and lets the referee judge the answer where that is asked for. A world's step, cairn compare,
// cairn solve and the benchmarks all go through it, so that every solver does equal work everywhere.
//
//   CairnSolveRequest request = {.solver = solver, .judge = true};
//   CairnSolveResult result;
//   CairnStatus status = cairn_problem_solve(&problem, &request, lambda, &result);
#ifndef CAIRN_SOLVE_H
#define CAIRN_SOLVE_H

#include <cairn/hooks.h>
#include <cairn/partitioner.h>
#include <cairn/problem.h>
#include <cairn/solver.h>
#include <cairn/status.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// How bodies are divided into parts. Zero-initialised: by mindp with parts of 16 bodies, and no refiner.
typedef struct CairnPartition {
    const CairnPartitioner *partitioner; // NULL: mindp
    const void *partition_options;       // NULL: its defaults
    const CairnRefiner *refiner;         // NULL: none
    const void *refine_options;          // NULL: its defaults
} CairnPartition;

// What is asked of a solve. Zero-initialised: the first built-in solver with its defaults, on one thread, without a log.
typedef struct CairnSolveRequest {
    const CairnSolver *solver; // NULL: the first built-in one
    const void *options;       // NULL: its defaults
    const CairnParts *parts;   // NULL: where the solver needs parts, they are made as `partition` says
    CairnPartition partition;
    const CairnAllocator *allocator; // NULL: the C library's
    const CairnLogger *logger;       // NULL: nothing is logged
    int thread_count;                // 0: one
    bool judge;                      // the referee judges the answer: `residual` of the result
    bool is_checked; // the problem has passed cairn_problem_check and the options their table: neither is checked again
    struct CairnArena *arena; // scratch memory; NULL: taken from the allocator and released before the answer
    // The members of CairnSolverContext with the same names; zero-initialised: not in use.
    void (*trace)(void *user, CairnTraceEntry entry);
    void *trace_user;
    bool (*review)(void *user, const double *lambda);
    void *review_user;
    const double *velocity;
    bool is_rough;
    double *part_seconds;
    void **memory; // the caller releases *memory with the solver's `forget`
} CairnSolveRequest;

typedef struct CairnSolveResult {
    CairnSolveReport report;
    CairnResidual residual;  // where `judge` was set
    CairnPartsMeasure parts; // where parts were made here, else zero
    double seconds;          // of the solver alone
} CairnSolveResult;

// lambda[row_count] holds the warm start on entry and the answer on CAIRN_OK. CAIRN_UNSUPPORTED says what the solver does not take.
// `result` may be NULL; on an error its report is as far as the solver came.
CairnStatus cairn_problem_solve(const CairnProblem *problem, const CairnSolveRequest *request, double *lambda,
                                CairnSolveResult *result);

// Divide the dof blocks of a problem into parts: fills part[block_count] and *count. On entry they hold the parts of the step before as
// CairnPartitioner has it (part[] all -1 and *count = 0: none). `measure` may be NULL. A refiner that makes the cut larger is refused.
CairnStatus cairn_problem_part(const CairnProblem *problem, const CairnPartition *partition,
                               const CairnAllocator *allocator, int *part, int *count, CairnPartsMeasure *measure);

#ifdef __cplusplus
}
#endif

#endif
