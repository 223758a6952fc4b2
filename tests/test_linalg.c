// Linalg: the block factor and the three formulations against dense algebra written here.
#include "tests/support_systems.h"

#include "engine/base/arena.h"
#include "engine/base/memory.h"
#include "solvers/formulation.h"
#include "solvers/linalg.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- a dense symmetric matrix with a block pattern --------------------------------------------------------------------------

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
    m->graph = (CairnLinalgGraph){count, 0, m->node_size, m->element_start, m->element_node, NULL};
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

// Random entries inside the pattern; the diagonal dominates. `indefinite`: nodes of odd index are negative definite and couple
// with even ones only as strongly as they like (quasi-definite needs no dominance between the two).
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

// a = L D L^T in place, no pivoting; false where a pivot vanishes.
static bool dense_solve(int n, const double *matrix, double *x) {
    double *a = malloc(((size_t)n * (size_t)n + 1) * sizeof *a);
    assert_non_null(a);
    memcpy(a, matrix, (size_t)n * (size_t)n * sizeof *a);
    bool is_good = true;
    for (int j = 0; j < n; j++) {
        is_good = is_good && a[j * n + j] != 0;
        for (int i = j + 1; i < n; i++) {
            double l = a[i * n + j] / a[j * n + j];
            for (int k = j + 1; k <= i; k++) {
                a[i * n + k] -= l * a[k * n + j];
            }
        }
        for (int i = j + 1; i < n; i++) {
            a[i * n + j] /= a[j * n + j];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            x[i] -= a[i * n + j] * x[j];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        x[i] /= a[i * n + i];
        for (int j = i + 1; j < n; j++) {
            x[i] -= a[j * n + i] * x[j];
        }
    }
    free(a);
    return is_good;
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
    CairnLinalgSource source = {m, add_node, add_element, m->scale};
    assert_int_equal(cairn_linalg_factor(&factor, &source), -1);
    double *x = calloc((size_t)m->n + 1, sizeof *x), *y = calloc((size_t)m->n + 1, sizeof *y);
    assert_true(x && y);
    for (int i = 0; i < m->n; i++) {
        x[i] = y[i] = support_uniform(seed, -1, 1);
    }
    cairn_linalg_solve(&factor, x);
    assert_true(dense_solve(m->n, m->a, y));
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

// Minimum degree on a chain is perfect: no fill at all. On a 7 x 7 grid of scalars the least known count of entries is near 300.
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
        CairnLinalgSource source = {&m, add_node, add_element, m.scale};
        assert_int_equal(cairn_linalg_factor(&factor, &source), bad);
        cairn_arena_free(&arena);
        matrix_free(&m);
    }
}

// ---- the formulations ------------------------------------------------------------------------------------------------------

static const CairnSystemKind *const kinds[] = {&cairn_system_body, &cairn_system_kkt, &cairn_system_constraint};
enum { KIND_COUNT = 3 };

typedef struct Door {
    CairnAllocator allocator;
    CairnArena arena;
    CairnSolverContext context;
    CairnOps ops;
} Door;

static void door_open(Door *door, const CairnProblem *problem, int threads) {
    *door = (Door){0};
    cairn_arena_init(&door->arena, &door->allocator);
    door->context = (CairnSolverContext){.allocator = &door->allocator, .thread_count = threads, .arena = &door->arena};
    assert_ok(cairn_ops_init(&door->ops, problem, &door->arena));
}

static void multiply(const CairnOps *ops, const double *theta, const double *x, double *v, double *y) {
    const CairnProblem *problem = ops->problem;
    memset(v, 0, (size_t)problem->dof_count * sizeof *v);
    cairn_ops_add_impulse(problem, x, v);
    cairn_ops_solve(ops, v);
    cairn_ops_jacobian(problem, v, y);
    for (int i = 0; i < problem->row_count; i++) {
        y[i] += (problem->compliance[i] + theta[i]) * x[i];
    }
}

// y - (A + Theta) x on the rows in use; the largest.
static double leave(const Door *door, const double *theta, const double *y, const double *x, double *r) {
    int m = door->ops.problem->row_count;
    double *v = calloc((size_t)door->ops.problem->dof_count + 1, sizeof *v), largest = 0;
    assert_non_null(v);
    for (int i = 0; i < m; i++) {
        if (isinf(theta[i])) {
            assert_true(x[i] == 0);
        }
    }
    multiply(&door->ops, theta, x, v, r);
    for (int i = 0; i < m; i++) {
        r[i] = isinf(theta[i]) ? 0 : y[i] - r[i];
        largest = fabs(r[i]) <= largest ? largest : fabs(r[i]);
    }
    free(v);
    return largest;
}

typedef enum Weights { WEIGHTS_FREE, WEIGHTS_HALF, WEIGHTS_SPREAD, WEIGHTS_NONE, WEIGHTS_COUNT } Weights;

static void draw_weights(int m, Weights kind, uint64_t *seed, double *theta) {
    for (int i = 0; i < m; i++) {
        theta[i] = kind == WEIGHTS_SPREAD ? exp(support_uniform(seed, -25, 10)) : 0;
        if (kind == WEIGHTS_NONE || (kind == WEIGHTS_HALF && support_int(seed, 0, 1)) ||
            (kind == WEIGHTS_SPREAD && support_int(seed, 0, 5) == 0)) {
            theta[i] = (double)INFINITY;
        }
    }
}

// Solve with all kinds, refine, and hold the answers against each other and against y = (A + Theta) x.
static void check_system(const CairnProblem *problem, Weights weights, uint64_t *seed, double limit, int most) {
    int m = problem->row_count;
    double *memory = calloc(6 * (size_t)m + 6, sizeof *memory);
    assert_non_null(memory);
    double *theta = memory, *y = memory + m, *x = memory + 2 * m, *r = memory + 3 * m, *truth = memory + 4 * m;
    draw_weights(m, weights, seed, theta);
    for (int i = 0; i < m; i++) {
        truth[i] = isinf(theta[i]) ? 0 : support_uniform(seed, -1, 1);
    }
    for (int k = 0; k < KIND_COUNT; k++) {
        Door door;
        void *state = NULL;
        door_open(&door, problem, 1);
        double *v = CAIRN_PUSH(&door.arena, double, problem->dof_count);
        double *share = CAIRN_PUSH(&door.arena, double, m);
        for (int i = 0; i < m; i++) {
            share[i] = isinf(theta[i]) ? 0 : theta[i];
        }
        multiply(&door.ops, share, truth, v, y);
        assert_ok(kinds[k]->prepare(&door.ops, &door.context, NULL, &state));
        assert_ok(kinds[k]->factor(state, theta));
        for (int i = 0; i < m; i++) {
            x[i] = isinf(theta[i]) ? (double)NAN : y[i]; // whatever stands there
            y[i] = isinf(theta[i]) ? 0 : y[i];
        }
        double size = 0;
        for (int i = 0; i < m; i++) {
            size = fmax(size, fabs(y[i]));
        }
        kinds[k]->solve(state, x);
        double left = leave(&door, theta, y, x, r);
        for (int i = 0; i < most && left > limit * size; i++) {
            kinds[k]->solve(state, r);
            for (int j = 0; j < m; j++) {
                x[j] += r[j];
            }
            left = leave(&door, theta, y, x, r);
        }
        if (!(left <= limit * size)) {
            print_error("formulation %s, %d rows, weights %d\n", kinds[k]->name, m, (int)weights);
        }
        assert_below(left, limit * size);
        cairn_arena_free(&door.arena);
    }
    free(memory);
}

static void random_systems(void **state) {
    (void)state;
    uint64_t seed = 7;
    for (int round = 0; round < 120; round++) {
        SupportSystem s;
        int blocks = support_int(&seed, 1, 15);
        support_system_random(&s, blocks, support_int(&seed, 0, 3 * blocks), support_random(&seed));
        assert_ok(cairn_problem_check(&s.problem));
        check_system(&s.problem, (Weights)(round % WEIGHTS_COUNT), &seed, 1e-13, 6);
        support_system_free(&s);
    }
}

// Scenes: C = 1e-10 under rows of size 1 and many redundant ones: condition 1e11 to 1e13 and yet, refined, as good as rounding.
static void systems_of_scenes(void **state) {
    (void)state;
    uint64_t seed = 8;
    for (int weights = 0; weights < WEIGHTS_COUNT; weights++) {
        SupportSystem s;
        support_system_pile(&s, 60, 1);
        check_system(&s.problem, (Weights)weights, &seed, 1e-12, 8);
        support_system_free(&s);
        support_system_tower(&s, 8, 4, 2);
        check_system(&s.problem, (Weights)weights, &seed, 1e-12, 8);
        support_system_free(&s);
        support_system_chain(&s, 120, 5, 0, 3);
        check_system(&s.problem, (Weights)weights, &seed, 1e-12, 8);
        support_system_free(&s);
        support_system_chain(&s, 50, 4, 6, 4);
        check_system(&s.problem, (Weights)weights, &seed, 1e-12, 8);
        support_system_free(&s);
        support_system_star(&s, 60, 3, 5);
        check_system(&s.problem, (Weights)weights, &seed, 1e-12, 8);
        support_system_free(&s);
    }
}

// Against a dense L D L^T of A + Theta on the rows in use.
static void agrees_with_dense(void **state) {
    (void)state;
    uint64_t seed = 9;
    for (int round = 0; round < 12; round++) {
        SupportSystem s;
        support_system_random(&s, 8, 14, support_random(&seed));
        int m = s.problem.row_count;
        double *a = calloc((size_t)m * (size_t)m + 1, sizeof *a), *theta = calloc((size_t)m + 1, sizeof *theta);
        double *x = calloc((size_t)m + 1, sizeof *x), *y = calloc((size_t)m + 1, sizeof *y);
        double *unit = calloc((size_t)m + 1, sizeof *unit), *v = calloc((size_t)s.problem.dof_count + 1, sizeof *v);
        assert_true(a && theta && x && y && unit && v);
        for (int k = 0; k < KIND_COUNT; k++) {
            Door door;
            door_open(&door, &s.problem, 1);
            for (int i = 0; i < m; i++) { // C at least 1e-2: the answers agree to rounding without refinement
                s.compliance[i] = fmax(s.compliance[i], 1e-2);
                theta[i] = support_int(&seed, 0, 3) == 0 ? (double)INFINITY : support_uniform(&seed, 0, 1);
                x[i] = support_uniform(&seed, -1, 1);
                y[i] = isinf(theta[i]) ? 0 : x[i];
            }
            for (int j = 0; j < m; j++) {
                memset(unit, 0, (size_t)m * sizeof *unit);
                unit[j] = 1;
                memset(v, 0, (size_t)s.problem.dof_count * sizeof *v);
                cairn_ops_add_impulse(&s.problem, unit, v);
                cairn_ops_solve(&door.ops, v);
                cairn_ops_jacobian(&s.problem, v, unit);
                for (int i = 0; i < m; i++) {
                    bool is_out = isinf(theta[i]) || isinf(theta[j]);
                    a[i * m + j] = is_out ? (i == j ? 1 : 0) : unit[i];
                    a[i * m + j] += i == j && !is_out ? s.compliance[i] + theta[i] : 0;
                }
            }
            assert_true(dense_solve(m, a, y));
            void *solver = NULL;
            assert_ok(kinds[k]->prepare(&door.ops, &door.context, NULL, &solver));
            assert_ok(kinds[k]->factor(solver, theta));
            kinds[k]->solve(solver, x);
            for (int i = 0; i < m; i++) {
                assert_near(x[i], y[i], 1e-10 * (1 + fabs(y[i])));
            }
            cairn_arena_free(&door.arena);
        }
        free(a);
        free(theta);
        free(x);
        free(y);
        free(unit);
        free(v);
        support_system_free(&s);
    }
}

static void same_bits_for_any_threads(void **state) {
    (void)state;
    SupportSystem s[3];
    support_system_pile(&s[0], 120, 1);
    support_system_tower(&s[1], 20, 4, 2);
    support_system_chain(&s[2], 900, 5, 3, 3);
    for (int i = 0; i < 3; i++) {
        int m = s[i].problem.row_count;
        double *x[4], *theta = calloc((size_t)m + 1, sizeof *theta);
        assert_non_null(theta);
        uint64_t seed = 10;
        draw_weights(m, WEIGHTS_SPREAD, &seed, theta);
        for (int k = 0; k < KIND_COUNT; k++) {
            for (int threads = 1; threads <= 4; threads++) {
                Door door;
                void *solver = NULL;
                door_open(&door, &s[i].problem, threads);
                x[threads - 1] = calloc((size_t)m + 1, sizeof **x);
                assert_non_null(x[threads - 1]);
                for (int j = 0; j < m; j++) {
                    x[threads - 1][j] = sin(j);
                }
                assert_ok(kinds[k]->prepare(&door.ops, &door.context, NULL, &solver));
                assert_ok(kinds[k]->factor(solver, theta));
                kinds[k]->solve(solver, x[threads - 1]);
                assert_memory_equal(x[0], x[threads - 1], (size_t)m * sizeof **x);
                cairn_arena_free(&door.arena);
            }
            for (int threads = 0; threads < 4; threads++) {
                free(x[threads]);
            }
        }
        free(theta);
        support_system_free(&s[i]);
    }
}

// A kept plan serves the same graph, is made anew for another, and changes no bit.
static void plans_are_kept(void **state) {
    (void)state;
    SupportSystem s[2];
    support_system_pile(&s[0], 40, 1);
    support_system_pile(&s[1], 40, 2);
    for (int k = 0; k < KIND_COUNT; k++) {
        SupportMemory memory = {0};
        CairnAllocator allocator = support_allocator(&memory);
        void *kept = NULL;
        for (int round = 0; round < 5; round++) {
            const CairnProblem *problem = &s[round == 3].problem;
            int m = problem->row_count;
            double *x[2], *theta = calloc((size_t)m + 1, sizeof *theta);
            assert_non_null(theta);
            for (int way = 0; way < 2; way++) {
                Door door;
                void *solver = NULL;
                door_open(&door, problem, 1);
                door.context.allocator = &allocator;
                x[way] = calloc((size_t)m + 1, sizeof **x);
                assert_non_null(x[way]);
                for (int j = 0; j < m; j++) {
                    x[way][j] = cos(j);
                }
                int calls = memory.calls;
                assert_ok(kinds[k]->prepare(&door.ops, &door.context, way == 0 ? &kept : NULL, &solver));
                assert_true(round < 1 || round > 2 || memory.calls == calls); // nothing new to keep
                assert_ok(kinds[k]->factor(solver, theta));
                kinds[k]->solve(solver, x[way]);
                cairn_arena_free(&door.arena);
            }
            assert_memory_equal(x[0], x[1], (size_t)m * sizeof **x);
            free(x[0]);
            free(x[1]);
            free(theta);
        }
        kinds[k]->forget(kept, &allocator);
        assert_memory_clean(&memory);
    }
    support_system_free(&s[0]);
    support_system_free(&s[1]);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    SupportSystem s;
    support_system_tower(&s, 10, 3, 1);
    double *theta = calloc((size_t)s.problem.row_count + 1, sizeof *theta);
    assert_non_null(theta);
    for (int k = 0; k < KIND_COUNT; k++) {
        bool has_succeeded = false;
        for (int fail = 1; fail < 60 && !has_succeeded; fail++) {
            SupportMemory memory = {.fail_from = fail};
            CairnAllocator allocator = support_allocator(&memory);
            CairnArena arena;
            cairn_arena_init(&arena, &allocator);
            CairnSolverContext context = {.allocator = &allocator, .thread_count = 1, .arena = &arena};
            CairnOps ops;
            void *kept = NULL, *solver = NULL;
            CairnStatus status = cairn_ops_init(&ops, &s.problem, &arena);
            if (cairn_is_ok(status)) {
                status = kinds[k]->prepare(&ops, &context, &kept, &solver);
            }
            has_succeeded = cairn_is_ok(status);
            if (has_succeeded) {
                assert_ok(kinds[k]->factor(solver, theta));
            } else {
                assert_int_equal(status.code, CAIRN_OUT_OF_MEMORY);
            }
            if (kept != NULL) {
                kinds[k]->forget(kept, &allocator);
            }
            cairn_arena_free(&arena);
            assert_memory_clean(&memory);
        }
        assert_true(has_succeeded);
    }
    free(theta);
    support_system_free(&s);
}

// The same rows twice without compliance: no formulation may call that factored; with compliance all do.
static void redundant_rows_are_told(void **state) {
    (void)state;
    SupportSystem s;
    support_system_chain(&s, 20, 5, 3, 1);
    int first = s.constraints[2].first_row, second = s.constraints[4].first_row;
    s.terms[s.constraints[4].first_term] = s.terms[s.constraints[2].first_term];
    s.terms[s.constraints[4].first_term + 1] = s.terms[s.constraints[2].first_term + 1];
    assert_true(second > first);
    double theta[160] = {0};
    for (int k = 0; k < KIND_COUNT; k++) {
        for (int round = 0; round < 2; round++) {
            Door door;
            void *solver = NULL;
            for (int i = 0; i < s.problem.row_count; i++) {
                s.compliance[i] = round == 0 ? 0 : 1e-6;
            }
            door_open(&door, &s.problem, 1);
            assert_ok(kinds[k]->prepare(&door.ops, &door.context, NULL, &solver));
            if (round == 0) {
                assert_refused(kinds[k]->factor(solver, theta), CAIRN_NUMERIC, "formulation");
            } else {
                assert_ok(kinds[k]->factor(solver, theta));
            }
            cairn_arena_free(&door.arena);
        }
    }
    support_system_free(&s);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_matrices),         cmocka_unit_test(chains_grids_stars),
        cmocka_unit_test(one_node_and_none),       cmocka_unit_test(orders_are_permutations_and_hold_back),
        cmocka_unit_test(orders_fill_little),      cmocka_unit_test(lost_pivots_are_told),
        cmocka_unit_test(random_systems),          cmocka_unit_test(systems_of_scenes),
        cmocka_unit_test(agrees_with_dense),       cmocka_unit_test(same_bits_for_any_threads),
        cmocka_unit_test(plans_are_kept),          cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(redundant_rows_are_told),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
