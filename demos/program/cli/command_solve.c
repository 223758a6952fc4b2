// cairn solve: problems from files, one solve each, judged by the referee.
#include "demos/program/cli/output.h"
#include "demos/program/cli/program.h"
#include "demos/program/formats/json.h"
#include "demos/program/formats/problem_source.h"
#include "demos/program/session/choice.h"
#include "demos/program/session/run_options.h"
#include "engine/base/hash.h"
#include "engine/base/memory.h"
#include "solvers/problem/problem_ops.h"
#include "solvers/referee/residual.h"
#include <cairn/solve.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 256 };

typedef struct SolveOptions {
    const char *files[MOST_FILES];
    int file_count, threads;
    const char *solver, *partition, *refine, *iterations, *tolerance, *json;
    CairnPartition partition_def; // opened from `partition` and `refine`
    CairnFrictionKind friction;
    bool has_friction, is_frictionless, is_warm, is_symmetric, needs_certified, is_quiet, wants_help;
} SolveOptions;

// One file solved.
typedef struct Solved {
    const char *path;
    CairnProblemSource source;
    CairnArena arena;
    double *lambda, *slack, *other;          // other: the slack of the file's answer
    double seconds, objective, velocity_off; // objective: 1/2 lambda A lambda + b lambda
    CairnSolveReport report;
    CairnResidual residual, answer; // of the solver, and of the answer in the file
    CairnStatus status;
    bool is_read; // the file
} Solved;

static CairnStatus take_file(void *target, const char *word) {
    SolveOptions *options = target;
    if (options->file_count == MOST_FILES) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "'%s' is one too many: at most %d files", word, (int)MOST_FILES);
    }
    options->files[options->file_count++] = word;
    return cairn_ok();
}

static CairnStatus take_solver(void *target, const char *value) {
    return cairn_parse_text(value, &((SolveOptions *)target)->solver);
}

static CairnStatus take_partition(void *target, const char *value) {
    return cairn_parse_text(value, &((SolveOptions *)target)->partition);
}

static CairnStatus take_refine(void *target, const char *value) {
    return cairn_parse_text(value, &((SolveOptions *)target)->refine);
}

static CairnStatus take_iterations(void *target, const char *value) {
    ((SolveOptions *)target)->iterations = value;
    return cairn_ok();
}

static CairnStatus take_tolerance(void *target, const char *value) {
    ((SolveOptions *)target)->tolerance = value;
    return cairn_ok();
}

static CairnStatus take_json(void *target, const char *value) {
    return cairn_parse_text(value, &((SolveOptions *)target)->json);
}

static CairnStatus take_threads(void *target, const char *value) {
    return cairn_parse_int(value, 1, CAIRN_MOST_THREADS, &((SolveOptions *)target)->threads);
}

static CairnStatus take_friction(void *target, const char *value) {
    SolveOptions *options = target;
    options->has_friction = true;
    options->is_frictionless = strcmp(value, "none") == 0;
    return options->is_frictionless ? cairn_ok() : cairn_friction_parse(value, &options->friction);
}

static CairnStatus take_warm(void *target, const char *value) {
    (void)value;
    ((SolveOptions *)target)->is_warm = true;
    return cairn_ok();
}

static CairnStatus take_symmetric(void *target, const char *value) {
    (void)value;
    ((SolveOptions *)target)->is_symmetric = true;
    return cairn_ok();
}

static CairnStatus take_certified(void *target, const char *value) {
    (void)value;
    ((SolveOptions *)target)->needs_certified = true;
    return cairn_ok();
}

static CairnStatus take_quiet(void *target, const char *value) {
    (void)value;
    ((SolveOptions *)target)->is_quiet = true;
    return cairn_ok();
}

static CairnStatus take_help(void *target, const char *value) {
    (void)value;
    ((SolveOptions *)target)->wants_help = true;
    return cairn_ok();
}

static const CairnOption solve_options[] = {
    {"--solver", "NAME[:k=v,k=v]", "solver and its options (cairn list solvers), or a file of one's own", take_solver},
    {"--partition", "NAME[:k=v,k=v]", "how bodies are parted where the solver needs parts; mindp by default",
     take_partition},
    {"--refine", "NAME[:k=v,k=v]", "how the parts are refined; not at all by default", take_refine},
    {"--tol", "T", "the solver's option 'tolerance'", take_tolerance},
    {"--iterations", "N", "the solver's option 'iterations'", take_iterations},
    {"--friction", "KIND", "none, box, box-current, cone or coulomb instead of the file's law", take_friction},
    {"--symmetrize", NULL, "(W + W^T) / 2 in place of an unsymmetric W", take_symmetric},
    {"--warm", NULL, "start from the impulses and velocities in the file; else from zero", take_warm},
    {"--threads", "N", "threads that the solver may use", take_threads},
    {"--certified", NULL, "exit with 1 if the referee did not certify every answer", take_certified},
    {"--json", "FILE", "write the results; - is the standard output", take_json},
    {"--quiet", NULL, "no table", take_quiet},
    {"--help", NULL, "this help", take_help},
};

enum { OPTION_COUNT = (int)(sizeof(solve_options) / sizeof(solve_options[0])) };

static void print_help(void) {
    printf("cairn solve FILE... --solver S [options]\n\nSolve problems from files: FCLIB's HDF5, Siconos' text, cairn "
           "dump. "
           "What a file is shows in its first bytes.\nFCLIB's and Siconos' contacts are under coulomb unless "
           "--friction says "
           "otherwise; box bounds are mu times the normal\nimpulses of the file's answer. Without --solver only that "
           "answer "
           "is judged.\n\n");
    cairn_options_help(solve_options, OPTION_COUNT);
    printf(
        "\nExit codes: 0 done, 1 a solve failed or was not certified where asked, 2 wrong usage, a file that cannot be "
        "read, or a problem\nthat the solver does not take.\n");
}

// ---- one file ----

static CairnStatus find_slack(Solved *solved, const double *lambda, double *slack) {
    CairnOps ops;
    CairnArenaMark mark = cairn_arena_mark(&solved->arena);
    double *v = CAIRN_PUSH(&solved->arena, double, solved->source.stored.problem.dof_count + 1);
    CairnStatus status = v ? cairn_ops_init(&ops, &solved->source.stored.problem, &solved->arena)
                           : cairn_error(CAIRN_OUT_OF_MEMORY, "no memory for velocities");
    if (cairn_is_ok(status)) {
        cairn_ops_slack(&ops, lambda, v, slack);
    }
    cairn_arena_release(&solved->arena, mark);
    return status;
}

// f = 1/2 lambda A lambda + b lambda = 1/2 lambda (w + b)
static CairnStatus measure(Solved *solved) {
    const CairnProblem *problem = &solved->source.stored.problem;
    const double *answer = solved->source.stored.answer;
    double *b = CAIRN_PUSH(&solved->arena, double, problem->row_count + 1);
    double *zero = CAIRN_PUSH_ZERO(&solved->arena, double, problem->row_count + 1);
    if (!b || !zero) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "no memory for %d rows", problem->row_count);
    }
    CAIRN_TRY(find_slack(solved, solved->lambda, solved->slack));
    CAIRN_TRY(find_slack(solved, zero, b));
    for (int i = 0; i < problem->row_count; i++) {
        solved->objective += 0.5 * solved->lambda[i] * (solved->slack[i] + b[i]);
    }
    if (answer) {
        CAIRN_TRY(find_slack(solved, answer, solved->other));
        for (int i = 0; i < problem->row_count; i++) {
            solved->velocity_off = fmax(solved->velocity_off, fabs(solved->slack[i] - solved->other[i]));
        }
    }
    return cairn_ok();
}

static CairnStatus prepare(const SolveOptions *options, Solved *solved) {
    CairnProblemSource *source = &solved->source;
    CAIRN_TRY(cairn_problem_open(solved->path, source));
    solved->is_read = true;
    if (options->is_symmetric) {
        CAIRN_TRY(cairn_problem_symmetrize(source));
    }
    if (options->has_friction) {
        CAIRN_TRY(options->is_frictionless ? cairn_problem_drop_friction(source)
                                           : cairn_problem_set_friction(source, options->friction));
    }
    size_t rows = (size_t)source->stored.problem.row_count + 1;
    solved->lambda = CAIRN_PUSH_ZERO(&solved->arena, double, rows);
    solved->slack = CAIRN_PUSH_ZERO(&solved->arena, double, rows);
    solved->other = CAIRN_PUSH_ZERO(&solved->arena, double, rows);
    if (!solved->lambda || !solved->slack || !solved->other) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "no memory for %zu rows", rows - 1);
    }
    if (options->is_warm && rows > 1) {
        memcpy(solved->lambda, source->stored.start.lambda, (rows - 1) * sizeof(double));
    }
    if (source->stored.answer) {
        CAIRN_TRY(cairn_residual_in(&source->stored.problem, source->stored.answer, &solved->arena, &solved->answer));
    }
    return cairn_ok();
}

static CairnStatus solve_one(const SolveOptions *options, const CairnChoice *choice, Solved *solved) {
    const CairnProblem *problem = &solved->source.stored.problem;
    const CairnSolveStart *start = &solved->source.stored.start;
    void *memory = NULL;
    CAIRN_TRY(prepare(options, solved));
    if (!choice) {
        return solved->source.stored.answer ? cairn_ok()
                                            : cairn_error(CAIRN_UNSUPPORTED, "it holds no answer to judge; --solver S "
                                                                             "solves it");
    }
    const CairnSolveRequest request = {.solver = choice->solver,
                                       .options = choice->options,
                                       .partition = options->partition_def,
                                       .allocator = solved->arena.allocator,
                                       .thread_count = options->threads,
                                       .judge = true,
                                       .arena = &solved->arena,
                                       .velocity = options->is_warm ? start->velocity : NULL,
                                       .is_rough = options->is_warm && start->is_rough,
                                       .memory = &memory};
    CairnSolveResult result;
    CairnStatus status = cairn_problem_solve(problem, &request, solved->lambda, &result);
    if (memory && choice->solver->forget) {
        choice->solver->forget(memory, solved->arena.allocator);
    }
    solved->report = result.report;
    solved->residual = result.residual;
    solved->seconds = result.seconds;
    CAIRN_TRY(status);
    return measure(solved);
}

// ---- output ----

static void print_residual(const char *label, const CairnResidual *residual, bool has_friction) {
    printf("  %-10s natural %.3g, scaled %.3g m/s (limit %.3g)", label, residual->natural, residual->scaled,
           residual->limit);
    if (has_friction) {
        printf(", cone %.3g, convex %.3g", residual->cone, residual->convex);
    }
    printf(": %s\n", residual->is_certified ? "certified" : "NOT certified");
}

static void print_solved(const CairnChoice *choice, const Solved *solved) {
    const CairnProblem *problem = &solved->source.stored.problem;
    printf("%s\n", solved->path);
    if (!solved->is_read) {
        printf("  cannot be read: %s\n", solved->status.message);
        return;
    }
    printf("  %s: %d rows, %d contacts with friction", solved->source.kind, problem->row_count,
           problem->friction_count);
    if (problem->form == CAIRN_FORM_DYNAMICS) {
        printf(", %d dofs in %d blocks\n", problem->dof_count, problem->block_count);
    } else {
        printf(", W explicit, %s", problem->W_is_symmetric ? "symmetric" : "unsymmetric");
        printf(solved->source.asymmetry > 0 ? " (in the file off by %.2g)\n" : "\n", solved->source.asymmetry);
    }
    if (solved->source.stored.answer && solved->other) {
        print_residual("its answer", &solved->answer, problem->friction_count > 0);
    }
    if (!cairn_is_ok(solved->status)) {
        printf("  %s: %s\n", solved->status.code == CAIRN_UNSUPPORTED ? "refused" : "failed", solved->status.message);
    } else if (choice) {
        print_residual(choice->solver->name, &solved->residual, problem->friction_count > 0);
        const char *finisher = solved->report.finisher;
        printf("  %-10s %s%s%s, %d iterations, %d factorizations, %.3f ms, objective %.9e", "",
               cairn_outcome_name(solved->report.outcome), finisher ? " by " : "", finisher ? finisher : "",
               solved->report.iterations, solved->report.factorizations, 1e3 * solved->seconds, solved->objective);
        if (solved->source.stored.answer) {
            printf(", velocities off the file's answer %.3g", solved->velocity_off);
        }
        printf("\n");
    }
}

static void write_residual(CairnJson *json, const char *key, const CairnResidual *residual) {
    cairn_json_open(json, key, '{');
    cairn_json_number(json, "natural", residual->natural);
    cairn_json_number(json, "scaled", residual->scaled);
    cairn_json_number(json, "fb", residual->fb);
    cairn_json_number(json, "cone", residual->cone);
    cairn_json_number(json, "convex", residual->convex);
    cairn_json_number(json, "bound", residual->bound);
    cairn_json_number(json, "complementarity", residual->complementarity);
    cairn_json_number(json, "limit", residual->limit);
    cairn_json_integer(json, "certified", residual->is_certified);
    cairn_json_close(json, '}');
}

static void write_solved(CairnJson *json, const CairnChoice *choice, const Solved *solved) {
    const CairnProblem *problem = &solved->source.stored.problem;
    bool is_good = cairn_is_ok(solved->status);
    char hash[24];
    cairn_json_open(json, NULL, '{');
    cairn_json_text(json, "file", solved->path);
    cairn_json_text(json, "kind", solved->source.kind);
    cairn_json_integer(json, "rows", problem->row_count);
    cairn_json_integer(json, "contacts", problem->friction_count);
    cairn_json_integer(json, "dofs", problem->dof_count);
    cairn_json_number(json, "asymmetry", solved->source.asymmetry);
    if (solved->source.stored.answer) {
        write_residual(json, "answer", &solved->answer);
    }
    if (!is_good) {
        cairn_json_text(json, solved->status.code == CAIRN_UNSUPPORTED ? "refused" : "failed", solved->status.message);
    } else if (choice) {
        cairn_json_text(json, "outcome", cairn_outcome_name(solved->report.outcome));
        cairn_json_integer(json, "iterations", solved->report.iterations);
        cairn_json_integer(json, "factorizations", solved->report.factorizations);
        cairn_json_integer(json, "fallback", solved->report.fallback);
        if (solved->report.finisher) {
            cairn_json_text(json, "finisher", solved->report.finisher);
        }
        cairn_json_number(json, "time_ms", 1e3 * solved->seconds);
        cairn_json_number(json, "claimed", solved->report.claimed);
        write_residual(json, "residual", &solved->residual);
        snprintf(hash, sizeof hash, "%016" PRIx64,
                 cairn_hash_bytes(solved->lambda, (size_t)problem->row_count * sizeof *solved->lambda));
        cairn_json_text(json, "lambda_hash", hash);
        cairn_json_number(json, "objective", solved->objective);
        if (solved->source.stored.answer) {
            cairn_json_number(json, "velocity_off", solved->velocity_off);
        }
    }
    cairn_json_close(json, '}');
}

// 0, 1 or 2, the worst of all files.
static int code_of(const SolveOptions *options, const CairnChoice *choice, const Solved *solved) {
    if (!cairn_is_ok(solved->status)) {
        return cairn_complain("solve", solved->status);
    }
    const CairnResidual *judged = choice ? &solved->residual : &solved->answer;
    return options->needs_certified && !judged->is_certified ? CAIRN_EXIT_FAILED : CAIRN_EXIT_DONE;
}

static int solve_files(const SolveOptions *options, const CairnChoice *choice, FILE *file) {
    CairnAllocator allocator = cairn_memory_default();
    CairnJson json = cairn_json(file);
    int worst = CAIRN_EXIT_DONE;
    if (file) {
        cairn_json_open(&json, NULL, '{');
        cairn_json_text(&json, "solver", choice ? choice->text : "");
        cairn_json_open(&json, "results", '[');
    }
    for (int i = 0; i < options->file_count; i++) {
        Solved solved = {.path = options->files[i]};
        cairn_arena_init(&solved.arena, &allocator);
        solved.status = solve_one(options, choice, &solved);
        if (file) {
            write_solved(&json, choice, &solved);
        }
        if (!options->is_quiet && file != stdout) {
            print_solved(choice, &solved);
        }
        int code = code_of(options, choice, &solved);
        worst = code > worst ? code : worst;
        cairn_problem_close(&solved.source);
        cairn_arena_free(&solved.arena);
    }
    if (file) {
        cairn_json_close(&json, ']');
        cairn_json_close(&json, '}');
    }
    return worst;
}

static int solve_command(const CairnLinked *linked, int argc, char **argv) {
    (void)linked;
    SolveOptions options = {.threads = 1};
    CairnChoice choice = {.solver = NULL};
    void *by = NULL, *refined_by = NULL;
    FILE *file = NULL;
    int code = CAIRN_EXIT_DONE;
    CairnStatus status = cairn_options_parse(solve_options, OPTION_COUNT, argc, argv, &options, take_file);
    if (cairn_is_ok(status) && options.wants_help) {
        print_help();
        return CAIRN_EXIT_DONE;
    }
    if (cairn_is_ok(status) && options.file_count == 0) {
        status = cairn_error(CAIRN_INVALID_ARGUMENT, "which files? cairn solve FILE... --solver S");
    }
    if (cairn_is_ok(status) && !options.solver &&
        (options.partition || options.refine || options.iterations || options.tolerance || options.is_warm)) {
        status = cairn_error(CAIRN_INVALID_ARGUMENT, "options of a solve, but no --solver");
    }
    if (cairn_is_ok(status) && options.solver) {
        status = cairn_choice_open(options.solver, "--solver", &choice);
        status =
            cairn_is_ok(status) ? cairn_choice_set(&choice, "iterations", options.iterations, "--iterations") : status;
        status = cairn_is_ok(status) ? cairn_choice_set(&choice, "tolerance", options.tolerance, "--tol") : status;
    }
    if (cairn_is_ok(status) && options.partition) {
        status = cairn_partitioner_open(options.partition, "--partition", &options.partition_def.partitioner, &by);
        options.partition_def.partition_options = by;
    }
    if (cairn_is_ok(status) && options.refine) {
        status = cairn_refiner_open(options.refine, "--refine", &options.partition_def.refiner, &refined_by);
        options.partition_def.refine_options = refined_by;
    }
    status = cairn_is_ok(status) ? cairn_output_open(options.json, "--json", &file) : status;
    if (cairn_is_ok(status)) {
        code = solve_files(&options, options.solver ? &choice : NULL, file);
    }
    CairnStatus closed = cairn_output_close(options.json, &file);
    status = cairn_is_ok(status) ? closed : status;
    cairn_choice_close(&choice);
    free(by);
    free(refined_by);
    return cairn_is_ok(status) ? code : cairn_complain("solve", status);
}

const CairnCommand cairn_command_solve = {
    .name = "solve",
    .summary = "solve problems from files (FCLIB, Siconos, cairn dump)",
    .run = solve_command,
};
