// Open Dynamics Engine with a copy of a world at rest: dWorldStep (its direct solver, exact) and dWorldQuickStep (its
// sweeps).
//
// Settings: double precision; CFM, ERP and contact layer as ODE has them by default (1e-10, 0.2, 0): of CFM 1e-10 to
// 1e-5 and layers of 0 and 1 mm these keep most configurations still; box friction (dContactApprox1); at most 8 points
// a pair; no bounce; no auto-disabling, which would stop what moves instead of showing it; 50 sweeps instead of 20. The
// direct solver's complaints about contacts that depend on one another are not printed.
#include "bench/peers/rest.h"

#if __has_include(<ode/ode.h>)
#define dDOUBLE // as Debian builds it
#include "bench/rest_poses.h"
#include "collision/shapes/hull.h"
#include "engine/world.h"
#include <ode/ode.h>
#include <stdarg.h>
#include <stdlib.h>

enum { MOST_POINTS = 8, SWEEPS = 50, MOST_SHAPES = 32, MOST_NUMBERS = 4096 };

typedef struct State {
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    int body_count, shape_count;
    dBodyID bodies[BENCH_REST_BODIES]; // NULL: static
    CairnTransform poses[BENCH_REST_BODIES];
    int owners[MOST_SHAPES]; // of the geoms, which point here
    // ODE keeps pointers to what makes a convex geom.
    dReal numbers[MOST_NUMBERS];
    unsigned polygons[MOST_NUMBERS];
    int number_count, polygon_count;
    // of the last step
    BenchRestPoint points[BENCH_REST_POINTS];
    dJointFeedback loads[BENCH_REST_POINTS];
    CairnVec3 normals[BENCH_REST_POINTS];
    int point_count;
    bool is_quick, is_full;
} State;

static CairnVec3 vec3_of(const dReal *v) {
    return cairn_vec3(v[0], v[1], v[2]);
}

static CairnTransform pose_of(dBodyID body) {
    const dReal *q = dBodyGetQuaternion(body);
    CairnTransform pose = {.p = vec3_of(dBodyGetPosition(body))};
    pose.q.w = q[0];
    pose.q.x = q[1];
    pose.q.y = q[2];
    pose.q.z = q[3];
    return pose;
}

// ---- shapes ----

static dGeomID make_hull(State *s, const CairnHull *hull) {
    int numbers = 4 * hull->face_count + 3 * hull->vertex_count, indices = hull->face_count + hull->half_edge_count;
    if (s->number_count + numbers > MOST_NUMBERS || s->polygon_count + indices > MOST_NUMBERS) {
        return NULL;
    }
    dReal *planes = s->numbers + s->number_count, *points = planes + 4 * hull->face_count;
    unsigned *polygons = s->polygons + s->polygon_count, *next = polygons;
    s->number_count += numbers;
    s->polygon_count += indices;
    for (int f = 0; f < hull->face_count; f++) {
        CairnVec3 n = hull->normals[f];
        const dReal plane[4] = {n.x, n.y, n.z, hull->offsets[f]};
        for (int k = 0; k < 4; k++) {
            planes[4 * f + k] = plane[k];
        }
        unsigned *length = next++;
        *length = 0;
        int first = hull->face_edges[f], e = first;
        do {
            *next++ = hull->edges[e].origin;
            *length += 1;
            e = hull->edges[e].next;
        } while (e != first);
    }
    for (int v = 0; v < hull->vertex_count; v++) {
        points[3 * v] = hull->vertices[v].x;
        points[3 * v + 1] = hull->vertices[v].y;
        points[3 * v + 2] = hull->vertices[v].z;
    }
    return dCreateConvex(s->space, planes, (unsigned)hull->face_count, points, (unsigned)hull->vertex_count, polygons);
}

static dGeomID make_geom(State *s, const CairnGeometry *g, CairnTransform pose) {
    CairnVec3 n = cairn_rotate(pose.q, cairn_vec3(0, 0, 1));
    switch (g->type) {
    case CAIRN_SHAPE_SPHERE:
        return dCreateSphere(s->space, g->radius);
    case CAIRN_SHAPE_BOX:
        return dCreateBox(s->space, 2 * g->half.x, 2 * g->half.y, 2 * g->half.z);
    case CAIRN_SHAPE_CYLINDER:
        return dCreateCylinder(s->space, g->radius, 2 * g->half_height);
    case CAIRN_SHAPE_CAPSULE:
        return dCreateCapsule(s->space, g->radius, 2 * g->half_height);
    case CAIRN_SHAPE_HALF_SPACE:
        return dCreatePlane(s->space, n.x, n.y, n.z, cairn_dot(n, pose.p));
    case CAIRN_SHAPE_HULL:
        return make_hull(s, g->hull);
    default:
        return NULL;
    }
}

static bool add_shape(State *s, const CairnBody *body, const CairnShape *shape, int slot) {
    CairnTransform pose = cairn_shape_pose(body, shape);
    dGeomID geom = s->shape_count < MOST_SHAPES ? make_geom(s, &shape->model->geometry, pose) : NULL;
    if (geom == NULL) {
        return false;
    }
    s->owners[s->shape_count] = slot;
    dGeomSetData(geom, &s->owners[s->shape_count++]);
    dBodyID carrier = s->bodies[slot];
    if (carrier != NULL) {
        CairnVec3 p = cairn_unrotate(body->q, cairn_sub(pose.p, body->center));
        CairnQuat q = cairn_quat_mul(cairn_quat_conj(body->q), pose.q);
        const dQuaternion turn = {q.w, q.x, q.y, q.z};
        dGeomSetBody(geom, carrier);
        dGeomSetOffsetPosition(geom, p.x, p.y, p.z);
        dGeomSetOffsetQuaternion(geom, turn);
    } else if (!shape->model->geometry.is_unbounded) {
        const dQuaternion turn = {pose.q.w, pose.q.x, pose.q.y, pose.q.z};
        dGeomSetPosition(geom, pose.p.x, pose.p.y, pose.p.z);
        dGeomSetQuaternion(geom, turn);
    }
    return true;
}

// ---- bodies ----

static bool add_body(State *s, const CairnWorld *world, CairnBodyId id) {
    CairnBodyState from;
    int index, i = s->body_count++;
    if (!cairn_is_ok(cairn_body_get(world, id, &from)) || !cairn_is_ok(cairn_world_find_body(world, id, &index))) {
        return false;
    }
    s->poses[i] = (CairnTransform){from.center, from.orientation};
    if (from.type == CAIRN_BODY_DYNAMIC) {
        CairnMat3 m = from.mass.inertia;
        const dQuaternion turn = {from.orientation.w, from.orientation.x, from.orientation.y, from.orientation.z};
        dMass mass;
        dMassSetParameters(&mass, from.mass.mass, 0, 0, 0, m.m[0][0], m.m[1][1], m.m[2][2], m.m[0][1], m.m[0][2],
                           m.m[1][2]);
        dBodyID body = s->bodies[i] = dBodyCreate(s->world);
        dBodySetMass(body, &mass);
        dBodySetPosition(body, from.center.x, from.center.y, from.center.z);
        dBodySetQuaternion(body, turn);
    }
    const CairnBody *body = &world->store.bodies[index];
    bool is_made = true;
    for (int k = body->first_shape; k >= 0 && is_made; k = world->store.shapes[k].next) {
        is_made = add_shape(s, body, &world->store.shapes[k], i);
    }
    return is_made;
}

static void ignore_message(int number, const char *format, va_list values) {
    (void)number, (void)format, (void)values;
}

static void close_state(void *state) {
    State *s = state;
    dJointGroupDestroy(s->contacts);
    dSpaceDestroy(s->space);
    dWorldDestroy(s->world);
    free(s);
    dSetMessageHandler(NULL);
    dCloseODE();
}

static void *open_with(const CairnWorld *world, bool is_quick) {
    State *s = calloc(1, sizeof *s);
    dInitODE2(0);
    if (s == NULL || dCheckConfiguration("ODE_double_precision") != 1) {
        free(s);
        dCloseODE();
        return NULL;
    }
    dSetMessageHandler(ignore_message);
    s->is_quick = is_quick;
    s->world = dWorldCreate();
    s->space = dSimpleSpaceCreate(0);
    s->contacts = dJointGroupCreate(0);
    CairnVec3 gravity = world->def.gravity;
    dWorldSetGravity(s->world, gravity.x, gravity.y, gravity.z);
    dWorldSetQuickStepNumIterations(s->world, SWEEPS);
    CairnBodyId ids[BENCH_REST_BODIES];
    int count = cairn_world_bodies(world, ids, BENCH_REST_BODIES);
    bool is_made = count <= BENCH_REST_BODIES;
    for (int i = 0; i < count && is_made; i++) {
        is_made = add_body(s, world, ids[i]);
    }
    if (!is_made) {
        close_state(s);
        return NULL;
    }
    return s;
}

static void *open_direct(const CairnWorld *world) {
    return open_with(world, false);
}

static void *open_quick(const CairnWorld *world) {
    return open_with(world, true);
}

// ---- the step ----

static void store_point(State *s, int a, int b, const dContactGeom *geom, dJointID joint) {
    if (s->point_count == BENCH_REST_POINTS) {
        s->is_full = true;
        return;
    }
    CairnTransform pa = s->bodies[a] != NULL ? pose_of(s->bodies[a]) : s->poses[a];
    CairnTransform pb = s->bodies[b] != NULL ? pose_of(s->bodies[b]) : s->poses[b];
    CairnVec3 in_a = cairn_untransform_point(pa, vec3_of(geom->pos)),
              in_b = cairn_untransform_point(pb, vec3_of(geom->pos));
    s->points[s->point_count] =
        a < b ? (BenchRestPoint){a, b, in_a, in_b, false} : (BenchRestPoint){b, a, in_b, in_a, false};
    s->normals[s->point_count] = vec3_of(geom->normal);
    dJointSetFeedback(joint, &s->loads[s->point_count++]);
}

static void meet(void *state, dGeomID a, dGeomID b) {
    State *s = state;
    dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
    if (body_a == body_b) { // both static, or parts of one
        return;
    }
    dContact contacts[MOST_POINTS] = {0};
    int count = dCollide(a, b, MOST_POINTS, &contacts[0].geom, sizeof contacts[0]);
    const int *slot_a = dGeomGetData(a), *slot_b = dGeomGetData(b);
    for (int i = 0; i < count; i++) {
        contacts[i].surface.mode = dContactApprox1;
        contacts[i].surface.mu = BENCH_REST_FRICTION;
        dJointID joint = dJointCreateContact(s->world, s->contacts, &contacts[i]);
        dJointAttach(joint, body_a, body_b);
        store_point(s, *slot_a, *slot_b, &contacts[i].geom, joint);
    }
}

static bool step(void *state) {
    State *s = state;
    s->point_count = 0;
    dSpaceCollide(s->space, s, meet);
    if (!(s->is_quick ? dWorldQuickStep(s->world, 1.0 / 60) : dWorldStep(s->world, 1.0 / 60))) {
        return false;
    }
    for (int i = 0; i < s->point_count; i++) {
        const dJointFeedback *load = &s->loads[i]; // the first body may be static: then the second feels it
        s->points[i].carries =
            fabs(cairn_dot(vec3_of(load->f1), s->normals[i])) + fabs(cairn_dot(vec3_of(load->f2), s->normals[i])) > 0;
    }
    dJointGroupEmpty(s->contacts);
    return !s->is_full;
}

static double energy_of(const State *s, dBodyID body) {
    dMass mass;
    dVector3 gravity;
    dBodyGetMass(body, &mass);
    dWorldGetGravity(s->world, gravity);
    CairnVec3 v = vec3_of(dBodyGetLinearVel(body)), p = vec3_of(dBodyGetPosition(body));
    CairnVec3 w = cairn_unrotate(pose_of(body).q, vec3_of(dBodyGetAngularVel(body)));
    const dReal *m = mass.I; // rows of four
    CairnVec3 l = {m[0] * w.x + m[1] * w.y + m[2] * w.z, m[4] * w.x + m[5] * w.y + m[6] * w.z,
                   m[8] * w.x + m[9] * w.y + m[10] * w.z};
    return 0.5 * mass.mass * cairn_dot(v, v) + 0.5 * cairn_dot(w, l) - mass.mass * cairn_dot(vec3_of(gravity), p);
}

static void read_state(void *state, BenchRestState *out) {
    const State *s = state;
    out->body_count = s->body_count;
    out->energy = 0;
    for (int i = 0; i < s->body_count; i++) {
        out->bodies[i] = s->bodies[i] != NULL ? pose_of(s->bodies[i]) : s->poses[i];
        out->energy += s->bodies[i] != NULL ? energy_of(s, s->bodies[i]) : 0;
    }
    out->point_count = s->point_count;
    for (int i = 0; i < s->point_count; i++) {
        out->points[i] = s->points[i];
    }
}

static const BenchRestPeer peers[] = {{"ODE dWorldStep", open_direct, step, read_state, close_state},
                                      {"ODE QuickStep 50", open_quick, step, read_state, close_state}};

const BenchRestPeer *bench_rest_ode(int *count) {
    *count = (int)(sizeof peers / sizeof peers[0]);
    return peers;
}

#else

const BenchRestPeer *bench_rest_ode(int *count) {
    *count = 0;
    return NULL;
}

#endif
