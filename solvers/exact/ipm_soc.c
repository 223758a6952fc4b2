#include "solvers/exact/ipm_soc.h"

#include <math.h>
#include <stdint.h>

#include "engine/base/eights.h"

// Eight cones at a time, with the same arithmetic for each whatever the machine's vectors hold. By pointers: how a
// vector is passed by value depends on the machine.
typedef int64_t Mask __attribute__((vector_size(64), may_alias));

#define EIGHT(x) (*(Eight *)(x))
#define EIGHT_OF(x) (*(const Eight *)(x))

static const Eight none;

ALWAYS_INLINE void choose(const Mask *chosen, const Eight *a, const Eight *b, Eight *x) {
    *x = (Eight)((*chosen & (Mask)*a) | (~*chosen & (Mask)*b));
}

// x, not below `least` and not above `most`.
ALWAYS_INLINE void raise_to(Eight *x, const Eight *least) {
    Mask is_low = *x < *least;
    choose(&is_low, least, x, x);
}

ALWAYS_INLINE void lower_to(Eight *x, const Eight *most) {
    Mask is_high = *x > *most;
    choose(&is_high, most, x, x);
}

// The root of what is not negative, 0 of the rest.
ALWAYS_INLINE void root_of(Eight *x) {
    raise_to(x, &none);
    for (int k = 0; k < 8; k++) {
        (*x)[k] = sqrt((*x)[k]);
    }
}

// The direction of a vector in the plane, and its length; 0 has none.
ALWAYS_INLINE void turn_into_direction(Eight *x1, Eight *x2, Eight *length) {
    const Eight tiny = none + 1e-300;
    *length = *x1 * *x1 + *x2 * *x2;
    root_of(length);
    Eight over = *length;
    raise_to(&over, &tiny);
    over = 1 / over;
    *x1 *= over;
    *x2 *= over;
}

bool cairn_ipm_soc_init(CairnIpmSoc *soc, CairnCones *cones) {
    enum { ARRAYS = 31 };
    const CairnProblem *problem = cones->exact.problem;
    CairnArena *arena = cones->exact.context->arena;
    *soc = (CairnIpmSoc){.cones = cones, .group = CAIRN_PUSH(arena, int, problem->friction_count + 1)};
    if (soc->group == NULL) {
        return false;
    }
    for (int f = 0; f < problem->friction_count; f++) {
        if (cones->cones[f].is_cone) {
            soc->group[soc->count++] = f;
        }
    }
    soc->room = (soc->count + 7) & ~7;
    double *memory = CAIRN_PUSH_ZERO(arena, double, ARRAYS *(size_t)soc->room + 1);
    if (memory == NULL) {
        return false;
    }
    double **single[] = {&soc->mu, &soc->over_mu, &soc->eta, &soc->size, &soc->result[0]};
    double **triple[] = {soc->v, soc->q, soc->z, soc->g, soc->kept_g, soc->dq, soc->kept_dq, soc->from};
    for (size_t k = 0; k < sizeof single / sizeof *single; k++, memory += soc->room) {
        *single[k] = memory;
    }
    for (size_t k = 0; k < sizeof triple / sizeof *triple; k++) {
        for (int i = 0; i < 3; i++, memory += soc->room) {
            triple[k][i] = memory;
        }
    }
    for (int c = 0; c < soc->room; c++) { // what fills up is in the middle of its cone and stays there
        soc->mu[c] = c < soc->count ? cones->cones[soc->group[c]].mu : 1;
        soc->over_mu[c] = 1 / soc->mu[c];
        soc->eta[c] = soc->v[0][c] = soc->q[0][c] = soc->z[0][c] = soc->size[c] = 1;
    }
    return true;
}

static int row_of(const CairnIpmSoc *soc, int c) {
    return soc->cones->exact.problem->frictions[soc->group[c]].normal;
}

// The eigenvalue of y that belongs to the eigenvalue `gap` of norm y - z, where the product of both is mu.
static double smooth(double gap, double norm, double mu) {
    double root = sqrt(gap * gap + 4 * norm * mu);
    return gap > 0 ? 0.5 * (gap + root) / norm : 2 * mu / (root - gap);
}

static void begin_warm(CairnIpmSoc *soc, int c, double mu) {
    const CairnExact *exact = &soc->cones->exact;
    double *r = exact->lambda + row_of(soc, c), norm = soc->cones->cones[soc->group[c]].norm;
    const double *w = exact->w + row_of(soc, c);
    double x = norm * soc->mu[c] * r[0] - w[0] * soc->over_mu[c], t[2] = {norm * r[1] - w[1], norm * r[2] - w[2]};
    double tangent = sqrt(t[0] * t[0] + t[1] * t[1]);
    double d[2] = {tangent > 0 ? t[0] / tangent : 1, tangent > 0 ? t[1] / tangent : 0};
    double high = smooth(x + tangent, norm, mu), low = smooth(x - tangent, norm, mu);
    double z_high = mu / high, z_low = mu / low;
    double y[3] = {0.5 * (high + low), 0.5 * (high - low) * d[0], 0.5 * (high - low) * d[1]};
    double z[3] = {0.5 * (z_high + z_low), 0.5 * (z_high - z_low) * d[0], 0.5 * (z_high - z_low) * d[1]};
    // y and z have the same axes: W's eigenvalues are the roots of high / z_high and low / z_low, and q = sqrt(mu) e.
    double root_high = sqrt(high / z_high), root_low = sqrt(low / z_low), stretch = sqrt(root_high / root_low);
    double side = 0.5 * (stretch - 1 / stretch);
    soc->eta[c] = sqrt(root_high * root_low);
    for (int i = 0; i < 3; i++) {
        soc->z[i][c] = z[i];
        soc->q[i][c] = i == 0 ? sqrt(mu) : 0;
        soc->v[i][c] = i == 0 ? 0.5 * (stretch + 1 / stretch) : side * d[i - 1];
        r[i] = y[i] * (i == 0 ? soc->over_mu[c] : 1);
    }
}

static void begin_cold(CairnIpmSoc *soc, int c, double mu) {
    double *r = soc->cones->exact.lambda + row_of(soc, c);
    r[0] = sqrt(mu / soc->cones->cones[soc->group[c]].norm);
    r[1] = r[2] = 0;
    double y = soc->mu[c] * r[0];
    for (int i = 0; i < 3; i++) {
        soc->z[i][c] = i == 0 ? mu / y : 0;
        soc->q[i][c] = i == 0 ? sqrt(mu) : 0;
        soc->v[i][c] = i == 0 ? 1 : 0;
    }
    soc->eta[c] = y / sqrt(mu);
}

void cairn_ipm_soc_begin(CairnIpmSoc *soc, double mu, bool is_warm) {
    for (int c = 0; c < soc->count; c++) {
        (is_warm ? begin_warm : begin_cold)(soc, c, mu);
        soc->size[c] = sqrt(mu);
    }
}

// S W^-2 S = eta^-2 S (2 u u^T - J) S with u = (v0, -v_T): the axes are S (1, -d), S (1, d) and (0, d turned).
void cairn_ipm_soc_weigh(CairnIpmSoc *soc) {
    for (int c = 0; c < soc->count; c++) {
        double v1 = soc->v[1][c], v2 = soc->v[2][c], tangent = sqrt(v1 * v1 + v2 * v2), high = soc->v[0][c] + tangent;
        double size = 1 / (soc->eta[c] * soc->eta[c]), square = high * high, mu = soc->mu[c];
        double d1 = tangent > 0 ? v1 / tangent : 1, d2 = tangent > 0 ? v2 / tangent : 0;
        soc->cones->blocks[soc->group[c]] = (CairnThetaBlock){{0.5 * size * square, 0.5 * size / square, size},
                                                              {{mu, -d1, -d2}, {mu, d1, d2}, {0, -d2, d1}}};
    }
}

// What fills up neither moves nor counts.
static void still_the_rest(CairnIpmSoc *soc) {
    for (int c = soc->count; c < soc->room; c++) {
        for (int i = 0; i < 3; i++) {
            soc->g[i][c] = soc->dq[i][c] = 0;
        }
    }
}

double cairn_ipm_soc_sum(const CairnIpmSoc *soc, double step) {
    Eight sum = none;
    for (int c = 0; c < soc->room; c += 8) {
        Eight part = none;
        for (int i = 0; i < 3; i++) {
            const Eight q = EIGHT_OF(soc->q[i] + c), y = EIGHT_OF(soc->dq[i] + c), z = EIGHT_OF(soc->g[i] + c) - y;
            part += (q + step * y) * (q + step * z);
        }
        for (int k = soc->count - c; k < 8; k++) {
            part[k] = 0;
        }
        sum += part;
    }
    return sum_eight(&sum);
}

void cairn_ipm_soc_predict(CairnIpmSoc *soc) {
    for (int i = 0; i < 3; i++) {
        double *restrict g = soc->g[i];
        const double *restrict q = soc->q[i];
        for (int c = 0; c < soc->room; c++) {
            g[c] = -q[c];
        }
    }
}

// g of the product q o g = a, eight cones from c on.
ALWAYS_INLINE void divide_by_q(const CairnIpmSoc *soc, int c, const Eight *a0, const Eight *a1, const Eight *a2,
                               Eight *g0, Eight *g1, Eight *g2) {
    const Eight q0 = EIGHT_OF(soc->q[0] + c), q1 = EIGHT_OF(soc->q[1] + c), q2 = EIGHT_OF(soc->q[2] + c),
                size = EIGHT_OF(soc->size + c);
    Eight head = (q0 * *a0 - q1 * *a1 - q2 * *a2) / (size * size), over = 1 / q0;
    *g0 = head;
    *g1 = (*a1 - head * q1) * over;
    *g2 = (*a2 - head * q2) * over;
}

// What aim_side of ipm_rows.c has for a pair of numbers: how many times as hard the predictor is to be driven.
ALWAYS_INLINE void drive_by(const Eight *curve, const Eight *drive, Eight *by) {
    static const double NEAR = 0.95;
    Eight root = 1 - 4 * NEAR * *curve * *drive;
    root_of(&root);
    Eight curved = 2 * *drive / (1 + root), straight = *drive + *curve;
    Mask is_shrinking = *curve > none;
    choose(&is_shrinking, &curved, &straight, by);
}

// Aims the pairs as aim_side does, by the eigenvalues of E = p \ (dq_y o dq_z) with p = q o q: near the path q is sqrt(mu) e, and all frames
// are nearly that of E. To first order it is Mehrotra's corrector.
void cairn_ipm_soc_aim(CairnIpmSoc *soc, double mu) {
    for (int c = 0; c < soc->room; c += 8) {
        const Eight q0 = EIGHT_OF(soc->q[0] + c), q1 = EIGHT_OF(soc->q[1] + c), q2 = EIGHT_OF(soc->q[2] + c);
        const Eight y0 = EIGHT_OF(soc->dq[0] + c), y1 = EIGHT_OF(soc->dq[1] + c), y2 = EIGHT_OF(soc->dq[2] + c);
        const Eight size = EIGHT_OF(soc->size + c), det = size * size, over_p = 1 / (det * det); // 1 / det p
        Eight *g0 = &EIGHT(soc->g[0] + c), *g1 = &EIGHT(soc->g[1] + c), *g2 = &EIGHT(soc->g[2] + c);
        Eight z0 = *g0 - y0, z1 = *g1 - y1, z2 = *g2 - y2;
        Eight p0 = q0 * q0 + q1 * q1 + q2 * q2, p1 = 2 * q0 * q1, p2 = 2 * q0 * q2;
        Eight s0 = y0 * z0 + y1 * z1 + y2 * z2, s1 = y0 * z1 + z0 * y1, s2 = y0 * z2 + z0 * y2;
        Eight e0 = (p0 * s0 - p1 * s1 - p2 * s2) * over_p, over = 1 / p0;
        Eight d1 = (s1 - e0 * p1) * over, d2 = (s2 - e0 * p2) * over, length;
        turn_into_direction(&d1, &d2, &length);
        Eight along = p1 * d1 + p2 * d2, high = e0 + length, low = e0 - length;
        Eight drive_high = 1 - mu * (p0 - along) * over_p, drive_low = 1 - mu * (p0 + along) * over_p;
        drive_by(&high, &drive_high, &high);
        drive_by(&low, &drive_low, &low);
        Eight x0 = -0.5 * (high + low), side = -0.5 * (high - low), x1 = side * d1, x2 = side * d2;
        Eight a0 = x0 * p0 + x1 * p1 + x2 * p2, a1 = x0 * p1 + p0 * x1, a2 = x0 * p2 + p0 * x2;
        divide_by_q(soc, c, &a0, &a1, &a2, g0, g1, g2);
    }
}

static void swap(double **a, double **b) {
    double *c = *a;
    *a = *b;
    *b = c;
}

void cairn_ipm_soc_take_back(CairnIpmSoc *soc) {
    for (int i = 0; i < 3; i++) {
        swap(&soc->g[i], &soc->kept_g[i]);
        swap(&soc->dq[i], &soc->kept_dq[i]);
    }
}

// cairn_ipm_push_of.
ALWAYS_INLINE void push_of(const Eight *ahead, double mu, Eight *push) {
    const Eight up = 0.1 * mu - *ahead, most_down = none - 10 * mu;
    Eight down = 10 * mu - *ahead;
    lower_to(&down, &none);
    raise_to(&down, &most_down);
    raise_to(&down, &up);
    *push = down;
}

void cairn_ipm_soc_push(CairnIpmSoc *soc, double mu, double wanted) {
    cairn_ipm_soc_take_back(soc);
    for (int c = 0; c < soc->room; c += 8) {
        const Eight k0 = EIGHT_OF(soc->kept_g[0] + c), k1 = EIGHT_OF(soc->kept_g[1] + c),
                    k2 = EIGHT_OF(soc->kept_g[2] + c);
        const Eight q0 = EIGHT_OF(soc->q[0] + c), q1 = EIGHT_OF(soc->q[1] + c), q2 = EIGHT_OF(soc->q[2] + c);
        const Eight d0 = EIGHT_OF(soc->kept_dq[0] + c), d1 = EIGHT_OF(soc->kept_dq[1] + c),
                    d2 = EIGHT_OF(soc->kept_dq[2] + c);
        Eight y0 = q0 + wanted * d0, y1 = q1 + wanted * d1, y2 = q2 + wanted * d2;
        Eight z0 = q0 + wanted * (k0 - d0), z1 = q1 + wanted * (k1 - d1), z2 = q2 + wanted * (k2 - d2);
        Eight p0 = y0 * z0 + y1 * z1 + y2 * z2, p1 = y0 * z1 + z0 * y1, p2 = y0 * z2 + z0 * y2, tangent;
        turn_into_direction(&p1, &p2, &tangent);
        Eight high = p0 + tangent, low = p0 - tangent, g0, g1, g2;
        push_of(&high, mu, &high);
        push_of(&low, mu, &low);
        Eight t0 = 0.5 * (high + low), along = 0.5 * (high - low), t1 = along * p1, t2 = along * p2;
        divide_by_q(soc, c, &t0, &t1, &t2, &g0, &g1, &g2);
        EIGHT(soc->g[0] + c) = k0 + g0;
        EIGHT(soc->g[1] + c) = k1 + g1;
        EIGHT(soc->g[2] + c) = k2 + g2;
    }
}

// to = W^-1 x.
static void scale_back(const CairnIpmSoc *soc, double *const x[3], double *const to[3]) {
    for (int c = 0; c < soc->room; c += 8) {
        const Eight x0 = EIGHT_OF(x[0] + c), x1 = EIGHT_OF(x[1] + c), x2 = EIGHT_OF(x[2] + c);
        const Eight v0 = EIGHT_OF(soc->v[0] + c), v1 = EIGHT_OF(soc->v[1] + c), v2 = EIGHT_OF(soc->v[2] + c);
        Eight size = 1 / EIGHT_OF(soc->eta + c), inner = v1 * x1 + v2 * x2, along = inner / (1 + v0) - x0;
        EIGHT(to[0] + c) = size * (v0 * x0 - inner);
        EIGHT(to[1] + c) = size * (x1 + along * v1);
        EIGHT(to[2] + c) = size * (x2 + along * v2);
    }
}

void cairn_ipm_soc_right_side(const CairnIpmSoc *soc, double *y) {
    scale_back(soc, soc->g, soc->from);
    for (int c = 0; c < soc->count; c++) {
        double *rows = y + row_of(soc, c);
        rows[0] += soc->mu[c] * (soc->z[0][c] + soc->from[0][c]);
        rows[1] += soc->z[1][c] + soc->from[1][c];
        rows[2] += soc->z[2][c] + soc->from[2][c];
    }
}

// over[c]: the larger of it and 1 / the longest step that keeps q + step d in the cone (Vandenberghe 2010, CVXOPT).
static void find_steps(const CairnIpmSoc *soc, double *const d[3], bool is_first, double *restrict over) {
    const double *restrict d0 = d[0], *restrict d1 = d[1], *restrict d2 = d[2];
    const double *restrict q0 = soc->q[0], *restrict q1 = soc->q[1], *restrict q2 = soc->q[2],
                           *restrict size = soc->size;
    for (int c = 0; c < soc->room; c++) {
        double scale = 1 / size[c], b0 = q0[c] * scale, b1 = q1[c] * scale, b2 = q2[c] * scale;
        double head = b0 * d0[c] - b1 * d1[c] - b2 * d2[c], share = (head + d0[c]) / (b0 + 1);
        double r1 = d1[c] - share * b1, r2 = d2[c] - share * b2, needed = (sqrt(r1 * r1 + r2 * r2) - head) * scale;
        double before = is_first ? 1 : over[c];
        over[c] = needed <= before ? before : needed; // NaN remains
    }
}

double cairn_ipm_soc_complete(CairnIpmSoc *soc, const double *direction) {
    for (int c = 0; c < soc->count; c++) {
        const double *d = direction + row_of(soc, c);
        soc->from[0][c] = soc->mu[c] * d[0];
        soc->from[1][c] = d[1];
        soc->from[2][c] = d[2];
    }
    scale_back(soc, soc->from, soc->dq);
    find_steps(soc, soc->dq, true, soc->result[0]);
    for (int i = 0; i < 3; i++) {
        double *restrict from = soc->from[i];
        const double *restrict g = soc->g[i], *restrict dq = soc->dq[i];
        for (int c = 0; c < soc->room; c++) {
            from[c] = g[c] - dq[c];
        }
    }
    find_steps(soc, soc->from, false, soc->result[0]);
    double most = 1;
    for (int c = 0; c < soc->count; c++) {
        most = soc->result[0][c] <= most ? most : soc->result[0][c];
    }
    return 1 / most;
}

// With B(v) = W / eta, W' W' = W w w W for the scaling w of the scaled y and z, so v' = B(v) w_v. B(v) B(w_v) is B(v')
// times a rotation, by which q turns: its half-angle has the tangent `across` / `along` below. *least: the smallest
// of the numbers that have to be positive.
ALWAYS_INLINE void move_eight(CairnIpmSoc *soc, int c, double step, Eight *least) {
    Eight y[3], z[3], w[3], q[3];
    for (int i = 0; i < 3; i++) {
        y[i] = EIGHT_OF(soc->q[i] + c) + step * EIGHT_OF(soc->dq[i] + c);
        z[i] = EIGHT_OF(soc->q[i] + c) + step * (EIGHT_OF(soc->g[i] + c) - EIGHT_OF(soc->dq[i] + c));
    }
    Eight length_y = y[1] * y[1] + y[2] * y[2], length_z = z[1] * z[1] + z[2] * z[2];
    root_of(&length_y);
    root_of(&length_z);
    Eight low_y = y[0] - length_y, low_z = z[0] - length_z;
    lower_to(least, &low_y);
    lower_to(least, &low_z);
    Eight root_y = low_y * (y[0] + length_y), root_z = low_z * (z[0] + length_z);
    root_of(&root_y);
    root_of(&root_z);
    Eight over_y = 1 / root_y, over_z = 1 / root_z;
    Eight gamma = 0.5 * (1 + (y[0] * z[0] + y[1] * z[1] + y[2] * z[2]) * over_y * over_z);
    root_of(&gamma);
    Eight half = 0.5 / gamma, stretch = root_y * over_z;
    root_of(&stretch);
    w[1] = (y[1] * over_y - z[1] * over_z) * half;
    w[2] = (y[2] * over_y - z[2] * over_z) * half;
    w[0] = 1 + w[1] * w[1] + w[2] * w[2];
    root_of(&w[0]);
    Eight inner = w[1] * z[1] + w[2] * z[2], share = z[0] + inner / (1 + w[0]);
    q[0] = stretch * (w[0] * z[0] + inner);
    q[1] = stretch * (z[1] + share * w[1]);
    q[2] = stretch * (z[2] + share * w[2]);
    const Eight v0 = EIGHT_OF(soc->v[0] + c), v1 = EIGHT_OF(soc->v[1] + c), v2 = EIGHT_OF(soc->v[2] + c);
    Eight across = v2 * w[1] - v1 * w[2], both = v1 * w[1] + v2 * w[2], along = (1 + v0) * (1 + w[0]) + both;
    Eight over = 1 / (along * along + across * across), cosine = (along * along - across * across) * over,
          sine = 2 * along * across * over, reach = w[0] + both / (1 + v0);
    Eight next1 = w[1] + reach * v1, next2 = w[2] + reach * v2, next0 = 1 + next1 * next1 + next2 * next2;
    root_of(&next0);
    Eight size = root_y * root_z; // det q
    root_of(&size);
    EIGHT(soc->v[0] + c) = next0;
    EIGHT(soc->v[1] + c) = next1;
    EIGHT(soc->v[2] + c) = next2;
    EIGHT(soc->eta + c) *= stretch;
    EIGHT(soc->q[0] + c) = q[0];
    EIGHT(soc->q[1] + c) = cosine * q[1] - sine * q[2];
    EIGHT(soc->q[2] + c) = sine * q[1] + cosine * q[2];
    EIGHT(soc->size + c) = size;
    lower_to(least, &size);
    Eight bound = 1 / next0; // 0 where v is infinite
    lower_to(least, &bound);
}

bool cairn_ipm_soc_move(CairnIpmSoc *soc, double step) {
    Eight least = none + 1;
    still_the_rest(soc);
    for (int i = 0; i < 3; i++) { // W dz
        for (int c = 0; c < soc->room; c += 8) {
            EIGHT(soc->kept_dq[i] + c) = EIGHT_OF(soc->g[i] + c) - EIGHT_OF(soc->dq[i] + c);
        }
    }
    scale_back(soc, soc->kept_dq, soc->from);
    for (int c = 0; c < soc->room; c += 8) {
        for (int i = 0; i < 3; i++) {
            EIGHT(soc->z[i] + c) += step * EIGHT_OF(soc->from[i] + c);
        }
        move_eight(soc, c, step, &least);
    }
    bool is_inside = true;
    for (int k = 0; k < 8; k++) {
        is_inside = is_inside && least[k] > 0;
    }
    for (int c = 0; c < soc->count; c++) {
        is_inside = is_inside && isfinite(soc->q[0][c]) && isfinite(soc->eta[c]);
    }
    return is_inside;
}
