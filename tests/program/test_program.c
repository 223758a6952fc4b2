// The program: what it prints, writes and answers, run in a child process as a person would run it.
#include "demos/program/cli/program.h"
#include "demos/program/render/render_image.h"
#include "demos/program/session/reserve.h"
#include "demos/scenes/scenes.h"
#include "tests/support/support.h"
#include "tests/support/support_call.h"
#include "tests/support/support_json.h"

#include <cairn/version.h>
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_SIZE = SUPPORT_CALL_TEXT };

static void assert_holds(const char *text, const char *part) {
    if (!strstr(text, part)) {
        fail_msg("'%s' is not in:\n%s", part, text);
    }
}

// ---- list and help ----

static void list_names_what_there_is(void **state) {
    (void)state;
    SupportCall *result = support_call_well("list scenes");
    for (int i = 0; i < cairn_scene_count(); i++) {
        assert_holds(result->out, cairn_scene_at(i)->name);
        assert_holds(result->out, cairn_scene_at(i)->summary);
    }
    assert_holds(support_call_well("list solvers")->out, "pgs");
    assert_holds(support_call_well("list partitioners")->out, "none");
    assert_holds(support_call_well("list metrics")->out, "residual.scaled");
    assert_holds(support_call_well("list refiners")->out, "fm");
    result = support_call_well("list");
    assert_holds(result->out, "box_tower");
    assert_holds(result->out, "pgs");
}

static void list_writes_json(void **state) {
    (void)state;
    static const char *const kinds[] = {"scenes", "solvers", "partitioners", "refiners", "metrics"};
    for (int i = 0; i < 5; i++) {
        char line[64], name[64], summary[200];
        snprintf(line, sizeof line, "list %s --json", kinds[i]);
        SupportCall *result = support_call_well(line);
        assert_true(support_json_is_valid(result->out));
        int count = support_json_count(result->out, "");
        assert_true(count > 0);
        if (count > 0) {
            assert_true(support_json_text(result->out, "0.name", name, sizeof name));
            assert_true(support_json_text(result->out, "0.summary", summary, sizeof summary));
            assert_true(name[0] && summary[0]);
        }
    }
    SupportCall *result = support_call_well("list scenes --json");
    assert_int_equal(support_json_count(result->out, ""), cairn_scene_count());
    result = support_call_well("list --json");
    assert_true(support_json_is_valid(result->out));
    assert_int_equal(support_json_count(result->out, "scenes"), cairn_scene_count());
    assert_int_equal(support_json_count(result->out, "refiners"), cairn_refiner_count());
}

static void help_explains(void **state) {
    (void)state;
    static const char *const lines[] = {"--help", "help", "help --help"};
    for (int i = 0; i < 3; i++) {
        SupportCall *result = support_call_well(lines[i]);
        assert_holds(result->out, "list");
        assert_holds(result->out, "run");
    }
    static const char *const run_lines[] = {"run --help", "help run"};
    static const char *const options[] = {"--solver",     "--partition", "--steps",    "--dt",        "--threads",
                                          "--seed",       "--param",     "--world",    "--friction",  "--json",
                                          "--iterations", "--tol",       "--csv",      "--certified", "--screenshot",
                                          "--size",       "--quiet",     "--budget-ms"};
    for (int i = 0; i < 2; i++) {
        SupportCall *result = support_call_well(run_lines[i]);
        for (size_t k = 0; k < sizeof options / sizeof options[0]; k++) {
            assert_holds(result->out, options[k]);
        }
    }
    assert_holds(support_call_well("help pgs")->out, "iterations");
    assert_holds(support_call_well("help world")->out, "contact_slop");
    assert_holds(support_call_well("help none")->out, "no options");
    assert_holds(support_call_well("help list")->out, "cairn list");
    assert_holds(support_call_well("list --help")->out, "cairn list");
    assert_holds(support_call_well("--version")->out, "cairn " CAIRN_VERSION);
    for (int i = 0; i < cairn_scene_count(); i++) {
        const CairnScene *scene = cairn_scene_at(i);
        char line[100];
        snprintf(line, sizeof line, "run %s --help", scene->name);
        SupportCall *result = support_call_well(line);
        assert_holds(result->out, scene->watch);
        for (int k = 0; k < scene->params.count; k++) {
            assert_holds(result->out, scene->params.fields[k].name);
        }
    }
}

// `help NAME` and `NAME --help` say the same of each command, and `help` lists them all. The tests are linked without
// the viewer, which has the options of `view`.
static void every_command_explains_itself(void **state) {
    (void)state;
    static char own[TEXT_SIZE];
    assert_null(cairn_command_at(-1));
    assert_null(cairn_command_at(cairn_command_count()));
    for (int i = 0; i < cairn_command_count(); i++) {
        const CairnCommand *command = cairn_command_at(i);
        char line[100];
        assert_holds(support_call_well("help")->out, command->summary);
        snprintf(line, sizeof line, "%s --help", command->name);
        SupportCall *result = support_call(line);
        if (strcmp(command->name, "view") == 0) {
            assert_int_equal(result->code, CAIRN_EXIT_USAGE);
            assert_holds(result->err, "no viewer");
            continue;
        }
        assert_int_equal(result->code, CAIRN_EXIT_DONE);
        assert_holds(result->out, "cairn ");
        memcpy(own, result->out, sizeof own);
        snprintf(line, sizeof line, "help %s", command->name);
        assert_string_equal(support_call_well(line)->out, own);
    }
}

// ---- wrong usage ----

// Every refusal is exit code 2 and names the option and what was wrong with it.
static void wrong_usage_is_refused_in_words(void **state) {
    (void)state;
    static const struct {
        const char *line, *first, *second;
    } cases[] = {
        {"", "which command", "--help"},
        {"rum box_tower", "'rum'", "run"},
        {"view box_tower", "no viewer", "--screenshot"},
        {"list scene", "'scene'", "scenes"},
        {"list scenes solvers", "'scenes'", "'solvers'"},
        {"list --jsn", "--jsn", "--json"},
        {"help nothing", "'nothing'", "cairn list"},
        {"help run list", "'run'", "'list'"},
        {"run", "which scene", "list scenes"},
        {"run box_towr", "'box_towr'", "box_tower"},
        {"run zzzzzzzz", "'zzzzzzzz'", "no scene"},
        {"run box_tower domino_row", "'box_tower'", "'domino_row'"},
        {"run box_tower --stpes 10", "--stpes", "--steps"},
        {"run box_tower --steps", "--steps", "needs a value"},
        {"run box_tower --steps --dt 1e-3", "--steps", "needs a value"},
        {"run box_tower --steps ten", "--steps", "'ten'"},
        {"run box_tower --steps 0", "--steps", "[1, "},
        {"run box_tower --steps 99999999999999999999", "--steps", "9999"},
        {"run box_tower --steps 10.5", "--steps", "'10.5'"},
        {"run box_tower --dt 0", "--dt", "(0, 1]"},
        {"run box_tower --dt nan", "--dt", "nan"},
        {"run box_tower --dt 1/0", "--dt", "1/0"},
        {"run box_tower --dt 1/", "--dt", "'1/'"},
        {"run box_tower --dt 1/6/2", "--dt", "'1/6/2'"},
        {"run box_tower --dt 1e-3s", "--dt", "'1e-3s'"},
        {"run box_tower --threads -1", "--threads", "-1"},
        {"run box_tower --seed -1", "--seed", "'-1'"},
        {"run box_tower --param boxes", "--param", "'boxes'"},
        {"run box_tower --param boxs=3", "boxs", "boxes"},
        {"run box_tower --param boxes=-3", "--param", "-3"},
        {"run box_tower --param size=huge", "size", "huge"},
        {"run box_tower --param friction=nan", "friction", "nan"},
        {"run box_tower --world gravty=0,0,0", "gravty", "gravity"},
        {"run box_tower --world contact_slop=-1", "contact_slop", "-1"},
        {"run box_tower --solver pgz", "pgz", "pgs"},
        {"run box_tower --solver pgs:omega=5", "omega", "5"},
        {"run box_tower --solver pgs:omga=1", "omga", "omega"},
        {"run box_tower --solver=", "--solver", "empty"},
        {"run box_tower --partition nne", "nne", "none"},
        {"run box_tower --partition none:k=3", "--partition", "k=3"},
        {"run box_tower --partition mindp:part_size=0", "--partition", "part_size"},
        {"run box_tower --partition mr:tau=0.5", "tau", "0.5"},
        {"run box_tower --partition mix:tau=2", "tau", "2"},
        {"run box_tower --partition mindp --part-size 0", "--part-size", "part_size"},
        {"run box_tower --part-size 4", "--part-size", "none"},
        {"run box_tower --refine fn", "fn", "fm"},
        {"run box_tower --refine fm:passes=0", "--refine", "passes"},
        {"run box_tower --refine none:passes=2", "--refine", "passes=2"},
        {"run box_tower --iterations 0", "--iterations", "0"},
        {"run box_tower --iterations many", "--iterations", "many"},
        {"run box_tower --tol -1", "--tol", "-1"},
        {"run box_tower --solver psor --budget-ms -1", "--budget-ms", "-1"},
        {"run box_tower --solver bpp --budget-ms 5", "--budget-ms", "budget_ms"},
        {"run box_tower --friction boks", "--friction", "box"},
        {"run box_tower --screenshot tower.png", "--screenshot", "FILE@FRAME"},
        {"run box_tower --screenshot tower.png@x", "--screenshot", "'x'"},
        {"run box_tower --steps 5 --screenshot $/a.png@6", "--screenshot", "6"},
        {"run box_tower --screenshot $/none/a.png@1", "--screenshot", "/none"},
        {"run box_tower --size 960", "--size", "'960'"},
        {"run box_tower --size 8x8", "--size", "8"},
        {"run box_tower --quiet=yes", "--quiet", "'yes'"},
        {"run box_tower --json $/none/a.json", "--json", "/none/a.json"},
        {"run box_tower --csv $/none/a.csv", "--csv", "/none/a.csv"},
        {"run ./missing.so", "./missing.so", "no such file"},
        {"run missing.so", "missing.so", "no such file"},
        {"run $/stdout", "stdout", "scene file"},
        {"bench step", "no bench at", "make bench"},
        {"bench step --repetitions 0", "--repetitions", "[1, "},
        {"bench --jsn a", "--jsn", "--json"},
    };
    setenv("CAIRN_BENCH", "/none/bench", 1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        SupportCall *result = support_call(cases[i].line);
        if (result->code != CAIRN_EXIT_USAGE || !strstr(result->err, cases[i].first) ||
            !strstr(result->err, cases[i].second) || result->out[0]) {
            fail_msg("cairn %s: exit %d, stdout '%.60s', stderr '%s' should hold '%s' and '%s'", cases[i].line,
                     result->code, result->out, result->err, cases[i].first, cases[i].second);
        }
    }
}

// ---- run ----

static void run_writes_every_key_of_the_contract(void **state) {
    (void)state;
    static const char *const numbers[] = {"part_size",
                                          "threads",
                                          "steps",
                                          "dt",
                                          "seed",
                                          "bodies",
                                          "joints",
                                          "dofs",
                                          "contacts.mean",
                                          "contacts.max",
                                          "rows.mean",
                                          "rows.max",
                                          "interface_rows.mean",
                                          "interface_rows.max",
                                          "iterations.mean",
                                          "iterations.max",
                                          "coupling.mean",
                                          "coupling.max",
                                          "coupling.limit_fraction",
                                          "factorizations.mean",
                                          "subsystems.changed.mean",
                                          "subsystems.refactored.max",
                                          "phases_ms.prepare.mean",
                                          "phases_ms.interface.max",
                                          "residual.natural.mean",
                                          "residual.natural.max",
                                          "residual.scaled.mean",
                                          "residual.scaled.max",
                                          "residual.fb.mean",
                                          "residual.cone.mean",
                                          "residual.cone.max",
                                          "residual.certified_fraction",
                                          "sound_fraction",
                                          "audit.frames",
                                          "audit.full_frames",
                                          "audit.time_ms",
                                          "audit.pairs_time_ms",
                                          "audit.terms.momentum.value",
                                          "audit.terms.momentum.limit",
                                          "audit.terms.energy.broken_frames",
                                          "penetration.mean",
                                          "penetration.max",
                                          "joint_error.mean",
                                          "joint_error.max",
                                          "energy.first",
                                          "energy.last",
                                          "energy.max_gain",
                                          "memory_peak_bytes",
                                          "allocations_per_step"};
    static const char *const texts[] = {"scene", "solver", "partition", "refine", "version", "machine", "state_hash"};
    SupportCall *result = support_call_well("run box_tower --steps 5 --json - --quiet");
    const char *json = result->out;
    assert_true(support_json_is_valid(json));
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (!isfinite(support_json_number(json, numbers[i]))) {
            fail_msg("no number %s in %s", numbers[i], json);
        }
    }
    char text[200];
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_true(support_json_text(json, texts[i], text, sizeof text));
        assert_true(text[0] != '\0');
    }
    assert_string_equal(result->err, "");
}

static void run_puts_the_times_of_each_stage_in_order(void **state) {
    (void)state;
    static const char *const stages[] = {"step", "broad", "narrow", "assemble", "partition", "solve", "integrate"};
    const char *json = support_call_well("run box_tower --steps 20 --json - --quiet")->out;
    char text[200];
    for (int i = 0; i < 7; i++) {
        double values[4];
        static const char *const marks[] = {"p50", "p99", "max", "mean"};
        for (int k = 0; k < 4; k++) {
            snprintf(text, sizeof text, "time_ms.%s.%s", stages[i], marks[k]);
            values[k] = support_json_number(json, text);
        }
        assert_true(0 <= values[0] && values[0] <= values[1] && values[1] <= values[2]);
        assert_true(0 <= values[3] && values[3] <= values[2]);
    }
}

static void run_counts_what_the_scene_has(void **state) {
    (void)state;
    const char *json = support_call_well("run box_tower --steps 60 --seed 7 --json - --param boxes=4 --quiet")->out;
    assert_near(support_json_number(json, "steps"), 60, 0);
    assert_near(support_json_number(json, "seed"), 7, 0);
    assert_near(support_json_number(json, "dt"), 1.0 / 60, 0);
    assert_near(support_json_number(json, "dofs"), 24, 0);
    assert_near(support_json_number(json, "bodies"), 5, 0);
    assert_near(support_json_number(json, "rows.max"), 3 * support_json_number(json, "contacts.max"), 0);
    assert_true(support_json_number(json, "memory_peak_bytes") > 1e6);
    assert_near(support_json_number(json, "allocations_per_step"), 0, 0);
}

static void run_writes_the_hash_with_all_digits(void **state) {
    (void)state;
    char text[200];
    const char *json = support_call_well("run box_tower --steps 1 --json - --quiet")->out;
    assert_true(support_json_text(json, "state_hash", text, sizeof text));
    assert_true(strncmp(text, "0x", 2) == 0 && strlen(text) == 18);
}

static void run_ends_its_table_with_the_verdict(void **state) {
    (void)state;
    SupportCall *result = support_call_well("run falling_box --steps 20 --json $/fall.json");
    static const char *const parts[] = {"contacts give way by 1e-07 m",
                                        "slop",
                                        "fraction contact",
                                        "damping",
                                        "h = ",
                                        "p99",
                                        "falling_box: ",
                                        "state 0x"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        assert_holds(result->out, parts[i]);
    }
    // Nothing touches yet: no rows, so every frame is certified.
    assert_holds(result->out, "\ncertified: 20 of 20 frames\n");
    assert_string_equal(result->err, ""); // no progress bar where stderr is no terminal
    char json[TEXT_SIZE];
    support_read("fall.json", json, sizeof json);
    assert_near(support_json_number(json, "residual.certified_fraction"), 1, 0);
    assert_string_equal(support_call_well("run falling_box --steps 2 --quiet")->out, "");
}

// One sweep cannot carry a tower: the program must say so, everywhere.
// Beside what is certified: each term with its limit, its place and its cost, in table, JSON, CSV and exit code.
static void run_says_what_is_sound(void **state) {
    (void)state;
    SupportCall *result = support_call_well("run box_tower --steps 60 --sound --json $/sound.json --csv $/sound.csv");
    char text[SUPPORT_CALL_TEXT];
    assert_holds(result->out, "\nsound: 60 of 60 frames\n");
    assert_holds(result->out, "audit, worst frame            value        limit          frame  broken  where\n");
    assert_holds(result->out, "\n  momentum ");
    assert_holds(result->out, "\n  overlap ");
    assert_holds(result->out, "overlaps and what was passed, in 1 frames");
    support_read("sound.json", text, sizeof text);
    assert_near(support_json_number(text, "sound_fraction"), 1, 0);
    assert_near(support_json_number(text, "audit.frames"), 60, 0);
    assert_near(support_json_number(text, "audit.full_frames"), 1, 0);
    assert_near(support_json_number(text, "audit.terms.momentum.broken_frames"), 0, 0);
    assert_below(support_json_number(text, "audit.terms.momentum.value"),
                 support_json_number(text, "audit.terms.momentum.limit"));
    support_read("sound.csv", text, sizeof text);
    assert_holds(text, ",sound,audit_term,audit_value,audit_limit,audit_ms\n");
    result = support_call_well("run box_tower --steps 60 --audit full --json $/sound.json --quiet");
    support_read("sound.json", text, sizeof text);
    assert_near(support_json_number(text, "audit.full_frames"), 60, 0);
    result = support_call_well("run box_tower --steps 20 --audit off --json $/sound.json --csv $/sound.csv");
    assert_holds(result->out, "\nnot audited\n");
    support_read("sound.json", text, sizeof text);
    assert_holds(text, "\"sound_fraction\": null");
    support_read("sound.csv", text, sizeof text);
    assert_holds(text, ",,,,\n");
    result = support_call("run box_tower --steps 20 --audit off --sound --quiet");
    assert_int_equal(result->code, CAIRN_EXIT_FAILED);
    assert_holds(result->err, "cairn run: not audited");
    result = support_call("run box_tower --audit fool");
    assert_int_equal(result->code, CAIRN_EXIT_USAGE);
    assert_holds(result->err, "option --audit: 'fool' is none of off, frame, full");
}

static void run_says_what_is_not_certified(void **state) {
    (void)state;
    SupportCall *result = support_call(
        "run box_tower --solver pgs --steps 3 --iterations 1 --world touch_passes=1 --certified --json $/bad.json "
        "--screenshot $/bad.png@3");
    assert_int_equal(result->code, CAIRN_EXIT_FAILED);
    assert_holds(result->out, "\nNOT certified: ");
    assert_holds(result->out, " of 3 frames, worst ");
    assert_holds(result->out, " m/s at frame ");
    assert_holds(result->out, ", row of contact 0x");
    assert_holds(result->err, "NOT certified: ");
    char json[TEXT_SIZE];
    support_read("bad.json", json, sizeof json);
    assert_below(support_json_number(json, "residual.certified_fraction"), 0.99);
    assert_near(support_json_number(json, "iterations.max"), 1, 0);
}

// A method that is told to have no patience hands over often, and the table says in how many frames.
static void run_says_how_often_the_fallback_came(void **state) {
    (void)state;
    char json[TEXT_SIZE], line[80];
    SupportCall *result = support_call_well("run domino_row --steps 40 --solver bpp:patience=1 --json $/row.json");
    support_read("row.json", json, sizeof json);
    assert_near(support_json_number(json, "finishers.ipm"), 40 * support_json_number(json, "fallback_fraction"), 1e-9);
    double share = support_json_number(json, "fallback_fraction");
    assert_true(share > 0 && share <= 1);
    snprintf(line, sizeof line, "\n  fallback: in %.0f of 40 frames (%.1f %%) another method finished for bpp\n",
             40 * share, 100 * share);
    assert_holds(result->out, line);
    result = support_call_well("run domino_row --steps 40 --solver ipm --json $/row.json");
    support_read("row.json", json, sizeof json);
    assert_near(support_json_number(json, "fallback_fraction"), 0, 0);
    assert_null(strstr(result->out, "fallback"));
}

// Who names a law and no solver gets one that takes it, however the law was named, and reads what computed the answers.
static void a_law_finds_its_solver(void **state) {
    (void)state;
    static const char *const names[] = {"--friction coulomb", "--world friction=coulomb"};
    for (int i = 0; i < 2; i++) {
        char json[TEXT_SIZE], line[120], solver[64];
        snprintf(line, sizeof line, "run domino_row --steps 20 %s --certified --json $/law.json", names[i]);
        SupportCall *result = support_call_well(line);
        support_read("law.json", json, sizeof json);
        assert_true(support_json_text(json, "solver", solver, sizeof solver));
        assert_string_equal(solver, "auto");
        assert_holds(json, "\"finishers\": {\n");
        assert_holds(result->out, "\n  answers computed by, frames: ");
    }
}

static void run_fails_when_a_check_breaks(void **state) {
    (void)state;
    // Without gravity along z the box does not fall, without friction bounds the tower is no tower: here it is pulled
    // aside.
    static const char *const calls[] = {"run box_tower", "compare box_tower --solvers bpp,pgs",
                                        "compare box_tower --solvers bpp,pgs --mode free"};
    for (int i = 0; i < 3; i++) {
        char line[200];
        snprintf(line, sizeof line, "%s --steps 60 --json - --world gravity=6,0,-9.81 --param friction=0.1 --quiet",
                 calls[i]);
        SupportCall *result = support_call(line);
        assert_int_equal(result->code, CAIRN_EXIT_FAILED);
        assert_holds(result->err, "the scene's check broke");
        assert_holds(result->err, "frame ");
        assert_holds(result->out, "\"check_broke\": {");
    }
}

static void run_takes_options_of_the_solver_either_way(void **state) {
    (void)state;
    SupportCall *fraction = support_call_well("run falling_box --steps 2 --quiet --json - --dt 1/240");
    assert_near(support_json_number(fraction->out, "dt"), 1.0 / 240, 0);
    char first[32], second[32], other[32];
    SupportCall *result =
        support_call_well("run falling_box --steps 80 --quiet --json - --solver pgs --iterations 7 --tol 1e-3");
    assert_true(support_json_text(result->out, "state_hash", first, sizeof first));
    result = support_call_well("run falling_box --steps 80 --quiet --json - --solver pgs:iterations=7,tolerance=1e-3");
    assert_true(support_json_text(result->out, "state_hash", second, sizeof second));
    result = support_call_well("run falling_box --steps 80 --quiet --json - --solver=pgs");
    assert_true(support_json_text(result->out, "state_hash", other, sizeof other));
    assert_string_equal(first, second);
    assert_string_not_equal(first, other);
}

static void state_is_the_same_for_any_threads(void **state) {
    (void)state;
    static const char *const scenes[] = {"box_tower", "pendulum_chain", "newtons_cradle"};
    for (int i = 0; i < 3; i++) {
        char line[128], hashes[3][32];
        for (int threads = 1; threads <= 3; threads++) {
            snprintf(line, sizeof line, "run %s --steps 40 --quiet --json - --threads %d", scenes[i], threads);
            SupportCall *result = support_call_well(line);
            assert_near(support_json_number(result->out, "threads"), threads, 0);
            assert_true(support_json_text(result->out, "state_hash", hashes[threads - 1], sizeof hashes[0]));
        }
        assert_string_equal(hashes[0], hashes[1]);
        assert_string_equal(hashes[0], hashes[2]);
    }
}

static void csv_has_a_line_a_frame(void **state) {
    (void)state;
    support_call_well("run domino_row --steps 25 --quiet --csv $/row.csv");
    char text[TEXT_SIZE];
    support_read("row.csv", text, sizeof text);
    int lines = 0, columns = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), lines++) {
        int commas = 0;
        for (const char *c = line; *c; c++) {
            commas += *c == ',';
        }
        columns = lines == 0 ? commas : columns;
        assert_int_equal(commas, columns);
        if (lines > 0) {
            assert_int_equal(strtol(line, NULL, 10), lines);
        }
    }
    assert_int_equal(lines, 26);
}

static void stdout_stays_clean_beside_json(void **state) {
    (void)state;
    SupportCall *result = support_call_well("run falling_box --steps 5 --json -");
    assert_true(support_json_is_valid(result->out));
    assert_holds(result->err, "certified: 5 of 5 frames");
}

// ---- pictures ----

static int compare_colors(const void *a, const void *b) {
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

// Read a PNG back with libpng; answers the number of different colours.
static int read_picture(const char *name, unsigned *width, unsigned *height) {
    char path[128];
    support_path(name, path, sizeof path);
    png_image png;
    memset(&png, 0, sizeof png);
    png.version = PNG_IMAGE_VERSION;
    assert_true(png_image_begin_read_from_file(&png, path));
    png.format = PNG_FORMAT_RGB;
    unsigned char *pixels = malloc(PNG_IMAGE_SIZE(png));
    assert_non_null(pixels);
    assert_true(png_image_finish_read(&png, NULL, pixels, 0, NULL));
    size_t count = (size_t)png.width * png.height;
    unsigned *colors = malloc(count * sizeof *colors);
    assert_non_null(colors);
    for (size_t i = 0; i < count; i++) {
        colors[i] = (unsigned)pixels[3 * i] << 16 | (unsigned)pixels[3 * i + 1] << 8 | pixels[3 * i + 2];
    }
    qsort(colors, count, sizeof *colors, compare_colors);
    int different = 1;
    for (size_t i = 1; i < count; i++) {
        different += colors[i] != colors[i - 1];
    }
    *width = png.width;
    *height = png.height;
    free(colors);
    free(pixels);
    return different;
}

static void screenshots_are_pictures(void **state) {
    (void)state;
    support_call_well(
        "run box_tower --steps 2 --quiet --screenshot $/a.png@0 --screenshot $/b.png@2 --screenshot $/c@d.png@1 "
        "--size 320x200");
    unsigned width, height;
    static const char *const names[] = {"a.png", "b.png", "c@d.png"};
    for (int i = 0; i < 3; i++) {
        assert_true(read_picture(names[i], &width, &height) > 1000);
        assert_int_equal(width, 320);
        assert_int_equal(height, 200);
    }
    support_call_well("run falling_box --steps 1 --quiet --screenshot $/large.png@1");
    assert_true(read_picture("large.png", &width, &height) > 800);
    assert_int_equal(width, 960);
    assert_int_equal(height, 600);
}

// ---- scenes from files ----

// Compile a shared object into the test's folder with the system's compiler.
static void compile(const char *source, const char *name) {
    char line[512];
    const char *compiler = getenv("CC");
    snprintf(line, sizeof line, "%s -std=c17 -shared -fPIC -Iinclude -I. -o %s/%s %s", compiler ? compiler : "cc",
             support_folder(), name, source);
    if (system(line) != 0) {
        fail_msg("cannot compile: %s", line);
    }
}

static void compile_text(const char *text, const char *name) {
    char source[128];
    support_path("text.c", source, sizeof source);
    FILE *file = fopen(source, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    compile(source, name);
}

static void example_scene_runs(void **state) {
    (void)state;
    compile("examples/my_scene.c", "my_scene.so");
    SupportCall *result = support_call_well("run $/my_scene.so --steps 120 --quiet --json - --param size=0.1");
    char name[64];
    assert_true(support_json_text(result->out, "scene", name, sizeof name));
    assert_string_equal(name, "my_scene");
    assert_near(support_json_number(result->out, "steps"), 120, 0);
    assert_holds(support_call_well("run $/my_scene.so --help")->out, "push");
    assert_int_equal(support_call("run $/my_scene.so --param size=9")->code, CAIRN_EXIT_USAGE);
}

static void wrong_scene_files_are_refused(void **state) {
    (void)state;
    compile_text("int other_symbol = 1;\n", "none.so");
    SupportCall *result = support_call("run $/none.so");
    assert_int_equal(result->code, CAIRN_EXIT_USAGE);
    assert_holds(result->err, "does not export the symbol cairn_scene");

    compile_text("const struct { const char *name; int version; } cairn_scene = {\"old\", 1};\n", "old.so");
    result = support_call("run $/old.so");
    assert_int_equal(result->code, CAIRN_EXIT_USAGE);
    assert_holds(result->err, "16 bytes");

    compile_text("#include <cairn/scene.h>\nconst CairnScene cairn_scene = {.name = \"empty\", .summary = \"\", .watch "
                 "= \"\"};\n",
                 "empty.so");
    result = support_call("run $/empty.so");
    assert_int_equal(result->code, CAIRN_EXIT_USAGE);
    assert_holds(result->err, "scene empty: build is missing");

    compile_text("#include <cairn/scene.h>\n"
                 "static CairnStatus build(CairnSceneRun *run) { (void)run; return cairn_ok(); }\n"
                 "const CairnScene cairn_scene = {.name = \"still\", .summary = \"\", .watch = \"\", .build = build,\n"
                 "    .steps = 5, .step = -1, .camera = {.eye = {1, 0, 0}, .fov = 30}};\n",
                 "step.so");
    result = support_call("run $/step.so");
    assert_int_equal(result->code, CAIRN_EXIT_USAGE);
    assert_holds(result->err, "step = -1");
}

// ---- arrays that grow ----

static void arrays_grow_and_keep(void **state) {
    (void)state;
    long *numbers = NULL;
    int capacity = 0, grown = 0;
    for (int i = 0; i < 1000; i++) {
        int before = capacity;
        assert_true(cairn_array_reserve(&numbers, &capacity, i + 1, sizeof *numbers));
        grown += capacity > before;
        numbers[i] = i;
    }
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(numbers[i], i);
    }
    assert_true(grown <= 10); // twice as long each time
    long *kept = numbers;
    assert_false(cairn_array_reserve(&numbers, &capacity, 1 << 30, (size_t)1 << 40));
    assert_ptr_equal(numbers, kept);
    assert_true(capacity >= 1000 && capacity < 1 << 30);
    free(numbers);
}

int main(int argc, char **argv) {
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(list_names_what_there_is),
        cmocka_unit_test(list_writes_json),
        cmocka_unit_test(help_explains),
        cmocka_unit_test(every_command_explains_itself),
        cmocka_unit_test(wrong_usage_is_refused_in_words),
        cmocka_unit_test(run_writes_every_key_of_the_contract),
        cmocka_unit_test(run_puts_the_times_of_each_stage_in_order),
        cmocka_unit_test(run_counts_what_the_scene_has),
        cmocka_unit_test(run_writes_the_hash_with_all_digits),
        cmocka_unit_test(run_ends_its_table_with_the_verdict),
        cmocka_unit_test(run_says_what_is_sound),
        cmocka_unit_test(run_says_what_is_not_certified),
        cmocka_unit_test(run_says_how_often_the_fallback_came),
        cmocka_unit_test(a_law_finds_its_solver),
        cmocka_unit_test(run_fails_when_a_check_breaks),
        cmocka_unit_test(run_takes_options_of_the_solver_either_way),
        cmocka_unit_test(state_is_the_same_for_any_threads),
        cmocka_unit_test(csv_has_a_line_a_frame),
        cmocka_unit_test(stdout_stays_clean_beside_json),
        cmocka_unit_test(screenshots_are_pictures),
        cmocka_unit_test(example_scene_runs),
        cmocka_unit_test(wrong_scene_files_are_refused),
        cmocka_unit_test(arrays_grow_and_keep),
    };
    return cmocka_run_group_tests(tests, support_folder_make, support_folder_remove);
}
