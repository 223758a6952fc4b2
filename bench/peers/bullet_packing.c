// Bullet's sequential impulses on a box full of balls (bullet.h says how it is reached from C): btDiscreteDynamicsWorld
// in single precision with its SSE rows, as pkg-config's `bullet` has it and as it is fastest. One thread, no sleeping,
// no warm start, overlaps let be.
#define _GNU_SOURCE
#define BULLET_SINGLE 1
#include "bench/bench.h"
#include "bench/peers/bullet.h"
#include "bench/peers/packing.h"
#include <math.h>

// btContactSolverInfo, as far as its values are known when a world is made and then set.
typedef struct Info {
    float tau, damping, friction, step, restitution;
    int sweeps;
    float most_reduction, omega, joint_recovery, recovery, deformable[3], cfm, friction_recovery, friction_cfm;
    int split_impulse;
    float split_threshold, split_turn, slop, warmth, articulated_warmth;
    int mode;
} Info;

// Bullet takes a body out by a search through all pairs: minutes for many, whose world is left to the end of the
// process.
enum { WARM_START = 4, WALLS = 5, MANY = 20000 };

typedef struct State {
    BulletWorld w;
    void **bodies;
    int count;
} State;

// The offset of the solver's settings in a world is in no public header: they are found by their initial values.
static bool set_sweeps(const BulletWorld *w, int sweeps) {
    const Info fresh = {.tau = 0.6F, .damping = 1, .friction = 0.3F, .step = 1.F / 60, .sweeps = 10};
    char *found = NULL;
    for (size_t at = 0; at + sizeof(Info) < BULLET_ROOM && found == NULL; at += sizeof(float)) {
        char *here = (char *)w->world + at;
        found = memcmp(here, &fresh, offsetof(Info, most_reduction)) == 0 ? here : NULL;
    }
    Info info;
    if (found == NULL) {
        return false;
    }
    memcpy(&info, found, sizeof info);
    info.sweeps = sweeps;
    info.recovery = 0;
    info.split_impulse = 0;
    info.mode &= ~WARM_START;
    memcpy(found, &info, sizeof info);
    return true;
}

static bool add_body(State *s, void *shape, double mass, CairnVec3 center, CairnVec3 inertia, double friction) {
    BulletPose pose = bullet_pose((CairnTransform){center, {1, 0, 0, 0}});
    BulletBodyInfo info = {.mass = (float)mass,
                           .start = pose,
                           .shape = shape,
                           .inertia = bullet_vector(inertia),
                           .friction = (float)sqrt(friction)}; // two are multiplied
    void *body = shape != NULL ? s->w.f.body(s->w.importer, mass > 0, (float)mass, &pose, shape, NULL) : NULL;
    if (body == NULL) {
        return false;
    }
    s->w.f.set_up(body, &info);
    s->bodies[s->count++] = body;
    bool is_static = mass <= 0;
    s->w.f.add_body(s->w.world, body, is_static ? BULLET_STATIC : BULLET_BOXED,
                    is_static ? BULLET_BOXED : BULLET_BOXED | BULLET_STATIC);
    if (!is_static) {
        s->w.f.set_activation(body, BULLET_ALWAYS_ACTIVE);
    }
    return memcmp(bullet_pose_of(body)->origin.v, pose.origin.v, 3 * sizeof(BulletNumber)) == 0;
}

static bool fill(State *s, const BenchPacking *packing) {
    const CairnVec3 normals[WALLS] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
    bool is_made = true;
    for (int k = 0; k < WALLS && is_made; k++) {
        BulletVector normal = bullet_vector(normals[k]);
        void *plane = s->w.f.plane(s->w.importer, &normal, (float)(k == 0 ? 0 : -packing->half));
        is_made = add_body(s, plane, 0, (CairnVec3){0, 0, 0}, (CairnVec3){0, 0, 0}, packing->friction);
    }
    double r = packing->radius, mass = packing->density * 4 * CAIRN_PI / 3 * r * r * r, I = 0.4 * mass * r * r;
    void *ball = s->w.f.sphere(s->w.importer, (float)r);
    for (int i = 0; i < packing->count && is_made; i++) {
        is_made = add_body(s, ball, mass, packing->centers[i], (CairnVec3){I, I, I}, packing->friction);
    }
    BulletVector gravity = bullet_vector((CairnVec3){0, 0, -9.81});
    s->w.f.set_gravity(s->w.world, &gravity);
    return is_made;
}

static int count_contacts(const State *s) {
    int points = 0, count = s->w.f.manifold_count(s->w.dispatcher);
    for (int i = 0; i < count; i++) {
        points += s->w.f.manifold(s->w.dispatcher, i)->count;
    }
    return points;
}

// A body's velocity is read as the difference between its predicted pose after one second and the present one.
static void read_velocities(const State *s, const BenchPacking *packing, CairnVec3 *velocities) {
    for (int i = 0; i < packing->count; i++) {
        BulletPose after;
        s->w.f.predict(s->bodies[WALLS + i], 1, &after);
        velocities[i] =
            cairn_sub(bullet_vec3(&after.origin), bullet_vec3(&bullet_pose_of(s->bodies[WALLS + i])->origin));
    }
}

bool bench_bullet_packing(const BenchPacking *packing, int sweeps, int steps, BenchPacked *packed) {
    State s = {.bodies = calloc((size_t)packing->count + WALLS, sizeof *s.bodies)};
    if (s.bodies == NULL || !bullet_open(&s.w)) {
        free(s.bodies);
        return false;
    }
    bool is_done = fill(&s, packing) && set_sweeps(&s.w, sweeps);
    for (int k = 0; k < steps && is_done; k++) {
        double start = bench_cpu_now();
        is_done = s.w.f.step(s.w.world, (float)packing->step, 0, 0) == 1;
        packed->seconds = bench_cpu_now() - start;
    }
    packed->contacts = count_contacts(&s);
    if (is_done && packed->velocities != NULL) {
        read_velocities(&s, packing, packed->velocities);
    }
    if (packing->count <= MANY) {
        bullet_close(&s.w, s.bodies, s.count);
    }
    free(s.bodies);
    return is_done;
}
