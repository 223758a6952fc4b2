// The packed form of cone sweeps: every contact in one lane, zero_body twice in a group, strips that threads may
// share, and few bytes.
#include "engine/base/arena.h"
#include "engine/base/memory.h"
#include "solvers/referee/residual.h"
#include "solvers/sweeps/psor.h"
#include "solvers/sweeps/sor.h"
#include "tests/support/problems.h"
#include "tests/support/support_motion.h"

#include <stdlib.h>
#include <string.h>

// A heap of bodies that touch, in a random order; balls, or boxes in their place.
static CairnWorld *heap(int side, bool is_ball) {
    CairnWorldDef def = cairn_world_def();
    def.friction = CAIRN_FRICTION_CONE;
    def.normal_compliance = 1e-8; // the same for balls and ground
    def.friction_compliance = 1e-10;
    CairnWorld *world = motion_world(&def);
    assert_ok(cairn_world_set_solver(world, &cairn_solver_psor, NULL));
    motion_ground(world, 0, is_ball ? 0.4 : 0.5, 0); // so that boxes, and balls not, differ in their law
    int count = side * side * side, *order = malloc((size_t)count * sizeof *order);
    assert_non_null(order);
    uint64_t seed = 5;
    for (int i = 0; i < count; i++) {
        int j = support_int(&seed, 0, i);
        order[i] = order[j];
        order[j] = i;
    }
    for (int i = 0; i < count; i++) {
        int x = order[i] % side, y = order[i] / side % side, z = order[i] / side / side;
        CairnBodyDef body = cairn_body_def();
        body.position = cairn_vec3(0.1998 * x, 0.1998 * y, 0.0999 + 0.1998 * z);
        CairnShapeDef shape = is_ball ? cairn_sphere(0.1) : cairn_box(0.2, 0.2, 0.2);
        shape.friction = 0.4;
        assert_ok(cairn_body_add(world, &body, &shape, NULL));
    }
    free(order);
    CairnStats stats;
    assert_ok(cairn_world_step(world, 0.005, &stats));
    return world;
}

typedef struct Packed {
    CairnWorld *world;
    CairnProblem problem;
    CairnAllocator allocator;
    CairnArena arena;
    double *lambda;
    SorSystem system;
} Packed;

static void pack(Packed *p, int side, bool is_ball) {
    const double *lambda;
    p->world = heap(side, is_ball);
    assert_ok(cairn_world_problem(p->world, &p->problem, &lambda));
    p->allocator = cairn_memory_default();
    cairn_arena_init(&p->arena, &p->allocator);
    p->lambda = calloc((size_t)p->problem.row_count, sizeof(double));
    assert_non_null(p->lambda);
    memcpy(p->lambda, lambda, (size_t)p->problem.row_count * sizeof(double));
    SorSettings settings = {.name = "psor", .omega = 1, .lambda = 1, .is_guarded = true, .limit = 1.9, .threads = 2};
    assert_ok(cairn_sor_pack(&p->system, &p->problem, &settings, p->lambda, &p->arena));
    cairn_sor_load(&p->system);
}

static void unpack(Packed *p) {
    cairn_arena_free(&p->arena);
    cairn_world_destroy(p->world);
    free(p->lambda);
}

static void check_groups(const SorSystem *system, int count, bool is_round, int *contacts) {
    for (int g = 0; g < count; g++) {
        const int *bodies = cairn_sor_bodies(cairn_sor_group(system, g, is_round), is_round);
        for (int i = 0; i < 2 * SOR_LANES; i++) {
            assert_in_range(bodies[i], 0, system->zero_body);
            for (int j = 0; j < i && bodies[i] != system->zero_body; j++) {
                assert_true(bodies[i] != bodies[j]);
            }
        }
        for (int i = 0; i < SOR_LANES; i++) {
            *contacts += bodies[i] != system->zero_body || bodies[SOR_LANES + i] != system->zero_body;
        }
    }
}

static void nobody_is_twice_in_a_group(void **state) {
    (void)state;
    for (int is_ball = 0; is_ball < 2; is_ball++) {
        Packed p;
        pack(&p, is_ball ? 20 : 10, is_ball);
        int contacts = 0;
        check_groups(&p.system, p.system.round_count, true, &contacts);
        check_groups(&p.system, p.system.general_count, false, &contacts);
        assert_true(p.problem.constraint_count > 2000);
        assert_int_equal(contacts + p.system.item_count, p.problem.constraint_count);
        assert_int_equal(p.system.item_count, 0);
        assert_true(is_ball ? p.system.general_count == 0 : p.system.round_count == 0);
        unpack(&p);
    }
}

// Strips two apart share no block, so that one thread may have each.
static void strips_two_apart_share_nothing(void **state) {
    (void)state;
    Packed p;
    pack(&p, 22, true);
    int *owner = malloc((size_t)p.problem.block_count * sizeof *owner), seen = 0;
    assert_non_null(owner);
    assert_true(p.system.strip_count >= 8);
    for (int s = 0; s < p.system.strip_count; s++) {
        assert_int_equal(p.system.strips[s].first, seen);
        seen += p.system.strips[s].count;
    }
    assert_int_equal(seen, p.problem.constraint_count);
    for (int odd = 0; odd < 2; odd++) {
        memset(owner, -1, (size_t)p.problem.block_count * sizeof *owner);
        for (int s = odd; s < p.system.strip_count; s += 2) {
            const SorStrip *strip = &p.system.strips[s];
            for (int i = strip->first; i < strip->first + strip->count; i++) {
                const CairnConstraintBlock *c = &p.problem.constraints[p.system.sequence[i]];
                for (int t = 0; t < c->term_count; t++) {
                    int block = p.problem.terms[c->first_term + t].block;
                    assert_true(owner[block] < 0 || owner[block] == s);
                    owner[block] = s;
                }
            }
        }
    }
    free(owner);
    unpack(&p);
}

// The bytes of a visit as they are laid out, empty lanes counted in: 256 between balls, 368 between others, 24 more
// where contacts differ in friction or compliance; 400 asked for.
static void a_contact_touches_few_bytes(void **state) {
    (void)state;
    for (int is_ball = 0; is_ball < 2; is_ball++) {
        Packed p;
        pack(&p, is_ball ? 20 : 10, is_ball);
        double rows = p.system.round_count * (SOR_ROUND_ROWS + SOR_LAW_ROWS) +
                      p.system.general_count * (SOR_GENERAL_ROWS + SOR_LAW_ROWS);
        double streamed = 8.0 * SOR_LANES * rows;
        assert_true((p.system.common != NULL) == is_ball);
        double bodies = 2 * 8.0 * (is_ball ? SOR_BODY : SOR_BODY + SOR_INERTIA);
        assert_below(streamed / p.problem.constraint_count + bodies, 400);
        unpack(&p);
    }
}

// Threads do not change a bit of sweeps with momentum, and none of them waits in vain.
static void momentum_has_the_same_bits(void **state) {
    (void)state;
    Packed p;
    pack(&p, 22, true);
    size_t bytes = (size_t)p.problem.row_count * sizeof(double);
    double *start = malloc(bytes), *first = malloc(bytes);
    assert_true(start && first);
    memcpy(start, p.lambda, bytes);
    for (int threads = 1; threads <= 4; threads++) {
        SorSettings settings = {.name = "psor", .omega = 1, .lambda = 1, .is_guarded = true, .limit = 1};
        settings.threads = threads;
        memcpy(p.lambda, start, bytes);
        assert_ok(cairn_sor_pack(&p.system, &p.problem, &settings, p.lambda, &p.arena));
        cairn_sor_load(&p.system);
        assert_ok(cairn_sor_momentum_init(&p.system, &p.arena));
        cairn_sor_gather(&p.system);
        for (int sweep = 0; sweep < 9; sweep++) {
            cairn_sor_sweep(&p.system, true);
        }
        cairn_sor_read(&p.system, p.lambda);
        if (threads == 1) {
            memcpy(first, p.lambda, bytes);
        }
        assert_memory_equal(p.lambda, first, bytes);
    }
    assert_true(memcmp(first, start, bytes) != 0);
    free(start);
    free(first);
    unpack(&p);
}

// The referee's threads do not change a bit of its verdict either.
static void the_referee_has_the_same_bits(void **state) {
    (void)state;
    Packed p;
    pack(&p, 12, false);
    CairnResidual one, many;
    assert_ok(cairn_residual_by(&p.problem, p.lambda, 1, &p.arena, &one));
    for (int threads = 2; threads <= 5; threads++) {
        assert_ok(cairn_residual_by(&p.problem, p.lambda, threads, &p.arena, &many));
        assert_same_bits(one.natural, many.natural);
        assert_same_bits(one.scaled, many.scaled);
        assert_same_bits(one.convex, many.convex);
        assert_same_bits(one.fb, many.fb);
        assert_int_equal(one.worst_row, many.worst_row);
    }
    assert_true(one.scaled > 0);
    unpack(&p);
}

// Joints over so many bodies and the ground: rows of 1 to 6, some that only turn, some with bounds that are near.
static void make_joints(TestProblem *t, uint64_t *seed, int bodies, int joints) {
    test_problem_begin(t);
    for (int b = 0; b < bodies; b++) {
        test_problem_body(t, seed, support_uniform(seed, 1, 3));
    }
    for (int c = 0; c < joints; c++) {
        int both[2] = {support_int(seed, 0, bodies - 1), support_int(seed, 0, bodies - 1)};
        if (bodies > 8) { // mostly of one body each, and these others: all eight lanes are taken
            both[0] = c % bodies;
            both[1] = c % 8 ? both[0] : both[1];
        }
        int rows = support_int(seed, 1, 6), at = t->J_size;
        test_problem_constraint(t, seed, rows, both[0] == both[1] ? 1 : 2, both);
        for (int i = 0; i < 6 * rows; i++) {
            double *J = t->J + at + i;
            if (i % 6 < 3) {
                *J = i / 6 > 2 ? 0 : *J;
                J[6 * rows] = both[0] == both[1] ? 0 : -*J; // what comes after it is not made yet
            }
        }
    }
    for (int r = 0; r < t->problem.row_count; r++) {
        t->compliance[r] = support_uniform(seed, 0.1, 1);
        t->right_side[r] = support_uniform(seed, -2, 2);
        bool is_bounded = support_int(seed, 0, 5) == 0;
        t->lower[r] = is_bounded ? -0.5 : t->lower[r];
        t->upper[r] = is_bounded ? 0.5 : t->upper[r];
    }
    for (int d = 0; d < t->problem.dof_count; d++) {
        t->p[d] = support_uniform(seed, -1, 1);
    }
}

// The same with a seventh dof of each block, which nothing moves and no lane takes.
static void widen(const TestProblem *from, TestProblem *to) {
    test_problem_begin(to);
    for (int b = 0; b < from->problem.block_count; b++) {
        double P[49] = {[48] = 1};
        for (int i = 0; i < 36; i++) {
            P[i / 6 * 7 + i % 6] = from->P[from->blocks[b].matrix + i];
        }
        memcpy(to->p + test_problem_block(to, 7, P) * 7L, from->p + 6L * b, 6 * sizeof(double));
    }
    uint64_t unused = 1;
    for (int c = 0; c < from->problem.constraint_count; c++) {
        const CairnConstraintBlock *constraint = &from->constraints[c];
        int block[2], at = to->J_size;
        for (int k = 0; k < constraint->term_count; k++) {
            block[k] = from->terms[constraint->first_term + k].block;
        }
        test_problem_constraint(to, &unused, constraint->row_count, constraint->term_count, block);
        const double *J = from->J + from->terms[constraint->first_term].jacobian;
        for (int i = 0; i < 7 * constraint->term_count * constraint->row_count; i++) {
            to->J[at + i] = i % 7 < 6 ? J[i / 7 * 6 + i % 7] : 0;
        }
    }
    size_t bytes = (size_t)from->problem.row_count * sizeof(double);
    memcpy(to->compliance, from->compliance, bytes);
    memcpy(to->right_side, from->right_side, bytes);
    memcpy(to->lower, from->lower, bytes);
    memcpy(to->upper, from->upper, bytes);
}

// Sweeps over joints in lanes are sweeps over their rows.
static void joints_are_their_rows(void **state) {
    (void)state;
    uint64_t seed = 17;
    int met = 0; // bounds
    for (int draw = 0; draw < 60; draw++) {
        TestProblem problems[2];
        bool is_wide = draw % 3 == 2;
        make_joints(&problems[0], &seed, is_wide ? 9 : 4, is_wide ? 10 : 6);
        widen(&problems[0], &problems[1]);
        CairnAllocator allocator = cairn_memory_default();
        CairnArena arena;
        cairn_arena_init(&arena, &allocator);
        double lambda[2][PROBLEM_ROWS] = {{0}}, most[2];
        SorSettings settings = {.name = "psor", .omega = 1.2, .threads = 1, .is_jacobi = draw % 4 == 3};
        settings.lambda = draw % 2 ? 0.9 : 1;
        for (int k = 0; k < 2; k++) {
            SorSystem system;
            assert_ok(cairn_sor_pack(&system, &problems[k].problem, &settings, lambda[k], &arena));
            cairn_sor_load(&system);
            cairn_sor_gather(&system);
            assert_int_equal(system.item_count, k == 0 ? 0 : problems[k].problem.constraint_count);
            assert_true(k == 1 || !is_wide || system.joint_count <= 4);
            for (int sweep = 0; sweep < 4; sweep++) {
                most[k] = cairn_sor_sweep(&system, sweep % 2 == 0);
            }
            cairn_sor_read(&system, system.lambda);
        }
        const TestProblem *t = &problems[0];
        for (int r = 0; r < t->problem.row_count; r++) {
            assert_near(lambda[0][r], lambda[1][r], 1e-13 * (1 + fabs(lambda[1][r])));
            assert_true(lambda[0][r] >= t->lower[r] && lambda[0][r] <= t->upper[r]);
            met += t->upper[r] < 1 && fabs(lambda[1][r]) > 0.45;
        }
        assert_near(most[0], most[1], 1e-12 * (1 + most[1]));
        cairn_arena_free(&arena);
    }
    assert_true(met > 50);
}

// Spokes of one hub: each group has one of them, so that most are visited row by row; few lie in lanes all the same.
static void spokes_share_no_group(void **state) {
    (void)state;
    for (int spokes = 8; spokes <= 120; spokes += 112) {
        CairnWorldDef def = cairn_world_def();
        CairnWorld *world = motion_world(&def);
        assert_ok(cairn_world_set_solver(world, &cairn_solver_psor, NULL));
        CairnBodyDef body = cairn_body_def();
        CairnShapeDef ball = cairn_sphere(0.005);
        CairnJointDef joint = cairn_joint_def(CAIRN_JOINT_REVOLUTE);
        ball.density = 1e6;
        assert_ok(cairn_body_add(world, &body, &ball, &joint.body_a));
        ball.density = 1000;
        for (int i = 0; i < spokes; i++) {
            double angle = 2 * CAIRN_PI * i / spokes;
            body.position = cairn_vec3(0.5 * cos(angle), 0.5 * sin(angle), 0);
            body.velocity = cairn_vec3(0, 0, i % 3);
            assert_ok(cairn_body_add(world, &body, &ball, &joint.body_b));
            assert_ok(cairn_joint_place(world, &joint, body.position, cairn_vec3(0, 0, 1), cairn_vec3(1, 0, 0)));
            assert_ok(cairn_joint_create(world, &joint, NULL));
        }
        CairnStats stats;
        const double *lambda;
        Packed p = {.world = world, .allocator = cairn_memory_default()};
        assert_ok(cairn_world_step(world, 0.005, &stats));
        assert_ok(cairn_world_problem(world, &p.problem, &lambda));
        SorSettings settings = {.name = "psor", .omega = 1, .lambda = 1, .threads = 1};
        cairn_arena_init(&p.arena, &p.allocator);
        p.lambda = calloc((size_t)p.problem.row_count, sizeof(double));
        assert_non_null(p.lambda);
        size_t much = 1 << 20; // of scratch, where anything may lie, and no place of a body
        assert_true(cairn_arena_reserve(&p.arena, much));
        CairnArenaMark mark = cairn_arena_mark(&p.arena);
        assert_non_null(memset(CAIRN_PUSH(&p.arena, char, much), 0x7f, much));
        cairn_arena_release(&p.arena, mark);
        assert_ok(cairn_sor_pack(&p.system, &p.problem, &settings, p.lambda, &p.arena));
        assert_true(p.problem.constraint_count >= spokes); // neighbours may touch
        assert_true(spokes > 64 ? p.system.item_count > spokes - 8 : p.system.item_count == 0);
        assert_true(p.system.joint_count >= spokes);
        cairn_sor_gather(&p.system);
        double first = cairn_sor_sweep(&p.system, true), last = first;
        for (int sweep = 0; sweep < 200; sweep++) {
            last = cairn_sor_sweep(&p.system, true);
        }
        assert_true(last < 0.1 * first);
        unpack(&p);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_is_twice_in_a_group),    cmocka_unit_test(strips_two_apart_share_nothing),
        cmocka_unit_test(a_contact_touches_few_bytes),   cmocka_unit_test(momentum_has_the_same_bits),
        cmocka_unit_test(the_referee_has_the_same_bits), cmocka_unit_test(joints_are_their_rows),
        cmocka_unit_test(spokes_share_no_group),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
