// The geometry of a shape that allocates nothing.
#ifndef CAIRN_TESTS_SUPPORT_GEOMETRY_H
#define CAIRN_TESTS_SUPPORT_GEOMETRY_H

#include "collision/collision.h"
#include "engine/base/memory.h"
#include "tests/support/support.h"

static inline CairnGeometry support_geometry(const CairnShapeDef *def) {
    CairnAllocator allocator = cairn_memory_default();
    CairnGeometry geometry;
    assert_ok(cairn_geometry_make(def, &allocator, &geometry));
    return geometry;
}

static inline void support_geometry_drop(CairnGeometry *geometry) {
    CairnAllocator allocator = cairn_memory_default();
    cairn_geometry_free(geometry, &allocator);
}

#endif
