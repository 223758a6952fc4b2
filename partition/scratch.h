// The beginning of every partitioner and refiner: scratch memory (an arena over the caller's allocator, freed when
// the call ends) and its options.
#ifndef CAIRN_PARTITION_SCRATCH_H
#define CAIRN_PARTITION_SCRATCH_H

#include <cairn/fields.h>
#include <cairn/hooks.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/memory.h"

typedef struct CairnScratch {
    CairnAllocator allocator;
    CairnArena arena;
} CairnScratch;

// NULL or a zero-initialised allocator: the C library's. The arena points into the scratch, which must stay where it
// is.
static inline void cairn_scratch_open(CairnScratch *scratch, const CairnAllocator *allocator) {
    scratch->allocator = allocator && allocator->allocate ? *allocator : cairn_memory_default();
    cairn_arena_init(&scratch->arena, &scratch->allocator);
}

static inline void cairn_scratch_close(CairnScratch *scratch) {
    cairn_arena_free(&scratch->arena);
}

// A checked copy of a caller's options, or the defaults where there are none.
static inline CairnStatus cairn_partition_options(const CairnFieldTable *table, const void *options, void *copy) {
    if (options) {
        CAIRN_TRY(cairn_fields_check(table, options));
        memcpy(copy, options, table->size);
    } else {
        memset(copy, 0, table->size);
        cairn_fields_preset(table, copy);
    }
    return cairn_ok();
}

#endif
