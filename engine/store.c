#include "engine/store.h"
#include "collision/convex/core.h"
#include "engine/base/mat3.h"
#include "engine/base/memory.h"
#include <string.h>

void cairn_store_init(CairnStore *store) {
    *store = (CairnStore){0};
    cairn_pool_init(&store->body_pool);
    cairn_pool_init(&store->shape_pool);
    cairn_pool_init(&store->joint_pool);
}

void cairn_store_free(CairnStore *store, const CairnAllocator *allocator) {
    for (int s = 0; s < store->shape_pool.count && store->shapes != NULL; s++) {
        if (cairn_pool_is_alive(&store->shape_pool, s)) {
            cairn_models_release_shape(&store->models, allocator, store->shapes[s].model);
        }
    }
    for (int b = 0; b < store->body_pool.count && store->bodies != NULL; b++) {
        if (cairn_pool_is_alive(&store->body_pool, b)) {
            cairn_models_release_body(&store->models, allocator, store->bodies[b].model);
        }
    }
    cairn_models_free(&store->models, allocator);
    cairn_pool_free(&store->body_pool, allocator);
    cairn_pool_free(&store->shape_pool, allocator);
    cairn_pool_free(&store->joint_pool, allocator);
    cairn_memory_release(allocator, store->bodies, (size_t)store->body_capacity, sizeof(CairnBody));
    cairn_memory_release(allocator, store->pushes, (size_t)store->push_capacity, sizeof(CairnPush));
    cairn_memory_release(allocator, store->spins, (size_t)store->spin_capacity, sizeof(CairnVec3));
    cairn_memory_release(allocator, store->shapes, (size_t)store->shape_capacity, sizeof(CairnShape));
    cairn_memory_release(allocator, store->joints, (size_t)store->joint_capacity, sizeof(CairnJoint));
    cairn_memory_release(allocator, store->contacts, (size_t)store->contact_capacity, sizeof(CairnContactRecord));
    cairn_memory_release(allocator, store->touches, (size_t)store->touch_capacity, sizeof(CairnTouchingPair));
    cairn_store_init(store);
}

// Sum of the shapes' masses, their common centre, and the inertia about it.
static CairnMassProperties mass_of_shapes(const CairnStore *store, const CairnBody *body) {
    CairnMassProperties sum = {0};
    for (int s = body->first_shape; s >= 0; s = store->shapes[s].next) {
        CairnMassProperties shape_mass =
            cairn_geometry_mass(&store->shapes[s].model->geometry, store->shapes[s].model->def.density);
        sum.mass += shape_mass.mass;
        sum.center = cairn_add_scaled(sum.center, shape_mass.mass, shape_mass.center);
    }
    if (sum.mass <= 0) {
        return (CairnMassProperties){0};
    }
    sum.center = cairn_scale(1.0 / sum.mass, sum.center);
    for (int s = body->first_shape; s >= 0; s = store->shapes[s].next) {
        CairnMassProperties shape_mass =
            cairn_geometry_mass(&store->shapes[s].model->geometry, store->shapes[s].model->def.density);
        CairnVec3 offset = cairn_sub(shape_mass.center, sum.center);
        sum.inertia = cairn_mat3_sum(sum.inertia, cairn_inertia_shift(shape_mass.inertia, shape_mass.mass, offset));
    }
    return sum;
}

static CairnMassProperties mass_given(const CairnBodyModel *model, CairnMassProperties shapes) {
    CairnMassProperties given = {.mass = model->given_mass, .center = model->given_center};
    CairnVec3 d = model->given_inertia, o = model->given_products;
    if (d.x == 0 && d.y == 0 && d.z == 0) { // the shapes' inertia, scaled to the mass
        given.center = shapes.center;
        given.inertia =
            shapes.mass > 0 ? cairn_mat3_scaled(model->given_mass / shapes.mass, shapes.inertia) : (CairnMat3){0};
        return given;
    }
    given.inertia = (CairnMat3){{{d.x, o.x, o.y}, {o.x, d.y, o.z}, {o.y, o.z, d.z}}};
    return given;
}

// Principal moments and axes; those of a ball are arbitrary.
static void set_inertia(CairnBodyModel *model, CairnMat3 inertia) {
    double moments[3];
    CairnMat3 axes;
    cairn_mat3_eigen(inertia, moments, &axes);
    model->moments = (CairnVec3){moments[0], moments[1], moments[2]};
    model->is_isotropic = moments[2] - moments[0] <= 1e-14 * moments[2];
    model->axes = model->is_isotropic ? cairn_quat_identity() : cairn_quat_of_mat3(axes);
}

void cairn_store_measure_shape(CairnStore *store, int shape) {
    CairnShape *s = &store->shapes[shape];
    CairnVec3 center = store->bodies[s->body].model->local_center;
    s->reach = cairn_geometry_reach(&s->model->geometry, center);
    s->ball = s->model->geometry.is_unbounded ? HUGE_VAL
                                              : cairn_geometry_reach(&s->model->geometry, s->model->geometry.local.p);
    s->inner = cairn_geometry_is_convex(&s->model->geometry) ? cairn_inner_radius(&s->model->geometry) : HUGE_VAL;
}

bool cairn_store_set_push(CairnStore *store, const CairnAllocator *allocator, int body, CairnPush push) {
    int count = store->body_pool.count;
    if (body >= store->push_count) {
        if (!cairn_memory_reserve(allocator, &store->pushes, &store->push_capacity, count, sizeof *store->pushes)) {
            return false;
        }
        memset(store->pushes + store->push_count, 0, (size_t)(count - store->push_count) * sizeof *store->pushes);
        store->push_count = count;
    }
    store->pushes[body] = push;
    return true;
}

void cairn_store_set_model(CairnStore *store, const CairnAllocator *allocator, int index,
                           const CairnBodyModel *wanted) {
    CairnBodyModel *old = store->bodies[index].model;
    store->bodies[index].model = cairn_models_acquire_body(&store->models, wanted);
    cairn_models_release_body(&store->models, allocator, old);
}

void cairn_store_update_mass(CairnStore *store, const CairnAllocator *allocator, int index) {
    CairnBody *body = &store->bodies[index];
    CairnTransform frame = cairn_body_frame(body);
    CairnBodyModel model = *body->model;
    CairnMassProperties mass = mass_of_shapes(store, body);
    if (model.given_mass > 0) {
        mass = mass_given(&model, mass);
    }
    model.mass = mass.mass;
    set_inertia(&model, mass.inertia);
    model.has_mass = mass.mass > 0 && model.moments.x > 1e-14 * model.moments.z;
    // A new centre of mass on a turning body moves with another velocity: v_new = v + w x (c_new - c_old).
    CairnVec3 shift = cairn_rotate(body->q, cairn_sub(mass.center, model.local_center));
    body->velocity = cairn_add(body->velocity, cairn_cross(body->angular_velocity, shift));
    model.local_center = mass.center;
    body->center = cairn_transform_point(frame, mass.center);
    cairn_store_set_model(store, allocator, index, &model);
    for (int s = body->first_shape; s >= 0; s = store->shapes[s].next) {
        cairn_store_measure_shape(store, s);
    }
}
