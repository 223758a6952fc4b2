#include "collision/pairs/flush.h"
#include "collision/shapes/hull.h"
#include "collision/shapes/mesh.h"

// Square of the sine between a face's normal and a direction that it looks along.
#define LOOKS_ALONG 1e-8

bool cairn_has_flat(const CairnGeometry *shape) {
    return shape->type != CAIRN_SHAPE_SPHERE && shape->type != CAIRN_SHAPE_CAPSULE;
}

// ---- meshes ----

static CairnMeshWalk walk_at(const CairnSurface *s, CairnVec3 x, double tolerance) {
    CairnVec3 grow = {tolerance, tolerance, tolerance};
    CairnMeshWalk walk;
    cairn_mesh_walk_begin(s, (CairnAabb){cairn_sub(x, grow), cairn_add(x, grow)}, &walk);
    return walk;
}

// True: the point is over or under the triangle or outside of its rim by no more than the tolerance, and as near to its
// plane.
static bool is_on_triangle(const CairnSurface *s, int triangle, CairnVec3 x, double tolerance) {
    const CairnFacet *facet = &s->facets[triangle];
    const CairnFlat *flat = &s->flats[facet->flat];
    if (fabs(cairn_dot(flat->normal, x) - flat->offset) > tolerance) {
        return false;
    }
    for (int i = 0; i < 3; ++i) {
        CairnVec3 p = s->points[facet->v[i]], along = cairn_sub(s->points[facet->v[(i + 1) % 3]], p);
        if (cairn_dot(cairn_cross(along, flat->normal), cairn_sub(x, p)) > tolerance * cairn_length(along)) {
            return false;
        }
    }
    return true;
}

static bool mesh_holds(const CairnSurface *s, CairnVec3 x, double tolerance) {
    CairnMeshWalk walk = walk_at(s, x, tolerance);
    for (int t = cairn_mesh_walk_next(&walk); t >= 0; t = cairn_mesh_walk_next(&walk)) {
        if (is_on_triangle(s, t, x, tolerance)) {
            return true;
        }
    }
    return false;
}

static bool mesh_stands_out(const CairnSurface *s, CairnVec3 normal, double height, CairnVec3 x, double tolerance) {
    CairnMeshWalk walk = walk_at(s, x, tolerance);
    for (int t = cairn_mesh_walk_next(&walk); t >= 0; t = cairn_mesh_walk_next(&walk)) {
        const int *v = s->facets[t].v;
        bool is_out = false;
        for (int k = 0; k < 3; ++k) {
            is_out = is_out || cairn_dot(normal, s->points[v[k]]) > height;
        }
        if (is_out && is_on_triangle(s, t, x, tolerance)) {
            return true;
        }
    }
    return false;
}

// ---- all shapes ----

static bool hull_holds(const CairnHull *hull, CairnVec3 x, double tolerance) {
    for (int f = 0; f < hull->face_count; ++f) {
        if (cairn_dot(hull->normals[f], x) > hull->offsets[f] + tolerance) {
            return false;
        }
    }
    return true;
}

bool cairn_flush_holds(const CairnGeometry *shape, CairnTransform pose, CairnVec3 point, double tolerance) {
    CairnVec3 x = cairn_untransform_point(pose, point);
    switch (shape->type) {
    case CAIRN_SHAPE_BOX:
        return fabs(x.x) <= shape->half.x + tolerance && fabs(x.y) <= shape->half.y + tolerance &&
               fabs(x.z) <= shape->half.z + tolerance;
    case CAIRN_SHAPE_CYLINDER:
        return fabs(x.z) <= shape->half_height + tolerance && hypot(x.x, x.y) <= shape->radius + tolerance;
    case CAIRN_SHAPE_HULL:
        return hull_holds(shape->hull, x, tolerance);
    case CAIRN_SHAPE_HALF_SPACE:
        return x.z <= tolerance;
    case CAIRN_SHAPE_MESH:
        return mesh_holds(shape->surface, x, tolerance);
    default:
        return false;
    }
}

bool cairn_flush_stands_out(const CairnGeometry *shape, CairnTransform pose, CairnVec3 normal, double height,
                            CairnVec3 point, double tolerance) {
    if (shape->type == CAIRN_SHAPE_HALF_SPACE) {
        return true;
    }
    if (shape->type != CAIRN_SHAPE_MESH) {
        return cairn_dot(normal, cairn_geometry_support(shape, pose, normal)) > height;
    }
    return mesh_stands_out(shape->surface, cairn_unrotate(pose.q, normal), height - cairn_dot(normal, pose.p),
                           cairn_untransform_point(pose, point), tolerance);
}

bool cairn_flush_face(const CairnGeometry *shape, CairnTransform pose, CairnVec3 direction, CairnVec3 *face) {
    CairnVec3 d = cairn_unrotate(pose.q, direction), n = {0, 0, 0};
    double x = fabs(d.x), y = fabs(d.y), z = fabs(d.z);
    if (shape->type == CAIRN_SHAPE_HULL) {
        double best = -HUGE_VAL;
        for (int f = 0; f < shape->hull->face_count; ++f) {
            double along = cairn_dot(shape->hull->normals[f], d);
            if (along > best) {
                best = along;
                n = shape->hull->normals[f];
            }
        }
    } else if (shape->type == CAIRN_SHAPE_CYLINDER || (shape->type == CAIRN_SHAPE_BOX && z >= x && z >= y)) {
        n.z = copysign(1, d.z);
    } else if (shape->type == CAIRN_SHAPE_BOX) {
        n = x >= y ? (CairnVec3){copysign(1, d.x), 0, 0} : (CairnVec3){0, copysign(1, d.y), 0};
    }
    *face = cairn_rotate(pose.q, n);
    return cairn_dot(n, d) > 0 && cairn_length_squared(cairn_cross(n, d)) < LOOKS_ALONG;
}
