// Bullet with a copy of a world at rest (bullet.h says how it is reached from C), in double precision as Cairn and ODE
// are.
//
// Settings: Bullet's own, which are ten sweeps a step with its split impulse; steps of 1/60 s, and four sub-steps of
// 1/240 s. Friction coefficients are multiplied, so each has the root. No bodies fall asleep, which would stop what
// moves instead of showing it.
#define _GNU_SOURCE
#define BULLET_SINGLE 0
#include "bench/peers/bullet.h"
#include "bench/peers/rest.h"
#include "bench/rest_poses.h"
#include "collision/shapes/hull.h"
#include "engine/base/mat3.h"
#include "engine/world.h"
#include <math.h>

typedef struct State {
    BulletWorld w;
    void *bodies[BENCH_REST_BODIES];
    double masses[BENCH_REST_BODIES]; // 0: static
    CairnVec3 moments[BENCH_REST_BODIES], gravity;
    int body_count, substeps;
} State;

static CairnTransform pose_of(const void *body) {
    const BulletPose *from = bullet_pose_of(body);
    CairnMat3 m;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            m.m[i][j] = from->rows[i].v[j];
        }
    }
    return (CairnTransform){bullet_vec3(&from->origin), cairn_quat_of_mat3(m)};
}

// ---- shapes ----

static void *make_hull(const State *s, const CairnHull *hull) {
    void *shape = s->w.f.hull(s->w.importer);
    for (int v = 0; v < hull->vertex_count; v++) {
        BulletVector point = bullet_vector(hull->vertices[v]);
        s->w.f.add_point(shape, &point, v + 1 == hull->vertex_count);
    }
    return shape;
}

static void *make_shape(const State *s, const CairnGeometry *g) {
    BulletVector half = bullet_vector(g->half), up = bullet_vector((CairnVec3){0, 0, 1});
    switch (g->type) {
    case CAIRN_SHAPE_SPHERE:
        return s->w.f.sphere(s->w.importer, g->radius);
    case CAIRN_SHAPE_BOX:
        return s->w.f.box(s->w.importer, &half);
    case CAIRN_SHAPE_CYLINDER:
        return s->w.f.cylinder(s->w.importer, g->radius, g->half_height);
    case CAIRN_SHAPE_CAPSULE:
        return s->w.f.capsule(s->w.importer, g->radius, 2 * g->half_height);
    case CAIRN_SHAPE_HALF_SPACE:
        return s->w.f.plane(s->w.importer, &up, 0);
    case CAIRN_SHAPE_HULL:
        return make_hull(s, g->hull);
    default:
        return NULL;
    }
}

// The frame in which Bullet gets a body: of its only shape where that has the body's centre and axes, else its
// principal axes.
static CairnTransform frame_of(const CairnBody *body, const CairnShape *only) {
    if (only != NULL && only->model->geometry.type != CAIRN_SHAPE_HULL) {
        return cairn_shape_pose(body, only);
    }
    return (CairnTransform){body->center, cairn_quat_normalize(cairn_quat_mul(body->q, body->model->axes))};
}

static bool is_alone(const CairnGeometry *g, const CairnBody *body) {
    return body->type != CAIRN_BODY_DYNAMIC || g->type != CAIRN_SHAPE_HULL;
}

static void *make_shapes(const State *s, const CairnWorld *world, const CairnBody *body, CairnTransform frame) {
    const CairnShape *shapes = world->store.shapes, *first = &shapes[body->first_shape];
    if (first->next < 0 && is_alone(&first->model->geometry, body)) {
        return make_shape(s, &first->model->geometry);
    }
    void *compound = s->w.f.compound(s->w.importer);
    for (int k = body->first_shape; k >= 0; k = shapes[k].next) {
        CairnTransform pose = cairn_shape_pose(body, &shapes[k]);
        CairnTransform in = {cairn_untransform_point(frame, pose.p), cairn_quat_mul(cairn_quat_conj(frame.q), pose.q)};
        BulletPose child = bullet_pose(in);
        void *shape = make_shape(s, &shapes[k].model->geometry);
        if (shape == NULL) {
            return NULL;
        }
        s->w.f.add_child(compound, &child, shape);
    }
    return compound;
}

// ---- bodies ----

static bool add_body(State *s, const CairnWorld *world, CairnBodyId id) {
    int index, i = s->body_count;
    if (!cairn_is_ok(cairn_world_find_body(world, id, &index)) || world->store.bodies[index].first_shape < 0) {
        return false;
    }
    const CairnBody *body = &world->store.bodies[index];
    const CairnShape *first = &world->store.shapes[body->first_shape];
    CairnTransform frame = frame_of(body, first->next < 0 ? first : NULL);
    if (first->next < 0 && body->type != CAIRN_BODY_DYNAMIC) {
        frame = cairn_shape_pose(body, first);
    }
    BulletPose pose = bullet_pose(frame);
    void *shape = make_shapes(s, world, body, frame);
    if (shape == NULL) {
        return false;
    }
    if (body->type == CAIRN_BODY_DYNAMIC) {
        CairnMat3 tensor = cairn_mat3_rotate(
            cairn_quat_mul(cairn_quat_conj(frame.q), cairn_quat_mul(body->q, body->model->axes)),
            cairn_mat3_diagonal(body->model->moments.x, body->model->moments.y, body->model->moments.z));
        s->masses[i] = body->model->mass;
        s->moments[i] = (CairnVec3){tensor.m[0][0], tensor.m[1][1], tensor.m[2][2]};
    }
    BulletBodyInfo info = {.mass = s->masses[i],
                           .start = pose,
                           .shape = shape,
                           .inertia = bullet_vector(s->moments[i]),
                           .friction = sqrt(BENCH_REST_FRICTION)};
    s->bodies[i] = s->w.f.body(s->w.importer, s->masses[i] > 0, s->masses[i], &pose, shape, NULL);
    s->w.f.set_up(s->bodies[i], &info);
    if (memcmp(bullet_pose_of(s->bodies[i])->origin.v, pose.origin.v, 3 * sizeof(BulletNumber)) != 0) {
        return false; // another Bullet than the one that is known
    }
    s->body_count += 1;
    bool is_static = s->masses[i] <= 0;
    s->w.f.add_body(s->w.world, s->bodies[i], is_static ? BULLET_STATIC : BULLET_BOXED,
                    is_static ? BULLET_BOXED : BULLET_BOXED | BULLET_STATIC);
    if (!is_static) {
        s->w.f.set_activation(s->bodies[i], BULLET_ALWAYS_ACTIVE);
    }
    return true;
}

static void close_state(void *state) {
    State *s = state;
    bullet_close(&s->w, s->bodies, s->body_count);
    free(s);
}

static void *open_with(const CairnWorld *world, int substeps) {
    State *s = calloc(1, sizeof *s);
    if (s == NULL || !bullet_open(&s->w)) {
        free(s);
        return NULL;
    }
    s->substeps = substeps;
    s->gravity = world->def.gravity;
    BulletVector gravity = bullet_vector(s->gravity);
    s->w.f.set_gravity(s->w.world, &gravity);
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

static void *open_whole(const CairnWorld *world) {
    return open_with(world, 1);
}

static void *open_fine(const CairnWorld *world) {
    return open_with(world, 4);
}

// ---- the step ----

static bool step(void *state) {
    State *s = state;
    bool is_done = true;
    for (int k = 0; k < s->substeps; k++) { // one at a time, so that none is left over by rounding
        is_done = s->w.f.step(s->w.world, 1.0 / (60 * s->substeps), 0, 0) == 1 && is_done;
    }
    return is_done;
}

static int index_of(const State *s, const void *body) {
    int found = 0;
    for (int i = 0; i < s->body_count; i++) {
        found = s->bodies[i] == body ? i : found;
    }
    return found;
}

// The velocities follow from the predicted pose after a short time.
static double energy_of(const State *s, int i) {
    const double short_while = 1.0 / 60;
    CairnTransform now = pose_of(s->bodies[i]);
    BulletPose after;
    s->w.f.predict(s->bodies[i], short_while, &after);
    CairnVec3 v = cairn_scale(1 / short_while, cairn_sub(bullet_vec3(&after.origin), now.p));
    CairnMat3 m;
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            m.m[r][c] = after.rows[r].v[c];
        }
    }
    CairnQuat turn = cairn_quat_mul(cairn_quat_conj(now.q), cairn_quat_of_mat3(m));
    double sign = turn.w < 0 ? -1 : 1; // small angles: twice the vector part
    CairnVec3 w = cairn_scale(2 * sign / short_while, (CairnVec3){turn.x, turn.y, turn.z}), I = s->moments[i];
    return 0.5 * s->masses[i] * cairn_dot(v, v) + 0.5 * (I.x * w.x * w.x + I.y * w.y * w.y + I.z * w.z * w.z) -
           s->masses[i] * cairn_dot(s->gravity, now.p);
}

static void read_point(const State *s, const BulletManifold *manifold, const BulletPoint *point, BenchRestState *out) {
    if (out->point_count == BENCH_REST_POINTS) {
        return;
    }
    int a = index_of(s, manifold->bodies[0]), b = index_of(s, manifold->bodies[1]);
    CairnVec3 p = cairn_scale(0.5, cairn_add(bullet_vec3(&point->on_a), bullet_vec3(&point->on_b)));
    CairnVec3 in_a = cairn_untransform_point(out->bodies[a], p), in_b = cairn_untransform_point(out->bodies[b], p);
    bool carries = point->impulse > 0;
    out->points[out->point_count++] =
        a < b ? (BenchRestPoint){a, b, in_a, in_b, carries} : (BenchRestPoint){b, a, in_b, in_a, carries};
}

static void read_state(void *state, BenchRestState *out) {
    State *s = state;
    out->body_count = s->body_count;
    out->energy = 0;
    for (int i = 0; i < s->body_count; i++) {
        out->bodies[i] = pose_of(s->bodies[i]);
        out->energy += s->masses[i] > 0 ? energy_of(s, i) : 0;
    }
    out->point_count = 0;
    int count = s->w.f.manifold_count(s->w.dispatcher);
    for (int k = 0; k < count; k++) {
        const BulletManifold *manifold = s->w.f.manifold(s->w.dispatcher, k);
        for (int i = 0; i < manifold->count; i++) {
            read_point(s, manifold, &manifold->points[i], out);
        }
    }
}

static const BenchRestPeer peers[] = {{"Bullet", open_whole, step, read_state, close_state},
                                      {"Bullet, 4 sub-steps", open_fine, step, read_state, close_state}};

const BenchRestPeer *bench_rest_bullet(int *count) {
    BulletFunctions functions;
    *count = bullet_load(&functions) ? (int)(sizeof peers / sizeof peers[0]) : 0;
    return peers;
}
