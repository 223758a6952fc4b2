// Partings: parts over graphs for the tests of partitioners and refiners, and what is right of them, computed the plain way.
#ifndef CAIRN_TESTS_SUPPORT_PARTINGS_H
#define CAIRN_TESTS_SUPPORT_PARTINGS_H

#include "tests/support/support.h"
#include "tests/support/support_graphs.h"

enum { SUPPORT_MOST_NODES = 700, SUPPORT_GROWN = 5, SUPPORT_GRAPHS = 60 };

// The partitioners that grow parts body by body.
extern const char *const support_grown[SUPPORT_GROWN];

typedef struct SupportParting {
    int part[SUPPORT_MOST_NODES], count;
} SupportParting;

const CairnPartitioner *support_partitioner(const char *name);
const CairnRefiner *support_refiner(const char *name);
bool support_has_option(const CairnFieldTable *table, const char *name);

// Part with options as the command line gives them.
CairnStatus support_try_part(const CairnGraph *graph, const char *name, const char *text, SupportParting *p);
SupportParting support_part(const CairnGraph *graph, const char *name, const char *text);
CairnPartsMeasure support_parts_measure(const CairnGraph *graph, const SupportParting *p);

// Rows of the constraints that are not within one part.
int support_plain_cut(const CairnGraph *graph, const int *part);

// Pieces of a part that are no whole islands: it may have one.
void support_count_fragments(const CairnGraph *graph, const SupportParting *p, int *fragments);

void support_check_numbers(const CairnGraph *graph, const SupportParting *p);

// One fragment a part; the last part may have more where the partitioner leaves a last group.
void support_check_contiguous(const CairnGraph *graph, const SupportParting *p, bool has_last_group);

// Parts have at most the dofs of `limit` bodies, or one heavy block, when orphans are left out: bodies whose every
// neighbour is in their own part or one made before.
void support_check_sizes(const CairnGraph *graph, const SupportParting *p, int limit);

// Chains, grids, piles, towers and random graphs in turn.
void support_draw_graph(SupportGraph *g, int which, uint64_t *seed);

#endif
