// Problem file: a problem with the start of its solve and, where there is one, an answer, as bytes, so that a hard
// frame can be kept, sent and solved again.
//
// The bytes are little-endian and have a version and a checksum; what is read back is the same to the bit. `cairn dump`
// writes such files and `cairn solve` reads them; the library itself opens no files. The functions of this header may
// be called from any thread while no thread changes what they are given. A NULL pointer returns CAIRN_INVALID_ARGUMENT
// unless the comment allows it.
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

// A problem that owns its arrays. cairn_stored_problem_free releases it.
typedef struct CairnStoredProblem {
    CairnProblem problem;
    CairnSolveStart start;
    const double *answer;     // row_count numbers; NULL: there is none
    struct CairnArena *arena; // in which all arrays lie
} CairnStoredProblem;

// Returns the number of bytes of the file of a problem that passes cairn_problem_check. `answer` may be NULL. A start
// without velocities is written without them and without `is_rough`.
size_t cairn_problem_file_size(const CairnProblem *problem, const CairnSolveStart *start, const double *answer);
// Writes the file to `bytes`, which has room for `size` bytes. CAIRN_INVALID_ARGUMENT names what fails
// cairn_problem_check, an impulse or a velocity that is not finite, or a size that is too small.
CairnStatus cairn_problem_file_write(const CairnProblem *problem, const CairnSolveStart *start, const double *answer,
                                     void *bytes, size_t size);
// Reads a file into *stored, which the caller releases. What is accepted passes cairn_problem_check. The allocator
// (NULL: the C library's) is copied; its functions must live until the problem is released. CAIRN_CORRUPT says what is
// wrong with the bytes and where; it may also return CAIRN_OUT_OF_MEMORY. On an error nothing is kept.
CairnStatus cairn_problem_file_read(const void *bytes, size_t size, const CairnAllocator *allocator,
                                    CairnStoredProblem *stored);
// Tells whether the bytes begin as a problem file does.
bool cairn_problem_file_is(const void *bytes, size_t size);

// Releases all arrays of a stored problem.
void cairn_stored_problem_free(CairnStoredProblem *stored);

#ifdef __cplusplus
}
#endif

#endif
