#include "tests/support/support_worlds.h"

#include "engine/base/hash.h"
#include "solvers/sweeps/pgs.h"
#include "tests/support/support.h"

#include <stdlib.h>
#include <string.h>

const char *support_scene_name(SupportScene scene) {
    static const char *const names[SUPPORT_SCENE_COUNT] = {"tower", "pile", "chain", "mixed"};
    return names[scene];
}

CairnStatus support_world_create(const CairnAllocator *allocator, int threads, CairnWorld **world) {
    CairnWorldDef def = cairn_world_def();
    def.thread_count = threads;
    if (allocator != NULL) {
        def.allocator = *allocator;
    }
    CAIRN_TRY(cairn_world_create(&def, world));
    CairnPgsOptions options = {.iterations = 40, .tolerance = 1e-9, .omega = 1};
    CairnStatus status = cairn_world_set_solver(*world, &cairn_solver_pgs, &options);
    if (!cairn_is_ok(status)) {
        cairn_world_destroy(*world);
        *world = NULL;
    }
    return status;
}

// ---- pieces ----

static CairnStatus add_ground(CairnWorld *world) {
    CairnBodyDef def = cairn_body_def();
    CairnShapeDef shape = cairn_half_space();
    def.type = CAIRN_BODY_STATIC;
    return cairn_body_add(world, &def, &shape, NULL);
}

static CairnStatus add(CairnWorld *world, CairnShapeDef shape, CairnVec3 at, CairnBodyId *id) {
    CairnBodyDef def = cairn_body_def();
    def.position = at;
    return cairn_body_add(world, &def, &shape, id);
}

static CairnStatus join(CairnWorld *world, CairnJointDef *def, CairnBodyId a, CairnBodyId b, CairnVec3 point,
                        CairnVec3 axis, CairnJointId *id) {
    def->body_a = a;
    def->body_b = b;
    CAIRN_TRY(cairn_joint_place(world, def, point, axis, (CairnVec3){0, 0, 0}));
    return cairn_joint_create(world, def, id);
}

static const CairnBodyId the_world = {0, 0, 0};
static const CairnVec3 x_axis = {1, 0, 0}, y_axis = {0, 1, 0}, z_axis = {0, 0, 1};

// ---- scenes ----

static CairnStatus build_tower(CairnWorld *world) {
    CAIRN_TRY(add_ground(world));
    for (int column = 0; column < 4; column++) {
        for (int level = 0; level < 5; level++) {
            CairnVec3 at = {1.5 * column, 0.01 * level, 0.5 + level};
            CAIRN_TRY(add(world, cairn_box(1, 1, 1), at, NULL));
        }
    }
    return cairn_ok();
}

// A dumb-bell: two balls of unlike density on a bar, its frame in none of their centres.
static CairnStatus add_compound(CairnWorld *world, CairnVec3 at) {
    CairnBodyDef def = cairn_body_def();
    def.position = at;
    def.angular_velocity = (CairnVec3){1, 2, 0.5};
    CairnBodyId id;
    CAIRN_TRY(cairn_body_create(world, &def, &id));
    CairnShapeDef parts[3] = {cairn_sphere(0.15), cairn_box(0.6, 0.1, 0.1), cairn_sphere(0.2)};
    parts[0].position = (CairnVec3){-0.3, 0, 0.1};
    parts[2].position = (CairnVec3){0.3, 0, 0.1};
    parts[2].density = 300;
    for (int i = 0; i < 3; i++) {
        CAIRN_TRY(cairn_shape_create(world, id, &parts[i], NULL));
    }
    return cairn_ok();
}

// A wedge, with a corner inside that the hull drops.
static CairnShapeDef wedge(void) {
    static const CairnVec3 corners[] = {{-0.3, -0.2, -0.2}, {0.3, -0.2, -0.2}, {0.3, 0.25, -0.2}, {-0.3, 0.25, -0.2},
                                        {-0.3, 0, 0.2},     {0.3, 0, 0.2},     {0, 0, 0}};
    return cairn_hull(corners, 7);
}

static CairnShapeDef pile_shape(int i) {
    switch (i % 5) {
    case 0:
        return cairn_sphere(0.25);
    case 1:
        return cairn_box(0.4, 0.5, 0.3);
    case 2:
        return wedge();
    case 3:
        return cairn_capsule(0.15, 0.3);
    default:
        return cairn_cylinder(0.2, 0.4);
    }
}

static CairnStatus build_pile(CairnWorld *world) {
    uint64_t random = 7;
    CAIRN_TRY(add_ground(world));
    for (int i = 0; i < 72; i++) {
        int row = i / 4 % 3, layer = i / 12;
        CairnVec3 at = {0.9 * (i % 4), 0.9 * row, 0.5 + 0.7 * layer};
        at = cairn_add(at, support_vec3(&random, -0.1, 0.1));
        CairnShapeDef shape = pile_shape(i);
        shape.restitution = i % 3 == 0 ? 0.4 : 0;
        CAIRN_TRY(i % 9 == 8 ? add_compound(world, at) : add(world, shape, at, NULL));
    }
    return cairn_ok();
}

static CairnStatus build_chain(CairnWorld *world) {
    CairnBodyId last = the_world;
    for (int i = 0; i < 30; i++) {
        CairnBodyId link;
        CairnShapeDef shape = cairn_box(0.4, 0.1, 0.1);
        shape.density = i == 29 ? 20000 : 1000; // the load
        CAIRN_TRY(add(world, shape, (CairnVec3){0.25 + 0.5 * i, 0, 0}, &link));
        CairnJointDef def = cairn_joint_def(i % 3 == 0 ? CAIRN_JOINT_BALL : CAIRN_JOINT_UNIVERSAL);
        CAIRN_TRY(join(world, &def, last, link, (CairnVec3){0.5 * i, 0, 0}, z_axis, NULL));
        last = link;
    }
    return cairn_ok();
}

static CairnStatus add_gears(CairnWorld *world) {
    CairnBodyId wheels[2];
    CairnJointId axles[2];
    for (int i = 0; i < 2; i++) {
        CAIRN_TRY(add(world, cairn_sphere(0.4), (CairnVec3){-3 - 2 * i, 0, 3}, &wheels[i]));
        CairnJointDef axle = cairn_joint_def(CAIRN_JOINT_REVOLUTE);
        if (i == 0) {
            axle.axes[CAIRN_RX].drive = CAIRN_DRIVE_VELOCITY;
            axle.axes[CAIRN_RX].target_velocity = 4;
            axle.axes[CAIRN_RX].max_force = 50;
        }
        CAIRN_TRY(join(world, &axle, the_world, wheels[i], (CairnVec3){-3 - 2 * i, 0, 3}, y_axis, &axles[i]));
    }
    CairnJointDef gear = cairn_joint_def(CAIRN_JOINT_GEAR);
    gear.joint_a = axles[0];
    gear.joint_b = axles[1];
    gear.ratio = 2;
    return cairn_joint_create(world, &gear, NULL);
}

static CairnStatus add_slider_and_rope(CairnWorld *world) {
    CairnBodyId slider, bob;
    CAIRN_TRY(add(world, cairn_box(0.5, 0.5, 0.5), (CairnVec3){0, 4, 2}, &slider));
    CairnJointDef rail = cairn_joint_def(CAIRN_JOINT_PRISMATIC);
    rail.axes[CAIRN_X].mode = CAIRN_AXIS_LIMITED;
    rail.axes[CAIRN_X].lower = -0.2;
    rail.axes[CAIRN_X].upper = 0.3;
    rail.axes[CAIRN_X].drive = CAIRN_DRIVE_SPRING;
    rail.axes[CAIRN_X].spring_unit = CAIRN_SPRING_FREQUENCY;
    rail.axes[CAIRN_X].stiffness = 2;
    rail.axes[CAIRN_X].damping = 0.3;
    CAIRN_TRY(join(world, &rail, the_world, slider, (CairnVec3){0, 4, 2}, z_axis, NULL));
    CAIRN_TRY(add(world, cairn_sphere(0.2), (CairnVec3){1, 4, 1.5}, &bob));
    CairnJointDef rope = cairn_joint_def(CAIRN_JOINT_DISTANCE);
    rope.axes[CAIRN_X].mode = CAIRN_AXIS_LIMITED;
    rope.axes[CAIRN_X].lower = 0;
    rope.axes[CAIRN_X].upper = 1.2;
    rope.body_a = slider;
    rope.body_b = bob;
    return cairn_joint_create(world, &rope, NULL);
}

static CairnStatus add_vehicle(CairnWorld *world) {
    CairnBodyId frame;
    CAIRN_TRY(add(world, cairn_box(1.2, 0.6, 0.2), (CairnVec3){4, 0, 0.8}, &frame));
    for (int i = 0; i < 2; i++) {
        CairnVec3 at = {3.6 + 0.8 * i, 0, 0.4};
        CairnBodyId wheel;
        CairnShapeDef shape = cairn_sphere(0.3);
        shape.rolling_friction = 0.002;
        shape.torsional_friction = 0.01;
        CAIRN_TRY(add(world, shape, at, &wheel));
        CairnJointDef def = cairn_joint_def(CAIRN_JOINT_WHEEL);
        def.axes[CAIRN_X].drive = CAIRN_DRIVE_SPRING;
        def.axes[CAIRN_X].stiffness = 3000;
        def.axes[CAIRN_X].damping = 200;
        CAIRN_TRY(join(world, &def, frame, wheel, at, z_axis, NULL));
    }
    return cairn_ok();
}

static CairnStatus add_hinges(CairnWorld *world) {
    CairnBodyId last = the_world;
    const CairnJointType types[] = {CAIRN_JOINT_CYLINDRICAL, CAIRN_JOINT_SIX_DOF, CAIRN_JOINT_FIXED,
                                    CAIRN_JOINT_PLANAR};
    for (int i = 0; i < 4; i++) {
        CairnBodyId body;
        CAIRN_TRY(add(world, cairn_box(0.3, 0.2, 0.25), (CairnVec3){0.5 * i, -4, 3}, &body));
        CairnJointDef def = cairn_joint_def(types[i]);
        if (types[i] == CAIRN_JOINT_SIX_DOF) {
            def.axes[CAIRN_RY].mode = CAIRN_AXIS_FREE;
        }
        CAIRN_TRY(join(world, &def, last, body, (CairnVec3){0.5 * i - 0.25, -4, 3}, x_axis, NULL));
        last = body;
    }
    return cairn_ok();
}

static CairnStatus build_mixed(CairnWorld *world) {
    CAIRN_TRY(add_ground(world));
    CAIRN_TRY(add_gears(world));
    CAIRN_TRY(add_slider_and_rope(world));
    CAIRN_TRY(add_vehicle(world));
    CAIRN_TRY(add_hinges(world));
    CAIRN_TRY(add_compound(world, (CairnVec3){0, 0, 2}));
    CairnBodyDef sweeper = cairn_body_def();
    sweeper.type = CAIRN_BODY_KINEMATIC;
    sweeper.position = (CairnVec3){-1.5, 0, 0.3};
    sweeper.velocity = (CairnVec3){0.7, 0, 0};
    sweeper.angular_velocity = (CairnVec3){0, 0, 1};
    CairnShapeDef blade = cairn_box(0.2, 3, 0.5);
    CAIRN_TRY(cairn_body_add(world, &sweeper, &blade, NULL));
    CairnShapeDef ball = cairn_sphere(0.2);
    ball.restitution = 0.8;
    return add(world, ball, (CairnVec3){0.5, 0.3, 1.2}, NULL);
}

CairnStatus support_scene_build(CairnWorld *world, SupportScene scene) {
    static CairnStatus (*const builders[SUPPORT_SCENE_COUNT])(CairnWorld *) = {build_tower, build_pile, build_chain,
                                                                               build_mixed};
    return builders[scene](world);
}

CairnWorld *support_scene_world(SupportScene scene, const CairnAllocator *allocator, int threads) {
    CairnWorld *world = NULL;
    assert_ok(support_world_create(allocator, threads, &world));
    assert_ok(support_scene_build(world, scene));
    return world;
}

void support_run(CairnWorld *world, int steps) {
    for (int i = 0; i < steps; i++) {
        assert_ok(cairn_world_step(world, 1.0 / 60, NULL));
    }
}

// ---- a world of a test's own ----

CairnWorld *support_empty_world(void) {
    CairnWorld *world = NULL;
    assert_ok(support_world_create(NULL, 1, &world));
    return world;
}

CairnBodyId support_add(CairnWorld *world, CairnBodyType type, CairnShapeDef shape, CairnVec3 at) {
    CairnBodyDef def = cairn_body_def();
    def.type = type;
    def.position = at;
    CairnBodyId id;
    assert_ok(cairn_body_add(world, &def, &shape, &id));
    return id;
}

CairnShapeId support_first_shape(const CairnWorld *world, CairnBodyId body) {
    CairnShapeId id = {0, 0, 0};
    assert_true(cairn_body_shapes(world, body, &id, 1) >= 1);
    return id;
}

bool support_same_shape(CairnShapeId a, CairnShapeId b) {
    return a.index == b.index && a.generation == b.generation && a.world == b.world;
}

// ---- the state as bytes ----

SupportBytes support_snapshot(const CairnWorld *world) {
    SupportBytes out = {.size = cairn_world_snapshot_size(world)};
    out.bytes = malloc(out.size);
    assert_non_null(out.bytes);
    size_t written = 0;
    assert_ok(cairn_world_snapshot(world, out.bytes, out.size, &written));
    assert_int_equal(written, out.size);
    return out;
}

void support_bytes_free(SupportBytes *bytes) {
    free(bytes->bytes);
    *bytes = (SupportBytes){NULL, 0};
}

bool support_same_bytes(const SupportBytes *a, const SupportBytes *b) {
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

void support_fix_checksum(SupportBytes *bytes) {
    uint64_t values[2] = {bytes->size - 32, cairn_hash_bytes(bytes->bytes + 32, bytes->size - 32)};
    for (int i = 0; i < 16; i++) {
        bytes->bytes[16 + i] = (unsigned char)(values[i / 8] >> (8 * (i % 8)));
    }
}

bool support_is_long(void) {
    const char *value = getenv("CAIRN_LONG_TESTS");
    return value != NULL && strcmp(value, "1") == 0;
}
