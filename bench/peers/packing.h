// A box full of balls in another engine: what one sweep of its solver costs.
#ifndef CAIRN_BENCH_PEERS_PACKING_H
#define CAIRN_BENCH_PEERS_PACKING_H

#include <cairn/cairn.h>

typedef struct BenchPacking {
    const CairnVec3 *centers;
    int count;
    double radius, half, density, friction, step; // half: of the box's width; its floor is z = 0
} BenchPacking;

// Step `steps` times with `sweeps` sweeps each; seconds of the processor in the last step's solve, and its contacts. False: not installed.
bool bench_ode_packing(const BenchPacking *packing, int sweeps, int steps, double *seconds, int *contacts);

#endif
