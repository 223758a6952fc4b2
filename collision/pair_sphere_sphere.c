// Sphere against sphere: one point on the line of centres.
#include "collision/pairs.h"

void cairn_pair_sphere_sphere(const CairnGeometry *a, CairnTransform pose_a, const CairnGeometry *b,
                              CairnTransform pose_b, double margin, CairnManifold *manifold) {
    CairnVec3 d = cairn_sub(pose_b.p, pose_a.p);
    // Most pairs whose boxes overlap are corner to corner: those that are clearly apart need no root.
    double radii = a->radius + b->radius, far = (radii + margin) * (1 + 1e-12);
    if (far > 0 && cairn_length_squared(d) > far * far) {
        return;
    }
    double length = cairn_length(d);
    double distance = length - radii;
    if (!(distance < margin)) {
        return;
    }
    // Coincident centres have no direction: the larger sphere is then the lower one, whichever comes first.
    CairnVec3 up = {0, 0, a->radius >= b->radius ? 1.0 : -1.0};
    CairnVec3 normal = cairn_normalize_or(d, up);
    // The mean of the two surface points, in a form whose bits do not change when the spheres are swapped.
    CairnVec3 sum =
        cairn_add(cairn_add_scaled(pose_a.p, a->radius, normal), cairn_add_scaled(pose_b.p, -b->radius, normal));
    manifold->normal = normal;
    manifold->count = 1;
    manifold->points[0] = (CairnManifoldPoint){cairn_scale(0.5, sum), distance, 0};
}
