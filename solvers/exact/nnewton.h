// nnewton: nonsmooth Newton on l <= lambda <= u complementary to w = A lambda + b, the NNewton of S2's comparison (its
// [23], Macklin et al. 2019).
//
// A row's condition is phi(s D (lambda - bounds), w) = 0 with phi of Fischer and Burmeister, in Billups' form where
// both bounds are finite, or the minimum map. Divided by the derivative with respect to w a Newton step is
// (A + Theta) d = -phi / phi_w with Theta = s D phi_lambda / phi_w >= 0: the system that all exact solvers have. Half
// the square of phi is the merit that a line search lowers, against the largest of the last few steps: strictly
// monotone it creeps along the kinks. Cost: a factor a step. It converges where the problem is not hyperstatic; on
// stiff piles it mostly does not, and reports that it stalled.
#ifndef CAIRN_SOLVERS_NNEWTON_H
#define CAIRN_SOLVERS_NNEWTON_H

#include <cairn/solver.h>

typedef enum CairnNewtonMap { CAIRN_MAP_FISCHER = 0, CAIRN_MAP_MINIMUM } CairnNewtonMap;

typedef struct CairnNnewtonOptions {
    int formulation; // CairnFormulation
    int map;         // CairnNewtonMap
    int iterations;
    int memory;   // merits that the line search looks back on
    double scale; // s: impulses beside velocities
    bool warm;
} CairnNnewtonOptions;

extern const CairnSolver cairn_solver_nnewton;

#endif
