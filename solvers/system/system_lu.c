// Unsymmetric explicit problems: A + Theta in full, L U with row exchanges. They are read from files, and are small.
#include <float.h>
#include <math.h>
#include <string.h>

#include "solvers/linalg/dense_lu.h"
#include "solvers/system/system.h"

enum { LU_ROWS = 2000 };

typedef struct Lu {
    const CairnProblem *problem;
    int m;           // all rows
    double *A;       // m x m
    CairnDenseLu lu; // of the rows in use
    int *row;        // these rows
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
    lu->row = CAIRN_PUSH(arena, int, m + 1);
    lu->packed = CAIRN_PUSH(arena, double, m + 1);
    if (!lu->A || !lu->row || !lu->packed || !cairn_dense_lu_init(&lu->lu, (int)m, arena)) {
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

static CairnStatus lu_factor(void *state, const double *theta, const CairnThetaBlock *blocks) {
    (void)blocks; // of friction cones, which exist with symmetric W only
    Lu *lu = state;
    double largest = 0;
    int n = 0;
    for (int i = 0; i < lu->m; i++) {
        if (!isinf(theta[i])) {
            lu->row[n++] = i;
        }
    }
    cairn_dense_lu_clear(&lu->lu, n);
    for (int i = 0; i < n; i++) {
        double *row = cairn_dense_lu_row(&lu->lu, i);
        for (int j = 0; j < n; j++) {
            double entry = lu->A[(size_t)lu->row[i] * (size_t)lu->m + (size_t)lu->row[j]];
            largest = fmax(largest, fabs(entry));
            row[j] = entry + (i == j ? theta[lu->row[i]] : 0);
        }
    }
    int bad = cairn_dense_lu_factor(&lu->lu, 16 * DBL_EPSILON * largest);
    return bad >= 0 ? cairn_error(CAIRN_NUMERIC, "unsymmetric system: singular near row %d", lu->row[bad]) : cairn_ok();
}

static void lu_solve(void *state, double *x) {
    Lu *lu = state;
    for (int i = 0; i < lu->lu.n; i++) {
        lu->packed[i] = x[lu->row[i]];
    }
    cairn_dense_lu_solve(&lu->lu, lu->packed);
    memset(x, 0, (size_t)lu->m * sizeof *x);
    for (int i = 0; i < lu->lu.n; i++) {
        x[lu->row[i]] = lu->packed[i];
    }
}

const CairnSystemKind cairn_system_lu = {
    .name = "unsymmetric",
    .takes = lu_takes,
    .prepare = lu_prepare,
    .factor = lu_factor,
    .solve = lu_solve,
};
