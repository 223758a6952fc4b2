#include "solvers/linalg/linalg_kernels.h"

#include "engine/base/eights.h"

// Rows at once, in eights: so many that the sums of 6 columns fill the registers and hide the latency of an addition.
#if defined(__AVX512F__)
enum { TALL = 3 };
#else
enum { TALL = 1 };
#endif

typedef enum Mode { SUBTRACT, REPLACE } Mode;

// One tile: tall x columns sums over depth, in order of k.
ALWAYS_INLINE void tile(int tall, int columns, Mode mode, int depth, const double *restrict A, size_t A_stride,
                        const double *restrict B, double *restrict C, size_t C_stride) {
    Eight sum[CAIRN_LINALG_WIDTH][TALL];
    UNROLL for (int j = 0; j < columns; j++) {
        UNROLL for (int i = 0; i < tall; i++) {
            sum[j][i] = (Eight){0};
        }
    }
    for (int k = 0; k < depth; k++, A += A_stride, B += CAIRN_LINALG_WIDTH) {
        Eight a[TALL];
        UNROLL for (int i = 0; i < tall; i++) {
            a[i] = ((const Eight *)A)[i];
        }
        UNROLL for (int j = 0; j < columns; j++) {
            UNROLL for (int i = 0; i < tall; i++) {
                sum[j][i] += a[i] * B[j];
            }
        }
    }
    UNROLL for (int j = 0; j < columns; j++) {
        Eight *c = (Eight *)(C + (size_t)j * C_stride);
        UNROLL for (int i = 0; i < tall; i++) {
            if (mode == SUBTRACT) {
                c[i] -= sum[j][i];
            } else {
                c[i] = -sum[j][i];
            }
        }
    }
}

ALWAYS_INLINE void tiles(int columns, Mode mode, int rows, int depth, const double *A, size_t A_stride, const double *B,
                         double *C, size_t C_stride) {
    int i = 0;
    for (; i + 8 * TALL <= rows; i += 8 * TALL) {
        tile(TALL, columns, mode, depth, A + i, A_stride, B, C + i, C_stride);
    }
#if defined(__AVX512F__)
    if (i + 16 <= rows) {
        tile(2, columns, mode, depth, A + i, A_stride, B, C + i, C_stride);
    } else if (i + 8 <= rows) {
        tile(1, columns, mode, depth, A + i, A_stride, B, C + i, C_stride);
    }
#endif
}

#define BY_COLUMNS(mode)                                                                                               \
    switch (columns) {                                                                                                 \
    case 6:                                                                                                            \
        tiles(6, mode, rows, depth, A, (size_t)A_stride, B, C, (size_t)C_stride);                                      \
        break;                                                                                                         \
    case 5:                                                                                                            \
        tiles(5, mode, rows, depth, A, (size_t)A_stride, B, C, (size_t)C_stride);                                      \
        break;                                                                                                         \
    case 4:                                                                                                            \
        tiles(4, mode, rows, depth, A, (size_t)A_stride, B, C, (size_t)C_stride);                                      \
        break;                                                                                                         \
    case 3:                                                                                                            \
        tiles(3, mode, rows, depth, A, (size_t)A_stride, B, C, (size_t)C_stride);                                      \
        break;                                                                                                         \
    case 2:                                                                                                            \
        tiles(2, mode, rows, depth, A, (size_t)A_stride, B, C, (size_t)C_stride);                                      \
        break;                                                                                                         \
    default:                                                                                                           \
        tiles(1, mode, rows, depth, A, (size_t)A_stride, B, C, (size_t)C_stride);                                      \
        break;                                                                                                         \
    }

void cairn_linalg_update(int rows, int columns, int depth, const double *A, int A_stride, const double *B, double *C,
                         int C_stride) {
    BY_COLUMNS(SUBTRACT)
}

void cairn_linalg_multiply(int rows, int columns, int depth, const double *A, int A_stride, const double *B, double *C,
                           int C_stride) {
    BY_COLUMNS(REPLACE)
}

void cairn_linalg_pack(int columns, int depth, const double *restrict A, int A_stride, const double *restrict scale,
                       double *restrict B) {
    if (columns == CAIRN_LINALG_WIDTH) {
        for (int k = 0; k < depth; k++, A += A_stride, B += CAIRN_LINALG_WIDTH) {
            *(Four *)B = *(const Four *)A * scale[k];
            *(Two *)(B + 4) = *(const Two *)(A + 4) * scale[k];
        }
        return;
    }
    for (int k = 0; k < depth; k++, A += A_stride, B += CAIRN_LINALG_WIDTH) {
        for (int j = 0; j < CAIRN_LINALG_WIDTH; j++) {
            B[j] = j < columns ? A[j] * scale[k] : 0;
        }
    }
}

ALWAYS_INLINE void divide(int columns, int rows, const double *l, const double *inverse, double *X, size_t stride) {
    for (int i = 0; i < rows; i += 8) {
        Eight x[CAIRN_LINALG_WIDTH];
        UNROLL for (int j = 0; j < columns; j++) {
            x[j] = *(Eight *)(X + i + (size_t)j * stride);
            UNROLL for (int k = 0; k < j; k++) {
                x[j] -= x[k] * l[j * CAIRN_LINALG_WIDTH + k];
            }
        }
        UNROLL for (int j = 0; j < columns; j++) {
            *(Eight *)(X + i + (size_t)j * stride) = x[j] * inverse[j];
        }
    }
}

void cairn_linalg_divide(int rows, int columns, const double *l, const double *inverse, double *X, int stride) {
    switch (columns) {
    case 6:
        divide(6, rows, l, inverse, X, (size_t)stride);
        break;
    case 5:
        divide(5, rows, l, inverse, X, (size_t)stride);
        break;
    case 4:
        divide(4, rows, l, inverse, X, (size_t)stride);
        break;
    case 3:
        divide(3, rows, l, inverse, X, (size_t)stride);
        break;
    case 2:
        divide(2, rows, l, inverse, X, (size_t)stride);
        break;
    default:
        divide(1, rows, l, inverse, X, (size_t)stride);
        break;
    }
}
