// Every solver on problems of others, under Coulomb's law and the convex cone's: from no impulses, with its tolerance
// made ten times finer again and again, until the referee reads vel_rel 1e-8 on the file's own W. The time to a vel_rel
// is the least of the runs that came there, each the fastest of some; the processor's, one thread, with all that the
// solver sets up. A solver without a tolerance runs as it is; one that sweeps gets as many sweeps as it likes. Where a
// solver takes symmetric W alone it gets (W + W^T)/2.
//
// CAIRN_BENCH_DATA (../shared/data): its folders fclib and siconos are read; CAIRN_BENCH_FILE_SECONDS (2): for a file,
// law and solver; CAIRN_BENCH_SOLVERS: only these.
#include "bench/friction_files.h"
#include "bench/bench.h"
#include "bench/scene_runs.h"
#include "demos/program/formats/problem_source.h"
#include "demos/program/session/choice.h"
#include "demos/program/session/law.h"
#include "engine/base/memory.h"
#include "solvers/problem/accept.h"
#include <cairn/solve.h>
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TARGETS = 3, TENTHS = 15, REPEATS = 5, PATH_SIZE = 700 };

static const double targets[TARGETS] = {1e-4, 1e-6, 1e-8};

// Siconos on one core of the same kind of machine, to 1e-8 in its own measure: iterations and ms. Of ../shared/data.
static const struct {
    const char *file, *words;
    double best; // ms
} siconos[] = {
    {"Capsules-i125-1213", "NSGS 2716, 138 ms; ADMM 2380, 66 ms; proximal Newton 5, 408 ms", 66},
    {"fclib_local_problem_test", "proximal Newton 11, 51 ms; ADMM 1190, 10 ms; NSGS 36,127 to 1e-4, never to 1e-8", 10},
    {"Box_Stacks", "NSGS 33, 1.0 ms", 1},
    {"OneObject-i100000-499", "Newton 14, 1.2 ms; NSGS stalls at 1e-3", 1.2},
};

// Sweeps have an option momentum, and are shown with it, too. Of the papers' solvers the iterations are their budgets,
// which are too few to come anywhere: they get `MANY`.
enum { MANY = 20000 };
static const char *const budgeted[] = {"subadmm", "fadmm", "pgs-cg"};

typedef struct Reached {
    double seconds; // the least; INFINITY: it did not come there
    int iterations, factors;
} Reached;

// One solver on one problem.
typedef struct Trial {
    const char *path;
    CairnFrictionKind law;
    CairnProblemSource own, even; // as the file has it; with (W + W^T)/2
    bool is_even;                 // the solver gets the latter
    Reached reached[TARGETS];
    double best; // vel_rel
    CairnStatus refused;
} Trial;

static CairnStatus open_law(const char *path, CairnFrictionKind law, bool is_even, CairnProblemSource *source) {
    CAIRN_TRY(cairn_problem_open(path, source));
    CAIRN_TRY(cairn_problem_set_friction(source, law));
    return is_even ? cairn_problem_symmetrize(source) : cairn_ok();
}

// Solves from nothing. Returns the seconds of the processor.
static CairnStatus solve(const CairnProblem *problem, const CairnChoice *choice, double *lambda, double *seconds,
                         CairnSolveReport *report) {
    CairnSolveRequest request = {.solver = choice->solver, .options = choice->options, .is_checked = true};
    CairnSolveResult result = {0};
    memset(lambda, 0, (size_t)problem->row_count * sizeof *lambda);
    double start = bench_cpu_now();
    CairnStatus status = cairn_problem_solve(problem, &request, lambda, &result);
    *seconds = bench_cpu_now() - start;
    *report = result.report;
    return status;
}

// The fastest of some solves with the same options.
static CairnStatus time_choice(Trial *trial, const CairnChoice *choice, double *lambda, double *spent, bool *is_done) {
    const CairnProblem *problem = trial->is_even ? &trial->even.stored.problem : &trial->own.stored.problem;
    CairnSolveReport report;
    CairnResidual residual;
    double seconds, again;
    CAIRN_TRY(solve(problem, choice, lambda, &seconds, &report));
    *spent += seconds;
    CAIRN_TRY(cairn_residual(&trial->own.stored.problem, lambda, NULL, &residual));
    double off = trial->law == CAIRN_FRICTION_COULOMB ? residual.cone : residual.convex;
    *is_done = off <= targets[TARGETS - 1];
    trial->best = fmin(trial->best, off);
    for (int i = 0; i < TARGETS; i++) {
        Reached *reached = &trial->reached[i];
        if (off > targets[i] || seconds > 2 * reached->seconds) {
            continue;
        }
        for (int k = 0; k < REPEATS && seconds < 0.1; k++) {
            CAIRN_TRY(solve(problem, choice, lambda, &again, &report));
            *spent += again;
            seconds = fmin(seconds, again);
        }
        if (seconds < reached->seconds) {
            *reached = (Reached){seconds, report.iterations, report.factorizations};
        }
    }
    return cairn_ok();
}

static CairnStatus allow_many(CairnChoice *choice) {
    char text[40];
    if (cairn_choice_has(choice, "budget_ms")) {
        snprintf(text, sizeof text, "%g", 1e3 * bench_setting("CAIRN_BENCH_FILE_SECONDS", 2));
        CAIRN_TRY(cairn_choice_set(choice, "budget_ms", text, "bench"));
        return cairn_choice_set(choice, "iterations", "100000000", "bench");
    }
    for (size_t i = 0; i < sizeof budgeted / sizeof budgeted[0]; i++) {
        if (strcmp(choice->solver->name, budgeted[i]) == 0) {
            snprintf(text, sizeof text, "%d", (int)MANY);
            return cairn_choice_set(choice, "iterations", text, "bench");
        }
    }
    return cairn_ok();
}

// From a tenth on, ever finer.
static CairnStatus climb(Trial *trial, CairnChoice *choice, double *lambda) {
    double spent = 0, most = bench_setting("CAIRN_BENCH_FILE_SECONDS", 2);
    bool is_done = false, has_tolerance = cairn_choice_has(choice, "tolerance");
    int last = has_tolerance ? TENTHS : 1;
    CAIRN_TRY(allow_many(choice));
    for (int k = 1; k <= last && !is_done && spent < most; k++) {
        char text[40];
        snprintf(text, sizeof text, "1e-%d", k);
        CAIRN_TRY(cairn_choice_set(choice, "tolerance", has_tolerance ? text : NULL, "bench"));
        CAIRN_TRY(time_choice(trial, choice, lambda, &spent, &is_done));
    }
    return cairn_ok();
}

// A solver that refuses or fails has said so in `refused`.
static CairnStatus try_solver(const char *text, Trial *trial) {
    CairnChoice choice;
    for (int i = 0; i < TARGETS; i++) {
        trial->reached[i] = (Reached){(double)INFINITY, 0, 0};
    }
    trial->best = (double)INFINITY;
    CAIRN_TRY(cairn_choice_open(text, "bench", &choice));
    trial->refused = cairn_solver_accepts(choice.solver, &trial->own.stored.problem);
    trial->is_even =
        !cairn_is_ok(trial->refused) && cairn_is_ok(cairn_solver_accepts(choice.solver, &trial->even.stored.problem));
    if (cairn_is_ok(trial->refused) || trial->is_even) {
        double *lambda = calloc((size_t)trial->own.stored.problem.row_count + 1, sizeof *lambda);
        trial->refused = lambda != NULL ? climb(trial, &choice, lambda)
                                        : cairn_error(CAIRN_OUT_OF_MEMORY, "bench: no memory for %s", trial->path);
        free(lambda);
    }
    cairn_choice_close(&choice);
    return trial->refused.code == CAIRN_OUT_OF_MEMORY ? trial->refused : cairn_ok();
}

// ---- what is said of it ----

static void print_trial(FILE *file, const char *text, const Trial *trial) {
    fprintf(file, "    %-22s %-9s", text, trial->is_even ? "(W+W^T)/2" : "");
    for (int i = 0; i < TARGETS; i++) {
        if (isfinite(trial->reached[i].seconds)) {
            fprintf(file, " %9.3f %8d", 1e3 * trial->reached[i].seconds, trial->reached[i].iterations);
        } else {
            fprintf(file, " %9s %8s", "-", "");
        }
    }
    if (isfinite(trial->best)) {
        fprintf(file, " %9.1e", trial->best);
    }
    fprintf(file, "%s%s\n", cairn_is_ok(trial->refused) ? "" : "  ",
            cairn_is_ok(trial->refused) ? "" : trial->refused.message);
    fflush(file);
}

static void write_trial(CairnJson *json, const char *text, const Trial *trial) {
    static const char *const keys[TARGETS] = {"to_1e-4", "to_1e-6", "to_1e-8"};
    cairn_json_open(json, NULL, '{');
    cairn_json_text(json, "solver", text);
    cairn_json_text(json, "W", trial->is_even ? "symmetrized" : "own");
    for (int i = 0; i < TARGETS; i++) {
        if (isfinite(trial->reached[i].seconds)) {
            cairn_json_open(json, keys[i], '{');
            cairn_json_number(json, "ms", 1e3 * trial->reached[i].seconds);
            cairn_json_integer(json, "iterations", trial->reached[i].iterations);
            cairn_json_integer(json, "factors", trial->reached[i].factors);
            cairn_json_close(json, '}');
        }
    }
    cairn_json_number(json, "best_vel_rel", trial->best);
    if (!cairn_is_ok(trial->refused)) {
        cairn_json_text(json, "refused", trial->refused.message);
    }
    cairn_json_close(json, '}');
}

static CairnStatus try_all(Trial *trial, FILE *file, CairnJson *json) {
    for (int i = 0; i < cairn_solver_count(); i++) {
        const CairnSolver *solver = cairn_solver_at(i);
        if (!cairn_law_is_taken(solver->traits, trial->law) || !bench_wants("CAIRN_BENCH_SOLVERS", solver->name)) {
            continue;
        }
        CairnChoice choice;
        char text[CAIRN_CHOICE_TEXT];
        CAIRN_TRY(cairn_choice_open(solver->name, "bench", &choice));
        int ways = cairn_choice_has(&choice, "momentum") ? 2 : 1;
        cairn_choice_close(&choice);
        for (int way = 0; way < ways; way++) {
            snprintf(text, sizeof text, "%s%s", solver->name, way > 0 ? ":momentum=true" : "");
            CAIRN_TRY(try_solver(text, trial));
            print_trial(file, text, trial);
            write_trial(json, text, trial);
        }
    }
    return cairn_ok();
}

static CairnStatus report_law(const char *path, CairnFrictionKind law, FILE *file, CairnJson *json) {
    Trial trial = {.path = path, .law = law};
    CairnStatus status = open_law(path, law, false, &trial.own);
    if (cairn_is_ok(status)) {
        status = open_law(path, law, true, &trial.even);
        if (cairn_is_ok(status)) {
            fprintf(file, "  under %s\n", cairn_friction_name(law));
            cairn_json_open(json, cairn_friction_name(law), '[');
            status = try_all(&trial, file, json);
            cairn_json_close(json, ']');
        }
        cairn_problem_close(&trial.even);
    }
    cairn_problem_close(&trial.own);
    return status;
}

static CairnStatus report_file(const char *path, FILE *file, CairnJson *json) {
    const char *name = strrchr(path, '/') + 1;
    CairnProblemSource source;
    CairnStatus status = cairn_problem_open(path, &source);
    if (!cairn_is_ok(status)) {
        fprintf(file, "\n%s\n", status.message); // such as a library that reads HDF5 which is not there
        return cairn_ok();
    }
    int contacts = source.stored.problem.friction_count, rows = source.stored.problem.row_count;
    double asymmetry = source.asymmetry;
    cairn_problem_close(&source);
    if (contacts == 0) {
        return cairn_ok(); // an MLCP
    }
    fprintf(file, "\n%s: %d contacts, %d rows, W asymmetric by %.1g\n", name, contacts, rows, asymmetry);
    fprintf(file, "    %-32s %18s %18s %18s %9s\n    %-32s %9s %8s %9s %8s %9s %8s %9s\n", "time to vel_rel", "1e-4",
            "1e-6", "1e-8", "best", "", "ms", "iter.", "ms", "iter.", "ms", "iter.", "vel_rel");
    cairn_json_open(json, NULL, '{');
    cairn_json_text(json, "file", name);
    for (size_t i = 0; i < sizeof siconos / sizeof siconos[0]; i++) {
        if (strncmp(siconos[i].file, name, strlen(siconos[i].file)) == 0) {
            fprintf(file, "    Siconos, to 1e-8 in its own measure under coulomb: %s\n", siconos[i].words);
            cairn_json_number(json, "siconos_best_ms", siconos[i].best);
        }
    }
    status = report_law(path, CAIRN_FRICTION_COULOMB, file, json);
    status = cairn_is_ok(status) ? report_law(path, CAIRN_FRICTION_CONE, file, json) : status;
    cairn_json_close(json, '}');
    return status;
}

static int is_problem(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

static CairnStatus report_folder(const char *folder, FILE *file, CairnJson *json) {
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_problem, alphasort);
    CairnStatus status = cairn_ok();
    if (count < 0) {
        fprintf(file, "\n  there is no %s: nothing of others to solve\n", folder);
        return status;
    }
    for (int i = 0; i < count; i++) {
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "%.300s/%s", folder, entries[i]->d_name);
        status = cairn_is_ok(status) ? report_file(path, file, json) : status;
        free(entries[i]);
    }
    free(entries);
    return status;
}

CairnStatus bench_friction_files(FILE *file, CairnJson *json) {
    const char *given = getenv("CAIRN_BENCH_DATA"), *folders[] = {"fclib", "siconos"};
    CairnStatus status = cairn_ok();
    fprintf(
        file,
        "\nproblems of others, from no impulses, one thread, ms of the processor; at most %.3g s for a solver and law "
        "(CAIRN_BENCH_FILE_SECONDS)\n",
        bench_setting("CAIRN_BENCH_FILE_SECONDS", 2));
    cairn_json_open(json, "files", '[');
    for (int i = 0; i < 2 && cairn_is_ok(status); i++) {
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "%.200s/%s", given != NULL ? given : "../shared/data", folders[i]);
        status = report_folder(path, file, json);
    }
    cairn_json_close(json, ']');
    return status;
}
