// Cylinder: radius and full height, centred, its axis along z.
#include "collision/shapes/shape_kind.h"
#include "engine/base/mat3.h"

static CairnStatus check(const CairnShapeDef *def) {
    return cairn_check_round(def, "cylinder");
}

// Along a direction at angle t to the axis: h |cos t| + r sin t, the sine from the axis's other components.
static CairnAabb box(const CairnGeometry *geometry, CairnTransform pose) {
    CairnVec3 w = cairn_rotate(pose.q, (CairnVec3){0, 0, 1});
    double r = geometry->radius, h = geometry->half_height;
    CairnVec3 extent = {h * fabs(w.x) + r * sqrt(w.y * w.y + w.z * w.z),
                        h * fabs(w.y) + r * sqrt(w.x * w.x + w.z * w.z),
                        h * fabs(w.z) + r * sqrt(w.x * w.x + w.y * w.y)};
    return (CairnAabb){cairn_sub(pose.p, extent), cairn_add(pose.p, extent)};
}

static CairnMassProperties mass(const CairnGeometry *geometry, double density) {
    double r = geometry->radius, h = geometry->half_height;
    double m = density * CAIRN_PI * r * r * 2.0 * h;
    double across = m * (0.25 * r * r + h * h / 3.0);
    return (CairnMassProperties){m, {0, 0, 0}, cairn_mat3_diagonal(across, across, 0.5 * m * r * r)};
}

// To the far rim.
static double reach(const CairnGeometry *geometry, CairnVec3 p) {
    double across = sqrt(p.x * p.x + p.y * p.y) + geometry->radius, along = fabs(p.z) + geometry->half_height;
    return sqrt(across * across + along * along);
}

// Where the ray enters the infinite cylinder, from the foot of the axis on it: keeps its digits when the origin is far
// away. -infinity where it runs along the axis inside; false where it misses.
static bool enter_side(double r, CairnVec3 o, CairnVec3 d, double *enter, double *exit) {
    double slope = d.x * d.x + d.y * d.y;
    if (slope == 0) {
        *enter = -HUGE_VAL;
        *exit = HUGE_VAL;
        return o.x * o.x + o.y * o.y <= r * r;
    }
    double nearest = -(o.x * d.x + o.y * d.y) / slope;
    double x = o.x + nearest * d.x, y = o.y + nearest * d.y;
    double chord = (r * r - (x * x + y * y)) / slope;
    if (chord < 0) {
        return false;
    }
    chord = sqrt(chord);
    *enter = nearest - chord;
    *exit = nearest + chord;
    return true;
}

static bool ray(const CairnGeometry *geometry, CairnVec3 o, CairnVec3 d, double *distance, CairnVec3 *normal) {
    double r = geometry->radius, h = geometry->half_height, enter, exit;
    if (!enter_side(r, o, d, &enter, &exit)) {
        return false;
    }
    bool is_cap = false;
    if (d.z == 0) {
        if (fabs(o.z) > h) {
            return false;
        }
    } else {
        double side = d.z > 0 ? -h : h; // the cap's plane that the ray meets first
        double first = (side - o.z) / d.z, last = (-side - o.z) / d.z;
        is_cap = first > enter;
        enter = cairn_max(enter, first);
        exit = cairn_min(exit, last);
    }
    double tolerance = 4e-16 * (cairn_length(o) + r + h); // a start on the surface is one to rounding
    if (enter > exit || enter < -tolerance || exit <= 0) {
        return false; // beside it, behind the origin, or the origin is inside
    }
    CairnVec3 across = {o.x + enter * d.x, o.y + enter * d.y, 0};
    *distance = cairn_max(enter, 0.0);
    *normal = is_cap ? (CairnVec3){0, 0, d.z > 0 ? -1.0 : 1.0} : cairn_normalize(across);
    return true;
}

static CairnVec3 support(const CairnGeometry *geometry, CairnVec3 d) {
    double across = sqrt(d.x * d.x + d.y * d.y), r = geometry->radius;
    double s = across > 0 ? r / across : 0;
    return (CairnVec3){s * d.x, s * d.y, copysign(geometry->half_height, d.z)};
}

const CairnShapeKind cairn_kind_cylinder = {check, cairn_make_round, NULL, box, mass, reach, ray, support};
