// Sphere against capsule: the point of the segment nearest to the centre.
#include "collision/pairs/pairs.h"

void cairn_pair_sphere_capsule(const CairnGeometry *a, CairnTransform pose_a, const CairnGeometry *b,
                               CairnTransform pose_b, double margin, CairnManifold *manifold) {
    CairnVec3 c = cairn_untransform_point(pose_b, pose_a.p), out = c;
    double at = cairn_clamp(c.z, -b->half_height, b->half_height);
    out.z -= at;
    double length = cairn_length(out), distance = length - (a->radius + b->radius);
    if (!(distance < margin)) {
        return;
    }
    // For a centre on the segment any normal across it is right.
    out = cairn_normalize_or(out, (CairnVec3){1, 0, 0});
    CairnVec3 point = cairn_add_scaled((CairnVec3){0, 0, at}, b->radius + 0.5 * distance, out);
    manifold->normal = cairn_neg(cairn_rotate(pose_b.q, out));
    manifold->count = 1;
    manifold->points[0] = (CairnManifoldPoint){cairn_transform_point(pose_b, point), distance, 0};
}
