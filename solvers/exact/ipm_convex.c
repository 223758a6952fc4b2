#include "solvers/exact/ipm_convex.h"

#include <math.h>
#include <string.h>

#include "solvers/exact/ipm_follow.h"
#include "solvers/exact/ipm_rows.h"
#include "solvers/exact/ipm_soc.h"
#include "solvers/exact/ipm_start.h"

// Where bounds follow, a direction is found again until no bound is off by more than this share of a slack: it comes
// nearer by a factor of 10 to 200 each time.
static const double matters = 0.1;
enum { MOST_PASSES = 4 };

typedef struct Convex {
    CairnCones *cones;
    CairnExact *exact;
    CairnIpmRows rows;     // with bounds that stand
    CairnIpmSoc soc;       // cones
    CairnIpmFollow follow; // with bounds that follow
    double last_mu;
    double measure; // of the iterate
} Convex;

bool cairn_ipm_convex_takes(const CairnCones *cones) {
    const CairnProblem *problem = cones->exact.problem;
    for (int f = 0; f < problem->friction_count; f++) {
        if (cones->cones[f].is_corrected || problem->frictions[f].kind == CAIRN_FRICTION_BOX_CURRENT) {
            return false;
        }
    }
    return true;
}

static double mean_of(const Convex *in, double step) {
    int sides = in->rows.sides + 2 * in->follow.active + in->soc.count;
    double sum = in->rows.sides * cairn_ipm_mean(&in->rows, step) + cairn_ipm_soc_sum(&in->soc, step) +
                 cairn_ipm_follow_sum(&in->follow, step);
    return sides > 0 ? sum / sides : 0;
}

static void add_right_side(Convex *in) {
    cairn_ipm_soc_right_side(&in->soc, in->exact->y);
    cairn_ipm_follow_right_side(&in->follow, in->exact->y);
}

static double complete(Convex *in) {
    double by_rows = cairn_ipm_complete(&in->rows), by_cones = cairn_ipm_soc_complete(&in->soc, in->rows.direction),
           by_follow = cairn_ipm_follow_complete(&in->follow, in->rows.direction);
    return -cairn_ops_larger(cairn_ops_larger(-by_rows, -by_cones), -by_follow);
}

// As good as the factor is: enough to choose a target and a length by. Returns the longest step.
static double sketch_direction(Convex *in) {
    cairn_system_apply(&in->exact->system, in->exact->y, in->rows.direction);
    (void)cairn_ipm_follow_adjust(&in->follow, in->rows.direction);
    return complete(in);
}

static double right_side(Convex *in) {
    CairnExact *exact = in->exact;
    double largest = 0;
    (void)cairn_ipm_right_side(&in->rows);
    add_right_side(in);
    for (int i = 0; i < exact->problem->row_count; i++) {
        largest = cairn_ops_larger(largest, exact->is_held[i] ? 0 : fabs(exact->y[i]));
    }
    return largest;
}

// Refine the present direction, with bounds that follow it. The last word has each row with such a bound: its slack may
// be far smaller than what an accurate direction is off by.
static CairnStatus refine_direction(Convex *in, double *longest) {
    static const double accurate = 1e-3, share = 0.01; // of the right side, of the measure
    CairnExact *exact = in->exact;
    double off = 1, residual = 0;
    for (int k = 0; k < MOST_PASSES && off > matters; k++) {
        double limit = fmin(accurate * right_side(in), share * in->measure);
        residual = cairn_system_refine(&exact->system, exact->y, limit, 4, in->rows.direction);
        off = cairn_ipm_follow_adjust(&in->follow, in->rows.direction);
    }
    if (off > 0) { // w follows from the product with A
        (void)right_side(in);
        residual = cairn_system_refine(&exact->system, exact->y, (double)INFINITY, 0, in->rows.direction);
    }
    if (!isfinite(residual)) {
        return cairn_error(CAIRN_NUMERIC, "ipm-cone: a direction is not finite");
    }
    *longest = complete(in);
    return cairn_ok();
}

// Gondzio's correctors, as in ipm.c.
static void correct_centrality(Convex *in, double mu, double step) {
    enum { MOST = 4 };
    static const double longer = 0.3, enough = 0.97;
    for (int k = 0; k < MOST && step < enough; k++) {
        double wanted = step + longer < 1 ? step + longer : 1;
        cairn_ipm_push(&in->rows, mu, wanted);
        cairn_ipm_soc_push(&in->soc, mu, wanted);
        cairn_ipm_follow_push(&in->follow, mu, wanted);
        add_right_side(in);
        double next = sketch_direction(in);
        if (!(next >= step + 0.1 * longer)) {
            cairn_ipm_take_back(&in->rows);
            cairn_ipm_soc_take_back(&in->soc);
            cairn_ipm_follow_take_back(&in->follow);
            return; // refine_direction completes it
        }
        step = next;
    }
}

static void aim(Convex *in, double target) {
    cairn_ipm_aim(&in->rows, target);
    cairn_ipm_soc_aim(&in->soc, target);
    cairn_ipm_follow_aim(&in->follow, target);
    add_right_side(in);
}

static CairnStatus factor(Convex *in) {
    CairnExact *exact = in->exact;
    cairn_ipm_follow_hold(&in->follow, mean_of(in, 0), in->rows.wall);
    cairn_ipm_weigh(&in->rows);
    cairn_ipm_follow_weigh(&in->follow);
    cairn_ipm_soc_weigh(&in->soc);
    exact->has_factor = false;
    return cairn_system_factor(&exact->system, exact->theta, in->cones->blocks);
}

static CairnStatus step_once(Convex *in) {
    static const double hardly = 0.9;
    CAIRN_TRY(factor(in));
    double mu = mean_of(in, 0);
    cairn_ipm_predict(&in->rows);
    cairn_ipm_soc_predict(&in->soc);
    cairn_ipm_follow_predict(&in->follow);
    add_right_side(in);
    double longest = sketch_direction(in), predicted = longest;
    if (!(mu > 0)) {
        return cairn_error(CAIRN_NUMERIC, "ipm-cone: the iterate has reached its bounds");
    }
    double ahead = mean_of(in, longest) / mu, target = (mu > hardly * in->last_mu ? ahead : pow(ahead, 5)) * mu;
    in->last_mu = mu;
    aim(in, target);
    correct_centrality(in, target, sketch_direction(in));
    CAIRN_TRY(refine_direction(in, &longest));
    double remainder = fmin(fmax(0.03 * (1 - predicted), 5e-5), 2e-3);
    double step = longest < 1 ? (1 - remainder) * longest : 1;
    while (mean_of(in, step) > 4 * mu && step > 1e-9) {
        step *= 0.5;
    }
    if (!(step > 0)) {
        return cairn_error(CAIRN_NUMERIC, "ipm-cone: there is no step");
    }
    cairn_ipm_move(&in->rows, step);
    cairn_ipm_follow_move(&in->follow, step);
    if (!cairn_ipm_soc_move(&in->soc, step)) {
        return cairn_error(CAIRN_NUMERIC, "ipm-cone: a friction cone is on its edge to rounding");
    }
    return cairn_ok();
}

// Newton's method from the iterate, which is restored unless that finds the answer.
static CairnStatus polish(Convex *in, int steps, CairnBest *best, bool *is_done) {
    CairnExact *exact = in->exact;
    CairnArenaMark mark = cairn_arena_mark(exact->context->arena);
    size_t rows = (size_t)exact->problem->row_count;
    double *saved = CAIRN_PUSH(exact->context->arena, double, 2 * rows + 1), measure;
    bool *held = CAIRN_PUSH(exact->context->arena, bool, rows + 1);
    if (saved == NULL || held == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "ipm-cone: no memory for %zu rows", rows);
    }
    memcpy(saved, exact->lambda, rows * sizeof *saved);
    memcpy(saved + rows, exact->w, rows * sizeof *saved);
    memcpy(held, exact->is_held, rows * sizeof *held);
    cairn_cones_renew(in->cones);
    CairnStatus status = cairn_cones_newton(in->cones, steps, &measure);
    if (cairn_is_ok(status)) {
        cairn_best_update(best, exact, measure);
        *is_done = measure <= exact->target;
    }
    if (cairn_is_ok(status) && !*is_done) {
        memcpy(exact->lambda, saved, rows * sizeof *saved);
        memcpy(exact->w, saved + rows, rows * sizeof *saved);
        memcpy(exact->is_held, held, rows * sizeof *held);
    }
    cairn_arena_release(exact->context->arena, mark);
    return status;
}

// Each step updates w. Near the certificate it is computed anew, without the accumulated rounding.
static double measure_iterate(Convex *in) {
    in->measure = cairn_cones_residual(in->cones, true);
    if (in->measure <= 10 * in->exact->limit) {
        in->measure = cairn_cones_measure(in->cones, true);
    }
    return in->measure;
}

// cairn_ipm_warm_mu with cones among the rows.
static double warm_mu(const CairnCones *cones) {
    const CairnExact *exact = &cones->exact;
    double mu = 0;
    bool is_zero = true;
    for (int i = 0; i < exact->problem->row_count; i++) {
        double D = exact->D[i], above = D * (exact->lambda[i] - exact->upper[i]),
               below = D * (exact->lambda[i] - exact->lower[i]);
        bool counts = !exact->is_held[i] && cones->normal[i] == CAIRN_ROW_FIXED;
        double wrong = counts ? fmin(fmax(exact->w[i], above), below) : 0;
        mu = cairn_ops_larger(mu, wrong * wrong / D);
        is_zero = is_zero && (exact->is_held[i] || exact->lambda[i] == 0);
    }
    for (int f = 0; f < exact->problem->friction_count; f++) {
        double wrong = cones->cones[f].is_cone ? cairn_cones_map(cones, f) : 0;
        mu = cones->cones[f].is_cone ? cairn_ops_larger(mu, wrong * wrong / cones->cones[f].norm) : mu;
    }
    return is_zero ? -1 : cairn_ipm_warm_range(cairn_ipm_cold_mu(exact), mu);
}

static CairnStatus begin(Convex *in, CairnCones *cones, bool is_warm, bool *has_start) {
    CairnExact *exact = &cones->exact;
    *in = (Convex){.cones = cones, .exact = exact, .last_mu = (double)INFINITY};
    bool has_memory = cairn_ipm_rows_init(&in->rows, exact) && cairn_ipm_soc_init(&in->soc, cones) &&
                      cairn_ipm_follow_init(&in->follow, cones);
    if (!has_memory) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "ipm-cone: no memory for %d rows", exact->problem->row_count);
    }
    double mu = is_warm ? warm_mu(cones) : cairn_ipm_cold_mu(exact);
    *has_start = mu > 0;
    int sides = 0;
    for (int i = 0; i < exact->problem->row_count && *has_start; i++) {
        if (cones->normal[i] == CAIRN_ROW_FIXED) {
            exact->lambda[i] = is_warm || exact->is_held[i] ? exact->lambda[i] : 0;
            sides += cairn_ipm_centre_row(exact, i, mu, is_warm, in->rows.s, in->rows.z);
        } else {
            in->rows.s[0][i] = in->rows.s[1][i] = 1;
        }
    }
    if (*has_start) {
        cairn_ipm_soc_begin(&in->soc, mu, is_warm);
        cairn_ipm_follow_begin(&in->follow, mu, is_warm);
        cairn_ipm_rows_begin(&in->rows, sides);
        in->measure = cairn_cones_measure(cones, true);
    }
    return cairn_ok();
}

// An iterate that is the answer is inside by what is left of its distances: rows at bounds and open cones are put
// there.
static void settle(Convex *in, CairnBest *best) {
    CairnExact *exact = in->exact;
    const CairnProblem *problem = exact->problem;
    (void)cairn_cones_guess_sets(in->cones);
    for (int i = 0; i < problem->row_count; i++) {
        if (in->cones->normal[i] == CAIRN_ROW_FIXED && !exact->is_held[i]) {
            exact->lambda[i] = exact->set[i] == CAIRN_SET_AT_LOWER   ? exact->lower[i]
                               : exact->set[i] == CAIRN_SET_AT_UPPER ? exact->upper[i]
                                                                     : exact->lambda[i];
        }
    }
    for (int f = 0; f < problem->friction_count; f++) {
        const CairnCone *cone = &in->cones->cones[f];
        if (cone->is_cone && cone->set == CAIRN_CONE_OPEN) {
            memset(exact->lambda + problem->frictions[f].normal, 0, 3 * sizeof *exact->lambda);
        }
    }
    double measure = cairn_cones_project(in->cones);
    if (measure <= exact->target) {
        cairn_best_set(best, exact, measure);
    }
}

static CairnStatus run(Convex *in, int steps, CairnBest *best, bool *is_done) {
    // Newton's method is tried where no row and no cone changes its place any more, or very near, and again at every
    // tenth of that. With bounds that follow it takes as long as ten steps.
    static const double near = 1e-5, nearer = 1e-9;
    enum { STEPS = 2, PATIENCE = 4 }; // of Newton's method; without improvement once the certificate holds
    CairnExact *exact = in->exact;
    double least = (double)INFINITY, polished = least;
    for (int k = 0, since = 0; k < steps && !*is_done; k++) {
        CairnStatus status = step_once(in);
        if (status.code == CAIRN_NUMERIC) {
            break;
        }
        CAIRN_TRY(status);
        exact->iterations++;
        double measure = measure_iterate(in);
        cairn_best_update(best, exact, measure);
        if (exact->context->trace) {
            exact->context->trace(exact->context->trace_user, (CairnTraceEntry){exact->iterations, measure});
        }
        since = measure < least ? 0 : since + 1;
        least = fmin(measure, least);
        bool is_settled = measure <= 10 * near * exact->scale && cairn_cones_guess_sets(in->cones) == 0;
        bool is_ready = measure <= nearer * exact->scale || (in->follow.count == 0 && is_settled);
        if (is_ready && measure > exact->target && measure <= fmin(near * exact->scale, 0.1 * polished)) {
            polished = measure;
            CAIRN_TRY(polish(in, STEPS, best, is_done));
        }
        if (!*is_done && measure <= exact->target) {
            settle(in, best);
            *is_done = true;
        }
        *is_done = *is_done || (since >= PATIENCE && best->measure <= exact->limit) ||
                   cairn_exact_review(exact, measure, exact->lambda);
    }
    *is_done = *is_done || best->measure <= exact->limit;
    return cairn_ok();
}

CairnStatus cairn_ipm_convex_run(CairnCones *cones, int steps, bool is_warm, CairnBest *best, bool *is_done) {
    CairnArenaMark mark = cairn_arena_mark(cones->exact.context->arena);
    Convex in;
    bool has_start = false;
    CairnStatus status = begin(&in, cones, is_warm, &has_start);
    if (cairn_is_ok(status) && has_start) {
        status = run(&in, steps, best, is_done);
    }
    cairn_arena_release(cones->exact.context->arena, mark);
    return status;
}
