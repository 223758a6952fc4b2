// First touches under box friction. The bound is mu times the last impulse of the same feature (S0 eq. 11); a feature without a last
// impulse gets a guess, what stops its own two bodies, and that knows nothing of what is stacked upon them: the bottom rows of a
// pile that is put down at once would slide apart. So where a first touch proves to bear another load than was guessed, and its
// friction shows it, the step solves once more with the loads that the first solve found. The index sets are warm by then.
#include "engine/step/step.h"
#include "solvers/problem/law.h"

// What was no contact in the last step.
static bool is_first_touch(const CairnStepContact *c) {
    return c->row_count > 1 && c->is_first;
}

// Of a contact that has one.
static CairnFriction *friction_of(const CairnStep *step, const CairnStepContact *c) {
    int constraint = step->joint_count + (int)(c - step->contacts);
    return &step->frictions[step->problem.constraints[constraint].friction];
}

// The largest load at each block, so that what decides nothing is told by its own neighbours, not by what is heavy elsewhere.
static double *find_largest(CairnStep *step) {
    double *largest = CAIRN_PUSH_ZERO(step->arena, double, step->block_count + 1);
    for (int i = 0; i < step->contact_count && largest != NULL; i++) {
        const CairnStepContact *c = &step->contacts[i];
        const int blocks[] = {step->block_of[c->body_a], step->block_of[c->body_b]};
        for (int k = 0; k < 2; k++) {
            if (blocks[k] >= 0) {
                largest[blocks[k]] = fmax(largest[blocks[k]], step->lambda[c->row]);
            }
        }
    }
    return largest;
}

static bool is_large(const CairnStep *step, const CairnStepContact *c, const double *largest) {
    const int a = step->block_of[c->body_a], b = step->block_of[c->body_b];
    double most = fmax(a >= 0 ? largest[a] : 0, b >= 0 ? largest[b] : 0);
    return fmax(step->lambda[c->row], c->frozen) > 0.01 * most;
}

// Did a bound that was far too low hold friction back, or one that was far too high let it grow past the law?
static bool was_misjudged(const CairnStep *step, const CairnStepContact *c) {
    const CairnFriction *friction = friction_of(step, c);
    double load = step->lambda[c->row];
    if (fabs(load - c->frozen) <= step->world->def.touch_jump * fmax(load, c->frozen)) {
        return false;
    }
    for (int r = 1; r < c->row_count; r++) {
        double lever = cairn_law_lever(friction, r), used = fabs(step->lambda[c->row + r]);
        if (load > c->frozen ? used >= lever * c->frozen * (1 - 1e-9) : used > lever * load) {
            return true;
        }
    }
    return false;
}

static void bound_by_load(CairnStep *step, CairnStepContact *c) {
    CairnFriction *friction = friction_of(step, c);
    c->frozen = friction->frozen = fmax(step->lambda[c->row], 0);
    for (int r = 1; r < c->row_count; r++) {
        double bound = cairn_law_lever(friction, r) * c->frozen;
        step->lower[c->row + r] = -bound;
        step->upper[c->row + r] = bound;
        step->lambda[c->row + r] = cairn_clamp(step->lambda[c->row + r], -bound, bound);
    }
}

bool cairn_step_bound_again(CairnStep *step) {
    if (step->world->def.friction != CAIRN_FRICTION_BOX) {
        return false; // the other laws bound by the answer itself
    }
    CairnArenaMark mark = cairn_arena_mark(step->arena);
    const double *largest = find_largest(step); // no memory for it: the guesses stand
    bool again = false;
    for (int i = 0; i < step->contact_count && !again && largest != NULL; i++) {
        const CairnStepContact *c = &step->contacts[i]; // a hundredth of the largest load decides nothing
        again = is_first_touch(c) && is_large(step, c, largest) && was_misjudged(step, c);
    }
    cairn_arena_release(step->arena, mark);
    for (int i = 0; i < step->contact_count && again; i++) {
        if (is_first_touch(&step->contacts[i])) {
            bound_by_load(step, &step->contacts[i]);
        }
    }
    return again;
}
