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

static bool help_on(const char *name) {
    for (int i = 0; i < cairn_command_count(); i++) {
        if (strcmp(name, cairn_command_at(i)->name) == 0) {
            cairn_command_at(i)->help();
            return true;
        }
    }
    for (int i = 0; i < cairn_scene_count(); i++) {
        const CairnScene *scene = cairn_scene_at(i);
        if (strcmp(name, scene->name) == 0) {
            print_fields(scene->name, scene->summary, &scene->params);
            return true;
        }
    }
    for (int i = 0; i < cairn_solver_count(); i++) {
        const CairnSolver *solver = cairn_solver_at(i);
        if (strcmp(name, solver->name) == 0) {
            print_fields(solver->name, solver->summary, solver->options);
            return true;
        }
    }
    for (int i = 0; i < cairn_partitioner_count(); i++) {
        const CairnPartitioner *partitioner = cairn_partitioner_at(i);
        if (strcmp(name, partitioner->name) == 0) {
            print_fields(partitioner->name, partitioner->summary, partitioner->options);
            return true;
        }
    }
    for (int i = 0; i < cairn_refiner_count(); i++) {
        const CairnRefiner *refiner = cairn_refiner_at(i);
        if (strcmp(name, refiner->name) == 0) {
            print_fields(refiner->name, refiner->summary, refiner->options);
            return true;
        }
    }
    if (strcmp(name, "world") == 0) {
        print_fields("world", "settings of a world, --world name=value", &cairn_world_fields);
        return true;
    }
    return false;
}

static int help_command(int argc, char **argv) {
    if (argc < 2 || strcmp(argv[1], "--help") == 0) {
        print_help();
        return CAIRN_EXIT_DONE;
    }
    if (argc > 2) {
        return cairn_complain(
            "help", cairn_error(CAIRN_INVALID_ARGUMENT, "one name at a time: got '%s' and '%s'", argv[1], argv[2]));
    }
    if (!help_on(argv[1])) {
        return cairn_complain(
            "help", cairn_error(CAIRN_NOT_FOUND,
                                "'%s' is no command, scene, solver, partitioner or refiner (cairn list)", argv[1]));
    }
    return CAIRN_EXIT_DONE;
}

const CairnCommand cairn_command_help = {
    .name = "help",
    .summary = "explain a command, a scene, a solver, a partitioner, a refiner or the world's settings",
    .help = print_help,
    .run = help_command,
};
