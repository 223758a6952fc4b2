// The Delassus matrix of pgs-cg: which rows stay, K, and W in compressed rows.
#ifndef CAIRN_SOLVERS_PGS_CG_ASSEMBLE_H
#define CAIRN_SOLVERS_PGS_CG_ASSEMBLE_H

#include "solvers/system/system.h"

typedef struct PgsCgMatrix {
    const CairnProblem *problem;
    CairnSystem system; // K in body space
    int row_count;
    int *rows;   // of the problem
    int *number; // problem row -> its number, -1: in the dynamics
    int *constraint;
    double *theta;
    // W over the rows that stay
    int *start, *column;
    double *W, *D, *b;
} PgsCgMatrix;

CairnStatus cairn_pgs_cg_assemble(PgsCgMatrix *matrix, const CairnProblem *problem, CairnSolverContext *context);

// Write lambda (by W's rows) to `out`, and the impulses of the dynamics' rows that follow from it.
void cairn_pgs_cg_finish(PgsCgMatrix *matrix, const double *lambda, double *out);

#endif
