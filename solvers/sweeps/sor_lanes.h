// Eight lanes at once: functions for visits of contacts (sor_wide.c) and of joints (sor_joints.c). The vectors are
// eight numbers long on every machine, and the compiler splits them where its registers are shorter, so the bits are
// the same everywhere.
#ifndef CAIRN_SOLVERS_SOR_LANES_H
#define CAIRN_SOLVERS_SOR_LANES_H

#include "solvers/sweeps/sor.h"

typedef double Loose __attribute__((vector_size(64), aligned(8), may_alias)); // at any multiple of 8 bytes
typedef long long Mask __attribute__((vector_size(64), may_alias));

// Macros and pointers, for a function's vector argument has no portable calling convention.
#define ALWAYS static inline __attribute__((always_inline))
#define CHOOSE(mask, yes, no) ((SorEight)(((Mask)(yes) & (Mask)(mask)) | ((Mask)(no) & ~(Mask)(mask))))
#define LOW_PAIRS(a, b) __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14)
#define HIGH_PAIRS(a, b) __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15)
// Quarters 0 and 2 of both, 1 and 3 of both.
#define EVEN_QUARTERS(a, b) __builtin_shufflevector(a, b, 0, 1, 4, 5, 8, 9, 12, 13)
#define ODD_QUARTERS(a, b) __builtin_shufflevector(a, b, 2, 3, 6, 7, 10, 11, 14, 15)

// Rows become columns.
ALWAYS void transpose(SorEight t[8]) {
    SorEight p[8], q[8];
    for (int i = 0; i < 8; i += 2) {
        p[i] = LOW_PAIRS(t[i], t[i + 1]);
        p[i + 1] = HIGH_PAIRS(t[i], t[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
        for (int k = 0; k < 2; k++) {
            q[i + k] = EVEN_QUARTERS(p[i + k], p[i + 2 + k]);
            q[i + 2 + k] = ODD_QUARTERS(p[i + k], p[i + 2 + k]);
        }
    }
    for (int i = 0; i < 4; i++) {
        t[i] = EVEN_QUARTERS(q[i], q[i + 4]);
        t[i + 4] = ODD_QUARTERS(q[i], q[i + 4]);
    }
}

ALWAYS void load_bodies(const double *u, const int *index, SorEight t[8]) {
    for (int i = 0; i < SOR_LANES; i++) {
        t[i] = *(const SorEight *)(u + index[i]);
    }
    transpose(t);
}

// Nobody is not written: other threads read it.
ALWAYS void store_bodies(double *u, const int *index, int zero_body, SorEight t[8]) {
    transpose(t);
    for (int i = 0; i < SOR_LANES; i++) {
        if (index[i] != zero_body) {
            *(SorEight *)(u + index[i]) = t[i];
        }
    }
}

// Where visits read the bodies as they were before the sweep (pj), the changes are added to the present numbers in u.
ALWAYS void reload(const SorSystem *system, const int *index, SorEight t[8]) {
    if (system->u_read != system->u) {
        load_bodies(system->u, index, t);
    }
}

ALWAYS void dot(const SorEight *a, const SorEight *b, SorEight *c) {
    *c = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

ALWAYS void size_of(const SorEight *x, SorEight *size) {
    const long long rest = 0x7fffffffffffffff; // but the sign
    const Mask mask = {rest, rest, rest, rest, rest, rest, rest, rest};
    *size = (SorEight)((Mask)*x & mask);
}

ALWAYS void raise_to(SorEight *most, const SorEight *x) {
    *most = CHOOSE(*x > *most, *x, *most);
}

#endif
