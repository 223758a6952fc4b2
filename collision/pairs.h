// The pair functions behind cairn_narrow. Each takes its two shapes in the order of its name; narrow.c turns the answer round
// where the caller has them the other way.
#ifndef CAIRN_COLLISION_PAIRS_H
#define CAIRN_COLLISION_PAIRS_H

#include "collision/collision.h"

typedef void CairnPairFunction(const CairnGeometry *a, CairnTransform pose_a, const CairnGeometry *b,
                               CairnTransform pose_b, double margin, CairnManifold *manifold);

CairnPairFunction cairn_pair_sphere_sphere;
CairnPairFunction cairn_pair_sphere_box;
CairnPairFunction cairn_pair_sphere_half_space;
CairnPairFunction cairn_pair_box_box;
CairnPairFunction cairn_pair_box_half_space;
CairnPairFunction cairn_pair_sphere_cylinder;
CairnPairFunction cairn_pair_box_cylinder;
CairnPairFunction cairn_pair_cylinder_cylinder;
CairnPairFunction cairn_pair_cylinder_half_space;
CairnPairFunction cairn_pair_sphere_capsule;
CairnPairFunction cairn_pair_sphere_hull;
CairnPairFunction cairn_pair_box_capsule;
CairnPairFunction cairn_pair_box_hull;
CairnPairFunction cairn_pair_capsule_capsule;
CairnPairFunction cairn_pair_capsule_hull;
CairnPairFunction cairn_pair_capsule_half_space;
CairnPairFunction cairn_pair_cylinder_capsule;
CairnPairFunction cairn_pair_cylinder_hull;
CairnPairFunction cairn_pair_hull_hull;
CairnPairFunction cairn_pair_hull_half_space;

#endif
