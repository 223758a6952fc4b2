// Geometry: the triangle meshes of the viewer. Spheres, boxes, cylinders and capsules are one unit mesh each, scaled for every
// solid; hulls and triangle meshes are found again by their content, so that copies of a scene share them.
#ifndef CAIRN_VIEWER_GEOMETRY_H
#define CAIRN_VIEWER_GEOMETRY_H

#include "demos/program/render/render_mesh.h"
#include <stdint.h>

enum {
    CAIRN_GEOMETRY_SPHERE = 0,
    CAIRN_GEOMETRY_SPHERE_COARSE,
    CAIRN_GEOMETRY_BOX,
    CAIRN_GEOMETRY_CYLINDER,
    CAIRN_GEOMETRY_CYLINDER_COARSE,
    CAIRN_GEOMETRY_CAPSULE,
    CAIRN_GEOMETRY_CAPSULE_COARSE,
    CAIRN_GEOMETRY_CONE,
    CAIRN_GEOMETRY_DISC, // a triangle that faces whoever looks: the shader makes a ball of it, where there are very many
    CAIRN_GEOMETRY_POINT, // the same from a single corner, where a processor draws and they are small
    CAIRN_GEOMETRY_UNIT_COUNT
};

// `end` is -1 or 1 on the halves of a capsule: that many half lengths are added along z after scaling.
typedef struct CairnVertex {
    float position[3], end, normal[3];
} CairnVertex;

typedef struct CairnGeometry {
    uint64_t hash; // of a hull's or mesh's points; 0: a unit mesh
    CairnVertex *vertices;
    int vertex_count; // three a triangle; 1: a point
    float reach;      // the farthest vertex from the origin
    bool is_closed;   // its triangles turn counter-clockwise as seen from outside, and the others hide their backs
} CairnGeometry;

typedef struct CairnGeometryStore {
    CairnGeometry *items;
    int count, capacity;
} CairnGeometryStore;

CairnStatus cairn_geometry_open(CairnGeometryStore *store);
void cairn_geometry_close(CairnGeometryStore *store);
// The same with fewer triangles, for what is small or casts a shadow.
int cairn_geometry_coarse(int geometry);
// The place of a hull or of facets in the store, where it is put if it is not there yet.
CairnStatus cairn_geometry_find(CairnGeometryStore *store, const CairnPart *part, int *index);

#endif
