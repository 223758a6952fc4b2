// Balances of momentum and energy (docs/audit.md).
//
// Of every body that counts, what is left of its change of momentum when gravity, the applied forces and damping are
// taken off must be what contacts and joints report to have given it:
//     m (v+ - v) - h (m g + f) = sum P,      L+ - L - h tau = sum (r x P + T).
// Contacts are taken off body by body. Joints between two bodies that count give to one what they take from the other,
// so bodies that joints tie make a group and are balanced together; what is left of each is the impulse of its
// joints, whose work at the mean velocity is the energy that the joints gave. Groups that touch one another and
// nothing fixed make an island, which keeps its momentum whatever contacts report.
#include "engine/audit/audit.h"
#include "engine/base/mat3.h"
#include "engine/base/vec6.h"
#include <string.h>

// ---- bodies ----

// The sum of magnitudes: no less than the length, and without a root. Good enough to measure rounding against.
static double size_of(CairnVec3 v) {
    return fabs(v.x) + fabs(v.y) + fabs(v.z);
}

static CairnVec3 momentum_about_center(const CairnBodyModel *model, CairnQuat q, CairnVec3 spin) {
    if (model->is_isotropic) {
        return cairn_scale(model->moments.x, spin);
    }
    CairnMat3 axes = cairn_mat3_of_quat(cairn_quat_mul(q, model->axes));
    CairnVec3 local = cairn_mat3_transpose_mul(axes, spin), m = model->moments;
    return cairn_mat3_mul(axes, (CairnVec3){m.x * local.x, m.y * local.y, m.z * local.z});
}

// A continuous body may stop short on the way of its velocity, where the core of its shape would meet another one.
static bool stops_short(CairnVec3 drift, CairnVec3 way) {
    double along = cairn_dot(drift, way), square = cairn_length_squared(way);
    CairnVec3 across = cairn_sub(cairn_scale(square, drift), cairn_scale(along, way));
    return along <= 0 && -along <= square && cairn_length(across) <= 1e-9 * square * sqrt(square);
}

// What the pose does beyond the way of the velocity: h v+ or, under the midpoint rule, h (v + v+) / 2.
static CairnVec3 drift_of(const CairnAudit *audit, const CairnAuditBody *then, const CairnBody *now, CairnVec3 *way) {
    bool is_midpoint = audit->world->def.integrator == CAIRN_INTEGRATOR_MIDPOINT;
    CairnVec3 v = is_midpoint ? cairn_scale(0.5, cairn_add(then->velocity, now->velocity)) : now->velocity;
    *way = cairn_scale(audit->h, v);
    CairnVec3 drift = cairn_sub(cairn_sub(now->center, then->center), *way);
    return now->is_continuous && stops_short(drift, *way) ? (CairnVec3){0, 0, 0} : drift;
}

// The turning energy that changed although nothing turned the body: E+ - E = T . (w + w+)/2 + (L . w+ - L+ . w)/2. The
// last term is 0 for a free body. An impulse T turns it on by h I^-1 T, and its inertia with it, which changes the term
// by h |w| (|T| |w| / 2 + |I^-1 T| |L|) at most: that is of the integrator's order. |I^-1 T| is no more than |T| over
// the least moment, nor than what the spin changes by, of which a free body makes h w^2 at most.
static void add_turning(const CairnAudit *audit, const CairnBody *now, CairnVec3 before, CairnVec3 after,
                        const CairnAuditBody *then, CairnAccount *account) {
    CairnVec3 w0 = then->spin, w1 = now->angular_velocity;
    double push = size_of(cairn_sub(after, before)), w = size_of(w0) + size_of(w1);
    double momentum = cairn_max(size_of(before), size_of(after));
    double jump = cairn_min(push / now->model->moments.x, size_of(cairn_sub(w1, w0)) + audit->h * w * w);
    account->work += 0.5 * (cairn_dot(before, w1) - cairn_dot(after, w0));
    account->order += audit->h * w * (0.5 * push * w + jump * momentum);
    account->unknown += CAIRN_AUDIT_ROUNDING * momentum * w;
}

static void balance_body(const CairnAudit *audit, int b, CairnAccount *account) {
    const CairnAuditBody *then = &audit->bodies[b];
    const CairnBody *now = &audit->world->store.bodies[b];
    const CairnBodyModel *model = now->model;
    const CairnWorldDef *def = &audit->world->def;
    double h = audit->h, mass = model->mass;
    CairnPush push = b < audit->push_count ? audit->pushes[b] : (CairnPush){{0, 0, 0}, {0, 0, 0}};
    CairnVec3 start = cairn_scale(1 / (1 + h * model->linear_damping), then->velocity), way;
    CairnVec3 weight = cairn_scale(mass * model->gravity_scale, def->gravity), force = cairn_add(weight, push.force);
    account->linear = cairn_sub(cairn_scale(mass, cairn_sub(now->velocity, start)), cairn_scale(h, force));
    double speeds = mass * (size_of(start) + size_of(now->velocity));
    account->linear_scale = speeds + h * size_of(force);

    CairnVec3 drift = drift_of(audit, then, now, &way);
    CairnVec3 before =
        cairn_scale(1 / (1 + h * model->angular_damping), momentum_about_center(model, then->q, then->spin));
    bool is_turning_along = !def->gyroscopic && !model->is_isotropic; // its momentum turns with the body
    CairnVec3 after = momentum_about_center(model, is_turning_along ? then->q : now->q, now->angular_velocity);
    account->angular = cairn_sub(cairn_sub(after, before), cairn_scale(h, push.torque));
    account->angular = cairn_add(account->angular, cairn_cross(drift, cairn_scale(mass / h, way)));
    double far = size_of(then->center) + size_of(now->center);
    account->angular_scale = model->moments.z * (size_of(then->spin) + size_of(now->angular_velocity)) +
                             h * size_of(push.torque) + far * speeds;

    // Gravity works along the way; between the velocities' energies it is taken to work along their mean.
    double fall = h * h * cairn_length_squared(def->gravity) * model->gravity_scale * model->gravity_scale;
    account->work = -cairn_dot(weight, drift);
    account->order = 0.5 * mass * fall;
    account->unknown = CAIRN_AUDIT_ROUNDING * far * size_of(weight);
    if (!model->is_isotropic && def->gyroscopic && cairn_length_squared(now->angular_velocity) > 0) {
        add_turning(audit, now, before, after, then, account);
    }
}

static void balance_bodies(CairnAudit *audit) {
    const CairnStore *store = &audit->world->store;
    for (int b = 0; b < audit->body_count; b++) {
        const CairnBody *body = &store->bodies[b];
        audit->counts[b] =
            cairn_pool_is_alive(&store->body_pool, b) && body->type == CAIRN_BODY_DYNAMIC && body->sleeps_with < 0;
        audit->group[b] = audit->island[b] = b;
        audit->is_open[b] = false;
        audit->accounts[b] = (CairnAccount){0};
        if (audit->counts[b]) {
            balance_body(audit, b, &audit->accounts[b]);
        }
    }
}

// ---- groups and islands ----

static int find_root(int *parent, int b) {
    while (parent[b] != b) {
        parent[b] = parent[parent[b]];
        b = parent[b];
    }
    return b;
}

static void unite(int *parent, int a, int b) {
    a = find_root(parent, a);
    b = find_root(parent, b);
    parent[a > b ? a : b] = a > b ? b : a;
}

static void tie(const CairnAudit *audit, int *parent, const CairnAuditJoint *joint) {
    if (cairn_audit_counts(audit, joint->bodies[0]) && cairn_audit_counts(audit, joint->bodies[1])) {
        unite(parent, joint->bodies[0], joint->bodies[1]);
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
            unite(parent, first, body);
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

// ---- contacts ----

// A body at a contact: where it was and how it moved before and after the step.
typedef struct Side {
    int body;
    bool is_counted;
    CairnVec3 center;
    CairnVec6 before, after;
} Side;

// What a contact does, as it is reported.
typedef struct Touch {
    const CairnContactRecord *record;
    const Side *sides;
    CairnVec3 arms[2], friction, came, apart; // how its points part before and after the step
    double slack;                             // how well its place is known, m
} Touch;

static void read_side(const CairnAudit *audit, int shape, Side *side) {
    side->body = audit->world->store.shapes[shape].body;
    side->is_counted = audit->counts[side->body];
    side->center = audit->bodies[side->body].center;
    side->before = cairn_audit_velocity(audit, side->body, false);
    side->after = cairn_audit_velocity(audit, side->body, true);
}

// The velocity of B's point less that of A's.
static CairnVec3 parting(const CairnVec6 *a, const CairnVec6 *b, const CairnVec3 arms[2]) {
    CairnVec3 at_a = cairn_add(a->linear, cairn_cross(a->angular, arms[0]));
    return cairn_sub(cairn_add(b->linear, cairn_cross(b->angular, arms[1])), at_a);
}

// The spin that turns the pose. A body that stops short turns for as long as it moves.
static CairnVec3 mean_spin(const CairnAudit *audit, int body) {
    const CairnBody *now = &audit->world->store.bodies[body];
    CairnVec3 moved = cairn_sub(now->center, audit->bodies[body].center);
    double square = cairn_length_squared(now->velocity) * audit->h * audit->h;
    double part = square > 0 ? cairn_dot(moved, now->velocity) * audit->h / square : 1;
    bool is_short = now->is_continuous && part < 1 - 1e-9;
    return is_short ? now->angular_velocity : cairn_scale(1 / audit->h, cairn_audit_turn(audit, body));
}

// With the spins that turn the poses: that of a body with three moments of inertia is another one at the end.
static CairnVec3 parting_by_poses(const CairnAudit *audit, const Touch *t) {
    CairnVec6 v[2] = {t->sides[0].after, t->sides[1].after};
    for (int k = 0; k < 2; k++) {
        if (t->sides[k].is_counted) {
            v[k].angular = mean_spin(audit, t->sides[k].body);
        }
    }
    return parting(&v[0], &v[1], t->arms);
}

// An overlap is pushed out, no faster than the world wants; and what is met on the way is foreseen as well as that.
static double push_out_speed(const CairnWorldDef *def, double distance, double h) {
    double deep = distance < 0 ? -distance : def->contact_stray * def->contact_margin;
    return cairn_min(deep / h, def->contact_push);
}

// A contact gives no energy at the velocities that the step ends with, beyond what pushes an overlap out, and what
// bounces: n . u+ <= |n . u|, and friction opposes what still slides.
static void check_work(const CairnAudit *audit, const Touch *t, CairnAccount *account) {
    const CairnContactRecord *r = t->record;
    double normal = r->normal_impulse * cairn_dot(r->normal, t->apart), across = cairn_dot(t->friction, t->apart);
    const CairnWorldDef *def = &audit->world->def;
    double speed = push_out_speed(def, r->distance, audit->h);
    double gain = cairn_max(normal - r->normal_impulse * speed, 0) + cairn_max(across, 0);
    if (gain <= 1e-3 * account->order) { // rounding, mostly: it is not worth a closer look
        account->gain += gain;
        return;
    }
    CairnVec3 apart = parting_by_poses(audit, t);
    normal = r->normal_impulse * cairn_dot(r->normal, apart);
    across = cairn_dot(t->friction, apart);
    double approach = -cairn_dot(r->normal, t->came);
    double bounce = approach > def->restitution_threshold ? approach : 0;
    account->gain += cairn_max(normal - r->normal_impulse * cairn_max(speed, bounce), 0) + cairn_max(across, 0);
    // The certificate's tolerance: velocities are right to 1e-8 of the largest one that the contact stops. And they
    // are known as well as the place of the contact is.
    double size = fabs(r->normal_impulse) + cairn_length(t->friction);
    double spring = def->contact_give * def->typical_length / audit->h; // how fast what gave way may come back
    double spins = cairn_length(t->sides[0].after.angular) + cairn_length(t->sides[1].after.angular);
    account->unknown += size * (1e-8 * (cairn_length(t->came) + cairn_length(apart)) + spins * t->slack + spring);
}

static void take_contact(CairnAccount *account, CairnVec3 arm, CairnVec3 impulse, CairnVec3 spin, double sign,
                         double slack) {
    double size = size_of(impulse);
    account->linear = cairn_add_scaled(account->linear, -sign, impulse);
    account->angular = cairn_add_scaled(account->angular, -sign, cairn_add(cairn_cross(arm, impulse), spin));
    account->linear_scale += size;
    account->angular_scale += size * size_of(arm) + size_of(spin);
    account->angular_slack += size * slack;
}

static void take_off(CairnAudit *audit, int c, const Side sides[2]) {
    const CairnContactRecord *r = &audit->world->store.contacts[c];
    CairnVec3 spin = cairn_store_spin(&audit->world->store, c);
    Touch t = {.record = r, .sides = sides, .friction = cairn_record_friction(r)};
    if (r->normal_impulse == 0 && cairn_length_squared(t.friction) == 0) {
        return;
    }
    for (int k = 0; k < 2; k++) {
        t.arms[k] = cairn_sub(r->point, sides[k].center);
    }
    t.came = parting(&sides[0].before, &sides[1].before, t.arms);
    t.apart = parting(&sides[0].after, &sides[1].after, t.arms);
    // A contact has a point on each surface, and what is met on the way is met where both are then: the impulse acts
    // at one of these points.
    double square = cairn_max(cairn_length_squared(t.came), cairn_length_squared(t.apart));
    t.slack = fabs(r->distance) + audit->h * sqrt(square);
    CairnVec3 impulse = cairn_add_scaled(t.friction, r->normal_impulse, r->normal);
    for (int k = 0; k < 2; k++) {
        if (sides[k].is_counted) {
            take_contact(&audit->accounts[sides[k].body], t.arms[k], impulse, spin, k == 0 ? -1 : 1, t.slack);
        }
    }
    check_work(audit, &t, &audit->accounts[sides[sides[1].is_counted].body]);
}

static void take_contacts(CairnAudit *audit) {
    const CairnStore *store = &audit->world->store;
    const CairnContactRecord *last = NULL;
    Side sides[2] = {{0}, {0}};
    audit->has_meeting = false;
    for (int c = 0; c < store->contact_count; c++) {
        const CairnContactRecord *r = &store->contacts[c];
        if (last == NULL || r->shape_a != last->shape_a || r->shape_b != last->shape_b) {
            read_side(audit, r->shape_a, &sides[0]);
            read_side(audit, r->shape_b, &sides[1]);
            if (sides[0].is_counted && sides[1].is_counted) {
                unite(audit->island, sides[0].body, sides[1].body);
                audit->has_meeting = true;
            } else {
                audit->is_open[sides[sides[1].is_counted].body] = true;
            }
            last = r;
        }
        if (sides[0].is_counted || sides[1].is_counted) {
            take_off(audit, c, sides);
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

// Where a body's forces act: at the start of its way, or under the midpoint rule in the middle of it.
static CairnVec3 acting_at(const CairnAudit *audit, int b) {
    CairnVec3 start = audit->bodies[b].center;
    if (audit->world->def.integrator != CAIRN_INTEGRATOR_MIDPOINT) {
        return start;
    }
    return cairn_scale(0.5, cairn_add(start, audit->world->store.bodies[b].center));
}

static void sum_over(const CairnAudit *audit, int *parent, CairnAccount *sums) {
    memset(sums, 0, (size_t)audit->body_count * sizeof *sums);
    for (int b = 0; b < audit->body_count; b++) {
        if (audit->counts[b]) {
            int root = parent[b] = find_root(parent, b);
            CairnVec3 arm = cairn_sub(acting_at(audit, b), acting_at(audit, root));
            add_account(&sums[root], &audit->accounts[b], arm);
        }
    }
}

static void check_momentum(CairnAudit *audit, const CairnAccount *a, int body) {
    cairn_audit_find(audit, CAIRN_AUDIT_MOMENTUM, cairn_length(a->linear),
                     CAIRN_AUDIT_ROUNDING * a->linear_scale + a->linear_slack, body, -1, -1);
    cairn_audit_find(audit, CAIRN_AUDIT_ANGULAR_MOMENTUM, cairn_length(a->angular),
                     CAIRN_AUDIT_ROUNDING * a->angular_scale + a->angular_slack, body, -1, -1);
}

// What is left of a body's balance is the impulse of its joints. It works along the mean of the velocities, and that is
// known as well as the impulse is.
static void add_joint_work(const CairnAudit *audit, int b, CairnAccount *sum) {
    CairnVec6 v0 = cairn_audit_velocity(audit, b, false), v1 = cairn_audit_velocity(audit, b, true);
    CairnVec6 mean = cairn_vec6_scale(0.5, cairn_vec6_add_scaled(v0, 1, v1));
    const CairnAccount *a = &audit->accounts[b];
    sum->work += cairn_dot(a->linear, mean.linear) + cairn_dot(a->angular, mean.angular);
    double linear = CAIRN_AUDIT_ROUNDING * a->linear_scale + a->linear_slack;
    double angular = CAIRN_AUDIT_ROUNDING * a->angular_scale + a->angular_slack;
    sum->unknown += linear * size_of(mean.linear) + angular * size_of(mean.angular);
}

static int outer_side(const CairnAudit *audit, const CairnAuditJoint *joint) {
    bool counts_a = cairn_audit_counts(audit, joint->bodies[0]), counts_b = cairn_audit_counts(audit, joint->bodies[1]);
    return counts_a == counts_b ? -1 : counts_a ? 1 : 0;
}

// Takes off what joints to fixed bodies report to have given a group. Their axes turn within the step, so that the
// reported wrench is known as well as its axes stand still.
static void take_outer_joints(CairnAudit *audit) {
    for (int j = 0; j < audit->joint_count; j++) {
        const CairnAuditJoint *joint = &audit->joints[j];
        int outer = joint->is_gear ? -1 : outer_side(audit, joint);
        if (outer < 0) {
            continue;
        }
        int body = joint->bodies[1 - outer], root = find_root(audit->group, body);
        double sign = outer == 0 ? 1 : -1;
        CairnAuditWrench w = cairn_audit_wrench(audit, joint);
        CairnAccount *sum = &audit->groups[root];
        CairnVec3 own = cairn_sub(w.point, audit->bodies[body].center);
        CairnVec3 arm = cairn_add(own, cairn_sub(acting_at(audit, body), acting_at(audit, root)));
        CairnVec3 moment = cairn_add(w.torque, cairn_cross(arm, w.force));
        double force = cairn_length(w.force), torque = cairn_length(w.torque);
        sum->linear = cairn_add_scaled(sum->linear, -sign, w.force);
        sum->angular = cairn_add_scaled(sum->angular, -sign, moment);
        sum->linear_scale += force;
        sum->angular_scale += torque + force * cairn_length(arm);
        sum->linear_slack += w.swing * force;
        sum->angular_slack += w.turn * (torque + force * cairn_length(own)) + w.swing * force * cairn_length(arm);
        audit->is_open[body] = true;
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
                CairnAccount *sum = &audit->groups[find_root(audit->group, body)];
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
        cairn_audit_find(audit, CAIRN_AUDIT_ENERGY, gained, 2 * ledger->order + a->given, root, -1, -1);
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
    add_allowances(audit);
    for (int b = 0; b < audit->body_count; b++) {
        if (audit->counts[b] && audit->group[b] == b) {
            const CairnAccount *a = &audit->groups[b];
            check_momentum(audit, a, b);
            double gain = cairn_max(gain_of(a) - a->given, 0);
            cairn_audit_find(audit, CAIRN_AUDIT_ENERGY, gain, limit_of(a), b, -1, -1);
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
            unite(audit->island, audit->group[b], b);
        }
    }
    bool is_any = false;
    for (int b = 0; b < audit->body_count; b++) {
        if (audit->counts[b]) {
            int root = find_root(audit->island, b);
            audit->is_open[root] = audit->is_open[root] || audit->is_open[b];
        }
    }
    for (int b = 0; b < audit->body_count; b++) {
        is_any = is_any || (audit->counts[b] && !audit->is_open[find_root(audit->island, b)] && audit->island[b] != b);
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
    balance_bodies(audit);
    make_groups(audit);
    take_contacts(audit);
    check_groups(audit);
    if (audit->has_meeting) { // else islands are groups
        check_islands(audit);
    }
}
