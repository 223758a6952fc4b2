// The sections of bench_exact that stand alone. Each prints its table and its member of the JSON object, and returns
// false where it could not.
#ifndef CAIRN_BENCH_EXACT_SECTIONS_H
#define CAIRN_BENCH_EXACT_SECTIONS_H

#include <cairn/problem_file.h>
#include <stdio.h>

// Gflop/s of this machine's dgemm, one thread; 0 without OpenBLAS.
double bench_dgemm(void);

// One factorization and one solve of the frame's final free set, in every formulation.
bool bench_exact_factors(const CairnStoredProblem *frame, double dgemm, FILE *file, FILE *json);

// Time per link of chains of 100 to 10,000 links.
bool bench_exact_chains(FILE *file, FILE *json);

// The tower and a heavy chain in this engine and others.
bool bench_exact_engines(FILE *file, FILE *json);

#endif
