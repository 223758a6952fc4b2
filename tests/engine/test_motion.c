// Motion of free bodies against closed forms: falling, flying, pushed, damped, turning about a principal axis.
#include "tests/support/support_motion.h"

static CairnBodyDef plain_body(void) {
    CairnBodyDef def = cairn_body_def();
    def.mass = 2;
    def.inertia = cairn_vec3(0.3, 0.4, 0.5);
    return def;
}

static CairnVec3 flown(CairnVec3 velocity, CairnVec3 gravity, double t) {
    return cairn_add_scaled(cairn_scale(t, velocity), 0.5 * t * t, gravity);
}

// Where a body thrown from the origin is after `count` steps.
static CairnBodyState throw_body(CairnIntegrator integrator, CairnVec3 velocity, CairnVec3 gravity, double h,
                                 int count) {
    CairnWorldDef def = cairn_world_def();
    def.gravity = gravity;
    def.integrator = integrator;
    CairnWorld *world = motion_world(&def);
    CairnBodyDef body = plain_body();
    body.velocity = velocity;
    CairnBodyId id = motion_body(world, &body);
    motion_steps(world, h, count);
    CairnBodyState state = motion_state(world, id);
    cairn_world_destroy(world);
    return state;
}

// v_k = v_0 + k h g, x_k = k h v_0 + k (k + 1)/2 h^2 g. A hundred additions of numbers below 10 leave rounding below
// 1e-13.
static void falls_by_the_recurrence(void **state) {
    (void)state;
    const CairnVec3 v0 = {3, -1, 4}, g = {0.2, -0.4, -9.81};
    const double h = 0.01;
    const int k = 100;
    CairnBodyState end = throw_body(CAIRN_INTEGRATOR_SEMI_IMPLICIT, v0, g, h, k);
    assert_vec3_near(end.velocity, cairn_add_scaled(v0, k * h, g), 1e-12);
    assert_vec3_near(end.center, cairn_add_scaled(cairn_scale(k * h, v0), 0.5 * k * (k + 1) * h * h, g), 1e-12);
}

// The recurrence misses the parabola by g h t / 2: first order, no more and no less.
static void falls_to_first_order(void **state) {
    (void)state;
    const CairnVec3 v0 = {3, -1, 4}, g = {0, 0, -9.81};
    double last = 0;
    for (int count = 10; count <= 640; count *= 2) {
        double h = 1.0 / count;
        CairnBodyState end = throw_body(CAIRN_INTEGRATOR_SEMI_IMPLICIT, v0, g, h, count);
        double error = cairn_length(cairn_sub(end.center, flown(v0, g, 1)));
        assert_near(error, 0.5 * 9.81 * h, 1e-11);
        if (last > 0) {
            assert_near(last / error, 2, 0.1);
        }
        last = error;
    }
}

// Under the midpoint rule constant gravity leaves no error at all but rounding, whatever h.
static void midpoint_flies_the_parabola(void **state) {
    (void)state;
    const CairnVec3 v0 = {3, -1, 4}, g = {0.2, -0.4, -9.81};
    for (int count = 1; count <= 1000; count *= 10) {
        CairnBodyState end = throw_body(CAIRN_INTEGRATOR_MIDPOINT, v0, g, 1.0 / count, count);
        assert_vec3_near(end.center, flown(v0, g, 1), 1e-12);
        assert_vec3_near(end.velocity, cairn_add(v0, g), 2e-12); // m v / m in either half of a thousand steps
    }
}

static void both_integrators_keep_a_straight_line(void **state) {
    (void)state;
    const CairnVec3 v0 = {3, -1, 4}, none = {0, 0, 0};
    for (CairnIntegrator i = CAIRN_INTEGRATOR_SEMI_IMPLICIT; i <= CAIRN_INTEGRATOR_MIDPOINT; i++) {
        double roundings = i == CAIRN_INTEGRATOR_MIDPOINT ? 2 : 1;
        CairnBodyState end = throw_body(i, v0, none, 0.01, 100);
        assert_vec3_near(end.center, v0, roundings * 1e-13);
        assert_vec3_near(end.velocity, v0, roundings * 1e-13); // m v / m, a hundred times, or in halves
    }
}

// The midpoint rule moves with the mean velocity, so the work of gravity is exact: no energy is lost or gained in
// flight.
static void midpoint_keeps_the_energy_of_flight(void **state) {
    (void)state;
    CairnWorldDef def = cairn_world_def();
    def.integrator = CAIRN_INTEGRATOR_MIDPOINT;
    CairnWorld *world = motion_world(&def);
    CairnBodyDef body = plain_body();
    body.velocity = cairn_vec3(1, 2, 30);
    body.angular_velocity = cairn_vec3(1, -2, 3);
    motion_body(world, &body);
    CairnStats first = motion_steps(world, 0.05, 1), last = motion_steps(world, 0.05, 99);
    assert_near(motion_energy(&last), motion_energy(&first), 1e-12 * motion_energy(&first));
    cairn_world_destroy(world);
}

static void gravity_scale_is_a_share_of_gravity(void **state) {
    (void)state;
    const double scales[] = {0, 0.5, -1, 3};
    CairnWorld *world = motion_world(NULL);
    CairnBodyId ids[4];
    for (int i = 0; i < 4; i++) {
        CairnBodyDef body = plain_body();
        body.gravity_scale = scales[i];
        ids[i] = motion_body(world, &body);
    }
    motion_steps(world, 0.01, 100);
    for (int i = 0; i < 4; i++) {
        assert_near(motion_state(world, ids[i]).velocity.z, -9.81 * scales[i], 1e-12);
    }
    cairn_world_destroy(world);
}

// v <- v / (1 + c h) before the forces act: never turns the velocity round, whatever c h.
static void damping_is_implicit(void **state) {
    (void)state;
    CairnWorldDef def = cairn_world_def();
    def.gravity = cairn_vec3(0, 0, 0);
    CairnWorld *world = motion_world(&def);
    CairnBodyDef body = plain_body();
    body.inertia = cairn_vec3(0.4, 0.4, 0.4);
    body.velocity = body.angular_velocity = cairn_vec3(3, 0, 0);
    body.linear_damping = 2;
    body.angular_damping = 1000;
    CairnBodyId id = motion_body(world, &body);
    motion_steps(world, 0.01, 50);
    CairnBodyState end = motion_state(world, id);
    assert_near(end.velocity.x, 3 * pow(1.02, -50), 1e-13);
    assert_near(end.angular_velocity.x, 3 * pow(11, -50), 1e-14);
    cairn_world_destroy(world);
}

// A force acts for one step; a torque about a principal axis at rest turns about it: omega = torque t / I.
static void forces_and_torques_last_one_step(void **state) {
    (void)state;
    CairnWorldDef def = cairn_world_def();
    def.gravity = cairn_vec3(0, 0, 0);
    for (CairnIntegrator i = CAIRN_INTEGRATOR_SEMI_IMPLICIT; i <= CAIRN_INTEGRATOR_MIDPOINT; i++) {
        def.integrator = i;
        CairnWorld *world = motion_world(&def);
        CairnBodyDef body = plain_body();
        CairnBodyId id = motion_body(world, &body);
        for (int k = 0; k < 10; k++) {
            assert_ok(cairn_body_apply_force(world, id, cairn_vec3(1, 0, 0)));
            assert_ok(cairn_body_apply_force(world, id, cairn_vec3(3, 2, 0)));
            assert_ok(cairn_body_apply_torque(world, id, cairn_vec3(0, 0, 1.5)));
            motion_steps(world, 0.01, 1);
        }
        motion_steps(world, 0.01, 90);
        CairnBodyState end = motion_state(world, id);
        double rounding = i == CAIRN_INTEGRATOR_MIDPOINT ? 2e-14 : 1e-14;  // its steps have two halves
        assert_vec3_near(end.velocity, cairn_vec3(0.2, 0.1, 0), rounding); // F t / m with t = 0.1 s
        assert_vec3_near(end.angular_velocity, cairn_vec3(0, 0, 0.3), rounding);
        // Turned by sum of k h^2 torque / I (half a step less under the midpoint rule), then at a steady rate.
        double turn = 3 * 1e-4 * (i == CAIRN_INTEGRATOR_MIDPOINT ? 50 : 55) + 0.9 * 0.3;
        assert_quat_near(end.orientation, cairn_quat_axis_angle(cairn_vec3(0, 0, 1), turn), rounding);
        cairn_world_destroy(world);
    }
}

// A force off the centre is that force at the centre and its moment; an impulse is its effect at once.
static void forces_at_points_turn_the_body(void **state) {
    (void)state;
    CairnWorldDef def = cairn_world_def();
    def.gravity = cairn_vec3(0, 0, 0);
    CairnWorld *world = motion_world(&def);
    CairnBodyDef body = plain_body();
    body.position = cairn_vec3(1, 2, 3);
    body.center = cairn_vec3(0.5, 0, 0);
    CairnBodyId pushed = motion_body(world, &body), hit = motion_body(world, &body);
    CairnVec3 point = {1.5, 2.25, 3}, force = {4, 0, 0}; // 0.25 m beside the centre
    assert_ok(cairn_body_apply_force_at(world, pushed, force, point));
    assert_ok(cairn_body_apply_impulse_at(world, hit, cairn_scale(0.01, force), point));
    assert_near(motion_state(world, hit).velocity.x, 0.02, 1e-16);
    assert_near(motion_state(world, hit).angular_velocity.z, -0.02, 1e-16);
    motion_steps(world, 0.01, 1);
    CairnBodyState a = motion_state(world, pushed), b = motion_state(world, hit);
    assert_vec3_near(a.velocity, b.velocity, 1e-16);
    assert_vec3_near(a.angular_velocity, b.angular_velocity, 1e-16);
    cairn_world_destroy(world);
}

// The definition's velocity is that of the frame's origin: a body thrown with spin flies by its centre.
static void velocity_is_that_of_the_frame(void **state) {
    (void)state;
    CairnWorldDef def = cairn_world_def();
    def.gravity = cairn_vec3(0, 0, 0);
    CairnWorld *world = motion_world(&def);
    CairnBodyDef body = plain_body();
    body.center = cairn_vec3(0.5, 0, 0);
    body.velocity = cairn_vec3(1, 0, 0);
    body.angular_velocity = cairn_vec3(0, 0, 2);
    CairnBodyId id = motion_body(world, &body);
    assert_vec3_near(motion_state(world, id).velocity, cairn_vec3(1, 1, 0), 1e-16);
    motion_steps(world, 0.01, 100);
    CairnBodyState end = motion_state(world, id);
    assert_vec3_near(end.center, cairn_vec3(1.5, 1, 0), 1e-13);
    assert_vec3_near(end.position, cairn_sub(end.center, cairn_vec3(0.5 * cos(2), 0.5 * sin(2), 0)), 1e-13);
    cairn_world_destroy(world);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(falls_by_the_recurrence),
        cmocka_unit_test(falls_to_first_order),
        cmocka_unit_test(midpoint_flies_the_parabola),
        cmocka_unit_test(both_integrators_keep_a_straight_line),
        cmocka_unit_test(midpoint_keeps_the_energy_of_flight),
        cmocka_unit_test(gravity_scale_is_a_share_of_gravity),
        cmocka_unit_test(damping_is_implicit),
        cmocka_unit_test(forces_and_torques_last_one_step),
        cmocka_unit_test(forces_at_points_turn_the_body),
        cmocka_unit_test(velocity_is_that_of_the_frame),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
