// The order of two shapes of one type, which depends on them alone: so swapping them swaps the answer to the last bit.
#ifndef CAIRN_COLLISION_PAIR_ORDER_H
#define CAIRN_COLLISION_PAIR_ORDER_H

#include <cairn/math.h>

static inline int cairn_compare_numbers(const double *a, const double *b, int count) {
    for (int i = 0; i < count; ++i) {
        if (a[i] != b[i]) {
            return a[i] < b[i] ? -1 : 1;
        }
    }
    return 0;
}

// True: b comes before a. Poses are ordered by their position along an unusual direction, to which bodies at rest are
// hardly ever perpendicular, then by the first other number that differs.
static inline bool cairn_pose_comes_before(CairnTransform b, CairnTransform a) {
    CairnVec3 d = cairn_sub(b.p, a.p);
    const double key_a[8] = {0, 0, 0, 0, a.q.w, a.q.x, a.q.y, a.q.z};
    const double key_b[8] = {0.1361 * d.x + 0.3137 * d.y + d.z, d.x, d.y, d.z, b.q.w, b.q.x, b.q.y, b.q.z};
    return cairn_compare_numbers(key_b, key_a, 8) < 0;
}

// The pose of b in the frame of a: differences first, so that digits far from the origin are not lost.
static inline CairnTransform cairn_relative_pose(CairnTransform a, CairnTransform b) {
    return (CairnTransform){cairn_untransform_point(a, b.p), cairn_quat_mul(cairn_quat_conj(a.q), b.q)};
}

#endif
