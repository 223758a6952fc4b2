#include "engine/base/arena.h"

#include "engine/base/check.h"
#include "engine/base/memory.h"

#include <stdint.h>
#include <string.h>

// A chunk's bytes follow its header in the same allocation, one alignment further on.
struct CairnArenaChunk {
    CairnArenaChunk *previous;
    size_t capacity, used;
};

enum { HEADER_SIZE = CAIRN_ALIGNMENT, FIRST_CHUNK = 1 << 16, LARGE = 1 << 20 };
_Static_assert(sizeof(struct CairnArenaChunk) <= HEADER_SIZE, "the chunk's header must fit in front of its bytes");

static CairnArenaChunk *new_chunk(const CairnArena *arena, size_t capacity) {
    if (capacity > SIZE_MAX - HEADER_SIZE) {
        return NULL;
    }
    CairnArenaChunk *chunk = cairn_memory_allocate(arena->allocator, 1, HEADER_SIZE + capacity);
    if (chunk != NULL) {
        *chunk = (CairnArenaChunk){NULL, capacity, 0};
    }
    return chunk;
}

static void drop_newest(CairnArena *arena) {
    CairnArenaChunk *chunk = arena->chunk;
    arena->chunk = chunk->previous;
    cairn_memory_release(arena->allocator, chunk, 1, HEADER_SIZE + chunk->capacity);
}

void cairn_arena_init(CairnArena *arena, const CairnAllocator *allocator) {
    *arena = (CairnArena){allocator, NULL, 0, 0};
}

void cairn_arena_free(CairnArena *arena) {
    while (arena->chunk != NULL) {
        drop_newest(arena);
    }
    arena->used = 0;
    arena->peak = 0;
}

// Chunks double while they are small, and are an eighth of what is in use once that is large: a first use of n bytes
// calls the allocator O(log n) times, and a large one wastes little.
static bool grow(CairnArena *arena, size_t size) {
    size_t capacity = FIRST_CHUNK;
    if (arena->chunk != NULL && arena->used < LARGE) {
        capacity = 2 * arena->chunk->capacity;
    } else if (arena->chunk != NULL) {
        capacity = arena->used / 8;
    }
    if (capacity < size) {
        capacity = size;
    }
    CairnArenaChunk *chunk = new_chunk(arena, capacity);
    if (chunk == NULL && capacity > size) { // little memory is available: it may still be enough for this size
        chunk = new_chunk(arena, size);
    }
    if (chunk == NULL) {
        return false;
    }
    chunk->previous = arena->chunk;
    arena->chunk = chunk;
    return true;
}

void *cairn_arena_push(CairnArena *arena, size_t count, size_t element_size) {
    const size_t mask = (size_t)CAIRN_ALIGNMENT - 1;
    if (element_size != 0 && count > (SIZE_MAX / 2) / element_size) {
        return NULL;
    }
    // A push of zero bytes returns an address too, so that NULL always means out of memory.
    size_t size = count * element_size == 0 ? CAIRN_ALIGNMENT : (count * element_size + mask) & ~mask;
    if (arena->chunk == NULL || arena->chunk->capacity - arena->chunk->used < size) {
        if (!grow(arena, size)) {
            return NULL;
        }
    }
    CairnArenaChunk *chunk = arena->chunk;
    unsigned char *memory = (unsigned char *)chunk + HEADER_SIZE + chunk->used;
    chunk->used += size;
    arena->used += size;
    if (arena->used > arena->peak) {
        arena->peak = arena->used;
    }
    return memory;
}

void *cairn_arena_push_zero(CairnArena *arena, size_t count, size_t element_size) {
    void *memory = cairn_arena_push(arena, count, element_size);
    if (memory != NULL) {
        memset(memory, 0, count * element_size);
    }
    return memory;
}

bool cairn_arena_reserve(CairnArena *arena, size_t bytes) {
    if (arena->chunk != NULL && arena->chunk->capacity - arena->chunk->used >= bytes) {
        return true;
    }
    CairnArenaChunk *chunk = new_chunk(arena, bytes);
    if (chunk == NULL) {
        return false;
    }
    chunk->previous = arena->chunk;
    arena->chunk = chunk;
    return true;
}

void cairn_arena_reset(CairnArena *arena) {
    size_t total = 0;
    int chunk_count = 0;
    for (CairnArenaChunk *chunk = arena->chunk; chunk != NULL; chunk = chunk->previous) {
        chunk->used = 0;
        total += chunk->capacity;
        chunk_count++;
    }
    arena->used = 0;
    // One chunk may remain although the use needed more, where a mark was released: the peak shows it.
    if (chunk_count == 0 || (chunk_count == 1 && total >= arena->peak)) {
        return;
    }
    // With room to spare, so that a use that grows a little each time does not allocate each time. The old chunks go
    // first: side by side with the new one they would be the most that the arena ever holds.
    while (arena->chunk != NULL) {
        drop_newest(arena);
    }
    size_t spare = arena->peak < LARGE ? arena->peak / 2 : arena->peak / 8;
    arena->chunk = new_chunk(arena, arena->peak + spare); // or none, and the next use makes its own
}

CairnArenaMark cairn_arena_mark(const CairnArena *arena) {
    return (CairnArenaMark){arena->chunk, arena->chunk == NULL ? 0 : arena->chunk->used, arena->used};
}

void cairn_arena_release(CairnArena *arena, CairnArenaMark mark) {
    CAIRN_ASSERT(mark.used <= arena->used);
    // A mark of an arena that had no chunk yet keeps the oldest one.
    while (arena->chunk != mark.chunk && arena->chunk->previous != NULL) {
        drop_newest(arena);
    }
    if (arena->chunk != NULL) {
        arena->chunk->used = mark.chunk_used;
    }
    arena->used = mark.used;
}

void *cairn_arena_release_reserving(CairnArena *arena, CairnArenaMark mark, void *memory, size_t bytes) {
    if (memory == NULL || arena->chunk == NULL || arena->chunk != mark.chunk) {
        return memory;
    }
    cairn_arena_release(arena, mark);
    void *moved = cairn_arena_push(arena, bytes, 1); // fits: it lay there before, and further up
    CAIRN_ASSERT(arena->chunk == mark.chunk);
    return moved;
}

void *cairn_arena_release_except(CairnArena *arena, CairnArenaMark mark, void *memory, size_t bytes) {
    void *moved = cairn_arena_release_reserving(arena, mark, memory, bytes);
    return moved != memory && moved != NULL ? memmove(moved, memory, bytes) : moved;
}

static void *allocate(void *user, size_t size) {
    return cairn_arena_push(user, size, 1);
}

static void ignore_release(void *user, void *memory, size_t size) {
    (void)user;
    (void)memory;
    (void)size;
}

CairnAllocator cairn_arena_allocator(CairnArena *arena) {
    return (CairnAllocator){allocate, ignore_release, arena};
}

size_t cairn_arena_capacity(const CairnArena *arena) {
    size_t total = 0;
    for (const CairnArenaChunk *chunk = arena->chunk; chunk != NULL; chunk = chunk->previous) {
        total += chunk->capacity;
    }
    return total;
}
