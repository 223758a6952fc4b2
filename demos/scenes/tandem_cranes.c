// Two crawler cranes of 75,000 kg lift a pipe of 3,500 kg in tandem, in two slings. After a second the pipe is pushed
// along its axis: it swings, and slides through the slings (S0, section 7.1).
#include "demos/scenes/builders.h"
#include "demos/scenes/builders_crane.h"
#include "demos/scenes/builders_energy.h"

enum { CRANES = 2, LABELS = 4, SIDE = 7, ARC = 10, SLING = 2 * SIDE + ARC }; // SIDE, ARC: links of a sling

typedef struct Params {
    double crane_mass, pipe_mass, link_mass, sling_mass, push, sideways, friction, bending, damping;
} Params;

static const CairnField fields[] = {
    CAIRN_FIELD_DOUBLE(Params, crane_mass, 75000, 20000, 200000, 0, "kg", "mass of a crane"),
    CAIRN_FIELD_DOUBLE(Params, pipe_mass, 3500, 100, 10000, 0, "kg", "mass of the pipe"),
    CAIRN_FIELD_DOUBLE(Params, link_mass, 1, 0.1, 10, 0, "kg", "mass of a link of the hoisting cables"),
    CAIRN_FIELD_DOUBLE(Params, sling_mass, 0.5, 0.1, 10, 0, "kg", "mass of a link of the slings"),
    CAIRN_FIELD_DOUBLE(Params, push, 2.5, 0, 4, 0, "m/s", "along its axis, that the pipe is given after a second"),
    CAIRN_FIELD_DOUBLE(Params, sideways, 0.4, 0, 1, 0, "m/s", "across it"),
    CAIRN_FIELD_DOUBLE(Params, friction, 0.12, 0, 1, 0, "", "of the pipe in its slings"),
    CAIRN_FIELD_DOUBLE(Params, bending, 50, 0, 500, 0, "N m/rad", "stiffness of the cables in bending and torsion"),
    CAIRN_FIELD_DOUBLE(Params, damping, 0.05, 0, 5, 0, "1/s", "of the cables' and the pipe's motion: the air's"),
};

static const double pipe_radius = 0.4, pipe_wall = 0.02, pipe_length = 13, sling_radius = 0.03;
static const double between = 8, below = 1.7; // m: the cranes; the pipe's axis under the hooks
static const double start = 1;                // s
static const CairnFilter crane_filter = {1 << 4, ~(uint64_t)(1 << 4)}, sling_filter = {1 << 8, 1 << 9},
                         pipe_filter = {1 << 9, ~(uint64_t)0};

typedef struct Memory {
    CairnCrane cranes[CRANES];
    CairnBodyId slings[CRANES][SLING], pipe;
    CairnTransform stood[CRANES]; // the vehicles' at first
    CairnVec3 hung;               // the pipe's initial position
    double seat[CRANES];          // where the slings held it, along its axis
    double farthest, slid;        // m
    bool is_pushed;
    CairnEnergyWatch energy;
} Memory;

// The sling's points: down one side, round under the pipe, up the other. The middles of the arc's links just touch the
// pipe.
static void lay_sling(CairnVec3 hook, CairnVec3 *points) {
    const double clear = pipe_radius + sling_radius + 1e-4;
    double wrap = CAIRN_PI - acos(clear / below), radius = clear / cos(wrap / ARC);
    for (int i = 0; i <= SLING; i++) {
        double fraction = cairn_clamp((double)(i - SIDE) / ARC, 0, 1), turn = wrap * (2 * fraction - 1);
        CairnVec3 arc = {0, radius * sin(turn), -below - radius * cos(turn)};
        double up = fmax(fmax(SIDE - i, i - SIDE - ARC), 0) / SIDE;
        points[i] = cairn_add_scaled(hook, 1 - up, arc);
    }
}

static CairnStatus add_sling(CairnSceneRun *run, int c) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    const CairnCrane *crane = &memory->cranes[c];
    CairnCable cable = cairn_cable();
    cable.count = SLING;
    cable.radius = sling_radius;
    cable.mass = params->sling_mass;
    cable.bending = cable.twisting = 0.2 * params->bending;
    cable.loss = 5;
    cable.friction = params->friction;
    cable.damping = params->damping;
    cable.group = LABELS * c + LABELS - 1;
    cable.filter = sling_filter;
    CairnVec3 points[SLING + 1];
    lay_sling(crane->load, points);
    CAIRN_TRY(cairn_build_cable(run->world, &cable, points, memory->slings[c]));
    CAIRN_TRY(cairn_build_cable_tie(run->world, &cable, memory->slings[c][0], crane->hook, points[0]));
    return cairn_build_cable_tie(run->world, &cable, memory->slings[c][SLING - 1], crane->hook, points[SLING]);
}

// A tube: thin, and so is its inertia.
static CairnStatus add_pipe(CairnSceneRun *run) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    double inner = pipe_radius - pipe_wall, m = params->pipe_mass;
    double squares = pipe_radius * pipe_radius + inner * inner;
    double lengthwise = 0.5 * m * squares, across = 0.25 * m * squares + m * pipe_length * pipe_length / 12;
    CairnVec3 middle = cairn_scale(0.5, cairn_add(memory->cranes[0].load, memory->cranes[1].load));
    CairnBodyDef body = cairn_body_def();
    body.position = memory->hung = cairn_sub(middle, cairn_vec3(0, 0, below));
    body.orientation = cairn_quat_axis_angle(cairn_vec3(0, 1, 0), 0.5 * CAIRN_PI);
    body.mass = m;
    body.inertia = cairn_vec3(across, across, lengthwise);
    body.group = LABELS - 1;
    body.linear_damping = body.angular_damping = params->damping;
    CairnShapeDef tube = cairn_cylinder(pipe_radius, pipe_length);
    tube.friction = params->friction;
    tube.filter = pipe_filter;
    return cairn_body_add(run->world, &body, &tube, &memory->pipe);
}

static CairnStatus build(CairnSceneRun *run) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    CAIRN_TRY(cairn_build_ground(run->world, 0.6, 0));
    for (int c = 0; c < CRANES; c++) {
        CairnCraneDef crane = cairn_crane_def();
        crane.pose =
            (CairnTransform){{(c - 0.5) * between, 0, 0}, cairn_quat_axis_angle(cairn_vec3(0, 0, 1), 0.5 * CAIRN_PI)};
        crane.mass = params->crane_mass;
        crane.rope.mass = params->link_mass;
        crane.rope.bending = crane.rope.twisting = params->bending;
        crane.rope.damping = params->damping;
        crane.group = LABELS * c;
        crane.filter = crane_filter;
        CAIRN_TRY(cairn_build_crane(run->world, &crane, &memory->cranes[c]));
        CAIRN_TRY(add_sling(run, c));
        CairnBodyState vehicle;
        CAIRN_TRY(cairn_body_get(run->world, memory->cranes[c].vehicle[0], &vehicle));
        memory->stood[c] = (CairnTransform){vehicle.position, vehicle.orientation};
    }
    return add_pipe(run);
}

// The push: once, at the first step that begins no earlier than `start`.
static CairnStatus script(CairnSceneRun *run, double time) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    if (memory->is_pushed || time < start) {
        return cairn_ok();
    }
    memory->is_pushed = true;
    return cairn_body_set_velocity(run->world, memory->pipe, cairn_vec3(params->push, params->sideways, 0),
                                   cairn_vec3(0, 0, 0));
}

// Both cranes stay where they are and upright.
static CairnStatus check_cranes(const CairnSceneRun *run, double time) {
    const Memory *memory = run->memory;
    for (int c = 0; c < CRANES; c++) {
        CairnBodyState vehicle;
        CAIRN_TRY(cairn_body_get(run->world, memory->cranes[c].vehicle[0], &vehicle));
        double moved = cairn_length(cairn_sub(vehicle.position, memory->stood[c].p));
        CairnQuat turn = cairn_quat_mul(vehicle.orientation, cairn_quat_conj(memory->stood[c].q));
        double tilt = cairn_length(cairn_quat_log(turn)) * 180 / CAIRN_PI;
        if (moved > 0.005 || tilt > 0.1) {
            return cairn_error(CAIRN_NUMERIC,
                               "tandem_cranes: at %.6g s crane %d has moved by %.3g m, tilted by %.3g deg", time, c,
                               moved, tilt);
        }
    }
    return cairn_ok();
}

// Where a sling holds the pipe, along its axis.
static CairnStatus find_seat(const CairnSceneRun *run, int c, const CairnBodyState *pipe, double *seat) {
    const Memory *memory = run->memory;
    CairnBodyState link;
    CAIRN_TRY(cairn_body_get(run->world, memory->slings[c][SLING / 2], &link));
    *seat = cairn_unrotate(pipe->orientation, cairn_sub(link.center, pipe->center)).z;
    return cairn_ok();
}

// It hangs still until it is pushed; then it swings out, and has slid in both slings when it swings back.
static CairnStatus check_pipe(const CairnSceneRun *run, double time) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    CairnBodyState pipe;
    CAIRN_TRY(cairn_body_get(run->world, memory->pipe, &pipe));
    double least = HUGE_VAL;
    for (int c = 0; c < CRANES; c++) {
        double seat;
        CAIRN_TRY(find_seat(run, c, &pipe, &seat));
        if (fabs(seat) > 0.5 * pipe_length) {
            return cairn_error(CAIRN_NUMERIC, "tandem_cranes: at %.6g s the pipe has left sling %d", time, c);
        }
        if (time < start) {
            memory->seat[c] = seat;
        }
        least = fmin(least, fabs(seat - memory->seat[c]));
    }
    memory->slid = fmax(memory->slid, least);
    CairnVec3 displacement = cairn_sub(pipe.center, memory->hung);
    memory->farthest = fmax(memory->farthest, fabs(displacement.x));
    double speed = cairn_length(pipe.velocity);
    if (time < start && (speed > 0.1 || cairn_length(displacement) > 0.02)) {
        return cairn_error(CAIRN_NUMERIC, "tandem_cranes: at %.6g s the pipe has come %.3g m and moves with %.3g m/s",
                           time, cairn_length(displacement), speed);
    }
    bool is_well_pushed = params->push > 2 && params->friction < 0.2;
    if (time > start + 4 && is_well_pushed && (memory->farthest < 1 || memory->slid < 0.1)) {
        return cairn_error(CAIRN_NUMERIC, "tandem_cranes: at %.6g s the pipe has swung by %.3g m and slid by %.3g m",
                           time, memory->farthest, memory->slid);
    }
    return cairn_ok();
}

static CairnStatus check(const CairnSceneRun *run, double time, const CairnStats *stats) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    // A millimetre at the push of 2.5 m/s; what turning opens goes with the square of the speed.
    double allowed = 0.001 * fmax(1, (params->push * params->push + params->sideways * params->sideways) / (2.5 * 2.5));
    if (stats->penetration > allowed || stats->joint_error_linear > allowed) {
        return cairn_error(CAIRN_NUMERIC, "tandem_cranes: at %.6g s a joint is %.3g m apart, an overlap %.3g m deep",
                           time, stats->joint_error_linear, stats->penetration);
    }
    if (time > start + 2 * time / (double)stats->step_index) { // after the push
        // What sways in cables four times a second rises and falls by h w / 2, a fifth, of itself (docs/scenes.md,
        // energy from nowhere). That is between 20 and 40 J with a push of 0.5 m/s or a pipe of 500 kg, beside which
        // these have little energy of their own.
        double pushed = 0.5 * params->pipe_mass * params->push * params->push;
        memory->energy.owed = pushed < 10000 ? 40 : 0;
        CAIRN_TRY(cairn_check_energy(run, &memory->energy, stats, 1e-3, "tandem_cranes"));
    }
    CAIRN_TRY(check_cranes(run, time));
    return check_pipe(run, time);
}

const CairnScene cairn_scene_tandem_cranes = {
    .name = "tandem_cranes",
    .summary = "two cranes of 75,000 kg hold a pipe that swings and slides in its slings",
    .watch = "The pipe swings as one pendulum and slides a little at each turn; the cranes stay where they stand.",
    .params = CAIRN_FIELD_TABLE("tandem_cranes", Params, fields),
    .memory_size = sizeof(Memory),
    .step = 1.0 / 60,
    .steps = 600,
    .camera = {.eye = {17, 25, 8}, .target = {0, 3, 6}, .fov = 37},
    .build = build,
    .script = script,
    .check = check,
};
