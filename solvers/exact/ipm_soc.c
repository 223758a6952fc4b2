#include "solvers/exact/ipm_soc.h"

#include <math.h>
#include <string.h>

#include "solvers/exact/ipm_rows.h"

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

double cairn_ipm_soc_sum(const CairnIpmSoc *soc, double step) {
    double sum = 0;
    for (int c = 0; c < soc->count; c++) {
        for (int i = 0; i < 3; i++) {
            double q = soc->q[i][c], y = soc->dq[i][c], z = soc->g[i][c] - y;
            sum += (q + step * y) * (q + step * z);
        }
    }
    return sum;
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

void cairn_ipm_soc_aim(CairnIpmSoc *soc, double mu) {
    double *restrict g0 = soc->g[0], *restrict g1 = soc->g[1], *restrict g2 = soc->g[2];
    const double *restrict q0 = soc->q[0], *restrict q1 = soc->q[1], *restrict q2 = soc->q[2];
    const double *restrict y0 = soc->dq[0], *restrict y1 = soc->dq[1], *restrict y2 = soc->dq[2];
    const double *restrict size = soc->size;
    for (int c = 0; c < soc->room; c++) {
        double z0 = g0[c] - y0[c], z1 = g1[c] - y1[c], z2 = g2[c] - y2[c];
        double a0 = mu - (y0[c] * z0 + y1[c] * z1 + y2[c] * z2), a1 = -(y0[c] * z1 + z0 * y1[c]),
               a2 = -(y0[c] * z2 + z0 * y2[c]);
        double head = (q0[c] * a0 - q1[c] * a1 - q2[c] * a2) / (size[c] * size[c]), over = 1 / q0[c];
        g0[c] = head - q0[c];
        g1[c] = (a1 - head * q1[c]) * over - q1[c];
        g2[c] = (a2 - head * q2[c]) * over - q2[c];
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

void cairn_ipm_soc_push(CairnIpmSoc *soc, double mu, double wanted) {
    cairn_ipm_soc_take_back(soc);
    double *restrict g0 = soc->g[0], *restrict g1 = soc->g[1], *restrict g2 = soc->g[2];
    const double *restrict k0 = soc->kept_g[0], *restrict k1 = soc->kept_g[1], *restrict k2 = soc->kept_g[2];
    const double *restrict q0 = soc->q[0], *restrict q1 = soc->q[1], *restrict q2 = soc->q[2];
    const double *restrict d0 = soc->kept_dq[0], *restrict d1 = soc->kept_dq[1], *restrict d2 = soc->kept_dq[2];
    const double *restrict size = soc->size;
    for (int c = 0; c < soc->room; c++) {
        double y0 = q0[c] + wanted * d0[c], y1 = q1[c] + wanted * d1[c], y2 = q2[c] + wanted * d2[c];
        double z0 = q0[c] + wanted * (k0[c] - d0[c]), z1 = q1[c] + wanted * (k1[c] - d1[c]),
               z2 = q2[c] + wanted * (k2[c] - d2[c]);
        double p0 = y0 * z0 + y1 * z1 + y2 * z2, p1 = y0 * z1 + z0 * y1, p2 = y0 * z2 + z0 * y2;
        double tangent = sqrt(p1 * p1 + p2 * p2), over_t = 1 / (tangent > 1e-300 ? tangent : 1e-300);
        double high = cairn_ipm_push_of(p0 + tangent, mu), low = cairn_ipm_push_of(p0 - tangent, mu);
        double t0 = 0.5 * (high + low), along = 0.5 * (high - low) * over_t, t1 = along * p1, t2 = along * p2;
        double head = (q0[c] * t0 - q1[c] * t1 - q2[c] * t2) / (size[c] * size[c]), over = 1 / q0[c];
        g0[c] = k0[c] + head;
        g1[c] = k1[c] + (t1 - head * q1[c]) * over;
        g2[c] = k2[c] + (t2 - head * q2[c]) * over;
    }
}

// to = W^-1 x.
static void scale_back(const CairnIpmSoc *soc, double *const x[3], double *const to[3]) {
    const double *restrict x0 = x[0], *restrict x1 = x[1], *restrict x2 = x[2];
    double *restrict t0 = to[0], *restrict t1 = to[1], *restrict t2 = to[2];
    const double *restrict v0 = soc->v[0], *restrict v1 = soc->v[1], *restrict v2 = soc->v[2], *restrict eta = soc->eta;
    for (int c = 0; c < soc->room; c++) {
        double size = 1 / eta[c], inner = v1[c] * x1[c] + v2[c] * x2[c];
        double along = inner / (1 + v0[c]) - x0[c];
        t0[c] = size * (v0[c] * x0[c] - inner);
        t1[c] = size * (x1[c] + along * v1[c]);
        t2[c] = size * (x2[c] + along * v2[c]);
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
// times a rotation, by which q turns: its half-angle has the tangent s / c below.
static void move_one(CairnIpmSoc *soc, int c, double step, bool *is_inside) {
    double y[3], z[3], v[3] = {soc->v[0][c], soc->v[1][c], soc->v[2][c]}, eta = soc->eta[c], w[3], q[3];
    for (int i = 0; i < 3; i++) {
        y[i] = soc->q[i][c] + step * soc->dq[i][c];
        z[i] = soc->q[i][c] + step * (soc->g[i][c] - soc->dq[i][c]);
    }
    double tangent_y = sqrt(y[1] * y[1] + y[2] * y[2]), tangent_z = sqrt(z[1] * z[1] + z[2] * z[2]);
    double det_y = (y[0] - tangent_y) * (y[0] + tangent_y), det_z = (z[0] - tangent_z) * (z[0] + tangent_z);
    *is_inside = y[0] > 0 && z[0] > 0 && det_y > 0 && det_z > 0;
    double root_y = sqrt(det_y), root_z = sqrt(det_z), over_y = 1 / root_y, over_z = 1 / root_z;
    double dot = y[0] * z[0] + y[1] * z[1] + y[2] * z[2], gamma = sqrt(0.5 * (1 + dot * over_y * over_z));
    double half = 0.5 / gamma;
    w[1] = (y[1] * over_y - z[1] * over_z) * half;
    w[2] = (y[2] * over_y - z[2] * over_z) * half;
    w[0] = sqrt(1 + w[1] * w[1] + w[2] * w[2]);
    double stretch = sqrt(root_y / root_z);
    // q of the inner pair: W(w) z.
    double inner = w[1] * z[1] + w[2] * z[2], share = z[0] + inner / (1 + w[0]);
    q[0] = stretch * (w[0] * z[0] + inner);
    q[1] = stretch * (z[1] + share * w[1]);
    q[2] = stretch * (z[2] + share * w[2]);
    double across = v[2] * w[1] - v[1] * w[2], along = (1 + v[0]) * (1 + w[0]) + v[1] * w[1] + v[2] * w[2];
    double over = 1 / (along * along + across * across), cosine = (along * along - across * across) * over,
           sine = 2 * along * across * over;
    double both = v[1] * w[1] + v[2] * w[2], reach = w[0] + both / (1 + v[0]);
    double next[2] = {w[1] + reach * v[1], w[2] + reach * v[2]};
    soc->v[1][c] = next[0];
    soc->v[2][c] = next[1];
    soc->v[0][c] = sqrt(1 + next[0] * next[0] + next[1] * next[1]);
    soc->eta[c] = eta * stretch;
    soc->q[0][c] = q[0];
    soc->q[1][c] = cosine * q[1] - sine * q[2];
    soc->q[2][c] = sine * q[1] + cosine * q[2];
    soc->size[c] = sqrt(root_y * root_z); // det q = root_y root_z
    *is_inside = *is_inside && isfinite(soc->eta[c]) && isfinite(soc->v[0][c]) && soc->size[c] > 0;
}

bool cairn_ipm_soc_move(CairnIpmSoc *soc, double step) {
    bool is_inside = true;
    for (int i = 0; i < 3; i++) { // W dz
        for (int c = 0; c < soc->count; c++) {
            soc->kept_dq[i][c] = soc->g[i][c] - soc->dq[i][c];
        }
    }
    scale_back(soc, soc->kept_dq, soc->from);
    for (int i = 0; i < 3; i++) {
        for (int c = 0; c < soc->count; c++) {
            soc->z[i][c] += step * soc->from[i][c];
        }
    }
    for (int c = 0; c < soc->count; c++) {
        bool is_well;
        move_one(soc, c, step, &is_well);
        is_inside = is_inside && is_well;
    }
    return is_inside;
}
