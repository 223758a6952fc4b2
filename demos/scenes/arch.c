// A round arch of wedge-shaped stones (voussoirs) without mortar. Statics: it stands while its thickness is at least
// 0.1075 of its radius (Milankovitch 1907; Heyman 1969) and its friction is enough; a displaced stone brings it down.
#include "demos/scenes/builders.h"
#include "demos/scenes/builders_energy.h"

enum { MOST_STONES = 61 };

typedef struct Params {
    int stones;
    double radius, thickness, width, friction;
} Params;

static const CairnField fields[] = {
    CAIRN_FIELD_INT(Params, stones, 13, 3, MOST_STONES, "stones of the arch"),
    CAIRN_FIELD_DOUBLE(Params, radius, 3, 0.5, 10, 0, "m", "of its middle line"),
    CAIRN_FIELD_DOUBLE(Params, thickness, 0.2, 0.05, 0.5, 0, "", "of the ring, in radii"),
    CAIRN_FIELD_DOUBLE(Params, width, 1, 0.2, 5, 0, "m", "of the arch"),
    CAIRN_FIELD_DOUBLE(Params, friction, 0.7, 0, 2, 0, "", "of the stones"),
};

typedef struct Memory {
    CairnBodyId stones[MOST_STONES];
    CairnVec3 positions[MOST_STONES];
    CairnEnergyWatch energy;
} Memory;

static CairnStatus build(CairnSceneRun *run) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    double step = CAIRN_PI / params->stones, half = 0.5 * params->thickness * params->radius;
    CAIRN_TRY(cairn_build_ground(run->world, params->friction, 0));
    for (int i = 0; i < params->stones; i++) {
        CairnVec3 corners[8];
        for (int k = 0; k < 8; k++) {
            double angle = (i + (k & 1)) * step, r = params->radius + (k & 2 ? half : -half);
            corners[k] = cairn_vec3(r * cos(angle), (k & 4 ? 0.5 : -0.5) * params->width, r * sin(angle));
        }
        CairnBodyDef body = cairn_body_def();
        CairnShapeDef wedge = cairn_hull(corners, 8);
        wedge.friction = params->friction;
        CAIRN_TRY(cairn_body_add(run->world, &body, &wedge, &memory->stones[i]));
        CairnBodyState stone;
        CAIRN_TRY(cairn_body_get(run->world, memory->stones[i], &stone));
        memory->positions[i] = stone.center;
    }
    return cairn_ok();
}

static CairnStatus check(const CairnSceneRun *run, double time, const CairnStats *stats) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    CAIRN_TRY(cairn_check_sound(run, time, stats, "arch"));
    bool falls = params->thickness < 0.1 && params->stones > 10 && time > 3;
    if (falls) {
        CairnBodyState key;
        CAIRN_TRY(cairn_body_get(run->world, memory->stones[params->stones / 2], &key));
        if (key.center.z > 0.5 * params->radius) {
            return cairn_error(CAIRN_NUMERIC, "arch: at %.6g s it stands, thinner than an arch can be", time);
        }
    }
    bool stands = params->thickness > 0.11 && params->friction > 0.5;
    for (int i = 0; i < params->stones && stands; i++) {
        CairnBodyState stone;
        CAIRN_TRY(cairn_body_get(run->world, memory->stones[i], &stone));
        double moved = cairn_length(cairn_sub(stone.center, memory->positions[i]));
        if (moved > 1e-3 * params->radius) {
            return cairn_error(CAIRN_NUMERIC, "arch: at %.6g s stone %d has moved by %.3g m", time, i + 1, moved);
        }
    }
    return cairn_check_energy(run, &memory->energy, stats, 1e-3, "arch");
}

const CairnScene cairn_scene_arch = {
    .name = "arch",
    .summary = "thirteen stones and no mortar",
    .watch = "It stands by its own weight; with --param thickness=0.09 no friction in the world holds it.",
    .params = CAIRN_FIELD_TABLE("arch", Params, fields),
    .memory_size = sizeof(Memory),
    .step = 1.0 / 60,
    .steps = 300,
    .camera = {.eye = {3.5, -9, 3.2}, .target = {0, 0, 1.5}, .fov = 38},
    .build = build,
    .check = check,
};
