// none: no substructuring. Every node in one part.
#ifndef CAIRN_PARTITION_NONE_H
#define CAIRN_PARTITION_NONE_H

#include <cairn/partitioner.h>

extern const CairnPartitioner cairn_partitioner_none;

#endif
