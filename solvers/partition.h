// Partition: the parts of a problem, made in the caller's scratch memory, so that a settled step allocates nothing.
#ifndef CAIRN_SOLVERS_PARTITION_H
#define CAIRN_SOLVERS_PARTITION_H

#include <cairn/solve.h>

#include "engine/base/arena.h"

// As cairn_problem_part. `refine_seconds` gets the time of the refiner. Everything taken from the arena is given back.
CairnStatus cairn_problem_part_in(const CairnProblem *problem, const CairnPartition *partition, CairnArena *arena,
                                  int *part, int *count, CairnPartsMeasure *measure, double *refine_seconds);

// The caller's options where there are any, else the defaults of the table in the arena; NULL for a NULL table.
CairnStatus cairn_options_or_defaults(const CairnFieldTable *table, const void *options, CairnArena *arena,
                                      const void **chosen);

#endif
