// subadmm and fadmm: the exact answer is their fixed point whatever beta, division and thread count; proposition 1;
// both readings of S2 eq. 21 against a contact worked out by hand; what they refuse.
#include "solvers/admm/subadmm.h"
#include "solvers/exact/ipm.h"
#include "solvers/exact/ipm_cone.h"
#include "tests/support/block_checks.h"
#include "tests/support/exact_checks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ExactSubject subject = {.solver = &cairn_solver_subadmm};
static ExactSubject whole = {.solver = &cairn_solver_fadmm};

static double *zeros(const CairnProblem *problem) {
    double *x = calloc((size_t)problem->row_count + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

// The exact solver's velocities, to 1e-6 of max|b|: exact_distance counts in 1e-8 of it.
static void agree(const CairnSolver *solver, const char *options, const CairnProblem *problem, const double *answer,
                  CairnOutcome outcome) {
    double *lambda = zeros(problem);
    ExactRun run = exact_run(solver, options, problem, 1, NULL, lambda);
    assert_ok(run.status);
    if (run.report.outcome != outcome || !(exact_distance(problem, answer, lambda) <= 100)) {
        fail_msg("%s %s: %s after %d iterations, theta %g, velocities off by %g max|b|", solver->name, options,
                 cairn_outcome_name(run.report.outcome), run.report.iterations, run.report.claimed,
                 1e-8 * exact_distance(problem, answer, lambda));
    }
    free(lambda);
}

// Blocks of 1, 3 and 6 dofs, constraints over one to three of them, every kind of bounds, compliances that are soft.
static void the_answer_is_the_fixed_point(void **state) {
    (void)state;
    static const char *const options[] = {
        "division=bodies",
        "division=parts",
        "division=bodies,inside=none",
        "division=parts,inside=none",
        "division=parts,relaxation=1.6",
        "division=parts,weights=trace",
    };
    uint64_t seed = 1;
    for (int draw = 0; draw < 60; draw++) {
        TestProblem t;
        double answer[12] = {0};
        test_problem_random(&t, &seed, 12);
        exact_certify(&cairn_solver_ipm, NULL, &t.problem, answer);
        for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
            char text[128];
            snprintf(text, sizeof text, "%s,iterations=100000,tolerance=1e-12", options[k]);
            agree(&cairn_solver_subadmm, text, &t.problem, answer, CAIRN_OUTCOME_CONVERGED);
        }
        agree(&cairn_solver_fadmm, "iterations=100000,tolerance=1e-12", &t.problem, answer, CAIRN_OUTCOME_CONVERGED);
    }
}

// Heaps of bodies, the laws that are convex, and groups made of half of the bodies. The slowest of them takes 105,000
// iterations to 1e-12 N s.
static void heaps_agree_with_exact_solvers(void **state) {
    (void)state;
    static const CairnFrictionKind kinds[] = {CAIRN_FRICTION_BOX, CAIRN_FRICTION_CONE};
    for (int draw = 0; draw < support_rounds(6, 2); draw++) {
        TestPile pile;
        uint64_t seed = 20 + (uint64_t)draw;
        test_pile_heap(&pile, &seed, 8, draw < 3 ? 1e-1 : 1e-2, kinds[draw % 2]);
        double *answer = zeros(&pile.problem);
        for (int b = 0; b < pile.problem.block_count; b++) {
            pile.blocks[b].group = b % 2 ? 7 : -1;
        }
        exact_certify(draw % 2 ? &cairn_solver_ipm_cone : &cairn_solver_ipm, NULL, &pile.problem, answer);
        agree(&cairn_solver_subadmm, "division=bodies,iterations=200000", &pile.problem, answer,
              CAIRN_OUTCOME_CONVERGED);
        agree(&cairn_solver_subadmm, "division=groups,iterations=200000", &pile.problem, answer,
              CAIRN_OUTCOME_CONVERGED);
        agree(&cairn_solver_fadmm, "iterations=200000", &pile.problem, answer, CAIRN_OUTCOME_CONVERGED);
        free(answer);
        test_pile_free(&pile);
    }
}

// Convex problems: beta from a hundredth of eq. 23 to a hundred times it.
static void any_beta_converges(void **state) {
    (void)state;
    static const char *const betas[] = {"0.01", "0.1", "1", "10", "100"};
    TestPile pile;
    uint64_t seed = 30;
    test_pile_heap(&pile, &seed, 4, 0.5, CAIRN_FRICTION_CONE);
    double *answer = zeros(&pile.problem);
    exact_certify(&cairn_solver_ipm_cone, NULL, &pile.problem, answer);
    for (size_t k = 0; k < sizeof betas / sizeof *betas; k++) {
        char text[128];
        snprintf(text, sizeof text, "division=bodies,iterations=400000,tolerance=1e-11,beta=%s", betas[k]);
        agree(&cairn_solver_subadmm, text, &pile.problem, answer, CAIRN_OUTCOME_CONVERGED);
        snprintf(text, sizeof text, "division=bodies,iterations=400000,tolerance=1e-13,weights=trace,beta=%s",
                 betas[k]);
        agree(&cairn_solver_subadmm, text, &pile.problem, answer, CAIRN_OUTCOME_CONVERGED);
    }
    free(answer);
    test_pile_free(&pile);
}

// Proposition 1: theta is zero at the answer, and nowhere else. One iteration from the answer moves y by rounding; from
// one with a single impulse changed by a thousandth it moves by about as much.
static void theta_is_zero_at_the_answer_only(void **state) {
    (void)state;
    for (int draw = 0; draw < 10; draw++) {
        TestPile pile;
        uint64_t seed = 40 + (uint64_t)draw;
        test_pile_heap(&pile, &seed, 8, 1e-2, CAIRN_FRICTION_CONE);
        double *answer = zeros(&pile.problem), *lambda = zeros(&pile.problem);
        size_t bytes = (size_t)pile.problem.row_count * sizeof *answer;
        exact_certify(&cairn_solver_ipm_cone, NULL, &pile.problem, answer);
        memcpy(lambda, answer, bytes);
        ExactRun run =
            exact_run(&cairn_solver_subadmm, "division=bodies,tolerance=1e-8", &pile.problem, 1, NULL, lambda);
        assert_ok(run.status);
        assert_int_equal(run.report.outcome, CAIRN_OUTCOME_CONVERGED);
        assert_int_equal(run.report.iterations, 1);
        for (int f = 0; f < pile.problem.friction_count; f++) {
            int n = pile.frictions[f].normal;
            memcpy(lambda, answer, bytes);
            lambda[n] += 1e-3;
            run = exact_run(&cairn_solver_subadmm, "division=bodies,tolerance=1e-6,iterations=1", &pile.problem, 1,
                            NULL, lambda);
            assert_ok(run.status);
            assert_int_equal(run.report.outcome, CAIRN_OUTCOME_AT_LIMIT);
        }
        free(answer);
        free(lambda);
        test_pile_free(&pile);
    }
}

// One contact of a unit mass without turning: b = (-1, -2, 0), so it would sink at 1 and slides at 2. Coulomb: lambda_n
// = 1 stops the sinking, friction takes mu off the slip. The convex law: nearest point of the cone to (1, 2, 0), (1 + 2
// mu)/(1 + mu^2) along (1, mu).
static void both_readings_of_eq_21(void **state) {
    (void)state;
    const double mu = 0.5, convex = (1 + 2 * mu) / (1 + mu * mu);
    static const CairnFrictionKind kinds[] = {CAIRN_FRICTION_COULOMB, CAIRN_FRICTION_CONE, CAIRN_FRICTION_BOX_CURRENT};
    const double answers[3][2] = {{1, mu}, {convex, mu * convex}, {1, mu}};
    for (int k = 0; k < 6; k++) {
        TestProblem t;
        uint64_t seed = 50;
        double one[36] = {0}, lambda[3] = {0};
        test_problem_begin(&t);
        for (int i = 0; i < 36; i += 7) {
            one[i] = 1;
        }
        int block = test_problem_block(&t, 6, one);
        test_problem_contact(&t, &seed, kinds[k % 3], 0, 1, &block);
        t.frictions[0].mu = mu;
        memset(t.J, 0, 18 * sizeof(double));
        t.J[0] = t.J[7] = t.J[14] = 1;
        t.right_side[0] = -1;
        t.right_side[1] = -2;
        ExactRun run = exact_run(k < 3 ? &cairn_solver_subadmm : &cairn_solver_fadmm,
                                 "iterations=10000,tolerance=1e-15", &t.problem, 1, NULL, lambda);
        assert_ok(run.status);
        assert_near(lambda[0], answers[k % 3][0], 1e-12);
        assert_near(lambda[1], answers[k % 3][1], 1e-12);
        assert_near(lambda[2], 0, 1e-12);
    }
}

// C differs between normal and tangents: nearest in the metric that eq. 16 says, so still the exact convex answer.
static void unequal_compliances_stay_exact(void **state) {
    (void)state;
    TestPile pile;
    uint64_t seed = 60;
    test_pile_heap(&pile, &seed, 6, 0.1, CAIRN_FRICTION_CONE);
    for (int f = 0; f < pile.problem.friction_count; f++) {
        int n = pile.frictions[f].normal;
        pile.compliance[n] = 0.5;
        pile.compliance[n + 1] = pile.compliance[n + 2] = 0.02;
    }
    double *answer = zeros(&pile.problem);
    exact_certify(&cairn_solver_ipm_cone, NULL, &pile.problem, answer);
    agree(&cairn_solver_subadmm, "division=bodies,iterations=100000", &pile.problem, answer, CAIRN_OUTCOME_CONVERGED);
    free(answer);
    test_pile_free(&pile);
}

static void threads_give_the_same_bits(void **state) {
    (void)state;
    static const char *const options[] = {"division=bodies", "division=parts", "division=parts,inside=none"};
    TestPile pile;
    uint64_t seed = 70;
    test_pile_heap(&pile, &seed, 60, 1e-6, CAIRN_FRICTION_COULOMB);
    double *first = zeros(&pile.problem), *lambda = zeros(&pile.problem);
    size_t bytes = (size_t)pile.problem.row_count * sizeof *first;
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        for (int threads = 1; threads <= 4; threads++) {
            memset(lambda, 0, bytes);
            assert_ok(exact_run(&cairn_solver_subadmm, options[k], &pile.problem, threads, NULL, lambda).status);
            if (threads == 1) {
                memcpy(first, lambda, bytes);
            }
            assert_memory_equal(lambda, first, bytes);
        }
    }
    free(first);
    free(lambda);
    test_pile_free(&pile);
}

// A warm start saves iterations, and a better one more.
static void warm_starts_help(void **state) {
    (void)state;
    TestPile pile;
    uint64_t seed = 80;
    test_pile_heap(&pile, &seed, 8, 0.1, CAIRN_FRICTION_CONE);
    double *answer = zeros(&pile.problem), *lambda = zeros(&pile.problem);
    const char *options = "division=bodies,iterations=100000,tolerance=1e-9";
    int cold = exact_run(&cairn_solver_subadmm, options, &pile.problem, 1, NULL, answer).report.iterations;
    for (int i = 0; i < pile.problem.row_count; i++) {
        lambda[i] = answer[i] * (1 + 1e-4);
    }
    int warm = exact_run(&cairn_solver_subadmm, options, &pile.problem, 1, NULL, lambda).report.iterations;
    assert_true(warm < cold);
    assert_true(exact_run(&cairn_solver_subadmm, options, &pile.problem, 1, NULL, answer).report.iterations < warm);
    free(answer);
    free(lambda);
    test_pile_free(&pile);
}

static void what_is_wrong_is_said(void **state) {
    (void)state;
    TestPile pile;
    uint64_t seed = 90;
    test_pile_heap(&pile, &seed, 4, 0.1, CAIRN_FRICTION_BOX);
    double *lambda = zeros(&pile.problem);
    CairnSubadmmOptions options;
    assert_refused(cairn_fields_parse(cairn_solver_subadmm.options, &options, "beta=0"), CAIRN_INVALID_ARGUMENT,
                   "beta");
    assert_refused(cairn_fields_parse(cairn_solver_subadmm.options, &options, "beta=-1"), CAIRN_INVALID_ARGUMENT,
                   "beta");
    int part[4] = {0, 0, 2, 2};
    CairnParts parts = {3, part};
    ExactRun run = exact_run_parts(&cairn_solver_subadmm, "division=parts", &pile.problem, &parts, 1, lambda);
    assert_refused(run.status, CAIRN_INVALID_ARGUMENT, "subsystem 1 of 3 has no dofs");
    part[3] = 5;
    run = exact_run_parts(&cairn_solver_subadmm, "division=parts", &pile.problem, &parts, 1, lambda);
    assert_refused(run.status, CAIRN_INVALID_ARGUMENT, "part[3] = 5");
    run = exact_run_parts(&cairn_solver_subadmm, "division=parts", &pile.problem, NULL, 1, lambda);
    assert_refused(run.status, CAIRN_INVALID_ARGUMENT, "there are none");
    pile.frictions[0].mu = -1;
    run = exact_run(&cairn_solver_subadmm, NULL, &pile.problem, 1, NULL, lambda);
    assert_false(cairn_is_ok(run.status));
    test_pile_free(&pile);
    free(lambda);
    TestProblem dynamics, t;
    test_problem_random(&dynamics, &seed, 4);
    test_problem_make_explicit(&dynamics, &t);
    double four[4] = {0};
    assert_refused(exact_run(&cairn_solver_fadmm, NULL, &t.problem, 1, NULL, four).status, CAIRN_UNSUPPORTED,
                   "explicit");
}

// Momenta whose squares are no numbers: told as an outcome, and the impulses stay those of before.
static void divergence_is_told(void **state) {
    (void)state;
    const CairnSolver *const solvers[] = {&cairn_solver_subadmm, &cairn_solver_fadmm};
    for (int k = 0; k < 2; k++) {
        TestPile pile;
        uint64_t seed = 100;
        test_pile_heap(&pile, &seed, 6, 0.1, CAIRN_FRICTION_COULOMB);
        double *lambda = zeros(&pile.problem);
        for (int i = 0; i < pile.problem.row_count; i++) {
            lambda[i] = 0.25;
        }
        pile.p[2] = -1e300;
        ExactRun run = exact_run(solvers[k], NULL, &pile.problem, 1, NULL, lambda);
        assert_refused(run.status, CAIRN_NUMERIC, "diverged");
        assert_int_equal(run.report.outcome, CAIRN_OUTCOME_DIVERGED);
        for (int i = 0; i < pile.problem.row_count; i++) {
            assert_true(lambda[i] == 0.25);
        }
        free(lambda);
        test_pile_free(&pile);
    }
}

static BlockSubject blocks = {
    .solver = &cairn_solver_subadmm,
    .options = {"iterations=50000,tolerance=1e-11", "iterations=50000,tolerance=1e-11,inside=none",
                "iterations=50000,tolerance=1e-11,division=bodies", "iterations=50000,tolerance=1e-11,division=parts"},
    .stiffest = 1e-2};
static BlockSubject whole_blocks = {
    .solver = &cairn_solver_fadmm,
    .options = {"iterations=50000,tolerance=1e-11", "iterations=50000,tolerance=1e-11,inside=none"},
    .stiffest = 1e-2};
static BlockSubject coupled_blocks = {.solver = &cairn_solver_subadmm,
                                      .options = {"iterations=50000,tolerance=1e-11",
                                                  "iterations=50000,tolerance=1e-11,division=parts",
                                                  "iterations=50000,tolerance=1e-11,inside=none"},
                                      .stiffest = 1e-2};

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_answer_is_the_fixed_point),
        cmocka_unit_test(heaps_agree_with_exact_solvers),
        cmocka_unit_test(any_beta_converges),
        cmocka_unit_test(theta_is_zero_at_the_answer_only),
        cmocka_unit_test(both_readings_of_eq_21),
        cmocka_unit_test(unequal_compliances_stay_exact),
        cmocka_unit_test(threads_give_the_same_bits),
        cmocka_unit_test(warm_starts_help),
        cmocka_unit_test(what_is_wrong_is_said),
        cmocka_unit_test(divergence_is_told),
        cmocka_unit_test_prestate(exact_check_bad_input, &subject),
        cmocka_unit_test_prestate(exact_check_no_memory, &subject),
        cmocka_unit_test_prestate(exact_check_bad_input, &whole),
        cmocka_unit_test_prestate(exact_check_no_memory, &whole),
        cmocka_unit_test_prestate(block_check_laws, &blocks),
        cmocka_unit_test_prestate(block_check_laws, &whole_blocks),
        cmocka_unit_test_prestate(block_check_couplings, &coupled_blocks),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
