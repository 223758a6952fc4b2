// What holds for every solver of `cairn list solvers`: bad input is refused in words with lambda as it was, nothing to
// do is done, rows that repeat one another and limits are told, and all that arrive on a problem agree on its
// velocities.
#include "tests/support/exact_checks.h"
#include "tests/support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- bad input ------------------------------------------------------------------------------------------------------

static void bad_problems_are_refused_by_all(void **state) {
    (void)state;
    for (int k = 0; k < cairn_solver_count(); k++) {
        ExactSubject subject = {.solver = cairn_solver_at(k)};
        void *given = &subject;
        print_message("  %s\n", subject.solver->name);
        exact_check_bad_input(&given);
    }
}

// The same of the explicit form: W, b and the bounds.
static void bad_explicit_problems_are_refused_by_all(void **state) {
    (void)state;
    int asked = 0;
    for (int k = 0; k < cairn_solver_count(); k++) {
        const CairnSolver *solver = cairn_solver_at(k);
        TestProblem t, form;
        uint64_t seed = 71;
        double lambda[PROBLEM_ROWS], before[PROBLEM_ROWS], nan = (double)NAN, inf = (double)INFINITY;
        if (!(solver->traits & CAIRN_TAKES_EXPLICIT)) {
            continue;
        }
        test_problem_random(&t, &seed, 8);
        test_problem_make_explicit(&t, &form);
        for (int i = 0; i < PROBLEM_ROWS; i++) {
            before[i] = lambda[i] = 0.1 * i;
        }
        struct {
            double *place, value;
        } cases[] = {{&form.W[0], nan},          {&form.W[0], inf},     {&form.right_side[2], nan},
                     {&form.right_side[1], inf}, {&form.lower[1], inf}, {&form.lower[1], nan},
                     {&form.upper[2], nan},      {&form.upper[2], -inf}};
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
            double kept = *cases[c].place;
            *cases[c].place = cases[c].value;
            ExactRun run = exact_run(solver, NULL, &form.problem, 1, NULL, lambda);
            assert_false(cairn_is_ok(run.status));
            assert_true(run.status.message[0] != '\0');
            assert_memory_equal(lambda, before, sizeof lambda);
            *cases[c].place = kept;
        }
        asked++;
    }
    assert_true(asked >= 5);
}

// ---- edges ----------------------------------------------------------------------------------------------------------

static void without_rows_there_is_nothing_to_do(void **state) {
    (void)state;
    for (int k = 0; k < cairn_solver_count(); k++) {
        TestProblem t;
        double lambda[1] = {3}, P = 2;
        test_problem_begin(&t);
        test_problem_block(&t, 1, &P);
        ExactRun run = exact_run(cairn_solver_at(k), NULL, &t.problem, 1, NULL, lambda);
        assert_ok(run.status);
        assert_int_equal(run.report.outcome, CAIRN_OUTCOME_CONVERGED);
        assert_true(run.residual.is_certified);
        assert_near(lambda[0], 3, 0);
    }
}

// Three rows that are one, C = 0. Those with a factor say that they regularised it, or what else ended them; sweeps
// need none.
static void rows_that_repeat_are_told(void **state) {
    (void)state;
    for (int k = 0; k < cairn_solver_count(); k++) {
        const CairnSolver *solver = cairn_solver_at(k);
        TestProblem t;
        uint64_t seed = 60;
        double P = 2, lambda[3] = {0};
        test_problem_begin(&t);
        int block = test_problem_block(&t, 1, &P);
        for (int c = 0; c < 3; c++) {
            test_problem_constraint(&t, &seed, 1, 1, &block);
            t.J[c] = 1;
            t.right_side[c] = -3;
        }
        ExactRun run = exact_run(solver, NULL, &t.problem, 1, NULL, lambda);
        print_message("  %s: %s, %s, %d factorizations, %d warnings\n", solver->name,
                      cairn_is_ok(run.status) ? cairn_outcome_name(run.report.outcome) : run.status.message,
                      run.residual.is_certified ? "certified" : "not certified", run.report.factorizations, run.warned);
        if (!cairn_is_ok(run.status)) {
            assert_true(run.status.message[0] != '\0');
            assert_true(lambda[0] == 0 && lambda[1] == 0 && lambda[2] == 0);
            continue;
        }
        assert_near(lambda[0] + lambda[1] + lambda[2], 6, 1e-6);
        // pgs-cg sweeps rows without compliance and factors the others.
        bool is_factored = run.report.factorizations > 0 && strcmp(solver->name, "pgs-cg") != 0;
        bool is_told = run.warned > 0 || run.report.outcome != CAIRN_OUTCOME_CONVERGED || !is_factored;
        assert_true(is_told);
    }
}

// ---- limits ---------------------------------------------------------------------------------------------------------

static bool has_option(const CairnSolver *solver, const char *name) {
    for (int i = 0; solver->options && i < solver->options->count; i++) {
        if (strcmp(solver->options->fields[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

// One sweep, pivot or Newton step of a stiff heap is not enough; whoever claims to have converged has, or had help.
static void a_limit_is_told_by_all(void **state) {
    (void)state;
    int limited = 0;
    for (int k = 0; k < cairn_solver_count(); k++) {
        const CairnSolver *solver = cairn_solver_at(k);
        const char *name = has_option(solver, "iterations") ? "iterations=1" : "kmax=1";
        char options[64];
        TestPile pile;
        uint64_t seed = 74;
        test_pile_heap(&pile, &seed, 12, 1e-8, CAIRN_FRICTION_BOX);
        double *lambda = calloc((size_t)pile.problem.row_count + 1, sizeof *lambda);
        assert_non_null(lambda);
        snprintf(options, sizeof options, "%s%s%s", name, has_option(solver, "warm") ? ",warm=false" : "",
                 has_option(solver, "path") ? ",path=0" : "");
        ExactRun run = exact_run(solver, options, &pile.problem, 1, NULL, lambda);
        assert_ok(run.status);
        print_message("  %s:%s: %s%s\n", solver->name, options, cairn_outcome_name(run.report.outcome),
                      run.report.fallback ? " by its fallback" : "");
        if (run.report.outcome == CAIRN_OUTCOME_CONVERGED) {
            assert_true(run.residual.is_certified);
        } else {
            limited++;
        }
        free(lambda);
        test_pile_free(&pile);
    }
    assert_true(limited > cairn_solver_count() / 2);
}

// ---- agreement ------------------------------------------------------------------------------------------------------

// Every solver that the referee certifies stands on the reference's velocities, and so many are certified on all heaps.
static void check_agreement(CairnFrictionKind kind, unsigned trait, const CairnSolver *reference, int least) {
    const int draws = support_rounds(4, 1);
    int agreed = 0;
    for (int k = 0; k < cairn_solver_count(); k++) {
        const CairnSolver *solver = cairn_solver_at(k);
        if (!(solver->traits & trait)) {
            continue;
        }
        int certified = 0;
        for (int draw = 0; draw < draws; draw++) {
            TestPile pile;
            uint64_t seed = 76 + (uint64_t)draw;
            test_pile_heap(&pile, &seed, 8, draw % 2 ? 1 : 0.01, kind);
            size_t rows = (size_t)pile.problem.row_count;
            double *first = calloc(rows + 1, sizeof *first), *lambda = calloc(rows + 1, sizeof *lambda);
            assert_non_null(first);
            assert_non_null(lambda);
            exact_certify(reference, NULL, &pile.problem, first);
            ExactRun run =
                exact_run(solver, has_option(solver, "tolerance") ? "iterations=20000,tolerance=1e-13" : NULL,
                          &pile.problem, 1, NULL, lambda);
            if (!cairn_is_ok(run.status)) { // pj moves away from some, and says so
                assert_int_equal(run.status.code, CAIRN_NUMERIC);
                assert_true(lambda[0] == 0);
            } else if (run.residual.is_certified) {
                assert_below(exact_distance(&pile.problem, first, lambda), 1);
                certified++;
            }
            free(first);
            free(lambda);
            test_pile_free(&pile);
        }
        print_message("  %s: %d of %d\n", solver->name, certified, draws);
        agreed += certified == draws;
    }
    assert_true(agreed >= least);
}

static void all_agree_on_velocities(void **state) {
    (void)state;
    const CairnSolver *ipm = NULL, *cone = NULL;
    assert_ok(cairn_solver_find("ipm", &ipm));
    assert_ok(cairn_solver_find("ipm-cone", &cone));
    check_agreement(CAIRN_FRICTION_BOX, CAIRN_TAKES_BOUNDS, ipm, 7);
    check_agreement(CAIRN_FRICTION_CONE, CAIRN_TAKES_CONE, cone, 1);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_problems_are_refused_by_all),
        cmocka_unit_test(bad_explicit_problems_are_refused_by_all),
        cmocka_unit_test(without_rows_there_is_nothing_to_do),
        cmocka_unit_test(rows_that_repeat_are_told),
        cmocka_unit_test(a_limit_is_told_by_all),
        cmocka_unit_test(all_agree_on_velocities),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
