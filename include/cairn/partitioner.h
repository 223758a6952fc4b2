// Partitioner: a constraint graph goes in, parts come out.
#ifndef CAIRN_PARTITIONER_H
#define CAIRN_PARTITIONER_H

#include <cairn/fields.h>
#include <cairn/hooks.h>
#include <cairn/status.h>
#include <stdint.h>

// Nodes are dof blocks (static bodies have none, so they never join a part); an edge is a constraint over one or more nodes.
typedef struct CairnGraph {
    int node_count, edge_count;
    const uint64_t *node_id;
    const double *node_mass;
    const int *node_group; // semantic label, -1: none
    const int *edge_rows;  // weight: rows of the constraint
    const int *edge_start; // edge_count + 1 offsets into edge_node
    const int *edge_node;
} CairnGraph;

// part[node] in [0, count). Owned by whoever called the partitioner.
typedef struct CairnParts {
    int count;
    const int *part;
} CairnParts;

typedef struct CairnPartitioner {
    const char *name, *summary;
    const CairnFieldTable *options; // NULL: none
    // Fills part[node_count] and *count.
    CairnStatus (*partition)(const CairnGraph *graph, const void *options, const CairnAllocator *allocator, int *part,
                             int *count);
} CairnPartitioner;

// The built-in partitioners.
int cairn_partitioner_count(void);
const CairnPartitioner *cairn_partitioner_at(int index);
CairnStatus cairn_partitioner_find(const char *name, const CairnPartitioner **partitioner);

#endif
