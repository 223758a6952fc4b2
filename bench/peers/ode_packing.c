// ODE's QuickStep on a box full of balls. Double precision, CFM as ODE has it by default, overlaps let be (ERP 0),
// friction boxes (dContactApprox1), one point a pair, no auto-disabling; one thread, as the library is built.
#include "bench/peers/packing.h"

#if __has_include(<ode/ode.h>)
#include "bench/bench.h"
#define dDOUBLE // as Debian builds it
#include <ode/ode.h>
#include <stdlib.h>

typedef struct Meeting {
    dWorldID world;
    dJointGroupID contacts;
    double friction;
    int count;
} Meeting;

static void meet(void *data, dGeomID a, dGeomID b) {
    Meeting *meeting = data;
    dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
    dContact contact = {0};
    if ((body_a == NULL && body_b == NULL) || dCollide(a, b, 1, &contact.geom, sizeof contact) == 0) {
        return;
    }
    contact.surface.mode = dContactApprox1;
    contact.surface.mu = meeting->friction;
    dJointAttach(dJointCreateContact(meeting->world, meeting->contacts, &contact), body_a, body_b);
    meeting->count++;
}

bool bench_ode_packing(const BenchPacking *packing, int sweeps, int steps, BenchPacked *packed) {
    dInitODE2(0);
    Meeting meeting = {.world = dWorldCreate(), .contacts = dJointGroupCreate(0), .friction = packing->friction};
    dSpaceID space = dHashSpaceCreate(0);
    dBodyID *balls = malloc((size_t)packing->count * sizeof(dBodyID));
    bool is_done = balls != NULL;
    dWorldSetERP(meeting.world, 0);
    dWorldSetGravity(meeting.world, 0, 0, -9.81);
    dWorldSetQuickStepNumIterations(meeting.world, sweeps);
    double half = packing->half;
    dCreatePlane(space, 0, 0, 1, 0);
    dCreatePlane(space, 1, 0, 0, -half);
    dCreatePlane(space, -1, 0, 0, -half);
    dCreatePlane(space, 0, 1, 0, -half);
    dCreatePlane(space, 0, -1, 0, -half);
    for (int i = 0; i < packing->count && is_done; i++) {
        CairnVec3 p = packing->centers[i];
        dMass mass;
        dMassSetSphere(&mass, packing->density, packing->radius);
        dBodyID body = dBodyCreate(meeting.world);
        balls[i] = body;
        dBodySetMass(body, &mass);
        dBodySetPosition(body, p.x, p.y, p.z);
        dGeomSetBody(dCreateSphere(space, packing->radius), body);
    }
    for (int k = 0; k < steps && is_done; k++) {
        meeting.count = 0;
        dSpaceCollide(space, &meeting, meet);
        double start = bench_cpu_now();
        is_done = dWorldQuickStep(meeting.world, packing->step) != 0;
        packed->seconds = bench_cpu_now() - start;
        dJointGroupEmpty(meeting.contacts);
    }
    packed->contacts = meeting.count;
    for (int i = 0; i < packing->count && is_done && packed->velocities != NULL; i++) {
        const dReal *v = dBodyGetLinearVel(balls[i]);
        packed->velocities[i] = (CairnVec3){v[0], v[1], v[2]};
    }
    free(balls);
    dJointGroupDestroy(meeting.contacts);
    dSpaceDestroy(space);
    dWorldDestroy(meeting.world);
    dCloseODE();
    return is_done;
}

#else

bool bench_ode_packing(const BenchPacking *packing, int sweeps, int steps, BenchPacked *packed) {
    (void)packing;
    (void)sweeps;
    (void)steps;
    (void)packed;
    return false;
}

#endif
