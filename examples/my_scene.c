// A scene of your own: one C file, which the program compiles and loads. The headers are all it needs; the program
// itself brings the functions.
//
//   build/cairn run examples/my_scene.c --help
//   build/cairn run examples/my_scene.c --param size=0.2 --screenshot my_scene.png@120
//
// Or compile it yourself into a shared object:
//
//   cc -std=c17 -shared -fPIC -Iinclude -I. -o my_scene.so examples/my_scene.c && build/cairn run ./my_scene.so
//
// Two balls hang on a bar that hangs on a rod: a little mobile. `cairn_build_...` are the builders of the tutorial
// scenes.
#include "demos/scenes/builders.h"

typedef struct Params {
    double size, push;
} Params;

static const CairnField fields[] = {
    CAIRN_FIELD_DOUBLE(Params, size, 0.15, 0.05, 0.3, 0, "m", "radius of the balls"),
    CAIRN_FIELD_DOUBLE(Params, push, 1, 0, 5, 0, "m/s", "speed of the first ball"),
};

static CairnStatus build(CairnSceneRun *run) {
    const Params *params = run->params;
    CAIRN_TRY(cairn_build_ground(run->world, 0.5, 0));

    CairnBodyDef body = cairn_body_def();
    body.position = cairn_vec3(0, 0, 2);
    CairnShapeDef shape = cairn_box(1.6, 0.08, 0.08);
    CairnBodyId bar;
    CAIRN_TRY(cairn_body_add(run->world, &body, &shape, &bar));
    CAIRN_TRY(cairn_build_rod(run->world, cairn_vec3(0, 0, 2.8), bar));

    for (int side = -1; side <= 1; side += 2) {
        CairnBodyDef ball = cairn_body_def();
        ball.position = cairn_vec3(0.7 * side, 0, 1.2);
        ball.velocity = cairn_vec3(0, side < 0 ? params->push : 0, 0);
        CairnShapeDef sphere = cairn_sphere(params->size);
        CairnBodyId id;
        CAIRN_TRY(cairn_body_add(run->world, &ball, &sphere, &id));

        CairnJointDef rod = cairn_joint_def(CAIRN_JOINT_DISTANCE);
        rod.body_a = bar;
        rod.body_b = id;
        rod.frame_a.p = cairn_vec3(0.7 * side, 0, 0);
        rod.axes[CAIRN_X].target_position = 0.8;
        CAIRN_TRY(cairn_joint_create(run->world, &rod, NULL));
    }
    return cairn_ok();
}

// What must hold after every step; the message says what broke.
static CairnStatus check(const CairnSceneRun *run, double time, const CairnStats *stats) {
    (void)run;
    if (stats->joint_error_linear > 0.01) {
        return cairn_error(CAIRN_NUMERIC, "my_scene: a rod is %.3g m too long at %.3g s", stats->joint_error_linear,
                           time);
    }
    return cairn_ok();
}

extern const CairnScene cairn_scene;
const CairnScene cairn_scene = {
    .name = "my_scene",
    .summary = "two balls on a bar on a rod",
    .watch = "One push, and the whole mobile answers.",
    .params = CAIRN_FIELD_TABLE("my_scene", Params, fields),
    .step = 1.0 / 240,
    .steps = 960,
    .camera = {.eye = {1.6, -4.2, 2.4}, .target = {0, 0, 1.4}, .fov = 36},
    .build = build,
    .check = check,
};
