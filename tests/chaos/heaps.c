// heaps: drops random heaps under Coulomb's law and counts what the default solver takes for each frame.
//
//   heaps [--seeds FIRST:LAST] [--bodies N] [--steps N] [--jobs N] [--save FOLDER] [--verbose]
//
// It prints a line for each finding (a call that was refused, a state that is not finite, frames without a certificate,
// a solve of more than 200 factors), then how many frames were certified and the factors of frames and of solves:
// median, of one in a hundred, worst. --save keeps the problems of findings in a folder, for `cairn solve --warm`. It
// returns 1 where there is a finding.
#include "tests/support/support_heaps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Options {
    long first, last;
    int bodies, steps, jobs;
    const char *folder;
    bool is_verbose;
} Options;

static bool read_number(const char *text, int *number) {
    *number = atoi(text);
    return *number > 0;
}

static bool read_options(int argc, char **argv, Options *options) {
    *options =
        (Options){.first = 1, .last = 100, .bodies = SUPPORT_HEAP_BODIES, .steps = SUPPORT_HEAP_STEPS, .jobs = 1};
    bool is_right = true;
    for (int i = 1; i < argc && is_right; i++) {
        const char *name = argv[i];
        if (strcmp(name, "--verbose") == 0) {
            options->is_verbose = true;
            continue;
        }
        const char *value = i + 1 < argc ? argv[++i] : "";
        if (strcmp(name, "--seeds") == 0) {
            int read = sscanf(value, "%ld:%ld", &options->first, &options->last);
            options->last = read == 1 ? options->first : options->last;
            is_right = read >= 1 && options->first >= 0 && options->last >= options->first;
        } else if (strcmp(name, "--save") == 0) {
            options->folder = value;
        } else {
            is_right = (strcmp(name, "--bodies") == 0 && read_number(value, &options->bodies)) ||
                       (strcmp(name, "--steps") == 0 && read_number(value, &options->steps)) ||
                       (strcmp(name, "--jobs") == 0 && read_number(value, &options->jobs));
        }
    }
    return is_right;
}

typedef struct Sum {
    int heaps, heavy, uncertified, wrong;
    SupportCounts solves, frames;
} Sum;

static void add(const SupportHeapRun *run, long seed, bool is_verbose, Sum *sum) {
    const SupportTally *tally = &run->tally;
    bool is_wrong = !cairn_is_ok(run->status) || !run->is_finite;
    sum->heaps += 1;
    sum->heavy += tally->heavy;
    sum->uncertified += tally->uncertified;
    sum->wrong += is_wrong;
    support_counts_merge(&sum->solves, &tally->solves);
    support_counts_merge(&sum->frames, &tally->frames);
    if (is_wrong) {
        printf("seed %ld: after %d frames: %s\n", seed, tally->frames.count,
               cairn_is_ok(run->status) ? "a state is not finite" : run->status.message);
    }
    if (is_verbose || tally->heavy > 0 || tally->uncertified > 0) {
        printf("seed %ld: %d bodies, up to %d rows: %d of %d frames not certified, the first at %d; factors a frame: "
               "median %d, worst %d; %d solves of more than %d, worst %d\n",
               seed, run->bodies, run->rows, tally->uncertified, tally->frames.count, tally->first_uncertified,
               support_counts_quantile(&tally->frames, 0.5), tally->frames.worst, tally->heavy, tally->limit,
               tally->solves.worst);
    }
    fflush(stdout);
}

static void print_counts(const char *what, const SupportCounts *counts) {
    printf("%d %s: median %d, 99 of 100 within %d, worst %d factors\n", counts->count, what,
           support_counts_quantile(counts, 0.5), support_counts_quantile(counts, 0.99), counts->worst);
}

// Heaps share nothing; what they came to is added in the order of their seeds.
int main(int argc, char **argv) {
    enum { BATCH = 4 };
    Options options;
    if (!read_options(argc, argv, &options)) {
        fprintf(stderr,
                "usage: heaps [--seeds FIRST:LAST] [--bodies N] [--steps N] [--jobs N] [--save FOLDER] [--verbose]\n");
        return 2;
    }
    Sum *sum = calloc(1, sizeof *sum);
    SupportHeapRun *runs = malloc(BATCH * sizeof *runs);
    for (long first = options.first; first <= options.last && sum != NULL && runs != NULL; first += BATCH) {
        long left = options.last - first + 1;
        int size = left < BATCH ? (int)left : BATCH;
#pragma omp parallel for schedule(dynamic) num_threads(options.jobs)
        for (int k = 0; k < size; k++) {
            support_heap_run((uint64_t)(first + k), options.bodies, options.steps, options.folder, &runs[k]);
        }
        for (int k = 0; k < size; k++) {
            add(&runs[k], first + k, options.is_verbose, sum);
        }
    }
    bool is_good = sum != NULL && runs != NULL && sum->wrong == 0 && sum->uncertified == 0 && sum->heavy == 0;
    if (sum != NULL && runs != NULL) {
        printf("%d heaps: %d went wrong, %d frames not certified, %d solves of more than 200 factors\n", sum->heaps,
               sum->wrong, sum->uncertified, sum->heavy);
        print_counts("frames", &sum->frames);
        print_counts("solves", &sum->solves);
    }
    free(runs);
    free(sum);
    return is_good ? 0 : 1;
}
