// Support for tests of mechanisms: a world in one call, bodies given by mass and inertia, joints where the bodies
// stand.
#ifndef CAIRN_TESTS_SUPPORT_MECHANISM_H
#define CAIRN_TESTS_SUPPORT_MECHANISM_H

#include "support.h"
#include "support_exact.h"
#include <cairn/world.h>

// A world with that gravity; the solver NULL is the world's own first choice, pgs.
CairnWorld *support_world(const CairnSolver *solver, CairnVec3 gravity);

CairnBodyId support_body(CairnWorld *world, double mass, CairnVec3 inertia, CairnVec3 position);
// A thin uniform rod between two points in the xy plane; its frame lies in its middle, x along it.
CairnBodyId support_rod(CairnWorld *world, double mass, CairnVec3 from, CairnVec3 to);
CairnBodyDef support_rod_def(double mass, CairnVec3 from, CairnVec3 to);
CairnBodyId support_create(CairnWorld *world, const CairnBodyDef *def);

// A joint at `point` with its x axis along `x`; body_a null: the world.
CairnJointId support_joint(CairnWorld *world, CairnJointType type, CairnBodyId a, CairnBodyId b, CairnVec3 point,
                           CairnVec3 x);
// A joint like that of support_joint, from a definition whose other members are set already.
CairnJointId support_joint_of(CairnWorld *world, CairnJointDef def, CairnBodyId a, CairnBodyId b, CairnVec3 point,
                              CairnVec3 x);

CairnBodyState support_state(const CairnWorld *world, CairnBodyId id);
CairnJointState support_joint_state(const CairnWorld *world, CairnJointId id);
// A force at the centre and a torque for the next step; the null body (the world) takes them unmoved.
void support_push(CairnWorld *world, CairnBodyId body, CairnVec3 force, CairnVec3 torque);
double support_energy(const CairnStats *stats);

CairnStats support_step(CairnWorld *world, double h);
CairnStats support_steps(CairnWorld *world, double h, int count);

// What a run of steps met at worst.
typedef struct SupportWorst {
    double linear, angular;               // joint errors, m and rad
    double low, high;                     // energy, J
    double square_linear, square_angular; // means of the squares of the errors
} SupportWorst;
SupportWorst support_worst(CairnWorld *world, double h, int count);

#endif
