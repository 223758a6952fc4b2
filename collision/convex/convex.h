// Convex shapes through their support functions alone: distance by GJK, overlap by an expanding polytope.
//
// A ball is its centre and a capsule its segment, with `rounding` kept apart: while such cores are disjoint, distances
// of round shapes are exact.
#ifndef CAIRN_COLLISION_CONVEX_H
#define CAIRN_COLLISION_CONVEX_H

#include "collision/shapes/hull.h"

typedef struct CairnConvex {
    CairnShapeType type; // what the core is: sphere a point, capsule a segment, else the shape itself
    const CairnHull *hull;
    CairnVec3 half; // box; cylinder: radius, radius, half height; capsule: 0, 0, half height
    double rounding;
    CairnMat3 r; // core frame to common frame
    CairnVec3 p;
    double size; // no point of the core is farther from p
    int hint;    // a hull's last support vertex
} CairnConvex;

// A point of the core of A less a point of the core of B, and which they are (vertices of hulls and boxes, ends of
// segments; the cylinder has none and gives 0).
typedef struct CairnSupportPoint {
    CairnVec3 w, a, b;
    int vertex_a, vertex_b;
} CairnSupportPoint;

typedef struct CairnNearest {
    double distance;      // of the cores
    double low;           // a lower bound of it: the gap along the normal
    bool is_touching;     // they overlap, or are so near that no direction is sure: the rest is unset
    bool is_beyond;       // they are farther apart than the limit: distance is a lower bound, the rest is unset
    CairnVec3 normal;     // from A to B, unit
    CairnVec3 on_a, on_b; // the nearest points
    int count;            // of the points that span the nearest features
    CairnSupportPoint points[3];
} CairnNearest;

CairnConvex cairn_convex(const CairnGeometry *geometry, CairnMat3 r, CairnVec3 p);
CairnVec3 cairn_convex_support(CairnConvex *convex, CairnVec3 direction, int *vertex);

// The nearest points of the cores of a and b. The search ends when they are known to be farther apart than `limit`.
void cairn_gjk(CairnConvex *a, CairnConvex *b, double limit, CairnNearest *nearest);

// Not how far apart the shapes are, but a direction and the gap along it, which falls short of the distance by a
// fraction `known` of it at most: a few steps of the search. `limit`: the gap is that or more. False: they overlap or
// touch.
bool cairn_gjk_apart(CairnConvex *a, CairnConvex *b, double limit, double known, CairnVec3 *normal, double *gap);

// The direction of least overlap of the cores: the normal from A to B, and its gap (negative: minus the overlap). Where
// they are apart it is the direction of a positive gap.
double cairn_epa(CairnConvex *a, CairnConvex *b, CairnVec3 *normal);

// max over A of n . x + max over B of -n . x: the overlap of the cores along n.
double cairn_convex_overlap(CairnConvex *a, CairnConvex *b, CairnVec3 normal);

// The point of a triangle, segment or point (count 3, 2, 1) nearest to the origin: its weights, 0 for what it does not
// lie on.
void cairn_simplex_weights(const CairnSupportPoint *points, int count, double weights[3]);

#endif
