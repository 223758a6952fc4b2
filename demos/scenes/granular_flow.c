// A cascade of equal balls fills a box and flows out of an opening at its side: S1's benchmark. Or out of a hopper, or
// onto rollers.
//
// Every ball rubs on a dozen others, so the problem is large, hyperstatic and never the same twice. Sweeps do not solve
// it exactly; what counts is that what they leave does not show: no ball sinks into another by more than two
// thousandths of its radius.
#include "demos/scenes/builders.h"

enum { MAX_SPHERES = 200000 };

typedef enum Outlet { SIDE, HOPPER } Outlet;

typedef struct Params {
    int spheres, outlet;
    double radius, friction, opening, deepest, rolling, conveyor;
} Params;

static const char *const outlets[] = {"side", "hopper", NULL};

static const CairnField fields[] = {
    CAIRN_FIELD_INT(Params, spheres, 9000, 10, MAX_SPHERES, "balls"),
    CAIRN_FIELD_DOUBLE(Params, radius, 0.3, 0.05, 1, 0, "m", "of a ball"),
    CAIRN_FIELD_DOUBLE(Params, friction, 0.4, 0, 1, 0, "", "friction of everything"),
    CAIRN_FIELD_DOUBLE(Params, opening, 0.25, 0, 0.5, 0, "",
                       "over the box's width: height of the side's opening, width of the hopper's; 0: closed"),
    CAIRN_FIELD_DOUBLE(Params, deepest, 0.002, 0, 1, 0, "", "overlap over radius that the check allows"),
    CAIRN_FIELD_CHOICE(Params, outlet, SIDE, outlets, "where they flow out"),
    CAIRN_FIELD_DOUBLE(Params, rolling, 0, 0, 1, 0, "", "lever of the balls' rolling friction over their radius"),
    CAIRN_FIELD_DOUBLE(Params, conveyor, 0, 0, 10, 0, "m/s", "speed of rollers before the side's opening; 0: none"),
};

static const double density = 2500; // kg/m^3

enum { WALLS = 16, ROLLERS = 40 };

typedef struct Wall {
    CairnVec3 middle, half;
    CairnQuat turn;
} Wall;

typedef struct Memory {
    CairnBodyId balls[MAX_SPHERES];
    Wall walls[WALLS];
    int wall_count;
    double floor, low; // height of the box's floor or the hopper's upper edge; of its lower one
    double least_energy, first_energy;
} Memory;

// Balls fill 0.6 of a cube of this edge when they have settled.
static double width_of(const Params *params) {
    double r = params->radius;
    return fmax(cbrt(params->spheres * 4 * CAIRN_PI / 3 * r * r * r / 0.6), 8 * r);
}

static CairnStatus add_plate(CairnSceneRun *run, CairnVec3 middle, CairnVec3 size, CairnQuat turn) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    memory->walls[memory->wall_count++] = (Wall){middle, cairn_scale(0.5, size), turn};
    CairnBodyDef body = cairn_body_def();
    body.type = CAIRN_BODY_STATIC;
    body.position = middle;
    body.orientation = turn;
    CairnShapeDef shape = cairn_box(size.x, size.y, size.z);
    shape.friction = params->friction;
    return cairn_body_add(run->world, &body, &shape, NULL);
}

static CairnStatus add_wall(CairnSceneRun *run, CairnVec3 low, CairnVec3 high) {
    return add_plate(run, cairn_scale(0.5, cairn_add(low, high)), cairn_sub(high, low), (CairnQuat){1, 0, 0, 0});
}

static CairnStatus add_closed_walls(CairnSceneRun *run, double low, double top, int count) {
    const Params *params = run->params;
    double half = 0.5 * width_of(params), out = half + 2 * params->radius;
    const CairnVec3 lows[4] = {{-out, -out, low}, {-half, -out, low}, {-half, half, low}, {half, -half, low}};
    const CairnVec3 highs[4] = {{-half, out, top}, {out, -half, top}, {out, out, top}, {out, half, top}};
    for (int i = 0; i < count; i++) {
        CAIRN_TRY(add_wall(run, lows[i], highs[i]));
    }
    return cairn_ok();
}

// Cylinders that turn about fixed axes, as high as the floor: what lies on them is carried off. They are half as thick
// as a ball, since between thick ones balls only spin.
static CairnStatus add_rollers(CairnSceneRun *run, double from) {
    const Params *params = run->params;
    const Memory *memory = run->memory;
    double r = 0.5 * params->radius;
    for (int i = 0; i < ROLLERS; i++) {
        CairnBodyDef body = cairn_body_def();
        body.type = CAIRN_BODY_KINEMATIC;
        body.position = cairn_vec3(from + (2 * i + 1) * 1.02 * r, 0, memory->floor - r);
        body.orientation = cairn_quat_axis_angle(cairn_vec3(1, 0, 0), 0.5 * CAIRN_PI);
        body.angular_velocity = cairn_vec3(0, params->conveyor / r, 0);
        CairnShapeDef roller = cairn_cylinder(r, width_of(params));
        roller.friction = params->friction;
        CAIRN_TRY(cairn_body_add(run->world, &body, &roller, NULL));
    }
    return cairn_ok();
}

// The opening is the middle half of the wall at +x, from the floor up.
static CairnStatus add_side(CairnSceneRun *run) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    double half = 0.5 * width_of(params), out = half + 2 * params->radius;
    memory->floor = params->conveyor > 0 ? 2 * params->radius : 0;
    double top = memory->floor + 2.5 * half, gate = memory->floor + params->opening * 2 * half;
    double side = params->opening > 0 ? 0.5 * half : 0;
    CAIRN_TRY(add_closed_walls(run, 0, top, 3));
    CAIRN_TRY(add_wall(run, cairn_vec3(half, -half, params->opening > 0 ? gate : 0), cairn_vec3(out, half, top)));
    if (params->opening > 0) {
        CAIRN_TRY(add_wall(run, cairn_vec3(half, -half, 0), cairn_vec3(out, -side, gate)));
        CAIRN_TRY(add_wall(run, cairn_vec3(half, side, 0), cairn_vec3(out, half, gate)));
    }
    if (params->conveyor > 0) {
        CAIRN_TRY(add_wall(run, cairn_vec3(-half, -half, 0), cairn_vec3(out, half, memory->floor)));
        CAIRN_TRY(add_rollers(run, out));
    }
    return cairn_ok();
}

// A square funnel, 60 degrees steep, so high that there is room below for what has flowed out.
static CairnStatus add_hopper(CairnSceneRun *run) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    double width = width_of(params), thick = 2 * params->radius, run_in = 0.5 * (1 - params->opening) * width;
    double low = 0.6 * width + 8 * params->radius, rise = run_in * sqrt(3);
    memory->low = low;
    memory->floor = low + rise;
    CAIRN_TRY(add_closed_walls(run, memory->floor, memory->floor + 1.5 * width, 4));
    CairnVec3 inward = {-0.5 * sqrt(3), 0, 0.5};
    CairnVec3 middle = {0.5 * width - 0.5 * run_in, 0, low + 0.5 * rise};
    CairnQuat tilt = cairn_quat_axis_angle(cairn_vec3(0, 1, 0), -CAIRN_PI / 3);
    for (int k = 0; k < 4; k++) {
        CairnQuat turn = cairn_quat_axis_angle(cairn_vec3(0, 0, 1), 0.5 * CAIRN_PI * k);
        CairnVec3 position = cairn_rotate(turn, cairn_add_scaled(middle, -0.5 * thick, inward));
        CAIRN_TRY(
            add_plate(run, position, cairn_vec3(2 * run_in, width + 2 * thick, thick), cairn_quat_mul(turn, tilt)));
    }
    return cairn_ok();
}

// Balls side by side in a layer at this height.
static int across_at(const Params *params, const Memory *memory, double z) {
    double width = width_of(params), spacing = 2.05 * params->radius;
    if (z < memory->floor) { // in the funnel, a ball's distance from its plates
        double half = 0.5 * params->opening * width + (z - memory->low) / sqrt(3) - 1.3 * params->radius;
        return half > 0 ? (int)floor(2 * half / spacing) + 1 : 0;
    }
    return (int)floor(0.96 * width / spacing);
}

static CairnStatus build(CairnSceneRun *run) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    CAIRN_TRY(cairn_build_ground(run->world, params->friction, 0));
    CAIRN_TRY(params->outlet == HOPPER ? add_hopper(run) : add_side(run));
    double r = params->radius, spacing = 2.05 * r, shake = 0.02 * r; // no ball stands exactly upon another
    uint64_t random = run->seed;
    CairnShapeDef ball = cairn_sphere(r);
    ball.density = density;
    ball.friction = params->friction;
    ball.rolling_friction = params->rolling * r;
    double bottom = (params->outlet == HOPPER ? memory->low : memory->floor) + r;
    for (int i = 0, layer = 0; i < params->spheres; layer++) {
        double z = bottom + layer * spacing;
        int across = across_at(params, memory, z);
        for (int k = 0; k < across * across && i < params->spheres; k++, i++) {
            CairnBodyDef body = cairn_body_def();
            double up = cairn_scene_random(&random, 0, shake), y = cairn_scene_random(&random, -shake, shake);
            double x = cairn_scene_random(&random, -shake, shake);
            body.position = cairn_vec3((k % across - 0.5 * (across - 1)) * spacing + x,
                                       (k / across - 0.5 * (across - 1)) * spacing + y, z + up);
            CAIRN_TRY(cairn_body_add(run->world, &body, &ball, &memory->balls[i]));
        }
    }
    return cairn_ok();
}

static bool is_inside(const Wall *wall, CairnVec3 p) {
    CairnVec3 q = cairn_unrotate(wall->turn, cairn_sub(p, wall->middle));
    return fabs(q.x) < wall->half.x && fabs(q.y) < wall->half.y && fabs(q.z) < wall->half.z;
}

// A wall is as thick as a ball, and no ball crosses it within a step: a ball that goes through is seen inside it.
static CairnStatus check(const CairnSceneRun *run, double time, const CairnStats *stats) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    // Where balls that fall in columns jam in a hopper's funnel, 120 sweeps leave up to 0.0031.
    double deepest = (params->outlet == HOPPER ? 2 : 1) * params->deepest * params->radius;
    if (stats->penetration > deepest) {
        return cairn_error(CAIRN_NUMERIC, "granular_flow: at %.6g s two balls overlap by %.3g of their radius", time,
                           stats->penetration / params->radius);
    }
    double energy = cairn_scene_energy(stats);
    if (stats->step_index == 1) {
        memory->first_energy = memory->least_energy = energy;
    }
    double gain = energy - memory->least_energy;
    memory->least_energy = fmin(memory->least_energy, energy);
    if (params->conveyor == 0 && gain > 1e-4 * fabs(memory->first_energy)) {
        return cairn_error(CAIRN_NUMERIC, "granular_flow: at %.6g s the energy has risen by %.3g J", time, gain);
    }
    for (int i = 0; i < params->spheres; i++) {
        CairnBodyState ball;
        CAIRN_TRY(cairn_body_get(run->world, memory->balls[i], &ball));
        for (int k = 0; k < memory->wall_count; k++) {
            if (is_inside(&memory->walls[k], ball.position) || ball.position.z < 0) {
                return cairn_error(CAIRN_NUMERIC, "granular_flow: at %.6g s ball %d is in a wall or the ground", time,
                                   i);
            }
        }
    }
    return cairn_ok();
}

static void settings(const void *params, CairnWorldDef *def) {
    def->friction = CAIRN_FRICTION_CONE;
    // What is struck goes astray by a twentieth of this at most before it gets a contact: r/600.
    def->contact_margin = ((const Params *)params)->radius / 30;
    // The same for all contacts: sweeps over a million of them then need not read it for each.
    def->normal_compliance = 1e-8;
    def->friction_compliance = 1e-10;
}

const CairnScene cairn_scene_granular_flow = {
    .name = "granular_flow",
    .summary = "a cascade of balls fills a box and flows out of an opening at its side",
    .watch = "It pours like sand, and no ball sinks into another.",
    .params = CAIRN_FIELD_TABLE("granular_flow", Params, fields),
    .memory_size = sizeof(Memory),
    .step = 1.0 / 400,
    .steps = 4000,
    .camera = {.eye = {28, -19, 17}, .target = {2.5, 0, 4}, .fov = 38},
    .solver = "psor:iterations=120,omega=1.3",
    .settings = settings,
    .build = build,
    .check = check,
};
