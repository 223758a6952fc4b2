// Shapes: put on bodies and taken off.
#include "collision/shape_def.h"
#include "engine/base/memory.h"
#include "engine/sleep.h"

CairnStatus cairn_shape_create(CairnWorld *world, CairnBodyId body_id, const CairnShapeDef *def, CairnShapeId *id) {
    int owner;
    CAIRN_TRY(cairn_world_find_body(world, body_id, &owner));
    CAIRN_TRY(cairn_shape_check(def));
    CairnStore *store = &world->store;
    int needed;
    if (!cairn_pool_prepare(&store->shape_pool, &world->allocator, &needed) ||
        !cairn_memory_reserve(&world->allocator, &store->shapes, &store->shape_capacity, needed, sizeof(CairnShape))) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "shape: no memory for shape %d", needed);
    }
    CairnGeometry geometry;
    CAIRN_TRY(cairn_geometry_make(def, &world->allocator, &geometry));
    if (geometry.is_massless && store->bodies[owner].type == CAIRN_DYNAMIC) {
        cairn_geometry_free(&geometry, &world->allocator);
        return cairn_error(CAIRN_INVALID_ARGUMENT,
                           "shape: type is %s, but body %u is dynamic: such a shape has no mass",
                           cairn_shape_type_name(def->type), body_id.index);
    }
    int index = cairn_pool_take(&store->shape_pool);
    world->shape_changes += 1;
    store->shapes[index] = (CairnShape){.def = *def, .geometry = geometry, .body = owner, .next = -1};
    cairn_geometry_keep_points(&geometry, &store->shapes[index].def);
    int *link = &store->bodies[owner].first_shape; // at the end: shapes list in the order they were made
    while (*link >= 0) {
        link = &store->shapes[*link].next;
    }
    *link = index;
    cairn_world_wake_around(world, owner);
    cairn_store_update_mass(store, owner);
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
    cairn_geometry_free(&store->shapes[shape].geometry, &world->allocator);
    cairn_pool_give(&store->shape_pool, shape);
    world->shape_changes += 1;
    world->has_problem = false;
}

CairnStatus cairn_shape_destroy(CairnWorld *world, CairnShapeId id) {
    int index;
    CAIRN_TRY(cairn_world_find_shape(world, id, &index));
    int owner = world->store.shapes[index].body;
    cairn_world_wake_around(world, owner);
    cairn_world_remove_shape(world, index);
    cairn_store_update_mass(&world->store, owner);
    return cairn_ok();
}

CairnStatus cairn_shape_get(const CairnWorld *world, CairnShapeId id, CairnShapeDef *def, CairnBodyId *body) {
    int index;
    CAIRN_TRY(cairn_world_find_shape(world, id, &index));
    if (def != NULL) {
        *def = world->store.shapes[index].def;
    }
    if (body != NULL) {
        *body = cairn_world_body_id(world, world->store.shapes[index].body);
    }
    return cairn_ok();
}

CairnStatus cairn_shape_set_filter(CairnWorld *world, CairnShapeId id, CairnFilter filter) {
    int index;
    CAIRN_TRY(cairn_world_find_shape(world, id, &index));
    cairn_world_wake_around(world, world->store.shapes[index].body);
    world->store.shapes[index].def.filter = filter;
    return cairn_ok();
}

CairnStatus cairn_shape_set_material(CairnWorld *world, CairnShapeId id, CairnMaterial material) {
    int index;
    CAIRN_TRY(cairn_world_find_shape(world, id, &index));
    CairnShapeDef changed = world->store.shapes[index].def;
    changed.friction = material.friction;
    changed.restitution = material.restitution;
    changed.rolling_friction = material.rolling_friction;
    changed.torsional_friction = material.torsional_friction;
    CAIRN_TRY(cairn_shape_check(&changed));
    cairn_world_wake_around(world, world->store.shapes[index].body);
    world->store.shapes[index].def = changed;
    return cairn_ok();
}
