#include "solvers/ipm.h"
#include "solvers/ipm_cone.h"
#include "solvers/ipm_start.h"

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
    double *s[2], *z[2];           // lower, upper
    double *ds[2], *dz[2];         // directions
    double *product[2];            // what the corrector asks of s z
    double *over_s[2], *over_z[2]; // 1/s, 1/z; 0 where there is no bound
    double *kept[2];               // the product before another correction,
    double *kept_direction;        // and the direction
    double *direction;             // of lambda
    double *best;                  // the best lambda that was seen, and how good it is
    double best_measure;
    unsigned char *guess; // the places that the iterate points to
    bool is_tried;        // these were solved for, and are not the answer's
    int spare;            // iterates that were good enough
    int sides;            // bounded sides in all
} Interior;

static bool allocate(Interior *in, CairnExact *exact) {
    int room = (exact->problem->row_count + 8) & ~7; // loops go by eights
    CairnArena *arena = exact->context->arena;
    *in = (Interior){.exact = exact, .best_measure = (double)INFINITY};
    for (int side = 0; side < 2; side++) {
        in->s[side] = CAIRN_PUSH_ZERO(arena, double, room);
        in->z[side] = CAIRN_PUSH_ZERO(arena, double, room);
        in->ds[side] = CAIRN_PUSH_ZERO(arena, double, room);
        in->dz[side] = CAIRN_PUSH_ZERO(arena, double, room);
        in->product[side] = CAIRN_PUSH_ZERO(arena, double, room);
        in->kept[side] = CAIRN_PUSH_ZERO(arena, double, room);
        in->over_s[side] = CAIRN_PUSH_ZERO(arena, double, room);
        in->over_z[side] = CAIRN_PUSH_ZERO(arena, double, room);
        if (!in->over_s[side] || !in->over_z[side] || !in->s[side] || !in->z[side] || !in->ds[side] || !in->dz[side] ||
            !in->product[side] || !in->kept[side]) {
            return false;
        }
    }
    in->direction = CAIRN_PUSH_ZERO(arena, double, room);
    in->kept_direction = CAIRN_PUSH_ZERO(arena, double, room);
    in->best = CAIRN_PUSH_ZERO(arena, double, room);
    in->guess = CAIRN_PUSH_ZERO(arena, unsigned char, room);
    return in->guess && in->direction && in->kept_direction && in->best;
}

// Sums have eight parts, so that they need not wait for one another.
static double mean_product(const Interior *in, double step) {
    double sum[8] = {0};
    int m = in->exact->problem->row_count;
    for (int side = 0; side < 2; side++) { // z = dz = 0 where there is no bound
        const double *s = in->s[side], *z = in->z[side], *ds = in->ds[side], *dz = in->dz[side];
        int i = 0;
        for (; i + 8 <= m; i += 8) {
            for (int k = 0; k < 8; k++) {
                sum[k] += (s[i + k] + step * ds[i + k]) * (z[i + k] + step * dz[i + k]);
            }
        }
        for (; i < m; i++) {
            sum[i % 8] += (s[i] + step * ds[i]) * (z[i] + step * dz[i]);
        }
    }
    double all = ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
    return in->sides > 0 ? all / in->sides : 0;
}

// y = -(w - z_l + z_u) + p_l / s_l - p_u / s_u, where s z + z ds + s dz shall become s z + p; its largest entry.
static double find_right_side(Interior *in) {
    CairnExact *exact = in->exact;
    double largest = 0;
    const double *p_l = in->product[0], *p_u = in->product[1];
    for (int i = 0; i < exact->problem->row_count; i++) {
        double y = -(exact->w[i] - in->z[0][i] + in->z[1][i]) + p_l[i] * in->over_s[0][i] - p_u[i] * in->over_s[1][i];
        double size = exact->is_held[i] ? 0 : fabs(y);
        exact->y[i] = y;
        largest = size > largest ? size : largest;
    }
    return largest;
}

// ds and dz that go with the direction of lambda.
static void complete_direction(Interior *in) {
    int m = in->exact->problem->row_count;
    for (int side = 0; side < 2; side++) {
        double sign = side == 0 ? 1 : -1;
        for (int i = 0; i < m; i++) {
            double ds = in->z[side][i] > 0 ? sign * in->direction[i] : 0;
            in->ds[side][i] = ds;
            in->dz[side][i] = (in->product[side][i] - in->z[side][i] * ds) * in->over_s[side][i];
        }
    }
}

// (A + Theta) d = y, as good as the factor is: enough to choose a target and a length by.
static void sketch_direction(Interior *in) {
    find_right_side(in);
    cairn_system_apply(&in->exact->system, in->exact->y, in->direction);
    complete_direction(in);
}

// The direction there is, refined: the one to go.
static CairnStatus settle_direction(Interior *in) {
    double largest = find_right_side(in);
    double left = cairn_system_refine(&in->exact->system, in->exact->y, 1e-4 * largest, 4, in->direction);
    if (!isfinite(left)) {
        return cairn_error(CAIRN_NUMERIC, "ipm: a direction is not finite");
    }
    complete_direction(in);
    return cairn_ok();
}

// The longest step, at most 1, that keeps s and z from passing zero. NaN: none.
static double longest_step(const Interior *in) {
    double most[8] = {1, 1, 1, 1, 1, 1, 1, 1}; // reciprocals
    int m = in->exact->problem->row_count;
    for (int side = 0; side < 2; side++) {
        const double *ds = in->ds[side], *dz = in->dz[side], *s = in->over_s[side], *z = in->over_z[side];
        for (int i = 0; i < m; i += 8) {
            for (int k = 0; k < 8; k++) { // arrays have room for it, and zeros there
                double by_s = -ds[i + k] * s[i + k], by_z = -dz[i + k] * z[i + k];
                double larger = by_s > by_z ? by_s : by_z;
                most[k] = larger > most[k] ? larger : most[k];
            }
        }
    }
    double all = 1;
    for (int k = 0; k < 8; k++) {
        all = most[k] > all ? most[k] : all;
    }
    return 1 / all;
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
    int m = exact->problem->row_count;
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < m; i++) {
            double z = in->z[side][i], has = z > 0 ? 1 : 0;           // without one s = 1 and z = 0
            in->over_s[side][i] = has / fmax(in->s[side][i], 1e-300); // a step may round onto the bound
            in->over_z[side][i] = has / (z + (1 - has));
        }
    }
    for (int i = 0; i < m; i++) {
        double theta = in->z[0][i] * in->over_s[0][i] + in->z[1][i] * in->over_s[1][i];
        exact->theta[i] = exact->is_held[i] ? (double)INFINITY : theta <= 1e300 ? theta : 1e300;
    }
    exact->has_factor = false;
    return cairn_system_factor(&exact->system, exact->theta);
}

// Push the products that a wanted step would throw far off mu back towards it.
static void push_products(Interior *in, double mu, double wanted) {
    static const double low = 0.1, high = 10;
    int m = in->exact->problem->row_count;
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < m; i++) {
            double s = in->s[side][i] + wanted * in->ds[side][i], z = in->z[side][i] + wanted * in->dz[side][i];
            double product = s * z, over = high * mu - product < -high * mu ? -high * mu : high * mu - product;
            double push = product < low * mu ? low * mu - product : product > high * mu ? over : 0;
            in->product[side][i] += in->z[side][i] > 0 ? push : 0;
        }
    }
}

// Gondzio's correctors: aim at a longer step, solve with the same factor, keep the direction if the step did get longer.
static void correct_centrality(Interior *in, double mu) {
    enum { MOST = 2 };
    static const double longer = 0.3;
    size_t size = (size_t)in->exact->problem->row_count * sizeof(double);
    double step = longest_step(in);
    for (int k = 0; k < MOST && step < 0.9; k++) {
        memcpy(in->kept[0], in->product[0], size);
        memcpy(in->kept[1], in->product[1], size);
        memcpy(in->kept_direction, in->direction, size);
        push_products(in, mu, step + longer < 1 ? step + longer : 1);
        sketch_direction(in);
        double next = longest_step(in);
        if (!(next >= step + 0.1 * longer)) {
            memcpy(in->product[0], in->kept[0], size);
            memcpy(in->product[1], in->kept[1], size);
            memcpy(in->direction, in->kept_direction, size);
            return; // whoever settles the direction completes it
        }
        step = next;
    }
}

static CairnStatus step_once(Interior *in) {
    CairnExact *exact = in->exact;
    CAIRN_TRY(factor(in));
    double mu = mean_product(in, 0);
    aim(in, 0, false);
    sketch_direction(in);
    if (in->sides > 0) {
        double ahead = mean_product(in, longest_step(in)) / mu;
        double target = ahead * ahead * ahead * mu;
        aim(in, target, true);
        sketch_direction(in);
        correct_centrality(in, target);
    }
    CAIRN_TRY(settle_direction(in));
    double longest = longest_step(in);
    double step = longest < 1 ? 0.995 * longest : 1;
    int m = exact->problem->row_count;
    for (int i = 0; i < m; i++) {
        exact->lambda[i] += step * in->direction[i];
    }
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < m; i++) { // ds = dz = 0 where there is no bound
            in->s[side][i] += step * in->ds[side][i];
            in->z[side][i] += step * in->dz[side][i];
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

// Read the index sets off the iterate; how many rows have another place than at the last reading.
static int read_sets(Interior *in) {
    const CairnExact *exact = in->exact;
    int changes = 0;
    for (int i = 0; i < exact->problem->row_count; i++) {
        bool at_lower = in->z[0][i] > 0 && exact->D[i] * in->s[0][i] < in->z[0][i];
        bool at_upper = in->z[1][i] > 0 && exact->D[i] * in->s[1][i] < in->z[1][i];
        unsigned char place = exact->is_held[i] ? CAIRN_HELD
                              : at_lower        ? CAIRN_AT_LOWER
                              : at_upper        ? CAIRN_AT_UPPER
                                                : CAIRN_FREE;
        changes += place != in->guess[i];
        in->guess[i] = place;
    }
    return changes;
}

// Solve the sets that were read, let the rows that break a sign change places, a few times. The iterate comes back as it was unless
// that was the answer.
static CairnStatus polish(Interior *in, int tries, bool *is_done) {
    CairnExact *exact = in->exact;
    int m = exact->problem->row_count;
    memcpy(in->direction, exact->lambda, (size_t)m * sizeof *exact->lambda);
    memcpy(exact->place, in->guess, (size_t)m);
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

// What the iterate leads to is looked at with the rows that it takes to be tight at their very bounds.
static bool is_superseded(Interior *in, double measure) {
    CairnExact *exact = in->exact;
    double *rough = in->direction;
    for (int i = 0; i < exact->problem->row_count; i++) {
        rough[i] = in->guess[i] == CAIRN_AT_LOWER   ? exact->lower[i]
                   : in->guess[i] == CAIRN_AT_UPPER ? exact->upper[i]
                                                    : exact->lambda[i];
    }
    return cairn_exact_review(exact, measure, rough);
}

// One iteration and what follows from it: where hardly a row changes its place any more, its sets are tried.
static CairnStatus iterate(Interior *in, bool *is_done) {
    enum { FEW = 2, SPARE = 1 };
    CairnExact *exact = in->exact;
    CAIRN_TRY(step_once(in));
    exact->iterations++;
    double measure = cairn_exact_measure(exact);
    keep(in, measure);
    if (exact->context->trace) {
        exact->context->trace(exact->context->trace_user, (CairnTraceEntry){exact->iterations, measure});
    }
    int changes = read_sets(in);
    if (is_superseded(in, measure)) {
        *is_done = true;
        return cairn_ok();
    }
    in->is_tried = in->is_tried && changes == 0;
    bool is_enough = measure <= exact->target;
    if (!in->is_tried && (is_enough || (changes <= FEW && measure <= 1e-7 * exact->scale + 1e-12))) {
        in->is_tried = true;
        CAIRN_TRY(polish(in, 2, is_done));
    }
    // Answers of solved sets are exact, and the next step starts from their sets: worth a few iterations, not more.
    in->spare += is_enough;
    *is_done = *is_done || in->spare > SPARE;
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

// Iterate until the answer is there, or rounding wastes what comes after the certificate.
static CairnStatus search(Interior *in, int most, CairnOutcome *outcome) {
    enum { PATIENCE = 4 }; // iterations that rounding may waste once the certificate holds
    CairnExact *exact = in->exact;
    double least = (double)INFINITY;
    bool is_done = false;
    cairn_exact_measure(exact);
    *outcome = CAIRN_AT_LIMIT;
    for (int k = 0, since = 0; k < most && *outcome == CAIRN_AT_LIMIT; k++, since++) {
        CairnStatus status = iterate(in, &is_done);
        if (status.code == CAIRN_NUMERIC) {
            *outcome = CAIRN_SINGULAR;
            break;
        }
        CAIRN_TRY(status);
        since = in->best_measure < least ? 0 : since;
        least = in->best_measure;
        if (is_done || (since >= PATIENCE && least <= exact->limit)) {
            *outcome = CAIRN_CONVERGED;
        }
    }
    if (in->best_measure <= exact->limit) {
        *outcome = CAIRN_CONVERGED; // whatever ended the search for a better one
    }
    return cairn_ok();
}

CairnStatus cairn_ipm_follow(CairnExact *exact, const CairnIpmOptions *options, CairnOutcome *outcome) {
    enum { MOST_WARM = 40 }; // steps after which a warm start was none
    Interior in;
    if (!allocate(&in, exact)) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "ipm: no memory for %d rows", exact->problem->row_count);
    }
    double mu = options->warm ? cairn_ipm_warm_mu(exact) : -1;
    *outcome = CAIRN_AT_LIMIT;
    if (mu > 0) {
        in.sides = cairn_ipm_centre(exact, mu, true, in.s, in.z);
        CAIRN_TRY(search(&in, options->iterations < MOST_WARM ? options->iterations : MOST_WARM, outcome));
    }
    if (exact->is_superseded) {
        return cairn_ok();
    }
    if (*outcome != CAIRN_CONVERGED) {
        for (int i = 0; i < exact->problem->row_count; i++) {
            exact->lambda[i] = exact->is_held[i] ? exact->lambda[i] : 0;
        }
        in.sides = cairn_ipm_centre(exact, cairn_ipm_cold_mu(exact), false, in.s, in.z);
        CAIRN_TRY(search(&in, options->iterations, outcome));
    }
    if (!exact->is_superseded && isfinite(in.best_measure)) {
        memcpy(exact->lambda, in.best, (size_t)exact->problem->row_count * sizeof *in.best);
    }
    return cairn_ok();
}

CairnStatus cairn_ipm_run(CairnExact *exact, const void *options, CairnOutcome *outcome) {
    const CairnIpmOptions *chosen = options;
    size_t size = (size_t)exact->problem->row_count * sizeof *exact->lambda;
    bool is_done = false;
    if (chosen->warm && !exact->context->is_rough) {
        CairnArenaMark mark = cairn_arena_mark(exact->context->arena);
        double *start = CAIRN_PUSH(exact->context->arena, double, exact->problem->row_count + 1);
        if (start == NULL) {
            return cairn_error(CAIRN_OUT_OF_MEMORY, "ipm: no memory for %d rows", exact->problem->row_count);
        }
        memcpy(start, exact->lambda, size);
        CAIRN_TRY(try_warm_sets(exact, &is_done));
        if (!is_done) {
            memcpy(exact->lambda, start, size);
        }
        cairn_arena_release(exact->context->arena, mark);
    }
    *outcome = CAIRN_CONVERGED;
    return is_done ? cairn_ok() : cairn_ipm_follow(exact, chosen, outcome);
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
    exact.may_ask = true;
    double *answer = CAIRN_PUSH(context->arena, double, problem->row_count + 1);
    if (answer == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "ipm: no memory for %d rows", problem->row_count);
    }
    CAIRN_TRY(cairn_exact_run(&exact, "ipm", cairn_ipm_run, &chosen, answer, report));
    if (!report->is_superseded) {
        CAIRN_TRY(cairn_ipm_cone_finish(problem, (CairnFormulation)chosen.formulation, context, answer, report));
    }
    memcpy(lambda, answer, (size_t)problem->row_count * sizeof *lambda);
    return cairn_ok();
}

const CairnSolver cairn_solver_ipm = {
    .name = "ipm",
    .summary = "interior point over box bounds, exact, always arrives",
    .traits = CAIRN_TAKES_BOUNDS | CAIRN_TAKES_BOX_CURRENT | CAIRN_TAKES_EXPLICIT,
    .options = &ipm_options,
    .solve = solve_ipm,
    .forget = cairn_system_forget,
};
