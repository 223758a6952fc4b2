// A slow reference for collision: signed distance from support functions alone, and what every manifold must be true of.
//
// The gap of two convex shapes along a unit n (from a to b) is min over b of n . x less max over a of n . x; its largest value
// over all n is their signed distance. Nothing of the library's narrow phase is used, and a hull's support is looked for among
// all its vertices.
#ifndef CAIRN_TESTS_SUPPORT_CONVEX_H
#define CAIRN_TESTS_SUPPORT_CONVEX_H

#include "collision/collision.h"
#include "tests/support.h"

// The farthest point along n (any length), world. Half-spaces have none.
CairnVec3 support_farthest(const CairnGeometry *g, CairnTransform pose, CairnVec3 n);

// Either may be a half-space, along its own normal.
double support_gap(const CairnGeometry *a, CairnTransform pa, const CairnGeometry *b, CairnTransform pb, CairnVec3 n);

// The largest gap that `starts` directions and a search uphill from the best two of them find; *normal is its direction.
enum { SUPPORT_TOPS = 2 };
double support_largest_gap(const CairnGeometry *a, CairnTransform pa, const CairnGeometry *b, CairnTransform pb,
                           int starts, CairnVec3 *normal);

// The same search from *normal on.
double support_climb(const CairnGeometry *a, CairnTransform pa, const CairnGeometry *b, CairnTransform pb,
                     CairnVec3 *normal);

// Zero on the surface, negative inside, positive outside; the distance itself where it is small.
double support_depth(const CairnGeometry *g, CairnTransform pose, CairnVec3 point);

// How large a pair is, and how far it is from the origin: what rounding is measured against.
double support_extent(const CairnGeometry *g);

typedef struct SupportPairRule {
    double margin;
    int starts;       // of the search for a better direction; 0: none
    double tolerance; // of the optimum: 1e-9 and what a rule of ties may cost
    double surface;   // how far a point's ends may be off the surfaces: rims and shared parts
    int most_points;
    bool is_like_face; // a face may stand for a direction within 1.8 degrees of it
} SupportPairRule;

// Check the manifold of a pair: unit normal, points nearer than the margin with both ends on the surfaces, ids all different,
// the least distance is the gap along the normal and no direction has a larger one; the same when swapped, and when both are moved
// together. Returns the number of points.
int support_check_pair(const CairnGeometry *a, CairnTransform pa, const CairnGeometry *b, CairnTransform pb,
                       const SupportPairRule *rule, uint64_t *random);

#endif
