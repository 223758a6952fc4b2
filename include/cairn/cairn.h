// Cairn: a rigid-body physics engine that solves every step exactly and reports whether it did. This header includes
// all others.
//
//   CairnWorldDef def = cairn_world_def();
//   CairnWorld *world;
//   cairn_world_create(&def, &world);
//   ... cairn_body_create, cairn_shape_create, cairn_joint_create ...
//   CairnStats stats;
//   while (running) cairn_world_step(world, 1.0 / 60, &stats);
//   cairn_world_destroy(world);
//
// Conventions: SI units, double everywhere, right-handed axes, gravity along -z by default, quaternions (w, x, y, z),
// ids as values (zeros are null), definitions that are made by cairn_*_def() and then changed, errors as a CairnStatus.
// The headers are C99 and C++11 or later. A world is used by one thread at a time (world.h).
#ifndef CAIRN_CAIRN_H
#define CAIRN_CAIRN_H

#include <cairn/audit.h>
#include <cairn/fields.h>
#include <cairn/hooks.h>
#include <cairn/ids.h>
#include <cairn/joints.h>
#include <cairn/math.h>
#include <cairn/partitioner.h>
#include <cairn/problem.h>
#include <cairn/problem_file.h>
#include <cairn/products.h>
#include <cairn/scene.h>
#include <cairn/shapes.h>
#include <cairn/solve.h>
#include <cairn/solver.h>
#include <cairn/stats.h>
#include <cairn/status.h>
#include <cairn/version.h>
#include <cairn/world.h>

#endif
