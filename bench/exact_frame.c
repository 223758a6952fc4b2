#include "bench/exact_frame.h"

#include "solvers/exact/bpp.h"
#include <stdlib.h>

// A solver has no user pointer: one recording at a time.
static struct {
    void *bytes;
    size_t size;
    int rows, calls, at;
    bool has_failed;
} tape;

static CairnStatus record(const CairnProblem *problem, const CairnParts *parts, const void *options,
                          CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    tape.calls++;
    if (problem->row_count >= tape.rows) {
        size_t size = cairn_problem_file_size(problem, NULL, NULL);
        free(tape.bytes);
        tape.bytes = malloc(size);
        tape.size = size;
        tape.rows = problem->row_count;
        tape.at = tape.calls;
        tape.has_failed =
            tape.bytes == NULL || !cairn_is_ok(cairn_problem_file_write(problem, &(CairnSolveStart){.lambda = lambda},
                                                                        NULL, tape.bytes, size));
    }
    return cairn_solver_bpp.solve(problem, parts, options, context, lambda, report);
}

static CairnSolver recorder(void) {
    CairnSolver solver = cairn_solver_bpp;
    solver.name = "recorder";
    solver.solve = record;
    tape.bytes = NULL;
    tape.rows = tape.calls = tape.at = 0;
    tape.has_failed = false;
    return solver;
}

static bool finish(CairnStatus status, CairnStoredProblem *stored, int *at) {
    bool is_done = cairn_is_ok(status) && tape.bytes != NULL && !tape.has_failed &&
                   cairn_is_ok(cairn_problem_file_read(tape.bytes, tape.size, NULL, stored));
    *at = tape.at;
    free(tape.bytes);
    return is_done;
}

bool bench_record_frame(const BenchRig *rig, int steps, CairnStoredProblem *stored, int *at) {
    CairnSolver solver = recorder();
    CairnWorld *world = NULL;
    CairnStatus status = bench_rig_world(rig, &solver, NULL, 1, &world, NULL);
    for (int i = 0; i < steps && cairn_is_ok(status); i++) {
        CairnStats stats;
        status = cairn_world_step(world, 1.0 / 60, &stats);
    }
    cairn_world_destroy(world);
    return finish(status, stored, at);
}

static CairnStatus run_scene(CairnSceneRun *run, const CairnScene *scene, const CairnSolver *solver, const char *params,
                             int steps) {
    CairnWorldDef def = cairn_world_def();
    cairn_fields_preset(&scene->params, (void *)(uintptr_t)run->params);
    CAIRN_TRY(cairn_fields_parse(&scene->params, (void *)(uintptr_t)run->params, params));
    if (scene->settings != NULL) {
        scene->settings(run->params, &def);
    }
    CAIRN_TRY(cairn_world_create(&def, &run->world));
    CAIRN_TRY(cairn_world_set_solver(run->world, solver, NULL));
    CAIRN_TRY(scene->build(run));
    for (int i = 0; i < steps; i++) {
        CairnStats stats;
        if (scene->script != NULL) {
            CAIRN_TRY(scene->script(run, cairn_world_time(run->world)));
        }
        CAIRN_TRY(cairn_world_step(run->world, scene->step, &stats));
    }
    return cairn_ok();
}

bool bench_record_scene(const CairnScene *scene, const char *params, int steps, CairnStoredProblem *stored, int *at) {
    CairnSolver solver = recorder();
    void *chosen = calloc(1, scene->params.size + 1), *memory = calloc(1, scene->memory_size + 1);
    CairnSceneRun run = {.params = chosen, .memory = memory, .seed = 1};
    CairnStatus status = chosen != NULL && memory != NULL ? run_scene(&run, scene, &solver, params, steps)
                                                          : cairn_error(CAIRN_OUT_OF_MEMORY, "bench: no memory");
    cairn_world_destroy(run.world);
    free(chosen);
    free(memory);
    return finish(status, stored, at);
}
