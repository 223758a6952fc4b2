// The linear system of a Newton step on the rounded law (smooth.h) for a problem that gives W itself, where W is
// sparse: L x + W A x = R, unsymmetric as the law and W are, by blocks of the rows of one contact (single rows
// elsewhere), in an order of few fill-ins. Each block row is divided by its own diagonal block D_c = L_c + W_c A_cc
// first. What elimination leaves of a diagonal block is then the law over the effective A of that contact, and where
// that is positive semidefinite no exchange of rows is needed; where a pivot breaks down all the same, the caller takes
// the whole matrix.
#ifndef CAIRN_SOLVERS_SMOOTH_SPARSE_H
#define CAIRN_SOLVERS_SMOOTH_SPARSE_H

#include "solvers/system/given.h"

struct CairnSmoothSystem;

enum { CAIRN_SMOOTH_BLOCK = CAIRN_GIVEN_ROWS * CAIRN_GIVEN_ROWS };

// The matrices that the factor keeps for the block of a node.
typedef struct CairnSmoothNode {
    double inverse[CAIRN_SMOOTH_BLOCK]; // of D_c
    double G[CAIRN_SMOOTH_BLOCK];       // D_c^-1 W_c
} CairnSmoothNode;

typedef struct CairnSmoothSparse {
    CairnGiven given;
    CairnSmoothNode *nodes;
    CairnLinalgFactor lender, factor;
    double *scale;
} CairnSmoothSparse;

// *is_worth: whether a factor takes less work than one of the whole matrix; where it does not, nothing else is made.
CairnStatus cairn_smooth_sparse_init(CairnSmoothSparse *sparse, const CairnProblem *problem, int threads,
                                     CairnArena *arena, bool *is_worth);

// Factor for the slopes that the system holds. CAIRN_NUMERIC: a pivot broke down.
CairnStatus cairn_smooth_sparse_factor(CairnSmoothSparse *sparse, const struct CairnSmoothSystem *system);

// x = one application of the factor to R.
void cairn_smooth_sparse_apply(CairnSmoothSparse *sparse, const double *R, double *x);

#endif
