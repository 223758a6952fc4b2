#include "demos/program/session/run_options.h"
#include "engine/base/names.h"
#include <cairn/fields.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const friction_names[] = {"box", "box-current", "cone", "coulomb"}; // as CairnFrictionKind counts

enum { FRICTION_COUNT = (int)(sizeof(friction_names) / sizeof(friction_names[0])) };

const char *cairn_friction_name(CairnFrictionKind kind) {
    return (int)kind >= 0 && (int)kind < FRICTION_COUNT ? friction_names[kind] : "?";
}

static CairnStatus take_pair(CairnTextList *list, const char *value) {
    const char *equals = strchr(value, '=');
    if (!equals || equals == value) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "'%s' is not name=value", value);
    }
    if (list->count == CAIRN_RUN_LIST) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "'%s' is one too many: at most %d", value, (int)CAIRN_RUN_LIST);
    }
    list->items[list->count++] = value;
    return cairn_ok();
}

static CairnStatus take_solver(void *target, const char *value) {
    return cairn_parse_text(value, &((CairnRunOptions *)target)->solver);
}

static CairnStatus take_partition(void *target, const char *value) {
    return cairn_parse_text(value, &((CairnRunOptions *)target)->partition);
}

static CairnStatus take_refine(void *target, const char *value) {
    return cairn_parse_text(value, &((CairnRunOptions *)target)->refine);
}

static CairnStatus take_part_size(void *target, const char *value) {
    return cairn_parse_text(value, &((CairnRunOptions *)target)->part_size);
}

static CairnStatus take_iterations(void *target, const char *value) {
    return cairn_parse_text(value, &((CairnRunOptions *)target)->iterations);
}

static CairnStatus take_tolerance(void *target, const char *value) {
    return cairn_parse_text(value, &((CairnRunOptions *)target)->tolerance);
}

static CairnStatus take_budget(void *target, const char *value) {
    return cairn_parse_text(value, &((CairnRunOptions *)target)->budget);
}

static CairnStatus take_json(void *target, const char *value) {
    return cairn_parse_text(value, &((CairnRunOptions *)target)->json);
}

static CairnStatus take_csv(void *target, const char *value) {
    return cairn_parse_text(value, &((CairnRunOptions *)target)->csv);
}

static CairnStatus take_record(void *target, const char *value) {
    return cairn_parse_text(value, &((CairnRunOptions *)target)->record);
}

static CairnStatus take_video(void *target, const char *value) {
    return cairn_parse_text(value, &((CairnRunOptions *)target)->video);
}

static CairnStatus take_param(void *target, const char *value) {
    return take_pair(&((CairnRunOptions *)target)->params, value);
}

static CairnStatus take_setting(void *target, const char *value) {
    return take_pair(&((CairnRunOptions *)target)->settings, value);
}

static CairnStatus take_steps(void *target, const char *value) {
    return cairn_parse_int(value, 1, CAIRN_RUN_STEPS_MAX, &((CairnRunOptions *)target)->steps);
}

static CairnStatus take_threads(void *target, const char *value) {
    return cairn_parse_int(value, 1, CAIRN_MOST_THREADS, &((CairnRunOptions *)target)->threads);
}

static CairnStatus take_dt(void *target, const char *value) {
    return cairn_parse_double(value, 0, 1, &((CairnRunOptions *)target)->dt);
}

static CairnStatus take_seed(void *target, const char *value) {
    return cairn_parse_u64(value, &((CairnRunOptions *)target)->seed);
}

CairnStatus cairn_friction_parse(const char *text, CairnFrictionKind *kind) {
    char hint[CAIRN_HINT_SIZE];
    int found = cairn_name_find(text, friction_names, FRICTION_COUNT, hint);
    if (found < 0) {
        return cairn_error(CAIRN_NOT_FOUND, "'%s' is none of box, box-current, cone, coulomb%s", text, hint);
    }
    *kind = (CairnFrictionKind)found;
    return cairn_ok();
}

static CairnStatus take_friction(void *target, const char *value) {
    CairnRunOptions *options = target;
    options->has_friction = true;
    return cairn_friction_parse(value, &options->friction);
}

static CairnStatus take_shot(void *target, const char *value) {
    CairnRunOptions *options = target;
    const char *at = strrchr(value, '@');
    if (!at || at == value) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "'%s' is not FILE@FRAME", value);
    }
    if (options->shot_count == CAIRN_RUN_LIST || at - value >= CAIRN_RUN_PATH) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "'%.80s': at most %d pictures, paths below %d bytes", value,
                           (int)CAIRN_RUN_LIST, (int)CAIRN_RUN_PATH);
    }
    CairnShot *shot = &options->shots[options->shot_count];
    CAIRN_TRY(cairn_parse_int(at + 1, 0, CAIRN_RUN_STEPS_MAX, &shot->frame));
    snprintf(shot->path, sizeof shot->path, "%.*s", (int)(at - value), value);
    options->shot_count++;
    return cairn_ok();
}

static CairnStatus take_size(void *target, const char *value) {
    CairnRunOptions *options = target;
    const char *cross = strchr(value, 'x');
    char width[16];
    if (!cross || cross == value || cross - value > 15) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "'%s' is not WIDTHxHEIGHT", value);
    }
    snprintf(width, sizeof width, "%.*s", (int)(cross - value), value);
    CAIRN_TRY(cairn_parse_int(width, 16, CAIRN_PICTURE_MAX, &options->width));
    return cairn_parse_int(cross + 1, 16, CAIRN_PICTURE_MAX, &options->height);
}

static CairnStatus take_certified(void *target, const char *value) {
    (void)value;
    ((CairnRunOptions *)target)->needs_certified = true;
    return cairn_ok();
}

static CairnStatus take_sound(void *target, const char *value) {
    (void)value;
    ((CairnRunOptions *)target)->needs_sound = true;
    return cairn_ok();
}

static CairnStatus take_audit(void *target, const char *value) {
    static const char *const names[] = {"frame", "full", "off"};
    char hint[CAIRN_HINT_SIZE];
    int found = cairn_name_find(value, names, CAIRN_AUDITING_COUNT, hint);
    if (found < 0) {
        return cairn_error(CAIRN_NOT_FOUND, "'%s' is none of off, frame, full%s", value, hint);
    }
    ((CairnRunOptions *)target)->auditing = (CairnAuditing)found;
    return cairn_ok();
}

static CairnStatus take_quiet(void *target, const char *value) {
    (void)value;
    ((CairnRunOptions *)target)->is_quiet = true;
    return cairn_ok();
}

static CairnStatus take_help(void *target, const char *value) {
    (void)value;
    ((CairnRunOptions *)target)->wants_help = true;
    return cairn_ok();
}

// The options that run and the other commands have in common.
static const CairnOption world_options[] = {
    {"--partition", "NAME[:k=v,k=v]",
     "how the system is parted (cairn list partitioners); where a solver needs parts mindp", take_partition},
    {"--refine", "NAME[:k=v,k=v]", "how the parts are refined (cairn list refiners)", take_refine},
    {"--part-size", "N", "most bodies in a part: the option 'part_size' of partitioner and refiner", take_part_size},
    {"--steps", "N", "number of steps instead of the scene's", take_steps},
    {"--dt", "H", "step in seconds instead of the scene's; 1/240 works too", take_dt},
    {"--threads", "N", "threads that a step may use; the bits are the same for any number", take_threads},
    {"--seed", "N", "seed of what the scene draws at random", take_seed},
    {"--param", "NAME=VALUE", "a parameter of the scene (cairn run SCENE --help); may be repeated", take_param},
    {"--world", "NAME=VALUE", "a setting of the world (cairn help world); may be repeated", take_setting},
    {"--friction", "KIND", "box, box-current, cone or coulomb", take_friction},
    {"--iterations", "N", "the solver's option 'iterations'", take_iterations},
    {"--tol", "T", "the solver's option 'tolerance'", take_tolerance},
    {"--budget-ms", "T", "the solver's option 'budget_ms': such a run depends on the machine", take_budget},
    {"--certified", NULL, "exit with 1 if the referee did not certify every frame", take_certified},
    {"--audit", "off|frame|full",
     "momentum, energy and joints of every frame (frame, the default), also overlaps and what was passed (full)",
     take_audit},
    {"--sound", NULL, "exit with 1 if the audit did not find every frame sound", take_sound},
    {"--json", "FILE", "write the results; - is the standard output", take_json},
    {"--quiet", NULL, "no progress bar and no table", take_quiet},
    {"--help", NULL, "this help, or the parameters of the scene", take_help},
};

static const CairnOption run_only_options[] = {
    {"--solver", "NAME[:k=v,k=v]",
     "solver and its options (cairn list solvers; the first is the default), or a file of your own", take_solver},
    {"--csv", "FILE", "write a line a frame", take_csv},
    {"--record", "FILE", "write a recording, which cairn replay runs again and cairn view shows", take_record},
    {"--video", "FILE", "write a video (by ffmpeg; where there is none, PNG files FILE-000001.png and on)", take_video},
    {"--screenshot", "FILE@FRAME", "write a PNG of the world after FRAME steps; may be repeated", take_shot},
    {"--size", "WIDTHxHEIGHT", "of the pictures, 960x600 by default", take_size},
};

enum {
    COMMON_COUNT = (int)(sizeof(world_options) / sizeof(world_options[0])),
    RUN_ONLY_COUNT = (int)(sizeof(run_only_options) / sizeof(run_only_options[0]))
};

_Static_assert((int)COMMON_COUNT <= (int)CAIRN_RUN_COMMON, "tables of commands hold the shared options");

int cairn_run_options_join(const CairnOption *command_options, int count, CairnOption *table) {
    for (int i = 0; i < count; i++) {
        table[i] = command_options[i];
    }
    memcpy(table + count, world_options, sizeof world_options);
    return count + COMMON_COUNT;
}

_Static_assert((int)COMMON_COUNT + (int)RUN_ONLY_COUNT <= (int)CAIRN_RUN_ALL,
               "tables of commands hold all of run's options");

int cairn_run_options_join_all(const CairnOption *command_options, int count, CairnOption *table) {
    count = cairn_run_options_join(command_options, count, table);
    memcpy(table + count, run_only_options, sizeof run_only_options);
    return count + RUN_ONLY_COUNT;
}

CairnStatus cairn_run_options_take_scene(void *target, const char *word) {
    CairnRunOptions *options = target;
    if (options->scene) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "one scene at a time: got '%s' and '%s'", options->scene, word);
    }
    return cairn_parse_text(word, &options->scene);
}

CairnRunOptions cairn_run_options(void) {
    return (CairnRunOptions){.seed = 1, .width = CAIRN_PICTURE_WIDTH, .height = CAIRN_PICTURE_HEIGHT};
}

CairnStatus cairn_run_options_read(const CairnOption *command_options, int command_count, size_t size, int argc,
                                   char **argv, void **options) {
    CairnOption table[CAIRN_RUN_ALL];
    if (command_count > CAIRN_RUN_ALL - CAIRN_RUN_COMMON) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "%d options of a command are too many", command_count);
    }
    int count = cairn_run_options_join(command_options, command_count, table);
    *options = calloc(1, size);
    if (!*options) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "no memory for the options");
    }
    *(CairnRunOptions *)*options = cairn_run_options();
    return cairn_options_parse(table, count, argc, argv, *options, cairn_run_options_take_scene);
}

CairnStatus cairn_run_options_need_scene(const CairnRunOptions *options) {
    if (!options->scene && !options->wants_help) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "which scene? cairn list scenes");
    }
    return cairn_ok();
}

CairnStatus cairn_run_options_check_shots(const CairnRunOptions *options) {
    for (int i = 0; i < options->shot_count; i++) {
        char folder[CAIRN_RUN_PATH];
        snprintf(folder, sizeof folder, "%s", options->shots[i].path);
        char *slash = strrchr(folder, '/');
        if (slash) {
            slash[slash == folder] = '\0';
        }
        if (access(slash ? folder : ".", W_OK) != 0) {
            return cairn_error(CAIRN_IO, "option --screenshot: cannot write into %s: %s", slash ? folder : ".",
                               strerror(errno));
        }
    }
    return cairn_ok();
}

CairnStatus cairn_run_options_parse(int argc, char **argv, CairnRunOptions *options) {
    CairnOption table[CAIRN_RUN_COMMON + RUN_ONLY_COUNT];
    int count = cairn_run_options_join(run_only_options, RUN_ONLY_COUNT, table);
    *options = cairn_run_options();
    CAIRN_TRY(cairn_options_parse(table, count, argc, argv, options, cairn_run_options_take_scene));
    return cairn_run_options_need_scene(options);
}

void cairn_run_options_help(void) {
    CairnOption table[CAIRN_RUN_COMMON + RUN_ONLY_COUNT];
    int count = cairn_run_options_join(run_only_options, RUN_ONLY_COUNT, table);
    printf("cairn run SCENE [options]\n\nRun a scene headless. SCENE is a built-in name (cairn list scenes), a C file "
           "that "
           "defines\n`const CairnScene cairn_scene` (examples/my_scene.c), or the shared object made of one.\n\n");
    cairn_options_help(table, count);
    printf("\nExit codes: 0 done, 1 the run failed (not finite, a scene's check broke, not certified or not "
           "sound where asked), 2 "
           "wrong "
           "usage.\n");
}
