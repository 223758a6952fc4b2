// Partitions of graphs for the tests of partitioners and refiners, and the properties they must have, computed
// independently.
#ifndef CAIRN_TESTS_SUPPORT_PARTITIONS_H
#define CAIRN_TESTS_SUPPORT_PARTITIONS_H

#include "tests/support/support.h"
#include "tests/support/support_graphs.h"

enum { SUPPORT_MOST_NODES = 700, SUPPORT_GROWN = 5, SUPPORT_GRAPHS = 60 };

// The partitioners that grow parts body by body.
extern const char *const support_grown[SUPPORT_GROWN];

typedef struct SupportPartition {
    int part[SUPPORT_MOST_NODES], count;
} SupportPartition;

const CairnPartitioner *support_partitioner(const char *name);
const CairnRefiner *support_refiner(const char *name);
bool support_has_option(const CairnFieldTable *table, const char *name);

// Computes a partition with options in the syntax of the command line.
CairnStatus support_try_partition(const CairnGraph *graph, const char *name, const char *text, SupportPartition *p);
SupportPartition support_partition(const CairnGraph *graph, const char *name, const char *text);
CairnPartsMeasure support_partition_measure(const CairnGraph *graph, const SupportPartition *p);

// Rows of the constraints that are not within one part.
int support_plain_cut(const CairnGraph *graph, const int *part);

// Counts the connected fragments of each part that are not whole islands; a part may have one.
void support_count_fragments(const CairnGraph *graph, const SupportPartition *p, int *fragments);

void support_check_numbers(const CairnGraph *graph, const SupportPartition *p);

// Asserts that each part has one fragment; the last one may have more where the partitioner puts the remaining bodies
// into a last group.
void support_check_contiguous(const CairnGraph *graph, const SupportPartition *p, bool has_last_group);

// Asserts that parts have at most the dofs of `limit` bodies, or one heavy block, not counting orphans: bodies all of
// whose neighbours are in the same part or in one made before.
void support_check_sizes(const CairnGraph *graph, const SupportPartition *p, int limit);

// Chains, grids, piles, towers and random graphs in turn.
void support_draw_graph(SupportGraph *g, int which, uint64_t *seed);

#endif
