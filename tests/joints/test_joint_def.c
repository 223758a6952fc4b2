// Definitions of joints: their defaults, and what is refused in which words.
#include "engine/joints/joints.h"
#include "tests/support/support.h"
#include <string.h>

static void defaults_are_accepted(void **state) {
    (void)state;
    for (CairnJointType type = 0; type < CAIRN_JOINT_TYPE_COUNT; type++) {
        CairnJointDef def = cairn_joint_def(type);
        assert_int_equal(def.type, type);
        def.joint_a.index = 1;
        def.joint_b.index = 2;
        assert_ok(cairn_joint_check(&def));
        for (int axis = 0; axis < CAIRN_AXIS_COUNT; axis++) {
            assert_near(def.axes[axis].compliance, 0, 0);
            assert_true(isinf(def.axes[axis].max_force));
        }
    }
    assert_string_equal(cairn_joint_type_name(CAIRN_JOINT_SIX_DOF), "six-dof");
    assert_string_equal(cairn_joint_type_name(CAIRN_JOINT_GEAR), "gear");
    assert_string_equal(cairn_joint_type_name(CAIRN_JOINT_TYPE_COUNT), "unknown");
}

// One field of one axis made wrong; the refusal names the type, the axis and the field.
static void refuse_axis(CairnJointType type, int axis, CairnAxis settings, const char *words) {
    CairnJointDef def = cairn_joint_def(type);
    def.axes[axis] = settings;
    CairnStatus status = cairn_joint_check(&def);
    assert_refused(status, CAIRN_INVALID_ARGUMENT, words);
    assert_non_null(strstr(status.message, cairn_joint_type_name(type)));
}

#define AXIS(...)                                                                                                      \
    (CairnAxis) {                                                                                                      \
        .compliance = 1e-10, .max_force = HUGE_VAL, .lower = -HUGE_VAL, .upper = HUGE_VAL, __VA_ARGS__                 \
    }

static void bad_axes_are_refused_by_name(void **state) {
    (void)state;
    const CairnJointType hinge = CAIRN_JOINT_REVOLUTE;
    CairnAxis axis = AXIS(.mode = CAIRN_AXIS_LIMITED);
    axis.lower = 2;
    axis.upper = 1;
    refuse_axis(hinge, CAIRN_RX, axis, "axis RX: lower is 2");
    axis.upper = nan("");
    refuse_axis(hinge, CAIRN_RX, axis, "upper");
    axis = AXIS(.mode = CAIRN_AXIS_LIMITED);
    axis.lower = HUGE_VAL;
    refuse_axis(hinge, CAIRN_RX, axis, "lower");
    axis = AXIS(.mode = CAIRN_AXIS_LIMITED);
    axis.upper = -HUGE_VAL;
    refuse_axis(hinge, CAIRN_RX, axis, "upper, -inf");
    axis = AXIS(.mode = CAIRN_AXIS_FREE);
    axis.max_force = -1;
    refuse_axis(hinge, CAIRN_RX, axis, "max_force");
    axis = AXIS(.mode = CAIRN_AXIS_FREE);
    axis.compliance = -1e-9;
    refuse_axis(hinge, CAIRN_RX, axis, "compliance");
    refuse_axis(hinge, CAIRN_RX, AXIS(.stiffness = -5), "stiffness");
    refuse_axis(hinge, CAIRN_RX, AXIS(.damping = -5), "damping");
    refuse_axis(hinge, CAIRN_RX, AXIS(.stiffness = HUGE_VAL), "stiffness");
    refuse_axis(hinge, CAIRN_RX, AXIS(.target_velocity = nan("")), "target_velocity");
    refuse_axis(hinge, CAIRN_RX, AXIS(.target_position = HUGE_VAL), "target_position");
    refuse_axis(hinge, CAIRN_RX, AXIS(.mode = (CairnAxisMode)7), "mode");
    refuse_axis(hinge, CAIRN_RX, AXIS(.drive = (CairnDrive)3), "drive");
    refuse_axis(hinge, CAIRN_RX, AXIS(.spring_unit = (CairnSpringUnit)2), "spring_unit");
    refuse_axis(hinge, CAIRN_RY, AXIS(.mode = CAIRN_AXIS_FREE), "axis RY: mode is FREE");
    refuse_axis(hinge, CAIRN_X, AXIS(.mode = CAIRN_AXIS_LIMITED), "axis X: mode is LIMITED");
    refuse_axis(hinge, CAIRN_Y, AXIS(.drive = CAIRN_DRIVE_VELOCITY), "axis Y: drive is VELOCITY");
    refuse_axis(CAIRN_JOINT_BALL, CAIRN_RZ, AXIS(.mode = CAIRN_AXIS_LIMITED), "axis RZ: mode is LIMITED");
    refuse_axis(CAIRN_JOINT_BALL, CAIRN_RX, AXIS(.drive = CAIRN_DRIVE_SPRING), "axis RX: drive is SPRING");
    refuse_axis(CAIRN_JOINT_DISTANCE, CAIRN_Y, AXIS(.mode = CAIRN_AXIS_LOCKED), "axis Y: mode is LOCKED");
    refuse_axis(CAIRN_JOINT_DISTANCE, CAIRN_X, AXIS(.target_position = -1), "target_position is -1");
    refuse_axis(CAIRN_JOINT_DISTANCE, CAIRN_X, AXIS(.drive = CAIRN_DRIVE_SPRING), "set it FREE or LIMITED");
    refuse_axis(CAIRN_JOINT_WHEEL, CAIRN_RX, AXIS(.drive = CAIRN_DRIVE_VELOCITY), "set it FREE or LIMITED");
    refuse_axis(CAIRN_JOINT_GEAR, CAIRN_RX, AXIS(.mode = CAIRN_AXIS_LIMITED), "axis RX: mode is LIMITED");
    refuse_axis(CAIRN_JOINT_FIXED, CAIRN_RZ, AXIS(.mode = CAIRN_AXIS_FREE), "axis RZ: mode is FREE");
}

static void bad_definitions_are_refused_by_name(void **state) {
    (void)state;
    assert_refused(cairn_joint_check(NULL), CAIRN_INVALID_ARGUMENT, "NULL");
    CairnJointDef def = {0};
    assert_refused(cairn_joint_check(&def), CAIRN_INVALID_ARGUMENT, "cairn_joint_def()");
    def = cairn_joint_def((CairnJointType)11);
    assert_refused(cairn_joint_check(&def), CAIRN_INVALID_ARGUMENT, "type");
    def = cairn_joint_def(CAIRN_JOINT_BALL);
    def.frame_a.q = (CairnQuat){0, 0, 0, 0};
    assert_refused(cairn_joint_check(&def), CAIRN_INVALID_ARGUMENT, "frame_a.q");
    def = cairn_joint_def(CAIRN_JOINT_BALL);
    def.frame_b.q.w = nan("");
    assert_refused(cairn_joint_check(&def), CAIRN_INVALID_ARGUMENT, "frame_b.q");
    def = cairn_joint_def(CAIRN_JOINT_BALL);
    def.frame_b.p.y = HUGE_VAL;
    assert_refused(cairn_joint_check(&def), CAIRN_INVALID_ARGUMENT, "frame_b.p");
    CairnJointDef gear = cairn_joint_def(CAIRN_JOINT_GEAR);
    assert_refused(cairn_joint_check(&gear), CAIRN_INVALID_ID, "joint_a is null");
    gear.joint_a.index = gear.joint_b.index = 3;
    assert_refused(cairn_joint_check(&gear), CAIRN_INVALID_ARGUMENT, "same joint");
    gear.joint_b.index = 4;
    gear.ratio = 0;
    assert_refused(cairn_joint_check(&gear), CAIRN_INVALID_ARGUMENT, "ratio is 0");
    gear.ratio = nan("");
    assert_refused(cairn_joint_check(&gear), CAIRN_INVALID_ARGUMENT, "ratio");
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_accepted),
        cmocka_unit_test(bad_axes_are_refused_by_name),
        cmocka_unit_test(bad_definitions_are_refused_by_name),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
