// Joints in the audit: how far they are apart by a geometry of its own, and what they report to have given.
#include "engine/audit/audit.h"
#include "engine/base/vec6.h"

// ---- definitions ----

#define BIT(axis) (1u << (axis))

enum {
    LENGTHS = BIT(CAIRN_X) | BIT(CAIRN_Y) | BIT(CAIRN_Z),
    ACROSS_X = BIT(CAIRN_RY) | BIT(CAIRN_RZ),
    ANGLES = BIT(CAIRN_RX) | ACROSS_X
};

// What a type locks where a definition says nothing else (the table of joints.h).
static const unsigned locks[CAIRN_JOINT_TYPE_COUNT] = {
    [CAIRN_JOINT_BALL] = LENGTHS,
    [CAIRN_JOINT_REVOLUTE] = LENGTHS | ACROSS_X,
    [CAIRN_JOINT_UNIVERSAL] = LENGTHS | BIT(CAIRN_RZ),
    [CAIRN_JOINT_PRISMATIC] = BIT(CAIRN_Y) | BIT(CAIRN_Z) | ANGLES,
    [CAIRN_JOINT_CYLINDRICAL] = BIT(CAIRN_Y) | BIT(CAIRN_Z) | ACROSS_X,
    [CAIRN_JOINT_FIXED] = LENGTHS | ANGLES,
    [CAIRN_JOINT_DISTANCE] = BIT(CAIRN_X),
    [CAIRN_JOINT_PLANAR] = BIT(CAIRN_X) | ACROSS_X,
    [CAIRN_JOINT_WHEEL] = BIT(CAIRN_Y) | BIT(CAIRN_Z) | BIT(CAIRN_RX) | BIT(CAIRN_RZ),
    [CAIRN_JOINT_SIX_DOF] = LENGTHS | ANGLES,
    [CAIRN_JOINT_GEAR] = 0,
};

static unsigned locked_axes(const CairnJointDef *def) {
    unsigned locked = 0;
    for (int axis = 0; axis < CAIRN_AXIS_COUNT; axis++) {
        CairnAxisMode mode = def->axes[axis].mode;
        bool is_locked = mode == CAIRN_AXIS_AS_TYPE ? (locks[def->type] & BIT(axis)) != 0 : mode == CAIRN_AXIS_LOCKED;
        locked |= is_locked ? BIT(axis) : 0;
    }
    return locked;
}

static void hold(CairnAuditJoint *joint, CairnHold kind, int i, int j) {
    joint->hold = kind;
    joint->i = i;
    joint->j = j;
}

// Which directions the locked angles keep together. An axis that is free turns about x of A, about y of B where RZ is
// locked, and about z of B.
static void choose_hold(CairnAuditJoint *joint, unsigned locked) {
    bool x = (locked & BIT(CAIRN_RX)) != 0, y = (locked & BIT(CAIRN_RY)) != 0, z = (locked & BIT(CAIRN_RZ)) != 0;
    if (x && y && z) {
        hold(joint, CAIRN_HOLD_ALL, 0, 0);
    } else if (y && z) {
        hold(joint, CAIRN_HOLD_ALONG, 0, 0);
    } else if (x && z) {
        hold(joint, CAIRN_HOLD_ALONG, 1, 1);
    } else if (x && y) {
        hold(joint, CAIRN_HOLD_ALONG, 2, 2);
    } else if (z) {
        hold(joint, CAIRN_HOLD_ACROSS, 0, 1);
    } else if (x) {
        hold(joint, CAIRN_HOLD_ACROSS, 1, 2);
    } else if (y) {
        hold(joint, CAIRN_HOLD_ACROSS, 0, 2);
    }
}

static CairnTransform from_center(const CairnStore *store, int body, CairnTransform frame) {
    if (body >= 0) {
        frame.p = cairn_sub(frame.p, store->bodies[body].model->local_center);
    }
    return frame;
}

static void read_joint(const CairnStore *store, int slot, CairnAuditJoint *out) {
    const CairnJoint *joint = &store->joints[slot];
    const CairnJointDef *def = &joint->core.def;
    unsigned locked = locked_axes(def);
    *out = (CairnAuditJoint){.bodies = {joint->bodies[0], joint->bodies[1]}, .slot = slot, .length = -1};
    out->is_gear = def->type == CAIRN_JOINT_GEAR;
    out->is_distance = def->type == CAIRN_JOINT_DISTANCE;
    out->geared[0] = (int)def->joint_a.index - 1;
    out->geared[1] = (int)def->joint_b.index - 1;
    out->frames[0] = from_center(store, joint->bodies[0], def->frame_a);
    out->frames[1] = from_center(store, joint->bodies[1], def->frame_b);
    for (int axis = 0; axis < CAIRN_AXIS_COUNT; axis++) {
        bool drives = def->axes[axis].drive != CAIRN_DRIVE_NONE;
        out->drives_length = out->drives_length || (drives && axis < CAIRN_RX);
        out->drives_angle = out->drives_angle || (drives && axis >= CAIRN_RX);
        bool limits = def->axes[axis].mode == CAIRN_AXIS_LIMITED;
        out->limits_length = out->limits_length || (limits && axis < CAIRN_RX);
        out->limits_angle = out->limits_angle || (limits && axis >= CAIRN_RX);
        if ((locked & BIT(axis)) != 0) {
            out->compliance = cairn_max(out->compliance, def->axes[axis].compliance);
        }
    }
    if (def->type == CAIRN_JOINT_DISTANCE) {
        double given = def->axes[CAIRN_X].target_position;
        out->length = locked == 0 ? -1 : given > 0 ? given : joint->core.rest[0];
        return;
    }
    out->locked = locked & LENGTHS;
    choose_hold(out, locked);
}

void cairn_audit_read_joints(CairnAudit *audit, const CairnWorld *world) {
    if (audit->joint_changes == world->joint_changes && audit->shape_changes == world->shape_changes &&
        audit->tag == world->tag) {
        return;
    }
    const CairnStore *store = &world->store;
    audit->joint_count = 0;
    for (int slot = 0; slot < store->joint_pool.count; slot++) {
        if (cairn_pool_is_alive(&store->joint_pool, slot)) {
            read_joint(store, slot, &audit->joints[audit->joint_count++]);
        }
    }
    audit->joint_changes = world->joint_changes;
    audit->shape_changes = world->shape_changes;
}

// ---- errors ----

typedef struct Error {
    double length, angle;
} Error;

static CairnVec3 axis_of(CairnQuat q, int k) {
    return cairn_rotate(q, (CairnVec3){k == 0, k == 1, k == 2});
}

static CairnVec3 unlocked_part(const CairnAuditJoint *joint, CairnQuat q, CairnVec3 offset) {
    CairnVec3 sum = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        if ((joint->locked & BIT(k)) == 0) {
            CairnVec3 axis = axis_of(q, k);
            sum = cairn_add_scaled(sum, cairn_dot(axis, offset), axis);
        }
    }
    return sum;
}

static double angle_error(const CairnAuditJoint *joint, CairnQuat a, CairnQuat b) {
    if (joint->hold == CAIRN_HOLD_ALL) {
        CairnQuat q = cairn_quat_mul(cairn_quat_conj(a), b);
        return 2 * sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
    }
    CairnVec3 of_a = axis_of(a, joint->i), of_b = axis_of(b, joint->j);
    if (joint->hold == CAIRN_HOLD_ACROSS) {
        return fabs(cairn_dot(of_a, of_b));
    }
    bool is_turned_round = cairn_dot(of_a, of_b) < 0;
    return is_turned_round ? CAIRN_PI : cairn_length(cairn_cross(of_a, of_b));
}

static Error error_of(const CairnAudit *audit, const CairnAuditJoint *joint, bool is_after) {
    CairnTransform pose[2], frame[2];
    for (int k = 0; k < 2; k++) {
        pose[k] = cairn_audit_pose(audit, joint->bodies[k], is_after);
        frame[k].p = cairn_add(pose[k].p, cairn_rotate(pose[k].q, joint->frames[k].p));
    }
    CairnVec3 offset = cairn_sub(frame[1].p, frame[0].p);
    Error error = {0, 0};
    if (joint->length >= 0) {
        error.length = fabs(cairn_length(offset) - joint->length);
        return error;
    }
    if (joint->locked == LENGTHS) {
        error.length = cairn_length(offset);
        if (joint->hold == CAIRN_HOLD_NONE) {
            return error;
        }
    }
    for (int k = 0; k < 2; k++) {
        frame[k].q = cairn_quat_mul(pose[k].q, joint->frames[k].q);
    }
    if (joint->locked != LENGTHS && joint->locked != 0) {
        error.length = cairn_length(cairn_sub(offset, unlocked_part(joint, frame[0].q, offset)));
    }
    error.angle = joint->hold != CAIRN_HOLD_NONE ? angle_error(joint, frame[0].q, frame[1].q) : 0;
    return error;
}

// ---- how a joint moves in the step ----

typedef struct Moving {
    CairnVec3 point;   // the origin of B's frame before the step
    CairnVec3 arms[2]; // to it from the centres
    double turns[2];   // of the bodies in the step, at most, rad
    CairnVec6 mean[2]; // velocities
    double speed;      // of one frame against the other, at most
} Moving;

static CairnVec3 velocity_at(CairnVec6 v, CairnVec3 arm) {
    return cairn_add(v.linear, cairn_cross(v.angular, arm));
}

static Moving moving_of(const CairnAudit *audit, const CairnAuditJoint *joint) {
    Moving m = {.speed = 0};
    CairnTransform b = cairn_audit_pose(audit, joint->bodies[1], false);
    CairnVec3 apart[2] = {{0, 0, 0}, {0, 0, 0}};
    m.point = cairn_add(b.p, cairn_rotate(b.q, joint->frames[1].p));
    for (int k = 0; k < 2; k++) {
        int body = joint->bodies[k];
        CairnVec6 v0 = cairn_audit_velocity(audit, body, false), v1 = cairn_audit_velocity(audit, body, true);
        m.arms[k] = body < 0 ? (CairnVec3){0, 0, 0} : cairn_sub(m.point, cairn_audit_pose(audit, body, false).p);
        m.turns[k] = audit->h * cairn_max(cairn_length(v0.angular), cairn_length(v1.angular));
        m.mean[k] = cairn_vec6_scale(0.5, cairn_vec6_add_scaled(v0, 1, v1));
        apart[0] = cairn_add_scaled(apart[0], k == 0 ? -1 : 1, velocity_at(v0, m.arms[k]));
        apart[1] = cairn_add_scaled(apart[1], k == 0 ? -1 : 1, velocity_at(v1, m.arms[k]));
    }
    m.speed = cairn_max(cairn_length(apart[0]), cairn_length(apart[1]));
    return m;
}

static double accuracy_of(const CairnAudit *audit) {
    return CAIRN_AUDIT_JOINT_ACCURACY * audit->world->def.typical_length;
}

// A joint that follows the arcs of its bodies to second order misses the third: r (h w)^3 / 6.
static double cubed(double x) {
    return x * x * x / 6;
}

// The limits that need more than one look: asked for where an error exceeds the accuracy of a joint.
static Error limits_of(const CairnAudit *audit, const CairnAuditJoint *joint) {
    const CairnWorldDef *def = &audit->world->def;
    Moving m = moving_of(audit, joint);
    Error before = error_of(audit, joint, false), limit;
    double reach[2] = {cairn_length(m.arms[0]), cairn_length(m.arms[1])}, accuracy = accuracy_of(audit);
    for (int k = 0; k < 2; k++) { // joints end on their arcs in every part
        m.turns[k] /= audit->parts;
    }
    limit.length = accuracy + reach[0] * cubed(m.turns[0]) + reach[1] * cubed(m.turns[1]) +
                   cairn_audit_left(before.length, def->joint_fraction, def->joint_push, audit->h);
    limit.angle = accuracy / cairn_max(reach[0] + reach[1], accuracy) + cubed(m.turns[0] + m.turns[1]) +
                  cairn_audit_left(before.angle, def->joint_fraction, def->joint_turn, audit->h);
    if (joint->compliance > 0) { // it gives way by h C lambda
        CairnAuditWrench w = cairn_audit_wrench(audit, joint);
        limit.length += audit->h * joint->compliance * cairn_length(w.force);
        limit.angle += audit->h * joint->compliance * cairn_length(w.torque);
    }
    return limit;
}

void cairn_audit_check_joints(CairnAudit *audit) {
    double accuracy = accuracy_of(audit);
    for (int j = 0; j < audit->joint_count; j++) {
        const CairnAuditJoint *joint = &audit->joints[j];
        bool counts = cairn_audit_counts(audit, joint->bodies[0]) || cairn_audit_counts(audit, joint->bodies[1]);
        if (!counts || (joint->locked == 0 && joint->hold == CAIRN_HOLD_NONE && joint->length < 0)) {
            continue;
        }
        Error error = error_of(audit, joint, true), limit = {accuracy, accuracy};
        if (!(error.length <= accuracy && error.angle <= accuracy)) {
            limit = limits_of(audit, joint);
        }
        cairn_audit_find(audit, CAIRN_AUDIT_JOINT, error.length, limit.length, -1, -1, joint->slot);
        if (joint->hold != CAIRN_HOLD_NONE) {
            cairn_audit_find(audit, CAIRN_AUDIT_JOINT_ANGLE, error.angle, limit.angle, -1, -1, joint->slot);
        }
    }
}

// ---- reported impulses ----

// The length along which a rod or a rope pulls; 0: other joints.
static double span_of(const CairnAudit *audit, const CairnAuditJoint *joint) {
    CairnVec3 ends[2];
    for (int k = 0; k < 2 && joint->is_distance && joint->length < 0; k++) {
        CairnTransform pose = cairn_audit_pose(audit, joint->bodies[k], false);
        ends[k] = cairn_add(pose.p, cairn_rotate(pose.q, joint->frames[k].p));
    }
    bool is_rope = joint->is_distance && joint->length < 0;
    return is_rope ? cairn_length(cairn_sub(ends[1], ends[0])) : cairn_max(joint->length, 0);
}

CairnAuditWrench cairn_audit_wrench(const CairnAudit *audit, const CairnAuditJoint *joint) {
    CairnJointState state;
    Moving m = moving_of(audit, joint);
    CairnAuditWrench w = {.point = m.point};
    if (!cairn_is_ok(cairn_joint_get(audit->world, cairn_world_joint_id(audit->world, joint->slot), &state))) {
        return w;
    }
    w.force = cairn_scale(audit->h, state.force);
    w.torque = cairn_scale(audit->h, state.torque);
    w.turn = m.turns[0] + m.turns[1];
    w.swing = m.turns[0];
    double span = span_of(audit, joint);
    if (span > 0) { // along the rod, which swings
        w.swing = w.turn + audit->h * m.speed / span;
    }
    return w;
}

double cairn_audit_turning_arm(const CairnAudit *audit, const CairnAuditJoint *joint, int k) {
    CairnAuditWrench w = cairn_audit_wrench(audit, joint);
    Moving m = moving_of(audit, joint);
    double span = span_of(audit, joint), arm = cairn_length(m.arms[k]) + span, swing = span > 0 ? w.swing : 0;
    return cairn_length(w.force) * arm * (m.turns[k] + swing) + cairn_length(w.torque) * w.turn;
}

bool cairn_audit_is_driven(const CairnAudit *audit, const CairnAuditJoint *joint) {
    bool is_moved = false;
    for (int k = 0; k < 2; k++) {
        int body = joint->bodies[k];
        is_moved = is_moved || (body >= 0 && audit->world->store.bodies[body].type == CAIRN_BODY_KINEMATIC);
    }
    return is_moved || joint->drives_length || joint->drives_angle;
}

double cairn_audit_joint_allowance(const CairnAudit *audit, const CairnAuditJoint *joint) {
    const CairnWorldDef *def = &audit->world->def;
    CairnAuditWrench w = cairn_audit_wrench(audit, joint);
    Moving m = moving_of(audit, joint);
    Error before = error_of(audit, joint, false);
    double h = audit->h, force = cairn_length(w.force), torque = cairn_length(w.torque);
    CairnVec3 v[2];
    for (int k = 0; k < 2; k++) {
        v[k] = velocity_at(m.mean[k], m.arms[k]);
    }
    CairnVec3 apart = cairn_sub(v[1], v[0]), turning = cairn_sub(m.mean[1].angular, m.mean[0].angular);
    double given = 0;
    given += joint->drives_length ? cairn_max(cairn_dot(w.force, apart), 0) : 0;
    given += joint->drives_angle ? cairn_max(cairn_dot(w.torque, turning), 0) : 0;
    for (int k = 0; k < 2; k++) { // what a kinematic body does, joints pass on
        if (!cairn_audit_counts(audit, joint->bodies[k])) {
            double power = cairn_dot(w.force, v[k]) + cairn_dot(w.torque, m.mean[k].angular);
            given += cairn_max(k == 0 ? power : -power, 0);
        }
    }
    // How far beyond a limit a coordinate was is not measured: what is beyond comes back as fast as the world lets it.
    double push = joint->limits_length ? def->joint_push : cairn_min(before.length / h, def->joint_push);
    double turn = joint->limits_angle ? def->joint_turn : cairn_min(before.angle / h, def->joint_turn);
    double closing = force * push + torque * turn;
    // The row is straight and the way is an arc: at the mean velocity it works by a quarter of h w^2 r.
    double arcs = m.turns[0] * m.turns[0] * cairn_length(m.arms[0]) + m.turns[1] * m.turns[1] * cairn_length(m.arms[1]);
    double order = 0.25 / h * (force * arcs + torque * w.turn * w.turn);
    double known = w.turn * (force * cairn_length(apart) + torque * cairn_length(turning)); // as well as the wrench is
    return given + closing + order + known;
}
