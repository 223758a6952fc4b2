// Body space with an unsymmetric weight: K = P + J^T S J, factored as L D U in the order and on the plan of the
// symmetric factor (linalg.h), without pivoting. S is block diagonal by rows: a weight of each ordinary row and one
// block of all 3 + spin_rows rows of a friction group, as the Newton matrices of Coulomb friction have it: the
// derivative of De Saxce's rise or of a projection is not symmetric, and the bounds of spin follow lambda_n.
//
//     cairn_system_init(&system, problem, &(CairnSystemSetup){.formulation = CAIRN_FORMULATION_BODY}, context);
//     cairn_body_lu_init(&lu, &system);
//     cairn_body_lu_factor(&lu, weight, block);
//     cairn_groups_impulse(system.groups, NULL, x, lu.slotted);               J^T x
//     cairn_body_lu_solve_slotted(&lu, lu.slotted);                           K^-1 J^T x
//     cairn_groups_recover(system.groups, lu.slotted, NULL, NULL, y);         J K^-1 J^T x
//
// An unsymmetric matrix may break down without pivoting even where it is regular, and lose digits where it does not:
// the caller checks the residual. Where S has a positive semidefinite symmetric part all pivots are positive.
#ifndef CAIRN_SOLVERS_BODY_LU_H
#define CAIRN_SOLVERS_BODY_LU_H

#include "solvers/system/formulation.h"

typedef struct CairnBodyLu {
    const CairnSystem *system;
    CairnLinalgFactor factor, *lender; // the lender: the system's own
    CairnRowWeights S;                 // while it factors
    double *scale;
    int *friction;   // by the rows of the system's groups: the friction group whose block begins there, -1: none
    double *slotted; // scratch for the caller: a vector over the dofs in slots (CairnGroups)
} CairnBodyLu;

// The system is prepared in body space; everything comes from its context's arena. Half of the factor lies in the
// memory of the system's own one: cairn_system_factor ends the L D U, cairn_body_lu_factor the system's factor.
CairnStatus cairn_body_lu_init(CairnBodyLu *lu, const CairnSystem *system);

// weight[row_count]: S of ordinary rows, of either sign, 0 where a row is held out. block: S by friction groups, six
// rows of six for n, t1, t2, torsion and both of rolling. Of a group whose friction follows the load (all but
// CAIRN_FRICTION_BOX) the leading 3 + spin_rows rows and columns are read, and the weights of its rows are not; the
// rows of other groups are ordinary. NULL: all rows are. Both are read here only. CAIRN_NUMERIC: a pivot broke down, at
// the dof that the message names.
CairnStatus cairn_body_lu_factor(CairnBodyLu *lu, const double *weight, const double (*block)[36]);

// v = K^-1 v over the dofs, in place.
void cairn_body_lu_solve(CairnBodyLu *lu, double *v);
void cairn_body_lu_solve_slotted(CairnBodyLu *lu, double *slotted);

#endif
