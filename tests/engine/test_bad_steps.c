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

// Forces that a step refuses can be taken back, those on one body or all of them; the next step is that without them.
static void forces_can_be_taken_back(void **state) {
    (void)state;
    CairnBodyId ball, twin;
    CairnWorld *world = one_ball(&ball), *calm = one_ball(&twin);
    for (int i = 0; i < 2; i++) {
        assert_ok(cairn_body_apply_force(world, ball, V(0, 0, 1.7e308)));
        assert_ok(cairn_body_apply_torque(world, ball, V(0, 1, 0)));
        refuse_step(world, CAIRN_NUMERIC, "cairn_body_clear_forces");
        assert_ok(i == 0 ? cairn_body_clear_forces(world, ball) : cairn_world_clear_forces(world));
        support_run(world, 1);
        support_run(calm, 1);
        assert_true(cairn_world_state_hash(world) == cairn_world_state_hash(calm));
    }
    assert_ok(cairn_body_clear_forces(world, ball)); // nothing pushes it
    assert_ok(cairn_body_destroy(world, ball));
    assert_refused(cairn_body_clear_forces(world, ball), CAIRN_INVALID_ID, "");
    assert_refused(cairn_body_clear_forces(NULL, ball), CAIRN_INVALID_ARGUMENT, "NULL");
    assert_refused(cairn_world_clear_forces(NULL), CAIRN_INVALID_ARGUMENT, "NULL");
    cairn_world_destroy(world);
    cairn_world_destroy(calm);
}

// A rod of no length, or of less than its ends' rounding, has no direction; its stiffness under a load is out of all
// proportion to the inertia. It holds its ends together.
static void rods_of_no_length_hold(void **state) {
    (void)state;
    static const double lengths[] = {0, 1e-300, 1e-15, 1e-12, 1e-9, 1e-6};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        CairnWorldDef def = cairn_world_def();
        CairnWorld *world;
        assert_ok(cairn_world_create(&def, &world));
        CairnBodyId a = support_add(world, CAIRN_BODY_DYNAMIC, cairn_box(1, 0.1, 0.1), V(0.5, 0, 5));
        CairnBodyId b = support_add(world, CAIRN_BODY_DYNAMIC, cairn_sphere(0.4), V(1, 0, 4));
        CairnJointDef hinge = cairn_joint_def(CAIRN_JOINT_BALL), rod = cairn_joint_def(CAIRN_JOINT_DISTANCE);
        hinge.body_b = rod.body_a = a;
        hinge.frame_a.p = V(0, 0, 5);
        hinge.frame_b.p = V(-0.5, 0, 0);
        rod.body_b = b;
        rod.frame_a.p = V(0.5, 0, 0);
        rod.frame_b.p = V(0, 0, 1 - lengths[i]);
        assert_ok(cairn_joint_create(world, &hinge, NULL));
        CairnJointId id;
        assert_ok(cairn_joint_create(world, &rod, &id));
        double least = HUGE_VAL, first = 0;
        for (int k = 0; k < 300; k++) {
            CairnStats stats;
            CairnJointState joint;
            assert_ok(cairn_world_step(world, 1.0 / 60, &stats));
            assert_true(stats.residual.is_certified);
            assert_ok(cairn_joint_get(world, id, &joint));
            assert_below(joint.linear_error, 0.3); // the way of the ends in a step, at 10 m/s each
            first = k == 0 ? stats.kinetic_energy + stats.potential_energy : first;
            least = fmin(least, stats.potential_energy);
            assert_below(stats.kinetic_energy, 2 * (first - least));
        }
        cairn_world_destroy(world);
    }
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
    assert_ok(cairn_world_set_solver(world, &refusal_huge_solver, NULL));
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
    assert_ok(cairn_world_set_solver(world, &refusal_huge_solver, NULL));
    refuse_step(world, CAIRN_NUMERIC, "body");
    assert_ok(cairn_body_get(world, ball, &asleep));
    assert_true(asleep.is_asleep);
    assert_ok(cairn_world_set_solver(world, &cairn_solver_pgs, NULL));
    support_run(world, 1);
    assert_ok(cairn_body_get(world, ball, &asleep));
    assert_false(asleep.is_asleep);
    cairn_world_destroy(world);
}

// A solver that ends with NaN does not end the world: another way finishes the step, and is named.
static void a_solver_of_nan_is_followed(void **state) {
    (void)state;
    CairnBodyId ball;
    CairnWorld *world = one_ball(&ball);
    assert_ok(cairn_world_set_solver(world, &refusal_nan_solver, NULL));
    for (int k = 0; k < 30; k++) {
        CairnStats stats;
        CairnBodyState now;
        assert_ok(cairn_world_step(world, 1.0 / 60, &stats));
        assert_true(stats.residual.is_certified);
        assert_int_equal(stats.solve.fallback, 1);
        assert_string_equal(stats.solve.finisher, "ipm from nothing");
        assert_ok(cairn_body_get(world, ball, &now));
        assert_near(now.position.z, 0.5, 1e-3);
    }
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
        cmocka_unit_test(forces_can_be_taken_back),
        cmocka_unit_test(rods_of_no_length_hold),
        cmocka_unit_test(a_pose_that_became_nan_stops_the_step),
        cmocka_unit_test(a_kinematic_body_stays_in_the_world),
        cmocka_unit_test(a_failed_step_keeps_what_happened),
        cmocka_unit_test(a_failed_step_wakes_nobody),
        cmocka_unit_test(a_solver_of_nan_is_followed),
        cmocka_unit_test(no_world_is_an_empty_one),
        cmocka_unit_test(a_list_may_be_absent),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
