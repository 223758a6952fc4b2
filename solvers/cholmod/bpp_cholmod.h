// bpp-cholmod: the pivoting of bpp over CHOLMOD's factor in constraint space: the baseline of S0, which has it with
// Eigen and PARDISO. An optional build (make CHOLMOD=1), for CHOLMOD is under the LGPL and, its supernodal part, the
// GPL.
#ifndef CAIRN_SOLVERS_CHOLMOD_BPP_CHOLMOD_H
#define CAIRN_SOLVERS_CHOLMOD_BPP_CHOLMOD_H

#include <cairn/solver.h>

typedef struct CairnBppCholmodOptions {
    int method, symbolic; // CairnCholmodMethod, CairnCholmodSymbolic
    int iterations;
    int singles;
    int patience;
    bool faithful;
    bool warm;
} CairnBppCholmodOptions;

extern const CairnSolver cairn_solver_bpp_cholmod;

#endif
