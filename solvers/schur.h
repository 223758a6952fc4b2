// schur-bpp, schur-pgs-sm: substructured solves, S0 algorithm 1.
//
// The free sets of the internal constraints make S and z (24, 25); the interface's problem over them (18) gives its impulses, by block
// principal pivoting or by Gauss-Seidel with subspace minimisation; with these every subsystem pivots by itself, all in parallel, and
// leaves new sets behind. Once the sets stay as they were, the impulses are the answer. Nothing else goes from one coupling iteration
// to the next but the factors that belong to the sets.
// Past the paper (not under `faithful`): what a coupling iteration left is measured at once, and good is good enough; sets that come
// back, or that do not settle, are handed to a few pivots of the whole and then to ipm, whose systems are solved by the same
// substructuring; so no step ends uncertified where the whole has an answer.
// Cost of an iteration: the factors of the subsystems whose sets changed, one of the interface, a product with A.
#ifndef CAIRN_SOLVERS_SCHUR_H
#define CAIRN_SOLVERS_SCHUR_H

#include "solvers/exact.h"

typedef struct CairnSchurOptions {
    int formulation; // CairnFormulation of the subsystems
    int interface;   // CairnFormulation of the interface
    int kmax;        // coupling iterations
    int iterations;  // pivots (rounds) of one subsystem's, one interface's solve
    int singles, patience;
    bool faithful;
    bool warm;
} CairnSchurOptions;

extern const CairnSolver cairn_solver_schur_bpp, cairn_solver_schur_pgs_sm;

// cond(S) in the 2-norm, of S0 table 2: of the interface matrix of the free rows at `lambda`. 0 where there is no interface.
CairnStatus cairn_schur_condition(const CairnProblem *problem, const CairnParts *parts, const double *lambda,
                                  CairnSolverContext *context, double *condition);

#endif
