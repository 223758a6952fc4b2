// Calm. A row that pushes bodies out of each other, or what a joint is off together, demands a small speed along itself.
// Wedged between such rows a body moves at any speed: between normals that are nearly opposite, by a lock whose Jacobian
// nearly vanishes, or where two joints of the same bodies disagree. Rows that demand no speed cannot do that: their
// answer is the free motion projected onto what they allow, and that has no more energy. So where a set of bodies that
// rows tie together ends with far more energy than it had, or than its rows demand one by one, these rows demand
// nothing, and the geometric stiffness, under which a light body turns as if it were a heavy one, is left out; where that
// is not enough, drives are brakes, too. What is apart then waits for a step that can mend it.
#include "engine/base/mat3.h"
#include "engine/step/step.h"

typedef struct Group {
    double had, has, demanded; // J
    double mass, square;       // kg, and kg m2 of all about the origin
    CairnVec3 center;          // times the mass
} Group;

// What was had may grow by so much on arcs, which are not straight; rows that act together give more than one by one.
static const double most_gain = 1.1, most_demand = 4;

enum { WITHOUT_PUSH = 1, WITHOUT_DRIVES = 2 };

static double energy_of(const CairnStep *step, const CairnStepBlock *block, CairnVec3 linear, CairnVec3 angular) {
    double mass = step->store->bodies[block->body].model->mass;
    CairnVec3 momentum = cairn_mat3_mul(cairn_step_inertia(step, block), angular);
    return 0.5 * (mass * cairn_length_squared(linear) + cairn_dot(momentum, angular));
}

static int first_block(const CairnStep *step, const int *bodies, int count) {
    int k = 0;
    while (k + 1 < count && cairn_step_block(step, bodies[k]) < 0) {
        k++;
    }
    return cairn_step_block(step, bodies[k]);
}

static void add_blocks(const CairnStep *step, const double *velocity, const int *roots, Group *groups) {
    for (int b = 0; b < step->block_count; b++) {
        const CairnStepBlock *block = &step->blocks[b];
        const double *v = velocity + (ptrdiff_t)6 * b;
        CairnVec6 start = block->start, free = block->free;
        CairnVec3 linear = cairn_sub((CairnVec3){v[0], v[1], v[2]}, start.linear);
        CairnVec3 angular = cairn_sub((CairnVec3){v[3], v[4], v[5]}, block->spin);
        Group *group = &groups[roots[b]];
        group->had += fmax(energy_of(step, block, start.linear, start.angular),
                           energy_of(step, block, free.linear, free.angular));
        group->has += energy_of(step, block, cairn_add(start.linear, linear), cairn_add(start.angular, angular));
        const CairnBody *body = &step->store->bodies[block->body];
        const CairnBodyModel *model = body->model;
        group->demanded += model->mass * step->still * step->still;
        group->mass += model->mass;
        group->center = cairn_add_scaled(group->center, model->mass, body->center);
        group->square +=
            model->mass * cairn_length_squared(body->center) + model->moments.x + model->moments.y + model->moments.z;
    }
}

// What is moved by itself, or stands still, gives its own speed to what it meets.
static double carried(const CairnStep *step, int body, CairnVec3 arm, CairnVec3 normal) {
    CairnVec6 v = cairn_step_start(step, body);
    bool is_solved = cairn_step_block(step, body) >= 0;
    return is_solved ? 0 : fabs(cairn_dot(normal, cairn_add(v.linear, cairn_cross(v.angular, arm))));
}

// What a row of a joint demands may move all that is tied to its bodies: a crank turns what hangs on it. As one, moving
// with d or turning with d about its centre, that takes this much energy.
static double taken_by_joint(const Group *group, bool turns, double d) {
    double about = cairn_length_squared(group->center) / group->mass;
    return 0.5 * (turns ? fmax(group->square - about, 0) : group->mass) * d * d;
}

static void add_demands(const CairnStep *step, const CairnStepContacts *contacts, const CairnStepJoints *joints,
                        const int *roots, Group *groups) {
    for (int j = 0; j < joints->count; j++) {
        const CairnStepJoint *sj = &joints->all[j];
        Group *group = &groups[roots[first_block(step, sj->bodies, sj->body_count)]];
        for (int r = 0; r < sj->row_count; r++) {
            bool turns = cairn_joint_is_angle(sj->input, sj->rows[r].axis);
            group->demanded += taken_by_joint(group, turns, cairn_step_joint_demand(step, sj, r));
        }
    }
    for (int i = 0; i < contacts->count; i++) {
        const CairnStepContact *c = &contacts->all[i];
        const int bodies[2] = {c->body_a, c->body_b};
        double d = fmax(-c->wanted, 0) + carried(step, c->body_a, c->frame.arm[0], c->frame.normal) +
                   carried(step, c->body_b, c->frame.arm[1], c->frame.normal);
        double mass = 0;
        for (int k = 0; k < 2; k++) {
            mass += cairn_step_block(step, bodies[k]) >= 0 ? step->store->bodies[bodies[k]].model->mass : 0;
        }
        groups[roots[first_block(step, bodies, 2)]].demanded += 0.5 * mass * d * d;
    }
}

static bool is_wild(const Group *group) {
    return !(group->has <= most_gain * group->had + most_demand * group->demanded);
}

static bool has_wild(const Group *groups, int count) {
    for (int b = 0; b < count; b++) {
        if (is_wild(&groups[b])) {
            return true;
        }
    }
    return false;
}

static bool constraint_is_wild(const CairnStepSystem *system, int c, const int *roots, const Group *groups) {
    const CairnProblem *problem = &system->problem;
    return is_wild(&groups[roots[problem->terms[problem->constraints[c].first_term].block]]);
}

static void drop_stiffness(CairnStep *step, const CairnStepContacts *contacts, CairnStepSystem *system,
                           const double *lambda, const int *roots, const Group *groups) {
    CairnMat3 *K = system->stiffness != NULL ? CAIRN_STEP_PUSH(step, CairnMat3, step->block_count) : NULL;
    for (int b = 0; b < step->block_count && K != NULL; b++) {
        K[b] = is_wild(&groups[roots[b]]) ? (CairnMat3){0} : system->stiffness[b];
    }
    if (K != NULL) {
        cairn_step_amend_stiffness(step, contacts, lambda, system, K);
    }
}

bool cairn_step_calm(CairnStep *step, const CairnStepContacts *contacts, CairnStepSystem *system,
                     const CairnStepAnswer *answer) {
    static const double rigid[CAIRN_CONTACT_ROWS] = {0};
    if (system->problem.row_count == 0 || system->calm >= WITHOUT_DRIVES) {
        return false;
    }
    const int *roots = system->groups.touching;
    Group *groups = (Group *)cairn_step_push_zero(step, (size_t)step->block_count, sizeof(Group));
    if (cairn_step_failed(step)) {
        return false;
    }
    add_blocks(step, answer->velocity, roots, groups);
    if (!has_wild(groups, step->block_count)) { // none whatever was demanded, as in nearly all steps
        return false;
    }
    add_demands(step, contacts, &system->joints, roots, groups);
    if (!has_wild(groups, step->block_count)) {
        return false;
    }
    system->calm += 1;
    for (int j = 0; j < system->joints.count; j++) {
        const CairnStepJoint *sj = &system->joints.all[j];
        if (constraint_is_wild(system, sj->constraint, roots, groups)) {
            cairn_step_calm_joint(step, sj, system->calm >= WITHOUT_DRIVES, system->right_side + sj->row);
        }
    }
    for (int i = 0; i < contacts->count; i++) {
        CairnStepContact c = contacts->all[i];
        const int bodies[2] = {c.body_a, c.body_b};
        if (is_wild(&groups[roots[first_block(step, bodies, 2)]])) {
            c.wanted = fmax(c.wanted, 0);
            cairn_step_write_right_side(step, contacts->rolls, &c, rigid, system->right_side + c.row);
        }
    }
    drop_stiffness(step, contacts, system, answer->lambda, roots, groups);
    return !cairn_step_failed(step);
}
