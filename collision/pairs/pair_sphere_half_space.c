// Sphere against half-space: one point under the centre.
#include "collision/pairs/pairs.h"

void cairn_pair_sphere_half_space(const CairnGeometry *a, CairnTransform pose_a, const CairnGeometry *b,
                                  CairnTransform pose_b, double margin, CairnManifold *manifold) {
    (void)b;
    CairnVec3 up = cairn_rotate(pose_b.q, (CairnVec3){0, 0, 1});
    double height = cairn_dot(up, cairn_sub(pose_a.p, pose_b.p));
    double distance = height - a->radius;
    if (!(distance < margin)) {
        return;
    }
    manifold->normal = cairn_neg(up);
    manifold->count = 1;
    manifold->points[0] =
        (CairnManifoldPoint){cairn_add_scaled(pose_a.p, -(a->radius + 0.5 * distance), up), distance, 0};
}
