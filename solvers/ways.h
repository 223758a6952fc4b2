// The ways that follow where a solver has found no answer.
#ifndef CAIRN_SOLVERS_WAYS_H
#define CAIRN_SOLVERS_WAYS_H

#include <cairn/solve.h>

#include "engine/base/arena.h"

// Whether other ways follow a solve with this status and report.
static inline bool cairn_ways_follow(CairnStatus status, const CairnSolveReport *report) {
    bool is_without = report->leaves_rest && report->outcome != CAIRN_OUTCOME_CONVERGED && !report->is_superseded;
    return status.code == CAIRN_NUMERIC || (cairn_is_ok(status) && is_without);
}

// Try one way after the other until the referee certifies an answer, and take the best. lambda holds the impulses that
// the solver ended with, or that it was to start from where it failed (`failed`). The report says who finished.
CairnStatus cairn_ways_finish(const CairnProblem *problem, CairnStatus failed, const CairnSolverContext *context,
                              double *lambda, CairnSolveReport *report);

#endif
