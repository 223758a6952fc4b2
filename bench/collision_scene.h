// Scenes for comparing collision detection: bodies and a few frames of their poses, the same for every engine.
#ifndef CAIRN_BENCH_COLLISION_SCENE_H
#define CAIRN_BENCH_COLLISION_SCENE_H

#include <cairn/shapes.h>
#include <stdbool.h>

enum { BENCH_FRAMES = 6 };

typedef struct BenchBody {
    CairnShapeDef shape; // sphere, box or cylinder, at the body's origin
    bool is_static;
} BenchBody;

typedef struct BenchScene {
    const char *name;
    BenchBody *bodies;
    int body_count, moving_count;
    CairnTransform *frames[BENCH_FRAMES]; // poses of all bodies, one step apart
    CairnVec3 *velocities;                // of the last frame
} BenchScene;

// Each returns false when memory ran out or a step failed; what was made is freed by bench_scene_free.
bool bench_scene_settled_spheres(BenchScene *scene, int count);
bool bench_scene_falling_mix(BenchScene *scene, int count);
bool bench_scene_log_tower(BenchScene *scene, int logs);
// Spheres in a cube, touching as in a heap, made without a simulation, so that any number comes cheap.
bool bench_scene_block(BenchScene *scene, int count);
void bench_scene_free(BenchScene *scene);

#endif
