// The order of elimination of the whole: the blocks inside of subsystems, then those between them. With several
// levels each subsystem is partitioned again, and the blocks between its parts are eliminated before those between
// the subsystems.
#include <string.h>

#include "partition/mindp.h"
#include "solvers/problem/graph.h"
#include "solvers/schur/substructure_cut.h"

enum {
    PARTS_OF_PART = 4,
    SMALLEST = 4
}; // parts that a part is divided into, and the least bodies of each; the weight of a block is its dofs, 6 for a body

// Mark the blocks of edges between parts, and remove these edges.
static void cross(CairnGraph *graph, const int *part, int rank, int *rows, int *start, int *node, int *stage) {
    int edges = 0, next = 0;
    for (int e = 0; e < graph->edge_count; e++) {
        int first = graph->edge_start[e], end = graph->edge_start[e + 1];
        bool is_crossing = false;
        for (int k = first + 1; k < end; k++) {
            is_crossing = is_crossing || part[graph->edge_node[k]] != part[graph->edge_node[first]];
        }
        for (int k = first; k < end && is_crossing; k++) {
            int *node_stage = &stage[graph->edge_node[k]];
            *node_stage = rank > *node_stage ? rank : *node_stage;
        }
        if (!is_crossing) { // they move to the front: none that is to be read yet is written on
            rows[edges] = graph->edge_rows[e];
            start[edges++] = next;
            memmove(node + next, graph->edge_node + first, (size_t)(end - first) * sizeof *node);
            next += end - first;
        }
    }
    start[edges] = next;
    graph->edge_count = edges;
    graph->edge_rows = rows;
    graph->edge_start = start;
    graph->edge_node = node;
}

CairnStatus cairn_substructure_stages(const CairnSubstructure *sub, const int **stage) {
    CairnArena *arena = sub->context->arena;
    int blocks = sub->problem->block_count, levels = sub->options.levels > 1 ? sub->options.levels : 1;
    CairnGraph graph;
    CAIRN_TRY(cairn_problem_graph(sub->problem, arena, &graph));
    int nodes = graph.edge_count > 0 ? graph.edge_start[graph.edge_count] : 0;
    int *found = CAIRN_PUSH_ZERO(arena, int, blocks + 1), *part = CAIRN_PUSH(arena, int, blocks + 1);
    int *rows = CAIRN_PUSH(arena, int, graph.edge_count + 1), *start = CAIRN_PUSH(arena, int, graph.edge_count + 1);
    int *node = CAIRN_PUSH(arena, int, nodes + 1);
    if (!found || !part || !rows || !start || !node) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "substructure: no memory for the stages of %d blocks", blocks);
    }
    cross(&graph, sub->parts.part, levels, rows, start, node, found);
    int count = sub->parts.count;
    int bodies = sub->problem->dof_count / CAIRN_BODY_DOFS;
    for (int level = 2; level <= levels && bodies > SMALLEST * count; level++) {
        CairnGrowOptions options;
        int size = bodies / (count * PARTS_OF_PART);
        cairn_fields_preset(cairn_partitioner_mindp.options, &options);
        options.part_size = size > SMALLEST ? size : SMALLEST;
        memset(part, -1, ((size_t)blocks + 1) * sizeof *part);
        count = 0;
        CAIRN_TRY(cairn_partitioner_mindp.partition(&graph, &options, &sub->room, part, &count));
        cross(&graph, part, levels + 1 - level, rows, start, node, found);
    }
    *stage = found;
    return cairn_ok();
}
