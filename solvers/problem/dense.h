// Dense: small Cholesky factors for the diagonal blocks of P, for the solvers. (The referee has separate code.)
#ifndef CAIRN_SOLVERS_DENSE_H
#define CAIRN_SOLVERS_DENSE_H

// Factor a = L L^T of a symmetric n x n matrix in rows; only its lower half is read. L is written in rows with the
// reciprocals of its diagonal on the diagonal; above it nothing is written. Returns -1, or the row whose pivot shows
// that `a` is not positive definite to working precision.
int cairn_dense_cholesky(int n, const double *a, double *L);

// x = L^-1 x and x = L^-T x.
void cairn_dense_forward(int n, const double *L, double *x);
void cairn_dense_backward(int n, const double *L, double *x);

#endif
