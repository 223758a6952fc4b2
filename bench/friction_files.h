// Friction files: problems of others, and how long each solver takes to 1e-4, 1e-6 and 1e-8 of them.
#ifndef CAIRN_BENCH_FRICTION_FILES_H
#define CAIRN_BENCH_FRICTION_FILES_H

#include "demos/program/formats/json.h"
#include <cairn/status.h>
#include <stdio.h>

// Prints a table a file and law, and writes the member "files". Without the folder it says so, and that is fine.
CairnStatus bench_friction_files(FILE *file, CairnJson *json);

#endif
