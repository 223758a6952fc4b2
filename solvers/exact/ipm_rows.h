// The rows of ipm's interior point: the operations on all rows, in few passes, eight rows at a time.
//
// Slacks s = lambda - l, u - lambda and their velocities z, with w = z_l - z_u at the answer; index 0 is the lower
// side, 1 the upper. A side without a bound has s = 1 and z = 0 and stays so.
#ifndef CAIRN_SOLVERS_IPM_ROWS_H
#define CAIRN_SOLVERS_IPM_ROWS_H

#include "solvers/exact/exact.h"

typedef struct CairnIpmRows {
    CairnExact *exact;
    int room;                      // rows, filled up to a multiple of 8
    int sides;                     // bounded ones in all
    double *has[2];                // 1 or 0: is there a bound?
    double *wall;                  // infinite where the row is held out
    double *s[2], *z[2];           //
    double *dz[2];                 // direction; that of s is the one of lambda, turned round on the upper side
    double *product[2];            // the change of s z that the step aims at
    double *over_s[2], *over_z[2]; // 1/s, 1/z; 0 where there is no bound
    double *direction;             // of lambda
    double *kept[2];               // the product before another correction,
    double *kept_direction;        // and the direction
    unsigned char *guess;          // the index sets that the iterate predicts
} CairnIpmRows;

bool cairn_ipm_rows_init(CairnIpmRows *rows, CairnExact *exact);

// Once s and z have been set for `sides` bounded sides.
void cairn_ipm_rows_begin(CairnIpmRows *rows, int sides);

// exact->theta, and the reciprocals that the others use.
void cairn_ipm_weigh(CairnIpmRows *rows);

// The mean of s z after a step along the direction.
double cairn_ipm_mean(const CairnIpmRows *rows, double step);

// Aim at s z = 0: `product`, and exact->y = -(w - z_l + z_u) + product_l / s_l - product_u / s_u, the right side of the
// direction.
void cairn_ipm_predict(CairnIpmRows *rows);

// Aim at s z = mu, taking into account the curvature of each pair that the predictor, the present direction, shows.
void cairn_ipm_aim(CairnIpmRows *rows, double mu);

// Gondzio's rule: the change that moves a product after the step into [0.1, 10] mu, but not down by more than 10 mu.
static inline double cairn_ipm_push_of(double ahead, double mu) {
    double low = 0.1 * mu, high = 10 * mu, up = low - ahead, down = high - ahead;
    down = down < 0 ? down : 0; // maxima and minima alone: a loop over rows goes by vectors
    down = down < -high ? -high : down;
    return up > down ? up : down;
}

// Store product and direction, and aim anew so that no product is far from mu after a step of length `wanted`.
void cairn_ipm_push(CairnIpmRows *rows, double mu, double wanted);
// Restore the stored product and direction.
void cairn_ipm_take_back(CairnIpmRows *rows);

// exact->y once more, and its largest entry.
double cairn_ipm_right_side(CairnIpmRows *rows);

// Compute dz of the direction. Returns the longest step, at most 1, with s and z not negative; NaN: there is none.
double cairn_ipm_complete(CairnIpmRows *rows);

// Go a step along the direction, which was refined last: its product with A takes w along.
void cairn_ipm_move(CairnIpmRows *rows, double step);

// Predict the index sets from the iterate. Returns how many rows have another set than at the last call.
int cairn_ipm_read_sets(CairnIpmRows *rows);

#endif
