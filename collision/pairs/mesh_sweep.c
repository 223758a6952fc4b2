// The time at which a moving convex shape first comes near a mesh: the earliest time of all triangles within its swept
// box.
#include "collision/convex/core.h"
#include "collision/convex/sweep.h"
#include "collision/pairs/mesh_body.h"
#include "engine/base/mat3.h"

static CairnVec3 displacement_at(const CairnMotion *mesh, const CairnMotion *motion, double time) {
    CairnVec3 by = cairn_scale(cairn_min(time, motion->until), motion->linear);
    return cairn_unrotate(mesh->pose.q, cairn_add_scaled(by, -cairn_min(time, mesh->until), mesh->linear));
}

static CairnVec3 lower(CairnVec3 a, CairnVec3 b) {
    return (CairnVec3){cairn_min(a.x, b.x), cairn_min(a.y, b.y), cairn_min(a.z, b.z)};
}

static CairnVec3 higher(CairnVec3 a, CairnVec3 b) {
    return (CairnVec3){cairn_max(a.x, b.x), cairn_max(a.y, b.y), cairn_max(a.z, b.z)};
}

// How far turning may carry any point: no farther than to the other end of what it turns in.
static double arc(const CairnGeometry *geometry, const CairnMotion *motion, double duration) {
    double way = cairn_min(duration, motion->until) * cairn_motion_turning(geometry, motion);
    return cairn_min(way, 2 * motion->reach);
}

// Where the shape may be in the mesh's frame. Where one of the two stops first, the way has a corner.
static CairnAabb swept_box(const CairnGeometry *surface, const CairnMotion *mesh, const CairnGeometry *shape,
                           const CairnMotion *motion, double touch, double duration) {
    CairnTransform relative = cairn_transform_mul(cairn_transform_inverse(mesh->pose), motion->pose);
    CairnAabb box = cairn_geometry_box(shape, relative);
    CairnVec3 none = {0, 0, 0}, end = displacement_at(mesh, motion, duration);
    CairnVec3 corner = displacement_at(mesh, motion, cairn_min(duration, cairn_min(mesh->until, motion->until)));
    // What the mesh's own turning moves is bounded about the shape: it cannot be farther off than both reaches.
    double grow = touch + arc(shape, motion, duration) + arc(surface, mesh, duration);
    CairnVec3 by = {grow, grow, grow};
    return (CairnAabb){cairn_sub(cairn_add(box.low, lower(none, lower(corner, end))), by),
                       cairn_add(cairn_add(box.high, higher(none, higher(corner, end))), by)};
}

bool cairn_mesh_sweep(const CairnGeometry *mesh, const CairnMotion *mesh_motion, const CairnGeometry *shape,
                      const CairnMotion *motion, double duration, double touch, double *time) {
    const CairnSurface *s = mesh->surface;
    CairnVec3 start = cairn_untransform_point(mesh_motion->pose, cairn_geometry_middle(shape, motion->pose));
    CairnMeshWalk walk;
    bool is_met = false;
    cairn_mesh_walk_begin(s, swept_box(mesh, mesh_motion, shape, motion, touch, duration), &walk);
    for (int index = cairn_mesh_walk_next(&walk); index >= 0; index = cairn_mesh_walk_next(&walk)) {
        const CairnFacet *facet = &s->facets[index];
        const CairnFlat *flat = &s->flats[facet->flat];
        if (cairn_dot(flat->normal, start) < flat->offset) {
            continue; // comes from behind
        }
        const CairnVec3 corners[3] = {s->points[facet->v[0]], s->points[facet->v[1]], s->points[facet->v[2]]};
        CairnTriangleHull triangle;
        cairn_hull_of_triangle(&triangle, corners, flat->normal);
        CairnGeometry one = {.type = CAIRN_SHAPE_HULL, .local = mesh->local, .hull = &triangle.hull};
        double at;
        if (cairn_sweep(&one, mesh_motion, shape, motion, duration, touch, &at)) {
            is_met = true;
            duration = *time = at; // only what comes earlier is of interest
        }
    }
    return is_met;
}
