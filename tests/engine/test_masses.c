// Nothing about a contact depends on how heavy or how large bodies are: they return, rest and bear alike from a
// milligram to a hundred million tons.
#include "tests/support/support_motion.h"

#include <stdlib.h>

static const double frame = 1.0 / 60;

static CairnWorld *ground(double gravity, double restitution) {
    CairnWorldDef def = cairn_world_def();
    def.gravity = cairn_vec3(0, 0, -gravity);
    CairnWorld *world;
    assert_ok(cairn_world_create(&def, &world));
    motion_ground(world, 0, 0.5, restitution);
    return world;
}

static CairnBodyId put(CairnWorld *world, CairnShapeDef shape, double mass, double height, double speed) {
    CairnBodyDef body = cairn_body_def();
    body.mass = mass;
    body.position.z = height;
    body.velocity.z = speed;
    return motion_shape(world, &body, &shape);
}

static void a_ball_returns_as_fast_as_it_came(void **state) {
    (void)state;
    for (int exponent = -6; exponent <= 14; exponent++) {
        CairnWorld *world = ground(0, 1);
        CairnShapeDef shape = cairn_sphere(0.5);
        shape.restitution = 1;
        CairnBodyId ball = put(world, shape, pow(10, exponent), 0.6, -3);
        motion_steps(world, frame, 30);
        assert_near(motion_state(world, ball).velocity.z, 3, 1e-8);
        cairn_world_destroy(world);
    }
}

// A body that rests, however heavy and large, goes in by no more than hard contacts give.
static void what_rests_hardly_gives_way(void **state) {
    (void)state;
    const double give = 1e-7; // of hard contacts
    for (int exponent = -6; exponent <= 14; exponent += 2) {
        for (double radius = 1e-3; radius < 2e3; radius *= 100) {
            for (int is_box = 0; is_box < 2; is_box++) {
                CairnWorld *world = ground(9.81, 0);
                CairnShapeDef shape = is_box ? cairn_box(2 * radius, 2 * radius, 2 * radius) : cairn_sphere(radius);
                CairnBodyId id = put(world, shape, pow(10, exponent), radius, 0);
                bool is_certified = true;
                for (int i = 0; i < 120; i++) {
                    is_certified = motion_steps(world, frame, 1).residual.is_certified && is_certified;
                }
                assert_true(is_certified);
                assert_below(radius - motion_state(world, id).center.z, 1.01 * give);
                assert_below(motion_state(world, id).center.z - radius, 1e-9 * radius);
                cairn_world_destroy(world);
            }
        }
    }
}

// A heavy body, put or dropped on a light one, does not push it into the ground or sink into it: by a ten-thousandth of
// their size at most, up to a thousand million to one.
static void the_light_bear_the_heavy(void **state) {
    (void)state;
    for (int exponent = 0; exponent <= 9; exponent++) {
        for (int kind = 0; kind < 4; kind++) {
            CairnWorld *world = ground(9.81, 0);
            CairnShapeDef box = cairn_box(1, 1, 1), top = (kind & 1) != 0 ? box : cairn_sphere(0.5);
            CairnBodyId low = put(world, box, 1, 0.5, 0);
            CairnBodyId high = put(world, top, pow(10, exponent), (kind & 2) != 0 ? 2 : 1.5, 0);
            double deepest = 0;
            int certified = 0;
            for (int i = 0; i < 180; i++) {
                certified += motion_steps(world, frame, 1).residual.is_certified ? 1 : 0;
                double z = motion_state(world, low).center.z;
                deepest = fmax(deepest, fmax(0.5 - z, 1 - (motion_state(world, high).center.z - z)));
            }
            assert_below(deepest, 1e-4);
            assert_near(motion_state(world, high).center.z, 1.5, 1e-4);
            assert_int_equal(certified, 180);
            cairn_world_destroy(world);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_returns_as_fast_as_it_came),
        cmocka_unit_test(what_rests_hardly_gives_way),
        cmocka_unit_test(the_light_bear_the_heavy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
