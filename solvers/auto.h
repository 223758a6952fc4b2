// auto: picks a method by the problem's law (auto.c).
#ifndef CAIRN_SOLVERS_AUTO_H
#define CAIRN_SOLVERS_AUTO_H

#include <cairn/solver.h>

typedef struct CairnAutoOptions {
    int iterations, sweeps;
} CairnAutoOptions;

extern const CairnSolver cairn_solver_auto;

#endif
