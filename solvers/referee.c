#include "solvers/referee.h"

#include <float.h>
#include <math.h>
#include <string.h>

// R = L^-1 of a block P = L L^T, by columns from the diagonal down, so that P^-1 = R^T R. False where P is not positive definite.
static inline bool factor_of(int n, const double *P, double *R) {
    double L[CAIRN_BLOCK_LIMIT * CAIRN_BLOCK_LIMIT];
    memcpy(L, P, (size_t)(n * n) * sizeof *L);
    for (int k = 0; k < n; k++) { // by columns' outer products
        if (!(L[k * n + k] > n * DBL_EPSILON * P[k * n + k])) {
            return false;
        }
        double inverse = 1 / sqrt(L[k * n + k]);
        for (int i = k; i < n; i++) {
            L[i * n + k] *= inverse;
        }
        for (int j = k + 1; j < n; j++) {
            for (int i = j; i < n; i++) {
                L[i * n + j] -= L[i * n + k] * L[j * n + k];
            }
        }
    }
    for (int k = 0; k < n; R += n - k, k++) { // column k solves L x = e_k
        for (int i = k; i < n; i++) {
            double sum = i == k ? 1 : 0;
            for (int j = k; j < i; j++) {
                sum -= L[i * n + j] * R[j - k];
            }
            R[i - k] = sum / L[i * n + i];
        }
    }
    return true;
}

static bool factor_block(int n, const double *P, double *R) {
    return n == 6 ? factor_of(6, P, R) : factor_of(n, P, R); // as in multiply
}

static inline void multiply_of(int n, const double *R, const double *x, double *y) {
    for (int i = 0; i < n; i++) {
        double sum = 0; // each by itself: through memory they would wait for one another
        for (int k = 0; k <= i; k++) {
            sum += R[k * n - k * (k - 1) / 2 + i - k] * x[k];
        }
        y[i] = sum;
    }
}

// y = R x. A rigid body's size as a constant lets the compiler unroll it.
static void multiply(int n, const double *R, const double *x, double *y) {
    if (n == 6) {
        multiply_of(6, R, x, y);
    } else {
        multiply_of(n, R, x, y);
    }
}

// The rows of a term where they are those of a contact's frame, by its definition in problem.h; else where they lie in J.
static const double *rows_of(const CairnProblem *problem, const CairnTerm *term, int row_count, double room[18]) {
    if (term->jacobian >= 0) {
        return problem->J + term->jacobian;
    }
    int place = ~term->jacobian;
    const CairnContactFrame *f =
        (const void *)((const char *)problem->frames + problem->frame_stride * (size_t)(place / 2));
    CairnVec3 n = f->normal, t = f->tangent, arm = f->arm[place % 2];
    double side = place % 2 == 0 ? -1 : 1;
    const double axes[3][3] = {
        {n.x, n.y, n.z}, {t.x, t.y, t.z}, {n.y * t.z - n.z * t.y, n.z * t.x - n.x * t.z, n.x * t.y - n.y * t.x}};
    for (int r = 0; r < row_count; r++) {
        const double *e = axes[r];
        double *row = room + 6 * r;
        row[0] = side * e[0];
        row[1] = side * e[1];
        row[2] = side * e[2];
        row[3] = side * (arm.y * e[2] - arm.z * e[1]);
        row[4] = side * (arm.z * e[0] - arm.x * e[2]);
        row[5] = side * (arm.x * e[1] - arm.y * e[0]);
    }
    return room;
}

enum { WORTH_THREADS = 512 }; // constraints: fewer are done before another thread wakes

// y = J v + d (+ C lambda), row by row. Every row belongs to one constraint.
static void apply_rows(const Referee *referee, const double *v, const double *lambda, double *y) {
    const CairnProblem *problem = referee->problem;
#pragma omp parallel for num_threads(referee->threads) if (referee->threads > 1 &&                                     \
                                                           problem->constraint_count > WORTH_THREADS) schedule(static)
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *constraint = problem->constraints + c;
        for (int r = constraint->first_row; r < constraint->first_row + constraint->row_count; r++) {
            y[r] = problem->right_side[r] + (lambda ? problem->compliance[r] * lambda[r] : 0);
        }
        for (int t = constraint->first_term; t < constraint->first_term + constraint->term_count; t++) {
            CairnDofBlock block = problem->blocks[problem->terms[t].block];
            double room[18];
            const double *entry = rows_of(problem, &problem->terms[t], constraint->row_count, room);
            for (int r = constraint->first_row; r < constraint->first_row + constraint->row_count; r++) {
                double sum = 0;
                for (int k = block.first; k < block.first + block.size; k++) {
                    sum += *entry++ * v[k];
                }
                y[r] += sum;
            }
        }
    }
}

// v += J^T lambda
static void apply_transpose(const CairnProblem *problem, const double *lambda, double *v) {
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *constraint = problem->constraints + c;
        for (int t = constraint->first_term; t < constraint->first_term + constraint->term_count; t++) {
            CairnDofBlock block = problem->blocks[problem->terms[t].block];
            double room[18];
            const double *entry = rows_of(problem, &problem->terms[t], constraint->row_count, room);
            for (int r = constraint->first_row; r < constraint->first_row + constraint->row_count; r++) {
                for (int k = block.first; k < block.first + block.size; k++) {
                    v[k] += *entry++ * lambda[r];
                }
            }
        }
    }
}

// v = R^T R v
static void solve_dofs(const CairnProblem *problem, const double *factors, const size_t *place, double *v) {
    for (int b = 0; b < problem->block_count; b++) {
        CairnDofBlock block = problem->blocks[b];
        const double *R = factors + place[b];
        double y[CAIRN_BLOCK_LIMIT];
        multiply(block.size, R, v + block.first, y);
        for (int k = 0; k < block.size; R += block.size - k, k++) {
            double sum = 0;
            for (int i = k; i < block.size; i++) {
                sum += R[i - k] * y[i];
            }
            v[block.first + k] = sum;
        }
    }
}

// The rows J of the terms of one constraint on one dof block, summed into `sum`; false: a term before `first` has had them.
static bool sum_rows(const CairnProblem *problem, const CairnConstraintBlock *constraint, int first, double *sum) {
    const CairnTerm *terms = problem->terms + constraint->first_term;
    int block = terms[first].block, count = constraint->row_count * problem->blocks[block].size;
    double room[18];
    for (int t = 0; t < first; t++) {
        if (terms[t].block == block) {
            return false;
        }
    }
    memcpy(sum, rows_of(problem, &terms[first], constraint->row_count, room), (size_t)count * sizeof *sum);
    for (int t = first + 1; t < constraint->term_count; t++) {
        const double *more = terms[t].block == block ? rows_of(problem, &terms[t], constraint->row_count, room) : NULL;
        for (int k = 0; k < count && more != NULL; k++) {
            sum[k] += more[k];
        }
    }
    return true;
}

// Rows y_i = R J_i^T in place of J_i: what they add to D, and those of a contact to its block: A_ij = y_i . y_j.
static inline void add_block_of(int n, int rows, const double *R, double *J, double *D, const double *contact_rows,
                                double contact[3][3]) {
    for (int i = 0; i < rows; i++, J += n) {
        double y[CAIRN_BLOCK_LIMIT], sum = D[i]; // not through memory: each would wait for the one before
        multiply_of(n, R, J, y);
        for (int k = 0; k < n; k++) {
            J[k] = y[k];
            sum += y[k] * y[k];
        }
        D[i] = sum;
    }
    for (int i = 0; i < 3 && contact_rows != NULL; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++) {
                sum += contact_rows[i * n + k] * contact_rows[j * n + k];
            }
            contact[i][j] += sum;
            contact[j][i] = contact[i][j];
        }
    }
}

// D of a constraint's rows, and the norm of its contact block. `y` has room for the widest rows.
static void weigh_constraint(Referee *referee, int c, const double *factors, const size_t *place, double *y) {
    const CairnProblem *problem = referee->problem;
    const CairnConstraintBlock *constraint = problem->constraints + c;
    int rows = constraint->row_count, friction = constraint->friction;
    int normal = friction >= 0 ? problem->frictions[friction].normal - constraint->first_row : 0;
    double contact[3][3] = {{0}}, *D = referee->D + constraint->first_row;
    for (int i = 0; i < 3 && friction >= 0; i++) {
        contact[i][i] = problem->compliance[constraint->first_row + normal + i];
    }
    for (int t = 0; t < constraint->term_count; t++) {
        int block = problem->terms[constraint->first_term + t].block, size = problem->blocks[block].size;
        const double *R = factors + place[block], *contact_rows = friction >= 0 ? y + normal * size : NULL;
        if (!sum_rows(problem, constraint, t, y)) {
            continue;
        }
        if (size == 6) { // as in multiply
            add_block_of(6, rows, R, y, D, contact_rows, contact);
        } else {
            add_block_of(size, rows, R, y, D, contact_rows, contact);
        }
    }
    if (friction >= 0) {
        referee->norm[friction] = cairn_referee_block_norm(contact);
    }
}

static size_t factor_size(int n) {
    return (size_t)(n * (n + 1) / 2);
}

// A matrix that the block before has too is factored once.
static bool has_factor(const CairnProblem *problem, int i) {
    return i > 0 && problem->blocks[i].matrix == problem->blocks[i - 1].matrix &&
           problem->blocks[i].size == problem->blocks[i - 1].size;
}

static CairnStatus factor_dofs(const CairnProblem *problem, CairnArena *arena, double **factors, size_t **place) {
    size_t size = 0;
    *place = CAIRN_PUSH(arena, size_t, problem->block_count + 1);
    for (int i = 0; i < problem->block_count; i++) {
        size += has_factor(problem, i) ? 0 : factor_size(problem->blocks[i].size);
    }
    *factors = CAIRN_PUSH(arena, double, size + 1);
    if (!*place || !*factors) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "residual: no memory for the factors of %d blocks",
                           problem->block_count);
    }
    size = 0;
    for (int i = 0; i < problem->block_count; i++) {
        CairnDofBlock block = problem->blocks[i];
        if (has_factor(problem, i)) {
            (*place)[i] = (*place)[i - 1];
            continue;
        }
        (*place)[i] = size;
        if (!factor_block(block.size, problem->P + block.matrix, *factors + size)) {
            return cairn_error(CAIRN_NUMERIC, "residual: P is not positive definite in block %d", i);
        }
        size += factor_size(block.size);
    }
    return cairn_ok();
}

// Doubles that the rows y of one constraint take at most.
static size_t widest_constraint(const CairnProblem *problem) {
    size_t widest = 1;
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *constraint = problem->constraints + c;
        for (int t = 0; t < constraint->term_count; t++) {
            size_t size = (size_t)problem->blocks[problem->terms[constraint->first_term + t].block].size;
            size *= (size_t)constraint->row_count;
            widest = size > widest ? size : widest;
        }
    }
    return widest;
}

// Every constraint has its own rows and its own friction group. Piece by piece, each with a part of y.
static void weigh(Referee *referee, const double *factors, const size_t *place, double *y, size_t widest) {
    int count = referee->problem->constraint_count, threads = count > WORTH_THREADS ? referee->threads : 1;
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(static)
    for (int k = 0; k < threads; k++) {
        for (int c = (int)((long)count * k / threads); c < (int)((long)count * (k + 1) / threads); c++) {
            weigh_constraint(referee, c, factors, place, y + widest * (size_t)k);
        }
    }
}

static CairnStatus evaluate_dynamics(Referee *referee, CairnArena *arena) {
    const CairnProblem *problem = referee->problem;
    if (problem->coupling_count > 0) {
        return cairn_error(CAIRN_UNSUPPORTED, "residual: does not take off-diagonal blocks of P: coupling_count = %d",
                           problem->coupling_count);
    }
    if (problem->row_count == 0) { // nothing to judge, whatever P is
        return cairn_ok();
    }
    double *factors;
    size_t *place;
    CAIRN_TRY(factor_dofs(problem, arena, &factors, &place));
    double *v = CAIRN_PUSH(arena, double, problem->dof_count + 1);
    size_t widest = widest_constraint(problem);
    double *y = CAIRN_PUSH(arena, double, widest *(size_t)referee->threads); // of each thread
    if (!v || !y) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "residual: no memory for %d dofs", problem->dof_count);
    }
    size_t bytes = (size_t)problem->dof_count * sizeof *v;
    if (bytes > 0) {
        memcpy(v, problem->p, bytes);
    }
    solve_dofs(problem, factors, place, v);
    apply_rows(referee, v, NULL, referee->b);
    if (bytes > 0) {
        memcpy(v, problem->p, bytes);
    }
    apply_transpose(problem, referee->lambda, v);
    solve_dofs(problem, factors, place, v);
    apply_rows(referee, v, referee->lambda, referee->w);
    for (int r = 0; r < problem->row_count; r++) {
        referee->D[r] = problem->compliance[r];
    }
    weigh(referee, factors, place, y, widest);
    return cairn_ok();
}

static void evaluate_explicit(Referee *referee) {
    const CairnProblem *problem = referee->problem;
    for (int r = 0; r < problem->row_count; r++) {
        referee->b[r] = referee->w[r] = problem->right_side[r];
        referee->D[r] = 0;
        for (int k = problem->W_start[r]; k < problem->W_start[r + 1]; k++) {
            referee->w[r] += problem->W[k] * referee->lambda[problem->W_column[k]];
            if (problem->W_column[k] == r) {
                referee->D[r] += problem->W[k];
            }
        }
    }
    for (int f = 0; f < problem->friction_count; f++) {
        int normal = problem->frictions[f].normal;
        double contact[3][3] = {{0}};
        for (int i = 0; i < 3; i++) {
            for (int k = problem->W_start[normal + i]; k < problem->W_start[normal + i + 1]; k++) {
                int j = problem->W_column[k] - normal;
                if (j >= 0 && j < 3) {
                    contact[i][j] += problem->W[k];
                }
            }
        }
        referee->norm[f] = cairn_referee_block_norm(contact);
    }
}

CairnStatus cairn_referee_evaluate(Referee *referee, CairnArena *arena) {
    const CairnProblem *problem = referee->problem;
    int rows = problem->row_count;
    referee->w = CAIRN_PUSH(arena, double, rows + 1);
    referee->b = CAIRN_PUSH(arena, double, rows + 1);
    referee->D = CAIRN_PUSH(arena, double, rows + 1);
    referee->norm = CAIRN_PUSH(arena, double, problem->friction_count + 1);
    if (!referee->w || !referee->b || !referee->D || !referee->norm) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "residual: no memory for %d rows", rows);
    }
    if (problem->form == CAIRN_FORM_EXPLICIT) {
        evaluate_explicit(referee);
    } else {
        CAIRN_TRY(evaluate_dynamics(referee, arena));
    }
    for (int r = 0; r < rows; r++) {
        if (!isfinite(referee->w[r]) || !isfinite(referee->b[r]) || !isfinite(referee->D[r])) {
            return cairn_error(CAIRN_NUMERIC, "residual: row %d has w = %g, b = %g, D = %g: not finite", r,
                               referee->w[r], referee->b[r], referee->D[r]);
        }
        referee->D[r] = referee->D[r] == 0 ? 1 : fabs(referee->D[r]);
    }
    return cairn_ok();
}
