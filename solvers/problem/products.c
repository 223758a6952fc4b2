// The public face of problem_ops.h.
#include <cairn/products.h>

#include "solvers/problem/problem_ops.h"

CairnStatus cairn_products_make(const CairnProblem *problem, CairnSolverContext *context,
                                const CairnProducts **products) {
    if (problem == NULL || context == NULL || context->arena == NULL || products == NULL) {
        return cairn_error(CAIRN_INVALID_ARGUMENT,
                           "products: an argument is NULL, or the context has no scratch memory");
    }
    CairnOps *ops = CAIRN_PUSH(context->arena, CairnOps, 1);
    if (ops == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "products: no memory");
    }
    *products = ops;
    return cairn_ops_init(ops, problem, context->arena);
}

void cairn_products_slack(const CairnProducts *products, const double *lambda, double *v, double *w) {
    cairn_ops_slack(products, lambda, v, w);
}

void cairn_products_right_side(const CairnProducts *products, double *v, double *b) {
    cairn_ops_right_side(products, v, b);
}

void cairn_products_diagonal(const CairnProducts *products, double *D) {
    cairn_ops_diagonal(products, D);
}

void cairn_products_solve(const CairnProducts *products, double *x) {
    cairn_ops_solve(products, x);
}

void cairn_products_velocity(const CairnProducts *products, const double *lambda, double *v) {
    cairn_ops_velocity(products, lambda, v);
}

void cairn_products_jacobian(const CairnProducts *products, const double *v, double *y) {
    cairn_ops_jacobian(products->problem, v, y);
}

void cairn_products_add_impulse(const CairnProducts *products, const double *lambda, double *y) {
    cairn_ops_add_impulse(products->problem, lambda, y);
}
