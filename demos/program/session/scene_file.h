// Scene file: a scene (or a solver, partitioner or refiner) from a C file of the user's own, compiled into a shared
// object.
#ifndef CAIRN_PROGRAM_SCENE_FILE_H
#define CAIRN_PROGRAM_SCENE_FILE_H

#include "demos/program/session/run_options.h"
#include <stdint.h>

bool cairn_scene_file_is(const char *name); // it ends in ".c"
// Compile it with $CC or cc, against the headers that lie beside the program (or in $CAIRN_INCLUDE), into a new file in
// a folder of its own. The compiler's output goes to `words`; the status has its first error. `noun` is what the file
// contains: "scene".
CairnStatus cairn_scene_file_build(const char *noun, const char *source, char library[CAIRN_RUN_PATH], char *words,
                                   size_t size);
// With its folder. A library that is open stays so.
void cairn_scene_file_remove(const char *library);
// Run a scene's first steps in a process of its own, so that a crash there does not end this process. `words`: its
// output.
CairnStatus cairn_scene_file_try(const CairnRunOptions *options, int steps, char *words, size_t size);

#endif
