// Dense LU: P A = L U of a full unsymmetric matrix in rows, with row exchanges, in panels of columns.
#ifndef CAIRN_SOLVERS_DENSE_LU_H
#define CAIRN_SOLVERS_DENSE_LU_H

#include <stddef.h>

#include "engine/base/arena.h"

typedef struct CairnDenseLu {
    int n; // order of the matrix at hand, at most `room`
    int room;
    size_t stride;  // numbers from row to row
    double *a;      // the matrix; then U, and below its diagonal the multipliers
    int *exchanged; // the row that each step took its pivot from
} CairnDenseLu;

// Room for matrices of order up to `room`, from the arena. False: there is no memory.
bool cairn_dense_lu_init(CairnDenseLu *lu, int room, CairnArena *arena);

static inline double *cairn_dense_lu_row(const CairnDenseLu *lu, int i) {
    return lu->a + (size_t)i * lu->stride;
}

// Begin a matrix of this order with zeros.
void cairn_dense_lu_clear(CairnDenseLu *lu, int n);

// Factor in place. Returns -1, or the column whose pivots are all no larger than `least`.
int cairn_dense_lu_factor(CairnDenseLu *lu, double least);

// x = A^-1 x.
void cairn_dense_lu_solve(const CairnDenseLu *lu, double *x);

#endif
