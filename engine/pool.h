// Pool: slots that are handed out and taken back, with a generation that distinguishes an old id from a new one.
// The elements themselves live in the owner's array, at the slot's index.
#ifndef CAIRN_POOL_H
#define CAIRN_POOL_H

#include <cairn/hooks.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct CairnSlot {
    uint32_t generation; // odd: alive, even: free
    int next_free;       // -1 ends the list
} CairnSlot;

typedef struct CairnPool {
    CairnSlot *slots;
    int count, capacity; // slots ever used, slots allocated
    int free_head;       // -1: none
    int alive;
} CairnPool;

void cairn_pool_init(CairnPool *pool);
void cairn_pool_free(CairnPool *pool, const CairnAllocator *allocator);
// Make sure that the next take succeeds; *needed is the length that the owner's array must have for it.
bool cairn_pool_prepare(CairnPool *pool, const CairnAllocator *allocator, int *needed);
int cairn_pool_take(CairnPool *pool); // after a prepare
void cairn_pool_give(CairnPool *pool, int index);
void cairn_pool_untake(CairnPool *pool, int index); // undoes the last take, whose id no caller has seen

static inline bool cairn_pool_is_alive(const CairnPool *pool, int index) {
    return index >= 0 && index < pool->count && (pool->slots[index].generation & 1u) != 0;
}

#endif
