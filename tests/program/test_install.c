// What `make install` leaves under a prefix: programs in C and in C++ are compiled against it as README.md says, the
// headers are clean for every standard that they promise, and the shared library exports what the headers declare.
//
// The library that is installed is that of the tests themselves: `make` hands its settings on in MAKEFLAGS, so that
// nothing is compiled again.
#include "tests/support/support.h"
#include "tests/support/support_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char text[SUPPORT_CALL_TEXT];

// Runs a line of the shell in which $T is the folder of this test and $P the prefix. What it prints is in `text`.
static int shell(const char *line) {
    if (support_is_sanitized()) {
        print_message("programs without a sanitizer cannot be linked with a library that has one: skipped\n");
        skip();
    }
    char whole[2048];
    snprintf(whole, sizeof whole, "T=%s P=%s/prefix; export T P; { %s\n} >%s/out 2>&1", support_folder(),
             support_folder(), line, support_folder());
    int code = system(whole);
    support_read("out", text, sizeof text);
    return code;
}

static void shell_well(const char *line) {
    if (shell(line) != 0) {
        fail_msg("%s: %s", line, text);
    }
}

static void write_file(const char *name, const char *content) {
    char path[128];
    support_path(name, path, sizeof path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(content, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void need_cxx(void) {
    if (shell("command -v ${CXX:-c++}") != 0) {
        print_message("there is no C++ compiler: skipped\n");
        skip();
    }
}

// The first scene of the README.
static void write_first_scene(const char *name) {
    static char readme[65536];
    FILE *file = fopen("README.md", "r");
    assert_non_null(file);
    size_t length = fread(readme, 1, sizeof readme - 1, file);
    fclose(file);
    readme[length] = '\0';
    char *heading = strstr(readme, "## A first scene");
    assert_non_null(heading);
    char *begin = strstr(heading, "```c\n");
    assert_non_null(begin);
    begin += strlen("```c\n");
    char *end = strstr(begin, "\n```\n");
    assert_non_null(end);
    end[1] = '\0';
    write_file(name, begin);
}

#define PKG "PKG_CONFIG_PATH=$P/lib/pkgconfig pkg-config"
#define STRICT "-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"

// Every frame of the scene is certified, in 120 lines.
static void run_first_scene(const char *program) {
    char line[128];
    snprintf(line, sizeof line, "$T/%s | awk '/ certified$/ { n++ } END { print NR, n }'", program);
    shell_well(line);
    assert_string_equal(text, "120 120\n");
}

static void a_program_in_c_runs(void **state) {
    (void)state;
    write_first_scene("first.c");
    shell_well("${CC:-cc} -std=c99 " STRICT " $T/first.c $(" PKG
               " --cflags --libs cairn) -Wl,-rpath,$P/lib -o $T/first");
    run_first_scene("first");
}

static void a_program_in_cxx_runs(void **state) {
    (void)state;
    need_cxx();
    write_first_scene("first.cpp");
    shell_well("${CXX:-c++} -std=c++11 " STRICT " $T/first.cpp $(" PKG
               " --cflags --libs cairn) -Wl,-rpath,$P/lib -o $T/first_cxx");
    run_first_scene("first_cxx");
}

static void a_program_with_the_archive_runs(void **state) {
    (void)state;
    write_first_scene("static.c");
    shell_well("${CC:-cc} $T/static.c $(" PKG
               " --static --cflags --libs cairn | sed s/-lcairn/-l:libcairn.a/) -o $T/static");
    run_first_scene("static");
}

// All macros that make tables of fields, and the inline functions, which a compiler looks at only where they are used.
static const char uses_headers[] =
    "#include <cairn/cairn.h>\n"
    "typedef struct Params { bool on; int boxes; double size; CairnVec3 v; CairnQuat q; int kind; } Params;\n"
    "static const char *const kinds[] = {\"a\", \"b\", NULL};\n"
    "static const CairnField fields[] = {\n"
    "    CAIRN_FIELD_BOOL(Params, on, true, \"\"),\n"
    "    CAIRN_FIELD_INT(Params, boxes, 10, 1, 1000, \"\"),\n"
    "    CAIRN_FIELD_DOUBLE(Params, size, 0.5, 0, 10, CAIRN_FIELD_OPEN_MIN | CAIRN_FIELD_INFINITE, \"m\", \"\"),\n"
    "    CAIRN_FIELD_VEC3(Params, v, 0, 0, 1, -1, 1, \"m\", \"\"),\n"
    "    CAIRN_FIELD_QUAT(Params, q, \"\"),\n"
    "    CAIRN_FIELD_CHOICE(Params, kind, CAIRN_FRICTION_CONE, kinds, \"\"),\n"
    "};\n"
    "extern const CairnFieldTable table;\n"
    "const CairnFieldTable table = CAIRN_FIELD_TABLE(\"params\", Params, fields);\n"
    "CairnStatus use(CairnWorld *world, CairnTransform pose);\n"
    "CairnStatus use(CairnWorld *world, CairnTransform pose) {\n"
    "    CairnJointDef joint = cairn_joint_def(CAIRN_JOINT_BALL);\n"
    "    CAIRN_TRY(cairn_joint_place(world, &joint, cairn_transform_point(pose, pose.p), cairn_vec3(1, 0, 0), "
    "pose.p));\n"
    "    return cairn_joint_create(world, &joint, NULL);\n"
    "}\n";

static void headers_are_clean_in_c(void **state) {
    (void)state;
    write_file("use.c", uses_headers);
    shell_well("for s in c99 c11 c17 c2x; do ${CC:-cc} -std=$s " STRICT
               " -Wdouble-promotion -I$P/include -fsyntax-only $T/use.c || exit 1; done");
}

static void headers_are_clean_in_cxx(void **state) {
    (void)state;
    need_cxx();
    write_file("use.cpp", uses_headers);
    shell_well("for s in c++11 c++14 c++17 c++20; do ${CXX:-c++} -std=$s " STRICT
               " -I$P/include -fsyntax-only $T/use.cpp || exit 1; done");
}

static void each_header_stands_alone(void **state) {
    (void)state;
    shell_well("for h in $P/include/cairn/*.h; do echo \"#include <cairn/${h##*/}>\" | "
               "${CC:-cc} -std=c99 " STRICT " -I$P/include -fsyntax-only -x c - || exit 1; done");
}

// The static inline functions are not among them, nor are functions that a comment or a macro names.
static void the_library_exports_what_the_headers_declare(void **state) {
    (void)state;
    shell_well("nm -D --defined-only $P/lib/libcairn.so | awk '{ print $3 }' | LC_ALL=C sort >$T/exported; "
               "tools/exports $P/include/cairn >$T/declared; diff $T/exported $T/declared");
    shell_well("grep -cx -e cairn_world_step -e cairn_version -e cairn_body_fields -e cairn_assert_failed $T/exported");
    assert_string_equal(text, "4\n");
}

static void what_is_installed_runs_on_other_machines(void **state) {
    (void)state;
    shell_well(
        "env -u MAKEFLAGS -u MAKELEVEL make -n V=1 install BUILD=$T/none PREFIX=$P | grep -o 'march=[^ ]*' | sort -u");
    assert_string_equal(text, "march=x86-64-v2\n");
    shell_well("env -u MAKEFLAGS -u MAKELEVEL make -n V=1 install NATIVE=1 BUILD=$T/none PREFIX=$P | grep -o 'march=[^ "
               "]*' | sort -u");
    assert_string_equal(text, "march=native\n");
}

// The last test: the prefix is empty after it.
static void uninstall_leaves_no_file(void **state) {
    (void)state;
    shell_well("make uninstall PREFIX=$P && find $P ! -type d");
    assert_null(strstr(text, support_folder()));
}

static int install(void **state) {
    if (support_folder_make(state) != 0) {
        return -1;
    }
    if (!support_is_sanitized() && shell("make install DEMO_DIRS= NATIVE=1 PREFIX=$P") != 0) {
        print_error("make install: %s\n", text);
        return -1;
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_in_c_runs),
        cmocka_unit_test(a_program_in_cxx_runs),
        cmocka_unit_test(a_program_with_the_archive_runs),
        cmocka_unit_test(headers_are_clean_in_c),
        cmocka_unit_test(headers_are_clean_in_cxx),
        cmocka_unit_test(each_header_stands_alone),
        cmocka_unit_test(the_library_exports_what_the_headers_declare),
        cmocka_unit_test(what_is_installed_runs_on_other_machines),
        cmocka_unit_test(uninstall_leaves_no_file),
    };
    return cmocka_run_group_tests(tests, install, support_folder_remove);
}
