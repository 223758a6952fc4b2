// The block factor against CHOLMOD and dense LAPACK: the matrices of both spaces on the graphs of scenes and on random
// ones, up to a condition of 1e13. Skipped in words where the oracles are not installed.
#include "tests/support/support_systems.h"
#include "tests/support/support_worlds.h"

#if __has_include(<suitesparse/cholmod.h>) && __has_include(<lapacke.h>)
#include "engine/base/arena.h"
#include "solvers/linalg/linalg.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/cholmod.h>

// ---- a matrix with a block pattern ----------------------------------------------------------------------------------

typedef struct Matrix {
    CairnLinalgGraph graph;
    int *size, *first, *element_start, *element_node;
    int *owner; // node x node -> the element that brings their block
    bool *is_held;
    int n;
    double *a, *scale; // n x n symmetric
} Matrix;

static void *zeros(size_t count, size_t size) {
    void *memory = calloc(count + 1, size);
    assert_non_null(memory);
    return memory;
}

static void matrix_begin(Matrix *m, int nodes, int elements, int entries) {
    *m = (Matrix){0};
    m->size = zeros((size_t)nodes, sizeof(int));
    m->first = zeros((size_t)nodes, sizeof(int));
    m->element_start = zeros((size_t)elements, sizeof(int));
    m->element_node = zeros((size_t)entries, sizeof(int));
    m->owner = zeros((size_t)nodes * (size_t)nodes, sizeof(int));
    m->is_held = zeros((size_t)nodes, sizeof(bool));
    m->graph = (CairnLinalgGraph){nodes, 0, m->size, m->element_start, m->element_node, NULL, NULL, NULL};
}

static void matrix_free(Matrix *m) {
    void *parts[] = {m->size, m->first, m->element_start, m->element_node, m->owner, m->is_held, m->a, m->scale};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        free(parts[i]);
    }
}

// Once all sizes are set.
static void matrix_place(Matrix *m) {
    for (int i = 0; i < m->graph.node_count; i++) {
        m->first[i] = m->n;
        m->n += m->size[i];
    }
    m->a = zeros((size_t)m->n * (size_t)m->n, sizeof *m->a);
    m->scale = zeros((size_t)m->n, sizeof *m->scale);
}

static void matrix_couple(Matrix *m, int node) { // in the element that is being made
    int *end = &m->element_start[m->graph.element_count + 1];
    for (int k = m->element_start[m->graph.element_count]; k < *end; k++) {
        if (m->element_node[k] == node) {
            return;
        }
    }
    m->element_node[(*end)++] = node;
}

static void matrix_open_element(Matrix *m) {
    m->element_start[m->graph.element_count + 1] = m->element_start[m->graph.element_count];
}

static void matrix_close_element(Matrix *m) {
    int e = m->graph.element_count++, nodes = m->graph.node_count;
    for (int k = m->element_start[e]; k < m->element_start[e + 1]; k++) {
        for (int l = m->element_start[e]; l < m->element_start[e + 1]; l++) {
            int *owner = &m->owner[m->element_node[k] * nodes + m->element_node[l]];
            *owner = *owner == 0 ? e + 1 : *owner;
        }
    }
}

static void matrix_scale(Matrix *m) {
    for (int i = 0; i < m->n; i++) {
        m->scale[i] = m->a[i * m->n + i];
    }
}

static void add_block(const Matrix *m, const CairnLinalgFront *front, int p, int row_p, int q, int row_q) {
    for (int j = 0; j < m->size[q]; j++) {
        double *column = cairn_linalg_diagonal(front, row_q + j) - (row_q + j);
        for (int i = 0; i < m->size[p]; i++) {
            if (row_p + i >= row_q + j) {
                column[row_p + i] += m->a[(m->first[p] + i) * m->n + m->first[q] + j];
            }
        }
    }
}

static void add_node(void *user, int node, const CairnLinalgFront *front, int row) {
    add_block(user, front, node, row, node, row);
}

static void add_element(void *user, int element, const CairnLinalgFront *front, const int *rows) {
    const Matrix *m = user;
    int first = m->element_start[element], count = m->element_start[element + 1] - first;
    for (int k = 0; k < count; k++) {
        for (int l = 0; l < count; l++) {
            int p = m->element_node[first + k], q = m->element_node[first + l];
            if (p != q && rows[k] > rows[l] && m->owner[p * m->graph.node_count + q] == element + 1) {
                add_block(m, front, p, rows[k], q, rows[l]);
            }
        }
    }
}

// ---- matrices of a problem ------------------------------------------------------------------------------------------

// J as a dense matrix, rows x dofs.
static double *dense_jacobian(const CairnProblem *problem) {
    double *J = zeros((size_t)problem->row_count * (size_t)problem->dof_count, sizeof *J);
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *constraint = &problem->constraints[c];
        for (int t = 0; t < constraint->term_count; t++) {
            const CairnTerm *term = &problem->terms[constraint->first_term + t];
            const CairnDofBlock *block = &problem->blocks[term->block];
            for (int i = 0; i < constraint->row_count; i++) {
                double room[6];
                const double *row = cairn_term_row(problem, term, i, room);
                for (int k = 0; k < block->size; k++) {
                    J[(constraint->first_row + i) * problem->dof_count + block->first + k] += row[k];
                }
            }
        }
    }
    return J;
}

static void add_dynamics(const CairnProblem *problem, Matrix *m) {
    for (int b = 0; b < problem->block_count; b++) {
        const CairnDofBlock *block = &problem->blocks[b];
        for (int i = 0; i < block->size; i++) {
            for (int j = 0; j < block->size; j++) {
                m->a[(block->first + i) * m->n + block->first + j] += problem->P[block->matrix + i * block->size + j];
            }
        }
    }
}

static void couple_blocks(const CairnProblem *problem, Matrix *m) {
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *constraint = &problem->constraints[c];
        matrix_open_element(m);
        for (int t = 0; t < constraint->term_count; t++) {
            matrix_couple(m, problem->terms[constraint->first_term + t].block);
        }
        matrix_close_element(m);
    }
}

// P + J^T J / c
static void body_matrix(const CairnProblem *problem, double compliance, Matrix *m) {
    matrix_begin(m, problem->block_count, problem->constraint_count, problem->term_count);
    for (int b = 0; b < problem->block_count; b++) {
        m->size[b] = problem->blocks[b].size;
    }
    matrix_place(m);
    couple_blocks(problem, m);
    double *J = dense_jacobian(problem);
    add_dynamics(problem, m);
    for (int r = 0; r < problem->row_count; r++) {
        const double *row = J + r * m->n;
        for (int i = 0; i < m->n; i++) {
            for (int j = 0; j < m->n && row[i] != 0; j++) {
                m->a[i * m->n + j] += row[i] * row[j] / compliance;
            }
        }
    }
    free(J);
    matrix_scale(m);
}

// J P^-1 J^T + c
static void constraint_matrix(const CairnProblem *problem, double compliance, Matrix *m) {
    int dofs = problem->dof_count;
    matrix_begin(m, problem->constraint_count, problem->block_count, problem->term_count);
    for (int c = 0; c < problem->constraint_count; c++) {
        m->size[c] = problem->constraints[c].row_count;
    }
    matrix_place(m);
    for (int b = 0; b < problem->block_count; b++) {
        matrix_open_element(m);
        for (int c = 0; c < problem->constraint_count; c++) {
            for (int t = 0; t < problem->constraints[c].term_count; t++) {
                if (problem->terms[problem->constraints[c].first_term + t].block == b) {
                    matrix_couple(m, c);
                }
            }
        }
        matrix_close_element(m);
    }
    double *J = dense_jacobian(problem), *half = zeros((size_t)m->n * (size_t)dofs, sizeof *half);
    memcpy(half, J, (size_t)m->n * (size_t)dofs * sizeof *half);
    for (int b = 0; b < problem->block_count; b++) { // J P^-1, a block of columns at a time
        const CairnDofBlock *block = &problem->blocks[b];
        double P[CAIRN_BLOCK_LIMIT * CAIRN_BLOCK_LIMIT];
        memcpy(P, problem->P + block->matrix, (size_t)(block->size * block->size) * sizeof *P);
        assert_int_equal(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', block->size, P, block->size), 0);
        for (int r = 0; r < m->n; r++) {
            LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'L', block->size, 1, P, block->size, half + r * dofs + block->first,
                           block->size);
        }
    }
    for (int i = 0; i < m->n; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = i == j ? compliance : 0;
            for (int k = 0; k < dofs; k++) {
                sum += half[i * dofs + k] * J[j * dofs + k];
            }
            m->a[i * m->n + j] = m->a[j * m->n + i] = sum;
        }
    }
    free(J);
    free(half);
    matrix_scale(m);
}

// [P J^T; J -c]: blocks, then constraints, which wait for one of their blocks.
static void kkt_matrix(const CairnProblem *problem, double compliance, Matrix *m) {
    int blocks = problem->block_count, nodes = blocks + problem->constraint_count, dofs = problem->dof_count;
    matrix_begin(m, nodes, problem->term_count, 2 * problem->term_count);
    for (int i = 0; i < nodes; i++) {
        m->size[i] = i < blocks ? problem->blocks[i].size : problem->constraints[i - blocks].row_count;
        m->is_held[i] = i >= blocks;
    }
    m->graph.is_held = m->is_held;
    matrix_place(m);
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *constraint = &problem->constraints[c];
        for (int t = 0; t < constraint->term_count; t++) {
            matrix_open_element(m);
            matrix_couple(m, problem->terms[constraint->first_term + t].block);
            matrix_couple(m, blocks + c);
            matrix_close_element(m);
        }
    }
    double *J = dense_jacobian(problem);
    add_dynamics(problem, m);
    for (int r = 0; r < problem->row_count; r++) {
        int i = dofs + r;
        m->a[i * m->n + i] = -compliance;
        for (int k = 0; k < dofs; k++) {
            m->a[i * m->n + k] = m->a[k * m->n + i] = J[r * dofs + k];
        }
    }
    matrix_scale(m);
    for (int r = 0; r < problem->row_count; r++) { // the pivot is that of C + J P^-1 J^T over one block at least
        m->scale[dofs + r] = -compliance;
    }
    free(J);
}

// ---- answers --------------------------------------------------------------------------------------------------------

typedef struct Answer {
    double backward, forward; // ||y - a x|| / (||a|| ||x|| + ||y||), ||x - chosen|| / ||chosen||, in the largest entry
} Answer;

static double largest(int n, const double *x) {
    double most = 0;
    for (int i = 0; i < n; i++) {
        most = fabs(x[i]) <= most ? most : fabs(x[i]);
    }
    return most;
}

static void residual(const Matrix *m, const double *y, const double *x, double *r) {
    for (int i = 0; i < m->n; i++) {
        long double sum = (long double)y[i];
        for (int j = 0; j < m->n; j++) {
            sum -= (long double)m->a[i * m->n + j] * (long double)x[j];
        }
        r[i] = (double)sum;
    }
}

static Answer judge(const Matrix *m, const double *chosen, const double *y, const double *x) {
    double *r = zeros((size_t)m->n, sizeof *r), norm = 0;
    residual(m, y, x, r);
    for (int i = 0; i < m->n; i++) {
        double sum = 0;
        for (int j = 0; j < m->n; j++) {
            sum += fabs(m->a[i * m->n + j]);
        }
        norm = fmax(norm, sum);
    }
    Answer answer = {.backward = largest(m->n, r) / (norm * largest(m->n, x) + largest(m->n, y))};
    for (int i = 0; i < m->n; i++) {
        r[i] = x[i] - chosen[i];
    }
    answer.forward = largest(m->n, r) / largest(m->n, chosen);
    free(r);
    return answer;
}

static Answer by_linalg(const Matrix *m, const double *chosen, const double *y, int threads, int refinements) {
    CairnAllocator allocator = {0};
    CairnArena arena;
    cairn_arena_init(&arena, &allocator);
    CairnLinalgPlan plan;
    CairnLinalgFactor factor;
    assert_ok(cairn_linalg_plan(&m->graph, NULL, &arena, &arena, &plan));
    assert_ok(cairn_linalg_factor_init(&factor, &plan, threads, &arena));
    Matrix *own = (Matrix *)(uintptr_t)m;
    CairnLinalgSource source = {own, add_node, add_element, m->scale, NULL};
    assert_int_equal(cairn_linalg_factor(&factor, &source), -1);
    double *x = zeros((size_t)m->n, sizeof *x), *r = zeros((size_t)m->n, sizeof *r);
    memcpy(x, y, (size_t)m->n * sizeof *x);
    cairn_linalg_solve(&factor, x);
    for (int k = 0; k < refinements; k++) {
        residual(m, y, x, r);
        cairn_linalg_solve(&factor, r);
        for (int i = 0; i < m->n; i++) {
            x[i] += r[i];
        }
    }
    Answer answer = judge(m, chosen, y, x);
    free(x);
    free(r);
    cairn_arena_free(&arena);
    return answer;
}

// Cholesky, and the condition in the 1-norm.
static Answer by_lapack(const Matrix *m, const double *chosen, const double *y, double *condition) {
    size_t n = (size_t)m->n;
    double *a = zeros(n * n, sizeof *a), *x = zeros(n, sizeof *x), inverse;
    memcpy(a, m->a, n * n * sizeof *a);
    memcpy(x, y, n * sizeof *x);
    double norm = LAPACKE_dlansy(LAPACK_COL_MAJOR, '1', 'L', m->n, a, m->n);
    assert_int_equal(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', m->n, a, m->n), 0);
    assert_int_equal(LAPACKE_dpocon(LAPACK_COL_MAJOR, 'L', m->n, a, m->n, norm, &inverse), 0);
    assert_int_equal(LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'L', m->n, 1, a, m->n, x, m->n), 0);
    *condition = 1 / inverse;
    Answer answer = judge(m, chosen, y, x);
    free(a);
    free(x);
    return answer;
}

// Bunch and Kaufman's pivoting, for what is not definite.
static Answer by_lapack_indefinite(const Matrix *m, const double *chosen, const double *y) {
    size_t n = (size_t)m->n;
    double *a = zeros(n * n, sizeof *a), *x = zeros(n, sizeof *x);
    lapack_int *pivots = zeros(n, sizeof *pivots);
    memcpy(a, m->a, n * n * sizeof *a);
    memcpy(x, y, n * sizeof *x);
    assert_int_equal(LAPACKE_dsysv(LAPACK_COL_MAJOR, 'L', m->n, 1, a, m->n, pivots, x, m->n), 0);
    Answer answer = judge(m, chosen, y, x);
    free(a);
    free(x);
    free(pivots);
    return answer;
}

static Answer by_cholmod(const Matrix *m, const double *chosen, const double *y, int method) {
    cholmod_common common;
    cholmod_start(&common);
    common.supernodal = method;
    size_t n = (size_t)m->n;
    cholmod_dense *dense = cholmod_allocate_dense(n, n, n, CHOLMOD_REAL, &common),
                  *b = cholmod_allocate_dense(n, 1, n, CHOLMOD_REAL, &common);
    assert_true(dense != NULL && b != NULL);
    memcpy(dense->x, m->a, n * n * sizeof(double));
    memcpy(b->x, y, n * sizeof(double));
    cholmod_sparse *whole = cholmod_dense_to_sparse(dense, 1, &common), *A = cholmod_copy(whole, -1, 1, &common);
    cholmod_factor *L = cholmod_analyze(A, &common);
    cholmod_factorize(A, L, &common);
    assert_int_equal(common.status, CHOLMOD_OK);
    cholmod_dense *x = cholmod_solve(CHOLMOD_A, L, b, &common);
    assert_non_null(x);
    Answer answer = judge(m, chosen, y, x->x);
    cholmod_free_dense(&x, &common);
    cholmod_free_dense(&b, &common);
    cholmod_free_dense(&dense, &common);
    cholmod_free_sparse(&whole, &common);
    cholmod_free_sparse(&A, &common);
    cholmod_free_factor(&L, &common);
    cholmod_finish(&common);
    return answer;
}

static void choose(const Matrix *m, uint64_t *seed, double **chosen, double **y) {
    *chosen = zeros((size_t)m->n, sizeof **chosen);
    *y = zeros((size_t)m->n, sizeof **y);
    for (int i = 0; i < m->n; i++) {
        (*chosen)[i] = support_uniform(seed, -1, 1);
    }
    residual(m, *y, *chosen, *y);
    for (int i = 0; i < m->n; i++) {
        (*y)[i] = -(*y)[i];
    }
}

// A Cholesky factor's backward error is some eps, whatever the condition: ours like those of the oracles. Its forward
// error is at most that times the condition, and no worse than theirs but for luck.
static double check_definite(const Matrix *m, uint64_t *seed) {
    double *chosen, *y, condition;
    choose(m, seed, &chosen, &y);
    Answer lapack = by_lapack(m, chosen, y, &condition);
    Answer simplicial = by_cholmod(m, chosen, y, CHOLMOD_SIMPLICIAL);
    Answer supernodal = by_cholmod(m, chosen, y, CHOLMOD_SUPERNODAL);
    double worst = fmax(lapack.forward, fmax(simplicial.forward, supernodal.forward));
    for (int threads = 1; threads <= 2; threads++) {
        Answer own = by_linalg(m, chosen, y, threads, 0);
        assert_below(own.backward, 8 * DBL_EPSILON);
        assert_below(own.forward, 8 * DBL_EPSILON * condition);
        assert_below(own.forward, 20 * worst + 1e-14);
    }
    assert_below(lapack.backward, 8 * DBL_EPSILON);
    assert_below(simplicial.backward, 8 * DBL_EPSILON);
    assert_below(supernodal.backward, 8 * DBL_EPSILON);
    free(chosen);
    free(y);
    return condition;
}

// Without pivoting a quasi-definite factor loses digits as it gets stiffer (measured: all but four at 1e-13, where a
// body has many rows); refinement gets them back, to what pivoting has.
static void check_quasi_definite(const Matrix *m, uint64_t *seed) {
    double *chosen, *y;
    choose(m, seed, &chosen, &y);
    Answer lapack = by_lapack_indefinite(m, chosen, y), own = by_linalg(m, chosen, y, 1, 4);
    assert_below(own.backward, 8 * DBL_EPSILON);
    assert_below(own.forward, 20 * lapack.forward + 1e-14);
    free(chosen);
    free(y);
}

// All three spaces of a problem, from soft to stiff; the largest condition that was met.
static double check_problem(const CairnProblem *problem, uint64_t *seed) {
    static const double compliance[] = {1e-2, 1e-6, 1e-10, 1e-13};
    double condition = 0;
    for (int k = 0; k < 4; k++) {
        Matrix m;
        body_matrix(problem, compliance[k], &m);
        condition = fmax(condition, check_definite(&m, seed));
        matrix_free(&m);
        constraint_matrix(problem, compliance[k], &m);
        condition = fmax(condition, check_definite(&m, seed));
        matrix_free(&m);
        kkt_matrix(problem, compliance[k], &m);
        check_quasi_definite(&m, seed);
        matrix_free(&m);
    }
    return condition;
}

static void graphs_of_scenes(void **state) {
    (void)state;
    uint64_t seed = 21;
    double most = 0;
    for (int k = 0; k < 5; k++) {
        SupportSystem system;
        if (k == 0) {
            support_system_pile(&system, 25, 5);
        } else if (k == 1) {
            support_system_tower(&system, 6, 4, 6);
        } else if (k == 2) {
            support_system_chain(&system, 50, 5, 0, 7);
        } else if (k == 3) {
            support_system_star(&system, 40, 3, 8);
        } else {
            support_system_random(&system, 30, 60, 9);
        }
        most = fmax(most, check_problem(&system.problem, &seed));
        support_system_free(&system);
    }
    assert_true(most > 1e13);
}

static void frames_of_worlds(void **state) {
    (void)state;
    static const SupportScene scenes[] = {SUPPORT_TOWER, SUPPORT_PILE, SUPPORT_CHAIN, SUPPORT_MIXED};
    uint64_t seed = 22;
    for (int k = 0; k < 4; k++) {
        CairnWorld *world = support_scene_world(scenes[k], NULL, 1);
        support_run(world, 20);
        CairnProblem problem;
        const double *lambda;
        assert_ok(cairn_world_problem(world, &problem, &lambda));
        assert_true(problem.row_count > 20);
        check_problem(&problem, &seed);
        cairn_world_destroy(world);
    }
}

// Random patterns; stiffnesses of any size between 1 and 1e13 side by side.
static void random_stiffness(void **state) {
    (void)state;
    uint64_t seed = 23;
    double most = 0;
    for (int round = 0; round < 40; round++) {
        int nodes = support_int(&seed, 2, 40), elements = support_int(&seed, 1, 80);
        Matrix m;
        matrix_begin(&m, nodes, elements, 3 * elements);
        for (int i = 0; i < nodes; i++) {
            m.size[i] = support_int(&seed, 1, 8);
        }
        matrix_place(&m);
        for (int e = 0; e < elements; e++) {
            double weight = pow(10, support_uniform(&seed, 0, 13)), *row = zeros((size_t)m.n, sizeof *row);
            matrix_open_element(&m);
            for (int k = support_int(&seed, 1, 3); k > 0; k--) {
                int node = support_int(&seed, 0, nodes - 1);
                matrix_couple(&m, node);
                for (int i = 0; i < m.size[node]; i++) {
                    row[m.first[node] + i] = support_uniform(&seed, -1, 1);
                }
            }
            matrix_close_element(&m);
            for (int i = 0; i < m.n; i++) {
                for (int j = 0; j < m.n; j++) {
                    m.a[i * m.n + j] += weight * row[i] * row[j];
                }
            }
            free(row);
        }
        for (int i = 0; i < m.n; i++) {
            m.a[i * m.n + i] += 1;
        }
        matrix_scale(&m);
        most = fmax(most, check_definite(&m, &seed));
        matrix_free(&m);
    }
    assert_true(most > 1e13);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graphs_of_scenes),
        cmocka_unit_test(frames_of_worlds),
        cmocka_unit_test(random_stiffness),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else

static void without_oracles_there_is_nothing_to_test(void **state) {
    (void)state;
    print_message("linalg_oracle: CHOLMOD and LAPACKE are not both installed (tools/deps): skipped\n");
    skip();
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(without_oracles_there_is_nothing_to_test)};
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
