// Acceptance: whether a solver takes a problem, whether the problem is one, and with which options it is solved.
#ifndef CAIRN_SOLVERS_ACCEPT_H
#define CAIRN_SOLVERS_ACCEPT_H

#include <cairn/solver.h>

// Check the problem against the solver's traits; a refusal (CAIRN_UNSUPPORTED) names the solver and the feature that
// it does not take. O(rows).
CairnStatus cairn_solver_accepts(const CairnSolver *solver, const CairnProblem *problem);

// Every solver's first question: is the problem one? A problem that the caller has checked already is not checked
// again.
static inline CairnStatus cairn_solver_check(const CairnProblem *problem, const CairnSolverContext *context) {
    return context->checked == problem ? cairn_ok() : cairn_problem_check(problem);
}

// For solvers over bounds alone: CAIRN_UNSUPPORTED where a friction group has a cone.
CairnStatus cairn_solver_refuse_cones(const char *solver, const CairnProblem *problem);

// The options that a solver was given, checked, or its defaults (`given` is NULL). chosen: an object of the table's.
CairnStatus cairn_solver_options(const CairnFieldTable *table, const void *given, void *chosen);

#endif
