// Systems: problems of any size with the graphs of scenes, made without a simulation: rows, bodies and weights as they
// come there.
#ifndef CAIRN_TESTS_SUPPORT_SYSTEMS_H
#define CAIRN_TESTS_SUPPORT_SYSTEMS_H

#include "tests/support/support.h"

#include <cairn/problem.h>

typedef struct SupportSystem {
    CairnProblem problem;
    CairnDofBlock *blocks;
    CairnConstraintBlock *constraints;
    CairnTerm *terms;
    double *P, *p, *J, *compliance, *right_side, *lower, *upper, *phi;
    int block_limit, constraint_limit, row_limit;
    uint64_t seed;
} SupportSystem;

void support_system_free(SupportSystem *system);

// Bodies in a heap: `count` of them, about six neighbours each, one to three contact points a pair, of three rows.
void support_system_pile(SupportSystem *system, int count, uint64_t seed);
// Crossing logs on a plate: layers of `across` logs, one contact of three rows where two cross.
void support_system_tower(SupportSystem *system, int layers, int across, uint64_t seed);
// A chain on a plane: joints of `joint_rows` rows, `plane_rows` rows a link against what does not move.
void support_system_chain(SupportSystem *system, int links, int joint_rows, int plane_rows, uint64_t seed);
// One body that all others touch.
void support_system_star(SupportSystem *system, int count, int rows, uint64_t seed);
// Any graph: constraints of 1 to 4 rows over one to three of the blocks, which have 1 to 7 dofs.
void support_system_random(SupportSystem *system, int blocks, int constraints, uint64_t seed);

// x = matrix^-1 x for a symmetric n x n matrix by L D L^T without pivoting; false where a pivot vanishes.
bool support_solve_symmetric(int n, const double *matrix, double *x);

#endif
