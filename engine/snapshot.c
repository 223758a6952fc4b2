// Snapshots: the store as bytes and back.
//
// One visitor (engine/base/stream.h) walks the store and either counts, writes or reads. Reading fills a fresh store
// that is put in place of the old world only when all of it is valid.
#include "collision/shapes/shape_def.h"
#include "engine/base/memory.h"
#include "engine/base/stream.h"
#include "engine/snapshot_check.h"
#include "engine/world.h"
#include <string.h>

static const CairnFormat format = {"snapshot", 0x50414e534e524943u, 5}; // "CIRNSNAP"

// ---- values ----

// Only fields of a table may be infinite, where the table allows it.
static void visit_double(CairnStream *s, double *value) {
    cairn_stream_double(s, value);
    if (s->mode == CAIRN_STREAM_READ && !cairn_stream_failed(s) && !isfinite(*value)) {
        cairn_stream_fail(s, "a number is not finite");
    }
}

static void visit_vec3(CairnStream *s, CairnVec3 *v) {
    visit_double(s, &v->x);
    visit_double(s, &v->y);
    visit_double(s, &v->z);
}

static void visit_quat(CairnStream *s, CairnQuat *q) {
    visit_double(s, &q->w);
    visit_double(s, &q->x);
    visit_double(s, &q->y);
    visit_double(s, &q->z);
}

static void visit_transform(CairnStream *s, CairnTransform *t) {
    visit_vec3(s, &t->p);
    visit_quat(s, &t->q);
}

// A definition, written by its table of fields: a field that is added to the table is then in the snapshot.
static void visit_fields(CairnStream *s, const CairnFieldTable *table, void *object) {
    for (int i = 0; i < table->count; i++) {
        const CairnField *field = &table->fields[i];
        void *at = (char *)object + field->offset;
        switch (field->type) {
        case CAIRN_TYPE_BOOL:
            cairn_stream_bool(s, at);
            break;
        case CAIRN_TYPE_INT:
        case CAIRN_TYPE_CHOICE:
            cairn_stream_int(s, at, INT32_MIN, INT32_MAX);
            break;
        case CAIRN_TYPE_DOUBLE:
            cairn_stream_double(s, at);
            break;
        case CAIRN_TYPE_VEC3:
            visit_vec3(s, at);
            break;
        case CAIRN_TYPE_QUAT:
            visit_quat(s, at);
            break;
        }
    }
    if (s->mode == CAIRN_STREAM_READ && !cairn_stream_failed(s)) {
        CairnStatus status = cairn_fields_check(table, object);
        if (!cairn_is_ok(status)) {
            s->status = cairn_error(CAIRN_CORRUPT, "snapshot: %.200s", status.message);
        }
    }
}

// ---- arrays ----

// A store that is taken apart half read must find nothing but zeros where nothing was read.
static bool reserve_zero(CairnStream *s, void *array, int *capacity, int count, size_t element) {
    if (!cairn_memory_reserve(s->allocator, array, capacity, count, element)) {
        return false;
    }
    void *memory;
    memcpy(&memory, array, sizeof memory);
    if (count > 0) {
        memset(memory, 0, (size_t)count * element);
    }
    return true;
}

// The length of an array and, when reading, its memory. Every element takes at least 8 bytes, which bounds what a
// damaged count can allocate.
static void visit_length(CairnStream *s, int *count, void *array, int *capacity, size_t element) {
    cairn_stream_int(s, count, 0, INT32_MAX);
    if (s->mode != CAIRN_STREAM_READ || cairn_stream_failed(s)) {
        return;
    }
    if (!cairn_stream_has_elements(s, *count, 8)) {
        *count = 0;
        return;
    }
    if (!reserve_zero(s, array, capacity, *count, element)) {
        s->status = cairn_error(CAIRN_OUT_OF_MEMORY, "snapshot: no memory for %d elements", *count);
        *count = 0;
    }
}

static void visit_pool(CairnStream *s, CairnPool *pool) {
    visit_length(s, &pool->count, &pool->slots, &pool->capacity, sizeof(CairnSlot));
    cairn_stream_int(s, &pool->free_head, -1, pool->count - 1);
    int alive = 0, free_slots = 0;
    for (int i = 0; i < pool->count && !cairn_stream_failed(s); i++) {
        cairn_stream_u32(s, &pool->slots[i].generation);
        cairn_stream_int(s, &pool->slots[i].next_free, -1, pool->count - 1);
        alive += (pool->slots[i].generation & 1u) != 0 ? 1 : 0;
    }
    pool->alive = alive;
    // The free list must run through every free slot once and through no other.
    for (int i = pool->free_head; i >= 0 && !cairn_stream_failed(s) && free_slots <= pool->count;
         i = pool->slots[i].next_free) {
        if (cairn_pool_is_alive(pool, i)) {
            cairn_stream_fail(s, "a free list runs through a living slot");
        }
        free_slots += 1;
    }
    if (!cairn_stream_failed(s) && free_slots != pool->count - alive) {
        cairn_stream_fail(s, "a free list is broken");
    }
}

// An index of a living slot, or -1 where that is allowed.
static void visit_index(CairnStream *s, int *index, const CairnPool *pool, bool may_be_none) {
    cairn_stream_int(s, index, may_be_none ? -1 : 0, pool->count - 1);
    if (!cairn_stream_failed(s) && *index >= 0 && !cairn_pool_is_alive(pool, *index)) {
        cairn_stream_fail(s, "something refers to a dead slot");
    }
}

// ---- records ----

static void visit_body(CairnStream *s, CairnStore *store, CairnBody *b) {
    int type = (int)b->type;
    CairnBodyModel m = {0};
    if (s->mode != CAIRN_STREAM_READ) {
        m = *b->model;
    }
    visit_vec3(s, &b->center);
    visit_quat(s, &b->q);
    visit_vec3(s, &b->velocity);
    visit_vec3(s, &b->angular_velocity);
    visit_double(s, &m.mass);
    visit_vec3(s, &m.local_center);
    visit_vec3(s, &m.moments);
    visit_quat(s, &m.axes);
    cairn_stream_bool(s, &m.is_isotropic);
    cairn_stream_bool(s, &m.has_mass);
    cairn_stream_int(s, &type, CAIRN_BODY_STATIC, CAIRN_BODY_DYNAMIC);
    b->type = (CairnBodyType)type;
    cairn_stream_bool(s, &b->is_continuous);
    visit_double(s, &m.gravity_scale);
    visit_double(s, &m.linear_damping);
    visit_double(s, &m.angular_damping);
    visit_double(s, &m.given_mass);
    visit_vec3(s, &m.given_center);
    visit_vec3(s, &m.given_inertia);
    visit_vec3(s, &m.given_products);
    cairn_stream_int(s, &b->group, -1, INT32_MAX);
    cairn_stream_u64(s, &b->user_data);
    visit_double(s, &b->still_time);
    cairn_stream_int(s, &b->part, -1, store->body_pool.count - 1);
    visit_index(s, &b->sleeps_with, &store->body_pool, true);
    visit_index(s, &b->first_shape, &store->shape_pool, true);
    cairn_stream_int(s, &b->first_joint, -1, 2 * store->joint_pool.count - 1);
    if (!cairn_stream_failed(s) && b->first_joint >= 0 &&
        !cairn_pool_is_alive(&store->joint_pool, b->first_joint / 2)) {
        cairn_stream_fail(s, "a body's list of joints starts at a dead one");
    }
    if (s->mode == CAIRN_STREAM_READ) { // also of what fails later on: every living body has one
        if (cairn_models_prepare_body(&store->models, s->allocator)) {
            b->model = cairn_models_acquire_body(&store->models, &m);
        } else {
            s->status = cairn_error(CAIRN_OUT_OF_MEMORY, "snapshot: no memory for the mass of a body");
        }
    }
}

static void visit_indices(CairnStream *s, const int *from, int *count, int **indices, int *capacity) {
    visit_length(s, count, indices, capacity, sizeof **indices);
    for (int i = 0; i < *count && !cairn_stream_failed(s); i++) {
        int index = s->mode == CAIRN_STREAM_READ ? 0 : from[i];
        cairn_stream_int(s, &index, 0, INT32_MAX);
        if (s->mode == CAIRN_STREAM_READ) {
            (*indices)[i] = index;
        }
    }
}

// A hull's corners, a mesh's points and indices; other shapes have none. Reading makes the geometry from the
// definition, which then shows its copy.
static void visit_geometry(CairnStream *s, CairnShapeModel *shape) {
    CairnVec3 *points = NULL;
    int *indices = NULL;
    int count = shape->def.point_count, capacity = 0;
    int index_count = shape->def.index_count, index_capacity = 0;
    visit_length(s, &count, &points, &capacity, sizeof *points);
    for (int i = 0; i < count && !cairn_stream_failed(s); i++) {
        CairnVec3 p = s->mode == CAIRN_STREAM_READ ? (CairnVec3){0, 0, 0} : shape->def.points[i];
        visit_vec3(s, &p);
        if (s->mode == CAIRN_STREAM_READ) {
            points[i] = p;
        }
    }
    if (shape->def.type == CAIRN_SHAPE_MESH) { // known: the definition's fields come first
        visit_indices(s, shape->def.indices, &index_count, &indices, &index_capacity);
    }
    if (s->mode == CAIRN_STREAM_READ && !cairn_stream_failed(s)) {
        shape->def.points = points;
        shape->def.point_count = count;
        shape->def.indices = indices;
        shape->def.index_count = index_count;
        CairnStatus status = cairn_shape_check(&shape->def);
        if (cairn_is_ok(status)) {
            status = cairn_geometry_make(&shape->def, s->allocator, &shape->geometry);
        }
        if (cairn_is_ok(status)) {
            cairn_geometry_copy_points(&shape->geometry, &shape->def);
        } else {
            s->status = status.code == CAIRN_OUT_OF_MEMORY
                            ? status
                            : cairn_error(CAIRN_CORRUPT, "snapshot: %.200s", status.message);
        }
    }
    cairn_memory_release(s->allocator, points, (size_t)capacity, sizeof *points);
    cairn_memory_release(s->allocator, indices, (size_t)index_capacity, sizeof *indices);
}

static void visit_shape(CairnStream *s, CairnStore *store, CairnShape *shape) {
    CairnShapeModel model = {0};
    if (s->mode != CAIRN_STREAM_READ) {
        model = *shape->model;
    }
    visit_fields(s, &cairn_shape_fields, &model.def);
    cairn_stream_u64(s, &model.def.filter.category);
    cairn_stream_u64(s, &model.def.filter.mask);
    cairn_stream_u64(s, &model.def.user_data);
    cairn_stream_u32(s, &model.def.cookie);
    visit_index(s, &shape->body, &store->body_pool, false);
    visit_index(s, &shape->next, &store->shape_pool, true);
    visit_geometry(s, &model);
    if (s->mode == CAIRN_STREAM_READ && !cairn_stream_failed(s)) {
        shape->model = cairn_models_acquire_shape(&store->models, s->allocator, &model);
        if (shape->model == NULL) {
            cairn_geometry_free(&model.geometry, s->allocator);
            s->status = cairn_error(CAIRN_OUT_OF_MEMORY, "snapshot: no memory for the definition of a shape");
        }
    }
}

// Ids inside a definition: the world's tag is not portable, so it is written as "this world".
static void visit_id(CairnStream *s, uint32_t *index, uint32_t *generation, uint32_t *world, uint32_t tag) {
    cairn_stream_u32(s, index);
    cairn_stream_u32(s, generation);
    if (s->mode == CAIRN_STREAM_READ) {
        *world = *index != 0 ? tag : 0;
    }
}

static void visit_joint_def(CairnStream *s, CairnJointDef *def, uint32_t tag) {
    int type = (int)def->type;
    cairn_stream_int(s, &type, 0, CAIRN_JOINT_TYPE_COUNT - 1);
    def->type = (CairnJointType)type;
    visit_id(s, &def->body_a.index, &def->body_a.generation, &def->body_a.world, tag);
    visit_id(s, &def->body_b.index, &def->body_b.generation, &def->body_b.world, tag);
    visit_id(s, &def->joint_a.index, &def->joint_a.generation, &def->joint_a.world, tag);
    visit_id(s, &def->joint_b.index, &def->joint_b.generation, &def->joint_b.world, tag);
    visit_transform(s, &def->frame_a);
    visit_transform(s, &def->frame_b);
    for (int k = 0; k < CAIRN_AXIS_COUNT; k++) {
        visit_fields(s, &cairn_axis_fields, &def->axes[k]);
    }
    visit_double(s, &def->ratio);
    cairn_stream_bool(s, &def->collide_connected);
    cairn_stream_u64(s, &def->user_data);
    cairn_stream_u32(s, &def->cookie);
    if (s->mode == CAIRN_STREAM_READ && !cairn_stream_failed(s)) {
        CairnStatus status = cairn_joint_check(def);
        if (!cairn_is_ok(status)) {
            s->status = cairn_error(CAIRN_CORRUPT, "snapshot: %.200s", status.message);
        }
    }
}

static void visit_joint(CairnStream *s, CairnStore *store, CairnJoint *joint, uint32_t tag) {
    visit_joint_def(s, &joint->core.def, tag);
    for (int k = 0; k < 3; k++) {
        visit_double(s, &joint->core.turns[k]);
        visit_double(s, &joint->core.last[k]);
    }
    for (int k = 0; k < 2; k++) {
        visit_double(s, &joint->core.rest[k]);
        visit_index(s, &joint->bodies[k], &store->body_pool, true);
        cairn_stream_int(s, &joint->next[k], -1, 2 * store->joint_pool.count - 1);
    }
    cairn_stream_int(s, &joint->row_count, 0, CAIRN_JOINT_MAX_ROWS);
    for (int r = 0; r < joint->row_count && !cairn_stream_failed(s); r++) {
        visit_double(s, &joint->lambda[r]);
    }
}

static void visit_contact(CairnStream *s, CairnStore *store, CairnContactRecord *c) {
    cairn_stream_u64(s, &c->id);
    cairn_stream_int(s, &c->shape_a, 0, store->shape_pool.count - 1); // may be dead by now
    cairn_stream_int(s, &c->shape_b, 0, store->shape_pool.count - 1);
    cairn_stream_u32(s, &c->generation_a);
    cairn_stream_u32(s, &c->generation_b);
    visit_vec3(s, &c->point);
    visit_vec3(s, &c->normal);
    visit_vec3(s, &c->tangent_1);
    visit_double(s, &c->distance);
    visit_double(s, &c->normal_impulse);
    visit_double(s, &c->load);
    visit_double(s, &c->held);
    visit_double(s, &c->tangents[0]);
    visit_double(s, &c->tangents[1]);
}

// Arrays that most worlds have nothing in.
static void visit_pushes(CairnStream *s, CairnStore *store) {
    visit_length(s, &store->push_count, &store->pushes, &store->push_capacity, sizeof(CairnPush));
    for (int i = 0; i < store->push_count && !cairn_stream_failed(s); i++) {
        visit_vec3(s, &store->pushes[i].force);
        visit_vec3(s, &store->pushes[i].torque);
    }
    if (!cairn_stream_failed(s) && store->push_count > store->body_pool.count) {
        cairn_stream_fail(s, "more bodies are pushed than there are");
    }
}

static void visit_spins(CairnStream *s, CairnStore *store) {
    visit_length(s, &store->spin_count, &store->spins, &store->spin_capacity, sizeof(CairnVec3));
    for (int i = 0; i < store->spin_count && !cairn_stream_failed(s); i++) {
        visit_vec3(s, &store->spins[i]);
    }
    if (!cairn_stream_failed(s) && store->spin_count > store->contact_count) {
        cairn_stream_fail(s, "more contacts spin than there are");
    }
}

static void visit_elements(CairnStream *s, CairnStore *store, uint32_t tag) {
    for (int i = 0; i < store->body_pool.count && !cairn_stream_failed(s); i++) {
        if (cairn_pool_is_alive(&store->body_pool, i)) {
            visit_body(s, store, &store->bodies[i]);
        }
    }
    for (int i = 0; i < store->shape_pool.count && !cairn_stream_failed(s); i++) {
        if (cairn_pool_is_alive(&store->shape_pool, i)) {
            visit_shape(s, store, &store->shapes[i]);
        }
    }
    for (int i = 0; i < store->joint_pool.count && !cairn_stream_failed(s); i++) {
        if (cairn_pool_is_alive(&store->joint_pool, i)) {
            visit_joint(s, store, &store->joints[i], tag);
        }
    }
    visit_length(s, &store->contact_count, &store->contacts, &store->contact_capacity, sizeof(CairnContactRecord));
    for (int i = 0; i < store->contact_count && !cairn_stream_failed(s); i++) {
        visit_contact(s, store, &store->contacts[i]);
    }
    visit_spins(s, store);
    visit_pushes(s, store);
    visit_length(s, &store->touch_count, &store->touches, &store->touch_capacity, sizeof(CairnTouchingPair));
    for (int i = 0; i < store->touch_count && !cairn_stream_failed(s); i++) {
        CairnTouchingPair *t = &store->touches[i];
        visit_id(s, &t->a.index, &t->a.generation, &t->a.world, tag);
        visit_id(s, &t->b.index, &t->b.generation, &t->b.world, tag);
    }
}

static bool make_room(CairnStream *s, CairnStore *store) {
    return reserve_zero(s, &store->bodies, &store->body_capacity, store->body_pool.count, sizeof(CairnBody)) &&
           reserve_zero(s, &store->shapes, &store->shape_capacity, store->shape_pool.count, sizeof(CairnShape)) &&
           reserve_zero(s, &store->joints, &store->joint_capacity, store->joint_pool.count, sizeof(CairnJoint));
}

static void visit_world(CairnStream *s, CairnWorldDef *def, CairnStore *store, uint32_t tag) {
    visit_fields(s, &cairn_world_fields, def);
    visit_double(s, &store->last_h);
    visit_double(s, &store->time);
    cairn_stream_u64(s, &store->step_index);
    visit_pool(s, &store->body_pool);
    visit_pool(s, &store->shape_pool);
    visit_pool(s, &store->joint_pool);
    if (s->mode == CAIRN_STREAM_READ && !cairn_stream_failed(s) && !make_room(s, store)) {
        s->status = cairn_error(CAIRN_OUT_OF_MEMORY, "snapshot: no memory for %d bodies, %d shapes, %d joints",
                                store->body_pool.count, store->shape_pool.count, store->joint_pool.count);
    }
    visit_elements(s, store, tag);
    if (s->mode == CAIRN_STREAM_READ && !cairn_stream_failed(s)) {
        s->status = cairn_snapshot_check(store);
    }
    for (int i = 0; s->mode == CAIRN_STREAM_READ && !cairn_stream_failed(s) && i < store->shape_pool.count; i++) {
        if (cairn_pool_is_alive(&store->shape_pool, i)) {
            cairn_store_measure_shape(store, i);
        }
    }
}

// ---- the door ----

// The settings without the number of threads, which belongs to the machine and not to the snapshot.
static CairnWorldDef portable_def(const CairnWorld *world) {
    CairnWorldDef def = world->given;
    def.thread_count = 1;
    return def;
}

size_t cairn_world_snapshot_size(const CairnWorld *world) {
    if (world == NULL) {
        return 0;
    }
    CairnWorldDef def = portable_def(world);
    CairnStore store = world->store; // a shallow copy: counting changes nothing
    CairnStream s = cairn_stream_count(&format);
    visit_world(&s, &def, &store, world->tag);
    return CAIRN_STREAM_HEADER + s.at;
}

CairnStatus cairn_world_snapshot(const CairnWorld *world, void *bytes, size_t size, size_t *written) {
    if (world == NULL || bytes == NULL || written == NULL) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "snapshot: %s is NULL",
                           world == NULL   ? "world"
                           : bytes == NULL ? "bytes"
                                           : "written");
    }
    size_t needed = cairn_world_snapshot_size(world);
    if (size < needed) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "snapshot: size is %zu, %zu are needed", size, needed);
    }
    CairnWorldDef def = portable_def(world);
    CairnStore store = world->store;
    CairnStream s = cairn_stream_write(&format, bytes, needed - CAIRN_STREAM_HEADER);
    visit_world(&s, &def, &store, world->tag);
    cairn_stream_write_header(&s);
    *written = needed;
    return s.status;
}

CairnStatus cairn_world_restore(CairnWorld *world, const void *bytes, size_t size) {
    if (world == NULL || bytes == NULL) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "snapshot: %s is NULL", world == NULL ? "world" : "bytes");
    }
    CairnWorldDef def = world->given;
    CairnStore fresh;
    cairn_store_init(&fresh);
    CairnStream s = cairn_stream_read(&format, bytes, size);
    CAIRN_TRY(s.status);
    s.allocator = &world->allocator;
    visit_world(&s, &def, &fresh, world->tag);
    cairn_stream_end(&s);
    if (cairn_stream_failed(&s)) {
        cairn_store_free(&fresh, &world->allocator);
        return s.status;
    }
    def.thread_count = world->given.thread_count;
    cairn_store_free(&world->store, &world->allocator);
    world->store = fresh;
    world->has_ordered_records = false;
    cairn_world_take_settings(world, &def);
    world->has_problem = false;
    world->shape_changes += 1;
    world->joint_changes += 1;
    world->has_sleepers = true; // there may be some
    cairn_events_clear(&world->events);
    return cairn_ok();
}
