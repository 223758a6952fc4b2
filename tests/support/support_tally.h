// Tally: what the solver that picks by the law takes for a world, solve by solve and frame by frame. A world made from a
// definition that was given to support_tally_begin has that solver, and what it does is unchanged. Problems that took
// too much, or whose answer was not certified, are kept as problem files where a folder is named.
#ifndef CAIRN_TESTS_SUPPORT_TALLY_H
#define CAIRN_TESTS_SUPPORT_TALLY_H

#include <cairn/cairn.h>

enum { SUPPORT_TALLY_MOST = 4096 };

// How often a number of factors came up: entry k counts those of k factors, the last one all that are larger.
typedef struct SupportCounts {
    int of[SUPPORT_TALLY_MOST];
    int count, worst;
} SupportCounts;

void support_counts_add(SupportCounts *counts, int value);
void support_counts_merge(SupportCounts *into, const SupportCounts *from);
int support_counts_quantile(const SupportCounts *counts, double share); // 0: of none

typedef struct SupportTally {
    SupportCounts solves, frames; // factors
    int uncertified;              // frames
    int first_uncertified;        // -1: none
    int heavy;                    // solves of more factors than `limit`
    int limit;
    const char *folder, *name; // of the files; NULL: none are kept
} SupportTally;

// An empty tally without files, with a limit of 200 factors a solve; the definition's logger refers to it.
void support_tally_begin(SupportTally *tally, CairnWorldDef *def);

// Gives a world that was made from the definition the solver that counts.
CairnStatus support_tally_watch(CairnWorld *world);

// A step, counted where it answers CAIRN_OK. `stats` may be NULL.
CairnStatus support_tally_step(SupportTally *tally, CairnWorld *world, double h, CairnStats *stats);

#endif
