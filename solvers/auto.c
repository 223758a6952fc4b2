// auto: the solver for who names none. It picks by the problem's law, and says in its report which method gave the
// answer.
//
// Bounds that stand: bpp, which ends by the interior point where index sets cycle. Friction cones, and bounds that follow
// the load (box-current): methods fail on different problems, and each costs the less the nearer it starts. So from the last step's impulses a few steps of Newton's
// method (newton-cone), which is all that a scene at rest needs; then sweeps with momentum, which take a millisecond or
// two and leave 1e-4, and Newton's method from there; then Newton's method from nothing, whose path is another one; then
// more sweeps; and at last the central paths of ipm-cone, which arrive wherever there is an answer.
#include "solvers/auto.h"

#include <math.h>
#include <string.h>

#include "solvers/exact/bpp.h"
#include "solvers/exact/ipm_cone.h"
#include "solvers/exact/newton_cone.h"
#include "solvers/problem/accept.h"
#include "solvers/problem/law.h"
#include "solvers/sweeps/psor.h"

static const CairnField auto_fields[] = {
    CAIRN_FIELD_INT(CairnAutoOptions, iterations, 40, 1, 100000,
                    "under cones and box-current: most steps of Newton's method"),
    CAIRN_FIELD_INT(CairnAutoOptions, sweeps, 200, 0, 1000000,
                    "under cones and box-current: sweeps where it does not arrive"),
};

static const CairnFieldTable auto_options = CAIRN_FIELD_TABLE("auto", CairnAutoOptions, auto_fields);

typedef struct Auto {
    CairnSolverContext *outer;
    bool has_asked; // the outer context's review is called once
    const CairnProblem *problem;
    const CairnParts *parts;
    CairnSolverContext context;
    CairnSolveReport *report;
    double *best, *lambda;
    double claimed; // of the best impulses
} Auto;

// Bounds that stand, as bpp takes them at the least price.
static bool has_fixed_bounds(const CairnProblem *problem) {
    for (int kind = CAIRN_FRICTION_BOX + 1; kind < CAIRN_FRICTION_KIND_COUNT; kind++) {
        if (cairn_law_find(problem, (CairnFrictionKind)kind) >= 0) {
            return false;
        }
    }
    return true;
}

static bool review_once(void *user, const double *lambda) {
    Auto *a = user;
    bool asks = !a->has_asked;
    a->has_asked = true;
    return asks && a->outer->review(a->outer->review_user, lambda);
}

static bool is_zero(const double *lambda, int count) {
    for (int i = 0; i < count; i++) {
        if (lambda[i] != 0) {
            return false;
        }
    }
    return true;
}

// Calls a solver and adds its report. An outcome without numbers leaves the best impulses as they are.
static CairnStatus call(Auto *a, const CairnSolver *solver, const void *options, bool *is_done) {
    CairnSolveReport own = {0};
    size_t size = (size_t)a->problem->row_count * sizeof *a->lambda;
    memcpy(a->lambda, a->best, size);
    CairnArenaMark mark = cairn_arena_mark(a->context.arena);
    CairnStatus status = solver->solve(a->problem, a->parts, options, &a->context, a->lambda, &own);
    cairn_arena_release(a->context.arena, mark);
    if (status.code == CAIRN_NUMERIC) {
        return cairn_ok();
    }
    CAIRN_TRY(status);
    int iterations = a->report->iterations + own.iterations, factors = a->report->factorizations + own.factorizations;
    *is_done = own.is_superseded || own.outcome == CAIRN_OUTCOME_CONVERGED;
    if (*is_done || own.claimed < a->claimed) {
        memcpy(a->best, a->lambda, size);
        a->claimed = own.claimed;
        *a->report = own;
        a->report->finisher = solver->name;
    }
    a->report->iterations = iterations;
    a->report->factorizations = factors;
    return cairn_ok();
}

// Sweeps never end a solve: what they leave goes to Newton's method, though its measure may be worse than before.
static CairnStatus sweep(Auto *a, int count) {
    CairnPsorOptions options = {.iterations = count, .omega = 1, .lambda = 1, .tolerance = 0, .momentum = true};
    CairnSolverContext alone = a->context;
    CairnSolveReport own = {0};
    alone.memory = NULL;
    size_t size = (size_t)a->problem->row_count * sizeof *a->lambda;
    memcpy(a->lambda, a->best, size);
    CairnArenaMark mark = cairn_arena_mark(alone.arena);
    CairnStatus status = cairn_solver_psor.solve(a->problem, a->parts, &options, &alone, a->lambda, &own);
    cairn_arena_release(alone.arena, mark);
    if (status.code == CAIRN_NUMERIC) {
        return cairn_ok();
    }
    CAIRN_TRY(status);
    memcpy(a->best, a->lambda, size);
    a->claimed = (double)INFINITY;
    a->report->iterations += own.iterations;
    return cairn_ok();
}

static CairnStatus find(Auto *a, int steps, bool *is_done) {
    CairnNewtonConeOptions newton = {.iterations = steps, .tolerance = 1e-10};
    return call(a, &cairn_solver_newton_cone, &newton, is_done);
}

static CairnStatus find_from_nothing(Auto *a, int steps, bool *is_done) {
    size_t size = (size_t)a->problem->row_count * sizeof *a->best;
    double *start = a->best, *zeros = cairn_arena_push_zero(a->context.arena, 1, size);
    if (zeros == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "auto: no memory for %d rows", a->problem->row_count);
    }
    a->best = zeros;
    CAIRN_TRY(find(a, steps, is_done));
    if (!*is_done) { // sweeps go on from the last step's impulses, which are nearer
        a->best = start;
    }
    return cairn_ok();
}

static CairnStatus solve_cones(Auto *a, const CairnAutoOptions *options) {
    static const CairnIpmConeOptions path = {
        .formulation = CAIRN_FORMULATION_AUTO, .iterations = 120, .path = 700, .tolerance = 1e-10};
    enum { WARM = 6, FEW = 1, MANY = 5 }; // Newton steps from the last step's impulses; rounds of sweeps
    bool is_done = false;
    if (cairn_is_ok(cairn_solver_accepts(&cairn_solver_newton_cone, a->problem))) {
        int most = options->iterations;
        if (!is_zero(a->best, a->problem->row_count)) {
            CAIRN_TRY(find(a, most < WARM ? most : WARM, &is_done));
        }
        for (int round = FEW; round <= MANY && !is_done; round += MANY - FEW) {
            if (options->sweeps > 0) {
                CAIRN_TRY(sweep(a, round * options->sweeps));
                CAIRN_TRY(find(a, most, &is_done));
            }
            if (!is_done && round == FEW) {
                CAIRN_TRY(find_from_nothing(a, most, &is_done));
            }
        }
    }
    return is_done ? cairn_ok() : call(a, &cairn_solver_ipm_cone, &path, &is_done);
}

static CairnStatus solve_auto(const CairnProblem *problem, const CairnParts *parts, const void *options,
                              CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    CairnAutoOptions chosen;
    size_t rows = (size_t)problem->row_count + 1;
    CAIRN_TRY(cairn_solver_options(&auto_options, options, &chosen));
    if (has_fixed_bounds(problem)) {
        CAIRN_TRY(cairn_solver_bpp.solve(problem, parts, NULL, context, lambda, report));
        report->finisher = report->finisher != NULL ? report->finisher : cairn_solver_bpp.name;
        return cairn_ok();
    }
    Auto a = {.problem = problem, .parts = parts, .context = *context, .report = report, .claimed = (double)INFINITY};
    a.best = CAIRN_PUSH(context->arena, double, rows);
    a.lambda = CAIRN_PUSH(context->arena, double, rows);
    if (a.best == NULL || a.lambda == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "auto: no memory for %zu rows", rows - 1);
    }
    memcpy(a.best, lambda, (rows - 1) * sizeof *lambda);
    a.outer = context;
    a.context.review = context->review != NULL ? review_once : NULL;
    a.context.review_user = &a;
    *report = (CairnSolveReport){.outcome = CAIRN_OUTCOME_STALLED, .claimed = (double)INFINITY};
    CAIRN_TRY(solve_cones(&a, &chosen));
    memcpy(lambda, a.best, (rows - 1) * sizeof *lambda);
    report->leaves_rest = true;
    return cairn_ok();
}

const CairnSolver cairn_solver_auto = {
    .name = "auto",
    .summary =
        "picks by the law: bpp for bounds; where friction follows the load sweeps, Newton's method, central paths",
    .traits =
        CAIRN_TAKES_BOUNDS | CAIRN_TAKES_BOX_CURRENT | CAIRN_TAKES_CONE | CAIRN_TAKES_COULOMB | CAIRN_TAKES_EXPLICIT,
    .options = &auto_options,
    .solve = solve_auto,
    .forget = cairn_system_forget,
};
