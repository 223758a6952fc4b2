// Sphere.
#include "collision/shapes/shape_kind.h"
#include "engine/base/mat3.h"

static CairnStatus check(const CairnShapeDef *def) {
    if (!(def->radius >= CAIRN_SMALLEST_SIZE)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "shape: radius = %g of a sphere must be at least %g", def->radius,
                           CAIRN_SMALLEST_SIZE);
    }
    return cairn_ok();
}

static CairnStatus make(const CairnShapeDef *def, const CairnAllocator *allocator, CairnGeometry *geometry) {
    (void)allocator;
    geometry->radius = def->radius;
    return cairn_ok();
}

static CairnAabb box(const CairnGeometry *geometry, CairnTransform pose) {
    CairnVec3 extent = {geometry->radius, geometry->radius, geometry->radius};
    return (CairnAabb){cairn_sub(pose.p, extent), cairn_add(pose.p, extent)};
}

static CairnMassProperties mass(const CairnGeometry *geometry, double density) {
    double r = geometry->radius;
    double m = density * (4.0 / 3.0) * CAIRN_PI * r * r * r;
    double inertia = 0.4 * m * r * r;
    return (CairnMassProperties){m, {0, 0, 0}, cairn_mat3_diagonal(inertia, inertia, inertia)};
}

static double reach(const CairnGeometry *geometry, CairnVec3 point) {
    return cairn_length(point) + geometry->radius;
}

static bool ray(const CairnGeometry *geometry, CairnVec3 origin, CairnVec3 direction, double *distance,
                CairnVec3 *normal) {
    double radius = geometry->radius;
    double along = -cairn_dot(origin, direction);
    if (along <= 0 || cairn_length_squared(origin) < radius * radius) {
        return false;
    }
    // The foot of the centre on the ray: unlike b^2 - c this keeps its digits when the origin is far away.
    CairnVec3 foot = cairn_add_scaled(origin, along, direction);
    double chord = radius * radius - cairn_length_squared(foot);
    if (chord < 0) {
        return false;
    }
    chord = sqrt(chord);
    *distance = cairn_max(along - chord, 0.0);
    *normal = cairn_normalize(cairn_add_scaled(foot, -chord, direction));
    return true;
}

static CairnVec3 support(const CairnGeometry *geometry, CairnVec3 direction) {
    return cairn_scale(geometry->radius, cairn_normalize(direction));
}

const CairnShapeKind cairn_kind_sphere = {check, make, NULL, box, mass, reach, ray, support};
