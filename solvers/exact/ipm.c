#include "solvers/exact/ipm.h"
#include "solvers/exact/condense.h"
#include "solvers/exact/ipm_cone.h"
#include "solvers/exact/ipm_rows.h"
#include "solvers/exact/ipm_start.h"
#include "solvers/problem/accept.h"

#include <math.h>
#include <string.h>

static const CairnField ipm_fields[] = {
    CAIRN_FIELD_CHOICE(CairnIpmOptions, formulation, 0, cairn_formulation_names, "the form of the linear system"),
    CAIRN_FIELD_INT(CairnIpmOptions, iterations, 100, 1, 100000, "most steps"),
    CAIRN_FIELD_BOOL(CairnIpmOptions, warm, 1, "try the index sets of the last step's impulses first"),
};

static const CairnFieldTable ipm_options = CAIRN_FIELD_TABLE("ipm", CairnIpmOptions, ipm_fields);

typedef struct Interior {
    CairnExact *exact;
    CairnIpmRows rows;
    CairnBest best;
    double last_mu;  // of the last iteration
    bool is_renewed; // of a condensed solve: w has been made the true one during the iterations
    bool is_tried;   // the index sets that the iterate predicts were solved with, and are not those of the answer
} Interior;

// (A + Theta) d = y, as good as the factor is: enough to choose a target and a length by. Returns the longest step.
static double sketch_direction(Interior *in) {
    cairn_system_apply(&in->exact->system, in->exact->y, in->rows.direction);
    return cairn_ipm_complete(&in->rows);
}

// Refine the present direction.
static CairnStatus refine_direction(Interior *in, double *longest) {
    double largest = cairn_ipm_right_side(&in->rows);
    double residual = cairn_system_refine(&in->exact->system, in->exact->y, 1e-3 * largest, 4, in->rows.direction);
    if (!isfinite(residual)) {
        return cairn_error(CAIRN_NUMERIC, "ipm: a direction is not finite");
    }
    *longest = cairn_ipm_complete(&in->rows);
    return cairn_ok();
}

// Gondzio's correctors: aim at a longer step, solve with the same factor, and accept the direction if the step has
// become longer.
static void correct_centrality(Interior *in, double mu, double step) {
    enum { MOST = 4 };
    static const double longer = 0.3, enough = 0.97;
    for (int k = 0; k < MOST && step < enough; k++) {
        cairn_ipm_push(&in->rows, mu, step + longer < 1 ? step + longer : 1);
        double next = sketch_direction(in);
        if (!(next >= step + 0.05 * longer)) {
            cairn_ipm_take_back(&in->rows);
            return; // refine_direction completes it
        }
        step = next;
    }
}

static CairnStatus step_once(Interior *in) {
    CairnExact *exact = in->exact;
    CairnIpmRows *rows = &in->rows;
    cairn_ipm_weigh(rows);
    exact->has_factor = false;
    CAIRN_TRY(cairn_system_factor(&exact->system, exact->theta, NULL));
    double mu = cairn_ipm_mean(rows, 0);
    cairn_ipm_predict(rows);
    double longest = sketch_direction(in), predicted = longest;
    if (rows->sides > 0 && !(mu > 0)) {
        // Every impulse or velocity has been rounded onto its bound: there is no interior to move in any more.
        return cairn_error(CAIRN_NUMERIC, "ipm: the iterate has reached its bounds");
    }
    if (rows->sides > 0) {
        // Mehrotra uses the cube; with the correctors, the fifth power saves factors. Where mu did not fall, the
        // iterate is far from the path and is centred first: without that, one problem in ten thousand cycles at the
        // boundary.
        double ahead = cairn_ipm_mean(rows, longest) / mu,
               target = (mu > 0.9 * in->last_mu ? ahead : pow(ahead, 5)) * mu;
        in->last_mu = mu;
        cairn_ipm_aim(rows, target);
        correct_centrality(in, target, sketch_direction(in));
    }
    CAIRN_TRY(refine_direction(in, &longest));
    // The fraction that remains of the pair that limits the step: small where the predictor is nearly the answer, but
    // never zero.
    double remainder = fmin(fmax(0.03 * (1 - predicted), 5e-5), 2e-3);
    double step = longest < 1 ? (1 - remainder) * longest : 1;
    while (cairn_ipm_mean(rows, step) > 4 * mu && step > 1e-9) {
        step *= 0.5; // the direction of a singular system may be noise, along which s z is arbitrary
    }
    cairn_ipm_move(rows, step);
    return cairn_ok();
}

// Solve with the predicted index sets and flip the rows that violate them, a few times. The iterate is restored
// unless that gave the answer.
static CairnStatus polish(Interior *in, int tries, bool *is_done) {
    CairnExact *exact = in->exact;
    int m = exact->problem->row_count;
    memcpy(in->rows.direction, exact->lambda, (size_t)m * sizeof *exact->lambda);
    memcpy(exact->set, in->rows.guess, (size_t)m);
    double measure;
    CAIRN_TRY(cairn_exact_pivot(exact, tries, &measure));
    cairn_best_update(&in->best, exact, measure);
    *is_done = measure <= exact->target;
    if (*is_done) {
        return cairn_ok();
    }
    memcpy(exact->lambda, in->rows.direction, (size_t)m * sizeof *exact->lambda);
    cairn_exact_measure(exact);
    return cairn_ok();
}

// Review the iterate with the rows that it predicts to be tight moved exactly to their bounds.
static bool is_superseded(Interior *in, double measure) {
    CairnExact *exact = in->exact;
    double *rough = in->rows.direction;
    for (int i = 0; i < exact->problem->row_count; i++) {
        rough[i] = in->rows.guess[i] == CAIRN_SET_AT_LOWER   ? exact->lower[i]
                   : in->rows.guess[i] == CAIRN_SET_AT_UPPER ? exact->upper[i]
                                                             : exact->lambda[i];
    }
    return cairn_exact_review(exact, measure, rough);
}

// Each step updates w. Near the certificate it is computed anew, without the accumulated rounding.
static double measure_iterate(CairnExact *exact) {
    double measure = cairn_exact_residual(exact);
    return measure <= 10 * exact->limit ? cairn_exact_measure(exact) : measure;
}

// For a condensed solve: check whether its answer is that of the whole problem, too. If not, w is the true one from
// here on. `iterate`: the iterate to continue from where the answer came from a solve with index sets; these are
// solved once more first, with the same factor.
static CairnStatus check_whole(Interior *in, const double *iterate, bool *is_done) {
    CairnExact *exact = in->exact;
    size_t size = (size_t)exact->problem->row_count * sizeof *exact->lambda;
    double measure = exact->verify(exact), inner;
    *is_done = cairn_exact_is_enough(exact, measure);
    if (!*is_done && iterate != NULL) {
        CAIRN_TRY(cairn_exact_pivot(exact, 1, &inner));
        measure = exact->verify(exact);
        *is_done = cairn_exact_is_enough(exact, measure);
    }
    if (!*is_done && iterate != NULL) {
        memcpy(exact->lambda, iterate, size);
        measure = exact->verify(exact);
    }
    cairn_best_set(&in->best, exact, measure); // the best so far was measured with another w
    return cairn_ok();
}

// One iteration, and a solve with the predicted index sets where hardly any row still changes its set.
static CairnStatus iterate(Interior *in, bool *is_done) {
    enum { FEW = 2 };
    CairnExact *exact = in->exact;
    CAIRN_TRY(step_once(in));
    exact->iterations++;
    double measure = measure_iterate(exact);
    if (exact->verify != NULL && !in->is_renewed && measure <= 1e-5 * exact->scale) {
        in->is_renewed = true; // while the products s z are large compared with the change
        measure = exact->verify(exact);
    }
    cairn_best_update(&in->best, exact, measure);
    if (exact->context->trace) {
        exact->context->trace(exact->context->trace_user, (CairnTraceEntry){exact->iterations, measure});
    }
    int changes = cairn_ipm_read_sets(&in->rows);
    if (is_superseded(in, measure)) {
        *is_done = true;
        return cairn_ok();
    }
    in->is_tried = in->is_tried && changes == 0;
    bool is_polished = false;
    if (!in->is_tried && changes <= FEW && measure <= 1e-7 * exact->scale) {
        in->is_tried = true;
        CAIRN_TRY(polish(in, 2, &is_polished));
    }
    *is_done = is_polished || cairn_exact_is_enough(exact, measure);
    if (*is_done && exact->verify != NULL) {
        CAIRN_TRY(check_whole(in, is_polished ? in->rows.direction : NULL, is_done));
    }
    return cairn_ok();
}

// Iterate until the answer is found, or until rounding prevents any improvement beyond the certificate.
static CairnStatus search(Interior *in, int most, CairnOutcome *outcome) {
    enum { PATIENCE = 4 }; // iterations without improvement once the certificate holds
    CairnExact *exact = in->exact;
    double least = (double)INFINITY;
    bool is_done = false;
    cairn_exact_measure(exact);
    in->last_mu = (double)INFINITY;
    *outcome = CAIRN_OUTCOME_AT_LIMIT;
    for (int k = 0, since = 0; k < most && *outcome == CAIRN_OUTCOME_AT_LIMIT; k++, since++) {
        CairnStatus status = iterate(in, &is_done);
        if (status.code == CAIRN_NUMERIC) {
            *outcome = CAIRN_OUTCOME_SINGULAR;
            break;
        }
        CAIRN_TRY(status);
        since = in->best.measure < least ? 0 : since;
        least = in->best.measure;
        if (is_done || (since >= PATIENCE && least <= exact->limit)) {
            *outcome = CAIRN_OUTCOME_CONVERGED;
        }
    }
    if (in->best.measure <= exact->limit) {
        *outcome = CAIRN_OUTCOME_CONVERGED; // for whatever reason the search for a better iterate ended
    }
    return cairn_ok();
}

static CairnStatus follow(CairnExact *exact, const CairnIpmOptions *options, CairnOutcome *outcome) {
    enum { MOST_WARM = 40 }; // steps after which a warm start has failed
    Interior in = {.exact = exact};
    CAIRN_TRY(cairn_best_init(&in.best, exact));
    if (!cairn_ipm_rows_init(&in.rows, exact)) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "ipm: no memory for %d rows", exact->problem->row_count);
    }
    double mu = options->warm ? cairn_ipm_warm_mu(exact) : -1;
    *outcome = CAIRN_OUTCOME_AT_LIMIT;
    if (mu > 0) {
        cairn_ipm_rows_begin(&in.rows, cairn_ipm_centre(exact, mu, true, in.rows.s, in.rows.z));
        CAIRN_TRY(search(&in, options->iterations < MOST_WARM ? options->iterations : MOST_WARM, outcome));
    }
    if (exact->is_superseded) {
        return cairn_ok();
    }
    if (*outcome != CAIRN_OUTCOME_CONVERGED) {
        for (int i = 0; i < exact->problem->row_count; i++) {
            exact->lambda[i] = exact->is_held[i] ? exact->lambda[i] : 0;
        }
        cairn_ipm_rows_begin(&in.rows, cairn_ipm_centre(exact, cairn_ipm_cold_mu(exact), false, in.rows.s, in.rows.z));
        CAIRN_TRY(search(&in, options->iterations, outcome));
    }
    if (!exact->is_superseded) { // where no iterate could be measured the best is that of the start
        cairn_best_take(&in.best, exact);
    }
    return cairn_ok();
}

// Solve over the bounded rows alone. If it converges, the answer is in exact->lambda.
static CairnStatus follow_condensed(CairnExact *exact, const CairnIpmOptions *options, CairnOutcome *outcome) {
    CairnCondensed condensed;
    bool is_made;
    *outcome = CAIRN_OUTCOME_STALLED;
    CAIRN_TRY(cairn_condense_make(&condensed, exact, &is_made));
    if (!is_made) {
        return cairn_ok();
    }
    CairnExact *inner = &condensed.inner;
    CAIRN_TRY(follow(inner, options, outcome));
    exact->may_ask = inner->may_ask;
    exact->is_superseded = inner->is_superseded;
    exact->iterations += inner->iterations;
    exact->system.factorizations += inner->system.factorizations + condensed.tied.factorizations;
    exact->system.factor_seconds += inner->system.factor_seconds + condensed.tied.factor_seconds;
    exact->system.apply_seconds += inner->system.apply_seconds + condensed.tied.apply_seconds;
    CAIRN_TRY(cairn_condense_recover(&condensed));
    bool is_answer = exact->is_superseded || cairn_exact_residual(exact) <= exact->limit;
    *outcome = is_answer ? *outcome : CAIRN_OUTCOME_STALLED;
    return cairn_ok();
}

CairnStatus cairn_ipm_follow(CairnExact *exact, const CairnIpmOptions *options, CairnOutcome *outcome) {
    if (cairn_condense_pays(exact)) {
        CairnStart start;
        CAIRN_TRY(cairn_start_init(&start, exact, false));
        CairnStatus status = follow_condensed(exact, options, outcome);
        if (status.code != CAIRN_NUMERIC) {
            CAIRN_TRY(status);
        }
        if (exact->is_superseded || (cairn_is_ok(status) && *outcome == CAIRN_OUTCOME_CONVERGED)) {
            return cairn_ok();
        }
        cairn_start_take(&start, exact);
    }
    return follow(exact, options, outcome);
}

// Whether the index sets that the warm start predicts are those of the answer, or nearly. It costs one factorization,
// and in a scene at rest saves many.
static CairnStatus try_warm_sets(CairnExact *exact, bool *is_done) {
    CairnArenaMark mark = cairn_arena_mark(exact->context->arena);
    CairnStart start;
    double measure;
    CAIRN_TRY(cairn_start_init(&start, exact, true));
    CAIRN_TRY(cairn_exact_pivot(exact, 1, &measure));
    exact->iterations++;
    *is_done = measure <= exact->target || cairn_start_take(&start, exact);
    cairn_arena_release(exact->context->arena, mark);
    return cairn_ok();
}

CairnStatus cairn_ipm_run(CairnExact *exact, const void *options, CairnOutcome *outcome) {
    const CairnIpmOptions *chosen = options;
    bool is_done = false;
    if (chosen->warm && !exact->context->is_rough) {
        CAIRN_TRY(try_warm_sets(exact, &is_done));
    }
    *outcome = CAIRN_OUTCOME_CONVERGED;
    return is_done ? cairn_ok() : cairn_ipm_follow(exact, chosen, outcome);
}

static CairnStatus solve_ipm(const CairnProblem *problem, const CairnParts *parts, const void *options,
                             CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    (void)parts;
    CairnIpmOptions chosen;
    CAIRN_TRY(cairn_solver_options(&ipm_options, options, &chosen));
    CairnExactSolver solver = {
        .setup = {.name = "ipm", .system.formulation = (CairnFormulation)chosen.formulation, .may_ask = true},
        .method = cairn_ipm_run,
        .options = &chosen,
        .finish = cairn_ipm_cone_finish};
    return cairn_exact_solve(&solver, problem, context, lambda, report);
}

const CairnSolver cairn_solver_ipm = {
    .name = "ipm",
    .summary = "interior point over box bounds, exact, always arrives",
    .traits = CAIRN_TAKES_BOUNDS | CAIRN_TAKES_BOX_CURRENT | CAIRN_TAKES_EXPLICIT,
    .options = &ipm_options,
    .solve = solve_ipm,
    .forget = cairn_system_forget,
};
