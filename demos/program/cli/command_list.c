// cairn list: what there is, by kind.
#include "demos/program/cli/program.h"
#include "demos/program/formats/json.h"
#include "demos/program/session/options.h"
#include "demos/scenes/scenes.h"
#include "engine/base/names.h"
#include <cairn/partitioner.h>
#include <cairn/solver.h>

typedef struct Item {
    const char *name, *summary;
} Item;

typedef struct Kind {
    const char *name;
    int (*count)(void);
    Item (*item)(int index);
} Kind;

static Item scene_item(int index) {
    const CairnScene *scene = cairn_scene_at(index);
    return (Item){scene->name, scene->summary};
}

static Item solver_item(int index) {
    const CairnSolver *solver = cairn_solver_at(index);
    return (Item){solver->name, solver->summary};
}

static Item partitioner_item(int index) {
    const CairnPartitioner *partitioner = cairn_partitioner_at(index);
    return (Item){partitioner->name, partitioner->summary};
}

static Item refiner_item(int index) {
    const CairnRefiner *refiner = cairn_refiner_at(index);
    return (Item){refiner->name, refiner->summary};
}

// What `cairn run --json` writes, as paths of keys.
static const Item metrics[] = {
    {"contacts", "contact points a frame"},
    {"rows", "constraint rows a frame"},
    {"interface_rows", "rows between the parts of a partition"},
    {"parts", "parts of a partition"},
    {"part_largest", "bodies of the largest part"},
    {"part_balance", "largest part over the mean: 1 at best"},
    {"time_ms", "wall-clock time of each stage of a step, ms: mean, p50, p99, max"},
    {"iterations", "sweeps, pivots or Newton steps of the solver"},
    {"coupling", "coupling iterations of a substructured solve"},
    {"factorizations", "matrix factorizations of the solver"},
    {"subsystems", "of a substructured solve: changed in a coupling iteration, factored once more"},
    {"phases_ms", "time of a solve's phases, ms: prepare, factor, apply, reduce, interface, subsystems"},
    {"residual.natural", "2-norm of lambda - clamp(lambda - w, l, u)"},
    {"residual.scaled", "largest |D (lambda - clamp(lambda - w / D, l, u))|, D = diag(A), m/s: what is certified"},
    {"residual.fb", "Fischer-Burmeister residual of the contacts"},
    {"residual.cone", "friction cone with De Saxce's correction, relative"},
    {"residual.certified_fraction", "share of the frames that the referee certified"},
    {"sound_fraction", "share of the audited frames whose motion obeys mechanics: momentum, energy, joints, overlaps"},
    {"audit", "what the audit found: of each term its worst frame, value and limit; and what it cost, ms"},
    {"penetration", "deepest overlap, m"},
    {"joint_error", "largest violation of a joint, m"},
    {"energy", "kinetic plus potential energy, J: first and last frame, largest gain"},
    {"memory_peak_bytes", "most resident memory of the process"},
    {"allocations_per_step", "calls of the allocator a step in the second half of the run"},
    {"state_hash", "every bit of every position and velocity at the end"},
};

static int metric_count(void) {
    return (int)(sizeof(metrics) / sizeof(metrics[0]));
}

static Item metric_item(int index) {
    return metrics[index];
}

static const Kind kinds[] = {
    {"scenes", cairn_scene_count, scene_item},
    {"solvers", cairn_solver_count, solver_item},
    {"partitioners", cairn_partitioner_count, partitioner_item},
    {"refiners", cairn_refiner_count, refiner_item},
    {"metrics", metric_count, metric_item},
};

enum { KIND_COUNT = (int)(sizeof(kinds) / sizeof(kinds[0])) };

typedef struct ListOptions {
    const Kind *kind; // NULL: all
    bool is_json, wants_help;
} ListOptions;

static CairnStatus take_json(void *target, const char *value) {
    (void)value;
    ((ListOptions *)target)->is_json = true;
    return cairn_ok();
}

static CairnStatus take_help(void *target, const char *value) {
    (void)value;
    ((ListOptions *)target)->wants_help = true;
    return cairn_ok();
}

static const CairnOption list_options[] = {
    {"--json", NULL, "an array of objects with name and summary", take_json},
    {"--help", NULL, "this help", take_help},
};

enum { OPTION_COUNT = (int)(sizeof(list_options) / sizeof(list_options[0])) };

static CairnStatus take_kind(void *target, const char *word) {
    ListOptions *options = target;
    const char *names[KIND_COUNT];
    if (options->kind) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "one kind at a time: got '%s' and '%s'", options->kind->name, word);
    }
    for (int i = 0; i < KIND_COUNT; i++) {
        names[i] = kinds[i].name;
    }
    char hint[CAIRN_HINT_SIZE];
    int found = cairn_name_find(word, names, KIND_COUNT, hint);
    if (found < 0) {
        return cairn_error(CAIRN_NOT_FOUND, "'%s' is none of scenes, solvers, partitioners, refiners, metrics%s", word,
                           hint);
    }
    options->kind = &kinds[found];
    return cairn_ok();
}

static void print_kind(const Kind *kind, const char *indent) {
    for (int i = 0; i < kind->count(); i++) {
        Item item = kind->item(i);
        printf("%s%-28s %s\n", indent, item.name, item.summary);
    }
}

static void write_kind(CairnJson *json, const char *key, const Kind *kind) {
    cairn_json_open(json, key, '[');
    for (int i = 0; i < kind->count(); i++) {
        Item item = kind->item(i);
        cairn_json_open(json, NULL, '{');
        cairn_json_text(json, "name", item.name);
        cairn_json_text(json, "summary", item.summary);
        cairn_json_close(json, '}');
    }
    cairn_json_close(json, ']');
}

static void print_all(void) {
    for (int i = 0; i < KIND_COUNT; i++) {
        if (kinds[i].count() > 0) {
            printf("%s\n", kinds[i].name);
            print_kind(&kinds[i], "  ");
        }
    }
}

static void write_all(CairnJson *json) {
    cairn_json_open(json, NULL, '{');
    for (int i = 0; i < KIND_COUNT; i++) {
        write_kind(json, kinds[i].name, &kinds[i]);
    }
    cairn_json_close(json, '}');
}

static void print_help(void) {
    printf("cairn list [scenes|solvers|partitioners|refiners|metrics] [options]\n\nSay what there is, a name and a "
           "summary a "
           "line.\n\n");
    cairn_options_help(list_options, OPTION_COUNT);
}

static int list_command(const CairnLinked *linked, int argc, char **argv) {
    (void)linked;
    ListOptions options = {.kind = NULL};
    CairnStatus status = cairn_options_parse(list_options, OPTION_COUNT, argc, argv, &options, take_kind);
    if (!cairn_is_ok(status)) {
        return cairn_complain("list", status);
    }
    CairnJson json = cairn_json(stdout);
    if (options.wants_help) {
        print_help();
    } else if (options.is_json && options.kind) {
        write_kind(&json, NULL, options.kind);
    } else if (options.is_json) {
        write_all(&json);
    } else if (options.kind) {
        print_kind(options.kind, "");
    } else {
        print_all();
    }
    return CAIRN_EXIT_DONE;
}

const CairnCommand cairn_command_list = {
    .name = "list",
    .summary = "say which scenes, solvers, partitioners, refiners and metrics there are",
    .run = list_command,
};
