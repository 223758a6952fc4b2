// ipm-cone: Mehrotra's predictor-corrector over bounds and second-order friction cones, with Nesterov-Todd's scaling.
//
//   CONE     the convex law (S1 eq. 7): min 1/2 lambda A lambda + b lambda over boxes and cones, one answer in w.
//   COULOMB  the same with mu |w_T| added to w_N (De Saxce): a sliding contact stays down. The added rise is a parameter of the
//            convex problem; it follows the iterate inside the interior point, and Newton's method on all rows finishes (cones.h).
//   BOX_CURRENT, torsion and rolling: bounds that follow the normal impulse are parameters likewise.
//
// Each iteration factors A + Theta once, with a 3x3 block a cone, and solves two to seven times.
#ifndef CAIRN_SOLVERS_IPM_CONE_H
#define CAIRN_SOLVERS_IPM_CONE_H

#include "solvers/system/system.h"

typedef struct CairnIpmConeOptions {
    int formulation; // CairnFormulation
    int iterations;  // of the interior point
    int path;        // most steps along the path, where the iterations do not converge
    double tolerance;
    bool warm; // try Newton's method from the warm start first
} CairnIpmConeOptions;

extern const CairnSolver cairn_solver_ipm_cone;

// For solvers whose fixed point over the bounds that follow normal impulses has not converged (`report`): the
// interior point that has these bounds as unknowns continues from lambda. The better of the two answers is returned.
CairnStatus cairn_ipm_cone_finish(const CairnProblem *problem, CairnFormulation formulation,
                                  CairnSolverContext *context, double *lambda, CairnSolveReport *report);

#endif
