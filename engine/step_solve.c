// Partition and solve: problem -> parts -> lambda -> velocities.
#include "engine/base/timer.h"
#include "engine/step.h"
#include "solvers/graph.h"
#include "solvers/problem_ops.h"
#include "solvers/solvers.h"

// A partitioner may be a caller's own.
static CairnStatus check_parts(const CairnPartitioner *partitioner, const CairnParts *parts, int count) {
    for (int b = 0; b < count; b++) {
        if (parts->part[b] < 0 || parts->part[b] >= parts->count) {
            return cairn_error(CAIRN_INVALID_ARGUMENT, "step: partitioner %s put node %d into part %d of %d",
                               partitioner->name, b, parts->part[b], parts->count);
        }
    }
    return cairn_ok();
}

// Rows of the constraints that reach over more than one part.
static int count_interface_rows(const CairnGraph *graph, const int *part) {
    int rows = 0;
    for (int e = 0; e < graph->edge_count; e++) {
        const int *first = graph->edge_node + graph->edge_start[e], *end = graph->edge_node + graph->edge_start[e + 1];
        bool is_inside = true;
        for (const int *node = first; node < end; node++) {
            is_inside = is_inside && part[*node] == part[*first];
        }
        rows += is_inside ? 0 : graph->edge_rows[e];
    }
    return rows;
}

void cairn_step_partition(CairnStep *step) {
    if (cairn_step_failed(step)) {
        return;
    }
    double t0 = cairn_timer_now();
    CairnWorld *world = step->world;
    int *part = CAIRN_STEP_PUSH(step, int, step->problem.block_count);
    if (part == NULL) {
        return;
    }
    for (int b = 0; b < step->problem.block_count; b++) {
        part[b] = 0;
    }
    step->parts = (CairnParts){step->problem.block_count > 0 ? 1 : 0, part};
    if ((world->solver->traits & CAIRN_NEEDS_PARTITION) != 0) { // others never look at it
        CairnGraph graph;
        step->status = cairn_problem_graph(&step->problem, step->arena, &graph);
        if (!cairn_step_failed(step)) {
            step->status = world->partitioner->partition(&graph, world->partitioner_options, &world->allocator, part,
                                                         &step->parts.count);
        }
        if (!cairn_step_failed(step)) {
            step->status = check_parts(world->partitioner, &step->parts, step->problem.block_count);
        }
        if (!cairn_step_failed(step)) {
            step->stats.interface_rows = count_interface_rows(&graph, part);
        }
    }
    step->stats.times.partition += cairn_timer_now() - t0;
}

static void solve_once(CairnStep *step) {
    CairnWorld *world = step->world;
    CairnSolverContext context = {.allocator = &world->allocator,
                                  .logger = &world->def.logger,
                                  .thread_count = step->threads,
                                  .arena = step->arena,
                                  .memory = &world->solver_memory};
    CairnSolveReport report = {0};
    CairnArenaMark mark = cairn_arena_mark(step->arena);
    step->status =
        world->solver->solve(&step->problem, &step->parts, world->solver_options, &context, step->lambda, &report);
    cairn_arena_release(step->arena, mark);
    step->stats.solve.outcome = report.outcome;
    step->stats.solve.claimed = report.claimed;
    step->stats.solve.iterations += report.iterations;
    step->stats.solve.factorizations += report.factorizations;
    step->stats.solve.coupling += report.coupling;
    step->stats.solve.fallback =
        step->stats.solve.fallback > report.fallback ? step->stats.solve.fallback : report.fallback;
}

// Solve, and again where the impulses that the geometric stiffness was made from, or those that first touches were guessed to
// bear, proved to be the wrong ones.
static void solve_passes(CairnStep *step) {
    const CairnWorldDef *def = &step->world->def;
    int stiff_passes = def->geometric_stiffness ? def->geometric_passes : 1;
    bool again = true;
    for (int pass = 1; again && !cairn_step_failed(step); pass++) {
        solve_once(step);
        step->stats.solves += 1;
        again = false;
        if (!cairn_step_failed(step) && pass < stiff_passes) {
            again = cairn_step_stiffen_again(step);
        }
        if (!cairn_step_failed(step) && pass < def->touch_passes) {
            again = cairn_step_bound_again(step) || again;
        }
    }
}

// v = P^-1 (p + J^T lambda): the engine's own, so that no solver's bookkeeping reaches the bodies.
static void find_velocities(CairnStep *step) {
    CairnOps ops;
    step->status = cairn_ops_init(&ops, &step->problem, step->arena);
    step->velocity = CAIRN_STEP_PUSH(step, double, step->problem.dof_count);
    if (!cairn_step_failed(step)) {
        cairn_ops_velocity(&ops, step->lambda, step->velocity);
    }
}

// What a caller gave may be finite and yet too large to compute with: no solver ever sees such a problem.
static void check_problem(CairnStep *step) {
    CairnStatus status = cairn_problem_check(&step->problem);
    if (!cairn_is_ok(status)) {
        step->status = cairn_error(CAIRN_NUMERIC, "step: %.200s", status.message);
        return;
    }
    step->status = cairn_solver_accepts(step->world->solver, &step->problem);
}

void cairn_step_solve(CairnStep *step) {
    if (cairn_step_failed(step)) {
        return;
    }
    double t0 = cairn_timer_now();
    step->stats.contact_passes += 1;
    if (step->problem.row_count > 0) {
        check_problem(step);
        solve_passes(step);
    }
    if (!cairn_step_failed(step)) {
        find_velocities(step);
    }
    step->stats.times.solve += cairn_timer_now() - t0;
}
