// bpp: block principal pivoting, S0 section 5.3 (after Judice and Pires).
//
// Guess which rows are free, solve their equations exactly, move every row that breaks a sign to where it points, again. From the
// index sets of the last step that takes one to three factorizations. It may cycle: a hash of the sets finds that out, and rows then
// move one at a time for p steps. Under `faithful` it ends where the paper ends; otherwise what does not settle goes to ipm.
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

// Its pivoting alone, from the places and the lambda that are there; nothing behind it.
CairnStatus cairn_bpp_pivot(CairnExact *exact, const CairnBppOptions *options, CairnOutcome *outcome);

extern const CairnSolver cairn_solver_bpp;

#endif
