// Bad input that only the step can see, and calls without a world: a step that fails has not happened.
#include "tests/support/support.h"
#include "tests/support/support_refusals.h"

#include "engine/world.h"

#include "solvers/sweeps/pgs.h"
#include <string.h>

static CairnWorld *one_ball(CairnBodyId *ball) {
    CairnWorld *world = support_empty_world();
    support_add(world, CAIRN_BODY_STATIC, cairn_half_space(), (CairnVec3){0, 0, 0});
    *ball = support_add(world, CAIRN_BODY_DYNAMIC, cairn_sphere(0.5), (CairnVec3){0, 0, 0.5});
    return world;
}

// The step is refused with these words, and nothing has moved.
static void refuse_step(CairnWorld *world, CairnCode code, const char *words) {
    SupportBytes before = support_snapshot(world);
    assert_refused(cairn_world_step(world, 1.0 / 60, NULL), code, words);
    SupportBytes after = support_snapshot(world);
    assert_true(support_same_bytes(&before, &after));
    support_bytes_free(&before);
    support_bytes_free(&after);
}

static void a_body_without_mass_stops_the_step(void **state) {
    (void)state;
    CairnBodyId ball, empty;
    CairnWorld *world = one_ball(&ball);
    CairnBodyDef def = cairn_body_def();
    assert_ok(cairn_body_create(world, &def, &empty));
    refuse_step(world, CAIRN_INVALID_ARGUMENT, "body 3 is dynamic, but has mass 0");
    assert_refused(cairn_body_apply_impulse_at(world, empty, V(1, 0, 0), V(0, 0, 0)), CAIRN_INVALID_ARGUMENT,
                   "no mass");
    CairnShapeDef weightless = cairn_sphere(0.1);
    weightless.density = 0;
    CairnShapeId shape;
    assert_ok(cairn_shape_create(world, empty, &weightless, &shape));
    refuse_step(world, CAIRN_INVALID_ARGUMENT, "mass 0");
    CairnShapeDef solid = cairn_sphere(0.1);
    assert_ok(cairn_shape_create(world, empty, &solid, NULL));
    support_run(world, 1);
    cairn_world_destroy(world);
}

// Each value is finite, and so none of the calls could refuse it; together they are too much.
static void what_overflows_in_the_step_is_named(void **state) {
    (void)state;
    CairnBodyId ball;
    CairnWorld *world = one_ball(&ball);
    assert_ok(cairn_body_set_velocity(world, ball, V(1e308, 1e308, 1e308), V(0, 0, 0)));
    refuse_step(world, CAIRN_NUMERIC, "body 2: velocity");
    assert_ok(cairn_body_set_velocity(world, ball, V(0, 0, 0), V(1e308, 0, 1e308)));
    refuse_step(world, CAIRN_NUMERIC, "body 2: velocity");
    assert_ok(cairn_body_set_velocity(world, ball, V(0, 0, 0), V(0, 0, 0)));
    assert_refused(cairn_body_set_pose(world, ball, V(0, 0, -1e17), Q(1, 0, 0, 0)), CAIRN_INVALID_ARGUMENT, "-1e+17");
    support_run(world, 1);
    CairnShapeDef dust = cairn_sphere(1e-3);
    dust.density = 1e-6;
    CairnBodyId mote = support_add(world, CAIRN_BODY_DYNAMIC, dust, (CairnVec3){5, 0, 5});
    assert_ok(cairn_body_apply_force(world, mote, V(0, 0, 1.7e308)));
    refuse_step(world, CAIRN_NUMERIC, "body 3: its forces");
    assert_refused(cairn_body_apply_force(world, mote, V(0, 0, 1.7e308)), CAIRN_INVALID_ARGUMENT, "force becomes");
    assert_ok(cairn_body_apply_force(world, mote, V(0, 0, -1.7e308)));
    support_run(world, 1);
    cairn_world_destroy(world);
}

// No call lets such a pose in: this one goes bad inside, and the next step finds it before it does anything.
static void a_pose_that_became_nan_stops_the_step(void **state) {
    (void)state;
    CairnBodyId ball;
    CairnWorld *world = one_ball(&ball);
    support_run(world, 3);
    CairnBody *body = &world->store.bodies[1];
    double *const places[] = {&body->center.x, &body->center.z, &body->q.w, &body->q.y};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        double was = *places[i];
        *places[i] = (double)NAN;
        refuse_step(world, CAIRN_NUMERIC, "body 2: pose is");
        assert_int_equal(cairn_world_step_index(world), 3);
        *places[i] = was;
    }
    body->velocity.y = (double)NAN;
    refuse_step(world, CAIRN_NUMERIC, "body 2: velocity is");
    body->velocity.y = 0;
    support_run(world, 1);
    assert_int_equal(cairn_world_step_index(world), 4);
    cairn_world_destroy(world);
}

static void a_kinematic_body_stays_in_the_world(void **state) {
    (void)state;
    CairnBodyId ball;
    CairnWorld *world = one_ball(&ball);
    CairnBodyId mover = support_add(world, CAIRN_BODY_KINEMATIC, cairn_box(1, 1, 1), (CairnVec3){5, 0, 5});
    assert_ok(cairn_body_set_pose(world, mover, V(9e15, 0, 0), Q(1, 0, 0, 0)));
    assert_ok(cairn_body_set_velocity(world, mover, V(9e14, 0, 0), V(0, 0, 0)));
    SupportBytes before = support_snapshot(world);
    assert_refused(cairn_world_step(world, 10, NULL), CAIRN_NUMERIC, "body 3: its velocity");
    SupportBytes after = support_snapshot(world);
    assert_true(support_same_bytes(&before, &after));
    support_bytes_free(&before);
    support_bytes_free(&after);
    assert_ok(cairn_body_set_pose(world, mover, V(5, 0, 5), Q(1, 0, 0, 0)));
    assert_ok(cairn_body_set_velocity(world, mover, V(0, 0, 0), V(0, 0, 0)));
    support_run(world, 1);
    cairn_world_destroy(world);
}

// A step that failed leaves the events and the contacts of the last one that did not.
static void a_failed_step_keeps_what_happened(void **state) {
    (void)state;
    CairnBodyId ball;
    CairnWorld *world = one_ball(&ball);
    support_run(world, 1);
    assert_int_equal(cairn_world_events(world).begin_count, 1);
    CairnContact before, after;
    assert_int_equal(cairn_world_contacts(world, &before, 1), 1);
    assert_ok(cairn_world_set_solver(world, &refusal_nan_solver, NULL));
    refuse_step(world, CAIRN_NUMERIC, "body 2");
    assert_int_equal(cairn_world_events(world).begin_count, 1);
    assert_int_equal(cairn_world_contacts(world, &after, 1), 1);
    assert_int_equal(before.id, after.id);
    assert_same_bits(before.impulse.x, after.impulse.x);
    assert_int_equal(cairn_world_step_index(world), 1);
    assert_near(cairn_world_time(world), 1.0 / 60, 0);
    cairn_world_destroy(world);
}

// Sleepers that a failed step had woken sleep on.
static void a_failed_step_wakes_nobody(void **state) {
    (void)state;
    CairnBodyId ball;
    CairnWorld *world = one_ball(&ball);
    assert_ok(cairn_world_set(world, "sleeping", "true"));
    support_run(world, 200);
    CairnBodyState asleep;
    assert_ok(cairn_body_get(world, ball, &asleep));
    assert_true(asleep.is_asleep);
    CairnBodyId stone = support_add(world, CAIRN_BODY_DYNAMIC, cairn_sphere(0.2), (CairnVec3){0, 0, 1.25});
    assert_ok(cairn_body_set_velocity(world, stone, V(0, 0, -10), V(0, 0, 0)));
    assert_ok(cairn_world_set_solver(world, &refusal_nan_solver, NULL));
    refuse_step(world, CAIRN_NUMERIC, "body");
    assert_ok(cairn_body_get(world, ball, &asleep));
    assert_true(asleep.is_asleep);
    assert_ok(cairn_world_set_solver(world, &cairn_solver_pgs, NULL));
    support_run(world, 1);
    assert_ok(cairn_body_get(world, ball, &asleep));
    assert_false(asleep.is_asleep);
    cairn_world_destroy(world);
}

// Calls that answer no status have no way to refuse.
static void no_world_is_an_empty_one(void **state) {
    (void)state;
    CairnBodyId bodies[2];
    CairnShapeId shapes[2];
    CairnJointId joints[2];
    CairnContact contacts[2];
    CairnBodyId id = {1, 1, 1};
    cairn_world_destroy(NULL);
    assert_true(cairn_world_time(NULL) == 0 && cairn_world_step_index(NULL) == 0);
    assert_true(cairn_world_state_hash(NULL) == 0 && cairn_world_snapshot_size(NULL) == 0);
    assert_false(cairn_body_is_alive(NULL, id));
    assert_int_equal(cairn_world_bodies(NULL, bodies, 2), 0);
    assert_int_equal(cairn_world_joints(NULL, joints, 2), 0);
    assert_int_equal(cairn_body_shapes(NULL, id, shapes, 2), 0);
    assert_int_equal(cairn_body_joints(NULL, id, joints, 2), 0);
    assert_int_equal(cairn_world_contacts(NULL, contacts, 2), 0);
    CairnEvents events = cairn_world_events(NULL);
    assert_true(events.begin_count == 0 && events.end_count == 0 && events.hit_count == 0 && events.moved_count == 0);
    assert_true(cairn_world_settings(NULL).contact_margin == cairn_world_def().contact_margin);
}

// A list that is NULL has room for nothing, whatever its capacity.
static void a_list_may_be_absent(void **state) {
    (void)state;
    CairnBodyId ball;
    CairnWorld *world = one_ball(&ball);
    support_run(world, 200);
    assert_int_equal(cairn_world_bodies(world, NULL, 9), 2);
    assert_int_equal(cairn_world_joints(world, NULL, 9), 0);
    assert_int_equal(cairn_body_shapes(world, ball, NULL, 9), 1);
    assert_int_equal(cairn_body_joints(world, ball, NULL, 9), 0);
    assert_int_equal(cairn_world_contacts(world, NULL, 9), 1);
    cairn_world_destroy(world);
}
int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_without_mass_stops_the_step),
        cmocka_unit_test(what_overflows_in_the_step_is_named),
        cmocka_unit_test(a_pose_that_became_nan_stops_the_step),
        cmocka_unit_test(a_kinematic_body_stays_in_the_world),
        cmocka_unit_test(a_failed_step_keeps_what_happened),
        cmocka_unit_test(a_failed_step_wakes_nobody),
        cmocka_unit_test(no_world_is_an_empty_one),
        cmocka_unit_test(a_list_may_be_absent),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
