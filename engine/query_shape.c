// Queries with a shape: what it overlaps, what is nearest to it, what it meets when it moves.
#include "collision/convex/distance.h"
#include "collision/shapes/shape_def.h"
#include "engine/query_tree.h"
#include <string.h>

// ---- the given shape ----

static CairnStatus check_pointers(const char *query, const void *world, const void *shape, const void *first,
                                  const char *first_name, const void *second, const char *second_name) {
    const char *name = world == NULL    ? "world"
                       : shape == NULL  ? "shape"
                       : first == NULL  ? first_name
                       : second == NULL ? second_name
                                        : NULL;
    return name == NULL ? cairn_ok() : cairn_error(CAIRN_INVALID_ARGUMENT, "%s: %s is NULL", query, name);
}

static CairnStatus check_vec3(const char *query, const char *name, CairnVec3 v) {
    if (!cairn_vec3_is_finite(v)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "%s: %s is (%g, %g, %g), must be finite", query, name, v.x, v.y,
                           v.z);
    }
    return cairn_ok();
}

static CairnStatus check_distance(const char *query, double max_distance) {
    if (!(max_distance >= 0)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "%s: max_distance is %g, must be in [0, inf]", query, max_distance);
    }
    return cairn_ok();
}

// The shape of the query, at its pose. Free its geometry with the world's allocator.
typedef struct Probe {
    CairnGeometry geometry;
    CairnTransform pose;
} Probe;

static CairnStatus make_probe(const CairnWorld *world, const char *query, const CairnShapeDef *def, CairnTransform pose,
                              Probe *probe) {
    CAIRN_TRY(check_vec3(query, "pose.p", pose.p));
    if (!cairn_quat_is_unit(pose.q)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "%s: pose.q is (%g, %g, %g, %g), must be of unit length", query,
                           pose.q.w, pose.q.x, pose.q.y, pose.q.z);
    }
    CAIRN_TRY(cairn_shape_check(def));
    CAIRN_TRY(cairn_geometry_make(def, &world->allocator, &probe->geometry));
    if (!cairn_geometry_is_convex(&probe->geometry)) {
        cairn_geometry_free(&probe->geometry, &world->allocator);
        return cairn_error(CAIRN_INVALID_ARGUMENT, "%s: type of the shape is %s, must be convex and bounded", query,
                           cairn_shape_type_name(def->type));
    }
    pose.q = cairn_quat_normalize(pose.q);
    probe->pose = cairn_transform_mul(pose, probe->geometry.local);
    return cairn_ok();
}

// A point is a ball without size, a box needs no definition.
static Probe point_probe(CairnVec3 point) {
    Probe probe;
    memset(&probe, 0, sizeof probe);
    probe.geometry.type = CAIRN_SHAPE_SPHERE;
    probe.pose = (CairnTransform){point, {1, 0, 0, 0}};
    return probe;
}

static Probe box_probe(CairnVec3 low, CairnVec3 high) {
    Probe probe = point_probe(cairn_add_scaled(low, 0.5, cairn_sub(high, low)));
    probe.geometry.type = CAIRN_SHAPE_BOX;
    probe.geometry.half = cairn_scale(0.5, cairn_sub(high, low));
    return probe;
}

static CairnBodyId owner(const CairnWorld *world, int index) {
    return cairn_world_body_id(world, world->store.shapes[index].body);
}

// ---- the queries ----

// The probe and a shape of the world; false: they are farther apart than `limit`.
static bool separation_within(const CairnWorld *world, const Probe *probe, int index, CairnTransform pose, double limit,
                              CairnSeparation *separation) {
    return cairn_separation(&probe->geometry, probe->pose, &world->store.shapes[index].model->geometry, pose, limit,
                            separation);
}

// A heap of what was found, the last slot on top.
static void sift_down(CairnFound *found, int root, int count) {
    CairnFound sinking = found[root];
    for (int child = 2 * root + 1; child < count; child = 2 * root + 1) {
        child += child + 1 < count && found[child + 1].shape.index > found[child].shape.index ? 1 : 0;
        if (found[child].shape.index <= sinking.shape.index) {
            break;
        }
        found[root] = found[child];
        root = child;
    }
    found[root] = sinking;
}

static void sift_up(CairnFound *found, int at) {
    CairnFound rising = found[at];
    while (at > 0 && found[(at - 1) / 2].shape.index < rising.shape.index) {
        found[at] = found[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    found[at] = rising;
}

// Where there are more than there is room for, the first slots are kept.
static void keep_found(CairnFound *found, int count, int capacity, CairnFound one) {
    if (count < capacity) {
        found[count] = one;
        sift_up(found, count);
    } else if (capacity > 0 && one.shape.index < found[0].shape.index) {
        found[0] = one;
        sift_down(found, 0, capacity);
    }
}

static void sort_found(CairnFound *found, int count) {
    for (int end = count - 1; end > 0; --end) {
        CairnFound last = found[0];
        found[0] = found[end];
        found[end] = last;
        sift_down(found, 0, end);
    }
}

static int overlap(const CairnWorld *world, const Probe *probe, CairnFilter filter, CairnFound *found, int capacity) {
    CairnQuery query;
    CairnTransform pose;
    int count = 0;
    cairn_query_near(&query, world, filter, cairn_geometry_box(&probe->geometry, probe->pose), 0);
    for (int i; (i = cairn_query_next(&query, &pose)) >= 0;) {
        CairnSeparation separation;
        if (separation_within(world, probe, i, pose, 0, &separation)) {
            keep_found(found, count, capacity, (CairnFound){cairn_world_shape_id(world, i), owner(world, i)});
            count += 1;
        }
    }
    sort_found(found, count < capacity ? count : capacity);
    return count;
}

static CairnStatus check_found(const char *query, const CairnFound *found, int capacity) {
    if (capacity < 0) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "%s: capacity is %d, must be at least 0", query, capacity);
    }
    if (found == NULL && capacity > 0) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "%s: found is NULL, but capacity is %d", query, capacity);
    }
    return cairn_ok();
}

CairnStatus cairn_world_overlap_box(const CairnWorld *world, CairnVec3 low, CairnVec3 high, CairnFilter filter,
                                    CairnFound *found, int capacity, int *count) {
    CAIRN_TRY(check_pointers("overlap", world, &low, count, "count", count, "count"));
    CAIRN_TRY(check_found("overlap", found, capacity));
    CAIRN_TRY(check_vec3("overlap", "low", low));
    CAIRN_TRY(check_vec3("overlap", "high", high));
    if (!(low.x <= high.x && low.y <= high.y && low.z <= high.z)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT,
                           "overlap: low is (%g, %g, %g), must not be above high = (%g, %g, %g)", low.x, low.y, low.z,
                           high.x, high.y, high.z);
    }
    Probe probe = box_probe(low, high);
    *count = overlap(world, &probe, filter, found, capacity);
    return cairn_ok();
}

CairnStatus cairn_world_overlap_shape(const CairnWorld *world, const CairnShapeDef *shape, CairnTransform pose,
                                      CairnFilter filter, CairnFound *found, int capacity, int *count) {
    CAIRN_TRY(check_pointers("overlap", world, shape, count, "count", count, "count"));
    CAIRN_TRY(check_found("overlap", found, capacity));
    Probe probe;
    CAIRN_TRY(make_probe(world, "overlap", shape, pose, &probe));
    *count = overlap(world, &probe, filter, found, capacity);
    cairn_geometry_free(&probe.geometry, &world->allocator);
    return cairn_ok();
}

static bool find_closest(const CairnWorld *world, const Probe *probe, double max_distance, CairnFilter filter,
                         CairnClosest *closest) {
    CairnQuery query;
    CairnTransform pose;
    bool has_closest = false;
    cairn_query_near(&query, world, filter, cairn_geometry_box(&probe->geometry, probe->pose), max_distance);
    for (int i; (i = cairn_query_next(&query, &pose)) >= 0;) {
        CairnSeparation s;
        if (separation_within(world, probe, i, pose, max_distance, &s) &&
            (!has_closest || s.distance < closest->distance || i < (int)closest->shape.index - 1)) { // or alike
            has_closest = true;
            max_distance = s.distance;
            cairn_query_limit(&query, max_distance);
            // Where they overlap, the middle of the given shape is returned for both points.
            bool is_apart = s.distance > 0;
            *closest = (CairnClosest){
                cairn_world_shape_id(world, i),    owner(world, i),     is_apart ? s.on_a : probe->pose.p,
                is_apart ? s.on_b : probe->pose.p, cairn_neg(s.normal), s.distance};
        }
    }
    return has_closest;
}

CairnStatus cairn_world_closest_point(const CairnWorld *world, CairnVec3 point, double max_distance, CairnFilter filter,
                                      CairnClosest *closest, bool *has_closest) {
    CAIRN_TRY(check_pointers("closest", world, &point, closest, "closest", has_closest, "has_closest"));
    CAIRN_TRY(check_vec3("closest", "point", point));
    CAIRN_TRY(check_distance("closest", max_distance));
    Probe probe = point_probe(point);
    *has_closest = find_closest(world, &probe, max_distance, filter, closest);
    return cairn_ok();
}

CairnStatus cairn_world_closest_shape(const CairnWorld *world, const CairnShapeDef *shape, CairnTransform pose,
                                      double max_distance, CairnFilter filter, CairnClosest *closest,
                                      bool *has_closest) {
    CAIRN_TRY(check_pointers("closest", world, shape, closest, "closest", has_closest, "has_closest"));
    CAIRN_TRY(check_distance("closest", max_distance));
    Probe probe;
    CAIRN_TRY(make_probe(world, "closest", shape, pose, &probe));
    *has_closest = find_closest(world, &probe, max_distance, filter, closest);
    cairn_geometry_free(&probe.geometry, &world->allocator);
    return cairn_ok();
}

// Two fractions count as equal within this, as cairn_shape_cast ends up to 1e-10 of the displacement before the touch.
static const double arrival = 1e-9;

static bool cast(const CairnWorld *world, const Probe *probe, CairnVec3 displacement, CairnFilter filter,
                 CairnCastHit *hit) {
    CairnAabb box = cairn_geometry_box(&probe->geometry, probe->pose);
    double by = arrival * cairn_length(displacement);
    CairnVec3 half = cairn_add(cairn_scale(0.5, cairn_sub(box.high, box.low)), (CairnVec3){by, by, by});
    CairnQuery query;
    CairnTransform pose;
    bool has_hit = false;
    cairn_query_ray(&query, world, filter, cairn_scale(0.5, cairn_add(box.low, box.high)), half, displacement, 1);
    for (int i; (i = cairn_query_next(&query, &pose)) >= 0;) {
        const CairnGeometry *geometry = &world->store.shapes[i].model->geometry;
        CairnSeparation at = {.normal = {0, 0, 1}};
        double fraction;
        if (cairn_shape_cast(&probe->geometry, probe->pose, displacement, geometry, pose, &fraction, &at) &&
            (!has_hit || fraction < hit->fraction || (fraction <= hit->fraction && i < (int)hit->shape.index - 1))) {
            has_hit = true;
            cairn_query_limit(&query, fraction + arrival);
            // Where they first touch lies on the probe along the normal; a flat touch has many such points, this is
            // one.
            CairnTransform there = probe->pose;
            there.p = cairn_add_scaled(there.p, fraction, displacement);
            CairnVec3 point = at.distance > 0 ? cairn_scale(0.5, cairn_add(at.on_a, at.on_b))
                                              : cairn_geometry_support(&probe->geometry, there, at.normal);
            *hit =
                (CairnCastHit){cairn_world_shape_id(world, i), owner(world, i), point, cairn_neg(at.normal), fraction};
        }
    }
    return has_hit;
}

CairnStatus cairn_world_shape_cast(const CairnWorld *world, const CairnShapeDef *shape, CairnTransform pose,
                                   CairnVec3 way, CairnFilter filter, CairnCastHit *hit, bool *has_hit) {
    CAIRN_TRY(check_pointers("cast", world, shape, hit, "hit", has_hit, "has_hit"));
    CAIRN_TRY(check_vec3("cast", "way", way));
    Probe probe;
    CAIRN_TRY(make_probe(world, "cast", shape, pose, &probe));
    *has_hit = cast(world, &probe, way, filter, hit);
    cairn_geometry_free(&probe.geometry, &world->allocator);
    return cairn_ok();
}
