// Solve: the function through which all solvers are called. It checks the problem, compares it with what the solver
// takes, divides the bodies into parts where the solver needs them, calls the solver, and computes the residual of the
// answer where that is asked for. The step of a world, cairn compare, cairn solve and the benchmarks all use it, so
// that every solver does the same work everywhere.
//
// Both functions of this header may be called from any thread while no thread changes what they are given; they keep
// nothing.
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

// How bodies are divided into parts. Zero-initialised, it stands for mindp with parts of 16 bodies and no refiner.
typedef struct CairnPartition {
    const CairnPartitioner *partitioner; // NULL: mindp
    const void *partition_options;       // NULL: its defaults
    const CairnRefiner *refiner;         // NULL: none
    const void *refine_options;          // NULL: its defaults
} CairnPartition;

// The settings of a solve. Zero-initialised, they stand for the first built-in solver with its defaults, on one thread,
// without a log. All pointers belong to the caller.
typedef struct CairnSolveRequest {
    const CairnSolver *solver; // NULL: the first built-in one
    const void *options;       // NULL: its defaults
    // Given to the solver as they are. NULL: they are made as `partition` says where the solver needs some, and all
    // blocks are in one part where it does not.
    const CairnParts *parts;
    CairnPartition partition;
    const CairnAllocator *allocator; // NULL: the C library's
    const CairnLogger *logger;       // NULL: nothing is logged
    int thread_count;                // 0 stands for one thread
    bool judge;                      // computes `residual` of the result
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
    CairnResidual residual;  // computed where `judge` was set
    CairnPartsMeasure parts; // of the parts that this call made; else zero
    double seconds;          // that the solver alone took, s
} CairnSolveResult;

// Solves a problem. lambda[row_count] holds the warm start on entry and the answer on CAIRN_OK. Where a solver fails
// numerically (CAIRN_NUMERIC, or impulses that are no numbers), or is exact and has not converged, other ways follow:
// the interior point from no impulses, with other formulations, sweeps with momentum. The first answer that the referee
// certifies is taken, or else the best; the report's `finisher` names its way. `result` may be NULL; on an error its
// report is that of the solver up to there. Returns CAIRN_INVALID_ARGUMENT for a problem or options that fail their check, CAIRN_UNSUPPORTED for a problem that the
// solver does not take, CAIRN_NUMERIC where every way or the residual fails, CAIRN_OUT_OF_MEMORY, and the codes of a
// solver, a partitioner or a refiner of the caller's.
CairnStatus cairn_problem_solve(const CairnProblem *problem, const CairnSolveRequest *request, double *lambda,
                                CairnSolveResult *result);

// Divides the dof blocks of a problem into parts: it writes part[block_count] and *count. On entry they hold the parts
// of the step before, as CairnPartitioner takes them (part[] all -1 and *count = 0: there are none). `measure` may be
// NULL. Returns CAIRN_INVALID_ARGUMENT where the problem or options fail their check, a refiner makes the interface
// larger, or the parts are not whole, CAIRN_OUT_OF_MEMORY, and the codes of partitioner and refiner.
CairnStatus cairn_problem_part(const CairnProblem *problem, const CairnPartition *partition,
                               const CairnAllocator *allocator, int *part, int *count, CairnPartsMeasure *measure);

#ifdef __cplusplus
}
#endif

#endif
