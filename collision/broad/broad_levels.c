// Boxes of like size are on one level, whose cells fit them: the levels of this call, and their columns filled.
#include "collision/broad/broad.h"
#include <string.h>

static double end_of_size(int size) {
    return ldexp(size % 2 == 0 ? 1.5 : 2.0, size / 2 - CAIRN_BROAD_MAX_EXPONENT - 1);
}

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

// Cells of about one and a half times the mean extent, in steps, so that they stay as they are while the mean hardly
// changes.
static CairnColumns columns_for(const CairnBroadCall *call, const CairnColumns *last, int first_size, int last_size) {
    double count = 0, sum[2] = {0, 0};
    for (int size = first_size; size <= last_size; ++size) {
        count += call->census.count[size];
        sum[0] += call->census.y[size];
        sum[1] += call->census.z[size];
    }
    CairnColumns columns = {.bits = {0, 0}};
    for (int side = 0; side < 2; ++side) {
        double wanted = cairn_max(1.5 * sum[side] / cairn_max(count, 1), 0.25 * end_of_size(last_size));
        bool keeps = last->cell[side] > 0.7 * wanted && last->cell[side] < 1.5 * wanted &&
                     last->cell[side] >= 0.25 * end_of_size(last_size);
        columns.cell[side] = keeps ? last->cell[side] : wanted;
        columns.inverse[side] = 1 / columns.cell[side];
        double reach = 4 * call->spread[(call->state->axis + 1 + side) % 3];
        columns.bits[side] = bits_for(reach / columns.cell[side], last->bits[side]);
    }
    while (columns.bits[0] + columns.bits[1] > 2 * CAIRN_BROAD_MIN_BITS &&
           1 << (columns.bits[0] + columns.bits[1]) > cairn_max(2 * count, 256)) {
        --columns.bits[columns.bits[0] >= columns.bits[1] ? 0 : 1];
    }
    return columns;
}

// From the largest size down, each level takes CAIRN_BROAD_LEVEL_SIZES sizes; the last one takes all remaining sizes.
static void make_levels(CairnBroadCall *call) {
    CairnBroadState *s = call->state;
    int8_t level_of[CAIRN_BROAD_SIZES];
    int level = 0, size = CAIRN_BROAD_SIZES - 1;
    memset(level_of, CAIRN_BROAD_LEVELS, sizeof level_of);
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

static void count_residents(CairnBroadCall *call) {
    CairnBroadState *s = call->state;
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

// The levels of the few largest boxes, where there are many others.
static void choose_large(CairnBroadCall *call) {
    CairnBroadState *s = call->state;
    int levels = 0, count = 0;
    for (int i = 0; i < s->level_count; ++i) {
        count += s->levels[i].moving_count + s->levels[i].fixed_count;
        levels = count <= CAIRN_BROAD_LARGE && i + 1 < s->level_count ? i + 1 : levels;
    }
    if (levels != s->large_levels) {
        s->large_levels = levels;
        s->is_fixed_ready = false;
    }
}

static CairnLayerSource source_of(const CairnBroadCall *call, const int *order, int order_count) {
    const CairnBroadState *s = call->state;
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

static bool sort_columns(const CairnBroadCall *call, CairnBoxLayer *layer, const CairnColumns *columns) {
    CairnArenaMark mark = cairn_arena_mark(call->arena);
    CairnColumnScratch *scratch = cairn_column_scratch(call->arena, 1, layer->largest);
    for (int c = 0; scratch != NULL && c < cairn_column_count(columns); ++c) {
        cairn_column_sort(layer, c, scratch);
    }
    cairn_arena_release(call->arena, mark);
    return scratch != NULL;
}

static bool build_fixed(const CairnBroadCall *call) {
    CairnBroadState *s = call->state;
    CairnLayerSource source = source_of(call, s->fixed_order, s->fixed_count);
    for (int i = 0, finer = s->fixed_count; i < s->level_count; ++i) {
        CairnBroadLevel *level = &s->levels[i];
        source.first_level = i;
        source.and_finer = false;
        finer -= level->fixed_count;
        level->fixed.count = level->fixed_visitors.count = 0;
        level->has_fixed_visitors = level->moving_count > 0; // without larger boxes that move, nothing reads them
        if (i < s->large_levels) {
            continue;
        }
        if (level->fixed_count > 0 && !cairn_layer_build(&level->fixed, &level->columns, &source, NULL)) {
            return false;
        }
        source.first_level = i + 1;
        source.and_finer = true;
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
static bool build_moving(const CairnBroadCall *call, int **homes) {
    CairnBroadState *s = call->state;
    CairnLayerSource source = source_of(call, s->order, s->order_count);
    source.is_for_call = true;
    for (int i = 0, finer = s->order_count; i < s->level_count; ++i) {
        CairnBroadLevel *level = &s->levels[i];
        finer -= level->moving_count;
        level->moving.count = level->moving_visitors.count = 0;
        if (i < s->large_levels) {
            continue;
        }
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

bool cairn_broad_fill(CairnBroadCall *call, int **homes) {
    make_levels(call);
    count_residents(call);
    choose_large(call);
    return (call->state->is_fixed_ready || build_fixed(call)) && build_moving(call, homes);
}
