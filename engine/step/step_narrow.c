// Narrow phase of a step: pairs -> contact points (step_narrow_find.c) with all that follows from the poses, and for
// each point the record of the last step for the same feature.
//
// Pairs are worked in pieces, whatever the number of threads. What is found lies close together until all is counted;
// then every piece writes its contacts from its own offset on. Contacts are in the order of the pairs, and so are the
// last step's records: both are read once, in step. Records of sleeping bodies stand behind the others, out of order;
// then a hash table finds them.
#include "engine/step/step_narrow.h"
#include "engine/base/hash.h"
#include "engine/base/pieces.h"
#include <limits.h>
#include <string.h>

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

CairnMaterial cairn_step_material(const CairnStep *step, const CairnStepContact *contact) {
    const CairnWorldDef *def = &step->world->def;
    const CairnShapeDef *a = &step->store->shapes[contact->shape_a].model->def,
                        *b = &step->store->shapes[contact->shape_b].model->def;
    return (CairnMaterial){
        .friction = mix(def->friction_mix, a->friction, b->friction),
        .restitution = mix(def->restitution_mix, a->restitution, b->restitution),
        // A lever arm is a property of the softer surface: the larger one counts.
        .rolling_friction = mix(CAIRN_MIX_MAX, a->rolling_friction, b->rolling_friction),
        .torsional_friction = mix(CAIRN_MIX_MAX, a->torsional_friction, b->torsional_friction),
    };
}

// An id that is the same for as long as both shapes exist and the same features touch.
static uint64_t pair_id(CairnPair pair, uint32_t generation_a, uint32_t generation_b) {
    uint64_t a = ((uint64_t)generation_a << 32) | (uint32_t)pair.a;
    uint64_t b = ((uint64_t)generation_b << 32) | (uint32_t)pair.b;
    return cairn_hash_combine(cairn_hash_mix(a), b);
}

static uint64_t contact_id(uint64_t pair, uint64_t feature) {
    return cairn_hash_combine(pair, feature);
}

CairnStepContact cairn_step_new_contact(const CairnStep *step, CairnPair pair, uint64_t feature) {
    const CairnSlot *slots = step->store->shape_pool.slots;
    uint64_t id = pair_id(pair, slots[pair.a].generation, slots[pair.b].generation);
    return (CairnStepContact){.id = contact_id(id, feature),
                              .shape_a = pair.a,
                              .shape_b = pair.b,
                              .body_a = step->store->shapes[pair.a].body,
                              .body_b = step->store->shapes[pair.b].body,
                              .record = -1};
}

// ---- finding ----

static void find_piece(void *context, int piece, int worker) {
    CairnNarrow *narrow = context;
    (void)worker;
    if (narrow->pieces[piece].count < 0) {
        cairn_narrow_find(narrow, &narrow->pieces[piece]);
    }
}

// Room for each piece: what it needed last time and some more. Where that was too little, those pieces run again.
// Returns how many points there are; found they are only where contacts have room for all of them.
static long find_all(CairnStep *step, CairnNarrow *narrow, int contact_capacity) {
    int *capacity = step->world->narrow_capacity, piece_count = narrow->piece_count;
    size_t room = 0;
    for (int k = 0; k < piece_count; k++) {
        room += (size_t)capacity[k];
    }
    CairnNarrowPoint *found = CAIRN_STEP_PUSH(step, CairnNarrowPoint, room);
    for (int k = 0; found != NULL && k < piece_count; k++) {
        narrow->pieces[k].found = found;
        narrow->pieces[k].capacity = capacity[k];
        narrow->pieces[k].count = -1; // to be found
        found += capacity[k];
    }
    if (cairn_step_failed(step)) {
        return 0;
    }
    cairn_pieces_run(step->threads, piece_count, find_piece, narrow);
    long total = 0;
    bool is_done = true;
    for (int k = 0; k < piece_count; k++) {
        int count = narrow->pieces[k].count;
        total += count;
        is_done = is_done && count <= capacity[k];
        capacity[k] = count <= capacity[k] ? capacity[k] : count < INT_MAX / 2 ? count + count / 4 + 64 : INT_MAX;
    }
    if (is_done || total > contact_capacity) {
        return total;
    }
    for (int k = 0; k < piece_count && !cairn_step_failed(step); k++) {
        CairnNarrowPiece *piece = &narrow->pieces[k];
        if (piece->count > piece->capacity) {
            piece->capacity = capacity[k];
            piece->found = CAIRN_STEP_PUSH(step, CairnNarrowPoint, piece->capacity);
            piece->count = -1; // to be found again
        }
    }
    if (!cairn_step_failed(step)) {
        cairn_pieces_run(step->threads, piece_count, find_piece, narrow);
    }
    return total;
}

// ---- records of the last step ----

static CairnPair pair_of(const CairnContactRecord *record) {
    return (CairnPair){record->shape_a, record->shape_b};
}

static bool records_are_sorted(const CairnStep *step) {
    if (step->world->has_ordered_records) {
        return true;
    }
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

static void fill_table(CairnStep *step, CairnNarrow *narrow) {
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

static int look_up(const CairnNarrow *narrow, uint64_t id) {
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
    return time > 0 ? cairn_add_scaled(side->center, time, cairn_step_free_velocity(step, side->body).linear)
                    : side->center;
}

static CairnVec3 velocity_at(const CairnStepSide *side, CairnVec3 arm) {
    return cairn_add(side->start.linear, cairn_cross(side->start.angular, arm));
}

// Pairs are in the order of their first shape: the second may lie anywhere.
static void fetch_side(const CairnNarrow *narrow, const CairnNarrowPiece *piece, int k) {
    if (k < piece->count) {
        const char *side = (const char *)&narrow->boxes->sides[narrow->pairs[piece->found[k].pair].b];
        __builtin_prefetch(side);
        __builtin_prefetch(side + 64);
    }
}

// Written field by field: the members that assemble sets lie behind these, and their lines of the cache are not
// touched.
static void fill_piece(void *context, int index, int worker) {
    const CairnNarrow *narrow = context;
    const CairnNarrowPiece *piece = &narrow->pieces[index];
    (void)worker;
    const CairnStep *step = narrow->step;
    const CairnStore *store = step->store;
    uint64_t id = 0;
    int record = 0;
    for (int k = 0; k < piece->count; k++) {
        const CairnNarrowPoint *found = &piece->found[k];
        CairnPair pair = narrow->pairs[found->pair];
        fetch_side(narrow, piece, k + 4);
        const CairnStepSide *a = &narrow->boxes->sides[pair.a], *b = &narrow->boxes->sides[pair.b];
        if (found->index == 0) {
            id = pair_id(pair, a->generation, b->generation);
            record = narrow->table == NULL ? seek(store, record, pair) : 0;
        }
        CairnStepContact *c = &narrow->contacts[piece->first_contact + k];
        c->id = contact_id(id, found->feature);
        c->shape_a = pair.a;
        c->shape_b = pair.b;
        c->body_a = a->body;
        c->body_b = b->body;
        c->frame.normal = found->normal;
        c->distance = found->distance;
        c->manifold_count = (uint8_t)found->count;
        c->manifold_index = (uint8_t)found->index;
        c->roll = piece->first_contact + k;
        c->is_predicted = c->is_joined = c->is_prepared = c->is_known = false;
        c->inherited = 0;
        c->company = 0;
        c->frame.arm[0] = cairn_sub(found->point, center_at(step, a, found->time));
        c->frame.arm[1] = cairn_sub(found->point, center_at(step, b, found->time));
        c->approach =
            cairn_dot(c->frame.normal, cairn_sub(velocity_at(b, c->frame.arm[1]), velocity_at(a, c->frame.arm[0])));
        c->record = narrow->table == NULL ? match(store, record, pair, c->id) : look_up(narrow, c->id);
    }
}

// Room for contacts that come later in the step too (step_predict.c).
static int room_for(int count) {
    return count < INT_MAX - count / 16 - 64 ? count + count / 16 + 64 : INT_MAX;
}

// Returns how many contacts there are.
static int fill_all(CairnNarrow *narrow) {
    int total = 0, piece_count = narrow->piece_count;
    for (int k = 0; k < piece_count; k++) {
        narrow->pieces[k].first_contact = total;
        total += narrow->pieces[k].count;
    }
    cairn_pieces_run(narrow->step->threads, piece_count, fill_piece, narrow);
    return total;
}

bool cairn_step_narrow(CairnStep *step, const CairnStepBoxes *boxes, const CairnPair *pairs, int pair_count,
                       CairnStepContacts *contacts) {
    CairnNarrow narrow = {
        .step = step, .contacts = contacts->all, .boxes = boxes, .pairs = pairs, .pair_count = pair_count};
    int wanted = pair_count / 256 + 1; // few pairs are not worth a second thread
    narrow.piece_count = wanted < CAIRN_NARROW_PIECES ? wanted : CAIRN_NARROW_PIECES;
    for (int k = 0; k < narrow.piece_count; k++) {
        narrow.pieces[k].first = (int)((long)pair_count * k / narrow.piece_count);
        narrow.pieces[k].end = (int)((long)pair_count * (k + 1) / narrow.piece_count);
    }
    long total = find_all(step, &narrow, contacts->capacity);
    if (total > INT_MAX) {
        step->status = cairn_error(CAIRN_OUT_OF_MEMORY, "step: more than %d contacts", INT_MAX);
    } else if (total > contacts->capacity) {
        step->world->contact_capacity = room_for((int)total);
        cairn_step_check_room(step, step->block_count, (int)total);
        return false;
    }
    if (!cairn_step_failed(step)) {
        cairn_narrow_remove_seams(step, &narrow);
    }
    if (!cairn_step_failed(step) && !records_are_sorted(step)) {
        fill_table(step, &narrow);
    }
    if (!cairn_step_failed(step)) {
        contacts->count = fill_all(&narrow);
        cairn_narrow_inherit(step, &narrow, contacts);
        step->world->contact_capacity = room_for(contacts->count);
    }
    return true;
}
