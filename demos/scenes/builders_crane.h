// Builders of crawler cranes: a tracked vehicle, and on it a turntable with boom, drums, cable and hook. A scene of
// your own may call them too.
#ifndef CAIRN_SCENE_BUILDERS_CRANE_H
#define CAIRN_SCENE_BUILDERS_CRANE_H

#include "demos/scenes/builders_cable.h"

enum {
    CAIRN_TRACK_ROLLERS = 7, // of one track, each on a shoe of its own
    CAIRN_TRACK_BODIES = 6 + 2 * CAIRN_TRACK_ROLLERS,
    CAIRN_CRAWLER_BODIES = 1 + 2 * CAIRN_TRACK_BODIES,
    CAIRN_CRANE_BODIES = 25, // on the turntable
    CAIRN_CRANE_LONG = 24,   // links of the cable from the drum to the top, and from there to the hook
    CAIRN_CRANE_DOWN = 20,
    CAIRN_CRANE_LINKS = CAIRN_CRANE_LONG + CAIRN_CRANE_DOWN
};

// Two tracks: rollers that bear on shoes, which stand on the ground; the shoes are held together, and by a plate at
// each end to the sprocket, which a braked motor holds through its gear, and to the idler.
typedef struct CairnCrawlerDef {
    CairnTransform pose; // x forward, z up, the origin on the ground under its middle
    double mass, friction;
    double brake; // of each motor, N m; the gear multiplies it by 20
    int group;    // semantic label
    CairnFilter filter;
} CairnCrawlerDef;

CairnCrawlerDef cairn_crawler_def(void); // 26,000 kg
CairnStatus cairn_build_crawler(CairnWorld *world, const CairnCrawlerDef *def, CairnBodyId *bodies);

typedef struct CairnCraneDef {
    CairnTransform pose; // the boom points along x
    double mass;         // of all but cable and hook
    double friction;     // of the shoes
    double hook_mass;    // of block, swivel and hook
    double hook_height;  // where the load hangs, m above the ground
    CairnCable rope;     // its count is CAIRN_CRANE_LINKS in any case
    int group;           // four semantic labels: vehicle, what turns, cable, hook
    CairnFilter filter;
} CairnCraneDef;

typedef struct CairnCrane {
    CairnBodyId vehicle[CAIRN_CRAWLER_BODIES]; // the first is the body that carries the rest
    CairnBodyId upper[CAIRN_CRANE_BODIES];     // the first is the deck
    CairnBodyId rope[CAIRN_CRANE_LINKS];
    CairnBodyId block, swivel, hook;
    CairnVec3 load; // where the load hangs, in the world
} CairnCrane;

CairnCraneDef cairn_crane_def(void); // 75,000 kg
CairnVec3 cairn_crane_load(const CairnCraneDef *def);
CairnStatus cairn_build_crane(CairnWorld *world, const CairnCraneDef *def, CairnCrane *crane);

#endif
