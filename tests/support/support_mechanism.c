#include "tests/support/support_mechanism.h"

CairnWorld *support_world(const CairnSolver *solver, CairnVec3 gravity) {
    CairnWorldDef def = cairn_world_def();
    def.gravity = gravity;
    CairnWorld *world = NULL;
    assert_ok(cairn_world_create(&def, &world));
    if (solver != NULL) {
        assert_ok(cairn_world_set_solver(world, solver, NULL));
    }
    return world;
}

CairnBodyId support_create(CairnWorld *world, const CairnBodyDef *def) {
    CairnBodyId id;
    assert_ok(cairn_body_create(world, def, &id));
    return id;
}

CairnBodyId support_body(CairnWorld *world, double mass, CairnVec3 inertia, CairnVec3 position) {
    CairnBodyDef def = cairn_body_def();
    def.mass = mass;
    def.inertia = inertia;
    def.position = position;
    return support_create(world, &def);
}

CairnBodyDef support_rod_def(double mass, CairnVec3 from, CairnVec3 to) {
    CairnVec3 along = cairn_sub(to, from);
    double across = mass * cairn_length_squared(along) / 12;
    CairnBodyDef def = cairn_body_def();
    def.mass = mass;
    def.inertia = cairn_vec3(1e-2 * across, across, across);
    def.position = cairn_scale(0.5, cairn_add(from, to));
    def.orientation = cairn_quat_axis_angle(cairn_vec3(0, 0, 1), atan2(along.y, along.x));
    return def;
}

CairnBodyId support_rod(CairnWorld *world, double mass, CairnVec3 from, CairnVec3 to) {
    CairnBodyDef def = support_rod_def(mass, from, to);
    return support_create(world, &def);
}

CairnJointId support_joint_of(CairnWorld *world, CairnJointDef def, CairnBodyId a, CairnBodyId b, CairnVec3 point,
                              CairnVec3 x) {
    def.body_a = a;
    def.body_b = b;
    assert_ok(cairn_joint_place(world, &def, point, x, cairn_vec3(0, 0, 0)));
    CairnJointId id;
    assert_ok(cairn_joint_create(world, &def, &id));
    return id;
}

CairnJointId support_joint(CairnWorld *world, CairnJointType type, CairnBodyId a, CairnBodyId b, CairnVec3 point,
                           CairnVec3 x) {
    return support_joint_of(world, cairn_joint_def(type), a, b, point, x);
}

CairnBodyState support_state(const CairnWorld *world, CairnBodyId id) {
    CairnBodyState state;
    assert_ok(cairn_body_get(world, id, &state));
    return state;
}

CairnJointState support_joint_state(const CairnWorld *world, CairnJointId id) {
    CairnJointState state;
    assert_ok(cairn_joint_get(world, id, &state));
    return state;
}

void support_push(CairnWorld *world, CairnBodyId body, CairnVec3 force, CairnVec3 torque) {
    if (!cairn_body_is_null(body)) {
        assert_ok(cairn_body_apply_force(world, body, force));
        assert_ok(cairn_body_apply_torque(world, body, torque));
    }
}

double support_energy(const CairnStats *stats) {
    return stats->kinetic_energy + stats->potential_energy;
}

CairnStats support_step(CairnWorld *world, double h) {
    CairnStats stats;
    assert_ok(cairn_world_step(world, h, &stats));
    return stats;
}

CairnStats support_steps(CairnWorld *world, double h, int count) {
    CairnStats stats = {0};
    for (int i = 0; i < count; i++) {
        stats = support_step(world, h);
    }
    return stats;
}

SupportWorst support_worst(CairnWorld *world, double h, int count) {
    SupportWorst worst = {.low = HUGE_VAL, .high = -HUGE_VAL};
    for (int i = 0; i < count; i++) {
        CairnStats stats = support_step(world, h);
        worst.linear = fmax(worst.linear, stats.joint_error_linear);
        worst.angular = fmax(worst.angular, stats.joint_error_angular);
        worst.low = fmin(worst.low, support_energy(&stats));
        worst.high = fmax(worst.high, support_energy(&stats));
        worst.square_linear += stats.joint_error_linear * stats.joint_error_linear / count;
        worst.square_angular += stats.joint_error_angular * stats.joint_error_angular / count;
    }
    return worst;
}
