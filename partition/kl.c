#include "partition/kl.h"

#include "partition/graph.h"
#include "partition/refine.h"

static const CairnField fields[] = {
    CAIRN_FIELD_INT(CairnKlOptions, passes, 10, 1, 1000000, "most rounds over all pairs of parts"),
};
static const CairnFieldTable table = CAIRN_FIELD_TABLE("kl", CairnKlOptions, fields);

// A body at the interface of two parts, and the gain of moving it alone.
typedef struct Candidate {
    int node, gain;
} Candidate;

typedef struct Kl {
    CairnRefining *r;
    int *start, *nodes; // the bodies of each part, whose number never changes, so that swaps write in place
    int *position;      // of each body in `nodes`
    int *changed;       // of each part: the clock at its last change
    int *near;          // the parts of higher number that are adjacent to one part, in the order of discovery
    int clock, limit;   // limit: dofs of the heaviest part at the start
    Candidate *here, *there;
} Kl;

static CairnStatus make_room(Kl *kl, CairnArena *arena) {
    const CairnRefining *r = kl->r;
    int nodes = r->graph->node_count;
    kl->start = CAIRN_PUSH_ZERO(arena, int, r->count + 2);
    kl->nodes = CAIRN_PUSH(arena, int, nodes);
    kl->position = CAIRN_PUSH(arena, int, nodes);
    kl->changed = CAIRN_PUSH_ZERO(arena, int, r->count);
    kl->near = CAIRN_PUSH(arena, int, r->count);
    kl->here = CAIRN_PUSH(arena, Candidate, nodes);
    kl->there = CAIRN_PUSH(arena, Candidate, nodes);
    if (!kl->start || !kl->nodes || !kl->position || !kl->changed || !kl->near || !kl->here || !kl->there) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "kl: no memory to refine the parts of %d bodies", nodes);
    }
    for (int p = 0; p < r->count; p++) {
        kl->start[p + 2] = kl->start[p + 1] + r->size[p];
    }
    for (int i = 0; i < nodes; i++) { // moves start[p + 1] from where part p begins to where it ends
        kl->position[i] = kl->start[r->part[i] + 1]++;
        kl->nodes[kl->position[i]] = i;
    }
    return cairn_ok();
}

static bool meets(const CairnRefining *r, int node, int part, int but) {
    const CairnAdjacency *a = &r->adjacency;
    for (int k = a->start[node]; k < a->start[node + 1]; k++) {
        if (r->part[a->neighbour[k]] == part && a->neighbour[k] != but) {
            return true;
        }
    }
    return false;
}

// The bodies of `part` that are adjacent to `other`, by falling gain; equal ones in the order of the part's list.
static int list_candidates(const Kl *kl, int part, int other, Candidate *list) {
    int count = 0;
    for (int k = kl->start[part]; k < kl->start[part + 1]; k++) {
        int node = kl->nodes[k];
        if (!meets(kl->r, node, other, -1)) {
            continue;
        }
        Candidate found = {node, cairn_refine_gain(kl->r, node, other)};
        int at = count++;
        for (; at > 0 && list[at - 1].gain < found.gain; at--) {
            list[at] = list[at - 1];
        }
        list[at] = found;
    }
    return count;
}

// Both parts must have room, and be connected afterwards: the remaining bodies without the one that moves, and the
// one that arrives with the remaining ones.
static bool may_swap(const Kl *kl, int node, int other) {
    CairnRefining *r = kl->r;
    int here = r->part[node], there = r->part[other];
    int more = cairn_graph_dofs(r->graph, other) - cairn_graph_dofs(r->graph, node);
    return r->dofs[here] + more <= kl->limit && r->dofs[there] - more <= kl->limit &&
           (r->size[there] == 1 || meets(r, node, there, other)) &&
           (r->size[here] == 1 || meets(r, other, here, node)) && cairn_refine_stays_connected(r, node) &&
           cairn_refine_stays_connected(r, other);
}

static void swap(Kl *kl, int node, int other) {
    CairnRefining *r = kl->r;
    int here = r->part[node], there = r->part[other], position = kl->position[node];
    cairn_refine_move(r, node, there);
    cairn_refine_move(r, other, here);
    kl->position[node] = kl->position[other];
    kl->position[other] = position;
    kl->nodes[kl->position[node]] = node;
    kl->nodes[position] = other;
    kl->changed[here] = kl->changed[there] = ++kl->clock;
}

// Swap the pair with the largest positive gain; false: there is none.
static bool swap_best(Kl *kl, int here, int there) {
    int here_count = list_candidates(kl, here, there, kl->here);
    int there_count = list_candidates(kl, there, here, kl->there);
    int best = 0, node = -1, other = -1;
    for (int i = 0; i < here_count; i++) {
        // Two bodies together never gain more than the sum of their gains: the rows that tie them are cut before and
        // after.
        for (int j = 0; j < there_count && kl->here[i].gain + kl->there[j].gain > best; j++) {
            int gain = cairn_refine_swap_gain(kl->r, kl->here[i].node, kl->there[j].node);
            if (gain > best && may_swap(kl, kl->here[i].node, kl->there[j].node)) {
                best = gain;
                node = kl->here[i].node;
                other = kl->there[j].node;
            }
        }
    }
    if (node >= 0) {
        swap(kl, node, other);
    }
    return node >= 0;
}

static int list_near(const Kl *kl, int part) {
    CairnRefining *r = kl->r;
    const CairnAdjacency *a = &r->adjacency;
    int count = 0;
    for (int k = kl->start[part]; k < kl->start[part + 1]; k++) {
        for (int e = a->start[kl->nodes[k]]; e < a->start[kl->nodes[k] + 1]; e++) {
            int other = r->part[a->neighbour[e]];
            if (other > part && r->toward[other] == 0) {
                r->toward[other] = 1;
                kl->near[count++] = other;
            }
        }
    }
    for (int i = 0; i < count; i++) {
        r->toward[kl->near[i]] = 0;
    }
    return count;
}

static CairnStatus run(CairnRefining *refining, const void *options, CairnArena *arena) {
    const CairnKlOptions *chosen = options;
    Kl kl = {.r = refining, .limit = cairn_refine_most_dofs(refining)};
    CAIRN_TRY(make_room(&kl, arena));
    int last_round = -1; // when the round before this one began
    for (int pass = 0; pass < chosen->passes; pass++) {
        int began = kl.clock;
        for (int here = 0; here < refining->count; here++) {
            int count = list_near(&kl, here);
            for (int i = 0; i < count; i++) {
                // A pair of parts that have not changed since its last round has no swap with a gain.
                bool is_clean = kl.changed[here] <= last_round && kl.changed[kl.near[i]] <= last_round;
                while (!is_clean && swap_best(&kl, here, kl.near[i])) {
                }
            }
        }
        if (kl.clock == began) {
            break;
        }
        last_round = began;
    }
    return cairn_ok();
}

static CairnStatus refine(const CairnGraph *graph, const void *options, const CairnAllocator *allocator, int *part,
                          int *count) {
    static const CairnRefineTask task = {"kl", &table, sizeof(CairnKlOptions), run};
    return cairn_refine_run(&task, graph, options, allocator, part, count);
}

const CairnRefiner cairn_refiner_kl = {
    .name = "kl",
    .summary = "Kernighan-Lin: bodies on both sides of an interface change places (S3 section 2.2)",
    .options = &table,
    .refine = refine,
};
