// Bullet's collision detection (bullet.h says how it is reached from C): btDbvtBroadphase, the default dispatcher with
// its persistent manifolds, in single precision as pkg-config's `bullet` has it. Install: tools/deps --bench (Debian:
// libbullet-extras-dev).
#define _GNU_SOURCE
#define BULLET_SINGLE 1
#include "bench/peers/bullet.h"
#include "bench/peers/peer.h"

typedef struct State {
    BulletWorld w;
    void **bodies;
    int count;
} State;

static void close_state(void *state) {
    State *s = state;
    bullet_close(&s->w, s->bodies, s->count);
    free(s->bodies);
    free(s);
}

static void *make_shape(const BulletWorld *w, const CairnShapeDef *shape) {
    BulletVector half = bullet_vector(cairn_scale(0.5, shape->size));
    switch (shape->type) {
    case CAIRN_SHAPE_SPHERE:
        return w->f.sphere(w->importer, (float)shape->radius);
    case CAIRN_SHAPE_BOX:
        return w->f.box(w->importer, &half);
    case CAIRN_SHAPE_CYLINDER:
        return w->f.cylinder(w->importer, (float)shape->radius, (float)(0.5 * shape->height));
    default:
        return NULL;
    }
}

// Is a body's pose where the header says? If not, this is another Bullet than the one that is known.
static bool reads_back(const BulletWorld *w, void *body, CairnTransform pose) {
    BulletPose to = bullet_pose(pose);
    w->f.set_pose(body, &to);
    return memcmp(bullet_pose_of(body)->origin.v, to.origin.v, 3 * sizeof(BulletNumber)) == 0;
}

static void *open_state(const BenchScene *scene) {
    State *s = calloc(1, sizeof *s);
    void **bodies = calloc((size_t)scene->body_count, sizeof *bodies);
    if (s == NULL || bodies == NULL || !bullet_open(&s->w)) {
        free(s);
        free(bodies);
        return NULL;
    }
    s->bodies = bodies;
    for (int i = 0; i < scene->body_count; i++) {
        bool is_static = scene->bodies[i].is_static;
        BulletPose pose = bullet_pose(scene->frames[0][i]);
        void *shape = make_shape(&s->w, &scene->bodies[i].shape);
        bodies[i] =
            shape != NULL ? s->w.f.body(s->w.importer, !is_static, is_static ? 0 : 1, &pose, shape, NULL) : NULL;
        if (bodies[i] == NULL || !reads_back(&s->w, bodies[i], scene->frames[0][i])) {
            close_state(s);
            return NULL;
        }
        // What never moves is not tested against its like.
        s->w.f.add_body(s->w.world, bodies[i], is_static ? BULLET_STATIC : BULLET_BOXED,
                        is_static ? BULLET_BOXED : BULLET_BOXED | BULLET_STATIC);
        s->count = i + 1;
    }
    return s;
}

static void set_poses(void *state, const CairnTransform *poses) {
    State *s = state;
    for (int i = 0; i < s->count; i++) {
        BulletPose pose = bullet_pose(poses[i]);
        s->w.f.set_pose(s->bodies[i], &pose);
    }
}

static int detect(void *state) {
    State *s = state;
    s->w.f.detect(s->w.world);
    int points = 0, count = s->w.f.manifold_count(s->w.dispatcher);
    for (int i = 0; i < count; i++) {
        points += s->w.f.manifold(s->w.dispatcher, i)->count;
    }
    return points;
}

static const BenchPeer peer = {"Bullet, dynamic tree", open_state, set_poses, detect, close_state};

const BenchPeer *bench_peer_bullet(int *count) {
    BulletFunctions functions;
    *count = bullet_load(&functions) ? 1 : 0;
    return &peer;
}
