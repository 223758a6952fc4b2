// The public functions of the audit: what is noted before a step, and the verdict after it.
#include "engine/audit/audit.h"
#include "engine/base/memory.h"
#include "engine/base/timer.h"
#include <stdio.h>

typedef struct Term {
    const char *name, *unit;
} Term;

static const Term terms[CAIRN_AUDIT_TERM_COUNT] = {
    [CAIRN_AUDIT_MOMENTUM] = {"momentum", "N s"}, [CAIRN_AUDIT_ANGULAR_MOMENTUM] = {"angular momentum", "N m s"},
    [CAIRN_AUDIT_ENERGY] = {"energy", "J"},       [CAIRN_AUDIT_JOINT] = {"joint", "m"},
    [CAIRN_AUDIT_JOINT_ANGLE] = {"angle", "rad"}, [CAIRN_AUDIT_OVERLAP] = {"overlap", "m"},
    [CAIRN_AUDIT_PASSED] = {"passed", "m"},
};

static bool is_term(CairnAuditTerm term) {
    return (int)term >= 0 && term < CAIRN_AUDIT_TERM_COUNT;
}

const char *cairn_audit_term_name(CairnAuditTerm term) {
    return is_term(term) ? terms[term].name : "unknown";
}

const char *cairn_audit_term_unit(CairnAuditTerm term) {
    return is_term(term) ? terms[term].unit : "";
}

int cairn_audit_words(const CairnAuditReport *report, char *text, size_t size) {
    if (report == NULL) {
        return snprintf(text, size, "not audited");
    }
    if (report->is_sound) {
        return snprintf(text, size, "sound");
    }
    const CairnAuditFinding *f = &report->terms[report->worst];
    char where[64] = "";
    if (f->joint.index > 0) {
        snprintf(where, sizeof where, ", joint %u", f->joint.index);
    } else if (f->other.index > 0) {
        snprintf(where, sizeof where, ", bodies %u and %u", f->body.index, f->other.index);
    } else if (f->body.index > 0) {
        snprintf(where, sizeof where, ", body %u", f->body.index);
    }
    return snprintf(text, size, "NOT sound: %s %.2g > %.2g %s%s", cairn_audit_term_name(report->worst), f->value,
                    f->limit, cairn_audit_term_unit(report->worst), where);
}

// ---- create and destroy ----

CairnStatus cairn_audit_create(const CairnWorld *world, CairnAudit **out) {
    if (world == NULL || out == NULL) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "audit: %s is NULL", world == NULL ? "world" : "out");
    }
    CairnAllocator allocator = world->counter.hooks;
    CairnAudit *audit = cairn_memory_allocate_zero(&allocator, 1, sizeof *audit);
    if (audit == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "audit: no memory for an audit");
    }
    audit->allocator = allocator;
    *out = audit;
    return cairn_ok();
}

void cairn_audit_destroy(CairnAudit *audit) {
    if (audit == NULL) {
        return;
    }
    CairnAllocator a = audit->allocator;
    cairn_memory_release(&a, audit->bodies, (size_t)audit->body_capacity, sizeof *audit->bodies);
    cairn_memory_release(&a, audit->pushes, (size_t)audit->push_capacity, sizeof *audit->pushes);
    cairn_memory_release(&a, audit->accounts, (size_t)audit->account_capacity, sizeof *audit->accounts);
    cairn_memory_release(&a, audit->groups, (size_t)audit->group_capacity, sizeof *audit->groups);
    cairn_memory_release(&a, audit->counts, (size_t)audit->count_capacity, sizeof *audit->counts);
    cairn_memory_release(&a, audit->group, (size_t)audit->tie_capacity, sizeof *audit->group);
    cairn_memory_release(&a, audit->island, (size_t)audit->island_capacity, sizeof *audit->island);
    cairn_memory_release(&a, audit->is_open, (size_t)audit->open_capacity, sizeof *audit->is_open);
    cairn_memory_release(&a, audit->ledgers, (size_t)audit->ledger_capacity, sizeof *audit->ledgers);
    cairn_memory_release(&a, audit->joints, (size_t)audit->joint_capacity, sizeof *audit->joints);
    cairn_memory_release(&a, audit, 1, sizeof *audit);
}

static bool reserve(CairnAudit *audit, const CairnStore *store) {
    const CairnAllocator *a = &audit->allocator;
    int bodies = store->body_pool.count, joints = store->joint_pool.count;
    return cairn_memory_renew(a, &audit->bodies, &audit->body_capacity, bodies, sizeof *audit->bodies) &&
           cairn_memory_renew(a, &audit->pushes, &audit->push_capacity, store->push_count, sizeof *audit->pushes) &&
           cairn_memory_renew(a, &audit->accounts, &audit->account_capacity, bodies, sizeof *audit->accounts) &&
           cairn_memory_renew(a, &audit->groups, &audit->group_capacity, bodies, sizeof *audit->groups) &&
           cairn_memory_renew(a, &audit->counts, &audit->count_capacity, bodies, sizeof *audit->counts) &&
           cairn_memory_renew(a, &audit->group, &audit->tie_capacity, bodies, sizeof *audit->group) &&
           cairn_memory_renew(a, &audit->island, &audit->island_capacity, bodies, sizeof *audit->island) &&
           cairn_memory_renew(a, &audit->is_open, &audit->open_capacity, bodies, sizeof *audit->is_open) &&
           cairn_memory_reserve(a, &audit->ledgers, &audit->ledger_capacity, bodies, sizeof *audit->ledgers) &&
           cairn_memory_reserve(a, &audit->joints, &audit->joint_capacity, joints, sizeof *audit->joints);
}

// ---- before the step ----

CairnStatus cairn_audit_begin(CairnAudit *audit, const CairnWorld *world) {
    if (audit == NULL || world == NULL) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "audit: %s is NULL", audit == NULL ? "audit" : "world");
    }
    double t0 = cairn_timer_now();
    const CairnStore *store = &world->store;
    audit->is_begun = false;
    if (!reserve(audit, store)) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "audit: no memory for %d bodies", store->body_pool.count);
    }
    bool goes_on = audit->tag == world->tag && audit->last_step == store->step_index &&
                   audit->joint_changes == world->joint_changes && audit->body_count == store->body_pool.count;
    for (int b = 0; !goes_on && b < store->body_pool.count; b++) { // what was gained was gained by others
        audit->ledgers[b] = (CairnLedger){0, 0};
    }
    cairn_audit_read_joints(audit, world);
    for (int b = 0; b < store->body_pool.count; b++) {
        const CairnBody *body = &store->bodies[b];
        audit->bodies[b] = (CairnAuditBody){body->center, body->q, body->velocity, body->angular_velocity};
    }
    for (int p = 0; p < store->push_count; p++) {
        audit->pushes[p] = store->pushes[p];
    }
    audit->body_count = store->body_pool.count;
    audit->push_count = store->push_count;
    audit->step_index = store->step_index;
    audit->time = store->time;
    audit->tag = world->tag;
    audit->is_begun = true;
    audit->seconds = cairn_timer_now() - t0;
    return cairn_ok();
}

// ---- after the step ----

CairnVec3 cairn_audit_turn(const CairnAudit *audit, int body) {
    const CairnBody *now = &audit->world->store.bodies[body];
    CairnVec3 turn = cairn_quat_log(cairn_quat_mul(now->q, cairn_quat_conj(audit->bodies[body].q)));
    CairnVec3 said = cairn_scale(audit->h, now->angular_velocity);
    double angle = cairn_length(turn);
    CairnVec3 axis = cairn_normalize_or(turn, cairn_normalize(said));
    double whole = 2 * CAIRN_PI * round((cairn_dot(axis, said) - angle) / (2 * CAIRN_PI));
    return cairn_scale(angle + whole, axis);
}

static double ratio(double value, double limit) {
    if (value == 0) {
        return 0;
    }
    return limit > 0 && value >= 0 && isfinite(value) ? value / limit : HUGE_VAL;
}

double cairn_audit_ratio(const CairnAuditFinding *finding) {
    return finding != NULL ? ratio(finding->value, finding->limit) : 0;
}

void cairn_audit_find(CairnAudit *audit, CairnAuditTerm term, double value, double limit, int body, int other,
                      int joint) {
    CairnAuditFinding *f = &audit->report->terms[term];
    if (f->is_checked && !(ratio(value, limit) > ratio(f->value, f->limit))) {
        return;
    }
    const CairnWorld *w = audit->world;
    *f = (CairnAuditFinding){.value = value, .limit = limit, .is_checked = true};
    if (body >= 0) {
        f->body = cairn_world_body_id(w, body);
    }
    if (other >= 0) {
        f->other = cairn_world_body_id(w, other);
    }
    if (joint >= 0) {
        f->joint = cairn_world_joint_id(w, joint);
    }
}

static void judge(CairnAuditReport *report) {
    double worst = -1;
    for (int t = 0; t < CAIRN_AUDIT_TERM_COUNT; t++) {
        const CairnAuditFinding *f = &report->terms[t];
        double r = f->is_checked ? ratio(f->value, f->limit) : -1;
        if (r > worst) {
            worst = r;
            report->worst = (CairnAuditTerm)t;
        }
    }
    report->ratio = cairn_max(worst, 0);
    report->is_sound = worst <= 1;
}

static CairnStatus check_order(const CairnAudit *audit, const CairnWorld *world) {
    const CairnStore *store = &world->store;
    if (!audit->is_begun || audit->tag != world->tag || store->step_index != audit->step_index + 1) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "audit: between its beginning and its end there is not one step");
    }
    if (store->body_pool.count != audit->body_count || audit->joint_changes != world->joint_changes) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "audit: bodies or joints were made or changed since it began");
    }
    return cairn_ok();
}

CairnStatus cairn_audit_end(CairnAudit *audit, const CairnWorld *world, CairnAuditDepth depth,
                            CairnAuditReport *report) {
    if (audit == NULL || world == NULL || report == NULL) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "audit: %s is NULL",
                           audit == NULL   ? "audit"
                           : world == NULL ? "world"
                                           : "report");
    }
    CAIRN_TRY(check_order(audit, world));
    double t0 = cairn_timer_now();
    audit->is_begun = false;
    audit->last_step = world->store.step_index;
    audit->world = world;
    bool is_midpoint = world->def.integrator == CAIRN_INTEGRATOR_MIDPOINT; // then forces act in two halves of a part
    double part = (is_midpoint ? 2 : 1) * world->store.last_h, passed = world->store.time - audit->time;
    audit->parts = part > 0 && passed > 1.5 * part ? (int)round(cairn_min(passed / part, 1e6)) : 1;
    audit->h = audit->parts * part;
    audit->report = report;
    *report = (CairnAuditReport){.step_index = world->store.step_index, .is_full = depth == CAIRN_AUDIT_FULL};
    if (audit->parts > 1 || is_midpoint) {
        cairn_audit_balance_divided(audit);
    } else {
        cairn_audit_balance(audit);
    }
    cairn_audit_check_joints(audit);
    cairn_audit_check_limits(audit);
    CairnStatus status = cairn_ok();
    if (depth == CAIRN_AUDIT_FULL) {
        double t1 = cairn_timer_now();
        status = cairn_audit_check_pairs(audit);
        report->overlap_seconds = cairn_timer_now() - t1;
    }
    judge(report);
    audit->world = NULL;
    audit->report = NULL;
    report->seconds = audit->seconds + cairn_timer_now() - t0;
    return status;
}
