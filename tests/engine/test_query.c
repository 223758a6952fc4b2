// Queries with points, boxes and shapes, against closed forms, sampling and the slow convex reference.
#include "collision/shapes/hull.h"
#include "tests/support/support_convex.h"
#include "tests/support/support_shapes.h"
#include <cairn/world.h>
#include <string.h>

enum { SHAPES = 40 };

static const CairnFilter everything = {1, UINT64_MAX};

// A world of static bodies with a shape each, and what the reference needs of them.
typedef struct Scene {
    CairnWorld *world;
    CairnShapeId ids[SHAPES];
    CairnGeometry geometries[SHAPES];
    CairnTransform poses[SHAPES];
    int count;
} Scene;

static void add(Scene *s, CairnShapeDef def, CairnTransform pose) {
    CairnBodyDef body = cairn_body_def();
    body.type = CAIRN_BODY_STATIC;
    body.position = pose.p;
    body.orientation = pose.q;
    CairnBodyId id;
    assert_ok(cairn_body_create(s->world, &body, &id));
    assert_ok(cairn_shape_create(s->world, id, &def, &s->ids[s->count]));
    s->geometries[s->count] = support_geometry(&def);
    s->poses[s->count] = cairn_transform_mul(pose, s->geometries[s->count].local);
    s->count += 1;
}

static Scene open_scene(void) {
    Scene s;
    memset(&s, 0, sizeof s);
    CairnWorldDef def = cairn_world_def();
    assert_ok(cairn_world_create(&def, &s.world));
    return s;
}

static void close_scene(Scene *s) {
    CairnAllocator allocator = cairn_memory_default();
    for (int i = 0; i < s->count; ++i) {
        cairn_geometry_free(&s->geometries[i], &allocator);
    }
    cairn_world_destroy(s->world);
}

static CairnVec3 cloud[12];

static CairnShapeDef random_def(uint64_t *random) {
    CairnShapeDef def;
    double r = support_uniform(random, 0.1, 0.6), h = support_uniform(random, 0.1, 1);
    switch (support_int(random, 0, 4)) {
    case 0:
        def = cairn_sphere(r);
        break;
    case 1:
        def = cairn_box(r, h, support_uniform(random, 0.1, 1));
        break;
    case 2:
        def = cairn_cylinder(r, h);
        break;
    case 3:
        def = cairn_capsule(r, h);
        break;
    default:
        for (int i = 0; i < 12; ++i) {
            cloud[i] = support_vec3(random, -0.6, 0.6);
        }
        def = cairn_hull(cloud, 12);
    }
    def.position = support_vec3(random, -0.3, 0.3);
    def.orientation = support_quat(random);
    return def;
}

static Scene random_scene(uint64_t *random) {
    Scene s = open_scene();
    for (int i = 0; i < 20; ++i) {
        add(&s, random_def(random), support_transform(random, 2.5));
    }
    return s;
}

static int index_of(const Scene *s, CairnShapeId id) {
    for (int i = 0; i < s->count; ++i) {
        if (s->ids[i].index == id.index) {
            return i;
        }
    }
    fail_msg("an unknown shape");
    return -1;
}

// ---- closest ----

static void closest_point_in_closed_form(void **state) {
    (void)state;
    Scene s = open_scene();
    add(&s, cairn_sphere(1), at(0, 0, 0));
    add(&s, cairn_box(2, 2, 2), at(5, 0, 0));
    add(&s, cairn_half_space(), at(0, 0, -10));
    CairnClosest c;
    bool has;
    assert_ok(cairn_world_closest_point(s.world, (CairnVec3){0, 3, 0}, 5, everything, &c, &has));
    assert_true(has);
    assert_int_equal(index_of(&s, c.shape), 0);
    assert_near(c.distance, 2, 1e-15);
    assert_vec3_near(c.point, ((CairnVec3){0, 1, 0}), 1e-15);
    assert_vec3_near(c.normal, ((CairnVec3){0, 1, 0}), 1e-15);
    assert_vec3_near(c.query_point, ((CairnVec3){0, 3, 0}), 0);
    assert_ok(cairn_world_closest_point(s.world, (CairnVec3){7, 2, 2}, 5, everything, &c, &has));
    assert_true(has);
    assert_int_equal(index_of(&s, c.shape), 1);
    assert_near(c.distance, sqrt(3), 1e-15);
    assert_vec3_near(c.point, ((CairnVec3){6, 1, 1}), 1e-15);
    assert_ok(cairn_world_closest_point(s.world, (CairnVec3){5.5, 0.5, 0.5}, 5, everything, &c, &has));
    assert_true(has);
    assert_near(c.distance, 0, 0); // inside
    assert_vec3_near(c.point, ((CairnVec3){5.5, 0.5, 0.5}), 0);
    assert_ok(cairn_world_closest_point(s.world, (CairnVec3){100, 100, -9}, 5, everything, &c, &has));
    assert_true(has);
    assert_int_equal(index_of(&s, c.shape), 2);
    assert_vec3_near(c.point, ((CairnVec3){100, 100, -10}), 1e-14);
    assert_ok(cairn_world_closest_point(s.world, (CairnVec3){100, 100, 0}, 5, everything, &c, &has));
    assert_false(has);
    CairnFilter nothing = {1, 0};
    assert_ok(cairn_world_closest_point(s.world, (CairnVec3){0, 3, 0}, 5, nothing, &c, &has));
    assert_false(has);
    close_scene(&s);
}

// The reference's signed distance of a probe to each shape; the least of them must be found, with its points on both
// surfaces.
static void closest_shape_against_the_reference(void **state) {
    (void)state;
    uint64_t random = 101;
    int apart = 0;
    const int rounds = support_rounds(12, 4);
    for (int round = 0; round < rounds; ++round) {
        Scene s = random_scene(&random);
        for (int k = 0; k < 6; ++k) {
            CairnShapeDef def = k == 0 ? cairn_sphere(0.1) : random_def(&random);
            CairnGeometry probe = support_geometry(&def);
            CairnTransform pose = support_transform(&random, 3), own = cairn_transform_mul(pose, probe.local);
            CairnClosest c;
            bool has;
            assert_ok(cairn_world_closest_shape(s.world, &def, pose, HUGE_VAL, everything, &c, &has));
            assert_true(has);
            double least = HUGE_VAL;
            for (int i = 0; i < s.count; ++i) {
                CairnVec3 n;
                least = fmin(least, support_largest_gap(&probe, own, &s.geometries[i], s.poses[i], &n));
            }
            assert_near(c.distance, fmax(least, 0), 1e-9);
            if (c.distance > 0) {
                apart += 1;
                int i = index_of(&s, c.shape);
                assert_near(support_depth(&probe, own, c.query_point), 0,
                            1e-7); // a curved shape's point slides along its surface
                assert_near(support_depth(&s.geometries[i], s.poses[i], c.point), 0, 1e-7);
                assert_near(cairn_length(cairn_sub(c.query_point, c.point)), c.distance, 1e-9);
                CairnClosest again;
                assert_ok(cairn_world_closest_shape(s.world, &def, pose, 0.999 * c.distance, everything, &again, &has));
                assert_false(has);
            }
            CairnAllocator allocator = cairn_memory_default();
            cairn_geometry_free(&probe, &allocator);
        }
        close_scene(&s);
    }
    assert_true(apart > support_rounds(10, 2));
}

// ---- overlap ----

static void overlap_against_the_reference(void **state) {
    (void)state;
    uint64_t random = 102;
    int hits = 0;
    const int rounds = support_rounds(12, 4);
    for (int round = 0; round < rounds; ++round) {
        Scene s = random_scene(&random);
        for (int k = 0; k < 6; ++k) {
            CairnVec3 low = support_vec3(&random, -1.5, 0.5), high = cairn_add(low, support_vec3(&random, 0, 1.5));
            CairnShapeDef def = k % 2 ? random_def(&random) : cairn_box(high.x - low.x, high.y - low.y, high.z - low.z);
            CairnTransform pose = k % 2 ? support_transform(&random, 1.2)
                                        : (CairnTransform){cairn_scale(0.5, cairn_add(low, high)), {1, 0, 0, 0}};
            CairnGeometry probe = support_geometry(&def);
            CairnFound found[SHAPES];
            int count = -1;
            if (k % 2) {
                assert_ok(cairn_world_overlap_shape(s.world, &def, pose, everything, found, SHAPES, &count));
            } else {
                assert_ok(cairn_world_overlap_box(s.world, low, high, everything, found, SHAPES, &count));
            }
            int next = 0;
            for (int i = 0; i < s.count; ++i) {
                CairnVec3 n;
                bool is_found = next < count && found[next].shape.index == s.ids[i].index;
                double gap = support_largest_gap(&probe, cairn_transform_mul(pose, probe.local), &s.geometries[i],
                                                 s.poses[i], &n);
                if (fabs(gap) > 1e-8) {
                    assert_int_equal(is_found, gap < 0);
                }
                next += is_found ? 1 : 0;
            }
            assert_int_equal(next, count);
            hits += count;
            CairnFound few[1];
            int again;
            assert_ok(cairn_world_overlap_shape(s.world, &def, pose, everything, few, 1, &again));
            assert_int_equal(again, count); // how many there are, not how many fit
            assert_ok(cairn_world_overlap_shape(s.world, &def, pose, everything, NULL, 0, &again));
            assert_int_equal(again, count);
            CairnAllocator allocator = cairn_memory_default();
            cairn_geometry_free(&probe, &allocator);
        }
        close_scene(&s);
    }
    assert_true(hits > support_rounds(30, 4));
}

static void a_box_without_size_is_a_point(void **state) {
    (void)state;
    Scene s = open_scene();
    add(&s, cairn_sphere(1), at(0, 0, 0));
    add(&s, cairn_half_space(), at(0, 0, 0.5));
    CairnVec3 p = {0.5, 0, 0}, q = {0, 0, 0.75}, r = {0, 0, 2};
    int count;
    assert_ok(cairn_world_overlap_box(s.world, p, p, everything, NULL, 0, &count));
    assert_int_equal(count, 2);
    assert_ok(cairn_world_overlap_box(s.world, q, q, everything, NULL, 0, &count));
    assert_int_equal(count, 1);
    assert_ok(cairn_world_overlap_box(s.world, r, r, everything, NULL, 0, &count));
    assert_int_equal(count, 0);
    close_scene(&s);
}

// ---- cast ----

static void casts_in_closed_form(void **state) {
    (void)state;
    Scene s = open_scene();
    add(&s, cairn_box(1, 10, 10), at(5, 0, 0));
    add(&s, cairn_half_space(), at(0, 0, -3));
    add(&s, cairn_sphere(1), at(0, 8, 0));
    CairnShapeDef ball = cairn_sphere(0.5), rod = cairn_capsule(0.25, 2), cube = cairn_box(1, 1, 1);
    CairnCastHit hit;
    bool has;
    assert_ok(cairn_world_shape_cast(s.world, &ball, at(0, 0, 0), (CairnVec3){10, 0, 0}, everything, &hit, &has));
    assert_true(has);
    assert_near(hit.fraction, 0.4, 1e-10);
    assert_vec3_near(hit.point, ((CairnVec3){4.5, 0, 0}), 1e-8);
    assert_vec3_near(hit.normal, ((CairnVec3){-1, 0, 0}), 1e-12);
    assert_ok(cairn_world_shape_cast(s.world, &rod, at(0, 0, 0), (CairnVec3){0, 0, -10}, everything, &hit, &has));
    assert_true(has);
    assert_near(hit.fraction, 0.175, 1e-10); // 3 - 1.25 of 10
    assert_vec3_near(hit.normal, ((CairnVec3){0, 0, 1}), 1e-15);
    assert_ok(cairn_world_shape_cast(s.world, &cube, at(0, 0, 0), (CairnVec3){0, 10, 0}, everything, &hit, &has));
    assert_true(has);
    assert_near(hit.fraction, 0.65, 1e-10); // 8 - 1 - 0.5 of 10
    assert_ok(
        cairn_world_shape_cast(s.world, &ball, at(0, 9.25 - 2.5, 0), (CairnVec3){0, -10, 0}, everything, &hit, &has));
    assert_true(has); // overlaps from the start
    assert_near(hit.fraction, 0, 0);
    assert_ok(cairn_world_shape_cast(s.world, &ball, at(0, 0, 0), (CairnVec3){-10, 0, 0}, everything, &hit, &has));
    assert_false(has);
    assert_ok(cairn_world_shape_cast(s.world, &ball, at(0, 0, 0), (CairnVec3){3.99, 0, 0}, everything, &hit, &has));
    assert_false(has);
    // Past the sphere at a hair's breadth, and into it by one.
    CairnVec3 way = {20, 0, 0};
    assert_ok(cairn_world_shape_cast(s.world, &ball, at(-10, 8 + 1.5 + 1e-6, 0), (CairnVec3){14, 0, 0}, everything,
                                     &hit, &has));
    assert_false(has);
    assert_ok(cairn_world_shape_cast(s.world, &ball, at(-10, 8 + 1.5 - 1e-6, 0), way, everything, &hit, &has));
    assert_true(has);
    assert_near(hit.fraction * 20, 10 - sqrt(1.5 * 1.5 - (1.5 - 1e-6) * (1.5 - 1e-6)), 2e-6);
    close_scene(&s);
}

// Before the hit the probe touches nothing, at the hit it does; without one it touches nothing all the way.
static void casts_against_the_reference(void **state) {
    (void)state;
    uint64_t random = 103;
    int hits = 0, misses = 0;
    const int rounds = support_rounds(12, 4);
    for (int round = 0; round < rounds; ++round) {
        Scene s = random_scene(&random);
        for (int k = 0; k < 6; ++k) {
            CairnShapeDef def = random_def(&random);
            CairnGeometry probe = support_geometry(&def);
            CairnTransform pose = support_transform(&random, 1);
            CairnVec3 way = cairn_scale(support_uniform(&random, 1, 9), support_unit(&random));
            pose.p = cairn_add_scaled(pose.p, -0.5, way);
            pose.p = cairn_add(pose.p, cairn_scale(4, support_unit(&random)));
            CairnCastHit hit;
            bool has;
            assert_ok(cairn_world_shape_cast(s.world, &def, pose, way, everything, &hit, &has));
            double fraction = has ? hit.fraction : 1;
            for (int step = 0; step <= 4; ++step) {
                CairnTransform there = pose;
                there.p = cairn_add_scaled(pose.p, fraction * step / 4, way);
                there = cairn_transform_mul(there, probe.local);
                double least = HUGE_VAL;
                for (int i = 0; i < s.count; ++i) {
                    CairnVec3 n;
                    double gap = support_largest_gap(&probe, there, &s.geometries[i], s.poses[i], &n);
                    least = fmin(least, gap);
                }
                if (has && hit.fraction > 0) {
                    assert_true(least > -1e-8);
                }
                if (has && step == 4) {
                    assert_below(least, 1e-7);
                }
            }
            hits += has;
            misses += !has;
            CairnAllocator allocator = cairn_memory_default();
            cairn_geometry_free(&probe, &allocator);
        }
        close_scene(&s);
    }
    assert_true(hits > support_rounds(5, 1) && misses > support_rounds(5, 1));
}

// ---- refusals ----

static void bad_queries_are_refused_by_name(void **state) {
    (void)state;
    Scene s = open_scene();
    CairnShapeDef ball = cairn_sphere(1), bad = cairn_sphere(-1), plane = cairn_half_space(), bare;
    memset(&bare, 0, sizeof bare);
    const double nan = (double)NAN;
    CairnVec3 o = {0, 0, 0}, broken = {0, nan, 0};
    CairnTransform here = at(0, 0, 0), lost = at(0, nan, 0), skew = {{0, 0, 0}, {2, 0, 0, 0}};
    CairnFound found[1];
    CairnClosest c;
    CairnCastHit hit;
    int count;
    bool has;
    const CairnWorld *w = s.world;
#define REFUSED(call, part) assert_refused(call, CAIRN_INVALID_ARGUMENT, part)
    REFUSED(cairn_world_overlap_box(NULL, o, o, everything, found, 1, &count), "world is NULL");
    REFUSED(cairn_world_overlap_box(w, o, o, everything, found, 1, NULL), "count is NULL");
    REFUSED(cairn_world_overlap_box(w, broken, o, everything, found, 1, &count), "low is (0, nan, 0)");
    REFUSED(cairn_world_overlap_box(w, o, broken, everything, found, 1, &count), "high is (0, nan, 0)");
    REFUSED(cairn_world_overlap_box(w, (CairnVec3){1, 0, 0}, o, everything, found, 1, &count), "low is (1, 0, 0)");
    REFUSED(cairn_world_overlap_box(w, o, o, everything, NULL, 1, &count), "found is NULL");
    REFUSED(cairn_world_overlap_box(w, o, o, everything, found, -1, &count), "capacity is -1");
    REFUSED(cairn_world_overlap_shape(w, NULL, here, everything, found, 1, &count), "shape is NULL");
    REFUSED(cairn_world_overlap_shape(w, &bad, here, everything, found, 1, &count), "radius");
    REFUSED(cairn_world_overlap_shape(w, &bare, here, everything, found, 1, &count), "cookie");
    REFUSED(cairn_world_overlap_shape(w, &plane, here, everything, found, 1, &count), "half_space");
    REFUSED(cairn_world_overlap_shape(w, &ball, lost, everything, found, 1, &count), "pose.p is (0, nan, 0)");
    REFUSED(cairn_world_overlap_shape(w, &ball, skew, everything, found, 1, &count), "pose.q is (2, 0, 0, 0)");
    REFUSED(cairn_world_closest_point(w, broken, 1, everything, &c, &has), "point is (0, nan, 0)");
    REFUSED(cairn_world_closest_point(w, o, -1, everything, &c, &has), "max_distance is -1");
    REFUSED(cairn_world_closest_point(w, o, nan, everything, &c, &has), "max_distance is nan");
    REFUSED(cairn_world_closest_point(w, o, 1, everything, NULL, &has), "closest is NULL");
    REFUSED(cairn_world_closest_point(w, o, 1, everything, &c, NULL), "has_closest is NULL");
    REFUSED(cairn_world_closest_shape(w, &plane, here, 1, everything, &c, &has), "half_space");
    REFUSED(cairn_world_closest_shape(w, &ball, skew, 1, everything, &c, &has), "pose.q");
    REFUSED(cairn_world_shape_cast(w, &ball, here, broken, everything, &hit, &has), "way is (0, nan, 0)");
    REFUSED(cairn_world_shape_cast(w, &bad, here, o, everything, &hit, &has), "radius");
    REFUSED(cairn_world_shape_cast(w, &ball, here, o, everything, NULL, &has), "hit is NULL");
    REFUSED(cairn_world_shape_cast(w, &ball, lost, o, everything, &hit, &has), "pose.p");
#undef REFUSED
    close_scene(&s);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closest_point_in_closed_form),
        cmocka_unit_test(closest_shape_against_the_reference),
        cmocka_unit_test(overlap_against_the_reference),
        cmocka_unit_test(a_box_without_size_is_a_point),
        cmocka_unit_test(casts_in_closed_form),
        cmocka_unit_test(casts_against_the_reference),
        cmocka_unit_test(bad_queries_are_refused_by_name),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
