// The frame of a run that has the most rows (the last of those that have as many), with the warm start that its solver
// was given.
#ifndef CAIRN_BENCH_EXACT_FRAME_H
#define CAIRN_BENCH_EXACT_FRAME_H

#include "bench/rig.h"
#include <cairn/problem_file.h>
#include <cairn/scene.h>

// Runs the rig with bpp for so many steps. `at`: which solve it was.
bool bench_record_frame(const BenchRig *rig, int steps, CairnStoredProblem *stored, int *at);

// Runs a built-in scene with "name=value,..." parameters with bpp for so many steps; `at` as above.
bool bench_record_scene(const CairnScene *scene, const char *params, int steps, CairnStoredProblem *stored, int *at);

#endif
