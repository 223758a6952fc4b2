// The certificate is relative, and each connected component has its own.
#include "tests/support/problems.h"

#include <cairn/solve.h>
#include <float.h>

static CairnResidual judge(const CairnProblem *problem, const double *lambda) {
    CairnResidual residual;
    assert_ok(cairn_problem_check(problem));
    assert_ok(cairn_residual(problem, lambda, NULL, &residual));
    return residual;
}

// Two points of 1 kg, each with one contact row, b = -speed: lambda = speed. Nothing couples them.
static void two_contacts(TestProblem *t, double first, double second, double scale) {
    uint64_t seed = 1;
    const double one = 1, speeds[2] = {first, second};
    test_problem_begin(t);
    for (int k = 0; k < 2; k++) {
        int block = test_problem_block(t, 1, &one);
        test_problem_constraint(t, &seed, 1, 1, &block);
        t->J[k] = 1;
        t->lower[k] = 0;
        t->right_side[k] = -speeds[k] * scale;
    }
}

static void components_are_judged_each_by_itself(void **state) {
    (void)state;
    TestProblem t;
    two_contacts(&t, 1e6, 1, 1);
    double right[2] = {1e6, 1}, wrong[2] = {1e6, 1 - 3e-3}, edge[2] = {1e6 + 5e-3, 1};
    assert_true(judge(&t.problem, right).is_certified);
    CairnResidual residual = judge(&t.problem, wrong);
    assert_false(residual.is_certified);
    assert_int_equal(residual.worst_row, 1);
    assert_near(residual.scaled, 3e-3, 1e-12);
    assert_near(residual.limit, 1e-8, 1e-14);
    assert_near(residual.excess, 3e5, 1);
    residual = judge(&t.problem, edge); // half of the limit of the first one
    assert_true(residual.is_certified);
    assert_int_equal(residual.worst_row, 0);
    assert_near(residual.excess, 0.5, 1e-6);
}

// The same two by form 2, where an entry of W couples them or does not.
static void entries_of_w_couple(void **state) {
    (void)state;
    TestProblem t, e;
    two_contacts(&t, 1e6, 1, 1);
    test_problem_make_explicit(&t, &e);
    double wrong[2] = {1e6, 1 - 3e-3};
    assert_false(judge(&e.problem, wrong).is_certified);
}

// All velocities times 1e-13: nothing is nothing only where it was.
static void zero_is_no_answer_to_what_is_small(void **state) {
    (void)state;
    TestProblem t;
    two_contacts(&t, 1, 0.5, 1e-13);
    double zero[2] = {0, 0}, right[2] = {1e-13, 0.5e-13};
    assert_false(judge(&t.problem, zero).is_certified);
    assert_near(judge(&t.problem, zero).excess, 1e8, 1e3);
    assert_true(judge(&t.problem, right).is_certified);
    two_contacts(&t, 0, -1, 1e-13); // at rest and parting: zero is right
    assert_true(judge(&t.problem, zero).is_certified);
    double tiny[2] = {1e-30, 0};
    assert_false(judge(&t.problem, tiny).is_certified);
}

// What gravity gives in a step is rounded: as much is rest.
static void rest_is_the_rounding_of_gravity(void **state) {
    (void)state;
    TestProblem t;
    two_contacts(&t, 0, 0, 1);
    double noise[2] = {0.5 * DBL_EPSILON * 0.16, 0}, more[2] = {2 * DBL_EPSILON * 0.16, 0};
    assert_false(judge(&t.problem, noise).is_certified);
    t.problem.rest_speed = 0.16;
    assert_true(judge(&t.problem, noise).is_certified);
    assert_false(judge(&t.problem, more).is_certified);
    t.problem.rest_speed = -1;
    assert_refused(cairn_problem_check(&t.problem), CAIRN_INVALID_ARGUMENT, "rest_speed");
}

// Two points that fly together at 1 km/s: b is the rounding of their difference, and no impulse is right. A difference
// of a micrometre a second is not rounding.
static void flying_together_is_rest(void **state) {
    (void)state;
    static const double apart[] = {1e-13, 1e-6};
    for (int i = 0; i < 2; i++) {
        TestProblem t;
        uint64_t seed = 2;
        const double one = 1;
        test_problem_begin(&t);
        int blocks[2] = {test_problem_block(&t, 1, &one), test_problem_block(&t, 1, &one)};
        test_problem_constraint(&t, &seed, 1, 2, blocks);
        t.J[0] = 1;
        t.J[1] = -1;
        t.p[0] = 1000;
        t.p[1] = 1000 + apart[i];
        double zero = 0;
        assert_int_equal(judge(&t.problem, &zero).is_certified, i == 0);
    }
}

// A bound that excludes 0 forces a velocity on a component that has none by itself.
static void forced_impulses_are_a_scale(void **state) {
    (void)state;
    TestProblem t;
    two_contacts(&t, 0, 1, 1);
    t.lower[0] = 2;
    double right[2] = {2, 1}, rounded[2] = {2 * (1 + 1e-12), 1};
    assert_true(judge(&t.problem, right).is_certified);
    assert_true(judge(&t.problem, rounded).is_certified);
}

// Solvers aim at what is certified: the slow contact beside the fast one, and velocities of any size.
static void solvers_see_the_slow_one(void **state) {
    (void)state;
    static const char *const names[] = {"bpp", "ipm", "ipm-cone", "pgs-sm", "nnewton", "schur-bpp"};
    static const double speeds[][3] = {{1e6, 1, 1}, {1e6, 1e-6, 1}, {1, 0.5, 1e-13}, {3e8, 1e-4, 1e-3}};
    for (size_t s = 0; s < sizeof names / sizeof *names; s++) {
        CairnSolveRequest request = {.judge = true};
        assert_ok(cairn_solver_find(names[s], &request.solver));
        for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++) {
            TestProblem t;
            two_contacts(&t, speeds[i][0], speeds[i][1], speeds[i][2]);
            double lambda[2] = {0, 0};
            CairnSolveResult result;
            assert_ok(cairn_problem_solve(&t.problem, &request, lambda, &result));
            assert_true(result.residual.is_certified);
            for (int k = 0; k < 2; k++) {
                double right = speeds[i][k] * speeds[i][2];
                assert_near(lambda[k], right, 1e-8 * right);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(components_are_judged_each_by_itself),
        cmocka_unit_test(entries_of_w_couple),
        cmocka_unit_test(zero_is_no_answer_to_what_is_small),
        cmocka_unit_test(rest_is_the_rounding_of_gravity),
        cmocka_unit_test(flying_together_is_rest),
        cmocka_unit_test(forced_impulses_are_a_scale),
        cmocka_unit_test(solvers_see_the_slow_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
