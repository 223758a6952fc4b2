// Solve: problem, parts -> lambda -> velocities.
#include "engine/base/timer.h"
#include "engine/step/step.h"
#include "solvers/problem/problem_ops.h"
#include <cairn/solve.h>
#include <string.h>

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

// The bodies' velocities at the start of the step, by dofs: what a solver may start from. They lie where its answer will.
static void write_start(CairnStep *step) {
    for (int i = 0; i < step->block_count; i++) {
        CairnVec3 linear = step->blocks[i].start.linear, angular = step->blocks[i].start.angular;
        double *at = step->velocity + step->problem.blocks[i].first;
        at[0] = linear.x;
        at[1] = linear.y;
        at[2] = linear.z;
        at[3] = angular.x;
        at[4] = angular.y;
        at[5] = angular.z;
    }
}

// Part of the way through a long solve: does what it leads to make another problem of it? Then the rest is spared. What is found out
// must outlast the solver's scratch, so it lies in an arena of its own.
static bool review(void *user, const double *lambda) {
    CairnStep *step = user;
    CairnArena *arena = step->arena;
    double *answer = step->lambda;
    step->arena = &step->world->ahead;
    step->lambda = CAIRN_STEP_PUSH(step, double, step->problem.row_count);
    if (!cairn_step_failed(step)) {
        memcpy(step->lambda, lambda, (size_t)step->problem.row_count * sizeof *lambda);
        find_velocities(step);
    }
    bool again = !cairn_step_failed(step) && amend(step);
    step->leads_on = cairn_step_foresee(step);
    step->arena = arena;
    step->was_rough = again || step->leads_on || cairn_step_failed(step);
    step->lambda = step->was_rough ? step->lambda : answer;
    if (!step->was_rough) {
        write_start(step); // the solver goes on
    }
    return step->was_rough;
}

static void add_phases(CairnSolvePhases *sum, const CairnSolvePhases *phases) {
    sum->prepare += phases->prepare;
    sum->factor += phases->factor;
    sum->apply += phases->apply;
    sum->reduce += phases->reduce;
    sum->interface += phases->interface;
    sum->subsystems += phases->subsystems;
}

// What the solve begins with outlasts it (cairn_world_problem_start). The passes of one problem share a place.
static void keep_start(CairnStep *step) {
    CairnWorld *world = step->world;
    size_t rows = (size_t)step->problem.row_count, dofs = (size_t)step->problem.dof_count;
    if (step->pass == 1) {
        world->start_lambda = CAIRN_STEP_PUSH(step, double, rows);
        world->start_velocity = CAIRN_STEP_PUSH(step, double, dofs);
    }
    if (!cairn_step_failed(step)) {
        memcpy(world->start_lambda, step->lambda, rows * sizeof *step->lambda);
        memcpy(world->start_velocity, step->velocity, dofs * sizeof *step->velocity);
        world->start_is_rough = step->was_rough;
    }
}

static void solve_once(CairnStep *step) {
    CairnWorld *world = step->world;
    write_start(step);
    keep_start(step);
    if (cairn_step_failed(step)) {
        return;
    }
    CairnSolveRequest request = {.solver = world->solver,
                                 .options = world->solver_options,
                                 .parts = &step->parts,
                                 .allocator = &world->allocator,
                                 .logger = &world->def.logger,
                                 .thread_count = step->threads,
                                 .is_checked = true, // check_problem
                                 .arena = step->arena,
                                 .review = review,
                                 .review_user = step,
                                 .velocity = step->velocity,
                                 .is_rough = step->was_rough,
                                 .part_seconds = step->part_seconds,
                                 .memory = &world->solver_memory};
    CairnSolveResult result;
    step->was_rough = false;
    CairnStatus status = cairn_problem_solve(&step->problem, &request, step->lambda, &result);
    step->status = cairn_step_failed(step) ? step->status : status;
    const CairnSolveReport report = result.report;
    step->stats.solve.outcome = report.outcome;
    step->stats.solve.claimed = report.claimed;
    step->stats.solve.iterations += report.iterations;
    step->stats.solve.factorizations += report.factorizations;
    step->stats.solve.coupling += report.coupling;
    step->stats.solve.changed += report.changed;
    step->stats.solve.refactored += report.refactored;
    add_phases(&step->stats.solve.phases, &report.phases);
    step->stats.solve.fallback =
        step->stats.solve.fallback > report.fallback ? step->stats.solve.fallback : report.fallback;
}

// What a caller gave may be finite and yet too large to compute with: no solver ever sees such a problem.
static void check_problem(CairnStep *step) {
    CairnStatus status = cairn_problem_check(&step->problem);
    if (!cairn_is_ok(status)) {
        step->status = cairn_error(CAIRN_NUMERIC, "step: %.200s", status.message);
    }
}

bool cairn_step_solve(CairnStep *step) {
    if (cairn_step_failed(step)) {
        return false;
    }
    double t0 = cairn_timer_now(), foreseen = step->stats.times.foresee; // which a review may add to
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
    if (!cairn_step_failed(step) && !step->was_rough) {
        find_velocities(step); // with the problem as it was solved
    }
    if (has_rows && !cairn_step_failed(step)) {
        again = step->was_rough || amend(step);
    }
    step->stats.times.solve += cairn_timer_now() - t0 - (step->stats.times.foresee - foreseen);
    return again;
}
