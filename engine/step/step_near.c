// Near: joints whose bodies move nearly as when their arcs were found (step_arcs.c) end within a tolerance of where
// their rows say. A bound shows it without a single rotation (engine/joints/bounds.c), in most steps for all joints.
#include "engine/base/pieces.h"
#include "engine/step/step_arcs.h"

double cairn_step_arm(const CairnStepJoint *sj) {
    double square = 0;
    for (int k = 0; k < sj->body_count; k++) {
        const CairnJointBody *bodies = sj->input->bodies;
        square = cairn_max(square, cairn_length_squared(cairn_sub(bodies[k | 1].frame.p, bodies[k].center)));
    }
    return sqrt(square);
}

// By how much a block turns in the step, rad, with the velocities of the review or of the arcs in use, and by how much
// the two turns are apart.
typedef struct Turned {
    double now, most, apart;
} Turned;

static Turned turned(double h, CairnVec3 now, CairnVec3 then) {
    double turn = h * cairn_length(now);
    return (Turned){turn, cairn_max(turn, h * cairn_length(then)), h * cairn_length(cairn_sub(now, then))};
}

// What tells whether joints are near enough to where their rows say.
typedef struct Near {
    const CairnStep *step;
    const CairnStepJoints *joints;
    const double *velocity;
    Turned *turned; // of each block
    bool *is_near;  // of each joint
    int first_far;  // the first joint that is not; their count: none
} Near;

static void compare_turns(void *context, int first, int end) {
    const Near *n = context;
    for (int b = first; b < end; b++) {
        const double *now = n->velocity + (ptrdiff_t)6 * b, *then = n->joints->bent + (ptrdiff_t)6 * b;
        n->turned[b] = turned(n->step->h, (CairnVec3){now[3], now[4], now[5]}, (CairnVec3){then[3], then[4], then[5]});
    }
}

// True: with these velocities the joint's locks end no farther than a tolerance from where its rows say, as they have
// hardly changed since the arcs in use were found. Straight rows are those of bodies at rest.
static bool is_near(const Near *n, const CairnStepJoint *sj) {
    double h = n->step->h, linear, angular;
    bool is_bent = false;
    for (int r = sj->row; r < sj->row + sj->row_count && !is_bent; r++) {
        is_bent = n->joints->arcs[r] != 0;
    }
    CairnVec3 now[2], then[2] = {{0, 0, 0}, {0, 0, 0}};
    CairnJointMotions m;
    for (int k = 0; k < 2; k++) {
        int body = sj->bodies[k], block = cairn_step_block(n->step, body);
        CairnVec3 spin = block < 0 ? cairn_step_start(n->step, body).angular : then[k];
        Turned t = block < 0 ? turned(h, spin, spin) : n->turned[block];
        m.turn[k] = is_bent ? t.most : t.now;
        m.turn_apart[k] = is_bent ? t.apart : t.now;
        now[k] = cairn_step_solved(n->step, n->velocity, body).linear;
        then[k] = is_bent ? cairn_step_solved(n->step, n->joints->bent, body).linear : then[k];
    }
    static const double little_turn = 0.25, sure = 0.9; // a turn, rad, that needs no second look; arcs are rounded
    if (!(m.turn[0] + m.turn[1] < little_turn)) {
        return false;
    }
    CairnVec3 way = cairn_sub(now[1], now[0]), way_then = cairn_sub(then[1], then[0]);
    m.way = h * cairn_max(cairn_length(way), cairn_length(way_then));
    m.way_apart = h * cairn_length(cairn_sub(way, way_then));
    cairn_joint_bound_changes(sj->input, sj->rows, sj->row_count, &m, &linear, &angular);
    return linear < sure * CAIRN_ARC_TOLERANCE * cairn_step_arm(sj) && angular < sure * CAIRN_ARC_TOLERANCE;
}

static void compare_span(void *context, int first, int end) {
    Near *n = context;
    for (int j = first; j < end; j++) {
        n->is_near[j] = is_near(n, &n->joints->all[j]);
        if (!n->is_near[j]) {
            cairn_spans_min(&n->first_far, j);
        }
    }
}

bool cairn_step_find_near(CairnStep *step, const CairnStepJoints *joints, const double *velocity, bool *near) {
    CairnArenaMark mark = cairn_arena_mark(step->arena);
    Near n = {step, joints, velocity, CAIRN_STEP_PUSH(step, Turned, step->block_count), near, joints->count};
    if (cairn_step_failed(step)) {
        return false;
    }
    cairn_spans_run(step->threads, step->block_count, 4 * CAIRN_STEP_FEW, compare_turns, &n);
    cairn_spans_run(step->threads, joints->count, CAIRN_STEP_FEW, compare_span, &n);
    cairn_arena_release(step->arena, mark);
    return n.first_far == joints->count;
}
