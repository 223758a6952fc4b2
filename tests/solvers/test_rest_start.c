// The start from rest: which components get the impulses of the convex law, and which keep theirs.
#include "solvers/exact/rest_start.h"

#include "engine/base/arena.h"
#include "engine/base/memory.h"
#include "solvers/exact/ipm_cone.h"
#include "solvers/problem/problem_ops.h"
#include "tests/support/support_motion.h"

#include <stdlib.h>
#include <string.h>

enum { BOX_ROWS = 12 };

// `settled` boxes that lie on the ground, and then `fresh` ones beside them that come down in the last step.
static CairnWorld *boxes(int settled, int fresh) {
    CairnWorldDef def = cairn_world_def();
    CairnWorld *world;
    def.friction = CAIRN_FRICTION_COULOMB;
    assert_ok(cairn_world_create(&def, &world));
    motion_ground(world, 0, 0.5, 0);
    for (int i = 0; i < settled + fresh; i++) {
        CairnBodyDef body = motion_on_ground(0, 0, 0.5);
        CairnShapeDef box = cairn_box(1, 1, 1);
        body.position.x = 3 * i;
        box.friction = 0.5;
        motion_shape(world, &body, &box);
        motion_steps(world, 1.0 / 60, i == settled - 1 ? 30 : 0);
    }
    motion_steps(world, 1.0 / 60, 1);
    return world;
}

// Returns the factors; lambda is the start on entry.
static int rest_start(const CairnProblem *problem, double *lambda) {
    static const CairnLogger silent;
    CairnAllocator plain = cairn_memory_default();
    CairnArena arena;
    CairnOps ops;
    CairnSolverContext context = {
        .allocator = &plain, .logger = &silent, .thread_count = 1, .arena = &arena, .checked = problem};
    int *part = calloc((size_t)problem->block_count + 1, sizeof *part), factors = -1;
    double *v = calloc((size_t)problem->dof_count + 1, sizeof *v),
           *b = calloc((size_t)problem->row_count + 1, sizeof *b);
    assert_true(part != NULL && v != NULL && b != NULL);
    CairnParts parts = {1, part};
    cairn_arena_init(&arena, &plain);
    assert_ok(cairn_ops_init(&ops, problem, &arena));
    cairn_ops_right_side(&ops, v, b);
    assert_ok(cairn_rest_start(problem, &parts, &context, b, lambda, &factors));
    cairn_arena_free(&arena);
    free(part);
    free(v);
    free(b);
    return factors;
}

// What is put down all at once gets impulses that bear it, which are those of the convex law.
static void what_is_put_down_is_borne(void **state) {
    (void)state;
    CairnWorld *world = boxes(0, 3);
    CairnProblem problem;
    const double *unused;
    double lambda[3 * BOX_ROWS] = {0};
    assert_ok(cairn_world_problem(world, &problem, &unused));
    assert_int_equal(problem.row_count, 3 * BOX_ROWS);
    assert_true(rest_start(&problem, lambda) > 0);
    double sum = 0;
    for (int f = 0; f < problem.friction_count; f++) {
        sum += lambda[problem.frictions[f].normal];
    }
    assert_near(sum, 3 * 9.81 / 60, 1e-3 * sum); // less what they sink
    CairnResidual residual;
    assert_ok(cairn_residual(&problem, lambda, NULL, &residual));
    assert_below(residual.convex, 1e-8);
    cairn_world_destroy(world);
}

// Those that bore each other in the last step keep what they have.
static void what_lies_keeps_its_impulses(void **state) {
    (void)state;
    for (int fresh = 0; fresh <= 2; fresh++) {
        int settled = 2;
        CairnWorld *world = boxes(settled, fresh);
        CairnProblem problem;
        CairnSolveStart start;
        const double *unused;
        double lambda[4 * BOX_ROWS], before[4 * BOX_ROWS] = {0};
        assert_ok(cairn_world_problem(world, &problem, &unused));
        assert_ok(cairn_world_problem_start(world, &start));
        assert_int_equal(problem.row_count, (settled + fresh) * BOX_ROWS);
        memcpy(before, start.lambda, (size_t)problem.row_count * sizeof *before);
        memcpy(lambda, before, sizeof before);
        int factors = rest_start(&problem, lambda), changed = 0, kept = 0;
        for (int f = 0; f < problem.friction_count; f++) {
            int n = problem.frictions[f].normal;
            changed += before[n] == 0 && lambda[n] > 0;
            kept += before[n] > 0 && memcmp(&lambda[n], &before[n], 3 * sizeof *lambda) == 0;
        }
        assert_int_equal(kept, 4 * settled);
        assert_int_equal(factors > 0, fresh == settled); // half of all rows
        assert_int_equal(changed, fresh == settled ? 4 * fresh : 0);
        cairn_world_destroy(world);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_put_down_is_borne),
        cmocka_unit_test(what_lies_keeps_its_impulses),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
