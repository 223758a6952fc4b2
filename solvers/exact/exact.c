#include "solvers/exact/exact.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "engine/base/timer.h"
#include "solvers/problem/accept.h"
#include "solvers/problem/components.h"
#include "solvers/problem/law.h"

static CairnStatus check(const CairnProblem *problem, const CairnExactSetup *setup, const CairnSolverContext *context,
                         const double *lambda) {
    CAIRN_TRY(cairn_solver_check(problem, context));
    CAIRN_TRY(cairn_ops_check_start(setup->name, problem, lambda));
    return setup->takes_cones ? cairn_ok() : cairn_solver_refuse_cones(setup->name, problem);
}

static CairnStatus allocate(CairnExact *exact, bool lends) {
    CairnArena *arena = exact->context->arena;
    int m = exact->problem->row_count;
    double **arrays[] = {&exact->b, &exact->lower, &exact->upper, &exact->lambda,
                         &exact->w, &exact->theta, &exact->y,     &exact->x};
    size_t count = sizeof arrays / sizeof *arrays - (lends ? 3 : 0); // the last ones are the system's solves'
    for (size_t i = 0; i < count; i++) {
        *arrays[i] = CAIRN_PUSH_ZERO(arena, double, (m + 8) & ~7); // some go by eights
        if (*arrays[i] == NULL) {
            return cairn_error(CAIRN_OUT_OF_MEMORY, "exact solve: no memory for %d rows", m);
        }
    }
    exact->v = CAIRN_PUSH(arena, double, exact->problem->dof_count + 1);
    exact->set = CAIRN_PUSH_ZERO(arena, unsigned char, m + 1);
    exact->is_held = CAIRN_PUSH_ZERO(arena, bool, m + 1);
    if (!exact->v || !exact->set || !exact->is_held) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "exact solve: no memory for %d rows", m);
    }
    return cairn_ok();
}

// Rows whose bounds are so close that the certificate holds for any lambda between them are no unknowns. For a row
// that no impulse moves, w = b, and the sign of b decides at which bound its impulse lies.
static void fix_rows(CairnExact *exact) {
    for (int i = 0; i < exact->problem->row_count; i++) {
        double room = exact->D[i] * (exact->upper[i] - exact->lower[i]) * cairn_exact_weight(exact, i);
        exact->is_held[i] = exact->is_dead[i] || room <= exact->target;
        if (exact->is_dead[i]) {
            double pointed = exact->b[i] > 0 ? exact->lower[i] : exact->b[i] < 0 ? exact->upper[i] : exact->lambda[i];
            exact->lambda[i] = isinf(pointed) ? exact->lambda[i] : pointed;
        }
        if (exact->is_held[i]) {
            exact->lambda[i] = cairn_clamp(exact->lambda[i], exact->lower[i], exact->upper[i]);
        }
    }
}

// Move the bounds of BOX_CURRENT rows by the given fraction towards those that follow from the iterate's normal
// impulses.
static void renew_bounds(CairnExact *exact, double fraction) {
    const CairnProblem *problem = exact->problem;
    for (int f = 0; f < problem->friction_count; f++) {
        const CairnFriction *friction = &problem->frictions[f];
        double normal = fmax(0, exact->lambda[friction->normal]);
        bool is_current = friction->kind == CAIRN_FRICTION_BOX_CURRENT;
        for (int k = 1; is_current && k < 3 + friction->spin_rows; k++) {
            int i = friction->normal + k;
            double upper = normal * cairn_law_lever(friction, k);
            exact->upper[i] =
                fraction < 1 ? fraction * upper + (1 - fraction) * exact->upper[i] : upper; // which may be infinite yet
            exact->lower[i] = -exact->upper[i];
        }
    }
}

static void set_certificate(CairnExact *exact) {
    exact->limit = 1e-8 * exact->scale;
    exact->target = 1e-2 * exact->limit;
    exact->solve_tolerance = 1e-2 * exact->target; // nearer to rounding a further refinement mostly finds nothing
}

// `of`: NULL, or the solve over more rows whose certificate this one takes.
static CairnStatus read_problem(CairnExact *exact, const CairnExact *of, const double *lambda) {
    const CairnProblem *problem = exact->problem;
    size_t size = (size_t)problem->row_count * sizeof(double);
    memcpy(exact->lambda, lambda, size);
    memcpy(exact->lower, problem->lower, size);
    memcpy(exact->upper, problem->upper, size);
    cairn_ops_right_side(&exact->system.ops, exact->v, exact->b);
    for (int i = 0; i < problem->row_count; i++) {
        if (!isfinite(exact->b[i]) || !isfinite(exact->D[i])) {
            return cairn_error(CAIRN_NUMERIC, "%s: b = %g, D = %g in row %d is not finite", exact->name, exact->b[i],
                               exact->D[i], i);
        }
    }
    renew_bounds(exact, 1);
    CairnComponents components = {.b = exact->b,
                                  .D = exact->D,
                                  .lower = exact->lower,
                                  .upper = exact->upper,
                                  .v = problem->form == CAIRN_FORM_DYNAMICS ? exact->v : NULL};
    CAIRN_TRY(cairn_components_weigh(&components, problem, exact->context->arena));
    exact->scale = components.scale;
    exact->weight = of == NULL ? components.weight : NULL;
    set_certificate(exact);
    fix_rows(exact);
    if (of != NULL) {
        exact->scale = of->scale;
        set_certificate(exact);
    }
    return cairn_ok();
}

static CairnStatus take_rows(CairnExact *exact, const CairnExact *of, const int *row) {
    double *weight =
        of->weight != NULL ? CAIRN_PUSH(exact->context->arena, double, exact->problem->row_count + 1) : NULL;
    if (of->weight != NULL && weight == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "exact solve: no memory for %d rows", exact->problem->row_count);
    }
    for (int i = 0; i < exact->problem->row_count; i++) {
        exact->b[i] = of->b[row[i]];
        exact->lower[i] = of->lower[row[i]];
        exact->upper[i] = of->upper[row[i]];
        exact->lambda[i] = of->lambda[row[i]];
        exact->is_held[i] = of->is_held[row[i]];
        if (weight != NULL) {
            weight[i] = of->weight[row[i]];
        }
    }
    exact->weight = weight;
    exact->scale = of->scale;
    exact->limit = of->limit;
    exact->target = of->target;
    exact->solve_tolerance = of->solve_tolerance;
    return cairn_ok();
}

CairnStatus cairn_exact_init(CairnExact *exact, const CairnProblem *problem, const CairnExactSetup *setup,
                             CairnSolverContext *context, const double *lambda) {
    CairnSystemSetup system = setup->system;
    double t0 = cairn_timer_now();
    *exact = (CairnExact){.name = setup->name, .problem = problem, .context = context, .may_ask = setup->may_ask};
    CAIRN_TRY(setup->of == NULL ? check(problem, setup, context, lambda) : cairn_ok());
    CAIRN_TRY(allocate(exact, system.lends));
    system.of = setup->row != NULL ? &setup->of->system : NULL;
    system.row = setup->row;
    CAIRN_TRY(cairn_system_init(&exact->system, problem, &system, context));
    exact->D = exact->system.D;
    exact->is_dead = exact->system.is_dead;
    if (setup->row != NULL) {
        CAIRN_TRY(take_rows(exact, setup->of, setup->row));
    } else {
        CAIRN_TRY(read_problem(exact, setup->of, lambda));
    }
    exact->prepare_seconds = cairn_timer_now() - t0;
    return cairn_ok();
}

void cairn_exact_renew(CairnExact *exact) {
    cairn_ops_right_side(&exact->system.ops, exact->v, exact->b);
}

double cairn_exact_residual(const CairnExact *exact) {
    double largest = 0;
    for (int i = 0; i < exact->problem->row_count; i++) {
        double above = exact->D[i] * (exact->lambda[i] - exact->upper[i]);
        double below = exact->D[i] * (exact->lambda[i] - exact->lower[i]);
        double middle = fabs(cairn_clamp(exact->w[i], above, below));
        largest = cairn_ops_larger(largest, cairn_exact_weight(exact, i) * middle);
    }
    return largest;
}

bool cairn_exact_is_enough(const CairnExact *exact, double measure) {
    return measure <= 0.05 * exact->limit;
}

double cairn_exact_measure(CairnExact *exact) {
    cairn_system_slack(&exact->system, exact->lambda, exact->w);
    return cairn_exact_residual(exact);
}

double cairn_exact_clamp(CairnExact *exact) {
    bool has_moved = false;
    for (int i = 0; i < exact->problem->row_count; i++) {
        double inside = cairn_clamp(exact->lambda[i], exact->lower[i], exact->upper[i]);
        has_moved = has_moved || inside != exact->lambda[i];
        exact->lambda[i] = inside;
    }
    return has_moved ? cairn_exact_measure(exact) : cairn_exact_residual(exact);
}

CairnStatus cairn_exact_solve_sets(CairnExact *exact) {
    int m = exact->problem->row_count;
    bool is_same = exact->has_factor;
    for (int i = 0; i < m; i++) {
        double theta = exact->is_held[i] || exact->set[i] != CAIRN_SET_FREE ? (double)INFINITY : 0;
        is_same = is_same && theta == exact->theta[i];
        exact->theta[i] = theta;
        if (!exact->is_held[i] && exact->set[i] != CAIRN_SET_FREE) {
            exact->lambda[i] = exact->set[i] == CAIRN_SET_AT_LOWER ? exact->lower[i] : exact->upper[i];
        }
    }
    if (!is_same) {
        exact->has_factor = false;
        CAIRN_TRY(cairn_system_factor(&exact->system, exact->theta, NULL));
        exact->has_factor = true;
    }
    cairn_system_slack(&exact->system, exact->lambda, exact->w);
    for (int i = 0; i < m; i++) {
        exact->y[i] = -exact->w[i];
    }
    exact->system.weight = exact->weight;
    double residual = cairn_system_solve(&exact->system, exact->y, exact->solve_tolerance, 20, exact->x);
    exact->system.weight = NULL;
    if (!isfinite(residual)) {
        exact->has_factor = false;
        return cairn_error(CAIRN_NUMERIC, "exact solve: the free set's equations have no finite solution");
    }
    for (int i = 0; i < m; i++) {
        exact->lambda[i] += exact->x[i];
    }
    cairn_system_slack(&exact->system, exact->lambda, exact->w);
    return cairn_ok();
}

double cairn_exact_violation(const CairnExact *exact, int i) {
    if (exact->is_held[i]) {
        return 0;
    }
    switch (exact->set[i]) {
    case CAIRN_SET_AT_LOWER:
        return -exact->w[i] * cairn_exact_weight(exact, i);
    case CAIRN_SET_AT_UPPER:
        return exact->w[i] * cairn_exact_weight(exact, i);
    default:
        return exact->D[i] * fmax(exact->lower[i] - exact->lambda[i], exact->lambda[i] - exact->upper[i]) *
               cairn_exact_weight(exact, i);
    }
}

void cairn_exact_flip(CairnExact *exact, int i) {
    if (exact->set[i] != CAIRN_SET_FREE) {
        exact->set[i] = CAIRN_SET_FREE;
    } else {
        exact->set[i] = exact->lambda[i] < exact->lower[i] ? CAIRN_SET_AT_LOWER : CAIRN_SET_AT_UPPER;
    }
}

void cairn_exact_predict(CairnExact *exact) {
    for (int i = 0; i < exact->problem->row_count; i++) {
        double pointed = exact->lambda[i] - exact->w[i] / exact->D[i];
        exact->set[i] = exact->is_held[i]            ? CAIRN_SET_HELD
                        : pointed <= exact->lower[i] ? CAIRN_SET_AT_LOWER
                        : pointed >= exact->upper[i] ? CAIRN_SET_AT_UPPER
                                                     : CAIRN_SET_FREE;
    }
}

CairnStatus cairn_exact_pivot(CairnExact *exact, int steps, double *measure) {
    *measure = (double)INFINITY;
    for (int k = 0; k < steps; k++) {
        CairnStatus status = cairn_exact_solve_sets(exact);
        if (status.code == CAIRN_NUMERIC) {
            return cairn_ok();
        }
        CAIRN_TRY(status);
        int flips = 0;
        for (int i = 0; i < exact->problem->row_count; i++) {
            if (cairn_exact_violation(exact, i) > exact->target) {
                cairn_exact_flip(exact, i);
                flips++;
            }
        }
        *measure = cairn_exact_clamp(exact);
        if (flips == 0 || *measure <= exact->target) {
            break;
        }
    }
    return cairn_ok();
}

// The measure, as a fraction of max|b|, from which on a review can predict the contacts that a step leads to, and
// loads to about a per cent; an interior point reaches it after a third of its iterations. A tenth of it was no
// better in falling rocks and logs, ten times as much predicted contacts that did not happen.
static const double rough = 3e-3;

bool cairn_exact_review(CairnExact *exact, double measure, const double *lambda) {
    const CairnSolverContext *context = exact->context;
    if (context->review == NULL || !exact->may_ask || !(measure <= rough * exact->scale)) {
        return exact->is_superseded;
    }
    exact->may_ask = false;
    exact->is_superseded = context->review(context->review_user, lambda);
    return exact->is_superseded;
}

bool cairn_exact_is_beyond_digits(const CairnExact *exact) {
    double largest = 0;
    for (int i = 0; i < exact->problem->row_count; i++) {
        largest = fmax(largest, cairn_exact_weight(exact, i) * fabs(exact->D[i] * exact->lambda[i]));
    }
    return DBL_EPSILON * largest > 0.25 * exact->limit;
}

// The bounds follow the iterate's impulses until they agree with them: a contraction where friction is moderate.
// Where the bounds do not converge they move by half of the difference, then by a quarter; where the best has not
// improved for long there may be no answer, and the best is returned.
static CairnStatus follow_bounds(CairnExact *exact, CairnExactMethod method, const void *options,
                                 CairnOutcome *outcome) {
    enum { MOST = 200, PATIENCE = 8 };
    CairnBest best;
    CAIRN_TRY(cairn_best_init(&best, exact));
    double fraction = 1, last = (double)INFINITY;
    for (int k = 0, since = 0; k < MOST && since < PATIENCE; k++, since++) {
        double inner = (double)INFINITY;
        if (k > 0) {
            CAIRN_TRY(cairn_exact_pivot(exact, 3, &inner));
        }
        if (!(inner <= exact->limit)) {
            CairnArenaMark mark = cairn_arena_mark(exact->context->arena);
            CairnStatus status = method(exact, options, outcome);
            cairn_arena_release(exact->context->arena, mark);
            CAIRN_TRY(status);
        }
        renew_bounds(exact, 1);
        double measure = cairn_exact_measure(exact);
        since = cairn_best_update(&best, exact, measure) ? 0 : since;
        if (measure <= exact->target) {
            break;
        }
        if (cairn_exact_is_beyond_digits(exact)) {
            break;
        }
        fraction = measure > 0.9 * last ? fmax(0.25, 0.5 * fraction) : fraction;
        last = measure;
        renew_bounds(exact, fraction);
        fix_rows(exact);
    }
    cairn_best_take(&best, exact);
    renew_bounds(exact, 1);
    *outcome = best.measure <= exact->limit ? CAIRN_OUTCOME_CONVERGED : CAIRN_OUTCOME_STALLED;
    return cairn_ok();
}

CairnStatus cairn_exact_report(const CairnExact *exact, CairnOutcome outcome, double claimed, double *lambda,
                               CairnSolveReport *report) {
    int m = exact->problem->row_count;
    for (int i = 0; i < m; i++) {
        if (!isfinite(exact->lambda[i])) {
            return cairn_error(CAIRN_NUMERIC, "%s: lambda[%d] = %g is not finite", exact->name, i, exact->lambda[i]);
        }
    }
    cairn_system_log_regularised(&exact->system, exact->name);
    memcpy(lambda, exact->lambda, (size_t)m * sizeof *lambda);
    *report = (CairnSolveReport){.outcome = outcome,
                                 .iterations = exact->iterations,
                                 .factorizations = exact->system.factorizations,
                                 .fallback = exact->fallback,
                                 .finisher = exact->finisher,
                                 .claimed = claimed,
                                 .is_superseded = exact->is_superseded,
                                 .is_beyond_digits = outcome != CAIRN_OUTCOME_CONVERGED && !exact->is_superseded &&
                                                     cairn_exact_is_beyond_digits(exact),
                                 .phases = {.prepare = exact->prepare_seconds,
                                            .factor = exact->system.factor_seconds,
                                            .apply = exact->system.apply_seconds}};
    return cairn_ok();
}

// The residual, m/s, of the row whose residual is the largest relative to its component's scale.
static double worst_residual(const CairnExact *exact) {
    double largest = -1, worst = 0;
    for (int i = 0; i < exact->problem->row_count; i++) {
        double above = exact->D[i] * (exact->lambda[i] - exact->upper[i]);
        double below = exact->D[i] * (exact->lambda[i] - exact->lower[i]);
        double residual = fabs(cairn_clamp(exact->w[i], above, below));
        if (cairn_exact_weight(exact, i) * residual > largest) {
            largest = cairn_exact_weight(exact, i) * residual;
            worst = residual;
        }
    }
    return worst;
}

CairnStatus cairn_exact_run(CairnExact *exact, CairnExactMethod method, const void *options, double *lambda,
                            CairnSolveReport *report) {
    bool has_current = cairn_law_find(exact->problem, CAIRN_FRICTION_BOX_CURRENT) >= 0;
    exact->may_ask = exact->may_ask && !has_current; // whose bounds are not the problem's yet
    CairnOutcome outcome = CAIRN_OUTCOME_CONVERGED;
    CAIRN_TRY(has_current ? follow_bounds(exact, method, options, &outcome) : method(exact, options, &outcome));
    if (exact->is_superseded) {
        return cairn_exact_report(exact, CAIRN_OUTCOME_AT_LIMIT, (double)INFINITY, lambda, report);
    }
    double claimed = cairn_exact_measure(exact);
    bool is_short = outcome == CAIRN_OUTCOME_CONVERGED && !(claimed <= exact->limit);
    claimed = exact->weight != NULL ? worst_residual(exact) : claimed;
    return cairn_exact_report(exact, is_short ? CAIRN_OUTCOME_STALLED : outcome, claimed, lambda, report);
}

CairnStatus cairn_exact_solve(const CairnExactSolver *solver, const CairnProblem *problem, CairnSolverContext *context,
                              double *lambda, CairnSolveReport *report) {
    CairnExact exact;
    double *answer = CAIRN_PUSH(context->arena, double, problem->row_count + 1);
    CairnArenaMark mark = cairn_arena_mark(context->arena);
    if (answer == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for %d rows", solver->setup.name, problem->row_count);
    }
    CAIRN_TRY(cairn_exact_init(&exact, problem, &solver->setup, context, lambda));
    CAIRN_TRY(cairn_exact_run(&exact, solver->method, solver->options, answer, report));
    cairn_arena_release(context->arena, mark); // what finishes has a system of its own
    if (solver->finish != NULL && !report->is_superseded && !report->is_beyond_digits) {
        CAIRN_TRY(solver->finish(problem, solver->setup.system.formulation, context, answer, report));
    }
    report->leaves_rest = !solver->is_final;
    memcpy(lambda, answer, (size_t)problem->row_count * sizeof *lambda);
    return cairn_ok();
}
