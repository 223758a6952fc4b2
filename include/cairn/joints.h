// Joints: constraints between two bodies (or a body and the world) that hold as long as the joint exists.
//
// A joint has a frame on each body. Its six coordinates are the position and the rotation of frame B in frame A: three
// lengths X, Y, Z (m) along the axes of A, and three angles RX, RY, RZ (rad). A joint type locks some of them and
// leaves the others free; a free coordinate may have limits, a motor, a servo or a spring (CairnAxis). X is the main
// axis of every type:
//
//   type         locked            free         the position of a free axis
//   ball         X Y Z             RX RY RZ     rotation vector of B in A (read only: its axes take no settings)
//   revolute     X Y Z RY RZ       RX           angle about x
//   universal    X Y Z RZ          RX RY        angles about x of A, then about y of B
//   prismatic    Y Z RX RY RZ      X            slide along x of A
//   cylindrical  Y Z RY RZ         X RX         slide along, turn about x of A
//   fixed        all               -
//   distance     (X)               -            distance between the two frames' origins
//   planar       X RY RZ           Y Z RX       slides in A's yz plane, turns about its x
//   wheel        Y Z (RX) RZ       X RY         suspension along x of A, steering RX about it, spin RY about y of B
//   six-dof      (all)             -            lengths along A's axes; Cardan angles about x of A, then y, then z of B
//   gear         X                 -            X: position of joint_a plus ratio times that of joint_b
//
// A coordinate in brackets is locked unless its mode is set to FREE or LIMITED. A distance joint as it is made is a
// rod; LIMITED it is a rope, and FREE with a spring drive it is a spring. A wheel steers where RX is FREE or LIMITED,
// and a six-dof joint locks all coordinates that are not set. A free coordinate may be set to LOCKED; a coordinate that
// is locked without brackets stays locked. A drive needs a coordinate that is FREE or LIMITED.
//
// A locked coordinate is held at 0, where the frames agree. There are two exceptions: the rod of a distance joint is
// held at target_position, where 0 stands for the distance at creation, and a gear at its position at creation. LIMITED
// with lower equal to upper holds a coordinate there. A gear couples RX of a revolute or cylindrical joint, X of a
// prismatic one, RY of a wheel.
//
// Free angles are counted over whole turns, except for a Cardan RY and for those of a ball, which stay within half a
// turn. An angle is never singular while its joint holds, except for Cardan angles at RY = +-90 degrees; a six-dof
// joint uses these only where its RZ is not locked.
//
// The functions of this header make definitions, which are plain values. They cannot fail and may be called from any
// thread. A definition is checked when a joint is made of it (cairn_joint_create).
#ifndef CAIRN_JOINTS_H
#define CAIRN_JOINTS_H

#include <cairn/fields.h>
#include <cairn/ids.h>
#include <cairn/math.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CairnJointType {
    CAIRN_JOINT_BALL = 0,
    CAIRN_JOINT_REVOLUTE,
    CAIRN_JOINT_UNIVERSAL,
    CAIRN_JOINT_PRISMATIC,
    CAIRN_JOINT_CYLINDRICAL,
    CAIRN_JOINT_FIXED,
    CAIRN_JOINT_DISTANCE,
    CAIRN_JOINT_PLANAR,
    CAIRN_JOINT_WHEEL,
    CAIRN_JOINT_SIX_DOF,
    CAIRN_JOINT_GEAR,
    CAIRN_JOINT_TYPE_COUNT
} CairnJointType;

// The index of a coordinate in an array of axes.
enum { CAIRN_X = 0, CAIRN_Y, CAIRN_Z, CAIRN_RX, CAIRN_RY, CAIRN_RZ, CAIRN_AXIS_COUNT };

// What constrains a coordinate. The default, AS_TYPE, stands for what the table above says of the type of the joint.
typedef enum CairnAxisMode {
    CAIRN_AXIS_AS_TYPE = 0,
    CAIRN_AXIS_FREE,
    CAIRN_AXIS_LOCKED,
    CAIRN_AXIS_LIMITED // lower <= position <= upper
} CairnAxisMode;

typedef enum CairnDrive {
    CAIRN_DRIVE_NONE = 0,
    CAIRN_DRIVE_VELOCITY, // holds target_velocity with at most max_force
    CAIRN_DRIVE_SPRING    // a servo or a spring: implicit PD towards both targets with at most max_force
} CairnDrive;

typedef enum CairnSpringUnit {
    CAIRN_SPRING_FORCE = 0, // stiffness in N/m (N m/rad), damping in N s/m (N m s/rad)
    CAIRN_SPRING_FREQUENCY  // stiffness in Hz and damping as a damping ratio, both for the effective mass of the axis
} CairnSpringUnit;

// The settings of one coordinate of a joint. Units are m, m/s and N for X, Y, Z; rad, rad/s and N m for RX, RY, RZ.
typedef struct CairnAxis {
    CairnAxisMode mode;
    double lower, upper; // used where mode is LIMITED
    CairnDrive drive;
    double target_position, target_velocity;
    double max_force; // infinite by default
    CairnSpringUnit spring_unit;
    double stiffness, damping;
    // Of the locked row, the limit or the motor, (m/s)/(N s): C in S0 eq. 3. 0: as little as the masses allow.
    double compliance;
} CairnAxis;

typedef struct CairnJointDef {
    CairnJointType type;
    CairnBodyId body_a, body_b;      // a null body_a stands for the world; both are ignored for a gear
    CairnTransform frame_a, frame_b; // in the frames of the bodies; frame_a in that of the world where body_a is null
    CairnAxis axes[CAIRN_AXIS_COUNT];
    CairnJointId joint_a, joint_b; // gear: the joints that it couples (revolute, prismatic, cylindrical or wheel)
    double ratio;                  // gear: position of joint_a + ratio * position of joint_b = constant
    bool collide_connected;        // whether contacts between the two bodies are made; false by default
    uint64_t user_data;            // the caller's own
    uint32_t cookie;               // set by cairn_joint_def(); a definition made without it is refused
} CairnJointDef;

// The state of a joint: its coordinates now, and the forces of the last step.
typedef struct CairnJointState {
    double position[CAIRN_AXIS_COUNT], velocity[CAIRN_AXIS_COUNT];
    CairnVec3 force, torque; // N and N m, on body B at the origin of frame B, in world axes
    double drive_force[CAIRN_AXIS_COUNT];
    double linear_error, angular_error; // largest violation of a locked coordinate or limit, m and rad
    bool is_active;
} CairnJointState;

extern const CairnFieldTable cairn_joint_fields; // the fields of CairnJointDef but for ids and axes
extern const CairnFieldTable cairn_axis_fields;  // the fields of CairnAxis

// Returns the default definition of a joint of this type: null ids, frames at the origin, and all axes as cairn_axis
// gives them.
CairnJointDef cairn_joint_def(CairnJointType type);

// Returns the default settings of an axis: mode AS_TYPE, infinite limits, no drive.
CairnAxis cairn_axis(void);

// Returns the name of a type ("ball", "six-dof"); "unknown" for any other value. The text is a constant.
const char *cairn_joint_type_name(CairnJointType type);

#ifdef __cplusplus
}
#endif

#endif
