#include "bench/bench.h"

#include "engine/base/timer.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// What the cases return ends here, where the compiler must believe that it is read.
static volatile double sink;

double bench_cpu_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// The seconds that it took.
static double warm_up(const BenchCase *item, void *state, int count) {
    double start = cairn_timer_now();
    sink = item->run(state, count);
    return cairn_timer_now() - start;
}

// The seconds that count.
static double time_once(const BenchCase *item, void *state, int count) {
    double elapsed = warm_up(item, state, count);
    return item->is_self_timed ? sink : elapsed;
}

// The count that makes one repetition last about `seconds`; also the warm-up.
static int calibrate(const BenchCase *item, void *state, double seconds) {
    int count = 1;
    for (;;) {
        double elapsed = warm_up(item, state, count);
        if (elapsed >= seconds / 4 || count >= INT32_MAX / 8) {
            double scaled = (double)count * seconds / (elapsed > 1e-9 ? elapsed : 1e-9);
            return scaled < 1 ? 1 : scaled > INT32_MAX / 2 ? INT32_MAX / 2 : (int)scaled;
        }
        count *= elapsed < seconds / 40 ? 8 : 2;
    }
}

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void summarise(BenchResult *result, double *samples, int count) {
    qsort(samples, (size_t)count, sizeof *samples, compare_doubles);
    result->fastest = samples[0];
    result->low = samples[count / 4];
    result->median = count % 2 != 0 ? samples[count / 2] : (samples[count / 2 - 1] + samples[count / 2]) / 2;
    result->high = samples[count - 1 - count / 4];
}

static void fill_ratios(const BenchSuite *suite, BenchResult *results) {
    for (int i = 0; i < suite->case_count; i++) {
        for (int k = 0; k < suite->case_count; k++) {
            const char *baseline = suite->cases[i].baseline;
            if (baseline != NULL && strcmp(baseline, suite->cases[k].name) == 0 && results[k].median > 0) {
                results[i].ratio = results[i].median / results[k].median;
            }
        }
    }
}

bool bench_run(const BenchSuite *suite, BenchSettings settings, BenchResult *results) {
    int repetitions = settings.repetitions;
    double *samples = calloc((size_t)repetitions * (size_t)suite->case_count, sizeof *samples);
    void *state = suite->open != NULL ? suite->open() : NULL;
    bool is_open = samples != NULL && (suite->open == NULL || state != NULL);
    if (is_open) {
        for (int i = 0; i < suite->case_count; i++) {
            const BenchCase *item = &suite->cases[i];
            results[i] = (BenchResult){.item = item, .repetitions = repetitions};
            results[i].count = calibrate(item, state, settings.seconds);
        }
        for (int r = 0; r < repetitions; r++) {
            for (int i = 0; i < suite->case_count; i++) {
                const BenchCase *item = &suite->cases[i];
                double things = results[i].count * (item->items > 0 ? item->items : 1);
                samples[i * repetitions + r] = time_once(item, state, results[i].count) / things;
            }
        }
        for (int i = 0; i < suite->case_count; i++) {
            summarise(&results[i], samples + i * repetitions, repetitions);
        }
        fill_ratios(suite, results);
    }
    if (state != NULL && suite->close != NULL) {
        suite->close(state);
    }
    free(samples);
    return is_open;
}

static void print_time(double seconds, FILE *file) {
    if (seconds < 1e-6) {
        fprintf(file, "%9.2f ns", seconds * 1e9);
    } else if (seconds < 1e-3) {
        fprintf(file, "%9.2f us", seconds * 1e6);
    } else {
        fprintf(file, "%9.2f ms", seconds * 1e3);
    }
}

void bench_print_table(const BenchSuite *suite, const BenchResult *results, FILE *file) {
    fprintf(file, "%s: %s\n", suite->name, suite->summary);
    fprintf(file, "  %-30s %12s %12s %12s %8s\n", "case", "median", "quarter", "three q.", "ratio");
    for (int i = 0; i < suite->case_count; i++) {
        fprintf(file, "  %-30s ", results[i].item->name);
        print_time(results[i].median, file);
        fputc(' ', file);
        print_time(results[i].low, file);
        fputc(' ', file);
        print_time(results[i].high, file);
        if (results[i].ratio > 0) {
            fprintf(file, " %8.3f of %s", results[i].ratio, results[i].item->baseline);
        }
        fputc('\n', file);
    }
}

void bench_print_json(const BenchSuite *suite, const BenchResult *results, FILE *file) {
    fprintf(file, "    { \"name\": \"%s\", \"cases\": [\n", suite->name);
    for (int i = 0; i < suite->case_count; i++) {
        const BenchResult *r = &results[i];
        fprintf(file, "      { \"name\": \"%s\", \"repetitions\": %d, \"count\": %d, \"median_s\": %.6e, ",
                r->item->name, r->repetitions, r->count, r->median);
        fprintf(file, "\"low_s\": %.6e, \"high_s\": %.6e, \"fastest_s\": %.6e", r->low, r->high, r->fastest);
        if (r->ratio > 0) {
            fprintf(file, ", \"baseline\": \"%s\", \"ratio\": %.6f", r->item->baseline, r->ratio);
        }
        fprintf(file, " }%s\n", i + 1 < suite->case_count ? "," : "");
    }
    fprintf(file, "    ] }");
}
