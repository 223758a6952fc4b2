// Gather: the solids that a world is drawn as, for the pictures and for the viewer. Reads the world through its public
// functions only.
#ifndef CAIRN_RENDER_GATHER_H
#define CAIRN_RENDER_GATHER_H

#include "demos/program/render/render_mesh.h"
#include <cairn/world.h>

typedef struct CairnGathered {
    CairnPrimitive primitive;
    CairnShapeId shape;
    const CairnBodyState *body; // NULL: a joint that is drawn as a rod
    CairnBodyId id;
} CairnGathered;

typedef CairnStatus CairnGatherPrimitive(void *user, const CairnGathered *gathered);

// Give every solid to `take`, in the order of the bodies, then of the joints; an error ends it.
CairnStatus cairn_gather(const CairnWorld *world, double rod_width, CairnGatherPrimitive *take, void *user);

#endif
