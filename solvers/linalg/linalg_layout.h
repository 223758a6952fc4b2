// Layout: the last part of a plan: which subtrees are tasks for threads, and where panels and update matrices lie.
#ifndef CAIRN_SOLVERS_LINALG_LAYOUT_H
#define CAIRN_SOLVERS_LINALG_LAYOUT_H

#include "solvers/linalg/linalg.h"

// The supernodes are numbered and linked, their operations counted; fills their places and the plan's tasks, trunk and sums.
CairnStatus cairn_linalg_layout(CairnLinalgPlan *plan, CairnLinalgSupernode *supernodes, CairnArena *arena,
                                CairnArena *scratch);

#endif
