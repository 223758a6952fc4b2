// Friction cones: a contact's condition is one equation of three rows, F = 0 with the natural map or Fischer and
// Burmeister's function on the second-order cone, De Saxce's rise in it (smooth.h, with corners as they are). A step is
// one unsymmetric factor; |F|^2 / 2 is the merit that the line search lowers, as for rows with bounds.
#include "solvers/exact/nnewton_cone.h"

#include <math.h>
#include <string.h>

#include "solvers/exact/smooth_system.h"

enum { MEMORY = 16, HALVINGS = 40 };

typedef struct Search {
    CairnCones *cones;
    CairnSmoothSystem system;
    const CairnNnewtonOptions *options;
    double *F, *step, *moved, *lambda, *w; // a Newton step, A times it, the point that is tried
    CairnBest best;
    double merits[MEMORY]; // of the last steps
    int steps;
} Search;

static CairnStatus allocate(Search *search) {
    CairnExact *exact = &search->cones->exact;
    double **arrays[] = {&search->F, &search->step, &search->moved, &search->lambda, &search->w};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = CAIRN_PUSH_ZERO(exact->context->arena, double, exact->problem->row_count + 1);
        if (*arrays[i] == NULL) {
            return cairn_error(CAIRN_OUT_OF_MEMORY, "nnewton: no memory for %d rows", exact->problem->row_count);
        }
    }
    CAIRN_TRY(cairn_smooth_system_init(&search->system, search->cones));
    return cairn_best_init(&search->best, exact);
}

// Half the square of F after a fraction of the step; w is linear along it.
static double merit(Search *search, double fraction) {
    const CairnExact *exact = &search->cones->exact;
    for (int i = 0; i < exact->problem->row_count; i++) {
        search->lambda[i] = exact->lambda[i] + fraction * search->step[i];
        search->w[i] = exact->w[i] + fraction * search->moved[i];
    }
    double length = cairn_smooth_evaluate(&search->system, search->lambda, search->w, 0, search->F);
    return 0.5 * length * length;
}

// The step length: halved until the merit falls below the largest of the last steps. 0: no length lowers it.
static double find_length(Search *search) {
    double now = merit(search, 0), largest = now, fraction = 1;
    search->merits[search->steps++ % MEMORY] = now;
    for (int k = 2; k <= search->options->memory && k <= search->steps; k++) {
        largest = fmax(largest, search->merits[(search->steps - k) % MEMORY]);
    }
    for (int k = 0; k < HALVINGS; k++, fraction *= 0.5) {
        if (merit(search, fraction) <= largest - 2e-4 * fraction * now) {
            return fraction;
        }
    }
    return 0;
}

static void try_point(Search *search, double fraction) {
    CairnExact *exact = &search->cones->exact;
    for (int i = 0; i < exact->problem->row_count; i++) {
        exact->lambda[i] += fraction * search->step[i];
    }
    cairn_best_update(&search->best, exact, cairn_cones_measure(search->cones, true));
}

// A factor of a derivative near the iterate: that of F with corners rounded off by a share of what is left (Chen, Qi
// and Sun 1998), which goes to zero with it, or by more where that is singular.
static CairnStatus factor(Search *search, bool *is_regular) {
    enum { TRIES = 4 };
    static const double share = 1e-3, more = 30;
    CairnExact *exact = &search->cones->exact;
    double length = cairn_smooth_evaluate(&search->system, exact->lambda, exact->w, 0, search->F);
    double eps = fmax(share * length / sqrt(exact->problem->row_count), 1e-3 * exact->target);
    *is_regular = false;
    for (int k = 0; k < TRIES && !*is_regular; k++, eps *= more) {
        CAIRN_TRY(cairn_smooth_factor(&search->system, exact->lambda, exact->w, eps, is_regular));
    }
    return cairn_ok();
}

static CairnStatus step_once(Search *search, CairnOutcome *outcome) {
    CairnExact *exact = &search->cones->exact;
    bool is_regular;
    CAIRN_TRY(factor(search, &is_regular));
    if (!is_regular) {
        *outcome = CAIRN_OUTCOME_SINGULAR;
        return cairn_ok();
    }
    cairn_smooth_solve(&search->system, search->F, search->step, search->moved);
    double fraction = find_length(search), whole = fraction > 0 ? fraction : 1;
    try_point(search, whole); // the whole step may be the answer although the merit is all rounding
    exact->iterations++;
    double measure = cairn_cones_residual(search->cones, true);
    if (exact->context->trace) {
        exact->context->trace(exact->context->trace_user, (CairnTraceEntry){exact->iterations, measure});
    }
    *outcome = !isfinite(measure) ? CAIRN_OUTCOME_SINGULAR : fraction > 0 ? *outcome : CAIRN_OUTCOME_STALLED;
    cairn_cones_renew(search->cones);
    return cairn_ok();
}

static CairnStatus run(Search *search, CairnOutcome *outcome) {
    CairnExact *exact = &search->cones->exact;
    cairn_smooth_weigh_by(&search->system, search->options->scale, search->options->map == CAIRN_MAP_FISCHER);
    for (int i = 0; i < exact->problem->row_count && !search->options->warm; i++) {
        exact->lambda[i] = 0;
    }
    cairn_best_update(&search->best, exact, cairn_cones_project(search->cones));
    cairn_cones_renew(search->cones);
    *outcome = CAIRN_OUTCOME_AT_LIMIT;
    for (int k = 0; k < search->options->iterations && search->best.measure > exact->target; k++) {
        CAIRN_TRY(step_once(search, outcome));
        if (*outcome != CAIRN_OUTCOME_AT_LIMIT) {
            break;
        }
    }
    cairn_best_take(&search->best, exact);
    if (cairn_cones_project(search->cones) <= exact->limit) {
        *outcome = CAIRN_OUTCOME_CONVERGED;
    }
    return cairn_ok();
}

CairnStatus cairn_nnewton_cones(const CairnProblem *problem, const CairnNnewtonOptions *options,
                                CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    CairnCones cones;
    CairnOutcome outcome;
    Search search = {.cones = &cones, .options = options};
    CAIRN_TRY(cairn_cones_init(&cones, problem, CAIRN_FORMULATION_BODY, true, context, lambda));
    cones.exact.name = "nnewton";
    CAIRN_TRY(allocate(&search));
    CAIRN_TRY(run(&search, &outcome));
    return cairn_exact_report(&cones.exact, outcome, cairn_cones_residual(&cones, true), lambda, report);
}
