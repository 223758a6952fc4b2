// pgs-sm: projected Gauss-Seidel with subspace minimisation (Silcowitz, Niebe and Erleben 2011; S0 section 5.3).
//
// A round is a few sweeps, which find out which impulses are free and which are tight, then exact solves of the free
// set's equations (S0 eq. 27), whose answer is clamped to the bounds. With C > 0 or a positive definite A the problem
// is a quadratic program over a box; sweeps lower its objective, and a subspace step is shortened until it does (the
// projected search), so that no round undoes another and each ends at the lowest point of a face. There are finitely
// many, but on hyperstatic piles with stiff rows too many to see. Under `faithful` the free set's answer is only
// projected, as the papers print it. Cost: O(entries of J) a sweep, at most `subspace` factors a round.
#ifndef CAIRN_SOLVERS_PGS_SM_H
#define CAIRN_SOLVERS_PGS_SM_H

#include "solvers/exact/exact.h"

typedef struct CairnPgsSmOptions {
    int formulation; // CairnFormulation
    int iterations;  // rounds
    int sweeps;      // of a round
    int subspace;    // most solves of a round
    bool faithful;
    bool warm;
} CairnPgsSmOptions;

// A CairnExactMethod with CairnPgsSmOptions, for solvers that have it inside.
CairnStatus cairn_pgs_sm_run(CairnExact *exact, const void *options, CairnOutcome *outcome);

extern const CairnSolver cairn_solver_pgs_sm;

#endif
