// Linalg: a sparse symmetric matrix of small dense blocks, factored as L D L^T without pivoting, and solved with,
// and an unsymmetric one over the same pattern as L D U.
//
// The pattern is a set of nodes (of 1 or more dofs each) and of elements: an element couples all of its nodes with
// each other. Bodies are nodes and contacts elements, or the other way round. The order of elimination is a minimum
// degree over that pattern, the factor is multifrontal: each supernode sums its entries of the matrix and the update
// matrices of its children in one dense front, eliminates its pivots and passes its update matrix to its parent.
// Independent subtrees run on several threads. Each sum has one fixed order, so the bits do not depend on the number
// of threads, nor (there is no fused multiply-add) on the width of the machine's vectors.
//
// The matrix may be positive definite or quasi-definite [H B^T; B -K] with H and K positive definite: the sign of
// each pivot is given, and a pivot that has lost its sign to cancellation is reported.
#ifndef CAIRN_SOLVERS_LINALG_H
#define CAIRN_SOLVERS_LINALG_H

#include <cairn/status.h>
#include <stdbool.h>
#include <stddef.h>

#include "engine/base/arena.h"

typedef struct CairnLinalgGraph {
    int node_count, element_count;
    const int *node_size;     // dofs, >= 1
    const int *element_start; // element_count + 1 offsets into
    const int *element_node;  // the nodes of each element, all different
    // Nodes that must not be eliminated before one of their neighbours (a stiff row of a quasi-definite system, whose
    // pivot would be tiny). NULL: none.
    const bool *is_held;
    // Nodes that go after all others. Where an element couples all of them, they end the last supernode. NULL: none.
    const bool *is_last;
    // Nodes are eliminated stage by stage, from 0 on, in separate fronts: subsystems first, then the nodes between
    // them. NULL: one stage.
    const int *stage;
} CairnLinalgGraph;

// Rows of a supernode's update matrix that are consecutive both in the order of elimination and in the parent's front.
typedef struct CairnLinalgRun {
    int first_row;  // in the order of elimination
    int length;     // rows
    int parent_row; // row of the parent's front
} CairnLinalgRun;

// A front has its pivots in rows [0, pivots), room to fill up with zeros, and the rows below from `below_at`.
typedef struct CairnLinalgSupernode {
    int first_pivot;    // in the order of elimination
    int pivots, below;  // rows that it eliminates, rows that it updates
    int below_at, rows; // multiples of 8: where the rows below begin, and where they end (the panel's column stride)
    int first_node, node_count; // in node_order
    int parent;                 // -1: a root
    int child, sibling;         // first child and next one, -1: none
    int first_run, run_count;
    int first_element, element_count; // in element_order
    size_t panel;                     // doubles into `panels`: rows x pivots, by columns
    size_t update;                    // doubles into `updates`: (rows - below_at) x below, by columns
    size_t carry;                     // doubles into `carry`: below
    double operations;                // to eliminate it
} CairnLinalgSupernode;

// Supernodes that one thread works through, children before parents.
typedef struct CairnLinalgTask {
    int first, end; // supernodes [first, end)
    double operations;
} CairnLinalgTask;

// The symbolic factorization, which depends on the pattern alone. It lives in the arena that it was made in.
typedef struct CairnLinalgPlan {
    int node_count, size; // nodes, dofs
    int supernode_count, task_count;
    const CairnLinalgSupernode *supernodes; // children before parents
    const CairnLinalgRun *runs;
    const CairnLinalgTask *tasks; // independent subtrees; the supernodes in none of them follow
    const int *trunk;             // those supernodes, children before parents
    int trunk_count;
    const int *node_order;    // nodes in the order of elimination
    const int *node_pivot;    // node -> its first row in that order
    const int *node_first;    // node -> its first row in the caller's numbering (nodes one after the other)
    const int *node_row;      // node -> its row in the front of its supernode
    const int *element_order; // elements, supernode by supernode
    const int *element_row;   // for every element_node: its row in the front that takes the element
    const int *element_start; // as the graph's
    // Units: subtrees of the first stage. Their update matrices are stored, so that a unit whose elements did not
    // change need not be factored again. Supernode -> its unit, -1: none; NULL: there are no stages.
    const int *unit_of;
    int unit_count;
    size_t panel_size, update_size, carry_size; // doubles
    int largest_below, largest_pivots, largest_rows;
    double operations; // multiplications and additions of one factorization
    double entries;    // of L
} CairnLinalgPlan;

// Order of elimination by approximate minimum degree on the quotient graph: order[k] is the k-th node that is
// eliminated.
CairnStatus cairn_linalg_order(const CairnLinalgGraph *graph, CairnArena *scratch, int *order);

// Make the plan in `arena`. order NULL: by cairn_linalg_order.
CairnStatus cairn_linalg_plan(const CairnLinalgGraph *graph, const int *order, CairnArena *arena, CairnArena *scratch,
                              CairnLinalgPlan *plan);

// A front during assembly. Entries are added below the diagonal; those above it, inside of a node's diagonal block,
// are never read.
typedef struct CairnLinalgFront {
    double *panel, *update;
    int rows, update_rows, below_at;
} CairnLinalgFront;

// A pointer to the diagonal entry of a front's row r; its entry [i] is row r + i of the same column.
static inline double *cairn_linalg_diagonal(const CairnLinalgFront *front, int row) {
    int below = row - front->below_at;
    return below < 0 ? front->panel + (size_t)row * (size_t)(front->rows + 1)
                     : front->update + (size_t)below * (size_t)(front->update_rows + 1);
}

// The source of the matrix: adds the diagonal block of a node, and the blocks of an element whose nodes lie at the
// given rows. For an unsymmetric factor `front` points to two fronts: the first one takes the matrix, the second one
// its transpose.
typedef struct CairnLinalgSource {
    void *user;
    void (*node)(void *user, int node, const CairnLinalgFront *front, int row);
    void (*element)(void *user, int element, const CairnLinalgFront *front, const int *rows);
    // A row's sign (1 or -1) times the size of its diagonal before elimination, in the caller's numbering: a pivot
    // below DBL_EPSILON of it (or of the other sign) is noise; an unsymmetric matrix has pivots of either sign, and no
    // sign here. Read after `node` has been called for the row's node.
    const double *scale;
    // Elements that differ from those of the last factor; NULL: all may. Units without such an element are not
    // factored. (The blocks that nodes add must not change.)
    const bool *has_changed;
} CairnLinalgSource;

typedef struct CairnLinalgFactor {
    const CairnLinalgPlan *plan;
    double *panels, *updates;
    // Of L D U: those of U^T. NULL: the matrix is symmetric.
    double *upper_panels, *upper_updates;
    double *pivots, *inverse; // D and 1/D in the order of elimination
    double *scale;            // the source's, in that order
    double *x;                // scratch of a solve, in the same order
    double *carry;            // with stages: the values that each front passes to its parent in a solve
    bool *is_fresh;           // with stages: units whose factor stands
    double *unit_seconds;     // with stages: the time of their factors since the init, thread by thread
    bool is_valid;            // the last factor did not break down
    double *work;             // scratch of threads
    size_t work_size;         // doubles of one thread's
    int unit_count;           // factored so far, of those that `plan` has
    int thread_count;
    int *first_task; // thread -> its first task: the same in every factor and solve, so that fronts stay in its cache
} CairnLinalgFactor;

CairnStatus cairn_linalg_factor_init(CairnLinalgFactor *factor, const CairnLinalgPlan *plan, int thread_count,
                                     CairnArena *arena);

// L D U of an unsymmetric matrix over the same pattern, in the same order and without pivoting. Half of it lies in the
// memory of the lender, a symmetric factor: either one stands until the other one factors.
CairnStatus cairn_linalg_factor_init_unsymmetric(CairnLinalgFactor *factor, const CairnLinalgFactor *lender,
                                                 CairnArena *arena);

// Copy the numbers of a symmetric factor to another one of the same plan.
void cairn_linalg_factor_copy(const CairnLinalgFactor *from, CairnLinalgFactor *to);

// Factor. Returns -1, or the row (in the caller's numbering) of a pivot that broke down.
int cairn_linalg_factor(CairnLinalgFactor *factor, const CairnLinalgSource *source);

// x = (L D L^T)^-1 x or (L D U)^-1 x, x in the caller's numbering.
void cairn_linalg_solve(CairnLinalgFactor *factor, double *x);
// cairn_linalg_solve for an x in which node i begins at first[i].
void cairn_linalg_solve_at(CairnLinalgFactor *factor, const int *first, double *x);
// With stages, where x is zero at the nodes of the first one: solves for the nodes of the later stages, and does not
// write those of the first.
void cairn_linalg_solve_late(CairnLinalgFactor *factor, const int *first, double *x);

#endif
