// Fast bodies: they pass through nothing, meet where they really meet, and feel nothing where they only pass by.
#include "tests/support/support.h"
#include "tests/support/support_mechanism.h"
#include <cairn/cairn.h>

static const double frame = 1.0 / 60;

static CairnWorld *empty_world(void) {
    CairnWorldDef def = cairn_world_def();
    def.gravity = cairn_vec3(0, 0, 0);
    CairnWorld *world;
    assert_ok(cairn_world_create(&def, &world));
    return world;
}

static CairnBodyId put(CairnWorld *world, CairnBodyType type, CairnVec3 position, CairnVec3 velocity, CairnVec3 spin,
                       const CairnShapeDef *shape, bool continuous) {
    CairnBodyDef body = cairn_body_def();
    body.type = type;
    body.position = position;
    body.velocity = velocity;
    body.angular_velocity = spin;
    body.continuous = continuous;
    CairnBodyId id;
    assert_ok(cairn_body_add(world, &body, shape, &id));
    return id;
}

static void step(CairnWorld *world, int count) {
    for (int i = 0; i < count; i++) {
        assert_ok(cairn_world_step(world, frame, NULL));
    }
}

static const CairnVec3 none = {0, 0, 0};

// A wall of 1 cm whose near face is at x = 0.
static void put_wall(CairnWorld *world) {
    CairnShapeDef wall = cairn_box(0.01, 10, 10);
    wall.friction = 0;
    put(world, CAIRN_BODY_STATIC, cairn_vec3(0.005, 0, 0), none, none, &wall, true);
}

static void a_bullet_stops_at_a_thin_wall(void **state) {
    (void)state;
    uint64_t seed = 1;
    CairnShapeDef ball = cairn_sphere(0.005);
    ball.friction = 0;
    for (int i = 0; i < 200; i++) {
        CairnWorld *world = empty_world();
        put_wall(world);
        CairnVec3 from = {support_uniform(&seed, -3, -0.01), support_uniform(&seed, -1, 1), 0};
        CairnVec3 velocity = {100, support_uniform(&seed, -50, 50), support_uniform(&seed, -50, 50)};
        CairnBodyId id = put(world, CAIRN_BODY_DYNAMIC, from, velocity, none, &ball, true);
        step(world, 4);
        CairnBodyState end = support_state(world, id);
        assert_near(end.position.x, -0.005,
                    1e-5); // at rest against the wall: the slop and the compliance of one impact
        assert_near(end.velocity.x, 0, 1e-6);
        assert_near(end.velocity.y, velocity.y, 1e-9); // no friction: it slides on
        cairn_world_destroy(world);
    }
}

static void without_the_switch_it_passes(void **state) {
    (void)state;
    CairnWorld *world = empty_world();
    put_wall(world);
    CairnShapeDef ball = cairn_sphere(0.005);
    CairnBodyId id = put(world, CAIRN_BODY_DYNAMIC, cairn_vec3(-0.5, 0, 0), cairn_vec3(100, 0, 0), none, &ball, false);
    step(world, 4);
    assert_true(support_state(world, id).position.x > 1);
    cairn_world_destroy(world);
}

// A link that lies so deep in a table that its core has all but arrived, and slides over it, tied to another one:
// contacts lift both out, and they go on as they went.
static void what_lies_deep_is_not_frozen(void **state) {
    (void)state;
    CairnWorld *world = empty_world();
    CairnShapeDef table = cairn_box(10, 10, 1), link = cairn_capsule(0.04, 0.2);
    table.friction = link.friction = 0;
    put(world, CAIRN_BODY_STATIC, cairn_vec3(0, 0, -0.5), none, none, &table, true);
    CairnBodyId ids[2];
    for (int i = 0; i < 2; i++) {
        CairnBodyDef body = cairn_body_def();
        body.position = cairn_vec3(0.2 * i, 0, 0.021 + 0.1 * i); // a core has half of the radius: its gap is 1 mm
        body.orientation = cairn_quat_axis_angle(cairn_vec3(1, 0, 0), CAIRN_PI / 2);
        body.velocity = cairn_vec3(3, 0, 0);
        assert_ok(cairn_body_add(world, &body, &link, &ids[i]));
    }
    CairnJointDef joint = cairn_joint_def(CAIRN_JOINT_BALL);
    joint.body_a = ids[0];
    joint.body_b = ids[1];
    assert_ok(cairn_joint_place(world, &joint, cairn_vec3(0.1, 0, 0.07), cairn_vec3(1, 0, 0), none));
    assert_ok(cairn_joint_create(world, &joint, NULL));
    step(world, 60);
    CairnBodyState first = support_state(world, ids[0]), second = support_state(world, ids[1]);
    assert_near(0.5 * (first.center.x + second.center.x), 0.1 + 3, 1e-9); // nothing acts along the table
    assert_true(first.center.z > 0.0399 && second.center.z > 0.0399);
    cairn_world_destroy(world);
}

static CairnShapeDef shape_of(int kind) {
    static const CairnVec3 points[] = {{-0.03, -0.02, -0.02}, {0.03, -0.02, -0.01}, {0, 0.03, -0.02}, {0, 0, 0.03}};
    switch (kind) {
    case 0:
        return cairn_sphere(0.03);
    case 1:
        return cairn_box(0.08, 0.03, 0.02);
    case 2:
        return cairn_capsule(0.02, 0.06);
    case 3:
        return cairn_cylinder(0.03, 0.05);
    default:
        return cairn_hull(points, 4);
    }
}

// Spinning, from any distance and at any angle, against a wall, a floor and each other: nothing gets to the far side.
static void tumbling_shapes_pass_through_nothing(void **state) {
    (void)state;
    uint64_t seed = 2;
    for (int i = 0; i < 300; i++) {
        CairnWorld *world = empty_world();
        if (i % 2 == 0) {
            put_wall(world);
        } else {
            CairnShapeDef floor = cairn_half_space();
            CairnBodyDef body = cairn_body_def();
            body.type = CAIRN_BODY_STATIC;
            body.orientation = cairn_quat_between(cairn_vec3(0, 0, 1), cairn_vec3(-1, 0, 0)); // its surface is x = 0
            CairnBodyId id;
            assert_ok(cairn_body_add(world, &body, &floor, &id));
        }
        CairnShapeDef shape = shape_of(i / 2 % 5);
        CairnVec3 from = {support_uniform(&seed, -4, -0.2), 0, 0};
        CairnVec3 velocity = {support_uniform(&seed, 10, 200), support_uniform(&seed, -20, 20), 0};
        CairnBodyId id = put(world, CAIRN_BODY_DYNAMIC, from, velocity, support_vec3(&seed, -30, 30), &shape, true);
        for (int k = 0; k < 30; k++) {
            step(world, 1);
            assert_below(support_state(world, id).center.x,
                         0.005); // the middle of the wall: its centre never got inside
        }
        cairn_world_destroy(world);
    }
}

static void two_bullets_meet(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 100; i++) {
        CairnWorld *world = empty_world();
        CairnShapeDef shape = shape_of(i % 4), other = shape_of(i / 4 % 4); // the centred ones
        double gap = support_uniform(&seed, 0.5, 3);
        CairnBodyId a =
            put(world, CAIRN_BODY_DYNAMIC, cairn_vec3(-gap, 0, 0), cairn_vec3(80, 0, 0), none, &shape, true);
        CairnBodyId b =
            put(world, CAIRN_BODY_DYNAMIC, cairn_vec3(gap, 0, 0), cairn_vec3(-80, 0, 0), none, &other, true);
        for (int k = 0; k < 6; k++) {
            step(world, 1);
            CairnBodyState sa = support_state(world, a), sb = support_state(world, b);
            assert_below(sa.center.x, sb.center.x);
        }
        cairn_world_destroy(world);
    }
}

// A ball flies past the edge of a box. It is touched if and only if its path comes nearer to the edge than its radius;
// a pass leaves the velocity as it was.
static void passing_by_is_not_a_hit(void **state) {
    (void)state;
    uint64_t seed = 4;
    int hits = 0, passes = 0;
    for (int i = 0; i < 400; i++) {
        CairnWorld *world = empty_world();
        CairnShapeDef box = cairn_box(1, 1, 10), ball = cairn_sphere(0.1);
        put(world, CAIRN_BODY_STATIC, cairn_vec3(0.5, -0.5, 0), none, none, &box, true); // its edge is the z axis
        double angle = support_uniform(&seed, -0.7, 0.7), miss = support_uniform(&seed, -0.3, 0.5);
        if (fabs(miss - 0.1) < 0.005) {
            cairn_world_destroy(world);
            continue; // a graze within the tolerance of the sweep: either answer is right
        }
        CairnVec3 along = {cos(angle), sin(angle), 0}, across = {-sin(angle), cos(angle), 0};
        CairnVec3 velocity = cairn_scale(60, along);
        CairnVec3 from = cairn_add(cairn_scale(miss, across), cairn_scale(-support_uniform(&seed, 0.7, 3), along));
        CairnBodyId id = put(world, CAIRN_BODY_DYNAMIC, from, velocity, none, &ball, true);
        step(world, 6);
        CairnVec3 end = support_state(world, id).velocity;
        bool was_hit = cairn_length(cairn_sub(end, velocity)) > 1e-9; // rounding leaves 1e-14
        // Rising paths that clear the edge clear the box; falling ones go on to meet its upper face.
        bool meets = miss < 0.1 || angle < 0;
        if (angle > 0 || miss < 0.1) {
            assert_int_equal(was_hit, meets);
            hits += was_hit ? 1 : 0;
            passes += was_hit ? 0 : 1;
        }
        cairn_world_destroy(world);
    }
    assert_true(hits > 50 && passes > 50);
}

static void a_fast_ball_bounces_off(void **state) {
    (void)state;
    CairnWorld *world = empty_world();
    put_wall(world);
    CairnShapeDef ball = cairn_sphere(0.05);
    ball.restitution = 0.5;
    ball.friction = 0;
    CairnBodyId id = put(world, CAIRN_BODY_DYNAMIC, cairn_vec3(-3, 0, 0), cairn_vec3(100, 7, 0), none, &ball, true);
    step(world, 10);
    CairnBodyState end = support_state(world, id);
    assert_near(end.velocity.x, -50, 1e-6);
    assert_near(end.velocity.y, 7, 1e-9);
    cairn_world_destroy(world);
}

// A block that slides fast keeps its contacts with the floor, step for step.
// The ground itself may be what is fast: one metre a step, at things half a metre over it.
static void a_rising_floor_takes_along(void **state) {
    (void)state;
    CairnShapeDef floor = cairn_half_space();
    CairnShapeDef shapes[] = {cairn_sphere(0.2), cairn_box(0.4, 0.4, 0.4), cairn_cylinder(0.2, 0.4),
                              cairn_capsule(0.2, 0.4)};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        CairnWorld *world = empty_world();
        CairnBodyId plane = put(world, CAIRN_BODY_KINEMATIC, none, cairn_vec3(0, 0, 60), none, &floor, true);
        CairnBodyId id = put(world, CAIRN_BODY_DYNAMIC, cairn_vec3(0, 0, 0.7), none, none, &shapes[i], true);
        for (int k = 0; k < 5; k++) {
            step(world, 1);
            double height = support_state(world, id).position.z - support_state(world, plane).position.z;
            assert_true(height > (shapes[i].type == CAIRN_SHAPE_CAPSULE ? 0.4 : 0.2) - 1e-3);
        }
        cairn_world_destroy(world);
    }
}

static void fast_sliding_stays_on_the_floor(void **state) {
    (void)state;
    CairnWorldDef def = cairn_world_def();
    CairnWorld *world;
    assert_ok(cairn_world_create(&def, &world));
    CairnShapeDef floor = cairn_half_space(), block = cairn_box(0.4, 0.4, 0.2);
    floor.friction = block.friction = 0.1;
    put(world, CAIRN_BODY_STATIC, none, none, none, &floor, true);
    CairnBodyId id = put(world, CAIRN_BODY_DYNAMIC, cairn_vec3(0, 0, 0.1), cairn_vec3(60, 0, 0), none, &block, true);
    for (int i = 0; i < 120; i++) {
        CairnStats stats;
        assert_ok(cairn_world_step(world, frame, &stats));
        assert_int_equal(stats.contacts, 4);
    }
    CairnBodyState end = support_state(world, id);
    assert_near(end.position.z, 0.1, 1e-5);
    assert_near(end.velocity.x, 60 - 0.1 * 9.81 * 2, 1e-3);
    assert_near(cairn_length(end.angular_velocity), 0, 1e-6);
    cairn_world_destroy(world);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bullet_stops_at_a_thin_wall),
        cmocka_unit_test(without_the_switch_it_passes),
        cmocka_unit_test(what_lies_deep_is_not_frozen),
        cmocka_unit_test(tumbling_shapes_pass_through_nothing),
        cmocka_unit_test(two_bullets_meet),
        cmocka_unit_test(passing_by_is_not_a_hit),
        cmocka_unit_test(a_fast_ball_bounces_off),
        cmocka_unit_test(a_rising_floor_takes_along),
        cmocka_unit_test(fast_sliding_stays_on_the_floor),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
