// A house of cards: pairs that lean on each other, lintels from ridge to ridge. It stands by friction alone until a
// ball rolls in.
#include "demos/scenes/builders.h"
#include "demos/scenes/builders_energy.h"

typedef struct Params {
    int floors;
    double lean, friction, speed;
} Params;

static const CairnField fields[] = {
    CAIRN_FIELD_INT(Params, floors, 3, 1, 5, "floors of the house"),
    CAIRN_FIELD_DOUBLE(Params, lean, 25, 15, 30, 0, "deg", "of a card from the upright"),
    CAIRN_FIELD_DOUBLE(Params, friction, 0.7, 0, 1.5, 0, "", "of the cards"),
    CAIRN_FIELD_DOUBLE(Params, speed, 3, 0, 10, 0, "m/s", "of the ball; 0: there is none"),
};

static const double tall = 1, wide = 0.7, thick = 0.02, density = 500, hit = 4; // m, kg/m3, s

typedef struct Memory {
    CairnBodyId top; // the last card, one of the topmost pair
    CairnVec3 position;
    CairnEnergyWatch energy;
} Memory;

static CairnStatus add_card(CairnSceneRun *run, CairnVec3 position, double turn, double length) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    CairnBodyDef body = cairn_body_def();
    body.position = memory->position = position;
    body.orientation = cairn_quat_axis_angle(cairn_vec3(0, 1, 0), turn);
    CairnShapeDef card = cairn_box(thick, wide, length);
    card.density = density;
    card.friction = params->friction;
    return cairn_body_add(run->world, &body, &card, &memory->top);
}

// It rolls on the ground and is at the house's foot in time.
static CairnStatus add_ball(CairnWorld *world, const Params *params, double width) {
    CairnBodyDef ball = cairn_body_def();
    const double radius = 0.25;
    ball.position = cairn_vec3(-0.5 * width - radius - hit * params->speed, 0, radius);
    ball.velocity = cairn_vec3(params->speed, 0, 0);
    ball.angular_velocity = cairn_vec3(0, params->speed / radius, 0);
    CairnShapeDef round = cairn_sphere(radius);
    return cairn_body_add(world, &ball, &round, NULL);
}

// All is put down at once, and what a card bears is known only when all it bears is: box friction starts from what
// stops a card alone, and each further solve carries the loads one card on. With two solves the house slipped by 2 to
// 20 mm in its first steps.
static void settings(const void *params, CairnWorldDef *def) {
    (void)params;
    def->touch_passes = 12;
    def->touch_jump = 0.01;
}

static CairnStatus build(CairnSceneRun *run) {
    const Params *params = run->params;
    CAIRN_TRY(cairn_build_ground(run->world, params->friction, 0));
    double lean = params->lean * CAIRN_PI / 180, floor = thick * sin(lean) + tall * cos(lean), z = 0;
    double aside = 0.5 * (thick * cos(lean) + tall * sin(lean)), spacing = 2 * tall * sin(lean) + 3 * thick;
    if (params->speed > 0) {
        CAIRN_TRY(add_ball(run->world, params, params->floors * spacing));
    }
    for (int level = 0; level < params->floors; level++) {
        int pairs = params->floors - level;
        for (int i = 0; i < pairs; i++) {
            double x = (i - 0.5 * (pairs - 1)) * spacing;
            CAIRN_TRY(add_card(run, cairn_vec3(x - aside, 0, z + 0.5 * floor), lean, tall));
            CAIRN_TRY(add_card(run, cairn_vec3(x + aside, 0, z + 0.5 * floor), -lean, tall));
            if (i > 0) { // the lintels, end to end over the ridges
                CairnVec3 position = {x - 0.5 * spacing, 0, z + floor + 0.5 * thick};
                CAIRN_TRY(add_card(run, position, 0.5 * CAIRN_PI, spacing - 0.1 * thick));
            }
        }
        z += floor + thick;
    }
    return cairn_ok();
}

static CairnStatus check(const CairnSceneRun *run, double time, const CairnStats *stats) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    CAIRN_TRY(cairn_check_sound(run, time, stats, "card_house"));
    if (stats->penetration > 0.5 * thick) {
        return cairn_error(CAIRN_NUMERIC, "card_house: at %.6g s a card overlaps by %.3g m", time, stats->penetration);
    }
    CairnBodyState card;
    CAIRN_TRY(cairn_body_get(run->world, memory->top, &card));
    double moved = cairn_length(cairn_sub(card.position, memory->position));
    bool stands = params->friction > tan(params->lean * CAIRN_PI / 180) + 0.1 && time < hit - 0.2;
    if (stands && moved > 1e-4) {
        return cairn_error(CAIRN_NUMERIC, "card_house: at %.6g s the last card has moved by %.3g m", time, moved);
    }
    return cairn_check_energy(run, &memory->energy, stats, 1e-3, "card_house");
}

const CairnScene cairn_scene_card_house = {
    .name = "card_house",
    .summary = "a house of cards, and after four seconds a ball",
    .watch = "Nothing moves at all; then the ball takes one card, and the rest know.",
    .params = CAIRN_FIELD_TABLE("card_house", Params, fields),
    .memory_size = sizeof(Memory),
    .step = 1.0 / 60,
    .steps = 420,
    .camera = {.eye = {2.5, -6.5, 2.6}, .target = {0, 0, 1.2}, .fov = 38},
    .settings = settings,
    .build = build,
    .check = check,
};
