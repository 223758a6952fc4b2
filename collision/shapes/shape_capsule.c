// Capsule: all points within `radius` of the segment from -height/2 to height/2 on the z axis.
#include "collision/shapes/shape_kind.h"
#include "engine/base/mat3.h"

static CairnStatus check(const CairnShapeDef *def) {
    return cairn_check_round(def, "capsule");
}

static CairnAabb box(const CairnGeometry *geometry, CairnTransform pose) {
    CairnVec3 axis = cairn_rotate(pose.q, (CairnVec3){0, 0, geometry->half_height});
    double r = geometry->radius;
    CairnVec3 extent = {fabs(axis.x) + r, fabs(axis.y) + r, fabs(axis.z) + r};
    return (CairnAabb){cairn_sub(pose.p, extent), cairn_add(pose.p, extent)};
}

// A cylinder and the two halves of a ball, whose own centre lies 3/8 r from their flat side.
static CairnMassProperties mass(const CairnGeometry *geometry, double density) {
    double r = geometry->radius, h = geometry->half_height, rr = r * r;
    double rod = density * CAIRN_PI * rr * 2.0 * h, ball = density * (4.0 / 3.0) * CAIRN_PI * rr * r;
    double along = rod * 0.5 * rr + ball * 0.4 * rr;
    double across = rod * (0.25 * rr + h * h / 3.0) + ball * (0.4 * rr + h * h + 0.75 * h * r);
    return (CairnMassProperties){rod + ball, {0, 0, 0}, cairn_mat3_diagonal(across, across, along)};
}

static double reach(const CairnGeometry *geometry, CairnVec3 p) {
    return cairn_length((CairnVec3){p.x, p.y, fabs(p.z) + geometry->half_height}) + geometry->radius;
}

static bool is_inside(const CairnGeometry *geometry, CairnVec3 p) {
    p.z -= cairn_clamp(p.z, -geometry->half_height, geometry->half_height);
    return cairn_length_squared(p) < geometry->radius * geometry->radius;
}

// The first point of the ray within `radius` of `center`, as the sphere's ray finds it. False: none ahead.
static bool ray_to_end(CairnVec3 center, double radius, CairnVec3 origin, CairnVec3 direction, double *distance) {
    CairnVec3 from = cairn_sub(origin, center);
    double along = -cairn_dot(from, direction);
    CairnVec3 foot = cairn_add_scaled(from, along, direction);
    double chord = radius * radius - cairn_length_squared(foot);
    if (along <= 0 || chord < 0) {
        return false;
    }
    *distance = cairn_max(along - sqrt(chord), 0.0);
    return true;
}

// The first point on the side, in the plane across the axis. False: none ahead, or beyond the ends.
static bool ray_to_side(const CairnGeometry *geometry, CairnVec3 origin, CairnVec3 direction, double *distance) {
    double speed = hypot(direction.x, direction.y);
    if (!(speed > 1e-12)) {
        return false; // along the axis: only the ends can be met
    }
    double ux = direction.x / speed, uy = direction.y / speed;
    double along = -(origin.x * ux + origin.y * uy);
    double foot_x = origin.x + along * ux, foot_y = origin.y + along * uy;
    double chord = geometry->radius * geometry->radius - (foot_x * foot_x + foot_y * foot_y);
    if (along <= 0 || chord < 0) {
        return false;
    }
    *distance = cairn_max(along - sqrt(chord), 0.0) / speed;
    return fabs(origin.z + *distance * direction.z) <= geometry->half_height;
}

static bool ray(const CairnGeometry *geometry, CairnVec3 origin, CairnVec3 direction, double *distance,
                CairnVec3 *normal) {
    if (is_inside(geometry, origin)) {
        return false;
    }
    double h = geometry->half_height, best = HUGE_VAL, t;
    if (ray_to_side(geometry, origin, direction, &t)) {
        best = t;
    }
    for (int side = -1; side <= 1; side += 2) {
        if (ray_to_end((CairnVec3){0, 0, side * h}, geometry->radius, origin, direction, &t)) {
            best = cairn_min(best, t);
        }
    }
    if (best == HUGE_VAL) {
        return false;
    }
    CairnVec3 out = cairn_add_scaled(origin, best, direction);
    out.z -= cairn_clamp(out.z, -h, h);
    *distance = best;
    *normal = cairn_normalize(out);
    return true;
}

static CairnVec3 support(const CairnGeometry *geometry, CairnVec3 direction) {
    CairnVec3 end = {0, 0, copysign(geometry->half_height, direction.z)};
    return cairn_add_scaled(end, geometry->radius, cairn_normalize(direction));
}

const CairnShapeKind cairn_kind_capsule = {check, cairn_make_round, NULL, box, mass, reach, ray, support};
