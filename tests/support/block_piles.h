// Problems over dof blocks of every size from one dof to CAIRN_BLOCK_LIMIT, for the tests of solvers, referee,
// partitioners and files.
#ifndef CAIRN_TESTS_BLOCK_PILES_H
#define CAIRN_TESTS_BLOCK_PILES_H

#include "tests/support/piles.h"

#include <cairn/partitioner.h>
#include <stdint.h>

typedef struct TestBlockPile {
    int blocks, constraints;
    int size; // of all blocks; 0: every size
    double compliance;
    CairnFrictionKind friction;
    bool has_contacts_alone; // of three rows
} TestBlockPile;

// Blocks of `size` dofs, or of 1, 3, 6, 7, 10, 33 and 64 dofs (each of them where there are seven blocks and more)
// with full positive definite matrices; half of those with 6 dofs are rigid. Constraints hang together: joints of 1
// to 12 rows over one to five blocks with bounds of every kind, and contacts of three rows over one or two blocks,
// every fifth of them with torsion and rolling. Some contacts have the Jacobian of a frame where they meet 6 dofs.
void test_block_pile(TestPile *pile, uint64_t *seed, TestBlockPile kind);

// Splits each block that has not 6 dofs into two, coupled by an off-diagonal block of P, which gives an equal A and b.
// `part` (2 from->block_count long) gets parts of three of the old blocks each; the labels of the blocks of `to` are
// these parts.
void test_pile_couple(const TestPile *from, uint64_t *seed, TestPile *to, int *part, CairnParts *parts);

#endif
