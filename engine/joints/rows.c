// From a coordinate to constraint rows: locks, limits and drives.
#include "engine/base/vec6.h"
#include "engine/joints/kinds.h"

// Rows are written in place: returning one by value costs more than all that is computed here.
static void begin_row(CairnJointRow *row, const CairnCoordinate *coordinate, CairnRowRole role, int axis,
                      double compliance) {
    for (int k = 0; k < CAIRN_JOINT_MAX_BODIES; k++) {
        row->jacobian[k] = coordinate->jacobian[k];
    }
    row->value = row->error = coordinate->value;
    row->fraction = row->rate = 0;
    row->compliance = compliance;
    row->lower = -HUGE_VAL;
    row->upper = HUGE_VAL;
    row->role = role;
    row->axis = axis;
}

// The row q = target.
static void lock_row(CairnJointRow *row, const CairnCoordinate *coordinate, int axis, const CairnAxis *settings,
                     double target) {
    begin_row(row, coordinate, CAIRN_ROW_LOCK, axis, settings->compliance);
    row->error -= target;
    row->fraction = -1;
}

// q - lower >= 0 or upper - q >= 0. Open, the whole gap is granted to the step: it ends at the limit, not before and
// not beyond.
static void limit_row(CairnJointRow *row, const CairnCoordinate *coordinate, CairnRowRole role, int axis,
                      const CairnAxis *settings) {
    begin_row(row, coordinate, role, axis, settings->compliance);
    if (role == CAIRN_ROW_LOWER) {
        row->error -= settings->lower;
    } else {
        row->error = settings->upper - row->error;
        for (int k = 0; k < CAIRN_JOINT_MAX_BODIES; k++) {
            row->jacobian[k] = cairn_vec6_scale(-1, coordinate->jacobian[k]);
        }
    }
    row->fraction = row->error > 0 ? 1 : -1;
    row->lower = 0;
}

// J M^-1 J^T: one over the mass that the coordinate feels.
static double mobility(const CairnJointInput *input, const CairnCoordinate *coordinate) {
    double sum = 0;
    for (int k = 0; k < cairn_joint_body_count(&input->core->def); k++) {
        const CairnJointBody *body = &input->bodies[k];
        CairnVec6 j = coordinate->jacobian[k];
        sum += body->inverse_mass * cairn_length_squared(j.linear);
        sum += cairn_dot(j.angular, cairn_mat3_mul(body->inverse_inertia, j.angular));
    }
    return sum;
}

static void bound_row(CairnJointRow *row, double impulse) {
    row->lower = -impulse;
    row->upper = impulse;
}

static void velocity_row(CairnJointRow *row, const CairnJointInput *input, const CairnCoordinate *coordinate,
                         int axis) {
    const CairnAxis *settings = &input->core->def.axes[axis];
    begin_row(row, coordinate, CAIRN_ROW_DRIVE, axis, settings->compliance);
    bound_row(row, settings->max_force * input->h);
    row->error = 0;
    row->rate = -settings->target_velocity;
}

// A spring and damper taken at the end of the step, f = -k (q + h v - q0) - c (v - v0) with lambda = h f, is the row
//     v + lambda / (h (c + h k)) + (k (q - q0) - c v0) / (c + h k) = 0.
static void spring_row(CairnJointRow *row, const CairnJointInput *input, const CairnCoordinate *coordinate, int axis) {
    const CairnAxis *settings = &input->core->def.axes[axis];
    double k = settings->stiffness, c = settings->damping, h = input->h;
    begin_row(row, coordinate, CAIRN_ROW_DRIVE, axis, settings->compliance);
    row->error -= settings->target_position;
    if (settings->spring_unit == CAIRN_SPRING_FREQUENCY) {
        double omega = 2 * CAIRN_PI * k, inverse = mobility(input, coordinate), mass = inverse > 0 ? 1 / inverse : 0;
        k = mass * omega * omega;
        c = 2 * settings->damping * mass * omega;
    }
    double total = c + h * k;
    if (total > 0) {
        row->fraction = h * k / total;
        row->rate = -c * settings->target_velocity / total;
        row->compliance = 1 / (h * total);
    }
    bound_row(row, total > 0 ? settings->max_force * h : 0); // 0: the coordinate moves nothing that has a mass
}

// True: the spring of this definition can exert a force in some pose.
static bool has_spring(const CairnAxis *settings) {
    return settings->stiffness > 0 || (settings->damping > 0 && settings->spring_unit == CAIRN_SPRING_FORCE);
}

bool cairn_joint_weighs(const CairnJointDef *def) {
    for (int axis = 0; axis < CAIRN_AXIS_COUNT; axis++) {
        if (def->axes[axis].drive == CAIRN_DRIVE_SPRING && def->axes[axis].spring_unit == CAIRN_SPRING_FREQUENCY) {
            return true;
        }
    }
    return false;
}

int cairn_axis_rows(const CairnJointInput *input, int axis, const CairnCoordinate *coordinate, CairnJointRow *rows) {
    const CairnAxis *settings = &input->core->def.axes[axis];
    CairnAxisMode mode = cairn_axis_mode(&input->core->def, axis);
    int count = 0;
    if (mode == CAIRN_AXIS_LOCKED) {
        lock_row(&rows[count++], coordinate, axis, settings, cairn_axis_locked_value(input->core, axis));
    } else if (mode == CAIRN_AXIS_LIMITED && settings->lower == settings->upper) {
        lock_row(&rows[count++], coordinate, axis, settings, settings->lower);
    } else if (mode == CAIRN_AXIS_LIMITED) {
        if (isfinite(settings->lower)) {
            limit_row(&rows[count++], coordinate, CAIRN_ROW_LOWER, axis, settings);
        }
        if (isfinite(settings->upper)) {
            limit_row(&rows[count++], coordinate, CAIRN_ROW_UPPER, axis, settings);
        }
    }
    if (settings->drive == CAIRN_DRIVE_VELOCITY) {
        velocity_row(&rows[count++], input, coordinate, axis);
    } else if (settings->drive == CAIRN_DRIVE_SPRING && has_spring(settings)) {
        spring_row(&rows[count++], input, coordinate, axis);
    }
    return count;
}
