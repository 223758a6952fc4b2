// Capsule against capsule: the nearest points of their segments; where the capsules are along each other, the two ends
// of the interval that they have in common.
#include "collision/pairs/hull_pair.h"
#include "collision/pairs/pair_order.h"
#include "collision/pairs/pairs.h"

// Segments as near as this fraction of their size give no reliable direction.
#define TOUCH 1e-9
// Two points where the segments diverge sideways by at most this fraction of the smaller radius between them.
#define SIDEWAYS 1e-2
// The interval that they have in common must be longer than this fraction of the shorter one.
#define COMMON_LENGTH 1e-3

static const uint32_t side = 0x8000u;

// All relative to the centre of the first.
typedef struct Rods {
    CairnVec3 a, b, d; // unit axes; from the first centre to the second
    double ha, hb, ra, rb;
    double cosine, sine_squared;
    CairnVec3 spare; // across the first: a direction where the segments give none
} Rods;

// Parameters of the nearest points, by the lines first and then clamping one after the other (Ericson 2005, 5.1.9).
static void nearest(const Rods *r, double *s, double *t) {
    double da = cairn_dot(r->d, r->a), db = cairn_dot(r->d, r->b);
    *s = r->sine_squared > 1e-20 ? cairn_clamp((da - r->cosine * db) / r->sine_squared, -r->ha, r->ha) : 0;
    *t = r->cosine * *s - db;
    if (fabs(*t) > r->hb) {
        *t = copysign(r->hb, *t);
    }
    *s = cairn_clamp(da + r->cosine * *t, -r->ha, r->ha);
    *t = cairn_clamp(r->cosine * *s - db, -r->hb, r->hb);
}

static CairnVec3 normal_of(const Rods *r, double s, double t, CairnVec3 v) {
    double length = cairn_length(v);
    bool is_inner = fabs(s) < r->ha && fabs(t) < r->hb;
    CairnVec3 cross = cairn_cross(r->a, r->b);
    if (length > TOUCH * (r->ha + r->hb) * (is_inner && r->sine_squared > 1e-4 ? 1e3 : 1.0)) {
        return cairn_scale(1.0 / length, v);
    }
    if (r->sine_squared > 1e-12) { // across both, towards the second
        double sign = cairn_dot(cross, v), centers = cairn_dot(cross, r->d);
        sign = fabs(sign) > 1e-15 * (r->ha + r->hb) ? sign : centers;
        return cairn_scale((sign < 0 ? -1.0 : 1.0) / sqrt(r->sine_squared), cross);
    }
    return r->spare;
}

static uint32_t name_at(double at, double half) {
    return at <= -half ? cairn_name_vertex(0) : at >= half ? cairn_name_vertex(1) : side;
}

static int add_point(const Rods *r, double s, double t, CairnVec3 normal, double margin, uint32_t names,
                     CairnManifoldPoint *points, int count) {
    CairnVec3 p = cairn_scale(s, r->a), q = cairn_add_scaled(r->d, t, r->b);
    double distance = cairn_dot(normal, cairn_sub(q, p)) - (r->ra + r->rb);
    if (!(distance < margin)) {
        return count;
    }
    CairnVec3 sum = cairn_add(cairn_add_scaled(p, r->ra, normal), cairn_add_scaled(q, -r->rb, normal));
    points[count] = (CairnManifoldPoint){cairn_scale(0.5, sum), distance, names};
    return count + 1;
}

// The two ends of the common interval; 0 where the rods are not along each other.
static int along(const Rods *r, CairnVec3 normal, double margin, CairnManifoldPoint points[2]) {
    double da = cairn_dot(r->d, r->a), low_b = da - r->hb * fabs(r->cosine), high_b = da + r->hb * fabs(r->cosine);
    double low = cairn_max(-r->ha, low_b), high = cairn_min(r->ha, high_b);
    if (!(high - low > COMMON_LENGTH * cairn_min(r->ha, r->hb)) || fabs(r->cosine) < 0.5 ||
        sqrt(r->sine_squared) * (high - low) > SIDEWAYS * cairn_min(r->ra, r->rb) ||
        fabs(cairn_dot(normal, r->a)) > SIDEWAYS) {
        return 0;
    }
    const double s[2] = {low, high};
    const bool is_a[2] = {-r->ha >= low_b, r->ha <= high_b};
    int count = 0;
    for (int k = 0; k < 2; ++k) {
        double t = cairn_clamp((s[k] - da) / r->cosine, -r->hb, r->hb);
        int end_b = (k == 1) == (r->cosine > 0) ? 1 : 0;
        uint32_t names =
            is_a[k] ? cairn_names(cairn_name_vertex(k), side) : cairn_names(side, cairn_name_vertex(end_b));
        count = add_point(r, s[k], t, normal, margin, names, points, count);
    }
    return count;
}

static bool comes_before(const CairnGeometry *b, CairnTransform pose_b, const CairnGeometry *a, CairnTransform pose_a) {
    const double size_a[2] = {a->half_height, a->radius}, size_b[2] = {b->half_height, b->radius};
    int order = cairn_compare_numbers(size_b, size_a, 2);
    return order != 0 ? order < 0 : cairn_pose_comes_before(pose_b, pose_a);
}

void cairn_pair_capsule_capsule(const CairnGeometry *a, CairnTransform pose_a, const CairnGeometry *b,
                                CairnTransform pose_b, double margin, CairnManifold *manifold) {
    if (comes_before(b, pose_b, a, pose_a)) {
        cairn_pair_capsule_capsule(b, pose_b, a, pose_a, margin, manifold);
        manifold->normal = cairn_neg(manifold->normal);
        for (int k = 0; k < manifold->count; ++k) {
            manifold->points[k].feature = cairn_names_swapped(manifold->points[k].feature);
        }
        return;
    }
    const CairnVec3 z = {0, 0, 1};
    Rods r = {.a = cairn_rotate(pose_a.q, z),
              .b = cairn_rotate(pose_b.q, z),
              .d = cairn_sub(pose_b.p, pose_a.p),
              .ha = a->half_height,
              .hb = b->half_height,
              .ra = a->radius,
              .rb = b->radius};
    r.cosine = cairn_dot(r.a, r.b);
    r.sine_squared = cairn_length_squared(cairn_cross(r.a, r.b));
    r.spare = cairn_rotate(pose_a.q, (CairnVec3){1, 0, 0});
    double s, t;
    nearest(&r, &s, &t);
    CairnVec3 v = cairn_sub(cairn_add_scaled(r.d, t, r.b), cairn_scale(s, r.a));
    if (!(cairn_length(v) - (r.ra + r.rb) < margin)) {
        return;
    }
    manifold->normal = normal_of(&r, s, t, v);
    manifold->count = along(&r, manifold->normal, margin, manifold->points);
    if (manifold->count == 0) {
        uint32_t names = cairn_names(name_at(s, r.ha), name_at(t, r.hb));
        manifold->count = add_point(&r, s, t, manifold->normal, margin, names, manifold->points, 0);
    }
    for (int k = 0; k < manifold->count; ++k) {
        manifold->points[k].point = cairn_add(pose_a.p, manifold->points[k].point);
    }
}
