// Linalg: the block factor against dense algebra of the tests.
#include "tests/support/support_systems.h"

#include "engine/base/arena.h"
#include "solvers/linalg/linalg.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- a dense symmetric matrix with a block pattern ------------------------------------------------------------------

typedef struct Matrix {
    CairnLinalgGraph graph;
    int node_size[512], element_start[2048], element_node[8192];
    bool is_held[512];
    int first[513];
    int n;
    double *a, *scale; // n x n
    const CairnLinalgPlan *plan;
    bool *is_taken; // element entries already handed out
} Matrix;

static void matrix_nodes(Matrix *m, int count, uint64_t *seed, int size) {
    *m = (Matrix){0};
    for (int i = 0; i < count; i++) {
        m->node_size[i] = size > 0 ? size : support_int(seed, 1, 8);
        m->first[i + 1] = m->first[i] + m->node_size[i];
    }
    m->n = m->first[count];
    m->graph = (CairnLinalgGraph){count, 0, m->node_size, m->element_start, m->element_node, NULL, NULL, NULL};
}

static void matrix_element(Matrix *m, int count, const int *nodes) {
    int e = m->graph.element_count++;
    for (int k = 0; k < count; k++) {
        m->element_node[m->element_start[e] + k] = nodes[k];
    }
    m->element_start[e + 1] = m->element_start[e] + count;
}

static void matrix_pair(Matrix *m, int i, int j) {
    matrix_element(m, 2, (int[]){i, j});
}

// Random entries inside the pattern; the diagonal dominates. `indefinite`: nodes of odd index are negative definite and
// couple with even ones only as strongly as they like (quasi-definite needs no dominance between the two).
static void matrix_fill(Matrix *m, uint64_t *seed, bool is_indefinite) {
    int n = m->n, count = m->graph.node_count;
    m->a = calloc((size_t)n * (size_t)n + 1, sizeof *m->a);
    m->scale = calloc((size_t)n + 1, sizeof *m->scale);
    assert_true(m->a && m->scale);
    for (int e = 0; e < m->graph.element_count; e++) {
        for (int k = m->element_start[e]; k < m->element_start[e + 1]; k++) {
            for (int l = m->element_start[e]; l < m->element_start[e + 1]; l++) {
                int p = m->element_node[k], q = m->element_node[l];
                for (int i = m->first[p]; i < m->first[p + 1]; i++) {
                    for (int j = m->first[q]; j < m->first[q + 1] && j < i; j++) {
                        m->a[i * n + j] = m->a[j * n + i] = support_uniform(seed, -1, 1);
                    }
                }
            }
        }
    }
    for (int p = 0; p < count; p++) {
        int sign = is_indefinite && p % 2 == 1 ? -1 : 1;
        for (int i = m->first[p]; i < m->first[p + 1]; i++) {
            double sum = 0.1;
            for (int q = 0; q < count; q++) {
                for (int j = m->first[q]; j < m->first[q + 1]; j++) {
                    bool is_same = !is_indefinite || q % 2 == p % 2;
                    sum += is_same && j != i ? fabs(m->a[i * n + j]) : 0;
                }
            }
            m->a[i * n + i] = sign * sum;
            m->scale[i] = sign * sum;
        }
    }
}

static void matrix_free(Matrix *m) {
    free(m->a);
    free(m->scale);
    *m = (Matrix){0};
}

static void add_block(const Matrix *m, const CairnLinalgFront *front, int p, int row_p, int q, int row_q,
                      double share) {
    for (int j = 0; j < m->node_size[q]; j++) {
        double *column = cairn_linalg_diagonal(front, row_q + j) - (row_q + j);
        for (int i = 0; i < m->node_size[p]; i++) {
            if (row_p + i >= row_q + j) {
                column[row_p + i] += share * m->a[(m->first[p] + i) * m->n + m->first[q] + j];
            }
        }
    }
}

static void add_node(void *user, int node, const CairnLinalgFront *front, int row) {
    add_block(user, front, node, row, node, row, 1);
}

// Each coupling is shared out evenly among the elements that hold it.
static void add_element(void *user, int element, const CairnLinalgFront *front, const int *rows) {
    const Matrix *m = user;
    int first = m->element_start[element], count = m->element_start[element + 1] - first;
    for (int k = 0; k < count; k++) {
        for (int l = 0; l < count; l++) {
            int p = m->element_node[first + k], q = m->element_node[first + l], holders = 0;
            if (p == q || rows[k] < rows[l]) {
                continue;
            }
            for (int e = 0; e < m->graph.element_count; e++) {
                int found = 0;
                for (int i = m->element_start[e]; i < m->element_start[e + 1]; i++) {
                    found += m->element_node[i] == p || m->element_node[i] == q;
                }
                holders += found == 2;
            }
            add_block(m, front, p, rows[k], q, rows[l], 1.0 / holders);
        }
    }
}

// Factor and solve the matrix and hold it against the dense answer; returns the plan's operations.
static double check_matrix(Matrix *m, uint64_t *seed) {
    CairnAllocator allocator = {0};
    CairnArena arena;
    cairn_arena_init(&arena, &allocator);
    CairnLinalgPlan plan;
    assert_ok(cairn_linalg_plan(&m->graph, NULL, &arena, &arena, &plan));
    assert_int_equal(plan.size, m->n);
    CairnLinalgFactor factor;
    assert_ok(cairn_linalg_factor_init(&factor, &plan, 1, &arena));
    CairnLinalgSource source = {m, add_node, add_element, m->scale, NULL};
    assert_int_equal(cairn_linalg_factor(&factor, &source), -1);
    double *x = calloc((size_t)m->n + 1, sizeof *x), *y = calloc((size_t)m->n + 1, sizeof *y);
    assert_true(x && y);
    for (int i = 0; i < m->n; i++) {
        x[i] = y[i] = support_uniform(seed, -1, 1);
    }
    cairn_linalg_solve(&factor, x);
    assert_true(support_solve_symmetric(m->n, m->a, y));
    double largest = 0;
    for (int i = 0; i < m->n; i++) {
        largest = fmax(largest, fabs(y[i]));
    }
    for (int i = 0; i < m->n; i++) {
        // Both lose a few eps times the condition, which dominance bounds by about 1e3.
        assert_near(x[i], y[i], 1e-11 * largest);
    }
    free(x);
    free(y);
    cairn_arena_free(&arena);
    return plan.operations;
}

static void random_pattern(Matrix *m, uint64_t *seed, int nodes, int elements) {
    matrix_nodes(m, nodes, seed, 0);
    for (int e = 0; e < elements; e++) {
        int list[4], count = 0;
        for (int k = support_int(seed, 1, 4); k > 0; k--) {
            int i = support_int(seed, 0, nodes - 1);
            bool is_new = true;
            for (int l = 0; l < count; l++) {
                is_new = is_new && list[l] != i;
            }
            list[count] = i;
            count += is_new;
        }
        matrix_element(m, count, list);
    }
}

static void random_matrices(void **state) {
    (void)state;
    Matrix m;
    uint64_t seed = 1;
    for (int round = 0; round < 300; round++) {
        int nodes = support_int(&seed, 1, round < 200 ? 12 : 50);
        random_pattern(&m, &seed, nodes, support_int(&seed, 0, 2 * nodes));
        bool is_indefinite = round % 2 == 1;
        matrix_fill(&m, &seed, is_indefinite);
        for (int i = 0; i < nodes; i++) {
            m.is_held[i] = is_indefinite && i % 2 == 1;
        }
        m.graph.is_held = is_indefinite ? m.is_held : NULL;
        check_matrix(&m, &seed);
        matrix_free(&m);
    }
}

static void chains_grids_stars(void **state) {
    (void)state;
    Matrix m;
    uint64_t seed = 2;
    for (int size = 1; size <= 9; size++) { // all remainders of kernels and rows
        matrix_nodes(&m, 30, &seed, size);
        for (int i = 0; i + 1 < 30; i++) {
            matrix_pair(&m, i, i + 1);
        }
        matrix_fill(&m, &seed, size % 2 == 0);
        check_matrix(&m, &seed);
        matrix_free(&m);
        matrix_nodes(&m, 49, &seed, size > 6 ? 3 : size);
        for (int i = 0; i < 49; i++) {
            if (i % 7 < 6) {
                matrix_pair(&m, i, i + 1);
            }
            if (i / 7 < 6) {
                matrix_pair(&m, i, i + 7);
            }
        }
        matrix_fill(&m, &seed, size % 2 == 1);
        check_matrix(&m, &seed);
        matrix_free(&m);
        matrix_nodes(&m, 40, &seed, size);
        for (int i = 1; i < 40; i++) {
            matrix_pair(&m, 0, i);
        }
        matrix_fill(&m, &seed, false);
        check_matrix(&m, &seed);
        matrix_free(&m);
    }
}

// What a front leaves to its parent may be one run over the parent's pivots and what lies below them, with the border
// anywhere in it: children over 5, 3 and 4 rows, the parent's pivots 5 and 3, and below these 4 and 4 that go later.
// Stages keep such small fronts apart.
static void runs_over_a_border(void **state) {
    (void)state;
    enum { CHILD, OTHER_CHILD, PIVOT, OTHER, BELOW, LOWER, NODES };
    static const int stage[NODES] = {0, 0, 1, 1, 2, 2};
    static Matrix m;
    uint64_t seed = 7;
    for (int round = 0; round < 32; round++) {
        const int sizes[NODES] = {1 + round % 8, 1 + round % 8, round < 16 ? 5 : 3, round < 16 ? 3 : 5, 4, 4};
        matrix_nodes(&m, NODES, &seed, 1);
        for (int i = 0; i < NODES; i++) {
            m.node_size[i] = sizes[i];
            m.first[i + 1] = m.first[i] + sizes[i];
        }
        m.n = m.first[NODES];
        m.graph.stage = stage;
        matrix_element(&m, 4, (int[]){CHILD, PIVOT, OTHER, BELOW});
        matrix_element(&m, 4, (int[]){OTHER_CHILD, PIVOT, OTHER, LOWER});
        matrix_element(&m, 4, (int[]){PIVOT, OTHER, BELOW, LOWER});
        matrix_fill(&m, &seed, false);
        check_matrix(&m, &seed);
        matrix_free(&m);
    }
}

static void one_node_and_none(void **state) {
    (void)state;
    Matrix m;
    uint64_t seed = 3;
    for (int size = 1; size <= 64; size += 9) {
        matrix_nodes(&m, 1, &seed, size);
        matrix_fill(&m, &seed, false);
        for (int i = 0; i < m.n; i++) { // dense in itself
            for (int j = 0; j < i; j++) {
                m.a[i * m.n + j] = m.a[j * m.n + i] = support_uniform(&seed, -0.01, 0.01);
            }
            m.a[i * m.n + i] = m.scale[i] = 1;
        }
        check_matrix(&m, &seed);
        matrix_free(&m);
    }
    matrix_nodes(&m, 0, &seed, 1);
    matrix_fill(&m, &seed, false);
    check_matrix(&m, &seed);
    matrix_free(&m);
    matrix_nodes(&m, 20, &seed, 0); // nothing is coupled
    matrix_fill(&m, &seed, false);
    check_matrix(&m, &seed);
    matrix_free(&m);
}

static void orders_are_permutations_and_hold_back(void **state) {
    (void)state;
    uint64_t seed = 4;
    CairnAllocator allocator = {0};
    CairnArena arena;
    cairn_arena_init(&arena, &allocator);
    for (int round = 0; round < 200; round++) {
        Matrix m;
        int nodes = support_int(&seed, 1, 60), order[60], place[60];
        random_pattern(&m, &seed, nodes, support_int(&seed, 0, 120));
        for (int i = 0; i < nodes; i++) {
            m.is_held[i] = support_int(&seed, 0, 2) == 0;
            place[i] = -1;
        }
        m.graph.is_held = m.is_held;
        assert_ok(cairn_linalg_order(&m.graph, &arena, order));
        for (int k = 0; k < nodes; k++) {
            assert_in_range(order[k], 0, nodes - 1);
            assert_int_equal(place[order[k]], -1);
            place[order[k]] = k;
        }
        // A node that waits goes after a neighbour, unless it has none that may go before it.
        for (int i = 0; i < nodes; i++) {
            bool has_free = false, has_earlier = false;
            for (int e = 0; e < m.graph.element_count; e++) {
                bool is_here = false;
                for (int k = m.element_start[e]; k < m.element_start[e + 1]; k++) {
                    is_here = is_here || m.element_node[k] == i;
                }
                for (int k = m.element_start[e]; is_here && k < m.element_start[e + 1]; k++) {
                    int j = m.element_node[k];
                    has_free = has_free || (j != i && !m.is_held[j]);
                    has_earlier = has_earlier || place[j] < place[i];
                }
            }
            assert_true(!m.is_held[i] || has_earlier || !has_free);
        }
    }
    cairn_arena_free(&arena);
}

// Minimum degree on a chain is perfect: no fill at all. On a 7 x 7 grid of scalars the least known count of entries is
// near 300.
static void orders_fill_little(void **state) {
    (void)state;
    CairnAllocator allocator = {0};
    CairnArena arena;
    cairn_arena_init(&arena, &allocator);
    uint64_t seed = 5;
    Matrix m;
    CairnLinalgPlan plan;
    matrix_nodes(&m, 400, &seed, 6);
    for (int i = 0; i + 1 < 400; i++) {
        matrix_pair(&m, i, i + 1);
    }
    assert_ok(cairn_linalg_plan(&m.graph, NULL, &arena, &arena, &plan));
    assert_below((double)plan.largest_below, 6.0);
    assert_below(plan.entries, 400 * (21 + 36) * 2.0); // twice: what merging fronts adds
    cairn_arena_free(&arena);
}

static void lost_pivots_are_told(void **state) {
    (void)state;
    uint64_t seed = 6;
    for (int round = 0; round < 60; round++) {
        Matrix m;
        random_pattern(&m, &seed, 10, 18);
        matrix_fill(&m, &seed, round % 3 == 0);
        int bad = support_int(&seed, 0, m.n - 1);
        for (int j = 0; j < m.n; j++) {
            m.a[bad * m.n + j] = m.a[j * m.n + bad] = 0;
        }
        // Zero, of the wrong sign, not a number, infinite.
        double wrong[] = {0, -m.scale[bad], (double)NAN, (double)INFINITY};
        m.a[bad * m.n + bad] = wrong[round % 4];
        CairnAllocator allocator = {0};
        CairnArena arena;
        cairn_arena_init(&arena, &allocator);
        CairnLinalgPlan plan;
        CairnLinalgFactor factor;
        assert_ok(cairn_linalg_plan(&m.graph, NULL, &arena, &arena, &plan));
        assert_ok(cairn_linalg_factor_init(&factor, &plan, 2, &arena));
        CairnLinalgSource source = {&m, add_node, add_element, m.scale, NULL};
        assert_int_equal(cairn_linalg_factor(&factor, &source), bad);
        cairn_arena_free(&arena);
        matrix_free(&m);
    }
}

// The nodes of an element go in the order of their stages.
static void expect_stages(const Matrix *m, const CairnLinalgPlan *plan) {
    const int *stage = m->graph.stage;
    for (int e = 0; e < m->graph.element_count; e++) {
        for (int k = m->element_start[e]; k < m->element_start[e + 1]; k++) {
            for (int l = m->element_start[e]; l < k; l++) {
                int p = m->element_node[k], q = m->element_node[l];
                assert_true(stage[p] == stage[q] ||
                            (stage[p] < stage[q]) == (plan->node_pivot[p] < plan->node_pivot[q]));
            }
        }
    }
}

// Halve what an element couples; those that share an entry with it change with it.
static void change_an_element(Matrix *m, uint64_t *seed, bool *has_changed) {
    int changed = support_int(seed, 0, m->graph.element_count - 1), first = m->element_start[changed];
    int end = m->element_start[changed + 1];
    for (int e = 0; e < m->graph.element_count; e++) {
        has_changed[e] = false;
        for (int k = m->element_start[e]; k < m->element_start[e + 1]; k++) {
            for (int l = first; l < end; l++) {
                has_changed[e] = has_changed[e] || m->element_node[k] == m->element_node[l];
            }
        }
    }
    for (int k = first; k < end; k++) {
        for (int l = first; l < k; l++) {
            int i = m->first[m->element_node[k]], j = m->first[m->element_node[l]];
            m->a[i * m->n + j] *= 0.5;
            m->a[j * m->n + i] *= 0.5;
        }
    }
}

static void expect_same_answers(const Matrix *m, uint64_t *seed, CairnLinalgFactor *a, CairnLinalgFactor *b) {
    double *x = calloc((size_t)m->n + 1, sizeof *x), *y = calloc((size_t)m->n + 1, sizeof *y);
    assert_true(x && y);
    for (int i = 0; i < m->n; i++) {
        x[i] = y[i] = support_uniform(seed, -1, 1);
    }
    cairn_linalg_solve(a, x);
    cairn_linalg_solve(b, y);
    assert_memory_equal(x, y, (size_t)m->n * sizeof *x);
    free(x);
    free(y);
}

// Stage by stage: the order keeps to them; the answer is the dense one on any number of threads, to the bit; and where
// some elements change, factoring only the units that hold them gives the very factor that a new one gives.
static void stages_stand_where_nothing_changed(void **state) {
    (void)state;
    int kept = 0;
    for (int round = 0; round < 40; round++) {
        static Matrix m;
        static int stage[512];
        static bool has_changed[2048];
        uint64_t seed = 700 + (uint64_t)round;
        int nodes = support_int(&seed, 12, 40);
        random_pattern(&m, &seed, nodes, nodes);
        for (int i = 0; i < nodes; i++) {
            stage[i] = support_int(&seed, 0, 3) / 2; // 0, 0, 1, 1
            stage[i] += stage[i] > 0 && round % 2 ? support_int(&seed, 0, 2) : 0;
        }
        m.graph.stage = stage;
        matrix_fill(&m, &seed, false);
        check_matrix(&m, &seed);
        CairnAllocator allocator = {0};
        CairnArena arena;
        cairn_arena_init(&arena, &allocator);
        CairnLinalgPlan plan;
        CairnLinalgFactor factor, anew;
        assert_ok(cairn_linalg_plan(&m.graph, NULL, &arena, &arena, &plan));
        expect_stages(&m, &plan);
        assert_ok(cairn_linalg_factor_init(&factor, &plan, 1, &arena));
        assert_ok(cairn_linalg_factor_init(&anew, &plan, 2, &arena));
        CairnLinalgSource source = {&m, add_node, add_element, m.scale, NULL};
        assert_int_equal(cairn_linalg_factor(&factor, &source), -1);
        change_an_element(&m, &seed, has_changed);
        CairnLinalgSource again = {&m, add_node, add_element, m.scale, has_changed};
        assert_int_equal(cairn_linalg_factor(&factor, &again), -1);
        assert_int_equal(cairn_linalg_factor(&anew, &source), -1);
        for (int u = 0; u < plan.unit_count; u++) {
            kept += factor.is_fresh[u];
        }
        expect_same_answers(&m, &seed, &factor, &anew);
        cairn_arena_free(&arena);
        matrix_free(&m);
    }
    assert_true(kept > 40);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_matrices),
        cmocka_unit_test(chains_grids_stars),
        cmocka_unit_test(runs_over_a_border),
        cmocka_unit_test(one_node_and_none),
        cmocka_unit_test(orders_are_permutations_and_hold_back),
        cmocka_unit_test(orders_fill_little),
        cmocka_unit_test(lost_pivots_are_told),
        cmocka_unit_test(stages_stand_where_nothing_changed),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
