// Half-space: all points with z <= 0. No box, no mass.
#include "collision/shapes/shape_kind.h"

// A half-space has no farthest point. Larger than any world, yet finite, so that a body that does not turn (0 times
// this) still has a surface speed of 0.
#define UNBOUNDED_REACH 1e9

static CairnStatus make(const CairnShapeDef *def, const CairnAllocator *allocator, CairnGeometry *geometry) {
    (void)def;
    (void)allocator;
    geometry->is_unbounded = true;
    geometry->is_massless = true;
    return cairn_ok();
}

static CairnAabb box(const CairnGeometry *geometry, CairnTransform pose) {
    (void)geometry;
    (void)pose;
    return (CairnAabb){{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
}

static double reach(const CairnGeometry *geometry, CairnVec3 point) {
    (void)geometry;
    (void)point;
    return UNBOUNDED_REACH;
}

static bool ray(const CairnGeometry *geometry, CairnVec3 origin, CairnVec3 direction, double *distance,
                CairnVec3 *normal) {
    (void)geometry;
    if (origin.z < 0 || direction.z >= 0) {
        return false;
    }
    *distance = origin.z / -direction.z;
    *normal = (CairnVec3){0, 0, 1};
    return true;
}

const CairnShapeKind cairn_kind_half_space = {NULL, make, NULL, box, NULL, reach, ray, NULL};
