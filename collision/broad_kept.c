// Pairs kept from one call to the next, for boxes that hardly move: they are found for boxes a little larger than asked, and serve for as
// long as every box stays inside its larger one; then a call only asks which of them meet. Boxes that left theirs, or changed
// their kind or owner, are strays: while they are few each is tested against all; when they are many all is found anew, with
// larger boxes where the last ones served for some calls, or where few boxes moved far since the last one, and else for the boxes as they are.
#include "collision/broad.h"
#include "engine/base/memory.h"
#include <string.h>

// Fewer than SHARED boxes or pairs take no longer than it takes to wake a thread.
enum { SERVED = 3, SHARED = 4096 };

// The share of a box's mean extent by which it grows to all sides. What is fixed stays as it is.
static const double skin = 1.0 / 32;

static inline double skin_of(const CairnAabb *box) {
    return skin / 3 * (box->high.x - box->low.x + (box->high.y - box->low.y) + (box->high.z - box->low.z));
}

static inline bool is_inside(const CairnAabb *box, const CairnAabb *wide, double by) {
    return (box->low.x >= wide->low.x - by) & (box->low.y >= wide->low.y - by) & (box->low.z >= wide->low.z - by) &
           (box->high.x <= wide->high.x + by) & (box->high.y <= wide->high.y + by) & (box->high.z <= wide->high.z + by);
}

static inline bool is_stray(const CairnBroadCall *call, int i, bool is_ready) {
    const CairnKept *kept = &call->state->kept;
    if (i >= kept->slot_count || call->kinds[i] != kept->kinds[i]) {
        return true;
    }
    if (call->kinds[i] == CAIRN_BOX_ABSENT) {
        return false;
    }
    const CairnAabb *wide = &kept->wide[i];
    bool may_move = !is_ready && call->kinds[i] != CAIRN_BOX_FIXED;
    return call->owners[i] != kept->owners[i] || !is_inside(&call->boxes[i], wide, may_move ? 0.5 * skin_of(wide) : 0);
}

void cairn_kept_remember(const CairnBroadCall *call, int i) {
    CairnKept *kept = &call->state->kept;
    CairnAabb box = call->given[i];
    if (call->boxes == kept->wide && call->kinds[i] != CAIRN_BOX_FIXED) {
        double by = skin_of(&box);
        CairnVec3 out = {by, by, by};
        box = (CairnAabb){cairn_sub(box.low, out), cairn_add(box.high, out)};
    }
    kept->wide[i] = box;
    kept->kinds[i] = call->kinds[i];
    kept->owners[i] = call->owners[i];
}

static int workers_for(const CairnBroadCall *call, long count) {
    int most = CAIRN_BROAD_CHUNKS;
    return call->threads > 1 && count > SHARED ? (call->threads < most ? call->threads : most) : 1;
}

static int most_strays(int count) {
    return count / 8 < CAIRN_BROAD_STRAYS ? count / 8 : CAIRN_BROAD_STRAYS;
}

static bool reserve(const CairnBroadCall *call) {
    CairnKept *kept = &call->state->kept;
    const CairnAllocator *a = call->allocator;
    return cairn_memory_reserve(a, &kept->wide, &kept->wide_capacity, call->count, sizeof *kept->wide) &&
           cairn_memory_reserve(a, &kept->kinds, &kept->kind_capacity, call->count, sizeof *kept->kinds) &&
           cairn_memory_reserve(a, &kept->owners, &kept->owner_capacity, call->count, sizeof *kept->owners);
}

bool cairn_kept_look(CairnBroadCall *call, CairnKeptLook *look) {
    CairnKept *kept = &call->state->kept;
    int count = call->count, workers = workers_for(call, count), most = most_strays(count), total = 0;
    bool was_ready = kept->is_ready && kept->slot_count <= count;
    int *found = CAIRN_PUSH(call->arena, int, (size_t)workers *CAIRN_BROAD_STRAYS);
    int *counts = CAIRN_PUSH(call->arena, int, workers);
    *look = (CairnKeptLook){.boxes = call->boxes};
    if (found == NULL || counts == NULL || !reserve(call)) {
        return false;
    }
#pragma omp parallel for num_threads(workers) if (workers > 1) schedule(static)
    for (int w = 0; w < workers; ++w) {
        int end = (int)((long)count * (w + 1) / workers), strays = 0, *list = found + (ptrdiff_t)w * CAIRN_BROAD_STRAYS;
        for (int i = (int)((long)count * w / workers); i < end; ++i) {
            if (is_stray(call, i, was_ready)) {
                list[strays < CAIRN_BROAD_STRAYS ? strays : CAIRN_BROAD_STRAYS - 1] = i;
                ++strays;
            }
        }
        counts[w] = strays;
    }
    for (int w = 0; w < workers; ++w) {
        for (int k = 0; k < counts[w] && total + k < CAIRN_BROAD_STRAYS; ++k) {
            look->strays[total + k] = found[(ptrdiff_t)w * CAIRN_BROAD_STRAYS + k];
        }
        total += counts[w];
    }
    look->is_usable = was_ready && total <= most;
    look->stray_count = look->is_usable ? total : 0;
    if (look->is_usable) {
        kept->age += kept->age < SERVED ? 1 : 0;
        return true;
    }
    look->is_calm = was_ready ? kept->age >= SERVED : 2 * total <= most;
    look->boxes = look->is_calm ? kept->wide : call->boxes;
    kept->slot_count = count;
    kept->is_ready = false;
    kept->age = 0;
    return true;
}

bool cairn_kept_store(CairnBroadCall *call, const CairnPair *pairs, int pair_count) {
    CairnKept *kept = &call->state->kept;
    const CairnAllocator *a = call->allocator;
    if (!cairn_memory_renew(a, &kept->starts, &kept->start_capacity, call->count + 1, sizeof *kept->starts) ||
        !cairn_memory_renew(a, &kept->seconds, &kept->second_capacity, pair_count + 1, sizeof *kept->seconds)) {
        return false;
    }
    for (int i = 0, k = 0; i <= call->count; ++i) {
        kept->starts[i] = k;
        for (; k < pair_count && pairs[k].a == i; ++k) {
            kept->seconds[k] = pairs[k].b;
        }
    }
    kept->pair_count = pair_count;
    kept->is_ready = true;
    return true;
}

// ---- which of them meet ----

// Those of neighbours that stayed, in their order.
static bool filter(const CairnBroadCall *call, const uint8_t *strays, CairnPair *found, int *found_count) {
    const CairnKept *kept = &call->state->kept;
    int boxes = kept->slot_count, workers = workers_for(call, kept->pair_count);
    int *counts = CAIRN_PUSH(call->arena, int, workers);
    if (counts == NULL) {
        return false;
    }
#pragma omp parallel for num_threads(workers) if (workers > 1) schedule(static)
    for (int w = 0; w < workers; ++w) {
        int first = (int)((long)boxes * w / workers), end = (int)((long)boxes * (w + 1) / workers);
        int n = kept->starts[first];
        for (int i = first; i < end; ++i) {
            for (int k = kept->starts[i]; k < kept->starts[i + 1]; ++k) {
                CairnPair pair = {i, kept->seconds[k]};
                bool is_known = strays == NULL || !(strays[pair.a] | strays[pair.b]);
                found[n] = pair;
                n += is_known & cairn_boxes_overlap(&call->boxes[pair.a], &call->boxes[pair.b]);
            }
        }
        counts[w] = n - kept->starts[first];
    }
    int total = counts[0];
    for (int w = 1; w < workers; ++w) {
        int from = kept->starts[(long)boxes * w / workers];
        memmove(found + total, found + from, (size_t)counts[w] * sizeof *found);
        total += counts[w];
    }
    *found_count = total;
    return true;
}

// A stray against the box j. Of two strays the later one finds the pair.
static inline bool meets_stray(const CairnBroadCall *call, const uint8_t *strays, int stray, const CairnAabb *box,
                               int j) {
    const uint8_t *kinds = call->kinds;
    return cairn_boxes_overlap(box, &call->boxes[j]) && call->owners[stray] != call->owners[j] &&
           (kinds[stray] == CAIRN_BOX_MOVING || kinds[j] == CAIRN_BOX_MOVING) && !(strays[j] && j <= stray);
}

static void test_strays(const CairnBroadCall *call, const CairnKeptLook *look, const uint8_t *strays, int first,
                        int end, CairnPairChunk *chunk) {
    CairnAabb boxes[CAIRN_BROAD_STRAYS];
    int list[CAIRN_BROAD_STRAYS], count = 0;
    for (int k = 0; k < look->stray_count; ++k) {
        if (call->kinds[look->strays[k]] != CAIRN_BOX_ABSENT) {
            list[count] = look->strays[k];
            boxes[count++] = call->boxes[look->strays[k]];
        }
    }
    for (int j = first; j < end; ++j) {
        for (int k = 0; k < count && call->kinds[j] != CAIRN_BOX_ABSENT; ++k) {
            if (meets_stray(call, strays, list[k], &boxes[k], j)) {
                cairn_pair_add(chunk, list[k], j);
            }
        }
    }
    chunk->tests += (long)count * (end - first);
}

static bool find_strays(CairnBroadCall *call, const CairnKeptLook *look, const uint8_t *strays, CairnPair **found,
                        int *found_count, long *tests) {
    CairnKept *kept = &call->state->kept;
    CairnPairChunk chunks[CAIRN_BROAD_CHUNKS];
    int count = call->count, workers = workers_for(call, (long)count * look->stray_count);
    bool has_room = false;
    while (!has_room) {
        has_room = true;
        for (int w = 0; w < workers; ++w) {
            int *capacity = &kept->stray_capacity[w];
            chunks[w] =
                (CairnPairChunk){.keys = CAIRN_PUSH(call->arena, uint64_t, *capacity + 1), .capacity = *capacity};
            if (chunks[w].keys == NULL) {
                return false;
            }
        }
#pragma omp parallel for num_threads(workers) if (workers > 1) schedule(static)
        for (int w = 0; w < workers; ++w) {
            test_strays(call, look, strays, (int)((long)count * w / workers), (int)((long)count * (w + 1) / workers),
                        &chunks[w]);
        }
        for (int w = 0; w < workers; ++w) {
            if (chunks[w].count > chunks[w].capacity) {
                kept->stray_capacity[w] = chunks[w].count + chunks[w].count / 2 + 64;
                has_room = false;
            }
        }
    }
    for (int w = 0; w < workers; ++w) {
        *tests += chunks[w].tests;
    }
    return cairn_pairs_sort(chunks, workers, count, call->threads, call->arena, found, found_count);
}

static void merge(const CairnPair *a, int a_count, const CairnPair *b, int b_count, CairnPair *all) {
    for (int i = 0, k = 0, n = 0; n < a_count + b_count; ++n) {
        bool is_a = k == b_count || (i < a_count && cairn_pair_compare(a[i], b[k]) < 0);
        all[n] = is_a ? a[i++] : b[k++];
    }
}

bool cairn_kept_pairs(CairnBroadCall *call, const CairnKeptLook *look, CairnPair **pairs, int *pair_count,
                      long *tests) {
    const CairnKept *kept = &call->state->kept;
    uint8_t *strays = NULL;
    *pairs = CAIRN_PUSH(call->arena, CairnPair, kept->pair_count + 1);
    if (look->stray_count > 0) {
        strays = CAIRN_PUSH_ZERO(call->arena, uint8_t, call->count);
        for (int k = 0; strays != NULL && k < look->stray_count; ++k) {
            strays[look->strays[k]] = 1;
        }
    }
    *tests += kept->pair_count;
    if (*pairs == NULL || (strays == NULL && look->stray_count > 0) || !filter(call, strays, *pairs, pair_count)) {
        return false;
    }
    if (look->stray_count == 0) {
        return true;
    }
    CairnPair *found = NULL, *all = NULL;
    int found_count = 0;
    if (!find_strays(call, look, strays, &found, &found_count, tests)) {
        return false;
    }
    all = CAIRN_PUSH(call->arena, CairnPair, *pair_count + found_count + 1);
    if (all == NULL) {
        return false;
    }
    merge(*pairs, *pair_count, found, found_count, all);
    *pairs = all;
    *pair_count += found_count;
    return true;
}

void cairn_kept_free(CairnKept *kept, const CairnAllocator *allocator) {
    cairn_memory_release(allocator, kept->wide, (size_t)kept->wide_capacity, sizeof *kept->wide);
    cairn_memory_release(allocator, kept->kinds, (size_t)kept->kind_capacity, sizeof *kept->kinds);
    cairn_memory_release(allocator, kept->owners, (size_t)kept->owner_capacity, sizeof *kept->owners);
    cairn_memory_release(allocator, kept->starts, (size_t)kept->start_capacity, sizeof *kept->starts);
    cairn_memory_release(allocator, kept->seconds, (size_t)kept->second_capacity, sizeof *kept->seconds);
    *kept = (CairnKept){0};
}
