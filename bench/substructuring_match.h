// Match: one bpp drives a scene, and at frames spread over it every contender gets the same problem, the same warm
// start and parts of its own choice. Times are the least of a few solves: of the processor for one thread, of the clock
// for several.
#ifndef CAIRN_BENCH_SUBSTRUCTURING_MATCH_H
#define CAIRN_BENCH_SUBSTRUCTURING_MATCH_H

#include <stdbool.h>
#include <stddef.h>

enum { MATCH_MOST = 32 };

typedef struct MatchContender {
    const char *label, *solver, *options;
    int threads, part_size;
    const char *partitioner, *refiner; // NULL: mindp, none; "semantic" where all bodies have a label, else mindp
    bool starts_empty;                 // without a warm start
    size_t column;                     // the caller's
} MatchContender;

typedef struct MatchScene {
    const char *name, *params; // "links=500", NULL: defaults
    int steps;                 // 0: the scene's
    int frames;
    bool wants_condition; // cond(S) on the first three frames
} MatchScene;

typedef struct MatchSums {
    bool is_there; // the build has this solver
    bool
        is_crowded; // several threads compete with other processes for the cores: one solve took seconds, and the remaining ones were skipped
    int frames, certified, limits, fallbacks;
    double time, partition_time, coupling, parts, cut; // sums over frames
} MatchSums;

typedef struct MatchResult {
    MatchSums sums[MATCH_MOST];
    int rows; // the most
    double condition;
} MatchResult;

bool match_play(const MatchScene *scene, const MatchContender *contenders, int count, MatchResult *result);

// Of a frame, in ms.
double match_time(const MatchSums *sums);

#endif
