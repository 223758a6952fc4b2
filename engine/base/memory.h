// Memory: the caller's allocator, whose sizes the library stores, and arrays that grow.
#ifndef CAIRN_BASE_MEMORY_H
#define CAIRN_BASE_MEMORY_H

#include <cairn/hooks.h>
#include <stdbool.h>
#include <stddef.h>

// The C library's aligned allocation, which a zero-initialised CairnAllocator selects.
CairnAllocator cairn_memory_default(void);

// NULL when the allocator fails or the size overflows. Zero bytes give a NULL that is no failure: request at least one.
void *cairn_memory_allocate(const CairnAllocator *allocator, size_t count, size_t element_size);
void *cairn_memory_allocate_zero(const CairnAllocator *allocator, size_t count, size_t element_size);
void cairn_memory_release(const CairnAllocator *allocator, void *memory, size_t count, size_t element_size);

// Make room for at least `needed` elements, doubling (large arrays: a quarter more); the first *capacity elements are
// kept. False (and nothing changed) when the allocator fails. `array` points to the array's pointer.
bool cairn_memory_reserve(const CairnAllocator *allocator, void *array, int *capacity, int needed, size_t element_size);
// Like cairn_memory_reserve, for an array that is written anew: where it grows, its contents are lost, so that the old
// and the new array are never allocated at the same time.
bool cairn_memory_renew(const CairnAllocator *allocator, void *array, int *capacity, int needed, size_t element_size);
// A large array that is mostly empty becomes as short as it can be; no memory for the shorter one: it stays.
void cairn_memory_trim(const CairnAllocator *allocator, void *array, int *capacity, int needed, size_t element_size);
#endif
