// Copies of boxes into the columns they reach: a counting sort by column that keeps the order it is given, in parallel, with
// the same answer for any number of threads. The order of the last step leaves columns that are nearly sorted.
#include "collision/broad.h"
#include "engine/base/memory.h"
#include <math.h>
#include <string.h>

typedef struct Reach {
    int first[2], last[2]; // cells along y and z
} Reach;

// Rises with v. The origin lies in the middle of a cell, for what is built around it. Far cells are all one: there the numbers of
// cells end, and crowding costs time but no pairs.
static inline int cell_of(double v, double inverse) {
    const double limit = 1 << 30;
    double cell = floor(v * inverse + 0.5);
    return (int)(cell < -limit ? -limit : cell > limit ? limit : cell);
}

static inline Reach reach_of(const CairnAabb *box, const CairnColumns *columns, int axis) {
    int y = (axis + 1) % 3, z = (axis + 2) % 3;
    return (Reach){{cell_of(cairn_component(box->low, y), columns->inverse[0]),
                    cell_of(cairn_component(box->low, z), columns->inverse[1])},
                   {cell_of(cairn_component(box->high, y), columns->inverse[0]),
                    cell_of(cairn_component(box->high, z), columns->inverse[1])}};
}

static inline int column_of(const CairnColumns *columns, int y, int z) {
    unsigned mask_y = (1u << columns->bits[0]) - 1, mask_z = (1u << columns->bits[1]) - 1;
    return (int)(((unsigned)z & mask_z) << columns->bits[0] | ((unsigned)y & mask_y));
}

static inline bool takes(const CairnLayerSource *source, int i) {
    int level = source->level_of[source->size_of[i]];
    return source->and_finer ? level >= source->first_level : level == source->first_level;
}

static inline bool has_near(const CairnLayerSource *source, int column) {
    const CairnBoxLayer *a = source->near_a, *b = source->near_b;
    return a == NULL || cairn_copies_in(a, column) > 0 || cairn_copies_in(b, column) > 0;
}

// Boxes first ... end - 1 of the order: how many copies each column gets, and of how many boxes it is the first.
static void count_copies(const CairnLayerSource *source, const CairnColumns *columns, int first, int end, int *counts,
                         int *homes) {
    for (int k = first; k < end; ++k) {
        int i = source->order[k];
        if (!takes(source, i)) {
            continue;
        }
        Reach reach = reach_of(&source->boxes[i], columns, source->axis);
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

static void write_copies(const CairnLayerSource *source, const CairnColumns *columns, int first, int end, int *next,
                         CairnBoxCopy *copies) {
    int x = source->axis, y_axis = (x + 1) % 3, z_axis = (x + 2) % 3;
    for (int k = first; k < end; ++k) {
        int i = source->order[k];
        if (!takes(source, i)) {
            continue;
        }
        const CairnAabb *box = &source->boxes[i];
        Reach reach = reach_of(box, columns, x);
        CairnBoxCopy copy = {
            .low = {cairn_component(box->low, x), cairn_component(box->low, y_axis), cairn_component(box->low, z_axis)},
            .high = {cairn_component(box->high, x), cairn_component(box->high, y_axis),
                     cairn_component(box->high, z_axis)},
            .index = i,
            .owner = source->owners[i]};
        unsigned moves = source->kinds[i] == CAIRN_BOX_MOVING ? CAIRN_COPY_MOVES : 0;
        for (int z = reach.first[1]; z <= reach.last[1]; ++z) {
            for (int y = reach.first[0]; y <= reach.last[0]; ++y) {
                int column = column_of(columns, y, z);
                if (has_near(source, column)) {
                    copy.flags = moves | (y == reach.first[0] ? CAIRN_COPY_FIRST_Y : 0) |
                                 (z == reach.first[1] ? CAIRN_COPY_FIRST_Z : 0);
                    copies[next[column]++] = copy;
                }
            }
        }
    }
}

// Counts of each worker become the places where it begins in each column; returns how many copies there are.
static int place_workers(const CairnLayerSource *source, int *counts, int workers, int column_count, int *starts) {
    int at = 0;
    for (int c = 0; c < column_count; ++c) {
        starts[c] = at;
        bool is_wanted = has_near(source, c);
        for (int w = 0; w < workers; ++w) {
            int *cell = &counts[(ptrdiff_t)w * column_count + c];
            int count = is_wanted ? *cell : 0;
            *cell = at;
            at += count;
        }
    }
    starts[column_count] = at;
    return at;
}

static void place_homes(const int *counts, int workers, int column_count, int *homes) {
    int at = 0;
    for (int c = 0; c < column_count; ++c) {
        homes[c] = at;
        for (int w = 0; w < workers; ++w) {
            at += counts[(ptrdiff_t)w * column_count + c];
        }
    }
}

bool cairn_layer_build(CairnBoxLayer *layer, const CairnColumns *columns, const CairnLayerSource *source, int *homes) {
    int column_count = cairn_column_count(columns), count = source->order_count;
    int workers = source->thread_count > 1 && count > 512 ? source->thread_count : 1;
    CairnArenaMark mark = cairn_arena_mark(source->arena);
    size_t table = (size_t)workers * (size_t)column_count;
    int *counts = CAIRN_PUSH_ZERO(source->arena, int, table);
    int *home_counts = homes != NULL ? CAIRN_PUSH_ZERO(source->arena, int, table) : NULL;
    bool is_done = false;
    layer->copy_count = 0;
    if (counts == NULL || (homes != NULL && home_counts == NULL) ||
        !cairn_memory_reserve(source->allocator, &layer->starts, &layer->start_capacity, column_count + 1,
                              sizeof *layer->starts)) {
        goto done;
    }
#pragma omp parallel for num_threads(workers) if (workers > 1) schedule(static)
    for (int w = 0; w < workers; ++w) {
        int first = (int)((long)count * w / workers), end = (int)((long)count * (w + 1) / workers);
        ptrdiff_t at = (ptrdiff_t)w * column_count;
        count_copies(source, columns, first, end, counts + at, homes != NULL ? home_counts + at : NULL);
    }
    int copy_count = place_workers(source, counts, workers, column_count, layer->starts);
    if (homes != NULL) {
        place_homes(home_counts, workers, column_count, homes);
    }
    if (!cairn_memory_reserve(source->allocator, &layer->copies, &layer->copy_capacity, copy_count + 1,
                              sizeof *layer->copies)) {
        goto done;
    }
    layer->copy_count = copy_count;
#pragma omp parallel for num_threads(workers) if (workers > 1) schedule(static)
    for (int w = 0; w < workers; ++w) {
        int first = (int)((long)count * w / workers), end = (int)((long)count * (w + 1) / workers);
        write_copies(source, columns, first, end, counts + (ptrdiff_t)w * column_count, layer->copies);
    }
    is_done = true;
done:
    cairn_arena_release(source->arena, mark);
    return is_done;
}

// False when the copies were too far out of order; they are then partly sorted.
static bool insertion_sort(CairnBoxCopy *copies, int count) {
    long budget = 4L * count + 32;
    for (int i = 1; i < count; ++i) {
        double key = copies[i].low[0];
        if (copies[i - 1].low[0] <= key) {
            continue;
        }
        CairnBoxCopy copy = copies[i];
        int j = i;
        for (; j > 0 && copies[j - 1].low[0] > key; --j) {
            copies[j] = copies[j - 1];
        }
        copies[j] = copy;
        budget -= i - j;
        if (budget < 0) {
            return false;
        }
    }
    return true;
}

static void sift_down(CairnBoxCopy *copies, int root, int count) {
    CairnBoxCopy copy = copies[root];
    for (;;) {
        int child = 2 * root + 1;
        if (child >= count) {
            break;
        }
        if (child + 1 < count && copies[child + 1].low[0] > copies[child].low[0]) {
            ++child;
        }
        if (copies[child].low[0] <= copy.low[0]) {
            break;
        }
        copies[root] = copies[child];
        root = child;
    }
    copies[root] = copy;
}

static void heap_sort(CairnBoxCopy *copies, int count) {
    for (int root = count / 2 - 1; root >= 0; --root) {
        sift_down(copies, root, count);
    }
    for (int end = count - 1; end > 0; --end) {
        CairnBoxCopy largest = copies[0];
        copies[0] = copies[end];
        copies[end] = largest;
        sift_down(copies, 0, end);
    }
}

void cairn_layer_sort_column(CairnBoxLayer *layer, int column) {
    CairnBoxCopy *copies = layer->copies + layer->starts[column];
    int count = layer->starts[column + 1] - layer->starts[column];
    if (!insertion_sort(copies, count)) {
        heap_sort(copies, count);
    }
}

void cairn_layer_free(CairnBoxLayer *layer, const CairnAllocator *allocator) {
    if (layer->copies != NULL) {
        cairn_memory_release(allocator, layer->copies, (size_t)layer->copy_capacity, sizeof *layer->copies);
    }
    if (layer->starts != NULL) {
        cairn_memory_release(allocator, layer->starts, (size_t)layer->start_capacity, sizeof *layer->starts);
    }
    *layer = (CairnBoxLayer){0};
}
