// Geometric stiffness. A force F at an arm r turns with its body: its torque changes by K = [F]x [r]x = r F^T - (r.F) 1 per
// radian. Under tension that is a stiff spring, explicit in a plain step: a link of a loaded chain has h omega of 19 where 2 is the
// limit. So the step takes it implicitly, (M - h^2 K) v+ = M v + h f + J^T lambda, with the symmetric, negative semidefinite part of
// K (the restoring one), summed over the forces on a body, and only where it is large against the inertia.
#include "engine/base/mat3.h"
#include "engine/step.h"

static void add_contact_stiffness(CairnMat3 *K, CairnVec3 force, CairnVec3 arm) {
    double along = cairn_dot(force, arm);
    CairnMat3 rf = cairn_mat3_outer(arm, force), fr = cairn_mat3_outer(force, arm);
    CairnMat3 symmetric = cairn_mat3_scaled(0.5, cairn_mat3_sum(rf, fr));
    symmetric = cairn_mat3_sum(symmetric, cairn_mat3_diagonal(-along, -along, -along));
    *K = cairn_mat3_sum(*K, symmetric);
}

static void sum_joints(const CairnStep *step, const double *lambda, CairnMat3 *sum) {
    for (int j = 0; j < step->joint_count; j++) {
        const CairnStepJoint *sj = &step->joints[j];
        CairnJointInput input;
        CairnMat3 K[CAIRN_JOINT_MAX_BODIES] = {0};
        cairn_world_joint_input(step->store, sj->joint, step->h, &input);
        cairn_joint_stiffness(&input, sj->rows, sj->row_count, lambda + sj->row, K);
        for (int k = 0; k < sj->body_count; k++) {
            int block = cairn_step_block(step, sj->bodies[k]);
            if (block >= 0) {
                sum[block] = cairn_mat3_sum(sum[block], K[k]);
            }
        }
    }
}

static void sum_contacts(const CairnStep *step, const double *lambda, CairnMat3 *sum) {
    for (int i = 0; i < step->contact_count; i++) {
        const CairnStepContact *c = &step->contacts[i];
        const double *l = lambda + c->row;
        CairnVec3 impulse = cairn_scale(l[0], c->normal);
        if (c->row_count >= 3) {
            impulse = cairn_add_scaled(cairn_add_scaled(impulse, l[1], c->tangent_1), l[2], c->tangent_2);
        }
        CairnVec3 force = cairn_scale(1.0 / step->h, impulse);
        int a = cairn_step_block(step, c->body_a), b = cairn_step_block(step, c->body_b);
        if (a >= 0) {
            add_contact_stiffness(&sum[a], cairn_neg(force), c->arm_a);
        }
        if (b >= 0) {
            add_contact_stiffness(&sum[b], force, c->arm_b);
        }
    }
}

static double norm(CairnMat3 a) {
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            sum += a.m[i][j] * a.m[i][j];
        }
    }
    return sqrt(sum);
}

// The restoring part of K where it matters, 0 elsewhere.
static CairnMat3 restoring(const CairnStep *step, const CairnStepBlock *block, CairnMat3 K) {
    double limit =
        step->world->def.geometric_threshold * step->store->bodies[block->body].inertia_low / (step->h * step->h);
    CairnMat3 kept = {0};
    if (norm(K) <= limit) { // bounds every eigenvalue: most bodies leave here
        return kept;
    }
    double values[3];
    CairnMat3 axes;
    cairn_mat3_eigen(K, values, &axes);
    if (-values[0] <= limit) {
        return kept;
    }
    for (int i = 0; i < 3; i++) {
        CairnVec3 axis = {axes.m[0][i], axes.m[1][i], axes.m[2][i]};
        kept = cairn_mat3_sum(kept, cairn_mat3_scaled(fmin(values[i], 0), cairn_mat3_outer(axis, axis)));
    }
    return kept;
}

bool cairn_step_stiffen(CairnStep *step, const double *lambda) {
    CairnMat3 *sum = CAIRN_STEP_PUSH(step, CairnMat3, step->block_count);
    if (sum == NULL) {
        return false;
    }
    for (int b = 0; b < step->block_count; b++) {
        sum[b] = (CairnMat3){0};
    }
    sum_joints(step, lambda, sum);
    sum_contacts(step, lambda, sum);
    bool has_jumped = false;
    for (int b = 0; b < step->block_count; b++) {
        CairnStepBlock *block = &step->blocks[b];
        CairnMat3 next = restoring(step, block, sum[b]);
        double change = norm(cairn_mat3_sum(next, cairn_mat3_scaled(-1, block->stiffness)));
        double size = fmax(norm(next), norm(block->stiffness));
        has_jumped = has_jumped || change > step->world->def.geometric_jump * size;
        block->stiffness = next;
    }
    return has_jumped;
}
