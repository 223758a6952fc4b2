// schur-bpp and schur-pgs-sm: the checks of all exact solvers, and what is their own.
#include "engine/base/memory.h"
#include "solvers/exact/bpp.h"
#include "solvers/schur/schur.h"
#include "tests/support/block_checks.h"
#include "tests/support/block_piles.h"
#include "tests/support/exact_checks.h"
#include "tests/support/support_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ExactSubject bpp = {.solver = &cairn_solver_schur_bpp, .stiffest = 1e-9, .bodies = 24, .factorizations = 2000};
static ExactSubject sm = {.solver = &cairn_solver_schur_pgs_sm, .stiffest = 1e-9, .bodies = 24, .factorizations = 2000};

enum { ROWS = 2400 };

// ---- bilateral systems ----------------------------------------------------------------------------------------------

typedef enum Shape { CHAIN, NET, RINGS } Shape;

static void add_joint(TestPile *pile, uint64_t *seed, int a, int b) {
    CairnProblem *problem = &pile->problem;
    CairnConstraintBlock *joint = &pile->constraints[problem->constraint_count++];
    *joint = (CairnConstraintBlock){.first_row = problem->row_count,
                                    .row_count = 3,
                                    .first_term = problem->term_count,
                                    .term_count = b >= 0 ? 2 : 1,
                                    .friction = -1,
                                    .id = (uint64_t)problem->constraint_count};
    for (int t = 0; t < joint->term_count; t++) {
        double *J = pile->J + 18 * problem->term_count, sign = t == 0 ? 1 : -1, r[3];
        for (int k = 0; k < 3; k++) {
            r[k] = support_uniform(seed, -0.5, 0.5);
            J[6 * k + k] = sign;
        }
        J[4] = sign * r[2]; // v + omega x r
        J[5] = -sign * r[1];
        J[9] = -sign * r[2];
        J[11] = sign * r[0];
        J[15] = sign * r[1];
        J[16] = -sign * r[0];
        pile->terms[problem->term_count] = (CairnTerm){t == 0 ? a : b, 18 * problem->term_count};
        problem->term_count++;
    }
    for (int k = 0; k < 3; k++) {
        int row = problem->row_count++;
        pile->compliance[row] = 1e-10;
        pile->right_side[row] = support_uniform(seed, -0.01, 0.01);
        pile->lower[row] = -(double)INFINITY;
        pile->upper[row] = (double)INFINITY;
    }
}

// Bodies of 0.2 to 20 kg under gravity, hung up at the first one, held together by ball joints.
static void draw_mechanism(TestPile *pile, uint64_t *seed, Shape shape) {
    enum { BODIES = 36, SIDE = 6 };
    test_pile_begin(pile, BODIES, 3 * BODIES, 6 * BODIES, 9 * BODIES);
    pile->problem.block_count = BODIES;
    pile->problem.dof_count = 6 * BODIES;
    for (int i = 0; i < BODIES; i++) {
        double mass = pow(10, support_uniform(seed, -0.7, 1.3));
        pile->blocks[i] = (CairnDofBlock){6 * i, 6, 36 * i, i % 3, mass, (uint64_t)i + 1};
        for (int k = 0; k < 6; k++) {
            pile->P[36 * i + 7 * k] = k < 3 ? mass : 0.1 * mass;
            pile->p[6 * i + k] = k == 2 ? -mass * 9.81 / 60 : 0.01 * support_uniform(seed, -1, 1);
        }
    }
    add_joint(pile, seed, 0, -1);
    for (int i = 1; i < BODIES; i++) {
        bool is_first = shape == NET && i % SIDE == 0;
        if (!is_first) {
            add_joint(pile, seed, i - 1, i);
        }
        if (shape == NET && i >= SIDE) {
            add_joint(pile, seed, i - SIDE, i);
        }
        if (shape == RINGS && i % SIDE == SIDE - 1) {
            add_joint(pile, seed, i - SIDE + 1, i);
        }
    }
}

static void bilateral_systems_take_one_coupling_iteration(void **state) {
    const CairnSolver *solver = ((ExactSubject *)*state)->solver;
    CairnAllocator plain = cairn_memory_default();
    uint64_t seed = 100;
    for (int shape = CHAIN; shape <= RINGS; shape++) {
        TestPile pile;
        static double lambda[ROWS], other[ROWS];
        draw_mechanism(&pile, &seed, (Shape)shape);
        memset(other, 0, sizeof other);
        exact_certify(&cairn_solver_bpp, NULL, &pile.problem, other);
        for (int p = 0; p < cairn_partitioner_count(); p++) {
            static const char *const options[] = {"", "coupling=alternate", "faithful=true"};
            for (int way = 0; way < 3; way++) {
                const CairnPartitioner *partitioner = cairn_partitioner_at(p);
                CairnArena arena;
                CairnParts parts;
                cairn_arena_init(&arena, &plain);
                bool has_size = partitioner->options != NULL && strcmp(partitioner->name, "semantic") != 0;
                assert_true(
                    support_parts(&pile.problem, partitioner, has_size ? "part_size=7" : NULL, NULL, &arena, &parts));
                memset(lambda, 0, sizeof lambda);
                ExactRun run = exact_run_parts(solver, options[way], &pile.problem, &parts, 1, lambda);
                assert_ok(run.status);
                assert_int_equal(run.report.outcome, CAIRN_OUTCOME_CONVERGED);
                assert_int_equal(run.report.coupling, 1);
                assert_int_equal(run.report.fallback, 0);
                assert_int_equal(run.report.changed, 0);
                assert_int_equal(run.report.refactored, 0);
                // Together: one factor in stages. In turn: each subsystem and the interface, and past the paper one
                // factor of the whole where their answer is to be refined.
                int least = way == 0 ? 1 : parts.count + (parts.count > 1);
                assert_in_range(run.report.factorizations, least, least + (way == 1));
                assert_below(exact_distance(&pile.problem, lambda, other), 1);
                assert_true(run.residual.is_certified);
                cairn_arena_free(&arena);
            }
        }
        test_pile_free(&pile);
    }
}

// ---- the same answer whatever the parts -----------------------------------------------------------------------------

static void parts_change_nothing(void **state) {
    const CairnSolver *solver = ((ExactSubject *)*state)->solver;
    static const double compliance[] = {1e-5, 1e-10};
    CairnAllocator plain = cairn_memory_default();
    static double lambda[ROWS], other[ROWS];
    for (int draw = 0; draw < 2; draw++) {
        TestPile pile;
        uint64_t seed = 110 + (uint64_t)draw;
        test_pile_heap(&pile, &seed, 20, compliance[draw], CAIRN_FRICTION_BOX);
        for (int b = 0; b < pile.problem.block_count; b++) {
            pile.blocks[b].group = b % 4;
        }
        memset(other, 0, sizeof other);
        exact_certify(&cairn_solver_bpp, NULL, &pile.problem, other);
        for (int p = 0, k = 0; p < cairn_partitioner_count(); p++) {
            for (int size = 4; size <= 64; size *= 4, k++) {
                const CairnPartitioner *partitioner = cairn_partitioner_at(p);
                const CairnRefiner *refiner = cairn_refiner_at(k % cairn_refiner_count());
                bool has_size = partitioner->options != NULL && strcmp(partitioner->name, "semantic") != 0;
                char options[40];
                CairnArena arena;
                CairnParts parts;
                if (!has_size && size > 4) {
                    continue;
                }
                snprintf(options, sizeof options, "part_size=%d", size);
                cairn_arena_init(&arena, &plain);
                assert_true(
                    support_parts(&pile.problem, partitioner, has_size ? options : NULL, refiner, &arena, &parts));
                memset(lambda, 0, sizeof lambda);
                ExactRun run = exact_run_parts(solver, "", &pile.problem, &parts, 1 + k % 2, lambda);
                assert_ok(run.status);
                if (!run.residual.is_certified) {
                    fail_msg("%s over %s %s: scaled %g, limit %g", solver->name, partitioner->name, options,
                             run.residual.scaled, run.residual.limit);
                }
                assert_below(exact_distance(&pile.problem, lambda, other), 1);
                cairn_arena_free(&arena);
            }
        }
        test_pile_free(&pile);
    }
}

// The formulations of subsystems and interface change time only: all of them beside one another.
static void formulations_agree(void **state) {
    const CairnSolver *solver = ((ExactSubject *)*state)->solver;
    static double lambda[ROWS], other[ROWS];
    TestPile pile;
    uint64_t seed = 120;
    test_pile_heap(&pile, &seed, 14, 1e-8, CAIRN_FRICTION_BOX);
    memset(other, 0, sizeof other);
    exact_certify(&cairn_solver_bpp, NULL, &pile.problem, other);
    for (int a = 0; a < CAIRN_FORMULATION_COUNT; a++) {
        for (int b = 0; b < CAIRN_FORMULATION_COUNT; b++) {
            char options[80];
            snprintf(options, sizeof options, "formulation=%s,interface=%s", cairn_formulation_names[a],
                     cairn_formulation_names[b]);
            memset(lambda, 0, sizeof lambda);
            exact_certify(solver, options, &pile.problem, lambda);
            assert_below(exact_distance(&pile.problem, lambda, other), 1);
        }
    }
    test_pile_free(&pile);
}

// ---- algorithm 1 as printed -----------------------------------------------------------------------------------------

// It ends where the sets stand still or at k_max, with nothing behind it; where it says that it has converged it has,
// to eta.
static void faithful_ends_where_the_paper_ends(void **state) {
    const CairnSolver *solver = ((ExactSubject *)*state)->solver;
    int limits = 0, arrivals = 0;
    for (int draw = 0; draw < 12; draw++) {
        TestPile pile;
        uint64_t seed = 130 + (uint64_t)draw;
        static double lambda[ROWS];
        test_pile_heap(&pile, &seed, draw < 6 ? 6 : 16, draw < 6 ? 1e-1 : 1e-8, CAIRN_FRICTION_BOX);
        memset(lambda, 0, sizeof lambda);
        ExactRun run = exact_run(solver, "faithful=true,kmax=10", &pile.problem, 1, NULL, lambda);
        assert_ok(run.status);
        assert_int_equal(run.report.fallback, 0);
        assert_int_equal(run.traced, run.report.coupling);
        assert_true(run.report.coupling >= 1 && run.report.coupling <= 10);
        if (run.report.outcome == CAIRN_OUTCOME_AT_LIMIT) {
            assert_int_equal(run.report.coupling, 10);
            limits++;
        } else if (run.report.outcome == CAIRN_OUTCOME_CONVERGED) {
            arrivals++;
        }
        assert_below(run.residual.bound, 1e-12);
        test_pile_free(&pile);
    }
    assert_true(limits > 0 && arrivals > 0);
}

// ---- S --------------------------------------------------------------------------------------------------------------

// Largest over smallest eigenvalue by Jacobi rotations; S (n x n) is destroyed.
static double condition_of(double *S, int n) {
    for (int sweep = 0; sweep < 60; sweep++) {
        for (int p = 0; p < n; p++) {
            for (int q = p + 1; q < n; q++) {
                double off = S[p * n + q];
                if (off == 0) {
                    continue;
                }
                double turn = (S[q * n + q] - S[p * n + p]) / (2 * off);
                double t = (turn >= 0 ? 1 : -1) / (fabs(turn) + sqrt(1 + turn * turn)), c = 1 / sqrt(1 + t * t);
                for (int k = 0; k < n; k++) {
                    double x = S[k * n + p], y = S[k * n + q];
                    S[k * n + p] = c * (x - t * y);
                    S[k * n + q] = c * (t * x + y);
                }
                for (int k = 0; k < n; k++) {
                    double x = S[p * n + k], y = S[q * n + k];
                    S[p * n + k] = c * (x - t * y);
                    S[q * n + k] = c * (t * x + y);
                }
            }
        }
    }
    double least = (double)INFINITY, most = 0;
    for (int i = 0; i < n; i++) {
        least = fmin(least, S[i * n + i]);
        most = fmax(most, S[i * n + i]);
    }
    return most / least;
}

// S as eq. 24 has it, A_Gamma - G A^-1 G^T over dense matrices, of two bodies with two inner constraints each and two
// between them.
static void the_condition_is_that_of_equation_24(void **state) {
    (void)state;
    CairnAllocator plain = cairn_memory_default();
    for (int draw = 0; draw < 20; draw++) {
        TestProblem t;
        uint64_t seed = 150 + (uint64_t)draw;
        double A[400], b[20], S[36], lambda[20] = {0}, condition = 0;
        test_problem_begin(&t);
        int block[2] = {test_problem_body(&t, &seed, 1), test_problem_body(&t, &seed, 5)}, part[2] = {0, 1};
        test_problem_constraint(&t, &seed, 2, 1, &block[0]);
        test_problem_constraint(&t, &seed, 2, 1, &block[0]);
        test_problem_constraint(&t, &seed, 3, 1, &block[1]);
        test_problem_constraint(&t, &seed, 3, 2, block);
        test_problem_constraint(&t, &seed, 1, 2, block);
        int m = t.problem.row_count, n = 4, inner = m - n;
        for (int i = 0; i < m; i++) {
            t.compliance[i] = 1e-3;
        }
        test_problem_dense(&t.problem, A, b);
        for (int j = 0; j < n; j++) {
            double F[400], x[20];
            for (int i = 0; i < inner; i++) {
                memcpy(F + i * inner, A + i * m, (size_t)inner * sizeof *F);
                x[i] = A[i * m + inner + j];
            }
            assert_true(test_solve_dense(inner, F, x));
            for (int i = 0; i < n; i++) {
                S[i * n + j] = A[(inner + i) * m + inner + j];
                for (int k = 0; k < inner; k++) {
                    S[i * n + j] -= A[(inner + i) * m + k] * x[k];
                }
            }
        }
        CairnArena arena;
        cairn_arena_init(&arena, &plain);
        CairnSolverContext context = {.allocator = &plain, .thread_count = 1, .arena = &arena};
        CairnParts parts = {2, part}, one = {1, (int[]){0, 0}};
        assert_ok(cairn_schur_condition(&t.problem, &parts, lambda, &context, &condition));
        double expected = condition_of(S, n);
        assert_near(condition / expected, 1, 1e-4);
        assert_ok(cairn_schur_condition(&t.problem, &one, lambda, &context, &condition));
        assert_true(condition == 0);
        cairn_arena_free(&arena);
    }
}

// The rows of constraints over several parts, those of one, and which part they belong to.
static int list_rows(const CairnProblem *problem, const int *part, int *inner, int *edge) {
    int inner_count = 0, edge_count = 0;
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *constraint = &problem->constraints[c];
        const CairnTerm *terms = problem->terms + constraint->first_term;
        bool is_edge = false;
        for (int t = 1; t < constraint->term_count; t++) {
            is_edge = is_edge || part[terms[t].block] != part[terms[0].block];
        }
        for (int r = constraint->first_row; r < constraint->first_row + constraint->row_count; r++) {
            if (is_edge) {
                edge[edge_count++] = r;
            } else {
                inner[inner_count++] = r;
            }
        }
    }
    return inner_count;
}

// The same over blocks of 1 to 64 dofs, four of them a part: S = A_ee - A_ei A_ii^-1 A_ie.
static void the_condition_takes_blocks_of_any_size(void **state) {
    (void)state;
    CairnAllocator plain = cairn_memory_default();
    for (int draw = 0; draw < support_rounds(5, 2); draw++) {
        TestPile pile;
        uint64_t seed = 500 + (uint64_t)draw;
        test_block_pile(&pile, &seed, (TestBlockPile){.blocks = 12, .constraints = 20, .compliance = 1e-2});
        int m = pile.problem.row_count, *inner = calloc(2 * (size_t)m, sizeof *inner), *edge = inner + m;
        double *A = calloc(4 * (size_t)m * (size_t)m + 3 * (size_t)m, sizeof *A), *F = A + m * m, *S = F + m * m;
        double *b = S + 2 * m * m, *x = b + m, *lambda = x + m, condition = 0;
        assert_true(inner != NULL && A != NULL);
        pile.problem.friction_count = 0; // all rows are free: what is eliminated are all inner ones
        for (int c = 0; c < pile.problem.constraint_count; c++) {
            pile.constraints[c].friction = -1;
        }
        for (int i = 0; i < m; i++) {
            pile.lower[i] = -(double)INFINITY;
            pile.upper[i] = (double)INFINITY;
        }
        CairnArena arena;
        cairn_arena_init(&arena, &plain);
        CairnSolverContext context = {.allocator = &plain, .thread_count = 1, .arena = &arena};
        CairnParts parts = {3, (int[]){0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}};
        int inner_count = list_rows(&pile.problem, parts.part, inner, edge), n = m - inner_count;
        assert_true(n > 0 && inner_count > 0);
        test_problem_dense(&pile.problem, A, b);
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < inner_count; i++) {
                for (int k = 0; k < inner_count; k++) {
                    F[i * inner_count + k] = A[inner[i] * m + inner[k]];
                }
                x[i] = A[inner[i] * m + edge[j]];
            }
            assert_true(test_solve_dense(inner_count, F, x));
            for (int i = 0; i < n; i++) {
                S[i * n + j] = A[edge[i] * m + edge[j]];
                for (int k = 0; k < inner_count; k++) {
                    S[i * n + j] -= A[edge[i] * m + inner[k]] * x[k];
                }
            }
        }
        assert_ok(cairn_schur_condition(&pile.problem, &parts, lambda, &context, &condition));
        // Power iteration ends at seven digits, which near a second eigenvalue of like size are four.
        assert_near(condition / condition_of(S, n), 1, 1e-3);
        cairn_arena_free(&arena);
        free(inner);
        free(A);
        test_pile_free(&pile);
    }
}

// ---- edges ----------------------------------------------------------------------------------------------------------

// A part without a constraint, one without a body, a constraint without bodies, an interface without a row, no parts at
// all.
static void empty_things_work(void **state) {
    const CairnSolver *solver = ((ExactSubject *)*state)->solver;
    TestProblem t;
    uint64_t seed = 160;
    double lambda[20] = {0}, other[20] = {0};
    test_problem_begin(&t);
    CairnParts none = {0, NULL};
    ExactRun run = exact_run_parts(solver, "", &t.problem, &none, 1, lambda);
    assert_ok(run.status);
    assert_int_equal(run.report.outcome, CAIRN_OUTCOME_CONVERGED);
    int block[3];
    for (int i = 0; i < 3; i++) {
        block[i] = test_problem_body(&t, &seed, 1 + i);
    }
    test_problem_constraint(&t, &seed, 2, 2, block);
    test_problem_constraint(&t, &seed, 1, 0, block);
    test_problem_contact(&t, &seed, CAIRN_FRICTION_BOX, 0, 1, &block[0]);
    for (int i = 0; i < t.problem.row_count; i++) {
        t.compliance[i] = 1e-2;
        t.right_side[i] = -0.1;
    }
    exact_certify(&cairn_solver_bpp, NULL, &t.problem, other);
    static const int parts[][3] = {{0, 0, 0}, {0, 0, 1}, {0, 1, 2}, {2, 2, 0}, {3, 3, 3}, {4, 0, 2}};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        CairnParts given = {5, parts[k]};
        memset(lambda, 0, sizeof lambda);
        run = exact_run_parts(solver, k % 2 ? "warm=false" : "", &t.problem, &given, 2, lambda);
        assert_ok(run.status);
        assert_true(run.residual.is_certified);
        assert_below(exact_distance(&t.problem, lambda, other), 1);
    }
    memset(lambda, 0, sizeof lambda);
    run = exact_run_parts(solver, "", &t.problem, NULL, 1, lambda);
    assert_ok(run.status);
    assert_below(exact_distance(&t.problem, lambda, other), 1);
}

static void bad_parts_are_refused(void **state) {
    const CairnSolver *solver = ((ExactSubject *)*state)->solver;
    TestProblem t, form_2;
    uint64_t seed = 170;
    double lambda[20] = {0}, before[20] = {0};
    test_problem_random(&t, &seed, 12);
    int part[PROBLEM_BLOCKS] = {0};
    CairnParts parts = {2, part};
    part[1] = 2;
    assert_refused(exact_run_parts(solver, "", &t.problem, &parts, 1, lambda).status, CAIRN_INVALID_ARGUMENT,
                   "part[1] = 2");
    part[1] = -1;
    assert_refused(exact_run_parts(solver, "", &t.problem, &parts, 1, lambda).status, CAIRN_INVALID_ARGUMENT,
                   "part[1] = -1");
    part[1] = 1;
    test_problem_make_explicit(&t, &form_2);
    assert_refused(exact_run_parts(solver, "", &form_2.problem, &parts, 1, lambda).status, CAIRN_UNSUPPORTED,
                   "explicit");
    assert_memory_equal(lambda, before, sizeof lambda);
}

static BlockSubject bpp_blocks = {
    .solver = &cairn_solver_schur_bpp,
    .options = {"", "coupling=alternate", "coupling=alternate,interface=dense", "coupling=alternate,interface=kkt",
                "coupling=alternate,interface=constraint", "coupling=alternate,parts_solver=pgs,kmax=50", "levels=2"},
    .stiffest = 1e-6};
static BlockSubject sm_blocks = {
    .solver = &cairn_solver_schur_pgs_sm, .options = {"", "coupling=alternate"}, .stiffest = 1e-6};

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        EXACT_TESTS(&bpp),
        EXACT_TESTS(&sm),
        cmocka_unit_test_prestate(bilateral_systems_take_one_coupling_iteration, &bpp),
        cmocka_unit_test_prestate(bilateral_systems_take_one_coupling_iteration, &sm),
        cmocka_unit_test_prestate(parts_change_nothing, &bpp),
        cmocka_unit_test_prestate(parts_change_nothing, &sm),
        cmocka_unit_test_prestate(formulations_agree, &bpp),
        cmocka_unit_test_prestate(formulations_agree, &sm),
        cmocka_unit_test_prestate(faithful_ends_where_the_paper_ends, &bpp),
        cmocka_unit_test_prestate(faithful_ends_where_the_paper_ends, &sm),
        cmocka_unit_test(the_condition_is_that_of_equation_24),
        cmocka_unit_test(the_condition_takes_blocks_of_any_size),
        cmocka_unit_test_prestate(empty_things_work, &bpp),
        cmocka_unit_test_prestate(empty_things_work, &sm),
        cmocka_unit_test_prestate(bad_parts_are_refused, &bpp),
        cmocka_unit_test_prestate(bad_parts_are_refused, &sm),
        cmocka_unit_test_prestate(block_check_laws, &bpp_blocks),
        cmocka_unit_test_prestate(block_check_laws, &sm_blocks),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
