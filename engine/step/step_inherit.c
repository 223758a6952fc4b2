// Inherit: what contacts bore in the last step goes to those that take their place.
//
// A contact keeps its impulses for as long as the same features touch. Where a box slides over tiles or triangles its
// features change from step to step, though it bears on the same places: then a contact that is gone leaves its
// impulses to the nearest one that is there now, between the same two bodies (all fixed ones count as one) and with a
// normal near its own. A contact without a record becomes its heir with all that the record says; one that has a record
// gets the load on top of its own. So the loads from which box friction is bounded (step_contacts.c) keep their sum,
// and a contact that appears in a patch that bore a load before is no first touch, whose load is guessed: it would be
// counted twice.
//
// Places move: the one of an old contact is where either of its bodies has taken it since.
#include "engine/step/step_narrow.h"
#include <string.h>

// Normals within this cosine belong to one patch.
static const double like = 0.9;

// Which patches a contact may inherit from: the dynamic body that they belong to (the lower of two), the other one (-1:
// fixed), and the normal into the former.
typedef struct Patch {
    int body, other, shape;
    CairnVec3 normal;
} Patch;

typedef struct Heritage {
    CairnStep *step;
    const CairnNarrow *narrow;
    CairnStepContact *contacts;
    int count;
    bool *is_used;     // record, by a contact of this step
    int *first, *next; // contacts of each body, in their order
    bool *is_changing; // body: some contact of it came or went
} Heritage;

static bool is_fixed(const CairnStep *step, int body) {
    return step->block_of[body] < 0 && step->store->bodies[body].type == CAIRN_BODY_STATIC;
}

// False: no body of the pair is awake and dynamic.
static bool patch_of(const CairnStep *step, int shape_a, int shape_b, CairnVec3 normal, Patch *patch) {
    const CairnShape *shapes = step->store->shapes;
    int a = shapes[shape_a].body, b = shapes[shape_b].body;
    bool has_a = step->block_of[a] >= 0, has_b = step->block_of[b] >= 0;
    bool is_a = has_a && (!has_b || a < b);
    int other = is_a ? b : a;
    *patch = (Patch){is_a ? a : b, is_fixed(step, other) ? -1 : other, is_a ? shape_a : shape_b,
                     is_a ? cairn_neg(normal) : normal};
    return has_a || has_b;
}

static bool is_same_patch(const Patch *p, const Patch *q) {
    return p->body == q->body && p->other == q->other && cairn_dot(p->normal, q->normal) > like;
}

static CairnVec3 place_of(const CairnStep *step, const CairnStepContact *c) {
    bool is_a = step->block_of[c->body_a] >= 0;
    return cairn_add(step->store->bodies[is_a ? c->body_a : c->body_b].center, c->frame.arm[is_a ? 0 : 1]);
}

// Where a body has taken a point of it since the beginning of the last step.
static CairnVec3 carried(const CairnStep *step, int body, CairnVec3 point) {
    const CairnBody *b = &step->store->bodies[body];
    double h = step->store->last_h;
    CairnVec3 arm = cairn_sub(point, cairn_add_scaled(b->center, -h, b->velocity));
    return cairn_add(b->center, cairn_rotate(cairn_quat_exp(cairn_scale(h, b->angular_velocity)), arm));
}

// ---- who is there ----

static bool is_orphan(const Heritage *f, int r, Patch *patch) {
    const CairnStep *step = f->step;
    const CairnContactRecord *record = &step->store->contacts[r];
    const CairnPool *pool = &step->store->shape_pool;
    return !f->is_used[r] && record->normal_impulse > 0 && record->shape_a < pool->count &&
           record->shape_b < pool->count && cairn_pool_is_alive(pool, record->shape_a) &&
           cairn_pool_is_alive(pool, record->shape_b) &&
           pool->slots[record->shape_a].generation == record->generation_a &&
           pool->slots[record->shape_b].generation == record->generation_b &&
           patch_of(step, record->shape_a, record->shape_b, record->normal, patch);
}

static bool bore(const Heritage *f, const CairnStepContact *c) {
    return c->record >= 0 && f->step->store->contacts[c->record].normal_impulse > 0;
}

static bool contact_patch(const Heritage *f, int i, Patch *patch) {
    const CairnStepContact *c = &f->contacts[i];
    return patch_of(f->step, c->shape_a, c->shape_b, c->frame.normal, patch);
}

// Lists the contacts of the bodies at which something changes. False: nothing does.
static bool gather(Heritage *f) {
    bool has_change = false;
    Patch patch;
    for (int i = 0; i < f->count; i++) {
        if (f->contacts[i].record >= 0) {
            f->is_used[f->contacts[i].record] = true;
        }
        if (!bore(f, &f->contacts[i]) && contact_patch(f, i, &patch)) {
            f->is_changing[patch.body] = has_change = true;
        }
    }
    for (int r = 0; r < f->step->store->contact_count; r++) {
        if (is_orphan(f, r, &patch)) {
            f->is_changing[patch.body] = has_change = true;
        }
    }
    for (int i = f->count - 1; i >= 0 && has_change; i--) {
        if (contact_patch(f, i, &patch) && f->is_changing[patch.body]) {
            f->next[i] = f->first[patch.body];
            f->first[patch.body] = i;
        }
    }
    return has_change;
}

// ---- who inherits ----

static int find_heir(const Heritage *f, const CairnContactRecord *record, const Patch *patch) {
    const CairnStep *step = f->step;
    const CairnShape *shapes = step->store->shapes;
    CairnVec3 places[2] = {carried(step, shapes[record->shape_a].body, record->point),
                           carried(step, shapes[record->shape_b].body, record->point)};
    double least = 2 * f->narrow->boxes->balls[patch->shape].radius;
    least *= least;
    int heir = -1;
    for (int i = f->first[patch->body]; i >= 0; i = f->next[i]) {
        Patch other;
        if (contact_patch(f, i, &other) && is_same_patch(patch, &other)) {
            CairnVec3 place = place_of(step, &f->contacts[i]);
            double squared = cairn_min(cairn_length_squared(cairn_sub(place, places[0])),
                                       cairn_length_squared(cairn_sub(place, places[1])));
            if (squared < least) {
                least = squared;
                heir = i;
            }
        }
    }
    return heir;
}

static void hand_over(Heritage *f) {
    for (int r = 0; r < f->step->store->contact_count; r++) {
        Patch patch;
        if (!is_orphan(f, r, &patch)) {
            continue;
        }
        int heir = find_heir(f, &f->step->store->contacts[r], &patch);
        if (heir >= 0 && f->contacts[heir].record < 0) {
            f->contacts[heir].record = r;
        } else if (heir >= 0) {
            f->contacts[heir].frozen += f->step->impulse_scale * f->step->store->contacts[r].load;
        }
    }
}

// Contacts of a patch that bore a load are no first touches.
static void mark_known(Heritage *f, int i) {
    Patch patch, other;
    if (bore(f, &f->contacts[i]) || !contact_patch(f, i, &patch)) {
        return;
    }
    for (int k = f->first[patch.body]; k >= 0; k = f->next[k]) {
        if (bore(f, &f->contacts[k]) && contact_patch(f, k, &other) && is_same_patch(&patch, &other)) {
            f->contacts[i].is_known = true;
            return;
        }
    }
}

void cairn_narrow_inherit(CairnStep *step, const CairnNarrow *narrow, CairnStepContacts *contacts) {
    const CairnStore *store = step->store;
    CairnArenaMark mark = cairn_arena_mark(step->arena);
    Heritage f = {.step = step, .narrow = narrow, .contacts = contacts->all, .count = contacts->count};
    int bodies = store->body_pool.count;
    if (store->contact_count == 0 || contacts->count == 0) {
        return;
    }
    f.is_used = cairn_step_push_zero(step, (size_t)store->contact_count, sizeof *f.is_used);
    f.is_changing = cairn_step_push_zero(step, (size_t)bodies, sizeof *f.is_changing);
    f.first = CAIRN_STEP_PUSH(step, int, bodies);
    f.next = CAIRN_STEP_PUSH(step, int, contacts->count);
    if (cairn_step_failed(step)) {
        return;
    }
    memset(f.first, -1, (size_t)bodies * sizeof *f.first); // all -1
    if (gather(&f)) {
        hand_over(&f);
        for (int i = 0; i < f.count; i++) {
            mark_known(&f, i);
        }
    }
    cairn_arena_release(step->arena, mark);
}
