// Products: what a solver multiplies with, matrix-free, in O(entries of J). They serve both forms of a problem where nothing else is said.
//
//   A = J P^-1 J^T + C,   b = J P^-1 p + d,   w = A lambda + b   (docs/notation.md)
#ifndef CAIRN_PRODUCTS_H
#define CAIRN_PRODUCTS_H

#include <cairn/problem.h>
#include <cairn/solver.h>
#include <cairn/status.h>

#ifdef __cplusplus
extern "C" {
#endif

// A problem whose P is factored; it lies in the solver's scratch memory and ends with the call of `solve`.
typedef struct CairnOps CairnProducts;

// CAIRN_UNSUPPORTED where P has off-diagonal blocks, CAIRN_NUMERIC where a block of it is not positive definite.
CairnStatus cairn_products_make(const CairnProblem *problem, CairnSolverContext *context,
                                const CairnProducts **products);

// w = A lambda + b. v has room for dof_count numbers; on return it holds the velocities that lambda makes.
void cairn_products_slack(const CairnProducts *products, const double *lambda, double *v, double *w);
// b alone. v: dof_count numbers of scratch.
void cairn_products_right_side(const CairnProducts *products, double *v, double *b);
// D = diag(A).
void cairn_products_diagonal(const CairnProducts *products, double *D);

// Of form 1 alone: x = P^-1 x in place; v = P^-1 (p + J^T lambda), lambda NULL being zero; y = J v; y += J^T lambda.
void cairn_products_solve(const CairnProducts *products, double *x);
void cairn_products_velocity(const CairnProducts *products, const double *lambda, double *v);
void cairn_products_jacobian(const CairnProducts *products, const double *v, double *y);
void cairn_products_add_impulse(const CairnProducts *products, const double *lambda, double *y);

#ifdef __cplusplus
}
#endif

#endif
