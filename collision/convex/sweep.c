// Conservative advancement (Mirtich 1996): at a distance d along the normal n the surfaces close at
//     n . (v_a - v_b) + turning_a + turning_b
// at most, for as long as both bodies keep their velocities; so d over that rate is a time that is safe to pass. The
// planes that separate the shapes turn with neither, so the bound holds though n changes later. Any direction with a
// gap will do: the search for the nearest points need not converge. The ball about a body's centre, which no turning
// moves, bounds what turns fast while it is far off.
#include "collision/convex/sweep.h"
#include "collision/convex/convex.h"

enum { MAX_ADVANCES = 256 };

CairnTransform cairn_motion_pose(const CairnMotion *motion, double time) {
    double t = cairn_min(time, motion->until);
    CairnQuat turn = cairn_quat_exp(cairn_scale(t, motion->angular));
    CairnVec3 arm = cairn_rotate(turn, cairn_sub(motion->pose.p, motion->center));
    CairnVec3 center = cairn_add_scaled(motion->center, t, motion->linear);
    return (CairnTransform){cairn_add(center, arm), cairn_quat_normalize(cairn_quat_mul(turn, motion->pose.q))};
}

// The origin of the shape goes at |w x arm|, which turning about w keeps; the rest of it turns about the origin, and
// what is round about an axis changes by the turning of that axis alone, |w x axis|.
double cairn_motion_turning(const CairnGeometry *geometry, const CairnMotion *motion) {
    double w = cairn_length(motion->angular);
    if (!(w > 0)) {
        return 0;
    }
    if (geometry->is_unbounded) {
        return w * motion->reach;
    }
    double about = w;
    if (geometry->type == CAIRN_SHAPE_SPHERE) {
        about = 0;
    } else if (geometry->type == CAIRN_SHAPE_CAPSULE || geometry->type == CAIRN_SHAPE_CYLINDER) {
        about = cairn_length(cairn_cross(motion->angular, cairn_rotate(motion->pose.q, (CairnVec3){0, 0, 1})));
    }
    CairnVec3 origin = cairn_cross(motion->angular, cairn_sub(motion->pose.p, motion->center));
    return cairn_min(w * motion->reach, cairn_length(origin) + about * motion->ball);
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

// One of the two shapes at some time of a sweep.
typedef struct Mover {
    const CairnGeometry *geometry;
    const CairnMotion *motion;
    double turning; // of all that it does
    double time;
    CairnTransform pose;
} Mover;

static bool is_moving(const Mover *m) {
    return m->time < m->motion->until;
}

static void move_to(Mover *m, double time) {
    m->time = time;
    m->pose = cairn_motion_pose(m->motion, time);
}

// How fast the mover comes on along `normal`, which points away from it, by its turning at most.
static double turning_along(const Mover *m, CairnVec3 normal) {
    if (!is_moving(m) || !(m->turning > 0)) {
        return 0;
    }
    return cairn_min(m->turning, cairn_length(cairn_cross(normal, m->motion->angular)) * m->motion->reach);
}

static double linear_along(const Mover *m, CairnVec3 normal) {
    return is_moving(m) ? cairn_dot(normal, m->motion->linear) : 0;
}

// How far the ball about its body's centre reaches beyond the mover along `normal`.
static double beyond(const Mover *m, CairnVec3 normal) {
    if (!is_moving(m) || !(m->turning > 0)) {
        return 0;
    }
    if (m->geometry->is_unbounded) {
        return HUGE_VAL;
    }
    CairnVec3 center = cairn_add_scaled(m->motion->center, m->time, m->motion->linear);
    CairnVec3 farthest = cairn_geometry_support(m->geometry, m->pose, normal);
    return cairn_max(m->motion->reach - cairn_dot(normal, cairn_sub(farthest, center)), 0);
}

// A time within which a gap along the normal from A to B does not close, as long as neither stops.
static double safe_time(const Mover *a, const Mover *b, CairnVec3 normal, double gap) {
    CairnVec3 back = cairn_neg(normal);
    double linear = linear_along(a, normal) + linear_along(b, back);
    double turning = turning_along(a, normal) + turning_along(b, back);
    double time = linear + turning > 0 ? gap / (linear + turning) : HUGE_VAL;
    if (turning > fabs(linear)) {
        double gap_of_balls = gap - beyond(a, normal) - beyond(b, back);
        if (gap_of_balls > 0) {
            time = cairn_max(time, linear > 0 ? gap_of_balls / linear : HUGE_VAL);
        }
    }
    return time;
}

// The next time before `duration` at which one of them stops.
static double next_stop(const Mover *a, const Mover *b, double duration) {
    double stop = is_moving(a) ? a->motion->until : HUGE_VAL;
    stop = is_moving(b) ? cairn_min(stop, b->motion->until) : stop;
    return stop < duration ? stop : HUGE_VAL;
}

// No two points of the shapes close faster.
static double fastest_closing(const Mover *a, const Mover *b, double duration) {
    CairnVec3 va = a->motion->linear, vb = b->motion->linear;
    bool stops = a->motion->until < duration || b->motion->until < duration;
    return (stops ? cairn_length(va) + cairn_length(vb) : cairn_length(cairn_sub(va, vb))) + a->turning + b->turning;
}

bool cairn_sweep(const CairnGeometry *a, const CairnMotion *motion_a, const CairnGeometry *b,
                 const CairnMotion *motion_b, double duration, double touch, double *time) {
    if (a->type == CAIRN_SHAPE_MESH || b->type == CAIRN_SHAPE_MESH) {
        return a->type == CAIRN_SHAPE_MESH ? cairn_mesh_sweep(a, motion_a, b, motion_b, duration, touch, time)
                                           : cairn_mesh_sweep(b, motion_b, a, motion_a, duration, touch, time);
    }
    Mover from = {a, motion_a, cairn_motion_turning(a, motion_a), 0, motion_a->pose};
    Mover to = {b, motion_b, cairn_motion_turning(b, motion_b), 0, motion_b->pose};
    double fastest = fastest_closing(&from, &to, duration), t = 0;
    for (int k = 0; k < MAX_ADVANCES; k++) {
        double limit = fastest * (duration - t) + touch;
        CairnVec3 normal = {0, 0, 0};
        double gap = gap_of(a, from.pose, b, to.pose, limit, &normal);
        if (gap >= limit) {
            return false;
        }
        if (gap <= touch) {
            break;
        }
        // Half of `touch` short of the surface: near enough to end there, and never beyond it.
        double next = t + safe_time(&from, &to, normal, gap - 0.5 * touch);
        t = cairn_min(next, next_stop(&from, &to, duration));
        if (t > duration) {
            return false;
        }
        move_to(&from, t);
        move_to(&to, t);
    }
    *time = t;
    return true;
}
