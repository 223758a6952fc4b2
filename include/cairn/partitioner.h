// Partitioner and refiner: a partitioner divides a constraint graph into parts; a refiner changes given parts so that
// fewer constraints lie between them.
//
// The built-in ones are listed in partition/partitioners.c and partition/refiners.c; a program uses its own by giving
// the world a pointer to it (cairn_world_set_partitioner, cairn_world_set_refiner). All functions of this header may be
// called from any thread. What they return pointers to is constant and lives as long as the program.
#ifndef CAIRN_PARTITIONER_H
#define CAIRN_PARTITIONER_H

#include <cairn/fields.h>
#include <cairn/hooks.h>
#include <cairn/status.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CAIRN_BODY_DOFS = 6 }; // the dofs of a rigid body, the unit in which `part_size` counts

// A node is a dof block; static and kinematic bodies have none, so they belong to no part. An edge is a constraint over
// one or more nodes. A node weighs its dofs: a part of `part_size` bodies has room for 6 part_size dofs, whatever the
// sizes of its blocks. The arrays belong to whoever made the graph.
typedef struct CairnGraph {
    int node_count, edge_count;
    const uint64_t *node_id;
    const double *node_mass; // kg
    const int *node_group;   // the label that the scene gives for semantic partitions; -1: none
    const int *node_dofs;    // weight: the number of dofs of the block, at least 1; NULL: all nodes are rigid bodies
    const int *edge_rows;    // weight: the number of rows of the constraint
    const int *edge_start;   // edge_count + 1 offsets into edge_node
    const int *edge_node;
} CairnGraph;

// part[node] lies in [0, count), and each of these numbers is used. The array belongs to the caller of the partitioner.
typedef struct CairnParts {
    int count;
    const int *part;
} CairnParts;

typedef struct CairnPartitioner {
    const char *name, *summary;
    const CairnFieldTable *options; // NULL: none
    // Fills part[node_count] and *count. On entry part[] holds the part of each node in the step before (-1: none) and
    // *count their number (0: there was no step before); a partitioner may start from them. It is called from the
    // thread that steps the world, and allocates from `allocator` only. On an error the step fails with the status that
    // it returns.
    CairnStatus (*partition)(const CairnGraph *graph, const void *options, const CairnAllocator *allocator, int *part,
                             int *count);
} CairnPartitioner;

// The built-in partitioners: how many there are, the one at an index (NULL outside of [0, count)), and the one with a
// name (CAIRN_NOT_FOUND, CAIRN_INVALID_ARGUMENT where a pointer is NULL).
int cairn_partitioner_count(void);
const CairnPartitioner *cairn_partitioner_at(int index);
CairnStatus cairn_partitioner_find(const char *name, const CairnPartitioner **partitioner);
// Returns the partitioner that a world has until it is given another one: mindp, as in S0.
const CairnPartitioner *cairn_partitioner_default(void);

typedef struct CairnRefiner {
    const char *name, *summary;
    const CairnFieldTable *options; // NULL: none
    // Changes part[] where that lowers the number of rows between parts, and never raises that number. Where it empties
    // a part, the others are renumbered and *count falls. Thread and allocator are as for a partitioner.
    CairnStatus (*refine)(const CairnGraph *graph, const void *options, const CairnAllocator *allocator, int *part,
                          int *count);
} CairnRefiner;

// The built-in refiners, with the same rules.
int cairn_refiner_count(void);
const CairnRefiner *cairn_refiner_at(int index);
CairnStatus cairn_refiner_find(const char *name, const CairnRefiner **refiner);

// Measures of a partition. A constraint over nodes of several parts is cut; the rows of all cut constraints are the
// interface.
typedef struct CairnPartsMeasure {
    int count, largest, smallest; // the number of parts, and the number of nodes of the largest and of the smallest one
    int most_dofs;                // the number of dofs of the heaviest part
    double balance; // the dofs of the heaviest part divided by the mean: 1 is the best value; 0 without parts
    int cut_rows, cut_constraints; // rows and constraints of the interface
} CairnPartsMeasure;

// Measures a partition. `sizes`, of `parts->count` entries, receives the number of nodes of each part; it may be NULL.
// Scratch memory comes from `allocator` (NULL: the C library's). Returns CAIRN_INVALID_ARGUMENT where a node is in no
// part, a part has no node or the graph is not consistent, and CAIRN_OUT_OF_MEMORY.
CairnStatus cairn_parts_measure(const CairnGraph *graph, const CairnParts *parts, const CairnAllocator *allocator,
                                int *sizes, CairnPartsMeasure *measure);

#ifdef __cplusplus
}
#endif

#endif
