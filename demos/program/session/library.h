// Library: a value of the user's own (a scene, a solver, a partitioner, a refiner) from a shared object that exports it
// by a known name, or from a C file that is compiled into one.
#ifndef CAIRN_PROGRAM_LIBRARY_H
#define CAIRN_PROGRAM_LIBRARY_H

#include <cairn/status.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct CairnLibraryKind {
    const char *noun;   // "scene": opens every refusal
    const char *symbol; // "cairn_scene": what the library exports
    const char *type;   // "CairnScene": its type
    size_t size;        // of the type: another size was compiled against other headers
    bool stays; // the library stays in the process when it is closed, so that pointers into it are good for ever
} CairnLibraryKind;

// A name that ends in ".c" is a C file, one with a '/' or that ends in ".so" a shared object; any other is a name of
// something built in.
bool cairn_library_is(const char *name);
// The compiler's messages go to the standard error unchanged. On an error nothing is open.
CairnStatus cairn_library_open(const CairnLibraryKind *kind, const char *name, void **library, const void **value);
void cairn_library_close(void *library); // NULL is allowed

#endif
