// Contact of a cylinder with edges and faces of convex shapes, in the cylinder's frame (axis z, centred), once the
// normal is known.
#ifndef CAIRN_COLLISION_CYLINDER_CONTACT_H
#define CAIRN_COLLISION_CYLINDER_CONTACT_H

#include "collision/pairs/hull_pair.h"

typedef struct CairnDrum {
    double radius, half; // of the cylinder
    double rounding;     // of the other shape's core
    double margin;
    CairnVec3 normal; // from the cylinder to the other shape, unit
    double gap;       // of the cores along it
} CairnDrum;

// The direction of the largest gap between the cores of a cylinder (a) and another convex shape. False: farther than
// drum->margin and the rounding.
bool cairn_drum_direction(CairnConvex *a, CairnConvex *b, CairnDrum *drum);

// The direction that the features which meet there give exactly: searching knows a smooth optimum only to the square
// root of rounding. `faces` are outward normals of the other shape's faces, `ends` pairs of points: its edges (the
// first point of the first is its vertex farthest against the normal).
void cairn_drum_refine(CairnConvex *a, CairnConvex *b, const CairnVec3 *faces, int face_count,
                       const CairnVec3 (*ends)[2], int edge_count, CairnDrum *drum);

// Where the normal is within reach of the axis (its cosine above `cosine`) or within 1e-4 rad of across it, and that
// costs no more than a tie, it becomes that direction: caps and sides at rest keep their points.
void cairn_drum_snap_normal(CairnConvex *a, CairnConvex *b, double cosine, double tie, CairnDrum *drum);

// Names of the cylinder's features.
static inline uint32_t cairn_drum_cap(double z) {
    return cairn_name_face(z > 0 ? 0 : 1);
}
static inline uint32_t cairn_drum_side(void) {
    return cairn_name_face(2);
}
static inline uint32_t cairn_drum_rim(double z, int k) {
    return cairn_name_edge(2 * (2 * k + (z > 0 ? 0 : 1)));
}

// An edge of the other shape from p to q, with the names of its ends and itself: up to two points where it lies on a
// cap or along the side, else one. 0: it touches with one of its ends only.
int cairn_drum_edge(const CairnDrum *drum, CairnVec3 p, CairnVec3 q, const uint32_t names[3],
                    CairnManifoldPoint points[2]);
// A vertex of the other shape, or whatever meets the rim where the normal leans.
int cairn_drum_point(const CairnDrum *drum, CairnVec3 vertex, uint32_t name, CairnManifoldPoint points[1]);
// The rim against a face or an edge, where the normal leans.
int cairn_drum_rim_point(const CairnDrum *drum, uint32_t name, CairnManifoldPoint points[1]);
bool cairn_drum_leans(const CairnDrum *drum);
// A face that lies on a cap or along the side. drum->normal is that of the cap, the face, or between the two.
int cairn_drum_face(const CairnDrum *drum, const CairnPolygon *face, CairnManifoldPoint points[CAIRN_CLIPPED_POINTS]);

#endif
