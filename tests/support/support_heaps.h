// Heaps: bodies of one or of all convex shapes that are dropped onto a floor, with or without walls, under Coulomb's
// law, and what the default solver takes for them. A heap follows from its seed, so that a finding is a number.
#ifndef CAIRN_TESTS_SUPPORT_HEAPS_H
#define CAIRN_TESTS_SUPPORT_HEAPS_H

#include "tests/support/support_tally.h"

enum { SUPPORT_HEAP_BODIES = 300, SUPPORT_HEAP_STEPS = 60 };

// 2 to `most_bodies` bodies, uniform in the logarithm: spheres, boxes, cylinders, hulls, or all of them; sizes that
// differ by 1 to 4 times, masses by 1 to 1,000 times; friction from 0 to 1.5, one for all or each its own; at rest or
// flung. The definition's law, solver and hooks are the caller's.
CairnStatus support_heap_build(uint64_t seed, int most_bodies, const CairnWorldDef *def, CairnWorld **world);

typedef struct SupportHeapRun {
    CairnStatus status; // of the first call that was refused
    int bodies, rows;   // rows: the most of all frames
    bool is_finite;     // all energies
    SupportTally tally;
} SupportHeapRun;

// Builds a heap and steps it under Coulomb's law. `folder`: where problems that took more than 200 factors or were not
// certified are kept; NULL: nowhere.
void support_heap_run(uint64_t seed, int most_bodies, int steps, const char *folder, SupportHeapRun *run);

#endif
