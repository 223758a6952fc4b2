#include "solvers/exact/smooth.h"

#include <math.h>
#include <string.h>

#include "solvers/exact/smooth_law.h"
#include "solvers/system/body_lu.h"

struct CairnSmooth {
    CairnCones *cones;
    CairnBodyLu lu;
    double eps;          // in the measure: a row's own is this over its weight
    double *F, *try;     // F of the iterate, and of one that is tried
    double *lambda, *w;  // of one that is tried
    double *change;      // of lambda in a step
    double *effect;      // A change
    double *answer;      // minus (L + W C)^-1 F
    double *weight;      // S of ordinary rows
    double (*block)[36]; // S of friction groups: of n, t1, t2 for a cone, else of rows for themselves
    double (*linear)[9]; // (L + W C)^-1 of cones
    double *share;       // (L + W C)^-1 of ordinary rows
    double *kept;        // the iterate at which F = 0 was last reached nearly, and its w
};

enum { MOST_HALVINGS = 10 };

// F is as near to zero as a new eps needs it, in eps times the root of the number of rows.
static const double near = 0.09;
// eps falls by this share at first; a step that goes well squares it, one that does not takes its root.
static const double first_fall = 0.2, least_fall = 1e-3, slowest_fall = 0.97;
static const double least_step = 0.06; // of a line search; below, eps has fallen too far
static const double least_eps = 1e-12; // of the scale

CairnStatus cairn_smooth_make(CairnCones *cones, CairnSmooth **smooth, bool *takes) {
    CairnExact *exact = &cones->exact;
    CairnArena *arena = exact->context->arena;
    size_t rows = (size_t)exact->problem->row_count + 1, groups = (size_t)exact->problem->friction_count + 1;
    *takes = exact->system.kind == &cairn_system_body;
    if (!*takes) {
        return cairn_ok();
    }
    CairnSmooth *s = CAIRN_PUSH_ZERO(arena, CairnSmooth, 1);
    double *vectors = CAIRN_PUSH_ZERO(arena, double, 11 * rows);
    if (s == NULL || vectors == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for %zu rows", exact->name, rows - 1);
    }
    s->block = cairn_arena_push(arena, groups, sizeof *s->block);
    s->linear = cairn_arena_push(arena, groups, sizeof *s->linear);
    if (s->block == NULL || s->linear == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for %zu friction groups", exact->name, groups - 1);
    }
    double **const all[] = {&s->F,      &s->try,    &s->lambda, &s->w,    &s->change,
                            &s->effect, &s->answer, &s->weight, &s->share};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        *all[i] = vectors + i * rows;
    }
    s->kept = vectors + 9 * rows;
    s->cones = cones;
    *smooth = s;
    return cairn_body_lu_init(&s->lu, &exact->system);
}

static CairnSmoothCone law_of(const CairnSmooth *s, int f) {
    const CairnCone *cone = &s->cones->cones[f];
    int n = s->cones->exact.problem->frictions[f].normal;
    return (CairnSmoothCone){.mu = cone->mu,
                             .k = cone->norm,
                             .eps = s->eps / cairn_exact_weight(&s->cones->exact, n),
                             .rises = cone->is_corrected};
}

static bool is_plain(const CairnSmooth *s, int row) {
    return s->cones->normal[row] != CAIRN_ROW_CONE && !s->cones->exact.is_held[row];
}

// F, and its length over rows times their weights. Bounds that follow an impulse stand as they are.
static double evaluate(const CairnSmooth *s, const double *lambda, const double *w, double *F) {
    const CairnExact *exact = &s->cones->exact;
    const CairnProblem *problem = exact->problem;
    double sum = 0, share;
    for (int i = 0; i < problem->row_count; i++) {
        double weight = cairn_exact_weight(exact, i);
        F[i] = 0;
        if (is_plain(s, i)) {
            F[i] = cairn_smooth_row(exact->D[i], s->eps / weight, exact->lower[i], exact->upper[i], lambda[i], w[i],
                                    &share);
        }
        sum += weight * weight * F[i] * F[i];
    }
    for (int f = 0; f < problem->friction_count; f++) {
        if (s->cones->cones[f].is_cone) {
            CairnSmoothCone cone = law_of(s, f);
            int n = problem->frictions[f].normal;
            double weight = cairn_exact_weight(exact, n);
            cairn_smooth_cone(&cone, lambda + n, w + n, F + n);
            sum += weight * weight * (F[n] * F[n] + F[n + 1] * F[n + 1] + F[n + 2] * F[n + 2]);
        }
    }
    return sqrt(sum);
}

// y = A x for a 3x3 matrix in rows of `stride`.
static void times(const double *A, int stride, const double x[3], double y[3]) {
    for (int i = 0; i < 3; i++, A += stride) {
        y[i] = A[0] * x[0] + A[1] * x[1] + A[2] * x[2];
    }
}

// With A = J P^-1 J^T + C, Newton's equations L x + W A x = -F are x = -(L + W C)^-1 F - S J v with S = (L + W C)^-1 W
// and P v = J^T x: the matrix of v is P + J^T S J.
static bool find_weights(CairnSmooth *s) {
    const CairnExact *exact = &s->cones->exact;
    const CairnProblem *problem = exact->problem;
    const double *C = problem->compliance;
    for (int i = 0; i < problem->row_count; i++) {
        double share = 0;
        s->weight[i] = s->share[i] = 0;
        if (is_plain(s, i)) {
            (void)cairn_smooth_row(exact->D[i], s->eps / cairn_exact_weight(exact, i), exact->lower[i], exact->upper[i],
                                   exact->lambda[i], exact->w[i], &share);
            double whole = exact->D[i] * (1 - share) + share * C[i];
            s->share[i] = 1 / fmax(whole, 1e-14 * exact->D[i]);
            s->weight[i] = share * s->share[i];
        }
    }
    for (int f = 0; f < problem->friction_count; f++) {
        int n = problem->frictions[f].normal;
        memset(s->block[f], 0, sizeof s->block[f]);
        memset(s->linear[f], 0, sizeof s->linear[f]);
        for (int i = 0; i < problem->frictions[f].spin_rows; i++) {
            s->block[f][7 * (3 + i)] = s->weight[n + 3 + i];
        }
        if (!s->cones->cones[f].is_cone) {
            continue;
        }
        CairnSmoothCone cone = law_of(s, f);
        double L[9], W[9], whole[9];
        cairn_smooth_cone_slope(&cone, exact->lambda + n, exact->w + n, L, W);
        for (int i = 0; i < 9; i++) {
            whole[i] = L[i] + W[i] * C[n + i % 3];
        }
        if (!cairn_smooth_invert(whole, s->linear[f])) {
            return false;
        }
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                for (int k = 0; k < 3; k++) {
                    s->block[f][6 * i + j] += s->linear[f][3 * i + k] * W[3 * k + j];
                }
            }
        }
    }
    return true;
}

// change = answer - S J (P + J^T S J)^-1 J^T answer for the `answer` of -F.
static void solve(CairnSmooth *s) {
    const CairnExact *exact = &s->cones->exact;
    const CairnProblem *problem = exact->problem;
    const CairnGroups *groups = exact->system.groups;
    for (int i = 0; i < problem->row_count; i++) {
        s->answer[i] = -s->share[i] * s->F[i];
    }
    for (int f = 0; f < problem->friction_count; f++) {
        int n = problem->frictions[f].normal;
        if (s->cones->cones[f].is_cone) {
            double minus[3] = {-s->F[n], -s->F[n + 1], -s->F[n + 2]};
            times(s->linear[f], 3, minus, s->answer + n);
        }
    }
    cairn_groups_impulse(groups, NULL, s->answer, s->lu.slotted);
    cairn_body_lu_solve_slotted(&s->lu, s->lu.slotted);
    cairn_groups_recover(groups, s->lu.slotted, NULL, NULL, s->effect); // J v
    for (int i = 0; i < problem->row_count; i++) {
        s->change[i] = s->answer[i] - s->weight[i] * s->effect[i];
    }
    for (int f = 0; f < problem->friction_count; f++) {
        int n = problem->frictions[f].normal;
        if (s->cones->cones[f].is_cone) {
            double pushed[3];
            times(s->block[f], 6, s->effect + n, pushed);
            for (int i = 0; i < 3; i++) {
                s->change[n + i] = s->answer[n + i] - pushed[i];
            }
        }
    }
}

// One Newton direction and its effect on w. False: there is none.
static CairnStatus find_direction(CairnSmooth *s, bool *has_one) {
    CairnExact *exact = &s->cones->exact;
    int rows = exact->problem->row_count;
    *has_one = false;
    exact->has_factor = false; // its memory is the other factor's now
    exact->system.factorizations += 1;
    if (!find_weights(s)) {
        return cairn_ok();
    }
    CairnStatus status = cairn_body_lu_factor(&s->lu, s->weight, (const double(*)[36])s->block);
    if (status.code == CAIRN_NUMERIC) {
        return cairn_ok();
    }
    CAIRN_TRY(status);
    solve(s);
    *has_one = true;
    for (int i = 0; i < rows; i++) {
        *has_one = *has_one && isfinite(s->change[i]);
        s->lambda[i] = exact->lambda[i] + s->change[i];
    }
    cairn_system_slack(&exact->system, s->lambda, s->effect);
    for (int i = 0; i < rows; i++) {
        s->effect[i] -= exact->w[i];
    }
    return cairn_ok();
}

static double try_step(CairnSmooth *s, double length) {
    const CairnExact *exact = &s->cones->exact;
    for (int i = 0; i < exact->problem->row_count; i++) {
        s->lambda[i] = exact->lambda[i] + length * s->change[i];
        s->w[i] = exact->w[i] + length * s->effect[i];
    }
    return evaluate(s, s->lambda, s->w, s->try);
}

// The step along the direction that brings F down (Armijo); it is found in s->lambda.
static double search_line(CairnSmooth *s, double length_of_F) {
    double step = 1;
    for (int k = 0; k < MOST_HALVINGS; k++, step *= 0.5) {
        if (try_step(s, step) <= (1 - 0.01 * step) * length_of_F) {
            return step;
        }
    }
    (void)try_step(s, step);
    return step;
}

// The largest residual of a cone or a row, with sharp corners.
static double sharp(CairnSmooth *s) {
    const CairnExact *exact = &s->cones->exact;
    double eps = s->eps, largest = 0;
    s->eps = 0;
    (void)evaluate(s, exact->lambda, exact->w, s->try);
    for (int i = 0; i < exact->problem->row_count; i++) {
        largest = cairn_ops_larger(largest, cairn_exact_weight(exact, i) * fabs(s->try[i]));
    }
    s->eps = eps;
    return largest;
}

static void take(double *to, const double *from, int count) {
    memcpy(to, from, (size_t)count * sizeof *to);
}

// How eps has fallen: from where F was nearly zero last, and in how many steps.
typedef struct Fall {
    double share, eps; // eps at `kept`
    int tries;
    bool has_kept;
} Fall;

// Lets eps fall where F is nearly zero.
static void lower_eps(CairnSmooth *s, Fall *fall, double length) {
    const CairnExact *exact = &s->cones->exact;
    int rows = exact->problem->row_count;
    if (!(length <= near * s->eps * sqrt(rows))) {
        return;
    }
    if (fall->has_kept && fall->tries <= 1) {
        fall->share = fmax(fall->share * fall->share, least_fall);
    }
    take(s->kept, exact->lambda, rows);
    take(s->kept + rows, exact->w, rows);
    fall->has_kept = true;
    fall->eps = s->eps;
    fall->tries = 0;
    s->eps = fmax(s->eps * fall->share, least_eps * exact->scale);
}

// Goes back to where F was nearly zero, to let eps fall by less. False: it cannot.
static bool go_back(CairnSmooth *s, Fall *fall) {
    CairnExact *exact = &s->cones->exact;
    int rows = exact->problem->row_count;
    if (!fall->has_kept || fall->share >= slowest_fall) {
        return false;
    }
    take(exact->lambda, s->kept, rows);
    take(exact->w, s->kept + rows, rows);
    fall->share = sqrt(fall->share);
    fall->tries = 0;
    s->eps = fall->eps * fall->share;
    return true;
}

static CairnStatus run(CairnSmooth *s, int steps, CairnBest *best) {
    enum { MOST_TRIES = 8 };
    CairnCones *cones = s->cones;
    CairnExact *exact = &cones->exact;
    int rows = exact->problem->row_count;
    Fall fall = {.share = first_fall};
    s->eps = sharp(s);
    for (int k = 0; k < steps && best->measure > exact->target; k++) {
        bool has_one;
        cairn_cones_renew(cones); // bounds that follow
        lower_eps(s, &fall, evaluate(s, exact->lambda, exact->w, s->F));
        double length = evaluate(s, exact->lambda, exact->w, s->F);
        CAIRN_TRY(find_direction(s, &has_one));
        exact->iterations += 1;
        fall.tries += 1;
        if (!has_one) {
            break;
        }
        double step = search_line(s, length);
        if ((step < least_step || fall.tries > MOST_TRIES) && go_back(s, &fall)) {
            continue;
        }
        take(exact->lambda, s->lambda, rows);
        take(exact->w, s->w, rows);
        double measure = cairn_cones_residual(cones, true);
        cairn_best_update(best, exact, measure);
        if (cairn_exact_review(exact, measure, exact->lambda)) {
            break;
        }
    }
    return cairn_ok();
}

CairnStatus cairn_smooth_run(CairnSmooth *smooth, int steps, double *measure) {
    CairnExact *exact = &smooth->cones->exact;
    CairnArenaMark mark = cairn_arena_mark(exact->context->arena);
    CairnBest best;
    CAIRN_TRY(cairn_best_init(&best, exact));
    cairn_best_update(&best, exact, cairn_cones_residual(smooth->cones, true));
    CairnStatus status = run(smooth, steps, &best);
    cairn_best_take(&best, exact);
    cairn_arena_release(exact->context->arena, mark);
    cairn_system_slack(&exact->system, exact->lambda, exact->w);
    cairn_cones_renew(smooth->cones);
    *measure = cairn_cones_residual(smooth->cones, true);
    return status;
}
