// A ball rolls down a ramp and out over the floor. Without slip it gains (5/7) g sin(slope), because two sevenths of
// the work go into its spin; where friction is below (2/7) tan(slope) it slips as well and gains g (sin - mu cos).
#include "demos/scenes/builders.h"

typedef struct Params {
    double slope, friction, length;
} Params;

static const CairnField fields[] = {
    CAIRN_FIELD_DOUBLE(Params, slope, 20, 5, 40, 0, "deg", "slope of the ramp"),
    CAIRN_FIELD_DOUBLE(Params, friction, 0.6, 0.02, 1, 0, "", "below (2/7) tan(slope) the ball slips"),
    CAIRN_FIELD_DOUBLE(Params, length, 6, 2, 20, 0, "m", "length of the ramp"),
};

static const double radius = 0.35;

static CairnStatus build(CairnSceneRun *run) {
    const Params *params = run->params;
    double slope = params->slope * CAIRN_PI / 180;
    CairnVec3 down = {cos(slope), 0, -sin(slope)}, normal = {sin(slope), 0, cos(slope)};
    CAIRN_TRY(cairn_build_ground(run->world, params->friction, 0));

    // The ramp's upper face ends at the origin, level with the ground.
    CairnVec3 middle = cairn_add_scaled(cairn_scale(-0.5 * params->length, down), -0.1, normal);
    CAIRN_TRY(cairn_build_static_box(run->world, middle, cairn_vec3(0, slope, 0), cairn_vec3(params->length, 1.6, 0.2),
                                     params->friction, NULL));
    CairnBodyDef body = cairn_body_def();
    body.position = cairn_add_scaled(cairn_scale(-(params->length - radius), down), radius, normal);
    CairnShapeDef ball = cairn_sphere(radius);
    ball.friction = params->friction;
    return cairn_body_add(run->world, &body, &ball, run->memory);
}

static CairnStatus check(const CairnSceneRun *run, double time, const CairnStats *stats) {
    const Params *params = run->params;
    const CairnBodyId *ball = run->memory;
    CAIRN_TRY(cairn_check_sound(run, time, stats, "sphere_on_incline"));
    CairnBodyState state;
    CAIRN_TRY(cairn_body_get(run->world, *ball, &state));
    double slope = params->slope * CAIRN_PI / 180;
    double g = -cairn_world_settings(run->world).gravity.z;
    double rolling = 5.0 / 7 * g * sin(slope), slipping = g * (sin(slope) - params->friction * cos(slope));
    double speed = fmax(rolling, slipping) * time;
    // The contact gives way: by so much it is nearer to the centre, and so far it slips until it bears.
    double give = cairn_world_contact_give(run->world) * (speed / radius + 1 / time);
    bool is_on_ramp = 0.5 * speed * time < params->length - 3 * radius;
    if (is_on_ramp && fabs(cairn_length(state.velocity) - speed) > 1e-6 * (1 + speed) + give) {
        return cairn_error(CAIRN_NUMERIC, "sphere_on_incline: rolls at %.9g m/s, should be %.9g m/s at %.6g s",
                           cairn_length(state.velocity), speed, time);
    }
    return cairn_ok();
}

const CairnScene cairn_scene_sphere_on_incline = {
    .name = "sphere_on_incline",
    .summary = "a ball rolls down a ramp, five sevenths as fast as it would slide",
    .watch = "The stripes show that it rolls; try --param friction=0.05 and see it slip.",
    .params = CAIRN_FIELD_TABLE("sphere_on_incline", Params, fields),
    .memory_size = sizeof(CairnBodyId),
    .step = 1.0 / 60,
    .steps = 210,
    .camera = {.eye = {1.2, -10.5, 3.6}, .target = {-1.2, 0, 0.7}, .fov = 38},
    .build = build,
    .check = check,
};
