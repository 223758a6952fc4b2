// Gyro: torque-free rotation of a rigid body over one step.
#ifndef CAIRN_GYRO_H
#define CAIRN_GYRO_H

#include <cairn/math.h>

// The constant angular velocity (world) whose rotation over h takes the body where its free motion takes it, by the
// energy-momentum rule: |L| and the energy are kept to rounding. `axes` has the principal axes as columns (world),
// `moments` the principal moments.
CairnVec3 cairn_gyro_mean_velocity(const CairnMat3 *axes, CairnVec3 moments, CairnVec3 angular_velocity, double h);

#endif
