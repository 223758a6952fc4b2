// Bad input: every refusal has the right code, names the field and the value, and leaves the world as it was, to the last byte of its
// snapshot; afterwards it steps on with a twin that never heard of it.
#include "tests/support.h"
#include "tests/support_worlds.h"

#include "solvers/pgs.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Fixture {
    CairnWorld *world, *twin, *other;
    CairnBodyId ground, mover, ball, box, dead, foreign;
    CairnShapeId ball_shape, dead_shape, foreign_shape;
    CairnJointId hinge, slider, weld, gear, dead_joint, foreign_joint;
    SupportBytes bytes;
} Fixture;

typedef struct Case {
    const char *name;
    CairnCode code;
    const char *field, *value; // both must stand in the message; "" for none
    CairnStatus (*run)(Fixture *f);
} Case;

static const double nan_value = (double)NAN, infinity = (double)INFINITY;

static const CairnVec3 flat_points[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
static const CairnVec3 nan_points[] = {{0, 0, 0}, {1, 0, 0}, {0, (double)NAN, 0}, {1, 1, 1}};

// ---- the calls that the cases go through ----

static CairnStatus create_body(Fixture *f, const CairnBodyDef *def) {
    CairnBodyId id;
    return cairn_body_create(f->world, def, &id);
}

static CairnStatus create_world(const CairnWorldDef *def) {
    CairnWorld *world = NULL;
    CairnStatus status = cairn_world_create(def, &world);
    cairn_world_destroy(world);
    return status;
}

static CairnStatus restore(Fixture *f, size_t at, int value, size_t size) {
    unsigned char *changed = malloc(f->bytes.size);
    assert_non_null(changed);
    memcpy(changed, f->bytes.bytes, f->bytes.size);
    changed[at] = (unsigned char)(changed[at] + value);
    CairnStatus status = cairn_world_restore(f->world, changed, size);
    free(changed);
    return status;
}

static CairnStatus ray(Fixture *f, CairnVec3 origin, CairnVec3 direction, double distance) {
    CairnRayHit hit;
    bool has_hit;
    return cairn_world_ray_cast(f->world, origin, direction, distance, (CairnFilter){1, 1}, &hit, &has_hit);
}

// ---- solvers and partitioners that misbehave ----

static CairnStatus never_called(const CairnProblem *problem, const CairnParts *parts, const void *options,
                                CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    (void)problem, (void)parts, (void)options, (void)context, (void)lambda, (void)report;
    fail_msg("the world must refuse before it calls");
    return cairn_ok();
}

static CairnStatus write_all(const CairnProblem *problem, double *lambda, double value) {
    for (int i = 0; i < problem->row_count; i++) {
        lambda[i] = value;
    }
    return cairn_ok();
}

static CairnStatus solve_nan(const CairnProblem *problem, const CairnParts *parts, const void *options,
                             CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    (void)parts, (void)options, (void)context, (void)report;
    return write_all(problem, lambda, nan_value);
}

static CairnStatus solve_huge(const CairnProblem *problem, const CairnParts *parts, const void *options,
                              CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    (void)parts, (void)options, (void)context, (void)report;
    return write_all(problem, lambda, 1e308);
}

static CairnStatus solve_infinite(const CairnProblem *problem, const CairnParts *parts, const void *options,
                                  CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    (void)parts, (void)options, (void)context, (void)report;
    return write_all(problem, lambda, infinity);
}

static CairnStatus solve_refusing(const CairnProblem *problem, const CairnParts *parts, const void *options,
                                  CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    (void)parts, (void)options, (void)context, (void)lambda, (void)report;
    return cairn_error(CAIRN_UNSUPPORTED, "moody: row_count is %d, not today", problem->row_count);
}

static CairnStatus refuse_parts(const CairnGraph *graph, const void *options, const CairnAllocator *allocator,
                                int *part, int *count) {
    (void)options, (void)allocator, (void)part, (void)count;
    return cairn_error(CAIRN_UNSUPPORTED, "scissors: node_count is %d, too hard", graph->node_count);
}

static CairnStatus bad_parts(const CairnGraph *graph, const void *options, const CairnAllocator *allocator, int *part,
                             int *count) {
    (void)options, (void)allocator;
    for (int i = 0; i < graph->node_count; i++) {
        part[i] = 77;
    }
    *count = 2;
    return cairn_ok();
}

#define SOLVER(name_, traits_, solve_)                                                                                 \
    { .name = name_, .summary = "", .traits = (traits_), .solve = solve_ }
static const CairnSolver bilateral = SOLVER("bilateral", 0, never_called);
static const CairnSolver nan_solver = SOLVER("nan", CAIRN_TAKES_BOUNDS, solve_nan);
static const CairnSolver huge_solver = SOLVER("huge", CAIRN_TAKES_BOUNDS, solve_huge);
static const CairnSolver infinite_solver = SOLVER("infinite", CAIRN_TAKES_BOUNDS, solve_infinite);
static const CairnSolver moody_solver = SOLVER("moody", CAIRN_TAKES_BOUNDS, solve_refusing);
static const CairnSolver parted_solver = SOLVER("parted", CAIRN_TAKES_BOUNDS | CAIRN_NEEDS_PARTITION, never_called);
static const CairnPartitioner refusing_partitioner = {.name = "scissors", .summary = "", .partition = refuse_parts};
static const CairnPartitioner wrong_partitioner = {.name = "wrong", .summary = "", .partition = bad_parts};

// A step with another solver; pgs comes back whatever happens.
static CairnStatus step_with(Fixture *f, const CairnSolver *solver, const CairnPartitioner *partitioner) {
    CairnPgsOptions options = {.iterations = 40, .tolerance = 1e-9, .omega = 1};
    assert_ok(cairn_world_set_solver(f->world, solver, NULL));
    if (partitioner != NULL) {
        assert_ok(cairn_world_set_partitioner(f->world, partitioner, NULL));
    }
    CairnStats stats = {.bodies = -99};
    CairnStatus status = cairn_world_step(f->world, 1.0 / 60, &stats);
    assert_int_equal(stats.bodies, -99); // untouched on an error
    assert_ok(cairn_world_set_solver(f->world, &cairn_solver_pgs, &options));
    assert_ok(cairn_world_set_partitioner(f->world, cairn_partitioner_at(0), NULL));
    return status;
}

static CairnStatus set_pgs(Fixture *f, int iterations, double tolerance, double omega) {
    CairnPgsOptions options = {iterations, tolerance, omega};
    return cairn_world_set_solver(f->world, &cairn_solver_pgs, &options);
}

// A friction law that pgs does not take is refused at the step, not before.
static CairnStatus step_with_friction(Fixture *f, const char *law) {
    assert_ok(cairn_world_set(f->world, "friction", law));
    CairnStatus status = cairn_world_step(f->world, 1.0 / 60, NULL);
    assert_ok(cairn_world_set(f->world, "friction", "box"));
    return status;
}

// ---- the table ----

#define BODY(change)                                                                                                   \
    CairnBodyDef def = cairn_body_def();                                                                               \
    change;                                                                                                            \
    return create_body(f, &def);
#define SHAPE(make, change)                                                                                            \
    CairnShapeDef def = make;                                                                                          \
    change;                                                                                                            \
    return cairn_shape_create(f->world, f->ball, &def, NULL);
#define JOINT(type_, change)                                                                                           \
    CairnJointDef def = cairn_joint_def(CAIRN_JOINT_##type_);                                                          \
    def.body_a = f->ball;                                                                                              \
    def.body_b = f->box;                                                                                               \
    CairnAxis *axes = def.axes;                                                                                        \
    (void)axes;                                                                                                        \
    change;                                                                                                            \
    return cairn_joint_create(f->world, &def, NULL);
#define GEAR(a, b, change)                                                                                             \
    CairnJointDef def = cairn_joint_def(CAIRN_JOINT_GEAR);                                                             \
    def.joint_a = a;                                                                                                   \
    def.joint_b = b;                                                                                                   \
    change;                                                                                                            \
    return cairn_joint_create(f->world, &def, NULL);
#define WORLD(change)                                                                                                  \
    (void)f;                                                                                                           \
    CairnWorldDef def = cairn_world_def();                                                                             \
    change;                                                                                                            \
    return create_world(&def);
#define SET(field, value) return cairn_world_set(f->world, field, value);
#define V(x, y, z) ((CairnVec3){x, y, z})
#define Q(w, x, y, z) ((CairnQuat){w, x, y, z})
#define ARGUMENT CAIRN_INVALID_ARGUMENT

// clang-format off
#define CASES(X) \
    /* bodies */ \
    X(mass_nan, ARGUMENT, "mass", "nan", BODY(def.mass = nan_value)) \
    X(mass_negative, ARGUMENT, "mass", "-2", BODY(def.mass = -2)) \
    X(mass_infinite, ARGUMENT, "mass", "inf", BODY(def.mass = infinity)) \
    X(mass_absurd, ARGUMENT, "mass", "1e+16", BODY(def.mass = 1e16)) \
    X(mass_of_static, ARGUMENT, "mass", "3", BODY(def.mass = 3; def.type = CAIRN_STATIC)) \
    X(mass_of_kinematic, ARGUMENT, "mass", "3", BODY(def.mass = 3; def.type = CAIRN_KINEMATIC)) \
    X(inertia_without_mass, ARGUMENT, "inertia", "mass", BODY(def.inertia = V(1, 1, 1))) \
    X(products_without_mass, ARGUMENT, "inertia_products", "mass", BODY(def.inertia_products = V(1, 0, 0))) \
    X(center_without_mass, ARGUMENT, "center", "mass", BODY(def.center = V(1, 0, 0))) \
    X(inertia_partly_zero, ARGUMENT, "inertia", "(1, 1, 0)", BODY(def.mass = 1; def.inertia = V(1, 1, 0))) \
    X(inertia_negative, ARGUMENT, "inertia", "-1", BODY(def.mass = 1; def.inertia = V(1, -1, 1))) \
    X(inertia_nan, ARGUMENT, "inertia", "nan", BODY(def.mass = 1; def.inertia = V(1, nan_value, 1))) \
    X(inertia_indefinite, ARGUMENT, "products (3,", "positive", BODY(def.mass = 1; def.inertia = V(1, 1, 1); \
        def.inertia_products = V(3, 0, 0))) \
    X(inertia_of_no_body, ARGUMENT, "inertia", "(1, 1, 3)", BODY(def.mass = 1; def.inertia = V(1, 1, 3))) \
    X(products_without_inertia, ARGUMENT, "inertia_products", "", BODY(def.mass = 1; def.inertia_products = V(1, 0, 0))) \
    X(center_without_inertia, ARGUMENT, "center", "", BODY(def.mass = 1; def.center = V(1, 0, 0))) \
    X(quaternion_long, ARGUMENT, "orientation", "2:0:0:0", BODY(def.orientation = Q(2, 0, 0, 0))) \
    X(quaternion_zero, ARGUMENT, "orientation", "0:0:0:0", BODY(def.orientation = Q(0, 0, 0, 0))) \
    X(quaternion_nan, ARGUMENT, "orientation", "nan", BODY(def.orientation = Q(1, 0, nan_value, 0))) \
    X(position_nan, ARGUMENT, "position", "nan", BODY(def.position = V(0, nan_value, 0))) \
    X(position_absurd, ARGUMENT, "position", "1e+16", BODY(def.position = V(0, 1e16, 0))) \
    X(velocity_infinite, ARGUMENT, "velocity", "inf", BODY(def.velocity = V(0, 0, infinity))) \
    X(velocity_of_static, ARGUMENT, "velocity", "static", BODY(def.type = CAIRN_STATIC; def.velocity = V(1, 0, 0))) \
    X(spin_of_static, ARGUMENT, "angular_velocity", "static", BODY(def.type = CAIRN_STATIC; \
        def.angular_velocity = V(1, 0, 0))) \
    X(damping_negative, ARGUMENT, "linear_damping", "-0.5", BODY(def.linear_damping = -0.5)) \
    X(damping_nan, ARGUMENT, "angular_damping", "nan", BODY(def.angular_damping = nan_value)) \
    X(gravity_scale_nan, ARGUMENT, "gravity_scale", "nan", BODY(def.gravity_scale = nan_value)) \
    X(group_absurd, ARGUMENT, "group", "-2", BODY(def.group = -2)) \
    X(body_type_unknown, ARGUMENT, "type", "9", BODY(def.type = (CairnBodyType)9)) \
    X(body_without_cookie, ARGUMENT, "cairn_body_def()", "", CairnBodyDef def = {0}; return create_body(f, &def);) \
    X(body_def_null, ARGUMENT, "def", "NULL", return create_body(f, NULL);) \
    X(body_id_place_null, ARGUMENT, "id", "NULL", CairnBodyDef def = cairn_body_def(); \
        return cairn_body_create(f->world, &def, NULL);) \
    X(body_world_null, ARGUMENT, "world", "NULL", CairnBodyDef def = cairn_body_def(); CairnBodyId id; (void)f; \
        return cairn_body_create(NULL, &def, &id);) \
    X(body_add_bad_shape, ARGUMENT, "radius", "-1", CairnBodyDef def = cairn_body_def(); \
        CairnShapeDef shape = cairn_sphere(-1); return cairn_body_add(f->world, &def, &shape, NULL);) \
    X(body_add_half_space, ARGUMENT, "half_space", "dynamic", CairnBodyDef def = cairn_body_def(); \
        CairnShapeDef shape = cairn_half_space(); return cairn_body_add(f->world, &def, &shape, NULL);) \
    X(body_add_null_shape, ARGUMENT, "shape", "NULL", CairnBodyDef def = cairn_body_def(); \
        return cairn_body_add(f->world, &def, NULL, NULL);) \
    /* ids */ \
    X(destroy_twice, CAIRN_INVALID_ID, "body", "destroyed", return cairn_body_destroy(f->world, f->dead);) \
    X(destroy_null, CAIRN_INVALID_ID, "body", "null", return cairn_body_destroy(f->world, (CairnBodyId){0, 0, 0});) \
    X(destroy_foreign, CAIRN_INVALID_ID, "body", "another world", return cairn_body_destroy(f->world, f->foreign);) \
    X(destroy_future, CAIRN_INVALID_ID, "body 999", "", CairnBodyId id = f->ball; id.index = 999; \
        return cairn_body_destroy(f->world, id);) \
    X(even_generation, CAIRN_INVALID_ID, "body", "destroyed", CairnBodyId id = f->dead; id.generation += 1; \
        return cairn_body_destroy(f->world, id);) \
    X(shape_dead, CAIRN_INVALID_ID, "shape", "destroyed", return cairn_shape_destroy(f->world, f->dead_shape);) \
    X(shape_foreign, CAIRN_INVALID_ID, "shape", "another world", return cairn_shape_destroy(f->world, f->foreign_shape);) \
    X(joint_dead, CAIRN_INVALID_ID, "joint", "destroyed", return cairn_joint_destroy(f->world, f->dead_joint);) \
    X(joint_foreign, CAIRN_INVALID_ID, "joint", "another world", return cairn_joint_destroy(f->world, f->foreign_joint);) \
    X(get_dead, CAIRN_INVALID_ID, "body", "destroyed", CairnBodyState s; return cairn_body_get(f->world, f->dead, &s);) \
    X(get_null_place, ARGUMENT, "state", "NULL", return cairn_body_get(f->world, f->ball, NULL);) \
    X(get_null_world, ARGUMENT, "world", "NULL", CairnBodyState s; return cairn_body_get(NULL, f->ball, &s);) \
    X(get_shape_dead, CAIRN_INVALID_ID, "shape", "destroyed", CairnShapeDef d; \
        return cairn_shape_get(f->world, f->dead_shape, &d, NULL);) \
    X(get_joint_dead, CAIRN_INVALID_ID, "joint", "destroyed", CairnJointState s; \
        return cairn_joint_get(f->world, f->dead_joint, &s);) \
    X(get_joint_null, ARGUMENT, "state", "NULL", return cairn_joint_get(f->world, f->hinge, NULL);) \
    X(get_joint_def_null, ARGUMENT, "def", "NULL", return cairn_joint_get_def(f->world, f->hinge, NULL);) \
    /* by hand */ \
    X(pose_nan, ARGUMENT, "position", "nan", return cairn_body_set_pose(f->world, f->ball, V(nan_value, 0, 0), \
        Q(1, 0, 0, 0));) \
    X(pose_not_unit, ARGUMENT, "orientation", "(1, 1, 0, 0)", return cairn_body_set_pose(f->world, f->ball, V(0, 0, 0), \
        Q(1, 1, 0, 0));) \
    X(pose_nan_turn, ARGUMENT, "orientation", "nan", return cairn_body_set_pose(f->world, f->ball, V(0, 0, 0), \
        Q(nan_value, 0, 0, 0));) \
    X(pose_dead, CAIRN_INVALID_ID, "body", "destroyed", return cairn_body_set_pose(f->world, f->dead, V(0, 0, 0), \
        Q(1, 0, 0, 0));) \
    X(velocity_nan, ARGUMENT, "velocity", "nan", return cairn_body_set_velocity(f->world, f->ball, V(0, 0, nan_value), \
        V(0, 0, 0));) \
    X(spin_infinite, ARGUMENT, "angular_velocity", "inf", return cairn_body_set_velocity(f->world, f->ball, V(0, 0, 0), \
        V(infinity, 0, 0));) \
    X(velocity_on_static, ARGUMENT, "velocity", "static", return cairn_body_set_velocity(f->world, f->ground, V(1, 0, 0), \
        V(0, 0, 0));) \
    X(set_type_unknown, ARGUMENT, "type", "7", return cairn_body_set_type(f->world, f->ball, (CairnBodyType)7);) \
    X(set_type_half_space, ARGUMENT, "type", "half_space", return cairn_body_set_type(f->world, f->ground, CAIRN_DYNAMIC);) \
    X(set_gravity_scale_inf, ARGUMENT, "gravity_scale", "inf", \
        return cairn_body_set_gravity_scale(f->world, f->ball, infinity);) \
    X(force_nan, ARGUMENT, "force", "nan", return cairn_body_apply_force(f->world, f->ball, V(nan_value, 0, 0));) \
    X(force_infinite, ARGUMENT, "force", "inf", return cairn_body_apply_force(f->world, f->ball, V(0, infinity, 0));) \
    X(force_on_static, ARGUMENT, "force", "not dynamic", return cairn_body_apply_force(f->world, f->ground, V(1, 0, 0));) \
    X(force_on_kinematic, ARGUMENT, "force", "not dynamic", \
        return cairn_body_apply_force(f->world, f->mover, V(1, 0, 0));) \
    X(force_point_nan, ARGUMENT, "point", "nan", \
        return cairn_body_apply_force_at(f->world, f->ball, V(1, 0, 0), V(nan_value, 0, 0));) \
    X(force_overflows, ARGUMENT, "torque", "inf", \
        return cairn_body_apply_force_at(f->world, f->ball, V(1e200, 0, 0), V(0, 1e200, 0));) \
    X(torque_nan, ARGUMENT, "torque", "nan", return cairn_body_apply_torque(f->world, f->ball, V(0, 0, nan_value));) \
    X(impulse_nan, ARGUMENT, "impulse", "nan", \
        return cairn_body_apply_impulse_at(f->world, f->ball, V(nan_value, 0, 0), V(0, 0, 0));) \
    X(impulse_point_inf, ARGUMENT, "point", "inf", \
        return cairn_body_apply_impulse_at(f->world, f->ball, V(1, 0, 0), V(0, infinity, 0));) \
    X(impulse_overflows, ARGUMENT, "angular_velocity", "must stay finite", \
        return cairn_body_apply_impulse_at(f->world, f->ball, V(1e200, 0, 0), V(0, 1e200, 0));) \
    X(impulse_on_static, ARGUMENT, "impulse", "not dynamic", \
        return cairn_body_apply_angular_impulse(f->world, f->ground, V(1, 0, 0));) \
    /* shapes */ \
    X(radius_zero, ARGUMENT, "radius", "0", SHAPE(cairn_sphere(0), )) \
    X(radius_negative, ARGUMENT, "radius", "-0.5", SHAPE(cairn_sphere(-0.5), )) \
    X(radius_nan, ARGUMENT, "radius", "nan", SHAPE(cairn_sphere(nan_value), )) \
    X(radius_absurd, ARGUMENT, "radius", "10000000000", SHAPE(cairn_sphere(1e10), )) \
    X(size_zero, ARGUMENT, "size", "0", SHAPE(cairn_box(1, 0, 1), )) \
    X(size_negative, ARGUMENT, "size", "-1", SHAPE(cairn_box(1, 1, -1), )) \
    X(size_nan, ARGUMENT, "size", "nan", SHAPE(cairn_box(nan_value, 1, 1), )) \
    X(cylinder_flat, ARGUMENT, "height", "0", SHAPE(cairn_cylinder(1, 0), )) \
    X(cylinder_thin, ARGUMENT, "radius", "0", SHAPE(cairn_cylinder(0, 1), )) \
    X(capsule_nan, ARGUMENT, "height", "nan", SHAPE(cairn_capsule(1, nan_value), )) \
    X(capsule_negative, ARGUMENT, "radius", "-1", SHAPE(cairn_capsule(-1, 1), )) \
    X(hull_of_nothing, ARGUMENT, "points", "NULL", SHAPE(cairn_hull(NULL, 4), )) \
    X(hull_of_three, ARGUMENT, "point_count", "3", SHAPE(cairn_hull(flat_points, 3), )) \
    X(hull_negative_count, ARGUMENT, "point_count", "-7", SHAPE(cairn_hull(flat_points, -7), )) \
    X(hull_flat, ARGUMENT, "hull", "", SHAPE(cairn_hull(flat_points, 4), )) \
    X(hull_nan, ARGUMENT, "points[2]", "nan", SHAPE(cairn_hull(nan_points, 4), )) \
    X(shape_position_nan, ARGUMENT, "position", "nan", SHAPE(cairn_sphere(1), def.position = V(0, 0, nan_value))) \
    X(shape_turn_not_unit, ARGUMENT, "orientation", "0.5:0:0:0", SHAPE(cairn_box(1, 1, 1), \
        def.orientation = Q(0.5, 0, 0, 0))) \
    X(density_negative, ARGUMENT, "density", "-1", SHAPE(cairn_sphere(1), def.density = -1)) \
    X(density_nan, ARGUMENT, "density", "nan", SHAPE(cairn_sphere(1), def.density = nan_value)) \
    X(friction_negative, ARGUMENT, "friction", "-0.1", SHAPE(cairn_sphere(1), def.friction = -0.1)) \
    X(restitution_above_one, ARGUMENT, "restitution", "1.5", SHAPE(cairn_sphere(1), def.restitution = 1.5)) \
    X(rolling_friction_nan, ARGUMENT, "rolling_friction", "nan", SHAPE(cairn_sphere(1), \
        def.rolling_friction = nan_value)) \
    X(torsional_friction_negative, ARGUMENT, "torsional_friction", "-3", SHAPE(cairn_sphere(1), \
        def.torsional_friction = -3)) \
    X(shape_type_unknown, ARGUMENT, "type", "99", SHAPE(cairn_sphere(1), def.type = (CairnShapeType)99)) \
    X(shape_without_cookie, ARGUMENT, "cairn_shape_def()", "", SHAPE(((CairnShapeDef){.radius = 1}), )) \
    X(shape_def_null, ARGUMENT, "def", "NULL", return cairn_shape_create(f->world, f->ball, NULL, NULL);) \
    X(shape_on_dead_body, CAIRN_INVALID_ID, "body", "destroyed", CairnShapeDef def = cairn_sphere(1); \
        return cairn_shape_create(f->world, f->dead, &def, NULL);) \
    X(half_space_on_dynamic, ARGUMENT, "half_space", "dynamic", SHAPE(cairn_half_space(), )) \
    X(material_negative, ARGUMENT, "friction", "-2", \
        return cairn_shape_set_material(f->world, f->ball_shape, (CairnMaterial){.friction = -2});) \
    X(material_restitution, ARGUMENT, "restitution", "2", \
        return cairn_shape_set_material(f->world, f->ball_shape, (CairnMaterial){.restitution = 2});) \
    X(filter_of_dead, CAIRN_INVALID_ID, "shape", "destroyed", \
        return cairn_shape_set_filter(f->world, f->dead_shape, (CairnFilter){1, 1});) \
    /* joints */ \
    X(joint_to_itself, ARGUMENT, "body_a and body_b", "same", JOINT(BALL, def.body_a = def.body_b)) \
    X(joint_to_dead_a, CAIRN_INVALID_ID, "body_a", "destroyed", JOINT(BALL, def.body_a = f->dead)) \
    X(joint_to_dead_b, CAIRN_INVALID_ID, "body_b", "destroyed", JOINT(BALL, def.body_b = f->dead)) \
    X(joint_to_foreign, CAIRN_INVALID_ID, "body_b", "another world", JOINT(BALL, def.body_b = f->foreign)) \
    X(joint_to_nothing, CAIRN_INVALID_ID, "body_b", "null", JOINT(BALL, def.body_b = (CairnBodyId){0})) \
    X(joint_of_statics, ARGUMENT, "body_a", "dynamic", JOINT(BALL, def.body_a = f->ground; def.body_b = f->mover)) \
    X(joint_without_cookie, ARGUMENT, "cairn_joint_def()", "", JOINT(BALL, def.cookie = 0)) \
    X(joint_def_null, ARGUMENT, "def", "NULL", return cairn_joint_create(f->world, NULL, NULL);) \
    X(joint_world_null, ARGUMENT, "world", "NULL", (void)f; CairnJointDef def = cairn_joint_def(CAIRN_JOINT_BALL); \
        return cairn_joint_create(NULL, &def, NULL);) \
    X(joint_type_unknown, ARGUMENT, "type", "42", JOINT(BALL, def.type = (CairnJointType)42)) \
    X(frame_not_unit, ARGUMENT, "frame_a.q", "3:0:0:0", JOINT(BALL, def.frame_a.q = Q(3, 0, 0, 0))) \
    X(frame_nan, ARGUMENT, "frame_b.p", "nan", JOINT(BALL, def.frame_b.p = V(0, nan_value, 0))) \
    X(limits_out_of_order, ARGUMENT, "lower", "upper, -1", JOINT(REVOLUTE, axes[CAIRN_RX].mode = CAIRN_AXIS_LIMITED; \
        axes[CAIRN_RX].lower = 1; axes[CAIRN_RX].upper = -1)) \
    X(limit_nan, ARGUMENT, "upper", "nan", JOINT(REVOLUTE, axes[CAIRN_RX].mode = CAIRN_AXIS_LIMITED; \
        axes[CAIRN_RX].upper = nan_value)) \
    X(limit_unreachable, ARGUMENT, "lower", "inf", JOINT(PRISMATIC, axes[CAIRN_X].mode = CAIRN_AXIS_LIMITED; \
        axes[CAIRN_X].lower = infinity)) \
    X(motor_force_negative, ARGUMENT, "max_force", "-5", JOINT(REVOLUTE, axes[CAIRN_RX].drive = CAIRN_DRIVE_VELOCITY; \
        axes[CAIRN_RX].max_force = -5)) \
    X(motor_speed_nan, ARGUMENT, "target_velocity", "nan", JOINT(REVOLUTE, axes[CAIRN_RX].target_velocity = nan_value)) \
    X(spring_negative, ARGUMENT, "stiffness", "-10", JOINT(PRISMATIC, axes[CAIRN_X].stiffness = -10)) \
    X(spring_damping_nan, ARGUMENT, "damping", "nan", JOINT(PRISMATIC, axes[CAIRN_X].damping = nan_value)) \
    X(compliance_negative, ARGUMENT, "compliance", "-1", JOINT(BALL, axes[CAIRN_X].compliance = -1)) \
    X(drive_on_locked_axis, ARGUMENT, "axis Y", "drive", JOINT(REVOLUTE, axes[CAIRN_Y].drive = CAIRN_DRIVE_VELOCITY)) \
    X(drive_on_locked_choice, ARGUMENT, "axis X", "drive", JOINT(SIX_DOF, axes[CAIRN_X].mode = CAIRN_AXIS_LOCKED; \
        axes[CAIRN_X].drive = CAIRN_DRIVE_SPRING)) \
    X(free_a_locked_axis, ARGUMENT, "axis Z", "mode", JOINT(PRISMATIC, axes[CAIRN_Z].mode = CAIRN_AXIS_FREE)) \
    X(limit_a_ball, ARGUMENT, "axis RX", "mode", JOINT(BALL, axes[CAIRN_RX].mode = CAIRN_AXIS_LIMITED)) \
    X(rod_negative, ARGUMENT, "target_position", "-2", JOINT(DISTANCE, axes[CAIRN_X].target_position = -2)) \
    X(mode_unknown, ARGUMENT, "mode", "12", JOINT(REVOLUTE, axes[CAIRN_RX].mode = (CairnAxisMode)12)) \
    X(drive_unknown, ARGUMENT, "drive", "5", JOINT(REVOLUTE, axes[CAIRN_RX].drive = (CairnDrive)5)) \
    X(gear_over_weld, ARGUMENT, "joint_b", "fixed", GEAR(f->hinge, f->weld, )) \
    X(gear_over_gear, ARGUMENT, "joint_a", "gear", GEAR(f->gear, f->hinge, )) \
    X(gear_over_dead, CAIRN_INVALID_ID, "joint_a", "destroyed", GEAR(f->dead_joint, f->hinge, )) \
    X(gear_over_foreign, CAIRN_INVALID_ID, "joint_b", "another world", GEAR(f->hinge, f->foreign_joint, )) \
    X(gear_over_nothing, CAIRN_INVALID_ID, "joint_b", "null", GEAR(f->hinge, ((CairnJointId){0}), )) \
    X(gear_over_one, ARGUMENT, "joint_a and joint_b", "same", GEAR(f->hinge, f->hinge, )) \
    X(gear_ratio_zero, ARGUMENT, "ratio", "0", GEAR(f->hinge, f->slider, def.ratio = 0)) \
    X(gear_ratio_nan, ARGUMENT, "ratio", "nan", GEAR(f->hinge, f->slider, def.ratio = nan_value)) \
    X(axis_out_of_range, ARGUMENT, "axis", "6", CairnAxis a = cairn_axis(); \
        return cairn_joint_set_axis(f->world, f->hinge, 6, &a);) \
    X(axis_negative, ARGUMENT, "axis", "-1", CairnAxis a = cairn_axis(); \
        return cairn_joint_set_axis(f->world, f->hinge, -1, &a);) \
    X(axis_null, ARGUMENT, "settings", "NULL", return cairn_joint_set_axis(f->world, f->hinge, 0, NULL);) \
    X(axis_drive_locked, ARGUMENT, "axis Y", "drive", CairnAxis a = cairn_axis(); a.drive = CAIRN_DRIVE_VELOCITY; \
        return cairn_joint_set_axis(f->world, f->hinge, CAIRN_Y, &a);) \
    X(axis_force_nan, ARGUMENT, "max_force", "nan", CairnAxis a = cairn_axis(); a.max_force = nan_value; \
        return cairn_joint_set_axis(f->world, f->hinge, CAIRN_RX, &a);) \
    X(place_without_axis, ARGUMENT, "x", "(0, 0, 0)", CairnJointDef def = cairn_joint_def(CAIRN_JOINT_BALL); \
        def.body_b = f->ball; return cairn_joint_place(f->world, &def, V(0, 0, 0), V(0, 0, 0), V(0, 0, 0));) \
    X(place_nan, ARGUMENT, "point", "", CairnJointDef def = cairn_joint_def(CAIRN_JOINT_BALL); \
        def.body_b = f->ball; return cairn_joint_place(f->world, &def, V(nan_value, 0, 0), V(1, 0, 0), V(0, 0, 0));) \
    X(place_dead, CAIRN_INVALID_ID, "body_b", "destroyed", CairnJointDef def = cairn_joint_def(CAIRN_JOINT_BALL); \
        def.body_b = f->dead; return cairn_joint_place(f->world, &def, V(0, 0, 0), V(1, 0, 0), V(0, 0, 0));) \
    /* worlds and settings */ \
    X(world_without_cookie, ARGUMENT, "cairn_world_def()", "", WORLD(def.cookie = 5)) \
    X(world_def_null, ARGUMENT, "def", "NULL", (void)f; return create_world(NULL);) \
    X(world_place_null, ARGUMENT, "world", "NULL", (void)f; CairnWorldDef def = cairn_world_def(); \
        return cairn_world_create(&def, NULL);) \
    X(world_half_allocator, ARGUMENT, "allocator", "release", SupportMemory m = {0}; \
        WORLD(def.allocator = support_allocator(&m); def.allocator.release = NULL)) \
    X(no_threads, ARGUMENT, "thread_count", "0", WORLD(def.thread_count = 0)) \
    X(absurd_threads, ARGUMENT, "thread_count", "100000", WORLD(def.thread_count = 100000)) \
    X(gravity_nan, ARGUMENT, "gravity", "nan", WORLD(def.gravity.y = nan_value)) \
    X(fraction_above_one, ARGUMENT, "contact_fraction", "2", WORLD(def.contact_fraction = 2)) \
    X(margin_negative, ARGUMENT, "contact_margin", "-0.1", WORLD(def.contact_margin = -0.1)) \
    X(integrator_unknown, ARGUMENT, "integrator", "8", WORLD(def.integrator = (CairnIntegrator)8)) \
    X(passes_zero, ARGUMENT, "geometric_passes", "0", WORLD(def.geometric_passes = 0)) \
    X(touch_passes_zero, ARGUMENT, "touch_passes", "0", WORLD(def.touch_passes = 0)) \
    X(set_threads_zero, ARGUMENT, "thread_count", "0", SET("thread_count", "0")) \
    X(set_fraction_nan, ARGUMENT, "joint_fraction", "nan", SET("joint_fraction", "nan")) \
    X(set_words, ARGUMENT, "contact_slop", "plenty", SET("contact_slop", "plenty")) \
    X(set_choice_unknown, CAIRN_NOT_FOUND, "cine", "cone", SET("friction", "cine")) \
    X(set_unknown_name, CAIRN_NOT_FOUND, "gravitty", "gravity", SET("gravitty", "0,0,-1")) \
    X(set_two_of_three, ARGUMENT, "gravity", "0,1", SET("gravity", "0,1")) \
    X(set_null_value, ARGUMENT, "value", "NULL", SET("gravity", NULL)) \
    X(set_null_field, ARGUMENT, "field", "NULL", SET(NULL, "1")) \
    /* solvers */ \
    X(solver_null, ARGUMENT, "solver", "NULL", return cairn_world_set_solver(f->world, NULL, NULL);) \
    X(solver_without_function, ARGUMENT, "solve", "NULL", const CairnSolver empty = {.name = "empty"}; \
        return cairn_world_set_solver(f->world, &empty, NULL);) \
    X(partitioner_null, ARGUMENT, "partitioner", "NULL", return cairn_world_set_partitioner(f->world, NULL, NULL);) \
    X(no_iterations, ARGUMENT, "iterations", "0", return set_pgs(f, 0, 1e-9, 1);) \
    X(tolerance_nan, ARGUMENT, "tolerance", "nan", return set_pgs(f, 10, nan_value, 1);) \
    X(omega_two, ARGUMENT, "omega", "2", return set_pgs(f, 10, 1e-9, 2);) \
    X(solver_unknown, CAIRN_NOT_FOUND, "pgss", "pgs", (void)f; const CairnSolver *s; \
        return cairn_solver_find("pgss", &s);) \
    X(partitioner_unknown, CAIRN_NOT_FOUND, "nome", "none", (void)f; const CairnPartitioner *p; \
        return cairn_partitioner_find("nome", &p);) \
    X(bounds_not_taken, CAIRN_UNSUPPORTED, "bilateral", "does not take", return step_with(f, &bilateral, NULL);) \
    X(friction_not_taken, CAIRN_UNSUPPORTED, "pgs", "cone friction", return step_with_friction(f, "cone");) \
    X(coulomb_not_taken, CAIRN_UNSUPPORTED, "pgs", "coulomb friction", return step_with_friction(f, "coulomb");) \
    X(solver_refuses, CAIRN_UNSUPPORTED, "moody", "not today", return step_with(f, &moody_solver, NULL);) \
    X(solver_writes_nan, CAIRN_NUMERIC, "body", "nan", return step_with(f, &nan_solver, NULL);) \
    X(solver_writes_huge, CAIRN_NUMERIC, "body", "not usable", return step_with(f, &huge_solver, NULL);) \
    X(solver_writes_infinite, CAIRN_NUMERIC, "body", "not usable", return step_with(f, &infinite_solver, NULL);) \
    X(partitioner_refuses, CAIRN_UNSUPPORTED, "scissors", "too hard", \
        return step_with(f, &parted_solver, &refusing_partitioner);) \
    X(partitioner_lies, ARGUMENT, "wrong", "77", return step_with(f, &parted_solver, &wrong_partitioner);) \
    /* steps */ \
    X(step_zero, ARGUMENT, "h", "0", return cairn_world_step(f->world, 0, NULL);) \
    X(step_negative, ARGUMENT, "h", "-0.01", return cairn_world_step(f->world, -0.01, NULL);) \
    X(step_nan, ARGUMENT, "h", "nan", return cairn_world_step(f->world, nan_value, NULL);) \
    X(step_infinite, ARGUMENT, "h", "inf", return cairn_world_step(f->world, infinity, NULL);) \
    X(step_absurdly_small, ARGUMENT, "h", "1e-300", return cairn_world_step(f->world, 1e-300, NULL);) \
    X(step_null, ARGUMENT, "world", "NULL", (void)f; return cairn_world_step(NULL, 0.01, NULL);) \
    /* queries and snapshots */ \
    X(ray_without_direction, ARGUMENT, "direction", "(0, 0, 0)", return ray(f, V(0, 0, 0), V(0, 0, 0), 1);) \
    X(ray_direction_nan, ARGUMENT, "direction", "nan", return ray(f, V(0, 0, 0), V(nan_value, 0, 1), 1);) \
    X(ray_origin_nan, ARGUMENT, "origin", "nan", return ray(f, V(0, 0, nan_value), V(0, 0, 1), 1);) \
    X(ray_distance_negative, ARGUMENT, "max_distance", "-1", return ray(f, V(0, 0, 0), V(0, 0, 1), -1);) \
    X(ray_distance_nan, ARGUMENT, "max_distance", "nan", return ray(f, V(0, 0, 0), V(0, 0, 1), nan_value);) \
    X(ray_hit_null, ARGUMENT, "hit", "NULL", bool b; \
        return cairn_world_ray_cast(f->world, V(0, 0, 0), V(0, 0, 1), 1, (CairnFilter){1, 1}, NULL, &b);) \
    X(problem_null, ARGUMENT, "problem", "NULL", const double *l; return cairn_world_problem(f->world, NULL, &l);) \
    X(problem_before_a_step, CAIRN_NOT_FOUND, "problem", "no step", CairnProblem p; const double *l; \
        return cairn_world_problem(f->other, &p, &l);) \
    X(snapshot_null, ARGUMENT, "bytes", "NULL", size_t n; return cairn_world_snapshot(f->world, NULL, 10, &n);) \
    X(snapshot_small, ARGUMENT, "size", "8", unsigned char b[8]; size_t n; \
        return cairn_world_snapshot(f->world, b, sizeof b, &n);) \
    X(restore_null, ARGUMENT, "bytes", "NULL", return cairn_world_restore(f->world, NULL, 100);) \
    X(restore_nothing, CAIRN_CORRUPT, "0 bytes", "", return restore(f, 0, 0, 0);) \
    X(restore_header_only, CAIRN_CORRUPT, "size", "", return restore(f, 0, 0, 32);) \
    X(restore_not_a_snapshot, CAIRN_CORRUPT, "no snapshot", "", return restore(f, 0, 1, f->bytes.size);) \
    X(restore_version, CAIRN_UNSUPPORTED, "version", "2", return restore(f, 8, 1, f->bytes.size);) \
    X(restore_wrong_size, CAIRN_CORRUPT, "size", "", return restore(f, 0, 0, f->bytes.size - 8);) \
    X(restore_wrong_checksum, CAIRN_CORRUPT, "checksum", "", return restore(f, 24, 1, f->bytes.size);) \
    X(restore_changed, CAIRN_CORRUPT, "checksum", "", return restore(f, 200, 1, f->bytes.size);)
// clang-format on

#define DEFINE(name, code, field, value, ...)                                                                          \
    static CairnStatus case_##name(Fixture *f) {                                                                       \
        __VA_ARGS__                                                                                                    \
    }
CASES(DEFINE)

#define LIST(name, code, field, value, ...) {#name, code, field, value, case_##name},
static const Case cases[] = {CASES(LIST)};
enum { CASE_COUNT = sizeof cases / sizeof cases[0] };

// ---- the fixture: all kinds of things, alive, dead and foreign ----

static CairnJointId join(CairnWorld *world, CairnJointType type, CairnBodyId b, CairnVec3 at) {
    CairnJointDef def = cairn_joint_def(type);
    def.body_b = b;
    CairnJointId id;
    assert_ok(cairn_joint_place(world, &def, at, (CairnVec3){0, 1, 0}, (CairnVec3){0, 0, 0}));
    assert_ok(cairn_joint_create(world, &def, &id));
    return id;
}

static CairnWorld *build(Fixture *f) {
    CairnWorld *world = support_empty_world();
    f->ground = support_add(world, CAIRN_STATIC, cairn_half_space(), (CairnVec3){0, 0, 0});
    f->mover = support_add(world, CAIRN_KINEMATIC, cairn_box(1, 1, 1), (CairnVec3){9, 0, 0.5});
    f->ball = support_add(world, CAIRN_DYNAMIC, cairn_sphere(0.5), (CairnVec3){0, 0, 0.45});
    f->box = support_add(world, CAIRN_DYNAMIC, cairn_box(0.5, 0.5, 0.5), (CairnVec3){2, 0, 0.24});
    f->dead = support_add(world, CAIRN_DYNAMIC, cairn_sphere(1), (CairnVec3){0, 9, 9});
    f->ball_shape = support_first_shape(world, f->ball);
    f->dead_shape = support_first_shape(world, f->dead);
    CairnBodyId wheel = support_add(world, CAIRN_DYNAMIC, cairn_sphere(0.3), (CairnVec3){0, 4, 2});
    CairnBodyId sledge = support_add(world, CAIRN_DYNAMIC, cairn_box(0.3, 0.3, 0.3), (CairnVec3){0, 6, 2});
    CairnBodyId plate = support_add(world, CAIRN_DYNAMIC, cairn_box(0.3, 0.3, 0.3), (CairnVec3){0, 8, 2});
    f->hinge = join(world, CAIRN_JOINT_REVOLUTE, wheel, (CairnVec3){0, 4, 2.2});
    f->slider = join(world, CAIRN_JOINT_PRISMATIC, sledge, (CairnVec3){0, 6, 2});
    f->weld = join(world, CAIRN_JOINT_FIXED, plate, (CairnVec3){0, 8, 2});
    f->dead_joint = join(world, CAIRN_JOINT_BALL, f->dead, (CairnVec3){0, 9, 9});
    CairnJointDef gear = cairn_joint_def(CAIRN_JOINT_GEAR);
    gear.joint_a = f->hinge;
    gear.joint_b = f->slider;
    assert_ok(cairn_joint_create(world, &gear, &f->gear));
    assert_ok(cairn_body_destroy(world, f->dead)); // its shape and joint go with it
    support_run(world, 3);
    return world;
}

static void open_fixture(Fixture *f) {
    memset(f, 0, sizeof *f);
    f->other = build(f);
    f->foreign = f->ball;
    f->foreign_shape = f->ball_shape;
    f->foreign_joint = f->hinge;
    CairnBodyDef def = cairn_body_def(); // a change: its last problem is gone
    CairnBodyId unused;
    assert_ok(cairn_body_create(f->other, &def, &unused));
    f->twin = build(f);
    f->world = build(f);
}

static void close_fixture(Fixture *f) {
    cairn_world_destroy(f->world);
    cairn_world_destroy(f->twin);
    cairn_world_destroy(f->other);
}

static void check_words(const Case *c, CairnStatus status) {
    if (status.code != c->code || strstr(status.message, c->field) == NULL ||
        strstr(status.message, c->value) == NULL) {
        print_error("%s: answered \"%s: %s\", wanted \"%s\" with \"%s\" and \"%s\"\n", c->name,
                    cairn_code_name(status.code), status.message, cairn_code_name(c->code), c->field, c->value);
        fail();
    }
}

static void every_case_is_refused_and_nothing_happened(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f);
    assert_true(CASE_COUNT >= 80);
    for (int i = 0; i < CASE_COUNT; i++) {
        f.bytes = support_snapshot(f.world);
        uint64_t hash = cairn_world_state_hash(f.world);
        check_words(&cases[i], cases[i].run(&f));
        SupportBytes after = support_snapshot(f.world);
        if (!support_same_bytes(&f.bytes, &after) || cairn_world_state_hash(f.world) != hash) {
            fail_msg("%s: the world has changed", cases[i].name);
        }
        support_bytes_free(&f.bytes);
        support_bytes_free(&after);
        support_run(f.world, 1);
        support_run(f.twin, 1);
        if (cairn_world_state_hash(f.world) != cairn_world_state_hash(f.twin)) {
            fail_msg("%s: the next step is another than its twin's", cases[i].name);
        }
    }
    close_fixture(&f);
}

// ---- what only the step can see ----

static CairnWorld *one_ball(CairnBodyId *ball) {
    CairnWorld *world = support_empty_world();
    support_add(world, CAIRN_STATIC, cairn_half_space(), (CairnVec3){0, 0, 0});
    *ball = support_add(world, CAIRN_DYNAMIC, cairn_sphere(0.5), (CairnVec3){0, 0, 0.5});
    return world;
}

// The step is refused with these words, and nothing has moved.
static void refuse_step(CairnWorld *world, CairnCode code, const char *words) {
    SupportBytes before = support_snapshot(world);
    assert_refused(cairn_world_step(world, 1.0 / 60, NULL), code, words);
    SupportBytes after = support_snapshot(world);
    assert_true(support_same_bytes(&before, &after));
    support_bytes_free(&before);
    support_bytes_free(&after);
}

static void a_body_without_mass_stops_the_step(void **state) {
    (void)state;
    CairnBodyId ball, empty;
    CairnWorld *world = one_ball(&ball);
    CairnBodyDef def = cairn_body_def();
    assert_ok(cairn_body_create(world, &def, &empty));
    refuse_step(world, CAIRN_INVALID_ARGUMENT, "body 3 is dynamic, but has mass 0");
    assert_refused(cairn_body_apply_impulse_at(world, empty, V(1, 0, 0), V(0, 0, 0)), CAIRN_INVALID_ARGUMENT,
                   "no mass");
    CairnShapeDef weightless = cairn_sphere(0.1);
    weightless.density = 0;
    CairnShapeId shape;
    assert_ok(cairn_shape_create(world, empty, &weightless, &shape));
    refuse_step(world, CAIRN_INVALID_ARGUMENT, "mass 0");
    CairnShapeDef solid = cairn_sphere(0.1);
    assert_ok(cairn_shape_create(world, empty, &solid, NULL));
    support_run(world, 1);
    cairn_world_destroy(world);
}

// Each value is finite, and so none of the calls could refuse it; together they are too much.
static void what_overflows_in_the_step_is_named(void **state) {
    (void)state;
    CairnBodyId ball;
    CairnWorld *world = one_ball(&ball);
    assert_ok(cairn_body_set_velocity(world, ball, V(1e308, 1e308, 1e308), V(0, 0, 0)));
    refuse_step(world, CAIRN_NUMERIC, "body 2: velocity");
    assert_ok(cairn_body_set_velocity(world, ball, V(0, 0, 0), V(1e308, 0, 1e308)));
    refuse_step(world, CAIRN_NUMERIC, "body 2: velocity");
    assert_ok(cairn_body_set_velocity(world, ball, V(0, 0, 0), V(0, 0, 0)));
    assert_refused(cairn_body_set_pose(world, ball, V(0, 0, -1e17), Q(1, 0, 0, 0)), CAIRN_INVALID_ARGUMENT, "-1e+17");
    support_run(world, 1);
    CairnShapeDef dust = cairn_sphere(1e-3);
    dust.density = 1e-6;
    CairnBodyId mote = support_add(world, CAIRN_DYNAMIC, dust, (CairnVec3){5, 0, 5});
    assert_ok(cairn_body_apply_force(world, mote, V(0, 0, 1.7e308)));
    refuse_step(world, CAIRN_NUMERIC, "body 3: its forces");
    assert_refused(cairn_body_apply_force(world, mote, V(0, 0, 1.7e308)), CAIRN_INVALID_ARGUMENT, "force becomes");
    assert_ok(cairn_body_apply_force(world, mote, V(0, 0, -1.7e308)));
    support_run(world, 1);
    cairn_world_destroy(world);
}

static void a_kinematic_body_stays_in_the_world(void **state) {
    (void)state;
    CairnBodyId ball;
    CairnWorld *world = one_ball(&ball);
    CairnBodyId mover = support_add(world, CAIRN_KINEMATIC, cairn_box(1, 1, 1), (CairnVec3){5, 0, 5});
    assert_ok(cairn_body_set_pose(world, mover, V(9e15, 0, 0), Q(1, 0, 0, 0)));
    assert_ok(cairn_body_set_velocity(world, mover, V(9e14, 0, 0), V(0, 0, 0)));
    SupportBytes before = support_snapshot(world);
    assert_refused(cairn_world_step(world, 10, NULL), CAIRN_NUMERIC, "body 3: its velocity");
    SupportBytes after = support_snapshot(world);
    assert_true(support_same_bytes(&before, &after));
    support_bytes_free(&before);
    support_bytes_free(&after);
    assert_ok(cairn_body_set_pose(world, mover, V(5, 0, 5), Q(1, 0, 0, 0)));
    assert_ok(cairn_body_set_velocity(world, mover, V(0, 0, 0), V(0, 0, 0)));
    support_run(world, 1);
    cairn_world_destroy(world);
}

// A step that failed leaves the events and the contacts of the last one that did not.
static void a_failed_step_keeps_what_happened(void **state) {
    (void)state;
    CairnBodyId ball;
    CairnWorld *world = one_ball(&ball);
    support_run(world, 1);
    assert_int_equal(cairn_world_events(world).begin_count, 1);
    CairnContact before, after;
    assert_int_equal(cairn_world_contacts(world, &before, 1), 1);
    assert_ok(cairn_world_set_solver(world, &nan_solver, NULL));
    refuse_step(world, CAIRN_NUMERIC, "body 2");
    assert_int_equal(cairn_world_events(world).begin_count, 1);
    assert_int_equal(cairn_world_contacts(world, &after, 1), 1);
    assert_int_equal(before.id, after.id);
    assert_same_bits(before.impulse.x, after.impulse.x);
    assert_int_equal(cairn_world_step_index(world), 1);
    assert_near(cairn_world_time(world), 1.0 / 60, 0);
    cairn_world_destroy(world);
}

// Sleepers that a failed step had woken sleep on.
static void a_failed_step_wakes_nobody(void **state) {
    (void)state;
    CairnBodyId ball;
    CairnWorld *world = one_ball(&ball);
    assert_ok(cairn_world_set(world, "sleeping", "true"));
    support_run(world, 200);
    CairnBodyState asleep;
    assert_ok(cairn_body_get(world, ball, &asleep));
    assert_true(asleep.is_asleep);
    CairnBodyId stone = support_add(world, CAIRN_DYNAMIC, cairn_sphere(0.2), (CairnVec3){0, 0, 1.25});
    assert_ok(cairn_body_set_velocity(world, stone, V(0, 0, -10), V(0, 0, 0)));
    assert_ok(cairn_world_set_solver(world, &nan_solver, NULL));
    refuse_step(world, CAIRN_NUMERIC, "body");
    assert_ok(cairn_body_get(world, ball, &asleep));
    assert_true(asleep.is_asleep);
    assert_ok(cairn_world_set_solver(world, &cairn_solver_pgs, NULL));
    support_run(world, 1);
    assert_ok(cairn_body_get(world, ball, &asleep));
    assert_false(asleep.is_asleep);
    cairn_world_destroy(world);
}

// Calls that answer no status have no way to refuse.
static void no_world_is_an_empty_one(void **state) {
    (void)state;
    CairnBodyId bodies[2];
    CairnShapeId shapes[2];
    CairnJointId joints[2];
    CairnContact contacts[2];
    CairnBodyId id = {1, 1, 1};
    cairn_world_destroy(NULL);
    assert_true(cairn_world_time(NULL) == 0 && cairn_world_step_index(NULL) == 0);
    assert_true(cairn_world_state_hash(NULL) == 0 && cairn_world_snapshot_size(NULL) == 0);
    assert_false(cairn_body_is_alive(NULL, id));
    assert_int_equal(cairn_world_bodies(NULL, bodies, 2), 0);
    assert_int_equal(cairn_world_joints(NULL, joints, 2), 0);
    assert_int_equal(cairn_body_shapes(NULL, id, shapes, 2), 0);
    assert_int_equal(cairn_body_joints(NULL, id, joints, 2), 0);
    assert_int_equal(cairn_world_contacts(NULL, contacts, 2), 0);
    CairnEvents events = cairn_world_events(NULL);
    assert_true(events.begin_count == 0 && events.end_count == 0 && events.hit_count == 0 && events.moved_count == 0);
    assert_true(cairn_world_settings(NULL).contact_margin == cairn_world_def().contact_margin);
}

// A list that is NULL has room for nothing, whatever its capacity.
static void a_list_may_be_absent(void **state) {
    (void)state;
    CairnBodyId ball;
    CairnWorld *world = one_ball(&ball);
    support_run(world, 200);
    assert_int_equal(cairn_world_bodies(world, NULL, 9), 2);
    assert_int_equal(cairn_world_joints(world, NULL, 9), 0);
    assert_int_equal(cairn_body_shapes(world, ball, NULL, 9), 1);
    assert_int_equal(cairn_body_joints(world, ball, NULL, 9), 0);
    assert_int_equal(cairn_world_contacts(world, NULL, 9), 1);
    cairn_world_destroy(world);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_case_is_refused_and_nothing_happened),
        cmocka_unit_test(a_body_without_mass_stops_the_step),
        cmocka_unit_test(what_overflows_in_the_step_is_named),
        cmocka_unit_test(a_kinematic_body_stays_in_the_world),
        cmocka_unit_test(a_failed_step_keeps_what_happened),
        cmocka_unit_test(a_failed_step_wakes_nobody),
        cmocka_unit_test(no_world_is_an_empty_one),
        cmocka_unit_test(a_list_may_be_absent),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
