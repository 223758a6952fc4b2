#include "partition/heap.h"

bool cairn_heap_make(CairnHeap *heap, int node_count, const int *ranks, CairnArena *arena) {
    *heap = (CairnHeap){.count = 0, .ranks = ranks};
    heap->nodes = CAIRN_PUSH(arena, int, node_count);
    heap->place = CAIRN_PUSH(arena, int, node_count);
    heap->key = CAIRN_PUSH(arena, int64_t, node_count);
    if (!heap->nodes || !heap->place || !heap->key) {
        return false;
    }
    for (int i = 0; i < node_count; i++) {
        heap->place[i] = -1;
    }
    return true;
}

static bool is_before(const CairnHeap *heap, int a, int b) {
    if (heap->key[a] != heap->key[b]) {
        return heap->key[a] < heap->key[b];
    }
    return heap->ranks[a] != heap->ranks[b] ? heap->ranks[a] < heap->ranks[b] : a < b;
}

static void set(CairnHeap *heap, int place, int node) {
    heap->nodes[place] = node;
    heap->place[node] = place;
}

static void rise(CairnHeap *heap, int place) {
    int node = heap->nodes[place];
    while (place > 0 && is_before(heap, node, heap->nodes[(place - 1) / 2])) {
        set(heap, place, heap->nodes[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    set(heap, place, node);
}

static void sink(CairnHeap *heap, int place) {
    int node = heap->nodes[place];
    for (;;) {
        int child = 2 * place + 1;
        if (child + 1 < heap->count && is_before(heap, heap->nodes[child + 1], heap->nodes[child])) {
            child += 1;
        }
        if (child >= heap->count || is_before(heap, node, heap->nodes[child])) {
            break;
        }
        set(heap, place, heap->nodes[child]);
        place = child;
    }
    set(heap, place, node);
}

void cairn_heap_put(CairnHeap *heap, int node, int64_t key) {
    int place = heap->place[node];
    if (place >= 0 && heap->key[node] == key) {
        return;
    }
    bool is_later = place >= 0 && key > heap->key[node];
    heap->key[node] = key;
    if (place < 0) {
        place = heap->count++;
        set(heap, place, node);
    }
    if (is_later) {
        sink(heap, place);
    } else {
        rise(heap, place);
    }
}

void cairn_heap_drop(CairnHeap *heap, int node) {
    int place = heap->place[node];
    if (place < 0) {
        return;
    }
    int last = heap->nodes[--heap->count];
    heap->place[node] = -1;
    if (last != node) {
        set(heap, place, last);
        rise(heap, place);
        sink(heap, heap->place[last]);
    }
}

void cairn_heap_clear(CairnHeap *heap) {
    for (int i = 0; i < heap->count; i++) {
        heap->place[heap->nodes[i]] = -1;
    }
    heap->count = 0;
}
