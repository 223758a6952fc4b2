// Convex shapes against a mesh.
//
// A contact's normal must belong to the touched feature: it is the normal of a face, or for a convex edge or corner one
// from the cone of the normals about it. So shapes do not bump into the seams of a floor or the far side of a valley.
// For each triangle near the shape the nearest (or least overlapped) feature is found first. If it is the face, all
// triangles of that flat give points to one manifold; if it is an edge or corner, its nearest points are taken; if it
// belongs to a neighbour, nothing is. A convex edge between two faces excludes the face that the shape is deeper in: a
// body that stands on a table has no contacts with the sides of the table.
//
// A face within 1.8 degrees of the direction in which one of its edges or corners is nearest may replace that contact,
// since it supports with more points. It does where its points are nearly as deep, and they then get the same depth;
// else both contacts stay.
#include "collision/pairs/box_frame.h"
#include "collision/pairs/mesh_work.h"
#include "collision/pairs/pair_order.h"
#include "engine/base/mat3.h"
#include <string.h>

// A direction counts as within a cone when it is outside by no more than this sine.
#define CONE 1e-6

typedef CairnMeshPatch Patch;
typedef CairnMeshWork Work;
typedef CairnMeshTriangle Triangle;

// The height of the lowest point of the shape over the plane of a flat.
static double lowest_over(Work *w, int flat) {
    CairnVec3 down = cairn_neg(w->s->flats[flat].normal);
    return cairn_mesh_height(w, flat, cairn_mesh_body_support(&w->body, down)) - w->body.convex.rounding;
}

// ---- patches ----

static uint32_t flat_id(int flat) {
    return 1u + (uint32_t)flat;
}

static uint32_t edge_id(const Work *w, int edge) {
    return 1u + (uint32_t)w->s->flat_count + (uint32_t)edge;
}

static uint32_t corner_id(const Work *w, int v) {
    return 1u + (uint32_t)w->s->flat_count + (uint32_t)w->s->edge_count + (uint32_t)v;
}

static Patch *find_patch(Work *w, uint32_t id) {
    for (int k = 0; k < w->count; ++k) {
        if (w->patches[k].id == id) {
            return &w->patches[k];
        }
    }
    return NULL;
}

// Where there is no room, the new patch replaces the one that is farthest away, if that one is farther than the new
// patch; else NULL.
static Patch *add_patch(Work *w, uint32_t id, int flat, CairnVec3 normal, double depth) {
    Patch *patch = &w->patches[0];
    if (w->count < CAIRN_MANIFOLDS) {
        patch = &w->patches[w->count++];
    } else {
        for (int k = 1; k < w->count; ++k) {
            patch = w->patches[k].depth > patch->depth ? &w->patches[k] : patch;
        }
        if (patch->depth <= depth) {
            return NULL;
        }
    }
    patch->id = id;
    patch->flat = flat;
    patch->is_vetoed = false;
    patch->depth = depth;
    patch->normal = normal;
    patch->like_count = 0;
    patch->count = 0;
    return patch;
}

static void add_to_patch(Patch *patch, const CairnManifoldPoint *point) {
    for (int k = 0; k < patch->count; ++k) {
        if (patch->points[k].feature == point->feature) {
            return;
        }
    }
    if (patch->count == CAIRN_PATCH_POINTS) {
        patch->count = cairn_box_reduce(patch->points, patch->count, patch->normal);
    }
    patch->points[patch->count++] = *point;
    patch->depth = cairn_min(patch->depth, point->distance);
}

static void accept_flat(Work *w, const Triangle *t, double depth) {
    Patch *patch = find_patch(w, flat_id(t->facet->flat));
    if (patch == NULL) {
        add_patch(w, flat_id(t->facet->flat), t->facet->flat, t->n, depth);
    }
}

static void veto_flat(Work *w, const Triangle *t, double depth) {
    Patch *patch = find_patch(w, flat_id(t->facet->flat));
    patch = patch != NULL ? patch : add_patch(w, flat_id(t->facet->flat), t->facet->flat, t->n, depth);
    if (patch != NULL) {
        patch->is_vetoed = true;
    }
}

// ---- faces ----

static int clip(Work *w, const Triangle *t, CairnManifoldPoint points[CAIRN_CLIPPED_POINTS]) {
    if (w->facing_flat != t->facet->flat) {
        cairn_mesh_body_facing(&w->body, cairn_neg(t->n), &w->facing);
        w->facing_flat = t->facet->flat;
    }
    return cairn_mesh_clip(w->s, t->index, t->p, &w->facing, w->body.convex.rounding, w->margin, points);
}

static bool has_face_points(Work *w, const Triangle *t) {
    CairnManifoldPoint points[CAIRN_CLIPPED_POINTS];
    return clip(w, t, points) > 0;
}

// True: a point is over the triangle, at least `inside` away from its border (negative: or past it by no more than
// that).
static bool is_over(const Triangle *t, CairnVec3 x, double inside) {
    for (int i = 0; i < 3; ++i) {
        CairnVec3 along = cairn_sub(t->p[(i + 1) % 3], t->p[i]);
        double out = cairn_dot(cairn_cross(along, t->n), cairn_sub(x, t->p[i]));
        if (out > -inside * cairn_length(along)) {
            return false;
        }
    }
    return true;
}

// ---- edges and corners ----

static CairnVec3 across(const Triangle *t, int k, CairnVec3 n, double sign) {
    CairnVec3 along = cairn_sub(t->p[(k + 1) % 3], t->p[k]);
    return cairn_normalize(cairn_cross(cairn_scale(sign, along), n));
}

static CairnVec3 normal_across(const Work *w, const Triangle *t, int k) {
    return w->s->flats[w->s->facets[t->facet->neighbor[k]].flat].normal;
}

// True: in the direction `d` the edge is nearer than both of its faces.
static bool is_in_edge_cone(const Work *w, const Triangle *t, int k, CairnVec3 d) {
    CairnEdgeKind kind = (CairnEdgeKind)t->facet->kind[k];
    if (kind == CAIRN_EDGE_OPEN) {
        return cairn_dot(d, across(t, k, t->n, 1)) >= -CONE && cairn_dot(d, t->n) >= -CONE;
    }
    if (kind != CAIRN_EDGE_CONVEX) {
        return false;
    }
    CairnVec3 m = normal_across(w, t, k);
    return cairn_dot(d, across(t, k, t->n, 1)) >= -CONE && cairn_dot(d, across(t, k, m, -1)) >= -CONE &&
           cairn_dot(d, cairn_add(t->n, m)) > 0;
}

static bool is_in_corner_cone(const Work *w, int v, CairnVec3 d) {
    const CairnSurface *s = w->s;
    if (!s->stands_out[v]) {
        return false;
    }
    for (int k = s->rings[v]; k < s->rings[v + 1]; ++k) {
        CairnVec3 along = cairn_sub(s->points[s->ring_ends[k]], s->points[v]);
        if (cairn_dot(d, along) > CONE * cairn_length(along)) {
            return false;
        }
    }
    return cairn_dot(d, s->corner_normals[v]) > 0;
}

// A face of the shape that lies on the edge: the ends of what they have in common.
static int points_along(Work *w, CairnVec3 p, CairnVec3 q, CairnVec3 d, CairnManifoldPoint points[2]) {
    CairnPolygon face;
    cairn_mesh_body_facing(&w->body, cairn_neg(d), &face);
    CairnVec3 along = cairn_sub(q, p), m = face.normal;
    double t[2], rounding = w->body.convex.rounding;
    uint32_t names[2];
    int count = 0;
    if (face.count == 2) { // a line
        CairnVec3 line = cairn_sub(face.p[1], face.p[0]);
        double squared = cairn_length_squared(along), line_squared = cairn_length_squared(line);
        if (cairn_length_squared(cairn_cross(line, along)) > 1e-6 * squared * line_squared) {
            return 0;
        }
        double at[2] = {cairn_dot(cairn_sub(face.p[0], p), along) / squared,
                        cairn_dot(cairn_sub(face.p[1], p), along) / squared};
        int low = at[0] <= at[1] ? 0 : 1;
        t[0] = cairn_max(at[low], 0);
        t[1] = cairn_min(at[1 - low], 1);
        names[0] = at[low] > 0 ? face.vertex[low] : 0;
        names[1] = at[1 - low] < 1 ? face.vertex[1 - low] : 0;
        if (!(t[1] - t[0] > 1e-6)) {
            return 0;
        }
        m = cairn_neg(d);
    } else if (face.count < 2 || cairn_dot(m, d) > -CAIRN_LIKE_FACE ||
               fabs(cairn_dot(m, along)) > 0.03 * cairn_length(along) ||
               !cairn_polygon_cut(&face, p, q, 0.5 * CAIRN_RIM * cairn_polygon_size(&face), t, names)) {
        return 0;
    }
    for (int end = 0; end < 2; ++end) {
        CairnVec3 x = cairn_add_scaled(p, t[end], along);
        double z = cairn_dot(m, cairn_sub(face.p[0], x)) / cairn_dot(m, d) - rounding;
        if (z < w->margin) {
            points[count++] =
                (CairnManifoldPoint){cairn_add_scaled(x, 0.5 * z, d), z, cairn_names(1u + (uint32_t)end, names[end])};
        }
    }
    return count;
}

// Where the shape's lowest edge passes over the edge from p to q: tilting the direction a little along it gives its
// ends.
static CairnVec3 crossing(Work *w, CairnVec3 p, CairnVec3 q, CairnVec3 d) {
    CairnVec3 along = cairn_normalize(cairn_sub(q, p));
    CairnVec3 a = cairn_mesh_body_support(&w->body, cairn_sub(cairn_scale(1e-3, along), d));
    CairnVec3 b = cairn_mesh_body_support(&w->body, cairn_sub(cairn_scale(-1e-3, along), d));
    double length = cairn_length(cairn_sub(q, p)), line_length = cairn_length(cairn_sub(b, a)), s, t;
    CairnVec3 line = line_length > 0 ? cairn_scale(1.0 / line_length, cairn_sub(b, a)) : along;
    if (cairn_box_edges_parallel(along, line)) {
        CairnVec3 middle = cairn_scale(0.5, cairn_add(a, b));
        s = cairn_dot(cairn_sub(middle, p), along);
    } else {
        cairn_line_line(p, along, a, line, &s, &t);
    }
    return cairn_add_scaled(p, cairn_clamp(s, 0, length), along);
}

// `on_edge`: the edge's nearest point where it is known. Returns the patch of the edge, or NULL where there is no room.
static Patch *add_edge(Work *w, const Triangle *t, int k, CairnVec3 d, double gap, const CairnVec3 *on_edge) {
    uint32_t id = edge_id(w, t->facet->edge[k]);
    Patch *patch = find_patch(w, id);
    if (patch != NULL) {
        return patch;
    }
    patch = add_patch(w, id, -1, d, gap);
    if (patch == NULL) {
        return NULL;
    }
    int l = (k + 1) % 3, i = t->facet->v[k] < t->facet->v[l] ? k : l, j = i == k ? l : k;
    patch->count = points_along(w, t->p[i], t->p[j], d, patch->points);
    if (patch->count == 0 || !cairn_box_shift_depths(patch->points, patch->count, gap, w->tie)) {
        patch->count = 0;
        CairnVec3 x = on_edge != NULL ? *on_edge : crossing(w, t->p[i], t->p[j], d);
        patch->points[patch->count++] = (CairnManifoldPoint){cairn_add_scaled(x, 0.5 * gap, d), gap, 0};
    }
    return patch;
}

static Patch *add_corner(Work *w, const Triangle *t, int k, CairnVec3 d, double gap) {
    uint32_t id = corner_id(w, t->facet->v[k]);
    Patch *patch = find_patch(w, id);
    if (patch == NULL && (patch = add_patch(w, id, -1, d, gap)) != NULL) {
        patch->points[patch->count++] = (CairnManifoldPoint){cairn_add_scaled(t->p[k], 0.5 * gap, d), gap, 0};
    }
    return patch;
}

static void add_like(Patch *patch, int flat) {
    for (int i = 0; i < patch->like_count; ++i) {
        if (patch->like[i] == flat) {
            return;
        }
    }
    if (patch->like_count < CAIRN_LIKE_FLATS) {
        patch->like[patch->like_count++] = flat;
    }
}

// ---- what of a triangle is met ----

static bool stands_out(const CairnFacet *facet) {
    return facet->kind[0] >= CAIRN_EDGE_CONVEX || facet->kind[1] >= CAIRN_EDGE_CONVEX ||
           facet->kind[2] >= CAIRN_EDGE_CONVEX;
}

static void look_overlapped(Work *w, const Triangle *t, CairnConvex *triangle, double low) {
    if (w->overlapped_count < CAIRN_OVERLAPPED) {
        w->overlapped[w->overlapped_count++] = t->index;
    }
    for (int k = 0; k < 3; ++k) {
        if (t->facet->kind[k] == CAIRN_EDGE_CONVEX) {
            double other = lowest_over(w, w->s->facets[t->facet->neighbor[k]].flat);
            if (other > low + w->tie) {
                veto_flat(w, t, low);
                return;
            }
        }
    }
    if (find_patch(w, flat_id(t->facet->flat)) != NULL) {
        return;
    }
    CairnVec3 d;
    double gap = cairn_epa(triangle, &w->body.convex, &d) - w->body.convex.rounding;
    if (cairn_dot(d, t->n) < CAIRN_LIKE_FACE && gap > low + w->tie) {
        double along[3], top = -HUGE_VAL;
        int on_top[3] = {0, 0, 0}, count = 0;
        for (int i = 0; i < 3; ++i) {
            along[i] = cairn_dot(d, t->p[i]);
            top = cairn_max(top, along[i]);
        }
        for (int i = 0; i < 3; ++i) {
            if (along[i] >= top - w->tie) {
                on_top[count++] = i;
            }
        }
        int k = count == 2 && on_top[0] == 0 && on_top[1] == 2 ? 2 : on_top[0];
        if (count == 2 && is_in_edge_cone(w, t, k, d)) {
            add_edge(w, t, k, d, gap, NULL);
            return;
        }
        if (count == 1 && is_in_corner_cone(w, t->facet->v[k], d)) {
            add_corner(w, t, k, d, gap);
            return;
        }
    }
    if (has_face_points(w, t)) {
        accept_flat(w, t, low);
    }
}

static void look_apart(Work *w, const Triangle *t, const CairnNearest *nearest) {
    CairnVec3 d = nearest->normal;
    double gap = nearest->distance - w->body.convex.rounding;
    bool is_hit[3] = {false, false, false};
    for (int i = 0; i < nearest->count; ++i) {
        is_hit[nearest->points[i].vertex_a] = true;
    }
    int hits = is_hit[0] + is_hit[1] + is_hit[2];
    Patch *patch = NULL;
    if (hits == 2) {
        int k = !is_hit[2] ? 0 : !is_hit[0] ? 1 : 2;
        patch = is_in_edge_cone(w, t, k, d) ? add_edge(w, t, k, d, gap, &nearest->on_a) : NULL;
    } else if (hits == 1) {
        int k = is_hit[0] ? 0 : is_hit[1] ? 1 : 2;
        patch = is_in_corner_cone(w, t->facet->v[k], d) ? add_corner(w, t, k, d, gap) : NULL;
    }
    bool is_like = cairn_dot(d, t->n) > CAIRN_LIKE_FACE && (!stands_out(t->facet) || has_face_points(w, t));
    if (is_like && patch != NULL) {
        add_like(patch, t->facet->flat);
    }
    if (hits == 3 || is_like) {
        accept_flat(w, t, gap);
    }
}

static CairnConvex convex_of(const Triangle *t, CairnTriangleHull *hull) {
    cairn_hull_of_triangle(hull, t->p, t->n);
    return (CairnConvex){.type = CAIRN_SHAPE_HULL,
                         .hull = &hull->hull,
                         .r = cairn_mat3_diagonal(1, 1, 1),
                         .size = hull->hull.size + cairn_length(hull->hull.center)};
}

static void look(Work *w, int index) {
    const CairnFacet *facet = &w->s->facets[index];
    bool may_differ = stands_out(facet);
    if (!may_differ && find_patch(w, flat_id(facet->flat)) != NULL) {
        return;
    }
    Triangle t = cairn_mesh_triangle(w, index);
    double rounding = w->body.convex.rounding;
    CairnVec3 bottom = cairn_mesh_body_support(&w->body, cairn_neg(t.n));
    double low = cairn_mesh_height(w, t.facet->flat, bottom) - rounding;
    double high = cairn_mesh_height(w, t.facet->flat, cairn_mesh_body_support(&w->body, t.n));
    if (!(low < w->margin) || high + rounding < 0) {
        return; // too far, or wholly behind
    }
    // The lowest point is over the triangle, and nearer to it than to its border where they overlap.
    double core = low + rounding;
    if ((core > 0 || !may_differ) && is_over(&t, bottom, core > 0 ? -w->tie : -core)) {
        accept_flat(w, &t, low);
        return;
    }
    CairnTriangleHull hull;
    CairnConvex triangle = convex_of(&t, &hull);
    CairnNearest nearest;
    cairn_gjk(&triangle, &w->body.convex, w->margin + rounding, &nearest);
    if (nearest.is_beyond) {
        return;
    }
    // A core that lies behind the plane is apart from the triangle, or in it by its rounding.
    bool is_behind = high <= 0 && cairn_dot(nearest.normal, t.n) <= 0 && nearest.distance < rounding;
    if (nearest.is_touching || is_behind) {
        look_overlapped(w, &t, &triangle, low);
    } else if (nearest.distance - rounding < w->margin && cairn_dot(nearest.normal, t.n) > 0) {
        look_apart(w, &t, &nearest);
    }
}

// ---- the whole ----

CairnAabb cairn_mesh_work_box(const Work *w) {
    double grow = cairn_max(w->margin, 0) + w->body.convex.rounding;
    CairnVec3 low, high;
    double *const lows[3] = {&low.x, &low.y, &low.z}, *const highs[3] = {&high.x, &high.y, &high.z};
    CairnMeshBody body = w->body;
    const CairnVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 3; ++i) {
        *lows[i] =
            cairn_dot(axes[i], cairn_add(w->position, cairn_mesh_body_support(&body, cairn_neg(axes[i])))) - grow;
        *highs[i] = cairn_dot(axes[i], cairn_add(w->position, cairn_mesh_body_support(&body, axes[i]))) + grow;
    }
    return (CairnAabb){low, high};
}

// The points of all triangles of the flats that are met.
static void fill_flats(Work *w, CairnAabb box) {
    CairnMeshWalk walk;
    cairn_mesh_walk_begin(w->s, box, &walk);
    for (int index = cairn_mesh_walk_next(&walk); index >= 0; index = cairn_mesh_walk_next(&walk)) {
        Patch *patch = find_patch(w, flat_id(w->s->facets[index].flat));
        if (patch != NULL && !patch->is_vetoed) {
            CairnManifoldPoint points[CAIRN_CLIPPED_POINTS];
            Triangle t = cairn_mesh_triangle(w, index);
            int count = clip(w, &t, points);
            for (int k = 0; k < count; ++k) {
                add_to_patch(patch, &points[k]);
            }
        }
    }
}

// Removes the patches of edges and corners that an adjacent face replaces, with points of the same depth.
static void replace_by_flats(Work *w) {
    for (int k = 0; k < w->count; ++k) {
        Patch *patch = &w->patches[k];
        for (int i = 0; i < patch->like_count; ++i) {
            Patch *flat = find_patch(w, flat_id(patch->like[i]));
            bool is_there = flat != NULL && !flat->is_vetoed && flat->count > 0;
            double lowest = is_there ? cairn_box_lowest(flat->points, flat->count) : HUGE_VAL;
            if (lowest <= patch->depth ||
                (is_there && cairn_box_shift_depths(flat->points, flat->count, patch->depth, w->tie))) {
                patch->count = 0;
            }
        }
    }
}

// Removes points of edges and corners that coincide, with the same normal, with a point of a face or of an earlier edge
// or corner.
static void drop_doubles(Work *w) {
    double near = 1e-6 * w->body.size;
    for (int j = 0; j < w->count; ++j) {
        Patch *patch = &w->patches[j];
        int kept = 0;
        for (int k = 0; k < patch->count; ++k) {
            bool is_double = false;
            for (int i = 0; i < w->count && patch->flat < 0 && !is_double; ++i) {
                const Patch *other = &w->patches[i];
                bool is_before = i != j && (other->flat >= 0 || i < j) && !other->is_vetoed &&
                                 cairn_dot(other->normal, patch->normal) > CAIRN_LIKE_FACE;
                for (int l = 0; l < other->count && is_before && !is_double; ++l) {
                    CairnVec3 difference = cairn_sub(other->points[l].point, patch->points[k].point);
                    is_double = cairn_length_squared(difference) < near * near;
                }
            }
            if (!is_double) {
                patch->points[kept++] = patch->points[k];
            }
        }
        patch->count = kept;
    }
}

static void look_around(Work *w) {
    w->count = w->overlapped_count = 0;
    w->facing_flat = -1;
    CairnAabb box = cairn_mesh_work_box(w);
    CairnMeshWalk walk;
    cairn_mesh_walk_begin(w->s, box, &walk);
    for (int index = cairn_mesh_walk_next(&walk); index >= 0; index = cairn_mesh_walk_next(&walk)) {
        look(w, index);
    }
    if (w->count > 0) {
        fill_flats(w, box);
        replace_by_flats(w);
        drop_doubles(w);
    }
}

// ---- from outside ----

// How far the core goes into the overlapped triangles along a direction: the most of them.
static double depth_along(Work *w, CairnVec3 d) {
    double lowest = cairn_dot(d, cairn_mesh_body_support(&w->body, cairn_neg(d))), most = -HUGE_VAL;
    for (int i = 0; i < w->overlapped_count; ++i) {
        Triangle t = cairn_mesh_triangle(w, w->overlapped[i]);
        for (int k = 0; k < 3; ++k) {
            most = cairn_max(most, cairn_dot(d, t.p[k]) - lowest);
        }
    }
    return most;
}

// The least displacement that separates the shape from all overlapped triangles, among the directions that one of them
// or its normal gives.
static double least_overlap(Work *w, CairnVec3 *direction) {
    double least = HUGE_VAL;
    for (int i = 0; i < 2 * w->overlapped_count; ++i) {
        Triangle t = cairn_mesh_triangle(w, w->overlapped[i / 2]);
        CairnVec3 d = t.n;
        if (i % 2 == 1) {
            CairnTriangleHull hull;
            CairnConvex triangle = convex_of(&t, &hull);
            cairn_epa(&triangle, &w->body.convex, &d);
        }
        double depth = cairn_dot(d, t.n) > 0 ? depth_along(w, d) : HUGE_VAL;
        if (depth < least) {
            least = depth;
            *direction = d;
        }
    }
    return least;
}

static double deepest(const Work *w) {
    double least = HUGE_VAL;
    for (int k = 0; k < w->count; ++k) {
        const Patch *patch = &w->patches[k];
        if (!patch->is_vetoed && patch->count > 0) {
            least = cairn_min(least, cairn_box_lowest(patch->points, patch->count));
        }
    }
    return least;
}

// Moves the patches that were found from a distance of `out` along `direction` back to where the shape is.
static void move_patches_back(Work *w, CairnVec3 direction, double out) {
    for (int k = 0; k < w->count; ++k) {
        Patch *patch = &w->patches[k];
        double nearer = out * cairn_dot(direction, patch->normal);
        for (int i = 0; i < patch->count; ++i) {
            patch->points[i].distance -= nearer;
            patch->points[i].point = cairn_add_scaled(patch->points[i].point, -0.5 * nearer, patch->normal);
        }
    }
}

// Where a shape overlaps the mesh, edges and corners may have been assigned to neighbours that do not report them: a
// single triangle may be separated by a shorter displacement than the mesh (sideways), and no triangle may report the
// face that the shape is deep in. So where no patch was found, or one that is deeper than the displacement that
// separates the shape from all triangles, the shape is moved outside, where the nearest feature is unambiguous, and the
// displacement is then subtracted from the distances.
static void look_from_outside(Work *w) {
    CairnVec3 direction = {0, 0, 1}, position = w->position;
    double found = deepest(w), margin = w->margin; // HUGE_VAL: nothing
    if (fabs(found) <= w->tie) {
        return; // what rests there, mostly
    }
    double depth = least_overlap(w, &direction);
    if ((found <= w->tie && found >= -(depth + w->tie)) || !(depth < HUGE_VAL)) {
        return;
    }
    double out = cairn_max(depth, 0) + 1e-4 * w->body.size;
    w->position = cairn_add_scaled(position, out, direction);
    w->margin = cairn_max(margin, 0) + out;
    look_around(w);
    move_patches_back(w, direction, out);
    w->margin = margin;
}

int cairn_mesh_convex(const CairnGeometry *mesh, CairnTransform pose_mesh, const CairnGeometry *convex,
                      CairnTransform pose_convex, double margin, CairnManifold *manifolds, int capacity) {
    CairnTransform relative = cairn_relative_pose(pose_mesh, pose_convex);
    Work w;
    w.s = mesh->surface;
    w.position = relative.p;
    w.margin = margin;
    cairn_mesh_body(convex, relative.q, &w.body);
    w.tie = CAIRN_TIE * w.body.size;
    look_around(&w);
    if (w.overlapped_count > 0 &&
        w.body.convex.rounding == 0) { // cores of balls and rods are outside, but for the deepest
        look_from_outside(&w);
    }
    cairn_mesh_merge(&w);
    int count = 0;
    for (int k = 0; k < w.count && count < capacity; ++k) {
        Patch *patch = &w.patches[k];
        patch->count = patch->is_vetoed ? 0 : cairn_box_nearer(patch->points, patch->count, margin);
        patch->count = cairn_box_reduce(patch->points, patch->count, patch->normal);
        if (patch->count == 0) {
            continue;
        }
        CairnManifold *m = &manifolds[count++];
        memset(m, 0, sizeof *m);
        m->patch = patch->id;
        m->count = patch->count;
        m->normal = cairn_rotate(pose_mesh.q, patch->normal);
        for (int i = 0; i < patch->count; ++i) {
            m->points[i] = patch->points[i];
            m->points[i].point = cairn_transform_point(pose_mesh, cairn_add(w.position, patch->points[i].point));
        }
    }
    return count;
}
