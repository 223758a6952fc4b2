// ipm: the checks of all exact solvers, and what is its own.
#include "solvers/exact/ipm.h"
#include "tests/support/block_checks.h"
#include "tests/support/exact_checks.h"

#include <stdlib.h>
#include <string.h>

static ExactSubject subject = {.solver = &cairn_solver_ipm, .stiffest = 1e-9, .bodies = 128, .factorizations = 60};

// A limit that is too low is said, the impulses stay finite, and each iteration is traced.
static void a_limit_is_said(void **state) {
    (void)state;
    TestPile pile;
    uint64_t seed = 70;
    test_pile_heap(&pile, &seed, 15, 1e-8, CAIRN_FRICTION_BOX);
    double *lambda = calloc((size_t)pile.problem.row_count, sizeof *lambda);
    assert_non_null(lambda);
    ExactRun run = exact_run(&cairn_solver_ipm, "iterations=2,warm=false", &pile.problem, 1, NULL, lambda);
    assert_ok(run.status);
    assert_int_equal(run.report.outcome, CAIRN_OUTCOME_AT_LIMIT);
    assert_int_equal(run.report.iterations, 2);
    assert_int_equal(run.traced, 2);
    assert_false(run.residual.is_certified);
    assert_near(run.report.claimed, run.residual.scaled, 1e-12);
    free(lambda);
    test_pile_free(&pile);
}

// Steps that aim too low end at the edge of the bounds on few problems and for good: thousands show it.
static void thousands_arrive(void **state) {
    (void)state;
    enum { COUNT = 3000 };
    static const int hard[] = {8578,   27106,  89350,  106606,
                               116600, 130692, 174059, 185676}; // stood still in one way or another
    const int draws = COUNT + (int)(sizeof hard / sizeof *hard);
    static const double compliances[] = {0, 1e-10, 1e-8, 1e-6, 1e-4}, shares[] = {0.5, 1, 1.5, 2};
    for (int k = 0; k < draws; k++) {
        int t = k < COUNT ? k : hard[k - COUNT];
        TestPile pile;
        uint64_t seed = 1000 + (uint64_t)t;
        int rows = 6 + t * 37 % 200;
        double *lambda = calloc(2 * 400, sizeof *lambda);
        assert_non_null(lambda);
        test_pile_chosen(&pile, &seed, rows, shares[t % 4], compliances[t % 5], lambda, lambda + 400);
        for (int i = 0; i < pile.problem.row_count; i++) {
            lambda[i] *= t % 2 ? 0.9 : 0; // near the answer, or cold
        }
        ExactRun run = exact_certify(&cairn_solver_ipm, NULL, &pile.problem, lambda);
        assert_true(run.report.iterations <= 40);
        free(lambda);
        test_pile_free(&pile);
    }
}

// Of a row that sits at its bound and wants nothing there slack and velocity both go to zero, and a Newton step only
// halves them.
static void rows_that_want_nothing_at_their_bounds_end_soon(void **state) {
    (void)state;
    enum { COUNT = 200, ROWS = 120 };
    int iterations[2] = {0};
    for (int t = 0; t < 2 * COUNT; t++) {
        TestPile pile;
        uint64_t seed = 40 + (uint64_t)(t / 2);
        double lambda[ROWS] = {0}, w[ROWS];
        test_pile_chosen(&pile, &seed, ROWS, 0.9, 1e-8, lambda, w);
        for (int i = 0; i < ROWS; i++) {
            pile.right_side[i] -= t % 2 == 1 && i % 3 == 0 ? w[i] : 0;
            lambda[i] = 0;
        }
        iterations[t % 2] += exact_certify(&cairn_solver_ipm, NULL, &pile.problem, lambda).report.iterations;
        test_pile_free(&pile);
    }
    assert_true(iterations[0] <= 10 * COUNT); // Mehrotra's corrector takes 11,
    assert_true(iterations[1] <= 14 * COUNT); // and 17.4
}

static BlockSubject blocks = {.solver = &cairn_solver_ipm, .options = {""}, .stiffest = 1e-6};

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        EXACT_TESTS(&subject),
        cmocka_unit_test(a_limit_is_said),
        cmocka_unit_test(thousands_arrive),
        cmocka_unit_test(rows_that_want_nothing_at_their_bounds_end_soon),
        cmocka_unit_test_prestate(block_check_laws, &blocks),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
