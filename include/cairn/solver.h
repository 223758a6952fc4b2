// Solver: it takes a problem and computes impulses.
//
// A solver is a constant of type CairnSolver. The built-in ones are listed in solvers/solvers.c; a program uses its own
// by giving the world a pointer to it (cairn_world_set_solver). All functions of this header may be called from any
// thread. What they return pointers to is constant and lives as long as the program.
#ifndef CAIRN_SOLVER_H
#define CAIRN_SOLVER_H

#include <cairn/fields.h>
#include <cairn/hooks.h>
#include <cairn/partitioner.h>
#include <cairn/problem.h>
#include <cairn/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// What a solver takes, as flags. A step whose problem needs anything else returns CAIRN_UNSUPPORTED, and the solver is
// not called.
enum {
    CAIRN_TAKES_BOUNDS = 1,            // l <= lambda <= u; a solver without this flag takes bilateral rows only
    CAIRN_TAKES_BOX_CURRENT = 2,       // CAIRN_FRICTION_BOX_CURRENT
    CAIRN_TAKES_CONE = 4,              // CAIRN_FRICTION_CONE
    CAIRN_TAKES_COULOMB = 8,           // CAIRN_FRICTION_COULOMB
    CAIRN_TAKES_EXPLICIT = 16,         // form 2 with a symmetric W
    CAIRN_TAKES_UNSYMMETRIC = 32,      // form 2 with any W
    CAIRN_TAKES_COUPLED_DYNAMICS = 64, // P with off-diagonal blocks
    CAIRN_NEEDS_PARTITION = 128        // `solve` is called with the parts of a partitioner
};

typedef enum CairnOutcome {
    CAIRN_OUTCOME_CONVERGED = 0, // the solver's own test was met; whether the answer is right is in CairnResidual
    CAIRN_OUTCOME_AT_LIMIT,      // the limit of iterations was reached
    CAIRN_OUTCOME_STALLED,       // the iterations made no more progress
    CAIRN_OUTCOME_SINGULAR,      // a factorisation failed
    CAIRN_OUTCOME_DIVERGED,      // the iterations diverged: `solve` returns CAIRN_NUMERIC, and the step does not happen
    CAIRN_OUTCOME_COUNT
} CairnOutcome;

// Wall-clock time of the phases of a solve, s; 0 where the solver does not measure them. The rest of the solve is work
// over rows.
typedef struct CairnSolvePhases {
    double prepare;    // reading the problem: parts, order of elimination, packed J
    double factor;     // factorisation of the whole system
    double apply;      // solves with these factors, and products with A
    double reduce;     // S and z of the coupling iterations
    double interface;  // the problem of the interface
    double subsystems; // the problems of the subsystems
} CairnSolvePhases;

// What a solver reports of its own work. Whether its answer is right is computed independently (CairnResidual).
typedef struct CairnSolveReport {
    CairnOutcome outcome;
    int iterations; // sweeps, pivots or Newton steps
    int factorizations;
    int coupling;   // coupling iterations of a substructured solve
    int changed;    // subsystems whose index sets changed, summed over the coupling iterations
    int refactored; // subsystems that were factored again
    int fallback;   // 1: the method did not converge, and another one computed the answer
    // Who that was, such as "ipm" or "psor with momentum"; NULL: the solver itself. The text is a constant.
    const char *finisher;
    // Set by a solver that ended without an answer and whose answers others may complete: cairn_problem_solve then tries
    // other ways (from no impulses, with other formulations, by sweeps), and the best impulses are the answer.
    bool leaves_rest;
    bool is_beyond_digits; // no answer: the impulses are so large that their rounding alone exceeds the certificate
    double claimed;        // the residual of the solver's own test, m/s
    bool is_superseded;    // the review of the context ended the solve early: lambda is only an estimate
    CairnSolvePhases phases;
} CairnSolveReport;

// The state of a solver after one iteration.
typedef struct CairnTraceEntry {
    int iteration;
    double residual; // the solver's own measure of the error, m/s
} CairnTraceEntry;

// What a solver is given beside the problem. All of it belongs to the caller and lives until `solve` returns.
typedef struct CairnSolverContext {
    const CairnAllocator *allocator;
    const CairnLogger *logger;
    int thread_count;
    struct CairnArena *arena;                         // scratch memory for this call; the caller releases it
    void (*trace)(void *user, CairnTraceEntry entry); // is called after each iteration; NULL: no trace
    void *trace_user;
    // A solver that iterates for long calls this once, when the error of lambda is a few thousandths of max|b|. True:
    // the motion that lambda gives leads to another problem (with new contacts or other bounds), so the solver ends at
    // once and reports `is_superseded`. The call changes nothing: the problem stays as it is for as long as the solver
    // runs. NULL: the solver calls nothing.
    bool (*review)(void *user, const double *lambda);
    void *review_user;
    // Velocities of the dofs at the start of the step, as an estimate of those at its end: they belong to the warm
    // start. NULL: unknown.
    const double *velocity;
    const CairnProblem *checked; // a problem that has passed cairn_problem_check and is not checked again. NULL: none
    bool is_rough;               // lambda comes from a solve that a review ended: its index sets are no good start
    double *part_seconds; // the time that each part alone took is added to its entry, s; NULL: it is not measured
    // What the solver keeps from solve to solve, such as symbolic factors: *memory is NULL at first and belongs to the
    // solver, which allocates it from `allocator`. NULL: nothing is kept. The answer is the same with and without it.
    void **memory;
} CairnSolverContext;

// The start of a solve, which is given beside the problem.
typedef struct CairnSolveStart {
    const double *lambda;   // the warm start, row_count long
    const double *velocity; // CairnSolverContext's, dof_count long; NULL: unknown
    bool is_rough;          // CairnSolverContext's
} CairnSolveStart;

// Returns scratch memory of this size, filled with zeros, which is valid until `solve` returns and is not released by
// the solver. NULL: there is no memory, and the solver returns CAIRN_OUT_OF_MEMORY. It is called by the thread that
// called `solve`.
void *cairn_solver_scratch(CairnSolverContext *context, size_t bytes);

typedef struct CairnSolver {
    const char *name, *summary;
    unsigned traits;                // of CAIRN_TAKES_ and CAIRN_NEEDS_
    const CairnFieldTable *options; // NULL: none
    // lambda[row_count] holds the warm start on entry and the answer on return; on an error it is unchanged. Without
    // CAIRN_NEEDS_PARTITION all dof blocks are in one part. `options` are of the type that the table describes. It is
    // called from the thread that steps the world. The step fails with its status: CAIRN_OUT_OF_MEMORY, CAIRN_NUMERIC,
    // CAIRN_UNSUPPORTED or CAIRN_INVALID_ARGUMENT for the built-in solvers.
    CairnStatus (*solve)(const CairnProblem *problem, const CairnParts *parts, const void *options,
                         CairnSolverContext *context, double *lambda, CairnSolveReport *report);
    // Releases what the context's *memory points to. NULL: the solver keeps nothing.
    void (*forget)(void *memory, const CairnAllocator *allocator);
} CairnSolver;

// The built-in solvers: how many there are, the one at an index (NULL outside of [0, count)), and the one with a name
// (CAIRN_NOT_FOUND, CAIRN_INVALID_ARGUMENT where a pointer is NULL). A world has the first one until it is given
// another.
int cairn_solver_count(void);
const CairnSolver *cairn_solver_at(int index);
CairnStatus cairn_solver_find(const char *name, const CairnSolver **solver);

// Returns an outcome in words ("converged", "at limit"); "unknown" for any other value. The text is a constant.
const char *cairn_outcome_name(CairnOutcome outcome);

// How far a lambda is from the answer. It is computed from J, P, C or W with code that no solver uses. Velocities are
// in m/s (rad/s for angular rows).
typedef struct CairnResidual {
    double natural; // the 2-norm of lambda - clamp(lambda - w, l, u), S0 eq. 29: comparable with figure 8 there
    // max |D (lambda - clamp(lambda - w / D, l, u))|, D = diag(A), m/s, in the connected component that is worst
    // relative to its own limit
    double scaled;
    double fb;     // Fischer-Burmeister, the maximum over the rows of contacts, scaled as docs/notation.md says
    double cone;   // vel_rel of the friction cones with the correction of De Saxce; 0 without friction
    double convex; // the same without the correction: the law of CAIRN_FRICTION_CONE
    double bound;  // the largest violation of l <= lambda <= u, N s
    double complementarity; // the largest |w| of a row that is strictly inside its bounds, m/s
    double limit;           // of that component, m/s: `scaled` must not exceed it, see cairn_residual
    double excess;          // of all components, the largest ratio of residual to limit; 1 and less is certified
    int worst_row;          // the row with the value of `scaled`; -1 without rows
    uint64_t worst_id;      // the id of its constraint
    bool is_certified;      // lambda solves the problem, as cairn_residual says
} CairnResidual;

// Computes the residual of lambda[row_count]. CAIRN_FRICTION_BOX uses the bounds of the problem, BOX_CURRENT bounds
// made from the normal impulses of lambda. Every connected component (rows that bodies, or entries of W, tie to each
// other) is certified by itself: its rows by 1e-8 of its largest |b|, its groups of CAIRN_FRICTION_CONE by vel_rel <=
// 1e-8 of the convex law, those of COULOMB by that of the corrected one. To each limit the rounding of the velocities
// that b is made of is added, and that of the problem's rest_speed, so that bodies that have nothing to bring to rest
// are certified too; no limit is absolute. Scratch memory comes from
// `allocator` (NULL: the C library's). The problem must be one that passes cairn_problem_check. Returns
// CAIRN_INVALID_ARGUMENT where a pointer is NULL, CAIRN_NUMERIC where a number is not finite or P is not positive
// definite, CAIRN_UNSUPPORTED, and CAIRN_OUT_OF_MEMORY.
CairnStatus cairn_residual(const CairnProblem *problem, const double *lambda, const CairnAllocator *allocator,
                           CairnResidual *residual);

#ifdef __cplusplus
}
#endif

#endif
