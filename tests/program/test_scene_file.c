// Scenes from C files: compiled, tried in a process of their own, refused in words.
#include "demos/program/cli/program.h"
#include "demos/program/session/scene_file.h"
#include "tests/support/support.h"
#include "tests/support/support_call.h"
#include "tests/support/support_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const head = "#include <cairn/scene.h>\n#include <stdlib.h>\n#include <signal.h>\n";
static const char *const tail =
    "const CairnScene cairn_scene = {.name = \"own\", .summary = \"s\", .watch = \"w\", .build = build,\n"
    "    .script = script, .steps = 5, .step = 0.01, .camera = {.eye = {1, 0, 0}, .fov = 30}};\n";

// A scene whose build and script do this.
static void write_scene(const char *name, const char *build, const char *script) {
    char path[128];
    support_path(name, path, sizeof path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%sextern const CairnScene cairn_scene;\n", head);
    fprintf(file, "static CairnStatus build(CairnSceneRun *run) { (void)run; %s return cairn_ok(); }\n", build);
    fprintf(file,
            "static CairnStatus script(CairnSceneRun *run, double time) { (void)run; (void)time; %s return "
            "cairn_ok(); }\n%s",
            script, tail);
    assert_int_equal(fclose(file), 0);
}

static void a_c_file_runs(void **state) {
    (void)state;
    SupportCall *result = support_call_well("run examples/my_scene.c --steps 30 --quiet --json - --param size=0.1");
    char name[64];
    assert_true(support_json_text(result->out, "scene", name, sizeof name));
    assert_string_equal(name, "my_scene");
    // A recording of it finds it again.
    support_call_well("run examples/my_scene.c --steps 30 --quiet --record $/own.rec");
    assert_non_null(strstr(support_call_well("replay $/own.rec")->out, "the same to the bit: 30 of 30"));
}

static void what_does_not_compile_is_said(void **state) {
    (void)state;
    write_scene("bad.c", "undeclared = 3;", "");
    SupportCall *result = support_call("run $/bad.c --steps 3");
    assert_int_equal(result->code, CAIRN_EXIT_USAGE);
    assert_non_null(strstr(result->err, "does not compile: "));
    assert_non_null(strstr(result->err, "undeclared"));
    assert_non_null(strstr(result->err, "bad.c:5:"));
    result = support_call("run $/none.c");
    assert_int_equal(result->code, CAIRN_EXIT_USAGE);
    assert_non_null(strstr(result->err, "No such file"));
    setenv("CC", "cairn-no-such-compiler", 1);
    result = support_call("run $/bad.c");
    unsetenv("CC");
    assert_int_equal(result->code, CAIRN_EXIT_USAGE);
    assert_non_null(strstr(result->err, "there is no program cairn-no-such-compiler"));
}

// What became of a scene in a process of its own.
static CairnStatus try_scene(const char *build, const char *script) {
    char path[128], library[CAIRN_RUN_PATH], words[4096];
    write_scene("tried.c", build, script);
    support_path("tried.c", path, sizeof path);
    assert_ok(cairn_scene_file_build("scene", path, library, words, sizeof words));
    CairnRunOptions options = cairn_run_options();
    options.scene = library;
    CairnStatus status = cairn_scene_file_try(&options, 3, words, sizeof words);
    cairn_scene_file_remove(library);
    assert_int_equal(access(library, F_OK), -1);
    return status;
}

static void a_crash_stays_in_its_own_process(void **state) {
    (void)state;
    assert_ok(try_scene("", ""));
    assert_refused(try_scene("abort();", ""), CAIRN_INVALID_ARGUMENT, "crashes in its first 3 steps: Aborted");
    assert_refused(try_scene("", "if (time > 0.015) { raise(SIGKILL); }"), CAIRN_INVALID_ARGUMENT, "steps: Killed");
    assert_refused(try_scene("return cairn_error(CAIRN_INVALID_ARGUMENT, \"no such thing\");", ""),
                   CAIRN_INVALID_ARGUMENT, "no such thing");
}

int main(int argc, char **argv) {
    int code;
    if (support_is_tried(argc, argv, &code)) {
        return code;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_c_file_runs),
        cmocka_unit_test(what_does_not_compile_is_said),
        cmocka_unit_test(a_crash_stays_in_its_own_process),
    };
    return cmocka_run_group_tests(tests, support_folder_make, support_folder_remove);
}
