#include "solvers/linalg/linalg_panel.h"

#include <float.h>
#include <math.h>

#include "engine/base/eights.h"
#include "solvers/linalg/linalg_kernels.h"

enum {
    WIDTH = CAIRN_LINALG_WIDTH,
    BLOCK = 8 * WIDTH, // columns of a large front that are updated together
    DEPTH = 192,       // terms of their sums at a time: 24 rows of them fit the first cache
    TALL = 24          // rows of a large front at a time
};

size_t cairn_linalg_panel_work(int pivots) {
    int depth = pivots < DEPTH ? pivots : DEPTH;
    return (size_t)BLOCK * (size_t)((depth + 7) & ~7);
}

// The loops are blocked over columns, the sum and rows, so that data that are read again are still in a cache; the order
// of each sum is fixed.
void cairn_linalg_panel_update(int rows, int first, int columns, int depth, const double *L, const double *R,
                               int stride, const double *pivots, double *C, int C_stride, double *work) {
    for (int block = 0; block < columns; block += BLOCK) {
        int end = columns < block + BLOCK ? columns : block + BLOCK;
        for (int k = 0; k < depth; k += DEPTH) {
            int length = depth - k < DEPTH ? depth - k : DEPTH;
            const double *A = L + (size_t)k * (size_t)stride, *B = R + (size_t)k * (size_t)stride;
            for (int j = block; j < end; j += WIDTH) {
                cairn_linalg_pack(end - j < WIDTH ? end - j : WIDTH, length, B + first + j, stride, pivots + k,
                                  work + (size_t)(j - block) * (size_t)length);
            }
            int tall = length < 2 * BLOCK ? rows : TALL; // a short sum reads C more than L
            for (int i = (first + block) & ~7; i < rows; i += tall) {
                int bottom = i + tall < rows ? i + tall : rows;
                for (int j = block; j < end; j += WIDTH) {
                    int top = (first + j) & ~7;
                    top = top > i ? top : i;
                    if (top < bottom) {
                        cairn_linalg_update(bottom - top, end - j < WIDTH ? end - j : WIDTH, length, A + top, stride,
                                            work + (size_t)(j - block) * (size_t)length,
                                            C + (size_t)j * (size_t)C_stride + top, C_stride);
                    }
                }
            }
        }
    }
}

// Whether a pivot has its sign: after cancellation, less than eps of the diagonal entry is noise. False for NaN too.
static inline bool has_sign(double pivot, double scale) {
    double least = DBL_EPSILON * fabs(scale);
    return (scale < 0 ? -pivot > least : pivot > least) && isfinite(pivot);
}

// L D L^T of the diagonal block at (k, k) with six columns, in registers: l gets the unit lower triangle. Returns -1 or
// the row of a pivot that lost its sign.
static int factor_six(const double *block, size_t stride, const double *scale, double *l, double *pivots,
                      double *inverse) {
    double a[WIDTH * WIDTH];
    UNROLL for (int j = 0; j < WIDTH; j++) {
        UNROLL for (int i = j; i < WIDTH; i++) {
            a[i * WIDTH + j] = block[(size_t)j * stride + (size_t)i];
        }
    }
    UNROLL for (int j = 0; j < WIDTH; j++) {
        double pivot = a[j * WIDTH + j];
        if (!has_sign(pivot, scale[j])) {
            return j;
        }
        double over = 1 / pivot;
        pivots[j] = pivot;
        inverse[j] = over;
        UNROLL for (int i = j + 1; i < WIDTH; i++) {
            l[i * WIDTH + j] = a[i * WIDTH + j] * over;
        }
        UNROLL for (int i = j + 1; i < WIDTH; i++) {
            UNROLL for (int k = j + 1; k <= i; k++) {
                a[i * WIDTH + k] -= a[i * WIDTH + j] * l[k * WIDTH + j];
            }
        }
    }
    return -1;
}

// factor_six for `count` <= 6 columns.
static int factor_block(const double *block, int stride, int count, const double *scale, double *l, double *pivots,
                        double *inverse) {
    if (count == WIDTH) {
        return factor_six(block, (size_t)stride, scale, l, pivots, inverse);
    }
    double a[WIDTH * WIDTH] = {0};
    for (int j = 0; j < count; j++) {
        for (int i = j; i < count; i++) {
            a[i * WIDTH + j] = block[(size_t)j * (size_t)stride + (size_t)i];
        }
    }
    for (int j = 0; j < count; j++) {
        double pivot = a[j * WIDTH + j];
        if (!has_sign(pivot, scale[j])) {
            return j;
        }
        pivots[j] = pivot;
        inverse[j] = 1 / pivot;
        for (int i = j + 1; i < count; i++) {
            double y = a[i * WIDTH + j];
            l[i * WIDTH + j] = y * inverse[j];
            for (int k = j + 1; k <= i; k++) {
                a[i * WIDTH + k] -= y * l[k * WIDTH + j];
            }
        }
    }
    return -1;
}

// Bring columns [k, k + count) of the panel L up to date with the pivots before them: a block of columns at once with
// those before it, then six columns at a time with those of the block.
static inline void take_pivots(const CairnLinalgSupernode *super, int k, int count, double *L, const double *R,
                               const double *pivots, double *work) {
    int stride = super->rows, block = k - k % BLOCK;
    double *column = L + (size_t)k * (size_t)stride;
    size_t first = (size_t)block * (size_t)stride;
    if (k == block && k > 0) {
        int columns = super->pivots - k < BLOCK ? super->pivots - k : BLOCK;
        cairn_linalg_panel_update(stride, k, columns, k, L, R, stride, pivots, column, stride, work);
    } else if (k > 0) {
        cairn_linalg_panel_update(stride, k, count, k - block, L + first, R + first, stride, pivots + block, column,
                                  stride, work);
    }
}

// Divide the rows below a diagonal block, and store its own unit triangle l.
static inline void divide_rows(int k, int count, int rows, const double *l, const double *divisor,
                               const double *inverse, double *column) {
    int below = (k + count) & ~7; // rows above are touched with it, and then set right
    cairn_linalg_divide(rows - below, count, divisor, inverse, column + below, rows);
    for (int j = 0; j < count; j++) {
        for (int i = j + 1; i < count; i++) {
            column[(size_t)j * (size_t)rows + (size_t)(k + i)] = l[i * WIDTH + j];
        }
    }
}

int cairn_linalg_panel_factor(const CairnLinalgSupernode *super, double *panel, const double *scale, double *pivots,
                              double *inverse, double *work) {
    int stride = super->rows;
    for (int k = 0; k < super->pivots; k += WIDTH) {
        int count = super->pivots - k < WIDTH ? super->pivots - k : WIDTH;
        double *column = panel + (size_t)k * (size_t)stride, l[WIDTH * WIDTH];
        take_pivots(super, k, count, panel, panel, pivots, work);
        int bad = factor_block(column + k, stride, count, scale + k, l, pivots + k, inverse + k);
        if (bad >= 0) {
            return k + bad;
        }
        divide_rows(k, count, stride, l, l, inverse + k, column);
    }
    return -1;
}

// ---- unsymmetric ----------------------------------------------------------------------------------------------------

// Whether a pivot is more than noise. False for NaN too.
static inline bool is_sound(double pivot, double scale) {
    return fabs(pivot) > DBL_EPSILON * scale && isfinite(pivot);
}

// L D U of a full 6 x 6 block, which it destroys: l gets the unit lower triangle of L, u that of U^T. Returns -1 or the
// row of a pivot that broke down.
ALWAYS_INLINE int factor_full(double *a, const double *scale, double *l, double *u, double *pivots, double *inverse) {
    UNROLL for (int j = 0; j < WIDTH; j++) {
        double pivot = a[j * WIDTH + j];
        if (!is_sound(pivot, scale[j])) {
            return j;
        }
        double over = 1 / pivot;
        pivots[j] = pivot;
        inverse[j] = over;
        UNROLL for (int i = j + 1; i < WIDTH; i++) {
            l[i * WIDTH + j] = a[i * WIDTH + j] * over;
            u[i * WIDTH + j] = a[j * WIDTH + i] * over;
        }
        UNROLL for (int i = j + 1; i < WIDTH; i++) {
            UNROLL for (int k = j + 1; k < WIDTH; k++) {
                a[i * WIDTH + k] -= a[i * WIDTH + j] * u[k * WIDTH + j];
            }
        }
    }
    return -1;
}

// The diagonal block whose lower triangle is in `lower` and whose upper one, transposed, is in `upper`.
static int factor_full_six(const double *lower, const double *upper, size_t stride, const double *scale, double *l,
                           double *u, double *pivots, double *inverse) {
    double a[WIDTH * WIDTH];
    UNROLL for (int j = 0; j < WIDTH; j++) {
        a[j * WIDTH + j] = lower[(size_t)j * (stride + 1)];
        UNROLL for (int i = j + 1; i < WIDTH; i++) {
            a[i * WIDTH + j] = lower[(size_t)j * stride + (size_t)i];
            a[j * WIDTH + i] = upper[(size_t)j * stride + (size_t)i];
        }
    }
    return factor_full(a, scale, l, u, pivots, inverse);
}

// factor_full_six for `count` < 6 columns: the others are those of the identity.
static int factor_full_block(const double *lower, const double *upper, size_t stride, int count, const double *scale,
                             double *l, double *u, double *pivots, double *inverse) {
    double a[WIDTH * WIDTH] = {0}, size[WIDTH] = {0}, all_pivots[WIDTH], all_inverse[WIDTH];
    for (int j = 0; j < WIDTH; j++) {
        a[j * WIDTH + j] = j < count ? lower[(size_t)j * (stride + 1)] : 1;
        size[j] = j < count ? scale[j] : 0;
        for (int i = j + 1; i < count; i++) {
            a[i * WIDTH + j] = lower[(size_t)j * stride + (size_t)i];
            a[j * WIDTH + i] = upper[(size_t)j * stride + (size_t)i];
        }
    }
    int bad = factor_full(a, size, l, u, all_pivots, all_inverse);
    for (int j = 0; j < count && bad < 0; j++) {
        pivots[j] = all_pivots[j];
        inverse[j] = all_inverse[j];
    }
    return bad;
}

int cairn_linalg_panel_factor_two(const CairnLinalgSupernode *super, double *lower, double *upper, const double *scale,
                                  double *pivots, double *inverse, double *work) {
    int stride = super->rows;
    for (int k = 0; k < super->pivots; k += WIDTH) {
        int count = super->pivots - k < WIDTH ? super->pivots - k : WIDTH;
        size_t at = (size_t)k * (size_t)stride, diagonal = at + (size_t)k;
        double l[WIDTH * WIDTH], u[WIDTH * WIDTH];
        take_pivots(super, k, count, lower, upper, pivots, work);
        take_pivots(super, k, count, upper, lower, pivots, work);
        int bad = count == WIDTH ? factor_full_six(lower + diagonal, upper + diagonal, (size_t)stride, scale + k, l, u,
                                                   pivots + k, inverse + k)
                                 : factor_full_block(lower + diagonal, upper + diagonal, (size_t)stride, count,
                                                     scale + k, l, u, pivots + k, inverse + k);
        if (bad >= 0) {
            return k + bad;
        }
        divide_rows(k, count, stride, l, u, inverse + k, lower + at);
        divide_rows(k, count, stride, u, l, inverse + k, upper + at);
    }
    return -1;
}
