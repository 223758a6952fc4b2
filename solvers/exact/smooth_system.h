// The linear system of a Newton step on the rounded law (smooth.h), in body space, or in full where the problem gives
// W.
//
// F of every cone and bounded row has the slopes L (in lambda) and W (in w); the bound of a spin row, and of tangents
// under box friction with the present load, follows its normal impulse, which is one slope more. With A = J P^-1 J^T +
// C the equations L x + W A x = R are
//
//     x = (L + W C)^-1 (R - W J v),      P v = J^T x,      so   (P + J^T S J) v = J^T (L + W C)^-1 R,
//
// S = (L + W C)^-1 W, unsymmetric in a contact's own rows alone.
#ifndef CAIRN_SOLVERS_SMOOTH_SYSTEM_H
#define CAIRN_SOLVERS_SMOOTH_SYSTEM_H

#include "solvers/exact/cones.h"
#include "solvers/exact/smooth_dense.h"
#include "solvers/exact/smooth_law.h"
#include "solvers/system/body_lu.h"

typedef struct CairnSmoothCone {
    CairnSmoothLaw law;
    double L[9], W[9], inverse[9]; // of L + W C
} CairnSmoothCone;

typedef struct CairnSmoothRow {
    double k;
    double mu, arm;          // of followers (cairn_smooth_follower)
    double L, W, N, inverse; // N: slope in the normal impulse
    int normal;              // CAIRN_ROW_CONE: in a cone; -1: bounds that stand; else the normal row that it follows
} CairnSmoothRow;

typedef struct CairnSmoothSystem {
    CairnCones *cones;
    CairnBodyLu lu;          // in body space
    CairnSmoothDense *dense; // of a problem that gives W; NULL: in body space
    CairnSmoothCone *groups; // by friction groups
    CairnSmoothRow *rows;
    double *weight;      // S of rows outside of blocks
    double (*block)[36]; // S of cones with their spin rows
    double *effect, *rest, *change;
    double stiffness; // times which the share of a cold start is another one; it is another path
    int sign;         // of the determinant of the last factor's matrix L + W A
    bool refines;     // steps are refined against the product with A: the factor alone has proved too rough
} CairnSmoothSystem;

CairnStatus cairn_smooth_system_init(CairnSmoothSystem *system, CairnCones *cones);

// Choose k of all cones for impulses of this size; is_cold: their size is unknown.
void cairn_smooth_weigh(CairnSmoothSystem *system, const double *lambda, bool is_cold);

// Or for all cones: a share of the trace of A's block, and which map.
void cairn_smooth_weigh_by(CairnSmoothSystem *system, double share, bool is_fischer);

// F, and its length over rows times their weights. eps is in the measure: a row's own is eps over its weight.
double cairn_smooth_evaluate(const CairnSmoothSystem *system, const double *lambda, const double *w, double eps,
                             double *F);

// Factor at a point; is_regular: whether it has one.
CairnStatus cairn_smooth_factor(CairnSmoothSystem *system, const double *lambda, const double *w, double eps,
                                bool *is_regular);

// The Newton step x for this F, and A x as the factor has it, or where the system refines as the product has it.
void cairn_smooth_solve(CairnSmoothSystem *system, const double *F, double *x, double *Ax);

#endif
