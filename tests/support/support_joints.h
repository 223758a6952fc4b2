// Support for tests of joints: pairs of bodies outside any world, moved and turned at will.
#ifndef CAIRN_TESTS_SUPPORT_JOINTS_H
#define CAIRN_TESTS_SUPPORT_JOINTS_H

#include "engine/base/mat3.h"
#include "engine/joints/joints.h"
#include "support.h"

// One to four bodies: a joint's frame on each, about its centre of mass.
typedef struct JointSetup {
    CairnJointCore core, gear_a, gear_b;
    CairnVec3 center[4];
    CairnQuat q[4];
    CairnTransform frame[4];
    CairnVec6 velocity[4];
    double inverse_mass[4];
    CairnMat3 inverse_inertia[4]; // world axes
    double h;
} JointSetup;

// Bodies at random positions, with joint frames at random positions on them.
JointSetup support_joint_setup(uint64_t *seed, const CairnJointDef *def);

// Move body B (or the body at `k`, seen from body k - 1) so that frame B lies at `offset`, turned by `turn`, in frame
// A.
void support_joint_place(JointSetup *setup, int k, CairnVec3 offset, CairnQuat turn);

CairnJointInput support_joint_input(const JointSetup *setup);

// A copy of the setup in which the bodies have moved for a time t at their velocities.
JointSetup support_joint_moved(const JointSetup *setup, double t);

#endif
