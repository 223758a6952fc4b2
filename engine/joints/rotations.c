// Angles made of the relative quaternion q = (w, v) as a whole. With omega the velocity of B relative to A in A's axes,
//     dw/dt = -omega . v / 2,   dv/dt = (w omega + omega x v) / 2.
#include "engine/joints/coordinates.h"

static double component(CairnVec3 v, int i) {
    return i == 0 ? v.x : i == 1 ? v.y : v.z;
}

static CairnVec3 unit(int i) {
    return (CairnVec3){i == 0, i == 1, i == 2};
}

// From A's axes to the world's.
static CairnVec3 to_world(const CairnRelative *relative, CairnVec3 v) {
    return cairn_add_scaled(cairn_add_scaled(cairn_scale(v.x, relative->a[0]), v.y, relative->a[1]), v.z,
                            relative->a[2]);
}

// e = 2 sign(w) v: de/dt = (|w| 1 - sign(w) [v]x) omega, regular up to half a turn. The derivative of its gradient is
// skew at e = 0.
static double small(const CairnRelative *relative, const CairnAngle *angle, CairnVec3 *gradient) {
    CairnQuat q = relative->q;
    double sign = q.w < 0 ? -1 : 1;
    CairnVec3 v = {sign * q.x, sign * q.y, sign * q.z}, e = unit(angle->i);
    *gradient = to_world(relative, cairn_add(cairn_scale(fabs(q.w), e), cairn_cross(v, e)));
    return 2 * component(v, angle->i);
}

const CairnAngle cairn_small_angles[3] = {
    {small, NULL, false, 1, 0, 0, 0, 0, false},
    {small, NULL, false, 1, 1, 0, 0, 0, false},
    {small, NULL, false, 1, 2, 0, 0, 0, false},
};

// phi = log(R): dphi/dt = (1 - [phi]x / 2 + k [phi]x^2) omega with k = (1 - (|phi|/2) cot(|phi|/2)) / |phi|^2.
static double vector(const CairnRelative *relative, const CairnAngle *angle, CairnVec3 *gradient) {
    CairnVec3 phi = cairn_quat_log(relative->q), e = unit(angle->i);
    double half = 0.5 * cairn_length(phi);
    // The limit of the same, where the quotient would lose digits.
    double k = half < 1e-3 ? 1.0 / 12 : (1 - half * cos(half) / sin(half)) / (4 * half * half);
    CairnVec3 turned = cairn_cross(phi, e);
    CairnVec3 row = cairn_add_scaled(cairn_add_scaled(e, 0.5, turned), k, cairn_cross(phi, turned));
    *gradient = to_world(relative, row);
    return component(phi, angle->i);
}

const CairnAngle cairn_rotation_vector[3] = {
    {vector, NULL, false, 1, 0, 0, 0, 0, false},
    {vector, NULL, false, 1, 1, 0, 0, 0, false},
    {vector, NULL, false, 1, 2, 0, 0, 0, false},
};
