// First touches under box friction. The bound is mu times the last impulse of the same feature (S0 eq. 11); a feature without a last
// impulse gets a guess, what stops its own two bodies, and that knows nothing of what is stacked upon them: the bottom rows of a
// pile that is put down at once would slide apart. So where a first touch proves to bear another load than was guessed, and its
// friction shows it, the step solves once more with the loads that the first solve found. The index sets are warm by then.
#include "engine/step.h"

// What was no contact in the last step.
static bool is_first_touch(const CairnStepContact *c) {
    return c->row_count > 1 && c->warm.x <= 0;
}

static double largest_normal(const CairnStep *step) {
    double largest = 0;
    for (int i = 0; i < step->contact_count; i++) {
        largest = fmax(largest, step->lambda[step->contacts[i].row]);
    }
    return largest;
}

// Did a bound that was far too low hold friction back, or one that was far too high let it grow past the law?
static bool was_misjudged(const CairnStep *step, const CairnStepContact *c) {
    double load = step->lambda[c->row];
    if (fabs(load - c->frozen) <= step->world->def.touch_jump * fmax(load, c->frozen)) {
        return false;
    }
    for (int r = 1; r < c->row_count; r++) {
        double lever = cairn_step_lever(&c->material, r), used = fabs(step->lambda[c->row + r]);
        if (load > c->frozen ? used >= lever * c->frozen * (1 - 1e-9) : used > lever * load) {
            return true;
        }
    }
    return false;
}

static void bound_by_load(CairnStep *step, CairnStepContact *c) {
    c->frozen = fmax(step->lambda[c->row], 0);
    step->frictions[step->problem.constraints[c->constraint].friction].frozen = c->frozen;
    for (int r = 1; r < c->row_count; r++) {
        double bound = cairn_step_lever(&c->material, r) * c->frozen;
        step->lower[c->row + r] = -bound;
        step->upper[c->row + r] = bound;
        step->lambda[c->row + r] = cairn_clamp(step->lambda[c->row + r], -bound, bound);
    }
}

bool cairn_step_bound_again(CairnStep *step) {
    if (step->world->def.friction != CAIRN_FRICTION_BOX) {
        return false; // the other laws bound by the answer itself
    }
    // A hundredth of the largest load decides nothing.
    double least = 0.01 * largest_normal(step);
    bool again = false;
    for (int i = 0; i < step->contact_count && !again; i++) {
        const CairnStepContact *c = &step->contacts[i];
        again = is_first_touch(c) && fmax(step->lambda[c->row], c->frozen) > least && was_misjudged(step, c);
    }
    for (int i = 0; i < step->contact_count && again; i++) {
        if (is_first_touch(&step->contacts[i])) {
            bound_by_load(step, &step->contacts[i]);
        }
    }
    return again;
}
