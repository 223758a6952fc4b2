// Law: the friction laws on the rows of one contact, for all solvers and the engine.
//
// A friction group has a normal row n, then two tangent rows t1 and t2, and, where the material has such friction,
// one torsional and two rolling rows (CairnFriction). Its cone is { |lambda_T| <= mu lambda_N } (S1 eq. 7,
// docs/notation.md).
#ifndef CAIRN_SOLVERS_LAW_H
#define CAIRN_SOLVERS_LAW_H

#include <cairn/problem.h>

// The bound of the group's row k (1, 2: tangents, 3: torsion, 4, 5: rolling) per unit of the normal impulse.
static inline double cairn_law_lever(const CairnFriction *friction, int k) {
    return k < 3 ? friction->mu : k == 3 ? friction->torsion : friction->rolling;
}

// The lever of a row of the problem; negative where it is no friction row of the group.
double cairn_law_row_lever(const CairnFriction *friction, int row);

// The first friction group of a kind, -1: there is none.
int cairn_law_find(const CairnProblem *problem, CairnFrictionKind kind);

// Replaces x = (normal, t1, t2) by the nearest point of { |x_T| <= mu x_N }.
void cairn_law_project(double mu, double x[3]);

#endif
