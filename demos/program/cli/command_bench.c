// cairn bench: the bench program that lies beside this one. It stays a program of its own: what it compares with (other
// engines, CHOLMOD, BLAS) is linked into it alone.
#include "demos/program/cli/program.h"
#include "demos/program/session/options.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_WORDS = 24, PATH_SIZE = 4096 };

typedef struct BenchOptions {
    const char *words[MOST_WORDS]; // for the bench
    int count;
    bool has_name, wants_help;
} BenchOptions;

static CairnStatus add(BenchOptions *options, const char *name, const char *value) {
    if (options->count + 2 >= MOST_WORDS) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "too many names");
    }
    options->words[options->count++] = name;
    if (value) {
        options->words[options->count++] = value;
    }
    return cairn_ok();
}

static CairnStatus take_json(void *target, const char *value) {
    CAIRN_TRY(cairn_parse_text(value, &value));
    return add(target, "--json", value);
}

static CairnStatus take_repetitions(void *target, const char *value) {
    int number;
    CAIRN_TRY(cairn_parse_int(value, 1, 100000, &number));
    return add(target, "--repetitions", value);
}

static CairnStatus take_help(void *target, const char *value) {
    (void)value;
    ((BenchOptions *)target)->wants_help = true;
    return cairn_ok();
}

static CairnStatus take_name(void *target, const char *word) {
    ((BenchOptions *)target)->has_name = true;
    return add(target, word, NULL);
}

static const CairnOption command_options[] = {
    {"--json", "FILE", "write the numbers, too", take_json},
    {"--repetitions", "N", "of what is timed case by case", take_repetitions},
    {"--help", NULL, "this help", take_help},
};

enum { COMMAND_COUNT = (int)(sizeof(command_options) / sizeof(command_options[0])) };

static void print_help(void) {
    printf(
        "cairn bench NAME [options]\n\nMeasure: a suite of the bench, papers' tables and figures among them, with "
        "their printed "
        "column beside ours.\nWithout a name: what there is. The bench is built by `make bench` and lies beside this "
        "program.\n\n");
    cairn_options_help(command_options, COMMAND_COUNT);
}

// $CAIRN_BENCH, or `bench` in the program's own folder.
static CairnStatus find_bench(char path[PATH_SIZE]) {
    const char *given = getenv("CAIRN_BENCH");
    ssize_t length = readlink("/proc/self/exe", path, PATH_SIZE - 8);
    path[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(path, '/');
    if (given && given[0]) {
        snprintf(path, PATH_SIZE, "%s", given);
    } else if (slash) {
        memcpy(slash + 1, "bench", 6);
    }
    return access(path, X_OK) == 0
               ? cairn_ok()
               : cairn_error(CAIRN_NOT_FOUND, "there is no bench at %.150s: `make bench` builds it", path);
}

static int bench_command(const CairnLinked *linked, int argc, char **argv) {
    (void)linked;
    BenchOptions options = {.count = 0};
    char path[PATH_SIZE];
    CairnStatus status = cairn_options_parse(command_options, COMMAND_COUNT, argc, argv, &options, take_name);
    if (cairn_is_ok(status) && options.wants_help) {
        print_help();
        return CAIRN_EXIT_DONE;
    }
    if (cairn_is_ok(status) && !options.has_name) {
        status = add(&options, "--list", NULL);
    }
    status = cairn_is_ok(status) ? find_bench(path) : status;
    if (cairn_is_ok(status)) {
        const char *words[MOST_WORDS + 2] = {path};
        memcpy(words + 1, options.words, (size_t)options.count * sizeof *words);
        fflush(NULL);
        setenv("GOMP_SPINCOUNT", "3000", 0); // as make bench does
        setenv("OPENBLAS_NUM_THREADS", "1", 0);
        execv(path, (char *const *)(uintptr_t)words); // comes back only where it could not
        status = cairn_error(CAIRN_IO, "cannot run %.150s: %s", path, strerror(errno));
    }
    return cairn_complain("bench", status);
}

const CairnCommand cairn_command_bench = {
    .name = "bench",
    .summary = "measure; papers' tables and figures again, their column beside ours",
    .run = bench_command,
};
