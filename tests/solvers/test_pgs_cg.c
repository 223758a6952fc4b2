// pgs-cg: the exact answers, sweeps with and without acceleration, and what it refuses.
#include "solvers/exact/ipm.h"
#include "solvers/exact/ipm_cone.h"
#include "solvers/exact/pgs_cg.h"
#include "tests/support/block_checks.h"
#include "tests/support/exact_checks.h"

#include <stdlib.h>
#include <string.h>

static ExactSubject subject = {.solver = &cairn_solver_pgs_cg};

// To 1e-6 of max|b|.
static int agree(const char *options, const CairnProblem *problem, const double *answer) {
    double *lambda = calloc((size_t)problem->row_count + 1, sizeof *lambda);
    assert_non_null(lambda);
    ExactRun run = exact_run(&cairn_solver_pgs_cg, options, problem, 1, NULL, lambda);
    assert_ok(run.status);
    assert_int_equal(run.report.outcome, CAIRN_OUTCOME_CONVERGED);
    assert_below(exact_distance(problem, answer, lambda), 100);
    free(lambda);
    return run.report.iterations;
}

// Free rows over one to three blocks are part of the dynamics, all others are swept over.
static void random_problems_are_solved(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int draw = 0; draw < 100; draw++) {
        TestProblem t;
        double answer[14] = {0};
        test_problem_random(&t, &seed, 14);
        exact_certify(&cairn_solver_ipm, NULL, &t.problem, answer);
        agree("iterations=20000,tolerance=1e-11", &t.problem, answer);
        agree("iterations=20000,tolerance=1e-11,accelerate=false", &t.problem, answer);
    }
}

// On a heap acceleration saves sweeps.
static void heaps_are_solved(void **state) {
    (void)state;
    static const CairnFrictionKind kinds[] = {CAIRN_FRICTION_BOX, CAIRN_FRICTION_CONE};
    int plain = 0, fast = 0;
    for (int draw = 0; draw < support_rounds(6, 2); draw++) {
        TestPile pile;
        uint64_t seed = 20 + (uint64_t)draw;
        test_pile_heap(&pile, &seed, 8, 1e-1, kinds[draw % 2]);
        double *answer = calloc((size_t)pile.problem.row_count, sizeof *answer);
        assert_non_null(answer);
        exact_certify(draw % 2 ? &cairn_solver_ipm_cone : &cairn_solver_ipm, NULL, &pile.problem, answer);
        fast += agree("iterations=100000,tolerance=1e-11", &pile.problem, answer);
        plain += agree("iterations=100000,tolerance=1e-11,accelerate=false", &pile.problem, answer);
        free(answer);
        test_pile_free(&pile);
    }
    assert_true(fast < plain);
}

// Under Coulomb's law tangents take steps of w / D a row and are scaled back to the bound: that is the law where both
// have one D.
static BlockSubject blocks = {
    .solver = &cairn_solver_pgs_cg,
    .options = {"iterations=50000,tolerance=1e-11", "iterations=50000,tolerance=1e-11,accelerate=false"},
    .stiffest = 0.1,
    .rough = CAIRN_TAKES_COULOMB};

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_problems_are_solved),
        cmocka_unit_test(heaps_are_solved),
        cmocka_unit_test_prestate(exact_check_bad_input, &subject),
        cmocka_unit_test_prestate(exact_check_no_memory, &subject),
        cmocka_unit_test_prestate(block_check_laws, &blocks),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
