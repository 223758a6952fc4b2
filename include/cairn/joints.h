// Joints: constraints that hold between two bodies (or a body and the world) for as long as they exist.
//
// A joint has a frame on each body. Its six coordinates are the place and turn of frame B in frame A: three lengths
// X, Y, Z along the axes of A, and three angles RX, RY, RZ. A joint type locks some and leaves the others free; a free coordinate
// may carry limits, a motor, a servo or a spring (CairnAxis). X is the main axis everywhere:
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
//   wheel        Y Z (RX) RZ       X RY         suspension along x of A, steer RX about it, spin RY about y of B, the axle
//   six-dof      (all)             -            lengths along A's axes; Cardan angles about x of A, then y, then z of B
//   gear         X                 -            X: position of joint_a plus ratio times that of joint_b
//
// A coordinate in brackets is locked unless its mode is set to FREE or LIMITED: a distance joint is then a rod, LIMITED it is a
// rope, FREE with a spring it is a spring; a wheel steers where RX is FREE or LIMITED, and a six-dof joint holds what is not
// set. A free coordinate may be LOCKED; one that is locked without brackets stays so. A drive needs FREE or LIMITED.
//
// A locked coordinate is held at 0 (the frames agree); but the rod of a distance joint at target_position, where 0 means the
// distance at creation, and a gear at its position at creation. LIMITED with lower equal to upper holds a coordinate there.
// A gear couples RX of a revolute or cylindrical joint, X of a prismatic one, RY of a wheel.
//
// Free angles are counted over whole turns (a Cardan RY is not; a ball's reach half a turn). None is singular while its joint
// holds, but Cardan angles at RY = +-90 degrees, and a six-dof joint uses these only where its RZ is not locked.
#ifndef CAIRN_JOINTS_H
#define CAIRN_JOINTS_H

#include <cairn/fields.h>
#include <cairn/math.h>
#include <stdint.h>

typedef struct CairnBodyId {
    uint32_t index, generation, world; // index counts from 1: zero is null
} CairnBodyId;

typedef struct CairnShapeId {
    uint32_t index, generation, world;
} CairnShapeId;

typedef struct CairnJointId {
    uint32_t index, generation, world;
} CairnJointId;

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

enum { CAIRN_X = 0, CAIRN_Y, CAIRN_Z, CAIRN_RX, CAIRN_RY, CAIRN_RZ, CAIRN_AXIS_COUNT };

// What holds a coordinate. The default of a definition, AS_TYPE, is what the table above says of the joint's type.
typedef enum CairnAxisMode {
    CAIRN_AXIS_AS_TYPE = 0,
    CAIRN_AXIS_FREE,
    CAIRN_AXIS_LOCKED,
    CAIRN_AXIS_LIMITED // lower <= position <= upper
} CairnAxisMode;

typedef enum CairnDrive {
    CAIRN_DRIVE_NONE = 0,
    CAIRN_DRIVE_VELOCITY, // holds target_velocity with at most max_force
    CAIRN_DRIVE_SPRING    // implicit PD towards the targets with at most max_force: a servo or a spring
} CairnDrive;

typedef enum CairnSpringUnit {
    CAIRN_SPRING_FORCE = 0, // stiffness in N/m (N m/rad), damping in N s/m (N m s/rad)
    CAIRN_SPRING_FREQUENCY  // stiffness in Hz, damping as a damping ratio, of the mass that the axis feels
} CairnSpringUnit;

// One coordinate of a joint: m and N for X, Y, Z; rad and N m for RX, RY, RZ.
typedef struct CairnAxis {
    CairnAxisMode mode;
    double lower, upper; // used while LIMITED
    CairnDrive drive;
    double target_position, target_velocity;
    double max_force; // infinite by default
    CairnSpringUnit spring_unit;
    double stiffness, damping;
    double compliance; // of the locked row or of the limit, (m/s)/(N s): the C of S0 eq. 3; 1e-10 by default
} CairnAxis;

typedef struct CairnJointDef {
    CairnJointType type;
    CairnBodyId body_a, body_b;      // body_a may be null: the world. A gear has no bodies of its own
    CairnTransform frame_a, frame_b; // in the bodies' frames (frame_a in the world's where body_a is null)
    CairnAxis axes[CAIRN_AXIS_COUNT];
    CairnJointId joint_a, joint_b; // gear: the two joints that it couples (revolute, prismatic, cylindrical or wheel)
    double ratio;                  // gear: position of joint_a + ratio * position of joint_b = constant
    bool collide_connected;        // may the two bodies touch? false by default
    uint64_t user_data;
    uint32_t cookie; // set by cairn_joint_def()
} CairnJointDef;

// What a joint does at the moment; forces are those of the last step.
typedef struct CairnJointState {
    double position[CAIRN_AXIS_COUNT], velocity[CAIRN_AXIS_COUNT];
    CairnVec3 force, torque; // on body B at frame B's origin, in world coordinates
    double drive_force[CAIRN_AXIS_COUNT];
    double linear_error, angular_error; // largest violation of a locked coordinate or limit, m and rad
    bool is_active;
} CairnJointState;

extern const CairnFieldTable cairn_joint_fields; // the scalar fields of CairnJointDef
extern const CairnFieldTable cairn_axis_fields;  // the fields of CairnAxis

CairnJointDef cairn_joint_def(CairnJointType type);
CairnAxis cairn_axis(void);

const char *cairn_joint_type_name(CairnJointType type);

static inline bool cairn_body_is_null(CairnBodyId id) {
    return id.index == 0;
}

static inline bool cairn_joint_is_null(CairnJointId id) {
    return id.index == 0;
}

#endif
