// The options of cairn view, and the viewer from its opening to its end.
#include "demos/program/cli/program.h"
#include "demos/program/session/law.h"
#include "demos/viewer/crash.h"
#include "demos/viewer/panels.h"
#include "demos/viewer/viewer.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static CairnStatus take_solvers(void *target, const char *value) {
    CairnChoiceList *list = &((CairnViewOptions *)target)->solvers;
    CAIRN_TRY(cairn_choices_split(value, list));
    if (list->count > CAIRN_CREW_VIEWS) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "'%.80s': at most %d solvers side by side", value,
                           (int)CAIRN_CREW_VIEWS);
    }
    return cairn_ok();
}

static CairnStatus take_frames(void *target, const char *value) {
    return cairn_parse_int(value, 1, CAIRN_RUN_STEPS_MAX, &((CairnViewOptions *)target)->frames);
}

// What --panel opens: the tabs, and three more.
#define NAME(name) #name,
static const char *const panel_names[] = {CAIRN_PANELS(NAME) "charts", "help", "dark"};
#define LISTED(name) #name ", "
#define PANEL_WORDS CAIRN_PANELS(LISTED) "charts, help, dark"

static CairnStatus take_panel(void *target, const char *value) {
    enum { COUNT = (int)(sizeof panel_names / sizeof panel_names[0]) };
    for (const char *name = value; *name;) {
        size_t length = strcspn(name, ",");
        int k = 0;
        while (k < COUNT && (strlen(panel_names[k]) != length || strncmp(panel_names[k], name, length) != 0)) {
            k++;
        }
        if (k == COUNT) {
            return cairn_error(CAIRN_INVALID_ARGUMENT, "'%.*s' is none of " PANEL_WORDS, length < 40 ? (int)length : 40,
                               name);
        }
        name += length + (name[length] == ',');
    }
    ((CairnViewOptions *)target)->panel = value;
    return cairn_ok();
}

static CairnStatus take_check(void *target, const char *value) {
    (void)value;
    ((CairnViewOptions *)target)->checks_gl = true;
    return cairn_ok();
}

static const CairnOption command_options[] = {
    {"--solvers", "A,B:k=v,k=v",
     "two to four copies of the scene side by side, each with its own solver; without --friction under the richest law "
     "that all of them take",
     take_solvers},
    {"--frames", "N", "quit after N steps", take_frames},
    {"--panel", "NAMES", "open at the start: " PANEL_WORDS, take_panel},
    {"--check-gl", NULL,
     "have OpenGL's driver look for mistakes of the viewer's (slower): exit with 1 if there was one", take_check},
};

enum { COMMAND_COUNT = (int)(sizeof(command_options) / sizeof(command_options[0])) };

// A recording has the options that it was made with; of the command's options only those on the window's appearance
// apply.
static CairnStatus take_recording(CairnViewOptions *options) {
    CairnRunOptions *run = &options->run;
    if (!options->recording || !run->scene || !cairn_recording_is(run->scene)) {
        options->recording = NULL;
        return cairn_ok();
    }
    const struct {
        const char *name;
        bool is_given;
    } given[] = {{"--solver", run->solver != NULL},       {"--solvers", options->solvers.count > 0},
                 {"--partition", run->partition != NULL}, {"--refine", run->refine != NULL},
                 {"--part-size", run->part_size != NULL}, {"--iterations", run->iterations != NULL},
                 {"--tol", run->tolerance != NULL},       {"--budget-ms", run->budget != NULL},
                 {"--param", run->params.count > 0},      {"--world", run->settings.count > 0},
                 {"--friction", run->has_friction},       {"--dt", run->dt > 0},
                 {"--record", run->record != NULL}};
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
        if (given[i].is_given) {
            return cairn_error(CAIRN_INVALID_ARGUMENT, "option %s: the recording %.100s brings its own", given[i].name,
                               run->scene);
        }
    }
    CAIRN_TRY(cairn_recording_read(run->scene, options->recording));
    CairnRunOptions recorded = options->recording->options;
    memcpy(recorded.shots, run->shots, sizeof run->shots);
    recorded.shot_count = run->shot_count;
    recorded.width = run->width;
    recorded.height = run->height;
    recorded.threads = run->threads;
    recorded.video = run->video;
    recorded.needs_certified = run->needs_certified;
    recorded.needs_sound = run->needs_sound;
    recorded.auditing = run->auditing;
    recorded.needs_parts = true;
    recorded.steps = run->steps > 0 ? run->steps : options->recording->count - 1;
    *run = recorded;
    return cairn_ok();
}

// Solvers side by side without a law that was named: the richest one that all of them take, as cairn compare does.
static CairnStatus choose_law(CairnViewOptions *options) {
    CairnRunOptions *run = &options->run;
    unsigned shared = ~0u;
    if (options->solvers.count < 2 || cairn_law_is_named(run)) {
        return cairn_ok();
    }
    for (int i = 0; i < options->solvers.count; i++) {
        CairnChoice choice;
        CAIRN_TRY(cairn_choice_open(options->solvers.items[i], "--solvers", &choice));
        shared &= choice.solver->traits;
        cairn_choice_close(&choice);
    }
    run->has_friction = options->is_law_chosen = cairn_law_richest(shared, &run->friction);
    return cairn_ok();
}

static CairnStatus check(CairnViewOptions *options) {
    CairnRunOptions *run = &options->run;
    CAIRN_TRY(cairn_run_options_need_scene(run));
    CAIRN_TRY(take_recording(options));
    if (run->json || run->csv) {
        return cairn_error(CAIRN_UNSUPPORTED, "option %s: a window writes no results, cairn run does",
                           run->json ? "--json" : "--csv");
    }
    if (run->solver && options->solvers.count > 0) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "options --solver and --solvers: one of them");
    }
    bool is_common = run->iterations || run->tolerance || run->budget;
    if (is_common && options->solvers.count > 0) {
        return cairn_error(CAIRN_UNSUPPORTED, "option --solvers: each takes its own options, as in pgs:iterations=50");
    }
    CAIRN_TRY(choose_law(options));
    CAIRN_TRY(cairn_run_options_check_shots(run));
    for (int i = 0; i < run->shot_count; i++) {
        if (options->frames > 0 && run->shots[i].frame > options->frames) {
            return cairn_error(CAIRN_INVALID_ARGUMENT, "option --screenshot: frame %d is after the last one, %d",
                               run->shots[i].frame, options->frames);
        }
    }
    return cairn_ok();
}

static int by_frame(const void *a, const void *b) {
    const CairnShot *x = a, *y = b;
    return (x->frame > y->frame) - (x->frame < y->frame);
}

static void help(void) {
    CairnOption table[CAIRN_RUN_ALL + COMMAND_COUNT];
    int count = cairn_run_options_join_all(command_options, COMMAND_COUNT, table);
    printf("cairn view SCENE [options]\n\nShow a scene in a window. SCENE is a built-in name (cairn list scenes), a C "
           "file, a "
           "path to a shared object, or a\nrecording, which is run again.\n\n");
    cairn_options_help(table, count);
    printf("\nWith --steps the viewer pauses there; with --screenshot the window stays hidden and the pictures are the "
           "viewer's.\nKeys in the window:\n");
    for (int i = 0; i < cairn_viewer_key_count(); i++) {
        printf("  %-10s %s\n", cairn_viewer_key_at(i)->name, cairn_viewer_key_at(i)->help);
    }
    printf("  %-10s %s\n", "1 ... 9", "solver");
    printf("\nExit codes: 0 done, 1 a step failed or, with --certified or --sound, a frame was not, 2 wrong "
           "usage, no display or no OpenGL 3.3.\n");
}

static CairnStatus watch(CairnViewer *viewer, const CairnViewOptions *options, int *uncertified, int *unsound) {
    CAIRN_TRY(cairn_viewer_open(viewer, options));
    CairnStatus status = cairn_ok();
    while (!viewer->is_ending && cairn_is_ok(status)) {
        status = cairn_viewer_turn(viewer);
    }
    SDL_LockMutex(viewer->crew.mutex);
    for (int i = 0; i < viewer->crew.view_count; i++) {
        *uncertified += viewer->crew.views[i].uncertified;
        *unsound += viewer->crew.views[i].unsound;
    }
    SDL_UnlockMutex(viewer->crew.mutex);
    if (cairn_is_ok(status) && viewer->gl_errors > 0) {
        status = cairn_error(CAIRN_NUMERIC, "OpenGL reported %d errors%s%s", viewer->gl_errors,
                             viewer->gl_words[0] ? ", the last: " : "", viewer->gl_words);
    }
    CairnStatus closed = cairn_viewer_close(viewer);
    return cairn_is_ok(status) ? closed : status;
}

int cairn_view(int argc, char **argv) {
    CairnViewOptions *options = calloc(1, sizeof *options);
    CairnViewer *viewer = calloc(1, sizeof *viewer);
    CairnRecording recording = {.bytes = NULL};
    CairnReload *reload = calloc(1, sizeof *reload);
    int code, uncertified = 0, unsound = 0;
    if (!options || !viewer || !reload) {
        code = cairn_complain("view", cairn_error(CAIRN_OUT_OF_MEMORY, "no memory for the options"));
        goto done;
    }
    CairnOption table[CAIRN_RUN_ALL + COMMAND_COUNT];
    int count = cairn_run_options_join_all(command_options, COMMAND_COUNT, table);
    options->run = cairn_run_options();
    options->run.width = options->run.height = 0; // as it was left
    options->recording = &recording;
    options->run.needs_parts = true; // the solver may change to one that does
    CairnStatus status = cairn_options_parse(table, count, argc, argv, options, cairn_run_options_take_scene);
    if (cairn_is_ok(status) && options->run.wants_help) {
        help();
        code = CAIRN_EXIT_DONE;
        goto done;
    }
    status = cairn_is_ok(status) ? check(options) : status;
    qsort(options->run.shots, (size_t)options->run.shot_count, sizeof options->run.shots[0], by_frame);
    options->video = options->run.video;
    bool has_end = options->frames > 0 || options->run.steps > 0;
    if (options->video && options->frames == 0) {
        options->frames = options->run.steps; // the film has an end
    }
    options->is_hidden = options->run.shot_count > 0 || (options->video && has_end);
    status = cairn_is_ok(status) && !options->recording ? cairn_reload_open(reload, &options->run) : status;
    options->reload = reload;
    if (reload->source[0]) {
        cairn_crash_watch(reload->source);
    }
    status = cairn_is_ok(status) ? watch(viewer, options, &uncertified, &unsound) : status;
    code = cairn_is_ok(status) ? CAIRN_EXIT_DONE : cairn_complain("view", status);
    if (code == CAIRN_EXIT_DONE && options->run.needs_certified && uncertified > 0) {
        fprintf(stderr, "cairn view: %d steps were not certified\n", uncertified);
        code = CAIRN_EXIT_FAILED;
    }
    if (code == CAIRN_EXIT_DONE && options->run.needs_sound && unsound > 0) {
        fprintf(stderr, "cairn view: %d steps were not sound\n", unsound);
        code = CAIRN_EXIT_FAILED;
    }
done:
    if (reload) {
        cairn_reload_close(reload);
    }
    free(reload);
    cairn_recording_close(&recording);
    free(viewer);
    free(options);
    return code;
}
