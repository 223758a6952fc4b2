// Constraint graphs: the check that every partitioner begins with, and the weights of nodes.
#ifndef CAIRN_PARTITION_GRAPH_H
#define CAIRN_PARTITION_GRAPH_H

#include <cairn/partitioner.h>
#include <limits.h>

// Check counts, offsets, indices and masses; the message names the array, the index and the value.
CairnStatus cairn_graph_check(const CairnGraph *graph);

// Dofs of a node and of all nodes.
static inline int cairn_graph_dofs(const CairnGraph *graph, int node) {
    return graph->node_dofs ? graph->node_dofs[node] : CAIRN_BODY_DOFS;
}
int cairn_graph_all_dofs(const CairnGraph *graph);

// How many rigid bodies have as many dofs, rounded up.
static inline int cairn_graph_bodies(int dofs) {
    return dofs / CAIRN_BODY_DOFS + (dofs % CAIRN_BODY_DOFS > 0 ? 1 : 0);
}

// Room of a part of so many bodies, in dofs: as many as an int holds where part_size is a billion.
static inline int cairn_graph_room(int part_size) {
    return (part_size < INT_MAX / CAIRN_BODY_DOFS ? part_size : INT_MAX / CAIRN_BODY_DOFS) * CAIRN_BODY_DOFS;
}

#endif
