// The joint types: one line of the table for each. The behaviour of a joint follows from the coordinates that its line
// locks and from how its lengths and angles are measured.
#include "engine/joints/kinds.h"

#define NONE CAIRN_GRANT_NONE
#define LOOSE CAIRN_GRANT_LOOSE
#define FREE CAIRN_GRANT_FREE
#define LOCKED CAIRN_GRANT_LOCKED
#define CHOICE CAIRN_GRANT_CHOICE
#define OFFSETS &cairn_offsets

// clang-format off
const CairnKind cairn_joint_kinds[CAIRN_JOINT_TYPE_COUNT] = {
    //                           X       Y       Z       RX      RY      RZ       lengths          angles                 gear
    [CAIRN_JOINT_BALL]        = {{LOCKED, LOCKED, LOCKED, LOOSE,  LOOSE,  LOOSE},  OFFSETS,         cairn_rotation_vector, -1},
    [CAIRN_JOINT_REVOLUTE]    = {{LOCKED, LOCKED, LOCKED, FREE,   LOCKED, LOCKED}, OFFSETS,         cairn_twist_angles,    CAIRN_RX},
    [CAIRN_JOINT_UNIVERSAL]   = {{LOCKED, LOCKED, LOCKED, FREE,   FREE,   LOCKED}, OFFSETS,         cairn_cross_angles,    -1},
    [CAIRN_JOINT_PRISMATIC]   = {{FREE,   LOCKED, LOCKED, LOCKED, LOCKED, LOCKED}, OFFSETS,         cairn_small_angles,    CAIRN_X},
    [CAIRN_JOINT_CYLINDRICAL] = {{FREE,   LOCKED, LOCKED, FREE,   LOCKED, LOCKED}, OFFSETS,         cairn_twist_angles,    CAIRN_RX},
    [CAIRN_JOINT_FIXED]       = {{LOCKED, LOCKED, LOCKED, LOCKED, LOCKED, LOCKED}, OFFSETS,         cairn_small_angles,    -1},
    [CAIRN_JOINT_DISTANCE]    = {{CHOICE, NONE,   NONE,   NONE,   NONE,   NONE},   &cairn_distance, NULL,                  -1},
    [CAIRN_JOINT_PLANAR]      = {{LOCKED, FREE,   FREE,   FREE,   LOCKED, LOCKED}, OFFSETS,         cairn_twist_angles,    -1},
    [CAIRN_JOINT_WHEEL]       = {{FREE,   LOCKED, LOCKED, CHOICE, FREE,   LOCKED}, OFFSETS,         cairn_cross_angles,    CAIRN_RY},
    [CAIRN_JOINT_SIX_DOF]     = {{CHOICE, CHOICE, CHOICE, CHOICE, CHOICE, CHOICE}, OFFSETS,         NULL,                  -1},
    [CAIRN_JOINT_GEAR]        = {{LOCKED, NONE,   NONE,   NONE,   NONE,   NONE},   NULL,            NULL,                  -1},
};
// clang-format on

double cairn_axis_locked_value(const CairnJointCore *core, int axis) {
    if (core->def.type == CAIRN_JOINT_DISTANCE) { // a rod: the length that is given, or that of its creation
        double given = core->def.axes[axis].target_position;
        return given > 0 ? given : core->rest[0];
    }
    return core->def.type == CAIRN_JOINT_GEAR ? core->rest[0] : 0;
}

const CairnAngle *cairn_joint_angles(const CairnJointDef *def) {
    if (def->type != CAIRN_JOINT_SIX_DOF) {
        return cairn_joint_kinds[def->type].angles;
    }
    // Angles that are never singular while the locked coordinates are satisfied; Cardan angles where no such angles
    // exist.
    if (cairn_axis_mode(def, CAIRN_RZ) != CAIRN_AXIS_LOCKED) {
        return cairn_cardan_angles;
    }
    bool is_rigid =
        cairn_axis_mode(def, CAIRN_RX) == CAIRN_AXIS_LOCKED && cairn_axis_mode(def, CAIRN_RY) == CAIRN_AXIS_LOCKED;
    return is_rigid ? cairn_small_angles : cairn_cross_angles;
}

// ---- coordinates ----

// The whole turns to add to an angle so that it is the one nearest to the last that was counted.
static double turns_at(const CairnJointCore *core, int i, double angle) {
    return core->turns[i] + round((core->last[i] - angle) / (2 * CAIRN_PI));
}

// The value, and the direction in which it grows: the direction of a length, the gradient of an angle.
static double pair_value(const CairnJointCore *core, const CairnRelative *relative, int axis, CairnVec3 *direction) {
    int i = axis - CAIRN_RX;
    if (i < 0) {
        return cairn_joint_kinds[core->def.type].lengths->evaluate(relative, axis, direction);
    }
    const CairnAngle *angle = &cairn_joint_angles(&core->def)[i];
    double value = angle->evaluate(relative, angle, direction);
    return angle->is_counted ? value + 2 * CAIRN_PI * turns_at(core, i, value) : value;
}

static void pair_coordinate(const CairnJointCore *core, const CairnRelative *relative, int axis,
                            CairnCoordinate *coordinate) {
    CairnVec3 direction;
    *coordinate = (CairnCoordinate){.value = pair_value(core, relative, axis, &direction)};
    if (axis < CAIRN_RX) {
        // d/dt n . (p_B - p_A) with n turning with A: A feels n at B's origin, as if that point were its own.
        coordinate->jacobian[0] = (CairnVec6){cairn_neg(direction), cairn_cross(direction, relative->arm_a)};
        coordinate->jacobian[1] = (CairnVec6){direction, cairn_cross(relative->arm_b, direction)};
    } else {
        coordinate->jacobian[0].angular = cairn_neg(direction);
        coordinate->jacobian[1].angular = direction;
    }
}

// The sum of the coupled coordinates of two joints, the second times the ratio.
static void gear_coordinate(const CairnJointInput *input, CairnCoordinate *coordinate) {
    const CairnJointCore *cores[2] = {input->gear_a, input->gear_b};
    const double factors[2] = {1, input->core->def.ratio};
    *coordinate = (CairnCoordinate){0};
    for (int side = 0; side < 2; side++) {
        CairnCoordinate term;
        CairnRelative relative = cairn_relative(&input->bodies[2 * side]);
        pair_coordinate(cores[side], &relative, cairn_joint_kinds[cores[side]->def.type].gear_axis, &term);
        coordinate->value += factors[side] * term.value;
        for (int k = 0; k < 2; k++) {
            coordinate->jacobian[2 * side + k] = (CairnVec6){cairn_scale(factors[side], term.jacobian[k].linear),
                                                             cairn_scale(factors[side], term.jacobian[k].angular)};
        }
    }
}

void cairn_joint_coordinate(const CairnJointInput *input, const CairnRelative *relative, int axis,
                            CairnCoordinate *coordinate) {
    if (input->core->def.type == CAIRN_JOINT_GEAR) {
        gear_coordinate(input, coordinate);
    } else {
        pair_coordinate(input->core, relative, axis, coordinate);
    }
}

double cairn_joint_value(const CairnJointInput *input, const CairnRelative *relative, int axis) {
    if (input->core->def.type == CAIRN_JOINT_GEAR) {
        CairnCoordinate coordinate;
        gear_coordinate(input, &coordinate);
        return coordinate.value;
    }
    CairnVec3 direction;
    return pair_value(input->core, relative, axis, &direction);
}

// ---- what is carried from step to step ----

void cairn_joint_begin(CairnJointCore *core, const CairnJointInput *input) {
    for (int i = 0; i < 3; i++) {
        core->turns[i] = core->last[i] = 0;
    }
    core->rest[0] = core->rest[1] = 0;
    CairnRelative relative = cairn_relative(input->bodies);
    cairn_joint_count(core, &relative);
    if (core->def.type == CAIRN_JOINT_DISTANCE || core->def.type == CAIRN_JOINT_GEAR) {
        CairnCoordinate x;
        cairn_joint_coordinate(input, &relative, CAIRN_X, &x);
        core->rest[0] = x.value;
    }
}

void cairn_joint_count(CairnJointCore *core, const CairnRelative *relative) {
    const CairnAngle *angles = cairn_joint_angles(&core->def);
    if (angles == NULL) {
        return;
    }
    for (int i = 0; i < 3; i++) {
        CairnVec3 gradient;
        double angle = angles[i].is_counted ? angles[i].evaluate(relative, &angles[i], &gradient) : 0;
        core->turns[i] = angles[i].is_counted ? turns_at(core, i, angle) : 0;
        core->last[i] = angle;
    }
}

int cairn_joint_body_count(const CairnJointDef *def) {
    return def->type == CAIRN_JOINT_GEAR ? 4 : 2;
}
