// Partitioners and refiners on the graphs of a log tower, a chain on a plane and two rock piles: cut, balance and time,
// with the times that S3's table 1 prints for its scenes of these names (t_pr, partitioning and refinement, on a Core
// i9 of 2.4 GHz).
#include "bench/bench.h"

#include "engine/base/arena.h"
#include "engine/base/memory.h"
#include "engine/base/timer.h"
#include "solvers/problem/graph.h"
#include "solvers/sweeps/pgs.h"
#include <cairn/cairn.h>
#include <math.h>
#include <string.h>

enum { TOWER, CHAIN, PILE, LARGE_PILE, SCENES, LAYERS = 40, LOGS = 4, LINKS = 250, ROCKS = 300, REPEATS = 60 };

// S3 table 1, t_pr in ms: none, KL, FM.
typedef struct Published {
    const char *partitioner;
    double time[SCENES][3];
} Published;

static const Published published[] = {
    {"mindp", {{10.8, 14.7, 15.1}, {1.6, 1.7, 2.1}, {1.2, 1.7, 1.7}, {5.5, 7.7, 5.6}}},
    {"maxdp", {{5.0, 11.3, 8.1}, {0.3, 0.8, 0.4}, {1.8, 4.6, 3.0}, {4.3, 10.6, 6.4}}},
    {"bfs", {{0.6, 5.2, 2.3}, {0.2, 0.6, 0.3}, {0.6, 4.4, 2.8}, {0.9, 8.3, 3.2}}},
    {"mr", {{0.8, 7.5, 3.4}, {0.2, 0.6, 0.4}, {0.7, 3.4, 1.8}, {1.2, 5.1, 2.6}}},
    {"mix", {{9.5, 12.7, 9.6}, {1.3, 1.7, 2.4}, {1.1, 1.7, 1.5}, {4.7, 7.1, 5.8}}},
};
static const char *const refiners[] = {"none", "kl", "fm"};
static const char *const scene_names[] = {"log tower", "chain on a plane", "rock pile", "large rock pile"};

// ---- scenes ----

static CairnStatus add_ground(CairnWorld *world, CairnVec3 position, CairnQuat turn) {
    CairnBodyDef def = cairn_body_def();
    CairnShapeDef shape = cairn_half_space();
    def.type = CAIRN_BODY_STATIC;
    def.position = position;
    def.orientation = turn;
    return cairn_body_add(world, &def, &shape, NULL);
}

static CairnStatus build_tower(CairnWorld *world) {
    CairnQuat along_x = {sqrt(0.5), 0, sqrt(0.5), 0}, along_y = {sqrt(0.5), -sqrt(0.5), 0, 0};
    CairnShapeDef log = cairn_cylinder(0.15, 3);
    for (int i = 0; i < LAYERS * LOGS; i++) {
        CairnBodyDef def = cairn_body_def();
        int layer = i / LOGS;
        double across = (i % LOGS - 0.5 * (LOGS - 1)) * 0.8;
        def.position =
            layer % 2 == 0 ? cairn_vec3(0, across, 0.15 + 0.3 * layer) : cairn_vec3(across, 0, 0.15 + 0.3 * layer);
        def.orientation = layer % 2 == 0 ? along_x : along_y;
        CAIRN_TRY(cairn_body_add(world, &def, &log, NULL));
    }
    return cairn_ok();
}

static CairnStatus build_chain(CairnWorld *world) {
    CairnBodyId last = {0};
    CairnShapeDef link = cairn_box(0.2, 0.1, 0.1);
    for (int i = 0; i < LINKS; i++) {
        CairnBodyDef def = cairn_body_def();
        CairnBodyId id;
        def.position = cairn_vec3(0.2 * i, 0, 0.05);
        CAIRN_TRY(cairn_body_add(world, &def, &link, &id));
        if (i > 0) {
            CairnJointDef joint = cairn_joint_def(CAIRN_JOINT_BALL);
            joint.body_a = last;
            joint.body_b = id;
            CAIRN_TRY(cairn_joint_place(world, &joint, cairn_vec3(0.2 * i - 0.1, 0, 0.05), cairn_vec3(1, 0, 0),
                                        cairn_vec3(0, 0, 0)));
            CAIRN_TRY(cairn_joint_create(world, &joint, NULL));
        }
        last = id;
    }
    return cairn_ok();
}

// Boxes of 10, 100 and 1,000 kg fall into a pit.
static CairnStatus build_pile(CairnWorld *world, int rocks) {
    uint64_t random = 7;
    int side = rocks > ROCKS ? 9 : 6;
    double wall = 0.5 * side + 0.2;
    static const CairnQuat sides[] = {{0.70710678118654757, 0, 0.70710678118654757, 0},
                                      {0.70710678118654757, 0, -0.70710678118654757, 0},
                                      {0.70710678118654757, 0.70710678118654757, 0, 0},
                                      {0.70710678118654757, -0.70710678118654757, 0, 0}};
    for (int i = 0; i < 4; i++) {
        double out = i % 2 == 0 ? -wall : wall;
        CAIRN_TRY(add_ground(world, i < 2 ? cairn_vec3(out, 0, 0) : cairn_vec3(0, -out, 0), sides[i]));
    }
    for (int i = 0; i < rocks; i++) {
        CairnBodyDef def = cairn_body_def();
        int row = i / side % side, layer = i / (side * side);
        CairnShapeDef rock = cairn_box(cairn_scene_random(&random, 0.5, 0.9), cairn_scene_random(&random, 0.5, 0.9),
                                       cairn_scene_random(&random, 0.5, 0.9));
        def.position = cairn_vec3(i % side - 0.5 * (side - 1), row - 0.5 * (side - 1), 0.6 + layer);
        def.orientation =
            cairn_quat_normalize((CairnQuat){1, cairn_scene_random(&random, -1, 1), cairn_scene_random(&random, -1, 1),
                                             cairn_scene_random(&random, -1, 1)});
        def.mass = i % 3 == 0 ? 10 : i % 3 == 1 ? 100 : 1000;
        CAIRN_TRY(cairn_body_add(world, &def, &rock, NULL));
    }
    return cairn_ok();
}

static CairnStatus build(CairnWorld *world, int scene) {
    CAIRN_TRY(add_ground(world, cairn_vec3(0, 0, 0), (CairnQuat){1, 0, 0, 0}));
    return scene == TOWER   ? build_tower(world)
           : scene == CHAIN ? build_chain(world)
                            : build_pile(world, scene == PILE ? ROCKS : 3 * ROCKS);
}

// The graph of a step: of the second for what is built at rest, of one after the fall for a pile.
static CairnStatus make_graph(int scene, CairnWorld **world, CairnArena *arena, CairnGraph *graph) {
    CairnWorldDef def = cairn_world_def();
    CairnPgsOptions few = {.iterations = 30, .tolerance = 1e-6, .omega = 1};
    CairnProblem problem;
    const double *lambda;
    CAIRN_TRY(cairn_world_create(&def, world));
    CAIRN_TRY(cairn_world_set_solver(*world, &cairn_solver_pgs, &few));
    CAIRN_TRY(build(*world, scene));
    for (int i = 0; i < (scene < PILE ? 2 : 150); i++) {
        CAIRN_TRY(cairn_world_step(*world, 1.0 / 60, NULL));
    }
    CAIRN_TRY(cairn_world_problem(*world, &problem, &lambda));
    return cairn_problem_graph(&problem, arena, graph);
}

// ---- one line of the table ----

typedef struct Sink {
    FILE *file, *json;
    bool is_first; // line of its scene
} Sink;

typedef struct Setup {
    const CairnGraph *graph;
    const CairnPartitioner *partitioner;
    const void *options;
    const CairnRefiner *refiner;
    int *part, count;
    const int *last; // parts of the step before; NULL: none
    int last_count;
} Setup;

static CairnStatus run_once(Setup *s, CairnArena *arena) {
    CairnAllocator allocator = *arena->allocator;
    s->count = s->last ? s->last_count : 0;
    for (int i = 0; i < s->graph->node_count; i++) {
        s->part[i] = s->last ? s->last[i] : -1;
    }
    CAIRN_TRY(s->partitioner->partition(s->graph, s->options, &allocator, s->part, &s->count));
    return s->refiner->refine(s->graph, NULL, &allocator, s->part, &s->count);
}

// The fastest of many: the machine is shared.
static CairnStatus time_one(Setup *s, CairnArena *arena, double *seconds) {
    *seconds = 1e9;
    for (int i = 0; i < REPEATS; i++) {
        double t0 = cairn_timer_now();
        CAIRN_TRY(run_once(s, arena));
        *seconds = fmin(*seconds, cairn_timer_now() - t0);
    }
    return cairn_ok();
}

static double published_time(const char *partitioner, int scene, int refiner) {
    for (size_t i = 0; i < sizeof published / sizeof published[0]; i++) {
        if (strcmp(published[i].partitioner, partitioner) == 0) {
            return published[i].time[scene][refiner];
        }
    }
    return 0;
}

static CairnStatus print_line(const Sink *to, Setup *s, CairnArena *arena, const char *name, int scene, int refiner) {
    double seconds;
    CairnPartsMeasure m;
    CAIRN_TRY(time_one(s, arena, &seconds));
    CAIRN_TRY(cairn_parts_measure(s->graph, &(CairnParts){s->count, s->part}, NULL, NULL, &m));
    fprintf(to->file, "  %-14s %-5s %6d %8d %8.2f %9d %10.3f", name, s->refiner->name, m.count, m.largest, m.balance,
            m.cut_rows, 1e3 * seconds);
    double theirs = published_time(name, scene, refiner);
    if (theirs > 0) {
        fprintf(to->file, " %10.1f", theirs);
    }
    fprintf(to->file, "\n");
    fprintf(to->json,
            "%s\n        { \"partitioner\": \"%s\", \"refiner\": \"%s\", \"parts\": %d, \"largest\": %d, \"balance\": "
            "%.6g, "
            "\"cut_rows\": %d, \"ms\": %.6g, \"published_ms\": %.6g }",
            to->is_first ? "" : ",", name, s->refiner->name, m.count, m.largest, m.balance, m.cut_rows, 1e3 * seconds,
            theirs);
    return cairn_ok();
}

static CairnStatus print_partitioner(Sink *to, Setup *s, CairnArena *arena, int scene, int *last) {
    unsigned char options[256] = {0};
    const CairnFieldTable *table = s->partitioner->options;
    cairn_fields_preset(table, options);
    s->options = options;
    for (int r = 0; r < 3; r++) {
        s->last = NULL;
        CAIRN_TRY(cairn_refiner_find(refiners[r], &s->refiner));
        CAIRN_TRY(print_line(to, s, arena, s->partitioner->name, scene, r));
        to->is_first = false;
    }
    if (strcmp(s->partitioner->name, "mix") == 0) { // the parts that fm left, kept: nothing changed
        memcpy(last, s->part, (size_t)s->graph->node_count * sizeof *last);
        s->last = last;
        s->last_count = s->count;
        CAIRN_TRY(cairn_fields_set(table, options, "keep", "0.5"));
        CAIRN_TRY(print_line(to, s, arena, "mix, kept", scene, 2));
        s->last = NULL;
    }
    return cairn_ok();
}

static CairnStatus print_scene(FILE *file, FILE *json, int scene, CairnWorld **world, CairnArena *arena) {
    CairnGraph graph;
    CAIRN_TRY(make_graph(scene, world, arena, &graph));
    int rows = 0, *part = CAIRN_PUSH(arena, int, graph.node_count), *last = CAIRN_PUSH(arena, int, graph.node_count);
    if (!part || !last) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "no memory for the parts of %d bodies", graph.node_count);
    }
    for (int e = 0; e < graph.edge_count; e++) {
        rows += graph.edge_rows[e];
    }
    fprintf(file, "\n%s: %d bodies, %d constraints, %d rows\n", scene_names[scene], graph.node_count, graph.edge_count,
            rows);
    fprintf(file, "  %-14s %-5s %6s %8s %8s %9s %10s %10s\n", "partitioner", "refine", "parts", "largest", "balance",
            "cut rows", "ms", "S3's ms");
    fprintf(json, "%s\n      { \"name\": \"%s\", \"bodies\": %d, \"rows\": %d, \"lines\": [", scene > 0 ? "," : "",
            scene_names[scene], graph.node_count, rows);
    Setup s = {.graph = &graph, .part = part};
    Sink to = {file, json, true};
    for (int k = 0; k < cairn_partitioner_count(); k++) {
        s.partitioner = cairn_partitioner_at(k);
        bool is_computed = strcmp(s.partitioner->name, "none") != 0 && strcmp(s.partitioner->name, "semantic") != 0;
        if (is_computed) {
            CAIRN_TRY(print_partitioner(&to, &s, arena, scene, last));
        }
    }
    fprintf(json, " ] }");
    return cairn_ok();
}

static bool report(FILE *file, FILE *json) {
    CairnStatus status = cairn_ok();
    fprintf(json, "    { \"name\": \"partition\", \"part_size\": 16, \"scenes\": [");
    for (int scene = 0; scene < SCENES && cairn_is_ok(status); scene++) {
        CairnWorld *world = NULL;
        CairnArena arena;
        CairnAllocator allocator = cairn_memory_default();
        cairn_arena_init(&arena, &allocator);
        status = print_scene(file, json, scene, &world, &arena);
        cairn_arena_free(&arena);
        cairn_world_destroy(world);
    }
    fprintf(json, " ] }");
    if (!cairn_is_ok(status)) {
        fprintf(file, "bench partition: %s\n", status.message);
    }
    return cairn_is_ok(status);
}

const BenchSuite bench_partition = {
    .name = "partition",
    .summary = "partitioners and refiners: cut, balance, time, beside S3's table 1",
    .report = report,
};
