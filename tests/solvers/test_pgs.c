// pgs against enumeration of all index sets, and at its edges.
#include "engine/base/arena.h"
#include "engine/base/memory.h"
#include "solvers/problem/problem_ops.h"
#include "solvers/referee/residual.h"
#include "solvers/sweeps/pgs.h"
#include "tests/support/block_checks.h"
#include "tests/support/problems.h"

#include <math.h>
#include <string.h>

static const CairnPgsOptions exact = {.iterations = 200000, .tolerance = 1e-13, .omega = 1};

typedef struct Run {
    CairnStatus status;
    CairnSolveReport report;
    int traced;
    double last_trace;
} Run;

static void count_trace(void *user, CairnTraceEntry entry) {
    Run *run = user;
    run->traced++;
    assert_int_equal(entry.iteration, run->traced);
    run->last_trace = entry.residual;
}

static Run run_with(const CairnProblem *problem, const CairnPgsOptions *options, double *lambda,
                    const CairnAllocator *allocator) {
    CairnAllocator plain = cairn_memory_default();
    CairnArena arena;
    cairn_arena_init(&arena, allocator ? allocator : &plain);
    Run run = {0};
    CairnSolverContext context = {.thread_count = 1, .arena = &arena, .trace = count_trace, .trace_user = &run};
    run.status = cairn_solver_pgs.solve(problem, NULL, options, &context, lambda, &run.report);
    cairn_arena_free(&arena);
    return run;
}

static Run run_pgs(const CairnProblem *problem, const CairnPgsOptions *options, double *lambda) {
    Run run = run_with(problem, options, lambda, NULL);
    assert_ok(run.status);
    assert_int_equal(run.traced, run.report.iterations);
    assert_near(run.last_trace, run.report.claimed, 0);
    return run;
}

static void random_problems_meet_their_enumerated_answer(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int draw = 0; draw < 300; draw++) {
        TestProblem t;
        int n = support_int(&seed, 1, draw < 280 ? 6 : 8);
        double A[64], b[8], answer[8], lambda[8] = {0}, omega = support_uniform(&seed, 0.3, 1.7);
        test_problem_random(&t, &seed, n);
        assert_ok(cairn_problem_check(&t.problem));
        test_problem_dense(&t.problem, A, b);
        assert_true(test_enumerate(n, A, b, t.lower, t.upper, answer));
        CairnPgsOptions options = exact;
        options.omega = omega;
        Run run = run_pgs(&t.problem, &options, lambda);
        assert_true(run.report.outcome == CAIRN_OUTCOME_CONVERGED || run.report.outcome == CAIRN_OUTCOME_STALLED);
        for (int i = 0; i < n; i++) {
            assert_near(lambda[i], answer[i], 1e-9); // steps of 1e-13, C >= 0.1, at most some thousand sweeps
            assert_true(lambda[i] >= t.lower[i] && lambda[i] <= t.upper[i]);
        }
        CairnResidual residual;
        assert_ok(cairn_residual(&t.problem, lambda, NULL, &residual));
        assert_true(residual.is_certified);

        // The same in form 2.
        TestProblem form_2;
        double again[8] = {0};
        test_problem_make_explicit(&t, &form_2);
        run_pgs(&form_2.problem, &options, again);
        for (int i = 0; i < n; i++) {
            assert_near(again[i], answer[i], 1e-9);
        }
    }
}

static void answer_as_warm_start_takes_one_sweep(void **state) {
    (void)state;
    uint64_t seed = 2;
    for (int draw = 0; draw < 100; draw++) {
        TestProblem t;
        double lambda[PROBLEM_ROWS] = {0};
        test_problem_random(&t, &seed, 12);
        run_pgs(&t.problem, &exact, lambda);
        Run run = run_pgs(&t.problem, NULL, lambda); // S0's settings
        assert_int_equal(run.report.outcome, CAIRN_OUTCOME_CONVERGED);
        assert_int_equal(run.report.iterations, 1);
        assert_below(run.report.claimed, 1e-9);
    }
}

// Turn the order of the constraints round (and with it that of the rows): the answer is unique, so only the path may
// differ.
static void answer_does_not_depend_on_the_order(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (int draw = 0; draw < 100; draw++) {
        TestProblem t;
        TestProblem turned;
        double lambda[PROBLEM_ROWS] = {0}, other[PROBLEM_ROWS] = {0};
        test_problem_random(&t, &seed, 12);
        memcpy(&turned, &t, sizeof t);
        turned.problem.constraints = turned.constraints;
        turned.problem.compliance = turned.compliance;
        turned.problem.right_side = turned.right_side;
        turned.problem.lower = turned.lower;
        turned.problem.upper = turned.upper;
        int count = t.problem.constraint_count, origin[PROBLEM_ROWS] = {0};
        for (int c = 0, row = 0; c < count; c++) {
            CairnConstraintBlock constraint = t.constraints[count - 1 - c];
            for (int i = 0; i < constraint.row_count; i++) {
                int from = constraint.first_row + i;
                origin[row + i] = from;
                turned.compliance[row + i] = t.compliance[from];
                turned.right_side[row + i] = t.right_side[from];
                turned.lower[row + i] = t.lower[from];
                turned.upper[row + i] = t.upper[from];
            }
            constraint.first_row = row;
            row += constraint.row_count;
            turned.constraints[c] = constraint;
        }
        assert_ok(cairn_problem_check(&turned.problem));
        run_pgs(&t.problem, &exact, lambda);
        run_pgs(&turned.problem, &exact, other);
        for (int i = 0; i < t.problem.row_count; i++) {
            assert_near(other[i], lambda[origin[i]], 1e-9);
        }
    }
}

// Rigid pairs and single bodies take their own paths: padding each body with a seventh dof of its own sends them down
// the general one.
static void fast_rows_agree_with_general_rows(void **state) {
    (void)state;
    uint64_t seed = 4;
    for (int draw = 0; draw < 50; draw++) {
        TestProblem fast, general;
        double lambda[PROBLEM_ROWS] = {0}, other[PROBLEM_ROWS] = {0};
        test_problem_begin(&fast);
        test_problem_begin(&general);
        for (int i = 0; i < 3; i++) {
            double P[49] = {0};
            test_problem_body(&fast, &seed, support_uniform(&seed, 0.5, 2));
            for (int k = 0; k < 36; k++) {
                P[k / 6 * 7 + k % 6] = fast.P[36 * i + k];
            }
            P[48] = 1;
            test_problem_block(&general, 7, P);
            for (int k = 0; k < 6; k++) {
                general.p[7 * i + k] = fast.p[6 * i + k] = support_uniform(&seed, -1, 1);
            }
        }
        for (int c = 0; c < 5; c++) {
            int block[2] = {c % 3, (c + 1) % 3}, blocks = support_int(&seed, 1, 2);
            test_problem_contact(&fast, &seed, CAIRN_FRICTION_BOX, 0, blocks, block);
            test_problem_contact(&general, &seed, CAIRN_FRICTION_BOX, 0, blocks, block);
            for (int k = 0; k < blocks; k++) {
                const CairnTerm *from = &fast.terms[fast.constraints[c].first_term + k];
                const CairnTerm *to = &general.terms[general.constraints[c].first_term + k];
                for (int i = 0; i < 21; i++) {
                    general.J[to->jacobian + i] = i % 7 < 6 ? fast.J[from->jacobian + i / 7 * 6 + i % 7] : 0;
                }
            }
        }
        memcpy(general.lower, fast.lower, sizeof fast.lower);
        memcpy(general.upper, fast.upper, sizeof fast.upper);
        CairnPgsOptions options = {.iterations = 20, .tolerance = 0, .omega = 1.2};
        run_pgs(&fast.problem, &options, lambda);
        run_pgs(&general.problem, &options, other);
        for (int i = 0; i < fast.problem.row_count; i++) {
            assert_near(lambda[i], other[i], 1e-11 * (1 + fabs(other[i])));
        }
    }
}

// BOX_CURRENT: the answer is that of the box whose bounds are its own normal impulses'.
static void current_bounds_reach_their_fixed_point(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (int draw = 0; draw < 100; draw++) {
        TestProblem t;
        double lambda[PROBLEM_ROWS] = {0};
        test_problem_begin(&t);
        int block[2] = {test_problem_body(&t, &seed, 1), test_problem_body(&t, &seed, 2)};
        for (int c = 0; c < 2; c++) {
            test_problem_contact(&t, &seed, CAIRN_FRICTION_BOX_CURRENT, c ? 3 : 1, c + 1, block);
            t.frictions[c].mu *= 0.3; // contraction: the fixed point is unique
        }
        for (int i = 0; i < t.problem.row_count; i++) {
            t.compliance[i] = 1;
            t.right_side[i] = support_uniform(&seed, -2, 1);
            if (i != t.frictions[0].normal && i != t.frictions[1].normal) {
                t.lower[i] = t.upper[i] = 1e3; // what stands here must not matter
            }
        }
        TestProblem form_2;
        double again[PROBLEM_ROWS] = {0};
        run_pgs(&t.problem, &exact, lambda);
        test_problem_make_explicit(&t, &form_2);
        run_pgs(&form_2.problem, &exact, again);
        CairnResidual residual;
        assert_ok(cairn_residual(&t.problem, lambda, NULL, &residual));
        assert_true(residual.is_certified);
        assert_below(residual.scaled, 1e-11);
        assert_ok(cairn_residual(&form_2.problem, again, NULL, &residual));
        assert_true(residual.is_certified);
        for (int f = 0; f < 2; f++) {
            double normal = lambda[t.frictions[f].normal];
            assert_below(fabs(lambda[t.frictions[f].normal + 2]), t.frictions[f].mu * normal);
            assert_below(fabs(lambda[t.frictions[f].normal + 3]), t.frictions[f].torsion * normal);
        }
        for (int i = 0; i < t.problem.row_count; i++) {
            assert_near(again[i], lambda[i], 1e-9);
        }
    }
}

// One row, D = 2: the outcomes and the measure can be told by hand.
static void outcomes_are_told_apart(void **state) {
    (void)state;
    TestProblem t;
    uint64_t seed = 6;
    double half = 0.5, lambda = 0;
    test_problem_begin(&t);
    int block = test_problem_block(&t, 1, &half);
    test_problem_constraint(&t, &seed, 1, 1, &block);
    t.J[0] = 1;
    t.right_side[0] = -3;
    CairnPgsOptions options = {.iterations = 1, .tolerance = 1e-9, .omega = 1};
    Run run = run_pgs(&t.problem, &options, &lambda);
    assert_int_equal(run.report.outcome, CAIRN_OUTCOME_AT_LIMIT);
    assert_near(run.report.claimed, 3, 1e-15);
    assert_near(lambda, 1.5, 1e-15);
    run = run_pgs(&t.problem, &options, &lambda);
    assert_int_equal(run.report.outcome, CAIRN_OUTCOME_CONVERGED);
    assert_int_equal(run.report.iterations, 1);
    // omega = 1/2 goes half the way each time: 30 sweeps to 3 * 2^-30 > 1e-9 * ..., claimed is the whole way still to
    // go.
    options = (CairnPgsOptions){.iterations = 1000, .tolerance = 1e-9, .omega = 0.5};
    lambda = 0;
    run = run_pgs(&t.problem, &options, &lambda);
    assert_int_equal(run.report.outcome, CAIRN_OUTCOME_CONVERGED);
    assert_int_equal(run.report.iterations, 33); // the first k with 3 * 2^-(k-1) <= 1e-9
    assert_near(run.report.claimed, 3 * ldexp(1, -32), 1e-15);
    // Stalled: rounding of a large impulse is more than the tolerance asks for.
    options = (CairnPgsOptions){.iterations = 1000, .tolerance = 0, .omega = 0.7};
    t.right_side[0] = -3e9;
    run = run_pgs(&t.problem, &options, &lambda);
    assert_true(run.report.outcome == CAIRN_OUTCOME_STALLED || run.report.claimed == 0);
    assert_true(run.report.iterations < 1000);
}

static void rows_without_weight_go_to_their_bounds(void **state) {
    (void)state;
    static const struct {
        double d, lower, upper, start, answer;
        CairnOutcome outcome;
    } cases[] = {
        {1, 0, (double)INFINITY, 5, 0, CAIRN_OUTCOME_CONVERGED},
        {-1, 0, 2, 0.5, 2, CAIRN_OUTCOME_CONVERGED},
        {0, -1, 1, 0.5, 0.5, CAIRN_OUTCOME_CONVERGED},
        {0, -1, 1, 7, 1, CAIRN_OUTCOME_CONVERGED},
        {-1, 0, (double)INFINITY, 3, 3, CAIRN_OUTCOME_STALLED},
        {1, -(double)INFINITY, 1, 0, 0, CAIRN_OUTCOME_STALLED},
        {0, -(double)INFINITY, (double)INFINITY, 2, 2, CAIRN_OUTCOME_CONVERGED},
    };
    uint64_t seed = 7;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        TestProblem t, form_2;
        double one = 1, lambda = cases[i].start;
        test_problem_begin(&t);
        int block = test_problem_block(&t, 1, &one);
        test_problem_constraint(&t, &seed, 1, 1, &block);
        t.J[0] = 0;
        t.right_side[0] = cases[i].d;
        t.lower[0] = cases[i].lower;
        t.upper[0] = cases[i].upper;
        test_problem_make_explicit(&t, &form_2);
        Run run = run_pgs(&t.problem, NULL, &lambda);
        assert_near(lambda, cases[i].answer, 0);
        assert_int_equal(run.report.outcome, cases[i].outcome);
        assert_near(run.report.claimed, cases[i].outcome == CAIRN_OUTCOME_STALLED ? 1 : 0, 0);
        lambda = cases[i].start;
        run = run_pgs(&form_2.problem, NULL, &lambda);
        assert_near(lambda, cases[i].answer, 0);
        assert_int_equal(run.report.outcome, cases[i].outcome);
    }
}

// An explicit problem of two rows with W = [a b; c d].
static void build_explicit(TestProblem *t, double a, double b, double c, double d) {
    TestProblem dynamics;
    uint64_t seed = 8;
    double one = 1;
    test_problem_begin(&dynamics);
    int block = test_problem_block(&dynamics, 1, &one);
    test_problem_constraint(&dynamics, &seed, 2, 1, &block);
    test_problem_make_explicit(&dynamics, t);
    double W[4] = {a, b, c, d};
    int column[4] = {0, 1, 0, 1};
    memcpy(t->W, W, sizeof W);
    memcpy(t->W_column, column, sizeof column);
    t->W_start[1] = 2;
    t->W_start[2] = 4;
    t->right_side[0] = t->right_side[1] = -1;
    t->problem.W_is_symmetric = b == c;
}

static void unsymmetric_systems_are_swept_too(void **state) {
    (void)state;
    TestProblem t;
    double lambda[2] = {0, 0};
    build_explicit(&t, 2, 1, -1, 2); // 2x + y = 1, -x + 2y = 1: x = 1/5, y = 3/5
    Run run = run_pgs(&t.problem, &exact, lambda);
    assert_int_equal(run.report.outcome, CAIRN_OUTCOME_CONVERGED);
    assert_near(lambda[0], 0.2, 1e-13);
    assert_near(lambda[1], 0.6, 1e-13);
}

static void bad_input_leaves_lambda_alone(void **state) {
    (void)state;
    TestProblem t;
    double lambda[2] = {0.25, 0.75};
    CairnPgsOptions options = {.iterations = 100000, .tolerance = 1e-9, .omega = 1};
    build_explicit(&t, 1, 3, -3, 1); // Gauss-Seidel grows ninefold a sweep
    Run run = run_with(&t.problem, &options, lambda, NULL);
    assert_refused(run.status, CAIRN_NUMERIC, "not finite");
    build_explicit(&t, 0, 1, 1, 0);
    assert_refused(run_with(&t.problem, NULL, lambda, NULL).status, CAIRN_UNSUPPORTED, "diagonal entry of 0 (row 0)");
    build_explicit(&t, 1, 0, 0, 1);
    for (int i = 0; i < 5; i++) {
        static const double bad[5] = {0, 2, -0.1, (double)NAN, 7};
        options.omega = bad[i];
        assert_refused(run_with(&t.problem, &options, lambda, NULL).status, CAIRN_INVALID_ARGUMENT, "omega");
    }
    options = (CairnPgsOptions){.iterations = 0, .tolerance = 1e-9, .omega = 1};
    assert_refused(run_with(&t.problem, &options, lambda, NULL).status, CAIRN_INVALID_ARGUMENT, "iterations");
    options = (CairnPgsOptions){.iterations = 5, .tolerance = -1, .omega = 1};
    assert_refused(run_with(&t.problem, &options, lambda, NULL).status, CAIRN_INVALID_ARGUMENT, "tolerance");
    assert_near(lambda[0], 0.25, 0);
    assert_near(lambda[1], 0.75, 0);
    lambda[1] = (double)NAN;
    assert_refused(run_with(&t.problem, NULL, lambda, NULL).status, CAIRN_INVALID_ARGUMENT, "lambda[1]");
}

static void cones_and_couplings_are_refused(void **state) {
    (void)state;
    TestProblem t;
    uint64_t seed = 9;
    double lambda[PROBLEM_ROWS] = {0};
    test_problem_begin(&t);
    int block = test_problem_body(&t, &seed, 1);
    test_problem_contact(&t, &seed, CAIRN_FRICTION_CONE, 0, 1, &block);
    assert_refused(run_with(&t.problem, NULL, lambda, NULL).status, CAIRN_UNSUPPORTED, "friction group 0");
    t.frictions[0].kind = CAIRN_FRICTION_BOX;
    const CairnDofCoupling coupling = {1, 0, 0}; // of a second body
    test_problem_body(&t, &seed, 1);
    t.problem.couplings = &coupling;
    t.problem.coupling_count = 1;
    assert_refused(run_with(&t.problem, NULL, lambda, NULL).status, CAIRN_UNSUPPORTED, "coupling_count");
    t.problem.coupling_count = 0;
    t.P[0] = t.P[7] = t.P[14] = -1;
    assert_refused(run_with(&t.problem, NULL, lambda, NULL).status, CAIRN_INVALID_ARGUMENT, "block 0");
}

static void refused_memory_is_survived(void **state) {
    (void)state;
    uint64_t seed = 10;
    TestProblem forms[2];
    test_problem_random(&forms[0], &seed, 12);
    test_problem_make_explicit(&forms[0], &forms[1]);
    for (int i = 0; i < 2; i++) {
        for (int fail = 1; fail < 20; fail++) {
            double lambda[PROBLEM_ROWS] = {0};
            SupportMemory memory = {.fail_from = fail};
            CairnAllocator allocator = support_allocator(&memory);
            Run run = run_with(&forms[i].problem, NULL, lambda, &allocator);
            assert_true(memory.refused ? run.status.code == CAIRN_OUT_OF_MEMORY : cairn_is_ok(run.status));
            for (int k = 0; k < 12 && memory.refused; k++) {
                assert_near(lambda[k], 0, 0);
            }
            assert_memory_clean(&memory);
        }
    }
}

static BlockSubject blocks = {
    .solver = &cairn_solver_pgs, .options = {"iterations=50000,tolerance=1e-11"}, .stiffest = 0.1};

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_problems_meet_their_enumerated_answer),
        cmocka_unit_test(answer_as_warm_start_takes_one_sweep),
        cmocka_unit_test(answer_does_not_depend_on_the_order),
        cmocka_unit_test(fast_rows_agree_with_general_rows),
        cmocka_unit_test(current_bounds_reach_their_fixed_point),
        cmocka_unit_test(outcomes_are_told_apart),
        cmocka_unit_test(rows_without_weight_go_to_their_bounds),
        cmocka_unit_test(unsymmetric_systems_are_swept_too),
        cmocka_unit_test(bad_input_leaves_lambda_alone),
        cmocka_unit_test(cones_and_couplings_are_refused),
        cmocka_unit_test(refused_memory_is_survived),
        cmocka_unit_test_prestate(block_check_laws, &blocks),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
