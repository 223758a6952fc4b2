// Solver: a problem goes in, impulses come out. A solver is a value of CairnSolver; the built-in ones are listed in
// solvers/solvers.c, and a user's own is a pointer given to the world (cairn_world_set_solver): no edit at all.
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

// What a solver takes. The world refuses the rest in words before it calls.
enum {
    CAIRN_TAKES_BOUNDS = 1,            // l <= lambda <= u; without it: bilateral rows only
    CAIRN_TAKES_BOX_CURRENT = 2,       // CAIRN_FRICTION_BOX_CURRENT
    CAIRN_TAKES_CONE = 4,              // CAIRN_FRICTION_CONE
    CAIRN_TAKES_COULOMB = 8,           // CAIRN_FRICTION_COULOMB
    CAIRN_TAKES_EXPLICIT = 16,         // form 2, symmetric
    CAIRN_TAKES_UNSYMMETRIC = 32,      // form 2, any W
    CAIRN_TAKES_COUPLED_DYNAMICS = 64, // P with off-diagonal blocks
    CAIRN_NEEDS_PARTITION = 128
};

typedef enum CairnOutcome {
    CAIRN_CONVERGED = 0, // the solver's own test was met (the referee says whether that is so)
    CAIRN_AT_LIMIT,      // an iteration limit ended it
    CAIRN_STALLED,       // it no longer moved
    CAIRN_SINGULAR,      // a factor broke down
    CAIRN_DIVERGED,      // it moved away: solve answers CAIRN_NUMERIC, and a world keeps its last good step
    CAIRN_OUTCOME_COUNT
} CairnOutcome;

// Seconds of a solve by what they went to, where the solver tells; what they leave of it is work over rows.
typedef struct CairnSolvePhases {
    double prepare;    // to read the problem: parts, order of elimination, packed J
    double factor;     // of the whole
    double apply;      // solves with these factors, and products with A
    double reduce;     // coupling in turn: S and z
    double interface;  // the interface's problem
    double subsystems; // the subsystems' problems
} CairnSolvePhases;

// What a solver says of its own work. The residual that counts is the referee's (CairnResidual).
typedef struct CairnSolveReport {
    CairnOutcome outcome;
    int iterations; // sweeps, pivots or Newton steps
    int factorizations;
    int coupling;       // coupling iterations of a substructured solve
    int changed;        // subsystems whose index sets changed, counted in every coupling iteration
    int refactored;     // subsystems factored once more
    int fallback;       // 1: the method named did not arrive, and another one finished for it
    double claimed;     // the residual its own test saw, m/s
    bool is_superseded; // the context's review asked for another problem: lambda is rough
    CairnSolvePhases phases;
} CairnSolveReport;

// One line of a solver's trace.
typedef struct CairnTraceEntry {
    int iteration;
    double residual; // the solver's own measure, m/s
} CairnTraceEntry;

typedef struct CairnSolverContext {
    const CairnAllocator *allocator;
    const CairnLogger *logger;
    int thread_count;
    struct CairnArena *arena;                         // scratch for this call: released by the caller
    void (*trace)(void *user, CairnTraceEntry entry); // NULL: no trace
    void *trace_user;
    // Asked once by solvers that iterate long, when lambda is right to a few thousandths of max|b|: does what it leads to (contacts
    // that nobody knew of, bounds that prove wrong) make another problem of this one? True: the rest would be wasted, end here (the
    // problem may have changed by then) and report `is_superseded`. NULL: never asked.
    bool (*review)(void *user, const double *lambda);
    void *review_user;
    // Velocities of the dofs that the problem's may be near, those at the start of a step: a part of the warm start. NULL: unknown.
    const double *velocity;
    const CairnProblem *checked; // cairn_problem_check has passed this one: no need to look at it again. NULL: none
    bool is_rough;               // lambda is what a review ended: its index sets are not worth a try
    double *part_seconds;        // to each part's what went to it alone is added, s; NULL: nobody asks
    // What the solver keeps from solve to solve (symbolic factors): *memory is NULL at first and belongs to it, made by `allocator`.
    // NULL: nothing is kept. The answer is the same with and without it.
    void **memory;
} CairnSolverContext;

// What a solve begins with beside the problem.
typedef struct CairnSolveStart {
    const double *lambda;   // the warm start, row_count long
    const double *velocity; // CairnSolverContext's, dof_count long; NULL: unknown
    bool is_rough;          // CairnSolverContext's
} CairnSolveStart;

// Scratch memory of a solver: so many bytes, all zero, for this call of `solve` alone. Nothing is to be released. NULL: there is no
// memory, which a solver answers with CAIRN_OUT_OF_MEMORY.
void *cairn_solver_scratch(CairnSolverContext *context, size_t bytes);

typedef struct CairnSolver {
    const char *name, *summary;
    unsigned traits;
    const CairnFieldTable *options; // NULL: none
    // lambda[row_count] holds the warm start on entry and the answer on CAIRN_OK; on an error it is unchanged.
    CairnStatus (*solve)(const CairnProblem *problem, const CairnParts *parts, const void *options,
                         CairnSolverContext *context, double *lambda, CairnSolveReport *report);
    void (*forget)(void *memory, const CairnAllocator *allocator); // release *memory; NULL: it keeps none
} CairnSolver;

// The built-in solvers. A world has the first until it is given another one.
int cairn_solver_count(void);
const CairnSolver *cairn_solver_at(int index);
CairnStatus cairn_solver_find(const char *name, const CairnSolver **solver);
const char *cairn_outcome_name(CairnOutcome outcome);

// The referee's verdict on a lambda, computed from J, P, C or W alone. Velocities in m/s (rad/s for angular rows).
typedef struct CairnResidual {
    double natural; // 2-norm of lambda - clamp(lambda - w, l, u): S0 eq. 29, comparable with its figure 8
    double scaled;  // max |D (lambda - clamp(lambda - w / D, l, u))|, D = diag(A): m/s
    double fb;      // Fischer-Burmeister, max over contacts' normal and friction rows, scaled as docs/notation.md says
    double cone;    // vel_rel of the friction cones with De Saxce's correction; 0 without friction
    double convex;  // the same without the correction: the law of CAIRN_FRICTION_CONE
    double bound;   // largest violation of l <= lambda <= u, N s
    double complementarity; // largest |w| of a row strictly inside its bounds
    double limit;           // what `scaled` must not exceed to be certified: 1e-8 max|b| + 1e-12
    int worst_row;          // row of `scaled`, -1 without rows
    uint64_t worst_id;      // its constraint's id
    bool is_certified;
} CairnResidual;

// Judge lambda. Box friction uses the problem's own bounds, BOX_CURRENT bounds made from lambda's normal impulses; CONE groups are
// certified by vel_rel <= 1e-8 of the convex law, COULOMB groups by that of the corrected one, all other rows by `limit`.
CairnStatus cairn_residual(const CairnProblem *problem, const double *lambda, const CairnAllocator *allocator,
                           CairnResidual *residual);

#endif
