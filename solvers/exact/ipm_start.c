#include "solvers/exact/ipm_start.h"

#include <float.h>
#include <math.h>

// Shares of the cold start's mu between which a warm one begins. Below: impulses of a small residual may be far from
// the answer still (by residual / C), and steps from the edge are short. Above: no nearer than nothing would be.
static const double least = 1e-5, most = 1e-2;

double cairn_ipm_cold_mu(const CairnExact *exact) {
    double mu = 0;
    for (int i = 0; i < exact->problem->row_count; i++) {
        double forced = exact->D[i] * cairn_clamp(0, exact->lower[i], exact->upper[i]);
        double wrong = exact->is_held[i] ? 0 : fmax(fabs(exact->b[i]), fabs(forced));
        mu = fmax(mu, wrong * wrong / exact->D[i]);
    }
    return fmax(mu, DBL_MIN);
}

double cairn_ipm_warm_range(double cold, double mu) {
    return !(mu <= cold) ? -1 : fmin(fmax(mu, least * cold), most * cold);
}

double cairn_ipm_warm_mu(CairnExact *exact) {
    double cold = cairn_ipm_cold_mu(exact), mu = 0;
    bool is_zero = true;
    cairn_exact_measure(exact);
    for (int i = 0; i < exact->problem->row_count; i++) {
        double D = exact->D[i], above = D * (exact->lambda[i] - exact->upper[i]),
               below = D * (exact->lambda[i] - exact->lower[i]);
        double wrong = exact->is_held[i] ? 0 : fmin(fmax(exact->w[i], above), below);
        mu = cairn_ops_larger(mu, wrong * wrong / D);
        is_zero = is_zero && (exact->is_held[i] || exact->lambda[i] == 0);
    }
    return is_zero ? -1 : cairn_ipm_warm_range(cold, mu);
}

// s of a side whose D s - z is `gap`, with s z = mu: the projection, smoothed (Chen, Harker, Kanzow and Smale).
static double smooth_distance(double gap, double D, double mu) {
    double root = sqrt(gap * gap + 4 * D * mu);
    return gap > 0 ? 0.5 * (gap + root) / D : 2 * mu / (root - gap);
}

// A side's natural sizes are s = sqrt(mu / D) and z = sqrt(mu D); between two bounds there is only so much room.
static double cold_impulse(double lambda, double l, double u, double room) {
    if (!isinf(l) && !isinf(u)) {
        room = fmin(room, 0.4 * (u - l));
        return fmin(fmax(lambda, l + room), u - room);
    }
    return isinf(l) ? fmin(lambda, u - room) : fmax(lambda, l + room);
}

// The nearer side decides.
static double warm_impulse(double lambda, double w, double D, double l, double u, double mu) {
    double gap[2] = {D * (lambda - l) - w, D * (u - lambda) + w};
    double s = smooth_distance(fmin(gap[0], gap[1]), D, mu);
    s = fmin(s, 0.5 * (u - l));
    return gap[0] <= gap[1] ? l + s : u - s;
}

int cairn_ipm_centre_row(CairnExact *exact, int i, double mu, bool is_warm, double *const s[2], double *const z[2]) {
    double l = exact->lower[i], u = exact->upper[i], D = exact->D[i];
    bool has[2] = {!exact->is_held[i] && !isinf(l), !exact->is_held[i] && !isinf(u)};
    if (has[0] || has[1]) {
        exact->lambda[i] = is_warm ? warm_impulse(exact->lambda[i], exact->w[i], D, l, u, mu)
                                   : cold_impulse(exact->lambda[i], l, u, sqrt(mu / D));
    }
    for (int side = 0; side < 2; side++) {
        s[side][i] = has[side] ? (side == 0 ? exact->lambda[i] - l : u - exact->lambda[i]) : 1;
        z[side][i] = has[side] ? mu / s[side][i] : 0;
    }
    return has[0] + has[1];
}

int cairn_ipm_centre(CairnExact *exact, double mu, bool is_warm, double *const s[2], double *const z[2]) {
    int sides = 0;
    for (int i = 0; i < exact->problem->row_count; i++) {
        sides += cairn_ipm_centre_row(exact, i, mu, is_warm, s, z);
    }
    return sides;
}
