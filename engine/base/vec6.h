// Vec6: twists (linear and angular velocity) and wrenches (force or impulse and torque) as one vector each.
#ifndef CAIRN_BASE_VEC6_H
#define CAIRN_BASE_VEC6_H

#include <cairn/math.h>

static inline CairnVec6 cairn_vec6_add(CairnVec6 a, CairnVec6 b) {
    return (CairnVec6){cairn_add(a.linear, b.linear), cairn_add(a.angular, b.angular)};
}

static inline CairnVec6 cairn_vec6_sub(CairnVec6 a, CairnVec6 b) {
    return (CairnVec6){cairn_sub(a.linear, b.linear), cairn_sub(a.angular, b.angular)};
}

static inline CairnVec6 cairn_vec6_scale(double s, CairnVec6 a) {
    return (CairnVec6){cairn_scale(s, a.linear), cairn_scale(s, a.angular)};
}

// a + s b
static inline CairnVec6 cairn_vec6_add_scaled(CairnVec6 a, double s, CairnVec6 b) {
    return (CairnVec6){cairn_add_scaled(a.linear, s, b.linear), cairn_add_scaled(a.angular, s, b.angular)};
}

// The power of a wrench along a twist, both about the same point; a row of a Jacobian times a velocity.
static inline double cairn_vec6_dot(CairnVec6 a, CairnVec6 b) {
    return cairn_dot(a.linear, b.linear) + cairn_dot(a.angular, b.angular);
}

// Returns the motion as it is seen from a point at offset r from the old one: v' = v + omega x r.
static inline CairnVec6 cairn_twist_transport(CairnVec6 twist, CairnVec3 r) {
    return (CairnVec6){cairn_add(twist.linear, cairn_cross(twist.angular, r)), twist.angular};
}

// Moves the reference point of a force and torque: the same forces about a point at offset r from the old one: tau' =
// tau - r x F.
static inline CairnVec6 cairn_wrench_transport(CairnVec6 wrench, CairnVec3 r) {
    return (CairnVec6){wrench.linear, cairn_sub(wrench.angular, cairn_cross(r, wrench.linear))};
}

#endif
