// Scene runs: a built-in scene driven by a solver until its frames are done, a step fails, or time is up. What its
// check says is noted, each kind of complaint once, and the run goes on.
#ifndef CAIRN_BENCH_SCENE_RUNS_H
#define CAIRN_BENCH_SCENE_RUNS_H

#include <cairn/cairn.h>

enum { BENCH_MESSAGE = 300, BENCH_BREAKS = 4 };

// Something that broke: at which frame for the first time, and what was said.
typedef struct BenchBreak {
    int frame;
    char why[BENCH_MESSAGE];
} BenchBreak;

// A run after some frames, from which others go on: its world, and what world and memory held then. All of it is owned.
typedef struct BenchMoment {
    int frame;
    CairnSceneRun run;
    void *world, *memory; // cairn_world_snapshot's bytes, memory_size bytes
    size_t size;
    CairnWorldDef settings;
} BenchMoment;

typedef struct BenchPlay {
    const CairnScene *scene;
    const char *params;      // "a=1,b=2" over the defaults, NULL: none
    const char *solver;      // as on the command line; NULL: the scene's own
    const char *partition;   // of solvers that take parts; NULL: the world's default
    int threads, frames;     // 0 frames: the scene's length
    double seconds;          // of the processor: no frame begins later; 0: no limit
    const BenchMoment *from; // NULL: the beginning
    BenchMoment *end;        // the run's end, to be freed; may be NULL
    // After every step; may be NULL.
    CairnStatus (*look)(void *user, const CairnWorld *world, const CairnStats *stats);
    void *user;
} BenchPlay;

typedef struct BenchPlayed {
    int first, requested, frames;       // done before it; of these to do, done
    int bodies, joints, rows;           // most rows
    double step, cpu, solve, solve_p99; // ms: mean; of the processor, with all checks; mean; 99th percentile
    double iterations, behind;          // mean; fraction of frames that another method finished
    double certified, residual;         // fraction of frames; worst, m/s
    double penetration, joint_error, heaviest, lightest; // m, m; kg, of moving bodies
    CairnFrictionKind friction;
    CairnWorldDef settings;
    double damping;    // of bodies: the scene's parameter of that name, 1/s; 0: none
    double soft, hard; // largest and smallest compliance of locked coordinates; 0, 0 without joints
    bool is_ended;     // the step itself could not be done
    BenchBreak breaks[BENCH_BREAKS];
    int break_count;
} BenchPlayed;

// Fails where the scene could not be built; a step that fails ends the run.
CairnStatus bench_play_scene(const BenchPlay *play, BenchPlayed *played);
void bench_moment_free(BenchMoment *moment);

// A number from the environment: `name`, or `fallback` where it is not set or no number above 0.
double bench_setting(const char *name, double fallback);

// Whether this variable of the environment lists the name ("log_tower,bridge"; not set: it lists all).
bool bench_wants(const char *variable, const char *name);

#endif
