// Open Dynamics Engine through its C interface: dSpaceCollide and dCollide, in a sweep-and-prune and in a hash space.
// Install: tools/deps --bench (Debian: libode-dev).
#include "bench/peers/peer.h"

#if __has_include(<ode/ode.h>)
#define dDOUBLE // as Debian builds it; open_in asks whether that is so
#include <ode/ode.h>
#include <stdlib.h>

enum { MOST_POINTS = 8 };

typedef struct State {
    dSpaceID space;
    dGeomID *geoms;
    int count, contacts;
} State;

static dGeomID make_geom(const CairnShapeDef *shape, dSpaceID space) {
    switch (shape->type) {
    case CAIRN_SHAPE_SPHERE:
        return dCreateSphere(space, (dReal)shape->radius);
    case CAIRN_SHAPE_BOX:
        return dCreateBox(space, (dReal)shape->size.x, (dReal)shape->size.y, (dReal)shape->size.z);
    case CAIRN_SHAPE_CYLINDER:
        return dCreateCylinder(space, (dReal)shape->radius, (dReal)shape->height);
    default:
        return NULL;
    }
}

static void close_state(void *state) {
    State *s = state;
    dSpaceDestroy(s->space); // with its geoms
    free(s->geoms);
    free(s);
    dCloseODE();
}

static void *open_in(const BenchScene *scene, dSpaceID space) {
    if (dCheckConfiguration("ODE_double_precision") != 1) {
        dSpaceDestroy(space);
        dCloseODE();
        return NULL;
    }
    State *s = calloc(1, sizeof *s);
    dGeomID *geoms = calloc((size_t)scene->body_count, sizeof(dGeomID));
    if (s == NULL || geoms == NULL) {
        free(s);
        free(geoms);
        dSpaceDestroy(space);
        dCloseODE();
        return NULL;
    }
    *s = (State){.space = space, .geoms = geoms, .count = scene->body_count};
    for (int i = 0; i < s->count; i++) {
        geoms[i] = make_geom(&scene->bodies[i].shape, space);
        if (geoms[i] == NULL) {
            close_state(s);
            return NULL;
        }
        // What never moves is not tested against its like.
        dGeomSetCategoryBits(geoms[i], scene->bodies[i].is_static ? 1 : 2);
        dGeomSetCollideBits(geoms[i], scene->bodies[i].is_static ? 2 : 3);
    }
    return s;
}

static void *open_sweep(const BenchScene *scene) {
    dInitODE2(0);
    return open_in(scene, dSweepAndPruneSpaceCreate(NULL, dSAP_AXES_XYZ));
}

static void *open_hash(const BenchScene *scene) {
    dInitODE2(0);
    dSpaceID space = dHashSpaceCreate(NULL);
    dHashSpaceSetLevels(space, -2, 7);
    return open_in(scene, space);
}

static void set_poses(void *state, const CairnTransform *poses) {
    State *s = state;
    for (int i = 0; i < s->count; i++) {
        CairnTransform p = poses[i];
        const dQuaternion q = {(dReal)p.q.w, (dReal)p.q.x, (dReal)p.q.y, (dReal)p.q.z};
        dGeomSetPosition(s->geoms[i], (dReal)p.p.x, (dReal)p.p.y, (dReal)p.p.z);
        dGeomSetQuaternion(s->geoms[i], q);
    }
}

static void near_callback(void *data, dGeomID a, dGeomID b) {
    State *s = data;
    dContactGeom points[MOST_POINTS];
    s->contacts += dCollide(a, b, MOST_POINTS, points, sizeof points[0]);
}

static int detect(void *state) {
    State *s = state;
    s->contacts = 0;
    dSpaceCollide(s->space, s, near_callback);
    return s->contacts;
}

static const BenchPeer peers[] = {{"ODE, sweep and prune", open_sweep, set_poses, detect, close_state},
                                  {"ODE, hash", open_hash, set_poses, detect, close_state}};

const BenchPeer *bench_peer_ode(int *count) {
    *count = (int)(sizeof peers / sizeof peers[0]);
    return peers;
}
#else
const BenchPeer *bench_peer_ode(int *count) {
    *count = 0;
    return NULL;
}
#endif
