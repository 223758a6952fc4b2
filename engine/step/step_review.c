// Review: do these impulses, and the velocities that follow from them, lead to another problem than the one that they
// solve? Four things may be wrong with that: the geometric stiffness was made from other impulses (step_stiffness.c),
// first touches were guessed to bear other loads (step_touch.c), joints end elsewhere than their rows say
// (step_arcs.c), or bodies run into contacts that the problem lacks (step_predict.c). A review finds this and changes
// nothing, so that it may run while a solver runs. Amend makes the changes, between two solves.
#include "engine/step/step.h"

void cairn_step_review(CairnStep *step, const CairnStepContacts *contacts, const CairnStepSystem *system, int pass,
                       CairnStepReview *review) {
    const CairnWorldDef *def = &step->world->def;
    bool has_rows = system->problem.row_count > 0;
    int stiff_passes = def->geometric_stiffness ? def->geometric_passes : 1;
    if (has_rows && !cairn_step_failed(step) && pass < stiff_passes) {
        review->stiffness = cairn_step_review_stiffness(step, contacts, system, review->lambda);
    }
    if (has_rows && !cairn_step_failed(step) && pass < def->touch_passes) {
        review->is_misjudged = cairn_step_review_touches(step, contacts, system, review->lambda);
    }
    if (has_rows && !cairn_step_failed(step)) {
        cairn_step_review_arcs(step, system, pass, review);
    }
    // Under the midpoint rule a contact constrains the velocity at the end of the step, not the displacement: it always
    // overlaps by half a step's motion.
    if (!cairn_step_failed(step) && step->stats.contact_passes < def->contact_passes &&
        def->integrator != CAIRN_INTEGRATOR_MIDPOINT) {
        cairn_step_predict_contacts(step, contacts, review);
    }
}

bool cairn_step_is_superseded(const CairnStepReview *review) {
    return review->stiffness != NULL || review->arcs != NULL || review->is_misjudged || review->predicted_count > 0;
}

CairnStepNext cairn_step_amend(CairnStep *step, CairnStepContacts *contacts, CairnStepSystem *system,
                               CairnStepAnswer *answer) {
    const CairnStepReview *review = &answer->review;
    if (cairn_step_failed(step) || !cairn_step_is_superseded(review)) {
        return CAIRN_STEP_GO_ON;
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
