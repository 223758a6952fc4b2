// Joints that do something: motors, servos, springs, ropes, gears, racks and wheels against the closed forms of the
// step itself.
#include "tests/support/support_mechanism.h"

static const CairnBodyId GROUND = {0, 0, 0};
static const CairnVec3 X = {1, 0, 0}, Y = {0, 1, 0}, Z = {0, 0, 1}, ORIGIN = {0, 0, 0};

static CairnBodyId body_at(CairnWorld *world, CairnVec3 place) {
    return support_body(world, 2, cairn_vec3(0.3, 0.4, 0.5), place);
}

// ---- drives ----

// A body of 2 kg on a slide or (0.3 kg m2) on an axle through its centre, with one drive.
static CairnWorld *driven(const CairnSolver *solver, bool is_slide, CairnAxis axis, CairnVec3 gravity,
                          CairnBodyId *body, CairnJointId *joint) {
    CairnWorld *world = support_world(solver, gravity);
    *body = body_at(world, ORIGIN);
    CairnJointDef def = cairn_joint_def(is_slide ? CAIRN_JOINT_PRISMATIC : CAIRN_JOINT_REVOLUTE);
    def.axes[is_slide ? CAIRN_X : CAIRN_RX] = axis;
    *joint = support_joint_of(world, def, GROUND, *body, ORIGIN, X);
    return world;
}

// From rest to w with at most T: I w / T = 0.75 s; then it holds w against a load of less than T.
static void motor_reaches_its_speed_and_holds_it(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        bool is_slide = k >= 2;
        double mass = is_slide ? 2 : 0.3, speed = 5, most = mass * speed / 0.75, h = 0.01;
        CairnAxis axis = cairn_axis();
        axis.drive = CAIRN_DRIVE_VELOCITY;
        axis.target_velocity = speed;
        axis.max_force = most;
        CairnBodyId body;
        CairnJointId joint;
        CairnWorld *world = driven(k % 2 ? &support_exact : NULL, is_slide, axis, ORIGIN, &body, &joint);
        int c = is_slide ? CAIRN_X : CAIRN_RX;
        for (int n = 1; n <= 200; n++) {
            bool is_loaded = n > 100;
            if (is_loaded) {
                support_push(world, body, cairn_scale(-0.8 * most, X), cairn_scale(-0.8 * most, X));
            }
            support_step(world, h);
            CairnJointState s = support_joint_state(world, joint);
            // Compliance 1e-10 gives way by C h F: less than 1e-11 m/s.
            assert_near(s.velocity[c], fmin(n * h / 0.75, 1) * speed, 1e-10);
            assert_near(s.drive_force[c], n <= 75 ? most : is_loaded ? 0.8 * most : 0, 1e-7);
        }
        support_push(world, body, cairn_scale(-2 * most, X), cairn_scale(-2 * most, X));
        support_step(world, h);
        assert_near(support_joint_state(world, joint).velocity[c], speed - h * most / mass, 1e-9); // overpowered
        cairn_world_destroy(world);
    }
}

// A motor without a limit of force drives its coordinate against either stop; a limited one presses with all it has.
static void motors_end_at_their_stops(void **state) {
    (void)state;
    for (int k = 0; k < 8; k++) {
        bool is_slide = k % 2 == 1, is_lower = k / 2 % 2 == 1, is_limited = k >= 4;
        int c = is_slide ? CAIRN_X : CAIRN_RX;
        CairnAxis axis = cairn_axis();
        axis.mode = CAIRN_AXIS_LIMITED;
        axis.lower = -0.2;
        axis.upper = 0.3;
        axis.drive = CAIRN_DRIVE_VELOCITY;
        axis.target_velocity = is_lower ? -3 : 3;
        axis.max_force = is_limited ? 5 : HUGE_VAL;
        CairnBodyId body;
        CairnJointId joint;
        CairnWorld *world = driven(NULL, is_slide, axis, ORIGIN, &body, &joint);
        double stop = is_lower ? axis.lower : axis.upper, furthest = 0;
        for (int n = 0; n < 200; n++) {
            support_step(world, 0.01);
            furthest = fmax(furthest, fabs(support_joint_state(world, joint).position[c]));
        }
        CairnJointState s = support_joint_state(world, joint);
        assert_below(furthest, fabs(stop) + 1e-6);
        assert_near(s.position[c], stop, 1e-6);
        assert_near(s.velocity[c], 0, 1e-9);
        if (is_limited) {
            assert_near(s.drive_force[c], is_lower ? -5 : 5, 1e-7);
        }
        cairn_world_destroy(world);
    }
}

// v+ = (m v - h k (q - q0) + h c v0) / (m + h c + h^2 k), q+ = q + h v+; with max_force the impulse is cut at h
// max_force.
static void check_servo(const CairnSolver *solver, bool is_slide, CairnAxis axis, double k, double c, double *worst) {
    CairnBodyId body;
    CairnJointId joint;
    CairnWorld *world = driven(solver, is_slide, axis, ORIGIN, &body, &joint);
    double m = is_slide ? 2 : 0.3, h = 1.0 / 120, q = 0, v = 0;
    for (int n = 0; n < 600; n++) {
        double next =
            (m * v - h * k * (q - axis.target_position) + h * c * axis.target_velocity) / (m + h * c + h * h * k);
        double impulse = cairn_clamp(m * (next - v), -h * axis.max_force, h * axis.max_force);
        v += impulse / m;
        q += h * v;
        support_step(world, h);
        CairnJointState s = support_joint_state(world, joint);
        int i = is_slide ? CAIRN_X : CAIRN_RX;
        *worst = fmax(*worst, fmax(fabs(s.position[i] - q), fabs(s.velocity[i] - v) * h));
        assert_near(s.drive_force[i], impulse / h, 1e-6);
    }
    assert_below(fabs(q - axis.target_position), 0.3); // on its way there: it rang, or its force was spent
    cairn_world_destroy(world);
}

static void servos_follow_the_implicit_law(void **state) {
    (void)state;
    double worst = 0;
    for (int k = 0; k < 16; k++) {
        bool is_slide = (k & 1) != 0;
        CairnAxis axis = cairn_axis();
        axis.drive = CAIRN_DRIVE_SPRING;
        axis.target_position = 0.7;
        axis.stiffness = (k & 2) != 0 ? 300 : 40;
        axis.damping = (k & 4) != 0 ? 25 : 8;
        axis.max_force = (k & 8) != 0 ? 6 : HUGE_VAL;
        check_servo(k % 3 ? &support_exact : NULL, is_slide, axis, axis.stiffness, axis.damping, &worst);
    }
    assert_below(worst, 1e-10);
}

// A spring in Hz and damping ratio rings as the implicit law does: per step by |z| = sqrt(a) and the angle acos(t / 2
// sqrt(a)), with a = 1/(1 + 2 zeta w h + (w h)^2) and t = a + 1 - (w h)^2 a. (The step damps: 2 Hz at h = 1/240 without
// damping loses 2.6 % a radian.)
static void springs_in_hertz_ring_at_their_frequency(void **state) {
    (void)state;
    const double zetas[] = {0, 0.1, 0.7};
    for (int k = 0; k < 6; k++) {
        bool is_slide = k % 2 != 0;
        double zeta = zetas[k / 2], w = 2 * CAIRN_PI * 2, h = 1.0 / 240;
        CairnAxis axis = cairn_axis();
        axis.drive = CAIRN_DRIVE_SPRING;
        axis.spring_unit = CAIRN_SPRING_FREQUENCY;
        axis.stiffness = 2;
        axis.damping = zeta;
        CairnBodyId body;
        CairnJointId joint;
        CairnWorld *world = driven(&support_exact, is_slide, axis, ORIGIN, &body, &joint);
        assert_ok(cairn_body_set_velocity(world, body, is_slide ? X : ORIGIN, is_slide ? ORIGIN : X));
        double a = 1 / (1 + 2 * zeta * w * h + w * w * h * h), t = a + 1 - w * w * h * h * a;
        double turn = acos(t / (2 * sqrt(a))), first = h * a; // q1 = h v1 = h a v0
        for (int n = 1; n <= 480; n++) {
            support_step(world, h);
            double q = first * pow(sqrt(a), n - 1) * sin(n * turn) / sin(turn);
            double measured = support_joint_state(world, joint).position[is_slide ? CAIRN_X : CAIRN_RX];
            assert_near(measured, q, 1e-11); // rounding of 480 steps of at most 0.08 m
        }
        // The discrete law itself is near what was asked for: frequency w sqrt(1 - zeta^2) and decay zeta w, to first
        // order in w h.
        assert_near(turn / h, w * sqrt(1 - zeta * zeta), 1.2 * w * w * h);
        assert_near(-log(sqrt(a)) / h, zeta * w, 0.6 * w * w * h);
        cairn_world_destroy(world);
    }
}

// At rest a spring of k N/m gives m g / k, whatever the damping and the step.
static void springs_bear_a_weight(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        CairnAxis axis = cairn_axis();
        axis.drive = CAIRN_DRIVE_SPRING;
        axis.stiffness = k < 2 ? 500 : 2e5;
        axis.damping = k < 2 ? 60 : 2000;
        CairnBodyId body;
        CairnJointId joint;
        CairnWorld *world = driven(k % 2 ? &support_exact : NULL, true, axis, cairn_vec3(-9.81, 0, 0), &body, &joint);
        support_steps(world, 0.01, 1000);
        CairnJointState s = support_joint_state(world, joint);
        assert_near(s.position[CAIRN_X], -2 * 9.81 / axis.stiffness, 1e-9);
        assert_near(s.drive_force[CAIRN_X], 2 * 9.81, 1e-6);
        cairn_world_destroy(world);
    }
}

// ---- rope and rod ----

// A ball on a rope of 1 m, let go at the anchor: it falls freely 1 m, the rope stops it without a bounce, and then
// bears it. Thrown up again it flies freely.
static void rope_goes_slack_and_taut(void **state) {
    (void)state;
    const CairnSolver *const solvers[] = {&support_exact, NULL};
    for (int k = 0; k < 2; k++) {
        CairnWorld *world = support_world(solvers[k], cairn_vec3(0, -9.81, 0));
        CairnBodyId ball = body_at(world, cairn_vec3(0, -0.01, 0));
        CairnJointDef def = cairn_joint_def(CAIRN_JOINT_DISTANCE);
        def.body_b = ball;
        def.axes[CAIRN_X].mode = CAIRN_AXIS_LIMITED;
        def.axes[CAIRN_X].lower = 0;
        def.axes[CAIRN_X].upper = 1;
        CairnJointId rope;
        assert_ok(cairn_joint_create(world, &def, &rope));
        double h = 0.002;
        for (int n = 1; n <= 500; n++) {
            support_step(world, h);
            double fallen = fmin(0.01 + 0.5 * 9.81 * h * h * n * (n + 1), 1);
            assert_near(support_state(world, ball).center.y, -fallen,
                        1e-8); // taut it stretches by C m v = 1e-9 m/s for a step
        }
        assert_vec3_near(support_joint_state(world, rope).force, cairn_vec3(0, 2 * 9.81, 0), 1e-6);
        double height = support_state(world, ball).center.y;
        assert_ok(cairn_body_set_velocity(world, ball, cairn_vec3(0, 2, 0), ORIGIN));
        for (int n = 1; n <= 180; n++) {
            support_step(world, h);
            assert_near(support_state(world, ball).center.y, height + 2 * n * h - 0.5 * 9.81 * h * h * n * (n + 1),
                        1e-9);
            assert_near(cairn_length(support_joint_state(world, rope).force), 0, 1e-12);
        }
        cairn_world_destroy(world);
    }
}

// A rod of 0.8 m holds its length both ways: pulled, pushed, and while its end flies round.
static void rod_keeps_its_length(void **state) {
    (void)state;
    CairnWorld *world = support_world(&support_exact, ORIGIN);
    CairnBodyId ball = body_at(world, cairn_vec3(1.3, 0, 0));
    CairnJointDef def = cairn_joint_def(CAIRN_JOINT_DISTANCE);
    def.body_b = ball;
    def.axes[CAIRN_X].target_position = 0.8;
    CairnJointId rod;
    assert_ok(cairn_joint_create(world, &def, &rod));
    support_steps(world, 1e-3, 499); // half a metre at joint_push
    assert_near(support_joint_state(world, rod).position[CAIRN_X], 0.801, 1e-9);
    support_steps(world, 1e-3, 5); // and what compliance left
    assert_near(support_joint_state(world, rod).position[CAIRN_X], 0.8, 1e-9);
    assert_ok(cairn_body_set_velocity(world, ball, ORIGIN, ORIGIN));
    for (int sign = -1; sign <= 1; sign += 2) {
        support_push(world, ball, cairn_scale(1000 * sign, X), ORIGIN);
        support_step(world, 1e-3);
        assert_near(support_joint_state(world, rod).force.x, -1000 * sign, 1e-6);
    }
    assert_ok(cairn_body_set_velocity(world, ball, cairn_scale(2, Y), ORIGIN));
    SupportWorst worst = support_worst(world, 1e-3, 3000);
    assert_below(worst.linear, 1.01 * 0.5e-6 * 4 / 0.8); // h^2/2 v^2/r, what a tangent leaves
    assert_near(cairn_length(support_state(world, ball).velocity), 2, 1e-4);
    cairn_world_destroy(world);
}

// A light body on a pivot near its centre, pulled far out by a spring to a heavy one: it turns about the pivot with
// little inertia, however far out it is pulled, and swings within a few steps. (Taken for I + m r^2 with the spring's r
// it burst after 76 and 66 steps.)
static void a_far_spring_on_a_pivoted_body(void **state) {
    (void)state;
    static const struct { double stiffness, arm, rate; } cases[] = {{50000, 0.5, 120}, {20000, 0.6, 60}};
    for (int i = 0; i < 2; i++) {
        double arm = cases[i].arm, k = cases[i].stiffness, energy = 0;
        CairnWorld *world = support_world(NULL, ORIGIN);
        CairnBodyDef body = cairn_body_def();
        CairnBodyId light, heavy;
        body.mass = 4;
        body.inertia = cairn_vec3(0.02, 0.02, 0.02);
        assert_ok(cairn_body_create(world, &body, &light));
        body.mass = 400;
        body.inertia = cairn_vec3(40, 40, 40);
        body.position = cairn_vec3(arm + 0.5, 0.02, 0);
        assert_ok(cairn_body_create(world, &body, &heavy));
        CairnJointDef pivot = cairn_joint_def(CAIRN_JOINT_BALL), spring = cairn_joint_def(CAIRN_JOINT_DISTANCE);
        pivot.body_b = light;
        assert_ok(cairn_joint_place(world, &pivot, cairn_vec3(-0.05, 0, 0), X, ORIGIN));
        assert_ok(cairn_joint_create(world, &pivot, NULL));
        spring.body_a = light;
        spring.body_b = heavy;
        spring.frame_a.p = cairn_vec3(arm, 0, 0);
        spring.axes[CAIRN_X].mode = CAIRN_AXIS_FREE;
        spring.axes[CAIRN_X].drive = CAIRN_DRIVE_SPRING;
        spring.axes[CAIRN_X].stiffness = k;
        CairnJointId id;
        assert_ok(cairn_joint_create(world, &spring, &id));
        for (int step = 0; step < 1200; step++) {
            CairnStats stats;
            assert_ok(cairn_world_step(world, 1 / cases[i].rate, &stats));
            double stretch = support_joint_state(world, id).position[CAIRN_X];
            double now = stats.kinetic_energy + 0.5 * k * stretch * stretch;
            energy = step == 0 ? now : energy;
            assert_below(now, energy * (1 + 1e-9));
            assert_below(stats.joint_error_linear, 0.05);
        }
        cairn_world_destroy(world);
    }
}

// ---- gears, racks, wheels ----

// Two hinges on one frame, geared 1 : 1.5, one of them driven through 60 turns.
static void gear_keeps_its_ratio_over_many_turns(void **state) {
    (void)state;
    CairnWorld *world = support_world(&support_exact, ORIGIN);
    CairnBodyId frame = body_at(world, ORIGIN);
    CairnBodyId a = body_at(world, cairn_vec3(0, 1, 0));
    CairnBodyId b = body_at(world, cairn_vec3(0, -1, 0));
    support_joint(world, CAIRN_JOINT_FIXED, GROUND, frame, ORIGIN, X);
    CairnJointDef motor = cairn_joint_def(CAIRN_JOINT_REVOLUTE);
    motor.axes[CAIRN_RX].drive = CAIRN_DRIVE_VELOCITY;
    motor.axes[CAIRN_RX].target_velocity = 2 * CAIRN_PI * 10;
    motor.axes[CAIRN_RX].max_force = 20;
    CairnJointDef def = cairn_joint_def(CAIRN_JOINT_GEAR);
    def.joint_a = support_joint_of(world, motor, frame, a, cairn_vec3(0, 1, 0), X);
    def.joint_b = support_joint(world, CAIRN_JOINT_REVOLUTE, frame, b, cairn_vec3(0, -1, 0), Z);
    def.ratio = 1.5;
    CairnJointId gear;
    assert_ok(cairn_joint_create(world, &def, &gear));
    double h = 1.0 / 240, worst = 0;
    for (int n = 0; n < 7 * 240; n++) {
        support_step(world, h);
        double p = support_joint_state(world, def.joint_a).position[CAIRN_RX];
        double q = support_joint_state(world, def.joint_b).position[CAIRN_RX];
        worst = fmax(worst, fabs(p + 1.5 * q));
    }
    double p = support_joint_state(world, def.joint_a).position[CAIRN_RX];
    assert_true(p > 60 * 2 * CAIRN_PI);
    assert_below(worst, 1e-7); // axes fixed in space: nothing but compliance
    cairn_world_destroy(world);
}

// A pinion of radius 0.1 m on an axle moves a rack on a slide: x = 0.1 angle, and 3 N m on the pinion push 2 kg and 0.3
// kg m2.
static void rack_follows_its_pinion(void **state) {
    (void)state;
    const CairnSolver *const solvers[] = {&support_exact, NULL};
    for (int k = 0; k < 2; k++) {
        CairnWorld *world = support_world(solvers[k], ORIGIN);
        CairnBodyId rack = body_at(world, ORIGIN), pinion = body_at(world, Y);
        CairnJointDef def = cairn_joint_def(CAIRN_JOINT_GEAR);
        def.joint_a = support_joint(world, CAIRN_JOINT_PRISMATIC, GROUND, rack, ORIGIN, X);
        def.joint_b = support_joint(world, CAIRN_JOINT_REVOLUTE, GROUND, pinion, Y, Z);
        def.ratio = -0.1;
        CairnJointId gear;
        assert_ok(cairn_joint_create(world, &def, &gear));
        double h = 0.005, speed = 3 / (0.5 + 2 * 0.01); // inertia about Z 0.5
        for (int n = 1; n <= 400; n++) {
            support_push(world, pinion, ORIGIN, cairn_scale(3, Z));
            support_step(world, h);
            double x = support_joint_state(world, def.joint_a).position[CAIRN_X];
            assert_near(x, 0.1 * support_joint_state(world, def.joint_b).position[CAIRN_RX], 1e-8);
            assert_near(x, 0.1 * speed * h * h * n * (n + 1) / 2, 1e-6); // pgs stops 1e-9 m/s short, 400 times
        }
        cairn_world_destroy(world);
    }
}

// A wheel hangs on the suspension of a chassis that stands still: the spring bears it, a motor spins it, a servo steers
// it.
static void wheel_springs_spins_and_steers(void **state) {
    (void)state;
    CairnWorld *world = support_world(&support_exact, cairn_vec3(0, 0, -9.81));
    CairnBodyId chassis = support_body(world, 20, cairn_vec3(1, 1, 1), ORIGIN);
    support_joint(world, CAIRN_JOINT_FIXED, GROUND, chassis, ORIGIN, Z);
    CairnBodyId wheel = support_body(world, 2, cairn_vec3(0.02, 0.03, 0.02), cairn_vec3(1, 0, 0));
    CairnJointDef def = cairn_joint_def(CAIRN_JOINT_WHEEL);
    def.axes[CAIRN_X].drive = CAIRN_DRIVE_SPRING;
    def.axes[CAIRN_X].stiffness = 4000;
    def.axes[CAIRN_X].damping = 300;
    def.axes[CAIRN_RX].mode = CAIRN_AXIS_LIMITED;
    def.axes[CAIRN_RX].lower = -0.6;
    def.axes[CAIRN_RX].upper = 0.6;
    def.axes[CAIRN_RX].drive = CAIRN_DRIVE_SPRING;
    def.axes[CAIRN_RX].target_position = 0.4;
    def.axes[CAIRN_RX].stiffness = 50;
    def.axes[CAIRN_RX].damping = 4;
    def.axes[CAIRN_RY].drive = CAIRN_DRIVE_VELOCITY;
    def.axes[CAIRN_RY].target_velocity = 12;
    def.axes[CAIRN_RY].max_force = 0.9;
    CairnJointId joint = support_joint_of(world, def, chassis, wheel, cairn_vec3(1, 0, 0), Z);
    double h = 1.0 / 480;
    for (int n = 0; n < 4 * 480; n++) {
        support_step(world, h);
    }
    CairnJointState s = support_joint_state(world, joint);
    assert_near(s.position[CAIRN_X], -2 * 9.81 / 4000, 1e-9); // the wheel hangs on its spring
    assert_near(s.position[CAIRN_RX], 0.4, 1e-6);
    assert_near(s.velocity[CAIRN_RY], 12, 1e-6);
    assert_true(s.position[CAIRN_RY] > 40); // counted over whole turns
    assert_near(s.force.z, 2 * 9.81, 1e-6);
    assert_near(s.linear_error + s.angular_error, 0, 1e-9);
    CairnAxis steer = def.axes[CAIRN_RX];
    steer.target_position = 2; // beyond the stop
    assert_ok(cairn_joint_set_axis(world, joint, CAIRN_RX, &steer));
    support_steps(world, h, 4 * 480);
    s = support_joint_state(world, joint);
    assert_near(s.position[CAIRN_RX], 0.6, 1e-7);
    assert_near(s.velocity[CAIRN_RY], 12, 1e-6);
    cairn_world_destroy(world);
}

// Free, limited, locked and sprung axes in one joint; each coordinate does what its own law says.
static void six_dof_mixes_modes(void **state) {
    (void)state;
    CairnWorld *world = support_world(&support_exact, ORIGIN);
    CairnBodyId body = body_at(world, ORIGIN);
    CairnJointDef def = cairn_joint_def(CAIRN_JOINT_SIX_DOF);
    def.body_b = body;
    def.axes[CAIRN_X].mode = CAIRN_AXIS_FREE;
    def.axes[CAIRN_Y].mode = CAIRN_AXIS_LIMITED;
    def.axes[CAIRN_Y].lower = -0.1;
    def.axes[CAIRN_Y].upper = 0.05;
    def.axes[CAIRN_Z].mode = CAIRN_AXIS_FREE;
    def.axes[CAIRN_Z].drive = CAIRN_DRIVE_SPRING;
    def.axes[CAIRN_Z].stiffness = 200;
    def.axes[CAIRN_Z].damping = 10;
    def.axes[CAIRN_RX].mode = CAIRN_AXIS_FREE;
    def.axes[CAIRN_RX].drive = CAIRN_DRIVE_SPRING;
    def.axes[CAIRN_RX].stiffness = 30;
    def.axes[CAIRN_RX].damping = 2;
    CairnJointId joint;
    assert_ok(cairn_joint_create(world, &def, &joint));
    double h = 0.004, z = 0, vz = 0, rx = 0, wx = 0;
    for (int n = 1; n <= 500; n++) {
        support_push(world, body, cairn_vec3(1, 4, 8), cairn_vec3(3, 5, -7));
        support_step(world, h);
        CairnJointState s = support_joint_state(world, joint);
        vz = (2 * vz + h * 8 - h * 200 * z) / (2 + h * 10 + h * h * 200);
        z += h * vz;
        wx = (0.3 * wx + h * 3 - h * 30 * rx) / (0.3 + h * 2 + h * h * 30);
        rx += h * wx;
        assert_near(s.position[CAIRN_X], 0.5 * 0.5 * h * h * n * (n + 1), 1e-10);
        assert_near(s.position[CAIRN_Y], fmin(2 * 0.5 * h * h * n * (n + 1), 0.05), 1e-9);
        assert_near(s.position[CAIRN_Z], z, 1e-10);
        assert_near(s.position[CAIRN_RX], rx, 1e-10);
        assert_near(s.position[CAIRN_RY], 0, 1e-9);
        assert_near(s.position[CAIRN_RZ], 0, 1e-9);
    }
    assert_near(z, 8.0 / 200, 5e-4); // they are almost there
    assert_near(rx, 3.0 / 30, 1e-3);
    cairn_world_destroy(world);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motor_reaches_its_speed_and_holds_it),
        cmocka_unit_test(motors_end_at_their_stops),
        cmocka_unit_test(servos_follow_the_implicit_law),
        cmocka_unit_test(springs_in_hertz_ring_at_their_frequency),
        cmocka_unit_test(springs_bear_a_weight),
        cmocka_unit_test(rope_goes_slack_and_taut),
        cmocka_unit_test(rod_keeps_its_length),
        cmocka_unit_test(a_far_spring_on_a_pivoted_body),
        cmocka_unit_test(gear_keeps_its_ratio_over_many_turns),
        cmocka_unit_test(rack_follows_its_pinion),
        cmocka_unit_test(wheel_springs_spins_and_steers),
        cmocka_unit_test(six_dof_mixes_modes),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
