// Exact solves of whole systems: every formulation beside CHOLMOD in constraint space, on the frames of a log tower, at
// rest and struck, and of a rock pile that have the most contacts; chains of any length; and what other engines do with
// the same tower and chain.
//
// A case is timed as a step would run it: from the problem to impulses, order and symbolic factor included (nothing is
// kept from one solve to the next, so a frame whose contact graph stands is faster than this). Cases run in turns, and
// the fastest pass of each counts. Work on one thread is timed by the processor's time that it took, which a busy
// machine disturbs less; on two by the clock on the wall. The rivals' BLAS is OpenBLAS on one thread.
#include "bench/bench.h"
#include "bench/exact_frame.h"
#include "bench/exact_sections.h"
#include "demos/scenes/scenes.h"
#include "engine/base/memory.h"
#include "engine/base/timer.h"
#include "solvers/exact/bpp.h"
#include "solvers/exact/ipm.h"
#include <cairn/solve.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<suitesparse/cholmod.h>)
#include "solvers/cholmod/bpp_cholmod.h"
#define RIVAL(name, options_, start) {name, &cairn_solver_bpp_cholmod, options_, start, true},
#else
#define RIVAL(name, options, start)
#endif

typedef enum Start { COLD, WARM } Start;

typedef struct Solve {
    const char *name;
    const CairnSolver *solver;
    const char *options;
    Start start;
    bool is_rival;
} Solve;

static const Solve solves[] = {
    {"bpp body", &cairn_solver_bpp, "formulation=body", WARM, false},
    {"bpp kkt", &cairn_solver_bpp, "formulation=kkt", WARM, false},
    {"bpp constraint", &cairn_solver_bpp, "formulation=constraint", WARM, false},
    RIVAL("bpp-cholmod simplicial", "method=simplicial", WARM)
        RIVAL("bpp-cholmod simplicial once", "method=simplicial,symbolic=once", WARM)
            RIVAL("bpp-cholmod supernodal", "method=supernodal", WARM)
                RIVAL("bpp-cholmod supernodal once", "method=supernodal,symbolic=once",
                      WARM){"bpp body", &cairn_solver_bpp, "formulation=body", COLD, false},
    {"bpp kkt", &cairn_solver_bpp, "formulation=kkt", COLD, false},
    {"bpp constraint", &cairn_solver_bpp, "formulation=constraint", COLD, false},
    {"ipm body", &cairn_solver_ipm, "formulation=body", COLD, false},
    {"ipm kkt", &cairn_solver_ipm, "formulation=kkt", COLD, false},
    {"ipm constraint", &cairn_solver_ipm, "formulation=constraint", COLD, false},
    {"bpp body faithful", &cairn_solver_bpp, "formulation=body,faithful=true,warm=false", COLD, false},
    RIVAL("bpp-cholmod simplicial", "method=simplicial", COLD)
        RIVAL("bpp-cholmod supernodal", "method=supernodal", COLD)
            RIVAL("bpp-cholmod simpl. faithful", "method=simplicial,faithful=true", COLD)
                RIVAL("bpp-cholmod super. faithful", "method=supernodal,faithful=true", COLD)};

enum { SOLVES = sizeof solves / sizeof solves[0], PASSES = 3, THREADS = 2 };

typedef struct Outcome {
    double seconds[THREADS]; // fastest; infinite: not run
    CairnSolveReport report;
    CairnResidual residual;
    bool is_same; // the same bits on two threads
} Outcome;

static bool solve_once(const Solve *solve, int threads, const CairnStoredProblem *frame, CairnArena *arena,
                       double *lambda, Outcome *outcome) {
    union {
        double align;
        char bytes[256];
    } chosen;
    cairn_fields_preset(solve->solver->options, &chosen);
    if (!cairn_is_ok(cairn_fields_parse(solve->solver->options, &chosen, solve->options))) {
        return false;
    }
    size_t size = (size_t)frame->problem.row_count * sizeof *lambda;
    if (solve->start == WARM) {
        memcpy(lambda, frame->start.lambda, size);
    } else {
        memset(lambda, 0, size);
    }
    CairnSolveRequest request = {.solver = solve->solver, .options = &chosen, .thread_count = threads, .arena = arena};
    CairnSolveResult result;
    cairn_arena_reset(arena);
    double (*now)(void) = threads == 1 ? bench_cpu_now : cairn_timer_now;
    double start = now();
    CairnStatus status = cairn_problem_solve(&frame->problem, &request, lambda, &result);
    double seconds = now() - start;
    outcome->report = result.report;
    outcome->seconds[threads - 1] = fmin(outcome->seconds[threads - 1], seconds);
    return cairn_is_ok(status);
}

static bool run_solves(const CairnStoredProblem *frame, Outcome *outcomes) {
    CairnAllocator allocator = cairn_memory_default();
    CairnArena arena;
    cairn_arena_init(&arena, &allocator);
    size_t size = (size_t)frame->problem.row_count * sizeof(double);
    double *lambda = malloc(size), *other = malloc(size);
    bool is_done = lambda != NULL && other != NULL;
    for (int k = 0; k < SOLVES; k++) {
        outcomes[k] = (Outcome){.seconds = {HUGE_VAL, HUGE_VAL}};
    }
    for (int pass = 0; pass < PASSES && is_done; pass++) {
        for (int k = 0; k < SOLVES && is_done; k++) {
            Outcome *outcome = &outcomes[k];
            is_done = solve_once(&solves[k], 1, frame, &arena, lambda, outcome);
            if (!solves[k].is_rival && is_done) {
                is_done = solve_once(&solves[k], 2, frame, &arena, other, outcome);
                outcome->is_same = memcmp(lambda, other, size) == 0;
            }
            if (pass == 0 && is_done) {
                is_done = cairn_is_ok(cairn_residual(&frame->problem, lambda, NULL, &outcome->residual));
            }
        }
    }
    free(lambda);
    free(other);
    cairn_arena_free(&arena);
    return is_done;
}

// The time of the fastest rival with the same start and the same setting of `faithful`; 0 where there is none.
static double rival_of(const Outcome *outcomes, int k) {
    double fastest = HUGE_VAL;
    bool is_faithful = strstr(solves[k].options, "faithful") != NULL;
    for (int i = 0; i < SOLVES; i++) {
        bool is_like =
            solves[i].start == solves[k].start && is_faithful == (strstr(solves[i].options, "faithful") != NULL);
        fastest = solves[i].is_rival && is_like ? fmin(fastest, outcomes[i].seconds[0]) : fastest;
    }
    return isinf(fastest) ? 0 : fastest;
}

static void print_solves(const Outcome *outcomes, FILE *file, FILE *json) {
    fprintf(file, "    %-28s %-5s %7s %7s %9s %9s %10s %5s %7s\n", "whole solve", "start", "pivots", "factors",
            "ms, 1 thr", "ms, 2 thr", "resid/lim", "cert", "rival/t");
    fprintf(json, "        \"solves\": [\n");
    for (int k = 0; k < SOLVES; k++) {
        const Outcome *o = &outcomes[k];
        double best = fmin(o->seconds[0], o->seconds[1]), ratio = rival_of(outcomes, k) / o->seconds[0];
        double residual = o->residual.scaled / o->residual.limit;
        const char *start = solves[k].start == WARM ? "warm" : "cold";
        fprintf(file, "    %-28s %-5s %7d %7d %9.3f ", solves[k].name, start, o->report.iterations,
                o->report.factorizations, 1e3 * o->seconds[0]);
        if (isinf(o->seconds[1])) {
            fprintf(file, "%9s ", "");
        } else {
            fprintf(file, "%9.3f ", 1e3 * o->seconds[1]);
        }
        fprintf(file, "%10.1e %5s", residual, o->residual.is_certified ? "yes" : "no");
        if (ratio > 0) {
            fprintf(file, " %7.2f", ratio);
        }
        fprintf(file, "%s%s\n", o->report.fallback ? "  (ipm ended it)" : "",
                isinf(o->seconds[1]) || o->is_same ? "" : "  TWO THREADS GIVE OTHER BITS");
        fprintf(
            json,
            "          { \"name\": \"%s\", \"options\": \"%s\", \"start\": \"%s\", \"pivots\": %d, \"factorizations\": "
            "%d, "
            "\"time_ms\": %.6g, \"best_ms\": %.6g, \"residual_over_limit\": %.6g, \"certified\": %s, \"fallback\": %d, "
            "\"rival_over_this\": %.6g }%s\n",
            solves[k].name, solves[k].options, start, o->report.iterations, o->report.factorizations,
            1e3 * o->seconds[0], 1e3 * best, residual, o->residual.is_certified ? "true" : "false", o->report.fallback,
            ratio, k + 1 < SOLVES ? "," : "");
    }
    fprintf(json, "        ]");
}

// The built-in scene of that name where there is one, else the rig.
typedef struct Source {
    const char *scene, *params;
    int steps;
    bool (*make_rig)(BenchRig *rig);
} Source;

static bool make_pile(BenchRig *rig) {
    return bench_rig_pile(rig, 300);
}

static const Source sources[] = {{"log_tower", "logs=160,speed=0", 60, bench_rig_tower}, // at rest
                                 {"log_tower", "logs=160", 360, bench_rig_tower},
                                 {"rock_pile", "rocks=300", 360, make_pile}};

static bool record(const Source *source, CairnStoredProblem *frame, int *at) {
    const CairnScene *scene;
    if (cairn_is_ok(cairn_scene_find(source->scene, &scene))) {
        return bench_record_scene(scene, source->params, source->steps, frame, at);
    }
    BenchRig rig;
    bool is_done = source->make_rig(&rig) && bench_record_frame(&rig, source->steps, frame, at);
    bench_rig_free(&rig);
    return is_done;
}

static bool bench_frame(const Source *source, double dgemm, FILE *file, FILE *json) {
    CairnStoredProblem frame;
    int at;
    if (!record(source, &frame, &at)) {
        return false;
    }
    const CairnProblem *p = &frame.problem;
    fprintf(file, "  %s (%s), solve %d: %d bodies, %d contacts, %d rows, %d dofs\n", source->scene, source->params, at,
            p->block_count, p->friction_count, p->row_count, p->dof_count);
    fprintf(json, "      { \"name\": \"%s\", \"params\": \"%s\", \"rows\": %d, \"dofs\": %d, \"contacts\": %d,\n",
            source->scene, source->params, p->row_count, p->dof_count, p->friction_count);
    Outcome outcomes[SOLVES];
    bool is_done = bench_exact_factors(&frame, dgemm, file, json) && run_solves(&frame, outcomes);
    if (is_done) {
        print_solves(outcomes, file, json);
        fprintf(json, " }");
    }
    cairn_stored_problem_free(&frame);
    fflush(file);
    return is_done;
}

static bool report(FILE *file, FILE *json) {
    double dgemm = bench_dgemm();
    if (dgemm > 0) {
        fprintf(file, "  dgemm of OpenBLAS, one thread, 600 x 600: %.1f Gflop/s\n", dgemm);
    } else {
        fprintf(file, "  OpenBLAS is not installed (tools/deps): no dgemm to compare with.\n");
    }
#if !__has_include(<suitesparse/cholmod.h>)
    fprintf(file, "  CHOLMOD is not installed (tools/deps): no bpp-cholmod to compare with.\n");
#endif
    fprintf(json, "    { \"name\": \"exact\", \"dgemm_gflops\": %.6g, \"frames\": [\n", dgemm);
    bool is_done = true;
    for (size_t i = 0; i < sizeof sources / sizeof *sources && is_done; i++) {
        fprintf(json, "%s", i > 0 ? ",\n" : "");
        is_done = bench_frame(&sources[i], dgemm, file, json);
    }
    fprintf(json, "\n      ],\n");
    is_done = is_done && bench_exact_chains(file, json);
    fprintf(json, ",\n");
    is_done = is_done && bench_exact_engines(file, json);
    fprintf(json, " }");
    return is_done;
}

const BenchSuite bench_exact = {
    .name = "exact", .summary = "exact solves of whole systems, beside CHOLMOD, ODE and MuJoCo", .report = report};
