// Runs the program in a child process with a command line, in a temporary folder of the test.
#ifndef CAIRN_TESTS_SUPPORT_CALL_H
#define CAIRN_TESTS_SUPPORT_CALL_H

#include <stdbool.h>
#include <stddef.h>

enum { SUPPORT_CALL_TEXT = 65536 };

// The output of one call.
typedef struct SupportCall {
    int code;
    char out[SUPPORT_CALL_TEXT], err[SUPPORT_CALL_TEXT];
} SupportCall;

// Fixtures of a group: the folder.
int support_folder_make(void **state);
int support_folder_remove(void **state);
const char *support_folder(void);

void support_path(const char *name, char *path, size_t size); // of a file in the folder
// The file's text; asserts that there is one.
void support_read(const char *name, char *text, size_t size);

// Call `cairn` with the words of a line; '$' stands for the folder. The answer lives until the next call.
SupportCall *support_call(const char *line);
SupportCall *support_call_well(const char *line); // must exit with 0

// For the main() of a test whose executable is also the process in which a scene is tried: with the word `run` it is
// the program, and *code its answer; else the first word is a filter of tests.
bool support_is_tried(int argc, char **argv, int *code);

#endif
