// Sweeps along the columns: a box meets those that begin before it ends.
#include "collision/broad.h"

// All comparisons without a branch: most candidates fail one of them, and which one cannot be predicted.
static inline bool meet(const CairnBoxCopy *a, const CairnBoxCopy *b) {
    bool is_near = (a->low[1] <= b->high[1]) & (b->low[1] <= a->high[1]) & (a->low[2] <= b->high[2]) &
                   (b->low[2] <= a->high[2]) & (((a->flags | b->flags) & CAIRN_COPY_ALL) == CAIRN_COPY_ALL);
    return is_near && a->owner != b->owner;
}

static inline void sweep_one(const CairnBoxCopy *copy, const CairnBoxCopy *from, const CairnBoxCopy *end,
                             CairnPairChunk *chunk) {
    double high = copy->high[0];
    const CairnBoxCopy *other = from;
    for (; other < end && other->low[0] <= high; ++other) {
        if (meet(copy, other)) {
            cairn_pair_add(chunk, copy->index, other->index);
        }
    }
    chunk->tests += other - from;
}

static void sweep_self(const CairnBoxLayer *layer, int column, CairnPairChunk *chunk) {
    const CairnBoxCopy *end = layer->copies + layer->starts[column + 1];
    for (const CairnBoxCopy *copy = layer->copies + layer->starts[column]; copy < end; ++copy) {
        sweep_one(copy, copy + 1, end, chunk);
    }
}

// Of two that overlap, either b's begins within a's (at its low end or after), or a's within b's after its low end.
static void sweep_two(const CairnBoxLayer *a, const CairnBoxLayer *b, int column, CairnPairChunk *chunk) {
    if (cairn_copies_in(a, column) == 0 || cairn_copies_in(b, column) == 0) {
        return;
    }
    const CairnBoxCopy *first_a = a->copies + a->starts[column], *end_a = a->copies + a->starts[column + 1];
    const CairnBoxCopy *first_b = b->copies + b->starts[column], *end_b = b->copies + b->starts[column + 1];
    const CairnBoxCopy *from = first_b;
    for (const CairnBoxCopy *copy = first_a; copy < end_a; ++copy) {
        while (from < end_b && from->low[0] < copy->low[0]) {
            ++from;
        }
        sweep_one(copy, from, end_b, chunk);
    }
    from = first_a;
    for (const CairnBoxCopy *copy = first_b; copy < end_b; ++copy) {
        while (from < end_a && from->low[0] <= copy->low[0]) {
            ++from;
        }
        sweep_one(copy, from, end_a, chunk);
    }
}

// Visitors in any order against few residents in order: cheaper than to sort the visitors of a large box.
static void test_few(const CairnBoxLayer *visitors, const CairnBoxLayer *residents, int column, CairnPairChunk *chunk) {
    const CairnBoxCopy *first = residents->copies + residents->starts[column];
    const CairnBoxCopy *end = residents->copies + residents->starts[column + 1];
    const CairnBoxCopy *last_visitor = visitors->copies + visitors->starts[column + 1];
    for (const CairnBoxCopy *copy = visitors->copies + visitors->starts[column]; copy < last_visitor; ++copy) {
        const CairnBoxCopy *other = first;
        for (; other < end && other->low[0] <= copy->high[0]; ++other) {
            if (other->high[0] >= copy->low[0] && meet(copy, other)) {
                cairn_pair_add(chunk, copy->index, other->index);
            }
        }
        chunk->tests += other - first;
    }
}

static void sweep_visitors(CairnBroadLevel *level, int column, CairnPairChunk *chunk) {
    CairnBoxLayer *visitors = &level->moving_visitors;
    int moving = cairn_copies_in(&level->moving, column), fixed = cairn_copies_in(&level->fixed, column);
    if (cairn_copies_in(visitors, column) == 0) {
        return;
    }
    if (moving > CAIRN_BROAD_FEW || fixed > CAIRN_BROAD_FEW) {
        cairn_layer_sort_column(visitors, column);
        sweep_two(&level->moving, visitors, column, chunk);
        sweep_two(&level->fixed, visitors, column, chunk);
        return;
    }
    if (moving > 0) {
        test_few(visitors, &level->moving, column, chunk);
    }
    if (fixed > 0) {
        test_few(visitors, &level->fixed, column, chunk);
    }
}

static void sort_residents(CairnBroadLevel *level, int column, int *order) {
    cairn_layer_sort_column(&level->moving, column);
    const CairnBoxCopy *end = level->moving.copies + level->moving.starts[column + 1];
    for (const CairnBoxCopy *copy = level->moving.copies + level->moving.starts[column]; copy < end; ++copy) {
        const unsigned first = CAIRN_COPY_FIRST_Y | CAIRN_COPY_FIRST_Z;
        if ((copy->flags & first) == first) {
            *order++ = copy->index;
        }
    }
}

void cairn_broad_sweep(CairnBroadLevel *level, int first, int end, const int *homes, int *order,
                       CairnPairChunk *chunk) {
    for (int column = first; column < end; ++column) {
        if (cairn_copies_in(&level->moving, column) > 0) {
            sort_residents(level, column, order + homes[column]);
            sweep_self(&level->moving, column, chunk);
            sweep_two(&level->moving, &level->fixed, column, chunk);
            sweep_two(&level->moving, &level->fixed_visitors, column, chunk);
        }
        sweep_visitors(level, column, chunk);
    }
}
