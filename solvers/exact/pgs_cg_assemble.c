#include "solvers/exact/pgs_cg_assemble.h"

#include <math.h>
#include <string.h>

#include "solvers/system/formulation.h"

typedef struct Work {
    int *root;            // of a block: the first block of those that the dynamics' rows tie together
    int *first, *blocks;  // the blocks of a root
    int *touch, *touches; // the constraints with rows that stay, by blocks
    int *seen;            // constraint -> the row that met it last
    bool *is_held;        // blocks that rows of the dynamics act on: K is not P there
    double *v;
} Work;

static int find_root(int *root, int b) {
    while (root[b] != b) {
        b = root[b] = root[root[b]];
    }
    return b;
}

static CairnStatus no_memory(const CairnProblem *problem) {
    return cairn_error(CAIRN_OUT_OF_MEMORY, "pgs-cg: no memory for %d rows", problem->row_count);
}

// Number the rows that stay, and tie blocks together by those that do not.
static void number_rows(PgsCgMatrix *matrix, Work *work) {
    const CairnProblem *problem = matrix->problem;
    for (int b = 0; b < problem->block_count; b++) {
        work->root[b] = b;
    }
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *constraint = &problem->constraints[c];
        bool has_dynamics = false;
        for (int r = constraint->first_row; r < constraint->first_row + constraint->row_count; r++) {
            bool is_dynamics = constraint->friction < 0 && isinf(problem->lower[r]) && isinf(problem->upper[r]) &&
                               problem->compliance[r] > 0;
            matrix->constraint[r] = c;
            matrix->number[r] = is_dynamics ? -1 : matrix->row_count;
            matrix->theta[r] = is_dynamics ? 0 : (double)INFINITY;
            if (!is_dynamics) {
                matrix->rows[matrix->row_count++] = r;
            }
            has_dynamics = has_dynamics || is_dynamics;
        }
        for (int t = 0; t < constraint->term_count && has_dynamics; t++) {
            work->is_held[problem->terms[constraint->first_term + t].block] = true;
            int a = find_root(work->root, problem->terms[constraint->first_term].block),
                b = find_root(work->root, problem->terms[constraint->first_term + t].block);
            work->root[a > b ? a : b] = a > b ? b : a;
        }
    }
}

static bool stays(const PgsCgMatrix *matrix, const CairnConstraintBlock *constraint) {
    for (int r = constraint->first_row; r < constraint->first_row + constraint->row_count; r++) {
        if (matrix->number[r] >= 0) {
            return true;
        }
    }
    return false;
}

// Lists by counting: blocks by roots, constraints by blocks.
static void make_lists(PgsCgMatrix *matrix, Work *work) {
    const CairnProblem *problem = matrix->problem;
    int blocks = problem->block_count;
    memset(work->first, 0, (size_t)(blocks + 2) * sizeof(int));
    memset(work->touch, 0, (size_t)(blocks + 2) * sizeof(int));
    for (int b = 0; b < blocks; b++) {
        work->root[b] = find_root(work->root, b);
        work->first[work->root[b] + 2]++;
    }
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *constraint = &problem->constraints[c];
        work->seen[c] = -1;
        for (int t = 0; t < constraint->term_count && stays(matrix, constraint); t++) {
            work->touch[problem->terms[constraint->first_term + t].block + 2]++;
        }
    }
    for (int b = 0; b < blocks; b++) {
        work->first[b + 2] += work->first[b + 1];
        work->touch[b + 2] += work->touch[b + 1];
    }
    for (int b = 0; b < blocks; b++) {
        work->blocks[work->first[work->root[b] + 1]++] = b;
    }
    for (int c = 0; c < problem->constraint_count; c++) {
        const CairnConstraintBlock *constraint = &problem->constraints[c];
        for (int t = 0; t < constraint->term_count && stays(matrix, constraint); t++) {
            work->touches[work->touch[problem->terms[constraint->first_term + t].block + 1]++] = c;
        }
    }
}

static bool is_tied(const PgsCgMatrix *matrix, const Work *work, const CairnConstraintBlock *constraint) {
    for (int t = 0; t < constraint->term_count; t++) {
        if (work->is_held[matrix->problem->terms[constraint->first_term + t].block]) {
            return true;
        }
    }
    return false;
}

// v = K^-1 J^T of a row; v is zero before.
static void solve_row(PgsCgMatrix *matrix, Work *work, int row) {
    const CairnProblem *problem = matrix->problem;
    const CairnConstraintBlock *constraint = &problem->constraints[matrix->constraint[row]];
    for (int t = 0; t < constraint->term_count; t++) {
        const CairnTerm *term = &problem->terms[constraint->first_term + t];
        const CairnDofBlock *block = &problem->blocks[term->block];
        double room[6];
        const double *J = cairn_term_row(problem, term, row - constraint->first_row, room);
        for (int k = 0; k < block->size; k++) {
            work->v[block->first + k] += J[k];
        }
    }
    if (is_tied(matrix, work, constraint)) {
        cairn_body_space_velocity(&matrix->system, work->v);
        return;
    }
    for (int t = 0; t < constraint->term_count; t++) {
        int block = problem->terms[constraint->first_term + t].block;
        bool is_new = true; // a block may come twice
        for (int s = 0; s < t; s++) {
            is_new = is_new && problem->terms[constraint->first_term + s].block != block;
        }
        if (is_new) {
            cairn_ops_forward(&matrix->system.ops, block, work->v + problem->blocks[block].first);
            cairn_ops_backward(&matrix->system.ops, block, work->v + problem->blocks[block].first);
        }
    }
}

static void clear_velocity(const PgsCgMatrix *matrix, Work *work, int row) {
    const CairnProblem *problem = matrix->problem;
    const CairnConstraintBlock *constraint = &problem->constraints[matrix->constraint[row]];
    if (is_tied(matrix, work, constraint)) {
        memset(work->v, 0, (size_t)problem->dof_count * sizeof(double));
        return;
    }
    for (int t = 0; t < constraint->term_count; t++) {
        const CairnDofBlock *block = &problem->blocks[problem->terms[constraint->first_term + t].block];
        memset(work->v + block->first, 0, (size_t)block->size * sizeof(double));
    }
}

// One row of W: over all constraints that touch the blocks that row k moves. Entries are counted first, then written
// (is_written).
static int assemble_row(PgsCgMatrix *matrix, Work *work, int k, int at, bool is_written) {
    const CairnProblem *problem = matrix->problem;
    int row = matrix->rows[k], stamp = is_written ? matrix->row_count + k : k;
    const CairnConstraintBlock *constraint = &problem->constraints[matrix->constraint[row]];
    for (int t = 0; t < constraint->term_count; t++) {
        int root = work->root[problem->terms[constraint->first_term + t].block];
        for (int i = work->first[root]; i < work->first[root + 1]; i++) {
            int block = work->blocks[i];
            for (int j = work->touch[block]; j < work->touch[block + 1]; j++) {
                int c = work->touches[j];
                const CairnConstraintBlock *other = &problem->constraints[c];
                if (work->seen[c] == stamp) {
                    continue;
                }
                work->seen[c] = stamp;
                for (int r = other->first_row; r < other->first_row + other->row_count; r++) {
                    if (matrix->number[r] >= 0 && is_written) {
                        matrix->column[at] = matrix->number[r];
                        matrix->W[at] = cairn_ops_row_velocity(problem, other, r - other->first_row, work->v) +
                                        (r == row ? problem->compliance[r] : 0);
                        matrix->D[k] = r == row ? matrix->W[at] : matrix->D[k];
                    }
                    at += matrix->number[r] >= 0;
                }
            }
        }
    }
    return at;
}

static bool allocate(PgsCgMatrix *matrix, Work *work, CairnArena *arena) {
    const CairnProblem *problem = matrix->problem;
    int **ints[] = {&matrix->rows, &matrix->number, &matrix->constraint, &work->root,
                    &work->blocks, &work->first,    &work->touch,        &work->seen};
    int sizes[] = {problem->row_count,   problem->row_count,   problem->row_count,   problem->block_count,
                   problem->block_count, problem->block_count, problem->block_count, problem->constraint_count};
    for (size_t i = 0; i < sizeof ints / sizeof *ints; i++) {
        *ints[i] = CAIRN_PUSH(arena, int, sizes[i] + 2);
        if (!*ints[i]) {
            return false;
        }
    }
    work->is_held = CAIRN_PUSH_ZERO(arena, bool, problem->block_count + 1);
    work->touches = CAIRN_PUSH(arena, int, problem->term_count + 1);
    work->v = CAIRN_PUSH_ZERO(arena, double, problem->dof_count + 1);
    matrix->theta = CAIRN_PUSH(arena, double, problem->row_count + 1);
    matrix->start = CAIRN_PUSH(arena, int, problem->row_count + 2);
    matrix->D = CAIRN_PUSH_ZERO(arena, double, problem->row_count + 1);
    matrix->b = CAIRN_PUSH(arena, double, problem->row_count + 1);
    return work->is_held && work->touches && work->v && matrix->theta && matrix->start && matrix->D && matrix->b;
}

// b = J K^-1 (p - J_b^T C_b^-1 d_b) + d.
static CairnStatus find_right_side(PgsCgMatrix *matrix, CairnArena *arena) {
    const CairnProblem *problem = matrix->problem;
    double *y = CAIRN_PUSH_ZERO(arena, double, problem->row_count + 1),
           *v = CAIRN_PUSH(arena, double, problem->dof_count + 1);
    if (!y || !v) {
        return no_memory(problem);
    }
    for (int r = 0; r < problem->row_count; r++) {
        y[r] = matrix->number[r] < 0 ? -problem->right_side[r] : 0;
    }
    cairn_body_space_momentum(&matrix->system, y, v);
    for (int k = 0; k < problem->dof_count; k++) {
        v[k] += problem->p[k];
    }
    cairn_body_space_velocity(&matrix->system, v);
    for (int k = 0; k < matrix->row_count; k++) {
        int row = matrix->rows[k];
        const CairnConstraintBlock *constraint = &problem->constraints[matrix->constraint[row]];
        matrix->b[k] =
            cairn_ops_row_velocity(problem, constraint, row - constraint->first_row, v) + problem->right_side[row];
    }
    return cairn_ok();
}

CairnStatus cairn_pgs_cg_assemble(PgsCgMatrix *matrix, const CairnProblem *problem, CairnSolverContext *context) {
    *matrix = (PgsCgMatrix){.problem = problem};
    Work work = {0};
    if (!allocate(matrix, &work, context->arena)) {
        return no_memory(problem);
    }
    number_rows(matrix, &work);
    make_lists(matrix, &work);
    CairnSystemSetup setup = {.formulation = CAIRN_FORMULATION_BODY};
    CAIRN_TRY(cairn_system_init(&matrix->system, problem, &setup, context));
    CAIRN_TRY(cairn_system_factor(&matrix->system, matrix->theta, NULL));
    int entries = 0;
    for (int k = 0; k < matrix->row_count; k++) {
        matrix->start[k] = entries;
        entries = assemble_row(matrix, &work, k, entries, false);
    }
    matrix->start[matrix->row_count] = entries;
    matrix->column = CAIRN_PUSH(context->arena, int, entries + 1);
    matrix->W = CAIRN_PUSH(context->arena, double, entries + 1);
    if (!matrix->column || !matrix->W) {
        return no_memory(problem);
    }
    for (int k = 0; k < matrix->row_count; k++) {
        solve_row(matrix, &work, matrix->rows[k]);
        assemble_row(matrix, &work, k, matrix->start[k], true);
        clear_velocity(matrix, &work, matrix->rows[k]);
    }
    return find_right_side(matrix, context->arena);
}

void cairn_pgs_cg_finish(PgsCgMatrix *matrix, const double *lambda, double *out) {
    static const int refinements = 4;
    const CairnProblem *problem = matrix->problem;
    double scale = 0;
    double *y = matrix->theta; // no longer needed
    for (int r = 0; r < problem->row_count; r++) {
        out[r] = matrix->number[r] >= 0 ? lambda[matrix->number[r]] : 0;
    }
    if (matrix->row_count == problem->row_count) {
        return;
    }
    cairn_system_slack(&matrix->system, out, y);
    for (int r = 0; r < problem->row_count; r++) {
        y[r] = matrix->number[r] >= 0 ? 0 : -y[r];
        scale = fmax(scale, fabs(y[r]));
    }
    double *x = matrix->b; // likewise; it has room for all rows
    cairn_system_solve(&matrix->system, y, 1e-13 * scale, refinements, x);
    for (int r = 0; r < problem->row_count; r++) {
        out[r] = matrix->number[r] >= 0 ? out[r] : x[r];
    }
}
