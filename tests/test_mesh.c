// Triangle meshes and height grids: what is refused, the tree, rays, and contact that does not feel its seams.
#include "collision/convex.h"
#include "collision/mesh.h"
#include "collision/mesh_body.h"
#include "engine/base/mat3.h"
#include "engine/base/memory.h"
#include "tests/support_geometry.h"
#include "tests/support_motion.h"
#include "tests/support_worlds.h"
#include <stdlib.h>
#include <string.h>

static const double frame = 1.0 / 60;

// ---- meshes ----

typedef struct Terrain {
    CairnVec3 *points;
    int *indices;
    double *heights;
    CairnShapeDef def;
} Terrain;

// n x n cells of this size about the origin; the heights come from the caller.
static Terrain terrain(int n, double cell, double (*height)(double x, double y)) {
    CairnHeightGrid grid = {n + 1, n + 1, cell, cell, NULL};
    Terrain t;
    t.heights = calloc((size_t)cairn_height_grid_points(grid), sizeof *t.heights);
    t.points = calloc((size_t)cairn_height_grid_points(grid), sizeof *t.points);
    t.indices = calloc((size_t)cairn_height_grid_indices(grid), sizeof *t.indices);
    assert_true(t.heights != NULL && t.points != NULL && t.indices != NULL);
    for (int k = 0; k < cairn_height_grid_points(grid); k++) {
        int column = k % (n + 1), row = k / (n + 1);
        t.heights[k] = height(cell * (column - 0.5 * n), cell * (row - 0.5 * n));
    }
    grid.heights = t.heights;
    assert_ok(cairn_height_field(grid, t.points, t.indices, &t.def));
    t.def.position = cairn_vec3(-0.5 * n * cell, -0.5 * n * cell, 0);
    return t;
}

static void drop_terrain(Terrain *t) {
    free(t->points);
    free(t->indices);
    free(t->heights);
}

static double level(double x, double y) {
    (void)x, (void)y;
    return 0;
}

static double bumps(double x, double y) {
    return 0.3 * sin(1.7 * x) * cos(1.3 * y) + 0.1 * sin(5.1 * x + 2.3 * y);
}

static double slope(double x, double y) {
    (void)y;
    return 0.25 * x;
}

static double valley(double x, double y) {
    (void)y;
    return fabs(x);
}

static double ridge(double x, double y) {
    (void)y;
    return -fabs(x);
}

static void drop_geometry(CairnGeometry *geometry) {
    CairnAllocator allocator = cairn_memory_default();
    cairn_geometry_free(geometry, &allocator);
}

static CairnTransform at(CairnVec3 p) {
    return (CairnTransform){p, {1, 0, 0, 0}};
}

// A cube of side 2 about the origin, as 12 triangles.
static const CairnVec3 cube_points[8] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                         {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
static const int cube_indices[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                     2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};

// ---- refusals ----

static void bad_meshes_are_refused(void **state) {
    (void)state;
    const CairnVec3 good[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {2, 0, 0}};
    const CairnVec3 not_finite[3] = {{0, 0, 0}, {1, (double)NAN, 0}, {0, 1, 0}};
    const CairnVec3 infinite[3] = {{0, 0, 0}, {1, 0, 0}, {0, (double)INFINITY, 0}};
    const CairnVec3 far_away[3] = {{0, 0, 0}, {1, 0, 0}, {0, 2e9, 0}};
    const int fine[3] = {0, 1, 2}, high[6] = {0, 1, 2, 0, 1, 4}, negative[3] = {0, -1, 2};
    const int in_line[6] = {0, 1, 2, 0, 1, 3}, doubled[6] = {0, 1, 2, 1, 2, 1};
    CairnBodyDef body = cairn_body_def();
    CairnWorld *world = motion_world(NULL);
    const struct {
        const CairnVec3 *points;
        int point_count;
        const int *indices;
        int index_count;
        const char *part;
    } cases[] = {
        {NULL, 3, fine, 3, "points of a mesh = NULL"},
        {good, 3, NULL, 3, "indices of a mesh = NULL"},
        {good, 0, fine, 3, "point_count = 0"},
        {good, 2, fine, 3, "point_count = 2"},
        {good, -1, fine, 3, "point_count = -1"},
        {good, 3, fine, 0, "index_count = 0"},
        {good, 3, fine, -3, "index_count = -3"},
        {good, 3, fine, 2, "index_count = 2"},
        {good, 4, high, 5, "index_count = 5"},
        {good, 4, high, 6, "indices[5] = 4 of a mesh (triangle 1) must be in [0, 3]"},
        {good, 3, negative, 3, "indices[1] = -1 of a mesh (triangle 0)"},
        {good, 4, in_line, 6, "triangle 1 (indices 0, 1, 3) of a mesh is degenerate"},
        {good, 4, doubled, 6, "triangle 1 (indices 1, 2, 1) of a mesh is degenerate"},
        {not_finite, 3, fine, 3, "points[1] = (1, nan, 0) of a mesh"},
        {infinite, 3, fine, 3, "points[2] = (0, inf, 0) of a mesh"},
        {far_away, 3, fine, 3, "points[2] = (0, 2e+09, 0) of a mesh"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        CairnShapeDef def = cairn_mesh(cases[k].points, cases[k].point_count, cases[k].indices, cases[k].index_count);
        assert_refused(cairn_body_add(world, &body, &def, NULL), CAIRN_INVALID_ARGUMENT, cases[k].part);
    }
    cairn_world_destroy(world);
}

static void bad_grids_are_refused(void **state) {
    (void)state;
    const double heights[4] = {0, 0, 0, 0}, broken[4] = {0, 0, (double)NAN, 0};
    CairnVec3 points[4];
    int indices[6];
    CairnShapeDef def;
    const struct {
        CairnHeightGrid grid;
        const char *part;
    } cases[] = {
        {{1, 2, 1, 1, heights}, "columns = 1"},        {{2, -4, 1, 1, heights}, "rows = -4"},
        {{2, 5000, 1, 1, heights}, "rows = 5000"},     {{2, 2, 0, 1, heights}, "dx = 0"},
        {{2, 2, 1, (double)NAN, heights}, "dy = nan"}, {{2, 2, 1, 1, NULL}, "heights = NULL"},
        {{2, 2, 1, 1, broken}, "heights[2] = nan"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        assert_refused(cairn_height_field(cases[k].grid, points, indices, &def), CAIRN_INVALID_ARGUMENT, cases[k].part);
    }
    CairnHeightGrid grid = {2, 2, 1, 1, heights};
    assert_refused(cairn_height_field(grid, NULL, indices, &def), CAIRN_INVALID_ARGUMENT, "points = NULL");
    assert_refused(cairn_height_field(grid, points, indices, NULL), CAIRN_INVALID_ARGUMENT, "def = NULL");
}

// A mesh has no mass: static and kinematic bodies carry it, and stay what they are.
static void only_fixed_bodies_carry_a_mesh(void **state) {
    (void)state;
    CairnWorld *world = motion_world(NULL);
    CairnShapeDef def = cairn_mesh(cube_points, 8, cube_indices, 36);
    CairnBodyDef body = cairn_body_def();
    body.type = CAIRN_DYNAMIC;
    assert_refused(cairn_body_add(world, &body, &def, NULL), CAIRN_INVALID_ARGUMENT, "mesh");
    CairnBodyId id;
    body.type = CAIRN_KINEMATIC;
    assert_ok(cairn_body_add(world, &body, &def, &id));
    assert_refused(cairn_body_set_type(world, id, CAIRN_DYNAMIC), CAIRN_INVALID_ARGUMENT, "mesh");
    CairnShapeId shape;
    CairnShapeDef kept;
    assert_int_equal(cairn_body_shapes(world, id, &shape, 1), 1);
    assert_ok(cairn_shape_get(world, shape, &kept, NULL));
    assert_true(kept.points != cube_points && kept.indices != cube_indices);
    assert_int_equal(kept.point_count, 8);
    assert_int_equal(kept.index_count, 36);
    assert_memory_equal(kept.points, cube_points, sizeof cube_points);
    assert_memory_equal(kept.indices, cube_indices, sizeof cube_indices);
    cairn_world_destroy(world);
}

// ---- what the mesh knows of itself ----

static void neighbours_and_flats(void **state) {
    (void)state;
    CairnShapeDef def = cairn_mesh(cube_points, 8, cube_indices, 36);
    CairnGeometry cube = support_geometry(&def);
    const CairnSurface *s = cube.surface;
    assert_int_equal(s->flat_count, 6);
    assert_int_equal(s->edge_count, 18);
    for (int t = 0; t < 12; t++) {
        int seams = 0;
        for (int k = 0; k < 3; k++) {
            assert_true(s->facets[t].neighbor[k] >= 0);
            seams += s->facets[t].kind[k] == CAIRN_EDGE_SEAM;
            assert_true(s->facets[t].kind[k] == CAIRN_EDGE_SEAM || s->facets[t].kind[k] == CAIRN_EDGE_CONVEX);
        }
        assert_int_equal(seams, 1);
    }
    drop_geometry(&cube);
    // The same with points of its own for each triangle: joined by place.
    CairnVec3 loose[36];
    int numbers[36];
    for (int k = 0; k < 36; k++) {
        loose[k] = cube_points[cube_indices[k]];
        numbers[k] = k;
    }
    def = cairn_mesh(loose, 36, numbers, 36);
    cube = support_geometry(&def);
    assert_int_equal(cube.surface->flat_count, 6);
    assert_int_equal(cube.surface->edge_count, 18);
    drop_geometry(&cube);
    Terrain t = terrain(16, 1, valley);
    CairnGeometry g = support_geometry(&t.def);
    assert_int_equal(g.surface->flat_count, 2);
    drop_geometry(&g);
    drop_terrain(&t);
}

static CairnGeometry soup(uint64_t *random, CairnVec3 *points, int *indices, int triangles) {
    for (int k = 0; k < triangles; k++) {
        CairnVec3 middle = support_vec3(random, -10, 10);
        double size = pow(10, support_uniform(random, -2, 0.7));
        for (int i = 0; i < 3; i++) {
            points[3 * k + i] = cairn_add(middle, support_vec3(random, -size, size));
            indices[3 * k + i] = 3 * k + i;
        }
    }
    CairnShapeDef def = cairn_mesh(points, 3 * triangles, indices, 3 * triangles);
    return support_geometry(&def);
}

enum { SOUP = 700 };

static void the_tree_finds_what_brute_force_finds(void **state) {
    (void)state;
    static CairnVec3 points[3 * SOUP];
    static int indices[3 * SOUP];
    uint64_t random = 11;
    for (int round = 0; round < 20; round++) {
        int triangles = round < 6 ? round + 1 : SOUP;
        CairnGeometry g = soup(&random, points, indices, triangles);
        assert_true(g.surface->node_count <= 2 * triangles);
        for (int query = 0; query < 100; query++) {
            CairnVec3 p = support_vec3(&random, -12, 12);
            double size = query % 10 == 0 ? 0 : pow(10, support_uniform(&random, -2, 1));
            CairnAabb box = {p, cairn_add(p, support_vec3(&random, 0, size))};
            bool found[SOUP] = {false};
            CairnMeshWalk walk;
            cairn_mesh_walk_begin(g.surface, box, &walk);
            for (int t = cairn_mesh_walk_next(&walk); t >= 0; t = cairn_mesh_walk_next(&walk)) {
                assert_false(found[t]);
                found[t] = true;
            }
            for (int t = 0; t < triangles; t++) {
                CairnAabb own = cairn_surface_triangle_box(g.surface, t);
                bool meets = own.low.x <= box.high.x && box.low.x <= own.high.x && own.low.y <= box.high.y &&
                             box.low.y <= own.high.y && own.low.z <= box.high.z && box.low.z <= own.high.z;
                assert_int_equal(found[t], meets);
            }
        }
        drop_geometry(&g);
    }
}

// ---- rays ----

// Moeller and Trumbore 1997, front faces only; a hair within the border, where rounding may not decide.
static double ray_brute(const CairnSurface *s, CairnVec3 o, CairnVec3 d, double border) {
    double nearest = HUGE_VAL;
    for (int t = 0; t < s->triangle_count; t++) {
        CairnVec3 a = s->points[s->indices[3 * t]], u = cairn_sub(s->points[s->indices[3 * t + 1]], a);
        CairnVec3 v = cairn_sub(s->points[s->indices[3 * t + 2]], a), p = cairn_cross(d, v), w = cairn_sub(o, a);
        double det = cairn_dot(u, p);
        if (det <= 0) {
            continue;
        }
        double x = cairn_dot(w, p) / det, y = cairn_dot(d, cairn_cross(w, u)) / det;
        double z = cairn_dot(v, cairn_cross(w, u)) / det;
        if (x >= border && y >= border && x + y <= 1 - border && z >= 0 && z < nearest) {
            nearest = z;
        }
    }
    return nearest;
}

static void rays_meet_what_brute_force_meets(void **state) {
    (void)state;
    static CairnVec3 points[3 * SOUP];
    static int indices[3 * SOUP];
    uint64_t random = 12;
    CairnGeometry g = soup(&random, points, indices, SOUP);
    int hits = 0;
    for (int k = 0; k < 5000; k++) {
        CairnVec3 o = support_vec3(&random, -15, 15), d = support_unit(&random), normal;
        double distance = HUGE_VAL;
        bool is_hit = cairn_geometry_ray(&g, at(cairn_vec3(0, 0, 0)), o, d, HUGE_VAL, &distance, &normal);
        assert_true(distance >= ray_brute(g.surface, o, d, -1e-12) - 1e-9);
        assert_true(distance <= ray_brute(g.surface, o, d, 1e-12) + 1e-9);
        assert_true(!is_hit || cairn_dot(normal, d) < 0);
        hits += is_hit;
    }
    assert_true(hits > 200);
    drop_geometry(&g);
}

// From above, exactly at corners and along edges: nothing slips through, from below nothing is met.
static void no_ray_slips_through_a_seam(void **state) {
    (void)state;
    uint64_t random = 13;
    Terrain t = terrain(12, 0.1, bumps);
    CairnGeometry g = support_geometry(&t.def);
    const CairnSurface *s = g.surface;
    for (int k = 0; k < 4000; k++) {
        const int *v = s->indices + 3 * support_int(&random, 0, s->triangle_count - 1);
        double share = k % 3 == 0 ? 0 : support_uniform(&random, 0, 1);
        CairnVec3 a = s->points[v[0]], b = s->points[v[1]];
        CairnVec3 target = cairn_add_scaled(a, share, cairn_sub(b, a));
        bool is_border = target.x <= 0 || target.y <= 0 || target.x >= 1.2 - 1e-9 || target.y >= 1.2 - 1e-9;
        CairnVec3 away = {support_uniform(&random, -0.1, 0.1), support_uniform(&random, -0.1, 0.1), 1};
        away = cairn_normalize(away);
        CairnVec3 o = cairn_add_scaled(target, 5, away), normal;
        double distance;
        if (!is_border) {
            assert_true(cairn_geometry_ray(&g, at(cairn_vec3(0, 0, 0)), o, cairn_neg(away), 10, &distance, &normal));
            assert_near(distance, 5, 1e-12);
        }
        o = cairn_add_scaled(target, -5, away);
        assert_false(cairn_geometry_ray(&g, at(cairn_vec3(0, 0, 0)), o, away, 10, &distance, &normal));
    }
    drop_geometry(&g);
    drop_terrain(&t);
}

// ---- contact ----

// The distance of a convex shape from the nearest triangle, each asked alone.
static double distance_brute(const CairnSurface *s, const CairnGeometry *shape, CairnTransform pose) {
    double nearest = HUGE_VAL;
    CairnConvex b = cairn_convex(shape, cairn_mat3_of_quat(pose.q), pose.p);
    for (int t = 0; t < s->triangle_count; t++) {
        CairnVec3 corners[3];
        for (int i = 0; i < 3; i++) {
            corners[i] = s->points[s->indices[3 * t + i]];
        }
        CairnTriangleHull hull;
        cairn_hull_of_triangle(&hull, corners, s->flats[s->facets[t].flat].normal);
        CairnConvex a = {.type = CAIRN_HULL, .hull = &hull.hull, .r = cairn_mat3_diagonal(1, 1, 1)};
        a.size = hull.hull.size + cairn_length(hull.hull.center);
        CairnNearest answer;
        cairn_gjk(&a, &b, HUGE_VAL, &answer);
        nearest = fmin(nearest, answer.is_touching ? 0 : answer.distance);
    }
    return nearest - b.rounding;
}

static double deepest_of(const CairnManifold *parts, int count) {
    double depth = HUGE_VAL;
    for (int k = 0; k < count; k++) {
        for (int i = 0; i < parts[k].count; i++) {
            depth = fmin(depth, parts[k].points[i].distance);
        }
    }
    return depth;
}

static void check_parts(const CairnManifold *parts, int count, double margin) {
    for (int k = 0; k < count; k++) {
        assert_near(cairn_length(parts[k].normal), 1, 1e-12);
        assert_true(parts[k].count >= 1 && parts[k].count <= 4);
        for (int j = 0; j < k; j++) {
            assert_int_not_equal(parts[k].part, parts[j].part);
        }
        for (int i = 0; i < parts[k].count; i++) {
            assert_true(parts[k].points[i].distance < margin);
            assert_true(cairn_vec3_is_finite(parts[k].points[i].point));
        }
    }
}

// Above rough ground the nearest contact is as near as the nearest triangle: exactly for balls, and for flat sides within what a
// face may stand for (1.8 degrees).
static void the_nearest_contact_is_the_nearest_triangle(void **state) {
    (void)state;
    uint64_t random = 14;
    Terrain t = terrain(24, 0.25, bumps);
    t.def.position = cairn_vec3(0, 0, 0);
    CairnGeometry mesh = support_geometry(&t.def);
    CairnShapeDef defs[4] = {cairn_sphere(0.4), cairn_capsule(0.2, 0.7), cairn_box(0.5, 0.7, 0.9),
                             cairn_cylinder(0.3, 0.8)};
    int met = 0, rounds = support_is_long() ? 100000 : 1000;
    for (int k = 0; k < rounds; k++) {
        CairnGeometry shape = support_geometry(&defs[k % 4]);
        double x = support_uniform(&random, 1.2, 4.8), y = support_uniform(&random, 1.2, 4.8);
        CairnTransform pose = {{x, y, bumps(x - 3, y - 3) + support_uniform(&random, 0.3, 0.8)}, support_quat(&random)};
        double truth = distance_brute(mesh.surface, &shape, pose), margin = 0.3;
        if (truth <= 0 || truth >= margin) {
            continue;
        }
        CairnManifold parts[CAIRN_MANIFOLDS];
        int count = cairn_narrow_parts(&shape, pose, &mesh, at(cairn_vec3(0, 0, 0)), margin, parts);
        check_parts(parts, count, margin);
        double found = deepest_of(parts, count);
        assert_near(found, truth, k % 4 == 0 ? 1e-12 : 0.02);
        met += 1;
        // Turned round, the same with the other sign.
        CairnManifold others[CAIRN_MANIFOLDS];
        assert_int_equal(cairn_narrow_parts(&mesh, at(cairn_vec3(0, 0, 0)), &shape, pose, margin, others), count);
        for (int j = 0; j < count; j++) {
            assert_vec3_near(others[j].normal, cairn_neg(parts[j].normal), 0);
        }
    }
    assert_true(met > rounds / 4);
    drop_geometry(&mesh);
    drop_terrain(&t);
}

// Nothing changes when everything is turned and moved together.
static void contact_moves_with_the_mesh(void **state) {
    (void)state;
    uint64_t random = 15;
    Terrain t = terrain(10, 0.4, bumps);
    CairnGeometry mesh = support_geometry(&t.def);
    CairnShapeDef defs[3] = {cairn_sphere(0.4), cairn_box(0.5, 0.7, 0.9), cairn_cylinder(0.3, 0.8)};
    for (int k = 0; k < 300; k++) {
        CairnGeometry shape = support_geometry(&defs[k % 3]);
        CairnTransform pose = {
            {support_uniform(&random, 1, 3), support_uniform(&random, 1, 3), support_uniform(&random, 0, 1)},
            support_quat(&random)};
        CairnTransform move = support_transform(&random, 10);
        CairnManifold parts[CAIRN_MANIFOLDS], moved[CAIRN_MANIFOLDS];
        int count = cairn_narrow_parts(&shape, pose, &mesh, at(cairn_vec3(0, 0, 0)), 0.1, parts);
        int again = cairn_narrow_parts(&shape, cairn_transform_mul(move, pose), &mesh, move, 0.1, moved);
        assert_int_equal(count, again);
        for (int j = 0; j < count; j++) {
            assert_int_equal(parts[j].part, moved[j].part);
            assert_int_equal(parts[j].count, moved[j].count);
            CairnVec3 turned = cairn_rotate(move.q, parts[j].normal);
            assert_vec3_near(turned, moved[j].normal, k % 3 == 2 ? 1e-5 : 1e-9); // round optima: the root of rounding
            double tilt =
                cairn_length(cairn_sub(turned, moved[j].normal)); // at an arm below 1 m it moves a point by this
            for (int i = 0; i < parts[j].count; i++) {
                assert_near(parts[j].points[i].distance, moved[j].points[i].distance, k % 3 == 2 ? 1e-9 + tilt : 1e-11);
                assert_int_equal(parts[j].points[i].feature, moved[j].points[i].feature);
            }
        }
    }
    drop_geometry(&mesh);
    drop_terrain(&t);
}

static void edges_and_corners_of_a_cube(void **state) {
    (void)state;
    CairnShapeDef def = cairn_mesh(cube_points, 8, cube_indices, 36), ball = cairn_sphere(0.5);
    CairnGeometry cube = support_geometry(&def), shape = support_geometry(&ball);
    CairnTransform here = at(cairn_vec3(0, 0, 0));
    CairnManifold parts[CAIRN_MANIFOLDS];
    uint64_t random = 16;
    for (int k = 0; k < 2000; k++) { // as against a box: one contact, towards the nearest point of the cube
        CairnVec3 c = support_vec3(&random, -1.6, 1.6);
        CairnVec3 q = {cairn_clamp(c.x, -1, 1), cairn_clamp(c.y, -1, 1), cairn_clamp(c.z, -1, 1)};
        double distance = cairn_length(cairn_sub(c, q));
        if (distance < 1e-3) {
            continue;
        }
        int count = cairn_narrow_parts(&cube, here, &shape, at(c), 0.1, parts);
        assert_int_equal(count, distance - 0.5 < 0.1 ? 1 : 0);
        if (count == 1) {
            assert_int_equal(parts[0].count, 1);
            assert_near(parts[0].points[0].distance, distance - 0.5, 1e-12);
            assert_vec3_near(parts[0].normal, cairn_scale(1 / distance, cairn_sub(c, q)), 1e-9);
        }
    }
    // A box on the top that stands over two sides: its four corners' share of the top, and nothing of the sides.
    CairnShapeDef block = cairn_box(1, 1, 1);
    CairnGeometry box = support_geometry(&block);
    for (int k = 0; k < 400; k++) {
        double sink = k % 4 == 0 ? 0 : k % 4 == 1 ? 1e-7 : k % 4 == 2 ? 1e-4 : -0.01;
        CairnVec3 c = {support_uniform(&random, 0.6, 1.4), support_uniform(&random, -1.4, 1.4), 1.5 - sink};
        int count = cairn_narrow_parts(&cube, here, &box, at(c), 0.02, parts);
        assert_int_equal(count, 1);
        assert_vec3_near(parts[0].normal, cairn_vec3(0, 0, 1), 0);
        assert_int_equal(parts[0].count, 4);
        for (int i = 0; i < 4; i++) {
            assert_near(parts[0].points[i].distance, -sink, 1e-15);
            assert_true(parts[0].points[i].point.x <= 1 + 1e-9);
        }
    }
    // Edge across edge.
    CairnTransform turned = {{1, 0, 1}, cairn_quat_axis_angle(cairn_vec3(0, 1, 0), CAIRN_PI / 4)};
    turned.q = cairn_quat_mul(turned.q, cairn_quat_axis_angle(cairn_vec3(0, 0, 1), CAIRN_PI / 4));
    for (int k = -1; k <= 1; k++) {
        double gap = 1e-3 * k, reach = sqrt(0.5) + gap;
        turned.p = cairn_add_scaled(cairn_vec3(1, 0.2, 1), reach * sqrt(0.5), cairn_vec3(1, 0, 1));
        turned.q = cairn_quat_mul(cairn_quat_axis_angle(cairn_vec3(0, 1, 0), CAIRN_PI / 4),
                                  cairn_quat_axis_angle(cairn_vec3(1, 0, 0), CAIRN_PI / 4));
        int count = cairn_narrow_parts(&cube, here, &box, turned, 0.01, parts);
        assert_int_equal(count, 1);
        assert_int_equal(parts[0].count, 1);
        assert_near(parts[0].points[0].distance, gap, 1e-9);
        assert_vec3_near(parts[0].normal, cairn_scale(sqrt(0.5), cairn_vec3(1, 0, 1)), 1e-9);
        assert_vec3_near(parts[0].points[0].point,
                         cairn_add_scaled(cairn_vec3(1, 0.2, 1), 0.5 * gap * sqrt(0.5), cairn_vec3(1, 0, 1)), 1e-9);
    }
    // Behind a face nothing is met, from inside or below.
    assert_int_equal(cairn_narrow_parts(&cube, here, &shape, at(cairn_vec3(0, 0, 0)), 0.1, parts), 0);
    drop_geometry(&cube);
}

static void valleys_and_ridges(void **state) {
    (void)state;
    Terrain v = terrain(8, 1, valley), r = terrain(8, 1, ridge);
    CairnGeometry down = support_geometry(&v.def), up = support_geometry(&r.def);
    CairnTransform place = {v.def.position, {1, 0, 0, 0}};
    CairnShapeDef ball = cairn_sphere(0.5), block = cairn_box(1, 1, 1);
    CairnGeometry sphere = support_geometry(&ball), box = support_geometry(&block);
    CairnManifold parts[CAIRN_MANIFOLDS];
    for (int k = 0; k < 50; k++) {
        double y = -2 + 0.0817 * k, s = sqrt(0.5);
        int count = cairn_narrow_parts(&down, place, &sphere, at(cairn_vec3(0, y, s)), 0.01, parts);
        assert_int_equal(count, 2); // one for each side, whatever the seams below
        for (int i = 0; i < 2; i++) {
            assert_int_equal(parts[i].count, 1);
            assert_near(parts[i].points[0].distance, 0, 1e-12);
            assert_near(parts[i].normal.z, s, 1e-12);
        }
        count = cairn_narrow_parts(&up, place, &sphere, at(cairn_vec3(0, y, 0.5)), 0.01, parts);
        assert_int_equal(count, 1);
        assert_vec3_near(parts[0].normal, cairn_vec3(0, 0, 1), 1e-12);
        // A box lies on the ridge: along it, on as many points as its length has, none twice.
        count = cairn_narrow_parts(&up, place, &box, at(cairn_vec3(0.1, y, 0.5)), 0.01, parts);
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (int j = 0; j < count; j++) {
            assert_vec3_near(parts[j].normal, cairn_vec3(0, 0, 1), 1e-12);
            for (int i = 0; i < parts[j].count; i++) {
                assert_near(parts[j].points[i].distance, 0, 1e-12);
                assert_near(parts[j].points[i].point.x, 0, 1e-12);
                low = fmin(low, parts[j].points[i].point.y);
                high = fmax(high, parts[j].points[i].point.y);
            }
        }
        assert_true(count >= 1 && count <= 3);
        assert_near(low, y - 0.5, 1e-9);
        assert_near(high, y + 0.5, 1e-9);
    }
    drop_geometry(&down);
    drop_geometry(&up);
    drop_terrain(&v);
    drop_terrain(&r);
}

// ---- motion ----

typedef double Height(double x, double y);

static void add_bumps(CairnWorld *world, int n, double cell) {
    Terrain t = terrain(n, cell, bumps);
    t.def.friction = 0.9;
    CairnBodyDef body = cairn_body_def();
    body.type = CAIRN_STATIC;
    assert_ok(cairn_body_add(world, &body, &t.def, NULL));
    drop_terrain(&t);
}

static CairnWorld *world_on(Height *height, int n, double cell, double friction, CairnQuat turn, bool is_plane) {
    CairnWorldDef def = motion_stiff_def();
    def.gravity = cairn_rotate(turn, cairn_vec3(0, 0, -9.81));
    CairnWorld *world = motion_world(&def);
    CairnBodyDef ground = cairn_body_def();
    ground.type = CAIRN_STATIC;
    ground.orientation = turn;
    Terrain t = terrain(n, cell, height);
    CairnShapeDef plane = cairn_half_space();
    CairnShapeDef *shape = is_plane ? &plane : &t.def;
    shape->friction = friction;
    assert_ok(cairn_body_add(world, &ground, shape, NULL));
    drop_terrain(&t);
    return world;
}

static CairnBodyId put(CairnWorld *world, CairnShapeDef shape, double friction, CairnQuat turn, CairnVec3 position,
                       CairnVec3 velocity, double heading) {
    shape.friction = friction;
    CairnBodyDef body = cairn_body_def();
    body.position = cairn_rotate(turn, position);
    body.velocity = cairn_rotate(turn, velocity);
    body.orientation = cairn_quat_mul(turn, cairn_quat_axis_angle(cairn_vec3(0, 0, 1), heading));
    body.type = CAIRN_DYNAMIC;
    return motion_shape(world, &body, &shape);
}

// Over two metres of seams, as on a plane: the same speed and turn, and none upwards.
static void sliding_over_seams_is_sliding(void **state) {
    (void)state;
    const struct {
        CairnShapeDef shape;
        double height, friction;
    } cases[] = {
        {cairn_box(0.4, 0.3, 0.2), 0.1, 0},    {cairn_box(0.4, 0.3, 0.2), 0.1, 0.3},
        {cairn_sphere(0.2), 0.2, 0},           {cairn_sphere(0.2), 0.2, 0.5},
        {cairn_cylinder(0.2, 0.3), 0.15, 0.2}, {cairn_box(0.05, 0.04, 0.1), 0.05, 0.1},
        {cairn_capsule(0.1, 0.3), 0.25, 0},
    };
    const CairnQuat turns[2] = {{1, 0, 0, 0}, cairn_quat_exp(cairn_vec3(0.4, -0.3, 0.9))};
    for (size_t k = 0; k < 2 * (sizeof cases / sizeof cases[0]); k++) {
        CairnQuat turn = turns[k % 2];
        CairnBodyState at_end[2];
        for (int side = 0; side < 2; side++) {
            double friction = cases[k / 2].friction;
            CairnWorld *world = world_on(level, 50, 0.137, friction, turn, side == 1);
            CairnBodyId id = put(world, cases[k / 2].shape, friction, turn,
                                 cairn_vec3(-1.03, 0.017, cases[k / 2].height), cairn_vec3(4, 0.31, 0), 0.2);
            for (int i = 0; i < 40; i++) {
                motion_steps(world, frame, 1);
                CairnVec3 v = cairn_unrotate(turn, motion_state(world, id).velocity);
                assert_near(v.z, 0, 1e-9);
            }
            at_end[side] = motion_state(world, id);
            cairn_world_destroy(world);
        }
        assert_vec3_near(at_end[0].velocity, at_end[1].velocity, 1e-9 * 4);
        assert_vec3_near(at_end[0].angular_velocity, at_end[1].angular_velocity, 4e-9 / 0.04);
        assert_vec3_near(at_end[0].position, at_end[1].position, 1e-9);
    }
}

// Rolling without slip down 1 in 4: s = 5/14 g sin t^2, and the contact never leaves the slope.
static void a_ball_rolls_down_a_height_grid(void **state) {
    (void)state;
    CairnWorld *world = world_on(slope, 60, 0.2, 0.8, cairn_quat_identity(), false);
    double angle = atan(0.25), r = 0.2;
    CairnVec3 up = {-sin(angle), 0, cos(angle)}, down = {-cos(angle), 0, -sin(angle)};
    CairnVec3 start = cairn_add_scaled(cairn_vec3(4, 0.033, 1), r, up);
    CairnBodyId id = put(world, cairn_sphere(r), 0.8, cairn_quat_identity(), start, cairn_vec3(0, 0, 0), 0);
    int count = 100;
    for (int i = 0; i < count; i++) {
        motion_steps(world, frame, 1);
        CairnBodyState s = motion_state(world, id);
        assert_near(cairn_dot(cairn_sub(s.position, start), up), 0, 1e-8);
        assert_near(cairn_dot(s.velocity, up), 0, 1e-8);
    }
    CairnBodyState s = motion_state(world, id);
    double g = 9.81 * sin(angle) * 5 / 7, time = count * frame;
    assert_near(cairn_dot(s.velocity, down), g * time, 1e-6 * g * time);
    // Semi-implicit: the speed at the end of a step moves it, so t (t + h) for t^2.
    assert_near(cairn_dot(cairn_sub(s.position, start), down), 0.5 * g * time * (time + frame), 1e-6);
    cairn_world_destroy(world);
}

static void boxes_rest_on_meshes(void **state) {
    (void)state;
    const struct {
        CairnShapeDef shape;
        CairnVec3 position;
    } cases[] = {
        {cairn_box(1, 1, 1), {0.13, 0.21, 0.5}},
        {cairn_box(0.1, 0.1, 0.3), {0.13, 0.21, 0.15}},
        {cairn_cylinder(0.4, 1), {0.3, 0.1, 0.5}},
        {cairn_sphere(0.3), {-0.7, 0, 0.3}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        CairnWorld *world = world_on(level, 20, 0.3, 0.5, cairn_quat_identity(), false);
        CairnBodyId id =
            put(world, cases[k].shape, 0.5, cairn_quat_identity(), cases[k].position, cairn_vec3(0, 0, 0), 0.3);
        motion_steps(world, frame, k == 0 ? 600 : 60); // 10 s
        CairnBodyState s = motion_state(world, id);
        assert_vec3_near(s.position, cases[k].position, 1e-6);
        assert_vec3_near(s.velocity, cairn_vec3(0, 0, 0), 1e-9);
        assert_vec3_near(s.angular_velocity, cairn_vec3(0, 0, 0), 1e-8);
        cairn_world_destroy(world);
    }
}

static void what_falls_on_rough_ground_settles_on_it(void **state) {
    (void)state;
    CairnWorld *world;
    assert_ok(support_world_create(NULL, 1, &world));
    add_bumps(world, 40, 0.25);
    uint64_t random = 17;
    CairnBodyId ids[12];
    const CairnShapeDef shapes[3] = {cairn_box(0.4, 0.5, 0.3), cairn_cylinder(0.25, 0.5), cairn_capsule(0.2, 0.4)};
    for (int k = 0; k < 12; k++) {
        CairnShapeDef shape = shapes[k % 3];
        shape.rolling_friction = 0.05;
        int column = k % 4, row = k / 4;
        CairnVec3 p = {-3 + 1.5 * column, -2 + 1.5 * row, 1.2};
        ids[k] = put(world, shape, 0.9, support_quat(&random), cairn_vec3(0, 0, 0), cairn_vec3(0, 0, 0), 0);
        assert_ok(cairn_body_set_pose(world, ids[k], p, support_quat(&random)));
    }
    motion_steps(world, frame, 480);
    for (int k = 0; k < 12; k++) {
        CairnBodyState s = motion_state(world, ids[k]);
        double ground = bumps(s.position.x, s.position.y);
        assert_true(s.position.z > ground + 0.1 && s.position.z < ground + 0.6);
        assert_below(cairn_length(s.velocity), 1e-5);
    }
    cairn_world_destroy(world);
}

// 100 m/s, 1.7 m a step, in directions that meet corners and edges: never through, though a mesh has no thickness.
static void fast_balls_do_not_pass(void **state) {
    (void)state;
    uint64_t random = 18;
    for (int k = 0; k < 20; k++) {
        CairnWorld *world = world_on(k % 2 ? level : bumps, 80, 0.25, 0, cairn_quat_identity(), false);
        CairnVec3 p = {k % 5 == 0 ? 0 : support_uniform(&random, -2, 2),
                       k % 5 == 0 ? 0 : support_uniform(&random, -2, 2), support_uniform(&random, 0.6, 3)};
        CairnVec3 v = {support_uniform(&random, -60, 60), support_uniform(&random, -60, 60), -100};
        CairnBodyId id = put(world, cairn_sphere(0.01), 0, cairn_quat_identity(), p, v, 0);
        for (int i = 0; i < 6; i++) {
            motion_steps(world, frame, 1);
            CairnBodyState s = motion_state(world, id);
            if (fabs(s.position.x) < 9.5 && fabs(s.position.y) < 9.5) {
                assert_true(s.position.z > (k % 2 ? 0 : -0.4));
            }
        }
        cairn_world_destroy(world);
    }
}

// ---- state ----

static CairnWorld *heap(int threads) {
    CairnWorld *world;
    assert_ok(support_world_create(NULL, threads, &world));
    add_bumps(world, 30, 0.3);
    CairnBodyDef body = cairn_body_def();
    const CairnShapeDef shapes[4] = {cairn_sphere(0.2), cairn_box(0.4, 0.3, 0.5), cairn_capsule(0.15, 0.3),
                                     cairn_cylinder(0.2, 0.4)};
    body.type = CAIRN_DYNAMIC;
    for (int k = 0; k < 100; k++) {
        int column = k % 5, row = k / 5 % 5, layer = k / 25;
        body.position = cairn_vec3(-1.5 + 0.6 * column, -1.5 + 0.6 * row, 1 + 0.6 * layer);
        body.orientation = cairn_quat_exp(cairn_vec3(0.1 * k, 0.2, 0.05 * k));
        assert_ok(cairn_body_add(world, &body, &shapes[k % 4], NULL));
    }
    return world;
}

static void any_number_of_threads_gives_the_same_bits(void **state) {
    (void)state;
    uint64_t hashes[3];
    for (int k = 0; k < 3; k++) {
        CairnWorld *world = heap(k + 1);
        motion_steps(world, frame, 50);
        hashes[k] = cairn_world_state_hash(world);
        cairn_world_destroy(world);
    }
    assert_int_equal(hashes[0], hashes[1]);
    assert_int_equal(hashes[0], hashes[2]);
}

static void a_snapshot_keeps_the_mesh(void **state) {
    (void)state;
    CairnWorld *world = heap(1), *other;
    motion_steps(world, frame, 50);
    SupportBytes bytes = support_snapshot(world);
    assert_ok(support_world_create(NULL, 1, &other));
    assert_ok(cairn_world_restore(other, bytes.bytes, bytes.size));
    SupportBytes again = support_snapshot(other);
    assert_true(support_same_bytes(&bytes, &again));
    motion_steps(world, frame, 30);
    motion_steps(other, frame, 30);
    assert_int_equal(cairn_world_state_hash(world), cairn_world_state_hash(other));
    support_bytes_free(&bytes);
    support_bytes_free(&again);
    cairn_world_destroy(world);
    cairn_world_destroy(other);
}

static void no_memory_is_no_mesh(void **state) {
    (void)state;
    CairnShapeDef def = cairn_mesh(cube_points, 8, cube_indices, 36);
    for (int n = 1; n <= 5; n++) {
        SupportMemory memory = {.fail_only = n};
        CairnAllocator allocator = support_allocator(&memory);
        CairnGeometry geometry;
        CairnStatus status = cairn_geometry_make(&def, &allocator, &geometry);
        assert_int_equal(status.code, memory.refused > 0 ? CAIRN_OUT_OF_MEMORY : CAIRN_OK);
        if (cairn_is_ok(status)) {
            cairn_geometry_free(&geometry, &allocator);
        }
        assert_memory_clean(&memory);
    }
}

int main(int argc, char **argv) {
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_meshes_are_refused),
        cmocka_unit_test(bad_grids_are_refused),
        cmocka_unit_test(only_fixed_bodies_carry_a_mesh),
        cmocka_unit_test(neighbours_and_flats),
        cmocka_unit_test(the_tree_finds_what_brute_force_finds),
        cmocka_unit_test(rays_meet_what_brute_force_meets),
        cmocka_unit_test(no_ray_slips_through_a_seam),
        cmocka_unit_test(the_nearest_contact_is_the_nearest_triangle),
        cmocka_unit_test(contact_moves_with_the_mesh),
        cmocka_unit_test(edges_and_corners_of_a_cube),
        cmocka_unit_test(valleys_and_ridges),
        cmocka_unit_test(sliding_over_seams_is_sliding),
        cmocka_unit_test(a_ball_rolls_down_a_height_grid),
        cmocka_unit_test(boxes_rest_on_meshes),
        cmocka_unit_test(what_falls_on_rough_ground_settles_on_it),
        cmocka_unit_test(fast_balls_do_not_pass),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(a_snapshot_keeps_the_mesh),
        cmocka_unit_test(no_memory_is_no_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
