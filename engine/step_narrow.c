// Narrow phase of a step: pairs -> contact points with all that follows from the poses, and for each the record that the last step
// kept of the same feature.
//
// Pairs are worked in pieces, whatever the number of threads. What is found lies close together until all is counted; then every
// piece writes its contacts in their places. Contacts are in the order of the pairs, and so are the last step's records: both are
// read along once. Records of sleeping bodies stand behind the others, out of order; then a hash table finds them.
#include "collision/sweep.h"
#include "engine/base/hash.h"
#include "engine/step.h"
#include <limits.h>
#include <string.h>

// A contact point, before there is a contact for it.
typedef struct Found {
    CairnVec3 normal, point;
    double distance;
    double time;      // into the step, at which the bodies are where the contact is: 0, or later for fast ones (sweep)
    uint64_t feature; // with the part of the mesh
    int pair, count, place;
} Found;

typedef struct Piece {
    int first, end; // pairs
    Found *found;
    int count, capacity; // more than `capacity` are counted, not kept
    int first_contact;
} Piece;

typedef struct Narrow {
    CairnStep *step;
    const CairnStepBoxes *boxes;
    const CairnPair *pairs;
    int pair_count, piece_count;
    Piece pieces[CAIRN_NARROW_PIECES];
    int *table; // of records by id, where they are out of order; else NULL
    size_t table_size;
} Narrow;

static double mix(CairnMix rule, double a, double b) {
    switch (rule) {
    case CAIRN_MIX_GEOMETRIC:
        return sqrt(a * b);
    case CAIRN_MIX_AVERAGE:
        return 0.5 * (a + b);
    case CAIRN_MIX_MIN:
        return a < b ? a : b;
    case CAIRN_MIX_MAX:
        return a > b ? a : b;
    case CAIRN_MIX_MULTIPLY:
        return a * b;
    }
    return 0;
}

static CairnMaterial mix_materials(const CairnWorldDef *def, const CairnMaterial *a, const CairnMaterial *b) {
    return (CairnMaterial){
        .friction = mix(def->friction_mix, a->friction, b->friction),
        .restitution = mix(def->restitution_mix, a->restitution, b->restitution),
        // A lever arm is a property of the softer surface: the larger one holds.
        .rolling_friction = mix(CAIRN_MIX_MAX, a->rolling_friction, b->rolling_friction),
        .torsional_friction = mix(CAIRN_MIX_MAX, a->torsional_friction, b->torsional_friction),
    };
}

// The same for as long as both shapes live and the same features touch.
static uint64_t pair_id(const CairnStore *store, CairnPair pair) {
    uint64_t a = ((uint64_t)store->shape_pool.slots[pair.a].generation << 32) | (uint32_t)pair.a;
    uint64_t b = ((uint64_t)store->shape_pool.slots[pair.b].generation << 32) | (uint32_t)pair.b;
    return cairn_hash_combine(cairn_hash_mix(a), b);
}

static uint64_t contact_id(uint64_t pair, uint64_t feature) {
    return cairn_hash_combine(pair, feature);
}

CairnStepContact cairn_step_new_contact(const CairnStep *step, CairnPair pair, uint64_t feature) {
    const CairnStepSide *a = &step->boxes.sides[pair.a], *b = &step->boxes.sides[pair.b];
    return (CairnStepContact){.id = contact_id(pair_id(step->store, pair), feature),
                              .shape_a = pair.a,
                              .shape_b = pair.b,
                              .body_a = a->body,
                              .body_b = b->body,
                              .record = -1,
                              .material = mix_materials(&step->world->def, &a->material, &b->material)};
}

// ---- finding ----

static CairnVec6 free_velocity(const CairnStep *step, int body) {
    int block = cairn_step_block(step, body);
    return block >= 0 ? step->blocks[block].free : cairn_step_start(step, body);
}

static CairnMotion motion_of(const Narrow *narrow, int shape) {
    const CairnStore *store = narrow->step->store;
    const CairnShape *s = &store->shapes[shape];
    const CairnBody *body = &store->bodies[s->body];
    CairnVec6 v = free_velocity(narrow->step, s->body);
    double reach = body->type == CAIRN_STATIC ? 0 : s->reach;
    return (CairnMotion){narrow->boxes->poses[shape], body->center, v.linear, v.angular, reach};
}

// The share of the contact margin within which fast bodies count as touching.
#define TOUCH 0.1

// Fast bodies that are apart: the manifold is the one of where they will meet, for the nearest features of now may not be those,
// or there may be no meeting. Answers the time of it.
static int sweep(const Narrow *narrow, CairnPair pair, double touch, double margin, CairnManifold *parts,
                 double *time) {
    const CairnShape *shapes = narrow->step->store->shapes;
    const CairnGeometry *a = &shapes[pair.a].geometry, *b = &shapes[pair.b].geometry;
    CairnMotion motion_a = motion_of(narrow, pair.a), motion_b = motion_of(narrow, pair.b);
    if (!cairn_sweep(a, &motion_a, b, &motion_b, narrow->step->h, touch, time)) {
        return 0;
    }
    int count = cairn_narrow_parts(a, cairn_motion_pose(&motion_a, *time), b, cairn_motion_pose(&motion_b, *time),
                                   margin, parts);
    // Distances as of now: what is left at the meeting and what closes until then, at the speed that the row will see.
    for (int n = 0; n < count; n++) {
        for (int k = 0; k < parts[n].count; k++) {
            CairnManifoldPoint *point = &parts[n].points[k];
            CairnVec3 arm_a = cairn_sub(point->point, cairn_add_scaled(motion_a.center, *time, motion_a.linear));
            CairnVec3 arm_b = cairn_sub(point->point, cairn_add_scaled(motion_b.center, *time, motion_b.linear));
            CairnVec3 slip = cairn_sub(cairn_add(motion_b.linear, cairn_cross(motion_b.angular, arm_b)),
                                       cairn_add(motion_a.linear, cairn_cross(motion_a.angular, arm_a)));
            // A corner that moves away meanwhile was no overlap before.
            point->distance =
                cairn_max(point->distance - *time * cairn_dot(parts[n].normal, slip), cairn_min(point->distance, 0));
        }
    }
    return count;
}

static bool are_touching(const CairnManifold *parts, int count, double touch) {
    for (int n = 0; n < count; n++) {
        for (int k = 0; k < parts[n].count; k++) {
            if (parts[n].points[k].distance < touch) {
                return true;
            }
        }
    }
    return false;
}

// Along one axis: where the broad phase saw a box, how far it goes and how far it was grown besides.
typedef struct Range {
    double low, high, travel, grown;
} Range;

static bool ranges_meet(Range a, Range b, double slack) {
    double travel = b.travel - a.travel;
    double low_a = a.low - cairn_min(a.travel, 0) + a.grown, high_a = a.high - cairn_max(a.travel, 0) - a.grown;
    double low_b = b.low - cairn_min(b.travel, 0) + b.grown, high_b = b.high - cairn_max(b.travel, 0) - b.grown;
    return low_b + cairn_min(travel, 0) <= high_a + slack && low_a <= high_b + cairn_max(travel, 0) + slack;
}

// The broad phase finds what comes near the same place within the step. As A sees it, B's box goes one way: mostly past, and what
// falls together does not move at all.
static bool may_meet(const CairnStepBoxes *boxes, CairnPair pair, double margin) {
    const CairnAabb *a = &boxes->boxes[pair.a], *b = &boxes->boxes[pair.b];
    const CairnStepSide *side_a = &boxes->sides[pair.a], *side_b = &boxes->sides[pair.b];
    CairnVec3 to_a = side_a->travel, to_b = side_b->travel;
    double in_a = 0.5 * margin + side_a->turning, in_b = 0.5 * margin + side_b->turning, slack = in_a + in_b;
    return ranges_meet((Range){a->low.x, a->high.x, to_a.x, in_a}, (Range){b->low.x, b->high.x, to_b.x, in_b}, slack) &&
           ranges_meet((Range){a->low.y, a->high.y, to_a.y, in_a}, (Range){b->low.y, b->high.y, to_b.y, in_b}, slack) &&
           ranges_meet((Range){a->low.z, a->high.z, to_a.z, in_a}, (Range){b->low.z, b->high.z, to_b.z, in_b}, slack);
}

// Slow bodies: what is nearer than the margin and the motion of the step. Fast ones alike while they touch; apart, by a sweep.
static int find_manifolds(const Narrow *narrow, CairnPair pair, CairnManifold parts[CAIRN_MANIFOLDS], double *time) {
    const CairnStepBoxes *boxes = narrow->boxes;
    const CairnShape *shapes = narrow->step->store->shapes;
    const CairnGeometry *a = &shapes[pair.a].geometry, *b = &shapes[pair.b].geometry;
    double margin = narrow->step->world->def.contact_margin, touch = TOUCH * margin;
    const CairnStepSide *side_a = &boxes->sides[pair.a], *side_b = &boxes->sides[pair.b];
    CairnVec3 travel = cairn_sub(side_b->travel, side_a->travel);
    double turning = side_a->turning + side_b->turning, motion = cairn_length(travel) + turning;
    *time = 0;
    if (!may_meet(boxes, pair, margin)) {
        return 0;
    }
    int count = cairn_narrow_parts(a, boxes->poses[pair.a], b, boxes->poses[pair.b], margin + motion, parts);
    bool is_mesh = a->type == CAIRN_MESH || b->type == CAIRN_MESH; // what is nearest now need not be what is met
    if (motion <= margin || (count == 0 && !is_mesh) || !cairn_can_sweep(a, b) || are_touching(parts, count, touch)) {
        return count;
    }
    return sweep(narrow, pair, touch, margin, parts, time);
}

static void keep_points(Piece *piece, int pair, double time, const CairnManifold *manifold) {
    for (int k = 0; k < manifold->count; k++) {
        const CairnManifoldPoint *point = &manifold->points[k];
        if (piece->count < piece->capacity) {
            uint64_t feature = (uint64_t)manifold->part << 32 | point->feature;
            piece->found[piece->count] =
                (Found){manifold->normal, point->point, point->distance, time, feature, pair, manifold->count, k};
        }
        piece->count++;
    }
}

static void find_points(const Narrow *narrow, Piece *piece) {
    const CairnStore *store = narrow->step->store;
    CairnManifold parts[CAIRN_MANIFOLDS];
    piece->count = 0;
    for (int p = piece->first; p < piece->end; p++) {
        const CairnStepSide *sides = narrow->boxes->sides;
        if (cairn_step_may_touch(store, &sides[narrow->pairs[p].a], &sides[narrow->pairs[p].b])) {
            double time;
            int count = find_manifolds(narrow, narrow->pairs[p], parts, &time);
            for (int k = 0; k < count; k++) {
                keep_points(piece, p, time, &parts[k]);
            }
        }
    }
}

// Room for each piece: what it needed last time and some more. Where that was too little, those pieces run again.
static void find_all(CairnStep *step, Narrow *narrow) {
    int *capacity = step->world->narrow_capacity, piece_count = narrow->piece_count;
    size_t total = 0;
    for (int k = 0; k < piece_count; k++) {
        total += (size_t)capacity[k];
    }
    Found *found = CAIRN_STEP_PUSH(step, Found, total);
    for (int k = 0; found != NULL && k < piece_count; k++) {
        narrow->pieces[k].found = found;
        narrow->pieces[k].capacity = capacity[k];
        found += capacity[k];
    }
    if (cairn_step_failed(step)) {
        return;
    }
#pragma omp parallel for num_threads(step->threads) if (step->threads > 1 && piece_count > 1) schedule(dynamic, 1)
    for (int k = 0; k < piece_count; k++) {
        find_points(narrow, &narrow->pieces[k]);
    }
    for (int k = 0; k < piece_count && !cairn_step_failed(step); k++) {
        Piece *piece = &narrow->pieces[k];
        if (piece->count > piece->capacity) {
            capacity[k] = piece->capacity = piece->count < INT_MAX / 2 ? piece->count + piece->count / 4 + 64 : INT_MAX;
            piece->found = CAIRN_STEP_PUSH(step, Found, piece->capacity);
            piece->count = -1; // to be found again
        }
    }
    if (cairn_step_failed(step)) {
        return;
    }
#pragma omp parallel for num_threads(step->threads) if (step->threads > 1 && piece_count > 1) schedule(dynamic, 1)
    for (int k = 0; k < piece_count; k++) {
        if (narrow->pieces[k].count < 0) {
            find_points(narrow, &narrow->pieces[k]);
        }
    }
}

// ---- records of the last step ----

static CairnPair pair_of(const CairnContactRecord *record) {
    return (CairnPair){record->shape_a, record->shape_b};
}

static bool records_are_sorted(const CairnStep *step) {
    const CairnContactRecord *records = step->store->contacts;
    int count = step->store->contact_count, breaks = 0;
#pragma omp parallel for num_threads(step->threads) if (step->threads > 1 && count > 2048) schedule(static)            \
    reduction(+ : breaks)
    for (int r = 1; r < count; r++) {
        const CairnContactRecord *last = &records[r - 1], *next = &records[r];
        breaks += cairn_pair_compare(pair_of(last), pair_of(next)) > 0;
    }
    return breaks == 0;
}

static void fill_table(CairnStep *step, Narrow *narrow) {
    const CairnStore *store = step->store;
    size_t size = 16;
    while (size < 2 * (size_t)store->contact_count) {
        size *= 2;
    }
    int *table = CAIRN_STEP_PUSH(step, int, size);
    if (table == NULL) {
        return;
    }
    memset(table, -1, size * sizeof *table); // all -1
    for (int r = 0; r < store->contact_count; r++) {
        size_t slot = (size_t)store->contacts[r].id & (size - 1);
        while (table[slot] >= 0) {
            slot = (slot + 1) & (size - 1);
        }
        table[slot] = r;
    }
    narrow->table = table;
    narrow->table_size = size;
}

static int look_up(const Narrow *narrow, uint64_t id) {
    const CairnContactRecord *records = narrow->step->store->contacts;
    size_t mask = narrow->table_size - 1, slot = (size_t)id & mask;
    while (narrow->table[slot] >= 0 && records[narrow->table[slot]].id != id) {
        slot = (slot + 1) & mask;
    }
    return narrow->table[slot];
}

// The first record of this pair or of one after it, from `from` on: near in the same piece, far at its beginning.
static int seek(const CairnStore *store, int from, CairnPair pair) {
    int low = from, step = 1, high = from;
    const CairnContactRecord *records = store->contacts;
    while (high < store->contact_count && cairn_pair_compare(pair_of(&records[high]), pair) < 0) {
        low = high + 1;
        high = high < INT_MAX - step ? high + step : INT_MAX;
        step = step < INT_MAX / 2 ? 2 * step : step;
    }
    high = high < store->contact_count ? high : store->contact_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        bool is_before = cairn_pair_compare(pair_of(&records[middle]), pair) < 0;
        low = is_before ? middle + 1 : low;
        high = is_before ? high : middle;
    }
    return low;
}

static int match(const CairnStore *store, int from, CairnPair pair, uint64_t id) {
    for (int r = from; r < store->contact_count; r++) {
        const CairnContactRecord *record = &store->contacts[r];
        if (record->shape_a != pair.a || record->shape_b != pair.b) {
            return -1;
        }
        if (record->id == id) {
            return r;
        }
    }
    return -1;
}

// ---- contacts ----

static CairnVec3 center_at(const CairnStep *step, const CairnStepSide *side, double time) {
    return time > 0 ? cairn_add_scaled(side->center, time, free_velocity(step, side->body).linear) : side->center;
}

static CairnVec3 velocity_at(const CairnStepSide *side, CairnVec3 arm) {
    return cairn_add(side->start.linear, cairn_cross(side->start.angular, arm));
}

static void fill_piece(const Narrow *narrow, const Piece *piece) {
    const CairnStep *step = narrow->step;
    const CairnStore *store = step->store;
    CairnMaterial material = {0};
    uint64_t id = 0;
    int record = 0;
    for (int k = 0; k < piece->count; k++) {
        const Found *found = &piece->found[k];
        CairnPair pair = narrow->pairs[found->pair];
        const CairnStepSide *a = &narrow->boxes->sides[pair.a], *b = &narrow->boxes->sides[pair.b];
        if (found->place == 0) {
            material = mix_materials(&step->world->def, &a->material, &b->material);
            id = pair_id(store, pair);
            record = narrow->table == NULL ? seek(store, record, pair) : 0;
        }
        CairnStepContact *c = &step->contacts[piece->first_contact + k];
        *c = (CairnStepContact){.id = contact_id(id, found->feature),
                                .shape_a = pair.a,
                                .shape_b = pair.b,
                                .body_a = a->body,
                                .body_b = b->body,
                                .point = found->point,
                                .normal = found->normal,
                                .distance = found->distance,
                                .material = material,
                                .manifold_count = found->count,
                                .manifold_place = found->place};
        c->arm_a = cairn_sub(c->point, center_at(step, a, found->time));
        c->arm_b = cairn_sub(c->point, center_at(step, b, found->time));
        c->approach = cairn_dot(c->normal, cairn_sub(velocity_at(b, c->arm_b), velocity_at(a, c->arm_a)));
        c->record = narrow->table == NULL ? match(store, record, pair, c->id) : look_up(narrow, c->id);
    }
}

// Room for contacts that come later in the step too (step_foresee.c).
static int room_for(int count) {
    return count < INT_MAX - count / 16 - 64 ? count + count / 16 + 64 : INT_MAX;
}

static void make_room(CairnStep *step, int capacity) {
    step->contacts = CAIRN_STEP_PUSH(step, CairnStepContact, capacity);
    step->contact_capacity = step->contacts != NULL ? capacity : 0;
}

static void fill_all(CairnStep *step, Narrow *narrow) {
    long total = 0;
    for (int k = 0; k < narrow->piece_count; k++) {
        narrow->pieces[k].first_contact = (int)total;
        total += narrow->pieces[k].count;
        if (total > INT_MAX) {
            step->status = cairn_error(CAIRN_OUT_OF_MEMORY, "step: more than %d contacts", INT_MAX);
            return;
        }
    }
    if (total > step->contact_capacity) {
        make_room(step, room_for((int)total));
    }
    if (cairn_step_failed(step)) {
        return;
    }
    step->contact_count = (int)total;
    int piece_count = narrow->piece_count;
#pragma omp parallel for num_threads(step->threads) if (step->threads > 1 && piece_count > 1) schedule(dynamic, 1)
    for (int k = 0; k < piece_count; k++) {
        fill_piece(narrow, &narrow->pieces[k]);
    }
}

void cairn_step_narrow(CairnStep *step, const CairnStepBoxes *boxes, const CairnPair *pairs, int pair_count) {
    Narrow narrow = {.step = step, .boxes = boxes, .pairs = pairs, .pair_count = pair_count};
    int wanted = pair_count / 256 + 1; // few pairs are not worth a second thread
    narrow.piece_count = wanted < CAIRN_NARROW_PIECES ? wanted : CAIRN_NARROW_PIECES;
    for (int k = 0; k < narrow.piece_count; k++) {
        narrow.pieces[k].first = (int)((long)pair_count * k / narrow.piece_count);
        narrow.pieces[k].end = (int)((long)pair_count * (k + 1) / narrow.piece_count);
    }
    // Room for as many contacts as there were last time comes first: all that is only for finding them lies above it, and is free
    // again in the end.
    make_room(step, step->world->contact_capacity);
    if (cairn_step_failed(step)) {
        return;
    }
    int expected = step->contact_capacity;
    CairnArenaMark mark = cairn_arena_mark(step->arena);
    find_all(step, &narrow);
    if (!cairn_step_failed(step) && !records_are_sorted(step)) {
        fill_table(step, &narrow);
    }
    if (!cairn_step_failed(step)) {
        fill_all(step, &narrow);
    }
    if (cairn_step_failed(step)) {
        return;
    }
    if (step->contact_capacity == expected) {
        cairn_arena_release(step->arena, mark);
    } else {
        size_t bytes = (size_t)step->contact_capacity * sizeof *step->contacts;
        step->contacts = cairn_arena_keep(step->arena, mark, step->contacts, bytes);
    }
    step->world->contact_capacity = room_for(step->contact_count);
}
