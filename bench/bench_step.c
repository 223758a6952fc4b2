// A step's cost by stage, from its own statistics: free bodies per body, a tower and a grid of balls per contact, and
// what a second thread gives. The target outside collision, solve and referee is 300 ns a body.
#include "bench/bench.h"

#include "solvers/sweeps/pgs.h"
#include <cairn/cairn.h>
#include <stdlib.h>

enum { FEW = 1000, MANY = 10000, LEVELS = 20, SIDE = 32, SWEEPS = 20 };
enum { FREE_FEW, FREE_MANY, TOWER, GRID, GRID_TWO, FREE_TWO, WORLDS };

typedef struct State {
    CairnWorld *worlds[WORLDS];
} State;

static CairnStatus make_world(int threads, const char *gravity, CairnWorld **world) {
    CairnWorldDef def = cairn_world_def();
    def.thread_count = threads;
    CairnPgsOptions options = {.iterations = SWEEPS, .tolerance = 0, .omega = 1};
    CAIRN_TRY(cairn_world_create(&def, world));
    CAIRN_TRY(cairn_world_set(*world, "gravity", gravity));
    return cairn_world_set_solver(*world, &cairn_solver_pgs, &options);
}

// Bricks that tumble where they are, far from each other.
static CairnStatus make_free(CairnWorld **world, int threads, int count) {
    CAIRN_TRY(make_world(threads, "0,0,0", world));
    uint64_t random = 1;
    CairnShapeDef brick = cairn_box(0.3, 0.5, 0.8);
    for (int i = 0; i < count; i++) {
        CairnBodyDef def = cairn_body_def();
        int row = i / 22 % 22, layer = i / 484;
        def.position = cairn_vec3(2.0 * (i % 22), 2.0 * row, 2.0 * layer);
        def.angular_velocity = cairn_vec3(cairn_scene_random(&random, -5, 5), cairn_scene_random(&random, -5, 5),
                                          cairn_scene_random(&random, -5, 5));
        CAIRN_TRY(cairn_body_add(*world, &def, &brick, NULL));
    }
    return cairn_ok();
}

static CairnStatus add_ground(CairnWorld *world) {
    CairnBodyDef def = cairn_body_def();
    CairnShapeDef shape = cairn_half_space();
    def.type = CAIRN_BODY_STATIC;
    return cairn_body_add(world, &def, &shape, NULL);
}

static CairnStatus make_tower(CairnWorld **world) {
    CAIRN_TRY(make_world(1, "0,0,-9.81", world));
    CAIRN_TRY(add_ground(*world));
    CairnShapeDef box = cairn_box(1, 1, 1);
    for (int i = 0; i < LEVELS; i++) {
        CairnBodyDef def = cairn_body_def();
        def.position.z = 0.5 + i;
        CAIRN_TRY(cairn_body_add(*world, &def, &box, NULL));
    }
    return cairn_ok();
}

static CairnStatus make_grid(CairnWorld **world, int threads) {
    CAIRN_TRY(make_world(threads, "0,0,-9.81", world));
    CAIRN_TRY(add_ground(*world));
    CairnShapeDef ball = cairn_sphere(0.5);
    for (int i = 0; i < SIDE * SIDE; i++) {
        CairnBodyDef def = cairn_body_def();
        int row = i / SIDE;
        def.position = cairn_vec3(1.5 * (i % SIDE), 1.5 * row, 0.5);
        CAIRN_TRY(cairn_body_add(*world, &def, &ball, NULL));
    }
    return cairn_ok();
}

static void close_state(void *state) {
    State *s = state;
    for (int i = 0; i < WORLDS; i++) {
        cairn_world_destroy(s->worlds[i]);
    }
    free(s);
}

static CairnStatus make_all(State *s) {
    CAIRN_TRY(make_free(&s->worlds[FREE_FEW], 1, FEW));
    CAIRN_TRY(make_free(&s->worlds[FREE_MANY], 1, MANY));
    CAIRN_TRY(make_free(&s->worlds[FREE_TWO], 2, MANY));
    CAIRN_TRY(make_tower(&s->worlds[TOWER]));
    CAIRN_TRY(make_grid(&s->worlds[GRID], 1));
    return make_grid(&s->worlds[GRID_TWO], 2);
}

static void *open_state(void) {
    State *s = calloc(1, sizeof *s);
    if (s != NULL && !cairn_is_ok(make_all(s))) {
        close_state(s);
        return NULL;
    }
    return s;
}

// ---- stages ----

typedef double (*Stage)(const CairnTimes *times);

static double whole(const CairnTimes *t) {
    return t->step;
}

// Looking where the solved velocities lead is a search for contacts like the one before the solve.
static double collision(const CairnTimes *t) {
    return t->broad + t->narrow + t->foresee;
}

static double engine(const CairnTimes *t) {
    return t->step - collision(t) - t->solve - t->referee;
}

static double begin(const CairnTimes *t) {
    return engine(t) - t->assemble - t->partition - t->integrate - t->finish;
}

static double assemble(const CairnTimes *t) {
    return t->assemble;
}

static double solve(const CairnTimes *t) {
    return t->solve;
}

static double integrate(const CairnTimes *t) {
    return t->integrate;
}

static double referee(const CairnTimes *t) {
    return t->referee;
}

static double finish(const CairnTimes *t) {
    return t->finish;
}

static double run_stage(State *s, int world, Stage stage, int count) {
    double seconds = 0;
    for (int i = 0; i < count; i++) {
        CairnStats stats;
        if (cairn_is_ok(cairn_world_step(s->worlds[world], 1.0 / 60, &stats))) {
            seconds += stage(&stats.times);
        }
    }
    return seconds;
}

// A case is a world and a stage; the frame knows functions only.
#define CASES(X)                                                                                                       \
    X(FREE_FEW, whole, FEW, "1,000 free, per body: step", NULL)                                                        \
    X(FREE_FEW, engine, FEW, "  all but collision, solve (<300 ns)", NULL)                                             \
    X(FREE_MANY, whole, MANY, "10,000 free, per body: step", NULL)                                                     \
    X(FREE_MANY, engine, MANY, "  of it without them (<300 ns)", NULL)                                                 \
    X(FREE_MANY, begin, MANY, "  of it begin", NULL)                                                                   \
    X(FREE_MANY, collision, MANY, "  of it collision", NULL)                                                           \
    X(FREE_MANY, assemble, MANY, "  of it assemble", NULL)                                                             \
    X(FREE_MANY, solve, MANY, "  of it factor P, find v", NULL)                                                        \
    X(FREE_MANY, integrate, MANY, "  of it integrate", NULL)                                                           \
    X(FREE_MANY, finish, MANY, "  of it finish", NULL)                                                                 \
    X(FREE_TWO, whole, MANY, "the same on 2 threads: step", "10,000 free, per body: step")                             \
    X(TOWER, whole, 4.0 * LEVELS, "tower of 20, per contact: step", NULL)                                              \
    X(TOWER, collision, 4.0 * LEVELS, "  tower: collision", "tower of 20, per contact: step")                          \
    X(TOWER, assemble, 4.0 * LEVELS, "  tower: assemble", "tower of 20, per contact: step")                            \
    X(TOWER, solve, 4.0 * LEVELS, "  tower: solve, 20 sweeps", "tower of 20, per contact: step")                       \
    X(TOWER, referee, 4.0 * LEVELS, "  tower: referee", "tower of 20, per contact: step")                              \
    X(TOWER, engine, 4.0 * LEVELS, "  tower: all but these", "tower of 20, per contact: step")                         \
    X(GRID, whole, SIDE *SIDE, "1,024 balls, per contact: step", NULL)                                                 \
    X(GRID, collision, SIDE *SIDE, "  balls: collision", "1,024 balls, per contact: step")                             \
    X(GRID, assemble, SIDE *SIDE, "  balls: assemble", "1,024 balls, per contact: step")                               \
    X(GRID, solve, SIDE *SIDE, "  balls: solve, 20 sweeps", "1,024 balls, per contact: step")                          \
    X(GRID, referee, SIDE *SIDE, "  balls: referee", "1,024 balls, per contact: step")                                 \
    X(GRID, engine, SIDE *SIDE, "  balls: all but these", "1,024 balls, per contact: step")                            \
    X(GRID_TWO, whole, SIDE *SIDE, "the same on 2 threads, step", "1,024 balls, per contact: step")

#define DEFINE(world, stage, items, name, baseline)                                                                    \
    static double run_##world##_##stage(void *state, int count) {                                                      \
        return run_stage(state, world, stage, count);                                                                  \
    }
CASES(DEFINE)

#define LIST(world, stage, items_, name_, baseline_)                                                                   \
    {.name = name_, .baseline = baseline_, .run = run_##world##_##stage, .items = items_, .is_self_timed = true},

static const BenchCase cases[] = {CASES(LIST)};

const BenchSuite bench_step = {
    .name = "step",
    .summary = "a step by stage, per body or contact",
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .open = open_state,
    .close = close_state,
};
