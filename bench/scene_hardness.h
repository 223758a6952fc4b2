// How hard a scene's problems are: condition numbers, and how often the paper's own solver ends at its limit.
#ifndef CAIRN_BENCH_SCENE_HARDNESS_H
#define CAIRN_BENCH_SCENE_HARDNESS_H

#include <cairn/cairn.h>

typedef struct BenchHardness {
    double whole, interface;        // cond(A), cond(S): geometric means over a few frames; 0: none
    double steepest;                // the largest cond(S) of them
    double limits, coupling, parts; // of schur-bpp faithful: fraction of frames at its limit, mean k, mean parts
    int frames, conditions;
} BenchHardness;

// bpp drives the scene; `partition` makes the parts. False: memory or the scene failed.
bool bench_measure_hardness(const CairnScene *scene, const char *partition, BenchHardness *hardness);

#endif
