// Heaps of balls by psor against what is known of grains: packing fraction, angle of repose, Janssen's silo, Beverloo's
// hopper. Sizes are small; CAIRN_LONG_TESTS=1 asks for larger ones, and for the hopper.
#include "solvers/sweeps/psor.h"
#include "tests/support/support_motion.h"

#include <stdlib.h>

static const double r = 0.05, density = 2500;

enum { MOST = 8000 };
static CairnBodyId balls[MOST];

static bool is_long(void) {
    return getenv("CAIRN_LONG_TESTS") != NULL;
}

// Long tests take the first, others the second, and those under a sanitizer the third.
static int choose(int long_one, int usual, int sanitized) {
    return support_is_sanitized() ? sanitized : is_long() ? long_one : usual;
}

static CairnWorld *grain_world(CairnFrictionKind law, int iterations) {
    CairnWorldDef def = cairn_world_def();
    def.friction = law;
    def.contact_margin = r / 30;
    CairnWorld *world = motion_world(&def);
    CairnPsorOptions options = {.iterations = iterations, .omega = 1.3, .lambda = 1, .tolerance = 1e-6};
    assert_ok(cairn_world_set_solver(world, &cairn_solver_psor, &options));
    return world;
}

static CairnBodyId add_plane(CairnWorld *world, CairnVec3 point, CairnVec3 normal, double friction) {
    CairnBodyDef body = cairn_body_def();
    body.type = CAIRN_BODY_STATIC;
    body.position = point;
    body.orientation = cairn_quat_between(cairn_vec3(0, 0, 1), normal);
    CairnShapeDef plane = cairn_half_space();
    plane.friction = friction;
    return motion_shape(world, &body, &plane);
}

// A floor, and walls at +-half in x and y; the floor's id comes back.
static CairnBodyId add_box(CairnWorld *world, double half, double friction) {
    CairnBodyId floor = add_plane(world, cairn_vec3(0, 0, 0), cairn_vec3(0, 0, 1), friction);
    for (int k = 0; k < 4; k++) {
        CairnVec3 inward = cairn_vec3(k == 0 ? 1 : k == 1 ? -1 : 0, k == 2 ? 1 : k == 3 ? -1 : 0, 0);
        add_plane(world, cairn_scale(-half, inward), inward, friction);
    }
    return floor;
}

// Balls of several sizes about r (none crystallise), on a loose grid from `low` up, each with a speed of its own.
static void rain(CairnWorld *world, int count, double half, double low, const CairnShapeDef *material, double spread,
                 uint64_t seed) {
    double spacing = 2.3 * r;
    int across = (int)floor(2 * (half - 1.1 * r) / spacing) + 1;
    for (int i = 0; i < count; i++) {
        int x = i % across, y = i / across % across, z = i / across / across;
        CairnBodyDef body = cairn_body_def();
        body.position = cairn_vec3((x - 0.5 * (across - 1)) * spacing, (y - 0.5 * (across - 1)) * spacing,
                                   low + 1.15 * r + z * spacing);
        body.velocity = cairn_vec3(support_uniform(&seed, -0.5, 0.5), support_uniform(&seed, -0.5, 0.5), 0);
        CairnShapeDef ball = *material;
        ball.radius = r * (1 + support_uniform(&seed, -spread, spread));
        ball.density = density;
        balls[i] = motion_shape(world, &body, &ball);
    }
}

// ---- packing fraction -----------------------------------------------------------------------------------------------

// Balls between the densest and the loosest that random packings of equal ones have: 0.64 and, with friction, 0.58.
static void a_heap_fills_what_random_packings_fill(void **state) {
    (void)state;
    int count = choose(4000, 700, 200);
    double half = choose(9, 6, 4) * r;
    CairnWorld *world = grain_world(CAIRN_FRICTION_CONE, 60);
    add_box(world, half, 0.2);
    CairnShapeDef ball = cairn_sphere(r);
    ball.friction = 0.2;
    rain(world, count, half, 0, &ball, 0, 7);
    motion_steps(world, 1.0 / 240, choose(480, 240, 120));
    // Points away from walls, floor and surface.
    static CairnVec3 centers[MOST];
    double top = 0;
    for (int i = 0; i < count; i++) {
        centers[i] = motion_state(world, balls[i]).position;
        top += 2 * centers[i].z / count; // twice the mean height
    }
    uint64_t seed = 11;
    int inside = 0, draws = 20000;
    for (int k = 0; k < draws; k++) {
        CairnVec3 p = {support_uniform(&seed, -half + 3 * r, half - 3 * r),
                       support_uniform(&seed, -half + 3 * r, half - 3 * r), support_uniform(&seed, 3 * r, top - 3 * r)};
        bool is_in = false;
        for (int i = 0; i < count && !is_in; i++) {
            is_in = cairn_length_squared(cairn_sub(p, centers[i])) < r * r;
        }
        inside += is_in;
    }
    // The draws scatter by 0.0035 (one sigma).
    double fraction = (double)inside / draws;
    print_message("packing fraction %.4f\n", fraction);
    cairn_world_destroy(world);
    if (support_is_sanitized()) {
        print_message("skipped: under a sanitizer the heap is too small to tell\n");
        skip();
    }
    assert_true(fraction > 0.58 && fraction < 0.64);
}

// ---- angle of repose ------------------------------------------------------------------------------------------------

// A column that is let go on a bed of fixed balls: the slope of the cone with its mean height and radius.
static double slope_of(double friction, uint64_t seed) {
    int count = choose(1500, 220, 80), side = choose(40, 24, 24);
    double half = 0.1 * choose(62, 36, 36) * r, lowest = sqrt(2) * r; // a ball between four of the bed
    CairnWorld *world = grain_world(CAIRN_FRICTION_CONE, 60);
    CairnShapeDef ball = cairn_sphere(r);
    ball.friction = friction;
    for (int i = 0; i < side * side; i++) {
        CairnBodyDef body = cairn_body_def();
        body.type = CAIRN_BODY_STATIC;
        body.position = cairn_vec3((i % side - 0.5 * side) * 2 * r, (i / side - 0.5 * side) * 2 * r, 0);
        motion_shape(world, &body, &ball);
    }
    rain(world, count, half, r, &ball, 0.1, seed);
    motion_steps(world, 1.0 / 240, choose(600, 300, 150));
    double height = 0, square = 0;
    for (int i = 0; i < count; i++) {
        CairnVec3 p = motion_state(world, balls[i]).position;
        height += fmax(p.z - lowest, 0) / count;
        square += (p.x * p.x + p.y * p.y) / count;
    }
    cairn_world_destroy(world);
    // A cone has <z> = H/4 and <x^2 + y^2> = 3/10 R^2.
    return atan(4 * height / sqrt(square / 0.3)) * 180 / CAIRN_PI;
}

// One heap's slope is chance to half a degree and more, so it is the mean of two.
static void slopes_grow_with_friction(void **state) {
    (void)state;
    double last = 0;
    const double frictions[3] = {0.05, 0.15, 1};
    for (int k = 0; k < 3; k++) {
        double slope = 0.5 * (slope_of(frictions[k], 7) + slope_of(frictions[k], 8));
        print_message("friction %.2f: slope %.1f degrees\n", frictions[k], slope);
        if (support_is_sanitized()) {
            print_message("skipped: under a sanitizer the heap is too small to tell\n");
            skip();
        }
        assert_true(slope > last + 0.5);
        last = slope;
    }
}

// ---- Janssen's silo -------------------------------------------------------------------------------------------------

// What the floor bears, over what all the balls weigh, and the weight.
static double floor_share(int count, double half, uint64_t seed, double *weight) {
    CairnWorld *world = grain_world(CAIRN_FRICTION_CONE, 200);
    CairnBodyId floor = add_box(world, half, 0.3);
    CairnShapeDef ball = cairn_sphere(r);
    ball.friction = 0.3;
    rain(world, count, half, 0, &ball, 0.1, seed);
    const double h = 1.0 / 240;
    motion_steps(world, h, 480);
    double borne = 0, load = 0;
    static CairnContact contacts[8 * MOST];
    enum { FRAMES = 40 };
    for (int k = 0; k < FRAMES; k++) { // what sweeps leave trembles
        motion_steps(world, h, 1);
        int found = cairn_world_contacts(world, contacts, 8 * MOST);
        for (int i = 0; i < found; i++) {
            if (contacts[i].body_a.index == floor.index || contacts[i].body_b.index == floor.index) {
                borne += contacts[i].impulse.x / h / FRAMES;
            }
        }
    }
    for (int i = 0; i < count; i++) {
        load += 9.81 * motion_state(world, balls[i]).mass.mass;
    }
    cairn_world_destroy(world);
    *weight = load;
    return borne / load;
}

// p(H) = p_s (1 - exp(-H/l)): the last third of a column five widths high hardly reaches the floor, the walls bear it.
// The mean of some fillings: how much of their friction the walls have at the end is chance, and the floor of one bears
// 0.3 to 0.5 of the tallest column.
static void a_silo_saturates(void **state) {
    (void)state;
    if (!is_long()) {
        print_message("skipped: CAIRN_LONG_TESTS=1 fills the silos\n");
        skip();
    }
    enum { FILLINGS = 4 };
    double half = 3.9 * r, weight[3] = {0}, borne[3] = {0};
    for (int k = 0; k < 3; k++) {
        int count = 150 * (k == 0 ? 1 : k == 1 ? 3 : 5);
        for (uint64_t seed = 7; seed < 7 + FILLINGS; seed++) {
            double load, share = floor_share(count, half, seed, &load);
            weight[k] += load / FILLINGS;
            borne[k] += share * load / FILLINGS;
        }
        print_message("%4d balls, %.1f N: the floor bears %.1f N\n", count, weight[k], borne[k]);
    }
    assert_true(borne[0] > 0.7 * weight[0] && borne[2] < 0.5 * weight[2]);
    // From three to five fifths of the height the load grows by far less than the weight.
    assert_true(borne[2] - borne[1] < 0.2 * (weight[2] - weight[1]));
    assert_true(borne[2] < 1.25 * borne[1]);
}

// ---- Beverloo's hopper ----------------------------------------------------------------------------------------------

// Balls a second through a square hole of edge `hole` in a flat floor.
static double discharge(double hole) {
    enum { COUNT = 1800, RATE = 240 };
    const double half = 12 * r;
    CairnWorld *world = grain_world(CAIRN_FRICTION_CONE, 60);
    for (int k = 0; k < 4; k++) {
        CairnVec3 inward = cairn_vec3(k == 0 ? 1 : k == 1 ? -1 : 0, k == 2 ? 1 : k == 3 ? -1 : 0, 0);
        add_plane(world, cairn_scale(-half, inward), inward, 0.3);
        double rim = half - 0.5 * hole, middle = 0.25 * hole + 0.5 * half;
        CairnBodyDef body = cairn_body_def();
        body.type = CAIRN_BODY_STATIC;
        body.position = cairn_vec3(-middle * inward.x, -middle * inward.y, -r);
        CairnShapeDef floor = k < 2 ? cairn_box(rim, 2 * half, 2 * r) : cairn_box(hole, rim, 2 * r);
        floor.friction = 0.3;
        motion_shape(world, &body, &floor);
    }
    CairnShapeDef ball = cairn_sphere(r);
    ball.friction = 0.3;
    rain(world, COUNT, half, 0, &ball, 0.1, 7);
    int fallen[2] = {0, 0};
    for (int part = 0; part < 2; part++) {
        motion_steps(world, 1.0 / RATE, part == 0 ? RATE / 2 : RATE);
        for (int i = 0; i < COUNT; i++) {
            fallen[part] += motion_state(world, balls[i]).position.z < -2 * r;
        }
    }
    cairn_world_destroy(world);
    return fallen[1] - fallen[0];
}

// W = c (D - k d)^(5/2): the power from a line through the logarithms, with k = 1.4 for balls.
static void a_hopper_flows_with_the_power_of_five_halves(void **state) {
    (void)state;
    if (!is_long()) {
        print_message("skipped: CAIRN_LONG_TESTS=1 runs the hopper\n");
        skip();
    }
    enum { HOLES = 4 };
    const double edge[HOLES] = {4.5, 5.5, 6.5, 8}; // diameters
    double x[HOLES], y[HOLES], xx = 0, xy = 0, mean_x = 0, mean_y = 0;
    for (int k = 0; k < HOLES; k++) {
        double flow = discharge(edge[k] * 2 * r);
        print_message("a hole of %.1f diameters: %.0f balls a second\n", edge[k], flow);
        x[k] = log(edge[k] - 1.4);
        y[k] = log(flow);
        mean_x += x[k] / HOLES;
        mean_y += y[k] / HOLES;
    }
    for (int k = 0; k < HOLES; k++) {
        xx += (x[k] - mean_x) * (x[k] - mean_x);
        xy += (x[k] - mean_x) * (y[k] - mean_y);
    }
    print_message("power %.3f\n", xy / xx);
    assert_near(xy / xx, 2.5, 0.25);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_heap_fills_what_random_packings_fill),
        cmocka_unit_test(slopes_grow_with_friction),
        cmocka_unit_test(a_silo_saturates),
        cmocka_unit_test(a_hopper_flows_with_the_power_of_five_halves),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
