// What a world is made of: bodies, shapes and joints that come and go, masses, filters, materials.
#include "tests/support/support.h"
#include "tests/support/support_mechanism.h"
#include "tests/support/support_worlds.h"

#include <string.h>

#define V(x, y, z) ((CairnVec3){x, y, z})
#define NO_TURN ((CairnQuat){1, 0, 0, 0})

static const CairnBodyId nobody = {0, 0, 0};

// ---- create and destroy, against a model ----

enum { SLOTS = 60, SHAPES_EACH = 4, MODEL_JOINTS = 80 };

typedef struct ModelBody {
    bool is_alive;
    CairnBodyId id;
    CairnShapeId shapes[SHAPES_EACH];
    int shape_count;
} ModelBody;

typedef struct ModelJoint {
    bool is_alive;
    CairnJointId id;
    int a, b; // bodies of the model, -1: the world; a gear: joints of the model
    bool is_gear;
} ModelJoint;

typedef struct Model {
    CairnWorld *world;
    uint64_t random;
    ModelBody bodies[SLOTS];
    ModelJoint joints[MODEL_JOINTS];
} Model;

static void model_create_body(Model *m, int i) {
    CairnBodyDef def = cairn_body_def();
    def.position = support_vec3(&m->random, -20, 20);
    def.user_data = (uint64_t)i;
    ModelBody *body = &m->bodies[i];
    CairnBodyId dead = body->id;
    assert_ok(cairn_body_create(m->world, &def, &body->id));
    assert_true(body->id.generation % 2 == 1);
    assert_false(dead.index == body->id.index && dead.generation == body->id.generation);
    assert_false(cairn_body_is_alive(m->world, dead));
    body->is_alive = true;
    body->shape_count = 0;
}

static void model_remove_joint(Model *m, int j) {
    m->joints[j].is_alive = false;
    for (int g = 0; g < MODEL_JOINTS; g++) {
        ModelJoint *gear = &m->joints[g];
        gear->is_alive = gear->is_alive && !(gear->is_gear && (gear->a == j || gear->b == j));
    }
}

static void model_destroy_body(Model *m, int i) {
    assert_ok(cairn_body_destroy(m->world, m->bodies[i].id));
    assert_refused(cairn_body_destroy(m->world, m->bodies[i].id), CAIRN_INVALID_ID, "destroyed");
    m->bodies[i].is_alive = false;
    for (int s = 0; s < m->bodies[i].shape_count; s++) {
        assert_refused(cairn_shape_get(m->world, m->bodies[i].shapes[s], NULL, NULL), CAIRN_INVALID_ID, "destroyed");
    }
    for (int j = 0; j < MODEL_JOINTS; j++) {
        if (m->joints[j].is_alive && !m->joints[j].is_gear && (m->joints[j].a == i || m->joints[j].b == i)) {
            model_remove_joint(m, j);
        }
    }
}

static void model_change_shapes(Model *m, int i) {
    ModelBody *body = &m->bodies[i];
    if (body->shape_count < SHAPES_EACH && support_int(&m->random, 0, 2) > 0) {
        CairnShapeDef def = cairn_sphere(0.3);
        def.position = support_vec3(&m->random, -1, 1);
        assert_ok(cairn_shape_create(m->world, body->id, &def, &body->shapes[body->shape_count++]));
    } else if (body->shape_count > 0) {
        int s = support_int(&m->random, 0, body->shape_count - 1);
        assert_ok(cairn_shape_destroy(m->world, body->shapes[s]));
        assert_refused(cairn_shape_destroy(m->world, body->shapes[s]), CAIRN_INVALID_ID, "destroyed");
        body->shape_count -= 1;
        memmove(&body->shapes[s], &body->shapes[s + 1], (size_t)(body->shape_count - s) * sizeof body->shapes[0]);
    }
}

static void model_create_joint(Model *m, int j) {
    ModelJoint *joint = &m->joints[j];
    int a = support_int(&m->random, -1, SLOTS - 1), b = support_int(&m->random, 0, SLOTS - 1);
    CairnJointDef def = cairn_joint_def(CAIRN_JOINT_REVOLUTE);
    joint->is_gear = support_int(&m->random, 0, 3) == 0;
    if (joint->is_gear) {
        a = support_int(&m->random, 0, MODEL_JOINTS - 1);
        b = support_int(&m->random, 0, MODEL_JOINTS - 1);
        if (a == b || !m->joints[a].is_alive || !m->joints[b].is_alive || m->joints[a].is_gear ||
            m->joints[b].is_gear) {
            return;
        }
        def = cairn_joint_def(CAIRN_JOINT_GEAR);
        def.joint_a = m->joints[a].id;
        def.joint_b = m->joints[b].id;
    } else if (a == b || !m->bodies[b].is_alive || (a >= 0 && !m->bodies[a].is_alive)) {
        return;
    } else {
        def.body_a = a >= 0 ? m->bodies[a].id : nobody;
        def.body_b = m->bodies[b].id;
    }
    assert_ok(cairn_joint_create(m->world, &def, &joint->id));
    joint->is_alive = true;
    joint->a = a;
    joint->b = b;
}

static void model_compare(const Model *m) {
    CairnBodyId bodies[SLOTS];
    CairnJointId joints[MODEL_JOINTS];
    int alive = 0, alive_joints = 0;
    for (int i = 0; i < SLOTS; i++) {
        const ModelBody *body = &m->bodies[i];
        assert_int_equal(cairn_body_is_alive(m->world, body->id), body->is_alive);
        alive += body->is_alive ? 1 : 0;
        if (!body->is_alive) {
            assert_int_equal(cairn_body_shapes(m->world, body->id, NULL, 0), 0);
            continue;
        }
        assert_int_equal(support_state(m->world, body->id).user_data, i);
        CairnShapeId shapes[SHAPES_EACH];
        assert_int_equal(cairn_body_shapes(m->world, body->id, shapes, SHAPES_EACH), body->shape_count);
        for (int s = 0; s < body->shape_count; s++) { // in the order in which they were made
            assert_true(support_same_shape(shapes[s], body->shapes[s]));
        }
        int wanted = 0;
        for (int j = 0; j < MODEL_JOINTS; j++) {
            wanted += m->joints[j].is_alive && !m->joints[j].is_gear && (m->joints[j].a == i || m->joints[j].b == i);
        }
        assert_int_equal(cairn_body_joints(m->world, body->id, NULL, 0), wanted);
    }
    assert_int_equal(cairn_world_bodies(m->world, bodies, SLOTS), alive);
    for (int k = 1; k < alive; k++) { // in the order of slots
        assert_true(bodies[k - 1].index < bodies[k].index);
    }
    for (int j = 0; j < MODEL_JOINTS; j++) {
        CairnJointDef def;
        alive_joints += m->joints[j].is_alive ? 1 : 0;
        assert_int_equal(cairn_is_ok(cairn_joint_get_def(m->world, m->joints[j].id, &def)), m->joints[j].is_alive);
    }
    assert_int_equal(cairn_world_joints(m->world, joints, MODEL_JOINTS), alive_joints);
}

static void lists_agree_with_a_model(void **state) {
    (void)state;
    Model m = {.world = support_empty_world(), .random = 5};
    int operations = support_is_long() ? 200000 : 6000;
    for (int k = 0; k < operations; k++) {
        int i = support_int(&m.random, 0, SLOTS - 1), j = support_int(&m.random, 0, MODEL_JOINTS - 1);
        int what = support_int(&m.random, 0, 9);
        if (!m.bodies[i].is_alive) {
            model_create_body(&m, i);
        } else if (what == 0) {
            model_destroy_body(&m, i);
        } else if (what < 6) {
            model_change_shapes(&m, i);
        } else if (m.joints[j].is_alive) {
            assert_ok(cairn_joint_destroy(m.world, m.joints[j].id));
            model_remove_joint(&m, j);
        } else {
            model_create_joint(&m, j);
        }
        if (k % 10 == 0) {
            model_compare(&m);
        }
    }
    model_compare(&m);
    cairn_world_destroy(m.world);
}

static void listings_fill_what_there_is_room_for(void **state) {
    (void)state;
    CairnWorld *world = support_scene_world(SUPPORT_TOWER, NULL, 1);
    CairnBodyId few[3] = {{0}}, all[64];
    int count = cairn_world_bodies(world, all, 64);
    assert_int_equal(cairn_world_bodies(world, few, 2), count);
    assert_memory_equal(few, all, 2 * sizeof few[0]);
    assert_int_equal(few[2].index, 0);
    assert_int_equal(cairn_world_bodies(world, NULL, 0), count);
    cairn_world_destroy(world);
}

// ---- mass ----

static void mass_comes_from_shapes_or_is_given(void **state) {
    (void)state;
    CairnWorld *world = support_empty_world();
    CairnShapeDef box = cairn_box(2, 1, 0.5);
    box.density = 600;
    CairnBodyState shaped = support_state(world, support_add(world, CAIRN_BODY_DYNAMIC, box, V(0, 0, 0)));
    assert_near(shaped.mass.mass, 600, 1e-12 * 600);
    assert_mat3_near(shaped.mass.inertia, cairn_mat3_diagonal(62.5, 212.5, 250), 1e-10);
    CairnBodyDef def = cairn_body_def();
    CairnBodyId id;
    def.mass = 12; // given: the shapes' inertia, scaled
    assert_ok(cairn_body_add(world, &def, &box, &id));
    assert_near(support_state(world, id).mass.mass, 12, 0);
    assert_mat3_near(support_state(world, id).mass.inertia, cairn_mat3_diagonal(1.25, 4.25, 5), 1e-12);
    def.inertia = V(3, 4, 5); // given with products and a centre: the shapes do not count
    def.inertia_products = V(-0.5, 0.2, 0.3);
    def.center = V(0.1, -0.2, 0.3);
    assert_ok(cairn_body_add(world, &def, &box, &id));
    CairnBodyState given = support_state(world, id);
    const CairnMat3 wanted = {{{3, -0.5, 0.2}, {-0.5, 4, 0.3}, {0.2, 0.3, 5}}};
    assert_mat3_near(given.mass.inertia, wanted, 1e-14);
    assert_vec3_near(given.mass.center, V(0.1, -0.2, 0.3), 0);
    assert_vec3_near(given.center, V(0.1, -0.2, 0.3), 1e-16);
    cairn_world_destroy(world);
}

// Two balls on a bar: Steiner by hand.
static void a_compound_adds_up(void **state) {
    (void)state;
    CairnWorld *world = support_empty_world();
    CairnBodyDef def = cairn_body_def();
    CairnBodyId id;
    assert_ok(cairn_body_create(world, &def, &id));
    CairnShapeDef ball = cairn_sphere(0.5);
    double m = 1000 * 4.0 / 3 * CAIRN_PI * 0.125, own = 0.4 * m * 0.25;
    ball.position = V(1, 0, 0);
    assert_ok(cairn_shape_create(world, id, &ball, NULL));
    ball.position = V(-2, 0, 0);
    ball.density = 2000;
    assert_ok(cairn_shape_create(world, id, &ball, NULL));
    CairnBodyState body = support_state(world, id);
    double across = 3 * own + m * 4 + 2 * m * 1; // 2 and 1 from the centre at x = -1
    assert_near(body.mass.mass, 3 * m, 1e-12 * m);
    assert_vec3_near(body.mass.center, V(-1, 0, 0), 1e-15);
    assert_mat3_near(body.mass.inertia, cairn_mat3_diagonal(3 * own, across, across), 1e-12 * across);
    cairn_world_destroy(world);
}

static CairnVec3 velocity_at(CairnBodyState body, CairnVec3 point) {
    return cairn_add(body.velocity, cairn_cross(body.angular_velocity, cairn_sub(point, body.center)));
}

// A new shape moves the centre of mass; every material point keeps its place and its velocity.
static void a_new_shape_leaves_the_motion(void **state) {
    (void)state;
    uint64_t random = 9;
    CairnWorld *world = support_empty_world();
    for (int trial = 0; trial < 50; trial++) {
        CairnBodyDef def = cairn_body_def();
        def.position = support_vec3(&random, -5, 5);
        def.orientation = support_quat(&random);
        def.velocity = support_vec3(&random, -5, 5);
        def.angular_velocity = support_vec3(&random, -5, 5);
        CairnBodyId id;
        CairnShapeId extra;
        CairnShapeDef box = cairn_box(1, 2, 0.5), ball = cairn_sphere(0.4);
        assert_ok(cairn_body_add(world, &def, &box, &id));
        CairnBodyState before = support_state(world, id);
        assert_vec3_near(velocity_at(before, def.position), def.velocity, 1e-13);
        ball.position = support_vec3(&random, -2, 2);
        assert_ok(cairn_shape_create(world, id, &ball, &extra));
        CairnBodyState after = support_state(world, id);
        CairnVec3 point = support_vec3(&random, -5, 5);
        assert_vec3_near(after.position, before.position, 1e-14);
        assert_true(cairn_length(cairn_sub(after.center, before.center)) > 1e-3);
        assert_vec3_near(velocity_at(after, point), velocity_at(before, point), 1e-13);
        assert_ok(cairn_shape_destroy(world, extra));
        CairnBodyState back = support_state(world, id);
        assert_vec3_near(back.center, before.center, 1e-14);
        assert_vec3_near(back.velocity, before.velocity, 1e-13);
        assert_ok(cairn_body_destroy(world, id));
    }
    cairn_world_destroy(world);
}

// ---- filters, joints that forbid contact, mixing ----

// Two balls in each other: how many contacts does a step see?
static int contacts_of(CairnWorld *world, CairnFilter a, CairnFilter b) {
    CairnBodyId first = support_add(world, CAIRN_BODY_DYNAMIC, cairn_sphere(0.5), V(0, 0, 0));
    CairnBodyId second = support_add(world, CAIRN_BODY_DYNAMIC, cairn_sphere(0.5), V(0.9, 0, 0));
    assert_ok(cairn_shape_set_filter(world, support_first_shape(world, first), a));
    assert_ok(cairn_shape_set_filter(world, support_first_shape(world, second), b));
    int contacts = support_step(world, 1e-3).contacts;
    assert_ok(cairn_body_destroy(world, first));
    assert_ok(cairn_body_destroy(world, second));
    return contacts;
}

static void filters_go_both_ways(void **state) {
    (void)state;
    CairnWorld *world = support_empty_world();
    for (uint64_t bits = 0; bits < 256; bits++) {
        CairnFilter a = {bits & 3, bits >> 2 & 3}, b = {bits >> 4 & 3, bits >> 6 & 3};
        bool wanted = (a.category & b.mask) != 0 && (b.category & a.mask) != 0;
        assert_int_equal(contacts_of(world, a, b), wanted ? 1 : 0);
    }
    cairn_world_destroy(world);
}

static void a_joint_forbids_contact_unless_told(void **state) {
    (void)state;
    CairnWorld *world = support_empty_world();
    CairnBodyId a = support_add(world, CAIRN_BODY_DYNAMIC, cairn_sphere(0.5), V(0, 0, 0));
    CairnBodyId b = support_add(world, CAIRN_BODY_DYNAMIC, cairn_sphere(0.5), V(0.9, 0, 0));
    CairnJointDef def = cairn_joint_def(CAIRN_JOINT_BALL);
    CairnJointId id;
    def.body_a = a;
    def.body_b = b;
    assert_ok(cairn_joint_place(world, &def, V(0.45, 0, 0), V(1, 0, 0), V(0, 0, 0)));
    assert_ok(cairn_joint_create(world, &def, &id));
    assert_int_equal(support_step(world, 1e-3).contacts, 0);
    def.collide_connected = true;
    assert_ok(cairn_joint_destroy(world, id));
    assert_ok(cairn_joint_create(world, &def, &id));
    assert_int_equal(support_step(world, 1e-3).contacts, 1);
    cairn_world_destroy(world);
}

static void materials_mix_as_the_world_says(void **state) {
    (void)state;
    const char *const rules[] = {"geometric", "average", "min", "max", "multiply"};
    const double wanted[] = {0.3, 0.5, 0.1, 0.9, 0.09}; // of 0.9 and 0.1
    for (int rule = 0; rule < 5; rule++) {
        CairnWorld *world = support_empty_world();
        assert_ok(cairn_world_set(world, "friction_mix", rules[rule]));
        CairnShapeDef ground = cairn_half_space(), ball = cairn_sphere(0.5);
        ground.friction = 0.9;
        ball.friction = 0.1;
        ball.rolling_friction = 0.02;
        ground.torsional_friction = 0.03;
        support_add(world, CAIRN_BODY_STATIC, ground, V(0, 0, 0));
        support_add(world, CAIRN_BODY_DYNAMIC, ball, V(0, 0, 0.5));
        support_step(world, 0.01);
        CairnProblem problem;
        const double *lambda;
        assert_ok(cairn_world_problem(world, &problem, &lambda));
        assert_int_equal(problem.friction_count, 1);
        assert_near(problem.frictions[0].mu, wanted[rule], 1e-15);
        assert_near(problem.frictions[0].rolling, 0.02, 0); // the larger one
        assert_near(problem.frictions[0].torsion, 0.03, 0);
        cairn_world_destroy(world);
    }
}

static void user_data_comes_back(void **state) {
    (void)state;
    CairnWorld *world = support_empty_world();
    CairnBodyDef body = cairn_body_def();
    CairnShapeDef shape = cairn_sphere(1), read;
    CairnBodyId id, owner;
    body.user_data = 0xfedcba9876543210u;
    body.group = 17;
    shape.user_data = 0x0123456789abcdefu;
    shape.filter = (CairnFilter){6, 9};
    assert_ok(cairn_body_add(world, &body, &shape, &id));
    assert_int_equal(support_state(world, id).user_data, body.user_data);
    assert_int_equal(support_state(world, id).group, 17);
    assert_ok(cairn_shape_get(world, support_first_shape(world, id), &read, &owner));
    assert_int_equal(read.user_data, shape.user_data);
    assert_int_equal(read.filter.category, 6);
    assert_int_equal(owner.index, id.index);
    CairnJointDef joint = cairn_joint_def(CAIRN_JOINT_BALL), read_joint;
    CairnJointId joint_id;
    joint.body_b = id;
    joint.user_data = 77;
    assert_ok(cairn_joint_create(world, &joint, &joint_id));
    assert_ok(cairn_joint_get_def(world, joint_id, &read_joint));
    assert_int_equal(read_joint.user_data, 77);
    cairn_world_destroy(world);
}

static void ids_of_zeros_are_null(void **state) {
    (void)state;
    assert_true(cairn_body_is_null((CairnBodyId){0}) && !cairn_body_is_null((CairnBodyId){1, 0, 0}));
    assert_true(cairn_shape_is_null((CairnShapeId){0}) && !cairn_shape_is_null((CairnShapeId){1, 0, 0}));
    assert_true(cairn_joint_is_null((CairnJointId){0}) && !cairn_joint_is_null((CairnJointId){1, 0, 0}));
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_of_zeros_are_null),
        cmocka_unit_test(lists_agree_with_a_model),
        cmocka_unit_test(listings_fill_what_there_is_room_for),
        cmocka_unit_test(mass_comes_from_shapes_or_is_given),
        cmocka_unit_test(a_compound_adds_up),
        cmocka_unit_test(a_new_shape_leaves_the_motion),
        cmocka_unit_test(filters_go_both_ways),
        cmocka_unit_test(a_joint_forbids_contact_unless_told),
        cmocka_unit_test(materials_mix_as_the_world_says),
        cmocka_unit_test(user_data_comes_back),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
