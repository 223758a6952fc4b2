// cairn compare: one problem for all in lockstep, a world for each in free mode, and what it writes.
#include "demos/program/cli/program.h"
#include "demos/program/compare/compare.h"
#include "tests/support/support.h"
#include "tests/support/support_call.h"
#include "tests/support/support_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void assert_holds(const char *text, const char *part) {
    if (!strstr(text, part)) {
        fail_msg("'%s' is not in:\n%s", part, text);
    }
}

static double number(const char *json, int result, const char *path) {
    char whole[128];
    snprintf(whole, sizeof whole, "results.%d.%s", result, path);
    return support_json_number(json, whole);
}

static void text(const char *json, const char *path, char value[64]) {
    if (!support_json_text(json, path, value, 64)) {
        fail_msg("there is no text at %s", path);
    }
}

static void lists_of_solvers_are_split(void **state) {
    (void)state;
    static CairnChoiceList list;
    assert_ok(cairn_choices_split("pgs,bpp:faithful=1,kmax=20,ipm:a=1,pgs,omega=1:2:3", &list));
    assert_int_equal(list.count, 4);
    assert_string_equal(list.items[0], "pgs");
    assert_string_equal(list.items[1], "bpp:faithful=1,kmax=20");
    assert_string_equal(list.items[2], "ipm:a=1");
    assert_string_equal(list.items[3], "pgs:omega=1:2:3");
    assert_refused(cairn_choices_split("omega=1,pgs", &list), CAIRN_INVALID_ARGUMENT, "after the name");
    assert_refused(cairn_choices_split("pgs,,ipm", &list), CAIRN_INVALID_ARGUMENT, "missing");
    assert_refused(cairn_choices_split("pgs,", &list), CAIRN_INVALID_ARGUMENT, "missing");
    char many[2 * 33], large[700] = "pgs:";
    for (int i = 0; i < 33; i++) {
        many[2 * i] = 'a';
        many[2 * i + 1] = i < 32 ? ',' : '\0';
    }
    assert_refused(cairn_choices_split(many, &list), CAIRN_INVALID_ARGUMENT, "at most 32");
    memset(large + 4, 'x', 300);
    assert_refused(cairn_choices_split(large, &list), CAIRN_INVALID_ARGUMENT, "255 bytes");
}

#define ONE_SOLVE "--friction box --world touch_passes=1 --world contact_passes=1 --quiet --json -"

// The reference solves its own problems again from its own impulses: to the bit what moved the world. That holds only
// if the problem, the warm start by id (tangents turned along) and the order of all of it are what the step had, in its
// one solve.
static void reference_repeats_its_own_motion(void **state) {
    (void)state;
    static const char *const lines[] = {
        "compare box_tower --solvers pgs:iterations=1000 --steps 30 " ONE_SOLVE,
        "compare pendulum_chain --dt 1/240 --solvers pgs:iterations=20 --steps 60 --quiet --json -",
        "compare box_tower --solvers ipm --steps 30 " ONE_SOLVE,
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const char *json = support_call_well(lines[i])->out;
        assert_near(number(json, 0, "velocity_difference.max"), 0, 0);
        assert_near(number(json, 0, "velocity_difference.within_fraction"), 1, 0);
    }
}

// What drives is the reference alone: the state at the end is the one of a run with it.
static void lockstep_is_driven_by_the_reference(void **state) {
    (void)state;
    char hash[64], driven[64], name[64];
    text(support_call_well("run box_tower --steps 40 --solver ipm --quiet --json -")->out, "state_hash", hash);
    const char *json = support_call_well("compare box_tower --steps 40 --solvers pgs:iterations=5,ipm --reference ipm "
                                         "--friction box --quiet --json -")
                           ->out;
    assert_true(support_json_is_valid(json));
    assert_int_equal(support_json_count(json, "results"), 2);
    text(json, "reference", name);
    assert_string_equal(name, "ipm");
    text(json, "mode", name);
    assert_string_equal(name, "lockstep");
    text(json, "scene", name);
    assert_string_equal(name, "box_tower");
    text(json, "results.0.solver", name);
    assert_string_equal(name, "pgs");
    text(json, "results.0.solver_text", name);
    assert_string_equal(name, "pgs:iterations=5");
    for (int i = 0; i < 2; i++) {
        char path[64];
        snprintf(path, sizeof path, "results.%d.state_hash", i);
        text(json, path, driven);
        assert_string_equal(driven, hash);
        assert_near(number(json, i, "steps"), 40, 0);
    }
    // Five sweeps cannot be exact, and the referee and the velocities must both say so.
    assert_near(number(json, 0, "residual.certified_fraction"), 0, 0);
    assert_near(number(json, 0, "iterations.max"), 5, 0);
    assert_true(number(json, 0, "velocity_difference.max_over_limit") > 10);
    assert_true(number(json, 0, "velocity_difference.within_fraction") < 1);
    assert_near(number(json, 1, "residual.certified_fraction"), 1, 0);
}

// Exact solvers agree on velocities to 1e-8 max|b| on every problem.
static void exact_solvers_agree(void **state) {
    (void)state;
    static const char *const scenes[] = {"box_tower", "domino_row", "pendulum_chain", "newtons_cradle"};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        char line[128];
        snprintf(line, sizeof line, "compare %s --solvers ipm,bpp --steps 60 --certified --quiet --json -", scenes[i]);
        const char *json = support_call_well(line)->out;
        for (int k = 0; k < 2; k++) {
            assert_near(number(json, k, "velocity_difference.within_fraction"), 1, 0);
            assert_below(number(json, k, "velocity_difference.max_over_limit"), 1);
        }
    }
}

static void free_worlds_are_those_of_run(void **state) {
    (void)state;
    static const char *const solvers[] = {"pgs:iterations=9,omega=1.2", "ipm"};
    char line[160], hash[64], other[64];
    char *json = strdup(support_call_well("compare falling_box --solvers pgs:iterations=9,omega=1.2,ipm --mode free "
                                          "--friction box --steps 80 --quiet --json -")
                            ->out);
    assert_non_null(json);
    for (int i = 0; i < 2; i++) {
        snprintf(line, sizeof line, "run falling_box --solver %s --steps 80 --quiet --json -", solvers[i]);
        text(support_call_well(line)->out, "state_hash", hash);
        snprintf(line, sizeof line, "results.%d.state_hash", i);
        text(json, line, other);
        assert_string_equal(hash, other);
    }
    free(json);
}

// Who names no law gets the richest one that all contenders take, and reads which one that was.
static void the_law_is_the_richest_that_all_take(void **state) {
    (void)state;
    static const struct {
        const char *solvers, *law;
    } cases[] = {{"auto,psor", "coulomb"},          {"psor", "coulomb"}, {"ipm-cone,ipm", "box-current"},
                 {"schur-bpp,psor", "box-current"}, {"bpp,fbic", "box"}, {"auto,fbic,ipm", "box"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char line[200], part[120], law[64], from[64];
        snprintf(line, sizeof line, "compare falling_box --solvers %s --steps 2 --json $/law.json --html $/law",
                 cases[i].solvers);
        const SupportCall *call = support_call_well(line);
        snprintf(part, sizeof part, "friction %s (the richest that all take)", cases[i].law);
        assert_holds(call->out, part);
        static char json[65536], page[1 << 20];
        support_read("law.json", json, sizeof json);
        text(json, "friction", law);
        text(json, "friction_from", from);
        assert_string_equal(law, cases[i].law);
        assert_string_equal(from, "solvers");
        support_read("law/index.html", page, sizeof page);
        assert_holds(page, part);
    }
}

// A law that was named stays, however it was named.
static void a_law_that_is_named_stays(void **state) {
    (void)state;
    static const char *const lines[] = {"compare falling_box --solvers auto,psor --friction cone --steps 2 --json -",
                                        "compare falling_box --solvers auto,psor --world friction=cone --steps 2 "
                                        "--json -"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char law[64];
        const SupportCall *call = support_call_well(lines[i]);
        text(call->out, "friction", law);
        assert_string_equal(law, "cone");
        assert_false(support_json_text(call->out, "friction_from", law, sizeof law));
        assert_holds(call->err, "friction cone, threads");
    }
}

static void refusals_are_shown(void **state) {
    (void)state;
    // pgs takes no cone; the world it would drive does not move, and the other's does.
    char message[256];
    SupportCall *call =
        support_call("compare falling_box --solvers pgs --mode free --friction cone --steps 80 --json $/a.json");
    assert_int_equal(call->code, CAIRN_EXIT_FAILED);
    assert_holds(call->out, "refused at frame");
    assert_holds(call->out, "solver pgs does not take cone friction");
    assert_holds(call->err, "the reference pgs");
    static char json[65536];
    support_read("a.json", json, sizeof json);
    assert_true(support_json_is_valid(json));
    assert_true(support_json_text(json, "results.0.refused.message", message, sizeof message));
    assert_holds(message, "cone friction");
    assert_true(number(json, 0, "refused.frame") >= 1);
    call = support_call("compare box_tower --solvers pgs,ipm --friction cone --steps 3");
    assert_int_equal(call->code, CAIRN_EXIT_USAGE);
    assert_holds(call->err, "frame 1 of the reference: solver pgs does not take cone friction");
}

// A solver whose answers are errors from the third call on: the others go on without it.
static CairnStatus solve_twice(const CairnProblem *problem, const CairnParts *parts, const void *options,
                               CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    (void)parts, (void)options, (void)report;
    if (!*context->memory) {
        *context->memory = calloc(1, sizeof(int));
    }
    int *calls = *context->memory;
    lambda[0] = problem->row_count;
    return ++*calls > 2 ? cairn_error(CAIRN_UNSUPPORTED, "solver twice has had enough") : cairn_ok();
}

static const CairnSolver twice = {
    .name = "twice", .summary = "refuses its third problem", .traits = CAIRN_TAKES_BOUNDS, .solve = solve_twice};

static void a_solver_that_gives_up_leaves_the_others(void **state) {
    (void)state;
    CairnRunOptions options = cairn_run_options();
    options.scene = "box_tower";
    CairnSession driver;
    CairnLockstep lockstep;
    CairnContender contenders[2] = {{.choice = {.solver = &twice, .text = "twice"}}, {.choice = {.solver = NULL}}};
    SupportMemory memory = {0};
    CairnAllocator allocator = support_allocator(&memory);
    assert_ok(cairn_choice_open("ipm", "--solvers", &contenders[1].choice));
    assert_ok(cairn_session_open_with(&options, &contenders[1].choice, &driver));
    cairn_lockstep_open(&lockstep, &allocator);
    for (int i = 0; i < 2; i++) {
        cairn_arena_init(&contenders[i].arena, &allocator);
        assert_ok(cairn_tally_create(&contenders[i].tally, 10));
    }
    for (int frame = 1; frame <= 10; frame++) {
        CairnStats stats;
        assert_ok(cairn_session_step(&driver, &stats));
        assert_ok(cairn_lockstep_frame(&lockstep, &driver, &stats, contenders, 2));
    }
    assert_refused(contenders[0].ended, CAIRN_UNSUPPORTED, "had enough");
    assert_int_equal(contenders[0].ended_at, 3);
    assert_int_equal(contenders[0].tally.frames, 2);
    assert_int_equal(contenders[1].tally.frames, 10);
    assert_int_equal(contenders[1].agreeing, 10);
    free(contenders[0].memory);
    for (int i = 0; i < 2; i++) {
        cairn_contender_close(&contenders[i], &allocator);
    }
    cairn_lockstep_close(&lockstep);
    cairn_session_close(&driver);
    assert_memory_clean(&memory);
}

static void tables_set_side_by_side(void **state) {
    (void)state;
    SupportCall *call = support_call_well("compare box_tower --solvers ipm,pgs:iterations=3 --steps 5");
    assert_holds(call->out, "\nipm               certified: 5 of 5 frames; velocities agree in 5\n");
    assert_holds(call->out, "\npgs:iterations=3  NOT certified: ");
    assert_holds(call->out, "reference ipm; 5 steps");
    assert_holds(call->out, "slop 5e-07; fraction contact 0.2");
    call = support_call("compare box_tower --solvers ipm,pgs:iterations=3 --steps 5 --certified --quiet");
    assert_int_equal(call->code, CAIRN_EXIT_FAILED);
    assert_holds(call->err, "pgs:iterations=3: certified: ");
    assert_string_equal(call->out, "");
}

static void csv_has_a_file_a_solver(void **state) {
    (void)state;
    static const char *const names[] = {"csv/ipm.csv", "csv/pgs_iterations=3_omega=1.1.csv", "csv/ipm-3.csv"};
    support_call_well("compare box_tower --solvers ipm,pgs:iterations=3,omega=1.1,ipm --steps 7 --quiet --csv $/csv");
    for (int i = 0; i < 3; i++) {
        static char csv[65536];
        int lines = 0, columns = 0;
        support_read(names[i], csv, sizeof csv);
        assert_holds(csv, ",velocity_difference,velocity_limit\n");
        for (char *line = strtok(csv, "\n"); line; line = strtok(NULL, "\n"), lines++) {
            int commas = 0;
            for (const char *c = line; *c; c++) {
                commas += *c == ',';
            }
            columns = lines == 0 ? commas : columns;
            assert_int_equal(commas, columns);
        }
        assert_int_equal(lines, 8);
    }
}

static void iterations_go_to_whom_they_concern(void **state) {
    (void)state;
    const char *json =
        support_call_well("compare falling_box --solvers pgs,ipm --steps 60 --tol 1e-3 --quiet --json -")->out;
    assert_true(number(json, 0, "iterations.max") < 1000);
}

static int count_of(const char *text, const char *part) {
    int count = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part)) {
        count++;
    }
    return count;
}

// One page that needs no other file: its pictures, charts and words are inside, and what a user wrote cannot break it.
static void html_is_a_page_of_its_own(void **state) {
    (void)state;
    enum { MOST = 4 << 20 };
    char *page = malloc(MOST);
    assert_non_null(page);
    support_call_well("compare box_tower --solvers ipm,pgs:iterations=3 --steps 9 --quiet --html $/page");
    support_read("page/index.html", page, MOST);
    assert_int_equal(count_of(page, "data:image/png;base64,iVBORw0KGgo"), 3);
    assert_int_equal(count_of(page, "<svg"), 4);
    assert_int_equal(count_of(page, "<figure>"), count_of(page, "</figure>"));
    assert_int_equal(count_of(page, "http"), 0); // nothing is fetched
    assert_holds(page, "ipm</b>: certified: 9 of 9 frames");
    assert_holds(page, "pgs:iterations=3</b>: NOT certified: ");
    assert_holds(page, "<pre>cairn compare box_tower --solvers ipm,pgs:iterations=3 --steps 9");
    assert_holds(page, "certificate</text>");
    support_call_well("compare box_tower --solvers ipm,pgs:iterations=3 --mode free --steps 4 --quiet --html $/free");
    support_read("free/index.html", page, MOST);
    assert_int_equal(count_of(page, "data:image/png;base64,iVBORw0KGgo"), 6); // a motion each
    assert_true(strcmp(page + strlen(page) - 15, "</body></html>\n") == 0);
    free(page);
}

static void wrong_usage_is_refused_in_words(void **state) {
    (void)state;
    static const struct {
        const char *line, *first, *second;
    } cases[] = {
        {"compare", "which scene", "list scenes"},
        {"compare box_tower", "which solvers", "--solvers"},
        {"compare box_tower --solvers pgz", "pgz", "pgs"},
        {"compare box_tower --solvers pgs:omga=1", "omga", "omega"},
        {"compare box_tower --solvers pgs,omega=9", "omega", "9"},
        {"compare box_tower --solvers pgs,,ipm", "--solvers", "missing"},
        {"compare box_tower --solvers=", "--solvers", "missing"},
        {"compare box_tower --solvers pgs --mode locked", "--mode", "lockstep, free"},
        {"compare box_tower --solvers pgs,ipm --reference ipn", "'ipn'", "ipm"},
        {"compare box_tower --solvers pgs --solver ipm", "--solver", "--solvers"},
        {"compare box_tower --solvers pgs --screenshot a.png@1", "--screenshot", "unknown option"},
        {"compare box_tower --solvers pgs --iterations 0", "--iterations", "0"},
        {"compare box_towr --solvers pgs", "'box_towr'", "box_tower"},
        {"compare box_tower --solvers pgs --csv $/none/deeper", "--csv", "/none/deeper"},
        {"compare box_tower --solvers pgs --html $/none/deeper", "--html", "/none/deeper"},
        {"compare box_tower --solvers pgs --json $/none/a.json", "--json", "/none/a.json"},
        {"compare box_tower --solvers pgs --param boxes=-3", "--param", "-3"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        SupportCall *call = support_call(cases[i].line);
        if (call->code != CAIRN_EXIT_USAGE || !strstr(call->err, cases[i].first) ||
            !strstr(call->err, cases[i].second) || call->out[0]) {
            fail_msg("cairn %s: exit %d, stdout '%.60s', stderr '%s' should hold '%s' and '%s'", cases[i].line,
                     call->code, call->out, call->err, cases[i].first, cases[i].second);
        }
    }
}

int main(int argc, char **argv) {
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_of_solvers_are_split),
        cmocka_unit_test(reference_repeats_its_own_motion),
        cmocka_unit_test(lockstep_is_driven_by_the_reference),
        cmocka_unit_test(exact_solvers_agree),
        cmocka_unit_test(free_worlds_are_those_of_run),
        cmocka_unit_test(the_law_is_the_richest_that_all_take),
        cmocka_unit_test(a_law_that_is_named_stays),
        cmocka_unit_test(refusals_are_shown),
        cmocka_unit_test(a_solver_that_gives_up_leaves_the_others),
        cmocka_unit_test(tables_set_side_by_side),
        cmocka_unit_test(csv_has_a_file_a_solver),
        cmocka_unit_test(html_is_a_page_of_its_own),
        cmocka_unit_test(iterations_go_to_whom_they_concern),
        cmocka_unit_test(wrong_usage_is_refused_in_words),
    };
    return cmocka_run_group_tests(tests, support_folder_make, support_folder_remove);
}
