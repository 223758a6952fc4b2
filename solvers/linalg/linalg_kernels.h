// Dense kernels of the block factor. Matrices are stored by columns, their rows come in eights (padded with zeros,
// aligned to 64 bytes), so that no loop over rows has a remainder.
#ifndef CAIRN_SOLVERS_LINALG_KERNELS_H
#define CAIRN_SOLVERS_LINALG_KERNELS_H

#include <stddef.h>

enum { CAIRN_LINALG_WIDTH = 6 }; // columns that a kernel holds in registers at once: a body's

// C -= A B for `rows` (a multiple of 8) rows and `columns` <= 6 columns; A is rows x depth, B is packed: B[k * 6 + j].
void cairn_linalg_update(int rows, int columns, int depth, const double *A, int A_stride, const double *B, double *C,
                         int C_stride);

// C = -A B: cairn_linalg_update with C = 0 before.
void cairn_linalg_multiply(int rows, int columns, int depth, const double *A, int A_stride, const double *B, double *C,
                           int C_stride);

// A packed row block for the above: B[k * 6 + j] = A[first + j, k] * scale[k].
void cairn_linalg_pack(int columns, int depth, const double *restrict A, int A_stride, const double *restrict scale,
                       double *restrict B);

// X = X L^-T D^-1 for `rows` rows of `columns` <= 6 columns: L unit lower triangular, l[i * 6 + j] for i > j,
// inverse[j] = 1/D_j.
void cairn_linalg_divide(int rows, int columns, const double *l, const double *inverse, double *X, int stride);

#endif
