// The linear system of a Newton step on the rounded law (smooth.h) for a problem that gives W itself: L x + W A x = R,
// unsymmetric as the law and W are. Where W is sparse it is factored so (smooth_sparse.h); else, and where that breaks
// down, in full with row exchanges. Rows that an impulse hardly answers to, those of open contacts above all, have W of
// next to nothing; of the full matrix they are solved by L alone, and what that leaves is refined away.
#ifndef CAIRN_SOLVERS_SMOOTH_DENSE_H
#define CAIRN_SOLVERS_SMOOTH_DENSE_H

#include <cairn/problem.h>

#include "solvers/exact/smooth_sparse.h"
#include "solvers/linalg/dense_lu.h"

struct CairnSmoothSystem;

typedef struct CairnSmoothDense {
    CairnSmoothSparse sparse;
    bool is_sparse, is_factored_sparse; // W is; the factor at hand is
    CairnArena *arena;
    CairnDenseLu lu;
    int *place;      // row -> its number among those in the factor; -1: solved by L alone
    int *row;        // the rows in the factor
    double *largest; // of each row, sum of |A|
    double *packed;
} CairnSmoothDense;

// The largest matrix that is factored in full.
enum { CAIRN_SMOOTH_DENSE_ROWS = 3000 };

// CAIRN_UNSUPPORTED: W is not sparse, and larger than CAIRN_SMOOTH_DENSE_ROWS.
CairnStatus cairn_smooth_dense_init(CairnSmoothDense *dense, const CairnProblem *problem, int threads,
                                    CairnArena *arena);

// Factor for the slopes that the system holds. CAIRN_NUMERIC: it is singular.
CairnStatus cairn_smooth_dense_factor(CairnSmoothDense *dense, const struct CairnSmoothSystem *system);

// x = one application of the factor to R.
void cairn_smooth_dense_apply(CairnSmoothDense *dense, const struct CairnSmoothSystem *system, const double *R,
                              double *x);

// y = A x.
void cairn_smooth_dense_multiply(const CairnProblem *problem, const double *x, double *y);

#endif
