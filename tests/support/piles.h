// Hyperstatic piles for the tests of exact solvers: rows three times the dofs, so that impulses are determined by the
// compliance alone, and problems of any size whose answer was chosen first.
#ifndef CAIRN_TESTS_PILES_H
#define CAIRN_TESTS_PILES_H

#include <cairn/problem.h>

// A problem with its arrays, allocated for its size.
typedef struct TestPile {
    CairnProblem problem;
    CairnDofBlock *blocks;
    CairnDofCoupling *couplings;
    CairnConstraintBlock *constraints;
    CairnTerm *terms;
    CairnFriction *frictions;
    CairnContactFrame *frames;
    double *P, *p, *J, *compliance, *right_side, *lower, *upper, *phi;
} TestPile;

// How much a problem takes at most: couplings as many as blocks, frictions and frames as many as constraints.
typedef struct TestPileRoom {
    int blocks, constraints, terms, rows, dofs;
    int P, J; // numbers
} TestPileRoom;

// Room for so much; everything zero. Or for rigid bodies and terms of up to three rows.
void test_pile_reserve(TestPile *pile, const TestPileRoom *room);
void test_pile_begin(TestPile *pile, int blocks, int constraints, int terms, int rows);
void test_pile_free(TestPile *pile);

// `bodies` rigid bodies of 0.5 to 2 kg in a heap, each touching its nearest six by 1 to 3 points, the lowest ones a
// floor; gravity and random velocities over h = 1/60; box friction with bounds from guessed loads.
void test_pile_heap(TestPile *pile, uint64_t *seed, int bodies, double compliance, CairnFrictionKind kind);

// Constraints of 1 to 3 rows over one or two rigid bodies, every kind of bounds; d is made so that `lambda` is the
// answer with `w` (both row_count long). rows_per_dof: above 1 with compliance 0 A is singular and only w is unique.
void test_pile_chosen(TestPile *pile, uint64_t *seed, int rows, double rows_per_dof, double compliance, double *lambda,
                      double *w);

#endif
