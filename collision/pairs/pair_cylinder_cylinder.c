// Cylinder against cylinder: the normal of least overlap (round_sum.h), then the points of the features that face along
// it.
//
//   cap on cap     what the two discs have in common, by four points
//   line on cap    the chord: two points
//   line on line   nearly parallel: the ends of what they have in common; else the one point where they cross
//
// The two are first put into an order that depends on them alone, so that swapping them swaps the answer to the last
// bit.
#include "collision/convex/round_sum.h"
#include "collision/pairs/cylinder_frame.h"
#include "collision/pairs/pair_order.h"
#include "collision/pairs/pairs.h"

// Discs whose centres are this fraction of the smaller radius apart are seen along the line of the centres.
#define OFF_CENTRE 0.2

typedef struct Cylinders {
    CairnCylinderFrame first, second;
    CairnPatch patch;
    CairnSumOptimum optimum;
} Cylinders;

// By size, then by position.
static bool comes_before(const CairnGeometry *b, CairnTransform pose_b, const CairnGeometry *a, CairnTransform pose_a) {
    const double size_a[2] = {a->radius, a->half_height}, size_b[2] = {b->radius, b->half_height};
    int order = cairn_compare_numbers(size_b, size_a, 2);
    return order != 0 ? order < 0 : cairn_pose_comes_before(pose_b, pose_a);
}

// The points of the optimum on each surface, and the features that they lie on.
static void add_witness(Cylinders *c, const CairnCap *cap_1, const CairnCap *cap_2) {
    const CairnSumOptimum *o = &c->optimum;
    CairnVec3 p = cairn_add_scaled(cairn_add(c->first.center, o->across[0]), o->along[0], c->first.axis);
    CairnVec3 q = cairn_add_scaled(cairn_sub(c->second.center, o->across[1]), -o->along[1], c->second.axis);
    bool within_1 = fabs(o->along[0]) < c->first.half * (1 - CAIRN_CYLINDER_RIM);
    bool within_2 = fabs(o->along[1]) < c->second.half * (1 - CAIRN_CYLINDER_RIM);
    bool flat_1 = cairn_length(o->across[0]) < c->first.radius * (1 - CAIRN_CYLINDER_RIM);
    bool flat_2 = cairn_length(o->across[1]) < c->second.radius * (1 - CAIRN_CYLINDER_RIM);
    uint32_t feature_1 = within_1 ? cairn_cylinder_side(0)
                         : flat_1 ? cairn_cylinder_cap(cap_1->is_positive, 0)
                                  : cairn_cylinder_rim(cap_1->is_positive, 0);
    uint32_t feature_2 = within_2 ? cairn_cylinder_side(0)
                         : flat_2 ? cairn_cylinder_cap(cap_2->is_positive, 0)
                                  : cairn_cylinder_rim(cap_2->is_positive, 0);
    CairnVec3 middle = cairn_scale(0.5, cairn_add(p, q));
    cairn_patch_add(&c->patch, cairn_add_scaled(middle, -0.5 * o->distance, c->patch.normal), o->distance, feature_1,
                    feature_2);
}

// ---- caps that lie flat on each other ----

typedef struct Lens {
    const CairnCap *small, *large;
    CairnVec3 e; // from the small disc's centre to the large one's
    double e_squared;
    bool is_small_first;
} Lens;

// A point of the small disc at `from` its centre. It lies on the rim of each disc that it reaches.
static void add_lens_point(Cylinders *c, const Lens *lens, CairnVec3 from, int slot) {
    double on_small = cairn_length(from), on_large = cairn_length(cairn_sub(from, lens->e));
    bool is_small_rim = on_small > lens->small->radius * (1 - CAIRN_CYLINDER_RIM);
    bool is_large_rim = on_large > lens->large->radius * (1 - CAIRN_CYLINDER_RIM);
    is_large_rim = is_large_rim && !(is_small_rim && slot >= 4); // rims that coincide: the small one's
    uint32_t small = is_small_rim ? cairn_cylinder_rim(lens->small->is_positive, slot)
                                  : cairn_cylinder_cap(lens->small->is_positive, slot);
    uint32_t large = is_large_rim ? cairn_cylinder_rim(lens->large->is_positive, slot)
                                  : cairn_cylinder_cap(lens->large->is_positive, slot);
    CairnVec3 x = cairn_add(lens->small->center, from), n = c->patch.normal;
    double t = cairn_cast(x, n, lens->large->center, lens->large->out);
    if (lens->is_small_first) {
        cairn_patch_add(&c->patch, x, t, small, large);
    } else {
        cairn_patch_add_second(&c->patch, x, -t, large, small);
    }
}

// From the small disc's centre along the unit vector d, as far as both discs go; false where the large one is not
// there.
static bool lens_reach(const Lens *lens, CairnVec3 d, double *reach) {
    double along = cairn_dot(d, lens->e), chord = along * along - lens->e_squared;
    chord += lens->large->radius * lens->large->radius;
    if (chord < 0) {
        return false;
    }
    *reach = cairn_min(lens->small->radius, along + sqrt(chord));
    return true;
}

static void add_centred_lens(Cylinders *c, const Lens *lens, const CairnCylinderFrame *small) {
    const CairnVec3 directions[4] = {small->x, small->y, cairn_neg(small->x), cairn_neg(small->y)};
    for (int k = 0; k < 4; ++k) {
        double reach;
        if (lens_reach(lens, directions[k], &reach)) {
            add_lens_point(c, lens, cairn_scale(reach, directions[k]), 4 + k);
        }
    }
}

// Along the line of centres both ends, and across it the widest points: the small disc's, or where the rims cross.
static void add_lens(Cylinders *c, const Lens *lens) {
    double e = sqrt(lens->e_squared), r = lens->small->radius, big = lens->large->radius;
    CairnVec3 along = cairn_scale(1 / e, lens->e), across = cairn_cross(lens->small->out, along);
    double near_end = cairn_max(-r, e - big), far_end = cairn_min(r, e + big);
    double x = lens->e_squared + r * r <= big * big ? 0 : (lens->e_squared + r * r - big * big) / (2 * e);
    double y = sqrt(cairn_max(r * r - x * x, 0.0));
    add_lens_point(c, lens, cairn_scale(far_end, along), 0);
    add_lens_point(c, lens, cairn_add_scaled(cairn_scale(x, along), y, across), 1);
    add_lens_point(c, lens, cairn_scale(near_end, along), 2);
    add_lens_point(c, lens, cairn_add_scaled(cairn_scale(x, along), -y, across), 3);
}

static void flat_caps(Cylinders *c, const CairnCap *cap_1, const CairnCap *cap_2) {
    bool is_small_first = cap_1->radius <= cap_2->radius;
    Lens lens = {.small = is_small_first ? cap_1 : cap_2,
                 .large = is_small_first ? cap_2 : cap_1,
                 .is_small_first = is_small_first};
    // The large disc's centre, cast along the normal into the small one's plane.
    CairnVec3 n = c->patch.normal;
    double t = cairn_cast(lens.large->center, n, lens.small->center, lens.small->out);
    lens.e = cairn_sub(cairn_add_scaled(lens.large->center, t, n), lens.small->center);
    lens.e_squared = cairn_length_squared(lens.e);
    if (lens.e_squared < OFF_CENTRE * OFF_CENTRE * lens.small->radius * lens.small->radius) {
        add_centred_lens(c, &lens, is_small_first ? &c->first : &c->second);
    } else if (lens.e_squared < (cap_1->radius + cap_2->radius) * (cap_1->radius + cap_2->radius)) {
        add_lens(c, &lens);
    }
}

// ---- caps inclined to each other ----

// The chord of the inclined cap from x (over the other cap) towards the rim point y, as far as it stays over the other
// cap.
static double chord_over(CairnVec3 x, CairnVec3 y, CairnVec3 n, const CairnCap *over, double *fraction) {
    double tx = cairn_cast(x, n, over->center, over->out), ty = cairn_cast(y, n, over->center, over->out);
    CairnVec3 p = cairn_sub(cairn_add_scaled(x, tx, n), over->center);
    CairnVec3 d = cairn_sub(cairn_sub(cairn_add_scaled(y, ty, n), over->center), p);
    double dd = cairn_dot(d, d), pd = cairn_dot(p, d);
    double c = cairn_dot(p, p) - over->radius * over->radius;
    double root = pd * pd - dd * c;
    *fraction = root > 0 ? cairn_clamp((-pd + sqrt(root)) / dd, 0, 1) : 0;
    return tx + *fraction * (ty - tx);
}

// The deepest point, and the other rim points of the cap that is less across the normal, as far as they lie over the
// other.
static void inclined_caps(Cylinders *c, const CairnCap *cap_1, const CairnCap *cap_2) {
    CairnVec3 n = c->patch.normal;
    const CairnSumOptimum *o = &c->optimum;
    bool is_first_inclined = cairn_dot(n, cap_1->out) < -cairn_dot(n, cap_2->out);
    const CairnCap *inclined = is_first_inclined ? cap_1 : cap_2, *over = is_first_inclined ? cap_2 : cap_1;
    const CairnCylinderFrame *cylinder = is_first_inclined ? &c->first : &c->second;
    CairnVec3 start = is_first_inclined
                          ? cairn_add_scaled(cairn_add(c->first.center, o->across[0]), o->along[0], c->first.axis)
                          : cairn_add_scaled(cairn_sub(c->second.center, o->across[1]), -o->along[1], c->second.axis);
    add_witness(c, cap_1, cap_2);
    CairnVec3 rim[4];
    cairn_cylinder_rim_points(cylinder, inclined, is_first_inclined ? n : cairn_neg(n), false, rim);
    for (int k = 1; k < 4; ++k) {
        double fraction, t = chord_over(start, rim[k], n, over, &fraction);
        if (fraction < 1e-3) {
            continue;
        }
        CairnVec3 x = cairn_add_scaled(start, fraction, cairn_sub(rim[k], start));
        uint32_t name_over =
            fraction < 1 ? cairn_cylinder_cap(inclined->is_positive, k) : cairn_cylinder_rim(inclined->is_positive, k);
        uint32_t other =
            fraction < 1 ? cairn_cylinder_rim(over->is_positive, k) : cairn_cylinder_cap(over->is_positive, k);
        if (is_first_inclined) {
            cairn_patch_add(&c->patch, x, t, name_over, other);
        } else {
            cairn_patch_add_second(&c->patch, x, -t, other, name_over);
        }
    }
}

// ---- all together ----

static void collide(Cylinders *c, CairnVec3 orient) {
    CairnVec3 n = c->patch.normal;
    bool is_cap_1 = fabs(cairn_dot(n, c->first.axis)) > CAIRN_CAP_LOOKS;
    bool is_cap_2 = fabs(cairn_dot(n, c->second.axis)) > CAIRN_CAP_LOOKS;
    CairnCap cap_1 = cairn_cylinder_cap_towards(&c->first, n);
    CairnCap cap_2 = cairn_cylinder_cap_towards(&c->second, cairn_neg(n));
    CairnLine line_1 = cairn_cylinder_line(&c->first), line_2 = cairn_cylinder_line(&c->second);
    if (is_cap_1 && is_cap_2) {
        if (cairn_length(cairn_cross(cap_1.out, cap_2.out)) < CAIRN_CAP_FLAT) {
            flat_caps(c, &cap_1, &cap_2);
        } else {
            inclined_caps(c, &cap_1, &cap_2);
        }
    } else if (is_cap_1) {
        cairn_patch_line_cap(&c->patch, &line_2, &cap_1, false);
    } else if (is_cap_2) {
        cairn_patch_line_cap(&c->patch, &line_1, &cap_2, true);
    } else {
        cairn_patch_lines(&c->patch, &line_1, &line_2, orient);
    }
    if (!cairn_patch_deepen(&c->patch, c->optimum.distance, c->first.radius + c->second.radius)) {
        add_witness(c, &cap_1, &cap_2);
    }
}

void cairn_pair_cylinder_cylinder(const CairnGeometry *a, CairnTransform pose_a, const CairnGeometry *b,
                                  CairnTransform pose_b, double margin, CairnManifold *manifold) {
    bool is_swapped = comes_before(b, pose_b, a, pose_a);
    CairnVec3 origin = is_swapped ? pose_b.p : pose_a.p, zero = {0, 0, 0};
    CairnVec3 d = cairn_sub(is_swapped ? pose_a.p : pose_b.p, origin);
    Cylinders c = {.first = is_swapped ? cairn_cylinder_frame(b, pose_b, zero) : cairn_cylinder_frame(a, pose_a, zero),
                   .second = is_swapped ? cairn_cylinder_frame(a, pose_a, d) : cairn_cylinder_frame(b, pose_b, d)};
    CairnRoundSum sum = {.c = d,
                         .segment_count = 2,
                         .disc_count = 2,
                         .first_segments = 1,
                         .first_discs = 1,
                         .e = {c.first.axis, c.second.axis},
                         .k = {c.first.half, c.second.half},
                         .u = {c.first.axis, c.second.axis},
                         .r = {c.first.radius, c.second.radius}};
    if (!cairn_sum_optimum(&sum, margin, &c.optimum)) {
        return;
    }
    c.patch.normal = c.optimum.normal;
    c.patch.margin = margin;
    c.patch.count = 0;
    collide(&c, is_swapped ? c.second.axis : c.first.axis);
    manifold->normal = is_swapped ? cairn_neg(c.patch.normal) : c.patch.normal;
    manifold->count = c.patch.count;
    for (int k = 0; k < c.patch.count; ++k) {
        CairnManifoldPoint p = c.patch.points[k];
        uint32_t feature = is_swapped ? cairn_box_features_swapped(p.feature) : p.feature;
        manifold->points[k] = (CairnManifoldPoint){cairn_add(origin, p.point), p.distance, feature};
    }
}
