// Small dense matrices of subsystems, in rows of eights, aligned and filled up with zeros. Sums have one order and no
// fused multiply-add, so the bits are the same on every machine. Most rows have one to three eights, and a constant
// count lets the compiler unroll them.
#ifndef CAIRN_SOLVERS_SUBADMM_KERNELS_H
#define CAIRN_SOLVERS_SUBADMM_KERNELS_H

#include <float.h>
#include <math.h>

#include "solvers/admm/subadmm_system.h"

#define ADMM_INLINE static inline __attribute__((always_inline))

// Call `body` with `count` as a constant where it is small.
#define ADMM_UNROLLED(count, body)                                                                                     \
    ((count) == 1 ? body(1) : (count) == 2 ? body(2) : (count) == 3 ? body(3) : (count) == 4 ? body(4) : body(count))

static inline int admm_eights(int n) {
    return (n + ADMM_LANES - 1) / ADMM_LANES * ADMM_LANES;
}

// y += a x
ADMM_INLINE void admm_add_scaled(int count, double a, const double *x, double *y) {
    const AdmmEight *from = (const AdmmEight *)x;
    AdmmEight *to = (AdmmEight *)y;
    for (int i = 0; i < count; i++) {
        to[i] += from[i] * a;
    }
}

// Numbers at eight indices. Written out: the gather instruction that a loop becomes takes longer than eight loads
// (cable_winding, 60 iterations: 1.1 ms with it and 0.75 without).
#define ADMM_GATHER(from, at)                                                                                          \
    ((AdmmEight){(from)[(at)[0]], (from)[(at)[1]], (from)[(at)[2]], (from)[(at)[3]], (from)[(at)[4]], (from)[(at)[5]], \
                 (from)[(at)[6]], (from)[(at)[7]]})

// The lanes of a sum in one order. By address: how eight doubles are passed by value depends on the instruction set.
ADMM_INLINE double admm_sum_lanes(const AdmmEight *sum) {
    const AdmmEight s = *sum;
    return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

ADMM_INLINE double admm_dot(int count, const double *x, const double *y) {
    const AdmmEight *a = (const AdmmEight *)x, *b = (const AdmmEight *)y;
    AdmmEight sum = {0};
    for (int i = 0; i < count; i++) {
        sum += a[i] * b[i];
    }
    return admm_sum_lanes(&sum);
}

// The upper half of a (n x n in rows of `stride`) becomes U with a = U^T U, reciprocals on its diagonal; what is
// below is scratch. raise > 0: pivots that are lost to cancellation become that fraction of their diagonal; 0: they
// are refused. diagonal: n numbers of scratch.
ADMM_INLINE bool admm_factor_counted(int n, int count, double raise, double *a, double *diagonal) {
    int stride = count * ADMM_LANES;
    for (int k = 0; k < n; k++) {
        diagonal[k] = fabs(a[(ptrdiff_t)k * stride + k]);
    }
    for (int k = 0; k < n; k++) {
        double *row = a + (ptrdiff_t)k * stride, pivot = row[k];
        if (!(pivot > n * DBL_EPSILON * diagonal[k])) {
            if (raise <= 0 || !(diagonal[k] >= 0)) {
                return false;
            }
            pivot = diagonal[k] > 0 ? raise * diagonal[k] : 1;
        }
        double inverse = 1 / sqrt(pivot);
        for (int i = k / ADMM_LANES; i < count; i++) { // entries to the left of the diagonal are never read
            ((AdmmEight *)row)[i] *= inverse;
        }
        row[k] = inverse;
        for (int i = k + 1; i < n; i++) {
            int from = i / ADMM_LANES;
            if (row[i] != 0) {
                AdmmEight *to = (AdmmEight *)(a + (ptrdiff_t)i * stride);
                for (int j = from; j < count; j++) {
                    to[j] -= ((AdmmEight *)row)[j] * row[i];
                }
            }
        }
    }
    return true;
}

static inline bool admm_factor(int n, int stride, double raise, double *a, double *diagonal) {
#define BODY(count) admm_factor_counted(n, count, raise, a, diagonal)
    return ADMM_UNROLLED(stride / ADMM_LANES, BODY);
#undef BODY
}

// x = U^-T x for n rows of `count` eights.
ADMM_INLINE void admm_forward_counted(int n, int stride, const double *U, int count, double *x) {
    int width = count * ADMM_LANES;
    for (int k = 0; k < n; k++) {
        const double *row = U + (ptrdiff_t)k * stride;
        AdmmEight *from = (AdmmEight *)(x + (ptrdiff_t)k * width);
        for (int j = 0; j < count; j++) {
            from[j] *= row[k];
        }
        for (int i = k + 1; i < n; i++) {
            if (row[i] != 0) {
                AdmmEight *to = (AdmmEight *)(x + (ptrdiff_t)i * width);
                for (int j = 0; j < count; j++) {
                    to[j] -= from[j] * row[i];
                }
            }
        }
    }
}

static inline void admm_forward(int n, int stride, const double *U, int count, double *x) {
#define BODY(c) admm_forward_counted(n, stride, U, c, x)
    ADMM_UNROLLED(count, BODY);
#undef BODY
}

// admm_forward for one column, and x = U^-1 x.
static inline void admm_forward_one(int n, int stride, const double *U, double *x) {
    for (int k = 0; k < n; k++) {
        const double *row = U + (ptrdiff_t)k * stride;
        x[k] *= row[k];
        for (int i = k + 1; i < n; i++) {
            x[i] -= row[i] * x[k];
        }
    }
}

static inline void admm_backward_one(int n, int stride, const double *U, double *x) {
    for (int k = n - 1; k >= 0; k--) {
        const double *row = U + (ptrdiff_t)k * stride;
        for (int i = k + 1; i < n; i++) {
            x[k] -= row[i] * x[i];
        }
        x[k] *= row[k];
    }
}

// S += sign Z^T Z for n rows of Z of `count` eights: the first m rows of S, from the eight of their diagonal on.
ADMM_INLINE void admm_gram_counted(int n, int m, int count, double sign, const double *Z, double *S) {
    int width = count * ADMM_LANES;
    for (int k = 0; k < n; k++) {
        const double *row = Z + (ptrdiff_t)k * width;
        for (int a = 0; a < m; a++) {
            double scale = sign * row[a];
            if (scale != 0) {
                AdmmEight *to = (AdmmEight *)(S + (ptrdiff_t)a * width);
                for (int j = a / ADMM_LANES; j < count; j++) {
                    to[j] += ((const AdmmEight *)row)[j] * scale;
                }
            }
        }
    }
}

static inline void admm_gram(int n, int m, int count, double sign, const double *Z, double *S) {
#define BODY(c) admm_gram_counted(n, m, c, sign, Z, S)
    ADMM_UNROLLED(count, BODY);
#undef BODY
}

// x = H s for `m` columns of H (rows of `count` eights: H is symmetric, or stored by columns).
ADMM_INLINE void admm_apply_counted(int m, int count, const double *H, const double *s, double *x) {
    AdmmEight *to = (AdmmEight *)x;
    for (int j = 0; j < count; j++) {
        to[j] = (AdmmEight){0};
    }
    for (int k = 0; k < m; k++) {
        const AdmmEight *column = (const AdmmEight *)(H + (ptrdiff_t)k * count * ADMM_LANES);
        for (int j = 0; j < count; j++) {
            to[j] += column[j] * s[k];
        }
    }
}

static inline void admm_apply(int m, int count, const double *H, const double *s, double *x) {
#define BODY(c) admm_apply_counted(m, c, H, s, x)
    ADMM_UNROLLED(count, BODY);
#undef BODY
}

#endif
