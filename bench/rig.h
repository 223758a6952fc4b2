// Rig: a scene that several engines can build: bodies with masses and ball joints, gravity along -z.
#ifndef CAIRN_BENCH_RIG_H
#define CAIRN_BENCH_RIG_H

#include <cairn/cairn.h>

typedef struct BenchRigBody {
    bool has_shape; // without one the body touches nothing, and `inertia` counts
    CairnShapeDef shape;
    CairnTransform pose;
    double mass; // 0: never moves
    CairnVec3 inertia;
} BenchRigBody;

typedef struct BenchRigJoint {
    int a, b; // bodies; a = -1: the world
    CairnVec3 point;
} BenchRigJoint;

typedef struct BenchRig {
    const char *name;
    BenchRigBody *bodies;
    BenchRigJoint *joints;
    int body_count, joint_count;
    double friction;
} BenchRig;

// 160 logs (cylinders of 50 kg, 2 m by 0.4 m) in 40 crossing layers on the ground, a box of 2,500 kg on top.
bool bench_rig_tower(BenchRig *rig);
// Rocks of 180 kg, a quarter each of boxes, spheres, cylinders and convex hulls, above the ground in loose layers.
bool bench_rig_pile(BenchRig *rig, int rocks);
// Links of 0.25 kg and 0.2 m on ball joints, hung from the world at an angle from straight down, `load` kg at the end.
bool bench_rig_chain(BenchRig *rig, int links, double angle, double load);
void bench_rig_free(BenchRig *rig);

// The rig in a world of its own. ids[body_count] may be NULL.
CairnStatus bench_rig_world(const BenchRig *rig, const CairnSolver *solver, const void *options, int threads,
                            CairnWorld **world, CairnBodyId *ids);

// What a run is judged by, from the poses that an engine gives.
double bench_rig_gap(const BenchRig *rig, const CairnTransform *poses,
                     double *sum);                                        // largest distance of a joint's two points
double bench_rig_sunk(const BenchRig *rig, const CairnTransform *poses);  // how far the last body has come down
double bench_rig_drift(const BenchRig *rig, const CairnTransform *poses); // farthest that a body went sideways

#endif
