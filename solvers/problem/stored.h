// Stored: a problem whose arrays lie in an arena of its own, to be filled by readers of other file formats.
#ifndef CAIRN_SOLVERS_STORED_H
#define CAIRN_SOLVERS_STORED_H

#include <cairn/problem_file.h>

// Makes an empty stored problem. Its arrays are to be taken from `stored->arena`, and cairn_stored_problem_free
// releases them. `allocator` may be NULL: the C library's. It may return CAIRN_OUT_OF_MEMORY.
CairnStatus cairn_stored_problem_init(CairnStoredProblem *stored, const CairnAllocator *allocator);

#endif
