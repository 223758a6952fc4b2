// Problem file: one problem with what its solve began with and, where there is one, an answer, as bytes: so that a hard frame can be kept,
// sent and solved again. Little-endian, versioned, with a checksum; what is read back is the same to the bit. `cairn dump` writes such
// files and `cairn solve` reads them; the library itself opens no files.
#ifndef CAIRN_PROBLEM_FILE_H
#define CAIRN_PROBLEM_FILE_H

#include <cairn/hooks.h>
#include <cairn/problem.h>
#include <cairn/solver.h>
#include <cairn/status.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// A problem that owns its arrays.
typedef struct CairnStoredProblem {
    CairnProblem problem;
    CairnSolveStart start;
    const double *answer;     // row_count; NULL: none
    struct CairnArena *arena; // of all arrays
} CairnStoredProblem;

// Bytes of the file of a checked problem. `answer` may be NULL. Of the start only velocities are looked at: without them the file has
// none and says nothing of `is_rough`.
size_t cairn_problem_file_size(const CairnProblem *problem, const CairnSolveStart *start, const double *answer);
// A problem that fails cairn_problem_check is refused; so are impulses and velocities that are not finite.
CairnStatus cairn_problem_file_write(const CairnProblem *problem, const CairnSolveStart *start, const double *answer,
                                     void *bytes, size_t size);
// CAIRN_CORRUPT says what is wrong with the bytes and where. What is accepted passed cairn_problem_check. On an error nothing is kept.
// The allocator (NULL: the C library's) is copied.
CairnStatus cairn_problem_file_read(const void *bytes, size_t size, const CairnAllocator *allocator,
                                    CairnStoredProblem *stored);
// Do these bytes begin as a problem file does?
bool cairn_problem_file_is(const void *bytes, size_t size);
// Make an empty one with an arena for its arrays.
CairnStatus cairn_stored_problem_init(CairnStoredProblem *stored, const CairnAllocator *allocator);
void cairn_stored_problem_free(CairnStoredProblem *stored);

#ifdef __cplusplus
}
#endif

#endif
