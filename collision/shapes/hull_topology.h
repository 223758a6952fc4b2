// From triangles with numbered faces to the finished hull.
#ifndef CAIRN_COLLISION_HULL_TOPOLOGY_H
#define CAIRN_COLLISION_HULL_TOPOLOGY_H

#include "collision/shapes/hull.h"

// regions[t] is the face of triangle t. Where merged faces would not be discs (slivers may do that), every triangle is
// a face.
CairnStatus cairn_hull_topology(const CairnVec3 *points, int count, const CairnHullTriangle *triangles,
                                int triangle_count, int *regions, int face_count, const CairnAllocator *allocator,
                                CairnHull **hull);

#endif
