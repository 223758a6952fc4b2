// Balls and rods (the segments of capsules) against a hull, in the hull's frame.
//
// Over a face, the face answers. Past its border GJK does; with the core inside, the face, or for a rod the edge, of
// least overlap.
#include "collision/pairs/hull_pair.h"
#include "engine/base/mat3.h"

static CairnHullFrame identity_frame(const CairnHull *hull) {
    return (CairnHullFrame){hull, cairn_mat3_diagonal(1, 1, 1), {0, 0, 0}};
}

static CairnConvex convex_of(const CairnHull *hull) {
    return (CairnConvex){.type = CAIRN_SHAPE_HULL,
                         .hull = hull,
                         .r = cairn_mat3_diagonal(1, 1, 1),
                         .size = hull->size + cairn_length(hull->center)};
}

// ---- ball ----

// Is a point over the face's own area (no rim: its border belongs to the neighbours)?
static bool is_over_face(const CairnHull *hull, int face, CairnVec3 point) {
    CairnVec3 n = hull->normals[face];
    for (int first = hull->face_edges[face], e = first;;) {
        CairnVec3 p = hull->vertices[hull->edges[e].origin], q = hull->vertices[cairn_hull_end(hull, e)];
        if (cairn_dot(cairn_cross(cairn_sub(q, p), n), cairn_sub(point, p)) > 0) {
            return false;
        }
        e = hull->edges[e].next;
        if (e == first) {
            return true;
        }
    }
}

int cairn_ball_hull(CairnVec3 center, double radius, const CairnHull *hull, double margin, CairnVec3 *normal,
                    CairnManifoldPoint points[2]) {
    double best = -HUGE_VAL, tie = CAIRN_TIE * 1e-6 * hull->size;
    int face = 0;
    for (int f = 0; f < hull->face_count; ++f) {
        double height = cairn_dot(hull->normals[f], center) - hull->offsets[f];
        if (height > best + tie) {
            best = height;
            face = f;
        }
    }
    if (!(best - radius < margin)) {
        return 0;
    }
    double distance = best;
    *normal = hull->normals[face];
    if (best > 0 && !is_over_face(hull, face, center)) {
        CairnConvex a = convex_of(hull), b = {.type = CAIRN_SHAPE_SPHERE, .r = a.r, .p = center};
        CairnNearest nearest;
        cairn_gjk(&a, &b, radius + margin, &nearest);
        if (nearest.is_beyond) {
            return 0;
        }
        if (!nearest.is_touching) {
            distance = nearest.distance;
            *normal = nearest.normal;
        }
    }
    // Outside, the normal turns continuously, so the one point keeps one name; inside, it jumps between faces.
    uint32_t feature = best > 0 ? 0 : 1u + (uint32_t)face;
    CairnVec3 point = cairn_add_scaled(center, -0.5 * (distance + radius), *normal);
    points[0] = (CairnManifoldPoint){point, distance - radius, feature};
    return distance - radius < margin ? 1 : 0;
}

// ---- rod ----

typedef struct Rod {
    CairnVec3 p, q, d; // d = q - p
    double radius, length, tie, margin;
    const CairnHull *hull;
} Rod;

// Edge and rod within this squared sine (1e-3 rad) lie along each other.
#define PARALLEL 1e-6

static uint32_t end_name(int end) {
    return cairn_name_vertex(end);
}

static const uint32_t side_name = 0x8000u;

// A point on the rod at t with its core's distance along the normal.
static int add_point(const Rod *rod, double t, double distance, CairnVec3 normal, uint32_t name, uint32_t other,
                     CairnManifoldPoint *points, int count) {
    if (!(distance - rod->radius < rod->margin)) {
        return count;
    }
    CairnVec3 x = cairn_add_scaled(rod->p, t, rod->d);
    points[count] = (CairnManifoldPoint){cairn_add_scaled(x, -0.5 * (distance + rod->radius), normal),
                                         distance - rod->radius, cairn_names(name, other)};
    return count + 1;
}

// The rod's part over a face: its two ends, or the lower one where the rod stands on the face.
static int face_points(const Rod *rod, int face, CairnManifoldPoint points[2]) {
    CairnHullFrame frame = identity_frame(rod->hull);
    CairnPolygon polygon;
    cairn_polygon_of_face(&frame, face, &polygon);
    double t[2], rim = 0.5 * CAIRN_RIM * cairn_polygon_size(&polygon);
    uint32_t names[2];
    if (!cairn_polygon_cut(&polygon, rod->p, rod->q, rim, t, names)) {
        return 0;
    }
    CairnVec3 n = rod->hull->normals[face];
    double offset = rod->hull->offsets[face], z[2];
    for (int k = 0; k < 2; ++k) {
        z[k] = cairn_dot(n, cairn_add_scaled(rod->p, t[k], rod->d)) - offset;
    }
    CairnVec3 flat = cairn_add_scaled(rod->d, -cairn_dot(rod->d, n), n);
    bool is_standing = (t[1] - t[0]) * cairn_length(flat) < 1e-3 * rod->length;
    int count = 0;
    for (int k = 0; k < 2; ++k) {
        if (!is_standing || (k == 0) == (z[0] <= z[1])) {
            count = add_point(rod, t[k], z[k], n, names[k] == 0 ? end_name(k) : side_name,
                              names[k] == 0 ? polygon.face : names[k], points, count);
        }
    }
    return count;
}

// An edge of the hull that is as far along the normal as anything, at `vertex`, and along the rod; -1: none.
static int parallel_edge(const Rod *rod, int vertex, CairnVec3 normal) {
    const CairnHull *hull = rod->hull;
    for (int first = hull->vertex_edges[vertex], e = first;;) {
        CairnVec3 along = cairn_sub(hull->vertices[cairn_hull_end(hull, e)], hull->vertices[vertex]);
        double squared = cairn_length_squared(along), up = cairn_dot(normal, along);
        if (cairn_length_squared(cairn_cross(along, rod->d)) < PARALLEL * squared * rod->length * rod->length &&
            up * up < PARALLEL * squared) {
            return e;
        }
        e = hull->edges[e ^ 1].next;
        if (e == first) {
            return -1;
        }
    }
}

// The common part of the rod and an edge along it.
static int along_edge(const Rod *rod, int edge, CairnVec3 normal, CairnManifoldPoint points[2]) {
    const CairnHull *hull = rod->hull;
    int v[2] = {hull->edges[edge].origin, cairn_hull_end(hull, edge)};
    double at[2], squared = rod->length * rod->length;
    for (int k = 0; k < 2; ++k) {
        at[k] = cairn_dot(rod->d, cairn_sub(hull->vertices[v[k]], rod->p)) / squared;
    }
    int low = at[0] <= at[1] ? 0 : 1, high = 1 - low;
    double t[2] = {cairn_max(at[low], 0), cairn_min(at[high], 1)};
    if (!(t[1] - t[0] > 1e-3)) {
        return 0;
    }
    const bool is_end[2] = {at[low] <= 0, at[high] >= 1};
    const int vertex[2] = {v[low], v[high]};
    int count = 0;
    for (int k = 0; k < 2; ++k) {
        CairnVec3 x = cairn_add_scaled(rod->p, t[k], rod->d);
        CairnVec3 from = hull->vertices[vertex[0]], edge_vector = cairn_sub(hull->vertices[vertex[1]], from);
        CairnVec3 y =
            cairn_add_scaled(from, (t[k] - at[low]) / (at[high] - at[low]), edge_vector); // the edge may lean, too
        double distance = cairn_dot(normal, cairn_sub(x, y));
        count = add_point(rod, t[k], distance, normal, is_end[k] ? end_name(k) : side_name,
                          is_end[k] ? cairn_name_edge(edge) : cairn_name_vertex(vertex[k]), points, count);
    }
    return count;
}

// The edge of least overlap with the rod inside: the arc of its normals must cross the great circle across the rod.
static int best_edge(const Rod *rod, double *separation, CairnVec3 *normal) {
    const CairnHull *hull = rod->hull;
    int best = -1;
    *separation = -HUGE_VAL;
    for (int e = 0; e < hull->half_edge_count; e += 2) {
        double left = cairn_dot(hull->normals[hull->edges[e].face], rod->d);
        double right = cairn_dot(hull->normals[hull->edges[e ^ 1].face], rod->d);
        if (!(left * right < 0)) {
            continue;
        }
        CairnVec3 v = hull->vertices[hull->edges[e].origin];
        CairnVec3 cross = cairn_cross(cairn_sub(hull->vertices[cairn_hull_end(hull, e)], v), rod->d);
        double length = cairn_length(cross);
        if (length > 0) {
            double sign = cairn_dot(cross, cairn_sub(v, hull->center)) < 0 ? -1.0 : 1.0;
            cross = cairn_scale(sign / length, cross);
            double s = cairn_dot(cross, cairn_sub(rod->p, v));
            if (s > *separation + rod->tie) {
                *separation = s;
                *normal = cross;
                best = e;
            }
        }
    }
    return best;
}

// The parameter of the rod's point nearest to the line of an edge.
static double crossing(const Rod *rod, int edge) {
    CairnVec3 v = rod->hull->vertices[rod->hull->edges[edge].origin];
    CairnVec3 e = cairn_normalize(cairn_sub(rod->hull->vertices[cairn_hull_end(rod->hull, edge)], v));
    CairnVec3 d = cairn_add_scaled(rod->d, -cairn_dot(rod->d, e), e), w = cairn_sub(v, rod->p);
    double squared = cairn_length_squared(d);
    return squared > 0 ? cairn_clamp(cairn_dot(w, d) / squared, 0, 1) : 0.5;
}

static double lowest_of(const CairnManifoldPoint *points, int count, double radius) {
    return count > 0 ? cairn_min(points[0].distance, points[count - 1].distance) + radius : HUGE_VAL;
}

// Another face as high as `height` to a tie, whose points go as deep; -1: none.
static int equal_face(const Rod *rod, int face, double height, CairnManifoldPoint points[2]) {
    for (int f = 0; f < rod->hull->face_count; ++f) {
        CairnVec3 n = rod->hull->normals[f];
        double lower = cairn_min(cairn_dot(n, rod->p), cairn_dot(n, rod->q)) - rod->hull->offsets[f];
        if (f != face && lower >= height - rod->tie &&
            lowest_of(points, face_points(rod, f, points), rod->radius) <= lower + rod->tie) {
            return f;
        }
    }
    return -1;
}

static int inside(const Rod *rod, int face, double height, CairnVec3 *normal, CairnManifoldPoint points[2]) {
    double separation;
    CairnVec3 cross = *normal;
    int edge = best_edge(rod, &separation, &cross);
    if (edge < 0 || separation <= height + rod->tie) {
        int count = face_points(rod, face, points);
        if (lowest_of(points, count, rod->radius) <= height + rod->tie) {
            return count;
        }
        if (edge >= 0 && separation >= height - 2 * rod->tie) { // its end is past the border, by what a tie leaves open
            *normal = cross;
            return add_point(rod, crossing(rod, edge), separation, cross, side_name, cairn_name_edge(edge), points, 0);
        }
        // Of faces that tie, the rod's end may be over another one.
        int other = equal_face(rod, face, height, points);
        if (other >= 0) {
            *normal = rod->hull->normals[other];
            return face_points(rod, other, points);
        }
        count = face_points(rod, face, points);
        if (count > 0) {
            return count;
        }
        double z = cairn_dot(*normal, rod->p) - rod->hull->offsets[face]; // only rounding leads here
        int end = z <= height ? 0 : 1;
        return add_point(rod, end, height, *normal, end_name(end), cairn_name_face(face), points, 0);
    }
    *normal = cross;
    return add_point(rod, crossing(rod, edge), separation, cross, side_name, cairn_name_edge(edge), points, 0);
}

static int outside(const Rod *rod, const CairnNearest *nearest, CairnVec3 *normal, CairnManifoldPoint points[2]) {
    int a[3], b[3];
    *normal = nearest->normal;
    for (int i = 0; i < nearest->count; ++i) {
        a[i] = nearest->points[i].vertex_a;
        b[i] = nearest->points[i].vertex_b;
    }
    int edge = parallel_edge(rod, a[0], *normal);
    int count = edge >= 0 ? along_edge(rod, edge, *normal, points) : 0;
    if (count > 0) {
        return count;
    }
    double t = cairn_dot(cairn_sub(nearest->on_b, rod->p), rod->d) / (rod->length * rod->length);
    return add_point(rod, cairn_clamp(t, 0, 1), nearest->distance, *normal,
                     cairn_name_of_simplex(NULL, b, nearest->count),
                     cairn_name_of_simplex(rod->hull, a, nearest->count), points, 0);
}

int cairn_rod_hull(CairnVec3 p, CairnVec3 q, double radius, const CairnHull *hull, double margin, CairnVec3 *normal,
                   CairnManifoldPoint points[2]) {
    Rod rod = {p, q, cairn_sub(q, p), radius, cairn_length(cairn_sub(q, p)), 0, margin, hull};
    rod.tie = CAIRN_TIE * cairn_min(hull->size, radius + rod.length);
    double height = -HUGE_VAL;
    int face = 0;
    for (int f = 0; f < hull->face_count; ++f) {
        CairnVec3 n = hull->normals[f];
        double lower = cairn_min(cairn_dot(n, p), cairn_dot(n, q)) - hull->offsets[f];
        if (lower > height + rod.tie) {
            height = lower;
            face = f;
        }
    }
    if (!(height - radius < margin)) {
        return 0;
    }
    *normal = hull->normals[face];
    if (height <= 0) { // an edge may part them where no face does
        double separation;
        CairnVec3 cross;
        if (best_edge(&rod, &separation, &cross) < 0 || separation <= 0) {
            return inside(&rod, face, height, normal, points);
        }
    }
    CairnVec3 middle = cairn_scale(0.5, cairn_add(p, q));
    CairnConvex a = convex_of(hull);
    CairnConvex b = {
        .type = CAIRN_SHAPE_CAPSULE, .half = {0, 0, 0.5 * rod.length}, .p = middle, .size = 0.5 * rod.length};
    b.r = cairn_mat3_of_quat(cairn_quat_between((CairnVec3){0, 0, 1}, cairn_normalize(rod.d)));
    CairnNearest nearest;
    cairn_gjk(&a, &b, radius + margin, &nearest);
    if (nearest.is_beyond) {
        return 0;
    }
    if (nearest.is_touching) {
        return inside(&rod, face, height, normal, points);
    }
    if (nearest.distance <= height + rod.tie) {
        int count = face_points(&rod, face, points);
        if (lowest_of(points, count, radius) <= nearest.distance + rod.tie) {
            return count;
        }
    }
    return outside(&rod, &nearest, normal, points);
}
