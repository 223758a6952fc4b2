#include "demos/program/cli/program.h"
#include <cairn/fields.h>
#include <cairn/version.h>
#include <stdio.h>
#include <string.h>

// The last may be missing.
static const CairnCommand *const commands[] = {
    &cairn_command_list,   &cairn_command_run,   &cairn_command_compare, &cairn_command_solve, &cairn_command_dump,
    &cairn_command_export, &cairn_command_bench, &cairn_command_replay,  &cairn_command_help,  &cairn_command_view};

enum { COMMAND_COUNT = (int)(sizeof(commands) / sizeof(commands[0])) };

int cairn_command_count(void) {
    return commands[COMMAND_COUNT - 1] ? COMMAND_COUNT : COMMAND_COUNT - 1;
}

const CairnCommand *cairn_command_at(int index) {
    return index >= 0 && index < cairn_command_count() ? commands[index] : NULL;
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

int cairn_program(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "--version") == 0) {
        printf("cairn %s\n", cairn_version());
        return CAIRN_EXIT_DONE;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        cairn_command_help.run(1, argv);
        return CAIRN_EXIT_DONE;
    }
    if (!name[0]) {
        return cairn_complain("", cairn_error(CAIRN_INVALID_ARGUMENT, "which command? cairn --help lists them"));
    }
    const char *names[COMMAND_COUNT];
    for (int i = 0; i < cairn_command_count(); i++) {
        names[i] = commands[i]->name;
        if (strcmp(name, names[i]) == 0) {
            return commands[i]->run(argc - 1, argv + 1);
        }
    }
    if (strcmp(name, "view") == 0) {
        return cairn_complain(
            "view",
            cairn_error(
                CAIRN_UNSUPPORTED,
                "no command is called 'view' here: this build has no viewer (it needs SDL2, libepoxy and cglm); "
                "cairn run SCENE --screenshot FILE@FRAME draws without"));
    }
    char near[80];
    cairn_near_names(name, names, cairn_command_count(), near, sizeof near);
    return cairn_complain("", cairn_error(CAIRN_NOT_FOUND, "no command is called '%s'%s%s (cairn --help)", name,
                                          near[0] ? "; near: " : "", near));
}
