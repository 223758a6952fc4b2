// Balances of groups and islands (docs/audit.md).
//
// Joints between two bodies that count give to one what they take from the other, so bodies that joints tie make a
// group and are balanced together; what is left of each is the impulse of its joints, whose work at the mean velocity
// is the energy that the joints gave. Groups that touch one another and nothing fixed make an island, which keeps its
// momentum whatever contacts report.
#include "engine/audit/audit.h"
#include "engine/base/vec6.h"

// ---- who belongs together ----

int cairn_audit_root(int *parent, int b) {
    while (parent[b] != b) {
        parent[b] = parent[parent[b]];
        b = parent[b];
    }
    return b;
}

void cairn_audit_unite(int *parent, int a, int b) {
    a = cairn_audit_root(parent, a);
    b = cairn_audit_root(parent, b);
    parent[a > b ? a : b] = a > b ? b : a;
}

static void tie(const CairnAudit *audit, int *parent, const CairnAuditJoint *joint) {
    if (cairn_audit_counts(audit, joint->bodies[0]) && cairn_audit_counts(audit, joint->bodies[1])) {
        cairn_audit_unite(parent, joint->bodies[0], joint->bodies[1]);
    }
}

// A gear turns what its two joints tie: all four in one group.
static void tie_gear(const CairnAudit *audit, int *parent, const CairnAuditJoint *gear) {
    const CairnAuditJoint *geared[2] = {NULL, NULL};
    for (int j = 0; j < audit->joint_count; j++) {
        for (int k = 0; k < 2; k++) {
            geared[k] = audit->joints[j].slot == gear->geared[k] ? &audit->joints[j] : geared[k];
        }
    }
    int first = -1;
    for (int k = 0; k < 4; k++) {
        int body = geared[k / 2] != NULL ? geared[k / 2]->bodies[k % 2] : -1;
        if (!cairn_audit_counts(audit, body)) {
            continue;
        }
        if (first >= 0) {
            cairn_audit_unite(parent, first, body);
        }
        first = body;
    }
}

static void make_groups(CairnAudit *audit) {
    for (int j = 0; j < audit->joint_count; j++) {
        for (int k = 0; k < 2; k++) {
            if (cairn_audit_counts(audit, audit->joints[j].bodies[k])) {
                audit->accounts[audit->joints[j].bodies[k]].is_tied = true;
            }
        }
        if (audit->joints[j].is_gear) {
            tie_gear(audit, audit->group, &audit->joints[j]);
        } else {
            tie(audit, audit->group, &audit->joints[j]);
        }
    }
}

// ---- groups ----

static void add_account(CairnAccount *sum, const CairnAccount *a, CairnVec3 arm) {
    sum->linear = cairn_add(sum->linear, a->linear);
    sum->angular = cairn_add(sum->angular, cairn_add(a->angular, cairn_cross(arm, a->linear)));
    sum->linear_scale += a->linear_scale;
    sum->angular_scale += a->angular_scale + cairn_length(arm) * a->linear_scale;
    sum->linear_slack += a->linear_slack;
    sum->angular_slack += a->angular_slack;
    sum->gain += a->gain;
    sum->work += a->work;
    sum->order += a->order;
    sum->unknown += a->unknown;
}

static void sum_over(const CairnAudit *audit, int *parent, CairnAccount *sums) {
    for (int b = 0; b < audit->body_count; b++) {
        sums[b] = (CairnAccount){0};
    }
    for (int b = 0; b < audit->body_count; b++) {
        if (audit->counts[b]) {
            int root = parent[b] = cairn_audit_root(parent, b);
            CairnVec3 arm = cairn_sub(audit->bodies[b].center, audit->bodies[root].center);
            add_account(&sums[root], &audit->accounts[b], arm);
        }
    }
}

static double angular_limit(const CairnAccount *a) {
    return CAIRN_AUDIT_ROUNDING * a->angular_scale + a->angular_slack;
}

static void check_momentum(CairnAudit *audit, const CairnAccount *a, int body) {
    cairn_audit_find(audit, CAIRN_AUDIT_MOMENTUM, cairn_length(a->linear),
                     CAIRN_AUDIT_ROUNDING * a->linear_scale + a->linear_slack, body, -1, -1);
    cairn_audit_find(audit, CAIRN_AUDIT_ANGULAR_MOMENTUM, cairn_length(a->angular), angular_limit(a), body, -1, -1);
}

// Who gained most is named where a group gained too much.
static void name_most(CairnAccount *sum, double gain, int b) {
    if (gain > sum->share) {
        sum->share = gain;
        sum->most = b;
    }
}

// What is left of a body's balance is the impulse of its joints. It works along the mean of the velocities, and that is
// known as well as the impulse is.
static void add_joint_work(const CairnAudit *audit, int b, CairnAccount *sum) {
    CairnVec6 v0 = cairn_audit_velocity(audit, b, false), v1 = cairn_audit_velocity(audit, b, true);
    CairnVec6 mean = cairn_vec6_scale(0.5, cairn_vec6_add_scaled(v0, 1, v1));
    const CairnAccount *a = &audit->accounts[b];
    double work = cairn_dot(a->linear, mean.linear) + cairn_dot(a->angular, mean.angular);
    sum->work += work;
    name_most(sum, work + a->gain, b);
    double linear = CAIRN_AUDIT_ROUNDING * a->linear_scale + a->linear_slack;
    double angular = CAIRN_AUDIT_ROUNDING * a->angular_scale + a->angular_slack;
    sum->unknown += linear * cairn_audit_size(mean.linear) + angular * cairn_audit_size(mean.angular);
}

static int outer_side(const CairnAudit *audit, const CairnAuditJoint *joint) {
    bool counts_a = cairn_audit_counts(audit, joint->bodies[0]), counts_b = cairn_audit_counts(audit, joint->bodies[1]);
    return counts_a == counts_b ? -1 : counts_a ? 1 : 0;
}

// Their axes turn within the step, so that the reported wrench is known as well as its axes stand still.
static void take_outer(CairnAudit *audit, const CairnAuditJoint *joint, const CairnAuditWrench *w) {
    int outer = outer_side(audit, joint);
    if (outer < 0) {
        return;
    }
    int body = joint->bodies[1 - outer], root = cairn_audit_root(audit->group, body);
    double sign = outer == 0 ? 1 : -1;
    CairnAccount *sum = &audit->groups[root];
    CairnVec3 own = cairn_sub(w->point, audit->bodies[body].center);
    CairnVec3 arm = cairn_add(own, cairn_sub(audit->bodies[body].center, audit->bodies[root].center));
    CairnVec3 moment = cairn_add(w->torque, cairn_cross(arm, w->force));
    double force = cairn_length(w->force), torque = cairn_length(w->torque);
    sum->linear = cairn_add_scaled(sum->linear, -sign, w->force);
    sum->angular = cairn_add_scaled(sum->angular, -sign, moment);
    sum->linear_scale += force;
    sum->angular_scale += torque + force * cairn_length(arm);
    sum->linear_slack += w->swing * force;
    sum->angular_slack += w->turn * (torque + force * cairn_length(own)) + w->swing * force * cairn_length(arm);
    audit->is_open[body] = true;
}

// Takes off what joints to fixed bodies report to have given a group, and what gears gave through such joints.
static void take_outer_joints(CairnAudit *audit) {
    for (int j = 0; j < audit->joint_count; j++) {
        const CairnAuditJoint *joint = &audit->joints[j];
        if (!joint->is_gear && outer_side(audit, joint) >= 0) {
            CairnAuditWrench w = cairn_audit_wrench(audit, joint);
            take_outer(audit, joint, &w);
        }
        for (int side = 0; side < 2 && joint->is_gear; side++) {
            const CairnAuditJoint *geared;
            CairnAuditWrench w = cairn_audit_gear_wrench(audit, joint, side, &geared);
            if (geared != NULL) {
                take_outer(audit, geared, &w);
            }
        }
    }
}

// Under geometric stiffness an impulse of a joint turns with the arm that it acts at, on each body with its own: what
// one gets is no more just what the other gives. Looked at only where a group's angular momentum asks for it; what
// nothing fixed holds keeps it to rounding all the same (check_islands).
static void allow_turning_arms(CairnAudit *audit) {
    if (!audit->world->def.geometric_stiffness) {
        return;
    }
    for (int b = 0; b < audit->body_count; b++) {
        CairnAccount *sum = &audit->groups[b];
        sum->is_asked = audit->counts[b] && cairn_length(sum->angular) > angular_limit(sum);
    }
    for (int j = 0; j < audit->joint_count; j++) {
        const CairnAuditJoint *joint = &audit->joints[j];
        for (int k = 0; k < 2 && !joint->is_gear; k++) {
            int root = cairn_audit_counts(audit, joint->bodies[k]) ? audit->group[joint->bodies[k]] : -1;
            if (root >= 0 && audit->groups[root].is_asked) {
                audit->groups[root].angular_slack += cairn_audit_turning_arm(audit, joint, k);
            }
        }
    }
}

static double gain_of(const CairnAccount *sum) {
    return cairn_max(sum->work, 0) + sum->gain;
}

static double limit_of(const CairnAccount *sum) {
    return sum->order + sum->unknown;
}

static void add_allowances(CairnAudit *audit) {
    for (int j = 0; j < audit->joint_count; j++) {
        const CairnAuditJoint *joint = &audit->joints[j];
        for (int k = 0; k < 2; k++) {
            int body = joint->bodies[k];
            if (!joint->is_gear && cairn_audit_counts(audit, body) &&
                (k == 0 || !cairn_audit_counts(audit, joint->bodies[0]))) {
                CairnAccount *sum = &audit->groups[cairn_audit_root(audit->group, body)];
                sum->is_driven = sum->is_driven || cairn_audit_is_driven(audit, joint);
                if (gain_of(sum) > limit_of(sum)) {
                    sum->given += cairn_audit_joint_allowance(audit, joint);
                }
            }
        }
    }
}

// What a group without drives gained since it last lost all of it again. Of a rule that keeps energy the errors of
// single steps take turns, so that their sum over any number of steps is that of its two ends: twice the largest that
// one step may make. A rule that gains a little in every step goes beyond that.
static void check_ledger(CairnAudit *audit, const CairnAccount *a, int root) {
    CairnLedger *ledger = &audit->ledgers[root];
    double gained = a->is_driven ? 0 : cairn_max(ledger->gained + a->work - a->unknown, 0);
    bool is_open = gained > 0;
    *ledger = (CairnLedger){gained, is_open ? cairn_max(ledger->order, a->order) : 0};
    if (is_open) {
        cairn_audit_find(audit, CAIRN_AUDIT_ENERGY, gained, 2 * ledger->order + a->given, a->share > 0 ? a->most : root,
                         -1, -1);
    }
}

static void check_groups(CairnAudit *audit) {
    sum_over(audit, audit->group, audit->groups);
    for (int b = 0; b < audit->body_count && audit->joint_count > 0; b++) {
        if (audit->accounts[b].is_tied) {
            add_joint_work(audit, b, &audit->groups[audit->group[b]]);
        }
    }
    take_outer_joints(audit);
    allow_turning_arms(audit);
    add_allowances(audit);
    for (int b = 0; b < audit->body_count; b++) {
        if (audit->counts[b] && audit->group[b] == b) {
            const CairnAccount *a = &audit->groups[b];
            check_momentum(audit, a, b);
            double gain = cairn_max(gain_of(a) - a->given, 0);
            cairn_audit_find(audit, CAIRN_AUDIT_ENERGY, gain, limit_of(a), a->share > 0 ? a->most : b, -1, -1);
            if (audit->accounts[b].is_tied) {
                check_ledger(audit, a, b);
            }
        }
    }
}

// ---- islands ----

// An island of which nothing fixed is a part keeps its momentum to rounding: contacts in it give to one body what they
// take from another, at the same point.
static void check_islands(CairnAudit *audit) {
    for (int b = 0; b < audit->body_count; b++) {
        if (audit->counts[b] && audit->group[b] != b) {
            cairn_audit_unite(audit->island, audit->group[b], b);
        }
    }
    bool is_any = false;
    for (int b = 0; b < audit->body_count; b++) {
        if (audit->counts[b]) {
            int root = cairn_audit_root(audit->island, b);
            audit->is_open[root] = audit->is_open[root] || audit->is_open[b];
        }
    }
    for (int b = 0; b < audit->body_count; b++) {
        is_any = is_any ||
                 (audit->counts[b] && !audit->is_open[cairn_audit_root(audit->island, b)] && audit->island[b] != b);
    }
    if (!is_any) {
        return;
    }
    sum_over(audit, audit->island, audit->groups);
    for (int b = 0; b < audit->body_count; b++) {
        if (audit->counts[b] && audit->island[b] == b && !audit->is_open[b]) {
            CairnAccount *a = &audit->groups[b];
            a->linear_slack = a->angular_slack = 0;
            check_momentum(audit, a, b);
        }
    }
}

void cairn_audit_balance(CairnAudit *audit) {
    cairn_audit_balance_bodies(audit);
    make_groups(audit);
    cairn_audit_take_contacts(audit);
    check_groups(audit);
    if (audit->has_meeting || audit->joint_count > 0) { // else islands are bodies
        check_islands(audit);
    }
}
