// Nothing in the engine has a unit of its own: a world whose masses, lengths and times are other powers of two moves by
// the same bits.
#include "demos/scenes/scenes.h"
#include "tests/support/support_rescale.h"
#include <stdio.h>
#include <stdlib.h>

// Makes a scene and returns its world, which the caller destroys.
static CairnWorld *build(const CairnScene *scene, const char *solver) {
    CairnWorldDef def = cairn_world_def();
    void *params = calloc(1, scene->params.size + 1), *memory = calloc(1, scene->memory_size + 1);
    assert_true(params != NULL && memory != NULL);
    cairn_fields_preset(&scene->params, params);
    if (scene->settings != NULL) {
        scene->settings(params, &def);
    }
    CairnSceneRun run = {.params = params, .memory = memory, .seed = 1};
    const CairnSolver *found; // bpp takes box friction alone
    assert_ok(cairn_solver_find(def.friction == CAIRN_FRICTION_BOX ? solver : "ipm-cone", &found));
    assert_ok(cairn_world_create(&def, &run.world));
    assert_ok(cairn_world_set_solver(run.world, found, NULL));
    assert_ok(scene->build(&run));
    free(params);
    free(memory);
    return run.world;
}

static bool moves_alike(const CairnScene *scene, const char *solver, Rescale by, int steps) {
    CairnWorld *source = build(scene, solver);
    CairnWorld *plain = support_rescaled(source, (Rescale){1, 1, 1}), *scaled = support_rescaled(source, by);
    bool is_alike = true;
    for (int i = 0; i < steps && is_alike; i++) {
        char what[100];
        snprintf(what, sizeof what, "%s, %s, mass %g length %g, step %d", scene->name, solver, by.mass, by.length,
                 i + 1);
        assert_ok(cairn_world_step(plain, scene->step, NULL));
        assert_ok(cairn_world_step(scaled, scene->step * by.time, NULL));
        is_alike = support_is_rescaled(plain, scaled, by, what);
    }
    cairn_world_destroy(scaled);
    cairn_world_destroy(plain);
    cairn_world_destroy(source);
    return is_alike;
}

// Heavier, lighter, larger, smaller; and two at once.
static const Rescale all[] = {{0x1p30, 0x1p10, 0x1p5}, {0x1p-30, 0x1p-10, 0x1p-5}, {0x1p30, 1, 1},
                              {0x1p-30, 1, 1},         {1, 0x1p10, 0x1p5},         {1, 0x1p-10, 0x1p-5}};

static size_t kinds(void) {
    return getenv("CAIRN_LONG_TESTS") != NULL ? sizeof all / sizeof *all : 2;
}

static void scenes_move_alike(void **state) {
    (void)state;
    int failures = 0, steps = getenv("CAIRN_LONG_TESTS") != NULL ? 100 : 6;
    for (int i = 0; i < cairn_scene_count(); i++) {
        for (size_t k = 0; k < kinds(); k++) {
            failures += moves_alike(cairn_scene_at(i), "bpp", all[k], steps) ? 0 : 1;
        }
    }
    assert_int_equal(failures, 0);
}

// Every solver, with and without joints.
static void solvers_move_alike(void **state) {
    (void)state;
    static const char *const names[] = {"box_tower", "ragdoll", "chain_wrap"};
    int failures = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const CairnScene *scene;
        assert_ok(cairn_scene_find(names[i], &scene));
        for (int s = 0; s < cairn_solver_count(); s++) {
            for (size_t k = 0; k < kinds(); k++) {
                failures += moves_alike(scene, cairn_solver_at(s)->name, all[k], 3) ? 0 : 1;
            }
        }
    }
    assert_int_equal(failures, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_move_alike),
        cmocka_unit_test(solvers_move_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
