// Another engine that carries a copy of a small world at rest. Each is optional: one file, whose list is empty where
// its headers are not installed.
#ifndef CAIRN_BENCH_PEERS_REST_H
#define CAIRN_BENCH_PEERS_REST_H

#include <cairn/cairn.h>

enum { BENCH_REST_BODIES = 16, BENCH_REST_POINTS = 128 };

typedef struct BenchRestPoint {
    int a, b;             // bodies, a < b
    CairnVec3 in_a, in_b; // in their frames, from their centres of mass
    bool carries;         // a load
} BenchRestPoint;

// Bodies in the order of the world's list, static ones too.
typedef struct BenchRestState {
    int body_count, point_count;
    CairnTransform bodies[BENCH_REST_BODIES]; // of their centres of mass
    BenchRestPoint points[BENCH_REST_POINTS];
    double energy;
} BenchRestState;

typedef struct BenchRestPeer {
    const char *name;
    void *(*open)(const CairnWorld *world); // NULL: it cannot
    bool (*step)(void *state);              // 1/60 s; false: the engine gave up
    void (*read)(void *state, BenchRestState *out);
    void (*close)(void *state);
} BenchRestPeer;

const BenchRestPeer *bench_rest_ode(int *count);
const BenchRestPeer *bench_rest_bullet(int *count);

#endif
