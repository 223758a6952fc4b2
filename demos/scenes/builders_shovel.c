#include "demos/scenes/builders_shovel.h"

static const double raised = 0.5, clearance = 0.01; // m, before it comes down, and when it is down
static const double ramp = 0.5;                     // s, to its speed and back

CairnShovelDef cairn_shovel_def(void) {
    return (CairnShovelDef){
        .mass = 1, .width = 2.4, .height = 1.1, .friction = 0.6, .wait = 1.5, .speed = 0.8, .push = 4};
}

// A smooth step from 0 to 1 within `duration` and its rate.
static double ease(double time, double duration, double *rate) {
    double s = cairn_clamp(time / duration, 0, 1);
    *rate = 6 * s * (1 - s) / duration;
    return s * s * (3 - 2 * s);
}

// From rest to the full speed within `ramp`, and back to rest at the end.
CairnShovelTarget cairn_shovel_target(const CairnShovelDef *def, double time) {
    CairnShovelTarget target;
    double rate, down = ease(time, 0.8 * def->wait, &rate);
    target.z = raised * (1 - down);
    target.speed_z = -raised * rate;
    double t = cairn_clamp(time - def->wait, 0, cairn_shovel_end(def) - def->wait);
    double duration = cairn_shovel_end(def) - def->wait, soft = fmin(ramp, 0.5 * duration);
    double top = def->push / (duration - soft); // the speed that covers the distance with both ramps
    double early = fmin(t, soft), late = fmax(t - (duration - soft), 0);
    target.speed_x = top * fmin(early, soft - late) / soft;
    target.x = top * (0.5 * early * early / soft + fmax(t - soft, 0) - 0.5 * late * late / soft);
    return target;
}

double cairn_shovel_end(const CairnShovelDef *def) {
    return def->wait + def->push / def->speed + ramp;
}

// The blade: a plate and two wings turned forward, so that what it pushes stays in the middle.
static CairnStatus add_plates(CairnWorld *world, const CairnShovelDef *def, CairnBodyId blade) {
    const double thick = 0.05, turn = 25 * CAIRN_PI / 180;
    double middle = 0.7 * def->width, wing = 0.5 * (def->width - middle) / cos(turn);
    for (int side = -1; side <= 1; side++) {
        CairnShapeDef plate = cairn_box(thick, side ? wing : middle, def->height);
        plate.position =
            cairn_vec3(side ? 0.5 * wing * sin(turn) : 0, 0.5 * side * (middle + wing * cos(turn)), 0.5 * def->height);
        plate.orientation = cairn_quat_axis_angle(cairn_vec3(0, 0, 1), -side * turn);
        plate.friction = def->friction;
        CAIRN_TRY(cairn_shape_create(world, blade, &plate, NULL));
    }
    return cairn_ok();
}

static CairnStatus add_body(CairnWorld *world, CairnVec3 position, double mass, CairnVec3 inertia, CairnBodyId *id) {
    CairnBodyDef body = cairn_body_def();
    body.position = position;
    body.mass = mass;
    body.inertia = inertia;
    return cairn_body_create(world, &body, id);
}

CairnStatus cairn_build_shovel(CairnWorld *world, const CairnShovelDef *def, CairnShovel *shovel) {
    if (!(def->mass > 0) || !(def->speed > 0) || !(def->push > 0) || !(def->wait > 0)) {
        return cairn_error(CAIRN_INVALID_ARGUMENT,
                           "shovel: mass = %g, speed = %g, push = %g and wait = %g must be positive", def->mass,
                           def->speed, def->push, def->wait);
    }
    shovel->def = *def;
    CairnVec3 foot = cairn_add(def->start, cairn_vec3(0, 0, raised + clearance)), back = {-0.5, 0, 0.6 * def->height};
    double w = def->mass * def->width * def->width / 12, h = def->mass * def->height * def->height / 12;
    CAIRN_TRY(add_body(world, foot, def->mass, cairn_vec3(w + h, h, w), &shovel->blade));
    CAIRN_TRY(add_plates(world, def, shovel->blade));
    CairnVec3 hitch = cairn_add(foot, back);
    CAIRN_TRY(add_body(world, hitch, def->mass, cairn_vec3(w, h, w), &shovel->carriage));
    for (int i = -1; i <= 1; i++) { // a cross beam and two arms
        CairnShapeDef beam = i ? cairn_box(0.45, 0.1, 0.1) : cairn_box(0.15, 0.7 * def->width, 0.15);
        beam.position = i ? cairn_vec3(0.25, 0.3 * i * def->width, 0) : cairn_vec3(0, 0, 0);
        CAIRN_TRY(cairn_shape_create(world, shovel->carriage, &beam, NULL));
    }

    CairnJointDef joint = cairn_joint_def(CAIRN_JOINT_PRISMATIC);
    joint.body_b = shovel->carriage;
    joint.axes[CAIRN_X].drive = CAIRN_DRIVE_SPRING;
    joint.axes[CAIRN_X].stiffness = 1e8;
    joint.axes[CAIRN_X].damping = 1e6;
    CAIRN_TRY(cairn_joint_place(world, &joint, hitch, cairn_vec3(1, 0, 0), cairn_vec3(0, 0, 0)));
    CAIRN_TRY(cairn_joint_create(world, &joint, &shovel->drive));
    joint.body_a = shovel->carriage;
    joint.body_b = shovel->blade;
    CAIRN_TRY(cairn_joint_place(world, &joint, foot, cairn_vec3(0, 0, 1), cairn_vec3(1, 0, 0)));
    return cairn_joint_create(world, &joint, &shovel->lift);
}

static CairnStatus aim(CairnWorld *world, CairnJointId joint, double position, double velocity) {
    CairnJointDef def;
    CAIRN_TRY(cairn_joint_get_def(world, joint, &def));
    def.axes[CAIRN_X].target_position = position;
    def.axes[CAIRN_X].target_velocity = velocity;
    return cairn_joint_set_axis(world, joint, CAIRN_X, &def.axes[CAIRN_X]);
}

CairnStatus cairn_shovel_drive(CairnWorld *world, const CairnShovel *shovel, double time) {
    CairnShovelTarget target = cairn_shovel_target(&shovel->def, time);
    CAIRN_TRY(aim(world, shovel->drive, target.x, target.speed_x));
    return aim(world, shovel->lift, target.z - raised, target.speed_z);
}
