// Spheres and boxes on half-spaces and on each other, case by case; what swapping does; ids over time.
#include "collision/collision.h"
#include "collision/pairs/box_frame.h"
#include "tests/support/support_pairs.h"
#include "tests/support/support_shapes.h"

// ---- what must hold ----

static CairnGeometry random_geometry(uint64_t *random, double low, double high) {
    if (support_int(random, 0, 2) == 0) {
        return sphere(support_uniform(random, low, high));
    }
    return box(support_uniform(random, low, high), support_uniform(random, low, high),
               support_uniform(random, low, high));
}

// What holds of every manifold: unit normal, at most 4 points, each nearer than the margin, each with its two ends on
// the surfaces, all ids different.
static void check_manifold(const CairnGeometry *a, CairnTransform pa, const CairnGeometry *b, CairnTransform pb,
                           double margin, double tolerance) {
    SupportPair pair = {.a = *a, .b = *b, .pa = pa, .pb = pb, .margin = margin};
    SupportPairRule rule = {4, 0, false};
    uint64_t random = 1;
    SupportPairFigures f = support_pair_figures(&pair, &rule, &random);
    assert_int_equal(f.malformed, 0);
    assert_below(f.off, tolerance);
    assert_below(f.optimum, tolerance);
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
            CairnVec3 best;
            double gap = support_largest_gap(&shapes[i], at(1, 2, 3), &shapes[j], at(1, 2, 3), &best);
            assert_near(support_least_distance(&m), gap, 1e-12);
            if (i != j) { // two equal shapes at one place cannot be told apart, so swapping them changes nothing
                assert_vec3_near(m.normal, cairn_neg(n.normal), 0);
            }
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
        check_manifold(&b, pb, &h, ph, 0.05, 1e-14);
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
            assert_near(support_least_distance(&m), lowest, 1e-14);
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
        check_manifold(&small, ps, &large, pl, 0.001, 3e-11); // rounding at 5,000 m is 1e-12, a few times over
        assert_int_equal(m.count, 4);
        assert_vec3_near(m.normal, cairn_rotate(pl.q, (CairnVec3){0, 0, -1}), 1e-11);
        for (int i = 0; i < 4; ++i) {
            assert_near(m.points[i].distance, -1e-4, 3e-11);
        }
    }
}

// ---- swapping ----

static void swapping_the_shapes_swaps_the_answer_to_the_bit(void **state) {
    (void)state;
    uint64_t random = 18;
    CairnGeometry h = half_space();
    for (int k = 0; k < 20000; ++k) {
        CairnGeometry a = random_geometry(&random, 0.2, 2), b = k % 5 == 0 ? h : random_geometry(&random, 0.2, 2);
        if (k % 3 == 0 && b.type != CAIRN_SHAPE_HALF_SPACE) {
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
            bool is_box_box = a.type == CAIRN_SHAPE_BOX && b.type == CAIRN_SHAPE_BOX;
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

// Of the eight corners that two faces have in common four are kept, now these, now those: each has its own name
// whenever it is kept.
static void reduction_renames_nothing(void **state) {
    (void)state;
    enum { MOST = 16 };
    uint64_t random = 13;
    CairnVec3 corners[16];
    for (int k = 0; k < 16; ++k) {
        double angle = k * CAIRN_PI / 4;
        corners[k] = (CairnVec3){0.45 * cos(angle), 0.45 * sin(angle), k < 8 ? 0.5 : -0.5};
    }
    CairnGeometry below = box(1, 1, 1), prism = of_def(cairn_hull(corners, 16));
    for (int pair = 0; pair < 2; ++pair) {
        const CairnGeometry *above = pair == 0 ? &below : &prism;
        CairnManifoldPoint seen[MOST];
        int count = 0;
        for (int k = 0; k < 2000; ++k) {
            CairnVec3 tilt = support_vec3(&random, -1e-3, 1e-3);
            CairnQuat q = cairn_quat_mul(cairn_quat_exp(tilt), cairn_quat_axis_angle(z_axis, CAIRN_PI / 4));
            CairnManifold m;
            cairn_narrow(&below, at(0, 0, 0), above, (CairnTransform){{0, 0, 1.002}, q}, 0.01, &m);
            assert_int_equal(m.count, 4);
            for (int i = 0; i < m.count; ++i) {
                int n = 0;
                while (n < count && seen[n].feature != m.points[i].feature) {
                    ++n;
                }
                if (n == count) {
                    assert_true(count < MOST);
                    seen[count++] = m.points[i];
                }
                assert_vec3_near(m.points[i].point, seen[n].point, 5e-3);
            }
        }
        assert_int_equal(count, 8);
        for (int i = 0; i < count; ++i) {
            for (int j = 0; j < i; ++j) { // and each name is of another corner
                assert_true(cairn_length(cairn_sub(seen[i].point, seen[j].point)) > 0.1);
            }
        }
    }
    support_geometry_drop(&prism);
}

// A face that lies on another, or leans by less than its points' margin, is held by four points, whatever it leans by:
// neither by the one that is deepest nor by more.
static void faces_that_lean_keep_four_points(void **state) {
    (void)state;
    enum { SHAPES = 4 };
    uint64_t random = 14;
    CairnVec3 corners[16];
    for (int k = 0; k < 16; ++k) {
        double angle = k * CAIRN_PI / 4;
        corners[k] = (CairnVec3){0.45 * cos(angle), 0.45 * sin(angle), k < 8 ? 0.5 : -0.5};
    }
    CairnGeometry shapes[SHAPES] = {box(1, 1, 1), box(0.9, 0.8, 1), cylinder(0.45, 1), of_def(cairn_hull(corners, 16))};
    for (int i = 0; i < SHAPES * SHAPES; ++i) {
        const CairnGeometry *below = &shapes[i / SHAPES], *above = &shapes[i % SHAPES];
        for (int k = 0; k < 4000; ++k) {
            double lean = pow(10, support_uniform(&random, -7, -2.5));
            CairnVec3 tilt = support_vec3(&random, -lean, lean);
            CairnQuat q = cairn_quat_mul(cairn_quat_exp(tilt), cairn_quat_axis_angle(z_axis, CAIRN_PI / 4));
            CairnManifold m;
            double z = 1 + support_uniform(&random, -0.5, 2) * lean;
            cairn_narrow(below, at(0, 0, 0), above, (CairnTransform){{0, 0, z}, q}, 0.01, &m);
            assert_int_equal(m.count, 4);
        }
    }
    support_geometry_drop(&shapes[3]);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sphere_sphere_in_closed_form),
        cmocka_unit_test(coincident_centres_have_an_answer),
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
        cmocka_unit_test(swapping_the_shapes_swaps_the_answer_to_the_bit),
        cmocka_unit_test(ids_stay_while_a_box_slides),
        cmocka_unit_test(ids_stay_in_a_resting_stack),
        cmocka_unit_test(reduction_renames_nothing),
        cmocka_unit_test(faces_that_lean_keep_four_points),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
