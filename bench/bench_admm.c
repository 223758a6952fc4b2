// S2's table I on its scenes stir and cable_winding, with the published column beside ours, and figure 2's linearity.
//
// Every solver drives its own copy of the scene, as in S2, with as many iterations a step (a tenth of them for nnewton). AT: mean of the
// processor's time of a solve on one thread. AA: mean over the steps of -log10 of the referee's Fischer-Burmeister residual of the contacts. A
// run that fails, or whose scene's check breaks, has no numbers. Both kinds of ADMM have the same beta and relaxation.
#include "bench/bench.h"

#include "demos/program/choice.h"
#include "demos/scenes/scenes.h"
#include <cairn/cairn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 100, ROUNDS = 3, POINTS = 6, PROBES = 5 };

// AT in ms and AA; 0: not printed.
typedef struct Published {
    double time[ROUNDS], accuracy[ROUNDS];
} Published;

typedef struct Contender {
    const char *label, *solver, *friction; // friction NULL: the scene's
    int iterations[ROUNDS];
    Published published;
} Contender;

#define SWEEPS                                                                                                         \
    { 30, 60, 90 }

static const Contender stir[] = {
    {"pgs-cg", "pgs-cg:tolerance=0", NULL, SWEEPS, {{14.50, 23.91, 32.27}, {4.427, 4.928, 5.248}}},
    {"psor, matrix-free", "psor:tolerance=0", NULL, SWEEPS, {{0}, {0}}},
    {"pj", "pj:tolerance=0", NULL, SWEEPS, {{3.235, 5.688, 9.425}, {3.033, 3.349, 3.562}}},
    {"fadmm", "fadmm:tolerance=0,beta=3,relaxation=1.6", NULL, SWEEPS, {{28.41, 41.40, 56.95}, {4.107, 4.644, 5.009}}},
    {"nnewton, boxes", "nnewton", "box-current", {3, 6, 9}, {{24.35, 46.99, 75.44}, {3.565, 4.429, 5.324}}},
    {"subadmm",
     "subadmm:tolerance=0,beta=3,relaxation=1.8",
     NULL,
     SWEEPS,
     {{3.489, 5.940, 8.705}, {4.069, 4.579, 5.023}}},
    {"subadmm as printed",
     "subadmm:tolerance=0,weights=trace",
     NULL,
     SWEEPS,
     {{3.489, 5.940, 8.705}, {4.069, 4.579, 5.023}}},
};

static const Contender cable[] = {
    {"pgs-cg", "pgs-cg:tolerance=0", NULL, SWEEPS, {{48.08, 59.30, 72.96}, {4.141, 4.860, 5.404}}},
    {"psor, matrix-free", "psor:tolerance=0", NULL, SWEEPS, {{0}, {0}}},
    {"pj", "pj:tolerance=0", NULL, SWEEPS, {{0}, {0}}},
    {"fadmm",
     "fadmm:tolerance=0,beta=0.5,relaxation=1.5",
     NULL,
     SWEEPS,
     {{16.74, 23.52, 32.96}, {4.189, 4.634, 4.910}}},
    {"nnewton, boxes", "nnewton", "box-current", {3, 6, 9}, {{43.35, 87.98, 132.7}, {3.270, 4.454, 5.278}}},
    {"subadmm",
     "subadmm:tolerance=0,beta=0.3,relaxation=1.75",
     NULL,
     SWEEPS,
     {{2.288, 4.285, 6.402}, {4.344, 4.984, 5.222}}},
    {"subadmm as printed",
     "subadmm:tolerance=0,weights=trace",
     NULL,
     SWEEPS,
     {{2.288, 4.285, 6.402}, {4.344, 4.984, 5.222}}},
};

enum { CONTENDERS = sizeof stir / sizeof stir[0] };
_Static_assert(sizeof stir == sizeof cable, "one table for both scenes");

// ---- a solver with a clock around it ---------------------------------------------------------------------------------------

// The bench alone has state between calls: what is timed, and the clock.
static const CairnSolver *timed;
static double spent, fastest;

static CairnStatus solve_timed(const CairnProblem *problem, const CairnParts *parts, const void *options,
                               CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    double start = bench_cpu_now();
    CairnStatus status = timed->solve(problem, parts, options, context, lambda, report);
    double took = bench_cpu_now() - start;
    spent += took;
    fastest = fmin(fastest, took);
    return status;
}

typedef struct Run {
    double time, fastest, accuracy; // ms; NAN: it failed
    int steps;
} Run;

typedef struct Stage {
    CairnSceneRun run;
    void *params;
} Stage;

static void strike(Stage *stage) {
    cairn_world_destroy(stage->run.world);
    free(stage->params);
    free(stage->run.memory);
}

static CairnStatus set_stage(Stage *stage, const CairnScene *scene, const char *friction, const char *param,
                             const char *value) {
    CairnWorldDef def = cairn_world_def();
    stage->params = calloc(1, scene->params.size + 1);
    stage->run.params = stage->params;
    stage->run.memory = calloc(1, scene->memory_size + 1);
    stage->run.seed = 1;
    if (!stage->params || !stage->run.memory) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "bench: no memory for %s", scene->name);
    }
    cairn_fields_preset(&scene->params, stage->params);
    if (param) {
        CAIRN_TRY(cairn_fields_set(&scene->params, stage->params, param, value));
    }
    scene->settings(stage->params, &def);
    CAIRN_TRY(cairn_world_create(&def, &stage->run.world));
    return friction ? cairn_world_set(stage->run.world, "friction", friction) : cairn_ok();
}

static CairnStatus play(Stage *stage, const CairnScene *scene, const char *solver, int steps, Run *run) {
    CairnChoice choice;
    CAIRN_TRY(cairn_choice_open(solver, "bench", &choice));
    CairnSolver clocked = *choice.solver;
    timed = choice.solver;
    clocked.solve = solve_timed;
    spent = 0;
    fastest = HUGE_VAL;
    CairnStatus status = cairn_world_set_solver(stage->run.world, &clocked, choice.options);
    status = cairn_is_ok(status) ? scene->build(&stage->run) : status;
    for (run->steps = 0; run->steps < steps && cairn_is_ok(status); run->steps++) {
        CairnStats stats;
        status = scene->script(&stage->run, cairn_world_time(stage->run.world));
        status = cairn_is_ok(status) ? cairn_world_step(stage->run.world, scene->step, &stats) : status;
        status = cairn_is_ok(status) && steps > PROBES ? scene->check(&stage->run, stats.time, &stats) : status;
        run->accuracy += cairn_is_ok(status) ? -log10(fmax(stats.residual.fb, 1e-16)) : 0;
    }
    run->time = 1e3 * spent / fmax(run->steps, 1);
    run->fastest = 1e3 * fastest;
    run->accuracy /= fmax(run->steps, 1);
    cairn_world_destroy(stage->run.world); // while its solver is there
    stage->run.world = NULL;
    cairn_choice_close(&choice);
    return status;
}

static Run measure(const char *name, const char *solver, const char *friction, const char *param, const char *value,
                   int steps) {
    const CairnScene *scene;
    Stage stage = {0};
    Run run = {0};
    CairnStatus status = cairn_scene_find(name, &scene);
    status = cairn_is_ok(status) ? set_stage(&stage, scene, friction, param, value) : status;
    status = cairn_is_ok(status) ? play(&stage, scene, solver, steps, &run) : status;
    if (!cairn_is_ok(status)) {
        run.time = run.fastest = run.accuracy = (double)NAN;
    }
    strike(&stage);
    return run;
}

// ---- table I ---------------------------------------------------------------------------------------------------------------

static void print_number(FILE *file, double x, int width, int digits) {
    if (x > 0 || x < 0) {
        fprintf(file, " %*.*f", width, digits, x);
    } else {
        fprintf(file, " %*s", width, "-");
    }
}

static void table(FILE *file, FILE *json, const char *scene, const Contender *contenders) {
    Run runs[CONTENDERS][ROUNDS];
    fprintf(file, "%s: %d steps, one thread. AT: processor's ms a solve; AA: -log10 of Fischer-Burmeister\n", scene,
            STEPS);
    fprintf(file, "%-20s %-10s %8s %8s %8s %8s %10s\n", "", "iterations", "AT", "S2: AT", "AA", "S2: AA", "pgs-cg AT/");
    for (int c = 0; c < CONTENDERS; c++) {
        for (int k = 0; k < ROUNDS; k++) {
            char solver[160];
            snprintf(solver, sizeof solver, "%s%citerations=%d", contenders[c].solver,
                     strchr(contenders[c].solver, ':') ? ',' : ':', contenders[c].iterations[k]);
            Run run = runs[c][k] = measure(scene, solver, contenders[c].friction, NULL, NULL, STEPS);
            const Published *published = &contenders[c].published;
            fprintf(file, "%-20s %-10d", k == 0 ? contenders[c].label : "", contenders[c].iterations[k]);
            print_number(file, run.time, 8, 3);
            print_number(file, published->time[k], 8, 3);
            print_number(file, run.accuracy, 8, 3);
            print_number(file, published->accuracy[k], 8, 3);
            print_number(file, runs[0][k].time / run.time, 9, 2);
            fprintf(file, "\n");
            fflush(file);
            if (json) {
                fprintf(json, "%s{\"scene\": \"%s\", \"solver\": \"%s\", \"AT\": %s%.6g%s, \"AA\": %s%.6g%s}",
                        c + k > 0 ? ", " : "", scene, solver, isfinite(run.time) ? "" : "\"", run.time,
                        isfinite(run.time) ? "" : "\"", isfinite(run.accuracy) ? "" : "\"", run.accuracy,
                        isfinite(run.accuracy) ? "" : "\"");
            }
        }
    }
}

// ---- figure 2 --------------------------------------------------------------------------------------------------------------

// R^2 of the best line through the points.
static double linearity(const double *x, const double *y) {
    double n = POINTS, sx = 0, sy = 0, xx = 0, xy = 0, yy = 0;
    for (int i = 0; i < POINTS; i++) {
        sx += x[i];
        sy += y[i];
        xx += x[i] * x[i];
        xy += x[i] * y[i];
        yy += y[i] * y[i];
    }
    double cross = n * xy - sx * sy;
    return cross * cross / ((n * xx - sx * sx) * (n * yy - sy * sy));
}

static double figure(FILE *file, const char *scene, const char *param, const int *sizes) {
    double x[POINTS], y[POINTS];
    fprintf(file, "%s, 60 iterations, by %s:", scene, param);
    for (int i = 0; i < POINTS; i++) {
        char value[16], solver[96];
        snprintf(value, sizeof value, "%d", sizes[i]);
        snprintf(solver, sizeof solver, "subadmm:iterations=60,tolerance=0,beta=0.3");
        x[i] = sizes[i];
        y[i] = measure(scene, solver, NULL, param, value, PROBES).fastest;
        fprintf(file, " %d %.3f ms", sizes[i], y[i]);
        fflush(file);
    }
    double square = linearity(x, y);
    fprintf(file, "; R^2 = %.5f\n", square);
    return square;
}

static bool report(FILE *file, FILE *json) {
    static const int grains[POINTS] = {100, 500, 1000, 2000, 3500, 5000};
    static const int segments[POINTS] = {80, 160, 320, 640, 1280, 2560};
    if (json) {
        fprintf(json, "{\"name\": \"admm\", \"stir\": [");
    }
    table(file, json, "stir", stir);
    if (json) {
        fprintf(json, "], \"cable_winding\": [");
    }
    table(file, json, "cable_winding", cable);
    double first = figure(file, "stir", "grains", grains), second = figure(file, "cable_winding", "segments", segments);
    fprintf(file, "S2's figure 2: R^2 0.9993 and 0.9998\n");
    if (json) {
        fprintf(json, "], \"linearity\": [%.6g, %.6g]}", first, second);
    }
    return true;
}

const BenchSuite bench_admm = {
    .name = "admm",
    .summary = "S2's table I and figure 2: subadmm beside its rivals",
    .report = report,
};
