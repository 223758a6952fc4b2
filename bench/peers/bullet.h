// Bullet 3.24 as Debian packages it (libbullet-dev, libbullet-extras-dev), called from C.
//
// The package has no C interface, but its shared objects are open to any language: a function of a C++ class is a
// symbol that takes the object first, and nothing here is written in C++. Shapes and bodies are made by
// btWorldImporter's factories, so their memory and layout are Bullet's own. What this file knows of layouts is what the
// public headers of 3.24 print: vectors of four numbers, btRigidBodyConstructionInfo, the pose that a btCollisionObject
// begins with, and the points of a btPersistentManifold. The objects are opened by their full version, in a space of
// names of their own: the two precisions share symbols of one name. Where they are not installed, or answer otherwise
// than known, there is nothing to compare with and the bench says so.
//
// The including file defines BULLET_SINGLE as 1 or 0 first, and _GNU_SOURCE (dlmopen).
#ifndef CAIRN_BENCH_PEERS_BULLET_H
#define CAIRN_BENCH_PEERS_BULLET_H

#include <cairn/math.h>
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if BULLET_SINGLE
typedef float BulletNumber;
#define BULLET_SUFFIX ".so.3.24"
#define BULLET_LETTER 'f'
#else
typedef double BulletNumber;
#define BULLET_SUFFIX "-float64.so.3.24"
#define BULLET_LETTER 'd'
#endif

typedef struct BulletVector {
    BulletNumber v[4];
} BulletVector;

typedef struct BulletPose {
    BulletVector rows[3], origin;
} BulletPose;

typedef struct BulletBodyInfo { // btRigidBody::btRigidBodyConstructionInfo
    BulletNumber mass;
    void *motion_state;
    BulletPose start;
    void *shape;
    BulletVector inertia;
    BulletNumber linear_damping, angular_damping, friction, rolling_friction, spinning_friction, restitution;
    BulletNumber linear_sleeping, angular_sleeping;
    bool additional_damping;
    BulletNumber additional[4];
} BulletBodyInfo;

typedef struct BulletConfigurationInfo { // btDefaultCollisionConstructionInfo
    void *manifold_pool, *algorithm_pool;
    int manifold_pool_size, algorithm_pool_size, custom_size, use_epa;
} BulletConfigurationInfo;

typedef struct BulletPoint { // btManifoldPoint
    BulletVector local_a, local_b, on_b, on_a, normal;
    BulletNumber distance, friction, rolling, spinning, restitution;
    int parts[4];
    void *user;
    int flags;
    BulletNumber impulse, last_rhs, lateral[2], motion[2], cfm, erp, friction_cfm;
    int age;
    BulletVector directions[2];
} BulletPoint;

typedef struct BulletManifold { // btPersistentManifold
    int type;
    BulletPoint points[4];
    const void *bodies[2];
    int count;
} BulletManifold;

typedef struct BulletFunctions {
    void (*make_configuration)(void *configuration, const BulletConfigurationInfo *info);
    void (*make_dispatcher)(void *dispatcher, void *configuration);
    void (*make_broadphase)(void *broadphase, void *pair_cache);
    void (*make_solver)(void *solver);
    void (*make_world)(void *world, void *dispatcher, void *broadphase, void *solver, void *configuration);
    void (*make_importer)(void *importer, void *world);
    void *(*sphere)(void *importer, BulletNumber radius);
    void *(*box)(void *importer, const BulletVector *half);
    void *(*cylinder)(void *importer, BulletNumber radius, BulletNumber half_height);
    void *(*capsule)(void *importer, BulletNumber radius, BulletNumber height);
    void *(*plane)(void *importer, const BulletVector *normal, BulletNumber offset);
    void *(*hull)(void *importer);
    void (*add_point)(void *hull, const BulletVector *point, bool measure);
    void *(*compound)(void *importer);
    void (*add_child)(void *compound, const BulletPose *pose, void *shape);
    void *(*body)(void *importer, bool is_dynamic, BulletNumber mass, const BulletPose *pose, void *shape,
                  const char *name);
    void (*set_up)(void *body, const BulletBodyInfo *info);
    void (*set_activation)(const void *body, int state);
    void (*set_pose)(void *body, const BulletPose *pose);
    void (*predict)(void *body, BulletNumber time, BulletPose *pose);
    void (*add_body)(void *world, void *body, int group, int mask);
    void (*remove_body)(void *world, void *body);
    void (*set_gravity)(void *world, const BulletVector *gravity);
    void (*detect)(void *world);
    int (*step)(void *world, BulletNumber time, int substeps, BulletNumber substep);
    int (*manifold_count)(const void *dispatcher);
    BulletManifold *(*manifold)(void *dispatcher, int index);
    void (*delete_all)(void *importer);
    void (*end_importer)(void *importer);
    void (*end_world)(void *world);
    void (*end_solver)(void *solver);
    void (*end_broadphase)(void *broadphase);
    void (*end_dispatcher)(void *dispatcher);
    void (*end_configuration)(void *configuration);
} BulletFunctions;

// # stands for the letter of the precision.
static const struct {
    const char *symbol;
    size_t offset;
} bullet_symbols[] = {
    {"_ZN31btDefaultCollisionConfigurationC1ERK34btDefaultCollisionConstructionInfo",
     offsetof(BulletFunctions, make_configuration)},
    {"_ZN21btCollisionDispatcherC1EP24btCollisionConfiguration", offsetof(BulletFunctions, make_dispatcher)},
    {"_ZN16btDbvtBroadphaseC1EP22btOverlappingPairCache", offsetof(BulletFunctions, make_broadphase)},
    {"_ZN35btSequentialImpulseConstraintSolverC1Ev", offsetof(BulletFunctions, make_solver)},
    {"_ZN23btDiscreteDynamicsWorldC1EP12btDispatcherP21btBroadphaseInterfaceP18btConstraintSolverP24btCollisionConfigur"
     "ation",
     offsetof(BulletFunctions, make_world)},
    {"_ZN15btWorldImporterC1EP15btDynamicsWorld", offsetof(BulletFunctions, make_importer)},
    {"_ZN15btWorldImporter17createSphereShapeE#", offsetof(BulletFunctions, sphere)},
    {"_ZN15btWorldImporter14createBoxShapeERK9btVector3", offsetof(BulletFunctions, box)},
    {"_ZN15btWorldImporter20createCylinderShapeZE##", offsetof(BulletFunctions, cylinder)},
    {"_ZN15btWorldImporter19createCapsuleShapeZE##", offsetof(BulletFunctions, capsule)},
    {"_ZN15btWorldImporter16createPlaneShapeERK9btVector3#", offsetof(BulletFunctions, plane)},
    {"_ZN15btWorldImporter21createConvexHullShapeEv", offsetof(BulletFunctions, hull)},
    {"_ZN17btConvexHullShape8addPointERK9btVector3b", offsetof(BulletFunctions, add_point)},
    {"_ZN15btWorldImporter19createCompoundShapeEv", offsetof(BulletFunctions, compound)},
    {"_ZN15btCompoundShape13addChildShapeERK11btTransformP16btCollisionShape", offsetof(BulletFunctions, add_child)},
    {"_ZN15btWorldImporter15createRigidBodyEb#RK11btTransformP16btCollisionShapePKc", offsetof(BulletFunctions, body)},
    {"_ZN11btRigidBody14setupRigidBodyERKNS_27btRigidBodyConstructionInfoE", offsetof(BulletFunctions, set_up)},
    {"_ZNK17btCollisionObject18setActivationStateEi", offsetof(BulletFunctions, set_activation)},
    {"_ZN11btRigidBody24setCenterOfMassTransformERK11btTransform", offsetof(BulletFunctions, set_pose)},
    {"_ZN11btRigidBody26predictIntegratedTransformE#R11btTransform", offsetof(BulletFunctions, predict)},
    {"_ZN23btDiscreteDynamicsWorld12addRigidBodyEP11btRigidBodyii", offsetof(BulletFunctions, add_body)},
    {"_ZN23btDiscreteDynamicsWorld15removeRigidBodyEP11btRigidBody", offsetof(BulletFunctions, remove_body)},
    {"_ZN23btDiscreteDynamicsWorld10setGravityERK9btVector3", offsetof(BulletFunctions, set_gravity)},
    {"_ZN16btCollisionWorld33performDiscreteCollisionDetectionEv", offsetof(BulletFunctions, detect)},
    {"_ZN23btDiscreteDynamicsWorld14stepSimulationE#i#", offsetof(BulletFunctions, step)},
    {"_ZNK21btCollisionDispatcher15getNumManifoldsEv", offsetof(BulletFunctions, manifold_count)},
    {"_ZN21btCollisionDispatcher26getManifoldByIndexInternalEi", offsetof(BulletFunctions, manifold)},
    {"_ZN15btWorldImporter13deleteAllDataEv", offsetof(BulletFunctions, delete_all)},
    {"_ZN15btWorldImporterD1Ev", offsetof(BulletFunctions, end_importer)},
    {"_ZN23btDiscreteDynamicsWorldD1Ev", offsetof(BulletFunctions, end_world)},
    {"_ZN35btSequentialImpulseConstraintSolverD1Ev", offsetof(BulletFunctions, end_solver)},
    {"_ZN16btDbvtBroadphaseD1Ev", offsetof(BulletFunctions, end_broadphase)},
    {"_ZN21btCollisionDispatcherD1Ev", offsetof(BulletFunctions, end_dispatcher)},
    {"_ZN31btDefaultCollisionConfigurationD1Ev", offsetof(BulletFunctions, end_configuration)},
};

static inline bool bullet_find(void *library, const char *pattern, char *symbol_pointer) {
    char name[160];
    size_t length = strlen(pattern);
    for (size_t k = 0; k <= length; k++) {
        name[k] = pattern[k];
        if (pattern[k] == '#') {
            name[k] = BULLET_LETTER;
        }
    }
    void *symbol = dlsym(library, name);
    memcpy(symbol_pointer, &symbol, sizeof symbol);
    return symbol != NULL;
}

// False: not installed. The library is opened once and stays open: a space of names is not given back.
static inline bool bullet_load(BulletFunctions *functions) {
    static void *library;
    if (library == NULL) {
        library = dlmopen(LM_ID_NEWLM, "libBulletWorldImporter" BULLET_SUFFIX, RTLD_NOW | RTLD_LOCAL);
    }
    bool is_whole = library != NULL;
    for (size_t k = 0; k < sizeof bullet_symbols / sizeof bullet_symbols[0] && is_whole; k++) {
        is_whole = bullet_find(library, bullet_symbols[k].symbol, (char *)(void *)functions + bullet_symbols[k].offset);
    }
    return is_whole;
}

// ---- a world ----

enum { BULLET_ROOM = 1 << 15, BULLET_OBJECTS = 6, BULLET_BOXED = 1, BULLET_STATIC = 2, BULLET_ALWAYS_ACTIVE = 4 };

// Each part has more room than it needs: the dispatcher is the largest, with two tables of 36 x 36 pointers.
typedef struct BulletWorld {
    BulletFunctions f;
    char *memory;
    void *configuration, *dispatcher, *broadphase, *solver, *world, *importer;
} BulletWorld;

static inline bool bullet_open(BulletWorld *w) {
    *w = (BulletWorld){.memory = NULL};
    if (!bullet_load(&w->f)) {
        return false;
    }
    w->memory = aligned_alloc(64, (size_t)BULLET_OBJECTS * BULLET_ROOM);
    if (w->memory == NULL) {
        return false;
    }
    memset(w->memory, 0, (size_t)BULLET_OBJECTS * BULLET_ROOM);
    void **objects[BULLET_OBJECTS] = {&w->configuration, &w->dispatcher, &w->broadphase,
                                      &w->solver,        &w->world,      &w->importer};
    for (ptrdiff_t k = 0; k < BULLET_OBJECTS; k++) {
        *objects[k] = w->memory + k * BULLET_ROOM;
    }
    const BulletConfigurationInfo info = {NULL, NULL, 4096, 4096, 0, 1}; // its defaults
    w->f.make_configuration(w->configuration, &info);
    w->f.make_dispatcher(w->dispatcher, w->configuration);
    w->f.make_broadphase(w->broadphase, NULL);
    w->f.make_solver(w->solver);
    w->f.make_world(w->world, w->dispatcher, w->broadphase, w->solver, w->configuration);
    w->f.make_importer(w->importer, NULL);
    return true;
}

static inline void bullet_close(BulletWorld *w, void *const *bodies, int count) {
    if (w->memory == NULL) {
        return;
    }
    for (int i = 0; i < count; i++) {
        if (bodies[i] != NULL) {
            w->f.remove_body(w->world, bodies[i]);
        }
    }
    w->f.delete_all(w->importer);
    w->f.end_importer(w->importer);
    w->f.end_world(w->world);
    w->f.end_solver(w->solver);
    w->f.end_broadphase(w->broadphase);
    w->f.end_dispatcher(w->dispatcher);
    w->f.end_configuration(w->configuration);
    free(w->memory);
    w->memory = NULL;
}

static inline BulletVector bullet_vector(CairnVec3 v) {
    return (BulletVector){{(BulletNumber)v.x, (BulletNumber)v.y, (BulletNumber)v.z, 0}};
}

static inline CairnVec3 bullet_vec3(const BulletVector *v) {
    return (CairnVec3){(double)v->v[0], (double)v->v[1], (double)v->v[2]};
}

static inline BulletPose bullet_pose(CairnTransform pose) {
    CairnVec3 x = cairn_rotate(pose.q, (CairnVec3){1, 0, 0}), y = cairn_rotate(pose.q, (CairnVec3){0, 1, 0}),
              z = cairn_rotate(pose.q, (CairnVec3){0, 0, 1});
    return (BulletPose){.rows = {bullet_vector((CairnVec3){x.x, y.x, z.x}), bullet_vector((CairnVec3){x.y, y.y, z.y}),
                                 bullet_vector((CairnVec3){x.z, y.z, z.z})},
                        .origin = bullet_vector(pose.p)};
}

// A btCollisionObject begins, after the pointer to its functions, with its pose.
static inline const BulletPose *bullet_pose_of(const void *body) {
    const char *bytes = body;
    return (const void *)(bytes + 8);
}

#endif
