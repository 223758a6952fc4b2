// Collide: poses -> contacts. Boxes around where each shape may be within the step, pairs from the broad phase, filters, points
// from the narrow phase, and for each point last step's record of the same feature.
#include "engine/base/hash.h"
#include "engine/base/timer.h"
#include "engine/step.h"

// How far any point of a shape may move within the step: bounds both its box and the distance from which contacts are made, so
// that what could touch within the step has a row (speculative contacts: nothing tunnels).
static double motion_of(const CairnStep *step, const CairnShape *shape) {
    const CairnBody *body = &step->store->bodies[shape->body];
    if (body->type == CAIRN_STATIC || shape->geometry.is_unbounded) {
        return 0;
    }
    int block = step->block_of[shape->body];
    CairnVec3 linear = block >= 0 ? step->blocks[block].free.linear : body->velocity;
    CairnVec3 angular = block >= 0 ? step->blocks[block].free.angular : body->angular_velocity;
    double reach = cairn_geometry_reach(&shape->geometry, body->local_center);
    double turning = cairn_length(angular) > 0 ? cairn_length(angular) * reach : 0;
    return step->h * (cairn_length(linear) + turning);
}

typedef struct Boxes {
    CairnAabb *boxes;
    CairnTransform *poses;
    double *motion;
    uint8_t *kinds;
    int *owners;
} Boxes;

static void make_box(const CairnStep *step, Boxes *out, int s) {
    const CairnShape *shape = &step->store->shapes[s];
    if (!cairn_pool_is_alive(&step->store->shape_pool, s)) {
        out->kinds[s] = CAIRN_BOX_ABSENT;
        out->owners[s] = -1;
        out->boxes[s] = (CairnAabb){{0, 0, 0}, {0, 0, 0}};
        return;
    }
    const CairnBody *body = &step->store->bodies[shape->body];
    out->poses[s] = cairn_shape_pose(body, shape);
    out->motion[s] = motion_of(step, shape);
    out->owners[s] = shape->body;
    // What sleeps costs nothing, but a kinematic body on its way may wake it.
    bool may_wake = step->sleeping_count > 0 && cairn_body_is_moved(body);
    out->kinds[s] = step->block_of[shape->body] >= 0 || may_wake ? CAIRN_BOX_MOVING : CAIRN_BOX_FIXED;
    CairnAabb box = cairn_geometry_box(&shape->geometry, out->poses[s]);
    double grow = 0.5 * step->world->def.contact_margin + out->motion[s];
    CairnVec3 by = {grow, grow, grow};
    out->boxes[s] = (CairnAabb){cairn_sub(box.low, by), cairn_add(box.high, by)};
}

static bool may_touch(const CairnStore *store, int a, int b) {
    const CairnShape *sa = &store->shapes[a], *sb = &store->shapes[b];
    const CairnFilter *fa = &sa->def.filter, *fb = &sb->def.filter;
    if ((fa->category & fb->mask) == 0 || (fb->category & fa->mask) == 0) {
        return false;
    }
    return !cairn_store_joins(store, sa->body, sb->body);
}

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

static CairnMaterial mix_materials(const CairnWorldDef *def, const CairnShapeDef *a, const CairnShapeDef *b) {
    return (CairnMaterial){
        .friction = mix(def->friction_mix, a->friction, b->friction),
        .restitution = mix(def->restitution_mix, a->restitution, b->restitution),
        // A lever arm is a property of the softer surface: the larger one holds.
        .rolling_friction = fmax(a->rolling_friction, b->rolling_friction),
        .torsional_friction = fmax(a->torsional_friction, b->torsional_friction),
    };
}

// The same for as long as both shapes live and the same features touch.
static uint64_t contact_id(const CairnStore *store, int a, int b, uint32_t feature) {
    uint64_t shape_a = ((uint64_t)store->shape_pool.slots[a].generation << 32) | (uint32_t)a;
    uint64_t shape_b = ((uint64_t)store->shape_pool.slots[b].generation << 32) | (uint32_t)b;
    return cairn_hash_combine(cairn_hash_combine(cairn_hash_mix(shape_a), shape_b), feature);
}

static void fill_contact(const CairnStep *step, const CairnPair *pair, const CairnManifold *manifold, int k,
                         CairnStepContact *c) {
    const CairnStore *store = step->store;
    const CairnShape *sa = &store->shapes[pair->a], *sb = &store->shapes[pair->b];
    *c = (CairnStepContact){
        .shape_a = pair->a, .shape_b = pair->b, .body_a = sa->body, .body_b = sb->body, .record = -1};
    c->id = contact_id(store, pair->a, pair->b, manifold->points[k].feature);
    c->point = manifold->points[k].point;
    c->distance = manifold->points[k].distance;
    c->normal = manifold->normal;
    c->manifold_count = manifold->count;
    c->manifold_place = k;
    c->arm_a = cairn_sub(c->point, store->bodies[c->body_a].center);
    c->arm_b = cairn_sub(c->point, store->bodies[c->body_b].center);
    c->material = mix_materials(&step->world->def, &sa->def, &sb->def);
    CairnVec6 va = cairn_step_start(step, c->body_a), vb = cairn_step_start(step, c->body_b);
    CairnVec3 slip = cairn_sub(cairn_add(vb.linear, cairn_cross(vb.angular, c->arm_b)),
                               cairn_add(va.linear, cairn_cross(va.angular, c->arm_a)));
    c->approach = cairn_dot(c->normal, slip);
}

// Give every contact the record of the last step that has its id: one pass over a hash table of the records.
static void match_records(CairnStep *step) {
    const CairnStore *store = step->store;
    if (store->contact_count == 0 || step->contact_count == 0) {
        return;
    }
    size_t size = 16;
    while (size < 2 * (size_t)store->contact_count) {
        size *= 2;
    }
    int *table = CAIRN_STEP_PUSH(step, int, size);
    if (table == NULL) {
        return;
    }
    for (size_t i = 0; i < size; i++) {
        table[i] = -1;
    }
    for (int r = 0; r < store->contact_count; r++) {
        size_t slot = (size_t)store->contacts[r].id & (size - 1);
        while (table[slot] >= 0) {
            slot = (slot + 1) & (size - 1);
        }
        table[slot] = r;
    }
    for (int c = 0; c < step->contact_count; c++) {
        size_t slot = (size_t)step->contacts[c].id & (size - 1);
        while (table[slot] >= 0 && store->contacts[table[slot]].id != step->contacts[c].id) {
            slot = (slot + 1) & (size - 1);
        }
        step->contacts[c].record = table[slot];
    }
}

static void narrow_phase(CairnStep *step, const Boxes *boxes, const CairnPair *pairs, int pair_count) {
    const CairnStore *store = step->store;
    CairnManifold *manifolds = CAIRN_STEP_PUSH(step, CairnManifold, pair_count);
    if (manifolds == NULL) {
        return;
    }
    double margin = step->world->def.contact_margin;
#pragma omp parallel for num_threads(step->threads) if (step->threads > 1 && pair_count > 64) schedule(static)
    for (int p = 0; p < pair_count; p++) {
        int a = pairs[p].a, b = pairs[p].b;
        manifolds[p].count = 0;
        if (may_touch(store, a, b)) {
            double reach = margin + boxes->motion[a] + boxes->motion[b];
            cairn_narrow(&store->shapes[a].geometry, boxes->poses[a], &store->shapes[b].geometry, boxes->poses[b],
                         reach, &manifolds[p]);
        }
    }
    int count = 0;
    for (int p = 0; p < pair_count; p++) {
        count += manifolds[p].count;
    }
    step->contacts = CAIRN_STEP_PUSH(step, CairnStepContact, count);
    if (step->contacts == NULL) {
        return;
    }
    for (int p = 0; p < pair_count; p++) {
        for (int k = 0; k < manifolds[p].count; k++) {
            fill_contact(step, &pairs[p], &manifolds[p], k, &step->contacts[step->contact_count++]);
        }
    }
}

void cairn_step_collide(CairnStep *step) {
    if (cairn_step_failed(step)) {
        return;
    }
    double t0 = cairn_timer_now();
    int count = step->store->shape_pool.count;
    Boxes boxes = {
        .boxes = CAIRN_STEP_PUSH(step, CairnAabb, count),
        .poses = CAIRN_STEP_PUSH(step, CairnTransform, count),
        .motion = CAIRN_STEP_PUSH(step, double, count),
        .kinds = CAIRN_STEP_PUSH(step, uint8_t, count),
        .owners = CAIRN_STEP_PUSH(step, int, count),
    };
    if (cairn_step_failed(step)) {
        return;
    }
#pragma omp parallel for num_threads(step->threads) if (step->threads > 1 && count > 64) schedule(static)
    for (int s = 0; s < count; s++) {
        make_box(step, &boxes, s);
    }
    CairnPair *pairs = NULL;
    int pair_count = 0;
    step->status = cairn_broad_pairs(&step->world->broad, boxes.boxes, boxes.kinds, boxes.owners, count, step->threads,
                                     step->arena, &pairs, &pair_count, &step->stats.overlap_tests);
    if (cairn_step_failed(step)) {
        return;
    }
    double t1 = cairn_timer_now();
    step->stats.pairs = pair_count;
    step->stats.times.broad = t1 - t0;
    narrow_phase(step, &boxes, pairs, pair_count);
    match_records(step);
    step->stats.contacts = step->contact_count;
    step->stats.times.narrow = cairn_timer_now() - t1;
}
