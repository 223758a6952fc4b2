// cairn dump: the problem of one frame of a scene, with the impulses that its solve began with and ended at.
#include "demos/program/cli/program.h"
#include "demos/program/cli/progress.h"
#include "demos/program/formats/problem_export.h"
#include "demos/program/session/session.h"
#include <cairn/problem_file.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT_CAIRN = 0, FORMAT_FCLIB, FORMAT_SICONOS, FORMAT_COUNT };

typedef struct DumpOptions {
    CairnRunOptions run; // first: run's options are taken through it
    const char *out;
    int frame;
    int format;
} DumpOptions;

static const char *const format_names[FORMAT_COUNT] = {"cairn", "fclib", "siconos"};

static CairnStatus take_solver(void *target, const char *value) {
    return cairn_parse_text(value, &((DumpOptions *)target)->run.solver);
}

static CairnStatus take_out(void *target, const char *value) {
    return cairn_parse_text(value, &((DumpOptions *)target)->out);
}

static CairnStatus take_frame(void *target, const char *value) {
    return cairn_parse_int(value, 1, CAIRN_RUN_STEPS_MAX, &((DumpOptions *)target)->frame);
}

static CairnStatus take_format(void *target, const char *value) {
    for (int i = 0; i < FORMAT_COUNT; i++) {
        if (strcmp(value, format_names[i]) == 0) {
            ((DumpOptions *)target)->format = i;
            return cairn_ok();
        }
    }
    return cairn_error(CAIRN_NOT_FOUND, "'%s' is none of cairn, fclib, siconos", value);
}

static const CairnOption command_options[] = {
    {"--frame", "K", "the problem of step K (the first is 1)", take_frame},
    {"--out", "FILE", "where it goes (cairn solve FILE reads it)", take_out},
    {"--format", "NAME", "cairn (any problem, the default); fclib (HDF5), siconos (text): contacts alone", take_format},
    {"--solver", "NAME[:k=v,k=v]", "the solver that moves the scene up to there", take_solver},
};

enum { COMMAND_COUNT = (int)(sizeof(command_options) / sizeof(command_options[0])) };

static void print_help(void) {
    CairnOption table[COMMAND_COUNT + CAIRN_RUN_COMMON];
    int count = cairn_run_options_join(command_options, COMMAND_COUNT, table);
    printf("cairn dump SCENE --frame K --out FILE [options]\n\nWrite the problem of one frame, with its warm start and "
           "the solver's answer, so that it can be solved again\nand kept as a test.\n\n");
    cairn_options_help(table, count);
    printf("\nOf no use here: --certified, --json.\n");
}

static CairnStatus write_contacts(const CairnProblem *problem, const double *lambda, const DumpOptions *options) {
    CairnArena arena;
    CairnContactProblem exported;
    char title[160];
    snprintf(title, sizeof title, "%.100s, frame %d", options->run.scene, options->frame);
    cairn_arena_init(&arena, NULL);
    CairnStatus status = cairn_contact_problem(problem, lambda, &arena, &exported);
    if (cairn_is_ok(status)) {
        status = options->format == FORMAT_FCLIB ? cairn_fclib_write(options->out, &exported, title)
                                                 : cairn_siconos_write(options->out, &exported);
    }
    cairn_arena_free(&arena);
    return status;
}

static CairnStatus write_file(const CairnWorld *world, const DumpOptions *options) {
    CairnProblem problem;
    const double *lambda;
    const char *path = options->out;
    CAIRN_TRY(cairn_world_problem(world, &problem, &lambda));
    if (options->format != FORMAT_CAIRN) {
        return write_contacts(&problem, lambda, options);
    }
    CairnSolveStart start;
    CAIRN_TRY(cairn_world_problem_start(world, &start));
    size_t size = cairn_problem_file_size(&problem, &start, lambda);
    void *bytes = malloc(size);
    if (!bytes) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "no memory for %zu bytes", size);
    }
    CairnStatus status = cairn_problem_file_write(&problem, &start, lambda, bytes, size);
    FILE *file = cairn_is_ok(status) ? fopen(path, "wb") : NULL;
    if (cairn_is_ok(status) && !file) {
        status = cairn_error(CAIRN_IO, "option --out: cannot write %s: %s", path, strerror(errno));
    }
    if (file) {
        bool is_good = fwrite(bytes, 1, size, file) == size;
        is_good = fclose(file) == 0 && is_good;
        status = is_good ? status : cairn_error(CAIRN_IO, "option --out: cannot write %s: %s", path, strerror(errno));
    }
    free(bytes);
    return status;
}

static CairnStatus run_to_frame(const DumpOptions *options, CairnSession *session, CairnStats *stats) {
    CairnRunOptions run = options->run;
    run.steps = options->frame;
    CAIRN_TRY(cairn_session_open(&run, session));
    CairnProgress progress = cairn_progress(session->scene->name, options->frame, !options->run.is_quiet);
    CairnStatus status = cairn_ok();
    for (int frame = 1; frame <= options->frame && cairn_is_ok(status); frame++) {
        status = cairn_session_step(session, stats);
        if (!cairn_is_ok(status)) {
            status = cairn_error(status.code, "frame %d: %s", frame, status.message);
        }
        cairn_progress_show(&progress, frame);
    }
    cairn_progress_end(&progress);
    return cairn_is_ok(status) ? write_file(session->world, options) : status;
}

static CairnStatus check_options(const DumpOptions *options) {
    CAIRN_TRY(cairn_run_options_need_scene(&options->run));
    if (options->frame == 0 || !options->out) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "%s",
                           options->out ? "which frame? --frame K" : "where to? --out FILE");
    }
    return cairn_ok();
}

static int dump_command(const CairnLinked *linked, int argc, char **argv) {
    (void)linked;
    void *read = NULL;
    CairnStatus status = cairn_run_options_read(command_options, COMMAND_COUNT, sizeof(DumpOptions), argc, argv, &read);
    DumpOptions *options = read;
    if (cairn_is_ok(status) && options->run.wants_help) {
        print_help();
        free(options);
        return CAIRN_EXIT_DONE;
    }
    CairnSession session = {.world = NULL};
    CairnStats stats;
    memset(&stats, 0, sizeof stats);
    status = cairn_is_ok(status) ? check_options(options) : status;
    status = cairn_is_ok(status) ? run_to_frame(options, &session, &stats) : status;
    if (cairn_is_ok(status) && !options->run.is_quiet) {
        printf("%s: frame %d of %s by %s: %d rows, %d dofs, scaled residual %.2g m/s, %s\n", options->out,
               options->frame, session.scene->name, session.choice.text, stats.rows, stats.dofs, stats.residual.scaled,
               stats.residual.is_certified ? "certified" : "NOT certified");
    }
    cairn_session_close(&session);
    free(options);
    return cairn_is_ok(status) ? CAIRN_EXIT_DONE : cairn_complain("dump", status);
}

const CairnCommand cairn_command_dump = {
    .name = "dump",
    .summary = "write the problem of one frame of a scene to a file",
    .run = dump_command,
};
