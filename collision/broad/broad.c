// Broad phase: sweep-and-prune in columns (described in broad.h), for boxes that hardly move from one step to the next.
//
// Where boxes hardly move, the pairs of the last call serve again (broad_kept.c). Kept besides: the order of the moving
// boxes by column and along it, from which the next sort starts, and everything about the fixed ones, which is made
// anew only when one of them changed. Boxes without finite ends, or larger than 2^40 m, and a few that are larger than
// all others are tested one by one. The pairs are sorted by (a, b), so the answer depends on the boxes alone: not on
// the history, nor on the threads.
#include "collision/broad/broad.h"
#include "engine/base/memory.h"
#include <limits.h>

void cairn_broad_init(CairnBroad *broad, const CairnAllocator *allocator) {
    *broad = (CairnBroad){.allocator = allocator};
}

static void release(const CairnAllocator *allocator, void *memory, int capacity, size_t size) {
    if (memory != NULL) {
        cairn_memory_release(allocator, memory, (size_t)capacity, size);
    }
}

void cairn_broad_free(CairnBroad *broad) {
    CairnBroadState *s = broad->state;
    const CairnAllocator *a = broad->allocator;
    if (s != NULL) {
        for (int i = 0; i < CAIRN_BROAD_LEVELS; ++i) {
            cairn_layer_free(&s->levels[i].moving, a);
            cairn_layer_free(&s->levels[i].moving_visitors, a);
            cairn_layer_free(&s->levels[i].fixed, a);
            cairn_layer_free(&s->levels[i].fixed_visitors, a);
        }
        cairn_kept_free(&s->kept, a);
        release(a, s->classes, s->class_capacity, sizeof *s->classes);
        release(a, s->size_of, s->size_capacity, sizeof *s->size_of);
        release(a, s->fixed_boxes, s->box_capacity, sizeof *s->fixed_boxes);
        release(a, s->fixed_owners, s->owner_capacity, sizeof *s->fixed_owners);
        release(a, s->order, s->order_capacity, sizeof *s->order);
        release(a, s->fixed_order, s->fixed_capacity, sizeof *s->fixed_order);
        cairn_memory_release(a, s, 1, sizeof *s);
    }
    cairn_broad_init(broad, a);
}

static bool reserve(const CairnBroad *broad, int count) {
    CairnBroadState *s = broad->state;
    const CairnAllocator *a = broad->allocator;
    return cairn_memory_reserve(a, &s->classes, &s->class_capacity, count, sizeof *s->classes) &&
           cairn_memory_reserve(a, &s->size_of, &s->size_capacity, count, sizeof *s->size_of) &&
           cairn_memory_reserve(a, &s->fixed_boxes, &s->box_capacity, count, sizeof *s->fixed_boxes) &&
           cairn_memory_reserve(a, &s->fixed_owners, &s->owner_capacity, count, sizeof *s->fixed_owners) &&
           cairn_memory_reserve(a, &s->order, &s->order_capacity, count, sizeof *s->order) &&
           cairn_memory_reserve(a, &s->fixed_order, &s->fixed_capacity, count, sizeof *s->fixed_order);
}

// Find the pairs of call->boxes.
static bool find_pairs(CairnBroadCall *call, CairnPair **pairs, int *pair_count, long *tests) {
    int *homes[CAIRN_BROAD_LEVELS], chunk_count = 0;
    CairnPairChunk *chunks = call->chunks;
    if (!cairn_broad_classify(call) || !cairn_broad_fill(call, homes) || !cairn_broad_find(call, homes, &chunk_count) ||
        !cairn_pairs_sort(chunks, chunk_count, call->count, call->threads, call->arena, pairs, pair_count)) {
        return false;
    }
    for (int k = 0; k < chunk_count; ++k) {
        *tests += chunks[k].tests;
    }
    return true;
}

CairnStatus cairn_broad_pairs(CairnBroad *broad, const CairnAabb *boxes, const uint8_t *kinds, const int *owners,
                              int count, int thread_count, CairnArena *arena, CairnPair **pairs, int *pair_count,
                              int *overlap_tests) {
    CairnArenaMark mark = cairn_arena_mark(arena);
    CairnPairChunk chunks[(CAIRN_BROAD_LEVELS + 1) * CAIRN_BROAD_CHUNKS];
    CairnKeptLook look;
    long tests = 0;
    if (broad->state == NULL) {
        broad->state = cairn_memory_allocate_zero(broad->allocator, 1, sizeof *broad->state);
    }
    CairnBroadCall call = {.kinds = kinds,
                           .given = boxes,
                           .boxes = boxes,
                           .owners = owners,
                           .count = count,
                           .threads = thread_count,
                           .arena = arena,
                           .allocator = broad->allocator,
                           .state = broad->state,
                           .chunks = chunks};
    if (broad->state == NULL || !reserve(broad, count) || !cairn_kept_look(&call, &look)) {
        goto no_memory;
    }
    if (!look.is_usable) {
        call.boxes = look.boxes;
        if (!find_pairs(&call, pairs, pair_count, &tests) ||
            (look.is_calm && !cairn_kept_store(&call, *pairs, *pair_count))) {
            goto no_memory;
        }
        call.boxes = boxes;
    }
    if ((look.is_usable || look.is_calm) && !cairn_kept_pairs(&call, &look, pairs, pair_count, &tests)) {
        goto no_memory;
    }
    *overlap_tests = tests < INT_MAX ? (int)tests : INT_MAX;
    return cairn_ok();

no_memory:
    if (broad->state != NULL) { // what was half made is made anew
        broad->state->slot_count = broad->state->order_count = 0;
        broad->state->is_fixed_ready = false;
        broad->state->kept.is_ready = false;
        broad->state->kept.slot_count = 0;
    }
    cairn_arena_release(arena, mark);
    return cairn_error(CAIRN_OUT_OF_MEMORY, "broad phase: no memory for the pairs of %d boxes", count);
}
