// Rows of ipm-cone's convex law whose bounds follow a normal impulse: |lambda| <= lever lambda_N (torsion and rolling).
//
// Their slacks change with both impulses, ds = lever dlambda_N -+ dlambda. The linear system has dlambda alone, so that
// it stays symmetric; what the bounds do in a step (`widening`) stands on its right side, taken from the direction
// that was found before, for an iteration has several. What is still off then is left to the next iteration.
#ifndef CAIRN_SOLVERS_IPM_FOLLOW_H
#define CAIRN_SOLVERS_IPM_FOLLOW_H

#include "solvers/exact/cones.h"

typedef struct CairnIpmFollow {
    CairnCones *cones;
    int count, active; // rows; those that are not held
    int *row, *normal;
    double *lever;
    double *in_use;                // 1, or 0 where the row is held
    double *over_s[2], *over_z[2]; // reciprocals; 0 where the row is held
    double *s[2], *z[2], *ds[2], *dz[2];
    double *product[2], *kept[2];     // the change of s z that a step aims at, and that another one did
    double *widening, *kept_widening; // what bounds do in the step
} CairnIpmFollow;

// False: no memory.
bool cairn_ipm_follow_init(CairnIpmFollow *follow, CairnCones *cones);

// Begin with s z = mu; normal impulses are known. lambda of the rows is set, and exact.is_held.
void cairn_ipm_follow_begin(CairnIpmFollow *follow, double mu, bool is_warm);

// Hold rows whose bounds are so small that the certificate cannot resolve them, and release those that are no more.
void cairn_ipm_follow_hold(CairnIpmFollow *follow, double mu, double *wall);

void cairn_ipm_follow_weigh(CairnIpmFollow *follow); // into exact.theta
double cairn_ipm_follow_sum(const CairnIpmFollow *follow, double step);

void cairn_ipm_follow_predict(CairnIpmFollow *follow);
void cairn_ipm_follow_aim(CairnIpmFollow *follow, double mu);
void cairn_ipm_follow_push(CairnIpmFollow *follow, double mu, double wanted);
void cairn_ipm_follow_take_back(CairnIpmFollow *follow);
void cairn_ipm_follow_right_side(const CairnIpmFollow *follow, double *y);

// Make a direction agree with the bounds that it moves, each row for itself. Returns how far a bound was taken for
// another one than the direction gives it, over the slack, at most.
double cairn_ipm_follow_adjust(CairnIpmFollow *follow, double *direction);

// Take a direction of lambda. Returns the longest step, at most 1, that stays inside.
double cairn_ipm_follow_complete(CairnIpmFollow *follow, const double *direction);
void cairn_ipm_follow_move(CairnIpmFollow *follow, double step);

#endif
