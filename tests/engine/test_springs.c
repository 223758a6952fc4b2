// Contacts are springs that remember: how deep they give way, that they give back no more than they took, and that
// nothing creeps on them.
#include "tests/support/support_motion.h"
#include <math.h>

static const double frame = 1.0 / 60;

// A floor whose normal leans by the slope against gravity.
static CairnWorld *floor_with(double slope, double give, double friction) {
    CairnWorldDef def = cairn_world_def();
    def.gravity = cairn_vec3(9.81 * sin(slope), 0, -9.81 * cos(slope));
    def.springs = give > 0 ? CAIRN_SPRINGS_ALWAYS : CAIRN_SPRINGS_NEVER;
    def.contact_give = give > 0 ? give : def.contact_give;
    CairnWorld *world = motion_world(&def);
    motion_ground(world, 0, friction, 0);
    return world;
}

static CairnBodyId put(CairnWorld *world, CairnShapeDef shape, CairnVec3 position, double mass) {
    CairnBodyDef body = cairn_body_def();
    body.mass = mass;
    body.position = position;
    shape.friction = 0.5;
    return motion_shape(world, &body, &shape);
}

// By a fourth at four corners, by contact_give at one point, by 1 + ln 100 times that under a hundred times the load.
static void they_give_way_by_their_load(void **state) {
    (void)state;
    for (double give = 1e-7; give < 2e-5; give *= 10) {
        CairnWorld *world = floor_with(0, give, 0.5);
        CairnBodyId ball = put(world, cairn_sphere(0.5), cairn_vec3(0, 0, 0.5), 3);
        CairnBodyId box = put(world, cairn_box(1, 1, 1), cairn_vec3(5, 0, 0.5), 7);
        CairnBodyId low = put(world, cairn_sphere(0.5), cairn_vec3(10, 0, 0.5), 1);
        CairnBodyId high = put(world, cairn_box(2, 2, 1), cairn_vec3(10, 0, 1.5), 99);
        motion_steps(world, frame, 200);
        assert_near(0.5 - motion_state(world, ball).center.z, give, 0.01 * give);
        assert_near(0.5 - motion_state(world, box).center.z, 0.25 * give, 0.01 * give);
        double deep = 0.5 - motion_state(world, low).center.z,
               between = 1.5 - deep - motion_state(world, high).center.z;
        print_message("  give %g: a hundred times the weight %.2f times as deep, %.2f between\n", give, deep / give,
                      between / give);
        assert_near(deep, give * (1 + log(100)), 0.6 * give); // half of one is left by a first step
        assert_near(between, give * (1 + log(100)), 0.6 * give);
        cairn_world_destroy(world);
    }
}

// A contact without a spring hardly gives way.
static void hard_contacts_hardly_give_way(void **state) {
    (void)state;
    CairnWorld *world = floor_with(0, 0, 0.5);
    CairnBodyId ball = put(world, cairn_sphere(0.5), cairn_vec3(0, 0, 0.5), 3);
    motion_steps(world, frame, 200);
    assert_below(0.5 - motion_state(world, ball).center.z, 1.01e-7);
    cairn_world_destroy(world);
}

// On a slope below tan^-1 mu, alone and with a load: after a second nothing moves in a thousand steps.
static void nothing_creeps_down_a_slope(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) {
        CairnWorld *world = floor_with(atan(0.1 + 0.18 * i), cairn_world_def().contact_give, 0.5);
        CairnBodyId low = put(world, cairn_box(1, 1, 0.5), cairn_vec3(0, 0, 0.25), 2);
        CairnBodyId high = put(world, cairn_box(0.5, 0.5, 0.3), cairn_vec3(0, 0, 0.65), 5);
        motion_steps(world, frame, 60);
        CairnVec3 a = motion_state(world, low).center, b = motion_state(world, high).center;
        motion_steps(world, frame, 1000);
        double drift = fmax(cairn_length(cairn_sub(motion_state(world, low).center, a)),
                            cairn_length(cairn_sub(motion_state(world, high).center, b)));
        print_message("  slope %.2f of mu: %.1e m in 1,000 steps\n", (0.1 + 0.18 * i) / 0.5, drift);
        assert_below(drift, 1e-9);
        cairn_world_destroy(world);
    }
}

// A tower that is put down sinks by what its contacts give way, rises by less than a thousandth of that, and stands.
static void a_tower_sinks_once(void **state) {
    (void)state;
    CairnWorld *world = floor_with(0, cairn_world_def().contact_give, 0.5);
    CairnBodyId top = put(world, cairn_box(0.5, 0.5, 0.5), cairn_vec3(0, 0, 0.25), 100);
    for (int i = 1; i < 12; i++) {
        top = put(world, cairn_box(0.5, 0.5, 0.5), cairn_vec3(0, 0, 0.25 + 0.5 * i), 100);
    }
    double lowest = HUGE_VAL, rise = 0, start = motion_state(world, top).center.z;
    for (int i = 0; i < 300; i++) {
        motion_steps(world, frame, 1);
        double z = motion_state(world, top).center.z;
        rise = fmax(rise, z - lowest);
        lowest = fmin(lowest, z);
    }
    print_message("  twelve boxes sink by %.1e m and rise by %.1e m\n", start - lowest, rise);
    assert_below(rise, 1e-3 * (start - lowest));
    assert_below(start - lowest, 12 * 4 * cairn_world_def().contact_give);
    assert_below(cairn_length(motion_state(world, top).velocity), 1e-12);
    cairn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_give_way_by_their_load),
        cmocka_unit_test(hard_contacts_hardly_give_way),
        cmocka_unit_test(nothing_creeps_down_a_slope),
        cmocka_unit_test(a_tower_sinks_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
