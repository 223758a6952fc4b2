// Capsule against half-space: its two ends.
#include "collision/pairs/hull_pair.h"
#include "collision/pairs/pairs.h"

void cairn_pair_capsule_half_space(const CairnGeometry *a, CairnTransform pose_a, const CairnGeometry *b,
                                   CairnTransform pose_b, double margin, CairnManifold *manifold) {
    (void)b;
    CairnVec3 up = cairn_rotate(pose_b.q, (CairnVec3){0, 0, 1});
    CairnVec3 axis = cairn_rotate(pose_a.q, (CairnVec3){0, 0, a->half_height});
    double height = cairn_dot(up, cairn_sub(pose_a.p, pose_b.p)), rise = cairn_dot(up, axis);
    manifold->normal = cairn_neg(up);
    for (int end = 0; end < 2; ++end) {
        double sign = end == 0 ? -1.0 : 1.0, distance = height + sign * rise - a->radius;
        if (distance < margin) {
            CairnVec3 center = cairn_add_scaled(pose_a.p, sign, axis);
            manifold->points[manifold->count++] = (CairnManifoldPoint){
                cairn_add_scaled(center, -(a->radius + 0.5 * distance), up), distance, cairn_name_vertex(end)};
        }
    }
}
