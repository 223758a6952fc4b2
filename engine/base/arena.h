// Arena: scratch memory that is taken by moving a pointer and given back all at once. A step allocates from its arena
// only.
#ifndef CAIRN_BASE_ARENA_H
#define CAIRN_BASE_ARENA_H

#include <cairn/hooks.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct CairnArenaChunk CairnArenaChunk;

typedef struct CairnArena {
    const CairnAllocator *allocator;
    CairnArenaChunk *chunk; // the newest; older ones behind it
    size_t used;            // bytes handed out since the last reset
    size_t peak;            // most bytes ever in use
} CairnArena;

typedef struct CairnArenaMark {
    CairnArenaChunk *chunk;
    size_t chunk_used, used;
} CairnArenaMark;

void cairn_arena_init(CairnArena *arena, const CairnAllocator *allocator);
void cairn_arena_free(CairnArena *arena);

// Aligned to CAIRN_ALIGNMENT; NULL when the allocator fails. Contents are not set (push) or zero (push_zero).
void *cairn_arena_push(CairnArena *arena, size_t count, size_t element_size);
void *cairn_arena_push_zero(CairnArena *arena, size_t count, size_t element_size);

// The next `bytes` in all lie in one chunk, so that some of them can be released before the others. False: out of
// memory, and nothing has changed.
bool cairn_arena_reserve(CairnArena *arena, size_t bytes);

// Everything is free again. When the last use needed several chunks, they become one with room to spare, so that the
// next like use allocates nothing (if the allocator refuses that, the arena is empty and grows again).
void cairn_arena_reset(CairnArena *arena);

// Free everything pushed since the mark.
CairnArenaMark cairn_arena_mark(const CairnArena *arena);
void cairn_arena_release(CairnArena *arena, CairnArenaMark mark);

// Frees everything pushed since the mark except the `bytes` at `memory`, which move down to the mark; returns their new
// address. Where the arena has grown since the mark, nothing is freed or moved.
void *cairn_arena_release_except(CairnArena *arena, CairnArenaMark mark, void *memory, size_t bytes);
// Like cairn_arena_release_except, but the caller moves the bytes: they stay valid at their old address until the next
// push, and the returned memory may overlap them.
void *cairn_arena_release_reserving(CairnArena *arena, CairnArenaMark mark, void *memory, size_t bytes);

// The arena as an allocator: what is released stays taken until the arena is released. The arena must stay where it is.
CairnAllocator cairn_arena_allocator(CairnArena *arena);

// Bytes of all its chunks.
size_t cairn_arena_capacity(const CairnArena *arena);

// `count` elements of a type, as a pointer to it.
#define CAIRN_PUSH(arena, Type, count) ((Type *)cairn_arena_push((arena), (size_t)(count), sizeof(Type)))
#define CAIRN_PUSH_ZERO(arena, Type, count) ((Type *)cairn_arena_push_zero((arena), (size_t)(count), sizeof(Type)))

#endif
