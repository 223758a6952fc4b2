// A box as box-box collision sees it, and the names of its vertices, edges and faces.
//
// Vertex v (0 ... 7) lies on the positive side of axis i where bit i of v is set. Face 2 i + s lies across axis i, on
// the negative side where s is 1. Edge 4 k + s + 2 t runs along axis k, on the side s of axis k + 1 and t of axis k + 2
// (mod 3; 1 is positive).
//
// A contact of two boxes is named by the two features that meet, whichever face served as the reference: so an id
// changes when other features meet and not when the reference does.
#ifndef CAIRN_COLLISION_BOX_FRAME_H
#define CAIRN_COLLISION_BOX_FRAME_H

#include "collision/collision.h"

typedef struct CairnBoxFrame {
    CairnVec3 center; // relative to the first box of the pair: digits far from the origin are not lost
    CairnVec3 axis[3];
    double half[3];
} CairnBoxFrame;

typedef enum CairnBoxFeature { CAIRN_FEATURE_VERTEX = 1, CAIRN_FEATURE_EDGE, CAIRN_FEATURE_FACE } CairnBoxFeature;

static inline uint32_t cairn_box_vertex(unsigned signs) {
    return (uint32_t)CAIRN_FEATURE_VERTEX << 4 | signs;
}

static inline uint32_t cairn_box_edge(int axis, unsigned signs) {
    unsigned first = signs >> (axis + 1) % 3 & 1u, second = signs >> (axis + 2) % 3 & 1u;
    return (uint32_t)CAIRN_FEATURE_EDGE << 4 | ((unsigned)axis * 4u + first + 2u * second);
}

static inline uint32_t cairn_box_face(int axis, bool is_negative) {
    return (uint32_t)CAIRN_FEATURE_FACE << 4 | ((unsigned)axis * 2u + (is_negative ? 1u : 0u));
}

// A feature of the first box and one of the second.
static inline uint32_t cairn_box_features(uint32_t first, uint32_t second) {
    return first << 8 | second;
}

static inline uint32_t cairn_box_features_swapped(uint32_t features) {
    return (features & 0xffu) << 8 | features >> 8;
}

static inline CairnVec3 cairn_box_point(const CairnBoxFrame *box, double x, double y, double z) {
    CairnVec3 p = cairn_add_scaled(box->center, x, box->axis[0]);
    return cairn_add_scaled(cairn_add_scaled(p, y, box->axis[1]), z, box->axis[2]);
}

static inline CairnVec3 cairn_box_corner(const CairnBoxFrame *box, unsigned signs) {
    return cairn_box_point(box, signs & 1u ? box->half[0] : -box->half[0], signs & 2u ? box->half[1] : -box->half[1],
                           signs & 4u ? box->half[2] : -box->half[2]);
}

// The corner farthest along a direction.
static inline unsigned cairn_box_support(const CairnBoxFrame *box, CairnVec3 direction) {
    return (cairn_dot(direction, box->axis[0]) > 0 ? 1u : 0u) | (cairn_dot(direction, box->axis[1]) > 0 ? 2u : 0u) |
           (cairn_dot(direction, box->axis[2]) > 0 ? 4u : 0u);
}

// Edges whose angle has less than this squared sine (1e-4 rad) have no usable cross product: the normals of the faces
// are used instead.
#define CAIRN_PARALLEL_EDGES 1e-8

static inline bool cairn_box_edges_parallel(CairnVec3 a, CairnVec3 b) {
    return cairn_length_squared(cairn_cross(a, b)) < CAIRN_PARALLEL_EDGES;
}

// Nearest points p + s a, q + t b of two lines with unit directions: q + t b - p - s a is perpendicular to both.
static inline void cairn_line_line(CairnVec3 p, CairnVec3 a, CairnVec3 q, CairnVec3 b, double *s, double *t) {
    CairnVec3 r = cairn_sub(q, p);
    double c = cairn_dot(a, b), ra = cairn_dot(r, a), rb = cairn_dot(r, b);
    double sine_squared = cairn_length_squared(cairn_cross(a, b)); // 1 - c^2 without its cancellation
    *s = (ra - c * rb) / sine_squared;
    *t = (c * ra - rb) / sine_squared;
}

// Two boxes in each other's axes: r[i][j] = a_i . b_j, and the vector from first to second along the axes of either.
typedef struct CairnBoxRelation {
    double r[3][3], abs_r[3][3];
    double along_first[3], along_second[3];
} CairnBoxRelation;

typedef struct CairnBoxAxis {
    CairnVec3 normal; // from first to second
    double separation;
    int i, j; // face of the first: j = -1; face of the second: i = -1; else edges along axes i and j
} CairnBoxAxis;

// The origin is the first box's centre. An axis must beat an earlier one by `tie`.
CairnBoxRelation cairn_box_relation(const CairnBoxFrame *first, const CairnBoxFrame *second);
CairnBoxAxis cairn_box_best_face(const CairnBoxFrame *first, const CairnBoxFrame *second,
                                 const CairnBoxRelation *relation, double tie);
// Separation is -infinity where all edges are parallel.
CairnBoxAxis cairn_box_best_edges(const CairnBoxFrame *first, const CairnBoxFrame *second,
                                  const CairnBoxRelation *relation, double tie);

enum { CAIRN_CLIP_POINTS = 16 };

// Clip the incident box's face that looks at face `axis` (negative where is_negative) of the reference box against that
// face, nearer than margin. Points are relative to the frames' origin; features are (reference, incident). Returns how
// many.
int cairn_box_clip(const CairnBoxFrame *reference, const CairnBoxFrame *incident, int axis, bool is_negative,
                   double margin, CairnManifoldPoint points[CAIRN_CLIP_POINTS]);

// Keep at most four points that span the contact: sorted by feature, so that the choice does not depend on their order.
int cairn_box_reduce(CairnManifoldPoint *points, int count, CairnVec3 normal);

// The same for points that are not equally deep: the at most four that span the most, and the deepest one where it is
// deeper than these. What lies on them tips over none of their sides.
int cairn_box_span(CairnManifoldPoint *points, int count, CairnVec3 normal);

double cairn_box_lowest(const CairnManifoldPoint *points, int count);

// Where a face replaces a direction within 1.8 degrees of its normal, or one that ties with it, its points are shifted
// along the normal so that the deepest has the depth of that direction. False: the shift is larger than such a face
// explains, so it is a different contact.
bool cairn_box_shift_depths(CairnManifoldPoint *points, int count, double depth, double tie);

// Those nearer than the margin, which settling may have moved some beyond: how many they are.
int cairn_box_nearer(CairnManifoldPoint *points, int count, double margin);

// The nearest points of two disjoint boxes: their distance, the direction from the first to the second (kept where they
// touch) and the point midway.
double cairn_box_apart(const CairnBoxFrame *first, const CairnBoxFrame *second, CairnVec3 *normal,
                       CairnManifoldPoint *point);

#endif
