// ipm: Mehrotra's predictor-corrector over l <= lambda <= u.
//
// With C > 0 and fixed bounds the problem is the optimality condition of a strictly convex quadratic program over a
// box, and an interior point method converges where index sets cycle. One system a step, A + Theta with Theta > 0 on
// bounded rows, always of the same pattern. Once the index sets can be predicted from the iterate they are solved
// exactly, which is the answer up to rounding. Cost: 2 solves and one factor an iteration, 6 to 35 iterations
// whatever the size.
#ifndef CAIRN_SOLVERS_IPM_H
#define CAIRN_SOLVERS_IPM_H

#include "solvers/exact/exact.h"

typedef struct CairnIpmOptions {
    int formulation; // CairnFormulation
    int iterations;
    bool warm; // try the sets that the warm start points to, and begin near it
} CairnIpmOptions;

extern const CairnSolver cairn_solver_ipm;

// The method alone, for solvers that fall back on it.
CairnStatus cairn_ipm_run(CairnExact *exact, const void *options, CairnOutcome *outcome);

// As cairn_ipm_run, but without solving with the index sets of the start; under `warm` it starts from the impulses in
// exact->lambda.
CairnStatus cairn_ipm_follow(CairnExact *exact, const CairnIpmOptions *options, CairnOutcome *outcome);

#endif
