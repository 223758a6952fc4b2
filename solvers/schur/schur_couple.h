// Coupling iterations of S0 algorithm 1: interface, then subsystems, until no index set changes.
#ifndef CAIRN_SOLVERS_SCHUR_COUPLE_H
#define CAIRN_SOLVERS_SCHUR_COUPLE_H

#include "solvers/schur/schur.h"
#include "solvers/schur/substructure.h"

typedef struct CairnSchur {
    const CairnSchurOptions *options;
    CairnSubstructure *sub;
    bool sweeps_interface; // by pgs-sm, else by pivoting
    int coupling;          // iterations so far
    int changed;           // subsystems whose sets did, iteration by iteration
    CairnSolvePhases phases;
} CairnSchur;

// Starts from the whole's lambda, bounds and index sets; the substructure is cut already. Outcome: converged where no
// set changes any more (or the iterate is the answer), at limit at k_max, stalled where the sets cycle, singular
// where equations have no solution.
CairnStatus cairn_schur_couple(CairnSchur *schur, CairnOutcome *outcome);

#endif
