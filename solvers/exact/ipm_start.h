// The starts of the interior points `ipm` and `ipm-cone`: all products s z equal, from zero or from the last step's
// impulses.
#ifndef CAIRN_SOLVERS_IPM_START_H
#define CAIRN_SOLVERS_IPM_START_H

#include "solvers/exact/exact.h"

// Without impulses: the energy b^2/D of the row that is wrong by most.
double cairn_ipm_cold_mu(const CairnExact *exact);

// From the impulses at hand: how wrong they are, as far as that is worth following. Negative: start from nothing.
// Where a warm start whose residual asks for mu begins; -1: it is no better than nothing. cold: the cold start's.
double cairn_ipm_warm_range(double cold, double mu);
double cairn_ipm_warm_mu(CairnExact *exact);

// Set a row's lambda, its distances s from its bounds (1 without one), and velocities z with s z = mu (0 without one).
// Returns how many bounded sides it has. `is_warm`: near lambda and its w, which are known; else near lambda.
int cairn_ipm_centre_row(CairnExact *exact, int i, double mu, bool is_warm, double *const s[2], double *const z[2]);

// cairn_ipm_centre_row for all rows.
int cairn_ipm_centre(CairnExact *exact, double mu, bool is_warm, double *const s[2], double *const z[2]);

#endif
