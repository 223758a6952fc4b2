// Sphere against sphere: one point on the line of centres (pairs.h: the step calls it without a manifold).
#include "collision/pairs/pairs.h"

void cairn_pair_sphere_sphere(const CairnGeometry *a, CairnTransform pose_a, const CairnGeometry *b,
                              CairnTransform pose_b, double margin, CairnManifold *manifold) {
    manifold->count =
        cairn_spheres_meet(pose_a.p, a->radius, pose_b.p, b->radius, margin, &manifold->normal, &manifold->points[0]);
}
