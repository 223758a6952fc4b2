// Constraint graphs: the check that stands at a partitioner's door.
#ifndef CAIRN_PARTITION_GRAPH_H
#define CAIRN_PARTITION_GRAPH_H

#include <cairn/partitioner.h>

// Check counts, offsets, indices and masses; the message names the array, the place and the value.
CairnStatus cairn_graph_check(const CairnGraph *graph);

#endif
