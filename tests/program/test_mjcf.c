// Scenes for MuJoCo: its own reader loads them, with as many bodies and joints, the same mass, and for a second the
// same motion.
#include "demos/program/cli/program.h"
#include "demos/program/session/session.h"
#include "tests/support/support.h"
#include "tests/support/support_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *line, *words;
    } cases[] = {
        {"export", "which scene"},
        {"export box_tower --out $/a.xml", "--format mjcf"},
        {"export box_tower --format mjcf", "--out"},
        {"export box_tower --format urdf --out $/a.xml", "'urdf'"},
        {"export box_tower --format mjcf --out $/none/a.xml", "--out"},
        {"export net_truck --format mjcf --out $/a.xml", "closes a loop"},
        {"export chain_wrap --format mjcf --out $/a.xml", "too deep"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        SupportCall *result = support_call(cases[i].line);
        if (result->code != CAIRN_EXIT_USAGE || !strstr(result->err, cases[i].words)) {
            fail_msg("cairn %s: exit %d, '%s' should hold '%s'", cases[i].line, result->code, result->err,
                     cases[i].words);
        }
    }
}

#ifdef CAIRN_MUJOCO
#include <mujoco/mujoco.h>

typedef struct Pair {
    CairnSession session;
    mjModel *model;
    mjData *data;
} Pair;

static void open_pair(const char *scene, const char *param, double dt, Pair *pair) {
    char line[300], path[128], why[300] = "";
    snprintf(line, sizeof line, "export %s --format mjcf --out $/scene.xml --dt %.17g%s%s", scene, dt,
             param ? " --param " : "", param ? param : "");
    support_call_well(line);
    support_path("scene.xml", path, sizeof path);
    pair->model = mj_loadXML(path, NULL, why, sizeof why);
    if (!pair->model) {
        fail_msg("%s: MuJoCo says: %s", scene, why);
    }
    pair->data = mj_makeData(pair->model);
    if (pair->model->nkey > 0) {
        mj_resetDataKeyframe(pair->model, pair->data, 0);
    }
    CairnRunOptions options = cairn_run_options();
    options.scene = scene;
    options.dt = dt;
    if (param) {
        options.params.items[options.params.count++] = param;
    }
    assert_ok(cairn_session_open(&options, &pair->session));
}

static void close_pair(Pair *pair) {
    mj_deleteData(pair->data);
    mj_deleteModel(pair->model);
    cairn_session_close(&pair->session);
}

// Where MuJoCo has the frame of a body, and a point a metre up its z axis.
static CairnVec3 other_place(const Pair *pair, CairnBodyId id, CairnVec3 *tip) {
    char name[32];
    snprintf(name, sizeof name, "b%u", id.index);
    int body = mj_name2id(pair->model, mjOBJ_BODY, name);
    assert_true(body > 0);
    const mjtNum *p = pair->data->xpos + 3 * body;
    const mjtNum *R = pair->data->xmat + 9 * body;
    *tip = cairn_vec3(p[0] + R[2], p[1] + R[5], p[2] + R[8]);
    return cairn_vec3(p[0], p[1], p[2]);
}

static void mujoco_has_the_same_bodies(void **state) {
    (void)state;
    static const char *const scenes[] = {"falling_box", "spinning_top", "newtons_cradle", "pendulum_chain", "box_tower",
                                         "log_tower",   "rock_pile",    "spider_robot",   "wrecking_ball",  "ragdoll"};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        Pair pair;
        open_pair(scenes[i], NULL, 0.01, &pair);
        CairnWorld *world = pair.session.world;
        int count = cairn_world_bodies(world, NULL, 0), shapes = 0;
        CairnBodyId *ids = malloc((size_t)count * sizeof *ids);
        assert_non_null(ids);
        cairn_world_bodies(world, ids, count);
        double mass = 0;
        mj_forward(pair.model, pair.data);
        for (int k = 0; k < count; k++) {
            CairnBodyState body;
            assert_ok(cairn_body_get(world, ids[k], &body));
            mass += body.type == CAIRN_BODY_DYNAMIC ? body.mass.mass : 0;
            shapes += cairn_body_shapes(world, ids[k], NULL, 0);
            // Places go through a chain of frames: a rounding for each link.
            CairnVec3 tip;
            assert_vec3_near(other_place(&pair, ids[k], &tip), body.position,
                             1e-11 * (1 + cairn_length(body.position)));
        }
        assert_int_equal(pair.model->nbody, count + 1); // and its world
        assert_int_equal(pair.model->ngeom, shapes);
        assert_near(mj_getTotalmass(pair.model), mass, 1e-12 * mass);
        free(ids);
        close_pair(&pair);
    }
}

static void joints_have_the_same_freedom(void **state) {
    (void)state;
    Pair pair;
    open_pair("pendulum_chain", "links=5", 0.01, &pair);
    // Each link hangs on one joint: with as many coordinates as our dofs less our locked rows.
    int joints = cairn_world_joints(pair.session.world, NULL, 0);
    assert_int_equal(joints, 5);
    assert_int_equal(pair.model->njnt, 5);
    close_pair(&pair);
    open_pair("spinning_top", NULL, 0.01, &pair);
    assert_int_equal(pair.model->njnt, 1);
    assert_int_equal(pair.model->jnt_type[0], mjJNT_BALL);
    close_pair(&pair);
}

// The largest distance between the two motions over a second, at one step and at half of it.
static double part_over_a_second(const char *scene, const char *param, double dt) {
    Pair pair;
    open_pair(scene, param, dt, &pair);
    CairnWorld *world = pair.session.world;
    CairnBodyId ids[64];
    int count = cairn_world_bodies(world, ids, 64), steps = (int)(1 / dt + 0.5);
    assert_true(count <= 64);
    double worst = 0, way = 0;
    for (int k = 0; k < steps; k++) {
        CairnStats stats;
        assert_ok(cairn_session_step(&pair.session, &stats));
        mj_step(pair.model, pair.data);
        mj_kinematics(pair.model, pair.data);
        for (int i = 0; i < count; i++) {
            CairnBodyState body;
            assert_ok(cairn_body_get(world, ids[i], &body));
            CairnVec3 other_tip, other = other_place(&pair, ids[i], &other_tip);
            CairnVec3 tip = cairn_add(body.position, cairn_rotate(body.orientation, cairn_vec3(0, 0, 1)));
            worst = fmax(worst, cairn_length(cairn_sub(other, body.position)));
            worst = fmax(worst, cairn_length(cairn_sub(other_tip, tip)));
            way = fmax(way, cairn_length(body.velocity) + cairn_length(body.angular_velocity));
        }
    }
    assert_true(way > 0.5); // it moves
    print_message("%s at h = %g: %.3g m apart, fastest %.3g\n", scene, dt, worst, way);
    close_pair(&pair);
    return worst;
}

// Two first-order integrators: the distance shrinks with the step, and is small.
static void a_second_of_motion_is_the_same(void **state) {
    (void)state;
    static const struct {
        const char *scene, *param;
        double near;
    } cases[] = {{"pendulum_chain", "links=2", 0.01}, {"spinning_top", NULL, 0.01}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double coarse = part_over_a_second(cases[i].scene, cases[i].param, 1.0 / 500);
        double fine = part_over_a_second(cases[i].scene, cases[i].param, 1.0 / 2000);
        assert_below(fine, cases[i].near);
        assert_below(fine, 0.4 * coarse);
    }
}
#else
static void without_mujoco(void **state) {
    (void)state;
    print_message("skipped: there is no MuJoCo here (libmujoco-dev)\n");
    skip();
}
#endif

int main(int argc, char **argv) {
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_refused),
#ifdef CAIRN_MUJOCO
        cmocka_unit_test(mujoco_has_the_same_bodies),
        cmocka_unit_test(joints_have_the_same_freedom),
        cmocka_unit_test(a_second_of_motion_is_the_same),
#else
        cmocka_unit_test(without_mujoco),
#endif
    };
    return cmocka_run_group_tests(tests, support_folder_make, support_folder_remove);
}
