// What every exact solver over box bounds is held to, for one test executable a solver.
#ifndef CAIRN_TESTS_EXACT_CHECKS_H
#define CAIRN_TESTS_EXACT_CHECKS_H

#include "tests/piles.h"
#include "tests/problems.h"

#include <cairn/solver.h>

typedef struct ExactRun {
    CairnStatus status;
    CairnSolveReport report;
    CairnResidual residual; // the referee's
    int traced, warned;
} ExactRun;

// Solve with "name=value,..." options (NULL: defaults). lambda: warm start in, answer out.
ExactRun exact_run(const CairnSolver *solver, const char *options, const CairnProblem *problem, int threads,
                   void **memory, double *lambda);
// The same, which must succeed, converge and be certified.
ExactRun exact_certify(const CairnSolver *solver, const char *options, const CairnProblem *problem, double *lambda);

// Largest difference of w = A lambda + b for two impulses, over 1e-8 max|b|.
double exact_distance(const CairnProblem *problem, const double *a, const double *b);

void exact_check_enumerated(const CairnSolver *solver);
void exact_check_chosen(const CairnSolver *solver);
void exact_check_heaps(const CairnSolver *solver, int bodies);
void exact_check_order_and_warmth(const CairnSolver *solver);
void exact_check_threads_and_memory(const CairnSolver *solver);
void exact_check_current_bounds(const CairnSolver *solver);
void exact_check_singular(const CairnSolver *solver);
void exact_check_edges(const CairnSolver *solver);
void exact_check_bad_input(const CairnSolver *solver);
void exact_check_no_memory(const CairnSolver *solver);

#endif
