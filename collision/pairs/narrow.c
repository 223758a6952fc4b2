// Narrow phase: the table of pair functions. A pair that has no function (two half-spaces) has no contact.
#include "collision/pairs/pairs.h"
#include "collision/shapes/mesh.h"
#include <string.h>

// Each pair once, in the order of the types: cairn_pair_NAME takes its two shapes so.
// clang-format off
#define PAIRS(X) \
    X(SPHERE, SPHERE, sphere_sphere) \
    X(SPHERE, BOX, sphere_box) \
    X(SPHERE, CAPSULE, sphere_capsule) \
    X(SPHERE, HULL, sphere_hull) \
    X(SPHERE, HALF_SPACE, sphere_half_space) \
    X(BOX, BOX, box_box) \
    X(SPHERE, CYLINDER, sphere_cylinder) \
    X(BOX, CYLINDER, box_cylinder) \
    X(CYLINDER, CYLINDER, cylinder_cylinder) \
    X(CYLINDER, HALF_SPACE, cylinder_half_space) \
    X(BOX, CAPSULE, box_capsule) \
    X(BOX, HULL, box_hull) \
    X(BOX, HALF_SPACE, box_half_space) \
    X(CYLINDER, CAPSULE, cylinder_capsule) \
    X(CYLINDER, HULL, cylinder_hull) \
    X(CAPSULE, CAPSULE, capsule_capsule) \
    X(CAPSULE, HULL, capsule_hull) \
    X(CAPSULE, HALF_SPACE, capsule_half_space) \
    X(HULL, HULL, hull_hull) \
    X(HULL, HALF_SPACE, hull_half_space)
// clang-format on

#define DECLARE(A, B, name) CairnPairFunction cairn_pair_##name;
PAIRS(DECLARE)

#define LIST(A, B, name) [CAIRN_SHAPE_##A][CAIRN_SHAPE_##B] = cairn_pair_##name,
static CairnPairFunction *const table[CAIRN_SHAPE_TYPE_COUNT][CAIRN_SHAPE_TYPE_COUNT] = {PAIRS(LIST)};

static void narrow_convex(const CairnGeometry *a, CairnTransform pose_a, const CairnGeometry *b, CairnTransform pose_b,
                          double margin, CairnManifold *manifold) {
    manifold->normal = (CairnVec3){0, 0, 0};
    manifold->count = 0;
    manifold->patch = 0;
    if (table[a->type][b->type] != NULL) {
        table[a->type][b->type](a, pose_a, b, pose_b, margin, manifold);
    } else if (table[b->type][a->type] != NULL) {
        table[b->type][a->type](b, pose_b, a, pose_a, margin, manifold);
        manifold->normal = cairn_neg(manifold->normal);
    }
}

static int narrow_mesh(const CairnGeometry *a, CairnTransform pose_a, const CairnGeometry *b, CairnTransform pose_b,
                       double margin, CairnManifold *manifolds) {
    if (a->type == CAIRN_SHAPE_MESH) {
        return cairn_geometry_is_convex(b) ? cairn_mesh_convex(a, pose_a, b, pose_b, margin, manifolds, CAIRN_MANIFOLDS)
                                           : 0;
    }
    if (!cairn_geometry_is_convex(a)) {
        return 0;
    }
    int count = cairn_mesh_convex(b, pose_b, a, pose_a, margin, manifolds, CAIRN_MANIFOLDS);
    for (int k = 0; k < count; ++k) {
        manifolds[k].normal = cairn_neg(manifolds[k].normal);
    }
    return count;
}

int cairn_narrow_manifolds(const CairnGeometry *a, CairnTransform pose_a, const CairnGeometry *b, CairnTransform pose_b,
                           double margin, CairnManifold *manifolds) {
    if (a->type == CAIRN_SHAPE_MESH || b->type == CAIRN_SHAPE_MESH) {
        return narrow_mesh(a, pose_a, b, pose_b, margin, manifolds);
    }
    narrow_convex(a, pose_a, b, pose_b, margin, manifolds);
    return manifolds->count > 0 ? 1 : 0;
}

static double depth_of(const CairnManifold *manifold) {
    double depth = HUGE_VAL;
    for (int k = 0; k < manifold->count; ++k) {
        depth = cairn_min(depth, manifold->points[k].distance);
    }
    return depth;
}

void cairn_narrow(const CairnGeometry *a, CairnTransform pose_a, const CairnGeometry *b, CairnTransform pose_b,
                  double margin, CairnManifold *manifold) {
    memset(manifold, 0, sizeof *manifold); // unused points and padding are defined: manifolds compare and hash as bytes
    if (a->type != CAIRN_SHAPE_MESH && b->type != CAIRN_SHAPE_MESH) {
        narrow_convex(a, pose_a, b, pose_b, margin, manifold);
        return;
    }
    CairnManifold manifolds[CAIRN_MANIFOLDS];
    int count = narrow_mesh(a, pose_a, b, pose_b, margin, manifolds), deepest = 0;
    for (int k = 1; k < count; ++k) {
        deepest = depth_of(&manifolds[k]) < depth_of(&manifolds[deepest]) ? k : deepest;
    }
    if (count > 0) {
        *manifold = manifolds[deepest];
    }
}
