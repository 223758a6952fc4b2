#include "demos/scenes/builders_spider.h"
#include "demos/scenes/builders_chain.h"

// A leg, as the one that points along y lies: a hip that turns about an upright axis; on it two parallel arms that
// carry a shin, which so stays upright; and a crank that lifts the upper arm by a rod.
enum { HIP, UPPER, LOWER, CRANK, ROD, SHIN };

typedef struct BodySpec {
    CairnVec3 from, to;
    double radius, mass;
} BodySpec;

static const BodySpec leg_specs[CAIRN_SPIDER_LEG_BODIES] = {
    [HIP] = {{0, 0.02, 0.09}, {0, 0.02, 0.21}, 0.024, 0.1},
    [UPPER] = {{0, 0.03, 0.15}, {0, 0.12, 0.15}, 0.014, 0.08},
    [LOWER] = {{0, 0.03, 0.09}, {0, 0.12, 0.09}, 0.014, 0.08},
    [CRANK] = {{0, 0.03, 0.21}, {0, 0.09, 0.21}, 0.011, 0.06},
    [ROD] = {{0, 0.09, 0.21}, {0, 0.09, 0.15}, 0.009, 0.06},
    [SHIN] = {{0, 0.12, 0.16}, {0, 0.12, 0.016}, 0.012, 0.08},
};

// The hinges of a leg: the two bodies, and the point; all turn about x of the leg.
typedef struct Hinge {
    int a, b;
    CairnVec3 point;
} Hinge;

static const Hinge hinges[] = {
    {HIP, UPPER, {0, 0.03, 0.15}},  {HIP, LOWER, {0, 0.03, 0.09}}, {UPPER, SHIN, {0, 0.12, 0.15}},
    {LOWER, SHIN, {0, 0.12, 0.09}}, {CRANK, ROD, {0, 0.09, 0.21}}, {ROD, UPPER, {0, 0.09, 0.15}},
};
// A leg is two closed loops, whose hinges hold more than once what is to be held: the compliance alone decides their
// inner forces. Beside 1/m and 1/I of bodies of some ten grams the default of 1e-10 leaves them few digits.
static const double compliance = 1e-7;
static const double gyration = 0.04; // m, about all axes: bars with bearings and housings at their ends
static const CairnVec3 motor = {0, 0.03, 0.21};
static const double body_mass = 1.24, half_width = 0.09, hip_gap = 0.17;

const double cairn_spider_reach = 0.12, cairn_spider_foot = 0.016;

CairnSpiderDef cairn_spider_def(void) {
    return (CairnSpiderDef){.pose = cairn_transform_identity(),
                            .mass = 4,
                            .friction = 0.6,
                            .stiffness = 200,
                            .damping = 4,
                            .torque = 8,
                            .filter = {1, ~(uint64_t)0}};
}

typedef struct Site {
    CairnWorld *world;
    const CairnSpiderDef *def;
    double scale; // of all masses
} Site;

// From a leg's own frame to the world: legs point to the left and to the right.
static CairnTransform leg_frame(const Site *site, int leg) {
    double side = leg % 2 ? -1 : 1;
    CairnTransform hip = {{(1 - leg / 2) * hip_gap, side * half_width, 0},
                          cairn_quat_axis_angle(cairn_vec3(0, 0, 1), side > 0 ? 0 : CAIRN_PI)};
    return cairn_transform_mul(site->def->pose, hip);
}

static void soften(CairnJointDef *joint) {
    for (int i = 0; i < CAIRN_AXIS_COUNT; i++) {
        joint->axes[i].compliance = compliance;
    }
}

static CairnStatus add_servo(const Site *site, CairnJointDef joint, CairnVec3 point, CairnVec3 axis, CairnVec3 y,
                             CairnJointId *id) {
    soften(&joint);
    joint.axes[CAIRN_RX].drive = CAIRN_DRIVE_SPRING;
    joint.axes[CAIRN_RX].stiffness = site->def->stiffness;
    joint.axes[CAIRN_RX].damping = site->def->damping;
    joint.axes[CAIRN_RX].max_force = site->def->torque;
    CAIRN_TRY(cairn_joint_place(site->world, &joint, point, axis, y));
    return cairn_joint_create(site->world, &joint, id);
}

static CairnStatus add_leg(const Site *site, int leg, CairnSpider *spider) {
    CairnTransform frame = leg_frame(site, leg);
    CairnBodyId *ids = spider->leg_bodies[leg];
    CairnVec3 x = cairn_rotate(frame.q, cairn_vec3(1, 0, 0)), y = cairn_rotate(frame.q, cairn_vec3(0, 1, 0));
    for (int i = 0; i < CAIRN_SPIDER_LEG_BODIES; i++) {
        const BodySpec *spec = &leg_specs[i];
        CairnBodyDef body = cairn_body_def();
        body.mass = site->scale * spec->mass;
        body.group = leg;
        double q = body.mass * gyration * gyration;
        body.inertia = cairn_vec3(q, q, q);
        CairnShapeDef bar = cairn_capsule(spec->radius, 1);
        bar.friction = site->def->friction;
        bar.filter = site->def->filter;
        CAIRN_TRY(cairn_build_bar(site->world, body, bar, cairn_transform_point(frame, spec->from),
                                  cairn_transform_point(frame, spec->to), &ids[i]));
    }
    CairnShapeDef foot = cairn_sphere(cairn_spider_foot);
    foot.position.z = 0.5 * (leg_specs[SHIN].from.z - leg_specs[SHIN].to.z); // a bar lies along its body's z
    foot.friction = site->def->friction;
    foot.filter = site->def->filter;
    CAIRN_TRY(cairn_shape_create(site->world, ids[SHIN], &foot, NULL));
    for (size_t i = 0; i < sizeof hinges / sizeof *hinges; i++) {
        CairnJointDef joint = cairn_joint_def(CAIRN_JOINT_REVOLUTE);
        joint.body_a = ids[hinges[i].a];
        joint.body_b = ids[hinges[i].b];
        soften(&joint);
        CAIRN_TRY(cairn_joint_place(site->world, &joint, cairn_transform_point(frame, hinges[i].point), x, y));
        CAIRN_TRY(cairn_joint_create(site->world, &joint, NULL));
    }
    CairnJointDef joint = cairn_joint_def(CAIRN_JOINT_REVOLUTE);
    joint.body_a = ids[HIP];
    joint.body_b = ids[CRANK];
    CAIRN_TRY(add_servo(site, joint, cairn_transform_point(frame, motor), x, y, &spider->lift[leg]));
    joint.body_a = spider->body;
    joint.body_b = ids[HIP];
    CairnVec3 up = cairn_rotate(frame.q, cairn_vec3(0, 0, leg % 2 ? 1 : -1)); // so that a positive angle is forward
    return add_servo(site, joint, cairn_transform_point(frame, cairn_vec3(0, 0, 0.15)), up, y, &spider->swing[leg]);
}

static CairnStatus add_body(const Site *site, CairnSpider *spider) {
    CairnBodyDef def = cairn_body_def();
    def.position = cairn_transform_point(site->def->pose, cairn_vec3(0, 0, 0.15));
    def.orientation = site->def->pose.q;
    def.mass = site->scale * body_mass;
    def.group = CAIRN_SPIDER_LEGS;
    CAIRN_TRY(cairn_body_create(site->world, &def, &spider->body));
    CairnShapeDef shapes[] = {cairn_box(2 * hip_gap + 0.06, 2 * half_width - 0.04, 0.05), cairn_sphere(0.06),
                              cairn_sphere(0.018), cairn_sphere(0.018)};
    shapes[1].position = cairn_vec3(-0.05, 0, 0.03);
    shapes[2].position = cairn_vec3(0.21, 0.03, 0.03);
    shapes[3].position = cairn_vec3(0.21, -0.03, 0.03);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        shapes[i].friction = site->def->friction;
        shapes[i].filter = site->def->filter;
        CAIRN_TRY(cairn_shape_create(site->world, spider->body, &shapes[i], NULL));
    }
    return cairn_ok();
}

CairnStatus cairn_build_spider(CairnWorld *world, const CairnSpiderDef *def, CairnSpider *spider) {
    if (!(def->mass > 0) || !(def->stiffness > 0)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "spider: mass = %g and stiffness = %g must be positive", def->mass,
                           def->stiffness);
    }
    double sum = body_mass;
    for (int i = 0; i < CAIRN_SPIDER_LEG_BODIES; i++) {
        sum += CAIRN_SPIDER_LEGS * leg_specs[i].mass;
    }
    Site site = {world, def, def->mass / sum};
    CAIRN_TRY(add_body(&site, spider));
    for (int leg = 0; leg < CAIRN_SPIDER_LEGS; leg++) {
        CAIRN_TRY(add_leg(&site, leg, spider));
    }
    return cairn_ok();
}

static const double stance = 0.6; // fraction of a period that a foot is on the ground: there are always at least three

// A sixth of a turn is left at each end of a stance, in which all six feet stand.
CairnLegTarget cairn_gait_target(const CairnGait *gait, int leg, double time) {
    bool is_first = leg == 0 || leg == 3 || leg == 4; // left front, right middle, left rear
    double ramp = cairn_clamp(time / gait->period, 0, 1), far = gait->swing * ramp, high = gait->lift * ramp;
    double phase = time / gait->period + (is_first ? 0 : 0.5);
    phase -= floor(phase);
    CairnLegTarget target = {.is_stance = phase < stance};
    if (target.is_stance) {
        target.swing = far * (1 - 2 * phase / stance);
        target.swing_rate = -2 * far / (stance * gait->period);
        return target;
    }
    double s = (phase - stance) / (1 - stance), rate = 1 / ((1 - stance) * gait->period);
    target.swing = -far * cos(CAIRN_PI * s);
    target.swing_rate = CAIRN_PI * rate * far * sin(CAIRN_PI * s);
    target.lift = high * sin(CAIRN_PI * s) * sin(CAIRN_PI * s);
    target.lift_rate = CAIRN_PI * rate * high * sin(2 * CAIRN_PI * s);
    return target;
}

double cairn_gait_speed(const CairnGait *gait) {
    return 2 * cairn_spider_reach * sin(gait->swing) / (stance * gait->period);
}

static CairnStatus aim(CairnWorld *world, CairnJointId joint, double position, double velocity) {
    CairnJointDef def;
    CAIRN_TRY(cairn_joint_get_def(world, joint, &def));
    def.axes[CAIRN_RX].target_position = position;
    def.axes[CAIRN_RX].target_velocity = velocity;
    return cairn_joint_set_axis(world, joint, CAIRN_RX, &def.axes[CAIRN_RX]);
}

CairnStatus cairn_spider_drive(CairnWorld *world, const CairnSpider *spider, const CairnGait *gait, double time) {
    for (int leg = 0; leg < CAIRN_SPIDER_LEGS; leg++) {
        CairnLegTarget target = cairn_gait_target(gait, leg, time);
        CAIRN_TRY(aim(world, spider->swing[leg], target.swing, target.swing_rate));
        CAIRN_TRY(aim(world, spider->lift[leg], target.lift, target.lift_rate));
    }
    return cairn_ok();
}

CairnStatus cairn_spider_foot_position(const CairnWorld *world, const CairnSpider *spider, int leg,
                                       CairnVec3 *position) {
    CairnBodyState shin;
    CAIRN_TRY(cairn_body_get(world, spider->leg_bodies[leg][SHIN], &shin));
    CairnVec3 down = {0, 0, 0.5 * (leg_specs[SHIN].from.z - leg_specs[SHIN].to.z)};
    *position = cairn_add(shin.position, cairn_rotate(shin.orientation, down));
    return cairn_ok();
}
