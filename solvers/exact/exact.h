// What the exact solvers share: the problem with its bounds as they are now, the index sets, one exact solve on the free set, and
// the measure that says how far a lambda is. The measure is the referee's `scaled`, computed here from the solver's own products.
#ifndef CAIRN_SOLVERS_EXACT_H
#define CAIRN_SOLVERS_EXACT_H

#include "solvers/system/system.h"

// Where a row's impulse is.
typedef enum CairnPlace {
    CAIRN_FREE = 0, // w = 0
    CAIRN_AT_LOWER,
    CAIRN_AT_UPPER,
    CAIRN_HELD // its bounds are one, or closer than the certificate can tell, or no impulse moves it
} CairnPlace;

typedef struct CairnExact {
    const CairnProblem *problem;
    CairnSolverContext *context;
    CairnSystem system;
    double *D; // the system's
    double *b, *lower, *upper;
    double *lambda; // the iterate; on entry the warm start
    double *w;      // A lambda + b of the iterate
    double *v;      // scratch over dofs
    double *theta, *y, *x;
    unsigned char *place;
    bool *is_held;
    const bool *is_dead; // the system's
    bool has_factor;     // `theta` is the one that is factored
    double scale;        // max|b|
    double limit;        // the certificate: 1e-8 max|b| + 1e-12
    double target;       // what the solvers ask for: well inside it
    double left;         // of the equations of a solve of sets: refined until no more than this is
    int iterations, fallback;
    double prepare_seconds;
    // Of a condensed solve (condense.h): what it takes for the answer is held against the whole problem, w made the true one, and the
    // whole's measure returned. NULL: it is the whole.
    double (*verify)(struct CairnExact *exact);
    void *verify_user;
    bool is_condensed;
    bool may_ask, is_superseded; // the context's review is still to be asked; it wants another problem solved
} CairnExact;

// Check the problem and the warm lambda, choose and prepare the formulation. Arrays from context->arena.
CairnStatus cairn_exact_init(CairnExact *exact, const char *name, const CairnProblem *problem,
                             CairnFormulation formulation, CairnSolverContext *context, const double *lambda);

// The same over a kind that has no number of its own.
CairnStatus cairn_exact_init_kind(CairnExact *exact, const char *name, const CairnProblem *problem,
                                  const CairnSystemKind *kind, CairnSolverContext *context, const double *lambda);

// The same over cairn_system_init_staged, of a problem that was checked.
CairnStatus cairn_exact_init_staged(CairnExact *exact, const char *name, const CairnProblem *problem, const int *stage,
                                    CairnSolverContext *context, const double *lambda);

// The same, and friction cones are the caller's business: their rows have the problem's bounds still.
CairnStatus cairn_exact_init_cones(CairnExact *exact, const char *name, const CairnProblem *problem,
                                   CairnFormulation formulation, CairnSolverContext *context, const double *lambda);

// The same over a system that is made already (`state` of `kind`).
CairnStatus cairn_exact_init_made(CairnExact *exact, const char *name, const CairnProblem *problem,
                                  const CairnSystemKind *kind, void *state, CairnSolverContext *context,
                                  const double *lambda);

// The rows `row` of another solve, whose problem was checked: its bounds, impulses and certificate, with a system of their own.
CairnStatus cairn_exact_init_part(CairnExact *exact, const CairnExact *of, const CairnProblem *problem, const int *row,
                                  const CairnSystemKind *kind, void *state, CairnSolverContext *context);

// A part of another solve, whose problem was checked: its certificate is that of `scale`. `is_last`: as of cairn_system_init_last.
CairnStatus cairn_exact_init_inner(CairnExact *exact, const char *name, const CairnProblem *problem,
                                   CairnFormulation formulation, const bool *is_last, double scale,
                                   CairnSolverContext *context, const double *lambda);

// Find b anew, where the problem's p or d has changed.
void cairn_exact_renew(CairnExact *exact);

// Find w of the iterate, and the largest |middle of w, D (lambda - u), D (lambda - l)|.
double cairn_exact_measure(CairnExact *exact);
// The same of an iterate whose w is known.
double cairn_exact_gauge(const CairnExact *exact);
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
CairnStatus cairn_exact_settle(CairnExact *exact, int steps, double *measure);

// Ask the context's review of this lambda, once, where the measure is good enough for it; true: what follows would be wasted.
bool cairn_exact_review(CairnExact *exact, double measure, const double *lambda);

// Where lambda - w/D lies: the places that the iterate points to.
void cairn_exact_predict(CairnExact *exact);

// Log a warning where the equations had to be regularised.
void cairn_exact_say_regularised(const CairnExact *exact, const char *name);

// A method over fixed bounds: it improves exact->lambda and says in `outcome` how it ended.
typedef CairnStatus (*CairnExactMethod)(CairnExact *exact, const void *options, CairnOutcome *outcome);

// Run a method: once over fixed bounds; with BOX_CURRENT friction again and again with the bounds that the last impulses make, until
// they agree with themselves. Then check, write the answer to lambda and the report.
CairnStatus cairn_exact_run(CairnExact *exact, const char *name, CairnExactMethod method, const void *options,
                            double *lambda, CairnSolveReport *report);

#endif
