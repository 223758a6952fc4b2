// schur-bpp, schur-pgs-sm: substructured solves, S0 algorithm 1.
//
// The free sets of the internal constraints make S and z (24, 25); the interface's problem over them (18) gives its
// impulses, by block principal pivoting or by Gauss-Seidel with subspace minimisation; with these every subsystem
// pivots by itself, all in parallel, and produces new index sets. Once no set changes any more, the impulses are the
// answer. Beside the sets only the factors that belong to them are passed from one coupling iteration to the next
// (schur_couple.c; so under `faithful`, and with `coupling=alternate`).
//
// `coupling=together`, the default of schur-bpp, solves subsystems and interface for one set of all rows at once, S
// in body space (system.h, in stages), and then moves all rows that violate their set, wherever they are: only
// subsystems with such rows are factored again. Where many rows move, pivoting in any form would cycle and ipm takes
// over at once, its systems solved in the same stages; so no step ends uncertified where the whole has an answer.
// Cost of an iteration: the factors of the subsystems whose sets changed, one of the interface, a product with A.
#ifndef CAIRN_SOLVERS_SCHUR_H
#define CAIRN_SOLVERS_SCHUR_H

#include <cairn/solver.h>

typedef enum CairnCoupling {
    CAIRN_COUPLING_AUTO = 0, // as the solver likes
    CAIRN_COUPLING_TOGETHER, // interface and subsystems at once
    CAIRN_COUPLING_ALTERNATE // in turn, as printed
} CairnCoupling;

// The method for a subsystem.
typedef enum CairnPartsSolver {
    CAIRN_PARTS_BPP = 0,
    CAIRN_PARTS_PGS_SM,
    CAIRN_PARTS_PGS,
    CAIRN_PARTS_IPM
} CairnPartsSolver;

typedef struct CairnSchurOptions {
    int formulation;  // CairnFormulation of the subsystems
    int interface;    // CairnFormulation of the interface
    int coupling;     // CairnCoupling
    int levels;       // of substructures
    int parts_solver; // CairnPartsSolver
    int parts_group;  // label of the bodies whose subsystems it solves, -1: all
    int kmax;         // coupling iterations
    int iterations;   // pivots (rounds) of one subsystem's, one interface's solve
    int singles, patience;
    bool last;
    bool faithful;
    bool warm;
} CairnSchurOptions;

extern const CairnSolver cairn_solver_schur_bpp, cairn_solver_schur_pgs_sm;

// cond(S) in the 2-norm, of S0 table 2: of the interface matrix of the free rows at `lambda`. 0 where there is no
// interface.
CairnStatus cairn_schur_condition(const CairnProblem *problem, const CairnParts *parts, const double *lambda,
                                  CairnSolverContext *context, double *condition);

#endif
