// Newton's method on the natural map of all rows. With rho = 1/norm and x = norm r - (w + rise), r = P_K(x)/norm says
// of a cone
//
//     inside:  w + rise = 0             open:  r = 0
//     edge:    along the edge (1, mu d): component of w + rise = 0;   out of the cone (-mu, d): component of r = 0;
//              across (0, d turned):     component of w + rise + theta r = 0, theta = norm (1 - k)/k, k = |P_T|/|x_T|
//
// with d = x_T/|x_T|: linear equations of the next iterate, symmetric for held parameters (a box row is the same with
// one dimension). The parameters follow their rows: mu |w_T| = -mu d.w_T, a bound is lever times lambda_N. With the
// index sets held that is a linear fixed point p = M p + c, where one product with M is one solve with the factor;
// GMRES solves it. Together: a Newton step on everything.
#include <math.h>
#include <string.h>

#include "solvers/exact/cones.h"
#include "solvers/linalg/gmres.h"

enum { MOST_VECTORS = 40 };

static const double stiff = 1e6; // weight, over norm, of the direction out of the cone

static void choose_cone_set(CairnCones *cones, int f) {
    CairnCone *cone = &cones->cones[f];
    const CairnExact *exact = &cones->exact;
    int n = exact->problem->frictions[f].normal;
    double x[3];
    for (int i = 0; i < 3; i++) {
        x[i] = cone->norm * exact->lambda[n + i] - exact->w[n + i];
    }
    x[0] -= cone->rise;
    double tangent = sqrt(x[1] * x[1] + x[2] * x[2]), mu = cone->mu;
    if (tangent <= mu * x[0]) {
        cone->set = CAIRN_CONE_INSIDE;
    } else if (mu * tangent <= -x[0]) {
        cone->set = CAIRN_CONE_OPEN;
    } else {
        double d[2] = {x[1] / tangent, x[2] / tangent}, length = sqrt(1 + mu * mu);
        double ratio = fmax(mu * (x[0] + mu * tangent) / (length * length * tangent), 1e-12);
        cone->set = CAIRN_CONE_EDGE;
        cone->theta = fmax(0, cone->norm * (1 - ratio) / ratio);
        memcpy(cone->axis,
               (double[3][3]){{1 / length, mu * d[0] / length, mu * d[1] / length},
                              {0, -d[1], d[0]},
                              {-mu / length, d[0] / length, d[1] / length}},
               sizeof cone->axis);
    }
}

int cairn_cones_guess_sets(CairnCones *cones) {
    CairnExact *exact = &cones->exact;
    int changes = 0;
    for (int i = 0; i < exact->problem->row_count; i++) {
        double pointed = exact->lambda[i] - exact->w[i] / exact->D[i];
        unsigned char set = exact->is_held[i]            ? CAIRN_SET_HELD
                            : pointed <= exact->lower[i] ? CAIRN_SET_AT_LOWER
                            : pointed >= exact->upper[i] ? CAIRN_SET_AT_UPPER
                                                         : CAIRN_SET_FREE;
        changes += set != exact->set[i];
        exact->set[i] = set;
    }
    for (int f = 0; f < exact->problem->friction_count; f++) {
        if (cones->cones[f].is_cone) {
            CairnConeSet before = cones->cones[f].set;
            choose_cone_set(cones, f);
            changes += cones->cones[f].set != before;
        }
    }
    return changes;
}

// Choose the index sets of all rows and cones, set Theta accordingly, and list the parameters that follow the answer.
static void choose_sets(CairnCones *cones) {
    CairnExact *exact = &cones->exact;
    const CairnProblem *problem = exact->problem;
    cones->parameter_count = 0;
    for (int i = 0; i < problem->row_count; i++) {
        double pointed = exact->lambda[i] - exact->w[i] / exact->D[i];
        exact->set[i] = exact->is_held[i]            ? CAIRN_SET_HELD
                        : pointed <= exact->lower[i] ? CAIRN_SET_AT_LOWER
                        : pointed >= exact->upper[i] ? CAIRN_SET_AT_UPPER
                                                     : CAIRN_SET_FREE;
        exact->theta[i] = exact->set[i] == CAIRN_SET_FREE ? 0 : (double)INFINITY;
        if (cones->normal[i] >= 0 && (exact->set[i] == CAIRN_SET_AT_LOWER || exact->set[i] == CAIRN_SET_AT_UPPER)) {
            cones->parameter[cones->parameter_count++] = i;
        }
    }
    for (int f = 0; f < problem->friction_count; f++) {
        CairnCone *cone = &cones->cones[f];
        CairnThetaBlock *block = &cones->blocks[f];
        *block = (CairnThetaBlock){{0}, {{0}}};
        if (!cone->is_cone) {
            continue;
        }
        choose_cone_set(cones, f);
        for (int i = 0; i < 3; i++) {
            exact->theta[problem->frictions[f].normal + i] = cone->set == CAIRN_CONE_OPEN ? (double)INFINITY : 0;
        }
        if (cone->set == CAIRN_CONE_EDGE) {
            memcpy(block->axis, cone->axis, sizeof block->axis);
            block->weight[1] = cone->theta;
            block->weight[2] = stiff * cone->norm;
            if (cone->is_corrected) {
                cones->parameter[cones->parameter_count++] = -1 - f;
            }
        }
    }
}

static double dot(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Minus the residual of each equation of a cone, as a right side over its rows.
static void cone_right_side(const CairnCones *cones, int f, double *y) {
    const CairnCone *cone = &cones->cones[f];
    int n = cones->exact.problem->frictions[f].normal;
    const double *r = cones->exact.lambda + n, *w = cones->exact.w + n;
    y[0] = y[1] = y[2] = 0;
    if (cone->set == CAIRN_CONE_INSIDE) {
        for (int i = 0; i < 3; i++) {
            y[i] = -w[i]; // rise is mu |w_T| = 0
        }
    } else if (cone->set == CAIRN_CONE_EDGE) {
        double u[3] = {w[0] + cone->rise, w[1], w[2]};
        double along = dot(cone->axis[0], u), across = dot(cone->axis[1], u) + cone->theta * dot(cone->axis[1], r);
        for (int i = 0; i < 3; i++) {
            y[i] = -along * cone->axis[0][i] - across * cone->axis[1][i];
        }
    }
}

// Move the iterate to where the equations of the index sets hold with the present parameters, and compute its w. The
// weight `stiff` leaves an error of a millionth of the step, which a second pass removes.
static bool solve_sets(CairnCones *cones, int passes) {
    CairnExact *exact = &cones->exact;
    const CairnProblem *problem = exact->problem;
    for (int pass = 0; pass < passes; pass++) {
        for (int i = 0; i < problem->row_count; i++) {
            exact->lambda[i] = exact->set[i] == CAIRN_SET_AT_LOWER   ? exact->lower[i]
                               : exact->set[i] == CAIRN_SET_AT_UPPER ? exact->upper[i]
                                                                     : exact->lambda[i];
        }
        for (int f = 0; f < problem->friction_count; f++) {
            const CairnCone *cone = &cones->cones[f];
            double *r = exact->lambda + problem->frictions[f].normal;
            double out = cone->is_cone && cone->set == CAIRN_CONE_EDGE ? dot(cone->axis[2], r) : 0;
            for (int i = 0; i < 3 && cone->is_cone; i++) {
                r[i] = cone->set == CAIRN_CONE_OPEN ? 0 : r[i] - out * (out != 0 ? cone->axis[2][i] : 0);
            }
        }
        cairn_system_slack(&exact->system, exact->lambda, exact->w);
        for (int i = 0; i < problem->row_count; i++) {
            exact->y[i] = -exact->w[i];
        }
        for (int f = 0; f < problem->friction_count; f++) {
            if (cones->cones[f].is_cone) {
                cone_right_side(cones, f, exact->y + problem->frictions[f].normal);
            }
        }
        if (!isfinite(cairn_system_solve(&exact->system, exact->y, 1e-4 * exact->target, 20, exact->x))) {
            return false;
        }
        for (int i = 0; i < problem->row_count; i++) {
            exact->lambda[i] += exact->x[i];
        }
    }
    cairn_system_slack(&exact->system, exact->lambda, exact->w);
    return true;
}

// Parameters as velocities, so that they compare: rises, and bounds times D.
static void get_parameters(const CairnCones *cones, double *p) {
    for (int k = 0; k < cones->parameter_count; k++) {
        int at = cones->parameter[k];
        p[k] = at < 0 ? cones->cones[-1 - at].rise : cones->exact.D[at] * cones->exact.upper[at];
    }
}

static void set_parameters(CairnCones *cones, const double *p) {
    for (int k = 0; k < cones->parameter_count; k++) {
        int at = cones->parameter[k];
        if (at < 0) {
            cones->cones[-1 - at].rise = p[k];
        } else {
            cones->exact.upper[at] = p[k] / cones->exact.D[at];
            cones->exact.lower[at] = -cones->exact.upper[at];
        }
    }
}

// R = the parameters that the rows give when they are solved with p, minus p; affine in p. A CairnAffine.
static bool parameter_residual(void *user, const double *p, double *R) {
    CairnCones *cones = user;
    const CairnExact *exact = &cones->exact;
    set_parameters(cones, p);
    if (!solve_sets(cones, 1)) {
        return false;
    }
    for (int k = 0; k < cones->parameter_count; k++) {
        int at = cones->parameter[k];
        if (at < 0) {
            const CairnCone *cone = &cones->cones[-1 - at];
            const double *w = exact->w + exact->problem->frictions[-1 - at].normal;
            double d[2] = {cone->axis[1][2], -cone->axis[1][1]};
            R[k] = -cone->mu * (d[0] * w[1] + d[1] * w[2]) - p[k];
        } else {
            R[k] = exact->D[at] * cones->lever[at] * exact->lambda[cones->normal[at]] - p[k];
        }
    }
    return true;
}

// Solve R(p) = 0.
static CairnStatus solve_parameters(CairnCones *cones) {
    CairnArena *arena = cones->exact.context->arena;
    CairnArenaMark mark = cairn_arena_mark(arena);
    double *p = CAIRN_PUSH(arena, double, cones->parameter_count);
    if (p == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "cones: no memory for %d parameters", cones->parameter_count);
    }
    get_parameters(cones, p);
    CairnStatus status = cairn_gmres(cones->parameter_count, p, 1e-10, 1e-3 * cones->exact.target, MOST_VECTORS,
                                     parameter_residual, cones, arena);
    set_parameters(cones, p);
    cairn_arena_release(arena, mark);
    return status;
}

static CairnStatus step_once(CairnCones *cones, bool *is_finite) {
    CairnExact *exact = &cones->exact;
    *is_finite = false;
    choose_sets(cones);
    exact->has_factor = false;
    CairnStatus status = cairn_system_factor(&exact->system, exact->theta, cones->blocks);
    if (status.code == CAIRN_NUMERIC) {
        return cairn_ok();
    }
    CAIRN_TRY(status);
    if (cones->parameter_count > 0) {
        CAIRN_TRY(solve_parameters(cones));
    }
    *is_finite = solve_sets(cones, 2);
    return cairn_ok();
}

CairnStatus cairn_cones_newton(CairnCones *cones, int steps, double *measure) {
    enum { PATIENCE = 2 }; // steps that may end above the start, or above the best
    CairnExact *exact = &cones->exact;
    CairnArenaMark mark = cairn_arena_mark(exact->context->arena);
    CairnBest best;
    CAIRN_TRY(cairn_best_init(&best, exact));
    cairn_best_update(&best, exact, cairn_cones_residual(cones, true));
    CairnStatus status = cairn_ok();
    for (int k = 0, since = 0; k < steps && since < PATIENCE && best.measure > exact->target; k++) {
        bool is_finite;
        status = step_once(cones, &is_finite);
        if (!cairn_is_ok(status) || !is_finite) {
            break;
        }
        double now = cairn_cones_project(cones);
        cairn_cones_renew(cones);
        since = cairn_best_update(&best, exact, now) ? 0 : since + 1;
    }
    *measure = best.measure;
    cairn_best_take(&best, exact);
    cairn_arena_release(exact->context->arena, mark);
    cairn_cones_measure(cones, true);
    cairn_cones_renew(cones);
    return status;
}
