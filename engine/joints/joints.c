// A joint as the world uses it: its rows, what it measures, the forces behind its impulses.
#include "engine/base/vec6.h"
#include "engine/joints/kinds.h"

// True: this axis makes rows. It depends on the definition alone, so that rows keep their number and meaning.
static bool has_rows(const CairnJointDef *def, int axis) {
    return cairn_joint_kinds[def->type].grant[axis] != CAIRN_GRANT_NONE &&
           (cairn_axis_mode(def, axis) != CAIRN_AXIS_FREE || def->axes[axis].drive != CAIRN_DRIVE_NONE);
}

int cairn_joint_rows(const CairnJointInput *input, CairnJointRow rows[CAIRN_JOINT_MAX_ROWS]) {
    CairnRelative relative = cairn_relative(input->bodies);
    int count = 0;
    for (int axis = 0; axis < CAIRN_AXIS_COUNT; axis++) {
        if (has_rows(&input->core->def, axis)) {
            CairnCoordinate coordinate;
            cairn_joint_coordinate(input, &relative, axis, &coordinate);
            count += cairn_axis_rows(input, axis, &coordinate, &rows[count]);
        }
    }
    return count;
}

void cairn_joint_move(const CairnJointBody *body, CairnVec3 way, CairnQuat turn, CairnJointBody *moved) {
    CairnVec3 arm = cairn_rotate(turn, cairn_sub(body->frame.p, body->center));
    moved->center = cairn_add(body->center, way);
    moved->frame = (CairnTransform){cairn_add(moved->center, arm), cairn_quat_mul(turn, body->frame.q)};
}

CairnJointBody cairn_joint_moved(const CairnJointBody *body, CairnVec6 velocity, double h) {
    CairnJointBody moved = {0};
    cairn_joint_move(body, cairn_scale(h, velocity.linear), cairn_quat_exp(cairn_scale(h, velocity.angular)), &moved);
    return moved;
}

void cairn_joint_changes(const CairnJointInput *input, const CairnJointRow *rows, int row_count, double *changes) {
    CairnRelative relative = cairn_relative(input->bodies);
    for (int r = 0; r < row_count; r++) {
        bool is_lock = rows[r].role == CAIRN_ROW_LOCK;
        changes[r] = is_lock ? cairn_joint_value(input, &relative, rows[r].axis) - rows[r].value : 0;
    }
}

// How far a coordinate is from where its lock or its limits want it; 0 for a free one.
static double violation(const CairnJointCore *core, int axis, double position) {
    const CairnAxis *settings = &core->def.axes[axis];
    switch (cairn_axis_mode(&core->def, axis)) {
    case CAIRN_AXIS_LOCKED:
        return fabs(position - cairn_axis_locked_value(core, axis));
    case CAIRN_AXIS_LIMITED:
        return fmax(0, fmax(settings->lower - position, position - settings->upper));
    default:
        return 0;
    }
}

int cairn_joint_gear_axis(const CairnJointInput *input) {
    return cairn_joint_kinds[input->gear_a->def.type].gear_axis;
}

static void raise_error(const CairnJointInput *input, int axis, double value, double *linear, double *angular) {
    double *error = cairn_joint_is_angle(input, axis) ? angular : linear;
    *error = fmax(*error, violation(input->core, axis, value));
}

void cairn_joint_advance(CairnJointCore *core, const CairnJointInput *input, double *linear, double *angular) {
    const CairnJointDef *def = &core->def;
    CairnRelative relative = cairn_relative(input->bodies);
    cairn_joint_count(core, &relative);
    *linear = *angular = 0;
    for (int axis = 0; axis < CAIRN_AXIS_COUNT; axis++) {
        if (cairn_joint_kinds[def->type].grant[axis] != CAIRN_GRANT_NONE &&
            cairn_axis_mode(def, axis) != CAIRN_AXIS_FREE) {
            raise_error(input, axis, cairn_joint_value(input, &relative, axis), linear, angular);
        }
    }
}

void cairn_joint_measure(const CairnJointInput *input, CairnJointState *state) {
    const CairnJointDef *def = &input->core->def;
    CairnRelative relative = cairn_relative(input->bodies);
    state->linear_error = state->angular_error = 0;
    for (int axis = 0; axis < CAIRN_AXIS_COUNT; axis++) {
        state->position[axis] = state->velocity[axis] = 0;
        if (cairn_joint_kinds[def->type].grant[axis] == CAIRN_GRANT_NONE) {
            continue;
        }
        CairnCoordinate coordinate;
        cairn_joint_coordinate(input, &relative, axis, &coordinate);
        state->position[axis] = coordinate.value;
        for (int k = 0; k < cairn_joint_body_count(def); k++) {
            state->velocity[axis] += cairn_vec6_dot(coordinate.jacobian[k], input->bodies[k].velocity);
        }
        raise_error(input, axis, coordinate.value, &state->linear_error, &state->angular_error);
    }
}

// A gear reports what it does to body B of joint_a, at that joint.
void cairn_joint_forces(const CairnJointInput *input, const CairnJointRow *rows, int row_count, const double *lambda,
                        CairnJointState *state) {
    const CairnJointBody *b = &input->bodies[1];
    CairnVec6 impulse = {{0, 0, 0}, {0, 0, 0}};
    for (int axis = 0; axis < CAIRN_AXIS_COUNT; axis++) {
        state->drive_force[axis] = 0;
    }
    for (int i = 0; i < row_count; i++) {
        impulse = cairn_vec6_add_scaled(impulse, lambda[i], rows[i].jacobian[1]);
        if (rows[i].role == CAIRN_ROW_DRIVE) {
            state->drive_force[rows[i].axis] = lambda[i] / input->h;
        }
    }
    CairnVec6 wrench =
        cairn_wrench_transport(cairn_vec6_scale(1 / input->h, impulse), cairn_sub(b->frame.p, b->center));
    state->force = wrench.linear;
    state->torque = wrench.angular;
}
