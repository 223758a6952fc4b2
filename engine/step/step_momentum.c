// Momentum. Geometric stiffness resists the turning of single bodies (step_stiffness.c), where the forces behind it act
// between bodies. So it has to leave alone what turns as a whole: bodies that joints and touching contacts tie together
// and that nothing ties to what does not move freely turn as one with the angular velocity of their angular momentum,
// and K acts on what a body turns beside that. What it still takes of their angular momentum they get back by turning
// as one. That changes no distance among them, so their rows hold as they did. A stiffness made from impulses of any
// size (wedged bodies, joints that disagree) takes more than there was, and what it took is given back only as far as
// the bodies had its energy.
#include "engine/base/mat3.h"
#include "engine/step/step.h"
#include <string.h>

// What rounding and the order of the step may add to the energy of a group that gets its momentum back.
static const double swing = 1e-3;

// A set of blocks that are tied together, stored at its lowest block. Of one that is held nothing more is found.
typedef struct Group {
    CairnVec3 momentum; // angular, N m s: all of it, or what was taken
    CairnVec3 center;   // times the mass
    double mass;
    CairnMat3 inertia; // about the centre
    double spare;      // J, what its bodies would have without impulses and have no more
    bool is_held;      // by a body that does not move freely
} Group;

typedef struct Groups {
    const CairnStep *step;
    const int *root; // of each block
    Group *all;
} Groups;

static void hold(const Groups *g, const int *bodies, int count) {
    bool is_held = false;
    for (int k = 0; k < count; k++) {
        is_held = is_held || cairn_step_block(g->step, bodies[k]) < 0;
    }
    for (int k = 0; k < count && is_held; k++) {
        int b = cairn_step_block(g->step, bodies[k]);
        if (b >= 0) {
            g->all[g->root[b]].is_held = true;
        }
    }
}

// Contacts tie where they bear; the joints did already.
static void tie_contacts(const CairnStep *step, const CairnStepContacts *contacts, const double *lambda, int *root) {
    for (int i = 0; i < contacts->count; i++) {
        const CairnStepContact *c = &contacts->all[i];
        int a = cairn_step_block(step, c->body_a), b = cairn_step_block(step, c->body_b);
        if (lambda[c->row] > 0 && a >= 0 && b >= 0) {
            cairn_step_unite(root, a, b);
        }
    }
    cairn_step_name_roots(root, step->block_count);
}

static void hold_all(const Groups *g, const CairnStepContacts *contacts, const CairnStepJoints *joints,
                     const double *lambda) {
    for (int j = 0; j < joints->count; j++) {
        hold(g, joints->all[j].bodies, joints->all[j].body_count);
    }
    for (int i = 0; i < contacts->count; i++) {
        const CairnStepContact *c = &contacts->all[i];
        const int bodies[2] = {c->body_a, c->body_b};
        if (lambda[c->row] > 0) {
            hold(g, bodies, 2);
        }
    }
}

// m (d^2 1 - d d^T)
static CairnMat3 inertia_at(double mass, CairnVec3 d) {
    double square = mass * cairn_length_squared(d);
    return cairn_mat3_sum(cairn_mat3_diagonal(square, square, square),
                          cairn_mat3_scaled(-mass, cairn_mat3_outer(d, d)));
}

static Group *group_of(const Groups *g, int b) {
    return &g->all[g->root[b]];
}

// A block's centre, from that of its group.
static CairnVec3 arm_of(const Groups *g, const Group *group, int b) {
    const CairnBody *body = &g->step->store->bodies[g->step->blocks[b].body];
    return cairn_sub(body->center, cairn_scale(1 / group->mass, group->center));
}

static Groups find_groups(CairnStep *step, const CairnStepContacts *contacts, const CairnStepSystem *system,
                          const double *lambda) {
    int *root = CAIRN_STEP_PUSH(step, int, step->block_count);
    Groups g = {step, root, (Group *)cairn_step_push_zero(step, (size_t)step->block_count, sizeof(Group))};
    if (cairn_step_failed(step)) {
        return g;
    }
    memcpy(root, system->groups.joined, (size_t)step->block_count * sizeof *root);
    tie_contacts(step, contacts, lambda, root);
    hold_all(&g, contacts, &system->joints, lambda);
    for (int b = 0; b < step->block_count; b++) {
        const CairnBody *body = &step->store->bodies[step->blocks[b].body];
        Group *group = group_of(&g, b);
        if (group->is_held) {
            continue;
        }
        group->center = cairn_add_scaled(group->center, body->model->mass, body->center);
        group->mass += body->model->mass;
    }
    for (int b = 0; b < step->block_count; b++) {
        double mass = step->store->bodies[step->blocks[b].body].model->mass;
        Group *group = group_of(&g, b);
        if (group->is_held) {
            continue;
        }
        CairnMat3 own = cairn_step_inertia(step, &step->blocks[b]);
        group->inertia = cairn_mat3_sum(group->inertia, cairn_mat3_sum(own, inertia_at(mass, arm_of(&g, group, b))));
    }
    return g;
}

// The angular velocity that its angular momentum gives a group that turns as one; 0 where it is held.
static CairnVec3 turn_of(const Group *group) {
    CairnMat3 inverse;
    if (group->is_held || !(cairn_length_squared(group->momentum) > 0) ||
        !cairn_mat3_inverse(group->inertia, &inverse)) {
        return (CairnVec3){0, 0, 0};
    }
    return cairn_mat3_mul(inverse, group->momentum);
}

const CairnVec3 *cairn_step_find_turns(CairnStep *step, const CairnStepContacts *contacts,
                                       const CairnStepSystem *system, const double *lambda) {
    CairnVec3 *turns = CAIRN_STEP_PUSH(step, CairnVec3, step->block_count);
    CairnArenaMark mark = cairn_arena_mark(step->arena);
    Groups g = find_groups(step, contacts, system, lambda);
    if (cairn_step_failed(step)) {
        return NULL;
    }
    for (int b = 0; b < step->block_count; b++) {
        const CairnStepBlock *block = &step->blocks[b];
        double mass = step->store->bodies[block->body].model->mass;
        Group *group = group_of(&g, b);
        if (group->is_held) {
            continue;
        }
        CairnVec3 spin = cairn_mat3_mul(cairn_step_inertia(step, block), block->spin);
        CairnVec3 orbit = cairn_scale(mass, cairn_cross(arm_of(&g, group, b), block->start.linear));
        group->momentum = cairn_add(group->momentum, cairn_add(spin, orbit));
    }
    for (int b = 0; b < step->block_count; b++) {
        turns[b] = g.root[b] == b ? turn_of(&g.all[b]) : turns[g.root[b]]; // a root stands before its members
    }
    cairn_arena_release(step->arena, mark);
    return turns;
}

static double energy_of(const CairnMat3 *inertia, double mass, CairnVec3 linear, CairnVec3 angular) {
    return 0.5 * (mass * cairn_length_squared(linear) + cairn_dot(angular, cairn_mat3_mul(*inertia, angular)));
}

// To `spare` and `present` of each group, for these velocities.
static void add_energies(const Groups *g, const double *velocity, CairnVec3 *present) {
    for (int b = 0; b < g->step->block_count; b++) {
        const CairnStepBlock *block = &g->step->blocks[b];
        const double *v = velocity + (ptrdiff_t)6 * b;
        Group *group = group_of(g, b);
        if (group->is_held) {
            continue;
        }
        double mass = g->step->store->bodies[block->body].model->mass;
        CairnMat3 inertia = cairn_step_inertia(g->step, block);
        CairnVec3 linear = {v[0], v[1], v[2]}, angular = {v[3], v[4], v[5]};
        double now = energy_of(&inertia, mass, linear, angular);
        group->spare += fmax(energy_of(&inertia, mass, block->start.linear, block->spin),
                             energy_of(&inertia, mass, block->free.linear, block->free.angular));
        group->spare -= (1 - swing) * now;
        CairnVec3 orbit = cairn_scale(mass, cairn_cross(arm_of(g, group, b), linear));
        CairnVec3 *L = &present[g->root[b]];
        *L = cairn_add(*L, cairn_add(cairn_mat3_mul(inertia, angular), orbit));
    }
}

// The turning that a group gets back: no more than takes the energy that it has to spare.
static CairnVec3 turn_back(const Group *group, CairnVec3 present) {
    CairnVec3 turn = turn_of(group);
    double along = cairn_dot(turn, present), alone = 0.5 * cairn_dot(turn, cairn_mat3_mul(group->inertia, turn));
    double spare = fmax(group->spare, 0);
    if (!(along + alone > spare)) {
        return turn;
    }
    double half = 0.5 * along / alone;
    return cairn_scale(cairn_clamp(sqrt(half * half + spare / alone) - half, 0, 1), turn);
}

static void give_back(const Groups *g, const CairnVec3 *present, double *velocity) {
    for (int b = 0; b < g->step->block_count; b++) {
        const Group *group = group_of(g, b);
        if (group->is_held || !(cairn_length_squared(group->momentum) > 0)) {
            continue;
        }
        CairnVec3 turn = turn_back(group, present[g->root[b]]), along = cairn_cross(turn, arm_of(g, group, b));
        double *v = velocity + (ptrdiff_t)6 * b;
        v[0] += along.x;
        v[1] += along.y;
        v[2] += along.z;
        v[3] += turn.x;
        v[4] += turn.y;
        v[5] += turn.z;
    }
}

// A predicted contact between bodies that move freely, whose two points are not one, and nearer to each other than half
// of either arm: farther off, the middle is no place where these bodies touch.
static bool is_split(const CairnStep *step, const CairnStepContact *c, const double *lambda) {
    return c->is_predicted && !c->is_joined && lambda[c->row] > 0 && cairn_step_block(step, c->body_a) >= 0 &&
           cairn_step_block(step, c->body_b) >= 0 && cairn_step_is_near(c, cairn_scale(2, cairn_step_apart(step, c)));
}

bool cairn_step_review_splits(const CairnStep *step, const CairnStepContacts *contacts, const double *lambda) {
    for (int i = 0; i < contacts->count; i++) {
        if (is_split(step, &contacts->all[i], lambda)) {
            return true;
        }
    }
    return false;
}

// The velocity along the normal that comes of turning.
static double turning_along(const CairnStep *step, const CairnStepContact *c, const double *velocity) {
    CairnVec3 a = cairn_cross(cairn_step_solved(step, velocity, c->body_a).angular, c->frame.arm[0]);
    CairnVec3 b = cairn_cross(cairn_step_solved(step, velocity, c->body_b).angular, c->frame.arm[1]);
    return cairn_dot(c->frame.normal, cairn_sub(b, a));
}

// What was predicted hangs on where its points will be, to a hair of an overlap, so it is solved with these points
// first. Where it bears, both sides then act in their middle, and the row is moved so that it says of these velocities
// what it said before: the next solve begins where the last one ended.
void cairn_step_join_predicted(const CairnStep *step, CairnStepContacts *contacts, CairnStepSystem *system,
                               const CairnStepReview *review) {
    for (int i = 0; i < contacts->count; i++) {
        CairnStepContact *c = &contacts->all[i];
        if (is_split(step, c, review->lambda)) {
            double before = turning_along(step, c, review->velocity);
            cairn_step_join_sides(step, c);
            double shift = before - turning_along(step, c, review->velocity);
            c->wanted += shift;
            system->right_side[c->row] += shift;
            if (!cairn_step_has_frame(c)) {
                const CairnConstraintBlock *block = &system->problem.constraints[system->joints.count + i];
                double *J = system->J + system->problem.terms[block->first_term].jacobian;
                cairn_step_write_contact_rows(step, contacts->rolls, c, J);
            }
            c->is_joined = true;
        }
    }
}

static void add_taken(const Groups *g, const CairnStepSystem *system, const double *velocity) {
    for (int b = 0; b < g->step->block_count && system->stiffness != NULL; b++) {
        const double *v = velocity + (ptrdiff_t)6 * b;
        CairnVec3 turned = cairn_sub((CairnVec3){v[3], v[4], v[5]}, system->turns[b]);
        double h = g->step->h;
        CairnVec3 taken = cairn_scale(-h * h, cairn_mat3_mul(system->stiffness[b], turned));
        group_of(g, b)->momentum = cairn_add(group_of(g, b)->momentum, taken);
    }
}

void cairn_step_keep_momentum(CairnStep *step, const CairnStepContacts *contacts, const CairnStepSystem *system,
                              CairnStepAnswer *answer) {
    if (cairn_step_failed(step) || system->stiffness == NULL) {
        return;
    }
    CairnArenaMark mark = cairn_arena_mark(step->arena);
    Groups g = find_groups(step, contacts, system, answer->lambda);
    CairnVec3 *present = (CairnVec3 *)cairn_step_push_zero(step, (size_t)step->block_count, sizeof *present);
    if (!cairn_step_failed(step)) {
        add_taken(&g, system, answer->velocity);
        add_energies(&g, answer->velocity, present);
        give_back(&g, present, answer->velocity);
    }
    cairn_arena_release(step->arena, mark);
}
