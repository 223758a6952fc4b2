// All scenes by all solvers: which invariants hold, how fast, how much is certified; and how hard the scenes of S0 are
// beside the paper's own figures.
//
// CAIRN_BENCH_SECONDS (2): of the processor, no frame of a scene with a solver begins later; CAIRN_BENCH_FRAMES: at
// most so many frames; CAIRN_BENCH_SCENES, CAIRN_BENCH_SOLVERS: only these, with commas between; CAIRN_BENCH_WHOLE
// (20): seconds for each scene of S0 on two threads.
//
// Where most of a scene happens later than a slow solver comes, each solver goes on from there as well: its own solver
// leads up to it.
#include "bench/bench.h"
#include "bench/scene_hardness.h"
#include "bench/scene_runs.h"

#include "demos/scenes/scenes.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_SCENES = 64, MOST_SOLVERS = 32 };

// Of S0: how it is parted there, and what its tables print; ms of Eigen-BPP and of the fastest substructured solver. 0:
// not printed.
typedef struct Paper {
    const char *scene, *partition;
    double eigen, best, condition, mass_ratio, limit;
} Paper;

static const Paper papers[] = {
    {"log_tower", "mindp", 202.6, 51.4, 2.2e6, 50, 39.2},
    {"cable_spinner", "semantic", 141.3, 8.7, 3.9e7, 25000, 0},
    {"chain_wrap", "semantic", 54.6, 11.6, 5.6e4, 2000, 1.9},
    {"chain_drop", "semantic", 46.9, 8.7, 2.7e4, 1, 2.1},
    {"rock_pile", "mindp", 311.7, 98.6, 1.5e4, 250, 10.2},
    {"net_truck", "semantic", 252.3, 11.9, 2.5e12, 40000, 0},
    {"tandem_cranes", "semantic", 180.6, 12.9, 4.8e10, 0, 0.2},
    {"bridge", "semantic", 0, 0, 0, 0, 0},
};
enum { PAPERS = sizeof papers / sizeof papers[0] };

// Scenes that only a specialised solver could run in full size; the table names the parameters.
static const struct { const char *scene, *params; } smaller[] = {{"granular_flow", "spheres=400"}};

// The frames before what is hardest: a blow, a catch, the edge, the blade in the heap, cables that are wound.
static const struct {
    const char *scene;
    int frame;
} hardest[] = {{"log_tower", 310},     {"chain_drop", 400}, {"rock_pile", 200},    {"large_rock_pile", 200},
               {"cable_spinner", 380}, {"net_truck", 20},   {"tandem_cranes", 60}, {"bridge", 180},
               {"wrecking_ball", 110}, {"card_house", 245}, {"domino_row", 300}};

static int hardest_of(const char *scene) {
    for (size_t i = 0; i < sizeof hardest / sizeof hardest[0]; i++) {
        if (strcmp(hardest[i].scene, scene) == 0) {
            return hardest[i].frame;
        }
    }
    return 0;
}

static const char *params_of(const char *scene) {
    for (size_t i = 0; i < sizeof smaller / sizeof smaller[0]; i++) {
        if (strcmp(smaller[i].scene, scene) == 0) {
            return smaller[i].params;
        }
    }
    return NULL;
}

static const char *partition_of(const char *scene) {
    for (int i = 0; i < PAPERS; i++) {
        if (strcmp(papers[i].scene, scene) == 0) {
            return papers[i].partition;
        }
    }
    return NULL;
}

typedef struct Board {
    BenchPlayed cells[MOST_SCENES][MOST_SOLVERS],
        later[MOST_SCENES][MOST_SOLVERS]; // from the beginning, from the hardest frames
    bool is_played[MOST_SCENES];
} Board;

static const char *law_name(CairnFrictionKind kind) {
    static const char *const names[CAIRN_FRICTION_KIND_COUNT] = {"box", "box-current", "cone", "coulomb"};
    return names[kind];
}

static void print_settings(FILE *file, const BenchPlayed *played, double h) {
    const CairnWorldDef *def = &played->settings;
    fprintf(
        file,
        "  C normal %g, friction %g, joints %g to %g (m/s)/(N s); slop %g m; fraction contact %g, joint %g (%g m/s, "
        "%g rad/s at most); damping %g 1/s; h = %.6g s\n",
        def->normal_compliance, def->friction_compliance, played->hard, played->soft, def->contact_slop,
        def->contact_fraction, def->joint_fraction, def->joint_push, def->joint_turn, played->damping, h);
}

// Solver names in one word: a solver of the scene's own comes with its options.
static const char *solver_text(const CairnScene *scene, const CairnSolver *solver) {
    size_t length = strlen(solver->name);
    bool is_of_scene = scene->solver != NULL && strncmp(scene->solver, solver->name, length) == 0 &&
                       (scene->solver[length] == ':' || scene->solver[length] == '\0');
    return is_of_scene ? scene->solver : solver->name;
}

static void print_cell(FILE *file, FILE *json, const char *solver, const BenchPlayed *cell, bool is_first) {
    bool is_whole = cell->frames == cell->requested;
    const char *verdict = cell->break_count > 0 ? "breaks" : is_whole ? "hold" : "hold as far as it went";
    fprintf(file, "  %-14s %-4s %5d-%-5d %9.2f %9.2f %9.2f %9.2f %9.1f %7.1f %9.1e %9.1e %9.1e  %s\n", solver,
            law_name(cell->friction), cell->first + 1, cell->first + cell->frames, cell->step, cell->cpu, cell->solve,
            cell->solve_p99, cell->iterations, 100 * cell->certified, cell->residual, cell->penetration,
            cell->joint_error, verdict);
    for (int i = 0; i < cell->break_count; i++) {
        fprintf(file, "      frame %d: %s\n", cell->breaks[i].frame, cell->breaks[i].why);
    }
    fprintf(json,
            "%s\n      { \"solver\": \"%s\", \"first\": %d, \"frames\": %d, \"asked\": %d, \"step_ms\": %.6g, "
            "\"cpu_ms\": %.6g, \"solve_ms\": %.6g, \"solve_p99_ms\": %.6g, \"iterations\": %.6g, "
            "\"certified\": %.6g, \"residual\": %.6g, \"broken_at\": %d }",
            is_first ? "" : ",", solver, cell->first + 1, cell->frames, cell->requested, cell->step, cell->cpu,
            cell->solve, cell->solve_p99, cell->iterations, cell->certified, cell->residual, cell->breaks[0].frame);
}

// One scene by every solver, from the beginning or from a moment.
static bool play_row(FILE *file, FILE *json, const CairnScene *scene, const BenchMoment *from, BenchPlayed *row,
                     int *cells) {
    for (int k = 0; k < cairn_solver_count() && k < MOST_SOLVERS; k++) {
        const CairnSolver *solver = cairn_solver_at(k);
        if (!bench_wants("CAIRN_BENCH_SOLVERS", solver->name)) {
            continue;
        }
        BenchPlay play = {.scene = scene,
                          .params = params_of(scene->name),
                          .solver = solver_text(scene, solver),
                          .partition = partition_of(scene->name),
                          .frames = (int)bench_setting("CAIRN_BENCH_FRAMES", 0),
                          .seconds = bench_setting("CAIRN_BENCH_SECONDS", 2),
                          .from = from};
        if (from != NULL && play.frames > 0) {
            play.frames += from->frame;
        }
        if (!cairn_is_ok(bench_play_scene(&play, &row[k]))) {
            return false;
        }
        print_cell(file, json, solver->name, &row[k], (*cells)++ == 0);
        fflush(file);
    }
    return true;
}

static bool play_hardest(FILE *file, FILE *json, const CairnScene *scene, BenchPlayed *row, int *cells) {
    BenchMoment moment = {0};
    BenchPlayed led;
    BenchPlay lead = {
        .scene = scene, .params = params_of(scene->name), .frames = hardest_of(scene->name), .end = &moment};
    bool is_done = cairn_is_ok(bench_play_scene(&lead, &led));
    if (is_done) {
        fprintf(file, "  from frame %d on, where %s has led\n", led.frames + 1,
                scene->solver != NULL ? scene->solver : "bpp");
        is_done = play_row(file, json, scene, &moment, row, cells);
    }
    bench_moment_free(&moment);
    return is_done;
}

static bool play_all(FILE *file, FILE *json, Board *board) {
    int listed = 0;
    for (int s = 0; s < cairn_scene_count() && s < MOST_SCENES; s++) {
        const CairnScene *scene = cairn_scene_at(s);
        const char *params = params_of(scene->name);
        if (!bench_wants("CAIRN_BENCH_SCENES", scene->name)) {
            continue;
        }
        int cells = 0;
        board->is_played[s] = true;
        fprintf(file, "\n%s%s%s, %d frames\n  %-14s %-4s %11s %9s %9s %9s %9s %9s %7s %9s %9s %9s  %s\n", scene->name,
                params != NULL ? ", " : "", params != NULL ? params : "", scene->steps, "", "law", "frames", "step, ms",
                "CPU, ms", "solve, ms", "p99, ms", "iterat.", "cert. %", "left, m/s", "overlap,m", "joint, m",
                "its invariants");
        fprintf(json, "%s    { \"scene\": \"%s\", \"solvers\": [", listed++ > 0 ? ",\n" : "", scene->name);
        if (!play_row(file, json, scene, NULL, board->cells[s], &cells) ||
            (hardest_of(scene->name) > 0 && !play_hardest(file, json, scene, board->later[s], &cells))) {
            return false;
        }
        for (int k = 0; k < MOST_SOLVERS; k++) {
            if (board->cells[s][k].requested > 0) {
                print_settings(file, &board->cells[s][k], scene->step);
                break;
            }
        }
        fprintf(json, " ] }");
    }
    return true;
}

// The frames that a cell covers; bold: the frame at which the check broke.
static void print_covered(FILE *file, const BenchPlayed *cell, const BenchPlayed *later) {
    if (cell->requested == 0) {
        fprintf(file, " - |");
        return;
    }
    if (cell->break_count > 0) {
        fprintf(file, " **%d**", cell->breaks[0].frame);
    } else if (cell->frames < cell->requested) {
        fprintf(file, " 1-%d", cell->frames);
    } else {
        fprintf(file, " holds");
    }
    if (later->requested > 0 && cell->break_count == 0 && cell->frames < cell->requested) {
        if (later->break_count > 0) {
            fprintf(file, ", **%d**", later->breaks[0].frame);
        } else {
            fprintf(file, ", %d-%d", later->first + 1, later->first + later->frames);
        }
    }
    fprintf(file, " |");
}

// One line a scene, one column a solver: the frames that it covers, or the frame at which its check broke.
static void print_matrix(FILE *file, const Board *board) {
    fprintf(file, "\n| scene |");
    for (int k = 0; k < cairn_solver_count() && k < MOST_SOLVERS; k++) {
        fprintf(file, " %s |", cairn_solver_at(k)->name);
    }
    fprintf(file, "\n|---|");
    for (int k = 0; k < cairn_solver_count() && k < MOST_SOLVERS; k++) {
        fprintf(file, "---|");
    }
    fprintf(file, "\n");
    for (int s = 0; s < cairn_scene_count() && s < MOST_SCENES; s++) {
        if (!board->is_played[s]) {
            continue;
        }
        fprintf(file, "| %s |", cairn_scene_at(s)->name);
        for (int k = 0; k < cairn_solver_count() && k < MOST_SOLVERS; k++) {
            print_covered(file, &board->cells[s][k], &board->later[s][k]);
        }
        fprintf(file, "\n");
    }
    fprintf(file,
            "a bold number is the frame at which the scene's check broke; 1-200, 311-350: it held in these frames, "
            "as far as it came in the time given\n");
}

// What S0 prints, and what we have: whole steps of bpp on two threads, and how hard the systems are.
static bool print_papers(FILE *file, FILE *json) {
    double seconds = bench_setting("CAIRN_BENCH_WHOLE", 20);
    fprintf(
        file,
        "\nS0's scenes, bpp on two threads; a frame of 1/60 s has 16.7 ms. `behind`: frames that ipm finished.\n"
        "cond(A): all rows; cond(S): the free rows between the parts that S0 uses; means over a few frames, 2-norm.\n"
        "`faithful`: frames of schur-bpp at its limit of 10 couplings, as printed in the paper, on some frames of this "
        "run\n"
        "  %-14s %11s %6s %9s %9s %9s %8s %9s %9s %9s %9s %9s %9s %7s | %9s %9s %9s %7s\n",
        "", "frames", "rows", "masses", "step, ms", "solve, ms", "behind%", "16.7 ms", "cond(A)", "cond(S)", "largest",
        "faithful%", "k", "parts", "S0: BPP", "best, ms", "cond(S)", "k_max %");
    fprintf(json, "\n  ], \"papers\": [");
    int listed = 0;
    for (int i = 0; i < PAPERS; i++) {
        const Paper *paper = &papers[i];
        if (!bench_wants("CAIRN_BENCH_SCENES", paper->scene)) {
            continue;
        }
        const CairnScene *scene;
        BenchPlayed played;
        BenchHardness hard;
        if (!cairn_is_ok(cairn_scene_find(paper->scene, &scene))) {
            return false;
        }
        BenchPlay play = {.scene = scene, .threads = 2, .seconds = seconds};
        if (!cairn_is_ok(bench_play_scene(&play, &played)) || !bench_measure_hardness(scene, paper->partition, &hard)) {
            return false;
        }
        fprintf(
            file,
            "  %-14s %5d/%-5d %6d %9.0f %9.2f %9.2f %8.1f %9s %9.1e %9.1e %9.1e %9.1f %9.1f %7.1f | %9.1f %9.1f %9.1e "
            "%7.1f\n",
            paper->scene, played.frames, played.requested, played.rows, played.heaviest / played.lightest, played.step,
            played.solve, 100 * played.behind, played.step <= 1e3 / 60 ? "yes" : "NO", hard.whole, hard.interface,
            hard.steepest, 100 * hard.limits, hard.coupling, hard.parts, paper->eigen, paper->best, paper->condition,
            paper->limit);
        print_settings(file, &played, scene->step);
        fprintf(json,
                "%s\n    { \"scene\": \"%s\", \"step_ms\": %.6g, \"solve_ms\": %.6g, \"cond_A\": %.6g, \"cond_S\": "
                "%.6g, \"limit\": %.6g }",
                listed++ > 0 ? "," : "", paper->scene, played.step, played.solve, hard.whole, hard.interface,
                hard.limits);
        fflush(file);
    }
    return true;
}

static bool report(FILE *file, FILE *json) {
    Board *board = calloc(1, sizeof *board);
    if (board == NULL) {
        return false;
    }
    fprintf(json, "  { \"name\": \"scenes\", \"scenes\": [\n");
    bool is_done = play_all(file, json, board);
    if (is_done) {
        print_matrix(file, board);
        is_done = print_papers(file, json);
    }
    fprintf(json, " ] }");
    free(board);
    return is_done;
}

const BenchSuite bench_scenes = {
    .name = "scenes",
    .summary = "every scene by every solver: invariants, time, certified frames; S0's scenes beside its tables",
    .report = report,
};
