// What the scenes of rocks have in common: a heap, a shovel that pushes it, and what must hold.
#ifndef CAIRN_SCENE_ROCK_YARD_H
#define CAIRN_SCENE_ROCK_YARD_H

#include "demos/scenes/builders_energy.h"
#include "demos/scenes/builders_pile.h"
#include "demos/scenes/builders_shovel.h"

enum { CAIRN_YARD_ROCKS = 2000 };

// What the parameters of these scenes have in common.
typedef struct CairnYardParams {
    double friction, rolling, shovel_mass, speed, push;
} CairnYardParams;

// Their fields, in a table of a Struct that holds them as `member`.
// clang-format off
#define CAIRN_YARD_FIELD(Struct, member, name_, preset_, min_, max_, unit_, help_)                                     \
    { #name_, help_, unit_, CAIRN_TYPE_DOUBLE, offsetof(Struct, member.name_), {(preset_), 0, 0, 0}, (min_), (max_), 0, NULL }
#define CAIRN_YARD_FIELDS(Struct, member)                                                                              \
    CAIRN_YARD_FIELD(Struct, member, friction, 0.6, 0.2, 1.5, "", "friction of rocks, ground and shovel"),            \
    CAIRN_YARD_FIELD(Struct, member, rolling, 0, 0, 0.1, "m", "lever arm of the rolling friction of what is round"),  \
    CAIRN_YARD_FIELD(Struct, member, shovel_mass, 1, 0.1, 1000, "kg", "mass of the shovel's blade"),                  \
    CAIRN_YARD_FIELD(Struct, member, speed, 0.8, 0.1, 2, "m/s", "speed of the shovel"),                               \
    CAIRN_YARD_FIELD(Struct, member, push, 5, 0.5, 20, "m", "how far the shovel goes")
// clang-format on

typedef struct CairnYard {
    CairnBodyId ids[CAIRN_YARD_ROCKS];
    bool is_behind[CAIRN_YARD_ROCKS]; // the blade
    int count;
    CairnShovel shovel;
    double first_energy;
    CairnEnergyWatch energy;
} CairnYard;

// Ground, shovel, heap (friction and rolling friction of `params`, around the origin); the shovel starts beside the
// heap.
CairnStatus cairn_build_yard(CairnSceneRun *run, CairnPile pile, const CairnYardParams *params);
CairnStatus cairn_yard_script(CairnSceneRun *run, double time);

// The shovel keeps to its path; nothing overlaps by more than 1 cm; no rock slips under it; while nothing drives it the
// energy only falls; the heap comes to rest. `name`: of the scene, for messages.
CairnStatus cairn_yard_check(const CairnSceneRun *run, const CairnYardParams *params, double time,
                             const CairnStats *stats, const char *name);

#endif
