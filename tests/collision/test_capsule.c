// Capsules: mass, box, reach, rays, and contact with spheres, capsules, boxes, half-spaces.
#include "collision/shapes/shape_def.h"
#include "engine/base/mat3.h"
#include "tests/support/support_pairs.h"
#include "tests/support/support_shapes.h"

// ---- the shape ----

static void bad_sizes_are_refused(void **state) {
    (void)state;
    const double bad[] = {0, -1, (double)NAN, HUGE_VAL};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
        CairnShapeDef def = cairn_capsule(bad[k], 1);
        assert_refused(cairn_shape_check(&def), CAIRN_INVALID_ARGUMENT, "radius");
        def = cairn_capsule(1, bad[k]);
        assert_refused(cairn_shape_check(&def), CAIRN_INVALID_ARGUMENT, "height");
    }
}

// Discs across the axis: the integrands are polynomials of degree 4 in each part, exact by three Gauss points a part.
static void mass_is_that_of_its_discs(void **state) {
    (void)state;
    const double r = 0.3, h = 0.45, density = 7, places[3] = {-sqrt(0.6), 0, sqrt(0.6)};
    const double weights[3] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
    double mass = 0, along = 0, across = 0;
    for (int part = -1; part <= 1; ++part) {
        for (int k = 0; k < 3; ++k) {
            double half = part == 0 ? h : 0.5 * r, z = (part == 0 ? 0 : part * (h + 0.5 * r)) + half * places[k];
            double over = fabs(z) - h, squared = part == 0 ? r * r : r * r - over * over;
            double slice = weights[k] * half * density * CAIRN_PI * squared;
            mass += slice;
            along += 0.5 * slice * squared;
            across += slice * (0.25 * squared + z * z);
        }
    }
    CairnGeometry g = capsule(r, 2 * h);
    CairnMassProperties p = cairn_geometry_mass(&g, density);
    assert_near(p.mass, mass, 1e-14);
    assert_mat3_near(p.inertia, cairn_mat3_diagonal(across, across, along), 1e-14);
}

static void box_and_reach_are_tight(void **state) {
    (void)state;
    uint64_t random = 41;
    for (int k = 0; k < 1000; ++k) {
        CairnGeometry g = capsule(support_uniform(&random, 0.1, 1), support_uniform(&random, 0.1, 2));
        CairnTransform pose = support_transform(&random, 3);
        CairnAabb aabb = cairn_geometry_box(&g, pose);
        CairnVec3 high = {support_farthest(&g, pose, x_axis).x, support_farthest(&g, pose, y_axis).y,
                          support_farthest(&g, pose, z_axis).z};
        assert_vec3_near(aabb.high, high, 1e-14);
        assert_vec3_near(cairn_add(aabb.low, aabb.high), cairn_scale(2, pose.p), 2e-14);
        CairnVec3 from = support_vec3(&random, -2, 2);
        double reach = cairn_geometry_reach(&g, from);
        CairnVec3 end = {0, 0, from.z > 0 ? -g.half_height : g.half_height};
        CairnVec3 farthest = cairn_add_scaled(end, g.radius, cairn_normalize(cairn_sub(end, from)));
        assert_near(reach, cairn_length(cairn_sub(farthest, from)), 1e-14);
    }
}

static void rays_stop_where_it_begins(void **state) {
    (void)state;
    uint64_t random = 42;
    int hits = 0;
    for (int k = 0; k < 20000; ++k) {
        CairnGeometry g = capsule(support_uniform(&random, 0.1, 1), support_uniform(&random, 0.1, 2));
        CairnTransform pose = support_transform(&random, 1);
        CairnVec3 origin = support_vec3(&random, -3, 3), normal, target = support_vec3(&random, -1.5, 1.5);
        CairnVec3 direction = cairn_normalize(cairn_sub(target, origin));
        if (k % 10 == 0) { // along the axis
            direction = cairn_rotate(pose.q, k % 20 ? z_axis : cairn_neg(z_axis));
        }
        double reach = 6, t = -1;
        bool is_hit = cairn_geometry_ray(&g, pose, origin, direction, reach, &t, &normal);
        if (support_depth(&g, pose, origin) < 0) {
            assert_false(is_hit);
            continue;
        }
        for (int i = 0; i < 64; ++i) {
            double s = (is_hit ? t : reach) * i / 64;
            assert_true(support_depth(&g, pose, cairn_add_scaled(origin, s, direction)) > -1e-13);
        }
        if (is_hit) {
            CairnVec3 p = cairn_add_scaled(origin, t, direction);
            assert_near(support_depth(&g, pose, p), 0, 1e-13);
            assert_near(support_depth(&g, pose, cairn_add_scaled(p, 0.1, normal)), 0.1, 1e-13);
            assert_below(cairn_dot(normal, direction), 1e-12);
            hits += 1;
        }
    }
    assert_true(hits > 4000);
}

// ---- named cases ----

static void crossing_capsules_touch_in_one_point(void **state) {
    (void)state;
    CairnGeometry a = capsule(0.5, 4), b = capsule(0.25, 4);
    CairnManifold m;
    cairn_narrow(&a, turned(0, 0, 0, y_axis, CAIRN_PI / 2), &b, turned(0, 0, 0.74, x_axis, CAIRN_PI / 2), 0.01, &m);
    assert_int_equal(m.count, 1);
    assert_vec3_near(m.normal, z_axis, 1e-15);
    assert_near(m.points[0].distance, -0.01, 1e-15);
    assert_vec3_near(m.points[0].point, ((CairnVec3){0, 0, 0.495}), 1e-15);
}

static void parallel_capsules_touch_along_a_line(void **state) {
    (void)state;
    CairnGeometry a = capsule(0.5, 2), b = capsule(0.5, 2);
    CairnManifold m, before;
    for (int k = 0; k < 2; ++k) { // and with either sense of the axis
        CairnTransform pb = turned(1, 0, 0.5, x_axis, k * CAIRN_PI);
        cairn_narrow(&a, at(0, 0, 0), &b, pb, 0.01, &m);
        assert_int_equal(m.count, 2);
        assert_vec3_near(m.normal, x_axis, 1e-15);
        for (int i = 0; i < 2; ++i) {
            assert_near(m.points[i].distance, 0, 1e-15);
            assert_vec3_near(m.points[i].point, ((CairnVec3){0.5, 0, i == 0 ? -0.5 : 1}), 1e-15);
        }
    }
    // A little out of line the two stay, with the same names.
    cairn_narrow(&a, at(0, 0, 0), &b, at(1, 0, 0.5), 0.01, &before);
    for (double angle = 1e-12; angle < 2e-3; angle *= 10) {
        cairn_narrow(&a, at(0, 0, 0), &b, turned(1, 0, 0.5, x_axis, angle), 0.01, &m);
        assert_int_equal(m.count, 2);
        assert_int_equal(m.points[0].feature, before.points[0].feature);
        assert_int_equal(m.points[1].feature, before.points[1].feature);
        cairn_narrow(&a, at(0, 0, 0), &b, turned(1, 0, 0.5, y_axis, angle), 0.01, &m);
        assert_int_equal(m.count, 2);
        assert_int_equal(m.points[0].feature, before.points[0].feature);
        assert_int_equal(m.points[1].feature, before.points[1].feature);
    }
}

static void degenerate_capsules_have_an_answer(void **state) {
    (void)state;
    CairnGeometry a = capsule(0.5, 2), b = capsule(0.25, 1), ball = sphere(0.1), cube = box(1, 2, 3);
    const CairnGeometry *shapes[4] = {&a, &b, &ball, &cube};
    const CairnTransform poses[6] = {at(0, 0, 0),
                                     at(0, 0, 0.5),
                                     at(0, 0, 1),
                                     turned(0, 0, 0, x_axis, CAIRN_PI / 2),
                                     turned(0, 0, 1, x_axis, CAIRN_PI / 2),
                                     turned(0, 0, 0, y_axis, 1e-9)};
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 2; ++j) {
            for (int k = 0; k < 6; ++k) {
                CairnManifold m;
                cairn_narrow(shapes[j], at(0, 0, 0), shapes[i], poses[k], 10, &m);
                assert_true(m.count >= 1 && m.count <= 2);
                assert_near(cairn_length(m.normal), 1, 1e-14);
                double least = support_least_distance(&m);
                for (int p = 0; p < m.count; ++p) {
                    assert_true(cairn_vec3_is_finite(m.points[p].point));
                }
                CairnVec3 n;
                assert_near(least, support_gap(shapes[j], at(0, 0, 0), shapes[i], poses[k], m.normal), 1e-9);
                assert_below(support_largest_gap(shapes[j], at(0, 0, 0), shapes[i], poses[k], &n), least + 1e-9);
            }
        }
    }
}

static void capsule_lies_on_a_box_with_two_points(void **state) {
    (void)state;
    CairnGeometry rod = capsule(0.1, 1), slab = box(4, 4, 1);
    CairnManifold m, first;
    cairn_narrow(&rod, turned(0, 0, 0.6, y_axis, CAIRN_PI / 2), &slab, at(0, 0, 0), 0.01, &first);
    assert_int_equal(first.count, 2);
    for (int k = 0; k < 2; ++k) {
        assert_near(first.points[k].distance, 0, 1e-15);
        assert_near(fabs(first.points[k].point.x), 0.5, 1e-15);
        assert_near(first.points[k].point.z, 0.5, 1e-15);
    }
    // Noise changes neither names nor number.
    uint64_t random = 5;
    for (int k = 0; k < 500; ++k) {
        CairnTransform pose = turned(0, 0, 0.6 + support_uniform(&random, -1e-9, 1e-9), y_axis,
                                     CAIRN_PI / 2 + support_uniform(&random, -1e-9, 1e-9));
        cairn_narrow(&rod, pose, &slab, at(0, 0, 0), 0.01, &m);
        assert_int_equal(m.count, 2);
        for (int i = 0; i < 2; ++i) {
            assert_int_equal(m.points[i].feature, first.points[i].feature);
        }
    }
    // Half over the rim: the second point moves to the rim.
    cairn_narrow(&rod, turned(2, 0, 0.6, y_axis, CAIRN_PI / 2), &slab, at(0, 0, 0), 0.01, &m);
    assert_int_equal(m.count, 2);
    assert_near(fmax(m.points[0].point.x, m.points[1].point.x), 2, 1e-15);
    // Along an edge, on it.
    double s = sqrt(0.5);
    cairn_narrow(&rod, turned(2 + 0.1 * s, 0, 0.5 + 0.1 * s, x_axis, CAIRN_PI / 2), &slab, at(0, 0, 0), 0.01, &m);
    assert_int_equal(m.count, 2);
    assert_vec3_near(m.normal, ((CairnVec3){-s, 0, -s}), 1e-14);
    assert_near(fabs(m.points[0].point.y - m.points[1].point.y), 1, 1e-14);
}

static CairnGeometry a_capsule(uint64_t *random) {
    double height = support_uniform(random, 0.1, 2), radius = support_uniform(random, 0.05, 0.6);
    return capsule(radius, height);
}

static CairnGeometry a_box(uint64_t *random) {
    CairnVec3 size = support_vec3(random, 0.1, 2);
    return box(size.x, size.y, size.z);
}

// The normal turns no faster than the centre moves round the shape, while the axes stay apart.
static void the_normal_is_continuous_outside(void **state) {
    (void)state;
    uint64_t random = 62;
    for (int k = 0; k < 200; ++k) {
        CairnGeometry a = a_capsule(&random), b = k % 2 ? a_box(&random) : a_capsule(&random);
        CairnTransform pa = {{0, 0, 0}, support_quat(&random)},
                       pb = {support_vec3(&random, -2, 2), support_quat(&random)};
        CairnManifold m, n;
        cairn_narrow(&a, pa, &b, pb, 100, &m);
        if (support_least_distance(&m) < -0.5 * a.radius) {
            continue;
        }
        pb.p = cairn_add_scaled(pb.p, 1e-6, support_unit(&random));
        cairn_narrow(&a, pa, &b, pb, 100, &n);
        // |dn| <= |dx| / core distance, and a rod counts as lying on a face within 1e-4 rad.
        assert_vec3_near(n.normal, m.normal, 1.1e-4 + 1e-6 / (0.4 * a.radius));
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_sizes_are_refused),
        cmocka_unit_test(mass_is_that_of_its_discs),
        cmocka_unit_test(box_and_reach_are_tight),
        cmocka_unit_test(rays_stop_where_it_begins),
        cmocka_unit_test(crossing_capsules_touch_in_one_point),
        cmocka_unit_test(parallel_capsules_touch_along_a_line),
        cmocka_unit_test(degenerate_capsules_have_an_answer),
        cmocka_unit_test(capsule_lies_on_a_box_with_two_points),
        cmocka_unit_test(the_normal_is_continuous_outside),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
