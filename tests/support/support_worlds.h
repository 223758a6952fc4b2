// Worlds that several tests share: small scenes that together use every stage of a step, and a world's state as bytes.
#ifndef CAIRN_TESTS_SUPPORT_WORLDS_H
#define CAIRN_TESTS_SUPPORT_WORLDS_H

#include <cairn/cairn.h>

typedef enum SupportScene {
    SUPPORT_TOWER = 0, // columns of boxes at rest: many contacts that last
    SUPPORT_PILE,      // all shapes and compounds fall on each other: contacts come and go
    SUPPORT_CHAIN,     // a heavy chain of links: joints and geometric stiffness
    SUPPORT_MIXED,     // drives, limits, a gear, a rope, a wheel, a kinematic body, rolling friction, bounces
    SUPPORT_SCENE_COUNT
} SupportScene;

const char *support_scene_name(SupportScene scene);

// A world with this allocator and number of threads and pgs at 40 sweeps: what is tested here does not wait for
// convergence.
CairnStatus support_world_create(const CairnAllocator *allocator, int threads, CairnWorld **world);
CairnStatus support_scene_build(CairnWorld *world, SupportScene scene);
// Both; fails the test where either does.
CairnWorld *support_scene_world(SupportScene scene, const CairnAllocator *allocator, int threads);
void support_run(CairnWorld *world, int steps);

// ---- a world of a test's own ----

CairnWorld *support_empty_world(void); // one thread, no allocator of its own
CairnBodyId support_add(CairnWorld *world, CairnBodyType type, CairnShapeDef shape, CairnVec3 at);
CairnShapeId support_first_shape(const CairnWorld *world, CairnBodyId body);
bool support_same_shape(CairnShapeId a, CairnShapeId b);

// ---- the state as bytes ----

typedef struct SupportBytes {
    unsigned char *bytes; // NULL after support_bytes_free
    size_t size;
} SupportBytes;

SupportBytes support_snapshot(const CairnWorld *world);
void support_bytes_free(SupportBytes *bytes);
bool support_same_bytes(const SupportBytes *a, const SupportBytes *b);

// Put the right checksum and size into the header of changed bytes.
void support_fix_checksum(SupportBytes *bytes);

// CAIRN_LONG_TESTS=1 asks for larger sizes.
bool support_is_long(void);

#endif
