// A chain of bars on ball joints, held out straight to the side and let go.
#include "demos/scenes/builders.h"
#include "demos/scenes/builders_energy.h"

typedef struct Params {
    int links;
    double length, angle;
} Params;

static const CairnField fields[] = {
    CAIRN_FIELD_INT(Params, links, 10, 1, 50, "links of the chain"),
    CAIRN_FIELD_DOUBLE(Params, length, 3, 1, 10, 0, "m", "length of the whole chain"),
    CAIRN_FIELD_DOUBLE(Params, angle, 90, 5, 90, 0, "deg", "how far it is held out from the vertical"),
};

static CairnStatus build(CairnSceneRun *run) {
    const Params *params = run->params;
    double angle = params->angle * CAIRN_PI / 180, piece = params->length / params->links, top = params->length + 0.8;
    double thick = fmin(0.08, 0.5 * piece);
    CAIRN_TRY(cairn_build_ground(run->world, 0.5, 0));
    CairnBodyId hook;
    double wide = fmin(0.3, 1.5 * piece); // the second link, which touches what it meets, begins beside it
    CAIRN_TRY(cairn_build_static_box(run->world, cairn_vec3(0, 0, top + 0.1), cairn_vec3(0, 0, 0),
                                     cairn_vec3(wide, wide, 0.2), 0.5, &hook));
    CairnShapeDef link = cairn_box(piece, thick, thick);
    CairnVec3 start = {0, 0, top}, direction = {sin(angle), 0, -cos(angle)};
    CairnEnergyWatch *watch = run->memory;
    double g = -cairn_world_settings(run->world).gravity.z;
    watch->kinetic = link.density * params->length * thick * thick * g * 0.5 * params->length * (1 - cos(angle));
    return cairn_build_chain(run->world, hook, start, direction, params->links, &link, NULL);
}

static CairnStatus check(const CairnSceneRun *run, double time, const CairnStats *stats) {
    const Params *params = run->params;
    CAIRN_TRY(cairn_check_sound(run, time, stats, "pendulum_chain"));
    if (stats->joint_error_linear > 0.01 * params->length) {
        return cairn_error(CAIRN_NUMERIC, "pendulum_chain: a joint is %.3g m apart at %.6g s",
                           stats->joint_error_linear, time);
    }
    // A thousandth, and as much more as the last bar swings faster than one of ten bars of 0.3 m.
    double faster = sqrt(params->links / params->length * 0.3);
    return cairn_check_energy(run, run->memory, stats, 1e-3 * fmax(1, faster), "pendulum_chain");
}

const CairnScene cairn_scene_pendulum_chain = {
    .name = "pendulum_chain",
    .summary = "a chain of bars swings from the side",
    .watch = "The free end cracks like a whip when the chain comes through.",
    .params = CAIRN_FIELD_TABLE("pendulum_chain", Params, fields),
    .memory_size = sizeof(CairnEnergyWatch),
    // A semi-implicit step keeps H - (h/2) w^2 p q / m, so the energy of what swings at w rises and falls by h w of
    // itself: this step keeps that, and what the whip adds, below a thousandth.
    .step = 1.0 / 3000,
    .steps = 15000,
    .camera = {.eye = {1.2, -8.2, 3.4}, .target = {0.3, 0, 2.05}, .fov = 36},
    .build = build,
    .check = check,
};
