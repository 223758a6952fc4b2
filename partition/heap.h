// Heap: nodes by rising key, ties by the rank of the node, so that the order depends on nothing else. A node's key
// may change.
#ifndef CAIRN_PARTITION_HEAP_H
#define CAIRN_PARTITION_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/arena.h"

typedef struct CairnHeap {
    int count;
    int *nodes;       // the least first
    int *position;    // of each node in `nodes`, -1: it is not in the heap
    int64_t *key;     // of each node in the heap
    const int *ranks; // of each node; equal ranks go by number
} CairnHeap;

// Room for nodes 0 .. node_count - 1; false: no memory.
bool cairn_heap_make(CairnHeap *heap, int node_count, const int *ranks, CairnArena *arena);

void cairn_heap_put(CairnHeap *heap, int node, int64_t key); // adds the node, or changes its key
void cairn_heap_drop(CairnHeap *heap, int node);             // nothing where it is not in
void cairn_heap_clear(CairnHeap *heap);

static inline bool cairn_heap_has(const CairnHeap *heap, int node) {
    return heap->position[node] >= 0;
}

#endif
