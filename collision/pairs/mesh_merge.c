// Patches of one plane: where the vertices of a mesh are off by a little, each of its triangles is a face of its own,
// and a box that lies on it would have a manifold for each of them, with edges and corners besides. What lies in one
// plane, to a fraction of the body's size, is one patch, as in a flat mesh: it carries with four points.
//
// The plane is that of least squares. Where a face of the body looks at it, all triangles under that face are asked
// (find_plane); where they are not in one plane, and for what is round, the patches that were met are: the one that is
// farthest from the plane is left out for as long as one is farther than the tolerance. The points keep their
// distances, which are true to second order in the angle between the normals.
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
    int facing; // corners of what of the body looks at the plane: a point, a line or a face
    double tolerance, least_cosine;
} Group;

static CairnVec3 mesh_point(const Patch *patch, int k) {
    return cairn_add_scaled(patch->points[k].point, -0.5 * patch->points[k].distance, patch->normal);
}

typedef struct Plane {
    CairnVec3 normal;
    double offset;
} Plane;

// Sums over points from which a plane is fitted: along two axes across `n` and along it, from an origin near them.
typedef struct Sums {
    CairnVec3 n, u, v, origin;
    double count, u1, v1, z1, uu, uv, vv, uz, vz;
} Sums;

static Sums begin_sums(CairnVec3 n, CairnVec3 origin) {
    Sums s = {.n = n, .origin = origin};
    cairn_tangents(n, &s.u, &s.v);
    return s;
}

static void sum_up(Sums *s, CairnVec3 point) {
    CairnVec3 x = cairn_sub(point, s->origin);
    double a = cairn_dot(s->u, x), b = cairn_dot(s->v, x), z = cairn_dot(s->n, x);
    s->count += 1;
    s->u1 += a;
    s->v1 += b;
    s->z1 += z;
    s->uu += a * a;
    s->uv += a * b;
    s->vv += b * b;
    s->uz += a * z;
    s->vz += b * z;
}

// The plane through the centre of the points with the least sum of squares along n. Points in one line do not say how
// the plane leans across it: then it does not.
static Plane plane_of(const Sums *s, int facing) {
    double u = s->u1 / s->count, v = s->v1 / s->count, z = s->z1 / s->count;
    double uu = s->uu - s->u1 * u, uv = s->uv - s->u1 * v, vv = s->vv - s->v1 * v;
    double uz = s->uz - s->u1 * z, vz = s->vz - s->v1 * z;
    double some = (facing > 2 ? 1e-6 : 1e-2) * (uu + vv), det = (uu + some) * (vv + some) - uv * uv;
    double slope_u = det > 0 ? (uz * (vv + some) - vz * uv) / det : 0;
    double slope_v = det > 0 ? (vz * (uu + some) - uz * uv) / det : 0;
    CairnVec3 normal = cairn_normalize(cairn_add_scaled(cairn_add_scaled(s->n, -slope_u, s->u), -slope_v, s->v));
    CairnVec3 center = cairn_add_scaled(cairn_add_scaled(cairn_add_scaled(s->origin, u, s->u), v, s->v), z, s->n);
    return (Plane){normal, cairn_dot(normal, center)};
}

static Plane fit(const Group *group) {
    Sums sums = begin_sums(group->normal, mesh_point(group->patches[0], 0));
    for (int i = 0; i < group->count; ++i) {
        for (int k = 0; k < group->patches[i]->count; ++k) {
            sum_up(&sums, mesh_point(group->patches[i], k));
        }
    }
    return plane_of(&sums, group->facing);
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
            return;
        }
        out = out > 0 ? out : group->count - 1;
        group->patches[out] = group->patches[--group->count];
    }
}

// Where the face or line of the body that looks at the plane leans on it by no more than the tolerance over its size,
// the direction from which it is seen straight stands for the plane's normal: it does not change with the points.
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

static void take_points(Points *points, Patch *patch) {
    int count = patch->is_vetoed ? 0 : cairn_box_reduce(patch->points, patch->count, patch->normal);
    add_points(points, patch->points, count, patch->id);
    patch->count = 0;
}

// The points that a triangle has under the face of the body, with their distances from where the body is; none where it
// does not face it.
static int clip(const Work *w, const Group *group, int index, CairnManifoldPoint points[CAIRN_CLIPPED_POINTS],
                CairnMeshTriangle *t) {
    *t = cairn_mesh_triangle(w, index);
    double nearer = cairn_dot(w->shift, t->n);
    if (cairn_dot(t->n, w->facing.normal) > -group->least_cosine) {
        return 0;
    }
    const CairnVec3 corners[3] = {t->p[0], t->p[1], t->p[2]};
    int count = cairn_mesh_clip(w->s, index, corners, &w->facing, w->body.convex.rounding, w->margin + nearer, points);
    for (int k = 0; k < count; ++k) {
        points[k].distance -= nearer;
        points[k].point = cairn_add_scaled(points[k].point, -0.5 * nearer, t->n);
    }
    return count;
}

static CairnVec3 clipped_point(const CairnManifoldPoint *point, CairnVec3 n) {
    return cairn_add_scaled(point->point, -0.5 * point->distance, n);
}

// What lies on many faces at once overlaps some by a hair, and these exclude each other at the edges between them; and
// where more patches are met than there is room for, the deepest are known. So what is left need not span what the body
// lies on: all triangles that face its face are asked. False: they are not in one plane.
static bool find_plane(Work *w, Group *group, Points *points) {
    CairnManifoldPoint clipped[CAIRN_CLIPPED_POINTS];
    CairnMeshTriangle t;
    CairnMeshWalk walk;
    Sums sums = begin_sums(cairn_neg(w->facing.normal), mesh_point(group->patches[0], 0));
    cairn_mesh_walk_begin(w->s, cairn_mesh_work_box(w), &walk);
    for (int index = cairn_mesh_walk_next(&walk); index >= 0; index = cairn_mesh_walk_next(&walk)) {
        int count = clip(w, group, index, clipped, &t);
        for (int k = 0; k < count; ++k) {
            sum_up(&sums, clipped_point(&clipped[k], t.n));
        }
    }
    if (sums.count < 3) {
        return false;
    }
    Plane plane = plane_of(&sums, group->facing);
    points->normal = plane.normal;
    cairn_mesh_walk_begin(w->s, cairn_mesh_work_box(w), &walk);
    for (int index = cairn_mesh_walk_next(&walk); index >= 0; index = cairn_mesh_walk_next(&walk)) {
        int count = clip(w, group, index, clipped, &t);
        for (int k = 0; k < count; ++k) {
            double height = cairn_dot(plane.normal, clipped_point(&clipped[k], t.n)) - plane.offset;
            if (fabs(height) > group->tolerance) {
                points->count = 0;
                return false;
            }
        }
        add_points(points, clipped, count, 1u + (uint32_t)t.facet->flat);
    }
    if (farthest_from(&plane, group->patches[0]) > group->tolerance) {
        points->count = 0;
        return false;
    }
    group->normal = plane.normal;
    for (int k = 0; k < w->count; ++k) { // edges and corners of this plane may be deeper than its faces
        Patch *patch = &w->patches[k];
        if (cairn_dot(patch->normal, plane.normal) > group->least_cosine &&
            farthest_from(&plane, patch) <= group->tolerance) {
            take_points(points, patch);
        }
    }
    return true;
}

// The points of all patches of the group become those of the first one.
static void join(Work *w, Group *group) {
    Points points;
    points.count = 0;
    bool is_spanned = group->facing > 2 && find_plane(w, group, &points);
    if (!is_spanned) {
        keep_one_plane(group);
    }
    if (!is_spanned && group->count < 2) {
        return;
    }
    points.normal = straight(w, group);
    for (int i = 0; i < group->count && !is_spanned; ++i) {
        take_points(&points, group->patches[i]);
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
        int like = 0; // met or not
        for (int k = 0; k < w->count; ++k) {
            if (!is_done[k] && cairn_dot(w->patches[k].normal, group.normal) > group.least_cosine) {
                like += 1;
                if (is_met(&w->patches[k])) {
                    group.patches[group.count++] = &w->patches[k];
                }
            }
        }
        if (like > 0) {
            join(w, &group);
        }
    }
}
