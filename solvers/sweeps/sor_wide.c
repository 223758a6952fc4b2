// Eight contacts at once.
#include <math.h>

#include "solvers/sweeps/sor_lanes.h"

enum {
    AHEAD = 3, // groups before its visit, a group's bodies are fetched
    FAR = 5    // and the group itself: the scattered reads of bodies disturb the processor's prefetcher
};

ALWAYS void load_inertias(const double *inertia, const int *index, SorEight t[8]) {
    for (int i = 0; i < SOR_LANES; i++) {
        t[i] = (SorEight) * (const Loose *)(inertia + (ptrdiff_t)(index[i] / SOR_BODY) * SOR_INERTIA);
    }
    transpose(t);
}

// Bodies lie far apart in the order of the sweep: prefetch those of a later group.
ALWAYS void fetch_bodies(const double *u, const int *index) {
    for (int i = 0; i < 2 * SOR_LANES; i++) {
        __builtin_prefetch(u + index[i]);
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

// 1 / (1 + mu^2)
ALWAYS void invert(const SorEight *mu, SorEight *inverse) {
    const SorEight one = {1, 1, 1, 1, 1, 1, 1, 1};
    *inverse = one / (one + *mu * *mu);
}

// The cone's projection (S1 eqs. 20, 21; figure 1), in place.
ALWAYS void project(const SorEight *mu, const SorEight *inverse, SorEight x[3]) {
    const SorEight zero = {0}, one = {1, 1, 1, 1, 1, 1, 1, 1};
    SorEight square = x[1] * x[1] + x[2] * x[2], length;
    root(&square, &length);
    Mask is_outside = length > *mu * x[0], is_polar = *mu * length <= -x[0];
    SorEight slope = *mu / CHOOSE(length > zero, length, one);
    SorEight normal = (x[0] + *mu * length) * *inverse, scale = slope * normal;
    Mask is_edge = is_outside & ~is_polar;
    x[0] = CHOOSE(is_polar, zero, CHOOSE(is_edge, normal, x[0]));
    x[1] = CHOOSE(is_polar, zero, CHOOSE(is_edge, scale * x[1], x[1]));
    x[2] = CHOOSE(is_polar, zero, CHOOSE(is_edge, scale * x[2], x[2]));
}

ALWAYS bool is_any(const Mask *mask) {
    long long any = 0;
    for (int i = 0; i < SOR_LANES; i++) {
        any |= (*mask)[i];
    }
    return any != 0;
}

// From J u to the impulses' change (S1 step 5), which replaces it.
ALWAYS void move(const SorSystem *system, SorEight *lane, const SorEight *law, const SorEight *common, SorEight w[3],
                 SorEight *largest) {
    SorEight *lambda = lane + SOR_LAMBDA, x[3], inverse = *common;
    if (!system->common) {
        invert(&law[SOR_MU], &inverse);
    }
    const SorEight mu = law[SOR_MU], eta = lane[SOR_ETA];
    w[0] += law[SOR_COMPLIANCE] * lambda[0] + lane[SOR_D];
    w[1] += law[SOR_COMPLIANCE + 1] * lambda[1] + lane[SOR_D + 1];
    w[2] += law[SOR_COMPLIANCE + 1] * lambda[2] + lane[SOR_D + 2];
    if (system->law == CAIRN_FRICTION_COULOMB) { // De Saxce
        SorEight square = w[1] * w[1] + w[2] * w[2], slip = square;
        root(&square, &slip);
        w[0] += mu * slip;
    }
    for (int k = 0; k < 3; k++) {
        x[k] = lambda[k] - eta * w[k];
    }
    project(&mu, &inverse, x);
    const double fraction = system->settings.lambda;
    SorEight most = {0};
    for (int k = 0; k < 3; k++) {
        if (fraction != 1) {
            x[k] = x[k] * fraction + lambda[k] * (1 - fraction);
        }
        w[k] = x[k] - lambda[k];
        lambda[k] = x[k];
        SorEight size;
        size_of(&w[k], &size);
        raise_to(&most, &size);
    }
    // The velocity still to go is most / (eta share): a division for the few groups that have the largest so far.
    Mask is_more = most > *largest * (eta * fraction);
    if (is_any(&is_more)) {
        most = most / (eta * fraction);
        raise_to(largest, &most);
    }
}

// The bodies of a group: u, and the factors of their inertias where they are not round.
typedef struct Bodies {
    SorEight A[8], B[8], fa[8], fb[8];
} Bodies;

ALWAYS void gather_round(const SorSystem *system, double *group, Bodies *bodies) {
    const int *index = cairn_sor_bodies(group, true);
    load_bodies(system->u_read, index, bodies->A);
    load_bodies(system->u_read, index + SOR_LANES, bodies->B);
}

ALWAYS void gather_general(const SorSystem *system, double *group, Bodies *bodies) {
    const int *index = cairn_sor_bodies(group, false);
    load_bodies(system->u_read, index, bodies->A);
    load_bodies(system->u_read, index + SOR_LANES, bodies->B);
    load_inertias(system->inertia, index, bodies->fa);
    load_inertias(system->inertia, index + SOR_LANES, bodies->fb);
}

ALWAYS void scatter(const SorSystem *system, const int *index, Bodies *bodies) {
    store_bodies(system->u, index, system->zero_body, bodies->A);
    store_bodies(system->u, index + SOR_LANES, system->zero_body, bodies->B);
}

// `next`: the group that comes next, where it shares no body with this one; its bodies are gathered into `ahead` while
// this one waits for its root and its divisions.
ALWAYS void visit_round(const SorSystem *system, double *group, Bodies *now, double *next, Bodies *ahead,
                        const SorEight *inverse, SorEight *largest) {
    SorEight *lane = (SorEight *)group, *A = now->A, *B = now->B;
    const SorEight *n = lane + SOR_NORMAL, *t1 = lane + SOR_TANGENT;
    const SorEight arm_a = lane[SOR_ARM_A], arm_b = lane[SOR_ROUND_ARM_B];
    const int *index = cairn_sor_bodies(group, true);
    SorEight t2[3], v[3], s[3], w[3], term[2];
    cross(n, t1, t2);
    // r_b = -arm_b n and r_a = arm_a n: r x n = 0, r_b x t1 = -arm_b t2, r_b x t2 = arm_b t1.
    for (int k = 0; k < 3; k++) {
        v[k] = B[k] * B[6] - A[k] * A[6];
        s[k] = A[3 + k] * (A[7] * arm_a) + B[3 + k] * (B[7] * arm_b);
    }
    dot(n, v, &w[0]);
    dot(t1, v, &term[0]);
    dot(t2, s, &term[1]);
    w[1] = term[0] - term[1];
    dot(t2, v, &term[0]);
    dot(t1, s, &term[1]);
    w[2] = term[0] + term[1];
    move(system, lane, cairn_sor_law(system, group, true), inverse, w, largest);
    if (next) {
        gather_round(system, next, ahead);
    }
    reload(system, index, A);
    reload(system, index + SOR_LANES, B);
    for (int k = 0; k < 3; k++) {
        SorEight force = n[k] * w[0] + t1[k] * w[1] + t2[k] * w[2], turn = t1[k] * w[2] - t2[k] * w[1];
        A[k] -= force * A[6];
        B[k] += force * B[6];
        A[3 + k] += turn * (A[7] * arm_a);
        B[3 + k] += turn * (B[7] * arm_b);
    }
    scatter(system, index, now);
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

ALWAYS void visit_general(const SorSystem *system, double *group, Bodies *now, double *next, Bodies *ahead,
                          const SorEight *inverse, SorEight *largest) {
    SorEight *lane = (SorEight *)group, *A = now->A, *B = now->B;
    const SorEight *n = lane + SOR_NORMAL, *t1 = lane + SOR_TANGENT;
    const int *index = cairn_sor_bodies(group, false);
    SorEight t2[3], va[3], vb[3], w[3], force[3];
    cross(n, t1, t2);
    point_velocity(A, now->fa, lane + SOR_ARM_A, va);
    point_velocity(B, now->fb, lane + SOR_ARM_B, vb);
    for (int k = 0; k < 3; k++) {
        vb[k] -= va[k];
    }
    dot(n, vb, &w[0]);
    dot(t1, vb, &w[1]);
    dot(t2, vb, &w[2]);
    move(system, lane, cairn_sor_law(system, group, false), inverse, w, largest);
    if (next) {
        gather_general(system, next, ahead);
    }
    reload(system, index, A);
    reload(system, index + SOR_LANES, B);
    for (int k = 0; k < 3; k++) {
        force[k] = n[k] * w[0] + t1[k] * w[1] + t2[k] * w[2];
    }
    push(B, now->fb, lane + SOR_ARM_B, force);
    for (int k = 0; k < 3; k++) {
        force[k] = -force[k];
    }
    push(A, now->fa, lane + SOR_ARM_A, force);
    scatter(system, index, now);
}

// The i-th of a run of groups, forwards or backwards; beyond its end, the last one.
static int group_at(SorGroups groups, int i, bool is_forward) {
    i = i < groups.count ? i : groups.count - 1;
    return groups.first + (is_forward ? i : groups.count - 1 - i);
}

// In lines of eight numbers; the loop's length is one that the compiler knows.
ALWAYS void fetch_group(const SorSystem *system, const double *group, bool is_round) {
    for (int i = 0; i < cairn_sor_fixed_rows(is_round); i++) {
        __builtin_prefetch(group + (ptrdiff_t)SOR_LANES * i);
    }
    const SorEight *law = cairn_sor_law(system, group, is_round);
    for (int i = 0; i < SOR_LAW_ROWS && !system->common; i++) {
        __builtin_prefetch(law + i);
    }
}

// `is_round` is known to the compiler, which makes two loops of this.
ALWAYS void visit_groups(const SorSystem *system, SorGroups groups, bool is_forward, bool is_round, SorEight *largest) {
    const bool *overlaps = is_round ? system->round_overlaps : system->general_overlaps;
    Bodies bodies[2];
    SorEight inverse = {0};
    bool is_gathered = false;
    if (system->common) {
        invert(&system->common[SOR_MU], &inverse);
    }
    for (int i = 0; i < groups.count; i++) {
        int at = group_at(groups, i, is_forward), after = group_at(groups, i + 1, is_forward);
        double *group = cairn_sor_group(system, at, is_round), *next = cairn_sor_group(system, after, is_round);
        Bodies *now = &bodies[i % 2], *ahead = &bodies[(i + 1) % 2];
        fetch_group(system, cairn_sor_group(system, group_at(groups, i + FAR, is_forward), is_round), is_round);
        double *later = cairn_sor_group(system, group_at(groups, i + AHEAD, is_forward), is_round);
        fetch_bodies(system->u_read, cairn_sor_bodies(later, is_round));
        if (!is_gathered) {
            is_round ? gather_round(system, group, now) : gather_general(system, group, now);
        }
        is_gathered = i + 1 < groups.count && !overlaps[is_forward ? at : after];
        if (is_round) {
            visit_round(system, group, now, is_gathered ? next : NULL, ahead, &inverse, largest);
        } else {
            visit_general(system, group, now, is_gathered ? next : NULL, ahead, &inverse, largest);
        }
    }
}

void cairn_sor_visit_rounds(const SorSystem *system, SorGroups groups, bool is_forward, SorEight *largest) {
    visit_groups(system, groups, is_forward, true, largest);
}

void cairn_sor_visit_generals(const SorSystem *system, SorGroups groups, bool is_forward, SorEight *largest) {
    visit_groups(system, groups, is_forward, false, largest);
}
