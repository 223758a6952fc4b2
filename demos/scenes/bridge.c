// A foot bridge between two banks: planks on two ropes of links, hung by hangers from two handrails (S0, section 7.7).
// With 128 planks there are 893 bodies and 1,278 joints, no contact, and no inequality at all. A gust of two seconds
// makes it sway.
//
// Deck and handrails hang in the shape that equal weights give a polygon: slopes in arithmetic progression. So it is in
// balance from the start, and its slowest sway is known (find_rate below).
#include "demos/scenes/builders.h"
#include "demos/scenes/builders_chain.h"

enum { MOST_PLANKS = 512, MOST_BODIES = 7 * MOST_PLANKS };

typedef struct Params {
    int planks;
    double pitch, plank_mass, rope_mass, slope, gust, damping;
    int group_size;
} Params;

static const CairnField fields[] = {
    CAIRN_FIELD_INT(Params, planks, 128, 4, MOST_PLANKS, "planks of the deck"),
    CAIRN_FIELD_DOUBLE(Params, pitch, 0.5, 0.4, 2, 0, "m", "from one plank to the next"),
    CAIRN_FIELD_DOUBLE(Params, plank_mass, 20, 1, 1000, 0, "kg", "mass of a plank"),
    CAIRN_FIELD_DOUBLE(Params, rope_mass, 1, 0.1, 10, 0, "kg", "mass of a link or a hanger"),
    CAIRN_FIELD_DOUBLE(Params, slope, 0.4, 0.1, 0.8, 0, "", "of the deck at its ends"),
    CAIRN_FIELD_DOUBLE(Params, gust, 1, 0, 3, 0, "m/s2", "sideways push on the middle, for two seconds"),
    CAIRN_FIELD_DOUBLE(Params, damping, 0.05, 0, 5, 0, "1/s", "of all motion: the air's"),
    CAIRN_FIELD_INT(Params, group_size, 8, 1, MOST_PLANKS, "planks in a semantic part"),
};

static const double depth = 0.36, width = 1.6, thick = 0.06; // of a plank
static const double rail = 1, link_radius = 0.025;           // height of the handrails
static const double spring_stretch = 0.5;                    // m: how far the deck's spring is stretched
static const double gust_start = 1, gust_end = 3;

typedef struct Memory {
    CairnBodyId bodies[MOST_BODIES];
    double mass[MOST_BODIES], hang[MOST_BODIES]; // how far it hangs below its ends
    int count;
    CairnJointId bearing;
    double rate; // of sway, expected, rad/s
    double last_sway, widest, first_crossing, last_crossing;
    int crossings;
    double first_energy, least_energy, gust_energy; // the last one: what the wind brought
} Memory;

typedef struct Site {
    CairnSceneRun *run;
    CairnBodyId banks;
    CairnVec3 positions[MOST_PLANKS]; // of the planks' middles
    CairnBodyId planks[MOST_PLANKS];
} Site;

static int part_of(const CairnSceneRun *run, int plank) {
    const Params *params = run->params;
    return plank / params->group_size;
}

static void remember(CairnSceneRun *run, CairnBodyId id, double mass, double hang) {
    Memory *memory = run->memory;
    memory->bodies[memory->count] = id;
    memory->mass[memory->count] = mass;
    memory->hang[memory->count++] = hang;
}

static CairnStatus join(const Site *site, CairnJointType type, CairnBodyId a, CairnBodyId b, CairnVec3 point,
                        CairnVec3 x, CairnVec3 y) {
    CairnJointDef joint = cairn_joint_def(type);
    joint.body_a = a;
    joint.body_b = b;
    CAIRN_TRY(cairn_joint_place(site->run->world, &joint, point, x, y));
    return cairn_joint_create(site->run->world, &joint, NULL);
}

// A link or a hanger; its joint to `a` keeps it from spinning: universal, or revolute about what stands upright on it,
// which ties a plank's pitch to a link. Nothing touches anything here.
static CairnStatus add_bar(const Site *site, CairnJointType type, CairnBodyId a, CairnVec3 from, CairnVec3 to,
                           double ends, int plank, CairnBodyId *id) {
    const Params *params = site->run->params;
    CairnBodyDef body = cairn_body_def();
    body.mass = params->rope_mass;
    body.group = part_of(site->run, plank);
    body.linear_damping = body.angular_damping = params->damping;
    CairnShapeDef capsule = cairn_capsule(link_radius, 1);
    capsule.filter = (CairnFilter){0, 0};
    CAIRN_TRY(cairn_build_bar(site->run->world, body, capsule, from, to, id));
    remember(site->run, *id, params->rope_mass, ends - 0.5 * (from.z + to.z));
    CairnVec3 y = {0, 1, 0};
    return join(site, type, a, *id, from, cairn_normalize(cairn_cross(y, cairn_sub(to, from))), y);
}

// The positions of the planks: tan of the slope goes up by the same step from each gap to the next. Returns the span.
static double lay_out(Site *site) {
    const Params *params = site->run->params;
    int gaps = params->planks - 1;
    site->positions[0] = cairn_vec3(0, 0, 0);
    for (int i = 0; i < gaps; i++) {
        double angle = atan(params->slope * (2.0 * i / (gaps - 1) - 1));
        site->positions[i + 1] =
            cairn_add(site->positions[i], cairn_vec3(params->pitch * cos(angle), 0, params->pitch * sin(angle)));
    }
    return site->positions[gaps].x;
}

static CairnStatus add_banks(Site *site, double span, double ends) {
    CairnBodyDef body = cairn_body_def();
    body.type = CAIRN_BODY_STATIC;
    CAIRN_TRY(cairn_body_create(site->run->world, &body, &site->banks));
    CairnShapeDef valley = cairn_half_space();
    CAIRN_TRY(cairn_shape_create(site->run->world, site->banks, &valley, NULL));
    for (int side = -1; side <= 1; side += 2) {
        double edge = 0.5 * side * span;
        CairnShapeDef bank = cairn_box(4, 6, ends);
        bank.position = cairn_vec3(edge + 2 * side, 0, 0.5 * ends);
        CAIRN_TRY(cairn_shape_create(site->run->world, site->banks, &bank, NULL));
        for (int hand = -1; hand <= 1; hand += 2) {
            CairnShapeDef post = cairn_box(0.2, 0.2, rail + 0.2);
            post.position = cairn_vec3(edge + 0.1 * side, hand * (0.5 * width + 0.1), ends + 0.5 * rail + 0.1);
            CAIRN_TRY(cairn_shape_create(site->run->world, site->banks, &post, NULL));
        }
    }
    return cairn_ok();
}

// The pull along the bridge in a string with this mass on each node: slopes grow by weight / pull from node to node.
static double pull_of(const Params *params, double mass, double g) {
    return mass * g * (params->planks - 2) / (2 * params->slope);
}

static CairnStatus add_planks(Site *site, double ends) {
    const Params *params = site->run->params;
    double g = -cairn_world_settings(site->run->world).gravity.z;
    CairnVec3 across = {0, 1, 0};
    int last = params->planks - 1;
    for (int i = 0; i < params->planks; i++) {
        CairnVec3 along = cairn_sub(site->positions[i < last ? i + 1 : i], site->positions[i > 0 ? i - 1 : i]);
        CairnBodyDef body = cairn_body_def();
        body.position = site->positions[i];
        body.orientation = cairn_quat_axis_angle(across, -atan2(along.z, along.x));
        body.mass = params->plank_mass;
        body.linear_damping = body.angular_damping = params->damping;
        body.group = part_of(site->run, i);
        CairnShapeDef plank = cairn_box(depth, width, thick);
        plank.filter = (CairnFilter){0, 0};
        CAIRN_TRY(cairn_body_add(site->run->world, &body, &plank, &site->planks[i]));
        remember(site->run, site->planks[i], body.mass, ends - body.position.z);
    }
    CAIRN_TRY(join(site, CAIRN_JOINT_REVOLUTE, site->banks, site->planks[0], site->positions[0], across,
                   cairn_vec3(1, 0, 0)));
    // On its last bearing the deck slides, and a spring pulls at it. With both ends of deck and handrails fixed the
    // distribution of the load between them would be undetermined: there would be one more pull than the geometry
    // fixes.
    CairnJointDef bearing = cairn_joint_def(CAIRN_JOINT_PRISMATIC);
    bearing.body_a = site->banks;
    bearing.body_b = site->planks[last];
    bearing.axes[CAIRN_X].drive = CAIRN_DRIVE_SPRING;
    bearing.axes[CAIRN_X].target_position = spring_stretch;
    bearing.axes[CAIRN_X].stiffness = pull_of(params, params->plank_mass + 3 * params->rope_mass, g) / spring_stretch;
    CAIRN_TRY(cairn_joint_place(site->run->world, &bearing, site->positions[last], cairn_vec3(1, 0, 0), across));
    Memory *memory = site->run->memory;
    return cairn_joint_create(site->run->world, &bearing, &memory->bearing);
}

// One side: the hangers, the handrail through their tops, and the rope under the deck.
static CairnStatus add_side(const Site *site, double y, double ends) {
    const Params *params = site->run->params;
    CairnVec3 aside = {0, y, 0}, x = {1, 0, 0}, none = {0, 0, 0}, last_top = none;
    CairnBodyId hanger = {0}, last_hanger = {0}, link = site->banks, rope;
    for (int i = 0; i < params->planks; i++) {
        CairnVec3 middle = cairn_add(site->positions[i], aside);
        CairnVec3 top = cairn_add(middle, cairn_vec3(0, 0, rail));
        CAIRN_TRY(add_bar(site, CAIRN_JOINT_UNIVERSAL, site->planks[i], middle, top, ends + 0.5 * rail, i, &hanger));
        if (i > 0) {
            CAIRN_TRY(add_bar(site, CAIRN_JOINT_UNIVERSAL, link, last_top, top, ends + rail, i - 1, &link));
            CAIRN_TRY(join(site, CAIRN_JOINT_BALL, link, last_hanger, last_top, x, none));
            CairnVec3 from = cairn_add(site->positions[i - 1], aside);
            CAIRN_TRY(add_bar(site, y < 0 ? CAIRN_JOINT_REVOLUTE : CAIRN_JOINT_UNIVERSAL, site->planks[i - 1], from,
                              middle, ends, i - 1, &rope));
            CAIRN_TRY(join(site, CAIRN_JOINT_BALL, rope, site->planks[i], middle, x, none));
        }
        last_top = top;
        last_hanger = hanger;
    }
    CAIRN_TRY(join(site, CAIRN_JOINT_BALL, link, last_hanger, last_top, x, none));
    return join(site, CAIRN_JOINT_BALL, link, site->banks, last_top, x, none);
}

// The slowest sway is that of a string with all of this mass and pull, in which the hangers stay upright. Shot from one
// end with the rate w, it must meet the other end; answered is what it misses it by.
static double shoot(const Site *site, double g, double w) {
    const Params *params = site->run->params;
    double mass = params->plank_mass + 6 * params->rope_mass, y = 0, force = 1;
    for (int i = 0; i < params->planks - 1; i++) {
        y += force * (site->positions[i + 1].x - site->positions[i].x) / pull_of(params, mass, g);
        force -= w * w * mass * y;
    }
    return y;
}

static double find_rate(const Site *site, double g) {
    double low = 0, high = 0.1;
    while (shoot(site, g, high) > 0) { // the lowest is passed once, for each try is a little larger only
        low = high;
        high *= 1.1;
    }
    for (int k = 0; k < 60; k++) {
        double middle = 0.5 * (low + high);
        bool is_slow = shoot(site, g, middle) > 0;
        low = is_slow ? middle : low;
        high = is_slow ? high : middle;
    }
    return low;
}

static CairnStatus build(CairnSceneRun *run) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    Site site = {.run = run};
    double span = lay_out(&site), low = 0;
    for (int i = 0; i < params->planks; i++) {
        low = fmin(low, site.positions[i].z);
    }
    double ends = 2 - low; // at its lowest the deck is 2 m above the valley
    for (int i = 0; i < params->planks; i++) {
        site.positions[i] = cairn_add(site.positions[i], cairn_vec3(-0.5 * span, 0, ends));
    }
    CAIRN_TRY(add_banks(&site, span, ends));
    CAIRN_TRY(add_planks(&site, ends));
    CAIRN_TRY(add_side(&site, -0.5 * width, ends));
    CAIRN_TRY(add_side(&site, 0.5 * width, ends));
    memory->rate = find_rate(&site, -cairn_world_settings(run->world).gravity.z);
    return cairn_ok();
}

static CairnStatus script(CairnSceneRun *run, double time) {
    const Params *params = run->params;
    const Memory *memory = run->memory;
    if (time < gust_start || time >= gust_end) {
        return cairn_ok();
    }
    double deepest = 0;
    for (int i = 0; i < memory->count; i++) {
        deepest = fmax(deepest, memory->hang[i]);
    }
    for (int i = 0; i < memory->count; i++) {
        double force = params->gust * memory->mass[i] * memory->hang[i] / deepest;
        CAIRN_TRY(cairn_body_apply_force(run->world, memory->bodies[i], cairn_vec3(0, force, 0)));
    }
    return cairn_ok();
}

// The angle by which it hangs aside, in the mean.
static CairnStatus find_sway(const CairnSceneRun *run, double *sway) {
    const Memory *memory = run->memory;
    double sum = 0, weight = 0;
    for (int i = 0; i < memory->count; i++) {
        CairnBodyState body;
        CAIRN_TRY(cairn_body_get(run->world, memory->bodies[i], &body));
        sum += memory->mass[i] * memory->hang[i] * body.center.y;
        weight += memory->mass[i] * memory->hang[i] * memory->hang[i];
    }
    *sway = sum / weight;
    return cairn_ok();
}

// Half a turn of the pendulum from each passage through the middle to the next.
static void count_crossings(Memory *memory, double time, double step, double sway) {
    memory->widest = fmax(memory->widest, fabs(sway));
    if (memory->last_sway * sway < 0) {
        double at = time - step * sway / (sway - memory->last_sway);
        memory->first_crossing = memory->crossings == 0 ? at : memory->first_crossing;
        memory->last_crossing = at;
        memory->crossings += 1;
    }
    memory->last_sway = sway;
}

static CairnStatus check_sway(const CairnSceneRun *run, double time, double step) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    double sway;
    CAIRN_TRY(find_sway(run, &sway));
    count_crossings(memory, time, step, sway);
    if (memory->crossings < 3 || params->damping > 0.5) {
        return cairn_ok();
    }
    double rate = (memory->crossings - 1) * CAIRN_PI / (memory->last_crossing - memory->first_crossing);
    double expected = memory->rate * (1 - memory->widest * memory->widest / 16); // a pendulum's, to second order
    if (fabs(rate / expected - 1) > 0.02) {
        return cairn_error(CAIRN_NUMERIC, "bridge: at %.6g s it sways with %.4g rad/s, not %.4g", time, rate, expected);
    }
    return cairn_ok();
}

// Kinetic, potential, and that of the spring at the bearing.
static CairnStatus find_energy(const CairnSceneRun *run, const CairnStats *stats, double *energy) {
    const Memory *memory = run->memory;
    CairnJointDef def;
    CairnJointState state;
    CAIRN_TRY(cairn_joint_get_def(run->world, memory->bearing, &def));
    CAIRN_TRY(cairn_joint_get(run->world, memory->bearing, &state));
    double stretch = def.axes[CAIRN_X].target_position - state.position[CAIRN_X];
    *energy = cairn_scene_energy(stats) + 0.5 * def.axes[CAIRN_X].stiffness * stretch * stretch;
    return cairn_ok();
}

static CairnStatus check(const CairnSceneRun *run, double time, const CairnStats *stats) {
    const Params *params = run->params;
    Memory *memory = run->memory;
    if (stats->contacts > 0 || stats->bodies != 7 * params->planks - 3 || stats->joints != 10 * params->planks - 2) {
        return cairn_error(CAIRN_NUMERIC, "bridge: at %.6g s there are %d bodies, %d joints, %d contacts", time,
                           stats->bodies, stats->joints, stats->contacts);
    }
    // At rest, and while it sways what the turning of its bars within a step leaves.
    double allowed = time < gust_start ? 1e-6 : 1e-3;
    if (stats->joint_error_linear > allowed) {
        return cairn_error(CAIRN_NUMERIC, "bridge: at %.6g s a joint is %.3g m apart", time, stats->joint_error_linear);
    }
    // Once the wind is over nothing drives it.
    double energy, step = time / (double)stats->step_index;
    CAIRN_TRY(find_energy(run, stats, &energy));
    memory->first_energy = stats->step_index == 1 ? energy : memory->first_energy;
    if (time < gust_start && energy > memory->first_energy + 1e-9 * fabs(energy)) {
        return cairn_error(CAIRN_NUMERIC, "bridge: at %.6g s it moves, and there is no wind: %.3g J", time,
                           energy - memory->first_energy);
    }
    if (time < gust_end + 1.5 * step) {
        memory->least_energy = energy;
        return cairn_ok();
    }
    double range = memory->gust_energy = fmax(memory->gust_energy, energy - memory->first_energy);
    if (energy > memory->least_energy + 1e-3 * range + 1e-9 * fabs(energy)) {
        return cairn_error(CAIRN_NUMERIC, "bridge: at %.6g s the energy has risen by %.3g J", time,
                           energy - memory->least_energy);
    }
    memory->least_energy = fmin(memory->least_energy, energy);
    return check_sway(run, time, step);
}

const CairnScene cairn_scene_bridge = {
    .name = "bridge",
    .summary = "a foot bridge of 128 planks on ropes sways in a gust",
    .watch = "The wind leans on its middle and lets go; then it swings as one, slower and slower to rest.",
    .params = CAIRN_FIELD_TABLE("bridge", Params, fields),
    .memory_size = sizeof(Memory),
    .step = 1.0 / 60,
    .steps = 1200,
    .camera = {.eye = {-40, -12, 13}, .target = {-12, 0, 5}, .fov = 46},
    .build = build,
    .script = script,
    .check = check,
};
