// A box full of balls in another engine: what one sweep of its solver costs, and where sweeps take the balls'
// velocities.
#ifndef CAIRN_BENCH_PEERS_PACKING_H
#define CAIRN_BENCH_PEERS_PACKING_H

#include <cairn/cairn.h>

typedef struct BenchPacking {
    const CairnVec3 *centers;
    int count;
    double radius, half, density, friction, step; // half: of the box's width; its floor is z = 0
} BenchPacking;

typedef struct BenchPacked {
    double seconds; // of the processor, in the last step: the solve, or all of it where the solve cannot be timed alone
    int contacts;
    CairnVec3 *velocities; // room for all balls', after the last step; NULL: not wanted
} BenchPacked;

// Step `steps` times from rest with `sweeps` sweeps each and no warm start; overlaps are let be. False: not installed.
bool bench_ode_packing(const BenchPacking *packing, int sweeps, int steps, BenchPacked *packed);
bool bench_bullet_packing(const BenchPacking *packing, int sweeps, int steps, BenchPacked *packed);

#endif
