#include "partition/refine.h"

#include <string.h>

#include "partition/graph.h"
#include "partition/scratch.h"

// Check graph and parts, make what the rest needs.
static CairnStatus open_refining(CairnRefining *r, const CairnGraph *graph, CairnArena *arena, int *part, int count) {
    int nodes = graph->node_count;
    r->graph = graph;
    r->part = part;
    r->count = count;
    r->mark = 0;
    if (count < 0 || count > nodes) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "%s: %d parts of %d bodies", r->name, count, nodes);
    }
    CAIRN_TRY(cairn_adjacency_make(graph, arena, &r->adjacency));
    r->size = CAIRN_PUSH_ZERO(arena, int, count);
    r->dofs = CAIRN_PUSH_ZERO(arena, int, count);
    r->toward = CAIRN_PUSH_ZERO(arena, int, count);
    r->marks = CAIRN_PUSH_ZERO(arena, int, nodes);
    r->queue = CAIRN_PUSH(arena, int, nodes);
    if (!r->size || !r->dofs || !r->toward || !r->marks || !r->queue) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory to refine the parts of %d bodies", r->name, nodes);
    }
    for (int i = 0; i < nodes; i++) {
        if (part[i] < 0 || part[i] >= count) {
            return cairn_error(CAIRN_INVALID_ARGUMENT, "%s: node %d is in part %d of %d", r->name, i, part[i], count);
        }
        r->size[part[i]] += 1;
        r->dofs[part[i]] += cairn_graph_dofs(graph, i);
    }
    return cairn_ok();
}

// Number the parts without holes; returns how many there are.
static int close_refining(CairnRefining *r) {
    int count = 0;
    for (int p = 0; p < r->count; p++) {
        r->toward[p] = r->size[p] > 0 ? count++ : -1;
    }
    for (int i = 0; i < r->graph->node_count; i++) {
        r->part[i] = r->toward[r->part[i]];
    }
    return count;
}

// Is the constraint cut, if `a` were in part_a and `b` in part_b?
static bool is_cut_with(const CairnRefining *r, int edge, int a, int part_a, int b, int part_b) {
    int first = -1;
    for (int k = r->graph->edge_start[edge]; k < r->graph->edge_start[edge + 1]; k++) {
        int node = r->graph->edge_node[k];
        int part = node == a ? part_a : node == b ? part_b : r->part[node];
        if (first >= 0 && part != first) {
            return true;
        }
        first = part;
    }
    return false;
}

static int wide_gain(const CairnRefining *r, int edge, int a, int part_a, int b, int part_b) {
    bool was_cut = is_cut_with(r, edge, -1, 0, -1, 0), is_cut = is_cut_with(r, edge, a, part_a, b, part_b);
    return was_cut == is_cut ? 0 : was_cut ? r->graph->edge_rows[edge] : -r->graph->edge_rows[edge];
}

int cairn_refine_gain(const CairnRefining *r, int node, int to) {
    const CairnAdjacency *a = &r->adjacency;
    int from = r->part[node], gain = 0;
    for (int k = a->start[node]; k < a->start[node + 1]; k++) {
        int part = r->part[a->neighbour[k]];
        gain += part == to ? a->rows[k] : part == from ? -a->rows[k] : 0;
    }
    for (int k = a->wide_start[node]; a->has_wide && k < a->wide_start[node + 1]; k++) {
        gain += wide_gain(r, a->wide[k], node, to, -1, 0);
    }
    return gain;
}

int cairn_refine_swap_gain(const CairnRefining *r, int node, int other) {
    const CairnAdjacency *a = &r->adjacency;
    int here = r->part[node], there = r->part[other];
    int gain = cairn_refine_gain(r, node, there) + cairn_refine_gain(r, other, here);
    for (int k = a->start[node]; k < a->start[node + 1]; k++) {
        gain -= a->neighbour[k] == other ? 2 * a->rows[k] : 0;
    }
    // A constraint over both is cut before and after; each gain alone knew nothing of the other's move.
    for (int k = a->wide_start[node]; a->has_wide && k < a->wide_start[node + 1]; k++) {
        for (int l = a->wide_start[other]; l < a->wide_start[other + 1]; l++) {
            if (a->wide[l] == a->wide[k]) {
                gain -= wide_gain(r, a->wide[k], node, there, -1, 0) + wide_gain(r, a->wide[k], other, here, -1, 0);
            }
        }
    }
    return gain;
}

// The neighbours of the node in its part must be connected without it.
bool cairn_refine_stays_connected(CairnRefining *r, int node) {
    const CairnAdjacency *a = &r->adjacency;
    int part = r->part[node], wanted = 0, first = -1, count = 0;
    int wish = r->mark + 1, seen = r->mark + 2;
    r->mark += 2;
    for (int k = a->start[node]; k < a->start[node + 1]; k++) {
        if (r->part[a->neighbour[k]] == part) {
            first = a->neighbour[k];
            r->marks[first] = wish;
            wanted += 1;
        }
    }
    if (wanted <= 1) {
        return true;
    }
    r->marks[node] = r->marks[first] = seen;
    r->queue[count++] = first;
    wanted -= 1;
    for (int head = 0; head < count && wanted > 0; head++) {
        for (int k = a->start[r->queue[head]]; k < a->start[r->queue[head] + 1]; k++) {
            int other = a->neighbour[k];
            if (r->part[other] == part && r->marks[other] != seen) {
                wanted -= r->marks[other] == wish ? 1 : 0;
                r->marks[other] = seen;
                r->queue[count++] = other;
            }
        }
    }
    return wanted == 0;
}

void cairn_refine_move(CairnRefining *r, int node, int to) {
    int dofs = cairn_graph_dofs(r->graph, node);
    r->size[r->part[node]] -= 1;
    r->dofs[r->part[node]] -= dofs;
    r->size[to] += 1;
    r->dofs[to] += dofs;
    r->part[node] = to;
}

int cairn_refine_most_dofs(const CairnRefining *r) {
    int most = 0;
    for (int p = 0; p < r->count; p++) {
        most = r->dofs[p] > most ? r->dofs[p] : most;
    }
    return most;
}

static CairnStatus run_in(const CairnRefineTask *task, const CairnGraph *graph, const void *options, CairnArena *arena,
                          int *part, int *count) {
    int nodes = graph->node_count;
    void *chosen = cairn_arena_push(arena, 1, task->options_size);
    int *refined = CAIRN_PUSH(arena, int, nodes);
    if (!chosen || !refined) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory to refine the parts of %d bodies", task->name, nodes);
    }
    CAIRN_TRY(cairn_partition_options(task->table, options, chosen));
    if (nodes == 0) {
        return cairn_ok();
    }
    memcpy(refined, part, (size_t)nodes * sizeof *refined);
    CairnRefining refining = {.name = task->name};
    CAIRN_TRY(open_refining(&refining, graph, arena, refined, *count));
    CAIRN_TRY(task->run(&refining, chosen, arena));
    *count = close_refining(&refining);
    memcpy(part, refined, (size_t)nodes * sizeof *refined);
    return cairn_ok();
}

CairnStatus cairn_refine_run(const CairnRefineTask *task, const CairnGraph *graph, const void *options,
                             const CairnAllocator *allocator, int *part, int *count) {
    CAIRN_TRY(cairn_graph_check(graph));
    CairnScratch scratch;
    cairn_scratch_open(&scratch, allocator);
    CairnStatus status = run_in(task, graph, options, &scratch.arena, part, count);
    cairn_scratch_close(&scratch);
    return status;
}
