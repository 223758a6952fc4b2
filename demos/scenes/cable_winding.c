// Two mobile manipulators carry a cable of 640 rigid segments between them and wind it on a drum: S2's second scene.
// Four segments are a subsystem, and so is each robot.
//
// The cable is a Cosserat rod of soft constraints (builders_rod.h). A robot is a vehicle on four wheels that roll and
// do not slip, and an arm of seven servos; the second one's last axis turns the drum, and the first one follows as the
// cable grows shorter.
#include "demos/scenes/builders.h"
#include "demos/scenes/builders_arm.h"
#include "demos/scenes/builders_rod.h"

enum { MOST_SEGMENTS = 2560 };

typedef struct Params {
    int segments, group_size;
    double length, diameter, young, poisson, density, loss, friction, turn, speed;
} Params;

static const CairnField fields[] = {
    CAIRN_FIELD_INT(Params, segments, 640, 8, MOST_SEGMENTS, "of the cable"),
    CAIRN_FIELD_INT(Params, group_size, 4, 1, 64, "segments in a subsystem"),
    CAIRN_FIELD_DOUBLE(Params, length, 1.2, 0.6, 3, 0, "m", "of the cable"),
    CAIRN_FIELD_DOUBLE(Params, diameter, 0.008, 0.004, 0.02, 0, "m", "of the cable"),
    CAIRN_FIELD_DOUBLE(Params, young, 1e5, 1e4, 1e9, 0, "Pa", "Young's modulus"),
    CAIRN_FIELD_DOUBLE(Params, poisson, 0.49, 0, 0.5, 0, "", "Poisson's ratio"),
    CAIRN_FIELD_DOUBLE(Params, density, 1000, 100, 8000, 0, "kg/m3", "of the cable"),
    CAIRN_FIELD_DOUBLE(Params, loss, 0.02, 0, 0.1, 0, "s", "damping over stiffness of its springs"),
    CAIRN_FIELD_DOUBLE(Params, friction, 0.5, 0, 1, 0, "", "of the cable and the drum"),
    CAIRN_FIELD_DOUBLE(Params, turn, 5, 0, 5.6, 0, "rad", "of the drum"),
    CAIRN_FIELD_DOUBLE(Params, speed, 0.08, 0, 0.3, 0, "m/s", "at which both drive"),
};

static const double drum_radius = 0.045, drum_height = 0.12, settling = 1, winding = 6; // m, s
static const double fastest = 0.1,
                    bending = 10; // m/s and 1/s, of two neighbours: 0.055 m/s where 640 segments swing through most
static const uint64_t of_cable = 2, of_drum = 4;

typedef struct Robot {
    CairnVehicle vehicle;
    CairnArm arm;
} Robot;

typedef struct Memory {
    Robot robots[2]; // the one that follows, and the one that winds
    CairnBodyId cable[MOST_SEGMENTS];
} Memory;

// Its flange over the ground at `flange`, from behind or ahead of it.
static CairnStatus add_robot(CairnSceneRun *run, Robot *robot, CairnVec3 *flange, double heading, int group) {
    CairnArmDef def = cairn_arm_def();
    CairnTransform frames[CAIRN_ARM_AXES + 1];
    def.group = group;
    if (group == 1) { // the drum's axis begins at one end of its range
        def.angles[6] -= 0.5 * ((const Params *)run->params)->turn + 0.25 * CAIRN_PI;
    }
    cairn_arm_frames(&def, def.angles, frames);
    CairnQuat turn = cairn_quat_axis_angle(cairn_vec3(0, 0, 1), heading);
    // The vehicle's middle, so that the flange comes to stand where it should.
    CairnVec3 deck = cairn_vec3(0.15, 0, 0.2 + 0.165), tip = cairn_rotate(turn, cairn_add(deck, frames[7].p));
    CairnVec3 position = cairn_vec3(flange->x - tip.x, flange->y - tip.y, 0);
    flange->z = tip.z;
    CAIRN_TRY(cairn_build_vehicle(run->world, position, heading, 0.9, group, &robot->vehicle));
    def.mount = robot->vehicle.chassis;
    def.base = (CairnTransform){cairn_add(position, cairn_rotate(turn, deck)), turn};
    return cairn_build_arm(run->world, &def, &robot->arm);
}

// Under the flange of the second robot.
static CairnStatus add_drum(CairnSceneRun *run, const Robot *robot) {
    CairnShapeDef drum = cairn_cylinder(drum_radius, drum_height);
    drum.position = cairn_vec3(0, 0, 0.107 + 0.5 * drum_height);
    drum.friction = ((const Params *)run->params)->friction;
    drum.filter = (CairnFilter){of_drum, of_cable};
    drum.density = 500;
    return cairn_shape_create(run->world, robot->arm.links[6], &drum, NULL);
}

static CairnStatus build(CairnSceneRun *run) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    CairnVec3 points[MOST_SEGMENTS + 1], ends[2] = {{0, 0, 0}, {params->length, 0, 0}};
    CAIRN_TRY(cairn_build_ground(run->world, 0.9, 0));
    // The cable leaves the drum at its side.
    ends[1].y = -drum_radius - 0.5 * params->diameter;
    CAIRN_TRY(add_robot(run, &memory->robots[0], &ends[0], 0, 0));
    CAIRN_TRY(add_robot(run, &memory->robots[1], &ends[1], CAIRN_PI, 1));
    CAIRN_TRY(add_drum(run, &memory->robots[1]));
    double height = ends[0].z - 0.4 * drum_height, piece = params->length / params->segments;
    for (int i = 0; i <= params->segments; i++) {
        points[i] = cairn_vec3(i * piece, 0, height);
    }
    CairnRod rod = cairn_rod();
    rod.count = params->segments;
    rod.radius = 0.5 * params->diameter;
    rod.density = params->density;
    rod.young = params->young;
    rod.poisson = params->poisson;
    rod.loss = params->loss;
    rod.damping = 0.5;
    rod.friction = params->friction;
    rod.meets_itself = true;
    rod.category = of_cable;
    rod.group = 2;
    rod.group_size = params->group_size;
    CAIRN_TRY(cairn_build_elastic(run->world, &rod, points, memory->cable));
    CAIRN_TRY(cairn_build_elastic_clamp(run->world, &rod, memory->cable[0], true, memory->robots[0].arm.links[6], piece,
                                        NULL));
    return cairn_build_elastic_clamp(run->world, &rod, memory->cable[params->segments - 1], false,
                                     memory->robots[1].arm.links[6], piece, NULL);
}

// From 0 to 1, smoothly.
static double progress(double t) {
    t = cairn_clamp(t, 0, 1);
    return t * t * (3 - 2 * t);
}

static double rate(double t) {
    return t > 0 && t < 1 ? 6 * t * (1 - t) : 0;
}

static CairnStatus script(CairnSceneRun *run, double time) {
    const Params *params = run->params;
    const Memory *memory = run->memory;
    double t = (time - settling) / winding, angles[CAIRN_ARM_AXES];
    const CairnArm *arm = &memory->robots[1].arm;
    for (int i = 0; i < CAIRN_ARM_AXES; i++) {
        angles[i] = arm->start[i];
    }
    angles[6] += params->turn * progress(t);
    CAIRN_TRY(cairn_arm_aim(run->world, arm, angles));
    // Both go in the same direction; the first one, which looks along x, is faster by what the drum takes.
    double carried = params->speed * fmin(rate(t), 1), taken = params->turn * drum_radius * rate(t) / winding;
    CAIRN_TRY(cairn_vehicle_drive(run->world, &memory->robots[0].vehicle, carried + taken));
    return cairn_vehicle_drive(run->world, &memory->robots[1].vehicle, -carried);
}

// Wheels do not slip sideways, joints hold, the cable is neither torn nor pressed into anything.
static CairnStatus check(const CairnSceneRun *run, double time, const CairnStats *stats) {
    const Params *params = run->params;
    const Memory *memory = run->memory;
    for (int i = 0; i < 2 * CAIRN_VEHICLE_WHEELS; i++) {
        CairnBodyState wheel;
        CAIRN_TRY(cairn_body_get(run->world, memory->robots[i / 4].vehicle.wheels[i % 4], &wheel));
        if (fabs(wheel.velocity.y) > 0.01) {
            return cairn_error(CAIRN_NUMERIC, "cable_winding: at %.6g s wheel %d slips sideways at %.3g m/s", time, i,
                               wheel.velocity.y);
        }
    }
    if (stats->joint_error_linear > 1e-3) {
        return cairn_error(CAIRN_NUMERIC, "cable_winding: at %.6g s a joint is %.3g m apart", time,
                           stats->joint_error_linear);
    }
    double length = 0, limit = fastest + bending * params->length / params->segments;
    for (int i = 0; i + 1 < params->segments; i++) {
        CairnBodyState a, b;
        CAIRN_TRY(cairn_body_get(run->world, memory->cable[i], &a));
        CAIRN_TRY(cairn_body_get(run->world, memory->cable[i + 1], &b));
        length += cairn_length(cairn_sub(b.position, a.position));
        double apart = cairn_length(cairn_sub(b.velocity, a.velocity));
        if (apart > limit) {
            return cairn_error(CAIRN_NUMERIC, "cable_winding: at %.6g s segments %d and %d part at %.3g m/s", time, i,
                               i + 1, apart);
        }
    }
    if (!(length < 1.5 * params->length)) {
        return cairn_error(CAIRN_NUMERIC, "cable_winding: at %.6g s the cable is %.4g m long", time, length);
    }
    if (stats->penetration > 0.5 * params->diameter) {
        return cairn_error(CAIRN_NUMERIC, "cable_winding: at %.6g s it is pressed in by %.3g of its diameter", time,
                           stats->penetration / params->diameter);
    }
    return cairn_ok();
}

static void settings(const void *params, CairnWorldDef *def) {
    def->friction = CAIRN_FRICTION_COULOMB;
    def->contact_margin = 0.2 * ((const Params *)params)->diameter;
    def->contact_passes = 1; // one problem a step, as S2 has it
    def->geometric_stiffness = false;
}

const CairnScene cairn_scene_cable_winding = {
    .name = "cable_winding",
    .summary = "two mobile manipulators carry a soft cable and wind it on a drum",
    .watch = "The drum takes a turn of the cable while both drive on, and the cable sags between them like rubber.",
    .params = CAIRN_FIELD_TABLE("cable_winding", Params, fields),
    .memory_size = sizeof(Memory),
    .step = 0.01,
    .steps = 800,
    .camera = {.eye = {0.78, -2.35, 1.45}, .target = {0.82, 0, 0.52}, .fov = 52},
    .solver = "subadmm:iterations=60,beta=0.3,relaxation=1.75",
    .settings = settings,
    .build = build,
    .script = script,
    .check = check,
};
