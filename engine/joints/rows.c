// From a coordinate to constraint rows: locks, limits and drives.
#include "engine/base/mat3.h"
#include "engine/joints/kinds.h"

static CairnJointRow row_of(const CairnCoordinate *coordinate, CairnRowRole role, int axis, double compliance) {
    CairnJointRow row = {.error = coordinate->value, .compliance = compliance, .role = role, .axis = axis};
    for (int k = 0; k < CAIRN_JOINT_MAX_BODIES; k++) {
        row.jacobian[k] = coordinate->jacobian[k];
    }
    return row;
}

// q = hold
static CairnJointRow lock_row(const CairnCoordinate *coordinate, int axis, const CairnAxis *settings, double hold) {
    CairnJointRow row = row_of(coordinate, CAIRN_ROW_LOCK, axis, settings->compliance);
    row.error -= hold;
    row.fraction = -1;
    row.lower = -HUGE_VAL;
    row.upper = HUGE_VAL;
    return row;
}

// q - lower >= 0 or upper - q >= 0. Open, the whole gap is granted to the step: it ends at the limit, not before and not beyond.
static CairnJointRow limit_row(const CairnCoordinate *coordinate, CairnRowRole role, int axis,
                               const CairnAxis *settings) {
    CairnJointRow row = row_of(coordinate, role, axis, settings->compliance);
    if (role == CAIRN_ROW_LOWER) {
        row.error -= settings->lower;
    } else {
        row.error = settings->upper - row.error;
        for (int k = 0; k < CAIRN_JOINT_MAX_BODIES; k++) {
            row.jacobian[k] =
                (CairnVec6){cairn_neg(coordinate->jacobian[k].linear), cairn_neg(coordinate->jacobian[k].angular)};
        }
    }
    row.fraction = row.error > 0 ? 1 : -1;
    row.lower = 0;
    row.upper = HUGE_VAL;
    return row;
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

static CairnJointRow velocity_row(const CairnJointInput *input, const CairnCoordinate *coordinate, int axis) {
    const CairnAxis *settings = &input->core->def.axes[axis];
    CairnJointRow row = row_of(coordinate, CAIRN_ROW_DRIVE, axis, settings->compliance);
    row.error = 0;
    row.rate = -settings->target_velocity;
    row.upper = settings->max_force * input->h;
    row.lower = -row.upper;
    return row;
}

// A spring and damper taken at the end of the step, f = -k (q + h v - q0) - c (v - v0) with lambda = h f, is the row
//     v + lambda / (h (c + h k)) + (k (q - q0) - c v0) / (c + h k) = 0.
static CairnJointRow spring_row(const CairnJointInput *input, const CairnCoordinate *coordinate, int axis) {
    const CairnAxis *settings = &input->core->def.axes[axis];
    double k = settings->stiffness, c = settings->damping, h = input->h;
    CairnJointRow row = row_of(coordinate, CAIRN_ROW_DRIVE, axis, settings->compliance);
    row.error -= settings->target_position;
    row.upper = settings->max_force * h;
    if (settings->spring_unit == CAIRN_SPRING_FREQUENCY) {
        double omega = 2 * CAIRN_PI * k, inverse = mobility(input, coordinate), mass = inverse > 0 ? 1 / inverse : 0;
        k = mass * omega * omega;
        c = 2 * settings->damping * mass * omega;
    }
    double total = c + h * k;
    if (total > 0) {
        row.fraction = h * k / total;
        row.rate = -c * settings->target_velocity / total;
        row.compliance = 1 / (h * total);
    } else { // nothing that moves: no force
        row.upper = 0;
    }
    row.lower = -row.upper;
    return row;
}

// Does the definition of a spring, whatever the pose, make it do anything?
static bool has_spring(const CairnAxis *settings) {
    return settings->stiffness > 0 || (settings->damping > 0 && settings->spring_unit == CAIRN_SPRING_FORCE);
}

int cairn_axis_rows(const CairnJointInput *input, int axis, const CairnCoordinate *coordinate, CairnJointRow *rows) {
    const CairnAxis *settings = &input->core->def.axes[axis];
    CairnAxisMode mode = cairn_axis_mode(&input->core->def, axis);
    int count = 0;
    if (mode == CAIRN_AXIS_LOCKED) {
        rows[count++] = lock_row(coordinate, axis, settings, cairn_axis_hold(input->core, axis));
    } else if (mode == CAIRN_AXIS_LIMITED && settings->lower == settings->upper) {
        rows[count++] = lock_row(coordinate, axis, settings, settings->lower);
    } else if (mode == CAIRN_AXIS_LIMITED) {
        if (isfinite(settings->lower)) {
            rows[count++] = limit_row(coordinate, CAIRN_ROW_LOWER, axis, settings);
        }
        if (isfinite(settings->upper)) {
            rows[count++] = limit_row(coordinate, CAIRN_ROW_UPPER, axis, settings);
        }
    }
    if (settings->drive == CAIRN_DRIVE_VELOCITY) {
        rows[count++] = velocity_row(input, coordinate, axis);
    } else if (settings->drive == CAIRN_DRIVE_SPRING && has_spring(settings)) {
        rows[count++] = spring_row(input, coordinate, axis);
    }
    return count;
}
