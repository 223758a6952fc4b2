// Geometry: the triangle meshes of the viewer. Spheres, boxes, cylinders and capsules are one unit mesh each, scaled
// for every solid; hulls and triangle meshes are found again by their content, so that copies of a scene share them.
#ifndef CAIRN_VIEWER_DRAWN_MESH_H
#define CAIRN_VIEWER_DRAWN_MESH_H

#include "demos/program/render/render_mesh.h"
#include <stdint.h>

enum {
    CAIRN_DRAWN_SPHERE = 0,
    CAIRN_DRAWN_SPHERE_COARSE,
    CAIRN_DRAWN_BOX,
    CAIRN_DRAWN_CYLINDER,
    CAIRN_DRAWN_CYLINDER_COARSE,
    CAIRN_DRAWN_CAPSULE,
    CAIRN_DRAWN_CAPSULE_COARSE,
    CAIRN_DRAWN_CONE,
    CAIRN_DRAWN_DISC, // a triangle that faces the camera: the shader makes a ball of it, where there are very many
    CAIRN_DRAWN_POINT // the same from a single corner, where a processor draws and they are small
};

// `end` is -1 or 1 on the halves of a capsule: that many half lengths are added along z after scaling.
typedef struct CairnVertex {
    float position[3], end, normal[3];
} CairnVertex;

typedef struct CairnDrawnMesh {
    uint64_t hash; // of a hull's or mesh's points; 0: a unit mesh
    CairnVertex *vertices;
    int vertex_count; // three a triangle; 1: a point
    float reach;      // the farthest vertex from the origin
    bool is_closed;   // its triangles turn counter-clockwise as seen from outside, and the others hide their backs
} CairnDrawnMesh;

typedef struct CairnDrawnMeshStore {
    CairnDrawnMesh *items;
    int count, capacity;
} CairnDrawnMeshStore;

CairnStatus cairn_drawn_mesh_open(CairnDrawnMeshStore *store);
void cairn_drawn_mesh_close(CairnDrawnMeshStore *store);
// The geometry with fewer triangles, for small pictures of a solid and for shadows.
int cairn_drawn_mesh_coarse(int geometry);
// The index of a hull or of facets in the store, to which it is added if it is not there yet.
CairnStatus cairn_drawn_mesh_find(CairnDrawnMeshStore *store, const CairnPrimitive *primitive, int *index);

#endif
