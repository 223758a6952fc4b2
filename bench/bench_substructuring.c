// Substructured solvers beside whole-system ones on the scenes of S0: tables 2, 3 and 4 with what the paper prints beside our own.
//
// One bpp drives a scene; at frames spread over it every solver gets the same problem, the same warm start and the same parts (mindp,
// 16 bodies, for all scenes: the paper has its own parts by hand for some). The baseline is the paper's Eigen-BPP: bpp-cholmod
// simplicial, faithful: constraint space, cold, analysed and factored at each pivot, one thread. `ratio`: its mean time over another's.
#include "bench/bench.h"

#include "demos/scenes/scenes.h"
#include "engine/base/arena.h"
#include "engine/base/memory.h"
#include "engine/base/timer.h"
#include "solvers/bpp.h"
#include "solvers/graph.h"
#include "solvers/schur.h"
#include <cairn/cairn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<suitesparse/cholmod.h>)
#include "solvers/cholmod/bpp_cholmod.h"
#endif

enum { FRAMES = 8, CONDITIONS = 3, OPTION_BYTES = 256 };

// Of the paper: ms, and table 3's k and share of frames at k_max (%), table 2's condition. 0: not printed.
typedef struct Paper {
    const char *scene;
    double eigen, pgs, bpp, sm, fbic, k, limit, condition;
} Paper;

static const Paper papers[] = {
    {"log_tower", 202.6, 302.4, 59.7, 51.4, 111.6, 5.8, 39.2, 2.2e6},
    {"cable_spinner", 141.3, 229.1, 8.7, 8.8, 93.2, 2.1, 0, 3.9e7},
    {"chain_wrap", 54.6, 198.5, 11.6, 12.3, 132, 4.4, 1.9, 5.6e4},
    {"chain_drop", 46.9, 150.5, 9.1, 8.7, 20.5, 3.2, 2.1, 2.7e4},
    {"rock_pile", 311.7, 284.4, 101.5, 98.6, 373.9, 6.3, 10.2, 1.5e4},
    {"box_tower", 0, 0, 0, 0, 0, 0, 0, 0},
    {"pendulum_chain", 0, 0, 0, 0, 0, 0, 0, 0},
};

typedef struct Contender {
    const char *label, *solver, *options;
    int threads, part_size;
    size_t column;     // of Paper; 0: none
    bool starts_empty; // as the paper does, where it is not warm
} Contender;

#define COLUMN(member) offsetof(Paper, member)

static const Contender contenders[] = {
    {"bpp-cholmod faithful", "bpp-cholmod", "method=simplicial,faithful=true", 1, 16, COLUMN(eigen), true},
    {"bpp", "bpp", "", 1, 16, 0, false},
    {"bpp, 2 threads", "bpp", "", 2, 16, 0, false},
    {"schur-bpp", "schur-bpp", "", 1, 16, 0, false},
    {"schur-bpp, 2 threads", "schur-bpp", "", 2, 16, 0, false},
    {"schur-bpp faithful", "schur-bpp", "faithful=true,warm=false", 1, 16, COLUMN(bpp), false},
    {"schur-bpp faithful, 2 threads", "schur-bpp", "faithful=true,warm=false", 2, 16, COLUMN(bpp), false},
    {"schur-pgs-sm", "schur-pgs-sm", "", 1, 16, 0, false},
    {"schur-pgs-sm faithful, 2 threads", "schur-pgs-sm", "faithful=true,warm=false", 2, 16, COLUMN(sm), false},
    {"fbic faithful, 2 threads", "fbic", "faithful=true", 2, 16, COLUMN(fbic), false},
    {"pgs", "pgs", "iterations=1000,tolerance=1e-9", 1, 16, COLUMN(pgs), false},
};

// Table 4: log tower and rock pile.
static const Contender sizes[] = {
    {"8", "schur-bpp", "", 2, 8, 0, false},
    {"16", "schur-bpp", "", 2, 16, 0, false},
    {"32", "schur-bpp", "", 2, 32, 0, false},
    {"64", "schur-bpp", "", 2, 64, 0, false},
    {"8", "schur-bpp", "faithful=true,warm=false", 2, 8, 0, false},
    {"16", "schur-bpp", "faithful=true,warm=false", 2, 16, 0, false},
    {"32", "schur-bpp", "faithful=true,warm=false", 2, 32, 0, false},
    {"64", "schur-bpp", "faithful=true,warm=false", 2, 64, 0, false},
};
static const double published_sizes[2][4] = {{53.4, 51.4, 63.3, 88.8}, {169.1, 98.6, 129.7, 142.7}};

enum {
    CONTENDERS = sizeof contenders / sizeof contenders[0],
    SIZES = sizeof sizes / sizeof sizes[0],
    MOST = CONTENDERS > SIZES ? CONTENDERS : SIZES
};

// ---- one solver's sums ---------------------------------------------------------------------------------------------------

typedef struct Sums {
    int frames, certified, limits, fallbacks;
    double time, coupling, parts;
} Sums;

typedef struct Entry {
    const CairnSolver *solver; // NULL: not in this build
    double options[OPTION_BYTES / sizeof(double)];
    void *memory;
    Sums sums;
} Entry;

static const CairnSolver *find_solver(const char *name) {
    const CairnSolver *solver = NULL;
#if __has_include(<suitesparse/cholmod.h>)
    if (strcmp(name, "bpp-cholmod") == 0) {
        return &cairn_solver_bpp_cholmod;
    }
#endif
    return cairn_is_ok(cairn_solver_find(name, &solver)) ? solver : NULL;
}

static bool open_entry(const Contender *contender, Entry *entry) {
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

// A solver has no user pointer: one comparison at a time.
static struct {
    const Contender *contenders;
    Entry entries[MOST];
    int count;
    bool is_wanted; // measure the next problem
    bool has_failed;
    CairnAllocator allocator;
    CairnArena arena;
    int rows, cut, conditions;
    double condition;
} match;

static CairnStatus find_parts(const CairnProblem *problem, int part_size, CairnParts *parts) {
    const CairnPartitioner *mindp;
    double options[OPTION_BYTES / sizeof(double)];
    char text[16];
    CairnGraph graph;
    int *part = CAIRN_PUSH_ZERO(&match.arena, int, problem->block_count + 1);
    if (part == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "bench: no memory");
    }
    snprintf(text, sizeof text, "%d", part_size);
    CAIRN_TRY(cairn_partitioner_find("mindp", &mindp));
    cairn_fields_preset(mindp->options, options);
    CAIRN_TRY(cairn_fields_set(mindp->options, options, "part_size", text));
    CAIRN_TRY(cairn_problem_graph(problem, &match.arena, &graph));
    *parts = (CairnParts){0, part};
    CAIRN_TRY(mindp->partition(&graph, options, &match.allocator, part, &parts->count));
    CairnPartsMeasure measure;
    CAIRN_TRY(cairn_parts_measure(&graph, parts, &match.allocator, NULL, &measure));
    match.cut = measure.cut_rows;
    return cairn_ok();
}

static CairnStatus measure_one(const CairnProblem *problem, const Contender *contender, Entry *entry,
                               const double *warm) {
    CairnParts parts;
    CairnResidual residual;
    CairnSolveReport report = {0};
    double *lambda = CAIRN_PUSH_ZERO(&match.arena, double, problem->row_count + 1);
    if (lambda == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "bench: no memory");
    }
    if (!contender->starts_empty) {
        memcpy(lambda, warm, (size_t)problem->row_count * sizeof *lambda);
    }
    CAIRN_TRY(find_parts(problem, contender->part_size, &parts));
    CairnSolverContext context = {.allocator = &match.allocator,
                                  .thread_count = contender->threads,
                                  .arena = &match.arena,
                                  .memory = &entry->memory};
    double t0 = cairn_timer_now();
    CAIRN_TRY(entry->solver->solve(problem, &parts, entry->options, &context, lambda, &report));
    double time = cairn_timer_now() - t0;
    CAIRN_TRY(cairn_residual(problem, lambda, NULL, &residual));
    entry->sums.frames++;
    entry->sums.time += time;
    entry->sums.certified += residual.is_certified;
    entry->sums.coupling += report.coupling;
    entry->sums.limits += report.coupling > 0 && report.outcome == CAIRN_AT_LIMIT;
    entry->sums.fallbacks += report.fallback > 0;
    entry->sums.parts += parts.count;
    return cairn_ok();
}

static CairnStatus measure_all(const CairnProblem *problem, const double *warm) {
    for (int i = 0; i < match.count; i++) {
        if (match.entries[i].solver != NULL) {
            CairnArenaMark mark = cairn_arena_mark(&match.arena);
            CairnStatus status = measure_one(problem, &match.contenders[i], &match.entries[i], warm);
            cairn_arena_release(&match.arena, mark);
            CAIRN_TRY(status);
        }
    }
    match.rows = problem->row_count > match.rows ? problem->row_count : match.rows;
    return cairn_ok();
}

// cond(S) at the driver's answer, on a few frames.
static CairnStatus measure_condition(const CairnProblem *problem, const double *lambda) {
    CairnParts parts;
    double condition = 0;
    CairnSolverContext context = {.allocator = &match.allocator, .thread_count = 1, .arena = &match.arena};
    CAIRN_TRY(find_parts(problem, 16, &parts));
    CAIRN_TRY(cairn_schur_condition(problem, &parts, lambda, &context, &condition));
    match.condition += condition;
    match.conditions++;
    return cairn_ok();
}

static CairnStatus drive(const CairnProblem *problem, const CairnParts *parts, const void *options,
                         CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    bool is_wanted = match.is_wanted && problem->row_count > 0;
    if (is_wanted) {
        match.is_wanted = false;
        match.has_failed = match.has_failed || !cairn_is_ok(measure_all(problem, lambda));
    }
    CAIRN_TRY(cairn_solver_bpp.solve(problem, parts, options, context, lambda, report));
    if (is_wanted && match.conditions < CONDITIONS && match.contenders == contenders) {
        CairnArenaMark mark = cairn_arena_mark(&match.arena);
        (void)measure_condition(problem, lambda); // S may be singular: then there is none
        cairn_arena_release(&match.arena, mark);
    }
    return cairn_ok();
}

// ---- scenes --------------------------------------------------------------------------------------------------------------

static CairnStatus run_scene(CairnSceneRun *run, const CairnScene *scene) {
    CairnWorldDef def = cairn_world_def();
    CairnSolver driver = cairn_solver_bpp;
    driver.name = "driver";
    driver.solve = drive;
    cairn_fields_preset(&scene->params, (void *)(uintptr_t)run->params);
    if (scene->settings != NULL) {
        scene->settings(run->params, &def);
    }
    CAIRN_TRY(cairn_world_create(&def, &run->world));
    CAIRN_TRY(cairn_world_set_solver(run->world, &driver, NULL));
    CAIRN_TRY(scene->build(run));
    int stride = scene->steps / FRAMES > 0 ? scene->steps / FRAMES : 1;
    for (int i = 0; i < scene->steps; i++) {
        if (scene->script != NULL) {
            CAIRN_TRY(scene->script(run, cairn_world_time(run->world)));
        }
        match.is_wanted = i % stride == stride - 1;
        CAIRN_TRY(cairn_world_step(run->world, scene->step, NULL));
    }
    return cairn_ok();
}

static bool play(const char *name, const Contender *list, int count) {
    const CairnScene *scene;
    if (!cairn_is_ok(cairn_scene_find(name, &scene))) {
        return false;
    }
    memset(&match, 0, sizeof match);
    match.contenders = list;
    match.count = count;
    match.allocator = cairn_memory_default();
    cairn_arena_init(&match.arena, &match.allocator);
    bool is_done = true;
    for (int i = 0; i < count; i++) {
        is_done = open_entry(&list[i], &match.entries[i]) && is_done;
    }
    void *params = calloc(1, scene->params.size + 1), *memory = calloc(1, scene->memory_size + 1);
    CairnSceneRun run = {.params = params, .memory = memory, .seed = 1};
    is_done = is_done && params != NULL && memory != NULL && cairn_is_ok(run_scene(&run, scene)) && !match.has_failed;
    cairn_world_destroy(run.world);
    free(params);
    free(memory);
    for (int i = 0; i < count; i++) {
        if (match.entries[i].memory != NULL) {
            match.entries[i].solver->forget(match.entries[i].memory, &match.allocator);
        }
    }
    cairn_arena_free(&match.arena);
    return is_done;
}

// ---- tables --------------------------------------------------------------------------------------------------------------

static void print_number(FILE *file, double x, const char *format) {
    if (x > 0) {
        fprintf(file, format, x);
    } else {
        fprintf(file, "%9s", "-");
    }
}

static void print_line(FILE *file, const Paper *paper, const Contender *contender, const Entry *entry) {
    const Sums *s = &entry->sums;
    const Sums *base = &match.entries[0].sums;
    double frames = s->frames > 0 ? s->frames : 1, time = 1e3 * s->time / frames, theirs = 0;
    if (contender->column > 0) {
        memcpy(&theirs, (const char *)paper + contender->column, sizeof theirs);
    }
    if (entry->solver == NULL) {
        return;
    }
    fprintf(file, "  %-33s %9.3f", contender->label, time);
    print_number(file, base->frames > 0 ? 1e3 * base->time / base->frames / time : 0, " %8.2f");
    fprintf(file, " %7.2f %7.1f %9.1f %9.1f |", s->coupling / frames, 100 * s->limits / frames,
            100 * s->fallbacks / frames, 100 * s->certified / frames);
    print_number(file, theirs, "%9.1f");
    print_number(file, theirs > 0 ? paper->eigen / theirs : 0, "%9.1f");
    fprintf(file, "\n");
}

static void print_scene(FILE *file, FILE *json, const Paper *paper, bool is_first) {
    fprintf(file, "\n%s: %d frames, up to %d rows, %d of them between %.0f parts in the last\n", paper->scene,
            match.entries[1].sums.frames, match.rows, match.cut,
            match.entries[1].sums.parts / fmax(1, match.entries[1].sums.frames));
    fprintf(file, "  cond(S): %.1e", match.condition / fmax(1, match.conditions));
    if (paper->condition > 0) {
        fprintf(file, "; S0 table 2: %.1e; table 3: k %.1f, %.1f %% at k_max", paper->condition, paper->k,
                paper->limit);
    }
    fprintf(file, "\n  %-33s %9s %8s %7s %7s %9s %9s |%9s%9s\n", "", "mean, ms", "ratio", "k", "k_max %", "handed %",
            "certif. %", "S0, ms", "ratio");
    fprintf(json, "%s    { \"scene\": \"%s\", \"condition\": %.6g, \"solvers\": [", is_first ? "" : ",\n", paper->scene,
            match.condition / fmax(1, match.conditions));
    for (int i = 0; i < CONTENDERS; i++) {
        const Entry *entry = &match.entries[i];
        double frames = fmax(1, entry->sums.frames);
        print_line(file, paper, &contenders[i], entry);
        fprintf(
            json,
            "%s\n      { \"name\": \"%s\", \"ms\": %.6g, \"coupling\": %.6g, \"limit\": %.6g, \"certified\": %.6g }",
            i > 0 ? "," : "", contenders[i].label, 1e3 * entry->sums.time / frames, entry->sums.coupling / frames,
            entry->sums.limits / frames, entry->sums.certified / frames);
    }
    fprintf(json, " ] }");
    fflush(file);
}

static bool print_sizes(FILE *file) {
    static const char *const names[] = {"log_tower", "rock_pile"};
    fprintf(file,
            "\nS0 table 4: bodies in a part; schur-bpp on two threads, ms and parts\n  %-12s %6s %10s %10s %7s %9s\n",
            "", "bodies", "default", "faithful", "parts", "S0, ms");
    for (int i = 0; i < 2; i++) {
        if (!play(names[i], sizes, SIZES)) {
            return false;
        }
        for (int k = 0; k < SIZES / 2; k++) {
            const Sums *own = &match.entries[k].sums, *faithful = &match.entries[k + SIZES / 2].sums;
            fprintf(file, "  %-12s %6s %10.2f %10.2f %7.1f %9.1f\n", k == 0 ? names[i] : "", sizes[k].label,
                    1e3 * own->time / fmax(1, own->frames), 1e3 * faithful->time / fmax(1, faithful->frames),
                    own->parts / fmax(1, own->frames), published_sizes[i][k]);
        }
    }
    return true;
}

static bool report(FILE *file, FILE *json) {
    bool is_done = true;
    fprintf(json, "  { \"name\": \"substructuring\", \"scenes\": [\n");
    for (size_t i = 0; i < sizeof papers / sizeof papers[0] && is_done; i++) {
        is_done = play(papers[i].scene, contenders, CONTENDERS);
        if (is_done) {
            print_scene(file, json, &papers[i], i == 0);
        }
    }
    fprintf(json, " ] }");
    return is_done && print_sizes(file);
}

const BenchSuite bench_substructuring = {
    .name = "substructuring",
    .summary = "substructured solvers beside whole-system ones: S0's tables 2, 3 and 4",
    .report = report,
};
