// psor, pssor, pj: matrix-free sweeps for cone complementarity (S1).
//
// S1's algorithm: for every contact i, delta_i = gamma_i - omega eta_i (J_i v + d_i) is projected onto the cone (eqs.
// 20, 21) and mixed with the old impulse by lambda, and v is updated at once; eta = 3/trace(g_i) of a contact, 1/g_i
// of a scalar row. Bilateral, unilateral and frictional multipliers are in one loop. pssor reverses the order after
// every sweep; pj computes all impulses from the velocities of the last sweep (S2's projected Jacobi).
//
// With omega eta |g| < 2 no visit of psor or pssor raises 1/2 gamma A gamma + b gamma on a convex problem. eta =
// 3/trace(g) alone does not promise that where one direction of a contact is much softer than the others: the step is
// held below 1.9/|g| then (not under `faithful`). Cost: O(n) space and time a sweep; sor.h counts the bytes.
#ifndef CAIRN_SOLVERS_PSOR_H
#define CAIRN_SOLVERS_PSOR_H

#include <cairn/solver.h>

typedef struct CairnPsorOptions {
    int iterations; // most sweeps
    double omega;   // relaxation in (0, 2)
    double lambda;  // fraction of the new impulses in the mix, in (0, 1]; above 1 the mix could be outside of the cones
    double tolerance;
    double share;     // of max|b|: stop there where the answer is certified; 0: never
    double budget_ms; // 0: none
    bool
        momentum; // Nesterov's (sor_momentum.c): steps are then held below 1/|g|, omega counts as 1 at most and lambda as 1
    bool faithful;
} CairnPsorOptions;

extern const CairnSolver cairn_solver_psor, cairn_solver_pssor, cairn_solver_pj;

#endif
