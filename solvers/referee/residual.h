// The referee with the caller's scratch, for a step: once its arena is large enough, it allocates nothing.
#ifndef CAIRN_SOLVERS_RESIDUAL_H
#define CAIRN_SOLVERS_RESIDUAL_H

#include <cairn/solver.h>

#include "engine/base/arena.h"

// As cairn_residual; everything taken from the arena is given back.
CairnStatus cairn_residual_in(const CairnProblem *problem, const double *lambda, CairnArena *arena,
                              CairnResidual *residual);
// cairn_residual_in on several threads; the bits are those of one.
CairnStatus cairn_residual_by(const CairnProblem *problem, const double *lambda, int threads, CairnArena *arena,
                              CairnResidual *residual);

#endif
