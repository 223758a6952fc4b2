// Arcs: what step_arcs.c and step_near.c have in common.
#ifndef CAIRN_STEP_ARCS_H
#define CAIRN_STEP_ARCS_H

#include "engine/step/step.h"

// A joint may end so far from where its rows say, as a share of its arms or in radians: a further solve follows.
#define CAIRN_ARC_TOLERANCE 2e-4

// The length that errors of a joint's rows are held against.
double cairn_step_arm(const CairnStepJoint *sj);

// Marks the joints that end no farther than a tolerance from where their rows say, whatever their arcs are. Returns
// whether all of them are marked.
bool cairn_step_find_near(CairnStep *step, const CairnStepJoints *joints, const double *velocity, bool *near);

#endif
