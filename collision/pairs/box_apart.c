// The nearest points of two boxes that are apart and do not face each other: corner to corner, corner to edge, edge
// across edge.
//
// The axis of largest separation then falls short of the distance, and clipping finds nothing. The nearest points of
// two disjoint convex polyhedra include a vertex of one of them, or lie within two edges: all are tried, which is exact
// and simple, and rare enough (neighbours within the margin, seen across a corner) not to matter.
#include "collision/pairs/box_frame.h"

// A candidate must be nearer by this fraction of the distance: of equally near features the earlier one stays.
#define NEARER 1e-9

typedef struct Nearest {
    CairnVec3 p, q; // on the first and on the second box
    double squared;
    uint32_t features;
} Nearest;

static void offer(Nearest *nearest, CairnVec3 p, CairnVec3 q, uint32_t feature_p, uint32_t feature_q) {
    double squared = cairn_length_squared(cairn_sub(q, p));
    if (squared < nearest->squared * (1.0 - 2.0 * NEARER)) {
        *nearest = (Nearest){p, q, squared, cairn_box_features(feature_p, feature_q)};
    }
}

// The point of the box nearest to q, and the feature that it lies on: as many axes as q lies beyond make a face, an
// edge or a vertex.
static CairnVec3 nearest_on_box(const CairnBoxFrame *box, CairnVec3 q, uint32_t *feature) {
    CairnVec3 d = cairn_sub(q, box->center);
    double x[3];
    int beyond_count = 0, beyond_axis = 0, within_axis = 0;
    unsigned signs = 0;
    for (int i = 0; i < 3; ++i) {
        double along = cairn_dot(d, box->axis[i]);
        x[i] = cairn_clamp(along, -box->half[i], box->half[i]);
        if (x[i] == along) {
            within_axis = i;
        } else {
            ++beyond_count;
            beyond_axis = i;
            signs |= x[i] > 0 ? 1u << i : 0u;
        }
    }
    *feature = beyond_count == 3   ? cairn_box_vertex(signs)
               : beyond_count == 2 ? cairn_box_edge(within_axis, signs)
                                   : cairn_box_face(beyond_axis, signs == 0);
    return cairn_box_point(box, x[0], x[1], x[2]);
}

static void offer_vertices(Nearest *nearest, const CairnBoxFrame *first, const CairnBoxFrame *second) {
    for (unsigned k = 0; k < 8; ++k) {
        uint32_t feature;
        CairnVec3 q = cairn_box_corner(second, k), p = nearest_on_box(first, q, &feature);
        offer(nearest, p, q, feature, cairn_box_vertex(k));
    }
    for (unsigned k = 0; k < 8; ++k) {
        uint32_t feature;
        CairnVec3 p = cairn_box_corner(first, k), q = nearest_on_box(second, p, &feature);
        offer(nearest, p, q, cairn_box_vertex(k), feature);
    }
}

// The middle of edge `k` (0 ... 3) along an axis; `signs` are those of its lower vertex.
static CairnVec3 edge_middle(const CairnBoxFrame *box, int axis, unsigned k, unsigned *signs) {
    *signs = (k & 1u) << (axis + 1) % 3 | (k >> 1 & 1u) << (axis + 2) % 3;
    return cairn_add_scaled(cairn_box_corner(box, *signs), box->half[axis], box->axis[axis]);
}

static void offer_edges(Nearest *nearest, const CairnBoxFrame *first, const CairnBoxFrame *second, int i, int j) {
    for (unsigned k = 0; k < 16; ++k) {
        unsigned signs_1, signs_2;
        CairnVec3 p = edge_middle(first, i, k & 3u, &signs_1), q = edge_middle(second, j, k >> 2, &signs_2);
        double s, t;
        cairn_line_line(p, first->axis[i], q, second->axis[j], &s, &t);
        if (fabs(s) < first->half[i] && fabs(t) < second->half[j]) {
            offer(nearest, cairn_add_scaled(p, s, first->axis[i]), cairn_add_scaled(q, t, second->axis[j]),
                  cairn_box_edge(i, signs_1), cairn_box_edge(j, signs_2));
        }
    }
}

double cairn_box_apart(const CairnBoxFrame *first, const CairnBoxFrame *second, CairnVec3 *normal,
                       CairnManifoldPoint *point) {
    Nearest nearest = {.squared = HUGE_VAL};
    offer_vertices(&nearest, first, second);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            if (!cairn_box_edges_parallel(first->axis[i], second->axis[j])) {
                offer_edges(&nearest, first, second, i, j);
            }
        }
    }
    double distance = sqrt(nearest.squared);
    *normal = cairn_normalize_or(cairn_sub(nearest.q, nearest.p), *normal);
    *point = (CairnManifoldPoint){cairn_scale(0.5, cairn_add(nearest.p, nearest.q)), distance, nearest.features};
    return distance;
}
