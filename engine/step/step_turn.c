// Bodies that turn far within a step.
//
// A step computes impulses at the poses of its start, and rows are linear. The momentum that an impulse gives to a body
// is what it is whenever it acts, but what energy it has and how fast the body then turns depends on how it lies: of a
// rod the same momentum about its own axis is a hundred times the energy. So what a body that turns far meets later in
// the step gets no contact ahead of its time (step_narrow_find.c, step_predict.c); the limit of its advance
// (step_advance.c) takes it to where it touches, and the next step finds it there. And what it meets from the start
// acts on the velocity of the start and not on the mean one of the free rotation; after that it turns as a free body
// does (gyro.h), with all the momentum that it has then, so that its energy is kept. Bodies with joints are as others:
// their joints' rows act on the very velocity that they turn with.
#include "engine/base/mat3.h"
#include "engine/step/gyro.h"
#include "engine/step/step.h"

// A turn, rad, that is far; and one by which a free rotation is followed at a time.
static const double far_turn = 0.5, one_turn = 0.25;
// What may be, rad, between the turn by one velocity and that of the free rotation.
static const double stray = 0.1;
// A contact ahead of its time is as good as one at its time where the answer of the bodies to an impulse differs by
// this factor at most, and their velocities along it by this part.
static const double like_answers = 2, like_velocities = 0.25;

static bool is_free(const CairnStep *step, const CairnBody *body) {
    return !step->share->is_closing && !body->model->is_isotropic && body->first_joint < 0;
}

// Is the mean velocity of the free rotation another than the one that the step has for it?
static bool is_other(const CairnStep *step, CairnVec3 mean, CairnVec3 angular) {
    return step->h * step->h * cairn_length_squared(cairn_sub(mean, angular)) > stray * stray;
}

static bool is_far(const CairnStep *step, CairnVec3 angular) {
    return step->h * step->h * cairn_length_squared(angular) > far_turn * far_turn;
}

bool cairn_step_tumbles(const CairnStep *step, int body, CairnVec3 angular, CairnVec3 mean) {
    const CairnBody *b = &step->store->bodies[body];
    return is_far(step, angular) && b->first_joint < 0 && !b->model->is_isotropic && is_other(step, mean, angular);
}

// What the rows of a body's joints act on is the velocity that it turns with, as it lies at the start. Of a thin body
// that turns by radians within the step the mean velocity there has many times the energy that the body has, and joints
// would pass that on.
bool cairn_step_feigns_energy(const CairnStep *step, const CairnBody *body, CairnVec3 angular, CairnVec3 mean) {
    static const double most = 1.1;
    if (body->first_joint < 0 || !is_other(step, mean, angular)) {
        return false;
    }
    CairnMat3 axes = cairn_body_axes(body), inertia = cairn_inertia_of_axes(&axes, body->model->moments);
    return cairn_dot(mean, cairn_mat3_mul(inertia, mean)) > most * cairn_dot(angular, cairn_mat3_mul(inertia, angular));
}

// The mean velocity of the free rotation from the pose that it has now, with the momentum that it keeps.
static CairnVec3 free_turn(const CairnBody *body, CairnVec3 momentum, CairnQuat q, double time) {
    CairnMat3 axes = cairn_mat3_of_quat(cairn_quat_mul(q, body->model->axes));
    CairnVec3 local = cairn_mat3_transpose_mul(axes, momentum), inverse = cairn_inverse_moments(body);
    CairnVec3 w = cairn_mat3_mul(axes, (CairnVec3){inverse.x * local.x, inverse.y * local.y, inverse.z * local.z});
    return cairn_gyro_mean_velocity(&axes, body->model->moments, w, time);
}

// True: after the impulses the body does not turn with the velocity that was solved for.
static bool turns_freely(const CairnStep *step, const CairnStepBlock *block, CairnVec3 solved, CairnVec3 after) {
    const CairnBody *body = &step->store->bodies[block->body];
    if (block->tumbles || !step->world->def.gyroscopic || !is_free(step, body)) {
        return block->tumbles;
    }
    bool is_changed = cairn_length_squared(cairn_sub(solved, block->spin)) > 0;
    if (!is_changed || !(is_far(step, solved) || is_far(step, after))) {
        return false;
    }
    CairnVec3 momentum = cairn_mat3_mul(cairn_step_inertia(step, block), after);
    return is_other(step, free_turn(body, momentum, body->q, step->h), solved);
}

// What the impulses make of the angular velocity at the start.
static CairnVec3 after_impulses(const CairnStepBlock *block, CairnVec3 solved) {
    return cairn_add(block->start.angular, cairn_sub(solved, block->spin));
}

CairnStepTurn cairn_step_first_turn(const CairnStep *step, int block, CairnVec3 solved) {
    const CairnStepBlock *b = &step->blocks[block];
    const CairnBody *body = &step->store->bodies[b->body];
    CairnVec3 after = after_impulses(b, solved);
    CairnStepTurn turn = {.q = body->q, .angular = solved, .end = cairn_step_drift(step), .count = 1};
    if (turns_freely(step, b, solved, after)) {
        double rate = cairn_max(cairn_length(solved), cairn_length(after));
        turn.count = (int)cairn_clamp(ceil(step->h * rate / one_turn), 2, 1e9);
        turn.end = step->h / turn.count;
        turn.momentum = cairn_mat3_mul(cairn_step_inertia(step, b), after);
        turn.angular = free_turn(body, turn.momentum, turn.q, turn.end);
    }
    return turn;
}

static CairnQuat turned(CairnQuat q, CairnVec3 angular, double time) {
    return cairn_quat_normalize(cairn_quat_mul(cairn_quat_exp(cairn_scale(time, angular)), q));
}

CairnQuat cairn_step_turned(const CairnStep *step, int block, const CairnStepTurn *turn, double time) {
    double span = time - turn->start;
    CairnVec3 angular = turn->angular;
    if (turn->count > 1 && time < turn->end) { // an axis that is the mean of the whole turn is off it on the way
        angular = free_turn(&step->store->bodies[step->blocks[block].body], turn->momentum, turn->q, span);
    }
    return turned(turn->q, angular, span);
}

CairnQuat cairn_step_end_of_turns(const CairnStep *step, int block, CairnVec3 solved, double time) {
    const CairnStepBlock *b = &step->blocks[block];
    if (!turns_freely(step, b, solved, after_impulses(b, solved))) { // nearly all
        return turned(step->store->bodies[b->body].q, solved, time);
    }
    CairnStepTurn turn = cairn_step_first_turn(step, block, solved);
    if (turn.count > CAIRN_STEP_TURNS && time > CAIRN_STEP_TURNS * turn.end) { // nothing followed it
        turn.end = time;
        turn.angular = free_turn(&step->store->bodies[step->blocks[block].body], turn.momentum, turn.q, time);
    }
    while (turn.end < time) {
        cairn_step_next_turn(step, block, &turn);
    }
    return cairn_step_turned(step, block, &turn, time);
}

void cairn_step_next_turn(const CairnStep *step, int block, CairnStepTurn *turn) {
    const CairnBody *body = &step->store->bodies[step->blocks[block].body];
    turn->q = cairn_step_turned(step, block, turn, turn->end);
    turn->index += 1;
    turn->start = turn->end;
    turn->end = turn->index + 1 == turn->count ? step->h : step->h * (turn->index + 1) / turn->count;
    turn->angular = free_turn(body, turn->momentum, turn->q, turn->end - turn->start);
}

// What two bodies have along the line of an impulse.
typedef struct Line {
    double now, then;     // how a unit of impulse changes the velocity along it, as they lie now and at that time
    double start, coming; // that velocity at the start, and as they move without it
} Line;

static void add_to_line(const CairnStep *step, int body, CairnVec3 angular, CairnVec3 arm, CairnVec3 normal,
                        double time, Line *line) {
    int block = cairn_step_block(step, body);
    if (block < 0) {
        return;
    }
    const CairnBody *b = &step->store->bodies[body];
    const CairnStepBlock *k = &step->blocks[block];
    bool may_differ = is_free(step, b);
    CairnMat3 axes = cairn_body_axes(b), inverse = cairn_inertia_of_axes(&axes, cairn_inverse_moments(b));
    CairnVec3 now = cairn_cross(arm, normal);
    CairnVec3 then = may_differ ? cairn_rotate(cairn_quat_exp(cairn_scale(-time, angular)), now) : now;
    line->now += 1 / b->model->mass + cairn_dot(now, cairn_mat3_mul(inverse, now));
    line->then += 1 / b->model->mass + cairn_dot(then, cairn_mat3_mul(inverse, then));
    double linear = cairn_dot(normal, k->start.linear);
    line->start += linear + cairn_dot(now, may_differ ? k->start.angular : k->spin);
    line->coming += linear + cairn_dot(now, k->spin);
}

bool cairn_step_is_untimely(const CairnStep *step, const int bodies[2], const CairnVec3 angular[2],
                            const CairnVec3 arms[2], CairnVec3 normal, double time) {
    Line line = {0};
    add_to_line(step, bodies[0], angular[0], arms[0], cairn_neg(normal), time, &line);
    add_to_line(step, bodies[1], angular[1], arms[1], normal, time, &line);
    return line.now > like_answers * line.then || line.then > like_answers * line.now ||
           fabs(line.start - line.coming) > like_velocities * fabs(line.coming);
}
