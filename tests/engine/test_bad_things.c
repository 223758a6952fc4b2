// Bad bodies, ids, poses, forces, shapes and joints: every refusal has the right code, names field and value, and
// changes nothing.
#include "tests/support/support.h"
#include "tests/support/support_refusals.h"

#include <math.h>

static const double nan_value = (double)NAN, infinity = (double)INFINITY;

static const CairnVec3 flat_points[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
static const CairnVec3 nan_points[] = {{0, 0, 0}, {1, 0, 0}, {0, (double)NAN, 0}, {1, 1, 1}};

static CairnStatus create_body(RefusalFixture *f, const CairnBodyDef *def) {
    CairnBodyId id;
    return cairn_body_create(f->world, def, &id);
}

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

// clang-format off
#define CASES(X) \
    /* bodies */ \
    X(mass_nan, ARGUMENT, "mass", "nan", BODY(def.mass = nan_value)) \
    X(mass_negative, ARGUMENT, "mass", "-2", BODY(def.mass = -2)) \
    X(mass_infinite, ARGUMENT, "mass", "inf", BODY(def.mass = infinity)) \
    X(mass_absurd, ARGUMENT, "mass", "1e+16", BODY(def.mass = 1e16)) \
    X(mass_of_static, ARGUMENT, "mass", "3", BODY(def.mass = 3; def.type = CAIRN_BODY_STATIC)) \
    X(mass_of_kinematic, ARGUMENT, "mass", "3", BODY(def.mass = 3; def.type = CAIRN_BODY_KINEMATIC)) \
    X(inertia_without_mass, ARGUMENT, "inertia", "mass", BODY(def.inertia = V(1, 1, 1))) \
    X(products_without_mass, ARGUMENT, "inertia_products", "mass", BODY(def.inertia_products = V(1, 0, 0))) \
    X(center_without_mass, ARGUMENT, "center", "mass", BODY(def.center = V(1, 0, 0))) \
    X(inertia_partly_zero, ARGUMENT, "inertia", "(1, 1, 0)", BODY(def.mass = 1; def.inertia = V(1, 1, 0))) \
    X(inertia_negative, ARGUMENT, "inertia", "-1", BODY(def.mass = 1; def.inertia = V(1, -1, 1))) \
    X(inertia_nan, ARGUMENT, "inertia", "nan", BODY(def.mass = 1; def.inertia = V(1, nan_value, 1))) \
    X(inertia_indefinite, ARGUMENT, "products (3,", "positive", BODY(def.mass = 1; def.inertia = V(1, 1, 1); \
        def.inertia_products = V(3, 0, 0))) \
    X(inertia_of_no_body, ARGUMENT, "inertia", "(1, 1, 3)", BODY(def.mass = 1; def.inertia = V(1, 1, 3))) \
    X(products_without_inertia, ARGUMENT, "inertia_products", "", \
        BODY(def.mass = 1; def.inertia_products = V(1, 0, 0))) \
    X(center_without_inertia, ARGUMENT, "center", "", BODY(def.mass = 1; def.center = V(1, 0, 0))) \
    X(quaternion_long, ARGUMENT, "orientation", "2:0:0:0", BODY(def.orientation = Q(2, 0, 0, 0))) \
    X(quaternion_zero, ARGUMENT, "orientation", "0:0:0:0", BODY(def.orientation = Q(0, 0, 0, 0))) \
    X(quaternion_nan, ARGUMENT, "orientation", "nan", BODY(def.orientation = Q(1, 0, nan_value, 0))) \
    X(position_nan, ARGUMENT, "position", "nan", BODY(def.position = V(0, nan_value, 0))) \
    X(position_absurd, ARGUMENT, "position", "1e+16", BODY(def.position = V(0, 1e16, 0))) \
    X(velocity_infinite, ARGUMENT, "velocity", "inf", BODY(def.velocity = V(0, 0, infinity))) \
    X(velocity_of_static, ARGUMENT, "velocity", "static", \
        BODY(def.type = CAIRN_BODY_STATIC; def.velocity = V(1, 0, 0))) \
    X(spin_of_static, ARGUMENT, "angular_velocity", "static", BODY(def.type = CAIRN_BODY_STATIC; \
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
    X(shape_foreign, CAIRN_INVALID_ID, "shape", "another world", \
        return cairn_shape_destroy(f->world, f->foreign_shape);) \
    X(joint_dead, CAIRN_INVALID_ID, "joint", "destroyed", return cairn_joint_destroy(f->world, f->dead_joint);) \
    X(joint_foreign, CAIRN_INVALID_ID, "joint", "another world", \
        return cairn_joint_destroy(f->world, f->foreign_joint);) \
    X(get_dead, CAIRN_INVALID_ID, "body", "destroyed", \
        CairnBodyState s; return cairn_body_get(f->world, f->dead, &s);) \
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
    X(pose_not_unit, ARGUMENT, "orientation", "(1, 1, 0, 0)", \
        return cairn_body_set_pose(f->world, f->ball, V(0, 0, 0), \
        Q(1, 1, 0, 0));) \
    X(pose_nan_turn, ARGUMENT, "orientation", "nan", return cairn_body_set_pose(f->world, f->ball, V(0, 0, 0), \
        Q(nan_value, 0, 0, 0));) \
    X(pose_dead, CAIRN_INVALID_ID, "body", "destroyed", return cairn_body_set_pose(f->world, f->dead, V(0, 0, 0), \
        Q(1, 0, 0, 0));) \
    X(velocity_nan, ARGUMENT, "velocity", "nan", return cairn_body_set_velocity(f->world, f->ball, V(0, 0, nan_value), \
        V(0, 0, 0));) \
    X(spin_infinite, ARGUMENT, "angular_velocity", "inf", \
        return cairn_body_set_velocity(f->world, f->ball, V(0, 0, 0), \
        V(infinity, 0, 0));) \
    X(velocity_on_static, ARGUMENT, "velocity", "static", \
        return cairn_body_set_velocity(f->world, f->ground, V(1, 0, 0), \
        V(0, 0, 0));) \
    X(set_type_unknown, ARGUMENT, "type", "7", return cairn_body_set_type(f->world, f->ball, (CairnBodyType)7);) \
    X(set_type_half_space, ARGUMENT, "type", "half_space", \
        return cairn_body_set_type(f->world, f->ground, CAIRN_BODY_DYNAMIC);) \
    X(set_gravity_scale_inf, ARGUMENT, "gravity_scale", "inf", \
        return cairn_body_set_gravity_scale(f->world, f->ball, infinity);) \
    X(force_nan, ARGUMENT, "force", "nan", return cairn_body_apply_force(f->world, f->ball, V(nan_value, 0, 0));) \
    X(force_infinite, ARGUMENT, "force", "inf", return cairn_body_apply_force(f->world, f->ball, V(0, infinity, 0));) \
    X(force_on_static, ARGUMENT, "force", "not dynamic", \
        return cairn_body_apply_force(f->world, f->ground, V(1, 0, 0));) \
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
    X(motor_speed_nan, ARGUMENT, "target_velocity", "nan", \
        JOINT(REVOLUTE, axes[CAIRN_RX].target_velocity = nan_value)) \
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
        def.body_b = f->dead; return cairn_joint_place(f->world, &def, V(0, 0, 0), V(1, 0, 0), V(0, 0, 0));)
// clang-format on

CASES(REFUSAL_DEFINE)

static const RefusalCase cases[] = {CASES(REFUSAL_LIST)};

static void every_case_is_refused_and_nothing_happened(void **state) {
    (void)state;
    refusal_check_cases(cases, sizeof cases / sizeof cases[0]);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_case_is_refused_and_nothing_happened),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
