// Assemble: contacts and joints -> one problem. Constraints stand in a fixed order (joints by slot, then contacts by shape pair),
// so that the bits of the answer depend on the world alone.
#include "engine/base/hash.h"
#include "engine/base/mat3.h"
#include "engine/base/pieces.h"
#include "engine/base/timer.h"
#include "engine/step/step.h"
#include "solvers/problem/law.h"
#include <string.h>

// ---- dynamics ----

static void write_matrix(double factor, double mass, const CairnMat3 *inertia, double *P) {
    memset(P, 0, 36 * sizeof(double));
    for (int i = 0; i < 3; i++) {
        P[7 * i] = factor * mass;
        for (int j = 0; j < 3; j++) {
            P[6 * (3 + i) + 3 + j] = factor * inertia->m[i][j];
        }
    }
}

// Balls of one mass and moment share a matrix, however they are turned. Gives every block its place in P, complemented where that is
// still to be written; returns how many matrices there are.
static int place_matrices(const CairnStep *step, CairnDofBlock *blocks) {
    const CairnBody *last = NULL;
    int count = 0, shared = 0;
    for (int b = 0; b < step->block_count; b++) {
        const CairnBody *body = &step->store->bodies[step->blocks[b].body];
        bool is_same = last != NULL && body->model->is_isotropic && body->model->mass == last->model->mass &&
                       body->model->moments.x == last->model->moments.x;
        blocks[b].matrix = is_same ? shared : ~(36 * count);
        if (body->model->is_isotropic && !is_same) {
            last = body;
            shared = 36 * count;
        }
        count += is_same ? 0 : 1;
    }
    return count;
}

// One rigid body's dof block: P = M (the geometric stiffness comes later), p = M (free velocity) = M v + h f. Under the midpoint
// rule the unknown is (v + v+)/2:  2 M vm = 2 M v + h f + J^T lambda.
static void write_block(const CairnStep *step, int b, CairnDofBlock *blocks, double *P, double *p) {
    const CairnStepBlock *block = &step->blocks[b];
    const CairnBody *body = &step->store->bodies[block->body];
    bool midpoint = step->world->def.integrator == CAIRN_MIDPOINT;
    double factor = midpoint ? 2 : 1;
    uint64_t id = ((uint64_t)step->store->body_pool.slots[block->body].generation << 32) | (uint32_t)block->body;
    CairnMat3 inertia = cairn_step_inertia(step, block);
    int matrix = blocks[b].matrix >= 0 ? blocks[b].matrix : ~blocks[b].matrix;
    if (blocks[b].matrix < 0) {
        write_matrix(factor, body->model->mass, &inertia, P + matrix);
    }
    blocks[b] = (CairnDofBlock){6 * b, 6, matrix, body->group, body->model->mass, id};
    p += (ptrdiff_t)6 * b;
    CairnVec3 linear = block->free.linear, angular = block->free.angular;
    if (midpoint) {
        linear = cairn_add(linear, block->start.linear);
        angular = cairn_add(angular, block->spin);
    }
    linear = cairn_scale(body->model->mass, linear);
    angular = cairn_mat3_mul(inertia, angular);
    p[0] = linear.x;
    p[1] = linear.y;
    p[2] = linear.z;
    p[3] = angular.x;
    p[4] = angular.y;
    p[5] = angular.z;
}

// ---- the arrays ----

typedef struct Arrays {
    CairnDofBlock *blocks;
    CairnConstraintBlock *constraints;
    CairnTerm *terms;
    CairnFriction *frictions;
    double *p, *J, *compliance, *right_side, *lower, *upper;
} Arrays;

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
static void number(CairnStep *step, int *term_entries) {
    CairnProblem *problem = &step->problem;
    int entries = 0;
    for (int j = 0; j < step->joint_count; j++) {
        CairnStepJoint *sj = &step->joints[j];
        int terms = count_terms(step, sj->bodies, sj->body_count);
        sj->constraint = problem->constraint_count++;
        sj->row = problem->row_count;
        problem->row_count += sj->row_count;
        problem->term_count += terms;
        entries += 6 * terms * sj->row_count;
    }
    for (int i = 0; i < step->contact_count; i++) {
        CairnStepContact *c = &step->contacts[i];
        int bodies[2] = {c->body_a, c->body_b};
        int terms = count_terms(step, bodies, 2);
        problem->constraint_count += 1;
        c->row = problem->row_count;
        problem->row_count += c->row_count;
        problem->term_count += terms;
        problem->friction_count += c->row_count > 1 ? 1 : 0;
        entries += cairn_step_has_frame(c) ? 0 : 6 * terms * c->row_count;
    }
    *term_entries = entries;
}

static void allocate(CairnStep *step, Arrays *a, int term_entries) {
    CairnProblem *problem = &step->problem;
    *a = (Arrays){
        .blocks = CAIRN_STEP_PUSH(step, CairnDofBlock, problem->block_count),
        .constraints = CAIRN_STEP_PUSH(step, CairnConstraintBlock, problem->constraint_count),
        .terms = CAIRN_STEP_PUSH(step, CairnTerm, problem->term_count),
        .frictions = CAIRN_STEP_PUSH(step, CairnFriction, problem->friction_count),
        .p = CAIRN_STEP_PUSH(step, double, problem->dof_count),
        .J = CAIRN_STEP_PUSH(step, double, term_entries),
        .compliance = CAIRN_STEP_PUSH(step, double, problem->row_count),
        .right_side = CAIRN_STEP_PUSH(step, double, problem->row_count),
        .lower = CAIRN_STEP_PUSH(step, double, problem->row_count),
        .upper = CAIRN_STEP_PUSH(step, double, problem->row_count),
    };
    if (cairn_step_failed(step)) {
        return;
    }
    step->matrix_count = place_matrices(step, a->blocks);
    step->P = CAIRN_STEP_PUSH(step, double, 36 * (size_t)step->matrix_count);
    step->dof_blocks = a->blocks;
    step->lambda = CAIRN_STEP_PUSH(step, double, problem->row_count);
    step->lower = a->lower;
    step->upper = a->upper;
    step->frictions = a->frictions;
    problem->blocks = a->blocks;
    problem->constraints = a->constraints;
    problem->terms = a->terms;
    problem->frictions = a->frictions;
    problem->P = step->P;
    problem->p = a->p;
    problem->J = a->J;
    problem->frames = step->contact_count > 0 ? &step->contacts[0].frame : NULL;
    problem->frame_stride = sizeof *step->contacts;
    problem->compliance = a->compliance;
    problem->right_side = a->right_side;
    problem->lower = a->lower;
    problem->upper = a->upper;
}

// Where the next constraint's terms and Jacobian go.
typedef struct Cursor {
    int term, entry, friction;
    int solved; // row of step->solved
} Cursor;

static void write_terms(const CairnStep *step, Arrays *a, Cursor *at, const int *bodies, int body_count, int rows) {
    for (int k = 0; k < body_count; k++) {
        bool is_new = cairn_step_block(step, bodies[k]) >= 0;
        for (int i = 0; i < k && is_new; i++) {
            is_new = bodies[i] != bodies[k];
        }
        if (is_new) {
            a->terms[at->term++] = (CairnTerm){step->block_of[bodies[k]], at->entry};
            at->entry += 6 * rows;
        }
    }
}

// ---- joints ----

static void add_joint(CairnStep *step, Arrays *a, Cursor *at, const CairnStepJoint *sj) {
    const CairnJoint *joint = &step->store->joints[sj->joint];
    uint64_t id = ((uint64_t)step->store->joint_pool.slots[sj->joint].generation << 32) | (uint32_t)sj->joint;
    CairnConstraintBlock *block = &a->constraints[sj->constraint];
    *block = (CairnConstraintBlock){sj->row, sj->row_count, at->term, 0, -1, cairn_hash_combine(0x6a6f696e74u, id)};
    int entry = at->entry;
    write_terms(step, a, at, sj->bodies, sj->body_count, sj->row_count);
    block->term_count = at->term - block->first_term;
    cairn_step_write_joint(step, sj, a->J + entry, a->right_side + sj->row);
    bool is_warm = joint->row_count == sj->row_count; // else its definition changed
    for (int r = 0; r < sj->row_count; r++) {
        const CairnJointRow *row = &sj->rows[r];
        a->compliance[sj->row + r] = row->compliance;
        a->lower[sj->row + r] = row->lower;
        a->upper[sj->row + r] = row->upper;
        double warm = is_warm ? step->impulse_scale * joint->lambda[r] : 0;
        warm = step->solved != NULL ? step->solved[sj->row + r] : warm;
        step->lambda[sj->row + r] = cairn_clamp(warm, row->lower, row->upper);
    }
}

// ---- contacts ----

// Both sides of a contact's frame, where it stands among the contacts.
static void write_frame_terms(const CairnStep *step, Arrays *a, Cursor *at, const int bodies[2], int contact) {
    for (int side = 0; side < 2; side++) {
        int block = cairn_step_block(step, bodies[side]);
        if (block >= 0) {
            a->terms[at->term++] = (CairnTerm){block, ~(2 * contact + side)};
        }
    }
}

// A contact's constraint and terms, which follow those of the one before.
static void place_contact(const CairnStep *step, Arrays *a, Cursor *at, int contact) {
    const CairnStepContact *c = &step->contacts[contact];
    CairnConstraintBlock *block = &a->constraints[step->joint_count + contact];
    int bodies[2] = {c->body_a, c->body_b};
    *block = (CairnConstraintBlock){c->row, c->row_count, at->term, 0, -1, c->id};
    if (cairn_step_has_frame(c)) {
        write_frame_terms(step, a, at, bodies, contact);
    } else {
        write_terms(step, a, at, bodies, 2, c->row_count);
    }
    block->term_count = at->term - block->first_term;
    if (c->row_count > 1) {
        block->friction = at->friction++;
    }
    if (c->is_prepared) { // the warm start is what was solved before
        memcpy(step->lambda + c->row, step->solved + at->solved, c->row_count * sizeof(double));
        at->solved += c->row_count;
    }
}

static void write_friction(const CairnStep *step, const Arrays *a, int contact) {
    const CairnStepContact *c = &step->contacts[contact];
    CairnFrictionKind kind = step->world->def.friction;
    CairnMaterial material = cairn_step_material(step, c);
    CairnFriction *friction = &a->frictions[a->constraints[step->joint_count + contact].friction];
    *friction = (CairnFriction){
        .kind = kind,
        .constraint = step->joint_count + contact,
        .normal = c->row,
        .spin_rows = c->row_count > 3 ? c->row_count - 3 : 0,
        .mu = material.friction,
        .torsion = material.torsional_friction,
        .rolling = material.rolling_friction,
        .frozen = c->frozen,
    };
    for (int r = 1; r < c->row_count; r++) {
        // Only the box's bounds are numbers; the other laws bound by the answer itself.
        double bound = kind == CAIRN_FRICTION_BOX ? cairn_law_lever(friction, r) * c->frozen : HUGE_VAL;
        a->lower[c->row + r] = -bound;
        a->upper[c->row + r] = bound;
    }
}

static void write_contact(const CairnStep *step, const Arrays *a, int contact) {
    const CairnWorldDef *def = &step->world->def;
    const CairnStepContact *c = &step->contacts[contact];
    if (!cairn_step_has_frame(c)) {
        const CairnConstraintBlock *block = &a->constraints[step->joint_count + contact];
        cairn_step_write_contact_rows(step, c, a->J + a->terms[block->first_term].jacobian);
    }
    cairn_step_write_right_side(step, c, a->right_side + c->row);
    a->lower[c->row] = 0;
    a->upper[c->row] = HUGE_VAL;
    if (c->row_count > 1) {
        write_friction(step, a, contact);
    }
    if (!c->is_prepared) {
        cairn_step_warm_contact(step, c, step->lambda + c->row);
    }
    for (int r = c->row; r < c->row + c->row_count; r++) {
        a->compliance[r] = r == c->row ? def->normal_compliance : def->friction_compliance;
        step->lambda[r] = cairn_clamp(step->lambda[r], a->lower[r], a->upper[r]);
    }
}

// What spans of bodies and of contacts are written by.
typedef struct Writing {
    const CairnStep *step;
    const Arrays *arrays;
} Writing;

static void write_blocks(void *context, int first, int end) {
    const Writing *w = context;
    for (int b = first; b < end; b++) {
        write_block(w->step, b, w->arrays->blocks, w->step->P, w->arrays->p);
    }
}

static void write_contacts(void *context, int first, int end) {
    const Writing *w = context;
    for (int i = first; i < end; i++) {
        write_contact(w->step, w->arrays, i);
    }
}

static void add_contacts(const CairnStep *step, Arrays *a, Cursor *at) {
    for (int i = 0; i < step->contact_count; i++) {
        place_contact(step, a, at, i);
    }
    Writing writing = {step, a};
    cairn_spans_run(step->threads, step->contact_count, 256, write_contacts, &writing);
}

// ---- the stage ----

void cairn_step_assemble(CairnStep *step) {
    if (cairn_step_failed(step)) {
        return;
    }
    double t0 = cairn_timer_now();
    if (step->velocity == NULL) {
        cairn_step_check_room(step, step->block_count, step->contact_count);
        if (cairn_step_failed(step)) {
            return;
        }
        step->velocity = CAIRN_STEP_PUSH(step, double, 6 * (size_t)step->block_count);
        step->before_problem = cairn_arena_mark(step->arena);
    }
    if (cairn_step_failed(step)) {
        return;
    }
    cairn_step_contact_frames(step);
    cairn_step_joint_rows(step);
    if (cairn_step_failed(step)) {
        return;
    }
    CairnProblem *problem = &step->problem;
    *problem = (CairnProblem){.form = CAIRN_FORM_DYNAMICS, .step = step->h};
    problem->block_count = step->block_count;
    problem->dof_count = 6 * step->block_count;
    int term_entries;
    number(step, &term_entries);
    Arrays arrays;
    allocate(step, &arrays, term_entries);
    if (cairn_step_failed(step)) {
        return;
    }
    Writing writing = {step, &arrays};
    cairn_spans_run(step->threads, step->block_count, CAIRN_STEP_FEW, write_blocks, &writing);
    Cursor at = {0};
    for (int j = 0; j < step->joint_count; j++) {
        add_joint(step, &arrays, &at, &step->joints[j]);
        at.solved += step->joints[j].row_count;
    }
    add_contacts(step, &arrays, &at);
    cairn_step_stiffen(step);
    step->pass = 0;
    step->stats.times.assemble += cairn_timer_now() - t0;
}
