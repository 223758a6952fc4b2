// Sweeps along the columns: a box meets those that begin before it ends.
#include "collision/broad/broad.h"

typedef struct View {
    const CairnBoxCopy *first, *end;
} View;

static inline CairnBoxCopy copy_of(const CairnSweep *sweep, CairnColumnEntry entry) {
    const CairnAabb *box = &sweep->boxes[entry.index];
    int x = sweep->axis, y = (x + 1) % 3, z = (x + 2) % 3;
    return (CairnBoxCopy){
        .low = {entry.key, cairn_component(box->low, y), cairn_component(box->low, z)},
        .high = {cairn_component(box->high, x), cairn_component(box->high, y), cairn_component(box->high, z)},
        .index = entry.index,
        .owner = sweep->owners[entry.index],
        .flags = entry.flags};
}

// The boxes of a column side by side.
static View gather(const CairnSweep *sweep, const CairnBoxLayer *layer, int column, CairnBoxCopy *copies) {
    int count = cairn_entries_in(layer, column);
    for (int k = 0; k < count; ++k) {
        copies[k] = copy_of(sweep, layer->entries[layer->starts[column] + k]);
    }
    return (View){copies, copies + count};
}

// All comparisons without a branch: most candidates fail one of them, and which one cannot be predicted.
static inline bool meet(const CairnBoxCopy *a, const CairnBoxCopy *b) {
    return (a->low[1] <= b->high[1]) & (b->low[1] <= a->high[1]) & (a->low[2] <= b->high[2]) &
           (b->low[2] <= a->high[2]) & (((a->flags | b->flags) & CAIRN_COPY_ALL) == CAIRN_COPY_ALL) &
           (a->owner != b->owner);
}

// Every candidate's key is written, and is overwritten by the next one unless it counts: no branch here either.
static inline void sweep_one(const CairnBoxCopy *copy, const CairnBoxCopy *from, const CairnBoxCopy *end,
                             CairnPairChunk *chunk) {
    double high = copy->high[0];
    const CairnBoxCopy *other = from;
    int count = chunk->count, capacity = chunk->capacity;
    uint64_t *keys = chunk->keys;
    for (; other < end && other->low[0] <= high; ++other) {
        if (count < capacity) {
            keys[count] = cairn_pair_key(copy->index, other->index);
        }
        count += meet(copy, other);
    }
    chunk->count = count;
    chunk->tests += other - from;
}

static void sweep_self(View a, CairnPairChunk *chunk) {
    for (const CairnBoxCopy *copy = a.first; copy < a.end; ++copy) {
        sweep_one(copy, copy + 1, a.end, chunk);
    }
}

// Of two that overlap, either b's begins within a's (at its low end or after), or a's within b's after its low end.
static void sweep_two(View a, View b, CairnPairChunk *chunk) {
    const CairnBoxCopy *from = b.first;
    for (const CairnBoxCopy *copy = a.first; copy < a.end; ++copy) {
        while (from < b.end && from->low[0] < copy->low[0]) {
            ++from;
        }
        sweep_one(copy, from, b.end, chunk);
    }
    from = a.first;
    for (const CairnBoxCopy *copy = b.first; copy < b.end; ++copy) {
        while (from < a.end && from->low[0] <= copy->low[0]) {
            ++from;
        }
        sweep_one(copy, from, a.end, chunk);
    }
}

// Visitors in any order against few residents in order: cheaper than to sort the visitors of a large box.
static void test_few(const CairnSweep *sweep, int column, View residents) {
    const CairnBoxLayer *visitors = &sweep->level->moving_visitors;
    CairnPairChunk *chunk = sweep->chunk;
    for (int k = visitors->starts[column]; k < visitors->starts[column + 1]; ++k) {
        CairnBoxCopy copy = copy_of(sweep, visitors->entries[k]);
        const CairnBoxCopy *other = residents.first;
        for (; other < residents.end && other->low[0] <= copy.high[0]; ++other) {
            if (other->high[0] >= copy.low[0] && meet(&copy, other)) {
                cairn_pair_add(chunk, copy.index, other->index);
            }
        }
        chunk->tests += other - residents.first;
    }
}

// Sorts `residents` to the front of the scratch.
static void sweep_visitors(const CairnSweep *sweep, int column, View residents) {
    CairnBoxLayer *visitors = &sweep->level->moving_visitors;
    if (residents.end - residents.first <= CAIRN_BROAD_FEW) {
        test_few(sweep, column, residents);
        return;
    }
    cairn_column_sort(visitors, column, sweep->scratch);
    sweep_two(residents, gather(sweep, visitors, column, sweep->scratch->second), sweep->chunk);
}

static void sort_residents(const CairnSweep *sweep, int column) {
    const unsigned first = CAIRN_COPY_FIRST_Y | CAIRN_COPY_FIRST_Z;
    CairnBoxLayer *layer = &sweep->level->moving;
    int *order = sweep->order + sweep->homes[column];
    cairn_column_sort(layer, column, sweep->scratch);
    for (int k = layer->starts[column]; k < layer->starts[column + 1]; ++k) {
        if ((layer->entries[k].flags & first) == first) {
            *order++ = layer->entries[k].index;
        }
    }
}

static void sweep_column(const CairnSweep *sweep, int column) {
    CairnBroadLevel *level = sweep->level;
    CairnBoxCopy *first = sweep->scratch->first, *second = sweep->scratch->second;
    int fixed = cairn_entries_in(&level->fixed, column), visitors = cairn_entries_in(&level->moving_visitors, column);
    if (cairn_entries_in(&level->moving, column) > 0) {
        sort_residents(sweep, column);
        View moving = gather(sweep, &level->moving, column, first);
        sweep_self(moving, sweep->chunk);
        if (fixed > 0) {
            sweep_two(moving, gather(sweep, &level->fixed, column, second), sweep->chunk);
        }
        if (cairn_entries_in(&level->fixed_visitors, column) > 0) {
            sweep_two(moving, gather(sweep, &level->fixed_visitors, column, second), sweep->chunk);
        }
        if (visitors > 0) {
            sweep_visitors(sweep, column, moving);
        }
    }
    if (visitors > 0 && fixed > 0) {
        sweep_visitors(sweep, column, gather(sweep, &level->fixed, column, first));
    }
}

void cairn_broad_sweep(const CairnSweep *sweep, int first, int end) {
    for (int column = first; column < end; ++column) {
        sweep_column(sweep, column);
    }
}
