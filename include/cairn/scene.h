// Scene: a table of parameters and a function that builds a world from them, in one C file.
//
//   typedef struct { int boxes; double size; } Params;
//   static const CairnField fields[] = {
//       CAIRN_FIELD_INT(Params, boxes, 10, 1, 1000, "boxes in the tower"),
//       CAIRN_FIELD_DOUBLE(Params, size, 0.5, 0.01, 10, 0, "m", "edge of a box"),
//   };
//   static CairnStatus build(CairnSceneRun *run) { const Params *p = run->params; ... }
//   const CairnScene cairn_scene = {
//       .name = "tower", ..., .params = CAIRN_FIELD_TABLE("tower", Params, fields), .build = build};
//
// A shared object that exports the symbol `cairn_scene` is a scene that `cairn run ./tower.so` takes.
#ifndef CAIRN_SCENE_H
#define CAIRN_SCENE_H

#include <cairn/audit.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CairnCamera {
    CairnVec3 eye, target;
    double fov; // vertical, degrees
} CairnCamera;

// One run of a scene, as its functions see it. The world, the parameters and `memory` belong to the program that runs
// the scene and live as long as the run. `memory` has memory_size bytes, which are 0 at first; a scene keeps there what
// its script needs, such as ids.
typedef struct CairnSceneRun {
    CairnWorld *world;
    const void *params; // of the type that the table of parameters describes
    void *memory;
    uint64_t seed;
    const CairnAuditReport *audited; // for the check: the audit of the step; NULL: it was not audited
} CairnSceneRun;

typedef struct CairnScene {
    const char *name, *summary;
    const char *watch; // what to look at, in a short sentence
    CairnFieldTable params;
    size_t memory_size;
    double step; // default length of a step, s
    int steps;   // default number of steps
    CairnCamera camera;
    const char *solver; // default solver and its options, "psor:iterations=120"; NULL: the world's default
    // Changes the definition before the world is made. May be NULL.
    void (*settings)(const void *params, CairnWorldDef *def);
    // Fills the empty world. Its status is that of the run.
    CairnStatus (*build)(CairnSceneRun *run);
    // Is called before every step with the simulated time, s. May be NULL. So that runs repeat bit for bit, it uses
    // nothing but the run and the time.
    CairnStatus (*script)(CairnSceneRun *run, double time);
    // Checks an invariant after every step; the message of its status says what does not hold. May be NULL.
    CairnStatus (*check)(const CairnSceneRun *run, double time, const CairnStats *stats);
} CairnScene;

// Returns a number that is uniformly distributed in [low, high) and advances *state (splitmix64). It may be called from
// any thread that owns `state`. Do not call it twice in one expression, list of arguments or initializer: C does not
// say which call comes first there, so that another compiler would make another scene.
double cairn_scene_random(uint64_t *state, double low, double high);

#ifdef __cplusplus
}
#endif

#endif
