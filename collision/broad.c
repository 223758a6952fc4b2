// Broad phase: sweep-and-prune in columns (broad.h says how), for boxes that hardly move from one step to the next.
//
// Kept between calls: the order of the moving boxes by column and along it, from which the next sort starts, and everything about
// the fixed ones, which is made anew only when one of them changed. Boxes without finite ends, or larger than 2^40 m, are tested
// one by one. Pairs leave sorted by (a, b), so the answer depends on the boxes alone: not on the history, nor on the threads.
#include "collision/broad.h"
#include "engine/base/memory.h"
#include <limits.h>
#ifdef _OPENMP
#include <omp.h>
#endif
#include <string.h>

enum { ABSENT = 0, MOVING, FIXED, UNBOUNDED }; // classes of boxes
enum { SAMPLE = 1024, FINE = CAIRN_BROAD_LEVELS };

struct CairnBroadState {
    CairnBroadLevel levels[CAIRN_BROAD_LEVELS];
    int level_count;
    int8_t level_of[CAIRN_BROAD_SIZES]; // of each size
    int axis;
    bool is_fixed_ready;
    uint8_t *classes, *size_of; // of each box
    CairnAabb *fixed_boxes;     // as they were, where a box is fixed
    int *fixed_owners;
    int *order, *fixed_order;
    int class_capacity, size_capacity, box_capacity, owner_capacity, order_capacity, fixed_capacity;
    int slot_count, order_count, fixed_count;
    int unbounded_capacity[CAIRN_BROAD_CHUNKS];
};
typedef struct CairnBroadState State;

// Sizes of the boxes of one worker, or of all.
typedef struct Census {
    int count[CAIRN_BROAD_SIZES], moving[CAIRN_BROAD_SIZES];
    double y[CAIRN_BROAD_SIZES], z[CAIRN_BROAD_SIZES]; // summed extents, each rounded to its size: exact in any order
    bool has_changed_moving, has_changed_fixed;
    int unbounded_count;
} Census;

typedef struct Call {
    const CairnAabb *boxes;
    const uint8_t *kinds;
    const int *owners;
    int count, threads;
    CairnArena *arena;
    const CairnAllocator *allocator;
    State *state;
    Census census;
    CairnPairChunk *chunks; // CAIRN_BROAD_CHUNKS for each level, then for the unbounded boxes
    int *unbounded;
    double spread[3];
} Call;

void cairn_broad_init(CairnBroad *broad, const CairnAllocator *allocator) {
    *broad = (CairnBroad){.allocator = allocator};
}

static void release(const CairnAllocator *allocator, void *memory, int capacity, size_t size) {
    if (memory != NULL) {
        cairn_memory_release(allocator, memory, (size_t)capacity, size);
    }
}

void cairn_broad_free(CairnBroad *broad) {
    State *s = broad->state;
    const CairnAllocator *a = broad->allocator;
    if (s != NULL) {
        for (int i = 0; i < CAIRN_BROAD_LEVELS; ++i) {
            cairn_layer_free(&s->levels[i].moving, a);
            cairn_layer_free(&s->levels[i].moving_visitors, a);
            cairn_layer_free(&s->levels[i].fixed, a);
            cairn_layer_free(&s->levels[i].fixed_visitors, a);
        }
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
    State *s = broad->state;
    const CairnAllocator *a = broad->allocator;
    return cairn_memory_reserve(a, &s->classes, &s->class_capacity, count, sizeof *s->classes) &&
           cairn_memory_reserve(a, &s->size_of, &s->size_capacity, count, sizeof *s->size_of) &&
           cairn_memory_reserve(a, &s->fixed_boxes, &s->box_capacity, count, sizeof *s->fixed_boxes) &&
           cairn_memory_reserve(a, &s->fixed_owners, &s->owner_capacity, count, sizeof *s->fixed_owners) &&
           cairn_memory_reserve(a, &s->order, &s->order_capacity, count, sizeof *s->order) &&
           cairn_memory_reserve(a, &s->fixed_order, &s->fixed_capacity, count, sizeof *s->fixed_order);
}

// ---- what there is ----

// Twice the exponent, and one more from 1.5 of it on: 0 ... CAIRN_BROAD_SIZES - 1.
static inline int size_of_extent(double extent) {
    uint64_t bits;
    memcpy(&bits, &extent, sizeof bits);
    int size = (int)(bits >> 51) - 2 * (1023 - CAIRN_BROAD_MAX_EXPONENT - 1);
    return extent <= 0 || size < 0 ? 0 : size < CAIRN_BROAD_SIZES ? size : CAIRN_BROAD_SIZES - 1;
}

// The middle of a size, and where it ends.
static double middle_of_size(int size) {
    return ldexp(size % 2 == 0 ? 1.25 : 1.75, size / 2 - CAIRN_BROAD_MAX_EXPONENT - 1);
}

static double end_of_size(int size) {
    return ldexp(size % 2 == 0 ? 1.5 : 2.0, size / 2 - CAIRN_BROAD_MAX_EXPONENT - 1);
}

static inline bool is_bounded(const CairnAabb *box) {
    const double most = (double)((int64_t)1 << CAIRN_BROAD_MAX_EXPONENT), far = 1e300;
    return box->high.x - box->low.x < most && box->high.y - box->low.y < most && box->high.z - box->low.z < most &&
           fabs(box->low.x) < far && fabs(box->low.y) < far && fabs(box->low.z) < far;
}

// The axis along which the centres of a sample spread most, and how far they do. Another one takes over only when it is clearly
// better, for it costs a new sort.
static void choose_axis(Call *call) {
    int seen = 0, stride = call->count / SAMPLE + 1;
    double sum[3] = {0, 0, 0}, squares[3] = {0, 0, 0}, first[3] = {0, 0, 0};
    for (int i = 0; i < call->count; i += stride) {
        const CairnAabb *box = &call->boxes[i];
        if (call->kinds[i] != CAIRN_BOX_MOVING || !is_bounded(box)) {
            continue;
        }
        for (int axis = 0; axis < 3; ++axis) {
            double center = 0.5 * (cairn_component(box->low, axis) + cairn_component(box->high, axis));
            first[axis] = seen == 0 ? center : first[axis];
            sum[axis] += center - first[axis];
            squares[axis] += (center - first[axis]) * (center - first[axis]);
        }
        ++seen;
    }
    for (int axis = 0; axis < 3; ++axis) {
        double mean = sum[axis] / fmax(seen, 1);
        call->spread[axis] = sqrt(fmax(squares[axis] / fmax(seen, 1) - mean * mean, 0));
    }
    int best = call->state->axis;
    double threshold = 1.25 * call->spread[best];
    for (int axis = 0; axis < 3; ++axis) {
        if (axis != call->state->axis && call->spread[axis] > threshold) {
            best = axis;
            threshold = call->spread[axis];
        }
    }
    call->state->is_fixed_ready = call->state->is_fixed_ready && best == call->state->axis;
    call->state->axis = best;
}

static void classify_box(const Call *call, Census *census, int i) {
    State *s = call->state;
    const CairnAabb *box = &call->boxes[i];
    int was = i < s->slot_count ? s->classes[i] : ABSENT, now = ABSENT;
    if (call->kinds[i] != CAIRN_BOX_ABSENT) {
        now = !is_bounded(box) ? UNBOUNDED : call->kinds[i] == CAIRN_BOX_FIXED ? FIXED : MOVING;
    }
    s->classes[i] = (uint8_t)now;
    census->has_changed_moving |= (was == MOVING) != (now == MOVING);
    census->unbounded_count += now == UNBOUNDED;
    if (now == FIXED) {
        bool is_same =
            was == FIXED && s->fixed_owners[i] == call->owners[i] && memcmp(&s->fixed_boxes[i], box, sizeof *box) == 0;
        census->has_changed_fixed |= !is_same;
        s->fixed_boxes[i] = *box;
        s->fixed_owners[i] = call->owners[i];
    } else {
        census->has_changed_fixed |= was == FIXED;
    }
    if (now == MOVING || now == FIXED) {
        int y = (s->axis + 1) % 3, z = (s->axis + 2) % 3;
        int size_y = size_of_extent(cairn_component(box->high, y) - cairn_component(box->low, y));
        int size_z = size_of_extent(cairn_component(box->high, z) - cairn_component(box->low, z));
        int size = size_y > size_z ? size_y : size_z;
        s->size_of[i] = (uint8_t)size;
        ++census->count[size];
        census->moving[size] += now == MOVING;
        census->y[size] += middle_of_size(size_y);
        census->z[size] += middle_of_size(size_z);
    }
}

static bool classify(Call *call) {
    int workers = call->threads > 1 && call->count > 512 ? call->threads : 1, count = call->count;
    CairnArenaMark mark = cairn_arena_mark(call->arena);
    Census *censuses = CAIRN_PUSH_ZERO(call->arena, Census, workers);
    if (censuses == NULL) {
        return false;
    }
#pragma omp parallel for num_threads(workers) if (workers > 1) schedule(static)
    for (int w = 0; w < workers; ++w) {
        int end = (int)((long)count * (w + 1) / workers);
        for (int i = (int)((long)count * w / workers); i < end; ++i) {
            classify_box(call, &censuses[w], i);
        }
    }
    call->census = censuses[0];
    for (int w = 1; w < workers; ++w) {
        for (int size = 0; size < CAIRN_BROAD_SIZES; ++size) {
            call->census.count[size] += censuses[w].count[size];
            call->census.moving[size] += censuses[w].moving[size];
            call->census.y[size] += censuses[w].y[size];
            call->census.z[size] += censuses[w].z[size];
        }
        call->census.has_changed_moving |= censuses[w].has_changed_moving;
        call->census.has_changed_fixed |= censuses[w].has_changed_fixed;
        call->census.unbounded_count += censuses[w].unbounded_count;
    }
    cairn_arena_release(call->arena, mark);
    return true;
}

// Bring the orders up to date: boxes that are no more leave, new ones follow at the end.
static bool update_orders(Call *call) {
    State *s = call->state;
    int was_count = s->slot_count;
    s->slot_count = call->count;
    for (int i = call->count; i < was_count; ++i) {
        call->census.has_changed_moving |= s->classes[i] == MOVING;
        call->census.has_changed_fixed |= s->classes[i] == FIXED;
    }
    if (call->census.has_changed_moving) {
        CairnArenaMark mark = cairn_arena_mark(call->arena);
        uint8_t *is_listed = CAIRN_PUSH_ZERO(call->arena, uint8_t, call->count + 1);
        if (is_listed == NULL) {
            return false;
        }
        int kept = 0;
        for (int k = 0; k < s->order_count; ++k) {
            int i = s->order[k];
            if (i < call->count && s->classes[i] == MOVING) {
                s->order[kept++] = i;
                is_listed[i] = 1;
            }
        }
        s->order_count = kept;
        for (int i = 0; i < call->count; ++i) {
            if (s->classes[i] == MOVING && !is_listed[i]) {
                s->order[s->order_count++] = i;
            }
        }
        cairn_arena_release(call->arena, mark);
    }
    if (call->census.has_changed_fixed) {
        s->is_fixed_ready = false;
        s->fixed_count = 0;
        for (int i = 0; i < call->count; ++i) {
            if (s->classes[i] == FIXED) {
                s->fixed_order[s->fixed_count++] = i;
            }
        }
    }
    return true;
}

// ---- levels ----

// Bits for `wanted` columns along one side. The last number stays while it serves.
static int bits_for(double wanted, int last) {
    if (last > 0 && wanted <= 1.5 * (1 << last) && (wanted >= 0.25 * (1 << last) || last == CAIRN_BROAD_MIN_BITS)) {
        return last;
    }
    int bits = CAIRN_BROAD_MIN_BITS;
    while (bits < CAIRN_BROAD_MAX_BITS && (1 << bits) < wanted) {
        ++bits;
    }
    return bits;
}

// Cells of about twice the mean extent, in steps, so that they stay as they are while the mean hardly changes.
static CairnColumns columns_for(const Call *call, const CairnColumns *last, int first_size, int last_size) {
    double count = 0, sum[2] = {0, 0};
    for (int size = first_size; size <= last_size; ++size) {
        count += call->census.count[size];
        sum[0] += call->census.y[size];
        sum[1] += call->census.z[size];
    }
    CairnColumns columns = {.bits = {0, 0}};
    for (int side = 0; side < 2; ++side) {
        double wanted = fmax(2 * sum[side] / fmax(count, 1), 0.25 * end_of_size(last_size));
        bool keeps = last->cell[side] > 0.7 * wanted && last->cell[side] < 1.5 * wanted &&
                     last->cell[side] >= 0.25 * end_of_size(last_size);
        columns.cell[side] = keeps ? last->cell[side] : wanted;
        columns.inverse[side] = 1 / columns.cell[side];
        double reach = 4 * call->spread[(call->state->axis + 1 + side) % 3];
        columns.bits[side] = bits_for(reach / columns.cell[side], last->bits[side]);
    }
    while (columns.bits[0] + columns.bits[1] > 2 * CAIRN_BROAD_MIN_BITS &&
           1 << (columns.bits[0] + columns.bits[1]) > fmax(2 * count, 256)) {
        --columns.bits[columns.bits[0] >= columns.bits[1] ? 0 : 1];
    }
    return columns;
}

// From the largest size down, each level takes CAIRN_BROAD_LEVEL_SIZES sizes; the last one all that is left.
static void make_levels(Call *call) {
    State *s = call->state;
    int8_t level_of[CAIRN_BROAD_SIZES];
    int level = 0, size = CAIRN_BROAD_SIZES - 1;
    memset(level_of, FINE, sizeof level_of);
    while (level < CAIRN_BROAD_LEVELS) {
        while (size >= 0 && call->census.count[size] == 0) {
            --size;
        }
        if (size < 0) {
            break;
        }
        int first = level == CAIRN_BROAD_LEVELS - 1 ? 0 : size - CAIRN_BROAD_LEVEL_SIZES + 1;
        first = first < 0 ? 0 : first;
        CairnColumns columns = columns_for(call, &s->levels[level].columns, first, size);
        if (memcmp(&columns, &s->levels[level].columns, sizeof columns) != 0) {
            s->levels[level].columns = columns;
            s->is_fixed_ready = false;
        }
        for (; size >= first; --size) {
            level_of[size] = (int8_t)level;
        }
        ++level;
    }
    if (level != s->level_count || memcmp(level_of, s->level_of, sizeof level_of) != 0) {
        s->level_count = level;
        memcpy(s->level_of, level_of, sizeof level_of);
        s->is_fixed_ready = false;
    }
}

static void count_residents(Call *call) {
    State *s = call->state;
    for (int i = 0; i < s->level_count; ++i) {
        s->levels[i].moving_count = s->levels[i].fixed_count = 0;
    }
    for (int size = 0; size < CAIRN_BROAD_SIZES; ++size) {
        if (call->census.count[size] > 0) {
            CairnBroadLevel *level = &s->levels[s->level_of[size]];
            level->moving_count += call->census.moving[size];
            level->fixed_count += call->census.count[size] - call->census.moving[size];
        }
    }
    for (int i = 0; i < s->level_count; ++i) {
        bool lacks_visitors = s->levels[i].moving_count > 0 && !s->levels[i].has_fixed_visitors;
        s->is_fixed_ready = s->is_fixed_ready && !lacks_visitors;
    }
}

static CairnLayerSource source_of(const Call *call, const int *order, int order_count) {
    const State *s = call->state;
    return (CairnLayerSource){.boxes = call->boxes,
                              .kinds = call->kinds,
                              .owners = call->owners,
                              .order = order,
                              .order_count = order_count,
                              .size_of = s->size_of,
                              .level_of = s->level_of,
                              .axis = s->axis,
                              .allocator = call->allocator,
                              .arena = call->arena,
                              .thread_count = call->threads};
}

// One scratch for each worker, good for columns of `largest` entries.
static CairnColumnScratch *make_scratch(const Call *call, int workers, int largest) {
    CairnColumnScratch *scratch = CAIRN_PUSH(call->arena, CairnColumnScratch, workers);
    for (int w = 0; scratch != NULL && w < workers; ++w) {
        scratch[w] = (CairnColumnScratch){.spare = CAIRN_PUSH(call->arena, CairnColumnEntry, largest),
                                          .runs = CAIRN_PUSH(call->arena, int, largest + 1),
                                          .first = CAIRN_PUSH(call->arena, CairnBoxCopy, largest),
                                          .second = CAIRN_PUSH(call->arena, CairnBoxCopy, largest)};
        if (scratch[w].spare == NULL || scratch[w].runs == NULL || scratch[w].first == NULL ||
            scratch[w].second == NULL) {
            return NULL;
        }
    }
    return scratch;
}

static bool sort_columns(const Call *call, CairnBoxLayer *layer, const CairnColumns *columns) {
    CairnArenaMark mark = cairn_arena_mark(call->arena);
    CairnColumnScratch *scratch = make_scratch(call, 1, layer->largest);
    for (int c = 0; scratch != NULL && c < cairn_column_count(columns); ++c) {
        cairn_column_sort(layer, c, scratch);
    }
    cairn_arena_release(call->arena, mark);
    return scratch != NULL;
}

static bool build_fixed(const Call *call) {
    State *s = call->state;
    CairnLayerSource source = source_of(call, s->fixed_order, s->fixed_count);
    for (int i = 0, finer = s->fixed_count; i < s->level_count; ++i) {
        CairnBroadLevel *level = &s->levels[i];
        source.first_level = i;
        source.and_finer = false;
        finer -= level->fixed_count;
        level->fixed.count = level->fixed_visitors.count = 0;
        if (level->fixed_count > 0 && !cairn_layer_build(&level->fixed, &level->columns, &source, NULL)) {
            return false;
        }
        source.first_level = i + 1;
        source.and_finer = true;
        level->has_fixed_visitors = level->moving_count > 0; // where nothing larger moves, nobody asks for them
        if (finer > 0 && level->has_fixed_visitors &&
            !cairn_layer_build(&level->fixed_visitors, &level->columns, &source, NULL)) {
            return false;
        }
        if (!sort_columns(call, &level->fixed, &level->columns) ||
            !sort_columns(call, &level->fixed_visitors, &level->columns)) {
            return false;
        }
    }
    s->is_fixed_ready = true;
    return true;
}

// Returns the array of homes of every level, or false.
static bool build_moving(const Call *call, int **homes) {
    State *s = call->state;
    CairnLayerSource source = source_of(call, s->order, s->order_count);
    for (int i = 0, finer = s->order_count; i < s->level_count; ++i) {
        CairnBroadLevel *level = &s->levels[i];
        finer -= level->moving_count;
        level->moving.count = level->moving_visitors.count = 0;
        homes[i] = CAIRN_PUSH(call->arena, int, cairn_column_count(&level->columns));
        source.first_level = i;
        source.and_finer = false;
        source.near_a = source.near_b = NULL;
        if (homes[i] == NULL ||
            (level->moving_count > 0 && !cairn_layer_build(&level->moving, &level->columns, &source, homes[i]))) {
            return false;
        }
        source.first_level = i + 1;
        source.and_finer = true;
        source.near_a = &level->moving;
        source.near_b = &level->fixed;
        if (finer > 0 && !cairn_layer_build(&level->moving_visitors, &level->columns, &source, NULL)) {
            return false;
        }
    }
    return true;
}

// ---- pairs ----

// A piece of the work whose pairs go to one chunk: some columns of a level, or (level -1) some boxes against the unbounded ones.
typedef struct Job {
    int level, first, end;
    const int *homes;
    int *order, *capacity;
} Job;

static int copies_before(const CairnBroadLevel *level, int column) {
    return (level->moving.count > 0 ? level->moving.starts[column] : 0) +
           (level->moving_visitors.count > 0 ? level->moving_visitors.starts[column] : 0);
}

static int add_column_jobs(Call *call, int **homes, Job *jobs) {
    State *s = call->state;
    int job_count = 0, *order = s->order;
    for (int i = 0; i < s->level_count; ++i) {
        CairnBroadLevel *level = &s->levels[i];
        int columns = cairn_column_count(&level->columns), total = copies_before(level, columns);
        int wanted = total / 256 + 1;
        wanted = wanted > CAIRN_BROAD_CHUNKS ? CAIRN_BROAD_CHUNKS : wanted;
        for (int k = 0, first = 0; k < wanted && total > 0; ++k) {
            int end = first;
            while (end < columns && (k == wanted - 1 || copies_before(level, end) < (long)total * (k + 1) / wanted)) {
                ++end;
            }
            jobs[job_count++] = (Job){i, first, end, homes[i], order, &level->capacity[k]};
            first = end;
        }
        order += level->moving_count;
    }
    return job_count;
}

static int add_unbounded_jobs(Call *call, Job *jobs) {
    int pieces = call->census.unbounded_count == 0 ? 0 : call->count / 1024 + 1;
    pieces = pieces > CAIRN_BROAD_CHUNKS ? CAIRN_BROAD_CHUNKS : pieces;
    for (int k = 0; k < pieces; ++k) {
        jobs[k] = (Job){-1,   (int)((long)call->count * k / pieces), (int)((long)call->count * (k + 1) / pieces), NULL,
                        NULL, &call->state->unbounded_capacity[k]};
    }
    return pieces;
}

// Closed boxes: touching counts. False where a bound is not a number.
static inline bool overlap(const CairnAabb *a, const CairnAabb *b) {
    return (a->low.x <= b->high.x) & (b->low.x <= a->high.x) & (a->low.y <= b->high.y) & (b->low.y <= a->high.y) &
           (a->low.z <= b->high.z) & (b->low.z <= a->high.z);
}

// Of two unbounded boxes the earlier one finds the pair.
static void pair_unbounded(const Call *call, const Job *job, CairnPairChunk *chunk) {
    for (int k = 0; k < call->census.unbounded_count; ++k) {
        int i = call->unbounded[k];
        for (int j = job->first; j < job->end; ++j) {
            int class = call->state->classes[j];
            if (class == ABSENT || (class == UNBOUNDED && j <= i) || call->owners[i] == call->owners[j] ||
                (call->kinds[i] != CAIRN_BOX_MOVING && call->kinds[j] != CAIRN_BOX_MOVING)) {
                continue;
            }
            ++chunk->tests;
            if (overlap(&call->boxes[i], &call->boxes[j])) {
                cairn_pair_add(chunk, i, j);
            }
        }
    }
}

static bool list_unbounded(Call *call) {
    call->unbounded = CAIRN_PUSH(call->arena, int, call->census.unbounded_count);
    for (int i = 0, n = 0; call->unbounded != NULL && n < call->census.unbounded_count; ++i) {
        if (call->state->classes[i] == UNBOUNDED) {
            call->unbounded[n++] = i;
        }
    }
    return call->unbounded != NULL;
}

// Room for the pairs of each job: as many as last time needed and some more.
static bool place_chunks(const Call *call, const Job *jobs, int job_count, CairnPairChunk *chunks) {
    size_t total = 0;
    for (int k = 0; k < job_count; ++k) {
        total += (size_t)*jobs[k].capacity;
    }
    uint64_t *keys = CAIRN_PUSH(call->arena, uint64_t, total);
    for (int k = 0; keys != NULL && k < job_count; ++k) {
        chunks[k] = (CairnPairChunk){.keys = keys, .capacity = *jobs[k].capacity};
        keys += *jobs[k].capacity;
    }
    return keys != NULL;
}

static int worker_index(void) {
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

// Room that was too small is made larger, and the work done again: after the first few steps that does not happen any more.
static bool has_room(const Job *jobs, int job_count, const CairnPairChunk *chunks) {
    bool is_enough = true;
    for (int k = 0; k < job_count; ++k) {
        if (chunks[k].count > chunks[k].capacity) {
            is_enough = false;
            *jobs[k].capacity = chunks[k].count < INT_MAX / 2 ? chunks[k].count + chunks[k].count / 2 + 64 : INT_MAX;
        }
    }
    return is_enough;
}

static int largest_column(const State *s) {
    int largest = 0;
    for (int i = 0; i < s->level_count; ++i) {
        const CairnBoxLayer *layers[4] = {&s->levels[i].moving, &s->levels[i].moving_visitors, &s->levels[i].fixed,
                                          &s->levels[i].fixed_visitors};
        for (int k = 0; k < 4; ++k) {
            largest = layers[k]->count > 0 && layers[k]->largest > largest ? layers[k]->largest : largest;
        }
    }
    return largest;
}

static void do_job(const Call *call, const Job *job, const CairnColumnScratch *scratch, CairnPairChunk *chunk) {
    if (job->level < 0) {
        pair_unbounded(call, job, chunk);
        return;
    }
    CairnSweep sweep = {.level = &call->state->levels[job->level],
                        .boxes = call->boxes,
                        .owners = call->owners,
                        .axis = call->state->axis,
                        .homes = job->homes,
                        .order = job->order,
                        .scratch = scratch,
                        .chunk = chunk};
    cairn_broad_sweep(&sweep, job->first, job->end);
}

static bool find_pairs(Call *call, int **homes, CairnPairChunk *chunks, int *chunk_count) {
    Job jobs[(CAIRN_BROAD_LEVELS + 1) * CAIRN_BROAD_CHUNKS];
    int job_count = add_column_jobs(call, homes, jobs);
    job_count += add_unbounded_jobs(call, jobs + job_count);
    int workers = call->threads > 1 && call->count > 512 ? call->threads : 1;
    CairnColumnScratch *scratch = make_scratch(call, workers, largest_column(call->state));
    if (scratch == NULL) {
        return false;
    }
    CairnArenaMark mark = cairn_arena_mark(call->arena);
    do {
        cairn_arena_release(call->arena, mark);
        if (!place_chunks(call, jobs, job_count, chunks)) {
            return false;
        }
#pragma omp parallel for num_threads(workers) if (workers > 1) schedule(dynamic, 1)
        for (int k = 0; k < job_count; ++k) {
            do_job(call, &jobs[k], &scratch[worker_index()], &chunks[k]);
        }
    } while (!has_room(jobs, job_count, chunks));
    *chunk_count = job_count;
    return true;
}

static bool run(Call *call, CairnPairChunk *chunks, int *chunk_count) {
    int *homes[CAIRN_BROAD_LEVELS];
    choose_axis(call);
    if (!classify(call) || !update_orders(call) || !list_unbounded(call)) {
        return false;
    }
    make_levels(call);
    count_residents(call);
    return (call->state->is_fixed_ready || build_fixed(call)) && build_moving(call, homes) &&
           find_pairs(call, homes, chunks, chunk_count);
}

CairnStatus cairn_broad_pairs(CairnBroad *broad, const CairnAabb *boxes, const uint8_t *kinds, const int *owners,
                              int count, int thread_count, CairnArena *arena, CairnPair **pairs, int *pair_count,
                              int *overlap_tests) {
    CairnArenaMark mark = cairn_arena_mark(arena);
    CairnPairChunk chunks[(CAIRN_BROAD_LEVELS + 1) * CAIRN_BROAD_CHUNKS];
    int chunk_count = 0;
    if (broad->state == NULL) {
        broad->state = cairn_memory_allocate_zero(broad->allocator, 1, sizeof *broad->state);
    }
    Call call = {.boxes = boxes,
                 .kinds = kinds,
                 .owners = owners,
                 .count = count,
                 .threads = thread_count,
                 .arena = arena,
                 .allocator = broad->allocator,
                 .state = broad->state};
    if (broad->state == NULL || !reserve(broad, count) || !run(&call, chunks, &chunk_count)) {
        goto no_memory;
    }
    if (!cairn_pairs_sort(chunks, chunk_count, count, thread_count, arena, pairs, pair_count)) {
        goto no_memory;
    }
    long tests = 0;
    for (int k = 0; k < chunk_count; ++k) {
        tests += chunks[k].tests;
    }
    *overlap_tests = tests < INT_MAX ? (int)tests : INT_MAX;
    return cairn_ok();

no_memory:
    if (broad->state != NULL) { // what was half made is made anew
        broad->state->slot_count = broad->state->order_count = 0;
        broad->state->is_fixed_ready = false;
    }
    cairn_arena_release(arena, mark);
    return cairn_error(CAIRN_OUT_OF_MEMORY, "broad phase: no memory for the pairs of %d boxes", count);
}
