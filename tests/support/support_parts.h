// Parts for problems that come without a partition.
#ifndef CAIRN_TESTS_SUPPORT_PARTS_H
#define CAIRN_TESTS_SUPPORT_PARTS_H

#include "engine/base/arena.h"

#include <cairn/partitioner.h>
#include <cairn/problem.h>

// Computed by a partitioner and a refiner (NULL: none) with options in the syntax of the command line. False where the
// partitioner refuses.
bool support_parts(const CairnProblem *problem, const CairnPartitioner *partitioner, const char *options,
                   const CairnRefiner *refiner, CairnArena *arena, CairnParts *parts);

#endif
