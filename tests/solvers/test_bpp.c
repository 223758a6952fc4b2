// bpp: the checks of all exact solvers, what is its own, and agreement between the solvers.
#include "solvers/exact/bpp.h"
#include "solvers/exact/ipm.h"
#include "tests/support/block_checks.h"
#include "tests/support/exact_checks.h"

#include <stdlib.h>
#include <string.h>

static ExactSubject subject = {.solver = &cairn_solver_bpp, .stiffest = 1e-9, .bodies = 128, .factorizations = 60};

// The default hands over what does not settle; faithful ends there, as the paper does.
static void what_does_not_settle_is_handed_over(void **state) {
    (void)state;
    TestPile pile;
    uint64_t seed = 71;
    test_pile_heap(&pile, &seed, 40, 1e-8, CAIRN_FRICTION_BOX);
    double *lambda = calloc((size_t)pile.problem.row_count, sizeof *lambda);
    assert_non_null(lambda);
    ExactRun run = exact_certify(&cairn_solver_bpp, NULL, &pile.problem, lambda);
    assert_int_equal(run.report.fallback, 1);
    assert_int_equal(run.traced, run.report.iterations);
    memset(lambda, 0, (size_t)pile.problem.row_count * sizeof *lambda);
    run = exact_run(&cairn_solver_bpp, "faithful=true", &pile.problem, 1, NULL, lambda);
    assert_ok(run.status);
    assert_int_equal(run.report.outcome, CAIRN_OUTCOME_AT_LIMIT);
    assert_int_equal(run.report.iterations, 50);
    assert_int_equal(run.report.fallback, 0);
    assert_false(run.residual.is_certified);
    free(lambda);
    test_pile_free(&pile);
}

// Where pivoting alone arrives it says so, in few steps, and again in one from its own answer.
static void pivoting_alone_arrives_where_it_is_easy(void **state) {
    (void)state;
    uint64_t seed = 72;
    for (int draw = 0; draw < 50; draw++) {
        TestProblem t;
        double lambda[20] = {0}, other[20] = {0};
        test_problem_random(&t, &seed, 20);
        ExactRun run = exact_certify(&cairn_solver_bpp, "patience=100", &t.problem, lambda);
        assert_int_equal(run.report.fallback, 0);
        assert_true(run.report.iterations <= 20);
        run = exact_certify(&cairn_solver_bpp, NULL, &t.problem, lambda);
        assert_int_equal(run.report.iterations, 1);
        exact_certify(&cairn_solver_ipm, NULL, &t.problem, other);
        assert_below(exact_distance(&t.problem, lambda, other), 1);
    }
}

static void solvers_agree_on_heaps(void **state) {
    (void)state;
    for (int draw = 0; draw < 6; draw++) {
        TestPile pile;
        uint64_t seed = 80 + (uint64_t)draw;
        test_pile_heap(&pile, &seed, 15, draw % 2 ? 1e-9 : 1e-5, CAIRN_FRICTION_BOX);
        size_t rows = (size_t)pile.problem.row_count;
        double *a = calloc(rows, sizeof *a), *b = calloc(rows, sizeof *b);
        assert_true(a != NULL && b != NULL);
        exact_certify(&cairn_solver_bpp, NULL, &pile.problem, a);
        exact_certify(&cairn_solver_ipm, NULL, &pile.problem, b);
        assert_below(exact_distance(&pile.problem, a, b), 1);
        free(a);
        free(b);
        test_pile_free(&pile);
    }
}

static BlockSubject blocks = {.solver = &cairn_solver_bpp, .options = {""}, .stiffest = 1e-6};

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        EXACT_TESTS(&subject),
        cmocka_unit_test(what_does_not_settle_is_handed_over),
        cmocka_unit_test(pivoting_alone_arrives_where_it_is_easy),
        cmocka_unit_test(solvers_agree_on_heaps),
        cmocka_unit_test_prestate(block_check_laws, &blocks),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
