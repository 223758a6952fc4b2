// Math: small vectors, quaternions and 3x3 matrices of doubles, passed as structs by value.
//
// All functions are pure: they allocate nothing, keep nothing, may be called from any thread and cannot fail. Numbers
// that are not finite give results that are not finite. Angles are in radians; lengths have the unit that the caller
// gives them.
#ifndef CAIRN_MATH_H
#define CAIRN_MATH_H

#include <math.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CAIRN_PI 3.14159265358979323846

typedef struct CairnVec3 {
    double x, y, z;
} CairnVec3;

typedef struct CairnQuat {
    double w, x, y, z;
} CairnQuat;

// Row-major: m[row][column].
typedef struct CairnMat3 {
    double m[3][3];
} CairnMat3;

// A pose takes local coordinates to those of the world: x_world = p + q x_local q*. q has unit length.
typedef struct CairnTransform {
    CairnVec3 p;
    CairnQuat q;
} CairnTransform;

// A velocity (m/s, rad/s) or an impulse (N s, N m s) about a body's centre of mass.
typedef struct CairnVec6 {
    CairnVec3 linear, angular;
} CairnVec6;

// ---- vectors ----

static inline CairnVec3 cairn_vec3(double x, double y, double z) {
    CairnVec3 result = {x, y, z};
    return result;
}

static inline CairnVec3 cairn_add(CairnVec3 a, CairnVec3 b) {
    CairnVec3 result = {a.x + b.x, a.y + b.y, a.z + b.z};
    return result;
}

static inline CairnVec3 cairn_sub(CairnVec3 a, CairnVec3 b) {
    CairnVec3 result = {a.x - b.x, a.y - b.y, a.z - b.z};
    return result;
}

static inline CairnVec3 cairn_neg(CairnVec3 a) {
    CairnVec3 result = {-a.x, -a.y, -a.z};
    return result;
}

static inline CairnVec3 cairn_scale(double s, CairnVec3 a) {
    CairnVec3 result = {s * a.x, s * a.y, s * a.z};
    return result;
}

// Returns a + s b.
static inline CairnVec3 cairn_add_scaled(CairnVec3 a, double s, CairnVec3 b) {
    CairnVec3 result = {a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
    return result;
}

static inline double cairn_dot(CairnVec3 a, CairnVec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline CairnVec3 cairn_cross(CairnVec3 a, CairnVec3 b) {
    CairnVec3 result = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return result;
}

static inline double cairn_length_squared(CairnVec3 a) {
    return cairn_dot(a, a);
}

static inline double cairn_length(CairnVec3 a) {
    return sqrt(cairn_dot(a, a));
}

// Returns the unit vector along a, or `fallback` where a is shorter than 1e-300.
static inline CairnVec3 cairn_normalize_or(CairnVec3 a, CairnVec3 fallback) {
    double length = cairn_length(a);
    return length > 1e-300 ? cairn_scale(1.0 / length, a) : fallback;
}

// Returns the unit vector along a, or the z axis where a is shorter than 1e-300.
static inline CairnVec3 cairn_normalize(CairnVec3 a) {
    return cairn_normalize_or(a, cairn_vec3(0, 0, 1));
}

static inline bool cairn_vec3_is_finite(CairnVec3 a) {
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

// The smaller and the larger of two numbers; `a` where one of them is NaN. The compiler makes one instruction of each
// of them, while fmin and fmax are calls of the C library.
static inline double cairn_min(double a, double b) {
    return b < a ? b : a;
}

static inline double cairn_max(double a, double b) {
    return b > a ? b : a;
}

// Returns the number in [low, high] that is nearest to `value`; NaN stays NaN.
static inline double cairn_clamp(double value, double low, double high) {
    return value < low ? low : value > high ? high : value;
}

// Writes two unit vectors that make a right-handed frame with the unit vector n: t1 x t2 = n. The method is that of
// Duff et al. 2017, which has no branch on the largest component and is continuous but for n = -z.
static inline void cairn_tangents(CairnVec3 n, CairnVec3 *t1, CairnVec3 *t2) {
    double sign = copysign(1.0, n.z);
    double a = -1.0 / (sign + n.z);
    double b = n.x * n.y * a;
    *t1 = cairn_vec3(1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x);
    *t2 = cairn_vec3(b, sign + n.y * n.y * a, -n.y);
}

// ---- quaternions ----

static inline CairnQuat cairn_quat_identity(void) {
    CairnQuat result = {1, 0, 0, 0};
    return result;
}

// The product a b, which rotates by b first and by a then.
static inline CairnQuat cairn_quat_mul(CairnQuat a, CairnQuat b) {
    CairnQuat result = {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
    return result;
}

// The conjugate, which is the inverse of a unit quaternion.
static inline CairnQuat cairn_quat_conj(CairnQuat q) {
    CairnQuat result = {q.w, -q.x, -q.y, -q.z};
    return result;
}

static inline double cairn_quat_length_squared(CairnQuat q) {
    return q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
}

// Returns q scaled to unit length. A quaternion of zeros has no direction: the result is not finite.
static inline CairnQuat cairn_quat_normalize(CairnQuat q) {
    double n = cairn_quat_length_squared(q);
    // 1/sqrt(n) = 1 - (n - 1)/2 where the square of n - 1 is below rounding, as after a step: no root and no quotient
    // are needed.
    double s = fabs(n - 1.0) < 1e-9 ? 1.5 - 0.5 * n : 1.0 / sqrt(n);
    CairnQuat result = {s * q.w, s * q.x, s * q.y, s * q.z};
    return result;
}

// Returns the rotation by `angle` (rad) about the unit vector `axis`.
static inline CairnQuat cairn_quat_axis_angle(CairnVec3 axis, double angle) {
    double s = sin(0.5 * angle);
    CairnQuat result = {cos(0.5 * angle), s * axis.x, s * axis.y, s * axis.z};
    return result;
}

// The exponential map: the rotation by |v| (rad) about v.
static inline CairnQuat cairn_quat_exp(CairnVec3 v) {
    double y = 0.25 * cairn_length_squared(v); // x^2 with x = |v|/2
    if (y < 0.0625) { // half a radian: the series of sin(x)/x and cos(x) are exact to rounding, and need no root
        double s = 1 - y * (1.0 / 6 - y * (1.0 / 120 - y * (1.0 / 5040 - y * (1.0 / 362880 - y * (1.0 / 39916800)))));
        double c = 1 - y * (1.0 / 2 -
                            y * (1.0 / 24 - y * (1.0 / 720 - y * (1.0 / 40320 - y * (1.0 / 3628800 - y / 479001600)))));
        CairnQuat result = {c, 0.5 * s * v.x, 0.5 * s * v.y, 0.5 * s * v.z};
        return result;
    }
    double half = sqrt(y), s = 0.5 * sin(half) / half;
    CairnQuat result = {cos(half), s * v.x, s * v.y, s * v.z};
    return result;
}

// Returns the rotation vector (rad) of the shorter of the two rotations, |v| <= pi: the inverse of cairn_quat_exp.
static inline CairnVec3 cairn_quat_log(CairnQuat q) {
    if (q.w < 0) {
        CairnQuat opposite = {-q.w, -q.x, -q.y, -q.z};
        q = opposite;
    }
    CairnVec3 v = {q.x, q.y, q.z};
    double s = cairn_length(v);
    double factor = s < 1e-8 ? 2.0 / q.w : 2.0 * atan2(s, q.w) / s;
    return cairn_scale(factor, v);
}

// Returns the shortest rotation that takes the unit vector a to the unit vector b. With h = a + b: 1 + a.b = h.h / 2
// and a x b = a x h, which keep all digits where a and b are nearly opposite.
static inline CairnQuat cairn_quat_between(CairnVec3 a, CairnVec3 b) {
    CairnVec3 h = cairn_add(a, b), c = cairn_cross(a, h);
    if (cairn_dot(a, b) < 0 && cairn_length_squared(c) < 1e-30) { // opposite: any perpendicular axis will do
        CairnVec3 t1, t2;
        cairn_tangents(a, &t1, &t2);
        CairnQuat result = {0, t1.x, t1.y, t1.z};
        return result;
    }
    CairnQuat half = {0.5 * cairn_length_squared(h), c.x, c.y, c.z};
    return cairn_quat_normalize(half);
}

// Tells whether the square of the length is 1 to 1e-6. NaN gives false.
static inline bool cairn_quat_is_unit(CairnQuat q) {
    return fabs(cairn_quat_length_squared(q) - 1.0) <= 1e-6;
}

// Returns q v q*, the vector v rotated by the unit quaternion q, with 15 multiplications.
static inline CairnVec3 cairn_rotate(CairnQuat q, CairnVec3 v) {
    CairnVec3 u = {q.x, q.y, q.z};
    CairnVec3 t = cairn_scale(2.0, cairn_cross(u, v));
    return cairn_add(cairn_add_scaled(v, q.w, t), cairn_cross(u, t));
}

// Returns q* v q, the vector v rotated by the inverse of the unit quaternion q.
static inline CairnVec3 cairn_unrotate(CairnQuat q, CairnVec3 v) {
    return cairn_rotate(cairn_quat_conj(q), v);
}

// ---- transforms ----

static inline CairnTransform cairn_transform_identity(void) {
    CairnTransform result = {{0, 0, 0}, {1, 0, 0, 0}};
    return result;
}

// Takes a point from local coordinates to those of the world.
static inline CairnVec3 cairn_transform_point(CairnTransform t, CairnVec3 v) {
    return cairn_add(t.p, cairn_rotate(t.q, v));
}

// Takes a point from coordinates of the world to local ones.
static inline CairnVec3 cairn_untransform_point(CairnTransform t, CairnVec3 v) {
    return cairn_unrotate(t.q, cairn_sub(v, t.p));
}

// Returns the pose that applies b first and a then.
static inline CairnTransform cairn_transform_mul(CairnTransform a, CairnTransform b) {
    CairnTransform result = {cairn_transform_point(a, b.p), cairn_quat_mul(a.q, b.q)};
    return result;
}

static inline CairnTransform cairn_transform_inverse(CairnTransform t) {
    CairnTransform result = {cairn_unrotate(t.q, cairn_neg(t.p)), cairn_quat_conj(t.q)};
    return result;
}

// ---- 3x3 matrices ----

static inline CairnMat3 cairn_mat3_diagonal(double x, double y, double z) {
    CairnMat3 result = {{{x, 0, 0}, {0, y, 0}, {0, 0, z}}};
    return result;
}

// Returns the rotation matrix R of q. It is orthonormal even where |q| is not exactly 1: the last bit of |q| - 1 keeps
// its sign for thousands of steps, and four times it would enter every product R a R^T.
static inline CairnMat3 cairn_mat3_of_quat(CairnQuat q) {
    double n = cairn_quat_length_squared(q);
    double s = fabs(n - 1.0) < 1e-9 ? 4.0 - 2.0 * n : 2.0 / n; // 2 - 2 (n - 1), whose error is the square of n - 1
    double x2 = s * q.x, y2 = s * q.y, z2 = s * q.z;
    double xx = q.x * x2, yy = q.y * y2, zz = q.z * z2;
    double xy = q.x * y2, xz = q.x * z2, yz = q.y * z2;
    double wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
    CairnMat3 result = {
        {{1 - (yy + zz), xy - wz, xz + wy}, {xy + wz, 1 - (xx + zz), yz - wx}, {xz - wy, yz + wx, 1 - (xx + yy)}}};
    return result;
}

static inline CairnVec3 cairn_mat3_mul(CairnMat3 a, CairnVec3 v) {
    CairnVec3 result = {a.m[0][0] * v.x + a.m[0][1] * v.y + a.m[0][2] * v.z,
                        a.m[1][0] * v.x + a.m[1][1] * v.y + a.m[1][2] * v.z,
                        a.m[2][0] * v.x + a.m[2][1] * v.y + a.m[2][2] * v.z};
    return result;
}

#ifdef __cplusplus
}
#endif

#endif
