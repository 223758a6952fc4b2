// Inherit: what contacts bore in the last step goes to those that take their place.
//
// A contact keeps its impulses for as long as the same features touch. Where a box slides over tiles or triangles its
// features change from step to step, though it bears on the same places: then a contact that is gone leaves its
// impulses to the nearest one that is there now and belongs to the same patch: it acts between the same two bodies (all
// fixed ones count as one) with a normal near its own, or on one of these bodies in the same plane, where a neighbour
// of the other one continues it. A contact without a record becomes its heir with all that the record says; one that
// has a record gets the load on top of its own. So the loads from which box friction is bounded (step_contacts.c) keep
// their sum, and a contact that appears in a patch that bore a load before is no first touch, whose load is guessed: it
// would be counted twice.
//
// Places move: the one of an old contact is where either of its bodies has taken it since.
#include "engine/step/step_narrow.h"
#include <string.h>

// Normals within this cosine belong to one patch of two bodies, and within the second one to one plane.
static const double like = 0.9, coplanar = 0.9995;
// A body with more contacts than this is asked last: a tank of grains has as many as there are grains, and each grain a
// few.
enum { MANY = 64 };
// Places in one plane are off it by no more than this fraction of the shape's radius.
static const double flush = 1e-3;

// Which patch of a body a contact belongs to: the body, the other one (-1: fixed), and the normal into the former.
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
    int *first, *next; // contacts of each body, in their order: 2 i + side of contact i
    int *counts;       // of the contacts in a body's list
} Heritage;

static bool is_fixed(const CairnStep *step, int body) {
    return step->block_of[body] < 0 && step->store->bodies[body].type == CAIRN_BODY_STATIC;
}

// Sets the patch of the body on one side of a contact, 0 or 1; false: that body is not dynamic, or asleep.
static bool patch_of(const CairnStep *step, int shape_a, int shape_b, CairnVec3 normal, int side, Patch *patch) {
    const CairnShape *shapes = step->store->shapes;
    int shape = side == 0 ? shape_a : shape_b, body = shapes[shape].body;
    int other = shapes[side == 0 ? shape_b : shape_a].body;
    *patch = (Patch){body, is_fixed(step, other) ? -1 : other, shape, side == 0 ? cairn_neg(normal) : normal};
    return step->block_of[body] >= 0;
}

static bool contact_patch(const Heritage *f, int i, int side, Patch *patch) {
    const CairnStepContact *c = &f->contacts[i];
    return patch_of(f->step, c->shape_a, c->shape_b, c->frame.normal, side, patch);
}

// True: contacts on two patches of one body, at places that are `apart`, belong together.
static bool is_same_patch(const Heritage *f, const Patch *p, const Patch *q, CairnVec3 apart) {
    double cosine = cairn_dot(p->normal, q->normal);
    return p->other == q->other ? cosine > like
                                : cosine > coplanar && fabs(cairn_dot(p->normal, apart)) <=
                                                           flush * f->narrow->boxes->balls[p->shape].radius;
}

static CairnVec3 place_of(const CairnStep *step, const CairnStepContact *c) {
    bool is_a = step->block_of[c->body_a] >= 0;
    return cairn_add(step->store->bodies[is_a ? c->body_a : c->body_b].center, c->frame.arm[is_a ? 0 : 1]);
}

// Where a body has taken a point of it since the records were made.
static CairnVec3 carried(const CairnStep *step, int body, CairnVec3 point) {
    const CairnBody *b = &step->store->bodies[body];
    double h = step->moved;
    CairnVec3 arm = cairn_sub(point, cairn_add_scaled(b->center, -h, b->velocity));
    return cairn_add(b->center, cairn_rotate(cairn_quat_exp(cairn_scale(h, b->angular_velocity)), arm));
}

// ---- who is there ----

static bool is_orphan(const Heritage *f, int r) {
    const CairnContactRecord *record = &f->step->store->contacts[r];
    const CairnPool *pool = &f->step->store->shape_pool;
    return !f->is_used[r] && record->normal_impulse > 0 && record->shape_a < pool->count &&
           record->shape_b < pool->count && cairn_pool_is_alive(pool, record->shape_a) &&
           cairn_pool_is_alive(pool, record->shape_b) &&
           pool->slots[record->shape_a].generation == record->generation_a &&
           pool->slots[record->shape_b].generation == record->generation_b;
}

static bool bore(const Heritage *f, const CairnStepContact *c) {
    return c->record >= 0 && f->step->store->contacts[c->record].normal_impulse > 0;
}

static void list_contacts(Heritage *f) {
    Patch patch;
    for (int k = 2 * f->count - 1; k >= 0; k--) {
        if (contact_patch(f, k / 2, k % 2, &patch)) {
            f->next[k] = f->first[patch.body];
            f->first[patch.body] = k;
            f->counts[patch.body] += 1;
        }
    }
    for (int i = 0; i < f->count; i++) {
        if (f->contacts[i].record >= 0) {
            f->is_used[f->contacts[i].record] = true;
        }
    }
}

// True: the body on that side has so many contacts that those of the other one are looked through instead.
static bool is_crowded(const Heritage *f, int shape_a, int shape_b, int side) {
    const CairnShape *shapes = f->step->store->shapes;
    int body = shapes[side == 0 ? shape_a : shape_b].body, other = shapes[side == 0 ? shape_b : shape_a].body;
    return f->counts[body] > MANY && f->step->block_of[other] >= 0 && f->counts[other] < f->counts[body];
}

// ---- who inherits ----

// The nearest contact of the record's patch; -1: there is none within the size of the shape.
static int find_heir(const Heritage *f, const CairnContactRecord *record) {
    const CairnStep *step = f->step;
    const CairnShape *shapes = step->store->shapes;
    CairnVec3 places[2] = {carried(step, shapes[record->shape_a].body, record->point),
                           carried(step, shapes[record->shape_b].body, record->point)};
    double nearest = HUGE_VAL;
    int heir = -1;
    for (int side = 0; side < 2; side++) {
        Patch patch, other;
        if (!patch_of(step, record->shape_a, record->shape_b, record->normal, side, &patch) ||
            is_crowded(f, record->shape_a, record->shape_b, side)) {
            continue;
        }
        double far = 2 * f->narrow->boxes->balls[patch.shape].radius;
        for (int k = f->first[patch.body]; k >= 0; k = f->next[k]) {
            CairnVec3 place = place_of(step, &f->contacts[k / 2]), apart = cairn_sub(place, places[side]);
            double squared =
                cairn_min(cairn_length_squared(cairn_sub(place, places[1 - side])), cairn_length_squared(apart));
            if (squared < nearest && squared < far * far && contact_patch(f, k / 2, k % 2, &other) &&
                is_same_patch(f, &patch, &other, apart)) {
                nearest = squared;
                heir = k / 2;
            }
        }
    }
    return heir;
}

static void hand_over(Heritage *f) {
    for (int r = 0; r < f->step->store->contact_count; r++) {
        const CairnContactRecord *record = &f->step->store->contacts[r];
        int heir = is_orphan(f, r) ? find_heir(f, record) : -1;
        if (heir >= 0 && f->contacts[heir].record < 0) {
            f->contacts[heir].record = r;
        } else if (heir >= 0) {
            f->contacts[heir].inherited += f->step->impulse_scale * cairn_max(record->load, 0);
        }
    }
}

// True: a contact that bore a load is of the same patch on that side.
static bool has_bearing_neighbor(const Heritage *f, int i, int side) {
    Patch patch, other;
    if (!contact_patch(f, i, side, &patch) || is_crowded(f, f->contacts[i].shape_a, f->contacts[i].shape_b, side)) {
        return false;
    }
    CairnVec3 place = place_of(f->step, &f->contacts[i]);
    for (int k = f->first[patch.body]; k >= 0; k = f->next[k]) {
        const CairnStepContact *c = &f->contacts[k / 2];
        if (bore(f, c) && contact_patch(f, k / 2, k % 2, &other) &&
            is_same_patch(f, &patch, &other, cairn_sub(place_of(f->step, c), place))) {
            return true;
        }
    }
    return false;
}

// ---- who bears together ----

static bool has_several_shapes(const CairnStore *store, int body) {
    return store->shapes[store->bodies[body].first_shape].next >= 0;
}

// False: two bodies of one convex shape each, or a kinematic and such a one, have one manifold.
static bool may_have_company(const CairnStep *step, const CairnStepContact *c) {
    const CairnStore *store = step->store;
    return is_fixed(step, c->body_a) || is_fixed(step, c->body_b) || has_several_shapes(store, c->body_a) ||
           has_several_shapes(store, c->body_b);
}

static bool meets(const Heritage *f, const CairnStepContact *c, double tolerance) {
    double closes = cairn_min(f->step->h * c->approach, 0);
    for (int i = 0; i < c->manifold_count; i++) {
        if (c[i].distance + closes <= tolerance) {
            return true;
        }
    }
    return false;
}

// How many manifolds, this one among them, stop the two bodies together: those of its patch that meet in this step.
static int count_company(const Heritage *f, int i) {
    const CairnStepContact *c = &f->contacts[i];
    int side = f->step->block_of[c->body_a] < 0              ? 1
               : f->step->block_of[c->body_b] < 0            ? 0
               : f->counts[c->body_b] < f->counts[c->body_a] ? 1
                                                             : 0;
    Patch patch, other;
    int company = 1;
    if (!may_have_company(f->step, c) || !contact_patch(f, i, side, &patch)) {
        return 1;
    }
    double tolerance = flush * f->narrow->boxes->balls[patch.shape].radius;
    for (int k = f->first[patch.body]; k >= 0; k = f->next[k]) {
        const CairnStepContact *d = &f->contacts[k / 2];
        if (d->manifold_index == 0 && k / 2 != i && contact_patch(f, k / 2, k % 2, &other) &&
            other.other == patch.other && cairn_dot(other.normal, patch.normal) > like && meets(f, d, tolerance)) {
            company += 1;
        }
    }
    return company;
}

void cairn_narrow_inherit(CairnStep *step, const CairnNarrow *narrow, CairnStepContacts *contacts) {
    const CairnStore *store = step->store;
    CairnArenaMark mark = cairn_arena_mark(step->arena);
    Heritage f = {.step = step, .narrow = narrow, .contacts = contacts->all, .count = contacts->count};
    int bodies = store->body_pool.count;
    if (contacts->count == 0) {
        return;
    }
    f.is_used = cairn_step_push_zero(step, (size_t)store->contact_count, sizeof *f.is_used);
    f.counts = cairn_step_push_zero(step, (size_t)bodies, sizeof *f.counts);
    f.first = CAIRN_STEP_PUSH(step, int, bodies);
    f.next = CAIRN_STEP_PUSH(step, int, 2 * (size_t)contacts->count);
    if (cairn_step_failed(step)) {
        return;
    }
    memset(f.first, -1, (size_t)bodies * sizeof *f.first); // all -1
    list_contacts(&f);
    hand_over(&f);
    for (int i = 0; i < f.count; i++) {
        CairnStepContact *c = &contacts->all[i];
        c->is_known = store->contact_count > 0 && !bore(&f, c) &&
                      (has_bearing_neighbor(&f, i, 0) || has_bearing_neighbor(&f, i, 1));
        c->company = c->manifold_index == 0 ? count_company(&f, i) : 0;
    }
    cairn_arena_release(step->arena, mark);
}
