#include "tests/support/support_motion.h"

#include "solvers/sweeps/pgs.h"

CairnWorld *motion_world(const CairnWorldDef *def) {
    CairnWorldDef preset = cairn_world_def();
    CairnWorld *world = NULL;
    assert_ok(cairn_world_create(def != NULL ? def : &preset, &world));
    CairnPgsOptions options = {.iterations = 20000, .tolerance = 1e-14, .omega = 1};
    assert_ok(cairn_world_set_solver(world, &cairn_solver_pgs, &options));
    return world;
}

CairnWorldDef motion_stiff_def(void) {
    CairnWorldDef def = cairn_world_def();
    def.normal_compliance = 1e-14;
    def.friction_compliance = 1e-14;
    return def;
}

CairnBodyId motion_body(CairnWorld *world, const CairnBodyDef *def) {
    CairnBodyId id;
    assert_ok(cairn_body_create(world, def, &id));
    return id;
}

CairnBodyId motion_shape(CairnWorld *world, const CairnBodyDef *def, const CairnShapeDef *shape) {
    CairnBodyId id;
    assert_ok(cairn_body_add(world, def, shape, &id));
    return id;
}

CairnBodyState motion_state(const CairnWorld *world, CairnBodyId id) {
    CairnBodyState state;
    assert_ok(cairn_body_get(world, id, &state));
    return state;
}

CairnBodyId motion_ground(CairnWorld *world, double angle, double friction, double restitution) {
    CairnBodyDef body = cairn_body_def();
    body.type = CAIRN_BODY_STATIC;
    body.orientation = cairn_quat_axis_angle(cairn_vec3(0, 1, 0), -angle);
    CairnShapeDef shape = cairn_half_space();
    shape.friction = friction;
    shape.restitution = restitution;
    return motion_shape(world, &body, &shape);
}

CairnBodyDef motion_on_ground(double angle, double x, double height) {
    CairnBodyDef body = cairn_body_def();
    body.orientation = cairn_quat_axis_angle(cairn_vec3(0, 1, 0), -angle);
    body.position = cairn_rotate(body.orientation, cairn_vec3(x, 0, height));
    body.mass = 1;
    return body;
}

CairnStats motion_steps(CairnWorld *world, double h, int count) {
    CairnStats stats = {0};
    for (int i = 0; i < count; i++) {
        assert_ok(cairn_world_step(world, h, &stats));
    }
    return stats;
}

double motion_energy(const CairnStats *stats) {
    return stats->kinetic_energy + stats->potential_energy;
}
