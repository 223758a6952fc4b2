// Problem file: one problem with its warm start and, where there is one, an answer, as bytes: so that a hard frame can be kept, sent and
// solved again. Little-endian, versioned, with a checksum; what is read back is the same to the bit.
#ifndef CAIRN_SOLVERS_PROBLEM_FILE_H
#define CAIRN_SOLVERS_PROBLEM_FILE_H

#include <cairn/problem.h>
#include <stdbool.h>

#include "engine/base/arena.h"

// A problem that owns its arrays.
typedef struct CairnStoredProblem {
    CairnProblem problem;
    const double *lambda; // row_count, the warm start
    const double *answer; // row_count; NULL: none
    CairnArena arena;     // of all arrays
} CairnStoredProblem;

// Bytes of the file of a checked problem. `answer` may be NULL.
size_t cairn_problem_file_size(const CairnProblem *problem, const double *answer);
// A problem that fails cairn_problem_check is refused; so is a lambda that is not finite.
CairnStatus cairn_problem_file_write(const CairnProblem *problem, const double *lambda, const double *answer,
                                     void *bytes, size_t size);
// CAIRN_CORRUPT says what is wrong with the bytes and where. What is accepted passed cairn_problem_check. On an error nothing is kept.
CairnStatus cairn_problem_file_read(const void *bytes, size_t size, const CairnAllocator *allocator,
                                    CairnStoredProblem *stored);
// Do these bytes begin as a problem file does?
bool cairn_problem_file_is(const void *bytes, size_t size);
void cairn_stored_problem_free(CairnStoredProblem *stored);

#endif
