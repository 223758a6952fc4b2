// Condensed interior points: what joints are made part of, and that the whole's answer comes out. The frames are the
// cranes': two thousand rows, four in five of them joints', contacts at a third of the bodies.
#include "demos/scenes/scenes.h"
#include "engine/base/memory.h"
#include "solvers/exact/condense.h"
#include "solvers/exact/ipm.h"
#include "solvers/system/formulation.h"
#include "tests/support/exact_checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int looked_at;

// lambda_B of the inner solve and the joints' that go with it: w_E is zero, and the inner w is the true one, also where
// lambda_B has gone elsewhere since, to the digits of body space.
static void check_model(const CairnProblem *problem, CairnSolverContext *context, const double *lambda) {
    CairnArenaMark mark = cairn_arena_mark(context->arena);
    CairnExact whole;
    CairnCondensed condensed;
    bool is_made;
    assert_ok(cairn_exact_init(&whole, problem, &(CairnExactSetup){.name = "test"}, context, lambda));
    assert_true(cairn_condense_pays(&whole));
    assert_ok(cairn_condense_make(&condensed, &whole, &is_made));
    assert_true(is_made);
    int rows = condensed.problem.row_count;
    assert_true(rows > 0 && 4 * rows < 3 * problem->row_count);
    assert_ok(cairn_condense_recover(&condensed));
    uint64_t seed = 7;
    double most = 0;
    for (int i = 0; i < rows; i++) {
        condensed.inner.lambda[i] += support_uniform(&seed, -1, 1);
        most = fmax(most, whole.D[condensed.row[i]]);
    }
    cairn_exact_measure(&condensed.inner); // the model's w
    assert_ok(cairn_condense_recover(&condensed));
    for (int i = 0, k = 0; i < problem->row_count; i++) {
        bool is_inner = k < rows && condensed.row[k] == i;
        if (is_inner) {
            assert_below(fabs(whole.w[i] - condensed.inner.w[k]), 1e-5 * most);
            k++;
        } else {
            assert_below(fabs(whole.w[i]), whole.limit);
        }
    }
    cairn_arena_release(context->arena, mark);
}

static CairnStatus look(const CairnProblem *problem, const CairnParts *parts, const void *options,
                        CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    double *start = malloc((size_t)problem->row_count * sizeof *start);
    assert_non_null(start);
    memcpy(start, lambda, (size_t)problem->row_count * sizeof *start);
    check_model(problem, context, lambda);
    CairnStatus status = cairn_solver_ipm.solve(problem, parts, options, context, lambda, report);
    if (cairn_is_ok(status) && !report->is_superseded) {
        exact_certify(&cairn_solver_ipm, "formulation=kkt", problem, start); // which is never condensed
        assert_below(exact_distance(problem, lambda, start), 1);
    }
    free(start);
    looked_at++;
    return status;
}

static void joints_are_part_of_the_dynamics(void **state) {
    (void)state;
    const CairnScene *scene;
    assert_ok(cairn_scene_find("tandem_cranes", &scene));
    CairnSolver solver = cairn_solver_ipm;
    solver.solve = look;
    void *params = calloc(1, scene->params.size + 1), *memory = calloc(1, scene->memory_size + 1);
    assert_true(params != NULL && memory != NULL);
    CairnSceneRun run = {.params = params, .memory = memory, .seed = 1};
    CairnWorldDef def = cairn_world_def();
    cairn_fields_preset(&scene->params, params);
    if (scene->settings != NULL) {
        scene->settings(params, &def);
    }
    assert_ok(cairn_world_create(&def, &run.world));
    assert_ok(cairn_world_set_solver(run.world, &solver, NULL));
    assert_ok(scene->build(&run));
    for (int n = 0; n < 6; n++) {
        CairnStats stats;
        assert_ok(scene->script(&run, cairn_world_time(run.world)));
        assert_ok(cairn_world_step(run.world, scene->step, &stats));
        assert_true(stats.residual.is_certified);
        assert_int_equal(stats.solve.outcome, CAIRN_OUTCOME_CONVERGED);
    }
    assert_true(looked_at >= 6);
    cairn_world_destroy(run.world);
    free(params);
    free(memory);
}

// Piles have no joints, small problems are as quick as a whole, joints without compliance are not eliminated.
static void others_are_left_alone(void **state) {
    (void)state;
    TestPile pile;
    uint64_t seed = 3;
    test_pile_heap(&pile, &seed, 40, 1e-8, CAIRN_FRICTION_BOX);
    double *lambda = calloc((size_t)pile.problem.row_count, sizeof *lambda);
    assert_non_null(lambda);
    CairnArena arena;
    CairnAllocator allocator = cairn_memory_default();
    cairn_arena_init(&arena, &allocator);
    CairnSolverContext context = {.allocator = &allocator, .arena = &arena, .thread_count = 1};
    CairnExact exact;
    CairnExactSetup setup = {.name = "test", .system.formulation = CAIRN_FORMULATION_BODY};
    assert_ok(cairn_exact_init(&exact, &pile.problem, &setup, &context, lambda));
    assert_true(exact.system.kind == &cairn_system_body);
    assert_false(cairn_condense_pays(&exact));
    for (int i = 0; i < pile.problem.row_count / 2; i++) {
        exact.lower[i] = -(double)INFINITY;
        exact.upper[i] = (double)INFINITY;
    }
    assert_true(cairn_condense_pays(&exact));
    pile.compliance[0] = 0;
    assert_false(cairn_condense_pays(&exact));
    cairn_arena_free(&arena);
    free(lambda);
    test_pile_free(&pile);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_are_part_of_the_dynamics),
        cmocka_unit_test(others_are_left_alone),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
