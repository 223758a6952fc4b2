// Problems that give W: unsymmetric as files have it, in any units, sparse and full; what is refused; budgets of work;
// and that all solvers of Coulomb's law agree where it has one answer.
#include <cairn/solve.h>

#include "engine/base/memory.h"
#include "solvers/auto.h"
#include "solvers/exact/ipm_cone.h"
#include "solvers/exact/newton_cone.h"
#include "solvers/exact/nnewton.h"
#include "solvers/exact/pgs_cg.h"
#include "solvers/linalg/dense_lu.h"
#include "solvers/problem/problem_ops.h"
#include "solvers/sweeps/psor.h"
#include "tests/support/exact_checks.h"
#include "tests/support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// W, b and all that goes with them, of a heap.
typedef struct Given {
    CairnProblem problem;
    CairnConstraintBlock *constraints;
    CairnFriction *frictions;
    int *start, *column;
    double *W, *b, *lower, *upper;
} Given;

static void *take(size_t count, size_t size) {
    void *memory = calloc(count + 1, size);
    assert_non_null(memory);
    return memory;
}

// Impulses in units `unit` times as large: W / unit. `asymmetry`: of each entry, as a share of the
// diagonal entries that it lies between.
static Given give(const CairnProblem *heap, double unit, double asymmetry, uint64_t *seed) {
    size_t m = (size_t)heap->row_count;
    CairnAllocator plain = cairn_memory_default();
    CairnArena arena;
    CairnOps ops;
    Given g = {.constraints = take((size_t)heap->constraint_count, sizeof *g.constraints),
               .frictions = take((size_t)heap->friction_count, sizeof *g.frictions),
               .start = take(m + 1, sizeof *g.start),
               .column = take(m * m, sizeof *g.column),
               .W = take(m * m, sizeof *g.W),
               .b = take(m, sizeof *g.b),
               .lower = take(m, sizeof *g.lower),
               .upper = take(m, sizeof *g.upper)};
    double *A = take(m * m, sizeof *A), *unit_impulse = take(m, sizeof *A), *w = take(m, sizeof *A);
    double *v = take((size_t)heap->dof_count, sizeof *A);
    cairn_arena_init(&arena, &plain);
    assert_ok(cairn_ops_init(&ops, heap, &arena));
    cairn_ops_right_side(&ops, v, g.b);
    for (size_t j = 0; j < m; j++) {
        unit_impulse[j] = 1;
        cairn_ops_slack(&ops, unit_impulse, v, w);
        unit_impulse[j] = 0;
        for (size_t i = 0; i < m; i++) {
            double entry = w[i] - g.b[i];
            A[i * m + j] = fabs(entry) > 1e-12 * fabs(g.b[i]) + 1e-12 ? entry / unit : 0;
        }
    }
    int at = 0;
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < m; j++) {
            if (A[i * m + j] != 0) {
                g.column[at] = (int)j;
                g.W[at++] = A[i * m + j] +
                            (i != j ? asymmetry * sqrt(A[i * m + i] * A[j * m + j]) * support_uniform(seed, -1, 1) : 0);
            }
        }
        g.start[i + 1] = at;
    }
    for (int c = 0; c < heap->constraint_count; c++) {
        g.constraints[c] = heap->constraints[c];
        g.constraints[c].first_term = g.constraints[c].term_count = 0;
    }
    memcpy(g.frictions, heap->frictions, (size_t)heap->friction_count * sizeof *g.frictions);
    memcpy(g.lower, heap->lower, m * sizeof *g.lower);
    memcpy(g.upper, heap->upper, m * sizeof *g.upper);
    g.problem = (CairnProblem){.form = CAIRN_FORM_EXPLICIT,
                               .step = heap->step,
                               .constraint_count = heap->constraint_count,
                               .row_count = heap->row_count,
                               .friction_count = heap->friction_count,
                               .constraints = g.constraints,
                               .frictions = g.frictions,
                               .right_side = g.b,
                               .lower = g.lower,
                               .upper = g.upper,
                               .W_start = g.start,
                               .W_column = g.column,
                               .W = g.W,
                               .W_is_symmetric = asymmetry == 0};
    cairn_arena_free(&arena);
    free(A);
    free(unit_impulse);
    free(w);
    free(v);
    return g;
}

static void drop(Given *g) {
    free(g->constraints);
    free(g->frictions);
    free(g->start);
    free(g->column);
    free(g->W);
    free(g->b);
    free(g->lower);
    free(g->upper);
}

static Given give_heap(uint64_t *seed, int bodies, double compliance, CairnFrictionKind law, double mu, double unit,
                       double asymmetry) {
    TestPile heap;
    test_pile_heap(&heap, seed, bodies, compliance, law);
    for (int f = 0; f < heap.problem.friction_count && mu > 0; f++) {
        heap.frictions[f].mu = mu;
    }
    Given g = give(&heap.problem, unit, asymmetry, seed);
    test_pile_free(&heap);
    return g;
}

typedef struct Choice {
    const CairnSolver *solver;
    const char *options;
} Choice;

// ---- any W ----------------------------------------------------------------------------------------------------------

// All that take an unsymmetric W answer for it and not for its symmetric part, certified, in any units.
static void unsymmetric_heaps_are_solved(void **state) {
    (void)state;
    static const Choice choices[] = {
        {&cairn_solver_auto, NULL},
        {&cairn_solver_newton_cone, "iterations=100"},
        {&cairn_solver_psor, "momentum=1,iterations=100000,tolerance=0,share=1e-9"},
        {&cairn_solver_pssor, "momentum=1,iterations=100000,tolerance=0,share=1e-9"},
    };
    static const double asymmetries[] = {1e-5, 1e-4, 1e-3}, units[] = {1, 1e-6, 1e6};
    uint64_t seed = 31;
    for (int draw = 0; draw < 18; draw++) {
        CairnFrictionKind law = draw % 2 ? CAIRN_FRICTION_COULOMB : CAIRN_FRICTION_CONE;
        Given g =
            give_heap(&seed, 2 + draw % 5, 0.1, law, draw % 3 ? 0 : 0.1, units[draw / 3 % 3], asymmetries[draw % 3]);
        double *first = take((size_t)g.problem.row_count, sizeof *first);
        for (size_t k = 0; k < sizeof choices / sizeof *choices; k++) {
            double *lambda = take((size_t)g.problem.row_count, sizeof *lambda);
            ExactRun run = exact_certify(choices[k].solver, choices[k].options, &g.problem, k == 0 ? first : lambda);
            assert_true((law == CAIRN_FRICTION_COULOMB ? run.residual.cone : run.residual.convex) <= 1e-8);
            free(lambda);
        }
        free(first);
        drop(&g);
    }
}

// The matrix of a long row of bodies is sparse, that of a few is full: both ways have the same answer as form 1.
static void sparse_and_full_agree_with_form_1(void **state) {
    (void)state;
    uint64_t seed = 32;
    static const int bodies[] = {2, 6, 60};
    for (int k = 0; k < 6; k++) {
        TestPile heap;
        test_pile_heap(&heap, &seed, bodies[k / 2], 1e-2, k % 2 ? CAIRN_FRICTION_COULOMB : CAIRN_FRICTION_CONE);
        for (int f = 0; f < heap.problem.friction_count; f++) {
            heap.frictions[f].mu = 0.05; // one answer
        }
        Given g = give(&heap.problem, 1, 0, &seed);
        double *a = take((size_t)heap.problem.row_count, sizeof *a),
               *b = take((size_t)heap.problem.row_count, sizeof *b);
        exact_certify(&cairn_solver_newton_cone, NULL, &heap.problem, a);
        exact_certify(&cairn_solver_newton_cone, NULL, &g.problem, b);
        assert_below(exact_distance(&heap.problem, a, b), 1);
        free(a);
        free(b);
        drop(&g);
        test_pile_free(&heap);
    }
}

static void full_factors_solve(void **state) {
    (void)state;
    uint64_t seed = 33;
    static const int sizes[] = {1, 2, 7, 31, 32, 33, 64, 97, 150};
    CairnAllocator plain = cairn_memory_default();
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int n = sizes[s];
        CairnArena arena;
        CairnDenseLu lu;
        cairn_arena_init(&arena, &plain);
        assert_true(cairn_dense_lu_init(&lu, n + 5, &arena));
        double *A = take((size_t)n * (size_t)n, sizeof *A), *x = take((size_t)n, sizeof *x),
               *y = take((size_t)n, sizeof *y);
        cairn_dense_lu_clear(&lu, n);
        for (int i = 0; i < n; i++) {
            x[i] = support_uniform(&seed, -1, 1);
        }
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                A[i * n + j] = cairn_dense_lu_row(&lu, i)[j] = i == j && n > 1 ? 0 : support_uniform(&seed, -1, 1);
                y[i] += A[i * n + j] * x[j];
            }
        }
        assert_int_equal(cairn_dense_lu_factor(&lu, 0), -1);
        cairn_dense_lu_solve(&lu, y);
        for (int i = 0; i < n; i++) {
            assert_near(y[i], x[i], 1e-9);
        }
        cairn_dense_lu_clear(&lu, n); // of zeros
        assert_int_equal(cairn_dense_lu_factor(&lu, 0), 0);
        cairn_arena_free(&arena);
        free(A);
        free(x);
        free(y);
    }
}

// ---- what is refused ------------------------------------------------------------------------------------------------

static CairnStatus ask(const CairnSolver *solver, const CairnProblem *problem, double *lambda) {
    CairnSolveRequest request = {.solver = solver};
    return cairn_problem_solve(problem, &request, lambda, NULL);
}

static double *entry_of(Given *g, int row, int column) {
    for (int k = g->start[row]; k < g->start[row + 1]; k++) {
        if (g->column[k] == column) {
            return &g->W[k];
        }
    }
    return NULL;
}

// Cones need a W that is positive semidefinite, but for as much as it is unsymmetric; a coefficient is no negative
// number.
static void bad_matrices_and_coefficients_are_refused(void **state) {
    (void)state;
    uint64_t seed = 34;
    for (int draw = 0; draw < 12; draw++) {
        CairnFrictionKind law = draw % 2 ? CAIRN_FRICTION_COULOMB : CAIRN_FRICTION_CONE;
        Given g = give_heap(&seed, 3 + draw, draw % 3 ? 1e-3 : 0, law, 0, 1, draw % 4 ? 0 : 1e-3);
        double *lambda = take((size_t)g.problem.row_count, sizeof *lambda);
        int row = support_int(&seed, 0, g.problem.row_count - 1);
        double *diagonal = entry_of(&g, row, row), kept = *diagonal;
        const CairnSolver *const all[] = {&cairn_solver_auto, &cairn_solver_psor, &cairn_solver_newton_cone,
                                          &cairn_solver_nnewton};
        for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
            char words[64];
            *diagonal = -kept;
            CairnStatus status = ask(all[k], &g.problem, lambda);
            assert_refused(status, CAIRN_INVALID_ARGUMENT, "W is not positive semidefinite");
            *diagonal = kept;
            g.frictions[1].mu = -0.25;
            assert_refused(ask(all[k], &g.problem, lambda), CAIRN_INVALID_ARGUMENT, "frictions[1].mu = -0.25");
            g.frictions[1].mu = (double)NAN;
            assert_refused(ask(all[k], &g.problem, lambda), CAIRN_INVALID_ARGUMENT, "frictions[1].mu = ");
            g.frictions[1].mu = 0.5;
            // Rows 0 and 1 push each other harder than themselves.
            double *low = entry_of(&g, 1, 0), *high = entry_of(&g, 0, 1), low_kept = *low, high_kept = *high;
            *low = *high = 3 * fmax(*entry_of(&g, 0, 0), *entry_of(&g, 1, 1));
            snprintf(words, sizeof words, "elimination ends at row");
            assert_refused(ask(all[k], &g.problem, lambda), CAIRN_INVALID_ARGUMENT, words);
            *low = low_kept;
            *high = high_kept;
        }
        CairnStatus status = ask(&cairn_solver_psor, &g.problem, lambda); // and it is taken as it was
        assert_true(cairn_is_ok(status));
        free(lambda);
        drop(&g);
    }
}

// ---- budgets --------------------------------------------------------------------------------------------------------

// Few iterations end a solve with finite impulses, their residual, and nobody else's work; more of them are no worse.
static void a_budget_ends_a_solve(void **state) {
    (void)state;
    static const CairnSolver *const all[] = {&cairn_solver_auto,    &cairn_solver_newton_cone, &cairn_solver_ipm_cone,
                                             &cairn_solver_nnewton, &cairn_solver_psor,        &cairn_solver_pssor,
                                             &cairn_solver_pj,      &cairn_solver_pgs_cg};
    static const int budgets[] = {1, 2, 5, 12};
    uint64_t seed = 35;
    for (int draw = 0; draw < 8; draw++) {
        TestPile heap;
        test_pile_heap(&heap, &seed, 12 + draw, 1e-7, draw % 2 ? CAIRN_FRICTION_COULOMB : CAIRN_FRICTION_CONE);
        size_t m = (size_t)heap.problem.row_count;
        for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
            for (size_t n = 0; n < sizeof budgets / sizeof *budgets; n++) {
                double *lambda = take(m, sizeof *lambda), chosen[64] = {0}; // its options
                cairn_fields_preset(all[k]->options, chosen);
                assert_true(all[k]->options->size <= sizeof chosen);
                char text[64];
                snprintf(text, sizeof text, all[k] == &cairn_solver_ipm_cone ? "iterations=%d,path=0" : "iterations=%d",
                         budgets[n]);
                assert_ok(cairn_fields_parse(all[k]->options, chosen, text));
                CairnSolveRequest request = {.solver = all[k], .options = chosen, .judge = true};
                CairnSolveResult result;
                CairnStatus status = cairn_problem_solve(&heap.problem, &request, lambda, &result);
                assert_ok(status);
                for (size_t i = 0; i < m; i++) {
                    assert_true(isfinite(lambda[i]));
                }
                assert_true(isfinite(result.residual.excess) && isfinite(result.report.claimed));
                assert_int_equal(result.report.fallback, 0);
                assert_true(result.residual.is_certified || result.report.outcome != CAIRN_OUTCOME_CONVERGED);
                int sweeps = all[k] == &cairn_solver_auto ? 1200 : 0; // which auto counts as iterations, too
                if (result.report.iterations > budgets[n] + 2 + sweeps ||
                    result.report.factorizations > 4 * budgets[n] + 16) {
                    fail_msg("%s, %d: %d iterations, %d factors", all[k]->name, budgets[n], result.report.iterations,
                             result.report.factorizations);
                }
                free(lambda);
            }
        }
        test_pile_free(&heap);
    }
}

// ---- one answer -----------------------------------------------------------------------------------------------------

// Where mu is small beside what normals and tangents have to do with each other, and contacts give, Coulomb's law has
// one answer. All that solve it find its velocities, in both forms.
static void all_agree_where_there_is_one_answer(void **state) {
    (void)state;
    static const Choice choices[] = {
        {&cairn_solver_auto, NULL},
        {&cairn_solver_newton_cone, NULL},
        {&cairn_solver_ipm_cone, NULL},
        {&cairn_solver_nnewton, "scale=1"},
        {&cairn_solver_nnewton, "scale=1,map=minimum"},
        {&cairn_solver_psor, "momentum=1,iterations=200000,tolerance=0,share=1e-10"},
        {&cairn_solver_pssor, "momentum=1,iterations=200000,tolerance=0,share=1e-10"},
        {&cairn_solver_pj, "iterations=400000,omega=0.1,tolerance=0,share=1e-10"},
    };
    uint64_t seed = 36;
    int found = 0;
    for (int draw = 0; draw < 20; draw++) {
        TestPile heap;
        test_pile_heap(&heap, &seed, 2 + draw % 6, 0.3, CAIRN_FRICTION_COULOMB);
        for (int f = 0; f < heap.problem.friction_count; f++) {
            heap.frictions[f].mu = 0.02 + 0.02 * (draw % 5);
        }
        Given g = give(&heap.problem, 1, 0, &seed);
        size_t m = (size_t)heap.problem.row_count;
        double *first = take(m, sizeof *first);
        for (size_t k = 0; k < 2 * sizeof choices / sizeof *choices; k++) {
            double *lambda = take(m, sizeof *lambda);
            const Choice *choice = &choices[k / 2];
            const CairnProblem *problem = k % 2 ? &g.problem : &heap.problem;
            ExactRun run = exact_run(choice->solver, choice->options, problem, 1, NULL, k == 0 ? first : lambda);
            assert_ok(run.status);
            if (!run.residual.is_certified) {
                fail_msg("draw %d: %s:%s is not certified, %g", draw, choice->solver->name,
                         choice->options ? choice->options : "", run.residual.excess);
            }
            found++;
            double apart = k == 0 ? 0 : exact_distance(&heap.problem, first, lambda);
            if (!(apart <= 1)) {
                fail_msg("draw %d: %s:%s is %g times 1e-8 off", draw, choice->solver->name,
                         choice->options ? choice->options : "", apart);
            }
            free(lambda);
        }
        free(first);
        drop(&g);
        test_pile_free(&heap);
    }
    print_message("%d answers agree\n", found);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unsymmetric_heaps_are_solved), cmocka_unit_test(sparse_and_full_agree_with_form_1),
        cmocka_unit_test(full_factors_solve),           cmocka_unit_test(bad_matrices_and_coefficients_are_refused),
        cmocka_unit_test(a_budget_ends_a_solve),        cmocka_unit_test(all_agree_where_there_is_one_answer),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
