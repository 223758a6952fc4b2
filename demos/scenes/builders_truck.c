#include "demos/scenes/builders_truck.h"

typedef enum Tie {
    ROOT = 0,
    WELD,  // held in all six
    AXLE,  // springs up and down, rolls a little; the rest is held
    HUB,   // turns about the axle, braked
    STEER, // turns about the upright, held by a stiff servo and the rod
    ROD,   // a bar with a ball at its other end
    HINGE, // about y, held by a stiff servo: the bed, its tailgate, the ram's foot
    SLIDE, // along z: the ram
    SHAFT  // turns along x
} Tie;

typedef enum Form { BLOCK, WHEEL, TUBE_X, TUBE_Y, TUBE_Z, TRAY } Form;

typedef struct BodySpec {
    Form form;
    CairnVec3 size;     // BLOCK, TRAY: edges; others: x the radius, z the length
    CairnVec3 position; // of its middle
    double mass;
    int parent;
    Tie tie;
    CairnVec3 joint; // where it is tied
} BodySpec;

enum { BED = 6, RAM = 9, RIGHT_UPRIGHT = 13, TIE_ROD = 14 };

// Masses are in proportion; their sum is scaled to the truck's.
static const BodySpec specs[CAIRN_TRUCK_BODIES] = {
    {BLOCK, {5.6, 0.9, 0.24}, {0, 0, 0.95}, 1600, -1, ROOT, {0, 0, 0}},
    {BLOCK, {1.5, 2.1, 1.45}, {2.0, 0, 1.85}, 700, 0, WELD, {2.0, 0, 1.1}},
    {BLOCK, {1.0, 0.7, 0.5}, {2.0, 0, 0.75}, 700, 0, WELD, {2.0, 0, 0.85}},
    {BLOCK, {0.25, 2.2, 0.35}, {2.9, 0, 0.75}, 150, 0, WELD, {2.8, 0, 0.9}},
    {TUBE_X, {0.28, 0, 1.1}, {0.5, 0.75, 0.75}, 150, 0, WELD, {0.5, 0.45, 0.85}},
    {TUBE_Z, {0.07, 0, 1.9}, {1.1, -0.95, 1.85}, 40, 0, WELD, {1.1, -0.45, 0.95}},
    {TRAY, {3.5, 2.3, 0.9}, {-1.0, 0, 1.25}, 1500, 0, HINGE, {-2.6, 0, 1.15}},
    {BLOCK, {0.08, 2.3, 0.8}, {-2.8, 0, 1.65}, 160, 6, HINGE, {-2.78, 0, 2.05}},
    {TUBE_Z, {0.1, 0, 0.3}, {0.3, 0, 0.9}, 80, 0, HINGE, {0.3, 0, 0.85}},
    {TUBE_Z, {0.07, 0, 0.3}, {0.3, 0, 1.05}, 40, 8, SLIDE, {0.3, 0, 1.0}},
    {TUBE_Y, {0.09, 0, 1.7}, {1.9, 0, 0.5}, 300, 0, AXLE, {1.9, 0, 0.5}},
    {TUBE_Y, {0.12, 0, 1.7}, {-1.5, 0, 0.5}, 500, 0, AXLE, {-1.5, 0, 0.5}},
    {BLOCK, {0.2, 0.15, 0.3}, {1.9, 0.85, 0.5}, 40, 10, STEER, {1.9, 0.85, 0.5}},
    {BLOCK, {0.2, 0.15, 0.3}, {1.9, -0.85, 0.5}, 40, 10, STEER, {1.9, -0.85, 0.5}},
    {TUBE_Y, {0.03, 0, 1.7}, {1.65, 0, 0.5}, 20, 12, ROD, {1.65, 0.85, 0.5}},
    {TUBE_X, {0.05, 0, 2.2}, {-0.2, 0, 0.6}, 80, 0, SHAFT, {0.9, 0, 0.6}},
    {WHEEL, {0.5, 0, 0.3}, {1.9, 1.05, 0.5}, 300, 12, HUB, {1.9, 1.05, 0.5}},
    {WHEEL, {0.5, 0, 0.3}, {1.9, -1.05, 0.5}, 300, 13, HUB, {1.9, -1.05, 0.5}},
    {WHEEL, {0.5, 0, 0.28}, {-1.5, 0.75, 0.5}, 325, 11, HUB, {-1.5, 0.75, 0.5}},
    {WHEEL, {0.5, 0, 0.28}, {-1.5, -0.75, 0.5}, 325, 11, HUB, {-1.5, -0.75, 0.5}},
    {WHEEL, {0.5, 0, 0.28}, {-1.5, 1.1, 0.5}, 325, 11, HUB, {-1.5, 1.1, 0.5}},
    {WHEEL, {0.5, 0, 0.28}, {-1.5, -1.1, 0.5}, 325, 11, HUB, {-1.5, -1.1, 0.5}},
};

CairnTruckDef cairn_truck_def(void) {
    return (CairnTruckDef){.pose = cairn_transform_identity(),
                           .mass = 8000,
                           .friction = 0.6,
                           .suspension = 2.5e5,
                           .shock = 2.5e4,
                           .group = -1,
                           .filter = {1, ~(uint64_t)0}};
}

static CairnStatus add_shape(CairnWorld *world, CairnBodyId body, const CairnTruckDef *def, CairnShapeDef shape) {
    shape.friction = def->friction;
    shape.filter = def->filter;
    return cairn_shape_create(world, body, &shape, NULL);
}

static CairnStatus add_form(CairnWorld *world, CairnBodyId body, const CairnTruckDef *def, const BodySpec *spec) {
    const CairnVec3 x = {1, 0, 0}, y = {0, 1, 0}, s = spec->size;
    if (spec->form == BLOCK) {
        return add_shape(world, body, def, cairn_box(s.x, s.y, s.z));
    }
    if (spec->form == TRAY) { // a floor, two sides and a front
        const double thick = 0.1;
        CAIRN_TRY(add_shape(world, body, def, cairn_box(s.x, s.y, thick)));
        for (int side = -1; side <= 1; side++) {
            CairnShapeDef wall = side ? cairn_box(s.x, thick, s.z) : cairn_box(thick, s.y, s.z);
            wall.position = cairn_vec3(side ? 0 : 0.5 * (s.x - thick), 0.5 * side * (s.y - thick), 0.5 * (s.z + thick));
            CAIRN_TRY(add_shape(world, body, def, wall));
        }
        return cairn_ok();
    }
    CairnShapeDef tube = cairn_cylinder(s.x, s.z);
    if (spec->form != TUBE_Z) {
        tube.orientation = cairn_quat_axis_angle(spec->form == TUBE_X ? y : x, 0.5 * CAIRN_PI);
    }
    return add_shape(world, body, def, tube);
}

static void set_spring(CairnAxis *axis, double stiffness, double damping) {
    axis->mode = CAIRN_AXIS_FREE;
    axis->drive = CAIRN_DRIVE_SPRING;
    axis->stiffness = stiffness;
    axis->damping = damping;
}

// The joint between a body and its parent; *x and *y are the joint's axes.
static CairnJointDef tie_of(const CairnTruckDef *def, Tie tie, CairnVec3 *x, CairnVec3 *y) {
    const CairnJointType types[] = {
        [WELD] = CAIRN_JOINT_FIXED,      [AXLE] = CAIRN_JOINT_SIX_DOF,  [HUB] = CAIRN_JOINT_REVOLUTE,
        [STEER] = CAIRN_JOINT_REVOLUTE,  [ROD] = CAIRN_JOINT_UNIVERSAL, [HINGE] = CAIRN_JOINT_REVOLUTE,
        [SLIDE] = CAIRN_JOINT_PRISMATIC, [SHAFT] = CAIRN_JOINT_REVOLUTE};
    CairnJointDef joint = cairn_joint_def(types[tie]);
    *x = tie == STEER || tie == SLIDE ? cairn_vec3(0, 0, 1) : cairn_vec3(0, 1, 0);
    *y = cairn_vec3(1, 0, 0);
    if (tie == AXLE || tie == SHAFT) {
        *x = cairn_vec3(1, 0, 0);
        *y = cairn_vec3(0, 1, 0);
    }
    if (tie == ROD) {
        *x = cairn_vec3(1, 0, 0);
        *y = cairn_vec3(0, 0, 1);
    }
    if (tie == AXLE) {
        set_spring(&joint.axes[CAIRN_Z], def->suspension, def->shock);
        set_spring(&joint.axes[CAIRN_RX], 0.5 * def->suspension, 0.5 * def->shock);
    }
    if (tie == HINGE || tie == STEER) {
        set_spring(&joint.axes[CAIRN_RX], 1e6, 1e5);
    }
    if (tie == HUB) {
        joint.axes[CAIRN_RX].drive = CAIRN_DRIVE_VELOCITY;
        joint.axes[CAIRN_RX].max_force = 2000;
    }
    return joint;
}

static CairnStatus join(CairnWorld *world, const CairnTruckDef *def, CairnJointDef joint, CairnVec3 point, CairnVec3 x,
                        CairnVec3 y, CairnJointId *id) {
    CAIRN_TRY(cairn_joint_place(world, &joint, cairn_transform_point(def->pose, point), cairn_rotate(def->pose.q, x),
                                cairn_rotate(def->pose.q, y)));
    return cairn_joint_create(world, &joint, id);
}

// The rod ends on the other upright, the ram under the bed.
static CairnStatus close_loops(CairnWorld *world, const CairnTruckDef *def, const CairnTruck *truck) {
    const CairnVec3 up = {0, 0, 1}, ahead = {1, 0, 0};
    CairnJointDef ball = cairn_joint_def(CAIRN_JOINT_BALL);
    ball.body_a = truck->bodies[RIGHT_UPRIGHT];
    ball.body_b = truck->bodies[TIE_ROD];
    CAIRN_TRY(join(world, def, ball, cairn_vec3(1.65, -0.85, 0.5), up, ahead, NULL));
    ball.body_a = truck->bodies[RAM];
    ball.body_b = truck->bodies[BED];
    return join(world, def, ball, cairn_vec3(0.3, 0, 1.2), up, ahead, NULL);
}

CairnStatus cairn_build_truck(CairnWorld *world, const CairnTruckDef *def, CairnTruck *truck) {
    if (!(def->mass > 0)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT, "truck: mass = %g must be positive", def->mass);
    }
    double sum = 0;
    for (int i = 0; i < CAIRN_TRUCK_BODIES; i++) {
        sum += specs[i].mass;
    }
    for (int i = 0; i < CAIRN_TRUCK_BODIES; i++) {
        const BodySpec *spec = &specs[i];
        CairnBodyDef body = cairn_body_def();
        body.position = cairn_transform_point(def->pose, spec->position);
        body.orientation = def->pose.q;
        body.group = def->group;
        body.mass = def->mass * spec->mass / sum;
        CAIRN_TRY(cairn_body_create(world, &body, &truck->bodies[i]));
        CAIRN_TRY(add_form(world, truck->bodies[i], def, spec));
    }
    for (int i = 1; i < CAIRN_TRUCK_BODIES; i++) {
        const BodySpec *spec = &specs[i];
        CairnVec3 x, y;
        CairnJointDef joint = tie_of(def, spec->tie, &x, &y);
        joint.body_a = truck->bodies[spec->parent];
        joint.body_b = truck->bodies[i];
        CAIRN_TRY(join(world, def, joint, spec->joint, x, y, i == BED ? &truck->bed : NULL));
    }
    return close_loops(world, def, truck);
}
