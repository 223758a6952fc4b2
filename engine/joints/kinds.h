// Kinds: the differences between joint types as data, and the functions with which the other files of this folder read
// them.
#ifndef CAIRN_JOINTS_KINDS_H
#define CAIRN_JOINTS_KINDS_H

#include "engine/joints/coordinates.h"

// How a type treats one coordinate.
typedef enum CairnGrant {
    CAIRN_GRANT_NONE = 0, // the type has no such coordinate
    CAIRN_GRANT_LOOSE,    // free, nothing may be set
    CAIRN_GRANT_FREE,     // free unless its mode differs; everything may be set
    CAIRN_GRANT_LOCKED,   // locked, only its compliance may be set
    CAIRN_GRANT_CHOICE    // locked unless its mode differs; everything may be set
} CairnGrant;

typedef struct CairnKind {
    CairnGrant grant[CAIRN_AXIS_COUNT];
    const CairnLengths *lengths; // NULL: the type has no lengths
    const CairnAngle *angles;    // three of them; NULL: none, or chosen by what is locked (six-dof)
    int gear_axis;               // the coordinate that a gear couples, -1: none
} CairnKind;

extern const CairnKind cairn_joint_kinds[CAIRN_JOINT_TYPE_COUNT];

// FREE, LOCKED or LIMITED: the mode of an axis with AS_TYPE resolved.
static inline CairnAxisMode cairn_axis_mode(const CairnJointDef *def, int axis) {
    if (def->axes[axis].mode != CAIRN_AXIS_AS_TYPE) {
        return def->axes[axis].mode;
    }
    CairnGrant grant = cairn_joint_kinds[def->type].grant[axis];
    return grant == CAIRN_GRANT_LOCKED || grant == CAIRN_GRANT_CHOICE ? CAIRN_AXIS_LOCKED : CAIRN_AXIS_FREE;
}

// The value at which a locked coordinate is fixed.
double cairn_axis_locked_value(const CairnJointCore *core, int axis);

// The three angles of a joint, NULL if it has none.
const CairnAngle *cairn_joint_angles(const CairnJointDef *def);

// One coordinate of a joint that has it, angles over whole turns. `relative` is cairn_relative(input->bodies); a gear
// ignores it.
void cairn_joint_coordinate(const CairnJointInput *input, const CairnRelative *relative, int axis,
                            CairnCoordinate *coordinate);

// Its value alone.
double cairn_joint_value(const CairnJointInput *input, const CairnRelative *relative, int axis);

// Count the turns on to where B is in A now.
void cairn_joint_count(CairnJointCore *core, const CairnRelative *relative);

// rows.c: the rows of one coordinate, at most 3: lock, or lower and upper limit; then its drive. Returns how many.
int cairn_axis_rows(const CairnJointInput *input, int axis, const CairnCoordinate *coordinate, CairnJointRow *rows);

#endif
