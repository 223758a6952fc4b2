// Bodies: created, read, moved by hand, pushed, destroyed.
#include "engine/base/mat3.h"
#include "engine/base/memory.h"
#include "engine/sleep.h"

static bool is_zero(CairnVec3 a) {
    return a.x == 0 && a.y == 0 && a.z == 0;
}

static CairnMat3 given_tensor(const CairnBodyDef *def) {
    CairnVec3 d = def->inertia, o = def->inertia_products;
    return (CairnMat3){{{d.x, o.x, o.y}, {o.x, d.y, o.z}, {o.y, o.z, d.z}}};
}

static CairnStatus check_mass(const CairnBodyDef *def) {
    if (def->mass == 0) {
        const char *field = !is_zero(def->inertia)            ? "inertia"
                            : !is_zero(def->inertia_products) ? "inertia_products"
                            : !is_zero(def->center)           ? "center"
                                                              : NULL;
        return field == NULL ? cairn_ok()
                             : cairn_error(CAIRN_INVALID_ARGUMENT,
                                           "body: %s is given, but mass is 0 (taken from the shapes)", field);
    }
    if (def->type != CAIRN_BODY_DYNAMIC) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "body: mass is %g, but only a dynamic body has mass", def->mass);
    }
    if (is_zero(def->inertia)) {
        if (!is_zero(def->inertia_products)) {
            return cairn_error(CAIRN_INVALID_ARGUMENT, "body: inertia_products are given, but inertia is 0");
        }
        if (!is_zero(def->center)) {
            return cairn_error(CAIRN_INVALID_ARGUMENT,
                               "body: center is given, but inertia is 0 (both come from the shapes)");
        }
        return cairn_ok();
    }
    if (!cairn_inertia_is_physical(given_tensor(def))) {
        return cairn_error(
            CAIRN_INVALID_ARGUMENT,
            "body: inertia (%g, %g, %g) with products (%g, %g, %g) is no inertia of a real body: it must be positive "
            "definite, no principal moment over the sum of the others",
            def->inertia.x, def->inertia.y, def->inertia.z, def->inertia_products.x, def->inertia_products.y,
            def->inertia_products.z);
    }
    return cairn_ok();
}

static CairnStatus check_def(const CairnBodyDef *def) {
    if (def == NULL) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "body: def is NULL");
    }
    if (def->cookie != CAIRN_BODY_COOKIE) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "body: the definition was not made by cairn_body_def()");
    }
    CAIRN_TRY(cairn_fields_check(&cairn_body_fields, def));
    if (def->type == CAIRN_BODY_STATIC && !(is_zero(def->velocity) && is_zero(def->angular_velocity))) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "body: %s is not 0, but the body is static",
                           is_zero(def->velocity) ? "angular_velocity" : "velocity");
    }
    return check_mass(def);
}

static CairnBodyModel make_model(const CairnBodyDef *def) {
    return (CairnBodyModel){
        .gravity_scale = def->gravity_scale,
        .linear_damping = def->linear_damping,
        .angular_damping = def->angular_damping,
        .given_mass = def->mass,
        .given_center = def->center,
        .given_inertia = def->inertia,
        .given_products = def->inertia_products,
    };
}

static CairnBody make_body(const CairnBodyDef *def) {
    CairnBody body = {
        .part = -1,
        .sleeps_with = -1,
        .q = cairn_quat_normalize(def->orientation),
        .velocity = def->velocity,
        .angular_velocity = def->angular_velocity,
        .center = def->position,
        .type = def->type,
        .is_continuous = def->continuous,
        .group = def->group,
        .user_data = def->user_data,
        .first_shape = -1,
        .first_joint = -1,
    };
    return body;
}

CairnStatus cairn_body_create(CairnWorld *world, const CairnBodyDef *def, CairnBodyId *id) {
    if (world == NULL || id == NULL) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "body: %s is NULL", world == NULL ? "world" : "id");
    }
    CAIRN_TRY(check_def(def));
    CairnStore *store = &world->store;
    int needed = store->body_pool.count;
    if (!cairn_models_prepare_body(&store->models, &world->allocator) ||
        !cairn_pool_prepare(&store->body_pool, &world->allocator, &needed) ||
        !cairn_memory_reserve(&world->allocator, &store->bodies, &store->body_capacity, needed, sizeof(CairnBody))) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "body: no memory for body %d", needed);
    }
    int index = cairn_pool_take(&store->body_pool);
    CairnBodyModel model = make_model(def);
    store->bodies[index] = make_body(def);
    store->bodies[index].model = &model; // until its mass is known
    model.users = 2;
    cairn_store_update_mass(store, &world->allocator, index);
    world->has_problem = false;
    *id = cairn_world_body_id(world, index);
    return cairn_ok();
}

CairnStatus cairn_body_destroy(CairnWorld *world, CairnBodyId id) {
    int index;
    CAIRN_TRY(cairn_world_find_body(world, id, &index));
    cairn_world_wake_around(world, index);
    CairnBody *body = &world->store.bodies[index];
    while (body->first_joint >= 0) {
        cairn_world_remove_joint(world, body->first_joint / 2);
    }
    while (body->first_shape >= 0) {
        cairn_world_remove_shape(world, body->first_shape);
    }
    cairn_models_release_body(&world->store.models, &world->allocator, body->model);
    if (index < world->store.push_count) { // the next body in this slot starts without forces
        world->store.pushes[index] = (CairnPush){{0, 0, 0}, {0, 0, 0}};
    }
    cairn_pool_give(&world->store.body_pool, index);
    world->has_problem = false;
    return cairn_ok();
}

bool cairn_body_is_alive(const CairnWorld *world, CairnBodyId id) {
    int index;
    return cairn_is_ok(cairn_world_find_body(world, id, &index));
}

CairnStatus cairn_body_add(CairnWorld *world, const CairnBodyDef *def, const CairnShapeDef *shape, CairnBodyId *id) {
    CairnBodyId made = {0, 0, 0};
    CAIRN_TRY(cairn_body_create(world, def, &made));
    CairnStatus status = cairn_shape_create(world, made, shape, NULL);
    if (!cairn_is_ok(status)) { // undo the creation: destroying the body would change the generation of the slot
        int index = (int)made.index - 1;
        cairn_models_release_body(&world->store.models, &world->allocator, world->store.bodies[index].model);
        cairn_pool_untake(&world->store.body_pool, index);
        return status;
    }
    if (id != NULL) {
        *id = made;
    }
    return status;
}

CairnStatus cairn_body_get(const CairnWorld *world, CairnBodyId id, CairnBodyState *state) {
    int index;
    CAIRN_TRY(cairn_world_find_body(world, id, &index));
    if (state == NULL) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "body: state is NULL");
    }
    const CairnBody *body = &world->store.bodies[index];
    CairnTransform frame = cairn_body_frame(body);
    CairnMat3 axes = cairn_body_axes(body), local_axes = cairn_mat3_of_quat(body->model->axes);
    *state = (CairnBodyState){
        .position = frame.p,
        .orientation = body->q,
        .center = body->center,
        .velocity = body->velocity,
        .angular_velocity = body->angular_velocity,
        .angular_momentum = cairn_mat3_mul(cairn_inertia_of_axes(&axes, body->model->moments), body->angular_velocity),
        .mass = {body->model->mass, body->model->local_center,
                 cairn_inertia_of_axes(&local_axes, body->model->moments)},
        .type = body->type,
        .is_asleep = cairn_body_sleeps(body),
        .group = body->group,
        .part = body->part,
        .user_data = body->user_data,
    };
    return cairn_ok();
}

// ---- changes by hand ----

static CairnStatus check_vector(const char *field, CairnVec3 v) {
    if (!cairn_vec3_is_finite(v)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "body: %s is (%g, %g, %g), must be finite", field, v.x, v.y, v.z);
    }
    return cairn_ok();
}

// What a body keeps must be finite too: sums and products of finite numbers need not be.
static CairnStatus check_result(const char *field, CairnBodyId id, CairnVec3 v) {
    if (!cairn_vec3_is_finite(v)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "body %u: %s becomes (%g, %g, %g), must stay finite", id.index,
                           field, v.x, v.y, v.z);
    }
    return cairn_ok();
}

CairnStatus cairn_body_set_pose(CairnWorld *world, CairnBodyId id, CairnVec3 position, CairnQuat orientation) {
    int index;
    CAIRN_TRY(cairn_world_find_body(world, id, &index));
    CAIRN_TRY(check_vector("position", position));
    if (!cairn_quat_is_unit(orientation)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "body: orientation is (%g, %g, %g, %g), must be of unit length",
                           orientation.w, orientation.x, orientation.y, orientation.z);
    }
    CairnBody *body = &world->store.bodies[index];
    CairnQuat q = cairn_quat_normalize(orientation);
    CairnVec3 center = cairn_add(position, cairn_rotate(q, body->model->local_center));
    if (!cairn_is_within_reach(center)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "body %u: position is (%g, %g, %g), must be within %g m", id.index,
                           position.x, position.y, position.z, CAIRN_REACH);
    }
    cairn_world_wake_around(world, index);
    body->q = q;
    body->center = center;
    world->pose_changes += 1;
    world->has_problem = false;
    return cairn_ok();
}

CairnStatus cairn_body_set_velocity(CairnWorld *world, CairnBodyId id, CairnVec3 velocity, CairnVec3 angular_velocity) {
    int index;
    CAIRN_TRY(cairn_world_find_body(world, id, &index));
    CAIRN_TRY(check_vector("velocity", velocity));
    CAIRN_TRY(check_vector("angular_velocity", angular_velocity));
    CairnBody *body = &world->store.bodies[index];
    if (body->type == CAIRN_BODY_STATIC && !(is_zero(velocity) && is_zero(angular_velocity))) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "body %u: velocity is not 0, but the body is static", id.index);
    }
    cairn_world_wake_around(world, index); // a floor that begins to move takes along what sleeps on it
    body->velocity = velocity;
    body->angular_velocity = angular_velocity;
    return cairn_ok();
}

CairnStatus cairn_body_wake(CairnWorld *world, CairnBodyId id) {
    int index;
    CAIRN_TRY(cairn_world_find_body(world, id, &index));
    cairn_world_wake(world, index);
    return cairn_ok();
}

CairnStatus cairn_body_set_type(CairnWorld *world, CairnBodyId id, CairnBodyType type) {
    int index;
    CAIRN_TRY(cairn_world_find_body(world, id, &index));
    if ((int)type < CAIRN_BODY_STATIC || (int)type > CAIRN_BODY_DYNAMIC) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "body: type is %d, must be static, kinematic or dynamic", (int)type);
    }
    CairnBody *body = &world->store.bodies[index];
    for (int s = body->first_shape; type == CAIRN_BODY_DYNAMIC && s >= 0; s = world->store.shapes[s].next) {
        if (world->store.shapes[s].model->geometry.is_massless) {
            return cairn_error(CAIRN_INVALID_ARGUMENT, "body %u: type is dynamic, but its shape %d is a %s", id.index,
                               s + 1, cairn_shape_type_name(world->store.shapes[s].model->def.type));
        }
    }
    cairn_world_wake_around(world, index);
    body->type = type;
    if (type == CAIRN_BODY_STATIC) {
        body->velocity = body->angular_velocity = (CairnVec3){0};
    }
    world->has_problem = false;
    return cairn_ok();
}

CairnStatus cairn_body_set_gravity_scale(CairnWorld *world, CairnBodyId id, double scale) {
    int index;
    CAIRN_TRY(cairn_world_find_body(world, id, &index));
    if (!isfinite(scale)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "body: gravity_scale is %g, must be finite", scale);
    }
    if (!cairn_models_prepare_body(&world->store.models, &world->allocator)) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "body: no memory for a gravity_scale of its own");
    }
    cairn_world_wake(world, index);
    CairnBodyModel model = *world->store.bodies[index].model;
    model.gravity_scale = scale;
    cairn_store_set_model(&world->store, &world->allocator, index, &model);
    return cairn_ok();
}

// ---- forces and impulses ----

static CairnStatus find_dynamic(CairnWorld *world, CairnBodyId id, const char *what, CairnVec3 value,
                                CairnBody **body) {
    int index;
    CAIRN_TRY(cairn_world_find_body(world, id, &index));
    CAIRN_TRY(check_vector(what, value));
    *body = &world->store.bodies[index];
    if ((*body)->type != CAIRN_BODY_DYNAMIC) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "body %u: %s has no effect on a body that is not dynamic", id.index,
                           what);
    }
    return cairn_ok();
}

static CairnStatus add_force(CairnWorld *world, CairnBodyId id, CairnVec3 force, CairnVec3 torque) {
    int index = (int)id.index - 1;
    CairnPush push = cairn_store_push_on(&world->store, index);
    push = (CairnPush){cairn_add(push.force, force), cairn_add(push.torque, torque)};
    CAIRN_TRY(check_result("force", id, push.force));
    CAIRN_TRY(check_result("torque", id, push.torque));
    if (!cairn_store_set_push(&world->store, &world->allocator, index, push)) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "body %u: no memory for a force", id.index);
    }
    cairn_world_wake(world, index);
    return cairn_ok();
}

CairnStatus cairn_body_apply_force(CairnWorld *world, CairnBodyId id, CairnVec3 force) {
    CairnBody *body;
    CAIRN_TRY(find_dynamic(world, id, "force", force, &body));
    return add_force(world, id, force, (CairnVec3){0, 0, 0});
}

CairnStatus cairn_body_apply_force_at(CairnWorld *world, CairnBodyId id, CairnVec3 force, CairnVec3 point) {
    CairnBody *body;
    CAIRN_TRY(find_dynamic(world, id, "force", force, &body));
    CAIRN_TRY(check_vector("point", point));
    return add_force(world, id, force, cairn_cross(cairn_sub(point, body->center), force));
}

CairnStatus cairn_body_apply_torque(CairnWorld *world, CairnBodyId id, CairnVec3 torque) {
    CairnBody *body;
    CAIRN_TRY(find_dynamic(world, id, "torque", torque, &body));
    return add_force(world, id, (CairnVec3){0, 0, 0}, torque);
}

CairnStatus cairn_body_clear_forces(CairnWorld *world, CairnBodyId id) {
    int index;
    CAIRN_TRY(cairn_world_find_body(world, id, &index));
    if (index < world->store.push_count) {
        world->store.pushes[index] = (CairnPush){{0, 0, 0}, {0, 0, 0}};
    }
    return cairn_ok();
}

CairnStatus cairn_world_clear_forces(CairnWorld *world) {
    if (world == NULL) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "clear forces: world is NULL");
    }
    world->store.push_count = 0;
    return cairn_ok();
}

// Linear and angular impulse about the centre of mass.
static CairnStatus add_impulse(CairnWorld *world, CairnBody *body, CairnBodyId id, CairnVec3 linear,
                               CairnVec3 angular) {
    if (!body->model->has_mass) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "body %u: impulse on a body that has no mass yet", id.index);
    }
    CairnMat3 axes = cairn_body_axes(body);
    CairnMat3 inverse = cairn_inertia_of_axes(&axes, cairn_inverse_moments(body));
    CairnVec3 velocity = cairn_add_scaled(body->velocity, 1.0 / body->model->mass, linear);
    CairnVec3 spin = cairn_add(body->angular_velocity, cairn_mat3_mul(inverse, angular));
    CAIRN_TRY(check_result("velocity", id, velocity));
    CAIRN_TRY(check_result("angular_velocity", id, spin));
    cairn_world_wake(world, (int)id.index - 1);
    body->velocity = velocity;
    body->angular_velocity = spin;
    return cairn_ok();
}

CairnStatus cairn_body_apply_impulse_at(CairnWorld *world, CairnBodyId id, CairnVec3 impulse, CairnVec3 point) {
    CairnBody *body;
    CAIRN_TRY(find_dynamic(world, id, "impulse", impulse, &body));
    CAIRN_TRY(check_vector("point", point));
    return add_impulse(world, body, id, impulse, cairn_cross(cairn_sub(point, body->center), impulse));
}

CairnStatus cairn_body_apply_angular_impulse(CairnWorld *world, CairnBodyId id, CairnVec3 impulse) {
    CairnBody *body;
    CAIRN_TRY(find_dynamic(world, id, "impulse", impulse, &body));
    return add_impulse(world, body, id, (CairnVec3){0, 0, 0}, impulse);
}
