// The door of the solvers: may this solver be given this problem?
#ifndef CAIRN_SOLVERS_SOLVERS_H
#define CAIRN_SOLVERS_SOLVERS_H

#include <cairn/solver.h>

// Hold the solver's traits against the problem; a refusal (CAIRN_UNSUPPORTED) names the solver and what it does not take. O(rows).
CairnStatus cairn_solver_accepts(const CairnSolver *solver, const CairnProblem *problem);

// Every solver's first question: is the problem one?
static inline CairnStatus cairn_solver_check(const CairnProblem *problem, const CairnSolverContext *context) {
    return context->checked == problem ? cairn_ok() : cairn_problem_check(problem);
}

#endif
