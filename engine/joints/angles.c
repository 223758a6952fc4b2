// Angles made of direction cosines a_i . b_j between the axes of the two frames.
//
// With omega the velocity of B relative to A, d(a . b)/dt = omega . (b x a): the gradient. Turning B by a small theta
// changes b x a by (theta x b) x a = (b a^T - (a . b) 1) theta, and turning A by theta changes what A feels, a x b, by
// (a b^T - (a . b) 1) theta: the symmetric parts agree.
#include "engine/base/mat3.h"
#include "engine/joints/coordinates.h"

enum { X, Y, Z };

#define TINY 1e-12 // keeps an angle finite where it is singular

static double cosine(const CairnRelative *relative, int i, int j, CairnVec3 *gradient) {
    *gradient = cairn_cross(relative->b[j], relative->a[i]);
    return cairn_dot(relative->a[i], relative->b[j]);
}

// u v^T + v u^T, halved
static CairnMat3 symmetric_outer(CairnVec3 u, CairnVec3 v) {
    double xy = 0.5 * (u.x * v.y + u.y * v.x), xz = 0.5 * (u.x * v.z + u.z * v.x), yz = 0.5 * (u.y * v.z + u.z * v.y);
    return (CairnMat3){{{u.x * v.x, xy, xz}, {xy, u.y * v.y, yz}, {xz, yz, u.z * v.z}}};
}

static CairnMat3 cosine_curvature(const CairnRelative *relative, int i, int j) {
    double c = cairn_dot(relative->a[i], relative->b[j]);
    return cairn_mat3_sum(symmetric_outer(relative->a[i], relative->b[j]), cairn_mat3_diagonal(-c, -c, -c));
}

// s = +-a_i . b_j, the angle itself where it is small.
static double tilt(const CairnRelative *relative, const CairnAngle *angle, CairnVec3 *gradient) {
    double value = cosine(relative, angle->i, angle->j, gradient);
    *gradient = cairn_scale(angle->sign, *gradient);
    return angle->sign * value;
}

static CairnMat3 tilt_curvature(const CairnRelative *relative, const CairnAngle *angle) {
    return cairn_mat3_scaled(angle->sign, cosine_curvature(relative, angle->i, angle->j));
}

// asin(s)
static double arc(const CairnRelative *relative, const CairnAngle *angle, CairnVec3 *gradient) {
    double s = cairn_clamp(tilt(relative, angle, gradient), -1, 1);
    *gradient = cairn_scale(1 / sqrt(fmax(1 - s * s, TINY)), *gradient);
    return asin(s);
}

static CairnMat3 arc_curvature(const CairnRelative *relative, const CairnAngle *angle) {
    CairnVec3 g;
    double s = tilt(relative, angle, &g);
    double slope = 1 / sqrt(fmax(1 - s * s, TINY));
    return cairn_mat3_sum(cairn_mat3_scaled(slope, tilt_curvature(relative, angle)),
                          cairn_mat3_scaled(s * slope * slope * slope, cairn_mat3_outer(g, g)));
}

// atan2(s, c) with s = +-a_i . b_j and c = a_k . b_l
static double turn(const CairnRelative *relative, const CairnAngle *angle, CairnVec3 *gradient) {
    CairnVec3 ds, dc;
    double s = tilt(relative, angle, &ds), c = cosine(relative, angle->k, angle->l, &dc);
    double square = fmax(s * s + c * c, TINY);
    *gradient = cairn_add(cairn_scale(c / square, ds), cairn_scale(-s / square, dc));
    return atan2(s, c);
}

static CairnMat3 turn_curvature(const CairnRelative *relative, const CairnAngle *angle) {
    CairnVec3 ds, dc;
    double s = tilt(relative, angle, &ds), c = cosine(relative, angle->k, angle->l, &dc);
    double square = fmax(s * s + c * c, TINY), fourth = square * square;
    CairnMat3 k = cairn_mat3_scaled(c / square, tilt_curvature(relative, angle));
    k = cairn_mat3_sum(k, cairn_mat3_scaled(-s / square, cosine_curvature(relative, angle->k, angle->l)));
    k = cairn_mat3_sum(k, cairn_mat3_scaled(-2 * s * c / fourth, cairn_mat3_outer(ds, ds)));
    k = cairn_mat3_sum(k, cairn_mat3_scaled(2 * s * c / fourth, cairn_mat3_outer(dc, dc)));
    return cairn_mat3_sum(k, cairn_mat3_scaled(2 * (s * s - c * c) / fourth, symmetric_outer(ds, dc)));
}

// The twist of the swing-twist parts of q = (w, v): 2 atan2(x, w). From dq/dt = omega q / 2 with omega in A's axes,
//     d twist / dt = omega_x + (omega_y (x y + w z) + omega_z (x z - w y)) / (w^2 + x^2),
// singular only where B's x axis points against A's. Where it points along A's, the gradient's derivative is skew.
static double twist(const CairnRelative *relative, const CairnAngle *angle, CairnVec3 *gradient) {
    (void)angle;
    CairnQuat q = relative->q;
    double square = fmax(q.w * q.w + q.x * q.x, TINY);
    double y = (q.x * q.y + q.w * q.z) / square, z = (q.x * q.z - q.w * q.y) / square;
    *gradient = cairn_add_scaled(cairn_add_scaled(relative->a[0], y, relative->a[1]), z, relative->a[2]);
    return 2 * atan2(q.x, q.w); // -q gives it one turn off: the count of turns corrects that
}

// B turned by a small theta sees x move to x + theta x x: y gains theta_z, z loses theta_y.
const CairnAngle cairn_twist_angles[3] = {
    {twist, NULL, true, 1, 0, 0, 0, 0, false},
    {tilt, tilt_curvature, false, -1, Z, X, 0, 0, true},
    {tilt, tilt_curvature, false, 1, Y, X, 0, 0, true},
};

// A cross of x of A and y of B: RX takes y of A to y of B, RY takes x of A to x of B, neither singular while they cross
// squarely.
const CairnAngle cairn_cross_angles[3] = {
    {turn, turn_curvature, true, 1, Z, Y, Y, Y, false},
    {turn, turn_curvature, true, 1, X, Z, X, X, false},
    {tilt, tilt_curvature, false, -1, X, Y, 0, 0, true},
};

// R = Rx(RX) Ry(RY) Rz(RZ), read off its first row and last column.
const CairnAngle cairn_cardan_angles[3] = {
    {turn, turn_curvature, true, -1, Y, Z, Z, Z, false},
    {arc, arc_curvature, false, 1, X, Z, 0, 0, false},
    {turn, turn_curvature, true, -1, X, Y, X, X, false},
};
