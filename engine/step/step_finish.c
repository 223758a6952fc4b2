// Finish: the referee, then everything that the step made is committed at once; events and statistics.
#include "engine/base/memory.h"
#include "engine/base/timer.h"
#include "engine/sleep.h"
#include "engine/step/step.h"
#include "solvers/referee/residual.h"
#include <limits.h>
#include <string.h>

// ---- touching pairs and events ----

static double impulse_of(const CairnStep *step, const CairnStepContact *c) {
    return step->lambda[c->row];
}

static bool same_pair(const CairnStepContact *a, const CairnStepContact *b) {
    return a->shape_a == b->shape_a && a->shape_b == b->shape_b;
}

// One entry a shape pair that touches: overlap, or an impulse that says that the gap was closed. Sorted, as the contacts are.
typedef struct Touching {
    CairnTouch *touches;
    const CairnStepContact **worst; // the contact of each with the fastest approach
    int count;
} Touching;

static int compare_id(CairnShapeId a, CairnShapeId b) {
    if (a.index != b.index) {
        return a.index < b.index ? -1 : 1;
    }
    return a.generation == b.generation ? 0 : a.generation < b.generation ? -1 : 1;
}

static int compare_touch(const CairnTouch *a, const CairnTouch *b) {
    int order = compare_id(a->a, b->a);
    return order != 0 ? order : compare_id(a->b, b->b);
}

static CairnTouch touch_of(const CairnStep *step, const CairnStepContact *c) {
    return (CairnTouch){cairn_world_shape_id(step->world, c->shape_a), cairn_world_shape_id(step->world, c->shape_b)};
}

// The touches of last step that lie among sleeping bodies and come before `limit` (NULL: all that are left).
static void keep_touches(const CairnStep *step, Touching *t, int *next, const CairnTouch *limit) {
    const CairnStore *store = step->store;
    for (; *next < store->touch_count; *next += 1) {
        const CairnTouch *old = &store->touches[*next];
        if (limit != NULL && compare_touch(old, limit) >= 0) {
            return;
        }
        if (cairn_step_is_kept(step, (int)old->a.index - 1, (int)old->b.index - 1)) {
            t->worst[t->count] = NULL;
            t->touches[t->count++] = *old;
        }
    }
}

static Touching find_touching(CairnStep *step) {
    int most = step->contact_count + step->store->touch_count, next = 0;
    Touching t = {CAIRN_STEP_PUSH(step, CairnTouch, most), CAIRN_STEP_PUSH(step, const CairnStepContact *, most), 0};
    for (int i = 0; i < step->contact_count && !cairn_step_failed(step);) {
        const CairnStepContact *first = &step->contacts[i], *worst = first;
        bool is_touching = false;
        for (; i < step->contact_count && same_pair(first, &step->contacts[i]); i++) {
            const CairnStepContact *c = &step->contacts[i];
            is_touching = is_touching || c->distance < 0 || impulse_of(step, c) > 0;
            worst = c->approach < worst->approach ? c : worst;
        }
        if (is_touching) {
            CairnTouch touch = touch_of(step, first);
            keep_touches(step, &t, &next, &touch);
            t.worst[t.count] = worst;
            t.touches[t.count++] = touch;
        }
    }
    if (!cairn_step_failed(step)) {
        keep_touches(step, &t, &next, NULL);
    }
    return t;
}

// Merge last step's list and this one's: what is only old ended, what is only new began. With `write` false it only counts.
static void merge_events(const CairnStep *step, const Touching *now, CairnEventList *events, bool write) {
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
            double speed = fmax(-c->approach, 0);
            if (write) { // the contact's record will stand where it does
                events->begun[events->begun_count] = (CairnBegun){speed, j, (int)(c - step->contacts)};
            }
            events->begun_count += 1;
            events->hit_count += speed >= events->hit_threshold ? 1 : 0;
        }
        i += order <= 0 ? 1 : 0;
        j += order >= 0 ? 1 : 0;
    }
}

// ---- making room before anything is committed ----

// Records of contacts among sleeping bodies outlast the step: they are what it wakes with.
typedef struct Kept {
    CairnContactRecord *records;
    CairnVec3 *spins;
    int count;
    bool has_spins; // these or those of this step
} Kept;

static Kept keep_records(CairnStep *step) {
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
    for (int i = 0; i < step->contact_count && !kept.has_spins; i++) {
        kept.has_spins = !cairn_step_has_frame(&step->contacts[i]);
    }
    return kept;
}

static bool reserve_all(CairnStep *step, const Touching *now, const Kept *kept) {
    const CairnAllocator *a = &step->world->allocator;
    CairnStore *store = step->store;
    CairnEventList need = {0};
    merge_events(step, now, &need, false);
    int records = step->contact_count + kept->count, spins = kept->has_spins ? records : 0;
    // Some more touches than there are: their old list is copied where it grows.
    int touches =
        now->count <= store->touch_capacity || now->count > INT_MAX / 2 ? now->count : now->count + now->count / 16;
    // The records last: their old ones are gone where they grow, and until then the step may still fail.
    return cairn_memory_reserve(a, &store->touches, &store->touch_capacity, touches, sizeof(CairnTouch)) &&
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

static void tell_moved(CairnStep *step, int body, CairnVec3 center, CairnQuat q, bool fell_asleep) {
    CairnBody *b = &step->store->bodies[body];
    bool has_moved = memcmp(&b->center, &center, sizeof center) != 0 || memcmp(&b->q, &q, sizeof q) != 0;
    b->center = center;
    b->q = q;
    b->news = fell_asleep ? CAIRN_NEWS_FELL_ASLEEP : has_moved ? CAIRN_NEWS_MOVED : CAIRN_NEWS_NONE;
}

static void commit_bodies(CairnStep *step) {
    CairnStore *store = step->store;
    cairn_step_keep_waking(step);
    for (int i = 0; i < store->body_pool.count; i++) {
        if (!cairn_pool_is_alive(&store->body_pool, i)) {
            continue;
        }
        CairnBody *body = &store->bodies[i];
        body->news = CAIRN_NEWS_NONE;
        body->part = step->has_partition && step->block_of[i] >= 0 ? step->parts.part[step->block_of[i]] : -1;
        if (step->block_of[i] >= 0) {
            const CairnStepEnd *end = &step->ends[step->block_of[i]];
            body->velocity = end->velocity;
            body->angular_velocity = end->spin;
            cairn_step_settle(step, step->block_of[i]);
            tell_moved(step, i, end->center, end->q, cairn_body_sleeps(body));
            add_energy(step, body, end->momentum);
        } else if (body->type == CAIRN_KINEMATIC) {
            CairnTransform pose = cairn_step_kinematic_pose(step, body);
            tell_moved(step, i, pose.p, pose.q, false);
        }
        if (cairn_body_sleeps(body)) {
            step->stats.sleeping_bodies += 1;
        }
        if (step->block_of[i] < 0 && body->type == CAIRN_DYNAMIC) { // asleep: only its height counts
            add_energy(step, body, (CairnVec3){0, 0, 0});
        }
    }
    store->push_count = 0;
}

// The share of a manifold's normal impulses that was no impact. Point by point it would be noise: a body that lands flat and is
// braked leans on its front.
static double load_share(const CairnStep *step, const CairnStepContact *manifold) {
    double sum = 0, impact = 0;
    for (int i = 0; i < manifold->manifold_count; i++) {
        sum += impulse_of(step, &manifold[i]);
        impact += manifold[i].impact;
    }
    return impact < sum ? 1 - impact / sum : 0;
}

static CairnVec3 spin_of(const CairnStep *step, const CairnStepContact *c, const double *l) {
    if (c->row_count < 4) {
        return (CairnVec3){0, 0, 0};
    }
    CairnVec3 spin = cairn_scale(l[3], c->frame.normal);
    if (c->row_count == 6) {
        CairnVec3 roll = step->rolls[c->roll], across = cairn_cross(c->frame.normal, roll);
        spin = cairn_add_scaled(cairn_add_scaled(spin, l[4], roll), l[5], across);
    }
    return spin;
}

// Where it was when the step began; what was met on the way, where that is on a body that does not move, or else on A.
static CairnVec3 point_of(const CairnStep *step, const CairnStepContact *c) {
    bool is_on_b = cairn_step_block(step, c->body_a) >= 0 && cairn_step_block(step, c->body_b) < 0;
    return cairn_add(step->store->bodies[is_on_b ? c->body_b : c->body_a].center, c->frame.arm[is_on_b ? 1 : 0]);
}

// Before the bodies are where they go.
static void commit_contacts(CairnStep *step, const Kept *kept) {
    CairnStore *store = step->store;
    double load = 1;
    for (int i = 0; i < step->contact_count; i++) {
        const CairnStepContact *c = &step->contacts[i];
        load = c->manifold_place == 0 ? load_share(step, c) : load;
        const double *l = step->lambda + c->row;
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
                                                  .tangents = {has_friction ? l[1] : 0, has_friction ? l[2] : 0}};
        if (kept->has_spins) {
            store->spins[i] = spin_of(step, c, l);
        }
    }
    for (int r = 0; r < kept->count; r++) {
        store->contacts[step->contact_count + r] = kept->records[r];
        if (kept->has_spins) {
            store->spins[step->contact_count + r] = kept->spins[r];
        }
    }
    store->contact_count = step->contact_count + kept->count;
    store->spin_count = kept->has_spins ? store->contact_count : 0;
    step->world->has_ordered_records = kept->count == 0;
}

static bool is_sleeping_joint(const CairnStore *store, int joint) {
    const int *bodies = store->joints[joint].bodies;
    return cairn_pool_is_alive(&store->joint_pool, joint) &&
           ((bodies[0] >= 0 && cairn_body_sleeps(&store->bodies[bodies[0]])) ||
            (bodies[1] >= 0 && cairn_body_sleeps(&store->bodies[bodies[1]])));
}

static void commit_joints(CairnStep *step) {
    CairnStore *store = step->store;
    for (int j = 0; j < store->joint_pool.count; j++) {
        if (!is_sleeping_joint(store, j)) {
            store->joints[j].row_count = 0; // joints that held nothing in this step exert no force
        }
    }
    for (int j = 0; j < step->joint_count; j++) {
        CairnJoint *joint = &store->joints[step->joints[j].joint];
        joint->row_count = step->joints[j].row_count;
        memcpy(joint->lambda, step->lambda + step->joints[j].row, (size_t)joint->row_count * sizeof(double));
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

static void fill_stats(CairnStep *step) {
    CairnStats *stats = &step->stats;
    const CairnStore *store = step->store;
    stats->bodies = store->body_pool.alive;
    stats->dynamic_bodies = step->block_count;
    stats->shapes = store->shape_pool.alive;
    stats->joints = store->joint_pool.alive;
    stats->dofs = step->problem.dof_count;
    stats->rows = step->problem.row_count;
    stats->parts = step->parts.count;
    for (int i = 0; i < step->contact_count; i++) {
        stats->penetration = fmax(stats->penetration, -step->contacts[i].distance);
    }
    stats->step_index = store->step_index;
    stats->time = store->time;
    stats->arena_bytes = step->arena->peak;
    stats->allocations = step->world->counter.calls;
}

CairnStatus cairn_step_finish(CairnStep *step, CairnStats *stats) {
    if (cairn_step_failed(step)) {
        return step->status;
    }
    double t0 = cairn_timer_now();
    CAIRN_TRY(cairn_residual_by(&step->problem, step->lambda, step->threads, step->arena, &step->stats.residual));
    double t1 = cairn_timer_now();
    step->stats.times.referee = t1 - t0;
    Touching now = find_touching(step);
    Kept kept = keep_records(step);
    cairn_step_find_rest(step);
    if (cairn_step_failed(step)) {
        return step->status;
    }
    if (!reserve_all(step, &now, &kept)) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "step: no memory to keep %d contacts", step->contact_count);
    }
    cairn_events_clear(&step->world->events);
    merge_events(step, &now, &step->world->events, true);
    cairn_events_trim(&step->world->events, &step->world->allocator);
    step->world->events.has_moved = true;
    commit_contacts(step, &kept);
    commit_bodies(step);
    step->world->pose_changes += 1;
    commit_joints(step);
    CairnStore *store = step->store;
    for (int t = 0; t < now.count; t++) {
        store->touches[t] = now.touches[t];
    }
    store->touch_count = now.count;
    store->last_h = step->h;
    store->time += step->h;
    store->step_index += 1;
    step->world->problem = step->problem;
    step->world->lambda = step->lambda;
    step->world->part_seconds = step->part_seconds;
    step->world->part_count = step->parts.count;
    step->world->has_problem = true;
    fill_stats(step);
    step->stats.times.finish = cairn_timer_now() - t1;
    step->stats.times.step = cairn_timer_now() - step->began;
    if (stats != NULL) {
        *stats = step->stats;
    }
    return cairn_ok();
}
