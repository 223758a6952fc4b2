// Queries of meshes: against the solid whose surface a mesh is, against every triangle of a terrain, and behind the
// surface.
#include "tests/support/support_shapes.h"
#include <cairn/world.h>

static const CairnFilter everything = {1, UINT64_MAX};

static CairnWorld *open_world(void) {
    CairnWorldDef def = cairn_world_def();
    CairnWorld *world;
    assert_ok(cairn_world_create(&def, &world));
    return world;
}

static void add(CairnWorld *world, const CairnShapeDef *shape, CairnTransform pose) {
    CairnBodyDef body = cairn_body_def();
    body.type = CAIRN_BODY_STATIC;
    body.position = pose.p;
    body.orientation = pose.q;
    assert_ok(cairn_body_add(world, &body, shape, NULL));
}

// The surface of a box of edges 2 a, 2 b, 2 c.
static CairnVec3 box_points[8];
static const int box_indices[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                    2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

static CairnShapeDef box_surface(double a, double b, double c) {
    for (int i = 0; i < 8; i++) {
        box_points[i] = (CairnVec3){i & 1 ? a : -a, i & 2 ? b : -b, i & 4 ? c : -c};
    }
    return cairn_mesh(box_points, 8, box_indices, 36);
}

static CairnShapeDef random_probe(uint64_t *random) {
    double r = support_uniform(random, 0.05, 0.4), h = support_uniform(random, 0.1, 0.8);
    CairnShapeDef probes[] = {cairn_sphere(r), cairn_box(r, h, 0.3), cairn_cylinder(r, h), cairn_capsule(r, h)};
    CairnShapeDef def = probes[support_int(random, 0, 3)];
    def.orientation = support_quat(random);
    return def;
}

// How far from the solid a cast left the probe.
static double rest_of(const CairnWorld *world, const CairnShapeDef *probe, CairnTransform from, CairnVec3 way,
                      double share) {
    CairnClosest closest;
    bool has_one;
    from.p = cairn_add_scaled(from.p, share, way);
    assert_ok(cairn_world_closest_shape(world, probe, from, HUGE_VAL, everything, &closest, &has_one));
    assert_true(has_one);
    return closest.distance;
}

// A random box, in one world as a solid and in the other as a surface, and a random shape that is held against both.
typedef struct Twins {
    CairnWorld *solid, *surface;
    CairnShapeDef probe;
    CairnTransform there;
    CairnClosest to_solid, to_surface;
} Twins;

static void draw_twins(uint64_t *random, Twins *twins) {
    CairnVec3 half = support_vec3(random, 0.3, 1.5);
    CairnTransform pose = support_transform(random, 1);
    CairnShapeDef solid = cairn_box(2 * half.x, 2 * half.y, 2 * half.z), hollow = box_surface(half.x, half.y, half.z);
    *twins = (Twins){.solid = open_world(), .surface = open_world()};
    add(twins->solid, &solid, pose);
    add(twins->surface, &hollow, pose);
    twins->probe = random_probe(random);
    twins->there = support_transform(random, 2.5);
    bool has_one, has_other;
    assert_ok(cairn_world_closest_shape(twins->solid, &twins->probe, twins->there, HUGE_VAL, everything,
                                        &twins->to_solid, &has_one));
    assert_ok(cairn_world_closest_shape(twins->surface, &twins->probe, twins->there, HUGE_VAL, everything,
                                        &twins->to_surface, &has_other));
    assert_true(has_one && has_other);
}

static bool are_apart(const Twins *twins) {
    return twins->to_solid.distance > 1e-6;
}

static int overlaps_of_surface(const Twins *twins) {
    int found;
    assert_ok(cairn_world_overlap_shape(twins->surface, &twins->probe, twins->there, everything, NULL, 0, &found));
    return found;
}

static void drop_twins(Twins *twins) {
    cairn_world_destroy(twins->solid);
    cairn_world_destroy(twins->surface);
}

// Outside of a solid, the solid and its surface are the same to every query: to distances, to overlaps and to casts.
static void a_surface_is_as_far_as_its_solid(void **state) {
    (void)state;
    uint64_t random = 7;
    int apart = 0;
    for (int draw = 0; draw < 400; draw++) {
        Twins twins;
        draw_twins(&random, &twins);
        if (are_apart(&twins)) {
            assert_near(twins.to_surface.distance, twins.to_solid.distance, 1e-9); // as sure as round shapes get
            // The normal of round shapes is as sure as the root of rounding.
            assert_vec3_near(twins.to_surface.normal, twins.to_solid.normal, 1e-5);
            apart += 1;
        }
        drop_twins(&twins);
    }
    print_message("  %d apart\n", apart);
    assert_true(apart > 200);
}

static void a_surface_overlaps_what_its_distance_says(void **state) {
    (void)state;
    uint64_t random = 7;
    int overlapping = 0;
    for (int draw = 0; draw < 400; draw++) {
        Twins twins;
        draw_twins(&random, &twins);
        if (are_apart(&twins)) {
            assert_int_equal(overlaps_of_surface(&twins), 0);
        } else if (twins.to_surface.distance == 0) {
            assert_int_equal(overlaps_of_surface(&twins), 1);
            overlapping += 1;
        }
        drop_twins(&twins);
    }
    print_message("  %d overlap\n", overlapping);
    assert_true(overlapping > 10);
}

// A cast ends at 1e-10 of the way and the distance.
static void a_cast_meets_a_surface_where_it_meets_the_solid(void **state) {
    (void)state;
    uint64_t random = 7;
    int hits = 0, misses = 0;
    for (int draw = 0; draw < 400; draw++) {
        Twins twins;
        draw_twins(&random, &twins);
        CairnVec3 way = cairn_scale(support_uniform(&random, 1, 8), support_unit(&random));
        CairnCastHit hit, same;
        bool is_hit, is_same;
        assert_ok(cairn_world_shape_cast(twins.solid, &twins.probe, twins.there, way, everything, &hit, &is_hit));
        assert_ok(cairn_world_shape_cast(twins.surface, &twins.probe, twins.there, way, everything, &same, &is_same));
        if (are_apart(&twins)) {
            assert_int_equal(is_hit, is_same);
            hits += is_hit;
            misses += !is_hit;
        }
        if (are_apart(&twins) && is_hit) {
            assert_below(rest_of(twins.solid, &twins.probe, twins.there, way, hit.fraction), 2e-9);
            assert_below(rest_of(twins.solid, &twins.probe, twins.there, way, same.fraction), 2e-9);
            assert_near(same.fraction, hit.fraction, 1e-10);
            assert_true(rest_of(twins.solid, &twins.probe, twins.there, way, 0.99 * hit.fraction) > 0);
            assert_true(rest_of(twins.solid, &twins.probe, twins.there, way, 0.99 * same.fraction) > 0);
        }
        drop_twins(&twins);
    }
    print_message("  %d hits, %d misses\n", hits, misses);
    assert_true(hits > 20 && misses > 100);
}

// The nearest point of a triangle to p, by its corners, edges and face one after the other.
static double triangle_distance(CairnVec3 p, const CairnVec3 v[3]) {
    double least = HUGE_VAL;
    for (int i = 0; i < 3; i++) {
        CairnVec3 edge = cairn_sub(v[(i + 1) % 3], v[i]), to = cairn_sub(p, v[i]);
        double t = cairn_clamp(cairn_dot(to, edge) / cairn_length_squared(edge), 0, 1);
        least = fmin(least, cairn_length(cairn_add_scaled(to, -t, edge)));
    }
    CairnVec3 n = cairn_normalize(cairn_cross(cairn_sub(v[1], v[0]), cairn_sub(v[2], v[0])));
    bool is_over = true;
    for (int i = 0; i < 3; i++) {
        CairnVec3 inward = cairn_cross(n, cairn_sub(v[(i + 1) % 3], v[i]));
        is_over = is_over && cairn_dot(inward, cairn_sub(p, v[i])) >= 0;
    }
    return is_over ? fmin(least, fabs(cairn_dot(n, cairn_sub(p, v[0])))) : least;
}

enum { SIDE = 24 };

static CairnVec3 grid[SIDE * SIDE];
static int grid_indices[6 * (SIDE - 1) * (SIDE - 1)];

static CairnShapeDef terrain(uint64_t *random) {
    int n = 0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        grid[i] = (CairnVec3){0.5 * (i % SIDE), 0.5 * (i / SIDE), support_uniform(random, -0.4, 0.4)};
    }
    for (int j = 0; j + 1 < SIDE; j++) {
        for (int i = 0; i + 1 < SIDE; i++) {
            int a = i + SIDE * j, b = a + 1, c = a + SIDE, d = c + 1;
            const int two[6] = {a, b, d, a, d, c};
            for (int k = 0; k < 6; k++) {
                grid_indices[n++] = two[k];
            }
        }
    }
    return cairn_mesh(grid, SIDE * SIDE, grid_indices, n);
}

// Balls and points against all triangles: the tree leaves none out, from above or below.
static void nothing_of_a_terrain_is_left_out(void **state) {
    (void)state;
    uint64_t random = 11;
    CairnShapeDef mesh = terrain(&random);
    CairnWorld *world = open_world();
    CairnTransform pose = support_transform(&random, 2);
    add(world, &mesh, pose);
    int near = 0, touching = 0;
    for (int draw = 0; draw < 500; draw++) {
        CairnVec3 local = {support_uniform(&random, -2, 14), support_uniform(&random, -2, 14),
                           support_uniform(&random, -3, 3)};
        double least = HUGE_VAL;
        for (int t = 0; t < 2 * (SIDE - 1) * (SIDE - 1); t++) {
            const int *v = grid_indices + 3 * t;
            const CairnVec3 corners[3] = {grid[v[0]], grid[v[1]], grid[v[2]]};
            least = fmin(least, triangle_distance(local, corners));
        }
        CairnVec3 point = cairn_transform_point(pose, local);
        CairnClosest c;
        bool has;
        assert_ok(cairn_world_closest_point(world, point, HUGE_VAL, everything, &c, &has));
        assert_true(has);
        assert_near(c.distance, least, 1e-12);
        assert_near(cairn_length(cairn_sub(c.query_point, c.point)), least, 1e-12);
        assert_ok(cairn_world_closest_point(world, point, 0.999 * least, everything, &c, &has));
        assert_false(has);
        CairnShapeDef ball = cairn_sphere(0.5);
        int count;
        CairnTransform there = {point, {1, 0, 0, 0}};
        assert_ok(cairn_world_overlap_shape(world, &ball, there, everything, NULL, 0, &count));
        assert_int_equal(count, least <= 0.5);
        near += 1;
        touching += count;
    }
    assert_true(near == 500 && touching > 50);
    cairn_world_destroy(world);
}

// A ball dropped on a plain made of triangles, and one that comes from below.
static void casts_meet_the_front(void **state) {
    (void)state;
    static const CairnVec3 points[4] = {{-5, -5, 1}, {5, -5, 1}, {-5, 5, 1}, {5, 5, 1}};
    static const int indices[6] = {0, 1, 3, 0, 3, 2};
    CairnShapeDef plain = cairn_mesh(points, 4, indices, 6), ball = cairn_sphere(0.5);
    CairnWorld *world = open_world();
    add(world, &plain, at(0, 0, 0));
    CairnCastHit hit;
    bool has;
    assert_ok(cairn_world_shape_cast(world, &ball, at(1, 2, 5), (CairnVec3){0, 0, -10}, everything, &hit, &has));
    assert_true(has);
    assert_near(hit.fraction, 0.35, 1e-10);
    assert_vec3_near(hit.normal, ((CairnVec3){0, 0, 1}), 1e-12);
    assert_vec3_near(hit.point, ((CairnVec3){1, 2, 1}), 1e-8);
    assert_ok(cairn_world_shape_cast(world, &ball, at(1, 2, -5), (CairnVec3){0, 0, 10}, everything, &hit, &has));
    assert_false(has);
    assert_ok(cairn_world_shape_cast(world, &ball, at(1, 2, 5), (CairnVec3){0, 0, 10}, everything, &hit, &has));
    assert_false(has);
    cairn_world_destroy(world);
}

// Where a shape is, not where its frame is, says on which side of a face it begins: a hull four metres over its frame's
// origin.
static void casts_begin_where_the_shape_is(void **state) {
    (void)state;
    static const CairnVec3 points[4] = {{-20, -20, 0}, {20, -20, 0}, {20, 20, 0}, {-20, 20, 0}};
    static const int indices[6] = {0, 1, 2, 0, 2, 3};
    CairnWorld *world = open_world();
    CairnShapeDef floor = cairn_mesh(points, 4, indices, 6);
    add(world, &floor, at(0, 0, 0));
    for (int above = 0; above <= 4; above += 4) {
        CairnVec3 corners[8];
        for (int k = 0; k < 8; k++) {
            corners[k] = cairn_vec3(k & 1 ? 0.1 : -0.1, k & 2 ? 0.1 : -0.1, above + (k & 4 ? 0.1 : -0.1));
        }
        CairnShapeDef hull = cairn_hull(corners, 8);
        CairnCastHit hit;
        bool has_hit = false;
        assert_ok(cairn_world_shape_cast(world, &hull, at(0.3, 0.2, 3.0 - above), cairn_vec3(0, 0, -10), everything,
                                         &hit, &has_hit));
        assert_true(has_hit);
        assert_near(hit.fraction, 0.29, 1e-9);
    }
    cairn_world_destroy(world);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_surface_is_as_far_as_its_solid),
        cmocka_unit_test(a_surface_overlaps_what_its_distance_says),
        cmocka_unit_test(a_cast_meets_a_surface_where_it_meets_the_solid),
        cmocka_unit_test(nothing_of_a_terrain_is_left_out),
        cmocka_unit_test(casts_meet_the_front),
        cmocka_unit_test(casts_begin_where_the_shape_is),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
