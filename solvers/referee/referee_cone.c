// The referee's friction cones: natural map and Fischer-Burmeister.
#include "solvers/referee/referee.h"

#include <math.h>

// hypot without its care for values near the ends of the range: velocities and impulses are far from them.
static double length(double x, double y) {
    return sqrt(x * x + y * y);
}

// Largest eigenvalue of a symmetric 3x3 matrix, in closed form (its characteristic polynomial's trigonometric roots).
static double largest_eigenvalue(double a[3][3]) {
    double mean = (a[0][0] + a[1][1] + a[2][2]) / 3;
    double off = a[0][1] * a[0][1] + a[0][2] * a[0][2] + a[1][2] * a[1][2];
    double x = a[0][0] - mean, y = a[1][1] - mean, z = a[2][2] - mean;
    double radius = sqrt((x * x + y * y + z * z + 2 * off) / 6);
    if (radius == 0) {
        return mean;
    }
    double determinant = x * (y * z - a[1][2] * a[1][2]) - a[0][1] * (a[0][1] * z - a[1][2] * a[0][2]) +
                         a[0][2] * (a[0][1] * a[1][2] - y * a[0][2]);
    double cosine = determinant / (2 * radius * radius * radius);
    cosine = cosine > 1 ? 1 : cosine < -1 ? -1 : cosine;
    return mean + 2 * radius * cos(acos(cosine) / 3);
}

// The 2-norm of A_cc, which need not be symmetric: its largest singular value. 1 for a block of zeros.
double cairn_referee_block_norm(double a[3][3]) {
    double largest = 0;
    for (int i = 0; i < 9; i++) {
        largest = fmax(largest, fabs(a[i / 3][i % 3]));
    }
    if (largest == 0) {
        return 1;
    }
    double product[3][3] = {{0}}; // (A / largest)^T (A / largest): no overflow, no underflow
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            for (int k = 0; k < 3; k++) {
                product[i][j] += (a[k][i] / largest) * (a[k][j] / largest);
            }
        }
    }
    return largest * sqrt(largest_eigenvalue(product));
}

// Nearest point of { |x_T| <= mu x_N }.
static void project_cone(double mu, double x[3]) {
    double tangent = length(x[1], x[2]);
    if (x[0] >= 0 && tangent <= mu * x[0]) {
        return;
    }
    if (mu * tangent <= -x[0]) { // in the polar cone
        x[0] = x[1] = x[2] = 0;
        return;
    }
    double normal = (x[0] + mu * tangent) / (1 + mu * mu);
    double scale = mu * normal / tangent; // tangent > 0: else one of the two cases above
    x[0] = normal;
    x[1] *= scale;
    x[2] *= scale;
}

// u of a group, with De Saxce's u_N + mu |u_T| where asked.
static void group_velocity(const Referee *referee, int group, bool is_corrected, double u[3]) {
    const CairnFriction *friction = &referee->problem->frictions[group];
    for (int i = 0; i < 3; i++) {
        u[i] = referee->w[friction->normal + i];
    }
    if (is_corrected) {
        u[0] += friction->mu * length(u[1], u[2]);
    }
}

void cairn_referee_cone_map(const Referee *referee, int group, bool is_corrected, double norm, double map[3]) {
    const CairnFriction *friction = &referee->problem->frictions[group];
    double u[3];
    group_velocity(referee, group, is_corrected, u);
    // K is a cone, so (r - P(r - rho u)) / rho = s - P(s - u) with s = r / rho.
    for (int i = 0; i < 3; i++) {
        map[i] = referee->lambda[friction->normal + i] * norm - u[i];
    }
    project_cone(friction->mu, map);
    for (int i = 0; i < 3; i++) {
        map[i] = referee->lambda[friction->normal + i] * norm - map[i];
    }
}

static double square(const double x[3]) {
    return x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
}

static void add_cone(const Referee *referee, int group, RefereeCones *cones) {
    const CairnFriction *friction = &referee->problem->frictions[group];
    double map[3], norm = referee->norm[group];
    cairn_referee_cone_map(referee, group, true, norm, map);
    double corrected = square(map);
    cairn_referee_cone_map(referee, group, false, norm, map);
    double convex = square(map);
    cones->corrected += corrected;
    cones->convex += convex;
    referee->cone[group] = friction->kind == CAIRN_FRICTION_COULOMB ? corrected
                           : friction->kind == CAIRN_FRICTION_CONE  ? convex
                                                                    : 0;
    cones->right_side += square(referee->b + friction->normal);
}

typedef struct Adding {
    const Referee *referee;
    RefereeCones *pieces;
} Adding;

static void add_piece(void *context, int k, int worker) {
    const Adding *adding = context;
    int count = adding->referee->problem->friction_count;
    (void)worker;
    adding->pieces[k] = (RefereeCones){0, 0, 0};
    for (int f = cairn_referee_piece(count, k); f < cairn_referee_piece(count, k + 1); f++) {
        add_cone(adding->referee, f, &adding->pieces[k]);
    }
}

RefereeCones cairn_referee_cones(const Referee *referee) {
    RefereeCones pieces[REFEREE_PIECES], sum = {0, 0, 0};
    int count = referee->problem->friction_count;
    Adding adding = {referee, pieces};
    cairn_pieces_run(referee->threads, cairn_referee_pieces(count), add_piece, &adding);
    for (int k = 0; k < cairn_referee_pieces(count); k++) {
        sum.corrected += pieces[k].corrected;
        sum.convex += pieces[k].convex;
        sum.right_side += pieces[k].right_side;
    }
    return sum;
}

// a + b - sqrt(a^2 + b^2), without cancellation; zero exactly where a, b >= 0 and a b = 0. a may be infinite.
static double fischer_burmeister(double a, double b) {
    if (isinf(a) || isinf(b)) {
        return fmin(a, b); // the limit
    }
    double sum = a + b;
    return sum > 0 ? 2 * a * (b / (sum + length(a, b))) : sum - length(a, b);
}

// Billups' form for two bounds: phi(D (lambda - l), -phi(D (u - lambda), -w)), with the sign of phi above.
double cairn_referee_fb_row(double D, double lambda, double w, double lower, double upper) {
    return fischer_burmeister(D * (lambda - lower), -fischer_burmeister(D * (upper - lambda), -w));
}

// phi(x, y) = x + y - sqrt(x o x + y o y) in the Jordan algebra of the circular cone, with x = (mu r_N, r_T) ||A_cc||
// and y = (u^_N / mu, u_T), both in it exactly where r is in K and u^ in its dual. The square root has the eigenvalues'
// roots.
double cairn_referee_fb_cone(const Referee *referee, int group) {
    const CairnFriction *friction = &referee->problem->frictions[group];
    double norm = referee->norm[group], mu = friction->mu;
    const double *r = referee->lambda + friction->normal;
    double u[3];
    group_velocity(referee, group, friction->kind == CAIRN_FRICTION_COULOMB, u);
    if (mu == 0) { // the cone is a half-line: the normal by itself, and no friction impulse
        return fmax(fabs(fischer_burmeister(norm * r[0], u[0])), norm * length(r[1], r[2]));
    }
    double x[3] = {mu * norm * r[0], norm * r[1], norm * r[2]}, y[3] = {u[0] / mu, u[1], u[2]};
    double z[3] = {square(x) + square(y), 2 * (x[0] * x[1] + y[0] * y[1]), 2 * (x[0] * x[2] + y[0] * y[2])};
    double tangent = length(z[1], z[2]);
    double high = sqrt(z[0] + tangent), low = sqrt(fmax(0, z[0] - tangent));
    double phi[3] = {x[0] + y[0] - 0.5 * (high + low), x[1] + y[1], x[2] + y[2]};
    if (tangent > 0) {
        phi[1] -= 0.5 * (high - low) * z[1] / tangent;
        phi[2] -= 0.5 * (high - low) * z[2] / tangent;
    }
    return fmax(mu * fabs(phi[0]), length(phi[1], phi[2]));
}
