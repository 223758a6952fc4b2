#include "partition/graph.h"

#include <math.h>

static CairnStatus check_dofs(const CairnGraph *graph) {
    int sum = 0;
    for (int i = 0; i < graph->node_count; i++) {
        int dofs = cairn_graph_dofs(graph, i);
        if (dofs < 1 || dofs > INT_MAX - sum) {
            return cairn_error(CAIRN_INVALID_ARGUMENT,
                               "graph: node_dofs[%d] = %d must be at least 1, and all of them "
                               "at most %d together",
                               i, dofs, INT_MAX);
        }
        sum += dofs;
    }
    return cairn_ok();
}

int cairn_graph_all_dofs(const CairnGraph *graph) {
    int sum = 0;
    for (int i = 0; i < graph->node_count; i++) {
        sum += cairn_graph_dofs(graph, i);
    }
    return sum;
}

static CairnStatus check_nodes(const CairnGraph *graph) {
    if (graph->node_count > 0 && (!graph->node_id || !graph->node_mass || !graph->node_group)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "graph: a node array is NULL though node_count = %d",
                           graph->node_count);
    }
    for (int i = 0; i < graph->node_count; i++) {
        if (!(graph->node_mass[i] >= 0) || isinf(graph->node_mass[i])) {
            return cairn_error(CAIRN_INVALID_ARGUMENT, "graph: node_mass[%d] = %g must be finite and not negative", i,
                               graph->node_mass[i]);
        }
        if (graph->node_group[i] < -1) {
            return cairn_error(CAIRN_INVALID_ARGUMENT, "graph: node_group[%d] = %d must be at least -1", i,
                               graph->node_group[i]);
        }
    }
    return cairn_ok();
}

static CairnStatus check_offsets(const CairnGraph *graph) {
    if (graph->edge_start[0] != 0) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "graph: edge_start[0] = %d must be 0", graph->edge_start[0]);
    }
    for (int edge = 0; edge < graph->edge_count; edge++) {
        if (graph->edge_start[edge + 1] < graph->edge_start[edge]) {
            return cairn_error(CAIRN_INVALID_ARGUMENT, "graph: edge_start[%d] = %d is less than edge_start[%d] = %d",
                               edge + 1, graph->edge_start[edge + 1], edge, graph->edge_start[edge]);
        }
        if (graph->edge_rows[edge] < 0) {
            return cairn_error(CAIRN_INVALID_ARGUMENT, "graph: edge_rows[%d] = %d is negative", edge,
                               graph->edge_rows[edge]);
        }
    }
    return cairn_ok();
}

CairnStatus cairn_graph_check(const CairnGraph *graph) {
    if (!graph) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "graph is NULL");
    }
    if (graph->node_count < 0 || graph->edge_count < 0) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "graph: node_count = %d and edge_count = %d must not be negative",
                           graph->node_count, graph->edge_count);
    }
    CAIRN_TRY(check_nodes(graph));
    CAIRN_TRY(check_dofs(graph));
    if (graph->edge_count == 0) {
        return cairn_ok();
    }
    if (!graph->edge_start || !graph->edge_rows) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "graph: an edge array is NULL though edge_count = %d",
                           graph->edge_count);
    }
    CAIRN_TRY(check_offsets(graph)); // all of them before any is used
    int ends = graph->edge_start[graph->edge_count];
    if (!graph->edge_node && ends > 0) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "graph: edge_node is NULL though edge_start[%d] = %d",
                           graph->edge_count, ends);
    }
    for (int k = 0; k < ends; k++) {
        if (graph->edge_node[k] < 0 || graph->edge_node[k] >= graph->node_count) {
            return cairn_error(CAIRN_INVALID_ARGUMENT, "graph: edge_node[%d] = %d is no node of %d", k,
                               graph->edge_node[k], graph->node_count);
        }
    }
    return cairn_ok();
}
