// Box against cylinder: the normal of least overlap (round_sum.h), then the points of the features that face along it.
//
//   cap on the box     rim points over the face, corners under the cap, and where the rim crosses edges: at most four of them
//   line on a face     clipped to the face: two points
//   line on an edge    nearly parallel: the ends of what they have in common; else the one point where they cross
#include "collision/convex/round_sum.h"
#include "collision/pairs/cylinder_frame.h"
#include "collision/pairs/pairs.h"

// A face within 6 degrees (cosine) of the normal may carry the cylinder's line, and an edge within 3 degrees (sine) of
// across it.
#define FACE_LOOKS 0.995
#define EDGE_LIES 0.05

typedef struct BoxCylinder {
    CairnBoxFrame box; // at the origin
    CairnCylinderFrame cylinder;
    CairnPatch patch;
    CairnSumOptimum optimum;
    int axis; // of the face that looks most along the normal
    unsigned side;
    CairnVec3 face_center, face_out;
} BoxCylinder;

static void find_face(BoxCylinder *c) {
    double best = -1;
    for (int i = 0; i < 3; ++i) {
        double along = cairn_dot(c->patch.normal, c->box.axis[i]);
        if (fabs(along) > best + 1e-9) { // ties to rounding go to the earlier axis
            best = fabs(along);
            c->axis = i;
            c->side = along > 0 ? 1u << i : 0u;
        }
    }
    c->face_out = c->side != 0 ? c->box.axis[c->axis] : cairn_neg(c->box.axis[c->axis]);
    c->face_center = cairn_scale(c->box.half[c->axis], c->face_out);
}

static uint32_t face_name(const BoxCylinder *c) {
    return cairn_box_face(c->axis, c->side == 0);
}

// ---- cap on box ----

static void add_rim_points(BoxCylinder *c, const CairnCap *cap) {
    bool is_flat = cairn_length(cairn_cross(cap->out, c->face_out)) < CAIRN_CAP_FLAT;
    CairnVec3 n = c->patch.normal, rim[4];
    cairn_cylinder_rim_points(&c->cylinder, cap, cairn_neg(c->face_out), is_flat, rim);
    int u = (c->axis + 1) % 3, v = (c->axis + 2) % 3;
    double wide =
        (is_flat ? CAIRN_CYLINDER_RIM : 1e-10) * cairn_min(cap->radius, cairn_min(c->box.half[u], c->box.half[v]));
    for (int k = 0; k < 4; ++k) {
        double t = cairn_cast(rim[k], n, c->face_center, c->face_out);
        CairnVec3 x = cairn_add_scaled(rim[k], t, n);
        if (fabs(cairn_dot(x, c->box.axis[u])) <= c->box.half[u] + wide &&
            fabs(cairn_dot(x, c->box.axis[v])) <= c->box.half[v] + wide) {
            cairn_patch_add_second(&c->patch, rim[k], -t, face_name(c),
                                   cairn_cylinder_rim(cap->is_positive, k + (is_flat ? 4 : 0)));
        }
    }
}

// Once, whichever of its edges leads there: where a corner is nearest to the rim both do, to rounding.
static void add_corner_on_rim(BoxCylinder *c, const CairnCap *cap, unsigned signs) {
    uint32_t box = cairn_box_vertex(signs), rim = cairn_cylinder_rim(cap->is_positive, 0);
    for (int k = 0; k < c->patch.count; ++k) {
        if (c->patch.points[k].feature == cairn_box_features(box, rim)) {
            return;
        }
    }
    CairnVec3 corner = cairn_box_corner(&c->box, signs);
    cairn_patch_add(&c->patch, corner, cairn_cast(corner, c->patch.normal, cap->center, cap->out), box, rim);
}

// The face's corners under the cap, and where its edges, cast along the normal into the cap's plane, cross the rim.
static void add_corners_and_crossings(BoxCylinder *c, const CairnCap *cap) {
    CairnVec3 n = c->patch.normal;
    double inside = cap->radius * (1 - CAIRN_CYLINDER_RIM);
    int axes[2] = {(c->axis + 1) % 3, (c->axis + 2) % 3};
    for (unsigned k = 0; k < 4; ++k) {
        unsigned signs = c->side | (k & 1u) << axes[0] | (k >> 1 & 1u) << axes[1];
        CairnVec3 corner = cairn_box_corner(&c->box, signs);
        double t = cairn_cast(corner, n, cap->center, cap->out);
        if (cairn_length(cairn_sub(cairn_add_scaled(corner, t, n), cap->center)) <= inside) {
            cairn_patch_add(&c->patch, corner, t, cairn_box_vertex(signs), cairn_cylinder_cap(cap->is_positive, 0));
        }
    }
    for (unsigned k = 0; k < 4; ++k) { // two edges along each of the face's axes
        int along = axes[k >> 1], other = axes[1 - (k >> 1)];
        unsigned signs = c->side | (k & 1u) << other;
        double half = c->box.half[along], at_corner = CAIRN_CYLINDER_RIM * cairn_min(half, cap->radius);
        CairnVec3 e = c->box.axis[along], middle = cairn_add_scaled(cairn_box_corner(&c->box, signs), half, e);
        double t0 = cairn_cast(middle, n, cap->center, cap->out);
        double slope = -cairn_dot(e, cap->out) / cairn_dot(n, cap->out);
        CairnVec3 p = cairn_sub(cairn_add_scaled(middle, t0, n), cap->center), d = cairn_add_scaled(e, slope, n);
        double dd = cairn_dot(d, d), nearest = -cairn_dot(p, d) / dd;
        CairnVec3 foot = cairn_add_scaled(p, nearest, d);
        double chord = cap->radius * cap->radius * (1 + 1e-12) - cairn_dot(foot, foot);
        for (int end = 0; end < 2 && chord >= 0; ++end) {
            double s = nearest + (end == 0 ? -1 : 1) * sqrt(chord / dd);
            if (fabs(fabs(s) - half) <= at_corner) {
                add_corner_on_rim(c, cap, signs | (s > 0 ? 1u << along : 0u));
            } else if (fabs(s) < half) {
                cairn_patch_add(&c->patch, cairn_add_scaled(middle, s, e), t0 + s * slope, cairn_box_edge(along, signs),
                                cairn_cylinder_rim(cap->is_positive, end));
            }
        }
    }
}

// ---- line on box ----

// The line's points p + s axis cast along the normal into the face's plane, cut where they leave the rectangle.
static void line_on_face(BoxCylinder *c, const CairnLine *line) {
    CairnVec3 n = c->patch.normal;
    CairnVec3 looks = cairn_add_scaled(n, -cairn_dot(n, line->axis), line->axis);
    CairnVec3 p = cairn_add_scaled(line->center, -line->radius, cairn_normalize(looks));
    double t0 = cairn_cast(p, n, c->face_center, c->face_out);
    double slope = -cairn_dot(line->axis, c->face_out) / cairn_dot(n, c->face_out);
    CairnVec3 x = cairn_add_scaled(p, t0, n), d = cairn_add_scaled(line->axis, slope, n);
    double s[2] = {-line->half, line->half}, tolerance = CAIRN_CYLINDER_RIM * line->half;
    uint32_t box_names[2] = {face_name(c), face_name(c)}, names[2] = {line->ends[0], line->ends[1]};
    for (int i = 1; i < 3; ++i) {
        int across = (c->axis + i) % 3, along = (c->axis + 3 - i) % 3;
        double h = c->box.half[across], from = cairn_dot(x, c->box.axis[across]),
               step = cairn_dot(d, c->box.axis[across]);
        if (fabs(step) * line->half < 1e-3 * CAIRN_CYLINDER_RIM * h) { // runs along this side: in or out as a whole
            if (fabs(from) > h * (1 + CAIRN_CYLINDER_RIM)) {
                return;
            }
            continue;
        }
        for (int side = 0; side < 2; ++side) {
            double cut = ((side ? h : -h) - from) / step;
            int end = (step > 0) == (side == 1) ? 1 : 0;
            if (end ? cut < s[1] - tolerance : cut > s[0] + tolerance) {
                s[end] = cut;
                unsigned signs = c->side | (side ? 1u << across : 0u);
                box_names[end] = cairn_box_edge(along, signs);
                names[end] = line->side | (end ? 2u : 1u);
            }
        }
    }
    if (s[0] > s[1] + tolerance) {
        return;
    }
    for (int end = 0; end < 2; ++end) {
        cairn_patch_add_second(&c->patch, cairn_add_scaled(p, s[end], line->axis), -(t0 + s[end] * slope),
                               box_names[end], names[end]);
    }
}

// The box's edge that looks along the normal and is nearly parallel to the cylinder.
static void line_on_edge(BoxCylinder *c, const CairnLine *line) {
    int along = 0;
    for (int i = 1; i < 3; ++i) {
        if (fabs(cairn_dot(line->axis, c->box.axis[i])) > fabs(cairn_dot(line->axis, c->box.axis[along]))) {
            along = i;
        }
    }
    if (fabs(cairn_dot(c->patch.normal, c->box.axis[along])) > EDGE_LIES) {
        return; // it stands on its end
    }
    unsigned signs = cairn_box_support(&c->box, c->patch.normal) & ~(1u << along);
    CairnVec3 end = cairn_box_corner(&c->box, signs);
    CairnLine edge = {cairn_add_scaled(end, c->box.half[along], c->box.axis[along]),
                      c->box.axis[along],
                      c->box.half[along],
                      0,
                      {cairn_box_vertex(signs), cairn_box_vertex(signs | 1u << along)},
                      cairn_box_edge(along, signs)};
    // The names of edges have no slots: the name on the cylinder distinguishes the two ends.
    CairnPatch found = {.normal = c->patch.normal, .margin = c->patch.margin};
    if (cairn_patch_lines(&found, &edge, line, c->cylinder.axis)) {
        c->patch = found;
    }
}

// ---- all together ----

// The points of the optimum on each surface, and the features that they lie on.
static void add_witness(BoxCylinder *c) {
    const CairnSumOptimum *o = &c->optimum;
    CairnVec3 q = cairn_sub(c->cylinder.center, o->across[0]), p = {0, 0, 0};
    q = cairn_add_scaled(q, -o->along[3], c->cylinder.axis);
    unsigned signs = 0, within = 0;
    int within_count = 0, within_axis = 0, other_axis = 0;
    for (int i = 0; i < 3; ++i) {
        p = cairn_add_scaled(p, o->along[i], c->box.axis[i]);
        signs |= o->along[i] > 0 ? 1u << i : 0u;
        if (fabs(o->along[i]) < c->box.half[i] * (1 - CAIRN_CYLINDER_RIM)) {
            within |= 1u << i;
            within_axis = i;
            ++within_count;
        } else {
            other_axis = i;
        }
    }
    uint32_t name = within_count == 0   ? cairn_box_vertex(signs)
                    : within_count == 1 ? cairn_box_edge(within_axis, signs & ~within)
                                        : cairn_box_face(other_axis, (signs >> other_axis & 1u) == 0);
    bool is_positive = o->along[3] < 0; // the cylinder's end that looks back
    bool is_side = fabs(o->along[3]) < c->cylinder.half * (1 - CAIRN_CYLINDER_RIM);
    bool is_cap = cairn_length(o->across[0]) < c->cylinder.radius * (1 - CAIRN_CYLINDER_RIM);
    uint32_t cylinder_name = is_side  ? cairn_cylinder_side(0)
                             : is_cap ? cairn_cylinder_cap(is_positive, 0)
                                      : cairn_cylinder_rim(is_positive, 0);
    CairnVec3 middle = cairn_scale(0.5, cairn_add(p, q));
    cairn_patch_add(&c->patch, cairn_add_scaled(middle, -0.5 * o->distance, c->patch.normal), o->distance, name,
                    cylinder_name);
}

// True: the nearest point is missing. Features that face along the normal need not be opposite each other where the
// shapes are apart.
static bool is_short(const BoxCylinder *c) {
    double least = HUGE_VAL;
    for (int k = 0; k < c->patch.count; ++k) {
        least = cairn_min(least, c->patch.points[k].distance);
    }
    return least > c->optimum.distance + 1e-10 * (c->cylinder.radius + c->cylinder.half);
}

static void collide(BoxCylinder *c) {
    CairnVec3 n = c->patch.normal;
    find_face(c);
    if (fabs(cairn_dot(n, c->cylinder.axis)) > CAIRN_CAP_LOOKS) {
        CairnCap cap = cairn_cylinder_cap_towards(&c->cylinder, cairn_neg(n));
        add_rim_points(c, &cap);
        add_corners_and_crossings(c, &cap);
        if (cairn_length(cairn_cross(cap.out, c->face_out)) >= CAIRN_CAP_FLAT && is_short(c)) {
            add_witness(c);
        }
        c->patch.count = cairn_box_reduce(c->patch.points, c->patch.count, n);
    } else {
        CairnLine line = cairn_cylinder_line(&c->cylinder);
        if (cairn_dot(n, c->face_out) > FACE_LOOKS) {
            line_on_face(c, &line);
        }
        if (c->patch.count == 0) {
            line_on_edge(c, &line);
        }
    }
    if (!cairn_patch_deepen(&c->patch, c->optimum.distance, c->cylinder.radius)) {
        add_witness(c);
        if (c->patch.count > 4) {
            c->patch.count = cairn_box_reduce(c->patch.points, c->patch.count, n);
        }
    }
}

void cairn_pair_box_cylinder(const CairnGeometry *a, CairnTransform pose_a, const CairnGeometry *b,
                             CairnTransform pose_b, double margin, CairnManifold *manifold) {
    CairnMat3 r = cairn_mat3_of_quat(pose_a.q);
    CairnVec3 d = cairn_sub(pose_b.p, pose_a.p);
    BoxCylinder c = {.box = {{0, 0, 0},
                             {{r.m[0][0], r.m[1][0], r.m[2][0]},
                              {r.m[0][1], r.m[1][1], r.m[2][1]},
                              {r.m[0][2], r.m[1][2], r.m[2][2]}},
                             {a->half.x, a->half.y, a->half.z}},
                     .cylinder = cairn_cylinder_frame(b, pose_b, d)};
    CairnRoundSum sum = {.c = d,
                         .segment_count = 4,
                         .disc_count = 1,
                         .first_segments = 3,
                         .first_discs = 0,
                         .e = {c.box.axis[0], c.box.axis[1], c.box.axis[2], c.cylinder.axis},
                         .k = {c.box.half[0], c.box.half[1], c.box.half[2], c.cylinder.half},
                         .u = {c.cylinder.axis},
                         .r = {c.cylinder.radius}};
    if (!cairn_sum_optimum(&sum, margin, &c.optimum)) {
        return;
    }
    c.patch.normal = c.optimum.normal;
    c.patch.margin = margin;
    collide(&c);
    manifold->normal = c.patch.normal;
    manifold->count = c.patch.count;
    for (int k = 0; k < c.patch.count; ++k) {
        CairnManifoldPoint p = c.patch.points[k];
        manifold->points[k] = (CairnManifoldPoint){cairn_add(pose_a.p, p.point), p.distance, p.feature};
    }
}
