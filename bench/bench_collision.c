// Collision detection beside other engines': the same bodies in the same poses, boxes to contact points, nothing else
// timed.
//
// A scene's frames are played over and over, the engines in turns; of each frame the fastest pass counts (the rest is
// what the machine did besides), and the mean over the frames is printed. Ours is the collide stage of a whole step,
// with its warm starting and bookkeeping.
//
// Points differ between engines. ODE has those that touch. Bullet has those of two spheres that touch, and of other
// pairs those nearer than 0.02 m at most (gContactBreakingThreshold). Ours begin at contact_margin, 0.01 m, which in a
// heap of spheres are twice as many; the row "touching only" has no margin, and its points are the others' to a few
// percent. The aim, 3 times the faster peer for spheres and twice for the mix, holds for both rows.
#include "bench/bench.h"
#include "bench/collision_scene.h"
#include "bench/peers/peer.h"
#include "bench/scene_runs.h"
#include "engine/base/timer.h"
#include <cairn/cairn.h>
#include <math.h>
#include <stdlib.h>

enum { MOST_ENGINES = 7, PASSES = 9 };

// ---- ours ----

typedef struct Cairn {
    CairnWorld *world;
    CairnBodyId *ids;
    const BenchScene *scene;
    CairnStats stats;
} Cairn;

// Leaves the impulses as they come, so that a step is its other stages alone.
static CairnStatus solve_nothing(const CairnProblem *problem, const CairnParts *parts, const void *options,
                                 CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    (void)problem, (void)parts, (void)options, (void)context, (void)lambda;
    *report = (CairnSolveReport){.outcome = CAIRN_OUTCOME_AT_LIMIT};
    return cairn_ok();
}

static const CairnSolver nothing = {.name = "nothing",
                                    .summary = "leaves the impulses as they come",
                                    .traits = CAIRN_TAKES_BOUNDS,
                                    .solve = solve_nothing};

static void close_cairn(Cairn *cairn) {
    cairn_world_destroy(cairn->world);
    free(cairn->ids);
    *cairn = (Cairn){0};
}

static bool open_cairn(Cairn *cairn, const BenchScene *scene, int threads, bool is_touching_only) {
    CairnWorldDef def = cairn_world_def();
    def.contact_margin = is_touching_only ? 0 : def.contact_margin;
    def.thread_count = threads;
    def.contact_passes = def.touch_passes = 1; // nothing is solved, so nothing is foreseen
    def.geometric_stiffness = false;
    *cairn = (Cairn){.scene = scene, .ids = calloc((size_t)scene->body_count, sizeof *cairn->ids)};
    CairnStatus status =
        cairn->ids != NULL ? cairn_world_create(&def, &cairn->world) : cairn_error(CAIRN_OUT_OF_MEMORY, "bench");
    for (int i = 0; i < scene->body_count && cairn_is_ok(status); i++) {
        CairnBodyDef body = cairn_body_def();
        body.type = scene->bodies[i].is_static ? CAIRN_BODY_STATIC : CAIRN_BODY_DYNAMIC;
        body.position = scene->frames[0][i].p;
        body.orientation = scene->frames[0][i].q;
        status = cairn_body_add(cairn->world, &body, &scene->bodies[i].shape, &cairn->ids[i]);
    }
    if (cairn_is_ok(status)) {
        status = cairn_world_set_solver(cairn->world, &nothing, NULL);
    }
    if (!cairn_is_ok(status)) {
        close_cairn(cairn);
    }
    return cairn_is_ok(status);
}

// Seconds of the collide stage; negative when the step failed.
static double detect_cairn(Cairn *cairn, int frame, bool is_moving) {
    const BenchScene *scene = cairn->scene;
    const CairnVec3 zero = {0, 0, 0};
    CairnStatus status = cairn_ok();
    for (int i = 0; i < scene->body_count && cairn_is_ok(status); i++) {
        if (scene->bodies[i].is_static) {
            continue;
        }
        CairnTransform pose = scene->frames[frame][i];
        status = cairn_body_set_pose(cairn->world, cairn->ids[i], pose.p, pose.q);
        if (cairn_is_ok(status)) {
            status =
                cairn_body_set_velocity(cairn->world, cairn->ids[i], is_moving ? scene->velocities[i] : zero, zero);
        }
    }
    if (cairn_is_ok(status)) {
        status = cairn_world_step(cairn->world, 1.0 / 60, &cairn->stats);
    }
    return cairn_is_ok(status) ? cairn->stats.times.broad + cairn->stats.times.narrow : -1;
}

// ---- a table ----

typedef struct Engine {
    const char *name;
    const BenchPeer *peer; // NULL: ours
    void *state;
    Cairn cairn;
    int threads;
    bool is_moving;        // with the bodies' velocities
    bool is_touching_only; // without a margin
    double fastest[BENCH_FRAMES], broad[BENCH_FRAMES];
    int contacts;
} Engine;

static bool open_engine(Engine *engine, const BenchScene *scene) {
    for (int f = 0; f < BENCH_FRAMES; f++) {
        engine->fastest[f] = engine->broad[f] = HUGE_VAL;
    }
    if (engine->peer == NULL) {
        return open_cairn(&engine->cairn, scene, engine->threads, engine->is_touching_only);
    }
    engine->state = engine->peer->open(scene);
    return engine->state != NULL;
}

static void close_engine(Engine *engine) {
    if (engine->peer == NULL) {
        close_cairn(&engine->cairn);
    } else if (engine->state != NULL) {
        engine->peer->close(engine->state);
    }
}

static bool detect(Engine *engine, const BenchScene *scene, int frame) {
    double seconds;
    if (engine->peer == NULL) {
        seconds = detect_cairn(&engine->cairn, frame, engine->is_moving);
        engine->contacts = engine->cairn.stats.contacts;
        engine->broad[frame] = fmin(engine->broad[frame], engine->cairn.stats.times.broad);
    } else {
        engine->peer->set_poses(engine->state, scene->frames[frame]);
        double start = cairn_timer_now();
        engine->contacts = engine->peer->detect(engine->state);
        seconds = cairn_timer_now() - start;
    }
    engine->fastest[frame] = seconds >= 0 ? fmin(engine->fastest[frame], seconds) : 0;
    return seconds >= 0;
}

static double mean(const double *seconds) {
    double sum = 0;
    for (int f = 0; f < BENCH_FRAMES; f++) {
        sum += seconds[f];
    }
    return sum / BENCH_FRAMES;
}

static bool play(Engine *engines, int count, const BenchScene *scene, int passes) {
    bool is_done = true;
    for (int e = 0; e < count; e++) {
        is_done = open_engine(&engines[e], scene) && is_done;
    }
    // The first pass warms up: it counts only if it is the fastest. Engines take turns by whole runs, as each would run
    // by itself, and a turn begins with a frame that does not: what stands first after ODE's pays for the caches that
    // those leave, twice its own time.
    for (int pass = 0; pass <= passes; pass++) {
        for (int e = 0; e < count; e++) {
            for (int f = -1; f < BENCH_FRAMES && is_done; f++) {
                is_done = detect(&engines[e], scene, f < 0 ? BENCH_FRAMES - 1 : f);
            }
        }
    }
    return is_done;
}

static int list_engines(Engine *engines) {
    int count = 0, ode_count, bullet_count;
    const BenchPeer *ode = bench_peer_ode(&ode_count), *bullet = bench_peer_bullet(&bullet_count);
    engines[count++] = (Engine){.name = "Cairn", .threads = 1};
    engines[count++] = (Engine){.name = "Cairn, touching only", .threads = 1, .is_touching_only = true};
    engines[count++] = (Engine){.name = "Cairn, 2 threads", .threads = 2};
    engines[count++] = (Engine){.name = "Cairn, speculative", .threads = 1, .is_moving = true};
    for (int k = 0; k < ode_count; k++) {
        engines[count++] = (Engine){.name = ode[k].name, .peer = &ode[k]};
    }
    for (int k = 0; k < bullet_count; k++) {
        engines[count++] = (Engine){.name = bullet[k].name, .peer = &bullet[k]};
    }
    return count;
}

// CAIRN_BENCH_PARTS chooses some of them, by their names here and the number of bodies of a block.
static bool compare(const char *section, bool (*make)(BenchScene *scene, int count), int count, FILE *file) {
    BenchScene scene;
    Engine engines[MOST_ENGINES];
    if (!bench_wants("CAIRN_BENCH_PARTS", section)) {
        return true;
    }
    int engine_count = list_engines(engines);
    bool is_done = make(&scene, count) && play(engines, engine_count, &scene, PASSES);
    if (is_done) {
        fprintf(file, "  %s: %d bodies\n", scene.name, scene.moving_count);
        double cairn = mean(engines[0].fastest);
        for (int e = 0; e < engine_count; e++) {
            double seconds = mean(engines[e].fastest);
            fprintf(file, "    %-24s %8d points %10.3f ms  %7.2f x", engines[e].name, engines[e].contacts,
                    1e3 * seconds, seconds / cairn);
            if (engines[e].peer == NULL) {
                fprintf(file, "   (broad %.3f)", 1e3 * mean(engines[e].broad));
            }
            fputc('\n', file);
        }
    }
    for (int e = 0; e < engine_count; e++) {
        close_engine(&engines[e]);
    }
    bench_scene_free(&scene);
    fflush(file);
    return is_done;
}

static bool scale(int count, FILE *file) {
    BenchScene scene;
    char section[16];
    snprintf(section, sizeof section, "%d", count);
    if (!bench_wants("CAIRN_BENCH_PARTS", section)) {
        return true;
    }
    Engine engines[2] = {{.threads = 1}, {.threads = 2}};
    bool is_done = bench_scene_block(&scene, count) && play(engines, 2, &scene, count > 50000 ? 1 : PASSES);
    if (is_done) {
        double one = mean(engines[0].fastest), two = mean(engines[1].fastest);
        fprintf(file, "  %8d %9d %10.3f %10.3f %10.3f %10.1f %8.2f %10.0f\n", count, engines[0].contacts,
                1e3 * mean(engines[0].broad), 1e3 * one, 1e3 * two, 1e9 * one / engines[0].contacts, one / two,
                (double)engines[0].cairn.stats.arena_bytes / count);
    }
    for (int e = 0; e < 2; e++) {
        close_engine(&engines[e]);
    }
    bench_scene_free(&scene);
    return is_done;
}

// ---- many at once ----

// All bodies put in at once, and every second one taken out: the calls, and the broad phase of the step that follows,
// beside that of a settled one. Nanoseconds a body: in O(n log n) they grow by a third from 10,000 to 200,000.
static bool report_bulk(int count, FILE *file) {
    BenchScene scene;
    Cairn cairn = {0};
    double calls[2] = {0, 0}, broad[2] = {0, 0}, settled_broad = HUGE_VAL;
    bool is_done = bench_scene_block(&scene, count);
    double start = cairn_timer_now();
    is_done = is_done && open_cairn(&cairn, &scene, 1, false);
    calls[0] = cairn_timer_now() - start;
    for (int k = 0; k < 8 && is_done; k++) {
        is_done = cairn_is_ok(cairn_world_step(cairn.world, 1e-6, &cairn.stats));
        broad[0] = k == 0 ? cairn.stats.times.broad : broad[0];
        settled_broad = fmin(settled_broad, cairn.stats.times.broad);
    }
    start = cairn_timer_now();
    for (int i = 0; i < count && is_done; i += 2) {
        is_done = scene.bodies[i].is_static || cairn_is_ok(cairn_body_destroy(cairn.world, cairn.ids[i]));
    }
    calls[1] = cairn_timer_now() - start;
    is_done = is_done && cairn_is_ok(cairn_world_step(cairn.world, 1e-6, &cairn.stats));
    broad[1] = cairn.stats.times.broad;
    if (is_done) {
        double each = 1e9 / count;
        fprintf(file, "  %8d %10.0f %10.0f %10.0f %10.0f %10.0f\n", count, each * calls[0], each * broad[0],
                each * settled_broad, 2 * each * calls[1], each * broad[1]);
        fflush(file);
    }
    close_cairn(&cairn);
    bench_scene_free(&scene);
    return is_done;
}

static bool report_bulks(FILE *file) {
    if (!bench_wants("CAIRN_BENCH_PARTS", "bulk")) {
        return true;
    }
    fprintf(file, "  many at once, ns a body:\n  %8s %10s %10s %10s %10s %10s\n", "bodies", "put in", "then broad",
            "settled", "taken out", "then broad");
    return report_bulk(10000, file) && report_bulk(50000, file) && report_bulk(200000, file);
}

// ---- rays ----

enum { RAYS = 20000 };

static CairnVec3 end_of_ray(uint64_t *random, double reach) {
    double v[3];
    for (int k = 0; k < 3; k++) {
        *random = *random * 6364136223846793005u + 1442695040888963407u;
        v[k] = reach * (2 * (double)(*random >> 11) * 0x1p-53 - 1);
    }
    return (CairnVec3){v[0], v[1], v[2]};
}

// Seconds a ray, each between two points of the ball around the bodies; `again`: the world changes before each, so that
// it reads all.
static double time_rays(Cairn *cairn, double reach, int count, bool again, int *hits) {
    uint64_t random = 5;
    const CairnFilter all = {1, UINT64_MAX};
    CairnBodyState state;
    bool is_done = cairn_is_ok(cairn_body_get(cairn->world, cairn->ids[0], &state));
    double start = cairn_timer_now();
    *hits = 0;
    for (int k = 0; k < count && is_done; k++) {
        CairnVec3 from = end_of_ray(&random, reach), direction = cairn_sub(end_of_ray(&random, reach), from);
        CairnRayHit hit;
        bool has_hit = false;
        if (again) {
            is_done = cairn_is_ok(cairn_body_set_pose(cairn->world, cairn->ids[0], state.position, state.orientation));
        }
        is_done = is_done && cairn_is_ok(cairn_world_ray_cast(cairn->world, from, direction, cairn_length(direction),
                                                              all, &hit, &has_hit));
        *hits += has_hit;
    }
    return is_done ? (cairn_timer_now() - start) / count : HUGE_VAL;
}

static bool report_rays(FILE *file) {
    BenchScene scene;
    Cairn cairn = {0};
    int hits = 0, some;
    if (!bench_wants("CAIRN_BENCH_PARTS", "rays")) {
        return true;
    }
    bool is_done = bench_scene_block(&scene, 10000) && open_cairn(&cairn, &scene, 1, false);
    if (is_done) {
        double each = HUGE_VAL, every = HUGE_VAL;
        for (int pass = 0; pass < 3; pass++) {
            each = fmin(each, time_rays(&cairn, 22, RAYS, false, &hits));
            every = fmin(every, time_rays(&cairn, 22, RAYS / 100, true, &some));
        }
        fprintf(file,
                "  rays into a block of 10,000 spheres: %.0f a second (%d of %d hit); %.0f where each is the first "
                "after a change\n",
                1 / each, hits, RAYS, 1 / every);
    }
    close_cairn(&cairn);
    bench_scene_free(&scene);
    return is_done;
}

static bool report(FILE *file, FILE *json) {
    (void)json; // a table only
    int ode_count, bullet_count;
    bench_peer_ode(&ode_count);
    bench_peer_bullet(&bullet_count);
    if (ode_count == 0) {
        fprintf(file, "  ODE is not installed (tools/deps --bench), so it is not compared.\n");
    }
    if (bullet_count == 0) {
        fprintf(file, "  Bullet 3.24 is not installed (tools/deps --bench), so it is not compared.\n");
    }
    bool is_done = compare("spheres", bench_scene_settled_spheres, 10000, file) &&
                   compare("mix", bench_scene_falling_mix, 10000, file) &&
                   compare("tower", bench_scene_log_tower, 160, file) && report_bulks(file) && report_rays(file);
    fprintf(file, "  blocks of spheres, ms, on one thread and on two:\n  %8s %9s %10s %10s %10s %10s %8s %10s\n",
            "bodies", "points", "broad", "collide", "2 threads", "ns/point", "speedup", "bytes/body");
    const int counts[] = {1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000};
    for (size_t k = 0; k < sizeof counts / sizeof counts[0] && is_done; k++) {
        is_done = scale(counts[k], file);
        fflush(file);
    }
    return is_done;
}

const BenchSuite bench_collision = {.name = "collision",
                                    .summary = "collision detection, beside other engines and by number of bodies",
                                    .report = report};
