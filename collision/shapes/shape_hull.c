// Convex hull of points.
#include "collision/shapes/hull.h"
#include "collision/shapes/shape_kind.h"
#include "engine/base/mat3.h"

#define LARGEST_COORDINATE 1e9

static CairnStatus check(const CairnShapeDef *def) {
    if (def->points == NULL) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "shape: points of a hull = NULL");
    }
    if (def->point_count < 4) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "shape: point_count = %d of a hull must be at least 4",
                           def->point_count);
    }
    double extent = 0;
    for (int i = 0; i < def->point_count; ++i) {
        CairnVec3 p = def->points[i], from = cairn_sub(p, def->points[0]);
        extent = cairn_max(extent, cairn_max(fabs(from.x), cairn_max(fabs(from.y), fabs(from.z))));
        if (!(cairn_max(fabs(p.x), cairn_max(fabs(p.y), fabs(p.z))) <= LARGEST_COORDINATE) ||
            !cairn_vec3_is_finite(p)) {
            return cairn_error(CAIRN_INVALID_ARGUMENT, "shape: points[%d] = (%g, %g, %g) of a hull must be in [%g, %g]",
                               i, p.x, p.y, p.z, -LARGEST_COORDINATE, LARGEST_COORDINATE);
        }
    }
    if (extent > 0 && extent < CAIRN_SMALLEST_SIZE) { // 0: said by the builder
        return cairn_error(CAIRN_INVALID_ARGUMENT,
                           "shape: points of a hull: all %d lie within %g, must be at least %g apart", def->point_count,
                           extent, CAIRN_SMALLEST_SIZE);
    }
    return cairn_ok();
}

static CairnStatus make(const CairnShapeDef *def, const CairnAllocator *allocator, CairnGeometry *geometry) {
    return cairn_hull_build(def->points, def->point_count, allocator, &geometry->hull);
}

static void release(CairnGeometry *geometry, const CairnAllocator *allocator) {
    cairn_hull_free(geometry->hull, allocator);
    geometry->hull = NULL;
}

static CairnAabb box(const CairnGeometry *geometry, CairnTransform pose) {
    const CairnHull *hull = geometry->hull;
    CairnMat3 r = cairn_mat3_of_quat(pose.q);
    CairnVec3 low = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high = cairn_neg(low);
    for (int v = 0; v < hull->vertex_count; ++v) {
        CairnVec3 p = cairn_mat3_mul(r, hull->vertices[v]);
        low = (CairnVec3){cairn_min(low.x, p.x), cairn_min(low.y, p.y), cairn_min(low.z, p.z)};
        high = (CairnVec3){cairn_max(high.x, p.x), cairn_max(high.y, p.y), cairn_max(high.z, p.z)};
    }
    return (CairnAabb){cairn_add(pose.p, low), cairn_add(pose.p, high)};
}

static CairnMassProperties mass(const CairnGeometry *geometry, double density) {
    const CairnHull *hull = geometry->hull;
    return (CairnMassProperties){density * hull->volume, hull->mass_center, cairn_mat3_scaled(density, hull->inertia)};
}

static double reach(const CairnGeometry *geometry, CairnVec3 p) {
    double squared = 0;
    for (int v = 0; v < geometry->hull->vertex_count; ++v) {
        squared = cairn_max(squared, cairn_length_squared(cairn_sub(geometry->hull->vertices[v], p)));
    }
    return sqrt(squared);
}

// The ray hits where it has entered all planes and has not yet left any of them.
static bool ray(const CairnGeometry *geometry, CairnVec3 origin, CairnVec3 direction, double *distance,
                CairnVec3 *normal) {
    const CairnHull *hull = geometry->hull;
    double enter = -HUGE_VAL, exit = HUGE_VAL;
    int face = -1;
    for (int f = 0; f < hull->face_count; ++f) {
        double height = cairn_dot(hull->normals[f], origin) - hull->offsets[f];
        double speed = cairn_dot(hull->normals[f], direction);
        if (speed == 0) {
            if (height > 0) {
                return false;
            }
        } else if (speed > 0) {
            exit = cairn_min(exit, -height / speed);
        } else if (height / -speed > enter) {
            enter = height / -speed;
            face = f;
        }
    }
    if (face < 0 || enter < 0 || enter > exit) { // enter < 0: behind the origin, or the origin is inside
        return false;
    }
    *distance = enter;
    *normal = hull->normals[face];
    return true;
}

static CairnVec3 support(const CairnGeometry *geometry, CairnVec3 direction) {
    return geometry->hull->vertices[cairn_hull_support(geometry->hull, direction, 0)];
}

const CairnShapeKind cairn_kind_hull = {check, make, release, box, mass, reach, ray, support};
