// Solve: problem, parts -> impulses -> velocities, and the review of both. A long solve calls the review before it has
// converged (CairnSolverContext.review), to learn whether its problem is still the right one; the review changes
// nothing, and the problem is constant while the solver runs.
#include "engine/base/log.h"
#include "engine/base/timer.h"
#include "engine/step/step.h"
#include "solvers/problem/problem_ops.h"
#include "solvers/referee/residual.h"
#include <cairn/solve.h>
#include <string.h>

// v = P^-1 (p + J^T lambda), computed by the engine, so that rounding in a solver's internal velocities does not reach
// the bodies.
static void find_velocities(CairnStep *step, const CairnProblem *problem, const double *lambda, double *velocity) {
    CairnOps ops;
    CairnArenaMark mark = cairn_arena_mark(step->arena);
    step->status = cairn_ops_init(&ops, problem, step->arena);
    if (!cairn_step_failed(step)) {
        cairn_ops_velocity(&ops, lambda, velocity);
    }
    cairn_arena_release(step->arena, mark);
}

// What a question during the solve is answered from, and what was found.
typedef struct ReviewCall {
    CairnStep *step;
    const CairnStepContacts *contacts;
    const CairnStepSystem *system;
    int pass;
    CairnStepReview found;
} ReviewCall;

// CairnSolverContext.review. The solver works in the step's arena, so what is found lies in another one; it outlasts
// the solve.
static bool review_now(void *user, const double *lambda) {
    ReviewCall *call = user;
    CairnStep *step = call->step;
    const CairnProblem *problem = &call->system->problem;
    CairnArena *arena = step->arena;
    step->arena = &step->world->ahead;
    double *kept = CAIRN_STEP_PUSH(step, double, problem->row_count);
    double *velocity = CAIRN_STEP_PUSH(step, double, problem->dof_count);
    if (!cairn_step_failed(step)) {
        memcpy(kept, lambda, (size_t)problem->row_count * sizeof *lambda);
        find_velocities(step, problem, kept, velocity);
    }
    call->found = (CairnStepReview){.lambda = kept, .velocity = velocity};
    cairn_step_review(step, call->contacts, call->system, call->pass, &call->found);
    step->arena = arena;
    return cairn_step_failed(step) || cairn_step_is_superseded(&call->found);
}

// The bodies' velocities at the start of the step, by dofs: what a solver may start from. They lie where its answer
// will.
static void write_start(const CairnStep *step, double *velocity) {
    for (int i = 0; i < step->block_count; i++) {
        CairnVec3 linear = step->blocks[i].start.linear, angular = step->blocks[i].start.angular;
        double *at = velocity + (ptrdiff_t)6 * i;
        at[0] = linear.x;
        at[1] = linear.y;
        at[2] = linear.z;
        at[3] = angular.x;
        at[4] = angular.y;
        at[5] = angular.z;
    }
}

// What the solve begins with outlasts it (cairn_world_problem_start). All passes of one problem use the same memory.
static void copy_start(CairnStep *step, const CairnProblem *problem, const CairnStepAnswer *answer) {
    CairnWorld *world = step->world;
    size_t rows = (size_t)problem->row_count, dofs = (size_t)problem->dof_count;
    if (answer->pass == 1) {
        world->start_lambda = CAIRN_STEP_PUSH(step, double, rows);
        world->start_velocity = CAIRN_STEP_PUSH(step, double, dofs);
    }
    if (!cairn_step_failed(step)) {
        memcpy(world->start_lambda, answer->lambda, rows * sizeof *answer->lambda);
        memcpy(world->start_velocity, answer->velocity, dofs * sizeof *answer->velocity);
        world->start_is_rough = answer->is_rough;
    }
}

static void add_phases(CairnSolvePhases *sum, const CairnSolvePhases *phases) {
    sum->prepare += phases->prepare;
    sum->factor += phases->factor;
    sum->apply += phases->apply;
    sum->reduce += phases->reduce;
    sum->interface += phases->interface;
    sum->subsystems += phases->subsystems;
}

void cairn_step_add_report(CairnSolveReport *sum, const CairnSolveReport *report) {
    sum->outcome = report->outcome;
    sum->claimed = report->claimed;
    sum->iterations += report->iterations;
    sum->factorizations += report->factorizations;
    sum->coupling += report->coupling;
    sum->changed += report->changed;
    sum->refactored += report->refactored;
    add_phases(&sum->phases, &report->phases);
    sum->fallback = sum->fallback > report->fallback ? sum->fallback : report->fallback;
    sum->finisher = report->finisher != NULL ? report->finisher : sum->finisher;
    sum->is_beyond_digits = report->is_beyond_digits;
}

// What a caller gave may be finite and yet too large to compute with: no solver ever sees such a problem.
static void check_problem(CairnStep *step, const CairnProblem *problem) {
    CairnStatus status = cairn_problem_check(problem);
    if (!cairn_is_ok(status)) {
        step->status = cairn_error(CAIRN_NUMERIC, "step: %.200s", status.message);
    }
}

void cairn_step_solve(CairnStep *step, const CairnStepContacts *contacts, const CairnStepSystem *system,
                      const CairnStepParts *parts, CairnStepAnswer *answer) {
    if (cairn_step_failed(step)) {
        return;
    }
    double t0 = cairn_timer_now(), review_time = step->stats.times.foresee; // which reviews add to
    const CairnProblem *problem = &system->problem;
    CairnWorld *world = step->world;
    CairnSolveResult result = {0};
    ReviewCall call = {.step = step, .contacts = contacts, .system = system, .pass = ++answer->pass};
    step->stats.contact_passes += answer->pass == 1;
    if (problem->row_count > 0) {
        check_problem(step, problem);
    }
    if (problem->row_count > 0 && !cairn_step_failed(step)) {
        write_start(step, answer->velocity);
        copy_start(step, problem, answer);
    }
    if (problem->row_count > 0 && !cairn_step_failed(step)) {
        CairnSolveRequest request = {.solver = world->solver,
                                     .options = world->solver_options,
                                     .parts = &parts->parts,
                                     .allocator = &world->allocator,
                                     .logger = &world->def.logger,
                                     .thread_count = step->threads,
                                     .is_checked = true,
                                     .arena = step->arena,
                                     .review = review_now,
                                     .review_user = &call,
                                     .velocity = answer->velocity,
                                     .is_rough = answer->is_rough,
                                     .part_seconds = parts->seconds,
                                     .memory = &world->solver_memory};
        CairnStatus status = cairn_problem_solve(problem, &request, answer->lambda, &result);
        step->status = cairn_step_failed(step) ? step->status : status; // what failed in a review comes first
        step->stats.solves += 1;
        cairn_step_add_report(&step->stats.solve, &result.report);
    }
    answer->has_exact = result.report.leaves_rest;
    answer->is_rough = result.report.is_superseded && cairn_step_is_superseded(&call.found);
    if (answer->is_rough) { // the answer is the impulses that were reviewed
        answer->review = call.found;
        memcpy(answer->lambda, call.found.lambda, (size_t)problem->row_count * sizeof *answer->lambda);
        memcpy(answer->velocity, call.found.velocity, (size_t)problem->dof_count * sizeof *answer->velocity);
    } else if (!cairn_step_failed(step)) {
        find_velocities(step, problem, answer->lambda, answer->velocity);
        answer->review = (CairnStepReview){.lambda = answer->lambda, .velocity = answer->velocity};
        cairn_step_review(step, contacts, system, answer->pass, &answer->review);
    }
    step->stats.times.solve += cairn_timer_now() - t0 - (step->stats.times.foresee - review_time);
}

// The dynamic bodies of the row that is worst.
static void name_worst(CairnStep *step, const CairnProblem *problem) {
    CairnStats *stats = &step->stats;
    stats->worst_bodies[0] = stats->worst_bodies[1] = (CairnBodyId){0};
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *constraint = &problem->constraints[c];
        int row = stats->residual.worst_row - constraint->first_row;
        for (int t = 0; row >= 0 && row < constraint->row_count && t < constraint->term_count && t < 2; t++) {
            int block = problem->terms[constraint->first_term + t].block;
            stats->worst_bodies[t] = cairn_world_body_id(step->world, step->blocks[block].body);
        }
    }
}

// Where the masses of two bodies differ by this factor, an impulse that the heavy one needs has no digits left that the
// light one would notice.
static const double too_steep = 1e9;

static void warn(const CairnStep *step) {
    const CairnStats *stats = &step->stats;
    double mass[2];
    for (int k = 0; k < 2; k++) {
        int index = (int)stats->worst_bodies[k].index - 1;
        if (index < 0) {
            return;
        }
        mass[k] = step->store->bodies[index].model->mass;
    }
    if (fmax(mass[0], mass[1]) > too_steep * fmin(mass[0], mass[1])) {
        cairn_log(&step->world->def.logger, CAIRN_LOG_WARNING,
                  "step: not certified: %.2g m/s are left between body %u of %g kg and body %u of %g kg, which is more "
                  "than a double's digits bear",
                  stats->residual.scaled, stats->worst_bodies[0].index, mass[0], stats->worst_bodies[1].index, mass[1]);
    }
}

void cairn_step_judge(CairnStep *step, const CairnStepSystem *system, const CairnStepAnswer *answer) {
    if (cairn_step_failed(step)) {
        return;
    }
    double t0 = cairn_timer_now();
    CairnStatus status =
        cairn_residual_by(&system->problem, answer->lambda, step->threads, step->arena, &step->stats.residual);
    if (status.code == CAIRN_NUMERIC) { // velocities are too large, and integration names the body
        step->stats.residual = (CairnResidual){.worst_row = -1, .excess = (double)INFINITY};
        status = cairn_ok();
    }
    step->status = status;
    if (!cairn_step_failed(step) && !step->stats.residual.is_certified) {
        name_worst(step, &system->problem);
        warn(step);
    }
    step->stats.times.referee += cairn_timer_now() - t0;
}
