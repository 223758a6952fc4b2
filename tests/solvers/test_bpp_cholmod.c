// bpp-cholmod: the checks of all exact solvers over both of CHOLMOD's factors, where CHOLMOD is found; and what
// `faithful` is.
#include "tests/support/block_checks.h"
#include "tests/support/exact_checks.h"

#if __has_include(<suitesparse/cholmod.h>)
#include "solvers/cholmod/bpp_cholmod.h"
#include "solvers/exact/bpp.h"

#include <stdlib.h>
#include <string.h>

static ExactSubject subject = {
    .solver = &cairn_solver_bpp_cholmod, .stiffest = 1e-9, .bodies = 40, .factorizations = 60};

// Every way to factor finds what bpp finds.
static void all_factors_agree_with_bpp(void **state) {
    (void)state;
    static const char *const options[] = {"method=simplicial,symbolic=each", "method=simplicial,symbolic=once",
                                          "method=supernodal,symbolic=each", "method=supernodal,symbolic=once"};
    for (int draw = 0; draw < 4; draw++) {
        TestPile pile;
        uint64_t seed = 90 + (uint64_t)draw;
        test_pile_heap(&pile, &seed, 20, draw % 2 ? 1e-9 : 1e-6, CAIRN_FRICTION_BOX);
        size_t rows = (size_t)pile.problem.row_count;
        double *own = calloc(rows, sizeof *own), *other = calloc(rows, sizeof *other);
        assert_true(own != NULL && other != NULL);
        exact_certify(&cairn_solver_bpp, NULL, &pile.problem, own);
        for (int k = 0; k < 4; k++) {
            for (size_t i = 0; i < rows; i++) {
                other[i] = 0;
            }
            exact_certify(&cairn_solver_bpp_cholmod, options[k], &pile.problem, other);
            assert_below(exact_distance(&pile.problem, own, other), 1);
        }
        free(own);
        free(other);
        test_pile_free(&pile);
    }
}

// Cold whatever the warm start is, as many pivots as bpp from the same sets, and no ipm behind it.
static void faithful_is_the_papers(void **state) {
    (void)state;
    TestPile pile;
    uint64_t seed = 71;
    test_pile_heap(&pile, &seed, 40, 1e-8, CAIRN_FRICTION_BOX);
    size_t rows = (size_t)pile.problem.row_count;
    double *cold = calloc(rows, sizeof *cold), *warm = calloc(rows, sizeof *warm);
    assert_true(cold != NULL && warm != NULL);
    exact_certify(&cairn_solver_bpp, NULL, &pile.problem, warm);
    ExactRun from_zero = exact_run(&cairn_solver_bpp_cholmod, "faithful=true", &pile.problem, 1, NULL, cold);
    ExactRun from_answer = exact_run(&cairn_solver_bpp_cholmod, "faithful=true", &pile.problem, 1, NULL, warm);
    assert_ok(from_zero.status);
    assert_ok(from_answer.status);
    assert_memory_equal(cold, warm, rows * sizeof *cold);
    assert_int_equal(from_zero.report.iterations, from_answer.report.iterations);
    assert_int_equal(from_zero.report.outcome, CAIRN_OUTCOME_AT_LIMIT);
    assert_int_equal(from_zero.report.iterations, 50);
    assert_int_equal(from_zero.report.factorizations, 50);
    assert_int_equal(from_zero.report.fallback, 0);
    free(cold);
    free(warm);
    test_pile_free(&pile);
}

static BlockSubject blocks = {.solver = &cairn_solver_bpp_cholmod, .options = {""}, .stiffest = 1e-6};

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        EXACT_TESTS(&subject),
        cmocka_unit_test(all_factors_agree_with_bpp),
        cmocka_unit_test(faithful_is_the_papers),
        cmocka_unit_test_prestate(block_check_laws, &blocks),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else

static void without_cholmod_there_is_nothing_to_test(void **state) {
    (void)state;
    print_message("bpp-cholmod: suitesparse/cholmod.h is not installed (Debian: libsuitesparse-dev): skipped\n");
    skip();
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(without_cholmod_there_is_nothing_to_test)};
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
