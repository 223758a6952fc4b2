// schur-bpp and schur-pgs-sm in lockstep with bpp on the frames of every scene: the same velocities, whatever the
// parts. Scenes are smaller here than by default; each combination of partitioner, refiner and part size comes up in
// some scene, and all of them in every scene with CAIRN_LONG_TESTS=1.
#include "demos/scenes/scenes.h"
#include "engine/base/memory.h"
#include "solvers/exact/bpp.h"
#include "solvers/schur/schur.h"
#include "tests/support/exact_checks.h"
#include "tests/support/support.h"
#include "tests/support/support_parts.h"
#include "tests/support/support_worlds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Stage {
    const char *scene, *params;
    int frames; // until there is something to solve for
} Stage;

// Those that are not named: as they are, 12 frames.
static const Stage stages[] = {
    {"falling_box", NULL, 60},
    {"domino_row", "dominoes=12", 40},
    {"log_tower", "logs=24", 12},
    {"chain_wrap", NULL, 6},
    {"chain_drop", "links=40", 30},
    {"rock_pile", "rocks=24", 30},
    {"large_rock_pile", "rocks=24", 30},
    {"bridge", "planks=10", 4},
    {"cable_spinner", "links=30", 4},
    {"net_truck", "cables=4", 4},
    {"granular_flow", "spheres=60", 60},
    {"stir", "grains=20", 20},
    {"cable_winding", "segments=30", 12},
    {"tandem_cranes", NULL, 3},
};

// A solver has no user pointer: one scene at a time.
static struct {
    const CairnSolver *solver;
    const char *scene;
    int turn, solves; // which combination comes next; how many were made
    bool is_wanted, is_bilateral;
} lockstep;

static bool is_bilateral(const CairnProblem *problem) {
    for (int i = 0; i < problem->row_count; i++) {
        if (isfinite(problem->lower[i]) || isfinite(problem->upper[i])) {
            return false;
        }
    }
    return true;
}

static void check_parts(const CairnProblem *problem, const double *warm, const double *answer, int combination) {
    static const int sizes[] = {4, 8, 16, 32, 64};
    CairnAllocator plain = cairn_memory_default();
    int count = cairn_partitioner_count(), k = combination;
    const CairnPartitioner *partitioner = cairn_partitioner_at(k % count);
    const CairnRefiner *refiner = cairn_refiner_at(k / count % cairn_refiner_count());
    int size = sizes[k / count / cairn_refiner_count() % 5];
    char options[40];
    CairnArena arena;
    CairnParts parts;
    cairn_arena_init(&arena, &plain);
    bool is_semantic = strcmp(partitioner->name, "semantic") == 0;
    bool has_size = partitioner->options != NULL && !is_semantic;
    snprintf(options, sizeof options, is_semantic ? "rest=true" : "part_size=%d", size);
    assert_true(support_parts(problem, partitioner, has_size || is_semantic ? options : NULL, refiner, &arena, &parts));
    double *lambda = malloc(((size_t)problem->row_count + 1) * sizeof *lambda);
    assert_non_null(lambda);
    memcpy(lambda, warm, (size_t)problem->row_count * sizeof *lambda);
    ExactRun run = exact_run_parts(lockstep.solver, "", problem, &parts, 1, lambda);
    assert_ok(run.status);
    double off = exact_distance(problem, lambda, answer);
    if (!run.residual.is_certified || off > 1) {
        fail_msg("%s, %s over %s %s %s: scaled %g, limit %g, velocities off by %g of 1e-8 max|b|", lockstep.scene,
                 lockstep.solver->name, partitioner->name, options, refiner->name, run.residual.scaled,
                 run.residual.limit, off);
    }
    if (lockstep.is_bilateral) { // from wherever: its sets are known
        assert_true(run.report.coupling <= 1);
        assert_int_equal(run.report.fallback, 0);
    }
    lockstep.solves++;
    free(lambda);
    cairn_arena_free(&arena);
}

// bpp drives; at the frame that is wanted the other one gets the same problem and the same warm start.
static CairnStatus drive(const CairnProblem *problem, const CairnParts *parts, const void *options,
                         CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    size_t size = ((size_t)problem->row_count + 1) * sizeof(double);
    double *warm = malloc(size);
    assert_non_null(warm);
    memcpy(warm, lambda, size - sizeof *warm);
    CairnStatus status = cairn_solver_bpp.solve(problem, parts, options, context, lambda, report);
    if (cairn_is_ok(status) && lockstep.is_wanted && !report->is_superseded && problem->row_count > 0) {
        enum { A_FEW = 5 };
        int all = cairn_partitioner_count() * cairn_refiner_count() * 5;
        lockstep.is_wanted = false;
        lockstep.is_bilateral = is_bilateral(problem);
        for (int k = 0; k < (support_is_long() ? all : A_FEW); k++) {
            check_parts(problem, warm, lambda, lockstep.turn);
            lockstep.turn = (lockstep.turn + 11) % all; // 11 divides none of the counts
        }
    }
    free(warm);
    return status;
}

static void play(const CairnScene *scene, const Stage *stage) {
    CairnWorldDef def = cairn_world_def();
    CairnSolver driver = cairn_solver_bpp;
    void *params = calloc(1, scene->params.size + 1);
    CairnSceneRun run = {.params = params, .memory = calloc(1, scene->memory_size + 1), .seed = 1};
    assert_true(params != NULL && run.memory != NULL);
    cairn_fields_preset(&scene->params, params);
    if (stage->params != NULL) {
        assert_ok(cairn_fields_parse(&scene->params, params, stage->params));
    }
    if (scene->settings) {
        scene->settings(params, &def);
    }
    def.friction = CAIRN_FRICTION_BOX; // bpp's law, whatever the scene's
    driver.solve = drive;
    assert_ok(cairn_world_create(&def, &run.world));
    assert_ok(cairn_world_set_solver(run.world, &driver, NULL));
    assert_ok(scene->build(&run));
    lockstep.scene = scene->name;
    lockstep.solves = 0;
    for (int i = 1; i <= stage->frames; i++) {
        if (scene->script != NULL) {
            assert_ok(scene->script(&run, cairn_world_time(run.world)));
        }
        lockstep.is_wanted = i == stage->frames;
        assert_ok(cairn_world_step(run.world, scene->step, NULL));
    }
    if (lockstep.solves == 0) {
        fail_msg("%s has no rows in frame %d", scene->name, stage->frames);
    }
    cairn_world_destroy(run.world);
    free(params);
    free(run.memory);
}

static void every_scene_has_the_same_velocities(void **state) {
    lockstep.solver = *state;
    lockstep.turn = 0;
    for (int i = 0; i < cairn_scene_count(); i++) {
        Stage stage = {.frames = 12};
        for (size_t k = 0; k < sizeof stages / sizeof *stages; k++) {
            stage = strcmp(stages[k].scene, cairn_scene_at(i)->name) == 0 ? stages[k] : stage;
        }
        play(cairn_scene_at(i), &stage);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(every_scene_has_the_same_velocities, (void *)(uintptr_t)&cairn_solver_schur_bpp),
        cmocka_unit_test_prestate(every_scene_has_the_same_velocities, (void *)(uintptr_t)&cairn_solver_schur_pgs_sm),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
