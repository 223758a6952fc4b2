// auto: the solver for who names none. It picks by the problem's law, and says in its report which method gave the
// answer.
//
// Bounds that stand: bpp, which ends by the interior point where index sets cycle. The convex cone alone: the central
// path of ipm-cone. Coulomb's law, and bounds that follow the load (box-current): Newton's method (newton-cone), which
// costs the less the nearer it starts. From the last step's impulses where those nearly are the answer, as in a scene at
// rest. Else from sweeps with momentum, which take a millisecond or two, leave 1e-4, and go on for longer where Newton's
// method does not arrive from there. In between paths by their length, and at last the central paths of ipm-cone. Where
// W itself is given, as in files, Newton's method comes before the sweeps: it takes a few dozen factors from nothing,
// and from what few sweeps leave of such problems as many. An unsymmetric W has no central path.
#include "solvers/auto.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "solvers/exact/bpp.h"
#include "solvers/exact/ipm_cone.h"
#include "solvers/exact/newton_cone.h"
#include "solvers/exact/rest_start.h"
#include "solvers/problem/accept.h"
#include "solvers/problem/law.h"
#include "solvers/sweeps/psor.h"

enum { STEPS = 25 };

static const CairnField auto_fields[] = {
    CAIRN_FIELD_INT(
        CairnAutoOptions, iterations, STEPS, 1, 100000,
        "under cones and box-current: most steps of Newton's method from one start; fewer: from all of them, and no "
        "other way follows"),
    CAIRN_FIELD_INT(CairnAutoOptions, sweeps, 100, 0, 1000000, "under cones and box-current: sweeps before it"),
};

static const double tolerance = 1e-10; // of max|b|: where Newton's method stops
static const double near = 1e-3;       // of max|b|: the start needs no sweeps

static const CairnFieldTable auto_options = CAIRN_FIELD_TABLE("auto", CairnAutoOptions, auto_fields);

typedef struct Auto {
    const CairnProblem *problem;
    const CairnParts *parts;
    CairnSolverContext *context;
    CairnNewtonCone newton;
    CairnBest best;              // that any method has met
    const CairnSolver *finisher; // whose it is
    const double *given;         // the start
    double *lambda;              // where sweeps are; at last the answer
    double *found;               // what another method found
    int sweep_count;             // so far
    int left;                    // Newton steps, where these are a budget
    int others;                  // factors of other methods than Newton's
    bool is_at_rest;             // the start is the convex law's answer
    bool has_ended;              // another method was called
} Auto;

// Fewer steps than by default are a budget of all starts together.
static bool is_budget(const CairnAutoOptions *options) {
    return options->iterations < STEPS;
}

// Bounds that stand, as bpp takes them at the least price.
static bool has_fixed_bounds(const CairnProblem *problem) {
    for (int kind = CAIRN_FRICTION_BOX + 1; kind < CAIRN_FRICTION_KIND_COUNT; kind++) {
        if (cairn_law_find(problem, (CairnFrictionKind)kind) >= 0) {
            return false;
        }
    }
    return true;
}

static CairnStatus sweep(Auto *a, int count) {
    static const double share = 1e-9; // of max|b|: nothing is left to do then
    CairnPsorOptions options = {
        .iterations = count, .omega = 1, .lambda = 1, .tolerance = 0, .share = share, .momentum = true};
    CairnSolverContext alone = *a->context;
    CairnSolveReport swept = {0};
    alone.memory = NULL;
    CairnArenaMark mark = cairn_arena_mark(alone.arena);
    CairnStatus status = cairn_solver_psor.solve(a->problem, a->parts, &options, &alone, a->lambda, &swept);
    cairn_arena_release(alone.arena, mark);
    a->sweep_count += swept.iterations;
    return status.code == CAIRN_NUMERIC ? cairn_ok() : status; // they leave lambda as it was
}

// The iterate is what this solver has found: the answer, or the best unless a better one was met.
static void take(Auto *a, const CairnSolver *solver, double measure, bool is_answer) {
    CairnExact *exact = &a->newton.cones.exact;
    if (is_answer || measure < a->best.measure) {
        cairn_best_set(&a->best, exact, measure);
        a->finisher = solver;
    }
}

// Newton's method from the iterate.
static CairnStatus find(Auto *a, CairnStatus (*method)(CairnSmooth *, int, double *), int steps, bool *is_done) {
    CairnExact *exact = &a->newton.cones.exact;
    double measure;
    int before = exact->iterations;
    CAIRN_TRY(method(a->newton.smooth, steps < a->left ? steps : a->left, &measure));
    a->left -= exact->iterations - before;
    *is_done = exact->is_superseded || measure <= exact->limit;
    take(a, &cairn_solver_newton_cone, measure, *is_done);
    return cairn_ok();
}

// Another method from the start that was given.
static CairnStatus call(Auto *a, const CairnSolver *solver, const void *options, bool *is_done) {
    CairnExact *exact = &a->newton.cones.exact;
    CairnSolverContext context = *a->context;
    CairnSolveReport report = {0};
    CairnArenaMark mark = cairn_arena_mark(context.arena);
    memcpy(a->found, a->given, (size_t)a->problem->row_count * sizeof *a->found);
    context.review = exact->may_ask ? context.review : NULL; // which is asked once
    CairnStatus status = solver->solve(a->problem, a->parts, options, &context, a->found, &report);
    cairn_arena_release(context.arena, mark);
    if (status.code == CAIRN_NUMERIC) {
        return cairn_ok();
    }
    CAIRN_TRY(status);
    a->others += report.factorizations;
    exact->is_superseded = report.is_superseded;
    *is_done = report.is_superseded || report.outcome == CAIRN_OUTCOME_CONVERGED;
    take(a, solver, cairn_cones_start(&a->newton.cones, a->found), *is_done);
    return cairn_ok();
}

// Where nothing is known of a component's impulses, the answer that is nearest to rest is the start (rest_start.h). Not
// where that is no start, for what moves is found sooner by sweeps; nor where W is given, whose convex answer costs more.
static CairnStatus start(Auto *a, double *measure) {
    CairnExact *exact = &a->newton.cones.exact;
    int rows = a->problem->row_count;
    if (a->problem->form == CAIRN_FORM_EXPLICIT) {
        *measure = cairn_cones_start(&a->newton.cones, a->lambda);
        return cairn_ok();
    }
    double *first = CAIRN_PUSH(a->context->arena, double, rows + 1);
    if (first == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "auto: no memory for %d rows", rows);
    }
    int factors = 0;
    memcpy(first, a->lambda, (size_t)rows * sizeof *first);
    CAIRN_TRY(cairn_rest_start(a->problem, a->parts, a->context, exact->b, a->lambda, &factors));
    a->others += factors;
    a->is_at_rest = factors > 0;
    *measure = cairn_cones_start(&a->newton.cones, a->lambda);
    if (a->is_at_rest && *measure > near * exact->scale) {
        memcpy(a->lambda, first, (size_t)rows * sizeof *first);
        *measure = cairn_cones_start(&a->newton.cones, a->lambda);
    }
    return cairn_ok();
}

// Bounds that follow the load.
static bool is_current(const CairnProblem *problem) {
    return cairn_law_find(problem, CAIRN_FRICTION_BOX_CURRENT) >= 0;
}

// Contacts between loose bodies: sweeps bring these near the answer, and joints hardly.
static bool is_heap(const CairnProblem *problem) {
    int rows = 0;
    for (int f = 0; f < problem->friction_count; f++) {
        rows += 3 + problem->frictions[f].spin_rows;
    }
    return 10 * (double)rows >= 9 * (double)problem->row_count;
}

// Where W is given: Newton's method from the start, then from nothing along other paths.
static CairnStatus find_given(Auto *a, const CairnAutoOptions *options, bool *is_done) {
    int steps = 5 * options->iterations / 2; // from nothing it takes more than from what sweeps leave
    static const double stiffness[] = {1, 4, 0.25};
    CairnNewtonCone *newton = &a->newton;
    double *zeros = CAIRN_PUSH_ZERO(a->context->arena, double, a->problem->row_count + 1);
    if (zeros == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "auto: no memory for %d rows", a->problem->row_count);
    }
    for (size_t k = 0; k < sizeof stiffness / sizeof *stiffness && !*is_done && a->left > 0; k++) {
        (void)cairn_cones_start(&newton->cones, k == 0 ? a->lambda : zeros);
        cairn_smooth_stiffen(newton->smooth, stiffness[k]);
        CAIRN_TRY(find(a, cairn_smooth_run, steps, is_done));
    }
    cairn_smooth_stiffen(newton->smooth, 1);
    return cairn_ok();
}

// Newton's method from the start that there is.
static CairnStatus begin(Auto *a, const CairnAutoOptions *options, bool *is_done) {
    enum { WARM = 8 };
    const CairnExact *exact = &a->newton.cones.exact;
    double measure = (double)INFINITY;
    CAIRN_TRY(start(a, &measure));
    take(a, &cairn_solver_newton_cone, measure, false);
    if (measure <= near * exact->scale) {
        bool is_short = !a->is_at_rest && options->iterations > WARM;
        CAIRN_TRY(find(a, cairn_smooth_run, is_short ? WARM : options->iterations, is_done));
    }
    bool is_given = a->problem->form == CAIRN_FORM_EXPLICIT;
    return *is_done || !is_given ? cairn_ok() : find_given(a, options, is_done);
}

// The central path of ipm-cone, with a bound on its work.
static CairnIpmConeOptions path_options(const CairnProblem *problem) {
    enum { WORK = 200000, LEAST = 100, MOST = 2000 }; // rows times steps along it
    int steps = WORK / (problem->row_count + 1), path = steps < LEAST ? LEAST : steps > MOST ? MOST : steps;
    return (CairnIpmConeOptions){
        .formulation = CAIRN_FORMULATION_AUTO, .iterations = 120, .path = path, .tolerance = 1e-10, .warm = true};
}

// Where Newton's method has not arrived: the fixed point over bounds, or the central path.
static CairnStatus end(Auto *a, bool *is_done) {
    a->has_ended = true;
    CairnIpmConeOptions options = path_options(a->problem);
    return is_current(a->problem) ? call(a, &cairn_solver_bpp, NULL, is_done)
                                  : call(a, &cairn_solver_ipm_cone, &options, is_done);
}

// Newton's method from ever nearer starts.
static CairnStatus approach(Auto *a, const CairnAutoOptions *options, bool *is_done) {
    enum { PATH = 120, SMALL = 300 }; // most steps along a path; rows for which the fixed point over bounds is cheap
    static const double lost = 0.1;   // of max|b|: sweeps are no help, as where masses are far apart
    static const double far = 3e-3;   // of max|b|: the start needs more sweeps
    static const int rounds[] = {2, 6, 20, 60, 200, 600}; // of sweeps, in times the option
    const CairnExact *exact = &a->newton.cones.exact;
    // Paths of bounds that follow the load are followed early; those of Coulomb's law where sweeps have had their chance.
    size_t follows = is_current(a->problem) ? 1 : 4;
    bool heap = is_heap(a->problem), is_given = a->problem->form == CAIRN_FORM_EXPLICIT;
    double last = (double)INFINITY;
    bool is_small = is_current(a->problem) && a->problem->row_count <= SMALL && !is_given && !is_budget(options);
    for (size_t k = 0; k < sizeof rounds / sizeof *rounds && !*is_done && options->sweeps > 0 && a->left > 0; k++) {
        CAIRN_TRY(sweep(a, (k > 0 || heap ? rounds[k] : 1) * options->sweeps));
        double measure = cairn_cones_start(&a->newton.cones, a->lambda);
        if (k > 0 || !heap || measure <= far * exact->scale) {
            CAIRN_TRY(find(a, cairn_smooth_run, options->iterations, is_done));
        }
        if (k == follows && !*is_done && !is_given && a->left > 0) {
            CAIRN_TRY(find(a, cairn_smooth_follow, PATH, is_done));
        }
        if (k == follows && !*is_done && is_small) {
            CAIRN_TRY(end(a, is_done));
        }
        if (k > 1 && measure > lost * exact->scale && !(measure < 0.5 * last)) { // sweeps lead nowhere
            break;
        }
        last = measure;
    }
    return cairn_ok();
}

static CairnStatus follow_path(Auto *a, CairnSolveReport *report) {
    CairnIpmConeOptions options = path_options(a->problem);
    CAIRN_TRY(cairn_solver_ipm_cone.solve(a->problem, a->parts, &options, a->context, a->lambda, report));
    report->finisher = cairn_solver_ipm_cone.name;
    return cairn_ok();
}

// A W that is too large and too full for a factor, and unsymmetric.
static CairnStatus sweep_alone(Auto *a, const CairnAutoOptions *options, CairnSolveReport *report) {
    enum { ROUNDS = 1000 };
    CairnPsorOptions sweeps = {.iterations = ROUNDS * (options->sweeps > 0 ? options->sweeps : 1),
                               .omega = 1,
                               .lambda = 1,
                               .tolerance = 0,
                               .share = 1e-9,
                               .momentum = true};
    sweeps.iterations = is_budget(options) ? options->iterations : sweeps.iterations;
    CAIRN_TRY(cairn_solver_psor.solve(a->problem, a->parts, &sweeps, a->context, a->lambda, report));
    report->finisher = cairn_solver_psor.name;
    return cairn_ok();
}

// The convex law alone, whose central path takes no more factors than Newton's method, and cheaper ones.
static bool is_convex(const CairnProblem *problem) {
    return problem->form == CAIRN_FORM_DYNAMICS && cairn_law_find(problem, CAIRN_FRICTION_COULOMB) < 0 &&
           !is_current(problem);
}

static CairnStatus solve_cones(Auto *a, const CairnAutoOptions *options, CairnSolveReport *report) {
    *report = (CairnSolveReport){.outcome = CAIRN_OUTCOME_STALLED};
    bool takes = cairn_is_ok(cairn_solver_accepts(&cairn_solver_newton_cone, a->problem)), is_done = false;
    bool has_path = cairn_is_ok(cairn_solver_accepts(&cairn_solver_ipm_cone, a->problem));
    if (has_path && !is_budget(options) && is_convex(a->problem)) {
        CairnStatus status = follow_path(a, report);
        if (!takes || report->is_superseded || report->outcome == CAIRN_OUTCOME_CONVERGED ||
            (!cairn_is_ok(status) && status.code != CAIRN_NUMERIC)) {
            return status;
        }
        a->others += report->factorizations;
        has_path = false;
    }
    if (takes) {
        CairnStatus status = cairn_newton_cone_init(&a->newton, a->problem, tolerance, a->context, a->lambda, &takes);
        takes = takes && status.code != CAIRN_UNSUPPORTED;
        CAIRN_TRY(status.code == CAIRN_UNSUPPORTED ? cairn_ok() : status);
    }
    if (!takes && !has_path) {
        return sweep_alone(a, options, report);
    }
    if (!takes) {
        return follow_path(a, report);
    }
    CairnExact *exact = &a->newton.cones.exact;
    CAIRN_TRY(cairn_best_init(&a->best, exact));
    take(a, &cairn_solver_newton_cone, cairn_cones_start(&a->newton.cones, a->lambda), false);
    CAIRN_TRY(begin(a, options, &is_done));
    if (!is_done) {
        CAIRN_TRY(approach(a, options, &is_done));
    }
    if (!is_done && has_path && !a->has_ended && !is_budget(options)) {
        CAIRN_TRY(end(a, &is_done));
    }
    cairn_best_take(&a->best, exact);
    CairnOutcome outcome = a->best.measure <= exact->limit ? CAIRN_OUTCOME_CONVERGED
                           : a->left <= 0                  ? CAIRN_OUTCOME_AT_LIMIT
                                                           : CAIRN_OUTCOME_STALLED;
    CAIRN_TRY(cairn_exact_report(exact, outcome, a->best.measure, a->lambda, report));
    report->iterations += a->sweep_count;
    report->factorizations += a->others;
    report->finisher = a->finisher->name;
    return cairn_ok();
}

static CairnStatus solve_auto(const CairnProblem *problem, const CairnParts *parts, const void *options,
                              CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    CairnAutoOptions chosen;
    CAIRN_TRY(cairn_solver_options(&auto_options, options, &chosen));
    if (has_fixed_bounds(problem)) {
        CAIRN_TRY(cairn_solver_bpp.solve(problem, parts, NULL, context, lambda, report));
        report->finisher = report->finisher != NULL ? report->finisher : cairn_solver_bpp.name;
        return cairn_ok();
    }
    Auto a = {
        .problem = problem, .parts = parts, .context = context, .given = lambda, .finisher = &cairn_solver_newton_cone};
    a.lambda = CAIRN_PUSH(context->arena, double, problem->row_count + 1);
    a.found = CAIRN_PUSH(context->arena, double, problem->row_count + 1);
    if (a.lambda == NULL || a.found == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "auto: no memory for %d rows", problem->row_count);
    }
    memcpy(a.lambda, lambda, (size_t)problem->row_count * sizeof *lambda);
    a.left = is_budget(&chosen) ? chosen.iterations : INT_MAX;
    CAIRN_TRY(solve_cones(&a, &chosen, report));
    memcpy(lambda, a.lambda, (size_t)problem->row_count * sizeof *lambda);
    report->leaves_rest = !is_budget(&chosen);
    return cairn_ok();
}

const CairnSolver cairn_solver_auto = {
    .name = "auto",
    .summary =
        "picks by the law: bpp for bounds; where friction follows the load sweeps, Newton's method, central paths",
    .traits = CAIRN_TAKES_BOUNDS | CAIRN_TAKES_BOX_CURRENT | CAIRN_TAKES_CONE | CAIRN_TAKES_COULOMB |
              CAIRN_TAKES_EXPLICIT | CAIRN_TAKES_UNSYMMETRIC,
    .options = &auto_options,
    .solve = solve_auto,
    .forget = cairn_system_forget,
};
