#include "collision/convex/distance.h"
#include "collision/convex/convex.h"
#include "collision/convex/round_sum.h"
#include "engine/base/mat3.h"

static bool to_half_space(const CairnGeometry *a, CairnTransform pose_a, CairnTransform plane, double limit,
                          CairnSeparation *s) {
    CairnVec3 up = cairn_rotate(plane.q, (CairnVec3){0, 0, 1});
    s->on_a = cairn_geometry_support(a, pose_a, cairn_neg(up));
    double height = cairn_dot(up, cairn_sub(s->on_a, plane.p));
    s->normal = cairn_neg(up);
    s->distance = cairn_max(height, 0);
    s->on_b = cairn_add_scaled(s->on_a, -height, up);
    return s->distance <= limit;
}

static void add_to_sum(CairnRoundSum *sum, const CairnGeometry *g, CairnTransform pose) {
    const double halves[3] = {g->half.x, g->half.y, g->half.z};
    CairnMat3 r = cairn_mat3_of_quat(pose.q);
    for (int i = g->type == CAIRN_SHAPE_BOX ? 0 : 2; i < 3; ++i) {
        sum->e[sum->segment_count] = (CairnVec3){r.m[0][i], r.m[1][i], r.m[2][i]};
        sum->k[sum->segment_count++] = g->type == CAIRN_SHAPE_BOX ? halves[i] : g->half_height;
    }
    if (g->type == CAIRN_SHAPE_CYLINDER) {
        sum->u[sum->disc_count] = (CairnVec3){r.m[0][2], r.m[1][2], r.m[2][2]};
        sum->r[sum->disc_count++] = g->radius;
    }
}

// The points of round_separation are support points of either shape for itself: where the normal is across an axis to
// rounding alone they may be of different ends.
static bool belong_together(const CairnSeparation *s, double size) {
    CairnVec3 off = cairn_add_scaled(cairn_sub(s->on_b, s->on_a), -s->distance, s->normal);
    return !(s->distance > 0) || cairn_length(off) <= 1e-9 * (size + s->distance);
}

static void pair_points(const CairnGeometry *a, CairnTransform pose_a, const CairnGeometry *b, CairnTransform pose_b,
                        CairnSeparation *s) {
    CairnConvex p = cairn_convex(a, cairn_mat3_of_quat(pose_a.q), (CairnVec3){0, 0, 0});
    CairnConvex q = cairn_convex(b, cairn_mat3_of_quat(pose_b.q), cairn_sub(pose_b.p, pose_a.p));
    CairnNearest nearest;
    cairn_gjk(&p, &q, HUGE_VAL, &nearest);
    if (!nearest.is_touching) {
        s->on_a = cairn_add(pose_a.p, nearest.on_a);
    }
    s->on_b = cairn_add_scaled(s->on_a, s->distance, s->normal); // which are known better
}

// A cylinder and a cylinder or a box have their distance exactly, where searching loses digits beside round sides.
static bool round_separation(const CairnGeometry *a, CairnTransform pose_a, const CairnGeometry *b,
                             CairnTransform pose_b, double limit, CairnSeparation *s) {
    CairnRoundSum sum = {.c = cairn_sub(pose_b.p, pose_a.p)};
    add_to_sum(&sum, a, pose_a);
    sum.first_segments = sum.segment_count;
    sum.first_discs = sum.disc_count;
    add_to_sum(&sum, b, pose_b);
    CairnSumOptimum optimum;
    if (!cairn_sum_optimum(&sum, HUGE_VAL, &optimum)) {
        return false;
    }
    s->normal = optimum.normal;
    s->distance = cairn_max(optimum.distance, 0);
    s->on_a = pose_a.p;
    s->on_b = pose_b.p;
    for (int j = 0; j < sum.segment_count; ++j) {
        CairnVec3 *on = j < sum.first_segments ? &s->on_a : &s->on_b;
        *on = cairn_add_scaled(*on, j < sum.first_segments ? optimum.along[j] : -optimum.along[j], sum.e[j]);
    }
    for (int i = 0; i < sum.disc_count; ++i) {
        CairnVec3 *on = i < sum.first_discs ? &s->on_a : &s->on_b;
        *on = cairn_add_scaled(*on, i < sum.first_discs ? 1 : -1, optimum.across[i]);
    }
    if (s->distance <= limit && !belong_together(s, cairn_length(sum.c))) {
        pair_points(a, pose_a, b, pose_b, s);
    }
    return s->distance <= limit;
}

bool cairn_separation(const CairnGeometry *a, CairnTransform pose_a, const CairnGeometry *b, CairnTransform pose_b,
                      double limit, CairnSeparation *s) {
    *s = (CairnSeparation){.normal = {0, 0, 1}};
    if (b->type == CAIRN_SHAPE_MESH) {
        return cairn_mesh_separation(a, pose_a, b, pose_b, limit, s);
    }
    if (b->is_unbounded) {
        return to_half_space(a, pose_a, pose_b, limit, s);
    }
    bool is_round = a->type == CAIRN_SHAPE_CYLINDER || b->type == CAIRN_SHAPE_CYLINDER;
    if (is_round && (a->type == CAIRN_SHAPE_BOX || a->type == CAIRN_SHAPE_CYLINDER) &&
        (b->type == CAIRN_SHAPE_BOX || b->type == CAIRN_SHAPE_CYLINDER)) {
        return round_separation(a, pose_a, b, pose_b, limit, s);
    }
    // Relative to a, so that digits far from the origin are not lost.
    CairnConvex p = cairn_convex(a, cairn_mat3_of_quat(pose_a.q), (CairnVec3){0, 0, 0});
    CairnConvex q = cairn_convex(b, cairn_mat3_of_quat(pose_b.q), cairn_sub(pose_b.p, pose_a.p));
    double rounding = p.rounding + q.rounding;
    CairnNearest nearest;
    cairn_gjk(&p, &q, limit + rounding, &nearest);
    if (nearest.is_beyond) {
        return false;
    }
    if (nearest.is_touching) {
        cairn_epa(&p, &q, &s->normal);
        return true;
    }
    s->normal = nearest.normal;
    s->distance = cairn_max(nearest.distance - rounding, 0);
    s->on_a = cairn_add(pose_a.p, cairn_add_scaled(nearest.on_a, p.rounding, s->normal));
    s->on_b = cairn_add(pose_a.p, cairn_add_scaled(nearest.on_b, -q.rounding, s->normal));
    return s->distance <= limit;
}

// The gap between the planes across n that bound a and b. It is at most the distance, and equal to it for the right n,
// so that an advance by it is safe. GJK's own distance bounds it from above, and so near to a round shape that its
// simplex degenerates the two differ.
static double gap_along(const CairnGeometry *a, CairnTransform pose_a, const CairnGeometry *b, CairnTransform pose_b,
                        CairnVec3 n) {
    CairnVec3 front = cairn_geometry_support(a, pose_a, n);
    CairnVec3 back = b->is_unbounded ? pose_b.p : cairn_geometry_support(b, pose_b, cairn_neg(n));
    return cairn_dot(n, cairn_sub(back, front));
}

// Conservative advancement: at a distance d along n, a displacement of d / (n . displacement) times itself closes it,
// and no smaller one does. A convex shape that does not move towards another along some separating direction never
// meets it.
bool cairn_shape_cast(const CairnGeometry *a, CairnTransform pose_a, CairnVec3 displacement, const CairnGeometry *b,
                      CairnTransform pose_b, double *fraction, CairnSeparation *at) {
    enum { MAX_ADVANCES = 128 };
    if (b->type == CAIRN_SHAPE_MESH) {
        return cairn_mesh_cast(a, pose_a, displacement, b, pose_b, fraction, at);
    }
    CairnVec3 start = pose_a.p;
    double touch = 1e-10 * (cairn_length(displacement) + cairn_length(cairn_sub(pose_b.p, pose_a.p)));
    *fraction = 0;
    for (int k = 0; k < MAX_ADVANCES; ++k) {
        pose_a.p = cairn_add_scaled(start, *fraction, displacement);
        CairnVec3 before = at->normal;
        cairn_separation(a, pose_a, b, pose_b, HUGE_VAL, at);
        double gap = at->distance > 0 ? gap_along(a, pose_a, b, pose_b, at->normal) : 0;
        if (k > 0 && at->distance > 0) { // so near, the direction before may be the surer one
            double other = gap_along(a, pose_a, b, pose_b, before);
            at->normal = other > gap ? before : at->normal;
            gap = fmax(gap, other);
        }
        double closing = cairn_dot(at->normal, displacement);
        if (gap <= touch) {
            if (k > 0 && at->distance == 0) { // met within rounding: the direction just before is the surer one
                at->normal = before;
            }
            return k == 0 ? at->distance == 0 || closing > 0 : true;
        }
        if (!(closing > 0)) {
            return false;
        }
        *fraction += gap / closing;
        if (*fraction > 1) {
            return false;
        }
    }
    return true; // grazing: nearer than the tolerance
}
