// An exact solver for tests, written as a user's own would be: it knows the public headers only, and a world gets it by
// pointer.
//
//     A = J P^-1 J^T + C is kept by rows from their first entry on, in the problem's own order (a chain's A is a band),
//     and factored as L L^T; refinement against J, P and C brings the answer to rounding. Rows with finite bounds:
//     single principal pivots (Murty), which end because A is positive definite; SUPPORT_EXACT_BOUNDS such rows at
//     most. Frozen friction boxes are bounds.
#ifndef CAIRN_TESTS_SUPPORT_EXACT_H
#define CAIRN_TESTS_SUPPORT_EXACT_H

#include <cairn/solver.h>

enum { SUPPORT_EXACT_BOUNDS = 60 };

extern const CairnSolver support_exact;

#endif
