// The unsymmetric factor of body space against dense elimination with row exchanges, on heaps, chains and random
// problems over blocks of every size, with blocks of S far from symmetric, rows of spin, rows held out, and stages.
#include "tests/support/block_piles.h"
#include "tests/support/problems.h"
#include "tests/support/support_systems.h"

#include "engine/base/arena.h"
#include "solvers/system/body_lu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Case {
    const CairnProblem *problem;
    CairnArena arena;
    CairnSolverContext context;
    CairnSystem system;
    CairnBodyLu lu;
    double *weight, (*block)[36], *rows, *r, *v;
} Case;

static const CairnAllocator allocator;

static void *zeros(size_t count, size_t size) {
    void *memory = calloc(count + 1, size);
    assert_non_null(memory);
    return memory;
}

static void begin(Case *c, const CairnProblem *problem, const CairnSystemSetup *setup, int threads) {
    *c = (Case){.problem = problem};
    cairn_arena_init(&c->arena, &allocator);
    c->context = (CairnSolverContext){.allocator = &allocator, .thread_count = threads, .arena = &c->arena};
    CairnSystemSetup body = setup != NULL ? *setup : (CairnSystemSetup){0};
    body.formulation = CAIRN_FORMULATION_BODY;
    assert_ok(cairn_system_init(&c->system, problem, &body, &c->context));
    assert_ok(cairn_body_lu_init(&c->lu, &c->system));
    c->weight = zeros((size_t)problem->row_count, sizeof *c->weight);
    c->rows = zeros((size_t)problem->row_count, sizeof *c->rows);
    c->block = zeros((size_t)problem->friction_count, sizeof *c->block);
    c->r = zeros((size_t)problem->dof_count, sizeof *c->r);
    c->v = zeros((size_t)problem->dof_count, sizeof *c->v);
}

static void end(Case *c) {
    cairn_arena_free(&c->arena);
    void *parts[] = {c->weight, c->rows, c->block, c->r, c->v};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        free(parts[i]);
    }
}

// The rows of the block of a friction group, 0: it takes none.
static int block_rows(const CairnFriction *friction) {
    return friction->kind != CAIRN_FRICTION_BOX ? 3 + friction->spin_rows : 0;
}

// Of the kinds of blocks that Newton's method makes: none (open), a symmetric one, one with a skew part of its own size
// (De Saxce's rise), and a sliding contact, whose friction and spin follow its normal. What is not read is no number.
static void draw_block(uint64_t *seed, int rows, double size, double *S) {
    double B[36];
    int kind = support_int(seed, 0, 4);
    for (int i = 0; i < 36; i++) {
        B[i] = support_uniform(seed, -1, 1);
        S[i] = (double)NAN;
    }
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = i == j ? 0.2 * size : 0, skew = i == j || kind < 2 ? 0 : support_uniform(seed, -2, 2) * size;
            for (int k = 0; k < rows; k++) {
                sum += size * B[6 * i + k] * B[6 * j + k];
            }
            S[6 * i + j] = kind == 0 ? 0 : sum + skew;
            S[6 * j + i] = kind == 0 ? 0 : sum - skew;
        }
    }
    for (int i = 0; i < rows && kind == 4; i++) {
        double mu = support_uniform(seed, 0.1, 1) * (support_int(seed, 0, 1) == 0 ? 1 : -1);
        for (int j = 0; j < rows && i > 0; j++) {
            S[6 * i + j] = j == 0 ? mu * S[0] : i == j ? 0.3 * fabs(mu) * S[0] : 0;
            S[6 * j + i] = j == 0 ? 0 : S[6 * j + i];
        }
    }
}

static void draw(Case *c, uint64_t *seed) {
    for (int i = 0; i < c->problem->row_count; i++) {
        c->weight[i] = support_int(seed, 0, 4) == 0 ? 0 : exp(support_uniform(seed, -2, 5));
    }
    for (int f = 0; f < c->problem->friction_count; f++) {
        draw_block(seed, block_rows(&c->problem->frictions[f]), exp(support_uniform(seed, -2, 5)), c->block[f]);
    }
    for (int i = 0; i < c->problem->dof_count; i++) {
        c->r[i] = c->v[i] = support_uniform(seed, -1, 1);
    }
}

// y = S x over the rows.
static void weigh(const Case *c, bool has_blocks, double *x) {
    bool *is_done = zeros((size_t)c->problem->row_count, sizeof *is_done);
    for (int f = 0; f < c->problem->friction_count && has_blocks; f++) {
        const CairnFriction *friction = &c->problem->frictions[f];
        double y[6] = {0}, *of = x + friction->normal;
        int rows = block_rows(friction);
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < rows; j++) {
                y[i] += c->block[f][6 * i + j] * of[j];
            }
        }
        for (int i = 0; i < rows; i++) {
            of[i] = y[i];
            is_done[friction->normal + i] = true;
        }
    }
    for (int i = 0; i < c->problem->row_count; i++) {
        x[i] *= is_done[i] ? 1 : c->weight[i];
    }
    free(is_done);
}

// K v by the definition.
static void multiply(const Case *c, bool has_blocks, const double *v, double *y) {
    const CairnProblem *problem = c->problem;
    cairn_ops_jacobian(problem, v, c->rows);
    weigh(c, has_blocks, c->rows);
    for (int b = 0; b < problem->block_count; b++) {
        const CairnDofBlock *dofs = &problem->blocks[b];
        for (int i = 0; i < dofs->size; i++) {
            y[dofs->first + i] = 0;
            for (int j = 0; j < dofs->size; j++) {
                y[dofs->first + i] += problem->P[dofs->matrix + i * dofs->size + j] * v[dofs->first + j];
            }
        }
    }
    cairn_ops_add_impulse(problem, c->rows, y);
}

// |K v - r| against |K| |v|, and v against what dense elimination with row exchanges gives.
static void check_answer(const Case *c, bool has_blocks) {
    int n = c->problem->dof_count;
    size_t size = (size_t)n;
    double *K = zeros(size * size, sizeof *K), *unit = zeros(size, sizeof *unit), *column = zeros(size, sizeof *column);
    double *truth = zeros(size, sizeof *truth), *norm = zeros(size, sizeof *norm);
    for (int j = 0; j < n; j++) {
        unit[j] = 1;
        multiply(c, has_blocks, unit, column);
        unit[j] = 0;
        for (int i = 0; i < n; i++) {
            K[(size_t)i * size + (size_t)j] = column[i];
            norm[i] += fabs(column[i]);
        }
    }
    double most = 0, least = 0, largest = 0, off = 0;
    multiply(c, has_blocks, c->v, column);
    memcpy(truth, c->r, size * sizeof *truth);
    assert_true(test_solve_dense(n, K, truth));
    for (int i = 0; i < n; i++) {
        most = fmax(most, norm[i]);
        largest = fmax(largest, fabs(c->v[i]));
    }
    for (int i = 0; i < n; i++) {
        least = fmax(least, fabs(column[i] - c->r[i]));
        off = fmax(off, fabs(c->v[i] - truth[i]));
    }
    if (!(least <= 1e-12 * most * largest) || !(off <= 1e-9 * largest)) {
        fail_msg("%d dofs: %g left of %g, %g away of %g", n, least, most * largest, off, largest);
    }
    free(K);
    free(unit);
    free(column);
    free(truth);
    free(norm);
}

// With blocks, the weights of their rows are not read.
static void factor(Case *c, bool has_blocks) {
    double *given = zeros((size_t)c->problem->row_count, sizeof *given);
    memcpy(given, c->weight, (size_t)c->problem->row_count * sizeof *given);
    for (int f = 0; f < c->problem->friction_count && has_blocks; f++) {
        for (int i = 0; i < block_rows(&c->problem->frictions[f]); i++) {
            given[c->problem->frictions[f].normal + i] = (double)NAN;
        }
    }
    assert_ok(cairn_body_lu_factor(&c->lu, given, has_blocks ? (const double(*)[36])c->block : NULL));
    free(given);
}

static void check(const CairnProblem *problem, const CairnSystemSetup *setup, uint64_t *seed) {
    Case c;
    begin(&c, problem, setup, 1);
    for (int round = 0; round < 2; round++) { // the second one in memory that the first one has used
        draw(&c, seed);
        factor(&c, true);
        cairn_body_lu_solve(&c.lu, c.v);
        check_answer(&c, true);
        memcpy(c.v, c.r, (size_t)problem->dof_count * sizeof *c.v);
        factor(&c, false);
        cairn_body_lu_solve(&c.lu, c.v);
        check_answer(&c, false);
    }
    end(&c);
}

static void heaps_are_solved(void **state) {
    (void)state;
    for (int bodies = 1; bodies <= 128; bodies *= 2) {
        TestPile pile;
        uint64_t seed = 70 + (uint64_t)bodies;
        test_pile_heap(&pile, &seed, bodies, 1e-6, bodies == 4 ? CAIRN_FRICTION_BOX : CAIRN_FRICTION_COULOMB);
        check(&pile.problem, NULL, &seed);
        test_pile_free(&pile);
    }
}

static void blocks_of_every_size_are_solved(void **state) {
    (void)state;
    static const int sizes[] = {0, 1, 3, 6, 7, 33};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int blocks = 1; blocks <= 14; blocks += 13) {
            TestPile pile;
            uint64_t seed = 300 + i;
            test_block_pile(&pile, &seed,
                            (TestBlockPile){.blocks = blocks,
                                            .constraints = 3 * blocks,
                                            .size = sizes[i],
                                            .compliance = 1e-6,
                                            .friction = CAIRN_FRICTION_COULOMB});
            check(&pile.problem, NULL, &seed);
            test_pile_free(&pile);
        }
    }
}

// Contacts with no, one and three rows of spin and of every law, over two rigid bodies, one of them, or blocks of other
// sizes; often more of them and joints in one group.
static void rows_of_spin_are_solved(void **state) {
    (void)state;
    static const int spin_rows[] = {0, 1, 3}, sizes[] = {6, 6, 6, 3, 9};
    uint64_t seed = 90;
    int with_block[7] = {0}; // by its rows
    for (int round = 0; round < 60; round++) {
        TestProblem t;
        test_problem_begin(&t);
        for (int i = 0; i < 5; i++) {
            (void)(i < 3 ? test_problem_body(&t, &seed, 2) : test_problem_full_block(&t, &seed, sizes[i]));
        }
        while (t.problem.row_count + 6 <= PROBLEM_ROWS && t.problem.constraint_count < PROBLEM_CONSTRAINTS) {
            int first = support_int(&seed, 0, 3), two[] = {first, support_int(&seed, first + 1, 4)};
            int kind = support_int(&seed, 0, CAIRN_FRICTION_KIND_COUNT), blocks = support_int(&seed, 1, 2);
            if (kind == CAIRN_FRICTION_KIND_COUNT) {
                test_problem_constraint(&t, &seed, support_int(&seed, 1, 3), blocks, two);
                continue;
            }
            int spin = spin_rows[support_int(&seed, 0, 2)];
            test_problem_contact(&t, &seed, (CairnFrictionKind)kind, spin, blocks, two);
            with_block[block_rows(&t.frictions[t.problem.friction_count - 1])]++;
        }
        check(&t.problem, NULL, &seed);
    }
    assert_true(with_block[3] > 50 && with_block[4] > 50 && with_block[6] > 50);
}

static void graphs_of_scenes_are_solved(void **state) {
    (void)state;
    uint64_t seed = 8;
    for (int kind = 0; kind < 4; kind++) {
        SupportSystem system;
        switch (kind) {
        case 0:
            support_system_chain(&system, 60, 5, 2, 3);
            break;
        case 1:
            support_system_tower(&system, 6, 4, 4);
            break;
        case 2:
            support_system_star(&system, 40, 70, 5); // more rows in a group than one product takes
            break;
        default:
            support_system_random(&system, 40, 90, 6);
            break;
        }
        check(&system.problem, NULL, &seed);
        support_system_free(&system);
    }
}

static void stages_and_last_blocks_are_solved(void **state) {
    (void)state;
    TestPile pile;
    uint64_t seed = 12;
    test_pile_heap(&pile, &seed, 30, 1e-6, CAIRN_FRICTION_CONE);
    int stage[30];
    bool is_last[30] = {[3] = true, [17] = true, [18] = true};
    for (int i = 0; i < 30; i++) {
        stage[i] = i % 7 == 0;
    }
    check(&pile.problem, &(CairnSystemSetup){.stage = stage}, &seed);
    check(&pile.problem, &(CairnSystemSetup){.is_last = is_last}, &seed);
    test_pile_free(&pile);
}

// A weight of rows alone is the symmetric factor's, and that one comes back as it was.
static void a_symmetric_weight_gives_the_symmetric_answer(void **state) {
    (void)state;
    for (int round = 0; round < 6; round++) {
        TestPile pile;
        Case c;
        uint64_t seed = 40 + (uint64_t)round;
        test_pile_heap(&pile, &seed, 5 + 20 * round, 1e-3, CAIRN_FRICTION_COULOMB);
        begin(&c, &pile.problem, NULL, 1);
        draw(&c, &seed);
        size_t size = (size_t)pile.problem.dof_count;
        double *theta = zeros((size_t)pile.problem.row_count, sizeof *theta);
        double *symmetric = zeros(size, sizeof *symmetric), *first = zeros(size, sizeof *first);
        for (int i = 0; i < pile.problem.row_count; i++) {
            theta[i] = support_int(&seed, 0, 3) == 0 ? (double)INFINITY : exp(support_uniform(&seed, -6, 1));
            c.weight[i] = 1 / (pile.problem.compliance[i] + theta[i]);
        }
        double largest = 0;
        for (int twice = 0; twice < 2; twice++) {
            memcpy(symmetric, c.r, size * sizeof *symmetric);
            assert_ok(cairn_system_factor(&c.system, theta, NULL));
            cairn_body_space_velocity(&c.system, symmetric);
            assert_true(twice == 0 || memcmp(symmetric, first, size * sizeof *first) == 0);
            memcpy(first, symmetric, size * sizeof *first);
            memcpy(c.v, c.r, size * sizeof *c.v);
            assert_ok(cairn_body_lu_factor(&c.lu, c.weight, NULL));
            cairn_body_lu_solve(&c.lu, c.v);
            for (size_t i = 0; i < size; i++) {
                largest = fmax(largest, fabs(symmetric[i]));
            }
            for (size_t i = 0; i < size; i++) {
                assert_near(c.v[i], symmetric[i], 1e-12 * largest);
            }
        }
        free(theta);
        free(symmetric);
        free(first);
        end(&c);
        test_pile_free(&pile);
    }
}

// W x = J K^-1 J^T x in slots is the same as over the dofs.
static void products_in_slots_agree(void **state) {
    (void)state;
    TestPile pile;
    Case c;
    uint64_t seed = 5;
    test_block_pile(&pile, &seed, (TestBlockPile){9, 30, 0, 1e-6, CAIRN_FRICTION_CONE, false});
    begin(&c, &pile.problem, NULL, 1);
    draw(&c, &seed);
    const CairnGroups *groups = c.system.groups;
    double *x = zeros((size_t)pile.problem.row_count + 8, sizeof *x), *y = zeros((size_t)pile.problem.row_count + 8, 8);
    for (int i = 0; i < pile.problem.row_count; i++) {
        x[i] = support_uniform(&seed, -1, 1);
    }
    assert_ok(cairn_body_lu_factor(&c.lu, c.weight, (const double(*)[36])c.block));
    memset(c.v, 0, (size_t)pile.problem.dof_count * sizeof *c.v);
    cairn_ops_add_impulse(&pile.problem, x, c.v);
    cairn_body_lu_solve(&c.lu, c.v);
    cairn_ops_jacobian(&pile.problem, c.v, c.rows);
    cairn_groups_impulse(groups, NULL, x, c.lu.slotted);
    cairn_body_lu_solve_slotted(&c.lu, c.lu.slotted);
    cairn_groups_recover(groups, c.lu.slotted, NULL, NULL, y);
    for (int i = 0; i < pile.problem.row_count; i++) {
        assert_near(y[i], c.rows[i], 1e-11);
    }
    free(x);
    free(y);
    end(&c);
    test_pile_free(&pile);
}

static void threads_do_not_change_the_bits(void **state) {
    (void)state;
    TestPile pile;
    Case c[2];
    uint64_t start = 77;
    test_pile_heap(&pile, &start, 500, 1e-6, CAIRN_FRICTION_COULOMB);
    for (int k = 0; k < 2; k++) {
        uint64_t seed = 3;
        begin(&c[k], &pile.problem, NULL, 1 + k);
        draw(&c[k], &seed);
        assert_ok(cairn_body_lu_factor(&c[k].lu, c[k].weight, (const double(*)[36])c[k].block));
        cairn_body_lu_solve(&c[k].lu, c[k].v);
    }
    assert_memory_equal(c[0].v, c[1].v, (size_t)pile.problem.dof_count * sizeof *c[0].v);
    end(&c[0]);
    end(&c[1]);
    test_pile_free(&pile);
}

// One direction of a body has no mass left: a row's negative weight takes it away.
static void a_pivot_that_vanishes_is_reported(void **state) {
    (void)state;
    TestProblem t;
    Case c;
    uint64_t seed = 1;
    test_problem_begin(&t);
    int first = test_problem_body(&t, &seed, 2), second = test_problem_body(&t, &seed, 3);
    assert_int_equal(first, 0);
    int one = test_problem_constraint(&t, &seed, 1, 1, &second);
    double *J = t.J + t.terms[t.constraints[one].first_term].jacobian;
    memset(J, 0, 6 * sizeof *J);
    J[1] = 1;
    begin(&c, &t.problem, NULL, 1);
    double mass = t.P[t.blocks[second].matrix + 7];
    for (int sign = -1; sign <= 1; sign += 2) { // half of the mass is left, or missing: either sign is a pivot
        c.weight[0] = (-1 + 0.5 * sign) * mass;
        assert_ok(cairn_body_lu_factor(&c.lu, c.weight, NULL));
    }
    double bad[] = {-mass, (double)NAN, (double)INFINITY};
    for (int k = 0; k < 3; k++) {
        c.weight[0] = bad[k];
        CairnStatus status = cairn_body_lu_factor(&c.lu, c.weight, NULL);
        assert_int_equal(status.code, CAIRN_NUMERIC);
        assert_non_null(strstr(status.message, k == 0 ? "dof 7" : "dof"));
    }
    c.weight[0] = 1;
    assert_ok(cairn_body_lu_factor(&c.lu, c.weight, NULL));
    end(&c);
}

static void other_formulations_are_refused(void **state) {
    (void)state;
    TestPile pile;
    CairnArena arena;
    CairnSystem system;
    CairnBodyLu lu;
    uint64_t seed = 2;
    test_pile_heap(&pile, &seed, 3, 1e-6, CAIRN_FRICTION_COULOMB);
    cairn_arena_init(&arena, &allocator);
    CairnSolverContext context = {.allocator = &allocator, .thread_count = 1, .arena = &arena};
    CairnSystemSetup setup = {.formulation = CAIRN_FORMULATION_KKT};
    assert_ok(cairn_system_init(&system, &pile.problem, &setup, &context));
    CairnStatus status = cairn_body_lu_init(&lu, &system);
    assert_int_equal(status.code, CAIRN_UNSUPPORTED);
    assert_non_null(strstr(status.message, "kkt"));
    cairn_arena_free(&arena);
    test_pile_free(&pile);
}

// Nothing more can be allocated, and of the arena's chunk `left` pieces of `total` are free: too few, until they do.
static CairnCode init_with(const CairnProblem *problem, int left, int *total) {
    SupportMemory memory = {0};
    CairnAllocator failing = support_allocator(&memory);
    CairnArena arena;
    CairnSystem system;
    CairnBodyLu lu;
    cairn_arena_init(&arena, &failing);
    CairnSolverContext context = {.allocator = &failing, .thread_count = 1, .arena = &arena};
    assert_ok(
        cairn_system_init(&system, problem, &(CairnSystemSetup){.formulation = CAIRN_FORMULATION_BODY}, &context));
    memory.fail_from = memory.calls + 1;
    CairnArenaMark mark = cairn_arena_mark(&arena);
    for (*total = 0; cairn_arena_push(&arena, CAIRN_ALIGNMENT, 1) != NULL; ++*total) {
    }
    cairn_arena_release(&arena, mark);
    for (int k = left; k < *total; k++) {
        assert_non_null(cairn_arena_push(&arena, CAIRN_ALIGNMENT, 1));
    }
    CairnStatus status = cairn_body_lu_init(&lu, &system);
    cairn_arena_free(&arena);
    assert_memory_clean(&memory);
    return status.code;
}

static void no_memory_is_reported(void **state) {
    (void)state;
    TestPile pile;
    uint64_t seed = 6;
    test_pile_heap(&pile, &seed, 2, 1e-6, CAIRN_FRICTION_COULOMB);
    int total = 0, refused = 0, left = 0;
    for (; init_with(&pile.problem, left, &total) == CAIRN_OUT_OF_MEMORY && left < total; left++) {
        refused++;
    }
    assert_true(refused >= 4 && left < total); // four arrays are wanted, and there is room for them
    test_pile_free(&pile);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heaps_are_solved),
        cmocka_unit_test(blocks_of_every_size_are_solved),
        cmocka_unit_test(rows_of_spin_are_solved),
        cmocka_unit_test(graphs_of_scenes_are_solved),
        cmocka_unit_test(stages_and_last_blocks_are_solved),
        cmocka_unit_test(a_symmetric_weight_gives_the_symmetric_answer),
        cmocka_unit_test(products_in_slots_agree),
        cmocka_unit_test(threads_do_not_change_the_bits),
        cmocka_unit_test(a_pivot_that_vanishes_is_reported),
        cmocka_unit_test(other_formulations_are_refused),
        cmocka_unit_test(no_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
