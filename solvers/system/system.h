// System: one interface to the linear systems of the exact solvers, so that the algebra can be exchanged.
//
//     (A + Theta) x = y   on the rows with a finite Theta;  x = 0 on the others, which are held out (tight rows).
//
// A = J P^-1 J^T + C or the explicit W; Theta is positive semidefinite: a diagonal, and for the friction cones a 3x3
// block for the rows n, t1, t2 of a group. A formulation is a method to factor this: constraint space as written,
// body space P + J^T (C + Theta)^-1 J, the quasi-definite [P J^T; J -(C + Theta)], or dense. A formulation only
// factors and applies; regularisation and refinement against the matrix-free A are done once, here, for all of them.
#ifndef CAIRN_SOLVERS_SYSTEM_H
#define CAIRN_SOLVERS_SYSTEM_H

#include <cairn/solver.h>

#include "solvers/problem/problem_ops.h"

typedef enum CairnFormulation {
    CAIRN_FORMULATION_AUTO = 0,
    CAIRN_FORMULATION_CONSTRAINT,
    CAIRN_FORMULATION_BODY,
    CAIRN_FORMULATION_KKT,
    CAIRN_FORMULATION_DENSE,
    CAIRN_FORMULATION_COUNT
} CairnFormulation;

// Their names in this order, NULL at the end: for CAIRN_FIELD_CHOICE.
extern const char *const cairn_formulation_names[];

// The block of a CONE or COULOMB group: sum of weight_k axis_k axis_k^T over its rows n, t1, t2. Weights (>= 0, finite)
// may differ by any factor, which entries of a matrix could not hold: near a cone's edge one direction is stiff,
// another one free.
typedef struct CairnThetaBlock {
    double weight[3];
    double axis[3][3];
} CairnThetaBlock;

typedef struct CairnSystem CairnSystem;

// The functions of a formulation. All of them may use context->thread_count threads, and their results must not
// depend on it.
typedef struct CairnSystemKind {
    const char *name;
    // May it take this problem (explicit form, too many rows)? NULL: any of form 1.
    bool (*takes)(const CairnProblem *problem);
    // Once per solve: order and symbolic factor, scratch from the context's arena (which lives as long as the solve).
    // `system` has everything but the kind's state. `memory` is NULL, or points to memory between solves, NULL at
    // first: what is stored there comes from the context's allocator, depends on the graph alone (the bits are the
    // same with and without it), and is freed by `forget`. NULL: the state is made already (CairnSystemSetup).
    CairnStatus (*prepare)(const CairnSystem *system, void **memory, void **state);
    // Factor for theta[row_count], >= 0, INFINITY holds the row out, and for the blocks of all friction groups (NULL:
    // none; those of box groups are not looked at). Called many times after one prepare; the set of rows held out
    // changes freely. CAIRN_NUMERIC: a pivot broke down (the caller raises theta and tries again). theta and blocks are
    // read here only.
    CairnStatus (*factor)(void *state, const double *theta, const CairnThetaBlock *blocks);
    // x[row_count]: y on entry, the answer of one application on return; x = 0 where held out, whatever stood there.
    void (*solve)(void *state, double *x);
    void (*forget)(void *memory, const CairnAllocator *allocator);
    double (*operations)(
        const void *state);       // multiplications and additions of one factorization, where they are counted
    void (*release)(void *state); // frees memory that a foreign factor has outside of the arena; NULL: there is none
    // y = (A - C) x of a kind with other dynamics than the problem's; b is the system's `base` then. NULL: J P^-1 J^T
    // x of the problem.
    void (*effect)(void *state, const double *x, double *y);
} CairnSystemKind;

// The memory between solves: one slot a formulation. A solver that stores nothing else uses this.
typedef struct CairnSystemMemory {
    void *slots[CAIRN_FORMULATION_COUNT];
} CairnSystemMemory;

// A CairnSolver's `forget` for a memory that is a CairnSystemMemory.
void cairn_system_forget(void *memory, const CairnAllocator *allocator);

struct CairnSystem {
    const CairnProblem *problem;
    CairnSolverContext *context;
    CairnOps ops;
    bool lends; // as in the setup
    const bool *is_last;
    const int *stage;
    CairnFormulation formulation; // as chosen; AUTO: a kind outside of the list
    const CairnSystemKind *kind;
    void *state;
    double *D;                     // |diag(A)|, 1 where it is zero
    const double *weight;          // how much each row counts in a residual; NULL: 1
    bool *is_dead;                 // no impulse moves the row (J = 0 and C = 0; its row of W is 0)
    double *theta;                 // as asked for
    double *factored;              // theta with the regularisation
    const CairnThetaBlock *blocks; // the caller's
    const double *base;            // b, of a kind that has an effect
    double *v, *r, *z;
    double *product, *next_product; // A x of the x that was refined last; scratch
    struct CairnGroups *groups;     // form 1: the packed Jacobians (formulation.h)
    double *slotted;                // a vector over the dofs in their slots
    double raised; // the largest regularisation that was added to a theta in this solve, as a fraction of D; 0: none
    int factorizations, refinements;
    double factor_seconds, apply_seconds;
};

// How a system is to be made; zeroes are a whole problem in the formulation that suits it.
typedef struct CairnSystemSetup {
    // AUTO takes the formulation with the fewest operations among those that take the problem; an unsymmetric W goes
    // to L U, under AUTO and DENSE. Its memory between solves is context->memory.
    CairnFormulation formulation;
    // Instead of a formulation: a kind that is not in the list, which has no memory between solves. One without
    // `prepare` comes with its state.
    const CairnSystemKind *kind;
    void *state;
    // Blocks that body space eliminates after all others, so that the end of its factor is that of the effective mass
    // which they bear (cairn_body_space_reduce). NULL: none.
    const bool *is_last;
    // Body space eliminates its blocks stage by stage (linalg.h): substructured, for a block's stage says whether it
    // lies between subsystems. Only those subsystems are factored again whose Theta changed. AUTO is then body space,
    // or kkt without stages where body space would lose P. NULL: one stage.
    const int *stage;
    // The system is neither factored nor solved by the functions of this header: it lends its products, its plan and
    // its memory to another factor (body_lu.h), and has no arrays of its own for the rest.
    bool lends;
    // The problem has some of the rows of another system over the same blocks: row i is its row `row[i]`. NULL: it
    // stands alone.
    const CairnSystem *of;
    const int *row;
} CairnSystemSetup;

// Choose and prepare. The data that the setup points to must live as long as the system.
CairnStatus cairn_system_init(CairnSystem *system, const CairnProblem *problem, const CairnSystemSetup *setup,
                              CairnSolverContext *context);

// Log a warning where the equations had to be regularised.
void cairn_system_log_regularised(const CairnSystem *system, const char *name);

// Needed after a kind that has `release`, harmless otherwise, also after an init that failed.
void cairn_system_release(CairnSystem *system);

// Factor for theta and blocks (one for each friction group, which must stand until the next factor; NULL: none).
// Where pivots break down (C = 0 and redundant rows), rising fractions of D are added, and the largest is stored in
// `raised`.
CairnStatus cairn_system_factor(CairnSystem *system, const double *theta, const CairnThetaBlock *blocks);

// Solve to max |y - (A + Theta) x| <= limit over the rows in use, refining at most `most` times while that helps. x:
// the answer; the largest entry of the residual is returned (NaN or INFINITY: x is useless).
double cairn_system_solve(CairnSystem *system, const double *y, double limit, int most, double *x);
// The two steps of a solve: x = one application of the factor to y, and the refinement of x.
void cairn_system_apply(CairnSystem *system, const double *y, double *x);
double cairn_system_refine(CairnSystem *system, const double *y, double limit, int most, double *x);

// w = A x + b.
void cairn_system_slack(CairnSystem *system, const double *x, double *w);

// Does the group take a block?
static inline bool cairn_takes_block(const CairnFriction *friction) {
    return friction->kind == CAIRN_FRICTION_CONE || friction->kind == CAIRN_FRICTION_COULOMB;
}

// An entry of a block, 0 <= i, j < 3.
double cairn_theta_entry(const CairnThetaBlock *block, int i, int j);

// The formulations, each in its file.
extern const CairnSystemKind cairn_system_dense;
extern const CairnSystemKind cairn_system_lu; // used instead of `dense` where W is not symmetric

#endif
