// The program: a table of sub-commands. One file each (command_*.c), listed in program.c.
#ifndef CAIRN_PROGRAM_H
#define CAIRN_PROGRAM_H

#include <cairn/status.h>

enum {
    CAIRN_EXIT_DONE = 0,
    CAIRN_EXIT_FAILED = 1, // the run failed: a value that is not finite, a broken invariant, not certified where asked
    CAIRN_EXIT_USAGE = 2   // wrong usage or bad input
};

typedef struct CairnCommand {
    const char *name, *summary;
    void (*help)(void);
    int (*run)(int argc, char **argv); // argv[0] is the command's name; returns the exit code
} CairnCommand;

extern const CairnCommand cairn_command_list;
extern const CairnCommand cairn_command_run;
extern const CairnCommand cairn_command_compare;
extern const CairnCommand cairn_command_solve;
extern const CairnCommand cairn_command_dump;
extern const CairnCommand cairn_command_bench;
extern const CairnCommand cairn_command_export;
extern const CairnCommand cairn_command_replay;
extern const CairnCommand cairn_command_help;
// Only where the viewer is linked in: the program has it if its packages were there, the tests and the bench never do.
extern const CairnCommand cairn_command_view __attribute__((weak));

int cairn_command_count(void);
const CairnCommand *cairn_command_at(int index);

// The whole program; main() does nothing else.
int cairn_program(int argc, char **argv);

// Print "cairn COMMAND: message" to stderr and answer the exit code that fits.
int cairn_complain(const char *command, CairnStatus status);

#endif
