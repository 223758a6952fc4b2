// auto: the solver for who names none. It picks by the problem's law, and says in its report which method gave the
// answer.
//
// Bounds alone: bpp, which ends by the interior point where index sets cycle. Friction cones: methods fail on different
// problems, and each costs the less the nearer it starts. So from the last step's impulses a few steps of Newton's
// method (newton-cone), which is all that a scene at rest needs; then sweeps with momentum, which take a millisecond or
// two and leave 1e-4, and Newton's method from there; then Newton's method from nothing, whose path is another one; then
// more sweeps; and at last the central paths of ipm-cone, which arrive wherever there is an answer. Where W itself is
// given, as in files, and no start is, Newton's method from nothing comes first: it takes a few dozen factors, and from
// what few sweeps leave of such problems it needs as many. An unsymmetric W has no central path.
#include "solvers/auto.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "solvers/exact/bpp.h"
#include "solvers/exact/ipm_cone.h"
#include "solvers/exact/newton_cone.h"
#include "solvers/problem/accept.h"
#include "solvers/problem/law.h"
#include "solvers/sweeps/psor.h"

enum { STEPS = 40 };

static const CairnField auto_fields[] = {
    CAIRN_FIELD_INT(CairnAutoOptions, iterations, STEPS, 1, 100000,
                    "under friction cones: most steps of Newton's method; fewer: of all tries together, and no more"),
    CAIRN_FIELD_INT(CairnAutoOptions, sweeps, 200, 0, 1000000, "under friction cones: sweeps where it does not arrive"),
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
    double claimed;      // of the best impulses
    double *kept, least; // the best that any method has ended with, for what sweeps leave may be worse
    int left;            // Newton steps, where these are a budget
} Auto;

static bool has_cones(const CairnProblem *problem) {
    return cairn_law_find(problem, CAIRN_FRICTION_CONE) >= 0 || cairn_law_find(problem, CAIRN_FRICTION_COULOMB) >= 0;
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
    if (status.code == CAIRN_NUMERIC || status.code == CAIRN_UNSUPPORTED) {
        return cairn_ok();
    }
    CAIRN_TRY(status);
    int iterations = a->report->iterations + own.iterations, factors = a->report->factorizations + own.factorizations;
    a->left -= own.iterations;
    if (own.claimed < a->least) {
        memcpy(a->kept, a->lambda, size);
        a->least = own.claimed;
    }
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
    static const double share = 1e-9; // of max|b|: nothing is left to do then
    CairnPsorOptions options = {
        .iterations = count, .omega = 1, .lambda = 1, .tolerance = 0, .share = share, .momentum = true};
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
    CairnNewtonConeOptions newton = {.iterations = steps < a->left ? steps : a->left, .tolerance = 1e-10};
    return a->left <= 0 ? cairn_ok() : call(a, &cairn_solver_newton_cone, &newton, is_done);
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

// Fewer steps than by default are a budget of all tries together: nothing follows when they are over.
static bool is_budget(const CairnAutoOptions *options) {
    return options->iterations < STEPS;
}

static CairnStatus solve_cones(Auto *a, const CairnAutoOptions *options) {
    static const CairnIpmConeOptions path = {
        .formulation = CAIRN_FORMULATION_AUTO, .iterations = 120, .path = 700, .tolerance = 1e-10};
    enum { WARM = 6, FEW = 1, MANY = 5 }; // Newton steps from the last step's impulses; rounds of sweeps
    bool is_done = false;
    if (cairn_is_ok(cairn_solver_accepts(&cairn_solver_newton_cone, a->problem))) {
        int most = options->iterations;
        bool is_cold = is_zero(a->best, a->problem->row_count), is_given = a->problem->form == CAIRN_FORM_EXPLICIT;
        if (!is_cold || is_given) {
            CAIRN_TRY(find(a, is_cold || most < WARM ? most : WARM, &is_done));
        }
        for (int round = FEW; round <= MANY && !is_done; round += MANY - FEW) {
            if (options->sweeps > 0 && a->left > 0) {
                CAIRN_TRY(sweep(a, round * options->sweeps));
                CAIRN_TRY(find(a, most, &is_done));
            }
            if (!is_done && round == FEW && !(is_cold && is_given)) {
                CAIRN_TRY(find_from_nothing(a, most, &is_done));
            }
        }
    }
    bool has_path = cairn_is_ok(cairn_solver_accepts(&cairn_solver_ipm_cone, a->problem));
    return is_done || !has_path || is_budget(options) ? cairn_ok() : call(a, &cairn_solver_ipm_cone, &path, &is_done);
}

static CairnStatus solve_auto(const CairnProblem *problem, const CairnParts *parts, const void *options,
                              CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    CairnAutoOptions chosen;
    size_t rows = (size_t)problem->row_count + 1;
    CAIRN_TRY(cairn_solver_options(&auto_options, options, &chosen));
    if (!has_cones(problem)) {
        CAIRN_TRY(cairn_solver_bpp.solve(problem, parts, NULL, context, lambda, report));
        report->finisher = report->finisher != NULL ? report->finisher : cairn_solver_bpp.name;
        return cairn_ok();
    }
    Auto a = {.problem = problem, .parts = parts, .context = *context, .report = report, .claimed = (double)INFINITY};
    a.best = CAIRN_PUSH(context->arena, double, rows);
    a.lambda = CAIRN_PUSH(context->arena, double, rows);
    a.kept = CAIRN_PUSH(context->arena, double, rows);
    if (a.best == NULL || a.lambda == NULL || a.kept == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "auto: no memory for %zu rows", rows - 1);
    }
    memcpy(a.best, lambda, (rows - 1) * sizeof *lambda);
    a.outer = context;
    a.context.review = context->review != NULL ? review_once : NULL;
    a.context.review_user = &a;
    *report = (CairnSolveReport){.outcome = CAIRN_OUTCOME_STALLED, .claimed = (double)INFINITY};
    a.least = (double)INFINITY;
    a.left = is_budget(&chosen) ? chosen.iterations : INT_MAX;
    CAIRN_TRY(solve_cones(&a, &chosen));
    bool is_worse = report->outcome != CAIRN_OUTCOME_CONVERGED && !report->is_superseded && a.least < a.claimed;
    memcpy(lambda, is_worse ? a.kept : a.best, (rows - 1) * sizeof *lambda);
    report->claimed = is_worse ? a.least : report->claimed;
    report->leaves_rest = !is_budget(&chosen);
    return cairn_ok();
}

const CairnSolver cairn_solver_auto = {
    .name = "auto",
    .summary = "picks by the law: bpp for bounds; for friction cones sweeps, Newton's method, central paths",
    .traits = CAIRN_TAKES_BOUNDS | CAIRN_TAKES_BOX_CURRENT | CAIRN_TAKES_CONE | CAIRN_TAKES_COULOMB |
              CAIRN_TAKES_EXPLICIT | CAIRN_TAKES_UNSYMMETRIC,
    .options = &auto_options,
    .solve = solve_auto,
    .forget = cairn_system_forget,
};
