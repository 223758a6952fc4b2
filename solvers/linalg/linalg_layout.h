// Layout: the last step of a plan: which subtrees are tasks for threads, and the offsets of panels and update matrices.
#ifndef CAIRN_SOLVERS_LINALG_LAYOUT_H
#define CAIRN_SOLVERS_LINALG_LAYOUT_H

#include "solvers/linalg/linalg.h"

// The supernodes are numbered and linked, and their operations counted. Sets their offsets, and the plan's tasks,
// trunk and sums.
CairnStatus cairn_linalg_layout(CairnLinalgPlan *plan, CairnLinalgSupernode *supernodes, CairnArena *arena,
                                CairnArena *scratch);

#endif
