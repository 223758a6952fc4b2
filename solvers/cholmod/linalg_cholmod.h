// Constraint space by CHOLMOD: A + Theta as S0 does it, a scalar sparse Cholesky factor of the free rows' matrix. It is
// here to be compared with (the paper has Eigen's simplicial factor and PARDISO's supernodal one); the default library
// holds none of it, for CHOLMOD's supernodal module is under the GPL.
#ifndef CAIRN_SOLVERS_CHOLMOD_LINALG_CHOLMOD_H
#define CAIRN_SOLVERS_CHOLMOD_LINALG_CHOLMOD_H

#include "solvers/system/system.h"

typedef enum CairnCholmodMethod { CAIRN_CHOLMOD_SIMPLICIAL = 0, CAIRN_CHOLMOD_SUPERNODAL } CairnCholmodMethod;

// The matrix that is factored: the free rows alone, analysed anew each time (as in the paper), or all rows, with
// those held out as rows of the identity, analysed once a solve.
typedef enum CairnCholmodSymbolic { CAIRN_CHOLMOD_EACH = 0, CAIRN_CHOLMOD_ONCE } CairnCholmodSymbolic;

const CairnSystemKind *cairn_system_cholmod(CairnCholmodMethod method, CairnCholmodSymbolic symbolic);

#endif
