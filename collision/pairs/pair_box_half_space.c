// Box against half-space: the corners below the margin, at most four of them.
#include "collision/pairs/pairs.h"

// Where more than four corners are near (a thin plate), those of the face that lies most against the plane count.
// Corner k is on the positive side of axis i where bit i of k is set.
static unsigned face_corners(CairnVec3 up) {
    const double u[3] = {up.x, up.y, up.z};
    int axis = 0;
    for (int i = 1; i < 3; ++i) {
        if (fabs(u[i]) > fabs(u[axis]) + 1e-9) { // a tie to rounding keeps the earlier face
            axis = i;
        }
    }
    static const unsigned positive[3] = {0xaa, 0xcc, 0xf0};
    return u[axis] > 0 ? ~positive[axis] & 0xffu : positive[axis];
}

void cairn_pair_box_half_space(const CairnGeometry *a, CairnTransform pose_a, const CairnGeometry *b,
                               CairnTransform pose_b, double margin, CairnManifold *manifold) {
    (void)b;
    CairnVec3 up = cairn_rotate(pose_b.q, (CairnVec3){0, 0, 1});
    CairnVec3 local_up = cairn_unrotate(pose_a.q, up);
    CairnVec3 h = a->half;
    double height = cairn_dot(up, cairn_sub(pose_a.p, pose_b.p));
    double distances[8];
    unsigned near_corners = 0;
    int count = 0;
    for (unsigned k = 0; k < 8; ++k) {
        double x = k & 1 ? h.x : -h.x, y = k & 2 ? h.y : -h.y, z = k & 4 ? h.z : -h.z;
        distances[k] = height + (local_up.x * x + local_up.y * y + local_up.z * z);
        if (distances[k] < margin) {
            near_corners |= 1u << k;
            ++count;
        }
    }
    if (count == 0) {
        return;
    }
    if (count > 4) {
        near_corners &= face_corners(local_up);
    }
    manifold->normal = cairn_neg(up);
    for (unsigned k = 0; k < 8; ++k) {
        if (near_corners & (1u << k)) {
            CairnVec3 corner = {k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z};
            CairnVec3 point = cairn_add_scaled(cairn_transform_point(pose_a, corner), -0.5 * distances[k], up);
            manifold->points[manifold->count++] = (CairnManifoldPoint){point, distances[k], k};
        }
    }
}
