// Other engines on the packings of bench_cone.c.
#ifndef CAIRN_BENCH_CONE_RIVALS_H
#define CAIRN_BENCH_CONE_RIVALS_H

#include "bench/peers/packing.h"
#include <stdio.h>

// A world of the packing, with psor.
CairnStatus bench_cone_world(const BenchPacking *packing, const CairnAllocator *allocator, CairnWorld **world);

// What a contact costs a sweep, beside `ours` (s).
void bench_cone_costs(const BenchPacking *packing, double ours, FILE *file, FILE *json);
// How far the velocities are from the answer after equal time.
CairnStatus bench_cone_errors(const BenchPacking *packing, FILE *file, FILE *json);

#endif
