#include "solvers/exact/smooth_system.h"

#include <math.h>
#include <string.h>

#include "solvers/problem/law.h"

enum { STRIDE = 6 };

static const double least_give = 1e-14; // of D, instead of no compliance

// The first row of a group whose bound follows its normal impulse: all but the normal under box friction, torsion and
// rolling of a cone, none where bounds stand.
static int first_follower(const CairnSmoothSystem *s, int f) {
    const CairnFriction *friction = &s->cones->exact.problem->frictions[f];
    bool is_current = friction->kind == CAIRN_FRICTION_BOX_CURRENT && !s->cones->exact.is_dead[friction->normal];
    return is_current ? 1 : s->cones->cones[f].is_cone ? 3 : 3 + friction->spin_rows;
}

CairnStatus cairn_smooth_system_init(CairnSmoothSystem *s, CairnCones *cones) {
    CairnExact *exact = &cones->exact;
    const CairnProblem *problem = exact->problem;
    CairnArena *arena = exact->context->arena;
    size_t rows = (size_t)problem->row_count + 1, groups = (size_t)problem->friction_count + 1;
    *s = (CairnSmoothSystem){.cones = cones, .stiffness = 1};
    s->groups = CAIRN_PUSH_ZERO(arena, CairnSmoothCone, groups);
    s->rows = CAIRN_PUSH_ZERO(arena, CairnSmoothRow, rows);
    s->block = cairn_arena_push(arena, groups, sizeof *s->block);
    s->weight = CAIRN_PUSH_ZERO(arena, double, 4 * rows);
    if (s->groups == NULL || s->rows == NULL || s->block == NULL || s->weight == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for %zu rows", exact->name, rows - 1);
    }
    s->effect = s->weight + rows;
    s->rest = s->weight + 2 * rows;
    s->change = s->weight + 3 * rows;
    for (int i = 0; i < problem->row_count; i++) {
        s->rows[i].normal = cones->normal[i] == CAIRN_ROW_CONE ? CAIRN_ROW_CONE : -1;
        s->rows[i].k = exact->D[i];
    }
    for (int f = 0; f < problem->friction_count; f++) {
        const CairnFriction *friction = &problem->frictions[f];
        for (int k = first_follower(s, f); k < 3 + friction->spin_rows; k++) {
            double lever = cairn_law_lever(friction, k);
            bool follows = lever > 0 && !exact->is_dead[friction->normal + k];
            s->rows[friction->normal + k].arm = k < 3 ? 1 : lever;
            s->rows[friction->normal + k].mu = k < 3 ? lever : 1;
            s->rows[friction->normal + k].normal = follows ? friction->normal : -1;
        }
    }
    if (problem->form == CAIRN_FORM_EXPLICIT) {
        s->dense = CAIRN_PUSH_ZERO(arena, CairnSmoothDense, 1);
        s->refines = true; // which takes the product that it needs all the same
        return s->dense != NULL ? cairn_smooth_dense_init(s->dense, problem, exact->context->thread_count, arena)
                                : cairn_error(CAIRN_OUT_OF_MEMORY, "%s: no memory for %zu rows", exact->name, rows - 1);
    }
    return cairn_body_lu_init(&s->lu, &exact->system);
}

static double norm_of(const CairnSmoothSystem *s, int f) {
    const double *D = s->cones->exact.D + s->cones->exact.problem->frictions[f].normal;
    return s->cones->cones[f].is_cone ? s->cones->cones[f].norm : D[0] + D[1] + D[2];
}

static void set_weight(CairnSmoothSystem *s, int f, double k) {
    const CairnCone *cone = &s->cones->cones[f];
    const CairnFriction *friction = &s->cones->exact.problem->frictions[f];
    int n = friction->normal;
    s->groups[f].law = (CairnSmoothLaw){.mu = cone->mu, .k = k, .rises = cone->is_corrected};
    s->rows[n].k = k;
    for (int i = first_follower(s, f); i < 3 + friction->spin_rows; i++) {
        double arm = s->rows[n + i].arm;
        s->rows[n + i].k = k * sqrt(arm * arm * s->cones->exact.D[n + i] / norm_of(s, f));
    }
}

// k is how a change of an impulse is held against one of a velocity. The trace of A's block would be that of a contact
// alone; but what a contact in a heap feels is much less, and where its load is large any change of the velocity by eps is
// nothing to it: there k lambda_N stays below a hundredth of the velocities that are at stake, and k below a two
// hundredth of the trace. From nothing, where loads are unknown, a fortieth of the trace is best (docs/solvers.md).
void cairn_smooth_weigh(CairnSmoothSystem *s, const double *lambda, bool is_cold) {
    const double cold = 0.025 * s->stiffness, share = is_cold ? cold : 0.005, loaded = is_cold ? cold : 0.01;
    const CairnExact *exact = &s->cones->exact;
    const CairnProblem *problem = exact->problem;
    for (int f = 0; f < problem->friction_count; f++) {
        const CairnCone *cone = &s->cones->cones[f];
        const CairnFriction *friction = &problem->frictions[f];
        int n = friction->normal;
        if (first_follower(s, f) >= 3 + friction->spin_rows && !cone->is_cone) {
            continue;
        }
        double scale = loaded * exact->scale / cairn_exact_weight(exact, n), load = fmax(lambda[n], 0);
        set_weight(s, f, 1 / (1 / (share * norm_of(s, f)) + (scale > 0 ? load / scale : 0)));
    }
}

void cairn_smooth_weigh_by(CairnSmoothSystem *s, double share, bool is_fischer) {
    for (int f = 0; f < s->cones->exact.problem->friction_count; f++) {
        if (s->cones->cones[f].is_cone) {
            set_weight(s, f, share * s->cones->cones[f].norm);
            s->groups[f].law.is_fischer = is_fischer;
        }
    }
}

static double eps_of(const CairnSmoothSystem *s, int row, double eps) {
    return eps / cairn_exact_weight(&s->cones->exact, row);
}

// A row with bounds that stand while eps does not change. False: no impulse of it changes.
static bool is_plain(const CairnSmoothSystem *s, int row) {
    return s->rows[row].normal == -1 && !s->cones->exact.is_held[row];
}

static CairnSmoothLaw follower_of(const CairnSmoothSystem *s, int row, double eps) {
    return (CairnSmoothLaw){.mu = s->rows[row].mu, .k = s->rows[row].k, .eps = eps_of(s, row, eps)};
}

double cairn_smooth_evaluate(const CairnSmoothSystem *s, const double *lambda, const double *w, double eps, double *F) {
    const CairnExact *exact = &s->cones->exact;
    const CairnProblem *problem = exact->problem;
    double sum = 0, unused[3];
    for (int f = 0; f < problem->friction_count; f++) {
        if (s->cones->cones[f].is_cone) {
            int n = problem->frictions[f].normal;
            CairnSmoothLaw law = s->groups[f].law;
            law.eps = eps_of(s, n, eps);
            cairn_smooth_cone(&law, lambda + n, w + n, F + n);
        }
    }
    for (int i = 0; i < problem->row_count; i++) {
        const CairnSmoothRow *row = &s->rows[i];
        if (row->normal >= 0) {
            CairnSmoothLaw law = follower_of(s, i, eps);
            F[i] = cairn_smooth_follower(&law, row->arm, lambda[row->normal], lambda[i], w[i], unused);
        } else if (row->normal == -1) {
            F[i] = is_plain(s, i) ? cairn_smooth_row(row->k, eps_of(s, i, eps), exact->lower[i], exact->upper[i],
                                                     lambda[i], w[i], unused)
                                  : 0;
        }
        double weighed = cairn_exact_weight(exact, i) * F[i];
        sum += weighed * weighed;
    }
    return sqrt(sum);
}

static void times(const double A[9], const double x[3], double y[3]) {
    for (int i = 0; i < 3; i++) {
        y[i] = A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2];
    }
}

static double determinant(const double A[9]) {
    return A[0] * (A[4] * A[8] - A[5] * A[7]) - A[1] * (A[3] * A[8] - A[5] * A[6]) + A[2] * (A[3] * A[7] - A[4] * A[6]);
}

static bool find_cone(CairnSmoothSystem *s, int f, const double *lambda, const double *w, double eps) {
    const CairnProblem *problem = s->cones->exact.problem;
    CairnSmoothCone *cone = &s->groups[f];
    int n = problem->frictions[f].normal;
    double whole[9], *S = s->block[f];
    cone->law.eps = eps_of(s, n, eps);
    cairn_smooth_cone_slope(&cone->law, lambda + n, w + n, cone->L, cone->W);
    if (s->dense != NULL) {
        return true;
    }
    for (int i = 0; i < 9; i++) {
        whole[i] = cone->L[i] + cone->W[i] * problem->compliance[n + i % 3];
    }
    s->sign *= determinant(whole) < 0 ? -1 : 1;
    if (!cairn_smooth_invert(whole, cone->inverse)) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            S[STRIDE * i + j] = 0;
            for (int k = 0; k < 3; k++) {
                S[STRIDE * i + j] += cone->inverse[3 * i + k] * cone->W[3 * k + j];
            }
        }
    }
    return true;
}

// The rows whose bounds follow the normal impulse: x_i = (R_i - W w_i - N x_n) / (L + W C).
static void add_followers(CairnSmoothSystem *s, int f) {
    const CairnFriction *friction = &s->cones->exact.problem->frictions[f];
    double *S = s->block[f];
    for (int i = first_follower(s, f); i < 3 + friction->spin_rows; i++) {
        const CairnSmoothRow *row = &s->rows[friction->normal + i];
        for (int j = 0; j < 3 && row->normal >= 0; j++) {
            S[STRIDE * i + j] = -row->N * row->inverse * S[j];
        }
        S[(STRIDE + 1) * i] = s->weight[friction->normal + i];
    }
}

static void find_row(CairnSmoothSystem *s, int i, const double *lambda, const double *w, double eps) {
    const CairnExact *exact = &s->cones->exact;
    CairnSmoothRow *row = &s->rows[i];
    double share = 0, slopes[3] = {0};
    row->L = row->W = row->N = row->inverse = 0;
    if (row->normal >= 0) {
        CairnSmoothLaw law = follower_of(s, i, eps);
        (void)cairn_smooth_follower(&law, row->arm, lambda[row->normal], lambda[i], w[i], slopes);
        row->L = slopes[0];
        row->W = slopes[1];
        row->N = slopes[2];
    } else if (is_plain(s, i)) {
        (void)cairn_smooth_row(row->k, eps_of(s, i, eps), exact->lower[i], exact->upper[i], lambda[i], w[i], &share);
        row->L = row->k * (1 - share);
        row->W = share;
    }
    if (s->dense != NULL) {
        return;
    }
    double whole = row->L + row->W * exact->problem->compliance[i];
    if (row->W > 0 && !(whole > least_give * exact->D[i])) { // of rows without compliance, which may depend on others
        whole = least_give * exact->D[i];
        s->cones->exact.system.raised = fmax(exact->system.raised, least_give);
    }
    row->inverse = whole > 0 ? 1 / whole : 0;
    s->weight[i] = row->W * row->inverse;
}

static void set_ordinary(CairnSmoothSystem *s, int f) {
    const CairnFriction *friction = &s->cones->exact.problem->frictions[f];
    for (int i = 0; i < 3 + friction->spin_rows; i++) {
        s->block[f][(STRIDE + 1) * i] = s->weight[friction->normal + i];
    }
}

CairnStatus cairn_smooth_factor(CairnSmoothSystem *s, const double *lambda, const double *w, double eps,
                                bool *is_regular) {
    CairnExact *exact = &s->cones->exact;
    const CairnProblem *problem = exact->problem;
    exact->has_factor = false; // its memory is this factor's now
    exact->system.factorizations += 1;
    *is_regular = true;
    s->sign = 1;
    for (int i = 0; i < problem->row_count; i++) {
        find_row(s, i, lambda, w, eps);
    }
    for (int f = 0; f < problem->friction_count && *is_regular; f++) {
        memset(s->block[f], 0, sizeof s->block[f]);
        if (s->cones->cones[f].is_cone) {
            *is_regular = find_cone(s, f, lambda, w, eps);
        } else { // it takes a block, where it has no friction too
            set_ordinary(s, f);
        }
        add_followers(s, f);
    }
    if (!*is_regular) {
        return cairn_ok();
    }
    CairnStatus status = s->dense != NULL ? cairn_smooth_dense_factor(s->dense, s)
                                          : cairn_body_lu_factor(&s->lu, s->weight, (const double(*)[36])s->block);
    *is_regular = status.code != CAIRN_NUMERIC;
    for (int i = 0; s->dense == NULL && i < s->lu.factor.plan->size; i++) {
        s->sign *= s->lu.factor.pivots[i] < 0 ? -1 : 1;
    }
    return *is_regular ? status : cairn_ok();
}

// x = (L + W C)^-1 R; x may be R.
static void invert(const CairnSmoothSystem *s, const double *R, double *x) {
    const CairnProblem *problem = s->cones->exact.problem;
    for (int f = 0; f < problem->friction_count; f++) {
        if (s->cones->cones[f].is_cone) {
            int n = problem->frictions[f].normal;
            double own[3] = {R[n], R[n + 1], R[n + 2]};
            times(s->groups[f].inverse, own, x + n);
        }
    }
    for (int i = 0; i < problem->row_count; i++) {
        const CairnSmoothRow *row = &s->rows[i];
        if (row->normal >= 0) {
            x[i] = (R[i] - row->N * x[row->normal]) * row->inverse;
        } else if (row->normal == -1) {
            x[i] = R[i] * row->inverse;
        }
    }
}

// R -= W u, and with x also R -= L x.
static void subtract(const CairnSmoothSystem *s, const double *u, const double *x, double *R) {
    const CairnProblem *problem = s->cones->exact.problem;
    for (int f = 0; f < problem->friction_count; f++) {
        if (s->cones->cones[f].is_cone) {
            int n = problem->frictions[f].normal;
            double taken[3], more[3] = {0};
            times(s->groups[f].W, u + n, taken);
            if (x != NULL) {
                times(s->groups[f].L, x + n, more);
            }
            for (int i = 0; i < 3; i++) {
                R[n + i] -= taken[i] + more[i];
            }
        }
    }
    for (int i = 0; i < problem->row_count; i++) {
        const CairnSmoothRow *row = &s->rows[i];
        if (row->normal != CAIRN_ROW_CONE) {
            R[i] -= row->W * u[i];
            R[i] -= x != NULL ? row->L * x[i] + (row->normal >= 0 ? row->N * x[row->normal] : 0) : 0;
        }
    }
}

// x = one application of the factor to R.
static void apply(CairnSmoothSystem *s, const double *R, double *x) {
    if (s->dense != NULL) {
        cairn_smooth_dense_apply(s->dense, s, R, x);
        return;
    }
    const CairnGroups *groups = s->cones->exact.system.groups;
    size_t size = (size_t)s->cones->exact.problem->row_count * sizeof *x;
    invert(s, R, x);
    cairn_groups_impulse(groups, NULL, x, s->lu.slotted);
    cairn_body_lu_solve_slotted(&s->lu, s->lu.slotted);
    cairn_groups_recover(groups, s->lu.slotted, NULL, NULL, s->effect); // J v
    memcpy(x, R, size);
    subtract(s, s->effect, NULL, x);
    invert(s, x, x);
}

// y = A x.
static void multiply(CairnSmoothSystem *s, const double *x, double *y) {
    const CairnExact *exact = &s->cones->exact;
    const CairnProblem *problem = exact->problem;
    if (s->dense != NULL) {
        cairn_smooth_dense_multiply(problem, x, y);
        return;
    }
    cairn_groups_effect(exact->system.groups, &exact->system.ops, NULL, x, s->lu.slotted, y);
    for (int i = 0; i < problem->row_count; i++) {
        y[i] += problem->compliance[i] * x[i];
    }
}

void cairn_smooth_solve(CairnSmoothSystem *s, const double *F, double *x, double *Ax) {
    enum { REFINEMENTS = 3 };
    static const double enough = 1e-3, least_gain = 0.5;
    int rows = s->cones->exact.problem->row_count;
    double size = 0, last = HUGE_VAL;
    for (int i = 0; i < rows; i++) {
        s->rest[i] = -F[i];
        size += F[i] * F[i];
    }
    apply(s, s->rest, x);
    if (!s->refines) {
        for (int i = 0; i < rows; i++) {
            Ax[i] = s->effect[i] + s->cones->exact.problem->compliance[i] * x[i];
        }
        return;
    }
    for (int k = 0; k <= REFINEMENTS; k++) {
        double left = 0;
        multiply(s, x, Ax);
        for (int i = 0; i < rows; i++) {
            s->rest[i] = -F[i];
        }
        subtract(s, Ax, x, s->rest);
        for (int i = 0; i < rows; i++) {
            left += s->rest[i] * s->rest[i];
        }
        if (k == REFINEMENTS || left <= enough * enough * size || !(left <= least_gain * least_gain * last)) {
            return;
        }
        last = left;
        apply(s, s->rest, s->change);
        for (int i = 0; i < rows; i++) {
            x[i] += s->change[i];
        }
    }
}
