// Condense: joints made part of the dynamics, for an interior point over the rows that have bounds alone.
//
// Rows without bounds (w_E = 0) are linear: lambda_E = -C_E^-1 (J_E v + d_E) leaves  (P + J_E^T C_E^-1 J_E) v = p' +
// J_B^T lambda_B,  and so
//
//     w_B = A' lambda_B + b',      A' = J_B K_E^-1 J_B^T + C_B,      K_E = P + J_E^T C_E^-1 J_E.
//
// Bodies that no bounded row touches are eliminated first: their Schur complement is the same in every iteration, and
// neither a factor nor a solve needs them again, for J_B is zero there. It is static condensation: the part of the
// matrix that is constant is factored once. K_E has fewer digits than A (C_E = 1e-10), so b' is computed from the
// true w_B whenever the interior point has converged (defect correction).
#ifndef CAIRN_SOLVERS_CONDENSE_H
#define CAIRN_SOLVERS_CONDENSE_H

#include "solvers/exact/exact.h"

typedef struct CairnCondensed {
    CairnExact *whole;
    CairnSystem tied; // the whole's, in stages, factored with the bounded rows held out: K_E
    void *state;      // body space of the same plan: K_E + J_B^T (C_B + Theta)^-1 J_B
    CairnProblem problem;
    CairnExact inner; // over the bounded rows
    CairnSolverContext context;
    int *row;                // inner row -> whole row
    int *group, group_count; // of the whole's Jacobians: those with bounded rows
    double *theta;           // of the whole's rows
    double *weight;          // of the inner ones: 1/(C + Theta), 0: held out
    double *slotted;         // over dofs
    double *y, *x, *w;       // over the whole's rows
    double *base;            // b'
    double *rough;           // impulses for a review
    bool has_recovered;      // whole->lambda was made from inner ones
} CairnCondensed;

// Are bounded rows few enough, and bodies that they touch? Looks at rows only.
bool cairn_condense_pays(const CairnExact *whole);

// Make the inner exact solve, from the impulses in whole->lambda. is_made false: this problem is none for it.
// CAIRN_NUMERIC: nor is this.
CairnStatus cairn_condense_make(CairnCondensed *condensed, CairnExact *whole, bool *is_made);

// Put the inner impulses and those of the joints that go with them into whole->lambda and whole->w.
CairnStatus cairn_condense_recover(CairnCondensed *condensed);

#endif
