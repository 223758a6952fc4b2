#include "demos/scenes/builders_crane.h"
#include "demos/scenes/builders_chain.h"

// What stands on the turntable. A BOX lies along the crane's axes, a BOOM along the boom, a ROLL is a cylinder along y
// (size.x the radius, size.y the length).
typedef enum Form { BOX, HOUSE, BOOM, ROLL } Form;
typedef enum Tie { NONE, WELD, HINGE, BRAKE } Tie; // about y: free, or braked

typedef struct BodySpec {
    Form form;
    CairnVec3 size, position;
    double mass;
    int parent;
    Tie tie;
} BodySpec;

enum {
    DECK,
    PINION,
    CAB,
    WEIGHT,
    ENGINE,
    LEFT_LEG,
    RIGHT_LEG,
    MAST_HEAD,
    SECTION, // of the boom
    SECTIONS = 6,
    HEAD = SECTION + SECTIONS,
    SHEAVE,
    DRUM,
    DRUM_ROTOR,
    SECOND_DRUM,
    PENDANT,
    PENDANT_BARS = 3 // of each of two
};

static const double section = 2, drum_radius = 0.4, block_high = 0.7, pendant_mass = 60;
static const CairnVec3 up_boom = {0.5, 0, 0.8660254037844386}; // 60 degrees
static const CairnVec3 foot = {1.2, 0, 2.1}, mast_top = {-2.6, 0, 5.6}, drum_position = {-0.1, 0, 2.95};
static const CairnVec3 across = {0, 1, 0}, ahead = {1, 0, 0}, upright = {0, 0, 1};

static const BodySpec specs[PENDANT] = {
    [DECK] = {HOUSE, {6.4, 2.8, 0.5}, {-0.9, 0, 1.75}, 9000, -1, NONE},
    [PINION] = {BOX, {0.3, 0.3, 0.4}, {1.15, 0, 1.35}, 200, -1, NONE},
    [CAB] = {BOX, {1.7, 1.0, 1.7}, {1.75, -1.3, 2.85}, 900, DECK, WELD},
    [WEIGHT] = {BOX, {1.2, 3.2, 1.7}, {-4.3, 0, 2.4}, 24000, DECK, WELD},
    [ENGINE] = {BOX, {1.2, 2.5, 0.4}, {-2.4, 0, 3.4}, 2500, DECK, WELD},
    [LEFT_LEG] = {BOX, {0.2, 0.2, 0}, {-1.2, 0.9, 2.0}, 300, DECK, WELD}, // from there to the top
    [RIGHT_LEG] = {BOX, {0.2, 0.2, 0}, {-1.2, -0.9, 2.0}, 300, DECK, WELD},
    [MAST_HEAD] = {BOX, {0.4, 1.4, 0.3}, {-2.6, 0, 5.6}, 200, LEFT_LEG, WELD},
    [SECTION] = {BOOM, {0, 0, 0}, {0, 0, 0}, 700, DECK, HINGE},
    [SECTION + 1] = {BOOM, {0, 0, 0}, {0, 0, 0}, 700, SECTION, WELD},
    [SECTION + 2] = {BOOM, {0, 0, 0}, {0, 0, 0}, 700, SECTION + 1, WELD},
    [SECTION + 3] = {BOOM, {0, 0, 0}, {0, 0, 0}, 700, SECTION + 2, WELD},
    [SECTION + 4] = {BOOM, {0, 0, 0}, {0, 0, 0}, 700, SECTION + 3, WELD},
    [SECTION + 5] = {BOOM, {0, 0, 0}, {0, 0, 0}, 700, SECTION + 4, WELD},
    [HEAD] = {BOX, {0.9, 0.9, 0.3}, {7.4, 0, 12.5}, 300, SECTION + 5, WELD},
    [SHEAVE] = {ROLL, {0.4, 0.15, 0}, {7.65, 0, 12.6}, 250, HEAD, HINGE},
    [DRUM] = {ROLL, {0.4, 1.3, 0}, {-0.1, 0, 2.95}, 1200, DECK, HINGE},
    [DRUM_ROTOR] = {ROLL, {0.15, 0.5, 0}, {-0.1, 0.95, 2.95}, 150, DECK, BRAKE},
    [SECOND_DRUM] = {ROLL, {0.3, 1.3, 0}, {-0.85, 0, 2.85}, 1000, DECK, BRAKE},
};

static const double vehicle_fraction = 0.37; // of the crane's mass

CairnCraneDef cairn_crane_def(void) {
    CairnCraneDef def = {.pose = cairn_transform_identity(),
                         .mass = 75000,
                         .friction = 0.6,
                         .hook_mass = 400,
                         .hook_height = 5.2,
                         .rope = cairn_cable(),
                         .group = -1,
                         .filter = {1, ~(uint64_t)0}};
    def.rope.count = CAIRN_CRANE_LINKS;
    def.rope.mass = 1;
    def.rope.radius = 0.04;
    def.rope.bending = def.rope.twisting = 50;
    def.rope.loss = 20;
    return def;
}

typedef struct Site {
    CairnWorld *world;
    const CairnCraneDef *def;
    CairnCrane *crane;
    double scale;       // of all masses
    CairnFilter silent; // of what touches nothing
} Site;

static int label(const Site *site, int group) {
    return site->def->group < 0 ? -1 : site->def->group + group;
}

static CairnVec3 to_world(const Site *site, CairnVec3 point) {
    return cairn_transform_point(site->def->pose, point);
}

static CairnStatus add_shape(const Site *site, CairnBodyId id, CairnShapeDef shape) {
    shape.friction = site->def->friction;
    shape.filter = site->def->filter;
    return cairn_shape_create(site->world, id, &shape, NULL);
}

// Four chords along x, with lattice on all sides, zig and zag.
static CairnStatus add_lattice(const Site *site, CairnBodyId id) {
    const double wide = 0.9, thick = 0.1, slant = atan2(wide, 0.5 * section);
    const double brace = 0.5 * section / cos(slant);
    for (int i = 0; i < 4; i++) {
        double y = i % 2 ? 0.5 : -0.5, z = i / 2 ? 0.5 : -0.5;
        CairnShapeDef chord = cairn_box(section, thick, thick);
        chord.position = cairn_vec3(0, y * wide, z * wide);
        CAIRN_TRY(add_shape(site, id, chord));
        for (int k = -1; k <= 1; k += 2) {
            CairnShapeDef bar = cairn_box(brace, 0.5 * thick, 0.5 * thick);
            double side = i % 2 ? 0.5 : -0.5;
            bool is_flat = i < 2;
            bar.position = cairn_vec3(0.25 * k * section, is_flat ? 0 : side * wide, is_flat ? side * wide : 0);
            bar.orientation = cairn_quat_axis_angle(is_flat ? upright : across, k * slant);
            CAIRN_TRY(add_shape(site, id, bar));
        }
    }
    return cairn_ok();
}

static CairnStatus add_forms(const Site *site, CairnBodyId id, const BodySpec *spec) {
    CairnVec3 s = spec->size;
    if (spec->form == BOOM) {
        return add_lattice(site, id);
    }
    if (spec->form == ROLL) {
        CairnShapeDef roll = cairn_cylinder(s.x, s.y);
        roll.orientation = cairn_quat_axis_angle(ahead, 0.5 * CAIRN_PI);
        return add_shape(site, id, roll);
    }
    if (spec->form == HOUSE) { // the hood over the engine, and the ring that it turns on
        CairnShapeDef hood = cairn_box(2.2, 2.4, 1.2), ring = cairn_cylinder(1.1, 0.3);
        hood.position = cairn_vec3(-1.5, 0, 0.85);
        ring.position = cairn_vec3(0.9, 0, -0.4);
        CAIRN_TRY(add_shape(site, id, hood));
        CAIRN_TRY(add_shape(site, id, ring));
    }
    return add_shape(site, id, cairn_box(s.x, s.y, s.z));
}

static CairnBodyDef body_of(const Site *site, double mass, int group) {
    CairnBodyDef def = cairn_body_def();
    def.position = site->def->pose.p;
    def.orientation = site->def->pose.q;
    def.mass = site->scale * mass;
    def.group = group;
    return def;
}

static CairnStatus add_body(const Site *site, int index) {
    CairnBodyId *id = &site->crane->upper[index];
    const BodySpec *spec = &specs[index];
    CairnBodyDef def = body_of(site, spec->mass, label(site, 1));
    if (index == LEFT_LEG || index == RIGHT_LEG) {
        CairnShapeDef leg = cairn_capsule(0.5 * spec->size.x, 1);
        leg.filter = site->def->filter;
        CairnVec3 top = cairn_add_scaled(mast_top, spec->position.y > 0 ? 0.5 : -0.5, across);
        return cairn_build_bar(site->world, def, leg, to_world(site, spec->position), to_world(site, top), id);
    }
    CairnVec3 position = spec->position;
    if (spec->form == BOOM) {
        position = cairn_add_scaled(foot, (index - SECTION + 0.5) * section, up_boom);
        def.orientation = cairn_quat_mul(def.orientation, cairn_quat_between(ahead, up_boom));
    }
    def.position = to_world(site, position);
    CAIRN_TRY(cairn_body_create(site->world, &def, id));
    return add_forms(site, *id, spec);
}

static CairnStatus join(const Site *site, CairnJointDef joint, CairnBodyId a, CairnBodyId b, CairnVec3 point,
                        CairnVec3 x, CairnVec3 y, CairnJointId *id) {
    joint.body_a = a;
    joint.body_b = b;
    CAIRN_TRY(cairn_joint_place(site->world, &joint, to_world(site, point), cairn_rotate(site->def->pose.q, x),
                                cairn_rotate(site->def->pose.q, y)));
    return cairn_joint_create(site->world, &joint, id);
}

static CairnStatus tie(const Site *site, int index, CairnJointId *id) {
    const BodySpec *spec = &specs[index];
    CairnJointDef joint = cairn_joint_def(spec->tie == WELD ? CAIRN_JOINT_FIXED : CAIRN_JOINT_REVOLUTE);
    if (spec->tie == BRAKE) {
        joint.axes[CAIRN_RX].drive = CAIRN_DRIVE_VELOCITY;
        joint.axes[CAIRN_RX].max_force = 20000;
    }
    CairnVec3 point = spec->position;
    if (spec->form == BOOM) {
        point = cairn_add_scaled(foot, (index - SECTION) * section, up_boom);
    }
    const CairnBodyId *ids = site->crane->upper;
    return join(site, joint, ids[spec->parent], ids[index], point, across, ahead, id);
}

static CairnStatus add_gear(const Site *site, CairnJointId a, CairnJointId b, double ratio) {
    CairnJointDef joint = cairn_joint_def(CAIRN_JOINT_GEAR);
    joint.joint_a = a;
    joint.joint_b = b;
    joint.ratio = ratio;
    return cairn_joint_create(site->world, &joint, NULL);
}

// The ring turns on the vehicle, and a braked pinion turns it.
static CairnStatus add_ring(const Site *site) {
    CairnBodyId vehicle = site->crane->vehicle[0], *ids = site->crane->upper;
    CairnJointId ring, pinion;
    CairnJointDef joint = cairn_joint_def(CAIRN_JOINT_REVOLUTE);
    CAIRN_TRY(join(site, joint, vehicle, ids[DECK], cairn_vec3(0, 0, 1.3), upright, ahead, &ring));
    joint.axes[CAIRN_RX].drive = CAIRN_DRIVE_VELOCITY;
    joint.axes[CAIRN_RX].max_force = 20000;
    CAIRN_TRY(join(site, joint, vehicle, ids[PINION], specs[PINION].position, upright, ahead, &pinion));
    return add_gear(site, ring, pinion, 1.0 / 8);
}

// Two lines of bars from the mast to the boom's head hold the boom up.
static CairnStatus add_pendants(const Site *site) {
    CairnBodyId *ids = site->crane->upper;
    CairnVec3 head = cairn_add_scaled(foot, SECTIONS * section, up_boom);
    CairnVec3 whole = cairn_sub(head, mast_top), along = cairn_normalize(whole);
    CairnVec3 square = cairn_cross(across, along);
    for (int i = 0; i < 2 * PENDANT_BARS; i++) {
        int bar = i % PENDANT_BARS;
        CairnVec3 side = cairn_scale(i < PENDANT_BARS ? 0.45 : -0.45, across);
        CairnVec3 from = cairn_add(cairn_add_scaled(mast_top, (double)bar / PENDANT_BARS, whole), side);
        CairnVec3 to = cairn_add(cairn_add_scaled(mast_top, (bar + 1.0) / PENDANT_BARS, whole), side);
        CairnShapeDef capsule = cairn_capsule(0.05, 1);
        capsule.filter = site->silent;
        CAIRN_TRY(cairn_build_bar(site->world, body_of(site, pendant_mass, label(site, 1)), capsule,
                                  to_world(site, from), to_world(site, to), &ids[PENDANT + i]));
        CAIRN_TRY(join(site, cairn_joint_def(CAIRN_JOINT_UNIVERSAL), ids[bar ? PENDANT + i - 1 : MAST_HEAD],
                       ids[PENDANT + i], from, across, square, NULL));
        if (bar == PENDANT_BARS - 1) {
            CAIRN_TRY(join(site, cairn_joint_def(CAIRN_JOINT_BALL), ids[PENDANT + i], ids[SECTION + SECTIONS - 1], to,
                           across, square, NULL));
        }
    }
    return cairn_ok();
}

static CairnStatus add_upper(const Site *site) {
    CairnBodyId *ids = site->crane->upper;
    CairnJointId drum = {0}, rotor = {0};
    for (int i = 0; i < PENDANT; i++) {
        CAIRN_TRY(add_body(site, i));
    }
    for (int i = 0; i < PENDANT; i++) {
        if (specs[i].tie != NONE) {
            CAIRN_TRY(tie(site, i, i == DRUM ? &drum : i == DRUM_ROTOR ? &rotor : NULL));
        }
    }
    CAIRN_TRY(join(site, cairn_joint_def(CAIRN_JOINT_FIXED), ids[RIGHT_LEG], ids[MAST_HEAD], mast_top, across, ahead,
                   NULL)); // a triangle with the deck
    CAIRN_TRY(add_gear(site, drum, rotor, 1.0 / 20));
    CAIRN_TRY(add_ring(site));
    return add_pendants(site);
}

// Where the cable leaves the sheave, straight down.
static CairnVec3 rim(void) {
    return cairn_add_scaled(specs[SHEAVE].position, drum_radius, ahead);
}

CairnVec3 cairn_crane_load(const CairnCraneDef *def) {
    CairnVec3 point = rim();
    point.z = def->hook_height;
    return cairn_transform_point(def->pose, point);
}

// From the back of the drum to the back of the sheave, and from its front down to the block. The sheave is a balance:
// what pulls at one side must pull at the other.
static CairnStatus add_rope(const Site *site) {
    const CairnCraneDef *def = site->def;
    CairnCrane *crane = site->crane;
    CairnVec3 along = cairn_normalize(cairn_sub(specs[SHEAVE].position, drum_position));
    CairnVec3 back = cairn_scale(drum_radius, cairn_cross(along, across));
    back = back.x > 0 ? cairn_neg(back) : back;
    const CairnVec3 ends[] = {cairn_add(drum_position, back), cairn_add(specs[SHEAVE].position, back), rim(),
                              cairn_vec3(rim().x, 0, def->hook_height + block_high + 0.25)};
    for (int fall = 0; fall < 2; fall++) {
        CairnCable rope = def->rope;
        rope.count = fall ? CAIRN_CRANE_DOWN : CAIRN_CRANE_LONG;
        rope.group = label(site, 2);
        rope.filter = site->silent;
        CairnVec3 points[CAIRN_CRANE_LONG + 1], displacement = cairn_sub(ends[2 * fall + 1], ends[2 * fall]);
        for (int i = 0; i <= rope.count; i++) {
            points[i] = to_world(site, cairn_add_scaled(ends[2 * fall], (double)i / rope.count, displacement));
        }
        CairnBodyId *ids = crane->rope + fall * CAIRN_CRANE_LONG;
        CAIRN_TRY(cairn_build_cable(site->world, &rope, points, ids));
        CAIRN_TRY(cairn_build_cable_tie(site->world, &rope, ids[0], crane->upper[fall ? SHEAVE : DRUM], points[0]));
        CAIRN_TRY(cairn_build_cable_tie(site->world, &rope, ids[rope.count - 1],
                                        fall ? crane->block : crane->upper[SHEAVE], points[rope.count]));
    }
    return cairn_ok();
}

// The block at the cable's end, a swivel that turns under it, and the hook.
static CairnStatus add_hook(const Site *site) {
    const CairnCraneDef *def = site->def;
    CairnCrane *crane = site->crane;
    const double fraction[] = {0.7, 0.1, 0.2};
    const double high[] = {0.25 + 0.5 * block_high, 0.19, 0};
    CairnBodyId *ids[] = {&crane->block, &crane->swivel, &crane->hook};
    CairnVec3 load = rim();
    load.z = def->hook_height;
    for (int i = 0; i < 3; i++) {
        CairnBodyDef body = body_of(site, 1, label(site, 3));
        body.mass = def->hook_mass * fraction[i];
        body.position = to_world(site, cairn_add_scaled(load, high[i], upright));
        CAIRN_TRY(cairn_body_create(site->world, &body, ids[i]));
    }
    CairnShapeDef cheeks = cairn_box(0.5, 0.3, block_high), wheel = cairn_cylinder(0.3, 0.36),
                  swivel = cairn_cylinder(0.1, 0.2);
    wheel.orientation = cairn_quat_axis_angle(ahead, 0.5 * CAIRN_PI);
    CAIRN_TRY(add_shape(site, crane->block, cheeks));
    CAIRN_TRY(add_shape(site, crane->block, wheel));
    CAIRN_TRY(add_shape(site, crane->swivel, swivel));
    for (int i = -2; i <= 4; i++) { // bent bars around the load, open at one side
        double turn = (i - 1) * 0.7 - 0.5 * CAIRN_PI;
        CairnShapeDef bar = cairn_capsule(0.05, 0.1);
        bar.position = cairn_vec3(0.13 * cos(turn), 0, 0.05 + 0.13 * sin(turn));
        bar.orientation = cairn_quat_axis_angle(across, -turn);
        CAIRN_TRY(add_shape(site, crane->hook, bar));
    }
    CairnJointDef joint = cairn_joint_def(CAIRN_JOINT_REVOLUTE);
    CairnVec3 neck = cairn_add_scaled(load, 0.2, upright);
    joint.axes[CAIRN_RX].drive = CAIRN_DRIVE_SPRING; // the grease of its bearing
    joint.axes[CAIRN_RX].damping = 20;
    CAIRN_TRY(
        join(site, joint, crane->block, crane->swivel, cairn_add_scaled(load, 0.25, upright), upright, ahead, NULL));
    return join(site, joint, crane->swivel, crane->hook, neck, across, ahead, NULL);
}

CairnStatus cairn_build_crane(CairnWorld *world, const CairnCraneDef *def, CairnCrane *crane) {
    const double least = 3, most = 10;
    if (!(def->mass > 0) || !(def->hook_mass > 0)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "crane: mass = %g and hook_mass = %g must be positive", def->mass,
                           def->hook_mass);
    }
    if (!(def->hook_height >= least && def->hook_height <= most)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "crane: hook_height = %g m must lie in [%g, %g]", def->hook_height,
                           least, most);
    }
    CairnCrawlerDef crawler = cairn_crawler_def();
    crawler.pose = def->pose;
    crawler.mass = vehicle_fraction * def->mass;
    crawler.friction = def->friction;
    crawler.group = def->group;
    crawler.filter = def->filter;
    CAIRN_TRY(cairn_build_crawler(world, &crawler, crane->vehicle));
    double sum = 2 * PENDANT_BARS * pendant_mass;
    for (int i = 0; i < PENDANT; i++) {
        sum += specs[i].mass;
    }
    Site site = {world, def, crane, (1 - vehicle_fraction) * def->mass / sum, {def->filter.category, 0}};
    crane->load = cairn_crane_load(def);
    CAIRN_TRY(add_upper(&site));
    CAIRN_TRY(add_hook(&site));
    return add_rope(&site);
}
