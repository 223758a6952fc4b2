// Collision: shapes in, pairs and manifolds out. Knows nothing of bodies, worlds or solvers.
//
// shape_*.c   what a type of shape is (shape_kind.h)            geometry.c  their table; box, mass, reach, ray of any shape
// broad*.c    boxes -> overlapping pairs (sweep-and-prune, described in broad.h)
// box_tree.*  a tree of boxes, for queries
// narrow.c    the table of pair functions                      pair_*.c  one file per pair of shape types
// mesh_*.c    triangle meshes (mesh.h): building, tree, contact (several manifolds a pair), sweep
// box_*.c     the steps of box against box: separating axes, clipped faces, reduction to four points, corner to corner
#ifndef CAIRN_COLLISION_H
#define CAIRN_COLLISION_H

#include "engine/base/arena.h"
#include <cairn/shapes.h>
#include <cairn/status.h>
#include <stdint.h>

typedef struct CairnAabb {
    CairnVec3 low, high;
} CairnAabb;

// Touching counts.
static inline bool cairn_aabbs_meet(const CairnAabb *a, const CairnAabb *b) {
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y &&
           a->low.z <= b->high.z && b->low.z <= a->high.z;
}

// A shape as collision sees it: size and its pose in the body's frame.
typedef struct CairnGeometry {
    CairnShapeType type;
    double radius;                // sphere, cylinder, capsule
    double half_height;           // cylinder, capsule: half the length of its axis
    CairnVec3 half;               // box: half edge lengths
    struct CairnHull *hull;       // hull: its corners, faces and edges (hull.h)
    struct CairnSurface *surface; // mesh: its triangles (mesh.h)
    CairnTransform local;
    bool is_unbounded; // half-space: no box, tested against everything
    bool is_massless;  // half-space, mesh: no dynamic body can be made of it
} CairnGeometry;

enum { CAIRN_MANIFOLD_POINTS = 8, CAIRN_MANIFOLDS = 48 };

typedef struct CairnManifoldPoint {
    CairnVec3 point;  // midway between the two surfaces, world
    double distance;  // signed along the normal: negative is overlap
    uint32_t feature; // the same while the touching features are the same
} CairnManifoldPoint;

typedef struct CairnManifold {
    CairnVec3 normal; // from A to B, unit
    int count;
    uint32_t patch; // names the flat, edge or corner of a mesh that touches; 0 without a mesh
    CairnManifoldPoint points[CAIRN_MANIFOLD_POINTS];
} CairnManifold;

typedef struct CairnPair {
    int a, b; // a < b: indices of the boxes given
} CairnPair;

// The order that pairs and their contacts stand in: below 0, 0 or above.
static inline int cairn_pair_compare(CairnPair x, CairnPair y) {
    return x.a != y.a ? (x.a < y.a ? -1 : 1) : x.b != y.b ? (x.b < y.b ? -1 : 1) : 0;
}

// ---- shapes ----

// Checks what a type requires of a definition beyond the ranges of its fields. cairn_shape_check calls it.
CairnStatus cairn_shape_check_kind(const CairnShapeDef *def);
// From a checked definition. Free what it allocated with the same allocator.
CairnStatus cairn_geometry_make(const CairnShapeDef *def, const CairnAllocator *allocator, CairnGeometry *geometry);
void cairn_geometry_free(CairnGeometry *geometry, const CairnAllocator *allocator);
// Makes the arrays of the definition those that the geometry owns.
void cairn_geometry_copy_points(const CairnGeometry *geometry, CairnShapeDef *def);
// Pose of the shape in the world; an unbounded shape's box is infinite.
CairnAabb cairn_geometry_box(const CairnGeometry *geometry, CairnTransform pose);
// In the body's frame; zero for half-spaces.
CairnMassProperties cairn_geometry_mass(const CairnGeometry *geometry, double density);
// Farthest distance of any point of the shape from `point` (body's frame): bounds how fast its surface moves when it
// turns. Half-spaces have no farthest point and answer 1e9.
double cairn_geometry_reach(const CairnGeometry *geometry, CairnVec3 point);
// True: the shape is convex and bounded, so it has a support function, which returns its farthest point along a
// direction, world.
bool cairn_geometry_is_convex(const CairnGeometry *geometry);
CairnVec3 cairn_geometry_support(const CairnGeometry *geometry, CairnTransform pose, CairnVec3 direction);
// The direction is of unit length; a ray that starts inside does not hit.
bool cairn_geometry_ray(const CairnGeometry *geometry, CairnTransform pose, CairnVec3 origin, CairnVec3 direction,
                        double max_distance, double *distance, CairnVec3 *normal);

// ---- broad phase ----

// The sorted boxes of the last call. They speed up the next call, and they never change its result.
typedef struct CairnBroad {
    const CairnAllocator *allocator;
    struct CairnBroadState *state; // broad.c's; NULL before the first call
} CairnBroad;

void cairn_broad_init(CairnBroad *broad, const CairnAllocator *allocator);
void cairn_broad_free(CairnBroad *broad);

typedef enum CairnBoxKind {
    CAIRN_BOX_ABSENT = 0, // a free slot: ignored
    CAIRN_BOX_FIXED, // paired with moving ones only; costs next to nothing while it stays as it is (static, sleeping)
    CAIRN_BOX_MOVING,
    CAIRN_BOX_DRIVEN // paired with moving ones only, but moves itself (kinematic)
} CairnBoxKind;

// All pairs of overlapping (touching counts) boxes of which at least one is MOVING, and whose `owner` (body) differs,
// sorted by (a, b), in memory of the arena: the same for any number of threads. Infinite boxes pair with every moving
// one.
CairnStatus cairn_broad_pairs(CairnBroad *broad, const CairnAabb *boxes, const uint8_t *kinds, const int *owners,
                              int count, int thread_count, CairnArena *arena, CairnPair **pairs, int *pair_count,
                              int *overlap_tests);

// ---- narrow phase ----

// Contact points of two shapes nearer than `margin`; poses are those of the shapes (not of their bodies). count 0:
// none.
void cairn_narrow(const CairnGeometry *a, CairnTransform pose_a, const CairnGeometry *b, CairnTransform pose_b,
                  double margin, CairnManifold *manifold);

// All manifolds of a pair: two convex shapes have at most one, a mesh has one for each of its faces, edges and corners
// that is met, at most CAIRN_MANIFOLDS (the deepest). Returns how many; `manifolds` has room for CAIRN_MANIFOLDS.
// cairn_narrow gives the deepest.
int cairn_narrow_manifolds(const CairnGeometry *a, CairnTransform pose_a, const CairnGeometry *b, CairnTransform pose_b,
                           double margin, CairnManifold *manifolds);

#endif
