#include "solvers/linalg/gmres.h"

#include <math.h>

typedef struct Krylov {
    int n, count, most;
    CairnAffine R;
    void *user;
    double *p, *trial, *start; // start: R(p)
    double *V;                 // orthonormal directions, one after the other
    double *H;                 // triangular, its columns `most` + 1 apart
    double *c, *s, *residual;  // rotations, and the residual |R| after each
} Krylov;

static double product(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

// next = (R(p) - R(p + size v)) / size, which is minus R's linear term times v, made orthogonal to the directions so
// far.
static bool make_direction(Krylov *k, double size, double *column) {
    size_t n = (size_t)k->n;
    double *v = k->V + (size_t)k->count * n, *next = v + n;
    for (size_t i = 0; i < n; i++) {
        k->trial[i] = k->p[i] + size * v[i];
    }
    if (!k->R(k->user, k->trial, next)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        next[i] = (k->start[i] - next[i]) / size;
    }
    for (int j = 0; j <= k->count; j++) {
        const double *other = k->V + (size_t)j * n;
        column[j] = product(k->n, next, other);
        for (size_t i = 0; i < n; i++) {
            next[i] -= column[j] * other[i];
        }
    }
    column[k->count + 1] = sqrt(product(k->n, next, next));
    for (size_t i = 0; i < n && column[k->count + 1] > 0; i++) {
        next[i] /= column[k->count + 1];
    }
    return isfinite(column[k->count + 1]);
}

// One more direction, and the rotation that keeps H triangular.
static bool extend(Krylov *k, double size) {
    int at = k->count;
    double *column = k->H + (size_t)at * (size_t)(k->most + 1);
    if (!make_direction(k, size, column)) {
        return false;
    }
    for (int j = 0; j < at; j++) {
        double above = column[j], below = column[j + 1];
        column[j] = k->c[j] * above + k->s[j] * below;
        column[j + 1] = k->c[j] * below - k->s[j] * above;
    }
    double norm = hypot(column[at], column[at + 1]);
    if (!(norm > 0)) {
        return false;
    }
    k->c[at] = column[at] / norm;
    k->s[at] = column[at + 1] / norm;
    column[at] = norm;
    k->residual[at + 1] = -k->s[at] * k->residual[at];
    k->residual[at] *= k->c[at];
    k->count++;
    return true;
}

// Solve H step = residual, then p += V step.
static void move(Krylov *k) {
    for (int i = k->count - 1; i >= 0; i--) {
        double step = k->residual[i];
        for (int j = i + 1; j < k->count; j++) {
            step -= k->H[(size_t)j * (size_t)(k->most + 1) + (size_t)i] * k->residual[j];
        }
        k->residual[i] = step / k->H[(size_t)i * (size_t)(k->most + 1) + (size_t)i];
    }
    for (int j = 0; j < k->count; j++) {
        const double *v = k->V + (size_t)j * (size_t)k->n;
        for (int i = 0; i < k->n; i++) {
            k->p[i] += k->residual[j] * v[i];
        }
    }
}

CairnStatus cairn_gmres(int n, double *p, double fraction, double limit, int most, CairnAffine R, void *user,
                        CairnArena *arena) {
    CairnArenaMark mark = cairn_arena_mark(arena);
    size_t size = (size_t)n, width = (size_t)most + 1;
    Krylov k = {.n = n, .most = most, .R = R, .user = user, .p = p};
    k.trial = CAIRN_PUSH(arena, double, size + 1);
    k.start = CAIRN_PUSH(arena, double, size + 1);
    k.V = CAIRN_PUSH(arena, double, width *size + 1);
    k.H = CAIRN_PUSH(arena, double, width *width);
    k.c = CAIRN_PUSH(arena, double, width);
    k.s = CAIRN_PUSH(arena, double, width);
    k.residual = CAIRN_PUSH(arena, double, width);
    if (!k.trial || !k.start || !k.V || !k.H || !k.c || !k.s || !k.residual) {
        cairn_arena_release(arena, mark);
        return cairn_error(CAIRN_OUT_OF_MEMORY, "gmres: no memory for %d directions of %d", most, n);
    }
    double norm = R(user, p, k.start) ? sqrt(product(n, k.start, k.start)) : 0;
    for (int i = 0; i < n && norm > 0; i++) {
        k.V[i] = k.start[i] / norm;
    }
    k.residual[0] = norm;
    double goal = fmax(fraction * norm, limit);
    while (k.count < most && k.count < n && fabs(k.residual[k.count]) > goal) {
        if (!extend(&k, norm)) {
            break;
        }
    }
    move(&k);
    cairn_arena_release(arena, mark);
    return cairn_ok();
}
