// Scenes from a person's own file in the window: shown again when the file changes, and the viewer outlives what is
// wrong with it. Also how long the window takes to answer while a step takes long.
#include "tests/support/support.h"
#include "tests/support/support_call.h"
#include "tests/support/support_window.h"
#ifdef CAIRN_VIEWER
#include "demos/viewer/crash.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/cairn_test_XXXXXX", path[80];

static void write_scene(const char *name, const char *build, const char *script) {
    if (path[0] == '\0') {
        assert_non_null(mkdtemp(folder));
        snprintf(path, sizeof path, "%s/own.c", folder);
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(
        file,
        "#include <cairn/scene.h>\n#include <stdlib.h>\n#include <time.h>\nextern const CairnScene cairn_scene;\n"
        "typedef struct Params { double size; } Params;\n"
        "static const CairnField fields[] = {CAIRN_FIELD_DOUBLE(Params, size, 0.5, 0.1, 2, 0, \"m\", \"edge\")};\n"
        "static CairnStatus build(CairnSceneRun *run) {\n"
        "    CairnBodyDef body = cairn_body_def();\n    const Params *p = run->params;\n"
        "    CairnShapeDef box = cairn_box(p->size, p->size, p->size);\n    %s\n"
        "    return cairn_body_add(run->world, &body, &box, NULL);\n}\n"
        "static CairnStatus script(CairnSceneRun *run, double time) { (void)run; (void)time; %s return cairn_ok(); }\n"
        "const CairnScene cairn_scene = {.name = \"%s\", .summary = \"s\", .watch = \"w\", .build = build,\n"
        "    .params = CAIRN_FIELD_TABLE(\"own\", Params, fields),\n"
        "    .script = script, .steps = 5, .step = 0.01, .camera = {.eye = {4, 0, 1}, .fov = 30}};\n",
        build, script, name);
    assert_int_equal(fclose(file), 0);
}

static bool is_shown(SupportStage *stage, const char *name) {
    return strcmp(stage->viewer.source.scene->name, name) == 0;
}

// Until it is so; compiling takes as long as it takes.
#define until(stage, what)                                                                                             \
    for (int tries = 0; tries < 20000 && !(what); tries++) {                                                           \
        support_stage_turn(stage, 1);                                                                                  \
    }                                                                                                                  \
    assert_true(what)

static void a_file_is_shown_again_when_it_changes(void **state) {
    support_display_need(state);
    write_scene("broken", "undeclared = 3;", "");
    CairnReload *reload = calloc(1, sizeof *reload);
    assert_non_null(reload);
    CairnViewOptions options = support_stage_options(path);
    options.run.params.items[options.run.params.count++] = "size=0.7";
    assert_ok(cairn_reload_open(reload, &options.run));
    options.reload = reload;
    SupportStage *stage = support_stage_open_with(&options);
    assert_true(is_shown(stage, "nothing"));
    assert_non_null(strstr(reload->words, "does not compile"));
    assert_non_null(strstr(reload->words, "undeclared"));
    support_stage_turn(stage, 3);

    write_scene("first", "", ""); // now it works, with the parameter of the command line
    until(stage, is_shown(stage, "first"));
    assert_string_equal(reload->words, "");
    support_stage_wait(stage);
    assert_true(*(const double *)stage->viewer.params == 0.7);

    static const struct {
        const char *build, *script, *words;
    } faults[] = {{"abort();", "", "crashes in its first 5 steps: Aborted"},
                  {"", "if (time > 0.015) { abort(); }", "crashes in its first 5 steps: Aborted"},
                  {"return cairn_error(CAIRN_INVALID_ARGUMENT, \"no such thing\");", "", "no such thing"},
                  {"} {", "", "does not compile"}};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        write_scene("broken", faults[i].build, faults[i].script);
        until(stage, strstr(reload->words, faults[i].words) != NULL);
        assert_true(is_shown(stage, "first")); // and goes on
        support_stage_press(stage, SDLK_n);
        support_stage_wait(stage);
        assert_ok(support_stage_look(stage, 0)->status);
        reload->words[0] = '\0';
    }
    write_scene("second", "", "");
    until(stage, is_shown(stage, "second"));
    assert_true(*(const double *)stage->viewer.params == 0.7);
    support_stage_wait(stage);
    support_stage_close(stage);
    cairn_reload_close(reload);
    free(reload);
}

// A scene that crashes later ends the viewer; its last words say where, and the process ends as it would have.
static void a_late_crash_is_told(void **state) {
    (void)state;
    int pipes[2], code = 0;
    char heard[500] = "";
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(pipes[1], STDERR_FILENO);
        cairn_crash_watch("my_scene.c");
        cairn_crash_note("mine", "bpp", 117);
        abort();
    }
    assert_true(child > 0);
    close(pipes[1]);
    for (ssize_t got, used = 0; (got = read(pipes[0], heard + used, sizeof heard - 1 - (size_t)used)) > 0;) {
        used += got;
    }
    close(pipes[0]);
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_true(WIFSIGNALED(code) && WTERMSIG(code) == SIGABRT);
    assert_non_null(strstr(heard, "scene mine of my_scene.c crashed in the step from frame 117, solver bpp"));
}

// Seconds from an event to the end of the turn that shows what it did, for as long as it is given: keys, or the mouse
// that turns the camera. Answers how many there were.
static int answer_for(SupportStage *stage, double seconds, bool is_key, double *longest) {
    double first = cairn_viewer_clock();
    int turns = 0;
    for (*longest = 0; cairn_viewer_clock() - first < seconds && !cairn_crew_is_idle(&stage->viewer.crew); turns++) {
        double start = cairn_viewer_clock(), yaw = stage->viewer.orbit.yaw;
        bool shows_help = stage->viewer.shows_help;
        if (is_key) {
            support_stage_press(stage, SDLK_h);
            assert_true(stage->viewer.shows_help != shows_help); // done when the turn ends
        } else {
            SDL_Event event = {
                .motion = {.type = SDL_MOUSEMOTION, .state = SDL_BUTTON_LMASK, .x = 300, .y = 400, .xrel = 9}};
            support_stage_send(stage, event);
            assert_true(stage->viewer.orbit.yaw != yaw);
        }
        *longest = fmax(*longest, cairn_viewer_clock() - start);
    }
    return turns;
}

// A step of more than a second that keeps a core busy: a window of the usual size goes on drawing and takes keys and
// mouse. What it takes is told, not asserted: it is the machine's, and what else runs there.
static void the_window_answers_while_a_step_takes_long(void **state) {
    support_display_need(state);
    write_scene(
        "slow", "",
        "struct timespec a, b; clock_gettime(CLOCK_MONOTONIC, &a);"
        "do { clock_gettime(CLOCK_MONOTONIC, &b); }"
        "while (time > 0.045 && (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec) < 1.5);");
    CairnReload *reload = calloc(1, sizeof *reload);
    assert_non_null(reload);
    CairnViewOptions options = support_stage_options(path);
    options.run.width = 1280;
    options.run.height = 800;
    assert_ok(cairn_reload_open(reload, &options.run));
    assert_string_equal(reload->words, "");
    options.reload = reload;
    SupportStage *stage = support_stage_open_with(&options);
    support_stage_press(stage, SDLK_SPACE);
    support_stage_wait(stage);
    for (int i = 0; i < 12; i++) { // long enough for it to know how finely it may draw here
        stage->viewer.orbit.yaw += 0.01;
        support_stage_turn(stage, 1);
    }
    int frame = support_stage_look(stage, 0)->frame;
    cairn_crew_want(&stage->viewer.crew, frame > 5 ? frame + 1 : 6);
    until(stage, cairn_crew_done(&stage->viewer.crew) >= 5); // the next one takes its time
    double start = cairn_viewer_clock(), longest[2];
    int keys = answer_for(stage, 0.4, true, &longest[0]);
    stage->viewer.shows_help = false;
    int moves = answer_for(stage, 0.4, false, &longest[1]);
    print_message(
        "1280x800 while a step lasts: %d keys, the longest %.1f ms; %d turns of the camera, the longest %.1f ms\n",
        keys, 1e3 * longest[0], moves, 1e3 * longest[1]);
    assert_true(keys >= 1);
    if (cairn_viewer_clock() - start < 1.2) { // the step is still under way, and yet the window closes
        assert_true(moves >= 1);
        assert_false(cairn_crew_is_idle(&stage->viewer.crew));
    }
    support_stage_close(stage);
    cairn_reload_close(reload);
    free(reload);
    char line[100];
    snprintf(line, sizeof line, "rm -r %s", folder);
    assert_int_equal(system(line), 0);
}

int main(int argc, char **argv) {
    int code;
    if (support_is_tried(argc, argv, &code)) {
        return code;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_shown_again_when_it_changes),
        cmocka_unit_test(a_late_crash_is_told),
        cmocka_unit_test(the_window_answers_while_a_step_takes_long),
    };
    return cmocka_run_group_tests(tests, support_display_open, support_display_close);
}
#else
int main(void) {
    return support_without_viewer();
}
#endif
