// A seven-axis arm stirs grains in a box: S2's first scene. Each grain is a subsystem, and so is the arm.
#include "demos/scenes/builders.h"
#include "demos/scenes/builders_arm.h"

enum { MOST_GRAINS = 5000 };

typedef struct Params {
    int grains;
    double radius, mass, friction, speed, swing;
} Params;

static const CairnField fields[] = {
    CAIRN_FIELD_INT(Params, grains, 216, 1, MOST_GRAINS, "balls in the box"),
    CAIRN_FIELD_DOUBLE(Params, radius, 0.01, 0.005, 0.02, 0, "m", "of a grain"),
    CAIRN_FIELD_DOUBLE(Params, mass, 0.004, 1e-4, 1, 0, "kg", "of a grain"),
    CAIRN_FIELD_DOUBLE(Params, friction, 0.3, 0, 1, 0, "", "friction of everything"),
    CAIRN_FIELD_DOUBLE(Params, speed, 2, 0, 6, 0, "rad/s", "of the stirring"),
    CAIRN_FIELD_DOUBLE(Params, swing, 2.4, 0, 2.8, 0, "rad", "how far the last axis turns to either side"),
};

// The tool: a staff beside the flange's axis, so that turning the last axis leads it round.
static const double staff_radius = 0.008, staff_length = 0.16, staff_aside = 0.045, thick = 0.02;
static const double settling = 0.5, rising = 0.5, fastest = 2; // s, s, m/s: the staff goes at 0.27 at most

typedef struct Memory {
    CairnArm arm;
    CairnBodyId grains[MOST_GRAINS];
    CairnVec3 middle; // of the box's floor
    double half;      // of its width
} Memory;

static double width_of(const Params *params) {
    double r = params->radius; // grains fill it to less than three layers, and the staff has room
    return fmax(2 * sqrt(params->grains / 2.5) * r * 1.06, 2 * staff_aside + 6 * r);
}

static CairnStatus add_box(CairnSceneRun *run) {
    const Params *params = run->params;
    const Memory *memory = run->memory;
    CairnVec3 m = memory->middle, none = {0, 0, 0};
    double half = memory->half, wide = 2 * (half + thick), high = 0.1;
    CAIRN_TRY(cairn_build_static_box(run->world, cairn_vec3(m.x, m.y, m.z - 0.5 * thick), none,
                                     cairn_vec3(wide, wide, thick), params->friction, NULL));
    for (int side = -1; side <= 1; side += 2) {
        double aside = side * (half + 0.5 * thick);
        CAIRN_TRY(cairn_build_static_box(run->world, cairn_vec3(m.x + aside, m.y, m.z + 0.5 * high), none,
                                         cairn_vec3(thick, wide, high), params->friction, NULL));
        CAIRN_TRY(cairn_build_static_box(run->world, cairn_vec3(m.x, m.y + aside, m.z + 0.5 * high), none,
                                         cairn_vec3(wide, thick, high), params->friction, NULL));
    }
    return cairn_build_static_box(run->world, cairn_vec3(m.x, m.y, 0.5 * (m.z - thick)), none,
                                  cairn_vec3(0.8 * wide, 0.8 * wide, m.z - thick), params->friction, NULL);
}

static CairnStatus add_grains(CairnSceneRun *run) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    double r = params->radius, pitch = 2.02 * r, room = memory->half - r;
    int across = 1 + (int)floor(2 * room / pitch), placed = 0;
    uint64_t random = run->seed;
    CairnShapeDef ball = cairn_sphere(r);
    ball.friction = params->friction;
    for (int k = 0; placed < params->grains; k++) {
        int x = k % across, y = k / across % across, layer = k / across / across;
        double px = (x - 0.5 * (across - 1)) * pitch, py = (y - 0.5 * (across - 1)) * pitch;
        // The staff stands where it starts.
        if (hypot(px - staff_aside, py) < r + staff_radius + 0.002) {
            continue;
        }
        CairnBodyDef body = cairn_body_def();
        double shake = 0.005 * r, dy = cairn_scene_random(&random, -shake, shake);
        double dx = cairn_scene_random(&random, -shake, shake);
        body.position = cairn_add(memory->middle, cairn_vec3(px + dx, py + dy, r + layer * pitch));
        body.mass = params->mass;
        CAIRN_TRY(cairn_body_add(run->world, &body, &ball, &memory->grains[placed++]));
    }
    return cairn_ok();
}

static CairnStatus add_arm(CairnSceneRun *run) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    CairnArmDef def = cairn_arm_def();
    CairnTransform frames[CAIRN_ARM_AXES + 1];
    def.group = 0;
    cairn_arm_frames(&def, def.angles, frames);
    CAIRN_TRY(cairn_build_arm(run->world, &def, &memory->arm));
    CairnTransform tip = frames[CAIRN_ARM_AXES];
    // Along the world's x whatever the last frame's x is: the box lies under the flange.
    CairnVec3 aside = cairn_unrotate(tip.q, cairn_vec3(staff_aside, 0, 0));
    double ahead = tip.p.z - frames[6].p.z; // negative: it looks down
    CairnShapeDef staff = cairn_capsule(staff_radius, staff_length);
    staff.position = cairn_add(aside, cairn_vec3(0, 0, -ahead + 0.5 * staff_length));
    staff.friction = params->friction;
    CAIRN_TRY(cairn_shape_create(run->world, memory->arm.links[6], &staff, NULL));
    CairnShapeDef bracket = cairn_box(2 * staff_aside, 0.03, 0.012);
    bracket.position = cairn_add(cairn_scale(0.5, aside), cairn_vec3(0, 0, -ahead));
    bracket.orientation = cairn_quat_between(cairn_vec3(1, 0, 0), cairn_normalize(aside));
    bracket.filter = (CairnFilter){0, 0};
    CAIRN_TRY(cairn_shape_create(run->world, memory->arm.links[6], &bracket, NULL));
    memory->middle = cairn_vec3(tip.p.x, tip.p.y, tip.p.z - staff_length - staff_radius - 0.004);
    memory->half = 0.5 * width_of(params);
    return cairn_ok();
}

static CairnStatus build(CairnSceneRun *run) {
    CAIRN_TRY(cairn_build_ground(run->world, 0.6, 0));
    CAIRN_TRY(add_arm(run));
    CAIRN_TRY(add_box(run));
    return add_grains(run);
}

// The last axis to and fro, once the grains have come to rest.
static CairnStatus script(CairnSceneRun *run, double time) {
    const Params *params = run->params;
    const Memory *memory = run->memory;
    double angles[CAIRN_ARM_AXES], t = time - settling, rate = params->swing > 0 ? params->speed / params->swing : 0;
    for (int i = 0; i < CAIRN_ARM_AXES; i++) {
        angles[i] = memory->arm.start[i];
    }
    if (t > 0) {
        double whole = fmin(t / rising, 1);
        angles[6] += whole * params->swing * sin(rate * t);
    }
    return cairn_arm_aim(run->world, &memory->arm, angles);
}

// Grains stay in the box and are never fast, nothing is pressed in by half a grain's radius, and the arm stays whole.
static CairnStatus check(const CairnSceneRun *run, double time, const CairnStats *stats) {
    const Params *params = run->params;
    const Memory *memory = run->memory;
    if (stats->penetration > 0.5 * params->radius) {
        return cairn_error(CAIRN_NUMERIC, "stir: at %.6g s two things overlap by %.3g of a grain's radius", time,
                           stats->penetration / params->radius);
    }
    for (int i = 0; i < params->grains; i++) {
        CairnBodyState grain;
        CAIRN_TRY(cairn_body_get(run->world, memory->grains[i], &grain));
        CairnVec3 p = cairn_sub(grain.position, memory->middle);
        if (cairn_length(grain.velocity) > fastest) {
            return cairn_error(CAIRN_NUMERIC, "stir: at %.6g s grain %d flies at %.3g m/s", time, i,
                               cairn_length(grain.velocity));
        }
        if (fmax(fabs(p.x), fabs(p.y)) > memory->half || p.z < 0) {
            return cairn_error(CAIRN_NUMERIC, "stir: at %.6g s grain %d is out of the box: (%.3g, %.3g, %.3g)", time, i,
                               p.x, p.y, p.z);
        }
    }
    if (stats->joint_error_linear > 1e-3) {
        return cairn_error(CAIRN_NUMERIC, "stir: at %.6g s a joint is %.3g m apart", time, stats->joint_error_linear);
    }
    return cairn_ok();
}

static void settings(const void *params, CairnWorldDef *def) {
    def->friction = CAIRN_FRICTION_COULOMB;
    def->contact_margin = 0.2 * ((const Params *)params)->radius;
    def->geometric_stiffness = false;
}

const CairnScene cairn_scene_stir = {
    .name = "stir",
    .summary = "a seven-axis arm stirs grains in a box",
    .watch = "The staff ploughs a ring, and the grains close behind it.",
    .params = CAIRN_FIELD_TABLE("stir", Params, fields),
    .memory_size = sizeof(Memory),
    .step = 0.01,
    .steps = 600,
    .camera = {.eye = {1.0, -0.72, 1.0}, .target = {0.2, 0, 0.46}, .fov = 44},
    .solver = "subadmm:iterations=60,beta=2.5,relaxation=1.75",
    .settings = settings,
    .build = build,
    .script = script,
    .check = check,
};
