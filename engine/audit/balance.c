// What is left of a change of momentum, body by body (docs/audit.md).
//
// Of every body that counts, what is left of its change of momentum when gravity, the applied forces and damping are
// taken off must be what contacts and joints report to have given it:
//     m (v+ - v) - h (m g + f) = sum P,      L+ - L - h tau = sum (r x P + T).
// Contacts are taken off here, body by body; groups.c sums over the bodies that joints tie.
#include "engine/audit/audit.h"
#include "engine/base/mat3.h"

// ---- bodies ----

CairnVec3 cairn_audit_momentum(const CairnBodyModel *model, CairnQuat q, CairnVec3 spin) {
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

// What the pose does beyond the way of the velocity, h v+.
static CairnVec3 drift_of(const CairnAudit *audit, const CairnAuditBody *then, const CairnBody *now, CairnVec3 *way) {
    *way = cairn_scale(audit->h, now->velocity);
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
    double push = cairn_audit_size(cairn_sub(after, before)), w = cairn_audit_size(w0) + cairn_audit_size(w1);
    double momentum = cairn_max(cairn_audit_size(before), cairn_audit_size(after));
    double jump = cairn_min(push / now->model->moments.x, cairn_audit_size(cairn_sub(w1, w0)) + audit->h * w * w);
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
    double speeds = mass * (cairn_audit_size(start) + cairn_audit_size(now->velocity));
    account->linear_scale = speeds + h * cairn_audit_size(force);

    CairnVec3 drift = drift_of(audit, then, now, &way);
    CairnVec3 before =
        cairn_scale(1 / (1 + h * model->angular_damping), cairn_audit_momentum(model, then->q, then->spin));
    bool is_turning_along = !def->gyroscopic && !model->is_isotropic; // its momentum turns with the body
    CairnVec3 after = cairn_audit_momentum(model, is_turning_along ? then->q : now->q, now->angular_velocity);
    account->angular = cairn_sub(cairn_sub(after, before), cairn_scale(h, push.torque));
    account->angular = cairn_add(account->angular, cairn_cross(drift, cairn_scale(mass / h, way)));
    double far = cairn_audit_size(then->center) + cairn_audit_size(now->center);
    account->angular_scale =
        model->moments.z * (cairn_audit_size(then->spin) + cairn_audit_size(now->angular_velocity)) +
        h * cairn_audit_size(push.torque) + far * speeds;

    // Gravity works along the way; between the velocities' energies it is taken to work along their mean.
    double fall = h * h * cairn_length_squared(def->gravity) * model->gravity_scale * model->gravity_scale;
    account->work = -cairn_dot(weight, drift);
    account->order = 0.5 * mass * fall;
    account->unknown = CAIRN_AUDIT_ROUNDING * far * cairn_audit_size(weight);
    if (!model->is_isotropic && def->gyroscopic && cairn_length_squared(now->angular_velocity) > 0) {
        add_turning(audit, now, before, after, then, account);
    }
}

void cairn_audit_balance_bodies(CairnAudit *audit) {
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
    // How fast what gave way may come back. A normal's spring is no longer than its overlap, which is allowed above;
    // that of friction, beside mu N, no longer than mu times contact_give, or 1e-7 where contacts are hard.
    double spring = cairn_world_contact_give(audit->world) / audit->h;
    double spins = cairn_length(t->sides[0].after.angular) + cairn_length(t->sides[1].after.angular);
    account->unknown += size * (1e-8 * (cairn_length(t->came) + cairn_length(apart)) + spins * t->slack + spring);
}

static void take_contact(CairnAccount *account, CairnVec3 arm, CairnVec3 impulse, CairnVec3 spin, double sign,
                         double slack, double turn) {
    double size = cairn_audit_size(impulse);
    account->linear = cairn_add_scaled(account->linear, -sign, impulse);
    account->angular = cairn_add_scaled(account->angular, -sign, cairn_add(cairn_cross(arm, impulse), spin));
    account->linear_scale += size;
    account->angular_scale += size * cairn_audit_size(arm) + cairn_audit_size(spin);
    account->angular_slack += size * (slack + turn * cairn_audit_size(arm));
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
    // A contact has a point on each surface, and what is met on the way is met where both bodies are then: the impulse
    // acts at one of these points.
    double square = cairn_max(cairn_length_squared(t.came), cairn_length_squared(t.apart));
    t.slack = fabs(r->distance) + audit->h * sqrt(square);
    if (r->distance > 0) {
        t.slack += audit->h * cairn_length(cairn_sub(sides[1].after.linear, sides[0].after.linear));
    }
    CairnVec3 impulse = cairn_add_scaled(t.friction, r->normal_impulse, r->normal);
    for (int k = 0; k < 2; k++) {
        if (sides[k].is_counted) {
            // With geometric stiffness the arm turns within the step.
            bool is_turning = audit->world->def.geometric_stiffness;
            double turn = is_turning ? audit->h * cairn_audit_size(sides[k].after.angular) : 0;
            take_contact(&audit->accounts[sides[k].body], t.arms[k], impulse, spin, k == 0 ? -1 : 1, t.slack, turn);
        }
    }
    check_work(audit, &t, &audit->accounts[sides[sides[1].is_counted].body]);
}

void cairn_audit_take_contacts(CairnAudit *audit) {
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
                cairn_audit_unite(audit->island, sides[0].body, sides[1].body);
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
