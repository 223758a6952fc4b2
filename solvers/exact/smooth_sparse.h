// The linear system of a Newton step on the rounded law (smooth.h) for a problem that gives W itself, where W is sparse:
// L x + W A x = R, unsymmetric as the law and W are, by blocks of the rows of one contact (single rows elsewhere), in an
// order of few fill-ins. Each block row is divided by its own diagonal block D_c = L_c + W_c A_cc first. What elimination
// leaves of a diagonal block is then the law over the effective A of that contact, and where that is positive
// semidefinite no exchange of rows is needed; where a pivot breaks down all the same, the caller takes the whole matrix.
#ifndef CAIRN_SOLVERS_SMOOTH_SPARSE_H
#define CAIRN_SOLVERS_SMOOTH_SPARSE_H

#include <cairn/problem.h>

#include "solvers/linalg/linalg.h"

struct CairnSmoothSystem;

enum { CAIRN_SMOOTH_NODE = 6 }; // most rows of a node

typedef struct CairnSmoothNode {
    int first, count; // its rows
    int friction;     // its group; -1: a single row
    double A[CAIRN_SMOOTH_NODE * CAIRN_SMOOTH_NODE];
    double inverse[CAIRN_SMOOTH_NODE * CAIRN_SMOOTH_NODE]; // of D_c
    double G[CAIRN_SMOOTH_NODE * CAIRN_SMOOTH_NODE];       // D_c^-1 W_c
} CairnSmoothNode;

// The blocks of A between two nodes: rows of the first one, then rows of the second one.
typedef struct CairnSmoothPair {
    int node[2];
    double A[2][CAIRN_SMOOTH_NODE * CAIRN_SMOOTH_NODE];
} CairnSmoothPair;

typedef struct CairnSmoothSparse {
    int node_count, pair_count;
    CairnSmoothNode *nodes;
    CairnSmoothPair *pairs;
    CairnLinalgPlan plan;
    CairnLinalgFactor lender, factor;
    double *scale, *packed;
} CairnSmoothSparse;

// *is_worth: whether a factor takes less work than one of the whole matrix; where it does not, nothing else is made.
CairnStatus cairn_smooth_sparse_init(CairnSmoothSparse *sparse, const CairnProblem *problem, int threads,
                                     CairnArena *arena, bool *is_worth);

// Factor for the slopes that the system holds. CAIRN_NUMERIC: a pivot broke down.
CairnStatus cairn_smooth_sparse_factor(CairnSmoothSparse *sparse, const struct CairnSmoothSystem *system);

// x = one application of the factor to R.
void cairn_smooth_sparse_apply(CairnSmoothSparse *sparse, const double *R, double *x);

#endif
