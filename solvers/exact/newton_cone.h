// newton-cone: Newton's method on the rounded law of friction cones (smooth.h), from the start that it is given.
#ifndef CAIRN_SOLVERS_NEWTON_CONE_H
#define CAIRN_SOLVERS_NEWTON_CONE_H

#include <cairn/solver.h>

typedef struct CairnNewtonConeOptions {
    int iterations, path;
    double tolerance;
} CairnNewtonConeOptions;

extern const CairnSolver cairn_solver_newton_cone;

#endif
