// The connected components of a problem, and how much more each of their rows counts in a measure of the whole. Two
// components have no effect on each other, so that the certificate holds each of them against its own velocities; a
// solver that weighs its rows so measures all of them with one number.
#ifndef CAIRN_SOLVERS_COMPONENTS_H
#define CAIRN_SOLVERS_COMPONENTS_H

#include <cairn/problem.h>

#include "engine/base/arena.h"

// What rows are weighed by, and what comes of it.
typedef struct CairnComponents {
    const double *b, *D; // of each row: the velocity without impulses, and diag(A)
    const double *lower, *upper;
    const double *v; // velocities of the dofs without impulses; NULL: an explicit problem
    double scale;    // the largest velocity that any component has to bring to rest, m/s
    double *weight;  // of each row, scale over that of its component; NULL: 1 for all of them
} CairnComponents;

// Give each row the name of its component, in [0, blocks] of form 1 and [0, rows] of form 2. `parent` has room for so many,
// and is scratch memory; `node` has row_count numbers.
void cairn_components_name(const CairnProblem *problem, int *parent, int *node);

// Find scale and weights. Memory from the arena.
CairnStatus cairn_components_weigh(CairnComponents *components, const CairnProblem *problem, CairnArena *arena);

#endif
