#include "solvers/exact/smooth_sparse.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/exact/smooth_system.h"

enum { NODE = CAIRN_SMOOTH_NODE };

// Of D, added to A in the factor alone: rows of W may depend on one another, and without exchanges that needs pivots that
// stand out from rounding. Refinement takes it away again.
static const double least_give = 1e-13;

// ---- the graph ------------------------------------------------------------------------------------------------------------

// Nodes in the order of their rows; node_of[row].
static void find_nodes(CairnSmoothSparse *sparse, const CairnProblem *problem, int *node_of) {
    for (int i = 0; i < problem->row_count; i++) {
        node_of[i] = -1;
    }
    for (int f = 0; f < problem->friction_count; f++) {
        node_of[problem->frictions[f].normal] = f; // for a moment
    }
    for (int i = 0; i < problem->row_count;) {
        int friction = node_of[i], count = friction >= 0 ? 3 + problem->frictions[friction].spin_rows : 1;
        sparse->nodes[sparse->node_count] = (CairnSmoothNode){.first = i, .count = count, .friction = friction};
        for (int end = i + count; i < end; i++) {
            node_of[i] = sparse->node_count;
        }
        sparse->node_count++;
    }
}

static int compare(const void *a, const void *b) {
    long long x = *(const long long *)a, y = *(const long long *)b;
    return (x > y) - (x < y);
}

// Every pair of nodes with an entry in either direction, once, in order.
static CairnStatus find_pairs(CairnSmoothSparse *sparse, const CairnProblem *problem, const int *node_of,
                              CairnArena *arena, long long **keys) {
    size_t entries = problem->row_count > 0 ? (size_t)problem->W_start[problem->row_count] : 0, count = 0;
    int *seen = CAIRN_PUSH(arena, int, sparse->node_count + 1);
    *keys = CAIRN_PUSH(arena, long long, entries + 1);
    if (seen == NULL || *keys == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "newton-cone: no memory for %zu entries of W", entries);
    }
    for (int c = 0; c < sparse->node_count; c++) {
        seen[c] = -1;
    }
    for (int c = 0; c < sparse->node_count; c++) {
        const CairnSmoothNode *node = &sparse->nodes[c];
        for (int k = problem->W_start[node->first]; k < problem->W_start[node->first + node->count]; k++) {
            int other = node_of[problem->W_column[k]];
            if (other != c && seen[other] != c && problem->W[k] != 0) {
                int low = other < c ? other : c, high = other < c ? c : other;
                seen[other] = c;
                (*keys)[count++] = (long long)low * sparse->node_count + high;
            }
        }
    }
    qsort(*keys, count, sizeof **keys, compare);
    for (size_t k = 0; k < count; k++) {
        if (k == 0 || (*keys)[k] != (*keys)[sparse->pair_count - 1]) {
            (*keys)[sparse->pair_count++] = (*keys)[k];
        }
    }
    return cairn_ok();
}

static void read_blocks(CairnSmoothSparse *sparse, const CairnProblem *problem, const int *node_of,
                        const long long *keys) {
    for (int p = 0; p < sparse->pair_count; p++) {
        sparse->pairs[p].node[0] = (int)(keys[p] / sparse->node_count);
        sparse->pairs[p].node[1] = (int)(keys[p] % sparse->node_count);
    }
    for (int i = 0; i < problem->row_count; i++) {
        int own = node_of[i], at = i - sparse->nodes[own].first;
        for (int k = problem->W_start[i]; k < problem->W_start[i + 1]; k++) {
            int other = node_of[problem->W_column[k]], low = own < other ? own : other,
                high = own < other ? other : own;
            double *A = sparse->nodes[own].A;
            if (own != other) {
                long long key = (long long)low * sparse->node_count + high;
                const long long *found = bsearch(&key, keys, (size_t)sparse->pair_count, sizeof key, compare);
                if (found == NULL) { // an entry of zero
                    continue;
                }
                A = sparse->pairs[found - keys].A[own == high];
            }
            A[NODE * at + problem->W_column[k] - sparse->nodes[other].first] += problem->W[k];
        }
    }
}

static CairnStatus make_plan(CairnSmoothSparse *sparse, CairnArena *arena) {
    int *sizes = CAIRN_PUSH(arena, int, sparse->node_count + 1);
    int *starts = CAIRN_PUSH(arena, int, sparse->pair_count + 2);
    int *nodes = CAIRN_PUSH(arena, int, 2 * (size_t)sparse->pair_count + 1);
    if (sizes == NULL || starts == NULL || nodes == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "newton-cone: no memory for a graph of %d nodes", sparse->node_count);
    }
    for (int c = 0; c < sparse->node_count; c++) {
        sizes[c] = sparse->nodes[c].count;
    }
    for (int p = 0; p < sparse->pair_count; p++) {
        starts[p] = 2 * p;
        nodes[2 * p] = sparse->pairs[p].node[0];
        nodes[2 * p + 1] = sparse->pairs[p].node[1];
    }
    starts[sparse->pair_count] = 2 * sparse->pair_count;
    CairnLinalgGraph graph = {.node_count = sparse->node_count,
                              .element_count = sparse->pair_count,
                              .node_size = sizes,
                              .element_start = starts,
                              .element_node = nodes};
    return cairn_linalg_plan(&graph, NULL, arena, arena, &sparse->plan);
}

CairnStatus cairn_smooth_sparse_init(CairnSmoothSparse *sparse, const CairnProblem *problem, int threads,
                                     CairnArena *arena, bool *is_worth) {
    size_t rows = (size_t)problem->row_count;
    long long *keys;
    *sparse = (CairnSmoothSparse){.nodes = CAIRN_PUSH_ZERO(arena, CairnSmoothNode, rows + 1)};
    int *node_of = CAIRN_PUSH(arena, int, rows + 1);
    sparse->scale = CAIRN_PUSH(arena, double, rows + 1);
    sparse->packed = CAIRN_PUSH(arena, double, rows + 1);
    if (!sparse->nodes || !node_of || !sparse->scale || !sparse->packed) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "newton-cone: no memory for %zu rows", rows);
    }
    find_nodes(sparse, problem, node_of);
    CAIRN_TRY(find_pairs(sparse, problem, node_of, arena, &keys));
    sparse->pairs = CAIRN_PUSH_ZERO(arena, CairnSmoothPair, sparse->pair_count + 1);
    if (!sparse->pairs) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "newton-cone: no memory for %d pairs of contacts", sparse->pair_count);
    }
    read_blocks(sparse, problem, node_of, keys);
    CAIRN_TRY(make_plan(sparse, arena));
    // The plan counts a symmetric factor: this one is twice that. A whole one has row exchanges, so it is worth a little.
    double whole = 2.0 / 3 * pow((double)rows, 3);
    *is_worth = 2 * sparse->plan.operations < 0.7 * whole;
    if (!*is_worth) {
        return cairn_ok();
    }
    CAIRN_TRY(cairn_linalg_factor_init(&sparse->lender, &sparse->plan, threads, arena));
    return cairn_linalg_factor_init_unsymmetric(&sparse->factor, &sparse->lender, arena);
}

// ---- the matrix -----------------------------------------------------------------------------------------------------------

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
static void read_law(const CairnSmoothSystem *s, const CairnSmoothNode *node, double *L, double *W) {
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
    for (int i = 0; i < sparse->nodes[node].count; i++) { // D_c^-1 D_c
        *cairn_linalg_diagonal(&fronts[0], row + i) += 1;
        *cairn_linalg_diagonal(&fronts[1], row + i) += 1;
    }
}

static void add_pair(void *user, int element, const CairnLinalgFront *fronts, const int *rows) {
    const CairnSmoothSparse *sparse = user;
    const CairnSmoothPair *pair = &sparse->pairs[element];
    int late = rows[1] > rows[0]; // the node that is eliminated later
    const CairnSmoothNode *below = &sparse->nodes[pair->node[late]], *above = &sparse->nodes[pair->node[!late]];
    double M[NODE * NODE];
    multiply(below->count, below->count, above->count, below->G, pair->A[late], M);
    add_block(M, below->count, above->count, false, &fronts[0], rows[late], rows[!late]);
    multiply(above->count, above->count, below->count, above->G, pair->A[!late], M);
    add_block(M, below->count, above->count, true, &fronts[1], rows[late], rows[!late]);
}

CairnStatus cairn_smooth_sparse_factor(CairnSmoothSparse *sparse, const CairnSmoothSystem *s) {
    for (int c = 0; c < sparse->node_count; c++) {
        CairnSmoothNode *node = &sparse->nodes[c];
        double L[NODE * NODE], W[NODE * NODE], A[NODE * NODE], D[NODE * NODE];
        read_law(s, node, L, W);
        memcpy(A, node->A, sizeof A);
        for (int i = 0; i < node->count; i++) {
            A[(NODE + 1) * i] += least_give * s->cones->exact.D[node->first + i];
        }
        multiply(node->count, node->count, node->count, W, A, D);
        for (int i = 0; i < NODE * node->count; i++) {
            D[i] += i % NODE < node->count ? L[i] : 0;
        }
        if (!invert_node(node->count, D, node->inverse)) {
            return cairn_error(CAIRN_NUMERIC, "newton-cone: the law of row %d is singular", node->first);
        }
        multiply(node->count, node->count, node->count, node->inverse, W, node->G);
        for (int i = 0; i < node->count; i++) {
            sparse->scale[node->first + i] = 1;
        }
    }
    CairnLinalgSource source = {sparse, add_node, add_pair, sparse->scale, NULL};
    int bad = cairn_linalg_factor(&sparse->factor, &source);
    return bad < 0 ? cairn_ok() : cairn_error(CAIRN_NUMERIC, "newton-cone: a pivot is lost to rounding at row %d", bad);
}

void cairn_smooth_sparse_apply(CairnSmoothSparse *sparse, const double *R, double *x) {
    for (int c = 0; c < sparse->node_count; c++) {
        const CairnSmoothNode *node = &sparse->nodes[c];
        for (int i = 0; i < node->count; i++) {
            double sum = 0;
            for (int j = 0; j < node->count; j++) {
                sum += node->inverse[NODE * i + j] * R[node->first + j];
            }
            x[node->first + i] = sum;
        }
    }
    cairn_linalg_solve(&sparse->factor, x);
}
