#include "solvers/ipm.h"

#include <math.h>
#include <string.h>

static const CairnField ipm_fields[] = {
    CAIRN_FIELD_CHOICE(CairnIpmOptions, formulation, 0, cairn_formulation_names, "the form of the linear system"),
    CAIRN_FIELD_INT(CairnIpmOptions, iterations, 100, 1, 100000, "most steps"),
    CAIRN_FIELD_BOOL(CairnIpmOptions, warm, 1, "try the index sets of the last step's impulses first"),
};

static const CairnFieldTable ipm_options = CAIRN_FIELD_TABLE("ipm", CairnIpmOptions, ipm_fields);

// Slacks s = lambda - l, u - lambda and their velocities z, with w = z_l - z_u at the answer. Sides without a bound have z = 0.
typedef struct Interior {
    CairnExact *exact;
    double *s[2], *z[2];   // lower, upper
    double *ds[2], *dz[2]; // directions
    double *product[2];    // what the corrector asks of s z
    double *kept[2];       // the same before another correction
    double *direction;     // of lambda
    double *best;          // the best lambda that was seen, and how good it is
    double best_measure;
    int sides; // bounded sides in all
} Interior;

static bool allocate(Interior *in, CairnExact *exact) {
    int m = exact->problem->row_count;
    CairnArena *arena = exact->context->arena;
    *in = (Interior){.exact = exact, .best_measure = (double)INFINITY};
    for (int side = 0; side < 2; side++) {
        in->s[side] = CAIRN_PUSH_ZERO(arena, double, m + 1);
        in->z[side] = CAIRN_PUSH_ZERO(arena, double, m + 1);
        in->ds[side] = CAIRN_PUSH_ZERO(arena, double, m + 1);
        in->dz[side] = CAIRN_PUSH_ZERO(arena, double, m + 1);
        in->product[side] = CAIRN_PUSH_ZERO(arena, double, m + 1);
        in->kept[side] = CAIRN_PUSH_ZERO(arena, double, m + 1);
        if (!in->s[side] || !in->z[side] || !in->ds[side] || !in->dz[side] || !in->product[side] || !in->kept[side]) {
            return false;
        }
    }
    in->direction = CAIRN_PUSH_ZERO(arena, double, m + 1);
    in->best = CAIRN_PUSH_ZERO(arena, double, m + 1);
    return in->direction && in->best;
}

static bool has_side(const CairnExact *exact, int side, int i) {
    return !exact->is_held[i] && !isinf(side == 0 ? exact->lower[i] : exact->upper[i]);
}

// Every product s z equals mu at the start (well centred). A side's natural sizes are s = sqrt(mu / D) and z = sqrt(mu D); between two
// bounds there is only so much room.
static void centre(Interior *in, double mu) {
    CairnExact *exact = in->exact;
    in->sides = 0;
    for (int i = 0; i < exact->problem->row_count; i++) {
        bool has[2] = {has_side(exact, 0, i), has_side(exact, 1, i)};
        double l = exact->lower[i], u = exact->upper[i], room = sqrt(mu / exact->D[i]);
        if (has[0] && has[1]) {
            room = fmin(room, 0.4 * (u - l));
            exact->lambda[i] = fmin(fmax(exact->lambda[i], l + room), u - room);
        } else if (has[0]) {
            exact->lambda[i] = fmax(exact->lambda[i], l + room);
        } else if (has[1]) {
            exact->lambda[i] = fmin(exact->lambda[i], u - room);
        }
        for (int side = 0; side < 2; side++) {
            in->s[side][i] = has[side] ? (side == 0 ? exact->lambda[i] - l : u - exact->lambda[i]) : 1;
            in->z[side][i] = has[side] ? mu / in->s[side][i] : 0;
            in->sides += has[side];
        }
    }
}

// The energy that the start is wrong by: of the row that is wrong by most.
static double starting_mu(const CairnExact *exact) {
    double mu = 0;
    for (int i = 0; i < exact->problem->row_count; i++) {
        double wrong = exact->is_held[i] ? 0 : exact->b[i];
        mu = fmax(mu, wrong * wrong / exact->D[i]);
    }
    return fmax(mu, 1e-30);
}

static double mean_product(const Interior *in, double step) {
    double sum = 0;
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < in->exact->problem->row_count; i++) {
            if (in->z[side][i] > 0) {
                sum += (in->s[side][i] + step * in->ds[side][i]) * (in->z[side][i] + step * in->dz[side][i]);
            }
        }
    }
    return in->sides > 0 ? sum / in->sides : 0;
}

// (A + Theta) d = -(w - z_l + z_u) + p_l / s_l - p_u / s_u, where s z + z ds + s dz shall become s z + p.
static CairnStatus find_direction(Interior *in) {
    CairnExact *exact = in->exact;
    int m = exact->problem->row_count;
    double largest = 0;
    for (int i = 0; i < m; i++) {
        exact->y[i] = -(exact->w[i] - in->z[0][i] + in->z[1][i]) + in->product[0][i] / in->s[0][i] -
                      in->product[1][i] / in->s[1][i];
        largest = fmax(largest, exact->is_held[i] ? 0 : fabs(exact->y[i]));
    }
    double left = cairn_system_solve(&exact->system, exact->y, 1e-4 * largest, 4, in->direction);
    if (!isfinite(left)) {
        return cairn_error(CAIRN_NUMERIC, "ipm: a direction is not finite");
    }
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < m; i++) {
            if (in->z[side][i] > 0) {
                double ds = side == 0 ? in->direction[i] : -in->direction[i];
                in->ds[side][i] = ds;
                in->dz[side][i] = (in->product[side][i] - in->z[side][i] * ds) / in->s[side][i];
            }
        }
    }
    return cairn_ok();
}

// The longest step, at most 1, that keeps s and z from passing zero.
static double longest_step(const Interior *in) {
    double step = 1;
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < in->exact->problem->row_count; i++) {
            if (in->z[side][i] > 0) {
                if (in->ds[side][i] < 0) {
                    step = fmin(step, -in->s[side][i] / in->ds[side][i]);
                }
                if (in->dz[side][i] < 0) {
                    step = fmin(step, -in->z[side][i] / in->dz[side][i]);
                }
            }
        }
    }
    return step;
}

static void aim(Interior *in, double mu, bool corrects) {
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < in->exact->problem->row_count; i++) {
            double second = corrects ? in->ds[side][i] * in->dz[side][i] : 0;
            in->product[side][i] = in->z[side][i] > 0 ? mu - in->s[side][i] * in->z[side][i] - second : 0;
        }
    }
}

static CairnStatus factor(Interior *in) {
    CairnExact *exact = in->exact;
    for (int i = 0; i < exact->problem->row_count; i++) {
        exact->theta[i] = exact->is_held[i] ? (double)INFINITY : in->z[0][i] / in->s[0][i] + in->z[1][i] / in->s[1][i];
        if (isinf(exact->theta[i]) && !exact->is_held[i]) {
            exact->theta[i] = 1e300;
        }
    }
    exact->has_factor = false;
    return cairn_system_factor(&exact->system, exact->theta);
}

// Gondzio's correctors: aim at a longer step, push the products that it would throw far off mu back towards it, solve with the same
// factor, keep the direction if the step did get longer.
static CairnStatus correct_centrality(Interior *in, double mu) {
    enum { MOST = 2 };
    static const double longer = 0.3, low = 0.1, high = 10;
    CairnExact *exact = in->exact;
    size_t size = (size_t)exact->problem->row_count * sizeof(double);
    double step = longest_step(in);
    for (int k = 0; k < MOST && step < 0.9; k++) {
        double wanted = fmin(1, step + longer);
        memcpy(in->kept[0], in->product[0], size);
        memcpy(in->kept[1], in->product[1], size);
        for (int side = 0; side < 2; side++) {
            for (int i = 0; i < exact->problem->row_count; i++) {
                double s = in->s[side][i] + wanted * in->ds[side][i], z = in->z[side][i] + wanted * in->dz[side][i];
                double push = s * z < low * mu    ? low * mu - s * z
                              : s * z > high * mu ? fmax(high * mu - s * z, -high * mu)
                                                  : 0;
                in->product[side][i] += in->z[side][i] > 0 ? push : 0;
            }
        }
        CAIRN_TRY(find_direction(in));
        double next = longest_step(in);
        if (next < step + 0.1 * longer) {
            memcpy(in->product[0], in->kept[0], size);
            memcpy(in->product[1], in->kept[1], size);
            return find_direction(in);
        }
        step = next;
    }
    return cairn_ok();
}

static CairnStatus step_once(Interior *in) {
    CairnExact *exact = in->exact;
    CAIRN_TRY(factor(in));
    double mu = mean_product(in, 0);
    aim(in, 0, false);
    CAIRN_TRY(find_direction(in));
    if (in->sides > 0) {
        double ahead = mean_product(in, longest_step(in)) / mu;
        double target = ahead * ahead * ahead * mu;
        aim(in, target, true);
        CAIRN_TRY(find_direction(in));
        CAIRN_TRY(correct_centrality(in, target));
    }
    double longest = longest_step(in);
    double step = longest < 1 ? 0.995 * longest : 1;
    for (int i = 0; i < exact->problem->row_count; i++) {
        exact->lambda[i] += step * in->direction[i];
        for (int side = 0; side < 2; side++) {
            if (in->z[side][i] > 0) {
                in->s[side][i] += step * in->ds[side][i];
                in->z[side][i] += step * in->dz[side][i];
            }
        }
    }
    return cairn_ok();
}

// Keep the iterate if none was better.
static void keep(Interior *in, double measure) {
    if (measure < in->best_measure) {
        in->best_measure = measure;
        memcpy(in->best, in->exact->lambda, (size_t)in->exact->problem->row_count * sizeof *in->best);
    }
}

// Read the index sets off the iterate, solve them exactly, let the rows that break a sign change places, a few times. The iterate
// comes back as it was unless that was the answer.
static CairnStatus polish(Interior *in, int tries, bool *is_done) {
    CairnExact *exact = in->exact;
    int m = exact->problem->row_count;
    memcpy(in->direction, exact->lambda, (size_t)m * sizeof *exact->lambda);
    for (int i = 0; i < m; i++) {
        bool at_lower = in->z[0][i] > 0 && exact->D[i] * in->s[0][i] < in->z[0][i];
        bool at_upper = in->z[1][i] > 0 && exact->D[i] * in->s[1][i] < in->z[1][i];
        exact->place[i] = exact->is_held[i] ? CAIRN_HELD
                          : at_lower        ? CAIRN_AT_LOWER
                          : at_upper        ? CAIRN_AT_UPPER
                                            : CAIRN_FREE;
    }
    double measure;
    CAIRN_TRY(cairn_exact_settle(exact, tries, &measure));
    if (isfinite(measure)) {
        keep(in, measure);
    }
    *is_done = measure <= exact->target;
    if (*is_done) {
        return cairn_ok();
    }
    memcpy(exact->lambda, in->direction, (size_t)m * sizeof *exact->lambda);
    cairn_exact_measure(exact);
    return cairn_ok();
}

// One iteration and what follows from it. `polished`: the measure at the last attempt to read the sets.
static CairnStatus iterate(Interior *in, double *polished, bool *is_done) {
    CairnExact *exact = in->exact;
    CAIRN_TRY(step_once(in));
    exact->iterations++;
    double measure = cairn_exact_measure(exact);
    keep(in, measure);
    if (exact->context->trace) {
        exact->context->trace(exact->context->trace_user, (CairnTraceEntry){exact->iterations, measure});
    }
    if (measure <= 1e-4 * exact->scale + 1e-12 && measure <= 0.03 * *polished) {
        *polished = measure;
        return polish(in, 2, is_done);
    }
    return cairn_ok();
}

// Are the sets that the warm start points to the answer's, or nearly? One factorization, which a scene at rest saves many by.
static CairnStatus try_warm_sets(CairnExact *exact, bool *is_done) {
    double measure;
    cairn_exact_measure(exact);
    cairn_exact_predict(exact);
    CAIRN_TRY(cairn_exact_settle(exact, 1, &measure));
    exact->iterations++;
    *is_done = measure <= exact->target;
    return cairn_ok();
}

CairnStatus cairn_ipm_run(CairnExact *exact, const void *options, CairnOutcome *outcome) {
    enum { PATIENCE = 4 }; // iterations that rounding may waste once the certificate holds
    const CairnIpmOptions *chosen = options;
    Interior in;
    if (!allocate(&in, exact)) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "ipm: no memory for %d rows", exact->problem->row_count);
    }
    bool is_done = false;
    if (chosen->warm) {
        CAIRN_TRY(try_warm_sets(exact, &is_done));
    }
    *outcome = CAIRN_CONVERGED;
    if (is_done) {
        return cairn_ok();
    }
    for (int i = 0; i < exact->problem->row_count; i++) {
        exact->lambda[i] = exact->is_held[i] ? exact->lambda[i] : 0;
    }
    centre(&in, starting_mu(exact));
    cairn_exact_measure(exact);
    *outcome = CAIRN_AT_LIMIT;
    double polished = (double)INFINITY, least = (double)INFINITY;
    for (int k = 0, since = 0; k < chosen->iterations && *outcome == CAIRN_AT_LIMIT; k++, since++) {
        CairnStatus status = iterate(&in, &polished, &is_done);
        if (status.code == CAIRN_NUMERIC) {
            *outcome = CAIRN_SINGULAR;
            break;
        }
        CAIRN_TRY(status);
        since = in.best_measure < least ? 0 : since;
        least = in.best_measure;
        if (is_done || (since >= PATIENCE && least <= exact->limit)) {
            *outcome = CAIRN_CONVERGED;
        }
    }
    if (in.best_measure <= exact->limit) {
        *outcome = CAIRN_CONVERGED; // whatever ended the search for a better one
    }
    if (isfinite(in.best_measure)) {
        memcpy(exact->lambda, in.best, (size_t)exact->problem->row_count * sizeof *in.best);
    }
    return cairn_ok();
}

static CairnStatus solve_ipm(const CairnProblem *problem, const CairnParts *parts, const void *options,
                             CairnSolverContext *context, double *lambda, CairnSolveReport *report) {
    (void)parts;
    CairnIpmOptions chosen;
    cairn_fields_preset(&ipm_options, &chosen);
    if (options) {
        chosen = *(const CairnIpmOptions *)options;
        CAIRN_TRY(cairn_fields_check(&ipm_options, &chosen));
    }
    CairnExact exact;
    CAIRN_TRY(cairn_exact_init(&exact, "ipm", problem, (CairnFormulation)chosen.formulation, context, lambda));
    return cairn_exact_run(&exact, "ipm", cairn_ipm_run, &chosen, lambda, report);
}

const CairnSolver cairn_solver_ipm = {
    .name = "ipm",
    .summary = "interior point over box bounds, exact, always arrives",
    .traits = CAIRN_TAKES_BOUNDS | CAIRN_TAKES_BOX_CURRENT | CAIRN_TAKES_EXPLICIT,
    .options = &ipm_options,
    .solve = solve_ipm,
    .forget = cairn_system_forget,
};
