// Surfaces without seams: what slides or rolls over flush tiles, children of a compound, hulls and meshes moves as over
// one plane, and steps, kerbs and ridges still catch.
#include "solvers/exact/bpp.h"
#include "solvers/exact/ipm_cone.h"
#include "tests/support/support_motion.h"
#include "tests/support/support_terrain.h"
#include <stdlib.h>
#include <string.h>

typedef enum Floor { PLANE, BODIES, COMPOUND, HULLS, CUBES_OF_TRIANGLES, MIXED, LOOSE, FLOOR_COUNT } Floor;

// With contacts that give way by this share of the typical length; 0: hard ones; negative: what the law asks for.
static const double by_law = -1;

static CairnWorld *springy_world(CairnFrictionKind law, double give) {
    CairnWorldDef def = cairn_world_def();
    def.friction = law;
    def.springs = give > 0 ? CAIRN_SPRINGS_ALWAYS : give == 0 ? CAIRN_SPRINGS_NEVER : CAIRN_SPRINGS_BY_LAW;
    def.contact_give = give > 0 ? give : def.contact_give;
    CairnWorld *world;
    assert_ok(cairn_world_create(&def, &world));
    bool is_box = law == CAIRN_FRICTION_BOX || law == CAIRN_FRICTION_BOX_CURRENT;
    assert_ok(cairn_world_set_solver(world, is_box ? &cairn_solver_bpp : &cairn_solver_ipm_cone, NULL));
    return world;
}

static CairnWorld *world_of(CairnFrictionKind law) {
    return springy_world(law, by_law);
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
} Slider;

static const CairnVec3 prism[6] = {{-0.25, -0.2, -0.1}, {0.25, -0.2, -0.1}, {0.3, 0.25, -0.1},
                                   {-0.25, -0.2, 0.1},  {0.25, -0.2, 0.1},  {0.3, 0.25, 0.1}};

enum { SLIDERS = 8 };

static void make_sliders(Slider sliders[SLIDERS]) {
    CairnQuat upright = cairn_quat_identity(), lying = cairn_quat_axis_angle(cairn_vec3(1, 0, 0), 0.5 * CAIRN_PI);
    CairnQuat along = cairn_quat_axis_angle(cairn_vec3(0, 1, 0), 0.5 * CAIRN_PI);
    const Slider all[SLIDERS] = {
        {"box", cairn_box(0.4, 0.4, 0.2), 0.1, 0, upright},
        {"turned box", cairn_box(0.4, 0.3, 0.2), 0.1, 0.3, upright},
        {"ball", cairn_sphere(0.2), 0.2, 0, upright},
        {"standing can", cairn_cylinder(0.2, 0.3), 0.15, 0.2, upright},
        {"lying can", cairn_cylinder(0.2, 0.3), 0.2, 0, lying},
        {"capsule across", cairn_capsule(0.1, 0.3), 0.1, 0.1, lying},
        {"capsule along", cairn_capsule(0.1, 0.3), 0.1, 0, along},
        {"hull", cairn_hull(prism, 6), 0.1, 0.2, upright},
    };
    memcpy(sliders, all, sizeof all);
}

// Where it is after a time, and how fast; `most_rows`: of all steps.
typedef struct Way {
    CairnBodyState end;
    int most_rows, uncertified;
} Way;

static Way run(CairnWorld *world, const Slider *slider, CairnVec3 position, CairnVec3 velocity, double friction,
               double h, double time) {
    CairnBodyDef def = cairn_body_def();
    def.position = cairn_add(position, cairn_vec3(0, 0, slider->height));
    def.orientation = cairn_quat_mul(cairn_quat_axis_angle(cairn_vec3(0, 0, 1), slider->heading), slider->turn);
    def.velocity = velocity;
    CairnBodyId id = put(world, slider->shape, def, friction);
    Way way = {.most_rows = 0};
    for (int k = 0; k < (int)(time / h + 0.5); k++) {
        CairnStats stats = motion_steps(world, h, 1);
        way.uncertified += stats.residual.is_certified ? 0 : 1;
        way.most_rows = stats.rows > way.most_rows ? stats.rows : way.most_rows;
    }
    way.end = motion_state(world, id);
    cairn_world_destroy(world);
    return way;
}

static Way over_floor(double give, Floor floor, CairnFrictionKind law, const Slider *slider, CairnVec3 velocity,
                      double friction, double h, double time) {
    CairnWorld *world = springy_world(law, give);
    add_floor(world, floor, friction);
    return run(world, slider, cairn_vec3(0.613, 0.217, 0), velocity, friction, h, time);
}

// ---- without friction ----

static const CairnVec3 push = {1, 0.2, 0};

// Hard contacts have no give; what rests on springs is tilted by contact_give over its half length, and slides down
// that.
typedef struct Kind {
    double give, limit;
} Kind;

static void make_kinds(Kind kinds[2]) {
    double give = cairn_world_def().contact_give;
    kinds[0] = (Kind){0, 1e-6};
    kinds[1] = (Kind){give, 1e-6 + give / 0.2 * 9.81 * 2.5};
}

static double off_plane(double give, Floor floor, CairnFrictionKind law, const Slider *slider, double h,
                        const Way *plane) {
    Way tiles = over_floor(give, floor, law, slider, push, 0, h, 2.5);
    return cairn_length(cairn_sub(tiles.end.velocity, plane->end.velocity));
}

// Two or three seams and a corner of four tiles are passed in 2.5 s, at the speed of the half-space.
static void tiles_are_passed_as_one_plane(void **state) {
    (void)state;
    Slider sliders[SLIDERS];
    Kind kinds[2];
    make_sliders(sliders);
    make_kinds(kinds);
    const double steps[] = {1.0 / 30, 1.0 / 60, 1.0 / 240};
    for (int k = 0; k < 2 * SLIDERS; k++) {
        const Slider *slider = &sliders[k % SLIDERS];
        const Kind *kind = &kinds[k / SLIDERS];
        double worst = 0;
        for (int n = 0; n < 3; n++) {
            Way plane = over_floor(kind->give, PLANE, CAIRN_FRICTION_BOX, slider, push, 0, steps[n], 2.5);
            for (int floor = BODIES; floor < FLOOR_COUNT; floor++) {
                worst = fmax(worst, off_plane(kind->give, (Floor)floor, CAIRN_FRICTION_BOX, slider, steps[n], &plane));
            }
        }
        print_message("  %s over tiles that give way by %g m: %.1e m/s off the half-space\n", slider->name, kind->give,
                      worst);
        assert_below(worst, kind->limit);
    }
    Way plane = over_floor(0, PLANE, CAIRN_FRICTION_BOX, &sliders[1], push, 0, 1e-3, 2.5);
    assert_below(off_plane(0, BODIES, CAIRN_FRICTION_BOX, &sliders[1], 1e-3, &plane), 1e-6);
}

static void tiles_are_passed_under_every_law(void **state) {
    (void)state;
    Slider sliders[SLIDERS];
    Kind kinds[2];
    make_sliders(sliders);
    make_kinds(kinds);
    for (int law = 0; law < CAIRN_FRICTION_KIND_COUNT; law++) {
        for (int k = 0; k < 6; k += 2) {
            const Slider *slider = &sliders[k % 4];
            double give = kinds[k / 4].give;
            Way plane = over_floor(give, PLANE, (CairnFrictionKind)law, slider, push, 0, 1.0 / 60, 2.5);
            for (int floor = BODIES; floor <= COMPOUND; floor++) {
                double off = off_plane(give, (Floor)floor, (CairnFrictionKind)law, slider, 1.0 / 60, &plane);
                assert_below(off, kinds[k / 4].limit);
            }
        }
    }
}

// Tiles that are off by a hundred-thousandth of the sliding box, and boards with gaps between them.
static void nearly_flush_tiles_are_passed(void **state) {
    (void)state;
    Slider sliders[SLIDERS];
    make_sliders(sliders);
    for (int kind = 0; kind < 2; kind++) {
        CairnWorld *world = world_of(CAIRN_FRICTION_BOX);
        for (int i = 0; i < 24; i++) {
            CairnVec3 position = {0.13 + 0.25 * i, 0.2, -0.1 + (kind == 0 ? 3e-6 * (i * 7 % 5 - 2) : 0)};
            CairnShapeDef board = cairn_box(kind == 0 ? 0.25 : 0.21, 2, 0.2);
            add_shape(world, fixed_body(world), board, position, 0);
        }
        Way way = run(world, &sliders[1], cairn_vec3(0.613, 0.217, 1e-5), cairn_vec3(1, 0, 0), 0, 1.0 / 60, 3);
        print_message("  %s: %.1e m/s lost in 3 m\n", kind == 0 ? "boards off by 6e-6 m" : "boards with gaps",
                      1 - way.end.velocity.x);
        assert_below(fabs(1 - way.end.velocity.x), kind == 0 ? 1e-4 : 1e-6);
    }
}

// Two rails of rods that lie end to end.
static void rails_of_rods_are_passed(void **state) {
    (void)state;
    Slider sliders[SLIDERS];
    make_sliders(sliders);
    Kind kinds[2];
    make_kinds(kinds);
    for (int k = 0; k < 2; k++) {
        CairnWorld *world = springy_world(CAIRN_FRICTION_BOX, kinds[k].give);
        for (int i = 0; i < 12; i++) {
            CairnShapeDef rod = cairn_cylinder(0.05, 1);
            rod.orientation = cairn_quat_axis_angle(cairn_vec3(0, 1, 0), 0.5 * CAIRN_PI);
            add_shape(world, fixed_body(world), rod, cairn_vec3(0.5 + i / 2, i % 2 == 0 ? -0.1 : 0.12, -0.05), 0);
        }
        Way way = run(world, &sliders[0], cairn_vec3(0.613, 0, 0), cairn_vec3(1, 0, 0), 0, 1.0 / 60, 3);
        assert_vec3_near(way.end.velocity, cairn_vec3(1, 0, 0), kinds[k].limit);
    }
}

// Any axes: a floor of tiles of all kinds, turned with its gravity.
static void turned_tiles_are_passed(void **state) {
    (void)state;
    Slider sliders[SLIDERS];
    make_sliders(sliders);
    Kind kinds[2];
    make_kinds(kinds);
    for (int j = 0; j < 2 * SLIDERS; j++) {
        int k = j % SLIDERS;
        CairnQuat turn = cairn_quat_exp(cairn_vec3(0.4 + 0.3 * k, -0.3, 0.9));
        CairnWorldDef def = cairn_world_def();
        def.springs = kinds[j / SLIDERS].give > 0 ? CAIRN_SPRINGS_ALWAYS : CAIRN_SPRINGS_NEVER;
        def.gravity = cairn_rotate(turn, cairn_vec3(0, 0, -9.81));
        CairnWorld *world;
        assert_ok(cairn_world_create(&def, &world));
        CairnBodyDef floor = cairn_body_def();
        floor.type = CAIRN_BODY_STATIC;
        floor.orientation = turn;
        floor.position = cairn_vec3(30, -20, 10);
        CairnBodyId compound = motion_body(world, &floor);
        for (int i = 0; i < 24; i++) {
            CairnVec3 points[8], position = {0.5 + i % 6, -1.5 + i / 6, -0.2};
            add_shape(world, compound, tile_of(MIXED, i, points), position, 0);
        }
        CairnBodyDef body = cairn_body_def();
        CairnVec3 start = {0.613, 0.217, sliders[k].height};
        body.position = cairn_add(floor.position, cairn_rotate(turn, start));
        CairnQuat heading = cairn_quat_axis_angle(cairn_vec3(0, 0, 1), sliders[k].heading);
        body.orientation = cairn_quat_mul(turn, cairn_quat_mul(heading, sliders[k].turn));
        body.velocity = cairn_rotate(turn, push);
        CairnBodyId id = put(world, sliders[k].shape, body, 0);
        motion_steps(world, 1.0 / 60, 150);
        CairnVec3 velocity = cairn_unrotate(turn, motion_state(world, id).velocity);
        print_message("  %s over turned tiles: %.1e m/s off\n", sliders[k].name,
                      cairn_length(cairn_sub(velocity, push)));
        assert_vec3_near(velocity, push, kinds[j / SLIDERS].limit);
        cairn_world_destroy(world);
    }
}

// The seams of what slides: a sledge of three boxes over a narrow sill.
static void seams_of_the_sliding_body_do_not_catch(void **state) {
    (void)state;
    CairnWorld *world = world_of(CAIRN_FRICTION_BOX);
    for (int i = 0; i < 60; i++) {
        add_shape(world, fixed_body(world), cairn_box(0.05, 2, 0.2), cairn_vec3(0.1 * i, 0, -0.1), 0);
    }
    CairnBodyDef def = cairn_body_def();
    def.mass = 1;
    def.position = cairn_vec3(1.012, 0, 0.1);
    def.velocity = cairn_vec3(1, 0.1, 0);
    CairnBodyId sledge = motion_body(world, &def);
    for (int i = 0; i < 3; i++) {
        add_shape(world, sledge, cairn_box(0.3, 0.4, 0.2), cairn_vec3(0.3 * (i - 1), 0, 0), 0);
    }
    motion_steps(world, 1.0 / 60, 180);
    assert_vec3_near(motion_state(world, sledge).velocity, cairn_vec3(1, 0.1, 0), 1e-6);
    cairn_world_destroy(world);
}

// ---- with friction ----

// The half-space's way, within a thousandth, whichever shape of the floor bears the load.
static void friction_over_tiles_is_that_of_a_plane(void **state) {
    (void)state;
    Slider sliders[SLIDERS];
    make_sliders(sliders);
    const double h = 1.0 / 60;
    const CairnVec3 velocity = {3, 0.1, 0};
    for (int law = 0; law < CAIRN_FRICTION_KIND_COUNT; law++) {
        double worst = 0;
        for (int k = 0; k < SLIDERS; k++) {
            Way plane = over_floor(by_law, PLANE, (CairnFrictionKind)law, &sliders[k], velocity, 0.3, h, 1.2);
            for (int floor = BODIES; floor < (law == CAIRN_FRICTION_BOX ? FLOOR_COUNT : LOOSE); floor++) {
                Way tiles =
                    over_floor(by_law, (Floor)floor, (CairnFrictionKind)law, &sliders[k], velocity, 0.3, h, 1.2);
                double way = plane.end.position.x - 0.613;
                double off = fabs(tiles.end.position.x - plane.end.position.x) / way;
                worst = fmax(worst, off);
            }
        }
        print_message("  mu = 0.3, law %d, over tiles: %.3f %% off the half-space\n", law, 100 * worst);
        assert_below(worst, 1e-3);
    }
}

// A grid whose vertices are off by up to `amplitude` in all directions.
static void add_rough_ground(CairnWorld *world, double amplitude, double cell, unsigned seed, double friction) {
    int n = (int)(6 / cell);
    SupportTerrain t = support_terrain(n, cell, support_level);
    for (int k = 0; k < (n + 1) * (n + 1); k++) {
        double *const at[3] = {&t.points[k].x, &t.points[k].y, &t.points[k].z};
        for (int i = 0; i < 3; i++) {
            seed = seed * 1664525u + 1013904223u;
            *at[i] += amplitude * (2.0 * (seed >> 8) / (1u << 24) - 1);
        }
    }
    add_shape(world, fixed_body(world), t.def, cairn_vec3(0, -3, 0), friction);
    support_terrain_drop(&t);
}

// A box of 3 m/s stops after v^2 / (2 mu g) = 1.529 m, less v h / 2, on a mesh whose vertices are off by a little, too.
static void friction_on_rough_meshes_is_that_of_a_plane(void **state) {
    (void)state;
    Slider sliders[SLIDERS];
    make_sliders(sliders);
    const double h = 1.0 / 60;
    const CairnVec3 velocity = {3, 0.1, 0};
    const CairnFrictionKind laws[] = {CAIRN_FRICTION_BOX, CAIRN_FRICTION_COULOMB};
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < SLIDERS; k++) {
            Way plane = over_floor(by_law, PLANE, laws[i], &sliders[k], velocity, 0.3, h, 1.2);
            double worst = 0;
            int rows = 0;
            for (unsigned seed = 1; seed <= (unsigned)support_rounds(12, 3); seed++) {
                double amplitude = 1e-9 * pow(10, (seed - 1) % 6), cell = seed <= 6 ? 0.1 : 0.2;
                CairnWorld *world = world_of(laws[i]);
                add_rough_ground(world, amplitude, cell, seed, 0.3);
                CairnVec3 start = {0.613, 0.217, amplitude};
                Way rough = run(world, &sliders[k], start, velocity, 0.3, h, 1.2);
                double off = fabs(rough.end.position.x - plane.end.position.x) / (plane.end.position.x - 0.613);
                worst = fmax(worst, off);
                rows = rough.most_rows > rows ? rough.most_rows : rows;
            }
            print_message("  law %d, %s on rough meshes: %.2f %% off the half-space, %d rows at most\n", (int)laws[i],
                          sliders[k].name, 100 * worst, rows);
            assert_below(worst, 0.01);
            assert_true(rows <= 24);
        }
    }
}

// Boxes that lie on hundreds of triangles at once, more than a pair has patches for.
static void large_boxes_slide_on_rough_meshes(void **state) {
    (void)state;
    const Slider boxes[2] = {{"box of 1 m", cairn_box(1, 1, 1), 0.5, 0, cairn_quat_identity()},
                             {"box of 0.5 m", cairn_box(0.5, 0.5, 0.5), 0.25, 0, cairn_quat_identity()}};
    const double steps[2] = {1.0 / 30, 1.0 / 240};
    const CairnVec3 velocity = {3, 0.1, 0};
    for (int k = 0; k < 4; k++) {
        CairnWorld *level = world_of(CAIRN_FRICTION_BOX);
        add_floor(level, PLANE, 0.3);
        Way plane = run(level, &boxes[k / 2], cairn_vec3(1, 0, 0), velocity, 0.3, steps[k % 2], 1.2);
        double worst = 0;
        int rows = 0;
        for (unsigned seed = 1; seed <= (unsigned)support_rounds(6, 1); seed++) {
            double amplitude = seed <= 3 ? 1e-4 : 1e-9 * pow(100, seed - 4);
            CairnWorld *world = world_of(CAIRN_FRICTION_BOX);
            add_rough_ground(world, amplitude, 0.1, 17 * seed, 0.3);
            Way rough = run(world, &boxes[k / 2], cairn_vec3(1, 0, amplitude), velocity, 0.3, steps[k % 2], 1.2);
            worst = fmax(worst, fabs(rough.end.position.x - plane.end.position.x) / (plane.end.position.x - 1));
            rows = rough.most_rows > rows ? rough.most_rows : rows;
        }
        print_message("  %s on rough meshes, h = %g: %.2f %% off the half-space, %d rows at most\n", boxes[k / 2].name,
                      steps[k % 2], 100 * worst, rows);
        assert_below(worst, 0.01);
        assert_true(rows <= 15); // four points and the deepest
    }
}

// Without friction nothing slows it down.
static void rough_meshes_do_not_brake(void **state) {
    (void)state;
    Slider sliders[SLIDERS];
    make_sliders(sliders);
    for (int k = 0; k < SLIDERS; k++) {
        double worst = 0;
        for (unsigned seed = 1; seed <= (unsigned)support_rounds(6, 2); seed++) {
            CairnWorld *world = world_of(CAIRN_FRICTION_BOX);
            add_rough_ground(world, 1e-9 * pow(10, seed - 1), 0.1, seed, 0);
            CairnVec3 start = {0.613, 0.217, 1e-4};
            Way rough = run(world, &sliders[k], start, cairn_vec3(1, 0.1, 0), 0, 1.0 / 60, 3);
            worst = fmax(worst, fabs(rough.end.velocity.x - 1));
        }
        print_message("  %s without friction on rough meshes: %.1e m/s off\n", sliders[k].name, worst);
        assert_below(worst, 0.01);
    }
}

// ---- falling on seams ----

// Boxes, balls, cans and hulls fall on tiles between walls, in any pose and in heaps: they go in no deeper than on a
// half-space between walls that are one box each, and none leaves.
static double deepest_of_heap(Floor floor, unsigned seed) {
    Slider sliders[SLIDERS];
    make_sliders(sliders);
    CairnWorld *world = world_of(CAIRN_FRICTION_BOX);
    add_floor(world, floor, 0.4);
    for (int i = 0; i < 6; i++) {
        for (int side = -1; side <= 1; side += 2) {
            add_shape(world, fixed_body(world), cairn_box(1, 0.2, 12), cairn_vec3(0.5 + i, 1.1 * side, 6), 0.4);
        }
    }
    for (int side = 0; side < 2; side++) {
        add_shape(world, fixed_body(world), cairn_box(0.2, 2, 12), cairn_vec3(side == 0 ? 1.9 : 4.1, 0, 6), 0.4);
    }
    enum { COUNT = 24 };
    CairnBodyId ids[COUNT];
    for (int i = 0; i < COUNT; i++) {
        double draw[6];
        for (int k = 0; k < 6; k++) {
            seed = seed * 1664525u + 1013904223u;
            draw[k] = 2.0 * (seed >> 8) / (1u << 24) - 1;
        }
        CairnBodyDef def = cairn_body_def();
        def.position = cairn_vec3(3 + 0.6 * draw[0], 0.6 * draw[1], 0.4 + 0.45 * i);
        def.orientation = cairn_quat_exp(cairn_vec3(3 * draw[2], 3 * draw[3], 3 * draw[4]));
        def.velocity = cairn_vec3(2 * draw[5], draw[0], -2);
        ids[i] = put(world, sliders[i % SLIDERS].shape, def, 0.4);
    }
    double deepest = 0;
    for (int k = 0; k < 300; k++) {
        CairnStats stats = motion_steps(world, 1.0 / 60, 1);
        deepest = fmax(deepest, stats.penetration);
    }
    for (int i = 0; i < COUNT; i++) {
        CairnVec3 p = motion_state(world, ids[i]).center;
        assert_true(p.z > 0.05 && p.x > 2 && p.x < 4 && fabs(p.y) < 1);
    }
    cairn_world_destroy(world);
    return deepest;
}

static void heaps_lie_on_tiles(void **state) {
    (void)state;
    for (int floor = PLANE; floor < LOOSE; floor++) {
        double deepest = 0;
        for (unsigned seed = 1; seed <= (unsigned)support_rounds(3, 1); seed++) {
            deepest = fmax(deepest, deepest_of_heap((Floor)floor, seed));
        }
        print_message("  heaps on floor %d: %.1e m deep at most\n", floor, deepest);
        assert_below(deepest, 0.02);
    }
}

// ---- what must catch ----

// What comes from the left with 1 m/s to where the ground is higher by `step` from x = 2 on.
static double past_a_step(Floor floor, const Slider *slider, double step) {
    CairnWorld *world = world_of(CAIRN_FRICTION_BOX);
    CairnBodyId compound = fixed_body(world);
    for (int i = 0; i < 4; i++) {
        CairnVec3 points[8];
        CairnBodyId body = floor == COMPOUND ? compound : fixed_body(world);
        add_shape(world, body, tile_of(floor, i, points), cairn_vec3(0.5 + i, 0, i < 2 ? -0.2 : step - 0.2), 0);
    }
    return run(world, slider, cairn_vec3(0.8, 0.02, 0), cairn_vec3(1, 0, 0), 0, 1.0 / 60, 2).end.position.x;
}

static void steps_and_kerbs_catch(void **state) {
    (void)state;
    Slider sliders[SLIDERS];
    make_sliders(sliders);
    sliders[1].shape = cairn_box(0.4, 0.3, 0.02); // low: 1 cm of height, so that it does not tip
    sliders[1].height = 0.01;
    sliders[1].heading = 0;
    for (int floor = BODIES; floor < LOOSE; floor++) {
        assert_below(past_a_step((Floor)floor, &sliders[1], 0.005), 1.8 + 1e-3); // its front stands at the step
        assert_true(past_a_step((Floor)floor, &sliders[1], 0) > 2.7);
        assert_below(past_a_step((Floor)floor, &sliders[2], 0.1),
                     2.0); // a ball of 0.2 m does not climb half its height
        assert_true(past_a_step((Floor)floor, &sliders[2], 0) > 2.7);
    }
}

// Two slopes that meet at x = 2: a ball that rolls over the ridge goes down on the other side, one that rolls into the
// valley goes up; both leave the straight way at once.
static void ridges_and_valleys_deflect(void **state) {
    (void)state;
    for (int side = -1; side <= 1; side += 2) {
        CairnWorld *world = world_of(CAIRN_FRICTION_BOX);
        const double lean = 0.1 * side;
        for (int i = 0; i < 2; i++) {
            CairnBodyDef def = cairn_body_def();
            def.type = CAIRN_BODY_STATIC;
            def.orientation = cairn_quat_axis_angle(cairn_vec3(0, 1, 0), i == 0 ? 0 : lean);
            def.position =
                cairn_add(cairn_vec3(2, 0, 0), cairn_rotate(def.orientation, cairn_vec3(i == 0 ? -1 : 1, 0, -0.2)));
            add_shape(world, motion_body(world, &def), cairn_box(2, 2, 0.4), cairn_vec3(0, 0, 0), 0);
        }
        CairnBodyDef def = cairn_body_def();
        def.position = cairn_vec3(1, 0, 0.2);
        def.velocity = cairn_vec3(1, 0, 0);
        CairnBodyId ball = put(world, cairn_sphere(0.2), def, 0);
        motion_steps(world, 1.0 / 60, 100);
        CairnBodyState s = motion_state(world, ball);
        CairnVec3 up = cairn_vec3(sin(lean), 0, cos(lean));
        assert_near(cairn_dot(up, cairn_sub(s.position, cairn_vec3(2, 0, 0))), 0.2, 1e-4);
        double down = side * cairn_dot(s.velocity, cairn_vec3(cos(lean), 0, -sin(lean)));
        print_message("  %s: %.3f m/s along the slope\n", side > 0 ? "ridge" : "valley", side * down);
        assert_true(side > 0 ? down > 1.3 : side * down < 0.8);
        cairn_world_destroy(world);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_are_passed_as_one_plane),
        cmocka_unit_test(tiles_are_passed_under_every_law),
        cmocka_unit_test(nearly_flush_tiles_are_passed),
        cmocka_unit_test(rails_of_rods_are_passed),
        cmocka_unit_test(turned_tiles_are_passed),
        cmocka_unit_test(seams_of_the_sliding_body_do_not_catch),
        cmocka_unit_test(friction_over_tiles_is_that_of_a_plane),
        cmocka_unit_test(friction_on_rough_meshes_is_that_of_a_plane),
        cmocka_unit_test(large_boxes_slide_on_rough_meshes),
        cmocka_unit_test(rough_meshes_do_not_brake),
        cmocka_unit_test(heaps_lie_on_tiles),
        cmocka_unit_test(steps_and_kerbs_catch),
        cmocka_unit_test(ridges_and_valleys_deflect),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
