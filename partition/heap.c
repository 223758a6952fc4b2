#include "partition/heap.h"

bool cairn_heap_make(CairnHeap *heap, int node_count, const int *ranks, CairnArena *arena) {
    *heap = (CairnHeap){.count = 0, .ranks = ranks};
    heap->nodes = CAIRN_PUSH(arena, int, node_count);
    heap->position = CAIRN_PUSH(arena, int, node_count);
    heap->key = CAIRN_PUSH(arena, int64_t, node_count);
    if (!heap->nodes || !heap->position || !heap->key) {
        return false;
    }
    for (int i = 0; i < node_count; i++) {
        heap->position[i] = -1;
    }
    return true;
}

static bool is_before(const CairnHeap *heap, int a, int b) {
    if (heap->key[a] != heap->key[b]) {
        return heap->key[a] < heap->key[b];
    }
    return heap->ranks[a] != heap->ranks[b] ? heap->ranks[a] < heap->ranks[b] : a < b;
}

static void set(CairnHeap *heap, int position, int node) {
    heap->nodes[position] = node;
    heap->position[node] = position;
}

static void rise(CairnHeap *heap, int position) {
    int node = heap->nodes[position];
    while (position > 0 && is_before(heap, node, heap->nodes[(position - 1) / 2])) {
        set(heap, position, heap->nodes[(position - 1) / 2]);
        position = (position - 1) / 2;
    }
    set(heap, position, node);
}

static void sink(CairnHeap *heap, int position) {
    int node = heap->nodes[position];
    for (;;) {
        int child = 2 * position + 1;
        if (child + 1 < heap->count && is_before(heap, heap->nodes[child + 1], heap->nodes[child])) {
            child += 1;
        }
        if (child >= heap->count || is_before(heap, node, heap->nodes[child])) {
            break;
        }
        set(heap, position, heap->nodes[child]);
        position = child;
    }
    set(heap, position, node);
}

void cairn_heap_put(CairnHeap *heap, int node, int64_t key) {
    int position = heap->position[node];
    if (position >= 0 && heap->key[node] == key) {
        return;
    }
    bool is_later = position >= 0 && key > heap->key[node];
    heap->key[node] = key;
    if (position < 0) {
        position = heap->count++;
        set(heap, position, node);
    }
    if (is_later) {
        sink(heap, position);
    } else {
        rise(heap, position);
    }
}

void cairn_heap_drop(CairnHeap *heap, int node) {
    int position = heap->position[node];
    if (position < 0) {
        return;
    }
    int last = heap->nodes[--heap->count];
    heap->position[node] = -1;
    if (last != node) {
        set(heap, position, last);
        rise(heap, position);
        sink(heap, heap->position[last]);
    }
}

void cairn_heap_clear(CairnHeap *heap) {
    for (int i = 0; i < heap->count; i++) {
        heap->position[heap->nodes[i]] = -1;
    }
    heap->count = 0;
}
