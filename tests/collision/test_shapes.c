// Shapes: definitions and their check, boxes, mass properties, reach and rays.
#include "collision/collision.h"
#include "collision/shapes/shape_def.h"
#include "engine/base/mat3.h"
#include "tests/support/support_shapes.h"
#include <float.h>
#include <string.h>

static CairnShapeDef random_shape(uint64_t *random) {
    CairnShapeDef def = support_int(random, 0, 1)
                            ? cairn_sphere(support_uniform(random, 0.1, 2))
                            : cairn_box(support_uniform(random, 0.1, 3), support_uniform(random, 0.1, 3),
                                        support_uniform(random, 0.1, 3));
    def.position = support_vec3(random, -2, 2);
    def.orientation = support_quat(random);
    return def;
}

static CairnVec3 corner(CairnVec3 h, int k) {
    return (CairnVec3){k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z};
}

// Signed distance from a point in the shape's frame, by the definition of each shape.
static double depth(const CairnGeometry *g, CairnVec3 p) {
    if (g->type == CAIRN_SHAPE_SPHERE) {
        return cairn_length(p) - g->radius;
    }
    if (g->type == CAIRN_SHAPE_HALF_SPACE) {
        return p.z;
    }
    return fmax(fabs(p.x) - g->half.x, fmax(fabs(p.y) - g->half.y, fabs(p.z) - g->half.z)); // sign and zero are right
}

// ---- definitions ----

static void definitions_start_from_defaults(void **state) {
    (void)state;
    CairnShapeDef def = cairn_shape_def();
    assert_int_equal(def.type, CAIRN_SHAPE_SPHERE);
    assert_near(def.radius, 0.5, 0);
    assert_vec3_near(def.size, ((CairnVec3){1, 1, 1}), 0);
    assert_near(def.density, 1000, 0);
    assert_near(def.friction, 0.5, 0);
    assert_quat_near(def.orientation, cairn_quat_identity(), 0);
    assert_true(def.filter.category == 1 && def.filter.mask == UINT64_MAX && def.user_data == 0);
    assert_ok(cairn_shape_check(&def));
    CairnShapeDef ball = cairn_sphere(0.25), box = cairn_box(1, 2, 3), ground = cairn_half_space();
    assert_int_equal(ball.type, CAIRN_SHAPE_SPHERE);
    assert_near(ball.radius, 0.25, 0);
    assert_int_equal(box.type, CAIRN_SHAPE_BOX);
    assert_vec3_near(box.size, ((CairnVec3){1, 2, 3}), 0);
    assert_int_equal(ground.type, CAIRN_SHAPE_HALF_SPACE);
    assert_ok(cairn_shape_check(&ball));
    assert_ok(cairn_shape_check(&box));
    assert_ok(cairn_shape_check(&ground));
    assert_string_equal(cairn_shape_type_name(CAIRN_SHAPE_SPHERE), "sphere");
    assert_string_equal(cairn_shape_type_name(CAIRN_SHAPE_BOX), "box");
    assert_string_equal(cairn_shape_type_name(CAIRN_SHAPE_HALF_SPACE), "half_space");
    assert_string_equal(cairn_shape_type_name(CAIRN_SHAPE_TYPE_COUNT), "unknown");
}

// Every double of the definition, for the table of refusals.
typedef struct Refusal {
    const char *name;
    size_t offset;
    double value;
} Refusal;

static void bad_values_are_refused_by_name(void **state) {
    (void)state;
    const double nan = (double)NAN, inf = HUGE_VAL;
#define AT(member) offsetof(CairnShapeDef, member)
    const Refusal refusals[] = {
        {"radius", AT(radius), -1},
        {"radius", AT(radius), 0},
        {"radius", AT(radius), 1.1e9},
        {"radius", AT(radius), nan},
        {"radius", AT(radius), inf},
        {"size", AT(size.x), -1},
        {"size", AT(size.y), nan},
        {"size", AT(size.z), inf},
        {"size", AT(size.z), 2e9},
        {"position", AT(position.x), nan},
        {"position", AT(position.y), inf},
        {"orientation", AT(orientation.w), 2},
        {"orientation", AT(orientation.w), 0},
        {"orientation", AT(orientation.x), nan},
        {"density", AT(density), -1},
        {"density", AT(density), nan},
        {"density", AT(density), inf},
        {"friction", AT(friction), -0.1},
        {"friction", AT(friction), nan},
        {"restitution", AT(restitution), -0.1},
        {"restitution", AT(restitution), 1.1},
        {"restitution", AT(restitution), nan},
        {"rolling_friction", AT(rolling_friction), -1e-9},
        {"rolling_friction", AT(rolling_friction), inf},
        {"torsional_friction", AT(torsional_friction), -1},
        {"torsional_friction", AT(torsional_friction), nan},
    };
#undef AT
    for (size_t k = 0; k < sizeof refusals / sizeof refusals[0]; ++k) {
        CairnShapeDef def = cairn_shape_def();
        memcpy((char *)&def + refusals[k].offset, &refusals[k].value, sizeof(double));
        assert_refused(cairn_shape_check(&def), CAIRN_INVALID_ARGUMENT, refusals[k].name);
    }
    CairnShapeDef flat = cairn_box(1, 0, 1);
    assert_refused(cairn_shape_check(&flat), CAIRN_INVALID_ARGUMENT, "size = (1, 0, 1)");
    static const CairnVec3 points[] = {{0, 0, 0}, {1e-162, 0, 0}, {0, 1e-162, 0}, {0, 0, 1e-162}};
    CairnShapeDef small[] = {cairn_capsule(1e-162, 1), cairn_capsule(1, 1e-162), cairn_cylinder(1e-16, 1),
                             cairn_sphere(1e-162),     cairn_box(1, 1, 1e-16),   cairn_hull(points, 4)};
    for (size_t k = 0; k < sizeof small / sizeof *small; ++k) {
        assert_refused(cairn_shape_check(&small[k]), CAIRN_INVALID_ARGUMENT, "must be at least 1e-15");
    }
    CairnShapeDef bare;
    memset(&bare, 0, sizeof bare);
    assert_refused(cairn_shape_check(&bare), CAIRN_INVALID_ARGUMENT, "cookie = 0");
    assert_refused(cairn_shape_check(NULL), CAIRN_INVALID_ARGUMENT, "NULL");
    CairnShapeDef odd = cairn_shape_def();
    odd.type = (CairnShapeType)7;
    assert_refused(cairn_shape_check(&odd), CAIRN_INVALID_ARGUMENT, "type");
}

static void only_the_sizes_in_use_must_be_positive(void **state) {
    (void)state;
    CairnShapeDef box = cairn_box(1, 2, 3), ball = cairn_sphere(1), ground = cairn_half_space();
    box.radius = 0;
    ball.size = ground.size = (CairnVec3){0, 0, 0};
    ground.radius = 0;
    assert_ok(cairn_shape_check(&box));
    assert_ok(cairn_shape_check(&ball));
    assert_ok(cairn_shape_check(&ground));
}

// ---- boxes and reach ----

static void boxes_are_tight(void **state) {
    (void)state;
    uint64_t random = 31;
    for (int k = 0; k < 2000; ++k) {
        CairnGeometry g = of_def(random_shape(&random));
        CairnTransform pose = support_transform(&random, 5);
        CairnAabb box = cairn_geometry_box(&g, pose), seen;
        if (g.type == CAIRN_SHAPE_SPHERE) {
            CairnVec3 r = {g.radius, g.radius, g.radius};
            seen = (CairnAabb){cairn_sub(pose.p, r), cairn_add(pose.p, r)};
        } else {
            seen = (CairnAabb){{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
            for (int c = 0; c < 8; ++c) {
                CairnVec3 p = cairn_transform_point(pose, corner(g.half, c));
                seen.low = (CairnVec3){fmin(seen.low.x, p.x), fmin(seen.low.y, p.y), fmin(seen.low.z, p.z)};
                seen.high = (CairnVec3){fmax(seen.high.x, p.x), fmax(seen.high.y, p.y), fmax(seen.high.z, p.z)};
            }
        }
        assert_vec3_near(box.low, seen.low, 1e-14);
        assert_vec3_near(box.high, seen.high, 1e-14);
    }
    CairnGeometry ground = of_def(cairn_half_space());
    CairnAabb all = cairn_geometry_box(&ground, cairn_transform_identity());
    assert_true(ground.is_unbounded && all.low.x == -HUGE_VAL && all.high.z == HUGE_VAL);
}

static void reach_is_the_farthest_point(void **state) {
    (void)state;
    uint64_t random = 32;
    for (int k = 0; k < 2000; ++k) {
        CairnGeometry g = of_def(random_shape(&random));
        CairnVec3 from = support_vec3(&random, -2, 2);
        double farthest = cairn_length(cairn_sub(g.local.p, from)) + g.radius;
        if (g.type == CAIRN_SHAPE_BOX) {
            farthest = 0;
            for (int c = 0; c < 8; ++c) {
                farthest =
                    fmax(farthest, cairn_length(cairn_sub(cairn_transform_point(g.local, corner(g.half, c)), from)));
            }
        }
        assert_near(cairn_geometry_reach(&g, from), farthest, 1e-14);
    }
    CairnGeometry ground = of_def(cairn_half_space());
    double reach = cairn_geometry_reach(&ground, (CairnVec3){0, 0, 0});
    assert_true(isfinite(reach) && reach >= 1e9); // times no turn at all it must be zero
}

// ---- mass ----

static void mass_in_closed_form(void **state) {
    (void)state;
    CairnGeometry ball = of_def(cairn_sphere(0.5)), box = of_def(cairn_box(1, 2, 3));
    CairnGeometry ground = of_def(cairn_half_space());
    CairnMassProperties p = cairn_geometry_mass(&ball, 1000);
    assert_near(p.mass, 1000 * CAIRN_PI / 6, 1e-12);
    assert_near(p.inertia.m[1][1], 0.4 * p.mass * 0.25, 1e-13);
    p = cairn_geometry_mass(&box, 2);
    assert_near(p.mass, 12, 1e-15);
    assert_mat3_near(p.inertia, cairn_mat3_diagonal(13, 10, 5), 1e-14); // m/12 (y2 + z2), ...
    p = cairn_geometry_mass(&ground, 1000);
    assert_near(p.mass, 0, 0);
    assert_mat3_near(p.inertia, cairn_mat3_diagonal(0, 0, 0), 0);
}

// The mass of a sphere as a stack of thin discs: the integrands are polynomials of degree 4, exact by three Gauss
// points.
static void sphere_is_a_stack_of_discs(void **state) {
    (void)state;
    double r = 0.7, density = 3, mass = 0, about_z = 0, about_x = 0;
    const double places[3] = {-sqrt(0.6), 0, sqrt(0.6)}, weights[3] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
    for (int k = 0; k < 3; ++k) {
        double z = r * places[k], s = r * r - z * z, slice = weights[k] * r * density * CAIRN_PI * s;
        mass += slice;
        about_z += slice * 0.5 * s;
        about_x += slice * (0.25 * s + z * z);
    }
    CairnGeometry g = of_def(cairn_sphere(r));
    CairnMassProperties p = cairn_geometry_mass(&g, density);
    assert_near(p.mass, mass, 1e-14);
    assert_mat3_near(p.inertia, cairn_mat3_diagonal(about_x, about_x, about_z), 1e-14);
}

// Eight small boxes make a large one: mass adds up, and inertia by the theorem of parallel axes.
static void box_is_the_sum_of_its_eighths(void **state) {
    (void)state;
    uint64_t random = 33;
    for (int k = 0; k < 500; ++k) {
        CairnShapeDef def = cairn_box(support_uniform(&random, 0.1, 3), support_uniform(&random, 0.1, 3),
                                      support_uniform(&random, 0.1, 3));
        def.position = support_vec3(&random, -2, 2);
        def.orientation = support_quat(&random);
        CairnGeometry whole = of_def(def);
        CairnMassProperties p = cairn_geometry_mass(&whole, 2.5), sum;
        memset(&sum, 0, sizeof sum);
        for (int c = 0; c < 8; ++c) {
            CairnShapeDef part = def;
            part.size = cairn_scale(0.5, def.size);
            part.position = cairn_transform_point(whole.local, corner(cairn_scale(0.25, def.size), c));
            CairnGeometry g = of_def(part);
            CairnMassProperties q = cairn_geometry_mass(&g, 2.5);
            sum.mass += q.mass;
            sum.inertia =
                cairn_mat3_sum(sum.inertia, cairn_inertia_shift(q.inertia, q.mass, cairn_sub(q.center, whole.local.p)));
        }
        assert_near(p.mass, sum.mass, 1e-13 * p.mass);
        assert_vec3_near(p.center, def.position, 0);
        assert_mat3_near(p.inertia, sum.inertia, 1e-13 * (p.inertia.m[0][0] + p.inertia.m[1][1] + p.inertia.m[2][2]));
        assert_true(cairn_inertia_is_physical(p.inertia));
    }
}

// ---- rays ----

static void rays_stop_where_the_shape_begins(void **state) {
    (void)state;
    uint64_t random = 34;
    int hit_count = 0;
    for (int k = 0; k < 20000; ++k) {
        CairnGeometry g = of_def(k % 3 == 0 ? cairn_half_space() : random_shape(&random));
        CairnTransform pose = support_transform(&random, 1);
        CairnVec3 origin = support_vec3(&random, -4, 4), target = support_vec3(&random, -2, 2), normal = {0, 0, 0};
        CairnVec3 direction = cairn_normalize(cairn_sub(target, origin));
        double reach = support_uniform(&random, 0, 8), distance = -1;
        bool is_hit = cairn_geometry_ray(&g, pose, origin, direction, reach, &distance, &normal);
        CairnVec3 o = cairn_untransform_point(pose, origin), d = cairn_unrotate(pose.q, direction);
        if (depth(&g, o) < 0) {
            assert_false(is_hit); // starts inside
            continue;
        }
        double clear = is_hit ? distance : reach; // up to here the ray must be outside
        for (int i = 0; i < 64; ++i) {
            assert_true(depth(&g, cairn_add_scaled(o, clear * i / 64, d)) > -1e-13);
        }
        if (is_hit) {
            ++hit_count;
            CairnVec3 p = cairn_add_scaled(o, distance, d), n = cairn_unrotate(pose.q, normal);
            assert_true(distance >= 0 && distance <= reach);
            assert_near(depth(&g, p), 0, 1e-13);
            assert_near(cairn_length(normal), 1, 1e-14);
            assert_below(cairn_dot(normal, direction), 0);
            assert_true(depth(&g, cairn_add_scaled(p, 1e-6, n)) > 0.9e-6); // the normal leads straight out
        }
    }
    assert_true(hit_count > 3000);
}

static void rays_at_the_border(void **state) {
    (void)state;
    CairnGeometry ball = of_def(cairn_sphere(1)), box = of_def(cairn_box(2, 2, 2)), ground = of_def(cairn_half_space());
    CairnTransform here = cairn_transform_identity();
    CairnVec3 down = {0, 0, -1}, up = {0, 0, 1}, side = {1, 0, 0}, n;
    double t = -1;
    const CairnGeometry *shapes[2] = {&ball, &box};
    for (int k = 0; k < 2; ++k) {
        assert_true(cairn_geometry_ray(shapes[k], here, (CairnVec3){0, 0, 3}, down, 2, &t, &n)); // exactly at its end
        assert_near(t, 2, 0);
        assert_vec3_near(n, up, 0);
        assert_false(cairn_geometry_ray(shapes[k], here, (CairnVec3){0, 0, 3}, down, 1.999, &t, &n));
        assert_false(cairn_geometry_ray(shapes[k], here, (CairnVec3){0, 0, 3}, up, 10, &t, &n)); // behind
        assert_false(cairn_geometry_ray(shapes[k], here, (CairnVec3){0, 0, 0}, up, 10, &t, &n)); // from inside
        assert_true(
            cairn_geometry_ray(shapes[k], here, (CairnVec3){0, 0, 1}, down, 10, &t, &n)); // on the surface, inwards
        assert_near(t, 0, 0);
        assert_false(
            cairn_geometry_ray(shapes[k], here, (CairnVec3){0, 0, 1}, up, 10, &t, &n)); // on the surface, outwards
        assert_false(cairn_geometry_ray(shapes[k], here, (CairnVec3){-3, 0, 1.001}, side, 10, &t, &n)); // just past
        assert_true(cairn_geometry_ray(shapes[k], here, (CairnVec3){-3, 0, 0.999}, side, 10, &t, &n));
    }
    assert_true(cairn_geometry_ray(&ground, here, (CairnVec3){5, 5, 2}, down, 2, &t, &n));
    assert_near(t, 2, 0);
    assert_false(cairn_geometry_ray(&ground, here, (CairnVec3){5, 5, 2}, side, DBL_MAX, &t, &n)); // parallel
    assert_false(cairn_geometry_ray(&ground, here, (CairnVec3){5, 5, -2}, up, 10, &t, &n));       // from inside
    // A small sphere seen from far away keeps its digits: rounding at 1e6 m is 1e-10.
    assert_true(cairn_geometry_ray(&ball, here, (CairnVec3){-1e6, 0.6, 0}, side, 1e7, &t, &n));
    assert_near(t, 1e6 - 0.8, 2e-10);
    assert_vec3_near(n, ((CairnVec3){-0.8, 0.6, 0}), 1e-15);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definitions_start_from_defaults),
        cmocka_unit_test(bad_values_are_refused_by_name),
        cmocka_unit_test(only_the_sizes_in_use_must_be_positive),
        cmocka_unit_test(boxes_are_tight),
        cmocka_unit_test(reach_is_the_farthest_point),
        cmocka_unit_test(mass_in_closed_form),
        cmocka_unit_test(sphere_is_a_stack_of_discs),
        cmocka_unit_test(box_is_the_sum_of_its_eighths),
        cmocka_unit_test(rays_stop_where_the_shape_begins),
        cmocka_unit_test(rays_at_the_border),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
