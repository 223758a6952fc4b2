// Calm: no set of bodies that rows tie together may end with more energy than it has from somewhere.
//
// From v = v_free + M^-1 J^T lambda and w = J v + C lambda + d, with lambda w = 0, impulses give the energy
//     E - E_free = - lambda^T d - lambda^T C lambda - (J^T lambda)^T M^-1 (J^T lambda) / 2,
// so what demands no speed gives none, and each row does the work - lambda d at most. A row that pushes bodies out of
// each other, brings together what a joint is off, or drives, demands a small speed. Alone it may move all that hangs
// on it with that; a spring gives what it has stored, and a motor its force times the way; what moves by itself takes
// along what is joined to it. Where rows end on arcs, or bodies bounce, rows work with what the bodies had, and give no
// more than all of that. But wedged between others (normals that are nearly opposite, a lock whose Jacobian nearly
// vanishes, two joints of the same bodies that disagree) a row works with impulses of any size, and the bodies leave at
// any speed. So a row that does far more work than it could alone counts for nothing. Where a set of bodies gains more
// than its rows are granted, they demand nothing, and the geometric stiffness, under which a light body turns as if it
// were a heavy one, is left out; where that is not enough, drives are brakes, too; then rows are softer; and at last
// the impulses count in part. What is apart waits for a step that can mend it.
#include "engine/base/mat3.h"
#include "engine/base/vec6.h"
#include "engine/step/step.h"
#include "engine/step/step_arcs.h"
#include <string.h>

typedef struct Group {
    double had, gained, granted; // J
    double along;                // J, with the speeds of what takes it along: what moves by itself, or pushes a lever
    double returned;             // J, the work of rows that give back what bodies had: on arcs, and where they bounce
    double moved;                // J, of the velocities that impulses gave
    double swing;                // of what it had
    double mass, square;         // kg, and kg m2 of all about the origin
    double own, reach;           // kg m2, of each body about its centre, and how far from it, m, rows hold bodies
    CairnVec3 center;            // times the mass
} Group;

// A row may do so many times the work that it would alone, for rows act together.
static const double most_work = 4;
// A contact at a tenth of the way from a hinge to the end of a body gives it a hundred times the energy, but only once.
static const double most_lever = 100;
// The parts of what a set had that rounding may add, and at most the error of an answer that sweeps left, or turning by
// t within the step, of which rows know only the start: t^2.
static const double rounding = 1e-6, most_swing = 0.1;

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

// Energy that the impulses gave: what the bodies would have without them is no matter of the rows.
static void add_blocks(const CairnStep *step, const double *velocity, bool is_exact, const int *roots, Group *groups) {
    for (int b = 0; b < step->block_count; b++) {
        const CairnStepBlock *block = &step->blocks[b];
        const double *v = velocity + (ptrdiff_t)6 * b;
        CairnVec6 start = block->start, free = block->free;
        CairnVec3 linear = {v[0], v[1], v[2]}, angular = {v[3], v[4], v[5]};
        Group *group = &groups[roots[b]];
        double without = energy_of(step, block, free.linear, free.angular);
        group->had += fmax(energy_of(step, block, start.linear, block->spin), without);
        group->gained += energy_of(step, block, linear, angular) - without;
        group->moved += energy_of(step, block, cairn_sub(linear, free.linear), cairn_sub(angular, free.angular));
        double turn = step->h * fmax(cairn_length(block->spin), cairn_length(free.angular));
        group->swing = fmax(group->swing, is_exact ? rounding + fmin(2 * turn * turn, most_swing) : most_swing);
        const CairnBody *body = &step->store->bodies[block->body];
        const CairnBodyModel *model = body->model;
        group->granted += model->mass * step->still * step->still;
        group->mass += model->mass;
        group->center = cairn_add_scaled(group->center, model->mass, body->center);
        group->own += model->moments.x + model->moments.y + model->moments.z;
        group->square += model->mass * cairn_length_squared(body->center);
    }
}

// What is moved by itself, or stands still, gives its own speed to what it meets, and drags it.
static double carried(const CairnStep *step, int body, CairnVec3 arm) {
    CairnVec6 v = cairn_step_start(step, body);
    bool is_solved = cairn_step_block(step, body) >= 0;
    return is_solved ? 0 : cairn_length(cairn_add(v.linear, cairn_cross(v.angular, arm)));
}

// What a row demands may move all that is tied to its bodies: a crank turns what hangs on it. As one, moving with d or
// turning with d about its centre, that takes this much energy; and a row that moves bears what gravity gives. Of an
// answer that sweeps left it is not known what bears what.
static double taken(const CairnStep *step, const Group *group, bool is_exact, bool turns, double d) {
    double about = group->own + group->square - cairn_length_squared(group->center) / group->mass;
    double most = group->own + group->mass * group->reach * group->reach;
    double fall = turns || !is_exact ? 0 : step->h * cairn_length(step->world->def.gravity);
    return (turns ? cairn_clamp(about, 0, most) : group->mass) * fabs(d) * (0.5 * fabs(d) + fall);
}

// What a contact demands moves its own two bodies, where it is not known that it bears others.
static double taken_by_two(const CairnStep *step, const int bodies[2], double d) {
    double mass = 0;
    for (int k = 0; k < 2; k++) {
        mass += cairn_step_block(step, bodies[k]) >= 0 ? step->store->bodies[bodies[k]].model->mass : 0;
    }
    return 0.5 * mass * d * d;
}

// What a row has done is granted where it could be: a row that does far more than it would alone is wedged between
// others, and has nothing. What sweeps leave has its error in the impulses, which say little of the work that was done.
static double granted(bool is_exact, double work, double alone) {
    if (!is_exact) {
        return most_work * alone;
    }
    return work > 0 && work <= most_work * alone ? work : 0;
}

// A spring gives what it has stored, and a drive no more than its force does on the way.
static double bounded(const CairnStepSystem *system, int row, double d, double alone) {
    double C = system->compliance[row], force = fmax(fabs(system->lower[row]), fabs(system->upper[row]));
    return fmin(fmin(alone, force * fabs(d)), C > 0 ? 0.25 * d * d / C : alone);
}

// Joints that are torn hold bodies as far apart as they tore; they would by the sum of all arms at most.
static void add_reach(const CairnStep *step, const CairnStepContacts *contacts, const CairnStepJoints *joints,
                      const int *roots, Group *groups) {
    for (int j = 0; j < joints->count; j++) {
        const CairnStepJoint *sj = &joints->all[j];
        groups[roots[first_block(step, sj->bodies, sj->body_count)]].reach += cairn_step_arm(sj);
    }
    for (int i = 0; i < contacts->count; i++) {
        const CairnStepContact *c = &contacts->all[i];
        const int bodies[2] = {c->body_a, c->body_b};
        double arm = fmax(cairn_length(c->frame.arm[0]), cairn_length(c->frame.arm[1]));
        groups[roots[first_block(step, bodies, 2)]].reach += arm;
    }
}

// What bodies had they may have again, but no row can give more of it than there was.
static void give_again(Group *group, double work) {
    group->returned += work > 0 && work <= group->had ? work : 0;
}

// What moves by itself takes along what is joined to it, whatever that takes, but makes it no faster than it is.
static double taken_along(const CairnStep *step, const CairnStepJoint *sj, int r, const Group *group) {
    double d = 0;
    for (int k = 0; k < sj->body_count; k++) {
        if (cairn_step_block(step, sj->bodies[k]) < 0) {
            d += cairn_vec6_dot(sj->rows[r].jacobian[k], cairn_step_start(step, sj->bodies[k]));
        }
    }
    return taken(step, group, false, cairn_joint_is_angle(sj->input, sj->rows[r].axis), d);
}

static void grant_joint(const CairnStep *step, const CairnStepSystem *system, const CairnStepJoint *sj, int r,
                        const CairnStepAnswer *answer, Group *group) {
    bool turns = cairn_joint_is_angle(sj->input, sj->rows[r].axis);
    double lambda = answer->lambda[sj->row + r], unit = cairn_step_unit(step, sj, r);
    double arc = cairn_step_arc_demand(step, &system->joints, sj, r);
    double d = answer->has_exact ? system->right_side[sj->row + r] - arc : unit * cairn_step_joint_demand(step, sj, r);
    double alone = taken(step, group, answer->has_exact, turns, d / unit);
    group->granted += granted(answer->has_exact, -lambda * d, bounded(system, sj->row + r, d, alone));
    give_again(group, -lambda * arc);
    group->along += answer->has_exact ? taken_along(step, sj, r, group) : 0;
}

static void grant_contact(const CairnStep *step, const CairnStepSystem *system, const CairnStepContact *c,
                          const CairnStepAnswer *answer, Group *group) {
    const int bodies[2] = {c->body_a, c->body_b};
    double own = carried(step, c->body_a, c->frame.arm[0]) + carried(step, c->body_b, c->frame.arm[1]);
    double wanted = fmax(-c->wanted, 0), bounce = fmax(wanted - step->world->def.contact_push, 0), work = 0;
    if (!answer->has_exact) {
        group->granted += granted(false, 0, taken_by_two(step, bodies, wanted + own));
        return;
    }
    for (int r = 0; r < c->row_count; r++) {
        work -= answer->lambda[c->row + r] * system->right_side[c->row + r];
    }
    double returned = bounce > 0 && system->calm == 0 ? answer->lambda[c->row] * bounce : 0;
    double d = wanted - bounce + own, by_itself = granted(true, work - returned, taken(step, group, true, false, d));
    bool is_lever = by_itself == 0 && work - returned <= most_lever * taken_by_two(step, bodies, d);
    group->granted += by_itself;
    group->along += is_lever ? fmax(work - returned, 0) : 0;
    give_again(group, returned);
}

static void grant(const CairnStep *step, const CairnStepContacts *contacts, const CairnStepSystem *system,
                  const CairnStepAnswer *answer, const int *roots, Group *groups) {
    for (int j = 0; j < system->joints.count; j++) {
        const CairnStepJoint *sj = &system->joints.all[j];
        for (int r = 0; r < sj->row_count; r++) {
            grant_joint(step, system, sj, r, answer, &groups[roots[first_block(step, sj->bodies, sj->body_count)]]);
        }
    }
    for (int i = 0; i < contacts->count; i++) {
        const CairnStepContact *c = &contacts->all[i];
        const int bodies[2] = {c->body_a, c->body_b};
        grant_contact(step, system, c, answer, &groups[roots[first_block(step, bodies, 2)]]);
    }
}

static double most_gained(const Group *group) {
    return group->swing * group->had + group->granted + fmin(group->returned, group->had) +
           fmax(group->along - group->had, 0);
}

static bool is_wild(const Group *group) {
    return !(group->gained <= most_gained(group));
}

// The share s of the impulses with which a set gains what it may: moved s^2 + (gained - moved) s.
static double way(const Group *group) {
    double half = 0.5 * (group->gained - group->moved) / group->moved;
    return cairn_clamp(sqrt(half * half + most_gained(group) / group->moved) - half, 0, 1);
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

// Impulses that wedged rows worked with are no start for rows that demand nothing: beside a body at rest what is left
// of them is more than the motion there is.
static void forget(const CairnStepSystem *system, const int *roots, const Group *groups, double *lambda) {
    for (int c = 0; c < system->problem.constraint_count; c++) {
        const CairnConstraintBlock *constraint = &system->problem.constraints[c];
        if (constraint_is_wild(system, c, roots, groups)) {
            memset(lambda + constraint->first_row, 0, (size_t)constraint->row_count * sizeof *lambda);
        }
    }
}

static void demand_less(CairnStep *step, const CairnStepContacts *contacts, CairnStepSystem *system,
                        CairnStepAnswer *answer, const int *roots, const Group *groups) {
    static const double rigid[CAIRN_CONTACT_ROWS] = {0};
    system->calm += 1;
    for (int j = 0; j < system->joints.count; j++) {
        const CairnStepJoint *sj = &system->joints.all[j];
        if (constraint_is_wild(system, sj->constraint, roots, groups)) {
            cairn_step_calm_joint(step, sj, system->calm >= WITHOUT_DRIVES, system->right_side + sj->row);
            cairn_step_straighten(&system->joints, sj);
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
    if (answer->has_exact) { // sweeps need all that they have
        forget(system, roots, groups, answer->lambda);
    }
}

// Rows that demand nothing give nothing. What has gained even so is no answer, but what is left of impulses without end
// that rows against each other cancel. Along the way from the free velocities to these the energy is a parabola: the
// bodies go as far as their share of it lasts. That keeps momentum, as all impulses of a set are less by one factor.
static void hold_back(const CairnStep *step, const int *roots, const Group *groups, double *velocity) {
    for (int b = 0; b < step->block_count; b++) {
        const Group *group = &groups[roots[b]];
        if (!is_wild(group)) {
            continue;
        }
        const CairnStepBlock *block = &step->blocks[b];
        CairnVec3 linear = block->free.linear, angular = block->free.angular;
        const double free[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
        double share = group->moved > 0 && group->gained < HUGE_VAL ? way(group) : 0;
        double *v = velocity + (ptrdiff_t)6 * b;
        for (int i = 0; i < 6; i++) {
            v[i] = free[i] + share * (v[i] - free[i]);
        }
    }
}

bool cairn_step_calm(CairnStep *step, const CairnStepContacts *contacts, CairnStepSystem *system,
                     CairnStepAnswer *answer) {
    if (system->problem.row_count == 0) {
        return false;
    }
    const int *roots = system->groups.touching;
    Group *groups = (Group *)cairn_step_push_zero(step, (size_t)step->block_count, sizeof(Group));
    if (cairn_step_failed(step)) {
        return false;
    }
    add_blocks(step, answer->velocity, answer->has_exact, roots, groups);
    if (!has_wild(groups, step->block_count)) { // none, whatever is granted, as in nearly all steps
        return false;
    }
    add_reach(step, contacts, &system->joints, roots, groups);
    grant(step, contacts, system, answer, roots, groups);
    if (!has_wild(groups, step->block_count)) {
        return false;
    }
    if (system->calm < WITHOUT_DRIVES) {
        demand_less(step, contacts, system, answer, roots, groups);
    } else if (answer->has_exact && answer->softness < CAIRN_STEP_SOFTEST) {
        answer->softness += 1;
        cairn_step_soften(step, system, answer->softness);
    } else {
        if (answer->has_exact) { // sweeps may yet be far from their answer, and what holds is held
            hold_back(step, roots, groups, answer->velocity);
        }
        return false;
    }
    return !cairn_step_failed(step);
}
