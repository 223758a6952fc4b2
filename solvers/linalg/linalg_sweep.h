// Kernels of a solve with one right side, inlined: a chain or a heap of small fronts is made of little else, and a call
// costs as much as the work of one. Rows come in eights as in linalg_kernels.h; the vectors of a front have six rows a
// body.
#ifndef CAIRN_SOLVERS_LINALG_SWEEP_H
#define CAIRN_SOLVERS_LINALG_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/eights.h"
#include "solvers/linalg/linalg_kernels.h"

// y = x, and y += x: by bodies, without a call.
ALWAYS_INLINE void copy_rows(int rows, const double *x, double *y) {
    int i = 0;
    for (; i + 6 <= rows; i += 6) {
        *(Four *)(y + i) = *(const Four *)(x + i);
        *(Two *)(y + i + 4) = *(const Two *)(x + i + 4);
    }
    for (; i < rows; i++) {
        y[i] = x[i];
    }
}

ALWAYS_INLINE void add_rows(int rows, const double *x, double *y) {
    int i = 0;
    for (; i + 6 <= rows; i += 6) {
        *(Four *)(y + i) += *(const Four *)(x + i);
        *(Two *)(y + i + 4) += *(const Two *)(x + i + 4);
    }
    for (; i < rows; i++) {
        y[i] += x[i];
    }
}

// y -= A x for rows [from, to). is_new: y is 0 still, whatever stands there.
ALWAYS_INLINE void take_columns(int columns, int from, int to, const double *A, size_t stride, const double *x,
                                bool is_new, double *y) {
    for (int i = from; i < to; i += 8) {
        Eight sum = is_new ? (Eight){0} : *(Eight *)(y + i);
        UNROLL for (int k = 0; k < columns; k++) {
            sum -= *(const Eight *)(A + i + (size_t)k * stride) * x[k];
        }
        *(Eight *)(y + i) = sum;
    }
}

ALWAYS_INLINE void take(int columns, int from, int to, const double *A, size_t stride, const double *x, bool is_new,
                        double *y) {
    if (columns == CAIRN_LINALG_WIDTH) {
        take_columns(CAIRN_LINALG_WIDTH, from, to, A, stride, x, is_new, y);
        return;
    }
    for (int k = 0; k < columns; k++) {
        take_columns(1, from, to, A + (size_t)k * stride, stride, x + k, is_new && k == 0, y);
    }
}

// target[j] -= sum over rows [from, to) of A[i, j] y[i], six columns or one; y and A from the first pivot's row on.
ALWAYS_INLINE void gather_columns(int columns, int from, int to, const double *A, size_t stride, const double *y,
                                  double *target) {
    Eight sum[CAIRN_LINALG_WIDTH];
    UNROLL for (int k = 0; k < columns; k++) {
        sum[k] = (Eight){0};
    }
    for (int i = from; i < to; i += 8) {
        Eight eight = *(const Eight *)(y + i);
        UNROLL for (int k = 0; k < columns; k++) {
            sum[k] += *(const Eight *)(A + i + (size_t)k * stride) * eight;
        }
    }
    UNROLL for (int k = 0; k < columns; k++) {
        target[k] -= sum_eight(&sum[k]);
    }
}

ALWAYS_INLINE void gather(int columns, int from, int to, const double *A, size_t stride, const double *y,
                          double *target) {
    if (columns == CAIRN_LINALG_WIDTH) {
        gather_columns(CAIRN_LINALG_WIDTH, from, to, A, stride, y, target);
        return;
    }
    for (int k = 0; k < columns; k++) {
        gather_columns(1, from, to, A + (size_t)k * stride, stride, y, target + k);
    }
}

// The unit lower triangle of six columns and an even number of rows below it (`rows` in all): y = L^-1 y, with y
// below -= L y; and the triangle of L^T, after the rows below are subtracted. Both in registers.
ALWAYS_INLINE void forward_six(const double *L, size_t stride, int rows, double *y) {
    double x[6];
    UNROLL for (int j = 0; j < 6; j++) {
        x[j] = y[j];
    }
    UNROLL for (int j = 0; j < 6; j++) {
        UNROLL for (int i = j + 1; i < 6; i++) {
            x[i] -= L[(size_t)j * stride + (size_t)i] * x[j];
        }
    }
    UNROLL for (int j = 0; j < 6; j++) {
        y[j] = x[j];
    }
    for (int i = 6; i < rows; i += 2) {
        Two sum = *(Two *)(y + i);
        UNROLL for (int j = 0; j < 6; j++) {
            sum -= *(const Two *)(L + (size_t)j * stride + i) * x[j];
        }
        *(Two *)(y + i) = sum;
    }
}

ALWAYS_INLINE void backward_six(const double *L, size_t stride, int rows, double *y) {
    Two sum[6];
    UNROLL for (int j = 0; j < 6; j++) {
        sum[j] = (Two){0};
    }
    for (int i = 6; i < rows; i += 2) {
        Two below = *(const Two *)(y + i);
        UNROLL for (int j = 0; j < 6; j++) {
            sum[j] += *(const Two *)(L + (size_t)j * stride + i) * below;
        }
    }
    double x[6];
    UNROLL for (int j = 0; j < 6; j++) {
        x[j] = y[j] - (sum[j][0] + sum[j][1]);
    }
    UNROLL for (int j = 5; j >= 0; j--) {
        UNROLL for (int k = 0; k < j; k++) {
            x[k] -= L[(size_t)k * stride + (size_t)j] * x[j];
        }
    }
    UNROLL for (int j = 0; j < 6; j++) {
        y[j] = x[j];
    }
}

#endif
