// Pairs of the few boxes that left the larger ones their kept pairs were found for (broad_kept.c), with any box.
//
// Most boxes meet none of them, and six look-ups show that, whatever the number of strays: the range of the strays
// along each axis is cut into slabs, and a set of bits records for each slab which strays begin in it or before it, and
// which end in it or behind it. Only strays that are in all six sets are tested. The slab of a number never falls as
// the number grows, which is all that this needs to miss nothing.
#include "collision/broad/broad.h"
#include "engine/base/pieces.h"

// Fewer boxes than PARALLEL take no longer than it takes to wake a thread.
enum { SLABS = 256, PARALLEL = 4096 };
_Static_assert(CAIRN_BROAD_STRAYS <= 64, "a stray is a bit");

typedef struct Axis {
    double low, scale;
    uint64_t begun[SLABS], open[SLABS];
} Axis;

typedef struct Strays {
    int list[CAIRN_BROAD_STRAYS], count; // those that are there
    CairnAabb boxes[CAIRN_BROAD_STRAYS];
    const uint8_t *is_stray;
    Axis axes[3];
} Strays;

// The first slab is what lies before all strays and the last what lies behind them. What is not a number counts as low:
// it meets nothing.
static inline int slab_of(const Axis *axis, double x) {
    double at = 1 + (x - axis->low) * axis->scale;
    return at > 0 ? at < SLABS - 1 ? (int)at : SLABS - 1 : 0;
}

// Ends without bound do not stretch the slabs: they count as the first or the last. No scale is 0, which would make
// them nothing.
static void cut_axis(Strays *strays, int k) {
    Axis *axis = &strays->axes[k];
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int s = 0; s < strays->count; ++s) {
        double from = cairn_component(strays->boxes[s].low, k), to = cairn_component(strays->boxes[s].high, k);
        low = isfinite(from) ? cairn_min(low, from) : low;
        high = isfinite(to) ? cairn_max(high, to) : high;
    }
    bool is_stretch = low < high;
    *axis =
        (Axis){.low = is_stretch ? low : 0, .scale = is_stretch ? cairn_max((SLABS - 2.5) / (high - low), 1e-300) : 1};
    for (int s = 0; s < strays->count; ++s) {
        axis->begun[slab_of(axis, cairn_component(strays->boxes[s].low, k))] |= UINT64_C(1) << s;
        axis->open[slab_of(axis, cairn_component(strays->boxes[s].high, k))] |= UINT64_C(1) << s;
    }
    for (int slab = 1; slab < SLABS; ++slab) {
        axis->begun[slab] |= axis->begun[slab - 1];
        axis->open[SLABS - 1 - slab] |= axis->open[SLABS - slab];
    }
}

static inline uint64_t along(const Axis *axis, double low, double high) {
    return axis->begun[slab_of(axis, high)] & axis->open[slab_of(axis, low)];
}

// A stray against the box j. Of two strays the later one finds the pair.
static inline bool meets(const CairnBroadCall *call, const Strays *strays, int k, int j) {
    const uint8_t *kinds = call->kinds;
    int stray = strays->list[k];
    return cairn_boxes_overlap(&strays->boxes[k], &call->boxes[j]) && call->owners[stray] != call->owners[j] &&
           (kinds[stray] == CAIRN_BOX_MOVING || kinds[j] == CAIRN_BOX_MOVING) && !(strays->is_stray[j] && j <= stray);
}

static void test_boxes(const CairnBroadCall *call, const Strays *strays, int first, int end, CairnPairChunk *chunk) {
    const Axis *axes = strays->axes;
    for (int j = first; j < end; ++j) {
        const CairnAabb *box = &call->boxes[j];
        uint64_t near = along(&axes[0], box->low.x, box->high.x) & along(&axes[1], box->low.y, box->high.y) &
                        along(&axes[2], box->low.z, box->high.z);
        for (near = call->kinds[j] != CAIRN_BOX_ABSENT ? near : 0; near != 0; near &= near - 1) {
            int k = __builtin_ctzll(near);
            ++chunk->tests;
            if (meets(call, strays, k, j)) {
                cairn_pair_add(chunk, strays->list[k], j);
            }
        }
    }
}

static Strays *prepare(const CairnBroadCall *call, const CairnKeptLook *look) {
    Strays *strays = CAIRN_PUSH(call->arena, Strays, 1);
    uint8_t *is_stray = CAIRN_PUSH_ZERO(call->arena, uint8_t, call->count);
    if (strays == NULL || is_stray == NULL) {
        return NULL;
    }
    strays->is_stray = is_stray;
    strays->count = 0;
    for (int k = 0; k < look->stray_count; ++k) {
        int stray = look->strays[k];
        is_stray[stray] = 1;
        if (call->kinds[stray] != CAIRN_BOX_ABSENT) {
            strays->boxes[strays->count] = call->boxes[stray];
            strays->list[strays->count++] = stray;
        }
    }
    for (int k = 0; k < 3; ++k) {
        cut_axis(strays, k);
    }
    return strays;
}

static bool allocate_chunks(const CairnBroadCall *call, int workers, CairnPairChunk *chunks) {
    for (int w = 0; w < workers; ++w) {
        int capacity = call->state->kept.stray_capacity[w];
        chunks[w] = (CairnPairChunk){.keys = CAIRN_PUSH(call->arena, uint64_t, capacity + 1), .capacity = capacity};
        if (chunks[w].keys == NULL) {
            return false;
        }
    }
    return true;
}

static bool has_room(CairnKept *kept, int workers, const CairnPairChunk *chunks) {
    bool is_enough = true;
    for (int w = 0; w < workers; ++w) {
        if (chunks[w].count > chunks[w].capacity) {
            kept->stray_capacity[w] = chunks[w].count + chunks[w].count / 2 + 64;
            is_enough = false;
        }
    }
    return is_enough;
}

typedef struct Testing {
    CairnBroadCall *call;
    const Strays *strays;
    CairnPairChunk *chunks;
    int workers;
} Testing;

static void test_piece(void *context, int w, int worker) {
    const Testing *t = context;
    int count = t->call->count;
    (void)worker;
    test_boxes(t->call, t->strays, cairn_range_begin(count, w, t->workers), cairn_range_begin(count, w + 1, t->workers),
               &t->chunks[w]);
}

bool cairn_strays_find(CairnBroadCall *call, const CairnKeptLook *look, CairnStrayPairs *found, long *tests) {
    CairnPairChunk chunks[CAIRN_BROAD_CHUNKS];
    int count = call->count, most = call->threads < CAIRN_BROAD_CHUNKS ? call->threads : CAIRN_BROAD_CHUNKS;
    int workers = call->threads > 1 && count > PARALLEL ? most : 1;
    const Strays *strays = prepare(call, look);
    if (strays == NULL) {
        return false;
    }
    do {
        if (!allocate_chunks(call, workers, chunks)) {
            return false;
        }
        Testing testing = {call, strays, chunks, workers};
        cairn_pieces_run(workers, workers, test_piece, &testing);
    } while (!has_room(&call->state->kept, workers, chunks));
    for (int w = 0; w < workers; ++w) {
        *tests += chunks[w].tests;
    }
    found->is_stray = strays->is_stray;
    return cairn_pairs_sort(chunks, workers, count, call->threads, call->arena, &found->pairs, &found->count);
}
