// The friction cones of ipm-cone's convex program: what ipm_rows.h is for bounds, one array a component, cone after
// cone.
//
// With S = diag(mu, 1, 1), y = S r and z = S^-1 w lie in the second-order cone, and Nesterov and Todd's scaling W has
// W z = W^-1 y = q (second_order.h). A step aims at W^-1 dy + W dz = g; dy comes from the linear system, whose right
// side is -w + S (z + W^-1 g) and whose Theta is S W^-2 S.
#ifndef CAIRN_SOLVERS_IPM_SOC_H
#define CAIRN_SOLVERS_IPM_SOC_H

#include "solvers/exact/cones.h"

typedef struct CairnIpmSoc {
    CairnCones *cones;
    int count, room; // cones; filled up to a multiple of 8
    int *group;      // their friction groups
    double *mu, *over_mu;
    double *eta, *v[3], *q[3]; // W = eta B(v), and q
    double *z[3];
    double *size;                // sqrt(det q)
    double *g[3], *kept_g[3];    // what a step aims at, and what another one did
    double *dq[3], *kept_dq[3];  // W^-1 dy
    double *from[3], *result[1]; // scratch by components; by cones
} CairnIpmSoc;

// False: no memory.
bool cairn_ipm_soc_init(CairnIpmSoc *soc, CairnCones *cones);

// Begin with products y.z = mu: from nothing, or (is_warm) from the smoothed projection of the iterate, whose w is
// known. lambda of the cones' rows is set.
void cairn_ipm_soc_begin(CairnIpmSoc *soc, double mu, bool is_warm);

// The blocks of Theta.
void cairn_ipm_soc_weigh(CairnIpmSoc *soc);

// The sum of y.z after a step along the direction.
double cairn_ipm_soc_sum(const CairnIpmSoc *soc, double step);

// Aim at products of 0; at mu, less the second order that the present direction shows; at none far from mu after a step
// of length `wanted`, storing what was.
void cairn_ipm_soc_predict(CairnIpmSoc *soc);
void cairn_ipm_soc_aim(CairnIpmSoc *soc, double mu);
void cairn_ipm_soc_push(CairnIpmSoc *soc, double mu, double wanted);
void cairn_ipm_soc_take_back(CairnIpmSoc *soc);

// Add S (z + W^-1 g) to the right side in the problem's rows.
void cairn_ipm_soc_right_side(const CairnIpmSoc *soc, double *y);

// Take a direction of lambda. Returns the longest step, at most 1, that stays inside.
double cairn_ipm_soc_complete(CairnIpmSoc *soc, const double *direction);

// Go a step along the direction. False: a cone is on its edge to rounding.
bool cairn_ipm_soc_move(CairnIpmSoc *soc, double step);

#endif
