// Functions for refiners: exact gains in rows, and whether a part is still connected without a body.
#ifndef CAIRN_PARTITION_REFINE_H
#define CAIRN_PARTITION_REFINE_H

#include <cairn/partitioner.h>
#include <stdbool.h>

#include "partition/adjacency.h"

typedef struct CairnRefining {
    const char *name;
    const CairnGraph *graph;
    CairnAdjacency adjacency;
    int *part, count;
    int *size, *dofs; // of each part: its nodes, and their dofs
    // Scratch: marks[node] == mark means "seen in this search"; toward[part] is all zero between uses.
    int *marks, mark, *queue, *toward;
} CairnRefining;

// The gain of moving `node` to part `to`, in rows by which the cut falls: E_i - I_i of S3 eq. 2, exact for
// constraints over many nodes too.
int cairn_refine_gain(const CairnRefining *refining, int node, int to);
// The gain of swapping two nodes of different parts: (E_i - I_i) + (E_j - I_j) - 2c with c the rows that tie them.
int cairn_refine_swap_gain(const CairnRefining *refining, int node, int other);

// Whether the nodes that are connected in the node's part are still connected without it.
bool cairn_refine_stays_connected(CairnRefining *refining, int node);
void cairn_refine_move(CairnRefining *refining, int node, int to);

// Dofs of the heaviest part.
int cairn_refine_most_dofs(const CairnRefining *refining);

typedef struct CairnRefineTask {
    const char *name;
    const CairnFieldTable *table;
    size_t options_size;
    CairnStatus (*run)(CairnRefining *refining, const void *options, CairnArena *arena);
} CairnRefineTask;

// The frame of a refiner: options, graph, parts, run; `part` is written only where all of them succeed.
CairnStatus cairn_refine_run(const CairnRefineTask *task, const CairnGraph *graph, const void *options,
                             const CairnAllocator *allocator, int *part, int *count);

#endif
