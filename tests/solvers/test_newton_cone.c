// newton-cone and auto: the slopes of the rounded law, closed forms, heaps that the interior point solves too, and what
// must not matter.
#include "solvers/auto.h"
#include "solvers/exact/bpp.h"
#include "solvers/exact/ipm_cone.h"
#include "solvers/exact/newton_cone.h"
#include "solvers/exact/smooth_law.h"
#include "tests/support/exact_checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const CairnFrictionKind kinds[2] = {CAIRN_FRICTION_CONE, CAIRN_FRICTION_COULOMB};

// ---- the rounded law ------------------------------------------------------------------------------------------------

static void slopes_are_those_of_the_law(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (int round = 0; round < 400; round++) {
        CairnSmoothLaw law = {.mu = support_uniform(&seed, 0.1, 1.5),
                              .k = exp(support_uniform(&seed, -2, 2)),
                              .eps = exp(support_uniform(&seed, -5, 0)),
                              .rises = round % 2};
        double r[3], w[3], L[9], W[9];
        for (int i = 0; i < 3; i++) {
            r[i] = support_uniform(&seed, -1, 1);
            w[i] = support_uniform(&seed, -1, 1);
        }
        cairn_smooth_cone_slope(&law, r, w, L, W);
        for (int j = 0; j < 6; j++) {
            double *x = j < 3 ? &r[j] : &w[j - 3], at = *x, d = 1e-6, above[3], below[3];
            *x = at + d;
            cairn_smooth_cone(&law, r, w, above);
            *x = at - d;
            cairn_smooth_cone(&law, r, w, below);
            *x = at;
            for (int i = 0; i < 3; i++) {
                double slope = (above[i] - below[i]) / (2 * d), found = j < 3 ? L[3 * i + j] : W[3 * i + j - 3];
                assert_near(found, slope, 1e-5 * (1 + fabs(slope)));
            }
        }
        double slopes[3], unused[3], d = 1e-6, lever = 0.3;
        law.eps *= 100; // the bound's corner has a hundredth of it
        (void)cairn_smooth_follower(&law, lever, r[0], r[1], w[1], slopes);
        double by_r = cairn_smooth_follower(&law, lever, r[0], r[1] + d, w[1], unused) -
                      cairn_smooth_follower(&law, lever, r[0], r[1] - d, w[1], unused);
        double by_w = cairn_smooth_follower(&law, lever, r[0], r[1], w[1] + d, unused) -
                      cairn_smooth_follower(&law, lever, r[0], r[1], w[1] - d, unused);
        double by_n = cairn_smooth_follower(&law, lever, r[0] + d, r[1], w[1], unused) -
                      cairn_smooth_follower(&law, lever, r[0] - d, r[1], w[1], unused);
        assert_near(slopes[0], by_r / (2 * d), 1e-4 * (1 + fabs(slopes[0])));
        assert_near(slopes[1], by_w / (2 * d), 1e-4 * (1 + fabs(slopes[1])));
        assert_near(slopes[2], by_n / (2 * d), 1e-4 * (1 + fabs(slopes[2])));
    }
}

static void a_matrix_times_its_inverse_is_one(void **state) {
    (void)state;
    uint64_t seed = 6;
    for (int round = 0; round < 200; round++) {
        double A[9], X[9];
        for (int i = 0; i < 9; i++) {
            A[i] = support_uniform(&seed, -1, 1) * exp(support_uniform(&seed, -8, 8));
        }
        assert_true(cairn_smooth_invert(A, X));
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                double sum = 0, size = 1;
                for (int k = 0; k < 3; k++) {
                    sum += A[3 * i + k] * X[3 * k + j];
                    size += fabs(A[3 * i + k] * X[3 * k + j]);
                }
                assert_near(sum, i == j ? 1 : 0, 1e-10 * size);
            }
        }
    }
    const double zero[9] = {0};
    double X[9];
    assert_false(cairn_smooth_invert(zero, X));
}

// ---- one contact, in closed form ------------------------------------------------------------------------------------

// A particle of mass m meets a plane with velocity -b: the impulse is P_K(-m b) under the convex law; under Coulomb's
// it is 0, -m b, or the slide m (-b_N)(1, -mu d) with d = b_T/|b_T|.
static void one_contact_has_its_closed_form(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (int round = 0; round < 400; round++) {
        CairnFrictionKind kind = kinds[round % 2];
        TestProblem t;
        test_problem_begin(&t);
        double m = exp(support_uniform(&seed, -3, 3)), P[9] = {m, 0, 0, 0, m, 0, 0, 0, m}, lambda[3], wanted[3], b[3];
        int block = test_problem_block(&t, 3, P);
        (void)test_problem_contact(&t, &seed, kind, 0, 1, &block);
        double mu = t.frictions[0].mu = support_uniform(&seed, 0.05, 2);
        memset(t.J, 0, 9 * sizeof *t.J);
        t.J[0] = t.J[4] = t.J[8] = 1;
        for (int i = 0; i < 3; i++) {
            t.p[i] = m * (b[i] = support_uniform(&seed, -1, 1));
            lambda[i] = round % 4 < 2 ? 0 : support_uniform(&seed, -1, 1);
        }
        double tangent = hypot(b[1], b[2]), normal = -m * b[0];
        bool is_cone = kind == CAIRN_FRICTION_CONE, sticks = tangent <= mu * -b[0];
        bool is_open = is_cone ? b[0] >= mu * tangent : b[0] >= 0;
        normal = is_cone && !sticks ? (-m * b[0] + mu * m * tangent) / (1 + mu * mu) : normal;
        for (int i = 0; i < 3; i++) {
            double slide = i == 0 ? normal : -mu * normal * b[i] / tangent;
            wanted[i] = is_open ? 0 : sticks ? -m * b[i] : slide;
        }
        ExactRun run =
            exact_certify(round % 8 < 4 ? &cairn_solver_newton_cone : &cairn_solver_auto, NULL, &t.problem, lambda);
        assert_int_equal(run.report.fallback, 0);
        for (int i = 0; i < 3; i++) {
            // What is certified, with |b| <= 1, as far as the cone's edge stretches it.
            assert_near(lambda[i] / m, wanted[i] / m, 1e-8 * (1 + mu));
        }
    }
}

// ---- heaps ----------------------------------------------------------------------------------------------------------

static double *zeros(const CairnProblem *problem) {
    double *lambda = calloc((size_t)problem->row_count + 1, sizeof *lambda);
    assert_non_null(lambda);
    return lambda;
}

// From nothing, the convex answer, which is the interior point's; and again from the answer.
static void convex_heaps_need_few_factors(void **state) {
    (void)state;
    static const int sizes[] = {6, 12, 40};
    int worst = 0, rounds = support_rounds(30, 10);
    for (int round = 0; round < rounds; round++) {
        TestPile pile;
        uint64_t seed = 700 + (uint64_t)round;
        test_pile_heap(&pile, &seed, sizes[round % 3], pow(10, -3 - round % 4), CAIRN_FRICTION_CONE);
        double *lambda = zeros(&pile.problem), *other = zeros(&pile.problem);
        ExactRun run = exact_certify(&cairn_solver_newton_cone, "iterations=100", &pile.problem, lambda);
        worst = run.report.factorizations > worst ? run.report.factorizations : worst;
        assert_int_equal(run.report.fallback, 0);
        exact_certify(&cairn_solver_ipm_cone, NULL, &pile.problem, other);
        assert_below(exact_distance(&pile.problem, lambda, other), 1);
        ExactRun again = exact_certify(&cairn_solver_newton_cone, NULL, &pile.problem, lambda);
        assert_int_equal(again.report.factorizations, 0); // from the answer
        free(lambda);
        free(other);
        test_pile_free(&pile);
    }
    print_message("  %d factorizations at most\n", worst);
    assert_true(worst < 100);
}

// Every third contact has no friction, or all: their normals are rows for themselves among the blocks.
static void contacts_without_friction_are_solved(void **state) {
    (void)state;
    for (int round = 0; round < 12; round++) {
        TestPile pile;
        uint64_t seed = 60 + (uint64_t)round;
        test_pile_heap(&pile, &seed, 12, 1e-3, CAIRN_FRICTION_CONE);
        for (int f = 0; f < pile.problem.friction_count; f += round % 2 ? 1 : 3) {
            pile.frictions[f].mu = 0;
        }
        double *lambda = zeros(&pile.problem), *other = zeros(&pile.problem);
        ExactRun run = exact_certify(&cairn_solver_newton_cone, NULL, &pile.problem, lambda);
        assert_true(run.report.factorizations <= 20);
        exact_certify(&cairn_solver_ipm_cone, NULL, &pile.problem, other);
        assert_below(exact_distance(&pile.problem, lambda, other), 1);
        free(lambda);
        free(other);
        test_pile_free(&pile);
    }
}

// Coulomb's law on heaps with random normals, from stiff as matter to nearly rigid: Newton's method alone ends three in
// four, and auto goes on by other ways.
static void auto_ends_coulomb_heaps(void **state) {
    (void)state;
    int rounds = support_rounds(24, 8), worst = 0;
    for (int round = 0; round < rounds; round++) {
        TestPile pile;
        uint64_t seed = 5000 + (uint64_t)round;
        test_pile_heap(&pile, &seed, round % 2 ? 12 : 20, pow(10, -3 - round % 6), CAIRN_FRICTION_COULOMB);
        double *lambda = zeros(&pile.problem);
        ExactRun run = exact_certify(&cairn_solver_auto, NULL, &pile.problem, lambda);
        assert_non_null(run.report.finisher);
        worst = run.report.factorizations > worst ? run.report.factorizations : worst;
        free(lambda);
        test_pile_free(&pile);
    }
    print_message("  %d factorizations at most\n", worst);
}

// Paths that turn back are followed by their length.
static void paths_are_followed_past_folds(void **state) {
    (void)state;
    static const CairnFrictionKind laws[2] = {CAIRN_FRICTION_COULOMB, CAIRN_FRICTION_BOX_CURRENT};
    int rounds = support_rounds(24, 8), alone = 0, followed = 0, worst = 0;
    for (int round = 0; round < rounds; round++) {
        TestPile pile;
        uint64_t seed = 5000 + (uint64_t)round;
        test_pile_heap(&pile, &seed, round % 2 ? 12 : 20, pow(10, -3 - round % 4), laws[round / 2 % 2]);
        double *one = zeros(&pile.problem), *two = zeros(&pile.problem);
        ExactRun plain = exact_run(&cairn_solver_newton_cone, "path=0", &pile.problem, 1, NULL, one);
        ExactRun path = exact_run(&cairn_solver_newton_cone, "iterations=0,path=150", &pile.problem, 1, NULL, two);
        alone += plain.residual.is_certified;
        followed += path.residual.is_certified;
        worst = path.report.factorizations > worst ? path.report.factorizations : worst;
        free(one);
        free(two);
        test_pile_free(&pile);
    }
    print_message("  %d of %d, without paths %d, %d factorizations at most\n", followed, rounds, alone, worst);
    assert_true(followed >= rounds - 1 && followed > alone);
}

// ---- bounds that follow the load -----------------------------------------------------------------------------------------

// A particle meets a plane: its tangents are clamped each for itself, by the load of this solve.
static void one_contact_of_a_box_has_its_closed_form(void **state) {
    (void)state;
    uint64_t seed = 4;
    for (int round = 0; round < 200; round++) {
        TestProblem t;
        test_problem_begin(&t);
        double m = exp(support_uniform(&seed, -3, 3)), P[9] = {m, 0, 0, 0, m, 0, 0, 0, m}, lambda[3], b[3];
        int block = test_problem_block(&t, 3, P);
        (void)test_problem_contact(&t, &seed, CAIRN_FRICTION_BOX_CURRENT, 0, 1, &block);
        double mu = t.frictions[0].mu = support_uniform(&seed, 0.05, 2);
        memset(t.J, 0, 9 * sizeof *t.J);
        t.J[0] = t.J[4] = t.J[8] = 1;
        for (int i = 0; i < 3; i++) {
            t.p[i] = m * (b[i] = support_uniform(&seed, -1, 1));
            lambda[i] = round % 4 < 2 ? 0 : support_uniform(&seed, -1, 1);
        }
        ExactRun run =
            exact_certify(round % 2 ? &cairn_solver_newton_cone : &cairn_solver_auto, NULL, &t.problem, lambda);
        assert_int_equal(run.report.fallback, 0);
        double normal = fmax(0, -m * b[0]), most = mu * normal;
        assert_near(lambda[0] / m, normal / m, 1e-8);
        for (int i = 1; i < 3; i++) {
            assert_near(lambda[i] / m, fmax(-most, fmin(most, -m * b[i])) / m, 1e-8 * (1 + mu));
        }
    }
}

// Beside the fixed point over solves with bounds that stand. On one of the heaps neither arrives.
static void heaps_with_following_bounds_need_few_factors(void **state) {
    (void)state;
    int worst = 0, missed[2] = {0}, sum[2] = {0}, rounds = support_rounds(18, 8);
    for (int round = 0; round < rounds; round++) {
        TestPile pile;
        uint64_t seed = 700 + (uint64_t)round;
        test_pile_heap(&pile, &seed, round % 2 ? 12 : 20, pow(10, -1 - round % 6), CAIRN_FRICTION_BOX_CURRENT);
        double *lambda = zeros(&pile.problem), *other = zeros(&pile.problem);
        ExactRun own = exact_run(&cairn_solver_auto, NULL, &pile.problem, 1, NULL, lambda);
        ExactRun fixed = exact_run(&cairn_solver_bpp, NULL, &pile.problem, 1, NULL, other);
        missed[0] += !own.residual.is_certified;
        missed[1] += !fixed.residual.is_certified;
        if (own.residual.is_certified && fixed.residual.is_certified) {
            sum[0] += own.report.factorizations;
            sum[1] += fixed.report.factorizations;
            worst = own.report.factorizations > worst ? own.report.factorizations : worst;
        }
        if (own.residual.is_certified) { // from the answer
            ExactRun again = exact_certify(&cairn_solver_newton_cone, NULL, &pile.problem, lambda);
            assert_true(again.report.factorizations <= 2);
        }
        free(lambda);
        free(other);
        test_pile_free(&pile);
    }
    print_message("  %d factorizations, %d at most, beside %d\n", sum[0], worst, sum[1]);
    assert_true(missed[0] <= missed[1] && 18 * missed[0] <= rounds);
    assert_true(4 * sum[0] < sum[1] && worst < 100);
}

// ---- what must not matter --------------------------------------------------------------------------------------------------

static void threads_change_no_bit(void **state) {
    (void)state;
    TestPile pile;
    uint64_t seed = 77;
    test_pile_heap(&pile, &seed, 40, 1e-3, CAIRN_FRICTION_COULOMB);
    double *one = zeros(&pile.problem), *two = zeros(&pile.problem);
    (void)exact_run(&cairn_solver_auto, NULL, &pile.problem, 1, NULL, one);
    (void)exact_run(&cairn_solver_auto, NULL, &pile.problem, 2, NULL, two);
    assert_memory_equal(one, two, (size_t)pile.problem.row_count * sizeof *one);
    free(one);
    free(two);
    test_pile_free(&pile);
}

// Bounds alone go to bpp, to the bit.
static void auto_takes_bpp_for_bounds(void **state) {
    (void)state;
    TestPile pile;
    uint64_t seed = 78;
    test_pile_heap(&pile, &seed, 12, 1e-6, CAIRN_FRICTION_BOX);
    double *mine = zeros(&pile.problem), *other = zeros(&pile.problem);
    ExactRun run = exact_certify(&cairn_solver_auto, NULL, &pile.problem, mine);
    exact_certify(&cairn_solver_bpp, NULL, &pile.problem, other);
    assert_memory_equal(mine, other, (size_t)pile.problem.row_count * sizeof *mine);
    assert_non_null(run.report.finisher);
    free(mine);
    free(other);
    test_pile_free(&pile);
}

int main(void) {
    static ExactSubject subjects[] = {{.solver = &cairn_solver_newton_cone}, {.solver = &cairn_solver_auto}};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_are_those_of_the_law),
        cmocka_unit_test(a_matrix_times_its_inverse_is_one),
        cmocka_unit_test(one_contact_has_its_closed_form),
        cmocka_unit_test(convex_heaps_need_few_factors),
        cmocka_unit_test(contacts_without_friction_are_solved),
        cmocka_unit_test(auto_ends_coulomb_heaps),
        cmocka_unit_test(paths_are_followed_past_folds),
        cmocka_unit_test(one_contact_of_a_box_has_its_closed_form),
        cmocka_unit_test_prestate(exact_check_current_bounds, &subjects[0]),
        cmocka_unit_test_prestate(exact_check_current_bounds, &subjects[1]),
        cmocka_unit_test(heaps_with_following_bounds_need_few_factors),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(auto_takes_bpp_for_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
