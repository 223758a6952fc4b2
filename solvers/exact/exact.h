// What the exact solvers share: the problem with its bounds as they are now, the index sets, one exact solve on the free set, and
// the measure that says how far a lambda is. The measure is the referee's `scaled`, computed here from the solver's own products.
#ifndef CAIRN_SOLVERS_EXACT_H
#define CAIRN_SOLVERS_EXACT_H

#include "solvers/system/system.h"

// Where a row's impulse is.
typedef enum CairnIndexSet {
    CAIRN_SET_FREE = 0, // w = 0
    CAIRN_SET_AT_LOWER,
    CAIRN_SET_AT_UPPER,
    CAIRN_SET_HELD // its bounds are one, or closer than the certificate can tell, or no impulse moves it
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
    const bool *is_dead;    // the system's
    bool has_factor;        // `theta` is the one that is factored
    double scale;           // max|b|
    double limit;           // the certificate: 1e-8 max|b| + 1e-12
    double target;          // what the solvers ask for: well inside it
    double solve_tolerance; // of the equations of a solve of sets: refined until no more than this is
    int iterations, fallback;
    double prepare_seconds;
    // Of a condensed solve (condense.h): what it takes for the answer is held against the whole problem, w made the true one, and the
    // whole's measure returned. NULL: it is the whole.
    double (*verify)(struct CairnExact *exact);
    void *verify_user;
    bool is_condensed;
    bool may_ask, is_superseded; // the context's review is still to be asked; it wants another problem solved
} CairnExact;

// How an exact solve is to be made; zeroes are a whole problem with bounds alone, by any formulation.
typedef struct CairnExactSetup {
    const char *name;        // the solver's, for messages
    CairnSystemSetup system; // `of` and `row` are those below
    bool takes_cones;        // friction cones are the caller's business: their rows have the problem's bounds still
    bool may_ask;            // the context's review may be asked (cairn_exact_review)
    // A part of another solve, whose problem and impulses were checked: its certificate is the other one's. With `row` its row i is the
    // other's row `row[i]`, and b, bounds, impulses and what is held are those of that row.
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

// The iterate, at INFINITY: anything is better. From the context's arena.
CairnStatus cairn_best_init(CairnBest *best, const CairnExact *exact);
void cairn_best_set(CairnBest *best, const CairnExact *exact, double measure);
// Set it to the iterate if that is better; is it?
bool cairn_best_update(CairnBest *best, const CairnExact *exact, double measure);
// The iterate becomes the best.
void cairn_best_take(const CairnBest *best, CairnExact *exact);

// The impulses that a method starts from.
typedef struct CairnStart {
    double *lambda;
    bool is_answer; // already: then their places are worth one exact try, and nothing more
} CairnStart;

// Keep the iterate; with `warm` find whether it is the answer, and the places that it points to.
CairnStatus cairn_start_init(CairnStart *start, CairnExact *exact, bool warm);
// The iterate becomes the start, with its measure where that is the answer; is it?
bool cairn_start_take(const CairnStart *start, CairnExact *exact);

// Find b anew, where the problem's p or d has changed.
void cairn_exact_renew(CairnExact *exact);

// Find w of the iterate, and the largest |middle of w, D (lambda - u), D (lambda - l)|.
double cairn_exact_measure(CairnExact *exact);
// The same of an iterate whose w is known.
double cairn_exact_residual(const CairnExact *exact);
// Is it an answer that need not be better? Well inside the certificate, and in the paper's own measure (natural, S0 eq. 29) below what is
// asked of its mean: that one counts impulses like velocities, beside heavy bodies it is a hundred times the other.
bool cairn_exact_is_enough(const CairnExact *exact, double measure);

// The same with lambda clamped to its bounds first; w must be that of the iterate.
double cairn_exact_clamp(CairnExact *exact);

// Put tight rows at their bounds and solve A_FF lambda_F = -b_F - A_FT lambda_T, starting from the iterate. Afterwards w holds for all rows.
CairnStatus cairn_exact_solve_sets(CairnExact *exact);

// How far row i breaks the signs of its place, in m/s: positive: broken.
double cairn_exact_violation(const CairnExact *exact, int i);

// Move row i to where its violation points.
void cairn_exact_flip(CairnExact *exact, int i);

// Solve the sets and flip what breaks a sign, a few times; the iterate's measure, INFINITY where the equations have no solution.
CairnStatus cairn_exact_pivot(CairnExact *exact, int steps, double *measure);

// Ask the context's review of this lambda, once, where the measure is good enough for it; true: what follows would be wasted.
bool cairn_exact_review(CairnExact *exact, double measure, const double *lambda);

// Where lambda - w/D lies: the places that the iterate points to.
void cairn_exact_predict(CairnExact *exact);

// A method over fixed bounds: it improves exact->lambda and says in `outcome` how it ended.
typedef CairnStatus (*CairnExactMethod)(CairnExact *exact, const void *options, CairnOutcome *outcome);

// Check that the iterate is finite, write it to lambda, and the report.
CairnStatus cairn_exact_report(const CairnExact *exact, CairnOutcome outcome, double claimed, double *lambda,
                               CairnSolveReport *report);

// Run a method: once over fixed bounds; with BOX_CURRENT friction again and again with the bounds that the last impulses make, until
// they agree with themselves. Then report.
CairnStatus cairn_exact_run(CairnExact *exact, CairnExactMethod method, const void *options, double *lambda,
                            CairnSolveReport *report);

// A solver that is one method over a whole problem.
typedef struct CairnExactSolver {
    CairnExactSetup setup;
    CairnExactMethod method;
    const void *options; // the method's
    // What goes on from the answer where the method has not arrived. NULL: nothing.
    CairnStatus (*finish)(const CairnProblem *problem, CairnFormulation formulation, CairnSolverContext *context,
                          double *lambda, CairnSolveReport *report);
} CairnExactSolver;

// Init, run and finish. On an error lambda is unchanged.
CairnStatus cairn_exact_solve(const CairnExactSolver *solver, const CairnProblem *problem, CairnSolverContext *context,
                              double *lambda, CairnSolveReport *report);

#endif
