// Sweep: when do two moving shapes first come near each other?
#ifndef CAIRN_COLLISION_SWEEP_H
#define CAIRN_COLLISION_SWEEP_H

#include "collision/collision.h"

// A shape on a body that moves with constant velocities.
typedef struct CairnMotion {
    CairnTransform pose; // of the shape in the world, at time 0
    CairnVec3 center;    // what it turns about
    CairnVec3 linear, angular;
    double reach; // farthest distance of the shape from `center`
} CairnMotion;

CairnTransform cairn_motion_pose(const CairnMotion *motion, double time);

// Can this pair be swept? Convex and bounded shapes against each other, half-spaces and meshes.
bool cairn_can_sweep(const CairnGeometry *a, const CairnGeometry *b);

// The first time in [0, duration] at which the shapes are nearer than `touch`; false where there is none. Conservative:
// it never passes a meeting, and what it cannot decide counts as one.
bool cairn_sweep(const CairnGeometry *a, const CairnMotion *motion_a, const CairnGeometry *b,
                 const CairnMotion *motion_b, double duration, double touch, double *time);

// Like cairn_sweep, for a mesh and a convex shape; triangles that it starts behind do not count.
bool cairn_mesh_sweep(const CairnGeometry *mesh, const CairnMotion *mesh_motion, const CairnGeometry *shape,
                      const CairnMotion *motion, double duration, double touch, double *time);

// A ball about the middle of a convex shape, half as large as fits inside, and where it is: what must never get through
// anything.
CairnGeometry cairn_core(const CairnGeometry *shape, CairnTransform pose, CairnVec3 *center);

#endif
