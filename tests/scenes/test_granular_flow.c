// granular_flow, small: it pours out of its opening and nowhere else, and no ball sinks into another.
#include "demos/program/session/choice.h"
#include "demos/scenes/scenes.h"
#include "tests/support/support.h"

#include <stdlib.h>

typedef struct Flow {
    int outside;    // balls beyond the wall with the opening, at the end
    double deepest; // overlap over radius
    double way;     // of all balls before a box of 100, m
    uint64_t hash;
} Flow;

static void flow(const char *params, int threads, int steps, Flow *result) {
    const CairnScene *scene;
    assert_ok(cairn_scene_find("granular_flow", &scene));
    void *values = calloc(1, scene->params.size);
    CairnSceneRun run = {.memory = calloc(1, scene->memory_size), .params = values, .seed = 1};
    assert_non_null(values);
    assert_non_null(run.memory);
    cairn_fields_preset(&scene->params, values);
    assert_ok(cairn_fields_parse(&scene->params, values, params));
    CairnWorldDef def = cairn_world_def();
    def.thread_count = threads;
    scene->settings(values, &def);
    CairnChoice choice;
    assert_ok(cairn_world_create(&def, &run.world));
    assert_ok(cairn_choice_open(scene->solver, scene->name, &choice));
    assert_ok(cairn_world_set_solver(run.world, choice.solver, choice.options));
    cairn_choice_close(&choice);
    assert_ok(scene->build(&run));
    *result = (Flow){0};
    for (int k = 0; k < steps; k++) {
        CairnStats stats;
        assert_ok(cairn_world_step(run.world, scene->step, &stats));
        assert_ok(scene->check(&run, stats.time, &stats));
        result->deepest = stats.penetration > result->deepest ? stats.penetration : result->deepest;
    }
    static CairnBodyId ids[1024];
    int count = cairn_world_bodies(run.world, ids, 1024);
    assert_true(count <= 1024);
    for (int i = 0; i < count; i++) {
        CairnBodyState body;
        assert_ok(cairn_body_get(run.world, ids[i], &body));
        // 300 balls of 0.3 m fill 0.6 of a cube of 3.84 m; the wall is 0.6 m thick.
        result->way += body.type == CAIRN_BODY_DYNAMIC ? fmax(body.position.x - 1.94, 0) : 0;
        result->outside += body.type == CAIRN_BODY_DYNAMIC && body.position.x > 1.92 + 0.6;
    }
    result->hash = cairn_world_state_hash(run.world);
    cairn_world_destroy(run.world);
    free(run.memory);
    free(values);
}

static void it_flows_out_of_its_opening(void **state) {
    (void)state;
    Flow open, closed;
    bool is_small = support_is_sanitized();
    flow(is_small ? "spheres=150,opening=0.5" : "spheres=300,opening=0.5", 1, 600, &open);
    flow(is_small ? "spheres=60,opening=0" : "spheres=300,opening=0", 1, is_small ? 100 : 600, &closed);
    assert_true(open.outside > (is_small ? 0 : 5));
    assert_int_equal(closed.outside, 0);
    assert_true(open.deepest > 0);
}

// The variants: their own checks hold, the hopper empties downwards, and rollers carry what they get.
static void hoppers_and_rollers_carry_balls_off(void **state) {
    (void)state;
    Flow hopper, belt, still;
    bool is_small = support_is_sanitized();
    int turns = is_small ? 600 : 900;
    flow(is_small ? "spheres=100,outlet=hopper,opening=0.5" : "spheres=200,outlet=hopper,opening=0.5", 1,
         is_small ? 200 : 400, &hopper);
    assert_int_equal(hopper.outside, 0);
    flow(is_small ? "spheres=60,opening=0.5,conveyor=2" : "spheres=100,opening=0.5,conveyor=2", 1, turns, &belt);
    if (!is_small) {
        flow("spheres=100,opening=0.5,conveyor=0.01", 1, turns, &still);
        print_message("%.1f m on rollers that turn, %.1f m on others\n", belt.way, still.way);
        assert_true(belt.way > 1.1 * still.way);
    }
    assert_true(belt.way > 0);
    flow("spheres=60,rolling=0.2", 1, is_small ? 50 : 100, &still);
}

static void many_balls_do_not_sink(void **state) {
    (void)state;
    Flow one, two;
    int steps = support_is_sanitized() ? 30 : 120; // none sinks in further after the 80th
    flow("spheres=500", 1, steps, &one);
    assert_true(one.deepest > 0 && one.deepest < 0.002 * 0.3);
    flow("spheres=500", 2, steps, &two);
    assert_true(one.hash == two.hash);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_flows_out_of_its_opening),
        cmocka_unit_test(hoppers_and_rollers_carry_balls_off),
        cmocka_unit_test(many_balls_do_not_sink),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
