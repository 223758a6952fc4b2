// newton-cone: Newton's method on the rounded law of friction cones (smooth.h), from the start that it is given.
#ifndef CAIRN_SOLVERS_NEWTON_CONE_H
#define CAIRN_SOLVERS_NEWTON_CONE_H

#include "solvers/exact/smooth.h"

typedef struct CairnNewtonConeOptions {
    int iterations, path;
    double tolerance;
} CairnNewtonConeOptions;

// The method prepared for a problem, for several starts.
typedef struct CairnNewtonCone {
    CairnCones cones;
    CairnSmooth *smooth;
} CairnNewtonCone;

// `tolerance` is a share of max|b|. *takes: whether the problem has a body space, without which nothing is prepared.
CairnStatus cairn_newton_cone_init(CairnNewtonCone *newton, const CairnProblem *problem, double tolerance,
                                   CairnSolverContext *context, const double *lambda, bool *takes);

extern const CairnSolver cairn_solver_newton_cone;

#endif
