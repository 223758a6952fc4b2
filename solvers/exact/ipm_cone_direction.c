// The interior point's direction. Bounds: slacks s = lambda - l, u - lambda and velocities z, as ipm.c has them. A
// cone: y = S r and z = S^-1 u with S = diag(mu, 1, 1), both in the second-order cone L = { x0 >= |x1| }, where y o
// z = 0 in its Jordan algebra (x o y = (x.y, x0 y1 + y0 x1)) is equivalent to K's law. Nesterov and Todd's W has W
// z = W^-1 y =: q, and Newton on q o q = mu e is
//
//     W^-1 dy + W dz = g,  g = -q + q\(sigma mu e - corrector),    so    (A + S W^-2 S) dr = -(w + rise e_n - S z) + S W^-1 g.
//
// The parameters that follow the answer are unknowns of the step as well: the rise mu |z_T| ~ mu d.(z_T + dz_T) with
// d = z_T/|z_T|, and the change lever dlambda_N of a bound, which changes both slacks of its row. With them given the
// system is symmetric and one solve with the factor gives the direction; GMRES finds those that agree with the
// direction they give.
#include "solvers/exact/ipm_cone_interior.h"

#include <math.h>
#include <string.h>

#include "solvers/exact/ipm_rows.h"
#include "solvers/linalg/gmres.h"

enum { KEPT = 8 }; // arrays of a direction

CairnInterior *cairn_interior_make(CairnCones *cones) {
    CairnArena *arena = cones->exact.context->arena;
    int m = cones->exact.problem->row_count;
    CairnInterior *in = CAIRN_PUSH_ZERO(arena, CairnInterior, 1);
    if (in == NULL) {
        return NULL;
    }
    in->cones = cones;
    in->states = CAIRN_PUSH_ZERO(arena, CairnSoc, cones->exact.problem->friction_count + 1);
    in->first = CAIRN_PUSH_ZERO(arena, double, m + 1);
    in->direction = CAIRN_PUSH_ZERO(arena, double, m + 1);
    in->widening = CAIRN_PUSH_ZERO(arena, double, m + 1);
    in->parameters = CAIRN_PUSH_ZERO(arena, double, m + 2);
    in->kept = CAIRN_PUSH_ZERO(arena, double, KEPT *m + 1);
    in->kept_states = CAIRN_PUSH_ZERO(arena, CairnSoc, cones->exact.problem->friction_count + 1);
    in->accuracy = 1e-4;
    bool is_made =
        in->kept && in->kept_states && in->states && in->first && in->direction && in->widening && in->parameters;
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

// ---- directions -----------------------------------------------------------------------------------------------------------

// (A + Theta) d = -(w - z_l + z_u) + p_l / s_l - p_u / s_u, where s z + z ds + s dz shall become s z + p; cones as
// above.
CairnStatus cairn_interior_find(CairnInterior *in) {
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
    enum { MOST_REFINEMENTS = 8 };
    double residual =
        cairn_system_solve(&exact->system, exact->y, in->accuracy * largest, MOST_REFINEMENTS, in->direction);
    if (!isfinite(residual)) {
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
        if (in->cones->cones[f].is_cone) {
            cone->dy[0] = in->cones->cones[f].mu * dr[0];
            cone->dy[1] = dr[1];
            cone->dy[2] = dr[2];
            cairn_soc_scale(cone, -1, cone->dy, cone->dq_y);
            for (int i = 0; i < 3; i++) {
                cone->dq_z[i] = cone->g[i] - cone->dq_y[i];
            }
            cairn_soc_scale(cone, -1, cone->dq_z, cone->dz);
        }
    }
    return cairn_ok();
}

// Does row i have a bound that GMRES lets follow?
static bool has_widening(const CairnInterior *in, int i) {
    return in->is_following && in->cones->normal[i] >= 0 && in->z[0][i] > 0;
}

int cairn_interior_list(const CairnInterior *in, double *p) {
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

// |z_T|, rounded off where it is small: x^2 / sqrt(x^2 + e^2) with e^2 = blur norm, which neither lifts a contact that
// sticks nor changes one that slides by more than e^2. slope: its derivative over x; drift: by the logarithm of blur.
static double slip_of(const CairnInterior *in, int f, double *slope, double *drift) {
    const double *z = in->states[f].z;
    double x2 = z[1] * z[1] + z[2] * z[2], e2 = in->blur * in->cones->cones[f].norm, root = sqrt(x2 + e2);
    if (!(root > 0)) {
        *slope = *drift = 0;
        return 0;
    }
    *slope = (x2 + 2 * e2) / (root * root * root);
    *drift = -0.5 * x2 * e2 / (root * root * root);
    return x2 / root;
}

bool cairn_interior_residual(void *user, const double *p, double *R) {
    CairnInterior *in = user;
    const CairnProblem *problem = in->cones->exact.problem;
    set_parameters(in, p);
    if (!cairn_is_ok(cairn_interior_find(in))) {
        return false;
    }
    for (int f = 0; f < problem->friction_count && in->is_following; f++) {
        if (in->cones->cones[f].is_cone && in->cones->cones[f].is_corrected) {
            const double *z = in->states[f].z, *dz = in->states[f].dz;
            double along = z[1] * dz[1] + z[2] * dz[2], slope, drift, slip = slip_of(in, f, &slope, &drift);
            double change = slope * along + drift * in->change;
            *R++ = in->cones->cones[f].mu * ((in->extent + in->more) * slip + in->extent * change) - *p++;
        }
    }
    for (int i = 0; i < problem->row_count; i++) {
        if (has_widening(in, i)) {
            int n = in->cones->normal[i];
            double now = in->cones->exact.lambda[n], normal = in->extent * (now + in->direction[n]) +
                                                              (1 - in->extent) * in->first[n] +
                                                              in->more * (now - in->first[n]);
            double wanted = in->cones->lever[i] * normal;
            *R++ = in->cones->exact.D[i] * (wanted - in->cones->exact.upper[i]) - *p++;
        }
    }
    return true;
}

// The direction together with the parameters that follow it.
CairnStatus cairn_interior_find_followed(CairnInterior *in) {
    enum { MOST_DIRECTIONS = 40 };
    int count = cairn_interior_list(in, in->parameters);
    if (count > 0) {
        CAIRN_TRY(cairn_gmres(count, in->parameters, 1e-6, 0, MOST_DIRECTIONS, cairn_interior_residual, in,
                              in->cones->exact.context->arena));
        set_parameters(in, in->parameters);
    }
    return cairn_interior_find(in);
}

// The longest step, at most 1, that keeps all inside.
double cairn_interior_longest(const CairnInterior *in) {
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
            step = cairn_soc_step(cone->q, cone->dq_z, cairn_soc_step(cone->q, cone->dq_y, step));
        }
    }
    return step;
}

// The mean of s z and y.z after a step.
double cairn_interior_product(const CairnInterior *in, double step) {
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
            sum += (cone->q[i] + step * cone->dq_y[i]) * (cone->q[i] + step * cone->dq_z[i]);
        }
    }
    return in->sides > 0 ? sum / in->sides : 0;
}

// The products that a step aims at: mu, less the second-order term of the present direction if `corrects`.
void cairn_interior_aim(CairnInterior *in, double mu, bool corrects) {
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < in->cones->exact.problem->row_count; i++) {
            double second = corrects ? in->ds[side][i] * in->dz[side][i] : 0;
            in->product[side][i] = in->z[side][i] > 0 ? mu - in->s[side][i] * in->z[side][i] - second : 0;
        }
    }
    for (int f = 0; f < in->cones->exact.problem->friction_count; f++) {
        CairnSoc *cone = &in->states[f];
        double second[3] = {0}, aimed[3];
        if (!in->cones->cones[f].is_cone) {
            continue;
        }
        if (corrects) {
            cairn_soc_product(cone->dq_y, cone->dq_z, second);
        }
        aimed[0] = mu - second[0];
        aimed[1] = -second[1];
        aimed[2] = -second[2];
        cairn_soc_divide(cone->q, aimed, aimed);
        for (int i = 0; i < 3; i++) {
            cone->g[i] = aimed[i] - cone->q[i];
        }
    }
}

static void push_cone(CairnSoc *cone, double mu, double wanted) {
    double y[3], z[3], p[3], t[3];
    for (int i = 0; i < 3; i++) {
        y[i] = cone->q[i] + wanted * cone->dq_y[i];
        z[i] = cone->q[i] + wanted * cone->dq_z[i];
    }
    cairn_soc_product(y, z, p);
    double tangent = hypot(p[1], p[2]), high = cairn_ipm_push_of(p[0] + tangent, mu),
           low = cairn_ipm_push_of(p[0] - tangent, mu);
    t[0] = 0.5 * (high + low);
    for (int i = 1; i < 3; i++) {
        t[i] = tangent > 0 ? 0.5 * (high - low) * p[i] / tangent : 0;
    }
    cairn_soc_divide(cone->q, t, t);
    for (int i = 0; i < 3; i++) {
        cone->g[i] += t[i];
    }
}

void cairn_interior_push(CairnInterior *in, double mu, double wanted) {
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < in->cones->exact.problem->row_count; i++) {
            double s = in->s[side][i] + wanted * in->ds[side][i], z = in->z[side][i] + wanted * in->dz[side][i];
            in->product[side][i] += in->z[side][i] > 0 ? cairn_ipm_push_of(s * z, mu) : 0;
        }
    }
    for (int f = 0; f < in->cones->exact.problem->friction_count; f++) {
        if (in->cones->cones[f].is_cone) {
            push_cone(&in->states[f], mu, wanted);
        }
    }
}

void cairn_interior_save(CairnInterior *in, bool is_back) {
    size_t m = (size_t)in->cones->exact.problem->row_count;
    size_t size = (size_t)in->cones->exact.problem->friction_count * sizeof *in->states;
    double *arrays[KEPT] = {in->direction, in->ds[0],      in->ds[1],      in->dz[0],
                            in->dz[1],     in->product[0], in->product[1], in->widening};
    for (size_t k = 0; k < KEPT; k++) {
        double *kept = in->kept + k * m;
        memcpy(is_back ? arrays[k] : kept, is_back ? kept : arrays[k], m * sizeof *kept);
    }
    memcpy(is_back ? in->states : in->kept_states, is_back ? in->kept_states : in->states, size);
}

CairnStatus cairn_interior_factor(CairnInterior *in) {
    CairnExact *exact = &in->cones->exact;
    for (int i = 0; i < exact->problem->row_count; i++) {
        double theta = in->z[0][i] / in->s[0][i] + in->z[1][i] / in->s[1][i];
        exact->theta[i] = exact->is_held[i] ? (double)INFINITY : isinf(theta) ? 1e300 : theta;
    }
    for (int f = 0; f < exact->problem->friction_count; f++) {
        in->cones->blocks[f] = (CairnThetaBlock){{0}, {{0}}};
        if (in->cones->cones[f].is_cone) {
            cairn_soc_theta(&in->states[f], in->cones->cones[f].mu, &in->cones->blocks[f]);
        }
    }
    exact->has_factor = false;
    return cairn_system_factor(&exact->system, exact->theta, in->cones->blocks);
}

void cairn_interior_renew(CairnInterior *in) {
    const CairnProblem *problem = in->cones->exact.problem;
    memset(in->widening, 0, (size_t)problem->row_count * sizeof *in->widening);
    for (int f = 0; f < problem->friction_count && in->is_following; f++) {
        CairnCone *cone = &in->cones->cones[f];
        if (cone->is_cone && cone->is_corrected) {
            double slope, drift;
            cone->rise = in->extent * cone->mu * slip_of(in, f, &slope, &drift);
        }
    }
}

CairnStatus cairn_interior_move(CairnInterior *in, double step) {
    CairnExact *exact = &in->cones->exact;
    for (int i = 0; i < exact->problem->row_count; i++) {
        exact->lambda[i] += step * in->direction[i];
        for (int side = 0; side < 2; side++) {
            if (in->z[side][i] > 0) {
                in->s[side][i] =
                    fmax(in->s[side][i] + step * in->ds[side][i], 1e-300); // a step may round onto the bound
                in->z[side][i] += step * in->dz[side][i];
            }
        }
        if (has_widening(in, i)) {
            exact->upper[i] += step * in->widening[i];
            exact->lower[i] = -exact->upper[i];
        }
    }
    for (int f = 0; f < exact->problem->friction_count; f++) {
        if (in->cones->cones[f].is_cone && !cairn_soc_move(&in->states[f], step)) {
            return cairn_error(CAIRN_NUMERIC, "ipm-cone: friction group %d is on its cone's edge to rounding", f);
        }
    }
    return cairn_ok();
}
