// What there is in this call: which axis to sweep, which boxes move, how large they are, and what changed since the
// last one.
#include "collision/broad/broad.h"
#include "engine/base/pieces.h"
#include <string.h>

enum { SAMPLE = 1024 };

// Twice the exponent, and one more from 1.5 of it on: 0 ... CAIRN_BROAD_SIZES - 1.
static inline int size_of_extent(double extent) {
    uint64_t bits;
    memcpy(&bits, &extent, sizeof bits);
    int size = (int)(bits >> 51) - 2 * (1023 - CAIRN_BROAD_MAX_EXPONENT - 1);
    return extent <= 0 || size < 0 ? 0 : size < CAIRN_BROAD_SIZES ? size : CAIRN_BROAD_SIZES - 1;
}

static inline bool is_bounded(const CairnAabb *box) {
    const double most = (double)((int64_t)1 << CAIRN_BROAD_MAX_EXPONENT), far = 1e300;
    return box->high.x - box->low.x < most && box->high.y - box->low.y < most && box->high.z - box->low.z < most &&
           fabs(box->low.x) < far && fabs(box->low.y) < far && fabs(box->low.z) < far;
}

// The axis along which the centres of a sample spread most, and how far they do. Another one takes over only when it is
// clearly better, for it costs a new sort.
static void choose_axis(CairnBroadCall *call) {
    int seen = 0, stride = call->count / SAMPLE + 1;
    double sum[3] = {0, 0, 0}, squares[3] = {0, 0, 0}, first[3] = {0, 0, 0};
    for (int i = 0; i < call->count; i += stride) {
        const CairnAabb *box = &call->given[i];
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
        double mean = sum[axis] / cairn_max(seen, 1);
        call->spread[axis] = sqrt(cairn_max(squares[axis] / cairn_max(seen, 1) - mean * mean, 0));
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

static void classify_box(const CairnBroadCall *call, CairnCensus *census, int i) {
    CairnBroadState *s = call->state;
    const CairnAabb *box = &call->boxes[i];
    cairn_kept_remember(call, i);
    int was = i < s->slot_count ? s->classes[i] : CAIRN_CLASS_ABSENT, now = CAIRN_CLASS_ABSENT;
    if (call->kinds[i] != CAIRN_BOX_ABSENT) {
        now = !is_bounded(box)                    ? CAIRN_CLASS_UNBOUNDED
              : call->kinds[i] == CAIRN_BOX_FIXED ? CAIRN_CLASS_FIXED
                                                  : CAIRN_CLASS_MOVING;
    }
    s->classes[i] = (uint8_t)now;
    census->has_changed_moving |= (was == CAIRN_CLASS_MOVING) != (now == CAIRN_CLASS_MOVING);
    census->unbounded_count += now == CAIRN_CLASS_UNBOUNDED;
    if (now == CAIRN_CLASS_FIXED) {
        bool is_same = was == CAIRN_CLASS_FIXED && s->fixed_owners[i] == call->owners[i] &&
                       memcmp(&s->fixed_boxes[i], box, sizeof *box) == 0;
        census->has_changed_fixed |= !is_same;
        s->fixed_boxes[i] = *box;
        s->fixed_owners[i] = call->owners[i];
    } else {
        census->has_changed_fixed |= was == CAIRN_CLASS_FIXED;
    }
    if (now == CAIRN_CLASS_MOVING || now == CAIRN_CLASS_FIXED) {
        int y = (s->axis + 1) % 3, z = (s->axis + 2) % 3;
        int size_y = size_of_extent(cairn_component(box->high, y) - cairn_component(box->low, y));
        int size_z = size_of_extent(cairn_component(box->high, z) - cairn_component(box->low, z));
        int size = size_y > size_z ? size_y : size_z;
        s->size_of[i] = (uint8_t)size;
        ++census->count[size];
        census->moving[size] += now == CAIRN_CLASS_MOVING;
        census->y[size] += cairn_middle_of_size(size_y);
        census->z[size] += cairn_middle_of_size(size_z);
    }
}

typedef struct Counting {
    CairnBroadCall *call;
    CairnCensus *censuses;
    int workers;
} Counting;

static void count_piece(void *context, int w, int worker) {
    const Counting *c = context;
    int end = cairn_range_begin(c->call->count, w + 1, c->workers);
    (void)worker;
    for (int i = cairn_range_begin(c->call->count, w, c->workers); i < end; ++i) {
        classify_box(c->call, &c->censuses[w], i);
    }
}

static bool classify(CairnBroadCall *call) {
    int workers = call->threads > 1 && call->count > 4096 ? call->threads : 1;
    CairnArenaMark mark = cairn_arena_mark(call->arena);
    CairnCensus *censuses = CAIRN_PUSH_ZERO(call->arena, CairnCensus, workers);
    if (censuses == NULL) {
        return false;
    }
    Counting counting = {call, censuses, workers};
    cairn_pieces_run(workers, workers, count_piece, &counting);
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

// Bring the orders up to date: boxes that no longer exist are removed, and new ones are appended.
static bool update_orders(CairnBroadCall *call) {
    CairnBroadState *s = call->state;
    int was_count = s->slot_count;
    s->slot_count = call->count;
    for (int i = call->count; i < was_count; ++i) {
        call->census.has_changed_moving |= s->classes[i] == CAIRN_CLASS_MOVING;
        call->census.has_changed_fixed |= s->classes[i] == CAIRN_CLASS_FIXED;
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
            if (i < call->count && s->classes[i] == CAIRN_CLASS_MOVING) {
                s->order[kept++] = i;
                is_listed[i] = 1;
            }
        }
        s->order_count = kept;
        for (int i = 0; i < call->count; ++i) {
            if (s->classes[i] == CAIRN_CLASS_MOVING && !is_listed[i]) {
                s->order[s->order_count++] = i;
            }
        }
        cairn_arena_release(call->arena, mark);
    }
    if (call->census.has_changed_fixed) {
        s->is_fixed_ready = false;
        s->fixed_count = 0;
        for (int i = 0; i < call->count; ++i) {
            if (s->classes[i] == CAIRN_CLASS_FIXED) {
                s->fixed_order[s->fixed_count++] = i;
            }
        }
    }
    return true;
}

bool cairn_broad_classify(CairnBroadCall *call) {
    choose_axis(call);
    return classify(call) && update_orders(call);
}
