// Support for tests that step worlds: a world whose answers are the law's, not the solver's, and bodies in a line each.
#ifndef CAIRN_TESTS_SUPPORT_MOTION_H
#define CAIRN_TESTS_SUPPORT_MOTION_H

#include "tests/support/support.h"
#include <cairn/cairn.h>

// pgs until it no longer moves: the remaining error of the solve is rounding.
CairnWorld *motion_world(const CairnWorldDef *def); // NULL: the defaults

// A definition whose contacts yield a millionth of what the default ones do: for laws that a sinking contact blurs at
// 1e-10.
CairnWorldDef motion_stiff_def(void);

CairnBodyId motion_body(CairnWorld *world, const CairnBodyDef *def);
CairnBodyId motion_shape(CairnWorld *world, const CairnBodyDef *def, const CairnShapeDef *shape);
CairnBodyState motion_state(const CairnWorld *world, CairnBodyId id);

// A half-space through the origin, rising by `angle` (rad) towards +x.
CairnBodyId motion_ground(CairnWorld *world, double angle, double friction, double restitution);

// A box or sphere of 1 kg that touches that ground at `x` along it.
CairnBodyDef motion_on_ground(double angle, double x, double height);

// All steps must answer CAIRN_OK; the last one's statistics come back.
CairnStats motion_steps(CairnWorld *world, double h, int count);

double motion_energy(const CairnStats *stats); // kinetic and potential

#endif
