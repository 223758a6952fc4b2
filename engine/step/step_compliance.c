// How soft the rows are where nobody says so. Only masses, one length and gravity decide: no row of a world that is
// heavier or larger is softer or harder in proportion.
//
// Two kinds of softness. A contact is a spring that remembers (step_spring.c): it gives way by contact_give under its
// own weight. All other rows shall not give way at all, and have a softness only because rows that say the same thing
// twice would else have no one answer: C = hard / m, with the mass m that two points feel of each other. These are
// joints, what bounces (an impulse loses C of what it returns), and all contacts of a world without springs. Those that
// bear load are springs then, too, of the least depth that keeps a pile together: under the weight of all that may rest
// on it such a contact gives way by g_L = 1e-7 typical lengths, so that k = M g / g_L, and with w = J v + C (lambda -
// last lambda), C = 1 / (h^2 k) = g_L / (g h^2 M). M is the mass of the contact's island. No hard row is softer.
// Rows of angles are rows of lengths here: they are multiplied by the typical length.
#include "engine/base/mat3.h"
#include "engine/step/step.h"

// In terms of 1/M. It ends the growth of 1/h^2 in small steps, where a spring as soft as that would swing.
static const double softest = 1e-3;
// g_L of hard contacts, in terms of the typical length.
static const double rigid_give = 1e-7;
// In terms of 1/m: what one impulse loses of the velocity that it stops.
static const double hard_contact = 1e-9, hard_joint = 1e-10;

double cairn_step_acceleration(const CairnStep *step) {
    double g = cairn_length(step->world->def.gravity);
    return g > 0 ? g : 9.81;
}

void cairn_step_weigh_islands(CairnStep *step, CairnStepSystem *system) {
    const int *root = system->groups.touching;
    int count = step->block_count;
    double *mass = (double *)cairn_step_push_zero(step, (size_t)count, sizeof(double));
    double *heaviest = (double *)cairn_step_push_zero(step, (size_t)count, sizeof(double));
    if (cairn_step_failed(step)) {
        return;
    }
    for (int b = 0; b < count; b++) {
        double own = step->store->bodies[step->blocks[b].body].model->mass;
        mass[root[b]] += own;
        heaviest[root[b]] = fmax(heaviest[root[b]], own);
    }
    for (int b = count - 1; b >= 0; b--) { // a root stands before its members
        mass[b] = mass[root[b]];
        heaviest[b] = heaviest[root[b]];
    }
    double give = rigid_give * step->world->def.typical_length;
    system->island_mass = mass;
    system->heaviest = heaviest;
    system->spring = fmin(give / (cairn_step_acceleration(step) * step->h * step->h), softest);
}

// One over the mass that two bodies feel of each other, and over that of their island, times these shares: the lesser.
static double hard_or_spring(const CairnStep *step, const CairnStepSystem *system, const int *bodies, int count,
                             double hard, double spring) {
    double inverse = 0, island = 0;
    for (int k = 0; k < count; k++) {
        int block = cairn_step_block(step, bodies[k]);
        if (block >= 0) { // one of them has a block, or there would be no row
            inverse += 1 / step->store->bodies[bodies[k]].model->mass;
            island = system->island_mass[block];
        }
    }
    return fmin(hard * inverse, spring / island);
}

void cairn_step_joint_compliance(const CairnStep *step, const CairnStepSystem *system, const CairnStepJoint *sj,
                                 double *compliance) {
    double derived = hard_or_spring(step, system, sj->bodies, sj->body_count, hard_joint, system->spring);
    for (int r = 0; r < sj->row_count; r++) {
        double own = sj->rows[r].compliance, unit = own > 0 ? cairn_step_unit(step, sj, r) : 1;
        compliance[r] = own > 0 ? unit * unit * own : derived;
    }
}

// It is thrown back: what an impulse loses of the velocity that it stops is lost of what it returns.
static bool bounces(const CairnStep *step, const CairnStepContact *c) {
    return c->wanted < 0 && c->approach < -step->world->def.restitution_threshold &&
           cairn_step_material(step, c).restitution > 0;
}

static double contact_compliance(const CairnStep *step, const CairnStepSystem *system, const CairnStepContact *c,
                                 double found) {
    int bodies[2] = {c->body_a, c->body_b};
    if (!cairn_step_has_springs(step)) {
        double hard = cairn_step_remembers(step, c) > 0 ? HUGE_VAL : hard_contact;
        return hard_or_spring(step, system, bodies, 2, hard, system->spring);
    }
    return bounces(step, c) ? hard_or_spring(step, system, bodies, 2, hard_contact, HUGE_VAL)
                            : cairn_step_spring_compliance(step, system, c, found);
}

void cairn_step_contact_compliance(const CairnStep *step, const CairnStepSystem *system, const CairnStepContact *c,
                                   double found, double compliance[CAIRN_CONTACT_ROWS]) {
    const CairnWorldDef *def = &step->world->def;
    double derived = contact_compliance(step, system, c, found);
    compliance[0] = def->normal_compliance > 0 ? def->normal_compliance : derived;
    for (int r = 1; r < c->row_count; r++) {
        compliance[r] = def->friction_compliance > 0 ? def->friction_compliance : derived;
    }
}

// One over the mass that a row feels.
static double mobility(const CairnStep *step, const CairnProblem *problem, const CairnConstraintBlock *constraint,
                       int row) {
    double sum = 0;
    for (int t = constraint->first_term; t < constraint->first_term + constraint->term_count; t++) {
        double room[6];
        const double *J = cairn_term_row(problem, &problem->terms[t], row, room);
        const CairnBody *body = &step->store->bodies[step->blocks[problem->terms[t].block].body];
        CairnMat3 axes = cairn_body_axes(body), inverse = cairn_inertia_of_axes(&axes, cairn_inverse_moments(body));
        CairnVec3 linear = {J[0], J[1], J[2]}, angular = {J[3], J[4], J[5]};
        sum += cairn_length_squared(linear) / body->model->mass;
        sum += cairn_dot(angular, cairn_mat3_mul(inverse, angular));
    }
    return sum;
}

// Rows that contradict each other (a motor without a limit against a lock, a body crushed between two kinematic ones)
// push with 1 / C times the velocity that they disagree by. With C a share of their mobility the rounding of that push
// is 2e-16 / share of that velocity: at this share it is below the certificate, 1e-8, by a factor of fifty, and sums of
// many such pushes still are. At first the second one ends it where a body bears others that are so much heavier that
// their weight would push it through; what has no answer even so is softened in full, and what has none then (a light
// body at the end of a joint that is torn by many times its size) further.
static const double solvable = 1e-6, bearing = 1e-4, torn = 1e-4;

void cairn_step_soften(const CairnStep *step, CairnStepSystem *system, int level) {
    const CairnProblem *problem = &system->problem;
    for (int c = 0; c < problem->constraint_count && !cairn_step_failed(step); c++) {
        const CairnConstraintBlock *constraint = &problem->constraints[c];
        double inverse = 0, island = 0;
        for (int t = constraint->first_term; t < constraint->first_term + constraint->term_count; t++) {
            int block = problem->terms[t].block;
            inverse += 1 / step->store->bodies[step->blocks[block].body].model->mass;
            island = system->island_mass[block];
        }
        double share = level == 1 ? fmin(solvable, bearing / (inverse * island)) : level == 2 ? solvable : torn;
        for (int r = 0; r < constraint->row_count; r++) {
            double *compliance = &system->compliance[constraint->first_row + r];
            *compliance = fmax(*compliance, share * mobility(step, problem, constraint, r));
        }
    }
}
