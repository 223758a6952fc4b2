// Predict contacts: those that the solved velocities lead to. Contacts were found for the motion without constraints;
// but a body that is struck within the step moves elsewhere, and what it meets there has no row: it would sink in by
// its whole motion in the step. So the poses at the end of the step are computed before anything moves. Where a pair
// would overlap more than its rows allow, it gets a contact with the normal, the point and the arms at that pose. If
// the solved velocities u take a point to a gap of g at the time t, then velocities v take it to
//     g - t n . J u + h n . J v
// at the end, to first order. That must not be negative: a row n . J v + d >= 0 with h d = g - t n . J u; and the step
// is solved again, starting from its impulses. This is one step of sequential linearisation. The time t is the end of
// the step; where the overlap would then be so deep that its normal is no longer that of the first contact, it is an
// earlier time.
//
// The contacts of bodies that move as without constraints have been found already (sweep): only pairs are tested of
// which a body was deflected, or turns so fast that its rows, which are linear, differ from the arc.
#include "collision/convex/core.h"
#include "collision/convex/sweep.h"
#include "engine/base/hash.h"
#include "engine/base/pieces.h"
#include "engine/base/timer.h"
#include "engine/step/step.h"
#include <stdlib.h>
#include <string.h>

// Once one pair overlaps by more than is tolerated (contact_stray times the margin), every pair that overlaps by more
// than this fraction of it gets a row.
static const double notable = 0.2;
// An overlap up to this fraction of the largest ball inside the shape is shallow.
static const double shallow = 0.2;

typedef struct Prediction {
    CairnStep *step;
    const CairnStepContacts *contacts;
    const double *velocity; // that was solved for
    CairnStepBoxes boxes;
    double *stray;        // of each shape: how far a point of it may end from where its rows took it to be
    CairnMotion *motions; // of each shape, as it was solved for
    CairnTransform *ends; // of each shape at the end of that motion
    CairnPair *pairs;     // to be tested, sorted
    double *overlap;      // of each of them: beyond what its rows allow
    int pair_count;
    CairnStepContact *added;
    int added_count, added_capacity;
    int escaped;  // a shape that leaves its box of the broad phase; the number of shapes: none does
    double least; // the least overlap that gets a row
} Prediction;

static CairnVec3 velocity_at(CairnVec6 v, CairnVec3 arm) {
    return cairn_add(v.linear, cairn_cross(v.angular, arm));
}

// ---- which pairs ----

// Sets the motion of a shape and its deviation from the predicted one. True: it may leave the box that the broad phase
// used.
static bool look_at_shape(const Prediction *f, int s, double enough) {
    const CairnStep *step = f->step;
    f->stray[s] = 0;
    if (!cairn_pool_is_alive(&step->store->shape_pool, s)) {
        return false;
    }
    const CairnShape *shape = &step->store->shapes[s];
    const CairnBody *body = &step->store->bodies[shape->body];
    CairnVec6 v = cairn_step_solved(step, f->velocity, shape->body);
    f->motions[s] = (CairnMotion){.pose = cairn_shape_pose(body, shape),
                                  .center = body->center,
                                  .linear = v.linear,
                                  .angular = v.angular,
                                  .until = step->h};
    int block = step->block_of[shape->body];
    if (block < 0 || !body->is_continuous) {
        return false;
    }
    if (cairn_step_first_turn(step, block, v.angular).count > 1) { // none of its pairs counts
        f->stray[s] = -HUGE_VAL;
        return false;
    }
    CairnVec6 free = step->blocks[block].free;
    double h = step->h, change = h * cairn_length(cairn_sub(v.linear, free.linear));
    double turn = h * cairn_length(v.angular), turned = h * cairn_length(cairn_sub(v.angular, free.angular));
    if (turn > 0 || turned > 0) {
        double reach = shape->reach;
        change += turned * reach;
        f->stray[s] = 0.5 * turn * turn * reach;
    }
    f->stray[s] += change;
    return change > enough;
}

static bool is_within(const CairnAabb *a, const CairnAabb *b) {
    return b->low.x <= a->low.x && a->high.x <= b->high.x && b->low.y <= a->low.y && a->high.y <= b->high.y &&
           b->low.z <= a->low.z && a->high.z <= b->high.z;
}

// The pairs that the broad phase did not find, since one of their shapes ends outside of its box.
static void find_escaped(Prediction *f, const CairnPair **pairs, int *count) {
    CairnStep *step = f->step;
    int shapes = step->store->shape_pool.count, escaped = 0, tests;
    CairnAabb *boxes = CAIRN_STEP_PUSH(step, CairnAabb, shapes);
    uint8_t *kinds = CAIRN_STEP_PUSH(step, uint8_t, shapes);
    if (cairn_step_failed(step)) {
        return;
    }
    for (int s = 0; s < shapes; s++) {
        kinds[s] = CAIRN_BOX_ABSENT;
        boxes[s] = f->boxes.boxes[s];
        if (f->boxes.kinds[s] != CAIRN_BOX_ABSENT) {
            kinds[s] = CAIRN_BOX_FIXED;
            boxes[s] = cairn_geometry_box(&step->store->shapes[s].model->geometry, f->ends[s]);
            if (f->stray[s] > 0 && !is_within(&boxes[s], &f->boxes.boxes[s])) {
                kinds[s] = CAIRN_BOX_MOVING;
                escaped += 1;
            }
        }
    }
    CairnPair *found = NULL;
    if (escaped > 0) {
        step->status = cairn_broad_pairs(&step->world->broad_ahead, boxes, kinds, f->boxes.owners, shapes,
                                         step->threads, step->arena, &found, count, &tests);
    }
    int kept = 0;
    for (int p = 0; p < *count && !cairn_step_failed(step); p++) {
        if (!cairn_aabbs_meet(&f->boxes.boxes[found[p].a], &f->boxes.boxes[found[p].b])) {
            found[kept++] = found[p];
        }
    }
    *pairs = found;
    *count = kept;
}

static bool may_overlap(const Prediction *f, CairnPair pair, double least) {
    const CairnStep *step = f->step;
    if (!(f->stray[pair.a] + f->stray[pair.b] > least)) {
        return false;
    }
    CairnStepSide a = cairn_step_filters(step->store, pair.a), b = cairn_step_filters(step->store, pair.b);
    return cairn_step_may_touch(step->store, &a, &b);
}

static void look_at_shapes(void *context, int first, int end) {
    Prediction *f = context;
    double enough = 0.5 * f->step->world->def.contact_margin;
    int escaped = f->step->store->shape_pool.count;
    for (int s = first; s < end; s++) {
        escaped = look_at_shape(f, s, enough) ? s : escaped;
    }
    cairn_spans_min(&f->escaped, escaped);
}

static void follow_shapes(void *context, int first, int end) {
    const Prediction *f = context;
    for (int s = first; s < end; s++) { // many pairs use each of them
        if (f->boxes.kinds[s] != CAIRN_BOX_ABSENT) {
            f->ends[s] = cairn_motion_pose(&f->motions[s], f->step->h);
        }
    }
}

static void find_pairs(Prediction *f) {
    CairnStep *step = f->step;
    int shapes = step->store->shape_pool.count, far_count = 0, strays = 0;
    double margin = step->world->def.contact_margin, least = step->world->def.contact_stray * margin, most = 0;
    f->escaped = shapes;
    f->stray = CAIRN_STEP_PUSH(step, double, shapes);
    f->motions = CAIRN_STEP_PUSH(step, CairnMotion, shapes);
    if (cairn_step_failed(step)) {
        return;
    }
    cairn_spans_run(step->threads, shapes, 512, look_at_shapes, f);
    for (int s = 0; s < shapes; s++) {
        most = cairn_max(most, f->stray[s]);
    }
    if (2 * most <= least) { // no body was deflected
        return;
    }
    f->ends = CAIRN_STEP_PUSH(step, CairnTransform, shapes);
    cairn_step_make_boxes(step, false, &f->boxes);
    if (cairn_step_failed(step)) {
        return;
    }
    cairn_spans_run(step->threads, shapes, 512, follow_shapes, f);
    const CairnPair *far = NULL;
    if (f->escaped < shapes) {
        find_escaped(f, &far, &far_count);
    }
    const CairnStepPairs *near = &f->contacts->pairs;
    f->pairs = CAIRN_STEP_PUSH(step, CairnPair, near->count + far_count);
    if (cairn_step_failed(step)) {
        return;
    }
    for (int p = 0, q = 0, a = 0; p < near->count || q < far_count;) {
        while (p < near->count && p >= near->starts[a + 1]) {
            a++;
        }
        CairnPair pair = {a, p < near->count ? near->seconds[p] : 0};
        bool is_far = p == near->count || (q < far_count && cairn_pair_compare(far[q], pair) < 0);
        pair = is_far ? far[q++] : pair;
        p += is_far ? 0 : 1;
        if (may_overlap(f, pair, least)) {
            f->pairs[strays++] = pair;
        }
    }
    f->pair_count = strays;
}

// ---- what they meet ----

// Where the pair's contacts begin, if it has some.
static int first_contact(const CairnStepContacts *contacts, CairnPair pair) {
    int low = 0, high = contacts->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        CairnPair other = {contacts->all[middle].shape_a, contacts->all[middle].shape_b};
        if (cairn_pair_compare(other, pair) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool is_of_pair(const CairnStepContacts *contacts, int contact, CairnPair pair) {
    return contact < contacts->count && contacts->all[contact].shape_a == pair.a &&
           contacts->all[contact].shape_b == pair.b;
}

// The gap of the pair at the end of the step according to its rows: an overlap that they tolerate (or that the solver
// did not remove) is expected.
static double expected_gap(const Prediction *f, CairnPair pair, int first) {
    const CairnStep *step = f->step;
    double least = 0;
    for (int i = first; is_of_pair(f->contacts, i, pair); i++) {
        const CairnStepContact *c = &f->contacts->all[i];
        CairnVec3 slip = cairn_sub(velocity_at(cairn_step_solved(step, f->velocity, c->body_b), c->frame.arm[1]),
                                   velocity_at(cairn_step_solved(step, f->velocity, c->body_a), c->frame.arm[0]));
        double start = cairn_min(c->distance, 0), end = c->distance + step->h * cairn_dot(c->frame.normal, slip);
        least = cairn_min(least, cairn_min(start, end));
    }
    return least;
}

// A quick test whether a pair ends no more than `least` deeper than its rows allow. The gap of two convex shapes along
// any direction is a lower bound of their distance, and the nearer the direction is to the normal of an overlap, the
// nearer is the bound to its depth: the normal of their rows is used, if they have any. Most pairs are excluded without
// contact points.
static bool ends_well(const Prediction *f, CairnPair pair, int first, double expected, double least) {
    const CairnStep *step = f->step;
    const CairnGeometry *a = &step->store->shapes[pair.a].model->geometry,
                        *b = &step->store->shapes[pair.b].model->geometry;
    if (!cairn_geometry_is_convex(a) || !cairn_geometry_is_convex(b)) {
        return false;
    }
    CairnTransform at_a = f->ends[pair.a], at_b = f->ends[pair.b];
    CairnVec3 between = cairn_sub(at_b.p, at_a.p);
    bool has_rows = is_of_pair(f->contacts, first, pair);
    if (!has_rows && !(cairn_length_squared(between) > 0)) {
        return false;
    }
    CairnVec3 normal = has_rows ? f->contacts->all[first].frame.normal : cairn_normalize(between);
    CairnVec3 from = cairn_geometry_support(a, at_a, normal);
    CairnVec3 to = cairn_geometry_support(b, at_b, cairn_neg(normal));
    return expected - cairn_dot(normal, cairn_sub(to, from)) <= least;
}

// The manifolds of a pair at some time of the step.
typedef struct Meeting {
    double time, depth; // of the deepest point: its distance
    int count;
    CairnManifold manifolds[CAIRN_MANIFOLDS];
} Meeting;

static CairnTransform pose_at(const Prediction *f, int shape, double time) {
    return time == f->step->h ? f->ends[shape] : cairn_motion_pose(&f->motions[shape], time);
}

static void meet(const Prediction *f, CairnPair pair, double time, Meeting *m) {
    const CairnShape *shapes = f->step->store->shapes;
    m->time = time;
    m->depth = HUGE_VAL;
    m->count = cairn_narrow_manifolds(&shapes[pair.a].model->geometry, pose_at(f, pair.a, time),
                                      &shapes[pair.b].model->geometry, pose_at(f, pair.b, time), 0, m->manifolds);
    for (int n = 0; n < m->count; n++) {
        for (int k = 0; k < m->manifolds[n].count; k++) {
            m->depth = cairn_min(m->depth, m->manifolds[n].points[k].distance);
        }
    }
}

// By how much the pair ends deeper than its rows allow; 0 where that is no more than `least`.
static double find_overlap(const Prediction *f, CairnPair pair, double least) {
    int first = first_contact(f->contacts, pair);
    double expected = expected_gap(f, pair, first);
    if (ends_well(f, pair, first, expected, least)) {
        return 0;
    }
    Meeting m;
    meet(f, pair, f->step->h, &m);
    return m.depth < 0 ? expected - m.depth : 0;
}

static double shallow_depth(const Prediction *f, CairnPair pair) {
    double least = HUGE_VAL;
    for (int k = 0; k < 2; k++) {
        int s = k == 0 ? pair.a : pair.b;
        const CairnGeometry *shape = &f->step->store->shapes[s].model->geometry;
        if (cairn_geometry_is_convex(shape)) {
            least = cairn_min(least, shallow * cairn_inner_radius(shape));
        }
    }
    return least;
}

// Bisects from a deep overlap to an earlier time at which the pair is more than `least`, but at most `least` + `far`
// deeper than `depth`.
static void go_back(const Prediction *f, CairnPair pair, double depth, double least, double far, Meeting *m) {
    double low = 0, high = m->time;
    for (int k = 0; k < 12 && m->depth < depth - least - far; k++) {
        Meeting middle;
        meet(f, pair, 0.5 * (low + high), &middle);
        if (middle.depth < depth - least) {
            high = middle.time;
            *m = middle;
        } else {
            low = middle.time;
        }
    }
}

static bool is_known(const Prediction *f, CairnPair pair, uint64_t id) {
    for (int i = first_contact(f->contacts, pair); is_of_pair(f->contacts, i, pair); i++) {
        if (f->contacts->all[i].id == id) {
            return true;
        }
    }
    for (int i = f->added_count; i > 0 && f->added[i - 1].shape_a == pair.a && f->added[i - 1].shape_b == pair.b; i--) {
        if (f->added[i - 1].id == id) {
            return true;
        }
    }
    return false;
}

static bool grow(Prediction *f) {
    if (f->added_count < f->added_capacity) {
        return true;
    }
    int capacity = 2 * f->added_capacity + 64;
    CairnStepContact *larger = CAIRN_STEP_PUSH(f->step, CairnStepContact, capacity);
    if (larger == NULL) {
        return false;
    }
    if (f->added_count > 0) {
        memcpy(larger, f->added, (size_t)f->added_count * sizeof *larger);
    }
    f->added = larger;
    f->added_capacity = capacity;
    return true;
}

// The contact of a point of the manifold at that time; false where the points do not approach, or where they bounce in
// the next step.
static bool make_contact(const Prediction *f, CairnPair pair, double time, const CairnManifold *manifold, int k,
                         double depth, CairnStepContact *c) {
    const CairnStep *step = f->step;
    const CairnManifoldPoint *point = &manifold->points[k];
    const CairnMotion *a = &f->motions[pair.a], *b = &f->motions[pair.b];
    *c = cairn_step_new_contact(step, pair, (uint64_t)manifold->patch << 32 | point->feature);
    while (is_known(f, pair, c->id)) {
        c->id = cairn_hash_combine(c->id, 1);
    }
    c->frame.normal = manifold->normal;
    c->frame.arm[0] = cairn_sub(point->point, cairn_add_scaled(a->center, time, a->linear));
    c->frame.arm[1] = cairn_sub(point->point, cairn_add_scaled(b->center, time, b->linear));
    CairnVec6 va = cairn_step_solved(step, f->velocity, c->body_a),
              vb = cairn_step_solved(step, f->velocity, c->body_b);
    double closing =
        -cairn_dot(c->frame.normal, cairn_sub(velocity_at(vb, c->frame.arm[1]), velocity_at(va, c->frame.arm[0])));
    CairnVec6 wa = cairn_step_start(step, c->body_a), wb = cairn_step_start(step, c->body_b);
    c->approach =
        cairn_dot(c->frame.normal, cairn_sub(velocity_at(wb, c->frame.arm[1]), velocity_at(wa, c->frame.arm[0])));
    c->distance = cairn_max(point->distance - depth + time * closing,
                            0); // a point that is too deep is stopped, but not pushed out
    c->is_predicted = true;
    bool bounces = cairn_step_material(step, c).restitution > 0 && closing > step->world->def.restitution_threshold;
    return closing > 0 && !bounces;
}

static int add_points(Prediction *f, CairnPair pair, const Meeting *m, double depth, double least) {
    int before = f->added_count;
    for (int n = 0; n < m->count; n++) {
        int first = f->added_count;
        for (int k = 0; k < m->manifolds[n].count; k++) {
            if (m->manifolds[n].points[k].distance < depth - least && grow(f) &&
                make_contact(f, pair, m->time, &m->manifolds[n], k, depth, &f->added[f->added_count])) {
                f->added_count += 1;
            }
        }
        for (int i = first; i < f->added_count; i++) {
            f->added[i].manifold_count = (uint8_t)(f->added_count - first);
            f->added[i].manifold_index = (uint8_t)(i - first);
        }
    }
    return f->added_count - before;
}

static void add_contacts(Prediction *f, CairnPair pair, double least) {
    Meeting m;
    double depth = expected_gap(f, pair, first_contact(f->contacts, pair));
    meet(f, pair, f->step->h, &m);
    go_back(f, pair, depth, least, shallow_depth(f, pair), &m);
    if (add_points(f, pair, &m, depth, least) ==
        0) { // it turned in and separates again: take the time at which it came in
        go_back(f, pair, depth, least, 0.1 * least, &m);
        add_points(f, pair, &m, depth, least);
    }
}

enum { PIECE = 16 }; // pairs that a thread takes at once: some take far longer than others

static void find_overlaps(void *context, int piece, int worker) {
    const Prediction *f = context;
    int end = f->pair_count < (piece + 1) * PIECE ? f->pair_count : (piece + 1) * PIECE;
    (void)worker;
    for (int p = piece * PIECE; p < end; p++) {
        f->overlap[p] = find_overlap(f, f->pairs[p], f->least);
    }
}

void cairn_step_predict_contacts(CairnStep *step, const CairnStepContacts *contacts, CairnStepReview *review) {
    double t0 = cairn_timer_now();
    CairnArenaMark mark = cairn_arena_mark(step->arena);
    Prediction f = {.step = step, .contacts = contacts, .velocity = review->velocity};
    find_pairs(&f);
    f.overlap = CAIRN_STEP_PUSH(step, double, f.pair_count);
    if (cairn_step_failed(step)) {
        return;
    }
    double most = 0, enough = step->world->def.contact_stray * step->world->def.contact_margin;
    f.least = notable * enough;
    cairn_pieces_run(f.pair_count > 64 ? step->threads : 1, (f.pair_count + PIECE - 1) / PIECE, find_overlaps, &f);
    for (int p = 0; p < f.pair_count; p++) {
        most = cairn_max(most, f.overlap[p]);
    }
    for (int p = 0; p < f.pair_count && most > enough; p++) {
        if (f.overlap[p] > f.least) {
            add_contacts(&f, f.pairs[p], f.least);
        }
    }
    review->predicted = f.added;
    review->predicted_count = f.added_count;
    if (f.added_count == 0) {
        cairn_arena_release(step->arena, mark);
    }
    step->stats.times.foresee += cairn_timer_now() - t0;
}

// ---- adding them, once the solver is done ----

// Merges from the back, so that it needs no second array.
static void merge_into(CairnStepContact *all, const CairnStepContact *old, int old_count, const CairnStepContact *new,
                       int new_count) {
    while (new_count > 0) {
        CairnPair last = {new[new_count - 1].shape_a, new[new_count - 1].shape_b};
        bool is_new =
            old_count == 0 ||
            cairn_pair_compare((CairnPair){old[old_count - 1].shape_a, old[old_count - 1].shape_b}, last) <= 0;
        all[old_count + new_count - 1] = is_new ? new[new_count - 1] : old[old_count - 1];
        new_count -= is_new ? 1 : 0;
        old_count -= is_new ? 0 : 1;
    }
    if (all != old && old_count > 0) {
        memcpy(all, old, (size_t)old_count * sizeof *all);
    }
}

// The impulses that the next problem of the step starts from. Frames and bounds of the contacts do not change.
static void copy_impulses(CairnStepContacts *contacts, const double *lambda) {
    for (int i = 0; i < contacts->count; i++) {
        CairnStepContact *c = &contacts->all[i];
        c->is_first = !(lambda[c->row] > 0);
        c->is_prepared = true;
    }
}

// Where the array of contacts has room for them, the memory of the old problem is freed.
void cairn_step_add_predicted(CairnStep *step, CairnStepContacts *contacts, const CairnStepSystem *system,
                              CairnStepAnswer *answer) {
    CairnStepContact *added = answer->review.predicted;
    int old_count = contacts->count, added_count = answer->review.predicted_count, count = old_count + added_count;
    bool has_room = count <= contacts->capacity;
    const CairnStepContact *old = contacts->all;
    const CairnVec3 *rolls = contacts->rolls;
    copy_impulses(contacts, answer->lambda);
    answer->earlier = answer->lambda;
    for (int i = 0; i < added_count; i++) {
        added[i].roll = old_count + i;
    }
    if (!has_room) {
        contacts->all = CAIRN_STEP_PUSH(step, CairnStepContact, count);
        contacts->capacity = count;
    }
    if (!has_room && rolls != NULL) {
        contacts->rolls = CAIRN_STEP_PUSH(step, CairnVec3, count);
    }
    if (cairn_step_failed(step)) {
        return;
    }
    if (rolls != NULL && contacts->rolls != rolls) {
        memcpy(contacts->rolls, rolls, (size_t)old_count * sizeof *rolls);
    }
    merge_into(contacts->all, old, old_count, added, added_count);
    contacts->count = step->stats.contacts = count;
    if (has_room) {
        size_t bytes = (size_t)system->problem.row_count * sizeof(double);
        answer->earlier = cairn_arena_release_except(step->arena, answer->problem, answer->lambda, bytes);
    } else {
        answer->problem = cairn_arena_mark(step->arena);
    }
}
