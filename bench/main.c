// build/bench [NAME]... [--list] [--json FILE] [--repetitions N] [--seconds T]
#include "bench/bench.h"

#include <cairn/version.h>
#include <stdlib.h>
#include <string.h>

// The suites: one line for each file bench/bench_NAME.c.
// clang-format off
#define SUITES(X) \
    X(bench_admm) \
    X(bench_base) \
    X(bench_collision) \
    X(bench_cone) \
    X(bench_exact) \
    X(bench_friction) \
    X(bench_partition) \
    X(bench_pgs) \
    X(bench_rest) \
    X(bench_scenes) \
    X(bench_step) \
    X(bench_substructuring)
// clang-format on

#define DECLARE(suite) extern const BenchSuite suite;
SUITES(DECLARE)

#define LIST(suite) &suite,
static const BenchSuite *const suites[] = {SUITES(LIST)};
enum { SUITE_COUNT = sizeof suites / sizeof suites[0], NAME_MAX_COUNT = 16 };

typedef struct Options {
    const char *names[NAME_MAX_COUNT];
    int name_count;
    const char *json;
    bool is_list;
    BenchSettings settings;
} Options;

static int usage(const char *problem) {
    fprintf(stderr, "bench: %s\nusage: bench [NAME]... [--list] [--json FILE] [--repetitions N] [--seconds T]\n",
            problem);
    return 2;
}

static int parse(int argc, char **argv, Options *options) {
    for (int i = 1; i < argc && argv[i] != NULL; i++) {
        const char *value = argv[i + 1]; // NULL after the last
        char *end = NULL;
        if (strcmp(argv[i], "--list") == 0) {
            options->is_list = true;
        } else if (strcmp(argv[i], "--json") == 0 && value != NULL) {
            options->json = value;
            i++;
        } else if (strcmp(argv[i], "--repetitions") == 0 && value != NULL) {
            long repetitions = strtol(value, &end, 10);
            if (*end != '\0' || repetitions < 1 || repetitions > 100000) {
                return usage("--repetitions takes a number from 1 to 100000");
            }
            options->settings.repetitions = (int)repetitions;
            i++;
        } else if (strcmp(argv[i], "--seconds") == 0 && value != NULL) {
            options->settings.seconds = strtod(value, &end);
            if (*end != '\0' || !(options->settings.seconds > 0 && options->settings.seconds <= 60)) {
                return usage("--seconds takes a number above 0 and up to 60");
            }
            i++;
        } else if (argv[i][0] == '-' || options->name_count == NAME_MAX_COUNT) {
            return usage(argv[i]);
        } else {
            options->names[options->name_count++] = argv[i];
        }
    }
    return 0;
}

static bool is_chosen(const BenchSuite *suite, const Options *options) {
    for (int i = 0; i < options->name_count; i++) {
        if (strstr(suite->name, options->names[i]) != NULL) {
            return true;
        }
    }
    return options->name_count == 0;
}

// One suite. Its JSON object goes to `json`. False: it could not be set up.
static bool run_suite(const BenchSuite *suite, BenchSettings settings, FILE *json) {
    if (suite->report != NULL) {
        printf("%s: %s\n", suite->name, suite->summary);
        return suite->report(stdout, json);
    }
    BenchResult *results = calloc((size_t)suite->case_count + 1, sizeof *results);
    bool is_done = results != NULL && bench_run(suite, settings, results);
    if (is_done) {
        bench_print_table(suite, results, stdout);
        bench_print_json(suite, results, json);
    }
    free(results);
    return is_done;
}

// Runs the chosen suites; `json` may be NULL. Returns how many ran, or -1.
static int run_suites(const Options *options, FILE *json) {
    int ran = 0, listed = 0;
    for (int i = 0; i < SUITE_COUNT; i++) {
        if (!is_chosen(suites[i], options)) {
            continue;
        }
        char *object = NULL;
        size_t size = 0;
        FILE *section = open_memstream(&object, &size); // a suite need not write one
        bool is_done = section != NULL && run_suite(suites[i], options->settings, section);
        is_done = section != NULL && fclose(section) == 0 && is_done;
        if (is_done && json != NULL && size > 0) {
            fprintf(json, "%s%s", listed++ > 0 ? ",\n" : "", object);
        }
        free(object);
        if (!is_done) {
            fprintf(stderr, "bench: %s could not be set up\n", suites[i]->name);
            return -1;
        }
        ran++;
    }
    return ran;
}

int main(int argc, char **argv) {
    Options options = {.settings = {.repetitions = 15, .seconds = 0.01}};
    int code = parse(argc, argv, &options);
    if (code != 0) {
        return code;
    }
    if (options.is_list) {
        for (int i = 0; i < SUITE_COUNT; i++) {
            printf("%-16s %s\n", suites[i]->name, suites[i]->summary);
        }
        return 0;
    }
    FILE *json = options.json != NULL ? fopen(options.json, "w") : NULL;
    if (options.json != NULL && json == NULL) {
        fprintf(stderr, "bench: cannot write %s\n", options.json);
        return 2;
    }
    if (json != NULL) {
        fprintf(json, "{ \"version\": \"%s\", \"compiler\": \"%s\", \"suites\": [\n", cairn_version(), __VERSION__);
    }
    int ran = run_suites(&options, json);
    bool is_written = true;
    if (json != NULL) {
        fprintf(json, "\n  ] }\n");
        is_written = ferror(json) == 0;
        is_written = fclose(json) == 0 && is_written;
    }
    if (!is_written) {
        fprintf(stderr, "bench: cannot write %s\n", options.json);
        return 1;
    }
    if (ran == 0) {
        return usage("no suite of that name; --list shows them");
    }
    return ran < 0 ? 1 : 0;
}
