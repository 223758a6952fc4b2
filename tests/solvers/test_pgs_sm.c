// pgs-sm: the checks of all exact solvers, and what is its own.
#include "solvers/exact/pgs_sm.h"
#include "tests/support/block_checks.h"
#include "tests/support/exact_checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ExactSubject subject = {.solver = &cairn_solver_pgs_sm, .stiffest = 1e-3, .bodies = 128, .factorizations = 250};

// Every round ends lower than the one before, and what the limit cuts off is said and traced.
static void rounds_descend_to_their_limit(void **state) {
    (void)state;
    TestPile pile;
    uint64_t seed = 90;
    test_pile_heap(&pile, &seed, 15, 1e-8, CAIRN_FRICTION_BOX);
    double *lambda = calloc((size_t)pile.problem.row_count, sizeof *lambda), last = 0;
    assert_non_null(lambda);
    for (int rounds = 1; rounds <= 8; rounds++) {
        char options[40];
        snprintf(options, sizeof options, "iterations=%d", rounds);
        memset(lambda, 0, (size_t)pile.problem.row_count * sizeof *lambda);
        ExactRun run = exact_run(&cairn_solver_pgs_sm, options, &pile.problem, 1, NULL, lambda);
        assert_ok(run.status);
        assert_int_equal(run.report.outcome, CAIRN_OUTCOME_AT_LIMIT);
        assert_int_equal(run.report.iterations, rounds);
        assert_int_equal(run.traced, rounds);
        assert_int_equal(run.report.fallback, 0);
        assert_false(run.residual.is_certified);
        assert_near(run.report.claimed, run.residual.scaled, 1e-12);
        double objective = exact_objective(&pile.problem, lambda);
        assert_true(objective < last);
        last = objective;
    }
    free(lambda);
    test_pile_free(&pile);
}

// A face is left for a lower one only, so that rounds enough arrive on stiff rows too: a small heap shows it.
static void rounds_enough_arrive(void **state) {
    (void)state;
    TestPile pile;
    uint64_t seed = 91;
    test_pile_heap(&pile, &seed, 8, 1e-9, CAIRN_FRICTION_BOX);
    double *lambda = calloc((size_t)pile.problem.row_count, sizeof *lambda);
    assert_non_null(lambda);
    exact_certify(&cairn_solver_pgs_sm, "iterations=1000", &pile.problem, lambda);
    free(lambda);
    test_pile_free(&pile);
}

// As the paper prints it there is one solve a round and no search behind it: it loses heaps that the default certifies.
static void faithful_only_projects(void **state) {
    (void)state;
    TestPile pile;
    uint64_t seed = 92;
    test_pile_heap(&pile, &seed, 15, 1e-2, CAIRN_FRICTION_BOX);
    double *lambda = calloc((size_t)pile.problem.row_count, sizeof *lambda);
    assert_non_null(lambda);
    ExactRun run = exact_run(&cairn_solver_pgs_sm, "faithful=true", &pile.problem, 1, NULL, lambda);
    assert_ok(run.status);
    assert_int_equal(run.report.outcome, CAIRN_OUTCOME_AT_LIMIT);
    assert_int_equal(run.report.factorizations, 50);
    memset(lambda, 0, (size_t)pile.problem.row_count * sizeof *lambda);
    exact_certify(&cairn_solver_pgs_sm, NULL, &pile.problem, lambda);
    free(lambda);
    test_pile_free(&pile);
    // Where the sets are plain it ends at once, and what it then says is so.
    int settled = 0;
    for (int draw = 0; draw < 20; draw++) {
        double answer[20], w[20], found[20] = {0};
        test_pile_chosen(&pile, &seed, 20, 0.5, 1e-2, answer, w);
        run = exact_run(&cairn_solver_pgs_sm, "faithful=true", &pile.problem, 1, NULL, found);
        assert_ok(run.status);
        if (run.report.outcome == CAIRN_OUTCOME_CONVERGED) {
            assert_true(run.residual.is_certified);
            settled++;
        }
        test_pile_free(&pile);
    }
    assert_true(settled >= 15);
}

static BlockSubject blocks = {.solver = &cairn_solver_pgs_sm, .options = {""}, .stiffest = 1e-3};

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        EXACT_TESTS(&subject),
        cmocka_unit_test(rounds_descend_to_their_limit),
        cmocka_unit_test(rounds_enough_arrive),
        cmocka_unit_test(faithful_only_projects),
        cmocka_unit_test_prestate(block_check_laws, &blocks),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
