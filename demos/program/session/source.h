// Source: where a scene comes from: a built-in name, a shared object that exports `const CairnScene cairn_scene`, or a C file that is
// compiled into one.
#ifndef CAIRN_PROGRAM_SOURCE_H
#define CAIRN_PROGRAM_SOURCE_H

#include <cairn/scene.h>

// A scene with nothing but the ground, in no list: what a viewer shows while the file that was asked for does not work.
#define CAIRN_SOURCE_NOTHING ":nothing"

typedef struct CairnSource {
    const CairnScene *scene;
    void *library; // NULL for a built-in scene
} CairnSource;

// Files are told from names as cairn_library_is does.
CairnStatus cairn_source_open(const char *name, CairnSource *source);
void cairn_source_close(CairnSource *source);

#endif
