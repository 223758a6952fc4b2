// Unsymmetric explicit problems: A + Theta in full, L U with row exchanges. They are read from files, and are small.
#include <float.h>
#include <math.h>
#include <string.h>

#include "solvers/system/system.h"

enum { LU_ROWS = 2000 };

typedef struct Lu {
    const CairnProblem *problem;
    int m, n;       // all rows, rows in use
    double *A;      // m x m
    double *F;      // n x n, row stride m: U, and below its diagonal the multipliers
    int *row;       // the n rows in use
    int *exchanged; // the row that each step took its pivot from
    double *packed;
} Lu;

static bool lu_takes(const CairnProblem *problem) {
    return problem->form == CAIRN_FORM_EXPLICIT && problem->row_count <= LU_ROWS;
}

static CairnStatus lu_prepare(const CairnSystem *system, void **memory, void **state) {
    (void)memory;
    CairnArena *arena = system->context->arena;
    const CairnProblem *problem = system->problem;
    size_t m = (size_t)problem->row_count;
    Lu *lu = CAIRN_PUSH(arena, Lu, 1);
    if (lu == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "unsymmetric system: no memory");
    }
    *lu = (Lu){.problem = problem, .m = (int)m};
    lu->A = CAIRN_PUSH_ZERO(arena, double, m *m + 1);
    lu->F = CAIRN_PUSH(arena, double, m *m + 1);
    lu->row = CAIRN_PUSH(arena, int, m + 1);
    lu->exchanged = CAIRN_PUSH(arena, int, m + 1);
    lu->packed = CAIRN_PUSH(arena, double, m + 1);
    if (!lu->A || !lu->F || !lu->row || !lu->exchanged || !lu->packed) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "unsymmetric system: no memory for %zu rows", m);
    }
    for (int i = 0; i < lu->m; i++) {
        for (int k = problem->W_start[i]; k < problem->W_start[i + 1]; k++) {
            lu->A[(size_t)i * m + (size_t)problem->W_column[k]] += problem->W[k];
        }
    }
    *state = lu;
    return cairn_ok();
}

static double *row_of(const Lu *lu, int i) {
    return lu->F + (size_t)i * (size_t)lu->m;
}

static void exchange(const Lu *lu, int i, int j) {
    double *a = row_of(lu, i), *b = row_of(lu, j);
    for (int k = 0; k < lu->n && i != j; k++) {
        double kept = a[k];
        a[k] = b[k];
        b[k] = kept;
    }
}

static CairnStatus lu_factor(void *state, const double *theta, const CairnThetaBlock *blocks) {
    (void)blocks; // of friction cones, which exist with symmetric W only
    Lu *lu = state;
    double largest = 0;
    lu->n = 0;
    for (int i = 0; i < lu->m; i++) {
        if (!isinf(theta[i])) {
            lu->row[lu->n++] = i;
        }
    }
    for (int i = 0; i < lu->n; i++) {
        for (int j = 0; j < lu->n; j++) {
            double entry = lu->A[(size_t)lu->row[i] * (size_t)lu->m + (size_t)lu->row[j]];
            largest = fmax(largest, fabs(entry));
            row_of(lu, i)[j] = entry + (i == j ? theta[lu->row[i]] : 0);
        }
    }
    for (int k = 0; k < lu->n; k++) {
        int pivot = k;
        for (int i = k + 1; i < lu->n; i++) {
            pivot = fabs(row_of(lu, i)[k]) > fabs(row_of(lu, pivot)[k]) ? i : pivot;
        }
        lu->exchanged[k] = pivot;
        exchange(lu, k, pivot);
        const double *from = row_of(lu, k);
        if (!(fabs(from[k]) > 16 * DBL_EPSILON * largest) || isinf(from[k])) {
            return cairn_error(CAIRN_NUMERIC, "unsymmetric system: singular near row %d", lu->row[k]);
        }
        for (int i = k + 1; i < lu->n; i++) {
            double *to = row_of(lu, i), multiplier = to[k] / from[k];
            to[k] = multiplier;
            for (int j = k + 1; j < lu->n && multiplier != 0; j++) {
                to[j] -= multiplier * from[j];
            }
        }
    }
    return cairn_ok();
}

static void lu_solve(void *state, double *x) {
    Lu *lu = state;
    double *y = lu->packed;
    for (int i = 0; i < lu->n; i++) {
        y[i] = x[lu->row[i]];
    }
    // Whole rows were exchanged, multipliers with them: all exchanges come first.
    for (int k = 0; k < lu->n; k++) {
        double kept = y[k];
        y[k] = y[lu->exchanged[k]];
        y[lu->exchanged[k]] = kept;
    }
    for (int i = 0; i < lu->n; i++) {
        for (int j = 0; j < i; j++) {
            y[i] -= row_of(lu, i)[j] * y[j];
        }
    }
    for (int i = lu->n - 1; i >= 0; i--) {
        for (int j = i + 1; j < lu->n; j++) {
            y[i] -= row_of(lu, i)[j] * y[j];
        }
        y[i] /= row_of(lu, i)[i];
    }
    memset(x, 0, (size_t)lu->m * sizeof *x);
    for (int i = 0; i < lu->n; i++) {
        x[lu->row[i]] = y[i];
    }
}

const CairnSystemKind cairn_system_lu = {
    .name = "unsymmetric",
    .takes = lu_takes,
    .prepare = lu_prepare,
    .factor = lu_factor,
    .solve = lu_solve,
};
