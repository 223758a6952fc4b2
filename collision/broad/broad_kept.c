// Pairs kept from one call to the next, for boxes that hardly move: they are found for boxes a little larger than the
// given ones, and are used as long as every box stays inside its larger one; then a call only tests which of them meet.
// Boxes that left theirs, or changed their kind or owner, are strays: while they are few each is tested against all;
// when they are many all is found anew, with larger boxes where the last ones served for some calls, or where few boxes
// moved far since the last one, and else for the boxes as they are.
#include "collision/broad/broad.h"
#include "engine/base/memory.h"
#include "engine/base/pieces.h"
#include <string.h>

// Fewer than PARALLEL boxes or pairs take no longer than it takes to wake a thread.
enum { SERVED = 3, PARALLEL = 4096 };

// The fraction of a box's mean extent by which it grows to all sides. What is fixed stays as it is.
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
    return call->threads > 1 && count > PARALLEL ? (call->threads < most ? call->threads : most) : 1;
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

typedef struct Looking {
    const CairnBroadCall *call;
    int *found, *counts; // strays of each worker
    int workers;
    bool was_ready;
} Looking;

static void look_piece(void *context, int w, int worker) {
    const Looking *l = context;
    int count = l->call->count, end = cairn_range_begin(count, w + 1, l->workers), strays = 0;
    int *list = l->found + (ptrdiff_t)w * CAIRN_BROAD_STRAYS;
    (void)worker;
    for (int i = cairn_range_begin(count, w, l->workers); i < end; ++i) {
        if (is_stray(l->call, i, l->was_ready)) {
            list[strays < CAIRN_BROAD_STRAYS ? strays : CAIRN_BROAD_STRAYS - 1] = i;
            ++strays;
        }
    }
    l->counts[w] = strays;
}

bool cairn_kept_look(CairnBroadCall *call, CairnKeptLook *look) {
    CairnKept *kept = &call->state->kept;
    int count = call->count, workers = workers_for(call, count), most = most_strays(count), total = 0;
    bool was_ready = kept->is_ready && kept->slot_count <= count;
    CairnArenaMark mark = cairn_arena_mark(call->arena);
    int *found = CAIRN_PUSH(call->arena, int, (size_t)workers *CAIRN_BROAD_STRAYS);
    int *counts = CAIRN_PUSH(call->arena, int, workers);
    *look = (CairnKeptLook){.boxes = call->boxes};
    if (found == NULL || counts == NULL || !reserve(call)) {
        return false;
    }
    Looking looking = {call, found, counts, workers, was_ready};
    cairn_pieces_run(workers, workers, look_piece, &looking);
    for (int w = 0; w < workers; ++w) {
        for (int k = 0; k < counts[w] && total + k < CAIRN_BROAD_STRAYS; ++k) {
            look->strays[total + k] = found[(ptrdiff_t)w * CAIRN_BROAD_STRAYS + k];
        }
        total += counts[w];
    }
    cairn_arena_release(call->arena, mark);
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

static int first_of(const CairnStrayPairs *strays, int a) {
    int low = 0, high = strays->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        bool is_before = strays->pairs[middle].a < a;
        low = is_before ? middle + 1 : low;
        high = is_before ? high : middle;
    }
    return low;
}

// Boxes that came later have none.
static inline int kept_before(const CairnKept *kept, int i) {
    return kept->starts[i < kept->slot_count ? i : kept->slot_count];
}

// The kept pairs of box i that meet.
static int filter_row(const CairnBroadCall *call, const CairnStrayPairs *strays, int i, CairnPair *found) {
    const CairnKept *kept = &call->state->kept;
    const uint8_t *is_stray = strays->is_stray;
    int n = 0;
    for (int k = kept_before(kept, i), end = kept_before(kept, i + 1); k < end; ++k) {
        CairnPair pair = {i, kept->seconds[k]};
        bool is_known = is_stray == NULL || !(is_stray[pair.a] | is_stray[pair.b]);
        found[n] = pair;
        n += is_known & cairn_boxes_overlap(&call->boxes[pair.a], &call->boxes[pair.b]);
    }
    return n;
}

// Those of box i's strays behind its others, and then in their order among them.
static int merge_row(const CairnPair *more, int more_count, CairnPair *found, int count) {
    for (int k = more_count - 1, n = count - 1, at = count + more_count - 1; k >= 0; --at) {
        found[at] = n >= 0 && found[n].b > more[k].b ? found[n--] : more[k--];
    }
    return count + more_count;
}

typedef struct Filtering {
    const CairnBroadCall *call;
    const CairnStrayPairs *strays;
    CairnPair *found;
    int *counts, *starts; // of each worker
    int workers;
} Filtering;

static void filter_piece(void *context, int w, int worker) {
    const Filtering *f = context;
    const CairnStrayPairs *strays = f->strays;
    int boxes = f->call->count, first = cairn_range_begin(boxes, w, f->workers);
    int end = cairn_range_begin(boxes, w + 1, f->workers), s = first_of(strays, first);
    int n = kept_before(&f->call->state->kept, first) + s;
    (void)worker;
    f->starts[w] = n;
    for (int i = first; i < end; ++i) {
        int count = filter_row(f->call, strays, i, f->found + n), more = 0;
        while (s + more < strays->count && strays->pairs[s + more].a == i) {
            ++more;
        }
        n += more == 0 ? count : merge_row(strays->pairs + s, more, f->found + n, count);
        s += more;
    }
    f->counts[w] = n - f->starts[w];
}

// The kept pairs whose boxes still meet and the pairs of the strays, merged in the order of (a, b).
static bool filter(const CairnBroadCall *call, const CairnStrayPairs *strays, CairnPair *found, int *found_count) {
    const CairnKept *kept = &call->state->kept;
    int workers = workers_for(call, kept->pair_count);
    int *counts = CAIRN_PUSH(call->arena, int, workers), *starts = CAIRN_PUSH(call->arena, int, workers);
    if (counts == NULL || starts == NULL) {
        return false;
    }
    Filtering filtering = {call, strays, found, counts, starts, workers};
    cairn_pieces_run(workers, workers, filter_piece, &filtering);
    int total = counts[0];
    for (int w = 1; w < workers; ++w) {
        memmove(found + total, found + starts[w], (size_t)counts[w] * sizeof *found);
        total += counts[w];
    }
    *found_count = total;
    return true;
}

bool cairn_kept_pairs(CairnBroadCall *call, const CairnKeptLook *look, CairnPair **pairs, int *pair_count,
                      long *tests) {
    CairnKept *kept = &call->state->kept;
    CairnStrayPairs strays = {NULL, NULL, 0};
    // The answer lies lowest in the arena, where nothing needs to move it to.
    *pairs = CAIRN_PUSH(call->arena, CairnPair, kept->pair_count + kept->stray_room + 1);
    if (look->stray_count > 0 && !cairn_strays_find(call, look, &strays, tests)) {
        return false;
    }
    if (strays.count > kept->stray_room) {
        kept->stray_room = strays.count + strays.count / 2;
        *pairs = CAIRN_PUSH(call->arena, CairnPair, (size_t)kept->pair_count + (size_t)kept->stray_room + 1);
    }
    *tests += kept->pair_count;
    return *pairs != NULL && filter(call, &strays, *pairs, pair_count);
}

void cairn_kept_free(CairnKept *kept, const CairnAllocator *allocator) {
    cairn_memory_release(allocator, kept->wide, (size_t)kept->wide_capacity, sizeof *kept->wide);
    cairn_memory_release(allocator, kept->kinds, (size_t)kept->kind_capacity, sizeof *kept->kinds);
    cairn_memory_release(allocator, kept->owners, (size_t)kept->owner_capacity, sizeof *kept->owners);
    cairn_memory_release(allocator, kept->starts, (size_t)kept->start_capacity, sizeof *kept->starts);
    cairn_memory_release(allocator, kept->seconds, (size_t)kept->second_capacity, sizeof *kept->seconds);
    *kept = (CairnKept){0};
}
