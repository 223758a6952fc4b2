// Gyro: torque-free rotation of a rigid body over one step.
#ifndef CAIRN_GYRO_H
#define CAIRN_GYRO_H

#include <cairn/math.h>

// The constant angular velocity (world) whose rotation over h takes the body where its free motion takes it, by the
// energy-momentum rule: |L| and the energy are kept to rounding. `inertia` and `inverse` are in the body's frame.
CairnVec3 cairn_gyro_mean_velocity(CairnQuat q, CairnMat3 inertia, CairnMat3 inverse, CairnVec3 angular_velocity,
                                   double h);

#endif
