// Sphere against box: the point of the box nearest to the centre; for a centre inside, the nearest face gives the
// normal.
#include "collision/pairs/pairs.h"

// The face (2 * axis, + 1 on the negative side) nearest to a point inside, and its depth. An earlier face wins ties.
static int nearest_face(CairnVec3 half, CairnVec3 p, double *depth) {
    const double h[3] = {half.x, half.y, half.z}, x[3] = {p.x, p.y, p.z};
    int face = 0;
    *depth = HUGE_VAL;
    for (int i = 0; i < 3; ++i) {
        double d = h[i] - fabs(x[i]);
        if (d < *depth) {
            *depth = d;
            face = 2 * i + (x[i] < 0);
        }
    }
    return face;
}

static CairnVec3 face_normal(int face) {
    double sign = face % 2 ? -1.0 : 1.0;
    return (CairnVec3){face / 2 == 0 ? sign : 0, face / 2 == 1 ? sign : 0, face / 2 == 2 ? sign : 0};
}

// Outside, the normal turns continuously from face to edge to corner, so the one point keeps one id there; inside, it
// jumps between faces, and each has its own.
void cairn_pair_sphere_box(const CairnGeometry *a, CairnTransform pose_a, const CairnGeometry *b, CairnTransform pose_b,
                           double margin, CairnManifold *manifold) {
    CairnVec3 h = b->half, c = cairn_untransform_point(pose_b, pose_a.p);
    CairnVec3 nearest = {cairn_clamp(c.x, -h.x, h.x), cairn_clamp(c.y, -h.y, h.y), cairn_clamp(c.z, -h.z, h.z)};
    CairnVec3 out = cairn_sub(c, nearest);
    double length = cairn_length(out);
    uint32_t feature = 0;
    CairnVec3 normal; // of the box, outwards
    if (length > 0) {
        normal = cairn_scale(1.0 / length, out);
    } else {
        double depth;
        int face = nearest_face(h, c, &depth);
        normal = face_normal(face);
        length = -depth;
        nearest = cairn_add_scaled(c, depth, normal);
        feature = 1u + (uint32_t)face;
    }
    double distance = length - a->radius;
    if (!(distance < margin)) {
        return;
    }
    CairnVec3 point = cairn_add_scaled(nearest, 0.5 * distance, normal);
    manifold->normal = cairn_neg(cairn_rotate(pose_b.q, normal));
    manifold->count = 1;
    manifold->points[0] = (CairnManifoldPoint){cairn_transform_point(pose_b, point), distance, feature};
}
