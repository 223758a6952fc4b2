// What the pair functions behind cairn_narrow have in common. Each takes its two shapes in the order of its name and is
// listed in narrow.c, which reverses the normal where the caller passes them in the other order.
#ifndef CAIRN_COLLISION_PAIRS_H
#define CAIRN_COLLISION_PAIRS_H

#include "collision/collision.h"

typedef void CairnPairFunction(const CairnGeometry *a, CairnTransform pose_a, const CairnGeometry *b,
                               CairnTransform pose_b, double margin, CairnManifold *manifold);

// Two spheres nearer than `margin`: their point and the normal from A to B. False: they are not.
static inline bool cairn_spheres_meet(CairnVec3 a, double radius_a, CairnVec3 b, double radius_b, double margin,
                                      CairnVec3 *normal, CairnManifoldPoint *point) {
    CairnVec3 d = cairn_sub(b, a);
    // Most pairs whose boxes overlap are corner to corner: those that are clearly apart need no root.
    double radii = radius_a + radius_b, far = (radii + margin) * (1 + 1e-12);
    if (far > 0 && cairn_length_squared(d) > far * far) {
        return false;
    }
    double distance = cairn_length(d) - radii;
    if (!(distance < margin)) {
        return false;
    }
    // Coincident centres have no direction: the larger sphere is then the lower one, whichever comes first.
    *normal = cairn_normalize_or(d, (CairnVec3){0, 0, radius_a >= radius_b ? 1.0 : -1.0});
    // The mean of the two surface points, in a form whose bits do not change when the spheres are swapped.
    CairnVec3 sum = cairn_add(cairn_add_scaled(a, radius_a, *normal), cairn_add_scaled(b, -radius_b, *normal));
    *point = (CairnManifoldPoint){cairn_scale(0.5, sum), distance, 0};
    return true;
}

#endif
