// Problem source: a problem from a file, whatever made it. What it is shows in its first bytes, not in its name.
#ifndef CAIRN_PROGRAM_PROBLEM_SOURCE_H
#define CAIRN_PROGRAM_PROBLEM_SOURCE_H

#include "engine/base/arena.h"
#include <cairn/problem_file.h>

typedef struct CairnProblemSource {
    CairnStoredProblem stored;
    char kind[64];    // "FCLIB local"
    double asymmetry; // explicit form: max |W - W^T| / max |W|
} CairnProblemSource;

CairnStatus cairn_problem_open(const char *path, CairnProblemSource *source);
void cairn_problem_close(CairnProblemSource *source);

// (W + W^T) / 2 instead of W: the same objective, another equation.
CairnStatus cairn_problem_symmetrize(CairnProblemSource *source);

// Put all friction groups under one law. Box bounds are mu times a normal impulse that must be known: the answer's,
// else the one that the problem was made with; a problem that has neither refuses.
CairnStatus cairn_problem_set_friction(CairnProblemSource *source, CairnFrictionKind kind);
// No friction at all: every bound of it is 0.
CairnStatus cairn_problem_drop_friction(CairnProblemSource *source);

// Readers; `stored` must be initialised, and on an error is still the caller's to free.
CairnStatus cairn_siconos_read(const char *bytes, size_t size, CairnStoredProblem *stored, char kind[64]);
CairnStatus cairn_fclib_read(const char *path, CairnStoredProblem *stored, char kind[64]);

#endif
