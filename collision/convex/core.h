// Core: a convex shape without its outermost layer. A shape may press into what it touches with its layer; what its
// core gets into, it gets through.
#ifndef CAIRN_COLLISION_CORE_H
#define CAIRN_COLLISION_CORE_H

#include "collision/shapes/hull.h"

typedef struct CairnCore {
    CairnGeometry geometry; // in the frame of the shape; of no width where `part` is 1
    double layer;           // its points are at least as deep in the shape
    CairnHull hull;         // of a hull, which `geometry` refers to: a core is not copied
    CairnVec3 vertices[CAIRN_HULL_VERTICES];
} CairnCore;

// The radius of a ball about the middle that fits in a convex shape.
double cairn_inner_radius(const CairnGeometry *shape);
// Its centre, world.
CairnVec3 cairn_geometry_middle(const CairnGeometry *shape, CairnTransform pose);

// `part` in [0, 1]: how much of the inner radius is layer. Balls, capsules, boxes and cylinders get a layer of equal
// thickness all round, of a ball a point is left at 1, of a capsule a segment. A hull is made smaller about its middle,
// by half at 1, for its faces moved in would make another hull.
void cairn_core_make(const CairnGeometry *shape, double part, CairnCore *core);

#endif
