// Source: where a scene comes from: a built-in name, a shared object that exports `const CairnScene cairn_scene`, or a
// C file that is compiled into one.
#ifndef CAIRN_PROGRAM_SOURCE_H
#define CAIRN_PROGRAM_SOURCE_H

#include <cairn/scene.h>

// A scene with nothing but the ground, in no list: which the viewer shows while the scene's file does not work.
#define CAIRN_SOURCE_NOTHING ":nothing"

typedef struct CairnSource {
    const CairnScene *scene;
    void *library; // NULL for a built-in scene
} CairnSource;

// cairn_library_is decides whether a text is a file or a name.
CairnStatus cairn_source_open(const char *name, CairnSource *source);
void cairn_source_close(CairnSource *source);

#endif
