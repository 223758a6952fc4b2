// Queries: the last step's contacts, rays, the state's hash.
#include "engine/base/hash.h"
#include "engine/query_tree.h"
#include <string.h>

// A record outlives its shapes until the next step; their ids are then null.
static bool is_same_shape(const CairnWorld *world, int shape, uint32_t generation) {
    const CairnPool *pool = &world->store.shape_pool;
    return cairn_pool_is_alive(pool, shape) && pool->slots[shape].generation == generation;
}

static CairnShapeId shape_id_or_null(const CairnWorld *world, int shape, uint32_t generation) {
    return is_same_shape(world, shape, generation) ? cairn_world_shape_id(world, shape) : (CairnShapeId){0, 0, 0};
}

static CairnBodyId owner_or_null(const CairnWorld *world, int shape, uint32_t generation) {
    return is_same_shape(world, shape, generation) ? cairn_world_body_id(world, world->store.shapes[shape].body)
                                                   : (CairnBodyId){0, 0, 0};
}

int cairn_world_contacts(const CairnWorld *world, CairnContact *contacts, int capacity) {
    if (world == NULL) {
        return 0;
    }
    const CairnStore *store = &world->store;
    double whole = world->def.integrator == CAIRN_INTEGRATOR_MIDPOINT ? 2 : 1; // records are of its second half
    for (int i = 0; contacts != NULL && i < store->contact_count && i < capacity; i++) {
        const CairnContactRecord *r = &store->contacts[i];
        CairnVec3 t2 = cairn_cross(r->normal, r->tangent_1);
        contacts[i] = (CairnContact){
            .shape_a = shape_id_or_null(world, r->shape_a, r->generation_a),
            .shape_b = shape_id_or_null(world, r->shape_b, r->generation_b),
            .body_a = owner_or_null(world, r->shape_a, r->generation_a),
            .body_b = owner_or_null(world, r->shape_b, r->generation_b),
            .point = r->point,
            .normal = r->normal,
            .tangent_1 = r->tangent_1,
            .tangent_2 = t2,
            .distance = r->distance,
            .impulse = {whole * r->normal_impulse, whole * r->tangents[0], whole * r->tangents[1]},
            .id = r->id,
        };
    }
    return store->contact_count;
}

static CairnStatus check_ray(CairnVec3 origin, CairnVec3 direction, double max_distance) {
    double length = cairn_length(direction);
    if (!cairn_vec3_is_finite(origin)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "ray: origin is (%g, %g, %g), must be finite", origin.x, origin.y,
                           origin.z);
    }
    if (!(length > 0) || !isfinite(length)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "ray: direction is (%g, %g, %g), must have a direction", direction.x,
                           direction.y, direction.z);
    }
    if (!(max_distance >= 0)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "ray: max_distance is %g, must be in [0, inf]", max_distance);
    }
    return cairn_ok();
}

CairnStatus cairn_world_ray_cast(const CairnWorld *world, CairnVec3 origin, CairnVec3 direction, double max_distance,
                                 CairnFilter filter, CairnRayHit *hit, bool *has_hit) {
    if (world == NULL || hit == NULL || has_hit == NULL) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "ray: %s is NULL",
                           world == NULL ? "world"
                           : hit == NULL ? "hit"
                                         : "has_hit");
    }
    CAIRN_TRY(check_ray(origin, direction, max_distance));
    CairnVec3 unit = cairn_normalize(direction);
    *has_hit = false;
    CairnQuery query;
    CairnTransform pose;
    double nearest = max_distance;
    cairn_query_ray(&query, world, filter, origin, (CairnVec3){0, 0, 0}, unit, nearest);
    for (int s; (s = cairn_query_next(&query, &pose)) >= 0;) {
        const CairnShape *shape = &world->store.shapes[s];
        double distance;
        CairnVec3 normal;
        if (cairn_geometry_ray(&shape->model->geometry, pose, origin, unit, nearest, &distance, &normal) &&
            (!*has_hit || distance < nearest || s < (int)hit->shape.index - 1)) { // of two alike the first one
            nearest = distance;
            cairn_query_limit(&query, nearest);
            *has_hit = true;
            *hit = (CairnRayHit){cairn_world_shape_id(world, s), cairn_world_body_id(world, shape->body),
                                 cairn_add_scaled(origin, distance, unit), normal, distance};
        }
    }
    return cairn_ok();
}

static uint64_t hash_double(uint64_t hash, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return cairn_hash_combine(hash, bits);
}

static uint64_t hash_vec3(uint64_t hash, CairnVec3 v) {
    return hash_double(hash_double(hash_double(hash, v.x), v.y), v.z);
}

uint64_t cairn_world_state_hash(const CairnWorld *world) {
    if (world == NULL) {
        return 0;
    }
    const CairnStore *store = &world->store;
    uint64_t hash = cairn_hash_mix((uint64_t)store->body_pool.alive);
    for (int i = 0; i < store->body_pool.count; i++) {
        if (cairn_pool_is_alive(&store->body_pool, i)) {
            const CairnBody *b = &store->bodies[i];
            hash = hash_vec3(cairn_hash_combine(hash, (uint64_t)i), b->center);
            hash = hash_double(hash_double(hash_double(hash_double(hash, b->q.w), b->q.x), b->q.y), b->q.z);
            hash = hash_vec3(hash_vec3(hash, b->velocity), b->angular_velocity);
        }
    }
    return hash;
}
