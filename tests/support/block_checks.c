#include "tests/support/block_checks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/exact/bpp.h"
#include "solvers/exact/ipm_cone.h"
#include "tests/support/block_piles.h"

enum { TEXT = 160, LAWS = 4 };

// The answer exists and is the only one from some compliance on: 0 where it always does.
static const struct {
    CairnFrictionKind kind;
    unsigned trait;
    double softest;
} laws[LAWS] = {{CAIRN_FRICTION_BOX, CAIRN_TAKES_BOUNDS, 0},
                {CAIRN_FRICTION_BOX_CURRENT, CAIRN_TAKES_BOX_CURRENT, 0.3},
                {CAIRN_FRICTION_CONE, CAIRN_TAKES_CONE, 0},
                {CAIRN_FRICTION_COULOMB, CAIRN_TAKES_COULOMB, 0.1}};

// Blocks of every size together, and many of one size, which solvers pack side by side.
static const TestBlockPile piles[] = {
    {.blocks = 9, .constraints = 16},
    {.blocks = 20, .constraints = 36},
    {.blocks = 10, .constraints = 14, .size = 1},
    {.blocks = 10, .constraints = 18, .size = 3},
    {.blocks = 10, .constraints = 18, .size = 7},
    {.blocks = 12, .constraints = 24, .size = 10},
    {.blocks = 6, .constraints = 12, .size = CAIRN_BLOCK_LIMIT},
};

enum { PILES = sizeof piles / sizeof *piles };

static bool has_option(const CairnSolver *solver, const char *name) {
    for (int i = 0; i < solver->options->count; i++) {
        if (strcmp(solver->options->fields[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static double *zeros(int count) {
    double *x = calloc((size_t)count + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

static void find_answer(const CairnProblem *problem, CairnFrictionKind kind, double *lambda) {
    bool is_box = kind == CAIRN_FRICTION_BOX || kind == CAIRN_FRICTION_BOX_CURRENT;
    exact_certify(is_box ? &cairn_solver_bpp : &cairn_solver_ipm_cone, "formulation=dense", problem, lambda);
}

// Options of the subject with a formulation behind them, where it has one.
static const char *with_formulation(const char *options, const char *formulation, char text[TEXT]) {
    const char *comma = options[0] != '\0' && formulation[0] != '\0' ? "," : "";
    snprintf(text, TEXT, "%s%s%s%s", options, comma, formulation[0] != '\0' ? "formulation=" : "", formulation);
    return text;
}

static void check_pile(const BlockSubject *subject, const TestPile *pile, int law, const double *answer) {
    static const char *const formulations[] = {"auto", "constraint", "body", "kkt", "dense"};
    bool has_formulations = has_option(subject->solver, "formulation");
    for (int k = 0; k < (has_formulations ? 5 : 1); k++) {
        for (int i = 0; i < BLOCK_OPTIONS && subject->options[i] != NULL; i++) {
            char text[TEXT];
            const char *options = with_formulation(subject->options[i], has_formulations ? formulations[k] : "", text);
            double *lambda = zeros(pile->problem.row_count);
            ExactRun run = exact_run(subject->solver, options, &pile->problem, 1 + (k + i) % 2 * 2, NULL, lambda);
            assert_ok(run.status);
            double distance = exact_distance(&pile->problem, lambda, answer);
            bool is_rough = (subject->rough & laws[law].trait) != 0;
            if (!is_rough && (!run.residual.is_certified || !(distance <= 1))) {
                fail_msg("%s %s: law %d, %d rows of %d blocks of %d dofs, %s after %d iterations, scaled %g, limit "
                         "%g, cone %g, convex %g, distance %g",
                         subject->solver->name, options, law, pile->problem.row_count, pile->problem.block_count,
                         pile->problem.dof_count, cairn_outcome_name(run.report.outcome), run.report.iterations,
                         run.residual.scaled, run.residual.limit, run.residual.cone, run.residual.convex, distance);
            }
            free(lambda);
        }
    }
}

static void make_pile(TestPile *pile, int which, int law, double stiffest, uint64_t *seed) {
    TestBlockPile kind = piles[which];
    kind.friction = laws[law].kind;
    // More rows than dofs on blocks of one or three: impulses are as large as the compliance is small.
    kind.compliance = fmax(fmax(stiffest, laws[law].softest), kind.size == 1 || kind.size == 3 ? 1e-2 : 0);
    test_block_pile(pile, seed, kind);
    assert_ok(cairn_problem_check(&pile->problem));
}

void block_check_laws(void **state) {
    const BlockSubject *subject = *state;
    for (int which = 0; which < support_rounds(PILES, 1); which++) {
        for (int law = 0; law < LAWS; law++) {
            TestPile pile;
            uint64_t seed = 300 + (uint64_t)(LAWS * which + law);
            if ((subject->solver->traits & laws[law].trait) == 0) {
                continue;
            }
            make_pile(&pile, which, law, subject->stiffest, &seed);
            double *answer = zeros(pile.problem.row_count);
            find_answer(&pile.problem, laws[law].kind, answer);
            check_pile(subject, &pile, law, answer);
            free(answer);
            test_pile_free(&pile);
        }
    }
}

void block_check_couplings(void **state) {
    const BlockSubject *subject = *state;
    for (int which = 0; which < support_rounds(PILES, 1); which++) {
        for (int law = 0; law < LAWS; law++) {
            TestPile pile, coupled;
            CairnParts parts;
            uint64_t seed = 400 + (uint64_t)(LAWS * which + law);
            make_pile(&pile, which, law, subject->stiffest, &seed);
            int rows = pile.problem.row_count, *part = calloc(2 * (size_t)pile.problem.block_count, sizeof *part);
            double *answer = zeros(rows), *lambda = zeros(rows);
            assert_non_null(part);
            test_pile_couple(&pile, &seed, &coupled, part, &parts);
            assert_ok(cairn_problem_check(&coupled.problem));
            assert_true(coupled.problem.coupling_count > 0 || piles[which].size == 1);
            find_answer(&pile.problem, laws[law].kind, answer);
            for (int i = 0; i < BLOCK_OPTIONS && subject->options[i] != NULL; i++) {
                CairnResidual residual;
                memset(lambda, 0, (size_t)rows * sizeof *lambda);
                ExactRun run =
                    exact_run_parts(subject->solver, subject->options[i], &coupled.problem, &parts, 1, lambda);
                assert_ok(run.status);
                assert_ok(cairn_residual(&pile.problem, lambda, NULL, &residual));
                assert_true(residual.is_certified);
                assert_below(exact_distance(&pile.problem, lambda, answer), 1);
            }
            free(part);
            free(answer);
            free(lambda);
            test_pile_free(&pile);
            test_pile_free(&coupled);
        }
    }
}
