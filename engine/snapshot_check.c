// Snapshot check: what a reader of a single record cannot see. A step trusts the store: lists end, what is referred to
// is of the right kind, masses are those of real bodies. Bytes with a right checksum may come from anywhere, so it is
// all proved here.
#include "engine/snapshot_check.h"
#include "engine/joints/kinds.h"

static CairnStatus corrupt(const char *kind, int index, const char *what) {
    return cairn_error(CAIRN_CORRUPT, "snapshot: %s %d: %s", kind, index + 1, what);
}

// ---- bodies ----

static bool is_zero(CairnVec3 a) {
    return cairn_length_squared(a) == 0;
}

// Principal moments of a real body rise and none exceeds the sum of the others; a rounding is granted.
static bool has_sound_mass(const CairnBody *b) {
    CairnVec3 m = b->model->moments;
    return b->model->mass > 0 && m.x > 1e-14 * m.z && m.x <= m.y && m.y <= m.z && m.z <= (1 + 1e-6) * (m.x + m.y) &&
           isfinite(1 / b->model->mass) && isfinite(1 / m.x);
}

static CairnStatus check_body(const CairnBody *b, int index) {
    if (!cairn_quat_is_unit(b->q) || !cairn_quat_is_unit(b->model->axes)) {
        return corrupt("body", index, "a quaternion is not of unit length");
    }
    if (!(b->model->mass >= 0) || !(b->model->given_mass >= 0) || (b->model->has_mass && !has_sound_mass(b))) {
        return corrupt("body", index, "its mass or inertia is no real body's");
    }
    if (!cairn_is_within_reach(b->model->local_center)) {
        return corrupt("body", index, "its centre of mass is out of reach");
    }
    if (!(b->model->linear_damping >= 0) || !(b->model->angular_damping >= 0)) {
        return corrupt("body", index, "its damping is negative");
    }
    bool has_velocity = !is_zero(b->velocity) || !is_zero(b->angular_velocity);
    if (b->type == CAIRN_BODY_STATIC && has_velocity) {
        return corrupt("body", index, "it is static, but has a velocity");
    }
    if (!(b->still_time >= 0) || (b->sleeps_with >= 0 && (b->type != CAIRN_BODY_DYNAMIC || has_velocity))) {
        return corrupt("body", index, "it sleeps, but is not dynamic or has a velocity");
    }
    return cairn_ok();
}

// ---- shapes and joints ----

static CairnStatus check_shape(const CairnStore *store, int index) {
    const CairnShape *shape = &store->shapes[index];
    if (shape->model->geometry.is_massless && store->bodies[shape->body].type == CAIRN_BODY_DYNAMIC) {
        return corrupt("shape", index, "it has no mass, but its body is dynamic");
    }
    return cairn_ok();
}

// Does this id, as a definition keeps it, name the living slot `index` (-1: null)?
static bool names_slot(const CairnPool *pool, uint32_t id_index, uint32_t generation, int index) {
    if (index < 0) {
        return id_index == 0;
    }
    return id_index == (uint32_t)index + 1 && cairn_pool_is_alive(pool, index) &&
           pool->slots[index].generation == generation;
}

// The slot of an id that must name a living one, or -1.
static int slot_of(const CairnPool *pool, uint32_t id_index, uint32_t generation) {
    if (id_index == 0 || id_index > (uint32_t)pool->count) {
        return -1;
    }
    int index = (int)id_index - 1;
    return names_slot(pool, id_index, generation, index) ? index : -1;
}

static CairnStatus check_gear(const CairnStore *store, int index) {
    const CairnJoint *gear = &store->joints[index];
    const CairnJointDef *def = &gear->core.def;
    const int sides[2] = {slot_of(&store->joint_pool, def->joint_a.index, def->joint_a.generation),
                          slot_of(&store->joint_pool, def->joint_b.index, def->joint_b.generation)};
    for (int k = 0; k < 2; k++) {
        if (sides[k] < 0 || cairn_joint_kinds[store->joints[sides[k]].core.def.type].gear_axis < 0) {
            return corrupt("joint", index, "the gear couples a joint that cannot be geared");
        }
    }
    if (gear->bodies[0] >= 0 || gear->bodies[1] >= 0) {
        return corrupt("joint", index, "the gear has bodies of its own");
    }
    return cairn_ok();
}

static CairnStatus check_joint(const CairnStore *store, int index) {
    const CairnJoint *joint = &store->joints[index];
    const CairnJointDef *def = &joint->core.def;
    if (def->type == CAIRN_JOINT_GEAR) {
        return check_gear(store, index);
    }
    if (joint->bodies[1] < 0 || joint->bodies[0] == joint->bodies[1] ||
        !names_slot(&store->body_pool, def->body_a.index, def->body_a.generation, joint->bodies[0]) ||
        !names_slot(&store->body_pool, def->body_b.index, def->body_b.generation, joint->bodies[1])) {
        return corrupt("joint", index, "its bodies are not those of its definition");
    }
    return cairn_ok();
}

// ---- lists ----

// Every shape is in its body's list once: each list leads through shapes of its own body only, and all lists together
// are as long as there are shapes. A list that ran in a circle would be longer.
static CairnStatus check_shape_lists(const CairnStore *store) {
    int found = 0;
    for (int i = 0; i < store->body_pool.count; i++) {
        if (!cairn_pool_is_alive(&store->body_pool, i)) {
            continue;
        }
        for (int k = store->bodies[i].first_shape; k >= 0; k = store->shapes[k].next) {
            found += 1;
            if (store->shapes[k].body != i || found > store->shape_pool.alive) {
                return corrupt("body", i, "its list of shapes is broken");
            }
        }
    }
    return found == store->shape_pool.alive ? cairn_ok()
                                            : cairn_error(CAIRN_CORRUPT, "snapshot: a shape is in no body's list");
}

static CairnStatus check_joint_lists(const CairnStore *store) {
    int found = 0, wanted = 0;
    for (int j = 0; j < store->joint_pool.count; j++) {
        for (int k = 0; k < 2 && cairn_pool_is_alive(&store->joint_pool, j); k++) {
            wanted += store->joints[j].bodies[k] >= 0 ? 1 : 0;
        }
    }
    for (int i = 0; i < store->body_pool.count; i++) {
        if (!cairn_pool_is_alive(&store->body_pool, i)) {
            continue;
        }
        for (int e = store->bodies[i].first_joint; e >= 0; e = store->joints[e / 2].next[e % 2]) {
            found += 1;
            if (!cairn_pool_is_alive(&store->joint_pool, e / 2) || store->joints[e / 2].bodies[e % 2] != i ||
                found > wanted) {
                return corrupt("body", i, "its list of joints is broken");
            }
        }
    }
    return found == wanted ? cairn_ok() : cairn_error(CAIRN_CORRUPT, "snapshot: a joint is not in its body's list");
}

// The shapes of a touch may be dead, but they had slots.
static CairnStatus check_touches(const CairnStore *store) {
    uint32_t slots = (uint32_t)store->shape_pool.count;
    for (int t = 0; t < store->touch_count; t++) {
        uint32_t a = store->touches[t].a.index, b = store->touches[t].b.index;
        if (a == 0 || a > slots || b == 0 || b > slots) {
            return corrupt("touch", t, "it is of a shape that never was");
        }
    }
    return cairn_ok();
}

// ---- the whole ----

CairnStatus cairn_snapshot_check(const CairnStore *store) {
    if (store->last_h != 0 && !(store->last_h >= CAIRN_STEP_MIN / 2000 && store->last_h <= CAIRN_STEP_MAX)) {
        return cairn_error(CAIRN_CORRUPT, "snapshot: its last step was of %g s", store->last_h);
    }
    for (int i = 0; i < store->body_pool.count; i++) {
        if (cairn_pool_is_alive(&store->body_pool, i)) {
            CAIRN_TRY(check_body(&store->bodies[i], i));
        }
    }
    for (int i = 0; i < store->shape_pool.count; i++) {
        if (cairn_pool_is_alive(&store->shape_pool, i)) {
            CAIRN_TRY(check_shape(store, i));
        }
    }
    for (int i = 0; i < store->joint_pool.count; i++) {
        if (cairn_pool_is_alive(&store->joint_pool, i)) {
            CAIRN_TRY(check_joint(store, i));
        }
    }
    CAIRN_TRY(check_touches(store));
    CAIRN_TRY(check_shape_lists(store));
    return check_joint_lists(store);
}
