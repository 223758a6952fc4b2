// The later tables of the suite substructuring.
#ifndef CAIRN_BENCH_SUBSTRUCTURING_MORE_H
#define CAIRN_BENCH_SUBSTRUCTURING_MORE_H

#include <stdbool.h>
#include <stdio.h>

// S3 table 1: partitioners and refiners.
bool substructuring_partitions(FILE *file);

// One thread and two on scenes made larger, and whole-system bpp beside them.
bool substructuring_scaling(FILE *file);

#endif
