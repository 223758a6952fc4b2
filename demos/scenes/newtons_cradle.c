// Newton's cradle: one ball swings in, one ball swings out.
//
// Which law holds depends on the gaps. Balls that touch are hit at the same instant, and Newton's restitution, applied
// to all contacts at once, sends -1/3, 2/3, 2/3 of the speed on: correct for that law, and not what the toy does. With
// gaps wider than v h the blows come one after another, each pair swaps its velocities, and the last ball leaves alone.
#include "demos/scenes/builders.h"
#include "demos/scenes/builders_energy.h"
#include <stdlib.h>

enum { MAX_BALLS = 12 };

typedef struct Params {
    int balls, lifted;
    double angle, gap;
} Params;

static const CairnField fields[] = {
    CAIRN_FIELD_INT(Params, balls, 5, 2, MAX_BALLS, "balls in the cradle"),
    CAIRN_FIELD_INT(Params, lifted, 1, 1, 3, "balls that are lifted at the start"),
    CAIRN_FIELD_DOUBLE(Params, angle, 45, 5, 60, 0, "deg", "how far the first ball is lifted"),
    CAIRN_FIELD_DOUBLE(Params, gap, 0.0015, 0.001, 0.02, 0, "m", "gap between two balls at rest; must exceed v h"),
};

static const double radius = 0.1, height = 1.25, string = 1.0, depth = 0.35;

typedef struct Memory {
    CairnBodyId balls[MAX_BALLS];
    CairnEnergyWatch energy;
} Memory;

static CairnStatus build_frame(CairnWorld *world, double half) {
    for (int side = -1; side <= 1; side += 2) {
        CAIRN_TRY(cairn_build_static_box(world, cairn_vec3(0, side * depth, height + 0.025), cairn_vec3(0, 0, 0),
                                         cairn_vec3(2 * half + 0.05, 0.05, 0.05), 0.5, NULL));
        for (int end = -1; end <= 1; end += 2) {
            CAIRN_TRY(cairn_build_static_box(world, cairn_vec3(end * half, side * depth, 0.5 * height),
                                             cairn_vec3(0, 0, 0), cairn_vec3(0.05, 0.05, height), 0.5, NULL));
        }
    }
    return cairn_build_ground(world, 0.5, 0);
}

static CairnStatus build(CairnSceneRun *run) {
    const Params *params = run->params;
    CairnBodyId *balls = ((Memory *)run->memory)->balls;
    double pitch = 2 * radius + params->gap;
    CAIRN_TRY(build_frame(run->world, 0.5 * params->balls * pitch + 0.15));
    for (int i = 0; i < params->balls; i++) {
        double x = (i - 0.5 * (params->balls - 1)) * pitch;
        double angle = i < params->lifted ? params->angle * CAIRN_PI / 180 : 0;
        CairnBodyDef body = cairn_body_def();
        body.position = cairn_vec3(x - string * sin(angle), 0, height - string * cos(angle));
        CairnShapeDef ball = cairn_sphere(radius);
        ball.density = 7800;
        ball.restitution = 1;
        ball.friction = 0;
        CAIRN_TRY(cairn_body_add(run->world, &body, &ball, &balls[i]));
        // Two strings, parted along y, keep the ball in the plane of the swing.
        CAIRN_TRY(cairn_build_rod(run->world, cairn_vec3(x, -depth, height), balls[i]));
        CAIRN_TRY(cairn_build_rod(run->world, cairn_vec3(x, depth, height), balls[i]));
    }
    return cairn_ok();
}

static void settings(const void *params, CairnWorldDef *def) {
    (void)params;
    def->friction_mix = CAIRN_MIX_MIN;
    def->restitution_mix = CAIRN_MIX_MAX;
}

static int descending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

// Through the first blow and up the far side as many balls as were lifted carry the energy (all but what the gaps
// cost).
static CairnStatus check(const CairnSceneRun *run, double time, const CairnStats *stats) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    const CairnBodyId *balls = memory->balls;
    CAIRN_TRY(cairn_check_sound(run, time, stats, "newtons_cradle"));
    double g = -cairn_world_settings(run->world).gravity.z;
    double swing = 2 * g * string * (1 - cos(params->angle * CAIRN_PI / 180)); // v^2 of the first ball at the bottom
    double v2[MAX_BALLS], sum = 0, rest = 0;
    for (int i = 0; i < params->balls; i++) {
        CairnBodyState state;
        CAIRN_TRY(cairn_body_get(run->world, balls[i], &state));
        v2[i] = cairn_length_squared(state.velocity);
        sum += v2[i];
    }
    qsort(v2, (size_t)params->balls, sizeof v2[0], descending);
    for (int i = params->lifted; i < params->balls; i++) {
        rest += v2[i];
    }
    if (sum > 1.02 * params->lifted * swing) {
        return cairn_error(CAIRN_NUMERIC, "newtons_cradle: v^2 of all balls is %.6g, more than the first swing's %.6g",
                           sum, swing);
    }
    bool is_first_swing =
        time < CAIRN_PI * sqrt(string / g); // half a period for small angles, a little less for large ones
    if (is_first_swing && rest > 0.02 * swing) {
        return cairn_error(CAIRN_NUMERIC, "newtons_cradle: at %.6g s the balls share the energy: %.6g of %.6g m2/s2",
                           time, rest, swing);
    }
    return cairn_check_energy(run, &memory->energy, stats, 1e-3, "newtons_cradle");
}

const CairnScene cairn_scene_newtons_cradle = {
    .name = "newtons_cradle",
    .summary = "one ball swings in, one ball swings out",
    .watch = "The balls between stand almost still while the blow runs through them.",
    .params = CAIRN_FIELD_TABLE("newtons_cradle", Params, fields),
    .memory_size = sizeof(Memory),
    // As in pendulum_chain: the energy of what swings at w rises and falls by h w of itself.
    .step = 1.0 / 3600,
    .steps = 14400,
    .camera = {.eye = {1.5, -3.6, 1.5}, .target = {0, 0, 0.66}, .fov = 36},
    .settings = settings,
    .build = build,
    .check = check,
};
