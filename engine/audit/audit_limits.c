// Limits and gears in the audit: how far coordinates are beyond their limits, and coupled ones off their gear, by the
// geometry of the frames alone.
//
// R is the turn of B's axes in A's: R_ij = a_i . b_j. Where RZ is locked, B's y stays across A's x, and the two angles
// are those of y about x and of x about y; else they are Cardan's, R = Rx Ry Rz. Angles are known but for whole turns,
// and those are the ones that the world counts.
#include "engine/audit/audit.h"
#include "engine/base/vec6.h"

// The two frames of a joint, before or after the step.
typedef struct Frames {
    CairnVec3 offset;
    CairnVec3 a[3], b[3];
} Frames;

static Frames frames_of(const CairnAudit *audit, const CairnAuditJoint *joint, bool is_after) {
    Frames f;
    CairnVec3 origin[2];
    for (int side = 0; side < 2; side++) {
        CairnTransform pose = cairn_audit_pose(audit, joint->bodies[side], is_after);
        CairnQuat q = cairn_quat_mul(pose.q, joint->frames[side].q);
        origin[side] = cairn_add(pose.p, cairn_rotate(pose.q, joint->frames[side].p));
        for (int k = 0; k < 3; k++) {
            (side == 0 ? f.a : f.b)[k] = cairn_rotate(q, (CairnVec3){k == 0, k == 1, k == 2});
        }
    }
    f.offset = cairn_sub(origin[1], origin[0]);
    return f;
}

// The angle about an axis, short of its whole turns. False: Cardan's pole is too near to tell.
static bool angle_of(const CairnAuditJoint *joint, const Frames *f, int axis, double *angle) {
    static const double nearest_pole = 0.1;
    bool locks_z = joint->hold == CAIRN_HOLD_ALONG ? joint->i != 2 : joint->hold == CAIRN_HOLD_ACROSS && joint->j == 1;
    if (locks_z && axis == CAIRN_RX) {
        *angle = atan2(cairn_dot(f->a[2], f->b[1]), cairn_dot(f->a[1], f->b[1]));
        return true;
    }
    if (locks_z) {
        *angle = atan2(cairn_dot(cairn_cross(f->a[0], f->b[0]), f->b[1]), cairn_dot(f->a[0], f->b[0]));
        return true;
    }
    double sine = cairn_dot(f->a[1], f->b[2]), cosine = cairn_dot(f->a[2], f->b[2]), across = hypot(sine, cosine);
    *angle = axis == CAIRN_RX   ? atan2(-sine, cosine)
             : axis == CAIRN_RY ? atan2(cairn_dot(f->a[0], f->b[2]), across)
                                : atan2(-cairn_dot(f->a[0], f->b[1]), cairn_dot(f->a[0], f->b[0]));
    return across > nearest_pole;
}

// Where a coordinate is. A length: along an axis of A, or of a rope.
static bool value_of(const CairnAuditJoint *joint, const CairnJointCore *core, const Frames *f, int axis,
                     double *value) {
    if (axis < CAIRN_RX) {
        bool is_rope = core->def.type == CAIRN_JOINT_DISTANCE;
        *value = is_rope ? cairn_length(f->offset) : cairn_dot(f->a[axis], f->offset);
        return true;
    }
    if (!angle_of(joint, f, axis, value)) {
        return false;
    }
    int k = axis - CAIRN_RX;
    double counted = 2 * CAIRN_PI * core->turns[k] + core->last[k];
    *value += 2 * CAIRN_PI * round((counted - *value) / (2 * CAIRN_PI));
    return true;
}

static double beyond(const CairnAxis *axis, double value) {
    return cairn_max(cairn_max(axis->lower - value, value - axis->upper), 0);
}

// How far the bodies turn in a part of the step, and how far their frames go past each other.
typedef struct Moves {
    double turns[2], reach[2], way;
} Moves;

static Moves moves_of(const CairnAudit *audit, const CairnAuditJoint *joint) {
    Moves m = {{0, 0}, {0, 0}, 0};
    CairnTransform b = cairn_audit_pose(audit, joint->bodies[1], false);
    CairnVec3 point = cairn_add(b.p, cairn_rotate(b.q, joint->frames[1].p)), last = {0, 0, 0};
    double part = audit->h / audit->parts;
    for (int after = 0; after < 2; after++) {
        for (int k = 0; k < 2; k++) {
            int body = joint->bodies[k];
            CairnVec6 v = cairn_audit_velocity(audit, body, after == 1);
            CairnVec3 arm = body < 0 ? (CairnVec3){0, 0, 0} : cairn_sub(point, cairn_audit_pose(audit, body, false).p);
            CairnVec3 velocity = cairn_add(v.linear, cairn_cross(v.angular, arm));
            m.turns[k] = cairn_max(m.turns[k], part * cairn_length(v.angular));
            m.reach[k] = cairn_length(arm);
            m.way = k == 0 ? m.way : cairn_max(m.way, part * cairn_length(cairn_sub(velocity, last)));
            last = velocity;
        }
    }
    return m;
}

// A limit's row is straight, and is not bent again as that of a lock is: in each part it may miss r (h w)^2 / 2, and a
// rope (h v)^2 / 2 d of what goes across it. What was beyond comes back as an error of a lock does.
static void check_axis(CairnAudit *audit, const CairnAuditJoint *joint, int axis) {
    const CairnJointCore *core = &audit->world->store.joints[joint->slot].core;
    const CairnAxis *settings = &core->def.axes[axis];
    const CairnWorldDef *def = &audit->world->def;
    Frames after = frames_of(audit, joint, true);
    bool is_length = axis < CAIRN_RX;
    double then, now, accuracy = CAIRN_AUDIT_JOINT_ACCURACY * def->typical_length, limit = accuracy;
    if (!value_of(joint, core, &after, axis, &now)) {
        return;
    }
    double error = beyond(settings, now);
    if (error > (is_length ? accuracy : 0)) { // few are, and the rest needs no closer look
        Frames before = frames_of(audit, joint, false);
        if (!value_of(joint, core, &before, axis, &then)) {
            return;
        }
        Moves m = moves_of(audit, joint);
        double reach = m.reach[0] + m.reach[1], turn = m.turns[0] + m.turns[1], rope = cairn_length(before.offset);
        double bend = 0.5 * (m.reach[0] * m.turns[0] * m.turns[0] + m.reach[1] * m.turns[1] * m.turns[1]);
        bend += core->def.type == CAIRN_JOINT_DISTANCE && rope > 0 ? cairn_min(0.5 * m.way * m.way / rope, m.way)
                                                                   : turn * m.way; // the axis turns with A
        limit = is_length ? accuracy + bend : accuracy / cairn_max(reach, accuracy) + 0.5 * turn * turn;
        limit += cairn_audit_left(beyond(settings, then), def->joint_fraction,
                                  is_length ? def->joint_push : def->joint_turn, audit->h);
        if (settings->compliance > 0) {
            CairnAuditWrench w = cairn_audit_wrench(audit, joint);
            limit += audit->h * settings->compliance * cairn_length(is_length ? w.force : w.torque);
        }
    }
    cairn_audit_find(audit, is_length ? CAIRN_AUDIT_JOINT : CAIRN_AUDIT_JOINT_ANGLE, error, limit, -1, -1, joint->slot);
}

// ---- gears ----

// The coordinate of a joint that a gear couples.
static int geared_axis(CairnJointType type) {
    return type == CAIRN_JOINT_PRISMATIC ? CAIRN_X : type == CAIRN_JOINT_WHEEL ? CAIRN_RY : CAIRN_RX;
}

static const CairnAuditJoint *joint_in(const CairnAudit *audit, int slot) {
    for (int j = 0; j < audit->joint_count; j++) {
        if (audit->joints[j].slot == slot) {
            return &audit->joints[j];
        }
    }
    return NULL;
}

// The row of a gear is p + ratio q: it gives lambda along p, as it reports, and ratio lambda along q.
CairnAuditWrench cairn_audit_gear_wrench(const CairnAudit *audit, const CairnAuditJoint *gear, int side,
                                         const CairnAuditJoint **joint) {
    const CairnStore *store = &audit->world->store;
    CairnAuditWrench report = cairn_audit_wrench(audit, gear), w = {.turn = 0};
    double amount = 0, off = 0; // by how much axes are known, rad, which joints hold parallel
    for (int k = 0; k <= side; k++) {
        *joint = joint_in(audit, gear->geared[k]);
        if (*joint == NULL) {
            return w;
        }
        int axis = geared_axis(store->joints[gear->geared[k]].core.def.type);
        Frames frames = frames_of(audit, *joint, false);
        CairnVec3 along = axis == CAIRN_RY ? frames.b[1] : frames.a[0],
                  same = axis == CAIRN_RY ? frames.a[1] : frames.b[0];
        double lambda = cairn_dot(along, axis < CAIRN_RX ? report.force : report.torque);
        amount = k == 0 ? lambda : store->joints[gear->slot].core.def.ratio * amount;
        w = cairn_audit_wrench(audit, *joint);
        w.turn = axis == CAIRN_RY ? w.turn : w.swing; // that of A alone, whose axis x is
        off += cairn_length(cairn_cross(along, same));
        w.turn += off;
        w.swing += off;
        w.force = axis < CAIRN_RX ? cairn_scale(amount, along) : (CairnVec3){0, 0, 0};
        w.torque = axis < CAIRN_RX ? (CairnVec3){0, 0, 0} : cairn_scale(amount, along);
    }
    return w;
}

// How far two coordinates are off p + ratio q = rest, which holds at the end of a step as a lock does: what following
// arcs to second order misses is theta^3 / 6.
static void check_gear(CairnAudit *audit, const CairnAuditJoint *gear) {
    const CairnStore *store = &audit->world->store;
    const CairnJointCore *core = &store->joints[gear->slot].core;
    const CairnWorldDef *def = &audit->world->def;
    const double factors[2] = {1, core->def.ratio};
    double then = -core->rest[0], now = -core->rest[0], limit = 0;
    bool is_length = false, counts = false;
    for (int side = 0; side < 2; side++) {
        const CairnAuditJoint *joint = joint_in(audit, gear->geared[side]);
        if (joint == NULL) {
            return;
        }
        const CairnJointCore *geared = &store->joints[gear->geared[side]].core;
        int axis = geared_axis(geared->def.type);
        double was, is;
        Frames before = frames_of(audit, joint, false), after = frames_of(audit, joint, true);
        if (!value_of(joint, geared, &before, axis, &was) || !value_of(joint, geared, &after, axis, &is)) {
            return;
        }
        is_length = side == 0 ? axis < CAIRN_RX : is_length;
        counts = counts || cairn_audit_counts(audit, joint->bodies[0]) || cairn_audit_counts(audit, joint->bodies[1]);
        then += factors[side] * was;
        now += factors[side] * is;
        Moves m = moves_of(audit, joint);
        double turn = m.turns[0] + m.turns[1], reach = m.reach[0] + m.reach[1];
        double length = axis < CAIRN_RX ? def->typical_length : 1;
        double bend = turn * turn * turn / 6 * (axis < CAIRN_RX ? reach : 1);
        limit += fabs(factors[side]) * (CAIRN_AUDIT_JOINT_ACCURACY * length + bend);
    }
    limit += cairn_audit_left(fabs(then), def->joint_fraction, is_length ? def->joint_push : def->joint_turn, audit->h);
    if (core->def.axes[CAIRN_X].compliance > 0) {
        CairnAuditWrench w = cairn_audit_wrench(audit, gear);
        double given = is_length ? cairn_length(w.force) : cairn_length(w.torque);
        limit += audit->h * core->def.axes[CAIRN_X].compliance * given;
    }
    if (counts) {
        cairn_audit_find(audit, is_length ? CAIRN_AUDIT_JOINT : CAIRN_AUDIT_JOINT_ANGLE, fabs(now), limit, -1, -1,
                         gear->slot);
    }
}

void cairn_audit_check_limits(CairnAudit *audit) {
    for (int j = 0; j < audit->joint_count; j++) {
        const CairnAuditJoint *joint = &audit->joints[j];
        bool counts = cairn_audit_counts(audit, joint->bodies[0]) || cairn_audit_counts(audit, joint->bodies[1]);
        const CairnAxis *axes = audit->world->store.joints[joint->slot].core.def.axes;
        for (int axis = 0; counts && (joint->limits_length || joint->limits_angle) && axis < CAIRN_AXIS_COUNT; axis++) {
            if (axes[axis].mode == CAIRN_AXIS_LIMITED) {
                check_axis(audit, joint, axis);
            }
        }
        if (joint->is_gear) {
            check_gear(audit, joint);
        }
    }
}
