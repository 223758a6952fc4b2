// A convex shape for contact with a mesh: in the axes of the mesh, with the position of the shape as the origin, so
// that no digits are lost far from the origin of the mesh. And a triangle of the mesh in the same frame.
#ifndef CAIRN_COLLISION_MESH_BODY_H
#define CAIRN_COLLISION_MESH_BODY_H

#include "collision/pairs/cylinder_frame.h"
#include "collision/pairs/hull_pair.h"
#include "collision/shapes/mesh.h"

typedef struct CairnMeshBody {
    const CairnGeometry *geometry;
    CairnConvex convex;
    CairnBoxHull box;
    CairnHullFrame frame; // of a box or hull; else its hull is NULL
    CairnCylinderFrame cylinder;
    double size;
} CairnMeshBody;

void cairn_mesh_body(const CairnGeometry *geometry, CairnQuat turn, CairnMeshBody *body);

// What of the core looks along a direction: a face, a line (two points) or a point. Not all of it need be equally far.
void cairn_mesh_body_facing(const CairnMeshBody *body, CairnVec3 direction, CairnPolygon *polygon);

// The farthest point of the core along a direction.
static inline CairnVec3 cairn_mesh_body_support(CairnMeshBody *body, CairnVec3 direction) {
    int vertex;
    return cairn_convex_support(&body->convex, direction, &vertex);
}

// A triangle as a hull of two faces.
typedef struct CairnTriangleHull {
    CairnHull hull;
    CairnVec3 vertices[3], normals[2];
    double offsets[2];
} CairnTriangleHull;

void cairn_hull_of_triangle(CairnTriangleHull *triangle, const CairnVec3 corners[3], CairnVec3 normal);

// Names of the features of a mesh, unique within one patch. Features that are far apart may have the same name.
static inline uint32_t cairn_mesh_name_corner(int v) {
    return 0x4000u | ((uint32_t)v & 0x3fffu);
}

static inline uint32_t cairn_mesh_name_edge(int edge) {
    return 0x8000u | ((uint32_t)edge & 0x3fffu);
}

enum { CAIRN_MESH_NAME_FLAT = 0xc000 };

// The corners that the part of a triangle below (or above) a face of the body has: names are (mesh, body). A seam cuts
// nothing, and only corners on the border of the flat count. Points lie midway, relative to the body; nearer than
// margin.
int cairn_mesh_clip(const CairnSurface *surface, int triangle, const CairnVec3 corners[3], const CairnPolygon *facing,
                    double rounding, double margin, CairnManifoldPoint points[CAIRN_CLIPPED_POINTS]);

#endif
