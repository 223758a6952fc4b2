// Sleep: what rests falls asleep as an island, costs nothing, and wakes when it should, as it was.
#include "tests/support/support.h"
#include <cairn/cairn.h>
#include <stdlib.h>

enum { BOXES = 5 };

typedef struct Pile {
    CairnWorld *world;
    CairnBodyId ground, boxes[BOXES];
} Pile;

static void add_box(CairnWorld *world, double x, double z, CairnBodyId *id) {
    CairnBodyDef body = cairn_body_def();
    body.position = cairn_vec3(x, 0, z);
    CairnShapeDef shape = cairn_box(1, 1, 1);
    assert_ok(cairn_body_add(world, &body, &shape, id));
}

// A stack of three boxes and, far away, one of two.
static Pile make_pile(bool sleeping) {
    Pile pile;
    CairnWorldDef def = cairn_world_def();
    def.sleeping = sleeping;
    assert_ok(cairn_world_create(&def, &pile.world));
    CairnBodyDef ground = cairn_body_def();
    ground.type = CAIRN_BODY_STATIC;
    CairnShapeDef floor = cairn_half_space();
    assert_ok(cairn_body_add(pile.world, &ground, &floor, &pile.ground));
    for (int i = 0; i < BOXES; i++) {
        add_box(pile.world, i < 3 ? 0 : 10, (i < 3 ? i : i - 3) + 0.5, &pile.boxes[i]);
    }
    return pile;
}

static CairnStats run(CairnWorld *world, int steps) {
    CairnStats stats = {0};
    for (int i = 0; i < steps; i++) {
        assert_ok(cairn_world_step(world, 1.0 / 60, &stats));
    }
    return stats;
}

static bool sleeps(const CairnWorld *world, CairnBodyId id) {
    CairnBodyState state;
    assert_ok(cairn_body_get(world, id, &state));
    return state.is_asleep;
}

static void assert_sleeping(const Pile *pile, bool first_stack, bool second_stack) {
    for (int i = 0; i < BOXES; i++) {
        assert_int_equal(sleeps(pile->world, pile->boxes[i]), i < 3 ? first_stack : second_stack);
    }
}

static void nothing_sleeps_by_default(void **state) {
    (void)state;
    Pile pile = make_pile(false);
    CairnStats stats = run(pile.world, 120);
    assert_int_equal(stats.sleeping_bodies, 0);
    assert_sleeping(&pile, false, false);
    cairn_world_destroy(pile.world);
}

static void islands_fall_asleep_and_cost_nothing(void **state) {
    (void)state;
    Pile pile = make_pile(true);
    CairnStats stats = run(pile.world, 20);
    assert_int_equal(stats.islands, 2);
    assert_int_equal(stats.sleeping_bodies, 0); // 1/3 s is not half a second
    stats = run(pile.world, 20);
    assert_int_equal(stats.sleeping_bodies, BOXES);
    uint64_t hash = cairn_world_state_hash(pile.world);
    stats = run(pile.world, 100);
    assert_int_equal(stats.rows, 0);
    assert_int_equal(stats.contacts, 0);
    assert_int_equal(stats.pairs, 0);
    assert_int_equal(stats.dofs, 0);
    assert_int_equal(cairn_world_state_hash(pile.world), hash);
    assert_near(stats.potential_energy, 1000 * 9.81 * (0.5 + 1.5 + 2.5 + 0.5 + 1.5),
                1); // 1 J: the stacks sink by microns
    cairn_world_destroy(pile.world);
}

// The events of a sleeping stack: told once, no end of contact while it sleeps.
static void falling_asleep_is_told_once(void **state) {
    (void)state;
    Pile pile = make_pile(true);
    int told = 0, ends = 0;
    for (int i = 0; i < 120; i++) {
        run(pile.world, 1);
        CairnEvents events = cairn_world_events(pile.world);
        for (int k = 0; k < events.moved_count; k++) {
            told += events.moved[k].fell_asleep ? 1 : 0;
        }
        ends += events.end_count;
    }
    assert_int_equal(told, BOXES);
    assert_int_equal(ends, 0);
    cairn_world_destroy(pile.world);
}

static void a_hit_wakes_the_island_and_no_other(void **state) {
    (void)state;
    Pile pile = make_pile(true);
    run(pile.world, 60);
    CairnBodyDef ball = cairn_body_def();
    ball.position = cairn_vec3(-3, 0, 0.5);
    ball.velocity = cairn_vec3(6, 0, 0);
    ball.gravity_scale = 0;
    CairnShapeDef sphere = cairn_sphere(0.3);
    sphere.density = 8000;
    CairnBodyId id;
    assert_ok(cairn_body_add(pile.world, &ball, &sphere, &id));
    run(pile.world, 20); // 2 m: not there yet
    assert_sleeping(&pile, true, true);
    run(pile.world, 5); // its surface starts 2.2 m away: there
    assert_sleeping(&pile, false, true);
    CairnBodyState hit;
    assert_ok(cairn_body_get(pile.world, pile.boxes[0], &hit));
    assert_true(hit.velocity.x > 0.3); // it was struck as a body, not as a wall
    cairn_world_destroy(pile.world);
}

static void set_sweeps(CairnWorld *world, const char *count) {
    const CairnSolver *pgs;
    assert_ok(cairn_solver_find("pgs", &pgs));
    char options[256];
    assert_true(pgs->options->size <= sizeof options);
    cairn_fields_preset(pgs->options, options);
    assert_ok(cairn_fields_set(pgs->options, options, "iterations", count));
    assert_ok(cairn_world_set_solver(world, pgs, options));
}

// A stack that sleeps and is woken goes on as if it had never slept: impulses and all.
static void it_wakes_with_its_impulses(void **state) {
    (void)state;
    Pile pile = make_pile(true);
    run(pile.world, 60);
    assert_sleeping(&pile, true, true);
    assert_ok(cairn_body_wake(pile.world, pile.boxes[1]));
    assert_sleeping(&pile, false, true);
    set_sweeps(pile.world, "1"); // one sweep: only the impulses that it fell asleep with can hold the stack
    CairnStats stats = run(pile.world, 1);
    assert_true(stats.kinetic_energy < 1e-6); // from nothing one sweep leaves 31 J
    set_sweeps(pile.world, "1000");
    stats = run(pile.world, 60);
    assert_int_equal(stats.sleeping_bodies, BOXES); // and sleeps again
    cairn_world_destroy(pile.world);
}

static void taking_the_support_away_wakes(void **state) {
    (void)state;
    Pile pile = make_pile(true);
    run(pile.world, 60);
    assert_ok(cairn_body_destroy(pile.world, pile.boxes[0]));
    run(pile.world, 30);
    CairnBodyState above;
    assert_ok(cairn_body_get(pile.world, pile.boxes[1], &above));
    assert_true(above.position.z < 1.0); // it fell by most of a metre
    assert_true(sleeps(pile.world, pile.boxes[4]));
    cairn_world_destroy(pile.world);
}

static void taking_the_ground_away_wakes_all(void **state) {
    (void)state;
    Pile pile = make_pile(true);
    run(pile.world, 60);
    assert_ok(cairn_body_destroy(pile.world, pile.ground));
    assert_sleeping(&pile, false, false);
    cairn_world_destroy(pile.world);
}

typedef void (*Change)(Pile *pile);

static void push(Pile *p) {
    assert_ok(cairn_body_apply_force(p->world, p->boxes[0], cairn_vec3(1, 0, 0)));
}
static void strike(Pile *p) {
    assert_ok(cairn_body_apply_impulse_at(p->world, p->boxes[0], cairn_vec3(1, 0, 0), cairn_vec3(0, 0, 0.5)));
}
static void set_off(Pile *p) {
    assert_ok(cairn_body_set_velocity(p->world, p->boxes[0], cairn_vec3(1, 0, 0), cairn_vec3(0, 0, 0)));
}
static void move(Pile *p) {
    assert_ok(cairn_body_set_pose(p->world, p->boxes[0], cairn_vec3(0, 0, 0.5), cairn_quat_identity()));
}
static void lighten(Pile *p) {
    assert_ok(cairn_body_set_gravity_scale(p->world, p->boxes[0], 0.5));
}
static void join(Pile *p) {
    CairnJointDef joint = cairn_joint_def(CAIRN_JOINT_BALL);
    joint.body_b = p->boxes[0];
    assert_ok(cairn_joint_place(p->world, &joint, cairn_vec3(0, 0, 0.5), cairn_vec3(1, 0, 0), cairn_vec3(0, 1, 0)));
    assert_ok(cairn_joint_create(p->world, &joint, NULL));
}
static void grow(Pile *p) {
    CairnShapeDef shape = cairn_sphere(0.2);
    assert_ok(cairn_shape_create(p->world, p->boxes[0], &shape, NULL));
}

static void changes_by_hand_wake(void **state) {
    (void)state;
    const Change changes[] = {push, strike, set_off, move, lighten, join, grow};
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        Pile pile = make_pile(true);
        run(pile.world, 60);
        assert_sleeping(&pile, true, true);
        changes[i](&pile);
        assert_sleeping(&pile, false, true);
        cairn_world_destroy(pile.world);
    }
}

static void refused_changes_do_not_wake(void **state) {
    (void)state;
    Pile pile = make_pile(true);
    run(pile.world, 60);
    assert_int_equal(cairn_body_apply_force(pile.world, pile.boxes[0], cairn_vec3((double)NAN, 0, 0)).code,
                     CAIRN_INVALID_ARGUMENT);
    assert_sleeping(&pile, true, true);
    cairn_world_destroy(pile.world);
}

static void settings_wake_all(void **state) {
    (void)state;
    Pile pile = make_pile(true);
    run(pile.world, 60);
    assert_ok(cairn_world_set(pile.world, "gravity", "0,0,-1.6"));
    assert_sleeping(&pile, false, false);
    cairn_world_destroy(pile.world);
}

// A kinematic plate rises under a sleeping box; a moving floor keeps awake what stands on it.
static void kinematic_bodies_wake_and_keep_awake(void **state) {
    (void)state;
    CairnWorldDef def = cairn_world_def();
    def.sleeping = true;
    CairnWorld *world;
    assert_ok(cairn_world_create(&def, &world));
    CairnBodyDef plate = cairn_body_def();
    plate.type = CAIRN_BODY_KINEMATIC;
    plate.position = cairn_vec3(0, 0, -0.1);
    CairnShapeDef flat = cairn_box(4, 4, 0.2);
    CairnBodyId plate_id, box_id;
    assert_ok(cairn_body_add(world, &plate, &flat, &plate_id));
    add_box(world, 0, 0.5, &box_id);
    run(world, 60);
    assert_true(sleeps(world, box_id));
    assert_ok(cairn_body_set_velocity(world, plate_id, cairn_vec3(0, 0, 0.005), cairn_vec3(0, 0, 0)));
    run(world, 120); // slower than sleep_speed, yet the box must ride along
    CairnBodyState box;
    assert_ok(cairn_body_get(world, box_id, &box));
    assert_near(box.position.z, 0.5 + 2 * 0.005, 1e-4);
    assert_false(box.is_asleep);
    cairn_world_destroy(world);
}

static void joined_bodies_sleep_as_one(void **state) {
    (void)state;
    CairnWorldDef def = cairn_world_def();
    def.sleeping = true;
    CairnWorld *world;
    assert_ok(cairn_world_create(&def, &world));
    CairnBodyId upper, lower;
    add_box(world, 0, 0, &upper);
    add_box(world, 0, -2, &lower);
    CairnJointDef hook = cairn_joint_def(CAIRN_JOINT_BALL);
    hook.body_b = upper;
    assert_ok(cairn_joint_place(world, &hook, cairn_vec3(0, 0, 1), cairn_vec3(1, 0, 0), cairn_vec3(0, 1, 0)));
    assert_ok(cairn_joint_create(world, &hook, NULL));
    CairnJointDef link = cairn_joint_def(CAIRN_JOINT_BALL);
    link.body_a = upper;
    link.body_b = lower;
    assert_ok(cairn_joint_place(world, &link, cairn_vec3(0, 0, -1), cairn_vec3(1, 0, 0), cairn_vec3(0, 1, 0)));
    CairnJointId joint;
    assert_ok(cairn_joint_create(world, &link, &joint));
    CairnStats stats = run(world, 60);
    assert_int_equal(stats.sleeping_bodies, 2);
    CairnJointState held;
    assert_ok(cairn_joint_get(world, joint, &held));
    assert_near(held.force.z, 1000 * 9.81, 1e-3); // the joint still says what it carries
    assert_ok(cairn_joint_destroy(world, joint));
    assert_false(sleeps(world, upper));
    run(world, 30);
    CairnBodyState state_of;
    assert_ok(cairn_body_get(world, lower, &state_of));
    assert_true(state_of.position.z < -3);
    cairn_world_destroy(world);
}

static void a_snapshot_keeps_sleep(void **state) {
    (void)state;
    Pile pile = make_pile(true);
    run(pile.world, 60);
    size_t size = cairn_world_snapshot_size(pile.world), written;
    void *bytes = malloc(size);
    assert_ok(cairn_world_snapshot(pile.world, bytes, size, &written));
    strike(&pile);
    run(pile.world, 30);
    uint64_t hash = cairn_world_state_hash(pile.world);
    assert_ok(cairn_world_restore(pile.world, bytes, written));
    assert_sleeping(&pile, true, true);
    strike(&pile);
    run(pile.world, 30);
    assert_int_equal(cairn_world_state_hash(pile.world), hash);
    free(bytes);
    cairn_world_destroy(pile.world);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_sleeps_by_default),
        cmocka_unit_test(islands_fall_asleep_and_cost_nothing),
        cmocka_unit_test(falling_asleep_is_told_once),
        cmocka_unit_test(a_hit_wakes_the_island_and_no_other),
        cmocka_unit_test(it_wakes_with_its_impulses),
        cmocka_unit_test(taking_the_support_away_wakes),
        cmocka_unit_test(taking_the_ground_away_wakes_all),
        cmocka_unit_test(changes_by_hand_wake),
        cmocka_unit_test(refused_changes_do_not_wake),
        cmocka_unit_test(settings_wake_all),
        cmocka_unit_test(kinematic_bodies_wake_and_keep_awake),
        cmocka_unit_test(joined_bodies_sleep_as_one),
        cmocka_unit_test(a_snapshot_keeps_sleep),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
