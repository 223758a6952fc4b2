// A cascade of equal balls fills a box and flows out of an opening at its side: S1's benchmark.
//
// Every ball rubs on a dozen others, so the problem is large, hyperstatic and never the same twice. Sweeps do not solve it exactly;
// what counts is that what they leave does not show: no ball sinks into another by more than two thousandths of its radius.
#include "demos/scenes/builders.h"

enum { MAX_SPHERES = 200000 };

typedef struct Params {
    int spheres;
    double radius, friction, opening, deepest;
} Params;

static const CairnField fields[] = {
    CAIRN_FIELD_INT(Params, spheres, 9000, 10, MAX_SPHERES, "balls"),
    CAIRN_FIELD_DOUBLE(Params, radius, 0.3, 0.05, 1, 0, "m", "of a ball"),
    CAIRN_FIELD_DOUBLE(Params, friction, 0.4, 0, 1, 0, "", "friction of everything"),
    CAIRN_FIELD_DOUBLE(Params, opening, 0.25, 0, 0.5, 0, "", "height of the opening over the box's width; 0: closed"),
    CAIRN_FIELD_DOUBLE(Params, deepest, 0.002, 0, 1, 0, "", "overlap over radius that the check allows"),
};

static const double density = 2500; // kg/m^3

enum { WALLS = 6 };

typedef struct Wall {
    CairnVec3 low, high;
} Wall;

typedef struct Memory {
    CairnBodyId balls[MAX_SPHERES];
    Wall walls[WALLS];
    int wall_count;
    double least_energy, first_energy;
} Memory;

// Balls fill 0.6 of a cube of this edge when they have settled.
static double width_of(const Params *params) {
    double r = params->radius;
    return fmax(cbrt(params->spheres * 4 * CAIRN_PI / 3 * r * r * r / 0.6), 8 * r);
}

static CairnStatus add_wall(CairnSceneRun *run, CairnVec3 low, CairnVec3 high) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    memory->walls[memory->wall_count++] = (Wall){low, high};
    CairnVec3 middle = cairn_scale(0.5, cairn_add(low, high));
    return cairn_build_static_box(run->world, middle, cairn_vec3(0, 0, 0), cairn_sub(high, low), params->friction,
                                  NULL);
}

// The opening is the middle half of the wall at +x, from the ground up.
static CairnStatus add_walls(CairnSceneRun *run) {
    const Params *params = run->params;
    double half = 0.5 * width_of(params), thick = 2 * params->radius, out = half + thick, top = 2.5 * half;
    double gate = params->opening * 2 * half, side = params->opening > 0 ? 0.5 * half : 0;
    CAIRN_TRY(add_wall(run, cairn_vec3(-out, -out, 0), cairn_vec3(-half, out, top)));
    CAIRN_TRY(add_wall(run, cairn_vec3(-half, -out, 0), cairn_vec3(out, -half, top)));
    CAIRN_TRY(add_wall(run, cairn_vec3(-half, half, 0), cairn_vec3(out, out, top)));
    CAIRN_TRY(add_wall(run, cairn_vec3(half, -half, gate), cairn_vec3(out, half, top)));
    if (params->opening > 0) {
        CAIRN_TRY(add_wall(run, cairn_vec3(half, -half, 0), cairn_vec3(out, -side, gate)));
        CAIRN_TRY(add_wall(run, cairn_vec3(half, side, 0), cairn_vec3(out, half, gate)));
    }
    return cairn_ok();
}

static CairnStatus build(CairnSceneRun *run) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    CAIRN_TRY(cairn_build_ground(run->world, params->friction, 0));
    CAIRN_TRY(add_walls(run));
    double r = params->radius, spacing = 2.05 * r;
    int across = (int)floor(0.96 * width_of(params) / spacing);
    uint64_t random = run->seed;
    CairnShapeDef ball = cairn_sphere(r);
    ball.density = density;
    ball.friction = params->friction;
    for (int i = 0; i < params->spheres; i++) {
        int x = i % across, y = i / across % across, layer = i / across / across;
        CairnBodyDef body = cairn_body_def();
        double shake = 0.02 * r; // nobody stands exactly upon another
        body.position = cairn_vec3((x - 0.5 * (across - 1)) * spacing + cairn_scene_random(&random, -shake, shake),
                                   (y - 0.5 * (across - 1)) * spacing + cairn_scene_random(&random, -shake, shake),
                                   r + layer * spacing + cairn_scene_random(&random, 0, shake));
        CAIRN_TRY(cairn_body_add(run->world, &body, &ball, &memory->balls[i]));
    }
    return cairn_ok();
}

static bool is_inside(const Wall *wall, CairnVec3 p) {
    return p.x > wall->low.x && p.x < wall->high.x && p.y > wall->low.y && p.y < wall->high.y && p.z > wall->low.z &&
           p.z < wall->high.z;
}

// A wall is as thick as a ball, and no ball crosses it within a step: who goes through is seen in it.
static CairnStatus check(const CairnSceneRun *run, double time, const CairnStats *stats) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    if (stats->penetration > params->deepest * params->radius) {
        return cairn_error(CAIRN_NUMERIC, "granular_flow: at %.6g s two balls overlap by %.3g of their radius", time,
                           stats->penetration / params->radius);
    }
    double energy = cairn_scene_energy(stats);
    if (stats->step_index == 1) {
        memory->first_energy = memory->least_energy = energy;
    }
    double gain = energy - memory->least_energy;
    memory->least_energy = fmin(memory->least_energy, energy);
    if (gain > 1e-4 * fabs(memory->first_energy)) {
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
