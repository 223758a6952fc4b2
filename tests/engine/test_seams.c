// Surfaces without seams: what slides or rolls over flush tiles, children of a compound, hulls and meshes moves as over
// one plane, and steps, kerbs and ridges still catch.
#include "solvers/exact/bpp.h"
#include "solvers/exact/ipm_cone.h"
#include "tests/support/support_motion.h"
#include "tests/support/support_terrain.h"
#include <stdlib.h>
#include <string.h>

typedef enum Floor { PLANE, BODIES, COMPOUND, HULLS, CUBES_OF_TRIANGLES, MIXED, LOOSE, FLOOR_COUNT } Floor;

static const char *const floor_names[FLOOR_COUNT] = {"half-space", "static boxes", "compound",     "hulls",
                                                     "meshes",     "of all kinds", "dynamic boxes"};

static CairnWorld *world_of(CairnFrictionKind law) {
    CairnWorldDef def = cairn_world_def();
    def.friction = law;
    CairnWorld *world;
    assert_ok(cairn_world_create(&def, &world));
    bool is_box = law == CAIRN_FRICTION_BOX || law == CAIRN_FRICTION_BOX_CURRENT;
    assert_ok(cairn_world_set_solver(world, is_box ? &cairn_solver_bpp : &cairn_solver_ipm_cone, NULL));
    return world;
}

static CairnBodyId fixed_body(CairnWorld *world) {
    CairnBodyDef def = cairn_body_def();
    def.type = CAIRN_BODY_STATIC;
    return motion_body(world, &def);
}

static void add_shape(CairnWorld *world, CairnBodyId body, CairnShapeDef shape, CairnVec3 position, double friction) {
    shape.position = position;
    shape.friction = friction;
    assert_ok(cairn_shape_create(world, body, &shape, NULL));
}

// A tile of 1 m x 1 m x 0.4 m, its top at the height of its frame's origin plus 0.2.
static CairnShapeDef tile_of(Floor floor, int i, CairnVec3 points[8]) {
    for (int k = 0; k < 8; k++) {
        const CairnVec3 p = support_cube_points[k];
        points[k] = cairn_vec3(0.5 * p.x, 0.5 * p.y, 0.2 * p.z);
    }
    switch (floor == MIXED ? i % 3 : floor == HULLS ? 1 : floor == CUBES_OF_TRIANGLES ? 2 : 0) {
    case 1:
        return cairn_hull(points, 8);
    case 2:
        return cairn_mesh(points, 8, support_cube_indices, 36);
    default:
        return cairn_box(1, 1, 0.4);
    }
}

// The plane z = 0 for x from 0 to 6 and y from -2 to 2, of tiles of 1 m.
static void add_floor(CairnWorld *world, Floor floor, double friction) {
    if (floor == PLANE || floor == LOOSE) {
        CairnShapeDef plane = cairn_half_space();
        add_shape(world, fixed_body(world), plane, cairn_vec3(0, 0, floor == LOOSE ? -0.4 : 0), friction);
    }
    CairnBodyId compound = fixed_body(world);
    for (int i = 0; i < 24 && floor != PLANE; i++) {
        CairnVec3 points[8], position = {0.5 + i % 6, -1.5 + i / 6, -0.2};
        CairnShapeDef tile = tile_of(floor, i, points);
        if (floor == LOOSE) {
            CairnBodyDef def = cairn_body_def();
            def.mass = 100;
            def.position = position;
            add_shape(world, motion_body(world, &def), tile, cairn_vec3(0, 0, 0), friction);
        } else {
            add_shape(world, floor == COMPOUND ? compound : fixed_body(world), tile, position, friction);
        }
    }
}

static CairnBodyId put(CairnWorld *world, CairnShapeDef shape, CairnBodyDef def, double friction) {
    def.mass = 1;
    shape.friction = friction;
    return motion_shape(world, &def, &shape);
}

typedef struct Slider {
    const char *name;
    CairnShapeDef shape;
    double height, heading;
    CairnQuat turn;
    bool rolls; // without slip, about y
} Slider;

static const CairnVec3 prism[6] = {{-0.25, -0.2, -0.1}, {0.25, -0.2, -0.1}, {0.3, 0.25, -0.1},
                                   {-0.25, -0.2, 0.1},  {0.25, -0.2, 0.1},  {0.3, 0.25, 0.1}};

enum { SLIDERS = 8 };

static void make_sliders(Slider sliders[SLIDERS]) {
    CairnQuat upright = cairn_quat_identity(), lying = cairn_quat_axis_angle(cairn_vec3(1, 0, 0), 0.5 * CAIRN_PI);
    CairnQuat along = cairn_quat_axis_angle(cairn_vec3(0, 1, 0), 0.5 * CAIRN_PI);
    const Slider all[SLIDERS] = {
        {"box", cairn_box(0.4, 0.4, 0.2), 0.1, 0, upright, false},
        {"turned box", cairn_box(0.4, 0.3, 0.2), 0.1, 0.3, upright, false},
        {"ball", cairn_sphere(0.2), 0.2, 0, upright, false},
        {"standing can", cairn_cylinder(0.2, 0.3), 0.15, 0.2, upright, false},
        {"lying can", cairn_cylinder(0.2, 0.3), 0.2, 0, lying, false},
        {"capsule across", cairn_capsule(0.1, 0.3), 0.1, 0.1, lying, false},
        {"capsule along", cairn_capsule(0.1, 0.3), 0.1, 0, along, false},
        {"hull", cairn_hull(prism, 6), 0.1, 0.2, upright, false},
    };
    memcpy(sliders, all, sizeof all);
}

static CairnBodyState slide(Floor floor, CairnFrictionKind law, const Slider *slider, double h, double time) {
    CairnWorld *world = world_of(law);
    add_floor(world, floor, 0);
    CairnBodyDef def = cairn_body_def();
    def.position = cairn_vec3(0.613, 0.217, slider->height);
    def.orientation = cairn_quat_mul(cairn_quat_axis_angle(cairn_vec3(0, 0, 1), slider->heading), slider->turn);
    def.velocity = cairn_vec3(1, 0.2, 0);
    CairnBodyId id = put(world, slider->shape, def, 0);
    motion_steps(world, h, (int)(time / h + 0.5));
    CairnBodyState state = motion_state(world, id);
    cairn_world_destroy(world);
    return state;
}

// Three seams and a corner of four tiles are passed in 3 s, with the speed and the way that the half-space leaves.
static void tiles_are_passed_as_one_plane(void **state) {
    (void)state;
    Slider sliders[SLIDERS];
    make_sliders(sliders);
    const double steps[] = {1.0 / 30, 1.0 / 60, 1.0 / 240, 1.0 / 1000};
    for (int k = 0; k < SLIDERS; k++) {
        double worst = 0, way = 0;
        for (int floor = BODIES; floor < FLOOR_COUNT; floor++) {
            for (int n = 0; n < 4; n++) {
                CairnBodyState plane = slide(PLANE, CAIRN_FRICTION_BOX, &sliders[k], steps[n], 3);
                CairnBodyState tiles = slide((Floor)floor, CAIRN_FRICTION_BOX, &sliders[k], steps[n], 3);
                double off = cairn_length(cairn_sub(tiles.velocity, plane.velocity));
                if (off > 1e-6)
                    print_message("    %s on %s h %g: %.2e\n", sliders[k].name, floor_names[floor], steps[n], off);
                worst = fmax(worst, off);
                way = fmax(way, cairn_length(cairn_sub(tiles.position, plane.position)));
            }
        }
        print_message("  %s: %.1e m/s and %.1e m off the half-space\n", sliders[k].name, worst, way);
    }
}

static double stops_at(Floor floor, CairnFrictionKind law, const Slider *slider, double h, int *rows) {
    CairnWorld *world = world_of(law);
    add_floor(world, floor, 0.3);
    CairnBodyDef def = cairn_body_def();
    def.position = cairn_vec3(0.613, 0.217, slider->height);
    def.orientation = cairn_quat_mul(cairn_quat_axis_angle(cairn_vec3(0, 0, 1), slider->heading), slider->turn);
    def.velocity = cairn_vec3(3, 0.1, 0);
    CairnBodyId id = put(world, slider->shape, def, 0.3);
    for (int i = 0; i < (int)(1.5 / h + 0.5); i++) {
        CairnStats stats = motion_steps(world, h, 1);
        *rows = stats.rows > *rows ? stats.rows : *rows;
    }
    double x = motion_state(world, id).position.x - 0.613;
    cairn_world_destroy(world);
    return x;
}

static double noise(int i, int j) {
    unsigned k = (unsigned)(i * 7919 + j * 104729 + 12345);
    k ^= k >> 13; k *= 0x5bd1e995u; k ^= k >> 15; k *= 0x27d4eb2du; k ^= k >> 16;
    return 2.0 * (k & 0xffffff) / 0xffffff - 1;
}

static double stops_on_noise(double amplitude, double cell, CairnFrictionKind law, const Slider *slider, double h, int *rows) {
    CairnWorld *world = world_of(law);
    int n = (int)(6 / cell);
    SupportTerrain t = support_terrain(n, cell, support_level);
    for (int k = 0; k < (n + 1) * (n + 1); k++) {
        t.points[k].z += amplitude * noise(k % (n + 1), k / (n + 1));
        t.points[k].x += amplitude * noise(k % (n + 1), 77 + k / (n + 1));
    }
    add_shape(world, fixed_body(world), t.def, cairn_vec3(0,-3,0), 0.3);
    support_terrain_drop(&t);
    CairnBodyDef def = cairn_body_def();
    def.position = cairn_vec3(0.613, 0.217, slider->height + amplitude);
    def.orientation = cairn_quat_mul(cairn_quat_axis_angle(cairn_vec3(0, 0, 1), slider->heading), slider->turn);
    def.velocity = cairn_vec3(3, 0.1, 0);
    CairnBodyId id = put(world, slider->shape, def, 0.3);
    for (int i = 0; i < (int)(1.5 / h + 0.5); i++) {
        CairnStats stats = motion_steps(world, h, 1);
        *rows = stats.rows > *rows ? stats.rows : *rows;
    }
    double x = motion_state(world, id).position.x - 0.613;
    cairn_world_destroy(world);
    return x;
}

static void trace(void **state) {
    (void)state;
    Slider sliders[SLIDERS];
    make_sliders(sliders);
    double h = 1.0/60;
    CairnWorld *world = world_of(CAIRN_FRICTION_BOX);
    add_floor(world, LOOSE, 0.3);
    CairnBodyDef def = cairn_body_def();
    def.position = cairn_vec3(0.613, 0.217, 0.1);
    def.velocity = cairn_vec3(3, 0.0, 0);
    CairnBodyId id = put(world, sliders[0].shape, def, 0.3);
    double v = 3;
    for (int i = 0; i < 60; i++) {
        CairnStats stats = motion_steps(world, h, 1);
        CairnBodyState s = motion_state(world, id);
        print_message("%d x %.4f decel %.4f vz %.2e w %.2e rows %d solves %d\n", i, s.position.x, (v - s.velocity.x)/(0.3*9.81*h), s.velocity.z, s.angular_velocity.y, stats.rows, 0);
        v = s.velocity.x;
    }
    cairn_world_destroy(world);
}

static void measure(void **state) {
    (void)state;
    Slider sliders[SLIDERS];
    make_sliders(sliders);
    const CairnFrictionKind laws[] = {CAIRN_FRICTION_BOX, CAIRN_FRICTION_BOX_CURRENT, CAIRN_FRICTION_CONE,
                                         CAIRN_FRICTION_COULOMB};
    for (int l = 0; l < 4; l += 2)
    for (int k = 0; k < SLIDERS; k++) {
        int rows = 0;
        double h = 1.0 / 60, ref = stops_at(PLANE, laws[l], &sliders[k], h, &rows);
        print_message("law %d %s plane %.5f rows %d:", l, sliders[k].name, ref, rows);
        for (int f = BODIES; f < FLOOR_COUNT; f++) {
            rows = 0;
            double x = stops_at((Floor)f, laws[l], &sliders[k], h, &rows);
            print_message(" %s %+.2f%% (%d);", floor_names[f], 100 * (x / ref - 1), rows);
        }
        for (double a = 1e-9; a < 2e-4; a *= 10) {
            rows = 0;
            double x = stops_on_noise(a, 0.1, laws[l], &sliders[k], h, &rows);
            print_message(" %.0e %+.2f%% (%d);", a, 100 * (x / ref - 1), rows);
        }
        print_message("\n");
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measure),
        cmocka_unit_test(trace),
        cmocka_unit_test(tiles_are_passed_as_one_plane),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
