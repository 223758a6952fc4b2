// Hull against hull: separating axes, then a clipped face, a pair of edges, or the nearest points where they are apart.
//
// As with boxes, ties to rounding go to a face and to the first hull's face. Apart, the axis of largest separation
// falls short of the distance where a corner is nearest: there GJK finds it.
#include "collision/pairs/box_frame.h"
#include "collision/pairs/hull_pair.h"
#include "engine/base/mat3.h"

uint32_t cairn_name_of_simplex(const CairnHull *hull, const int *vertices, int count) {
    int u = vertices[0], v = u, w = u; // the different ones
    for (int i = 1; i < count; ++i) {
        if (vertices[i] != u) {
            w = v == u ? vertices[i] : vertices[i] != v ? vertices[i] : w;
            v = v == u ? vertices[i] : v;
        }
    }
    if (v == u) {
        return cairn_name_vertex(u);
    }
    if (hull == NULL) {
        return cairn_name_edge(0);
    }
    for (int first = hull->vertex_edges[u], e = first;;) { // the edges and faces about u
        int other = cairn_hull_end(hull, e);
        if (w == v && other == v) {
            return cairn_name_edge(e);
        }
        int hits = 0;
        for (int k = hull->edges[e].next; k != e; k = hull->edges[k].next) {
            hits += hull->edges[k].origin == v || (w != v && hull->edges[k].origin == w) ? 1 : 0;
        }
        bool is_adjacent = false; // an edge comes before the faces that hold both of its ends
        for (int k = first;;) {
            is_adjacent = is_adjacent || (w == v && cairn_hull_end(hull, k) == v);
            k = hull->edges[k ^ 1].next;
            if (k == first) {
                break;
            }
        }
        if (!is_adjacent && hits == (w == v ? 1 : 2)) {
            return cairn_name_face(hull->edges[e].face);
        }
        e = hull->edges[e ^ 1].next;
        if (e == first) {
            return cairn_name_vertex(u);
        }
    }
}

static CairnConvex convex_of(const CairnHullFrame *frame) {
    return (CairnConvex){.type = CAIRN_SHAPE_HULL,
                         .hull = frame->hull,
                         .r = frame->r,
                         .p = frame->p,
                         .size = frame->hull->size + cairn_length(frame->hull->center)};
}

// Clip the hull's face that looks at the reference, or, where that one misses the lowest vertex, the one of that vertex
// that looks most so.
static int clip_faces(const CairnPolygon *reference, const CairnHullFrame *other, double lowest, double margin,
                      CairnManifoldPoint points[CAIRN_CLIPPED_POINTS]) {
    CairnPolygon incident;
    CairnVec3 down = cairn_neg(reference->normal), local = cairn_mat3_transpose_mul(other->r, down);
    int face = cairn_hull_facing(other, down), bottom = cairn_hull_support(other->hull, local, 0);
    double z = HUGE_VAL;
    for (int first = other->hull->face_edges[face], e = first;;) {
        z = cairn_min(z, cairn_dot(reference->normal, cairn_sub(cairn_frame_vertex(other, other->hull->edges[e].origin),
                                                                reference->p[0])));
        e = other->hull->edges[e].next;
        if (e == first) {
            break;
        }
    }
    if (z > lowest) {
        double best = -HUGE_VAL;
        for (int first = other->hull->vertex_edges[bottom], e = first;;) {
            double along = cairn_dot(local, other->hull->normals[other->hull->edges[e].face]);
            if (along > best) {
                best = along;
                face = other->hull->edges[e].face;
            }
            e = other->hull->edges[e ^ 1].next;
            if (e == first) {
                break;
            }
        }
    }
    cairn_polygon_of_face(other, face, &incident);
    return cairn_polygon_clip(reference, &incident, margin, points);
}

static int face_points(const CairnHullFrame *first, const CairnHullFrame *second, const CairnHullAxis *axis, double tie,
                       double margin, CairnManifoldPoint points[CAIRN_CLIPPED_POINTS]) {
    CairnPolygon reference;
    double lowest = axis->separation + tie;
    if (axis->j < 0) {
        cairn_polygon_of_face(first, axis->i, &reference);
        return cairn_box_reduce(points, clip_faces(&reference, second, lowest, margin, points), axis->normal);
    }
    cairn_polygon_of_face(second, axis->j, &reference);
    int count = clip_faces(&reference, first, lowest, margin, points);
    for (int k = 0; k < count; ++k) {
        points[k].feature = cairn_names_swapped(points[k].feature);
    }
    return cairn_box_reduce(points, count, axis->normal);
}

// Where the two edges pass each other.
static void edge_point(const CairnHullFrame *first, const CairnHullFrame *second, const CairnHullAxis *axis,
                       CairnManifoldPoint *point) {
    CairnVec3 p = cairn_frame_vertex(first, first->hull->edges[axis->i].origin);
    CairnVec3 q = cairn_frame_vertex(second, second->hull->edges[axis->j].origin);
    CairnVec3 a = cairn_sub(cairn_frame_vertex(first, cairn_hull_end(first->hull, axis->i)), p);
    CairnVec3 b = cairn_sub(cairn_frame_vertex(second, cairn_hull_end(second->hull, axis->j)), q);
    double length_a = cairn_length(a), length_b = cairn_length(b), s, t;
    a = cairn_scale(1.0 / length_a, a);
    b = cairn_scale(1.0 / length_b, b);
    cairn_line_line(p, a, q, b, &s, &t);
    CairnVec3 sum = cairn_add(cairn_add_scaled(p, cairn_clamp(s, 0, length_a), a),
                              cairn_add_scaled(q, cairn_clamp(t, 0, length_b), b));
    *point = (CairnManifoldPoint){cairn_scale(0.5, sum), axis->separation,
                                  cairn_names(cairn_name_edge(axis->i), cairn_name_edge(axis->j))};
}

static void nearest_point(const CairnHullFrame *first, const CairnHullFrame *second, const CairnNearest *nearest,
                          CairnManifoldPoint *point) {
    int a[3], b[3];
    for (int i = 0; i < nearest->count; ++i) {
        a[i] = nearest->points[i].vertex_a;
        b[i] = nearest->points[i].vertex_b;
    }
    point->point = cairn_scale(0.5, cairn_add(nearest->on_a, nearest->on_b));
    point->distance = nearest->distance;
    point->feature = cairn_names(cairn_name_of_simplex(first->hull, a, nearest->count),
                                 cairn_name_of_simplex(second->hull, b, nearest->count));
}

// False: they overlap. Else the answer is there; *count may be 0.
static bool apart(const CairnHullFrame *first, const CairnHullFrame *second, const CairnHullAxis *face, double tie,
                  double margin, CairnVec3 *normal, CairnManifoldPoint *points, int *count) {
    *normal = face->normal;
    if (face->separation > 0) {
        *count = face_points(first, second, face, tie, margin, points);
        // Where the axis's own separation is met nothing is nearer. Points higher than that, if by a hair, are beyond
        // the face's rim.
        if (*count > 0 && cairn_box_lowest(points, *count) <= face->separation + 1e-5 * tie) {
            return cairn_box_shift_depths(points, *count, face->separation, tie);
        }
    }
    CairnConvex a = convex_of(first), b = convex_of(second);
    CairnNearest nearest;
    cairn_gjk(&a, &b, margin, &nearest);
    if (nearest.is_touching) {
        return false;
    }
    if (nearest.is_beyond || !(nearest.distance < margin)) {
        *count = 0;
        return true;
    }
    if (cairn_dot(nearest.normal, face->normal) > CAIRN_LIKE_FACE) {
        *count = *count > 0 ? *count : face_points(first, second, face, tie, margin, points);
        if (cairn_box_shift_depths(points, *count, nearest.distance, tie)) {
            return true;
        }
    }
    *count = 1;
    *normal = nearest.normal;
    nearest_point(first, second, &nearest, &points[0]);
    return true;
}

int cairn_hull_hull(const CairnHullFrame *first, const CairnHullFrame *second, double margin, CairnVec3 *normal,
                    CairnManifoldPoint points[CAIRN_CLIPPED_POINTS]) {
    double tie = CAIRN_TIE * cairn_min(first->hull->size, second->hull->size);
    CairnHullAxis face = cairn_hull_best_face(first, second, tie);
    int count = 0;
    if (!(face.separation < margin)) {
        return 0;
    }
    if (apart(first, second, &face, tie, margin, normal, points, &count)) {
        return count;
    }
    CairnHullAxis edges = cairn_hull_best_edges(first, second, &face, tie);
    bool is_face = edges.separation <= face.separation + tie || cairn_dot(edges.normal, face.normal) > CAIRN_LIKE_FACE;
    *normal = face.normal;
    if (is_face) {
        count = face_points(first, second, &face, tie, margin, points);
        if (cairn_box_shift_depths(points, count, cairn_max(face.separation, edges.separation), tie) ||
            (count > 0 && edges.i < 0)) {
            return count;
        }
    }
    if (edges.i >= 0 && edges.separation > face.separation - 2 * tie) {
        *normal = edges.normal;
        edge_point(first, second, &edges, &points[0]);
        points[0].distance = cairn_max(edges.separation, face.separation); // they may tie
        return edges.separation < margin ? 1 : 0;
    }
    // Only rounding leads here: the lowest vertex of the other hull stands for the face.
    bool is_first = face.j < 0;
    const CairnHullFrame *other = is_first ? second : first;
    CairnVec3 down = is_first ? cairn_neg(face.normal) : face.normal;
    int v = cairn_hull_support(other->hull, cairn_mat3_transpose_mul(other->r, down), 0);
    uint32_t vertex = cairn_name_vertex(v), name = cairn_name_face(is_first ? face.i : face.j);
    points[0] = (CairnManifoldPoint){cairn_add_scaled(cairn_frame_vertex(other, v), 0.5 * face.separation, down),
                                     face.separation, is_first ? cairn_names(name, vertex) : cairn_names(vertex, name)};
    return 1;
}
