// Mat3 and inertia: what the engine needs beyond the public <cairn/math.h>.
#ifndef CAIRN_BASE_MAT3_H
#define CAIRN_BASE_MAT3_H

#include <cairn/math.h>
#include <stdbool.h>

static inline CairnMat3 cairn_mat3_transpose(CairnMat3 a) {
    return (CairnMat3){
        {{a.m[0][0], a.m[1][0], a.m[2][0]}, {a.m[0][1], a.m[1][1], a.m[2][1]}, {a.m[0][2], a.m[1][2], a.m[2][2]}}};
}

static inline CairnMat3 cairn_mat3_product(CairnMat3 a, CairnMat3 b) {
    CairnMat3 c;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            c.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
        }
    }
    return c;
}

static inline CairnMat3 cairn_mat3_sum(CairnMat3 a, CairnMat3 b) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            a.m[i][j] += b.m[i][j];
        }
    }
    return a;
}

static inline CairnMat3 cairn_mat3_scaled(double s, CairnMat3 a) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            a.m[i][j] *= s;
        }
    }
    return a;
}

// a^T v
static inline CairnVec3 cairn_mat3_transpose_mul(CairnMat3 a, CairnVec3 v) {
    return (CairnVec3){a.m[0][0] * v.x + a.m[1][0] * v.y + a.m[2][0] * v.z,
                       a.m[0][1] * v.x + a.m[1][1] * v.y + a.m[2][1] * v.z,
                       a.m[0][2] * v.x + a.m[1][2] * v.y + a.m[2][2] * v.z};
}

// [v]x: [v]x u = v x u
static inline CairnMat3 cairn_mat3_skew(CairnVec3 v) {
    return (CairnMat3){{{0, -v.z, v.y}, {v.z, 0, -v.x}, {-v.y, v.x, 0}}};
}

// a b^T
static inline CairnMat3 cairn_mat3_outer(CairnVec3 a, CairnVec3 b) {
    return (CairnMat3){
        {{a.x * b.x, a.x * b.y, a.x * b.z}, {a.y * b.x, a.y * b.y, a.y * b.z}, {a.z * b.x, a.z * b.y, a.z * b.z}}};
}

static inline double cairn_mat3_determinant(CairnMat3 a) {
    return a.m[0][0] * (a.m[1][1] * a.m[2][2] - a.m[1][2] * a.m[2][1]) -
           a.m[0][1] * (a.m[1][0] * a.m[2][2] - a.m[1][2] * a.m[2][0]) +
           a.m[0][2] * (a.m[1][0] * a.m[2][1] - a.m[1][1] * a.m[2][0]);
}

// The rotation whose matrix is `r` (orthonormal, right-handed).
CairnQuat cairn_quat_of_mat3(CairnMat3 r);

// R a R^T for a symmetric a: a tensor from local to world axes. The result is symmetric to the last bit.
static inline CairnMat3 cairn_mat3_rotate(CairnQuat q, CairnMat3 a) {
    CairnMat3 r = cairn_mat3_of_quat(q);
    CairnMat3 b = cairn_mat3_product(r, a), c;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j <= i; j++) {
            c.m[i][j] = b.m[i][0] * r.m[j][0] + b.m[i][1] * r.m[j][1] + b.m[i][2] * r.m[j][2];
            c.m[j][i] = c.m[i][j];
        }
    }
    return c;
}

// False, and `inverse` untouched, when the matrix is singular to working precision or not finite.
bool cairn_mat3_inverse(CairnMat3 a, CairnMat3 *inverse);

// |a - a^T| <= tolerance * max|a|, entry by entry; false for NaN.
bool cairn_mat3_is_symmetric(CairnMat3 a, double tolerance);

// For a symmetric matrix; by pivots that stand out from rounding, so that a singular matrix with rounding errors hardly
// ever is.
bool cairn_mat3_is_positive_definite(CairnMat3 a);

// Eigenvalues in rising order and unit eigenvectors (columns, right-handed) of a symmetric matrix, by cyclic Jacobi.
void cairn_mat3_eigen(CairnMat3 a, double values[3], CairnMat3 *vectors);

// Parallel axes: the inertia about a point at offset r from the centre of mass: I + m (r.r 1 - r r^T).
CairnMat3 cairn_inertia_shift(CairnMat3 inertia, double mass, CairnVec3 r);

// Is this the inertia of some real body: finite, symmetric, positive definite and with the triangle inequality among
// principal moments (both to 1e-9)?
bool cairn_inertia_is_physical(CairnMat3 inertia);

#endif
