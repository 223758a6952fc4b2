// Hooks: memory and log messages go through functions of the caller. A world uses the allocator and the logger of its
// definition and no others.
#ifndef CAIRN_HOOKS_H
#define CAIRN_HOOKS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CAIRN_ALIGNMENT = 64 };

// Both functions are called only from the thread that called into Cairn, and only during that call. Zero-initialised, a
// CairnAllocator stands for the allocator of the C library. The functions and `user` must outlive the world.
typedef struct CairnAllocator {
    // Returns `size` bytes aligned to CAIRN_ALIGNMENT, or NULL: the call of Cairn then returns CAIRN_OUT_OF_MEMORY.
    void *(*allocate)(void *user, size_t size);
    // Takes back what `allocate` returned; `size` is the size that was asked for.
    void (*release)(void *user, void *memory, size_t size);
    void *user; // the caller's own; it is given to both functions
} CairnAllocator;

typedef enum CairnLogLevel { CAIRN_LOG_ERROR = 0, CAIRN_LOG_WARNING, CAIRN_LOG_INFO, CAIRN_LOG_DEBUG } CairnLogLevel;

// Zero-initialised, a CairnLogger drops all messages. The library itself never prints.
typedef struct CairnLogger {
    // May be called from any thread of a step, but not by two at once of one world. `message` lives until it returns.
    void (*write)(void *user, CairnLogLevel level, const char *message);
    void *user;          // the caller's own; it is given to `write`
    CairnLogLevel level; // messages above this level are dropped before they are formatted
} CairnLogger;

// Is called when an invariant of the library itself is broken, which a caller's mistake never causes. Only libraries
// built with CAIRN_CHECKS=1 test their invariants. The library's own definition aborts; a program that defines the
// function itself replaces it when it is linked. It may be called from any thread.
void cairn_assert_failed(const char *expression, const char *file, int line);

#ifdef __cplusplus
}
#endif

#endif
