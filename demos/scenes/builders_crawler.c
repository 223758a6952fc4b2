#include "demos/scenes/builders_crane.h"

typedef enum Form {
    BLOCK,
    BEAM,
    DISC
} Form; // BEAM: a track's frame; DISC: a cylinder along y, size.x the radius, size.y the length

// A body of a track, in the plane of the track; `position.y` is 0.
typedef struct BodySpec {
    Form form;
    CairnVec3 size, position;
    double mass;
} BodySpec;

enum { FRAME, SPROCKET, IDLER, ROTOR, FRONT, REAR, ROLLER, SHOE = ROLLER + CAIRN_TRACK_ROLLERS };

static const double pitch = 0.75, shoe_thick = 0.12, roller_radius = 0.24, half_track_width = 2.1;
static const double gear = 1.0 / 20;
static const CairnVec3 front_toe = {2.625, 0, 0.06}, front_rim = {3.28, 0, 0.5};

static const BodySpec body = {BLOCK, {3.2, 3.75, 0.6}, {0, 0, 0.9}, 9000};
static const BodySpec track[] = {
    [FRAME] = {BEAM, {5.3, 0.45, 0.4}, {0, 0, 0.75}, 4000},  [SPROCKET] = {DISC, {0.5, 0.55, 0}, {2.85, 0, 0.75}, 600},
    [IDLER] = {DISC, {0.5, 0.55, 0}, {-2.85, 0, 0.75}, 500}, [ROTOR] = {DISC, {0.15, 0.7, 0}, {2.1, 0, 0.85}, 150},
    [FRONT] = {BLOCK, {0.79, 0.75, 0.1}, {0, 0, 0}, 250},    [REAR] = {BLOCK, {0.79, 0.75, 0.1}, {0, 0, 0}, 250},
};
static const double roller_mass = 120, shoe_mass = 350;

CairnCrawlerDef cairn_crawler_def(void) {
    return (CairnCrawlerDef){.pose = cairn_transform_identity(),
                             .mass = 26000,
                             .friction = 0.6,
                             .brake = 5000,
                             .group = -1,
                             .filter = {1, ~(uint64_t)0}};
}

typedef struct Crawler {
    CairnWorld *world;
    const CairnCrawlerDef *def;
    double scale; // of all masses
    CairnBodyId *bodies;
    CairnFilter silent; // of what touches nothing
} Crawler;

static CairnStatus add_shape(const Crawler *crawler, CairnBodyId id, CairnShapeDef shape, CairnFilter filter) {
    shape.friction = crawler->def->friction;
    shape.filter = filter;
    return cairn_shape_create(crawler->world, id, &shape, NULL);
}

// `lean` turns it about y.
static CairnStatus add_body(const Crawler *crawler, const BodySpec *spec, double side, double lean, CairnFilter filter,
                            CairnBodyId *id) {
    CairnVec3 across = {0, 1, 0}, s = spec->size;
    CairnBodyDef def = cairn_body_def();
    def.position = cairn_transform_point(crawler->def->pose, cairn_add_scaled(spec->position, side, across));
    def.orientation = cairn_quat_mul(crawler->def->pose.q, cairn_quat_axis_angle(across, lean));
    def.mass = crawler->scale * spec->mass;
    def.group = crawler->def->group;
    CAIRN_TRY(cairn_body_create(crawler->world, &def, id));
    if (spec->form == DISC) {
        CairnShapeDef disc = cairn_cylinder(s.x, s.y);
        disc.orientation = cairn_quat_axis_angle(cairn_vec3(1, 0, 0), 0.5 * CAIRN_PI);
        return add_shape(crawler, *id, disc, filter);
    }
    if (spec->form == BEAM) { // and the upper run of the track, which rests on it
        CairnShapeDef run = cairn_box(s.x + 0.4, 0.8, 0.1);
        run.position.z = 0.55;
        CAIRN_TRY(add_shape(crawler, *id, run, filter));
    }
    return add_shape(crawler, *id, cairn_box(s.x, s.y, s.z), filter);
}

static CairnStatus join(const Crawler *crawler, CairnJointType type, CairnBodyId a, CairnBodyId b, CairnVec3 point,
                        double side, CairnJointId *id) {
    CairnJointDef joint = cairn_joint_def(type);
    joint.body_a = a;
    joint.body_b = b;
    CairnTransform pose = crawler->def->pose;
    CairnVec3 y = {0, 1, 0}, x = {1, 0, 0};
    CAIRN_TRY(cairn_joint_place(crawler->world, &joint, cairn_transform_point(pose, cairn_add_scaled(point, side, y)),
                                cairn_rotate(pose.q, y), cairn_rotate(pose.q, x)));
    return cairn_joint_create(crawler->world, &joint, id);
}

static CairnStatus add_brake(const Crawler *crawler, CairnJointId sprocket, CairnJointId rotor) {
    CairnJointDef joint = cairn_joint_def(CAIRN_JOINT_GEAR);
    joint.joint_a = sprocket;
    joint.joint_b = rotor;
    joint.ratio = gear;
    CAIRN_TRY(cairn_joint_create(crawler->world, &joint, NULL));
    CairnAxis brake = cairn_axis();
    brake.mode = CAIRN_AXIS_FREE;
    brake.drive = CAIRN_DRIVE_VELOCITY;
    brake.max_force = crawler->def->brake;
    return cairn_joint_set_axis(crawler->world, rotor, CAIRN_RX, &brake);
}

// The shoes lie on the ground, the rollers on the shoes.
static CairnStatus add_run(const Crawler *crawler, double side, CairnBodyId *bodies) {
    const CairnFilter rolls = {crawler->def->filter.category << 1, crawler->def->filter.category << 2};
    const CairnFilter treads = {rolls.mask, ~(rolls.mask | crawler->def->filter.category)};
    for (int i = 0; i < CAIRN_TRACK_ROLLERS; i++) {
        double x = (i - 0.5 * (CAIRN_TRACK_ROLLERS - 1)) * pitch;
        BodySpec roller = {DISC, {roller_radius, 0.5, 0}, {x, 0, shoe_thick + roller_radius}, roller_mass};
        BodySpec shoe = {BLOCK, {pitch - 0.02, 0.8, shoe_thick}, {x, 0, 0.5 * shoe_thick}, shoe_mass};
        CAIRN_TRY(add_body(crawler, &roller, side, 0, rolls, &bodies[ROLLER + i]));
        CAIRN_TRY(add_body(crawler, &shoe, side, 0, treads, &bodies[SHOE + i]));
        CAIRN_TRY(join(crawler, CAIRN_JOINT_REVOLUTE, bodies[FRAME], bodies[ROLLER + i], roller.position, side, NULL));
        if (i > 0) {
            CairnVec3 hinge = {x - 0.5 * pitch, 0, 0.5 * shoe_thick};
            CAIRN_TRY(join(crawler, CAIRN_JOINT_REVOLUTE, bodies[SHOE + i - 1], bodies[SHOE + i], hinge, side, NULL));
        }
    }
    return cairn_ok();
}

static CairnStatus add_track(const Crawler *crawler, double side, CairnBodyId *bodies) {
    const CairnJointType turns = CAIRN_JOINT_REVOLUTE;
    CairnJointId sprocket, rotor;
    CAIRN_TRY(add_body(crawler, &track[FRAME], side, 0, crawler->def->filter, &bodies[FRAME]));
    CAIRN_TRY(
        join(crawler, CAIRN_JOINT_FIXED, crawler->bodies[0], bodies[FRAME], cairn_vec3(0, 0, 0.75), 0.8 * side, NULL));
    for (int i = SPROCKET; i <= ROTOR; i++) {
        CAIRN_TRY(add_body(crawler, &track[i], side, 0, crawler->silent, &bodies[i]));
        CAIRN_TRY(join(crawler, turns, bodies[FRAME], bodies[i], track[i].position, side,
                       i == SPROCKET ? &sprocket
                       : i == ROTOR  ? &rotor
                                     : NULL));
    }
    CAIRN_TRY(add_brake(crawler, sprocket, rotor));
    CAIRN_TRY(add_run(crawler, side, bodies));
    for (int i = FRONT; i <= REAR; i++) { // the plates from the shoes up to sprocket and idler
        double direction = i == FRONT ? 1 : -1;
        BodySpec plate = track[i];
        CairnVec3 toe = {direction * front_toe.x, 0, front_toe.z}, rim = {direction * front_rim.x, 0, front_rim.z};
        plate.position = cairn_scale(0.5, cairn_add(toe, rim));
        double lean = -direction * atan2(rim.z - toe.z, front_rim.x - front_toe.x);
        CAIRN_TRY(add_body(crawler, &plate, side, lean, crawler->silent, &bodies[i]));
        CAIRN_TRY(join(crawler, turns, bodies[i == FRONT ? SHOE + CAIRN_TRACK_ROLLERS - 1 : SHOE], bodies[i], toe, side,
                       NULL));
        CAIRN_TRY(join(crawler, turns, bodies[i == FRONT ? SPROCKET : IDLER], bodies[i], rim, side, NULL));
    }
    return cairn_ok();
}

CairnStatus cairn_build_crawler(CairnWorld *world, const CairnCrawlerDef *def, CairnBodyId *bodies) {
    if (!(def->mass > 0) || !(def->brake >= 0)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "crawler: mass = %g must be positive and brake = %g not be negative",
                           def->mass, def->brake);
    }
    if (def->filter.category == 0 || def->filter.category >> 62) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "crawler: filter.category = %llx needs two free bits above it",
                           (unsigned long long)def->filter.category);
    }
    double sum = body.mass + 2 * CAIRN_TRACK_ROLLERS * (roller_mass + shoe_mass);
    for (int i = FRAME; i <= REAR; i++) {
        sum += 2 * track[i].mass;
    }
    Crawler crawler = {world, def, def->mass / sum, bodies, {def->filter.category, 0}};
    CAIRN_TRY(add_body(&crawler, &body, 0, 0, def->filter, &bodies[0]));
    CAIRN_TRY(add_track(&crawler, half_track_width, bodies + 1));
    return add_track(&crawler, -half_track_width, bodies + 1 + CAIRN_TRACK_BODIES);
}
