// Output: files that a command writes; "-" is the standard output.
#ifndef CAIRN_PROGRAM_OUTPUT_H
#define CAIRN_PROGRAM_OUTPUT_H

#include <cairn/status.h>
#include <stdio.h>

// A NULL path opens nothing. A refusal names the option and the path.
CairnStatus cairn_output_open(const char *path, const char *option, FILE **file);
// Also reports what could not be written. *file becomes NULL.
CairnStatus cairn_output_close(const char *path, FILE **file);

#endif
