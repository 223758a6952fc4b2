// Mesh: what a picture is made of, a list of solids ("parts") and their triangles in world coordinates.
#ifndef CAIRN_RENDER_MESH_H
#define CAIRN_RENDER_MESH_H

#include "demos/program/render/render_image.h"
#include <cairn/math.h>
#include <cairn/status.h>

typedef enum CairnPartKind {
    CAIRN_PART_SPHERE = 0,
    CAIRN_PART_BOX,
    CAIRN_PART_CYLINDER,
    CAIRN_PART_CAPSULE,
    CAIRN_PART_ROD,
    CAIRN_PART_PLANE,
    CAIRN_PART_FACETS,
    CAIRN_PART_HULL
} CairnPartKind;

// One solid. `half` holds a sphere's radius, a box's half edges, or the radius, radius and half length
// (along z, between the centres of a capsule's ends) of a cylinder, capsule or rod.
typedef struct CairnPart {
    CairnPartKind kind;
    CairnTransform pose;
    CairnVec3 half;
    CairnColor color;
    bool has_pattern; // stripes on spheres, so that rolling is seen
    // Facets: three indices a triangle, its number is its face. Both belong to the world and outlive the picture.
    const CairnVec3 *points;
    const int *indices;
    int point_count, index_count;
    struct CairnHull *hull; // of a hull's points; made and owned by the mesh
    int first_surface;      // the number of its face 0 among the faces of all parts; set by the mesh
} CairnPart;

typedef struct CairnTriangle {
    CairnVec3 corners[3];
    int part;
    int face; // neighbours with the same part and face are one smooth surface
} CairnTriangle;

typedef struct CairnMesh {
    CairnPart *parts;
    CairnTriangle *triangles;
    int part_count, part_capacity, triangle_count, triangle_capacity, surface_count;
} CairnMesh;

// Add a solid and its triangles (a plane has none: it is drawn by cairn_raster_plane). `detail` is about how many samples wide a
// sphere will be seen: rounder where it is large.
CairnStatus cairn_mesh_add(CairnMesh *mesh, const CairnPart *part, double detail);
void cairn_mesh_free(CairnMesh *mesh);

// The place of a surface point as seen from the middle of a ball, of a capsule's nearer end, or of any other part: local axes.
CairnVec3 cairn_part_local(const CairnPart *part, CairnVec3 point);

// The outward normal of a part at a point of its surface, world coordinates.
CairnVec3 cairn_part_normal(const CairnPart *part, int face, CairnVec3 point);

#endif
