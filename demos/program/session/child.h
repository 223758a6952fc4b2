// Child: another program run to its end, with its output.
#ifndef CAIRN_PROGRAM_CHILD_H
#define CAIRN_PROGRAM_CHILD_H

#include <cairn/status.h>
#include <stddef.h>

// Run argv[0] (searched for in PATH) without input and wait for it, `seconds` at most. The beginning of what it wrote
// to either output goes to `words` (NUL at the end). *code is what it ended with: the exit code, 128 + the signal that
// ended it, or -1 where time ran out.
CairnStatus cairn_child_run(char *const argv[], double seconds, char *words, size_t size, int *code);

#endif
