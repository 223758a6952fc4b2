// Cylinders: mass, box, reach, rays, and contact with planes, balls, boxes and each other, case by case.
#include "collision/pairs/cylinder_frame.h"
#include "collision/shapes/shape_def.h"
#include "engine/base/mat3.h"
#include "tests/support/support_pairs.h"
#include "tests/support/support_shapes.h"

// Lying along x or y.
static CairnTransform along_x(double x, double y, double z) {
    return turned(x, y, z, y_axis, CAIRN_PI / 2);
}

static CairnTransform along_y(double x, double y, double z) {
    return turned(x, y, z, x_axis, CAIRN_PI / 2);
}

static CairnManifold narrow(const CairnGeometry *a, CairnTransform pa, const CairnGeometry *b, CairnTransform pb,
                            double margin) {
    CairnManifold m;
    cairn_narrow(a, pa, b, pb, margin, &m);
    return m;
}

// A can that leans by a hair goes in as deep as its rim does, whichever way it leans; its four points stay.
static void a_can_that_leans_by_a_hair(void **state) {
    (void)state;
    CairnGeometry can = cylinder(0.5, 2), ground = half_space();
    for (double lean = 1e-7; lean < 2e-3; lean *= 1.7) {
        for (int way = 0; way < 16; ++way) {
            double angle = 2 * CAIRN_PI * way / 16;
            CairnManifold m =
                narrow(&can, turned(0, 0, 1, cairn_vec3(cos(angle), sin(angle), 0), lean), &ground, at(0, 0, 0), 0.1);
            assert_int_equal(m.count, 4);
            assert_near(support_least_distance(&m), 1 - cos(lean) - 0.5 * sin(lean), 1e-14);
        }
    }
}

// ---- the shape ----

static void bad_sizes_are_refused(void **state) {
    (void)state;
    const double bad[] = {0, -1, (double)NAN, HUGE_VAL};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
        CairnShapeDef def = cairn_cylinder(bad[k], 1);
        assert_refused(cairn_shape_check(&def), CAIRN_INVALID_ARGUMENT, "radius");
        def = cairn_cylinder(1, bad[k]);
        assert_refused(cairn_shape_check(&def), CAIRN_INVALID_ARGUMENT, "height");
    }
}

// Discs across the axis: polynomials of degree 2, exact by two Gauss points.
static void mass_is_that_of_its_discs(void **state) {
    (void)state;
    const double r = 0.3, h = 0.45, density = 7;
    double mass = 0, along = 0, across = 0;
    for (int k = -1; k <= 1; k += 2) {
        double z = k * h / sqrt(3), slice = h * density * CAIRN_PI * r * r;
        mass += slice;
        along += 0.5 * slice * r * r;
        across += slice * (0.25 * r * r + z * z);
    }
    CairnGeometry g = cylinder(r, 2 * h);
    CairnMassProperties p = cairn_geometry_mass(&g, density);
    assert_near(p.mass, mass, 1e-15);
    assert_mat3_near(p.inertia, cairn_mat3_diagonal(across, across, along), 1e-15);
    assert_vec3_near(p.center, ((CairnVec3){0, 0, 0}), 0);
}

static void box_and_support_and_reach_are_tight(void **state) {
    (void)state;
    uint64_t random = 71;
    for (int k = 0; k < 2000; ++k) {
        CairnGeometry g = cylinder(support_uniform(&random, 0.01, 2), support_uniform(&random, 0.01, 2));
        CairnTransform pose = support_transform(&random, 3);
        CairnAabb b = cairn_geometry_box(&g, pose);
        assert_near(b.high.x, support_farthest(&g, pose, x_axis).x, 1e-14);
        assert_near(b.low.y, support_farthest(&g, pose, cairn_neg(y_axis)).y, 1e-14);
        assert_near(b.high.z, support_farthest(&g, pose, z_axis).z, 1e-14);
        CairnVec3 n = support_unit(&random), p = cairn_geometry_support(&g, pose, n);
        assert_near(cairn_dot(p, n), cairn_dot(support_farthest(&g, pose, n), n), 1e-14);
        CairnVec3 from = support_vec3(&random, -2, 2), local = cairn_transform_point(g.local, from);
        double reach = cairn_geometry_reach(&g, local);
        CairnVec3 far_way = {-from.x, -from.y, 0};
        CairnVec3 far_rim = cairn_scale(g.radius, cairn_normalize(far_way));
        far_rim.z = from.z > 0 ? -g.half_height : g.half_height;
        assert_near(reach, cairn_length(cairn_sub(far_rim, from)), 1e-14);
    }
}

static void rays_stop_where_the_surface_is(void **state) {
    (void)state;
    uint64_t random = 72;
    int hits = 0;
    for (int k = 0; k < 5000; ++k) {
        CairnGeometry g = cylinder(support_uniform(&random, 0.05, 1), support_uniform(&random, 0.05, 2));
        CairnTransform pose = support_transform(&random, 1);
        CairnVec3 o = support_vec3(&random, -3, 3), normal;
        CairnVec3 d = cairn_normalize(cairn_sub(support_vec3(&random, -1, 1), o));
        double t = -1;
        bool has_hit = cairn_geometry_ray(&g, pose, o, d, 100, &t, &normal);
        double before = HUGE_VAL; // marched: the surface's sign along the ray
        for (int i = 0; i <= 400; ++i) {
            double s = 8.0 * i / 400;
            if (has_hit && s > t - 1e-9) {
                break;
            }
            before = fmin(before, support_depth(&g, pose, cairn_add_scaled(o, s, d)));
        }
        if (support_depth(&g, pose, o) < 0) {
            assert_false(has_hit);
            continue;
        }
        assert_true(before > 0); // nothing is met before the hit, or at all
        if (has_hit) {
            ++hits;
            CairnVec3 p = cairn_add_scaled(o, t, d);
            assert_near(support_depth(&g, pose, p), 0, 1e-13);
            assert_true(cairn_dot(d, normal) < 0);
            assert_near(cairn_length(normal), 1, 1e-14);
            assert_true(support_depth(&g, pose, cairn_add_scaled(p, 1e-6, normal)) > 0.9e-6); // it looks outwards
        }
    }
    assert_true(hits > 300);
}

static void rays_at_the_border(void **state) {
    (void)state;
    CairnGeometry g = cylinder(0.5, 2);
    CairnTransform here = at(0, 0, 0);
    CairnVec3 n;
    double t = -1;
    assert_true(cairn_geometry_ray(&g, here, (CairnVec3){0, 0, 3}, (CairnVec3){0, 0, -1}, 10, &t, &n));
    assert_near(t, 2, 0);
    assert_vec3_near(n, z_axis, 0);
    assert_false(cairn_geometry_ray(&g, here, (CairnVec3){0.6, 0, 3}, (CairnVec3){0, 0, -1}, 10, &t, &n)); // beside
    assert_true(
        cairn_geometry_ray(&g, here, (CairnVec3){0, 0, 1}, (CairnVec3){0, 0, -1}, 10, &t, &n)); // on the cap, in
    assert_near(t, 0, 0);
    assert_false(cairn_geometry_ray(&g, here, (CairnVec3){0, 0, 1}, (CairnVec3){0, 0, 1}, 10, &t, &n)); // and out
    assert_true(cairn_geometry_ray(&g, here, (CairnVec3){0.5, 0, 0}, (CairnVec3){-1, 0, 0}, 10, &t, &n));
    assert_near(t, 0, 0);
    assert_vec3_near(n, x_axis, 0);
    assert_false(cairn_geometry_ray(&g, here, (CairnVec3){0.5, 0, 0}, (CairnVec3){1, 0, 0}, 10, &t, &n));
    assert_false(cairn_geometry_ray(&g, here, (CairnVec3){0, 0, 0}, (CairnVec3){1, 0, 0}, 10, &t, &n)); // from inside
    assert_false(cairn_geometry_ray(&g, here, (CairnVec3){2, 0, 0}, (CairnVec3){-1, 0, 0}, 1, &t, &n)); // too far
    assert_true(cairn_geometry_ray(&g, here, (CairnVec3){-1e6, 0.3, 0}, x_axis, 1e7, &t, &n));
    assert_near(t, 1e6 - 0.4, 2e-10);
}

// ---- named cases ----

static void expect(const CairnManifold *m, int count, CairnVec3 normal, double distance) {
    assert_int_equal(m->count, count);
    assert_vec3_near(m->normal, normal, 1e-12);
    for (int k = 0; k < count; ++k) {
        assert_near(m->points[k].distance, distance, 1e-12);
        for (int i = 0; i < k; ++i) {
            assert_int_not_equal(m->points[i].feature, m->points[k].feature);
        }
    }
}

// Largest and smallest extent of the points across the normal z.
static double spread(const CairnManifold *m) {
    double widest = 0;
    for (int k = 0; k < m->count; ++k) {
        for (int i = 0; i < k; ++i) {
            widest = fmax(widest, cairn_length(cairn_sub(m->points[k].point, m->points[i].point)));
        }
    }
    return widest;
}

static void can_on_a_plane(void **state) {
    (void)state;
    CairnGeometry can = cylinder(0.5, 2), ground = half_space();
    CairnVec3 down = cairn_neg(z_axis);
    CairnManifold m = narrow(&can, at(1, 2, 1), &ground, at(0, 0, 0), 0.01);
    expect(&m, 4, down, 0);
    assert_near(spread(&m), 1, 1e-15);
    m = narrow(&can, along_x(1, 2, 0.5), &ground, at(0, 0, 0), 0.01); // lying
    expect(&m, 2, down, 0);
    assert_near(spread(&m), 2, 1e-15);
    m = narrow(&can, turned(0, 0, 0.5, y_axis, CAIRN_PI / 2 - 1e-3), &ground, at(0, 0, 0), 0.01);
    assert_int_equal(m.count, 2); // both rims, at their own heights
    assert_near(fabs(m.points[0].distance - m.points[1].distance), 2 * sin(1e-3), 1e-12);
    m = narrow(&can, turned(0, 0, cos(0.5) + 0.5 * sin(0.5), y_axis, 0.5), &ground, at(0, 0, 0), 0.01);
    expect(&m, 1, down, 0); // on the edge of its rim
}

static void crossing_logs_touch_in_one_point(void **state) {
    (void)state;
    CairnGeometry log = cylinder(0.1, 2);
    CairnManifold m = narrow(&log, along_x(0, 0, 0), &log, along_y(0.3, -0.2, 0.2), 0.01);
    expect(&m, 1, z_axis, 0);
    assert_vec3_near(m.points[0].point, ((CairnVec3){0.3, 0, 0.1}), 1e-15);
    m = narrow(&log, along_x(0, 0, 0), &log, along_y(0, 0, 0.19), 0.01);
    expect(&m, 1, z_axis, -0.01);
}

static void parallel_logs_touch_along_a_line(void **state) {
    (void)state;
    CairnGeometry a = cylinder(0.1, 2), b = cylinder(0.2, 1);
    CairnManifold m = narrow(&a, along_x(0, 0, 0), &a, along_x(0, 0, 0.2), 0.01);
    expect(&m, 2, z_axis, 0);
    assert_near(spread(&m), 2, 1e-14);
    m = narrow(&a, along_x(0, 0, 0), &b, along_x(0.7, 0, 0.3), 0.01);
    expect(&m, 2, z_axis, 0);
    assert_near(spread(&m), 0.8, 1e-14); // 0.2 ... 1
    m = narrow(&a, along_x(0, 0, 0), &a, turned(0, 0, 0.19, y_axis, -CAIRN_PI / 2), 0.01);
    expect(&m, 2, z_axis, -0.01);                                                       // the other way round
    CairnManifold apart = narrow(&a, along_x(0, 0, 0), &a, along_x(2.005, 0, 0), 0.01); // end to end
    expect(&apart, 4, x_axis, 0.005);
}

// Turned a little the line stays, with the same ids; at a real angle it is a point; in between nothing jumps.
static void nearly_parallel_logs_keep_their_line(void **state) {
    (void)state;
    CairnGeometry log = cylinder(0.1, 2);
    CairnManifold straight = narrow(&log, along_x(0, 0, 0), &log, along_x(0, 0, 0.2), 0.01);
    for (double angle = 1e-12; angle < 0.2; angle *= 1.7) {
        for (int tilt = -1; tilt <= 1; ++tilt) {
            CairnVec3 about = cairn_normalize((CairnVec3){0, tilt * 0.3 * fmin(angle, 1e-3), angle});
            CairnQuat q = cairn_quat_mul(cairn_quat_axis_angle(about, angle), along_x(0, 0, 0).q);
            CairnManifold m = narrow(&log, along_x(0, 0, 0), &log, (CairnTransform){{0, 0, 0.2}, q}, 0.01);
            assert_int_equal(m.count, angle < 0.04 ? 2 : 1);
            assert_true(m.normal.z > 1 - 1e-3);
            if (angle < 1e-4 && m.count == 2) {
                for (int k = 0; k < 2; ++k) {
                    assert_int_equal(m.points[k].feature, straight.points[k].feature);
                }
                assert_near(spread(&m), 2, 1e-3);
            }
            CairnVec3 best = m.normal;
            double gap = support_climb(&log, along_x(0, 0, 0), &log, (CairnTransform){{0, 0, 0.2}, q}, &best);
            assert_near(support_least_distance(&m), gap, 2.6e-5 * 0.2); // the rule of nearly parallel lines
        }
    }
}

static void coaxial_caps_meet_in_four_points(void **state) {
    (void)state;
    CairnGeometry a = cylinder(0.5, 1), b = cylinder(0.3, 1);
    CairnManifold m = narrow(&a, at(0, 0, 0), &a, turned(0, 0, 0.99, z_axis, 0.3), 0.01);
    expect(&m, 4, z_axis, -0.01);
    assert_near(spread(&m), 1, 1e-14);
    m = narrow(&a, at(0, 0, 0), &b, at(0.02, 0, 1), 0.01);
    expect(&m, 4, z_axis, 0);
    assert_near(spread(&m), 0.6, 1e-14);
    m = narrow(&a, at(0, 0, 0), &b, at(0.45, 0, 1), 0.01); // over the edge
    expect(&m, 4, z_axis, 0);
    m = narrow(&a, at(0, 0, 0), &b, turned(0.79, 0, 0.999, z_axis, 1), 0.01); // a sliver
    assert_int_equal(m.count, 4);
    for (int k = 0; k < m.count; ++k) {
        assert_true(hypot(m.points[k].point.x, m.points[k].point.y) < 0.5 + 1e-9);
        assert_true(hypot(m.points[k].point.x - 0.79, m.points[k].point.y) < 0.3 + 1e-9);
    }
}

static void cap_on_the_face_of_a_box(void **state) {
    (void)state;
    CairnGeometry can = cylinder(0.5, 1), wide = box(4, 4, 1), narrow_box = box(0.4, 0.4, 1), half = box(1, 4, 1);
    CairnManifold m = narrow(&wide, at(0, 0, 0), &can, turned(0.1, 0.2, 1, z_axis, 0.7), 0.01);
    expect(&m, 4, z_axis, 0);
    m = narrow(&narrow_box, at(0, 0, 0), &can, turned(0.1, 0, 1, z_axis, 0.7),
               0.01); // the box's corners are in the cap
    expect(&m, 4, z_axis, 0);
    assert_near(spread(&m), 0.4 * sqrt(2), 1e-14);
    m = narrow(&half, at(0, 0, 0), &can, turned(0.5, 0, 1, z_axis, 0.7), 0.01); // half over the edge
    expect(&m, 4, z_axis, 0);
    for (int k = 0; k < 4; ++k) {
        assert_true(m.points[k].point.x < 0.5 + 1e-12);
    }
    assert_near(spread(&m), 1, 1e-12);
}

static void side_on_a_box(void **state) {
    (void)state;
    CairnGeometry log = cylinder(0.1, 2), b = box(1, 1, 1);
    CairnManifold m = narrow(&b, at(0, 0, 0), &log, along_x(0.2, 0.3, 0.6), 0.01); // over the face, cut at its edge
    expect(&m, 2, z_axis, 0);
    assert_near(spread(&m), 1, 1e-14);
    CairnTransform diamond = turned(0, 0, 0, x_axis, CAIRN_PI / 4);
    double top = sqrt(0.5);
    m = narrow(&b, diamond, &log, along_x(0, 0, top + 0.1), 0.01); // along the edge
    expect(&m, 2, z_axis, 0);
    assert_near(spread(&m), 1, 1e-14);
    m = narrow(&b, diamond, &log, along_y(0, 0, top + 0.1), 0.01); // across it
    expect(&m, 1, z_axis, 0);
    CairnQuat q = cairn_quat_between(cairn_normalize((CairnVec3){1, 1, 1}), z_axis); // a corner below the log
    m = narrow(&b, (CairnTransform){{0, 0, 0}, q}, &log, along_x(0, 0, sqrt(0.75) + 0.1), 0.01);
    expect(&m, 1, z_axis, 0);
    m = narrow(&b, (CairnTransform){{0, 0, 0}, q}, &log, at(0, 0, sqrt(0.75) + 1), 0.01); // and below the cap
    expect(&m, 1, z_axis, 0);
}

static void sphere_leaves_by_side_and_cap(void **state) {
    (void)state;
    CairnGeometry ball = sphere(0.1), can = cylinder(0.5, 2);
    CairnManifold m = narrow(&can, at(0, 0, 0), &ball, at(0.55, 0, 0.2), 0.01);
    expect(&m, 1, x_axis, -0.05);
    m = narrow(&can, at(0, 0, 0), &ball, at(0.1, 0, 1.05), 0.01);
    expect(&m, 1, z_axis, -0.05);
    m = narrow(&can, at(0, 0, 0), &ball, at(0.56, 0, 1.08), 0.01);
    expect(&m, 1, (CairnVec3){0.6, 0, 0.8}, 0);
    CairnManifold through_cap = narrow(&can, at(0, 0, 0), &ball, at(0.1, 0, 0.9), 0.01);
    expect(&through_cap, 1, z_axis, -0.2);
    CairnManifold through_side = narrow(&can, at(0, 0, 0), &ball, at(0.4, 0, 0), 0.01);
    expect(&through_side, 1, x_axis, -0.2);
    assert_int_not_equal(through_cap.points[0].feature, through_side.points[0].feature);
}

// Coincident, coaxial and deep, and of very different size: always an answer, never NaN, and the least overlap.
static void degenerate_places_have_an_answer(void **state) {
    (void)state;
    CairnGeometry shapes[6] = {cylinder(0.5, 2), cylinder(0.5, 2),   cylinder(5000, 1),
                               box(1, 1, 1),     box(1e-4, 1e-4, 1), sphere(0.3)};
    const CairnTransform poses[7] = {at(0, 0, 0),
                                     at(0, 0, 0.5),
                                     along_x(0, 0, 0),
                                     along_y(0, 0, 0),
                                     at(0.25, 0, 0),
                                     turned(0, 0, 0, x_axis, 1e-9),
                                     turned(0, 0, 0.1, y_axis, CAIRN_PI)};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 6; ++j) {
            for (int p = 0; p < 7; ++p) {
                CairnManifold m = narrow(&shapes[i], at(0, 0, 0), &shapes[j], poses[p], 0.01);
                assert_in_range(m.count, 1, 4);
                assert_near(cairn_length(m.normal), 1, 1e-14);
                double gap = support_gap(&shapes[i], at(0, 0, 0), &shapes[j], poses[p], m.normal);
                double size = support_extent(&shapes[i]) + support_extent(&shapes[j]);
                assert_near(support_least_distance(&m), gap, 1e-12 * size);
                CairnVec3 best = z_axis;
                double largest = support_largest_gap(&shapes[i], at(0, 0, 0), &shapes[j], poses[p], &best);
                assert_below(largest, gap + 1e-12 * size);
            }
        }
    }
}

// ---- along paths ----

static double log_size(uint64_t *random) {
    return exp(support_uniform(random, -2.5, 0.5));
}

// Apart, the normal is that of the nearest points, which turn at most by the motion over the distance.
static void normals_are_continuous(void **state) {
    (void)state;
    uint64_t random = 91;
    for (int path = 0; path < 60; ++path) {
        double r = log_size(&random), h = log_size(&random), x = log_size(&random), y = log_size(&random);
        CairnGeometry a = cylinder(r, h), b = path % 2 ? cylinder(x, 2 * y) : box(2 * x, 2 * y, 2 * log_size(&random));
        CairnTransform pa = support_transform(&random, 1), pb = support_transform(&random, 1);
        CairnVec3 velocity = support_unit(&random), spin = support_unit(&random), last = z_axis;
        bool has_last = false;
        double extent = support_extent(&b), step = 1e-3;
        for (int k = 0; k < 1000; ++k) {
            pb.p = cairn_add_scaled(pb.p, step, velocity);
            pb.q = cairn_quat_normalize(cairn_quat_mul(cairn_quat_exp(cairn_scale(step, spin)), pb.q));
            CairnManifold m = narrow(&a, pa, &b, pb, 10);
            bool is_apart = m.count > 0 && support_least_distance(&m) > 0.05;
            if (is_apart && has_last) {
                // The Minkowski difference moves by at most this; the direction to its nearest point by that over the
                // distance.
                double motion = step * (1 + 2 * extent) * 1.01;
                assert_below(cairn_length(cairn_sub(m.normal, last)), 3 * sqrt(motion / support_least_distance(&m)));
            }
            last = m.normal;
            has_last = is_apart;
        }
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_sizes_are_refused),
        cmocka_unit_test(mass_is_that_of_its_discs),
        cmocka_unit_test(box_and_support_and_reach_are_tight),
        cmocka_unit_test(rays_stop_where_the_surface_is),
        cmocka_unit_test(rays_at_the_border),
        cmocka_unit_test(can_on_a_plane),
        cmocka_unit_test(a_can_that_leans_by_a_hair),
        cmocka_unit_test(crossing_logs_touch_in_one_point),
        cmocka_unit_test(parallel_logs_touch_along_a_line),
        cmocka_unit_test(nearly_parallel_logs_keep_their_line),
        cmocka_unit_test(coaxial_caps_meet_in_four_points),
        cmocka_unit_test(cap_on_the_face_of_a_box),
        cmocka_unit_test(side_on_a_box),
        cmocka_unit_test(sphere_leaves_by_side_and_cap),
        cmocka_unit_test(degenerate_places_have_an_answer),
        cmocka_unit_test(normals_are_continuous),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
