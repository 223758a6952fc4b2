// Bench: named cases, repeated, with medians and ratios.
//
// A suite is one file, bench/bench_NAME.c, that exposes one `const BenchSuite bench_NAME`, and one line in
// bench/main.c. All cases of a suite run in the same process, in turns (case 1, 2, ... n, then again), so that a slow
// spell of the machine falls on all of them and their ratios stay honest.
#ifndef CAIRN_BENCH_BENCH_H
#define CAIRN_BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct BenchCase {
    const char *name;
    const char *baseline; // the case of the same suite whose time is 1 in the ratio column; NULL: no ratio
    // Does the work `count` times and returns something that depends on all of it, so that none of it can be left out.
    double (*run)(void *state, int count);
    double items;       // things done by one count (bodies, rows): times are per thing; 0 stands for 1
    bool is_self_timed; // run returns the seconds that count, fewer than those that it takes
} BenchCase;

typedef struct BenchSuite {
    const char *name, *summary;
    const BenchCase *cases;
    int case_count;
    // Make what the cases share; NULL where there is nothing to share. A NULL result means that memory ran out.
    void *(*open)(void);
    void (*close)(void *state);
    // In place of cases: measures and prints by itself, and writes one object of the array "suites" to `json` (or
    // nothing); false: could not.
    bool (*report)(FILE *file, FILE *json);
} BenchSuite;

// Seconds per thing: the middle of the repetitions, and where a quarter lie below and above.
typedef struct BenchResult {
    const BenchCase *item;
    int repetitions, count; // each repetition called run(state, count)
    double median, low, high, fastest;
    double ratio; // median over the baseline's median; 0 without one
} BenchResult;

typedef struct BenchSettings {
    int repetitions;
    double seconds; // about how long one repetition of a case shall take
} BenchSettings;

// Fills results[suite->case_count]; false when the suite could not open.
bool bench_run(const BenchSuite *suite, BenchSettings settings, BenchResult *results);

// Seconds of the processor that this process has used: what work on one thread costs, whatever else the machine does.
double bench_cpu_now(void);

void bench_print_table(const BenchSuite *suite, const BenchResult *results, FILE *file);
// One object of the array "suites".
void bench_print_json(const BenchSuite *suite, const BenchResult *results, FILE *file);

#endif
