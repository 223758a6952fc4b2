// The program: a table of sub-commands. One file command_NAME.c each, and a line in program.c.
#ifndef CAIRN_PROGRAM_H
#define CAIRN_PROGRAM_H

#include <cairn/status.h>

enum {
    CAIRN_EXIT_DONE = 0,
    CAIRN_EXIT_FAILED =
        1, // the run failed: a value that is not finite, a broken invariant, not certified where that is required
    CAIRN_EXIT_USAGE = 2 // wrong usage or bad input
};

// What main() has linked in, and tests and bench are built without.
typedef struct CairnLinked {
    int (*view)(int argc, char **argv); // as a command's run; NULL: this build has no viewer
} CairnLinked;

typedef struct CairnCommand {
    const char *name, *summary;
    // argv[0] is the command's name; returns the exit code. Every command takes --help.
    int (*run)(const CairnLinked *linked, int argc, char **argv);
} CairnCommand;

int cairn_command_count(void);
const CairnCommand *cairn_command_at(int index); // NULL outside [0, count)

// The whole program; main() does nothing else.
int cairn_program(const CairnLinked *linked, int argc, char **argv);
int cairn_view(int argc, char **argv); // demos/viewer/view.c

// Prints "cairn COMMAND: message" to stderr and returns the exit code of the error.
int cairn_complain(const char *command, CairnStatus status);

#endif
