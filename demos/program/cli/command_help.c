// cairn help: of a command, or of anything that has a table of fields (a scene, a solver, a partitioner, the world).
#include "demos/program/cli/program.h"
#include "demos/scenes/scenes.h"
#include <cairn/world.h>
#include <stdio.h>
#include <string.h>

static void print_help(void) {
    printf(
        "cairn COMMAND [options]\n\nCairn, a rigid-body physics engine that solves every step and says how well.\n\n");
    for (int i = 0; i < cairn_command_count(); i++) {
        printf("  %-10s %s\n", cairn_command_at(i)->name, cairn_command_at(i)->summary);
    }
    printf("\n  cairn COMMAND --help        the options of a command\n"
           "  cairn help NAME             the parameters of a scene, the options of a solver, partitioner or refiner; "
           "world: "
           "its settings\n"
           "  cairn --version\n\nFirst: cairn run box_tower --screenshot tower.png@300\n");
}

static void print_fields(const char *name, const char *summary, const CairnFieldTable *table) {
    printf("%s%s%s\n", name, summary[0] ? ": " : "", summary);
    for (int i = 0; table && i < table->count; i++) {
        char line[300];
        cairn_fields_help(&table->fields[i], line, sizeof line);
        printf("%s\n", line);
    }
    if (!table || table->count == 0) {
        printf("  no options\n");
    }
}

// False: nothing has that name.
static bool print_table(const char *name) {
    const CairnScene *scene;
    const CairnSolver *solver;
    const CairnPartitioner *partitioner;
    const CairnRefiner *refiner;
    if (cairn_is_ok(cairn_scene_find(name, &scene))) {
        print_fields(scene->name, scene->summary, &scene->params);
    } else if (cairn_is_ok(cairn_solver_find(name, &solver))) {
        print_fields(solver->name, solver->summary, solver->options);
    } else if (cairn_is_ok(cairn_partitioner_find(name, &partitioner))) {
        print_fields(partitioner->name, partitioner->summary, partitioner->options);
    } else if (cairn_is_ok(cairn_refiner_find(name, &refiner))) {
        print_fields(refiner->name, refiner->summary, refiner->options);
    } else if (strcmp(name, "world") == 0) {
        print_fields("world", "settings of a world, --world name=value", &cairn_world_fields);
    } else {
        return false;
    }
    return true;
}

static int help_command(const CairnLinked *linked, int argc, char **argv) {
    if (argc < 2 || strcmp(argv[1], "--help") == 0) {
        print_help();
        return CAIRN_EXIT_DONE;
    }
    if (argc > 2) {
        return cairn_complain(
            "help", cairn_error(CAIRN_INVALID_ARGUMENT, "one name at a time: got '%s' and '%s'", argv[1], argv[2]));
    }
    for (int i = 0; i < cairn_command_count(); i++) {
        const CairnCommand *command = cairn_command_at(i);
        if (strcmp(argv[1], command->name) == 0) {
            char option[] = "--help", *words[] = {argv[1], option, NULL};
            return command->run(linked, 2, words);
        }
    }
    if (!print_table(argv[1])) {
        return cairn_complain(
            "help", cairn_error(CAIRN_NOT_FOUND,
                                "'%s' is no command, scene, solver, partitioner or refiner (cairn list)", argv[1]));
    }
    return CAIRN_EXIT_DONE;
}

const CairnCommand cairn_command_help = {
    .name = "help",
    .summary = "explain a command, a scene, a solver, a partitioner, a refiner or the world's settings",
    .run = help_command,
};
