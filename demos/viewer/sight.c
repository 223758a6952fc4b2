#include "demos/viewer/sight.h"
#include "demos/program/render/render_gather.h"
#include "demos/program/session/reserve.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Taking {
    CairnSightMaker *maker;
    CairnSight *sight;
} Taking;

CairnStatus cairn_sight_reserve(void *array, int *capacity, int count, size_t size) {
    return cairn_array_reserve(array, capacity, count, size)
               ? cairn_ok()
               : cairn_error(CAIRN_OUT_OF_MEMORY, "viewer: no memory for %d things to draw", count);
}

static CairnStatus find_geometry(CairnSightMaker *maker, const CairnGathered *gathered, int *geometry) {
    CairnSightCache *cache = &maker->cache;
    CairnShapeId id = gathered->shape;
    if (id.index >= cache->capacity) {
        uint32_t capacity = 2 * id.index + 64;
        struct CairnSightShape *shapes = realloc(cache->shapes, capacity * sizeof *shapes);
        if (!shapes) {
            return cairn_error(CAIRN_OUT_OF_MEMORY, "viewer: no memory for %u shapes", capacity);
        }
        memset(shapes + cache->capacity, 0, (capacity - cache->capacity) * sizeof *shapes);
        cache->shapes = shapes;
        cache->capacity = capacity;
    }
    struct CairnSightShape *known = &cache->shapes[id.index];
    if (known->shape.index != id.index || known->shape.generation != id.generation || known->shape.world != id.world) {
        maker->lock(maker->guard);
        CairnStatus status = cairn_drawn_mesh_find(maker->store, &gathered->primitive, &known->geometry);
        maker->unlock(maker->guard);
        CAIRN_TRY(status);
        known->shape = id;
    }
    *geometry = known->geometry;
    return cairn_ok();
}

static float reach_of(const CairnSightMaker *maker, const CairnSightItem *item) {
    const float *s = item->scale;
    switch (item->kind) {
    case CAIRN_PRIMITIVE_PLANE:
        return 0;
    case CAIRN_PRIMITIVE_SPHERE:
        return s[0];
    case CAIRN_PRIMITIVE_CAPSULE:
        return s[0] + s[3];
    case CAIRN_PRIMITIVE_FACETS:
    case CAIRN_PRIMITIVE_HULL:
        maker->lock(maker->guard);
        float reach = maker->store->items[item->geometry].reach;
        maker->unlock(maker->guard);
        return reach;
    default:
        return sqrtf(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
    }
}

// Its shapes come one after the other.
static CairnStatus take_body(Taking *taking, const CairnBodyState *state, CairnBodyId id, int *index) {
    CairnSight *sight = taking->sight;
    int last = sight->body_count - 1;
    if (last < 0 || sight->bodies[last].id.index != id.index) {
        CAIRN_TRY(cairn_sight_reserve(&sight->bodies, &sight->body_capacity, last + 2, sizeof *sight->bodies));
        CairnVec3 c = state->center;
        sight->bodies[++last] = (CairnSightBody){.id = id,
                                                 .center = {(float)c.x, (float)c.y, (float)c.z},
                                                 .mass = (float)state->mass.mass,
                                                 .speed = (float)cairn_length(state->velocity),
                                                 .part = state->type == CAIRN_BODY_DYNAMIC ? state->part : -1,
                                                 .island = -1,
                                                 .is_static = state->type != CAIRN_BODY_DYNAMIC};
        sight->body_count = last + 1;
    }
    *index = last;
    return cairn_ok();
}

static CairnStatus take_primitive(void *user, const CairnGathered *gathered) {
    Taking *taking = user;
    CairnSight *sight = taking->sight;
    const CairnPrimitive *primitive = &gathered->primitive;
    CAIRN_TRY(cairn_sight_reserve(&sight->items, &sight->item_capacity, sight->item_count + 1, sizeof *sight->items));
    static const int geometry_of[] = {[CAIRN_PRIMITIVE_SPHERE] = CAIRN_DRAWN_SPHERE,
                                      [CAIRN_PRIMITIVE_BOX] = CAIRN_DRAWN_BOX,
                                      [CAIRN_PRIMITIVE_CYLINDER] = CAIRN_DRAWN_CYLINDER,
                                      [CAIRN_PRIMITIVE_CAPSULE] = CAIRN_DRAWN_CAPSULE,
                                      [CAIRN_PRIMITIVE_ROD] = CAIRN_DRAWN_CYLINDER,
                                      [CAIRN_PRIMITIVE_PLANE] = CAIRN_DRAWN_BOX,
                                      [CAIRN_PRIMITIVE_FACETS] = -1,
                                      [CAIRN_PRIMITIVE_HULL] = -1};
    CairnTransform pose = primitive->pose;
    CairnSightItem item = {.position = {(float)pose.p.x, (float)pose.p.y, (float)pose.p.z},
                           .turn = {(float)pose.q.x, (float)pose.q.y, (float)pose.q.z, (float)pose.q.w},
                           .scale = {(float)primitive->half.x, (float)primitive->half.y, (float)primitive->half.z, 0},
                           .color = {(float)primitive->color.r, (float)primitive->color.g, (float)primitive->color.b},
                           .kind = primitive->kind,
                           .geometry = geometry_of[primitive->kind],
                           .body = -1,
                           .is_static = !primitive->has_pattern};
    if (primitive->kind == CAIRN_PRIMITIVE_CAPSULE) {
        item.scale[2] = (float)primitive->half.x;
        item.scale[3] = (float)primitive->half.z;
    } else if (item.geometry < 0 || primitive->kind == CAIRN_PRIMITIVE_PLANE) {
        item.scale[0] = item.scale[1] = item.scale[2] = 1;
    }
    if (item.geometry < 0) {
        CAIRN_TRY(find_geometry(taking->maker, gathered, &item.geometry));
    }
    if (gathered->body) {
        CAIRN_TRY(take_body(taking, gathered->body, gathered->id, &item.body));
    }
    item.reach = reach_of(taking->maker, &item);
    sight->items[sight->item_count++] = item;
    return cairn_ok();
}

CairnStatus cairn_sight_take(CairnSightMaker *maker, const CairnWorld *world, double dt, CairnSight *sight) {
    sight->item_count = sight->body_count = 0;
    Taking taking = {maker, sight};
    int parts = cairn_world_part_seconds(world, sight->part_seconds, CAIRN_SIGHT_PARTS);
    sight->part_count = parts < CAIRN_SIGHT_PARTS ? parts : CAIRN_SIGHT_PARTS;
    CAIRN_TRY(cairn_gather(world, maker->rod_width, take_primitive, &taking));
    return cairn_sight_take_forces(maker, world, dt, sight);
}

// Both verdicts: the referee's on the impulses, and the audit's on the motion that came of them.
void cairn_sight_judge(CairnSight *sight) {
    const CairnResidual *residual = &sight->stats.residual;
    const CairnSolveReport *solve = &sight->stats.solve;
    bool is_first = sight->stats.step_index == 0;
    sight->is_sound = !sight->is_audited || sight->audited.is_sound;
    if (!cairn_is_ok(sight->status)) {
        sight->is_certified = false;
        snprintf(sight->verdict, sizeof sight->verdict, "stopped: %.180s", sight->status.message);
        return;
    }
    sight->is_certified = is_first || residual->is_certified;
    int length;
    if (is_first) {
        length = snprintf(sight->verdict, sizeof sight->verdict, "before the first step");
    } else if (residual->is_certified) {
        length = snprintf(sight->verdict, sizeof sight->verdict, "certified");
    } else if (residual->scaled > residual->limit) {
        length = snprintf(sight->verdict, sizeof sight->verdict, "NOT certified: residual %.1e > %.1e m/s, %s after %d",
                          residual->scaled, residual->limit, cairn_outcome_name(solve->outcome), solve->iterations);
    } else {
        length = snprintf(sight->verdict, sizeof sight->verdict,
                          "NOT certified: friction cones off by %.1e > 1e-8, %s after %d", residual->cone,
                          cairn_outcome_name(solve->outcome), solve->iterations);
    }
    if (sight->is_audited) {
        char words[160];
        cairn_audit_words(&sight->audited, words, sizeof words);
        snprintf(sight->verdict + length, sizeof sight->verdict - (size_t)length, ", %s", words);
    }
}

void cairn_sight_free(CairnSight *sight) {
    free(sight->items);
    free(sight->bodies);
    free(sight->contacts);
    free(sight->joints);
    *sight = (CairnSight){.items = NULL};
}

void cairn_sight_maker_reset(CairnSightMaker *maker) {
    free(maker->cache.shapes);
    maker->cache = (CairnSightCache){NULL, 0};
}

void cairn_sight_maker_free(CairnSightMaker *maker) {
    cairn_sight_maker_reset(maker);
    free(maker->contacts);
    free(maker->body_index);
    maker->contacts = NULL;
    maker->body_index = NULL;
    maker->contact_capacity = maker->index_capacity = 0;
}
