// The second-order cone L = { x0 >= |x1| } in three dimensions, its Jordan algebra x o y = (x.y, x0 y1 + y0 x1), and
// the scaling of Nesterov and Todd: the symmetric W with W z = W^-1 y =: q. W^2 = eta^2 (2 v v^T - J) with v on the
// unit hyperboloid, J = diag(1, -1, -1).
#ifndef CAIRN_SOLVERS_SECOND_ORDER_H
#define CAIRN_SOLVERS_SECOND_ORDER_H

#include "solvers/system/system.h"

typedef struct CairnSoc {
    double y[3], z[3], dy[3], dz[3];
    double eta, v[3], q[3];
    double g[3];             // the right side of W^-1 dy + W dz = g
    double dq_y[3], dq_z[3]; // W^-1 dy and W dz
} CairnSoc;

double cairn_soc_determinant(const double *x);
void cairn_soc_product(const double *x, const double *y, double *out); // x o y
void cairn_soc_divide(const double *q, const double *x, double *out);  // the y with q o y = x

// eta, v and q of y and z. False: one of them is on the edge to rounding.
bool cairn_soc_find_scaling(CairnSoc *cone);

// y += step dy, z += step dz, and eta, v and q follow: not from y and z, which soon lie on the edge to rounding, but
// from q + step dq_y and q + step dq_z, which are well inside. False: one of those is on the edge.
bool cairn_soc_move(CairnSoc *cone, double step);
void cairn_soc_scale(const CairnSoc *cone, int power, const double *x,
                     double *out); // W x (power 1) or W^-1 x (power -1)

// S W^-2 S with S = diag(mu, 1, 1): the axes S (1, -d), S (1, d), (0, d turned) with d = v1/|v1|, and the weights (v0 +
// |v1|)^2 / 2, (v0 + |v1|)^-2 / 2 and 1, over eta^2.
void cairn_soc_theta(const CairnSoc *cone, double mu, CairnThetaBlock *block);

// The longest step, at most `longest`, that keeps x + step dx in L.
double cairn_soc_step(const double *x, const double *dx, double longest);

#endif
