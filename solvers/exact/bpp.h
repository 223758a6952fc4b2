// bpp: block principal pivoting, S0 section 5.3 (after Judice and Pires).
//
// Guess which rows are free, solve their equations exactly, move every row that violates its index set to another
// one, and repeat. From the index sets of the last step that takes one to three factorizations. It may cycle: a hash
// of the sets detects that, and rows are then moved one at a time for p steps. Under `faithful` it ends where the
// paper ends; otherwise ipm solves what has not converged.
#ifndef CAIRN_SOLVERS_BPP_H
#define CAIRN_SOLVERS_BPP_H

#include "solvers/exact/exact.h"

typedef struct CairnBppOptions {
    int formulation; // CairnFormulation
    int iterations;
    int singles;
    int patience;
    bool faithful;
    bool warm;
} CairnBppOptions;

// A CairnExactMethod with CairnBppOptions, for solvers that pivot over another system.
CairnStatus cairn_bpp_run(CairnExact *exact, const void *options, CairnOutcome *outcome);

// Pivoting alone, from the present index sets and lambda, without ipm where it does not converge.
CairnStatus cairn_bpp_pivot(CairnExact *exact, const CairnBppOptions *options, CairnOutcome *outcome);

extern const CairnSolver cairn_solver_bpp;

#endif
