// Islands: the connected components of a constraint graph. Cost O((nodes + edge ends) alpha).
#ifndef CAIRN_PARTITION_ISLANDS_H
#define CAIRN_PARTITION_ISLANDS_H

#include <cairn/partitioner.h>

// Number the islands by their lowest node, from 0: island[node] for every node, and how many there are. Needs no
// scratch, so it cannot fail on a graph that cairn_graph_check accepts.
int cairn_islands(const CairnGraph *graph, int *island);

#endif
