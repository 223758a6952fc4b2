// Triangle mesh. No mass, no support; its surface is one-sided.
#include "collision/shapes/mesh.h"
#include "collision/shapes/shape_kind.h"

static CairnStatus make(const CairnShapeDef *def, const CairnAllocator *allocator, CairnGeometry *geometry) {
    geometry->is_massless = true;
    return cairn_surface_make(def, allocator, &geometry->surface);
}

static void release(CairnGeometry *geometry, const CairnAllocator *allocator) {
    cairn_surface_free(geometry->surface, allocator);
    geometry->surface = NULL;
}

// The box of the mesh in its local axes, turned: it is a little too large, but it takes no loop over all points in
// every step.
static CairnAabb box(const CairnGeometry *geometry, CairnTransform pose) {
    CairnAabb local_box = geometry->surface->nodes[0].box;
    CairnVec3 half = cairn_scale(0.5, cairn_sub(local_box.high, local_box.low));
    CairnVec3 center = cairn_transform_point(pose, cairn_add(local_box.low, half));
    CairnMat3 r = cairn_mat3_of_quat(pose.q);
    CairnVec3 extent = {fabs(r.m[0][0]) * half.x + fabs(r.m[0][1]) * half.y + fabs(r.m[0][2]) * half.z,
                        fabs(r.m[1][0]) * half.x + fabs(r.m[1][1]) * half.y + fabs(r.m[1][2]) * half.z,
                        fabs(r.m[2][0]) * half.x + fabs(r.m[2][1]) * half.y + fabs(r.m[2][2]) * half.z};
    return (CairnAabb){cairn_sub(center, extent), cairn_add(center, extent)};
}

// To the farthest corner of the box.
static double reach(const CairnGeometry *geometry, CairnVec3 p) {
    CairnAabb local_box = geometry->surface->nodes[0].box;
    CairnVec3 low = cairn_sub(local_box.low, p), high = cairn_sub(local_box.high, p);
    return cairn_length((CairnVec3){cairn_max(fabs(low.x), fabs(high.x)), cairn_max(fabs(low.y), fabs(high.y)),
                                    cairn_max(fabs(low.z), fabs(high.z))});
}

static bool ray(const CairnGeometry *geometry, CairnVec3 origin, CairnVec3 direction, double *distance,
                CairnVec3 *normal) {
    int triangle;
    return cairn_surface_ray(geometry->surface, origin, direction, distance, normal, &triangle);
}

const CairnShapeKind cairn_kind_mesh = {cairn_surface_check, make, release, box, NULL, reach, ray, NULL};
