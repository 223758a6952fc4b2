// cairn export: a scene, as it is built, for another engine.
#include "demos/program/cli/output.h"
#include "demos/program/cli/program.h"
#include "demos/program/formats/mjcf.h"
#include "demos/program/session/session.h"
#include <stdlib.h>
#include <string.h>

typedef struct ExportOptions {
    CairnRunOptions run; // first: run's options are taken through it
    const char *out;
    bool has_format;
} ExportOptions;

static CairnStatus take_out(void *target, const char *value) {
    return cairn_parse_text(value, &((ExportOptions *)target)->out);
}

static CairnStatus take_format(void *target, const char *value) {
    ((ExportOptions *)target)->has_format = true;
    return strcmp(value, "mjcf") == 0 ? cairn_ok() : cairn_error(CAIRN_NOT_FOUND, "'%s' is not mjcf", value);
}

static const CairnOption command_options[] = {
    {"--format", "NAME", "mjcf: MuJoCo's model file", take_format},
    {"--out", "FILE", "where it goes; - is the standard output", take_out},
};

enum { COMMAND_COUNT = (int)(sizeof(command_options) / sizeof(command_options[0])) };

static void print_help(void) {
    CairnOption table[COMMAND_COUNT + CAIRN_RUN_COMMON];
    int count = cairn_run_options_join(command_options, COMMAND_COUNT, table);
    printf("cairn export SCENE --format mjcf --out FILE [options]\n\nWrite a scene for another engine: bodies, masses, "
           "shapes, "
           "joints, limits, springs, filters, gravity, the step,\nand as key frame 'start' where all begins and how "
           "fast.\n\n");
    cairn_options_help(table, count);
    printf("\nOf no use here: --certified, --json, --steps, --threads.\n");
}

static CairnStatus export_scene(const ExportOptions *options, CairnSession *session) {
    CAIRN_TRY(cairn_run_options_need_scene(&options->run));
    if (!options->has_format || !options->out) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "%s",
                           options->out ? "which format? --format mjcf" : "where to? --out FILE");
    }
    FILE *file = NULL;
    CairnMjcfCounts counts;
    CAIRN_TRY(cairn_session_open(&options->run, session));
    CAIRN_TRY(cairn_output_open(options->out, "--out", &file));
    CairnStatus status = cairn_mjcf_write(file, session->world, session->scene->name, session->dt, &counts);
    CairnStatus closed = cairn_output_close(options->out, &file);
    if (!cairn_is_ok(status)) {
        if (strcmp(options->out, "-") != 0) {
            remove(options->out); // half a model is none
        }
        return status;
    }
    if (cairn_is_ok(closed) && !options->run.is_quiet && strcmp(options->out, "-") != 0) {
        printf("%s: %s with %d bodies, %d joints, %d shapes", options->out, session->scene->name, counts.bodies,
               counts.joints, counts.shapes);
        printf(counts.drives > 0 ? "; without %d motors and servos of joints\n" : "\n", counts.drives);
        if (counts.is_at_rest) {
            printf("It begins at rest: MuJoCo's reader takes no list as long as its velocities.\n");
        }
        if (session->scene->script) {
            printf("The scene's script (what moves it from outside) is not in it.\n");
        }
    }
    return closed;
}

static int export_command(const CairnLinked *linked, int argc, char **argv) {
    (void)linked;
    void *read = NULL;
    CairnStatus status =
        cairn_run_options_read(command_options, COMMAND_COUNT, sizeof(ExportOptions), argc, argv, &read);
    ExportOptions *options = read;
    if (cairn_is_ok(status) && options->run.wants_help) {
        print_help();
        free(options);
        return CAIRN_EXIT_DONE;
    }
    CairnSession session = {.world = NULL};
    status = cairn_is_ok(status) ? export_scene(options, &session) : status;
    cairn_session_close(&session);
    free(options);
    return cairn_is_ok(status) ? CAIRN_EXIT_DONE : cairn_complain("export", status);
}

const CairnCommand cairn_command_export = {
    .name = "export",
    .summary = "write a scene for another engine (MuJoCo's MJCF)",
    .run = export_command,
};
