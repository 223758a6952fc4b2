// A given W by blocks: its rows in nodes (those of a friction group together, others one by one), the blocks of W
// between them, and an order of elimination. Whoever factors a matrix with the pattern of W begins here. Also whether W
// is positive semidefinite, which friction cones need.
#ifndef CAIRN_SOLVERS_GIVEN_H
#define CAIRN_SOLVERS_GIVEN_H

#include <cairn/problem.h>

#include "solvers/linalg/linalg.h"

enum { CAIRN_GIVEN_ROWS = 6 }; // most rows of a node

typedef struct CairnGivenNode {
    int first, count; // its rows
    int friction;     // its group; -1: a single row
    double W[CAIRN_GIVEN_ROWS * CAIRN_GIVEN_ROWS];
} CairnGivenNode;

// Two nodes with an entry of W between them: the block of the first one's rows, and that of the second one's.
typedef struct CairnGivenPair {
    int node[2];
    double W[2][CAIRN_GIVEN_ROWS * CAIRN_GIVEN_ROWS];
} CairnGivenPair;

typedef struct CairnGiven {
    int node_count, pair_count;
    CairnGivenNode *nodes; // in the order of their rows
    CairnGivenPair *pairs;
    CairnLinalgPlan plan; // nodes and pairs are its nodes and elements, rows are numbered as in the problem
} CairnGiven;

// Everything comes from the arena.
CairnStatus cairn_given_init(CairnGiven *given, const CairnProblem *problem, CairnArena *arena);

// CAIRN_INVALID_ARGUMENT, which names the row, where the symmetric part of W is not positive semidefinite, by more than
// rounding and its own asymmetry explain. A matrix whose factor would take more than some seconds is not looked at.
CairnStatus cairn_given_check(const CairnProblem *problem, CairnArena *arena);

#endif
