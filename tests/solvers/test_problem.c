// The check at the problem's door, the shared products, the constraint graph and the list of solvers.
#include "engine/base/arena.h"
#include "engine/base/memory.h"
#include "solvers/problem/accept.h"
#include "solvers/problem/graph.h"
#include "solvers/problem/problem_ops.h"
#include "tests/support/problems.h"

#include <math.h>
#include <string.h>

// ---- bad problems: each case spoils a good one ----

// Blocks 0 and 1 rigid, 2 of size 3; constraint 0: two rows over 0 and 2; constraint 1: a contact with six rows over 0
// and 1.
static void build_good(TestProblem *t) {
    uint64_t seed = 1;
    double P[9] = {2, 0.1, 0, 0.1, 2, 0, 0, 0, 2};
    test_problem_begin(t);
    test_problem_body(t, &seed, 1);
    test_problem_body(t, &seed, 2);
    test_problem_block(t, 3, P);
    test_problem_constraint(t, &seed, 2, 2, (int[]){0, 2});
    test_problem_contact(t, &seed, CAIRN_FRICTION_BOX, 3, 2, (int[]){0, 1});
}

#define SPOIL(name, statement)                                                                                         \
    static void name(TestProblem *t) {                                                                                 \
        statement;                                                                                                     \
    }
SPOIL(form_is_unknown, t->problem.form = (CairnForm)7)
SPOIL(step_is_zero, t->problem.step = 0)
SPOIL(step_is_nan, t->problem.step = (double)NAN)
SPOIL(rows_are_negative, t->problem.row_count = -1)
SPOIL(blocks_are_negative, t->problem.block_count = -4)
SPOIL(frictions_are_negative, t->problem.friction_count = -2)
SPOIL(blocks_are_absent, t->problem.blocks = NULL)
SPOIL(P_is_absent, t->problem.P = NULL)
SPOIL(J_is_absent, t->problem.J = NULL)
SPOIL(lower_is_absent, t->problem.lower = NULL)
SPOIL(compliance_is_absent, t->problem.compliance = NULL)
SPOIL(P_is_nan, t->P[28] = (double)NAN)
SPOIL(P_is_infinite, t->P[36 + 7] = (double)INFINITY)
SPOIL(P_is_unsymmetric, t->P[27] += 1e-6)
SPOIL(P_is_unsymmetric_above, t->P[4] = 0.5)
SPOIL(inertia_is_of_a_line, (t->P[21] = t->P[22] = t->P[27] = t->P[28] = 1))
SPOIL(P_is_indefinite, t->P[36 + 35] = -1)
SPOIL(P_is_singular, t->P[73] = t->P[75] = 2)
SPOIL(P_is_zero, t->P[0] = t->P[7] = t->P[14] = 0)
SPOIL(block_leaves_a_gap, t->blocks[1].first = 7)
SPOIL(block_is_empty, t->blocks[2].size = 0)
SPOIL(block_is_too_long, t->blocks[2].size = 4)
SPOIL(block_matrix_is_negative, t->blocks[1].matrix = -36)
SPOIL(block_mass_is_nan, t->blocks[1].mass = (double)NAN)
SPOIL(dofs_are_left_over, t->problem.dof_count = 16)
SPOIL(p_is_nan, t->p[14] = (double)NAN)
SPOIL(J_is_nan, t->J[17] = (double)NAN)
SPOIL(J_is_infinite, t->J[0] = -(double)INFINITY)
SPOIL(term_block_is_outside, t->terms[3].block = 3)
SPOIL(term_block_is_negative, t->terms[0].block = -1)
SPOIL(term_jacobian_is_negative, t->terms[2].jacobian = -1)
SPOIL(terms_are_outside, t->constraints[1].term_count = 3)
SPOIL(terms_start_outside, t->constraints[0].first_term = -1)
SPOIL(rows_leave_a_gap, t->constraints[1].first_row = 3)
SPOIL(rows_go_outside, t->constraints[1].row_count = 7)
SPOIL(rows_are_left_over, t->constraints[1].row_count = 5)
SPOIL(friction_index_is_outside, t->constraints[0].friction = 1)
SPOIL(compliance_is_negative, t->compliance[7] = -1e-12)
SPOIL(compliance_is_nan, t->compliance[2] = (double)NAN)
SPOIL(right_side_is_nan, t->right_side[3] = (double)NAN)
SPOIL(right_side_is_infinite, t->right_side[0] = (double)INFINITY)
SPOIL(phi_is_nan, t->phi[5] = (double)NAN)
SPOIL(lower_is_nan, t->lower[1] = (double)NAN)
SPOIL(upper_is_nan, t->upper[2] = (double)NAN)
SPOIL(lower_is_infinite, t->lower[0] = (double)INFINITY)
SPOIL(upper_is_minus_infinite, t->upper[0] = -(double)INFINITY)
SPOIL(bounds_are_crossed, (t->lower[4] = 1, t->upper[4] = 0.5))
SPOIL(friction_kind_is_unknown, t->frictions[0].kind = CAIRN_FRICTION_KIND_COUNT)
SPOIL(friction_constraint_is_outside, t->frictions[0].constraint = 2)
SPOIL(friction_constraint_is_another, t->frictions[0].constraint = 0)
SPOIL(friction_normal_is_outside, t->frictions[0].normal = 1)
SPOIL(friction_rows_do_not_fit, t->frictions[0].normal = 3)
SPOIL(friction_spin_is_two, t->frictions[0].spin_rows = 2)
SPOIL(mu_is_negative, t->frictions[0].mu = -0.1)
SPOIL(mu_is_nan, t->frictions[0].mu = (double)NAN)
SPOIL(torsion_is_infinite, t->frictions[0].torsion = (double)INFINITY)
SPOIL(rolling_is_negative, t->frictions[0].rolling = -1)
SPOIL(frozen_is_nan, t->frictions[0].frozen = (double)NAN)

static const CairnDofCoupling upside_down = {0, 1, 0}, outside = {3, 1, 0}, far_off = {1, 0, -2};
SPOIL(coupling_is_above, (t->problem.couplings = &upside_down, t->problem.coupling_count = 1))
SPOIL(coupling_is_outside, (t->problem.couplings = &outside, t->problem.coupling_count = 1))
SPOIL(coupling_matrix_is_negative, (t->problem.couplings = &far_off, t->problem.coupling_count = 1))

typedef struct BadCase {
    void (*spoil)(TestProblem *t);
    const char *words; // what the message must name: array, place, value
} BadCase;

static const BadCase bad_cases[] = {
    {form_is_unknown, "form = 7"},
    {step_is_zero, "step = 0"},
    {step_is_nan, "step = nan"},
    {rows_are_negative, "row_count = -1"},
    {blocks_are_negative, "block_count = -4"},
    {frictions_are_negative, "friction_count = -2"},
    {blocks_are_absent, "blocks is NULL"},
    {P_is_absent, "P is NULL"},
    {J_is_absent, "J is NULL"},
    {lower_is_absent, "lower is NULL"},
    {compliance_is_absent, "compliance is NULL"},
    {P_is_nan, "P[28] = nan (block 0)"},
    {P_is_infinite, "P[43] = inf (block 1)"},
    {P_is_unsymmetric, "P is not symmetric in block 0: entry (4, 3)"},
    {P_is_unsymmetric_above, "P is not symmetric in block 0: entry (4, 0) = 0, (0, 4) = 0.5"},
    {inertia_is_of_a_line, "P is not positive definite in block 0: pivot of its row 4"},
    {P_is_indefinite, "P is not positive definite in block 1"},
    {P_is_singular, "P is not positive definite in block 2"},
    {P_is_zero, "P is not positive definite in block 0"},
    {block_leaves_a_gap, "blocks[1].first = 7 must be 6"},
    {block_is_empty, "blocks[2].size = 0"},
    {block_is_too_long, "blocks[2].size = 4"},
    {block_matrix_is_negative, "blocks[1].matrix = -36"},
    {block_mass_is_nan, "blocks[1].mass = nan"},
    {dofs_are_left_over, "dof_count = 16"},
    {p_is_nan, "p[14] = nan"},
    {J_is_nan, "J[17] = nan (constraint 0, block 2)"},
    {J_is_infinite, "J[0] = -inf"},
    {term_block_is_outside, "terms[3].block = 3"},
    {term_block_is_negative, "terms[0].block = -1"},
    {term_jacobian_is_negative, "terms[2].jacobian = -1"},
    {terms_are_outside, "constraints[1] has terms [2, +3)"},
    {terms_start_outside, "constraints[0] has terms [-1, +2)"},
    {rows_leave_a_gap, "constraints[1].first_row = 3 must be 2"},
    {rows_go_outside, "constraints[1].row_count = 7"},
    {rows_are_left_over, "row_count = 8 but the constraints hold 7"},
    {friction_index_is_outside, "constraints[0].friction = 1"},
    {compliance_is_negative, "compliance[7] = -1e-12"},
    {compliance_is_nan, "compliance[2] = nan"},
    {right_side_is_nan, "right_side[3] = nan"},
    {right_side_is_infinite, "right_side[0] = inf"},
    {phi_is_nan, "position_error[5] = nan"},
    {lower_is_nan, "lower[1] = nan"},
    {upper_is_nan, "upper[2] = nan"},
    {lower_is_infinite, "lower[0] = inf"},
    {upper_is_minus_infinite, "upper[0] = -inf"},
    {bounds_are_crossed, "lower[4] = 1 is above upper[4] = 0.5"},
    {friction_kind_is_unknown, "frictions[0].kind = 4"},
    {friction_constraint_is_outside, "frictions[0].constraint = 2"},
    {friction_constraint_is_another, "frictions[0].constraint = 0"},
    {friction_normal_is_outside, "frictions[0].normal = 1"},
    {friction_rows_do_not_fit, "frictions[0].normal = 3 and its 6 rows"},
    {friction_spin_is_two, "frictions[0].spin_rows = 2"},
    {mu_is_negative, "frictions[0].mu = -0.1"},
    {mu_is_nan, "frictions[0].mu = nan"},
    {torsion_is_infinite, "frictions[0].torsion = inf"},
    {rolling_is_negative, "frictions[0].rolling = -1"},
    {frozen_is_nan, "frictions[0].frozen = nan"},
    {coupling_is_above, "couplings[0] = (0, 1)"},
    {coupling_is_outside, "couplings[0] = (3, 1)"},
    {coupling_matrix_is_negative, "couplings[0].matrix = -2"},
};

static void bad_problems_are_refused_by_name(void **state) {
    (void)state;
    TestProblem t;
    build_good(&t);
    assert_ok(cairn_problem_check(&t.problem));
    assert_refused(cairn_problem_check(NULL), CAIRN_INVALID_ARGUMENT, "NULL");
    for (size_t i = 0; i < sizeof bad_cases / sizeof bad_cases[0]; i++) {
        build_good(&t);
        bad_cases[i].spoil(&t);
        assert_refused(cairn_problem_check(&t.problem), CAIRN_INVALID_ARGUMENT, bad_cases[i].words);
    }
}

SPOIL(W_is_nan, t->W[3] = (double)NAN)
SPOIL(W_start_is_not_zero, t->W_start[0] = 1)
SPOIL(W_start_falls, (t->W_start[1] = 1 << 30, t->W_start[2] = 4))
SPOIL(W_column_is_outside, t->W_column[1] = 8)
SPOIL(W_column_is_negative, t->W_column[0] = -1)
SPOIL(W_is_absent, t->problem.W = NULL)

static void bad_explicit_problems_are_refused_by_name(void **state) {
    (void)state;
    static const BadCase cases[] = {
        {W_is_nan, "W[3] = nan"},
        {W_start_is_not_zero, "W_start[0] = 1"},
        {W_start_falls, "W_start[2]"},
        {W_column_is_outside, "W_column[1] = 8"},
        {W_column_is_negative, "W_column[0] = -1"},
        {W_is_absent, "W is NULL"},
        {lower_is_nan, "lower[1] = nan"},
        {right_side_is_nan, "right_side[3] = nan"},
        {rows_leave_a_gap, "constraints[1].first_row = 3"},
        {mu_is_negative, "frictions[0].mu = -0.1"},
    };
    TestProblem good, t;
    build_good(&good);
    test_problem_make_explicit(&good, &t);
    assert_ok(cairn_problem_check(&t.problem));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        test_problem_make_explicit(&good, &t);
        cases[i].spoil(&t);
        assert_refused(cairn_problem_check(&t.problem), CAIRN_INVALID_ARGUMENT, cases[i].words);
    }
}

static void good_extremes_are_taken(void **state) {
    (void)state;
    TestProblem t;
    test_problem_begin(&t);
    assert_ok(cairn_problem_check(&t.problem)); // nothing at all
    build_good(&t);
    t.problem.position_error = NULL; // for statistics only
    t.lower[3] = t.upper[3] = 2;     // a prescribed impulse
    for (int i = 0; i < 36; i++) {
        t.P[i] *= 1e-30; // units are the maker's
        t.P[36 + i] *= 1e30;
    }
    t.P[27] *= 1 + 1e-12; // symmetric to rounding
    assert_ok(cairn_problem_check(&t.problem));
    static const CairnDofCoupling good = {1, 0, 0};
    t.problem.couplings = &good;
    t.problem.coupling_count = 1;
    assert_ok(cairn_problem_check(&t.problem)); // well formed, though no solver here takes it
}

// ---- products against dense algebra ----

static CairnAllocator plain;

static void products_agree_with_dense_algebra(void **state) {
    (void)state;
    uint64_t seed = 2;
    for (int draw = 0; draw < 200; draw++) {
        TestProblem forms[2];
        double A[PROBLEM_ROWS * PROBLEM_ROWS], b[PROBLEM_ROWS], lambda[PROBLEM_ROWS];
        test_problem_random(&forms[0], &seed, 16);
        test_problem_make_explicit(&forms[0], &forms[1]);
        test_problem_dense(&forms[0].problem, A, b);
        for (int i = 0; i < 16; i++) {
            lambda[i] = support_uniform(&seed, -1, 1);
        }
        for (int form = 0; form < 2; form++) {
            CairnArena arena;
            CairnOps ops;
            double v[PROBLEM_DOFS], got[PROBLEM_ROWS];
            cairn_arena_init(&arena, &plain);
            assert_ok(cairn_ops_init(&ops, &forms[form].problem, &arena));
            cairn_ops_right_side(&ops, v, got);
            for (int i = 0; i < 16; i++) {
                assert_near(got[i], b[i], 1e-12);
            }
            cairn_ops_diagonal(&ops, got);
            for (int i = 0; i < 16; i++) {
                assert_near(got[i], A[i * 16 + i], 1e-12);
            }
            cairn_ops_slack(&ops, lambda, v, got);
            for (int i = 0; i < 16; i++) {
                double w = b[i];
                for (int j = 0; j < 16; j++) {
                    w += A[i * 16 + j] * lambda[j];
                }
                assert_near(got[i], w, 1e-12);
            }
            cairn_arena_free(&arena);
        }
    }
}

// P (P^-1 x) = x for every size of block, the rigid path included.
static void block_factors_invert_their_blocks(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (int draw = 0; draw < 100; draw++) {
        TestProblem t;
        CairnArena arena;
        CairnOps ops;
        test_problem_random(&t, &seed, 1);
        cairn_arena_init(&arena, &plain);
        assert_ok(cairn_ops_init(&ops, &t.problem, &arena));
        double x[PROBLEM_DOFS], y[PROBLEM_DOFS];
        for (int i = 0; i < t.problem.dof_count; i++) {
            x[i] = y[i] = support_uniform(&seed, -1, 1);
        }
        cairn_ops_solve(&ops, y);
        for (int b = 0; b < t.problem.block_count; b++) {
            CairnDofBlock block = t.blocks[b];
            for (int i = 0; i < block.size; i++) {
                double sum = 0;
                for (int j = 0; j < block.size; j++) {
                    sum += t.P[block.matrix + i * block.size + j] * y[block.first + j];
                }
                assert_near(sum, x[block.first + i], 1e-13);
            }
        }
        cairn_arena_free(&arena);
    }
}

// A rigid body's block but for one entry, which must not be taken for one.
static void almost_rigid_blocks_are_factored_in_full(void **state) {
    (void)state;
    for (int i = 1; i < 6; i++) {
        for (int j = 0; j <= i && j < 3; j++) {
            uint64_t seed = 7;
            TestProblem t;
            double P[36], x[6], y[6];
            test_problem_begin(&t);
            test_problem_body(&t, &seed, 2);
            t.P[6 * i + j] += 0.1;
            t.P[6 * j + i] = t.P[6 * i + j];
            CairnArena arena;
            CairnOps ops;
            cairn_arena_init(&arena, &plain);
            assert_ok(cairn_ops_init(&ops, &t.problem, &arena));
            for (int k = 0; k < 6; k++) {
                x[k] = y[k] = support_uniform(&seed, -1, 1);
            }
            memcpy(P, t.P, sizeof P);
            assert_true(test_solve_dense(6, P, y));
            cairn_ops_solve(&ops, x);
            for (int k = 0; k < 6; k++) {
                assert_near(x[k], y[k], 1e-12 * (1 + fabs(y[k])));
            }
            cairn_arena_free(&arena);
        }
    }
}

static void products_refuse_what_they_do_not_take(void **state) {
    (void)state;
    TestProblem t;
    CairnArena arena;
    CairnOps ops;
    cairn_arena_init(&arena, &plain);
    build_good(&t);
    coupling_is_above(&t);
    assert_refused(cairn_ops_init(&ops, &t.problem, &arena), CAIRN_UNSUPPORTED, "coupling_count = 1");
    static void (*const spoils[])(TestProblem *) = {P_is_nan, P_is_indefinite, P_is_singular, P_is_zero};
    for (size_t i = 0; i < sizeof spoils / sizeof spoils[0]; i++) {
        build_good(&t);
        spoils[i](&t);
        assert_refused(cairn_ops_init(&ops, &t.problem, &arena), CAIRN_NUMERIC, "positive definite in block");
    }
    cairn_arena_free(&arena);
}

// ---- graph and list ----

static void graph_has_blocks_for_nodes_and_constraints_for_edges(void **state) {
    (void)state;
    TestProblem t, form_2;
    CairnArena arena;
    CairnGraph graph;
    cairn_arena_init(&arena, &plain);
    build_good(&t);
    t.blocks[1].group = 5;
    assert_ok(cairn_problem_graph(&t.problem, &arena, &graph));
    static const int start[] = {0, 2, 4}, node[] = {0, 2, 0, 1}, rows[] = {2, 6};
    assert_int_equal(graph.node_count, 3);
    assert_int_equal(graph.edge_count, 2);
    assert_memory_equal(graph.edge_start, start, sizeof start);
    assert_memory_equal(graph.edge_node, node, sizeof node);
    assert_memory_equal(graph.edge_rows, rows, sizeof rows);
    assert_int_equal(graph.node_group[0], -1);
    assert_int_equal(graph.node_group[1], 5);
    assert_true(graph.node_id[2] == 102);
    assert_near(graph.node_mass[1], 2, 0);
    test_problem_make_explicit(&t, &form_2);
    assert_ok(cairn_problem_graph(&form_2.problem, &arena, &graph));
    assert_int_equal(graph.node_count, 0);
    assert_int_equal(graph.edge_count, 0);
    assert_refused(cairn_problem_graph(NULL, &arena, &graph), CAIRN_INVALID_ARGUMENT, "NULL");
    cairn_arena_free(&arena);
    for (int fail = 1; fail < 10; fail++) {
        SupportMemory memory = {.fail_from = fail};
        CairnAllocator allocator = support_allocator(&memory);
        cairn_arena_init(&arena, &allocator);
        CairnStatus status = cairn_problem_graph(&t.problem, &arena, &graph);
        assert_int_equal(status.code, memory.refused ? CAIRN_OUT_OF_MEMORY : CAIRN_OK);
        cairn_arena_free(&arena);
        assert_memory_clean(&memory);
    }
}

static void solvers_are_found_by_name(void **state) {
    (void)state;
    const CairnSolver *solver = NULL;
    assert_true(cairn_solver_count() >= 1);
    for (int i = 0; i < cairn_solver_count(); i++) {
        assert_ok(cairn_solver_find(cairn_solver_at(i)->name, &solver));
        assert_ptr_equal(solver, cairn_solver_at(i));
        assert_true(strlen(solver->summary) > 0 && solver->solve != NULL);
    }
    assert_null(cairn_solver_at(-1));
    assert_null(cairn_solver_at(cairn_solver_count()));
    solver = NULL;
    assert_refused(cairn_solver_find("pgz", &solver), CAIRN_NOT_FOUND, "near: pgs");
    assert_refused(cairn_solver_find(NULL, &solver), CAIRN_INVALID_ARGUMENT, "name");
    assert_null(solver);
    assert_string_equal(cairn_outcome_name(CAIRN_OUTCOME_CONVERGED), "converged");
    assert_string_equal(cairn_outcome_name(CAIRN_OUTCOME_STALLED), "stalled");
    assert_string_equal(cairn_outcome_name((CairnOutcome)99), "unknown");
}

static void solvers_accept_what_their_traits_say(void **state) {
    (void)state;
    TestProblem t, form_2;
    CairnSolver solver = {.name = "probe", .traits = CAIRN_TAKES_BOUNDS};
    static const struct {
        CairnFrictionKind kind;
        unsigned trait;
        const char *words;
    } kinds[] = {
        {CAIRN_FRICTION_BOX, CAIRN_TAKES_BOUNDS, "probe does not take box friction"},
        {CAIRN_FRICTION_BOX_CURRENT, CAIRN_TAKES_BOX_CURRENT, "probe does not take box-current"},
        {CAIRN_FRICTION_CONE, CAIRN_TAKES_CONE, "probe does not take cone"},
        {CAIRN_FRICTION_COULOMB, CAIRN_TAKES_COULOMB, "probe does not take coulomb"},
    };
    build_good(&t);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        t.frictions[0].kind = kinds[i].kind;
        solver.traits = 0xffu & ~kinds[i].trait;
        assert_refused(cairn_solver_accepts(&solver, &t.problem), CAIRN_UNSUPPORTED, kinds[i].words);
        solver.traits = CAIRN_TAKES_BOUNDS | kinds[i].trait;
        assert_ok(cairn_solver_accepts(&solver, &t.problem));
    }
    friction_kind_is_unknown(&t);
    assert_refused(cairn_solver_accepts(&solver, &t.problem), CAIRN_INVALID_ARGUMENT, "kind = 4");

    build_good(&t);
    t.constraints[1].friction = -1;
    t.problem.friction_count = 0;
    solver.traits = 0;
    assert_refused(cairn_solver_accepts(&solver, &t.problem), CAIRN_UNSUPPORTED, "bounds: row (2)");
    coupling_is_above(&t);
    solver.traits = CAIRN_TAKES_BOUNDS;
    assert_refused(cairn_solver_accepts(&solver, &t.problem), CAIRN_UNSUPPORTED, "off-diagonal");
    solver.traits |= CAIRN_TAKES_COUPLED_DYNAMICS;
    assert_ok(cairn_solver_accepts(&solver, &t.problem));

    t.problem.coupling_count = 0;
    test_problem_make_explicit(&t, &form_2);
    assert_refused(cairn_solver_accepts(&solver, &form_2.problem), CAIRN_UNSUPPORTED, "explicit");
    solver.traits |= CAIRN_TAKES_EXPLICIT;
    assert_ok(cairn_solver_accepts(&solver, &form_2.problem));
    form_2.problem.W_is_symmetric = false;
    assert_refused(cairn_solver_accepts(&solver, &form_2.problem), CAIRN_UNSUPPORTED, "unsymmetric");
    solver.traits |= CAIRN_TAKES_UNSYMMETRIC;
    assert_ok(cairn_solver_accepts(&solver, &form_2.problem));
    assert_refused(cairn_solver_accepts(NULL, &t.problem), CAIRN_INVALID_ARGUMENT, "solver is NULL");
    assert_refused(cairn_solver_accepts(&solver, NULL), CAIRN_INVALID_ARGUMENT, "problem is NULL");
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_problems_are_refused_by_name),
        cmocka_unit_test(bad_explicit_problems_are_refused_by_name),
        cmocka_unit_test(good_extremes_are_taken),
        cmocka_unit_test(products_agree_with_dense_algebra),
        cmocka_unit_test(block_factors_invert_their_blocks),
        cmocka_unit_test(almost_rigid_blocks_are_factored_in_full),
        cmocka_unit_test(products_refuse_what_they_do_not_take),
        cmocka_unit_test(graph_has_blocks_for_nodes_and_constraints_for_edges),
        cmocka_unit_test(solvers_are_found_by_name),
        cmocka_unit_test(solvers_accept_what_their_traits_say),
    };
    plain = cairn_memory_default();
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
