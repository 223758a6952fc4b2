#include "partition/adjacency.h"

#include <string.h>

// A pair of nodes that a constraint ties, and the rows that count for it (0: the constraint has further nodes).
typedef struct Pair {
    int a, b, rows;
} Pair;

// The nodes of an edge, each once, in the edge's order; `seen` holds for each node the last edge that it was found in.
static int distinct_nodes(const CairnGraph *graph, int edge, int *seen, int *nodes) {
    int count = 0;
    for (int k = graph->edge_start[edge]; k < graph->edge_start[edge + 1]; k++) {
        int node = graph->edge_node[k];
        if (seen[node] != edge) {
            seen[node] = edge;
            nodes[count++] = node;
        }
    }
    return count;
}

// The most pairs that an edge with so many ends lists. Where nodes are repeated a chain may turn out to be a clique.
static size_t most_pairs(int ends) {
    size_t chain = ends > 1 ? (size_t)(ends - 1) : 0;
    size_t some = ends < CAIRN_CLIQUE_LIMIT ? (size_t)ends : (size_t)CAIRN_CLIQUE_LIMIT;
    size_t clique = some > 1 ? some * (some - 1) / 2 : 0;
    return chain > clique ? chain : clique;
}

static size_t list_pairs(const int *nodes, int count, int rows, Pair *pairs) {
    size_t listed = 0;
    for (int i = 0; i + 1 < count; i++) {
        int last = count <= CAIRN_CLIQUE_LIMIT ? count - 1 : i + 1;
        for (int j = i + 1; j <= last; j++) {
            pairs[listed++] = (Pair){nodes[i], nodes[j], count == 2 ? rows : 0};
        }
    }
    return listed;
}

// Offsets from counts: start[i + 1] holds node i's count on entry; on return start[i + 1] is where node i's entries
// begin, so that filling with start[i + 1]++ makes every offset right.
static void offsets(int *start, int nodes) {
    int sum = 0;
    start[0] = 0;
    for (int i = 0; i < nodes; i++) {
        int count = start[i + 1];
        start[i + 1] = sum;
        sum += count;
    }
}

// Both directions of every pair, sorted by the far node: going through the far nodes in their order and appending to
// the near ones sorts all lists at once, and equal pairs come one after the other.
static CairnStatus merge_pairs(const Pair *pairs, size_t count, CairnArena *arena, CairnAdjacency *adjacency) {
    int nodes = adjacency->node_count;
    int *by_far = CAIRN_PUSH_ZERO(arena, int, nodes + 2), *far_start = by_far;
    int *near = CAIRN_PUSH(arena, int, 2 * count + 1), *near_rows = CAIRN_PUSH(arena, int, 2 * count + 1);
    int *room = CAIRN_PUSH(arena, int, nodes + 2), *end = CAIRN_PUSH(arena, int, nodes + 1);
    int *neighbour = CAIRN_PUSH(arena, int, 2 * count + 1);
    int *links = CAIRN_PUSH(arena, int, 2 * count + 1), *rows = CAIRN_PUSH(arena, int, 2 * count + 1);
    if (!by_far || !near || !near_rows || !room || !end || !neighbour || !links || !rows) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "partition: no memory for %zu pairs of nodes", count);
    }
    for (size_t p = 0; p < count; p++) {
        far_start[pairs[p].a + 1]++;
        far_start[pairs[p].b + 1]++;
    }
    memcpy(room, far_start, (size_t)(nodes + 1) * sizeof *room); // each node is near as often as it is far
    offsets(far_start, nodes);
    offsets(room, nodes);
    for (size_t p = 0; p < count; p++) {
        int at = far_start[pairs[p].a + 1]++, other = far_start[pairs[p].b + 1]++;
        near[at] = pairs[p].b;
        near[other] = pairs[p].a;
        near_rows[at] = near_rows[other] = pairs[p].rows;
    }
    for (int i = 0; i < nodes; i++) {
        end[i] = room[i + 1];
    }
    for (int far = 0; far < nodes; far++) {
        for (int k = far_start[far]; k < far_start[far + 1]; k++) {
            int node = near[k], last = end[node] - 1;
            if (last < room[node + 1] || neighbour[last] != far) {
                last = end[node]++;
                neighbour[last] = far;
                links[last] = rows[last] = 0;
            }
            links[last] += 1;
            rows[last] += near_rows[k];
        }
    }
    // Close the gaps where equal pairs were merged.
    int at = 0;
    for (int i = 0; i < nodes; i++) {
        int first = room[i + 1], length = end[i] - first;
        memmove(neighbour + at, neighbour + first, (size_t)length * sizeof *neighbour);
        memmove(links + at, links + first, (size_t)length * sizeof *links);
        memmove(rows + at, rows + first, (size_t)length * sizeof *rows);
        room[i + 1] = at += length;
    }
    adjacency->start = room;
    adjacency->neighbour = neighbour;
    adjacency->links = links;
    adjacency->rows = rows;
    return cairn_ok();
}

static CairnStatus list_wide(const CairnGraph *graph, const int *distinct, int *seen, int *nodes, CairnArena *arena,
                             CairnAdjacency *adjacency) {
    size_t ends = 0;
    for (int e = 0; e < graph->edge_count; e++) {
        ends += distinct[e] > 2 ? (size_t)distinct[e] : 0;
    }
    adjacency->has_wide = ends > 0;
    int *start = CAIRN_PUSH_ZERO(arena, int, graph->node_count + 2), *wide = CAIRN_PUSH(arena, int, ends + 1);
    if (!start || !wide) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "partition: no memory for %zu ends of constraints", ends);
    }
    adjacency->wide_start = start;
    adjacency->wide = wide;
    if (ends == 0) {
        return cairn_ok();
    }
    for (int fill = 0; fill < 2; fill++) {
        memset(seen, 0xff, (size_t)graph->node_count * sizeof *seen);
        for (int e = 0; e < graph->edge_count; e++) {
            int count = distinct[e] > 2 ? distinct_nodes(graph, e, seen, nodes) : 0;
            for (int k = 0; k < count; k++) {
                int at = start[nodes[k] + 1]++;
                if (fill) {
                    wide[at] = e;
                }
            }
        }
        if (!fill) {
            offsets(start, graph->node_count);
        }
    }
    return cairn_ok();
}

CairnStatus cairn_adjacency_make(const CairnGraph *graph, CairnArena *arena, CairnAdjacency *adjacency) {
    int most = 0; // ends of one edge
    for (int e = 0; e < graph->edge_count; e++) {
        int ends = graph->edge_start[e + 1] - graph->edge_start[e];
        most = ends > most ? ends : most;
    }
    *adjacency = (CairnAdjacency){.node_count = graph->node_count};
    int *seen = CAIRN_PUSH(arena, int, graph->node_count), *nodes = CAIRN_PUSH(arena, int, most);
    int *distinct = CAIRN_PUSH(arena, int, graph->edge_count);
    if (!seen || !nodes || !distinct) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "partition: no memory for %d nodes and %d constraints",
                           graph->node_count, graph->edge_count);
    }
    size_t pairs_most = 0, pairs_count = 0;
    for (int e = 0; e < graph->edge_count; e++) {
        pairs_most += most_pairs(graph->edge_start[e + 1] - graph->edge_start[e]);
    }
    if (pairs_most > INT32_MAX / 2) {
        return cairn_error(CAIRN_UNSUPPORTED, "partition: %zu pairs of nodes are more than can be numbered",
                           pairs_most);
    }
    Pair *pairs = CAIRN_PUSH(arena, Pair, pairs_most);
    if (!pairs) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "partition: no memory for %zu pairs of nodes", pairs_most);
    }
    memset(seen, 0xff, (size_t)graph->node_count * sizeof *seen);
    for (int e = 0; e < graph->edge_count; e++) {
        distinct[e] = distinct_nodes(graph, e, seen, nodes);
        pairs_count += list_pairs(nodes, distinct[e], graph->edge_rows[e], pairs + pairs_count);
    }
    CAIRN_TRY(merge_pairs(pairs, pairs_count, arena, adjacency));
    return list_wide(graph, distinct, seen, nodes, arena, adjacency);
}
