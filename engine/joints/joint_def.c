// Definitions of joints: one table each for a joint and for an axis gives defaults, ranges, help and the words of
// refusals.
#include "engine/joints/joint_def.h"
#include <stddef.h>

#define BIG 1e15    // a length or speed beyond this is a mistake
#define STRONG 1e30 // and a force, stiffness or damping beyond this

static const char *const type_names[] = {"ball",     "revolute", "universal", "prismatic", "cylindrical", "fixed",
                                         "distance", "planar",   "wheel",     "six-dof",   "gear",        NULL};
_Static_assert(sizeof(type_names) / sizeof(type_names[0]) == CAIRN_JOINT_TYPE_COUNT + 1, "a name for every type");

static const char *const mode_names[] = {"as-type", "free", "locked", "limited", NULL};
static const char *const drive_names[] = {"none", "velocity", "spring", NULL};
static const char *const unit_names[] = {"force", "frequency", NULL};

static const CairnField joint_fields[] = {
    CAIRN_FIELD_CHOICE(CairnJointDef, type, CAIRN_JOINT_BALL, type_names, "what it locks and what it leaves free"),
    CAIRN_FIELD_VEC3(CairnJointDef, frame_a.p, 0, 0, 0, -BIG, BIG, "m", "origin of frame A in body A, or in the world"),
    CAIRN_FIELD_QUAT(CairnJointDef, frame_a.q, "turn of frame A in body A, or in the world"),
    CAIRN_FIELD_VEC3(CairnJointDef, frame_b.p, 0, 0, 0, -BIG, BIG, "m", "origin of frame B in body B"),
    CAIRN_FIELD_QUAT(CairnJointDef, frame_b.q, "turn of frame B in body B"),
    CAIRN_FIELD_DOUBLE(CairnJointDef, ratio, 1, -BIG, BIG, 0, "",
                       "gear: position of joint_a + ratio * that of joint_b"),
    CAIRN_FIELD_BOOL(CairnJointDef, collide_connected, false, "may its two bodies touch"),
};
const CairnFieldTable cairn_joint_fields = CAIRN_FIELD_TABLE("joint", CairnJointDef, joint_fields);

static const CairnField axis_fields[] = {
    CAIRN_FIELD_CHOICE(CairnAxis, mode, CAIRN_AXIS_AS_TYPE, mode_names, "what holds the coordinate"),
    CAIRN_FIELD_DOUBLE(CairnAxis, lower, -HUGE_VAL, -HUGE_VAL, HUGE_VAL, CAIRN_FIELD_INFINITE, "m|rad", "lower limit"),
    CAIRN_FIELD_DOUBLE(CairnAxis, upper, HUGE_VAL, -HUGE_VAL, HUGE_VAL, CAIRN_FIELD_INFINITE, "m|rad", "upper limit"),
    CAIRN_FIELD_CHOICE(CairnAxis, drive, CAIRN_DRIVE_NONE, drive_names, "what drives the coordinate"),
    CAIRN_FIELD_DOUBLE(CairnAxis, target_position, 0, -BIG, BIG, 0, "m|rad", "where a spring pulls; length of a rod"),
    CAIRN_FIELD_DOUBLE(CairnAxis, target_velocity, 0, -BIG, BIG, 0, "m/s|rad/s", "speed that the drive aims at"),
    CAIRN_FIELD_DOUBLE(CairnAxis, max_force, HUGE_VAL, 0, HUGE_VAL, CAIRN_FIELD_INFINITE, "N|N m",
                       "most that the drive may do"),
    CAIRN_FIELD_CHOICE(CairnAxis, spring_unit, CAIRN_SPRING_FORCE, unit_names,
                       "what stiffness and damping are given in"),
    CAIRN_FIELD_DOUBLE(CairnAxis, stiffness, 0, 0, STRONG, 0, "N/m|N m/rad|Hz", "stiffness of the spring"),
    CAIRN_FIELD_DOUBLE(CairnAxis, damping, 0, 0, STRONG, 0, "N s/m|N m s/rad|ratio", "damping of the spring"),
    CAIRN_FIELD_DOUBLE(CairnAxis, compliance, 0, 0, BIG, 0, "m/s/(N s)",
                       "compliance C of its lock, limit or motor; 0: as hard as the masses allow"),
};
const CairnFieldTable cairn_axis_fields = CAIRN_FIELD_TABLE("axis", CairnAxis, axis_fields);

CairnAxis cairn_axis(void) {
    CairnAxis axis = {0};
    cairn_fields_preset(&cairn_axis_fields, &axis);
    return axis;
}

CairnJointDef cairn_joint_def(CairnJointType type) {
    CairnJointDef def = {0};
    cairn_fields_preset(&cairn_joint_fields, &def);
    def.type = type;
    for (int i = 0; i < CAIRN_AXIS_COUNT; i++) {
        def.axes[i] = cairn_axis();
    }
    def.cookie = CAIRN_JOINT_COOKIE;
    return def;
}

const char *cairn_joint_type_name(CairnJointType type) {
    return (unsigned)type < CAIRN_JOINT_TYPE_COUNT ? type_names[type] : "unknown";
}

const char *cairn_axis_name(int axis) {
    static const char *const names[] = {"X", "Y", "Z", "RX", "RY", "RZ"};
    return axis >= 0 && axis < CAIRN_AXIS_COUNT ? names[axis] : "none";
}
