// Worlds under laws whose bounds follow the load, mostly by ipm-cone: closed forms that a box of friction misses or
// meets by its axes alone.
#include "demos/scenes/scenes.h"
#include "solvers/exact/bpp.h"
#include "solvers/exact/ipm_cone.h"
#include "tests/support/support_motion.h"

#include <stdlib.h>

static const double g = 9.81;
static const CairnFrictionKind kinds[2] = {CAIRN_FRICTION_CONE, CAIRN_FRICTION_COULOMB};

static CairnWorld *cone_world(CairnFrictionKind kind, bool is_stiff) {
    CairnWorldDef def = is_stiff ? motion_stiff_def() : cairn_world_def();
    def.friction = kind;
    CairnWorld *world = motion_world(&def);
    assert_ok(cairn_world_set_solver(world, &cairn_solver_ipm_cone, NULL));
    return world;
}

static CairnBodyId add_block(CairnWorld *world, double angle, double height, double friction, CairnVec3 velocity) {
    CairnBodyDef def = motion_on_ground(angle, 0, 0.5 * height);
    def.velocity = cairn_rotate(def.orientation, velocity);
    CairnShapeDef box = cairn_box(1, 1, height);
    box.friction = friction;
    return motion_shape(world, &def, &box);
}

static CairnStats certified_steps(CairnWorld *world, double h, int count) {
    CairnStats stats = {0};
    for (int k = 0; k < count; k++) {
        stats = motion_steps(world, h, 1);
        assert_true(stats.residual.is_certified);
    }
    return stats;
}

// Straight along its velocity and as far in every direction: 2 - mu g t after half a second, at rest after 1.5.
static void sliding_is_straight_in_every_direction(void **state) {
    (void)state;
    for (int i = 0; i < 9; i++) {
        double turn = 0.1 + i * CAIRN_PI / 4.3;
        CairnVec3 way = {cos(turn), sin(turn), 0};
        CairnWorld *world = cone_world(CAIRN_FRICTION_COULOMB, true);
        motion_ground(world, 0, 0.2, 0);
        CairnBodyId id = add_block(world, 0, 0.2, 0.2, cairn_scale(2, way));
        certified_steps(world, 0.01, 50);
        assert_vec3_near(motion_state(world, id).velocity, cairn_scale(2 - 0.2 * g * 0.5, way), 1e-7);
        certified_steps(world, 0.01, 100);
        assert_vec3_near(motion_state(world, id).velocity, cairn_vec3(0, 0, 0), 1e-7);
        cairn_world_destroy(world);
    }
}

// The convex law lets a slide rise at mu |u_T|: the first step of a block that slides at v has w_N = mu v, Coulomb's
// w_N = 0.
static void the_convex_law_lifts_a_slide(void **state) {
    (void)state;
    const double v = 2, mu = 0.2, h = 0.01;
    for (int k = 0; k < 2; k++) {
        CairnWorld *world = cone_world(kinds[k], true);
        motion_ground(world, 0, mu, 0);
        CairnBodyId id = add_block(world, 0, 0.2, mu, cairn_vec3(v, 0, 0));
        certified_steps(world, h, 1);
        CairnVec3 after = motion_state(world, id).velocity;
        if (k == 0) {
            // P_K of (g h, -v): u_N = mu |u_T|, and the impulse on the edge: |u_T| = (v - mu g h) / (1 + mu^2).
            double slip = (v - mu * g * h) / (1 + mu * mu);
            assert_near(after.x, slip, 1e-6);
            assert_near(after.z, mu * slip, 1e-6);
        } else {
            assert_near(after.x, v - mu * g * h, 1e-7);
            assert_near(after.z, 0, 1e-7);
        }
        cairn_world_destroy(world);
    }
}

// Rests below atan(mu), slides above, whichever way the block is turned on the slope.
static void block_starts_to_slide_at_atan_mu(void **state) {
    (void)state;
    static const double frictions[] = {0.1, 0.3, 0.6};
    for (int i = 0; i < 12; i++) {
        double mu = frictions[i % 3], side = i % 2 ? 1 : -1;
        double angle = atan(mu) + side * 0.05 * CAIRN_PI / 180;
        CairnWorld *world = cone_world(CAIRN_FRICTION_COULOMB, false);
        motion_ground(world, angle, mu, 0);
        CairnBodyDef def = motion_on_ground(angle, 0, 0.05);
        CairnQuat yaw = cairn_quat_axis_angle(cairn_vec3(0, 0, 1), 0.37 * i);
        def.orientation = cairn_quat_mul(def.orientation, yaw);
        CairnShapeDef box = cairn_box(1, 1, 0.1);
        box.friction = mu;
        CairnBodyId block = motion_shape(world, &def, &box);
        CairnVec3 start = motion_state(world, block).center;
        certified_steps(world, 0.01, 100);
        CairnVec3 moved = cairn_sub(motion_state(world, block).center, start);
        double way = -cairn_dot(moved, cairn_vec3(cos(angle), 0, sin(angle)));
        double a = g * (sin(angle) - mu * cos(angle));
        if (side < 0) {
            assert_below(fabs(way), cairn_world_def().contact_give); // friction gives way when it begins to bear
        } else {
            assert_near(way, 0.5 * a, 0.02 * a); // half a step, and one of getting off
        }
        assert_near(moved.y, 0, 1e-6);
        cairn_world_destroy(world);
    }
}

// A ball on a slope rolls with 5/7 of the acceleration, and torsion stops a spinning ball in the time I w / (lever m
// g).
static void balls_roll_and_tops_stop(void **state) {
    (void)state;
    const double angle = 0.2, r = 0.3, h = 1e-3;
    CairnWorld *world = cone_world(CAIRN_FRICTION_COULOMB, true);
    motion_ground(world, angle, 0.8, 0);
    CairnBodyDef def = motion_on_ground(angle, 0, r);
    CairnShapeDef ball = cairn_sphere(r);
    ball.friction = 0.8;
    CairnBodyId id = motion_shape(world, &def, &ball);
    certified_steps(world, h, 500);
    double speed = -cairn_dot(motion_state(world, id).velocity, cairn_vec3(cos(angle), 0, sin(angle)));
    assert_near(speed, 5.0 / 7 * g * sin(angle) * 0.5, 1e-6);
    cairn_world_destroy(world);

    const double lever = 0.01, w0 = 5;
    world = cone_world(CAIRN_FRICTION_COULOMB, true);
    motion_ground(world, 0, 0.5, 0);
    def = motion_on_ground(0, 0, r);
    def.angular_velocity = cairn_vec3(0, 0, w0);
    ball = cairn_sphere(r);
    ball.friction = 0.5;
    ball.torsional_friction = lever;
    id = motion_shape(world, &def, &ball);
    double slow = lever * g / (0.4 * r * r); // torque lever m g over 2/5 m r^2
    certified_steps(world, h, 800);
    assert_near(motion_state(world, id).angular_velocity.z, w0 - slow * 0.8, 1e-6);
    certified_steps(world, h, 1200);
    assert_near(motion_state(world, id).angular_velocity.z, 0, 1e-6);
    cairn_world_destroy(world);
}

// Rolling rows follow the load, and those of contacts that open go with it to zero, far below what rounding lets a
// method tell: they stopped the interior point, and a third of such frames ended without a certificate.
static void what_follows_the_load_is_certified_where_contacts_open(void **state) {
    (void)state;
    static const struct {
        CairnFrictionKind law;
        const CairnSolver *solver;
    } ways[] = {{CAIRN_FRICTION_CONE, &cairn_solver_ipm_cone}, {CAIRN_FRICTION_BOX_CURRENT, &cairn_solver_bpp}};
    const CairnScene *scene;
    assert_ok(cairn_scene_find("chain_wrap", &scene));
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        CairnWorldDef def = cairn_world_def();
        void *params = calloc(1, scene->params.size + 1), *memory = calloc(1, scene->memory_size + 1);
        assert_true(params != NULL && memory != NULL);
        cairn_fields_preset(&scene->params, params);
        assert_ok(cairn_fields_parse(&scene->params, params, "links=75"));
        scene->settings(params, &def);
        def.friction = ways[k].law;
        CairnSceneRun run = {.params = params, .memory = memory, .seed = 1};
        assert_ok(cairn_world_create(&def, &run.world));
        assert_ok(cairn_world_set_solver(run.world, ways[k].solver, NULL));
        assert_ok(scene->build(&run));
        certified_steps(run.world, scene->step, 70);
        cairn_world_destroy(run.world);
        free(params);
        free(memory);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sliding_is_straight_in_every_direction),
        cmocka_unit_test(the_convex_law_lifts_a_slide),
        cmocka_unit_test(block_starts_to_slide_at_atan_mu),
        cmocka_unit_test(balls_roll_and_tops_stop),
        cmocka_unit_test(what_follows_the_load_is_certified_where_contacts_open),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
