// Sleep within the step: what moving bodies reached is woken before the solve; what has come to rest falls asleep after
// it.
#include "engine/sleep.h"
#include "engine/step/step.h"

// ---- waking ----

static bool is_asleep(const CairnStep *step, int body) {
    return cairn_body_sleeps(&step->store->bodies[body]);
}

static CairnVec3 velocity_at(const CairnStep *step, int body, CairnVec3 arm) {
    int block = step->block_of[body];
    CairnVec6 v = block >= 0 ? step->blocks[block].free : cairn_step_start(step, body);
    return cairn_add(v.linear, cairn_cross(v.angular, arm));
}

// True: the two surfaces of a contact meet within the step.
static bool meets(const CairnStep *step, const CairnStepContact *c) {
    CairnVec3 slip =
        cairn_sub(velocity_at(step, c->body_b, c->frame.arm[1]), velocity_at(step, c->body_a, c->frame.arm[0]));
    double closing = fmin(fmin(cairn_dot(c->frame.normal, slip), c->approach), 0);
    return c->distance + step->h * closing <= 0;
}

// Until the step commits, a woken body remembers its group as -2 - group: a step that fails puts it back to sleep.
static void wake_group(const CairnStep *step, int body) {
    CairnStore *store = step->store;
    int group = store->bodies[body].sleeps_with;
    for (int i = 0; group >= 0 && i < store->body_pool.count; i++) {
        if (cairn_pool_is_alive(&store->body_pool, i) && store->bodies[i].sleeps_with == group) {
            store->bodies[i].sleeps_with = -2 - group;
        }
    }
}

static bool was_woken(const CairnStore *store, int body) {
    return cairn_pool_is_alive(&store->body_pool, body) && store->bodies[body].sleeps_with < -1;
}

void cairn_step_commit_waking(const CairnStep *step) {
    CairnStore *store = step->store;
    for (int i = 0; i < store->body_pool.count; i++) {
        if (was_woken(store, i)) {
            store->bodies[i].sleeps_with = -1;
            store->bodies[i].still_time = 0;
        }
    }
}

void cairn_step_undo_waking(const CairnStep *step) {
    CairnStore *store = step->store;
    for (int i = 0; i < store->body_pool.count; i++) {
        if (was_woken(store, i)) {
            store->bodies[i].sleeps_with = -2 - store->bodies[i].sleeps_with;
        }
    }
}

bool cairn_step_wake(CairnStep *step, CairnStepContacts *contacts) {
    if (cairn_step_failed(step) || step->sleeping_count == 0) {
        return false;
    }
    bool woke = false;
    int kept = 0;
    for (int i = 0; i < contacts->count; i++) {
        const CairnStepContact *c = &contacts->all[i];
        bool sleeps_a = is_asleep(step, c->body_a), sleeps_b = is_asleep(step, c->body_b);
        if ((sleeps_a || sleeps_b) && meets(step, c)) {
            wake_group(step, c->body_a);
            wake_group(step, c->body_b);
            woke = true;
        }
        bool has_dofs = cairn_step_block(step, c->body_a) >= 0 || cairn_step_block(step, c->body_b) >= 0;
        if (has_dofs) { // a kinematic body near a sleeping one makes no constraint
            contacts->all[kept++] = *c;
        }
    }
    contacts->count = kept;
    step->stats.contacts = kept;
    return woke;
}

// ---- islands ----

// What a moving kinematic body touches stays awake.
static void unite_joints(const CairnStep *step, const CairnStepJoints *joints, int *parent, bool *restless) {
    for (int j = 0; j < joints->count; j++) {
        const CairnStepJoint *sj = &joints->all[j];
        int first = cairn_step_unite_joint(step, sj, parent);
        for (int k = 0; k < sj->body_count; k++) {
            if (first >= 0 && sj->bodies[k] >= 0 && cairn_body_is_moved(&step->store->bodies[sj->bodies[k]])) {
                restless[first] = true;
            }
        }
    }
}

static void unite_contacts(const CairnStep *step, const CairnStepContacts *contacts, const double *lambda, int *parent,
                           bool *restless) {
    for (int i = 0; i < contacts->count; i++) {
        const CairnStepContact *c = &contacts->all[i];
        if (!(c->distance < 0 || lambda[c->row] > 0)) {
            continue;
        }
        int a = cairn_step_block(step, c->body_a), b = cairn_step_block(step, c->body_b);
        if (a >= 0 && b >= 0) {
            cairn_step_unite(parent, a, b);
        } else if (cairn_body_is_moved(&step->store->bodies[a >= 0 ? c->body_b : c->body_a])) {
            restless[a >= 0 ? a : b] = true;
        }
    }
}

static double still_time_after(const CairnStep *step, const CairnStepEnds *ends, int block) {
    const CairnWorldDef *def = &step->world->def;
    const CairnStepEnd *end = &ends->all[block];
    bool is_still = cairn_length(end->velocity) <= def->sleep_speed && cairn_length(end->spin) <= def->sleep_spin;
    int body = step->blocks[block].body;
    double before = was_woken(step->store, body) ? 0 : step->store->bodies[body].still_time;
    return is_still ? before + cairn_step_drift(step) : 0;
}

void cairn_step_find_rest(CairnStep *step, const CairnStepContacts *contacts, const CairnStepJoints *joints,
                          const double *lambda, const CairnStepEnds *ends, CairnStepRest *rest) {
    *rest = (CairnStepRest){0};
    if (!step->world->def.sleeping || cairn_step_failed(step)) {
        return;
    }
    int count = step->block_count;
    rest->island = CAIRN_STEP_PUSH(step, int, count);
    rest->still_time = CAIRN_STEP_PUSH(step, double, count);
    rest->falls_asleep = (bool *)cairn_step_push_zero(step, (size_t)count, sizeof(bool));
    bool *restless = (bool *)cairn_step_push_zero(step, (size_t)count, sizeof(bool));
    double *shortest = CAIRN_STEP_PUSH(step, double, count); // an island is as still as its least still body
    if (cairn_step_failed(step)) {
        return;
    }
    for (int b = 0; b < count; b++) {
        rest->island[b] = b;
    }
    unite_joints(step, joints, rest->island, restless);
    unite_contacts(step, contacts, lambda, rest->island, restless);
    for (int b = 0; b < count; b++) { // a root stands before its members
        rest->island[b] = cairn_step_root(rest->island, b);
        rest->still_time[b] = restless[b] ? 0 : still_time_after(step, ends, b);
        int root = rest->island[b];
        shortest[root] = root == b ? rest->still_time[b] : fmin(shortest[root], rest->still_time[b]);
        step->stats.islands += root == b ? 1 : 0;
    }
    for (int b = 0; b < count; b++) {
        rest->falls_asleep[b] = shortest[rest->island[b]] >= step->world->def.sleep_time;
    }
}

void cairn_step_update_sleep(CairnStep *step, const CairnStepRest *rest, int b) {
    if (rest->falls_asleep == NULL) {
        return;
    }
    CairnBody *body = &step->store->bodies[step->blocks[b].body];
    body->still_time = rest->still_time[b];
    if (rest->falls_asleep[b]) {
        body->sleeps_with = step->blocks[rest->island[b]].body;
        step->world->has_sleepers = true;
        body->velocity = body->angular_velocity = (CairnVec3){0, 0, 0};
    }
}

// True for two shapes whose bodies have no dofs and do not move, at least one of them asleep: steps skip them, so their
// records are kept.
bool cairn_step_is_kept(const CairnStep *step, int shape_a, int shape_b) {
    const CairnStore *store = step->store;
    if (step->sleeping_count == 0 || !cairn_pool_is_alive(&store->shape_pool, shape_a) ||
        !cairn_pool_is_alive(&store->shape_pool, shape_b)) {
        return false;
    }
    int a = store->shapes[shape_a].body, b = store->shapes[shape_b].body;
    return step->block_of[a] < 0 && step->block_of[b] < 0 &&
           (cairn_body_sleeps(&store->bodies[a]) || cairn_body_sleeps(&store->bodies[b]));
}
