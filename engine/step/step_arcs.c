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
// Where the turning of some body under load is far too fast for the step (geometric stiffness, step_stiffness.c), all that
// joints tie to it keeps straight rows: a taut net that is struck can follow no arc, since its rows have no part across
// it, and would answer with impulses of any size. Only once the stiffness stands, and where straight rows miss far,
// their arcs are tried, and kept where that brings joints nearer.
//
// What then still ends far from where its rows say needs a shorter step: it is made in parts.
#include "engine/base/vec6.h"
#include "engine/step/step.h"
#include <string.h>

// A joint may end so far from where its rows say, as a share of its arms or in radians: a further solve follows.
static const double tolerance = 2e-4;

// What straight rows of stiff bodies may miss, in tolerances: a thousandth of their arms. Beyond, their arcs are tried.
static const double far_off = 5;

// A further solve must leave no more than this share of what joints were off. Where it does not (taut nets, turns of a
// radian and more in a step), there is no more to gain from straight rows, and where it left more than there was, the
// step goes back to what it had.
static const double least_gain = 0.7;

// c of every row of a joint for these velocities.
static void find_arcs(const CairnStep *step, const CairnStepJoint *sj, const double *velocity, double *arcs) {
    CairnJointInput input = {.core = sj->input->core, .gear_a = sj->input->gear_a, .gear_b = sj->input->gear_b};
    CairnVec6 v[CAIRN_JOINT_MAX_BODIES];
    double turn = 0;
    for (int k = 0; k < sj->body_count; k++) {
        v[k] = cairn_step_solved(step, velocity, sj->bodies[k]);
        turn = fmax(turn, cairn_length_squared(v[k].angular));
    }
    if (turn == 0) {
        memset(arcs, 0, (size_t)sj->row_count * sizeof *arcs);
        return;
    }
    for (int k = 0; k < sj->body_count; k++) {
        input.bodies[k] = cairn_joint_moved(&sj->input->bodies[k], v[k], step->h);
    }
    cairn_joint_changes(&input, sj->rows, sj->row_count, arcs);
    for (int r = 0; r < sj->row_count; r++) {
        for (int k = 0; k < sj->body_count; k++) {
            arcs[r] -= step->h * cairn_vec6_dot(sj->rows[r].jacobian[k], v[k]);
        }
    }
}

// A joint that turns farther, rad, even in the most parts that a step is made in, keeps straight rows: solving again does
// not converge there.
static const double most_turn = 0.4;

// From this stiffness on a body is stiff by far, as under a load that is much heavier than itself.
static const double far = 4;

// h^2 |K| against the inertia, of the joint's stiffest body.
static double stiffness_of(const CairnStep *step, const CairnStepJoint *sj, const CairnMat3 *K) {
    double most = 0;
    for (int k = 0; k < sj->body_count && K != NULL; k++) {
        int b = cairn_step_block(step, sj->bodies[k]);
        if (b >= 0) {
            CairnVec3 moments = step->store->bodies[sj->bodies[k]].model->moments;
            double trace = -(K[b].m[0][0] + K[b].m[1][1] + K[b].m[2][2]);
            most = fmax(most, step->h * step->h * trace / moments.z);
        }
    }
    return most;
}

// The length that errors of a joint's rows are held against.
static double arm_of(const CairnStepJoint *sj) {
    double square = 0;
    for (int k = 0; k < sj->body_count; k++) {
        const CairnJointBody *bodies = sj->input->bodies;
        square = fmax(square, cairn_length_squared(cairn_sub(bodies[k | 1].frame.p, bodies[k].center)));
    }
    return sqrt(square);
}

// By how much bodies of a joint turn against each other, rad, where that bends the way of what is locked: a turn bends it
// by turn^2 / 2 of the arm, but a wheel on its axle turns and bends nothing.
static double turn_of(const CairnStep *step, const CairnStepJoint *sj, const double *velocity, const double *arcs) {
    double turn = 0, bend = 0, arm = arm_of(sj);
    for (int r = 0; r < sj->row_count; r++) {
        double unit = cairn_joint_is_angle(sj->input, sj->rows[r].axis) ? 1 : arm;
        if (sj->rows[r].role == CAIRN_ROW_LOCK && fabs(arcs[r]) > 0) {
            bend = fmax(bend, unit > 0 ? sqrt(2 * fabs(arcs[r]) / unit) : HUGE_VAL);
        }
    }
    if (bend == 0) {
        return 0;
    }
    for (int k = 0; k < sj->body_count; k += 2) {
        CairnVec3 a = cairn_step_solved(step, velocity, sj->bodies[k]).angular;
        CairnVec3 b = cairn_step_solved(step, velocity, sj->bodies[k + 1]).angular;
        turn = fmax(turn, step->h * cairn_length(cairn_sub(b, a)));
    }
    return bend > 0.25 * turn ? turn : bend;
}

// A step that proves too long for its joints is made in more parts. What is stiff by far (under a heavy load) even in
// these would need far more of them than there may be, and is held without.
static void check_turns(CairnStep *step, const CairnStepJoints *joints, const CairnMat3 *K, const double *velocity,
                        const double *arcs) {
    double most = 0;
    int count = step->share->count;
    for (int j = 0; j < joints->count; j++) {
        const CairnStepJoint *sj = &joints->all[j];
        double turn = turn_of(step, sj, velocity, arcs + sj->row);
        double finer = (double)cairn_step_parts(step, turn * count) / count;
        if (stiffness_of(step, sj, K) < far * finer * finer) {
            most = fmax(most, turn);
        }
    }
    int parts = cairn_step_parts(step, most * count);
    step->parts = parts;
    step->is_too_long = parts > count;
}

static int first_block(const CairnStep *step, const CairnStepJoint *sj) {
    int k = 0;
    while (k + 1 < sj->body_count && cairn_step_block(step, sj->bodies[k]) < 0) {
        k++;
    }
    return cairn_step_block(step, sj->bodies[k]);
}

// Marks the joints that keep straight rows: all that joints tie to a body that is stiff by far.
static bool *find_straight(CairnStep *step, const CairnStepJoints *joints, const CairnMat3 *K) {
    bool *straight = CAIRN_STEP_PUSH(step, bool, joints->count);
    int *parent = CAIRN_STEP_PUSH(step, int, step->block_count);
    bool *is_far = (bool *)cairn_step_push_zero(step, (size_t)step->block_count, sizeof(bool));
    if (cairn_step_failed(step)) {
        return NULL;
    }
    for (int b = 0; b < step->block_count; b++) {
        parent[b] = b;
    }
    for (int j = 0; j < joints->count; j++) {
        const CairnStepJoint *sj = &joints->all[j];
        int first = first_block(step, sj);
        for (int k = 0; k < sj->body_count; k++) {
            int b = cairn_step_block(step, sj->bodies[k]);
            if (b >= 0) {
                cairn_step_unite(parent, first, b);
            }
        }
    }
    for (int j = 0; j < joints->count; j++) {
        int root = cairn_step_root(parent, first_block(step, &joints->all[j]));
        is_far[root] = is_far[root] || stiffness_of(step, &joints->all[j], K) > far;
    }
    for (int j = 0; j < joints->count; j++) {
        straight[j] = is_far[cairn_step_root(parent, first_block(step, &joints->all[j]))];
    }
    return straight;
}

// The arcs of all joints, by rows; without K those of stiff bodies, too. With `first` the step may prove too long for
// them.
static double *find_all(CairnStep *step, const CairnStepJoints *joints, const CairnMat3 *K, const double *velocity,
                        bool first) {
    const CairnStepJoint *last = &joints->all[joints->count - 1];
    double *arcs = CAIRN_STEP_PUSH(step, double, last->row + last->row_count);
    for (int j = 0; j < joints->count && arcs != NULL; j++) {
        find_arcs(step, &joints->all[j], velocity, arcs + joints->all[j].row);
    }
    if (first && arcs != NULL) {
        check_turns(step, joints, K, velocity, arcs);
    }
    for (int j = 0; j < joints->count && arcs != NULL; j++) {
        const CairnStepJoint *sj = &joints->all[j];
        if (turn_of(step, sj, velocity, arcs + sj->row) > most_turn) {
            memset(arcs + sj->row, 0, (size_t)sj->row_count * sizeof *arcs);
        }
    }
    if (K == NULL || cairn_step_failed(step)) {
        return cairn_step_failed(step) ? NULL : arcs;
    }
    CairnArenaMark mark = cairn_arena_mark(step->arena);
    const bool *straight = find_straight(step, joints, K);
    for (int j = 0; j < joints->count && straight != NULL; j++) {
        const CairnStepJoint *sj = &joints->all[j];
        if (straight[j]) {
            memset(arcs + sj->row, 0, (size_t)sj->row_count * sizeof *arcs);
        }
    }
    cairn_arena_release(step->arena, mark);
    return cairn_step_failed(step) ? NULL : arcs;
}

// A lock holds where its arc ends, whatever share of an earlier error it removes. Limits and springs act at the start:
// what they are far from in a step they need not meet in it.
static double arc_term(const CairnStep *step, const CairnJointRow *row, double arc) {
    return row->role == CAIRN_ROW_LOCK ? arc / step->h : 0;
}

// Returns the arcs that were in use.
static const double *use(const CairnStep *step, CairnStepSystem *system, const double *arcs) {
    CairnStepJoints *joints = &system->joints;
    const double *before = joints->arcs;
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
static bool is_kept(const CairnStep *step, const CairnStepJoint *sj, const double *velocity, const double *arcs) {
    double arm = arm_of(sj);
    for (int r = 0; r < sj->row_count; r++) {
        double way = 0, unit = cairn_joint_is_angle(sj->input, sj->rows[r].axis) ? 1 : arm;
        for (int k = 0; k < sj->body_count; k++) {
            way += step->h * cairn_vec6_dot(sj->rows[r].jacobian[k], cairn_step_solved(step, velocity, sj->bodies[k]));
        }
        if (sj->rows[r].role == CAIRN_ROW_LOCK && fabs(way) > 4 * fabs(arcs[r]) + 0.05 * unit) {
            return false;
        }
    }
    return true;
}

void cairn_step_bend(CairnStep *step, CairnStepSystem *system) {
    if (system->joints.count == 0 || step->share->is_closing || cairn_step_failed(step)) {
        return;
    }
    double *start = CAIRN_STEP_PUSH(step, double, 6 * (size_t)step->block_count);
    for (int b = 0; b < step->block_count && start != NULL; b++) {
        CairnVec3 v = step->blocks[b].start.linear, spin = step->blocks[b].spin;
        memcpy(start + (ptrdiff_t)6 * b, (const double[]){v.x, v.y, v.z, spin.x, spin.y, spin.z}, 6 * sizeof *start);
    }
    double *arcs = start != NULL ? find_all(step, &system->joints, system->stiffness, start, true) : NULL;
    for (int j = 0; j < system->joints.count && arcs != NULL; j++) {
        const CairnStepJoint *sj = &system->joints.all[j];
        if (!is_kept(step, sj, start, arcs + sj->row)) {
            memset(arcs + sj->row, 0, (size_t)sj->row_count * sizeof *arcs);
        }
    }
    if (arcs != NULL) {
        (void)use(step, system, arcs);
    }
}

// How far locks end from where the problem says, in tolerances; 0: no farther than one.
static double miss(const CairnStepJoint *sj, const double *arcs, const double *used) {
    double most = 0, arm = arm_of(sj);
    for (int r = 0; r < sj->row_count; r++) {
        const CairnJointRow *row = &sj->rows[r];
        double limit = tolerance * (cairn_joint_is_angle(sj->input, row->axis) ? 1 : arm);
        double off = fabs(arcs[r] - used[r]);
        if (row->role == CAIRN_ROW_LOCK && off > limit) {
            most = fmax(most, limit > 0 ? off / limit : HUGE_VAL);
        }
    }
    return most;
}

static double most_missed(const CairnStepJoints *joints, const double *arcs) {
    double most = 0;
    for (int j = 0; j < joints->count && arcs != NULL; j++) {
        int row = joints->all[j].row;
        most = fmax(most, miss(&joints->all[j], arcs + row, joints->arcs + row));
    }
    return most;
}

// How far locks end from where the problem says, in what a step may leave: a thousandth of the typical length, or of their
// arms where these are longer.
static double most_apart(const CairnStep *step, const CairnStepJoints *joints, const double *arcs) {
    double most = 0, length = step->world->def.typical_length;
    for (int j = 0; j < joints->count && arcs != NULL; j++) {
        const CairnStepJoint *sj = &joints->all[j];
        double arm = arm_of(sj), allowance = far_off * tolerance * fmax(arm, length);
        for (int r = 0; r < sj->row_count; r++) {
            double off = fabs(arcs[sj->row + r] - joints->arcs[sj->row + r]);
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
    const double *arcs = find_all(step, joints, K, review->velocity, pass == 1);
    const double *all = arcs;
    double most = most_missed(joints, arcs);
    if (K != NULL && review->stiffness == NULL && !cairn_step_failed(step)) { // what is stiff is no more than tried
        all = find_all(step, joints, NULL, review->velocity, false);
        double off = most_missed(joints, all);
        if (joints->has_all || off > fmax(most, far_off)) {
            arcs = all;
            most = off;
            review->has_all_arcs = true;
        }
    }
    double apart = most_apart(step, joints, all);
    // Where the geometric stiffness changes, other joints are straight: what they were off is no measure.
    bool is_second = joints->kept != NULL && review->stiffness == NULL && review->has_all_arcs == joints->has_all;
    if (is_second && !(most <= joints->miss)) {
        review->arcs = joints->kept;
        apart = joints->apart;
    } else if (most > 0 && pass < step->world->def.joint_passes && !(is_second && most > least_gain * joints->miss)) {
        review->arcs = arcs;
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
