#include "solvers/exact/ipm_follow.h"

#include <math.h>
#include <string.h>

#include "solvers/exact/ipm_rows.h"

bool cairn_ipm_follow_init(CairnIpmFollow *follow, CairnCones *cones) {
    enum { ARRAYS = 20 };
    CairnArena *arena = cones->exact.context->arena;
    int rows = cones->exact.problem->row_count;
    *follow = (CairnIpmFollow){.cones = cones};
    for (int i = 0; i < rows; i++) {
        follow->count += cones->normal[i] >= 0;
    }
    size_t room = (size_t)follow->count;
    double *memory = CAIRN_PUSH_ZERO(arena, double, ARRAYS *room + 1);
    follow->row = CAIRN_PUSH(arena, int, room + 1);
    follow->normal = CAIRN_PUSH(arena, int, room + 1);
    if (memory == NULL || follow->row == NULL || follow->normal == NULL) {
        return false;
    }
    double **arrays[] = {&follow->lever,      &follow->widening,   &follow->s[0],          &follow->s[1],
                         &follow->z[0],       &follow->z[1],       &follow->ds[0],         &follow->ds[1],
                         &follow->dz[0],      &follow->dz[1],      &follow->kept[0],       &follow->kept[1],
                         &follow->product[0], &follow->product[1], &follow->kept_widening, &follow->in_use,
                         &follow->over_s[0],  &follow->over_s[1],  &follow->over_z[0],     &follow->over_z[1]};
    for (size_t k = 0; k < ARRAYS; k++, memory += room) {
        *arrays[k] = memory;
    }
    for (int i = 0, k = 0; i < rows; i++) {
        if (cones->normal[i] >= 0) {
            follow->row[k] = i;
            follow->normal[k] = cones->normal[i];
            follow->lever[k++] = cones->lever[i];
        }
    }
    return true;
}

static double bound_of(const CairnIpmFollow *follow, int k) {
    return follow->lever[k] * fmax(0, follow->cones->exact.lambda[follow->normal[k]]);
}

static bool is_held(const CairnIpmFollow *follow, int k) {
    return follow->cones->exact.is_held[follow->row[k]];
}

static void hold(CairnIpmFollow *follow, int k) {
    CairnExact *exact = &follow->cones->exact;
    exact->lambda[follow->row[k]] = 0;
    exact->is_held[follow->row[k]] = true;
    follow->widening[k] = 0;
    for (int side = 0; side < 2; side++) {
        follow->s[side][k] = 1;
        follow->z[side][k] = follow->ds[side][k] = follow->dz[side][k] = follow->product[side][k] = 0;
    }
}

static void release(CairnIpmFollow *follow, int k, double bound, double lambda, double mu) {
    CairnExact *exact = &follow->cones->exact;
    exact->is_held[follow->row[k]] = false;
    exact->lambda[follow->row[k]] = lambda;
    follow->s[0][k] = bound + lambda;
    follow->s[1][k] = bound - lambda;
    for (int side = 0; side < 2; side++) {
        follow->z[side][k] = mu / follow->s[side][k];
        follow->ds[side][k] = follow->dz[side][k] = follow->product[side][k] = 0;
    }
}

// Whether a bound is so small that the certificate cannot resolve `share` of it.
static bool is_nothing(const CairnIpmFollow *follow, int k, double bound, double share) {
    const CairnExact *exact = &follow->cones->exact;
    return !(2 * bound * exact->D[follow->row[k]] > share * exact->target);
}

void cairn_ipm_follow_begin(CairnIpmFollow *follow, double mu, bool is_warm) {
    const CairnExact *exact = &follow->cones->exact;
    follow->active = 0;
    for (int k = 0; k < follow->count; k++) {
        double bound = bound_of(follow, k), D = exact->D[follow->row[k]], lambda = exact->lambda[follow->row[k]];
        if (exact->is_dead[follow->row[k]] || is_nothing(follow, k, bound, 0.1)) {
            hold(follow, k);
            continue;
        }
        double pointed = is_warm ? lambda - exact->w[follow->row[k]] / D : 0;
        double room = fmin(sqrt(mu / D), 0.5 * bound);
        release(follow, k, bound, cairn_clamp(pointed, room - bound, bound - room), mu);
        follow->active++;
    }
}

void cairn_ipm_follow_hold(CairnIpmFollow *follow, double mu, double *wall) {
    const CairnExact *exact = &follow->cones->exact;
    for (int k = 0; k < follow->count; k++) {
        double bound = bound_of(follow, k);
        if (!is_held(follow, k) && is_nothing(follow, k, bound, 0.1)) {
            hold(follow, k);
            follow->active--;
        } else if (is_held(follow, k) && !exact->is_dead[follow->row[k]] && !is_nothing(follow, k, bound, 1)) {
            release(follow, k, bound, 0, mu);
            follow->active++;
        }
        wall[follow->row[k]] = is_held(follow, k) ? (double)INFINITY : 0;
    }
}

void cairn_ipm_follow_weigh(CairnIpmFollow *follow) {
    for (int k = 0; k < follow->count; k++) {
        follow->in_use[k] = is_held(follow, k) ? 0 : 1;
        double theta = 0;
        for (int side = 0; side < 2; side++) {
            double s = follow->s[side][k], z = fmax(follow->z[side][k], 1e-300);
            follow->over_s[side][k] = follow->in_use[k] / s;
            follow->over_z[side][k] = follow->in_use[k] / z;
            theta += z * follow->over_s[side][k];
        }
        if (follow->in_use[k] > 0) {
            follow->cones->exact.theta[follow->row[k]] = fmin(theta, 1e300);
        }
    }
}

double cairn_ipm_follow_sum(const CairnIpmFollow *follow, double step) {
    double sum = 0;
    for (int side = 0; side < 2; side++) { // of held rows z = dz = 0
        for (int k = 0; k < follow->count; k++) {
            sum +=
                (follow->s[side][k] + step * follow->ds[side][k]) * (follow->z[side][k] + step * follow->dz[side][k]);
        }
    }
    return sum;
}

void cairn_ipm_follow_predict(CairnIpmFollow *follow) {
    for (int k = 0; k < follow->count; k++) {
        follow->product[0][k] = -follow->s[0][k] * follow->z[0][k];
        follow->product[1][k] = -follow->s[1][k] * follow->z[1][k];
    }
}

void cairn_ipm_follow_aim(CairnIpmFollow *follow, double mu) {
    for (int side = 0; side < 2; side++) {
        for (int k = 0; k < follow->count; k++) {
            double second = follow->ds[side][k] * follow->dz[side][k];
            double z = follow->z[side][k];
            follow->product[side][k] = z > 0 ? mu - follow->s[side][k] * z - second : 0;
        }
    }
}

void cairn_ipm_follow_take_back(CairnIpmFollow *follow) {
    for (int side = 0; side < 2; side++) {
        double *product = follow->product[side];
        follow->product[side] = follow->kept[side];
        follow->kept[side] = product;
    }
    double *widening = follow->widening;
    follow->widening = follow->kept_widening;
    follow->kept_widening = widening;
}

void cairn_ipm_follow_push(CairnIpmFollow *follow, double mu, double wanted) {
    cairn_ipm_follow_take_back(follow);
    memcpy(follow->widening, follow->kept_widening, (size_t)follow->count * sizeof *follow->widening);
    for (int side = 0; side < 2; side++) {
        for (int k = 0; k < follow->count; k++) {
            double z = follow->z[side][k];
            double ahead = (follow->s[side][k] + wanted * follow->ds[side][k]) * (z + wanted * follow->dz[side][k]);
            follow->product[side][k] = z > 0 ? follow->kept[side][k] + cairn_ipm_push_of(ahead, mu) : 0;
        }
    }
}

// The change of the right side with the widening.
static double stiffness_of(const CairnIpmFollow *follow, int k) {
    return follow->z[1][k] * follow->over_s[1][k] - follow->z[0][k] * follow->over_s[0][k];
}

void cairn_ipm_follow_right_side(const CairnIpmFollow *follow, double *y) {
    for (int k = 0; k < follow->count; k++) {
        y[follow->row[k]] += follow->z[0][k] - follow->z[1][k] + follow->product[0][k] * follow->over_s[0][k] -
                             follow->product[1][k] * follow->over_s[1][k] +
                             stiffness_of(follow, k) * follow->widening[k];
    }
}

double cairn_ipm_follow_adjust(CairnIpmFollow *follow, double *direction) {
    const CairnExact *exact = &follow->cones->exact;
    double off = 0;
    for (int k = 0; k < follow->count; k++) {
        int row = follow->row[k];
        if (follow->in_use[k] > 0) {
            double widening = follow->lever[k] * direction[follow->normal[k]], change = widening - follow->widening[k];
            direction[row] += stiffness_of(follow, k) * change / (exact->D[row] + exact->theta[row]);
            follow->widening[k] = widening;
            off = cairn_ops_larger(off, fabs(change) * fmax(follow->over_s[0][k], follow->over_s[1][k]));
        }
    }
    return off;
}

double cairn_ipm_follow_complete(CairnIpmFollow *follow, const double *direction) {
    double most = 1;
    for (int k = 0; k < follow->count; k++) {
        double d = follow->in_use[k] * direction[follow->row[k]];
        for (int side = 0; side < 2; side++) {
            double over = follow->over_s[side][k], ds = follow->widening[k] + (side == 0 ? d : -d);
            double dz = (follow->product[side][k] - follow->z[side][k] * ds) * over;
            follow->ds[side][k] = ds;
            follow->dz[side][k] = dz;
            most = cairn_ops_larger(most, cairn_ops_larger(-ds * over, -dz * follow->over_z[side][k]));
        }
    }
    return 1 / most;
}

void cairn_ipm_follow_move(CairnIpmFollow *follow, double step) {
    for (int side = 0; side < 2; side++) {
        for (int k = 0; k < follow->count; k++) {
            follow->s[side][k] = fmax(follow->s[side][k] + step * follow->ds[side][k], 1e-300);
            follow->z[side][k] = fmax(follow->z[side][k] + step * follow->dz[side][k], 0);
        }
    }
    for (int k = 0; k < follow->count; k++) {
        follow->widening[k] = 0;
    }
}
