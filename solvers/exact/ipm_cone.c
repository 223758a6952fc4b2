#include "solvers/exact/ipm_cone.h"

#include <math.h>
#include <string.h>

#include "solvers/exact/ipm_cone_path.h"
#include "solvers/exact/ipm_convex.h"
#include "solvers/problem/accept.h"
#include "solvers/problem/law.h"

enum { STEPS = 120 };

static const CairnField cone_fields[] = {
    CAIRN_FIELD_CHOICE(CairnIpmConeOptions, formulation, 0, cairn_formulation_names, "the form of the linear system"),
    CAIRN_FIELD_INT(CairnIpmConeOptions, iterations, STEPS, 1, 100000,
                    "most steps of the interior point; where they are fewer, no way but the path follows"),
    CAIRN_FIELD_INT(CairnIpmConeOptions, path, 2000, 0, 100000,
                    "most steps along the central path, where the interior point does not arrive"),
    CAIRN_FIELD_DOUBLE(CairnIpmConeOptions, tolerance, 1e-10, 1e-15, 1, 0, "",
                       "share of max|b| where it stops; 1e-8 is certified"),
    CAIRN_FIELD_BOOL(CairnIpmConeOptions, warm, 1, "try Newton's method from the last step's impulses first"),
};

static const CairnFieldTable cone_options = CAIRN_FIELD_TABLE("ipm-cone", CairnIpmConeOptions, cone_fields);

typedef struct Search {
    CairnCones *cones;
    CairnInterior *interior; // once it is needed
    const CairnIpmConeOptions *options;
    CairnBest best;
    double polished, least; // of one run: the measure at which Newton's method was tried last, and the best measure
    int since;              // steps without a better one
} Search;

static void trace(const CairnExact *exact, double measure) {
    if (exact->context->trace) {
        exact->context->trace(exact->context->trace_user, (CairnTraceEntry){exact->iterations, measure});
    }
}

// Newton's method from the iterate of the interior point, which is restored unless Newton's method finds the answer.
static CairnStatus polish(Search *search, int steps, bool *is_done) {
    CairnCones *cones = search->cones;
    CairnExact *exact = &cones->exact;
    size_t rows = (size_t)exact->problem->row_count, groups = (size_t)exact->problem->friction_count;
    CairnArenaMark mark = cairn_arena_mark(exact->context->arena);
    double *saved = CAIRN_PUSH(exact->context->arena, double, 3 * rows + groups + 1), measure;
    bool *held = CAIRN_PUSH(exact->context->arena, bool, rows + 1);
    if (saved == NULL || held == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "ipm-cone: no memory for %zu rows", rows);
    }
    memcpy(saved, exact->lambda, rows * sizeof *saved);
    memcpy(saved + rows, exact->lower, rows * sizeof *saved);
    memcpy(saved + 2 * rows, exact->upper, rows * sizeof *saved);
    memcpy(held, exact->is_held, rows * sizeof *held);
    for (size_t f = 0; f < groups; f++) {
        saved[3 * rows + f] = cones->cones[f].rise;
    }
    cairn_cones_renew(cones);
    CairnStatus status = cairn_cones_newton(cones, steps, &measure);
    if (cairn_is_ok(status)) {
        cairn_best_update(&search->best, exact, measure);
        *is_done = measure <= exact->target;
    }
    if (cairn_is_ok(status) && !*is_done) {
        memcpy(exact->lambda, saved, rows * sizeof *saved);
        memcpy(exact->lower, saved + rows, rows * sizeof *saved);
        memcpy(exact->upper, saved + 2 * rows, rows * sizeof *saved);
        memcpy(exact->is_held, held, rows * sizeof *held);
        for (size_t f = 0; f < groups; f++) {
            cones->cones[f].rise = saved[3 * rows + f];
        }
        cairn_cones_measure(cones, false);
    }
    cairn_arena_release(exact->context->arena, mark);
    return status;
}

static void begin_run(Search *search) {
    search->polished = search->least = (double)INFINITY;
    search->since = 0;
}

// Measure an iterate, and polish it now and then; is_done: this run cannot improve it any more.
static CairnStatus judge(Search *search, bool *is_done) {
    enum { PATIENCE = 4 }; // steps without improvement once the certificate holds
    CairnExact *exact = &search->cones->exact;
    double present = cairn_cones_measure(search->cones, true), inner = cairn_cones_residual(search->cones, false);
    cairn_best_update(&search->best, exact, present);
    trace(exact, present);
    if (inner <= 1e-3 * exact->scale && inner <= 0.1 * search->polished) {
        search->polished = inner;
        CAIRN_TRY(polish(search, 6, is_done));
    }
    search->since = search->best.measure < search->least ? 0 : search->since + 1;
    search->least = fmin(search->best.measure, search->least);
    bool is_waste = search->since >= PATIENCE && search->best.measure <= exact->limit;
    *is_done = *is_done || present <= exact->target || is_waste;
    return cairn_ok();
}

// Run the interior point from a centred start.
static CairnStatus run_interior(Search *search, CairnOutcome *outcome, bool *is_done) {
    CairnExact *exact = &search->cones->exact;
    search->interior = cairn_interior_make(search->cones);
    if (search->interior == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "ipm-cone: no memory for %d rows", exact->problem->row_count);
    }
    begin_run(search);
    cairn_interior_begin(search->interior, 1);
    *outcome = CAIRN_OUTCOME_AT_LIMIT;
    for (int k = 0; k < search->options->iterations && !*is_done; k++) {
        double step;
        CairnStatus status = cairn_interior_step(search->interior, &step);
        if (status.code == CAIRN_NUMERIC) {
            *outcome = CAIRN_OUTCOME_SINGULAR;
            return cairn_ok();
        }
        CAIRN_TRY(status);
        exact->iterations++;
        CAIRN_TRY(judge(search, is_done));
        if (!*is_done && step < 1e-8) {
            *outcome = CAIRN_OUTCOME_STALLED;
            return cairn_ok();
        }
    }
    return cairn_ok();
}

// Follow one central path.
static CairnStatus run_path(Search *search, CairnPath *path, int last, CairnOutcome *outcome, bool *is_done) {
    CairnExact *exact = &search->cones->exact;
    begin_run(search);
    *outcome = CAIRN_OUTCOME_AT_LIMIT;
    while (!*is_done && exact->iterations < last) {
        CairnStatus status = cairn_path_step(path);
        if (status.code == CAIRN_NUMERIC) {
            *outcome = CAIRN_OUTCOME_STALLED;
            return cairn_ok();
        }
        CAIRN_TRY(status);
        CAIRN_TRY(judge(search, is_done));
    }
    return cairn_ok();
}

// Follow central paths from several starts. Each path leads to an answer; steps of finite length and rounding lose
// one in a hundred of them, and then another one is followed.
static CairnStatus run_paths(Search *search, CairnOutcome *outcome, bool *is_done) {
    enum { MOST_STEPS = 700 }; // along one path: one that converges takes 50 to 500
    static const struct {
        double size, blur;
    } paths[] = {{1, 0}, {1, 0.01}, {0.1, 0}, {0.1, 0.01}, {10, 0}, {10, 0.01}};
    CairnExact *exact = &search->cones->exact;
    int last = exact->iterations + search->options->path;
    CairnPath *path = cairn_path_make(search->interior);
    if (path == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "ipm-cone: no memory for %d rows", exact->problem->row_count);
    }
    for (size_t k = 0; k < sizeof paths / sizeof *paths && !*is_done; k++) {
        if (paths[k].blur > 0 && cairn_cones_count_rises(search->cones) == 0) {
            continue; // it would be the same path again
        }
        cairn_path_begin(path, paths[k].size, paths[k].blur);
        int stop = exact->iterations + MOST_STEPS < last ? exact->iterations + MOST_STEPS : last;
        CAIRN_TRY(run_path(search, path, stop, outcome, is_done));
        if (search->best.measure <= exact->limit || exact->iterations >= last) {
            break;
        }
    }
    return cairn_ok();
}

// Whether Newton's method may find the answer in one step: a scene at rest.
static bool is_near_answer(const CairnCones *cones) {
    static const double near = 1e-3;
    return cairn_cones_residual(cones, true) <= near * cones->exact.scale;
}

// The interior point of the convex law, from the last impulses and from nothing.
static CairnStatus run_convex(Search *search, bool *is_done) {
    enum { MOST_WARM = 40 }; // steps after which a warm start has failed
    int most = search->options->iterations;
    for (int cold = !search->options->warm; cold < 2 && !*is_done; cold++) {
        *is_done = search->best.measure <= search->cones->exact.limit;
        int steps = cold || most < MOST_WARM ? most : MOST_WARM;
        if (!*is_done) {
            CAIRN_TRY(cairn_ipm_convex_run(search->cones, steps, !cold, &search->best, is_done));
        }
    }
    return cairn_ok();
}

static CairnStatus search_answer(Search *search, CairnOutcome *outcome) {
    CairnCones *cones = search->cones;
    CairnExact *exact = &cones->exact;
    bool is_done = false;
    bool is_convex = cairn_ipm_convex_takes(cones);
    if (search->options->warm && (!is_convex || is_near_answer(cones))) {
        double measure;
        CAIRN_TRY(cairn_cones_newton(cones, is_convex ? 1 : 4, &measure));
        exact->iterations++;
        cairn_best_update(&search->best, exact, measure);
        is_done = measure <= exact->target;
    }
    *outcome = CAIRN_OUTCOME_CONVERGED;
    if (is_convex) {
        CAIRN_TRY(run_convex(search, &is_done));
    }
    bool is_spent = is_convex && search->options->iterations < STEPS && search->options->path == 0;
    *outcome = is_spent ? CAIRN_OUTCOME_AT_LIMIT : *outcome;
    if (!is_done && !is_spent && !(search->best.measure <= exact->limit)) {
        CAIRN_TRY(run_interior(search, outcome, &is_done));
    }
    if (!is_done && !(search->best.measure <= exact->limit) && search->options->path > 0) {
        CAIRN_TRY(run_paths(search, outcome, &is_done));
    }
    if (isfinite(search->best.measure)) {
        cairn_best_take(&search->best, exact);
    }
    *outcome = search->best.measure <= exact->limit  ? CAIRN_OUTCOME_CONVERGED
               : *outcome == CAIRN_OUTCOME_CONVERGED ? CAIRN_OUTCOME_STALLED
                                                     : *outcome;
    return cairn_ok();
}

static CairnStatus solve_cones(CairnCones *cones, const CairnIpmConeOptions *options, double *lambda,
                               CairnSolveReport *report) {
    CairnExact *exact = &cones->exact;
    exact->target = fmin(options->tolerance * exact->scale, exact->limit);
    Search search = {.cones = cones, .options = options};
    CAIRN_TRY(cairn_best_init(&search.best, exact));
    CairnOutcome outcome = CAIRN_OUTCOME_CONVERGED;
    CAIRN_TRY(search_answer(&search, &outcome));
    return cairn_exact_report(exact, outcome, cairn_cones_measure(cones, true), lambda, report);
}

static CairnStatus solve_ipm_cone(const CairnProblem *problem, const CairnParts *parts, const void *options,
                                  CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    (void)parts;
    CairnIpmConeOptions chosen;
    CAIRN_TRY(cairn_solver_options(&cone_options, options, &chosen));
    CairnCones cones;
    CAIRN_TRY(cairn_cones_init(&cones, problem, (CairnFormulation)chosen.formulation, false, context, lambda));
    CAIRN_TRY(solve_cones(&cones, &chosen, lambda, report));
    report->leaves_rest = chosen.iterations >= STEPS;
    return cairn_ok();
}

CairnStatus cairn_ipm_cone_finish(const CairnProblem *problem, CairnFormulation formulation,
                                  CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    if (report->outcome == CAIRN_OUTCOME_CONVERGED || cairn_law_find(problem, CAIRN_FRICTION_BOX_CURRENT) < 0) {
        return cairn_ok();
    }
    CairnIpmConeOptions options;
    cairn_fields_preset(&cone_options, &options);
    size_t m = (size_t)problem->row_count;
    double *other = CAIRN_PUSH(context->arena, double, m + 1);
    if (other == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "ipm-cone: no memory for %zu rows", m);
    }
    memcpy(other, lambda, m * sizeof *lambda);
    CairnSolveReport theirs = {.claimed = (double)INFINITY};
    CairnCones cones;
    CAIRN_TRY(cairn_cones_init(&cones, problem, formulation, false, context, other));
    cones.exact.iterations = report->iterations;
    CairnStatus status = solve_cones(&cones, &options, other, &theirs);
    if (status.code == CAIRN_NUMERIC) { // the present answer is returned
        return cairn_ok();
    }
    CAIRN_TRY(status);
    if (theirs.claimed < report->claimed) {
        memcpy(lambda, other, m * sizeof *lambda);
        report->claimed = theirs.claimed;
        report->outcome = theirs.outcome;
        report->fallback = 1;
        report->finisher = cairn_solver_ipm_cone.name;
    }
    report->iterations = theirs.iterations;
    report->factorizations += theirs.factorizations;
    return cairn_ok();
}

const CairnSolver cairn_solver_ipm_cone = {
    .name = "ipm-cone",
    .summary = "interior point over friction cones, exact, with Newton's method for Coulomb's law",
    .traits =
        CAIRN_TAKES_BOUNDS | CAIRN_TAKES_BOX_CURRENT | CAIRN_TAKES_CONE | CAIRN_TAKES_COULOMB | CAIRN_TAKES_EXPLICIT,
    .options = &cone_options,
    .solve = solve_ipm_cone,
    .forget = cairn_system_forget,
};
