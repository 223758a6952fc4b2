// A box that slides over a mesh whose vertices are off by a little, under Coulomb's law: the triangles under it differ
// by less than springs give, or by more, and every frame has to be certified in a few factors all the same.
#include "tests/support/support_motion.h"
#include "tests/support/support_tally.h"
#include "tests/support/support_terrain.h"

#include <math.h>
#include <stdlib.h>

static const double g = 9.81, mu = 0.3, speed = 3;

static void add_ground(CairnWorld *world, double noise, double cell, uint64_t seed) {
    int n = (int)(5 / cell);
    SupportTerrain t = support_terrain(n, cell, support_level);
    for (int k = 0; k < (n + 1) * (n + 1); k++) {
        t.points[k] = cairn_add(t.points[k], support_vec3(&seed, -noise, noise));
    }
    CairnBodyDef body = cairn_body_def();
    body.type = CAIRN_BODY_STATIC;
    body.position = cairn_vec3(2.5, 0, 0);
    t.def.friction = mu;
    motion_shape(world, &body, &t.def);
    support_terrain_drop(&t);
}

typedef struct Slide {
    double way;
    int rows;
    SupportTally tally;
} Slide;

static void slide(double side, double noise, double cell, uint64_t seed, double h, Slide *found) {
    CairnWorldDef def = cairn_world_def();
    CairnWorld *world;
    support_tally_begin(&found->tally, &def);
    found->tally.folder = getenv("CAIRN_KEEP_PROBLEMS");
    found->tally.name = "rough";
    found->rows = 0;
    def.friction = CAIRN_FRICTION_COULOMB;
    assert_ok(cairn_world_create(&def, &world));
    assert_ok(support_tally_watch(world));
    add_ground(world, noise, cell, seed);
    CairnBodyDef body = cairn_body_def();
    CairnShapeDef box = cairn_box(side, side, 0.5 * side);
    body.mass = 1;
    body.position = cairn_vec3(1.013, 0.017, 0.25 * side + noise);
    body.velocity = cairn_vec3(speed, 0, 0);
    box.friction = mu;
    CairnBodyId id = motion_shape(world, &body, &box);
    for (int k = 0; k < (int)(1.5 / h); k++) {
        CairnStats stats;
        assert_ok(support_tally_step(&found->tally, world, h, &stats));
        found->rows = stats.rows > found->rows ? stats.rows : found->rows;
    }
    CairnBodyState state = motion_state(world, id);
    found->way = state.center.x - 1.013;
    assert_below(cairn_length(state.velocity), 1e-6 + sqrt(2 * g * noise)); // it may rock by what vertices are off
    cairn_world_destroy(world);
}

// v^2 / (2 mu g) = 1.529 m, and v h / 2 less in steps of h.
static void a_box_slides_as_far_as_on_a_plane(void **state) {
    (void)state;
    static const double sides[] = {0.25, 0.5, 1}, steps[] = {1.0 / 240, 1.0 / 60};
    const double exact = speed * speed / (2 * mu * g);
    bool is_long = getenv("CAIRN_LONG_TESTS") != NULL;
    assert_near(exact, 1.529, 5e-4);
    for (int i = 0; i < 6; i++) {
        if (!is_long && (i == 0 || i == 2)) {
            continue;
        }
        Slide s;
        SupportCounts frames = {0};
        double side = sides[i % 3], h = steps[i / 3], worst = 0, way = i < 3 ? exact : exact - 0.5 * speed * h;
        int uncertified = 0, rows = 0;
        for (int k = 0; k < (is_long ? 12 : 6); k += support_rounds(1, 3)) {
            slide(side, 1e-9 * pow(10, k % 6), k < 6 ? 0.1 : 0.05, (uint64_t)k + 1, h, &s);
            worst = fabs(s.way - way) > fabs(worst) ? s.way - way : worst;
            rows = s.rows > rows ? s.rows : rows;
            uncertified += s.tally.uncertified;
            support_counts_merge(&frames, &s.tally.frames);
        }
        print_message(
            "  box of %g m, h = 1/%g: %+.4f m off %.4f at worst; %d rows at most; %d of %d frames certified, factors "
            "a frame: median %d, worst %d\n",
            side, 1 / h, worst, way, rows, frames.count - uncertified, frames.count,
            support_counts_quantile(&frames, 0.5), frames.worst);
        assert_below(fabs(worst), 0.01 * exact);
        assert_int_equal(uncertified, 0);
        assert_true(frames.worst <= 50);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_slides_as_far_as_on_a_plane),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
