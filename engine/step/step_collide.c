// Collide: poses -> contacts. Boxes around where each shape may be within the step, pairs from the broad phase, and
// then the narrow phase (step_narrow.c).
#include "engine/base/pieces.h"
#include "engine/base/timer.h"
#include "engine/step/step.h"
#include <stdint.h>
#include <string.h>

// How far any point of a shape may move within the step: bounds both its box and the distance from which contacts are
// looked for, so that what could touch within the step has a row and nothing tunnels. For a body that is not continuous
// it is 0.
static void set_travel(const CairnStep *step, const CairnShape *shape, CairnStepBall *ball) {
    const CairnBody *body = &step->store->bodies[shape->body];
    if (body->type == CAIRN_BODY_STATIC || !body->is_continuous) {
        return;
    }
    if (shape->model->geometry.is_unbounded) { // of a turning half-space points have any speed: its shift alone counts
        ball->travel = cairn_scale(step->h, body->velocity);
        return;
    }
    int block = step->block_of[shape->body];
    CairnVec3 linear = block >= 0 ? step->blocks[block].free.linear : body->velocity;
    CairnVec3 angular = block >= 0 ? step->blocks[block].free.angular : body->angular_velocity;
    ball->travel = cairn_scale(step->h, linear);
    double turn = step->h * cairn_length(angular); // to the other end of what it turns in at most
    ball->turning = cairn_min(turn, 2) * shape->reach;
}

// The box that covers the motion of a box in the step. Its bounds follow the direction of the motion, so that boxes
// that fall side by side do not meet, however fast they are.
static CairnAabb swept(CairnAabb box, CairnVec3 travel, double grow) {
    CairnVec3 back = {cairn_min(travel.x, 0) - grow, cairn_min(travel.y, 0) - grow, cairn_min(travel.z, 0) - grow};
    CairnVec3 on = {cairn_max(travel.x, 0) + grow, cairn_max(travel.y, 0) + grow, cairn_max(travel.z, 0) + grow};
    return (CairnAabb){cairn_add(box.low, back), cairn_add(box.high, on)};
}

// Returns whether the shape resists rolling.
static bool make_box(const CairnStep *step, CairnStepBoxes *out, int s) {
    const CairnShape *shape = &step->store->shapes[s];
    if (!cairn_pool_is_alive(&step->store->shape_pool, s)) {
        out->kinds[s] = CAIRN_BOX_ABSENT;
        out->owners[s] = -1;
        out->boxes[s] = (CairnAabb){{0, 0, 0}, {0, 0, 0}};
        return false;
    }
    const CairnBody *body = &step->store->bodies[shape->body];
    const CairnShapeDef *def = &shape->model->def;
    CairnTransform pose = cairn_shape_pose(body, shape);
    CairnStepBall ball = {.center = pose.p, .radius = shape->ball};
    set_travel(step, shape, &ball);
    if (out->sides != NULL) {
        out->poses[s] = pose;
        out->balls[s] = ball;
        out->sides[s] = (CairnStepSide){.center = body->center,
                                        .start = cairn_step_start(step, shape->body),
                                        .filter = def->filter,
                                        .body = shape->body,
                                        .generation = step->store->shape_pool.slots[s].generation,
                                        .has_joints = body->first_joint >= 0};
    }
    bool is_plain = body->first_joint < 0 && def->filter.mask == UINT64_MAX && def->filter.category != 0;
    out->traits[s] = (uint8_t)((shape->model->geometry.type == CAIRN_SHAPE_SPHERE ? CAIRN_SHAPE_IS_SPHERE : 0) |
                               (is_plain ? CAIRN_SHAPE_IS_PLAIN : 0));
    out->owners[s] = shape->body;
    // A sleeping body costs nothing, but a kinematic body may reach and wake it.
    bool may_wake = step->sleeping_count > 0 && cairn_body_is_moved(body);
    out->kinds[s] = step->block_of[shape->body] >= 0 || may_wake ? CAIRN_BOX_MOVING
                    : cairn_body_is_moved(body)                  ? CAIRN_BOX_DRIVEN
                                                                 : CAIRN_BOX_FIXED;
    out->boxes[s] = swept(cairn_geometry_box(&shape->model->geometry, pose), ball.travel,
                          0.5 * step->world->def.contact_margin + ball.turning);
    return def->rolling_friction > 0;
}

// Shapes stand in a row, what they are (CairnShapeModel) lies anywhere.
static void fetch_model(const CairnStep *step, int s) {
    const CairnShapeModel *model = step->store->shapes[s].model;
    if (model != NULL) {
        __builtin_prefetch(&model->def.rolling_friction);
        __builtin_prefetch(&model->geometry.type);
        __builtin_prefetch(&model->geometry.local);
        __builtin_prefetch(&model->geometry.is_unbounded);
    }
}

enum {
    PIECE = 256,
    AHEAD = 6
}; // shapes whose boxes are made together, and how far ahead of them their models are fetched

typedef struct Boxing {
    const CairnStep *step;
    CairnStepBoxes *out;
    int count;
    bool *has_rolling; // of each piece
} Boxing;

static void make_piece(void *context, int piece, int worker) {
    const Boxing *boxing = context;
    (void)worker;
    int first = piece * PIECE, end = boxing->count - first < PIECE ? boxing->count : first + PIECE;
    bool has_rolling = false;
    for (int s = first; s < end; s++) {
        fetch_model(boxing->step, s + AHEAD < end ? s + AHEAD : s);
        has_rolling = make_box(boxing->step, boxing->out, s) || has_rolling;
    }
    boxing->has_rolling[piece] = has_rolling;
}

void cairn_step_make_boxes(CairnStep *step, bool with_sides, CairnStepBoxes *boxes) {
    int count = step->store->shape_pool.count;
    *boxes = (CairnStepBoxes){
        .boxes = CAIRN_STEP_PUSH(step, CairnAabb, count),
        .kinds = CAIRN_STEP_PUSH(step, uint8_t, count),
        .owners = CAIRN_STEP_PUSH(step, int, count),
        .traits = CAIRN_STEP_PUSH(step, uint8_t, count),
        .poses = with_sides ? CAIRN_STEP_PUSH(step, CairnTransform, count) : NULL,
        .balls = with_sides ? CAIRN_STEP_PUSH(step, CairnStepBall, count) : NULL,
        .sides = with_sides ? CAIRN_STEP_PUSH(step, CairnStepSide, count) : NULL,
    };
    if (cairn_step_failed(step)) {
        return;
    }
    int pieces = count / PIECE + 1;
    CairnArenaMark mark = cairn_arena_mark(step->arena);
    Boxing boxing = {step, boxes, count, CAIRN_STEP_PUSH(step, bool, pieces)};
    if (cairn_step_failed(step)) {
        return;
    }
    cairn_pieces_run(count > 2 * PIECE ? step->threads : 1, pieces, make_piece, &boxing);
    for (int k = 0; k < pieces; k++) {
        boxes->has_rolling = boxes->has_rolling || boxing.has_rolling[k];
    }
    cairn_arena_release(step->arena, mark);
}

static const CairnPair *find_pairs(CairnStep *step, const CairnStepBoxes *boxes, int *count) {
    CairnPair *pairs = NULL;
    CairnArenaMark mark = cairn_arena_mark(step->arena);
    step->status =
        cairn_broad_pairs(&step->world->broad, boxes->boxes, boxes->kinds, boxes->owners, step->store->shape_pool.count,
                          step->threads, step->arena, &pairs, count, &step->stats.overlap_tests);
    return cairn_step_failed(step)
               ? NULL
               : cairn_arena_release_except(step->arena, mark, pairs, (size_t)*count * sizeof *pairs);
}

typedef struct Compaction {
    const CairnPair *pairs;
    int pair_count, shape_count, pieces;
    int *starts, *seconds;
} Compaction;

// Shapes up to the first one of the pair before the piece have their starts from the pieces before; the last piece has
// all that follow.
static void compact_piece(void *context, int piece, int worker) {
    const Compaction *k = context;
    const CairnPair *pairs = k->pairs;
    (void)worker;
    int first = (int)((long)k->pair_count * piece / k->pieces);
    int end = (int)((long)k->pair_count * (piece + 1) / k->pieces);
    int shape = first > 0 ? pairs[first - 1].a + 1 : 0;
    for (int p = first; p < end; p++) {
        while (shape <= pairs[p].a) {
            k->starts[shape++] = p;
        }
    }
    while (piece == k->pieces - 1 && shape <= k->shape_count) {
        k->starts[shape++] = k->pair_count;
    }
    for (int p = first; p < end; p++) {
        memcpy(&k->seconds[p], &pairs[p].b, sizeof pairs[p].b); // it may lie where the pairs do
    }
}

// Moves the pairs down to where the boxes were, which are no longer used. Where source and target overlap, one thread
// moves them one by one in their order: that is safe, since the second shape of a pair never moves behind the pair.
static CairnStepPairs compact_pairs(const CairnStep *step, CairnArenaMark mark, const CairnPair *pairs, int count,
                                    int *starts) {
    enum { PIECES = 64, LEAST = 4096 }; // pairs that are worth a second thread
    Compaction compaction = {pairs, count, step->store->shape_pool.count, 1, starts, NULL};
    size_t bytes = (size_t)count * sizeof *compaction.seconds;
    compaction.seconds = cairn_arena_release_reserving(step->arena, mark, (void *)pairs, bytes);
    bool is_apart = (uintptr_t)compaction.seconds + bytes <= (uintptr_t)pairs;
    compaction.pieces = is_apart && count > LEAST ? PIECES : 1;
    cairn_pieces_run(step->threads, compaction.pieces, compact_piece, &compaction);
    return (CairnStepPairs){starts, compaction.seconds, count};
}

// Memory for as many contacts as in the last step comes first in the arena: all that is needed only to find them lies
// above it, and is freed at the end. Returns true where there were more contacts than that: the next call has enough
// memory for them.
static bool collide(CairnStep *step, CairnStepContacts *contacts) {
    CairnArenaMark before = cairn_arena_mark(step->arena);
    double t0 = cairn_timer_now();
    int capacity = step->world->contact_capacity, pair_count = 0;
    *contacts = (CairnStepContacts){.all = CAIRN_STEP_PUSH(step, CairnStepContact, capacity), .capacity = capacity};
    int *starts = CAIRN_STEP_PUSH(step, int, step->store->shape_pool.count + 1);
    CairnArenaMark mark = cairn_arena_mark(step->arena);
    CairnStepBoxes boxes = {0};
    const CairnPair *pairs = NULL;
    if (!cairn_step_failed(step)) {
        cairn_step_make_boxes(step, true, &boxes);
    }
    if (!cairn_step_failed(step)) {
        pairs = find_pairs(step, &boxes, &pair_count);
    }
    if (cairn_step_failed(step)) {
        return false;
    }
    double t1 = cairn_timer_now();
    step->stats.pairs = pair_count;
    step->stats.times.broad += t1 - t0;
    bool is_done = cairn_step_narrow(step, &boxes, pairs, pair_count, contacts);
    if (is_done && !cairn_step_failed(step)) { // pairs are tested again when the velocities are known
        contacts->pairs = compact_pairs(step, mark, pairs, pair_count, starts);
        contacts->rolls = boxes.has_rolling ? CAIRN_STEP_PUSH(step, CairnVec3, capacity) : NULL;
    } else if (!is_done) {
        cairn_arena_release(step->arena, before);
        cairn_step_reserve(step);
    }
    step->stats.contacts = contacts->count;
    step->stats.times.narrow += cairn_timer_now() - t1;
    return !is_done;
}

void cairn_step_collide(CairnStep *step, CairnStepContacts *contacts) {
    while (!cairn_step_failed(step) && collide(step, contacts)) {
    }
}
