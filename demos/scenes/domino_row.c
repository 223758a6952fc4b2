// Dominoes in a bent row: the first gets a push, every next one falls because its neighbour did.
#include "demos/scenes/builders.h"
#include "demos/scenes/builders_energy.h"

enum { MAX_DOMINOES = 100 };

typedef struct Params {
    int dominoes;
    double spacing, bend, push;
} Params;

static const CairnField fields[] = {
    CAIRN_FIELD_INT(Params, dominoes, 24, 2, MAX_DOMINOES, "dominoes in the row"),
    CAIRN_FIELD_DOUBLE(Params, spacing, 0.45, 0.25, 0.7, 0, "", "from one to the next, in heights"),
    CAIRN_FIELD_DOUBLE(Params, bend, 5, 0, 7, 0, "deg", "turn of the row from one to the next; 300 deg in all at most"),
    CAIRN_FIELD_DOUBLE(Params, push, 1.5, 1, 3, 0, "rad/s", "angular velocity of the first one"),
};

typedef struct Memory {
    CairnBodyId dominoes[MAX_DOMINOES];
    CairnEnergyWatch energy;
} Memory;

static const double thickness = 0.12, width = 0.5, tall = 1.0;

static CairnStatus build(CairnSceneRun *run) {
    const Params *params = run->params;
    CairnBodyId *dominoes = ((Memory *)run->memory)->dominoes;
    CAIRN_TRY(cairn_build_ground(run->world, 0.6, 0));
    double bend = fmin(params->bend, 300.0 / (params->dominoes - 1)); // a full circle would run into its own start
    CairnVec3 foot = {0, 0, 0};
    for (int i = 0; i < params->dominoes; i++) {
        double heading = (i - 0.5 * (params->dominoes - 1)) * bend * CAIRN_PI / 180;
        CairnVec3 ahead = {cos(heading), sin(heading), 0};
        CairnBodyDef body = cairn_body_def();
        body.position = cairn_add(foot, cairn_vec3(0, 0, 0.5 * tall));
        body.orientation = cairn_quat_axis_angle(cairn_vec3(0, 0, 1), heading);
        if (i == 0) { // it tips over its lower front edge, so its centre moves on a circle about that edge
            body.angular_velocity = cairn_scale(params->push, cairn_vec3(-ahead.y, ahead.x, 0));
            CairnVec3 arm = cairn_add_scaled(cairn_vec3(0, 0, 0.5 * tall), -0.5 * thickness, ahead);
            body.velocity = cairn_cross(body.angular_velocity, arm);
        }
        CairnShapeDef shape = cairn_box(thickness, width, tall);
        shape.friction = 0.4;
        CAIRN_TRY(cairn_body_add(run->world, &body, &shape, &dominoes[i]));
        foot = cairn_add_scaled(foot, params->spacing * tall, ahead);
    }
    return cairn_ok();
}

static CairnStatus check(const CairnSceneRun *run, double time, const CairnStats *stats) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    const CairnBodyId *dominoes = memory->dominoes;
    CAIRN_TRY(cairn_check_sound(run, time, stats, "domino_row"));
    bool has_last_fallen = true;
    for (int i = 0; i < params->dominoes; i++) {
        CairnBodyState state;
        CAIRN_TRY(cairn_body_get(run->world, dominoes[i], &state));
        double lean = acos(cairn_clamp(cairn_rotate(state.orientation, cairn_vec3(0, 0, 1)).z, -1, 1)) * 180 / CAIRN_PI;
        if (lean > 12 && !has_last_fallen) {
            return cairn_error(CAIRN_NUMERIC, "domino_row: domino %d leans by %.3g deg at %.6g s before domino %d does",
                               i, lean, time, i - 1);
        }
        has_last_fallen = lean > 6;
    }
    return cairn_check_energy(run, &memory->energy, stats, 1e-3, "domino_row");
}

const CairnScene cairn_scene_domino_row = {
    .name = "domino_row",
    .summary = "a push runs down a bent row of dominoes",
    .watch = "The wave keeps its speed; no domino moves before its neighbour reaches it.",
    .params = CAIRN_FIELD_TABLE("domino_row", Params, fields),
    .memory_size = sizeof(Memory),
    .step = 1.0 / 120,
    .steps = 600,
    .camera = {.eye = {1.3, -10.2, 5.0}, .target = {4.3, -0.9, 0.25}, .fov = 31},
    .build = build,
    .check = check,
};
