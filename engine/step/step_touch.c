// First touches under box friction. The bound is mu times the last impulse of the same feature (S0 eq. 11); a feature
// without a last impulse gets an estimate, the impulse that stops its two bodies, which does not include the load of
// bodies stacked upon them: the bottom rows of a pile that is put down at once would slide apart. So where a first
// touch bears another load than the estimate, and its friction depends on that, the step solves once more with the
// loads that the first solve found. The index sets are warm by then.
#include "engine/step/step.h"
#include "solvers/problem/law.h"

// True: the feature had no contact in the last step.
static bool is_first_touch(const CairnStepContact *c) {
    return c->row_count > 1 && c->is_first;
}

// The friction of a contact that has one.
static CairnFriction *friction_of(const CairnStepSystem *system, int contact) {
    return &system->frictions[system->problem.constraints[system->joints.count + contact].friction];
}

// The largest load at each block: whether a contact is negligible is judged by the loads at its two bodies, not by
// heavy bodies elsewhere: it must be so at both, for what is nothing to a heavy tile is all that a light box on it bears.
static double *find_largest(CairnStep *step, const CairnStepContacts *contacts, const double *lambda) {
    double *largest = CAIRN_PUSH_ZERO(step->arena, double, step->block_count + 1);
    for (int i = 0; i < contacts->count && largest != NULL; i++) {
        const CairnStepContact *c = &contacts->all[i];
        const int blocks[] = {step->block_of[c->body_a], step->block_of[c->body_b]};
        for (int k = 0; k < 2; k++) {
            if (blocks[k] >= 0) {
                largest[blocks[k]] = fmax(largest[blocks[k]], lambda[c->row]);
            }
        }
    }
    return largest;
}

static bool is_large(const CairnStep *step, const CairnStepContact *c, const double *lambda, const double *largest) {
    const int a = step->block_of[c->body_a], b = step->block_of[c->body_b];
    double most = fmin(a >= 0 ? largest[a] : HUGE_VAL, b >= 0 ? largest[b] : HUGE_VAL);
    return fmax(lambda[c->row], c->frozen) > 0.01 * most;
}

// True: a bound that was far too low limited the friction, or one that was far too high let it exceed the law.
static bool was_misjudged(const CairnFriction *friction, const CairnStepContact *c, const double *lambda, double jump) {
    double load = lambda[c->row];
    if (fabs(load - c->frozen) <= jump * fmax(load, c->frozen)) {
        return false;
    }
    for (int r = 1; r < c->row_count; r++) {
        double lever = cairn_law_lever(friction, r), used = fabs(lambda[c->row + r]);
        if (load > c->frozen ? used >= lever * c->frozen * (1 - 1e-9) : used > lever * load) {
            return true;
        }
    }
    return false;
}

static void bound_by_load(CairnStepSystem *system, CairnFriction *friction, CairnStepContact *c, double *lambda) {
    c->frozen = friction->frozen = fmax(lambda[c->row], 0);
    for (int r = 1; r < c->row_count; r++) {
        double bound = cairn_law_lever(friction, r) * c->frozen;
        system->lower[c->row + r] = -bound;
        system->upper[c->row + r] = bound;
        lambda[c->row + r] = cairn_clamp(lambda[c->row + r], -bound, bound);
    }
}

bool cairn_step_review_touches(CairnStep *step, const CairnStepContacts *contacts, const CairnStepSystem *system,
                               const double *lambda) {
    if (step->world->def.friction != CAIRN_FRICTION_BOX) {
        return false; // the other laws bound by the answer itself
    }
    CairnArenaMark mark = cairn_arena_mark(step->arena);
    const double *largest = find_largest(step, contacts, lambda); // no memory for it: the guesses stand
    bool is_misjudged = false;
    for (int i = 0; i < contacts->count && !is_misjudged && largest != NULL; i++) {
        const CairnStepContact *c = &contacts->all[i]; // a hundredth of the largest load decides nothing
        is_misjudged = is_first_touch(c) && is_large(step, c, lambda, largest) &&
                       was_misjudged(friction_of(system, i), c, lambda, step->world->def.touch_jump);
    }
    cairn_arena_release(step->arena, mark);
    return is_misjudged;
}

void cairn_step_amend_touches(CairnStepContacts *contacts, CairnStepSystem *system, double *lambda) {
    for (int i = 0; i < contacts->count; i++) {
        if (is_first_touch(&contacts->all[i])) {
            bound_by_load(system, friction_of(system, i), &contacts->all[i], lambda);
        }
    }
}
