#include "solvers/exact/smooth_law.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// max(0, t), rounded off.
static double positive(double t, double eps) {
    double root = sqrt(t * t + 4 * eps * eps);
    return t >= 0 ? 0.5 * (t + root) : root > 0 ? 2 * eps * eps / (root - t) : 0; // without cancellation
}

static double slope(double t, double eps) {
    double root = sqrt(t * t + 4 * eps * eps);
    if (root == 0) {
        return 0.5;
    }
    return t >= 0 ? 0.5 * (1 + t / root) : 2 * eps * eps / (root * (root - t));
}

// What enters the law of other rows has sharper corners than their own: a rise that is wrong by d is answered by an
// impulse of d / C, and the bound of friction at an open contact would be eps / k.
static const double sharper = 0.01;

// |w_T|, rounded off so that it is 0 at 0: no rise where nothing slips.
static double slip(const CairnSmoothLaw *cone, const double w[3], double *rounded) {
    double eps = sharper * cone->eps, square = w[1] * w[1] + w[2] * w[2];
    *rounded = sqrt(square + eps * eps);
    return *rounded > 0 ? square / (*rounded + eps) : 0;
}

// x = k s - phi(w), and its eigenvalues x[0] -+ the length of its tangent, whose direction is u.
static void argument(const CairnSmoothLaw *cone, const double r[3], const double w[3], double x[3], double *tangent,
                     double u[2]) {
    double rounded, rise = slip(cone, w, &rounded);
    x[0] = cone->k * cone->mu * r[0] - w[0] / cone->mu - (cone->rises ? rise : 0);
    x[1] = cone->k * r[1] - w[1];
    x[2] = cone->k * r[2] - w[2];
    *tangent = sqrt(x[1] * x[1] + x[2] * x[2]);
    u[0] = *tangent > 0 ? x[1] / *tangent : 1;
    u[1] = *tangent > 0 ? x[2] / *tangent : 0;
}

// ---- Fischer and Burmeister's function: F = s + phi - (s o s + phi o phi + 2 eps^2)^(1/2) in the cone's algebra -----

typedef struct Fischer {
    double s[3], phi[3], root[3];
} Fischer;

static Fischer fischer_at(const CairnSmoothLaw *cone, const double r[3], const double w[3]) {
    double rounded, rise = slip(cone, w, &rounded);
    Fischer f = {.s = {cone->k * cone->mu * r[0], cone->k * r[1], cone->k * r[2]},
                 .phi = {w[0] / cone->mu + (cone->rises ? rise : 0), w[1], w[2]}};
    double square = 2 * cone->eps * cone->eps, x[2] = {0, 0};
    for (int i = 0; i < 3; i++) {
        square += f.s[i] * f.s[i] + f.phi[i] * f.phi[i];
    }
    for (int i = 0; i < 2; i++) {
        x[i] = 2 * (f.s[0] * f.s[i + 1] + f.phi[0] * f.phi[i + 1]);
    }
    double tangent = sqrt(x[0] * x[0] + x[1] * x[1]);
    double low = sqrt(fmax(0, square - tangent)), high = sqrt(square + tangent);
    f.root[0] = 0.5 * (high + low);
    for (int i = 0; i < 2; i++) {
        f.root[i + 1] = tangent > 0 ? 0.5 * (high - low) * x[i] / tangent : 0;
    }
    return f;
}

// X = L_a, the matrix of the product with a.
static void arrow(const double a[3], double X[9]) {
    memcpy(X, (double[9]){a[0], a[1], a[2], a[1], a[0], 0, a[2], 0, a[0]}, 9 * sizeof *X);
}

// X = 1 - L_root^-1 L_a.
static void fischer_slope(const double inverse[9], const double a[3], double X[9]) {
    double A[9];
    arrow(a, A);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            X[3 * i + j] = i == j ? 1 : 0;
            for (int k = 0; k < 3; k++) {
                X[3 * i + j] -= inverse[3 * i + k] * A[3 * k + j];
            }
        }
    }
}

static void fischer_slopes(const CairnSmoothLaw *cone, const double r[3], const double w[3], double L[9], double W[9]) {
    Fischer f = fischer_at(cone, r, w);
    double matrix[9], inverse[9], in_s[9], in_phi[9], rounded;
    arrow(f.root, matrix);
    if (!cairn_smooth_invert(matrix, inverse)) { // both are zero: one of the generalised derivatives
        memset(inverse, 0, sizeof inverse);
    }
    fischer_slope(inverse, f.s, in_s);
    fischer_slope(inverse, f.phi, in_phi);
    (void)slip(cone, w, &rounded);
    double lean[2] = {cone->rises && rounded > 0 ? w[1] / rounded : 0, cone->rises && rounded > 0 ? w[2] / rounded : 0};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            L[3 * i + j] = cone->k * in_s[3 * i + j] * (j == 0 ? cone->mu : 1);
        }
        W[3 * i] = in_phi[3 * i] / cone->mu;
        W[3 * i + 1] = in_phi[3 * i] * lean[0] + in_phi[3 * i + 1];
        W[3 * i + 2] = in_phi[3 * i] * lean[1] + in_phi[3 * i + 2];
    }
}

void cairn_smooth_cone(const CairnSmoothLaw *cone, const double r[3], const double w[3], double F[3]) {
    if (cone->is_fischer) {
        Fischer f = fischer_at(cone, r, w);
        for (int i = 0; i < 3; i++) {
            F[i] = f.s[i] + f.phi[i] - f.root[i];
        }
        return;
    }
    double x[3], tangent, u[2];
    argument(cone, r, w, x, &tangent, u);
    double low = positive(x[0] - tangent, cone->eps), high = positive(x[0] + tangent, cone->eps);
    F[0] = cone->k * cone->mu * r[0] - 0.5 * (high + low);
    F[1] = cone->k * r[1] - 0.5 * (high - low) * u[0];
    F[2] = cone->k * r[2] - 0.5 * (high - low) * u[1];
}

// The derivative of the rounded projection at x.
static void projection_slope(const CairnSmoothLaw *cone, const double x[3], double tangent, const double u[2],
                             double P[9]) {
    double low = x[0] - tangent, high = x[0] + tangent, eps = cone->eps;
    double at_low = slope(low, eps), at_high = slope(high, eps);
    double mean = 0.5 * (at_low + at_high), half = 0.5 * (at_high - at_low);
    double across = tangent > 0 ? (positive(high, eps) - positive(low, eps)) / (2 * tangent) : mean;
    P[0] = mean;
    for (int i = 0; i < 2; i++) {
        P[1 + i] = P[3 * (1 + i)] = half * u[i];
        for (int j = 0; j < 2; j++) {
            P[3 * (1 + i) + 1 + j] = (mean - across) * u[i] * u[j] + (i == j ? across : 0);
        }
    }
}

void cairn_smooth_cone_slope(const CairnSmoothLaw *cone, const double r[3], const double w[3], double L[9],
                             double W[9]) {
    if (cone->is_fischer) {
        fischer_slopes(cone, r, w, L, W);
        return;
    }
    double x[3], tangent, u[2], P[9], rounded;
    argument(cone, r, w, x, &tangent, u);
    projection_slope(cone, x, tangent, u, P);
    (void)slip(cone, w, &rounded);
    double lean[2] = {cone->rises && rounded > 0 ? w[1] / rounded : 0, cone->rises && rounded > 0 ? w[2] / rounded : 0};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            L[3 * i + j] = cone->k * ((i == j ? 1 : 0) - P[3 * i + j]) * (j == 0 ? cone->mu : 1);
        }
        W[3 * i] = P[3 * i] / cone->mu;
        W[3 * i + 1] = P[3 * i] * lean[0] + P[3 * i + 1];
        W[3 * i + 2] = P[3 * i] * lean[1] + P[3 * i + 2];
    }
}

double cairn_smooth_follower(const CairnSmoothLaw *law, double arm, double normal, double r, double w,
                             double slopes[3]) {
    double k = law->k, eps = law->eps, x = k * r / arm - arm * w;
    double load = k * law->mu * normal, bound = positive(load, sharper * eps);
    double below = slope(-bound - x, eps), above = slope(x - bound, eps), share = fmax(1 - below - above, 0);
    slopes[0] = k / arm * (1 - share);
    slopes[1] = arm * share;
    slopes[2] = (below - above) * k * law->mu * slope(load, sharper * eps);
    return k * r / arm - (x + positive(-bound - x, eps) - positive(x - bound, eps));
}

double cairn_smooth_row(double k, double eps, double lower, double upper, double r, double w, double *share) {
    double x = k * r - w, clamped = x;
    *share = 1;
    if (isfinite(lower)) {
        clamped += positive(k * lower - x, eps);
        *share -= slope(k * lower - x, eps);
    }
    if (isfinite(upper)) {
        clamped -= positive(x - k * upper, eps);
        *share -= slope(x - k * upper, eps);
    }
    *share = fmax(*share, 0);
    return k * r - clamped;
}

bool cairn_smooth_invert(const double A[9], double X[9]) {
    double M[3][6] = {{0}};
    for (int i = 0; i < 3; i++) {
        memcpy(M[i], A + (ptrdiff_t)3 * i, 3 * sizeof(double));
        M[i][3 + i] = 1;
    }
    for (int c = 0; c < 3; c++) {
        int best = c;
        for (int i = c + 1; i < 3; i++) {
            best = fabs(M[i][c]) > fabs(M[best][c]) ? i : best;
        }
        if (!(fabs(M[best][c]) > 0)) {
            return false;
        }
        for (int j = 0; j < 6; j++) {
            double other = M[best][j];
            M[best][j] = M[c][j];
            M[c][j] = other;
        }
        double inverse = 1 / M[c][c];
        for (int i = 0; i < 3; i++) {
            double factor = i == c ? 0 : M[i][c] * inverse;
            for (int j = 0; j < 6 && factor != 0; j++) {
                M[i][j] -= factor * M[c][j];
            }
        }
        for (int j = 0; j < 6; j++) {
            M[c][j] *= inverse;
        }
    }
    for (int i = 0; i < 3; i++) {
        memcpy(X + (ptrdiff_t)3 * i, M[i] + 3, 3 * sizeof(double));
    }
    return true;
}
