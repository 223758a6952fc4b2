// Three times as many rocks, of 10, 100 and 1,000 kg, and the same shovel of 1 kg (S3, section 4).
#include "demos/scenes/rock_yard.h"

typedef struct Params {
    int rocks;
    double light, middle, heavy;
    CairnYardParams yard;
} Params;

static const CairnField fields[] = {
    CAIRN_FIELD_INT(Params, rocks, 540, 1, CAIRN_YARD_ROCKS, "rocks in the heap"),
    CAIRN_FIELD_DOUBLE(Params, light, 10, 1, 10000, 0, "kg", "mass of a third of the rocks"),
    CAIRN_FIELD_DOUBLE(Params, middle, 100, 1, 10000, 0, "kg", "mass of another third"),
    CAIRN_FIELD_DOUBLE(Params, heavy, 1000, 1, 10000, 0, "kg", "mass of the last third"),
    CAIRN_YARD_FIELDS(Params, yard),
};

static CairnStatus build(CairnSceneRun *run) {
    const Params *params = run->params;
    const double masses[3] = {params->light, params->middle, params->heavy};
    CairnPile pile = cairn_pile();
    pile.count = params->rocks;
    pile.masses = masses;
    pile.mass_count = 3;
    return cairn_build_yard(run, pile, &params->yard);
}

static CairnStatus check(const CairnSceneRun *run, double time, const CairnStats *stats) {
    const Params *params = run->params;
    return cairn_yard_check(run, &params->yard, time, stats, "large_rock_pile");
}

const CairnScene cairn_scene_large_rock_pile = {
    .name = "large_rock_pile",
    .summary = "a shovel of 1 kg pushes 540 rocks of 10, 100 and 1,000 kg",
    .watch = "Light rocks are squeezed between heavy ones: none is crushed, none is shot away.",
    .params = CAIRN_FIELD_TABLE("large_rock_pile", Params, fields),
    .memory_size = sizeof(CairnYard),
    .step = 1.0 / 60,
    .steps = 600,
    .camera = {.eye = {-9.5, -21, 10.5}, .target = {-0.3, 0, 0.7}, .fov = 29},
    .build = build,
    .script = cairn_yard_script,
    .check = check,
};
