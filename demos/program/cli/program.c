#include "demos/program/cli/program.h"
#include "engine/base/names.h"
#include <cairn/version.h>
#include <stdio.h>
#include <string.h>

// The sub-commands: one line for each file command_NAME.c.
// clang-format off
#define COMMANDS(X) \
    X(list) \
    X(run) \
    X(compare) \
    X(solve) \
    X(dump) \
    X(export) \
    X(bench) \
    X(replay) \
    X(help) \
    X(view)
// clang-format on

#define DECLARE(name) extern const CairnCommand cairn_command_##name;
COMMANDS(DECLARE)

#define LIST(name) &cairn_command_##name,
static const CairnCommand *const commands[] = {COMMANDS(LIST)};

enum { COMMAND_COUNT = (int)(sizeof(commands) / sizeof(commands[0])) };

int cairn_command_count(void) {
    return COMMAND_COUNT;
}

const CairnCommand *cairn_command_at(int index) {
    return index >= 0 && index < COMMAND_COUNT ? commands[index] : NULL;
}

int cairn_complain(const char *command, CairnStatus status) {
    fprintf(stderr, "cairn%s%s: %s\n", command[0] ? " " : "", command, status.message);
    switch (status.code) {
    case CAIRN_OK:
        return CAIRN_EXIT_DONE;
    case CAIRN_NUMERIC:
    case CAIRN_OUT_OF_MEMORY:
        return CAIRN_EXIT_FAILED;
    default:
        return CAIRN_EXIT_USAGE;
    }
}

int cairn_program(const CairnLinked *linked, int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "--version") == 0) {
        printf("cairn %s\n", cairn_version());
        return CAIRN_EXIT_DONE;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        return cairn_command_help.run(linked, 1, argv);
    }
    if (!name[0]) {
        return cairn_complain("", cairn_error(CAIRN_INVALID_ARGUMENT, "which command? cairn --help lists them"));
    }
    const char *names[COMMAND_COUNT];
    char hint[CAIRN_HINT_SIZE];
    for (int i = 0; i < COMMAND_COUNT; i++) {
        names[i] = commands[i]->name;
    }
    int found = cairn_name_find(name, names, COMMAND_COUNT, hint);
    if (found < 0) {
        return cairn_complain("",
                              cairn_error(CAIRN_NOT_FOUND, "no command is called '%s'%s (cairn --help)", name, hint));
    }
    return commands[found]->run(linked, argc - 1, argv + 1);
}
