// Problem operations: products with P^-1, J and A, for solvers and the engine. Matrix-free, O(entries of J).
//
// P's diagonal blocks are factored as L L^T. For a rigid body's block (6x6, linear block a mass, no linear-angular
// coupling) only 1/sqrt(m) and the 3x3 factor of its inertia are stored: ten numbers instead of thirty-six.
#ifndef CAIRN_SOLVERS_PROBLEM_OPS_H
#define CAIRN_SOLVERS_PROBLEM_OPS_H

#include <cairn/problem.h>
#include <limits.h>
#include <math.h>

#include "engine/base/arena.h"

enum { CAIRN_OPS_UNIT = INT_MAX }; // the offset of a block that is 1: it has no factor

typedef struct CairnOps {
    const CairnProblem *problem;
    const int *offset; // block -> its factor; negative (~offset): a rigid body's
    const double *factor;
} CairnOps;

// Factor P into the arena. CAIRN_UNSUPPORTED where P has off-diagonal blocks, CAIRN_NUMERIC where a block is not
// positive definite. Of an explicit problem nothing is factored.
CairnStatus cairn_ops_init(CairnOps *ops, const CairnProblem *problem, CairnArena *arena);

// x = L^-1 x and x = L^-T x for the dofs of one block, in place.
void cairn_ops_forward(const CairnOps *ops, int block, double *x);
void cairn_ops_backward(const CairnOps *ops, int block, double *x);

// x = P^-1 x over all dofs, in place.
void cairn_ops_solve(const CairnOps *ops, double *x);

// v = P^-1 (p + J^T lambda); lambda NULL stands for zero. Dynamics only.
void cairn_ops_velocity(const CairnOps *ops, const double *lambda, double *v);

// y += J^T lambda, and y = J v. Dynamics only.
void cairn_ops_add_impulse(const CairnProblem *problem, const double *lambda, double *y);
void cairn_ops_jacobian(const CairnProblem *problem, const double *v, double *y);

// J v of one row of a constraint.
static inline double cairn_ops_row_velocity(const CairnProblem *problem, const CairnConstraintBlock *constraint, int i,
                                            const double *v) {
    double sum = 0;
    for (int t = 0; t < constraint->term_count; t++) {
        const CairnTerm *term = &problem->terms[constraint->first_term + t];
        int size = problem->blocks[term->block].size;
        double room[6];
        const double *J = cairn_term_row(problem, term, i, room);
        const double *x_block = v + problem->blocks[term->block].first;
        for (int k = 0; k < size; k++) {
            sum += J[k] * x_block[k];
        }
    }
    return sum;
}

// The larger of two, NaN where either is NaN: fmax would lose it, and a comparison alone would lose that of `largest`.
static inline double cairn_ops_larger(double largest, double next) {
    return next <= largest || isnan(largest) ? largest : next;
}

// b = J P^-1 p + d (explicit: the given b). v: dof_count doubles of scratch.
void cairn_ops_right_side(const CairnOps *ops, double *v, double *b);

// w = A lambda + b. v: dof_count doubles; on return the velocities that lambda makes.
void cairn_ops_slack(const CairnOps *ops, const double *lambda, double *v, double *w);

// D = diag(A).
void cairn_ops_diagonal(const CairnOps *ops, double *D);

// The impulses that a solver of this name is to start from are numbers.
CairnStatus cairn_ops_check_start(const char *solver, const CairnProblem *problem, const double *lambda);

#endif
