// Cylinder against half-space: four points of the rim that stands on it, or the ends of the line that lies on it.
#include "collision/pairs/cylinder_frame.h"
#include "collision/pairs/pairs.h"

void cairn_pair_cylinder_half_space(const CairnGeometry *a, CairnTransform pose_a, const CairnGeometry *b,
                                    CairnTransform pose_b, double margin, CairnManifold *manifold) {
    (void)b;
    CairnVec3 down = cairn_rotate(pose_b.q, (CairnVec3){0, 0, -1});
    CairnCylinderFrame cylinder = cairn_cylinder_frame(a, pose_a, (CairnVec3){0, 0, 0});
    double height = cairn_dot(down, cairn_sub(pose_b.p, pose_a.p)), slope = cairn_dot(down, cylinder.axis);
    double sine = cairn_length(cairn_cross(down, cylinder.axis));
    double depth = height - cylinder.half * fabs(slope) - cylinder.radius * sine, lowest = HUGE_VAL;
    if (!(depth < margin)) {
        return;
    }
    CairnVec3 points[4];
    uint32_t features[4];
    int count;
    CairnCap cap = cairn_cylinder_cap_towards(&cylinder, down);
    if (fabs(slope) > CAIRN_CAP_LOOKS) {
        bool is_flat = sine < CAIRN_CAP_FLAT;
        cairn_cylinder_rim_points(&cylinder, &cap, down, is_flat, points);
        for (count = 0; count < 4; ++count) {
            features[count] = cairn_cylinder_rim(cap.is_positive, count + (is_flat ? 4 : 0));
        }
    } else {
        CairnVec3 across = cairn_scale(cylinder.radius / sine, cairn_add_scaled(down, -slope, cylinder.axis));
        points[0] = cairn_add_scaled(across, -cylinder.half, cylinder.axis);
        points[1] = cairn_add_scaled(across, cylinder.half, cylinder.axis);
        features[0] = cairn_cylinder_rim(false, 0);
        features[1] = cairn_cylinder_rim(true, 0);
        count = 2;
    }
    manifold->normal = down;
    for (int k = 0; k < count; ++k) {
        lowest = cairn_min(lowest, height - cairn_dot(down, points[k]));
    }
    for (int k = 0; k < count;
         ++k) { // a cap that leans by a hair keeps its four points: they all go in as deep as its rim does
        double distance = height - cairn_dot(down, points[k]) + (depth - lowest);
        if (distance < margin) {
            CairnVec3 point = cairn_add_scaled(cairn_add(pose_a.p, points[k]), 0.5 * distance, down);
            manifold->points[manifold->count++] = (CairnManifoldPoint){point, distance, features[k]};
        }
    }
}
