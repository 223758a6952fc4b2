// Products: the matrix-free products that solvers need, in O(entries of J). They take both forms of a problem unless
// the comment says otherwise.
//
//   A = J P^-1 J^T + C,   b = J P^-1 p + d,   w = A lambda + b   (docs/notation.md)
//
// The arrays belong to the caller: lambda, w, b, D and y have row_count numbers, v and x dof_count. The functions are
// called from within `solve`, by the thread that called it; only cairn_products_make can fail.
#ifndef CAIRN_PRODUCTS_H
#define CAIRN_PRODUCTS_H

#include <cairn/problem.h>
#include <cairn/solver.h>
#include <cairn/status.h>

#ifdef __cplusplus
extern "C" {
#endif

// A problem whose P is factored. It lies in the scratch memory of the solver and is valid until `solve` returns.
typedef struct CairnOps CairnProducts;

// Factors P and writes the products of a problem to *products. Returns CAIRN_UNSUPPORTED where P has off-diagonal
// blocks, CAIRN_NUMERIC where a block of it is not positive definite, and CAIRN_OUT_OF_MEMORY.
CairnStatus cairn_products_make(const CairnProblem *problem, CairnSolverContext *context,
                                const CairnProducts **products);

// Computes w = A lambda + b. On return v holds the velocities that lambda gives.
void cairn_products_slack(const CairnProducts *products, const double *lambda, double *v, double *w);
// Computes b; v is scratch memory.
void cairn_products_right_side(const CairnProducts *products, double *v, double *b);
// Computes D = diag(A).
void cairn_products_diagonal(const CairnProducts *products, double *D);

// For form 1 only. They compute x = P^-1 x in place, v = P^-1 (p + J^T lambda) with zero for a lambda that is NULL, y =
// J v, and y += J^T lambda, where y has dof_count numbers.
void cairn_products_solve(const CairnProducts *products, double *x);
void cairn_products_velocity(const CairnProducts *products, const double *lambda, double *v);
void cairn_products_jacobian(const CairnProducts *products, const double *v, double *y);
void cairn_products_add_impulse(const CairnProducts *products, const double *lambda, double *y);

#ifdef __cplusplus
}
#endif

#endif
