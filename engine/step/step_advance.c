// Limit advance: the last check against tunnelling. Rows are linear in the velocities; a corner that strikes at 100 m/s
// may make its body spin many turns in a step, which no row represents, and carry the middle of the body through the
// wall. So where the solved velocities would move the core of a fast shape (a ball in its middle) into another shape,
// the body advances only up to the contact: its velocity is unchanged, the rest of its motion in this step is dropped,
// and the next step finds it touching. Bodies that joints connect advance for the same time.
#include "collision/convex/sweep.h"
#include "engine/base/pieces.h"
#include "engine/step/step.h"

// A core stops at a distance of arrival_fraction times its radius. Nearer than least_fraction times the radius it
// counts as inside.
static const double arrival_fraction = 0.1, least_fraction = 1e-6;

// The inputs of the stage, and the time for which each block advances.
typedef struct Limits {
    CairnStep *step;
    const CairnStepPairs *pairs;
    const CairnStepJoints *joints;
    const double *velocity;
    CairnStepBoxes boxes;
    double *advance;
} Limits;

static CairnMotion motion_of(const Limits *limits, int shape) {
    const CairnStep *step = limits->step;
    const CairnStore *store = step->store;
    const CairnShape *s = &store->shapes[shape];
    const CairnBody *body = &store->bodies[s->body];
    int block = step->block_of[s->body];
    CairnMotion motion = {.pose = limits->boxes.poses[shape], .center = body->center};
    if (body->type != CAIRN_BODY_STATIC) {
        motion.reach = s->reach;
    }
    if (block >= 0) {
        const double *v = limits->velocity + (ptrdiff_t)6 * block;
        motion.linear = (CairnVec3){v[0], v[1], v[2]};
        motion.angular = (CairnVec3){v[3], v[4], v[5]};
    } else if (body->type == CAIRN_BODY_KINEMATIC) {
        motion.linear = body->velocity;
        motion.angular = body->angular_velocity;
    }
    return motion;
}

// Limits the advance of the body of `shape` to the time at which its core would enter `other`.
static void limit_core(const Limits *limits, int shape, int other) {
    const CairnStep *step = limits->step;
    const CairnShape *s = &step->store->shapes[shape], *o = &step->store->shapes[other];
    int block = step->block_of[s->body];
    if (block < 0 || !step->store->bodies[s->body].is_continuous ||
        !cairn_can_sweep(&s->model->geometry, &o->model->geometry) || !cairn_geometry_is_convex(&s->model->geometry)) {
        return;
    }
    CairnMotion obstacle = motion_of(limits, other);
    CairnMotion motion = motion_of(limits, shape);
    CairnGeometry core = cairn_core(&s->model->geometry, motion.pose, &motion.pose.p);
    motion.reach = cairn_length(cairn_sub(motion.pose.p, motion.center)); // the ball's own turning moves nothing
    CairnVec3 turn = cairn_cross(motion.angular, cairn_sub(motion.pose.p, motion.center));
    CairnVec3 relative = cairn_sub(cairn_add(motion.linear, turn), obstacle.linear);
    double distance = step->h * (cairn_length(relative) + cairn_length(obstacle.angular) * obstacle.reach);
    if (!(distance > core.radius)) { // too slow to pass through in one step: contacts are enough
        return;
    }
    // A core that starts near (it was stopped before, or overlaps deeply) has contacts, which push it out; it is
    // stopped only while it moves further in, not while it separates or slides. A body with joints is not stopped
    // there: all bodies connected to it would stay at rest with it for ever. Nor is a core that is inside already:
    // stopping it while its neighbours move would only make more overlaps.
    double time, fraction = arrival_fraction;
    while (cairn_sweep(&core, &motion, &o->model->geometry, &obstacle, 0, fraction * core.radius, &time)) {
        fraction *= 0.5;
        if (fraction < least_fraction || limits->boxes.sides[shape].has_joints) {
            return;
        }
    }
    if (cairn_sweep(&core, &motion, &o->model->geometry, &obstacle, step->h, fraction * core.radius, &time)) {
        limits->advance[block] = fraction < arrival_fraction ? 0 : cairn_min(limits->advance[block], time);
    }
}

static bool may_touch(const Limits *limits, int a, int b) {
    return cairn_step_may_touch(limits->step->store, &limits->boxes.sides[a], &limits->boxes.sides[b]);
}

// A body that was struck may move where the broad phase did not search: it is tested against every shape that its new
// motion crosses.
static void limit_escaped(const Limits *limits, int shape, double distance) {
    CairnVec3 by = {distance, distance, distance};
    CairnAabb box = limits->boxes.boxes[shape];
    box = (CairnAabb){cairn_sub(box.low, by), cairn_add(box.high, by)};
    for (int other = 0; other < limits->step->store->shape_pool.count; other++) {
        if (limits->boxes.kinds[other] != CAIRN_BOX_ABSENT && cairn_aabbs_meet(&box, &limits->boxes.boxes[other]) &&
            may_touch(limits, shape, other)) {
            limit_core(limits, shape, other);
        }
    }
}

static void limit_joined_bodies(const Limits *limits) {
    CairnStep *step = limits->step;
    int *parent = CAIRN_STEP_PUSH(step, int, step->block_count);
    if (parent == NULL) {
        return;
    }
    for (int b = 0; b < step->block_count; b++) {
        parent[b] = b;
    }
    for (int j = 0; j < limits->joints->count; j++) {
        const CairnStepJoint *sj = &limits->joints->all[j];
        for (int k = 1; k < sj->body_count; k++) {
            int a = cairn_step_block(step, sj->bodies[0]), b = cairn_step_block(step, sj->bodies[k]);
            if (a >= 0 && b >= 0) {
                cairn_step_unite(parent, a, b);
            }
        }
    }
    for (int b = 0; b < step->block_count; b++) {
        int root = cairn_step_root(parent, b);
        limits->advance[root] = cairn_min(limits->advance[root], limits->advance[b]);
    }
    for (int b = 0; b < step->block_count; b++) {
        limits->advance[b] = limits->advance[cairn_step_root(parent, b)];
    }
}

// The displacement of the middle of a shape in this step.
static CairnVec3 move_of(const Limits *limits, int shape) {
    CairnMotion m = motion_of(limits, shape);
    CairnVec3 turn = cairn_cross(m.angular, cairn_sub(m.pose.p, m.center));
    return cairn_scale(limits->step->h, cairn_add(m.linear, turn));
}

static double distance_of(const Limits *limits, int shape) {
    return cairn_length(move_of(limits, shape));
}

static bool is_between(double move, double travel, double slack) {
    return move >= cairn_min(travel, 0) - slack && move <= cairn_max(travel, 0) + slack;
}

// True: the middle of the shape leaves the box that the broad phase used.
static bool leaves_box(const Limits *limits, int shape, CairnVec3 move) {
    const CairnStepBall *ball = &limits->boxes.balls[shape];
    double slack = ball->turning + limits->step->world->def.contact_margin;
    return !(is_between(move.x, ball->travel.x, slack) && is_between(move.y, ball->travel.y, slack) &&
             is_between(move.z, ball->travel.z, slack));
}

// The largest distance that any point of any shape moves.
static double farthest_motion(const Limits *limits) {
    const CairnStep *step = limits->step;
    double most = 0;
    for (int s = 0; s < step->store->shape_pool.count; s++) {
        if (limits->boxes.kinds[s] == CAIRN_BOX_MOVING || limits->boxes.kinds[s] == CAIRN_BOX_DRIVEN) {
            CairnMotion m = motion_of(limits, s);
            most = cairn_max(most, step->h * (cairn_length(m.linear) + cairn_length(m.angular) * m.reach));
        }
    }
    return most;
}

// Only a shape that moves relative to another by more than the radius of its core can pass through it.
static bool may_get_through(const Limits *limits, int shape, double relative) {
    const CairnGeometry *geometry = &limits->step->store->shapes[shape].model->geometry;
    CairnVec3 unused;
    return cairn_geometry_is_convex(geometry) &&
           relative > cairn_core(geometry, limits->boxes.poses[shape], &unused).radius;
}

static void limit_all_escaped(const Limits *limits) {
    double farthest = farthest_motion(limits);
    for (int s = 0; s < limits->step->store->shape_pool.count; s++) {
        if (limits->boxes.kinds[s] != CAIRN_BOX_MOVING) {
            continue;
        }
        CairnVec3 move = move_of(limits, s);
        if (leaves_box(limits, s, move) && may_get_through(limits, s, cairn_length(move) + farthest)) {
            limit_escaped(limits, s, cairn_length(move));
        }
    }
}

// True: the middle of the shape moves no farther than `distance`. (|v| + arm |w|)^2 is at most twice the sum of the
// squares: no root.
static bool is_slow(const CairnStep *step, const double *velocity, const CairnShape *shape, int block,
                    double distance) {
    const double *v = velocity + (ptrdiff_t)6 * block;
    double arm = shape->arm, linear = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    double angular = v[3] * v[3] + v[4] * v[4] + v[5] * v[5];
    return 2 * step->h * step->h * (linear + arm * arm * angular) <= distance * distance;
}

static bool is_fast(const CairnStep *step, const double *velocity, int s) {
    if (!cairn_pool_is_alive(&step->store->shape_pool, s)) {
        return false;
    }
    const CairnShape *shape = &step->store->shapes[s];
    int block = step->block_of[shape->body];
    if (block < 0) { // what may wake others counts as moving
        return step->sleeping_count > 0 && cairn_body_is_moved(&step->store->bodies[shape->body]);
    }
    return !is_slow(step, velocity, shape, block, step->world->def.contact_margin);
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

static bool some_go_far(const Limits *limits) {
    const CairnStep *step = limits->step;
    double margin = step->world->def.contact_margin;
    for (int s = 0; s < step->store->shape_pool.count; s++) {
        if (limits->boxes.kinds[s] == CAIRN_BOX_MOVING && distance_of(limits, s) > margin) {
            return true;
        }
    }
    return false;
}

static void limit_all(Limits *limits) {
    CairnStep *step = limits->step;
    limits->advance = CAIRN_STEP_PUSH(step, double, step->block_count);
    if (limits->advance == NULL) {
        return;
    }
    for (int b = 0; b < step->block_count; b++) {
        limits->advance[b] = step->h;
    }
    double margin = step->world->def.contact_margin;
    for (int a = 0; a < step->store->shape_pool.count; a++) {
        for (int p = limits->pairs->starts[a]; p < limits->pairs->starts[a + 1]; p++) {
            int b = limits->pairs->seconds[p];
            if (distance_of(limits, a) + distance_of(limits, b) > margin && may_touch(limits, a, b)) {
                limit_core(limits, a, b);
                limit_core(limits, b, a);
            }
        }
    }
    limit_all_escaped(limits);
    limit_joined_bodies(limits);
}

void cairn_step_limit_advance(CairnStep *step, const CairnStepContacts *contacts, const CairnStepSystem *system,
                              const CairnStepAnswer *answer, CairnStepAdvance *advance) {
    if (cairn_step_failed(step) || !needs_a_look(step, answer->velocity)) {
        return;
    }
    CairnArenaMark mark = cairn_arena_mark(step->arena);
    Limits limits = {.step = step, .pairs = &contacts->pairs, .joints = &system->joints, .velocity = answer->velocity};
    cairn_step_make_boxes(step, true, &limits.boxes);
    if (!cairn_step_failed(step) && some_go_far(&limits)) {
        limit_all(&limits);
        advance->times = limits.advance;
    } else {
        cairn_arena_release(step->arena, mark);
    }
}
