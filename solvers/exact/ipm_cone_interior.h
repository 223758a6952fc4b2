// The state of ipm-cone's interior point, and the functions of both of its drivers: Mehrotra's steps
// (ipm_cone_step.c) and the central path (ipm_cone_path.c).
#ifndef CAIRN_SOLVERS_IPM_CONE_INTERIOR_H
#define CAIRN_SOLVERS_IPM_CONE_INTERIOR_H

#include "solvers/exact/cones.h"
#include "solvers/exact/second_order.h"

typedef struct CairnInterior {
    CairnCones *cones;
    CairnSoc *states;      // by friction groups
    double *s[2], *z[2];   // lower, upper
    double *ds[2], *dz[2]; // directions
    double *product[2];    // the change of s z that a step aims at
    double *direction;     // of lambda
    double *widening;      // of bounds that follow: lever dlambda_N
    double *parameters;    // the unknowns of GMRES, and room for one more
    double accuracy;       // of a direction, as a fraction of its right side
    bool is_following;     // parameters are unknowns
    double extent,
        more; // how much of the law there is, 1: all of it, 0: none, bounds are those of the start; what a step adds
    double *first; // impulses of the start
    double blur,
        change;   // of |z_T| at a contact that sticks, over its norm: 0, or mu; the change of mu in a step, over mu
    double *kept; // a direction and the products that it aims at
    CairnSoc *kept_states;
    int sides; // bounded sides and cones
} CairnInterior;

// NULL: no memory.
CairnInterior *cairn_interior_make(CairnCones *cones);

// A centred start at `size` times cairn_ipm_cold_mu; parameters are unknowns from here on.
void cairn_interior_begin(CairnInterior *in, double size);

// Factor A + Theta of the iterate. CAIRN_NUMERIC: it broke down.
CairnStatus cairn_interior_factor(CairnInterior *in);

// Set the products that a step aims at: mu, less the second-order term of the present direction if `corrects`.
void cairn_interior_aim(CairnInterior *in, double mu, bool corrects);

// Change the products that a step aims at so that none is far from mu after a step of length `wanted`; of a cone, the
// eigenvalues.
void cairn_interior_push(CairnInterior *in, double mu, double wanted);

// Store the direction with the products that it aims at, or restore what was stored (is_back).
void cairn_interior_save(CairnInterior *in, bool is_back);

// List the parameters that follow the answer, as the iterate and `widening` have them: rises, then widenings times D.
// Returns their number.
int cairn_interior_list(const CairnInterior *in, double *p);

// Rises as the iterate makes them, and no widening yet.
void cairn_interior_renew(CairnInterior *in);

// R = the parameters that follow from the direction, minus the parameters p that the direction was found with; a
// CairnAffine.
bool cairn_interior_residual(void *user, const double *p, double *R);

// The direction with rises and widenings as they are, and the one with those that agree with it.
CairnStatus cairn_interior_find(CairnInterior *in);
CairnStatus cairn_interior_find_followed(CairnInterior *in);

// Hold a row whose bound follows where that is nothing, until it is something again; mu: the product to begin with
// then.
void cairn_interior_update_row(CairnInterior *in, int row, double mu);

// The longest step, at most 1, that keeps all inside; the mean of s z and y.z after a step.
double cairn_interior_longest(const CairnInterior *in);
double cairn_interior_product(const CairnInterior *in, double step);

// One predictor-corrector step; `step`: how far it went. CAIRN_NUMERIC: it broke down.
CairnStatus cairn_interior_step(CairnInterior *in, double *step);

// Go a step along the direction. CAIRN_NUMERIC: a cone's state is on its edge to rounding.
CairnStatus cairn_interior_move(CairnInterior *in, double step);

#endif
