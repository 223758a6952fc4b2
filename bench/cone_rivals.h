// Other engines on the packings of bench_cone.c.
#ifndef CAIRN_BENCH_CONE_RIVALS_H
#define CAIRN_BENCH_CONE_RIVALS_H

#include "bench/peers/packing.h"
#include <stdio.h>

// A world of the packing, with psor.
CairnStatus bench_cone_world(const BenchPacking *packing, const CairnAllocator *allocator, CairnWorld **world);

enum { BENCH_RIVALS = 2 };

typedef struct BenchCosts {
    double sweep[BENCH_RIVALS]; // s over all contacts; 0: not installed
    int contacts[BENCH_RIVALS];
} BenchCosts;

// What a sweep costs them; and that printed by contacts, beside `ours` (s a contact).
BenchCosts bench_cone_costs(const BenchPacking *packing);
void bench_cone_print_costs(const BenchPacking *packing, const BenchCosts *costs, double ours, FILE *file, FILE *json);
// How far the velocities are from the answer after equal time.
CairnStatus bench_cone_errors(const BenchPacking *packing, FILE *file, FILE *json);

#endif
