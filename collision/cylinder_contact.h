// Contact of a cylinder with edges and faces of convex shapes, in the cylinder's frame (axis z, centred), once the normal is known.
#ifndef CAIRN_COLLISION_CYLINDER_CONTACT_H
#define CAIRN_COLLISION_CYLINDER_CONTACT_H

#include "collision/hull_pair.h"

typedef struct CairnCan {
    double radius, half; // of the cylinder
    double rounding;     // of the other shape's core
    double margin;
    CairnVec3 normal; // from the cylinder to the other shape, unit
    double gap;       // of the cores along it
} CairnCan;

// The direction of the largest gap between the cores of a cylinder (a) and another convex shape. False: farther than can->margin and
// the rounding.
bool cairn_can_direction(CairnConvex *a, CairnConvex *b, CairnCan *can);

// The direction that the features which meet there give exactly: searching knows a smooth optimum only to the square root of
// rounding. `faces` are outward normals of the other shape's faces, `ends` pairs of points: its edges (the first point of the
// first is its vertex farthest against the normal).
void cairn_can_refine(CairnConvex *a, CairnConvex *b, const CairnVec3 *faces, int face_count,
                      const CairnVec3 (*ends)[2], int edge_count, CairnCan *can);

// Names of the cylinder's features.
static inline uint32_t cairn_can_cap(double z) {
    return cairn_name_face(z > 0 ? 0 : 1);
}
static inline uint32_t cairn_can_side(void) {
    return cairn_name_face(2);
}
static inline uint32_t cairn_can_rim(double z, int k) {
    return cairn_name_edge(2 * (2 * k + (z > 0 ? 0 : 1)));
}

// An edge of the other shape from p to q, with the names of its ends and itself: up to two points where it lies on a cap or along the
// side, else one. 0: it touches with one of its ends only.
int cairn_can_edge(const CairnCan *can, CairnVec3 p, CairnVec3 q, const uint32_t names[3],
                   CairnManifoldPoint points[2]);
// A vertex of the other shape, or whatever meets the rim where the normal leans.
int cairn_can_point(const CairnCan *can, CairnVec3 vertex, uint32_t name, CairnManifoldPoint points[1]);
// A face that lies on a cap or along the side. can->normal is that of the cap, the face, or between the two.
int cairn_can_face(const CairnCan *can, const CairnPolygon *face, CairnManifoldPoint points[CAIRN_CLIPPED_POINTS]);

#endif
