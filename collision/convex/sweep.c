// Conservative advancement (Mirtich 1996): at a distance d along the normal n the surfaces close at
//     n . (v_a - v_b) + |w_a| reach_a + |w_b| reach_b
// at most, for as long as both bodies keep their velocities; so d over that rate is a time that is safe to pass. The
// planes that separate the shapes turn with neither, so the bound holds though n changes later. Any direction with a
// gap will do: the search for the nearest points need not converge.
#include "collision/convex/sweep.h"
#include "collision/convex/convex.h"

enum { MAX_ADVANCES = 64 };

CairnTransform cairn_motion_pose(const CairnMotion *motion, double time) {
    CairnQuat turn = cairn_quat_exp(cairn_scale(time, motion->angular));
    CairnVec3 arm = cairn_rotate(turn, cairn_sub(motion->pose.p, motion->center));
    CairnVec3 center = cairn_add_scaled(motion->center, time, motion->linear);
    return (CairnTransform){cairn_add(center, arm), cairn_quat_normalize(cairn_quat_mul(turn, motion->pose.q))};
}

bool cairn_can_sweep(const CairnGeometry *a, const CairnGeometry *b) {
    bool convex_a = cairn_geometry_is_convex(a), convex_b = cairn_geometry_is_convex(b);
    bool is_solid_a = convex_a || a->type == CAIRN_SHAPE_HALF_SPACE || a->type == CAIRN_SHAPE_MESH;
    bool is_solid_b = convex_b || b->type == CAIRN_SHAPE_HALF_SPACE || b->type == CAIRN_SHAPE_MESH;
    return is_solid_a && is_solid_b && (convex_a || convex_b);
}

// A half-space and a convex shape: the lowest point over the plane. The normal points out of the half-space.
static double plane_gap(CairnTransform plane, const CairnGeometry *shape, CairnTransform pose, CairnVec3 *normal) {
    *normal = cairn_rotate(plane.q, (CairnVec3){0, 0, 1});
    CairnVec3 lowest = cairn_geometry_support(shape, pose, cairn_neg(*normal));
    return cairn_dot(*normal, cairn_sub(lowest, plane.p));
}

// Signed gap along the normal from A to B; 0 or less where they touch.
static double gap_of(const CairnGeometry *a, CairnTransform pose_a, const CairnGeometry *b, CairnTransform pose_b,
                     double limit, CairnVec3 *normal) {
    if (a->type == CAIRN_SHAPE_HALF_SPACE) {
        return plane_gap(pose_a, b, pose_b, normal);
    }
    if (b->type == CAIRN_SHAPE_HALF_SPACE) {
        double gap = plane_gap(pose_b, a, pose_a, normal);
        *normal = cairn_neg(*normal);
        return gap;
    }
    static const double known = 0.1;
    CairnVec3 zero = {0, 0, 0};
    CairnConvex core_a = cairn_convex(a, cairn_mat3_of_quat(pose_a.q), zero);
    CairnConvex core_b = cairn_convex(b, cairn_mat3_of_quat(pose_b.q), cairn_sub(pose_b.p, pose_a.p));
    double gap;
    return cairn_gjk_apart(&core_a, &core_b, limit, known, normal, &gap) ? gap : 0;
}

bool cairn_sweep(const CairnGeometry *a, const CairnMotion *motion_a, const CairnGeometry *b,
                 const CairnMotion *motion_b, double duration, double touch, double *time) {
    if (a->type == CAIRN_SHAPE_MESH || b->type == CAIRN_SHAPE_MESH) {
        return a->type == CAIRN_SHAPE_MESH ? cairn_mesh_sweep(a, motion_a, b, motion_b, duration, touch, time)
                                           : cairn_mesh_sweep(b, motion_b, a, motion_a, duration, touch, time);
    }
    double turning = cairn_length(motion_a->angular) > 0 ? cairn_length(motion_a->angular) * motion_a->reach : 0;
    turning += cairn_length(motion_b->angular) > 0 ? cairn_length(motion_b->angular) * motion_b->reach : 0;
    CairnVec3 closing = cairn_sub(motion_a->linear, motion_b->linear);
    double fastest = cairn_length(closing) + turning, t = 0;
    for (int k = 0; k < MAX_ADVANCES; k++) {
        double limit = fastest * (duration - t) + touch;
        CairnVec3 normal = {0, 0, 0};
        double gap = gap_of(a, cairn_motion_pose(motion_a, t), b, cairn_motion_pose(motion_b, t), limit, &normal);
        if (gap >= limit) {
            return false;
        }
        if (gap <= touch) {
            break;
        }
        double rate = cairn_dot(normal, closing) + turning;
        if (!(rate > 0)) {
            return false;
        }
        // Half of `touch` short of the surface: near enough to end there, and never beyond it.
        t += (gap - 0.5 * touch) / rate;
        if (t > duration) {
            return false;
        }
    }
    *time = t;
    return true;
}

static double inner_radius(const CairnGeometry *shape) {
    switch (shape->type) {
    case CAIRN_SHAPE_BOX:
        return cairn_min(shape->half.x, cairn_min(shape->half.y, shape->half.z));
    case CAIRN_SHAPE_CYLINDER:
        return cairn_min(shape->radius, shape->half_height);
    case CAIRN_SHAPE_HULL: {
        const CairnHull *hull = shape->hull;
        double least = HUGE_VAL;
        for (int f = 0; f < hull->face_count; f++) {
            least = cairn_min(least, hull->offsets[f] - cairn_dot(hull->normals[f], hull->center));
        }
        return least;
    }
    default:
        return shape->radius;
    }
}

CairnGeometry cairn_core(const CairnGeometry *shape, CairnTransform pose, CairnVec3 *center) {
    CairnGeometry core = {
        .type = CAIRN_SHAPE_SPHERE, .local = cairn_transform_identity(), .radius = 0.5 * inner_radius(shape)};
    *center = shape->type == CAIRN_SHAPE_HULL ? cairn_transform_point(pose, shape->hull->center) : pose.p;
    return core;
}
