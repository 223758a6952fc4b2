// Coordinates: what a joint measures between its two frames, each as a number with its exact derivative. Locks, limits,
// drives and measurements are all made from these, so they agree by construction.
//
// Conventions: a, b are the axes of frames A and B in the world; omega the angular velocity of B relative to A. A
// length is d = n . (p_B - p_A) with n fixed in A; an angle has a gradient g with d angle / dt = g . omega.
#ifndef CAIRN_JOINTS_COORDINATES_H
#define CAIRN_JOINTS_COORDINATES_H

#include "engine/joints/joints.h"

typedef struct CairnCoordinate {
    double value;                               // m or rad
    CairnVec6 jacobian[CAIRN_JOINT_MAX_BODIES]; // d value / dt = sum over k of jacobian[k] . velocity[k]
} CairnCoordinate;

// Frame B as frame A sees it.
typedef struct CairnRelative {
    CairnVec3 a[3], b[3];   // axes, world
    CairnQuat q;            // turn of B in A
    CairnVec3 offset;       // from A's origin to B's, world
    CairnVec3 arm_a, arm_b; // from either centre of mass to B's origin, world
} CairnRelative;

CairnRelative cairn_relative(const CairnJointBody bodies[2]);

// ---- lengths ----

typedef struct CairnLengths {
    double (*evaluate)(const CairnRelative *relative, int axis, CairnVec3 *direction);
    bool is_straight; // the direction is fixed in A; otherwise it points from A's origin to B's
} CairnLengths;

extern const CairnLengths cairn_offsets;  // components of the offset along A's axes
extern const CairnLengths cairn_distance; // length of the offset

// ---- angles ----

typedef struct CairnAngle CairnAngle;
struct CairnAngle {
    double (*evaluate)(const CairnRelative *relative, const CairnAngle *angle, CairnVec3 *gradient);
    // Symmetric part of d gradient / d (small rotation of B), which is the same for A; NULL: zero where the joint is
    // satisfied.
    CairnMat3 (*curvature)(const CairnRelative *relative, const CairnAngle *angle);
    bool is_counted; // over whole turns
    double sign;
    int i, j, k, l; // which direction cosines a_i . b_j and a_k . b_l it is made of
    bool is_cosine; // it is +-a_i . b_j itself
};

extern const CairnAngle cairn_twist_angles[3];    // about x any angle; the other two small
extern const CairnAngle cairn_cross_angles[3];    // about x of A and y of B any angle; the third small
extern const CairnAngle cairn_cardan_angles[3];   // about x of A, then y, then z of B; singular at RY = +-90 degrees
extern const CairnAngle cairn_small_angles[3];    // 2 sin(angle / 2) along the axis of rotation: all three small
extern const CairnAngle cairn_rotation_vector[3]; // rotation vector, up to half a turn

#endif
