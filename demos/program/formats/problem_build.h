// Building problems from what files hold: sparse matrices, right sides, coefficients of friction.
#ifndef CAIRN_PROGRAM_PROBLEM_BUILD_H
#define CAIRN_PROGRAM_PROBLEM_BUILD_H

#include "engine/base/arena.h"
#include <cairn/problem_file.h>

// A sparse matrix as a file gives it: entries in any order, duplicates add up.
typedef struct CairnTriplets {
    int rows, columns, count;
    int *row, *column;
    double *value;
} CairnTriplets;

// Room for `count` entries in the arena; they are to be written and counted by the caller (`count` is 0 at first).
CairnStatus cairn_triplets_make(CairnArena *arena, int rows, int columns, int count, CairnTriplets *matrix);
// Refuses an index outside, and a value that is not finite; `name` opens the message.
CairnStatus cairn_triplets_add(CairnTriplets *matrix, int row, int column, double value, const char *name);

// The arrays of all builders lie in stored->arena, which must be initialised. Rows are free until contacts or bounds
// are set. w = W lambda + q.
CairnStatus cairn_build_explicit(CairnStoredProblem *stored, const CairnTriplets *W, const double *q);
// Replaces W.
CairnStatus cairn_build_matrix(CairnStoredProblem *stored, const CairnTriplets *W);
// M v = H r + f, u = H^T v + w: P = M in the smallest blocks that hold its entries (6 or 3 dofs where that fits), J =
// H^T.
CairnStatus cairn_build_dynamics(CairnStoredProblem *stored, const CairnTriplets *M, const CairnTriplets *H,
                                 const double *f, const double *w);
// Rows are contacts of three (n, t1, t2) under Coulomb's law.
CairnStatus cairn_build_contacts(CairnStoredProblem *stored, const double *mu);
// Rows are single, those with is_bilateral[row] free, the others lambda >= 0.
CairnStatus cairn_build_rows(CairnStoredProblem *stored, const bool *is_bilateral);

#endif
