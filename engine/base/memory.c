#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "engine/base/memory.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// From here on memory comes from the system itself and goes back at once: a heap keeps what is free below what is not,
// and a world's arrays grow by being copied. Not where a sanitizer watches the heap.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PAGES_FROM SIZE_MAX
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PAGES_FROM SIZE_MAX
#endif
#endif
#ifndef PAGES_FROM
#define PAGES_FROM ((size_t)1 << 20)
#endif

static void *map_pages(size_t size) {
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages != MAP_FAILED ? pages : NULL;
}

static void *default_allocate(void *user, size_t size) {
    (void)user;
    if (size >= PAGES_FROM) {
        return map_pages(size);
    }
    const size_t mask = (size_t)CAIRN_ALIGNMENT - 1;
    if (size > SIZE_MAX - mask) {
        return NULL;
    }
    return aligned_alloc(CAIRN_ALIGNMENT, (size + mask) & ~mask); // C requires a multiple of the alignment
}

static void default_release(void *user, void *memory, size_t size) {
    (void)user;
    if (memory != NULL && size >= PAGES_FROM) {
        (void)munmap(memory, size);
    } else {
        free(memory);
    }
}

CairnAllocator cairn_memory_default(void) {
    return (CairnAllocator){default_allocate, default_release, NULL};
}

void *cairn_memory_allocate(const CairnAllocator *allocator, size_t count, size_t element_size) {
    if (count == 0 || element_size == 0 || count > SIZE_MAX / element_size) {
        return NULL;
    }
    if (allocator == NULL || allocator->allocate == NULL) {
        return default_allocate(NULL, count * element_size);
    }
    return allocator->allocate(allocator->user, count * element_size);
}

void *cairn_memory_allocate_zero(const CairnAllocator *allocator, size_t count, size_t element_size) {
    void *memory = cairn_memory_allocate(allocator, count, element_size);
    if (memory != NULL) {
        memset(memory, 0, count * element_size);
    }
    return memory;
}

void cairn_memory_release(const CairnAllocator *allocator, void *memory, size_t count, size_t element_size) {
    if (memory == NULL) {
        return;
    }
    if (allocator == NULL || allocator->allocate == NULL) {
        default_release(NULL, memory, count * element_size);
    } else if (allocator->release != NULL) { // an allocator without release frees everything when it is destroyed
        allocator->release(allocator->user, memory, count * element_size);
    }
}

static bool grow(const CairnAllocator *allocator, void *array, int *capacity, int needed, size_t element_size,
                 bool is_kept) {
    enum { FIRST_CAPACITY = 8, LARGE = 1 << 20 };
    if (needed <= *capacity) {
        return true;
    }
    // Large arrays grow by a quarter: doubled ones would be half empty when a world of many bodies is complete.
    int more = (size_t)*capacity < LARGE / element_size ? *capacity : *capacity / 4;
    int grown = *capacity > INT_MAX - more ? INT_MAX : *capacity + more;
    grown = grown < FIRST_CAPACITY ? FIRST_CAPACITY : grown;
    grown = grown < needed ? needed : grown;
    void *fresh = cairn_memory_allocate(allocator, (size_t)grown, element_size);
    if (fresh == NULL) {
        return false;
    }
    void *old;
    memcpy(&old, array, sizeof old); // the caller's pointer has another type: copy it as bytes
    if (old != NULL) {
        memcpy(fresh, old, is_kept ? (size_t)*capacity * element_size : 0);
        cairn_memory_release(allocator, old, (size_t)*capacity, element_size);
    }
    memcpy(array, &fresh, sizeof fresh);
    *capacity = grown;
    return true;
}

bool cairn_memory_reserve(const CairnAllocator *allocator, void *array, int *capacity, int needed,
                          size_t element_size) {
    return grow(allocator, array, capacity, needed, element_size, true);
}

bool cairn_memory_renew(const CairnAllocator *allocator, void *array, int *capacity, int needed, size_t element_size) {
    return grow(allocator, array, capacity, needed, element_size, false);
}

void cairn_memory_trim(const CairnAllocator *allocator, void *array, int *capacity, int needed, size_t element_size) {
    enum { LARGE = 1 << 20 };
    if ((size_t)*capacity * element_size < LARGE || needed > *capacity / 4) {
        return;
    }
    void *old, *fresh = NULL;
    memcpy(&old, array, sizeof old);
    if (needed > 0) {
        fresh = cairn_memory_allocate(allocator, (size_t)needed, element_size);
        if (fresh == NULL) {
            return;
        }
        memcpy(fresh, old, (size_t)needed * element_size);
    }
    cairn_memory_release(allocator, old, (size_t)*capacity, element_size);
    memcpy(array, &fresh, sizeof fresh);
    *capacity = needed;
}
