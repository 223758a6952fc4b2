#include "solvers/linalg/dense_lu.h"

#include <math.h>
#include <string.h>

#include "engine/base/eights.h"

enum { PANEL = 32, WIDE = 16 }; // columns of a panel; columns of a tile of the update

bool cairn_dense_lu_init(CairnDenseLu *lu, int room, CairnArena *arena) {
    size_t stride = ((size_t)room + 7) & ~(size_t)7;
    stride += stride % 64 == 0 ? 8 : 0; // rows a page apart would share cache sets
    *lu = (CairnDenseLu){.room = room, .stride = stride};
    lu->a = CAIRN_PUSH(arena, double, stride *(size_t)room + 8);
    lu->exchanged = CAIRN_PUSH(arena, int, room + 1);
    return lu->a != NULL && lu->exchanged != NULL;
}

void cairn_dense_lu_clear(CairnDenseLu *lu, int n) {
    lu->n = n;
    memset(lu->a, 0, lu->stride * (size_t)n * sizeof *lu->a);
}

static void exchange(const CairnDenseLu *lu, int i, int j) {
    double *a = cairn_dense_lu_row(lu, i), *b = cairn_dense_lu_row(lu, j);
    for (int k = 0; k < lu->n && i != j; k++) {
        double kept = a[k];
        a[k] = b[k];
        b[k] = kept;
    }
}

// The columns [first, end) of all rows from `first` on. Whole rows are exchanged.
static int factor_panel(CairnDenseLu *lu, int first, int end, double least) {
    for (int k = first; k < end; k++) {
        int pivot = k;
        for (int i = k + 1; i < lu->n; i++) {
            pivot = fabs(cairn_dense_lu_row(lu, i)[k]) > fabs(cairn_dense_lu_row(lu, pivot)[k]) ? i : pivot;
        }
        lu->exchanged[k] = pivot;
        exchange(lu, k, pivot);
        const double *from = cairn_dense_lu_row(lu, k);
        if (!(fabs(from[k]) > least) || isinf(from[k])) {
            return k;
        }
        double inverse = 1 / from[k];
        for (int i = k + 1; i < lu->n; i++) {
            double *to = cairn_dense_lu_row(lu, i), multiplier = to[k] * inverse;
            to[k] = multiplier;
            for (int j = k + 1; j < end && multiplier != 0; j++) {
                to[j] -= multiplier * from[j];
            }
        }
    }
    return -1;
}

// U of the panel's rows, to the right of it.
static void solve_rows(const CairnDenseLu *lu, int first, int end) {
    for (int i = first + 1; i < end; i++) {
        double *to = cairn_dense_lu_row(lu, i);
        for (int k = first; k < i; k++) {
            const double *from = cairn_dense_lu_row(lu, k);
            double multiplier = to[k];
            for (int j = end; j < lu->n && multiplier != 0; j++) {
                to[j] -= multiplier * from[j];
            }
        }
    }
}

// Rows of a tile: what four rows lose in sixteen columns.
ALWAYS_INLINE void subtract_tile(const CairnDenseLu *lu, double *const rows[4], int first, int end, int column) {
    Four sum[4][WIDE / 4];
    for (int r = 0; r < 4; r++) {
        UNROLL
        for (int c = 0; c < WIDE / 4; c++) {
            sum[r][c] = *(const Four *)(rows[r] + column + (ptrdiff_t)4 * c);
        }
    }
    for (int k = first; k < end; k++) {
        const double *from = cairn_dense_lu_row(lu, k) + column;
        UNROLL
        for (int c = 0; c < WIDE / 4; c++) {
            Four u = *(const Four *)(from + (ptrdiff_t)4 * c);
            UNROLL
            for (int r = 0; r < 4; r++) {
                sum[r][c] -= rows[r][k] * u;
            }
        }
    }
    for (int r = 0; r < 4; r++) {
        UNROLL
        for (int c = 0; c < WIDE / 4; c++) {
            *(Four *)(rows[r] + column + (ptrdiff_t)4 * c) = sum[r][c];
        }
    }
}

static void subtract_columns(const CairnDenseLu *lu, double *row, int first, int end, int column, int last) {
    for (int k = first; k < end; k++) {
        const double *from = cairn_dense_lu_row(lu, k);
        for (int j = column; j < last; j++) {
            row[j] -= row[k] * from[j];
        }
    }
}

static void update(const CairnDenseLu *lu, int first, int end) {
    int i = end, columns = (lu->n - end) / WIDE * WIDE;
    for (; i + 4 <= lu->n; i += 4) {
        double *const rows[4] = {cairn_dense_lu_row(lu, i), cairn_dense_lu_row(lu, i + 1),
                                 cairn_dense_lu_row(lu, i + 2), cairn_dense_lu_row(lu, i + 3)};
        for (int j = end; j < end + columns; j += WIDE) {
            subtract_tile(lu, rows, first, end, j);
        }
        for (int r = 0; r < 4; r++) {
            subtract_columns(lu, rows[r], first, end, end + columns, lu->n);
        }
    }
    for (; i < lu->n; i++) {
        subtract_columns(lu, cairn_dense_lu_row(lu, i), first, end, end, lu->n);
    }
}

int cairn_dense_lu_factor(CairnDenseLu *lu, double least) {
    for (int first = 0; first < lu->n; first += PANEL) {
        int end = first + PANEL < lu->n ? first + PANEL : lu->n;
        int bad = factor_panel(lu, first, end, least);
        if (bad >= 0) {
            return bad;
        }
        solve_rows(lu, first, end);
        update(lu, first, end);
    }
    return -1;
}

static double dot(const double *a, const double *b, int count) {
    Four sum[2] = {{0}, {0}};
    int k = 0;
    for (; k + 8 <= count; k += 8) {
        sum[0] += *(const Four *)(a + k) * *(const Four *)(b + k);
        sum[1] += *(const Four *)(a + k + 4) * *(const Four *)(b + k + 4);
    }
    Four whole = sum[0] + sum[1];
    double rest = (whole[0] + whole[2]) + (whole[1] + whole[3]);
    for (; k < count; k++) {
        rest += a[k] * b[k];
    }
    return rest;
}

void cairn_dense_lu_solve(const CairnDenseLu *lu, double *x) {
    for (int k = 0; k < lu->n; k++) { // whole rows were exchanged, multipliers with them: all exchanges come first
        double kept = x[k];
        x[k] = x[lu->exchanged[k]];
        x[lu->exchanged[k]] = kept;
    }
    for (int i = 0; i < lu->n; i++) {
        x[i] -= dot(cairn_dense_lu_row(lu, i), x, i);
    }
    for (int i = lu->n - 1; i >= 0; i--) {
        const double *row = cairn_dense_lu_row(lu, i);
        x[i] = (x[i] - dot(row + i + 1, x + i + 1, lu->n - i - 1)) / row[i];
    }
}
