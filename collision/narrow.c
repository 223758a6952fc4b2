// Narrow phase: the table of pair functions. A pair that has no function (two half-spaces) has no contact.
#include "collision/pairs.h"
#include <string.h>

typedef struct Entry {
    CairnPairFunction *function;
    bool is_flipped; // the function wants the shapes the other way round
} Entry;

static const Entry table[CAIRN_SHAPE_TYPE_COUNT][CAIRN_SHAPE_TYPE_COUNT] = {
    [CAIRN_SPHERE] = {[CAIRN_SPHERE] = {cairn_pair_sphere_sphere, false},
                      [CAIRN_BOX] = {cairn_pair_sphere_box, false},
                      [CAIRN_HALF_SPACE] = {cairn_pair_sphere_half_space, false}},
    [CAIRN_BOX] = {[CAIRN_SPHERE] = {cairn_pair_sphere_box, true},
                   [CAIRN_BOX] = {cairn_pair_box_box, false},
                   [CAIRN_HALF_SPACE] = {cairn_pair_box_half_space, false}},
    [CAIRN_HALF_SPACE] =
        {[CAIRN_SPHERE] = {cairn_pair_sphere_half_space, true}, [CAIRN_BOX] = {cairn_pair_box_half_space, true}},
};

void cairn_narrow(const CairnGeometry *a, CairnTransform pose_a, const CairnGeometry *b, CairnTransform pose_b,
                  double margin, CairnManifold *manifold) {
    memset(manifold, 0,
           sizeof *manifold); // unused points and padding are defined, so manifolds compare and hash as bytes
    Entry entry = table[a->type][b->type];
    if (entry.function == NULL) {
        return;
    }
    if (entry.is_flipped) {
        entry.function(b, pose_b, a, pose_a, margin, manifold);
        manifold->normal = cairn_neg(manifold->normal);
    } else {
        entry.function(a, pose_a, b, pose_b, margin, manifold);
    }
}
