// Anderson's acceleration of a fixed point p = G(p): the next p is what the last few would make of the combination of themselves whose
// G - p is least. A slow drift, which the plain iteration follows step by step, is run through at once.
#ifndef CAIRN_SOLVERS_ANDERSON_H
#define CAIRN_SOLVERS_ANDERSON_H

#include <cairn/status.h>

#include "engine/base/arena.h"

enum { CAIRN_ANDERSON_DEPTH = 5 };

typedef struct CairnAnderson {
    int n, count;  // differences that are kept
    bool has_last; // `p` and `F` are those of the last call
    double *p, *F; // F = G - p
    double *dp[CAIRN_ANDERSON_DEPTH], *dF[CAIRN_ANDERSON_DEPTH];
    double *q[CAIRN_ANDERSON_DEPTH]; // scratch: dF made orthonormal
} CairnAnderson;

CairnStatus cairn_anderson_init(CairnAnderson *anderson, int n, CairnArena *arena);

// p and G = G(p) in, the next p out.
void cairn_anderson_next(CairnAnderson *anderson, double *p, const double *G);

#endif
