// Mesh: what a picture is made of, a list of solids ("primitives") and their triangles in world coordinates.
#ifndef CAIRN_RENDER_MESH_H
#define CAIRN_RENDER_MESH_H

#include "demos/program/render/render_image.h"
#include <cairn/math.h>
#include <cairn/status.h>

typedef enum CairnPrimitiveKind {
    CAIRN_PRIMITIVE_SPHERE = 0,
    CAIRN_PRIMITIVE_BOX,
    CAIRN_PRIMITIVE_CYLINDER,
    CAIRN_PRIMITIVE_CAPSULE,
    CAIRN_PRIMITIVE_ROD,
    CAIRN_PRIMITIVE_PLANE,
    CAIRN_PRIMITIVE_FACETS,
    CAIRN_PRIMITIVE_HULL
} CairnPrimitiveKind;

// One solid. `half` holds a sphere's radius, a box's half edges, or the radius, radius and half length
// (along z, between the centres of a capsule's ends) of a cylinder, capsule or rod.
typedef struct CairnPrimitive {
    CairnPrimitiveKind kind;
    CairnTransform pose;
    CairnVec3 half;
    CairnColor color;
    bool has_pattern; // stripes on spheres, so that rolling is seen
    // Facets: three indices a triangle, its number is its face. Both belong to the world and outlive the picture.
    const CairnVec3 *points;
    const int *indices;
    int point_count, index_count;
    struct CairnHull *hull; // of a hull's points; made and owned by the mesh
    int first_surface;      // the number of its face 0 among the faces of all primitives; set by the mesh
} CairnPrimitive;

typedef struct CairnTriangle {
    CairnVec3 corners[3];
    int primitive;
    int face; // neighbours with the same primitive and face are one smooth surface
} CairnTriangle;

typedef struct CairnMesh {
    CairnPrimitive *primitives;
    CairnTriangle *triangles;
    int primitive_count, primitive_capacity, triangle_count, triangle_capacity, surface_count;
} CairnMesh;

// Add a solid and its triangles (a plane has none: it is drawn by cairn_raster_plane). `detail` is about how many
// samples wide a sphere will be seen: rounder where it is large.
CairnStatus cairn_mesh_add(CairnMesh *mesh, const CairnPrimitive *primitive, double detail);
void cairn_mesh_free(CairnMesh *mesh);

// A surface point in local axes, measured from the centre of a ball, of a capsule's nearer end, or of any other
// primitive.
CairnVec3 cairn_primitive_local(const CairnPrimitive *primitive, CairnVec3 point);

// The outward normal of a primitive at a point of its surface, world coordinates.
CairnVec3 cairn_primitive_normal(const CairnPrimitive *primitive, int face, CairnVec3 point);

#endif
