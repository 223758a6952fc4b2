// Adjacency: the neighbours of each node, and how strongly they are tied. The constraint graph has edges over any
// number of nodes; growing parts and checking that they are connected needs pairs.
#ifndef CAIRN_PARTITION_ADJACENCY_H
#define CAIRN_PARTITION_ADJACENCY_H

#include <cairn/partitioner.h>

#include "engine/base/arena.h"

// Constraints over more nodes than this tie each node to the next one only, so that one over n nodes does not become
// n^2 pairs. Parts that are connected by these pairs are connected by the constraints.
enum { CAIRN_CLIQUE_LIMIT = 8 };

// Node i's neighbours are neighbour[start[i]] .. neighbour[start[i + 1] - 1], rising, each once.
typedef struct CairnAdjacency {
    int node_count;
    const int *start, *neighbour;
    const int *links; // constraints that tie the pair
    const int *rows;  // rows of the constraints over these two nodes alone
    // Constraints over three or more nodes, by node: edge[wide_start[i]] ..; their cut is no sum over pairs.
    const int *wide_start, *wide;
    bool has_wide;
} CairnAdjacency;

// O(nodes + edge ends), for a graph that cairn_graph_check accepts. The arrays live in the arena.
CairnStatus cairn_adjacency_make(const CairnGraph *graph, CairnArena *arena, CairnAdjacency *adjacency);

#endif
