// Measures of a partition: sizes, balance, and the cut in rows.
#include "partition/graph.h"
#include "partition/scratch.h"

static void measure_cut(const CairnGraph *graph, const int *part, CairnPartsMeasure *measure) {
    for (int e = 0; e < graph->edge_count; e++) {
        bool is_cut = false;
        for (int k = graph->edge_start[e] + 1; k < graph->edge_start[e + 1]; k++) {
            is_cut = is_cut || part[graph->edge_node[k]] != part[graph->edge_node[k - 1]];
        }
        measure->cut_constraints += is_cut ? 1 : 0;
        measure->cut_rows += is_cut ? graph->edge_rows[e] : 0;
    }
}

static CairnStatus measure_sizes(const CairnGraph *graph, const CairnParts *parts, int *sizes,
                                 CairnPartsMeasure *measure) {
    for (int p = 0; p < parts->count; p++) {
        sizes[p] = 0;
    }
    int most = 0;
    for (int i = 0; i < graph->node_count; i++) {
        if (parts->part[i] < 0 || parts->part[i] >= parts->count) {
            return cairn_error(CAIRN_INVALID_ARGUMENT, "node %d is in part %d of %d", i, parts->part[i], parts->count);
        }
        sizes[parts->part[i]] += cairn_graph_dofs(graph, i);
        most = sizes[parts->part[i]] > most ? sizes[parts->part[i]] : most;
    }
    for (int p = 0; p < parts->count; p++) {
        sizes[p] = 0;
    }
    for (int i = 0; i < graph->node_count; i++) {
        sizes[parts->part[i]] += 1;
    }
    measure->count = parts->count;
    measure->most_dofs = most;
    measure->smallest = parts->count > 0 ? graph->node_count : 0;
    for (int p = 0; p < parts->count; p++) {
        if (sizes[p] == 0) {
            return cairn_error(CAIRN_INVALID_ARGUMENT, "part %d of %d has no node", p, parts->count);
        }
        measure->largest = sizes[p] > measure->largest ? sizes[p] : measure->largest;
        measure->smallest = sizes[p] < measure->smallest ? sizes[p] : measure->smallest;
    }
    if (parts->count > 0) {
        measure->balance = (double)most * parts->count / cairn_graph_all_dofs(graph);
    }
    return cairn_ok();
}

CairnStatus cairn_parts_measure(const CairnGraph *graph, const CairnParts *parts, const CairnAllocator *allocator,
                                int *sizes, CairnPartsMeasure *measure) {
    if (!parts || !measure || (graph && graph->node_count > 0 && !parts->part)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "parts: %s is NULL",
                           !parts     ? "parts"
                           : !measure ? "measure"
                                      : "part");
    }
    CAIRN_TRY(cairn_graph_check(graph));
    if (parts->count < 0 || parts->count > graph->node_count) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "parts: count = %d for %d nodes", parts->count, graph->node_count);
    }
    CairnScratch scratch;
    cairn_scratch_open(&scratch, allocator);
    int *part_sizes = sizes ? sizes : CAIRN_PUSH(&scratch.arena, int, parts->count);
    CairnPartsMeasure found = {0};
    CairnStatus status = part_sizes ? measure_sizes(graph, parts, part_sizes, &found)
                                    : cairn_error(CAIRN_OUT_OF_MEMORY, "parts: no memory for %d sizes", parts->count);
    cairn_scratch_close(&scratch);
    if (cairn_is_ok(status)) {
        measure_cut(graph, parts->part, &found);
        *measure = found;
    }
    return status;
}
