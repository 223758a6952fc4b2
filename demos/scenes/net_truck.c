// A dump truck of 8,000 kg and 22 bodies drops into a net of cables whose links weigh 0.2 kg, 40,000 times less (S0,
// section 7.1).
#include "demos/scenes/builders.h"
#include "demos/scenes/builders_cable.h"
#include "demos/scenes/builders_energy.h"
#include "demos/scenes/builders_truck.h"

enum { LINKS = 56, MOST_CABLES = 12, MOST_SECTIONS = 2 * MOST_CABLES };

typedef struct Params {
    int cables;
    double link_mass, truck_mass, height, sag, friction, bending, loss, damping;
} Params;

static const CairnField fields[] = {
    CAIRN_FIELD_INT(Params, cables, 7, 3, 12, "cables each way"),
    CAIRN_FIELD_DOUBLE(Params, link_mass, 0.2, 0.02, 10, 0, "kg", "mass of a link"),
    CAIRN_FIELD_DOUBLE(Params, truck_mass, 8000, 100, 20000, 0, "kg", "mass of the truck"),
    CAIRN_FIELD_DOUBLE(Params, height, 0.5, 0.05, 3, 0, "m", "from which it drops"),
    CAIRN_FIELD_DOUBLE(Params, sag, 1, 0.3, 2, 0, "m", "of the net's middle"),
    CAIRN_FIELD_DOUBLE(Params, friction, 0.6, 0, 1.5, 0, "", "of the truck and the cables"),
    CAIRN_FIELD_DOUBLE(Params, bending, 20, 0, 1000, 0, "N m/rad", "stiffness of the cables in bending and torsion"),
    CAIRN_FIELD_DOUBLE(Params, loss, 50, 0, 200, 0, "N m s/rad", "what they lose in bending and torsion"),
    CAIRN_FIELD_DOUBLE(Params, damping, 0.5, 0, 5, 0, "1/s", "of the cables' motion: the air's"),
};

static const double span = 9, rim = 5, link_radius = 0.03; // of the square frame, and how high it is
static const double nose = 0.0776;                         // m: how far the truck's centre of mass is before its middle
static const double rest_start = 10;                       // s: from here on it hangs still

typedef struct Memory {
    CairnBodyId links[MOST_SECTIONS][LINKS];
    CairnTruck truck;
    CairnEnergyWatch energy;
} Memory;

// The net at first: a shallow bowl.
static CairnVec3 net_point(const Params *params, double x, double y) {
    double a = 2 * x / span, b = 2 * y / span;
    return cairn_vec3(x, y, rim - params->sag * (1 - a * a) * (1 - b * b));
}

// Knots are where a cable of one direction meets one of the other: the same number of links apart everywhere.
static CairnStatus add_net(CairnSceneRun *run) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    int sections = params->cables + 1, between = LINKS / sections, count = sections * between;
    CairnCable cable = cairn_cable();
    cable.count = count;
    cable.radius = link_radius;
    cable.mass = params->link_mass;
    cable.bending = cable.twisting = params->bending;
    cable.loss = params->loss;
    cable.friction = params->friction;
    cable.damping = params->damping;
    cable.filter = (CairnFilter){2, ~(uint64_t)2}; // cables are knotted and pass through each other at their knots
    for (int c = 0; c < 2 * params->cables; c++) {
        bool is_along_y = c >= params->cables;
        double side = ((c % params->cables + 1.0) / sections - 0.5) * span;
        CairnVec3 points[LINKS + 1];
        for (int i = 0; i <= count; i++) {
            double along = ((double)i / count - 0.5) * span;
            points[i] = is_along_y ? net_point(params, side, along) : net_point(params, along, side);
        }
        cable.group = c;
        CAIRN_TRY(cairn_build_cable(run->world, &cable, points, memory->links[c]));
        CAIRN_TRY(cairn_build_cable_tie(run->world, &cable, memory->links[c][0], (CairnBodyId){0}, points[0]));
        CAIRN_TRY(
            cairn_build_cable_tie(run->world, &cable, memory->links[c][count - 1], (CairnBodyId){0}, points[count]));
        for (int k = 1; is_along_y && k <= params->cables; k++) {
            CairnJointDef knot = cairn_joint_def(CAIRN_JOINT_BALL);
            knot.body_a = memory->links[k - 1][(c - params->cables + 1) * between];
            knot.body_b = memory->links[c][k * between];
            CAIRN_TRY(
                cairn_joint_place(run->world, &knot, points[k * between], cairn_vec3(1, 0, 0), cairn_vec3(0, 0, 0)));
            CAIRN_TRY(cairn_joint_create(run->world, &knot, NULL));
        }
    }
    return cairn_ok();
}

// Four beams on four posts.
static CairnStatus add_frame(CairnWorld *world) {
    const double thick = 0.3, middle = 0.5 * (span + thick) + link_radius;
    const CairnVec3 none = {0, 0, 0};
    for (int i = 0; i < 4; i++) {
        double sign = i % 2 ? 1 : -1;
        bool is_along_y = i < 2;
        CairnVec3 position = is_along_y ? cairn_vec3(sign * middle, 0, rim) : cairn_vec3(0, sign * middle, rim);
        CairnVec3 size =
            cairn_vec3(is_along_y ? thick : span + 2 * thick, is_along_y ? span + 2 * thick : thick, thick);
        CAIRN_TRY(cairn_build_static_box(world, position, none, size, 0.6, NULL));
        CairnVec3 post = {sign * middle, (is_along_y ? 1 : -1) * middle, 0.5 * (rim - 0.5 * thick)};
        CAIRN_TRY(cairn_build_static_box(world, post, none, cairn_vec3(thick, thick, rim - 0.5 * thick), 0.6, NULL));
    }
    return cairn_ok();
}

static CairnStatus build(CairnSceneRun *run) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    CAIRN_TRY(cairn_build_ground(run->world, 0.6, 0));
    CAIRN_TRY(add_frame(run->world));
    CAIRN_TRY(add_net(run));
    CairnTruckDef truck = cairn_truck_def();
    truck.mass = params->truck_mass;
    truck.friction = params->friction;
    truck.group = 2 * params->cables;
    truck.filter = (CairnFilter){4, ~(uint64_t)4};
    truck.pose.p = cairn_vec3(-nose, 0, rim - 0.25 * params->sag + params->height);
    return cairn_build_truck(run->world, &truck, &memory->truck);
}

static CairnStatus find_lowest_link(const CairnSceneRun *run, double *low) {
    const Params *params = run->params;
    const Memory *memory = run->memory;
    int count = LINKS / (params->cables + 1) * (params->cables + 1);
    *low = HUGE_VAL;
    for (int c = 0; c < 2 * params->cables; c++) {
        for (int i = 0; i < count; i++) {
            CairnBodyState link;
            CAIRN_TRY(cairn_body_get(run->world, memory->links[c][i], &link));
            *low = fmin(*low, link.center.z);
        }
    }
    return cairn_ok();
}

// It falls freely at first, is caught, never gets through, and hangs still in the end.
static CairnStatus check(const CairnSceneRun *run, double time, const CairnStats *stats) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    if (stats->penetration > 0.01) {
        return cairn_error(CAIRN_NUMERIC, "net_truck: at %.6g s something overlaps by %.3g m", time,
                           stats->penetration);
    }
    double apart = stats->joint_error_linear;
    if (apart > (time > rest_start ? 1e-6 : 0.02)) {
        return cairn_error(CAIRN_NUMERIC, "net_truck: at %.6g s a joint is %.3g m apart", time, apart);
    }
    double net, fastest = 0, g = -cairn_world_settings(run->world).gravity.z;
    CAIRN_TRY(find_lowest_link(run, &net));
    for (int i = 0; i < CAIRN_TRUCK_BODIES; i++) {
        CairnBodyState body;
        CAIRN_TRY(cairn_body_get(run->world, memory->truck.bodies[i], &body));
        fastest = fmax(fastest, cairn_length(body.velocity));
        if (body.center.z < net) {
            return cairn_error(CAIRN_NUMERIC, "net_truck: at %.6g s part %d of the truck is under the net", time, i);
        }
    }
    bool is_falling = time < sqrt(0.5 * params->height / g); // a quarter of the height
    if (is_falling && fabs(fastest - g * time) > 1e-6) {
        return cairn_error(CAIRN_NUMERIC, "net_truck: at %.6g s it falls with %.9g m/s, not %.9g", time, fastest,
                           g * time);
    }
    if (time > rest_start && fastest > 0.01) {
        return cairn_error(CAIRN_NUMERIC, "net_truck: at %.6g s it still moves with %.3g m/s", time, fastest);
    }
    return cairn_check_energy(run, &memory->energy, stats, 1e-3, "net_truck");
}

const CairnScene cairn_scene_net_truck = {
    .name = "net_truck",
    .summary = "a truck of 8,000 kg drops into a net of light cables",
    .watch = "The net takes all of it, and not a link gives way: 0.2 kg hold 8,000.",
    .params = CAIRN_FIELD_TABLE("net_truck", Params, fields),
    .memory_size = sizeof(Memory),
    .step = 1.0 / 60,
    .steps = 720,
    .camera = {.eye = {10, -12, 9}, .target = {0, 0, 4.2}, .fov = 42},
    .build = build,
    .check = check,
};
