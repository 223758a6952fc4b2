// cairn compare: several solvers on one scene, side by side.
#include "demos/program/cli/output.h"
#include "demos/program/cli/program.h"
#include "demos/program/cli/progress.h"
#include "demos/program/compare/compare.h"
#include "demos/program/session/law.h"
#include "engine/base/memory.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct CompareOptions {
    CairnRunOptions run; // first: run's options are taken through it
    CairnChoiceList solvers;
    const char *reference, *csv_folder, *html_folder;
    bool is_free;
} CompareOptions;

typedef struct Compare {
    CompareOptions options; // first: they are read through it
    CairnComparison comparison;
    CairnLockstep lockstep;
    FILE *json, *html;
    char html_path[CAIRN_RUN_PATH], command[1000];
} Compare;

static CairnStatus take_solvers(void *target, const char *value) {
    return cairn_choices_split(value, &((CompareOptions *)target)->solvers);
}

static CairnStatus take_reference(void *target, const char *value) {
    ((CompareOptions *)target)->reference = value;
    return cairn_ok();
}

static CairnStatus take_folder(void *target, const char *value) {
    return cairn_parse_text(value, &((CompareOptions *)target)->csv_folder);
}

static CairnStatus take_html(void *target, const char *value) {
    return cairn_parse_text(value, &((CompareOptions *)target)->html_folder);
}

static CairnStatus take_mode(void *target, const char *value) {
    bool is_free = strcmp(value, "free") == 0;
    if (!is_free && strcmp(value, "lockstep") != 0) {
        return cairn_error(CAIRN_NOT_FOUND, "'%s' is none of lockstep, free", value);
    }
    ((CompareOptions *)target)->is_free = is_free;
    return cairn_ok();
}

static const CairnOption command_options[] = {
    {"--solvers", "A,B:k=v,k=v,C", "the solvers, each with its own options (cairn list solvers)", take_solvers},
    {"--mode", "lockstep|free", "the same problems for all, or a world for each; lockstep by default", take_mode},
    {"--reference", "NAME", "who drives in lockstep and is compared with; the first by default", take_reference},
    {"--csv", "DIR", "write a file a solver, a line a frame", take_folder},
    {"--html", "DIR", "write DIR/index.html: table, charts and pictures in one page that can be sent as it is",
     take_html},
};

enum { COMMAND_COUNT = (int)(sizeof(command_options) / sizeof(command_options[0])) };

static void print_help(void) {
    CairnOption table[COMMAND_COUNT + CAIRN_RUN_COMMON];
    int count = cairn_run_options_join(command_options, COMMAND_COUNT, table);
    printf(
        "cairn compare SCENE --solvers A,B[:k=v,k=v],... [options]\n\nRun a scene with several solvers and set them "
        "side "
        "by side.\n"
        "  lockstep  the reference drives the motion; every solver gets the same problem at every frame, with its own "
        "impulses of\n            the last frame as its start: time, residual and velocities on equal work. Of "
        "the times only solve is the solver's own;\n            step is the reference's with this solve in place of "
        "its "
        "own.\n"
        "  free      each solver drives its own copy of the world: what a person would see\n\n");
    cairn_options_help(table, count);
    printf("\nWithout --friction the law is the richest one that all the solvers take, from coulomb over cone and "
           "box-current down to box; the table, JSON and the\nreport name it. --iterations, --tol and --budget-ms go "
           "to every solver that has such an option. A solver that refuses "
           "the problem is "
           "shown with its words.\nExit codes: 0 done, 1 the reference failed or broke the scene's check, or somebody "
           "was not certified where asked, 2 wrong usage.\n");
}

static CairnStatus check_options(const CompareOptions *options) {
    CAIRN_TRY(cairn_run_options_need_scene(&options->run));
    if (options->solvers.count == 0) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "which solvers? --solvers A,B (cairn list solvers)");
    }
    return cairn_ok();
}

// --iterations, --tol or --budget-ms for the solvers that have the option; at least one must.
static CairnStatus set_for_all(CairnComparison *comparison, const char *field, const char *value, const char *option) {
    bool is_used = false;
    for (int i = 0; i < comparison->count && value; i++) {
        CairnChoice *choice = &comparison->contenders[i].choice;
        if (cairn_choice_has(choice, field)) {
            CAIRN_TRY(cairn_choice_set(choice, field, value, option));
            is_used = true;
        }
    }
    if (value && !is_used) {
        return cairn_error(CAIRN_UNSUPPORTED, "option %s %s: none of the solvers has an option '%s'", option, value,
                           field);
    }
    return cairn_ok();
}

// The reference by its whole text, else by its name alone.
static CairnStatus find_reference(const CompareOptions *options, CairnComparison *comparison) {
    const char *names[CAIRN_CHOICE_MOST];
    for (int whole = 1; whole >= 0 && options->reference; whole--) {
        for (int i = 0; i < comparison->count; i++) {
            const CairnChoice *choice = &comparison->contenders[i].choice;
            names[i] = choice->text;
            const char *name = whole || !choice->solver ? choice->text : choice->solver->name;
            if (strcmp(options->reference, name) == 0) {
                comparison->reference = i;
                return cairn_ok();
            }
        }
    }
    if (options->reference) {
        char near[120];
        cairn_near_names(options->reference, names, comparison->count, near, sizeof near);
        return cairn_error(CAIRN_NOT_FOUND, "option --reference: '%s' is none of the solvers%s%s", options->reference,
                           near[0] ? "; near: " : "", near);
    }
    return cairn_ok();
}

// Who names no law compares under the richest one that all contenders take.
static void choose_law(CairnRunOptions *run, CairnComparison *comparison) {
    unsigned shared = ~0u;
    for (int i = 0; i < comparison->count; i++) {
        shared &= comparison->contenders[i].choice.solver->traits;
    }
    if (!cairn_law_is_named(run)) {
        run->has_friction = comparison->is_law_chosen = cairn_law_richest(shared, &run->friction);
    }
}

static CairnStatus open_contenders(CompareOptions *options, CairnComparison *comparison) {
    comparison->is_free = options->is_free;
    comparison->allocator = cairn_memory_default();
    comparison->contenders = calloc((size_t)options->solvers.count, sizeof *comparison->contenders);
    if (!comparison->contenders) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "no memory for %d solvers", options->solvers.count);
    }
    for (int i = 0; i < options->solvers.count; i++) {
        CairnContender *contender = &comparison->contenders[i];
        cairn_arena_init(&contender->arena, &comparison->allocator);
        comparison->count = i + 1;
        CAIRN_TRY(cairn_choice_open(options->solvers.items[i], "--solvers", &contender->choice));
        options->run.needs_parts =
            options->run.needs_parts || (contender->choice.solver->traits & CAIRN_NEEDS_PARTITION) != 0;
    }
    choose_law(&options->run, comparison);
    CAIRN_TRY(set_for_all(comparison, "iterations", options->run.iterations, "--iterations"));
    CAIRN_TRY(set_for_all(comparison, "tolerance", options->run.tolerance, "--tol"));
    CAIRN_TRY(set_for_all(comparison, "budget_ms", options->run.budget, "--budget-ms"));
    return find_reference(options, comparison);
}

// DIR/NAME.csv, what is no letter of a plain file name replaced; a second one of the same name gets a number.
static void name_csv(const CompareOptions *options, CairnComparison *comparison, int index) {
    char name[CAIRN_CHOICE_TEXT], *path = comparison->contenders[index].csv_path;
    snprintf(name, sizeof name, "%s", comparison->contenders[index].choice.text);
    for (char *c = name; *c; c++) {
        *c = isalnum((unsigned char)*c) || strchr("=.-", *c) ? *c : '_';
    }
    snprintf(path, CAIRN_RUN_PATH, "%.700s/%s.csv", options->csv_folder, name);
    for (int i = 0; i < index; i++) {
        if (strcmp(path, comparison->contenders[i].csv_path) == 0) {
            snprintf(path, CAIRN_RUN_PATH, "%.700s/%s-%d.csv", options->csv_folder, name, index + 1);
        }
    }
}

static CairnStatus make_folder(const char *path, const char *option) {
    if (mkdir(path, 0777) != 0 && errno != EEXIST) {
        return cairn_error(CAIRN_IO, "option %s: cannot make the folder %s: %s", option, path, strerror(errno));
    }
    return cairn_ok();
}

// What the report needs is refused before the run, not after it.
static CairnStatus open_html(Compare *compare) {
    const char *folder = compare->options.html_folder;
    if (!folder) {
        return cairn_ok();
    }
    CAIRN_TRY(make_folder(folder, "--html"));
    snprintf(compare->html_path, sizeof compare->html_path, "%.700s/index.html", folder);
    return cairn_output_open(compare->html_path, "--html", &compare->html);
}

// The report shows the motion at a third, at two thirds and at the end.
static CairnStatus take_picture(const Compare *compare, const CairnSession *session, int index, int frame,
                                bool is_certified) {
    bool is_shown = false;
    for (int i = 1; i <= CAIRN_COMPARE_PICTURES; i++) {
        is_shown = is_shown || frame == (i * session->steps + CAIRN_COMPARE_PICTURES - 1) / CAIRN_COMPARE_PICTURES;
    }
    if (!compare->options.html_folder || !is_shown) {
        return cairn_ok();
    }
    return cairn_comparison_picture(session, index, compare->options.html_folder, frame, is_certified);
}

static CairnStatus open_csv(const CompareOptions *options, CairnComparison *comparison) {
    if (!options->csv_folder) {
        return cairn_ok();
    }
    CAIRN_TRY(make_folder(options->csv_folder, "--csv"));
    for (int i = 0; i < comparison->count; i++) {
        CairnContender *contender = &comparison->contenders[i];
        name_csv(options, comparison, i);
        CAIRN_TRY(cairn_output_open(contender->csv_path, "--csv", &contender->csv));
        cairn_comparison_csv_head(contender->csv, comparison);
    }
    return cairn_ok();
}

static CairnStatus run_lockstep(Compare *compare) {
    CairnComparison *comparison = &compare->comparison;
    CairnSession *driver = &comparison->driver;
    CAIRN_TRY(
        cairn_session_open_with(&compare->options.run, &comparison->contenders[comparison->reference].choice, driver));
    cairn_lockstep_open(&compare->lockstep, &comparison->allocator);
    for (int i = 0; i < comparison->count; i++) {
        CAIRN_TRY(cairn_tally_create(&comparison->contenders[i].tally, driver->steps));
        if (compare->html) {
            CAIRN_TRY(cairn_series_create(&comparison->contenders[i].series, driver->steps));
        }
    }
    CairnProgress progress = cairn_progress(driver->scene->name, driver->steps, !compare->options.run.is_quiet);
    CairnStatus status = cairn_ok();
    for (int frame = 1; frame <= driver->steps && cairn_is_ok(status); frame++) {
        CairnStats stats;
        status = cairn_session_step(driver, &stats);
        if (!cairn_is_ok(status)) {
            status = cairn_error(status.code, "frame %d of the reference: %s", frame, status.message);
            break;
        }
        if (cairn_is_ok(comparison->broken)) {
            comparison->broken = cairn_session_check(driver, &stats);
            comparison->broken_at = frame;
        }
        status = cairn_lockstep_frame(&compare->lockstep, driver, &stats, comparison->contenders, comparison->count);
        if (cairn_is_ok(status)) {
            status = take_picture(compare, driver, comparison->reference, frame, stats.residual.is_certified);
        }
        cairn_progress_show(&progress, frame);
    }
    cairn_progress_end(&progress);
    return status;
}

// A world of its own: it runs until the solver refuses or the step fails, and the others go on.
static CairnStatus run_alone(Compare *compare, int index) {
    CairnContender *contender = &compare->comparison.contenders[index];
    CairnSession *session = &contender->session;
    CAIRN_TRY(cairn_session_open_with(&compare->options.run, &contender->choice, session));
    CAIRN_TRY(cairn_tally_create(&contender->tally, session->steps));
    if (compare->html) {
        CAIRN_TRY(cairn_series_create(&contender->series, session->steps));
    }
    CairnProgress progress = cairn_progress(contender->choice.text, session->steps, !compare->options.run.is_quiet);
    for (int frame = 1; frame <= session->steps; frame++) {
        CairnStats stats;
        contender->ended = cairn_session_step(session, &stats);
        if (!cairn_is_ok(contender->ended)) {
            contender->ended_at = frame;
            break;
        }
        cairn_tally_add(&contender->tally, &stats, session->world, cairn_session_audited(session));
        if (cairn_is_ok(contender->broken)) {
            contender->broken = cairn_session_check(session, &stats);
            contender->broken_at = frame;
        }
        cairn_comparison_record(&compare->comparison, contender, &stats, cairn_session_audited(session));
        CAIRN_TRY(take_picture(compare, session, index, frame, stats.residual.is_certified));
        cairn_progress_show(&progress, frame);
    }
    cairn_progress_end(&progress);
    return cairn_ok();
}

static CairnStatus run_all(Compare *compare) {
    CompareOptions *options = &compare->options;
    CairnComparison *comparison = &compare->comparison;
    CAIRN_TRY(open_contenders(options, comparison));
    CAIRN_TRY(cairn_output_open(options->run.json, "--json", &compare->json));
    CAIRN_TRY(open_csv(options, comparison));
    CAIRN_TRY(open_html(compare));
    if (!comparison->is_free) {
        CAIRN_TRY(run_lockstep(compare));
    }
    for (int i = 0; i < comparison->count && comparison->is_free; i++) {
        CAIRN_TRY(run_alone(compare, i));
    }
    if (compare->json) {
        CAIRN_TRY(cairn_comparison_json(compare->json, comparison));
    }
    if (compare->html) {
        CAIRN_TRY(cairn_comparison_html(compare->html, comparison, options->html_folder, compare->command));
    }
    if (!options->run.is_quiet) {
        return cairn_comparison_table(compare->json == stdout ? stderr : stdout, comparison); // JSON stays alone there
    }
    return cairn_ok();
}

static int exit_code(const Compare *compare) {
    const CairnComparison *comparison = &compare->comparison;
    const CairnContender *reference = &comparison->contenders[comparison->reference];
    CairnStatus broken = comparison->is_free ? reference->broken : comparison->broken;
    int code = CAIRN_EXIT_DONE;
    if (!cairn_is_ok(broken)) {
        fprintf(stderr, "cairn compare: frame %d: the scene's check broke under %s: %s\n",
                comparison->is_free ? reference->broken_at : comparison->broken_at, reference->choice.text,
                broken.message);
        code = CAIRN_EXIT_FAILED;
    }
    if (!cairn_is_ok(reference->ended)) {
        fprintf(stderr, "cairn compare: the reference %s: frame %d: %s\n", reference->choice.text, reference->ended_at,
                reference->ended.message);
        code = CAIRN_EXIT_FAILED;
    }
    for (int i = 0; i < comparison->count && compare->options.run.needs_certified; i++) {
        const CairnContender *contender = &comparison->contenders[i];
        const CairnSession *session = cairn_comparison_session(comparison, i);
        if (contender->tally.certified < session->steps) {
            fprintf(stderr, "cairn compare: %s: certified: %d of %d frames\n", contender->choice.text,
                    contender->tally.certified, session->steps);
            code = CAIRN_EXIT_FAILED;
        }
    }
    for (int i = 0; i < comparison->count && compare->options.run.needs_sound; i++) {
        const CairnTally *tally = &comparison->contenders[i].tally;
        char verdict[200];
        if (tally->sound < cairn_comparison_session(comparison, i)->steps) {
            cairn_tally_soundness(tally, verdict, sizeof verdict);
            fprintf(stderr, "cairn compare: %s: %s\n", comparison->contenders[i].choice.text, verdict);
            code = CAIRN_EXIT_FAILED;
        }
    }
    return code;
}

static CairnStatus close_all(Compare *compare, CairnStatus status) {
    CairnComparison *comparison = &compare->comparison;
    CairnStatus closed = cairn_output_close(compare->options.run.json, &compare->json);
    status = cairn_is_ok(status) ? closed : status;
    closed = cairn_output_close(compare->html_path, &compare->html);
    status = cairn_is_ok(status) ? closed : status;
    for (int i = 0; i < comparison->count; i++) {
        CairnContender *contender = &comparison->contenders[i];
        closed = cairn_output_close(contender->csv_path, &contender->csv);
        status = cairn_is_ok(status) ? closed : status;
        cairn_contender_close(contender, &comparison->allocator);
    }
    cairn_lockstep_close(&compare->lockstep);
    cairn_session_close(&comparison->driver);
    free(comparison->contenders);
    return status;
}

// The command line that makes the report again.
static void note_command(Compare *compare, int argc, char **argv) {
    size_t length = (size_t)snprintf(compare->command, sizeof compare->command, "cairn");
    for (int i = 0; i < argc && length < sizeof compare->command; i++) {
        length += (size_t)snprintf(compare->command + length, sizeof compare->command - length, " %s", argv[i]);
    }
}

static int compare_command(const CairnLinked *linked, int argc, char **argv) {
    (void)linked;
    void *read = NULL;
    CairnStatus status = cairn_run_options_read(command_options, COMMAND_COUNT, sizeof(Compare), argc, argv, &read);
    Compare *compare = read;
    int code;
    if (!compare) {
        return cairn_complain("compare", status);
    }
    note_command(compare, argc, argv);
    if (cairn_is_ok(status) && compare->options.run.wants_help) {
        print_help();
        free(compare);
        return CAIRN_EXIT_DONE;
    }
    status = cairn_is_ok(status) ? check_options(&compare->options) : status;
    status = cairn_is_ok(status) ? run_all(compare) : status;
    code = cairn_is_ok(status) ? exit_code(compare) : CAIRN_EXIT_DONE;
    status = close_all(compare, status);
    code = cairn_is_ok(status) ? code : cairn_complain("compare", status);
    free(compare);
    return code;
}

const CairnCommand cairn_command_compare = {
    .name = "compare",
    .summary = "run a scene with several solvers, side by side: table, JSON, CSV, HTML report",
    .run = compare_command,
};
