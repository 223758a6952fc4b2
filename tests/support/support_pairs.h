// Pairs of shapes drawn at random, and how far the manifold of a pair is from what it must be.
#ifndef CAIRN_TESTS_SUPPORT_PAIRS_H
#define CAIRN_TESTS_SUPPORT_PAIRS_H

#include "tests/support/support_convex.h"

typedef struct SupportPair {
    CairnGeometry a, b;
    CairnTransform pa, pb;
    double margin;
} SupportPair;

// The same number gives the same pair, whatever was drawn before: sizes from 0.08 to 1.6, deep in each other to well
// apart.
SupportPair support_pair_draw(CairnShapeType a, CairnShapeType b, uint64_t seed, int draw);
void support_pair_drop(SupportPair *pair);

typedef struct SupportPairRule {
    int most_points;
    // How far a point's ends may be off the surfaces, as a fraction of the larger shape's size: rims and common
    // regions.
    double surface;
    bool is_like_face; // a face may stand for a direction within 1.8 degrees of it
} SupportPairRule;

typedef struct SupportPairFigures {
    int count; // points
    // The least distance against the proven optimum; without points: by how much the optimum is below the margin.
    double optimum;
    double proof;   // how much better a direction may be than the optimum found
    double along;   // the least distance against the gap along the manifold's normal
    double off;     // an end of a point against the surfaces, beyond what the rule allows
    double moved;   // of a distance when both are moved together, as a fraction of size plus distance
    double turned;  // of the normal, likewise
    double shifted; // of a point, likewise
    double bent;    // of the normal when one is moved a little, beyond what the nearest points of convex shapes allow
    int renamed;    // points without their like when both are moved together
    int swapped;    // what differs by a bit when the shapes are swapped
    int malformed;  // lengths, counts, margins, ids twice
} SupportPairFigures;

SupportPairFigures support_pair_figures(const SupportPair *pair, const SupportPairRule *rule, uint64_t *random);

double support_least_distance(const CairnManifold *manifold);

#endif
