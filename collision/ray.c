// Rays against shapes. A ray that starts inside a shape does not hit it; one that starts on the surface and goes in hits at 0.
#include "collision/collision.h"

static bool ray_sphere(double radius, CairnVec3 origin, CairnVec3 direction, double *distance, CairnVec3 *normal) {
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
    *distance = fmax(along - chord, 0.0);
    *normal = cairn_normalize(cairn_add_scaled(foot, -chord, direction));
    return true;
}

static bool ray_box(CairnVec3 half, CairnVec3 origin, CairnVec3 direction, double *distance, CairnVec3 *normal) {
    const double h[3] = {half.x, half.y, half.z};
    const double o[3] = {origin.x, origin.y, origin.z};
    const double d[3] = {direction.x, direction.y, direction.z};
    double enter = -HUGE_VAL, leave = HUGE_VAL;
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
        leave = fmin(leave, last);
    }
    if (axis < 0 || enter < 0 || enter > leave) { // enter < 0: behind the origin, or the origin is inside
        return false;
    }
    double sign = d[axis] > 0 ? -1.0 : 1.0;
    *distance = enter;
    *normal = (CairnVec3){axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0};
    return true;
}

static bool ray_half_space(CairnVec3 origin, CairnVec3 direction, double *distance, CairnVec3 *normal) {
    if (origin.z < 0 || direction.z >= 0) {
        return false;
    }
    *distance = origin.z / -direction.z;
    *normal = (CairnVec3){0, 0, 1};
    return true;
}

bool cairn_geometry_ray(const CairnGeometry *geometry, CairnTransform pose, CairnVec3 origin, CairnVec3 direction,
                        double max_distance, double *distance, CairnVec3 *normal) {
    CairnVec3 o = cairn_untransform_point(pose, origin), d = cairn_unrotate(pose.q, direction), n = {0, 0, 0};
    double t = 0;
    bool is_hit = false;
    if (geometry->type == CAIRN_SPHERE) {
        is_hit = ray_sphere(geometry->radius, o, d, &t, &n);
    } else if (geometry->type == CAIRN_BOX) {
        is_hit = ray_box(geometry->half, o, d, &t, &n);
    } else {
        is_hit = ray_half_space(o, d, &t, &n);
    }
    if (!is_hit || !(t <= max_distance)) {
        return false;
    }
    *distance = t;
    *normal = cairn_rotate(pose.q, n);
    return true;
}
