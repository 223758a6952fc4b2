// What collision must know of a type of shape: one file a type (shape_TYPE.c), one line in geometry.c's table.
//
// Everything is in the shape's local frame; geometry.c takes it to the body's or the world's.
#ifndef CAIRN_COLLISION_SHAPE_KIND_H
#define CAIRN_COLLISION_SHAPE_KIND_H

#include "collision/collision.h"

typedef struct CairnShapeKind {
    // Checks what the ranges in the table of fields cannot express for this type (sizes above 0). NULL: there is
    // nothing to check.
    CairnStatus (*check)(const CairnShapeDef *def);
    // Fills the fields of the geometry that belong to this type. It may allocate (the faces of a hull); `release` frees
    // that memory. The definition has been checked.
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

// The least size of a shape, m: with a smaller one the inertia, of its fifth power, and what collision makes of squares
// and products are no numbers any more.
#define CAIRN_SMALLEST_SIZE 1e-15

// `check` and `make` of the types with a radius and a height (shape_round.c): both must be of that size at least.
CairnStatus cairn_check_round(const CairnShapeDef *def, const char *name);
CairnStatus cairn_make_round(const CairnShapeDef *def, const CairnAllocator *allocator, CairnGeometry *geometry);

#endif
