// Arcs. A joint's rows are straight, J v, and turning bodies go on arcs: what a coordinate phi of a joint comes to at
// the end of the step is phi + h J v + c with the curvature c of its way, of order (h omega)^2. Left out, joints part
// by c in every step, and taking that back costs energy. So c is part of the right side, and locks hold at the end of
// the step: impulses act along J of its start, and phi = 0 at its end. That is SHAKE (Ryckaert, Ciccotti and Berendsen
// 1977), which is symplectic: the energy swings and does not drift.
//
// c is found with the very motion that moves the bodies (step_integrate.c): for the first solve with the velocities at
// the start of the step, which is exact but for what accelerates within it. Where that was not enough, where the solved
// velocities take some joint from where its rows say, the review finds c anew and the step solves again.
//
// Where the turning of some body under load is far too fast for the step (geometric stiffness, step_stiffness.c), all
// that joints tie to it keeps straight rows: a taut net that is struck can follow no arc, since its rows have no part
// across it, and would answer with impulses of any size. Only once the stiffness stands, and where straight rows miss
// far, their arcs are tried, and kept where that brings joints nearer.
//
// What then still ends far from where its rows say needs a shorter step: it is made in parts.
#include "engine/step/step_arcs.h"
#include "engine/base/pieces.h"
#include "engine/base/vec6.h"
#include <string.h>

// What straight rows of stiff bodies may miss, in tolerances: a thousandth of their arms. Beyond, their arcs are tried.
static const double far_off = 5;

// A further solve must leave no more than this share of what joints were off. Where it does not (taut nets, turns of a
// radian and more in a step), there is no more to gain from straight rows, and where it left more than there was, the
// step goes back to what it had.
static const double least_gain = 0.7;

// What the arcs of all joints are found from, and what is found.
typedef struct Arcs {
    const CairnStep *step;
    const CairnStepJoints *joints;
    const double *velocity;
    CairnQuat *turns; // of each block, within the step: most bodies have several joints
    double *all;      // c of every lock's row; 0 of other rows
    double *ways;     // h J v of these; NULL: of no use
    // Joints that are near enough to where their rows say, and need no arcs to see it; NULL: all need them.
    const bool *is_near;
} Arcs;

static void find_turns(void *context, int first, int end) {
    const Arcs *arcs = context;
    for (int b = first; b < end; b++) {
        const double *v = arcs->velocity + (ptrdiff_t)6 * b;
        arcs->turns[b] = cairn_quat_exp(cairn_scale(arcs->step->h, (CairnVec3){v[3], v[4], v[5]}));
    }
}

static CairnQuat turn_in_step(const Arcs *arcs, int body, CairnVec6 v) {
    int block = cairn_step_block(arcs->step, body);
    return block >= 0 ? arcs->turns[block] : cairn_quat_exp(cairn_scale(arcs->step->h, v.angular));
}

static void find_arcs(const Arcs *a, const CairnStepJoint *sj) {
    CairnJointInput input; // of the bodies: where they come to, which is all that is read of them
    CairnVec6 v[CAIRN_JOINT_MAX_BODIES];
    double turn = 0, h = a->step->h, *arcs = a->all + sj->row;
    for (int k = 0; k < sj->body_count; k++) {
        v[k] = cairn_step_solved(a->step, a->velocity, sj->bodies[k]);
        turn = cairn_max(turn, cairn_length_squared(v[k].angular));
    }
    for (int k = 0; k < sj->body_count && turn > 0; k++) {
        CairnQuat q = turn_in_step(a, sj->bodies[k], v[k]);
        cairn_joint_move(&sj->input->bodies[k], cairn_scale(h, v[k].linear), q, &input.bodies[k]);
    }
    input.core = sj->input->core;
    input.gear_a = sj->input->gear_a;
    input.gear_b = sj->input->gear_b;
    if (turn > 0) {
        cairn_joint_changes(&input, sj->rows, sj->row_count, arcs);
    }
    for (int r = 0; r < sj->row_count; r++) {
        bool is_lock = sj->rows[r].role == CAIRN_ROW_LOCK;
        double way = 0, arc = turn > 0 ? arcs[r] : 0;
        for (int k = 0; k < sj->body_count && is_lock; k++) {
            double part = h * cairn_vec6_dot(sj->rows[r].jacobian[k], v[k]);
            way += part;
            arc -= part;
        }
        arcs[r] = turn > 0 ? arc : 0;
        if (a->ways != NULL) {
            a->ways[sj->row + r] = way;
        }
    }
}

static void find_span(void *context, int first, int end) {
    const Arcs *arcs = context;
    for (int j = first; j < end; j++) {
        const CairnStepJoint *sj = &arcs->joints->all[j];
        if (arcs->is_near == NULL || !arcs->is_near[j]) {
            find_arcs(arcs, sj);
        }
    }
}

static void find_near_span(void *context, int first, int end) {
    const Arcs *arcs = context;
    for (int j = first; j < end; j++) {
        if (arcs->is_near[j]) {
            find_arcs(arcs, &arcs->joints->all[j]);
        }
    }
}

// A joint that turns farther, rad, even in the most parts that a step is made in, keeps straight rows: solving again
// does not converge there.
static const double most_turn = 0.4;

// From this stiffness on a body is stiff by far, as under a load that is much heavier than itself.
static const double far = 4;

// h^2 |K| against the inertia of a block.
static double stiffness_of(const CairnStep *step, const CairnMat3 *K, int b) {
    CairnVec3 moments = step->store->bodies[step->blocks[b].body].model->moments;
    double trace = -(K[b].m[0][0] + K[b].m[1][1] + K[b].m[2][2]);
    return step->h * step->h * trace / moments.z;
}

static bool is_stiffer(const CairnStep *step, const CairnStepJoint *sj, const CairnMat3 *K, double limit) {
    for (int k = 0; k < sj->body_count && K != NULL; k++) {
        int b = cairn_step_block(step, sj->bodies[k]);
        if (b >= 0 && stiffness_of(step, K, b) >= limit) {
            return true;
        }
    }
    return false;
}

// By how much bodies of a joint turn against each other, rad.
static double turn_between(const CairnStep *step, const CairnStepJoint *sj, const double *velocity) {
    double turn = 0;
    for (int k = 0; k < sj->body_count; k += 2) {
        CairnVec3 a = cairn_step_solved(step, velocity, sj->bodies[k]).angular;
        CairnVec3 b = cairn_step_solved(step, velocity, sj->bodies[k + 1]).angular;
        turn = cairn_max(turn, step->h * cairn_length(cairn_sub(b, a)));
    }
    return turn;
}

// The part of this turn that bends the way of what is locked, all of it at most: a turn bends it by turn^2 / 2 of the
// arm, but a wheel on its axle turns and bends nothing.
static double bending_turn(const CairnStepJoint *sj, double turn, const double *arcs) {
    double bend = 0, arm = cairn_step_arm(sj);
    for (int r = 0; r < sj->row_count; r++) {
        double unit = cairn_joint_is_angle(sj->input, sj->rows[r].axis) ? 1 : arm;
        if (sj->rows[r].role == CAIRN_ROW_LOCK && fabs(arcs[r]) > 0) {
            bend = fmax(bend, unit > 0 ? sqrt(2 * fabs(arcs[r]) / unit) : HUGE_VAL);
        }
    }
    return bend > 0.25 * turn ? turn : bend;
}

// Drops the arcs of joints that turn too far to be followed. With `first` the step may prove too long, and is then made
// in more parts. What is stiff by far (under a heavy load) even in these would need far more of them than there may be,
// and is held without.
static void check_turns(CairnStep *step, const Arcs *arcs, const CairnMat3 *K, bool first) {
    int count = step->share->count, parts = 1;
    for (int j = 0; j < arcs->joints->count; j++) {
        const CairnStepJoint *sj = &arcs->joints->all[j];
        double turn = turn_between(step, sj, arcs->velocity);
        bool may_be_long = first && cairn_step_parts(step, turn * count) > count;
        if (!may_be_long && turn <= most_turn) { // nearly all of them
            continue;
        }
        turn = bending_turn(sj, turn, arcs->all + sj->row);
        int needed = cairn_step_parts(step, turn * count);
        double finer = (double)needed / count;
        if (may_be_long && !is_stiffer(step, sj, K, far * finer * finer)) {
            parts = needed > parts ? needed : parts;
        }
        if (turn > most_turn) {
            memset(arcs->all + sj->row, 0, (size_t)sj->row_count * sizeof *arcs->all);
        }
    }
    if (first) {
        step->parts = parts;
        step->is_too_long = parts > count;
    }
}

static int first_block(const CairnStep *step, const CairnStepJoint *sj) {
    int k = 0;
    while (k + 1 < sj->body_count && cairn_step_block(step, sj->bodies[k]) < 0) {
        k++;
    }
    return cairn_step_block(step, sj->bodies[k]);
}

// Marks the joints that keep straight rows: all that joints tie to a body that is stiff by far. NULL: there are none.
static const bool *find_straight(CairnStep *step, const CairnStepSystem *system, const CairnMat3 *K) {
    const CairnStepJoints *joints = &system->joints;
    bool *straight = CAIRN_STEP_PUSH(step, bool, joints->count), any = false;
    bool *is_far = (bool *)cairn_step_push_zero(step, (size_t)step->block_count, sizeof(bool));
    for (int b = 0; b < step->block_count && !cairn_step_failed(step); b++) {
        if (stiffness_of(step, K, b) > far) {
            is_far[system->groups.joined[b]] = any = true;
        }
    }
    for (int j = 0; j < joints->count && any; j++) {
        straight[j] = is_far[system->groups.joined[first_block(step, &joints->all[j])]];
    }
    return any ? straight : NULL;
}

// The arcs of all joints, those of stiff bodies too. False: the step has failed, or is too long.
static bool find_all(CairnStep *step, Arcs *arcs, const CairnMat3 *K, bool first) {
    const CairnStepJoint *last = &arcs->joints->all[arcs->joints->count - 1];
    arcs->all = CAIRN_STEP_PUSH(step, double, last->row + last->row_count);
    arcs->turns = CAIRN_STEP_PUSH(step, CairnQuat, step->block_count);
    if (cairn_step_failed(step)) {
        return false;
    }
    cairn_spans_run(step->threads, step->block_count, 4 * CAIRN_STEP_FEW, find_turns, arcs);
    cairn_spans_run(step->threads, arcs->joints->count, CAIRN_STEP_FEW, find_span, arcs);
    check_turns(step, arcs, K, first);
    return !cairn_step_failed(step);
}

static void make_straight(const CairnStepJoints *joints, const bool *straight, double *arcs) {
    for (int j = 0; j < joints->count && straight != NULL; j++) {
        const CairnStepJoint *sj = &joints->all[j];
        if (straight[j]) {
            memset(arcs + sj->row, 0, (size_t)sj->row_count * sizeof *arcs);
        }
    }
}

// A lock holds where its arc ends, whatever share of an earlier error it removes. Limits and springs act at the start:
// what they are far from in a step they need not meet in it.
static double arc_term(const CairnStep *step, const CairnJointRow *row, double arc) {
    return row->role == CAIRN_ROW_LOCK ? arc / step->h : 0;
}

// Returns the arcs that were in use.
static double *use(const CairnStep *step, CairnStepSystem *system, double *arcs) {
    CairnStepJoints *joints = &system->joints;
    double *before = joints->arcs;
    for (int j = 0; j < joints->count; j++) {
        const CairnStepJoint *sj = &joints->all[j];
        for (int r = 0; r < sj->row_count; r++) {
            double change = arcs[sj->row + r] - (before != NULL ? before[sj->row + r] : 0);
            system->right_side[sj->row + r] += cairn_step_unit(step, sj, r) * arc_term(step, &sj->rows[r], change);
        }
    }
    joints->arcs = arcs;
    return before;
}

// True: these velocities keep the joint's locks up to what their ways bend. Others (of a start that its joints do not
// allow, or after a blow from outside) are not those that it will move with.
static bool is_kept(const CairnStepJoint *sj, const double *ways, const double *arcs) {
    double arm = cairn_step_arm(sj);
    for (int r = 0; r < sj->row_count; r++) {
        double unit = cairn_joint_is_angle(sj->input, sj->rows[r].axis) ? 1 : arm;
        if (sj->rows[r].role == CAIRN_ROW_LOCK && fabs(ways[r]) > 4 * fabs(arcs[r]) + 0.05 * unit) {
            return false;
        }
    }
    return true;
}

void cairn_step_bend(CairnStep *step, CairnStepSystem *system) {
    const CairnStepJoints *joints = &system->joints;
    if (joints->count == 0 || step->share->is_closing || cairn_step_failed(step)) {
        return;
    }
    double *start = CAIRN_STEP_PUSH(step, double, 6 * (size_t)step->block_count);
    Arcs arcs = {.step = step, .joints = joints, .velocity = start};
    arcs.ways = CAIRN_STEP_PUSH(step, double, system->problem.row_count);
    for (int b = 0; b < step->block_count && !cairn_step_failed(step); b++) {
        CairnVec3 v = step->blocks[b].start.linear, spin = step->blocks[b].spin;
        memcpy(start + (ptrdiff_t)6 * b, (const double[]){v.x, v.y, v.z, spin.x, spin.y, spin.z}, 6 * sizeof *start);
    }
    if (cairn_step_failed(step) || !find_all(step, &arcs, system->stiffness, true)) {
        return;
    }
    if (system->stiffness != NULL) {
        make_straight(joints, find_straight(step, system, system->stiffness), arcs.all);
    }
    for (int j = 0; j < joints->count; j++) {
        const CairnStepJoint *sj = &joints->all[j];
        if (!is_kept(sj, arcs.ways + sj->row, arcs.all + sj->row)) {
            memset(arcs.all + sj->row, 0, (size_t)sj->row_count * sizeof *arcs.all);
        }
    }
    if (!cairn_step_failed(step)) {
        (void)use(step, system, arcs.all);
        system->joints.bent = start;
    }
}

// How far locks end from where the problem says, in tolerances; 0: no farther than one. NULL: on straight rows.
static double miss(const CairnStepJoint *sj, const double *arcs, const double *used) {
    double most = 0, arm = cairn_step_arm(sj);
    for (int r = 0; r < sj->row_count; r++) {
        const CairnJointRow *row = &sj->rows[r];
        double limit = CAIRN_ARC_TOLERANCE * (cairn_joint_is_angle(sj->input, row->axis) ? 1 : arm);
        double off = fabs((arcs != NULL ? arcs[r] : 0) - used[r]);
        if (row->role == CAIRN_ROW_LOCK && off > limit) {
            most = fmax(most, limit > 0 ? off / limit : HUGE_VAL);
        }
    }
    return most;
}

// Finds the most that any joint is off with all arcs, and with the straight rows of stiff bodies.
static void find_most_missed(const Arcs *arcs, const bool *straight, double *with_all, double *most) {
    const CairnStepJoints *joints = arcs->joints;
    *with_all = *most = 0;
    for (int j = 0; j < joints->count; j++) {
        const CairnStepJoint *sj = &joints->all[j];
        bool near = arcs->is_near != NULL && arcs->is_near[j];
        double own = near ? 0 : miss(sj, arcs->all + sj->row, joints->arcs + sj->row);
        bool is_straight = straight != NULL && straight[j];
        *with_all = cairn_max(*with_all, own);
        *most = cairn_max(*most, is_straight ? miss(sj, NULL, joints->arcs + sj->row) : own);
    }
}

// How far locks end from where the problem says, in what a step may leave: a thousandth of the typical length, or of
// their arms where these are longer.
static double most_apart(const CairnStep *step, const Arcs *arcs) {
    const CairnStepJoints *joints = arcs->joints;
    double most = 0, length = step->world->def.typical_length;
    for (int j = 0; j < joints->count; j++) {
        const CairnStepJoint *sj = &joints->all[j];
        double arm = cairn_step_arm(sj), allowance = far_off * CAIRN_ARC_TOLERANCE * fmax(arm, length);
        bool near = arcs->is_near != NULL && arcs->is_near[j]; // within a fifth of the allowance
        for (int r = 0; r < sj->row_count && !near; r++) {
            double off = fabs(arcs->all[sj->row + r] - joints->arcs[sj->row + r]);
            if (sj->rows[r].role == CAIRN_ROW_LOCK) {
                off *= cairn_joint_is_angle(sj->input, sj->rows[r].axis) ? arm : 1;
                most = fmax(most, off / allowance);
            }
        }
    }
    return most;
}

// What solving again does not bring together needs shorter ways: in n parts they bend by a share of 1/n^2 each.
static void check_apart(CairnStep *step, double apart) {
    int count = step->share->count, most = step->world->def.substeps;
    if (apart > 1 && 2 * count <= most && !cairn_step_failed(step)) {
        double parts = count * fmax(2, ceil(sqrt(apart)));
        step->parts = parts < most ? (int)parts : most;
        step->is_too_long = true;
    }
}

void cairn_step_review_arcs(CairnStep *step, const CairnStepSystem *system, int pass, CairnStepReview *review) {
    const CairnStepJoints *joints = &system->joints;
    if (joints->count == 0 || joints->stands || step->share->is_closing) {
        return;
    }
    CairnArenaMark mark = cairn_arena_mark(step->arena);
    const CairnMat3 *K = review->stiffness != NULL ? review->stiffness : system->stiffness;
    Arcs arcs = {.step = step, .joints = joints, .velocity = review->velocity};
    double with_all = 0, most = 0;
    bool *near = joints->kept == NULL ? CAIRN_STEP_PUSH(step, bool, joints->count) : NULL;
    bool all_near = near != NULL && cairn_step_find_near(step, joints, review->velocity, near);
    arcs.is_near = near;
    if (cairn_step_failed(step) || (!all_near && !find_all(step, &arcs, K, pass == 1))) {
        return;
    }
    const bool *straight = K != NULL ? find_straight(step, system, K) : NULL;
    if (cairn_step_failed(step)) {
        return;
    }
    if (!all_near || straight != NULL) {
        find_most_missed(&arcs, straight, &with_all, &most);
    }
    if (K != NULL && review->stiffness == NULL && (joints->has_all || with_all > fmax(most, far_off))) {
        most = with_all; // what is stiff is no more than tried
        review->has_all_arcs = true;
        straight = NULL;
    }
    double apart = all_near ? 0 : most_apart(step, &arcs);
    // Where the geometric stiffness changes, other joints are straight: what they were off is no measure.
    bool is_second = joints->kept != NULL && review->stiffness == NULL && review->has_all_arcs == joints->has_all;
    if (is_second && !(most <= joints->miss)) {
        review->arcs = joints->kept;
        apart = joints->apart;
    } else if (most > 0 && pass < step->world->def.joint_passes && !(is_second && most > least_gain * joints->miss)) {
        arcs.is_near = all_near ? NULL : near;
        if (all_near && !find_all(step, &arcs, K, false)) {
            return;
        }
        if (arcs.is_near != NULL) {
            cairn_spans_run(step->threads, joints->count, CAIRN_STEP_FEW, find_near_span, &arcs);
        }
        make_straight(joints, straight, arcs.all);
        review->arcs = arcs.all;
        review->miss = most;
        review->apart = apart;
        return;
    }
    cairn_arena_release(step->arena, mark);
    if (review->stiffness == NULL) { // else another solve follows
        check_apart(step, apart);
    }
}

void cairn_step_amend_arcs(const CairnStep *step, CairnStepSystem *system, const CairnStepReview *review) {
    system->joints.stands = review->arcs == system->joints.kept;
    system->joints.has_all = review->has_all_arcs;
    system->joints.apart = review->apart;
    system->joints.kept = use(step, system, review->arcs);
    system->joints.miss = review->stiffness == NULL ? review->miss : HUGE_VAL;
}

double cairn_step_arc_demand(const CairnStep *step, const CairnStepJoints *joints, const CairnStepJoint *sj, int r) {
    double arc = joints->arcs != NULL ? joints->arcs[sj->row + r] : 0;
    return cairn_step_unit(step, sj, r) * arc_term(step, &sj->rows[r], arc);
}

void cairn_step_straighten(const CairnStepJoints *joints, const CairnStepJoint *sj) {
    if (joints->arcs != NULL) {
        memset(joints->arcs + sj->row, 0, (size_t)sj->row_count * sizeof *joints->arcs);
    }
}
