// Finish: the referee, then everything that the step made is committed at once; events and statistics.
#include "engine/base/memory.h"
#include "engine/base/timer.h"
#include "engine/sleep.h"
#include "engine/step/step.h"
#include <limits.h>
#include <string.h>

// ---- touching pairs and events ----

// What finish reads: all that was made.
typedef struct Finishing {
    CairnStep *step;
    const CairnStepContacts *contacts;
    const CairnStepSystem *system;
    const CairnStepParts *parts;
    const CairnStepAnswer *answer;
    const CairnStepEnds *ends;
    CairnStepRest rest;
} Finishing;

static bool same_pair(const CairnStepContact *a, const CairnStepContact *b) {
    return a->shape_a == b->shape_a && a->shape_b == b->shape_b;
}

// One entry for each pair of shapes that touches: it overlaps, or an impulse shows that the gap was closed. Sorted like
// the contacts.
typedef struct Touching {
    CairnTouchingPair *touches;
    const CairnStepContact **worst; // the contact of each with the fastest approach
    int count;
} Touching;

static int compare_id(CairnShapeId a, CairnShapeId b) {
    if (a.index != b.index) {
        return a.index < b.index ? -1 : 1;
    }
    return a.generation == b.generation ? 0 : a.generation < b.generation ? -1 : 1;
}

static int compare_touch(const CairnTouchingPair *a, const CairnTouchingPair *b) {
    int order = compare_id(a->a, b->a);
    return order != 0 ? order : compare_id(a->b, b->b);
}

static CairnTouchingPair touch_of(const CairnStep *step, const CairnStepContact *c) {
    return (CairnTouchingPair){cairn_world_shape_id(step->world, c->shape_a),
                               cairn_world_shape_id(step->world, c->shape_b)};
}

// The touches of last step that lie among sleeping bodies and come before `limit` (NULL: all remaining ones).
static void store_touches(const CairnStep *step, Touching *t, int *next, const CairnTouchingPair *limit) {
    const CairnStore *store = step->store;
    for (; *next < store->touch_count; *next += 1) {
        const CairnTouchingPair *old = &store->touches[*next];
        if (limit != NULL && compare_touch(old, limit) >= 0) {
            return;
        }
        if (cairn_step_is_kept(step, (int)old->a.index - 1, (int)old->b.index - 1)) {
            t->worst[t->count] = NULL;
            t->touches[t->count++] = *old;
        }
    }
}

static Touching find_touching(CairnStep *step, const CairnStepContacts *contacts, const double *lambda) {
    int most = contacts->count + step->store->touch_count, next = 0;
    Touching t = {CAIRN_STEP_PUSH(step, CairnTouchingPair, most), CAIRN_STEP_PUSH(step, const CairnStepContact *, most),
                  0};
    for (int i = 0; i < contacts->count && !cairn_step_failed(step);) {
        const CairnStepContact *first = &contacts->all[i], *worst = first;
        bool is_touching = false;
        for (; i < contacts->count && same_pair(first, &contacts->all[i]); i++) {
            const CairnStepContact *c = &contacts->all[i];
            is_touching = is_touching || c->distance < 0 || lambda[c->row] > 0;
            worst = c->approach < worst->approach ? c : worst;
        }
        if (is_touching) {
            CairnTouchingPair touch = touch_of(step, first);
            store_touches(step, &t, &next, &touch);
            t.worst[t.count] = worst;
            t.touches[t.count++] = touch;
        }
    }
    if (!cairn_step_failed(step)) {
        store_touches(step, &t, &next, NULL);
    }
    return t;
}

// With what speed two shapes met, in this part of the step or in one before it.
static double meeting_speed(const CairnStep *step, const CairnTouchingPair *pair, const CairnStepContact *worst) {
    const CairnStepShare *share = step->share;
    double speed = fmax(-worst->approach, 0);
    int low = 0, high = share->struck_count;
    while (low < high) {
        int middle = low + (high - low) / 2, order = compare_touch(&share->struck[middle].pair, pair);
        if (order == 0) {
            return fmax(speed, share->struck[middle].speed);
        }
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return speed;
}

// Merge last step's list and this one's: what is only old ended, what is only new began. With `write` false it only
// counts.
static void merge_events(const CairnStep *step, const CairnStepContacts *contacts, const Touching *now,
                         CairnEventList *events, bool write) {
    const CairnStore *store = step->store;
    events->hit_threshold = step->world->def.hit_threshold;
    events->begun_count = events->ended_count = events->hit_count = 0;
    int i = 0, j = 0;
    while (i < store->touch_count || j < now->count) {
        int order = i == store->touch_count ? 1
                    : j == now->count       ? -1
                                            : compare_touch(&store->touches[i], &now->touches[j]);
        if (order < 0) {
            if (write) {
                events->ended[events->ended_count] = store->touches[i];
            }
            events->ended_count += 1;
        } else if (order > 0) {
            const CairnStepContact *c = now->worst[j];
            double speed = meeting_speed(step, &now->touches[j], c);
            if (write) { // the contact's record will stand where it does
                events->begun[events->begun_count] = (CairnBegun){speed, j, (int)(c - contacts->all)};
            }
            events->begun_count += 1;
            events->hit_count += speed >= events->hit_threshold ? 1 : 0;
        }
        i += order <= 0 ? 1 : 0;
        j += order >= 0 ? 1 : 0;
    }
}

// Between two parts of a step only the speeds are kept with which shapes met: what touched before the step stays the
// list that its events are made from.
static void keep_struck(CairnStep *step, const Touching *now) {
    const CairnStore *store = step->store;
    CairnStepShare *share = step->share;
    CairnStruck *struck = CAIRN_STEP_PUSH(step, CairnStruck, now->count);
    int count = 0, i = 0;
    for (int j = 0; j < now->count && struck != NULL; j++) {
        while (i < store->touch_count && compare_touch(&store->touches[i], &now->touches[j]) < 0) {
            i++;
        }
        bool is_new = i == store->touch_count || compare_touch(&store->touches[i], &now->touches[j]) != 0;
        if (is_new && now->worst[j] != NULL) {
            struck[count++] = (CairnStruck){now->touches[j], meeting_speed(step, &now->touches[j], now->worst[j])};
        }
    }
    cairn_arena_release(&step->world->kept, share->before_struck); // the last part's are among these
    CairnStruck *kept = CAIRN_PUSH(&step->world->kept, CairnStruck, count > 0 ? count : 1);
    if (struck == NULL || kept == NULL) {
        step->status = cairn_error(CAIRN_OUT_OF_MEMORY, "step: no memory to keep %d events", count);
        return;
    }
    memcpy(kept, struck, (size_t)count * sizeof *struck);
    share->struck = kept;
    share->struck_count = count;
}

// ---- making room before anything is committed ----

// Records of contacts among sleeping bodies outlast the step: they are what it wakes with.
typedef struct Kept {
    CairnContactRecord *records;
    const double *held; // by each contact of this step
    CairnVec3 *spins;
    int count;
    bool has_spins; // these or those of this step
} Kept;

// The fraction of a manifold's normal impulses that did not stop an approach. For single points it would be noise: a
// body that lands flat while friction brakes it loads its front points more.
static double load_fraction(const double *lambda, const CairnStepContact *manifold) {
    double sum = 0, impact = 0;
    for (int i = 0; i < manifold->manifold_count; i++) {
        sum += lambda[manifold[i].row];
        impact += manifold[i].impact;
    }
    return impact < sum ? 1 - impact / sum : 0;
}

// What springs hold is made of what they held, which must not be gone by then.
static double *find_held(CairnStep *step, const CairnStepContacts *contacts, const CairnStepSystem *system,
                         const double *lambda) {
    double *held = CAIRN_STEP_PUSH(step, double, contacts->count), load = 1;
    for (int i = 0; i < contacts->count && !cairn_step_failed(step); i++) {
        const CairnStepContact *c = &contacts->all[i];
        load = c->manifold_index == 0 ? load_fraction(lambda, c) : load;
        held[i] = cairn_step_hold_load(step, c, system->compliance[c->row], load * lambda[c->row]);
    }
    return held;
}

static Kept store_records(CairnStep *step, const CairnStepContacts *contacts) {
    const CairnStore *store = step->store;
    Kept kept = {0};
    for (int r = 0; step->sleeping_count > 0 && r < store->contact_count; r++) {
        kept.count += cairn_step_is_kept(step, store->contacts[r].shape_a, store->contacts[r].shape_b) ? 1 : 0;
    }
    kept.records = CAIRN_STEP_PUSH(step, CairnContactRecord, kept.count);
    kept.spins = CAIRN_STEP_PUSH(step, CairnVec3, kept.count);
    for (int r = 0, n = 0; !cairn_step_failed(step) && n < kept.count; r++) {
        if (cairn_step_is_kept(step, store->contacts[r].shape_a, store->contacts[r].shape_b)) {
            kept.records[n] = store->contacts[r];
            kept.spins[n++] = cairn_store_spin(store, r);
        }
    }
    kept.has_spins = kept.count > 0 && store->spin_count > 0;
    for (int i = 0; i < contacts->count && !kept.has_spins; i++) {
        kept.has_spins = !cairn_step_has_frame(&contacts->all[i]);
    }
    return kept;
}

static bool reserve_all(const CairnStep *step, const CairnStepContacts *contacts, const Touching *now,
                        const Kept *kept) {
    const CairnAllocator *a = &step->world->allocator;
    CairnStore *store = step->store;
    CairnEventList need = {0};
    merge_events(step, contacts, now, &need, false);
    int records = contacts->count + kept->count, spins = kept->has_spins ? records : 0;
    // Some more touches than there are: their old list is copied where it grows.
    int touches =
        now->count <= store->touch_capacity || now->count > INT_MAX / 2 ? now->count : now->count + now->count / 16;
    // The records last: their old ones are gone where they grow, and until then the step may still fail.
    return cairn_memory_reserve(a, &store->touches, &store->touch_capacity, touches, sizeof(CairnTouchingPair)) &&
           cairn_events_reserve(&step->world->events, a, &need, store->body_pool.alive) &&
           cairn_memory_reserve(a, &store->spins, &store->spin_capacity, spins, sizeof(CairnVec3)) &&
           cairn_memory_renew(a, &store->contacts, &store->contact_capacity, records, sizeof(CairnContactRecord));
}

// ---- commit ----

static void add_energy(CairnStep *step, const CairnBody *body, CairnVec3 spin_momentum) {
    CairnStats *stats = &step->stats;
    CairnVec3 momentum = cairn_scale(body->model->mass, body->velocity);
    stats->kinetic_energy +=
        0.5 * (cairn_dot(momentum, body->velocity) + cairn_dot(spin_momentum, body->angular_velocity));
    stats->potential_energy -=
        body->model->mass * body->model->gravity_scale * cairn_dot(step->world->def.gravity, body->center);
    stats->momentum = cairn_add(stats->momentum, momentum);
    stats->angular_momentum = cairn_add(stats->angular_momentum, cairn_cross(body->center, momentum));
    stats->angular_momentum = cairn_add(stats->angular_momentum, spin_momentum);
}

static void record_move(CairnStep *step, int body, CairnVec3 center, CairnQuat q, bool fell_asleep) {
    CairnBody *b = &step->store->bodies[body];
    bool has_moved = memcmp(&b->center, &center, sizeof center) != 0 || memcmp(&b->q, &q, sizeof q) != 0;
    b->center = center;
    b->q = q;
    if (fell_asleep || has_moved) { // else what an earlier part of the step has brought stands
        b->news = fell_asleep ? CAIRN_NEWS_FELL_ASLEEP : CAIRN_NEWS_MOVED;
    }
}

static void commit_bodies(const Finishing *f) {
    CairnStep *step = f->step;
    const CairnStepParts *parts = f->parts;
    CairnStore *store = step->store;
    cairn_step_commit_waking(step);
    for (int i = 0; i < store->body_pool.count; i++) {
        if (!cairn_pool_is_alive(&store->body_pool, i)) {
            continue;
        }
        CairnBody *body = &store->bodies[i];
        body->news = step->share->index == 0 && !step->share->is_closing ? CAIRN_NEWS_NONE : body->news;
        body->part = parts->has_partition && step->block_of[i] >= 0 ? parts->parts.part[step->block_of[i]] : -1;
        if (step->block_of[i] >= 0) {
            const CairnStepEnd *end = &f->ends->all[step->block_of[i]];
            body->velocity = end->velocity;
            body->angular_velocity = end->spin;
            cairn_step_update_sleep(step, &f->rest, step->block_of[i]);
            record_move(step, i, end->center, end->q, cairn_body_sleeps(body));
            add_energy(step, body, end->momentum);
        } else if (body->type == CAIRN_BODY_KINEMATIC) {
            CairnTransform pose = cairn_step_kinematic_pose(step, body);
            record_move(step, i, pose.p, pose.q, false);
        }
        if (cairn_body_sleeps(body)) {
            step->stats.sleeping_bodies += 1;
        }
        if (step->block_of[i] < 0 && body->type == CAIRN_BODY_DYNAMIC) { // asleep: only its height counts
            add_energy(step, body, (CairnVec3){0, 0, 0});
        }
    }
    store->push_count = cairn_step_is_last(step) ? 0 : store->push_count; // they act in all parts of a step
}

static CairnVec3 spin_of(const CairnVec3 *rolls, const CairnStepContact *c, const double *l) {
    if (c->row_count < 4) {
        return (CairnVec3){0, 0, 0};
    }
    CairnVec3 spin = cairn_scale(l[3], c->frame.normal);
    if (c->row_count == 6) {
        CairnVec3 roll = rolls[c->roll], across = cairn_cross(c->frame.normal, roll);
        spin = cairn_add_scaled(cairn_add_scaled(spin, l[4], roll), l[5], across);
    }
    return spin;
}

// The position of the contact point at the start of the step. A point that was met during the step is given on a body
// that moves freely, A where both do: that is where its impulse acts.
static CairnVec3 point_of(const CairnStep *step, const CairnStepContact *c) {
    bool is_on_b = cairn_step_block(step, c->body_a) < 0 && cairn_step_block(step, c->body_b) >= 0;
    return cairn_add(step->store->bodies[is_on_b ? c->body_b : c->body_a].center, c->frame.arm[is_on_b ? 1 : 0]);
}

// Before the bodies are where they go.
static void commit_contacts(CairnStep *step, const CairnStepContacts *contacts, const double *lambda,
                            const Kept *kept) {
    CairnStore *store = step->store;
    double load = 1;
    for (int i = 0; i < contacts->count; i++) {
        const CairnStepContact *c = &contacts->all[i];
        load = c->manifold_index == 0 ? load_fraction(lambda, c) : load;
        const double *l = lambda + c->row;
        bool has_friction = c->row_count >= 3;
        store->contacts[i] = (CairnContactRecord){.id = c->id,
                                                  .shape_a = c->shape_a,
                                                  .shape_b = c->shape_b,
                                                  .generation_a = store->shape_pool.slots[c->shape_a].generation,
                                                  .generation_b = store->shape_pool.slots[c->shape_b].generation,
                                                  .point = point_of(step, c),
                                                  .normal = c->frame.normal,
                                                  .tangent_1 = c->frame.tangent,
                                                  .distance = c->distance,
                                                  .normal_impulse = l[0],
                                                  .load = load * l[0],
                                                  .held = kept->held[i],
                                                  .tangents = {has_friction ? l[1] : 0, has_friction ? l[2] : 0}};
        if (kept->has_spins) {
            store->spins[i] = cairn_scale(step->world->def.typical_length, spin_of(contacts->rolls, c, l));
        }
    }
    for (int r = 0; r < kept->count; r++) {
        store->contacts[contacts->count + r] = kept->records[r];
        if (kept->has_spins) {
            store->spins[contacts->count + r] = kept->spins[r];
        }
    }
    store->contact_count = contacts->count + kept->count;
    store->spin_count = kept->has_spins ? store->contact_count : 0;
    step->world->has_ordered_records = kept->count == 0;
}

static bool is_sleeping_joint(const CairnStore *store, int joint) {
    const int *bodies = store->joints[joint].bodies;
    return cairn_pool_is_alive(&store->joint_pool, joint) &&
           ((bodies[0] >= 0 && cairn_body_sleeps(&store->bodies[bodies[0]])) ||
            (bodies[1] >= 0 && cairn_body_sleeps(&store->bodies[bodies[1]])));
}

static void commit_joints(CairnStep *step, const CairnStepJoints *joints, const double *lambda) {
    CairnStore *store = step->store;
    for (int j = 0; j < store->joint_pool.count; j++) {
        if (!is_sleeping_joint(store, j)) {
            store->joints[j].row_count = 0; // joints without rows in this step exert no force
        }
    }
    for (int j = 0; j < joints->count; j++) {
        const CairnStepJoint *sj = &joints->all[j];
        CairnJoint *joint = &store->joints[sj->joint];
        joint->row_count = sj->row_count;
        double room[CAIRN_JOINT_MAX_ROWS];
        const double *impulses = cairn_step_joint_impulses(step, sj, lambda, room);
        memcpy(joint->lambda, impulses, (size_t)sj->row_count * sizeof *impulses);
    }
    for (int j = 0; j < store->joint_pool.count; j++) {
        if (cairn_pool_is_alive(&store->joint_pool, j)) {
            CairnJointInput input;
            double linear, angular;
            cairn_world_joint_pose(store, j, step->h, &input);
            cairn_joint_advance(&store->joints[j].core, &input, &linear, &angular);
            step->stats.joint_error_linear = fmax(step->stats.joint_error_linear, linear);
            step->stats.joint_error_angular = fmax(step->stats.joint_error_angular, angular);
        }
    }
}

// ---- statistics ----

static void fill_stats(const Finishing *f) {
    CairnStats *stats = &f->step->stats;
    const CairnStore *store = f->step->store;
    stats->bodies = store->body_pool.alive;
    stats->dynamic_bodies = f->step->block_count;
    stats->shapes = store->shape_pool.alive;
    stats->joints = store->joint_pool.alive;
    stats->dofs = f->system->problem.dof_count;
    stats->rows = f->system->problem.row_count;
    stats->parts = f->parts->parts.count;
    for (int i = 0; i < f->contacts->count; i++) {
        stats->penetration = fmax(stats->penetration, -f->contacts->all[i].distance);
    }
    stats->step_index = store->step_index;
    stats->time = store->time;
    stats->arena_bytes = f->step->arena->peak;
    stats->allocations = f->step->world->counter.calls;
}

// ---- the stage ----

// The problem can be read until the next step.
static void show_problem(const Finishing *f) {
    CairnWorld *world = f->step->world;
    world->problem = f->system->problem;
    world->lambda = f->answer->lambda;
    world->part_seconds = f->parts->seconds;
    world->part_count = f->parts->parts.count;
    world->has_problem = true;
}

static void commit_events(const Finishing *f, const Touching *now) {
    CairnWorld *world = f->step->world;
    CairnStore *store = f->step->store;
    cairn_events_clear(&world->events);
    merge_events(f->step, f->contacts, now, &world->events, true);
    cairn_events_trim(&world->events, &world->allocator);
    world->events.has_moved = true;
    for (int t = 0; t < now->count; t++) {
        store->touches[t] = now->touches[t];
    }
    store->touch_count = now->count;
}

static void commit(const Finishing *f, const Touching *now, const Kept *kept) {
    CairnStep *step = f->step;
    CairnStore *store = step->store;
    bool is_last = cairn_step_is_last(step);
    if (is_last) {
        commit_events(f, now);
    }
    commit_contacts(step, f->contacts, f->answer->lambda, kept);
    commit_bodies(f);
    step->world->pose_changes += 1;
    commit_joints(step, &f->system->joints, f->answer->lambda);
    store->last_h = step->kick;
    store->time += is_last ? step->share->whole : 0;
    store->step_index += is_last ? 1 : 0;
}

void cairn_step_finish(CairnStep *step, const CairnStepContacts *contacts, const CairnStepSystem *system,
                       const CairnStepParts *parts, const CairnStepAnswer *answer, const CairnStepEnds *ends) {
    if (cairn_step_failed(step)) {
        return;
    }
    double t0 = cairn_timer_now();
    Finishing f = {step, contacts, system, parts, answer, ends, {0}};
    Touching now = find_touching(step, contacts, answer->lambda);
    Kept kept = store_records(step, contacts);
    kept.held = find_held(step, contacts, system, answer->lambda);
    cairn_step_find_rest(step, contacts, &system->joints, answer->lambda, ends, &f.rest);
    if (cairn_step_failed(step)) {
        return;
    }
    if (!cairn_step_is_last(step)) {
        keep_struck(step, &now);
    }
    if (!cairn_step_failed(step) && !reserve_all(step, contacts, &now, &kept)) {
        step->status = cairn_error(CAIRN_OUT_OF_MEMORY, "step: no memory to keep %d contacts", contacts->count);
    }
    if (cairn_step_failed(step)) {
        return;
    }
    commit(&f, &now, &kept);
    show_problem(&f);
    fill_stats(&f);
    step->stats.times.finish = cairn_timer_now() - t0;
    step->stats.times.step = cairn_timer_now() - step->began;
}
