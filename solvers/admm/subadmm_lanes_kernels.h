// Functions for the files of subadmm_lanes.h: the members of a batch, and dense matrices with eight numbers for each
// entry. Symmetric ones are stored by rows from the diagonal on, up to `reach` of the row (NULL: all), the others by
// columns.
#ifndef CAIRN_SOLVERS_SUBADMM_LANES_KERNELS_H
#define CAIRN_SOLVERS_SUBADMM_LANES_KERNELS_H

#include <float.h>
#include <math.h>
#include <string.h>

#include "solvers/admm/subadmm_kernels.h"
#include "solvers/admm/subadmm_lanes.h"

static inline bool is_square(const AdmmBatch *batch) {
    return batch->slots <= batch->size;
}

static inline const AdmmSubsystem *member(const AdmmSystem *system, const AdmmBatch *batch, int lane) {
    return &system->subsystems[batch->members[lane]];
}

static inline const CairnConstraintBlock *inside_of(const AdmmSystem *system, const AdmmSubsystem *sub, int i) {
    return &system->problem->constraints[system->inside[sub->first_inside + i]];
}

// The dofs of a constraint's columns, term by term. Returns how many.
static inline int columns_of(const AdmmSystem *system, const CairnConstraintBlock *constraint, int *dofs) {
    int count = 0;
    for (int t = 0; t < constraint->term_count; t++) {
        int block = system->problem->terms[constraint->first_term + t].block;
        for (int k = 0; k < system->problem->blocks[block].size; k++) {
            dofs[count++] = system->local[block] + k;
        }
    }
    return count;
}

static inline int soft_rows(const AdmmSystem *system, const CairnConstraintBlock *constraint) {
    int count = 0;
    for (int r = 0; r < constraint->row_count; r++) {
        count += system->row_kind[constraint->first_row + r] == ADMM_SOFT;
    }
    return count;
}

// The last column of row k.
ADMM_INLINE int end_of(const int *reach, int k, int n) {
    return reach ? reach[k] : n - 1;
}

// Numbers in the rows before row `end`.
static inline size_t envelope(const int *reach, int n, int end) {
    size_t size = 0;
    for (int k = 0; k < end; k++) {
        size += (size_t)(end_of(reach, k, n) - k + 1);
    }
    return size;
}

// 1/sqrt of a pivot in every lane. One that is lost to cancellation becomes `raise` times its diagonal; with 0 its
// lane is returned.
ADMM_INLINE unsigned invert_pivot(int n, double raise, const AdmmEight *diagonal, AdmmEight *pivot) {
    unsigned broken = 0;
    for (int l = 0; l < ADMM_LANES; l++) {
        double whole = fabs((*diagonal)[l]);
        if (!((*pivot)[l] > n * DBL_EPSILON * whole)) {
            broken |= 1u << l;
            (*pivot)[l] = raise > 0 && whole > 0 ? raise * whole : 1;
        }
    }
    double *x = (double *)pivot;
    for (int l = 0; l < ADMM_LANES; l++) {
        x[l] = 1 / sqrt(x[l]);
    }
    return raise > 0 ? 0 : broken;
}

// Replace U = A by the factor of A = U^T U, with reciprocals on its diagonal. Returns the lanes where A is not
// positive definite.
static inline unsigned factor(int n, const int *reach, double raise, AdmmEight *U, AdmmEight *diagonal) {
    unsigned broken = 0;
    AdmmEight *row = U;
    for (int k = 0; k < n; k++) {
        diagonal[k] = *row;
        row += end_of(reach, k, n) - k + 1;
    }
    row = U;
    for (int k = 0; k < n; k++) {
        int length = end_of(reach, k, n) - k + 1;
        broken |= invert_pivot(n, raise, &diagonal[k], row);
        AdmmEight inverse = row[0], *to = row;
        for (int i = 1; i < length; i++) {
            row[i] *= inverse;
        }
        for (int i = 1; i < length; i++) {
            AdmmEight scale = row[i];
            to += end_of(reach, k + i - 1, n) - (k + i - 1) + 1;
            for (int j = i; j < length; j++) {
                to[j - i] -= row[j] * scale;
            }
        }
        row += length;
    }
    return broken;
}

// x = U^-T x for each of `count` columns. from: of each column, where it begins (NULL: at the top).
static inline void forward(int n, const int *reach, const AdmmEight *U, int count, const int *from, AdmmEight *x) {
    for (int c = 0; c < count; c++, x += n) {
        int first = from ? from[c] : 0;
        const AdmmEight *row = U + envelope(reach, n, first);
        for (int k = first; k < n; k++) {
            int length = end_of(reach, k, n) - k + 1;
            AdmmEight value = x[k] *= row[0];
            for (int i = 1; i < length; i++) {
                x[k + i] -= row[i] * value;
            }
            row += length;
        }
    }
}

static inline void backward(int n, const int *reach, const AdmmEight *U, AdmmEight *x) {
    const AdmmEight *row = U + envelope(reach, n, n);
    for (int k = n - 1; k >= 0; k--) {
        int length = end_of(reach, k, n) - k + 1;
        row -= length;
        AdmmEight sum = x[k];
        for (int i = 1; i < length; i++) {
            sum -= row[i] * x[k + i];
        }
        x[k] = sum * row[0];
    }
}

// out = the products of a with `count` columns of B, four at a time.
ADMM_INLINE void products(int n, const AdmmEight *a, const AdmmEight *B, int count, AdmmEight *out) {
    int c = 0;
    for (; c + 4 <= count; c += 4) {
        const AdmmEight *b = B + (ptrdiff_t)c * n;
        AdmmEight w = {0}, x = {0}, y = {0}, z = {0};
        for (int i = 0; i < n; i++) {
            w += a[i] * b[i];
            x += a[i] * b[n + i];
            y += a[i] * b[2 * n + i];
            z += a[i] * b[3 * n + i];
        }
        out[c] = w;
        out[c + 1] = x;
        out[c + 2] = y;
        out[c + 3] = z;
    }
    for (; c < count; c++) {
        AdmmEight sum = {0};
        for (int i = 0; i < n; i++) {
            sum += a[i] * B[(ptrdiff_t)c * n + i];
        }
        out[c] = sum;
    }
}

// x = H s with the rows of a symmetric H from the diagonal on. Four rows at a time serve both ways, so that H is read
// once, and half of it.
ADMM_INLINE void symmetric(int n, const AdmmEight *H, const AdmmEight *s, AdmmEight *x) {
    int a = 0;
    memset(x, 0, (size_t)n * sizeof *x);
    for (; a + 4 <= n; a += 4) {
        const AdmmEight *p = H, *q = p + (n - a - 1), *r = q + (n - a - 2),
                        *t = r + (n - a - 3); // at column 0 of the four
        AdmmEight s0 = s[a], s1 = s[a + 1], s2 = s[a + 2], s3 = s[a + 3];
        AdmmEight x0 = x[a] + p[0] * s0 + p[1] * s1 + p[2] * s2 + p[3] * s3;
        AdmmEight x1 = x[a + 1] + p[1] * s0 + q[1] * s1 + q[2] * s2 + q[3] * s3;
        AdmmEight x2 = x[a + 2] + p[2] * s0 + q[2] * s1 + r[2] * s2 + r[3] * s3;
        AdmmEight x3 = x[a + 3] + p[3] * s0 + q[3] * s1 + r[3] * s2 + t[3] * s3;
        for (int b = 4; b < n - a; b++) {
            AdmmEight value = s[a + b];
            x0 += p[b] * value;
            x1 += q[b] * value;
            x2 += r[b] * value;
            x3 += t[b] * value;
            x[a + b] += p[b] * s0 + q[b] * s1 + r[b] * s2 + t[b] * s3;
        }
        x[a] = x0;
        x[a + 1] = x1;
        x[a + 2] = x2;
        x[a + 3] = x3;
        H = t + (n - a);
    }
    for (; a < n; a++) {
        AdmmEight sum = x[a] + H[0] * s[a];
        for (int b = 1; b < n - a; b++) {
            sum += H[b] * s[a + b];
            x[a + b] += H[b] * s[a];
        }
        x[a] = sum;
        H += n - a;
    }
}

ADMM_INLINE void put(AdmmEight *to, int lane, double x) {
    ((double *)to)[lane] = x;
}

#endif
