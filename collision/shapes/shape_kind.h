// What collision must know of a type of shape: one file a type (shape_TYPE.c), one line in geometry.c's table.
//
// Everything is in the shape's own frame; geometry.c takes it to the body's or the world's.
#ifndef CAIRN_COLLISION_SHAPE_KIND_H
#define CAIRN_COLLISION_SHAPE_KIND_H

#include "collision/collision.h"

typedef struct CairnShapeKind {
    // What the table of fields cannot say of a definition of this type (sizes above 0). NULL: nothing.
    CairnStatus (*check)(const CairnShapeDef *def);
    // Fill the geometry's own fields; may allocate (a hull's faces), and then `release` gives it back. The definition was checked.
    CairnStatus (*make)(const CairnShapeDef *def, const CairnAllocator *allocator, CairnGeometry *geometry);
    void (*release)(CairnGeometry *geometry, const CairnAllocator *allocator);  // NULL: nothing was allocated
    CairnAabb (*box)(const CairnGeometry *geometry, CairnTransform pose);       // in the world
    CairnMassProperties (*mass)(const CairnGeometry *geometry, double density); // NULL: has none (half-space, mesh)
    double (*reach)(const CairnGeometry *geometry, CairnVec3 point);
    // A ray that starts inside does not hit; one that starts on the surface and goes in hits at 0. Unit direction.
    bool (*ray)(const CairnGeometry *geometry, CairnVec3 origin, CairnVec3 direction, double *distance,
                CairnVec3 *normal);
    // The farthest point along `direction` (any length); NULL: not convex or not bounded.
    CairnVec3 (*support)(const CairnGeometry *geometry, CairnVec3 direction);
} CairnShapeKind;

// Of what has a radius and a height (shape_round.c): radius and height above 0, and the geometry's own fields.
CairnStatus cairn_check_round(const CairnShapeDef *def, const char *name);
CairnStatus cairn_make_round(const CairnShapeDef *def, const CairnAllocator *allocator, CairnGeometry *geometry);

#endif
