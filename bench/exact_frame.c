#include "bench/exact_frame.h"

#include "engine/base/memory.h"
#include "solvers/bpp.h"
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
        size_t size = cairn_problem_file_size(problem, NULL);
        free(tape.bytes);
        tape.bytes = malloc(size);
        tape.size = size;
        tape.rows = problem->row_count;
        tape.at = tape.calls;
        tape.has_failed =
            tape.bytes == NULL || !cairn_is_ok(cairn_problem_file_write(problem, lambda, NULL, tape.bytes, size));
    }
    return cairn_solver_bpp.solve(problem, parts, options, context, lambda, report);
}

bool bench_record_frame(const BenchRig *rig, int steps, CairnStoredProblem *stored, int *at) {
    CairnSolver recorder = cairn_solver_bpp;
    recorder.name = "recorder";
    recorder.solve = record;
    CairnWorld *world = NULL;
    tape.bytes = NULL;
    tape.rows = tape.calls = tape.at = 0;
    tape.has_failed = false;
    CairnStatus status = bench_rig_world(rig, &recorder, NULL, 2, &world, NULL);
    for (int i = 0; i < steps && cairn_is_ok(status); i++) {
        CairnStats stats;
        status = cairn_world_step(world, 1.0 / 60, &stats);
    }
    cairn_world_destroy(world);
    static CairnAllocator allocator; // what is stored keeps its place
    allocator = cairn_memory_default();
    bool is_done = cairn_is_ok(status) && tape.bytes != NULL && !tape.has_failed &&
                   cairn_is_ok(cairn_problem_file_read(tape.bytes, tape.size, &allocator, stored));
    *at = tape.at;
    free(tape.bytes);
    return is_done;
}
