// A slow reference for collision: signed distance from support functions alone.
//
// The gap of two convex shapes along a unit n (from a to b) is min over b of n . x less max over a of n . x; its
// largest value over all n is their signed distance. Nothing of the library's narrow phase is used, and a hull's
// support is looked for among all its vertices.
#ifndef CAIRN_TESTS_SUPPORT_CONVEX_H
#define CAIRN_TESTS_SUPPORT_CONVEX_H

#include "collision/collision.h"
#include "tests/support/support.h"

// The farthest point along n (any length), world. Half-spaces have none.
CairnVec3 support_farthest(const CairnGeometry *g, CairnTransform pose, CairnVec3 n);

// Either may be a half-space, along its own normal.
double support_gap(const CairnGeometry *a, CairnTransform pa, const CairnGeometry *b, CairnTransform pb, CairnVec3 n);

// Uphill from *normal on: the gap there and where it leads.
double support_climb(const CairnGeometry *a, CairnTransform pa, const CairnGeometry *b, CairnTransform pb,
                     CairnVec3 *normal);

typedef struct SupportOptimum {
    double gap; // the largest found, along
    CairnVec3 normal;
    double above; // no direction has more than this above it: `tolerance`, or more where too many directions come near
} SupportOptimum;

// The largest gap and a proof of it. `guess` is a direction to look at besides, or NULL.
SupportOptimum support_optimum(const CairnGeometry *a, CairnTransform pa, const CairnGeometry *b, CairnTransform pb,
                               const CairnVec3 *guess, double tolerance);

// The gap alone, to 1e-10; *normal is its direction.
double support_largest_gap(const CairnGeometry *a, CairnTransform pa, const CairnGeometry *b, CairnTransform pb,
                           CairnVec3 *normal);

// Zero on the surface, negative inside, positive outside; the distance itself where it is small.
double support_depth(const CairnGeometry *g, CairnTransform pose, CairnVec3 point);

// How large a shape is about its origin: what rounding is measured against.
double support_extent(const CairnGeometry *g);

#endif
