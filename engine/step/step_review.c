// Review: do these impulses, and the velocities that follow from them, lead to another problem than the one that they
// solve? Six things may be wrong with that: the geometric stiffness was made from other impulses (step_stiffness.c),
// first touches were guessed to bear other loads (step_touch.c), joints end elsewhere than their rows say
// (step_arcs.c), contacts bear more than their springs were made for (step_spring.c), contacts that were predicted bear
// and act at two points (step_momentum.c), or bodies run into contacts that the problem lacks (step_predict.c). A
// review finds this and changes nothing, so that it may run while a solver runs. Amend makes the changes, between two
// solves; and where a solve found no answer, it makes the rows soft enough to have one.
#include "engine/step/step.h"
#include "solvers/problem/law.h"

void cairn_step_review(CairnStep *step, const CairnStepContacts *contacts, const CairnStepSystem *system, int pass,
                       CairnStepReview *review) {
    const CairnWorldDef *def = &step->world->def;
    bool has_rows = system->problem.row_count > 0;
    if (system->calm > 0 || system->relaxed > 0) {
        return; // it has an answer, or no wild one, without what a review would put back
    }
    int stiff_passes = cairn_step_may_stiffen(step) ? def->geometric_passes : 1;
    if (has_rows && !cairn_step_failed(step) && pass < stiff_passes) {
        review->stiffness = cairn_step_review_stiffness(step, contacts, system, review->lambda);
    }
    // Springs once more: the load that a solve finds is another one when they have become harder.
    int spring_passes = def->touch_passes > 1 ? def->touch_passes + 1 : 1;
    if (has_rows && !cairn_step_failed(step) && pass < spring_passes) {
        review->is_overloaded = cairn_step_review_springs(step, contacts, system, review->lambda);
    }
    if (has_rows && !cairn_step_failed(step) && pass < def->touch_passes) {
        review->is_misjudged = cairn_step_review_touches(step, contacts, system, review->lambda);
    }
    if (has_rows && !cairn_step_failed(step)) {
        review->is_split = cairn_step_review_splits(step, contacts, review->lambda);
        cairn_step_review_arcs(step, system, pass, review);
    }
    if (!cairn_step_failed(step) && step->stats.contact_passes < def->contact_passes && !step->share->is_closing) {
        cairn_step_predict_contacts(step, contacts, review);
    }
}

bool cairn_step_is_superseded(const CairnStepReview *review) {
    return review->stiffness != NULL || review->arcs != NULL || review->is_split || review->is_misjudged ||
           review->is_overloaded || review->predicted_count > 0;
}

// Bounds that follow the impulses make a problem that is not convex, and no way may find its answer. Then the bounds
// that the best impulses make stand, as those of the box do: that always has an answer. Returns whether there were any.
static bool freeze_bounds(CairnStepSystem *system, const double *lambda) {
    bool has_frozen = false;
    for (int f = 0; f < system->problem.friction_count; f++) {
        CairnFriction *friction = &system->frictions[f];
        if (friction->kind != CAIRN_FRICTION_BOX_CURRENT) {
            continue;
        }
        friction->kind = CAIRN_FRICTION_BOX;
        friction->frozen = fmax(0, lambda[friction->normal]);
        for (int k = 1; k < 3 + friction->spin_rows; k++) {
            double bound = cairn_law_lever(friction, k) * friction->frozen;
            system->lower[friction->normal + k] = -bound;
            system->upper[friction->normal + k] = bound;
        }
        has_frozen = true;
    }
    return has_frozen;
}

// The answer stands, or rows are made soft enough to have one that is certified.
static CairnStepNext judge(CairnStep *step, const CairnStepContacts *contacts, CairnStepSystem *system,
                           CairnStepAnswer *answer) {
    cairn_step_judge(step, system, answer);
    if (cairn_step_failed(step) || step->stats.residual.is_certified || !answer->has_exact) {
        return CAIRN_STEP_GO_ON;
    }
    // Joints that disagree pull with forces of any size, and what is made stiff by them leaves no digits to the rest.
    if (cairn_step_relax(step, contacts, answer->lambda, system)) {
        return CAIRN_STEP_SOLVE;
    }
    if (answer->softness < CAIRN_STEP_SOFTEST) {
        answer->softness += 1;
        cairn_step_soften(step, system, answer->softness);
        return CAIRN_STEP_SOLVE;
    }
    return freeze_bounds(system, answer->lambda) ? CAIRN_STEP_SOLVE : CAIRN_STEP_GO_ON;
}

CairnStepNext cairn_step_amend(CairnStep *step, CairnStepContacts *contacts, CairnStepSystem *system,
                               CairnStepAnswer *answer) {
    const CairnStepReview *review = &answer->review;
    if (cairn_step_failed(step)) {
        return CAIRN_STEP_GO_ON;
    }
    if (!cairn_step_is_superseded(review)) {
        return cairn_step_calm(step, contacts, system, answer) ? CAIRN_STEP_SOLVE
                                                               : judge(step, contacts, system, answer);
    }
    if (review->is_split) {
        cairn_step_join_predicted(step, contacts, system, review);
    }
    if (review->is_overloaded) {
        cairn_step_amend_springs(step, contacts, system, answer->lambda);
    }
    if (review->is_misjudged) {
        cairn_step_amend_touches(contacts, system, answer->lambda);
    }
    if (review->predicted_count > 0) { // P will be made anew, and the geometric stiffness with it
        cairn_step_add_predicted(step, contacts, system, answer);
        return CAIRN_STEP_ASSEMBLE;
    }
    if (review->arcs != NULL) {
        cairn_step_amend_arcs(step, system, review);
    }
    if (review->stiffness != NULL) {
        cairn_step_amend_stiffness(step, contacts, review->lambda, system, review->stiffness);
    }
    return CAIRN_STEP_SOLVE;
}
