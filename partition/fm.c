#include "partition/fm.h"

#include "partition/graph.h"
#include "partition/heap.h"
#include "partition/refine.h"

static const CairnField fields[] = {
    CAIRN_FIELD_INT(CairnFmOptions, part_size, 0, 0, 1000000000,
                    "no part grows above this many bodies, of 6 dofs each; 0: above the largest that comes in"),
    CAIRN_FIELD_INT(CairnFmOptions, passes, 10, 1, 1000000, "most rounds over the interface"),
};
static const CairnFieldTable table = CAIRN_FIELD_TABLE("fm", CairnFmOptions, fields);

typedef struct Fm {
    CairnRefining *r;
    CairnHeap heap; // of nodes that gain somewhere, by falling gain
    int limit;      // dofs
} Fm;

// The part with room where `node` gains most, and the gain; of equal ones the smaller part. -1: nowhere is there a
// gain.
static int best_part(Fm *fm, int node, int *gain) {
    CairnRefining *r = fm->r;
    const CairnAdjacency *a = &r->adjacency;
    int from = r->part[node], best = -1, dofs = cairn_graph_dofs(r->graph, node);
    *gain = 0;
    for (int k = a->start[node]; k < a->start[node + 1]; k++) {
        r->toward[r->part[a->neighbour[k]]] += a->rows[k];
    }
    for (int k = a->start[node]; k < a->start[node + 1]; k++) {
        int to = r->part[a->neighbour[k]];
        if (to == from || to == best || dofs > fm->limit - r->dofs[to]) {
            continue;
        }
        int found = a->has_wide ? cairn_refine_gain(r, node, to) : r->toward[to] - r->toward[from];
        bool is_better =
            found > *gain || (best >= 0 && found == *gain &&
                              (r->dofs[to] < r->dofs[best] || (r->dofs[to] == r->dofs[best] && to < best)));
        if (is_better) {
            best = to;
            *gain = found;
        }
    }
    for (int k = a->start[node]; k < a->start[node + 1]; k++) {
        r->toward[r->part[a->neighbour[k]]] = 0;
    }
    return best;
}

static void consider(Fm *fm, int node) {
    int gain;
    if (best_part(fm, node, &gain) >= 0) {
        cairn_heap_put(&fm->heap, node, -(int64_t)gain);
    } else {
        cairn_heap_drop(&fm->heap, node);
    }
}

// Every move takes at least a row out of the cut, so a pass ends.
static int run_pass(Fm *fm) {
    CairnRefining *r = fm->r;
    const CairnAdjacency *a = &r->adjacency;
    int moves = 0;
    for (int i = 0; i < r->graph->node_count; i++) {
        bool is_peripheral = false;
        for (int k = a->start[i]; k < a->start[i + 1] && !is_peripheral; k++) {
            is_peripheral = r->part[a->neighbour[k]] != r->part[i];
        }
        if (is_peripheral) {
            consider(fm, i);
        }
    }
    while (fm->heap.count > 0) {
        int node = fm->heap.nodes[0], gain, to = best_part(fm, node, &gain);
        if (to >= 0 && fm->heap.key[node] != -(int64_t)gain) { // its part filled up, or one emptied
            cairn_heap_put(&fm->heap, node, -(int64_t)gain);
            continue;
        }
        cairn_heap_drop(&fm->heap, node);
        if (to < 0 || !cairn_refine_stays_connected(r, node)) {
            continue; // until a neighbour moves, or the next pass
        }
        cairn_refine_move(r, node, to);
        moves += 1;
        for (int k = a->start[node]; k < a->start[node + 1]; k++) {
            consider(fm, a->neighbour[k]);
        }
        consider(fm, node);
    }
    return moves;
}

static CairnStatus run(CairnRefining *refining, const void *options, CairnArena *arena) {
    const CairnFmOptions *chosen = options;
    int nodes = refining->graph->node_count;
    Fm fm = {.r = refining, .limit = cairn_graph_room(chosen->part_size)};
    int *ranks = CAIRN_PUSH_ZERO(arena, int, nodes);
    if (!ranks || !cairn_heap_make(&fm.heap, nodes, ranks, arena)) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "fm: no memory to refine the parts of %d bodies", nodes);
    }
    fm.limit = chosen->part_size == 0 ? cairn_refine_most_dofs(refining) : fm.limit;
    for (int pass = 0; pass < chosen->passes && run_pass(&fm) > 0; pass++) {
    }
    return cairn_ok();
}

static CairnStatus refine(const CairnGraph *graph, const void *options, const CairnAllocator *allocator, int *part,
                          int *count) {
    static const CairnRefineTask task = {"fm", &table, sizeof(CairnFmOptions), run};
    return cairn_refine_run(&task, graph, options, allocator, part, count);
}

const CairnRefiner cairn_refiner_fm = {
    .name = "fm",
    .summary = "Fiduccia-Mattheyses: single bodies at the interface move (S3 section 2.2)",
    .options = &table,
    .refine = refine,
};
