// A ball of a tonne on a chain of links of a few kilograms swings into a brick wall.
#include "demos/scenes/builders.h"
#include "demos/scenes/builders_energy.h"

typedef struct Params {
    int courses;
    double ball_mass, angle, friction;
} Params;

static const CairnField fields[] = {
    CAIRN_FIELD_INT(Params, courses, 8, 1, 16, "courses of the wall"),
    CAIRN_FIELD_DOUBLE(Params, ball_mass, 1000, 10, 10000, 0, "kg", "mass of the ball"),
    CAIRN_FIELD_DOUBLE(Params, angle, 60, 0, 80, 0, "deg", "of the chain from the vertical at first"),
    CAIRN_FIELD_DOUBLE(Params, friction, 0.6, 0, 1.5, 0, "", "of the bricks"),
};

enum { LINKS = 12, WIDE = 6 };
static const double link_length = 0.4, radius = 0.5, height = 6.5; // of the ball, and of the crane's hook

typedef struct Memory {
    CairnEnergyWatch energy;
} Memory;

// A running bond: every second course begins and ends with half a brick.
static CairnStatus add_course(CairnSceneRun *run, int course) {
    const Params *params = run->params;
    int is_odd = course % 2;
    for (int i = 0; i < WIDE + is_odd; i++) {
        double half = !is_odd ? 0 : i == 0 ? 1 : i == WIDE ? -1 : 0;
        CairnShapeDef brick = cairn_box(0.5, half != 0 ? 0.48 : 0.98, 0.4);
        brick.friction = params->friction;
        brick.density = 500;
        CairnBodyDef body = cairn_body_def();
        body.position = cairn_vec3(1, i - 0.5 * (WIDE - 1 + is_odd) + 0.25 * half, 0.4 * course + 0.2);
        CAIRN_TRY(cairn_body_add(run->world, &body, &brick, NULL));
    }
    return cairn_ok();
}

static CairnStatus build(CairnSceneRun *run) {
    const Params *params = run->params;
    CAIRN_TRY(cairn_build_ground(run->world, 0.6, 0));
    for (int course = 0; course < params->courses; course++) {
        CAIRN_TRY(add_course(run, course));
    }
    double angle = params->angle * CAIRN_PI / 180;
    CairnVec3 hook = {0, 0, height}, along = {-sin(angle), 0, -cos(angle)};
    CairnBodyId links[LINKS], ball;
    CairnShapeDef link = cairn_box(link_length, 0.08, 0.08), round = cairn_sphere(radius);
    CAIRN_TRY(cairn_build_chain(run->world, (CairnBodyId){0}, hook, along, LINKS, &link, links));
    CairnBodyDef body = cairn_body_def();
    body.position = cairn_add_scaled(hook, LINKS * link_length + radius, along);
    body.mass = params->ball_mass;
    CAIRN_TRY(cairn_body_add(run->world, &body, &round, &ball));
    CairnJointDef shackle = cairn_joint_def(CAIRN_JOINT_BALL);
    shackle.body_a = links[LINKS - 1];
    shackle.body_b = ball;
    CAIRN_TRY(cairn_joint_place(run->world, &shackle, cairn_add_scaled(hook, LINKS * link_length, along), along,
                                cairn_vec3(0, 0, 0)));
    return cairn_joint_create(run->world, &shackle, NULL);
}

static CairnStatus check(const CairnSceneRun *run, double time, const CairnStats *stats) {
    Memory *memory = run->memory;
    if (stats->joint_error_linear > 0.02 || stats->penetration > 0.02) {
        return cairn_error(CAIRN_NUMERIC, "wrecking_ball: at %.6g s a joint is %.3g m apart, an overlap %.3g m deep",
                           time, stats->joint_error_linear, stats->penetration);
    }
    return cairn_check_energy(run, &memory->energy, stats, 1e-3, "wrecking_ball");
}

const CairnScene cairn_scene_wrecking_ball = {
    .name = "wrecking_ball",
    .summary = "a tonne on a chain swings into a wall",
    .watch = "The chain stays straight and whole, and the wall does not.",
    .params = CAIRN_FIELD_TABLE("wrecking_ball", Params, fields),
    .memory_size = sizeof(Memory),
    .step = 1.0 / 120,
    .steps = 480,
    .camera = {.eye = {-7, -10, 4.8}, .target = {0.6, 0, 2.5}, .fov = 40},
    .build = build,
    .check = check,
};
