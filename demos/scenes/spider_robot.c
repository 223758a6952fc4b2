// A walking robot of 37 bodies: six legs, twelve servos, revolute joints (S1, section 3.1). Its step is 0.01 s and its
// solver 50 sweeps of psor, as in the paper, unless the options name others.
#include "demos/scenes/builders.h"
#include "demos/scenes/builders_spider.h"

typedef struct Params {
    double mass, friction, period, swing, lift, stiffness, damping, torque;
} Params;

static const CairnField fields[] = {
    CAIRN_FIELD_DOUBLE(Params, mass, 4, 1, 20, 0, "kg", "mass of the robot"),
    CAIRN_FIELD_DOUBLE(Params, friction, 0.6, 0, 1.5, 0, "", "of its feet on the ground"),
    CAIRN_FIELD_DOUBLE(Params, period, 1, 0.5, 5, 0, "s", "of its gait"),
    CAIRN_FIELD_DOUBLE(Params, swing, 0.3, 0, 0.5, 0, "rad", "of a leg to either side"),
    CAIRN_FIELD_DOUBLE(Params, lift, 0.25, 0, 0.5, 0, "rad", "of a crank"),
    CAIRN_FIELD_DOUBLE(Params, stiffness, 200, 20, 2000, 0, "N m/rad", "of the servos"),
    CAIRN_FIELD_DOUBLE(Params, damping, 4, 0, 40, 0, "N m s/rad", "of the servos"),
    CAIRN_FIELD_DOUBLE(Params, torque, 8, 1, 100, 0, "N m", "of a servo at most"),
};

typedef struct Memory {
    CairnSpider spider;
    CairnVec3 start; // of the body
} Memory;

static CairnGait gait_of(const Params *params) {
    return (CairnGait){params->period, params->swing, params->lift};
}

static void settings(const void *params, CairnWorldDef *def) {
    (void)params;
    def->friction = CAIRN_FRICTION_CONE;
    // As in the paper, one solve a step; and what its sweeps leave of a joint's error is taken back over a few steps.
    def->contact_passes = def->touch_passes = def->geometric_passes = def->joint_passes = def->substeps = 1;
    def->joint_fraction = 0.2;
}

static CairnStatus build(CairnSceneRun *run) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    CAIRN_TRY(cairn_build_ground(run->world, params->friction, 0));
    CairnSpiderDef def = cairn_spider_def();
    def.mass = params->mass;
    def.friction = params->friction;
    def.stiffness = params->stiffness;
    def.damping = params->damping;
    def.torque = params->torque;
    def.filter = (CairnFilter){2, ~(uint64_t)2};
    return cairn_build_spider(run->world, &def, &memory->spider);
}

static CairnStatus script(CairnSceneRun *run, double time) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    CairnGait gait = gait_of(params);
    return cairn_spider_drive(run->world, &memory->spider, &gait, time);
}

// How far the gait carries it while no foot slips: the first period goes from nothing to whole steps.
static double planned_distance(const CairnGait *gait, double time) {
    double begun = fmin(time, gait->period), speed = cairn_gait_speed(gait);
    return speed * (0.5 * begun * begun / gait->period + fmax(time - gait->period, 0));
}

// Three feet at least are on the ground, and what the gait lifts is in the air.
static CairnStatus check_feet(const CairnSceneRun *run, double time, double h) {
    const Params *params = run->params;
    const Memory *memory = run->memory;
    CairnGait gait = gait_of(params);
    int standing = 0;
    for (int leg = 0; leg < CAIRN_SPIDER_LEGS; leg++) {
        CairnVec3 foot;
        CAIRN_TRY(cairn_spider_foot_position(run->world, &memory->spider, leg, &foot));
        double high = foot.z - cairn_spider_foot;
        standing += high < 0.008;
        CairnLegTarget planned = cairn_gait_target(&gait, leg, time - h); // servos are one step late
        if (planned.lift > 0.2 && high < 0.005) {
            return cairn_error(CAIRN_NUMERIC, "spider_robot: at %.6g s foot %d is lifted by %.3g m only", time, leg,
                               high);
        }
    }
    if (standing < 3) {
        return cairn_error(CAIRN_NUMERIC, "spider_robot: at %.6g s %d feet are on the ground", time, standing);
    }
    return cairn_ok();
}

static CairnStatus check(const CairnSceneRun *run, double time, const CairnStats *stats) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    if (stats->joint_error_linear > 0.002 || stats->penetration > 0.001) {
        return cairn_error(CAIRN_NUMERIC, "spider_robot: at %.6g s a joint is %.3g m apart, an overlap %.3g m deep",
                           time, stats->joint_error_linear, stats->penetration);
    }
    CairnBodyState body;
    CAIRN_TRY(cairn_body_get(run->world, memory->spider.body, &body));
    memory->start = stats->step_index == 1 ? body.center : memory->start;
    CairnVec3 displacement = cairn_sub(body.center, memory->start);
    double tilt = acos(cairn_clamp(cairn_rotate(body.orientation, cairn_vec3(0, 0, 1)).z, -1, 1));
    if (fabs(displacement.z) > 0.01 || tilt > 0.05) {
        return cairn_error(CAIRN_NUMERIC, "spider_robot: at %.6g s the body is %.3g m up, tilted by %.3g rad", time,
                           displacement.z, tilt);
    }
    CAIRN_TRY(check_feet(run, time, time / (double)stats->step_index));
    CairnGait gait = gait_of(params);
    double planned = planned_distance(&gait, time);
    bool is_late = time > 3 * params->period && params->friction > 0.3;
    if (is_late && (fabs(displacement.x - planned) > 0.15 * planned || fabs(displacement.y) > 0.1 * planned)) {
        return cairn_error(CAIRN_NUMERIC, "spider_robot: at %.6g s it has walked %.3g m, and %.3g m aside, not %.3g",
                           time, displacement.x, displacement.y, planned);
    }
    return cairn_ok();
}

const CairnScene cairn_scene_spider_robot = {
    .name = "spider_robot",
    .summary = "a robot of 37 parts and twelve servos walks on six legs",
    .watch = "Three feet always stand; the other three swing forward, low over the ground.",
    .params = CAIRN_FIELD_TABLE("spider_robot", Params, fields),
    .memory_size = sizeof(Memory),
    .step = 0.01,
    .steps = 1000,
    .camera = {.eye = {1.0, -1.5, 0.75}, .target = {0.55, 0, 0.08}, .fov = 40},
    .solver = "psor:iterations=50,omega=1.3",
    .settings = settings,
    .build = build,
    .script = script,
    .check = check,
};
