// Partitioner: a constraint graph goes in, parts come out. Refiner: parts come in and leave with a smaller cut. The built-in ones are
// listed in partition/partitioners.c and partition/refiners.c; a user's own is a pointer given to the world.
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

// part[node] in [0, count), no number unused. Owned by whoever called the partitioner.
typedef struct CairnParts {
    int count;
    const int *part;
} CairnParts;

typedef struct CairnPartitioner {
    const char *name, *summary;
    const CairnFieldTable *options; // NULL: none
    // Fills part[node_count] and *count. On entry part[] says in which part each node was in the step before (-1: in none) and *count
    // how many there were (0: no step before): a partitioner may start from them, most do not look.
    CairnStatus (*partition)(const CairnGraph *graph, const void *options, const CairnAllocator *allocator, int *part,
                             int *count);
} CairnPartitioner;

// The built-in partitioners.
int cairn_partitioner_count(void);
const CairnPartitioner *cairn_partitioner_at(int index);
CairnStatus cairn_partitioner_find(const char *name, const CairnPartitioner **partitioner);
// mindp, as S0: what a world has until it is given another one. Only solvers that need parts ask it.
const CairnPartitioner *cairn_partitioner_default(void);

typedef struct CairnRefiner {
    const char *name, *summary;
    const CairnFieldTable *options; // NULL: none
    // Changes part[] where that lowers the cut, never raising it. A part that it empties leaves no hole: *count falls.
    CairnStatus (*refine)(const CairnGraph *graph, const void *options, const CairnAllocator *allocator, int *part,
                          int *count);
} CairnRefiner;

// The built-in refiners.
int cairn_refiner_count(void);
const CairnRefiner *cairn_refiner_at(int index);
CairnStatus cairn_refiner_find(const char *name, const CairnRefiner **refiner);

// What a partition is worth. A constraint over nodes of several parts is cut: its rows are the interface.
typedef struct CairnPartsMeasure {
    int count, largest, smallest;  // parts, and the nodes of two of them
    double balance;                // largest part over the mean, 1 at best; 0 without parts
    int cut_rows, cut_constraints; // rows and constraints of the interface
} CairnPartsMeasure;

// Fails where a node is in no part or a part has no node. `sizes` (count long) takes the nodes of each part; it may be NULL.
CairnStatus cairn_parts_measure(const CairnGraph *graph, const CairnParts *parts, const CairnAllocator *allocator,
                                int *sizes, CairnPartsMeasure *measure);

#endif
