#include "engine/step/step_follow.h"
#include "collision/convex/core.h"

// The layers of a shape, as parts of its inner radius, within which it may end in another shape: the first one that it
// is not in already from the start. A core stops `kept` of its layer before the other shape, and nearer than `least` of
// it counts as inside. The deepest core comes nearer by `sink` of its distance at most.
static const double layers[] = {0.1, 0.4, 1}, kept = 0.5, least = 1e-6, sink = 0.8;
enum { LAYERS = sizeof layers / sizeof *layers, JOINED = 1 }; // a body with joints begins at JOINED

static CairnVec3 solved_turn(const CairnFollow *follow, int block) {
    const double *v = follow->velocity + (ptrdiff_t)6 * block;
    return (CairnVec3){v[3], v[4], v[5]};
}

void cairn_follow_begin(CairnStep *step, CairnFollow *follow) {
    for (int b = 0; b < step->block_count && !cairn_step_failed(step); b++) {
        CairnStepTurn turn = cairn_step_first_turn(step, b, solved_turn(follow, b));
        follow->advance[b] = step->h;
        follow->turns[b] = NULL;
        int count = turn.count < CAIRN_STEP_TURNS ? turn.count : CAIRN_STEP_TURNS;
        CairnStepTurn *turns = count > 1 ? CAIRN_STEP_PUSH(step, CairnStepTurn, count) : NULL;
        for (int k = 0; turns != NULL && k < count; k++) {
            turns[k] = turn;
            if (k + 1 < count) {
                cairn_step_next_turn(step, b, &turn);
            }
        }
        follow->turns[b] = turns;
    }
}

// Sets the turning of the motion, which begins at `time`, and the pose of the shape at that time.
static void turn_motion(const CairnFollow *follow, int block, double time, CairnMotion *motion, double *end) {
    const CairnStepTurn *turns = follow->turns[block], *turn = turns;
    while (turn->end <= time && turn->index + 1 < turn->count && turn->index + 1 < CAIRN_STEP_TURNS) {
        turn++;
    }
    CairnQuat by = cairn_quat_mul(cairn_step_turned(follow->step, block, turn, time), cairn_quat_conj(turns->q));
    CairnVec3 arm = cairn_sub(motion->pose.p, motion->center);
    motion->center = cairn_add_scaled(motion->center, time, motion->linear);
    motion->pose = (CairnTransform){cairn_add(motion->center, cairn_rotate(by, arm)),
                                    cairn_quat_normalize(cairn_quat_mul(by, motion->pose.q))};
    motion->angular = turn->angular;
    if (motion->until > turn->end) {
        *end = cairn_min(*end, turn->end);
    }
}

CairnMotion cairn_follow_motion(const CairnFollow *follow, int shape, double time, double *end) {
    const CairnStep *step = follow->step;
    const CairnShape *s = &step->store->shapes[shape];
    const CairnBody *body = &step->store->bodies[s->body];
    int block = step->block_of[s->body];
    CairnMotion motion = {
        .pose = follow->boxes.poses[shape], .center = body->center, .ball = s->ball, .until = step->h};
    if (body->type != CAIRN_BODY_STATIC) {
        motion.reach = s->reach;
    }
    if (block >= 0) {
        const double *v = follow->velocity + (ptrdiff_t)6 * block;
        motion.linear = (CairnVec3){v[0], v[1], v[2]};
        motion.angular = solved_turn(follow, block);
        motion.until = follow->advance[block];
    } else if (body->type == CAIRN_BODY_KINEMATIC) {
        motion.linear = body->velocity;
        motion.angular = body->angular_velocity;
    }
    double at = cairn_min(time, motion.until);
    if (block >= 0 && follow->turns[block] != NULL) {
        turn_motion(follow, block, at, &motion, end);
    } else if (at > 0) {
        motion.pose = cairn_motion_pose(&motion, at);
        motion.center = cairn_add_scaled(motion.center, at, motion.linear);
    }
    motion.until -= at;
    return motion;
}

static bool tumbles(const CairnFollow *follow, int shape) {
    int block = follow->step->block_of[follow->step->store->shapes[shape].body];
    return block >= 0 && follow->turns[block] != NULL;
}

double cairn_follow_arc(const CairnFollow *follow, int shape) {
    const CairnStep *step = follow->step;
    const CairnShape *s = &step->store->shapes[shape];
    double end = step->h, farthest = 2 * s->reach; // to the other end of what it turns in
    CairnMotion motion = cairn_follow_motion(follow, shape, 0, &end);
    return tumbles(follow, shape) ? farthest
                                  : cairn_min(step->h * cairn_motion_turning(&s->model->geometry, &motion), farthest);
}

// Until when the turns of a shape are followed; infinity where that is for all of the step, or as long as it moves.
static double last_turn(const CairnFollow *follow, int shape) {
    int block = follow->step->block_of[follow->step->store->shapes[shape].body];
    const CairnStepTurn *turns = block >= 0 ? follow->turns[block] : NULL;
    if (turns == NULL || turns->count <= CAIRN_STEP_TURNS) {
        return HUGE_VAL;
    }
    double last = turns[CAIRN_STEP_TURNS - 1].end;
    return follow->advance[block] <= last ? HUGE_VAL : last;
}

// What bounds a shape and its motion for the whole step: of one that tumbles a ball about where its middle is, which
// goes as its body's centre does, else itself. `ball` is where there is one.
static const CairnGeometry *bound_of(const CairnFollow *follow, int shape, CairnGeometry *ball, CairnMotion *motion) {
    const CairnShape *s = &follow->step->store->shapes[shape];
    double end = follow->step->h;
    *motion = cairn_follow_motion(follow, shape, 0, &end);
    if (!tumbles(follow, shape)) {
        return &s->model->geometry;
    }
    CairnVec3 middle = cairn_geometry_middle(&s->model->geometry, motion->pose);
    *ball = (CairnGeometry){.type = CAIRN_SHAPE_SPHERE,
                            .local = cairn_transform_identity(),
                            .radius = s->reach + cairn_length(cairn_sub(middle, motion->center))};
    motion->pose.p = motion->center = middle;
    motion->angular = (CairnVec3){0, 0, 0};
    return ball;
}

// Until when do the balls of what tumbles stay clear? False: for the whole duration.
static bool balls_meet(const CairnFollow *follow, int shape, int other, double duration, double touch, double *time) {
    CairnGeometry balls[2];
    CairnMotion a, b;
    const CairnGeometry *bound = bound_of(follow, shape, &balls[0], &a),
                        *solid = bound_of(follow, other, &balls[1], &b);
    return cairn_sweep(bound, &a, solid, &b, duration, touch, time);
}

// Like cairn_sweep, over all turns of both.
static bool sweep(const CairnFollow *follow, const CairnCore *core, int shape, int other, double duration, double touch,
                  double *time) {
    const CairnGeometry *solid = &follow->step->store->shapes[other].model->geometry;
    double start = 0, last = cairn_min(last_turn(follow, shape), last_turn(follow, other));
    bool turns = duration > 0 && (tumbles(follow, shape) || tumbles(follow, other));
    if (turns && !balls_meet(follow, shape, other, duration, touch, &start)) {
        return false;
    }
    do {
        if (start >= last) { // more turns than are followed: it goes no farther
            *time = cairn_max(start, last);
            return true;
        }
        double end = duration;
        CairnMotion motion = cairn_follow_motion(follow, shape, start, &end);
        CairnMotion obstacle = cairn_follow_motion(follow, other, start, &end);
        if (cairn_sweep(&core->geometry, &motion, solid, &obstacle, end - start, touch, time)) {
            *time += start;
            return true;
        }
        start = end;
    } while (start < duration);
    return false;
}

// Contacts let thin shapes overlap by as much as their outer layers are deep: what they do not call an error is no
// reason to hold a body back, which would lift what falls.
static int first_layer(const CairnStep *step, double inner, bool has_joints) {
    const CairnWorldDef *def = &step->world->def;
    double tolerated = 2 * def->contact_stray * def->contact_margin + def->contact_slop;
    int k = has_joints ? JOINED : 0;
    while (k < LAYERS - 1 && (1 - kept) * layers[k] * inner < tolerated) {
        k++;
    }
    return k;
}

// The core is what the first layer leaves that the shape is not in yet. The deepest core of a body with joints that is
// near from the start has no time: all bodies connected to it would stay at rest with it for ever. One without may come
// nearer by a part of the distance that it has, and is inside where that is nothing.
bool cairn_follow_core(const CairnFollow *follow, int shape, int other, double closeness, double *time) {
    const CairnShape *s = &follow->step->store->shapes[shape];
    bool has_joints = follow->boxes.sides[shape].has_joints;
    double fraction = kept;
    for (int k = first_layer(follow->step, s->inner, has_joints); fraction >= least;) {
        CairnCore core;
        cairn_core_make(&s->model->geometry, layers[k], &core);
        double touch = fraction * core.layer;
        // Where the same distance counts from the start and at a hit, one sweep answers both.
        if (closeness == 1 || !sweep(follow, &core, shape, other, 0, touch, time)) {
            if (!sweep(follow, &core, shape, other, follow->step->h, closeness * touch, time)) {
                return false;
            }
            if (*time > 0) {
                return true;
            }
        }
        if (k < LAYERS - 1) {
            k++;
        } else if (has_joints) {
            return false;
        } else {
            fraction *= sink;
        }
    }
    return false;
}
