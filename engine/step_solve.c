// Solve: problem, parts -> lambda -> velocities.
#include "engine/base/timer.h"
#include "engine/step.h"
#include "solvers/problem_ops.h"
#include "solvers/solvers.h"

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

// Were the impulses that the geometric stiffness was made from, or those that first touches were guessed to bear, the wrong ones?
// Then the problem is put right.
static bool amend(CairnStep *step) {
    const CairnWorldDef *def = &step->world->def;
    int stiff_passes = def->geometric_stiffness ? def->geometric_passes : 1;
    bool again = step->pass < stiff_passes && cairn_step_stiffen_again(step);
    if (!cairn_step_failed(step) && step->pass < def->touch_passes) {
        again = cairn_step_bound_again(step) || again;
    }
    return again && !cairn_step_failed(step);
}

// v = P^-1 (p + J^T lambda): the engine's own, so that no solver's bookkeeping reaches the bodies.
static void find_velocities(CairnStep *step) {
    CairnOps ops;
    CairnArenaMark mark = cairn_arena_mark(step->arena);
    step->status = cairn_ops_init(&ops, &step->problem, step->arena);
    if (!cairn_step_failed(step)) {
        cairn_ops_velocity(&ops, step->lambda, step->velocity);
    }
    cairn_arena_release(step->arena, mark);
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

bool cairn_step_solve(CairnStep *step) {
    if (cairn_step_failed(step)) {
        return false;
    }
    double t0 = cairn_timer_now();
    bool has_rows = step->problem.row_count > 0, again = false;
    step->pass += 1;
    step->stats.contact_passes += step->pass == 1;
    if (has_rows) {
        check_problem(step);
    }
    if (has_rows && !cairn_step_failed(step)) {
        solve_once(step);
        step->stats.solves += 1;
    }
    if (!cairn_step_failed(step)) {
        find_velocities(step); // with the problem as it was solved
    }
    if (has_rows && !cairn_step_failed(step)) {
        again = amend(step);
    }
    step->stats.times.solve += cairn_timer_now() - t0;
    return again;
}
