// Where the interior points of `ipm` and `ipm-cone` start: products s z that are all the same, from nothing or from the last step's impulses.
#ifndef CAIRN_SOLVERS_IPM_START_H
#define CAIRN_SOLVERS_IPM_START_H

#include "solvers/exact/exact.h"

// Without impulses: the energy b^2/D of the row that is wrong by most.
double cairn_ipm_cold_mu(const CairnExact *exact);

// From the impulses at hand: how wrong they are, as far as that is worth following. Negative: start from nothing.
double cairn_ipm_warm_mu(CairnExact *exact);

// A row's distances s from its bounds (1 without one) and velocities z with s z = mu (0 without one), lambda in its place.
// Returns how many bounded sides it has. `is_warm`: near lambda and its w, which are known; else near lambda.
int cairn_ipm_centre_row(CairnExact *exact, int i, double mu, bool is_warm, double *const s[2], double *const z[2]);

// The same of all rows.
int cairn_ipm_centre(CairnExact *exact, double mu, bool is_warm, double *const s[2], double *const z[2]);

#endif
