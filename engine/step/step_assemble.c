// Assemble: contacts and joints -> one problem. Constraints stand in a fixed order (joints by slot, then contacts by
// shape pair), so that the bits of the answer depend on the world alone.
#include "engine/base/hash.h"
#include "engine/base/mat3.h"
#include "engine/base/pieces.h"
#include "engine/base/timer.h"
#include "engine/step/step.h"
#include "solvers/problem/law.h"
#include <string.h>

// ---- dynamics ----

static void write_matrix(double mass, const CairnMat3 *inertia, double *P) {
    memset(P, 0, 36 * sizeof(double));
    for (int i = 0; i < 3; i++) {
        P[7 * i] = mass;
        for (int j = 0; j < 3; j++) {
            P[6 * (3 + i) + 3 + j] = inertia->m[i][j];
        }
    }
}

// Balls of one mass and moment use one matrix, in any orientation. Gives every block the offset of its matrix in
// P, complemented where that is still to be written; returns how many matrices there are.
static int assign_matrices(const CairnStep *step, CairnDofBlock *blocks) {
    const CairnBody *last = NULL;
    int count = 0, last_matrix = 0;
    for (int b = 0; b < step->block_count; b++) {
        const CairnBody *body = &step->store->bodies[step->blocks[b].body];
        bool is_same = last != NULL && body->model->is_isotropic && body->model->mass == last->model->mass &&
                       body->model->moments.x == last->model->moments.x;
        blocks[b].matrix = is_same ? last_matrix : ~(36 * count);
        if (body->model->is_isotropic && !is_same) {
            last = body;
            last_matrix = 36 * count;
        }
        count += is_same ? 0 : 1;
    }
    return count;
}

// One rigid body's dof block: P = M (the geometric stiffness comes later), p = M (free velocity) = M v + h f.
static void write_block(const CairnStep *step, int b, CairnDofBlock *blocks, double *P, double *p) {
    const CairnStepBlock *block = &step->blocks[b];
    const CairnBody *body = &step->store->bodies[block->body];
    uint64_t id = ((uint64_t)step->store->body_pool.slots[block->body].generation << 32) | (uint32_t)block->body;
    CairnMat3 inertia = cairn_step_inertia(step, block);
    int matrix = blocks[b].matrix >= 0 ? blocks[b].matrix : ~blocks[b].matrix;
    if (blocks[b].matrix < 0) {
        write_matrix(body->model->mass, &inertia, P + matrix);
    }
    blocks[b] = (CairnDofBlock){6 * b, 6, matrix, body->group, body->model->mass, id};
    p += (ptrdiff_t)6 * b;
    CairnVec3 linear = cairn_scale(body->model->mass, block->free.linear);
    CairnVec3 angular = cairn_mat3_mul(inertia, block->free.angular);
    p[0] = linear.x;
    p[1] = linear.y;
    p[2] = linear.z;
    p[3] = angular.x;
    p[4] = angular.y;
    p[5] = angular.z;
}

// ---- the arrays ----

// What assemble reads and writes.
typedef struct Assembly {
    const CairnStep *step;
    CairnStepContacts *contacts;
    CairnStepSystem *system;
    const double *earlier;
    double *lambda;
    CairnConstraintBlock *constraints;
    CairnTerm *terms;
    double *J;
} Assembly;

static int count_terms(const CairnStep *step, const int *bodies, int body_count) {
    int terms = 0;
    for (int k = 0; k < body_count; k++) {
        bool is_new = cairn_step_block(step, bodies[k]) >= 0;
        for (int i = 0; i < k && is_new; i++) {
            is_new = bodies[i] != bodies[k];
        }
        terms += is_new ? 1 : 0;
    }
    return terms;
}

// Give every joint and contact its constraint, rows and terms.
static void number(const Assembly *a, int *term_entries) {
    CairnProblem *problem = &a->system->problem;
    int entries = 0;
    for (int j = 0; j < a->system->joints.count; j++) {
        CairnStepJoint *sj = &a->system->joints.all[j];
        int terms = count_terms(a->step, sj->bodies, sj->body_count);
        sj->constraint = problem->constraint_count++;
        sj->row = problem->row_count;
        problem->row_count += sj->row_count;
        problem->term_count += terms;
        entries += 6 * terms * sj->row_count;
    }
    for (int i = 0; i < a->contacts->count; i++) {
        CairnStepContact *c = &a->contacts->all[i];
        int bodies[2] = {c->body_a, c->body_b};
        int terms = count_terms(a->step, bodies, 2);
        problem->constraint_count += 1;
        c->row = problem->row_count;
        problem->row_count += c->row_count;
        problem->term_count += terms;
        problem->friction_count += c->row_count > 1 ? 1 : 0;
        entries += cairn_step_has_frame(c) ? 0 : 6 * terms * c->row_count;
    }
    *term_entries = entries;
}

static void allocate(CairnStep *step, Assembly *a, int term_entries) {
    CairnStepSystem *system = a->system;
    CairnProblem *problem = &system->problem;
    system->blocks = CAIRN_STEP_PUSH(step, CairnDofBlock, problem->block_count);
    a->constraints = CAIRN_STEP_PUSH(step, CairnConstraintBlock, problem->constraint_count);
    a->terms = CAIRN_STEP_PUSH(step, CairnTerm, problem->term_count);
    system->frictions = CAIRN_STEP_PUSH(step, CairnFriction, problem->friction_count);
    system->p = CAIRN_STEP_PUSH(step, double, problem->dof_count);
    system->J = CAIRN_STEP_PUSH(step, double, term_entries);
    system->compliance = CAIRN_STEP_PUSH(step, double, problem->row_count);
    system->right_side = CAIRN_STEP_PUSH(step, double, problem->row_count);
    system->lower = CAIRN_STEP_PUSH(step, double, problem->row_count);
    system->upper = CAIRN_STEP_PUSH(step, double, problem->row_count);
    if (cairn_step_failed(step)) {
        return;
    }
    system->matrix_count = assign_matrices(step, system->blocks);
    system->P = CAIRN_STEP_PUSH(step, double, 36 * (size_t)system->matrix_count);
    a->lambda = CAIRN_STEP_PUSH(step, double, problem->row_count);
    problem->blocks = system->blocks;
    problem->constraints = a->constraints;
    problem->terms = a->terms;
    problem->frictions = system->frictions;
    problem->P = system->P;
    problem->p = system->p;
    problem->J = system->J;
    problem->frames = a->contacts->count > 0 ? &a->contacts->all[0].frame : NULL;
    problem->frame_stride = sizeof *a->contacts->all;
    problem->compliance = system->compliance;
    problem->right_side = system->right_side;
    problem->lower = system->lower;
    problem->upper = system->upper;
}

// Where the next constraint's terms and Jacobian go.
typedef struct Cursor {
    int term, entry, friction;
    int earlier; // row of the answer before
} Cursor;

static void write_terms(const Assembly *a, Cursor *at, const int *bodies, int body_count, int rows) {
    for (int k = 0; k < body_count; k++) {
        bool is_new = cairn_step_block(a->step, bodies[k]) >= 0;
        for (int i = 0; i < k && is_new; i++) {
            is_new = bodies[i] != bodies[k];
        }
        if (is_new) {
            a->terms[at->term++] = (CairnTerm){a->step->block_of[bodies[k]], at->entry};
            at->entry += 6 * rows;
        }
    }
}

// ---- joints ----

static void add_joint(const Assembly *a, Cursor *at, const CairnStepJoint *sj) {
    const CairnStep *step = a->step;
    const CairnJoint *joint = &step->store->joints[sj->joint];
    uint64_t id = ((uint64_t)step->store->joint_pool.slots[sj->joint].generation << 32) | (uint32_t)sj->joint;
    CairnConstraintBlock *block = &a->constraints[sj->constraint];
    *block = (CairnConstraintBlock){sj->row, sj->row_count, at->term, 0, -1, cairn_hash_combine(0x6a6f696e74u, id)};
    int entry = at->entry;
    write_terms(a, at, sj->bodies, sj->body_count, sj->row_count);
    block->term_count = at->term - block->first_term;
    cairn_step_write_joint(step, sj, a->system->J + entry, a->system->right_side + sj->row);
    cairn_step_joint_compliance(step, a->system, sj, a->system->compliance + sj->row);
    bool is_warm = joint->row_count == sj->row_count; // else its definition changed
    for (int r = 0; r < sj->row_count; r++) {
        const CairnJointRow *row = &sj->rows[r];
        double unit = cairn_step_unit(step, sj, r), lower = row->lower / unit, upper = row->upper / unit;
        a->system->lower[sj->row + r] = lower;
        a->system->upper[sj->row + r] = upper;
        double warm = is_warm ? step->impulse_scale * joint->lambda[r] / unit : 0;
        warm = a->earlier != NULL ? a->earlier[sj->row + r] : warm;
        a->lambda[sj->row + r] = cairn_clamp(warm, lower, upper);
    }
}

// ---- contacts ----

// Both sides of a contact's frame, where it stands among the contacts.
static void write_frame_terms(const Assembly *a, Cursor *at, const int bodies[2], int contact) {
    for (int side = 0; side < 2; side++) {
        int block = cairn_step_block(a->step, bodies[side]);
        if (block >= 0) {
            a->terms[at->term++] = (CairnTerm){block, ~(2 * contact + side)};
        }
    }
}

// A contact's constraint and terms, which follow those of the one before.
static void add_contact(const Assembly *a, Cursor *at, int contact) {
    const CairnStepContact *c = &a->contacts->all[contact];
    CairnConstraintBlock *block = &a->constraints[a->system->joints.count + contact];
    int bodies[2] = {c->body_a, c->body_b};
    *block = (CairnConstraintBlock){c->row, c->row_count, at->term, 0, -1, c->id};
    if (cairn_step_has_frame(c)) {
        write_frame_terms(a, at, bodies, contact);
    } else {
        write_terms(a, at, bodies, 2, c->row_count);
    }
    block->term_count = at->term - block->first_term;
    if (c->row_count > 1) {
        block->friction = at->friction++;
    }
    if (c->is_prepared) { // the warm start is what was solved before
        memcpy(a->lambda + c->row, a->earlier + at->earlier, c->row_count * sizeof(double));
        at->earlier += c->row_count;
    }
}

static void write_friction(const Assembly *a, int contact) {
    const CairnStepContact *c = &a->contacts->all[contact];
    CairnFrictionKind kind = a->step->world->def.friction;
    CairnMaterial material = cairn_step_material(a->step, c);
    double length = a->step->world->def.typical_length;
    CairnFriction *friction = &a->system->frictions[a->constraints[a->system->joints.count + contact].friction];
    *friction = (CairnFriction){
        .kind = kind,
        .constraint = a->system->joints.count + contact,
        .normal = c->row,
        .spin_rows = c->row_count > 3 ? c->row_count - 3 : 0,
        .mu = material.friction,
        .torsion = material.torsional_friction / length,
        .rolling = material.rolling_friction / length,
        .frozen = c->frozen,
    };
    for (int r = 1; r < c->row_count; r++) {
        // Only the box's bounds are numbers; the other laws bound by the answer itself.
        double bound = kind == CAIRN_FRICTION_BOX ? cairn_law_lever(friction, r) * c->frozen : HUGE_VAL;
        a->system->lower[c->row + r] = -bound;
        a->system->upper[c->row + r] = bound;
    }
}

static void write_contact(const Assembly *a, int contact) {
    const CairnStep *step = a->step;
    const CairnVec3 *rolls = a->contacts->rolls;
    const CairnStepContact *c = &a->contacts->all[contact];
    if (!cairn_step_has_frame(c)) {
        const CairnConstraintBlock *block = &a->constraints[a->system->joints.count + contact];
        cairn_step_write_contact_rows(step, rolls, c, a->system->J + a->terms[block->first_term].jacobian);
    }
    double *compliance = a->system->compliance + c->row;
    cairn_step_contact_compliance(step, a->system, c, c->is_prepared ? a->lambda[c->row] : 0, compliance);
    cairn_step_write_right_side(step, rolls, c, compliance, a->system->right_side + c->row);
    a->system->lower[c->row] = 0;
    a->system->upper[c->row] = HUGE_VAL;
    if (c->row_count > 1) {
        write_friction(a, contact);
    }
    if (!c->is_prepared) {
        cairn_step_warm_contact(step, rolls, c, a->lambda + c->row);
    }
    for (int r = c->row; r < c->row + c->row_count; r++) {
        a->lambda[r] = cairn_clamp(a->lambda[r], a->system->lower[r], a->system->upper[r]);
    }
}

static void write_blocks(void *context, int first, int end) {
    const Assembly *a = context;
    for (int b = first; b < end; b++) {
        write_block(a->step, b, a->system->blocks, a->system->P, a->system->p);
    }
}

static void write_contacts(void *context, int first, int end) {
    const Assembly *a = context;
    for (int i = first; i < end; i++) {
        write_contact(a, i);
    }
}

static void write_all(Assembly *a) {
    int threads = a->step->threads;
    cairn_spans_run(threads, a->step->block_count, CAIRN_STEP_FEW, write_blocks, a);
    Cursor at = {0};
    for (int j = 0; j < a->system->joints.count; j++) {
        const CairnStepJoint *sj = &a->system->joints.all[j];
        add_joint(a, &at, sj);
        at.earlier += sj->row_count;
    }
    for (int i = 0; i < a->contacts->count; i++) {
        add_contact(a, &at, i);
    }
    cairn_spans_run(threads, a->contacts->count, 256, write_contacts, a);
}

// ---- the stage ----

void cairn_step_allocate_answer(CairnStep *step, const CairnStepContacts *contacts, CairnStepAnswer *answer) {
    double t0 = cairn_timer_now();
    cairn_step_check_room(step, step->block_count, contacts->count);
    if (!cairn_step_failed(step)) {
        answer->velocity = CAIRN_STEP_PUSH(step, double, 6 * (size_t)step->block_count);
        answer->problem = cairn_arena_mark(step->arena);
    }
    step->stats.times.assemble += cairn_timer_now() - t0;
}

void cairn_step_assemble(CairnStep *step, CairnStepContacts *contacts, CairnStepSystem *system,
                         CairnStepAnswer *answer) {
    if (cairn_step_failed(step)) {
        return;
    }
    double t0 = cairn_timer_now();
    *system = (CairnStepSystem){.problem = {.form = CAIRN_FORM_DYNAMICS,
                                            .step = step->h,
                                            .rest_speed = step->kick * cairn_step_acceleration(step),
                                            .block_count = step->block_count,
                                            .dof_count = 6 * step->block_count}};
    cairn_step_contact_frames(step, contacts, answer->velocity);
    cairn_step_joint_rows(step, &system->joints);
    if (!cairn_step_failed(step)) {
        cairn_step_find_groups(step, contacts, &system->joints, &system->groups);
    }
    if (!cairn_step_failed(step)) {
        cairn_step_weigh_islands(step, system);
    }
    if (cairn_step_failed(step)) {
        return;
    }
    Assembly assembly = {.step = step, .contacts = contacts, .system = system, .earlier = answer->earlier};
    int term_entries;
    number(&assembly, &term_entries);
    allocate(step, &assembly, term_entries);
    if (cairn_step_failed(step)) {
        return;
    }
    write_all(&assembly);
    cairn_step_stiffen(step, contacts, assembly.lambda, system);
    cairn_step_bend(step, system);
    if (answer->softness > 0) {
        cairn_step_soften(step, system, answer->softness);
    }
    answer->lambda = assembly.lambda;
    answer->pass = 0;
    step->stats.times.assemble += cairn_timer_now() - t0;
}
