// Triangle meshes and height grids: what is refused, the tree and rays.
#include "collision/shapes/mesh.h"
#include "tests/support/support_motion.h"
#include "tests/support/support_terrain.h"
#include <string.h>

static CairnTransform at(CairnVec3 p) {
    return (CairnTransform){p, {1, 0, 0, 0}};
}

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
    CairnShapeDef def = cairn_mesh(support_cube_points, 8, support_cube_indices, 36);
    CairnBodyDef body = cairn_body_def();
    body.type = CAIRN_BODY_DYNAMIC;
    assert_refused(cairn_body_add(world, &body, &def, NULL), CAIRN_INVALID_ARGUMENT, "mesh");
    CairnBodyId id;
    body.type = CAIRN_BODY_KINEMATIC;
    assert_ok(cairn_body_add(world, &body, &def, &id));
    assert_refused(cairn_body_set_type(world, id, CAIRN_BODY_DYNAMIC), CAIRN_INVALID_ARGUMENT, "mesh");
    CairnShapeId shape;
    CairnShapeDef kept;
    assert_int_equal(cairn_body_shapes(world, id, &shape, 1), 1);
    assert_ok(cairn_shape_get(world, shape, &kept, NULL));
    assert_true(kept.points != support_cube_points && kept.indices != support_cube_indices);
    assert_int_equal(kept.point_count, 8);
    assert_int_equal(kept.index_count, 36);
    assert_memory_equal(kept.points, support_cube_points, sizeof support_cube_points);
    assert_memory_equal(kept.indices, support_cube_indices, sizeof support_cube_indices);
    cairn_world_destroy(world);
}

// ---- what the mesh knows of itself ----

static void neighbours_and_flats(void **state) {
    (void)state;
    CairnShapeDef def = cairn_mesh(support_cube_points, 8, support_cube_indices, 36);
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
    support_geometry_drop(&cube);
    // The same with points of its own for each triangle: joined by place.
    CairnVec3 loose[36];
    int numbers[36];
    for (int k = 0; k < 36; k++) {
        loose[k] = support_cube_points[support_cube_indices[k]];
        numbers[k] = k;
    }
    def = cairn_mesh(loose, 36, numbers, 36);
    cube = support_geometry(&def);
    assert_int_equal(cube.surface->flat_count, 6);
    assert_int_equal(cube.surface->edge_count, 18);
    support_geometry_drop(&cube);
    SupportTerrain t = support_terrain(16, 1, support_valley);
    CairnGeometry g = support_geometry(&t.def);
    assert_int_equal(g.surface->flat_count, 2);
    support_geometry_drop(&g);
    support_terrain_drop(&t);
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
        support_geometry_drop(&g);
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
    support_geometry_drop(&g);
}

// From above, exactly at corners and along edges: nothing slips through, from below nothing is met.
static void no_ray_slips_through_a_seam(void **state) {
    (void)state;
    uint64_t random = 13;
    SupportTerrain t = support_terrain(12, 0.1, support_bumps);
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
    support_geometry_drop(&g);
    support_terrain_drop(&t);
}

static void no_memory_is_no_mesh(void **state) {
    (void)state;
    CairnShapeDef def = cairn_mesh(support_cube_points, 8, support_cube_indices, 36);
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
        cmocka_unit_test(no_memory_is_no_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
