// A fast top leans by 30 degrees and does not fall: it walks round the vertical (steady precession).
//
// With the moments I1 (about the pivot) and I3, spin w3 about its axis and lean theta, the rate Omega of a steady
// precession solves  I1 cos(theta) Omega^2 - I3 w3 Omega + m g l = 0;  the slow root is what one sees. 1.252576 rad/s
// with the defaults.
#include "demos/scenes/builders.h"

typedef struct Params {
    double spin, lean;
} Params;

static const CairnField fields[] = {
    CAIRN_FIELD_DOUBLE(Params, spin, 80, 40, 120, 0, "rad/s", "angular velocity about the top's own axis"),
    CAIRN_FIELD_DOUBLE(Params, lean, 30, 5, 60, 0, "deg", "how far the axis leans from the vertical"),
};

static const double mass = 0.5, arm = 0.08, I1_center = 0.003, I3 = 0.004, stand = 0.12;

static double precession_rate(const Params *params, double g) {
    double I1 = I1_center + mass * arm * arm, momentum = I3 * params->spin;
    double a = I1 * cos(params->lean * CAIRN_PI / 180), c = mass * g * arm;
    return 2 * c / (momentum + sqrt(momentum * momentum - 4 * a * c)); // the slow root without cancellation
}

// What is seen of the top: a disc of eight crossed bars, a stem and a knob. Its mass and inertia are given, not theirs.
static CairnStatus add_shapes(CairnWorld *world, CairnBodyId top) {
    for (int i = 0; i < 8; i++) {
        CairnShapeDef bar = cairn_box(0.2, 0.2 * tan(CAIRN_PI / 16), 0.03);
        bar.position.z = arm;
        bar.orientation = cairn_quat_axis_angle(cairn_vec3(0, 0, 1), i * CAIRN_PI / 8);
        CAIRN_TRY(cairn_shape_create(world, top, &bar, NULL));
    }
    CairnShapeDef stem = cairn_box(0.014, 0.014, 0.17);
    stem.position.z = 0.085;
    CAIRN_TRY(cairn_shape_create(world, top, &stem, NULL));
    CairnShapeDef knob = cairn_sphere(0.016);
    knob.position.z = 0.175;
    return cairn_shape_create(world, top, &knob, NULL);
}

static CairnStatus build(CairnSceneRun *run) {
    const Params *params = run->params;
    CairnBodyId *top = run->memory, pole;
    double lean = params->lean * CAIRN_PI / 180;
    double rate = precession_rate(params, -cairn_world_settings(run->world).gravity.z);
    CAIRN_TRY(cairn_build_ground(run->world, 0.5, 0));
    CAIRN_TRY(cairn_build_static_box(run->world, cairn_vec3(0, 0, 0.5 * stand), cairn_vec3(0, 0, 0),
                                     cairn_vec3(0.02, 0.02, stand), 0.5, &pole));

    CairnVec3 axis = {sin(lean), 0, cos(lean)};
    CairnBodyDef body = cairn_body_def();
    body.position = cairn_vec3(0, 0, stand); // the tip is the origin of the body's frame
    body.orientation = cairn_quat_axis_angle(cairn_vec3(0, 1, 0), lean);
    body.mass = mass;
    body.center = cairn_vec3(0, 0, arm);
    body.inertia = cairn_vec3(I1_center, I1_center, I3);
    CAIRN_TRY(cairn_body_create(run->world, &body, top));
    CAIRN_TRY(add_shapes(run->world, *top));
    CairnVec3 spin = cairn_add_scaled(cairn_vec3(0, 0, rate), params->spin - rate * cos(lean), axis);
    CAIRN_TRY(cairn_body_set_velocity(run->world, *top, cairn_cross(spin, cairn_scale(arm, axis)), spin));

    CairnJointDef pivot = cairn_joint_def(CAIRN_JOINT_BALL);
    pivot.body_a = pole;
    pivot.body_b = *top;
    CAIRN_TRY(cairn_joint_place(run->world, &pivot, body.position, cairn_vec3(1, 0, 0), cairn_vec3(0, 0, 0)));
    return cairn_joint_create(run->world, &pivot, NULL);
}

static CairnStatus check(const CairnSceneRun *run, double time, const CairnStats *stats) {
    const Params *params = run->params;
    const CairnBodyId *top = run->memory;
    CAIRN_TRY(cairn_check_sound(run, time, stats, "spinning_top"));
    CairnBodyState state;
    CAIRN_TRY(cairn_body_get(run->world, *top, &state));
    CairnVec3 axis = cairn_rotate(state.orientation, cairn_vec3(0, 0, 1));
    double lean = acos(cairn_clamp(axis.z, -1, 1)) * 180 / CAIRN_PI;
    double expected = precession_rate(params, -cairn_world_settings(run->world).gravity.z) * time;
    double lag = remainder(atan2(axis.y, axis.x) - expected, 2 * CAIRN_PI);
    if (fabs(lean - params->lean) > 0.2 || fabs(lag) > 0.01 + 1e-3 * expected) {
        return cairn_error(CAIRN_NUMERIC,
                           "spinning_top: leans by %.6g deg (%.6g) and is %.3g rad off its precession at %.6g s", lean,
                           params->lean, lag, time);
    }
    return cairn_ok();
}

const CairnScene cairn_scene_spinning_top = {
    .name = "spinning_top",
    .summary = "a leaning top precesses steadily about the vertical",
    .watch = "It leans by 30 degrees and does not fall: it walks round once in 5.016 s, at 1.2526 rad/s.",
    .params = CAIRN_FIELD_TABLE("spinning_top", Params, fields),
    .memory_size = sizeof(CairnBodyId),
    .step = 1.0 / 480,
    .steps = 2400,
    .camera = {.eye = {0.34, -0.58, 0.42}, .target = {0, 0, 0.16}, .fov = 36},
    .build = build,
    .check = check,
};
