// Open Dynamics Engine through its C interface: dWorldStep (its direct solver, exact) and dWorldQuickStep (its sweeps,
// 50 of them).
//
// Settings: double precision, CFM and ERP as ODE has them by default (1e-10 and 0.2; CFM 1e-5 lets the chain stretch),
// contacts with box friction (dContactApprox1) at mu of the rig, at most 8 points a pair, no bounce, no contact layer,
// no auto-disabling.
#include "bench/peers/engine.h"

#if __has_include(<ode/ode.h>)
#define dDOUBLE // as Debian builds it
#include <ode/ode.h>
#include <stdlib.h>

enum { MOST_POINTS = 8, SWEEPS = 50 };

typedef struct State {
    const BenchRig *rig;
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    dBodyID *bodies;
    int substeps;
    bool is_quick;
} State;

static void set_rotation(dBodyID body, CairnQuat q) {
    const dQuaternion turn = {q.w, q.x, q.y, q.z};
    dBodySetQuaternion(body, turn);
}

static dGeomID make_geom(const CairnShapeDef *shape, dSpaceID space) {
    switch (shape->type) {
    case CAIRN_SHAPE_SPHERE:
        return dCreateSphere(space, shape->radius);
    case CAIRN_SHAPE_BOX:
        return dCreateBox(space, shape->size.x, shape->size.y, shape->size.z);
    case CAIRN_SHAPE_CYLINDER:
        return dCreateCylinder(space, shape->radius, shape->height);
    case CAIRN_SHAPE_HALF_SPACE:
        return dCreatePlane(space, 0, 0, 1, 0);
    default:
        return NULL;
    }
}

static bool add_body(State *s, int i) {
    const BenchRigBody *from = &s->rig->bodies[i];
    dGeomID geom = from->has_shape ? make_geom(&from->shape, s->space) : NULL;
    if (from->has_shape && geom == NULL) {
        return false;
    }
    if (!(from->mass > 0)) {
        return true;
    }
    dMass mass;
    if (!from->has_shape) {
        dMassSetParameters(&mass, from->mass, 0, 0, 0, from->inertia.x, from->inertia.y, from->inertia.z, 0, 0, 0);
    } else if (from->shape.type == CAIRN_SHAPE_BOX) {
        dMassSetBoxTotal(&mass, from->mass, from->shape.size.x, from->shape.size.y, from->shape.size.z);
    } else if (from->shape.type == CAIRN_SHAPE_CYLINDER) {
        dMassSetCylinderTotal(&mass, from->mass, 3, from->shape.radius, from->shape.height);
    } else {
        dMassSetSphereTotal(&mass, from->mass, from->shape.radius);
    }
    dBodyID body = s->bodies[i] = dBodyCreate(s->world);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, from->pose.p.x, from->pose.p.y, from->pose.p.z);
    set_rotation(body, from->pose.q);
    if (geom != NULL) {
        dGeomSetBody(geom, body);
    }
    return true;
}

static void close_state(void *state) {
    State *s = state;
    dJointGroupDestroy(s->contacts);
    dSpaceDestroy(s->space);
    dWorldDestroy(s->world);
    free(s->bodies);
    free(s);
    dCloseODE();
}

static void *open_with(const BenchRig *rig, int substeps, bool is_quick) {
    State *s = calloc(1, sizeof *s);
    dBodyID *bodies = calloc((size_t)rig->body_count, sizeof(dBodyID));
    dInitODE2(0);
    if (s == NULL || bodies == NULL || dCheckConfiguration("ODE_double_precision") != 1) {
        free(s);
        free(bodies);
        dCloseODE();
        return NULL;
    }
    *s = (State){.rig = rig, .bodies = bodies, .substeps = substeps, .is_quick = is_quick};
    s->world = dWorldCreate();
    s->space = dSweepAndPruneSpaceCreate(0, dSAP_AXES_XYZ);
    s->contacts = dJointGroupCreate(0);
    dWorldSetGravity(s->world, 0, 0, -9.81);
    dWorldSetQuickStepNumIterations(s->world, SWEEPS);
    bool is_made = true;
    for (int i = 0; i < rig->body_count; i++) {
        is_made = is_made && add_body(s, i);
    }
    for (int i = 0; i < rig->joint_count && is_made; i++) {
        const BenchRigJoint *from = &rig->joints[i];
        dJointID joint = dJointCreateBall(s->world, 0);
        dJointAttach(joint, s->bodies[from->b], from->a >= 0 ? s->bodies[from->a] : NULL);
        dJointSetBallAnchor(joint, from->point.x, from->point.y, from->point.z);
    }
    if (!is_made) {
        close_state(s);
        return NULL;
    }
    return s;
}

static void meet(void *state, dGeomID a, dGeomID b) {
    State *s = state;
    dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
    if (body_a == NULL && body_b == NULL) {
        return;
    }
    dContact contacts[MOST_POINTS] = {0};
    int count = dCollide(a, b, MOST_POINTS, &contacts[0].geom, sizeof contacts[0]);
    for (int i = 0; i < count; i++) {
        contacts[i].surface.mode = dContactApprox1;
        contacts[i].surface.mu = s->rig->friction;
        dJointAttach(dJointCreateContact(s->world, s->contacts, &contacts[i]), body_a, body_b);
    }
}

static bool step(void *state) {
    State *s = state;
    for (int i = 0; i < s->substeps; i++) {
        dSpaceCollide(s->space, s, meet);
        double h = 1.0 / 60 / s->substeps;
        if (!(s->is_quick ? dWorldQuickStep(s->world, h) : dWorldStep(s->world, h))) {
            return false;
        }
        dJointGroupEmpty(s->contacts);
    }
    return true;
}

static void poses(void *state, CairnTransform *out) {
    const State *s = state;
    for (int i = 0; i < s->rig->body_count; i++) {
        out[i] = s->rig->bodies[i].pose;
        if (s->bodies[i] != NULL) {
            const dReal *p = dBodyGetPosition(s->bodies[i]), *q = dBodyGetQuaternion(s->bodies[i]);
            out[i].p = cairn_vec3(p[0], p[1], p[2]);
            out[i].q.w = q[0];
            out[i].q.x = q[1];
            out[i].q.y = q[2];
            out[i].q.z = q[3];
        }
    }
}

static void *open_direct(const BenchRig *rig, int substeps) {
    return open_with(rig, substeps, false);
}

static void *open_quick(const BenchRig *rig, int substeps) {
    return open_with(rig, substeps, true);
}

static const BenchEngine engines[] = {{"ODE dWorldStep", open_direct, step, poses, close_state, false},
                                      {"ODE QuickStep 50", open_quick, step, poses, close_state, false}};

const BenchEngine *bench_engines_ode(int *count) {
    *count = sizeof engines / sizeof engines[0];
    return engines;
}

#else

const BenchEngine *bench_engines_ode(int *count) {
    *count = 0;
    return NULL;
}

#endif
