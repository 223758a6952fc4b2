// Checks the definition of a joint.
#include "engine/joints/joint_def.h"
#include "engine/joints/kinds.h"

static CairnStatus refuse(const CairnJointDef *def, int axis, const char *what) {
    return cairn_error(CAIRN_INVALID_ARGUMENT, "%s joint, axis %s: %s", cairn_joint_type_name(def->type),
                       cairn_axis_name(axis), what);
}

// May this mode and this drive be set on the axis?
static CairnStatus check_grant(const CairnJointDef *def, int axis) {
    static const char *const mode_names[] = {"AS_TYPE", "FREE", "LOCKED", "LIMITED"};
    static const char *const drive_names[] = {"NONE", "VELOCITY", "SPRING"};
    static const char *const states[] = {"no such coordinate", "free and takes no settings", "", "locked", ""};
    const CairnAxis *settings = &def->axes[axis];
    CairnGrant grant = cairn_joint_kinds[def->type].grant[axis];
    const char *type = cairn_joint_type_name(def->type), *name = cairn_axis_name(axis);
    bool is_settable = grant == CAIRN_GRANT_FREE || grant == CAIRN_GRANT_CHOICE;
    bool repeats_type = settings->mode == CAIRN_AXIS_AS_TYPE ||
                        settings->mode == (grant == CAIRN_GRANT_LOCKED ? CAIRN_AXIS_LOCKED : CAIRN_AXIS_FREE);
    if (!is_settable && !repeats_type) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "%s joint, axis %s: mode is %s, but the type makes it %s", type,
                           name, mode_names[settings->mode], states[grant]);
    }
    if (!is_settable && settings->drive != CAIRN_DRIVE_NONE) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "%s joint, axis %s: drive is %s, but the type makes it %s", type,
                           name, drive_names[settings->drive], states[grant]);
    }
    if (settings->drive != CAIRN_DRIVE_NONE && cairn_axis_mode(def, axis) == CAIRN_AXIS_LOCKED) {
        return cairn_error(CAIRN_INVALID_ARGUMENT,
                           "%s joint, axis %s: drive is %s, but mode is LOCKED: set it FREE or LIMITED", type, name,
                           drive_names[settings->drive]);
    }
    return cairn_ok();
}

static CairnStatus check_axis(const CairnJointDef *def, int axis) {
    const CairnAxis *settings = &def->axes[axis];
    CairnStatus status = cairn_fields_check(&cairn_axis_fields, settings);
    if (!cairn_is_ok(status)) {
        return refuse(def, axis, status.message);
    }
    CAIRN_TRY(check_grant(def, axis));
    CairnAxisMode mode = cairn_axis_mode(def, axis);
    if (mode == CAIRN_AXIS_LIMITED &&
        (settings->lower > settings->upper || settings->lower == HUGE_VAL || settings->upper == -HUGE_VAL)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "%s joint, axis %s: lower is %g, must not exceed upper, %g",
                           cairn_joint_type_name(def->type), cairn_axis_name(axis), settings->lower, settings->upper);
    }
    if (def->type == CAIRN_JOINT_DISTANCE && mode == CAIRN_AXIS_LOCKED && settings->target_position < 0) {
        return cairn_error(CAIRN_INVALID_ARGUMENT,
                           "distance joint, axis X: target_position is %g, a rod's length must not be negative",
                           settings->target_position);
    }
    return cairn_ok();
}

static CairnStatus check_gear(const CairnJointDef *def) {
    if (def->ratio == 0) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "gear joint: ratio is 0, must not be");
    }
    if (cairn_joint_is_null(def->joint_a) || cairn_joint_is_null(def->joint_b)) {
        return cairn_error(CAIRN_INVALID_ID, "gear joint: joint_%c is null",
                           cairn_joint_is_null(def->joint_a) ? 'a' : 'b');
    }
    if (def->joint_a.index == def->joint_b.index && def->joint_a.world == def->joint_b.world) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "gear joint: joint_a and joint_b are the same joint, %u",
                           def->joint_a.index);
    }
    return cairn_ok();
}

CairnStatus cairn_joint_check(const CairnJointDef *def) {
    if (def == NULL) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "joint: def is NULL");
    }
    if (def->cookie != CAIRN_JOINT_COOKIE) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "joint: cookie is %u: a definition starts from cairn_joint_def()",
                           def->cookie);
    }
    CAIRN_TRY(cairn_fields_check(&cairn_joint_fields, def));
    for (int axis = 0; axis < CAIRN_AXIS_COUNT; axis++) {
        CAIRN_TRY(check_axis(def, axis));
    }
    return def->type == CAIRN_JOINT_GEAR ? check_gear(def) : cairn_ok();
}
