#include "solvers/problem/problem_ops.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "solvers/problem/dense.h"

enum { RIGID_SIZE = 7 }; // 1/sqrt(m), then the inertia's L in rows, lower half, reciprocals on its diagonal

// m 1 and zeros, to the last bit, as an assembler writes them. The lower half decides.
static bool is_rigid(const double *P) {
    return P[0] == P[7] && P[0] == P[14] && P[6] == 0 && P[12] == 0 && P[13] == 0 && P[18] == 0 && P[19] == 0 &&
           P[20] == 0 && P[24] == 0 && P[25] == 0 && P[26] == 0 && P[30] == 0 && P[31] == 0 && P[32] == 0;
}

// P = 1, as the interfaces of substructured solves have it.
static bool is_unit(int n, const double *P) {
    for (int i = 0; i < n * n; i++) {
        if (P[i] != (i % (n + 1) == 0 ? 1.0 : 0.0)) {
            return false;
        }
    }
    return true;
}

// 1/sqrt(pivot), or 0 where the pivot is negative, NaN, or noise beside the diagonal entry.
static double root_of(double pivot, double diagonal) {
    return pivot > 3 * DBL_EPSILON * diagonal ? 1.0 / sqrt(pivot) : 0;
}

static bool factor_rigid(const double *P, double *f) {
    f[0] = root_of(P[0], 0);
    f[1] = root_of(P[21], 0);
    f[2] = P[27] * f[1];
    f[3] = root_of(P[28] - f[2] * f[2], P[28]);
    f[4] = P[33] * f[1];
    f[5] = (P[34] - f[4] * f[2]) * f[3];
    f[6] = root_of(P[35] - f[4] * f[4] - f[5] * f[5], P[35]);
    return f[0] > 0 && f[1] > 0 && f[3] > 0 && f[6] > 0;
}

// Blocks that follow one another often share a matrix: balls do.
static bool is_as_before(const CairnProblem *problem, int block) {
    const CairnDofBlock *blocks = problem->blocks;
    return block > 0 && blocks[block].matrix == blocks[block - 1].matrix &&
           blocks[block].size == blocks[block - 1].size;
}

static CairnStatus factor_blocks(const CairnProblem *problem, int *offset, double *factor) {
    int next = 0;
    for (int i = 0; i < problem->block_count; i++) {
        const CairnDofBlock *block = &problem->blocks[i];
        const double *P = problem->P + block->matrix;
        bool is_good;
        if (is_as_before(problem, i)) {
            offset[i] = offset[i - 1];
            continue;
        }
        if (block->size == 6 && is_rigid(P)) {
            offset[i] = ~next;
            is_good = factor_rigid(P, factor + next);
            next += RIGID_SIZE;
        } else if (is_unit(block->size, P)) {
            offset[i] = CAIRN_OPS_UNIT;
            is_good = true;
        } else {
            offset[i] = next;
            is_good = cairn_dense_cholesky(block->size, P, factor + next) < 0;
            next += block->size * block->size;
        }
        if (!is_good) {
            return cairn_error(CAIRN_NUMERIC, "problem: P is not positive definite in block %d", i);
        }
    }
    return cairn_ok();
}

CairnStatus cairn_ops_init(CairnOps *ops, const CairnProblem *problem, CairnArena *arena) {
    *ops = (CairnOps){.problem = problem};
    if (problem->form == CAIRN_FORM_EXPLICIT || problem->block_count == 0) {
        return cairn_ok();
    }
    if (problem->coupling_count > 0) {
        return cairn_error(CAIRN_UNSUPPORTED,
                           "problem operations do not take off-diagonal blocks of P: coupling_count = %d",
                           problem->coupling_count);
    }
    size_t size = 0;
    for (int i = 0; i < problem->block_count; i++) {
        size_t n = is_as_before(problem, i) ? 0 : (size_t)problem->blocks[i].size;
        size += n == 6 && is_rigid(problem->P + problem->blocks[i].matrix) ? RIGID_SIZE : n * n;
    }
    int *offset = CAIRN_PUSH(arena, int, problem->block_count);
    double *factor = CAIRN_PUSH(arena, double, size);
    if (!offset || !factor) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "problem operations: no memory for the factors of %d blocks",
                           problem->block_count);
    }
    CAIRN_TRY(factor_blocks(problem, offset, factor));
    ops->offset = offset;
    ops->factor = factor;
    return cairn_ok();
}

static inline void forward_rigid(const double *f, double *x) {
    x[0] *= f[0];
    x[1] *= f[0];
    x[2] *= f[0];
    x[3] *= f[1];
    x[4] = (x[4] - f[2] * x[3]) * f[3];
    x[5] = (x[5] - f[4] * x[3] - f[5] * x[4]) * f[6];
}

void cairn_ops_forward(const CairnOps *ops, int block, double *x) {
    int offset = ops->offset[block];
    if (offset == CAIRN_OPS_UNIT) {
        return;
    }
    if (offset >= 0) {
        cairn_dense_forward(ops->problem->blocks[block].size, ops->factor + offset, x);
        return;
    }
    forward_rigid(ops->factor + ~offset, x);
}

void cairn_ops_backward(const CairnOps *ops, int block, double *x) {
    int offset = ops->offset[block];
    if (offset == CAIRN_OPS_UNIT) {
        return;
    }
    if (offset >= 0) {
        cairn_dense_backward(ops->problem->blocks[block].size, ops->factor + offset, x);
        return;
    }
    const double *f = ops->factor + ~offset;
    x[0] *= f[0];
    x[1] *= f[0];
    x[2] *= f[0];
    x[5] *= f[6];
    x[4] = (x[4] - f[5] * x[5]) * f[3];
    x[3] = (x[3] - f[2] * x[4] - f[4] * x[5]) * f[1];
}

void cairn_ops_solve(const CairnOps *ops, double *x) {
    for (int i = 0; i < ops->problem->block_count; i++) {
        double *x_block = x + ops->problem->blocks[i].first;
        cairn_ops_forward(ops, i, x_block);
        cairn_ops_backward(ops, i, x_block);
    }
}

void cairn_ops_add_impulse(const CairnProblem *problem, const double *lambda, double *y) {
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *constraint = &problem->constraints[c];
        for (int t = 0; t < constraint->term_count; t++) {
            const CairnTerm *term = &problem->terms[constraint->first_term + t];
            int size = problem->blocks[term->block].size;
            double room[6 * CAIRN_FRAME_ROWS];
            const double *J = cairn_term_rows(problem, term, constraint->row_count, room);
            double *x_block = y + problem->blocks[term->block].first;
            for (int i = 0; i < constraint->row_count; i++) {
                double impulse = lambda[constraint->first_row + i];
                for (int k = 0; k < size; k++) {
                    x_block[k] += J[i * size + k] * impulse;
                }
            }
        }
    }
}

void cairn_ops_jacobian(const CairnProblem *problem, const double *v, double *y) {
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *constraint = &problem->constraints[c];
        for (int i = 0; i < constraint->row_count; i++) {
            y[constraint->first_row + i] = cairn_ops_row_velocity(problem, constraint, i, v);
        }
    }
}

void cairn_ops_velocity(const CairnOps *ops, const double *lambda, double *v) {
    if (ops->problem->dof_count > 0) {
        memcpy(v, ops->problem->p, (size_t)ops->problem->dof_count * sizeof *v);
    }
    if (lambda) {
        cairn_ops_add_impulse(ops->problem, lambda, v);
    }
    cairn_ops_solve(ops, v);
}

void cairn_ops_right_side(const CairnOps *ops, double *v, double *b) {
    const CairnProblem *problem = ops->problem;
    if (problem->form == CAIRN_FORM_EXPLICIT) {
        for (int i = 0; i < problem->row_count; i++) {
            b[i] = problem->right_side[i];
        }
        return;
    }
    cairn_ops_velocity(ops, NULL, v);
    cairn_ops_jacobian(problem, v, b);
    for (int i = 0; i < problem->row_count; i++) {
        b[i] += problem->right_side[i];
    }
}

void cairn_ops_slack(const CairnOps *ops, const double *lambda, double *v, double *w) {
    const CairnProblem *problem = ops->problem;
    if (problem->form == CAIRN_FORM_EXPLICIT) {
        for (int i = 0; i < problem->row_count; i++) {
            w[i] = problem->right_side[i];
            for (int k = problem->W_start[i]; k < problem->W_start[i + 1]; k++) {
                w[i] += problem->W[k] * lambda[problem->W_column[k]];
            }
        }
        return;
    }
    cairn_ops_velocity(ops, lambda, v);
    cairn_ops_jacobian(problem, v, w);
    for (int i = 0; i < problem->row_count; i++) {
        w[i] += problem->compliance[i] * lambda[i] + problem->right_side[i];
    }
}

// |L^-1 J_i^T|^2 over one block; a block that several terms of the constraint name counts with the sum of their
// Jacobians.
static double row_weight(const CairnOps *ops, const CairnConstraintBlock *constraint, int row, int term) {
    const CairnProblem *problem = ops->problem;
    const CairnTerm *terms = problem->terms + constraint->first_term;
    int block = terms[term].block, size = problem->blocks[block].size;
    for (int t = 0; t < term; t++) {
        if (terms[t].block == block) {
            return 0; // counted with the first of them
        }
    }
    double x[CAIRN_BLOCK_LIMIT] = {0};
    for (int t = term; t < constraint->term_count; t++) {
        double room[6];
        const double *J = cairn_term_row(problem, &terms[t], row, room);
        for (int k = 0; k < size && terms[t].block == block; k++) {
            x[k] += J[k];
        }
    }
    cairn_ops_forward(ops, block, x);
    double sum = 0;
    for (int k = 0; k < size; k++) {
        sum += x[k] * x[k];
    }
    return sum;
}

// Nearly all constraints hold one or two rigid bodies.
static bool is_over_rigid(const CairnOps *ops, const CairnConstraintBlock *constraint) {
    const CairnTerm *terms = ops->problem->terms + constraint->first_term;
    int count = constraint->term_count;
    for (int t = 0; t < count; t++) {
        if (ops->offset[terms[t].block] >= 0) {
            return false;
        }
    }
    return count == 1 || (count == 2 && terms[0].block != terms[1].block);
}

// Of those: row_weight's sums in its order, without a call a row.
static void add_rigid_weights(const CairnOps *ops, const CairnConstraintBlock *constraint, double *D) {
    for (int t = 0; t < constraint->term_count; t++) {
        const CairnTerm *term = &ops->problem->terms[constraint->first_term + t];
        const double *f = ops->factor + ~ops->offset[term->block];
        double room[6 * CAIRN_FRAME_ROWS];
        const double *J = cairn_term_rows(ops->problem, term, constraint->row_count, room);
        for (int i = 0; i < constraint->row_count; i++, J += 6) {
            double x[6], sum = 0;
            memcpy(x, J, sizeof x);
            forward_rigid(f, x);
            for (int k = 0; k < 6; k++) {
                sum += x[k] * x[k];
            }
            D[i] += sum;
        }
    }
}

void cairn_ops_diagonal(const CairnOps *ops, double *D) {
    const CairnProblem *problem = ops->problem;
    if (problem->form == CAIRN_FORM_EXPLICIT) {
        for (int i = 0; i < problem->row_count; i++) {
            D[i] = 0;
            for (int k = problem->W_start[i]; k < problem->W_start[i + 1]; k++) {
                D[i] += problem->W_column[k] == i ? problem->W[k] : 0;
            }
        }
        return;
    }
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *constraint = &problem->constraints[c];
        if (is_over_rigid(ops, constraint)) {
            memcpy(D + constraint->first_row, problem->compliance + constraint->first_row,
                   (size_t)constraint->row_count * sizeof *D);
            add_rigid_weights(ops, constraint, D + constraint->first_row);
            continue;
        }
        for (int i = 0; i < constraint->row_count; i++) {
            double sum = problem->compliance[constraint->first_row + i];
            for (int t = 0; t < constraint->term_count; t++) {
                sum += row_weight(ops, constraint, i, t);
            }
            D[constraint->first_row + i] = sum;
        }
    }
}

CairnStatus cairn_ops_check_start(const char *solver, const CairnProblem *problem, const double *lambda) {
    for (int i = 0; i < problem->row_count; i++) {
        if (!isfinite(lambda[i])) {
            return cairn_error(CAIRN_INVALID_ARGUMENT, "%s: lambda[%d] = %g is not finite", solver, i, lambda[i]);
        }
    }
    return cairn_ok();
}
