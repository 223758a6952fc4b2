// Joints in the problem.
#include "engine/base/vec6.h"
#include "engine/step/step.h"
#include <string.h>

static void find_bodies(const CairnStep *step, CairnStepJoint *sj) {
    const CairnJoint *joint = &step->store->joints[sj->joint];
    sj->body_count = cairn_joint_body_count(&joint->core.def);
    const CairnJoint *sides[2] = {joint, joint};
    if (joint->core.def.type == CAIRN_JOINT_GEAR) {
        sides[0] = &step->store->joints[joint->core.def.joint_a.index - 1];
        sides[1] = &step->store->joints[joint->core.def.joint_b.index - 1];
    }
    for (int k = 0; k < sj->body_count; k++) {
        sj->bodies[k] = sides[k / 2]->bodies[k % 2];
    }
}

static bool acts_on_dynamic(const CairnStep *step, const CairnStepJoint *sj) {
    for (int k = 0; k < sj->body_count; k++) {
        if (cairn_step_block(step, sj->bodies[k]) >= 0) {
            return true;
        }
    }
    return false;
}

// Forces act for the kick alone, and what the rows of the joint say of impulses is for all of h. The closing half holds
// the end's velocity, J v+ = 0, in the pose of the end: what was off was taken back on the way.
static void share_forces(const CairnStep *step, CairnJointRow *row) {
    double share = step->kick / step->h;
    row->lower *= share;
    row->upper *= share;
    row->compliance /= share;
    if (step->share->is_closing && row->role != CAIRN_ROW_DRIVE) {
        row->error = row->fraction > 0 ? fmax(row->error, 0) : 0;
    }
}

void cairn_step_joint_rows(CairnStep *step, CairnStepJoints *joints) {
    const CairnPool *pool = &step->store->joint_pool;
    *joints = (CairnStepJoints){.all = CAIRN_STEP_PUSH(step, CairnStepJoint, pool->alive)};
    for (int j = 0; j < pool->count && !cairn_step_failed(step); j++) {
        if (!cairn_pool_is_alive(pool, j)) {
            continue;
        }
        CairnStepJoint *sj = &joints->all[joints->count];
        *sj = (CairnStepJoint){.joint = j};
        find_bodies(step, sj);
        if (!acts_on_dynamic(step, sj)) {
            continue;
        }
        CairnJointInput *input = CAIRN_STEP_PUSH(step, CairnJointInput, 1);
        if (input == NULL) {
            return;
        }
        CairnJointRow rows[CAIRN_JOINT_MAX_ROWS];
        cairn_world_joint_input(step->store, j, step->h, input);
        sj->input = input;
        sj->row_count = cairn_joint_rows(input, rows);
        if (sj->row_count == 0) {
            continue;
        }
        for (int r = 0; r < sj->row_count && step->kick != step->h; r++) {
            share_forces(step, &rows[r]);
        }
        CairnJointRow *kept = CAIRN_STEP_PUSH(step, CairnJointRow, sj->row_count);
        if (kept != NULL) {
            memcpy(kept, rows, (size_t)sj->row_count * sizeof(CairnJointRow));
            sj->rows = kept;
            joints->count += 1;
        }
    }
}

static void add_row(double *J, double unit, CairnVec6 jacobian) {
    J[0] += unit * jacobian.linear.x;
    J[1] += unit * jacobian.linear.y;
    J[2] += unit * jacobian.linear.z;
    J[3] += unit * jacobian.angular.x;
    J[4] += unit * jacobian.angular.y;
    J[5] += unit * jacobian.angular.z;
}

// fraction phi / h. What is apart is brought together no faster than the world wants: what opened in a whip would else
// come back as energy, with a speed of half of h omega times that of the turning, on which the next step's whip feeds
// until the chain bursts.
static double position_term(const CairnStep *step, const CairnStepJoint *sj, const CairnJointRow *row) {
    if (row->fraction >= 0) {
        return row->fraction * row->error / step->h; // a gap, or a spring
    }
    const CairnWorldDef *def = &step->world->def;
    double push = cairn_joint_is_angle(sj->input, row->axis) ? def->joint_turn : def->joint_push;
    return cairn_clamp(def->joint_fraction * row->error / step->h, -push, push);
}

// The rate of a drive. One of unlimited force aims at the stop where that is nearer: drive and stop would else bear as
// much as their compliance lets them, and the coordinate would go on through the stop with half of the speed.
static double rate_of(const CairnStep *step, const CairnStepJoint *sj, const CairnJointRow *row) {
    double rate = row->rate;
    if (row->role != CAIRN_ROW_DRIVE || row->upper < HUGE_VAL) {
        return rate;
    }
    for (int r = 0; r < sj->row_count; r++) {
        const CairnJointRow *stop = &sj->rows[r];
        if (stop->axis != row->axis || stop->role == CAIRN_ROW_DRIVE) {
            continue;
        }
        double least = position_term(step, sj, stop);
        if (stop->role == CAIRN_ROW_LOCK) {
            rate = least;
        } else {
            rate = stop->role == CAIRN_ROW_LOWER ? fmin(rate, least) : fmax(rate, -least);
        }
    }
    return rate;
}

// d of one row without J v of bodies that have no dofs.
static double wanted(const CairnStep *step, const CairnStepJoint *sj, const CairnJointRow *row) {
    return position_term(step, sj, row) + rate_of(step, sj, row);
}

// The part of d that demands no speed: a gap that is open stays open.
static double slack(const CairnJointRow *row, double d) {
    bool pushes = row->lower >= 0, pulls = row->upper <= 0;
    return pushes ? fmax(d, 0) : pulls ? fmin(d, 0) : 0;
}

static double calm(const CairnStep *step, const CairnStepJoint *sj, const CairnJointRow *row, bool with_drives) {
    if (row->role == CAIRN_ROW_DRIVE && !with_drives) {
        return wanted(step, sj, row);
    }
    return row->role == CAIRN_ROW_DRIVE ? 0 : slack(row, position_term(step, sj, row));
}

static double right_side(const CairnStep *step, const CairnStepJoint *sj, const CairnJointRow *row, double wanted) {
    double d = wanted;
    for (int k = 0; k < sj->body_count; k++) {
        if (cairn_step_block(step, sj->bodies[k]) < 0) {
            d += cairn_vec6_dot(row->jacobian[k], cairn_step_start(step, sj->bodies[k]));
        }
    }
    return d;
}

// The first index of a dynamic body among the joint's bodies: a gear whose two joints have a body in common has one
// term for it.
static bool is_first(const CairnStepJoint *sj, int k) {
    for (int i = 0; i < k; i++) {
        if (sj->bodies[i] == sj->bodies[k]) {
            return false;
        }
    }
    return true;
}

void cairn_step_write_joint(const CairnStep *step, const CairnStepJoint *sj, double *J, double *d) {
    for (int k = 0; k < sj->body_count; k++) {
        if (cairn_step_block(step, sj->bodies[k]) < 0 || !is_first(sj, k)) {
            continue;
        }
        memset(J, 0, (size_t)sj->row_count * 6 * sizeof(double));
        for (int other = k; other < sj->body_count; other++) {
            for (int r = 0; sj->bodies[other] == sj->bodies[k] && r < sj->row_count; r++) {
                add_row(J + 6 * (ptrdiff_t)r, cairn_step_unit(step, sj, r), sj->rows[r].jacobian[other]);
            }
        }
        J += 6 * (ptrdiff_t)sj->row_count;
    }
    for (int r = 0; r < sj->row_count; r++) {
        d[r] = cairn_step_unit(step, sj, r) * right_side(step, sj, &sj->rows[r], wanted(step, sj, &sj->rows[r]));
    }
}

void cairn_step_calm_joint(const CairnStep *step, const CairnStepJoint *sj, bool with_drives, double *d) {
    for (int r = 0; r < sj->row_count; r++) {
        const CairnJointRow *row = &sj->rows[r];
        d[r] = cairn_step_unit(step, sj, r) * right_side(step, sj, row, calm(step, sj, row, with_drives));
    }
}

double cairn_step_joint_demand(const CairnStep *step, const CairnStepJoint *sj, int r) {
    const CairnJointRow *row = &sj->rows[r];
    double d = position_term(step, sj, row);
    d += row->role == CAIRN_ROW_DRIVE ? rate_of(step, sj, row) : -slack(row, d);
    return right_side(step, sj, row, d);
}

const double *cairn_step_joint_impulses(const CairnStep *step, const CairnStepJoint *sj, const double *lambda,
                                        double room[CAIRN_JOINT_MAX_ROWS]) {
    if (step->world->def.typical_length == 1) {
        return lambda + sj->row;
    }
    for (int r = 0; r < sj->row_count; r++) {
        room[r] = cairn_step_unit(step, sj, r) * lambda[sj->row + r];
    }
    return room;
}
