// A box falls on the ground, tumbles and comes to rest: the smallest scene there is, and the one to copy.
//
// A scene is a struct of parameters with a table that names them, a function that fills a world, and a camera. `check`
// is optional: it states what must be true, here Galileo's law until the first touch and no energy from nowhere after
// it.
#include "demos/scenes/builders.h"

typedef struct Params {
    double height, size, tilt, restitution;
} Params;

static const CairnField fields[] = {
    CAIRN_FIELD_DOUBLE(Params, height, 2, 0.5, 20, 0, "m", "height of the box's centre"),
    CAIRN_FIELD_DOUBLE(Params, size, 0.5, 0.05, 0.5, 0, "m", "its longest edge"),
    CAIRN_FIELD_DOUBLE(Params, tilt, 25, 0, 90, 0, "deg", "how far it is turned when it is let go"),
    CAIRN_FIELD_DOUBLE(Params, restitution, 0.2, 0, 0.8, 0, "", "0: it lands dead, 1: it bounces for ever"),
};

typedef struct Memory {
    CairnBodyId box;
    bool has_touched;
} Memory;

static CairnStatus build(CairnSceneRun *run) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    CAIRN_TRY(cairn_build_ground(run->world, 0.5, params->restitution));

    CairnBodyDef body = cairn_body_def();
    body.position = cairn_vec3(0, 0, params->height);
    body.orientation = cairn_quat_axis_angle(cairn_normalize(cairn_vec3(1, 2, 0)), params->tilt * CAIRN_PI / 180);
    CairnShapeDef shape = cairn_box(params->size, 0.8 * params->size, 0.6 * params->size);
    shape.friction = 0.5;
    shape.restitution = params->restitution;
    return cairn_body_add(run->world, &body, &shape, &memory->box);
}

static CairnStatus check(const CairnSceneRun *run, double time, const CairnStats *stats) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    CAIRN_TRY(cairn_check_sound(run, time, stats, "falling_box"));
    CairnBodyState box;
    CAIRN_TRY(cairn_body_get(run->world, memory->box, &box));
    double g = -cairn_world_settings(run->world).gravity.z;
    double h = time / (double)stats->step_index;

    memory->has_touched = memory->has_touched || stats->contacts > 0;
    double fall = params->height - box.position.z;
    // Free fall is g t^2 / 2; the semi-implicit step adds exactly g t h / 2 (the midpoint step adds nothing).
    if (!memory->has_touched && fabs(fall - 0.5 * g * time * (time + 0.5 * h)) > 0.25 * g * time * h + 1e-12) {
        return cairn_error(CAIRN_NUMERIC, "falling_box: fell %.9g m in %.6g s, not g t^2 / 2", fall, time);
    }
    double limit = box.mass.mass * g * params->height;
    if (cairn_scene_energy(stats) > limit * 1.000001) {
        return cairn_error(CAIRN_NUMERIC, "falling_box: energy %.9g J is above the first %.9g J",
                           cairn_scene_energy(stats), limit);
    }
    return cairn_ok();
}

const CairnScene cairn_scene_falling_box = {
    .name = "falling_box",
    .summary = "a box falls, tumbles and comes to rest",
    .watch = "It drops as Galileo says, lands on an edge, rocks, and then lies perfectly still.",
    .params = CAIRN_FIELD_TABLE("falling_box", Params, fields),
    .memory_size = sizeof(Memory),
    .step = 1.0 / 60,
    .steps = 180,
    .camera = {.eye = {1.7, -2.8, 1.6}, .target = {0, 0, 0.92}, .fov = 40},
    .build = build,
    .check = check,
};
