// What a world does: rays, joints read and changed, bodies pushed and changed in flight, worlds side by side.
#include "tests/support/support.h"
#include "tests/support/support_mechanism.h"
#include "tests/support/support_worlds.h"

#include "solvers/sweeps/pgs.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define V(x, y, z) ((CairnVec3){x, y, z})
#define NO_TURN ((CairnQuat){1, 0, 0, 0})

static const double gravity = 9.81;

static CairnWorld *weightless_world(void) {
    CairnWorld *world = support_empty_world();
    assert_ok(cairn_world_set(world, "gravity", "0,0,0"));
    return world;
}

// ---- rays ----

typedef struct Target {
    CairnShapeDef shape;
    CairnTransform pose; // of the shape in the world
    CairnShapeId id;
} Target;

// By hand: the first distance at which the ray is on the surface, negative for none. A ray from inside does not hit.
static double sphere_distance(CairnVec3 center, double radius, CairnVec3 origin, CairnVec3 unit) {
    CairnVec3 to = cairn_sub(center, origin);
    double along = cairn_dot(to, unit), square = radius * radius - (cairn_dot(to, to) - along * along);
    return square < 0 || cairn_length(to) < radius ? -1 : along - sqrt(square);
}

static double box_distance(CairnTransform pose, CairnVec3 size, CairnVec3 origin, CairnVec3 unit) {
    CairnVec3 o = cairn_untransform_point(pose, origin), d = cairn_unrotate(pose.q, unit);
    double enter = -HUGE_VAL, leave = HUGE_VAL;
    const double os[3] = {o.x, o.y, o.z}, ds[3] = {d.x, d.y, d.z}, half[3] = {size.x / 2, size.y / 2, size.z / 2};
    for (int k = 0; k < 3; k++) {
        double a = (-half[k] - os[k]) / ds[k], b = (half[k] - os[k]) / ds[k];
        enter = fmax(enter, fmin(a, b));
        leave = fmin(leave, fmax(a, b));
    }
    return enter <= leave && enter > 0 ? enter : -1;
}

static double plane_distance(CairnTransform pose, CairnVec3 origin, CairnVec3 unit) {
    CairnVec3 o = cairn_untransform_point(pose, origin), d = cairn_unrotate(pose.q, unit);
    return o.z > 0 && d.z < 0 ? -o.z / d.z : -1;
}

static double target_distance(const Target *t, CairnVec3 origin, CairnVec3 unit) {
    if (t->shape.type == CAIRN_SHAPE_SPHERE) {
        return sphere_distance(t->pose.p, t->shape.radius, origin, unit);
    }
    return t->shape.type == CAIRN_SHAPE_BOX ? box_distance(t->pose, t->shape.size, origin, unit)
                                            : plane_distance(t->pose, origin, unit);
}

enum { RAY_BODIES = 30, RAY_TARGETS = 2 * RAY_BODIES + 1 };

// Compounds of a sphere and a box, turned at random, and a tilted half-space below.
static CairnWorld *ray_world(uint64_t *random, Target *targets) {
    CairnWorld *world = weightless_world();
    for (int i = 0; i < RAY_BODIES; i++) {
        CairnBodyDef def = cairn_body_def();
        def.position = support_vec3(random, -5, 5);
        def.orientation = support_quat(random);
        CairnBodyId id;
        CairnShapeId shapes[2];
        assert_ok(cairn_body_create(world, &def, &id));
        CairnTransform frame = {def.position, def.orientation};
        for (int k = 0; k < 2; k++) {
            CairnShapeDef shape = k == 0 ? cairn_sphere(0.5) : cairn_box(0.6, 1.1, 0.8);
            shape.position = support_vec3(random, -0.5, 0.5);
            shape.orientation = support_quat(random);
            shape.filter.category = (uint64_t)1 << (i % 4);
            assert_ok(cairn_shape_create(world, id, &shape, &shapes[k]));
            CairnTransform local = {shape.position, shape.orientation};
            targets[2 * i + k] = (Target){shape, cairn_transform_mul(frame, local), shapes[k]};
        }
    }
    CairnShapeDef floor = cairn_half_space();
    CairnBodyDef def = cairn_body_def();
    def.type = CAIRN_BODY_STATIC;
    def.position.z = -7;
    def.orientation = cairn_quat_axis_angle(V(1, 0, 0), 0.2);
    CairnBodyId id;
    assert_ok(cairn_body_add(world, &def, &floor, &id));
    targets[RAY_TARGETS - 1] = (Target){floor, {def.position, def.orientation}, support_first_shape(world, id)};
    return world;
}

static void rays_find_the_nearest(void **state) {
    (void)state;
    uint64_t random = 21;
    Target targets[RAY_TARGETS];
    CairnWorld *world = ray_world(&random, targets);
    int hits = 0, trials = support_is_long() ? 100000 : 4000;
    for (int trial = 0; trial < trials; trial++) {
        CairnVec3 origin = support_vec3(&random, -9, 9), unit = support_unit(&random);
        double most = support_uniform(&random, 1, 20), nearest = HUGE_VAL;
        CairnFilter filter = {UINT64_MAX, (uint64_t)support_int(&random, 1, 15)};
        const Target *wanted = NULL;
        for (int t = 0; t < RAY_TARGETS; t++) {
            double distance = target_distance(&targets[t], origin, unit);
            if (distance >= 0 && distance < nearest && (targets[t].shape.filter.category & filter.mask) != 0) {
                nearest = distance;
                wanted = &targets[t];
            }
        }
        if (fabs(nearest - most) < 1e-9) {
            continue; // which side of the end it is on is a matter of rounding
        }
        CairnRayHit hit;
        bool has_hit;
        double length = support_uniform(&random, 0.1, 10); // any length of the direction means the same
        assert_ok(cairn_world_ray_cast(world, origin, cairn_scale(length, unit), most, filter, &hit, &has_hit));
        assert_int_equal(has_hit, nearest <= most);
        if (has_hit) {
            hits += 1;
            assert_true(support_same_shape(hit.shape, wanted->id));
            assert_near(hit.distance, nearest, 1e-10);
            assert_vec3_near(hit.point, cairn_add_scaled(origin, nearest, unit), 1e-10);
            assert_near(cairn_length(hit.normal), 1, 1e-12);
            assert_true(cairn_dot(hit.normal, unit) <= 1e-12);
        }
    }
    assert_true(hits > trials / 20); // most rays miss all of them
    cairn_world_destroy(world);
}

// ---- joints ----

// A box of 8 kg on a vertical slide, whose axis is locked.
typedef struct Slide {
    CairnWorld *world;
    CairnBodyId box;
    CairnJointId id;
} Slide;

static Slide make_slide(void) {
    Slide slide = {.world = support_empty_world()};
    CairnJointDef def = cairn_joint_def(CAIRN_JOINT_PRISMATIC);
    slide.box = support_add(slide.world, CAIRN_BODY_DYNAMIC, cairn_box(0.2, 0.2, 0.2), V(0, 0, 3));
    def.body_b = slide.box;
    def.axes[CAIRN_X].mode = CAIRN_AXIS_LOCKED;
    assert_ok(cairn_joint_place(slide.world, &def, V(0, 0, 3), V(0, 0, 1), V(0, 0, 0)));
    assert_ok(cairn_joint_create(slide.world, &def, &slide.id));
    return slide;
}

static CairnJointState slide_state(const Slide *slide) {
    CairnJointState joint;
    assert_ok(cairn_joint_get(slide->world, slide->id, &joint));
    return joint;
}

static void a_joint_has_no_force_before_the_first_step(void **state) {
    (void)state;
    Slide slide = make_slide();
    assert_near(slide_state(&slide).force.z, 0, 0);
    cairn_world_destroy(slide.world);
}

static void a_locked_joint_bears_the_weight(void **state) {
    (void)state;
    Slide slide = make_slide();
    support_run(slide.world, 20);
    CairnJointState joint = slide_state(&slide);
    assert_near(joint.force.z, 8 * gravity, 1e-6 * 8 * gravity);
    assert_true(joint.linear_error < 1e-6);
    cairn_world_destroy(slide.world);
}

static void a_joint_that_is_let_go_falls_freely(void **state) {
    (void)state;
    const double h = 1.0 / 60;
    Slide slide = make_slide();
    support_run(slide.world, 20);
    CairnAxis axis = cairn_axis();
    axis.mode = CAIRN_AXIS_FREE;
    CairnBodyState before = support_state(slide.world, slide.box);
    double z = before.position.z, v = before.velocity.z;
    assert_ok(cairn_joint_set_axis(slide.world, slide.id, CAIRN_X, &axis));
    assert_near(slide_state(&slide).force.z, 0, 0); // the impulses were those of other rows
    support_step(slide.world, h);
    CairnBodyState after = support_state(slide.world, slide.box);
    assert_near(after.velocity.z, v - gravity * h, 1e-9);
    assert_near(after.position.z, z + h * (v - gravity * h), 1e-9);
    assert_near(slide_state(&slide).position[CAIRN_X], after.position.z - 3, 1e-12);
    assert_near(slide_state(&slide).velocity[CAIRN_X], after.velocity.z, 1e-12);
    cairn_world_destroy(slide.world);
}

static void a_motor_lifts_at_its_speed(void **state) {
    (void)state;
    Slide slide = make_slide();
    CairnAxis axis = cairn_axis();
    axis.mode = CAIRN_AXIS_FREE;
    axis.drive = CAIRN_DRIVE_VELOCITY;
    axis.target_velocity = 0.5;
    assert_ok(cairn_joint_set_axis(slide.world, slide.id, CAIRN_X, &axis));
    support_run(slide.world, 5);
    CairnJointState joint = slide_state(&slide);
    assert_near(joint.velocity[CAIRN_X], 0.5, 1e-6);
    assert_near(joint.drive_force[CAIRN_X], 8 * gravity, 1e-3);
    cairn_world_destroy(slide.world);
}

static void a_joint_of_a_static_body_has_no_force(void **state) {
    (void)state;
    Slide slide = make_slide();
    support_run(slide.world, 20);
    assert_ok(cairn_body_set_type(slide.world, slide.box, CAIRN_BODY_STATIC));
    support_run(slide.world, 1);
    assert_near(cairn_length(slide_state(&slide).force), 0, 0);
    cairn_world_destroy(slide.world);
}

static void a_body_takes_its_joints_and_their_gears_along(void **state) {
    (void)state;
    CairnWorld *world = support_empty_world();
    CairnBodyId bodies[2];
    CairnJointId hinges[2], gear;
    for (int i = 0; i < 2; i++) {
        bodies[i] = support_add(world, CAIRN_BODY_DYNAMIC, cairn_sphere(0.3), V(2 * i, 0, 2));
        CairnJointDef def = cairn_joint_def(CAIRN_JOINT_REVOLUTE);
        def.body_b = bodies[i];
        assert_ok(cairn_joint_place(world, &def, V(2 * i, 0, 2), V(0, 1, 0), V(0, 0, 0)));
        assert_ok(cairn_joint_create(world, &def, &hinges[i]));
    }
    CairnJointDef def = cairn_joint_def(CAIRN_JOINT_GEAR);
    CairnJointState unused;
    def.joint_a = hinges[0];
    def.joint_b = hinges[1];
    assert_ok(cairn_joint_create(world, &def, &gear));
    support_run(world, 2);
    assert_ok(cairn_body_destroy(world, bodies[1]));
    assert_refused(cairn_joint_get(world, gear, &unused), CAIRN_INVALID_ID, "destroyed");
    assert_refused(cairn_joint_get(world, hinges[1], &unused), CAIRN_INVALID_ID, "destroyed");
    assert_ok(cairn_joint_get(world, hinges[0], &unused));
    assert_int_equal(cairn_world_joints(world, NULL, 0), 1);
    support_run(world, 2);
    cairn_world_destroy(world);
}

// ---- bodies pushed ----

static void forces_last_a_step_and_add_up(void **state) {
    (void)state;
    CairnWorld *world = weightless_world();
    CairnShapeDef box = cairn_box(1, 1, 1);
    CairnBodyId id = support_add(world, CAIRN_BODY_DYNAMIC, box, V(1, 2, 3)); // 1000 kg, I = 1000/6
    assert_ok(cairn_body_apply_force(world, id, V(3000, 0, 0)));
    assert_ok(cairn_body_apply_force_at(world, id, V(0, 1000, 0), V(1.5, 2, 3)));
    assert_ok(cairn_body_apply_torque(world, id, V(0, 0, 500)));
    support_step(world, 0.01);
    CairnBodyState body = support_state(world, id);
    assert_vec3_near(body.velocity, V(0.03, 0.01, 0), 1e-15);
    assert_vec3_near(body.angular_velocity, V(0, 0, 0.06), 1e-15); // (500 + 1000 / 2) / (1000 / 6) h
    assert_vec3_near(body.angular_momentum, V(0, 0, 10), 1e-12);
    support_step(world, 0.01);
    assert_vec3_near(support_state(world, id).velocity, V(0.03, 0.01, 0), 1e-15); // the forces are gone
    assert_ok(cairn_body_apply_impulse_at(world, id, V(0, 0, 100), V(1, 2.5, 3)));
    assert_ok(cairn_body_apply_angular_impulse(world, id, V(0, 5, 0)));
    assert_near(support_state(world, id).velocity.z, 0.1, 1e-15); // at once
    cairn_world_destroy(world);
}

static void impulses_act_about_the_centre_of_mass(void **state) {
    (void)state;
    uint64_t random = 31;
    CairnWorld *world = weightless_world();
    for (int trial = 0; trial < 30; trial++) {
        CairnBodyDef def = cairn_body_def();
        def.position = support_vec3(&random, -3, 3);
        def.orientation = support_quat(&random);
        def.angular_velocity = support_vec3(&random, -2, 2);
        def.mass = 3;
        def.inertia = V(0.4, 0.5, 0.6);
        def.inertia_products = V(0.05, -0.1, 0.02);
        def.center = V(0.2, 0.1, -0.3);
        CairnBodyId id;
        assert_ok(cairn_body_create(world, &def, &id));
        CairnBodyState before = support_state(world, id);
        CairnVec3 impulse = support_vec3(&random, -4, 4), point = support_vec3(&random, -3, 3);
        assert_ok(cairn_body_apply_impulse_at(world, id, impulse, point));
        CairnBodyState after = support_state(world, id);
        assert_vec3_near(after.velocity, cairn_add_scaled(before.velocity, 1.0 / 3, impulse), 1e-14);
        CairnVec3 gained = cairn_cross(cairn_sub(point, before.center), impulse);
        assert_vec3_near(after.angular_momentum, cairn_add(before.angular_momentum, gained), 1e-12);
        assert_ok(cairn_body_destroy(world, id));
    }
    cairn_world_destroy(world);
}

// Implicit damping: v_n = v_0 / (1 + h c)^n, and so does the spin of a ball.
static void damping_and_gravity_scale(void **state) {
    (void)state;
    const double h = 0.01, c = 0.7;
    CairnWorld *world = support_empty_world();
    CairnBodyDef def = cairn_body_def();
    CairnShapeDef ball = cairn_sphere(0.5);
    CairnBodyId id;
    def.gravity_scale = 0;
    def.linear_damping = c;
    def.angular_damping = 2 * c;
    def.velocity = V(3, 0, 0);
    def.angular_velocity = V(0, 0, 5);
    assert_ok(cairn_body_add(world, &def, &ball, &id));
    for (int i = 0; i < 100; i++) {
        support_step(world, h);
    }
    assert_near(support_state(world, id).velocity.x, 3 * pow(1 + h * c, -100), 1e-12);
    assert_near(support_state(world, id).angular_velocity.z, 5 * pow(1 + 2 * h * c, -100), 1e-12);
    assert_near(support_state(world, id).velocity.z, 0, 0);
    assert_ok(cairn_body_set_gravity_scale(world, id, -2));
    support_step(world, h);
    assert_near(support_state(world, id).velocity.z, 2 * gravity * h, 1e-15);
    cairn_world_destroy(world);
}

// ---- changes of type in flight ----

static void types_change_in_flight(void **state) {
    (void)state;
    const double h = 0.01;
    CairnWorld *world = support_empty_world();
    CairnBodyId id = support_add(world, CAIRN_BODY_DYNAMIC, cairn_sphere(0.5), V(0, 0, 10));
    assert_ok(cairn_body_set_velocity(world, id, V(2, 0, 0), V(0, 0, 3)));
    support_step(world, h);
    CairnBodyState dynamic = support_state(world, id);
    assert_near(dynamic.velocity.z, -gravity * h, 1e-15);
    assert_ok(cairn_body_set_type(world, id, CAIRN_BODY_KINEMATIC)); // keeps its velocity, feels nothing
    assert_refused(cairn_body_apply_force(world, id, V(1, 0, 0)), CAIRN_INVALID_ARGUMENT, "not dynamic");
    support_step(world, h);
    CairnBodyState kinematic = support_state(world, id);
    assert_vec3_near(kinematic.velocity, dynamic.velocity, 0);
    assert_vec3_near(kinematic.position, cairn_add_scaled(dynamic.position, h, dynamic.velocity), 1e-15);
    assert_ok(cairn_body_set_type(world, id, CAIRN_BODY_STATIC));
    support_step(world, h);
    assert_vec3_near(support_state(world, id).position, kinematic.position, 0);
    assert_vec3_near(support_state(world, id).velocity, V(0, 0, 0), 0);
    assert_ok(cairn_body_set_type(world, id, CAIRN_BODY_DYNAMIC)); // falls again, from rest
    support_step(world, h);
    assert_vec3_near(support_state(world, id).velocity, V(0, 0, -gravity * h), 1e-15);
    assert_int_equal(support_state(world, id).type, CAIRN_BODY_DYNAMIC);
    cairn_world_destroy(world);
}

// A kinematic plate that rises carries what lies on it.
static void a_kinematic_plate_carries(void **state) {
    (void)state;
    CairnWorld *world = support_empty_world();
    CairnBodyId plate = support_add(world, CAIRN_BODY_KINEMATIC, cairn_box(4, 4, 0.2), V(0, 0, 0));
    CairnBodyId ball = support_add(world, CAIRN_BODY_DYNAMIC, cairn_sphere(0.5), V(0, 0, 0.6));
    assert_ok(cairn_body_set_velocity(world, plate, V(0, 0, 0.5), V(0, 0, 0)));
    support_run(world, 60);
    assert_near(support_state(world, plate).position.z, 0.5, 1e-12);
    assert_near(support_state(world, ball).position.z, 1.1, 1e-5);
    assert_near(support_state(world, ball).velocity.z, 0.5, 1e-6);
    cairn_world_destroy(world);
}

// ---- the last problem ----

static void the_problem_is_the_one_that_was_judged(void **state) {
    (void)state;
    for (int scene = 0; scene < SUPPORT_SCENE_COUNT; scene++) {
        CairnWorld *world = support_scene_world((SupportScene)scene, NULL, 1);
        for (int i = 0; i < 30; i++) {
            CairnStats stats = support_step(world, 1.0 / 60);
            CairnProblem problem;
            const double *lambda;
            CairnResidual residual;
            assert_ok(cairn_world_problem(world, &problem, &lambda));
            assert_ok(cairn_problem_check(&problem));
            assert_int_equal(problem.row_count, stats.rows);
            assert_int_equal(problem.dof_count, stats.dofs);
            assert_ok(cairn_residual(&problem, lambda, NULL, &residual));
            assert_same_bits(residual.natural, stats.residual.natural);
            assert_same_bits(residual.scaled, stats.residual.scaled);
            assert_int_equal(residual.worst_row, stats.residual.worst_row);
            assert_int_equal(residual.is_certified, stats.residual.is_certified);
        }
        CairnBodyId body;
        assert_true(cairn_world_bodies(world, &body, 1) > 0);
        assert_ok(cairn_body_destroy(world, body));
        CairnProblem gone;
        const double *lambda;
        assert_refused(cairn_world_problem(world, &gone, &lambda), CAIRN_NOT_FOUND, "changed");
        cairn_world_destroy(world);
    }
}

static CairnStatus part_each(const CairnGraph *graph, const void *options, const CairnAllocator *allocator, int *part,
                             int *count) {
    (void)options, (void)allocator;
    for (int i = 0; i < graph->node_count; i++) {
        part[i] = i;
    }
    *count = graph->node_count;
    return cairn_ok();
}

// Two boxes on each other, 4 contacts of 3 rows below and 4 between: a part each, or one part, or a solver that asks
// for none.
static void rows_between_parts_are_counted(void **state) {
    (void)state;
    CairnWorld *world = support_empty_world();
    support_add(world, CAIRN_BODY_STATIC, cairn_half_space(), V(0, 0, 0));
    support_add(world, CAIRN_BODY_DYNAMIC, cairn_box(1, 1, 1), V(0, 0, 0.5));
    support_add(world, CAIRN_BODY_DYNAMIC, cairn_box(1, 1, 1), V(0, 0, 1.5));
    CairnSolver parted = cairn_solver_pgs;
    parted.traits |= CAIRN_NEEDS_PARTITION;
    const CairnPartitioner each = {.name = "each", .summary = "", .partition = part_each};
    assert_ok(cairn_world_set_partitioner(world, &each, NULL));
    assert_int_equal(support_step(world, 0.01).interface_rows, 0); // pgs
    assert_ok(cairn_world_set_solver(world, &parted, NULL));
    CairnStats stats = support_step(world, 0.01);
    assert_int_equal(stats.rows, 24);
    assert_int_equal(stats.parts, 2);
    assert_int_equal(stats.interface_rows, 12);
    assert_ok(cairn_world_set_partitioner(world, cairn_partitioner_at(0), NULL));
    stats = support_step(world, 0.01);
    assert_int_equal(stats.parts, 1);
    assert_int_equal(stats.interface_rows, 0);
    cairn_world_destroy(world);
}

// ---- worlds side by side ----

typedef struct Lane {
    SupportScene scene;
    CairnStatus status;
    uint64_t hash;
} Lane;

// Runs on its own thread, where a failed assertion of the test could not be caught: statuses only.
static void *run_lane(void *argument) {
    Lane *lane = argument;
    CairnWorld *world = NULL;
    lane->status = support_world_create(NULL, 1 + (int)lane->scene % 2, &world);
    if (cairn_is_ok(lane->status)) {
        lane->status = support_scene_build(world, lane->scene);
    }
    for (int i = 0; i < 60 && cairn_is_ok(lane->status); i++) {
        lane->status = cairn_world_step(world, 1.0 / 60, NULL);
    }
    lane->hash = world != NULL ? cairn_world_state_hash(world) : 0;
    cairn_world_destroy(world);
    return NULL;
}

// Balls in a row, each touching the next: a pair for each touch and no other, and at least a test for each.
static void pairs_and_tests_are_counted(void **state) {
    (void)state;
    enum { BALLS = 20 };
    for (int apart = 0; apart < 2; apart++) {
        CairnWorldDef def = cairn_world_def();
        def.gravity = cairn_vec3(0, 0, 0);
        CairnWorld *world;
        CairnStats stats;
        assert_ok(cairn_world_create(&def, &world));
        for (int i = 0; i < BALLS; i++) {
            support_add(world, CAIRN_BODY_DYNAMIC, cairn_sphere(0.5), cairn_vec3(i * (1.0 + apart), 0, 0));
        }
        for (int k = 0; k < 8; k++) { // later steps ask the kept pairs
            assert_ok(cairn_world_step(world, 1.0 / 60, &stats));
            assert_int_equal(stats.pairs, apart ? 0 : BALLS - 1);
            assert_true(stats.overlap_tests >= stats.pairs && stats.overlap_tests <= 4 * BALLS);
        }
        cairn_world_destroy(world);
    }
}

static void worlds_in_several_threads_do_not_meet(void **state) {
    (void)state;
    enum { LANES = 2 * SUPPORT_SCENE_COUNT };
    Lane alone[SUPPORT_SCENE_COUNT], together[LANES];
    pthread_t threads[LANES];
    for (int i = 0; i < SUPPORT_SCENE_COUNT; i++) {
        alone[i] = (Lane){.scene = (SupportScene)i};
        run_lane(&alone[i]);
        assert_ok(alone[i].status);
    }
    for (int i = 0; i < LANES; i++) {
        together[i] = (Lane){.scene = (SupportScene)(i % SUPPORT_SCENE_COUNT)};
        assert_int_equal(pthread_create(&threads[i], NULL, run_lane, &together[i]), 0);
    }
    for (int i = 0; i < LANES; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_ok(together[i].status);
        assert_int_equal(together[i].hash, alone[i % SUPPORT_SCENE_COUNT].hash);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_find_the_nearest),
        cmocka_unit_test(a_joint_has_no_force_before_the_first_step),
        cmocka_unit_test(a_locked_joint_bears_the_weight),
        cmocka_unit_test(a_joint_that_is_let_go_falls_freely),
        cmocka_unit_test(a_motor_lifts_at_its_speed),
        cmocka_unit_test(a_joint_of_a_static_body_has_no_force),
        cmocka_unit_test(a_body_takes_its_joints_and_their_gears_along),
        cmocka_unit_test(forces_last_a_step_and_add_up),
        cmocka_unit_test(impulses_act_about_the_centre_of_mass),
        cmocka_unit_test(damping_and_gravity_scale),
        cmocka_unit_test(types_change_in_flight),
        cmocka_unit_test(a_kinematic_plate_carries),
        cmocka_unit_test(the_problem_is_the_one_that_was_judged),
        cmocka_unit_test(rows_between_parts_are_counted),
        cmocka_unit_test(pairs_and_tests_are_counted),
        cmocka_unit_test(worlds_in_several_threads_do_not_meet),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
