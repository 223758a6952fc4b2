// The time at which a moving convex shape first comes near a mesh: the earliest time of all triangles within its swept
// box.
#include "collision/convex/sweep.h"
#include "collision/pairs/mesh_body.h"
#include "engine/base/mat3.h"

// Where the shape may be in the mesh's frame.
static CairnAabb swept_box(const CairnMotion *mesh, const CairnGeometry *shape, const CairnMotion *motion, double touch,
                           double duration) {
    CairnTransform relative = cairn_transform_mul(cairn_transform_inverse(mesh->pose), motion->pose);
    CairnAabb box = cairn_geometry_box(shape, relative);
    CairnVec3 displacement =
        cairn_scale(duration, cairn_unrotate(mesh->pose.q, cairn_sub(motion->linear, mesh->linear)));
    double turning = cairn_length(motion->angular) > 0 ? cairn_length(motion->angular) * motion->reach : 0;
    // What the mesh's own turning moves is bounded about the shape: it cannot be farther off than both reaches.
    turning += cairn_length(mesh->angular) > 0 ? cairn_length(mesh->angular) * mesh->reach : 0;
    double grow = touch + duration * turning;
    CairnVec3 by = {grow, grow, grow}, none = {0, 0, 0};
    CairnVec3 back = {cairn_min(displacement.x, none.x), cairn_min(displacement.y, none.y),
                      cairn_min(displacement.z, none.z)};
    CairnVec3 ahead = {cairn_max(displacement.x, none.x), cairn_max(displacement.y, none.y),
                       cairn_max(displacement.z, none.z)};
    return (CairnAabb){cairn_sub(cairn_add(box.low, back), by), cairn_add(cairn_add(box.high, ahead), by)};
}

bool cairn_mesh_sweep(const CairnGeometry *mesh, const CairnMotion *mesh_motion, const CairnGeometry *shape,
                      const CairnMotion *motion, double duration, double touch, double *time) {
    const CairnSurface *s = mesh->surface;
    CairnVec3 start = cairn_untransform_point(mesh_motion->pose, motion->pose.p);
    CairnMeshWalk walk;
    bool is_met = false;
    cairn_mesh_walk_begin(s, swept_box(mesh_motion, shape, motion, touch, duration), &walk);
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
