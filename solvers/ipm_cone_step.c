// The interior point's step. Bounds: slacks s = lambda - l, u - lambda and velocities z, as ipm.c has them. A cone: y = S r and z = S^-1 u
// with S = diag(mu, 1, 1), both in the second-order cone L = { x0 >= |x1| }, where y o z = 0 in its Jordan algebra
// (x o y = (x.y, x0 y1 + y0 x1)) says the same as K's law. Nesterov and Todd's W has W z = W^-1 y =: q, and Newton on q o q = mu e is
//
//     W^-1 dy + W dz = g,  g = -q + q\(sigma mu e - corrector),    so    (A + S W^-2 S) dr = -(w + rise e_n - S z) + S W^-1 g.
//
// What follows the answer is an unknown of the step as well: the rise mu |z_T| ~ mu d.(z_T + dz_T) with d = z_T/|z_T|, and the change
// lever dlambda_N of a bound, which pushes both slacks of its row. With them given the system is symmetric and one solve with the
// factor gives the direction; GMRES finds those that agree with the direction they give.
#include <math.h>
#include <string.h>

#include "solvers/gmres.h"
#include "solvers/ipm_cone.h"
#include "solvers/second_order.h"

struct CairnInterior {
    CairnCones *cones;
    CairnSoc *states;      // by friction groups
    double *s[2], *z[2];   // lower, upper
    double *ds[2], *dz[2]; // directions
    double *product[2];    // what the corrector asks of s z
    double *direction;     // of lambda
    double *widening;      // of bounds that follow: lever dlambda_N
    double *parameters;    // the unknowns of GMRES
    bool is_following;
    double least; // of sigma
    double *rise; // as it was before the step, by friction groups
    int sides;    // bounded sides and cones
};

CairnInterior *cairn_interior_make(CairnCones *cones) {
    CairnArena *arena = cones->exact.context->arena;
    int m = cones->exact.problem->row_count;
    CairnInterior *in = CAIRN_PUSH_ZERO(arena, CairnInterior, 1);
    if (in == NULL) {
        return NULL;
    }
    in->cones = cones;
    in->states = CAIRN_PUSH_ZERO(arena, CairnSoc, cones->exact.problem->friction_count + 1);
    in->direction = CAIRN_PUSH_ZERO(arena, double, m + 1);
    in->rise = CAIRN_PUSH_ZERO(arena, double, cones->exact.problem->friction_count + 1);
    in->widening = CAIRN_PUSH_ZERO(arena, double, m + 1);
    in->parameters = CAIRN_PUSH_ZERO(arena, double, m + 1);
    bool is_made = in->states && in->direction && in->rise && in->widening && in->parameters;
    for (int side = 0; side < 2; side++) {
        in->s[side] = CAIRN_PUSH_ZERO(arena, double, m + 1);
        in->z[side] = CAIRN_PUSH_ZERO(arena, double, m + 1);
        in->ds[side] = CAIRN_PUSH_ZERO(arena, double, m + 1);
        in->dz[side] = CAIRN_PUSH_ZERO(arena, double, m + 1);
        in->product[side] = CAIRN_PUSH_ZERO(arena, double, m + 1);
        is_made = is_made && in->s[side] && in->z[side] && in->ds[side] && in->dz[side] && in->product[side];
    }
    return is_made ? in : NULL;
}

// ---- start -----------------------------------------------------------------------------------------------------------------

static bool has_side(const CairnExact *exact, int side, int i) {
    return !exact->is_held[i] && !isinf(side == 0 ? exact->lower[i] : exact->upper[i]);
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

// Rows whose bounds follow, or the others.
static void centre_bounds(CairnInterior *in, double mu, bool follows) {
    CairnExact *exact = &in->cones->exact;
    for (int i = 0; i < exact->problem->row_count; i++) {
        if ((in->cones->normal[i] >= 0) != follows) {
            continue;
        }
        bool has[2] = {has_side(exact, 0, i), has_side(exact, 1, i)};
        double l = exact->lower[i], u = exact->upper[i], room = sqrt(mu / exact->D[i]);
        if (has[0] && has[1]) {
            room = fmin(room, 0.4 * (u - l));
            exact->lambda[i] = fmin(fmax(0, l + room), u - room);
        } else if (has[0]) {
            exact->lambda[i] = fmax(0, l + room);
        } else if (has[1]) {
            exact->lambda[i] = fmin(0, u - room);
        }
        for (int side = 0; side < 2; side++) {
            in->s[side][i] = has[side] ? (side == 0 ? exact->lambda[i] - l : u - exact->lambda[i]) : 1;
            in->z[side][i] = has[side] ? mu / in->s[side][i] : 0;
            in->sides += has[side];
        }
    }
}

// Bounds that follow lie where the normal impulses of the iterate put them.
static void place_bounds(CairnInterior *in) {
    CairnExact *exact = &in->cones->exact;
    for (int i = 0; i < exact->problem->row_count; i++) {
        if (in->cones->normal[i] >= 0) {
            exact->upper[i] = in->cones->lever[i] * fmax(0, exact->lambda[in->cones->normal[i]]);
            exact->lower[i] = -exact->upper[i];
        }
    }
}

void cairn_interior_begin(CairnInterior *in, bool is_following, double least) {
    CairnExact *exact = &in->cones->exact;
    const CairnProblem *problem = exact->problem;
    in->is_following = is_following;
    in->least = least;
    in->sides = 0;
    for (int i = 0; i < problem->row_count; i++) {
        if (is_following && in->cones->normal[i] >= 0) {
            exact->is_held[i] = exact->is_dead[i] || !(in->cones->lever[i] > 0);
        }
        exact->lambda[i] = exact->is_held[i] ? exact->lambda[i] : 0;
    }
    double mu = starting_mu(exact);
    for (int f = 0; f < problem->friction_count && is_following; f++) {
        in->cones->cones[f].rise = 0;
    }
    for (int f = 0; f < problem->friction_count; f++) {
        const CairnCone *cone = &in->cones->cones[f];
        if (cone->is_cone) {
            double r = sqrt(mu / cone->norm);
            exact->lambda[problem->frictions[f].normal] = r;
            in->states[f] = (CairnSoc){.y = {cone->mu * r, 0, 0}, .z = {mu / (cone->mu * r), 0, 0}};
            in->sides++;
        }
    }
    centre_bounds(in, mu, false);
    if (is_following) {
        place_bounds(in);
    }
    centre_bounds(in, mu, true);
    cairn_cones_measure(in->cones, false);
}

// ---- directions ------------------------------------------------------------------------------------------------------------

// (A + Theta) d = -(w - z_l + z_u) + p_l / s_l - p_u / s_u, where s z + z ds + s dz shall become s z + p; cones as above.
static CairnStatus find_direction(CairnInterior *in) {
    CairnExact *exact = &in->cones->exact;
    const CairnProblem *problem = exact->problem;
    int m = problem->row_count;
    double largest = 0;
    for (int i = 0; i < m; i++) {
        exact->y[i] = -(exact->w[i] - in->z[0][i] + in->z[1][i]) + in->product[0][i] / in->s[0][i] -
                      in->product[1][i] / in->s[1][i] -
                      (in->z[0][i] / in->s[0][i] - in->z[1][i] / in->s[1][i]) * in->widening[i];
    }
    for (int f = 0; f < problem->friction_count; f++) {
        const CairnCone *cone = &in->cones->cones[f];
        if (cone->is_cone) {
            double back[3], *y = exact->y + problem->frictions[f].normal;
            cairn_soc_scale(&in->states[f], -1, in->states[f].g, back);
            for (int i = 0; i < 3; i++) {
                y[i] += (i == 0 ? cone->mu : 1) * (in->states[f].z[i] + back[i]);
            }
            y[0] -= cone->rise;
        }
    }
    for (int i = 0; i < m; i++) {
        largest = fmax(largest, exact->is_held[i] ? 0 : fabs(exact->y[i]));
    }
    if (!isfinite(cairn_system_solve(&exact->system, exact->y, 1e-4 * largest, 4, in->direction))) {
        return cairn_error(CAIRN_NUMERIC, "ipm-cone: a direction is not finite");
    }
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < m; i++) {
            if (in->z[side][i] > 0) {
                double ds = in->widening[i] + (side == 0 ? in->direction[i] : -in->direction[i]);
                in->ds[side][i] = ds;
                in->dz[side][i] = (in->product[side][i] - in->z[side][i] * ds) / in->s[side][i];
            }
        }
    }
    for (int f = 0; f < problem->friction_count; f++) {
        CairnSoc *cone = &in->states[f];
        const double *dr = in->direction + problem->frictions[f].normal;
        double back[3], rest[3];
        if (in->cones->cones[f].is_cone) {
            cone->dy[0] = in->cones->cones[f].mu * dr[0];
            cone->dy[1] = dr[1];
            cone->dy[2] = dr[2];
            cairn_soc_scale(cone, -1, cone->dy, back);
            for (int i = 0; i < 3; i++) {
                rest[i] = cone->g[i] - back[i];
            }
            cairn_soc_scale(cone, -1, rest, cone->dz);
        }
    }
    return cairn_ok();
}

// Does row i have a bound that GMRES lets follow?
static bool has_widening(const CairnInterior *in, int i) {
    return in->is_following && in->cones->normal[i] >= 0 && in->z[0][i] > 0;
}

static int list_parameters(CairnInterior *in, double *p) {
    const CairnProblem *problem = in->cones->exact.problem;
    int count = 0;
    for (int f = 0; f < problem->friction_count && in->is_following; f++) {
        if (in->cones->cones[f].is_cone && in->cones->cones[f].is_corrected) {
            p[count++] = in->cones->cones[f].rise;
        }
    }
    for (int i = 0; i < problem->row_count; i++) {
        if (has_widening(in, i)) {
            p[count++] = in->cones->exact.D[i] * in->widening[i];
        }
    }
    return count;
}

static void set_parameters(CairnInterior *in, const double *p) {
    const CairnProblem *problem = in->cones->exact.problem;
    for (int f = 0; f < problem->friction_count && in->is_following; f++) {
        if (in->cones->cones[f].is_cone && in->cones->cones[f].is_corrected) {
            in->cones->cones[f].rise = *p++;
        }
    }
    for (int i = 0; i < problem->row_count; i++) {
        if (has_widening(in, i)) {
            in->widening[i] = *p++ / in->cones->exact.D[i];
        }
    }
}

// R = what the direction makes of the parameters that it was found with, less these.
static bool leave_parameters(void *user, const double *p, double *R) {
    CairnInterior *in = user;
    const CairnProblem *problem = in->cones->exact.problem;
    set_parameters(in, p);
    if (!cairn_is_ok(find_direction(in))) {
        return false;
    }
    for (int f = 0; f < problem->friction_count && in->is_following; f++) {
        if (in->cones->cones[f].is_cone && in->cones->cones[f].is_corrected) {
            const double *z = in->states[f].z, *dz = in->states[f].dz;
            double size = hypot(z[1], z[2]);
            double along = size > 0 ? (z[1] * dz[1] + z[2] * dz[2]) / size : 0;
            *R++ = in->cones->cones[f].mu * (size + along) - *p++;
        }
    }
    for (int i = 0; i < problem->row_count; i++) {
        if (has_widening(in, i)) {
            int n = in->cones->normal[i];
            double wanted = in->cones->lever[i] * (in->cones->exact.lambda[n] + in->direction[n]);
            *R++ = in->cones->exact.D[i] * (wanted - in->cones->exact.upper[i]) - *p++;
        }
    }
    return true;
}

// The direction with what follows it.
static CairnStatus find_followed(CairnInterior *in) {
    enum { MOST_DIRECTIONS = 40 };
    int count = list_parameters(in, in->parameters);
    if (count > 0) {
        CAIRN_TRY(cairn_gmres(count, in->parameters, 1e-6, 0, MOST_DIRECTIONS, leave_parameters, in,
                              in->cones->exact.context->arena));
        set_parameters(in, in->parameters);
    }
    return find_direction(in);
}

// The direction with rises and bounds as they are.
static CairnStatus find_held(CairnInterior *in) {
    memset(in->widening, 0, (size_t)in->cones->exact.problem->row_count * sizeof *in->widening);
    return find_direction(in);
}

// The longest step, at most 1, that keeps all inside.
static double longest_step(const CairnInterior *in) {
    double step = 1;
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < in->cones->exact.problem->row_count; i++) {
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
    for (int f = 0; f < in->cones->exact.problem->friction_count; f++) {
        if (in->cones->cones[f].is_cone) {
            const CairnSoc *cone = &in->states[f];
            step = cairn_soc_step(cone->z, cone->dz, cairn_soc_step(cone->y, cone->dy, step));
        }
    }
    return step;
}

// The mean of s z and y.z after a step.
static double mean_product(const CairnInterior *in, double step) {
    double sum = 0;
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < in->cones->exact.problem->row_count; i++) {
            if (in->z[side][i] > 0) {
                sum += (in->s[side][i] + step * in->ds[side][i]) * (in->z[side][i] + step * in->dz[side][i]);
            }
        }
    }
    for (int f = 0; f < in->cones->exact.problem->friction_count; f++) {
        const CairnSoc *cone = &in->states[f];
        for (int i = 0; i < 3 && in->cones->cones[f].is_cone; i++) {
            sum += (cone->y[i] + step * cone->dy[i]) * (cone->z[i] + step * cone->dz[i]);
        }
    }
    return in->sides > 0 ? sum / in->sides : 0;
}

// What products shall become: mu, less the second-order part of the direction at hand where it corrects.
static void aim(CairnInterior *in, double mu, bool corrects) {
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < in->cones->exact.problem->row_count; i++) {
            double second = corrects ? in->ds[side][i] * in->dz[side][i] : 0;
            in->product[side][i] = in->z[side][i] > 0 ? mu - in->s[side][i] * in->z[side][i] - second : 0;
        }
    }
    for (int f = 0; f < in->cones->exact.problem->friction_count; f++) {
        CairnSoc *cone = &in->states[f];
        double dy[3], dz[3], second[3] = {0}, aimed[3] = {0};
        if (!in->cones->cones[f].is_cone) {
            continue;
        }
        if (corrects) {
            cairn_soc_scale(cone, -1, cone->dy, dy);
            cairn_soc_scale(cone, 1, cone->dz, dz);
            cairn_soc_product(dy, dz, second);
        }
        if (mu > 0) {
            aimed[0] = mu - second[0];
            aimed[1] = -second[1];
            aimed[2] = -second[2];
            cairn_soc_divide(cone->q, aimed, aimed);
        }
        for (int i = 0; i < 3; i++) {
            cone->g[i] = aimed[i] - cone->q[i];
        }
    }
}

static CairnStatus factor(CairnInterior *in) {
    CairnExact *exact = &in->cones->exact;
    for (int i = 0; i < exact->problem->row_count; i++) {
        double theta = in->z[0][i] / in->s[0][i] + in->z[1][i] / in->s[1][i];
        exact->theta[i] = exact->is_held[i] ? (double)INFINITY : isinf(theta) ? 1e300 : theta;
    }
    for (int f = 0; f < exact->problem->friction_count; f++) {
        in->cones->blocks[f] = (CairnThetaBlock){{0}, {{0}}};
        if (in->cones->cones[f].is_cone) {
            if (!cairn_soc_find_scaling(&in->states[f])) {
                return cairn_error(CAIRN_NUMERIC, "ipm-cone: friction group %d is on its cone's edge to rounding", f);
            }
            cairn_soc_theta(&in->states[f], in->cones->cones[f].mu, &in->cones->blocks[f]);
        }
    }
    exact->has_factor = false;
    return cairn_system_factor_blocks(&exact->system, exact->theta, in->cones->blocks);
}

// Mehrotra's two solves: where a step without centring gets decides how much of it there is, and what it misses to second order is
// corrected, unless that shortens the step. `least`: of sigma.
static CairnStatus find_step(CairnInterior *in, bool follows, double least) {
    CairnStatus (*find)(CairnInterior *) = follows ? find_followed : find_held;
    double mu = mean_product(in, 0);
    aim(in, 0, false);
    CAIRN_TRY(find(in));
    if (in->sides > 0) {
        double affine = longest_step(in), ahead = mean_product(in, affine) / mu;
        double sigma = fmax(least, fmin(ahead * ahead * ahead, 1));
        aim(in, sigma * mu, true);
        CAIRN_TRY(find(in));
        if (longest_step(in) < 0.5 * affine) {
            aim(in, sigma * mu, false);
            CAIRN_TRY(find(in));
        }
    }
    return cairn_ok();
}

CairnStatus cairn_interior_step(CairnInterior *in, double *step) {
    static const double is_short = 0.01, centring = 0.5;
    CairnExact *exact = &in->cones->exact;
    CAIRN_TRY(factor(in));
    bool follows = in->is_following;
    for (int f = 0; f < exact->problem->friction_count; f++) {
        in->rise[f] = in->cones->cones[f].rise;
    }
    CAIRN_TRY(find_step(in, follows, in->least));
    if (follows && longest_step(in) < is_short) { // the parameters stay for once
        for (int f = 0; f < exact->problem->friction_count; f++) {
            in->cones->cones[f].rise = in->rise[f];
        }
        follows = false;
        CAIRN_TRY(find_step(in, false, fmax(in->least, centring)));
    }
    double longest = longest_step(in);
    *step = longest < 1 ? 0.995 * longest : 1;
    for (int i = 0; i < exact->problem->row_count; i++) {
        exact->lambda[i] += *step * in->direction[i];
        for (int side = 0; side < 2; side++) {
            if (in->z[side][i] > 0) {
                in->s[side][i] =
                    fmax(in->s[side][i] + *step * in->ds[side][i], 1e-300); // a step may round onto the bound
                in->z[side][i] += *step * in->dz[side][i];
            }
        }
    }
    for (int f = 0; f < exact->problem->friction_count; f++) {
        CairnSoc *cone = &in->states[f];
        for (int i = 0; i < 3 && in->cones->cones[f].is_cone; i++) {
            cone->y[i] += *step * cone->dy[i];
            cone->z[i] += *step * cone->dz[i];
        }
        if (follows && in->cones->cones[f].is_cone && in->cones->cones[f].is_corrected) {
            in->cones->cones[f].rise = in->cones->cones[f].mu * hypot(cone->z[1], cone->z[2]);
        }
    }
    for (int i = 0; i < exact->problem->row_count && follows; i++) {
        if (has_widening(in, i)) {
            exact->upper[i] += *step * in->widening[i];
            exact->lower[i] = -exact->upper[i];
        }
    }
    return cairn_ok();
}
