// Scene: a world that a person wants to watch, from one C file.
//
//   typedef struct { int boxes; double size; } Params;
//   static const CairnField fields[] = {
//       CAIRN_FIELD_INT(Params, boxes, 10, 1, 1000, "boxes in the tower"),
//       CAIRN_FIELD_DOUBLE(Params, size, 0.5, 0.01, 10, 0, "m", "edge of a box"),
//   };
//   static CairnStatus build(CairnSceneRun *run) { const Params *p = run->params; ... }
//   const CairnScene cairn_scene = {.name = "tower", ..., .params = CAIRN_FIELD_TABLE("tower", Params, fields), .build = build};
//
// A shared object that exports the symbol `cairn_scene` is a scene that `cairn run ./tower.so` takes.
#ifndef CAIRN_SCENE_H
#define CAIRN_SCENE_H

#include <cairn/world.h>

typedef struct CairnCamera {
    CairnVec3 eye, target;
    double fov; // vertical, degrees
} CairnCamera;

// What one run of a scene knows; `memory` is the scene's own (zeroed, memory_size bytes), for ids that its script needs.
typedef struct CairnSceneRun {
    CairnWorld *world;
    const void *params;
    void *memory;
    uint64_t seed;
} CairnSceneRun;

typedef struct CairnScene {
    const char *name, *summary;
    const char *watch; // a short sentence: what to look for
    CairnFieldTable params;
    size_t memory_size;
    double step; // default h
    int steps;   // default length
    CairnCamera camera;
    const char *solver; // default solver and its options, "psor:iterations=120"; NULL: the first
    // Change the world's settings before it is made; may be NULL.
    void (*settings)(const void *params, CairnWorldDef *def);
    // Fill the empty world.
    CairnStatus (*build)(CairnSceneRun *run);
    // Called before every step with the simulated time; may be NULL. Deterministic: time, seed and params are all it may use.
    CairnStatus (*script)(CairnSceneRun *run, double time);
    // An invariant that must hold after every step; the message says what broke. May be NULL.
    CairnStatus (*check)(const CairnSceneRun *run, double time, const CairnStats *stats);
} CairnScene;

// A small deterministic generator for scenes (splitmix64): uniform in [low, high). Not twice in one expression, one list of arguments or
// one initializer: which of the two is drawn first is the compiler's choice there, and the scene is then another one with another compiler.
double cairn_scene_random(uint64_t *state, double low, double high);

#endif
