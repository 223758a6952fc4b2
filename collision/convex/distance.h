// Distance of any two shapes of which one is convex and bounded: what queries are made of.
#ifndef CAIRN_COLLISION_DISTANCE_H
#define CAIRN_COLLISION_DISTANCE_H

#include "collision/collision.h"

typedef struct CairnSeparation {
    double distance;      // 0: they overlap or touch, and the rest but the normal is unset
    CairnVec3 normal;     // from a to b, unit; of least overlap where they overlap
    CairnVec3 on_a, on_b; // the nearest points, world
} CairnSeparation;

// a must be convex and bounded; b that, a half-space or a mesh. False: they are farther apart than `limit`.
bool cairn_separation(const CairnGeometry *a, CairnTransform pose_a, const CairnGeometry *b, CairnTransform pose_b,
                      double limit, CairnSeparation *separation);

// a moves by `displacement`: *fraction is the fraction of it at which a first touches b, 0 where it does from the
// start. False: it does not.
bool cairn_shape_cast(const CairnGeometry *a, CairnTransform pose_a, CairnVec3 displacement, const CairnGeometry *b,
                      CairnTransform pose_b, double *fraction, CairnSeparation *at);

// Like cairn_separation and cairn_shape_cast, with a mesh: the distance is that to its surface, from either side; a
// displacement meets front faces only, as a ray does.
bool cairn_mesh_separation(const CairnGeometry *a, CairnTransform pose_a, const CairnGeometry *mesh,
                           CairnTransform pose_mesh, double limit, CairnSeparation *separation);
bool cairn_mesh_cast(const CairnGeometry *a, CairnTransform pose_a, CairnVec3 displacement, const CairnGeometry *mesh,
                     CairnTransform pose_mesh, double *fraction, CairnSeparation *at);

#endif
