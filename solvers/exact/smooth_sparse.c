#include "solvers/exact/smooth_sparse.h"

#include <math.h>
#include <string.h>

#include "solvers/exact/smooth_system.h"

enum { NODE = CAIRN_GIVEN_ROWS };

// The share of D that is added to A in the factor alone: rows of W may depend on one another, and without exchanges that needs pivots
// that stand out from rounding. Refinement takes it away again.
static const double least_give = 1e-13;

CairnStatus cairn_smooth_sparse_init(CairnSmoothSparse *sparse, const CairnProblem *problem, int threads,
                                     CairnArena *arena, bool *is_worth) {
    size_t rows = (size_t)problem->row_count;
    *sparse = (CairnSmoothSparse){.scale = CAIRN_PUSH(arena, double, rows + 1)};
    CAIRN_TRY(cairn_given_init(&sparse->given, problem, arena));
    sparse->nodes = CAIRN_PUSH(arena, CairnSmoothNode, sparse->given.node_count + 1);
    if (!sparse->scale || !sparse->nodes) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "newton-cone: no memory for %zu rows", rows);
    }
    // The plan counts a symmetric factor: this one is twice that. A whole one has row exchanges, so it is worth a
    // little.
    double whole = 2.0 / 3 * pow((double)rows, 3);
    *is_worth = 2 * sparse->given.plan.operations < 0.7 * whole;
    if (!*is_worth) {
        return cairn_ok();
    }
    CAIRN_TRY(cairn_linalg_factor_init(&sparse->lender, &sparse->given.plan, threads, arena));
    return cairn_linalg_factor_init_unsymmetric(&sparse->factor, &sparse->lender, arena);
}

// inverse = a^-1 of a matrix of n <= NODE rows, by Gauss and Jordan with row exchanges; `a` is destroyed.
static bool invert_node(int n, double *a, double *inverse) {
    memset(inverse, 0, NODE * NODE * sizeof *inverse);
    for (int i = 0; i < n; i++) {
        inverse[(NODE + 1) * i] = 1;
    }
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++) {
            pivot = fabs(a[NODE * i + k]) > fabs(a[NODE * pivot + k]) ? i : pivot;
        }
        if (!(fabs(a[NODE * pivot + k]) > 0) || isinf(a[NODE * pivot + k])) {
            return false;
        }
        for (int j = 0; j < n && pivot != k; j++) {
            double kept = a[NODE * k + j], other = inverse[NODE * k + j];
            a[NODE * k + j] = a[NODE * pivot + j];
            a[NODE * pivot + j] = kept;
            inverse[NODE * k + j] = inverse[NODE * pivot + j];
            inverse[NODE * pivot + j] = other;
        }
        double over = 1 / a[(NODE + 1) * k];
        for (int j = 0; j < n; j++) {
            a[NODE * k + j] *= over;
            inverse[NODE * k + j] *= over;
        }
        for (int i = 0; i < n; i++) {
            double share = a[NODE * i + k];
            for (int j = 0; j < n && i != k && share != 0; j++) {
                a[NODE * i + j] -= share * a[NODE * k + j];
                inverse[NODE * i + j] -= share * inverse[NODE * k + j];
            }
        }
    }
    return true;
}

// C = A B of n x k and k x m.
static void multiply(int n, int k, int m, const double *A, const double *B, double *C) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            double sum = 0;
            for (int q = 0; q < k; q++) {
                sum += A[NODE * i + q] * B[NODE * q + j];
            }
            C[NODE * i + j] = sum;
        }
    }
}

// L_c and W_c of a node. A row that is held has x = R = 0.
static void read_law(const CairnSmoothSystem *s, const CairnGivenNode *node, double *L, double *W) {
    memset(L, 0, NODE * NODE * sizeof *L);
    memset(W, 0, NODE * NODE * sizeof *W);
    bool is_cone = node->friction >= 0 && s->cones->cones[node->friction].is_cone;
    for (int i = 0; i < node->count; i++) {
        const CairnSmoothRow *row = &s->rows[node->first + i];
        if (is_cone && i < 3) {
            memcpy(L + (ptrdiff_t)NODE * i, s->groups[node->friction].L + (ptrdiff_t)3 * i, 3 * sizeof *L);
            memcpy(W + (ptrdiff_t)NODE * i, s->groups[node->friction].W + (ptrdiff_t)3 * i, 3 * sizeof *W);
            continue;
        }
        L[(NODE + 1) * i] = row->L + row->W > 0 ? row->L : 1;
        W[(NODE + 1) * i] = row->W;
        if (row->normal >= 0) {
            L[NODE * i + row->normal - node->first] = row->N;
        }
    }
}

// M or its transpose, below the diagonal.
static void add_block(const double *M, int rows, int columns, bool is_transposed, const CairnLinalgFront *front,
                      int row, int column) {
    for (int j = 0; j < columns; j++) {
        double *entry = cairn_linalg_diagonal(front, column + j) + (row - column - j);
        for (int i = 0; i < rows; i++) {
            entry[i] += is_transposed ? M[NODE * j + i] : M[NODE * i + j];
        }
    }
}

static void add_node(void *user, int node, const CairnLinalgFront *fronts, int row) {
    const CairnSmoothSparse *sparse = user;
    for (int i = 0; i < sparse->given.nodes[node].count; i++) { // D_c^-1 D_c
        *cairn_linalg_diagonal(&fronts[0], row + i) += 1;
        *cairn_linalg_diagonal(&fronts[1], row + i) += 1;
    }
}

static void add_pair(void *user, int element, const CairnLinalgFront *fronts, const int *rows) {
    const CairnSmoothSparse *sparse = user;
    const CairnGivenPair *pair = &sparse->given.pairs[element];
    int late = rows[1] > rows[0]; // the node that is eliminated later
    int below = sparse->given.nodes[pair->node[late]].count, above = sparse->given.nodes[pair->node[!late]].count;
    double M[NODE * NODE];
    multiply(below, below, above, sparse->nodes[pair->node[late]].G, pair->W[late], M);
    add_block(M, below, above, false, &fronts[0], rows[late], rows[!late]);
    multiply(above, above, below, sparse->nodes[pair->node[!late]].G, pair->W[!late], M);
    add_block(M, below, above, true, &fronts[1], rows[late], rows[!late]);
}

CairnStatus cairn_smooth_sparse_factor(CairnSmoothSparse *sparse, const CairnSmoothSystem *s) {
    for (int c = 0; c < sparse->given.node_count; c++) {
        const CairnGivenNode *given = &sparse->given.nodes[c];
        CairnSmoothNode *node = &sparse->nodes[c];
        double L[NODE * NODE], W[NODE * NODE], A[NODE * NODE], D[NODE * NODE];
        int count = given->count;
        read_law(s, given, L, W);
        memcpy(A, given->W, sizeof A);
        for (int i = 0; i < count; i++) {
            A[(NODE + 1) * i] += least_give * s->cones->exact.D[given->first + i];
        }
        multiply(count, count, count, W, A, D);
        for (int i = 0; i < NODE * count; i++) {
            D[i] += i % NODE < count ? L[i] : 0;
        }
        if (!invert_node(count, D, node->inverse)) {
            return cairn_error(CAIRN_NUMERIC, "newton-cone: the law of row %d is singular", given->first);
        }
        multiply(count, count, count, node->inverse, W, node->G);
        for (int i = 0; i < count; i++) {
            sparse->scale[given->first + i] = 1;
        }
    }
    CairnLinalgSource source = {sparse, add_node, add_pair, sparse->scale, NULL};
    int bad = cairn_linalg_factor(&sparse->factor, &source);
    return bad < 0 ? cairn_ok() : cairn_error(CAIRN_NUMERIC, "newton-cone: a pivot is lost to rounding at row %d", bad);
}

void cairn_smooth_sparse_apply(CairnSmoothSparse *sparse, const double *R, double *x) {
    for (int c = 0; c < sparse->given.node_count; c++) {
        int first = sparse->given.nodes[c].first, count = sparse->given.nodes[c].count;
        for (int i = 0; i < count; i++) {
            double sum = 0;
            for (int j = 0; j < count; j++) {
                sum += sparse->nodes[c].inverse[NODE * i + j] * R[first + j];
            }
            x[first + i] = sum;
        }
    }
    cairn_linalg_solve(&sparse->factor, x);
}
