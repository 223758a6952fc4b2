// Patches of one plane: where the vertices of a mesh are off by a little, each of its triangles is a face of its own, and
// a box that lies on it would have a manifold for each of them, with edges and corners besides. What lies in one plane,
// to a fraction of the body's size, is one patch, as in a flat mesh: it carries with four points.
//
// The plane is that of least squares over the points of the mesh that are met; the patch that is farthest from it is left
// out for as long as one is farther than the tolerance. The points keep their distances, which are true to second order
// in the angle between the normals.
#include "collision/pairs/box_frame.h"
#include "collision/pairs/mesh_work.h"
#include "engine/base/hash.h"

// Points in one plane are no farther from it than this fraction of the body's size.
#define IN_PLANE 1e-3
// The faces that a round body touches may lean on each other by this sine.
#define ROUND_LEAN 6e-3

typedef CairnMeshPatch Patch;
typedef CairnMeshWork Work;

typedef struct Group {
    Patch *patches[CAIRN_MANIFOLDS];
    int count;
    CairnVec3 normal;
    double offset; // of its plane, once it was fitted
    int facing;    // corners of what of the body looks at the plane: a point, a line or a face
    double tolerance, least_cosine;
} Group;

static CairnVec3 mesh_point(const Patch *patch, int k) {
    return cairn_add_scaled(patch->points[k].point, -0.5 * patch->points[k].distance, patch->normal);
}

typedef struct Plane {
    CairnVec3 normal;
    double offset;
} Plane;

// The plane through the centre of all points of the group with the least sum of squares along the group's normal.
static Plane fit(const Group *group) {
    CairnVec3 n = group->normal, u, v, center = {0, 0, 0};
    double uu = 0, uv = 0, vv = 0, uz = 0, vz = 0;
    int count = 0;
    cairn_tangents(n, &u, &v);
    for (int i = 0; i < group->count; ++i) {
        for (int k = 0; k < group->patches[i]->count; ++k, ++count) {
            center = cairn_add(center, mesh_point(group->patches[i], k));
        }
    }
    center = cairn_scale(1.0 / count, center);
    for (int i = 0; i < group->count; ++i) {
        for (int k = 0; k < group->patches[i]->count; ++k) {
            CairnVec3 x = cairn_sub(mesh_point(group->patches[i], k), center);
            double a = cairn_dot(u, x), b = cairn_dot(v, x), z = cairn_dot(n, x);
            uu += a * a;
            uv += a * b;
            vv += b * b;
            uz += a * z;
            vz += b * z;
        }
    }
    // Points in one line do not say how the plane leans across it: then it does not.
    double some = (group->facing > 2 ? 1e-6 : 1e-2) * (uu + vv), det = (uu + some) * (vv + some) - uv * uv;
    double slope_u = det > 0 ? (uz * (vv + some) - vz * uv) / det : 0;
    double slope_v = det > 0 ? (vz * (uu + some) - uz * uv) / det : 0;
    CairnVec3 normal = cairn_normalize(cairn_add_scaled(cairn_add_scaled(n, -slope_u, u), -slope_v, v));
    return (Plane){normal, cairn_dot(normal, center)};
}

static double farthest_from(const Plane *plane, const Patch *patch) {
    double farthest = 0;
    for (int k = 0; k < patch->count; ++k) {
        farthest = cairn_max(farthest, fabs(cairn_dot(plane->normal, mesh_point(patch, k)) - plane->offset));
    }
    return farthest;
}

// Leaves out what is not in one plane with the others. The first patch, the deepest, stays.
static void keep_one_plane(Group *group) {
    while (group->count > 1) {
        Plane plane = fit(group);
        double worst = group->tolerance;
        int out = -1;
        for (int i = 0; i < group->count; ++i) {
            bool leans = cairn_dot(plane.normal, group->patches[i]->normal) < group->least_cosine;
            double far = leans ? HUGE_VAL : farthest_from(&plane, group->patches[i]);
            if (far > worst) {
                worst = far;
                out = i;
            }
        }
        if (out < 0) {
            group->normal = plane.normal;
            group->offset = plane.offset;
            return;
        }
        out = out > 0 ? out : group->count - 1;
        group->patches[out] = group->patches[--group->count];
    }
}

// Where the face or line of the body that looks at the plane leans on it by no more than the tolerance over its size, the
// direction from which it is seen straight stands for the plane's normal: it does not change with the points.
static CairnVec3 straight(const Work *w, const Group *group) {
    const CairnPolygon *facing = &w->facing;
    CairnVec3 n = group->normal;
    if (facing->count > 2 && cairn_length(cairn_cross(facing->normal, n)) * w->body.size <= group->tolerance) {
        return cairn_neg(facing->normal);
    }
    if (facing->count == 2) {
        CairnVec3 along = cairn_normalize(cairn_sub(facing->p[1], facing->p[0]));
        double lean = cairn_dot(n, along);
        return fabs(lean) * w->body.size <= group->tolerance ? cairn_normalize(cairn_add_scaled(n, -lean, along)) : n;
    }
    return n;
}

enum { ROOM = CAIRN_MANIFOLDS * 4 };

typedef struct Points {
    CairnManifoldPoint all[ROOM];
    int count;
    CairnVec3 normal;
} Points;

static void add_points(Points *points, const CairnManifoldPoint *more, int count, uint32_t id) {
    if (points->count + count > ROOM) {
        points->count = cairn_box_span(points->all, points->count, points->normal);
    }
    for (int k = 0; k < count; ++k) {
        points->all[points->count] = more[k];
        points->all[points->count++].feature = (uint32_t)cairn_hash_combine(id, more[k].feature);
    }
}

// Where more patches were met than there is room for, the deepest are known: they need not span what the body lies on.
// Then all triangles of the plane give their points.
static void add_triangles(Work *w, const Group *group, Points *points) {
    CairnMeshWalk walk;
    cairn_mesh_walk_begin(w->s, cairn_mesh_work_box(w), &walk);
    for (int index = cairn_mesh_walk_next(&walk); index >= 0; index = cairn_mesh_walk_next(&walk)) {
        CairnManifoldPoint clipped[CAIRN_CLIPPED_POINTS];
        CairnMeshTriangle t = cairn_mesh_triangle(w, index);
        bool is_of_plane = cairn_dot(t.n, group->normal) > group->least_cosine;
        for (int i = 0; i < 3 && is_of_plane; ++i) {
            is_of_plane = fabs(cairn_dot(group->normal, t.p[i]) - group->offset) <= group->tolerance;
        }
        int count = is_of_plane
                        ? cairn_mesh_clip(w->s, index, t.p, &w->facing, w->body.convex.rounding, w->margin, clipped)
                        : 0;
        add_points(points, clipped, count, 1u + (uint32_t)t.facet->flat);
    }
}

// The points of all patches of the group become those of the first one.
static void join(Work *w, Group *group) {
    Points points;
    points.count = 0;
    points.normal = straight(w, group);
    for (int i = 0; i < group->count; ++i) {
        Patch *patch = group->patches[i];
        patch->count = cairn_box_reduce(patch->points, patch->count, patch->normal);
        add_points(&points, patch->points, patch->count, patch->id);
        patch->count = 0;
    }
    if (w->count == CAIRN_MANIFOLDS) {
        add_triangles(w, group, &points);
    }
    Patch *first = group->patches[0];
    first->id = 0;
    first->normal = points.normal;
    first->count = cairn_box_span(points.all, points.count, points.normal);
    for (int k = 0; k < first->count; ++k) {
        first->points[k] = points.all[k];
    }
}

static bool is_met(const Patch *patch) {
    return !patch->is_vetoed && patch->count > 0;
}

// The deepest of the patches that are met and belong to no group yet; -1: all do.
static int deepest_of(const Work *w, const bool *is_done) {
    double deepest = HUGE_VAL;
    int first = -1;
    for (int k = 0; k < w->count; ++k) {
        const Patch *patch = &w->patches[k];
        double depth = is_met(patch) && !is_done[k] ? cairn_box_lowest(patch->points, patch->count) : HUGE_VAL;
        if (depth < deepest) {
            deepest = depth;
            first = k;
        }
    }
    return first;
}

void cairn_mesh_merge(Work *w) {
    bool is_done[CAIRN_MANIFOLDS] = {false};
    if (w->count < 2) {
        return;
    }
    for (int first = deepest_of(w, is_done); first >= 0; first = deepest_of(w, is_done)) {
        Group group = {.patches = {&w->patches[first]}, .count = 1, .normal = w->patches[first].normal};
        cairn_mesh_body_facing(&w->body, cairn_neg(group.normal), &w->facing);
        w->facing_flat = -1; // the facing of no flat
        group.facing = w->facing.count;
        group.tolerance = IN_PLANE * w->body.size;
        group.least_cosine = group.facing > 2 ? CAIRN_LIKE_FACE : sqrt(1 - ROUND_LEAN * ROUND_LEAN);
        is_done[first] = true;
        for (int k = 0; k < w->count; ++k) {
            if (is_met(&w->patches[k]) && !is_done[k] &&
                cairn_dot(w->patches[k].normal, group.normal) > group.least_cosine) {
                group.patches[group.count++] = &w->patches[k];
            }
        }
        keep_one_plane(&group);
        if (group.count > 1) {
            join(w, &group);
        }
    }
}
