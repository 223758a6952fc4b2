#include "solvers/anderson.h"

#include <math.h>
#include <string.h>

static double product(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

CairnStatus cairn_anderson_init(CairnAnderson *anderson, int n, CairnArena *arena) {
    *anderson = (CairnAnderson){.n = n};
    anderson->p = CAIRN_PUSH(arena, double, n + 1);
    anderson->F = CAIRN_PUSH(arena, double, n + 1);
    bool is_made = anderson->p && anderson->F;
    for (int k = 0; k < CAIRN_ANDERSON_DEPTH; k++) {
        anderson->dp[k] = CAIRN_PUSH(arena, double, n + 1);
        anderson->dF[k] = CAIRN_PUSH(arena, double, n + 1);
        anderson->q[k] = CAIRN_PUSH(arena, double, n + 1);
        is_made = is_made && anderson->dp[k] && anderson->dF[k] && anderson->q[k];
    }
    return is_made ? cairn_ok() : cairn_error(CAIRN_OUT_OF_MEMORY, "fixed point: no memory for %d parameters", n);
}

// The oldest difference makes room for the one between the last call and this one.
static void take_difference(CairnAnderson *anderson, const double *p, const double *G) {
    if (anderson->count == CAIRN_ANDERSON_DEPTH) {
        double *oldest_p = anderson->dp[0], *oldest_F = anderson->dF[0];
        for (int k = 1; k < CAIRN_ANDERSON_DEPTH; k++) {
            anderson->dp[k - 1] = anderson->dp[k];
            anderson->dF[k - 1] = anderson->dF[k];
        }
        anderson->count--;
        anderson->dp[anderson->count] = oldest_p;
        anderson->dF[anderson->count] = oldest_F;
    }
    for (int i = 0; i < anderson->n; i++) {
        anderson->dp[anderson->count][i] = p[i] - anderson->p[i];
        anderson->dF[anderson->count][i] = G[i] - p[i] - anderson->F[i];
    }
    anderson->count++;
}

void cairn_anderson_next(CairnAnderson *anderson, double *p, const double *G) {
    static const double dependent = 1e-8; // what is left of a difference when others are taken out of it
    int n = anderson->n;
    if (anderson->has_last) {
        take_difference(anderson, p, G);
    }
    anderson->has_last = true;
    for (int i = 0; i < n; i++) {
        anderson->p[i] = p[i];
        anderson->F[i] = G[i] - p[i];
        p[i] = G[i];
    }
    // The newest difference first: what depends on newer ones is left out. R gamma = Q^T F.
    double R[CAIRN_ANDERSON_DEPTH][CAIRN_ANDERSON_DEPTH], gamma[CAIRN_ANDERSON_DEPTH];
    int used[CAIRN_ANDERSON_DEPTH], rank = 0;
    for (int k = anderson->count - 1; k >= 0; k--) {
        double *q = anderson->q[rank];
        memcpy(q, anderson->dF[k], (size_t)n * sizeof *q);
        double size = sqrt(product(n, q, q));
        for (int j = 0; j < rank; j++) {
            R[j][rank] = product(n, q, anderson->q[j]);
            for (int i = 0; i < n; i++) {
                q[i] -= R[j][rank] * anderson->q[j][i];
            }
        }
        R[rank][rank] = sqrt(product(n, q, q));
        if (!(R[rank][rank] > dependent * size)) {
            continue;
        }
        for (int i = 0; i < n; i++) {
            q[i] /= R[rank][rank];
        }
        gamma[rank] = product(n, q, anderson->F);
        used[rank++] = k;
    }
    for (int k = rank - 1; k >= 0; k--) {
        for (int j = k + 1; j < rank; j++) {
            gamma[k] -= R[k][j] * gamma[j];
        }
        gamma[k] /= R[k][k];
        for (int i = 0; i < n; i++) {
            p[i] -= gamma[k] * (anderson->dp[used[k]][i] + anderson->dF[used[k]][i]);
        }
    }
}
