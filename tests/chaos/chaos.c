// chaos: steps random worlds of valid definitions and counts what must never happen.
//
//   chaos [--seeds FIRST:LAST] [--clean | --overlap] [--solver NAME] [--steps N] [--jobs N] [--every SECONDS]
//
// Without --clean and --overlap each seed makes a world of either kind. It prints a line for each finding, then the
// three counters: steps that were refused, worlds with a state that is not finite or with a kinetic energy more than a
// hundred times what was put in, frames without a certificate. It returns 1 where one of the first two is not 0, or
// where frames of clean starts are not certified, or one in ten thousand of the others. On the way it prints the seed
// that was reached and the counters to the standard error, every 30 s by default. SIGINT and SIGTERM end it after the
// worlds that are being stepped; it prints the counters of the range that was run, and returns 3 where that is good.
#include "tests/support/support_chaos.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct Options {
    long first, last;
    bool kinds[2]; // clean, overlap
    const CairnSolver *solver;
    int steps, jobs;
    double every; // s
} Options;

static const double most_gain = 100;

static bool read_options(int argc, char **argv, Options *options) {
    *options = (Options){
        .first = 1, .last = 1000, .kinds = {true, true}, .steps = SUPPORT_CHAOS_STEPS, .jobs = 1, .every = 30};
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--clean") == 0) {
            options->kinds[1] = false;
        } else if (strcmp(argv[i], "--overlap") == 0) {
            options->kinds[0] = false;
        } else if (strcmp(argv[i], "--seeds") == 0) {
            int read = sscanf(value, "%ld:%ld", &options->first, &options->last);
            options->last = read == 1 ? options->first : options->last;
            i += read >= 1;
        } else if (strcmp(argv[i], "--steps") == 0) {
            options->steps = atoi(value);
            i++;
        } else if (strcmp(argv[i], "--jobs") == 0) {
            options->jobs = atoi(value);
            i++;
        } else if (strcmp(argv[i], "--every") == 0) {
            options->every = atof(value);
            i++;
        } else if (strcmp(argv[i], "--solver") == 0 && cairn_is_ok(cairn_solver_find(value, &options->solver))) {
            i++;
        } else {
            return false;
        }
    }
    return options->first >= 0 && options->last >= options->first && options->steps > 0 && options->jobs > 0 &&
           options->every > 0 && (options->kinds[0] || options->kinds[1]);
}

typedef struct Counters {
    long worlds, frames;
    long refused, wild, uncertified;
} Counters;

static void count(const SupportChaosRun *run, long seed, const char *kind, Counters *counters) {
    bool is_wild = !run->is_finite || !(run->gain <= most_gain);
    counters->worlds += 1;
    counters->frames += run->frames;
    counters->refused += !cairn_is_ok(run->status);
    counters->wild += is_wild;
    counters->uncertified += run->uncertified;
    if (!cairn_is_ok(run->status)) {
        printf("%s seed %ld: step %d: %s\n", kind, seed, run->failed, run->status.message);
    }
    if (is_wild) {
        printf("%s seed %ld: step %d: %s, kinetic energy %.3g times what was put in\n", kind, seed, run->wildest,
               run->is_finite ? "finite" : "not finite", run->gain);
    }
    if (run->uncertified > 0) {
        printf("%s seed %ld: %d of %d frames not certified, the first at step %d\n", kind, seed, run->uncertified,
               run->frames, run->first_wrong);
    }
    fflush(stdout);
}

static void print_counters(FILE *out, const char *kind, long first, long last, const Counters *c) {
    fprintf(out,
            "%s, seeds %ld:%ld: %ld worlds, %ld frames: %ld refused, %ld not finite or wild, %ld uncertified (%.2g of "
            "frames)\n",
            kind, first, last, c->worlds, c->frames, c->refused, c->wild, c->uncertified,
            (double)c->uncertified / (double)(c->frames > 0 ? c->frames : 1));
    fflush(out);
}

static void end_signals(sigset_t *set) {
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
}

// Signals that end the program are blocked, and looked for between worlds.
static bool is_interrupted(void) {
    sigset_t pending;
    return sigpending(&pending) == 0 && (sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGTERM) == 1);
}

static double seconds(void) {
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Worlds share nothing; what they found is counted in the order of their seeds.
static Counters run_kind(const Options *options, bool overlaps) {
    enum { MOST_BATCH = 64, TURNS = 4 };
    const char *kind = overlaps ? "overlap" : "clean";
    Counters counters = {0};
    SupportChaosRun runs[MOST_BATCH];
    double printed = seconds();
    long first = options->first;
    while (first <= options->last && !is_interrupted()) {
        long left = options->last - first + 1, most = (long)TURNS * options->jobs;
        int size = (int)(left < most ? left : most);
        size = size < MOST_BATCH ? size : MOST_BATCH;
#pragma omp parallel for schedule(dynamic) num_threads(options->jobs)
        for (int k = 0; k < size; k++) {
            runs[k] = support_chaos_run((uint64_t)(first + k), overlaps, options->solver, options->steps);
        }
        for (int k = 0; k < size; k++) {
            count(&runs[k], first + k, kind, &counters);
        }
        first += size;
        if (first <= options->last && seconds() - printed >= options->every) {
            printed = seconds();
            print_counters(stderr, kind, options->first, first - 1, &counters);
        }
    }
    print_counters(stdout, kind, options->first, first - 1, &counters);
    return counters;
}

int main(int argc, char **argv) {
    static const double most_uncertified[2] = {0, 1e-4}; // of frames
    sigset_t ends;
    Options options;
    bool is_good = true;
    if (!read_options(argc, argv, &options)) {
        fprintf(stderr, "usage: chaos [--seeds FIRST:LAST] [--clean | --overlap] [--solver NAME] [--steps N] "
                        "[--jobs N] [--every SECONDS]\n");
        return 2;
    }
    end_signals(&ends);
    sigprocmask(SIG_BLOCK, &ends, NULL); // before there are other threads, which inherit it
    for (int kind = 0; kind < 2 && !is_interrupted(); kind++) {
        if (options.kinds[kind]) {
            Counters c = run_kind(&options, kind == 1);
            is_good = is_good && c.refused == 0 && c.wild == 0 &&
                      (double)c.uncertified <= most_uncertified[kind] * (double)c.frames;
        }
    }
    return !is_good ? 1 : is_interrupted() ? 3 : 0;
}
