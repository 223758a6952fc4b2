// Cones: the law of every row of a problem as ipm-cone has it, and one Newton step on all of them at once.
//
// A row has bounds, or three rows n, t1, t2 have a friction cone K = { |r_T| <= mu r_N } (S1 eq. 7, docs/notation.md).
// What makes the problem more than a convex program are parameters that follow the answer:
//   rise    mu |w_T| of a COULOMB group, added to its w_N (De Saxce);
//   bounds  of torsion and rolling rows, and of box-current tangents: lever times the present normal impulse.
// With the parameters held, the problem is min 1/2 lambda A lambda + b lambda + rise lambda_N over boxes and cones.
#ifndef CAIRN_SOLVERS_CONES_H
#define CAIRN_SOLVERS_CONES_H

#include "solvers/exact/exact.h"

// Where r - (w + rise)/norm of a cone lies: the cone's counterpart of CairnIndexSet.
typedef enum CairnConeSet {
    CAIRN_CONE_NONE = 0, // no cone: a box group, or mu = 0
    CAIRN_CONE_INSIDE,   // sticks: w + rise = 0
    CAIRN_CONE_EDGE,     // slides
    CAIRN_CONE_OPEN      // r = 0
} CairnConeSet;

enum { CAIRN_ROW_FIXED = -1, CAIRN_ROW_CONE = -2 }; // bounds that stand; n, t1 or t2 of a cone

typedef struct CairnCone {
    bool is_cone;
    bool is_corrected; // COULOMB
    double mu;
    double norm; // trace of A's block, not less than its 2-norm: 1/norm is the natural map's step
    double rise; // the parameter
    CairnConeSet set;
    double axis
        [3]
        [3]; // EDGE: along the edge (free), across it in the tangent plane (w + theta r = 0), out of the cone (r = 0)
    double theta; // norm (1 - k)/k, k the fraction of a displacement across the edge that the projection preserves
} CairnCone;

typedef struct CairnCones {
    CairnExact exact; // bounds, iterate, products, system; rows of cones have infinite bounds
    CairnCone *cones; // by friction groups
    CairnThetaBlock *blocks;
    int *normal;           // row -> the normal row that its bounds follow; or one of these
    double *lever;         // bound = lever times that row's impulse
    double residual_scale; // of the cones' residual (2-norm over all) in the measure: max|b| over the referee's scale
    int *parameter;        // of a Newton step: a row whose bound follows, or -1 - a group whose rise does
    int parameter_count;
} CairnCones;

// As cairn_exact_init, for ipm-cone. Groups with mu = 0 become bounds. lends: the system lends itself to another
// factor (CairnSystemSetup), and nothing is factored here. Of a problem that gives W, CAIRN_FORMULATION_BODY makes a
// system that has products and no factor.
CairnStatus cairn_cones_init(CairnCones *cones, const CairnProblem *problem, CairnFormulation formulation, bool lends,
                             CairnSolverContext *context, const double *lambda);

// Take these impulses for the iterate, without those of rows that are held, and the parameters that they make. Returns
// their measure.
double cairn_cones_start(CairnCones *cones, const double *lambda);

// w of the iterate, and how far it is from the law, in m/s, comparable with exact.limit: with parameters as they are
// held, or as the iterate itself makes them.
double cairn_cones_measure(CairnCones *cones, bool is_present);
double cairn_cones_residual(const CairnCones *cones, bool is_present); // w is that of the iterate

// The natural map of a cone with its rise as it is held, m/s; w is that of the iterate.
double cairn_cones_map(const CairnCones *cones, int f);

// Groups whose rise is a parameter.
int cairn_cones_count_rises(const CairnCones *cones);

// Take the parameters that the iterate makes.
void cairn_cones_renew(CairnCones *cones);

// The iterate's nearest point within bounds and cones; then its measure with present parameters.
double cairn_cones_project(CairnCones *cones);

// Find the index sets that the iterate, whose w is known, points at. Returns how many rows and cones have another one
// than when they were found last.
int cairn_cones_guess_sets(CairnCones *cones);

// Newton's method on the natural map of all rows, parameters included, at most `steps` steps from the iterate (whose
// w is known and whose parameters are present), while that helps. The iterate becomes the best that was seen, with
// its measure and its parameters.
CairnStatus cairn_cones_newton(CairnCones *cones, int steps, double *measure);

#endif
