// none: no substructuring. Every node in one part.
#include <cairn/partitioner.h>

#include "partition/graph.h"

static CairnStatus partition_none(const CairnGraph *graph, const void *options, const CairnAllocator *allocator,
                                  int *part, int *count) {
    (void)options;
    (void)allocator;
    CAIRN_TRY(cairn_graph_check(graph));
    for (int i = 0; i < graph->node_count; i++) {
        part[i] = 0;
    }
    *count = graph->node_count > 0 ? 1 : 0;
    return cairn_ok();
}

const CairnPartitioner cairn_partitioner_none = {
    .name = "none",
    .summary = "no substructuring: the whole system is one part",
    .options = NULL,
    .partition = partition_none,
};
