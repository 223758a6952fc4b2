// A tower of boxes, each turned a little against the one below. It has one job: to stand.
//
// At rest the ground must carry exactly the weight, sum of normal impulses = n m g h: the check that shows whether the
// impulses of a solver mean something, or only look as if.
#include "demos/scenes/builders.h"
#include "demos/scenes/builders_energy.h"

enum { MAX_BOXES = 100, MAX_CONTACTS = 8 * MAX_BOXES };

typedef struct Params {
    int boxes;
    double size, twist, friction;
} Params;

static const CairnField fields[] = {
    CAIRN_FIELD_INT(Params, boxes, 10, 1, MAX_BOXES, "boxes in the tower"),
    CAIRN_FIELD_DOUBLE(Params, size, 0.5, 0.1, 2, 0, "m", "edge of a box"),
    CAIRN_FIELD_DOUBLE(Params, twist, 7, 0, 45, 0, "deg", "turn of a box against the one below"),
    CAIRN_FIELD_DOUBLE(Params, friction, 0.6, 0.1, 2, 0, "", "friction of the boxes and the ground"),
};

typedef struct Memory {
    CairnBodyId boxes[MAX_BOXES];
    CairnContact contacts[MAX_CONTACTS];
    CairnEnergyWatch energy;
} Memory;

static CairnStatus build(CairnSceneRun *run) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    CAIRN_TRY(cairn_build_ground(run->world, params->friction, 0));
    CairnShapeDef brick = cairn_box(params->size, params->size, params->size);
    brick.friction = params->friction;
    return cairn_build_tower(run->world, cairn_vec3(0, 0, 0), params->boxes, &brick, params->twist * CAIRN_PI / 180,
                             memory->boxes);
}

static CairnStatus check(const CairnSceneRun *run, double time, const CairnStats *stats) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    CAIRN_TRY(cairn_check_sound(run, time, stats, "box_tower"));
    CairnBodyState top;
    CAIRN_TRY(cairn_body_get(run->world, memory->boxes[params->boxes - 1], &top));
    double sunk = (params->boxes - 0.5) * params->size - top.position.z;
    double aside = hypot(top.position.x, top.position.y);
    double slack = 1e-3 * params->boxes * params->size;
    if (fabs(sunk) > slack || aside > slack) {
        return cairn_error(CAIRN_NUMERIC, "box_tower: at %.6g s the top box is %.3g m down and %.3g m aside", time,
                           sunk, aside);
    }
    int count = cairn_world_contacts(run->world, memory->contacts, MAX_CONTACTS);
    double carried = 0;
    for (int i = 0; i < count && i < MAX_CONTACTS; i++) {
        carried += memory->contacts[i].point.z < 0.5 * params->size ? memory->contacts[i].impulse.x : 0;
    }
    double g = -cairn_world_settings(run->world).gravity.z;
    double weight = params->boxes * top.mass.mass * g * time / (double)stats->step_index;
    if (time > 1 && fabs(carried - weight) > 0.01 * weight) {
        return cairn_error(CAIRN_NUMERIC,
                           "box_tower: at %.6g s the ground carries %.6g N s a step, the tower weighs %.6g N s", time,
                           carried, weight);
    }
    return cairn_check_energy(run, &memory->energy, stats, 1e-3, "box_tower");
}

const CairnScene cairn_scene_box_tower = {
    .name = "box_tower",
    .summary = "a tower of boxes that has one job: to stand",
    .watch = "Nothing moves, and that is the point: no creep, no jitter, no lean.",
    .params = CAIRN_FIELD_TABLE("box_tower", Params, fields),
    .memory_size = sizeof(Memory),
    .step = 1.0 / 60,
    .steps = 300,
    .camera = {.eye = {5.6, -7.3, 4.5}, .target = {0.35, 0, 2.45}, .fov = 37},
    .build = build,
    .check = check,
};
