// Problem files: the same problem to the bit, and no damage that gets through.
#include "engine/base/hash.h"
#include "engine/base/memory.h"
#include "solvers/problem/stored.h"
#include "solvers/sweeps/psor.h"
#include "tests/support/block_piles.h"
#include "tests/support/problems.h"
#include "tests/support/support.h"
#include <cairn/problem_file.h>

#include <cairn/solver.h>
#include <cairn/world.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void assert_same_doubles(const double *a, const double *b, int count) {
    for (int i = 0; i < count; i++) {
        assert_same_bits(a[i], b[i]);
    }
}

static void assert_same_problem(const TestProblem *t, const CairnProblem *b) {
    const CairnProblem *a = &t->problem;
    assert_int_equal(a->form, b->form);
    assert_same_bits(a->step, b->step);
    assert_int_equal(a->row_count, b->row_count);
    assert_int_equal(a->constraint_count, b->constraint_count);
    assert_int_equal(a->friction_count, b->friction_count);
    for (int i = 0; i < a->constraint_count; i++) {
        const CairnConstraintBlock *x = &a->constraints[i], *y = &b->constraints[i];
        assert_int_equal(x->first_row, y->first_row);
        assert_int_equal(x->row_count, y->row_count);
        assert_int_equal(x->first_term, y->first_term);
        assert_int_equal(x->term_count, y->term_count);
        assert_int_equal(x->friction, y->friction);
        assert_true(x->id == y->id);
    }
    for (int i = 0; i < a->friction_count; i++) {
        const CairnFriction *x = &a->frictions[i], *y = &b->frictions[i];
        assert_int_equal(x->kind, y->kind);
        assert_int_equal(x->constraint, y->constraint);
        assert_int_equal(x->normal, y->normal);
        assert_int_equal(x->spin_rows, y->spin_rows);
        assert_same_bits(x->mu, y->mu);
        assert_same_bits(x->torsion, y->torsion);
        assert_same_bits(x->rolling, y->rolling);
        assert_same_bits(x->frozen, y->frozen);
    }
    assert_same_doubles(a->right_side, b->right_side, a->row_count);
    assert_same_doubles(a->lower, b->lower, a->row_count);
    assert_same_doubles(a->upper, b->upper, a->row_count);
    assert_true((a->position_error == NULL) == (b->position_error == NULL));
    if (a->form == CAIRN_FORM_EXPLICIT) {
        assert_int_equal(a->W_is_symmetric, b->W_is_symmetric);
        assert_memory_equal(a->W_start, b->W_start, sizeof(int) * (size_t)(a->row_count + 1));
        assert_memory_equal(a->W_column, b->W_column, sizeof(int) * (size_t)a->W_start[a->row_count]);
        assert_same_doubles(a->W, b->W, a->W_start[a->row_count]);
        return;
    }
    assert_int_equal(a->block_count, b->block_count);
    assert_int_equal(a->dof_count, b->dof_count);
    assert_int_equal(a->coupling_count, b->coupling_count);
    assert_int_equal(a->term_count, b->term_count);
    for (int i = 0; i < a->block_count; i++) {
        const CairnDofBlock *x = &a->blocks[i], *y = &b->blocks[i];
        assert_true(x->first == y->first && x->size == y->size && x->matrix == y->matrix && x->group == y->group);
        assert_true(x->id == y->id);
        assert_same_bits(x->mass, y->mass);
        assert_same_doubles(a->P + x->matrix, b->P + y->matrix, x->size * x->size);
    }
    for (int i = 0; i < a->term_count; i++) {
        assert_true(a->terms[i].block == b->terms[i].block && a->terms[i].jacobian == b->terms[i].jacobian);
    }
    assert_same_doubles(a->p, b->p, a->dof_count);
    assert_same_doubles(a->J, b->J, t->J_size);
    assert_same_doubles(a->compliance, b->compliance, a->row_count);
}

static TestProblem problem, explicit_problem;
static double lambda[PROBLEM_ROWS], answer[PROBLEM_ROWS], velocity[PROBLEM_ROWS];

static void make_problem(uint64_t seed) {
    test_problem_random(&problem, &seed, 20);
    int blocks[1] = {0};
    test_problem_contact(&problem, &seed, CAIRN_FRICTION_CONE, 3, 1, blocks);
    test_problem_contact(&problem, &seed, CAIRN_FRICTION_BOX, 0, 1, blocks);
    problem.problem.W_is_symmetric = false;
    test_problem_make_explicit(&problem, &explicit_problem);
    for (int i = 0; i < PROBLEM_ROWS; i++) {
        lambda[i] = support_uniform(&seed, -1, 1);
        velocity[i] = support_uniform(&seed, -9, 9);
        answer[i] = i % 7 == 0 ? -0.0 : support_uniform(&seed, -1e-300, 1e-300);
    }
}

static unsigned char *write_start(const CairnProblem *p, const double *begun, const double *result, size_t *size) {
    const CairnSolveStart start = {.lambda = lambda, .velocity = begun, .is_rough = begun != NULL};
    *size = cairn_problem_file_size(p, &start, result);
    unsigned char *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_ok(cairn_problem_file_write(p, &start, result, bytes, *size));
    return bytes;
}

static unsigned char *write_file(const CairnProblem *p, const double *result, size_t *size) {
    return write_start(p, NULL, result, size);
}

static void files_give_back_every_bit(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        make_problem(seed);
        const TestProblem *tests[2] = {&problem, &explicit_problem};
        for (int k = 0; k < 2; k++) {
            SupportMemory memory = {0};
            CairnAllocator allocator = support_allocator(&memory);
            CairnStoredProblem stored;
            size_t size;
            bool has_answer = seed % 2 == 0;
            bool has_velocities = seed % 3 != 0, is_form_1 = tests[k]->problem.form == CAIRN_FORM_DYNAMICS;
            unsigned char *bytes =
                write_start(&tests[k]->problem, has_velocities ? velocity : NULL, has_answer ? answer : NULL, &size);
            assert_true(cairn_problem_file_is(bytes, size));
            assert_ok(cairn_problem_file_read(bytes, size, &allocator, &stored));
            assert_same_problem(tests[k], &stored.problem);
            assert_same_doubles(lambda, stored.start.lambda, tests[k]->problem.row_count);
            assert_true((stored.answer != NULL) == has_answer);
            assert_true((stored.start.velocity != NULL) == (has_velocities && is_form_1)); // form 2 has no dofs
            assert_true(stored.start.is_rough == (has_velocities && is_form_1));
            if (stored.start.velocity != NULL) {
                assert_same_doubles(velocity, stored.start.velocity, tests[k]->problem.dof_count);
            }
            if (has_answer) {
                assert_same_doubles(answer, stored.answer, tests[k]->problem.row_count);
            }
            cairn_stored_problem_free(&stored);
            assert_memory_clean(&memory);
            free(bytes);
        }
    }
}

// Blocks of 1 to 64 dofs, with frames, which become Jacobians, and with an off-diagonal P: the same A and b to the bit.
static void blocks_of_any_size_come_back(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        TestPile pile, coupled;
        CairnParts parts;
        int part[40];
        uint64_t draw = seed;
        test_block_pile(&pile, &draw, (TestBlockPile){.blocks = 9, .constraints = 14, .compliance = 1e-3});
        test_pile_couple(&pile, &draw, &coupled, part, &parts);
        const CairnProblem *problems[2] = {&pile.problem, &coupled.problem};
        for (int k = 0; k < 2; k++) {
            const CairnProblem *made = problems[k];
            double *zero = calloc((size_t)made->row_count + 1, sizeof *zero);
            CairnSolveStart start = {.lambda = zero};
            size_t rows = (size_t)made->row_count, size = cairn_problem_file_size(made, &start, NULL);
            unsigned char *bytes = malloc(size);
            double *A = malloc(2 * (rows + 1) * (rows + 1) * sizeof *A), *B = A + (rows + 1) * (rows + 1);
            CairnStoredProblem stored;
            assert_true(bytes != NULL && A != NULL && zero != NULL);
            assert_ok(cairn_problem_file_write(made, &start, NULL, bytes, size));
            assert_ok(cairn_problem_file_read(bytes, size, NULL, &stored));
            assert_ok(cairn_problem_check(&stored.problem));
            assert_int_equal(stored.problem.block_count, made->block_count);
            assert_int_equal(stored.problem.coupling_count, made->coupling_count);
            for (int b = 0; b < made->block_count; b++) {
                assert_int_equal(stored.problem.blocks[b].size, made->blocks[b].size);
                assert_int_equal(stored.problem.blocks[b].group, made->blocks[b].group);
                assert_true(stored.problem.blocks[b].id == made->blocks[b].id);
            }
            test_problem_dense(made, A, A + rows * rows);
            test_problem_dense(&stored.problem, B, B + rows * rows);
            assert_memory_equal(A, B, (rows * rows + rows) * sizeof *A);
            cairn_stored_problem_free(&stored);
            free(bytes);
            free(A);
            free(zero);
        }
        test_pile_free(&pile);
        test_pile_free(&coupled);
    }
}

static void empty_problems_are_problems(void **state) {
    (void)state;
    CairnProblem none = {.step = 1};
    CairnStoredProblem stored;
    size_t size;
    unsigned char *bytes = write_file(&none, NULL, &size);
    assert_ok(cairn_problem_file_read(bytes, size, NULL, &stored));
    assert_int_equal(stored.problem.row_count, 0);
    cairn_stored_problem_free(&stored);
    free(bytes);
}

// Every byte changed, every length cut: refused in words, and no memory kept.
static void damage_is_found(void **state) {
    (void)state;
    make_problem(3);
    size_t size;
    CairnStoredProblem stored;
    unsigned char *bytes = write_file(&problem.problem, answer, &size);
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= (unsigned char)(1u << i % 8);
        CairnStatus status = cairn_problem_file_read(bytes, size, NULL, &stored);
        assert_true(status.code == CAIRN_CORRUPT || (status.code == CAIRN_UNSUPPORTED && i >= 8 && i < 16));
        assert_true(status.message[0] != '\0');
        bytes[i] ^= (unsigned char)(1u << i % 8);
    }
    for (size_t cut = 0; cut < size; cut += cut < 64 ? 1 : 97) {
        assert_refused(cairn_problem_file_read(bytes, cut, NULL, &stored), CAIRN_CORRUPT, "");
    }
    assert_ok(cairn_problem_file_read(bytes, size, NULL, &stored));
    cairn_stored_problem_free(&stored);
    free(bytes);
}

static void put(unsigned char *to, uint64_t value) {
    for (int i = 0; i < 8; i++) {
        to[i] = (unsigned char)(value >> (8 * i));
    }
}

// Under a right checksum: every number of the payload made something else. It is refused, or what comes is a sound
// problem.
static void lies_are_found(void **state) {
    (void)state;
    static const uint64_t lies[] = {
        0, 1, 7, 1000, 0x7fffffff, 0x80000000, UINT64_MAX, 0x7ff0000000000000, 0x7ff8000000000000};
    int accepted = 0, refused = 0;
    for (int k = 0; k < 2; k++) {
        make_problem(5);
        size_t size;
        CairnStoredProblem stored;
        unsigned char *good =
            write_start(k == 0 ? &problem.problem : &explicit_problem.problem, velocity, answer, &size);
        unsigned char *bytes = malloc(size);
        assert_non_null(bytes);
        for (size_t at = 32; at < size; at += 8) {
            for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
                memcpy(bytes, good, size);
                put(bytes + at, lies[i]);
                put(bytes + 24, cairn_hash_bytes(bytes + 32, size - 32));
                SupportMemory memory = {0};
                CairnAllocator allocator = support_allocator(&memory);
                CairnStatus status = cairn_problem_file_read(bytes, size, &allocator, &stored);
                if (cairn_is_ok(status)) {
                    CairnResidual residual;
                    assert_ok(cairn_problem_check(&stored.problem));
                    status = cairn_residual(&stored.problem, stored.start.lambda, NULL, &residual);
                    assert_true(cairn_is_ok(status) || status.message[0]);
                    cairn_stored_problem_free(&stored);
                    accepted++;
                } else {
                    assert_true(status.message[0] != '\0');
                    refused++;
                }
                assert_below((double)memory.peak_bytes,
                             1 << 20); // no count takes memory that the file has no bytes for
                assert_memory_clean(&memory);
            }
        }
        free(bytes);
        free(good);
    }
    assert_true(accepted > 100 && refused > 100);
}

static void wrong_calls_are_refused(void **state) {
    (void)state;
    make_problem(2);
    size_t size = cairn_problem_file_size(&problem.problem, NULL, NULL);
    unsigned char *bytes = malloc(size);
    CairnStoredProblem stored;
    const CairnSolveStart start = {.lambda = lambda};
    assert_non_null(bytes);
    assert_refused(cairn_problem_file_write(&problem.problem, NULL, NULL, bytes, size), CAIRN_INVALID_ARGUMENT,
                   "start is NULL");
    assert_refused(cairn_stored_problem_init(NULL, NULL), CAIRN_INVALID_ARGUMENT, "stored is NULL");
    assert_refused(cairn_problem_file_write(&problem.problem, &start, NULL, bytes, size - 1), CAIRN_INVALID_ARGUMENT,
                   "are needed");
    assert_refused(cairn_problem_file_write(&problem.problem, &(CairnSolveStart){.lambda = NULL}, NULL, bytes, size),
                   CAIRN_INVALID_ARGUMENT, "lambda");
    assert_refused(cairn_problem_file_write(&problem.problem, &start, NULL, NULL, size), CAIRN_INVALID_ARGUMENT,
                   "bytes");
    lambda[1] = (double)NAN;
    assert_refused(cairn_problem_file_write(&problem.problem, &start, NULL, bytes, size), CAIRN_INVALID_ARGUMENT,
                   "lambda[1] = nan");
    lambda[1] = 0;
    velocity[2] = HUGE_VAL;
    assert_refused(cairn_problem_file_write(
                       &problem.problem, &(CairnSolveStart){.lambda = lambda, .velocity = velocity}, NULL, bytes, size),
                   CAIRN_INVALID_ARGUMENT, "velocity[2] = inf");
    problem.upper[0] = (double)NAN;
    assert_refused(cairn_problem_file_write(&problem.problem, &start, NULL, bytes, size), CAIRN_INVALID_ARGUMENT,
                   "upper[0]");
    assert_refused(cairn_problem_file_read(NULL, 8, NULL, &stored), CAIRN_INVALID_ARGUMENT, "bytes");
    assert_refused(cairn_problem_file_read(bytes, size, NULL, NULL), CAIRN_INVALID_ARGUMENT, "stored");
    free(bytes);
}

static void every_failed_allocation_is_met(void **state) {
    (void)state;
    make_problem(4);
    size_t size;
    unsigned char *bytes = write_file(&problem.problem, answer, &size);
    for (int fail = 1; fail <= 3; fail++) {
        SupportMemory memory = {.fail_from = fail};
        CairnAllocator allocator = support_allocator(&memory);
        CairnStoredProblem stored;
        CairnStatus status = cairn_problem_file_read(bytes, size, &allocator, &stored);
        assert_true(status.code == CAIRN_OUT_OF_MEMORY || (cairn_is_ok(status) && memory.refused == 0));
        if (cairn_is_ok(status)) {
            cairn_stored_problem_free(&stored);
        }
        assert_memory_clean(&memory);
    }
    free(bytes);
}

// ---- frames ----

// Two layers of balls, each of which touches its neighbours and the ground or the layer below.
static CairnWorld *heap(void) {
    CairnWorldDef def = cairn_world_def();
    def.friction = CAIRN_FRICTION_COULOMB;
    CairnWorld *world;
    assert_ok(cairn_world_create(&def, &world));
    assert_ok(cairn_world_set_solver(world, &cairn_solver_psor, NULL));
    CairnBodyDef ground = cairn_body_def();
    ground.type = CAIRN_BODY_STATIC;
    CairnShapeDef plane = cairn_half_space(), ball = cairn_sphere(0.5);
    assert_ok(cairn_body_add(world, &ground, &plane, NULL));
    for (int i = 0; i < 18; i++) {
        CairnBodyDef body = cairn_body_def();
        body.position = cairn_vec3(0.99 * (i % 3), 0.99 * (i / 3 % 3), 0.49 + 0.98 * (i / 9));
        body.velocity = cairn_vec3(0.1 * i, -0.2, 0.01 * i);
        assert_ok(cairn_body_add(world, &body, &ball, NULL));
    }
    assert_ok(cairn_world_step(world, 0.01, NULL));
    return world;
}

static void assert_same_rows(const CairnProblem *a, const CairnProblem *b) {
    assert_int_equal(a->term_count, b->term_count);
    for (int c = 0; c < a->constraint_count; c++) {
        const CairnConstraintBlock *block = &a->constraints[c];
        for (int t = block->first_term; t < block->first_term + block->term_count; t++) {
            for (int r = 0; r < block->row_count; r++) {
                double room[2][6];
                assert_same_doubles(cairn_term_row(a, &a->terms[t], r, room[0]),
                                    cairn_term_row(b, &b->terms[t], r, room[1]), 6);
            }
        }
    }
}

// By its meaning: t2 is n x t1, and turns a body with its arm.
static void assert_second_tangent(const CairnProblem *p, int term) {
    int place = ~p->terms[term].jacobian;
    const CairnContactFrame *f = cairn_problem_frame(p, place / 2);
    double room[6], sign = place % 2 == 1 ? 1 : -1;
    const double *row = cairn_term_row(p, &p->terms[term], 2, room);
    CairnVec3 t2 = cairn_cross(f->normal, f->tangent), turn = cairn_cross(f->arm[place % 2], t2);
    const double expected[6] = {t2.x, t2.y, t2.z, turn.x, turn.y, turn.z};
    for (int k = 0; k < 6; k++) {
        assert_near(row[k], sign * expected[k], 1e-15);
    }
}

// A step's contacts have frames in place of Jacobians; a file has the Jacobians. Both are one problem, to the referee
// too.
static void frames_become_jacobians(void **state) {
    (void)state;
    CairnAllocator allocator = cairn_memory_default();
    CairnWorld *world = heap();
    CairnProblem made;
    const double *lambda_now;
    assert_ok(cairn_world_problem(world, &made, &lambda_now));
    const CairnSolveStart start = {.lambda = lambda_now};
    assert_non_null(made.frames);
    for (int t = 0; t < made.term_count; t++) {
        assert_second_tangent(&made, t);
    }
    size_t size = cairn_problem_file_size(&made, &start, NULL);
    unsigned char *bytes = malloc(size);
    assert_non_null(bytes);
    assert_ok(cairn_problem_file_write(&made, &start, NULL, bytes, size));
    CairnStoredProblem stored;
    assert_ok(cairn_problem_file_read(bytes, size, &allocator, &stored));
    assert_null(stored.problem.frames);
    assert_same_rows(&made, &stored.problem);
    CairnResidual a, b;
    assert_ok(cairn_residual(&made, lambda_now, NULL, &a));
    assert_ok(cairn_residual(&stored.problem, lambda_now, NULL, &b));
    assert_same_bits(a.scaled, b.scaled);
    assert_same_bits(a.cone, b.cone);
    cairn_stored_problem_free(&stored);
    free(bytes);
    cairn_world_destroy(world);
}

static void bad_frames_are_refused_by_name(void **state) {
    (void)state;
    CairnWorld *world = heap();
    CairnProblem made;
    const double *start;
    assert_ok(cairn_world_problem(world, &made, &start));
    CairnContactFrame frames[2] = {{.normal = {0, 0, 1}, .tangent = {1, 0, 0}}, {.normal = {0, 0, 1}}};
    CairnTerm terms[1000];
    CairnConstraintBlock *constraints = malloc((size_t)made.constraint_count * sizeof *constraints);
    assert_non_null(constraints);
    assert_true(made.term_count <= 1000);
    for (int t = 0; t < made.term_count; t++) {
        terms[t] = (CairnTerm){made.terms[t].block, ~(2 * (t % 2))};
    }
    memcpy(constraints, made.constraints, (size_t)made.constraint_count * sizeof *constraints);
    made.terms = terms;
    made.constraints = constraints;
    made.frames = frames;
    made.frame_stride = sizeof *frames;
    assert_ok(cairn_problem_check(&made));
    frames[1].arm[0].y = (double)NAN;
    assert_refused(cairn_problem_check(&made), CAIRN_INVALID_ARGUMENT, "frames[1] is not finite");
    frames[1].arm[0].y = 0;
    constraints[1].first_term += 1;
    assert_refused(cairn_problem_check(&made), CAIRN_INVALID_ARGUMENT, "with frames terms stand in order");
    constraints[1].first_term -= 1;
    static const double none[1];
    made.frames = NULL;
    made.J = none;
    assert_refused(cairn_problem_check(&made), CAIRN_INVALID_ARGUMENT, "terms[0].jacobian = -1 is negative");
    free(constraints);
    cairn_world_destroy(world);
}

int main(int argc, char **argv) {
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_give_back_every_bit),
        cmocka_unit_test(empty_problems_are_problems),
        cmocka_unit_test(blocks_of_any_size_come_back),
        cmocka_unit_test(damage_is_found),
        cmocka_unit_test(lies_are_found),
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(every_failed_allocation_is_met),
        cmocka_unit_test(frames_become_jacobians),
        cmocka_unit_test(bad_frames_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
