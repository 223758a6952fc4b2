// Functions for all collisions of polyhedra: hulls in one frame, separating axes, clipped faces.
//
// A contact is named by the feature of either hull that meets there, whichever face served as the reference.
#ifndef CAIRN_COLLISION_HULL_PAIR_H
#define CAIRN_COLLISION_HULL_PAIR_H

#include "collision/convex/convex.h"

typedef struct CairnHullFrame {
    const CairnHull *hull;
    CairnMat3 r; // to the common frame
    CairnVec3 p;
} CairnHullFrame;

static inline CairnVec3 cairn_frame_vertex(const CairnHullFrame *f, int v) {
    return cairn_add(f->p, cairn_mat3_mul(f->r, f->hull->vertices[v]));
}

static inline CairnVec3 cairn_frame_normal(const CairnHullFrame *f, int face) {
    return cairn_mat3_mul(f->r, f->hull->normals[face]);
}

// ---- names ----

static inline uint32_t cairn_name_vertex(int v) {
    return 0x4000u | (uint32_t)v;
}

static inline uint32_t cairn_name_edge(int half_edge) {
    return 0x8000u | (uint32_t)(half_edge >> 1);
}

static inline uint32_t cairn_name_face(int f) {
    return 0xc000u | (uint32_t)f;
}

static inline uint32_t cairn_names(uint32_t first, uint32_t second) {
    return first << 16 | second;
}

static inline uint32_t cairn_names_swapped(uint32_t names) {
    return names << 16 | names >> 16;
}

// The name of what the points of a simplex span: a vertex, an edge or a face of a hull (or a box, a segment).
uint32_t cairn_name_of_simplex(const CairnHull *hull, const int *vertices, int count);

// ---- separating axes ----

// Of axes and points that tie up to this fraction of the size the earlier one is kept, so that rounding does not change
// the choice.
#define CAIRN_TIE 1e-6
// A direction within 1.8 degrees (cosine) of a face's normal is replaced by it: the clipped face represents the same
// contact with the same depth to 0.05 %, and supports with up to four points where edges would with one.
#define CAIRN_LIKE_FACE 0.9995

typedef struct CairnHullAxis {
    CairnVec3 normal; // from first to second
    double separation;
    int i, j; // face of the first: j = -1; face of the second: i = -1; else half-edges of either
} CairnHullAxis;

CairnHullAxis cairn_hull_best_face(const CairnHullFrame *first, const CairnHullFrame *second, double tie);
// Where the hulls overlap by `face`: the pair of edges of least overlap, if it can be less than that of `face`.
// Separation is -infinity where there is none.
CairnHullAxis cairn_hull_best_edges(const CairnHullFrame *first, const CairnHullFrame *second,
                                    const CairnHullAxis *face, double tie);

// ---- clipping ----

enum { CAIRN_POLYGON_POINTS = CAIRN_HULL_VERTICES, CAIRN_CLIPPED_POINTS = 4 * CAIRN_POLYGON_POINTS };

typedef struct CairnPolygon {
    int count;
    CairnVec3 p[CAIRN_POLYGON_POINTS];     // counter-clockwise from outside, common frame
    CairnVec3 side[CAIRN_POLYGON_POINTS];  // out across edge i, unit, in the plane
    uint16_t vertex[CAIRN_POLYGON_POINTS]; // names; edge[i] runs from i to i + 1
    uint16_t edge[CAIRN_POLYGON_POINTS];
    uint16_t face;
    CairnVec3 normal;
} CairnPolygon;

void cairn_polygon_of_face(const CairnHullFrame *frame, int face, CairnPolygon *polygon);
// The face of the hull that looks most along a direction (common frame); ties to rounding go to the earlier one.
int cairn_hull_facing(const CairnHullFrame *frame, CairnVec3 direction);

// The intersection of two faces along the reference's normal, nearer than margin. Points lie midway between the faces;
// names are (reference, incident). Returns how many.
int cairn_polygon_clip(const CairnPolygon *reference, const CairnPolygon *incident, double margin,
                       CairnManifoldPoint points[CAIRN_CLIPPED_POINTS]);

// The part [t0, t1] of the segment from p to q (0 at p, 1 at q) over the polygon, and the names of the edges that cut
// it (0 where the segment ends inside). Ends within `rim` outside count as inside. False: nothing remains.
bool cairn_polygon_cut(const CairnPolygon *polygon, CairnVec3 p, CairnVec3 q, double rim, double t[2],
                       uint32_t names[2]);

// Fraction of a face's size within which a point outside counts as inside: edges that coincide, as in a stack, do so in
// every step.
#define CAIRN_RIM 1e-5
bool cairn_polygon_is_over(const CairnPolygon *polygon, CairnVec3 point, double rim);
double cairn_polygon_size(const CairnPolygon *polygon); // square root of its area

// ---- pairs in the frame of the first ----

// Hull against hull (boxes are hulls too). Points are relative to the common frame.
int cairn_hull_hull(const CairnHullFrame *first, const CairnHullFrame *second, double margin, CairnVec3 *normal,
                    CairnManifoldPoint points[CAIRN_CLIPPED_POINTS]);

// A capsule's segment or a ball's centre against a hull, everything in the hull's frame; normal from the hull to the
// round shape. Names: a ball's is that of sphere against box; a capsule's (its end or side, the hull's feature).
int cairn_ball_hull(CairnVec3 center, double radius, const CairnHull *hull, double margin, CairnVec3 *normal,
                    CairnManifoldPoint points[2]);
int cairn_rod_hull(CairnVec3 p, CairnVec3 q, double radius, const CairnHull *hull, double margin, CairnVec3 *normal,
                   CairnManifoldPoint points[2]);

#endif
