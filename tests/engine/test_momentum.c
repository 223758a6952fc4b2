// Momentum between cone sweeps: it never raises the objective, arrives where plain sweeps go, and leaves less behind on
// the way.
#include "solvers/exact/ipm_cone.h"
#include "solvers/sweeps/psor.h"
#include "tests/support/exact_checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const CairnSolver *const solvers[3] = {&cairn_solver_psor, &cairn_solver_pssor, &cairn_solver_pj};

static double *zeros(const CairnProblem *problem) {
    double *x = calloc((size_t)problem->row_count, sizeof *x);
    assert_non_null(x);
    return x;
}

// The answer of n sweeps is the lowest of n, whatever omega; two at a time for pssor, whose way back belongs to its way
// there.
static void objective_falls(void **state) {
    (void)state;
    static const char *const choices[] = {"omega=1", "omega=1.9", "omega=0.4,lambda=0.5"};
    for (int round = 0; round < 12; round++) {
        TestPile heap;
        uint64_t seed = 200 + (uint64_t)round;
        bool is_symmetric = round % 2;
        test_pile_heap(&heap, &seed, 12, round % 4 < 2 ? 1e-8 : 1e-4, CAIRN_FRICTION_CONE);
        double *lambda = zeros(&heap.problem), last = 0;
        for (int n = 1; n <= 60; n++) {
            char options[96];
            snprintf(options, sizeof options, "momentum=1,iterations=%d,tolerance=0,%s", is_symmetric ? 2 * n : n,
                     choices[round / 4]);
            memset(lambda, 0, (size_t)heap.problem.row_count * sizeof *lambda);
            assert_ok(exact_run(solvers[is_symmetric], options, &heap.problem, 1, NULL, lambda).status);
            double now = exact_objective(&heap.problem, lambda);
            assert_true(now <= last + 1e-12 * fabs(last));
            last = now;
        }
        assert_true(last < 0);
        free(lambda);
        test_pile_free(&heap);
    }
}

// Under both laws the cone's residual after 300 sweeps, from nothing: a quarter and less of what plain sweeps leave, in
// the mean.
static void less_is_left(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        CairnFrictionKind law = k % 2 ? CAIRN_FRICTION_COULOMB : CAIRN_FRICTION_CONE;
        double ratio = 0;
        enum { HEAPS = 24 };
        for (int round = 0; round < HEAPS; round++) {
            TestPile heap;
            uint64_t seed = 300 + (uint64_t)round;
            test_pile_heap(&heap, &seed, 40, 1e-5, law);
            double left[2];
            for (int m = 0; m < 2; m++) {
                double *lambda = zeros(&heap.problem);
                ExactRun run = exact_run(solvers[k / 2], m ? "iterations=300,momentum=1" : "iterations=300",
                                         &heap.problem, 1, NULL, lambda);
                assert_ok(run.status);
                left[m] = law == CAIRN_FRICTION_CONE ? run.residual.convex : run.residual.cone;
                free(lambda);
            }
            ratio += log(left[1] / left[0]) / HEAPS;
            test_pile_free(&heap);
        }
        print_message("%s, law %d: %.3f of what plain sweeps leave\n", solvers[k / 2]->name, (int)law, exp(ratio));
        assert_below(exp(ratio), 0.25);
    }
}

// The exact velocities, certified, in both forms; joints, bounds and spin rows too.
static void arrives_where_sweeps_do(void **state) {
    (void)state;
    uint64_t seed = 400;
    for (int draw = 0; draw < 40; draw++) {
        TestProblem forms[2];
        double exact[PROBLEM_ROWS] = {0};
        test_problem_begin(&forms[0]);
        test_problem_body(&forms[0], &seed, 1);
        test_problem_body(&forms[0], &seed, 2);
        const int both[2] = {0, 1};
        test_problem_contact(&forms[0], &seed, draw % 2 ? CAIRN_FRICTION_CONE : CAIRN_FRICTION_BOX_CURRENT,
                             draw % 3 ? 3 : 0, 1, both);
        test_problem_constraint(&forms[0], &seed, 3, 2, both);
        test_problem_constraint(&forms[0], &seed, 2, 1, both + 1);
        forms[0].frictions[0].mu *= 0.3;
        for (int i = 0; i < forms[0].problem.row_count; i++) {
            forms[0].compliance[i] = 1;
            forms[0].right_side[i] = support_uniform(&seed, -2, 1);
        }
        test_problem_make_explicit(&forms[0], &forms[1]);
        exact_certify(&cairn_solver_ipm_cone, NULL, &forms[0].problem, exact);
        for (int k = 0; k < 6; k++) {
            double lambda[PROBLEM_ROWS] = {0};
            ExactRun run = exact_run(solvers[k % 3], "iterations=50000,tolerance=1e-12,momentum=1",
                                     &forms[k / 3].problem, 1, NULL, lambda);
            assert_ok(run.status);
            assert_true(run.residual.is_certified);
            assert_below(exact_distance(&forms[k / 3].problem, exact, lambda), 10);
        }
    }
}

// The referee certifies what is claimed, whatever the tolerance is: of problems whose velocities are small beside it,
// of starts so far off that u loses its digits on the way, and of parts that have velocities of their own.
static void what_is_claimed_is_certified(void **state) {
    (void)state;
    static const double sizes[] = {1e-6, 1e-3, 1, 1e3}, starts[] = {0, 1, 1e7};
    int claims = 0, others = 0;
    uint64_t seed = 77;
    for (int k = 0; k < 24; k++) {
        double scale = sizes[k % 4], start = starts[k / 4 % 3];
        CairnFrictionKind law = k % 2 ? CAIRN_FRICTION_COULOMB : CAIRN_FRICTION_CONE;
        TestPile heap;
        test_pile_heap(&heap, &seed, 4, 1e-3, law);
        for (int i = 0; i < heap.problem.row_count; i++) {
            heap.right_side[i] *= scale;
        }
        for (int i = 0; i < heap.problem.dof_count; i++) {
            heap.p[i] *= scale;
        }
        for (int tolerance = 5; tolerance <= 12; tolerance++) {
            char options[96];
            double *lambda = zeros(&heap.problem);
            for (int i = 0; i < heap.problem.row_count; i++) {
                lambda[i] = start * scale * support_uniform(&seed, -1, 1);
            }
            snprintf(options, sizeof options, "momentum=1,iterations=5000,tolerance=1e-%d", tolerance);
            ExactRun run = exact_run(solvers[k % 3], options, &heap.problem, 1, NULL, lambda);
            assert_ok(run.status);
            bool is_claimed = run.report.outcome == CAIRN_OUTCOME_CONVERGED;
            if (is_claimed && !run.residual.is_certified) {
                fail_msg("%s, draw %d, tolerance 1e-%d: claimed at %.2g of the certificate", solvers[k % 3]->name, k,
                         tolerance, run.residual.excess);
            }
            claims += is_claimed;
            others += !is_claimed;
            free(lambda);
        }
        test_pile_free(&heap);
    }
    print_message("%d claims, %d ends without one\n", claims, others);
    assert_true(claims > 50 && others > 0);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objective_falls),
        cmocka_unit_test(less_is_left),
        cmocka_unit_test(arrives_where_sweeps_do),
        cmocka_unit_test(what_is_claimed_is_certified),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
