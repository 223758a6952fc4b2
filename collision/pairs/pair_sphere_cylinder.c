// Sphere against cylinder: the nearest point of the cylinder, or for a centre inside, the nearest point of the surface.
#include "collision/pairs/pairs.h"

// Outside, the normal turns continuously from side to rim to cap, so the one point keeps one id there; inside it jumps.
enum { OUTSIDE = 0, THROUGH_TOP, THROUGH_BOTTOM, THROUGH_SIDE };

void cairn_pair_sphere_cylinder(const CairnGeometry *a, CairnTransform pose_a, const CairnGeometry *b,
                                CairnTransform pose_b, double margin, CairnManifold *manifold) {
    double r = b->radius, h = b->half_height;
    CairnVec3 c = cairn_untransform_point(pose_b, pose_a.p);
    double across = sqrt(c.x * c.x + c.y * c.y);
    CairnVec3 radial = across > 1e-300 ? (CairnVec3){c.x / across, c.y / across, 0} : (CairnVec3){1, 0, 0};
    double sign = c.z < 0 ? -1.0 : 1.0;
    double beyond_side = across - r, beyond_cap = fabs(c.z) - h;
    CairnVec3 normal; // of the cylinder, outwards
    double length;
    uint32_t feature = OUTSIDE;
    if (beyond_side > 0 && beyond_cap > 0) {
        length = sqrt(beyond_side * beyond_side + beyond_cap * beyond_cap);
        normal = cairn_scale(beyond_side / length, radial);
        normal.z = sign * beyond_cap / length;
    } else if (beyond_side > beyond_cap) {
        length = beyond_side;
        normal = radial;
        feature = length > 0 ? OUTSIDE : THROUGH_SIDE;
    } else {
        length = beyond_cap;
        normal = (CairnVec3){0, 0, sign};
        feature = length > 0 ? OUTSIDE : sign > 0 ? THROUGH_TOP : THROUGH_BOTTOM;
    }
    double distance = length - a->radius;
    if (!(distance < margin)) {
        return;
    }
    CairnVec3 point = cairn_add_scaled(c, -(length - 0.5 * distance), normal);
    manifold->normal = cairn_neg(cairn_rotate(pose_b.q, normal));
    manifold->count = 1;
    manifold->points[0] = (CairnManifoldPoint){cairn_transform_point(pose_b, point), distance, feature};
}
