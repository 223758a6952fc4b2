// Convex hull: vertices, polygons and half-edges.
//
// Half-edges 2 k and 2 k + 1 are the two sides of edge k. A half-edge runs counter-clockwise round its face, seen from
// outside. Planes are n . x <= offset for every vertex (not only nearly: the offset is the largest n . x).
#ifndef CAIRN_COLLISION_HULL_H
#define CAIRN_COLLISION_HULL_H

#include "collision/collision.h"

enum { CAIRN_HULL_VERTICES = 256, CAIRN_HULL_EDGES = 3 * CAIRN_HULL_VERTICES };

typedef struct CairnHullEdge {
    uint16_t origin, face, next; // its twin is this index ^ 1
} CairnHullEdge;

typedef struct CairnHull {
    int vertex_count, half_edge_count, face_count;
    const CairnVec3 *vertices;
    const CairnVec3 *normals; // of the faces, unit, outwards
    const double *offsets;    // of the faces
    const CairnHullEdge *edges;
    const uint16_t *face_edges;   // a half-edge of each face
    const uint16_t *vertex_edges; // a half-edge that starts at each vertex
    CairnVec3 center;             // a point well inside
    double size;                  // largest distance of a vertex from it
    double volume;
    CairnVec3 mass_center;
    CairnMat3 inertia; // about the centre of mass, for density 1
    size_t bytes;      // of the block that holds all of it; 0: nothing was allocated
} CairnHull;

// The convex hull of points: vertices in the order given, coplanar faces merged, points inside or within rounding of a
// plane or an edge left out. Building it again from its own vertices gives the same bits. Refused: fewer than 4 points,
// a coordinate that is not finite, all points at one position, in one line or in one plane, more than
// CAIRN_HULL_VERTICES vertices.
CairnStatus cairn_hull_build(const CairnVec3 *points, int count, const CairnAllocator *allocator, CairnHull **hull);
void cairn_hull_free(CairnHull *hull, const CairnAllocator *allocator);

// The vertex farthest along a direction; the search may start at any vertex, best at the last answer.
int cairn_hull_support(const CairnHull *hull, CairnVec3 direction, int start);

// A box as a hull: all boxes have one topology in common, and each has its own numbers. Vertex v lies on the positive
// side of axis i where bit i is set.
typedef struct CairnBoxHull {
    CairnHull hull;
    CairnVec3 vertices[8], normals[6];
    double offsets[6];
} CairnBoxHull;

void cairn_hull_of_box(CairnBoxHull *box, CairnVec3 half);

static inline int cairn_hull_end(const CairnHull *hull, int edge) {
    return hull->edges[edge ^ 1].origin;
}

// ---- inside the builder ----

// Is d strictly on the outer side of the triangle a, b, c (counter-clockwise from outside)? Exact: 1 outside, -1
// inside, 0 in its plane.
int cairn_orient(CairnVec3 a, CairnVec3 b, CairnVec3 c, CairnVec3 d);

typedef struct CairnHullTriangle {
    int v[3], neighbor[3]; // neighbour i lies across the edge from v[i] to v[i + 1]
    CairnVec3 normal;
    double offset;
    int first_point;     // of the list of points that see this triangle; -1: none
    int farthest;        // of them
    double far_distance; // of that
    int mark, next_free;
    bool is_alive;
} CairnHullTriangle;

// The hull's triangles (dead ones among them), to be released by cairn_memory_release with their capacity. `extent`:
// the largest side of the points' box.
CairnStatus cairn_hull_triangulate(const CairnVec3 *points, int count, const CairnAllocator *allocator,
                                   CairnHullTriangle **triangles, int *triangle_count, int *capacity, double *extent);

#endif
