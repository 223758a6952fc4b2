// fbic: force-based interface coupling (Lacoursiere 2007), as S0 section 4.1 compares with it: equations 16 and 17 in
// turn.
//
// The interface's problem is solved with A_Gamma and fixed impulses of the subsystems; then every subsystem's problem
// with the interface's impulses, all in parallel; and so on. The interface's problem does not contain the constraints
// behind its bodies, so stiff systems take hundreds of iterations. It is block Gauss-Seidel on a convex quadratic
// program: the objective falls with every solve, and with C > 0 it converges, if slowly. Factors are reused: once the
// index sets do not change an iteration costs products and triangles only.
#ifndef CAIRN_SOLVERS_FBIC_H
#define CAIRN_SOLVERS_FBIC_H

#include <cairn/solver.h>

typedef struct CairnFbicOptions {
    int formulation; // CairnFormulation of subsystems and interface
    int kmax;        // coupling iterations
    int iterations;  // pivots of one solve
    int singles;
    bool faithful;
    bool warm;
} CairnFbicOptions;

extern const CairnSolver cairn_solver_fbic;

#endif
