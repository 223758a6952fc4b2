// The interior point over friction cones where no parameter but bounds follows the answer (the convex law): the steps
// of ipm.c, one symmetric factor and two to six solves each, with cones among the rows. De Saxce's rise is not its
// business (ipm_cone_step.c).
#ifndef CAIRN_SOLVERS_IPM_CONVEX_H
#define CAIRN_SOLVERS_IPM_CONVEX_H

#include "solvers/exact/cones.h"

// Whether this is a problem for it.
bool cairn_ipm_convex_takes(const CairnCones *cones);

// At most `steps` steps, from the iterate (is_warm) or from nothing; *best is updated. *is_done: the target is reached,
// or all that rounding allows within the certificate, or the review wants another problem. is_warm gives up where the
// iterate is no start.
CairnStatus cairn_ipm_convex_run(CairnCones *cones, int steps, bool is_warm, CairnBest *best, bool *is_done);

#endif
