#include "partition/repair.h"

#include "partition/graph.h"

#include <string.h>

typedef struct Repair {
    CairnGrowing *g;
    int *fresh, old_count;
    int *queue, *fragment; // of nodes
    int *best, *best_size; // of parts: the heaviest fragment and its dofs
    int *size;             // of parts: dofs
    double *least_mass;    // of parts
} Repair;

static CairnStatus make_room(Repair *k, CairnArena *arena) {
    int nodes = k->g->graph->node_count;
    k->queue = CAIRN_PUSH(arena, int, nodes);
    k->fragment = CAIRN_PUSH(arena, int, nodes);
    k->best = CAIRN_PUSH(arena, int, k->old_count);
    k->best_size = CAIRN_PUSH_ZERO(arena, int, k->old_count);
    k->size = CAIRN_PUSH_ZERO(arena, int, k->old_count + nodes);
    k->least_mass = CAIRN_PUSH_ZERO(arena, double, k->old_count + nodes);
    if (!k->queue || !k->fragment || !k->best || !k->best_size || !k->size || !k->least_mass) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory to keep the parts of %d bodies", k->g->rule->name,
                           nodes);
    }
    return cairn_ok();
}

// The nodes of `first`'s part that are connected with it, in breadth-first order, and their dofs.
static int walk(Repair *k, int first, int *dofs) {
    const CairnAdjacency *a = &k->g->adjacency;
    int count = 0;
    *dofs = 0;
    k->queue[count++] = first;
    k->fragment[first] = first;
    for (int head = 0; head < count; head++) {
        int node = k->queue[head];
        *dofs += cairn_graph_dofs(k->g->graph, node);
        for (int e = a->start[node]; e < a->start[node + 1]; e++) {
            int other = a->neighbour[e];
            if (k->fragment[other] < 0 && k->fresh[other] == k->fresh[first]) {
                k->fragment[other] = first;
                k->queue[count++] = other;
            }
        }
    }
    return count;
}

static void join(Repair *k, int node, int part) {
    double mass = k->g->graph->node_mass[node];
    bool is_least = k->size[part] == 0 || mass < k->least_mass[part];
    k->fresh[node] = part;
    k->least_mass[part] = is_least ? mass : k->least_mass[part];
    k->size[part] += cairn_graph_dofs(k->g->graph, node);
}

static bool has_room(const Repair *k, int node, int part) {
    return k->size[part] == 0 || cairn_graph_dofs(k->g->graph, node) <= k->g->limit - k->size[part];
}

// Of each part the heaviest fragment and the whole islands stay, up to the limit: nodes at the end of the breadth-first
// order are removed, so that the others are still connected.
static void keep_fragments(Repair *k) {
    const CairnGrowing *g = k->g;
    int nodes = g->graph->node_count;
    memset(k->fragment, 0xff, (size_t)nodes * sizeof *k->fragment);
    for (int i = 0; i < nodes; i++) {
        int part = k->fresh[i], dofs = 0;
        int count = part >= 0 && k->fragment[i] < 0 ? walk(k, i, &dofs) : 0;
        if (count > 0 && count < g->island_size[g->island[i]] && dofs > k->best_size[part]) {
            k->best[part] = i;
            k->best_size[part] = dofs;
        }
    }
    memset(k->fragment, 0xff, (size_t)nodes * sizeof *k->fragment);
    for (int i = 0; i < nodes; i++) {
        int part = k->fresh[i], dofs = 0;
        int count = part >= 0 && k->fragment[i] < 0 ? walk(k, i, &dofs) : 0;
        if (count == 0) {
            continue;
        }
        // An island beside other things is kept whole or not at all, so that a part never has two fragments.
        bool is_kept = count == g->island_size[g->island[i]] ? k->size[part] == 0 || dofs <= g->limit - k->size[part]
                                                             : k->best[part] == i;
        for (int q = 0; q < count; q++) {
            is_kept =
                is_kept && has_room(k, k->queue[q], part); // nodes after a removed one may be connected by it only
            if (is_kept) {
                join(k, k->queue[q], part);
            } else {
                k->fresh[k->queue[q]] = -1; // its piece is set, so it is not walked from again
            }
        }
    }
}

static bool admits(Repair *k, int node, int part) {
    CairnGrowing *g = k->g;
    g->size = k->size[part];
    g->least_mass = k->least_mass[part];
    return !g->rule->admits || g->size == 0 || g->rule->admits(g, node);
}

// The part that a node without one is tied to most, -1: none. Where every neighbour has a part the node would be
// alone, so an orphan may join a full one.
static int strongest_part(Repair *k, int node) {
    const CairnGrowing *g = k->g;
    const CairnAdjacency *a = &g->adjacency;
    bool is_orphan = g->options.orphans;
    int best = -1, best_links = 0;
    for (int e = a->start[node]; e < a->start[node + 1]; e++) {
        is_orphan = is_orphan && k->fresh[a->neighbour[e]] >= 0;
    }
    for (int e = a->start[node]; e < a->start[node + 1]; e++) {
        int part = k->fresh[a->neighbour[e]], links = 0;
        if (part < 0 || part == best || (!has_room(k, node, part) && !is_orphan) || !admits(k, node, part)) {
            continue;
        }
        for (int f = e; f < a->start[node + 1]; f++) { // earlier ones of this part would have been counted then
            links += k->fresh[a->neighbour[f]] == part ? a->links[f] : 0;
        }
        if (links > best_links) {
            best = part;
            best_links = links;
        }
    }
    return best;
}

static int roomy_part(Repair *k, int node) {
    for (int p = 0; p < k->old_count; p++) {
        if (k->size[p] > 0 && has_room(k, node, p) && admits(k, node, p)) {
            return p;
        }
    }
    return -1;
}

static void attach_rest(Repair *k) {
    const CairnGrowing *g = k->g;
    bool has_changed = true;
    while (has_changed) {
        has_changed = false;
        for (int i = 0; i < g->graph->node_count; i++) {
            bool is_alone = g->island_size[g->island[i]] == 1;
            int part = k->fresh[i] >= 0 ? -1 : is_alone ? roomy_part(k, i) : strongest_part(k, i);
            if (part >= 0) {
                join(k, i, part);
                has_changed = true;
            }
        }
    }
}

static int renumber_parts(const CairnGrowing *g, int *number, int parts, int *fresh) {
    int count = 0;
    memset(number, 0, (size_t)parts * sizeof *number);
    for (int i = 0; i < g->graph->node_count; i++) {
        number[fresh[i]] = 1;
    }
    for (int p = 0; p < parts; p++) {
        number[p] = number[p] ? count++ : -1;
    }
    for (int i = 0; i < g->graph->node_count; i++) {
        fresh[i] = number[fresh[i]];
    }
    return count;
}

CairnStatus cairn_parts_repair(CairnGrowing *growing, CairnArena *arena, const int *old, int old_count, int *fresh,
                               int *count, bool *is_kept) {
    Repair k = {.g = growing, .fresh = fresh, .old_count = old_count};
    int nodes = growing->graph->node_count, changed = 0, parts = old_count;
    *is_kept = false;
    CAIRN_TRY(make_room(&k, arena));
    if (nodes == 0) {
        return cairn_ok();
    }
    for (int i = 0; i < nodes; i++) {
        fresh[i] = old[i] < old_count ? old[i] : -1;
    }
    keep_fragments(&k);
    attach_rest(&k);
    for (int i = 0; i < nodes; i++) {
        growing->is_free[i] = fresh[i] < 0;
        changed += fresh[i] < 0 || fresh[i] != old[i] ? 1 : 0;
    }
    if (changed > growing->options.keep * nodes) {
        return cairn_ok();
    }
    parts = cairn_grow_free(growing, parts, false, fresh);
    *count = renumber_parts(growing, k.size, parts, fresh);
    *is_kept = true;
    return cairn_ok();
}
