// Motion over triangle meshes: sliding, rolling, resting, falling, fast balls; threads and snapshots.
#include "tests/support/support_motion.h"
#include "tests/support/support_terrain.h"
#include "tests/support/support_worlds.h"

static const double frame = 1.0 / 60;

static void add_bumps(CairnWorld *world, int n, double cell) {
    SupportTerrain t = support_terrain(n, cell, support_bumps);
    t.def.friction = 0.9;
    CairnBodyDef body = cairn_body_def();
    body.type = CAIRN_BODY_STATIC;
    assert_ok(cairn_body_add(world, &body, &t.def, NULL));
    support_terrain_drop(&t);
}

static CairnWorld *world_on(SupportHeight *height, int n, double cell, double friction, CairnQuat turn, bool is_plane) {
    CairnWorldDef def = motion_stiff_def();
    def.gravity = cairn_rotate(turn, cairn_vec3(0, 0, -9.81));
    CairnWorld *world = motion_world(&def);
    CairnBodyDef ground = cairn_body_def();
    ground.type = CAIRN_BODY_STATIC;
    ground.orientation = turn;
    SupportTerrain t = support_terrain(n, cell, height);
    CairnShapeDef plane = cairn_half_space();
    CairnShapeDef *shape = is_plane ? &plane : &t.def;
    shape->friction = friction;
    assert_ok(cairn_body_add(world, &ground, shape, NULL));
    support_terrain_drop(&t);
    return world;
}

static CairnBodyId put(CairnWorld *world, CairnShapeDef shape, double friction, CairnQuat turn, CairnVec3 position,
                       CairnVec3 velocity, double heading) {
    shape.friction = friction;
    CairnBodyDef body = cairn_body_def();
    body.position = cairn_rotate(turn, position);
    body.velocity = cairn_rotate(turn, velocity);
    body.orientation = cairn_quat_mul(turn, cairn_quat_axis_angle(cairn_vec3(0, 0, 1), heading));
    body.type = CAIRN_BODY_DYNAMIC;
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
            CairnWorld *world = world_on(support_level, 50, 0.137, friction, turn, side == 1);
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
    CairnWorld *world = world_on(support_slope, 60, 0.2, 0.8, cairn_quat_identity(), false);
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
        CairnWorld *world = world_on(support_level, 20, 0.3, 0.5, cairn_quat_identity(), false);
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
        double ground = support_bumps(s.position.x, s.position.y);
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
        CairnWorld *world = world_on(k % 2 ? support_level : support_bumps, 80, 0.25, 0, cairn_quat_identity(), false);
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
    body.type = CAIRN_BODY_DYNAMIC;
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

int main(int argc, char **argv) {
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sliding_over_seams_is_sliding), cmocka_unit_test(a_ball_rolls_down_a_height_grid),
        cmocka_unit_test(boxes_rest_on_meshes),          cmocka_unit_test(what_falls_on_rough_ground_settles_on_it),
        cmocka_unit_test(fast_balls_do_not_pass),        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(a_snapshot_keeps_the_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
