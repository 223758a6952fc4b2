// A chain of 100 links, each 0.25 kg, lies loosely round a fixed cylinder, with 500 kg on its last link and nothing on
// its first. The load falls, the turns tighten, and friction alone holds it: over an angle a a rope with friction mu
// holds e^(mu a) times what pulls at its other end.
#include "demos/scenes/builders.h"
#include "demos/scenes/builders_chain.h"
#include "demos/scenes/builders_energy.h"

enum { MOST_LINKS = 1000 };

typedef struct Params {
    int links;
    double link_mass, box_mass, turns, slack, friction, rolling, damping;
    int group_size;
} Params;

static const CairnField fields[] = {
    CAIRN_FIELD_INT(Params, links, 100, 75, MOST_LINKS, "links of the chain"),
    CAIRN_FIELD_DOUBLE(Params, link_mass, 0.25, 0.01, 10, 0, "kg", "mass of a link"),
    CAIRN_FIELD_DOUBLE(Params, box_mass, 500, 0.1, 5000, 0, "kg", "mass of the box on the last link"),
    CAIRN_FIELD_DOUBLE(Params, turns, 2.5, 0.5, 2.5, 0, "", "how often it goes round the cylinder"),
    CAIRN_FIELD_DOUBLE(Params, slack, 0.01, 0.008, 0.05, 0, "m",
                       "gap at first between cylinder and chain, at its joints; less between them"),
    CAIRN_FIELD_DOUBLE(Params, friction, 0.6, 0, 1.5, 0, "", "friction of the chain and the cylinder"),
    CAIRN_FIELD_DOUBLE(Params, rolling, 0.005, 0, 0.02, 0, "m", "lever arm of the links' rolling friction"),
    CAIRN_FIELD_DOUBLE(Params, damping, 1, 0, 10, 0, "1/s", "of the links' and the box's motion: the air's"),
    CAIRN_FIELD_INT(Params, group_size, 12, 1, MOST_LINKS, "links in a semantic part"),
};

static const double link_length = 0.2, link_radius = 0.04, drum_radius = 0.6, drum_length = 3, pitch = 0.085;
static const double tail = 3; // m of chain that hang on the other side
static const double box_size = 0.8;
static const double settled = 5; // s: from here on it hangs

typedef struct Memory {
    CairnBodyId links[MOST_LINKS], box;
    double axis_height, box_height, wrap; // at the start; the last one in rad
    CairnEnergyWatch energy;
} Memory;

// Up along the cylinder's left side, round and round, and down its right side.
typedef struct Path {
    CairnVec3 middle;
    double radius, angle;
} Path;

static CairnVec3 path_point(const void *data, double s) {
    const Path *path = data;
    double rise = pitch / (2 * CAIRN_PI), a = (s - tail) / hypot(path->radius, rise);
    double turned = cairn_clamp(a, 0, path->angle), straight = s < tail ? s - tail : 0;
    straight = a > path->angle ? -(a - path->angle) * path->radius : straight;
    CairnVec3 round = {-path->radius * cos(turned), rise * (turned - 0.5 * path->angle),
                       path->radius * sin(turned) + straight};
    return cairn_add(path->middle, round);
}

// The angle by which the chain goes round the cylinder, rad.
static CairnStatus find_wrap(const CairnSceneRun *run, double *wrap) {
    const Params *params = run->params;
    const Memory *memory = run->memory;
    double last = 0;
    *wrap = 0;
    for (int i = 0; i < params->links; i++) {
        CairnBodyState link;
        CAIRN_TRY(cairn_body_get(run->world, memory->links[i], &link));
        double angle = atan2(link.center.z - memory->axis_height, -link.center.x);
        *wrap += i > 0 ? remainder(angle - last, 2 * CAIRN_PI) : 0;
        last = angle;
        if (fabs(link.center.y) > 0.5 * drum_length) {
            return cairn_error(CAIRN_NUMERIC, "chain_wrap: link %d has left the cylinder at its end", i);
        }
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
                        .rolling_friction = params->rolling,
                        .damping = params->damping,
                        .group_size = params->group_size};
    Path path = {.radius = drum_radius + link_radius + params->slack,
                 .angle = 2 * CAIRN_PI * (floor(params->turns) + 0.5)};
    double down = params->links * link_length - tail - path.angle * path.radius;
    path.middle = cairn_vec3(0, 0, down + box_size + 2.5);

    CairnBodyDef drum = cairn_body_def();
    drum.type = CAIRN_BODY_STATIC;
    drum.position = path.middle;
    drum.orientation = cairn_quat_axis_angle(cairn_vec3(1, 0, 0), 0.5 * CAIRN_PI);
    CairnShapeDef shape = cairn_cylinder(drum_radius, drum_length);
    shape.friction = params->friction;
    CAIRN_TRY(cairn_body_add(run->world, &drum, &shape, NULL));

    CairnVec3 points[MOST_LINKS + 1];
    cairn_walk_curve(path_point, &path, link_length, params->links, points);
    CAIRN_TRY(cairn_build_links(run->world, &links, points, memory->links));
    CairnBodyDef box = cairn_body_def();
    box.position = cairn_sub(points[params->links], cairn_vec3(0, 0, 0.5 * box_size));
    box.mass = params->box_mass;
    box.linear_damping = params->damping;
    box.angular_damping = params->damping;
    box.group = (params->links - 1) / params->group_size;
    CairnShapeDef cube = cairn_box(box_size, box_size, box_size);
    CAIRN_TRY(cairn_body_add(run->world, &box, &cube, &memory->box));
    CAIRN_TRY(cairn_build_link_load(run->world, &links, memory->links[params->links - 1], memory->box));
    memory->axis_height = path.middle.z;
    memory->box_height = box.position.z;
    return find_wrap(run, &memory->wrap);
}

// Links that slip round the cylinder go along arcs and would end in it by up to 0.2 mm, from where they would lift the
// load again, for nothing: up to 0.4 % of what it fell. So the step looks more closely at where they end.
static void settings(const void *params, CairnWorldDef *def) {
    (void)params;
    def->contact_stray = 0.005;
}

// A rope with this friction and wrap holds the load by its tail's weight, twice over.
static bool is_held(const Params *params) {
    double angle = 2 * CAIRN_PI * (floor(params->turns) + 0.5), tail_mass = tail / link_length * params->link_mass;
    return exp(params->friction * angle) * tail_mass > 2 * params->box_mass;
}

static CairnStatus check(const CairnSceneRun *run, double time, const CairnStats *stats) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    if (!is_held(params)) {
        return cairn_ok();
    }
    // A millimetre for the paper's 2,000 to 1; a harder catch opens the joints more.
    double harder = fmax(1, params->box_mass / params->link_mass / 2000) * fmax(1, pow(params->slack / 0.01, 2));
    double allowed = time > settled ? 1e-6 : 1e-3 * harder;
    if (stats->joint_error_linear > allowed) {
        return cairn_error(CAIRN_NUMERIC, "chain_wrap: at %.6g s a joint is %.3g m apart", time,
                           stats->joint_error_linear);
    }
    if (stats->penetration > 0.01) {
        return cairn_error(CAIRN_NUMERIC, "chain_wrap: at %.6g s the chain overlaps by %.3g m", time,
                           stats->penetration);
    }
    double wrap;
    CAIRN_TRY(find_wrap(run, &wrap));
    double tightened =
        memory->wrap * fmax(params->slack - 0.01, 0) / drum_radius; // the same length on a smaller circle
    if (fabs(wrap - memory->wrap) > 0.2 + tightened) {
        return cairn_error(CAIRN_NUMERIC, "chain_wrap: at %.6g s it goes %.4g rad round the cylinder, not %.4g", time,
                           wrap, memory->wrap);
    }
    CairnBodyState box;
    CAIRN_TRY(cairn_body_get(run->world, memory->box, &box));
    double speed = cairn_length(box.velocity), fallen = memory->box_height - box.center.z;
    if (time > settled && (speed > 0.01 || fallen > 1)) {
        return cairn_error(CAIRN_NUMERIC, "chain_wrap: at %.6g s the box has fallen %.4g m and moves with %.3g m/s",
                           time, fallen, speed);
    }
    // Heavy links, that fall on the cylinder by themselves, may lift what hangs there by as much as they open joints
    // and sink in.
    double chain_mass = params->links * params->link_mass, g = -cairn_world_settings(run->world).gravity.z;
    if (chain_mass > 0.25 * params->box_mass) {
        double opening = stats->joint_error_linear + stats->penetration;
        memory->energy.owed = fmax(memory->energy.owed, (params->box_mass + chain_mass) * g * opening);
    }
    return cairn_check_energy(run, &memory->energy, stats, 1e-3, "chain_wrap");
}

const CairnScene cairn_scene_chain_wrap = {
    .name = "chain_wrap",
    .summary = "a chain of 25 kg catches 500 kg by wrapping round a cylinder",
    .watch = "The turns tighten one after another, from the load on; then nothing moves at all.",
    .params = CAIRN_FIELD_TABLE("chain_wrap", Params, fields),
    .memory_size = sizeof(Memory),
    .step = 1.0 / 60,
    .steps = 600,
    .camera = {.eye = {6, -13, 9.4}, .target = {0.4, 0, 6.2}, .fov = 40},
    .settings = settings,
    .build = build,
    .check = check,
};
