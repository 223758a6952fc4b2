// Box.
#include "collision/shapes/shape_kind.h"
#include "engine/base/mat3.h"

static CairnStatus check(const CairnShapeDef *def) {
    if (!(cairn_min(def->size.x, cairn_min(def->size.y, def->size.z)) >= CAIRN_SMALLEST_SIZE)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "shape: size = (%g, %g, %g) of a box must be at least %g",
                           def->size.x, def->size.y, def->size.z, CAIRN_SMALLEST_SIZE);
    }
    return cairn_ok();
}

static CairnStatus make(const CairnShapeDef *def, const CairnAllocator *allocator, CairnGeometry *geometry) {
    (void)allocator;
    geometry->half = cairn_scale(0.5, def->size);
    return cairn_ok();
}

// Half extents along the world's axes: |R| h.
static CairnAabb box(const CairnGeometry *geometry, CairnTransform pose) {
    CairnVec3 half = geometry->half;
    CairnMat3 r = cairn_mat3_of_quat(pose.q);
    CairnVec3 extent = {fabs(r.m[0][0]) * half.x + fabs(r.m[0][1]) * half.y + fabs(r.m[0][2]) * half.z,
                        fabs(r.m[1][0]) * half.x + fabs(r.m[1][1]) * half.y + fabs(r.m[1][2]) * half.z,
                        fabs(r.m[2][0]) * half.x + fabs(r.m[2][1]) * half.y + fabs(r.m[2][2]) * half.z};
    return (CairnAabb){cairn_sub(pose.p, extent), cairn_add(pose.p, extent)};
}

static CairnMassProperties mass(const CairnGeometry *geometry, double density) {
    CairnVec3 h = geometry->half;
    double m = density * 8.0 * h.x * h.y * h.z;
    double xx = h.x * h.x, yy = h.y * h.y, zz = h.z * h.z;
    return (CairnMassProperties){
        m, {0, 0, 0}, cairn_mat3_diagonal(m / 3.0 * (yy + zz), m / 3.0 * (xx + zz), m / 3.0 * (xx + yy))};
}

// To the corner on the far side of each axis.
static double reach(const CairnGeometry *geometry, CairnVec3 p) {
    CairnVec3 half = geometry->half;
    return cairn_length((CairnVec3){fabs(p.x) + half.x, fabs(p.y) + half.y, fabs(p.z) + half.z});
}

static bool ray(const CairnGeometry *geometry, CairnVec3 origin, CairnVec3 direction, double *distance,
                CairnVec3 *normal) {
    const double h[3] = {geometry->half.x, geometry->half.y, geometry->half.z};
    const double o[3] = {origin.x, origin.y, origin.z};
    const double d[3] = {direction.x, direction.y, direction.z};
    double enter = -HUGE_VAL, exit = HUGE_VAL;
    int axis = -1;
    for (int i = 0; i < 3; ++i) {
        if (d[i] == 0) {
            if (fabs(o[i]) > h[i]) {
                return false;
            }
            continue;
        }
        double side = d[i] > 0 ? -h[i] : h[i]; // the slab's face that the ray meets first
        double first = (side - o[i]) / d[i], last = (-side - o[i]) / d[i];
        if (first > enter) {
            enter = first;
            axis = i;
        }
        exit = cairn_min(exit, last);
    }
    if (axis < 0 || enter < 0 || enter > exit) { // enter < 0: behind the origin, or the origin is inside
        return false;
    }
    double sign = d[axis] > 0 ? -1.0 : 1.0;
    *distance = enter;
    *normal = (CairnVec3){axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0};
    return true;
}

static CairnVec3 support(const CairnGeometry *geometry, CairnVec3 d) {
    CairnVec3 half = geometry->half;
    return (CairnVec3){copysign(half.x, d.x), copysign(half.y, d.y), copysign(half.z, d.z)};
}

const CairnShapeKind cairn_kind_box = {check, make, NULL, box, mass, reach, ray, support};
