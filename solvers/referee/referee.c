#include "solvers/referee/referee.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "engine/base/eights.h"

static inline int eights(int n) {
    return (n + 7) / 8;
}

enum { MOST_EIGHTS = (CAIRN_BLOCK_LIMIT + 7) / 8 };

// R = L^-1 of a block P = L L^T, so that P^-1 = R^T R: by columns with zeros above the diagonal, in eights. False where
// P is not positive definite.
ALWAYS_INLINE bool factor_of(int n, const double *P, double *R) {
    double L[CAIRN_BLOCK_LIMIT * CAIRN_BLOCK_LIMIT], inverse[CAIRN_BLOCK_LIMIT];
    memcpy(L, P, (size_t)(n * n) * sizeof *L);
    UNROLL_KNOWN
    for (int k = 0; k < n; k++) { // by columns' outer products
        if (!(L[k * n + k] > n * DBL_EPSILON * P[k * n + k])) {
            return false;
        }
        inverse[k] = 1 / sqrt(L[k * n + k]);
        UNROLL_KNOWN
        for (int i = k; i < n; i++) {
            L[i * n + k] *= inverse[k];
        }
        UNROLL_KNOWN
        for (int j = k + 1; j < n; j++) {
            UNROLL_KNOWN
            for (int i = j; i < n; i++) {
                L[i * n + j] -= L[i * n + k] * L[j * n + k];
            }
        }
    }
    memset(R, 0, (size_t)(n * eights(n)) * sizeof(Eight));
    UNROLL_KNOWN
    for (int k = 0; k < n; R += 8 * eights(n), k++) { // column k solves L x = e_k
        UNROLL_KNOWN
        for (int i = k; i < n; i++) {
            double sum = i == k ? 1 : 0;
            UNROLL_KNOWN
            for (int j = k; j < i; j++) {
                sum -= L[i * n + j] * R[j];
            }
            R[i] = sum * inverse[i];
        }
    }
    return true;
}

static bool factor_block(int n, const double *P, double *R) {
    // A rigid body's size as a constant lets the compiler unroll it.
    return n == 6 ? factor_of(6, P, R) : factor_of(n, P, R);
}

// y = R x
ALWAYS_INLINE void multiply_of(int n, const double *R, const double *x, Eight *y) {
    const Eight *column = (const Eight *)R;
    for (int e = 0; e < eights(n); e++) {
        Eight sum = column[e] * x[0];
        for (int k = 1; k < n; k++) {
            sum += column[k * eights(n) + e] * x[k];
        }
        y[e] = sum;
    }
}

// x . y
ALWAYS_INLINE double product_of(int n, const Eight *x, const Eight *y) {
    Eight sum = x[0] * y[0];
    for (int e = 1; e < eights(n); e++) {
        sum += x[e] * y[e];
    }
    return sum_eight(&sum);
}

// The rows of a term where they are those of a contact's frame, by its definition in problem.h; else where they lie in
// J.
static const double *rows_of(const CairnProblem *problem, const CairnTerm *term, int row_count, double room[18]) {
    if (term->jacobian >= 0) {
        return problem->J + term->jacobian;
    }
    int frame_side = ~term->jacobian;
    const CairnContactFrame *f =
        (const void *)((const char *)problem->frames + problem->frame_stride * (size_t)(frame_side / 2));
    CairnVec3 n = f->normal, t = f->tangent, arm = f->arm[frame_side % 2];
    double side = frame_side % 2 == 0 ? -1 : 1;
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

// y += J v
ALWAYS_INLINE void add_products(int n, int rows, const double *J, const double *v, double *y) {
    for (int r = 0; r < rows; r++, J += n) {
        Two sum = {0, 0}; // of even and of odd entries: half the latency
        for (int k = 0; k + 1 < n; k += 2) {
            sum += *(const Two *)(J + k) * *(const Two *)(v + k);
        }
        y[r] += sum[0] + sum[1] + (n % 2 == 1 ? J[n - 1] * v[n - 1] : 0);
    }
}

// v += J^T y
ALWAYS_INLINE void add_transposed(int n, int rows, const double *J, const double *y, double *v) {
    double sum[CAIRN_BLOCK_LIMIT]; // not through memory: each would wait for the one before
    memcpy(sum, v, (size_t)n * sizeof *v);
    for (int r = 0; r < rows; r++, J += n) {
        for (int k = 0; k < n; k++) {
            sum[k] += J[k] * y[r];
        }
    }
    memcpy(v, sum, (size_t)n * sizeof *v);
}

typedef struct Rows {
    const Referee *referee;
    const double *v, *lambda;
    double *y;
} Rows;

// y = J v + d (+ C lambda), row by row. Every row belongs to one constraint.
static void apply_span(void *context, int first, int end) {
    const Rows *rows = context;
    const CairnProblem *problem = rows->referee->problem;
    const double *v = rows->v, *lambda = rows->lambda;
    double *y = rows->y;
    for (int c = first; c < end; c++) {
        const CairnConstraintBlock *constraint = problem->constraints + c;
        for (int r = constraint->first_row; r < constraint->first_row + constraint->row_count; r++) {
            y[r] = problem->right_side[r] + (lambda ? problem->compliance[r] * lambda[r] : 0);
        }
        for (int t = constraint->first_term; t < constraint->first_term + constraint->term_count; t++) {
            CairnDofBlock block = problem->blocks[problem->terms[t].block];
            double room[18];
            const double *entry = rows_of(problem, &problem->terms[t], constraint->row_count, room);
            double *first_y = y + constraint->first_row;
            if (block.size == 6) { // as in factor_block
                add_products(6, constraint->row_count, entry, v + block.first, first_y);
            } else {
                add_products(block.size, constraint->row_count, entry, v + block.first, first_y);
            }
        }
    }
}

static void apply_rows(const Referee *referee, const double *v, const double *lambda, double *y) {
    Rows rows = {referee, v, lambda, y};
    cairn_spans_run(referee->threads, referee->problem->constraint_count, REFEREE_FEW, apply_span, &rows);
}

// v += J^T lambda
static void apply_transpose(const CairnProblem *problem, const double *lambda, double *v) {
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *constraint = problem->constraints + c;
        for (int t = constraint->first_term; t < constraint->first_term + constraint->term_count; t++) {
            CairnDofBlock block = problem->blocks[problem->terms[t].block];
            double room[18];
            const double *entry = rows_of(problem, &problem->terms[t], constraint->row_count, room);
            const double *first_lambda = lambda + constraint->first_row;
            if (block.size == 6) { // as in factor_block
                add_transposed(6, constraint->row_count, entry, first_lambda, v + block.first);
            } else {
                add_transposed(block.size, constraint->row_count, entry, first_lambda, v + block.first);
            }
        }
    }
}

// v = R^T R v of one block.
ALWAYS_INLINE void solve_of(int n, const double *R, double *v) {
    Eight y[MOST_EIGHTS];
    multiply_of(n, R, v, y);
    for (int k = 0; k < n; k++) {
        v[k] = product_of(n, (const Eight *)R + (ptrdiff_t)k * eights(n), y);
    }
}

static void solve_dofs(const CairnProblem *problem, const double *factors, const size_t *offset, double *v) {
    for (int b = 0; b < problem->block_count; b++) {
        CairnDofBlock block = problem->blocks[b];
        if (block.size == 6) { // as in factor_block
            solve_of(6, factors + offset[b], v + block.first);
        } else {
            solve_of(block.size, factors + offset[b], v + block.first);
        }
    }
}

// The rows J of the terms of one constraint on one dof block: as they are, made in `room`, or summed in `sum` where
// there are several. NULL: a term before `first` has had them.
static const double *sum_rows(const CairnProblem *problem, const CairnConstraintBlock *constraint, int first,
                              double room[18], double *sum) {
    const CairnTerm *terms = problem->terms + constraint->first_term;
    int block = terms[first].block, count = constraint->row_count * problem->blocks[block].size;
    for (int t = 0; t < first; t++) {
        if (terms[t].block == block) {
            return NULL;
        }
    }
    const double *rows = rows_of(problem, &terms[first], constraint->row_count, room);
    for (int t = first + 1; t < constraint->term_count; t++) {
        if (terms[t].block == block) {
            double other[18];
            const double *more = rows_of(problem, &terms[t], constraint->row_count, other);
            for (int k = 0; k < count; k++) {
                sum[k] = rows[k] + more[k];
            }
            rows = sum;
        }
    }
    return rows;
}

// With y_i = R J_i^T: what rows add to D, and those of a contact, from `normal` on, to its block: A_ij = y_i . y_j.
ALWAYS_INLINE void add_block_of(int n, int rows, const double *R, const double *J, double *D, int normal,
                                double contact[3][3]) {
    Eight y[4][MOST_EIGHTS]; // the last for rows that are none of the contact's
    for (int i = 0; i < rows; i++, J += n) {
        Eight *rows_times_R = y[i >= normal && i < normal + 3 ? i - normal : 3];
        multiply_of(n, R, J, rows_times_R);
        D[i] += product_of(n, rows_times_R, rows_times_R);
    }
    for (int i = 0; i < 3 && contact != NULL; i++) {
        for (int j = 0; j <= i; j++) {
            contact[i][j] += product_of(n, y[i], y[j]);
            contact[j][i] = contact[i][j];
        }
    }
}

// D of a constraint's rows, and the norm of its contact block. `sum` has room for the widest rows.
static void weigh_constraint(Referee *referee, int c, const double *factors, const size_t *offset, double *sum) {
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
        double room[18];
        const double *R = factors + offset[block], *J = sum_rows(problem, constraint, t, room, sum);
        if (J != NULL && size == 6) { // as in factor_block
            add_block_of(6, rows, R, J, D, normal, friction >= 0 ? contact : NULL);
        } else if (J != NULL) {
            add_block_of(size, rows, R, J, D, normal, friction >= 0 ? contact : NULL);
        }
    }
    if (friction >= 0) {
        referee->norm[friction] = cairn_referee_block_norm(contact);
    }
}

static size_t factor_size(int n) {
    return (size_t)(n * eights(n)) * 8;
}

// A matrix that the block before has too is factored once.
static bool has_factor(const CairnProblem *problem, int i) {
    return i > 0 && problem->blocks[i].matrix == problem->blocks[i - 1].matrix &&
           problem->blocks[i].size == problem->blocks[i - 1].size;
}

static CairnStatus factor_dofs(const CairnProblem *problem, CairnArena *arena, double **factors, size_t **offset) {
    size_t size = 0;
    *offset = CAIRN_PUSH(arena, size_t, problem->block_count + 1);
    for (int i = 0; i < problem->block_count; i++) {
        size += has_factor(problem, i) ? 0 : factor_size(problem->blocks[i].size);
    }
    *factors = CAIRN_PUSH(arena, double, size + 1);
    if (!*offset || !*factors) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "residual: no memory for the factors of %d blocks",
                           problem->block_count);
    }
    size = 0;
    for (int i = 0; i < problem->block_count; i++) {
        CairnDofBlock block = problem->blocks[i];
        if (has_factor(problem, i)) {
            (*offset)[i] = (*offset)[i - 1];
            continue;
        }
        (*offset)[i] = size;
        if (!factor_block(block.size, problem->P + block.matrix, *factors + size)) {
            return cairn_error(CAIRN_NUMERIC, "residual: P is not positive definite in block %d", i);
        }
        size += factor_size(block.size);
    }
    return cairn_ok();
}

// Doubles that the rows of one constraint take at most.
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

typedef struct Weighing {
    Referee *referee;
    const double *factors;
    const size_t *offset;
    double *sum; // of each worker `widest`
    size_t widest;
} Weighing;

// Constraints have no row and no friction group in common, so they can be evaluated in parallel.
static void weigh_range(void *context, int k, int worker) {
    const Weighing *w = context;
    int count = w->referee->problem->constraint_count;
    for (int c = cairn_referee_piece(count, k); c < cairn_referee_piece(count, k + 1); c++) {
        weigh_constraint(w->referee, c, w->factors, w->offset, w->sum + w->widest * (size_t)worker);
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
    size_t *offset;
    CAIRN_TRY(factor_dofs(problem, arena, &factors, &offset));
    double *v = CAIRN_PUSH(arena, double, problem->dof_count + 1);
    size_t widest = widest_constraint(problem);
    double *sum = CAIRN_PUSH(arena, double, widest *(size_t)referee->threads); // of each thread
    if (!v || !sum) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "residual: no memory for %d dofs", problem->dof_count);
    }
    size_t bytes = (size_t)problem->dof_count * sizeof *v;
    if (bytes > 0) {
        memcpy(v, problem->p, bytes);
    }
    solve_dofs(problem, factors, offset, v);
    apply_rows(referee, v, NULL, referee->b);
    if (bytes > 0) {
        memcpy(v, problem->p, bytes);
    }
    apply_transpose(problem, referee->lambda, v);
    solve_dofs(problem, factors, offset, v);
    apply_rows(referee, v, referee->lambda, referee->w);
    for (int r = 0; r < problem->row_count; r++) {
        referee->D[r] = problem->compliance[r];
    }
    Weighing weighing = {referee, factors, offset, sum, widest};
    cairn_pieces_run(referee->threads, cairn_referee_pieces(problem->constraint_count), weigh_range, &weighing);
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

CairnStatus cairn_referee_find_sizes(const Referee *referee, CairnArena *arena, double *size) {
    const CairnProblem *problem = referee->problem;
    memset(size, 0, (size_t)referee->component_count * sizeof *size);
    if (problem->form == CAIRN_FORM_EXPLICIT) {
        return cairn_ok();
    }
    double *factors, *v;
    size_t *offset;
    CAIRN_TRY(factor_dofs(problem, arena, &factors, &offset));
    v = CAIRN_PUSH(arena, double, problem->dof_count + 1);
    if (v == NULL) {
        return cairn_error(CAIRN_OUT_OF_MEMORY, "residual: no memory for %d dofs", problem->dof_count);
    }
    memcpy(v, problem->p, (size_t)problem->dof_count * sizeof *v);
    solve_dofs(problem, factors, offset, v);
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *constraint = problem->constraints + c;
        for (int i = 0; i < constraint->row_count; i++) {
            int row = constraint->first_row + i;
            double sum = fabs(problem->right_side[row]), *largest = &size[referee->component[row]];
            for (int t = constraint->first_term; t < constraint->first_term + constraint->term_count; t++) {
                CairnDofBlock block = problem->blocks[problem->terms[t].block];
                double room[18];
                const double *J = rows_of(problem, &problem->terms[t], constraint->row_count, room) + i * block.size;
                for (int k = 0; k < block.size; k++) {
                    sum += fabs(J[k] * v[block.first + k]);
                }
            }
            // An impulse has digits, too: its last one moves w by D eps lambda. Where that is more than this share of b
            // the answer says too little to be certified.
            static const double share = 1e-6 / (4 * DBL_EPSILON);
            double pushed = referee->D[row] * fabs(referee->lambda[row]);
            *largest = cairn_max(*largest, cairn_max(sum, cairn_min(pushed, share * fabs(referee->b[row]))));
        }
    }
    return cairn_ok();
}

CairnStatus cairn_referee_evaluate(Referee *referee, CairnArena *arena) {
    const CairnProblem *problem = referee->problem;
    int rows = problem->row_count;
    referee->w = CAIRN_PUSH(arena, double, rows + 1);
    referee->b = CAIRN_PUSH(arena, double, rows + 1);
    referee->D = CAIRN_PUSH(arena, double, rows + 1);
    referee->norm = CAIRN_PUSH(arena, double, problem->friction_count + 1);
    referee->scaled = CAIRN_PUSH(arena, double, rows + 1);
    referee->cone = CAIRN_PUSH(arena, double, problem->friction_count + 1);
    if (!referee->w || !referee->b || !referee->D || !referee->norm || !referee->scaled || !referee->cone) {
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
