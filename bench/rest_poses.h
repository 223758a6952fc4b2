// Configurations that must lie still: each is a builder of a few bodies, shared by the rest test and the bench.
#ifndef CAIRN_BENCH_REST_POSES_H
#define CAIRN_BENCH_REST_POSES_H

#include <cairn/cairn.h>

#define BENCH_REST_FRICTION 0.6 // of everything

typedef struct BenchRest {
    const char *name;
    CairnStatus (*build)(CairnWorld *world); // the world has gravity and a ground at z = 0
} BenchRest;

int bench_rest_count(void);
const BenchRest *bench_rest_at(int index);

// A world with the ground and the configuration.
CairnStatus bench_rest_world(const BenchRest *rest, CairnWorld **world);

#endif
