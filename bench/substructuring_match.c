#include "bench/substructuring_match.h"

#include "bench/bench.h"
#include "demos/scenes/scenes.h"
#include "engine/base/arena.h"
#include "engine/base/memory.h"
#include "engine/base/timer.h"
#include "solvers/exact/bpp.h"
#include "solvers/problem/graph.h"
#include "solvers/schur/schur.h"
#include <cairn/cairn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<suitesparse/cholmod.h>)
#include "solvers/cholmod/bpp_cholmod.h"
#endif

enum { OPTION_BYTES = 256, CONDITIONS = 3, REPEATS = 3 };

static const double long_enough = 0.1; // seconds after which a solve is not repeated
static const double crowded = 0.5;     // of several threads: they wait for each other's turns

typedef struct Entry {
    const CairnSolver *solver; // NULL: not in this build
    double options[OPTION_BYTES / sizeof(double)];
    void *memory;
} Entry;

// A solver has no user pointer: one match at a time.
static struct {
    const MatchContender *contenders;
    MatchResult *result;
    Entry entries[MATCH_MOST];
    int count, conditions;
    bool is_wanted; // measure the next problem
    bool wants_condition;
    bool has_failed;
    CairnAllocator allocator;
    CairnArena arena;
} match;

static const CairnSolver *find_solver(const char *name) {
    const CairnSolver *solver = NULL;
#if __has_include(<suitesparse/cholmod.h>)
    if (strcmp(name, "bpp-cholmod") == 0) {
        return &cairn_solver_bpp_cholmod;
    }
#endif
    return cairn_is_ok(cairn_solver_find(name, &solver)) ? solver : NULL;
}

static bool open_entry(const MatchContender *contender, Entry *entry) {
    *entry = (Entry){.solver = find_solver(contender->solver)};
    if (entry->solver == NULL) {
        return true;
    }
    if (entry->solver->options->size > OPTION_BYTES) {
        return false;
    }
    cairn_fields_preset(entry->solver->options, entry->options);
    return cairn_is_ok(cairn_fields_parse(entry->solver->options, entry->options, contender->options));
}

// ---- parts ---------------------------------------------------------------------------------------------------------------

static bool has_labels(const CairnGraph *graph) {
    for (int i = 0; i < graph->node_count; i++) {
        if (graph->node_group[i] < 0) {
            return false;
        }
    }
    return true;
}

static CairnStatus set_size(const CairnFieldTable *table, double *options, int part_size) {
    char text[16];
    snprintf(text, sizeof text, "%d", part_size);
    if (table != NULL) {
        cairn_fields_preset(table, options);
    }
    for (int i = 0; table != NULL && i < table->count; i++) {
        if (strcmp(table->fields[i].name, "part_size") == 0) {
            return cairn_fields_set(table, options, "part_size", text);
        }
    }
    return cairn_ok();
}

static CairnStatus compute_parts(const CairnProblem *problem, const MatchContender *contender, CairnParts *parts,
                                 CairnPartsMeasure *measure, double *time) {
    const CairnPartitioner *partitioner;
    const CairnRefiner *refiner;
    double options[OPTION_BYTES / sizeof(double)], refining[OPTION_BYTES / sizeof(double)];
    CairnGraph graph;
    int *part = CAIRN_PUSH_ZERO(&match.arena, int, problem->block_count + 1);
    if (part == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "bench: no memory");
    }
    CAIRN_TRY(cairn_problem_graph(problem, &match.arena, &graph));
    const char *name = contender->partitioner != NULL ? contender->partitioner : "mindp";
    name = strcmp(name, "semantic") == 0 && !has_labels(&graph) ? "mindp" : name;
    CAIRN_TRY(cairn_partitioner_find(name, &partitioner));
    CAIRN_TRY(cairn_refiner_find(contender->refiner != NULL ? contender->refiner : "none", &refiner));
    CAIRN_TRY(set_size(partitioner->options, options, contender->part_size));
    CAIRN_TRY(set_size(refiner->options, refining, contender->part_size));
    *time = (double)INFINITY;
    for (int k = 0; k < REPEATS; k++) {
        *parts = (CairnParts){0, part};
        memset(part, -1, (size_t)problem->block_count * sizeof *part);
        double t0 = bench_cpu_now();
        CAIRN_TRY(partitioner->partition(&graph, options, &match.allocator, part, &parts->count));
        CAIRN_TRY(refiner->refine(&graph, refining, &match.allocator, part, &parts->count));
        *time = fmin(*time, bench_cpu_now() - t0);
    }
    return cairn_parts_measure(&graph, parts, &match.allocator, NULL, measure);
}

// ---- one frame -----------------------------------------------------------------------------------------------------------

static CairnStatus measure_one(const CairnProblem *problem, const MatchContender *contender, Entry *entry,
                               MatchSums *sums, const double *warm) {
    CairnParts parts;
    CairnPartsMeasure measure;
    CairnResidual residual;
    CairnSolveResult result;
    double *lambda = CAIRN_PUSH(&match.arena, double, problem->row_count + 1), partition_time;
    if (lambda == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "bench: no memory");
    }
    CAIRN_TRY(compute_parts(problem, contender, &parts, &measure, &partition_time));
    double least = (double)INFINITY, spent = 0;
    for (int k = 0; k < REPEATS && spent < long_enough; k++) {
        memset(lambda, 0, (size_t)problem->row_count * sizeof *lambda);
        if (!contender->starts_empty) {
            memcpy(lambda, warm, (size_t)problem->row_count * sizeof *lambda);
        }
        CairnSolveRequest request = {.solver = entry->solver,
                                     .options = entry->options,
                                     .parts = &parts,
                                     .allocator = &match.allocator,
                                     .thread_count = contender->threads,
                                     .arena = &match.arena,
                                     .memory = &entry->memory};
        double (*now)(void) = contender->threads > 1 ? cairn_timer_now : bench_cpu_now, t0 = now();
        CairnStatus status = cairn_problem_solve(problem, &request, lambda, &result);
        double time = now() - t0;
        CAIRN_TRY(status);
        least = fmin(least, time);
        spent += time;
    }
    CAIRN_TRY(cairn_residual(problem, lambda, NULL, &residual));
    sums->is_crowded = sums->is_crowded || (contender->threads > 1 && least > crowded);
    sums->frames++;
    sums->time += least;
    sums->partition_time += partition_time;
    sums->certified += residual.is_certified;
    sums->coupling += result.report.coupling;
    sums->limits += result.report.coupling > 0 && result.report.outcome == CAIRN_OUTCOME_AT_LIMIT;
    sums->fallbacks += result.report.fallback > 0;
    sums->parts += parts.count;
    sums->cut += measure.cut_rows;
    return cairn_ok();
}

static CairnStatus measure_all(const CairnProblem *problem, const double *warm) {
    for (int i = 0; i < match.count; i++) {
        if (match.entries[i].solver != NULL && !match.result->sums[i].is_crowded) {
            CairnArenaMark mark = cairn_arena_mark(&match.arena);
            CairnStatus status =
                measure_one(problem, &match.contenders[i], &match.entries[i], &match.result->sums[i], warm);
            cairn_arena_release(&match.arena, mark);
            CAIRN_TRY(status);
        }
    }
    match.result->rows = problem->row_count > match.result->rows ? problem->row_count : match.result->rows;
    return cairn_ok();
}

// cond(S) at the driver's answer, for parts of 16.
static CairnStatus measure_condition(const CairnProblem *problem, const double *lambda) {
    static const MatchContender usual = {.part_size = 16};
    CairnParts parts;
    CairnPartsMeasure measure;
    double condition = 0, time;
    CairnSolverContext context = {.allocator = &match.allocator, .thread_count = 1, .arena = &match.arena};
    CAIRN_TRY(compute_parts(problem, &usual, &parts, &measure, &time));
    CAIRN_TRY(cairn_schur_condition(problem, &parts, lambda, &context, &condition));
    match.result->condition += condition;
    match.conditions++;
    return cairn_ok();
}

static CairnStatus drive(const CairnProblem *problem, const CairnParts *parts, const void *options,
                         CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    bool is_wanted = match.is_wanted && problem->row_count > 0;
    if (is_wanted) {
        match.is_wanted = false;
        CairnStatus status = measure_all(problem, lambda);
        if (!cairn_is_ok(status)) {
            fprintf(stderr, "bench: %s\n", status.message);
            match.has_failed = true;
        }
    }
    CAIRN_TRY(cairn_solver_bpp.solve(problem, parts, options, context, lambda, report));
    if (is_wanted && match.wants_condition && match.conditions < CONDITIONS) {
        CairnArenaMark mark = cairn_arena_mark(&match.arena);
        (void)measure_condition(problem, lambda); // S may be singular: then there is none
        cairn_arena_release(&match.arena, mark);
    }
    return cairn_ok();
}

// ---- a scene -------------------------------------------------------------------------------------------------------------

static CairnStatus run_scene(CairnSceneRun *run, const CairnScene *scene, const MatchScene *wanted) {
    CairnWorldDef def = cairn_world_def();
    CairnSolver driver = cairn_solver_bpp;
    driver.name = "driver";
    driver.solve = drive;
    cairn_fields_preset(&scene->params, (void *)(uintptr_t)run->params);
    if (wanted->params != NULL) {
        CAIRN_TRY(cairn_fields_parse(&scene->params, (void *)(uintptr_t)run->params, wanted->params));
    }
    if (scene->settings != NULL) {
        scene->settings(run->params, &def);
    }
    CAIRN_TRY(cairn_world_create(&def, &run->world));
    CAIRN_TRY(cairn_world_set_solver(run->world, &driver, NULL));
    CAIRN_TRY(scene->build(run));
    int steps = wanted->steps > 0 ? wanted->steps : scene->steps;
    int stride = steps / wanted->frames > 0 ? steps / wanted->frames : 1;
    for (int i = 0; i < steps; i++) {
        if (scene->script != NULL) {
            CAIRN_TRY(scene->script(run, cairn_world_time(run->world)));
        }
        match.is_wanted = i % stride == stride - 1;
        CAIRN_TRY(cairn_world_step(run->world, scene->step, NULL));
    }
    return cairn_ok();
}

bool match_play(const MatchScene *wanted, const MatchContender *contenders, int count, MatchResult *result) {
    const CairnScene *scene;
    if (!cairn_is_ok(cairn_scene_find(wanted->name, &scene)) || count > MATCH_MOST) {
        return false;
    }
    memset(&match, 0, sizeof match);
    *result = (MatchResult){.rows = 0};
    match.contenders = contenders;
    match.result = result;
    match.count = count;
    match.wants_condition = wanted->wants_condition;
    match.allocator = cairn_memory_default();
    cairn_arena_init(&match.arena, &match.allocator);
    bool is_done = true;
    for (int i = 0; i < count; i++) {
        is_done = open_entry(&contenders[i], &match.entries[i]) && is_done;
        result->sums[i].is_there = match.entries[i].solver != NULL;
    }
    void *params = calloc(1, scene->params.size + 1), *memory = calloc(1, scene->memory_size + 1);
    CairnSceneRun run = {.params = params, .memory = memory, .seed = 1};
    CairnStatus status = cairn_ok();
    if (is_done && params != NULL && memory != NULL) {
        status = run_scene(&run, scene, wanted);
    }
    if (!cairn_is_ok(status)) {
        fprintf(stderr, "bench: %s: %s\n", wanted->name, status.message);
    }
    is_done = is_done && params != NULL && memory != NULL && cairn_is_ok(status) && !match.has_failed;
    cairn_world_destroy(run.world);
    free(params);
    free(memory);
    for (int i = 0; i < count; i++) {
        if (match.entries[i].memory != NULL) {
            match.entries[i].solver->forget(match.entries[i].memory, &match.allocator);
        }
    }
    cairn_arena_free(&match.arena);
    result->condition /= fmax(1, match.conditions);
    return is_done;
}

double match_time(const MatchSums *sums) {
    return sums->frames > 0 ? 1e3 * sums->time / sums->frames : 0;
}
