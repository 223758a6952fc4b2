// Sweep: when do two moving shapes first come near each other?
#ifndef CAIRN_COLLISION_SWEEP_H
#define CAIRN_COLLISION_SWEEP_H

#include "collision/collision.h"

// A shape on a body that moves with constant velocities until it stops.
typedef struct CairnMotion {
    CairnTransform pose; // of the shape in the world, at time 0
    CairnVec3 center;    // what it turns about
    CairnVec3 linear, angular;
    double reach, ball; // farthest distances of the shape from `center` and from its own origin
    double until;       // it stands still from then on
} CairnMotion;

CairnTransform cairn_motion_pose(const CairnMotion *motion, double time);

// No point of the shape's surface goes faster along its normal than |linear| and this: what is round about an axis may
// spin about it at any rate.
double cairn_motion_turning(const CairnGeometry *geometry, const CairnMotion *motion);

// Can this pair be swept? Convex and bounded shapes against each other, half-spaces and meshes.
bool cairn_can_sweep(const CairnGeometry *a, const CairnGeometry *b);

// The first time in [0, duration] at which the shapes are nearer than `touch`; false where there is none. Conservative:
// it never passes a meeting, and what it cannot decide counts as one.
bool cairn_sweep(const CairnGeometry *a, const CairnMotion *motion_a, const CairnGeometry *b,
                 const CairnMotion *motion_b, double duration, double touch, double *time);

// Like cairn_sweep, for a mesh and a convex shape; triangles that the middle of the shape starts behind do not count.
bool cairn_mesh_sweep(const CairnGeometry *mesh, const CairnMotion *mesh_motion, const CairnGeometry *shape,
                      const CairnMotion *motion, double duration, double touch, double *time);

#endif
