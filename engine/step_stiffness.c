// Geometric stiffness. A force F at an arm r turns with its body: its torque changes by K = [F]x [r]x = r F^T - (r.F) 1 per
// radian. Under tension that is a stiff spring, explicit in a plain step: a link of a loaded chain has h omega of 19 where 2 is the
// limit. So the step takes it implicitly, (M - h^2 K) v+ = M v + h f + J^T lambda, with the symmetric, negative semidefinite part of
// K (the restoring one), summed over the forces on a body, and only where it is large against the inertia. Only the part of F
// along r counts: K has the eigenvalues 0, -r.F, -r.F whatever F is across r (engine/joints/stiffness.c).
#include "engine/base/mat3.h"
#include "engine/step.h"

// -(r.F) (1 - r r^T / r^2)
static void add_contact_stiffness(CairnMat3 *K, CairnVec3 force, CairnVec3 arm) {
    double along = cairn_dot(force, arm), square = cairn_length_squared(arm);
    if (square > 0) {
        *K = cairn_mat3_sum(*K, cairn_mat3_scaled(along / square, cairn_mat3_outer(arm, arm)));
        *K = cairn_mat3_sum(*K, cairn_mat3_diagonal(-along, -along, -along));
    }
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
        step->world->def.geometric_threshold * step->store->bodies[block->body].moments.x / (step->h * step->h);
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

// P = M - h^2 K of one block (under the midpoint rule 2 M - h^2 K).
static void write_stiffness(const CairnStep *step, int b, CairnMat3 K) {
    double factor = step->world->def.integrator == CAIRN_MIDPOINT ? 2 : 1;
    double *P = step->P + (ptrdiff_t)36 * b;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            P[6 * (3 + i) + 3 + j] = factor * step->blocks[b].inertia.m[i][j] - step->h * step->h * K.m[i][j];
        }
    }
}

// Does one body's K differ from the one in use by more than the world's measure?
static bool has_jumped(const CairnStep *step, CairnMat3 next, CairnMat3 last) {
    double change = norm(cairn_mat3_sum(next, cairn_mat3_scaled(-1, last)));
    return change > step->world->def.geometric_jump * fmax(norm(next), norm(last));
}

static CairnMat3 *find_stiffness(CairnStep *step, const double *lambda) {
    CairnMat3 *K = (CairnMat3 *)cairn_step_push_zero(step, (size_t)step->block_count, sizeof(CairnMat3));
    if (K != NULL) {
        sum_joints(step, lambda, K);
        sum_contacts(step, lambda, K);
        for (int b = 0; b < step->block_count; b++) {
            K[b] = restoring(step, &step->blocks[b], K[b]);
        }
    }
    return K;
}

void cairn_step_stiffen(CairnStep *step) {
    if (step->problem.row_count == 0 || !step->world->def.geometric_stiffness) {
        return;
    }
    step->stiffness = find_stiffness(step, step->lambda);
    for (int b = 0; b < step->block_count && !cairn_step_failed(step); b++) {
        write_stiffness(step, b, step->stiffness[b]);
    }
}

bool cairn_step_stiffen_again(CairnStep *step) {
    CairnMat3 *next = find_stiffness(step, step->lambda);
    bool jumped = false;
    for (int b = 0; b < step->block_count && next != NULL && !jumped; b++) {
        jumped = has_jumped(step, next[b], step->stiffness[b]);
    }
    // A K that hardly changed is not put in use: P stays the one that was solved with.
    for (int b = 0; b < step->block_count && jumped; b++) {
        step->stiffness[b] = next[b];
        write_stiffness(step, b, next[b]);
    }
    return jumped;
}
