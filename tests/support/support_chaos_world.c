// Random worlds: settings, bodies of all shapes, joints of all kinds.
#include "tests/support/support.h"
#include "tests/support/support_chaos.h"

// What the draws of one world share.
typedef struct Draw {
    uint64_t state;
    SupportChaos *chaos;
    double size;         // m, about which all lengths lie
    double mass, spread; // kg, and the decades that masses lie apart
    CairnVec3 place[SUPPORT_CHAOS_BODIES];
    double radius[SUPPORT_CHAOS_BODIES]; // of the ball around all shapes of a body
    bool is_fixed[SUPPORT_CHAOS_BODIES]; // static or kinematic
} Draw;

static double uniform(Draw *draw, double low, double high) {
    return support_uniform(&draw->state, low, high);
}

// Uniform in the logarithm.
static double decades(Draw *draw, double low, double high) {
    return exp(uniform(draw, log(low), log(high)));
}

static bool chance(Draw *draw, double share) {
    return uniform(draw, 0, 1) < share;
}

static int integer(Draw *draw, int low, int high) {
    return support_int(&draw->state, low, high);
}

// ---- settings ----

static CairnWorldDef draw_settings(Draw *draw, const CairnSolver *solver) {
    CairnWorldDef def = cairn_world_def();
    unsigned traits = solver != NULL ? solver->traits : cairn_solver_at(0)->traits;
    if (chance(draw, 0.2) && (traits & CAIRN_TAKES_BOX_CURRENT) != 0) {
        def.friction = CAIRN_FRICTION_BOX_CURRENT;
    }
    if ((traits & CAIRN_TAKES_COULOMB) != 0) {
        def.friction = chance(draw, 0.5) ? CAIRN_FRICTION_COULOMB : CAIRN_FRICTION_CONE;
    }
    if (chance(draw, 0.5)) {
        double strength = chance(draw, 0.3) ? 0 : decades(draw, 0.1, 100);
        def.gravity = cairn_scale(strength, support_unit(&draw->state));
    }
    if (chance(draw, 0.5)) {
        return def;
    }
    def.integrator = chance(draw, 0.15) ? CAIRN_INTEGRATOR_MIDPOINT : CAIRN_INTEGRATOR_SEMI_IMPLICIT;
    def.friction_mix = (CairnMix)integer(draw, 0, CAIRN_MIX_MULTIPLY);
    def.restitution_mix = (CairnMix)integer(draw, 0, CAIRN_MIX_MULTIPLY);
    def.joint_fraction = uniform(draw, 0, 1);
    def.joint_push = decades(draw, 0.1, 10);
    def.joint_turn = decades(draw, 0.1, 10);
    def.contact_fraction = uniform(draw, 0, 1);
    def.contact_slop = chance(draw, 0.2) ? 0 : decades(draw, 1e-8, 1e-3);
    def.contact_push = decades(draw, 0.1, 10);
    def.contact_margin = chance(draw, 0.2) ? 0 : decades(draw, 1e-4, 0.1);
    def.contact_passes = integer(draw, 1, 8);
    def.restitution_threshold = decades(draw, 1e-3, 1);
    def.gyroscopic = chance(draw, 0.8);
    def.geometric_stiffness = chance(draw, 0.8);
    def.geometric_threshold = decades(draw, 0.1, 10);
    def.geometric_passes = integer(draw, 1, 5);
    def.touch_passes = integer(draw, 1, 4);
    def.sleeping = chance(draw, 0.2);
    return def;
}

// ---- shapes ----

static void draw_material(Draw *draw, CairnShapeDef *shape) {
    shape->friction = chance(draw, 0.2) ? 0 : chance(draw, 0.1) ? decades(draw, 1, 1e3) : uniform(draw, 0, 1.2);
    shape->restitution = chance(draw, 0.5) ? 0 : uniform(draw, 0, 1);
    bool rolls = chance(draw, 0.15);
    shape->rolling_friction = rolls ? draw->size * decades(draw, 1e-4, 0.1) : 0;
    shape->torsional_friction = rolls ? draw->size * decades(draw, 1e-4, 0.1) : 0;
}

// A convex shape about as large as `size`. `points` holds those of a hull.
static CairnShapeDef draw_convex(Draw *draw, double size, CairnVec3 points[16]) {
    CairnShapeDef shape;
    double a = size * decades(draw, 0.1, 1), b = size * decades(draw, 0.1, 1), c = size * decades(draw, 0.1, 1);
    switch (integer(draw, 0, 4)) {
    case 0:
        shape = cairn_sphere(a / 2);
        break;
    case 1:
        shape = cairn_box(a, b, c);
        break;
    case 2:
        shape = cairn_cylinder(a / 2, b);
        break;
    case 3:
        shape = cairn_capsule(a / 2, chance(draw, 0.1) ? 1e-9 * b : b);
        break;
    default: {
        int count = integer(draw, 6, 16);
        for (int i = 0; i < count; i++) {
            CairnVec3 p = support_unit(&draw->state);
            points[i] = cairn_vec3(a * p.x / 2, b * p.y / 2, c * p.z / 2);
        }
        shape = cairn_hull(points, count);
    }
    }
    draw_material(draw, &shape);
    return shape;
}

static double reach_of(const CairnShapeDef *shape) {
    double largest = 0;
    for (int i = 0; i < shape->point_count; i++) {
        largest = fmax(largest, cairn_length(shape->points[i]));
    }
    switch (shape->type) {
    case CAIRN_SHAPE_SPHERE:
        return shape->radius;
    case CAIRN_SHAPE_BOX:
        return cairn_length(shape->size) / 2;
    case CAIRN_SHAPE_CYLINDER:
        return hypot(shape->radius, shape->height / 2);
    case CAIRN_SHAPE_CAPSULE:
        return shape->radius + shape->height / 2;
    default:
        return largest;
    }
}

// ---- bodies ----

static bool is_clear(const Draw *draw, CairnVec3 place, double radius) {
    for (int i = 0; i < draw->chaos->body_count; i++) {
        if (cairn_length(cairn_sub(place, draw->place[i])) <= radius + draw->radius[i]) {
            return false;
        }
    }
    return place.z > radius; // the ground
}

// Where a body begins: clear of all others, or anywhere among them.
static CairnVec3 draw_place(Draw *draw, double radius) {
    double room = draw->size * (draw->chaos->overlaps ? 0.7 : 1.5);
    CairnVec3 place = cairn_vec3(0, 0, 0);
    for (int attempt = 0;; attempt++) {
        double x = uniform(draw, -room, room), y = uniform(draw, -room, room);
        place = cairn_vec3(x, y, uniform(draw, draw->chaos->overlaps ? -0.3 * radius : radius, 2 * room));
        if (draw->chaos->overlaps || is_clear(draw, place, radius)) {
            return place;
        }
        room *= attempt % 8 == 7 ? 1.2 : 1;
    }
}

static CairnStatus add_shapes(Draw *draw, CairnBodyId body, double size, CairnVec3 *center, double *radius) {
    int count = chance(draw, 0.2) ? integer(draw, 2, 3) : 1;
    *radius = 0;
    *center = cairn_vec3(0, 0, 0);
    for (int i = 0; i < count; i++) {
        CairnVec3 points[16];
        CairnShapeDef shape = draw_convex(draw, size, points);
        if (count > 1) {
            shape.position = cairn_scale(0.4 * size, support_unit(&draw->state));
            shape.orientation = support_quat(&draw->state);
        }
        CAIRN_TRY(cairn_shape_create(draw->chaos->world, body, &shape, NULL));
        *radius = fmax(*radius, cairn_length(shape.position) + reach_of(&shape));
    }
    return cairn_ok();
}

static CairnStatus add_body(Draw *draw) {
    SupportChaos *chaos = draw->chaos;
    CairnBodyDef def = cairn_body_def();
    double size = draw->size * decades(draw, 0.2, 1), radius;
    bool is_kinematic = chance(draw, 0.05), is_static = chance(draw, 0.07);
    double speed = chance(draw, 0.3) ? 0 : decades(draw, 1e-3, 30);
    def.type = is_kinematic ? CAIRN_BODY_KINEMATIC : is_static ? CAIRN_BODY_STATIC : CAIRN_BODY_DYNAMIC;
    def.orientation = chance(draw, 0.3) ? cairn_quat_identity() : support_quat(&draw->state);
    if (!is_static) {
        def.velocity = cairn_scale(is_kinematic ? fmin(speed, 1) : speed, support_unit(&draw->state));
        def.angular_velocity = cairn_scale(is_kinematic ? fmin(speed, 1) : speed / size, support_unit(&draw->state));
    }
    double mass = fmin(fmax(draw->mass * decades(draw, pow(10, -draw->spread), pow(10, draw->spread)), 1e-6), 1e6);
    def.mass = is_kinematic || is_static ? 0 : mass;
    def.gravity_scale = chance(draw, 0.1) ? uniform(draw, -1, 2) : 1;
    def.linear_damping = chance(draw, 0.1) ? decades(draw, 1e-2, 10) : 0;
    def.angular_damping = chance(draw, 0.1) ? decades(draw, 1e-2, 10) : 0;
    chaos->gravity_scale[chaos->body_count] = def.gravity_scale;
    CairnBodyId *id = &chaos->bodies[chaos->body_count];
    CAIRN_TRY(cairn_body_create(chaos->world, &def, id));
    CairnVec3 center;
    CAIRN_TRY(add_shapes(draw, *id, size, &center, &radius));
    CairnVec3 place = draw_place(draw, radius);
    CAIRN_TRY(cairn_body_set_pose(chaos->world, *id, place, def.orientation));
    draw->place[chaos->body_count] = place;
    draw->radius[chaos->body_count] = radius;
    draw->is_fixed[chaos->body_count] = def.type != CAIRN_BODY_DYNAMIC;
    chaos->body_count += 1;
    return cairn_ok();
}

// Ground: none, a half-space, a large box, or a mesh of hills that reach up to z = 0.
static CairnStatus add_ground(Draw *draw) {
    enum { SIDE = 9 };
    CairnBodyDef def = cairn_body_def();
    CairnVec3 points[SIDE * SIDE];
    double heights[SIDE * SIDE], length = 8 * draw->size;
    int indices[6 * (SIDE - 1) * (SIDE - 1)], kind = integer(draw, 0, 3);
    CairnShapeDef shape = cairn_half_space();
    def.type = CAIRN_BODY_STATIC;
    if (kind == 1) {
        shape = cairn_box(length, length, draw->size);
        def.position.z = -draw->size / 2;
    } else if (kind == 2) {
        for (int i = 0; i < SIDE * SIDE; i++) {
            heights[i] = -draw->size * (chance(draw, 0.5) ? 0 : uniform(draw, 0, 0.2));
        }
        CairnHeightGrid grid = {SIDE, SIDE, length / (SIDE - 1), length / (SIDE - 1), heights};
        CAIRN_TRY(cairn_height_field(grid, points, indices, &shape));
        def.position = cairn_vec3(-length / 2, -length / 2, 0);
    }
    draw_material(draw, &shape);
    return kind < 3 ? cairn_body_add(draw->chaos->world, &def, &shape, NULL) : cairn_ok();
}

// ---- joints ----

static void draw_drive(Draw *draw, CairnAxis *axis, bool is_length, double mass) {
    double length = is_length ? draw->size : 1, inertia = is_length ? mass : mass * draw->size * draw->size;
    axis->drive = chance(draw, 0.5) ? CAIRN_DRIVE_VELOCITY : CAIRN_DRIVE_SPRING;
    axis->target_velocity = length * uniform(draw, -3, 3);
    axis->target_position = length * uniform(draw, -0.5, 0.5);
    axis->max_force = chance(draw, 0.4) ? HUGE_VAL : inertia * length * decades(draw, 0.1, 1e3);
    if (chance(draw, 0.5)) {
        axis->spring_unit = CAIRN_SPRING_FREQUENCY;
        axis->stiffness = decades(draw, 0.1, 100);
        axis->damping = chance(draw, 0.3) ? 0 : uniform(draw, 0, 2);
    } else {
        axis->stiffness = inertia * decades(draw, 1, 1e6);
        axis->damping = chance(draw, 0.3) ? 0 : inertia * decades(draw, 1e-2, 1e3);
    }
}

// Which coordinates of a type take settings, as bits from X on.
static const unsigned settable[CAIRN_JOINT_TYPE_COUNT] = {
    [CAIRN_JOINT_REVOLUTE] = 1 << CAIRN_RX,
    [CAIRN_JOINT_UNIVERSAL] = 1 << CAIRN_RX | 1 << CAIRN_RY,
    [CAIRN_JOINT_PRISMATIC] = 1 << CAIRN_X,
    [CAIRN_JOINT_CYLINDRICAL] = 1 << CAIRN_X | 1 << CAIRN_RX,
    [CAIRN_JOINT_DISTANCE] = 1 << CAIRN_X,
    [CAIRN_JOINT_PLANAR] = 1 << CAIRN_Y | 1 << CAIRN_Z | 1 << CAIRN_RX,
    [CAIRN_JOINT_WHEEL] = 1 << CAIRN_X | 1 << CAIRN_RX | 1 << CAIRN_RY,
    [CAIRN_JOINT_SIX_DOF] = (1 << CAIRN_AXIS_COUNT) - 1,
};

static void draw_axes(Draw *draw, CairnJointDef *def, double mass) {
    for (int axis = 0; axis < CAIRN_AXIS_COUNT; axis++) {
        CairnAxis *settings = &def->axes[axis];
        bool is_length = axis < CAIRN_RX, is_rod = def->type == CAIRN_JOINT_DISTANCE;
        double reach = is_length ? draw->size : 1;
        if ((settable[def->type] & 1u << axis) == 0 || chance(draw, 0.4)) {
            continue;
        }
        bool is_limited = chance(draw, 0.5);
        settings->mode = is_limited ? CAIRN_AXIS_LIMITED : CAIRN_AXIS_FREE;
        if (is_limited) { // around the start, where a clean joint stands
            double at = is_rod ? reach : 0;
            settings->lower = is_rod ? 0 : at - reach * uniform(draw, 0, 1);
            settings->upper = at + (is_rod ? 4 : 1) * reach * uniform(draw, 0, 1);
        }
        if (chance(draw, 0.4)) {
            draw_drive(draw, settings, is_length, mass);
        }
        settings->compliance = chance(draw, 0.8) ? 0 : decades(draw, 1e-10, 1e-3);
    }
}

static CairnStatus place_joint(Draw *draw, CairnJointDef *def, int a, int b) {
    CairnWorld *world = draw->chaos->world;
    CairnVec3 from = a >= 0 ? draw->place[a] : cairn_vec3(draw->place[b].x, draw->place[b].y, 3 * draw->size);
    CairnVec3 point = cairn_add_scaled(from, uniform(draw, 0, 1), cairn_sub(draw->place[b], from));
    CairnVec3 x = support_unit(&draw->state);
    if (chance(draw, 0.3)) { // far from both
        point = cairn_add_scaled(point, draw->size * uniform(draw, 0, 1), support_unit(&draw->state));
    }
    CAIRN_TRY(cairn_joint_place(world, def, point, x, support_unit(&draw->state)));
    if (def->type == CAIRN_JOINT_DISTANCE && !chance(draw, 0.3)) { // else a rod of no length
        double length = draw->size * (chance(draw, 0.2) ? decades(draw, 1e-12, 1e-2) : decades(draw, 1e-2, 0.5));
        def->frame_b.p = cairn_add_scaled(def->frame_b.p, length, support_unit(&draw->state));
    }
    if (draw->chaos->overlaps && chance(draw, 0.5)) { // apart
        def->frame_b.p =
            cairn_add_scaled(def->frame_b.p, draw->size * decades(draw, 1e-6, 1), support_unit(&draw->state));
        CairnQuat turn = support_quat(&draw->state);
        def->frame_b.q = chance(draw, 0.5) ? turn : def->frame_b.q;
    }
    return cairn_ok();
}

static CairnStatus add_joint(Draw *draw) {
    SupportChaos *chaos = draw->chaos;
    int b = integer(draw, 0, chaos->body_count - 1), a = integer(draw, -1, chaos->body_count - 1);
    CairnJointType type = (CairnJointType)integer(draw, 0, CAIRN_JOINT_GEAR - 1);
    bool fixes_a = a < 0 || draw->is_fixed[a];
    if (a == b || (fixes_a && draw->is_fixed[b])) {
        return cairn_ok();
    }
    CairnBodyState state;
    CAIRN_TRY(cairn_body_get(chaos->world, chaos->bodies[draw->is_fixed[b] ? a : b], &state));
    CairnJointDef def = cairn_joint_def(type);
    def.body_a = a >= 0 ? chaos->bodies[a] : (CairnBodyId){0, 0, 0};
    def.body_b = chaos->bodies[b];
    def.collide_connected = chaos->overlaps && chance(draw, 0.2);
    draw_axes(draw, &def, state.mass.mass);
    CAIRN_TRY(place_joint(draw, &def, a, b));
    CAIRN_TRY(cairn_joint_create(chaos->world, &def, &chaos->joints[chaos->joint_count]));
    chaos->joint_count += 1;
    return cairn_ok();
}

// A gear between two joints that can be geared, where there are such.
static CairnStatus add_gear(Draw *draw) {
    SupportChaos *chaos = draw->chaos;
    CairnJointDef def = cairn_joint_def(CAIRN_JOINT_GEAR);
    int found = 0;
    for (int j = 0; j < chaos->joint_count && found < 2; j++) {
        CairnJointDef other;
        CAIRN_TRY(cairn_joint_get_def(chaos->world, chaos->joints[j], &other));
        if (other.type == CAIRN_JOINT_REVOLUTE || other.type == CAIRN_JOINT_CYLINDRICAL ||
            other.type == CAIRN_JOINT_PRISMATIC || other.type == CAIRN_JOINT_WHEEL) {
            *(found == 0 ? &def.joint_a : &def.joint_b) = chaos->joints[j];
            found++;
        }
    }
    def.ratio = (chance(draw, 0.5) ? -1 : 1) * decades(draw, 0.1, 10);
    return found == 2 ? cairn_joint_create(chaos->world, &def, NULL) : cairn_ok();
}

// ---- the world ----

CairnStatus support_chaos_build(uint64_t seed, bool overlaps, const CairnSolver *solver, SupportChaos *chaos) {
    Draw draw = {.state = seed, .chaos = chaos};
    draw.state = support_random(&draw.state) ^ (overlaps ? 0x5bd1e995u : 0);
    *chaos = (SupportChaos){.overlaps = overlaps};
    chaos->h = decades(&draw, 1e-4, 0.05);
    draw.size = decades(&draw, 0.1, 10);
    draw.spread = chance(&draw, 0.5) ? 1 : 6;
    draw.mass = draw.spread > 1 ? 1 : decades(&draw, 1e-5, 1e5);
    CairnWorldDef def = draw_settings(&draw, solver);
    CAIRN_TRY(cairn_world_create(&def, &chaos->world));
    if (solver != NULL) {
        CAIRN_TRY(cairn_world_set_solver(chaos->world, solver, NULL));
    }
    CAIRN_TRY(add_ground(&draw));
    int bodies = integer(&draw, 1, SUPPORT_CHAOS_BODIES);
    for (int i = 0; i < bodies; i++) {
        CAIRN_TRY(add_body(&draw));
    }
    int joints = chance(&draw, 0.3) ? 0 : integer(&draw, 0, bodies);
    for (int j = 0; j < joints; j++) {
        CAIRN_TRY(add_joint(&draw));
    }
    return chance(&draw, 0.3) ? add_gear(&draw) : cairn_ok();
}
