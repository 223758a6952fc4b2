// A tower of logs in crossing layers with a heavy box on top: it stands for five seconds, until a ball rolls into its
// foot.
//
// Every layer could roll upon the next, and nothing but exact impulses keeps it from doing so: with a solver that
// leaves a residual behind the tower falls before the ball reaches it. After the impact it falls, and nothing may sink
// into anything while 160 bodies strike each other.
#include "demos/scenes/builders.h"
#include "demos/scenes/builders_energy.h"

enum { MAX_LOGS = 2000, LAYER = 4 };

typedef struct Params {
    int logs;
    double box_mass, log_mass, friction, speed, rolling_friction;
} Params;

static const CairnField fields[] = {
    CAIRN_FIELD_INT(Params, logs, 160, 1, MAX_LOGS, "logs, four to a layer"),
    CAIRN_FIELD_DOUBLE(Params, box_mass, 2500, 1, 1e6, 0, "kg", "mass of the box on top"),
    CAIRN_FIELD_DOUBLE(Params, log_mass, 50, 10, 1000, 0, "kg", "mass of a log"),
    CAIRN_FIELD_DOUBLE(Params, friction, 0.6, 0, 2, 0, "", "friction of everything"),
    CAIRN_FIELD_DOUBLE(Params, speed, 8, 0, 20, 0, "m/s", "speed of the ball; 0: there is none"),
    CAIRN_FIELD_DOUBLE(Params, rolling_friction, 0, 0, 0.05, 0, "m", "lever arm of the logs' rolling friction"),
};

static const double radius = 0.1, length = 2.4; // of a log
static const double ball_radius = 0.5, ball_mass = 500, box_height = 0.6, box_width = 2;
static const double aside = 0.1; // the ball hits beside the middle
static const double hit = 5;     // s: when it does

typedef struct Memory {
    CairnBodyId box, ball;
    CairnEnergyWatch energy;
} Memory;

static double top_of(const Params *params) {
    return 2 * radius * ((params->logs + LAYER - 1) / LAYER);
}

static double start_of(const Params *params) {
    return -(hit * params->speed + 0.5 * length + ball_radius);
}

static CairnStatus add_logs(CairnSceneRun *run) {
    const Params *params = run->params;
    CairnShapeDef shape = cairn_cylinder(radius, length);
    shape.friction = params->friction;
    shape.rolling_friction = params->rolling_friction;
    for (int i = 0; i < params->logs; i++) {
        int layer = i / LAYER;
        bool is_along_y = layer % 2 == 1;
        // A layer that is not full lies about the middle: a single log carries the box, too.
        int in_layer = params->logs - layer * LAYER < LAYER ? params->logs - layer * LAYER : LAYER;
        double offset = (i % LAYER - 0.5 * (in_layer - 1)) * length / LAYER;
        CairnBodyDef log = cairn_body_def();
        log.position = cairn_vec3(is_along_y ? offset : 0, is_along_y ? 0 : offset, (2 * layer + 1) * radius);
        log.orientation = cairn_quat_axis_angle(is_along_y ? cairn_vec3(1, 0, 0) : cairn_vec3(0, 1, 0), CAIRN_PI / 2);
        log.mass = params->log_mass;
        CAIRN_TRY(cairn_body_add(run->world, &log, &shape, NULL));
    }
    return cairn_ok();
}

// While it falls a log is struck, strikes the next one, and so on within a step: two or three passes mostly, ten in a
// few. Where the default's eight ended it, logs sank in by 16 mm.
static void settings(const void *params, CairnWorldDef *def) {
    (void)params;
    def->contact_passes = 32;
}

static CairnStatus build(CairnSceneRun *run) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    CAIRN_TRY(cairn_build_ground(run->world, params->friction, 0));
    CAIRN_TRY(add_logs(run));
    CairnBodyDef box = cairn_body_def();
    box.position.z = top_of(params) + 0.5 * box_height;
    box.mass = params->box_mass;
    CairnShapeDef cube = cairn_box(box_width, box_width, box_height);
    cube.friction = params->friction;
    CAIRN_TRY(cairn_body_add(run->world, &box, &cube, &memory->box));
    if (params->speed == 0) {
        return cairn_ok();
    }
    CairnBodyDef ball = cairn_body_def();
    ball.mass = ball_mass;
    ball.position = cairn_vec3(start_of(params), aside, ball_radius);
    ball.velocity = cairn_vec3(params->speed, 0, 0);
    ball.angular_velocity = cairn_vec3(0, params->speed / ball_radius, 0);
    CairnShapeDef round = cairn_sphere(ball_radius);
    round.friction = params->friction;
    return cairn_body_add(run->world, &ball, &round, &memory->ball);
}

// Nothing has touched it yet: the box stays, and the ball rolls on.
static CairnStatus check_standing(const CairnSceneRun *run, double time) {
    const Params *params = run->params;
    const Memory *memory = run->memory;
    CairnBodyState box, ball;
    CAIRN_TRY(cairn_body_get(run->world, memory->box, &box));
    double sunk = top_of(params) + 0.5 * box_height - box.position.z;
    double tilt = acos(cairn_clamp(cairn_rotate(box.orientation, cairn_vec3(0, 0, 1)).z, -1, 1)) * 180 / CAIRN_PI;
    double give =
        2 * cairn_world_contact_give(run->world) * params->logs / LAYER; // what each layer gives way by at first
    if (fabs(sunk) > 1e-3 + give || tilt > 0.1) {
        return cairn_error(CAIRN_NUMERIC, "log_tower: at %.6g s the box has sunk by %.3g m and leans by %.3g deg", time,
                           sunk, tilt);
    }
    if (params->speed > 0) {
        CAIRN_TRY(cairn_body_get(run->world, memory->ball, &ball));
        CairnVec3 there = {start_of(params) + params->speed * time, aside, ball_radius};
        double off = cairn_length(cairn_sub(ball.position, there));
        if (off > 1e-3) {
            return cairn_error(CAIRN_NUMERIC, "log_tower: at %.6g s the ball is %.3g m from where it rolls", time, off);
        }
    }
    return cairn_ok();
}

static CairnStatus check(const CairnSceneRun *run, double time, const CairnStats *stats) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    CAIRN_TRY(cairn_check_sound(run, time, stats, "log_tower"));
    bool is_tower = params->logs >= LAYER; // fewer have nothing that keeps them from rolling
    if (is_tower && time < hit - 1e-9) {
        CAIRN_TRY(check_standing(run, time));
    }
    if (stats->penetration > 0.01) {
        return cairn_error(CAIRN_NUMERIC, "log_tower: at %.6g s something has sunk in by %.3g m", time,
                           stats->penetration);
    }
    return cairn_check_energy(run, &memory->energy, stats, 1e-3, "log_tower");
}

const CairnScene cairn_scene_log_tower = {
    .name = "log_tower",
    .summary = "160 logs under a heavy box, and after five seconds a ball",
    .watch = "Not a log rolls for five seconds; then all of them do, and none sinks into another.",
    .params = CAIRN_FIELD_TABLE("log_tower", Params, fields),
    .memory_size = sizeof(Memory),
    .step = 1.0 / 60,
    .steps = 900,
    .camera = {.eye = {11, -13, 6}, .target = {0.5, 0, 3.2}, .fov = 40},
    .settings = settings,
    .build = build,
    .check = check,
};
