// pgs: matrix-free projected Gauss-Seidel for box bounds, the method of S0's comparison (section 7, table 1).
//
// A sweep visits the rows in order and sets each impulse to the solution of the row's equation, clamped to its
// bounds. A is never formed: with P = L L^T and the rows J L^-T packed once, A = (J L^-T)(J L^-T)^T + C, so the same
// twelve numbers of a row give its velocity and carry its impulse into u = L^T v. Cost: O(entries of J) a sweep, O(n)
// memory.
#ifndef CAIRN_SOLVERS_PGS_H
#define CAIRN_SOLVERS_PGS_H

#include <cairn/solver.h>

typedef struct CairnPgsOptions {
    int iterations;   // most sweeps
    double tolerance; // stop when no row of a sweep moves its velocity by more: max D |delta lambda| / omega, m/s
    double omega;     // relaxation in (0, 2)
} CairnPgsOptions;

extern const CairnSolver cairn_solver_pgs;

#endif
