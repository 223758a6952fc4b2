// Parts for problems that no world has parted.
#ifndef CAIRN_TESTS_SUPPORT_PARTS_H
#define CAIRN_TESTS_SUPPORT_PARTS_H

#include "engine/base/arena.h"

#include <cairn/partitioner.h>
#include <cairn/problem.h>

// By a partitioner and a refiner (NULL: none) with options as the command line takes them. False where the partitioner refuses.
bool support_parts(const CairnProblem *problem, const CairnPartitioner *partitioner, const char *options,
                   const CairnRefiner *refiner, CairnArena *arena, CairnParts *parts);

#endif
