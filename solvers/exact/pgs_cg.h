// pgs-cg: projected Gauss-Seidel with conjugate-gradient acceleration (Silcowitz, Niebe and Erleben 2010) on an
// assembled Delassus matrix: S2's baseline 1.
//
// Rows that no bound limits and no friction uses (joints, soft rows) belong to the dynamics, as S2 has them:
// K = P + J_b^T C_b^-1 J_b (its remark 1), and W = J K^-1 J^T + C over the remaining rows. Bodies that no such row
// ties to others have a small inverse each; the others take a solve with K's sparse factor for each row, which is the
// assembly that S2 calls complicated.
#ifndef CAIRN_SOLVERS_PGS_CG_H
#define CAIRN_SOLVERS_PGS_CG_H

#include <cairn/solver.h>

typedef struct CairnPgsCgOptions {
    int iterations;
    double tolerance;
    bool accelerate; // off: plain sweeps
} CairnPgsCgOptions;

extern const CairnSolver cairn_solver_pgs_cg;

#endif
