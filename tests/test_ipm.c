// ipm: the checks of all exact solvers, and what is its own.
#include "solvers/ipm.h"
#include "tests/exact_checks.h"

#include <stdlib.h>
#include <string.h>

#define CHECK(name, call)                                                                                              \
    static void name(void **state) {                                                                                   \
        (void)state;                                                                                                   \
        call;                                                                                                          \
    }

CHECK(random_problems_meet_their_enumerated_answer, exact_check_enumerated(&cairn_solver_ipm))
CHECK(chosen_answers_are_found, exact_check_chosen(&cairn_solver_ipm))
CHECK(hyperstatic_heaps_are_certified, exact_check_heaps(&cairn_solver_ipm, 128))
CHECK(order_and_warm_start_change_nothing, exact_check_order_and_warmth(&cairn_solver_ipm))
CHECK(threads_and_memory_keep_every_bit, exact_check_threads_and_memory(&cairn_solver_ipm))
CHECK(current_bounds_agree_with_their_impulses, exact_check_current_bounds(&cairn_solver_ipm))
CHECK(redundant_rows_are_regularised, exact_check_singular(&cairn_solver_ipm))
CHECK(edges_hold, exact_check_edges(&cairn_solver_ipm))
CHECK(bad_input_is_refused, exact_check_bad_input(&cairn_solver_ipm))
CHECK(no_memory_is_an_error, exact_check_no_memory(&cairn_solver_ipm))

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
    assert_int_equal(run.report.outcome, CAIRN_AT_LIMIT);
    assert_int_equal(run.report.iterations, 2);
    assert_int_equal(run.traced, 2);
    assert_false(run.residual.is_certified);
    assert_near(run.report.claimed, run.residual.scaled, 1e-12);
    free(lambda);
    test_pile_free(&pile);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_problems_meet_their_enumerated_answer),
        cmocka_unit_test(chosen_answers_are_found),
        cmocka_unit_test(hyperstatic_heaps_are_certified),
        cmocka_unit_test(order_and_warm_start_change_nothing),
        cmocka_unit_test(threads_and_memory_keep_every_bit),
        cmocka_unit_test(current_bounds_agree_with_their_impulses),
        cmocka_unit_test(redundant_rows_are_regularised),
        cmocka_unit_test(edges_hold),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(no_memory_is_an_error),
        cmocka_unit_test(a_limit_is_said),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
