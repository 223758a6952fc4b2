// The working data of a contact between a convex shape and a mesh (mesh_contact.c).
#ifndef CAIRN_COLLISION_MESH_WORK_H
#define CAIRN_COLLISION_MESH_WORK_H

#include "collision/pairs/mesh_body.h"

enum { CAIRN_PATCH_POINTS = 16, CAIRN_LIKE_FLATS = 4, CAIRN_OVERLAPPED = 32 };

typedef struct CairnMeshPatch {
    uint32_t id;
    int flat; // -1: an edge or a corner
    bool is_vetoed;
    double depth; // the least distance known so far
    CairnVec3 normal;
    int like_count, like[CAIRN_LIKE_FLATS]; // of an edge or a corner: adjacent flats that may replace it
    int count;
    CairnManifoldPoint points[CAIRN_PATCH_POINTS];
} CairnMeshPatch;

typedef struct CairnMeshWork {
    const CairnSurface *s;
    CairnMeshBody body;
    CairnVec3 position; // of the body, in the frame of the mesh
    double margin, tie;
    int facing_flat; // whose direction `facing` is for; -1: none
    CairnPolygon facing;
    int count;
    CairnMeshPatch patches[CAIRN_MANIFOLDS];
    int overlapped_count, overlapped[CAIRN_OVERLAPPED]; // triangles that the shape's core overlaps
} CairnMeshWork;

// Of all that is nearer to the body than the margin.
CairnAabb cairn_mesh_work_box(const CairnMeshWork *work);

// Patches that lie in one plane become one (mesh_merge.c).
void cairn_mesh_merge(CairnMeshWork *work);

// A triangle in the frame of the body.
typedef struct CairnMeshTriangle {
    int index;
    const CairnFacet *facet;
    CairnVec3 p[3];
    CairnVec3 n;
} CairnMeshTriangle;

static inline CairnMeshTriangle cairn_mesh_triangle(const CairnMeshWork *w, int index) {
    CairnMeshTriangle t = {.index = index, .facet = &w->s->facets[index]};
    for (int i = 0; i < 3; ++i) {
        t.p[i] = cairn_sub(w->s->points[t.facet->v[i]], w->position);
    }
    t.n = w->s->flats[t.facet->flat].normal;
    return t;
}

static inline double cairn_mesh_height(const CairnMeshWork *w, int flat, CairnVec3 x) {
    const CairnFlat *f = &w->s->flats[flat];
    return cairn_dot(f->normal, x) + (cairn_dot(f->normal, w->position) - f->offset);
}

#endif
