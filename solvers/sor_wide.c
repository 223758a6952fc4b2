// Eight contacts at once.
#include <math.h>

#include "solvers/sor_lanes.h"

ALWAYS void load_inertias(const double *inertia, const int *index, SorEight t[8]) {
    for (int i = 0; i < SOR_LANES; i++) {
        t[i] = (SorEight) * (const Loose *)(inertia + (ptrdiff_t)SOR_INERTIA * index[i]);
    }
    transpose(t);
}

// Bodies lie far apart in the order of the sweep: ask for those of a later group now.
ALWAYS void fetch_bodies(const double *u, const double *group, int rows) {
    const int *index = (const int *)(group + (ptrdiff_t)SOR_LANES * (rows - 1));
    for (int i = 0; i < 2 * SOR_LANES; i++) {
        __builtin_prefetch(u + (ptrdiff_t)SOR_BODY * index[i]);
    }
}

ALWAYS void root(const SorEight *x, SorEight *y) {
    const double *from = (const double *)x;
    double *to = (double *)y;
    for (int i = 0; i < SOR_LANES; i++) {
        to[i] = sqrt(from[i]);
    }
}

ALWAYS void cross(const SorEight *a, const SorEight *b, SorEight *c) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

ALWAYS void dot(const SorEight *a, const SorEight *b, SorEight *c) {
    *c = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// The cone's projection (S1 eqs. 20, 21; figure 1), in place.
ALWAYS void project(const SorEight *mu, SorEight x[3]) {
    const SorEight zero = {0}, one = {1, 1, 1, 1, 1, 1, 1, 1};
    SorEight square = x[1] * x[1] + x[2] * x[2], length;
    root(&square, &length);
    Mask is_outside = length > *mu * x[0], is_polar = *mu * length <= -x[0];
    SorEight normal = (x[0] + *mu * length) / (one + *mu * *mu);
    SorEight scale = *mu * normal / CHOOSE(length > zero, length, one);
    Mask is_edge = is_outside & ~is_polar;
    x[0] = CHOOSE(is_polar, zero, CHOOSE(is_edge, normal, x[0]));
    x[1] = CHOOSE(is_polar, zero, CHOOSE(is_edge, scale * x[1], x[1]));
    x[2] = CHOOSE(is_polar, zero, CHOOSE(is_edge, scale * x[2], x[2]));
}

// From J u to the impulses' change (S1 step 5), which replaces it.
ALWAYS void move(const SorSystem *system, SorEight *lane, const SorEight *law, SorEight w[3], SorEight *largest) {
    SorEight *lambda = lane + SOR_LAMBDA, x[3];
    const SorEight mu = law[SOR_MU], eta = lane[SOR_ETA];
    w[0] += law[SOR_COMPLIANCE] * lambda[0] + lane[SOR_D];
    w[1] += law[SOR_COMPLIANCE + 1] * lambda[1] + lane[SOR_D + 1];
    w[2] += law[SOR_COMPLIANCE + 1] * lambda[2] + lane[SOR_D + 2];
    if (system->law == CAIRN_FRICTION_COULOMB) { // De Saxce
        SorEight square = w[1] * w[1] + w[2] * w[2], slip;
        root(&square, &slip);
        w[0] += mu * slip;
    }
    for (int k = 0; k < 3; k++) {
        x[k] = lambda[k] - eta * w[k];
    }
    project(&mu, x);
    double share = system->settings.lambda;
    SorEight most = {0}, togo;
    for (int k = 0; k < 3; k++) {
        x[k] = x[k] * share + lambda[k] * (1 - share);
        w[k] = x[k] - lambda[k];
        lambda[k] = x[k];
        SorEight size = CHOOSE(w[k] < -w[k], -w[k], w[k]);
        most = CHOOSE(size > most, size, most);
    }
    togo = most / (eta * share);
    *largest = CHOOSE(togo > *largest, togo, *largest);
}

void cairn_sor_visit_round(const SorSystem *system, double *group, const double *later, SorEight *largest) {
    SorEight *lane = (SorEight *)group;
    fetch_bodies(system->u_read, later, SOR_ROUND_ROWS);
    const int *a = (const int *)(lane + SOR_ROUND_ROWS - 1), *b = a + SOR_LANES;
    const SorEight *n = lane + SOR_NORMAL, *t1 = lane + SOR_TANGENT;
    const SorEight arm_a = lane[SOR_ARM_A], arm_b = lane[SOR_ROUND_ARM_B];
    SorEight A[8], B[8], t2[3], v[3], s[3], w[3], part[2];
    load_bodies(system->u_read, a, A);
    load_bodies(system->u_read, b, B);
    cross(n, t1, t2);
    // r_b = -arm_b n and r_a = arm_a n: r x n = 0, r_b x t1 = -arm_b t2, r_b x t2 = arm_b t1.
    for (int k = 0; k < 3; k++) {
        v[k] = B[k] * B[6] - A[k] * A[6];
        s[k] = A[3 + k] * (A[7] * arm_a) + B[3 + k] * (B[7] * arm_b);
    }
    dot(n, v, &w[0]);
    dot(t1, v, &part[0]);
    dot(t2, s, &part[1]);
    w[1] = part[0] - part[1];
    dot(t2, v, &part[0]);
    dot(t1, s, &part[1]);
    w[2] = part[0] + part[1];
    move(system, lane, cairn_sor_law(system, group, true), w, largest);
    reload(system, a, A);
    reload(system, b, B);
    for (int k = 0; k < 3; k++) {
        SorEight force = n[k] * w[0] + t1[k] * w[1] + t2[k] * w[2], turn = t1[k] * w[2] - t2[k] * w[1];
        A[k] -= force * A[6];
        B[k] += force * B[6];
        A[3 + k] += turn * (A[7] * arm_a);
        B[3 + k] += turn * (B[7] * arm_b);
    }
    store_bodies(system->u, a, system->nobody, A);
    store_bodies(system->u, b, system->nobody, B);
}

// The velocity of the point at an arm: L^-T u, linear plus angular x arm.
ALWAYS void point_velocity(const SorEight t[8], const SorEight f[5], const SorEight *arm, SorEight v[3]) {
    SorEight spin[3];
    spin[2] = t[5] * f[4];
    spin[1] = (t[4] - f[3] * spin[2]) * f[1];
    spin[0] = (t[3] - f[0] * spin[1] - f[2] * spin[2]) * t[7];
    cross(spin, arm, v);
    for (int k = 0; k < 3; k++) {
        v[k] += t[k] * t[6];
    }
}

// u += L^-1 (force, arm x force).
ALWAYS void push(SorEight t[8], const SorEight f[5], const SorEight *arm, const SorEight force[3]) {
    SorEight turn[3];
    cross(arm, force, turn);
    turn[0] = turn[0] * t[7];
    turn[1] = (turn[1] - f[0] * turn[0]) * f[1];
    turn[2] = (turn[2] - f[2] * turn[0] - f[3] * turn[1]) * f[4];
    for (int k = 0; k < 3; k++) {
        t[k] += force[k] * t[6];
        t[3 + k] += turn[k];
    }
}

void cairn_sor_visit_general(const SorSystem *system, double *group, const double *later, SorEight *largest) {
    SorEight *lane = (SorEight *)group;
    fetch_bodies(system->u_read, later, SOR_GENERAL_ROWS);
    const int *a = (const int *)(lane + SOR_GENERAL_ROWS - 1), *b = a + SOR_LANES;
    const SorEight *n = lane + SOR_NORMAL, *t1 = lane + SOR_TANGENT;
    SorEight A[8], B[8], fa[8], fb[8], t2[3], va[3], vb[3], w[3], force[3];
    load_bodies(system->u_read, a, A);
    load_bodies(system->u_read, b, B);
    load_inertias(system->inertia, a, fa);
    load_inertias(system->inertia, b, fb);
    cross(n, t1, t2);
    point_velocity(A, fa, lane + SOR_ARM_A, va);
    point_velocity(B, fb, lane + SOR_ARM_B, vb);
    for (int k = 0; k < 3; k++) {
        vb[k] -= va[k];
    }
    dot(n, vb, &w[0]);
    dot(t1, vb, &w[1]);
    dot(t2, vb, &w[2]);
    move(system, lane, cairn_sor_law(system, group, false), w, largest);
    reload(system, a, A);
    reload(system, b, B);
    for (int k = 0; k < 3; k++) {
        force[k] = n[k] * w[0] + t1[k] * w[1] + t2[k] * w[2];
    }
    push(B, fb, lane + SOR_ARM_B, force);
    for (int k = 0; k < 3; k++) {
        force[k] = -force[k];
    }
    push(A, fa, lane + SOR_ARM_A, force);
    store_bodies(system->u, a, system->nobody, A);
    store_bodies(system->u, b, system->nobody, B);
}
