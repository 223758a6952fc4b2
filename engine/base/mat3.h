// Mat3 and inertia: what the engine needs beyond the public <cairn/math.h>.
#ifndef CAIRN_BASE_MAT3_H
#define CAIRN_BASE_MAT3_H

#include <cairn/math.h>
#include <stdbool.h>

CairnMat3 cairn_mat3_transpose(CairnMat3 a);
CairnMat3 cairn_mat3_product(CairnMat3 a, CairnMat3 b);
CairnMat3 cairn_mat3_sum(CairnMat3 a, CairnMat3 b);
CairnMat3 cairn_mat3_scaled(double s, CairnMat3 a);
CairnVec3 cairn_mat3_transpose_mul(CairnMat3 a, CairnVec3 v); // a^T v
CairnMat3 cairn_mat3_skew(CairnVec3 v);                       // [v]x: [v]x u = v x u
CairnMat3 cairn_mat3_outer(CairnVec3 a, CairnVec3 b);         // a b^T
double cairn_mat3_determinant(CairnMat3 a);
bool cairn_mat3_inverse(CairnMat3 a, CairnMat3 *inverse); // false when singular to working precision
bool cairn_mat3_is_symmetric(CairnMat3 a, double tolerance);
bool cairn_mat3_is_positive_definite(CairnMat3 a);

// Eigenvalues in rising order and unit eigenvectors (columns, right-handed) of a symmetric matrix, by cyclic Jacobi.
void cairn_mat3_eigen(CairnMat3 a, double values[3], CairnMat3 *vectors);

// R a R^T for a symmetric a: a tensor from local to world axes.
CairnMat3 cairn_mat3_rotate(CairnQuat q, CairnMat3 a);

// Parallel axes: the inertia about a point at offset r from the centre of mass: I + m (r.r 1 - r r^T).
CairnMat3 cairn_inertia_shift(CairnMat3 inertia, double mass, CairnVec3 r);

// Is this the inertia of some real body: positive definite and with the triangle inequality among principal moments (to 1e-9)?
bool cairn_inertia_is_physical(CairnMat3 inertia);

// Solve a x = b for symmetric positive definite a given in full.
bool cairn_mat3_solve(CairnMat3 a, CairnVec3 b, CairnVec3 *x);

#endif
