// A step that the world made in parts, because bodies of its joints turned too far for one, or in the two halves of the
// midpoint rule.
//
// Contacts and joints report the last part, and what touched in the others is not known. So all bodies are balanced
// together. Energy: contacts and joints without drives only lose, and the whole is
//     sum m (v+^2 - v^2)/2 + (w+ . L+ - w . L)/2 - (m g + f) . (x+ - x) - t . turn <= limit.
// Momentum: only where nothing is fixed in the world, and then to rounding but for gravity, whose arms move.
#include "engine/audit/audit.h"

// Work is done by what the sum does not know.
static bool is_driven(const CairnAudit *audit) {
    const CairnStore *store = &audit->world->store;
    for (int j = 0; j < audit->joint_count; j++) {
        if (cairn_audit_is_driven(audit, &audit->joints[j])) {
            return true;
        }
    }
    for (int b = 0; b < audit->body_count; b++) {
        if (cairn_pool_is_alive(&store->body_pool, b) && cairn_body_is_moved(&store->bodies[b])) {
            return true;
        }
    }
    return false;
}

static bool has_fixed(const CairnAudit *audit) {
    const CairnStore *store = &audit->world->store;
    for (int j = 0; j < audit->joint_count; j++) {
        const CairnAuditJoint *joint = &audit->joints[j];
        if (!joint->is_gear && (joint->bodies[0] < 0 || joint->bodies[1] < 0)) {
            return true;
        }
    }
    for (int b = 0; b < audit->body_count; b++) {
        if (cairn_pool_is_alive(&store->body_pool, b) && !audit->counts[b]) {
            return true;
        }
    }
    return false;
}

static double kinetic_energy(const CairnBody *body, CairnQuat q, CairnVec3 velocity, CairnVec3 spin) {
    CairnVec3 momentum = cairn_audit_momentum(body->model, q, spin);
    return 0.5 * (body->model->mass * cairn_length_squared(velocity) + cairn_dot(momentum, spin));
}

// The energy that a body gained beyond what gravity and applied forces gave. A part of the step takes gravity to work
// along the mean of its velocities, and the pose to go with the last: h / n m g . (v - v+) / 2 in all.
// Under the midpoint rule the pose goes with the mean.
static double energy_gain(const CairnAudit *audit, int b, double *size) {
    const CairnAuditBody *then = &audit->bodies[b];
    const CairnBody *now = &audit->world->store.bodies[b];
    CairnPush push = b < audit->push_count ? audit->pushes[b] : (CairnPush){{0, 0, 0}, {0, 0, 0}};
    CairnVec3 weight = cairn_scale(now->model->mass * now->model->gravity_scale, audit->world->def.gravity);
    double before = kinetic_energy(now, then->q, then->velocity, then->spin);
    double after = kinetic_energy(now, now->q, now->velocity, now->angular_velocity);
    bool is_midpoint = audit->world->def.integrator == CAIRN_INTEGRATOR_MIDPOINT;
    double part = is_midpoint ? 0 : 0.5 * audit->h / audit->parts;
    CairnVec3 force = cairn_add(weight, push.force), moved = cairn_sub(now->center, then->center);
    double work = cairn_dot(force, moved) + cairn_dot(push.torque, cairn_audit_turn(audit, b)) +
                  part * cairn_dot(force, cairn_sub(then->velocity, now->velocity));
    *size = before + after + fabs(work) + cairn_audit_size(force) * cairn_audit_size(now->center);
    return after - before - work;
}

void cairn_audit_balance_divided(CairnAudit *audit) {
    const CairnStore *store = &audit->world->store;
    cairn_audit_balance_bodies(audit);
    double gain = 0, order = 0, size = 0, slack = 0, linear_scale = 0, angular_scale = 0;
    CairnVec3 linear = {0, 0, 0}, angular = {0, 0, 0};
    for (int b = 0; b < audit->body_count; b++) {
        if (!audit->counts[b]) {
            continue;
        }
        const CairnAccount *a = &audit->accounts[b];
        CairnVec3 place = audit->bodies[b].center, way = cairn_sub(store->bodies[b].center, place);
        double own;
        gain += energy_gain(audit, b, &own);
        size += own;
        order += a->order;
        linear = cairn_add(linear, a->linear);
        angular = cairn_add(angular, cairn_add(a->angular, cairn_cross(place, a->linear)));
        linear_scale += a->linear_scale;
        angular_scale += a->angular_scale + cairn_audit_size(place) * a->linear_scale;
        CairnVec3 weight = cairn_scale(store->bodies[b].model->mass, audit->world->def.gravity);
        slack += audit->h * cairn_audit_size(weight) * cairn_audit_size(way);
    }
    if (!is_driven(audit)) {
        cairn_audit_find(audit, CAIRN_AUDIT_ENERGY, cairn_max(gain, 0), order + CAIRN_AUDIT_ROUNDING * size, -1, -1,
                         -1);
    }
    if (!has_fixed(audit)) {
        cairn_audit_find(audit, CAIRN_AUDIT_MOMENTUM, cairn_length(linear), CAIRN_AUDIT_ROUNDING * linear_scale, -1, -1,
                         -1);
        cairn_audit_find(audit, CAIRN_AUDIT_ANGULAR_MOMENTUM, cairn_length(angular),
                         CAIRN_AUDIT_ROUNDING * angular_scale + slack, -1, -1, -1);
    }
}
