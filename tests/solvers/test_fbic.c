// fbic: it descends, it arrives where coupling is weak, and it says so where it does not.
#include "solvers/exact/bpp.h"
#include "solvers/schur/fbic.h"
#include "tests/support/block_checks.h"
#include "tests/support/exact_checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 2400 };

// The matrix of exact solvers, as far as problems do not follow their bounds: those that it is to arrive on are soft.
static ExactSubject subject = {.solver = &cairn_solver_fbic, .stiffest = 10, .bodies = 16, .factorizations = 2000};

// Weakly coupled: contacts so soft that what lies behind the interface's bodies hardly matters.
static void easy_problems_converge_to_the_answer(void **state) {
    (void)state;
    for (int draw = 0; draw < 8; draw++) {
        TestPile pile;
        uint64_t seed = 200 + (uint64_t)draw;
        static double lambda[ROWS], other[ROWS];
        test_pile_heap(&pile, &seed, 12, 100, CAIRN_FRICTION_BOX);
        memset(lambda, 0, sizeof lambda);
        memset(other, 0, sizeof other);
        ExactRun run = exact_run(&cairn_solver_fbic, "kmax=2000", &pile.problem, 1 + draw % 3, NULL, lambda);
        assert_ok(run.status);
        assert_int_equal(run.report.outcome, CAIRN_OUTCOME_CONVERGED);
        assert_true(run.residual.is_certified);
        assert_true(run.report.coupling > 1 && run.report.coupling <= 2000);
        assert_int_equal(run.traced, run.report.coupling);
        exact_certify(&cairn_solver_bpp, NULL, &pile.problem, other);
        assert_below(exact_distance(&pile.problem, lambda, other), 1);
        // from the answer it is there at once
        run = exact_run(&cairn_solver_fbic, "", &pile.problem, 1, NULL, lambda);
        assert_int_equal(run.report.outcome, CAIRN_OUTCOME_CONVERGED);
        assert_true(run.report.coupling <= 1);
        test_pile_free(&pile);
    }
}

// Every iteration lowers the objective, on stiff heaps too, where it does not arrive and says so.
static void the_objective_falls_on_hard_ones(void **state) {
    (void)state;
    for (int draw = 0; draw < 4; draw++) {
        TestPile pile;
        uint64_t seed = 210 + (uint64_t)draw;
        static double lambda[ROWS];
        double last = 0, first = 0;
        test_pile_heap(&pile, &seed, 16, draw % 2 ? 1e-6 : 1e-3, CAIRN_FRICTION_BOX);
        for (int k = 1; k <= 6; k++) {
            char options[40];
            snprintf(options, sizeof options, "kmax=%d", k);
            memset(lambda, 0, sizeof lambda);
            ExactRun run = exact_run(&cairn_solver_fbic, options, &pile.problem, 1, NULL, lambda);
            assert_ok(run.status);
            assert_int_equal(run.report.outcome, CAIRN_OUTCOME_AT_LIMIT);
            assert_int_equal(run.report.coupling, k);
            assert_int_equal(run.report.fallback, 0);
            assert_false(run.residual.is_certified);
            double objective = exact_objective(&pile.problem, lambda);
            assert_true(objective < last);
            last = objective;
            first = k == 1 ? run.residual.scaled : first;
        }
        memset(lambda, 0, sizeof lambda);
        ExactRun run = exact_run(&cairn_solver_fbic, "kmax=60", &pile.problem, 1, NULL, lambda);
        assert_below(run.residual.scaled, first);
        test_pile_free(&pile);
    }
}

// One part, or parts that nothing joins, are solved at once.
static void what_is_not_coupled_takes_one_iteration(void **state) {
    (void)state;
    TestPile pile;
    uint64_t seed = 220;
    static double lambda[ROWS], other[ROWS];
    static int zero[64];
    test_pile_heap(&pile, &seed, 20, 1e-7, CAIRN_FRICTION_BOX);
    CairnParts one = {1, zero};
    memset(lambda, 0, sizeof lambda);
    memset(other, 0, sizeof other);
    ExactRun run = exact_run_parts(&cairn_solver_fbic, "", &pile.problem, &one, 1, lambda);
    assert_ok(run.status);
    assert_int_equal(run.report.coupling, 1);
    assert_true(run.residual.is_certified);
    exact_certify(&cairn_solver_bpp, NULL, &pile.problem, other);
    assert_below(exact_distance(&pile.problem, lambda, other), 1);
    test_pile_free(&pile);
}

static void following_bounds_are_refused(void **state) {
    (void)state;
    TestPile pile;
    uint64_t seed = 230;
    static double lambda[ROWS];
    test_pile_heap(&pile, &seed, 5, 1e-3, CAIRN_FRICTION_BOX_CURRENT);
    assert_refused(exact_run(&cairn_solver_fbic, "", &pile.problem, 1, NULL, lambda).status, CAIRN_UNSUPPORTED,
                   "friction group 0");
    test_pile_free(&pile);
}

static BlockSubject blocks = {.solver = &cairn_solver_fbic, .options = {"kmax=20000"}, .stiffest = 1};

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(exact_check_bad_input, &subject),
        cmocka_unit_test_prestate(exact_check_edges, &subject),
        cmocka_unit_test_prestate(exact_check_threads_and_memory, &subject),
        cmocka_unit_test_prestate(exact_check_no_memory, &subject),
        cmocka_unit_test(easy_problems_converge_to_the_answer),
        cmocka_unit_test(the_objective_falls_on_hard_ones),
        cmocka_unit_test(what_is_not_coupled_takes_one_iteration),
        cmocka_unit_test(following_bounds_are_refused),
        cmocka_unit_test_prestate(block_check_laws, &blocks),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
