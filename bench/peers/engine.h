// Another engine's whole step, for comparison. Each is optional: one file, whose list is empty where its headers are
// not installed.
#ifndef CAIRN_BENCH_PEERS_ENGINE_H
#define CAIRN_BENCH_PEERS_ENGINE_H

#include "bench/rig.h"

typedef struct BenchEngine {
    const char *name;
    void *(*open)(const BenchRig *rig, int substeps); // NULL: it cannot
    bool (*step)(void *state);                        // one frame of 1/60 s; false: the engine gave up
    void (*poses)(void *state, CairnTransform *poses);
    void (*close)(void *state);
    bool is_threaded; // timed by the clock on the wall instead of the processor's time
} BenchEngine;

const BenchEngine *bench_engines_ode(int *count);
const BenchEngine *bench_engines_mujoco(int *count);

#endif
