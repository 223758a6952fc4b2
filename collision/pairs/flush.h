// What tells whether shapes lie flush: is a point in or on a shape, and does another one stand out over a plane there?
#ifndef CAIRN_COLLISION_FLUSH_H
#define CAIRN_COLLISION_FLUSH_H

#include "collision/collision.h"

// True: the shape has a surface that a neighbour may continue: it is a box, a hull, a cylinder, a mesh or a half-space.
bool cairn_has_flat(const CairnGeometry *shape);

// True: the point lies in the shape or at most `tolerance` outside of it. Of a mesh the surface alone counts, and
// cylinders are boxes here.
bool cairn_flush_holds(const CairnGeometry *shape, CairnTransform pose, CairnVec3 point, double tolerance);

// True: the shape has points x with normal . x > height. Of a mesh those triangles count that are within `tolerance` of
// `point`, of other shapes all points do.
bool cairn_flush_stands_out(const CairnGeometry *shape, CairnTransform pose, CairnVec3 normal, double height,
                            CairnVec3 point, double tolerance);

// True: a face of the shape (a box, a hull or the cap of a cylinder) looks along a direction, to 1e-4 rad; `face` is its
// outward normal.
bool cairn_flush_face(const CairnGeometry *shape, CairnTransform pose, CairnVec3 direction, CairnVec3 *face);

#endif
