// GJK and the expanding polytope: closed forms, the slow reference, rigid motion, and an end for whatever they are
// given.
#include "collision/convex/convex.h"
#include "collision/convex/distance.h"
#include "engine/base/mat3.h"
#include "tests/support/support_pairs.h"
#include "tests/support/support_shapes.h"
#include <stdlib.h>

static int rounds(void) {
    return getenv("CAIRN_LONG_TESTS") != NULL ? 100000 : 5000;
}

static CairnGeometry random_geometry(uint64_t *random, double low, double high) {
    double r = support_uniform(random, low, high), h = support_uniform(random, low, high);
    CairnVec3 p[16];
    switch (support_int(random, 0, 4)) {
    case 0:
        return of_def(cairn_sphere(r));
    case 1:
        return of_def(cairn_box(r, h, support_uniform(random, low, high)));
    case 2:
        return of_def(cairn_cylinder(r, h));
    case 3:
        return of_def(cairn_capsule(r, h));
    default:
        for (int i = 0; i < 16; ++i) {
            p[i] = cairn_scale(r, support_vec3(random, -1, 1));
        }
        return of_def(cairn_hull(p, 16));
    }
}

static void drop(CairnGeometry *g) {
    CairnAllocator allocator = cairn_memory_default();
    cairn_geometry_free(g, &allocator);
}

static CairnConvex placed(const CairnGeometry *g, CairnTransform pose) {
    return cairn_convex(g, cairn_mat3_of_quat(pose.q), pose.p);
}

// The distance of the shapes, their roundings taken off.
static CairnNearest between(const CairnGeometry *a, CairnTransform pa, const CairnGeometry *b, CairnTransform pb) {
    CairnConvex p = placed(a, pa), q = placed(b, pb);
    CairnNearest nearest;
    cairn_gjk(&p, &q, HUGE_VAL, &nearest);
    nearest.distance -= p.rounding + q.rounding;
    return nearest;
}

static void distances_in_closed_form(void **state) {
    (void)state;
    CairnGeometry ball = of_def(cairn_sphere(1)), cube = of_def(cairn_box(2, 2, 2)),
                  rod = of_def(cairn_capsule(0.5, 2));
    CairnGeometry can = of_def(cairn_cylinder(1, 2));
    assert_near(between(&ball, at(0, 0, 0), &ball, at(3, 4, 0)).distance, 3, 1e-15);
    assert_near(between(&ball, at(0, 0, 0), &cube, at(5, 0, 0)).distance, 3, 1e-15);
    assert_near(between(&ball, at(0, 0, 0), &cube, at(4, 5, 1)).distance, 4, 1e-14); // (3, 4, 0) to the edge, less 1
    assert_near(between(&cube, at(0, 0, 0), &cube, at(4, 5, 14)).distance, sqrt(4 + 9 + 144), 1e-14);
    assert_near(between(&rod, at(0, 0, 0), &cube, at(0, 4, 0)).distance, 2.5, 1e-15);
    assert_near(between(&rod, at(0, 0, 0), &rod, at(3, 0, 4)).distance, sqrt(9 + 4) - 1, 1e-15);
    assert_near(between(&can, at(0, 0, 0), &can, at(3, 4, 0)).distance, 3, 1e-12);
    assert_near(between(&can, at(0, 0, 0), &can, at(0, 0, 5)).distance, 3, 1e-15);
    assert_near(between(&can, at(0, 0, 0), &ball, at(4, 0, 5)).distance, 5 - 1, 1e-12); // rim to centre: (3, 0, 4)
    // A hair apart: no digits are lost beside those of the coordinates.
    for (double gap = 1e-3; gap > 1e-13; gap *= 0.1) {
        CairnNearest n = between(&cube, at(0, 0, 0), &cube, at(2 + gap, 0.3, 0.4));
        assert_false(n.is_touching);
        assert_near(n.distance, gap, 1e-15);
        assert_vec3_near(n.normal, ((CairnVec3){1, 0, 0}), 1e-15);
    }
}

// The distance is the gap along the normal, the points are that far apart, no direction is better, and both move
// together.
static void apart_against_the_reference(void **state) {
    (void)state;
    uint64_t random = 111;
    for (int k = 0; k < rounds() / 5; ++k) {
        CairnGeometry a = random_geometry(&random, 0.1, 1), b = random_geometry(&random, 0.1, 1);
        CairnTransform pa = support_transform(&random, 1), pb = support_transform(&random, 2);
        CairnConvex p = placed(&a, pa), q = placed(&b, pb);
        CairnNearest n;
        cairn_gjk(&p, &q, HUGE_VAL, &n);
        if (!n.is_touching) {
            assert_near(cairn_length(n.normal), 1, 1e-14);
            assert_near(-cairn_convex_overlap(&p, &q, n.normal), n.distance, 1e-10);
            assert_near(cairn_length(cairn_sub(n.on_b, n.on_a)), n.distance, 1e-10);
            CairnVec3 best = n.normal;
            double gap = n.distance - p.rounding - q.rounding;
            if (k % 4 == 0) {
                assert_below(support_climb(&a, pa, &b, pb, &best), gap + 1e-10);
            }
            CairnTransform motion = support_transform(&random, 10);
            CairnNearest moved = between(&a, cairn_transform_mul(motion, pa), &b, cairn_transform_mul(motion, pb));
            assert_near(moved.distance, gap, 1e-9); // curved shapes are approached, flat ones met
            CairnNearest limited;
            cairn_gjk(&p, &q, 0.9 * n.distance, &limited);
            assert_true(limited.is_beyond && limited.distance <= n.distance + 1e-12);
        }
        drop(&a);
        drop(&b);
    }
}

// Down to a hair from touching: exactly for a cylinder and a box or a cylinder, and to what slivers of triangles leave
// elsewhere.
static void near_touch_against_the_reference(void **state) {
    (void)state;
    static const CairnShapeType types[4][2] = {{CAIRN_SHAPE_CYLINDER, CAIRN_SHAPE_BOX},
                                               {CAIRN_SHAPE_CYLINDER, CAIRN_SHAPE_CYLINDER},
                                               {CAIRN_SHAPE_CYLINDER, CAIRN_SHAPE_CAPSULE},
                                               {CAIRN_SHAPE_CYLINDER, CAIRN_SHAPE_HULL}};
    int asked = 0;
    for (int k = 0; k < 8; ++k) {
        const CairnShapeType *type = types[k % 4];
        SupportPair p = support_pair_draw(type[0], type[1], 31, 4 * k + 1); // well apart
        SupportOptimum o = support_optimum(&p.a, p.pa, &p.b, p.pb, NULL, 1e-10);
        for (double gap = 0.1; o.gap > 0 && gap > 1e-10; gap *= 0.01) {
            CairnTransform pb = p.pb;
            pb.p = cairn_add_scaled(pb.p, gap - o.gap, o.normal);
            CairnSeparation s;
            assert_true(cairn_separation(&p.a, p.pa, &p.b, pb, HUGE_VAL, &s));
            CairnVec3 n = o.normal, m = s.normal; // apart there is one top only, and climbing ends below it
            double truth = fmax(support_climb(&p.a, p.pa, &p.b, pb, &n), support_climb(&p.a, p.pa, &p.b, pb, &m));
            double tolerance = k % 4 < 2 ? 1e-12 : k % 4 == 2 ? 1e-9 : 1e-6;
            assert_near(s.distance, truth, tolerance);
            assert_near(cairn_length(cairn_sub(s.on_b, s.on_a)), truth, 10 * tolerance);
            asked += 1;
        }
        support_pair_drop(&p);
    }
    assert_true(asked > 20);
}

// So near that triangles are slivers and the side of them that the origin lies on is rounding: what is called a way out
// is one, and no contact is as deep as the shapes are thick. (A log on a rock at 2e-13 m was told to be 1.06 m inside
// of it.)
static void a_hair_from_touch_is_no_overlap(void **state) {
    (void)state;
    uint64_t random = 114;
    int apart = 0;
    for (int k = 0; k < rounds(); ++k) {
        CairnGeometry a = k % 2 == 0 ? of_def(cairn_cylinder(support_uniform(&random, 0.1, 1), 0.7))
                                     : random_geometry(&random, 0.1, 1);
        CairnGeometry b = random_geometry(&random, 0.1, 1);
        CairnTransform pa = support_transform(&random, 1), pb = support_transform(&random, 2);
        CairnSeparation s;
        assert_true(cairn_separation(&a, pa, &b, pb, HUGE_VAL, &s));
        for (double gap = 1e-10; s.distance > 1e-6 && gap > 1e-16; gap *= 0.1) {
            CairnTransform moved = pb;
            moved.p = cairn_add_scaled(pb.p, (k % 4 < 2 ? gap : -gap) - s.distance, s.normal);
            CairnConvex p = placed(&a, pa), q = placed(&b, moved);
            CairnNearest n;
            cairn_gjk(&p, &q, HUGE_VAL, &n);
            if (!n.is_touching) {
                assert_near(-cairn_convex_overlap(&p, &q, n.normal), n.distance, 1e-7);
                apart += 1;
            }
            CairnManifold m;
            cairn_narrow(&a, pa, &b, moved, 0.01, &m);
            assert_true(m.count == 0 || support_least_distance(&m) > -1e-7);
        }
        drop(&a);
        drop(&b);
    }
    assert_true(apart > rounds());
}

// Cylinders and boxes that lie across, along or on each other to rounding: their nearest points are a pair.
static void nearest_points_belong_together(void **state) {
    (void)state;
    CairnGeometry can = of_def(cairn_cylinder(0.5, 2)), cube = of_def(cairn_box(1, 1, 2));
    const CairnVec3 places[3] = {{2, 0, 0}, {0, 0, 2.5}, {1.2, 0.3, 1.9}};
    const double turns[4] = {0, 0.5 * CAIRN_PI, 0.25 * CAIRN_PI, CAIRN_PI};
    for (int k = 0; k < 3 * 4 * 16 * 2; ++k) {
        double off = k / 24 % 16 == 0 ? 0 : pow(10, -k / 24 % 16);
        CairnTransform pb = {places[k % 3], cairn_quat_axis_angle(y_axis, turns[k / 3 % 4] + off)};
        CairnSeparation s;
        assert_true(cairn_separation(&can, at(0, 0, 0), k / 12 % 2 ? &can : &cube, pb, HUGE_VAL, &s));
        CairnVec3 apart = cairn_add_scaled(cairn_sub(s.on_b, s.on_a), -s.distance, s.normal);
        assert_true(!(s.distance > 0) || cairn_length(apart) < 1e-8);
        CairnConvex p = placed(&can, at(0, 0, 0));
        assert_near(cairn_convex_overlap(&p, &p, s.normal), 2 * cairn_dot(s.on_a, s.normal),
                    1e-7); // on_a is on the can
    }
    drop(&can);
    drop(&cube);
}

static void overlap_against_the_reference(void **state) {
    (void)state;
    uint64_t random = 112;
    for (int k = 0; k < rounds() / 5; ++k) {
        CairnGeometry a = random_geometry(&random, 0.2, 1), b = random_geometry(&random, 0.2, 1);
        CairnTransform pa = support_transform(&random, 0.3), pb = support_transform(&random, 0.3);
        if (a.type == CAIRN_SHAPE_SPHERE ||
            a.type == CAIRN_SHAPE_CAPSULE) { // two cores without volume may have no overlap to speak of
            CairnGeometry swap = a;
            a = b;
            b = swap;
        }
        CairnConvex p = placed(&a, pa), q = placed(&b, pb);
        if (a.type != CAIRN_SHAPE_SPHERE && a.type != CAIRN_SHAPE_CAPSULE) {
            CairnVec3 normal, best = {0, 0, 1};
            double gap = cairn_epa(&p, &q, &normal) - p.rounding - q.rounding;
            assert_near(cairn_length(normal), 1, 1e-14);
            assert_near(support_gap(&a, pa, &b, pb, normal), gap, 1e-13);
            if (k % 4 == 0 && gap < -(p.rounding + q.rounding)) { // the cores overlap
                assert_below(support_largest_gap(&a, pa, &b, pb, &best), gap + 1e-11);
            }
        }
        drop(&a);
        drop(&b);
    }
}

// Coincident, parallel, touching, needle-thin, far away, a myriad apart in size: always an end, always numbers.
static void everything_ends(void **state) {
    (void)state;
    uint64_t random = 113;
    for (int k = 0; k < rounds(); ++k) {
        int kind = k % 6;
        double large = kind == 3 ? 1e4 : 1;
        CairnGeometry a = random_geometry(&random, 0.1 * large, large);
        CairnGeometry b = kind == 4 ? of_def(cairn_box(1e-6, 1, support_uniform(&random, 1e-6, 1)))
                                    : random_geometry(&random, 0.1, 1);
        CairnTransform pa = support_transform(&random, 1), pb = support_transform(&random, 1);
        if (kind == 0) {
            pb = pa;
        } else if (kind == 1) {
            pb.q = pa.q;
            pb.p = cairn_add(pa.p, cairn_rotate(pa.q, (CairnVec3){0, 0, support_int(&random, -2, 2)}));
        } else if (kind == 2) { // touching to rounding
            CairnVec3 n = support_unit(&random);
            pb.p = cairn_add_scaled(pb.p, -support_gap(&a, pa, &b, pb, n), n);
        } else if (kind == 5) {
            pa.p = cairn_add(pa.p, (CairnVec3){1e6, -1e6, 1e6});
            pb.p = cairn_add(pb.p, (CairnVec3){1e6, -1e6, 1e6});
        }
        CairnConvex p = placed(&a, pa), q = placed(&b, pb);
        CairnNearest n;
        cairn_gjk(&p, &q, HUGE_VAL, &n);
        assert_true(isfinite(n.distance) && cairn_vec3_is_finite(n.normal) && cairn_vec3_is_finite(n.on_a));
        assert_true(n.is_touching || fabs(cairn_length(n.normal) - 1) < 1e-12);
        if (n.is_touching) {
            CairnVec3 normal;
            double gap = cairn_epa(&p, &q, &normal);
            assert_true(isfinite(gap) && fabs(cairn_length(normal) - 1) < 1e-12);
            assert_below(gap, 1e-9 * (p.size + q.size) + 1e-9);
        }
        drop(&a);
        drop(&b);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_in_closed_form),
        cmocka_unit_test(apart_against_the_reference),
        cmocka_unit_test(near_touch_against_the_reference),
        cmocka_unit_test(a_hair_from_touch_is_no_overlap),
        cmocka_unit_test(nearest_points_belong_together),
        cmocka_unit_test(overlap_against_the_reference),
        cmocka_unit_test(everything_ends),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
