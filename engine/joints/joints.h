// Joints: from two poses to Jacobian rows. One file per joint type; a type is a line in joints.c's table. Nothing here
// knows the world: bodies come in as poses and velocities, rows go out, impulses come back for forces and geometric
// stiffness.
#ifndef CAIRN_JOINTS_INTERNAL_H
#define CAIRN_JOINTS_INTERNAL_H

#include <cairn/joints.h>
#include <cairn/status.h>

enum { CAIRN_JOINT_MAX_ROWS = 24, CAIRN_JOINT_MAX_BODIES = 4 };

// A body as a joint sees it. The world (null body) has zero velocity and zero inverse mass.
typedef struct CairnJointBody {
    CairnVec3 center;          // centre of mass, world
    CairnTransform frame;      // the joint's frame on this body, world
    CairnVec6 velocity;        // of the centre of mass
    double inverse_mass;       // 0: does not move
    CairnMat3 inverse_inertia; // world axes
} CairnJointBody;

// What a row is: its role in the joint decides where its impulse is reported.
typedef enum CairnRowRole { CAIRN_ROW_LOCK = 0, CAIRN_ROW_LOWER, CAIRN_ROW_UPPER, CAIRN_ROW_DRIVE } CairnRowRole;

// One constraint row: w = sum_k J_k v_k + C lambda + fraction error / h + rate.
typedef struct CairnJointRow {
    CairnVec6 jacobian[CAIRN_JOINT_MAX_BODIES]; // on body k, about its centre of mass
    double value;                               // of the coordinate, m or rad
    double error;                               // phi: m or rad; its derivative along the motion is J v exactly
    double fraction;     // of it that this step removes; < 0: the world's joint_fraction; limits use 1 while open
    double rate;         // further right side, minus the target velocity of a drive, m/s or rad/s
    double compliance;   // C
    double lower, upper; // bounds on the impulse, N s
    CairnRowRole role;
    int axis; // CAIRN_X ... CAIRN_RZ: which coordinate it acts on
} CairnJointRow;

// The persistent data of a joint: its definition and its few state variables (they are saved in a snapshot).
typedef struct CairnJointCore {
    CairnJointDef def;
    double turns[3]; // whole turns counted on RX, RY, RZ where the type counts them, else 0
    double last[3];  // those angles, short of their whole turns, at the end of the last step
    double rest[2];  // rest[0]: position of X at creation, for gears and rods
} CairnJointCore;

// Everything a joint function needs. For a gear, bodies[0..1] are those of joint_a and bodies[2..3] those of joint_b,
// and the two cores are given; otherwise bodies[0..1].
typedef struct CairnJointInput {
    const CairnJointCore *core;
    const CairnJointCore *gear_a, *gear_b;
    CairnJointBody bodies[CAIRN_JOINT_MAX_BODIES];
    double h;
} CairnJointInput;

// Check a definition (axes allowed for the type, limits ordered, drives sane); the message names axis, field and value.
CairnStatus cairn_joint_check(const CairnJointDef *def);

// Set the turn counters and rest values from the poses at creation (input->core is `core`).
void cairn_joint_begin(CairnJointCore *core, const CairnJointInput *input);
// Called after a step, with the poses at its end: counts turns, and measures by how much, at most, lengths and angles
// violate locks and limits, m and rad.
void cairn_joint_advance(CairnJointCore *core, const CairnJointInput *input, double *linear, double *angular);

// True: the rows depend on the masses of the bodies. Else the input need not contain them.
bool cairn_joint_weighs(const CairnJointDef *def);

// How many bodies the joint's rows act on: 2, or 4 for a gear.
int cairn_joint_body_count(const CairnJointDef *def);

// Write the rows; their number and order depend on the definition only (not on the poses), so that row k keeps its
// meaning.
int cairn_joint_rows(const CairnJointInput *input, CairnJointRow rows[CAIRN_JOINT_MAX_ROWS]);

// Center and frame of a body that moves for a time h.
CairnJointBody cairn_joint_moved(const CairnJointBody *body, CairnVec6 velocity, double h);
// Write these two members alone, for a body that moves by `way` and by `turn`.
void cairn_joint_move(const CairnJointBody *body, CairnVec3 way, CairnQuat turn, CairnJointBody *moved);

// By how much phi of each lock's row has changed where the bodies of `input` have moved on since the rows were made; 0
// for other rows.
void cairn_joint_changes(const CairnJointInput *input, const CairnJointRow *rows, int row_count, double *changes);

// Two motions of a joint's bodies A and B in a step: of each measure the larger one, and how far they are apart in it.
typedef struct CairnJointMotions {
    double turn[2], turn_apart[2]; // of the bodies, rad
    double way, way_apart;         // of B's centre against that of A, m
} CairnJointMotions;

// By how much, at most, phi of any lock changes otherwise in the one than in the other beside what J makes of their
// difference, m and rad. HUGE_VAL: no bound is known.
void cairn_joint_bound_changes(const CairnJointInput *input, const CairnJointRow *rows, int row_count,
                               const CairnJointMotions *motions, double *linear, double *angular);

// The coordinate of the first joint that a gear couples.
int cairn_joint_gear_axis(const CairnJointInput *input);

// True: this coordinate is measured in rad. The coordinate of a gear is that of its first joint.
static inline bool cairn_joint_is_angle(const CairnJointInput *input, int axis) {
    return (input->core->def.type == CAIRN_JOINT_GEAR ? cairn_joint_gear_axis(input) : axis) >= CAIRN_RX;
}

// Positions, velocities, errors of the six coordinates; forces are not changed.
void cairn_joint_measure(const CairnJointInput *input, CairnJointState *state);

// Force, torque and drive forces from the impulses of the last step's rows.
void cairn_joint_forces(const CairnJointInput *input, const CairnJointRow *rows, int row_count, const double *lambda,
                        CairnJointState *state);

// Geometric stiffness (NUMERICS "Heavy chains"): add to stiffness[k] the derivative of the torque that `lambda / h`
// exerts on body k by a small rotation of body k, symmetric part only: -(r.F)(1 - r r^T / r^2) for the locked force F
// at arm r, sym(a b^T - (a.b) 1) times lambda/h for rows a.b = 0; without the terms that mix a turn that the joint
// locks with one that is free, and without r F_t^T of the force across the arm (stiffness.c gives the reason). The
// result is not yet projected on the negative semidefinite matrices: step_stiffness.c does that for the sum of each
// body.
void cairn_joint_stiffness(const CairnJointInput *input, const CairnJointRow *rows, int row_count, const double *lambda,
                           CairnMat3 stiffness[CAIRN_JOINT_MAX_BODIES]);

// What bounds that without a matrix: of either body |K| is at most sqrt(2) |r.F| + turn, F being the force on B. False:
// of this joint nothing does.
bool cairn_joint_pull(const CairnJointInput *input, const CairnJointRow *rows, int row_count, const double *lambda,
                      CairnVec3 *force, double *turn);

#endif
