// Broad phase: sweep-and-prune along one axis.
//
// Boxes are kept in the order of their low ends along the axis of largest spread; from one step to the next that order hardly
// changes, so an insertion sort mends it in about linear time (a merge sort takes over when it does not). Two sweeps follow:
// moving against moving boxes, and moving against fixed ones; two fixed boxes never meet, so a large static scenery costs only
// its place in the order. Boxes without finite ends stay out of the sweep and are tested one by one. Pairs leave sorted
// by (a, b) through two counting sorts, so the answer depends on the boxes alone, never on the history.
#include "collision/broad_pairs.h"
#include "collision/collision.h"
#include "engine/base/memory.h"
#include <limits.h>
#include <string.h>

typedef struct Entry {
    double key; // low end along the axis
    int index;
} Entry;

// A box as the sweep reads it: first the axis of the sweep, then the other two.
typedef struct SweepBox {
    double low[3], high[3];
    int index, owner;
} SweepBox;

typedef struct Sweep {
    CairnPairList list;
    const CairnAabb *boxes;
    const uint8_t *kinds;
    const int *owners;
    int axis;
    SweepBox *moving, *fixed;
    int moving_count, fixed_count;
    long tests;
} Sweep;

void cairn_broad_init(CairnBroad *broad, const CairnAllocator *allocator) {
    memset(broad, 0, sizeof *broad);
    broad->allocator = allocator;
}

void cairn_broad_free(CairnBroad *broad) {
    if (broad->order != NULL) {
        cairn_memory_release(broad->allocator, broad->order, (size_t)broad->order_capacity, sizeof *broad->order);
    }
    cairn_broad_init(broad, broad->allocator);
}

static double component(CairnVec3 v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static bool is_bounded(const CairnAabb *box) {
    return cairn_vec3_is_finite(box->low) && cairn_vec3_is_finite(box->high);
}

// Closed boxes: touching counts. False where a bound is not a number.
static bool overlap(const CairnAabb *a, const CairnAabb *b) {
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y &&
           a->low.z <= b->high.z && b->low.z <= a->high.z;
}

// Bring `order` up to date: dead, unbounded and vanished boxes leave, new ones follow at the end. Returns how many are new.
static int update_order(CairnBroad *broad, const CairnAabb *boxes, const uint8_t *kinds, int count,
                        uint8_t *is_listed) {
    int kept = 0;
    for (int k = 0; k < broad->order_count; ++k) {
        int i = broad->order[k];
        if (i < count && kinds[i] != CAIRN_BOX_ABSENT && is_bounded(&boxes[i])) {
            broad->order[kept++] = i;
            is_listed[i] = 1;
        }
    }
    broad->order_count = kept;
    for (int i = 0; i < count; ++i) {
        if (!is_listed[i] && kinds[i] != CAIRN_BOX_ABSENT && is_bounded(&boxes[i])) {
            broad->order[broad->order_count++] = i;
        }
    }
    return broad->order_count - kept;
}

// The axis along which the centres spread most. Another one takes over only when it is clearly better, for it costs a new sort.
static int choose_axis(const CairnBroad *broad, const CairnAabb *boxes) {
    CairnVec3 mean = {0, 0, 0}, spread = {0, 0, 0};
    double share = 0.5 / fmax(broad->order_count, 1);
    for (int k = 0; k < broad->order_count; ++k) {
        const CairnAabb *box = &boxes[broad->order[k]];
        mean = cairn_add_scaled(mean, share, cairn_add(box->low, box->high));
    }
    for (int k = 0; k < broad->order_count; ++k) {
        const CairnAabb *box = &boxes[broad->order[k]];
        CairnVec3 d = cairn_sub(cairn_scale(0.5, cairn_add(box->low, box->high)), mean);
        spread = cairn_add(spread, (CairnVec3){d.x * d.x, d.y * d.y, d.z * d.z});
    }
    int best = broad->axis;
    double threshold = 1.5 * component(spread, broad->axis);
    for (int axis = 0; axis < 3; ++axis) {
        if (axis != broad->axis && component(spread, axis) > threshold) {
            best = axis;
            threshold = component(spread, axis);
        }
    }
    return best;
}

// False when the entries were too far out of order; they are then partly sorted.
static bool insertion_sort(Entry *entries, int count) {
    long budget = 8L * count + 64;
    for (int i = 1; i < count; ++i) {
        Entry entry = entries[i];
        int j = i;
        for (; j > 0 && entries[j - 1].key > entry.key; --j) {
            entries[j] = entries[j - 1];
        }
        entries[j] = entry;
        budget -= i - j;
        if (budget < 0) {
            return false;
        }
    }
    return true;
}

static void merge(const Entry *from, Entry *to, long low, long middle, long high) {
    long i = low, j = middle;
    for (long k = low; k < high; ++k) {
        bool takes_left = i < middle && (j >= high || !(from[j].key < from[i].key));
        to[k] = takes_left ? from[i++] : from[j++];
    }
}

// Bottom-up and stable. The sorted entries are in the returned one of the two arrays.
static Entry *merge_sort(Entry *entries, Entry *other, long count) {
    for (long width = 1; width < count; width *= 2) {
        for (long low = 0; low < count; low += 2 * width) {
            long middle = low + width < count ? low + width : count;
            long high = low + 2 * width < count ? low + 2 * width : count;
            merge(entries, other, low, middle, high);
        }
        Entry *swap = entries;
        entries = other;
        other = swap;
    }
    return entries;
}

// Put broad->order into the order of the low ends along the axis.
static bool sort_order(CairnBroad *broad, const CairnAabb *boxes, bool is_coherent, CairnArena *arena) {
    int count = broad->order_count;
    CairnArenaMark mark = cairn_arena_mark(arena);
    Entry *entries = CAIRN_PUSH(arena, Entry, count + 1);
    if (entries == NULL) {
        return false;
    }
    for (int k = 0; k < count; ++k) {
        entries[k] = (Entry){component(boxes[broad->order[k]].low, broad->axis), broad->order[k]};
    }
    if (!is_coherent || !insertion_sort(entries, count)) {
        Entry *other = CAIRN_PUSH(arena, Entry, count + 1);
        if (other == NULL) {
            cairn_arena_release(arena, mark);
            return false;
        }
        entries = merge_sort(entries, other, count);
    }
    for (int k = 0; k < count; ++k) {
        broad->order[k] = entries[k].index;
    }
    cairn_arena_release(arena, mark);
    return true;
}

// Part the order into moving and fixed boxes, each packed for the sweep.
static void fill_sweep(Sweep *sweep, const CairnBroad *broad) {
    int x = sweep->axis, y = (x + 1) % 3, z = (x + 2) % 3;
    for (int k = 0; k < broad->order_count; ++k) {
        int i = broad->order[k];
        const CairnAabb *box = &sweep->boxes[i];
        SweepBox packed = {{component(box->low, x), component(box->low, y), component(box->low, z)},
                           {component(box->high, x), component(box->high, y), component(box->high, z)},
                           i,
                           sweep->owners[i]};
        if (sweep->kinds[i] == CAIRN_BOX_MOVING) {
            sweep->moving[sweep->moving_count++] = packed;
        } else {
            sweep->fixed[sweep->fixed_count++] = packed;
        }
    }
}

// All four comparisons without a branch: most candidates fail one of them, and which one cannot be predicted.
static inline bool overlap_across(const SweepBox *a, const SweepBox *b) {
    bool is_near =
        (a->low[1] <= b->high[1]) & (b->low[1] <= a->high[1]) & (a->low[2] <= b->high[2]) & (b->low[2] <= a->high[2]);
    return is_near && a->owner != b->owner;
}

// Test `box` against others[first ...] that begin within it along the axis.
static bool sweep_one(Sweep *sweep, const SweepBox *box, const SweepBox *others, int first, int count) {
    double end = box->high[0];
    int j = first;
    for (; j < count && others[j].low[0] <= end; ++j) {
        if (overlap_across(box, &others[j]) && !cairn_pair_list_add(&sweep->list, box->index, others[j].index)) {
            return false;
        }
    }
    sweep->tests += j - first;
    return true;
}

static bool sweep_all(Sweep *sweep) {
    const SweepBox *moving = sweep->moving, *fixed = sweep->fixed;
    int moving_count = sweep->moving_count, fixed_count = sweep->fixed_count;
    for (int i = 0; i < moving_count; ++i) {
        if (!sweep_one(sweep, &moving[i], moving, i + 1, moving_count)) {
            return false;
        }
    }
    // A moving and a fixed box that overlap: either the fixed one begins within the moving one (at its low end or after), ...
    for (int i = 0, first = 0; i < moving_count; ++i) {
        while (first < fixed_count && fixed[first].low[0] < moving[i].low[0]) {
            ++first;
        }
        if (!sweep_one(sweep, &moving[i], fixed, first, fixed_count)) {
            return false;
        }
    }
    // ... or the moving one begins within the fixed one, after its low end.
    for (int i = 0, first = 0; i < fixed_count; ++i) {
        while (first < moving_count && moving[first].low[0] <= fixed[i].low[0]) {
            ++first;
        }
        if (!sweep_one(sweep, &fixed[i], moving, first, moving_count)) {
            return false;
        }
    }
    return true;
}

// Unbounded boxes against every other; of two unbounded ones the earlier finds the pair.
static bool pair_unbounded(Sweep *sweep, int count) {
    for (int i = 0; i < count; ++i) {
        if (sweep->kinds[i] == CAIRN_BOX_ABSENT || is_bounded(&sweep->boxes[i])) {
            continue;
        }
        for (int j = 0; j < count; ++j) {
            if (sweep->kinds[j] == CAIRN_BOX_ABSENT || sweep->owners[i] == sweep->owners[j] ||
                (sweep->kinds[i] == CAIRN_BOX_FIXED && sweep->kinds[j] == CAIRN_BOX_FIXED) ||
                (j <= i && !is_bounded(&sweep->boxes[j]))) {
                continue;
            }
            ++sweep->tests;
            if (overlap(&sweep->boxes[i], &sweep->boxes[j]) && !cairn_pair_list_add(&sweep->list, i, j)) {
                return false;
            }
        }
    }
    return true;
}

CairnStatus cairn_broad_pairs(CairnBroad *broad, const CairnAabb *boxes, const uint8_t *kinds, const int *owners,
                              int count, CairnArena *arena, CairnPair **pairs, int *pair_count, int *overlap_tests) {
    CairnArenaMark mark = cairn_arena_mark(arena);
    Sweep sweep = {.list = {.arena = arena}, .boxes = boxes, .kinds = kinds, .owners = owners};
    uint8_t *is_listed = CAIRN_PUSH_ZERO(arena, uint8_t, count + 1);
    if (is_listed == NULL ||
        !cairn_memory_reserve(broad->allocator, &broad->order, &broad->order_capacity, count, sizeof *broad->order)) {
        goto no_memory;
    }
    int new_count = update_order(broad, boxes, kinds, count, is_listed);
    int axis = choose_axis(broad, boxes);
    bool is_coherent = axis == broad->axis && new_count <= 8 + broad->order_count / 64;
    broad->axis = sweep.axis = axis;
    sweep.moving = CAIRN_PUSH(arena, SweepBox, broad->order_count + 1);
    sweep.fixed = CAIRN_PUSH(arena, SweepBox, broad->order_count + 1);
    if (sweep.moving == NULL || sweep.fixed == NULL || !sort_order(broad, boxes, is_coherent, arena)) {
        goto no_memory;
    }
    fill_sweep(&sweep, broad);
    if (!sweep_all(&sweep) || !pair_unbounded(&sweep, count) || !cairn_pair_list_sort(&sweep.list, count, pairs)) {
        goto no_memory;
    }
    *pair_count = sweep.list.count;
    *overlap_tests = sweep.tests < INT_MAX ? (int)sweep.tests : INT_MAX;
    return cairn_ok();

no_memory:
    cairn_arena_release(arena, mark);
    return cairn_error(CAIRN_OUT_OF_MEMORY, "broad phase: no memory for the pairs of %d boxes", count);
}
