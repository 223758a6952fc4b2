// Boxes into the columns they reach: a counting sort by column that keeps the order it is given, in parallel, with
// the same answer for any number of threads. With the order of the last step the columns are nearly sorted.
#include "collision/broad/broad.h"
#include "engine/base/memory.h"
#include "engine/base/pieces.h"
#include <math.h>
#include <string.h>

// Of one box of the order: kept from counting to writing, side by side.
typedef struct Reach {
    int first[2], last[2]; // cells along y and z; none where the layer does not take the box
    double key;            // its low end along the sweep
} Reach;

// Rises with v. The origin lies in the middle of a cell, for what is built around it. Far cells are all one: there the
// numbers of cells end, and crowding costs time but no pairs.
static inline int cell_of(double v, double inverse) {
    const double limit = 1 << 30;
    double cell = floor(v * inverse + 0.5);
    return (int)cairn_clamp(cell, -limit, limit);
}

static inline Reach reach_of(const CairnAabb *box, const CairnColumns *columns, int axis) {
    int y = (axis + 1) % 3, z = (axis + 2) % 3;
    return (Reach){{cell_of(cairn_component(box->low, y), columns->inverse[0]),
                    cell_of(cairn_component(box->low, z), columns->inverse[1])},
                   {cell_of(cairn_component(box->high, y), columns->inverse[0]),
                    cell_of(cairn_component(box->high, z), columns->inverse[1])},
                   cairn_component(box->low, axis)};
}

static inline int column_of(const CairnColumns *columns, int y, int z) {
    unsigned mask_y = (1u << columns->bits[0]) - 1, mask_z = (1u << columns->bits[1]) - 1;
    return (int)(((unsigned)z & mask_z) << columns->bits[0] | ((unsigned)y & mask_y));
}

static inline bool takes(const CairnLayerSource *source, int i) {
    int level = source->level_of[source->size_of[i]]; // NOLINT(bugprone-signed-char-misuse): none is -1
    return source->and_finer ? level >= source->first_level : level == source->first_level;
}

static inline bool has_near(const CairnLayerSource *source, int column) {
    const CairnBoxLayer *a = source->near_a, *b = source->near_b;
    return a == NULL || cairn_entries_in(a, column) > 0 || cairn_entries_in(b, column) > 0;
}

// Boxes first ... end - 1 of the order: how many copies each column gets, and of how many boxes it is the first.
static void count_entries(const CairnLayerSource *source, const CairnColumns *columns, int first, int end,
                          Reach *reaches, int *counts, int *homes) {
    for (int k = first; k < end; ++k) {
        int i = source->order[k];
        if (!takes(source, i)) {
            reaches[k] = (Reach){{0, 0}, {-1, -1}, 0};
            continue;
        }
        Reach reach = reach_of(&source->boxes[i], columns, source->axis);
        reaches[k] = reach;
        for (int z = reach.first[1]; z <= reach.last[1]; ++z) {
            for (int y = reach.first[0]; y <= reach.last[0]; ++y) {
                ++counts[column_of(columns, y, z)];
            }
        }
        if (homes != NULL) {
            ++homes[column_of(columns, reach.first[0], reach.first[1])];
        }
    }
}

static void write_entries(const CairnLayerSource *source, const CairnColumns *columns, int first, int end,
                          const Reach *reaches, int *next, CairnColumnEntry *entries) {
    for (int k = first; k < end; ++k) {
        int i = source->order[k];
        Reach reach = reaches[k];
        CairnColumnEntry entry = {.key = reach.key, .index = i};
        unsigned moves = source->kinds[i] == CAIRN_BOX_MOVING ? CAIRN_COPY_MOVES : 0;
        for (int z = reach.first[1]; z <= reach.last[1]; ++z) {
            for (int y = reach.first[0]; y <= reach.last[0]; ++y) {
                int column = column_of(columns, y, z);
                if (has_near(source, column)) {
                    entry.flags = moves | (y == reach.first[0] ? CAIRN_COPY_FIRST_Y : 0) |
                                  (z == reach.first[1] ? CAIRN_COPY_FIRST_Z : 0);
                    entries[next[column]++] = entry;
                }
            }
        }
    }
}

// Replaces the count of each worker in each column by the index where that worker begins to write; returns how many
// entries there are.
static int counts_to_starts(const CairnLayerSource *source, int *counts, int workers, int column_count,
                            CairnBoxLayer *layer) {
    int at = 0;
    layer->largest = 0;
    for (int c = 0; c < column_count; ++c) {
        layer->starts[c] = at;
        bool is_wanted = has_near(source, c);
        for (int w = 0; w < workers; ++w) {
            int *cell = &counts[(ptrdiff_t)w * column_count + c];
            int count = is_wanted ? *cell : 0;
            *cell = at;
            at += count;
        }
        layer->largest = at - layer->starts[c] > layer->largest ? at - layer->starts[c] : layer->largest;
    }
    layer->starts[column_count] = at;
    return at;
}

static void write_home_starts(const int *counts, int workers, int column_count, int *homes) {
    int at = 0;
    for (int c = 0; c < column_count; ++c) {
        homes[c] = at;
        for (int w = 0; w < workers; ++w) {
            at += counts[(ptrdiff_t)w * column_count + c];
        }
    }
}

typedef struct Building {
    const CairnLayerSource *source;
    const CairnColumns *columns;
    Reach *reaches;
    int *counts, *home_counts; // of each worker a column each
    CairnColumnEntry *entries;
    int workers;
} Building;

static int first_of(const Building *b, int w) {
    return cairn_range_begin(b->source->order_count, w, b->workers);
}

static void count_piece(void *context, int w, int worker) {
    const Building *b = context;
    ptrdiff_t at = (ptrdiff_t)w * cairn_column_count(b->columns);
    (void)worker;
    count_entries(b->source, b->columns, first_of(b, w), first_of(b, w + 1), b->reaches, b->counts + at,
                  b->home_counts != NULL ? b->home_counts + at : NULL);
}

static void write_piece(void *context, int w, int worker) {
    const Building *b = context;
    ptrdiff_t at = (ptrdiff_t)w * cairn_column_count(b->columns);
    (void)worker;
    write_entries(b->source, b->columns, first_of(b, w), first_of(b, w + 1), b->reaches, b->counts + at, b->entries);
}

bool cairn_layer_build(CairnBoxLayer *layer, const CairnColumns *columns, const CairnLayerSource *source, int *homes) {
    int column_count = cairn_column_count(columns), count = source->order_count;
    int workers = source->thread_count > 1 && count > 2048 ? source->thread_count : 1;
    CairnArenaMark mark = cairn_arena_mark(source->arena);
    size_t table = (size_t)workers * (size_t)column_count;
    int *counts = CAIRN_PUSH_ZERO(source->arena, int, table);
    int *home_counts = homes != NULL ? CAIRN_PUSH_ZERO(source->arena, int, table) : NULL;
    Reach *reaches = CAIRN_PUSH(source->arena, Reach, count);
    bool is_done = false;
    layer->count = 0;
    if (counts == NULL || reaches == NULL || (homes != NULL && home_counts == NULL) ||
        !cairn_memory_reserve(source->allocator, &layer->starts, &layer->start_capacity, column_count + 1,
                              sizeof *layer->starts)) {
        goto done;
    }
    Building building = {source, columns, reaches, counts, home_counts, NULL, workers};
    cairn_pieces_run(workers, workers, count_piece, &building);
    int entry_count = counts_to_starts(source, counts, workers, column_count, layer);
    if (homes != NULL) {
        write_home_starts(home_counts, workers, column_count, homes);
    }
    if (source->is_for_call) {
        layer->entries = CAIRN_PUSH(source->arena, CairnColumnEntry, entry_count + 1);
    }
    if (source->is_for_call ? layer->entries == NULL
                            : !cairn_memory_reserve(source->allocator, &layer->entries, &layer->entry_capacity,
                                                    entry_count + 1, sizeof *layer->entries)) {
        goto done;
    }
    layer->count = entry_count;
    building.entries = layer->entries;
    cairn_pieces_run(workers, workers, write_piece, &building);
    is_done = true;
done:
    if (!is_done || !source->is_for_call) { // the entries lie above what was only for them
        cairn_arena_release(source->arena, mark);
    }
    return is_done;
}

// Cuts the entries into rising runs. An entry that is a few positions too late is inserted where it belongs; one that
// is later begins a new run.
static int make_runs(CairnColumnEntry *entries, int count, int *runs) {
    enum { LATE = 12 };
    int run_count = 0, begin = 0;
    runs[run_count++] = 0;
    for (int i = 1; i < count; ++i) {
        CairnColumnEntry entry = entries[i];
        int least = i - LATE > begin ? i - LATE : begin, j = i;
        if (i > begin && entries[i - 1].key > entry.key) {
            if (least > begin && entries[least - 1].key > entry.key) {
                begin = runs[run_count++] = i;
                continue;
            }
            for (; j > least && entries[j - 1].key > entry.key; --j) {
                entries[j] = entries[j - 1];
            }
            entries[j] = entry;
        }
    }
    runs[run_count] = count;
    return run_count;
}

static void merge(const CairnColumnEntry *from, CairnColumnEntry *to, int low, int middle, int high) {
    int i = low, j = middle;
    for (int k = low; k < high; ++k) {
        bool takes_left = i < middle && (j >= high || !(from[j].key < from[i].key));
        to[k] = takes_left ? from[i++] : from[j++];
    }
}

// Runs are merged two by two until one remains: linear time where the last order is still right, n log n at worst.
void cairn_column_sort(CairnBoxLayer *layer, int column, const CairnColumnScratch *scratch) {
    int count = cairn_entries_in(layer, column), *runs = scratch->runs;
    if (count < 2) {
        return;
    }
    CairnColumnEntry *entries = layer->entries + layer->starts[column], *from = entries, *to = scratch->spare;
    int run_count = make_runs(entries, count, runs);
    while (run_count > 1) {
        int kept = 0;
        for (int r = 0; r < run_count; r += 2) {
            int middle = runs[r + 1], high = r + 1 < run_count ? runs[r + 2] : middle;
            merge(from, to, runs[r], middle, high);
            runs[kept++] = runs[r];
        }
        runs[kept] = count;
        run_count = kept;
        CairnColumnEntry *swap = from;
        from = to;
        to = swap;
    }
    if (from != entries) {
        memcpy(entries, from, (size_t)count * sizeof *entries);
    }
}

void cairn_layer_free(CairnBoxLayer *layer, const CairnAllocator *allocator) {
    if (layer->entries != NULL && layer->entry_capacity > 0) {
        cairn_memory_release(allocator, layer->entries, (size_t)layer->entry_capacity, sizeof *layer->entries);
    }
    if (layer->starts != NULL) {
        cairn_memory_release(allocator, layer->starts, (size_t)layer->start_capacity, sizeof *layer->starts);
    }
    *layer = (CairnBoxLayer){0};
}
