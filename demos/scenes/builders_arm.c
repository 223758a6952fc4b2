#include "demos/scenes/builders_arm.h"

// a and alpha are those of the link before, d along the link's own axis (modified Denavit-Hartenberg, as the maker
// publishes them). Masses as identified by Gaz, Cognetti, Oliva, Robuffo Giordano and De Luca (2019).
typedef struct Link {
    double a, alpha, d, mass;
} Link;

static const Link links[CAIRN_ARM_AXES] = {
    {0, 0, 0.333, 4.97},
    {0, -0.5 * CAIRN_PI, 0, 0.65},
    {0, 0.5 * CAIRN_PI, 0.316, 3.23},
    {0.0825, 0.5 * CAIRN_PI, 0, 3.59},
    {-0.0825, -0.5 * CAIRN_PI, 0.384, 1.23},
    {0, 0.5 * CAIRN_PI, 0, 1.67},
    {0.088, 0.5 * CAIRN_PI, 0, 0.74},
};
static const double flange = 0.107, tube = 0.055;

CairnArmDef cairn_arm_def(void) {
    return (CairnArmDef){.base = cairn_transform_identity(),
                         .angles = {0, -0.25 * CAIRN_PI, 0, -0.75 * CAIRN_PI, 0, 0.5 * CAIRN_PI, 0.25 * CAIRN_PI},
                         .stiffness = 2e4,
                         .damping = 4e2,
                         .group = -1};
}

static CairnTransform along(double x, double z) {
    return (CairnTransform){cairn_vec3(x, 0, z), cairn_quat_identity()};
}

static CairnTransform turn(double x, double z) {
    return (CairnTransform){cairn_vec3(0, 0, 0), x != 0 ? cairn_quat_axis_angle(cairn_vec3(1, 0, 0), x)
                                                        : cairn_quat_axis_angle(cairn_vec3(0, 0, 1), z)};
}

void cairn_arm_frames(const CairnArmDef *def, const double *angles, CairnTransform frames[CAIRN_ARM_AXES + 1]) {
    CairnTransform at = def->base;
    for (int i = 0; i < CAIRN_ARM_AXES; i++) {
        at = cairn_transform_mul(cairn_transform_mul(at, turn(links[i].alpha, 0)), along(links[i].a, 0));
        at = cairn_transform_mul(cairn_transform_mul(at, turn(0, angles[i])), along(0, links[i].d));
        at.q = cairn_quat_normalize(at.q);
        frames[i] = at;
    }
    frames[CAIRN_ARM_AXES] = cairn_transform_mul(at, along(0, flange));
}

// A capsule from the link's frame to the next one; where their origins coincide, back along its own axis.
static CairnStatus add_link(CairnWorld *world, const CairnArmDef *def, const CairnTransform *frames, int i,
                            CairnBodyId *id) {
    CairnBodyDef body = cairn_body_def();
    body.position = frames[i].p;
    body.orientation = frames[i].q;
    body.group = def->group;
    CairnVec3 to = cairn_unrotate(frames[i].q, cairn_sub(frames[i + 1].p, frames[i].p));
    double length = cairn_length(to);
    if (length < 0.05) {
        length = i == 0 ? links[i].d : 0.14; // the first one down to the base
        to = cairn_vec3(0, 0, -length);
    }
    // Neighbours end in the same ball: one is a little thinner, so that only one of them is seen there.
    CairnShapeDef capsule = cairn_capsule((i < 4 ? tube : 0.8 * tube) * (i % 2 ? 0.96 : 1), length);
    capsule.position = cairn_scale(0.5, to);
    capsule.orientation = cairn_quat_between(cairn_vec3(0, 0, 1), cairn_scale(1 / length, to));
    capsule.filter = (CairnFilter){0, 0}; // to be seen, and to have an inertia
    capsule.density = links[i].mass / (CAIRN_PI * capsule.radius * capsule.radius * (length + capsule.radius * 4 / 3));
    return cairn_body_add(world, &body, &capsule, id);
}

static CairnAxis servo(const CairnArmDef *def, double target) {
    CairnAxis axis = cairn_axis();
    axis.mode = CAIRN_AXIS_FREE;
    axis.drive = CAIRN_DRIVE_SPRING;
    axis.stiffness = def->stiffness;
    axis.damping = def->damping;
    axis.target_position = target;
    return axis;
}

CairnStatus cairn_build_arm(CairnWorld *world, const CairnArmDef *def, CairnArm *arm) {
    CairnTransform frames[CAIRN_ARM_AXES + 1];
    *arm = (CairnArm){.def = *def};
    cairn_arm_frames(def, def->angles, frames);
    for (int i = 0; i < CAIRN_ARM_AXES; i++) {
        arm->start[i] = def->angles[i];
        CAIRN_TRY(add_link(world, def, frames, i, &arm->links[i]));
        CairnJointDef joint = cairn_joint_def(CAIRN_JOINT_REVOLUTE);
        joint.body_a = i > 0 ? arm->links[i - 1] : def->mount;
        joint.body_b = arm->links[i];
        CAIRN_TRY(cairn_joint_place(world, &joint, frames[i].p, cairn_rotate(frames[i].q, cairn_vec3(0, 0, 1)),
                                    cairn_rotate(frames[i].q, cairn_vec3(1, 0, 0))));
        joint.axes[CAIRN_RX] = servo(def, 0);
        CAIRN_TRY(cairn_joint_create(world, &joint, &arm->joints[i]));
    }
    return cairn_ok();
}

CairnStatus cairn_arm_aim(CairnWorld *world, const CairnArm *arm, const double *angles) {
    for (int i = 0; i < CAIRN_ARM_AXES; i++) {
        CairnAxis axis = servo(&arm->def, angles[i] - arm->start[i]);
        CAIRN_TRY(cairn_joint_set_axis(world, arm->joints[i], CAIRN_RX, &axis));
    }
    return cairn_ok();
}

// ---- a vehicle -------------------------------------------------------------------------------------------------------------

static const double wheel_radius = 0.165, wheel_width = 0.11, wheel_mass = 2.6, track = 0.555, wheelbase = 0.512;
static const double chassis_mass = 40;

CairnStatus cairn_build_vehicle(CairnWorld *world, CairnVec3 position, double heading, double friction, int group,
                                CairnVehicle *vehicle) {
    CairnTransform at = {cairn_add(position, cairn_vec3(0, 0, wheel_radius)),
                         cairn_quat_axis_angle(cairn_vec3(0, 0, 1), heading)};
    CairnBodyDef body = cairn_body_def();
    body.position = at.p;
    body.orientation = at.q;
    body.group = group;
    CairnShapeDef box = cairn_box(0.9, track - wheel_width - 0.02, 0.24);
    box.position = cairn_vec3(0, 0, 0.08);
    box.friction = friction;
    box.density = chassis_mass / (box.size.x * box.size.y * box.size.z);
    vehicle->deck = cairn_vec3(0.15, 0, 0.2);
    CAIRN_TRY(cairn_body_add(world, &body, &box, &vehicle->chassis));
    CairnVec3 across = cairn_rotate(at.q, cairn_vec3(0, 1, 0)), ahead = cairn_rotate(at.q, cairn_vec3(1, 0, 0));
    for (int i = 0; i < CAIRN_VEHICLE_WHEELS; i++) {
        CairnVec3 hub = cairn_vec3(i < 2 ? 0.5 * wheelbase : -0.5 * wheelbase, i % 2 ? -0.5 * track : 0.5 * track, 0);
        body.position = cairn_transform_point(at, hub);
        body.mass = wheel_mass;
        CairnShapeDef wheel = cairn_cylinder(wheel_radius, wheel_width);
        wheel.orientation = cairn_quat_axis_angle(cairn_vec3(1, 0, 0), 0.5 * CAIRN_PI);
        wheel.friction = friction;
        CAIRN_TRY(cairn_body_add(world, &body, &wheel, &vehicle->wheels[i]));
        CairnJointDef joint = cairn_joint_def(CAIRN_JOINT_REVOLUTE);
        joint.body_a = vehicle->chassis;
        joint.body_b = vehicle->wheels[i];
        CAIRN_TRY(cairn_joint_place(world, &joint, body.position, across, ahead));
        joint.axes[CAIRN_RX].drive = CAIRN_DRIVE_VELOCITY;
        CAIRN_TRY(cairn_joint_create(world, &joint, &vehicle->hubs[i]));
    }
    return cairn_ok();
}

CairnStatus cairn_vehicle_drive(CairnWorld *world, const CairnVehicle *vehicle, double speed) {
    CairnAxis axis = cairn_axis();
    axis.mode = CAIRN_AXIS_FREE;
    axis.drive = CAIRN_DRIVE_VELOCITY;
    axis.target_velocity = speed / wheel_radius;
    for (int i = 0; i < CAIRN_VEHICLE_WHEELS; i++) {
        CAIRN_TRY(cairn_joint_set_axis(world, vehicle->hubs[i], CAIRN_RX, &axis));
    }
    return cairn_ok();
}
