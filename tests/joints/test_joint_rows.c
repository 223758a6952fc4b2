// Rows of joints: their number and bounds, drives against closed forms, forces in balance.
#include "engine/base/vec6.h"
#include "engine/joints/coordinates.h"
#include "tests/support/support_joints.h"

static const CairnVec3 X = {1, 0, 0}, ORIGIN = {0, 0, 0};

static int rows_of(const JointSetup *setup, CairnJointRow rows[CAIRN_JOINT_MAX_ROWS]) {
    CairnJointInput input = support_joint_input(setup);
    return cairn_joint_rows(&input, rows);
}

// ---- number and bounds ----

static void rows_keep_number_and_meaning_in_any_pose(void **state) {
    (void)state;
    uint64_t seed = 1;
    const int plain[CAIRN_JOINT_TYPE_COUNT] = {3, 5, 4, 5, 4, 6, 1, 3, 4, 6, 1};
    for (CairnJointType type = 0; type < CAIRN_JOINT_GEAR; type++) {
        CairnJointDef def = cairn_joint_def(type);
        JointSetup setup = support_joint_setup(&seed, &def);
        CairnJointRow first[CAIRN_JOINT_MAX_ROWS], rows[CAIRN_JOINT_MAX_ROWS];
        assert_int_equal(rows_of(&setup, first), plain[type]);
        for (int axis = 0; axis < CAIRN_AXIS_COUNT; axis++) { // as much as it takes
            CairnJointDef trial = setup.core.def;
            trial.axes[axis].mode = CAIRN_AXIS_LIMITED;
            trial.axes[axis].drive = CAIRN_DRIVE_SPRING;
            trial.axes[axis].stiffness = 1;
            trial.axes[axis].lower = -0.1;
            trial.axes[axis].upper = 0.1;
            setup.core.def = cairn_is_ok(cairn_joint_check(&trial)) ? trial : setup.core.def;
        }
        int count = rows_of(&setup, first);
        assert_true(count <= CAIRN_JOINT_MAX_ROWS);
        for (int i = 0; i < 200; i++) {
            support_joint_place(&setup, 1, support_vec3(&seed, -1, 1), support_quat(&seed));
            assert_int_equal(rows_of(&setup, rows), count);
            for (int r = 0; r < count; r++) {
                assert_int_equal(rows[r].role, first[r].role);
                assert_int_equal(rows[r].axis, first[r].axis);
                assert_true(isfinite(rows[r].error));
                assert_true(cairn_vec3_is_finite(rows[r].jacobian[0].angular));
                assert_true(rows[r].lower <= rows[r].upper);
            }
        }
    }
}

static void axes_without_effect_make_no_rows(void **state) {
    (void)state;
    uint64_t seed = 2;
    CairnJointDef def = cairn_joint_def(CAIRN_JOINT_REVOLUTE);
    def.axes[CAIRN_RX].mode = CAIRN_AXIS_LIMITED;  // infinite both ways
    def.axes[CAIRN_RX].drive = CAIRN_DRIVE_SPRING; // without stiffness or damping
    JointSetup setup = support_joint_setup(&seed, &def);
    CairnJointRow rows[CAIRN_JOINT_MAX_ROWS];
    assert_int_equal(rows_of(&setup, rows), 5);
    setup.core.def.axes[CAIRN_RX].upper = 1;
    assert_int_equal(rows_of(&setup, rows), 6);
    assert_int_equal(rows[3].role, CAIRN_ROW_UPPER);
    setup.core.def.axes[CAIRN_RX].damping = 1;
    assert_int_equal(rows_of(&setup, rows), 7);
    setup.core.def.axes[CAIRN_RX].spring_unit = CAIRN_SPRING_FREQUENCY; // a damping ratio of no frequency
    assert_int_equal(rows_of(&setup, rows), 6);
}

static void limits_push_one_way_and_are_met_exactly(void **state) {
    (void)state;
    uint64_t seed = 3;
    CairnJointDef def = cairn_joint_def(CAIRN_JOINT_PRISMATIC);
    def.axes[CAIRN_X].mode = CAIRN_AXIS_LIMITED;
    def.axes[CAIRN_X].lower = -1;
    def.axes[CAIRN_X].upper = 2;
    def.axes[CAIRN_X].compliance = 1e-5;
    JointSetup setup = support_joint_setup(&seed, &def);
    CairnJointRow rows[CAIRN_JOINT_MAX_ROWS];
    const double places[3] = {0.5, 2.25, -1.5};
    for (int i = 0; i < 3; i++) {
        support_joint_place(&setup, 1, cairn_vec3(places[i], 0, 0), cairn_quat_identity());
        rows_of(&setup, rows);
        assert_int_equal(rows[0].role, CAIRN_ROW_LOWER);
        assert_int_equal(rows[1].role, CAIRN_ROW_UPPER);
        assert_near(rows[0].error, places[i] + 1, 1e-14);
        assert_near(rows[1].error, 2 - places[i], 1e-14);
        for (int r = 0; r < 2; r++) {
            assert_near(rows[r].fraction, rows[r].error > 0 ? 1 : -1, 0);
            assert_near(rows[r].lower, 0, 0);
            assert_true(isinf(rows[r].upper));
            assert_near(rows[r].compliance, 1e-5, 0);
        }
    }
    setup.core.def.axes[CAIRN_X].lower = 2; // nothing between: held there
    int count = rows_of(&setup, rows);
    assert_int_equal(count, 6);
    assert_int_equal(rows[0].role, CAIRN_ROW_LOCK);
    assert_near(rows[0].error, -1.5 - 2, 1e-14);
    assert_true(isinf(rows[0].lower) && isinf(rows[0].upper));
}

// ---- drives ----

// J M^-1 J^T of a row.
static double mobility(const JointSetup *setup, const CairnJointRow *row) {
    double sum = 0;
    for (int k = 0; k < 2; k++) {
        CairnVec6 j = row->jacobian[k];
        sum += setup->inverse_mass[k] * cairn_length_squared(j.linear);
        sum += cairn_dot(j.angular, cairn_mat3_mul(setup->inverse_inertia[k], j.angular));
    }
    return sum;
}

// The impulse that solves one row by itself, and the velocity along it after.
static double solve_alone(const JointSetup *setup, const CairnJointRow *row, double velocity, double *after) {
    double inverse_mass = mobility(setup, row);
    double d = row->fraction * row->error / setup->h + row->rate;
    double lambda = cairn_clamp(-(velocity + d) / (inverse_mass + row->compliance), row->lower, row->upper);
    *after = velocity + inverse_mass * lambda;
    return lambda;
}

// m v' = m v + h (-k (q + h v' - q0) - c (v' - v0)), solved for v'.
static double implicit_spring(double m, double k, double c, double h, double q, double v, double v0) {
    return (m * v + h * (c * v0 - k * q)) / (m + h * c + h * h * k);
}

static void springs_are_implicit_springs(void **state) {
    (void)state;
    uint64_t seed = 4;
    const CairnJointType types[2] = {CAIRN_JOINT_PRISMATIC, CAIRN_JOINT_REVOLUTE};
    for (int i = 0; i < 200; i++) {
        int axis = i % 2 == 0 ? CAIRN_X : CAIRN_RX;
        CairnJointDef def = cairn_joint_def(types[i % 2]);
        CairnAxis *settings = &def.axes[axis];
        settings->drive = CAIRN_DRIVE_SPRING;
        settings->spring_unit = i % 4 < 2 ? CAIRN_SPRING_FORCE : CAIRN_SPRING_FREQUENCY;
        settings->stiffness = i % 5 == 0 ? 0 : pow(10, support_uniform(&seed, -1, i % 4 < 2 ? 6 : 2));
        settings->damping = i % 7 == 0 ? 0 : pow(10, support_uniform(&seed, -1, i % 4 < 2 ? 4 : 1));
        settings->target_position = 0.25;
        settings->target_velocity = support_uniform(&seed, -1, 1);
        JointSetup setup = support_joint_setup(&seed, &def);
        support_joint_place(&setup, 1, ORIGIN, cairn_quat_identity());
        CairnJointRow rows[CAIRN_JOINT_MAX_ROWS];
        int count = rows_of(&setup, rows), drive = axis == CAIRN_X ? 0 : 3;
        if (rows[drive].role != CAIRN_ROW_DRIVE) {
            assert_int_equal(count, 5);
            assert_true(settings->stiffness == 0);
            continue;
        }
        double mass = 1 / mobility(&setup, &rows[drive]), k = settings->stiffness, c = settings->damping;
        if (settings->spring_unit == CAIRN_SPRING_FREQUENCY) {
            double omega = 2 * CAIRN_PI * k;
            k = mass * omega * omega;
            c = 2 * settings->damping * mass * omega;
        }
        double v = support_uniform(&seed, -1, 1), after;
        double lambda = solve_alone(&setup, &rows[drive], v, &after);
        double expected = implicit_spring(mass, k, c, setup.h, -0.25, v, settings->target_velocity);
        assert_near(after, expected, 1e-11 * (1 + fabs(expected) + fabs(v))); // C carries 1/(h h k): a few digits go
        double force = -k * (setup.h * expected - 0.25) - c * (expected - settings->target_velocity);
        assert_near(lambda / setup.h, force, 1e-9 * (1 + fabs(force)));
    }
}

static void drives_keep_to_their_force(void **state) {
    (void)state;
    uint64_t seed = 5;
    CairnJointDef def = cairn_joint_def(CAIRN_JOINT_CYLINDRICAL);
    def.axes[CAIRN_RX].drive = CAIRN_DRIVE_VELOCITY;
    def.axes[CAIRN_RX].target_velocity = 3;
    def.axes[CAIRN_X].drive = CAIRN_DRIVE_SPRING;
    def.axes[CAIRN_X].stiffness = 1e6;
    def.axes[CAIRN_X].max_force = 7;
    JointSetup setup = support_joint_setup(&seed, &def);
    support_joint_place(&setup, 1, cairn_vec3(0.5, 0, 0), cairn_quat_identity());
    CairnJointRow rows[CAIRN_JOINT_MAX_ROWS];
    assert_int_equal(rows_of(&setup, rows), 6);
    double after;
    assert_near(solve_alone(&setup, &rows[0], 0, &after), -7 * setup.h, 1e-16);
    assert_near(rows[0].upper, 7 * setup.h, 1e-16);
    assert_int_equal(rows[3].axis, CAIRN_RX);
    assert_true(isinf(rows[3].upper) && isinf(rows[3].lower));
    solve_alone(&setup, &rows[3], -1, &after);
    assert_near(after, 3, 1e-8); // but for its compliance of 1e-10
    setup.core.def.axes[CAIRN_RX].max_force = 0;
    rows_of(&setup, rows);
    assert_near(rows[3].upper, 0, 0);
    assert_near(solve_alone(&setup, &rows[3], -1, &after), 0, 0);
}

// ---- forces ----

static void a_hanging_body_pulls_with_its_weight(void **state) {
    (void)state;
    uint64_t seed = 6;
    CairnVec3 weight = {0, 0, -9.81 * 3};
    CairnJointDef def = cairn_joint_def(CAIRN_JOINT_FIXED);
    for (int i = 0; i < 20; i++) {
        JointSetup setup = support_joint_setup(&seed, &def);
        support_joint_place(&setup, 1, ORIGIN, cairn_quat_identity());
        CairnJointRow rows[CAIRN_JOINT_MAX_ROWS];
        CairnJointInput input = support_joint_input(&setup);
        assert_int_equal(cairn_joint_rows(&input, rows), 6);
        CairnRelative relative = cairn_relative(input.bodies);
        // The joint carries the weight at frame B's origin, and the moment that it has there.
        CairnVec3 force = cairn_neg(weight), torque = cairn_cross(relative.arm_b, weight);
        double lambda[6];
        for (int axis = 0; axis < 3; axis++) {
            lambda[axis] = setup.h * cairn_dot(force, relative.a[axis]);
            lambda[3 + axis] = setup.h * cairn_dot(torque, relative.a[axis]);
        }
        CairnVec6 sum = {ORIGIN, ORIGIN}; // about the centre of mass nothing is left to turn the body
        for (int r = 0; r < 6; r++) {
            sum = cairn_vec6_add_scaled(sum, lambda[r] / setup.h, rows[r].jacobian[1]);
        }
        assert_vec3_near(sum.linear, force, 1e-13);
        assert_vec3_near(sum.angular, ORIGIN, 1e-12);
        CairnJointState s = {0};
        cairn_joint_forces(&input, rows, 6, lambda, &s);
        assert_vec3_near(s.force, force, 1e-12);
        assert_vec3_near(s.torque, torque, 1e-12);
    }
}

static void drive_forces_are_told_by_axis(void **state) {
    (void)state;
    uint64_t seed = 7;
    CairnJointDef def = cairn_joint_def(CAIRN_JOINT_CYLINDRICAL);
    def.axes[CAIRN_X].drive = def.axes[CAIRN_RX].drive = CAIRN_DRIVE_VELOCITY;
    JointSetup setup = support_joint_setup(&seed, &def);
    support_joint_place(&setup, 1, ORIGIN, cairn_quat_identity());
    CairnJointInput input = support_joint_input(&setup);
    CairnJointRow rows[CAIRN_JOINT_MAX_ROWS];
    CairnJointState s = {0};
    const double lambda[6] = {0.5, 0, 0, -0.25, 0, 0};
    assert_int_equal(cairn_joint_rows(&input, rows), 6);
    cairn_joint_forces(&input, rows, 6, lambda, &s);
    CairnVec3 x = cairn_rotate(input.bodies[0].frame.q, X);
    assert_near(s.drive_force[CAIRN_X], 50, 1e-12);
    assert_near(s.drive_force[CAIRN_RX], -25, 1e-12);
    assert_near(s.drive_force[CAIRN_RY], 0, 0);
    assert_vec3_near(s.force, cairn_scale(50, x), 1e-12);
    assert_vec3_near(s.torque, cairn_scale(-25, x), 1e-12);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_keep_number_and_meaning_in_any_pose),
        cmocka_unit_test(axes_without_effect_make_no_rows),
        cmocka_unit_test(limits_push_one_way_and_are_met_exactly),
        cmocka_unit_test(springs_are_implicit_springs),
        cmocka_unit_test(drives_keep_to_their_force),
        cmocka_unit_test(a_hanging_body_pulls_with_its_weight),
        cmocka_unit_test(drive_forces_are_told_by_axis),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
