// Shapes: put on bodies and taken off.
#include "collision/shapes/shape_def.h"
#include "engine/base/memory.h"
#include "engine/sleep.h"

CairnStatus cairn_shape_create(CairnWorld *world, CairnBodyId body_id, const CairnShapeDef *def, CairnShapeId *id) {
    int owner;
    CAIRN_TRY(cairn_world_find_body(world, body_id, &owner));
    CAIRN_TRY(cairn_shape_check(def));
    CairnStore *store = &world->store;
    int needed = store->shape_pool.count;
    if (!cairn_models_prepare_body(&store->models, &world->allocator) ||
        !cairn_pool_prepare(&store->shape_pool, &world->allocator, &needed) ||
        !cairn_memory_reserve(&world->allocator, &store->shapes, &store->shape_capacity, needed, sizeof(CairnShape))) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "shape: no memory for shape %d", needed);
    }
    CairnShapeModel wanted = {.def = *def};
    CAIRN_TRY(cairn_geometry_make(def, &world->allocator, &wanted.geometry));
    if (wanted.geometry.is_massless && store->bodies[owner].type == CAIRN_BODY_DYNAMIC) {
        cairn_geometry_free(&wanted.geometry, &world->allocator);
        return cairn_error(CAIRN_INVALID_ARGUMENT,
                           "shape: type is %s, but body %u is dynamic: such a shape has no mass",
                           cairn_shape_type_name(def->type), body_id.index);
    }
    cairn_geometry_copy_points(&wanted.geometry, &wanted.def);
    CairnShapeModel *model = cairn_models_acquire_shape(&store->models, &world->allocator, &wanted);
    if (model == NULL) {
        cairn_geometry_free(&wanted.geometry, &world->allocator);
        return cairn_error(CAIRN_OUT_OF_MEMORY, "shape: no memory for the definition of shape %d", needed);
    }
    int index = cairn_pool_take(&store->shape_pool);
    world->shape_changes += 1;
    store->shapes[index] = (CairnShape){.model = model, .body = owner, .next = -1};
    int *link = &store->bodies[owner].first_shape; // at the end: shapes list in the order they were made
    while (*link >= 0) {
        link = &store->shapes[*link].next;
    }
    *link = index;
    cairn_world_wake_around(world, owner);
    cairn_store_update_mass(store, &world->allocator, owner);
    world->has_problem = false;
    if (id != NULL) {
        *id = cairn_world_shape_id(world, index);
    }
    return cairn_ok();
}

void cairn_world_remove_shape(CairnWorld *world, int shape) {
    CairnStore *store = &world->store;
    int *link = &store->bodies[store->shapes[shape].body].first_shape;
    while (*link != shape) {
        link = &store->shapes[*link].next;
    }
    *link = store->shapes[shape].next;
    cairn_models_release_shape(&store->models, &world->allocator, store->shapes[shape].model);
    cairn_pool_give(&store->shape_pool, shape);
    world->shape_changes += 1;
    world->has_problem = false;
}

CairnStatus cairn_shape_destroy(CairnWorld *world, CairnShapeId id) {
    int index;
    CAIRN_TRY(cairn_world_find_shape(world, id, &index));
    int owner = world->store.shapes[index].body;
    if (!cairn_models_prepare_body(&world->store.models, &world->allocator)) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "shape: no memory for the mass that body %d has without it", owner + 1);
    }
    cairn_world_wake_around(world, owner);
    cairn_world_remove_shape(world, index);
    cairn_store_update_mass(&world->store, &world->allocator, owner);
    return cairn_ok();
}

CairnStatus cairn_shape_get(const CairnWorld *world, CairnShapeId id, CairnShapeDef *def, CairnBodyId *body) {
    int index;
    CAIRN_TRY(cairn_world_find_shape(world, id, &index));
    if (def != NULL) {
        *def = world->store.shapes[index].model->def;
    }
    if (body != NULL) {
        *body = cairn_world_body_id(world, world->store.shapes[index].body);
    }
    return cairn_ok();
}

// A shape's definition changes for itself alone: numbers only, the geometry stays.
static CairnStatus change_def(CairnWorld *world, int index, const CairnShapeDef *def) {
    CairnShape *shape = &world->store.shapes[index];
    if (shape->model->users > 1) {
        CairnShapeModel wanted = {.def = *def, .geometry = shape->model->geometry};
        CairnShapeModel *model = cairn_models_acquire_shape(&world->store.models, &world->allocator, &wanted);
        if (model == NULL) {
            return cairn_error(CAIRN_OUT_OF_MEMORY, "shape: no memory for a definition of its own");
        }
        shape->model->users -= 1;
        shape->model = model;
    } else {
        shape->model->def = *def;
    }
    cairn_world_wake_around(world, shape->body);
    return cairn_ok();
}

CairnStatus cairn_shape_set_filter(CairnWorld *world, CairnShapeId id, CairnFilter filter) {
    int index;
    CAIRN_TRY(cairn_world_find_shape(world, id, &index));
    CairnShapeDef changed = world->store.shapes[index].model->def;
    changed.filter = filter;
    return change_def(world, index, &changed);
}

CairnStatus cairn_shape_set_material(CairnWorld *world, CairnShapeId id, CairnMaterial material) {
    int index;
    CAIRN_TRY(cairn_world_find_shape(world, id, &index));
    CairnShapeDef changed = world->store.shapes[index].model->def;
    changed.friction = material.friction;
    changed.restitution = material.restitution;
    changed.rolling_friction = material.rolling_friction;
    changed.torsional_friction = material.torsional_friction;
    CAIRN_TRY(cairn_shape_check(&changed));
    return change_def(world, index, &changed);
}
