// Limit advance: the last check against tunnelling. Rows are linear in the velocities; a corner that strikes at 100 m/s
// may make its body spin many turns in a step, which no row represents, and carry the body through the wall. So the
// motion that the solved velocities make, with all its turning, is followed for every fast body (sweep.h). Where the
// core of a shape would get into another shape, the body advances only up to there: its velocity is unchanged, the rest
// of its motion in this step is dropped, and the next step finds it touching. Bodies that joints connect advance for
// the same time. What follows one that stops may run into it now, and is looked at again.
#include "engine/base/pieces.h"
#include "engine/step/step_follow.h"

enum { MAX_PASSES = 16 };
// The part of a shape's inner radius that is far to go: half of what two move by of which one may pass through the
// other.
static const double far_part = 0.25;
// The part of its inner radius from which on a shape is deep in another one.
static const double deep_part = 0.1;
// What comes nearer because another body stopped earlier is stopped nearer still: else both would be found again.
static const double nearer = 0.8;

// The inputs of the stage, and what it makes.
typedef struct Limits {
    CairnStep *step;
    const CairnStepPairs *pairs;
    const int *joined;        // of each block: the first of those that joints tie together
    CairnFollow follow;       // with the time for which each block advances
    double *ways;             // of each shape: no point of it moves farther
    CairnVec3 *shifts;        // of each block
    bool *changed, *changing; // of each block: in the last pass, in this one
    int pass;
    double closeness; // nearer to the power of the pass
} Limits;

static const CairnGeometry *geometry_of(const Limits *limits, int shape) {
    return &limits->step->store->shapes[shape].model->geometry;
}

static CairnVec3 linear_of(const Limits *limits, int shape) {
    double end = limits->step->h;
    return cairn_follow_motion(&limits->follow, shape, 0, &end).linear;
}

static bool is_limited(const Limits *limits, int shape) {
    int body = limits->step->store->shapes[shape].body;
    return limits->step->block_of[body] >= 0 && limits->step->store->bodies[body].is_continuous;
}

static void stop_block(const Limits *limits, int block, double time) {
    limits->follow.advance[block] = time;
    limits->changing[block] = true;
}

// Stops the faster one of two bodies that meet. The other one goes on: its own hit with what stands still now is found
// in the next pass.
static void stop(const Limits *limits, int shape, int other, double time) {
    const CairnStep *step = limits->step;
    int a = step->block_of[step->store->shapes[shape].body], b = step->block_of[step->store->shapes[other].body];
    bool a_moves = time < limits->follow.advance[a],
         b_moves = is_limited(limits, other) && time < limits->follow.advance[b];
    int block = b_moves && (!a_moves || limits->ways[other] > limits->ways[shape]) ? b : a;
    if (time < limits->follow.advance[block]) {
        stop_block(limits, block, time);
    }
}

// Only a shape that moves relative to another by more than half of its inner radius can pass through it: else contacts
// are enough.
static void limit_core(const Limits *limits, int shape, int other) {
    const CairnGeometry *a = geometry_of(limits, shape), *b = geometry_of(limits, other);
    double time;
    if (is_limited(limits, shape) && cairn_geometry_is_convex(a) && cairn_can_sweep(a, b) &&
        limits->ways[shape] + limits->ways[other] > 2 * far_part * limits->step->store->shapes[shape].inner &&
        cairn_follow_core(&limits->follow, shape, other, limits->closeness, &time)) {
        stop(limits, shape, other, time);
    }
}

static bool has_changed(const Limits *limits, int shape) {
    int block = limits->step->block_of[limits->step->store->shapes[shape].body];
    return block >= 0 && limits->changed[block];
}

static void limit_pair(const Limits *limits, int a, int b) {
    const CairnStepSide *side_a = &limits->follow.boxes.sides[a], *side_b = &limits->follow.boxes.sides[b];
    const CairnStepBall *ball_a = &limits->follow.boxes.balls[a], *ball_b = &limits->follow.boxes.balls[b];
    if (limits->pass > 0 && !has_changed(limits, a) && !has_changed(limits, b)) {
        return;
    }
    double near = ball_a->radius + ball_b->radius + limits->ways[a] + limits->ways[b];
    if (cairn_length_squared(cairn_sub(ball_b->center, ball_a->center)) <= near * near &&
        cairn_step_may_touch(limits->step->store, side_a, side_b)) {
        limit_core(limits, a, b);
        limit_core(limits, b, a);
    }
}

static void limit_joined_bodies(const Limits *limits) {
    int count = limits->step->block_count;
    for (int b = 0; b < count; b++) {
        if (limits->follow.advance[b] < limits->follow.advance[limits->joined[b]]) {
            stop_block(limits, limits->joined[b], limits->follow.advance[b]);
        }
    }
    for (int b = 0; b < count; b++) {
        double time = limits->follow.advance[limits->joined[b]];
        if (time < limits->follow.advance[b]) {
            stop_block(limits, b, time);
        }
    }
}

static bool is_between(double move, double travel, double slack) {
    return move >= cairn_min(travel, 0) - slack && move <= cairn_max(travel, 0) + slack;
}

// True: the shape leaves the box that the broad phase used, `arc` by its turning.
static bool leaves_box(const Limits *limits, int shape, CairnVec3 move, double arc) {
    const CairnStepBall *ball = &limits->follow.boxes.balls[shape];
    double slack = ball->turning + limits->step->world->def.contact_margin - arc;
    return !(is_between(move.x, ball->travel.x, slack) && is_between(move.y, ball->travel.y, slack) &&
             is_between(move.z, ball->travel.z, slack));
}

// A body that was struck may move where the broad phase did not search: it is tested against every shape that its new
// motion crosses.
static void limit_escaped(const Limits *limits, int shape) {
    double way = limits->ways[shape];
    CairnVec3 by = {way, way, way};
    CairnAabb box = limits->follow.boxes.boxes[shape];
    box = (CairnAabb){cairn_sub(box.low, by), cairn_add(box.high, by)};
    for (int other = 0; other < limits->step->store->shape_pool.count; other++) {
        if (limits->follow.boxes.kinds[other] != CAIRN_BOX_ABSENT &&
            cairn_aabbs_meet(&box, &limits->follow.boxes.boxes[other])) {
            limit_pair(limits, shape, other);
        }
    }
}

static void limit_all_escaped(const Limits *limits) {
    double farthest = 0;
    for (int s = 0; s < limits->step->store->shape_pool.count; s++) {
        farthest = cairn_max(farthest, limits->ways[s]);
    }
    for (int s = 0; s < limits->step->store->shape_pool.count; s++) {
        if (limits->follow.boxes.kinds[s] != CAIRN_BOX_MOVING ||
            !(limits->ways[s] + farthest > 2 * far_part * limits->step->store->shapes[s].inner)) {
            continue;
        }
        CairnVec3 move = cairn_scale(limits->step->h, linear_of(limits, s));
        if (leaves_box(limits, s, move, cairn_follow_arc(&limits->follow, s))) {
            limit_escaped(limits, s);
        }
    }
}

// May a point of the shape move farther than `distance`? (|v| + reach |w|)^2 is at most twice the sum of the squares:
// no root.
static bool goes_far(const CairnStep *step, CairnVec3 linear, CairnVec3 angular, double reach, double distance) {
    double squares = cairn_length_squared(linear) + reach * reach * cairn_length_squared(angular);
    return 2 * step->h * step->h * squares > distance * distance;
}

static bool is_fast(const CairnStep *step, const double *velocity, int s) {
    if (!cairn_pool_is_alive(&step->store->shape_pool, s)) {
        return false;
    }
    const CairnShape *shape = &step->store->shapes[s];
    int block = step->block_of[shape->body];
    if (block < 0) { // what may wake others counts as moving
        const CairnBody *body = &step->store->bodies[shape->body];
        return cairn_body_is_moved(body) &&
               (step->sleeping_count > 0 ||
                goes_far(step, body->velocity, body->angular_velocity, shape->reach, step->world->def.contact_margin));
    }
    const double *v = velocity + (ptrdiff_t)6 * block;
    return goes_far(step, (CairnVec3){v[0], v[1], v[2]}, (CairnVec3){v[3], v[4], v[5]}, shape->reach,
                    far_part * shape->inner);
}

typedef struct Look {
    const CairnStep *step;
    const double *velocity;
    int fast;
} Look;

static void look_at_span(void *context, int first, int end) {
    Look *look = context;
    for (int s = first; s < end; s++) {
        if (is_fast(look->step, look->velocity, s)) { // one is enough
            cairn_spans_min(&look->fast, s);
            return;
        }
    }
}

static bool needs_a_look(const CairnStep *step, const double *velocity) {
    int count = step->store->shape_pool.count;
    Look look = {step, velocity, count};
    cairn_spans_run(step->threads, count, 2048, look_at_span, &look);
    return look.fast < count;
}

// How far each shape moves. True: one goes far.
static bool measure_ways(Limits *limits) {
    const CairnStep *step = limits->step;
    bool is_far = false;
    for (int s = 0; s < step->store->shape_pool.count; s++) {
        int kind = limits->follow.boxes.kinds[s];
        limits->ways[s] = 0;
        if (kind == CAIRN_BOX_MOVING || kind == CAIRN_BOX_DRIVEN) {
            double enough =
                kind == CAIRN_BOX_MOVING ? far_part * step->store->shapes[s].inner : step->world->def.contact_margin;
            limits->ways[s] = step->h * cairn_length(linear_of(limits, s)) + cairn_follow_arc(&limits->follow, s);
            is_far = is_far || limits->ways[s] > enough;
        }
    }
    return is_far;
}

static void limit_near(const Limits *limits) {
    const CairnShape *shapes = limits->step->store->shapes;
    for (int a = 0; a < limits->step->store->shape_pool.count; a++) {
        for (int p = limits->pairs->starts[a]; p < limits->pairs->starts[a + 1]; p++) {
            int b = limits->pairs->seconds[p];
            if (limits->ways[a] + limits->ways[b] > 2 * far_part * cairn_min(shapes[a].inner, shapes[b].inner)) {
                limit_pair(limits, a, b);
            }
        }
    }
}

// Has the last pass stopped any body? Then what it changed is looked at in the next one.
static bool begin_pass(Limits *limits) {
    bool *changed = limits->changing, any = false;
    limits->changing = limits->changed;
    limits->changed = changed;
    for (int b = 0; b < limits->step->block_count; b++) {
        any = any || changed[b];
        limits->changing[b] = false;
    }
    limits->pass += 1;
    limits->closeness *= nearer;
    return any;
}

static void limit_all(Limits *limits) {
    do {
        limit_near(limits);
        limit_all_escaped(limits);
        limit_joined_bodies(limits);
    } while (!cairn_step_failed(limits->step) && begin_pass(limits) && limits->pass < MAX_PASSES);
}

// Overlaps are pushed out by velocities, which a body that is stopped at once has no time for: on its arcs it could get
// deeper from step to step. So one that was stopped deep in what does not move is moved out by what it lacks. Between
// bodies that move this would change their angular momentum.
static void push_out_of(const Limits *limits, const CairnStepContact *c, int shape, int other, double sign) {
    const CairnStep *step = limits->step;
    const CairnWorldDef *def = &step->world->def;
    const CairnShape *s = &step->store->shapes[shape];
    int block = step->block_of[s->body];
    double overlap = -c->distance;
    if (!is_limited(limits, shape) || step->block_of[step->store->shapes[other].body] >= 0 ||
        !(overlap > deep_part * s->inner)) {
        return;
    }
    double by =
        cairn_min(def->contact_fraction * overlap, def->contact_push * (step->h - limits->follow.advance[block]));
    if (by * by > cairn_length_squared(limits->shifts[block])) {
        limits->shifts[block] = cairn_scale(sign * by, c->frame.normal);
    }
}

static void push_out(const Limits *limits, const CairnStepContacts *contacts) {
    for (int i = 0; i < contacts->count; i++) {
        const CairnStepContact *c = &contacts->all[i];
        if (c->distance < 0) {
            push_out_of(limits, c, c->shape_a, c->shape_b, -1);
            push_out_of(limits, c, c->shape_b, c->shape_a, 1);
        }
    }
}

void cairn_step_limit_advance(CairnStep *step, const CairnStepContacts *contacts, const CairnStepSystem *system,
                              const CairnStepAnswer *answer, CairnStepAdvance *advance) {
    if (cairn_step_failed(step) || step->share->is_closing || !needs_a_look(step, answer->velocity)) {
        return;
    }
    CairnArenaMark mark = cairn_arena_mark(step->arena);
    Limits limits = {.step = step,
                     .pairs = &contacts->pairs,
                     .joined = system->groups.joined,
                     .follow = {.step = step,
                                .velocity = answer->velocity,
                                .advance = CAIRN_STEP_PUSH(step, double, step->block_count),
                                .turns = CAIRN_STEP_PUSH(step, const CairnStepTurn *, step->block_count)},
                     .shifts = cairn_step_push_zero(step, (size_t)step->block_count, sizeof(CairnVec3)),
                     .changed = cairn_step_push_zero(step, (size_t)step->block_count, sizeof(bool)),
                     .changing = cairn_step_push_zero(step, (size_t)step->block_count, sizeof(bool)),
                     .ways = CAIRN_STEP_PUSH(step, double, step->store->shape_pool.count),
                     .closeness = 1};
    cairn_step_make_boxes(step, true, &limits.follow.boxes);
    cairn_follow_begin(step, &limits.follow);
    if (cairn_step_failed(step)) {
        return;
    }
    if (measure_ways(&limits)) {
        limit_all(&limits);
        push_out(&limits, contacts);
        *advance = (CairnStepAdvance){limits.follow.advance, limits.shifts};
    } else {
        cairn_arena_release(step->arena, mark);
    }
}
