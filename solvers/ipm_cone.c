#include "solvers/ipm_cone.h"

#include <math.h>
#include <string.h>

#include "solvers/anderson.h"

static const CairnField cone_fields[] = {
    CAIRN_FIELD_CHOICE(CairnIpmConeOptions, formulation, 0, cairn_formulation_names, "the form of the linear system"),
    CAIRN_FIELD_INT(CairnIpmConeOptions, iterations, 100, 1, 100000, "most steps of one interior point"),
    CAIRN_FIELD_INT(CairnIpmConeOptions, outer, 30, 1, 100000, "most interior points with parameters held"),
    CAIRN_FIELD_DOUBLE(CairnIpmConeOptions, tolerance, 1e-10, 1e-15, 1, 0, "",
                       "share of max|b| where it stops; 1e-8 is certified"),
    CAIRN_FIELD_BOOL(CairnIpmConeOptions, warm, 1, "try Newton's method from the last step's impulses first"),
};

static const CairnFieldTable cone_options = CAIRN_FIELD_TABLE("ipm-cone", CairnIpmConeOptions, cone_fields);

typedef struct Search {
    CairnCones *cones;
    CairnInterior *interior;
    const CairnIpmConeOptions *options;
    double *best; // the best lambda that was seen
    double best_measure;
    double least;      // of sigma
    bool is_following; // parameters are unknowns of the interior point
} Search;

static void keep(Search *search, double measure) {
    if (measure < search->best_measure) {
        search->best_measure = measure;
        memcpy(search->best, search->cones->exact.lambda,
               (size_t)search->cones->exact.problem->row_count * sizeof *search->best);
    }
}

static void trace(const CairnExact *exact, double measure) {
    if (exact->context->trace) {
        exact->context->trace(exact->context->trace_user, (CairnTraceEntry){exact->iterations, measure});
    }
}

// Newton from where the interior point is; that comes back as it was unless it was the answer.
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
        keep(search, measure);
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

// One interior point from a centred start to the answer for the parameters at hand, or to the answer of all.
static CairnStatus run_interior(Search *search, CairnOutcome *outcome, bool *is_done) {
    CairnExact *exact = &search->cones->exact;
    enum { PATIENCE = 4 }; // iterations that rounding may waste once the certificate holds
    double polished = (double)INFINITY, least = (double)INFINITY;
    int since = 0;
    cairn_interior_begin(search->interior, search->is_following, search->least);
    *outcome = CAIRN_AT_LIMIT;
    for (int k = 0; k < search->options->iterations; k++) {
        double step;
        CairnStatus status = cairn_interior_step(search->interior, &step);
        if (status.code == CAIRN_NUMERIC) {
            *outcome = CAIRN_SINGULAR;
            return cairn_ok();
        }
        CAIRN_TRY(status);
        exact->iterations++;
        double present = cairn_cones_measure(search->cones, true);
        keep(search, present);
        double inner = cairn_cones_gauge(search->cones, false);
        trace(exact, present);
        if (inner <= 1e-3 * exact->scale + 1e-12 && inner <= 0.1 * polished) {
            polished = inner;
            CAIRN_TRY(polish(search, 6, is_done));
        }
        since = search->best_measure < least ? 0 : since + 1;
        least = fmin(search->best_measure, least);
        if (*is_done || inner <= exact->target) {
            *outcome = CAIRN_CONVERGED;
            return cairn_ok();
        }
        if (step < 1e-8 || (since >= PATIENCE && search->best_measure <= exact->limit)) {
            *outcome = CAIRN_STALLED;
            return cairn_ok();
        }
    }
    return cairn_ok();
}

static CairnStatus search_answer(Search *search, CairnOutcome *outcome) {
    CairnCones *cones = search->cones;
    CairnExact *exact = &cones->exact;
    enum { FOLLOWING = 3 }; // tries, each nearer to the centre, before the parameters are held
    bool is_done = false;
    CairnAnderson outer;
    int m = exact->problem->row_count + exact->problem->friction_count;
    double *p = CAIRN_PUSH(exact->context->arena, double, m + 1), *G = CAIRN_PUSH(exact->context->arena, double, m + 1);
    if (p == NULL || G == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "ipm-cone: no memory for %d parameters", m);
    }
    CAIRN_TRY(cairn_anderson_init(&outer, m, exact->context->arena));
    if (search->options->warm) {
        double measure;
        CAIRN_TRY(cairn_cones_newton(cones, 4, &measure));
        exact->iterations++;
        keep(search, measure);
        is_done = measure <= exact->target;
    }
    *outcome = CAIRN_CONVERGED;
    for (int k = 0; k < search->options->outer && !is_done && !(search->best_measure <= exact->limit); k++) {
        search->is_following = k < FOLLOWING;
        search->least = k > 0 && k < FOLLOWING ? 0.1 * k : 0;
        cairn_cones_get(cones, p);
        CAIRN_TRY(run_interior(search, outcome, &is_done));
        cairn_cones_renew(cones);
        if (k >= FOLLOWING) {
            cairn_cones_get(cones, G);
            cairn_anderson_next(&outer, p, G);
            cairn_cones_set(cones, p);
        }
    }
    if (isfinite(search->best_measure)) {
        memcpy(exact->lambda, search->best, (size_t)exact->problem->row_count * sizeof *search->best);
    }
    *outcome = search->best_measure <= exact->limit ? CAIRN_CONVERGED
               : *outcome == CAIRN_CONVERGED        ? CAIRN_STALLED
                                                    : *outcome;
    return cairn_ok();
}

static CairnStatus solve_cones(CairnCones *cones, const CairnIpmConeOptions *options, double *lambda,
                               CairnSolveReport *report) {
    CairnExact *exact = &cones->exact;
    int m = exact->problem->row_count;
    exact->target = fmin(options->tolerance * exact->scale + 1e-14, exact->limit);
    Search search = {.cones = cones, .options = options, .best_measure = (double)INFINITY};
    search.interior = cairn_interior_make(cones);
    search.best = CAIRN_PUSH(exact->context->arena, double, m + 1);
    if (search.interior == NULL || search.best == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "ipm-cone: no memory for %d rows", m);
    }
    CairnOutcome outcome = CAIRN_CONVERGED;
    CAIRN_TRY(search_answer(&search, &outcome));
    double claimed = cairn_cones_measure(cones, true);
    for (int i = 0; i < m; i++) {
        if (!isfinite(exact->lambda[i])) {
            return cairn_error(CAIRN_NUMERIC, "ipm-cone: lambda[%d] = %g is not finite", i, exact->lambda[i]);
        }
    }
    cairn_exact_say_regularised(exact, "ipm-cone");
    memcpy(lambda, exact->lambda, (size_t)m * sizeof *lambda);
    *report = (CairnSolveReport){.outcome = outcome,
                                 .iterations = exact->iterations,
                                 .factorizations = exact->system.factorizations,
                                 .claimed = claimed};
    return cairn_ok();
}

static CairnStatus solve_ipm_cone(const CairnProblem *problem, const CairnParts *parts, const void *options,
                                  CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    (void)parts;
    CairnIpmConeOptions chosen;
    cairn_fields_preset(&cone_options, &chosen);
    if (options) {
        chosen = *(const CairnIpmConeOptions *)options;
        CAIRN_TRY(cairn_fields_check(&cone_options, &chosen));
    }
    CairnCones cones;
    CAIRN_TRY(cairn_cones_init(&cones, "ipm-cone", problem, (CairnFormulation)chosen.formulation, context, lambda));
    return solve_cones(&cones, &chosen, lambda, report);
}

CairnStatus cairn_ipm_cone_finish(const CairnProblem *problem, CairnFormulation formulation,
                                  CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    bool has_current = false;
    for (int f = 0; f < problem->friction_count; f++) {
        has_current = has_current || problem->frictions[f].kind == CAIRN_FRICTION_BOX_CURRENT;
    }
    if (report->outcome == CAIRN_CONVERGED || !has_current) {
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
    CAIRN_TRY(cairn_cones_init(&cones, "ipm-cone", problem, formulation, context, other));
    cones.exact.iterations = report->iterations;
    CairnStatus status = solve_cones(&cones, &options, other, &theirs);
    if (status.code == CAIRN_NUMERIC) { // the answer at hand stays
        return cairn_ok();
    }
    CAIRN_TRY(status);
    if (theirs.claimed < report->claimed) {
        memcpy(lambda, other, m * sizeof *lambda);
        report->claimed = theirs.claimed;
        report->outcome = theirs.outcome;
        report->fallback = 1;
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
