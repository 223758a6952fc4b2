// Geometric stiffness. A force F at an arm r turns with its body: its torque changes by K = [F]x [r]x = r F^T - (r.F) 1
// per radian. Under tension that is a stiff spring, explicit in a plain step: a link of a loaded chain has h omega of
// 19 where 2 is the limit. So the step takes it implicitly, (M - h^2 K) v+ = M v + h f + J^T lambda, with the
// symmetric, negative semidefinite part of K (the restoring one), summed over the forces on a body, and only where it
// is large against the inertia. Only the part of F along r counts: K has the eigenvalues 0, -r.F, -r.F whatever F is
// across r (engine/joints/stiffness.c).
#include "engine/base/mat3.h"
#include "engine/step/step.h"
#include <string.h>

static double norm(CairnMat3 a) {
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            sum += a.m[i][j] * a.m[i][j];
        }
    }
    return sqrt(sum);
}

// -(r.F) (1 - r r^T / r^2)
static CairnMat3 contact_stiffness(CairnVec3 force, CairnVec3 arm) {
    double along = cairn_dot(force, arm), square = cairn_length_squared(arm);
    if (!(square > 0)) {
        return (CairnMat3){0};
    }
    CairnMat3 outer = cairn_mat3_scaled(along / square, cairn_mat3_outer(arm, arm));
    return cairn_mat3_sum(outer, cairn_mat3_diagonal(-along, -along, -along));
}

// The joint forces that act on a body: the sum of their K, and their stiffness relative to the inertia that they move.
// A body on one joint swings about it with I + m r^2 (where the other side moves with a mass p: I + r^2 m p / (m + p)):
// a pendulum, slow however heavy. A link between two joints turns about its centre with I, which is the fast motion.
// Compared with I alone, a bob on a long thread would be damped without need. A body that a joint ties to something far
// heavier turns about that, however far off another one pulls: r is then the arm of the nearest such joint.
typedef struct Acting {
    CairnMat3 K;
    double rate;  // sum of |K_i| / (I + r_i^2 m p_i / (m + p_i)), 1/s2
    double pivot; // r^2 of the nearest joint to something heavy; HUGE_VAL: there is none
} Acting;

static double mass_of(const CairnStep *step, int body) {
    return cairn_step_block(step, body) >= 0 ? step->store->bodies[body].model->mass : HUGE_VAL;
}

// The inertia that a force at this arm turns.
static double turned_inertia(const CairnStep *step, int body, int other, double arm_squared) {
    const CairnBodyModel *model = step->store->bodies[body].model;
    double mass_ratio = 1 / (1 + model->mass / mass_of(step, other)); // p / (m + p)
    return model->moments.x + arm_squared * model->mass * mass_ratio;
}

static void add_acting(const CairnStep *step, Acting *acting, int body, int other, CairnMat3 K, double arm_squared) {
    double rate = norm(K) / turned_inertia(step, body, other, arm_squared);
    // Force by force: a slow one is not taken along by a fast one (a hinge at the very centre of a small body). A
    // quarter, for several may add up.
    if (step->h * step->h * rate > 0.25 * step->world->def.geometric_threshold) {
        acting->K = cairn_mat3_sum(acting->K, K);
        acting->rate += rate;
    }
}

// Most forces are far too slow, and that takes no matrix to see: |K| is sqrt(2) |r.F|, or up to `turn` more.
static bool may_matter(const CairnStep *step, int body, int other, CairnVec3 force, CairnVec3 arm, double square,
                       double turn) {
    double least = 0.25 * step->world->def.geometric_threshold, most = 1.4143 * fabs(cairn_dot(force, arm)) + turn;
    return step->h * step->h * most > least * turned_inertia(step, body, other, square);
}

// One side of a contact.
static void add_contact(const CairnStep *step, Acting *acting, int body, int other, CairnVec3 force, CairnVec3 arm) {
    double square = cairn_length_squared(arm);
    if (may_matter(step, body, other, force, arm, square, 0)) {
        add_acting(step, acting, body, other, contact_stiffness(force, arm), square);
    }
}

// Every force of a joint acts at frame B's origin, except that of a rod, which acts at the end of the rod.
static CairnVec3 arm_of(const CairnStepJoint *sj, int k) {
    int end = sj->input->core->def.type == CAIRN_JOINT_DISTANCE ? k : k | 1;
    return cairn_sub(sj->input->bodies[end].frame.p, sj->input->bodies[k].center);
}

static void find_pivots(const CairnStep *step, const CairnStepJoints *joints, Acting *sum) {
    static const double heavy = 10; // times as heavy is as good as fixed
    for (int b = 0; b < step->block_count; b++) {
        sum[b].pivot = HUGE_VAL;
    }
    for (int j = 0; j < joints->count; j++) {
        const CairnStepJoint *sj = &joints->all[j];
        for (int k = 0; k < sj->body_count; k++) {
            int block = cairn_step_block(step, sj->bodies[k]);
            if (block >= 0 && mass_of(step, sj->bodies[k ^ 1]) >= heavy * mass_of(step, sj->bodies[k])) {
                sum[block].pivot = fmin(sum[block].pivot, cairn_length_squared(arm_of(sj, k)));
            }
        }
    }
}

// r^2 of what a joint's force turns.
static double turned_arm(const CairnStepJoint *sj, int k, const Acting *acting) {
    return fmin(cairn_length_squared(arm_of(sj, k)), acting->pivot);
}

// True: the motion that a joint restores is far too slow to need stiffness for any of its bodies.
static bool is_slow(const CairnStep *step, const CairnStepJoint *sj, const double *lambda, const Acting *sum) {
    CairnVec3 force;
    double turn;
    if (!cairn_joint_pull(sj->input, sj->rows, sj->row_count, lambda, &force, &turn)) {
        return false;
    }
    for (int k = 0; k < 2; k++) {
        int block = cairn_step_block(step, sj->bodies[k]);
        if (block >= 0 && may_matter(step, sj->bodies[k], sj->bodies[1 - k], force, arm_of(sj, k),
                                     turned_arm(sj, k, &sum[block]), turn)) {
            return false;
        }
    }
    return true;
}

static void sum_joints(const CairnStep *step, const CairnStepJoints *joints, const double *lambda, Acting *sum) {
    find_pivots(step, joints, sum);
    for (int j = 0; j < joints->count; j++) {
        const CairnStepJoint *sj = &joints->all[j];
        double room[CAIRN_JOINT_MAX_ROWS], forces[CAIRN_JOINT_MAX_ROWS];
        const double *impulses = cairn_step_joint_impulses(step, sj, lambda, room);
        for (int r = 0; step->h != step->kick && r < sj->row_count; r++) {
            forces[r] = impulses[r] * (step->h / step->kick); // as if their forces had acted for all of the joint's h
        }
        impulses = step->h != step->kick ? forces : impulses;
        if (is_slow(step, sj, impulses, sum)) {
            continue;
        }
        CairnMat3 K[CAIRN_JOINT_MAX_BODIES] = {0};
        cairn_joint_stiffness(sj->input, sj->rows, sj->row_count, impulses, K);
        for (int k = 0; k < sj->body_count; k++) {
            int block = cairn_step_block(step, sj->bodies[k]);
            if (block >= 0) {
                add_acting(step, &sum[block], sj->bodies[k], sj->bodies[k ^ 1], K[k], turned_arm(sj, k, &sum[block]));
            }
        }
    }
}

static void sum_contacts(const CairnStep *step, const CairnStepContacts *contacts, const double *lambda, Acting *sum) {
    for (int i = 0; i < contacts->count; i++) {
        const CairnStepContact *c = &contacts->all[i];
        const double *l = lambda + c->row;
        CairnVec3 impulse = cairn_scale(l[0], c->frame.normal);
        if (c->row_count >= 3) {
            impulse =
                cairn_add_scaled(cairn_add_scaled(impulse, l[1], c->frame.tangent), l[2], cairn_step_tangent_2(c));
        }
        CairnVec3 force = cairn_scale(1.0 / step->kick, impulse);
        int a = cairn_step_block(step, c->body_a), b = cairn_step_block(step, c->body_b);
        if (a >= 0) {
            add_contact(step, &sum[a], c->body_a, c->body_b, cairn_neg(force), c->frame.arm[0]);
        }
        if (b >= 0) {
            add_contact(step, &sum[b], c->body_b, c->body_a, force, c->frame.arm[1]);
        }
    }
}

// How much stiffer than the smallest inertia, as h^2 |K| / I, a body is made at most. Forces of mechanisms that pull
// apart, or a rod of nearly no length, ask for more; beyond 1 / epsilon times, M is lost to rounding in M - h^2 K,
// which then is not positive definite. A body that is a thousandth of this stiff does not turn in a step already.
static const double stiffest = 1e12;

// True: no eigenvalue is positive beyond rounding. L D L^T of -K, the largest diagonal first: under tension alone, as
// in most bodies, K restores in every direction but perhaps one, and two pivots of it are large.
static bool is_restoring(CairnMat3 K, double size) {
    static const double large = 1e-3, rounding = 1e-14;
    int i = 0;
    for (int k = 1; k < 3; k++) {
        i = K.m[k][k] < K.m[i][i] ? k : i;
    }
    int j = (i + 1) % 3, l = (i + 2) % 3;
    if (!(-K.m[i][i] > large * size)) {
        return false;
    }
    double jj = K.m[j][j] - K.m[i][j] * K.m[i][j] / K.m[i][i], ll = K.m[l][l] - K.m[i][l] * K.m[i][l] / K.m[i][i];
    double jl = K.m[j][l] - K.m[i][j] * K.m[i][l] / K.m[i][i], first = fmin(jj, ll), second = fmax(jj, ll);
    return -first > large * size && second - jl * jl / first <= rounding * size;
}

// The restoring part of K where it matters, 0 elsewhere.
static CairnMat3 restoring(const CairnStep *step, const CairnStepBlock *block, const Acting *acting) {
    double threshold = step->world->def.geometric_threshold, h = step->h;
    double scale = step->store->bodies[block->body].model->moments.x / (h * h), limit = threshold * scale;
    CairnMat3 kept = {0}, K = acting->K;
    // The norm bounds every eigenvalue: most bodies need no more than this test.
    double size = norm(K), values[3];
    if (size <= limit || h * h * acting->rate <= threshold) {
        return kept;
    }
    // And the largest of three is no less than norm / sqrt(3).
    if (size > 1.75 * limit && size <= stiffest * scale && is_restoring(K, size)) {
        return cairn_mat3_scaled(0.5, cairn_mat3_sum(K, cairn_mat3_transpose(K))); // symmetric to the last bit
    }
    CairnMat3 axes;
    cairn_mat3_eigen(K, values, &axes);
    if (-values[0] <= limit) {
        return kept;
    }
    for (int i = 0; i < 3; i++) {
        CairnVec3 axis = {axes.m[0][i], axes.m[1][i], axes.m[2][i]};
        double value = fmax(fmin(values[i], 0), -stiffest * scale);
        kept = cairn_mat3_sum(kept, cairn_mat3_scaled(value, cairn_mat3_outer(axis, axis)));
    }
    return kept;
}

// P = M - h^2 K of one block.
static void write_stiffness(const CairnStep *step, CairnStepSystem *system, int b, CairnMat3 K) {
    double *P = system->P + system->blocks[b].matrix;
    CairnMat3 inertia = cairn_step_inertia(step, &step->blocks[b]);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            P[6 * (3 + i) + 3 + j] = inertia.m[i][j] - step->h * step->h * K.m[i][j];
        }
    }
}

// Where some K is not 0, every block gets a separate matrix in P.
static void assign_matrices(CairnStep *step, CairnStepSystem *system) {
    if (system->matrix_count == step->block_count) {
        return;
    }
    double *P = CAIRN_STEP_PUSH(step, double, 36 * (size_t)step->block_count);
    for (int b = 0; b < step->block_count && P != NULL; b++) {
        memcpy(P + (ptrdiff_t)36 * b, system->P + system->blocks[b].matrix, 36 * sizeof *P);
        system->blocks[b].matrix = 36 * b;
    }
    if (P != NULL) {
        system->P = P;
        system->problem.P = P;
        system->matrix_count = step->block_count;
    }
}

// p has h^2 K times what the body may turn freely.
static void add_turn(const CairnStep *step, CairnStepSystem *system, int b, double sign) {
    if (system->stiffness != NULL) {
        CairnVec3 part = cairn_mat3_mul(system->stiffness[b], system->turns[b]);
        double factor = sign * step->h * step->h, *p = system->p + (ptrdiff_t)6 * b;
        p[3] -= factor * part.x;
        p[4] -= factor * part.y;
        p[5] -= factor * part.z;
    }
}

void cairn_step_amend_stiffness(CairnStep *step, const CairnStepContacts *contacts, const double *lambda,
                                CairnStepSystem *system, const CairnMat3 *K) {
    const CairnVec3 *turns = cairn_step_find_turns(step, contacts, system, lambda);
    assign_matrices(step, system);
    for (int b = 0; b < step->block_count && !cairn_step_failed(step); b++) {
        if (norm(K[b]) > 0 || (system->stiffness != NULL && norm(system->stiffness[b]) > 0)) {
            write_stiffness(step, system, b, K[b]);
            add_turn(step, system, b, -1);
        }
    }
    if (cairn_step_failed(step)) {
        return;
    }
    system->stiffness = K;
    system->turns = turns;
    for (int b = 0; b < step->block_count; b++) {
        if (norm(K[b]) > 0) {
            add_turn(step, system, b, 1);
        }
    }
}

// True: K of some body differs from the one in use by more than geometric_jump.
static bool has_jumped(const CairnStep *step, CairnMat3 next, CairnMat3 last) {
    double change = norm(cairn_mat3_sum(next, cairn_mat3_scaled(-1, last)));
    return change > step->world->def.geometric_jump * fmax(norm(next), norm(last));
}

static CairnMat3 *find_stiffness(CairnStep *step, const CairnStepContacts *contacts, const CairnStepJoints *joints,
                                 const double *lambda) {
    CairnMat3 *K = CAIRN_STEP_PUSH(step, CairnMat3, step->block_count);
    CairnArenaMark mark = cairn_arena_mark(step->arena);
    Acting *acting = (Acting *)cairn_step_push_zero(step, (size_t)step->block_count, sizeof(Acting));
    if (K == NULL || acting == NULL) {
        return NULL;
    }
    sum_joints(step, joints, lambda, acting);
    sum_contacts(step, contacts, lambda, acting);
    for (int b = 0; b < step->block_count; b++) {
        K[b] = restoring(step, &step->blocks[b], &acting[b]);
    }
    cairn_arena_release(step->arena, mark);
    return K;
}

void cairn_step_stiffen(CairnStep *step, const CairnStepContacts *contacts, const double *lambda,
                        CairnStepSystem *system) {
    if (system->problem.row_count == 0 || !cairn_step_may_stiffen(step)) {
        return;
    }
    CairnArenaMark mark = cairn_arena_mark(step->arena);
    const CairnMat3 *K = find_stiffness(step, contacts, &system->joints, lambda);
    bool is_needed = false;
    for (int b = 0; b < step->block_count && K != NULL && !is_needed; b++) {
        is_needed = norm(K[b]) > 0;
    }
    if (is_needed) { // only in few worlds
        cairn_step_amend_stiffness(step, contacts, lambda, system, K);
    } else {
        cairn_arena_release(step->arena, mark);
    }
}

const CairnMat3 *cairn_step_review_stiffness(CairnStep *step, const CairnStepContacts *contacts,
                                             const CairnStepSystem *system, const double *lambda) {
    CairnArenaMark mark = cairn_arena_mark(step->arena);
    const CairnMat3 *next = find_stiffness(step, contacts, &system->joints, lambda);
    for (int b = 0; b < step->block_count && next != NULL; b++) {
        if (has_jumped(step, next[b], system->stiffness != NULL ? system->stiffness[b] : (CairnMat3){0})) {
            return next;
        }
    }
    // A K that hardly changed is not put in use: P stays the one that was solved with.
    cairn_arena_release(step->arena, mark);
    return NULL;
}

bool cairn_step_relax(CairnStep *step, const CairnStepContacts *contacts, const double *lambda,
                      CairnStepSystem *system) {
    static const double stiff = 1e6; // against the smallest inertia, as stiffest; then none is left
    if (system->stiffness == NULL || system->relaxed >= 2) {
        return false;
    }
    CairnMat3 *K = CAIRN_STEP_PUSH(step, CairnMat3, step->block_count);
    system->relaxed += 1;
    for (int b = 0; b < step->block_count && K != NULL; b++) {
        double inertia = step->store->bodies[step->blocks[b].body].model->moments.x, size = norm(system->stiffness[b]);
        double most = system->relaxed == 1 ? stiff * inertia / (step->h * step->h) : 0;
        K[b] = size > most ? cairn_mat3_scaled(most / size, system->stiffness[b]) : system->stiffness[b];
    }
    if (K != NULL) {
        cairn_step_amend_stiffness(step, contacts, lambda, system, K);
    }
    return !cairn_step_failed(step);
}
