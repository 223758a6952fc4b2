// Narrow phase against what it must be true of, computed by other means: support functions, containment, rigid motion, swapping.
#include "collision/box_frame.h"
#include "collision/collision.h"
#include "tests/support_shapes.h"
#include <string.h>

// ---- shapes and oracles ----

static CairnGeometry random_geometry(uint64_t *random, double low, double high) {
    if (support_int(random, 0, 2) == 0) {
        return sphere(support_uniform(random, low, high));
    }
    return box(support_uniform(random, low, high), support_uniform(random, low, high),
               support_uniform(random, low, high));
}

// How far the shape reaches along n from its own centre.
static double reach_along(const CairnGeometry *g, CairnQuat q, CairnVec3 n) {
    if (g->type == CAIRN_SPHERE) {
        return g->radius * cairn_length(n);
    }
    CairnVec3 m = cairn_unrotate(q, n);
    return g->half.x * fabs(m.x) + g->half.y * fabs(m.y) + g->half.z * fabs(m.z);
}

// The gap between two convex shapes along n. Its maximum over all unit n is their signed distance.
static double gap_along(const CairnGeometry *a, CairnTransform pa, const CairnGeometry *b, CairnTransform pb,
                        CairnVec3 n) {
    return cairn_dot(n, cairn_sub(pb.p, pa.p)) - reach_along(a, pa.q, n) - reach_along(b, pb.q, n);
}

// Signed distance from a point to the shape's surface (outside positive).
static double depth_of(const CairnGeometry *g, CairnTransform pose, CairnVec3 point) {
    CairnVec3 p = cairn_untransform_point(pose, point);
    if (g->type == CAIRN_SPHERE) {
        return cairn_length(p) - g->radius;
    }
    if (g->type == CAIRN_HALF_SPACE) {
        return p.z;
    }
    CairnVec3 d = {fabs(p.x) - g->half.x, fabs(p.y) - g->half.y, fabs(p.z) - g->half.z};
    double inside = fmin(fmax(d.x, fmax(d.y, d.z)), 0.0);
    return inside + cairn_length((CairnVec3){fmax(d.x, 0), fmax(d.y, 0), fmax(d.z, 0)});
}

static CairnVec3 nearest_in_box(const CairnGeometry *g, CairnTransform pose, CairnVec3 point) {
    CairnVec3 p = cairn_untransform_point(pose, point), h = g->half;
    CairnVec3 c = {cairn_clamp(p.x, -h.x, h.x), cairn_clamp(p.y, -h.y, h.y), cairn_clamp(p.z, -h.z, h.z)};
    return cairn_transform_point(pose, c);
}

// The distance of two boxes by projecting a point on the one and on the other in turn: falls towards the distance.
static double projected_distance(const CairnGeometry *a, CairnTransform pa, const CairnGeometry *b, CairnTransform pb,
                                 int rounds) {
    CairnVec3 p = pa.p, q = pb.p;
    for (int k = 0; k < rounds; ++k) {
        p = nearest_in_box(a, pa, q);
        q = nearest_in_box(b, pb, p);
    }
    return cairn_length(cairn_sub(q, p));
}

static CairnVec3 fibonacci(int k, int count) {
    double z = 1.0 - (2.0 * k + 1.0) / count, r = sqrt(1 - z * z), angle = k * 2.399963229728653;
    return (CairnVec3){r * cos(angle), r * sin(angle), z};
}

// A lower bound of the signed distance: the best of `count` directions, then a pattern search on the sphere.
static double best_gap(const CairnGeometry *a, CairnTransform pa, const CairnGeometry *b, CairnTransform pb,
                       int count) {
    CairnVec3 best = z_axis;
    double gap = -HUGE_VAL;
    for (int k = 0; k < count; ++k) {
        CairnVec3 n = fibonacci(k, count);
        double g = gap_along(a, pa, b, pb, n);
        if (g > gap) {
            gap = g;
            best = n;
        }
    }
    for (double step = 0.1; step > 1e-10;) {
        CairnVec3 t1, t2, center = best;
        cairn_tangents(center, &t1, &t2);
        for (int k = 0; k < 16; ++k) {
            double angle = k * CAIRN_PI / 8;
            CairnVec3 n = cairn_add_scaled(cairn_add_scaled(center, step * cos(angle), t1), step * sin(angle), t2);
            n = cairn_normalize(n);
            double g = gap_along(a, pa, b, pb, n);
            if (g > gap) {
                gap = g;
                best = n;
            }
        }
        step = memcmp(&center, &best, sizeof best) == 0 ? 0.5 * step : step;
    }
    return gap;
}

static double smallest_distance(const CairnManifold *m) {
    double smallest = HUGE_VAL;
    for (int k = 0; k < m->count; ++k) {
        smallest = fmin(smallest, m->points[k].distance);
    }
    return smallest;
}

// What holds of every manifold: unit normal, at most 4 points, each nearer than the margin, each with its two ends on the
// surfaces (rim: vertices up to 1e-5 of a face's size outside it still count), all ids different.
static void check_manifold(const CairnGeometry *a, CairnTransform pa, const CairnGeometry *b, CairnTransform pb,
                           double margin, const CairnManifold *m, double tolerance, double rim) {
    assert_in_range(m->count, 0, 4);
    if (m->count == 0) {
        return;
    }
    assert_near(cairn_length(m->normal), 1, 1e-14);
    for (int k = 0; k < m->count; ++k) {
        CairnManifoldPoint p = m->points[k];
        assert_true(p.distance < margin);
        CairnVec3 on_a = cairn_add_scaled(p.point, -0.5 * p.distance, m->normal);
        CairnVec3 on_b = cairn_add_scaled(p.point, 0.5 * p.distance, m->normal);
        assert_near(depth_of(a, pa, on_a), 0, tolerance + rim);
        assert_near(depth_of(b, pb, on_b), 0, tolerance + rim);
        for (int i = 0; i < k; ++i) {
            assert_int_not_equal(m->points[i].feature, p.feature);
        }
    }
}

// ---- spheres ----

static void sphere_sphere_in_closed_form(void **state) {
    (void)state;
    CairnGeometry a = sphere(0.5), b = sphere(0.25);
    CairnManifold m;
    cairn_narrow(&a, at(1, 2, 3), &b, at(1, 2, 3.7), 0.01, &m);
    assert_int_equal(m.count, 1);
    assert_vec3_near(m.normal, z_axis, 0);
    assert_near(m.points[0].distance, -0.05, 1e-15);
    assert_vec3_near(m.points[0].point, ((CairnVec3){1, 2, 3.475}), 1e-15);
    cairn_narrow(&a, at(1, 2, 3), &b, at(1, 2, 3.7599), 0.01, &m);
    assert_int_equal(m.count, 1);
    cairn_narrow(&a, at(1, 2, 3), &b, at(1, 2, 3.7601), 0.01, &m);
    assert_int_equal(m.count, 0);
}

static void coincident_centres_have_an_answer(void **state) {
    (void)state;
    CairnGeometry shapes[3] = {sphere(0.5), sphere(0.25), box(1, 2, 3)};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            CairnManifold m, n;
            cairn_narrow(&shapes[i], at(1, 2, 3), &shapes[j], at(1, 2, 3), 0.01, &m);
            cairn_narrow(&shapes[j], at(1, 2, 3), &shapes[i], at(1, 2, 3), 0.01, &n);
            assert_true(m.count >= 1 && m.count <= 4);
            assert_near(cairn_length(m.normal), 1, 1e-15);
            // No direction is better: the shortest way out.
            double gap = best_gap(&shapes[i], at(1, 2, 3), &shapes[j], at(1, 2, 3), 500);
            assert_below(gap, smallest_distance(&m) + 1e-12);
            assert_below(smallest_distance(&m), gap + 1e-6);
            if (i != j) { // two equal shapes at one place cannot be told apart, so swapping them changes nothing
                assert_vec3_near(m.normal, cairn_neg(n.normal), 0);
            }
        }
    }
}

static void sphere_box_against_support_functions(void **state) {
    (void)state;
    uint64_t random = 11;
    for (int k = 0; k < 2000; ++k) {
        CairnGeometry s = sphere(support_uniform(&random, 0.05, 1));
        CairnGeometry b =
            box(support_uniform(&random, 0.1, 2), support_uniform(&random, 0.1, 2), support_uniform(&random, 0.1, 2));
        CairnTransform ps = support_transform(&random, 1.5), pb = support_transform(&random, 0.5);
        CairnManifold m;
        cairn_narrow(&s, ps, &b, pb, 10, &m);
        assert_int_equal(m.count, 1);
        check_manifold(&s, ps, &b, pb, 10, &m, 1e-14 * 10, 0);
        // The distance is the gap along the normal, and no direction has a larger one.
        assert_near(m.points[0].distance, gap_along(&s, ps, &b, pb, m.normal), 1e-14 * 10);
        if (k % 10 == 0) {
            double found = best_gap(&s, ps, &b, pb, 400);
            assert_below(found, m.points[0].distance + 1e-12);
        }
    }
}

static void sphere_in_a_box_leaves_by_the_nearest_face(void **state) {
    (void)state;
    CairnGeometry s = sphere(0.1), b = box(2, 2, 2);
    const CairnVec3 out[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    uint32_t seen[6];
    for (int k = 0; k < 6; ++k) {
        CairnManifold m;
        CairnVec3 c = cairn_scale(0.75, out[k]);
        cairn_narrow(&s, at(c.x, c.y, c.z), &b, at(0, 0, 0), 0.01, &m);
        assert_int_equal(m.count, 1);
        assert_vec3_near(m.normal, cairn_neg(out[k]), 0);
        assert_near(m.points[0].distance, -0.35, 1e-15);
        seen[k] = m.points[0].feature;
        for (int i = 0; i < k; ++i) {
            assert_int_not_equal(seen[i], seen[k]);
        }
    }
    // Through a face there is no jump: just inside and just outside agree.
    CairnManifold in, outside;
    cairn_narrow(&s, at(0.2, 0.3, 1 - 1e-12), &b, at(0, 0, 0), 0.01, &in);
    cairn_narrow(&s, at(0.2, 0.3, 1 + 1e-12), &b, at(0, 0, 0), 0.01, &outside);
    assert_vec3_near(in.normal, outside.normal, 1e-15);
    assert_near(in.points[0].distance, outside.points[0].distance, 3e-12);
}

static void sphere_on_a_half_space(void **state) {
    (void)state;
    uint64_t random = 12;
    CairnGeometry h = half_space();
    for (int k = 0; k < 1000; ++k) {
        CairnGeometry s = sphere(support_uniform(&random, 0.1, 2));
        CairnTransform ph = support_transform(&random, 3);
        double height = support_uniform(&random, -1, 1);
        CairnVec3 foot = {support_uniform(&random, -5, 5), support_uniform(&random, -5, 5), 0}, c = foot;
        c.z = s.radius + height;
        CairnTransform ps = {cairn_transform_point(ph, c), support_quat(&random)};
        CairnManifold m;
        cairn_narrow(&s, ps, &h, ph, 2, &m);
        assert_int_equal(m.count, 1);
        assert_near(m.points[0].distance, height, 2e-14);
        assert_vec3_near(m.normal, cairn_rotate(ph.q, (CairnVec3){0, 0, -1}), 1e-15);
        foot.z = 0.5 * height;
        assert_vec3_near(m.points[0].point, cairn_transform_point(ph, foot), 2e-14);
    }
}

// ---- boxes on a half-space ----

static void box_at_rest_on_a_plane_stands_on_its_corners(void **state) {
    (void)state;
    CairnGeometry b = box(1, 2, 3), h = half_space();
    CairnManifold m;
    cairn_narrow(&b, at(5, 6, 1.5), &h, at(0, 0, 0), 0.01, &m);
    assert_int_equal(m.count, 4);
    assert_vec3_near(m.normal, ((CairnVec3){0, 0, -1}), 0);
    for (int k = 0; k < 4; ++k) {
        assert_int_equal(m.points[k].feature, k);
        assert_same_bits(m.points[k].distance, 0.0);
        assert_vec3_near(m.points[k].point, ((CairnVec3){k & 1 ? 5.5 : 4.5, k & 2 ? 7 : 5, 0}), 0);
    }
}

static void box_on_a_plane_shows_every_near_corner(void **state) {
    (void)state;
    uint64_t random = 13;
    CairnGeometry h = half_space();
    for (int k = 0; k < 5000; ++k) {
        CairnGeometry b =
            box(support_uniform(&random, 0.1, 2), support_uniform(&random, 0.1, 2), support_uniform(&random, 0.1, 2));
        CairnTransform pb = support_transform(&random, 1), ph = support_transform(&random, 1);
        CairnManifold m;
        cairn_narrow(&b, pb, &h, ph, 0.05, &m);
        check_manifold(&b, pb, &h, ph, 0.05, &m, 1e-14, 0);
        int near_count = 0;
        double lowest = HUGE_VAL;
        for (int c = 0; c < 8; ++c) {
            CairnVec3 corner = {c & 1 ? b.half.x : -b.half.x, c & 2 ? b.half.y : -b.half.y,
                                c & 4 ? b.half.z : -b.half.z};
            double z = cairn_untransform_point(ph, cairn_transform_point(pb, corner)).z;
            near_count += z < 0.05;
            lowest = fmin(lowest, z);
        }
        if (near_count <= 4) {
            assert_int_equal(m.count, near_count);
        }
        if (near_count > 0) { // the deepest corner is always there
            assert_near(smallest_distance(&m), lowest, 1e-14);
        }
    }
}

static void thin_plate_lies_on_its_lower_face(void **state) {
    (void)state;
    CairnGeometry b = box(1, 1, 0.001), h = half_space();
    CairnManifold m;
    cairn_narrow(&b, at(0, 0, 0.0005), &h, at(0, 0, 0), 0.01, &m); // all eight corners are within the margin
    assert_int_equal(m.count, 4);
    for (int k = 0; k < 4; ++k) {
        assert_int_equal(m.points[k].feature, k);
    }
    cairn_narrow(&b, turned(0, 0, 0.0005, x_axis, CAIRN_PI), &h, at(0, 0, 0), 0.01, &m); // upside down
    assert_int_equal(m.count, 4);
    for (int k = 0; k < 4; ++k) {
        assert_int_equal(m.points[k].feature, k + 4);
    }
}

// ---- boxes on boxes, named cases ----

static void aligned_boxes_meet_in_a_face(void **state) {
    (void)state;
    CairnGeometry a = box(1, 1, 1), b = box(4, 4, 1);
    CairnManifold m;
    cairn_narrow(&a, at(0, 0, 1), &b, at(0, 0, 0), 0.01, &m);
    assert_int_equal(m.count, 4);
    assert_vec3_near(m.normal, ((CairnVec3){0, 0, -1}), 0);
    for (int k = 0; k < 4; ++k) {
        assert_near(m.points[k].distance, 0, 0);
        assert_near(fabs(m.points[k].point.x), 0.5, 0);
        assert_near(fabs(m.points[k].point.y), 0.5, 0);
        assert_near(m.points[k].point.z, 0.5, 0);
    }
}

static void boxes_turned_by_45_degrees_span_their_common_octagon(void **state) {
    (void)state;
    CairnGeometry a = box(1, 1, 1);
    CairnManifold m;
    cairn_narrow(&a, at(0, 0, 0), &a, turned(0, 0, 0.999, z_axis, CAIRN_PI / 4), 0.01, &m);
    assert_int_equal(m.count, 4);
    CairnVec3 sum = {0, 0, 0};
    for (int k = 0; k < 4; ++k) { // the corners of an octagon of inner radius 0.5
        assert_near(m.points[k].distance, -0.001, 1e-15);
        assert_near(hypot(m.points[k].point.x, m.points[k].point.y), 0.5 / cos(CAIRN_PI / 8), 1e-15);
        sum = cairn_add(sum, m.points[k].point);
    }
    assert_near(sum.x, 0, 1e-15); // spread evenly: opposite corners
    assert_near(sum.y, 0, 1e-15);
}

static void edge_on_face_gives_two_points(void **state) {
    (void)state;
    CairnGeometry a = box(1, 1, 1), b = box(4, 4, 1);
    CairnManifold m;
    cairn_narrow(&b, at(0, 0, 0), &a, turned(0, 0, 0.5 + sqrt(0.5) - 0.01, x_axis, CAIRN_PI / 4), 0.01, &m);
    assert_int_equal(m.count, 2);
    assert_vec3_near(m.normal, z_axis, 1e-15);
    for (int k = 0; k < 2; ++k) {
        assert_near(m.points[k].distance, -0.01, 1e-15);
        assert_near(fabs(m.points[k].point.x), 0.5, 1e-15);
        assert_near(m.points[k].point.y, 0, 1e-15);
    }
}

static void vertex_on_face_gives_one_point(void **state) {
    (void)state;
    CairnGeometry a = box(1, 1, 1), b = box(4, 4, 1);
    CairnQuat q = cairn_quat_between(cairn_normalize((CairnVec3){-1, -1, -1}), (CairnVec3){0, 0, -1});
    CairnTransform pose = {{0.3, 0.2, 0.5 + sqrt(0.75) - 0.01}, q};
    CairnManifold m;
    cairn_narrow(&b, at(0, 0, 0), &a, pose, 0.005, &m);
    assert_int_equal(m.count, 1);
    assert_vec3_near(m.normal, z_axis, 1e-15);
    assert_near(m.points[0].distance, -0.01, 1e-15);
    assert_vec3_near(m.points[0].point, ((CairnVec3){0.3, 0.2, 0.495}), 1e-15);
}

static void edge_across_edge_gives_one_point(void **state) {
    (void)state;
    CairnGeometry a = box(1, 4, 1), b = box(4, 1, 1);
    CairnManifold m; // an edge along y below, an edge along x above
    cairn_narrow(&a, turned(0, 0, 0, y_axis, CAIRN_PI / 4), &b, turned(0, 0, sqrt(2) - 0.01, x_axis, CAIRN_PI / 4),
                 0.005, &m);
    assert_int_equal(m.count, 1);
    assert_vec3_near(m.normal, z_axis, 1e-15);
    assert_near(m.points[0].distance, -0.01, 1e-15);
    assert_vec3_near(m.points[0].point, ((CairnVec3){0, 0, sqrt(0.5) - 0.005}), 1e-15);
}

static void boxes_across_a_corner_see_their_true_distance(void **state) {
    (void)state;
    CairnGeometry a = box(1, 1, 1);
    CairnManifold m;
    cairn_narrow(&a, at(0, 0, 0), &a, at(1.003, 1.004, 1.012), 0.02, &m);
    assert_int_equal(m.count, 1);
    assert_near(m.points[0].distance, 0.013, 1e-15);
    assert_vec3_near(m.normal, cairn_scale(1 / 0.013, (CairnVec3){0.003, 0.004, 0.012}), 1e-13);
    cairn_narrow(&a, at(0, 0, 0), &a, at(1.003, 1.004, 1.012), 0.0129, &m);
    assert_int_equal(m.count, 0);
    cairn_narrow(&a, at(0, 0, 0), &a, at(1.003, 1.004, 0), 0.02, &m); // along an edge
    assert_int_equal(m.count, 1);
    assert_near(m.points[0].distance, 0.005, 1e-15);
}

static void tiny_box_on_a_huge_one(void **state) {
    (void)state;
    uint64_t random = 14;
    CairnGeometry large = box(10000, 10000, 10000), small = box(1, 1, 1);
    for (int k = 0; k < 500; ++k) {
        CairnTransform pl = support_transform(&random, 0.1);
        CairnVec3 c = {support_uniform(&random, -4000, 4000), support_uniform(&random, -4000, 4000), 5000.4999};
        CairnTransform ps = cairn_transform_mul(pl, turned(c.x, c.y, c.z, z_axis, support_uniform(&random, 0, 6)));
        CairnManifold m;
        cairn_narrow(&small, ps, &large, pl, 0.001, &m);
        check_manifold(&small, ps, &large, pl, 0.001, &m, 3e-11, 0); // rounding at 5,000 m is 1e-12, a few times over
        assert_int_equal(m.count, 4);
        assert_vec3_near(m.normal, cairn_rotate(pl.q, (CairnVec3){0, 0, -1}), 1e-11);
        for (int i = 0; i < 4; ++i) {
            assert_near(m.points[i].distance, -1e-4, 3e-11);
        }
    }
}

// ---- boxes on boxes, at random ----

// A face stands for edges whose axis is within 1.8 degrees of its normal, and for what ties with it to 1e-5 of the size. Its points go in
// as deep as those do: each end is off its surface by half of the difference, which is up to 0.06 % of the depth and two ties.
static double face_rim(const CairnManifold *m) {
    return m->count == 0 ? 0 : 1e-5 + 0.5 * (0.0006 * fabs(smallest_distance(m)) + 2e-5);
}

static void overlapping_boxes_against_support_functions(void **state) {
    (void)state;
    uint64_t random = 15;
    int overlap_count = 0, exact_count = 0, searched_count = 0, close_count = 0;
    for (int k = 0; k < 40000; ++k) {
        CairnGeometry a =
            box(support_uniform(&random, 0.2, 2), support_uniform(&random, 0.2, 2), support_uniform(&random, 0.2, 2));
        CairnGeometry b =
            box(support_uniform(&random, 0.2, 2), support_uniform(&random, 0.2, 2), support_uniform(&random, 0.2, 2));
        CairnTransform pa = support_transform(&random, 0.7), pb = support_transform(&random, 0.7);
        CairnManifold m;
        cairn_narrow(&a, pa, &b, pb, 1e-3, &m);
        check_manifold(&a, pa, &b, pb, 1e-3, &m, 1e-13, face_rim(&m));
        if (m.count == 0) { // then nothing overlaps
            assert_below(1e-3, projected_distance(&a, pa, &b, pb, 200));
        }
        if (m.count == 0 || smallest_distance(&m) > 0) {
            continue;
        }
        ++overlap_count;
        double distance = smallest_distance(&m), along = gap_along(&a, pa, &b, pb, m.normal);
        exact_count += fabs(distance - along) <= 1e-12;
        assert_below(along, distance + 1e-12);
        if (k % 80 == 0) {
            double found = best_gap(&a, pa, &b, pb, 500);
            assert_below(found, distance + 1e-12);
            close_count += found <= distance + 1e-9;
            ++searched_count;
        }
    }
    assert_true(overlap_count > 10000);
    assert_true(close_count > searched_count - searched_count / 10);
    assert_true(exact_count > overlap_count - overlap_count / 20);
}

// The nearest points bound the distance from above, the gap along the normal from below: equal, they prove it.
static void boxes_apart_against_support_functions(void **state) {
    (void)state;
    uint64_t random = 16;
    int apart_count = 0, exact_count = 0;
    for (int k = 0; k < 20000; ++k) {
        CairnGeometry a =
            box(support_uniform(&random, 0.2, 2), support_uniform(&random, 0.2, 2), support_uniform(&random, 0.2, 2));
        CairnGeometry b =
            box(support_uniform(&random, 0.2, 2), support_uniform(&random, 0.2, 2), support_uniform(&random, 0.2, 2));
        CairnTransform pa = support_transform(&random, 1.5), pb = support_transform(&random, 1.5);
        CairnManifold m;
        cairn_narrow(&a, pa, &b, pb, 0.3, &m);
        check_manifold(&a, pa, &b, pb, 0.3, &m, 1e-13, face_rim(&m));
        if (m.count == 0) { // then they are farther apart than the margin
            assert_below(0.3, projected_distance(&a, pa, &b, pb, 200));
        } else if (smallest_distance(&m) > 0) {
            ++apart_count;
            double distance = smallest_distance(&m), along = gap_along(&a, pa, &b, pb, m.normal);
            assert_below(along, distance + 1e-12);
            assert_below(along, projected_distance(&a, pa, &b, pb, 200) + 1e-12);
            exact_count += distance - along < 1e-12;
        }
    }
    assert_true(apart_count > 1000);
    assert_true(exact_count > apart_count - apart_count / 5);
}

static void rigid_motion_changes_nothing(void **state) {
    (void)state;
    uint64_t random = 17;
    for (int k = 0; k < 5000; ++k) {
        CairnGeometry a = random_geometry(&random, 0.2, 2), b = random_geometry(&random, 0.2, 2);
        CairnTransform pa = support_transform(&random, 0.8), pb = support_transform(&random, 0.8);
        CairnTransform t = support_transform(&random, 10);
        CairnManifold m, n;
        cairn_narrow(&a, pa, &b, pb, 0.05, &m);
        cairn_narrow(&a, cairn_transform_mul(t, pa), &b, cairn_transform_mul(t, pb), 0.05, &n);
        assert_int_equal(m.count, n.count);
        assert_vec3_near(cairn_rotate(t.q, m.normal), n.normal, 1e-11);
        for (int i = 0; i < m.count; ++i) {
            assert_int_equal(m.points[i].feature, n.points[i].feature);
            assert_near(m.points[i].distance, n.points[i].distance, 1e-12);
            assert_vec3_near(cairn_transform_point(t, m.points[i].point), n.points[i].point, 1e-9);
        }
    }
}

static void swapping_the_shapes_swaps_the_answer_to_the_bit(void **state) {
    (void)state;
    uint64_t random = 18;
    CairnGeometry h = half_space();
    for (int k = 0; k < 20000; ++k) {
        CairnGeometry a = random_geometry(&random, 0.2, 2), b = k % 5 == 0 ? h : random_geometry(&random, 0.2, 2);
        if (k % 3 == 0 && b.type != CAIRN_HALF_SPACE) {
            b = a; // equal shapes have only their places to tell them apart
        }
        CairnTransform pa = support_transform(&random, 0.8), pb = support_transform(&random, 0.8);
        if (k % 7 == 0) {
            pb.q = pa.q;
        }
        CairnManifold m, n;
        cairn_narrow(&a, pa, &b, pb, 0.05, &m);
        cairn_narrow(&b, pb, &a, pa, 0.05, &n);
        assert_int_equal(m.count, n.count);
        assert_vec3_near(m.normal, cairn_neg(n.normal), 0);
        for (int i = 0; i < m.count; ++i) {
            bool is_box_box = a.type == CAIRN_BOX && b.type == CAIRN_BOX;
            uint32_t feature = n.points[i].feature;
            assert_int_equal(m.points[i].feature, is_box_box ? cairn_box_features_swapped(feature) : feature);
            assert_same_bits(m.points[i].distance, n.points[i].distance);
            assert_vec3_near(m.points[i].point, n.points[i].point, 0);
        }
    }
}

// ---- ids over time ----

static bool same_ids(const CairnManifold *m, const CairnManifold *n) {
    bool is_same = m->count == n->count;
    for (int i = 0; is_same && i < m->count; ++i) {
        is_same = m->points[i].feature == n->points[i].feature;
    }
    return is_same;
}

// Slide b over a from `from` to `to` in 1,000 frames, with the noise of a resting step; how often do the ids change?
static int id_changes(CairnGeometry a, CairnGeometry b, CairnVec3 from, CairnVec3 to, double yaw, double noise,
                      uint64_t seed) {
    CairnManifold last, m;
    int changes = 0;
    for (int k = 0; k <= 1000; ++k) {
        CairnVec3 c = cairn_add_scaled(from, k / 1000.0, cairn_sub(to, from));
        CairnVec3 shake = support_vec3(&seed, -noise, noise), tilt = support_vec3(&seed, -noise, noise);
        CairnQuat q = cairn_quat_mul(cairn_quat_exp(tilt), cairn_quat_axis_angle(z_axis, yaw));
        cairn_narrow(&a, at(0, 0, 0), &b, (CairnTransform){cairn_add(c, shake), q}, 0.01, &m);
        changes += k > 0 && !same_ids(&m, &last);
        last = m;
    }
    return changes;
}

static void ids_stay_while_a_box_slides(void **state) {
    (void)state;
    CairnGeometry floor = box(10, 10, 1), b = box(1, 1, 1), ground = half_space();
    CairnVec3 from = {-2, -1, 1}, to = {2, 1.5, 1};
    assert_int_equal(id_changes(floor, b, from, to, 0, 1e-7, 1), 0);
    assert_int_equal(id_changes(floor, b, from, to, 0.3, 1e-7, 2), 0);
    assert_int_equal(id_changes(floor, b, from, to, CAIRN_PI / 4, 1e-7, 3), 0);
    assert_int_equal(id_changes(ground, b, (CairnVec3){-2, -1, 0.5}, (CairnVec3){2, 1.5, 0.5}, 0.3, 1e-7, 4), 0);
    // Over the edge: two vertices leave the face, once, and two crossings of edges take their place.
    assert_int_equal(id_changes(floor, b, (CairnVec3){4, 0, 1}, (CairnVec3){5.2, 0, 1}, 0, 1e-7, 5), 1);
    // Obliquely: one vertex after the other leaves.
    assert_int_equal(id_changes(floor, b, (CairnVec3){4, 0, 1}, (CairnVec3){4.9, 0, 1}, 0.3, 1e-7, 6), 2);
}

static void ids_stay_in_a_resting_stack(void **state) {
    (void)state;
    CairnGeometry b = box(1, 1, 1);
    CairnVec3 on_top = {0, 0, 1}, beside = {1, 0, 0};
    // Equal boxes, exactly aligned: every vertex meets a vertex, the worst case for ids that follow the last digits.
    assert_int_equal(id_changes(b, b, on_top, on_top, 0, 1e-6, 7), 0);
    assert_int_equal(id_changes(b, b, beside, beside, 0, 1e-6, 8), 0);
    assert_int_equal(id_changes(b, b, on_top, on_top, CAIRN_PI / 4, 1e-6, 9), 0); // an octagon, all corners alike
    assert_int_equal(id_changes(b, b, on_top, on_top, 0.2, 1e-6, 10), 0);
    assert_int_equal(id_changes(b, b, (CairnVec3){0, 0, 0.99}, (CairnVec3){0, 0, 0.99}, 0.2, 1e-7, 11), 0);
    // From left to right over an equal box: ids change where vertices pass edges and nowhere else.
    assert_below(id_changes(b, b, (CairnVec3){-0.9, 0, 1}, (CairnVec3){0.9, 0, 1}, 0, 1e-7, 12), 3);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sphere_sphere_in_closed_form),
        cmocka_unit_test(coincident_centres_have_an_answer),
        cmocka_unit_test(sphere_box_against_support_functions),
        cmocka_unit_test(sphere_in_a_box_leaves_by_the_nearest_face),
        cmocka_unit_test(sphere_on_a_half_space),
        cmocka_unit_test(box_at_rest_on_a_plane_stands_on_its_corners),
        cmocka_unit_test(box_on_a_plane_shows_every_near_corner),
        cmocka_unit_test(thin_plate_lies_on_its_lower_face),
        cmocka_unit_test(aligned_boxes_meet_in_a_face),
        cmocka_unit_test(boxes_turned_by_45_degrees_span_their_common_octagon),
        cmocka_unit_test(edge_on_face_gives_two_points),
        cmocka_unit_test(vertex_on_face_gives_one_point),
        cmocka_unit_test(edge_across_edge_gives_one_point),
        cmocka_unit_test(boxes_across_a_corner_see_their_true_distance),
        cmocka_unit_test(tiny_box_on_a_huge_one),
        cmocka_unit_test(overlapping_boxes_against_support_functions),
        cmocka_unit_test(boxes_apart_against_support_functions),
        cmocka_unit_test(rigid_motion_changes_nothing),
        cmocka_unit_test(swapping_the_shapes_swaps_the_answer_to_the_bit),
        cmocka_unit_test(ids_stay_while_a_box_slides),
        cmocka_unit_test(ids_stay_in_a_resting_stack),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
