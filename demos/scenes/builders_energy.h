// A check that several scenes use: where nothing drives a world, its energy does not rise.
#ifndef CAIRN_SCENE_BUILDERS_ENERGY_H
#define CAIRN_SCENE_BUILDERS_ENERGY_H

#include <cairn/scene.h>

// What a run has seen of its energy; zeroed before the first step, and wherever something has driven the world. A scene
// that knows what will be turned into motion may set it in `kinetic` from the start.
typedef struct CairnEnergyWatch {
    double least, most, kinetic; // of kinetic, potential and springs together; the most kinetic energy
    double owed;                 // J, set by the scene: stored energy that is not counted and may come back
    bool has_begun;
} CairnEnergyWatch;

// Of all springs in joints that are given by their stiffness in N/m or N m/rad.
CairnStatus cairn_spring_energy(const CairnWorld *world, double *energy);

// The energy may not rise above its least so far by more than `fraction` of its range: from the least to the most of
// it, or the most kinetic energy, whichever is more. `name` is the scene's.
CairnStatus cairn_check_energy(const CairnSceneRun *run, CairnEnergyWatch *watch, const CairnStats *stats,
                               double fraction, const char *name);

#endif
