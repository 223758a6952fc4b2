// S2's table I on its scenes stir and cable_winding, with the published column beside ours, and figure 2's linearity.
//
// Every solver drives its own copy of the scene, as in S2, with as many iterations a step (a tenth of them for
// nnewton), over steps in which things happen: the whole of cable_winding, two and a half seconds of stirring. AT: mean
// time of a solve, the processor's on one thread, and the clock's where it says two threads. AA: mean over the steps of
// -log10 of the referee's Fischer-Burmeister residual of the contacts. The same mean over the steps in which the cable
// lies on the drum is printed beside it. A run that fails has no numbers, nor has one whose scene's check breaks in
// more than one step of twenty; where it breaks more rarely, the number of such steps is printed.
//
// BENCH_ONLY=TEXT,TEXT measures those rows alone whose scene and label ("stir pgs-cg") hold one of the texts, so that a
// measurement can be cut in pieces.
#include "bench/bench.h"

#include "demos/program/session/choice.h"
#include "demos/scenes/scenes.h"
#include "engine/base/timer.h"
#include <cairn/cairn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 3, POINTS = 6, PROBES = 5, TURNS = 6, RARELY = 20 };

// Steps of a scene, and those in which most is going on.
typedef struct Span {
    int steps, first, end;
} Span;

static const Span stir_span = {300, 150, 300}, cable_span = {800, 200, 450};

// AT in ms and AA; 0: not printed.
typedef struct Published {
    double time[ROUNDS], accuracy[ROUNDS];
} Published;

typedef struct Contender {
    const char *label, *solver, *friction; // friction NULL: the scene's
    int threads, iterations[ROUNDS];
    Published published;
} Contender;

#define SWEEPS                                                                                                         \
    { 30, 60, 90 }

static const Contender stir[] = {
    {"pgs-cg", "pgs-cg:tolerance=0", NULL, 1, SWEEPS, {{14.50, 23.91, 32.27}, {4.427, 4.928, 5.248}}},
    {"psor, matrix-free", "psor:tolerance=0", NULL, 1, SWEEPS, {{0}, {0}}},
    {"pj", "pj:tolerance=0", NULL, 1, SWEEPS, {{3.235, 5.688, 9.425}, {3.033, 3.349, 3.562}}},
    {"fadmm",
     "fadmm:tolerance=0,beta=2.5,relaxation=1.6",
     NULL,
     1,
     SWEEPS,
     {{28.41, 41.40, 56.95}, {4.107, 4.644, 5.009}}},
    {"nnewton", "nnewton", NULL, 1, {3, 6, 9}, {{24.35, 46.99, 75.44}, {3.565, 4.429, 5.324}}},
    {"subadmm",
     "subadmm:tolerance=0,beta=2.5,relaxation=1.75",
     NULL,
     1,
     SWEEPS,
     {{3.489, 5.940, 8.705}, {4.069, 4.579, 5.023}}},
    {"subadmm, two threads",
     "subadmm:tolerance=0,beta=2.5,relaxation=1.75",
     NULL,
     2,
     SWEEPS,
     {{3.489, 5.940, 8.705}, {4.069, 4.579, 5.023}}},
    {"subadmm as printed",
     "subadmm:tolerance=0,weights=trace",
     NULL,
     1,
     SWEEPS,
     {{3.489, 5.940, 8.705}, {4.069, 4.579, 5.023}}},
};

static const Contender cable[] = {
    {"pgs-cg", "pgs-cg:tolerance=0", NULL, 1, SWEEPS, {{48.08, 59.30, 72.96}, {4.141, 4.860, 5.404}}},
    {"psor, matrix-free", "psor:tolerance=0", NULL, 1, SWEEPS, {{0}, {0}}},
    {"pj", "pj:tolerance=0", NULL, 1, SWEEPS, {{0}, {0}}},
    {"fadmm",
     "fadmm:tolerance=0,beta=0.5,relaxation=1.5",
     NULL,
     1,
     SWEEPS,
     {{16.74, 23.52, 32.96}, {4.189, 4.634, 4.910}}},
    {"nnewton", "nnewton", NULL, 1, {3, 6, 9}, {{43.35, 87.98, 132.7}, {3.270, 4.454, 5.278}}},
    {"subadmm",
     "subadmm:tolerance=0,beta=0.3,relaxation=1.5",
     NULL,
     1,
     SWEEPS,
     {{2.288, 4.285, 6.402}, {4.344, 4.984, 5.222}}},
    {"subadmm, two threads",
     "subadmm:tolerance=0,beta=0.3,relaxation=1.5",
     NULL,
     2,
     SWEEPS,
     {{2.288, 4.285, 6.402}, {4.344, 4.984, 5.222}}},
    {"subadmm as printed",
     "subadmm:tolerance=0,weights=trace",
     NULL,
     1,
     SWEEPS,
     {{2.288, 4.285, 6.402}, {4.344, 4.984, 5.222}}},
};

enum { CONTENDERS = sizeof stir / sizeof stir[0] };
_Static_assert(sizeof stir == sizeof cable, "one table for both scenes");

// ---- a solver with a clock around it ---------------------------------------------------------------------------------------

// The bench alone has state between calls: what is timed, and the clock.
static const CairnSolver *timed;
static double spent, fastest;

static double clock_of(int threads) {
    return threads > 1 ? cairn_timer_now() : bench_cpu_now();
}

static CairnStatus solve_timed(const CairnProblem *problem, const CairnParts *parts, const void *options,
                               CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    double start = clock_of(context->thread_count);
    CairnStatus status = timed->solve(problem, parts, options, context, lambda, report);
    double took = clock_of(context->thread_count) - start;
    spent += took;
    fastest = fmin(fastest, took);
    return status;
}

typedef struct Mean {
    double time, accuracy; // ms; NAN: it failed
    int steps;
} Mean;

typedef struct Run {
    Mean all, most; // of all steps, and of the span's
    double fastest;
    int breaks; // steps in which the scene's check broke
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
                             const char *value, int threads) {
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
    def.thread_count = threads;
    CAIRN_TRY(cairn_world_create(&def, &stage->run.world));
    return friction ? cairn_world_set(stage->run.world, "friction", friction) : cairn_ok();
}

static void add(Mean *mean, double time, double accuracy) {
    mean->time += 1e3 * time;
    mean->accuracy += accuracy;
    mean->steps++;
}

static void divide(Mean *mean, bool is_valid) {
    mean->time = is_valid && mean->steps > 0 ? mean->time / mean->steps : (double)NAN;
    mean->accuracy = is_valid && mean->steps > 0 ? mean->accuracy / mean->steps : (double)NAN;
}

// The scene's check is not run in the few steps of a probe.
static CairnStatus play_step(Stage *stage, const CairnScene *scene, Span span, int number, Run *run) {
    CairnStats stats;
    double before = spent;
    CAIRN_TRY(scene->script(&stage->run, cairn_world_time(stage->run.world)));
    CAIRN_TRY(cairn_world_step(stage->run.world, scene->step, &stats));
    CairnStatus check = scene->check(&stage->run, stats.time, &stats);
    run->breaks += span.steps > PROBES && !cairn_is_ok(check);
    if (run->breaks * RARELY > span.steps) {
        return check;
    }
    double accuracy = -log10(fmax(stats.residual.fb, 1e-16));
    add(&run->all, spent - before, accuracy);
    if (number >= span.first && number < span.end) {
        add(&run->most, spent - before, accuracy);
    }
    return cairn_ok();
}

static CairnStatus play(Stage *stage, const CairnScene *scene, const char *solver, Span span, Run *run) {
    CairnChoice choice;
    CAIRN_TRY(cairn_choice_open(solver, "bench", &choice));
    CairnSolver clocked = *choice.solver;
    timed = choice.solver;
    clocked.solve = solve_timed;
    spent = 0;
    fastest = HUGE_VAL;
    CairnStatus status = cairn_world_set_solver(stage->run.world, &clocked, choice.options);
    status = cairn_is_ok(status) ? scene->build(&stage->run) : status;
    for (int i = 0; i < span.steps && cairn_is_ok(status); i++) {
        status = play_step(stage, scene, span, i, run);
    }
    run->fastest = 1e3 * fastest;
    cairn_world_destroy(stage->run.world); // while its solver is there
    stage->run.world = NULL;
    cairn_choice_close(&choice);
    return status;
}

static Run measure(const char *name, const Contender *contender, const char *solver, const char *param,
                   const char *value, Span span) {
    const CairnScene *scene;
    Stage stage = {0};
    Run run = {0};
    CairnStatus status = cairn_scene_find(name, &scene);
    status =
        cairn_is_ok(status) ? set_stage(&stage, scene, contender->friction, param, value, contender->threads) : status;
    status = cairn_is_ok(status) ? play(&stage, scene, solver, span, &run) : status;
    divide(&run.all, cairn_is_ok(status));
    divide(&run.most, cairn_is_ok(status));
    run.fastest = cairn_is_ok(status) ? run.fastest : (double)NAN;
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

static bool is_wanted(const char *scene, const char *label) {
    const char *only = getenv("BENCH_ONLY");
    char whole[128], wanted[128];
    snprintf(whole, sizeof whole, "%s %s", scene, label);
    snprintf(wanted, sizeof wanted, "%s", only ? only : "");
    bool is_found = only == NULL;
    for (char *text = strtok(wanted, ","); text; text = strtok(NULL, ",")) {
        is_found = is_found || strstr(whole, text) != NULL;
    }
    return is_found;
}

static void print_line(FILE *file, const Contender *contender, int k, const Run *run, const Run *baseline) {
    fprintf(file, "%-22s %-10d", k == 0 ? contender->label : "", contender->iterations[k]);
    print_number(file, run->all.time, 8, 3);
    print_number(file, contender->published.time[k], 8, 3);
    print_number(file, run->all.accuracy, 8, 3);
    print_number(file, contender->published.accuracy[k], 8, 3);
    print_number(file, baseline->all.time / run->all.time, 9, 2);
    print_number(file, run->most.time, 10, 3);
    print_number(file, run->most.accuracy, 8, 3);
    print_number(file, baseline->most.time / run->most.time, 9, 2);
    if (isfinite(run->all.time) && run->breaks > 0) {
        fprintf(file, "  check broke in %d", run->breaks);
    }
    fprintf(file, "\n");
    fflush(file);
}

static void print_number_json(FILE *json, const char *name, double x) {
    fprintf(json, isfinite(x) ? ", \"%s\": %.6g" : ", \"%s\": null", name, x);
}

static void print_json(FILE *json, const char *scene, const char *solver, int threads, const Run *run, bool is_first) {
    fprintf(json, "%s{\"scene\": \"%s\", \"solver\": \"%s\", \"threads\": %d, \"breaks\": %d", is_first ? "" : ", ",
            scene, solver, threads, run->breaks);
    print_number_json(json, "AT", run->all.time);
    print_number_json(json, "AA", run->all.accuracy);
    print_number_json(json, "AT_most", run->most.time);
    print_number_json(json, "AA_most", run->most.accuracy);
    fprintf(json, "}");
}

static void table(FILE *file, FILE *json, const char *scene, const Contender *contenders, Span span) {
    Run runs[CONTENDERS][ROUNDS] = {0};
    bool is_first = true;
    fprintf(file, "%s: %d steps. AT: ms a solve; AA: -log10 of Fischer-Burmeister; behind: of steps %d to %d\n", scene,
            span.steps, span.first, span.end);
    fprintf(file, "%-22s %-10s %8s %8s %8s %8s %9s %10s %8s %9s\n", "", "iterations", "AT", "S2: AT", "AA", "S2: AA",
            "pgs-cg/", "AT", "AA", "pgs-cg/");
    for (int c = 0; c < CONTENDERS; c++) {
        for (int k = 0; k < ROUNDS && is_wanted(scene, contenders[c].label); k++) {
            char solver[160];
            snprintf(solver, sizeof solver, "%s%citerations=%d", contenders[c].solver,
                     strchr(contenders[c].solver, ':') ? ',' : ':', contenders[c].iterations[k]);
            Run run = runs[c][k] = measure(scene, &contenders[c], solver, NULL, NULL, span);
            print_line(file, &contenders[c], k, &run, &runs[0][k]);
            if (json) {
                print_json(json, scene, solver, contenders[c].threads, &run, is_first);
                is_first = false;
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

// Sizes take turns, and the least time of each counts: a machine that turns slower for a while would bend the line.
static double figure(FILE *file, const char *scene, const char *param, const int *sizes) {
    static const Contender alone = {.threads = 1};
    double x[POINTS], y[POINTS];
    if (!is_wanted(scene, "figure 2")) {
        return 0;
    }
    for (int turn = 0; turn < TURNS; turn++) {
        for (int i = 0; i < POINTS; i++) {
            char value[16], solver[96];
            snprintf(value, sizeof value, "%d", sizes[i]);
            snprintf(solver, sizeof solver, "subadmm:iterations=60,tolerance=0,beta=0.3");
            double took = measure(scene, &alone, solver, param, value, (Span){PROBES, 0, PROBES}).fastest;
            x[i] = sizes[i];
            y[i] = turn > 0 ? fmin(y[i], took) : took;
        }
    }
    fprintf(file, "%s, 60 iterations, by %s:", scene, param);
    for (int i = 0; i < POINTS; i++) {
        fprintf(file, " %d %.3f ms", sizes[i], y[i]);
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
    table(file, json, "stir", stir, stir_span);
    if (json) {
        fprintf(json, "], \"cable_winding\": [");
    }
    table(file, json, "cable_winding", cable, cable_span);
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
