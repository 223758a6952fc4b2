// Chaos: random worlds that are made of valid definitions alone, and what must never happen in them: a step that is
// refused, a state that is not finite, a kinetic energy a hundred times what was put in. A world follows from its seed
// and its kind, so that a finding is a number.
#ifndef CAIRN_TESTS_SUPPORT_CHAOS_H
#define CAIRN_TESTS_SUPPORT_CHAOS_H

#include <cairn/cairn.h>

enum {
    SUPPORT_CHAOS_STEPS = 100,
    SUPPORT_CHAOS_BODIES = 16, // and fixed ones beside them
    SUPPORT_CHAOS_JOINTS = 16
};

// A random world and how it is stepped. Masses lie within twelve decades, lengths within two, steps from 1e-4 to 1/20
// s; settings lie about a decade around their defaults. Shapes and joints are of all kinds.
typedef struct SupportChaos {
    CairnWorld *world;
    double h;
    bool overlaps; // bodies begin in each other and joints apart; else nothing overlaps and all joints hold
    CairnBodyId bodies[SUPPORT_CHAOS_BODIES];
    double gravity_scale[SUPPORT_CHAOS_BODIES];
    CairnJointId joints[SUPPORT_CHAOS_JOINTS];
    int body_count, joint_count;
} SupportChaos;

// Returns the first refusal of a definition, which is a fault of the generator. The caller destroys the world.
CairnStatus support_chaos_build(uint64_t seed, bool overlaps, const CairnSolver *solver, SupportChaos *chaos);

typedef struct SupportChaosRun {
    CairnStatus status;               // of the first step that failed
    bool is_finite;                   // all states of all bodies, after every step
    double gain;                      // the largest ratio of kinetic energy to what was put in until then
    int frames, uncertified;          // steps that were made, and those whose answer was not certified
    int failed, wildest, first_wrong; // the steps of these findings; -1: none
    uint64_t hash;                    // of the last state
} SupportChaosRun;

// Build a world and step it until it fails, at most `steps` times.
SupportChaosRun support_chaos_run(uint64_t seed, bool overlaps, const CairnSolver *solver, int steps);

#endif
