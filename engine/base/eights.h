// Vectors of doubles that the compiler splits where the machine's registers are shorter, so that the bits are the same
// everywhere.
#ifndef CAIRN_SOLVERS_EIGHTS_H
#define CAIRN_SOLVERS_EIGHTS_H

// Eight at a multiple of 64 bytes, four and two at any multiple of 8.
typedef double Eight __attribute__((vector_size(64), may_alias));
typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));
typedef double Two __attribute__((vector_size(16), aligned(8), may_alias));

#define ALWAYS_INLINE static inline __attribute__((always_inline))
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#define UNROLL_KNOWN // where only one use knows the length; clang unrolls it by itself, and warns of the others
#else
#define UNROLL _Pragma("GCC unroll 8")
#define UNROLL_KNOWN UNROLL
#endif

// In halves: four of them, two of these, one. (By a pointer: how a vector is passed by value depends on the machine.)
ALWAYS_INLINE double sum_eight(const Eight *x) {
    Four half = __builtin_shufflevector(*x, *x, 0, 1, 2, 3) + __builtin_shufflevector(*x, *x, 4, 5, 6, 7);
    Two two = __builtin_shufflevector(half, half, 0, 1) + __builtin_shufflevector(half, half, 2, 3);
    return two[0] + two[1];
}

#endif
