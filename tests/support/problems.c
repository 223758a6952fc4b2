#include "tests/support/problems.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void test_problem_begin(TestProblem *t) {
    memset(t, 0, sizeof *t);
    t->problem = (CairnProblem){.form = CAIRN_FORM_DYNAMICS,
                                .step = 0.01,
                                .blocks = t->blocks,
                                .P = t->P,
                                .p = t->p,
                                .constraints = t->constraints,
                                .terms = t->terms,
                                .frictions = t->frictions,
                                .J = t->J,
                                .compliance = t->compliance,
                                .right_side = t->right_side,
                                .lower = t->lower,
                                .upper = t->upper,
                                .position_error = t->phi};
}

int test_problem_block(TestProblem *t, int size, const double *P) {
    int i = t->problem.block_count++;
    t->blocks[i] = (CairnDofBlock){t->problem.dof_count, size, t->P_size, -1, P[0], 100 + (uint64_t)i};
    memcpy(t->P + t->P_size, P, (size_t)(size * size) * sizeof *P);
    t->P_size += size * size;
    t->problem.dof_count += size;
    return i;
}

int test_problem_body(TestProblem *t, uint64_t *seed, double mass) {
    double P[36] = {0};
    CairnMat3 inertia = support_inertia(seed, 1);
    for (int i = 0; i < 3; i++) {
        P[i * 7] = mass;
        for (int j = 0; j < 3; j++) {
            P[(3 + i) * 6 + 3 + j] = mass * inertia.m[i][j];
        }
    }
    return test_problem_block(t, 6, P);
}

int test_problem_constraint(TestProblem *t, uint64_t *seed, int rows, int blocks, const int *block) {
    int c = t->problem.constraint_count++, first = t->problem.row_count;
    t->constraints[c] = (CairnConstraintBlock){first, rows, t->problem.term_count, blocks, -1, 1000 + (uint64_t)c};
    for (int k = 0; k < blocks; k++) {
        int size = t->blocks[block[k]].size;
        t->terms[t->problem.term_count++] = (CairnTerm){block[k], t->J_size};
        for (int i = 0; i < rows * size; i++) {
            t->J[t->J_size++] = support_uniform(seed, -1, 1);
        }
    }
    for (int i = first; i < first + rows; i++) {
        t->lower[i] = -(double)INFINITY;
        t->upper[i] = (double)INFINITY;
    }
    t->problem.row_count += rows;
    return c;
}

int test_problem_contact(TestProblem *t, uint64_t *seed, CairnFrictionKind kind, int spin_rows, int blocks,
                         const int *block) {
    int c = test_problem_constraint(t, seed, 3 + spin_rows, blocks, block), f = t->problem.friction_count++;
    int normal = t->constraints[c].first_row;
    double mu = support_uniform(seed, 0.1, 1), torsion = support_uniform(seed, 0.01, 0.1);
    double rolling = support_uniform(seed, 0.01, 0.1), frozen = support_uniform(seed, 0.1, 2);
    t->constraints[c].friction = f;
    t->frictions[f] = (CairnFriction){kind, c, normal, spin_rows, mu, torsion, rolling, frozen};
    t->lower[normal] = 0;
    for (int k = 1; k < 3 + spin_rows; k++) {
        double lever = k < 3 ? mu : k == 3 ? torsion : rolling;
        t->upper[normal + k] = lever * frozen;
        t->lower[normal + k] = -lever * frozen;
    }
    return c;
}

// B^T B + 0.3 1: positive definite with some spread.
int test_problem_full_block(TestProblem *t, uint64_t *seed, int size) {
    double B[CAIRN_BLOCK_LIMIT * CAIRN_BLOCK_LIMIT], P[CAIRN_BLOCK_LIMIT * CAIRN_BLOCK_LIMIT];
    for (int i = 0; i < size * size; i++) {
        B[i] = support_uniform(seed, -1, 1);
    }
    for (int i = 0; i < size; i++) {
        for (int j = 0; j < size; j++) {
            P[i * size + j] = i == j ? 0.3 : 0;
            for (int k = 0; k < size; k++) {
                P[i * size + j] += B[k * size + i] * B[k * size + j];
            }
        }
    }
    return test_problem_block(t, size, P);
}

static void random_bounds(TestProblem *t, uint64_t *seed, int row) {
    int kind = support_int(seed, 0, 4);
    t->lower[row] = kind == 0 || kind == 2 ? -(double)INFINITY : kind == 1 ? 0 : support_uniform(seed, -1, 0);
    t->upper[row] = kind <= 1 ? (double)INFINITY : kind == 4 ? t->lower[row] : support_uniform(seed, 0, 1);
}

void test_problem_random(TestProblem *t, uint64_t *seed, int rows) {
    test_problem_begin(t);
    int block_count = support_int(seed, 2, 4);
    for (int i = 0; i < block_count; i++) {
        int kind = support_int(seed, 0, 4);
        if (kind <= 1) {
            test_problem_body(t, seed, support_uniform(seed, 0.5, 3));
        } else {
            test_problem_full_block(t, seed, kind == 2 ? 6 : kind == 3 ? 3 : 1);
        }
    }
    while (t->problem.row_count < rows) {
        int count = support_int(seed, 1, 3), remaining = rows - t->problem.row_count, block[3];
        int blocks = support_int(seed, 1, 3);
        for (int k = 0; k < blocks; k++) {
            block[k] = support_int(seed, 0, block_count - 1);
        }
        int c = test_problem_constraint(t, seed, count < remaining ? count : remaining, blocks, block);
        for (int i = 0; i < t->constraints[c].row_count; i++) {
            random_bounds(t, seed, t->constraints[c].first_row + i);
        }
    }
    for (int i = 0; i < rows; i++) {
        t->compliance[i] = support_uniform(seed, 0.1, 0.5);
        t->right_side[i] = support_uniform(seed, -2, 2);
    }
    for (int i = 0; i < t->problem.dof_count; i++) {
        t->p[i] = support_uniform(seed, -2, 2);
    }
}

void test_problem_make_explicit(const TestProblem *dynamics, TestProblem *t) {
    const CairnProblem *from = &dynamics->problem;
    test_problem_begin(t);
    int n = from->row_count;
    double A[PROBLEM_ROWS * PROBLEM_ROWS];
    test_problem_dense(from, A, t->right_side);
    for (int i = 0, k = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            if (A[i * n + j] != 0) {
                t->W_column[k] = j;
                t->W[k++] = A[i * n + j];
            }
        }
        t->W_start[i + 1] = k;
    }
    memcpy(t->lower, from->lower, (size_t)n * sizeof *t->lower);
    memcpy(t->upper, from->upper, (size_t)n * sizeof *t->upper);
    memcpy(t->constraints, from->constraints, (size_t)from->constraint_count * sizeof *t->constraints);
    memcpy(t->frictions, from->frictions, (size_t)from->friction_count * sizeof *t->frictions);
    t->problem = (CairnProblem){.form = CAIRN_FORM_EXPLICIT,
                                .step = from->step,
                                .constraint_count = from->constraint_count,
                                .row_count = n,
                                .friction_count = from->friction_count,
                                .constraints = t->constraints,
                                .frictions = t->frictions,
                                .right_side = t->right_side,
                                .lower = t->lower,
                                .upper = t->upper,
                                .W_start = t->W_start,
                                .W_column = t->W_column,
                                .W = t->W,
                                .W_is_symmetric = true};
}

bool test_solve_dense(int n, double *a, double *y) {
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++) {
            best = fabs(a[i * n + k]) > fabs(a[best * n + k]) ? i : best;
        }
        if (fabs(a[best * n + k]) < 1e-14) {
            return false;
        }
        for (int j = 0; j < n; j++) {
            double swap = a[k * n + j];
            a[k * n + j] = a[best * n + j];
            a[best * n + j] = swap;
        }
        double swap = y[k];
        y[k] = y[best];
        y[best] = swap;
        for (int i = k + 1; i < n; i++) {
            double factor = a[i * n + k] / a[k * n + k];
            for (int j = k; j < n; j++) {
                a[i * n + j] -= factor * a[k * n + j];
            }
            y[i] -= factor * y[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) {
            y[i] -= a[i * n + j] * y[j];
        }
        y[i] /= a[i * n + i];
    }
    return true;
}

// The whole of J and P, zeros included; of P the lower half.
static void expand(const CairnProblem *problem, double *J, double *P) {
    int n = problem->dof_count;
    for (int b = 0; b < problem->block_count; b++) {
        CairnDofBlock block = problem->blocks[b];
        for (int i = 0; i < block.size; i++) {
            for (int j = 0; j <= i; j++) {
                P[(block.first + i) * n + block.first + j] = problem->P[block.matrix + i * block.size + j];
            }
        }
    }
    for (int k = 0; k < problem->coupling_count; k++) {
        CairnDofCoupling coupling = problem->couplings[k];
        CairnDofBlock row = problem->blocks[coupling.row], column = problem->blocks[coupling.column];
        for (int i = 0; i < row.size; i++) {
            for (int j = 0; j < column.size; j++) {
                P[(row.first + i) * n + column.first + j] = problem->P[coupling.matrix + i * column.size + j];
            }
        }
    }
    for (int c = 0; c < problem->constraint_count; c++) {
        CairnConstraintBlock constraint = problem->constraints[c];
        for (int k = 0; k < constraint.term_count; k++) {
            CairnTerm term = problem->terms[constraint.first_term + k];
            CairnDofBlock block = problem->blocks[term.block];
            for (int i = 0; i < constraint.row_count; i++) {
                double room[6];
                const double *row = cairn_term_row(problem, &term, i, room);
                for (int j = 0; j < block.size; j++) {
                    J[(constraint.first_row + i) * n + block.first + j] += row[j];
                }
            }
        }
    }
}

// Overwrites the lower half of P by L, where P = L L^T.
static void factor_dense(int n, double *P) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = P[i * n + j];
            for (int k = 0; k < j; k++) {
                sum -= P[i * n + k] * P[j * n + k];
            }
            assert_true(i != j || sum > 0);
            P[i * n + j] = i == j ? sqrt(sum) : sum / P[j * n + j];
        }
    }
}

static void forward_dense(int n, const double *L, double *x) {
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) {
            x[i] -= L[i * n + k] * x[k];
        }
        x[i] /= L[i * n + i];
    }
}

static double dot(int n, const double *x, const double *y) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

void test_problem_dense(const CairnProblem *problem, double *A, double *b) {
    int m = problem->row_count, n = problem->dof_count;
    if (problem->form == CAIRN_FORM_EXPLICIT) {
        memset(A, 0, (size_t)(m * m) * sizeof *A);
        memcpy(b, problem->right_side, (size_t)m * sizeof *b);
        for (int i = 0; i < m; i++) {
            for (int k = problem->W_start[i]; k < problem->W_start[i + 1]; k++) {
                A[i * m + problem->W_column[k]] += problem->W[k];
            }
        }
        return;
    }
    double *J = calloc((size_t)(m * n) + 1, sizeof *J), *P = calloc((size_t)(n * n) + 1, sizeof *P);
    double *x = calloc((size_t)n + 1, sizeof *x);
    assert_true(J != NULL && P != NULL && x != NULL);
    expand(problem, J, P);
    memcpy(x, problem->p, (size_t)n * sizeof *x);
    factor_dense(n, P);
    forward_dense(n, P, x);
    for (int i = 0; i < m; i++) {
        forward_dense(n, P, J + i * n);
    }
    for (int i = 0; i < m; i++) {
        b[i] = dot(n, J + i * n, x) + problem->right_side[i];
        for (int j = 0; j < m; j++) {
            A[i * m + j] = dot(n, J + i * n, J + j * n) + (i == j ? problem->compliance[i] : 0);
        }
    }
    free(J);
    free(P);
    free(x);
}

// Solves with the index sets `at` (0 free, 1 lower, 2 upper) and returns whether the answer obeys all signs.
static bool try_sets(int n, const double *A, const double *b, const double *lower, const double *upper, const int *at,
                     double *lambda) {
    double a[100], y[10];
    int index[10], count = 0;
    for (int i = 0; i < n; i++) {
        lambda[i] = at[i] == 0 ? 0 : at[i] == 1 ? lower[i] : upper[i];
        if (at[i] == 0) {
            index[count++] = i;
        } else if (isinf(lambda[i])) {
            return false;
        }
    }
    for (int i = 0; i < count; i++) {
        y[i] = -b[index[i]];
        for (int j = 0; j < n; j++) {
            y[i] -= A[index[i] * n + j] * lambda[j];
        }
        for (int j = 0; j < count; j++) {
            a[i * count + j] = A[index[i] * n + index[j]];
        }
    }
    if (!test_solve_dense(count, a, y)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        lambda[index[i]] = y[i];
    }
    for (int i = 0; i < n; i++) {
        double w = b[i];
        for (int j = 0; j < n; j++) {
            w += A[i * n + j] * lambda[j];
        }
        bool is_fixed = lower[i] == upper[i];
        bool is_good = at[i] == 0   ? lambda[i] >= lower[i] - 1e-12 && lambda[i] <= upper[i] + 1e-12
                       : at[i] == 1 ? w >= -1e-12 || is_fixed
                                    : w <= 1e-12 || is_fixed;
        if (!is_good) {
            return false;
        }
    }
    return true;
}

bool test_enumerate(int n, const double *A, const double *b, const double *lower, const double *upper, double *lambda) {
    int sets = 1;
    assert_true(n <= 10);
    for (int i = 0; i < n; i++) {
        sets *= 3;
    }
    for (int code = 0; code < sets; code++) {
        int at[10];
        for (int i = 0, rest = code; i < n; i++, rest /= 3) {
            at[i] = rest % 3;
        }
        if (try_sets(n, A, b, lower, upper, at, lambda)) {
            return true;
        }
    }
    return false;
}
