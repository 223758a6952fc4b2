// Triangle mesh: triangles, what they adjoin, and the tree that finds them.
//
// Counter-clockwise corners look out: a surface is solid behind and collides from the front only. Points at the same
// position are one corner, whatever their index. Neighbours in one plane form a flat; the edges within it (seams) are
// no features, so that they do not disturb a body that slides over them.
#ifndef CAIRN_COLLISION_MESH_H
#define CAIRN_COLLISION_MESH_H

#include "collision/collision.h"

typedef enum CairnEdgeKind {
    CAIRN_EDGE_SEAM = 0, // between two triangles of one flat
    CAIRN_EDGE_CONCAVE,  // a valley: what is near to it is as near to its faces
    CAIRN_EDGE_CONVEX,   // a ridge
    CAIRN_EDGE_OPEN      // the surface ends here, or more than two triangles meet, or the normals of two are opposite
} CairnEdgeKind;

typedef struct CairnFacet {
    int v[3];        // corners
    int neighbor[3]; // across the edge from v[i] to v[i + 1]; -1: none
    int edge[3];     // the same number from both sides
    uint8_t kind[3]; // CairnEdgeKind
    int flat;
} CairnFacet;

typedef struct CairnFlat {
    CairnVec3 normal; // the plane is normal . x = offset
    double offset;
} CairnFlat;

// A box of the tree. Nodes lie in an array, the root first.
typedef struct CairnMeshNode {
    CairnAabb box;
    int first; // a leaf's first index in `order`, an inner node's first child (the second lies behind it)
    int count; // of a leaf's triangles; 0: an inner node
} CairnMeshNode;

typedef struct CairnSurface {
    int point_count, triangle_count, flat_count, edge_count, node_count;
    CairnVec3 *points; // as given, and so are the indices
    int *indices;
    CairnFacet *facets;
    CairnFlat *flats;
    CairnVec3 *corner_normals; // sum of the normals about a corner, weighted by angle: it distinguishes front and back
    bool *stands_out; // does a ridge or the surface's end lead to this corner? Else nothing is nearest to it alone
    int *rings;       // the edges about corner v lead to ring_ends[rings[v] ... rings[v + 1] - 1]
    int *ring_ends;
    CairnMeshNode *nodes;
    int *order;    // triangles in the order of the leaves
    size_t bytes;  // of the one block that holds all arrays
    double extent; // the largest coordinate's size
} CairnSurface;

enum { CAIRN_MESH_TRIANGLES = 1 << 26, CAIRN_MESH_LEAF = 4 };

// Refused: a coordinate or an index out of range, a triangle without area. The message names the triangle.
CairnStatus cairn_surface_check(const CairnShapeDef *def);
// From a checked definition.
CairnStatus cairn_surface_make(const CairnShapeDef *def, const CairnAllocator *allocator, CairnSurface **surface);
void cairn_surface_free(CairnSurface *surface, const CairnAllocator *allocator);

// ---- the tree ----

// Split at the median until CAIRN_MESH_LEAF triangles are left. `nodes` has room for 2 triangle_count.
void cairn_surface_build_tree(CairnSurface *surface);
CairnAabb cairn_surface_triangle_box(const CairnSurface *surface, int triangle);

typedef struct CairnMeshWalk {
    const CairnSurface *surface;
    CairnAabb box;
    int stack[64], height;
    int at, end; // indices in `order` of the current leaf
} CairnMeshWalk;

// The triangles whose boxes meet a box (touching counts), one after the other, always in the same order; -1 at the end.
void cairn_mesh_walk_begin(const CairnSurface *surface, CairnAabb box, CairnMeshWalk *walk);
int cairn_mesh_walk_next(CairnMeshWalk *walk);

// The first front face that a ray meets. No ray passes between neighbours.
bool cairn_surface_ray(const CairnSurface *surface, CairnVec3 origin, CairnVec3 direction, double *distance,
                       CairnVec3 *normal, int *triangle);

// ---- contact ----

// A convex shape against a mesh: a manifold for each flat, edge or corner that is met, normals from the mesh to the
// shape. Returns how many; where there are more than `capacity`, the deepest ones.
int cairn_mesh_convex(const CairnGeometry *mesh, CairnTransform pose_mesh, const CairnGeometry *convex,
                      CairnTransform pose_convex, double margin, CairnManifold *manifolds, int capacity);

#endif
