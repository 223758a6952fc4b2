// Joints as functions of poses: what they measure, that their Jacobians are the derivatives of their errors.
#include "engine/base/vec6.h"
#include "tests/support/support_joints.h"

static const CairnVec3 X = {1, 0, 0}, Y = {0, 1, 0}, Z = {0, 0, 1}, ORIGIN = {0, 0, 0};

static CairnQuat about(CairnVec3 axis, double angle) {
    return cairn_quat_axis_angle(axis, angle);
}

// Rx(a) Ry(b) Rz(c)
static CairnQuat cardan(double a, double b, double c) {
    return cairn_quat_mul(about(X, a), cairn_quat_mul(about(Y, b), about(Z, c)));
}

static bool is_settable(CairnJointType type, int axis) {
    CairnJointDef def = cairn_joint_def(type);
    def.axes[axis].mode = CAIRN_AXIS_LIMITED;
    return cairn_is_ok(cairn_joint_check(&def));
}

// ---- Jacobians ----

// Every row's J v against the central difference of its error along the motion, every velocity against that of its
// position.
static void check_derivatives(const JointSetup *setup) {
    const double t = 1e-5;
    JointSetup setups[3] = {support_joint_moved(setup, -t), *setup, support_joint_moved(setup, t)};
    CairnJointRow rows[3][CAIRN_JOINT_MAX_ROWS];
    CairnJointState states[3];
    int counts[3];
    for (int i = 0; i < 3; i++) {
        CairnJointInput input = support_joint_input(&setups[i]);
        counts[i] = cairn_joint_rows(&input, rows[i]);
        cairn_joint_measure(&input, &states[i]);
    }
    assert_int_equal(counts[0], counts[1]);
    assert_int_equal(counts[2], counts[1]);
    for (int r = 0; r < counts[1]; r++) {
        double rate = 0;
        for (int k = 0; k < CAIRN_JOINT_MAX_BODIES; k++) {
            rate += cairn_vec6_dot(rows[1][r].jacobian[k], setup->velocity[k]);
        }
        int axis = rows[1][r].axis;
        if (rows[1][r].role == CAIRN_ROW_DRIVE) { // the error of a motor is none, its velocity that of the axis
            assert_near(rate, states[1].velocity[axis], 1e-14 * (1 + fabs(rate)));
        } else {
            assert_near((rows[2][r].error - rows[0][r].error) / (2 * t), rate, 1e-7 * (1 + fabs(rate)));
        }
    }
    for (int axis = 0; axis < CAIRN_AXIS_COUNT; axis++) {
        double velocity = states[1].velocity[axis];
        assert_near((states[2].position[axis] - states[0].position[axis]) / (2 * t), velocity,
                    1e-7 * (1 + fabs(velocity)));
    }
}

// Limits, a motor or a spring on every coordinate that takes them.
static CairnJointDef furnished(CairnJointType type, CairnDrive drive) {
    CairnJointDef def = cairn_joint_def(type);
    for (int axis = 0; axis < CAIRN_AXIS_COUNT; axis++) {
        if (is_settable(type, axis)) {
            def.axes[axis].mode = CAIRN_AXIS_LIMITED;
            def.axes[axis].lower = -0.3;
            def.axes[axis].upper = 0.4;
            def.axes[axis].drive = drive;
            def.axes[axis].stiffness = 100;
            def.axes[axis].damping = 1;
        }
    }
    return def;
}

static void jacobians_are_derivatives_of_errors(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (CairnJointType type = 0; type < CAIRN_JOINT_GEAR; type++) {
        const CairnJointDef defs[3] = {cairn_joint_def(type), furnished(type, CAIRN_DRIVE_VELOCITY),
                                       furnished(type, CAIRN_DRIVE_SPRING)};
        for (int i = 0; i < 300; i++) {
            JointSetup setup = support_joint_setup(&seed, &defs[i % 3]);
            // Any offset; a turn far from where locks want it, though inside the range of every angle.
            support_joint_place(&setup, 1, support_vec3(&seed, -1, 1), cairn_quat_exp(support_vec3(&seed, -0.7, 0.7)));
            check_derivatives(&setup);
        }
    }
}

static void jacobians_hold_after_any_free_turn(void **state) {
    (void)state;
    uint64_t seed = 2;
    const CairnJointType types[] = {CAIRN_JOINT_REVOLUTE, CAIRN_JOINT_CYLINDRICAL, CAIRN_JOINT_PLANAR,
                                    CAIRN_JOINT_UNIVERSAL, CAIRN_JOINT_WHEEL};
    for (int i = 0; i < 500; i++) {
        CairnJointDef def = furnished(types[i % 5], CAIRN_DRIVE_SPRING);
        JointSetup setup = support_joint_setup(&seed, &def);
        bool is_cross = def.type == CAIRN_JOINT_UNIVERSAL || def.type == CAIRN_JOINT_WHEEL;
        CairnQuat turn = cardan(support_uniform(&seed, -3, 3), is_cross ? support_uniform(&seed, -3, 3) : 0, 0);
        turn = cairn_quat_mul(turn, cairn_quat_exp(support_vec3(&seed, -0.05, 0.05)));
        support_joint_place(&setup, 1, support_vec3(&seed, -1, 1), turn);
        check_derivatives(&setup);
    }
}

// Six-dof joints choose their angles by what is locked.
static void jacobians_hold_for_any_six_dof(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (int locked = 0; locked < 64; locked++) {
        CairnJointDef def = cairn_joint_def(CAIRN_JOINT_SIX_DOF);
        for (int axis = 0; axis < CAIRN_AXIS_COUNT; axis++) {
            def.axes[axis].mode = (locked >> axis) & 1 ? CAIRN_AXIS_AS_TYPE : CAIRN_AXIS_FREE;
        }
        for (int i = 0; i < 5; i++) {
            JointSetup setup = support_joint_setup(&seed, &def);
            support_joint_place(&setup, 1, support_vec3(&seed, -1, 1), cairn_quat_exp(support_vec3(&seed, -0.7, 0.7)));
            check_derivatives(&setup);
        }
    }
}

static JointSetup gear_setup(uint64_t *seed, CairnJointType a, CairnJointType b) {
    CairnJointDef def = cairn_joint_def(CAIRN_JOINT_GEAR);
    def.ratio = -2.5;
    JointSetup setup = support_joint_setup(seed, &def);
    setup.gear_a.def = cairn_joint_def(a);
    setup.gear_b.def = cairn_joint_def(b);
    return setup;
}

static void jacobians_of_gears_reach_four_bodies(void **state) {
    (void)state;
    uint64_t seed = 4;
    const CairnJointType types[] = {CAIRN_JOINT_REVOLUTE, CAIRN_JOINT_PRISMATIC, CAIRN_JOINT_CYLINDRICAL,
                                    CAIRN_JOINT_WHEEL};
    for (int i = 0; i < 160; i++) {
        JointSetup setup = gear_setup(&seed, types[i % 4], types[i / 4 % 4]);
        support_joint_place(&setup, 1, support_vec3(&seed, -1, 1), cairn_quat_exp(support_vec3(&seed, -0.7, 0.7)));
        support_joint_place(&setup, 3, support_vec3(&seed, -1, 1), cairn_quat_exp(support_vec3(&seed, -0.7, 0.7)));
        check_derivatives(&setup);
        CairnJointInput input = support_joint_input(&setup);
        CairnJointRow rows[CAIRN_JOINT_MAX_ROWS];
        assert_int_equal(cairn_joint_rows(&input, rows), 1);
        for (int k = 0; k < 4; k++) {
            assert_true(cairn_vec6_dot(rows[0].jacobian[k], rows[0].jacobian[k]) > 0.5);
        }
    }
}

// The rotation vector's derivative at small turns, where it goes by its limit and a coarse difference is exact to
// 1e-12.
static void the_rotation_vector_is_exact_near_zero(void **state) {
    (void)state;
    uint64_t seed = 11;
    CairnJointDef def = cairn_joint_def(CAIRN_JOINT_BALL);
    for (int i = 0; i < 50; i++) {
        JointSetup setup = support_joint_setup(&seed, &def);
        setup.velocity[0].angular = ORIGIN;
        support_joint_place(&setup, 1, ORIGIN, cairn_quat_exp(support_vec3(&seed, -2e-3, 2e-3)));
        CairnJointState states[3];
        for (int k = 0; k < 3; k++) {
            JointSetup moved = support_joint_moved(&setup, 1e-3 * (k - 1));
            CairnJointInput input = support_joint_input(&moved);
            cairn_joint_measure(&input, &states[k]);
        }
        for (int axis = CAIRN_RX; axis <= CAIRN_RZ; axis++) {
            assert_near((states[2].position[axis] - states[0].position[axis]) / 2e-3, states[1].velocity[axis], 1e-11);
        }
    }
}

// ---- measuring ----

// The state of a joint whose frame B lies at `offset` and `turn` in frame A.
static CairnJointState measured(const CairnJointDef *def, CairnVec3 offset, CairnQuat turn) {
    uint64_t seed = 5;
    JointSetup setup = support_joint_setup(&seed, def);
    support_joint_place(&setup, 1, offset, turn);
    CairnJointInput input = support_joint_input(&setup);
    CairnJointState state = {0};
    cairn_joint_measure(&input, &state);
    return state;
}

static void assert_positions(CairnJointState state, double x, double y, double z, double rx, double ry, double rz) {
    const double expected[6] = {x, y, z, rx, ry, rz};
    for (int axis = 0; axis < CAIRN_AXIS_COUNT; axis++) {
        assert_near(state.position[axis], expected[axis], 1e-14); // a few roundings of numbers near 3
    }
}

static CairnJointDef all_free(CairnJointType type) {
    CairnJointDef def = cairn_joint_def(type);
    for (int axis = 0; axis < CAIRN_AXIS_COUNT; axis++) {
        def.axes[axis].mode = is_settable(type, axis) ? CAIRN_AXIS_FREE : CAIRN_AXIS_AS_TYPE;
    }
    return def;
}

static void positions_are_what_poses_say(void **state) {
    (void)state;
    CairnJointDef def[CAIRN_JOINT_TYPE_COUNT];
    for (CairnJointType type = 0; type < CAIRN_JOINT_TYPE_COUNT; type++) {
        def[type] = all_free(type);
    }
    CairnQuat none = cairn_quat_identity();
    assert_positions(measured(&def[CAIRN_JOINT_BALL], ORIGIN, cairn_quat_exp(cairn_vec3(0.3, -2, 1))), 0, 0, 0, 0.3, -2,
                     1);
    assert_positions(measured(&def[CAIRN_JOINT_REVOLUTE], ORIGIN, about(X, 3)), 0, 0, 0, 3, 0, 0);
    assert_positions(measured(&def[CAIRN_JOINT_REVOLUTE], ORIGIN, about(X, -2)), 0, 0, 0, -2, 0, 0);
    assert_positions(measured(&def[CAIRN_JOINT_UNIVERSAL], ORIGIN, cardan(-2, 2.5, 0)), 0, 0, 0, -2, 2.5, 0);
    assert_positions(measured(&def[CAIRN_JOINT_PRISMATIC], cairn_vec3(0.7, 0, 0), none), 0.7, 0, 0, 0, 0, 0);
    assert_positions(measured(&def[CAIRN_JOINT_CYLINDRICAL], cairn_vec3(-2, 0, 0), about(X, 1)), -2, 0, 0, 1, 0, 0);
    assert_positions(measured(&def[CAIRN_JOINT_FIXED], ORIGIN, none), 0, 0, 0, 0, 0, 0);
    assert_positions(measured(&def[CAIRN_JOINT_DISTANCE], cairn_vec3(0, -3, 0), cardan(1, 1, 1)), 3, 0, 0, 0, 0, 0);
    assert_positions(measured(&def[CAIRN_JOINT_PLANAR], cairn_vec3(0, 1, 2), about(X, -3)), 0, 1, 2, -3, 0, 0);
    assert_positions(measured(&def[CAIRN_JOINT_WHEEL], cairn_vec3(-0.1, 0, 0), cardan(0.4, -3, 0)), -0.1, 0, 0, 0.4, -3,
                     0);
    assert_positions(measured(&def[CAIRN_JOINT_SIX_DOF], cairn_vec3(1, 2, 3), cardan(-2, 1, 3)), 1, 2, 3, -2, 1, 3);
    def[CAIRN_JOINT_SIX_DOF].axes[CAIRN_RZ].mode = CAIRN_AXIS_LOCKED; // now nothing is singular at a right angle
    assert_positions(measured(&def[CAIRN_JOINT_SIX_DOF], ORIGIN, cardan(1, CAIRN_PI / 2, 0)), 0, 0, 0, 1, CAIRN_PI / 2,
                     0);
}

static void errors_are_those_of_locks_and_limits(void **state) {
    (void)state;
    CairnJointDef fixed = cairn_joint_def(CAIRN_JOINT_FIXED), ball = cairn_joint_def(CAIRN_JOINT_BALL);
    CairnJointState s = measured(&fixed, cairn_vec3(0.1, -0.3, 0.2), about(Y, 0.01));
    assert_near(s.linear_error, 0.3, 1e-14);
    assert_near(s.angular_error, 2 * sin(0.005), 1e-14);
    s = measured(&ball, ORIGIN, about(Y, 2));
    assert_near(s.linear_error, 0, 1e-14);
    assert_near(s.angular_error, 0, 0);
    CairnJointDef hinge = cairn_joint_def(CAIRN_JOINT_REVOLUTE);
    s = measured(&hinge, ORIGIN, cairn_quat_mul(about(Z, 0.01), about(X, 2)));
    assert_near(s.angular_error, sin(0.01), 1e-14);
    assert_near(s.position[CAIRN_RZ], sin(0.01), 1e-14); // about z of A, whatever the turn about x
    hinge.axes[CAIRN_RX].mode = CAIRN_AXIS_LIMITED;
    hinge.axes[CAIRN_RX].lower = -0.5;
    hinge.axes[CAIRN_RX].upper = 1;
    assert_near(measured(&hinge, ORIGIN, about(X, 1.25)).angular_error, 0.25, 1e-14);
    assert_near(measured(&hinge, ORIGIN, about(X, -1)).angular_error, 0.5, 1e-14);
    assert_near(measured(&hinge, ORIGIN, about(X, 0.9)).angular_error, 0, 1e-14);
}

static void rods_and_gears_hold_what_they_began_with(void **state) {
    (void)state;
    uint64_t seed = 6;
    CairnJointDef def = cairn_joint_def(CAIRN_JOINT_DISTANCE);
    JointSetup rod = support_joint_setup(&seed, &def);
    CairnJointRow rows[CAIRN_JOINT_MAX_ROWS];
    support_joint_place(&rod, 1, cairn_vec3(0, 3, 4), cairn_quat_identity());
    CairnJointInput input = support_joint_input(&rod);
    cairn_joint_begin(&rod.core, &input);
    assert_int_equal(cairn_joint_rows(&input, rows), 1);
    assert_near(rows[0].error, 0, 0);
    rod.core.def.axes[CAIRN_X].target_position = 4.5;
    assert_int_equal(cairn_joint_rows(&input, rows), 1);
    assert_near(rows[0].error, 0.5, 1e-14);
    support_joint_place(&rod, 1, ORIGIN, cairn_quat_identity()); // no direction: still a row without NaN
    input = support_joint_input(&rod);
    cairn_joint_rows(&input, rows);
    assert_near(cairn_length(rows[0].jacobian[1].linear), 1, 1e-12);

    JointSetup gear = gear_setup(&seed, CAIRN_JOINT_REVOLUTE, CAIRN_JOINT_PRISMATIC);
    support_joint_place(&gear, 1, ORIGIN, about(X, 0.3));
    support_joint_place(&gear, 3, cairn_vec3(2, 0, 0), cairn_quat_identity());
    input = support_joint_input(&gear);
    cairn_joint_begin(&gear.core, &input);
    CairnJointState s = {0};
    cairn_joint_measure(&input, &s);
    assert_near(s.position[CAIRN_X], 0.3 - 2.5 * 2, 1e-14);
    assert_near(s.angular_error, 0, 0);
    support_joint_place(&gear, 3, cairn_vec3(2.1, 0, 0), cairn_quat_identity());
    input = support_joint_input(&gear);
    cairn_joint_measure(&input, &s);
    assert_near(s.angular_error, 0.25, 1e-14);
    assert_near(s.linear_error, 0, 0);
}

static void turns_are_counted_both_ways(void **state) {
    (void)state;
    uint64_t seed = 7;
    const struct {
        CairnJointType type;
        int axis;
    } cases[] = {
        {CAIRN_JOINT_REVOLUTE, CAIRN_RX},  {CAIRN_JOINT_CYLINDRICAL, CAIRN_RX}, {CAIRN_JOINT_PLANAR, CAIRN_RX},
        {CAIRN_JOINT_WHEEL, CAIRN_RX},     {CAIRN_JOINT_WHEEL, CAIRN_RY},       {CAIRN_JOINT_UNIVERSAL, CAIRN_RX},
        {CAIRN_JOINT_UNIVERSAL, CAIRN_RY}, {CAIRN_JOINT_SIX_DOF, CAIRN_RX},     {CAIRN_JOINT_SIX_DOF, CAIRN_RZ}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        CairnJointDef def = all_free(cases[c].type);
        JointSetup setup = support_joint_setup(&seed, &def);
        CairnVec3 axis = cases[c].axis == CAIRN_RX ? X : cases[c].axis == CAIRN_RY ? Y : Z;
        double angle = CAIRN_PI; // created at half a turn: +-pi, and counted from there
        support_joint_place(&setup, 1, ORIGIN, about(axis, angle));
        CairnJointInput input = support_joint_input(&setup);
        cairn_joint_begin(&setup.core, &input);
        CairnJointState s = {0};
        cairn_joint_measure(&input, &s);
        double begin = s.position[cases[c].axis];
        assert_near(fabs(begin), CAIRN_PI, 1e-14);
        for (int i = 0; i < 300; i++) { // 75 rad up, then down past where it began
            angle += i < 100 ? 0.75 : -0.75;
            support_joint_place(&setup, 1, ORIGIN, about(axis, angle));
            input = support_joint_input(&setup);
            cairn_joint_measure(&input, &s); // before the count as after it
            assert_near(s.position[cases[c].axis] - begin, angle - CAIRN_PI, 1e-12);
            double linear, angular;
            cairn_joint_advance(&setup.core, &input, &linear, &angular);
            cairn_joint_measure(&input, &s);
            assert_near(s.position[cases[c].axis] - begin, angle - CAIRN_PI, 1e-12);
        }
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jacobians_are_derivatives_of_errors),
        cmocka_unit_test(jacobians_hold_after_any_free_turn),
        cmocka_unit_test(jacobians_hold_for_any_six_dof),
        cmocka_unit_test(jacobians_of_gears_reach_four_bodies),
        cmocka_unit_test(the_rotation_vector_is_exact_near_zero),
        cmocka_unit_test(positions_are_what_poses_say),
        cmocka_unit_test(errors_are_those_of_locks_and_limits),
        cmocka_unit_test(rods_and_gears_hold_what_they_began_with),
        cmocka_unit_test(turns_are_counted_both_ways),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
