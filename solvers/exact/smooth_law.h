// The rounded law of one cone or one bounded row, with its derivatives (smooth.h).
#ifndef CAIRN_SOLVERS_SMOOTH_LAW_H
#define CAIRN_SOLVERS_SMOOTH_LAW_H

#include <stdbool.h>

// F of a cone with k, for its impulses r and velocities w.
typedef struct CairnSmoothLaw {
    double mu, k, eps;
    bool rises;      // Coulomb's law
    bool is_fischer; // F is Fischer and Burmeister's function on the cone instead, rounded off likewise
} CairnSmoothLaw;

void cairn_smooth_cone(const CairnSmoothLaw *cone, const double r[3], const double w[3], double F[3]);
// dF = L dr + W dw, both by rows.
void cairn_smooth_cone_slope(const CairnSmoothLaw *cone, const double r[3], const double w[3], double L[9],
                             double W[9]);

// F of a row whose bound follows a normal impulse: |r| <= mu arm normal. In m/s, with its arm (1 for a row that
// pushes): with x = k r / arm - arm w it is k r / arm - clamp(x, -k mu normal, k mu normal), rounded off. slopes: in r,
// in w, and in the normal impulse.
double cairn_smooth_follower(const CairnSmoothLaw *law, double arm, double normal, double r, double w,
                             double slopes[3]);

// F = k r - clamp(k r - w, k lower, k upper), rounded off; dF = k (1 - *share) dr + *share dw.
double cairn_smooth_row(double k, double eps, double lower, double upper, double r, double w, double *share);

// X = A^-1 of a 3x3 matrix by rows; false where it is singular.
bool cairn_smooth_invert(const double A[9], double X[9]);

#endif
