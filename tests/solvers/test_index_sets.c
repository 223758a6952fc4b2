// Which methods arrive on hyperstatic heaps, and at what price: the table of docs/solvers.md, small.
// CAIRN_PILE_BODIES=340 repeats it at full size. A method may fail there, but it must say so: `converged` if and only
// if the referee certifies.
#include "solvers/problem/accept.h"
#include "tests/support/exact_checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Known to arrive: an interior point, and what hands over to it.
static const struct {
    const char *solver, *options;
    bool arrives;
} methods[] = {
    {"ipm", NULL, true},
    {"bpp", NULL, true},
    {"bpp", "faithful=true", false},
    {"pgs-sm", NULL, false},
    {"pgs-sm", "faithful=true", false},
    {"nnewton", NULL, false},
    {"nnewton", "memory=4,iterations=200", false},
    {"nnewton", "map=minimum", false},
};

static void run_method(size_t index, double compliance, int bodies, int draws) {
    const CairnSolver *solver;
    int certified = 0, factorizations = 0, rows = 0, fallbacks = 0;
    double worst = 0;
    assert_ok(cairn_solver_find(methods[index].solver, &solver));
    for (int draw = 0; draw < draws; draw++) {
        TestPile pile;
        uint64_t seed = 200 + (uint64_t)draw;
        test_pile_heap(&pile, &seed, bodies, compliance, CAIRN_FRICTION_BOX);
        rows = pile.problem.row_count;
        double *lambda = calloc((size_t)rows, sizeof *lambda);
        assert_non_null(lambda);
        ExactRun run = exact_run(solver, methods[index].options, &pile.problem, 1, NULL, lambda);
        assert_ok(run.status);
        assert_int_equal(run.report.outcome == CAIRN_OUTCOME_CONVERGED, run.residual.is_certified);
        if (methods[index].arrives) {
            assert_true(run.residual.is_certified);
            assert_true(run.report.factorizations <= 60);
        }
        certified += run.residual.is_certified;
        factorizations += run.report.factorizations;
        fallbacks += run.report.fallback;
        worst = fmax(worst, 1e-8 * run.residual.scaled / run.residual.limit);
        free(lambda);
        test_pile_free(&pile);
    }
    print_message("%6d rows  C %-6g  %-8s %-24s  certified %d of %d%s  factorizations %4d  worst r / max|b| %.1e\n",
                  rows, compliance, methods[index].solver, methods[index].options ? methods[index].options : "",
                  certified, draws, fallbacks > 0 ? " (by ipm)" : "", factorizations / draws, worst);
}

static void outcomes_on_heaps_are_honest(void **state) {
    (void)state;
    static const double compliance[] = {1e-2, 1e-5, 1e-7, 1e-9};
    const char *asked = getenv("CAIRN_PILE_BODIES");
    int bodies = asked != NULL ? atoi(asked) : 25;
    assert_true(bodies >= 8 && bodies <= 5000);
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        for (int c = 0; c < 4; c++) {
            run_method(k, compliance[c], bodies, bodies > 500 ? 1 : 2);
        }
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(outcomes_on_heaps_are_honest)};
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
