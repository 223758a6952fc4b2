// nnewton under friction cones.
#ifndef CAIRN_SOLVERS_NNEWTON_CONE_H
#define CAIRN_SOLVERS_NNEWTON_CONE_H

#include "solvers/exact/nnewton.h"

CairnStatus cairn_nnewton_cones(const CairnProblem *problem, const CairnNnewtonOptions *options,
                                CairnSolverContext *context, double *lambda, CairnSolveReport *report);

#endif
