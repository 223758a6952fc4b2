// The base of the exact solvers: the problem with its present bounds, the index sets, one exact solve on the free
// set, and the measure of how far an iterate is from the answer: the referee's residual `scaled`, computed here from
// the solver's products.
#ifndef CAIRN_SOLVERS_EXACT_H
#define CAIRN_SOLVERS_EXACT_H

#include "solvers/system/system.h"

// The index set that a row belongs to: its impulse is free, or tight at one of its bounds.
typedef enum CairnIndexSet {
    CAIRN_SET_FREE = 0, // w = 0
    CAIRN_SET_AT_LOWER,
    CAIRN_SET_AT_UPPER,
    CAIRN_SET_HELD // the bounds are equal, or closer than the certificate can resolve, or no impulse moves the row
} CairnIndexSet;

typedef struct CairnExact {
    const char *name; // the solver's, for messages
    const CairnProblem *problem;
    CairnSolverContext *context;
    CairnSystem system;
    double *D; // the system's
    double *b, *lower, *upper;
    double *lambda; // the iterate; on entry the warm start
    double *w;      // A lambda + b of the iterate
    double *v;      // scratch over dofs
    double *theta, *y, *x;
    unsigned char *set;
    bool *is_held;
    const bool *is_dead; // the system's
    bool has_factor;     // `theta` is the one that is factored
    double scale;        // max|b|, or what bounds force
    // Of each row, scale over that of its connected component: all measures are of rows times these, so that a limit
    // holds for each component by its own velocities. NULL: 1.
    const double *weight;
    double limit;           // the certificate: 1e-8 of the scale
    double target;          // the measure at which the solvers stop: well inside the certificate
    double solve_tolerance; // of the free-set solve, which is refined until its residual is below this
    int iterations, fallback;
    const char *finisher; // who computed the answer where `fallback` is 1
    double prepare_seconds;
    // Of a condensed solve (condense.h): checks its answer against the whole problem, makes w the true one, and
    // returns the measure of the whole problem. NULL: this is the whole problem.
    double (*verify)(struct CairnExact *exact);
    void *verify_user;
    bool is_condensed;
    bool may_ask;       // the context's review may still be called
    bool is_superseded; // it has returned that another problem is to be solved
} CairnExact;

// How an exact solve is to be made; zeroes are a whole problem with bounds alone, by any formulation.
typedef struct CairnExactSetup {
    const char *name;        // the solver's, for messages
    CairnSystemSetup system; // `of` and `row` are those below
    bool takes_cones;        // friction cones are the caller's business: their rows have the problem's bounds still
    bool may_ask;            // the context's review may be asked (cairn_exact_review)
    // A solve over some rows of another solve, which has checked the problem and the impulses; it has the certificate
    // of that one. With `row`, row i is row `row[i]` of the other solve, and takes b, bounds, impulse and is_held
    // from there.
    const CairnExact *of;
    const int *row;
} CairnExactSetup;

// Check the problem and the warm lambda (NULL with `row`), choose and prepare the system. Arrays from context->arena.
CairnStatus cairn_exact_init(CairnExact *exact, const CairnProblem *problem, const CairnExactSetup *setup,
                             CairnSolverContext *context, const double *lambda);

// The best lambda that was seen, and how good it is.
typedef struct CairnBest {
    double *lambda;
    double measure;
} CairnBest;

// Begin with the iterate and a measure of INFINITY, so that any later iterate is better. Memory from the context's
// arena.
CairnStatus cairn_best_init(CairnBest *best, const CairnExact *exact);
void cairn_best_set(CairnBest *best, const CairnExact *exact, double measure);
// Replace the best by the iterate if that is better. Returns whether it is.
bool cairn_best_update(CairnBest *best, const CairnExact *exact, double measure);
// The iterate becomes the best.
void cairn_best_take(const CairnBest *best, CairnExact *exact);

// The impulses that a method starts from.
typedef struct CairnStart {
    double *lambda;
    bool
        is_answer; // the start is the answer already: then one exact solve of its index sets is tried, and nothing more
} CairnStart;

// Copy the iterate; with `warm` find whether it is the answer already, and predict the index sets.
CairnStatus cairn_start_init(CairnStart *start, CairnExact *exact, bool warm);
// The iterate becomes the start; where that is the answer, w is computed and lambda clamped. Returns whether it is.
bool cairn_start_take(const CairnStart *start, CairnExact *exact);

// Find b anew, where the problem's p or d has changed.
void cairn_exact_renew(CairnExact *exact);

// Find w of the iterate, and the largest |middle of w, D (lambda - u), D (lambda - l)|.
double cairn_exact_measure(CairnExact *exact);
// The measure of an iterate whose w is known.
double cairn_exact_residual(const CairnExact *exact);
// Whether the iterate need not be improved: it is well inside the certificate.
bool cairn_exact_is_enough(const CairnExact *exact, double measure);

// Clamp lambda to its bounds and return the measure. w must be that of the iterate, and is updated where lambda
// changes.
double cairn_exact_clamp(CairnExact *exact);

// Put tight rows at their bounds and solve A_FF lambda_F = -b_F - A_FT lambda_T, starting from the iterate. Afterwards
// w holds for all rows.
CairnStatus cairn_exact_solve_sets(CairnExact *exact);

// How much row i counts in a measure.
static inline double cairn_exact_weight(const CairnExact *exact, int i) {
    return exact->weight != NULL ? exact->weight[i] : 1;
}

// How far row i violates the conditions of its index set, in m/s times its weight; not positive: they hold.
double cairn_exact_violation(const CairnExact *exact, int i);

// Move row i to the index set that its violation asks for.
void cairn_exact_flip(CairnExact *exact, int i);

// Solve with the index sets and flip the rows that violate them, at most `steps` times. measure: of the iterate,
// INFINITY where the equations have no solution.
CairnStatus cairn_exact_pivot(CairnExact *exact, int steps, double *measure);

// Call the context's review with this lambda, once, where the measure is good enough for it. Returns whether another
// problem is to be solved instead, so that further iterations would be wasted.
bool cairn_exact_review(CairnExact *exact, double measure, const double *lambda);

// Predict the index sets from the iterate: where lambda - w/D lies relative to the bounds.
void cairn_exact_predict(CairnExact *exact);

// A method over fixed bounds: it improves exact->lambda and reports in `outcome` how it ended.
typedef CairnStatus (*CairnExactMethod)(CairnExact *exact, const void *options, CairnOutcome *outcome);

// Whether the impulses are so large that their rounding alone exceeds the certificate: rows that contradict each other
// push with 1 / C times the velocity that they disagree by. No method has an answer then.
bool cairn_exact_is_beyond_digits(const CairnExact *exact);

// Check that the iterate is finite, write it to lambda, and the report.
CairnStatus cairn_exact_report(const CairnExact *exact, CairnOutcome outcome, double claimed, double *lambda,
                               CairnSolveReport *report);

// Run a method: once over fixed bounds; with BOX_CURRENT friction again and again with the bounds that the last
// impulses make, until they agree with themselves. Then report.
CairnStatus cairn_exact_run(CairnExact *exact, CairnExactMethod method, const void *options, double *lambda,
                            CairnSolveReport *report);

// A solver that is one method over a whole problem.
typedef struct CairnExactSolver {
    CairnExactSetup setup;
    CairnExactMethod method;
    const void *options; // the method's
    bool is_final;       // the method keeps to its paper: no other way follows where it has not converged
    // Called where the method has not converged, to continue from its answer. NULL: nothing is called.
    CairnStatus (*finish)(const CairnProblem *problem, CairnFormulation formulation, CairnSolverContext *context,
                          double *lambda, CairnSolveReport *report);
} CairnExactSolver;

// Init, run and finish. On an error lambda is unchanged.
CairnStatus cairn_exact_solve(const CairnExactSolver *solver, const CairnProblem *problem, CairnSolverContext *context,
                              double *lambda, CairnSolveReport *report);

#endif
