// What whole steps hold and cost: the same tower and heavy chain in this engine and in others, with and without
// sub-steps.
#include "bench/bench.h"
#include "bench/exact_sections.h"
#include "bench/peers/engine.h"

#include "engine/base/timer.h"
#include "solvers/exact/bpp.h"
#include "solvers/exact/ipm.h"
#include <math.h>
#include <stdlib.h>

enum { FRAMES = 300, MOST_ENGINES = 8 };
static const double patience = 6; // seconds that one run may take: the slow are stopped, and it is said when

// ---- ours ----

typedef struct Cairn {
    CairnWorld *world;
    CairnBodyId *ids;
    int count;
} Cairn;

static void close_cairn(void *state) {
    Cairn *cairn = state;
    cairn_world_destroy(cairn->world);
    free(cairn->ids);
    free(cairn);
}

static void *open_cairn(const BenchRig *rig, const CairnSolver *solver, int threads) {
    Cairn *cairn = calloc(1, sizeof *cairn);
    CairnBodyId *ids = calloc((size_t)rig->body_count, sizeof *ids);
    if (cairn == NULL || ids == NULL) {
        free(cairn);
        free(ids);
        return NULL;
    }
    *cairn = (Cairn){.ids = ids, .count = rig->body_count};
    if (!cairn_is_ok(bench_rig_world(rig, solver, NULL, threads, &cairn->world, ids))) {
        close_cairn(cairn);
        return NULL;
    }
    return cairn;
}

static void *open_bpp(const BenchRig *rig, int substeps) {
    (void)substeps;
    return open_cairn(rig, &cairn_solver_bpp, 1);
}

static void *open_bpp_two(const BenchRig *rig, int substeps) {
    (void)substeps;
    return open_cairn(rig, &cairn_solver_bpp, 2);
}

static void *open_ipm(const BenchRig *rig, int substeps) {
    (void)substeps;
    return open_cairn(rig, &cairn_solver_ipm, 1);
}

static bool step_cairn(void *state) {
    Cairn *cairn = state;
    CairnStats stats;
    return cairn_is_ok(cairn_world_step(cairn->world, 1.0 / 60, &stats)) && stats.residual.is_certified;
}

static void poses_cairn(void *state, CairnTransform *poses) {
    Cairn *cairn = state;
    for (int i = 0; i < cairn->count; i++) {
        CairnBodyState body;
        if (cairn_is_ok(cairn_body_get(cairn->world, cairn->ids[i], &body))) {
            poses[i] = (CairnTransform){.p = body.position, .q = body.orientation};
        }
    }
}

static const BenchEngine cairn_engines[] = {
    {"Cairn bpp", open_bpp, step_cairn, poses_cairn, close_cairn, false},
    {"Cairn bpp, 2 threads", open_bpp_two, step_cairn, poses_cairn, close_cairn, true},
    {"Cairn ipm", open_ipm, step_cairn, poses_cairn, close_cairn, false}};

// ---- a run ----

typedef struct Run {
    const BenchEngine *engine;
    int substeps, frames; // frames that were run
    double middle, most;  // seconds of a frame
    double gap, stretch;  // largest gap of a joint, m; largest sum of gaps over the chain's length
    double rise;          // of the last body above its start, m
    double sunk, drift;   // of a tower
    bool has_given_up;
} Run;

static void judge(Run *run, const BenchRig *rig, const CairnTransform *poses, double length) {
    double sum, gap = bench_rig_gap(rig, poses, &sum), sunk = bench_rig_sunk(rig, poses);
    double drift = bench_rig_drift(rig, poses);
    run->gap = gap <= run->gap ? run->gap : gap; // NaN comes through
    run->stretch = sum / length <= run->stretch ? run->stretch : sum / length;
    run->rise = -sunk <= run->rise ? run->rise : -sunk;
    run->sunk = sunk <= run->sunk ? run->sunk : sunk;
    run->drift = drift <= run->drift ? run->drift : drift;
}

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool run_engine(Run *run, const BenchRig *rig, double length) {
    CairnTransform *poses = calloc((size_t)rig->body_count, sizeof *poses);
    void *state = poses != NULL ? run->engine->open(rig, run->substeps) : NULL;
    double (*now)(void) = run->engine->is_threaded ? cairn_timer_now : bench_cpu_now;
    double total = 0, seconds[FRAMES];
    for (int f = 0; f < FRAMES && state != NULL && !run->has_given_up && total < patience; f++) {
        double start = now();
        run->has_given_up = !run->engine->step(state);
        seconds[f] = now() - start;
        total += seconds[f];
        run->most = fmax(run->most, seconds[f]);
        run->frames++;
        run->engine->poses(state, poses);
        judge(run, rig, poses, length);
    }
    qsort(seconds, (size_t)run->frames, sizeof *seconds, compare_doubles);
    run->middle = run->frames > 0 ? seconds[run->frames / 2] : 0;
    if (state != NULL) {
        run->engine->close(state);
    }
    free(poses);
    return state != NULL;
}

static const char *verdict_of(const Run *run, bool is_chain) {
    if (run->has_given_up) {
        return "gave up";
    }
    bool contains = is_chain ? run->stretch < 0.05 && run->rise < 0.1 : run->sunk < 0.1 && run->drift < 0.2;
    return !contains ? "lost it" : run->frames < FRAMES ? "stopped" : "holds";
}

static void print_run(const Run *run, bool is_chain, bool is_last, FILE *file, FILE *json) {
    const char *verdict = verdict_of(run, is_chain);
    fprintf(file, "    %-24s %5d %9.3f %9.3f %9s %6.2f s", run->engine->name, run->substeps, 1e3 * run->middle,
            1e3 * run->most, verdict, run->frames / 60.0);
    if (is_chain) {
        fprintf(file, " %11.2e %% %9.1e m %9.1e m\n", 100 * run->stretch, run->gap, run->rise);
    } else {
        fprintf(file, " %9.3f mm %9.3f mm\n", 1e3 * run->sunk, 1e3 * run->drift);
    }
    fprintf(
        json,
        "          { \"engine\": \"%s\", \"substeps\": %d, \"median_ms\": %.6g, \"max_ms\": %.6g, \"verdict\": \"%s\", "
        "\"frames\": %d, ",
        run->engine->name, run->substeps, 1e3 * run->middle, 1e3 * run->most, verdict, run->frames);
    if (is_chain) {
        fprintf(json, "\"stretch_percent\": %.6g, \"largest_gap_m\": %.6g, \"rise_m\": %.6g }%s\n",
                isfinite(run->stretch) ? 100 * run->stretch : 1e300, isfinite(run->gap) ? run->gap : 1e300,
                isfinite(run->rise) ? run->rise : 1e300, is_last ? "" : ",");
    } else {
        fprintf(json, "\"sunk_m\": %.6g, \"drift_m\": %.6g }%s\n", isfinite(run->sunk) ? run->sunk : 1e300,
                isfinite(run->drift) ? run->drift : 1e300, is_last ? "" : ",");
    }
}

static void compare(const BenchRig *rig, double length, FILE *file, FILE *json) {
    const int substeps[] = {1, rig->joint_count > 0 ? 16 : 10};
    Run runs[MOST_ENGINES * 3];
    int count = 0, ode_count, mujoco_count;
    const BenchEngine *ode = bench_engines_ode(&ode_count), *mujoco = bench_engines_mujoco(&mujoco_count);
    for (size_t k = 0; k < sizeof cairn_engines / sizeof cairn_engines[0]; k++) {
        runs[count++] = (Run){.engine = &cairn_engines[k], .substeps = 1};
    }
    for (int k = 0; k < ode_count + mujoco_count; k++) {
        const BenchEngine *engine = k < ode_count ? &ode[k] : &mujoco[k - ode_count];
        for (int i = 0; i < 2; i++) {
            runs[count++] = (Run){.engine = engine, .substeps = substeps[i]};
        }
    }
    int done = 0;
    for (int k = 0; k < count; k++) {
        const Run *last = done > 0 ? &runs[done - 1] : NULL; // an engine that is slow in one step does not run many
        bool is_hopeless = last != NULL && last->engine == runs[k].engine && last->middle > 0.5;
        if (!is_hopeless && run_engine(&runs[k], rig, length)) {
            runs[done++] = runs[k];
        }
    }
    for (int k = 0; k < done; k++) {
        print_run(&runs[k], length > 0 && rig->joint_count > 0, k + 1 == done, file, json);
    }
}

bool bench_exact_engines(FILE *file, FILE *json) {
    BenchRig rig;
    if (!bench_rig_chain(&rig, 100, 20 * CAIRN_PI / 180, 500)) {
        return false;
    }
    fprintf(
        file,
        "  chain of 100 links of 0.25 kg and 0.2 m that holds 500 kg, let go at 20 degrees, 5 s in frames of 1/60 s\n"
        "    %-24s %5s %9s %9s %9s %8s %13s %11s %11s\n",
        "engine", "sub", "p50, ms", "max, ms", "", "ran", "stretch", "gap", "rise");
    fprintf(json, "      \"chain_engines\": [\n");
    compare(&rig, 0.2 * 100, file, json);
    bench_rig_free(&rig);
    if (!bench_rig_tower(&rig)) {
        return false;
    }
    fprintf(
        file,
        "  tower of 160 logs and a box of 2,500 kg, 5 s in frames of 1/60 s\n    %-24s %5s %9s %9s %9s %8s %12s %12s\n",
        "engine", "sub", "p50, ms", "max, ms", "", "ran", "sinks", "drifts");
    fprintf(json, "      ],\n      \"tower_engines\": [\n");
    compare(&rig, 1, file, json);
    fprintf(json, "      ]");
    bench_rig_free(&rig);
    return true;
}
