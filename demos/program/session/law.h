// Law: which law of friction a run is made under, and who takes it.
#ifndef CAIRN_PROGRAM_LAW_H
#define CAIRN_PROGRAM_LAW_H

#include "demos/program/session/run_options.h"
#include <cairn/solver.h>

// Whether solvers with these traits take this law.
bool cairn_law_is_taken(unsigned traits, CairnFrictionKind kind);
// The richest law that `traits` hold, from coulomb over cone and box-current down to box; for several solvers `traits`
// are those that all of them have. False: they hold none.
bool cairn_law_richest(unsigned traits, CairnFrictionKind *kind);
// Whether the options name a law, by --friction or as a setting of the world.
bool cairn_law_is_named(const CairnRunOptions *options);

#endif
