#include "partition/grow.h"

#include <string.h>

#include "engine/base/hash.h"
#include "partition/graph.h"
#include "partition/islands.h"
#include "partition/repair.h"
#include "partition/scratch.h"

const char *const cairn_degree_names[] = {"bodies", "constraints", NULL};

// ---- keys ----

int64_t cairn_grow_any(const CairnGrowing *growing, int node) {
    (void)growing;
    (void)node;
    return 0;
}

int64_t cairn_grow_first_met(const CairnGrowing *growing, int node) {
    return growing->arrival[node];
}

int64_t cairn_grow_min_degree(const CairnGrowing *growing, int node) {
    return growing->degree[node];
}

// ---- setting up ----

static CairnStatus find_limit(CairnGrowing *g, const CairnGraph *graph) {
    int parts = g->options.parts, nodes = graph->node_count;
    g->limit = cairn_graph_room(g->options.part_size);
    if (parts > nodes && nodes > 0) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "%s: parts = %d are more than the %d bodies", g->rule->name, parts,
                           nodes);
    }
    if (parts > 0 && nodes > 0) {
        g->limit = cairn_graph_room((cairn_graph_bodies(cairn_graph_all_dofs(graph)) - 1) / parts + 1);
    }
    return cairn_ok();
}

static int *rank_nodes(const CairnGraph *graph, int seed, CairnArena *arena) {
    int *ranks = CAIRN_PUSH(arena, int, graph->node_count);
    for (int i = 0; ranks && i < graph->node_count; i++) {
        // Ids, not numbers, so that the rank of a body does not change when others are added or removed.
        ranks[i] = seed == 0 ? i : (int)(cairn_hash_combine((uint64_t)seed, graph->node_id[i]) >> 33);
    }
    return ranks;
}

static CairnStatus make_room(CairnGrowing *g, CairnArena *arena) {
    int nodes = g->graph->node_count;
    int *island = CAIRN_PUSH(arena, int, nodes), *island_size = CAIRN_PUSH_ZERO(arena, int, nodes);
    int *island_dofs = CAIRN_PUSH_ZERO(arena, int, nodes);
    int *ranks = rank_nodes(g->graph, g->options.seed, arena);
    g->is_free = CAIRN_PUSH_ZERO(arena, bool, nodes);
    g->degree = CAIRN_PUSH_ZERO(arena, int, nodes);
    g->free_neighbours = CAIRN_PUSH_ZERO(arena, int, nodes);
    g->tied = CAIRN_PUSH_ZERO(arena, int, nodes);
    g->arrival = CAIRN_PUSH(arena, int, nodes);
    g->refused = CAIRN_PUSH(arena, int, 2 * (size_t)nodes);
    g->island_free = CAIRN_PUSH(arena, int, nodes);
    if (!island || !island_size || !island_dofs || !ranks || !g->is_free || !g->degree || !g->free_neighbours ||
        !g->tied || !g->arrival || !g->refused || !g->island_free || !cairn_heap_make(&g->free, nodes, ranks, arena) ||
        !cairn_heap_make(&g->frontier, nodes, ranks, arena)) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory to part %d bodies", g->rule->name, nodes);
    }
    cairn_islands(g->graph, island);
    for (int i = 0; i < nodes; i++) {
        island_size[island[i]] += 1;
        island_dofs[island[i]] += cairn_graph_dofs(g->graph, i);
    }
    g->island = island;
    g->island_size = island_size;
    g->island_dofs = island_dofs;
    return cairn_ok();
}

static int weight(const CairnGrowing *g, int pair) {
    return g->options.degree == CAIRN_DEGREE_BODIES ? 1 : g->adjacency.links[pair];
}

// Degrees count connections to bodies of G_0 only.
static void count_degrees(CairnGrowing *g) {
    const CairnAdjacency *a = &g->adjacency;
    g->free_count = g->free_dofs = 0;
    for (int i = 0; i < a->node_count; i++) {
        g->degree[i] = g->free_neighbours[i] = 0;
        for (int k = a->start[i]; k < a->start[i + 1]; k++) {
            bool counts = g->is_free[a->neighbour[k]];
            g->degree[i] += counts ? weight(g, k) : 0;
            g->free_neighbours[i] += counts ? 1 : 0;
        }
    }
    for (int i = 0; i < a->node_count; i++) {
        g->island_free[i] = 0;
    }
    for (int i = 0; i < a->node_count; i++) {
        if (g->is_free[i]) {
            g->free_count += 1;
            g->free_dofs += cairn_graph_dofs(g->graph, i);
            g->island_free[g->island[i]] += 1;
            cairn_heap_put(&g->free, i, g->rule->start(g, i));
        }
    }
}

// ---- one part ----

static void rekey_frontier(CairnGrowing *g) {
    int count = g->frontier.count;
    // Nodes stay in `nodes` while the heap is built anew over them: entry i is read before anything is written behind
    // it.
    int *nodes = g->frontier.nodes;
    for (int i = 0; i < count; i++) {
        g->frontier.position[nodes[i]] = -1;
    }
    g->frontier.count = 0;
    for (int i = 0; i < count; i++) {
        int node = nodes[i];
        cairn_heap_put(&g->frontier, node, g->rule->next(g, node));
    }
}

static void meet(CairnGrowing *g, int node, int pair) {
    bool is_new = g->tied[node] == 0;
    g->degree[node] -= weight(g, pair);
    g->free_neighbours[node] -= 1;
    g->tied[node] += g->adjacency.links[pair];
    if (is_new) {
        g->arrival[node] = g->arrivals++;
    }
    cairn_heap_put(&g->free, node, g->rule->start(g, node));
    if (is_new || cairn_heap_has(&g->frontier, node)) { // the refused wait in their list
        cairn_heap_put(&g->frontier, node, g->rule->next(g, node));
    }
}

static void take(CairnGrowing *g, int node, int *part) {
    const CairnAdjacency *a = &g->adjacency;
    int dofs = cairn_graph_dofs(g->graph, node), before = g->size;
    part[node] = g->number;
    g->is_free[node] = false;
    g->free_count -= 1;
    g->free_dofs -= dofs;
    g->island_free[g->island[node]] -= 1;
    g->tied[node] = 0;
    cairn_heap_drop(&g->free, node);
    cairn_heap_drop(&g->frontier, node);
    g->size += dofs;
    g->here += 1;
    for (int k = a->start[node]; k < a->start[node + 1]; k++) {
        if (g->is_free[a->neighbour[k]]) {
            meet(g, a->neighbour[k], k);
        }
    }
    if (before < g->turn && g->size >= g->turn) {
        rekey_frontier(g);
    }
    double mass = g->graph->node_mass[node];
    if (before == 0 || mass < g->least_mass) { // nodes that were too light before may be admitted now
        g->least_mass = mass;
        for (int i = 0; i < g->refused_count; i++) {
            cairn_heap_put(&g->frontier, g->refused[i], g->rule->next(g, g->refused[i]));
        }
        g->refused_count = 0;
    }
}

static bool admits(const CairnGrowing *g, int node) {
    return !g->rule->admits || g->size == 0 || g->rule->admits(g, node);
}

// A part without a body takes one of any size.
static bool has_room(const CairnGrowing *g, int node) {
    return g->size == 0 || cairn_graph_dofs(g->graph, node) <= g->limit - g->size;
}

// The next neighbour that the part admits and has room for, -1: none.
static int next_neighbour(CairnGrowing *g) {
    while (g->frontier.count > 0) {
        int node = g->frontier.nodes[0];
        if (has_room(g, node) && admits(g, node)) {
            return node;
        }
        cairn_heap_drop(&g->frontier, node);
        g->refused[g->refused_count++] = node;
    }
    return -1;
}

// The node at which a part continues that has no neighbour to take: in another island, if the part has whole ones
// only; beside a fragment of an island it may take a whole one. -1: there is none.
static int next_island(CairnGrowing *g, int last) {
    if (g->free.count == 0) {
        return -1;
    }
    int node = g->free.nodes[0], island = g->island[node], size = g->island_size[island];
    if (g->size == 0) {
        return node;
    }
    g->has_fragment = g->has_fragment || g->here < g->island_size[g->island[last]];
    bool is_whole = g->island_dofs[island] <= g->limit - g->size;
    if (!has_room(g, node) || !admits(g, node) || (g->has_fragment && (!is_whole || (g->rule->admits && size > 1)))) {
        return -1;
    }
    // Beside a fragment an island must be whole: no other part has nodes of it.
    return g->has_fragment && g->island_free[island] < size ? -1 : node;
}

// Tied to no body of G_0. The adjacency knows of long constraints only as chains, so these are asked for all of their
// bodies.
static bool is_orphan(const CairnGrowing *g, int node) {
    const CairnAdjacency *a = &g->adjacency;
    if (g->free_neighbours[node] > 0) {
        return false;
    }
    for (int k = a->wide_start[node]; a->has_wide && k < a->wide_start[node + 1]; k++) {
        int edge = a->wide[k];
        for (int e = g->graph->edge_start[edge]; e < g->graph->edge_start[edge + 1]; e++) {
            if (g->graph->edge_node[e] != node && g->is_free[g->graph->edge_node[e]]) {
                return false;
            }
        }
    }
    return true;
}

// S0 section 6.2: bodies next to the part that are tied to nothing else in G_0 would become parts of one body.
static void adopt_orphans(CairnGrowing *g, int *part) {
    // Behind the refused there is room for all nodes. An orphan has no free neighbours, so adopting it makes no other
    // one.
    int *orphans = g->refused + g->refused_count, count = 0;
    for (int i = 0; i < g->refused_count; i++) { // those that only had no room
        if (admits(g, g->refused[i]) && is_orphan(g, g->refused[i])) {
            orphans[count++] = g->refused[i];
        }
    }
    for (int i = 0; i < g->frontier.count; i++) {
        if (is_orphan(g, g->frontier.nodes[i])) {
            orphans[count++] = g->frontier.nodes[i];
        }
    }
    for (int i = 0; i < count; i++) {
        if (admits(g, orphans[i])) {
            take(g, orphans[i], part);
        }
    }
}

static void forget_frontier(CairnGrowing *g) {
    for (int i = 0; i < g->frontier.count; i++) {
        g->tied[g->frontier.nodes[i]] = 0;
    }
    for (int i = 0; i < g->refused_count; i++) {
        g->tied[g->refused[i]] = 0;
    }
    cairn_heap_clear(&g->frontier);
    g->refused_count = 0;
}

static void grow_part(CairnGrowing *g, int *part) {
    int last = -1;
    g->size = g->here = g->arrivals = 0;
    g->has_fragment = false;
    while (g->size < g->limit && g->free_count > 0) {
        int node = next_neighbour(g);
        if (node < 0) {
            node = next_island(g, last);
            g->here = 0;
        }
        if (node < 0) {
            break;
        }
        take(g, node, part);
        last = node;
    }
    if (g->options.orphans) {
        adopt_orphans(g, part);
    }
    forget_frontier(g);
}

int cairn_grow_free(CairnGrowing *g, int number, bool has_last_group, int *part) {
    g->number = number;
    count_degrees(g);
    while (g->free_dofs > (has_last_group ? g->limit : 0)) {
        grow_part(g, part);
        g->number += 1;
    }
    for (int i = 0; g->free_count > 0 && i < g->graph->node_count; i++) {
        if (g->is_free[i]) {
            part[i] = g->number;
        }
    }
    return g->number + (g->free_count > 0 ? 1 : 0);
}

// ---- the public function ----

static CairnStatus grow_in(CairnGrowing *g, double turn_fraction, CairnArena *arena, int *part, int *count) {
    int nodes = g->graph->node_count;
    CAIRN_TRY(find_limit(g, g->graph));
    int bodies = g->limit / CAIRN_BODY_DOFS, turn = turn_fraction > 0 ? (int)(turn_fraction * bodies) : 0;
    turn = turn_fraction > 0 && turn < turn_fraction * bodies ? turn + 1 : turn;
    g->turn = turn * CAIRN_BODY_DOFS;
    CAIRN_TRY(cairn_adjacency_make(g->graph, arena, &g->adjacency));
    CAIRN_TRY(make_room(g, arena));
    int *fresh = CAIRN_PUSH(arena, int, nodes);
    if (!fresh) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory to part %d bodies", g->rule->name, nodes);
    }
    bool is_kept = false;
    int fresh_count = 0;
    if (g->options.keep > 0 && *count > 0) {
        CAIRN_TRY(cairn_parts_repair(g, arena, part, *count, fresh, &fresh_count, &is_kept));
    }
    if (!is_kept) {
        for (int i = 0; i < nodes; i++) {
            fresh[i] = -1;
            g->is_free[i] = true;
        }
        // A last group would contain bodies that the ratio of masses separates.
        fresh_count = cairn_grow_free(g, 0, !g->rule->admits, fresh);
    }
    if (nodes > 0) {
        memcpy(part, fresh, (size_t)nodes * sizeof *part);
    }
    *count = fresh_count;
    return cairn_ok();
}

CairnStatus cairn_grow(CairnGrowing *growing, const CairnGraph *graph, double turn_fraction,
                       const CairnAllocator *allocator, int *part, int *count) {
    CAIRN_TRY(cairn_graph_check(graph));
    CairnScratch scratch;
    cairn_scratch_open(&scratch, allocator);
    growing->graph = graph;
    CairnStatus status = grow_in(growing, turn_fraction, &scratch.arena, part, count);
    cairn_scratch_close(&scratch);
    return status;
}
