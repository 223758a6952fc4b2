// ipm-cone: Mehrotra's predictor-corrector over bounds and second-order friction cones, with Nesterov-Todd's scaling.
//
//   CONE     the convex law (S1 eq. 7): min 1/2 lambda A lambda + b lambda over boxes and cones, one answer in w.
//   COULOMB  the same with mu |w_T| added to w_N (De Saxce): a sliding contact stays down. The added rise is a parameter of the
//            convex problem; it follows the iterate inside the interior point, and Newton's method on all rows finishes (cones.h).
//   BOX_CURRENT, torsion and rolling: bounds that follow the normal impulse are parameters likewise.
//
// Each iteration factors A + Theta once, with a 3x3 block a cone, and solves twice.
#ifndef CAIRN_SOLVERS_IPM_CONE_H
#define CAIRN_SOLVERS_IPM_CONE_H

#include "solvers/cones.h"

typedef struct CairnIpmConeOptions {
    int formulation; // CairnFormulation
    int iterations;  // of the interior point, each time that the parameters are held
    int outer;       // times that they are
    double tolerance;
    bool warm; // try Newton's method from the warm start first
} CairnIpmConeOptions;

extern const CairnSolver cairn_solver_ipm_cone;

// For solvers whose own way with bounds that follow the normal impulses has not arrived (`report`): the interior point that has these bounds as
// unknowns goes on from lambda. The better one of both answers stays.
CairnStatus cairn_ipm_cone_finish(const CairnProblem *problem, CairnFormulation formulation,
                                  CairnSolverContext *context, double *lambda, CairnSolveReport *report);

// The interior point alone: its state, one step and its measures, for ipm_cone.c.
typedef struct CairnInterior CairnInterior;

// NULL: no memory.
CairnInterior *cairn_interior_make(CairnCones *cones);

// A centred start. is_following: parameters are unknowns, else they stay as they are. least: what of mu a step leaves at least; above 0 the way is
// longer and keeps nearer to the centre.
void cairn_interior_begin(CairnInterior *in, bool is_following, double least);

// One predictor-corrector step; `step`: how far it went. CAIRN_NUMERIC: it broke down.
CairnStatus cairn_interior_step(CairnInterior *in, double *step);

#endif
