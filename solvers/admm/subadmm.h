// subadmm, fadmm: the alternating direction method of multipliers over subsystems (S2).
//
// Every subsystem i has dynamics A_i v_i = b_i + J_i^T lambda (eq. 6) and a copy z_i of its constraint velocities
// x_i = J_i v_i (eq. 11). One iteration solves (A_i + beta_i J_i^T J_i) v_i = b_i + J_i^T (beta_i z_i - u_i) for each
// subsystem (eq. 15), then for each constraint the smallest change of the z_i that its law allows (eqs. 16 to 21), a
// few numbers with no matrix; then u_i += beta_i (x_i - z_i) (eq. 14). Both halves are parallel, and the matrices are
// factored once a step.
//
// From eqs. 14 and 18, u_i = -lambda for every i: so the state of the iteration is y_i = beta_i x_i + u_i (eq. 18) a
// side of a constraint, and lambda a row. A subsystem never needs its v: x_i = x_i(b) + H_i (beta_i z_i - u_i) with
// H_i = J_i (A_i + beta_i J_i^T J_i)^-1 J_i^T.
//
// fadmm is this method with the whole system as one subsystem (S2's baseline 3), factored sparse.
#ifndef CAIRN_SOLVERS_SUBADMM_H
#define CAIRN_SOLVERS_SUBADMM_H

#include <cairn/solver.h>

typedef enum CairnSubadmmDivision {
    CAIRN_DIVIDE_GROUPS = 0, // by the labels of dof blocks; a block without a label is a subsystem by itself
    CAIRN_DIVIDE_BODIES,     // every dof block
    CAIRN_DIVIDE_PARTS       // the partitioner's
} CairnSubadmmDivision;

typedef enum CairnSubadmmInside {
    CAIRN_INSIDE_ALL = 0, // rows without bounds within one subsystem belong to its A_i (remark 1), soft and hard
    CAIRN_INSIDE_NONE     // all rows stay rows
} CairnSubadmmInside;

typedef enum CairnSubadmmWeights {
    CAIRN_WEIGHTS_ROWS = 0, // eq. 23 a row: the mass that it feels in the subsystem
    CAIRN_WEIGHTS_TRACE     // eq. 23 as printed, one beta a subsystem
} CairnSubadmmWeights;

typedef struct CairnSubadmmOptions {
    int division; // CairnSubadmmDivision
    int inside;   // CairnSubadmmInside
    int weights;  // CairnSubadmmWeights
    int iterations;
    double tolerance;  // sqrt(theta) of eq. 22
    double beta;       // times eq. 23
    double relaxation; // 1: S2's
} CairnSubadmmOptions;

extern const CairnSolver cairn_solver_subadmm, cairn_solver_fadmm;

#endif
