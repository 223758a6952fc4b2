// A heap of rocks that a light, stiff shovel pushes together.
#include "demos/scenes/rock_yard.h"

typedef struct Params {
    int rocks;
    double mass_low, mass_high;
    CairnYardParams yard;
} Params;

static const CairnField fields[] = {
    CAIRN_FIELD_INT(Params, rocks, 180, 1, CAIRN_YARD_ROCKS, "rocks in the heap"),
    CAIRN_FIELD_DOUBLE(Params, mass_low, 80, 1, 1000, 0, "kg", "lightest rock"),
    CAIRN_FIELD_DOUBLE(Params, mass_high, 250, 1, 5000, 0, "kg", "heaviest rock"),
    CAIRN_YARD_FIELDS(Params, yard),
};

static CairnStatus build(CairnSceneRun *run) {
    const Params *params = run->params;
    CairnPile pile = cairn_pile();
    pile.count = params->rocks;
    pile.least_mass = fmin(params->mass_low, params->mass_high);
    pile.most_mass = params->mass_high;
    return cairn_build_yard(run, pile, &params->yard);
}

static CairnStatus check(const CairnSceneRun *run, double time, const CairnStats *stats) {
    const Params *params = run->params;
    return cairn_yard_check(run, &params->yard, time, stats, "rock_pile");
}

const CairnScene cairn_scene_rock_pile = {
    .name = "rock_pile",
    .summary = "a light, stiff shovel pushes a heap of rocks",
    .watch = "The blade of 1 kg moves tonnes: no rock slips under it, none sinks into another.",
    .params = CAIRN_FIELD_TABLE("rock_pile", Params, fields),
    .memory_size = sizeof(CairnYard),
    .step = 1.0 / 60,
    .steps = 600,
    .camera = {.eye = {-5, -11.5, 5.8}, .target = {-0.3, 0, 0.4}, .fov = 29},
    .build = build,
    .script = cairn_yard_script,
    .check = check,
};
