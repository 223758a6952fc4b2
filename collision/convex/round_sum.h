// How far apart two shapes are, or how deep in each other, where their Minkowski sum is a sum of segments and discs:
// cylinders and boxes.
//
// The gap along a unit vector n, from the first shape to the second, is
//     g(n) = n.c - sum_j k_j |n.e_j| - sum_i r_i |n x u_i|,
// c from centre to centre, segments of half length k along e, discs of radius r across u. Its largest value over all n
// is the signed distance. A cylinder is a disc and a segment; a box is three segments.
#ifndef CAIRN_COLLISION_ROUND_SUM_H
#define CAIRN_COLLISION_ROUND_SUM_H

#include "collision/collision.h"

enum { CAIRN_SUM_SEGMENTS = 4, CAIRN_SUM_DISCS = 2 };

typedef struct CairnRoundSum {
    CairnVec3 c;
    int segment_count, disc_count;
    int first_segments,
        first_discs; // how many of them, from the start, are the first shape's; at most one disc a shape
    CairnVec3 e[CAIRN_SUM_SEGMENTS];
    double k[CAIRN_SUM_SEGMENTS];
    CairnVec3 u[CAIRN_SUM_DISCS];
    double r[CAIRN_SUM_DISCS];
} CairnRoundSum;

typedef struct CairnSumOptimum {
    CairnVec3 normal;
    double distance;
    // Where on each segment the shapes meet, in -k ... k: an end, or a point between where the normal is across the
    // segment.
    double along[CAIRN_SUM_SEGMENTS];
    // And on each disc: the point of its rim farthest along the normal, or one within where the normal is its axis.
    CairnVec3 across[CAIRN_SUM_DISCS];
} CairnSumOptimum;

double cairn_sum_gap(const CairnRoundSum *sum, CairnVec3 normal);

// False when the distance is not below the margin. Ties go to discs, then faces, then the rest, each in order.
bool cairn_sum_optimum(const CairnRoundSum *sum, double margin, CairnSumOptimum *optimum);

#endif
