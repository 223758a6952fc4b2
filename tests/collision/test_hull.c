// Convex hulls: the builder, exact moments, rays, and contact with spheres, capsules, boxes, hulls and half-spaces.
#include "collision/shapes/hull.h"
#include "collision/shapes/shape_def.h"
#include "engine/base/mat3.h"
#include "engine/base/memory.h"
#include "tests/support/support_pairs.h"
#include "tests/support/support_shapes.h"
#include <string.h>

static CairnHull *build(const CairnVec3 *points, int count) {
    CairnAllocator allocator = cairn_memory_default();
    CairnHull *hull = NULL;
    assert_ok(cairn_hull_build(points, count, &allocator, &hull));
    return hull;
}

static void drop(CairnHull *hull) {
    CairnAllocator allocator = cairn_memory_default();
    cairn_hull_free(hull, &allocator);
}

static void drop_geometry(CairnGeometry *g) {
    CairnAllocator allocator = cairn_memory_default();
    cairn_geometry_free(g, &allocator);
}

static CairnGeometry hull_of(const CairnVec3 *points, int count) {
    CairnShapeDef def = cairn_hull(points, count);
    return support_geometry(&def);
}

static void box_points(CairnVec3 half, CairnVec3 points[8]) {
    for (int k = 0; k < 8; ++k) {
        points[k] = (CairnVec3){k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z};
    }
}

// ---- the builder ----

// Euler's formula, links that close, convexity, all points inside; how far the worst one is outside, as a share of the
// size.
static void check_hull(const CairnHull *h, const CairnVec3 *points, int count, double tolerance) {
    assert_int_equal(h->vertex_count - h->half_edge_count / 2 + h->face_count, 2);
    int walked = 0;
    for (int f = 0; f < h->face_count; ++f) {
        int first = h->face_edges[f], e = first, sides = 0;
        do {
            assert_int_equal(h->edges[e].face, f);
            assert_int_equal(h->edges[h->edges[e].next].origin, cairn_hull_end(h, e));
            assert_near(cairn_dot(h->normals[f], h->vertices[h->edges[e].origin]), h->offsets[f], tolerance * h->size);
            sides += 1;
            e = h->edges[e].next;
        } while (e != first);
        assert_true(sides >= 3);
        walked += sides;
        assert_near(cairn_length(h->normals[f]), 1, 1e-15);
    }
    assert_int_equal(walked, h->half_edge_count);
    for (int v = 0; v < h->vertex_count; ++v) {
        assert_int_equal(h->edges[h->vertex_edges[v]].origin, v);
    }
    for (int i = 0; i < count; ++i) {
        for (int f = 0; f < h->face_count; ++f) {
            assert_below(cairn_dot(h->normals[f], points[i]) - h->offsets[f], tolerance * h->size);
        }
    }
}

static void a_box_has_its_known_mass(void **state) {
    (void)state;
    CairnVec3 cube[8];
    box_points((CairnVec3){1, 2, 3}, cube);
    CairnHull *h = build(cube, 8);
    check_hull(h, cube, 8, 0);
    assert_int_equal(h->vertex_count, 8);
    assert_int_equal(h->half_edge_count, 24);
    assert_int_equal(h->face_count, 6);
    assert_near(h->volume, 48, 1e-14 * 48);
    // The moments are m/3 (h_y^2 + h_z^2) and so on, with the half edges h.
    assert_mat3_near(h->inertia, cairn_mat3_diagonal(16 * 13, 16 * 10, 16 * 5), 1e-12);
    drop(h);
}

static void an_octahedron_has_its_known_mass(void **state) {
    (void)state;
    const CairnVec3 octahedron[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    CairnHull *h = build(octahedron, 6);
    check_hull(h, octahedron, 6, 1e-15);
    assert_int_equal(h->face_count, 8);
    assert_near(h->volume, 4.0 / 3, 1e-15);
    assert_near(h->inertia.m[0][0], 0.2 * 4.0 / 3, 1e-15); // m a^2 / 5 with a = 1
    drop(h);
}

static void a_tetrahedron_has_its_known_mass(void **state) {
    (void)state;
    const CairnVec3 tetrahedron[4] = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}};
    CairnHull *h = build(tetrahedron, 4);
    check_hull(h, tetrahedron, 4, 1e-15);
    assert_int_equal(h->face_count, 4);
    assert_near(h->volume, 1, 1e-15);
    assert_vec3_near(h->mass_center, ((CairnVec3){0.25, 0.5, 0.75}), 1e-15);
    // The variance of a coordinate over a corner tetrahedron is 3/80 of its length squared.
    assert_near(h->inertia.m[0][0], 3.0 / 80 * (4 + 9), 1e-15);
    assert_near(h->inertia.m[0][1], 2 * 1.0 / 80,
                1e-15); // the covariance of x and y is -1/80 of the product of their lengths
    drop(h);
}

static void an_icosahedron_has_its_known_mass(void **state) {
    (void)state;
    const double g = (1 + sqrt(5)) / 2;
    CairnVec3 icosahedron[12];
    for (int k = 0; k < 4; ++k) {
        double s = k & 1 ? 1 : -1, t = k & 2 ? g : -g;
        icosahedron[k] = (CairnVec3){0, s, t};
        icosahedron[4 + k] = (CairnVec3){s, t, 0};
        icosahedron[8 + k] = (CairnVec3){t, 0, s};
    }
    CairnHull *h = build(icosahedron, 12);
    check_hull(h, icosahedron, 12, 1e-15);
    assert_int_equal(h->face_count, 20);
    assert_near(h->volume, 5.0 / 12 * (3 + sqrt(5)) * 8, 1e-13);
    drop(h);
}

// Points on faces and edges and inside are dropped, whatever the turn, in double and in single precision.
static void a_grid_is_a_box(void **state) {
    (void)state;
    uint64_t random = 71;
    for (int round = 0; round < 20; ++round) {
        CairnVec3 points[343], corners[8];
        CairnTransform pose = support_transform(&random, round % 2 ? 100 : 0);
        bool is_single = round >= 10;
        box_points((CairnVec3){3, 3, 3}, corners);
        int count = 0;
        for (int k = 0; k < 343; ++k) {
            CairnVec3 p = cairn_transform_point(is_single ? (CairnTransform){{0, 0, 0}, pose.q} : pose,
                                                (CairnVec3){k % 7 - 3, k / 7 % 7 - 3, k / 49 - 3});
            points[count++] = is_single ? (CairnVec3){(double)(float)p.x, (double)(float)p.y, (double)(float)p.z} : p;
        }
        CairnHull *h = build(points, count);
        check_hull(h, points, count, is_single ? 2e-7 : 1e-14);
        assert_int_equal(h->vertex_count, 8);
        assert_int_equal(h->face_count, 6);
        assert_near(h->volume, 216, is_single ? 1e-4 : 1e-10);
        drop(h);
    }
}

static void random_clouds(void **state) {
    (void)state;
    uint64_t random = 72;
    for (int round = 0; round < 400; ++round) {
        CairnVec3 points[300];
        int count = support_int(&random, 5, round % 10 == 0 ? 300 : 60), kind = round % 4;
        CairnQuat q = support_quat(&random);
        for (int i = 0; i < count; ++i) {
            CairnVec3 lattice = {support_int(&random, 0, 3), support_int(&random, 0, 3), support_int(&random, 0, 3)};
            points[i] = kind == 0   ? support_vec3(&random, -1, 1)
                        : kind == 1 ? support_unit(&random)
                        : kind == 2 ? lattice
                                    : cairn_add_scaled(cairn_rotate(q, lattice), 1e-9, support_vec3(&random, -1, 1));
        }
        CairnAllocator allocator = cairn_memory_default();
        CairnHull *h = NULL, *again = NULL;
        CairnStatus status = cairn_hull_build(points, count, &allocator, &h);
        if (!cairn_is_ok(status)) { // a lattice can be flat, a ball too fine
            assert_true(kind >= 1);
            assert_refused(status, CAIRN_INVALID_ARGUMENT, "points of a hull");
            continue;
        }
        check_hull(h, points, count, kind == 3 ? 1e-8 : 1e-13);
        assert_ok(cairn_hull_build(h->vertices, h->vertex_count, &allocator, &again));
        assert_int_equal(again->bytes, h->bytes); // its own vertices give it back, bit for bit
        assert_memory_equal(again->vertices, h->vertices, (size_t)h->vertex_count * sizeof(CairnVec3));
        assert_memory_equal(again->normals, h->normals, (size_t)h->face_count * sizeof(CairnVec3));
        assert_memory_equal(again->edges, h->edges, (size_t)h->half_edge_count * sizeof(CairnHullEdge));
        assert_memory_equal(&again->inertia, &h->inertia, sizeof h->inertia);
        // Walking uphill finds what looking at all finds.
        for (int k = 0; k < 20; ++k) {
            CairnVec3 d = support_unit(&random);
            double best = -HUGE_VAL;
            for (int v = 0; v < h->vertex_count; ++v) {
                best = fmax(best, cairn_dot(d, h->vertices[v]));
            }
            int start = support_int(&random, 0, h->vertex_count - 1);
            assert_near(cairn_dot(d, h->vertices[cairn_hull_support(h, d, start)]), best, 1e-8 * h->size);
        }
        drop(h);
        drop(again);
    }
}

// Exactly on the plane, and one bit beside it: the predicate sees both, whatever the numbers.
static void the_predicate_is_exact(void **state) {
    (void)state;
    uint64_t random = 73;
    for (int k = 0; k < 2000; ++k) {
        CairnVec3 a, u, v;
        double *all[9] = {&a.x, &a.y, &a.z, &u.x, &u.y, &u.z, &v.x, &v.y, &v.z};
        for (int i = 0; i < 9; ++i) { // small integers: sums and products below are exact
            *all[i] = support_int(&random, -1000, 1000) * 0x1p-10;
        }
        CairnVec3 n = cairn_cross(u, v);
        int s = support_int(&random, -9, 9), t = support_int(&random, -9, 9);
        CairnVec3 d = cairn_add_scaled(cairn_add_scaled(a, s, u), t, v), b = cairn_add(a, u), c = cairn_add(a, v);
        assert_int_equal(cairn_orient(a, b, c, d), 0);
        CairnVec3 above = d;
        above.z = nextafter(d.z, HUGE_VAL);
        assert_int_equal(cairn_orient(a, b, c, above), (n.z > 0) - (n.z < 0));
        assert_int_equal(cairn_orient(a, c, b, above), (n.z < 0) - (n.z > 0));
    }
}

static void bad_points_are_refused(void **state) {
    (void)state;
    SupportMemory memory = {0};
    CairnAllocator allocator = support_allocator(&memory);
    CairnHull *h = NULL;
    uint64_t random = 74;
    CairnVec3 p[400];
    for (int i = 0; i < 400; ++i) {
        p[i] = support_unit(&random);
    }
    CairnVec3 bad[8];
    box_points((CairnVec3){1, 1, 1}, bad);
    bad[5].y = (double)NAN;
    assert_refused(cairn_hull_build(bad, 8, &allocator, &h), CAIRN_INVALID_ARGUMENT, "points[5] = (1, nan, 1)");
    bad[5].y = HUGE_VAL;
    assert_refused(cairn_hull_build(bad, 8, &allocator, &h), CAIRN_INVALID_ARGUMENT, "points[5]");
    CairnShapeDef def = cairn_hull(bad, 8);
    assert_refused(cairn_shape_check(&def), CAIRN_INVALID_ARGUMENT, "points[5]");
    assert_refused(cairn_hull_build(p, 3, &allocator, &h), CAIRN_INVALID_ARGUMENT, "point_count = 3");
    def = cairn_hull(p, 3);
    assert_refused(cairn_shape_check(&def), CAIRN_INVALID_ARGUMENT, "point_count = 3");
    def = cairn_hull(NULL, 8);
    assert_refused(cairn_shape_check(&def), CAIRN_INVALID_ARGUMENT, "NULL");
    assert_refused(cairn_hull_build(p, 400, &allocator, &h), CAIRN_INVALID_ARGUMENT, "at most 256");
    for (int i = 0; i < 20; ++i) {
        p[i] = (CairnVec3){1, 2, 3};
    }
    assert_refused(cairn_hull_build(p, 20, &allocator, &h), CAIRN_INVALID_ARGUMENT, "at one place");
    for (int i = 0; i < 20; ++i) {
        p[i] = (CairnVec3){0.1 * i, 0.2 * i, 1 - 0.3 * i};
    }
    assert_refused(cairn_hull_build(p, 20, &allocator, &h), CAIRN_INVALID_ARGUMENT, "in one line");
    for (int i = 0; i < 20; ++i) {
        p[i] = cairn_add(cairn_scale(support_uniform(&random, -1, 1), (CairnVec3){1, 2, 3}),
                         cairn_scale(support_uniform(&random, -1, 1), (CairnVec3){-2, 1, 5}));
    }
    assert_refused(cairn_hull_build(p, 20, &allocator, &h), CAIRN_INVALID_ARGUMENT, "in one plane");
    assert_memory_clean(&memory);
}

static void no_memory_is_told_and_nothing_leaks(void **state) {
    (void)state;
    uint64_t random = 75;
    CairnVec3 p[40];
    for (int i = 0; i < 40; ++i) {
        p[i] = support_vec3(&random, -1, 1);
    }
    for (int fail = 1;; ++fail) {
        SupportMemory memory = {.fail_from = fail};
        CairnAllocator allocator = support_allocator(&memory);
        CairnHull *h = NULL;
        CairnStatus status = cairn_hull_build(p, 40, &allocator, &h);
        if (cairn_is_ok(status)) {
            assert_true(fail > 5);
            cairn_hull_free(h, &allocator);
            assert_memory_clean(&memory);
            return;
        }
        assert_int_equal(status.code, CAIRN_OUT_OF_MEMORY);
        assert_null(h);
        assert_memory_clean(&memory);
    }
}

// Any point's fan of tetrahedra gives the same moments.
static void moments_are_the_sum_of_tetrahedra(void **state) {
    (void)state;
    uint64_t random = 76;
    for (int round = 0; round < 100; ++round) {
        CairnVec3 p[30];
        for (int i = 0; i < 30; ++i) {
            p[i] = support_vec3(&random, -1, 1);
        }
        CairnHull *h = build(p, 30);
        CairnVec3 o = support_vec3(&random, -1, 1), first = {0, 0, 0};
        CairnMat3 inertia = {{{0}}};
        double mass = 0;
        for (int f = 0; f < h->face_count; ++f) {
            int start = h->face_edges[f];
            CairnVec3 a = h->vertices[h->edges[start].origin];
            for (int e = h->edges[start].next; h->edges[e].next != start; e = h->edges[e].next) {
                const CairnVec3 v[4] = {o, a, h->vertices[h->edges[e].origin], h->vertices[cairn_hull_end(h, e)]};
                double m = cairn_dot(cairn_sub(v[1], o), cairn_cross(cairn_sub(v[2], o), cairn_sub(v[3], o))) / 6;
                CairnVec3 sum = cairn_add(cairn_add(v[0], v[1]), cairn_add(v[2], v[3]));
                mass += m;
                first = cairn_add_scaled(first, m / 4, sum);
                // Second moments about the origin: m/20 (sum v v^T + s s^T), as point masses m/20 at the corners and at
                // s.
                for (int k = 0; k < 4; ++k) {
                    inertia = cairn_inertia_shift(inertia, m / 20, v[k]);
                }
                inertia = cairn_inertia_shift(inertia, m / 20, sum);
            }
        }
        assert_near(h->volume, mass, 1e-13);
        assert_vec3_near(h->mass_center, cairn_scale(1 / mass, first), 1e-13);
        assert_mat3_near(cairn_inertia_shift(h->inertia, h->volume, h->mass_center), inertia, 1e-12);
        assert_true(cairn_inertia_is_physical(h->inertia));
        drop(h);
    }
}

static CairnGeometry rock(uint64_t *random, int most) {
    CairnVec3 p[64];
    int count = support_int(random, 4, most);
    double size = support_uniform(random, 0.1, 1);
    for (int i = 0; i < count; ++i) {
        p[i] = cairn_scale(size, support_vec3(random, -1, 1));
    }
    return hull_of(p, count);
}

static void rays_box_and_reach(void **state) {
    (void)state;
    uint64_t random = 77;
    int hits = 0;
    for (int k = 0; k < 5000; ++k) {
        CairnGeometry g = rock(&random, 30);
        CairnTransform pose = support_transform(&random, 1);
        CairnVec3 origin = support_vec3(&random, -3, 3), target = support_vec3(&random, -1, 1), normal;
        CairnVec3 direction = cairn_normalize(cairn_sub(target, origin));
        double t = -1;
        bool is_hit = cairn_geometry_ray(&g, pose, origin, direction, 10, &t, &normal);
        if (support_depth(&g, pose, origin) < 0) {
            assert_false(is_hit);
        } else {
            for (int i = 0; i < 32; ++i) {
                double s = (is_hit ? t : 10) * i / 32;
                assert_true(support_depth(&g, pose, cairn_add_scaled(origin, s, direction)) > -1e-13);
            }
        }
        if (is_hit) {
            assert_near(support_depth(&g, pose, cairn_add_scaled(origin, t, direction)), 0, 1e-13);
            hits += 1;
        }
        CairnAabb aabb = cairn_geometry_box(&g, pose);
        assert_near(aabb.high.z, support_farthest(&g, pose, z_axis).z, 1e-14);
        assert_near(aabb.low.z, support_farthest(&g, pose, cairn_neg(z_axis)).z, 1e-14);
        double reach = cairn_geometry_reach(&g, origin), farthest = 0;
        for (int v = 0; v < g.hull->vertex_count; ++v) {
            farthest = fmax(farthest, cairn_length(cairn_sub(g.hull->vertices[v], origin)));
        }
        assert_near(reach, farthest, 1e-14);
        drop_geometry(&g);
    }
    assert_true(hits > 500);
}

// ---- pairs against the reference ----

static CairnGeometry partner(uint64_t *random, CairnShapeType type) {
    double r = support_uniform(random, 0.05, 0.8), h = support_uniform(random, 0.1, 1.5);
    switch (type) {
    case CAIRN_SHAPE_SPHERE:
        return of_def(cairn_sphere(r));
    case CAIRN_SHAPE_BOX:
        return of_def(cairn_box(2 * r, h, support_uniform(random, 0.1, 2)));
    case CAIRN_SHAPE_CYLINDER:
        return of_def(cairn_cylinder(r, h));
    case CAIRN_SHAPE_CAPSULE:
        return of_def(cairn_capsule(r, h));
    case CAIRN_SHAPE_HALF_SPACE:
        return of_def(cairn_half_space());
    default:
        return rock(random, 20);
    }
}

// A box and the hull of its corners collide alike with anything: same normal, same depth, as many points.
static void a_hull_of_a_box_is_a_box(void **state) {
    (void)state;
    uint64_t random = 86;
    int compared = 0;
    for (int k = 0; k < 2000; ++k) {
        CairnVec3 size = support_vec3(&random, 0.2, 1), corners[8];
        box_points(cairn_scale(0.5, size), corners);
        CairnGeometry cube = of_def(cairn_box(size.x, size.y, size.z)), same = hull_of(corners, 8);
        CairnGeometry other = of_def(cairn_box(support_uniform(&random, 0.2, 1), 0.7, 0.4));
        CairnTransform pa = support_transform(&random, 0.5), pb = support_transform(&random, 0.3);
        CairnManifold m, n;
        cairn_narrow(&cube, pa, &other, pb, 0.01, &m);
        cairn_narrow(&same, pa, &other, pb, 0.01, &n);
        assert_int_equal(m.count > 0, n.count > 0);
        if (m.count == 0 || cairn_dot(m.normal, n.normal) < 1 - 1e-9) { // near-ties may fall either way
            drop_geometry(&same);
            continue;
        }
        assert_near(support_least_distance(&m), support_least_distance(&n), 1e-12);
        compared += 1;
        drop_geometry(&same);
    }
    assert_true(compared > 1000);
}

// ---- named cases ----

static void stacked_cubes_hold_four_points(void **state) {
    (void)state;
    CairnVec3 corners[8];
    box_points((CairnVec3){0.5, 0.5, 0.5}, corners);
    CairnGeometry a = hull_of(corners, 8);
    CairnManifold first, m;
    cairn_narrow(&a, at(0, 0, 0), &a, at(0, 0, 1), 0.01, &first);
    assert_int_equal(first.count, 4);
    assert_vec3_near(first.normal, z_axis, 0);
    uint64_t random = 87;
    for (int k = 0; k < 1000; ++k) { // noise of a resting step changes neither names nor number
        CairnTransform pose = {{0, 0, 1}, cairn_quat_exp(support_vec3(&random, -1e-8, 1e-8))};
        pose.p = cairn_add(pose.p, support_vec3(&random, -1e-7, 1e-7));
        cairn_narrow(&a, at(0, 0, 0), &a, pose, 0.01, &m);
        assert_int_equal(m.count, 4);
        for (int i = 0; i < 4; ++i) {
            assert_int_equal(m.points[i].feature, first.points[i].feature);
        }
    }
    cairn_narrow(&a, at(0, 0, 0), &a, (CairnTransform){{0, 0, 1}, cairn_quat_axis_angle(z_axis, CAIRN_PI / 4)}, 0.01,
                 &m);
    assert_int_equal(m.count, 4); // of an octagon
    drop_geometry(&a);
}

static void a_prism_stands_on_four_of_its_corners(void **state) {
    (void)state;
    CairnVec3 points[128];
    for (int k = 0; k < 64; ++k) {
        double angle = k * CAIRN_PI / 32;
        points[2 * k] = (CairnVec3){cos(angle), sin(angle), 0.5};
        points[2 * k + 1] = (CairnVec3){cos(angle), sin(angle), -0.5};
    }
    CairnGeometry drum = hull_of(points, 128), ground = of_def(cairn_half_space()), slab = of_def(cairn_box(9, 9, 1));
    assert_int_equal(drum.hull->face_count, 66);
    for (int k = 0; k < 3; ++k) { // on the ground, on a box, on another
        CairnManifold m;
        const CairnGeometry *below = k == 0 ? &ground : k == 1 ? &slab : &drum;
        cairn_narrow(&drum, at(0, 0, 0.5), below, at(0, 0, k == 0 ? 0 : -0.5), 0.01, &m);
        assert_int_equal(m.count, 4);
        CairnVec3 sum = {0, 0, 0};
        for (int i = 0; i < 4; ++i) {
            assert_near(m.points[i].distance, 0, 1e-14);
            assert_near(hypot(m.points[i].point.x, m.points[i].point.y), 1, 1e-14);
            sum = cairn_add(sum, m.points[i].point);
        }
        assert_near(cairn_length(sum), 0, 0.2); // well spread
    }
    drop_geometry(&drum);
}

static void degenerate_poses_have_an_answer(void **state) {
    (void)state;
    uint64_t random = 88;
    CairnVec3 corners[8];
    box_points((CairnVec3){0.5, 0.4, 0.3}, corners);
    for (int k = 0; k < 300; ++k) {
        CairnGeometry a = k % 2 ? hull_of(corners, 8) : rock(&random, 12);
        CairnTransform pa = support_transform(&random, 1), pb = pa;
        static const CairnShapeType types[5] = {CAIRN_SHAPE_SPHERE, CAIRN_SHAPE_BOX, CAIRN_SHAPE_CAPSULE,
                                                CAIRN_SHAPE_HULL, CAIRN_SHAPE_HALF_SPACE};
        CairnGeometry b = partner(&random, types[k % 5]);
        if (k % 3 == 1) { // touching along a random direction to rounding
            CairnVec3 n = support_unit(&random);
            if (b.type != CAIRN_SHAPE_HALF_SPACE) {
                pb.p = cairn_add_scaled(pb.p, -support_gap(&a, pa, &b, pb, n), n);
            }
        } else if (k % 3 == 2) { // a turn by a quarter, exactly
            pb.q = cairn_quat_mul(pb.q, cairn_quat_axis_angle(z_axis, CAIRN_PI / 2));
        }
        CairnManifold m;
        cairn_narrow(&a, pa, &b, pb, 0.01, &m);
        for (int i = 0; i < m.count; ++i) {
            assert_true(cairn_vec3_is_finite(m.points[i].point) && isfinite(m.points[i].distance));
        }
        if (k % 2 && k % 3 != 1 && b.type != CAIRN_SHAPE_HULL) { // centre in centre
            assert_true(m.count > 0);
            CairnVec3 n;
            if (b.type != CAIRN_SHAPE_HALF_SPACE) {
                assert_below(support_largest_gap(&a, pa, &b, pb, &n), support_least_distance(&m) + 1e-9);
            }
        }
        drop_geometry(&a);
        drop_geometry(&b);
    }
}

static void a_pebble_on_a_boulder(void **state) {
    (void)state;
    uint64_t random = 89;
    for (int k = 0; k < 200; ++k) {
        CairnVec3 points[20];
        for (int i = 0; i < 20; ++i) {
            points[i] = cairn_scale(1e4, support_unit(&random));
        }
        CairnGeometry boulder = hull_of(points, 20), pebble = rock(&random, 12);
        CairnTransform pb = {{0, 0, 0}, support_quat(&random)}, pp = {{0, 0, 0}, support_quat(&random)};
        // Over the middle of a face.
        int f = support_int(&random, 0, boulder.hull->face_count - 1), e = boulder.hull->face_edges[f];
        CairnVec3 middle = {0, 0, 0}, n = cairn_rotate(pb.q, boulder.hull->normals[f]);
        for (int i = 0; i < 3; ++i) {
            middle = cairn_add_scaled(middle, 1.0 / 3, boulder.hull->vertices[boulder.hull->edges[e].origin]);
            e = boulder.hull->edges[e].next;
        }
        middle = cairn_rotate(pb.q, middle);
        CairnVec3 low = support_farthest(&pebble, pp, cairn_neg(n));
        pp.p = cairn_add_scaled(middle, -cairn_dot(n, low) - 0.01, n);
        CairnManifold m;
        cairn_narrow(&pebble, pp, &boulder, pb, 0.05, &m);
        assert_true(m.count >= 1 && m.count <= 4);
        assert_vec3_near(m.normal, cairn_neg(n), 1e-11);
        assert_near(support_least_distance(&m), -0.01, 1e-10);
        drop_geometry(&boulder);
        drop_geometry(&pebble);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_has_its_known_mass),
        cmocka_unit_test(an_octahedron_has_its_known_mass),
        cmocka_unit_test(a_tetrahedron_has_its_known_mass),
        cmocka_unit_test(an_icosahedron_has_its_known_mass),
        cmocka_unit_test(a_grid_is_a_box),
        cmocka_unit_test(random_clouds),
        cmocka_unit_test(the_predicate_is_exact),
        cmocka_unit_test(bad_points_are_refused),
        cmocka_unit_test(no_memory_is_told_and_nothing_leaks),
        cmocka_unit_test(moments_are_the_sum_of_tetrahedra),
        cmocka_unit_test(rays_box_and_reach),
        cmocka_unit_test(a_hull_of_a_box_is_a_box),
        cmocka_unit_test(stacked_cubes_hold_four_points),
        cmocka_unit_test(a_prism_stands_on_four_of_its_corners),
        cmocka_unit_test(degenerate_poses_have_an_answer),
        cmocka_unit_test(a_pebble_on_a_boulder),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
