// Joints in motion: every type shaken, driven, run into its limits and loaded.
#include "tests/support/support_mechanism.h"

static const CairnBodyId GROUND = {0, 0, 0};
static const CairnVec3 X = {1, 0, 0}, Y = {0, 1, 0}, ORIGIN = {0, 0, 0};

// ---- a rig: two bodies, one joint, for every type and partner ----

typedef enum Partner { TO_WORLD, TO_DYNAMIC, TO_KINEMATIC, PARTNER_COUNT } Partner;

typedef struct Rig {
    CairnWorld *world;
    CairnBodyId a, b; // a is null where the partner is the world
    CairnJointId joint;
    CairnJointId hinges[2]; // of a gear
} Rig;

static CairnBodyId rig_body(CairnWorld *world, CairnBodyType type, CairnVec3 place, double damping) {
    CairnBodyDef def = cairn_body_def();
    def.type = type;
    def.position = place;
    if (type == CAIRN_BODY_DYNAMIC) {
        def.mass = 2;
        def.inertia = cairn_vec3(0.3, 0.4, 0.5);
        def.linear_damping = def.angular_damping = damping;
    }
    return support_create(world, &def);
}

// The joint between the partner at the origin and a body 1.2 m away; a gear couples two hinges of one frame, the
// partner.
static Rig rig(const CairnSolver *solver, CairnJointType type, Partner partner, double damping) {
    Rig r = {.world = support_world(solver, ORIGIN)};
    if (partner != TO_WORLD) {
        r.a = rig_body(r.world, partner == TO_DYNAMIC ? CAIRN_BODY_DYNAMIC : CAIRN_BODY_KINEMATIC, ORIGIN, damping);
    }
    r.b = rig_body(r.world, CAIRN_BODY_DYNAMIC, cairn_vec3(1.2, 0.1, -0.2), damping);
    CairnVec3 middle = cairn_vec3(0.6, 0.2, 0.1), x = cairn_normalize(cairn_vec3(2, -1, 0.5));
    CairnJointDef def = cairn_joint_def(type);
    if (type == CAIRN_JOINT_GEAR) {
        CairnBodyId other = rig_body(r.world, CAIRN_BODY_DYNAMIC, cairn_vec3(-0.7, 0.5, 0.3), damping);
        r.hinges[0] = support_joint(r.world, CAIRN_JOINT_REVOLUTE, r.a, r.b, middle, x);
        r.hinges[1] = support_joint(r.world, CAIRN_JOINT_REVOLUTE, r.a, other, cairn_vec3(-0.4, 0.2, 0), Y);
        def.joint_a = r.hinges[0];
        def.joint_b = r.hinges[1];
        def.ratio = 1.5;
        assert_ok(cairn_joint_create(r.world, &def, &r.joint));
    } else if (type == CAIRN_JOINT_DISTANCE) { // between two places, else it has no length
        def.body_a = r.a;
        def.body_b = r.b;
        def.frame_a.p = cairn_vec3(0.1, 0.2, 0);
        def.frame_b.p = cairn_vec3(-0.1, 0, 0.2);
        assert_ok(cairn_joint_create(r.world, &def, &r.joint));
    } else {
        r.joint = support_joint_of(r.world, def, r.a, r.b, middle, x);
    }
    return r;
}

// ---- shaken, then left alone ----

// Forces up to 60 N and torques up to 12 N m, new ones each step, for 1 s; then 6 s in which damping of 4/s leaves
// e^-24 of the speed. A joint's error is that of its last step, of order (h w)^2 metres: nothing once the bodies have
// come to rest.
static void check_shaken(const CairnSolver *solver, CairnJointType type, Partner partner) {
    uint64_t seed = 100 + (uint64_t)type;
    Rig r = rig(solver, type, partner, 4);
    double h = 1.0 / 240;
    for (int n = 0; n < 240; n++) {
        if (partner == TO_KINEMATIC) {
            assert_ok(cairn_body_set_velocity(r.world, r.a, support_vec3(&seed, -1, 1), support_vec3(&seed, -2, 2)));
        } else {
            support_push(r.world, r.a, support_vec3(&seed, -60, 60), support_vec3(&seed, -12, 12));
        }
        support_push(r.world, r.b, support_vec3(&seed, -60, 60), support_vec3(&seed, -12, 12));
        support_step(r.world, h);
    }
    if (partner == TO_KINEMATIC) {
        assert_ok(cairn_body_set_velocity(r.world, r.a, ORIGIN, ORIGIN));
    }
    CairnStats stats = support_steps(r.world, h, 6 * 240);
    assert_below(stats.joint_error_linear, 1e-6);
    assert_below(stats.joint_error_angular, 1e-6);
    cairn_world_destroy(r.world);
}

static void shaken_joints_come_back(void **state) {
    (void)state;
    for (CairnJointType type = 0; type < CAIRN_JOINT_TYPE_COUNT; type++) {
        for (Partner partner = 0; partner < PARTNER_COUNT; partner++) {
            check_shaken(&support_exact, type, partner);
        }
        check_shaken(NULL, type, TO_WORLD);
        check_shaken(NULL, type, TO_DYNAMIC);
    }
}

// ---- error while moving ----

static CairnVec3 wave(double t, double phase, double size) {
    return cairn_scale(size, cairn_vec3(sin(3 * t + phase), sin(4 * t + 2 * phase), cos(5 * t + 3 * phase)));
}

// Root mean squares of the errors in m and rad of a motion driven by smooth forces and torques. The first quarter is
// left out: there the bodies are taken up from rest.
static void moving_error(CairnJointType type, Partner partner, double h, double rms[2]) {
    Rig r = rig(&support_exact, type, partner, 0);
    int count = (int)lround(0.8 / h), taken = 0;
    rms[0] = rms[1] = 0;
    for (int n = 0; n < count; n++) {
        double t = n * h;
        if (partner == TO_KINEMATIC) {
            assert_ok(cairn_body_set_velocity(r.world, r.a, wave(t, 1, 0.5), wave(t, 2, 2)));
        } else {
            support_push(r.world, r.a, wave(t, 1, 30), wave(t, 2, 6));
        }
        support_push(r.world, r.b, wave(t, 3, 40), wave(t, 4, 5));
        CairnStats stats = support_step(r.world, h);
        if (4 * n >= count) {
            taken++;
            rms[0] += stats.joint_error_linear * stats.joint_error_linear;
            rms[1] += stats.joint_error_angular * stats.joint_error_angular;
        }
    }
    for (int i = 0; i < 2; i++) {
        rms[i] = sqrt(rms[i] / taken);
    }
    cairn_world_destroy(r.world);
}

// Rows follow the curvature that the motion has when the step begins; what they leave is of the order after it,
// whatever came before.
static void errors_while_moving_fall_as_h3(void **state) {
    (void)state;
    for (CairnJointType type = 0; type < CAIRN_JOINT_TYPE_COUNT; type++) {
        for (Partner partner = 0; partner < PARTNER_COUNT; partner++) {
            double coarse[2], fine[2];
            moving_error(type, partner, 1.0 / 500, coarse);
            moving_error(type, partner, 1.0 / 1000, fine);
            for (int i = 0; i < 2; i++) {
                if (fine[i] > 1e-12) { // below: no such coordinate is locked, or nothing but compliance moves it
                    assert_true(coarse[i] / fine[i] > 7 && coarse[i] / fine[i] < 9);
                }
            }
            // Held by the world, these move along straight lines or turn about their centres: they have no error.
            bool is_straight = type == CAIRN_JOINT_FIXED || type == CAIRN_JOINT_PRISMATIC ||
                               type == CAIRN_JOINT_PLANAR || type == CAIRN_JOINT_SIX_DOF;
            assert_true(fine[0] > 1e-12 || fine[1] > 1e-12 || (is_straight && partner == TO_WORLD));
        }
    }
}

// ---- free is free, locked is locked ----

static bool is_free(CairnJointType type, int axis) {
    static const char *const rows[CAIRN_JOINT_TYPE_COUNT] = {
        [CAIRN_JOINT_BALL] = "000111",      [CAIRN_JOINT_REVOLUTE] = "000100",    [CAIRN_JOINT_UNIVERSAL] = "000110",
        [CAIRN_JOINT_PRISMATIC] = "100000", [CAIRN_JOINT_CYLINDRICAL] = "100100", [CAIRN_JOINT_FIXED] = "000000",
        [CAIRN_JOINT_PLANAR] = "011100",    [CAIRN_JOINT_WHEEL] = "100010",       [CAIRN_JOINT_SIX_DOF] = "000000",
    };
    return rows[type][axis] == '1';
}

static CairnVec3 unit(int i) {
    return cairn_vec3(i == 0, i == 1, i == 2);
}

// Both bodies at one place, the joint in their centres, pushed apart along one axis of it: n steps of h with the
// acceleration a make n (n + 1)/2 h^2 a, or nothing where the axis is locked.
static void check_axis(CairnJointType type, Partner partner, int axis) {
    CairnWorld *world = support_world(&support_exact, ORIGIN);
    Rig r = {.world = world};
    const double inertia[3] = {0.3, 0.4, 0.5};
    double mobility = axis < 3 ? 1 / 2.0 : 1 / inertia[axis - 3];
    if (partner != TO_WORLD) {
        r.a = rig_body(world, partner == TO_DYNAMIC ? CAIRN_BODY_DYNAMIC : CAIRN_BODY_KINEMATIC, ORIGIN, 0);
        mobility *= partner == TO_DYNAMIC ? 2 : 1;
    }
    r.b = rig_body(world, CAIRN_BODY_DYNAMIC, ORIGIN, 0);
    CairnJointDef def = cairn_joint_def(type); // its frames are those of the bodies
    def.body_a = r.a;
    def.body_b = r.b;
    assert_ok(cairn_joint_create(world, &def, &r.joint));
    double h = 1e-3, effort = 0.2;
    int count = 100;
    for (int n = 0; n < count; n++) {
        CairnVec3 force = axis < 3 ? cairn_scale(effort, unit(axis)) : ORIGIN;
        CairnVec3 torque = axis < 3 ? ORIGIN : cairn_scale(effort, unit(axis - 3));
        support_push(r.world, r.b, force, torque);
        if (partner == TO_DYNAMIC) {
            support_push(r.world, r.a, cairn_neg(force), cairn_neg(torque));
        }
        support_step(world, h);
    }
    CairnJointState s = support_joint_state(world, r.joint);
    double gone = 0.5 * count * (count + 1) * h * h * effort * mobility;
    for (int i = 0; i < CAIRN_AXIS_COUNT; i++) {
        double expected = i == axis && is_free(type, axis) ? gone : 0;
        // Compliance leaves C h F / h = 2e-11 m of a lock.
        assert_near(s.position[i], expected, 1e-9);
    }
    cairn_world_destroy(world);
}

static void free_axes_are_free_and_locked_ones_locked(void **state) {
    (void)state;
    for (CairnJointType type = 0; type < CAIRN_JOINT_GEAR; type++) {
        for (int axis = 0; axis < CAIRN_AXIS_COUNT && type != CAIRN_JOINT_DISTANCE; axis++) {
            for (Partner partner = 0; partner < PARTNER_COUNT; partner++) {
                check_axis(type, partner, axis);
            }
        }
    }
}

// ---- limits ----

// A slide of 2 kg, and a wheel on an axle through its centre, run at 3 m/s (rad/s) into a limit 0.5 away.
static void limits_are_met_and_not_passed(void **state) {
    (void)state;
    const CairnSolver *const solvers[] = {&support_exact, NULL};
    for (int k = 0; k < 8; k++) {
        CairnWorld *world = support_world(solvers[k & 1], ORIGIN);
        CairnBodyId body = rig_body(world, CAIRN_BODY_DYNAMIC, ORIGIN, 0);
        bool is_slide = (k & 2) != 0;
        double sign = (k & 4) != 0 ? -1 : 1, h = 0.0077; // no whole number of steps
        int axis = is_slide ? CAIRN_X : CAIRN_RX;
        CairnJointDef def = cairn_joint_def(is_slide ? CAIRN_JOINT_PRISMATIC : CAIRN_JOINT_REVOLUTE);
        def.axes[axis].mode = CAIRN_AXIS_LIMITED;
        def.axes[axis].lower = -0.5;
        def.axes[axis].upper = 0.5;
        CairnJointId joint = support_joint_of(world, def, GROUND, body, ORIGIN, X);
        CairnVec3 speed = cairn_scale(3 * sign, X);
        assert_ok(cairn_body_set_velocity(world, body, is_slide ? speed : ORIGIN, is_slide ? ORIGIN : speed));
        for (int n = 1; n <= 100; n++) {
            support_step(world, h);
            CairnJointState s = support_joint_state(world, joint);
            double free = fmin(3 * n * h, 0.5);
            // It arrives with the step that would pass the limit. Compliance gives it C m v = 6e-10 m/s on the way, at
            // which it then leaves: 4e-10 m in 78 steps.
            assert_near(s.position[axis], sign * free, 5e-10);
        }
        assert_near(support_joint_state(world, joint).velocity[axis], 0, 6.1e-10); // nothing bounces
        assert_below(support_joint_state(world, joint).linear_error, 1e-10);
        for (int n = 0; n < 50; n++) { // pressed against it, then pulled away
            support_push(world, body, cairn_scale(20 * sign, X), cairn_scale(20 * sign, X));
            support_step(world, h);
        }
        CairnJointState s = support_joint_state(world, joint);
        assert_near(s.position[axis], sign * 0.5, 1e-9); // C times 20 N
        assert_near(cairn_dot(is_slide ? s.force : s.torque, X), -20 * sign, 1e-8);
        support_push(world, body, cairn_scale(-20 * sign, X), cairn_scale(-20 * sign, X));
        support_step(world, h);
        s = support_joint_state(world, joint);
        assert_near(s.velocity[axis], -sign * 20 * h / (is_slide ? 2 : 0.3), 1e-7);
        cairn_world_destroy(world);
    }
}

// ---- reactions ----

// Five weights hung from one another: each joint bears what hangs below it.
static void joints_tell_the_weight_that_they_bear(void **state) {
    (void)state;
    CairnWorld *world = support_world(&support_exact, cairn_vec3(0, 0, -9.81));
    CairnBodyId last = GROUND;
    CairnJointId joints[5];
    const double masses[5] = {1, 0.2, 7, 3, 40};
    for (int i = 0; i < 5; i++) {
        CairnBodyId body = support_body(world, masses[i], cairn_vec3(0.1, 0.1, 0.1), cairn_vec3(0, 0, -i - 0.5));
        CairnJointType types[5] = {CAIRN_JOINT_BALL, CAIRN_JOINT_REVOLUTE, CAIRN_JOINT_FIXED, CAIRN_JOINT_UNIVERSAL,
                                   CAIRN_JOINT_DISTANCE};
        CairnJointDef def = cairn_joint_def(types[i]);
        if (types[i] == CAIRN_JOINT_DISTANCE) {
            def.body_a = last;
            def.body_b = body;
            def.frame_a.p = cairn_vec3(0, 0, -0.5);
            assert_ok(cairn_joint_create(world, &def, &joints[i]));
        } else {
            joints[i] = support_joint_of(world, def, last, body, cairn_vec3(0, 0, -i), X);
        }
        last = body;
    }
    support_steps(world, 1.0 / 60, 120);
    double below = 0;
    for (int i = 4; i >= 0; i--) {
        below += masses[i] * 9.81;
        CairnJointState s = support_joint_state(world, joints[i]);
        assert_vec3_near(s.force, cairn_vec3(0, 0, below), 1e-8 * 51.2 * 9.81);
        assert_vec3_near(s.torque, ORIGIN, 1e-8);
    }
    cairn_world_destroy(world);
}

// A beam of 3 kg built in at its end: m g, and m g l about the clamp.
static void clamp_tells_its_moment(void **state) {
    (void)state;
    const CairnSolver *const solvers[] = {&support_exact, NULL};
    for (int k = 0; k < 2; k++) {
        CairnWorld *world = support_world(solvers[k], cairn_vec3(0, -9.81, 0));
        CairnBodyId beam = support_rod(world, 3, ORIGIN, cairn_vec3(1.6, 0, 0));
        CairnJointId clamp = support_joint(world, CAIRN_JOINT_FIXED, GROUND, beam, ORIGIN, X);
        support_steps(world, 1.0 / 60, 120);
        CairnJointState s = support_joint_state(world, clamp);
        assert_vec3_near(s.force, cairn_vec3(0, 3 * 9.81, 0), k == 0 ? 1e-8 : 1e-6);
        assert_vec3_near(s.torque, cairn_vec3(0, 0, 3 * 9.81 * 0.8), k == 0 ? 1e-8 : 1e-6);
        cairn_world_destroy(world);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shaken_joints_come_back),
        cmocka_unit_test(errors_while_moving_fall_as_h3),
        cmocka_unit_test(free_axes_are_free_and_locked_ones_locked),
        cmocka_unit_test(limits_are_met_and_not_passed),
        cmocka_unit_test(joints_tell_the_weight_that_they_bear),
        cmocka_unit_test(clamp_tells_its_moment),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
