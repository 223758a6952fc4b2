#include "engine/pool.h"
#include "engine/base/check.h"
#include "engine/base/memory.h"

void cairn_pool_init(CairnPool *pool) {
    *pool = (CairnPool){.free_head = -1};
}

void cairn_pool_free(CairnPool *pool, const CairnAllocator *allocator) {
    cairn_memory_release(allocator, pool->slots, (size_t)pool->capacity, sizeof(CairnSlot));
    cairn_pool_init(pool);
}

bool cairn_pool_prepare(CairnPool *pool, const CairnAllocator *allocator, int *needed) {
    if (pool->free_head >= 0) {
        *needed = pool->count;
        return true;
    }
    *needed = pool->count + 1;
    return cairn_memory_reserve(allocator, &pool->slots, &pool->capacity, *needed, sizeof(CairnSlot));
}

int cairn_pool_take(CairnPool *pool) {
    int index = pool->free_head;
    if (index >= 0) {
        pool->free_head = pool->slots[index].next_free;
    } else {
        CAIRN_ASSERT(pool->count < pool->capacity);
        index = pool->count++;
        pool->slots[index].generation = 0;
    }
    pool->slots[index].generation += 1;
    pool->slots[index].next_free = -1;
    pool->alive += 1;
    return index;
}

void cairn_pool_give(CairnPool *pool, int index) {
    CAIRN_ASSERT(cairn_pool_is_alive(pool, index));
    pool->slots[index].generation += 1;
    pool->slots[index].next_free = pool->free_head;
    pool->free_head = index;
    pool->alive -= 1;
}

void cairn_pool_untake(CairnPool *pool, int index) {
    CAIRN_ASSERT(cairn_pool_is_alive(pool, index));
    CairnSlot *slot = &pool->slots[index];
    slot->generation -= 1;
    pool->alive -= 1;
    if (slot->generation == 0) {
        CAIRN_ASSERT(index == pool->count - 1);
        pool->count -= 1;
    } else {
        slot->next_free = pool->free_head;
        pool->free_head = index;
    }
}
