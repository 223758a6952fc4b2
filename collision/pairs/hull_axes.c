// The separating axes of two hulls: normals of faces, crosses of edges.
#include "collision/pairs/hull_pair.h"
#include "engine/base/mat3.h"

// Edges whose angle has less than this squared sine (1e-4 rad) have no usable cross product: the normals of the faces
// are used instead.
#define PARALLEL 1e-8

// The largest separation along the face normals of `reference`, as gaps to `other`. An earlier axis stays the best one
// unless it is clearly beaten; `highest` is the maximum of all.
static void try_faces(const CairnHullFrame *reference, const CairnHullFrame *other, double tie, bool is_first,
                      CairnHullAxis *best, double *highest) {
    // The other hull in the frame of this one, so that the planes are used as they are.
    CairnMat3 r = cairn_mat3_product(cairn_mat3_transpose(reference->r), other->r);
    CairnVec3 p = cairn_mat3_transpose_mul(reference->r, cairn_sub(other->p, reference->p));
    CairnVec3 middle = cairn_add(p, cairn_mat3_mul(r, other->hull->center));
    int v = cairn_hull_support(other->hull, cairn_mat3_transpose_mul(r, cairn_sub(reference->hull->center, middle)), 0);
    CairnVec3 nearest = cairn_add(p, cairn_mat3_mul(r, other->hull->vertices[v]));
    for (int f = 0; f < reference->hull->face_count; ++f) {
        CairnVec3 n = reference->hull->normals[f];
        if (cairn_dot(n, nearest) - reference->hull->offsets[f] <= *highest) {
            continue; // any vertex bounds the gap from above
        }
        CairnVec3 local = cairn_mat3_transpose_mul(r, n);
        v = cairn_hull_support(other->hull, cairn_neg(local), v);
        nearest = cairn_add(p, cairn_mat3_mul(r, other->hull->vertices[v]));
        double separation =
            cairn_dot(local, other->hull->vertices[v]) + (cairn_dot(n, p) - reference->hull->offsets[f]);
        *highest = cairn_max(*highest, separation);
        if (separation > best->separation + tie) {
            CairnVec3 world = cairn_mat3_mul(reference->r, n);
            *best =
                (CairnHullAxis){is_first ? world : cairn_neg(world), separation, is_first ? f : -1, is_first ? -1 : f};
        }
    }
}

CairnHullAxis cairn_hull_best_face(const CairnHullFrame *first, const CairnHullFrame *second, double tie) {
    CairnHullAxis best = {{0, 0, 1}, -HUGE_VAL, -1, -1};
    double highest = -HUGE_VAL;
    try_faces(first, second, tie, true, &best, &highest);
    try_faces(second, first, tie, false, &best, &highest);
    best.separation = highest; // it replaces those that tie with it, and gets their depth
    return best;
}

typedef struct Edge {
    CairnVec3 p, d;        // origin and direction
    CairnVec3 left, right; // normals of its faces
    int half_edge;
} Edge;

// The edges that reach beyond `level` along `direction`.
static int collect(const CairnHullFrame *f, CairnVec3 direction, double level, Edge edges[CAIRN_HULL_EDGES]) {
    const CairnHull *hull = f->hull;
    CairnVec3 local = cairn_mat3_transpose_mul(f->r, direction);
    double heights[CAIRN_HULL_VERTICES], shift = cairn_dot(direction, f->p);
    int count = 0;
    for (int v = 0; v < hull->vertex_count; ++v) {
        heights[v] = shift + cairn_dot(local, hull->vertices[v]);
    }
    for (int e = 0; e < hull->half_edge_count; e += 2) {
        int u = hull->edges[e].origin, v = hull->edges[e ^ 1].origin;
        if (cairn_max(heights[u], heights[v]) >= level) {
            CairnVec3 d = cairn_sub(hull->vertices[v], hull->vertices[u]);
            edges[count++] =
                (Edge){cairn_frame_vertex(f, u), cairn_mat3_mul(f->r, d), cairn_frame_normal(f, hull->edges[e].face),
                       cairn_frame_normal(f, hull->edges[e ^ 1].face), e};
        }
    }
    return count;
}

// Do the edges make a face of the difference of the hulls? Their arcs on the sphere of normals must cross (Gregorius
// 2013); an edge runs along left x right.
static bool make_face(const Edge *a, const Edge *b) {
    double bl = cairn_dot(b->left, a->d), br = cairn_dot(b->right, a->d);
    if (!(bl * br < 0)) {
        return false;
    }
    double al = cairn_dot(a->left, b->d), ar = cairn_dot(a->right, b->d);
    return al * ar < 0 && bl * ar < 0;
}

static double separation_along(const CairnHullFrame *first, const CairnHullFrame *second, CairnVec3 n) {
    int top = cairn_hull_support(first->hull, cairn_mat3_transpose_mul(first->r, n), 0);
    int bottom = cairn_hull_support(second->hull, cairn_mat3_transpose_mul(second->r, cairn_neg(n)), 0);
    return cairn_dot(n, cairn_sub(cairn_frame_vertex(second, bottom), cairn_frame_vertex(first, top)));
}

// Let the hulls overlap by d along n. Edges that cross at less overlap than d are then no farther apart than d, and the
// point of the one is in the other hull: so each reaches within 2 d of the end of its hull along n. Other edges are not
// tested.
CairnHullAxis cairn_hull_best_edges(const CairnHullFrame *first, const CairnHullFrame *second,
                                    const CairnHullAxis *face, double tie) {
    CairnHullAxis best = {{0, 0, 1}, -HUGE_VAL, -1, -1};
    double highest = -HUGE_VAL;
    Edge a[CAIRN_HULL_EDGES], b[CAIRN_HULL_EDGES];
    CairnVec3 n = face->normal, down = cairn_neg(n);
    int top = cairn_hull_support(first->hull, cairn_mat3_transpose_mul(first->r, n), 0);
    int bottom = cairn_hull_support(second->hull, cairn_mat3_transpose_mul(second->r, down), 0);
    double depth = 2 * cairn_max(-face->separation, 0) + tie;
    int a_count = collect(first, n, cairn_dot(n, cairn_frame_vertex(first, top)) - depth, a);
    int b_count = collect(second, down, cairn_dot(down, cairn_frame_vertex(second, bottom)) - depth, b);
    CairnVec3 center = cairn_add(first->p, cairn_mat3_mul(first->r, first->hull->center));
    for (int i = 0; i < a_count; ++i) {
        for (int j = 0; j < b_count; ++j) {
            if (!make_face(&a[i], &b[j])) {
                continue;
            }
            CairnVec3 cross = cairn_cross(a[i].d, b[j].d);
            double squared = cairn_length_squared(cross);
            if (squared < PARALLEL * cairn_length_squared(a[i].d) * cairn_length_squared(b[j].d)) {
                continue;
            }
            double sign = cairn_dot(cross, cairn_sub(a[i].p, center)) < 0 ? -1.0 : 1.0;
            cross = cairn_scale(sign / sqrt(squared), cross);
            double separation = cairn_dot(cross, cairn_sub(b[j].p, a[i].p));
            if (separation > highest) { // near a face of the difference rounding may say yes where there is none
                separation = cairn_min(separation, separation_along(first, second, cross));
            }
            highest = cairn_max(highest, separation);
            if (separation > best.separation + tie) {
                best = (CairnHullAxis){cross, separation, a[i].half_edge, b[j].half_edge};
            }
        }
    }
    best.separation = highest; // as with faces
    return best;
}

int cairn_hull_facing(const CairnHullFrame *frame, CairnVec3 direction) {
    CairnVec3 local = cairn_mat3_transpose_mul(frame->r, direction);
    int best = 0;
    double along = -HUGE_VAL;
    for (int f = 0; f < frame->hull->face_count; ++f) {
        double d = cairn_dot(local, frame->hull->normals[f]);
        if (d > along + 1e-9) {
            along = d;
            best = f;
        }
    }
    return best;
}
