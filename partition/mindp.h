// mindp: minimum degree partitioning, S0 algorithm 2.
#ifndef CAIRN_PARTITION_MINDP_H
#define CAIRN_PARTITION_MINDP_H

#include "partition/grow.h"

extern const CairnPartitioner cairn_partitioner_mindp;
extern const CairnGrowRule cairn_grow_mindp;

#endif
