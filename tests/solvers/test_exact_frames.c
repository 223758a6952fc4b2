// The engine's own frames with the exact solvers: every one certified, and the same velocities from both.
#include "demos/scenes/scenes.h"
#include "solvers/exact/bpp.h"
#include "solvers/exact/ipm.h"
#include "solvers/exact/nnewton.h"
#include "solvers/exact/pgs_sm.h"
#include "tests/support/exact_checks.h"
#include "tests/support/support_mechanism.h"

#include <stdlib.h>
#include <string.h>

static const CairnSolver *const exact_solvers[] = {&cairn_solver_bpp, &cairn_solver_ipm};

// Every step certified and converged, with room: the mean of S0's natural residual is at most 1e-9.
static void run_certified(CairnWorld *world, double h, int steps, const char *what) {
    double natural = 0;
    for (int n = 1; n <= steps; n++) {
        CairnStats stats;
        assert_ok(cairn_world_step(world, h, &stats));
        if (!stats.residual.is_certified || stats.solve.outcome != CAIRN_OUTCOME_CONVERGED) {
            fail_msg("%s: frame %d, %d rows: %s, scaled %g, limit %g", what, n, stats.rows,
                     cairn_outcome_name(stats.solve.outcome), stats.residual.scaled, stats.residual.limit);
        }
        natural += stats.residual.natural / steps;
    }
    assert_below(natural, 1e-9);
}

static void run_scene(const char *name, const CairnSolver *solver, double h, int steps) {
    const CairnScene *scene;
    assert_ok(cairn_scene_find(name, &scene));
    CairnWorldDef def = cairn_world_def();
    void *params = calloc(1, scene->params.size + 1);
    CairnSceneRun run = {.params = params, .memory = calloc(1, scene->memory_size + 1), .seed = 1};
    assert_true(params != NULL && run.memory != NULL);
    cairn_fields_preset(&scene->params, params);
    if (scene->settings) {
        scene->settings(params, &def);
    }
    assert_ok(cairn_world_create(&def, &run.world));
    assert_ok(cairn_world_set_solver(run.world, solver, NULL));
    assert_ok(scene->build(&run));
    run_certified(run.world, h, steps, name);
    cairn_world_destroy(run.world);
    free(params);
    free(run.memory);
}

static void tower_is_certified(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        run_scene("box_tower", exact_solvers[k], 1.0 / 60, 600);
    }
}

static void pendulum_chain_is_certified(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        run_scene("pendulum_chain", exact_solvers[k], 1.0 / 240, 600);
    }
}

static void dominoes_are_certified(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        run_scene("domino_row", exact_solvers[k], 1.0 / 120, 200);
    }
}

static CairnWorld *pile_world(const CairnSolver *solver) {
    CairnWorld *world = support_world(solver, cairn_vec3(0, 0, -9.81));
    uint64_t seed = 7;
    CairnBodyDef ground = cairn_body_def();
    CairnShapeDef plane = cairn_half_space();
    ground.type = CAIRN_BODY_STATIC;
    assert_ok(cairn_body_add(world, &ground, &plane, NULL));
    for (int i = 0; i < 60; i++) {
        int column = i % 3, row = i / 3 % 3, layer = i / 9;
        CairnBodyDef body = cairn_body_def();
        body.position =
            cairn_add(cairn_vec3(0.45 * column, 0.45 * row, 0.4 + 0.5 * layer), support_vec3(&seed, -0.05, 0.05));
        CairnShapeDef shape = i % 3 == 2 ? cairn_sphere(0.2) : cairn_box(0.4, 0.3, 0.35);
        assert_ok(cairn_body_add(world, &body, &shape, NULL));
    }
    return world;
}

static void falling_pile_is_certified(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        CairnWorld *world = pile_world(exact_solvers[k]);
        run_certified(world, 1.0 / 60, 150, "pile");
        cairn_world_destroy(world);
    }
}

// 100 links of 0.25 kg that carry 500 kg, 2,000 times a link, released at 20 degrees, h = 1/60 and one step a frame.
static void heavy_chain_is_certified(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        CairnWorld *world = support_world(exact_solvers[k], cairn_vec3(0, -9.81, 0));
        CairnVec3 from = {0, 0, 0}, along = {sin(20 * CAIRN_PI / 180), -cos(20 * CAIRN_PI / 180), 0}, z = {0, 0, 1};
        CairnBodyId last = {0, 0, 0};
        for (int i = 0; i < 100; i++) {
            CairnVec3 to = cairn_add_scaled(from, 0.2, along);
            CairnBodyId link = support_rod(world, 0.25, from, to);
            support_joint(world, CAIRN_JOINT_BALL, last, link, from, z);
            last = link;
            from = to;
        }
        CairnBodyId load = support_body(world, 500, cairn_vec3(12.5, 12.5, 12.5), from);
        support_joint(world, CAIRN_JOINT_BALL, last, load, from, z);
        run_certified(world, 1.0 / 60, 150, "heavy chain");
        cairn_world_destroy(world);
    }
}

// The problems of a falling pile, one after the other: all exact solvers, ipm cold and warm, agree on the velocities to
// the certificate.
static void solvers_agree_on_frames(void **state) {
    (void)state;
    CairnWorld *world = pile_world(&cairn_solver_bpp);
    for (int n = 0; n < 100; n++) {
        CairnStats stats;
        assert_ok(cairn_world_step(world, 1.0 / 60, &stats));
    }
    CairnProblem frame;
    const CairnProblem *problem = &frame;
    const double *lambda;
    assert_ok(cairn_world_problem(world, &frame, &lambda));
    assert_true(problem->row_count > 200);
    double *cold = calloc((size_t)problem->row_count, sizeof *cold);
    double *warm = malloc((size_t)problem->row_count * sizeof *warm);
    assert_true(cold != NULL && warm != NULL);
    memcpy(warm, lambda, (size_t)problem->row_count * sizeof *warm);
    exact_certify(&cairn_solver_ipm, NULL, problem, cold);
    assert_below(exact_distance(problem, lambda, cold), 1);
    exact_certify(&cairn_solver_ipm, NULL, problem, warm);
    assert_below(exact_distance(problem, lambda, warm), 1);
    static const CairnSolver *const others[] = {&cairn_solver_bpp, &cairn_solver_nnewton, &cairn_solver_pgs_sm};
    for (int k = 0; k < support_rounds(3, 1); k++) {
        memset(cold, 0, (size_t)problem->row_count * sizeof *cold);
        exact_certify(others[k], k == 0 ? NULL : "iterations=1000", problem, cold);
        assert_below(exact_distance(problem, lambda, cold), 1);
    }
    free(cold);
    free(warm);
    cairn_world_destroy(world);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tower_is_certified),       cmocka_unit_test(pendulum_chain_is_certified),
        cmocka_unit_test(dominoes_are_certified),   cmocka_unit_test(falling_pile_is_certified),
        cmocka_unit_test(heavy_chain_is_certified), cmocka_unit_test(solvers_agree_on_frames),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
