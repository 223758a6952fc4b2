// Where the interior point of `ipm` starts: products s z that are all the same, from nothing or from the last step's impulses.
#ifndef CAIRN_SOLVERS_IPM_START_H
#define CAIRN_SOLVERS_IPM_START_H

#include "solvers/exact/exact.h"

// Without impulses: the energy b^2/D of the row that is wrong by most.
double cairn_ipm_cold_mu(const CairnExact *exact);

// From the impulses at hand: how wrong they are, as far as that is worth following. Negative: start from nothing.
double cairn_ipm_warm_mu(CairnExact *exact);

// Rows' distances s from their bounds (1 without one) and velocities z with s z = mu (0 without one), lambda in its place.
// Returns how many bounded sides there are. `is_warm`: near lambda and its w, which are known; else near lambda.
int cairn_ipm_centre(CairnExact *exact, double mu, bool is_warm, double *const s[2], double *const z[2]);

#endif
