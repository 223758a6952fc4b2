// What capsules and cylinders have in common: a radius, and a height along the z axis.
#include "collision/shapes/shape_kind.h"

CairnStatus cairn_check_round(const CairnShapeDef *def, const char *name) {
    if (!(def->radius >= CAIRN_SMALLEST_SIZE)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "shape: radius = %g of a %s must be at least %g", def->radius, name,
                           CAIRN_SMALLEST_SIZE);
    }
    if (!(def->height >= CAIRN_SMALLEST_SIZE)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "shape: height = %g of a %s must be at least %g", def->height, name,
                           CAIRN_SMALLEST_SIZE);
    }
    return cairn_ok();
}

CairnStatus cairn_make_round(const CairnShapeDef *def, const CairnAllocator *allocator, CairnGeometry *geometry) {
    (void)allocator;
    geometry->radius = def->radius;
    geometry->half_height = 0.5 * def->height;
    return cairn_ok();
}
