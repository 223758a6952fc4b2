// What every solver is held to on dof blocks of any size: answers that the referee certifies and that stand on those
// of a solver over the dense matrix.
#ifndef CAIRN_TESTS_BLOCK_CHECKS_H
#define CAIRN_TESTS_BLOCK_CHECKS_H

#include "tests/support/exact_checks.h"

enum { BLOCK_OPTIONS = 8 };

// Who is checked, and how: sets of options with each of which it converges, as many as are not NULL; the least
// compliance on which it does; traits of laws that it takes without converging to them.
typedef struct BlockSubject {
    const CairnSolver *solver;
    const char *options[BLOCK_OPTIONS];
    double stiffest;
    unsigned rough;
} BlockSubject;

// Random problems over blocks of 1 to 64 dofs with every law of friction that the solver takes, in every formulation
// that it offers, on one and three threads. *state is the BlockSubject.
void block_check_laws(void **state);

// Off-diagonal blocks of P within subsystems: the answer is that of the same problem without them. *state is the
// BlockSubject.
void block_check_couplings(void **state);

#endif
