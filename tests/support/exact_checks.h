// What every exact solver over box bounds is held to: a matrix of checks and solvers, one test executable a solver.
#ifndef CAIRN_TESTS_EXACT_CHECKS_H
#define CAIRN_TESTS_EXACT_CHECKS_H

#include "tests/support/piles.h"
#include "tests/support/problems.h"

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
// Solves with the given parts; exact_run gives solvers that need a partition parts of four bodies. With off-diagonal
// blocks of P `residual` stays zero.
ExactRun exact_run_parts(const CairnSolver *solver, const char *options, const CairnProblem *problem,
                         const CairnParts *parts, int threads, double *lambda);
// Solves as exact_run does, and asserts that the solve succeeds, converges and is certified.
ExactRun exact_certify(const CairnSolver *solver, const char *options, const CairnProblem *problem, double *lambda);

// Largest difference of w = A lambda + b for two impulses, over 1e-8 max|b|.
double exact_distance(const CairnProblem *problem, const double *a, const double *b);

// 1/2 lambda A lambda + b lambda: what the answer makes least.
double exact_objective(const CairnProblem *problem, const double *lambda);

// Who is checked. Beside problems that all exact solvers take there are hyperstatic heaps, and not all arrive on stiff
// ones: theirs have compliances from `stiffest` up.
typedef struct ExactSubject {
    const CairnSolver *solver;
    double stiffest;
    int bodies;         // of the largest heap
    int factorizations; // most that it may take
} ExactSubject;

// The checks; *state is the ExactSubject.
void exact_check_enumerated(void **state);
void exact_check_chosen(void **state);
void exact_check_heaps(void **state);
void exact_check_order_and_warmth(void **state);
void exact_check_threads_and_memory(void **state);
void exact_check_current_bounds(void **state);
void exact_check_singular(void **state);
void exact_check_edges(void **state);
void exact_check_bad_input(void **state);
void exact_check_no_memory(void **state);

// All of them, for the list of tests: every exact solver times every problem.
// clang-format off
#define EXACT_TESTS(subject)                                                                                           \
    cmocka_unit_test_prestate(exact_check_enumerated, subject),                                                        \
    cmocka_unit_test_prestate(exact_check_chosen, subject),                                                            \
    cmocka_unit_test_prestate(exact_check_heaps, subject),                                                             \
    cmocka_unit_test_prestate(exact_check_order_and_warmth, subject),                                                  \
    cmocka_unit_test_prestate(exact_check_threads_and_memory, subject),                                                \
    cmocka_unit_test_prestate(exact_check_current_bounds, subject),                                                    \
    cmocka_unit_test_prestate(exact_check_singular, subject),                                                          \
    cmocka_unit_test_prestate(exact_check_edges, subject),                                                             \
    cmocka_unit_test_prestate(exact_check_bad_input, subject),                                                         \
    cmocka_unit_test_prestate(exact_check_no_memory, subject)
// clang-format on

#endif
