// A chain of 250 links is dropped on an inclined plane. Friction is a little less than the slope: it does not stay, and
// it does not run off at once; every contact slides (S0, section 7.1).
#include "demos/scenes/builders.h"
#include "demos/scenes/builders_chain.h"
#include "demos/scenes/builders_energy.h"

enum { MOST_LINKS = 2000 };

typedef struct Params {
    int links;
    double link_mass, slope, friction, height;
    int group_size;
} Params;

static const CairnField fields[] = {
    CAIRN_FIELD_INT(Params, links, 250, 10, MOST_LINKS, "links of the chain"),
    CAIRN_FIELD_DOUBLE(Params, link_mass, 0.25, 0.001, 10, 0, "kg", "mass of a link"),
    CAIRN_FIELD_DOUBLE(Params, slope, 20, 5, 40, 0, "deg", "of the plane"),
    CAIRN_FIELD_DOUBLE(Params, friction, 0.34, 0, 1, 0, "", "of the chain on the plane; tan 20 deg is 0.364"),
    CAIRN_FIELD_DOUBLE(Params, height, 0.4, 0.05, 2, 0, "m", "from which it is dropped"),
    CAIRN_FIELD_INT(Params, group_size, 16, 1, MOST_LINKS, "links in a semantic part"),
};

static const double link_length = 0.16, link_radius = 0.03;
static const double below = 3;            // m of free plane below the lanes
static const double lane = 5, bend = 0.3; // m: a lane's length down the slope, and the radius of the bends between them

typedef struct Memory {
    CairnBodyId links[MOST_LINKS];
    double first;        // m: the chain's middle down the slope, before the first step
    bool has_left_plane; // with its first links
    CairnEnergyWatch energy;
} Memory;

// Lanes down and up the slope, with half circles between: x down the slope, y across. (Lanes across it would roll
// instead of slide.)
static CairnVec3 path_point(const void *data, double s) {
    (void)data;
    double turn = CAIRN_PI * bend, period = lane + turn;
    double number = fmax(floor(s / period), 0), along = s - number * period;
    double side = fmod(number, 2) != 0 ? -1 : 1, y = 2 * bend * number;
    if (along < lane) {
        return cairn_vec3(side * (along - 0.5 * lane), y, 0);
    }
    double angle = (along - lane) / bend;
    return cairn_vec3(side * (0.5 * lane + bend * sin(angle)), y + bend * (1 - cos(angle)), 0);
}

// How far down the slope the chain's middle is, and how fast it goes there.
static CairnStatus find_middle(const CairnSceneRun *run, double *down, double *speed) {
    const Params *params = run->params;
    const Memory *memory = run->memory;
    double slope = params->slope * CAIRN_PI / 180;
    CairnVec3 along = {cos(slope) / params->links, 0, -sin(slope) / params->links};
    *down = *speed = 0;
    for (int i = 0; i < params->links; i++) {
        CairnBodyState link;
        CAIRN_TRY(cairn_body_get(run->world, memory->links[i], &link));
        *down += cairn_dot(along, link.center);
        *speed += cairn_dot(along, link.velocity);
    }
    return cairn_ok();
}

static CairnStatus build(CairnSceneRun *run) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    CAIRN_TRY(cairn_build_ground(run->world, 0.6, 0));
    CairnLinks links = {.count = params->links,
                        .length = link_length,
                        .radius = link_radius,
                        .mass = params->link_mass,
                        .friction = params->friction,
                        .group_size = params->group_size};
    CairnVec3 points[MOST_LINKS + 1];
    cairn_walk_curve(path_point, NULL, link_length, params->links, points);

    // The plane ends a little above the lanes, and some distance below them.
    double slope = params->slope * CAIRN_PI / 180, above = 0.5 * lane + 0.8, length = above + 0.5 * lane + bend + below,
           thick = 0.4;
    double width = fabs(points[params->links].y) + 2;
    CairnQuat tilt = cairn_quat_axis_angle(cairn_vec3(0, 1, 0), slope);
    CairnVec3 middle = {0, 0, (length - above) * sin(slope) + 0.8}; // of the lanes
    CairnVec3 position = cairn_rotate(tilt, cairn_vec3(0.5 * length - above, 0, -0.5 * thick));
    CAIRN_TRY(cairn_build_static_box(run->world, cairn_add(middle, position), cairn_quat_log(tilt),
                                     cairn_vec3(length, width, thick), params->friction, NULL));
    for (int i = 0; i <= params->links; i++) {
        CairnVec3 flat = cairn_sub(points[i], cairn_vec3(0, 0.5 * (width - 2), 0));
        points[i] = cairn_add(middle, cairn_rotate(tilt, flat));
        points[i].z += params->height;
    }
    CAIRN_TRY(cairn_build_links(run->world, &links, points, memory->links));
    double speed;
    return find_middle(run, &memory->first, &speed);
}

// While all of it is on the plane and all of it slides, the chain is one body: v = g (sin - mu cos) t, its landing
// included, for that too is paid with mu times its normal impulse. Friction of the last step's normal impulses is a
// little late.
static CairnStatus check(const CairnSceneRun *run, double time, const CairnStats *stats) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    if (stats->penetration > 0.01) {
        return cairn_error(CAIRN_NUMERIC, "chain_drop: at %.6g s the chain overlaps by %.3g m", time,
                           stats->penetration);
    }
    double down, speed, slope = params->slope * CAIRN_PI / 180, g = -cairn_world_settings(run->world).gravity.z;
    CAIRN_TRY(find_middle(run, &down, &speed));
    memory->has_left_plane = memory->has_left_plane || down - memory->first > below - 1;
    // Off the edge it whips: a joint's points part by h^2 / 2 times what they accelerate against each other. From a
    // steeper plane than the default's by what two links leave that turn by a radian in a step, L (1 - cos 1).
    double whip = params->slope > 20 ? (1 - cos(1)) * link_length : 0.05;
    double apart = stats->joint_error_linear, allowed = memory->has_left_plane ? whip : 1e-3;
    if (apart > allowed) {
        return cairn_error(CAIRN_NUMERIC, "chain_drop: at %.6g s a joint is %.3g m apart", time, apart);
    }
    double landed = sqrt(2 * params->height / g) + 0.5;
    double expected = fmax(0, g * (sin(slope) - params->friction * cos(slope))) * time;
    if (time > landed && !memory->has_left_plane && fabs(speed - expected) > 0.03 + 0.1 * expected) {
        return cairn_error(CAIRN_NUMERIC, "chain_drop: at %.6g s it slides with %.4g m/s, not %.4g", time, speed,
                           expected);
    }
    return cairn_check_energy(run, &memory->energy, stats, 1e-3, "chain_drop");
}

const CairnScene cairn_scene_chain_drop = {
    .name = "chain_drop",
    .summary = "a chain of 250 links is dropped on a slope and slides off, slowly",
    .watch = "It lands, gathers way as one body, and only the lower edge pulls it out of its bends.",
    .params = CAIRN_FIELD_TABLE("chain_drop", Params, fields),
    .memory_size = sizeof(Memory),
    .step = 1.0 / 60,
    .steps = 600,
    .camera = {.eye = {12.2, -7.5, 7}, .target = {2.0, 0, 1.4}, .fov = 33},
    .build = build,
    .check = check,
};
