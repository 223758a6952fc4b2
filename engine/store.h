// Store: everything that a world is made of and that a snapshot keeps: bodies, shapes, joints, last step's contacts,
// time. Scratch, hooks and the solver are not here (world.h).
#ifndef CAIRN_STORE_H
#define CAIRN_STORE_H

#include "collision/collision.h"
#include "engine/joints/joints.h"
#include "engine/models.h"
#include "engine/pool.h"
#include <cairn/world.h>

// What the last step did to a body.
typedef enum CairnNews { CAIRN_NEWS_NONE = 0, CAIRN_NEWS_MOVED, CAIRN_NEWS_FELL_ASLEEP } CairnNews;

typedef struct CairnBody {
    // what collide reads comes first: the rest of a body stays out of its cache
    CairnVec3 center; // centre of mass, world
    CairnQuat q;
    CairnVec3 velocity, angular_velocity; // of the centre of mass; world axes
    CairnBodyModel *model;                // mass and settings
    CairnBodyType type;
    bool is_continuous;           // swept through the step: never passes through anything
    uint8_t news;                 // CairnNews
    int first_shape, first_joint; // heads of lists, -1: none; a joint entry is 2 joint + side
    int sleeps_with;              // its group's lowest body while asleep, -1 awake (within a step see step_sleep.c)
    int group;
    uint64_t user_data;
    double still_time; // seconds at rest so far
    int part;          // of the last step's partition, -1: none
} CairnBody;

// The forces and impulses that the program applies to a body in the next step.
typedef struct CairnPush {
    CairnVec3 force, torque;
} CairnPush;

typedef struct CairnShape {
    CairnShapeModel *model;
    int body;
    int next; // in the body's list
    // measured when the body's mass is: how far its points are from the body's centre of mass and from its own origin
    // (a half-space's are infinitely far), and the radius of a ball that fits in it (infinite where it is not convex)
    double reach, ball, inner;
} CairnShape;

typedef struct CairnJoint {
    CairnJointCore core;
    int bodies[2]; // -1: the world
    int next[2];   // in each body's list
    int row_count; // of the last step, 0 before
    double lambda[CAIRN_JOINT_MAX_ROWS];
} CairnJoint;

enum { CAIRN_CONTACT_ROWS = 6 }; // normal, t1, t2, torsion, rolling 1, rolling 2

// One contact point of the last step: what the next step needs of it, and what a program may read.
typedef struct CairnContactRecord {
    uint64_t id;
    int shape_a, shape_b;
    uint32_t generation_a, generation_b; // of the shapes' slots: the shapes may die and their slots be used again
    CairnVec3 point, normal, tangent_1;
    double distance;
    double normal_impulse;
    double load;        // the impulse without what stopped an approach: the estimate for the next step
    double held;        // the load that its spring is deflected by (engine/step/step_spring.c)
    double tangents[2]; // impulses along tangent_1 and normal x tangent_1
} CairnContactRecord;

// Two shapes that touched in the last step, sorted by (a, b): begin and end events are made from them.
typedef struct CairnTouchingPair {
    CairnShapeId a, b;
} CairnTouchingPair;

// The steps that a world takes, s: the range is wider than any use needs, and narrow enough that ratios and inverse
// squares stay finite.
#define CAIRN_STEP_MIN 1e-12
#define CAIRN_STEP_MAX 1e12

// No body is farther away than this, m, or moves or turns farther in a step, m and rad. Definitions allow a tenth of
// it; what the collision computes from such numbers (products of a few of them) is far from overflow, so no shape pair
// ever sees an infinity.
#define CAIRN_REACH 1e16

static inline bool cairn_is_within_reach(CairnVec3 v) {
    return fabs(v.x) <= CAIRN_REACH && fabs(v.y) <= CAIRN_REACH && fabs(v.z) <= CAIRN_REACH; // false for NaN
}

typedef struct CairnStore {
    CairnPool body_pool, shape_pool, joint_pool;
    CairnBody *bodies;
    CairnShape *shapes;
    CairnJoint *joints;
    int body_capacity, shape_capacity, joint_capacity;
    CairnModels models;
    CairnPush *pushes; // of the first push_count bodies; of the others, most often all, it is 0
    int push_count, push_capacity;

    CairnContactRecord *contacts;
    int contact_count, contact_capacity;
    CairnVec3 *spins; // impulses of torsion and rolling of each contact, in the world; spin_count 0: there are none
    int spin_count, spin_capacity;
    CairnTouchingPair *touches;
    int touch_count, touch_capacity;

    double last_h; // impulses are forces times this; 0 before the first step
    double time;
    uint64_t step_index;
} CairnStore;

static inline CairnVec3 cairn_store_spin(const CairnStore *store, int contact) {
    return contact < store->spin_count ? store->spins[contact] : (CairnVec3){0, 0, 0};
}

// As a vector in the world, so that a new tangent frame reads it rightly.
static inline CairnVec3 cairn_record_friction(const CairnContactRecord *record) {
    CairnVec3 t2 = cairn_cross(record->normal, record->tangent_1);
    return cairn_add_scaled(cairn_scale(record->tangents[0], record->tangent_1), record->tangents[1], t2);
}

void cairn_store_init(CairnStore *store);
void cairn_store_free(CairnStore *store, const CairnAllocator *allocator);

// Replace what pushes a body. False: no memory.
bool cairn_store_set_push(CairnStore *store, const CairnAllocator *allocator, int body, CairnPush push);
// A body's model becomes one like this. After cairn_models_prepare_body.
void cairn_store_set_model(CairnStore *store, const CairnAllocator *allocator, int index, const CairnBodyModel *wanted);
// Mass, centre and inertia from what was given and the shapes, keeping the body's frame in place; then the shapes'
// sizes. After cairn_models_prepare_body.
void cairn_store_update_mass(CairnStore *store, const CairnAllocator *allocator, int index);
void cairn_store_measure_shape(CairnStore *store, int shape);

// Principal axes (columns) in the world, and the tensor with these moments: A diag(m) A^T.
static inline CairnMat3 cairn_body_axes(const CairnBody *body) {
    return cairn_mat3_of_quat(cairn_quat_mul(body->q, body->model->axes));
}

static inline CairnMat3 cairn_inertia_of_axes(const CairnMat3 *axes, CairnVec3 moments) {
    CairnMat3 sum;
    for (int i = 0; i < 3; i++) {
        const double *a = axes->m[i];
        double x = a[0] * moments.x, y = a[1] * moments.y, z = a[2] * moments.z;
        for (int j = 0; j <= i; j++) {
            const double *b = axes->m[j];
            sum.m[i][j] = sum.m[j][i] = x * b[0] + y * b[1] + z * b[2];
        }
    }
    return sum;
}

static inline CairnVec3 cairn_inverse_moments(const CairnBody *body) {
    return (CairnVec3){1 / body->model->moments.x, 1 / body->model->moments.y, 1 / body->model->moments.z};
}

// Does a body that is not dynamic move, whatever it meets?
static inline bool cairn_body_is_moved(const CairnBody *body) {
    return body->type == CAIRN_BODY_KINEMATIC &&
           (cairn_length_squared(body->velocity) > 0 || cairn_length_squared(body->angular_velocity) > 0);
}

static inline CairnPush cairn_store_push_on(const CairnStore *store, int body) {
    return body < store->push_count ? store->pushes[body] : (CairnPush){{0, 0, 0}, {0, 0, 0}};
}

// The pose of a body's frame, and of a joint's frame or a shape in the world.
static inline CairnTransform cairn_body_frame(const CairnBody *body) {
    return (CairnTransform){cairn_sub(body->center, cairn_rotate(body->q, body->model->local_center)), body->q};
}

static inline CairnTransform cairn_shape_pose(const CairnBody *body, const CairnShape *shape) {
    return cairn_transform_mul(cairn_body_frame(body), shape->model->geometry.local);
}

#endif
