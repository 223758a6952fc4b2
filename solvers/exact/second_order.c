#include "solvers/exact/second_order.h"

#include <math.h>

static double dot(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

double cairn_soc_determinant(const double *x) {
    double tangent = hypot(x[1], x[2]);
    return (x[0] - tangent) * (x[0] + tangent);
}

void cairn_soc_product(const double *x, const double *y, double *out) {
    double head = dot(x, y);
    out[1] = x[0] * y[1] + y[0] * x[1];
    out[2] = x[0] * y[2] + y[0] * x[2];
    out[0] = head;
}

void cairn_soc_divide(const double *q, const double *x, double *out) {
    double head = (q[0] * x[0] - q[1] * x[1] - q[2] * x[2]) / cairn_soc_determinant(q);
    out[1] = (x[1] - head * q[1]) / q[0];
    out[2] = (x[2] - head * q[2]) / q[0];
    out[0] = head;
}

void cairn_soc_scale(const CairnSoc *cone, int power, const double *x, double *out) {
    double sign = power > 0 ? 1 : -1, size = power > 0 ? cone->eta : 1 / cone->eta;
    double inner = cone->v[1] * x[1] + cone->v[2] * x[2];
    double head = cone->v[0] * x[0] + sign * inner, along = sign * x[0] + inner / (1 + cone->v[0]);
    out[1] = size * (x[1] + along * cone->v[1]);
    out[2] = size * (x[2] + along * cone->v[2]);
    out[0] = size * head;
}

bool cairn_soc_find_scaling(CairnSoc *cone) {
    double det_y = cairn_soc_determinant(cone->y), det_z = cairn_soc_determinant(cone->z);
    double root_y = sqrt(det_y), root_z = sqrt(det_z), y[3], z[3];
    if (!(root_y > 0) || !(root_z > 0)) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        y[i] = cone->y[i] / root_y;
        z[i] = cone->z[i] / root_z;
    }
    double gamma = sqrt(0.5 * (1 + dot(y, z)));
    cone->eta = sqrt(root_y / root_z);
    cone->v[1] = (y[1] - z[1]) / (2 * gamma);
    cone->v[2] = (y[2] - z[2]) / (2 * gamma);
    cone->v[0] = sqrt(1 + cone->v[1] * cone->v[1] + cone->v[2] * cone->v[2]);
    cairn_soc_scale(cone, 1, cone->z, cone->q);
    return isfinite(cone->eta) && isfinite(cone->v[0]) && cairn_soc_determinant(cone->q) > 0;
}

// With B(v) = W/eta, W' W' = W w w W for the scaling w of the scaled y and z, so v' = B(v) w_v. B(v) B(w_v) is B(v')
// times a rotation, by which q turns: its half-angle has the tangent below.
bool cairn_soc_move(CairnSoc *cone, double step) {
    CairnSoc inner = {.eta = 1};
    for (int i = 0; i < 3; i++) {
        inner.y[i] = cone->q[i] + step * cone->dq_y[i];
        inner.z[i] = cone->q[i] + step * cone->dq_z[i];
        cone->y[i] += step * cone->dy[i];
        cone->z[i] += step * cone->dz[i];
    }
    if (!(inner.y[0] > 0) || !(inner.z[0] > 0) || !cairn_soc_find_scaling(&inner)) {
        return false;
    }
    const double *v = cone->v, *w = inner.v;
    double across = v[2] * w[1] - v[1] * w[2], along = (1 + v[0]) * (1 + w[0]) + v[1] * w[1] + v[2] * w[2];
    double c = (along * along - across * across) / (along * along + across * across);
    double s = 2 * along * across / (along * along + across * across), next[3];
    double eta = cone->eta;
    cone->eta = 1;
    cairn_soc_scale(cone, 1, w, next);
    cone->eta = eta * inner.eta;
    cone->v[1] = next[1];
    cone->v[2] = next[2];
    cone->v[0] = sqrt(1 + next[1] * next[1] + next[2] * next[2]);
    cone->q[0] = inner.q[0];
    cone->q[1] = c * inner.q[1] - s * inner.q[2];
    cone->q[2] = s * inner.q[1] + c * inner.q[2];
    return isfinite(cone->eta) && isfinite(cone->v[0]);
}

void cairn_soc_theta(const CairnSoc *cone, double mu, CairnThetaBlock *block) {
    double tangent = hypot(cone->v[1], cone->v[2]), high = cone->v[0] + tangent, size = 1 / (cone->eta * cone->eta);
    double d[2] = {tangent > 0 ? cone->v[1] / tangent : 1, tangent > 0 ? cone->v[2] / tangent : 0};
    *block = (CairnThetaBlock){{0.5 * size * high * high, 0.5 * size / (high * high), size},
                               {{mu, -d[0], -d[1]}, {mu, d[0], d[1]}, {0, -d[1], d[0]}}};
}

double cairn_soc_step(const double *x, const double *dx, double longest) {
    double a = dx[0] * dx[0] - dx[1] * dx[1] - dx[2] * dx[2];
    double b = x[0] * dx[0] - x[1] * dx[1] - x[2] * dx[2], c = cairn_soc_determinant(x);
    if (dx[0] < 0) {
        longest = fmin(longest, -x[0] / dx[0]);
    }
    // The smallest positive root of c + 2 b t + a t^2, where it has one; c > 0.
    double under = b * b - a * c;
    if (under < 0 || (a >= 0 && b >= 0)) {
        return longest;
    }
    double root = sqrt(under), t = b < 0 ? c / (root - b) : -(b + root) / a;
    return t > 0 ? fmin(longest, t) : longest;
}
