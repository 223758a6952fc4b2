// S3 table 1: solve time and partitioning with refinement, of every partitioner and refiner, with what the paper prints
// beside it.
#include "bench/substructuring_match.h"
#include "bench/substructuring_more.h"

#include <math.h>

enum { FRAMES = 2, PARTITIONERS = 5, REFINERS = 3, VARIANTS = PARTITIONERS * REFINERS, SCENES = 4 };

static const char *const partitioners[] = {"mindp", "maxdp", "bfs", "mr", "mix"};
static const char *const refiners[] = {"none", "kl", "fm"};
static const char *const scenes[] = {"log_tower", "chain_drop", "rock_pile", "large_rock_pile"};

// t_s in ms: by scenes, partitioners, refiners.
static const double published[SCENES][PARTITIONERS][REFINERS] = {
    {{26.6, 23.5, 20.7}, {48.9, 41.7, 50.0}, {103.4, 39.0, 29.2}, {55.3, 31.5, 32.9}, {25.3, 15.9, 17.5}},
    {{4.5, 3.9, 3.9}, {6.1, 6.1, 4.4}, {4.7, 4.1, 3.3}, {6.3, 5.1, 5.4}, {3.9, 3.6, 3.4}},
    {{144.5, 100.7, 109.2}, {602.8, 271.9, 290.3}, {697.1, 241.6, 230.2}, {385.0, 268.1, 267.2}, {105.3, 96.1, 78.1}},
    {{894.1, 738.2, 638.7},
     {4166.8, 1387.7, 1463.3},
     {6127.1, 912.5, 918.4},
     {1752.6, 814.3, 854.5},
     {816.2, 671.1, 570.3}},
};

static void list(MatchContender *contenders) {
    for (int i = 0; i < 2 * VARIANTS; i++) {
        bool is_faithful = i >= VARIANTS;
        contenders[i] = (MatchContender){.label = "schur-bpp",
                                         .solver = "schur-bpp",
                                         .options = is_faithful ? "faithful=true,warm=false" : "",
                                         .threads = 1,
                                         .part_size = 16,
                                         .partitioner = partitioners[i % VARIANTS / REFINERS],
                                         .refiner = refiners[i % REFINERS]};
    }
}

// What a variant saves against mindp without refinement, in percent.
static double saved(double time, double plain) {
    return plain > 0 ? 100 * (1 - time / plain) : 0;
}

bool substructuring_partitions(FILE *file) {
    MatchContender contenders[2 * VARIANTS];
    list(contenders);
    fprintf(
        file,
        "\nS3 table 1: schur-bpp, one thread, parts of 16; faithful: as printed, cold. -x %%: against mindp none\n");
    for (int s = 0; s < SCENES; s++) {
        MatchResult result;
        MatchScene scene = {.name = scenes[s], .frames = FRAMES};
        if (!match_play(&scene, contenders, 2 * VARIANTS, &result)) {
            return false;
        }
        fprintf(file, "  %s\n  %-8s %-5s %9s %9s %9s %9s %9s %9s |%9s %9s\n", scenes[s], "", "", "cut rows",
                "parts, ms", "default", "faithful", "-x %", "k", "S3, ms", "-x %");
        for (int i = 0; i < VARIANTS; i++) {
            const MatchSums *sums = &result.sums[i], *faithful = &result.sums[i + VARIANTS];
            double theirs = published[s][i / REFINERS][i % REFINERS];
            fprintf(file, "  %-8s %-5s %9.0f %9.3f %9.2f %9.2f %9.1f %9.1f |%9.1f %9.1f\n", partitioners[i / REFINERS],
                    refiners[i % REFINERS], sums->cut / fmax(1, sums->frames),
                    1e3 * sums->partition_time / fmax(1, sums->frames), match_time(sums), match_time(faithful),
                    saved(match_time(faithful), match_time(&result.sums[VARIANTS])),
                    faithful->coupling / fmax(1, faithful->frames), theirs, saved(theirs, published[s][0][0]));
        }
        fflush(file);
    }
    return true;
}
