// Geometry: the table of shape types, and what follows from a shape alone: its box, mass, reach, rays.
#include "collision/shapes/hull.h"
#include "collision/shapes/mesh.h"
#include "collision/shapes/shape_kind.h"
#include "engine/base/mat3.h"
#include <string.h>

// The types of shapes: one line for each file shape_NAME.c.
// clang-format off
#define KINDS(X) \
    X(SPHERE, sphere) \
    X(BOX, box) \
    X(CYLINDER, cylinder) \
    X(CAPSULE, capsule) \
    X(HULL, hull) \
    X(HALF_SPACE, half_space) \
    X(MESH, mesh)
// clang-format on

#define DECLARE(TYPE, name) extern const CairnShapeKind cairn_kind_##name;
KINDS(DECLARE)

#define LIST(TYPE, name) [CAIRN_SHAPE_##TYPE] = &cairn_kind_##name,
static const CairnShapeKind *const kinds[CAIRN_SHAPE_TYPE_COUNT] = {KINDS(LIST)};

CairnStatus cairn_shape_check_kind(const CairnShapeDef *def) {
    const CairnShapeKind *kind = kinds[def->type];
    return kind->check != NULL ? kind->check(def) : cairn_ok();
}

CairnStatus cairn_geometry_make(const CairnShapeDef *def, const CairnAllocator *allocator, CairnGeometry *geometry) {
    memset(geometry, 0, sizeof *geometry);
    geometry->type = def->type;
    geometry->local.p = def->position;
    geometry->local.q = cairn_quat_normalize(def->orientation);
    return kinds[def->type]->make(def, allocator, geometry);
}

void cairn_geometry_free(CairnGeometry *geometry, const CairnAllocator *allocator) {
    if (kinds[geometry->type]->release != NULL) {
        kinds[geometry->type]->release(geometry, allocator);
    }
}

void cairn_geometry_copy_points(const CairnGeometry *geometry, CairnShapeDef *def) {
    bool is_hull = geometry->type == CAIRN_SHAPE_HULL;
    def->points = is_hull ? geometry->hull->vertices : NULL;
    def->point_count = is_hull ? geometry->hull->vertex_count : 0;
    const CairnSurface *surface = geometry->type == CAIRN_SHAPE_MESH ? geometry->surface : NULL;
    if (surface != NULL) {
        def->points = surface->points;
        def->point_count = surface->point_count;
    }
    def->indices = surface != NULL ? surface->indices : NULL;
    def->index_count = surface != NULL ? 3 * surface->triangle_count : 0;
}

CairnAabb cairn_geometry_box(const CairnGeometry *geometry, CairnTransform pose) {
    return kinds[geometry->type]->box(geometry, pose);
}

CairnMassProperties cairn_geometry_mass(const CairnGeometry *geometry, double density) {
    CairnMassProperties mass;
    memset(&mass, 0, sizeof mass);
    if (kinds[geometry->type]->mass != NULL) {
        mass = kinds[geometry->type]->mass(geometry, density);
    }
    mass.center = cairn_transform_point(geometry->local, mass.center);
    if (geometry->type != CAIRN_SHAPE_SPHERE) { // a ball's tensor stays exactly round
        mass.inertia = cairn_mat3_rotate(geometry->local.q, mass.inertia);
    }
    return mass;
}

double cairn_geometry_reach(const CairnGeometry *geometry, CairnVec3 point) {
    return kinds[geometry->type]->reach(geometry, cairn_untransform_point(geometry->local, point));
}

bool cairn_geometry_is_convex(const CairnGeometry *geometry) {
    return kinds[geometry->type]->support != NULL;
}

CairnVec3 cairn_geometry_support(const CairnGeometry *geometry, CairnTransform pose, CairnVec3 direction) {
    CairnVec3 local = kinds[geometry->type]->support(geometry, cairn_unrotate(pose.q, direction));
    return cairn_transform_point(pose, local);
}

bool cairn_geometry_ray(const CairnGeometry *geometry, CairnTransform pose, CairnVec3 origin, CairnVec3 direction,
                        double max_distance, double *distance, CairnVec3 *normal) {
    CairnVec3 o = cairn_untransform_point(pose, origin), d = cairn_unrotate(pose.q, direction), n = {0, 0, 0};
    double t = 0;
    if (!kinds[geometry->type]->ray(geometry, o, d, &t, &n) || !(t <= max_distance)) {
        return false;
    }
    *distance = t;
    *normal = cairn_rotate(pose.q, n);
    return true;
}
