// Strong scaling from one thread to two, on bridge, chain and tower of several sizes, and where substructuring
// overtakes the whole system.
#include "bench/substructuring_match.h"
#include "bench/substructuring_more.h"

static const MatchContender contenders[] = {
    {.solver = "bpp", .options = "", .threads = 1, .part_size = 16},
    {.solver = "bpp", .options = "", .threads = 2, .part_size = 16},
    {.solver = "schur-bpp", .options = "", .threads = 1, .part_size = 32},
    {.solver = "schur-bpp", .options = "", .threads = 2, .part_size = 32},
    {.solver = "schur-bpp", .options = "levels=2", .threads = 1, .part_size = 64},
    {.solver = "schur-bpp", .options = "levels=2", .threads = 2, .part_size = 64},
};

static const MatchScene scenes[] = {
    {"bridge", "planks=128", 8, 4, false},          {"bridge", "planks=512", 8, 4, false},
    {"chain_drop", "links=250", 160, 2, false},     {"chain_drop", "links=1000", 160, 2, false},
    {"log_tower", "logs=160", 40, 2, false},        {"log_tower", "logs=640", 40, 2, false},
    {"large_rock_pile", "rocks=540", 60, 2, false},
};

enum { CONTENDERS = sizeof contenders / sizeof contenders[0], SCENES = sizeof scenes / sizeof scenes[0] };

bool substructuring_scaling(FILE *file) {
    fprintf(file,
            "\nThreads: ms of the clock for two, of the processor for one; ratio one over two. schur-bpp: mindp, parts "
            "of 32, and "
            "parts of 64 in two levels\n  %-28s %6s %8s %8s %6s %8s %8s %6s %8s %8s %6s\n",
            "", "rows", "bpp 1", "2", "ratio", "schur 1", "2", "ratio", "levels 1", "2", "ratio");
    for (int s = 0; s < SCENES; s++) {
        MatchResult result;
        double time[CONTENDERS];
        if (!match_play(&scenes[s], contenders, CONTENDERS, &result)) {
            return false;
        }
        for (int i = 0; i < CONTENDERS; i++) {
            time[i] = match_time(&result.sums[i]);
        }
        fprintf(file, "  %-15s %-12s %6d %8.2f %8.2f %6.2f %8.2f %8.2f %6.2f %8.2f %8.2f %6.2f\n", scenes[s].name,
                scenes[s].params, result.rows, time[0], time[1], time[0] / time[1], time[2], time[3], time[2] / time[3],
                time[4], time[5], time[4] / time[5]);
        fflush(file);
    }
    return true;
}
