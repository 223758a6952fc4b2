// Ids: how a program names the bodies, shapes and joints of a world.
//
// An id is a value and owns nothing. It stays valid until its object is destroyed; after that, and in another world,
// every call that is given it returns CAIRN_INVALID_ID, even where a new object has taken the same slot. An id of zeros
// is null: it names nothing, and zero-initialised memory holds null ids.
#ifndef CAIRN_IDS_H
#define CAIRN_IDS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// In each of the three, `index` is the number of the slot, counted from 1; `generation` tells apart the objects that
// have used the slot one after the other; `world` tells apart the worlds that are alive at the same time.
typedef struct CairnBodyId {
    uint32_t index, generation, world;
} CairnBodyId;

typedef struct CairnShapeId {
    uint32_t index, generation, world;
} CairnShapeId;

typedef struct CairnJointId {
    uint32_t index, generation, world;
} CairnJointId;

// Tells whether an id is null. These functions do not look at a world: see cairn_body_is_alive.
static inline bool cairn_body_is_null(CairnBodyId id) {
    return id.index == 0;
}

static inline bool cairn_shape_is_null(CairnShapeId id) {
    return id.index == 0;
}

static inline bool cairn_joint_is_null(CairnJointId id) {
    return id.index == 0;
}

#ifdef __cplusplus
}
#endif

#endif
