// nnewton: the checks of all exact solvers, and what is its own.
#include "solvers/exact/nnewton.h"
#include "tests/support/block_checks.h"
#include "tests/support/exact_checks.h"

#include <stdlib.h>
#include <string.h>

static ExactSubject subject = {.solver = &cairn_solver_nnewton, .stiffest = 1e-2, .bodies = 128, .factorizations = 60};

static void a_limit_is_said(void **state) {
    (void)state;
    TestPile pile;
    uint64_t seed = 70;
    test_pile_heap(&pile, &seed, 15, 1e-8, CAIRN_FRICTION_BOX);
    double *lambda = calloc((size_t)pile.problem.row_count, sizeof *lambda);
    assert_non_null(lambda);
    ExactRun run = exact_run(&cairn_solver_nnewton, "iterations=5", &pile.problem, 1, NULL, lambda);
    assert_ok(run.status);
    assert_int_equal(run.report.outcome, CAIRN_OUTCOME_AT_LIMIT);
    assert_int_equal(run.report.iterations, 5);
    assert_int_equal(run.report.factorizations, 5);
    assert_int_equal(run.traced, 5);
    assert_int_equal(run.report.fallback, 0);
    assert_false(run.residual.is_certified);
    assert_near(run.report.claimed, run.residual.scaled, 1e-12);
    free(lambda);
    test_pile_free(&pile);
}

// Both maps, every scale and every memory have the same zero.
static void maps_agree(void **state) {
    (void)state;
    static const char *const options[] = {"map=fischer", "map=minimum", "scale=10", "scale=0.02", "memory=4"};
    uint64_t seed = 71;
    for (int draw = 0; draw < 20; draw++) {
        TestPile pile;
        double answer[60], w[60], first[60] = {0};
        test_pile_chosen(&pile, &seed, 60, 0.5, 1e-2, answer, w);
        exact_certify(&cairn_solver_nnewton, NULL, &pile.problem, first);
        for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
            double lambda[60] = {0};
            exact_certify(&cairn_solver_nnewton, options[k], &pile.problem, lambda);
            assert_below(exact_distance(&pile.problem, first, lambda), 1);
        }
        test_pile_free(&pile);
    }
}

// W = S + K with S positive definite and K skew has one answer too, whatever the bounds.
static void unsymmetric_systems_are_solved(void **state) {
    (void)state;
    uint64_t seed = 72;
    for (int draw = 0; draw < 200; draw++) {
        TestProblem symmetric, t;
        int n = support_int(&seed, 1, 7);
        double A[49], b[7], answer[7], lambda[7] = {0};
        test_problem_random(&symmetric, &seed, n);
        test_problem_dense(&symmetric.problem, A, b);
        test_problem_make_explicit(&symmetric, &t);
        int at = 0;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < i; j++) {
                double skew = support_uniform(&seed, -2, 2);
                A[i * n + j] += skew;
                A[j * n + i] -= skew;
            }
        }
        for (int i = 0; i < n; i++) {
            t.W_start[i] = at;
            for (int j = 0; j < n; j++, at++) {
                t.W_column[at] = j;
                t.W[at] = A[i * n + j];
            }
        }
        t.W_start[n] = at;
        t.problem.W_is_symmetric = n == 1;
        assert_true(test_enumerate(n, A, b, t.lower, t.upper, answer));
        exact_certify(&cairn_solver_nnewton, NULL, &t.problem, lambda);
        for (int i = 0; i < n; i++) {
            assert_near(lambda[i], answer[i], 1e-9); // S >= 0.1
        }
    }
}

// A diagonal of zeros: w = (-l1, l0) + b with l >= 0. Newton needs row exchanges, and no row is taken for dead.
static void zero_diagonals_are_no_dead_rows(void **state) {
    (void)state;
    TestProblem t;
    uint64_t seed = 73;
    double P = 1, lambda[2] = {0, 0};
    test_problem_begin(&t);
    int block = test_problem_block(&t, 1, &P);
    test_problem_constraint(&t, &seed, 2, 1, &block);
    TestProblem form_2;
    test_problem_make_explicit(&t, &form_2);
    double W[4] = {0, -1, 1, 0}, b[2] = {2, -3};
    memcpy(form_2.W, W, sizeof W);
    form_2.right_side[0] = b[0];
    form_2.right_side[1] = b[1];
    form_2.problem.W_is_symmetric = false;
    for (int k = 0; k < 2; k++) { // with bounds and without: w = 0 at (3, 2) in both
        exact_certify(&cairn_solver_nnewton, NULL, &form_2.problem, lambda);
        assert_near(lambda[0], 3, 1e-9);
        assert_near(lambda[1], 2, 1e-9);
        form_2.lower[0] = form_2.lower[1] = lambda[0] = lambda[1] = 0;
    }
}

static BlockSubject blocks = {.solver = &cairn_solver_nnewton, .options = {"", "map=minimum"}, .stiffest = 1e-2};

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        EXACT_TESTS(&subject),
        cmocka_unit_test(a_limit_is_said),
        cmocka_unit_test(maps_agree),
        cmocka_unit_test(unsymmetric_systems_are_solved),
        cmocka_unit_test(zero_diagonals_are_no_dead_rows),
        cmocka_unit_test_prestate(block_check_laws, &blocks),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
