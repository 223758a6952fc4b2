// Apart: the largest separation of two convex shapes over all directions, by search.
//
// The gap of two convex sets along a unit n is min over b of n . x less max over a of n . x. Its largest value over all
// n is their distance, and where they overlap minus the depth. Any direction proves that they are at least so far
// apart; the search only makes it likely that no other one shows more. It is slow, and it shares nothing with the
// collision library.
#ifndef CAIRN_AUDIT_APART_H
#define CAIRN_AUDIT_APART_H

#include <cairn/shapes.h>

// The nearest difference b - a along n: the least n . (b - a) of all.
typedef CairnVec3 (*CairnDifference)(const void *context, CairnVec3 n);

// Goes uphill from *normal until steps are shorter than `least` (rad) or the gap is `enough`. Returns the gap there.
double cairn_apart_climb(CairnDifference difference, const void *context, double least, double enough,
                         CairnVec3 *normal);

// A convex set in the world: a shape at one pose, or all that is between two poses of it; or a triangle.
typedef struct CairnPlaced {
    const CairnShapeDef *def; // NULL: the triangle
    CairnVec3 triangle[3];
    CairnTransform poses[2]; // of the shape itself
    int pose_count;
} CairnPlaced;

// True: the search takes it. Half-spaces and meshes are no bounded convex sets.
bool cairn_placed_is_convex(const CairnShapeDef *def);

// The farthest point along n.
CairnVec3 cairn_placed_farthest(const CairnPlaced *placed, CairnVec3 n);
CairnVec3 cairn_placed_center(const CairnPlaced *placed);

// The largest gap found, along *normal, which is looked at first. It stops at `enough`.
double cairn_apart(const CairnPlaced *a, const CairnPlaced *b, double enough, CairnVec3 *normal);

#endif
