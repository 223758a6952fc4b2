// Hooks: memory and words come from the caller. A world uses the allocator and the logger of its definition and no other.
#ifndef CAIRN_HOOKS_H
#define CAIRN_HOOKS_H

#include <stddef.h>

// `allocate` returns memory aligned to CAIRN_ALIGNMENT or NULL; `release` gets the same size back. Both may be called from
// the thread that called into the world only. Zero-initialised means: the C library's.
enum { CAIRN_ALIGNMENT = 64 };

typedef struct CairnAllocator {
    void *(*allocate)(void *user, size_t size);
    void (*release)(void *user, void *memory, size_t size);
    void *user;
} CairnAllocator;

typedef enum CairnLogLevel { CAIRN_LOG_ERROR = 0, CAIRN_LOG_WARNING, CAIRN_LOG_INFO, CAIRN_LOG_DEBUG } CairnLogLevel;

// Zero-initialised means: nothing is logged. The library itself never prints.
typedef struct CairnLogger {
    void (*write)(void *user, CairnLogLevel level, const char *message);
    void *user;
    CairnLogLevel level; // messages above this level are dropped before they are formatted
} CairnLogger;

// The assert hook. A broken invariant of our own (never a caller's mistake) ends here in builds with CAIRN_CHECKS=1; the
// default aborts. A program replaces it at link time by defining it, so there is no mutable global.
void cairn_assert_failed(const char *expression, const char *file, int line);

#endif
