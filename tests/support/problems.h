// Problems for the tests of solvers and referee: random ones with every kind of block and row, their matrices made by
// dense algebra that shares nothing with the library, and their answers by enumerating index sets.
#ifndef CAIRN_TESTS_PROBLEMS_H
#define CAIRN_TESTS_PROBLEMS_H

#include "tests/support/support.h"

#include <cairn/problem.h>

enum { PROBLEM_ROWS = 64, PROBLEM_DOFS = 70, PROBLEM_BLOCKS = 10, PROBLEM_CONSTRAINTS = 24, PROBLEM_TERMS = 64 };

// A problem with its arrays; `problem` points into the same struct, so it is filled in place and never copied.
typedef struct TestProblem {
    CairnProblem problem;
    CairnDofBlock blocks[PROBLEM_BLOCKS];
    CairnConstraintBlock constraints[PROBLEM_CONSTRAINTS];
    CairnTerm terms[PROBLEM_TERMS];
    CairnFriction frictions[PROBLEM_CONSTRAINTS];
    double P[PROBLEM_DOFS * PROBLEM_DOFS], p[PROBLEM_DOFS];
    double J[PROBLEM_ROWS * PROBLEM_DOFS];
    double compliance[PROBLEM_ROWS], right_side[PROBLEM_ROWS], lower[PROBLEM_ROWS], upper[PROBLEM_ROWS],
        phi[PROBLEM_ROWS];
    int W_start[PROBLEM_ROWS + 1], W_column[PROBLEM_ROWS * PROBLEM_ROWS];
    double W[PROBLEM_ROWS * PROBLEM_ROWS];
    int P_size, J_size;
} TestProblem;

// Build one up: begin, then blocks, then constraints.
void test_problem_begin(TestProblem *t);
// A block with the given matrix (size x size, in rows). Returns its index.
int test_problem_block(TestProblem *t, int size, const double *P);
int test_problem_full_block(TestProblem *t, uint64_t *seed, int size); // B^T B + 0.3 1
int test_problem_body(TestProblem *t, uint64_t *seed, double mass);    // rigid, with some inertia
// A constraint over the given blocks with random Jacobians; free rows (no bounds), compliance 0, d = 0.
int test_problem_constraint(TestProblem *t, uint64_t *seed, int rows, int blocks, const int *block);
// A contact: 3 + spin_rows rows with a friction group; n has the bounds [0, infinity), the others mu (lever) times
// frozen.
int test_problem_contact(TestProblem *t, uint64_t *seed, CairnFrictionKind kind, int spin_rows, int blocks,
                         const int *block);

// Two to four blocks of sizes 1, 3 and 6 (rigid and full), constraints of 1 to 3 rows over one to three of them, the
// same one twice at times; all kinds of bounds; at most `rows` rows in all.
void test_problem_random(TestProblem *t, uint64_t *seed, int rows);

// Replaces J and P by A: the same problem in form 2.
void test_problem_make_explicit(const TestProblem *dynamics, TestProblem *t);

// A (row_count^2, in rows) and b of a problem of any size by a dense factor of the whole of P, couplings included.
void test_problem_dense(const CairnProblem *problem, double *A, double *b);

// Solve a x = y of size n by elimination with row exchanges; false when singular. `a` (n x n) is destroyed, y becomes
// x.
bool test_solve_dense(int n, double *a, double *y);

// The lambda of l <= lambda <= u complementary to w = A lambda + b, by trying all 3^n index sets. False when none is
// found.
bool test_enumerate(int n, const double *A, const double *b, const double *lower, const double *upper, double *lambda);

#endif
