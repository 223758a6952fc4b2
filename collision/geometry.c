// Geometry: what follows from a shape alone: its constants, its box, its mass, its reach.
#include "collision/collision.h"
#include "engine/base/mat3.h"
#include <string.h>

// A half-space has no farthest point. Larger than any world, yet finite, so that a body that does not turn (0 times this)
// still has a surface speed of 0.
#define UNBOUNDED_REACH 1e9

CairnGeometry cairn_geometry(const CairnShapeDef *def) {
    CairnGeometry geometry;
    memset(&geometry, 0, sizeof geometry);
    geometry.type = def->type;
    geometry.local.p = def->position;
    geometry.local.q = cairn_quat_normalize(def->orientation);
    if (def->type == CAIRN_SPHERE) {
        geometry.radius = def->radius;
    } else if (def->type == CAIRN_BOX) {
        geometry.half = cairn_scale(0.5, def->size);
    } else {
        geometry.is_unbounded = true;
    }
    return geometry;
}

// Half extents along the world's axes: |R| h.
static CairnVec3 box_extent(CairnVec3 half, CairnQuat q) {
    CairnMat3 r = cairn_mat3_of_quat(q);
    return (CairnVec3){fabs(r.m[0][0]) * half.x + fabs(r.m[0][1]) * half.y + fabs(r.m[0][2]) * half.z,
                       fabs(r.m[1][0]) * half.x + fabs(r.m[1][1]) * half.y + fabs(r.m[1][2]) * half.z,
                       fabs(r.m[2][0]) * half.x + fabs(r.m[2][1]) * half.y + fabs(r.m[2][2]) * half.z};
}

CairnAabb cairn_geometry_box(const CairnGeometry *geometry, CairnTransform pose) {
    if (geometry->is_unbounded) {
        return (CairnAabb){{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
    }
    double r = geometry->radius;
    CairnVec3 extent = geometry->type == CAIRN_BOX ? box_extent(geometry->half, pose.q) : (CairnVec3){r, r, r};
    return (CairnAabb){cairn_sub(pose.p, extent), cairn_add(pose.p, extent)};
}

CairnMassProperties cairn_geometry_mass(const CairnGeometry *geometry, double density) {
    CairnMassProperties properties;
    memset(&properties, 0, sizeof properties);
    properties.center = geometry->local.p;
    if (geometry->type == CAIRN_SPHERE) {
        double r = geometry->radius;
        double mass = density * (4.0 / 3.0) * CAIRN_PI * r * r * r;
        double inertia = 0.4 * mass * r * r;
        properties.mass = mass;
        properties.inertia = cairn_mat3_diagonal(inertia, inertia, inertia);
    } else if (geometry->type == CAIRN_BOX) {
        CairnVec3 h = geometry->half;
        double mass = density * 8.0 * h.x * h.y * h.z;
        double xx = h.x * h.x, yy = h.y * h.y, zz = h.z * h.z;
        properties.mass = mass;
        properties.inertia =
            cairn_mat3_rotate(geometry->local.q, cairn_mat3_diagonal(mass / 3.0 * (yy + zz), mass / 3.0 * (xx + zz),
                                                                     mass / 3.0 * (xx + yy)));
    }
    return properties;
}

double cairn_geometry_reach(const CairnGeometry *geometry, CairnVec3 point) {
    if (geometry->is_unbounded) {
        return UNBOUNDED_REACH;
    }
    CairnVec3 p = cairn_untransform_point(geometry->local, point);
    if (geometry->type == CAIRN_SPHERE) {
        return cairn_length(p) + geometry->radius;
    }
    // The corner on the far side of each axis.
    CairnVec3 far = {fabs(p.x) + geometry->half.x, fabs(p.y) + geometry->half.y, fabs(p.z) + geometry->half.z};
    return cairn_length(far);
}
