// Formulations: the same linear system (A + Theta) x = y (system.h) in three sparse matrices, each over the graph of
// bodies and constraints. With S = C + Theta:
//
//   body        K = P + J^T S^-1 J over the dofs;  x = S^-1 (y - J K^-1 J^T S^-1 y); rows held out have S^-1 = 0; contacts with a
//               block in Theta are turned so that S is diagonal there too (formulation_turn.c)
//   kkt         [P J^T; J -S];                     x: minus the second block of its answer to (0, y); rows held out: J = 0, S = 1
//   constraint  J P^-1 J^T + S as written;         rows held out: J = 0, S = 1
//
// Common to all: constraints over the same dof blocks (the contacts of two bodies) are gathered in one group, which
// is one element or one node of the graph, and its Jacobians are packed. The plan of the factor is stored as long as
// the graph does not change.
#ifndef CAIRN_SOLVERS_FORMULATION_H
#define CAIRN_SOLVERS_FORMULATION_H

#include "solvers/linalg/linalg.h"
#include "solvers/system/system.h"

extern const CairnSystemKind cairn_system_body, cairn_system_kkt, cairn_system_constraint;

// The Jacobian of a group over one block: row_count x stride, in rows, filled up with zeros to a multiple of 8.
typedef struct CairnGroupTerm {
    int block, stride;
    int slot; // the block's, below
    size_t J;
} CairnGroupTerm;

typedef struct CairnGroup {
    int first_term, term_count; // blocks ascending, each once
    int first_row, row_count;   // in `rows`
} CairnGroup;

// A row over one or two blocks of up to 8 dofs, the rule among bodies, ready for a product: where its two Jacobians lie
// in J, in eights, and where the blocks' velocities do. With one block the second is a row and a slot of zeros.
typedef struct CairnFlatRow {
    int row, slot[2], J[2];
} CairnFlatRow;

// A group as CairnFlatRow has a row: its `count` rows are consecutive in J and in `rows`. count < 0: it is no such
// group.
typedef struct CairnFlatGroup {
    int count, slot[2], J[2], first_row;
} CairnFlatGroup;

typedef struct CairnGroups {
    int group_count, term_count, row_count;
    const CairnGroup *groups;
    const CairnGroupTerm *terms;
    const int *rows;     // the problem's rows, group by group
    const int *friction; // of each of these rows: the friction group whose n it is and that takes a block, else -1
    double *J;
    size_t J_size;
    // A vector over the dofs in slots: every block begins at a multiple of 8, zeros fill up. So kernels need no
    // remainders.
    const int *slots; // block -> where it begins; the last eight belong to none
    int slotted;      // doubles of such a vector, which is aligned to 64 bytes
    // For one thread: a group may be a few rows, and finding them costs as much as their sums.
    const CairnFlatRow *flat_rows;
    const CairnFlatGroup *flat_groups; // by group
    int flat_row_count;
    const int *other_groups; // those without flat rows
    int other_count;
    // For several threads: block -> where its terms begin in block_term, and the group of each term; NULL: one
    // thread. The ranges: thread -> where its blocks and groups begin in the order. They are always the same, so that
    // the data stay in its cache.
    const int *block_start, *block_term, *term_group;
    int *block_order, *block_range, *group_order, *group_range;
    int block_count, thread_count;
} CairnGroups;

CairnStatus cairn_groups_init(CairnGroups *groups, const CairnProblem *problem, CairnArena *arena);

// Of a body system made with `is_last`: R (n x n in rows, n the dofs of those blocks) with R R^T = E, the inverse
// effective mass that they have beside the constraints of the factor; reduced_row[block] is the first row of a block
// in R. K = L D L^T eliminates them last, so the end of the factor is the factor of E^-1, and R = L^-T D^-1/2: no
// column of K^-1 is solved for.
void cairn_body_space_reduce(const CairnSystem *system, double *R, int *reduced_row);

// The body formulation's solve in its three steps, for callers that add to the momentum: q = J^T S^-1 y, v = K^-1 q
// (in place), x = S^-1 (y - J v). Not with blocks in Theta.
void cairn_body_space_momentum(const CairnSystem *system, const double *y, double *q);
void cairn_body_space_velocity(const CairnSystem *system, double *v);
void cairn_body_space_impulse(const CairnSystem *system, const double *y, const double *v, double *x);

// The factor of a body system's state, and the groups of its elements; -1: the element that couples the blocks that go
// last.
CairnLinalgFactor *cairn_body_space_factor(void *state);
const int *cairn_body_space_elements(const void *state);

// With stages, where the rows of some groups alone change from factor to factor: another state of the same plan, with
// the same factor to begin with, and factors in which nothing else changes. The groups that follow touch no block of
// stage 0.
CairnStatus cairn_body_space_twin(const void *state, const bool *follows, CairnSolverContext *context, void **twin);
CairnStatus cairn_body_space_follow(void *state, const double *theta, const int *group, int count);

// Of a system in stages: its subsystems (units of the plan), and how many of them have been factored so far. 0 where
// there are no stages.
int cairn_body_space_units(const CairnSystem *system, int *factored);

// Add the time of the factors of its subsystems so far to seconds[part[block]], by the part that each subsystem lies
// in.
void cairn_body_space_unit_seconds(const CairnSystem *system, const int *part, double *seconds);

// The memory between solves: a graph and its plan.
typedef struct CairnKeptPlan CairnKeptPlan;

// The plan of a graph: the one in *memory if it is of the same graph, else a new one, stored there when memory is not
// NULL (in the context's arena otherwise).
CairnStatus cairn_formulation_plan(const CairnLinalgGraph *graph, CairnSolverContext *context, void **memory,
                                   const CairnLinalgPlan **plan);
void cairn_formulation_forget(void *memory, const CairnAllocator *allocator);

// A vector over the rows of all groups is about to be written, which other threads may have read (claim.h).
void cairn_groups_claim(const CairnGroups *groups, const double *x);
// By the problem's rows, over the rows of all groups: slotted = J^T (weight x), and x = weight (y - J slotted); y may
// be x. weight NULL: slotted = J^T x, and x = J slotted (y is not read).
void cairn_groups_impulse(const CairnGroups *groups, const double *weight, const double *x, double *slotted);
void cairn_groups_recover(const CairnGroups *groups, const double *slotted, const double *weight, const double *y,
                          double *x);
// y = J P^-1 (p + J^T x); p: over the dofs, NULL: none. slotted becomes P^-1 of that.
void cairn_groups_effect(const CairnGroups *groups, const CairnOps *ops, const double *p, const double *x,
                         double *slotted, double *y);
// Let these products run on several threads, where J is large enough for that.
CairnStatus cairn_groups_divide(CairnGroups *groups, int block_count, int thread_count, CairnArena *arena);
// Where they do: from now on owner[block] < thread_count is the thread of each block, and of the groups whose first one
// it is.
void cairn_groups_assign(CairnGroups *groups, const int *owner);
// From the dofs into slots and back.
void cairn_groups_spread(const CairnGroups *groups, const CairnProblem *problem, const double *v, double *slotted);
void cairn_groups_gather(const CairnGroups *groups, const CairnProblem *problem, const double *slotted, double *v);

// Add sign times a group's block of Theta where n, t1, t2 are the front's rows from `row` on; theta: of these rows.
void cairn_formulation_add_theta(const double *theta, const CairnThetaBlock *block, double sign,
                                 const CairnLinalgFront *front, int row);
// Add sign times the diagonals of the blocks to scale, group by group.
void cairn_formulation_scale_theta(const CairnGroups *groups, const double *theta, const CairnThetaBlock *blocks,
                                   double sign, double *scale);

// T = C + Theta of one contact, T^-1 = G^T diag(weight) G. Where a block has an axis in the tangent plane that is
// square to the others, as all cones have it, G and weight are written down directly. Others: R^T R with R upper
// triangular over the rows in use (in the order `column`), reciprocals on its diagonal; G = R^-T and weights of 1.
typedef struct CairnTurn {
    bool is_direct;
    int count, column[3];
    double R[3][3]; // or G
    double weight[3];
} CairnTurn;

// give: C + theta of n, t1, t2. False where T is singular.
bool cairn_turn_make(const double *give, const CairnThetaBlock *block, CairnTurn *turn);
// Rows of length `stride`: y = G x. x and y differ.
void cairn_turn_forward(const CairnTurn *turn, int stride, const double *x, double *y);
void cairn_turn_backward(const CairnTurn *turn, const double *x, double *y); // y = G^T x

// weight = 1/(C + theta) of all rows; CAIRN_NUMERIC where that is not finite.
CairnStatus cairn_formulation_weigh(const CairnProblem *problem, const CairnGroups *groups, const double *theta,
                                    double *restrict weight);

enum { CAIRN_ROW_BLOCK = 6 }; // rows of a contact at most

// A matrix S beside the Jacobians that is block diagonal by rows and need not be symmetric (body_lu.h): a weight of
// each row, and instead of that a block for n, t1, t2 and the rows of spin of the friction groups that take one.
typedef struct CairnRowWeights {
    const double *weight;                                     // by the problem's rows
    const double (*block)[CAIRN_ROW_BLOCK * CAIRN_ROW_BLOCK]; // by friction groups, in rows; NULL: there are none
    const CairnFriction *frictions;                           // of the problem
    const int *rows, *friction;                               // of CairnGroups
} CairnRowWeights;

// Returns the block that begins with row k of CairnGroups.rows, and sets how many rows it has. NULL: none begins there,
// and the row is one for itself.
static inline const double *cairn_block_at(const CairnRowWeights *S, int k, int *rows) {
    int f = S->block != NULL ? S->friction[k] : -1;
    *rows = f >= 0 ? 3 + S->frictions[f].spin_rows : 1;
    return f >= 0 ? S->block[f] : NULL;
}

// The diagonal of P + J^T S^-1 J, node after node: a block begins with the diagonal of P, then every group adds its
// terms. negative: -S^-1, group by group.
typedef struct CairnDiagonal {
    const CairnProblem *problem;
    const CairnGroups *groups;
    const double *negative;
    const int *node_first; // block -> where it begins in `scale`
    double *scale;
} CairnDiagonal;

void cairn_diagonal_begin(const CairnDiagonal *diagonal, int block);
void cairn_diagonal_add(const CairnDiagonal *diagonal, int index); // a group
void cairn_diagonal_add_term(const CairnDiagonal *diagonal, const CairnGroup *group, const CairnGroupTerm *term);
// Adds the diagonal of |J|^T |S| |J| of a group instead (`negative` is not read).
void cairn_diagonal_add_weights(const CairnDiagonal *diagonal, const CairnRowWeights *S, const CairnGroup *group);

// Of `count` rows over two rigid bodies (6 dofs, packed in eights), which lie at the rows late > early of the front:
// add J^T S^-1 J.
void cairn_formulation_add_pair(const double *J_late, const double *J_early, const double *negative, int count,
                                const CairnLinalgFront *front, int late, int early);

// As cairn_formulation_add_pair for rows over one rigid body, which lies at row `row` of the front.
void cairn_formulation_add_single(const double *J, const double *negative, int count, const CairnLinalgFront *front,
                                  int row);

// The same two for an unsymmetric factor: J^T S J is added to fronts[0], its transpose to fronts[1]. `first`: the first
// of the rows in CairnGroups.rows.
void cairn_formulation_add_weighed_pair(const double *J_late, const double *J_early, const CairnRowWeights *S,
                                        int first, int count, const CairnLinalgFront *fronts, int late, int early);
void cairn_formulation_add_weighed_single(const double *J, const CairnRowWeights *S, int first, int count,
                                          const CairnLinalgFront *fronts, int row);

// Add a rigid body's P: mass and inertia alone, for the rest of it is 0.
void cairn_formulation_add_rigid(const double *P, const CairnLinalgFront *front, int row);

// Add the block P of a dof block at the diagonal.
void cairn_formulation_add_block(const CairnProblem *problem, int block, const CairnLinalgFront *front, int row);

#endif
