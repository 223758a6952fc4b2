#include "solvers/system/given.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/problem/law.h"

enum { NODE = CAIRN_GIVEN_ROWS };

// Nodes in the order of their rows; node_of[row].
static void find_nodes(CairnGiven *given, const CairnProblem *problem, int *node_of) {
    for (int i = 0; i < problem->row_count; i++) {
        node_of[i] = -1;
    }
    for (int f = 0; f < problem->friction_count; f++) {
        node_of[problem->frictions[f].normal] = f; // for a moment
    }
    for (int i = 0; i < problem->row_count;) {
        int friction = node_of[i], count = friction >= 0 ? 3 + problem->frictions[friction].spin_rows : 1;
        given->nodes[given->node_count] = (CairnGivenNode){.first = i, .count = count, .friction = friction};
        for (int end = i + count; i < end; i++) {
            node_of[i] = given->node_count;
        }
        given->node_count++;
    }
}

static int compare(const void *a, const void *b) {
    long long x = *(const long long *)a, y = *(const long long *)b;
    return (x > y) - (x < y);
}

// Every pair of nodes with an entry in either direction, once, in order.
static CairnStatus find_pairs(CairnGiven *given, const CairnProblem *problem, const int *node_of, CairnArena *arena,
                              long long **keys) {
    size_t entries = problem->row_count > 0 ? (size_t)problem->W_start[problem->row_count] : 0, count = 0;
    int *seen = CAIRN_PUSH(arena, int, given->node_count + 1);
    *keys = CAIRN_PUSH(arena, long long, entries + 1);
    if (seen == NULL || *keys == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "W: no memory for %zu entries of W", entries);
    }
    for (int c = 0; c < given->node_count; c++) {
        seen[c] = -1;
    }
    for (int c = 0; c < given->node_count; c++) {
        const CairnGivenNode *node = &given->nodes[c];
        for (int k = problem->W_start[node->first]; k < problem->W_start[node->first + node->count]; k++) {
            int other = node_of[problem->W_column[k]];
            if (other != c && seen[other] != c && problem->W[k] != 0) {
                int low = other < c ? other : c, high = other < c ? c : other;
                seen[other] = c;
                (*keys)[count++] = (long long)low * given->node_count + high;
            }
        }
    }
    qsort(*keys, count, sizeof **keys, compare);
    for (size_t k = 0; k < count; k++) {
        if (k == 0 || (*keys)[k] != (*keys)[given->pair_count - 1]) {
            (*keys)[given->pair_count++] = (*keys)[k];
        }
    }
    return cairn_ok();
}

static void read_blocks(CairnGiven *given, const CairnProblem *problem, const int *node_of, const long long *keys) {
    for (int p = 0; p < given->pair_count; p++) {
        given->pairs[p].node[0] = (int)(keys[p] / given->node_count);
        given->pairs[p].node[1] = (int)(keys[p] % given->node_count);
    }
    for (int i = 0; i < problem->row_count; i++) {
        int own = node_of[i], at = i - given->nodes[own].first;
        for (int k = problem->W_start[i]; k < problem->W_start[i + 1]; k++) {
            int other = node_of[problem->W_column[k]], low = own < other ? own : other,
                high = own < other ? other : own;
            double *W = given->nodes[own].W;
            if (own != other) {
                long long key = (long long)low * given->node_count + high;
                const long long *found = bsearch(&key, keys, (size_t)given->pair_count, sizeof key, compare);
                if (found == NULL) { // an entry of zero
                    continue;
                }
                W = given->pairs[found - keys].W[own == high];
            }
            W[NODE * at + problem->W_column[k] - given->nodes[other].first] += problem->W[k];
        }
    }
}

static CairnStatus make_plan(CairnGiven *given, CairnArena *arena) {
    int *sizes = CAIRN_PUSH(arena, int, given->node_count + 1);
    int *starts = CAIRN_PUSH(arena, int, given->pair_count + 2);
    int *nodes = CAIRN_PUSH(arena, int, 2 * (size_t)given->pair_count + 1);
    if (sizes == NULL || starts == NULL || nodes == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "W: no memory for a graph of %d nodes", given->node_count);
    }
    for (int c = 0; c < given->node_count; c++) {
        sizes[c] = given->nodes[c].count;
    }
    for (int p = 0; p < given->pair_count; p++) {
        starts[p] = 2 * p;
        nodes[2 * p] = given->pairs[p].node[0];
        nodes[2 * p + 1] = given->pairs[p].node[1];
    }
    starts[given->pair_count] = 2 * given->pair_count;
    CairnLinalgGraph graph = {.node_count = given->node_count,
                              .element_count = given->pair_count,
                              .node_size = sizes,
                              .element_start = starts,
                              .element_node = nodes};
    return cairn_linalg_plan(&graph, NULL, arena, arena, &given->plan);
}

CairnStatus cairn_given_init(CairnGiven *given, const CairnProblem *problem, CairnArena *arena) {
    size_t rows = (size_t)problem->row_count;
    long long *keys;
    *given = (CairnGiven){.nodes = CAIRN_PUSH_ZERO(arena, CairnGivenNode, rows + 1)};
    int *node_of = CAIRN_PUSH(arena, int, rows + 1);
    if (!given->nodes || !node_of) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "W: no memory for %zu rows", rows);
    }
    find_nodes(given, problem, node_of);
    CAIRN_TRY(find_pairs(given, problem, node_of, arena, &keys));
    given->pairs = CAIRN_PUSH_ZERO(arena, CairnGivenPair, given->pair_count + 1);
    if (!given->pairs) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "W: no memory for %d pairs of contacts", given->pair_count);
    }
    read_blocks(given, problem, node_of, keys);
    return make_plan(given, arena);
}

// ---- positive semidefinite? -----------------------------------------------------------------------------------------

// The symmetric part of W, and what is added to its diagonal: rounding, and as much as W is unsymmetric.
typedef struct Check {
    const CairnGiven *given;
    int rows;
    double *shift, *scale;
} Check;

static double symmetric(const double *W, const double *other, int i, int j) {
    return 0.5 * (W[NODE * i + j] + other[NODE * j + i]);
}

static double half_apart(const double *W, const double *other, int i, int j) {
    return 0.5 * fabs(W[NODE * i + j] - other[NODE * j + i]);
}

// What W is off by is no smaller than its own asymmetry: each row is given the largest share of any row, twice.
static void find_shifts(const Check *check) {
    static const double rounding = 1e-6, most = 0.25;
    const CairnGiven *given = check->given;
    double share = 0;
    for (int c = 0; c < given->node_count; c++) {
        const CairnGivenNode *node = &given->nodes[c];
        for (int i = 0; i < node->count; i++) {
            int row = node->first + i;
            check->scale[row] = fabs(node->W[(NODE + 1) * i]);
            check->shift[row] = 0;
            for (int j = 0; j < node->count; j++) {
                check->shift[row] += half_apart(node->W, node->W, i, j);
            }
        }
    }
    for (int p = 0; p < given->pair_count; p++) {
        const CairnGivenPair *pair = &given->pairs[p];
        const CairnGivenNode *a = &given->nodes[pair->node[0]], *b = &given->nodes[pair->node[1]];
        for (int i = 0; i < a->count; i++) {
            for (int j = 0; j < b->count; j++) {
                check->shift[a->first + i] += half_apart(pair->W[0], pair->W[1], i, j);
                check->shift[b->first + j] += half_apart(pair->W[0], pair->W[1], i, j);
            }
        }
    }
    for (int i = 0; i < check->rows; i++) {
        share = check->scale[i] > 0 ? cairn_max(share, check->shift[i] / check->scale[i]) : share;
    }
    for (int i = 0; i < check->rows; i++) { // a row of zeros takes any diagonal
        check->scale[i] = check->scale[i] > 0 ? check->scale[i] : cairn_max(check->shift[i], 1);
        check->shift[i] = (rounding + cairn_min(2 * share, most)) * check->scale[i];
    }
}

static void add_node(void *user, int node, const CairnLinalgFront *front, int row) {
    const Check *check = user;
    const CairnGivenNode *own = &check->given->nodes[node];
    for (int j = 0; j < own->count; j++) {
        double *diagonal = cairn_linalg_diagonal(front, row + j);
        diagonal[0] += check->shift[own->first + j];
        for (int i = j; i < own->count; i++) {
            diagonal[i - j] += symmetric(own->W, own->W, i, j);
        }
    }
}

static void add_pair(void *user, int element, const CairnLinalgFront *front, const int *rows) {
    const Check *check = user;
    const CairnGivenPair *pair = &check->given->pairs[element];
    int late = rows[1] > rows[0]; // the node that is eliminated later
    int below = check->given->nodes[pair->node[late]].count, above = check->given->nodes[pair->node[!late]].count;
    for (int j = 0; j < above; j++) {
        double *entry = cairn_linalg_diagonal(front, rows[!late] + j) + (rows[late] - rows[!late] - j);
        for (int i = 0; i < below; i++) {
            entry[i] += symmetric(pair->W[late], pair->W[!late], i, j);
        }
    }
}

CairnStatus cairn_given_check(const CairnProblem *problem, CairnArena *arena) {
    static const double most_operations = 5e9;
    bool has_cones =
        cairn_law_find(problem, CAIRN_FRICTION_CONE) >= 0 || cairn_law_find(problem, CAIRN_FRICTION_COULOMB) >= 0;
    if (problem->form != CAIRN_FORM_EXPLICIT || !has_cones) {
        return cairn_ok();
    }
    CairnArenaMark mark = cairn_arena_mark(arena);
    CairnGiven given;
    CairnLinalgFactor factor;
    Check check = {.given = &given, .rows = problem->row_count};
    check.shift = CAIRN_PUSH(arena, double, problem->row_count + 1);
    check.scale = CAIRN_PUSH(arena, double, problem->row_count + 1);
    if (!check.shift || !check.scale) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "W: no memory for %d rows", problem->row_count);
    }
    CAIRN_TRY(cairn_given_init(&given, problem, arena));
    find_shifts(&check);
    int bad = -1;
    if (given.plan.operations <= most_operations) {
        CAIRN_TRY(cairn_linalg_factor_init(&factor, &given.plan, 1, arena));
        CairnLinalgSource source = {&check, add_node, add_pair, check.scale, NULL};
        bad = cairn_linalg_factor(&factor, &source);
    }
    double diagonal = 0;
    for (int k = bad >= 0 ? problem->W_start[bad] : 0; bad >= 0 && k < problem->W_start[bad + 1]; k++) {
        diagonal += problem->W_column[k] == bad ? problem->W[k] : 0;
    }
    cairn_arena_release(arena, mark);
    if (bad >= 0) {
        return cairn_error(
            CAIRN_INVALID_ARGUMENT,
            "problem: W is not positive semidefinite, as friction cones need it: elimination ends at row "
            "%d, whose diagonal entry is %g",
            bad, diagonal);
    }
    return cairn_ok();
}
