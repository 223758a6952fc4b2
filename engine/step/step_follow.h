// The motion of shapes through a step, with the solved velocities: when the core of one gets into another.
#ifndef CAIRN_STEP_FOLLOW_H
#define CAIRN_STEP_FOLLOW_H

#include "collision/convex/sweep.h"
#include "engine/step/step.h"

typedef struct CairnFollow {
    const CairnStep *step;
    const double *velocity; // that was solved for, 6 a block
    CairnStepBoxes boxes;
    double *advance;             // of each block: it moves for so long
    const CairnStepTurn **turns; // of each block that tumbles; NULL: it turns as it was solved for
} CairnFollow;

// Fills in `turns`, and the whole step for `advance`.
void cairn_follow_begin(CairnStep *step, CairnFollow *follow);
// The motion of a shape from `time` on; *end, where it is later: until when that is its motion.
CairnMotion cairn_follow_motion(const CairnFollow *follow, int shape, double time, double *end);
// No point of the shape moves farther in the step by its turning.
double cairn_follow_arc(const CairnFollow *follow, int shape);

// When does the core of a convex shape come so near to another shape that it would get into it? `closeness`, at most 1:
// how much of the distance at which it is stopped at first must be left. False: not within the step.
bool cairn_follow_core(const CairnFollow *follow, int shape, int other, double closeness, double *time);

#endif
