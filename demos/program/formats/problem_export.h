// Problem export: a frame's problem in the files that others read. Both formats know contacts of three rows under
// Coulomb's law and nothing else, so u = W r + q with W = J P^-1 J^T + C; a problem with joints, with rows of torsion
// or rolling, or without contacts is refused in words.
#ifndef CAIRN_PROGRAM_PROBLEM_EXPORT_H
#define CAIRN_PROGRAM_PROBLEM_EXPORT_H

#include "engine/base/arena.h"
#include <cairn/problem.h>

typedef struct CairnContactProblem {
    int contacts;
    int *start, *column; // W by rows, 3 contacts of them
    double *W, *q, *mu;
    double *r, *u;  // the impulses that were found, and the velocities that they make
    bool is_answer; // they solve the problem with Coulomb's law, which is what the files mean; else they are a guess
} CairnContactProblem;

// Arrays lie in the arena.
CairnStatus cairn_contact_problem(const CairnProblem *problem, const double *lambda, CairnArena *arena,
                                  CairnContactProblem *exported);
CairnStatus cairn_fclib_write(const char *path, const CairnContactProblem *exported, const char *title);
// W in blocks of 3x3.
CairnStatus cairn_siconos_write(const char *path, const CairnContactProblem *exported);

#endif
