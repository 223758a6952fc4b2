// Another engine's collision detection, for comparison. Each is optional: one file, empty where its headers are not
// installed.
#ifndef CAIRN_BENCH_PEERS_PEER_H
#define CAIRN_BENCH_PEERS_PEER_H

#include "bench/collision_scene.h"

typedef struct BenchPeer {
    const char *name;
    void *(*open)(const BenchScene *scene); // NULL: it cannot
    void (*set_poses)(void *state, const CairnTransform *poses);
    int (*detect)(void *state); // contact points
    void (*close)(void *state);
} BenchPeer;

// The configurations in which the peer can be run; *count is 0 where it is not installed.
const BenchPeer *bench_peer_ode(int *count);
const BenchPeer *bench_peer_bullet(int *count);

#endif
